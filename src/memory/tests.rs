//! Every setting of source 2 against values worked out by hand. Vectors here have two numbers: an angle.

use std::sync::Arc;

use super::*;
use crate::chunk::normalised;
use crate::model::{BlockId, Made};
use crate::policy::{Enrich, IngestMode, Memory as Settings, PackedText, Scope, Share};

/// The vector of an angle: the cosine of two is that of the angle between them.
pub(super) fn at(degrees: f64) -> Vector {
    let angle = degrees.to_radians();
    normalised(vec![angle.cos() as f32, angle.sin() as f32])
}

pub(super) fn angles() -> Store {
    Store::new(Space { name: Arc::from("angles"), length: 2 })
}

pub(super) fn owners() -> Owners {
    Owners { session: Arc::from("s"), user: Arc::from("u"), agent: Arc::from("a") }
}

pub(super) fn memory(text: &str, scope: Scope) -> Memory {
    Memory {
        scope,
        owner: owners().of(scope).clone(),
        source_type: Arc::from("document"),
        text: Arc::from(text),
        around: None,
        rewritten: false,
        origins: Vec::new(),
        earlier: Vec::new(),
        born: 1,
        how: How::Written,
    }
}

/// A store of texts at angles.
pub(super) fn of(texts: &[(&str, f64)]) -> Store {
    let mut store = angles();
    for (text, degrees) in texts {
        store.push(memory(text, Scope::Session), &at(*degrees));
    }
    store
}

pub(super) fn packed(store: &Store, settings: &Settings) -> Packed {
    packed_by(store, settings, &|_| 0)
}

/// The same where texts have tokens.
pub(super) fn packed_by(store: &Store, settings: &Settings, count: &dyn Fn(&str) -> u64) -> Packed {
    let (query, owners) = (at(0.0), owners());
    pack(
        store,
        &Pack { query: &query, asked: "", owners: &owners, settings, window: 1_000, count, present: &|_, _| false },
    )
}

fn why(packed: &Packed) -> Vec<(u32, &'static str)> {
    packed.candidates.iter().map(|one| (one.id.0, one.why.name())).collect()
}

fn part(text: &str) -> Part<'_> {
    Part { text, block: Some((BlockId(3), false)), runs: vec![(0, text.len(), 0)], speaker: "user" }
}

fn drafted(settings: &Settings, texts: &[&str]) -> Vec<(String, Vec<(u64, u64)>)> {
    let input = Input { parts: texts.iter().map(|text| part(text)).collect(), born: 1 };
    let spans = |draft: &Drafted| draft.origins.iter().map(|origin| (origin.start, origin.end)).collect();
    drafts(settings, &input).iter().map(|draft| (draft.text.clone(), spans(draft))).collect()
}

#[test]
fn modes_take_the_whole_input_its_chunks_or_the_turn() {
    let mut settings = Settings { chunk_size: 50, chunk_overlap: 0, ..Settings::default() };
    let text = "a".repeat(70);
    settings.ingest = IngestMode::Session;
    assert_eq!(drafted(&settings, &[&text]), [(text.clone(), vec![(0, 70)])]);
    settings.ingest = IngestMode::Chunk;
    let chunks = drafted(&settings, &[&text]);
    assert_eq!(chunks, [("a".repeat(50), vec![(0, 50)]), ("a".repeat(20), vec![(50, 70)])]);
    settings.ingest = IngestMode::TurnContext;
    assert_eq!(
        drafted(&settings, &["Which port?", "8080"]),
        [("user: Which port?\nuser: 8080".to_owned(), vec![(0, 11), (0, 4)])]
    );
}

#[test]
fn chunks_have_the_size_and_overlap_that_are_set() {
    let settings = Settings { chunk_size: 50, chunk_overlap: 10, ..Settings::default() };
    let spans: Vec<_> =
        drafted(&settings, &["b".repeat(100).as_str()]).into_iter().map(|(_, spans)| spans[0]).collect();
    assert_eq!(spans, [(0, 50), (40, 90), (80, 100)]);
}

