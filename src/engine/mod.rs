//! Histories into runs: the recorded track rebuilt from what happened, the simulated one under a policy, sums per
//! step, counts and their calibration.
//!
//! Pure: the same input gives the same run, byte for byte. No clock, no files, no terminal.

mod agent;
mod asked;
mod base_tools;
mod consequences;
mod counted;
mod counting;
mod distance;
mod documents;
mod file_text;
mod known;
pub mod plan;
mod prefix;
mod prepare;
mod recall;
mod recorded;
#[cfg(test)]
mod recorded_tests;
mod recount;
mod replay;
mod said_again;
mod served;
mod shortened;
mod simulate;
mod stages;
mod totals;

pub use agent::{agent_version, own_preset, own_summaries, own_version};
pub use asked::{Answers, AskedPiece, Extracted, Task, Wanted, WrittenSummary};
pub use base_tools::{BASE_TOOLS, BaseTool, Parameter, base_tool};
pub use consequences::Consequences;
pub use counting::Counting;
pub use distance::{Alone, Distance, distances};
pub use documents::LeftOut;
pub use file_text::{FileLines, FileText};
pub use known::{Calibrate, Known, StepFacts};
pub use plan::{Cuts, Plan, set_off_names};
pub use prepare::{
    InstructionFile, Loaded, ProjectText, Scope, Skill, WasLoaded, barred_skills, follows_paths, front_matter,
    is_unclosed, offered, prepare, touched, unknown_skills,
};
pub use recall::{Embedding, Fact, Recall, Remembered, embed_words, preserves, stands_at};
pub use recorded::recorded;
pub use recount::{recount, scale};
pub use replay::{READ_BEFORE, Replay, counts_alike, may_compact, prepares_alike, reads_memories_alike};
pub use served::Served;
pub use simulate::{Given, Prepared, Shift, simulate, simulate_asking, simulate_remembering, simulate_standing};
pub use totals::{fit_to_reports, sum_up};
