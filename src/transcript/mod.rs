//! Transcripts: one file (or folder) per format; bytes in, history and located warnings out.

mod anthropic_messages;
pub mod build;
mod calls;
mod claude_code;
mod claude_stream_json;
mod codex;
mod definitions;
mod document;
mod exchange;
mod figure;
mod format;
mod found;
mod gist;
mod given;
mod habits;
mod har;
mod harness;
mod history;
pub mod json;
mod lines;
mod listed;
mod openai_chat;
mod openai_content;
mod openai_responses;
mod parts;
mod probe;
mod scan;
mod skim;
pub mod stored;
mod thinking;
mod time;
mod unread;

pub use anthropic_messages::{FORMAT as ANTHROPIC_MESSAGES, blocks_of};
pub use claude_code::is_side_log;
pub use codex::codex_raw;
pub use codex::{HEAD as ROLLOUT_HEAD, is_subagents as is_side_rollout, started_by};
pub use definitions::RESPONSE_FORMAT;
pub use format::{Detected, FORMATS, Format, Input, OpenError, Place, Probe, Siblings, by_name, detect, read};
pub use gist::{Gist, gist};
pub use given::{
    DYNAMIC_BOUNDARY, DYNAMIC_PROMPT, GiveError, STATIC_PROMPT, give_document, give_picture, give_project_files,
    give_system, give_tools, holds_system, holds_tools,
};
pub use habits::{Habits, habits, is_named};
pub use harness::{is_around_result, is_around_summary, typed};
pub use lines::{Line, each_line};
pub use listed::{Unlist, listed};
pub use openai_chat::FORMAT as OPENAI_CHAT;
