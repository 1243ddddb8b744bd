//! Facts planted in small sessions, one for each way to lose one and for keeping one: verdict, step, rule and fate.
//!
//! The sessions are `fixtures/facts/*.jsonl`, written by `build.rs`; with `WINDOWPANE_WRITE_FIXTURES` set they are
//! written anew.

mod build;
mod cut_outputs;
mod files;
mod lint;
mod lint_again;
mod lint_requests;
#[cfg(feature = "bundled-model")]
mod meaning;
mod missed;
mod names;
mod nearest;
mod often;
mod on_disk;
mod paraphrase;
mod prefix;
mod proposed;
mod questions;
mod quoted;
mod real;
mod recorded;
mod refused;
mod restated;
mod runner;
mod simulated;
mod stands;
mod taken;
mod typed;
mod ways_back;
mod whatif;
