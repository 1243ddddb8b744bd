//! Memories on disk: carried from one session to the next, in one SQLite file in the platform's data folder.
//!
//! Everything that is written at once is there whole or not at all, whenever the program ends. Two processes may write.

use std::path::{Path, PathBuf};
use std::time::Duration;

use directories::ProjectDirs;
use rusqlite::{Connection, ErrorCode, OptionalExtension, Transaction, TransactionBehavior, params};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use thiserror::Error;

use crate::memory::plain;

/// Why memories could not be read or kept.
#[derive(Debug, Error)]
pub enum MemoryFileError {
    /// There is no folder for data here.
    #[error("this system names no folder for data; set WINDOWPANE_DATA")]
    Nowhere,
    /// The file is damaged. It was put aside, whole.
    #[error(
        "the memories in {path} are damaged ({why}); the file is kept as {kept}, and the next run begins a new one"
    )]
    Damaged {
        /// The file.
        path: String,
        /// What it is called now.
        kept: String,
        /// What is the matter.
        why: String,
    },
    /// A newer version wrote it.
    #[error("{path} was written by a newer windowpane (its version is {version}, this one knows {known})")]
    Newer {
        /// The file.
        path: String,
        /// Its version.
        version: i64,
        /// The newest that is known.
        known: i64,
    },
    /// The database said no.
    #[error("cannot use the memories in {path}: {why}")]
    Database {
        /// The file.
        path: String,
        /// Its words.
        why: rusqlite::Error,
    },
    /// The system said no.
    #[error("cannot use {path}: {why}")]
    System {
        /// The file or folder.
        path: String,
        /// The system's words.
        why: std::io::Error,
    },
}

/// A memory as it is kept, exported and imported.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct KeptMemory {
    /// Who sees it: `session`, `user` or `agent`.
    pub scope: String,
    /// Which session, user or agent that is.
    pub owner: String,
    /// What kind of source it is from.
    #[serde(default)]
    pub source_type: String,
    /// Its text.
    pub text: String,
    /// How it came to be: `ingested`, `preserved`, `written` or `merged`.
    #[serde(default)]
    pub how: String,
    /// How often it was packed.
    #[serde(default)]
    pub uses: u32,
    /// Whether it was promoted.
    #[serde(default)]
    pub promoted: bool,
    /// The file that it came from.
    #[serde(default)]
    pub source: String,
    /// First byte there, and one past the last.
    #[serde(default)]
    pub bytes: Option<[u64; 2]>,
}

/// The file of memories.
#[derive(Debug)]
pub struct MemoryFile {
    connection: Connection,
    path: PathBuf,
}

/// What each version adds, the first from nothing.
const VERSIONS: &[&str] = &["CREATE TABLE memories (
    id INTEGER PRIMARY KEY,
    scope TEXT NOT NULL,
    owner TEXT NOT NULL,
    key BLOB NOT NULL,
    source_type TEXT NOT NULL,
    text TEXT NOT NULL,
    how TEXT NOT NULL,
    uses INTEGER NOT NULL,
    promoted INTEGER NOT NULL,
    source TEXT NOT NULL,
    first INTEGER,
    last INTEGER,
    UNIQUE (scope, owner, key)
) STRICT"];

/// How long another process is waited for.
const PATIENCE: Duration = Duration::from_secs(10);

/// The file's place: below `WINDOWPANE_DATA` where it is set, else in the platform's data folder.
#[must_use]
pub fn memory_path() -> Option<PathBuf> {
    let named = std::env::var_os("WINDOWPANE_DATA").filter(|named| !named.is_empty()).map(PathBuf::from);
    let folder =
        named.or_else(|| ProjectDirs::from("", "", "windowpane").map(|places| places.data_dir().to_owned()))?;
    Some(folder.join("memories.db"))
}

impl MemoryFile {
    /// Opens the file, or begins one. A damaged one is put aside first.
    ///
    /// # Errors
    /// Where it is damaged, of a newer version, or the system says no.
    pub fn open(path: &Path) -> Result<Self, MemoryFileError> {
        if let Some(folder) = path.parent() {
            let system = |why| MemoryFileError::System { path: folder.display().to_string(), why };
            std::fs::create_dir_all(folder).map_err(system)?;
        }
        match begin(path) {
            Ok(connection) => Ok(MemoryFile { connection, path: path.to_owned() }),
            Err(Begun::Damaged(why)) => Err(put_aside(path, why)),
            Err(Begun::Newer(version)) => {
                Err(MemoryFileError::Newer { path: path.display().to_string(), version, known: VERSIONS.len() as i64 })
            }
            Err(Begun::Failed(why)) => Err(database(path, why)),
        }
    }

