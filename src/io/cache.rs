//! Counts kept from one run of the program to the next, in one small file under the platform's cache folder.
//!
//! The file is sorted, so that a count is found without reading it in. It is replaced as a whole, so that a reader
//! sees the old one or the new one; what is damaged or of another version is ignored and written anew.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use directories::ProjectDirs;
use xxhash_rust::xxh3::xxh3_64;

use super::day::today;
use crate::tokens::{Count, Counts, Key};

/// First bytes of the file; another number where a count's meaning changes.
const MAGIC: &[u8; 16] = b"windowpane cnt 1";
/// Bytes of one record: hash, size, tokens, day of the last use, what counted it, whether it is exact.
const RECORD: usize = 24;
/// Bytes of the key within a record.
const KEY: usize = 17;
/// The file grows no larger; then what was not used for longest is dropped.
const BYTES_MAX: usize = 16 << 20;
/// Records that were used are written anew when they were last used so many days ago.
const DAYS: u16 = 7;
const FILE: &str = "counts";

/// Counts of earlier runs.
#[derive(Clone, Debug, Default)]
pub struct CountCache {
    folder: Option<PathBuf>,
    records: Arc<Records>,
}

/// The cache's folder: `WINDOWPANE_CACHE` where it is set (`off` or nothing: none), else the platform's.
#[must_use]
pub fn cache_folder() -> Option<PathBuf> {
    match std::env::var_os("WINDOWPANE_CACHE") {
        Some(named) if named.is_empty() || named == "off" => None,
        Some(named) => Some(PathBuf::from(named)),
        None => ProjectDirs::from("", "", "windowpane").map(|places| places.cache_dir().to_owned()),
    }
}

impl CountCache {
    /// Reads what is kept in a folder; with none, nothing is kept. What cannot be read counts as nothing.
    #[must_use]
    pub fn open(folder: Option<PathBuf>) -> Self {
        let records = folder.as_deref().and_then(|folder| Records::read(&folder.join(FILE))).unwrap_or_default();
        CountCache { folder, records: Arc::new(records) }
    }

    /// Lets counts be looked up here.
    pub fn lend(&self, counts: &Counts) {
        let records = Arc::clone(&self.records);
        counts.keep(Box::new(move |key| records.find(key)));
    }

    /// Writes what was counted and used, with what is kept already: also what another program kept meanwhile. Does
    /// nothing where there is nothing new.
    ///
    /// # Errors
    /// What the system reports; the file is then as it was.
    pub fn save(&self, counts: &Counts) -> io::Result<()> {
        self.save_on(counts, today())
    }

    fn save_on(&self, counts: &Counts, day: u16) -> io::Result<()> {
        let Some(folder) = &self.folder else { return Ok(()) };
        let used = counts.used();
        if !used.iter().any(|(key, _)| self.records.day_of(*key).is_none_or(|last| last.saturating_add(DAYS) <= day)) {
            return Ok(());
        }
        fs::create_dir_all(folder)?;
        // Two programs that write at once would each lose what the other counted: no harm, but easily avoided.
        let guard = File::create(folder.join("counts.lock"));
        let _held = guard.as_ref().is_ok_and(|file| file.try_lock().is_ok());
        let kept = Records::read(&folder.join(FILE)).unwrap_or_default();
        let merged = bounded(merge(&kept, &used, day), BYTES_MAX / RECORD);
        let mut bytes = Vec::with_capacity(MAGIC.len() + merged.len() * RECORD + 8);
        bytes.extend_from_slice(MAGIC);
        bytes.extend(merged.iter().flatten());
        bytes.extend_from_slice(&xxh3_64(&bytes).to_le_bytes());
        let mut file = tempfile::NamedTempFile::new_in(folder)?;
        file.write_all(&bytes)?;
        file.persist(folder.join(FILE)).map_err(|failed| failed.error)?;
        Ok(())
    }
}

/// The sorted records of a file.
#[derive(Debug, Default)]
struct Records {
    bytes: Vec<u8>,
}

