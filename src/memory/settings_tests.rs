//! Settings of source 2 that other tests leave as they are, against values worked out by hand.

use super::tests::{at, memory, of, owners};
use super::*;
use crate::policy::{Memory as Settings, Scope, Share};

#[test]
fn chunks_are_bridged_that_have_no_larger_share_of_their_words_in_common() {
    let part = |text: &'static str| Part { text, block: None, runs: vec![(0, text.len(), 0)], speaker: "user" };
    // Two of their four words are the same: half of them.
    let texts = ["alpha beta gamma", "alpha beta delta"];
    let bridges = |few: f64| {
        let settings = Settings { latent_bridging: true, bridge_words: Share(few), ..Settings::default() };
        let mut store = super::tests::angles();
        let input = Input { parts: texts.iter().map(|text| part(text)).collect(), born: 1 };
        // cos 50° = 0.64: over bridge_at, and too far apart to be compared.
        let embed = |texts: &[&str]| {
            texts.iter().map(|text| at(if text.contains("delta") { 50.0 } else { 0.0 })).collect::<Vec<_>>()
        };
        ingest(&mut store, &settings, &owners(), &[input], &embed, &|_, _| None).bridges.len()
    };
    assert_eq!((bridges(0.1), bridges(0.49), bridges(0.5), bridges(1.0)), (0, 0, 1, 1));
}

#[test]
fn short_texts_of_opposite_states_contradict_each_other_by_words() {
    for (one, other) in [
        ("The cache is enabled in production.", "The cache is disabled in production."),
        ("The office is closed on Sundays.", "The office is open on Sundays."),
        ("We support Python 3.8 in the client library.", "We dropped support for Python 3.8 in the client library."),
    ] {
        for (first, second) in [(one, other), (other, one)] {
            let mut store = Store::new(Space::words());
            for text in [first, second] {
                write(&mut store, &Settings::default(), memory(text, Scope::Session), &by_words(text));
            }
            let related: Vec<_> = store.edges().iter().map(|edge| (edge.from, edge.to, edge.kind)).collect();
            assert_eq!(related, [(MemoryId(1), MemoryId(0), EdgeKind::Contradicts)], "{first} / {second}");
        }
    }
}

#[test]
fn memories_are_of_one_cluster_from_their_similarity_on() {
    // cos 20° = 0.940, cos 40° = 0.766: from the first.
    let texts = [("One is so.", 0.0), ("Two is so.", 20.0), ("Three is so.", 40.0)];
    let clusters = |least: f64| -> Vec<usize> {
        let settings =
            Settings { merge_at: Share(0.99), consolidate: true, consolidate_at: Share(least), ..Settings::default() };
        // What is made one lies far from all others.
        let report = reconcile(&mut of(&texts), &settings, &|_| vec![at(180.0)]);
        let size = |change: &Change| match change {
            Change::Consolidated(found) => Some(found.of.len()),
            _ => None,
        };
        report.changes.iter().filter_map(size).collect()
    };
    assert_eq!(clusters(0.75), [3]);
    assert_eq!(clusters(0.76), [3]);
    assert_eq!(clusters(0.77), [2], "the third is nearer to nothing that is left");
    assert!(clusters(0.95).is_empty());
}

#[test]
fn what_is_merged_was_used_as_often_as_a_pack_held_any_of_it_and_came_when_its_text_did() {
    let mut store = of(&[("It runs. TLS on.", 0.0), ("The port is 8080. It runs. TLS on.", 30.0), ("Other.", 90.0)]);
    store.change(MemoryId(1), |memory, state| (memory.born, state.uses) = (3, 2));
    store.change(MemoryId(0), |_, state| state.uses = 1);
    // Once each alone, twice together, once neither: four packs; elsewhere two at least.
    for (step, ids) in (1..).zip([vec![0], vec![1], vec![0, 1], vec![1, 2, 0], vec![2]]) {
        store.packed(ids.into_iter().map(MemoryId).collect(), step);
    }
    let settings = Settings { promote_at: 100, ..Settings::default() };
    let report = reconcile(&mut store, &settings, &|_| vec![at(15.0)]);
    let Change::Merged(found) = &report.changes[0] else { panic!("{report:?}") };
    assert_eq!((found.into, &found.of, found.kept), (MemoryId(1), &vec![MemoryId(0)], 0));
    assert_eq!((store.state(MemoryId(1)).uses, store.get(MemoryId(1)).map(|it| it.born)), (4 + 2, Some(3)));
    // Where several become a new text, it is there since the last of them.
    let mut store = of(&[("The port is 8080.", 0.0), ("The server runs.", 30.0)]);
    store.change(MemoryId(1), |memory, _| memory.born = 7);
    let one = Settings { consolidate: true, consolidate_at: Share(0.8), ..Settings::default() };
    let report = reconcile(&mut store, &one, &|_| vec![at(15.0)]);
    let Change::Consolidated(found) = &report.changes[0] else { panic!("{report:?}") };
    assert_eq!(store.get(found.into).map(|it| it.born), Some(7));
}
