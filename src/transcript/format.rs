//! The table of formats, and how the right one is found. Adding a format is one file and one row.

use std::sync::Arc;

use thiserror::Error;

use crate::content::{ContentError, ReadAt, Sources, Watch};
use crate::model::{SourceId, Transcript};

/// One format of transcripts.
pub struct Format {
    /// Name in `--format-in` and JSON.
    pub name: &'static str,
    /// Name for people.
    pub title: &'static str,
    /// What the file is recognised by, for the error that says what was looked for.
    pub marks: &'static str,
    /// The preset that replays what this agent does by itself.
    pub preset: &'static str,
    /// How sure it is that the head of a file is of this format: 0 is "no", 100 is "certainly".
    pub detect: fn(&Probe) -> u8,
    /// Reads a session.
    pub read: fn(Input<'_>) -> Result<Transcript, OpenError>,
    /// Where the agent keeps its sessions.
    pub places: &'static [Place],
}

/// A place where an agent keeps sessions.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// Environment variable that names the agent's folder.
    pub variable: &'static str,
    /// That folder under the home folder where the variable is not set.
    pub home: &'static str,
    /// The folder of sessions in it.
    pub folder: &'static str,
    /// How names of session files begin.
    pub prefix: &'static str,
    /// How names of session files end; several with `|`.
    pub suffix: &'static str,
    /// Levels of folders between; 0 for none.
    pub depth: usize,
}

/// Every format, in the order in which equal detections win.
pub static FORMATS: &[Format] = &[];

/// The head of a file, looked at once for all formats.
pub struct Probe<'a> {
    /// The first bytes (up to 256 KiB).
    pub head: &'a [u8],
    /// Complete lines of the head that are JSON objects (up to 64), parsed; damaged ones left out.
    pub objects: Vec<serde_json::Value>,
    /// The whole as one JSON value, where the file is that and small enough, or its beginning is an array or object
    /// of which `first_keys` could be read.
    pub whole: Option<serde_json::Value>,
    /// Whether `head` is the whole file.
    pub complete: bool,
}

/// Files that lie beside a transcript. Implemented where files are read; tests use memory.
pub trait Siblings: Send + Sync {
    /// Names relative to the transcript's folder (with `/`), of files under a relative folder, sorted; at most 10,000.
    fn list(&self, folder: &str) -> Vec<String>;
    /// Opens one of them.
    fn open(&self, name: &str) -> Option<Arc<dyn ReadAt>>;
}

/// What a reader is given.
pub struct Input<'a> {
    /// The open sources; a reader adds the side files that it reads.
    pub sources: &'a mut Sources,
    /// The transcript among them.
    pub main: SourceId,
    /// The files beside it; `None` for standard input.
    pub siblings: Option<&'a dyn Siblings>,
    /// Progress in bytes, and the wish to stop.
    pub watch: &'a Watch,
}

/// The format that was found.
#[derive(Clone, Copy)]
pub struct Detected {
    /// The row.
    pub format: &'static Format,
    /// How sure, from 1 to 100.
    pub sure: u8,
}

/// Why a transcript could not be opened at all.
#[derive(Debug, Error)]
pub enum OpenError {
    /// It is none of the known formats.
    #[error("not a transcript: found {found}; looked for {looked_for}")]
    Unrecognised {
        /// What it looks like.
        found: String,
        /// The formats and their marks.
        looked_for: String,
    },
    /// There is no format of that name.
    #[error("there is no format named {name:?}; known are {known}")]
    NoSuchFormat {
        /// The name as given.
        name: String,
        /// The names there are.
        known: String,
    },
    /// It could not be read.
    #[error(transparent)]
    Content(#[from] ContentError),
    /// The user stopped it.
    #[error("stopped")]
    Cancelled,
}
