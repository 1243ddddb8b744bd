//! Memories on disk: carried from one session to the next, in one SQLite file in the platform's data folder.
//!
//! Everything that is written at once is there whole or not at all, whenever the program ends. Two processes may write.
//! Each part of a session is a layer of its own, and so is what each user keeps of it: what that said, used, merged and
//! related is taken away with it when it is kept again.

mod layer;
mod mend;
mod open;
mod rows;
mod salvage;
#[cfg(test)]
mod tests;
mod turn;

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use directories::ProjectDirs;
use rusqlite::{Connection, OptionalExtension, Transaction, TransactionBehavior, params};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::chunk::hex_of;
use crate::memory::normal;

pub use self::layer::{Layer, session_of};
use self::mend::mended;
use self::open::{Begun, VERSIONS, begin, copy_to_read, database};
pub use self::open::{MemoryFileError, Repaired};
pub use self::rows::Read;
use self::rows::read;
use self::turn::Turn;

/// A memory as it is kept, exported and imported.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
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
    /// What enriches it: what stands before and after the text, or the text as a model put it in its context.
    #[serde(default)]
    pub around: Option<String>,
    /// Whether that is the text itself, in its context.
    #[serde(default)]
    pub rewritten: bool,
    /// How it came to be: `ingested`, `preserved`, `written`, `merged`, or `unsupported`: a model took it
    /// out, and nothing that it read says so.
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
    /// What it has to do with others.
    #[serde(default)]
    pub edges: Vec<KeptEdge>,
    /// Whether it only says what happened to a memory of another session: how often it was used.
    #[serde(skip)]
    pub known: bool,
    /// The memory that stands for it since it was merged, by [`KeptMemory::id`].
    #[serde(skip)]
    pub heir: Option<String>,
}

/// A relation as it is kept: from the memory that names it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct KeptEdge {
    /// The other memory: the hash of its scope, owner and normalised text.
    pub to: String,
    /// `contradicts`, `bridges` or `supersedes`.
    pub kind: String,
    /// Their similarity.
    pub score: f32,
}

impl KeptMemory {
    /// What tells it apart: the hash of its scope, its owner and its normalised text.
    #[must_use]
    pub fn id(&self) -> String {
        let whose = Sha256::new().chain_update(&self.scope).chain_update([0]).chain_update(&self.owner);
        hex_of(&whose.chain_update([0]).chain_update(normal(&self.text)).finalize())
    }
}

impl KeptMemory {
    /// The hash of its normalised text: two of one scope and owner that have the same are one.
    fn key(&self) -> [u8; 32] {
        Sha256::digest(normal(&self.text).as_bytes()).into()
    }

    /// The hash of all that its row holds: another is that of a damaged row.
    fn sum(&self) -> [u8; 32] {
        let bytes = self.bytes.map(|bytes| bytes.map(|at| at.min(i64::MAX.cast_unsigned()).to_string()).join(" "));
        let texts = [&self.scope, &self.owner, &self.source_type, &self.text, &self.how, &self.source];
        let rewritten = if self.rewritten { "1" } else { "0" };
        let others = [self.around.as_deref(), bytes.as_deref(), Some(rewritten)];
        let mut sum = Sha256::new();
        for part in texts.into_iter().map(|text| Some(text.as_str())).chain(others) {
            sum.update(part.map_or(u64::MAX, |part| part.len() as u64).to_le_bytes());
            sum.update(part.unwrap_or_default());
        }
        sum.finalize().into()
    }
}

/// What keeping did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Done {
    /// Memories that are new.
    pub new: usize,
    /// Memories that nothing says any more, and that were deleted.
    pub gone: usize,
}

/// The file of memories.
#[derive(Debug)]
pub struct MemoryFile {
    connection: Connection,
    path: PathBuf,
    repaired: Repaired,
    /// A copy of a file that cannot be written is read.
    _copy: Option<tempfile::TempDir>,
}

/// The file's place: below `WINDOWPANE_DATA` where it is set, else in the platform's data folder.
#[must_use]
pub fn memory_path() -> Option<PathBuf> {
    let named = std::env::var_os("WINDOWPANE_DATA").filter(|named| !named.is_empty()).map(PathBuf::from);
    let folder =
        named.or_else(|| ProjectDirs::from("", "", "windowpane").map(|places| places.data_dir().to_owned()))?;
    Some(folder.join("memories.db"))
}

