//! A file of memories opened: found sound, brought to the newest version, or put aside.

use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, ErrorCode, OpenFlags, Transaction, TransactionBehavior};
use tempfile::NamedTempFile;
use thiserror::Error;

use super::rows::{damaged, sum_up};
use super::salvage::Saved;
use super::turn::Turn;

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
    /// The file is damaged, and nothing can be written beside it.
    #[error("the memories in {path} are damaged ({why}); nothing can be written beside them, so they stay as they are")]
    Unmended {
        /// The file.
        path: String,
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

/// What each version adds, the first from nothing.
pub(super) const VERSIONS: &[&str] = &[
    "CREATE TABLE memories (
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
) STRICT",
    // Which session said a memory and how often it used it; what became of a memory; how memories are related.
    "ALTER TABLE memories ADD COLUMN around TEXT;
ALTER TABLE memories ADD COLUMN heir INTEGER REFERENCES memories (id) ON DELETE SET NULL;
ALTER TABLE memories ADD COLUMN merged_by TEXT NOT NULL DEFAULT '';
CREATE TABLE said (
    memory INTEGER NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
    session TEXT NOT NULL,
    wrote INTEGER NOT NULL,
    uses INTEGER NOT NULL,
    promoted INTEGER NOT NULL,
    PRIMARY KEY (memory, session)
) STRICT, WITHOUT ROWID;
INSERT INTO said SELECT id, CASE scope WHEN 'session' THEN owner ELSE '' END, 1, uses, promoted FROM memories;
ALTER TABLE memories DROP COLUMN uses;
ALTER TABLE memories DROP COLUMN promoted;
CREATE TABLE edges (
    first INTEGER NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
    second INTEGER NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
    kind TEXT NOT NULL,
    score REAL NOT NULL,
    session TEXT NOT NULL,
    PRIMARY KEY (first, second, kind)
) STRICT, WITHOUT ROWID;
CREATE INDEX edges_second ON edges (second);
CREATE INDEX memories_heir ON memories (heir)",
    // A session is one of its user; the user was seldom named.
    "UPDATE memories SET owner = 'me/' || owner WHERE scope = 'session';
ALTER TABLE memories ADD COLUMN rewritten INTEGER NOT NULL DEFAULT 0",
    // Names of several parts are written so that no two are alike (see `layer`), and a layer is its user's, and its
    // agent's where that owns the memory. Where a session's owner can be read in two ways, the recorded name of the
    // session tells them apart, or else the user that is meant where none is named; what is left is nobody's.
    "UPDATE OR IGNORE memories SET owner = coalesce(
    (SELECT replace(replace(replace(substr(owner, 1, length(owner) - length(name) - 1),
                                    '%', '%25'), '/', '%2F'), '#', '%23') || '/' || name
     FROM (SELECT CASE instr(session, '#') WHEN 0 THEN session ELSE substr(session, 1, instr(session, '#') - 1) END
           AS name FROM said WHERE memory = memories.id AND wrote = 1)
     WHERE name <> '' AND length(owner) > length(name) + 1 AND substr(owner, -length(name) - 1) = '/' || name LIMIT 1),
    CASE WHEN owner LIKE '%/%/%' AND owner NOT LIKE 'me/%' THEN '%?/' || owner
    ELSE replace(replace(substr(owner, 1, instr(owner, '/') - 1), '%', '%25'), '#', '%23')
         || substr(owner, instr(owner, '/')) END)
WHERE scope = 'session' AND instr(owner, '/') > 0;
CREATE TEMP TABLE whose AS SELECT id, CASE scope
    WHEN 'session' THEN substr(owner, 1, instr(owner, '/') - 1) || '#'
    WHEN 'agent' THEN 'me#' || replace(replace(replace(owner, '%', '%25'), '/', '%2F'), '#', '%23')
    ELSE replace(replace(replace(owner, '%', '%25'), '/', '%2F'), '#', '%23') || '#' END AS name FROM main.memories;
UPDATE said SET session = session || CASE instr(session, '#') WHEN 0 THEN '##' ELSE '#' END
    || (SELECT name FROM whose WHERE id = memory) WHERE session <> '';
