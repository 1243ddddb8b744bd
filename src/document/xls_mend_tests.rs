//! Tests of old binary workbooks of which a stretch is damaged.

use super::*;
use crate::content::{MemoryBytes, Watch};
use crate::document::{Conversion, Request, collect};

fn converted(bytes: &[u8]) -> Conversion {
    let (bytes, watch) = (MemoryBytes(bytes.to_vec()), Watch::default());
    let (name, max_bytes) = ("a.xls", 1 << 20);
    let request = Request { name, bytes: &bytes, limits: None, max_bytes, second_reader_from: None, watch: &watch };
    collect(&request).unwrap()
}

fn record(kind: u16, body: &[u8]) -> Vec<u8> {
    [&kind.to_le_bytes()[..], &(body.len() as u16).to_le_bytes(), body].concat()
}

fn text(at: u32) -> String {
    format!("Text {at} of {}", at * 7919)
}

/// The records of a workbook of two sheets, of numbers and texts in turn, and where the texts and both sheets begin.
fn records() -> (Vec<u8>, [usize; 3]) {
    let begin = record(0x0809, &[0, 6, 5, 0, 0, 0, 0, 0]);
    let sheet =
        |name: &[u8], at: u32| record(0x85, &[&at.to_le_bytes()[..], &[0, 0, name.len() as u8, 0], name].concat());
    let mut texts = [90u32.to_le_bytes(), 90u32.to_le_bytes()].concat();
    for text in (0..90).map(text) {
        texts.extend((text.len() as u16).to_le_bytes());
        texts.push(0);
        texts.extend(text.bytes());
    }
    let cell = |row: u32, column: u16| [&(row as u16).to_le_bytes()[..], &column.to_le_bytes(), &[0, 0]].concat();
    let row = |row: u32| {
        let number = record(0x0203, &[cell(row, 0), f64::from(row * 104_729 + 7).to_le_bytes().to_vec()].concat());
        [number, record(0xFD, &[cell(row, 1), row.to_le_bytes().to_vec()].concat())].concat()
    };
    let cells: Vec<u8> =
        [begin.clone()].into_iter().chain((0..90).map(row)).chain([record(0x0A, &[])]).flatten().collect();
    let book = |first: u32| {
        let sheets = [sheet(b"One", first), sheet(b"Two", first + cells.len() as u32)].concat();
        [begin.clone(), sheets, record(0xFC, &texts), record(0x0A, &[])].concat()
    };
    let first = book(0).len();
    let all = [book(first as u32), cells.repeat(2)].concat();
    (all, [first - 4 - texts.len(), first, first + cells.len()])
}

fn file(records: &[u8]) -> Vec<u8> {
    let mut compound = CompoundFile::create_with_version(cfb::Version::V3, Cursor::new(Vec::new())).unwrap();
    compound.create_stream("/Workbook").unwrap().write_all(records).unwrap();
    compound.into_inner().into_inner()
}

/// The rows whose number and whose text are shown, of both sheets.
fn shown(found: &Conversion) -> [Vec<u32>; 4] {
    let middle = found.markdown.find("## Two").unwrap_or_else(|| panic!("{found:?}"));
    let (one, two) = found.markdown.split_at(middle);
    let rows = |part: &str, cell: fn(u32) -> String| -> Vec<u32> {
        (0..90).filter(|row| part.contains(&format!("| {} |", cell(*row)))).collect()
    };
    let number = |row: u32| (row * 104_729 + 7).to_string();
    [rows(one, number), rows(one, text), rows(two, number), rows(two, text)]
}

#[test]
fn what_stands_around_a_damaged_stretch_of_a_sheet_is_shown_and_told() {
    let (whole, [_, first, second]) = records();
    let sound = converted(&file(&whole));
    assert!(sound.notes.is_empty(), "{sound:?}");
    let all: Vec<u32> = (0..90).collect();
    assert_eq!(shown(&sound), [(); 4].map(|()| all.clone()));
    for (fill, size) in [(0, 512), (0, 509), (0, 510), (0xFF, 511), (0xEE, 300)] {
        let mut damaged = whole.clone();
        damaged[first + 800..first + 800 + size].fill(fill);
        let found = converted(&file(&damaged));
        let [numbers, texts, others, other_texts] = shown(&found);
        assert!(numbers.len() > 70 && texts.len() > 70, "{fill} {size}: {found:?}");
        assert!(numbers.ends_with(&all[60..]) && numbers.starts_with(&all[..20]), "{numbers:?}");
        assert_eq!((others, other_texts), (all.clone(), all.clone()), "{fill} {size}");
        let notes: Vec<_> = found.notes.iter().filter(|note| note.message.contains("is damaged")).collect();
        assert_eq!(notes.len(), 1, "{:?}", found.notes);
        assert_eq!(notes[0].place.as_ref().map(|place| place.number), Some(1), "{notes:?}");
    }
    // To the end of the last sheet.
    let mut damaged = whole.clone();
    damaged[second + 1_000..].fill(0);
    let [numbers, _, others, _] = shown(&converted(&file(&damaged)));
    assert!(numbers == all && others.starts_with(&all[..25]) && others.len() < 60, "{others:?}");
}

