//! Documents of every format, cut off at several places: what is good of them is shown and the cut is told, or a word
//! says why nothing is.

use std::io::{Cursor, Write};
use std::time::{Duration, Instant};

use image::{DynamicImage, ImageFormat, RgbImage};
use windowpane::document::{Conversion, FORMATS, Limits};

use crate::data;
use crate::packages::{convert, docx, package, relations, root_relations, spreadsheet};

/// Formats of which the tests write no files; the real ones have them.
const UNWRITTEN: &[&str] = &["xls", "xlsb"];
/// Formats in which a part is as good as the whole: nothing in a text tells that it goes on.
const LINES: &[&str] = &["text", "markdown", "adoc", "rst", "code", "config", "csv", "jsonl", "yaml", "mime", "html"];
/// Kinds of sound that are frames and no more, and workbooks that may end in what nobody reads.
const UNTOLD: &[&str] = &["mp3", "aac", "flac", "xls"];

/// Converts a part of a file, in no longer than may be; neither its reader nor what watches it may fail.
fn cut(name: &str, whole: &[u8], end: usize, limits: Option<&Limits>) -> Conversion {
    let begun = Instant::now();
    let found = convert(name, whole[..end].to_vec(), limits);
    let taken = begun.elapsed();
    assert!(taken < Duration::from_secs(60), "{name} cut at {end} took {taken:?}");
    let failed = found.notes.iter().find(|note| note.of_reader);
    assert!(failed.is_none(), "{name} cut at {end}: {failed:?}");
    found
}

fn office(parts: &[(&str, &str)], main: &str) -> Vec<u8> {
    let root = root_relations(main);
    let mut files = vec![("[Content_Types].xml", &b"<Types/>"[..]), ("_rels/.rels", root.as_bytes())];
    files.extend(parts.iter().map(|(name, text)| (*name, text.as_bytes())));
    package(&files)
}

fn workbook() -> Vec<u8> {
    let rows: String =
        (1..200).map(|at| format!("<row r='{at}'><c r='A{at}'><v>{}</v></c></row>", at * 7919)).collect();
    let book = "<workbook xmlns:r='r'><sheets><sheet name='S' sheetId='1' r:id='a'/></sheets></workbook>";
    let links = relations(&[("a", "worksheet", "worksheets/1.xml", false)]);
    let sheet = format!("<worksheet><sheetData>{rows}</sheetData></worksheet>");
    let links = links.as_str();
    let parts = [("xl/workbook.xml", book), ("xl/_rels/workbook.xml.rels", links), ("xl/worksheets/1.xml", &sheet)];
    office(&parts, "xl/workbook.xml")
}

fn presentation() -> Vec<u8> {
    let slide = |at: u32| {
        let text = format!("<a:p><a:r><a:t>Words of slide {at}</a:t></a:r></a:p>");
        format!("<p:sld><p:cSld><p:spTree><p:sp><p:txBody>{text}</p:txBody></p:sp></p:spTree></p:cSld></p:sld>")
    };
    let ids: String = (1..6).map(|at| format!("<p:sldId r:id='r{at}'/>")).collect();
    let main = format!("<p:presentation xmlns:r='r'><p:sldIdLst>{ids}</p:sldIdLst></p:presentation>");
    let rows: Vec<(String, String)> = (1..6).map(|at| (format!("r{at}"), format!("slides/slide{at}.xml"))).collect();
    let rows: Vec<_> = rows.iter().map(|(id, to)| (id.as_str(), "slide", to.as_str(), false)).collect();
    let links = relations(&rows);
    let slides: Vec<(String, String)> = (1..6).map(|at| (format!("ppt/slides/slide{at}.xml"), slide(at))).collect();
    let mut parts = vec![("ppt/presentation.xml", main.as_str()), ("ppt/_rels/presentation.xml.rels", links.as_str())];
    parts.extend(slides.iter().map(|(name, slide)| (name.as_str(), slide.as_str())));
    office(&parts, "ppt/presentation.xml")
}

fn book() -> Vec<u8> {
    let pages: Vec<(String, String)> = (0..5)
        .map(|at| (format!("{at}.xhtml"), format!("<html><body><p>Words of page {at}</p></body></html>")))
        .collect();
    let mut files = vec![("mimetype", &b"application/epub+zip"[..])];
    files.extend(pages.iter().map(|(name, page)| (name.as_str(), page.as_bytes())));
    package(&files)
}

fn message() -> Vec<u8> {
    let mut compound = cfb::CompoundFile::create(Cursor::new(Vec::new())).unwrap();
    for (name, text) in [("0037001F", "Subject"), ("1000001F", "Words of the message")] {
        let mut stream = compound.create_stream(format!("__substg1.0_{name}")).unwrap();
        let text: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        stream.write_all(&text).unwrap();
    }
    compound.into_inner().into_inner()
}

