//! Transcripts: one file (or folder) per format; bytes in, history and located warnings out.

mod format;
mod lines;

pub use format::{Detected, FORMATS, Format, Input, OpenError, Place, Probe, Siblings};
pub use lines::{Line, each_line};
