//! Archives: each file in them by its own kind, under a heading with its name; and those that are zips.

use crate::content::MemoryBytes;
use crate::model::file_name;

use super::convert::detect_bytes;
use super::format::Shape;
use super::heading::heading;
use super::inner;
use super::input::{Failure, Input, Packing};
use super::office::package::Package;
use super::out::Out;
use super::piece::{Place, PlaceKind};
use super::signs::{HEAD, is_text};
use super::unpacking::Damage;

/// Archives within each other; deeper ones are only named.
const DEPTH_MAX: u32 = 2;
/// Files of an archive that are converted.
pub const FILES_MAX: usize = 1_000;
/// Bytes that one file may unpack to.
pub const FILE_MAX: u64 = 64 << 20;
/// Bytes that all files may unpack to.
const ALL_MAX: u64 = 512 << 20;
/// Formats of archives.
const ARCHIVES: &[&str] = &["zip", "tar"];

/// The files of a zip as Markdown.
///
/// # Errors
/// Where it is no archive.
pub fn convert(input: &Input<'_>, out: &mut Out<'_>) -> Result<(), Failure> {
    let mut package = Package::open(input, out)?;
    let names: Vec<String> = package.names().iter().filter(|name| !name.ends_with('/')).cloned().collect();
    out.fact("files", names.len());
    let mut unpacked = 0;
    for (number, name) in (1u32..).zip(names.iter().take(FILES_MAX)) {
        if !begin(number, name, unpacked, out)? {
            continue;
        }
        match package.bytes(name, FILE_MAX + 1) {
            Ok(Some(bytes)) if bytes.is_empty() && package.is_damaged(name) => {
                out.note("cannot be unpacked: it is damaged");
            }
            Ok(Some(bytes)) => {
                let is_whole = bytes.len() as u64 <= FILE_MAX;
                unpacked += member(name, bytes, input, out)?;
                if is_whole {
                    package.say_cut(name, "file", out);
                }
            }
            Ok(None) => out.note("it cannot be found in the archive"),
            Err(Failure::Stop(stop)) => return Err(stop.into()),
            Err(why) => out.note(format!("cannot be unpacked: {why}")),
        }
        out.progress(u64::from(number), names.len() as u64)?;
    }
    if names.len() > FILES_MAX {
        out.note(format!("only the first {FILES_MAX} of {} files are converted", names.len()));
    }
    Ok(())
}

/// Begins a file of an archive; false where those before it have unpacked to so much that it is only named.
///
/// # Errors
/// As [`Out::text`].
pub fn begin(number: u32, name: &str, unpacked: u64, out: &mut Out<'_>) -> Result<bool, Failure> {
    out.blank_line()?;
    out.anchor(Place::named(PlaceKind::File, number, name))?;
    out.block(&heading(2, &format!("File: {}", shown_name(name))))?;
    let has_room = unpacked < ALL_MAX;
    if !has_room {
        out.note("not unpacked: the files before it were too large");
    }
    Ok(has_room)
}

/// A file of which there are so many bytes as may be, or one more where it is too large; how many count.
///
/// # Errors
/// As [`Out::text`].
pub fn member(name: &str, mut bytes: Vec<u8>, input: &Input<'_>, out: &mut Out<'_>) -> Result<u64, Failure> {
    let (size, most) = (bytes.len() as u64, FILE_MAX >> 20);
    if size <= FILE_MAX {
        one(name, bytes, input, out)?;
    } else if reads_in_order(name, &bytes) {
        bytes.pop();
        one(name, bytes, input, out)?;
        out.note(format!("it unpacks to more than {most} MB, of which the first are shown"));
    } else {
        out.note(format!("not converted: it unpacks to more than {most} MB"));
    }
    Ok(size.min(FILE_MAX))
}

/// A name on one line, without what could be taken for a command to a terminal.
fn shown_name(name: &str) -> String {
    name.chars().map(|sign| if sign.is_control() { '\u{FFFD}' } else { sign }).collect()
}

