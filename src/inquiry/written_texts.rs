//! The texts that calls wrote into files as a whole: scripts that later calls run, and what is then put elsewhere.

use std::collections::HashMap;

use crate::engine::plan::{Certainty, FileChange, from_folder};

/// Files whose texts are kept.
const FILES: usize = 256;
/// Bytes of a text that is kept.
const SCRIPT: usize = 32 << 10;

/// The texts, by the paths of their files.
#[derive(Default)]
pub(super) struct WrittenTexts(HashMap<String, String>);

impl WrittenTexts {
    /// Takes in what a change, whose path goes on from a folder, leaves of a file.
    pub fn keep(&mut self, change: &FileChange, folder: &str) {
        let path = from_folder(folder, &change.path);
        let text = change.puts.join("\n");
        let known = change.whole && change.certainty == Certainty::Sure && (1..=SCRIPT).contains(&text.len());
        if known && (self.0.len() < FILES || self.0.contains_key(&path)) {
            self.0.insert(path, text);
        } else {
            self.0.remove(&path);
        }
    }

    /// The text of a file.
    pub fn of(&self, path: &str) -> Option<&str> {
        self.0.get(path).map(String::as_str)
    }

    /// Whether the texts of all of some files are known, whose paths go on from a folder.
    pub fn hold(&self, paths: &[String], folder: &str) -> bool {
        paths.iter().all(|path| self.0.contains_key(&from_folder(folder, path)))
    }
}
