//! The settings, section by section. Adding a setting is one line here.

mod agent;
mod cache;
mod chunks;
mod files;
mod history;
mod memory;
mod results;
mod window;

pub use agent::*;
pub use cache::*;
pub use chunks::*;
pub use files::*;
pub use history::*;
pub use memory::*;
pub use results::*;
pub use window::*;

super::declare::policy! {
    window: Window, |_| true;
    reserve: Reserve, |_| true;
    limits: Limits, |_| true;
    instructions: Instructions, |policy| policy.instructions.on;
    skills: Skills, |_| true;
    memory: Memory, |policy| {
        let memory = &policy.memory;
        memory.on || memory.reconcile || memory.preserve != Preserve::None || policy.summarise.remember
    };
    files: Files, |_| true;
    chunks: Chunks, |policy| policy.files.mode == FilesMode::Chunks;
    tool_results: ToolResults, |policy| policy.tool_results.on;
    microcompact: Microcompact, |policy| policy.microcompact.on;
    thinking: Thinking, |policy| policy.thinking.clear;
    collapse: Collapse, |policy| policy.collapse.on;
    // The reactive compaction, and one that is asked for by hand, write a summary with the same settings.
    summarise: Summarise, |policy| policy.summarise.on || policy.reactive.on || policy.replay.manual;
    reactive: Reactive, |policy| policy.reactive.on;
    drop: Drop, |policy| policy.drop.oldest_tool_results || policy.drop.oldest_turns;
    notice: Notice, |policy| policy.notice.on;
    cache: Cache, |policy| policy.cache.mode != CacheMode::Off;
    replay: Replay, |_| true;
}