fn pdf() -> Vec<u8> {
    let mut bytes = b"%PDF-1.5\n".to_vec();
    let text = "BT /F1 12 Tf 72 720 Td (Words of the page) Tj ET";
    let page = "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 5 0 R >> >> /Contents 4 0 R >>";
    let objects = [
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>".to_owned(),
        format!("<< /Length {} >>\nstream\n{text}\nendstream", text.len()),
        page.to_owned(),
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_owned(),
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
    ];
    for (number, object) in (1..=5).rev().zip(objects) {
        bytes.extend(format!("{number} 0 obj\n{object}\nendobj\n").bytes());
    }
    bytes.extend(b"trailer\n<< /Root 1 0 R /Size 6 >>\nstartxref\n9\n%%EOF\n");
    bytes
}

fn picture(format: ImageFormat) -> Vec<u8> {
    let pixels = RgbImage::from_fn(40, 30, |x, y| image::Rgb([(x * y) as u8, (x * 5) as u8, (y * 7) as u8]));
    let mut bytes = Cursor::new(Vec::new());
    DynamicImage::ImageRgb8(pixels).write_to(&mut bytes, format).unwrap();
    bytes.into_inner()
}

fn wav() -> Vec<u8> {
    let mut bytes =
        b"RIFF\x24\x20\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0\x40\x1F\0\0\x40\x1F\0\0\x01\0\x08\0data\0\x20\0\0".to_vec();
    bytes.extend((0..0x2000u32).map(|at| (at * 37) as u8));
    bytes
}

fn notebook() -> String {
    let cells = r##"{"cell_type":"markdown","metadata":{},"source":["# T\n","x"]}"##;
    format!("{{\"cells\":[{cells}],\"metadata\":{{}},\"nbformat\":4}}")
}

fn archive(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut archive = tar::Builder::new(Vec::new());
    for (name, content) in files {
        let mut header = tar::Header::new_gnu();
        header.set_size(content.len() as u64);
        archive.append_data(&mut header, name, *content).unwrap();
    }
    archive.into_inner().unwrap()
}

/// A file of each format, by its name.
fn files() -> Vec<(&'static str, Vec<u8>)> {
    let lines =
        || (0..50).map(|at| format!("Line {at} of the text, and more of it.\n")).collect::<String>().into_bytes();
    let body: String = (0..50).map(|at| format!("<w:p><w:r><w:t>Words {at}</w:t></w:r></w:p>")).collect();
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    packed.write_all(&lines()).unwrap();
    vec![
        ("a.txt", lines()),
        ("a.md", lines()),
        ("a.adoc", lines()),
        ("a.rst", lines()),
        ("a.rs", lines()),
        ("a.ini", b"[a]\nb = 1\n# no\nc = 2\n".repeat(5)),
        ("a.txt.gz", packed.finish().unwrap()),
        ("a.csv", b"a,b\n1,2\n3,\"x y\"\n".repeat(5)),
        ("a.json", b"{\"a\": [1, 2, {\"b\": \"text\"}], \"c\": \"more\"}".to_vec()),
        ("a.jsonl", b"{\"a\": [1, 2]}\n".repeat(9)),
        ("a.yaml", b"a:\n  - 1\n  - b: text\nc: more\n".to_vec()),
        ("a.xml", b"<a><b c='d'>text</b><b>more</b><b/></a>".to_vec()),
        (
            "a.html",
            b"<html><body><h1>T</h1><p>text <b>bold</b></p><table><tr><td>1</td></tr></table></body></html>".to_vec(),
        ),
        ("a.eml", b"From: a@b.c\r\nSubject: S\r\nContent-Type: text/plain\r\n\r\nWords of the message\r\n".to_vec()),
        ("a.ipynb", notebook().into_bytes()),
        ("a.rtf", b"{\\rtf1\\ansi {\\b Words} of the text\\par More of them\\par}".to_vec()),
        ("a.docx", docx(&body, &[("word/styles.xml", b"<w:styles/>")])),
        ("a.pptx", presentation()),
        ("a.xlsx", workbook()),
        ("a.ods", spreadsheet(|at| at.to_string())),
        ("a.epub", book()),
        ("a.zip", package(&[("a.txt", &lines()), ("b.csv", b"a,b\n1,2\n"), ("c.txt", &lines())])),
        ("a.tar", archive(&[("a.txt", &lines()), ("b.csv", b"a,b\n1,2\n"), ("c.txt", &lines())])),
        ("a.msg", message()),
        ("a.pdf", pdf()),
        ("a.png", picture(ImageFormat::Png)),
        ("a.jpg", picture(ImageFormat::Jpeg)),
        ("a.gif", picture(ImageFormat::Gif)),
        ("a.webp", picture(ImageFormat::WebP)),
        ("a.wav", wav()),
    ]
}

