//! A frame of a session of 100,000 entries, and one step further in it with the frame that shows it.

#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used)]

use std::hint::black_box;
use std::sync::Arc;

use criterion::{Criterion, criterion_group, criterion_main};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use windowpane::config::{Keymap, Theme};
use windowpane::engine::{Counting, Known, recorded};
use windowpane::model::{EntryId, ThreadId};
use windowpane::policy::preset;
use windowpane::tokens::Counts;
use windowpane::tui::scene::RunIndex;
use windowpane::tui::{Begin, Effect, Message, State, draw, update};

#[path = "../tests/suite/story.rs"]
mod story;

/// Blocks of the session: one entry each.
const BLOCKS: usize = 100_000;

/// The screen with the session open, nothing compacted: every window holds all before it.
fn opened(width: u16, height: u16) -> State {
    let story = story::session(7, BLOCKS, 60);
    let (sources, transcript) = (story.sources(), story.transcript);
    let (known, counts, thread) = (Known::nothing(), Counts::default(), ThreadId(0));
    let mut run = recorded(&transcript, thread, known.facts(&transcript, &transcript.threads[0]));
    let counter = known.counter(&transcript.threads[0]);
    Counting { transcript: &transcript, sources: &sources, counts: &counts, counter, calibrates: false }
        .apply(&mut run);
    println!("{} entries, {} steps", run.entries.len(), run.steps.len());
    let mut state = State::new(Theme::default(), Keymap::default());
    state.size = (width, height);
    let effect = state.open("story");
    assert!(matches!(effect, Effect::Open(_)));
    let (policy, _) = preset("internal-agent", None).unwrap();
    let begin =
        Begin { name: "internal-agent".to_owned(), policy, simulated: false, documents: Vec::new(), file: None };
    tell(&mut state, Message::Opened("story".to_owned(), Arc::new(transcript), sources, Box::new(begin)));
    tell(&mut state, Message::Windows(thread, Arc::new(RunIndex::new(Arc::new(run)))));
    state
}

/// Tells the screen something; first words are made up, as a thread beside the screen reads them.
fn tell(state: &mut State, message: Message) {
    for effect in update(state, message) {
        if let Effect::Words(from, wanted) = effect {
            let words = |id: EntryId| (id, Arc::from("the first words of an entry, as long as a row"));
            update(state, Message::Words(from.of, wanted.into_iter().map(words).collect()));
        }
    }
}

fn frames(criterion: &mut Criterion) {
    for (width, height) in [(120, 36), (200, 60)] {
        let mut state = opened(width, height);
        let mut buffer = Buffer::empty(Rect::new(0, 0, width, height));
        criterion.bench_function(&format!("frame {width}×{height}"), |bench| {
            bench.iter(|| {
                buffer.reset();
                black_box(draw(&state, &mut buffer));
            });
        });
        let keys = ["left", "right"].map(|key| windowpane::config::parse_sequence(key).unwrap()[0]);
        let mut at = 0;
        criterion.bench_function(&format!("one step and its frame {width}×{height}"), |bench| {
            bench.iter(|| {
                at += 1;
                tell(&mut state, Message::Key(keys[at % 2]));
                buffer.reset();
                black_box(draw(&state, &mut buffer));
            });
        });
    }
}

criterion_group! {
    name = frame_benches;
    config = Criterion::default().sample_size(20);
    targets = frames
}
criterion_main!(frame_benches);
