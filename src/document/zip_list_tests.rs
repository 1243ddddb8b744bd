//! Tests of damage to the list of a zip's parts: it costs nothing of what the parts hold.

use std::io::{Cursor, Write};

use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use super::*;
use crate::document::Conversion;
use crate::document::testing::converted;

const KINDS: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";

type Parts = Vec<(&'static str, String)>;

/// What leads to parts: their ids, kinds and places.
fn links(all: &[(&str, &str, &str)]) -> String {
    let link =
        |(id, kind, to): &(&str, &str, &str)| format!("<Relationship Id='{id}' Type='{KINDS}/{kind}' Target='{to}'/>");
    format!("<Relationships>{}</Relationships>", all.iter().map(link).collect::<String>())
}

/// Two sheets with their names, and a comment on the first.
fn workbook() -> Parts {
    let sheet = |value: u32| {
        format!("<worksheet><sheetData><row r='1'><c r='A1'><v>{value}</v></c></row></sheetData></worksheet>")
    };
    let comments = "<comments><commentList><comment ref='A1'><text><t>Why so few</t></text></comment></commentList>\
        </comments>";
    let book = "<workbook xmlns:r='r'><sheets><sheet name='Sales' r:id='a'/><sheet name='Costs' r:id='b'/></sheets>\
        </workbook>";
    vec![
        ("[Content_Types].xml", "<Types/>".to_owned()),
        ("_rels/.rels", links(&[("a", "officeDocument", "xl/workbook.xml")])),
        ("xl/workbook.xml", book.to_owned()),
        (
            "xl/_rels/workbook.xml.rels",
            links(&[("a", "worksheet", "worksheets/sheet1.xml"), ("b", "worksheet", "worksheets/sheet2.xml")]),
        ),
        ("xl/worksheets/sheet1.xml", sheet(4_711)),
        ("xl/worksheets/sheet2.xml", sheet(815)),
        ("xl/worksheets/_rels/sheet1.xml.rels", links(&[("c", "comments", "../comments1.xml")])),
        ("xl/comments1.xml", comments.to_owned()),
    ]
}

/// Files of all kinds that are zips: their names and parts.
fn files() -> Vec<(&'static str, Parts)> {
    let text = |words: &str| format!("<w:p><w:r><w:t>{words}</w:t></w:r></w:p>");
    let document = format!("<w:document><w:body>{}{}</w:body></w:document>", text("One"), text("Two"));
    let slide = "<p:sld><p:cSld><p:spTree><p:sp><p:txBody><a:p><a:r><a:t>Shown</a:t></a:r></a:p></p:txBody></p:sp>\
        </p:spTree></p:cSld></p:sld>";
    let slides = "<p:presentation><p:sldIdLst><p:sldId r:id='s'/></p:sldIdLst></p:presentation>";
    let content = "<o xmlns:table='t' xmlns:office='o' xmlns:text='x'><table:table table:name='S'><table:table-row>\
        <table:table-cell office:value-type='string'><text:p>cell</text:p></table:table-cell></table:table-row>\
        </table:table></o>";
    let book = "<package><manifest><item id='a' href='1.xhtml'/><item id='b' href='2.xhtml'/></manifest><spine>\
        <itemref idref='b'/><itemref idref='a'/></spine></package>";
    let root = "<container><rootfiles><rootfile full-path='b.opf'/></rootfiles></container>";
    let plain = |parts: &[(&'static str, &str)]| parts.iter().map(|(name, part)| (*name, (*part).to_owned())).collect();
    vec![
        ("a.xlsx", workbook()),
        (
            "a.docx",
            vec![
                ("[Content_Types].xml", "<Types/>".to_owned()),
                ("_rels/.rels", links(&[("a", "officeDocument", "word/document.xml")])),
                ("word/document.xml", document),
            ],
        ),
        (
            "a.pptx",
            vec![
                ("[Content_Types].xml", "<Types/>".to_owned()),
                ("ppt/presentation.xml", slides.to_owned()),
                ("ppt/_rels/presentation.xml.rels", links(&[("s", "slide", "slides/slide1.xml")])),
                ("ppt/slides/slide1.xml", slide.to_owned()),
            ],
        ),
        (
            "a.ods",
            plain(&[
                ("mimetype", "application/vnd.oasis.opendocument.spreadsheet"),
                ("content.xml", content),
                ("META-INF/manifest.xml", "<manifest></manifest>"),
            ]),
        ),
        (
            "a.epub",
            plain(&[
                ("mimetype", "application/epub+zip"),
                ("META-INF/container.xml", root),
                ("b.opf", book),
                ("1.xhtml", "<p>leaf</p>"),
                ("2.xhtml", "<p>root</p>"),
            ]),
        ),
        ("a.zip", plain(&[("a.txt", "one"), ("b/c.md", "two")])),
    ]
}

/// A zip of parts, with sizes behind them where it is written in one go.
fn zip(parts: &Parts, in_one_go: bool) -> Vec<u8> {
    fn write<W: Write + std::io::Seek>(mut writer: ZipWriter<W>, parts: &Parts) -> W {
        for (name, content) in parts {
            writer.start_file(*name, SimpleFileOptions::default()).unwrap();
            writer.write_all(content.as_bytes()).unwrap();
        }
        writer.finish().unwrap()
    }
    match in_one_go {
        false => write(ZipWriter::new(Cursor::new(Vec::new())), parts).into_inner(),
        true => {
            let mut writer = ZipWriter::new_stream(Vec::new());
            for (name, content) in parts {
                writer.start_file(*name, SimpleFileOptions::default()).unwrap();
                writer.write_all(content.as_bytes()).unwrap();
            }
            writer.finish().unwrap().into_inner()
        }
    }
}

/// Where the list begins, and what stands behind it.
fn places(whole: &[u8]) -> (usize, usize) {
    let end = memchr::memmem::rfind(whole, b"PK\x05\x06").unwrap();
    (number(whole, end + 16).unwrap() as usize, end)
}

fn notes(found: &Conversion) -> Vec<String> {
    found.notes.iter().map(ToString::to_string).collect()
}

#[test]
fn a_wrong_byte_in_the_list_or_at_its_end_costs_nothing() {
    for (name, parts) in files() {
        for in_one_go in [false, true] {
            let whole = zip(&parts, in_one_go);
            let sound = converted(name, &whole, None);
            assert!(sound.notes.is_empty() && sound.markdown.len() > 4, "{name}: {sound:?}");
            let (list, end) = places(&whole);
            for at in list..whole.len() {
                let flips: &[u8] = if at < end { &[0x55, 0x01] } else { &[0x01, 0x55, 0x80, 0xFF] };
                for flip in flips {
                    let mut spoilt = whole.clone();
                    spoilt[at] ^= flip;
                    let found = converted(name, &spoilt, None);
                    // The name of a file that nothing else knows is what the list says.
                    let is_name = name == "a.zip" && at < end && found.markdown.len() == sound.markdown.len();
                    let place = (at - list, at.checked_sub(end));
                    assert!(
                        found.markdown == sound.markdown || is_name,
                        "{name} {in_one_go} {place:?} {flip:02x}: {:?} {}",
                        notes(&found),
                        found.markdown
                    );
                    let told: std::collections::HashSet<String> = notes(&found).into_iter().collect();
                    assert_eq!(told.len(), found.notes.len(), "{name} {place:?}: {:?}", notes(&found));
                }
            }
        }
    }
}

#[test]
fn what_stands_before_a_zip_and_a_wrong_byte_at_its_end_cost_nothing() {
    for (name, parts) in files() {
        let sound = converted(name, &zip(&parts, false), None);
        let whole = [&b"#!/bin/sh\n"[..], &zip(&parts, false)].concat();
        let end = memchr::memmem::rfind(&whole, b"PK\x05\x06").unwrap();
        for at in end + 4..whole.len() {
            let mut spoilt = whole.clone();
            spoilt[at] ^= 0x55;
            let found = converted(name, &spoilt, None);
            assert_eq!(found.markdown, sound.markdown, "{name} {}: {:?}", at - end, notes(&found));
        }
    }
}

#[test]
fn comments_are_shown_where_the_list_is_cut_off() {
    for in_one_go in [false, true] {
        let whole = zip(&workbook(), in_one_go);
        let sound = converted("a.xlsx", &whole, None);
        assert!(sound.markdown.contains("- A1: Why so few"), "{sound:?}");
        let (list, end) = places(&whole);
        for cut in [list + 4, list + 50, usize::midpoint(list, end), end, end + 5, whole.len() - 1] {
            let found = converted("a.xlsx", &whole[..cut], None);
            assert_eq!(found.markdown, sound.markdown, "{cut}: {:?}", notes(&found));
            assert_eq!(found.notes.len(), 1, "{cut}: {:?}", notes(&found));
        }
    }
}