impl MemoryFile {
    /// Opens the file, or begins one. A damaged one is put aside first; what can still be read of it goes on in a new one.
    ///
    /// # Errors
    /// Where it is damaged and nothing of it can be read, of a newer version, or the system says no.
    pub fn open(path: &Path) -> Result<Self, MemoryFileError> {
        if let Some(folder) = path.parent() {
            let system = |why| MemoryFileError::System { path: folder.display().to_string(), why };
            std::fs::create_dir_all(folder).map_err(system)?;
        }
        // Another name for the file is a file of its own once it is put aside.
        let is_other_name = path.symlink_metadata().is_ok_and(|about| about.is_symlink());
        let named = is_other_name.then(|| path.canonicalize().ok()).flatten();
        let path = named.as_deref().unwrap_or(path);
        let system = |why| MemoryFileError::System { path: path.display().to_string(), why };
        let turn = Turn::wait(path).map_err(system)?;
        if let Some(turn) = &turn {
            turn.clean(path);
        }
        let opened = |(connection, repaired)| MemoryFile { connection, path: path.to_owned(), repaired, _copy: None };
        match (begin(path, turn.as_ref()), &turn) {
            (Ok(begun), _) => Ok(opened(begun)),
            (Err(Begun::Damaged(why)), Some(turn)) => mended(path, turn, why).map(opened),
            (Err(Begun::Damaged(why)), None) => {
                Err(MemoryFileError::Unmended { path: path.display().to_string(), why })
            }
            (Err(Begun::Newer(version)), _) => {
                Err(MemoryFileError::Newer { path: path.display().to_string(), version, known: VERSIONS.len() as i64 })
            }
            (Err(Begun::Failed(why)), _) => Err(database(path, why)),
        }
    }

    /// Opens the file to read it: where its folder cannot be written, a copy is read; `None` where there is no file.
    ///
    /// # Errors
    /// As [`MemoryFile::open`].
    pub fn open_to_read(path: &Path) -> Result<Option<Self>, MemoryFileError> {
        if !path.exists() {
            return Ok(None);
        }
        let error = match MemoryFile::open(path) {
            Ok(file) => return Ok(Some(file)),
            // A pipe would be waited for.
            Err(error @ MemoryFileError::Database { .. }) if path.is_file() => error,
            Err(error) => return Err(error),
        };
        let Ok(folder) = copy_to_read(path) else { return Err(error) };
        match begin(&folder.path().join("memories.db"), None) {
            Ok((connection, repaired)) => {
                // The file itself is as it was; what is beside the copy goes with it.
                let repaired = Repaired { copy: None, ..repaired };
                Ok(Some(MemoryFile { connection, path: path.to_owned(), repaired, _copy: Some(folder) }))
            }
            Err(_) => Err(error),
        }
    }

    /// What was mended when it was opened.
    #[must_use]
    pub fn repaired(&self) -> &Repaired {
        &self.repaired
    }

    /// All memories that nothing else stands for, in the order in which they came.
    ///
    /// # Errors
    /// What the database reports.
    pub fn all(&self) -> Result<Read, MemoryFileError> {
        read(&self.connection, None).map_err(|why| database(&self.path, why))
    }

    /// The same as they were before a session: without what it said, used and merged.
    ///
    /// # Errors
    /// What the database reports.
    pub fn before(&self, session: &str) -> Result<Read, MemoryFileError> {
        read(&self.connection, Some(session)).map_err(|why| database(&self.path, why))
    }

    /// Keeps memories, all of them or none. One that is there already is used as often as either says. Returns how many
    /// are new.
    ///
    /// # Errors
    /// What the database reports.
    pub fn add(&mut self, memories: &[KeptMemory]) -> Result<usize, MemoryFileError> {
        Ok(self.write("", &[], memories)?.new)
    }

    /// Keeps what a part of a session said, used, merged and related; all of it or nothing. Where it was read to its
    /// end, that stands in place of what was kept of it before; else it adds to that.
    ///
    /// # Errors
    /// What the database reports.
    pub fn keep(&mut self, layer: Layer, to_end: bool, memories: &[KeptMemory]) -> Result<Done, MemoryFileError> {
        let (name, other) = (layer.name(), layer.of_other_scope());
        let instead: &[&str] = if to_end { &[&name, &other] } else { &[] };
        self.write(&name, instead, memories)
    }

