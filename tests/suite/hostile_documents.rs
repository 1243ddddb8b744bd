//! Documents made to do harm: each ends soon, in bounded memory, with what is good of it or a word why not.

use std::time::{Duration, Instant};

use windowpane::document::{Conversion, FORMATS, Limits};

use crate::packages::{convert, docx, package};

/// Reading one takes no longer, also in a build without optimisation on a busy machine.
const LONGEST: Duration = Duration::from_secs(20);

/// Converts whole and within limits; neither may take long.
fn both(name: &str, bytes: &[u8]) -> [Conversion; 2] {
    let limits = Limits::default();
    [None, Some(&limits)].map(|limits| {
        let begun = Instant::now();
        let found = convert(name, bytes.to_vec(), limits);
        let taken = begun.elapsed();
        assert!(taken < LONGEST, "{name} took {taken:?}");
        found
    })
}

fn says(found: &Conversion, words: &str) {
    assert!(found.notes.iter().any(|note| note.message.contains(words)), "{words:?} not in {:?}", found.notes);
}

#[test]
fn empty_and_cut_off_files_of_every_format_are_survived() {
    let whole = docx("<w:p><w:r><w:t>word</w:t></w:r></w:p>", &[]);
    for format in FORMATS {
        let ending = format.extensions.split(' ').next().unwrap_or_default();
        let ending = if ending.is_empty() { "rs" } else { ending };
        let name = format!("a.{ending}");
        for bytes in [
            &b""[..],
            b"\0",
            b"PK\x03\x04",
            b"%PDF-1.7\n",
            b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1",
            b"{\"a\": [",
            b"<a><b>",
        ] {
            let limits = Limits::default();
            convert(&name, bytes.to_vec(), Some(&limits));
        }
        convert(&name, whole[..whole.len() / 2].to_vec(), None);
    }
}

#[test]
fn a_zip_bomb_is_cut_off() {
    let bombed = |text: &str| {
        let bytes = docx(text, &[]);
        assert!(bytes.len() < 4 << 20);
        convert("bomb.docx", bytes, None)
    };
    let bomb = |paragraph: &str, paragraphs: usize| bombed(&paragraph.repeat(paragraphs));
    let found = bomb(&format!("<w:p><w:r><w:t>{}</w:t></w:r></w:p>", "A".repeat(400)), 180_000);
    assert!(found.markdown.len() <= 65 << 20);
    says(&found, "stopped after");
    let found = bomb(&format!("<w:p w:rsidR=\"{}\"><w:r><w:t>A</w:t></w:r></w:p>", "A".repeat(2_000)), 52_000);
    // Its paragraphs differ, so that it packs no better than it may.
    let differs = |at: u64| {
        let mark = at.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        format!("<w:p w:rsidR=\"{}{mark:016x}\"><w:r><w:t>A</w:t></w:r></w:p>", "A".repeat(1_984))
    };
    let different = bombed(&(0..52_000).map(differs).collect::<String>());
    assert!((140_000..156_000).contains(&different.markdown.len()), "{}", different.markdown.len());
    says(&different, "only the first 96 MB of the text are read");
    // It packs 300 times better than it should: of 107 MB, 8,000 paragraphs are read.
    assert!((24_000..25_000).contains(&found.markdown.len()), "{}", found.markdown.len());
    says(&found, "only the first 16 MB of the text are read");
}

#[test]
fn archives_within_archives_are_not_opened_without_end() {
    let mut bytes = package(&[("a.txt", &vec![b'x'; 10 << 20])]);
    for _ in 0..6 {
        let files: Vec<(String, Vec<u8>)> = (0..8).map(|number| (format!("{number}.zip"), bytes.clone())).collect();
        let files: Vec<(&str, &[u8])> = files.iter().map(|(name, bytes)| (name.as_str(), bytes.as_slice())).collect();
        bytes = package(&files);
    }
    for found in both("nested.zip", &bytes) {
        assert!(found.markdown.len() < 1 << 20);
        says(&found, "archive within archives");
    }
}

