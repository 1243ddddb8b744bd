//! Transcripts: one file (or folder) per format; bytes in, history and located warnings out.

mod format;
mod found;
mod lines;
mod probe;
mod skim;
mod unread;

pub use format::{Detected, FORMATS, Format, Input, OpenError, Place, Probe, Siblings, by_name, detect, read};
pub use lines::{Line, each_line};
