//! Tests of old binary workbooks that are written anew.

use super::*;
use crate::document::Conversion;
use crate::document::testing::{converted, zip};

fn record(kind: u16, body: &[u8]) -> Vec<u8> {
    [&kind.to_le_bytes()[..], &(body.len() as u16).to_le_bytes(), body].concat()
}

/// A workbook of sheets with these records, with others for the whole.
fn file(whole: &[Vec<u8>], sheets: &[Vec<u8>]) -> Vec<u8> {
    let (begin, end) = (record(0x0809, &[0, 6, 5, 0, 0, 0, 0, 0]), record(0x0A, &[]));
    let sheet = |at: usize| record(0x85, &[&(at as u32).to_le_bytes()[..], &[0, 0, 1, 0, b'S']].concat());
    let mut at = begin.len() + whole.concat().len() + sheet(0).len() * sheets.len() + end.len();
    let mut listed = Vec::new();
    let mut runs = Vec::new();
    for cells in sheets {
        listed.extend(sheet(at));
        let run = [begin.clone(), cells.clone(), end.clone()].concat();
        at += run.len();
        runs.extend(run);
    }
    let all = [begin, whole.concat(), listed, end, runs].concat();
    let mut compound = CompoundFile::create_with_version(cfb::Version::V3, Cursor::new(Vec::new())).unwrap();
    compound.create_stream("/Workbook").unwrap().write_all(&all).unwrap();
    compound.into_inner().into_inner()
}

fn found(whole: &[Vec<u8>], sheets: &[Vec<u8>]) -> Conversion {
    converted("a.xls", &file(whole, sheets), None)
}

fn place(row: u16, column: u16, looks: u16) -> Vec<u8> {
    [row, column, looks].iter().flat_map(|number| number.to_le_bytes()).collect()
}

fn cell(row: u16, column: u16, looks: u16, value: f64) -> Vec<u8> {
    record(0x0203, &[place(row, column, looks), value.to_le_bytes().to_vec()].concat())
}

fn formula(kind: u16, row: u16, value: [u8; 8]) -> Vec<u8> {
    let rest = [0, 0, 0, 0, 0, 0, 3, 0, 0x1E, 5, 0];
    record(kind, &[&place(row, 0, 0)[..], &value, &rest].concat())
}

const TEXT: [u8; 8] = [0, 0, 0, 0, 0, 0, 0xFF, 0xFF];

#[test]
fn a_formula_s_text_goes_on_in_other_records() {
    let wide: Vec<u8> = "Größe ≥ 5".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let cells = [
        formula(6, 0, TEXT),
        record(0x0207, &[14, 0, 0, b'a', b'b', b' ']),
        record(0x3C, &[&[1][..], &wide].concat()),
        record(0x3C, &[0, b'!', b'?']),
        cell(1, 0, 0, 7.5),
    ];
    let other = cell(0, 0, 0, 2.5);
    let found = found(&[], &[cells.concat(), other]);
    assert!(found.markdown.contains("| ab Größe ≥ 5!? |\n| --- |\n| 7.5 |\n"), "{found:?}");
    assert!(found.markdown.contains("| 2.5 |") && found.notes.is_empty(), "{found:?}");
}

#[test]
fn formulas_formats_and_letters_of_other_versions_are_known() {
    // A date from 1904, under a number that is nobody's.
    let format = record(0x041E, &[&[59, 0, 10, 0, 0][..], b"yyyy-mm-dd"].concat());
    let whole = [
        record(0x42, &1252u16.to_le_bytes()),
        record(0x22, &[1, 0]),
        format,
        record(0xE0, &[0; 20]),
        record(0xE0, &[&[0, 0, 59, 0][..], &[0; 16]].concat()),
        record(0xFC, &[&[1, 0, 0, 0, 1, 0, 0, 0, 4, 0, 0][..], b"caf\xE9"].concat()),
    ];
    let cells = [
        record(0xFD, &[place(0, 0, 0), vec![0; 4]].concat()),
        formula(0x0406, 1, 3f64.to_le_bytes()),
        formula(0x0206, 2, TEXT),
        record(0x0207, &[2, 0, 0, b'h', b'i']),
        cell(3, 0, 1, 38_352.0),
    ];
    let found = found(&whole, &[cells.concat()]);
    let expected = "## S\n| café |\n| --- |\n| 3 |\n| hi |\n| 2009-01-01 00:00:00 |\n";
    assert_eq!((found.markdown.as_str(), found.notes.len()), (expected, 0), "{found:?}");
}