/// Whether a file is text of which the beginning says as much without its end: lines, or rows.
fn reads_in_order(name: &str, bytes: &[u8]) -> bool {
    let head = MemoryBytes(bytes.get(..bytes.len().min(HEAD)).unwrap_or_default().to_vec());
    let detected = detect_bytes(name, &head);
    let format = detected.format.filter(|format| matches!(format.shape, Shape::Lines | Shape::Rows));
    detected.packing == Packing::None && is_text(&head.0) && format.is_some()
}

/// One file, by its own format.
fn one(name: &str, bytes: Vec<u8>, input: &Input<'_>, out: &mut Out<'_>) -> Result<(), Failure> {
    let bytes = MemoryBytes(bytes);
    let detected = detect_bytes(name, &bytes);
    let Some(format) = detected.format else {
        out.note(detected.refusal());
        return Ok(());
    };
    if ARCHIVES.contains(&format.name) && input.depth + 1 >= DEPTH_MAX {
        out.note("an archive within archives; it is not opened");
        return Ok(());
    }
    let whole = name;
    let name = if detected.packing == Packing::None { name } else { Packing::strip(name) };
    let name = file_name(name);
    let (packing, depth, damage) = (detected.packing, input.depth + 1, &Damage::default());
    let inner = Input { name, bytes: &bytes, packing, depth, damage, ..*input };
    let done = match ARCHIVES.contains(&format.name) {
        true => out.within(whole, |out| inner::convert(format, &inner, out)),
        false => out.quietly(|out| inner::convert(format, &inner, out)),
    };
    damage.say(out);
    match done {
        Err(Failure::Stop(stop)) => Err(stop.into()),
        Err(why) => {
            out.note(format!("cannot be read as {}: {why}", format.title));
            Ok(())
        }
        Ok(()) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Conversion;
    use crate::document::testing::{converted, zip};

    #[test]
    fn a_file_whose_name_begins_with_a_slash_is_shown() {
        let bytes = zip(&[("^a.txt", "one"), ("a.txt", "two"), ("^^b.txt", "three")]);
        let found = converted("a.zip", &bytes, None);
        let expected = "## File: /a.txt\none\n\n## File: a.txt\ntwo\n\n## File: //b.txt\nthree";
        assert_eq!(found.markdown, expected);
        assert!(found.notes.is_empty(), "{:?}", found.notes);
    }

    #[test]
    fn of_files_of_one_name_it_is_told_which_is_shown() {
        let found = converted("a.zip", &zip(&[("x/a.txt", "one"), ("x^a.txt", "two"), ("b.txt", "three")]), None);
        assert_eq!(found.markdown, "## File: x/a.txt\ntwo\n\n## File: b.txt\nthree");
        let notes: Vec<&str> = found.notes.iter().map(|note| note.message.as_str()).collect();
        assert_eq!(notes, ["its zip holds 2 files called \"x/a.txt\": the last of them is read"]);
    }

    #[test]
    fn documents_are_read_whose_parts_begin_with_a_slash() {
        let word = "<w:document><w:body><w:p><w:r><w:t>Words</w:t></w:r></w:p></w:body></w:document>";
        let parts = [("^[Content_Types].xml", "<Types/>"), ("^word/document.xml", word)];
        for name in ["a.docx", "a.zip"] {
            let found = converted(name, &zip(&parts), None);
            assert_eq!((found.format.as_str(), found.markdown.as_str()), ("docx", "Words\n"), "{:?}", found.notes);
        }
        let page = "<html><body><p>Words</p></body></html>";
        let book =
            "<package><manifest><item id='c' href='c.html'/></manifest><spine><itemref idref='c'/></spine></package>";
        let root = "<container><rootfile full-path='o/b.opf'/></container>";
        let parts = [("^META-INF/container.xml", root), ("^o/b.opf", book), ("^o/c.html", page)];
        let found = converted("a.epub", &zip(&parts), None);
        assert_eq!((found.markdown.as_str(), found.notes.len()), ("Words\n", 0), "{:?}", found.notes);
    }

    #[test]
    fn a_workbook_is_read_whose_parts_begin_with_a_slash() {
        let kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
        let link = |name: &str, target: &str| {
            format!("<Relationships><Relationship Id='r1' Type='{kind}/{name}' Target='{target}'/></Relationships>")
        };
        let (root, links) = (link("officeDocument", "xl/workbook.xml"), link("worksheet", "worksheets/sheet1.xml"));
        let book =
            format!("<workbook xmlns:r='{kind}'><sheets><sheet name='S' sheetId='1' r:id='r1'/></sheets></workbook>");
        let sheet = "<worksheet><sheetData><row r='1'><c r='A1'><v>42</v></c></row></sheetData></worksheet>";
        let parts = ["[Content_Types].xml", "_rels/.rels", "xl/workbook.xml", "xl/_rels/workbook.xml.rels"];
        let texts = ["<Types/>", &root, &book, &links, sheet];
        for slash in ["", "^"] {
            let names = parts.iter().chain(&["xl/worksheets/sheet1.xml"]).map(|name| format!("{slash}{name}"));
            let names: Vec<String> = names.collect();
            let parts: Vec<(&str, &str)> = names.iter().map(String::as_str).zip(texts).collect();
            let found = converted("a.xlsx", &zip(&parts), None);
            assert!(found.markdown.contains("| 42 |") && found.notes.is_empty(), "{slash} {found:?}");
        }
    }

    #[test]
    fn a_damaged_workbook_is_read_whose_names_hold_slashes() {
        let kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
        let link = |id: &str, name: &str, target: &str| {
            format!("<Relationship Id='{id}' Type='{kind}/{name}' Target='{target}'/>")
        };
        let links = |all: &str| format!("<Relationships>{all}</Relationships>");
        let row = |row: u32| format!("<row r='{row}'><c r='A{row}'><v>{}</v></c></row>", row * 7919);
        let rows: String = (1..200).map(row).collect();
        let sheet = format!("<worksheet><sheetData>{rows}</sheetData></worksheet>");
        let whole = |slash: &str, folder: &str| {
            let book = format!(
                "<workbook xmlns:r='{kind}'><sheets><sheet name='S' sheetId='1' r:id='a'/>\
                 <sheet name='T' sheetId='2' r:id='b'/></sheets></workbook>"
            );
            let [one, two] = ["1", "2"].map(|number| format!("worksheets/{folder}sheet{number}.xml"));
            let parts = [
                ("_rels/.rels", links(&link("r", "officeDocument", "xl/workbook.xml"))),
                ("xl/workbook.xml", book),
                ("xl/_rels/workbook.xml.rels", links(&(link("a", "worksheet", &one) + &link("b", "worksheet", &two)))),
                (&format!("xl/{one}"), sheet.clone()),
                (&format!("xl/{two}"), sheet.clone()),
            ];
            let parts = parts.map(|(name, text)| (format!("{slash}{name}"), text));
            let parts: Vec<(&str, &str)> = parts.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
            zip(&parts)
        };
        for (slash, folder) in [("", ""), ("^", ""), ("", "a/b/"), ("^^", "a/")] {
            let bytes = whole(slash, folder);
            let found = converted("a.xlsx", &bytes[..bytes.len() * 4 / 5], None);
            let shown = |found: &Conversion| found.markdown.lines().filter(|line| line.ends_with("9 |")).count();
            assert!(found.markdown.matches("## ").count() == 2 && shown(&found) > 20, "{slash} {folder}: {found:?}");
            let at = memchr::memmem::find(&bytes, b"workbook.xml").unwrap();
            let mut damaged = bytes.clone();
            damaged[at + 20..at + 40].iter_mut().for_each(|byte| *byte ^= 0xFF);
            let found = converted("a.xlsx", &damaged, None);
            assert!(found.markdown.matches("## ").count() == 2 && shown(&found) > 30, "{slash} {folder}: {found:?}");
            assert!(found.notes[0].message.contains("xl/workbook.xml is damaged"), "{:?}", found.notes);
        }
    }

    #[test]
    fn of_lines_and_rows_alone_the_beginning_says_as_much_without_the_end() {
        for (name, bytes, is) in [
            ("a.csv", b"a,b\n1,2\n".as_slice(), true),
            ("b.txt", b"words", true),
            ("c.json", b"{\"a\": [", false),
            ("d.zip", b"PK\x03\x04", false),
            ("e.txt", b"PK\x03\x04", false),
        ] {
            assert_eq!(reads_in_order(name, bytes), is, "{name}");
        }
    }
}
