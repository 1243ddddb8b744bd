//! Vectors kept from one run of the program to the next, in one small database under the cache folder.
//!
//! Two programs may write at once: the database sees to that. It is bounded: what was not used for longest goes first.
//! What cannot be read counts as nothing, and a damaged file is begun anew.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rusqlite::{Connection, params};

use super::day::today;
use crate::chunk::Store;

/// Bytes of vectors that are kept.
const BYTES_MAX: i64 = 192 << 20;
/// How long another program is waited for.
const PATIENCE: Duration = Duration::from_secs(2);
const FILE: &str = "vectors.sqlite";
const TABLES: &str = "
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = OFF;
    CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, day INTEGER NOT NULL, data BLOB NOT NULL) WITHOUT ROWID;
    CREATE INDEX IF NOT EXISTS by_day ON vectors (day);";

/// Vectors of earlier runs.
pub struct VectorCache {
    database: Mutex<Connection>,
    bytes_max: i64,
}

impl VectorCache {
    /// Opens the database of a folder; `None` where there is no folder or it cannot be used.
    #[must_use]
    pub fn open(folder: Option<&Path>) -> Option<VectorCache> {
        VectorCache::bounded(folder?, BYTES_MAX)
    }

    fn bounded(folder: &Path, bytes_max: i64) -> Option<VectorCache> {
        fs::create_dir_all(folder).ok()?;
        let path = folder.join(FILE);
        let database = connect(&path).or_else(|| {
            // What is no database, or a damaged one, is of no use to anybody.
            for end in ["", "-wal", "-shm"] {
                let _ = fs::remove_file(PathBuf::from(format!("{}{end}", path.display())));
            }
            connect(&path)
        })?;
        Some(VectorCache { database: Mutex::new(database), bytes_max })
    }

    /// Drops what was not used for longest, where there is too much.
    fn bound(&self, database: &Connection) -> rusqlite::Result<()> {
        let sum = "SELECT COUNT(*), COALESCE(SUM(LENGTH(data) + 48), 0) FROM vectors";
        let (rows, bytes): (i64, i64) = database.query_row(sum, [], |row| Ok((row.get(0)?, row.get(1)?)))?;
        if bytes > self.bytes_max && rows > 0 {
            // To three quarters, so that not every save has to.
            let too_many = rows.saturating_sub(rows.saturating_mul(self.bytes_max) / bytes * 3 / 4);
            let drop = "DELETE FROM vectors WHERE key IN (SELECT key FROM vectors ORDER BY day, key LIMIT ?1)";
            database.execute(drop, [too_many])?;
            database.execute_batch("VACUUM")?;
        }
        Ok(())
    }

    fn put_all(&self, vectors: &[([u8; 32], Arc<[f32]>)]) -> rusqlite::Result<()> {
        let mut database = self.database.lock().unwrap_or_else(PoisonError::into_inner);
        let writing = database.transaction()?;
        {
            let mut put = writing.prepare("INSERT OR REPLACE INTO vectors (key, day, data) VALUES (?1, ?2, ?3)")?;
            let today = i64::from(today());
            for (key, vector) in vectors {
                let data: Vec<u8> = vector.iter().flat_map(|part| part.to_le_bytes()).collect();
                put.execute(params![key.as_slice(), today, data])?;
            }
        }
        writing.commit()?;
        self.bound(&database)
    }

    fn get_all(&self, keys: &[[u8; 32]], dimensions: usize) -> rusqlite::Result<Vec<Option<Arc<[f32]>>>> {
        let database = self.database.lock().unwrap_or_else(PoisonError::into_inner);
        let mut get = database.prepare_cached("SELECT data, day FROM vectors WHERE key = ?1")?;
        let today = i64::from(today());
        let mut stale = Vec::new();
        let mut found = Vec::with_capacity(keys.len());
        for key in keys {
            let row = get.query_row([key.as_slice()], |row| Ok((row.get::<_, Vec<u8>>(0)?, row.get::<_, i64>(1)?)));
            let vector = row.ok().and_then(|(data, day)| {
                if day < today {
                    stale.push(key);
                }
                let (parts, rest) = data.as_chunks::<4>();
                let vector: Vec<f32> = parts.iter().map(|part| f32::from_le_bytes(*part)).collect();
                let whole = rest.is_empty() && vector.len() == dimensions;
                (whole && vector.iter().all(|part| part.is_finite())).then(|| vector.into())
            });
            found.push(vector);
        }
        // Used today: they are dropped last.
        if !stale.is_empty() {
            database.execute_batch("BEGIN")?;
            for key in stale {
                database.execute("UPDATE vectors SET day = ?2 WHERE key = ?1", params![key.as_slice(), today])?;
            }
            database.execute_batch("COMMIT")?;
        }
        Ok(found)
    }
}

impl Store for VectorCache {
    fn get(&self, keys: &[[u8; 32]], dimensions: usize) -> Vec<Option<Arc<[f32]>>> {
        self.get_all(keys, dimensions).unwrap_or_else(|_| vec![None; keys.len()])
    }

    fn put(&self, vectors: &[([u8; 32], Arc<[f32]>)]) {
        // A cache that cannot be written makes the next run slower, nothing else.
        let _ = self.put_all(vectors);
    }
}

fn connect(path: &Path) -> Option<Connection> {
    let database = Connection::open(path).ok()?;
    database.busy_timeout(PATIENCE).ok()?;
    database.execute_batch(TABLES).ok()?;
    Some(database)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vector(of: f32) -> Arc<[f32]> {
        vec![of; 4].into()
    }

    #[test]
    fn what_is_kept_is_found_by_another_program_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let one = VectorCache::open(Some(folder.path())).unwrap();
        let other = VectorCache::open(Some(folder.path())).unwrap();
        one.put(&[([1; 32], vector(0.5)), ([2; 32], vector(0.25))]);
        other.put(&[([3; 32], vector(1.0))]);
        assert_eq!(other.get(&[[1; 32], [9; 32]], 4), [Some(vector(0.5)), None]);
        assert_eq!(one.get(&[[3; 32]], 4), [Some(vector(1.0))]);
        assert_eq!(one.get(&[[3; 32]], 5), [None]);
        assert!(VectorCache::open(None).is_none());
    }

    #[test]
    fn a_damaged_file_is_begun_anew() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(FILE), "no database at all, but long enough to be looked at".repeat(30)).unwrap();
        let cache = VectorCache::open(Some(folder.path())).unwrap();
        cache.put(&[([1; 32], vector(0.5))]);
        assert_eq!(cache.get(&[[1; 32]], 4), [Some(vector(0.5))]);
    }

    #[test]
    fn it_stays_within_its_bounds() {
        let folder = tempfile::tempdir().unwrap();
        let cache = VectorCache::bounded(folder.path(), 6_400).unwrap();
        for number in 0..10u8 {
            let many: Vec<_> = (0..20u8).map(|at| ([number * 20 + at; 32], vector(0.5))).collect();
            cache.put(&many);
        }
        let keys: Vec<[u8; 32]> = (0..200).map(|key| [key; 32]).collect();
        let kept = cache.get(&keys, 4).iter().flatten().count();
        assert!((50..=100).contains(&kept), "{kept}");
    }
}
