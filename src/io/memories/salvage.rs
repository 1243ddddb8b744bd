//! What can still be read of a damaged file of memories: it goes on in a new one.

use std::path::Path;

use rusqlite::types::Value;
use rusqlite::{Connection, Row, params_from_iter};
use tempfile::NamedTempFile;

use super::open::{ADOPTS, Begun, REPAIRS, VERSIONS, copy_to_read, created, newest};
use super::rows::damaged;
use super::turn::Turn;

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

/// How long the header of a file is, and where in it the size of its pages and their number stand.
const HEADER: usize = 100;
const PAGE_SIZE: std::ops::Range<usize> = 16..18;
const PAGES: std::ops::Range<usize> = 28..32;

/// A new file with what can be read of a damaged one, which stays as it is, and how many memories that are; `None` where
/// there are none, or the file is of another version.
pub(super) fn salvage(from: &Path, turn: &Turn) -> Option<(NamedTempFile, usize)> {
    let folder = copy_to_read(from).ok()?;
    let copy = folder.path().join("memories.db");
    let mut bytes = std::fs::read(&copy).ok()?;
    let whole = |bytes: &[u8]| std::fs::write(&copy, bytes).ok();
    whole_pages(&mut bytes);
    whole(&bytes)?;
    // The first page tells where all others are, and is the same in each file of this version.
    if is_laid_out(&copy).is_err() {
        let first = first_page()?;
        bytes.resize(bytes.len().max(first.len()), 0);
        bytes[..first.len()].copy_from_slice(&first);
        whole_pages(&mut bytes);
        whole(&bytes)?;
        // Else each row that is asked for would read in vain what tables there are.
        is_laid_out(&copy).ok()?;
    }
    saved(&copy, from, turn)
}

/// Whether what a file says of itself can be read, whatever that is.
fn is_laid_out(path: &Path) -> Result<(), rusqlite::Error> {
    Connection::open(path)?.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()))
}

/// Makes a file that was cut one of whole pages, and has its header tell their number: the database reads no other.
fn whole_pages(bytes: &mut Vec<u8>) {
    let Some(size) = bytes.get(PAGE_SIZE).map(|size| usize::from(size[0]) << 8 | usize::from(size[1])) else { return };
    // What stands for the largest is one.
    let size = if size == 1 { 1 << 16 } else { size };
    if bytes.len() < HEADER || !size.is_power_of_two() || size < 512 {
        return;
    }
    bytes.resize(bytes.len().next_multiple_of(size), 0);
    let pages = u32::try_from(bytes.len() / size).unwrap_or(u32::MAX);
    bytes[PAGES].copy_from_slice(&pages.to_be_bytes());
    // Only with these two alike is that number believed.
    bytes.copy_within(24..28, 92);
}

/// The first page of a file with nothing in it.
fn first_page() -> Option<Vec<u8>> {
    let folder = tempfile::tempdir().ok()?;
    let path = folder.path().join("memories.db");
    let connection = Connection::open(&path).ok()?;
    newest(&connection).ok()?;
    connection.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(())).ok()?;
    let size: u32 = connection.query_row("PRAGMA page_size", [], |row| row.get(0)).ok()?;
    connection.close().ok()?;
    let mut bytes = std::fs::read(path).ok()?;
    bytes.truncate(usize::try_from(size).ok()?);
    Some(bytes)
}

/// A new file for `to` with what can be read of a copy.
fn saved(copy: &Path, to: &Path, turn: &Turn) -> Option<(NamedTempFile, usize)> {
    let old = Connection::open(copy).ok()?;
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
    let new = created(to, turn, fill).ok()?;
    Some((new, saved))
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
    /// Opens a file that somebody may have damaged, and looks that nothing was lost without a word: how many are read.
    fn opened(path: &Path, bytes: &[u8], all: &BTreeSet<String>, case: &str) -> usize {
        let before: BTreeSet<_> = names(path);
        std::fs::write(path, bytes).unwrap();
        let (told, texts) = match MemoryFile::open(path) {
            Ok(file) => {
                let read = file.all().unwrap();
                let told = file.repaired() != &Repaired::default() || !read.damaged.is_empty();
                (told, read.memories.into_iter().map(|one| one.text).collect())
            }
            Err(told) => (!told.to_string().is_empty(), BTreeSet::new()),
        };
        assert!(texts.is_subset(all), "{case}: something else is read");
        assert!(&texts == all || told, "{case}: {} are read, and nothing said", texts.len());
        let kept: Vec<_> = names(path).difference(&before).cloned().collect();
        let is_kept =
            |name: &String| std::fs::read(path.with_file_name(name)).is_ok_and(|kept| kept.len() + 4_096 > bytes.len());
        assert!(
            &texts == all || std::fs::read(path).is_ok_and(|there| there == bytes) || kept.iter().any(is_kept),
            "{case}: {kept:?} have not what was lost"
        );
        for name in names(path) {
            std::fs::remove_file(path.with_file_name(name)).unwrap();
        }
        texts.len()
    }

    fn names(path: &Path) -> BTreeSet<String> {
        let all = std::fs::read_dir(path.parent().unwrap()).unwrap().flatten();
        all.map(|one| one.file_name().to_string_lossy().into_owned()).collect()
    }

    #[test]
    fn a_file_that_was_cut_keeps_what_stands_before_the_cut() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("memories.db");
        let bytes = damaged(&path, 600, &[]);
        let all: BTreeSet<String> = (0..600).map(|number| memory(number).text).collect();
        let pages = bytes.len() / 4_096;
        for cut in (1..=3 * 8).map(|half| bytes.len() - half * 512) {
            let lost = bytes.len() - cut;
            let saved = opened(&path, &bytes[..cut], &all, &format!("cut {lost} of {pages} pages"));
            // A page holds some thirty.
            assert!(saved + 40 * lost.div_ceil(4_096) >= 600, "{saved} are saved of a file that lost {lost} bytes");
        }
        for cut in [0, 1, 50, 99, 100, 511, 512, 4_095, 4_096, 4_097, 8_192, bytes.len() / 3, bytes.len() / 2] {
            opened(&path, &bytes[..cut], &all, &format!("cut to {cut}"));
        }
    }

    #[test]
    fn bytes_that_are_flipped_anywhere_lose_nothing_without_a_word() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("memories.db");
        let bytes = damaged(&path, 300, &[]);
        let all: BTreeSet<String> = (0..300).map(|number| memory(number).text).collect();
        for page in 0..bytes.len() / 4_096 {
            for at in [0, 3, 19, 61, 107, 2_500] {
                let mut changed = bytes.clone();
                for byte in &mut changed[page * 4_096 + at..][..4] {
                    *byte ^= 0xa5;
                }
                opened(&path, &changed, &all, &format!("page {page}, at {at}"));
            }
        }
        // All that the first page tells is known.
        for (at, length) in [(0, 16), (16, 2), (24, 8), (40, 24), (100, 60), (0, 4_096)] {
            let mut changed = bytes.clone();
            changed[at..][..length].iter_mut().for_each(|byte| *byte ^= 0x5a);
            let saved = opened(&path, &changed, &all, &format!("the first page at {at}"));
            assert!(saved == 300 || (at, length) == (40, 24), "{saved} are saved, the first page is damaged at {at}");
        }
    }
}