UPDATE edges SET session = session || CASE instr(session, '#') WHEN 0 THEN '##' ELSE '#' END
    || (SELECT name FROM whose WHERE id = first) WHERE session <> '';
UPDATE memories SET merged_by = merged_by || CASE instr(merged_by, '#') WHEN 0 THEN '##' ELSE '#' END
    || (SELECT name FROM whose WHERE whose.id = memories.id) WHERE merged_by <> '';
DROP TABLE temp.whose",
    // What a row holds, as a hash: a changed byte is told. It and `key` are made of each row by `sum_up`.
    "ALTER TABLE memories ADD COLUMN sum BLOB",
];

/// What is asked of every version that is up to date: a file that has not all of it is none of ours any more.
const ASKED: &[&str] = &[
    "SELECT id, scope, owner, key, source_type, text, how, source, first, last, around, heir, merged_by, rewritten,
     sum FROM memories",
    "SELECT memory, session, wrote, uses, promoted FROM said",
    "SELECT first, second, kind, score, session FROM edges",
];

/// Rows that refer to a memory which is not there.
const DANGLING: &str = "SELECT count(*) FROM pragma_foreign_key_check";

/// What becomes of them: what the file's own references say of a memory that is deleted.
pub(super) const REPAIRS: &[&str] = &[
    "DELETE FROM said WHERE memory NOT IN (SELECT id FROM memories)",
    "DELETE FROM edges WHERE first NOT IN (SELECT id FROM memories) OR second NOT IN (SELECT id FROM memories)",
    "UPDATE memories SET heir = NULL, merged_by = '' WHERE heir NOT IN (SELECT id FROM memories)",
];

/// What a damaged file has beside its rows may tell of rows that are not there: it is made of them anew.
const REINDEX: &str = "REINDEX";

/// Whether there are memories that no session said, nor anybody by hand: the next session that is kept would take them
/// away.
const UNSAID: &str =
    "SELECT count(*) FROM memories WHERE NOT EXISTS (SELECT 1 FROM said WHERE memory = id AND wrote = 1)";

/// They stay, as what was written by hand.
pub(super) const ADOPTS: &str = "INSERT INTO said SELECT id, '', 1, 0, 0 FROM memories
     WHERE NOT EXISTS (SELECT 1 FROM said WHERE memory = id AND wrote = 1)
     ON CONFLICT (memory, session) DO UPDATE SET wrote = 1";

/// What was mended when a file was opened.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Repaired {
    /// Rows that referred to a memory which was not there: they went.
    pub removed: usize,
    /// Memories of which no row told who said them: they are kept as if by hand.
    pub unsaid: usize,
    /// Memories whose row was damaged, each by its row: `memory 7`. They went.
    pub damaged: Vec<String>,
    /// Whether a file was there that had nothing in it.
    pub was_empty: bool,
    /// What was saved of a file whose pages are damaged.
    pub saved: Option<Saved>,
    /// The file as it was before.
    pub copy: Option<PathBuf>,
}

/// How long another process is waited for.
const PATIENCE: Duration = Duration::from_secs(10);