#[test]
fn files_of_every_format_are_shown_as_far_as_they_go() {
    let limits = Limits::default();
    let (mut met, mut silent) = (Vec::new(), Vec::new());
    for (name, whole) in files() {
        let found = cut(name, &whole, whole.len(), Some(&limits));
        let is_cut = found.notes.iter().any(|note| note.message.contains("cut off"));
        assert!(!found.markdown.is_empty() && !is_cut, "{name}: {found:?}");
        let (format, all) = (found.format.clone(), found.markdown);
        for (tenths, limits) in (1..10).flat_map(|tenths| [(tenths, None), (tenths, Some(&limits))]) {
            let end = whole.len() * tenths / 10;
            let found = cut(name, &whole, end, limits);
            // Where nothing is lost but what nobody reads, nothing is to be told.
            let is_told = LINES.contains(&format.as_str()) || !found.notes.is_empty() || found.markdown == all;
            // What is not cut to limits is copied as it is.
            let copied = limits.is_none() && matches!(format.as_str(), "json" | "xml");
            if !is_told && !copied {
                silent.push(format!("{name} cut at {end}: {}", found.markdown));
            }
        }
        met.push(format);
    }
    assert!(silent.is_empty(), "nothing is said of {silent:?}");
    for format in FORMATS {
        assert!(met.iter().any(|met| met == format.name) || UNWRITTEN.contains(&format.name), "{}", format.name);
    }
}

#[test]
fn half_of_an_office_document_or_a_book_is_half_of_its_text() {
    for (name, words) in [
        ("a.docx", "Words 10\n"),
        ("a.pptx", "Words of slide 1"),
        ("a.xlsx", "| 7919 |"),
        ("a.ods", "| 10 |"),
        ("a.epub", "Words of page 1"),
        ("a.zip", "Line 10 "),
        ("a.pdf", "Words of the page"),
        ("a.wav", "Duration: 1.024 s"),
        ("a.gif", "40x30"),
    ] {
        let whole = files().into_iter().find(|(known, _)| *known == name).unwrap().1;
        let found = cut(name, &whole, whole.len() * 7 / 10, None);
        assert!(found.markdown.contains(words), "{name}: {found:?}");
        let says = found.notes.iter().any(|note| note.message.contains("the file is cut off"));
        assert!(says, "{name}: {:?}", found.notes);
    }
}

#[test]
fn where_nothing_is_left_of_what_is_said_to_be_shown_that_is_said() {
    for (name, whole) in [("a.xlsx", workbook()), ("a.docx", docx("<w:p><w:r><w:t>x</w:t></w:r></w:p>", &[]))] {
        // The first part alone is whole: it holds no text.
        let second = memchr::memmem::find_iter(&whole, b"PK\x03\x04").nth(1).unwrap();
        let found = cut(name, &whole, second + 10, None);
        let notes: Vec<String> = found.notes.iter().map(ToString::to_string).collect();
        assert_eq!(found.markdown, "");
        let is_said = |note: &String| note.contains("nothing of it is left") || note.contains("cannot be read");
        let is_promised = |note: &String| note.ends_with("is shown");
        assert!(notes.iter().any(is_said) && !notes.iter().any(is_promised), "{name}: {notes:?}");
    }
}

#[test]
fn real_files_of_every_format_are_shown_as_far_as_they_go() {
    let Some(folder) = data::folder() else { return };
    let limits = Limits::default();
    let mut silent = Vec::new();
    for format in ["pdf", "docx", "pptx", "xlsx", "epub", "html", "csv", "yaml", "xml", "json", "image", "audio"] {
        for entry in std::fs::read_dir(folder.join("documents").join(format)).unwrap().flatten() {
            let whole = std::fs::read(entry.path()).unwrap();
            let name = entry.file_name().to_string_lossy().into_owned();
            let ending = name.rsplit('.').next().unwrap_or_default();
            for (tenths, limits) in [(3, None), (5, Some(&limits)), (9, None)] {
                let found = cut(&name, &whole, whole.len() * tenths / 10, limits);
                let is_binary = ["pdf", "docx", "pptx", "xlsx", "epub", "image", "audio"].contains(&format);
                let is_told = !is_binary || UNTOLD.contains(&ending) || !found.notes.is_empty();
                if !is_told {
                    silent.push(format!("{name} cut at {tenths} tenths"));
                }
            }
        }
    }
    assert!(silent.is_empty(), "nothing is said of {silent:?}");
}