    /// All memories, in the order in which they came.
    ///
    /// # Errors
    /// What the database reports.
    pub fn all(&self) -> Result<Vec<KeptMemory>, MemoryFileError> {
        let read = || {
            let mut statement = self.connection.prepare(
                "SELECT scope, owner, source_type, text, how, uses, promoted, source, first, last FROM memories ORDER BY id",
            )?;
            let rows = statement.query_map([], |row| {
                let bytes: (Option<i64>, Option<i64>) = (row.get(8)?, row.get(9)?);
                Ok(KeptMemory {
                    scope: row.get(0)?,
                    owner: row.get(1)?,
                    source_type: row.get(2)?,
                    text: row.get(3)?,
                    how: row.get(4)?,
                    uses: row.get(5)?,
                    promoted: row.get(6)?,
                    source: row.get(7)?,
                    bytes: bytes
                        .0
                        .zip(bytes.1)
                        .map(|(first, last)| [first, last].map(|at| u64::try_from(at).unwrap_or(0))),
                })
            })?;
            rows.collect::<Result<Vec<_>, _>>()
        };
        read().map_err(|why| database(&self.path, why))
    }

    /// Keeps memories, all of them or none. One that is there already is used as often as either says. Returns how many
    /// are new.
    ///
    /// # Errors
    /// What the database reports.
    pub fn keep(&mut self, memories: &[KeptMemory]) -> Result<usize, MemoryFileError> {
        let path = self.path.clone();
        let mut write = || {
            let transaction = Transaction::new(&mut self.connection, TransactionBehavior::Immediate)?;
            let mut new = 0;
            for memory in memories {
                new += usize::from(put(&transaction, memory)?);
            }
            transaction.commit()?;
            Ok(new)
        };
        write().map_err(|why| database(&path, why))
    }
}

/// Writes one memory; whether it is new.
fn put(transaction: &Transaction, memory: &KeptMemory) -> Result<bool, rusqlite::Error> {
    let key: [u8; 32] = Sha256::digest(plain(&memory.text).as_bytes()).into();
    let known: Option<i64> = transaction
        .prepare_cached("SELECT id FROM memories WHERE scope = ?1 AND owner = ?2 AND key = ?3")?
        .query_row(params![memory.scope, memory.owner, key], |row| row.get(0))
        .optional()?;
    if let Some(id) = known {
        transaction
            .prepare_cached("UPDATE memories SET uses = max(uses, ?2), promoted = max(promoted, ?3) WHERE id = ?1")?
            .execute(params![id, memory.uses, memory.promoted])?;
        return Ok(false);
    }
    let at = |at: u64| i64::try_from(at).unwrap_or(i64::MAX);
    let bytes = memory.bytes.map(|[first, last]| (at(first), at(last)));
    transaction
        .prepare_cached(
            "INSERT INTO memories (scope, owner, key, source_type, text, how, uses, promoted, source, first, last)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
        )?
        .execute(params![
            memory.scope,
            memory.owner,
            key,
            memory.source_type,
            memory.text,
            memory.how,
            memory.uses,
            memory.promoted,
            memory.source,
            bytes.map(|bytes| bytes.0),
            bytes.map(|bytes| bytes.1),
        ])?;
    Ok(true)
}

/// Why a file could not be begun with.
enum Begun {
    Damaged(String),
    Newer(i64),
    Failed(rusqlite::Error),
}

impl From<rusqlite::Error> for Begun {
    fn from(error: rusqlite::Error) -> Self {
        match error.sqlite_error_code() {
            Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt) => Begun::Damaged(error.to_string()),
            _ => Begun::Failed(error),
        }
    }
}

