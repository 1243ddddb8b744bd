//! What can still be read of a damaged file of memories: it goes on in a new one.

use std::path::Path;

use rusqlite::types::Value;
use rusqlite::{Connection, Row, params_from_iter};

use super::open::{ADOPTS, Begun, REPAIRS, VERSIONS, copy_to_read, created};
use super::rows::damaged;

/// The columns of the tables, in the order in which a row is carried over, each table with what tells whose its rows are.
const MEMORIES: (&str, &str, &str) = (
    "memories",
    "id, scope, owner, key, source_type, text, how, source, first, last, around, heir, merged_by, rewritten, sum",
    "id",
);
const OTHERS: &[(&str, &str, &str)] = &[
    ("said", "memory, session, wrote, uses, promoted", "memory"),
    ("edges", "first, second, kind, score, session", "first"),
];

/// Numbers behind the last that was found among which others are looked for, and numbers of a gap, at most.
const BEHIND: i64 = 100_000;
const GAP: i64 = 1_000_000;

/// What was saved of a damaged file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Saved {
    /// Memories that go on.
    pub memories: usize,
    /// What was the matter.
    pub why: String,
}

/// Begins a file anew with what can be read of a damaged one, which stays as it is. Returns how many memories that are;
/// `None` where there are none, or the file is of another version.
pub(super) fn salvage(from: &Path, to: &Path) -> Option<usize> {
    let folder = copy_to_read(from).ok()?;
    let old = Connection::open(folder.path().join("memories.db")).ok()?;
    let version: i64 = old.query_row("PRAGMA user_version", [], |row| row.get(0)).ok()?;
    if usize::try_from(version).ok()? != VERSIONS.len() {
        return None;
    }
    let ids = numbers(&old);
    let mut saved = 0;
    let fill = |new: &Connection| -> Result<(), Begun> {
        new.pragma_update(None, "foreign_keys", false)?;
        let all = new.unchecked_transaction()?;
        for id in &ids {
            let carried = carry(&old, &all, MEMORIES, *id)?;
            for table in OTHERS.iter().filter(|_| carried > 0) {
                carry(&old, &all, *table, *id)?;
            }
        }
        for id in damaged(&all)? {
            all.execute("DELETE FROM memories WHERE id = ?1", [id])?;
        }
        for repair in REPAIRS.iter().chain([&ADOPTS]) {
            all.execute(repair, [])?;
        }
        let left: i64 = all.query_row("SELECT count(*) FROM memories", [], |row| row.get(0))?;
        saved = usize::try_from(left).unwrap_or(0);
        // With nothing in it the file is not begun: who opens it is told that it is damaged.
        if saved == 0 {
            return Err(Begun::Failed(rusqlite::Error::QueryReturnedNoRows));
        }
        all.commit()?;
        Ok(())
    };
    created(to, fill).ok()?;
    Some(saved)
}

/// The numbers of the memories that may be read: from both ends up to what is damaged, and all between.
fn numbers(old: &Connection) -> Vec<i64> {
    let one = |sql: &str, at: i64| -> Option<Option<i64>> {
        match old.prepare_cached(sql).and_then(|mut found| found.query_row([at], |row| row.get(0))) {
            Ok(id) => Some(Some(id)),
            Err(rusqlite::Error::QueryReturnedNoRows) => Some(None),
            Err(_) => None,
        }
    };
    let (mut found, mut next) = (Vec::new(), i64::MIN);
    loop {
        match one("SELECT id FROM memories WHERE id >= ?1 ORDER BY id LIMIT 1", next) {
            Some(Some(id)) => found.push(id),
            Some(None) => return found,
            None => break,
        }
        match found.last().and_then(|last| last.checked_add(1)) {
            Some(after) => next = after,
            None => return found,
        }
    }
    let (mut behind, mut last) = (Vec::new(), i64::MAX);
    while let Some(Some(id)) = one("SELECT id FROM memories WHERE id <= ?1 ORDER BY id DESC LIMIT 1", last) {
        if id < next {
            break;
        }
        behind.push(id);
        last = id.saturating_sub(1);
    }
    let from = next.max(0);
    let to = if behind.is_empty() { from.saturating_add(BEHIND) } else { last.min(from.saturating_add(GAP)) };
    found.extend(from..=to);
    found.extend(behind.into_iter().rev());
    found
}

