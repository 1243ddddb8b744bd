//! Histories into runs: the recorded track rebuilt from what happened, the simulated one under a policy, sums per
//! step, counts and their calibration.
//!
//! Pure: the same input gives the same run, byte for byte. No clock, no files, no terminal.

mod consequences;
mod counting;
mod distance;
mod known;
pub mod plan;
mod prefix;
mod recall;
mod recorded;
#[cfg(test)]
mod recorded_tests;
mod recount;
mod replay;
mod simulate;
mod stages;
mod totals;

pub use consequences::Consequences;
pub use counting::Counting;
pub use distance::{Distance, distances};
pub use known::{Calibrate, Known};
pub use plan::Plan;
pub use recall::{Embedding, Fact, Recall, Remembered, embed_words, preserves};
pub use recorded::{StepFacts, recorded};
pub use recount::{recount, scale};
pub use replay::{Replay, counts_alike, prepares_alike};
pub use simulate::{Given, Prepared, simulate, simulate_remembering};
pub use totals::sum_up;
