//! Whose turn it is to open a file of memories: one process looks at it, begins it or mends it, and all others wait.

use std::fs::{File, Metadata, OpenOptions, TryLockError};
use std::io::{Error, ErrorKind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How long another process is waited for: it may be mending a large file.
const PATIENCE: Duration = Duration::from_secs(60);
const PAUSE: Duration = Duration::from_millis(5);

/// The turn: until it is dropped, no other process opens the file.
pub(super) struct Turn {
    lock: File,
    at: PathBuf,
}

impl Turn {
    /// Waits for the turn. `None` where the system lets nobody write beside the file: what is there can be read.
    pub(super) fn wait(path: &Path) -> Result<Option<Turn>, Error> {
        let mut at = path.as_os_str().to_owned();
        at.push(".lock");
        let (at, begun) = (PathBuf::from(at), Instant::now());
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(false);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        loop {
            let lock = match options.open(&at) {
                Ok(lock) => lock,
                Err(why) if path.exists() && is_refused(&why) => return Ok(None),
                Err(why) => return Err(why),
            };
            match lock.try_lock() {
                Ok(()) if !cfg!(unix) || is_named(&lock, &at)? => return Ok(Some(Turn { lock, at })),
                // Its last holder took the name away meanwhile.
                Ok(()) => continue,
                // Where nobody can hold a lock, nobody can be waited for.
                Err(TryLockError::Error(why)) if why.kind() == ErrorKind::Unsupported => {
                    return Ok(Some(Turn { lock, at }));
                }
                Err(TryLockError::Error(why)) => return Err(why),
                Err(TryLockError::WouldBlock) if begun.elapsed() > PATIENCE => {
                    return Err(Error::new(
                        ErrorKind::TimedOut,
                        format!("{} is held by another process", at.display()),
                    ));
                }
                Err(TryLockError::WouldBlock) => std::thread::sleep(PAUSE),
            }
        }
    }

    /// A file that nobody finds under its name before it is whole.
    pub(super) fn new_file(&self, path: &Path) -> Result<tempfile::NamedTempFile, Error> {
        tempfile::Builder::new().prefix(&unfinished(path)).tempfile_in(folder_of(path))
    }

    /// Removes what processes that were killed in their turn left unfinished.
    pub(super) fn clean(&self, path: &Path) {
        let start = unfinished(path);
        for left in std::fs::read_dir(folder_of(path)).into_iter().flatten().flatten() {
            if left.file_name().to_string_lossy().starts_with(&start) {
                // What cannot be removed hinders nobody.
                let _ = std::fs::remove_file(left.path());
            }
        }
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        // While it is held: who waits sees that it lost its name. Elsewhere a name may stay as long as somebody waits.
        #[cfg(unix)]
        let _ = std::fs::remove_file(&self.at);
        #[cfg(not(unix))]
        let _ = &self.at;
        let _ = self.lock.unlock();
    }
}

/// The folder that a file stands in.
fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// How the names of unfinished files begin: of each file others.
fn unfinished(path: &Path) -> String {
    format!(".{}-", path.file_stem().unwrap_or_default().to_string_lossy())
}

/// Whether a file that was opened is still the one of that name.
fn is_named(file: &File, at: &Path) -> Result<bool, Error> {
    let own = file.metadata()?;
    Ok(at.metadata().is_ok_and(|named| is_one(&own, &named)))
}

fn is_refused(why: &Error) -> bool {
    matches!(why.kind(), ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem)
}

/// Whether two are one file. Where the system does not tell, nobody takes the name of a lock away.
pub(super) fn is_one(first: &Metadata, second: &Metadata) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        (first.dev(), first.ino()) == (second.dev(), second.ino())
    }
    #[cfg(not(unix))]
    {
        let _ = (first, second);
        false
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::{KeptMemory, MemoryFile};
    use super::Turn;

    fn memory(number: usize) -> KeptMemory {
        KeptMemory {
            scope: "user".to_owned(),
            owner: "me".to_owned(),
            text: format!("The service s{number} listens on port {}.", 10_000 + number),
            ..KeptMemory::default()
        }
    }

    fn names(folder: &Path) -> Vec<String> {
        let all = std::fs::read_dir(folder).unwrap().flatten();
        let mut names: Vec<String> = all.map(|one| one.file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_damaged_file_that_many_open_at_once_is_mended_once() {
        for _ in 0..20 {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("memories.db");
            let all: Vec<KeptMemory> = (0..200).map(memory).collect();
            MemoryFile::open(&path).unwrap().add(&all).unwrap();
            let mut bytes = std::fs::read(&path).unwrap();
            let text = &all[100].text;
            let at = bytes.windows(text.len()).position(|part| part == text.as_bytes()).unwrap();
            bytes[at / 4096 * 4096..][..4096].fill(0x5a);
            std::fs::write(&path, &bytes).unwrap();
            let start = std::sync::Barrier::new(8);
            let told: Vec<(usize, Option<usize>)> = std::thread::scope(|scope| {
                let one = || {
                    start.wait();
                    let file = MemoryFile::open(&path).unwrap();
                    (file.all().unwrap().memories.len(), file.repaired().saved.as_ref().map(|saved| saved.memories))
                };
                let all: Vec<_> = (0..8).map(|_| scope.spawn(one)).collect();
                all.into_iter().map(|one| one.join().unwrap()).collect()
            });
            let saved: Vec<usize> = told.iter().filter_map(|(_, saved)| *saved).collect();
            assert!(saved.len() == 1 && saved[0] > 150, "{told:?}");
            assert!(told.iter().all(|(number, _)| *number == saved[0]), "{told:?}");
            let kept: Vec<String> =
                names(folder.path()).into_iter().filter(|name| name.contains(".damaged-")).collect();
            assert_eq!(kept, ["memories.db.damaged-1"]);
            assert_eq!(std::fs::read(folder.path().join(&kept[0])).unwrap(), bytes, "the file stays as it was");
        }
    }

    #[test]
    fn what_a_killed_process_left_unfinished_goes_once_nobody_holds_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("memories.db");
        drop(MemoryFile::open(&path).unwrap());
        let turn = Turn::wait(&path).unwrap().unwrap();
        let left = [".memories-a1B2c3", ".memories-a1B2c3-journal", ".others-a1B2c3"];
        left.iter().for_each(|name| std::fs::write(folder.path().join(name), "half").unwrap());
        std::thread::scope(|scope| {
            let opened = scope.spawn(|| drop(MemoryFile::open(&path).unwrap()));
            std::thread::sleep(std::time::Duration::from_millis(100));
            assert!(!opened.is_finished() && folder.path().join(left[0]).exists(), "it waits for its turn");
            drop(turn);
        });
        assert_eq!(names(folder.path()), [".others-a1B2c3", "memories.db"]);
    }
}