#[test]
fn numbers_and_the_first_texts_are_left_where_the_texts_are_damaged() {
    let (whole, [texts, ..]) = records();
    let all: Vec<u32> = (0..90).collect();
    for (fill, least) in [(0, 20), (0xFF, 0)] {
        let mut damaged = whole.clone();
        damaged[texts + 700..texts + 900].fill(fill);
        let found = converted(&file(&damaged));
        let [numbers, texts, others, _] = shown(&found);
        assert_eq!((numbers, others), (all.clone(), all.clone()), "{fill}: {found:?}");
        assert!(texts.len() >= least && texts.len() < 90 && all.starts_with(&texts), "{fill}: {texts:?}");
        assert!(found.notes.iter().any(|note| note.message.contains("texts")), "{fill}: {:?}", found.notes);
    }
}

#[test]
fn records_without_end_are_gone_through_in_time() {
    let mut records = record(0x0809, &[0, 6, 5, 0, 0, 0, 0, 0]);
    records.extend([0; 6]);
    records.extend([1, 0, 0, 0].repeat(30).into_iter().chain([0; 9]).collect::<Vec<u8>>().repeat(3_000));
    let mut lost = Lost::default();
    mend_records(&mut records, false, &mut lost);
    assert!(lost.book);
}

#[test]
fn cells_are_shown_where_what_says_where_they_stand_is_lost_or_cut_off() {
    let (records, _) = records();
    let whole = file(&records);
    let all: Vec<u32> = (0..90).collect();
    let at = |field: usize| 512 + 512 * number(&whole, field).unwrap() as usize;
    // The first sector of the table of sectors, and that of the list of streams.
    for place in [at(76), at(48)] {
        for fill in [0, 0xFF] {
            let mut damaged = whole.clone();
            damaged[place..place + 512].fill(fill);
            let found = converted(&damaged);
            assert_eq!(shown(&found), [(); 4].map(|()| all.clone()), "{place} {fill}");
            assert!(
                found.notes.iter().any(|note| note.message.contains("where the parts of the file stand")),
                "{found:?}"
            );
        }
    }
    for tenth in [4, 7, 9] {
        let found = converted(&whole[..whole.len() * tenth / 10]);
        assert!(!found.notes.is_empty() && found.markdown.contains("| 7 |"), "{tenth}: {found:?}");
        let words = ["error", "Cfb", "stream"];
        assert!(
            found.notes.iter().all(|note| words.iter().all(|word| !note.message.contains(word))),
            "{:?}",
            found.notes
        );
    }
}

#[test]
fn a_wrong_truth_or_error_ends_no_workbook() {
    let begin = record(0x0809, &[0, 6, 5, 0, 0, 0, 0, 0]);
    let sheet = |at: u32| record(0x85, &[&at.to_le_bytes()[..], &[0, 0, 1, 0, b'S']].concat());
    let at = |column: u8| [0, 0, column, 0, 0, 0];
    let number = |column: u8| record(0x0203, &[&at(column)[..], &f64::from(column).to_le_bytes()].concat());
    let truth = |value: u8, kind: u8| record(0x0205, &[&at(2)[..], &[value, kind]].concat());
    let formula = |value: [u8; 8]| record(0x06, &[&at(2)[..], &value, &[0; 6], &[3, 0, 0x1E, 5, 0]].concat());
    let end = record(0x0A, &[]);
    for (cell, shown) in [
        (truth(0x2A, 1), "#N/A"),
        (truth(1, 0), "TRUE"),
        (truth(0x2D, 1), ""),
        (truth(1, 7), ""),
        (formula([2, 0, 0x07, 0, 0, 0, 0xFF, 0xFF]), "#DIV/0!"),
        (formula([2, 0, 0x2D, 0, 0, 0, 0xFF, 0xFF]), ""),
        (formula([9, 0, 0, 0, 0, 0, 0xFF, 0xFF]), ""),
    ] {
        let book = [begin.clone(), sheet(0), end.clone()].concat();
        let book = [begin.clone(), sheet(book.len() as u32), end.clone()].concat();
        let cells = [begin.clone(), number(1), cell, number(3), end.clone()].concat();
        let found = converted(&file(&[book, cells].concat()));
        let expected = format!("## S\n| 1 | {shown} | 3 |\n| --- | --- | --- |\n");
        assert_eq!(found.markdown, expected, "{:?}", found.notes);
        assert_eq!(!found.notes.is_empty(), shown.is_empty(), "{:?}", found.notes);
    }
}
