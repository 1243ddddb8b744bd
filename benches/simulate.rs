//! A replay of 20,000 blocks and a million tokens under a policy whose threshold has moved.

#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used)]

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use windowpane::engine::{Given, simulate};
use windowpane::policy::{Size, preset};

#[path = "../tests/suite/story.rs"]
mod story;
#[path = "../tests/suite/story_plan.rs"]
mod story_plan;

fn replays(criterion: &mut Criterion) {
    windowpane::io::keep_freed_memory();
    let plan = story::session(7, 20_000, 95).plan(200_000);
    let tokens: u64 = plan.items.iter().map(|item| item.tokens).sum();
    println!("{} blocks, {tokens} tokens, {} steps", plan.items.len(), plan.asks.len());
    for name in ["none", "internal-agent", "claude-code", "five-layer", "openhands", "drop-oldest"] {
        let (mut policy, _) = preset(name, None).unwrap();
        let mut at = 60;
        criterion.bench_function(&format!("simulate {name}"), |bench| {
            bench.iter(|| {
                at = if at >= 90 { 60 } else { at + 1 };
                policy.summarise.at = Size::Percent(f64::from(at));
                black_box(simulate(&plan, &policy, &Given::default()))
            });
        });
    }
}

criterion_group! {
    name = simulate_benches;
    config = Criterion::default().sample_size(20);
    targets = replays
}
criterion_main!(simulate_benches);
