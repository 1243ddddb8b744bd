//! Answers of models kept from one run of the program to the next, under the cache folder: one file for each, by the
//! hash of the whole request. So a replay is the same every time, and needs no network the second time.

use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use serde::{Deserialize, Serialize};

use crate::chunk::hex_of;
use crate::model::Usage;

use super::super::documents::bound;
use super::protocol::{Reply, Request, Stopped};

/// Bytes of all files.
const BYTES_MAX: u64 = 64 << 20;
/// A larger file is none of ours.
const FILE_MAX: u64 = 32 << 20;
const FOLDER: &str = "answers";

/// Answers of earlier runs.
#[derive(Clone, Debug, Default)]
pub struct AnswerCache {
    folder: Option<PathBuf>,
}

/// An answer as it is kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptAnswer {
    /// The hash of the request, in hex: a file under another name is not believed.
    request: String,
    /// Its words. Untrusted.
    pub text: String,
    /// Tokens that were sent, read from the server's cache, and answered.
    usage: Option<(u64, u64, Option<u64>)>,
    /// Why it could not be used, in a sentence: what is asked again would be another replay.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refused: Option<String>,
}

impl KeptAnswer {
    /// The answer as it came.
    #[must_use]
    pub fn reply(self) -> Reply {
        let usage = |(input, cache_read, output)| Usage { input, cache_read, output, ..Usage::default() };
        Reply { text: self.text, usage: self.usage.map(usage), stopped: Stopped::Done, ..Reply::default() }
    }
}

impl AnswerCache {
    /// Uses a cache folder; with none, nothing is kept.
    #[must_use]
    pub fn open(folder: Option<&Path>) -> AnswerCache {
        AnswerCache { folder: folder.map(|folder| folder.join(FOLDER)) }
    }

    /// Whether anything is kept.
    #[must_use]
    pub fn keeps(&self) -> bool {
        self.folder.is_some()
    }

    /// The answer to a request. What cannot be read counts as none.
    #[must_use]
    pub fn get(&self, request: &Request) -> Option<KeptAnswer> {
        let name = hex_of(&request.key());
        let path = self.folder.as_ref()?.join(&name);
        let mut bytes = Vec::new();
        fs::File::open(&path).ok()?.take(FILE_MAX).read_to_end(&mut bytes).ok()?;
        let kept: KeptAnswer = serde_json::from_slice(&bytes).ok().filter(|kept: &KeptAnswer| kept.request == name)?;
        // Where the time cannot be set, the file only goes sooner.
        let _ = fs::File::options().append(true).open(&path).and_then(|file| file.set_modified(SystemTime::now()));
        Some(kept)
    }

    /// Keeps an answer, whole or not at all, and why it could not be used where it could not.
    ///
    /// # Errors
    /// What the system reports.
    pub fn put(&self, request: &Request, reply: &Reply, refused: Option<&str>) -> io::Result<()> {
        let Some(folder) = &self.folder else { return Ok(()) };
        let name = hex_of(&request.key());
        let usage = reply.usage.map(|usage| (usage.input, usage.cache_read, usage.output));
        let kept =
            KeptAnswer { request: name.clone(), text: reply.text.clone(), usage, refused: refused.map(str::to_owned) };
        fs::create_dir_all(folder)?;
        let mut file = tempfile::NamedTempFile::new_in(folder)?;
        file.write_all(&serde_json::to_vec(&kept)?)?;
        file.persist(folder.join(name)).map_err(|failed| failed.error)?;
        bound(folder, BYTES_MAX)
    }
}
