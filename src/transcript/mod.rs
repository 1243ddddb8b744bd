//! Transcripts: one file (or folder) per format; bytes in, history and located warnings out.

pub mod build;
mod format;
mod found;
pub mod json;
mod lines;
mod pixels;
mod probe;
mod skim;
pub mod stored;
mod unread;

pub use format::{Detected, FORMATS, Format, Input, OpenError, Place, Probe, Siblings, by_name, detect, read};
pub use lines::{Line, each_line};
