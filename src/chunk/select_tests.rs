//! Choices against values worked out by hand.

use std::sync::Arc;

use super::*;
use crate::content::Watch;
use crate::document::Conversion;

fn document(text: &str) -> Conversion {
    Conversion { format: "markdown".into(), markdown: text.into(), ..Conversion::default() }
}

fn titles(text: &str, settings: &Settings) -> (Vec<String>, Vec<(&'static str, u32)>, u64) {
    let document = document(text);
    let division = Division::of(&document, settings);
    let selection = choose(&document, &division, &Scores::default(), settings, &|_, _| 0.0);
    let title = |at: &usize| Tag::of(&division, selection.piece(&division, *at).unwrap(), "a.md").title;
    (
        selection.chosen.iter().map(title).collect(),
        selection.candidates.iter().map(|one| (one.verdict.name(), one.rank)).collect(),
        selection.used,
    )
}

fn section(title: &str, chars: usize) -> String {
    format!("# {title}\n\n{}\n\n", "x".repeat(chars))
}

#[test]
fn sections_come_by_priority_then_as_they_stand_within_the_budget() {
    let text = [
        section("Preface", 1_000),
        section("1. Introduction", 3_000),
        section("Methods", 4_000),
        section("Results and Discussion", 2_000),
        section("Appendix", 1_500),
        section("Conclusions", 500),
    ]
    .concat();
    // Priority: Conclusions (500), Results and Discussion (2,000), Introduction (3,000): 5,500. Methods do not fit into
    // the 2,500 left. Then Preface (1,000): 6,500; Appendix (1,500): 8,000, which is just the budget.
    let (chosen, verdicts, used) = titles(&text, &Settings::default());
    assert_eq!(chosen, ["Conclusions", "Results and Discussion", "1. Introduction", "Preface", "Appendix"]);
    assert_eq!(used, 8_000);
    assert_eq!(verdicts, [("room", 5), ("priority", 3), ("budget", 4), ("priority", 2), ("room", 6), ("priority", 1)]);
    let (chosen, _, used) = titles(&text, &Settings { budget: 7_999, ..Settings::default() });
    assert_eq!((chosen.len(), used), (4, 6_500));
}

#[test]
fn sections_that_are_named_twice_are_taken_once_and_equal_names_are_all_seen() {
    let text = [section("Summary of Results", 10), section("Other", 10), section("Other", 11)].concat();
    let (chosen, _, used) = titles(&text, &Settings { threshold: 0, ..Settings::default() });
    assert_eq!(chosen, ["Summary of Results", "Other", "Other"]);
    assert_eq!(used, 31);
}

#[test]
fn where_nothing_fits_the_beginning_and_the_end_are_cut_to_the_budget() {
    let text = [section("One", 100), section("Two", 100), section("Three", 100)].concat();
    let settings = Settings { threshold: 0, budget: 50, ..Settings::default() };
    let document = document(&text);
    let division = Division::of(&document, &settings);
    let choice = |settings: &Settings| {
        let selection = choose(&document, &division, &Scores::default(), settings, &|_, _| 0.0);
        let texts: Vec<String> =
            selection.chosen.iter().map(|at| selection.text(&document, &division, *at).to_owned()).collect();
        (texts, selection.used)
    };
    assert_eq!(choice(&settings), (vec![text[..50].to_owned()], 50));
    let (texts, used) = choice(&Settings { fallback_head: 0.6, ..settings });
    assert_eq!((texts, used), (vec![text[..30].to_owned(), text[text.len() - 20..].to_owned()], 50));
}

#[test]
fn without_a_task_windows_are_taken_as_they_stand() {
    let document = std::sync::Arc::new(document(&"word ".repeat(100)));
    let settings = Settings { threshold: 0, window: 50, overlap: 0, top: 3, budget: 110, ..Settings::default() };
    let chooser = Chooser::new(document, &settings, " ", &Watch::default());
    assert!(!chooser.wants_vectors());
    let selection = chooser.selection();
    assert!(!selection.provisional);
    assert_eq!(selection.chosen, [0, 1]);
    let verdicts: Vec<&str> = selection.candidates.iter().take(4).map(|one| one.verdict.name()).collect();
    assert_eq!(verdicts, ["first", "first", "budget", "after"]);
    assert!(selection.candidates.iter().zip(1..).all(|(one, rank)| one.rank == rank && one.score.is_none()));
}

/// Ten windows of 20 characters without overlap, with these cosines.
fn windows(cosines: &[f32], settings: &Settings) -> (Vec<usize>, Vec<&'static str>, u64) {
    let text: String = (0..cosines.len()).map(|at| format!("{at:020}")).collect();
    let document = document(&text);
    let settings = Settings { threshold: 0, window: 20, overlap: 0, ..settings.clone() };
    let division = Division::of(&document, &settings);
    let scores = Scores {
        lexical: (0..cosines.len()).map(|at| at as f64).collect(),
        cosines: cosines.iter().map(|cosine| Some(*cosine).filter(|cosine| !cosine.is_nan())).collect(),
        ..Scores::default()
    };
    let selection = choose(&document, &division, &scores, &settings, &|_, _| 0.0);
    let verdicts = selection.candidates.iter().map(|one| one.verdict.name()).collect();
    (selection.chosen, verdicts, selection.used)
}

const COSINES: [f32; 6] = [0.1, 0.9, 0.3, 0.8, 0.2, 0.7];

#[test]
fn the_nearest_windows_come_back_in_reading_order() {
    let settings = Settings { top: 3, ..Settings::default() };
    let (chosen, verdicts, used) = windows(&COSINES, &settings);
    assert_eq!(chosen, [1, 3, 5]);
    assert_eq!(verdicts, ["rank", "near", "rank", "near", "rank", "near"]);
    // Source 1 puts a blank line after each and counts it.
    assert_eq!(used, 66);
}

#[test]
fn what_stands_behind_the_last_window_counts_where_it_goes_beyond_the_budget() {
    // One of 20 characters fits 21, and source 1 puts a blank line behind it.
    let settings = Settings { top: 1, budget: 21, ..Settings::default() };
    let (chosen, _, used) = windows(&COSINES, &settings);
    assert_eq!((chosen, used), (vec![1], 22));
}

#[test]
fn the_budget_is_filled_in_reading_order_or_by_rank() {
    // Nearest four: 1, 3, 5, 2. Three fit: after 20 + 2 and 40 + 4 characters there are 21 left of 65.
    let reading = Settings { top: 4, budget: 65, ..Settings::default() };
    assert_eq!(windows(&COSINES, &reading).0, [1, 2, 3]);
    assert_eq!(windows(&COSINES, &reading).1[5], "budget");
    let rank = Settings { budget_order: BudgetOrder::Rank, ..reading };
    assert_eq!(windows(&COSINES, &rank).0, [1, 3, 5]);
    assert_eq!(windows(&COSINES, &rank).1[2], "budget");
}

#[test]
fn words_rank_alone_or_with_cosines_by_fused_ranks() {
    let lexical = Settings { top: 2, ranking: Ranking::Lexical, ..Settings::default() };
    assert_eq!(windows(&COSINES, &lexical).0, [4, 5]);
    // By words: 5 4 3 2 1 0; by cosine: 1 3 5 2 4 0. Fused: 5 has 1/61 + 1/63, 3 has 1/63 + 1/62, 1 has 1/65 + 1/61,
    // 4 has 1/62 + 1/65.
    let hybrid = Settings { top: 3, ranking: Ranking::Hybrid, ..Settings::default() };
    assert_eq!(windows(&COSINES, &hybrid).0, [1, 3, 5]);
    assert_eq!(windows(&COSINES, &Settings { top: 1, ..hybrid }).0, [5]);
}

#[test]
fn what_shares_no_word_with_the_task_has_no_rank_by_words() {
    let text: String = ["the sea", "a ship", "garbage day", "the end"].map(|line| format!("{line:<20}")).concat();
    let document = Arc::new(document(&text));
    let lexical =
        Settings { threshold: 0, window: 20, overlap: 0, top: 2, ranking: Ranking::Lexical, ..Settings::default() };
    let verdicts = |task: &str, settings: &Settings| {
        let selection = Chooser::new(document.clone(), settings, task, &Watch::default()).selection();
        selection.candidates.iter().map(|one| one.verdict).collect::<Vec<_>>()
    };
    let (first, after) = (Verdict::Taken(Taken::Wordless), Verdict::Left(LeftOut::Wordless));
    assert_eq!(verdicts("garbage", &lexical), [first, after, Verdict::Taken(Taken::Near), after]);
    assert_eq!(verdicts("whale", &lexical), [first, first, after, after]);
    // By meaning alone, where words find nothing; by words first, where they find one.
    let hybrid = Settings { ranking: Ranking::Hybrid, ..lexical };
    let division = Division::of(&document, &hybrid);
    let chosen = |lexical: [f64; 4]| {
        let cosines = [0.1, 0.2, 0.3, 0.4].map(Some).to_vec();
        let scores = Scores { lexical: lexical.to_vec(), cosines, ..Scores::default() };
        choose(&document, &division, &scores, &hybrid, &|_, _| 0.0).chosen
    };
    assert_eq!(chosen([0.0; 4]), [2, 3]);
    assert_eq!(chosen([2.0, 0.0, 0.0, 0.0]), [0, 3]);
}

#[test]
fn until_vectors_are_there_the_rest_is_ranked_by_words() {
    let none = f32::NAN;
    let settings = Settings { top: 3, ..Settings::default() };
    assert_eq!(windows(&[none, 0.2, none, 0.1, none, none], &settings).0, [1, 3, 5]);
    assert_eq!(windows(&[none; 6], &settings).0, [3, 4, 5]);
}

fn spread_document() -> (Conversion, Division, Scores, Settings) {
    let settings = Settings { threshold: 0, window: 20, overlap: 0, top: 2, ..Settings::default() };
    let document = document(&"x".repeat(80));
    let division = Division::of(&document, &settings);
    let vector = |x: f32, y: f32| Some(Arc::from([x, y, (1.0 - x * x - y * y).max(0.0).sqrt()]));
    let scores = Scores {
        lexical: vec![0.0; 4],
        vectors: vec![vector(0.9, 0.0), vector(0.89, 0.0), vector(0.6, 0.8), vector(0.1, 0.1)],
        cosines: vec![Some(0.9), Some(0.89), Some(0.6), Some(0.1)],
        ..Scores::default()
    };
    (document, division, scores, settings)
}

#[test]
fn diversity_passes_over_what_is_like_what_is_taken() {
    let (document, division, scores, settings) = spread_document();
    let choice = |diversity: f64| {
        let settings = Settings { diversity, ..settings.clone() };
        choose(&document, &division, &scores, &settings, &|_, _| 0.0)
    };
    assert_eq!(choice(0.0).chosen, [0, 1]);
    // 1 is like 0 (.9995): .5 · .89 − .5 · .9995 < 0. 2 is less so (.54): .5 · .6 − .5 · .54 > 0.
    let spread = choice(0.5);
    assert_eq!(spread.chosen, [0, 2]);
    assert_eq!(spread.candidates[1].verdict, Verdict::Left(LeftOut::Overlap(0)));
    assert_eq!(spread.candidates[3].verdict, Verdict::Left(LeftOut::Rank));
    // 2 is not among the two nearest, and not said to be.
    let taken = [spread.candidates[0].verdict, spread.candidates[2].verdict];
    assert_eq!(taken, [Verdict::Taken(Taken::Near), Verdict::Taken(Taken::Unlike)]);
}

#[test]
fn what_an_approximate_index_missed_is_said() {
    let (document, division, mut scores, settings) = spread_document();
    scores.found = Some(vec![0, 2]);
    let settings = Settings { index: Index::Hnsw, ..settings };
    let selection = choose(&document, &division, &scores, &settings, &|_, _| 0.0);
    assert_eq!((selection.chosen.clone(), selection.missed.clone()), (vec![0, 2], vec![1]));
    assert_eq!(selection.candidates[1].verdict, Verdict::Left(LeftOut::Missed));
    let taken = [selection.candidates[0].verdict, selection.candidates[2].verdict];
    assert_eq!(taken, [Verdict::Taken(Taken::Near), Verdict::Taken(Taken::Found)]);
    let exact = choose(&document, &division, &scores, &Settings { index: Index::Exact, ..settings }, &|_, _| 0.0);
    assert_eq!(exact.chosen, [0, 1]);
}

/// Embeds by counting letters: enough to see what comes when.
struct Letters(ModelId);

impl Embedder for Letters {
    fn model(&self) -> &ModelId {
        &self.0
    }

    fn embed(&self, texts: &[&str], watch: &Watch, give: &mut dyn FnMut(usize, Arc<[f32]>)) -> Result<(), EmbedError> {
        for (at, text) in texts.iter().enumerate().filter(|_| !watch.is_cancelled()) {
            let count = |letter| text.matches(letter).count() as f32 + 0.01;
            give(at, super::vector::normalised(vec![count('a'), count('b'), count('c')]));
        }
        Ok(())
    }
}

fn letters() -> Letters {
    Letters(ModelId { name: "letters".into(), hash: [7; 32], dimensions: 3 })
}

/// Words of three letters, in an order that repeats nothing.
fn prose() -> Arc<Conversion> {
    let mut state = 1u32;
    let text: String = (0..4_000)
        .map(|_| {
            state = state.wrapping_mul(1_103_515_245).wrapping_add(12_345);
            if state >> 16 & 3 == 0 { ' ' } else { char::from(b'a' + (state >> 20 & 3) as u8 % 3) }
        })
        .collect();
    Arc::new(document(&text))
}

#[test]
fn a_refined_choice_ends_as_the_exact_one_whatever_was_told_meanwhile() {
    let settings = Settings { threshold: 0, top: 4, ..Settings::default() };
    let watch = Watch::default();
    let mut chooser = Chooser::new(prose(), &settings, "aab ca", &watch);
    assert!(chooser.wants_vectors() && chooser.selection().provisional);
    let mut told = 0;
    chooser.refine(&letters(), None, &watch, &mut |_| told += 1).unwrap();
    let refined = chooser.selection();
    assert!(told >= 1 && !refined.provisional && !chooser.wants_vectors());
    let scores = chooser.scores().clone();
    let exact = choose(chooser.document(), chooser.division(), &scores, &settings, &|_, _| 0.0);
    assert_eq!(refined.chosen, exact.chosen);
    let mut again = Chooser::new(prose(), &settings, "aab ca", &watch);
    again.refine(&letters(), None, &watch, &mut |_| {}).unwrap();
    assert_eq!(again.selection().candidates, refined.candidates);
}

#[test]
fn another_task_keeps_the_vectors_and_another_budget_keeps_everything() {
    let settings = Settings { threshold: 0, top: 4, ..Settings::default() };
    let watch = Watch::default();
    let mut chooser = Chooser::new(prose(), &settings, "aaa", &watch);
    chooser.refine(&letters(), None, &watch, &mut |_| {}).unwrap();
    let before = chooser.selection().chosen;
    chooser.change(&Settings { budget: 600, ..settings.clone() }, &watch);
    assert!(!chooser.wants_vectors());
    assert_eq!(chooser.selection().chosen, before[..1]);
    chooser.ask("ccc");
    assert!(chooser.wants_vectors());
    let mut embedded = 0;
    chooser.refine(&letters(), None, &watch, &mut |_| embedded += 1).unwrap();
    assert_eq!((embedded, chooser.wants_vectors()), (0, false));
    chooser.change(&Settings { window: 300, ..settings }, &watch);
    assert!(chooser.wants_vectors());
}

#[test]
fn a_graph_over_few_vectors_finds_what_comparing_all_finds() {
    let settings = Settings { threshold: 0, index: Index::Hnsw, ..Settings::default() };
    let watch = Watch::default();
    let mut chooser = Chooser::new(prose(), &settings, "abc", &watch);
    chooser.refine(&letters(), None, &watch, &mut |_| {}).unwrap();
    let graph = chooser.selection();
    chooser.change(&Settings { index: Index::Exact, ..settings }, &watch);
    assert_eq!((graph.chosen, graph.missed), (chooser.selection().chosen, vec![]));
}

/// Keeps what it is given.
#[derive(Default)]
struct Shelf(std::sync::Mutex<std::collections::HashMap<[u8; 32], Arc<[f32]>>>);

impl Store for Shelf {
    fn get(&self, keys: &[[u8; 32]], _: usize) -> Vec<Option<Arc<[f32]>>> {
        let kept = self.0.lock().unwrap();
        keys.iter().map(|key| kept.get(key).cloned()).collect()
    }

    fn put(&self, vectors: &[([u8; 32], Arc<[f32]>)]) {
        self.0.lock().unwrap().extend(vectors.iter().cloned());
    }
}

#[test]
fn for_one_task_the_choice_is_the_same_and_no_vector_is_kept() {
    let settings = Settings { threshold: 0, top: 4, ..Settings::default() };
    let (watch, shelf) = (Watch::default(), Shelf::default());
    for ranking in [Ranking::Lexical, Ranking::Embed, Ranking::Hybrid] {
        let settings = Settings { ranking, ..settings.clone() };
        let chosen = |mut chooser: Chooser| {
            chooser.refine(&letters(), Some(&shelf), &watch, &mut |_| {}).unwrap();
            (chooser.selection().candidates, chooser)
        };
        let (many, _) = chosen(Chooser::new(prose(), &settings, "aab ca", &watch));
        // Embedded anew, out of the store, and asked for another task before.
        shelf.0.lock().unwrap().clear();
        let (fresh, _) = chosen(Chooser::for_task(prose(), &settings, "aab ca", &watch));
        let (kept, _) = chosen(Chooser::for_task(prose(), &settings, "aab ca", &watch));
        let (_, mut other) = chosen(Chooser::for_task(prose(), &settings, "bb", &watch));
        other.ask("aab ca");
        let (asked, one) = chosen(other);
        assert!(fresh == many && kept == many && asked == many, "{ranking:?}");
        assert!(one.scores().vectors.is_empty() && !one.wants_vectors());
    }
    // What compares passages with each other has to hold their vectors.
    let mut one = Chooser::for_task(prose(), &settings, "aab ca", &watch);
    one.refine(&letters(), None, &watch, &mut |_| {}).unwrap();
    let spread = Settings { diversity: 0.5, ..settings };
    one.change(&spread, &watch);
    one.refine(&letters(), None, &watch, &mut |_| {}).unwrap();
    let mut many = Chooser::new(prose(), &spread, "aab ca", &watch);
    many.refine(&letters(), None, &watch, &mut |_| {}).unwrap();
    assert_eq!(one.selection().candidates, many.selection().candidates);
    assert!(one.scores().vectors.iter().all(Option::is_some));
}