#[test]
fn entities_never_multiply() {
    let entities: String =
        (1..10).map(|n| format!("<!ENTITY l{n} \"{}\">", format!("&l{};", n - 1).repeat(10))).collect();
    let text =
        format!("<!DOCTYPE l [<!ENTITY l0 \"lol\">{entities}<!ENTITY f SYSTEM \"file:///etc/passwd\">]><l>&l9;&f;</l>");
    for found in both("laughs.xml", text.as_bytes()) {
        assert!(found.markdown.len() < 4000 && !found.markdown.contains("root:"));
    }
    let mut yaml = String::from("a: &a [x, x]\n");
    for (from, to) in "abcdefgh".chars().zip("bcdefghi".chars()) {
        yaml.push_str(&format!("{to}: &{to} [{}]\n", vec![format!("*{from}"); 9].join(", ")));
    }
    for found in both("laughs.yaml", yaml.as_bytes()) {
        assert!(found.markdown.len() < 4000 && found.markdown.contains("*h"));
    }
}

#[test]
fn depth_without_end_is_survived() {
    let deep = |open: &str, middle: &str, close: &str, times: usize| {
        format!("{}{middle}{}", open.repeat(times), close.repeat(times))
    };
    for (name, text) in [
        ("deep.json", deep("[", "1", "]", 100_000)),
        ("deep.json", "{\"a\":".repeat(100_000)),
        ("deep.yaml", deep("[", "", "]", 100_000)),
        ("dash.yaml", format!("{}x\n", "- ".repeat(50_000))),
        ("deep.xml", deep("<a>", "x", "</a>", 200_000)),
        ("deep.html", deep("<div>", "deep", "</div>", 200_000)),
        ("quotes.html", deep("<blockquote>", "deep", "</blockquote>", 3_000)),
    ] {
        both(name, text.as_bytes());
    }
    let body = deep("<w:tbl><w:tr><w:tc>", "<w:p><w:r><w:t>deep</w:t></w:r></w:p>", "</w:tc></w:tr></w:tbl>", 20_000);
    for found in both("deep.docx", &docx(&body, &[])) {
        assert!(found.markdown.contains("deep"));
    }
}

/// A PNG that says this size and holds next to nothing.
fn png(width: u32, height: u32) -> Vec<u8> {
    let mut bytes = b"\x89PNG\r\n\x1a\n".to_vec();
    let mut chunk = |kind: &[u8; 4], body: &[u8]| {
        bytes.extend((body.len() as u32).to_be_bytes());
        let mut crc = flate2::Crc::new();
        crc.update(kind);
        crc.update(body);
        bytes.extend(kind);
        bytes.extend(body);
        bytes.extend(crc.sum().to_be_bytes());
    };
    let mut header = [width.to_be_bytes(), height.to_be_bytes()].concat();
    header.extend([8, 2, 0, 0, 0]);
    chunk(b"IHDR", &header);
    let mut packed = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
    std::io::Write::write_all(&mut packed, &[0; 1000]).unwrap();
    chunk(b"IDAT", &packed.finish().unwrap());
    chunk(b"IEND", b"");
    bytes
}

#[test]
fn a_huge_picture_tells_its_size_and_is_not_decoded() {
    let [whole, limited] = both("huge.png", &png(60_000, 60_000));
    assert!(whole.markdown.contains("60000x60000"), "{}", whole.markdown);
    assert!(limited.attachment.is_none());
    says(&limited, "cannot be decoded");
}

