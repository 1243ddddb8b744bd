//! Text that a harness writes into a window, kept as figures: the words are made when somebody looks.

use std::fmt::Write as _;
use std::sync::Arc;

use serde::Serialize;

use super::{EntryId, EventId, Run, WORKSPACE};

/// Index into [`Run::files`]; shown as `vf_1` for index 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct FileId(pub u32);

impl std::fmt::Display for FileId {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "vf_{}", u64::from(self.0) + 1)
    }
}

impl FileId {
    /// Its path in the workspace, as the model sees it (source 4).
    #[must_use]
    pub fn path(self) -> String {
        format!("{WORKSPACE}/{self}.txt")
    }
}

/// A file that exists only in a run: what the model can read back with the base tools (source 3: virtual files).
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct VirtualFile {
    /// The first step at which it can be read.
    pub born: u32,
    /// What it holds.
    pub holds: Holds,
    /// Tokens of all that it holds.
    pub tokens: u64,
    /// Tokens of its beginning and of its end that stayed in the window when it was made.
    pub shown: (u64, u64),
}

impl VirtualFile {
    /// Tokens of it that stayed in the window when it was made.
    #[must_use]
    pub fn tokens_shown(&self) -> u64 {
        self.shown.0 + self.shown.1
    }

    /// The same as ranges of its tokens, from the first to one past the last.
    pub fn ranges(&self) -> impl Iterator<Item = (u64, u64)> {
        let (head, tail) = self.shown;
        let ranges = [(0, head), (self.tokens.saturating_sub(tail), self.tokens)];
        ranges.into_iter().zip([head, tail]).filter(|(_, tokens)| *tokens > 0).map(|(range, _)| range)
    }
}

/// What a virtual file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Holds {
    /// The whole text of the block that this entry shows a part of.
    Whole(EntryId),
    /// The window as it was before this compaction: the entries that it took. A step can have two.
    Before(EventId),
}

/// A file that is attached, as the model is told of it (source 3).
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Listed {
    /// What tools name it by.
    pub id: Arc<str>,
    /// Its name. Untrusted.
    pub name: Arc<str>,
    /// How large it is.
    pub size: u64,
    /// What `size` counts: bytes or tokens.
    pub unit: &'static str,
    /// The step at which it came in.
    pub born: u32,
    /// What of it was read into the window, in order; nothing where only the listing names it.
    pub uses: Vec<Use>,
}

/// One reading of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Use {
    /// All of it.
    Whole,
    /// From a byte to one past the last, of its text.
    Bytes(u64, u64),
}

/// Text that a harness writes, as figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Written {
    /// Stands where a text was cut, and names the file that holds the whole.
    Pointer {
        /// The file.
        file: FileId,
        /// Tokens that stayed.
        shown: u64,
        /// Tokens of the whole.
        total: u64,
    },
    /// The same, where the whole is a file of the workspace.
    Saved {
        /// The file.
        file: FileId,
        /// Tokens that stayed.
        shown: u64,
        /// Tokens of the whole.
        total: u64,
    },
    /// Stands where a part of a text was taken out, with nothing to read it back from.
    Gap {
        /// Tokens that were taken out.
        tokens: u64,
    },
    /// Names the file that holds the window as it was before a compaction.
    PriorWindow {
        /// The file.
        file: FileId,
        /// Its tokens.
        tokens: u64,
    },
    /// Names a file that is too large to come back behind a summary.
    Named {
        /// Its tokens.
        tokens: u64,
    },
    /// Says what a cut of the history without a summary took out.
    Removed {
        /// Messages taken out, whole or in part.
        messages: u32,
        /// Their tokens.
        tokens: u64,
    },
    /// How much of the window is used, and which files there are: the first `attached` of [`Run::attached`] and the
    /// first `files` of [`Run::files`], newest last.
    Budget {
        /// Tokens used, this text included.
        consumed: u64,
        /// Tokens left.
        available: u64,
        /// How many virtual files there are by then.
        files: u32,
        /// How many of these, the newest, are listed.
        files_listed: u32,
        /// How many files are attached by then.
        attached: u32,
        /// How many of the attached, the newest, are listed.
        attached_listed: u32,
        /// How many readings of all these are told.
        uses: u32,
    },
}

