//! Exports: valid for the APIs whatever the window holds, with every byte accounted for.

mod anthropic;
mod generate;
pub mod manifest;
mod openai;
mod recorded;
mod windows;

pub use anthropic::check as check_anthropic;
pub use openai::check as check_openai;