/// A PDF of these objects.
fn pdf(objects: &[String]) -> Vec<u8> {
    let mut bytes = b"%PDF-1.5\n".to_vec();
    let mut places = Vec::new();
    for (number, object) in (1..).zip(objects) {
        places.push(bytes.len());
        bytes.extend(format!("{number} 0 obj\n{object}\nendobj\n").into_bytes());
    }
    let start = bytes.len();
    bytes.extend(format!("xref\n0 {}\n0000000000 65535 f \n", places.len() + 1).into_bytes());
    for place in &places {
        bytes.extend(format!("{place:010} 00000 n \n").into_bytes());
    }
    let trailer = format!("trailer\n<< /Root 1 0 R /Size {} >>\nstartxref\n{start}\n%%EOF\n", places.len() + 1);
    bytes.extend(trailer.into_bytes());
    bytes
}

fn page(kids: &str, content: &str, other: &str) -> Vec<u8> {
    pdf(&[
        "<< /Type /Catalog /Pages 2 0 R >>".into(),
        format!("<< /Type /Pages /Kids [{kids}] /Count 1 >>"),
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 5 0 R >> /XObject << /X 6 0 R >> >> /Contents 4 0 R >>".into(),
        format!("<< /Length {} >>\nstream\n{content}\nendstream", content.len()),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>".into(),
        other.to_owned(),
    ])
}

#[test]
fn a_pdf_that_brings_its_reader_down_is_read_by_another() {
    let text = "BT /F1 12 Tf 72 720 Td (Still here) Tj ET";
    let whole = convert("good.pdf", page("3 0 R", text, "null"), None);
    assert_eq!((whole.markdown.trim(), whole.notes.len()), ("Still here", 0), "{:?}", whole.notes);
    let deep = format!("{}1{}", "<< /A ".repeat(100_000), " >>".repeat(100_000));
    for found in both("deep.pdf", &page("3 0 R", text, &deep)) {
        // Whoever reads it: the program lives, and says what happened or what it found.
        assert!(found.markdown.contains("Still here") || !found.notes.is_empty());
    }
}

#[test]
fn loops_in_a_pdf_end() {
    let text = "BT /F1 12 Tf 72 720 Td (Hi) Tj ET";
    for found in both("pages.pdf", &page("2 0 R 3 0 R", text, "null")) {
        assert!(found.markdown.contains("Hi") || !found.notes.is_empty());
    }
    let form = "BT /F1 12 Tf (loop) Tj ET /X Do /X Do";
    let form = format!(
        "<< /Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /X 6 0 R >> >> /Length {} >>\nstream\n{form}\nendstream",
        form.len()
    );
    both("form.pdf", &page("3 0 R", "/X Do", &form));
}

#[test]
fn names_with_ways_out_and_escapes_stay_text() {
    let bytes = package(&[("../../../evil.txt", b"x"), ("/abs.txt", b"y"), ("a\x1b]0;owned\x07\n# b.txt", b"z")]);
    let found = convert("names.zip", bytes, None);
    assert!(found.markdown.contains("## File: ../../../evil.txt") && found.markdown.ends_with("\nz"));
    assert!(!found.markdown.contains('\x1b') && !found.markdown.contains("\n# b.txt"));
}

#[test]
fn a_workbook_with_cells_at_both_ends_is_read() {
    let book = "<workbook xmlns:r='r'><sheets><sheet name='S' sheetId='1' r:id='a'/></sheets></workbook>";
    let targets = crate::packages::relations(&[("a", "worksheet", "worksheets/1.xml", false)]);
    let sheet = "<worksheet><dimension ref='A1:XFD1048576'/><sheetData><row r='1'><c r='A1'><v>1</v></c></row>
        <row r='1048576'><c r='XFD1048576'><v>2</v></c></row></sheetData></worksheet>";
    let root = crate::packages::root_relations("xl/workbook.xml");
    let bytes = package(&[
        ("_rels/.rels", root.as_bytes()),
        ("xl/workbook.xml", book.as_bytes()),
        ("xl/_rels/workbook.xml.rels", targets.as_bytes()),
        ("xl/worksheets/1.xml", sheet.as_bytes()),
    ]);
    let [whole, limited] = both("corner.xlsx", &bytes);
    assert!(whole.markdown.trim_end().ends_with("| 2 |"));
    assert!(limited.markdown.contains("| 1 |"));
}
