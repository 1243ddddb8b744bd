//! Choosing from a document of 200 pages: dividing, ranking by words, a new task, another budget, number of passages or
//! threshold, and embedding.

#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used)]

use std::hint::black_box;
use std::sync::Arc;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use windowpane::chunk::{Chooser, Division, EmbedError, Embedder, ModelId, Ranking, Settings, dot};
use windowpane::content::Watch;
use windowpane::document::Conversion;

/// 200 pages of 2,500 characters, of words that repeat as words do.
fn document() -> Arc<Conversion> {
    let mut state = 42u32;
    let mut random = |most: u32| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) % most
    };
    let mut text = String::new();
    while text.len() < 500_000 {
        let rank = random(3_000) * random(3_000) / 3_000;
        for _ in 0..2 + rank % 4 {
            text.push(char::from(b'a' + u8::try_from((rank + random(2)) % 26).unwrap_or(0)));
        }
        text.push_str(if random(12) == 0 { ". " } else { " " });
    }
    Arc::new(Conversion { format: "text".into(), markdown: text, ..Conversion::default() })
}

fn choosing(criterion: &mut Criterion) {
    let (document, watch) = (document(), Watch::default());
    let lexical = Settings { ranking: Ranking::Lexical, ..Settings::default() };
    criterion.bench_function("divide 200 pages", |bench| bench.iter(|| black_box(Division::of(&document, &lexical))));
    criterion.bench_function("open 200 pages, ranked by words", |bench| {
        bench.iter(|| black_box(Chooser::new(document.clone(), &lexical, "abc bcd", &watch).selection()));
    });
    let mut chooser = Chooser::new(document.clone(), &lexical, "abc bcd", &watch);
    criterion.bench_function("another task, by words", |bench| {
        let mut turn = 0;
        bench.iter(|| {
            turn += 1;
            chooser.ask(if turn % 2 == 0 { "abc bcd" } else { "cde def" });
            black_box(chooser.selection())
        });
    });
    criterion.bench_function("another budget", |bench| {
        let mut budget = 4_000;
        bench.iter(|| {
            budget = if budget > 9_000 { 4_000 } else { budget + 10 };
            chooser.change(&Settings { budget, ..lexical.clone() }, &watch);
            black_box(chooser.selection())
        });
    });
    let mut diverse = Chooser::new(document, &Settings { diversity: 0.5, ..lexical }, "abc bcd", &watch);
    diverse.ask("cde def");
    criterion.bench_function("another choice with diversity", |bench| bench.iter(|| black_box(diverse.selection())));
}

#[cfg(feature = "bundled-model")]
fn embedding(criterion: &mut Criterion) {
    let text = "The quick brown fox jumps over the lazy dog while the rain falls softly. ".repeat(7);
    let texts = vec![&text[..500]; 64];
    let model = windowpane::chunk::bundled();
    let mut group = criterion.benchmark_group("embed");
    group.sample_size(10).throughput(Throughput::Elements(texts.len() as u64));
    group.bench_function("64 passages of 500 characters", |bench| {
        bench.iter(|| model.embed(&texts, &Watch::default(), &mut |_, vector| _ = black_box(vector)).unwrap());
    });
    group.bench_function("one task", |bench| {
        bench.iter(|| model.embed(&texts[..1], &Watch::default(), &mut |_, vector| _ = black_box(vector)).unwrap());
    });
    group.finish();
    let one: Vec<f32> = (0..384).map(|at| (at as f32).sin()).collect();
    let many: Vec<Vec<f32>> = (0..1_250).map(|by| one.iter().map(|part| part + by as f32 / 1e4).collect()).collect();
    criterion.bench_function("compare 1,250 vectors", |bench| {
        bench.iter(|| many.iter().map(|other| dot(&one, other)).sum::<f32>());
    });
}

/// Made-up vectors for passages, of which there are many; those of the bundled model for a text alone, as a task is.
#[cfg(feature = "bundled-model")]
struct Passages;

#[cfg(feature = "bundled-model")]
impl Embedder for Passages {
    fn model(&self) -> &ModelId {
        windowpane::chunk::bundled().model()
    }

    fn embed(&self, texts: &[&str], watch: &Watch, give: &mut dyn FnMut(usize, Arc<[f32]>)) -> Result<(), EmbedError> {
        if texts.len() == 1 {
            return windowpane::chunk::bundled().embed(texts, watch, give);
        }
        for number in 0..texts.len() {
            let vector: Vec<f32> = (0..384).map(|at| ((at * 7 + number * 13) as f32).sin()).collect();
            give(number, windowpane::chunk::normalised(vector));
        }
        Ok(())
    }
}

/// What the view of documents does when one of its settings moves, or its task: everything but to draw it.
#[cfg(feature = "bundled-model")]
fn again(criterion: &mut Criterion) {
    let watch = Watch::default();
    let settings = Settings { ranking: Ranking::Hybrid, ..Settings::default() };
    let mut chooser = Chooser::new(document(), &settings, "abc bcd", &watch);
    let refine = |chooser: &mut Chooser| chooser.refine(&Passages, None, &watch, &mut |_| {}).unwrap();
    refine(&mut chooser);
    for (name, least, step) in [("budget", 4_000, 10), ("number of passages", 5, 1), ("threshold", 12_000, 100)] {
        criterion.bench_function(&format!("another {name}, by meaning and words"), |bench| {
            let mut turn = 0;
            bench.iter(|| {
                turn = (turn + 1) % 50;
                let (value, mut other) = (least + turn * step, settings.clone());
                match name {
                    "budget" => other.budget = value,
                    "threshold" => other.threshold = value,
                    _ => other.top = value,
                }
                chooser.change(&other, &watch);
                assert!(!chooser.wants_vectors());
                black_box(chooser.selection())
            });
        });
    }
    criterion.bench_function("another task, by meaning and words", |bench| {
        let mut turn = 0;
        bench.iter(|| {
            turn += 1;
            chooser.ask(&format!("which of these says most of abc {turn}"));
            refine(&mut chooser);
            black_box(chooser.selection())
        });
    });
}

#[cfg(not(feature = "bundled-model"))]
fn again(_: &mut Criterion) {}

#[cfg(not(feature = "bundled-model"))]
fn embedding(_: &mut Criterion) {}

criterion_group! {
    name = chunk_benches;
    config = Criterion::default().sample_size(20);
    targets = choosing, again, embedding
}
criterion_main!(chunk_benches);