/// Why a file could not be begun with.
pub(super) enum Begun {
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

/// Opens a database, looks whether it is sound, and brings it to the newest version. Rows that refer to a memory which
/// is not there go: the next memory of that number would have them; a copy of the file as it was stays. Says what went.
///
/// Only in its turn a process begins a file that is not there.
pub(super) fn begin(path: &Path, turn: Option<&Turn>) -> Result<(Connection, Repaired), Begun> {
    if path.metadata().is_ok_and(|about| !about.is_file()) {
        // A pipe would be waited for.
        return Err(Begun::Failed(rusqlite::Error::InvalidPath(path.to_owned())));
    }
    if let Some(turn) = turn.filter(|_| !path.exists()) {
        // Nobody finds it half begun. Where a system cannot do that it is begun as it is.
        let _ = created(path, turn, |_| Ok(())).map(|new| new.persist_noclobber(path));
    }
    let (was_empty, is_there) = (is_empty(path), path.exists());
    let mut flags = OpenFlags::default();
    flags.set(OpenFlags::SQLITE_OPEN_CREATE, turn.is_some());
    let mut connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(PATIENCE)?;
    let sound: String = connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
    if sound != "ok" {
        return Err(Begun::Damaged(sound.replace('\n', " ")));
    }
    if !is_there {
        // Before anything stands in it: what is written beside it is for whom it is.
        for_its_owner(path);
    }
    // Readers go on while another process writes.
    connection.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(()))?;
    let version = |connection: &Connection| connection.query_row("PRAGMA user_version", [], |row| row.get::<_, i64>(0));
    let known = VERSIONS.len();
    let newest = i64::try_from(known).unwrap_or(i64::MAX);
    let dangling = |connection: &Connection| connection.query_row(DANGLING, [], |row| row.get::<_, i64>(0));
    let unsaid = |connection: &Connection| connection.query_row(UNSAID, [], |row| row.get::<_, i64>(0));
    let is_new = version(&connection)? == newest;
    let mut repaired = Repaired { was_empty: was_empty && !is_new, ..Repaired::default() };
    let is_whole =
        dangling(&connection).map_err(strange)? == 0 && !(is_new && unsaid(&connection).map_err(strange)? > 0);
    if !is_whole && version(&connection)? <= newest {
        repaired.copy = Some(copied(&connection, path)?);
    }
    if !is_new || !is_whole {
        let transaction = Transaction::new(&mut connection, TransactionBehavior::Immediate)?;
        // Another process may have done it meanwhile.
        let from = version(&transaction)?;
        if from > newest {
            return Err(Begun::Newer(from));
        }
        repaired.was_empty &= from == 0;
        if !is_whole {
            transaction.execute(REINDEX, []).map_err(strange)?;
        }
        if dangling(&transaction).map_err(strange)? > 0 {
            for repair in REPAIRS {
                repaired.removed += transaction.execute(repair, []).map_err(strange)?;
            }
        }
        for step in VERSIONS.iter().skip(usize::try_from(from).unwrap_or(0)) {
            transaction.execute_batch(step).map_err(strange)?;
        }
        if from < newest {
            sum_up(&transaction).map_err(strange)?;
        }
        repaired.unsaid = transaction.execute(ADOPTS, []).map_err(strange)?;
        transaction.pragma_update(None, "user_version", newest)?;
        transaction.commit()?;
    }
    for asked in ASKED {
        connection.prepare(asked).map_err(strange)?;
    }
    connection.pragma_update(None, "foreign_keys", true)?;
    leave_out_damaged(&mut connection, path, &mut repaired)?;
    Ok((connection, repaired))
}

/// A file that has all of the newest version, and what `fill` writes into it: whole before it has a name.
pub(super) fn created(
    path: &Path,
    turn: &Turn,
    fill: impl FnOnce(&Connection) -> Result<(), Begun>,
) -> Result<NamedTempFile, Begun> {
    let new = turn.new_file(path).map_err(|_| Begun::Failed(rusqlite::Error::InvalidPath(path.to_owned())))?;
    let connection = Connection::open(new.path())?;
    newest(&connection)?;
    fill(&connection)?;
    connection.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(()))?;
    connection.close().map_err(|(_, why)| Begun::Failed(why))?;
    Ok(new)
}

/// Lays an empty file out as the newest version.
pub(super) fn newest(connection: &Connection) -> Result<(), rusqlite::Error> {
    let all = connection.unchecked_transaction()?;
    for step in VERSIONS {
        all.execute_batch(step)?;
    }
    all.pragma_update(None, "user_version", i64::try_from(VERSIONS.len()).unwrap_or(i64::MAX))?;
    all.commit()
}

/// A copy of a file and of what is written beside it, called `memories.db`.
pub(super) fn copy_to_read(path: &Path) -> std::io::Result<tempfile::TempDir> {
    let folder = tempfile::tempdir()?;
    for end in ["", "-wal"] {
        let mut from = path.as_os_str().to_owned();
        from.push(end);
        if end.is_empty() || Path::new(&from).exists() {
            std::fs::write(folder.path().join(format!("memories.db{end}")), std::fs::read(&from)?)?;
        }
    }
    Ok(folder)
}

/// What users said is read by nobody else on the machine. Where that cannot be said of a file, it is kept all the same.
fn for_its_owner(path: &Path) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let _ = std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600));
    }
    #[cfg(not(unix))]
    let _ = path;
}

