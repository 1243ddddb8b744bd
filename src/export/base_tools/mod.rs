//! The base tools of source 3, run by the user at a step: what the agent would have got, and what it would have cost.

mod call;
mod files;

pub use call::{Answer, Call, CallError, answer};
pub use files::{GivenFile, Kind, ToolContext, ToolFile, extracted, skill_path};