/// Writes what a table has of a memory into the same table of another file; how many rows that are.
fn carry(old: &Connection, new: &Connection, table: (&str, &str, &str), id: i64) -> Result<usize, rusqlite::Error> {
    let (name, columns, whose) = table;
    let number = columns.split(',').count();
    let read = |row: &Row| (0..number).map(|at| row.get(at)).collect::<Result<Vec<Value>, _>>();
    let mut rows = Vec::new();
    if let Ok(mut asked) = old.prepare_cached(&format!("SELECT {columns} FROM {name} WHERE {whose} = ?1"))
        && let Ok(found) = asked.query_map([id], read)
    {
        // What is damaged ends it: the rows before that were read.
        rows.extend(found.map_while(Result::ok));
    }
    let places = vec!["?"; number].join(", ");
    let mut put = new.prepare_cached(&format!("INSERT OR IGNORE INTO {name} ({columns}) VALUES ({places})"))?;
    let mut carried = 0;
    for row in rows {
        // A row that the file itself would not take is a damaged one.
        carried += put.execute(params_from_iter(row)).unwrap_or(0);
    }
    Ok(carried)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use super::super::{KeptMemory, Layer, MemoryFile, Repaired};

    const SESSION: Layer = Layer { session: "s", part: "", user: "me", agent: None, at_work: "" };

    fn memory(number: usize) -> KeptMemory {
        KeptMemory {
            scope: "user".to_owned(),
            owner: "me".to_owned(),
            text: format!("The service s{number} listens on port {}.", 10_000 + number),
            uses: 2,
            ..KeptMemory::default()
        }
    }

    /// A file of so many memories, and its pages with the text of one overwritten.
    fn damaged(path: &Path, number: usize, hit: &[usize]) -> Vec<u8> {
        let memories: Vec<KeptMemory> = (0..number).map(memory).collect();
        let mut file = MemoryFile::open(path).unwrap();
        file.keep(SESSION, true, &memories).unwrap();
        drop(file);
        let mut bytes = std::fs::read(path).unwrap();
        for number in hit {
            let text = memory(*number).text;
            let at = bytes.windows(text.len()).position(|part| part == text.as_bytes()).unwrap();
            bytes[at / 4096 * 4096..][..4096].fill(0x5a);
        }
        std::fs::write(path, &bytes).unwrap();
        bytes
    }

    #[test]
    fn what_can_be_read_of_a_damaged_file_goes_on() {
        let folder = tempfile::tempdir().unwrap();
        // In the middle, at either end, and in several places.
        for (nth, hit) in [&[500][..], &[0], &[999], &[100, 500, 900]].into_iter().enumerate() {
            let path = folder.path().join(format!("{nth}.db"));
            let bytes = damaged(&path, 1_000, hit);
            let mut file = MemoryFile::open(&path).unwrap();
            let (repaired, read) = (file.repaired().clone(), file.all().unwrap());
            let kept = repaired.copy.unwrap();
            assert_eq!(std::fs::read(&kept).unwrap(), bytes, "the file stays as it was");
            let saved = repaired.saved.unwrap().memories;
            assert!(saved > 900 - 30 * hit.len() && saved < 1_000 && saved == read.memories.len(), "{hit:?}: {saved}");
            assert!(read.damaged.is_empty() && read.memories.iter().all(|one| one.uses == 2), "{:?}", read.damaged);
            let texts: BTreeSet<String> = read.memories.into_iter().map(|one| one.text).collect();
            assert!((0..1_000).map(memory).filter(|one| texts.contains(&one.text)).count() == saved);
            // What is kept again comes to what was saved.
            let all: Vec<KeptMemory> = (0..1_000).map(memory).collect();
            file.keep(SESSION, true, &all).unwrap();
            drop(file);
            let file = MemoryFile::open(&path).unwrap();
            assert_eq!((file.repaired(), file.all().unwrap().memories.len()), (&Repaired::default(), 1_000));
        }
    }

    #[test]
    fn many_may_begin_a_file_at_once() {
        for _ in 0..20 {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("memories.db");
            let start = std::sync::Barrier::new(8);
            std::thread::scope(|scope| {
                for number in 0..8 {
                    let (path, start) = (&path, &start);
                    scope.spawn(move || {
                        start.wait();
                        let mut file = MemoryFile::open(path).unwrap();
                        assert_eq!(file.repaired(), &Repaired::default());
                        file.add(&[memory(number)]).unwrap();
                    });
                }
            });
            assert_eq!(MemoryFile::open(&path).unwrap().all().unwrap().memories.len(), 8);
            let left: Vec<_> = std::fs::read_dir(folder.path()).unwrap().flatten().map(|one| one.file_name()).collect();
            assert!(left.iter().all(|name| name.to_string_lossy().starts_with("memories.db")), "{left:?}");
        }
    }
}