#[test]
fn enrichment_adds_the_first_sentences_of_so_many_neighbours() {
    let text = "First thing is here.  \n\nSecond thing is here.\n\nThird thing is here.\n\nFourth thing is it.";
    let mut settings = Settings { chunk_size: 50, chunk_overlap: 0, enrich_window: 1, ..Settings::default() };
    settings.chunk_size = 24;
    let of = |settings: &Settings| drafts(settings, &Input { parts: vec![part(text)], born: 1 });
    assert!(of(&settings).iter().all(|draft| draft.around.is_none()));
    settings.enrich = Enrich::Augment;
    let second = of(&settings).swap_remove(1);
    assert_eq!(second.text, "Second thing is here.");
    assert_eq!(second.around.as_deref(), Some("Before: First thing is here.\nAfter: Third thing is here."));
    assert_eq!(second.embedded, "Second thing is here.");
    settings.enrich = Enrich::Rewrite;
    settings.enrich_window = 2;
    let first = of(&settings).swap_remove(0);
    assert_eq!(first.embedded, "After: Second thing is here. … Third thing is here.\nFirst thing is here.");
}

#[test]
fn equal_texts_are_written_once_and_the_report_says_which() {
    let mut store = Store::new(Space::words());
    let embed = |texts: &[&str]| texts.iter().map(|text| by_words(text)).collect::<Vec<_>>();
    let settings = Settings { source_type: "mail".to_owned(), scope: Scope::User, ..Settings::default() };
    let input = |text| Input { parts: vec![part(text)], born: 4 };
    let report = ingest(
        &mut store,
        &settings,
        &owners(),
        &[input("The port is 8080."), input("the  port is 8080.")],
        &embed,
        &|_, _| None,
    );
    assert_eq!(report.written, [MemoryId(0)]);
    let skipped = |skipped: &Skipped| (skipped.text.clone(), skipped.why, skipped.born);
    let told: Vec<_> = report.skipped.iter().map(skipped).collect();
    assert_eq!(told, [("the  port is 8080.".to_owned(), Skip::SameText(MemoryId(0)), 4)]);
    let first = store.get(MemoryId(0)).unwrap();
    assert_eq!((&*first.source_type, first.scope, &*first.owner, first.born), ("mail", Scope::User, "u", 4));
}

#[test]
fn similar_texts_are_left_out_unless_they_bring_a_figure_or_a_word() {
    let mut store = of(&[("the server port is 8080 in production", 0.0)]);
    let settings = Settings { dedupe_at: Share(0.95), ..Settings::default() };
    let mut put = |text: &str, degrees| write(&mut store, &settings, memory(text, Scope::Session), &at(degrees));
    // cos 10° = 0.985, cos 20° = 0.940.
    assert!(matches!(put("server port 8080: in production!", 10.0), Outcome::Skipped(Skip::Similar(..))));
    assert!(matches!(put("the server port is 9090 in production!", 10.0), Outcome::Written(..)));
    assert!(matches!(put("the server's port is 8080", 20.0), Outcome::Written(..)));
    assert!(matches!(put("the server port is no 8080 in production", 10.0), Outcome::Written(..)));
}

#[test]
fn what_says_it_of_others_or_the_other_way_round_is_no_duplicate() {
    let settings = Settings { dedupe_at: Share(1.0), ..Settings::default() };
    for [one, other] in [
        ["Billing reports to ledger.", "Ledger reports to billing."],
        ["The limit was raised from 10 to 20.", "The limit was raised from 20 to 10."],
    ] {
        let mut store = Store::new(Space::words());
        for text in [one, other] {
            let outcome = write(&mut store, &settings, memory(text, Scope::Session), &by_words(text));
            assert!(matches!(outcome, Outcome::Written(..)), "{text}");
        }
    }
}

