//! A damaged file put aside; what can still be read of it goes on in a new one.

use std::path::{Path, PathBuf};

use rusqlite::Connection;

use super::open::{MemoryFileError, Repaired, begin};
use super::salvage::{Saved, salvage};
use super::turn::{Turn, is_one};

/// What may stand beside a file and belongs to it.
const BESIDE: [&str; 2] = ["-wal", "-shm"];

/// Puts a damaged file aside. Where something of it can be read, the new file takes its place at once: a process that is
/// killed meanwhile leaves either of them.
pub(super) fn mended(path: &Path, turn: &Turn, why: String) -> Result<(Connection, Repaired), MemoryFileError> {
    let kept = aside(path);
    let told =
        |why| MemoryFileError::Damaged { path: path.display().to_string(), kept: kept.display().to_string(), why };
    let system = |why| MemoryFileError::System { path: path.display().to_string(), why };
    let Some((new, memories)) = salvage(path, turn) else {
        for part in BESIDE {
            // They need not be there.
            let _ = std::fs::rename(with(path, part), with(&kept, part));
        }
        std::fs::rename(path, &kept).map_err(system)?;
        return Err(told(why));
    };
    keep(path, &kept).map_err(system)?;
    for part in BESIDE {
        if with(path, part).exists() {
            keep(&with(path, part), &with(&kept, part)).map_err(system)?;
            std::fs::remove_file(with(path, part)).map_err(system)?;
        }
    }
    new.persist(path).map_err(|why| system(why.error))?;
    match begin(path, Some(turn)) {
        Ok((connection, repaired)) => {
            let saved = Some(Saved { memories, why });
            Ok((connection, Repaired { saved, copy: Some(kept), ..repaired }))
        }
        Err(_) => Err(told(why)),
    }
}

/// A name under which a damaged file is kept: one that nothing has, or the same file by a process that was killed.
fn aside(path: &Path) -> PathBuf {
    let same = |name: &PathBuf| Some(is_one(&path.metadata().ok()?, &name.metadata().ok()?));
    let fits = |name: &PathBuf| name.symlink_metadata().is_err() || same(name) == Some(true);
    let mut names = (1..10_000).map(|number| with(path, &format!(".damaged-{number}")));
    names.find(fits).unwrap_or_else(|| with(path, ".damaged"))
}

/// Gives a file a second name; where the system knows none, a copy.
fn keep(path: &Path, kept: &Path) -> std::io::Result<()> {
    if kept.exists() || std::fs::hard_link(path, kept).is_ok() {
        return Ok(());
    }
    std::fs::copy(path, kept).map(|_| ())
}

fn with(path: &Path, end: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(end);
    PathBuf::from(name)
}
