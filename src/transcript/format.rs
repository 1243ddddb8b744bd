//! The table of formats, and how the right one is found. Adding a format is one file and one row.

use std::cmp::Ordering;
use std::sync::Arc;

use thiserror::Error;

use crate::content::{ContentError, ReadAt, Sources, Watch};
use crate::model::{SourceId, Transcript};

use super::found::{describe, shorten};
use super::habits::Habits;
use super::probe::{further, probe};
use super::unread::looks_like;

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
    /// What the agent does by itself without recording it.
    pub habits: Habits,
    /// Whether its records are requests as they were sent, which hold every tool that there was.
    pub requests: bool,
    /// How sure it is that the head of a file is of this format: 0 is "no", 100 is "certainly".
    pub detect: fn(&Probe) -> u8,
    /// Reads a session.
    pub read: fn(Input<'_>) -> Result<Transcript, OpenError>,
    /// Whether its records stand on lines of their own, and are read from nowhere else: a file that is one list of them is
    /// then opened as its lines.
    pub lines: bool,
    /// Where the agent keeps its sessions; nowhere for requests, which are dumped wherever their program likes.
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
    /// How names of session files may end.
    pub suffixes: &'static [&'static str],
    /// Levels of folders between; 0 for none.
    pub depth: usize,
}

/// Every format, in the order in which equal detections win.
pub static FORMATS: &[Format] = &[
    super::claude_code::FORMAT,
    super::claude_stream_json::FORMAT,
    super::codex::FORMAT,
    super::openai_responses::FORMAT,
    super::anthropic_messages::FORMAT,
    super::openai_chat::FORMAT,
    super::har::FORMAT,
];

/// The head of a file, looked at once for all formats.
pub struct Probe<'a> {
    /// The first bytes (up to 256 KiB).
    pub head: &'a [u8],
    /// Lines of the head that are JSON objects (up to 64), damaged ones left out: likenesses, in which long strings
    /// are shortened, long arrays and what lies deep left out. Empty where the file is one value over several lines.
    pub objects: Vec<serde_json::Value>,
    /// The likeness of the whole, where the file is one JSON value; of what could be read of it, where it is cut or
    /// damaged. A file of one line that is an object is in `objects` too.
    pub whole: Option<serde_json::Value>,
    /// Likenesses of the bodies of requests and responses that stand in these as texts.
    pub opened: Vec<serde_json::Value>,
    /// Whether `head` is the whole file.
    pub complete: bool,
}

/// Files that lie beside a transcript. Implemented where files are read; tests use memory.
pub trait Siblings: Send + Sync {
    /// Names relative to the transcript's folder (with `/`), of files under a relative folder, sorted; at most 10,000.
    fn list(&self, folder: &str) -> Vec<String>;
    /// Where the folder is a day's, in a month's and a year's (`2026/02/23`): the names, relative to it, of the files
    /// in the folders of later days (`Greater`) or earlier ones (`Less`), sorted; at most 10,000.
    fn other_days(&self, _when: Ordering) -> Vec<String> {
        Vec::new()
    }
    /// Opens one of them, unpacked.
    fn open(&self, name: &str) -> Option<Arc<dyn ReadAt>>;
    /// So many bytes of the beginning of one of them, unpacked; all where it is no longer.
    fn head(&self, name: &str, bytes: usize) -> Option<Vec<u8>> {
        let found = self.open(name)?;
        let mut head = vec![0; bytes.min(usize::try_from(found.len()).unwrap_or(bytes))];
        let size = found.read_at(0, &mut head).ok()?;
        head.truncate(size);
        Some(head)
    }
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

/// Finds the format of a source by its content: the surest row wins, the first among equals.
///
/// # Errors
/// [`OpenError::Unrecognised`] where no row knows it; [`OpenError::Content`] where it cannot be read.
pub fn detect(sources: &Sources, id: SourceId) -> Result<Detected, OpenError> {
    let (head, look) = probe(sources, id)?;
    let probe = look.with(&head);
    let (mut best, mut other) = (surest(&probe), looks_like(&probe));
    if best.is_none() && other.is_none() {
        // Records of types that nobody knows may stand before those that tell.
        further(sources, id, |probe| {
            (best, other) = (surest(probe), looks_like(probe));
            best.is_some() || other.is_some()
        })?;
    }
    // What another format is known by outweighs whatever could be made of it.
    let other = other.filter(|_| best.is_none_or(|best| best.sure < CERTAIN));
    match (best, other) {
        (Some(best), None) => Ok(best),
        (_, Some(other)) => {
            let article =
                if other.title.starts_with(['A', 'E', 'I', 'O', 'U', 'a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
            Err(unrecognised(format!("what looks like {article} {}, which is not read yet", other.title)))
        }
        (None, None) => Err(unrecognised(describe(&probe))),
    }
}

/// The row that is surest of what it sees, the first among equals.
pub(super) fn surest(probe: &Probe<'_>) -> Option<Detected> {
    let asked = FORMATS.iter().map(|format| Detected { format, sure: (format.detect)(probe).min(100) });
    asked.filter(|found| found.sure > 0).rev().max_by_key(|found| found.sure)
}

/// How sure a row is that has seen what no other format has.
pub(super) const CERTAIN: u8 = 95;

fn unrecognised(found: String) -> OpenError {
    let rows: Vec<String> = FORMATS.iter().map(|format| format!("\n  {}: {}", format.title, format.marks)).collect();
    OpenError::Unrecognised { found, looked_for: rows.concat() }
}

/// The row of that name.
pub(super) fn row(name: &str) -> Option<&'static Format> {
    FORMATS.iter().find(|format| format.name == name)
}

/// The format of that name (`--format-in`).
///
/// # Errors
/// [`OpenError::NoSuchFormat`].
pub fn by_name(name: &str) -> Result<&'static Format, OpenError> {
    row(name).ok_or_else(|| {
        let known: Vec<&str> = FORMATS.iter().map(|format| format.name).collect();
        OpenError::NoSuchFormat { name: shorten(name, 60), known: known.join(", ") }
    })
}

/// Reads a transcript: as the format of that name, or else as the one that is found.
///
/// # Errors
/// Where the format is unknown, nothing can be read, or the watch is cancelled. Damage is not an error.
pub fn read(input: Input<'_>, name: Option<&str>) -> Result<Transcript, OpenError> {
    let format = match name {
        Some(name) => by_name(name)?,
        None => detect(input.sources, input.main)?.format,
    };
    (format.read)(input)
}

/// Why a transcript could not be opened at all.
#[derive(Debug, Error)]
pub enum OpenError {
    /// It is none of the known formats.
    #[error("not a transcript: found {found}; looked for{looked_for}")]
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
