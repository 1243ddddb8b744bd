//! A hundred thousand memories: packed for a query, and reconciled after a hundred new ones.

#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used)]

use std::hint::black_box;
use std::sync::Arc;

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use windowpane::memory::{How, Memory, Owners, Pack, Space, Store, Vector, by_words, pack, reconcile};
use windowpane::policy::{Memory as Settings, Scope};

const MEMORIES: u32 = 100_000;

fn text(number: u32) -> String {
    let words = ["port", "server", "login", "token", "parser", "window", "cache", "branch", "schema", "deploy"];
    let word = |shift: u32| words[(number.wrapping_mul(2_654_435_761) >> shift) as usize % words.len()];
    format!("The {} of the {} is {number} since {} and {} moved.", word(3), word(9), word(15), word(21))
}

fn add(store: &mut Store, number: u32) {
    let text = text(number);
    let memory = Memory {
        scope: Scope::User,
        owner: Arc::from("me"),
        source_type: Arc::from("document"),
        text: Arc::from(text.as_str()),
        around: None,
        rewritten: false,
        origins: Vec::new(),
        earlier: Vec::new(),
        born: 1,
        how: How::Ingested,
    };
    store.push(memory, &by_words(&text));
}

fn memories(criterion: &mut Criterion) {
    let settings = Settings::default();
    let owners = Owners { user: Arc::from("me"), ..Owners::default() };
    let embed = |texts: &[&str]| -> Vec<Vector> { texts.iter().map(|text| by_words(text)).collect() };
    let mut store = Store::new(Space::words());
    (0..MEMORIES).for_each(|number| add(&mut store, number));
    store.settle();
    let query = by_words("which port does the login server use since the deploy");
    criterion.bench_function("pack from 100,000 memories", |bench| {
        bench.iter(|| {
            let (query, owners, settings) = (&*query, &owners, &settings);
            black_box(pack(
                &store,
                &Pack { query, asked: "", owners, settings, window: 200_000, count: &|_| 0, present: &|_, _| false },
            ))
        });
    });
    (MEMORIES..MEMORIES + 100).for_each(|number| add(&mut store, number));
    criterion.bench_function("reconcile 100 new of 100,000 memories", |bench| {
        bench.iter_batched(
            || store.clone(),
            |mut store| black_box(reconcile(&mut store, &settings, &embed)),
            BatchSize::PerIteration,
        );
    });
}

criterion_group! {
    name = memory_benches;
    config = Criterion::default().sample_size(10);
    targets = memories
}
criterion_main!(memory_benches);