/// Opens a database, looks whether it is sound, and brings it to the newest version.
fn begin(path: &Path) -> Result<Connection, Begun> {
    let mut connection = Connection::open(path)?;
    connection.busy_timeout(PATIENCE)?;
    let sound: String = connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
    if sound != "ok" {
        return Err(Begun::Damaged(sound));
    }
    // Readers go on while another process writes.
    connection.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(()))?;
    let version = |connection: &Connection| connection.query_row("PRAGMA user_version", [], |row| row.get::<_, i64>(0));
    let known = VERSIONS.len();
    let newest = i64::try_from(known).unwrap_or(i64::MAX);
    if version(&connection)? != newest {
        let transaction = Transaction::new(&mut connection, TransactionBehavior::Immediate)?;
        // Another process may have done it meanwhile.
        let from = version(&transaction)?;
        if from > newest {
            return Err(Begun::Newer(from));
        }
        for step in VERSIONS.iter().skip(usize::try_from(from).unwrap_or(0)) {
            transaction.execute_batch(step)?;
        }
        transaction.pragma_update(None, "user_version", newest)?;
        transaction.commit()?;
    }
    Ok(connection)
}

/// Gives a damaged file and what belongs to it another name.
fn put_aside(path: &Path, why: String) -> MemoryFileError {
    let named = |suffix: &str| {
        let mut name = path.as_os_str().to_owned();
        name.push(suffix);
        PathBuf::from(name)
    };
    let free = (1..10_000).map(|number| format!(".damaged-{number}")).find(|end| !named(end).exists());
    let end = free.unwrap_or_else(|| ".damaged".to_owned());
    for part in ["-wal", "-shm"] {
        // They need not be there.
        let _ = std::fs::rename(named(part), named(&format!("{end}{part}")));
    }
    match std::fs::rename(path, named(&end)) {
        Ok(()) => {
            MemoryFileError::Damaged { path: path.display().to_string(), kept: named(&end).display().to_string(), why }
        }
        Err(why) => MemoryFileError::System { path: path.display().to_string(), why },
    }
}

fn database(path: &Path, why: rusqlite::Error) -> MemoryFileError {
    MemoryFileError::Database { path: path.display().to_string(), why }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn memory(text: &str, uses: u32) -> KeptMemory {
        KeptMemory {
            scope: "user".to_owned(),
            owner: "me".to_owned(),
            source_type: "conversation".to_owned(),
            text: text.to_owned(),
            how: "preserved".to_owned(),
            uses,
            promoted: false,
            source: "a.jsonl".to_owned(),
            bytes: Some([3, 9]),
        }
    }

    #[test]
    fn memories_are_kept_once_from_run_to_run() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("below/memories.db");
        let mut file = MemoryFile::open(&path).unwrap();
        assert_eq!(file.keep(&[memory("The port is 8080.", 1), memory("Tabs.", 0)]).unwrap(), 2);
        drop(file);
        let mut file = MemoryFile::open(&path).unwrap();
        assert_eq!(file.keep(&[memory("the  port is 8080.", 4)]).unwrap(), 0);
        let other = KeptMemory { owner: "you".to_owned(), bytes: None, ..memory("Tabs.", 2) };
        assert_eq!(file.keep(std::slice::from_ref(&other)).unwrap(), 1);
        assert_eq!(file.all().unwrap(), [memory("The port is 8080.", 4), memory("Tabs.", 0), other]);
    }

    #[test]
    fn two_may_write_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("memories.db");
        std::thread::scope(|scope| {
            for who in 0..4 {
                let path = &path;
                scope.spawn(move || {
                    let mut file = MemoryFile::open(path).unwrap();
                    for number in 0..10 {
                        file.keep(&[memory(&format!("{who} says {number}"), 0)]).unwrap();
                    }
                });
            }
        });
        assert_eq!(MemoryFile::open(&path).unwrap().all().unwrap().len(), 40);
    }

    #[test]
    fn a_damaged_file_is_put_aside_and_said() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("memories.db");
        for number in 1..3 {
            std::fs::write(&path, vec![b'x'; 5_000]).unwrap();
            let told = MemoryFile::open(&path).unwrap_err().to_string();
            let kept = folder.path().join(format!("memories.db.damaged-{number}"));
            assert!(told.contains("damaged") && told.contains(&kept.display().to_string()), "{told}");
            assert_eq!(std::fs::read(&kept).unwrap(), vec![b'x'; 5_000]);
        }
        assert!(MemoryFile::open(&path).unwrap().all().unwrap().is_empty());
    }

    #[test]
    fn a_newer_file_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("memories.db");
        drop(MemoryFile::open(&path).unwrap());
        Connection::open(&path).unwrap().pragma_update(None, "user_version", 99).unwrap();
        let told = MemoryFile::open(&path).unwrap_err().to_string();
        assert!(told.contains("newer") && path.exists(), "{told}");
    }
}