type Record = [u8; RECORD];

impl Records {
    /// Reads a file; `None` where it is not there, damaged, too large or of another version.
    fn read(path: &Path) -> Option<Records> {
        let most = (MAGIC.len() + BYTES_MAX + 8) as u64;
        let mut bytes = Vec::new();
        File::open(path).ok()?.take(most + 1).read_to_end(&mut bytes).ok()?;
        let body = bytes.len().checked_sub(8).filter(|_| bytes.len() as u64 <= most)?;
        let sum = u64::from_le_bytes(bytes.get(body..)?.try_into().ok()?);
        let whole = xxh3_64(bytes.get(..body)?) == sum && bytes.starts_with(MAGIC);
        let fits = body.checked_sub(MAGIC.len())?.is_multiple_of(RECORD);
        bytes.truncate(body);
        bytes.drain(..MAGIC.len());
        (whole && fits).then_some(Records { bytes })
    }

    fn list(&self) -> &[Record] {
        self.bytes.as_chunks().0
    }

    fn get(&self, key: Key) -> Option<&Record> {
        let wanted = encode(key, Count::default(), 0);
        let at = self.list().binary_search_by(|record| record[..KEY].cmp(&wanted[..KEY])).ok()?;
        self.list().get(at)
    }

    fn find(&self, key: Key) -> Option<Count> {
        self.get(key).map(|record| {
            let [.., _, _, _, exact] = *record;
            let tokens = [record[17], record[18], record[19], record[20]];
            Count { tokens: u64::from(u32::from_le_bytes(tokens)), exact: exact == 1 }
        })
    }

    fn day_of(&self, key: Key) -> Option<u16> {
        self.get(key).map(day_of)
    }
}

/// The key in an order that sorts as bytes do, then tokens, day, and whether it is exact.
fn encode(key: Key, count: Count, day: u16) -> Record {
    let mut record = [0; RECORD];
    record[..8].copy_from_slice(&key.hash.to_be_bytes());
    record[8..16].copy_from_slice(&key.size.to_be_bytes());
    record[16] = key.by;
    record[17..21].copy_from_slice(&u32::try_from(count.tokens).unwrap_or(u32::MAX).to_le_bytes());
    record[21..23].copy_from_slice(&day.to_le_bytes());
    record[23] = u8::from(count.exact);
    record
}

fn day_of(record: &Record) -> u16 {
    u16::from_le_bytes([record[21], record[22]])
}

/// Both lists in order, each key once; what was used now is of today.
fn merge(kept: &Records, used: &[(Key, Count)], day: u16) -> Vec<Record> {
    let mut merged: Vec<Record> = kept.list().to_vec();
    // A count that does not fit its place is not kept: no content has so many tokens.
    let fitting = used.iter().filter(|(_, count)| u32::try_from(count.tokens).is_ok());
    merged.extend(fitting.map(|(key, count)| encode(*key, *count, day)));
    // Of equal keys the newer comes first and stays. Sorting what is mostly sorted costs little.
    merged.sort_by(|one, other| one[..KEY].cmp(&other[..KEY]).then(day_of(other).cmp(&day_of(one))));
    merged.dedup_by(|later, first| later[..KEY] == first[..KEY]);
    merged
}

/// The `most` records that were used last, in the order given.
fn bounded(mut records: Vec<Record>, most: usize) -> Vec<Record> {
    if records.len() > most {
        let mut days: Vec<u16> = records.iter().map(day_of).collect();
        let (_, oldest, _) = days.select_nth_unstable(records.len() - most);
        let oldest = *oldest;
        let newer = records.iter().filter(|record| day_of(record) > oldest).count();
        let mut room = most - newer;
        records.retain(|record| {
            let stays = day_of(record) > oldest || (day_of(record) == oldest && room > 0);
            room -= usize::from(stays && day_of(record) == oldest);
            stays
        });
    }
    records
}

#[cfg(test)]
#[path = "cache_tests.rs"]
mod tests;
