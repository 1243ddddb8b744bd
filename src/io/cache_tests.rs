//! Counts are found again, bounded, shared, and never trusted when damaged.

use proptest::prelude::*;

use super::*;
use crate::content::Sources;
use crate::model::{Body, Coding, SourceId, SourceKind, Span};
use crate::tokens::{Counter, Encoding, ImageRule};

const COUNTER: Counter = Counter { encoding: Encoding::O200kBase, images: ImageRule::Flat(7), exact: true };

/// Counts a text; returns the counts, and its body.
fn counted(text: &str) -> (Counts, Body) {
    let mut sources = Sources::default();
    sources.add_memory("t", SourceKind::Transcript, text.as_bytes().to_vec());
    let span = Span { source: SourceId(0), start: 0, end: text.len() as u64, coding: Coding::Plain };
    let body =
        Body::Text { spans: smallvec::smallvec![span], chars: text.len() as u64, hash: xxh3_64(text.as_bytes()) };
    let counts = Counts::default();
    counts.count_body(&sources, &body, COUNTER).unwrap();
    (counts, body)
}

fn known(folder: &Path, body: &Body) -> Option<Count> {
    let counts = Counts::default();
    CountCache::open(Some(folder.to_owned())).lend(&counts);
    counts.get(body, COUNTER)
}

#[test]
fn counts_are_found_again_and_another_programs_kept() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("a/b");
    let ((one, first), (two, second)) = (counted("first text"), counted("and a second"));
    let (early, late) = (CountCache::open(Some(place.clone())), CountCache::open(Some(place.clone())));
    early.save(&one).unwrap();
    // Opened before the other wrote: what it wrote stays.
    late.save(&two).unwrap();
    assert_eq!(known(&place, &first), Some(Count { tokens: 2, exact: true }));
    assert_eq!(known(&place, &second), two.get(&second, COUNTER));
    let mut names: Vec<String> =
        fs::read_dir(&place).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    assert_eq!(names, ["counts", "counts.lock"]);
}

#[test]
fn nothing_new_writes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let (counts, body) = counted("text");
    CountCache::open(Some(folder.path().to_owned())).save_on(&counts, 100).unwrap();
    let cache = CountCache::open(Some(folder.path().to_owned()));
    let file = folder.path().join(FILE);
    let written = |day| {
        let before = fs::read(&file).unwrap();
        cache.save_on(&counts, day).unwrap();
        fs::read(&file).unwrap() != before
    };
    assert!(!written(103));
    assert!(written(107));
    assert!(known(folder.path(), &body).is_some());

    let none = CountCache::open(None);
    none.save(&counts).unwrap();
    none.lend(&counts);
}

#[test]
fn a_damaged_file_is_ignored_and_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let (counts, body) = counted("text");
    CountCache::open(Some(folder.path().to_owned())).save(&counts).unwrap();
    let file = folder.path().join(FILE);
    let good = fs::read(&file).unwrap();
    let mut damaged: Vec<Vec<u8>> = (0..good.len()).map(|cut| good[..cut].to_vec()).collect();
    for at in 0..good.len() {
        let mut bytes = good.clone();
        bytes[at] ^= 0x41;
        damaged.push(bytes);
    }
    damaged.push(b"{}".repeat(50));
    for bytes in damaged {
        fs::write(&file, &bytes).unwrap();
        assert_eq!(known(folder.path(), &body), None, "{bytes:?}");
    }
    CountCache::open(Some(folder.path().to_owned())).save(&counts).unwrap();
    assert!(known(folder.path(), &body).is_some());
}

#[test]
fn a_folder_that_cannot_be_written_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    assert!(CountCache::open(Some(file.join("below"))).save(&counted("text").0).is_err());
}

#[test]
fn the_least_recently_used_are_dropped() {
    let record = |hash, day| encode(Key { hash, size: 1, by: 1 }, Count::default(), day);
    let records: Vec<Record> = [(1, 5), (2, 9), (3, 5), (4, 5), (5, 7)].map(|(hash, day)| record(hash, day)).to_vec();
    let left = |most| bounded(records.clone(), most).iter().map(|record| record[7]).collect::<Vec<_>>();
    assert_eq!(left(9), [1, 2, 3, 4, 5]);
    assert_eq!(left(3), [1, 2, 5]);
    assert_eq!(left(2), [2, 5]);
    assert_eq!(left(1), [2]);
}

proptest! {
    #[test]
    fn every_record_is_found(entries in prop::collection::btree_map(any::<(u64, u64, u8)>(), any::<(u32, bool)>(), 0..200)) {
        let used: Vec<(Key, Count)> = entries
            .iter()
            .map(|((hash, size, by), (tokens, exact))| {
                (Key { hash: *hash, size: *size, by: *by }, Count { tokens: u64::from(*tokens), exact: *exact })
            })
            .collect();
        let merged = merge(&Records::default(), &used, 3);
        let records = Records { bytes: merged.concat() };
        for (key, count) in &used {
            prop_assert_eq!(records.find(*key), Some(*count));
            prop_assert_eq!(records.day_of(*key), Some(3));
        }
        prop_assert_eq!(merge(&records, &used, 4).len(), used.len());
    }
}
