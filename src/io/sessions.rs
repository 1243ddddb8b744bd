//! The sessions on this machine: the list at once, what is in each as it is found out.

use std::collections::{HashSet, VecDeque};
use std::ffi::OsString;
use std::fs;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::UNIX_EPOCH;

use directories::BaseDirs;

use crate::content::Watch;
use crate::transcript::{Format, Gist, Place, gist};

use super::open::{OpenFileError, Opened, open_alone};

/// More sessions than this are not listed.
const FILES_MAX: usize = 100_000;
/// Subagents' logs beside the sessions are no sessions of their own.
const SIDE_PREFIX: &str = "agent-";

/// A session's file.
#[derive(Clone, Debug)]
pub struct SessionFile {
    /// Where it is. Untrusted.
    pub path: PathBuf,
    /// The format's name.
    pub format: &'static str,
    /// Bytes as stored.
    pub bytes: u64,
    /// When it was last written, in milliseconds since the Unix epoch.
    pub modified: i64,
}

/// Where to look: what `home` and environment variables say, handed in.
pub struct Roots<'a> {
    /// The user's home folder.
    pub home: Option<PathBuf>,
    /// The value of an environment variable.
    pub variable: &'a dyn Fn(&str) -> Option<OsString>,
}

/// The roots that this machine's environment says.
#[must_use]
pub fn own_roots() -> Roots<'static> {
    let home = BaseDirs::new().map(|places| places.home_dir().to_owned());
    Roots { home, variable: &|name| std::env::var_os(name) }
}

/// The sessions in the formats' places, newest first. Nothing but folders is read; links are not followed, and folders
/// that cannot be read are passed over.
#[must_use]
pub fn find_sessions(formats: &'static [Format], roots: &Roots<'_>) -> Vec<SessionFile> {
    let mut found = Vec::new();
    let mut seen = HashSet::new();
    for format in formats {
        for place in format.places {
            let Some(folder) = folder_of(place, roots).filter(|folder| seen.insert((folder.clone(), place.suffixes)))
            else {
                continue;
            };
            list(&folder, place.depth, place, format, &mut found);
        }
    }
    found.sort_by(|one, other| (other.modified, &one.path).cmp(&(one.modified, &other.path)));
    found
}

fn folder_of(place: &Place, roots: &Roots<'_>) -> Option<PathBuf> {
    let named = (roots.variable)(place.variable).filter(|value| !value.is_empty());
    let folder = named.map(PathBuf::from).or_else(|| Some(roots.home.as_ref()?.join(place.home)))?;
    Some(folder.join(place.folder))
}

fn list(folder: &Path, depth: usize, place: &Place, format: &Format, found: &mut Vec<SessionFile>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        if found.len() >= FILES_MAX {
            return;
        }
        let Ok(kind) = entry.file_type() else { continue };
        if kind.is_dir() && depth > 0 {
            list(&entry.path(), depth - 1, place, format, found);
        } else if kind.is_file() && is_session(&entry.file_name().to_string_lossy(), place) {
            let Ok(about) = entry.metadata() else { continue };
            let since = about.modified().ok().and_then(|at| at.duration_since(UNIX_EPOCH).ok());
            found.push(SessionFile {
                path: entry.path(),
                format: format.name,
                bytes: about.len(),
                modified: since.and_then(|since| i64::try_from(since.as_millis()).ok()).unwrap_or(0),
            });
        }
    }
}

fn is_session(name: &str, place: &Place) -> bool {
    name.starts_with(place.prefix)
        && !name.starts_with(SIDE_PREFIX)
        && place.suffixes.iter().any(|suffix| name.ends_with(suffix))
}

/// Finds out what is in a session, subagents' logs and other files beside it left alone.
///
/// # Errors
/// Where it cannot be read, or the watch is cancelled.
pub fn session_gist(file: &SessionFile, watch: &Watch) -> Result<Gist, OpenFileError> {
    let Opened { transcript, sources } = open_alone(&file.path, file.format, watch)?;
    Ok(gist(&transcript, &sources))
}

/// Finds out in the background what is in sessions. Dropped, it stops.
pub struct Gists {
    watch: Arc<Watch>,
    done: Arc<AtomicU64>,
    all: u64,
    queue: Arc<Mutex<VecDeque<usize>>>,
}

impl Gists {
    /// Begins with the first of the files; `told` hears of each by its place among them, from another thread.
    #[must_use]
    pub fn begin(
        files: Arc<Vec<SessionFile>>,
        told: impl Fn(usize, Result<Gist, OpenFileError>) + Send + 'static,
    ) -> Gists {
        Gists::begin_with(files, session_gist, told)
    }

    fn begin_with(
        files: Arc<Vec<SessionFile>>,
        find: impl Fn(&SessionFile, &Watch) -> Result<Gist, OpenFileError> + Send + 'static,
        told: impl Fn(usize, Result<Gist, OpenFileError>) + Send + 'static,
    ) -> Gists {
        let (watch, done) = (Arc::new(Watch::default()), Arc::new(AtomicU64::new(0)));
        let all = files.len() as u64;
        let queue = Arc::new(Mutex::new((0..files.len()).collect::<VecDeque<usize>>()));
        let (own_watch, own_queue, own_done) = (Arc::clone(&watch), Arc::clone(&queue), Arc::clone(&done));
        // One thread, as each session is read on all cores.
        thread::spawn(move || {
            let next = || own_queue.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
            while let Some(index) = next() {
                let Some(file) = files.get(index) else { continue };
                // A fault in one of them leaves the others to be looked at.
                let found = catch_unwind(AssertUnwindSafe(|| find(file, &own_watch)));
                let found = found.unwrap_or_else(|_| {
                    let (name, why) = (file.path.to_string_lossy().into_owned(), "a fault inside windowpane");
                    Err(OpenFileError::Read { name, why: io::Error::other(why) })
                });
                if own_watch.is_cancelled() {
                    return;
                }
                own_done.fetch_add(1, Ordering::Relaxed);
                told(index, found);
            }
        });
        Gists { watch, done, all, queue }
    }

    /// Looks next at these (what the screen shows), in this order.
    pub fn prefer(&self, first: &[usize]) {
        let mut queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        let wanted: HashSet<usize> = first.iter().copied().collect();
        let waiting: HashSet<usize> = queue.iter().copied().filter(|index| wanted.contains(index)).collect();
        queue.retain(|index| !wanted.contains(index));
        for index in first.iter().rev().filter(|index| waiting.contains(index)) {
            queue.push_front(*index);
        }
    }

    /// Sessions looked at, and all of them.
    #[must_use]
    pub fn progress(&self) -> (u64, u64) {
        (self.done.load(Ordering::Relaxed), self.all)
    }
}

impl Drop for Gists {
    fn drop(&mut self) {
        self.watch.cancel();
    }
}

#[cfg(test)]
#[path = "sessions_tests.rs"]
mod tests;