#[test]
fn what_needs_none_contradicts_what_needs_one_and_neither_is_merged() {
    let settings = Settings { merge_at: Share(0.5), similar_at: Share(0.5), ..Settings::default() };
    for [one, other] in [
        ["The login requires a token.", "The login requires no token."],
        ["The agent runs with root rights.", "The agent runs without root rights."],
    ] {
        let mut store = Store::new(Space::words());
        for text in [one, other] {
            write(&mut store, &settings, memory(text, Scope::Session), &by_words(text));
        }
        assert_eq!(store.edges().iter().map(|edge| edge.kind).collect::<Vec<_>>(), [EdgeKind::Contradicts]);
        assert!(
            reconcile(&mut store, &settings, &|texts| texts.iter().map(|text| by_words(text)).collect()).is_nothing()
        );
    }
}

#[test]
fn similar_texts_of_which_one_denies_contradict_each_other() {
    let settings = Settings::default();
    let wrote = |degrees: f64, text: &str, settings: &Settings| {
        let mut store = of(&[("We use tabs", 0.0)]);
        let outcome = write(&mut store, settings, memory(text, Scope::Session), &at(degrees));
        (outcome, store.edges().len())
    };
    // cos 38° = 0.788, cos 39° = 0.777: neighbours are of 0.78.
    let found = wrote(38.0, "We do not use tabs", &settings);
    assert_eq!(found, (Outcome::Written(MemoryId(1), Some(MemoryId(0))), 1));
    assert_eq!(wrote(39.0, "We do not use tabs", &settings).1, 0);
    assert_eq!(wrote(38.0, "We really use tabs", &settings).1, 0);
    let strict = Settings { contradict_at: Share(0.8), ..Settings::default() };
    assert_eq!(wrote(38.0, "We do not use tabs", &strict).1, 0);
    let wide = Settings { similar_at: Share(0.71), ..Settings::default() };
    assert_eq!(wrote(39.0, "We do not use tabs", &wide).1, 1);
}

#[test]
fn denials_of_other_languages_contradict_too() {
    for [one, other] in [
        ["Die API braucht ein Token.", "Die API braucht kein Token."],
        ["Le serveur de test écoute sur le port 8443.", "Le serveur de test n'écoute pas sur le port 8443."],
        ["Il server ascolta sulla porta 8443.", "Il server non ascolta sulla porta 8443."],
        ["O servidor escuta na porta 8443.", "O servidor não escuta na porta 8443."],
        ["El servidor escucha en el puerto 8443.", "El servidor nunca escucha en el puerto 8443."],
        ["Тестовый сервер слушает порт 8443.", "Тестовый сервер не слушает порт 8443."],
        ["테스트 서버는 8443 포트를 사용합니다.", "테스트 서버는 8443 포트를 사용하지 않습니다."],
        ["De testserver luistert op poort 8443.", "De testserver luistert niet op poort 8443."],
        ["Le client utilise le port 8443.", "Le client n'utilise plus le port 8443."],
        ["We use the cache for reports.", "We stopped using the cache for reports."],
    ] {
        let mut store = of(&[(one, 0.0)]);
        write(&mut store, &Settings::default(), memory(other, Scope::Session), &at(20.0));
        assert_eq!(store.edges().len(), 1, "{other}");
    }
}

