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
    window: Window,
    reserve: Reserve,
    limits: Limits,
    instructions: Instructions,
    skills: Skills,
    memory: Memory,
    files: Files,
    chunks: Chunks,
    tool_results: ToolResults,
    microcompact: Microcompact,
    thinking: Thinking,
    collapse: Collapse,
    summarise: Summarise,
    reactive: Reactive,
    drop: Drop,
    notice: Notice,
    cache: Cache,
    replay: Replay,
}
