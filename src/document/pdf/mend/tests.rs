//! PDFs of six pages in two lists, damaged in one place.

use std::io::Write;

use flate2::Compression;
use flate2::write::ZlibEncoder;

use super::Damage;
use crate::content::{MemoryBytes, Watch};
use crate::document::{Conversion, Request, collect, testing};

fn converted(bytes: &[u8]) -> Conversion {
    testing::converted("a.pdf", bytes, None)
}

fn line(page: u32, line: u32) -> String {
    format!("Line {line} of page {page} tells of {} apples.", line * 7919 + page * 104_729)
}

/// The packed content of a page.
fn content(page: u32) -> Vec<u8> {
    let lines: String = (1..=40).map(|at| format!("0 -16 Td ({}) Tj\n", line(page, at))).collect();
    let mut packed = ZlibEncoder::new(Vec::new(), Compression::default());
    packed.write_all(format!("BT /F1 12 Tf 72 760 Td\n{lines}ET").as_bytes()).unwrap();
    packed.finish().unwrap()
}

/// The PDF; `change` is given each page's packed content.
fn pdf(change: impl Fn(u32, &mut Vec<u8>)) -> Vec<u8> {
    let mut objects = vec![
        (1, b"<</Type/Catalog/Pages 2 0 R>>".to_vec()),
        (2, b"<</Type/Pages/Count 6/Kids[3 0 R 4 0 R]/MediaBox[0 0 612 792]>>".to_vec()),
        (5, b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>".to_vec()),
    ];
    for (node, first) in [(3, 1), (4, 4)] {
        let kids: Vec<String> = (first..first + 3).map(|page| format!("{} 0 R", 10 + page)).collect();
        let common = "/Resources<</Font<</F1 5 0 R>>>>";
        let list = format!("<</Type/Pages/Parent 2 0 R/Count 3{common}/Kids[{}]>>", kids.join(" "));
        objects.push((node, list.into_bytes()));
        for page in first..first + 3 {
            let entry = format!("<</Type/Page/Contents {} 0 R/Parent {node} 0 R>>", 20 + page);
            objects.push((10 + page, entry.into_bytes()));
            let mut packed = content(page);
            change(page, &mut packed);
            let head = format!("<</Length {}/Filter/FlateDecode>>\nstream\n", packed.len());
            objects.push((20 + page, [head.as_bytes(), &packed, b"\nendstream"].concat()));
        }
    }
    let (mut bytes, mut table) = (b"%PDF-1.4\n".to_vec(), String::from("xref\n0 1\n0000000000 65535 f \n"));
    for (number, object) in objects {
        table.push_str(&format!("{number} 1\n{:010} 00000 n \n", bytes.len()));
        bytes.extend([format!("{number} 0 obj\n").as_bytes(), &object, b"\nendobj\n"].concat());
    }
    let start = bytes.len();
    bytes.extend(format!("{table}trailer<</Size 27/Root 1 0 R>>\nstartxref\n{start}\n%%EOF\n").bytes());
    bytes
}

/// The file with something else, as long, in the place of what stands there.
fn with(bytes: &[u8], there: &str, instead: &str) -> Vec<u8> {
    let at = memchr::memmem::find(bytes, there.as_bytes()).unwrap_or_else(|| panic!("{there}"));
    let mut bytes = bytes.to_vec();
    bytes[at..at + there.len()].copy_from_slice(format!("{instead:0$}", there.len()).as_bytes());
    bytes
}

/// The pages whose text is there, of those that are told, and what is said of which page.
fn told(found: &Conversion) -> (Vec<u32>, Vec<u32>, Vec<(u32, String)>) {
    let numbers: Vec<u32> = found.anchors.iter().map(|anchor| anchor.place.number).collect();
    let ends = found.anchors.iter().skip(1).map(|anchor| anchor.byte as usize).chain([found.markdown.len()]);
    let texts = found.anchors.iter().zip(ends).map(|(anchor, end)| &found.markdown[anchor.byte as usize..end]);
    let read = numbers.iter().zip(texts).filter(|(page, text)| text.contains(&line(**page, 1)));
    let notes =
        found.notes.iter().map(|note| (note.place.as_ref().map_or(0, |place| place.number), note.message.clone()));
    (numbers.clone(), read.map(|(page, _)| *page).collect(), notes.collect())
}

#[test]
fn every_page_keeps_its_number() {
    let whole = pdf(|_, _| ());
    let all: Vec<u32> = (1..=6).collect();
    let (node, root) = ("3 0 obj\n<</Type/Pages", "2 0 obj\n<</Type/Pages/Count 6");
    let page = "12 0 obj\n<</Type/Page/Contents 22 0 R/Parent 3 0 R>>\nendobj";
    let list =
        "3 0 obj\n<</Type/Pages/Parent 2 0 R/Count 3/Resources<</Font<</F1 5 0 R>>>>/Kids[11 0 R 12 0 R 13 0 R]>>";
    let entry = Damage::Entry.message();
    for (there, instead, lost, note) in [
        ("%PDF-1.4", "%PDF-1.4", 0, None),
        // A page: not even its number is left, its beginning is not, its kind is not.
        (page, "", 2, Some((2, Damage::Lost.message()))),
        ("12 0 obj\n<</Type", "12 0 obj\n((((((", 0, Some((2, entry))),
        ("12 0 obj\n<</Type", "1x 0 obj\n<</Type", 0, Some((2, entry))),
        ("/Type/Page/Contents 22", "/Tape/Page/Contents 22", 0, None),
        ("/Type/Page/Contents 22", "/Type/Pxge/Contents 22", 0, None),
        // What leads to it.
        ("Kids[11 0 R 12 0 R", "Kids[11 0 R null", 0, None),
        ("Kids[11 0 R 12 0 R", "Kids[11 0 R 11 0 R", 0, None),
        ("Kids[11 0 R 12 0 R", "Kids[11 0 R 99 0 R", 0, None),
        ("/Count 3/Resources<</Font<</F1 5 0 R>>>>/Kids", "/Count 3/Resources<</Font<</F1 5 0 R>>>>/Kxds", 0, None),
        (list, "", 0, None),
        (node, "3 0 obj\n((/Type/Pages", 0, None),
        (root, "2 0 obj\n((/Type/Pages/Count 6", 0, None),
        (root, "2 0 obj\n<</Type/Pages/Count 2", 0, None),
        (root, "2 0 obj\n<</Type/Pages/Count 9", 0, Some((0, "it says that it has 9 pages, and 6 are found"))),
        ("1 0 obj\n<</Type/Catalog/Pages 2 0 R>>", "", 0, Some((0, "the list of its pages is damaged"))),
    ] {
        let found = converted(&with(&whole, there, instead));
        let (numbers, read, notes) = told(&found);
        assert_eq!(numbers, all, "{instead}: {found:?}");
        // Its fonts are lost with the list that had them in common.
        let wanted: Vec<u32> = all.iter().copied().filter(|page| *page != lost).collect();
        assert_eq!(read, wanted, "{instead}: {found:?}");
        let is_told = match (note, notes.as_slice()) {
            (None, []) => true,
            (Some((page, said)), [(of, message)]) => page == *of && message.starts_with(said),
            _ => false,
        };
        assert!(is_told, "{instead}: {notes:?}");
    }
}

#[test]
fn one_page_is_told_as_one() {
    let lone = with(&pdf(|_, _| ()), "/Count 6/Kids[3 0 R 4 0 R]", "/Count 9/Kids[11 0 R]");
    let list = "/Count 3/Resources<</Font<</F1 5 0 R>>>>/Kids[11 0 R 12 0 R 13 0 R]";
    let parents = with(&lone, list, "");
    let notes: Vec<_> = told(&converted(&parents)).2;
    let is_told = |(_, message): &(u32, String)| message.ends_with(" pages, and 1 is found");
    assert!(notes.iter().any(is_told), "{notes:?}");
}

#[test]
fn what_stands_before_a_break_of_a_page_is_shown() {
    let cut = pdf(|page, packed| {
        if page == 3 {
            packed.truncate(packed.len() / 2)
        }
    });
    let flipped = pdf(|page, packed| {
        let half = packed.len() / 2;
        if page == 3 {
            packed[half..half + 40].iter_mut().for_each(|byte| *byte ^= 0xFF);
        }
    });
    for (bytes, damage) in [(cut, vec![Damage::Rest]), (flipped, vec![Damage::Rest, Damage::Wrong])] {
        let found = converted(&bytes);
        let (numbers, read, notes) = told(&found);
        assert_eq!((numbers.len(), read.len()), (6, 6), "{found:?}");
        let lines = (1..=40).take_while(|at| found.markdown.contains(&line(3, *at))).count();
        assert!((10..40).contains(&lines), "{lines}: {found:?}");
        let is_told = |damage: &Damage| notes == [(3, damage.message().to_owned())];
        assert!(damage.iter().any(is_told), "{notes:?}");
    }
    // The text is whole, and its checksum is not; and the other way round.
    let is_told = |change: fn(&mut Vec<u8>)| {
        let found = converted(&pdf(|page, packed| {
            if page == 3 {
                change(packed)
            }
        }));
        assert!(found.markdown.contains(&line(3, 40)), "{found:?}");
        told(&found).2
    };
    assert!(is_told(|packed| *packed.last_mut().unwrap() ^= 1).is_empty());
    assert!(is_told(|packed| packed.truncate(packed.len() - 4)).is_empty());
    let wrong = is_told(|packed| packed.iter_mut().rev().step_by(2).take(2).for_each(|byte| *byte ^= 1));
    assert_eq!(wrong, [(3, Damage::Wrong.message().to_owned())]);
}

#[test]
fn a_page_whose_content_is_nowhere_is_told() {
    let found = converted(&with(&pdf(|_, _| ()), "/Contents 22 0 R", "/Contents 99 0 R"));
    let (numbers, read, notes) = told(&found);
    assert_eq!((numbers.len(), read), (6, vec![1, 3, 4, 5, 6]), "{found:?}");
    assert!(matches!(notes.as_slice(), [(0, message)] if message.ends_with("is lost: 2")), "{notes:?}");
}

#[test]
fn a_second_reader_that_takes_over_reads_what_was_mended() {
    let whole = pdf(|_, _| ());
    // The first list of pages is lost; the first reader shows them under their numbers all the same.
    let list =
        "3 0 obj\n<</Type/Pages/Parent 2 0 R/Count 3/Resources<</Font<</F1 5 0 R>>>>/Kids[11 0 R 12 0 R 13 0 R]>>";
    let damaged = with(&whole, list, "");
    let numbers = |found: &Conversion| found.anchors.iter().map(|anchor| anchor.place.number).collect::<Vec<_>>();
    let first = numbers(&converted(&damaged));
    let (bytes, watch) = (MemoryBytes(damaged), Watch::default());
    let (name, max_bytes) = ("a.pdf", 1 << 20);
    let request = Request { name, bytes: &bytes, limits: None, max_bytes, second_reader_from: Some(5), watch: &watch };
    let second = collect(&request).unwrap();
    assert_eq!((first, numbers(&second)), ((1..=6).collect(), vec![5, 6]), "{second:?}");
    assert!(second.markdown.contains(&line(5, 40)), "{}", second.markdown);
}