#[test]
fn chunks_in_other_words_are_bridged_by_vector_or_by_a_third() {
    let mut settings = Settings { latent_bridging: true, bridge_at: Share(0.4), ..Settings::default() };
    let input = |texts: &[&'static str]| Input { parts: texts.iter().map(|text| part(text)).collect(), born: 1 };
    let texts = ["login refused", "authentication denied", "soup recipe"];
    let embed = |texts: &[&str]| {
        texts.iter().map(|text| at(if text.contains("soup") { 90.0 } else { text.len() as f64 })).collect::<Vec<_>>()
    };
    let bridges = |settings: &Settings| {
        let mut store = angles();
        ingest(&mut store, settings, &owners(), &[input(&texts)], &embed, &|_, _| None).bridges
    };
    // 13° and 21° against 90°: cos 8° = 0.99, cos 77° = 0.22, cos 69° = 0.36.
    assert_eq!(bridges(&settings), [(MemoryId(1), MemoryId(0))]);
    settings.bridge_at = Share(0.3);
    assert_eq!(bridges(&settings), [(MemoryId(1), MemoryId(0)), (MemoryId(2), MemoryId(1))]);
    settings.latent_bridging = false;
    assert!(bridges(&settings).is_empty());
    // By words alone, the middle one is like both others, which share no word.
    settings.latent_bridging = true;
    let mut store = Store::new(Space::words());
    let by = |texts: &[&str]| texts.iter().map(|text| by_words(text)).collect::<Vec<_>>();
    let parts = ["alpha beta", "alpha beta gamma delta", "gamma delta"];
    let found = ingest(&mut store, &settings, &owners(), &[input(&parts)], &by, &|_, _| None).bridges;
    assert_eq!(found, [(MemoryId(2), MemoryId(0))]);
}

#[test]
fn a_memorys_text_leads_back_to_the_blocks_that_it_is_from() {
    let settings = Settings { ingest: IngestMode::TurnContext, ..Settings::default() };
    let parts = vec![part("Which port?"), Part { block: Some((BlockId(4), true)), ..part("8080") }];
    let draft = drafts(&settings, &Input { parts, born: 1 }).swap_remove(0);
    let memory = Memory { text: Arc::from(draft.text), origins: draft.origins, ..memory("", Scope::Session) };
    assert_eq!(&*memory.text, "user: Which port?\nuser: 8080");
    let words = |words: &str| Made::Text(words.to_owned().into());
    assert_eq!(
        memory.made(0, memory.text.len())[..],
        [words("user: "), Made::Part(BlockId(3), 0, 11, false), words("\nuser: "), Made::Part(BlockId(4), 0, 4, true)]
    );
    assert_eq!(memory.made(12, 16)[..], [Made::Part(BlockId(3), 6, 10, false)]);
}

#[test]
fn a_pack_is_the_text_that_db0_writes() {
    // cos 0° = 1, cos 29° = 0.8746, cos 60° = 0.5.
    let mut store = of(&[("Tabs are used.", 29.0), ("The port is 8080. More.", 0.0), ("Tabs are not used.", 60.0)]);
    let mut settings = Settings { budget_tokens: 100, include_edges: true, ..Settings::default() };
    store.link(Edge { from: MemoryId(2), to: MemoryId(0), kind: EdgeKind::Contradicts, score: 0.8 });
    let found = packed(&store, &settings);
    let text = "## Relevant Memory\n- [1] [session] The port is 8080. (score: 1.00)\n\
                - [2] [session] Tabs are used. (score: 0.87) {contradicts [3]}\n\
                - [3] [session] Tabs are not used. (score: 0.50) {contradicts [2]}";
    assert_eq!(found.text(&store), text);
    assert_eq!((found.lines.len(), found.tokens), (3, (text.len() as u64).div_ceil(4)));
    // What has no room is named by nobody.
    let short = Settings { budget_tokens: found.tokens - 1, ..settings.clone() };
    let short = packed(&store, &short);
    assert!(short.lines.len() == 2 && !short.text(&store).contains('{') && short.tokens <= short.budget);
    settings.include_edges = false;
    assert!(!packed(&store, &settings).text(&store).contains('{'));
    settings.show = PackedText::Whole;
    assert!(packed(&store, &settings).text(&store).contains("The port is 8080. More. (score: 1.00)"));
}

#[test]
fn a_pack_ends_at_the_first_line_over_its_budget() {
    // Header 18, then a line break and 40 characters: "- [1] [session] " 16, text 10, " (score: 1.00)" 14.
    let store = of(&[("ten chars.", 0.0), ("ten more..", 1.0), ("six...", 2.0)]);
    let of = |tokens| packed(&store, &Settings { budget_tokens: tokens, ..Settings::default() });
    // 18 + 41 = 59 characters need 15 tokens; 59 + 41 = 100 need 25; 100 + 37 = 137 need 35.
    assert_eq!([14, 15, 24, 25, 34, 35].map(|tokens| of(tokens).lines.len()), [0, 1, 1, 2, 2, 3]);
    assert_eq!(why(&of(24)), [(0, "taken"), (1, "over_budget"), (2, "over_budget")]);
    // Lines of 41, 41 and 37 characters.
    let needs = |tokens| of(tokens).candidates.iter().map(|one| one.why).collect::<Vec<_>>();
    assert_eq!(needs(24), [Why::Taken(1), Why::OverBudget(11), Why::OverBudget(10)]);
    assert_eq!(of(14).text(&store), "");
    assert_eq!(of(14).tokens, 0);
}

#[test]
fn a_budget_holds_as_the_window_counts_too() {
    let store = of(&[("港口是八零八零，服务器在机房。", 0.0), ("第二台服务器在另一个机房里。", 1.0)]);
    let settings = Settings { budget_tokens: 48, ..Settings::default() };
    // A token for each sign that is not ASCII, one for four of the others.
    let count = |text: &str| {
        let ascii = text.chars().filter(char::is_ascii).count() as u64;
        text.chars().count() as u64 - ascii + ascii.div_ceil(4)
    };
    let found = packed_by(&store, &settings, &count);
    assert_eq!(found.lines.len(), 1, "both have 27 characters / 4, and more tokens than that");
    assert_eq!(found.tokens, count(&found.text(&store)));
    assert!(found.tokens <= 48 && matches!(found.candidates[1].why, Why::OverBudget(tokens) if tokens > 20));
}

#[test]
fn a_budget_is_tokens_or_a_share_of_the_window() {
    let settings = Settings { budget_tokens: 0, budget_ratio: Share(0.15), ..Settings::default() };
    assert_eq!(budget(&settings, 200_000), 30_000);
    assert_eq!(budget(&Settings { budget_tokens: 4_000, ..settings }, 200_000), 4_000);
}

#[test]
fn so_many_items_of_so_good_a_score_are_taken() {
    // 0° 1.00, 30° 0.87, 60° 0.50, 67° 0.39, 80° 0.17.
    let store =
        of(&[("one one one", 0.0), ("two two two", 30.0), ("three three", 60.0), ("four four", 67.0), ("x", 80.0)]);
    let mut settings = Settings::default();
    assert_eq!(why(&packed(&store, &settings)), [(0, "taken"), (1, "taken"), (2, "taken"), (3, "below_score")]);
    settings.max_items = 2;
    let two = packed(&store, &settings);
    assert_eq!(why(&two), [(0, "taken"), (1, "taken"), (2, "too_many"), (3, "below_score")]);
    assert_eq!(two.taken(), [MemoryId(0), MemoryId(1)]);
    settings.min_score = Share(0.9);
    assert_eq!(why(&packed(&store, &settings)), [(0, "taken"), (1, "below_score")]);
}

#[test]
fn texts_with_the_same_start_are_taken_once() {
    let start = "s".repeat(200);
    let (one, other, third) = (format!("{start} one"), format!("{start} two"), format!("{}t", "s".repeat(199)));
    let store = of(&[(&one, 0.0), (&other, 5.0), (&third, 10.0)]);
    let found = packed(&store, &Settings::default());
    assert_eq!(why(&found), [(0, "taken"), (1, "same_start"), (2, "taken")]);
    assert_eq!(found.candidates[1].why, Why::SameStart(MemoryId(0)));
}

#[test]
fn what_stands_in_the_window_is_not_packed() {
    let store = of(&[("here already", 0.0), ("gone since", 10.0)]);
    let (query, owners, settings) = (at(0.0), owners(), Settings::default());
    let present = |id: MemoryId, _: &Memory| id == MemoryId(0);
    let ask = Pack {
        query: &query,
        asked: "",
        owners: &owners,
        settings: &settings,
        window: 1_000,
        count: &|_| 0,
        present: &present,
    };
    assert_eq!(why(&pack(&store, &ask)), [(1, "taken"), (0, "present")]);
}

#[test]
fn a_bridge_leads_to_what_the_query_does_not_name() {
    let mut store = of(&[("near the query", 0.0), ("far from it", 90.0)]);
    assert_eq!(packed(&store, &Settings::default()).taken(), [MemoryId(0)]);
    store.link(Edge { from: MemoryId(1), to: MemoryId(0), kind: EdgeKind::Bridges, score: 0.6 });
    let found = packed(&store, &Settings::default());
    assert_eq!(found.taken(), [MemoryId(0), MemoryId(1)]);
    assert_eq!((found.candidates[1].score, found.candidates[1].through), (0.6, Some(MemoryId(0))));
}

#[test]
fn promotion_comes_with_use_and_ranks_higher() {
    // cos 20° = 0.940, cos 25° = 0.906: 0.1 more comes first. The two are 45° apart.
    let mut store = of(&[("first first", 20.0), ("second one", -25.0)]);
    let settings = Settings { promote_at: 3, ..Settings::default() };
    let embed = |_: &[&str]| Vec::new();
    for step in 1..=3 {
        assert_eq!(packed(&store, &settings).taken(), [MemoryId(0), MemoryId(1)]);
        assert!(reconcile(&mut store, &settings, &embed).changes.is_empty());
        store.packed(vec![MemoryId(1)], step);
    }
    let report = reconcile(&mut store, &settings, &embed);
    assert_eq!(report.changes, [Change::Promoted { id: MemoryId(1), uses: 3 }]);
    assert_eq!(packed(&store, &settings).taken(), [MemoryId(1), MemoryId(0)]);
    let none = Settings { promote_boost: Share(0.0), ..settings };
    assert_eq!(packed(&store, &none).taken(), [MemoryId(0), MemoryId(1)]);
}

#[test]
fn at_most_so_many_are_promoted_at_once_the_most_used_first() {
    let mut store = of(&[("a", 0.0), ("b", 45.0), ("c", 90.0)]);
    for (id, uses) in [(0, 3), (1, 5), (2, 4)] {
        (0..uses).for_each(|step| store.packed(vec![MemoryId(id)], step));
    }
    let settings = Settings { promote_max: 2, ..Settings::default() };
    let report = reconcile(&mut store, &settings, &|_| Vec::new());
    let promoted: Vec<u32> = report
        .changes
        .iter()
        .map(|change| match change {
            Change::Promoted { id, .. } => id.0,
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(promoted, [1, 2]);
}

#[test]
fn near_duplicates_become_one_where_it_says_all() {
    // cos 30° = 0.866, cos 33° = 0.839.
    let embed = |_: &[&str]| vec![at(15.0)];
    let texts = |degrees| of(&[("The port is 8080. It runs. TLS is on.", 0.0), ("It runs; TLS: on.", degrees)]);
    let mut store = texts(30.0);
    store.packed(vec![MemoryId(1)], 1);
    let report = reconcile(&mut store, &Settings::default(), &embed);
    assert!(report.changes.is_empty(), "a clause is no sentence");
    let texts = |degrees| of(&[("The port is 8080. It runs. TLS is on.", 0.0), ("it runs. TLS on.", degrees)]);
    let mut store = texts(30.0);
    store.packed(vec![MemoryId(1)], 1);
    let report = reconcile(&mut store, &Settings::default(), &embed);
    let Change::Merged(found) = &report.changes[0] else { panic!("{report:?}") };
    assert!((found.score - 0.866_025_4).abs() < 1e-5);
    assert_eq!((found.into, &found.of, found.kept), (MemoryId(0), &vec![MemoryId(1)], 0));
    assert_eq!((store.live().count(), store.state(MemoryId(0)).uses, store.heir(MemoryId(1))), (1, 1, MemoryId(0)));
    assert!(reconcile(&mut texts(33.0), &Settings::default(), &embed).changes.is_empty());
    let wide = Settings { merge_at: Share(0.8), ..Settings::default() };
    assert_eq!(reconcile(&mut texts(33.0), &wide, &embed).changes.len(), 1);
}

#[test]
fn what_says_something_else_is_not_merged_and_loses_nothing_where_it_is_made_one() {
    let embed = |_: &[&str]| vec![at(15.0)];
    let pairs = [
        ["The port is 8080. It runs.", "It runs. TLS is on."],
        ["On a:\nThe port is 80.\nOn b:\nThe port is 90.", "On a:\nThe port is 90.\nOn b:\nThe port is 80."],
        ["Stop the server.\nRun users_v2.\nStart it.", "Run users_v2.\nStop the server.\nStart it."],
        ["Room code 1000.", "Room code 1037."],
    ];
    for [one, other] in pairs {
        let texts = || of(&[(one, 0.0), (other, 0.0)]);
        assert!(reconcile(&mut texts(), &Settings::default(), &embed).is_nothing(), "{other}");
        let mut store = texts();
        let settings = Settings { consolidate: true, ..Settings::default() };
        reconcile(&mut store, &settings, &embed);
        let whole: String = store.live().map(|(_, memory, _)| memory.text.to_string()).collect::<Vec<_>>().join("\n");
        assert!(whole.contains(one) && whole.contains(other.trim_start_matches("It runs. ")), "{whole}");
    }
}

#[test]
fn what_contradicts_or_belongs_to_another_is_not_merged() {
    let mut store = of(&[("We use tabs.", 0.0), ("We do not use tabs.", 5.0)]);
    store.push(memory("We use tabs.", Scope::User), &at(0.0));
    assert!(reconcile(&mut store, &Settings::default(), &|_| Vec::new()).changes.is_empty());
}

#[test]
fn clusters_are_consolidated_where_that_is_asked_for() {
    // Steps of 20°: cos 20° = 0.940, cos 40° = 0.766, cos 60° = 0.5. From the first, two are within 0.75.
    let texts = [("One is so.", 0.0), ("Two is so.", 20.0), ("Three is so.", 40.0), ("Four is so.", 60.0)];
    let mut settings = Settings { merge_at: Share(0.99), consolidate: true, ..Settings::default() };
    let embed = |_: &[&str]| vec![at(180.0)];
    let mut store = of(&texts);
    let report = reconcile(&mut store, &settings, &embed);
    let Change::Consolidated(found) = &report.changes[0] else { panic!("{report:?}") };
    assert_eq!((found.of.len(), found.kept), (3, 2));
    assert!((found.score - 0.766).abs() < 1e-3, "{}", found.score);
    settings.consolidate_max = 2;
    let report = reconcile(&mut of(&texts), &settings, &embed);
    assert!(report.changes.iter().all(|change| matches!(change, Change::Consolidated(found) if found.of.len() == 2)));
    settings.consolidate = false;
    assert!(reconcile(&mut of(&texts), &settings, &embed).changes.is_empty());
}

#[test]
fn relations_of_what_is_gone_move_or_go() {
    let mut store =
        of(&[("We use tabs.", 0.0), ("we use  tabs.", 0.0), ("We do not use tabs.", 10.0), ("Other.", 90.0)]);
    let link = |store: &mut Store, from, to| {
        store.link(Edge { from: MemoryId(from), to: MemoryId(to), kind: EdgeKind::Contradicts, score: 0.9 });
    };
    link(&mut store, 2, 0);
    link(&mut store, 2, 1);
    link(&mut store, 3, 0);
    store.set_state(MemoryId(3), State { removed: true, ..State::default() });
    let report = reconcile(&mut store, &Settings::default(), &|_| Vec::new());
    // Two were said of one text, and one was of a memory that is gone; what the merge was made from was added.
    let removed: Vec<_> = report.edges_removed.iter().map(|edge| (edge.from.0, edge.to.0)).collect();
    assert_eq!(removed, [(2, 1), (3, 0)]);
    let contradicting: Vec<_> = store.edges().iter().filter(|edge| edge.kind == EdgeKind::Contradicts).collect();
    assert_eq!(contradicting.len(), 1);
    assert!(store.state(contradicting[0].to).is_live() && store.state(contradicting[0].from).is_live());
}