    /// Writes memories that a layer said, in place of what the layers `instead` had said.
    fn write(&mut self, session: &str, instead: &[&str], memories: &[KeptMemory]) -> Result<Done, MemoryFileError> {
        let path = self.path.clone();
        let mut write = || {
            let transaction = Transaction::new(&mut self.connection, TransactionBehavior::Immediate)?;
            for layer in instead {
                transaction.execute(
                    "UPDATE said SET wrote = -abs(wrote), uses = 0, promoted = 0 WHERE session = ?1",
                    [layer],
                )?;
                transaction.execute("DELETE FROM edges WHERE session = ?1", [layer])?;
                transaction.execute("UPDATE memories SET heir = NULL, merged_by = '' WHERE merged_by = ?1", [layer])?;
            }
            let (mut done, mut ids) = (Done::default(), HashMap::new());
            for memory in memories {
                let (id, is_new) = put(&transaction, session, memory)?;
                done.new += usize::from(is_new);
                ids.insert(memory.id(), id);
            }
            let found = |id: &String| ids.get(id).copied();
            for memory in memories {
                let Some(own) = found(&memory.id()) else { continue };
                if let Some(heir) = memory.heir.as_ref().and_then(found).filter(|heir| *heir != own) {
                    transaction
                        .prepare_cached("UPDATE memories SET heir = ?2, merged_by = ?3 WHERE id = ?1 AND heir IS NULL")?
                        .execute(params![own, heir, session])?;
                }
                for edge in &memory.edges {
                    let Some(other) = found(&edge.to) else { continue };
                    transaction
                        .prepare_cached(
                            "INSERT OR IGNORE INTO edges (first, second, kind, score, session)
                             VALUES (?1, ?2, ?3, ?4, ?5)",
                        )?
                        .execute(params![own, other, edge.kind, edge.score, session])?;
                }
            }
            for layer in instead {
                // What the session no longer says goes, unless another session made something of it.
                transaction.execute(
                    "UPDATE said SET wrote = (SELECT heir IS NOT NULL FROM memories WHERE id = memory)
                     WHERE session = ?1 AND wrote = -1",
                    [layer],
                )?;
            }
            if !instead.is_empty() {
                done.gone = transaction.execute(
                    "DELETE FROM memories WHERE NOT EXISTS (SELECT 1 FROM said WHERE memory = id AND wrote = 1)",
                    [],
                )?;
                transaction.execute("DELETE FROM said WHERE wrote = 0 AND uses = 0 AND promoted = 0", [])?;
            }
            transaction.commit()?;
            Ok(done)
        };
        write().map_err(|why| database(&path, why))
    }
}

/// Writes one memory; its number, and whether it is new.
fn put(transaction: &Transaction, session: &str, memory: &KeptMemory) -> Result<(i64, bool), rusqlite::Error> {
    let key = memory.key();
    let known: Option<i64> = transaction
        .prepare_cached("SELECT id FROM memories WHERE scope = ?1 AND owner = ?2 AND key = ?3")?
        .query_row(params![memory.scope, memory.owner, key], |row| row.get(0))
        .optional()?;
    let id = match known {
        Some(id) => id,
        None => {
            let at = |at: u64| i64::try_from(at).unwrap_or(i64::MAX);
            let bytes = memory.bytes.map(|[first, last]| (at(first), at(last)));
            transaction
                .prepare_cached(
                    "INSERT INTO memories
                     (scope, owner, key, source_type, text, how, source, first, last, around, rewritten, sum)
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
                )?
                .execute(params![
                    memory.scope,
                    memory.owner,
                    key,
                    memory.source_type,
                    memory.text,
                    memory.how,
                    memory.source,
                    bytes.map(|bytes| bytes.0),
                    bytes.map(|bytes| bytes.1),
                    memory.around,
                    memory.rewritten,
                    memory.sum(),
                ])?;
            transaction.last_insert_rowid()
        }
    };
    transaction
        .prepare_cached(
            "INSERT INTO said (memory, session, wrote, uses, promoted) VALUES (?1, ?2, ?3, ?4, ?5)
             ON CONFLICT (memory, session) DO UPDATE SET wrote = max(wrote, excluded.wrote),
             uses = max(uses, excluded.uses), promoted = max(promoted, excluded.promoted)",
        )?
        .execute(params![id, session, !memory.known || known.is_none(), memory.uses, memory.promoted])?;
    Ok((id, known.is_none()))
}
