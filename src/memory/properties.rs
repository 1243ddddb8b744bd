//! Properties over made-up memories: dedupe is idempotent, nothing is lost by reconciling, a pack keeps to its budget,
//! scopes never leak.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use proptest::prelude::*;

use super::*;
use crate::policy::{Choice, Enrich, IngestMode, Memory as Settings, PackedText, Scope, Share};

const WORDS: &[&str] = &[
    "port", "8080", "9090", "server", "tabs", "not", "use", "file_7", "login", "token", "é", "the", "runs", "never",
    "zone a", "zone b", "9 am", "9 pm", "it", "s", "30 min", "30 s", "5 %", "5", "~5", "#file", "*.log", "log", "less",
    "has", "is", "was", "/a/b", "/b/a",
];

fn embed(texts: &[&str]) -> Vec<Vector> {
    texts.iter().map(|text| by_words(text)).collect()
}

/// A text of a few sentences of a few words.
fn text() -> impl Strategy<Value = String> {
    let sentence = prop::collection::vec(prop::sample::select(WORDS), 1..6);
    prop::collection::vec(sentence, 1..4).prop_map(|sentences| {
        let said: Vec<String> = sentences.into_iter().map(|words| format!("{}.", words.join(" "))).collect();
        said.join(" ")
    })
}

fn owners(who: u8) -> Owners {
    Owners {
        session: Arc::from(format!("s{who}")),
        user: Arc::from(format!("u{}", who / 2)),
        agent: Arc::from(format!("a{}", who / 4)),
    }
}

fn settings() -> impl Strategy<Value = Settings> {
    let sizes = (50u64..200, 0u64..120, 0u64..120, 0u64..6, 0.0f64..0.6);
    (sizes, 0usize..3, 0usize..3, any::<bool>(), any::<bool>()).prop_map(
        |((size, overlap, budget, items, least), mode, enrich, edges, whole)| Settings {
            chunk_size: size,
            chunk_overlap: overlap,
            budget_tokens: budget,
            budget_ratio: Share(0.1),
            max_items: items,
            min_score: Share(least),
            ingest: IngestMode::ALL[mode],
            enrich: Enrich::ALL[enrich],
            include_edges: edges,
            latent_bridging: edges,
            consolidate: edges,
            show: if whole { PackedText::Whole } else { PackedText::Summary },
            ..Settings::default()
        },
    )
}

fn take_in(store: &mut Store, settings: &Settings, who: u8, scope: usize, texts: &[String]) -> Ingested {
    let settings = Settings { scope: Scope::ALL[scope % 3], ..settings.clone() };
    let inputs: Vec<Input> = texts
        .iter()
        .map(|text| Input { parts: vec![Part { text, block: None, runs: Vec::new(), speaker: "user" }], born: 1 })
        .collect();
    ingest(store, &settings, &owners(who), &inputs, &embed, &|_, _| None)
}

/// The texts of live memories, by their owners.
fn told(store: &Store) -> BTreeSet<(usize, Arc<str>, Arc<str>)> {
    store.live().map(|(_, memory, _)| (memory.scope as usize, memory.owner.clone(), memory.text.clone())).collect()
}

/// How often each word of a text stands in it, with the signs within and before it: read by nothing that decides what is
/// merged. Only words without which a sentence says the same do not count.
fn counted(text: &str) -> BTreeMap<String, usize> {
    let mut counted = BTreeMap::new();
    let words = text.split_whitespace().map(|word| word.trim_end_matches(['.', '?', '!', ',']).to_lowercase());
    for word in words.filter(|word| !matches!(&**word, "the" | "is")) {
        *counted.entry(word).or_default() += 1;
    }
    counted
}

/// Whether a text has all words of another, as often as that.
fn has_all(text: &str, other: &str) -> bool {
    let own = counted(text);
    counted(other).iter().all(|(word, times)| own.get(word).is_some_and(|own| own >= times))
}

/// The sentences of texts, by their owners.
fn said(told: &BTreeSet<(usize, Arc<str>, Arc<str>)>) -> BTreeSet<(usize, Arc<str>, String)> {
    let of = |(scope, owner, text): &(usize, Arc<str>, Arc<str>)| {
        let sentences = sentences(text).into_iter().map(|(from, to)| plain(&text[from..to]));
        sentences.map(|said| (*scope, owner.clone(), said)).collect::<Vec<_>>()
    };
    told.iter().flat_map(of).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_was_ingested_is_not_ingested_again(settings in settings(), texts in prop::collection::vec(text(), 1..12)) {
        let mut store = Store::new(Space::words());
        let first = take_in(&mut store, &settings, 0, 0, &texts);
        let (before, edges) = (store.fingerprint(), store.edges().len());
        let again = take_in(&mut store, &settings, 0, 0, &texts);
        prop_assert_eq!(again.written, vec![]);
        prop_assert_eq!(again.skipped.len(), first.written.len() + first.skipped.len());
        prop_assert_eq!((store.fingerprint(), store.edges().len()), (before, edges));
    }

    #[test]
    fn reconciling_loses_nothing(
        settings in settings(),
        texts in prop::collection::vec((text(), 0u8..4, 0usize..3), 1..24),
        rounds in 1usize..3,
    ) {
        let mut store = Store::new(Space::words());
        for part in texts.chunks(texts.len().div_ceil(rounds)) {
            for (text, who, scope) in part {
                take_in(&mut store, &settings, *who, *scope, std::slice::from_ref(text));
            }
            let before = told(&store);
            reconcile(&mut store, &settings, &embed);
            let after = told(&store);
            for (scope, owner, text) in &before {
                let says = |other: &(usize, Arc<str>, Arc<str>)| {
                    (other.0, &other.1) == (*scope, owner) && has_all(&other.2, text)
                };
                prop_assert!(after.iter().any(says), "{text} of {owner} is lost");
            }
            prop_assert!(said(&after).is_subset(&said(&before)), "and nothing is said of another");
        }
        let last = store.fingerprint();
        reconcile(&mut store, &settings, &embed);
        prop_assert_eq!(store.fingerprint(), last, "a second run finds nothing to do");
    }

    #[test]
    fn a_pack_keeps_to_its_budget_its_number_and_its_owners(
        settings in settings(),
        texts in prop::collection::vec((text(), 0u8..6, 0usize..3), 1..24),
        query in text(),
        who in 0u8..6,
        window in 0u64..2_000,
    ) {
        let mut store = Store::new(Space::words());
        for (text, who, scope) in &texts {
            take_in(&mut store, &settings, *who, *scope, std::slice::from_ref(text));
        }
        let owners = owners(who);
        let asked = query;
        let query = by_words(&asked);
        let ask = Pack { query: &query, asked: &asked, owners: &owners, settings: &settings, window, count: &|text| text.len() as u64 / 3, present: &|_, _| false };
        let packed = pack(&store, &ask);
        let chars = packed.text(&store).chars().count() as u64;
        let bytes = packed.text(&store).len() as u64 / 3;
        prop_assert_eq!(chars.div_ceil(4).max(bytes), packed.tokens);
        prop_assert!(packed.tokens <= packed.budget, "{} of {}", packed.tokens, packed.budget);
        prop_assert!(packed.lines.len() as u64 <= settings.max_items);
        for candidate in &packed.candidates {
            prop_assert!(owners.see(store.get(candidate.id).unwrap()));
            prop_assert!(f64::from(candidate.score) >= settings.min_score.0 - 1e-6 || candidate.why == Why::BelowScore);
        }
        prop_assert_eq!(&packed, &pack(&store, &ask));
    }
}