impl Listed {
    fn write(&self, text: &mut String) {
        let (id, name, size, unit) = (attribute(&self.id), attribute(&self.name), self.size, self.unit);
        // Writing into a string cannot fail.
        let _ = write!(text, "\n<file id='{id}' name='{name}' size='{size} {unit}'>");
        for read in &self.uses {
            let _ = match read {
                Use::Whole => write!(text, " <file_read />"),
                Use::Bytes(from, to) => write!(text, " <file_read start_byte={from} end_byte={to} />"),
            };
        }
        text.push_str(" </file>");
    }
}

/// A text between quotes: whatever a name holds, it ends neither the attribute nor the line.
fn attribute(text: &str) -> String {
    let plain: String = text.chars().map(|sign| if sign.is_control() { ' ' } else { sign }).collect();
    plain.replace('&', "&amp;").replace('\'', "&apos;").replace('<', "&lt;").replace('>', "&gt;")
}

impl Written {
    /// Tokens of the words, about: they differ by the length of the numbers in them.
    #[must_use]
    pub fn tokens(&self) -> u64 {
        match self {
            Written::Pointer { .. } => 34,
            Written::Saved { .. } => 40,
            Written::Gap { .. } => 10,
            Written::PriorWindow { .. } => 34,
            Written::Removed { .. } => 18,
            Written::Named { .. } => 30,
            Written::Budget { files_listed, attached_listed, uses, .. } => {
                let lines = u64::from(*files_listed) * 26 + u64::from(*attached_listed) * 26 + u64::from(*uses) * 16;
                18 + if lines > 0 { lines + 8 } else { 0 }
            }
        }
    }

    /// The words.
    #[must_use]
    pub fn text(&self, run: &Run) -> String {
        match *self {
            Written::Pointer { file, shown, total } => format!(
                "\n[{shown} of {total} tokens are shown. The whole is the file {file}: read on with file_read or file_regex.]"
            ),
            Written::Saved { file, shown, total } => format!(
                "\n[{shown} of {total} tokens are shown. The whole was saved to {}: read on with file_read or file_regex.]",
                file.path()
            ),
            Written::Gap { tokens } => format!("\n[… {tokens} tokens truncated …]\n"),
            Written::PriorWindow { file, tokens } => format!(
                "\n[The window before this compaction ({tokens} tokens) is the file {file}: read it with file_read or file_regex.]"
            ),
            Written::Named { tokens } => format!(
                "[This file was read before the conversation was summarised. With {tokens} tokens it is too large to come back: read it again where it is needed.]"
            ),
            Written::Removed { messages, tokens } => {
                format!("\n[{messages} earlier messages ({tokens} tokens) were removed to fit the window.]\n")
            }
            Written::Budget { consumed, available, files, files_listed, attached, attached_listed, .. } => {
                let mut text = format!("[Context window: {consumed} tokens consumed, {available} available.]");
                if files_listed + attached_listed > 0 {
                    text.push_str("\n<files>");
                    let (attached, listed) = (attached as usize, attached_listed as usize);
                    for file in run.attached.iter().take(attached).skip(attached.saturating_sub(listed)) {
                        file.write(&mut text);
                    }
                    let (files, listed) = (files as usize, files_listed as usize);
                    for (index, file) in run.files.iter().enumerate().take(files).skip(files.saturating_sub(listed)) {
                        let id = FileId(u32::try_from(index).unwrap_or(u32::MAX));
                        // Writing into a string cannot fail.
                        let _ = write!(text, "\n<file id='{id}' name='{id}' size='{} tokens'>", file.tokens);
                        for (from, to) in file.ranges() {
                            let _ = write!(text, " <file_read start_token={from} end_token={to} />");
                        }
                        text.push_str(" </file>");
                    }
                    text.push_str("\n</files>");
                }
                text
            }
        }
    }
}
