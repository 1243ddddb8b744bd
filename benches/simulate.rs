//! A replay of 20,000 blocks and a million tokens under a policy whose threshold has moved, the same as the screen looks
//! it up, and under 1,000 policies on all cores.

#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used)]

use std::hint::black_box;
use std::sync::Arc;

use criterion::{Criterion, criterion_group, criterion_main};
use rayon::prelude::*;
use windowpane::engine::{Given, simulate};
use windowpane::policy::{Policy, Size, preset};
use windowpane::tui::scene::RunIndex;

#[path = "../tests/suite/story.rs"]
mod story;
#[path = "../tests/suite/story_plan.rs"]
mod story_plan;

fn replays(criterion: &mut Criterion) {
    windowpane::io::keep_freed_memory();
    let plan = story::session(7, 20_000, 95).plan(200_000);
    let tokens: u64 = plan.items.iter().map(|item| item.tokens).sum();
    println!("{} blocks, {tokens} tokens, {} steps", plan.items.len(), plan.asks.len());
    let given = Given::default();
    for name in ["none", "internal-agent", "claude-code", "five-layer", "openhands", "drop-oldest"] {
        let (mut policy, _) = preset(name, None).unwrap();
        let mut at = 60;
        criterion.bench_function(&format!("simulate {name}"), |bench| {
            bench.iter(|| {
                at = if at >= 90 { 60 } else { at + 1 };
                policy.summarise.at = Size::Percent(f64::from(at));
                black_box(simulate(&plan, &policy, &given))
            });
        });
    }
    let (policy, _) = preset("claude-code", None).unwrap();
    let with = |at: u32, keep: u32| {
        let mut policy = policy.clone();
        policy.summarise.at = Size::Percent(f64::from(at));
        policy.summarise.target = u64::from(keep) * 1_000;
        policy
    };
    let mut at = 60;
    criterion.bench_function("simulate claude-code, as the screen looks it up", |bench| {
        bench.iter(|| {
            at = if at >= 90 { 60 } else { at + 1 };
            black_box(RunIndex::new(Arc::new(simulate(&plan, &with(at, 40), &given))))
        });
    });
    let policies: Vec<Policy> =
        (0..40).flat_map(|at| (0..25).map(move |keep| (50 + at, 10 + keep))).map(|(at, keep)| with(at, keep)).collect();
    let mut group = criterion.benchmark_group("1,000 policies");
    group.sample_size(10);
    group.bench_function("simulate claude-code", |bench| {
        bench.iter(|| policies.par_iter().map(|policy| simulate(&plan, policy, &given).events.len()).sum::<usize>());
    });
    group.finish();
}

criterion_group! {
    name = simulate_benches;
    config = Criterion::default().sample_size(20);
    targets = replays
}
criterion_main!(simulate_benches);
