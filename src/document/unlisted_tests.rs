//! Tests of zips without the list of their parts.

use std::io::{Cursor, Write};

use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use crate::content::MemoryBytes;

use super::*;
use crate::document::{Conversion, testing, zipped::is_unlisted};

/// A zip of these parts; with sizes behind them, where it is written in one go.
fn zip(parts: &[(&str, &str)], in_one_go: bool) -> Vec<u8> {
    let options = SimpleFileOptions::default().compression_method(zip::CompressionMethod::Deflated);
    if in_one_go {
        let mut writer = ZipWriter::new_stream(Vec::new());
        for (name, content) in parts {
            writer.start_file(*name, options).unwrap();
            writer.write_all(content.as_bytes()).unwrap();
        }
        return writer.finish().unwrap().into_inner();
    }
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in parts {
        writer.start_file(*name, options).unwrap();
        writer.write_all(content.as_bytes()).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

fn converted(name: &str, bytes: &[u8]) -> Conversion {
    testing::converted(name, bytes, None)
}

fn said(found: &Conversion, words: &str) -> bool {
    found.notes.iter().any(|note| note.message.contains(words))
}

/// Words that do not pack to nothing.
fn words(number: u32) -> String {
    format!("{number} {:x} end", u64::from(number).wrapping_mul(0x9E37_79B9_7F4A_7C15))
}

#[test]
fn the_paragraphs_of_a_cut_word_document_are_whole() {
    let body: String = (0..500).map(|at| format!("<w:p><w:r><w:t>{}</w:t></w:r></w:p>", words(at))).collect();
    let body = format!("<w:document><w:body>{body}</w:body></w:document>");
    for in_one_go in [false, true] {
        let whole = zip(
            &[("[Content_Types].xml", "<Types/>"), ("word/document.xml", &body), ("word/z.xml", "<z/>")],
            in_one_go,
        );
        assert!(converted("a.docx", &whole).notes.is_empty());
        for part in [whole.len() / 3, whole.len() * 2 / 3, whole.len() - 60] {
            // Whatever it is called.
            for name in ["a.docx", "a.pptx"] {
                let found = converted(name, &whole[..part]);
                let lines: Vec<&str> = found.markdown.lines().filter(|line| !line.is_empty()).collect();
                assert!(lines.len() * whole.len() > 400 * part, "{in_one_go} {part}: {found:?}");
                for (line, at) in lines.iter().zip(0..) {
                    assert_eq!(*line, words(at));
                }
                assert!(said(&found, "the file is cut off"), "{found:?}");
                assert_eq!(said(&found, "the text ends here"), lines.len() < 500, "{found:?}");
            }
        }
        let found = converted("a.docx", &whole[..50]);
        assert!(found.markdown.is_empty() && !found.notes.is_empty(), "{found:?}");
    }
}

#[test]
fn the_rows_of_a_cut_workbook_are_whole_and_need_no_list_of_sheets() {
    let row = |at: u32| {
        format!(
            "<row><c r='A{0}'><v>{at}</v></c><c r='B{0}' t='s'><v>0</v></c><c r='C{0}'><v>{1}.5</v></c></row>",
            at + 1,
            at * 7919
        )
    };
    let rows: String = (0..500).map(row).collect();
    let sheet = format!("<worksheet><sheetData>{rows}</sheetData></worksheet>");
    let whole = zip(&[("xl/worksheets/sheet1.xml", &sheet), ("xl/workbook.xml", "<workbook/>")], false);
    let found = converted("a.xlsx", &whole[..whole.len() / 2]);
    let rows: Vec<&str> = found.markdown.lines().filter(|line| line.ends_with(".5 |")).collect();
    assert!(found.markdown.starts_with("## sheet1\n") && rows.len() > 100, "{found:?}");
    assert_eq!(rows[9], "| 9 |  | 71271.5 |");
    assert!(said(&found, "of its cells are empty here"), "{:?}", found.notes);
}

#[test]
fn cells_without_places_stand_in_their_order_whatever_is_lost_of_them() {
    let text = "<c t='s'><v>0</v></c>";
    let row = |at: u32| format!("<row><c><v>{at}</v></c>{text}{text}<c><v>{}.5</v></c>{text}</row>", at * 7919);
    let rows: String = (0..500).map(row).collect();
    let sheet = format!("<worksheet><sheetData>{rows}</sheetData></worksheet>");
    let texts = "<sst><si><t>word</t></si></sst>";
    let parts = [("xl/worksheets/sheet1.xml", sheet.as_str()), ("xl/sharedStrings.xml", texts)];
    let needed = [
        ("xl/workbook.xml", "<workbook xmlns:r='r'><sheets><sheet name='sheet1' r:id='a'/></sheets></workbook>"),
        (
            "xl/_rels/workbook.xml.rels",
            "<Relationships><Relationship Id='a' Type='http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet' Target='worksheets/sheet1.xml'/></Relationships>",
        ),
        (
            "_rels/.rels",
            "<Relationships><Relationship Id='b' Type='http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument' Target='xl/workbook.xml'/></Relationships>",
        ),
    ];
    let whole = zip(&[&parts[..], &needed].concat(), false);
    let line = |found: &Conversion| found.markdown.lines().find(|line| line.starts_with("| 9 |")).map(str::to_owned);
    let found = converted("a.xlsx", &whole);
    assert_eq!(line(&found).unwrap(), "| 9 | word | word | 71271.5 | word |", "{:?}", found.notes);
    let found = converted("a.xlsx", &whole[..whole.len() / 2]);
    assert!(said(&found, "of its cells are empty here"), "{:?}", found.notes);
    assert_eq!(line(&found).unwrap(), "| 9 |  |  | 71271.5 |");
}

/// A record of a binary workbook.
fn record(kind: u32, body: &[u8]) -> Vec<u8> {
    let number = |mut number: usize| {
        let mut bytes = Vec::new();
        while number > 0x7F {
            bytes.push(number as u8 | 0x80);
            number >>= 7;
        }
        [bytes, vec![number as u8]].concat()
    };
    [number(kind as usize), number(body.len()), body.to_vec()].concat()
}

/// A binary workbook of two hundred rows: a number, one of nine texts, a number.
fn binary_workbook() -> Vec<u8> {
    let wide = |text: &str| {
        [&(text.len() as u32).to_le_bytes()[..], &text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>()]
            .concat()
    };
    let book = record(0x9C, &[&[0; 8][..], &wide("r1"), &wide("One")].concat());
    let cell = |column: u32| [column.to_le_bytes(), [0; 4]].concat();
    let row = |at: u32| {
        let number = |column, value| record(5, &[cell(column), f64::from(value).to_le_bytes().to_vec()].concat());
        let text = record(7, &[cell(1), (at % 9).to_le_bytes().to_vec()].concat());
        [record(0, &[&at.to_le_bytes()[..], &[0; 12]].concat()), number(0, at), text, number(2, at * 7919)].concat()
    };
    let sheet: Vec<u8> = [record(0x94, &[0; 16]), record(0x91, &[])]
        .into_iter()
        .chain((0..200).map(row))
        .chain([record(0x92, &[])])
        .flatten()
        .collect();
    let texts: Vec<u8> = [record(0x9F, &[9, 0, 0, 0, 9, 0, 0, 0])]
        .into_iter()
        .chain((0..9).map(|at| record(0x13, &[&[0][..], &wide(&words(at))].concat())))
        .flatten()
        .collect();
    let links = "<Relationships><Relationship Id='r1' Type='w' Target='worksheets/sheet1.bin'/></Relationships>";
    let parts: [(&str, &[u8]); 5] = [
        ("xl/_rels/workbook.bin.rels", links.as_bytes()),
        ("xl/workbook.bin", &[book, record(0x90, &[]), record(0x84, &[])].concat()),
        ("xl/worksheets/sheet1.bin", &sheet),
        ("xl/sharedStrings.bin", &texts),
        ("[Content_Types].xml", b"<Types/>"),
    ];
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    let stored = SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
    for (name, content) in parts {
        writer.start_file(name, stored).unwrap();
        writer.write_all(content).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

#[test]
fn a_cut_binary_workbook_shows_the_cells_that_are_left() {
    let whole = binary_workbook();
    let found = converted("a.xlsb", &whole);
    assert!(found.notes.is_empty() && found.markdown.contains(&format!("| 10 | {} | 79190 |", words(1))), "{found:?}");
    let place = |name: &str| memchr::memmem::find(&whole, name.as_bytes()).unwrap();
    // In the texts, behind the sheet, in it, and before it.
    let cut = |at: usize| converted("a.xlsb", &whole[..at]);
    let found = cut(place("xl/sharedStrings.bin") + 80);
    assert!(found.markdown.contains(&words(0)) && !found.markdown.contains(&words(4)), "{found:?}");
    for found in [found, cut(place("xl/sharedStrings.bin") + 3), cut(place("xl/worksheets/sheet1.bin") + 3_000)] {
        assert!(
            found.markdown.contains("| 10 |  | 79190 |") && said(&found, "of its cells are empty here"),
            "{found:?}"
        );
        assert!(said(&found, "the file is cut off"), "{found:?}");
    }
    for at in (40..whole.len()).step_by(211) {
        let found = cut(at);
        assert!(said(&found, "cut off"), "{at}: {:?}", found.notes);
    }
}

#[test]
fn a_damaged_part_of_a_binary_workbook_is_told_whatever_its_reader_makes_of_it() {
    let whole = binary_workbook();
    let data = |name: &str| memchr::memmem::find(&whole, name.as_bytes()).unwrap() + name.len();
    let damaged = |from: usize, bytes: &[u8]| {
        let mut damaged = whole.clone();
        damaged[from..from + bytes.len()].copy_from_slice(bytes);
        converted("a.xlsb", &damaged)
    };
    // A row that cannot be ends the sheet for its reader.
    let sheet = data("xl/worksheets/sheet1.bin");
    let row = whole[sheet..].windows(6).position(|row| row == [0, 16, 10, 0, 0, 0]).unwrap();
    let found = damaged(sheet + row + 2, &[0xFF; 4]);
    assert!(found.markdown.contains(&words(0)) && !found.markdown.contains("| 11 |"), "{found:?}");
    assert!(said(&found, "the part xl/worksheets/sheet1.bin is damaged"), "{:?}", found.notes);
    // What leads to the sheets is made anew.
    for part in ["xl/_rels/workbook.bin.rels", "xl/workbook.bin"] {
        let found = damaged(data(part) + 4, &[0xFF; 9]);
        assert!(found.markdown.contains(&format!("| 199 | {} |", words(1))), "{part}: {found:?}");
        assert!(said(&found, &format!("the part {part} is damaged")), "{part}: {:?}", found.notes);
    }
}

#[test]
fn a_part_whose_head_is_spoilt_is_found() {
    let rows: String = (1..90).map(|at| format!("<row r='{at}'><c r='A{at}'><v>{}</v></c></row>", at * 7919)).collect();
    let sheet = format!("<worksheet><sheetData>{rows}</sheetData></worksheet>");
    let cells: String = (1..90)
        .map(|at| {
            format!(
                "<t:table-row><t:table-cell o:value-type='string'><x:p>{}</x:p></t:table-cell></t:table-row>",
                words(at)
            )
        })
        .collect();
    let cells = cells.replace("t:", "table:").replace("o:", "office:").replace("x:", "text:");
    let names = "xmlns:office='o' xmlns:table='t' xmlns:text='x'";
    let content = format!("<o {names}><table:table table:name='S'>{cells}</table:table></o>");
    let text: String = (0..90).map(|at| format!("<w:p><w:r><w:t>{}</w:t></w:r></w:p>", words(at))).collect();
    let text = format!("<w:document xmlns:w='w'><w:body>{text}</w:body></w:document>");
    let books: Vec<(String, Vec<u8>)> = crate::document::workbook::needed(&["xl/worksheets/sheet1.xml".to_owned()]);
    let books: Vec<(String, String)> =
        books.into_iter().map(|(name, part)| (name, String::from_utf8(part).unwrap())).collect();
    let mut workbook: Vec<(&str, &str)> = vec![("[Content_Types].xml", "<Types/>")];
    workbook.extend(books.iter().map(|(name, part)| (name.as_str(), part.as_str())));
    workbook.push(("xl/worksheets/sheet1.xml", &sheet));
    let ods = [
        ("mimetype", "application/vnd.oasis.opendocument.spreadsheet"),
        ("content.xml", content.as_str()),
        ("META-INF/manifest.xml", "<manifest></manifest>"),
    ];
    let docx = [("[Content_Types].xml", "<Types/>"), ("word/document.xml", text.as_str())];
    let cases = [
        ("a.xlsx", "xl/worksheets/sheet1.xml", zip(&workbook, false)),
        ("a.ods", "content.xml", zip(&ods, false)),
        ("a.docx", "word/document.xml", zip(&docx, false)),
        ("a.docx", "word/document.xml", zip(&docx, true)),
        ("a.zip", "b.txt", zip(&[("a.txt", "one"), ("b.txt", text.as_str())], false)),
        ("a.xlsb", "xl/worksheets/sheet1.bin", binary_workbook()),
    ];
    for (name, part, whole) in cases {
        let sound = converted(name, &whole);
        assert!(sound.notes.is_empty() && sound.markdown.len() > 500, "{name}: {sound:?}");
        let head = memchr::memmem::find(&whole, part.as_bytes()).unwrap() - 30;
        for spoilt in [0..4, 0..30, 26..28, 28..30, 0..30 + part.len()] {
            let mut damaged = whole.clone();
            damaged[head + spoilt.start..head + spoilt.end].fill(0xEE);
            // Whatever stands before it, or it is packed in.
            for (name, bytes) in [
                (name.to_owned(), damaged.clone()),
                (name.to_owned(), [b"before it\n", damaged.as_slice()].concat()),
                (format!("{name}.gz"), gz(&damaged)),
            ] {
                let found = converted(&name, &bytes);
                assert_eq!(found.markdown, sound.markdown, "{name} {spoilt:?}: {:?}", found.notes);
                assert!(said(&found, &format!("before the part {part} is damaged")), "{name}: {:?}", found.notes);
            }
        }
    }
}

fn gz(bytes: &[u8]) -> Vec<u8> {
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packer.write_all(bytes).unwrap();
    packer.finish().unwrap()
}

#[test]
fn slides_and_chapters_before_the_cut_are_shown() {
    let slide = |at: u32| {
        let text: String =
            (0..50).map(|line| format!("<a:p><a:r><a:t>{}</a:t></a:r></a:p>", words(at * 50 + line))).collect();
        format!("<p:sld><p:cSld><p:spTree><p:sp><p:txBody>{text}</p:txBody></p:sp></p:spTree></p:cSld></p:sld>")
    };
    let slides: Vec<(String, String)> = (1..9).map(|at| (format!("ppt/slides/slide{at}.xml"), slide(at))).collect();
    let parts: Vec<(&str, &str)> = slides.iter().map(|(name, slide)| (name.as_str(), slide.as_str())).collect();
    let whole = zip(&parts, true);
    let found = converted("a.pptx", &whole[..whole.len() / 2]);
    assert!((3..6).contains(&found.anchors.len()), "{found:?}");
    assert!(found.markdown.contains(&words(50)) && said(&found, "the slide ends here"), "{found:?}");

    let page = |at: u32| format!("<html><body>{}</body></html>", slide(at).replace("a:", ""));
    let mut parts: Vec<(String, String)> = (1..9).map(|at| (format!("{at}.xhtml"), page(at))).collect();
    parts.insert(0, ("mimetype".to_owned(), "application/epub+zip\r\n".to_owned()));
    let parts: Vec<(&str, &str)> = parts.iter().map(|(name, page)| (name.as_str(), page.as_str())).collect();
    let whole = zip(&parts, true);
    for name in ["a.epub", "a.docx", "a"] {
        let found = converted(name, &whole[..whole.len() / 2]);
        assert_eq!(found.format, "epub", "{name}: {found:?}");
        assert!((3..6).contains(&found.anchors.len()) && found.markdown.contains(&words(50)), "{found:?}");
    }
}

#[test]
fn a_zip_within_a_cut_document_is_not_taken_for_it() {
    let body: String = (0..50).map(|at| format!("<w:p><w:r><w:t>{}</w:t></w:r></w:p>", words(at))).collect();
    let body = format!("<w:document><w:body>{body}</w:body></w:document>");
    let inner = zip(&[("[Content_Types].xml", "<Types/>"), ("xl/workbook.xml", "<workbook/>")], false);
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    let packed = SimpleFileOptions::default();
    let stored = packed.compression_method(zip::CompressionMethod::Stored);
    let last = words(1).repeat(20);
    for (name, content, options) in [
        ("[Content_Types].xml", &b"<Types/>"[..], packed),
        ("word/document.xml", body.as_bytes(), packed),
        ("word/embeddings/a.xlsx", &inner, stored),
        ("word/z.xml", last.as_bytes(), stored),
    ] {
        writer.start_file(name, options).unwrap();
        writer.write_all(content).unwrap();
    }
    let whole = writer.finish().unwrap().into_inner();
    let part = memchr::memmem::find(&whole, b"word/z.xml").unwrap() + 40;
    let found = converted("a.docx", &whole[..part]);
    assert!(found.markdown.contains(&words(49)) && said(&found, "the file is cut off"), "{found:?}");
    // What stands before a zip does no harm, with places that count from either.
    for (name, behind) in [("a.docx", &whole), ("a.xlsx", &inner)] {
        let longer = [&b"#!/bin/sh\n"[..], behind].concat();
        assert!(!is_unlisted(&MemoryBytes(longer)) && !is_unlisted(&MemoryBytes(behind.clone())), "{name}");
    }
}

/// A zip of parts that are not packed, whose sizes stand behind them, with a mark before them or without.
fn streamed(parts: &[(&str, &[u8])], marked: bool) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (name, content) in parts {
        bytes.extend(b"PK\x03\x04\x14\0\x08\0\0\0\0\0\x21\0");
        bytes.extend([0; 12]);
        bytes.extend((name.len() as u32).to_le_bytes());
        bytes.extend(name.bytes());
        bytes.extend(*content);
        let mut crc = flate2::Crc::new();
        crc.update(content);
        bytes.extend(if marked { &b"PK\x07\x08"[..] } else { b"" });
        for number in [crc.sum(), content.len() as u32, content.len() as u32] {
            bytes.extend(number.to_le_bytes());
        }
    }
    bytes
}

#[test]
fn parts_that_are_not_packed_end_where_their_sizes_hold() {
    let inner = zip(&[("a", "b")], false);
    let page = format!("<html><body><p>{}</p></body></html>", words(3).repeat(3_000));
    for marked in [false, true] {
        let whole = streamed(
            &[
                ("mimetype", b"application/epub+zip"),
                ("a.zip", &inner),
                ("1.xhtml", page.as_bytes()),
                ("2.xhtml", b"<p>leaf</p>"),
                ("3.xhtml", b"<p>lost</p>"),
            ],
            marked,
        );
        for name in ["a.epub", "a"] {
            let found = converted(name, &whole[..whole.len() - 30]);
            assert_eq!(found.format, "epub", "{marked} {name}: {found:?}");
            assert!(
                found.markdown.contains("leaf") && found.markdown.contains(&words(3)),
                "{marked}: {:?}",
                found.notes
            );
        }
    }
}

#[test]
fn a_list_that_is_cut_or_not_at_the_end_lacks_no_parts() {
    let cell = |at: u32| format!("<row><c r='A{0}' s='1'><v>{0}</v></c></row>", at + 1);
    let rows: String = (0..50).map(cell).collect();
    let sheet = format!("<worksheet><sheetData>{rows}</sheetData></worksheet>");
    let whole = zip(&[("xl/worksheets/sheet1.xml", &sheet), ("xl/a.xml", "<a/>")], false);
    let longer = converted("a.xlsx", &[&whole[..], &[0; 100_000]].concat());
    assert!(said(&longer, "behind the end of the file") && !said(&longer, "cut off"), "{:?}", longer.notes);
    let found = converted("a.xlsx", &whole[..whole.len() - 30]);
    assert!(said(&found, "behind the last of its parts") && !said(&found, "dates may"), "{:?}", found.notes);
    // Before that, what tells dates from numbers may be lost.
    let part = memchr::memmem::find(&whole, b"xl/a.xml").unwrap();
    let found = converted("a.xlsx", &whole[..part + 2]);
    assert!(found.markdown.contains("| 7 |") && said(&found, "dates may stand here"), "{found:?}");
}

#[test]
fn a_list_in_which_an_entry_is_damaged_is_made_anew() {
    const LIST: &str = "the list of its parts is damaged";
    let sheet = "<worksheet><sheetData><row><c><v>7</v></c></row></sheetData></worksheet>";
    let page = "<html><body><p>Words</p></body></html>";
    let text = "<w:document><w:body><w:p><w:r><w:t>Words</w:t></w:r></w:p></w:body></w:document>";
    type Kind<'a> = (&'a str, &'a [(&'a str, &'a str)], &'a str);
    let kinds: [Kind<'_>; 4] = [
        ("a.docx", &[("[Content_Types].xml", "<Types/>"), ("a.xml", "<a/>"), ("word/document.xml", text)], "Words"),
        ("a", &[("[Content_Types].xml", "<Types/>"), ("a.xml", "<a/>"), ("word/document.xml", text)], "Words"),
        ("a.epub", &[("mimetype", "application/epub+zip"), ("a.css", ""), ("a.html", page)], "Words"),
        (
            "a.xlsx",
            &[("[Content_Types].xml", "<Types/>"), ("a.xml", "<a/>"), ("xl/worksheets/sheet1.xml", sheet)],
            "| 7 |",
        ),
    ];
    for (name, parts, shown) in kinds {
        for in_one_go in [false, true] {
            let whole = zip(parts, in_one_go);
            let entries: Vec<usize> = memchr::memmem::find_iter(&whole, ENTRY_HEAD).collect();
            // Its mark, and the lengths of what stands behind what each entry has.
            for at in [0, 3, 28, 29, 30, 33] {
                let mut spoilt = whole.clone();
                spoilt[entries[1] + at] ^= 0x55;
                let found = converted(name, &spoilt);
                assert!(found.markdown.contains(shown), "{name} {at}: {found:?}");
                assert!(said(&found, LIST), "{name} {at}: {:?}", found.notes);
            }
            // It tells of more parts than it has.
            let mut spoilt = whole.clone();
            let end = memchr::memmem::rfind(&spoilt, b"PK\x05\x06").unwrap();
            spoilt[end + 10] += 1;
            let found = converted(name, &spoilt);
            assert!(found.markdown.contains(shown) && said(&found, LIST), "{name}: {found:?}");
            assert!(!said(&converted(name, &whole), LIST), "{name}");
        }
    }
}

#[test]
fn a_book_whose_kind_is_packed_is_known() {
    let parts = [("META-INF/a", "x"), ("mimetype", "application/epub+zip\r\n"), ("a.xhtml", "<p>leaf</p>")];
    for in_one_go in [false, true] {
        for name in ["a.docx", "a.xlsx", "a"] {
            let found = converted(name, &zip(&parts, in_one_go));
            assert_eq!((found.format.as_str(), found.markdown.as_str()), ("epub", "leaf\n"), "{name}");
        }
    }
}

/// Slides that do not pack to nothing, whose texts are numbered.
fn slides() -> Vec<u8> {
    let slide = |number: u32| {
        let lines: String =
            (0..40).map(|at| format!("<a:p><a:r><a:t>{}</a:t></a:r></a:p>", words(number * 100 + at))).collect();
        format!("<p:sld><p:cSld><p:spTree><p:sp><p:txBody>{lines}</p:txBody></p:sp></p:spTree></p:cSld></p:sld>")
    };
    let slides: Vec<(String, String)> =
        (1..=10).map(|number| (format!("ppt/slides/slide{number}.xml"), slide(number))).collect();
    let named = slides.iter().map(|(name, slide)| (name.as_str(), slide.as_str()));
    let each = |text: fn(u32) -> String| (1..=10).map(text).collect::<String>();
    let ids = each(|number| format!("<p:sldId r:id='r{number}'/>"));
    let links = each(|number| format!("<Relationship Id='r{number}' Type='slide' Target='slides/slide{number}.xml'/>"));
    let main = format!("<p:presentation><p:sldIdLst>{ids}</p:sldIdLst></p:presentation>");
    let links = format!("<Relationships>{links}</Relationships>");
    let last = [("ppt/presentation.xml", main.as_str()), ("ppt/_rels/presentation.xml.rels", links.as_str())];
    let parts: Vec<_> = [("[Content_Types].xml", "<Types/>")].into_iter().chain(named).chain(last).collect();
    zip(&parts, false)
}

/// The slides of which all is shown.
fn whole_slides(found: &Conversion) -> Vec<u32> {
    let is_whole = |number: &u32| (0..40).all(|at| found.markdown.contains(&words(number * 100 + at)));
    (1..=10).filter(is_whole).collect()
}

#[test]
fn of_a_package_of_which_bytes_are_missing_all_other_parts_are_shown() {
    let whole = slides();
    assert_eq!(whole_slides(&converted("a.pptx", &whole)).len(), 10);
    let size = whole.len();
    for (from, to) in [(size * 45 / 100, size * 55 / 100), (0, size / 5), (0, 20), (size / 2, size / 2 + 1)] {
        let holed = [&whole[..from], &whole[to..]].concat();
        let found = converted("a.pptx", &holed);
        let lost = (to - from) * 10 / size + 2;
        assert!(whole_slides(&found).len() + lost >= 10, "{from} {to}: {:?} {:?}", whole_slides(&found), found.notes);
        let bytes = if to - from == 1 {
            "1 byte of the file is missing".into()
        } else {
            format!("{} bytes of the file are missing", to - from)
        };
        assert!(said(&found, &bytes), "{:?}", found.notes);
    }
    // Without its list as well.
    let holed = [&whole[..size * 45 / 100], &whole[size * 55 / 100..size - 30]].concat();
    let found = converted("a.pptx", &holed);
    assert!(whole_slides(&found).len() >= 7, "{:?} {:?}", whole_slides(&found), found.notes);
    assert!(said(&found, "bytes of the file are missing or damaged"), "{:?}", found.notes);
}