/// Whether a file is there and has nothing in it, nor beside it: one byte is nothing to the database.
fn is_empty(path: &Path) -> bool {
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    path.metadata().is_ok_and(|about| about.len() < 2) && !Path::new(&log).exists()
}

/// Deletes the memories whose rows are damaged, so that they can be kept anew; a copy of the file as it was stays.
fn leave_out_damaged(connection: &mut Connection, path: &Path, repaired: &mut Repaired) -> Result<(), Begun> {
    if damaged(connection)?.is_empty() {
        return Ok(());
    }
    if repaired.copy.is_none() {
        repaired.copy = Some(copied(connection, path)?);
    }
    let transaction = Transaction::new(connection, TransactionBehavior::Immediate)?;
    for id in damaged(&transaction)? {
        transaction.execute("UPDATE memories SET heir = NULL, merged_by = '' WHERE heir = ?1", [id])?;
        transaction.execute("DELETE FROM memories WHERE id = ?1", [id])?;
        repaired.damaged.push(format!("memory {id}"));
    }
    transaction.commit()?;
    Ok(())
}

/// Writes a copy of a file beside it, as it is.
fn copied(connection: &Connection, path: &Path) -> Result<PathBuf, Begun> {
    // Another process may take a name meanwhile.
    let mut last = rusqlite::Error::InvalidPath(path.to_owned());
    for number in 1..10_000 {
        let mut name = path.as_os_str().to_owned();
        name.push(format!(".repaired-{number}"));
        let copy = PathBuf::from(name);
        if copy.symlink_metadata().is_ok() {
            continue;
        }
        let Some(told) = copy.to_str() else { return Err(Begun::Failed(last)) };
        match connection.execute("VACUUM INTO ?1", [told]) {
            Ok(_) => {
                for_its_owner(&copy);
                return Ok(copy);
            }
            Err(why) if copy.exists() => last = why,
            Err(why) => return Err(Begun::Failed(why)),
        }
    }
    Err(Begun::Failed(last))
}

/// What statements of ours that a file does not understand tell of it.
fn strange(error: rusqlite::Error) -> Begun {
    match &error {
        rusqlite::Error::SqlInputError { .. } => {}
        other if other.sqlite_error_code() == Some(ErrorCode::Unknown) => {}
        // Two rows where there can be one.
        other if other.sqlite_error_code() == Some(ErrorCode::ConstraintViolation) => {}
        _ => return error.into(),
    }
    Begun::Damaged(format!("it is not laid out as its version says: {error}"))
}

pub(super) fn database(path: &Path, why: rusqlite::Error) -> MemoryFileError {
    MemoryFileError::Database { path: path.display().to_string(), why }
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::super::{KeptMemory, MemoryFile};

    #[test]
    fn what_is_kept_is_read_by_nobody_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("memories.db");
        let modes = || -> Vec<(String, u32)> {
            let all = std::fs::read_dir(folder.path()).unwrap().flatten();
            let mode = |one: &std::fs::DirEntry| one.metadata().unwrap().permissions().mode() & 0o777;
            all.map(|one| (one.file_name().to_string_lossy().into_owned(), mode(&one))).collect()
        };
        let memory = |text: &str| KeptMemory {
            scope: "user".to_owned(),
            owner: "me".to_owned(),
            text: text.to_owned(),
            ..KeptMemory::default()
        };
        let mut file = MemoryFile::open(&path).unwrap();
        file.add(&[memory("The port is 8080."), memory("Tabs.")]).unwrap();
        // What it writes ahead is beside it.
        assert!(modes().len() > 1 && modes().iter().all(|(_, mode)| *mode == 0o600), "{:?}", modes());
        drop(file);
        let database = rusqlite::Connection::open(&path).unwrap();
        database.execute("UPDATE memories SET text = 'The port is 9090.' WHERE id = 1", []).unwrap();
        drop(database);
        let file = MemoryFile::open(&path).unwrap();
        assert!(file.repaired().copy.is_some());
        assert!(modes().len() > 1 && modes().iter().all(|(_, mode)| *mode == 0o600), "{:?}", modes());
    }
}