#[test]
fn a_few_cells_far_apart_cost_nothing_of_what_lies_between() {
    let numbers = [&u16::MAX.to_le_bytes()[..], &[1, 0], &[0, 0, 2, 0, 0, 0, 0, 0, 6, 0, 0, 0], &[2, 0]].concat();
    let cells = [
        record(0x0200, &[0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0]),
        cell(0, 0, 0, 1.5),
        cell(0, 255, 0, 9.0),
        cell(0, 255, 0, 2.5),
        cell(u16::MAX, 0, 0, 3.5),
        record(0xBD, &numbers),
        formula(6, 700, TEXT),
        record(0x0207, &[2, 0, 0, b'h', b'i']),
        cell(u16::MAX, 255, 0, 4.5),
    ];
    let sparse = cells.concat();
    let bytes = file(&[], &[sparse.clone(), cell(2, 2, 0, 8.5)]);
    let anew = written(&bytes).unwrap();
    assert_eq!((anew.places.len(), anew.places[&0].len()), (1, 8));
    let found = converted("a.xls", &bytes, None);
    let rows: Vec<Vec<&str>> = found.markdown.lines().map(|line| line.split('|').map(str::trim).collect()).collect();
    assert_eq!(rows[0], ["## S"]);
    assert_eq!((rows[1].len(), rows[1][1], rows[1][256]), (258, "1.5", "2.5"));
    assert_eq!((rows[3][1], rows[4][1], rows[4][2], rows[4][3], rows[4][256]), ("hi", "3.5", "0", "1", "4.5"));
    assert!(found.markdown.contains("| 8.5 |"), "{:?}", found.markdown);
    assert!(found.notes.is_empty(), "{:?}", found.notes);
}

#[test]
fn a_row_wider_than_the_first_hundred_widens_the_header() {
    let mut cells: Vec<u8> = (0..150).flat_map(|row| cell(row, 0, 0, 1.0)).collect();
    cells.extend(cell(150, 2, 0, 2.0));
    let found = found(&[], &[cells]);
    assert!(found.markdown.contains("| --- | --- | --- |") && found.notes.is_empty(), "{found:?}");
}

#[test]
fn what_is_no_workbook_that_is_read_says_why() {
    let why = |name: &str, bytes: &[u8]| converted(name, bytes, None).notes[0].message.clone();
    let key = file(&[record(0x2F, &[0, 0, 1, 2, 3, 4])], &[cell(0, 0, 0, 1.0)]);
    assert!(why("a.xls", &key).contains("encrypted"), "{}", why("a.xls", &key));
    for (kind, version) in [(0x0209, 3), (0x0409, 4)] {
        let old = [record(kind, &[0, 0, 0x10, 0, 0, 0]), cell(0, 0, 0, 1.0), record(0x0A, &[])].concat();
        let said = format!("of Excel {version}, and only workbooks of Excel 5 and later are read");
        assert!(why("a.xls", &old).contains(&said), "{}", why("a.xls", &old));
    }
    let manifest =
        "<manifest><file-entry full-path='content.xml'><encryption-data checksum='x'/></file-entry></manifest>";
    let parts = [
        ("mimetype", "application/vnd.oasis.opendocument.spreadsheet"),
        ("content.xml", "\u{1}\u{2}no XML"),
        ("META-INF/manifest.xml", manifest),
    ];
    let locked = why("a.ods", &zip(&parts));
    assert!(locked.contains("encrypted"), "{locked}");
}

#[test]
fn nothing_is_written_anew_of_what_is_known_as_it_is() {
    assert!(written(&file(&[], &[cell(0, 0, 0, 1.0)])).is_none());
    let whole = file(&[record(0x42, &1252u16.to_le_bytes())], &[cell(0, 0, 0, 1.0), cell(9, 9, 0, 2.0)]);
    for end in (0..whole.len()).step_by(37) {
        let _ = (written(&whole[..end]), other(&whole[..end]));
        let mut damaged = whole.clone();
        damaged[end] ^= 0xFF;
        let _ = (written(&damaged), other(&damaged));
    }
}
