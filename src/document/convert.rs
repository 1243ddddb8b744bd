//! Converting a document: finding its format, running its reader, keeping what was good when it fails.

use std::io::{self, Read};

use crate::content::{MemoryBytes, ReadAt, Watch};
use crate::model::file_name;

use super::detect::{Detected, detect};
use super::format::{Format, Shape};
use super::input::{Failure, Input, Packing};
use super::limits::Limits;
use super::out::{Out, Sink, Stop};
use super::piece::{Conversion, EMPTY, NO_TEXT};
use super::signs::{HEAD, is_container, is_holed_text};
use super::unpacking::Damage;

/// Bytes that a packed container may unpack to, to be looked into for what it is.
const LOOKED_INTO: u64 = 32 << 20;

/// Bytes of Markdown that any file may give, and how many more for each of its own: no packing makes less of a text.
const ANY_GIVES: u64 = 64 << 20;
const BYTE_GIVES: u64 = 1024;

/// The fact that a document was not read to its end because there was enough: how much of it was.
pub const PART: &str = "read";

/// How the note on that begins.
pub const STOPPED: &str = "stopped after ";

/// A document to convert.
#[derive(Clone, Copy)]
pub struct Request<'a> {
    /// The file's name; its ending tells the format. Untrusted.
    pub name: &'a str,
    /// Its bytes.
    pub bytes: &'a dyn ReadAt,
    /// How much is shown; `None` for all.
    pub limits: Option<&'a Limits>,
    /// Bytes of Markdown after which it stops.
    pub max_bytes: u64,
    /// The page from which a second, plainer reader takes over, where the first has failed.
    pub second_reader_from: Option<u32>,
    /// Progress in bytes, and the wish to stop.
    pub watch: &'a Watch,
}

/// Finds the format of a file.
#[must_use]
pub fn detect_bytes(name: &str, bytes: &dyn ReadAt) -> Detected {
    let watch = Watch::default();
    let mut head = vec![0; 8];
    let size = bytes.read_at(0, &mut head).unwrap_or(0);
    head.truncate(size);
    let packing = Packing::of(&head);
    let name = if packing == Packing::None { name } else { Packing::strip(name) };
    let (limits, second_reader_from, damage) = (None, None, &Damage::default());
    let input = Input { name, bytes, packing, limits, watch: &watch, second_reader_from, depth: 0, damage };
    let mut head = Vec::new();
    // What can be read of a damaged file still tells its format.
    let _ = input.reader().map(|reader| reader.take(HEAD as u64).read_to_end(&mut head));
    let is_packed = packing != Packing::None;
    let unpacked = (is_packed && is_container(&head)).then(|| input.whole(LOOKED_INTO).ok()).flatten().map(MemoryBytes);
    let whole = if is_packed { unpacked.as_ref().map(|unpacked| unpacked as &dyn ReadAt) } else { Some(bytes) };
    detect(name, packing, &head, whole)
}

/// Whether something may read bytes of which more are to come, as far as their beginning tells: they are text, a
/// document of a known kind, or packed or a container, of which what holds documents may come later.
#[must_use]
pub fn may_be_read(bytes: &dyn ReadAt) -> bool {
    let mut head = vec![0; HEAD];
    let size = bytes.read_at(0, &mut head).unwrap_or(0);
    head.truncate(size);
    let packing = Packing::of(&head);
    packing != Packing::None
        || is_container(&head)
        || is_holed_text(&head)
        || detect("", packing, &head, None).format.is_some()
}

/// Converts a document in this process and hands on its pieces as they arise. It never fails: what is wrong is told
/// as notes. Only [`Stop::Cancelled`] ends it without a word.
///
/// # Errors
/// [`Stop::Cancelled`] where the watch or the sink ended it.
pub fn convert(request: &Request<'_>, sink: &mut Sink<'_>) -> Result<(), Stop> {
    let detected = detect_bytes(request.name, request.bytes);
    let mut out = Out::new(most(request, detected.packing).0, sink);
    if request.bytes.is_empty() {
        out.fact("format", detected.format.map_or("", |format| format.name));
        out.note(EMPTY);
        return out.finish();
    }
    let Some(format) = detected.format else {
        out.fact("bytes", request.bytes.len());
        out.note(detected.refusal());
        return out.finish();
    };
    if let Some(found) = detected.misnamed {
        out.note(format!("its content is {found}, whatever its name says"));
    }
    run(request, detected.packing, format, &mut out)
}

/// The bytes of Markdown after which a document ends, and whether they are what its size allows: what says one thing again
/// and again may say far more than it holds. A file that is packed as a whole may be packed better than that.
fn most(request: &Request<'_>, packing: Packing) -> (u64, bool) {
    let gives = ANY_GIVES.saturating_add(request.bytes.len().saturating_mul(BYTE_GIVES));
    let is_less = packing == Packing::None && gives < request.max_bytes;
    (if is_less { gives } else { request.max_bytes }, is_less)
}

/// A document's bytes: its watch is told what is read of them, and none are read once that is not wished any more.
struct Watched<'a> {
    bytes: &'a dyn ReadAt,
    watch: &'a Watch,
}

impl ReadAt for Watched<'_> {
    fn len(&self) -> u64 {
        self.bytes.len()
    }

    fn read_at(&self, at: u64, buffer: &mut [u8]) -> io::Result<usize> {
        if self.watch.is_cancelled() {
            return Err(io::Error::other("stopped"));
        }
        let size = self.bytes.read_at(at, buffer)?;
        // What is read again is nothing new.
        self.watch.reach((at + size as u64).max(self.watch.progress().0));
        Ok(size)
    }
}

/// Runs a format's reader.
fn run(request: &Request<'_>, packing: Packing, format: &Format, out: &mut Out<'_>) -> Result<(), Stop> {
    let name = if packing == Packing::None { request.name } else { Packing::strip(request.name) };
    let name = file_name(name);
    let bytes = &Watched { bytes: request.bytes, watch: request.watch };
    out.fact("format", format.name);
    if let Some(limits) = request.limits {
        match format.shape {
            Shape::Lines => out.cut_lines(limits, true),
            Shape::Rows => out.cut_lines(limits, false),
            Shape::Levels | Shape::Own => {}
        }
    }
    let Request { limits, watch, second_reader_from, .. } = *request;
    let damage = &Damage::default();
    let input = Input { name, bytes, packing, limits, watch, second_reader_from, depth: 0, damage };
    let done = (format.convert)(&input, out);
    if watch.is_cancelled() {
        return Err(Stop::Cancelled);
    }
    out.settle();
    match done {
        Ok(()) if out.is_empty() && out.notes == 0 => out.note(NO_TEXT),
        Ok(()) => {}
        Err(Failure::Stop(Stop::Cancelled)) => return Err(Stop::Cancelled),
        Err(Failure::Stop(Stop::Full)) => {
            let (most, is_of_size) = most(request, packing);
            out.fact(PART, format!("the first {} MB of its text", most >> 20));
            let why =
                if is_of_size { ": a file of its size holds no more, but says the same again and again" } else { "" };
            out.note(format!("{STOPPED}{} MB of Markdown{why}", most >> 20));
        }
        Err(why) if out.is_empty() => out.note(format!("it cannot be read as {}: {why}", format.title)),
        Err(why) => out.note(format!("it could not be read to its end: {why}; what stands before is shown")),
    }
    damage.say(out);
    out.finish()
}

/// Converts a document in this process, and gathers the pieces.
///
/// # Errors
/// [`Stop::Cancelled`] where the watch ended it.
pub fn collect(request: &Request<'_>) -> Result<Conversion, Stop> {
    let mut conversion = Conversion::default();
    convert(request, &mut |piece| {
        conversion.take(piece);
        Ok(())
    })?;
    Ok(conversion)
}

#[cfg(test)]
mod tests {
    use crate::document::testing::{converted, zip};

    fn notes(name: &str, bytes: &[u8]) -> Vec<String> {
        let found = converted(name, bytes, None);
        assert_eq!(found.markdown, "", "{name}");
        found.notes.into_iter().map(|note| note.message).collect()
    }

    #[test]
    fn a_document_without_text_says_so() {
        let said = ["the document holds no text"];
        let document = "<w:document><w:body><w:p/></w:body></w:document>";
        assert_eq!(notes("a.docx", &zip(&[("word/document.xml", document)])), said);
        assert_eq!(notes("a.html", b"<html><head><title>T</title></head><body><p> </p></body></html>"), said);
        assert_eq!(notes("a.rtf", b"{\\rtf1\\ansi {\\fonttbl}\\par}"), said);
    }

    #[test]
    fn what_says_one_thing_again_and_again_ends_by_the_size_of_its_file() {
        let book = "<workbook xmlns:r='r'><sheets><sheet name='S' r:id='a'/></sheets></workbook>";
        let links = |kind: &str, target: &str| {
            format!("<Relationships><Relationship Id='a' Type='t/{kind}' Target='{target}'/></Relationships>")
        };
        let (root, sheets) = (links("officeDocument", "xl/workbook.xml"), links("worksheet", "worksheets/sheet1.xml"));
        let texts = format!("<sst><si><t>{}</t></si></sst>", "text ".repeat(20_000));
        let cells =
            |cells: u32| (1..=cells).map(|row| format!("<row r='{row}'><c r='A{row}' t='s'><v>0</v></c></row>"));
        let workbook = |rows: u32| {
            let sheet = format!("<worksheet><sheetData>{}</sheetData></worksheet>", cells(rows).collect::<String>());
            let parts = [
                ("_rels/.rels", root.as_str()),
                ("xl/workbook.xml", book),
                ("xl/_rels/workbook.xml.rels", &sheets),
                ("xl/sharedStrings.xml", &texts),
                ("xl/worksheets/sheet1.xml", &sheet),
            ];
            zip(&parts)
        };
        use crate::content::{MemoryBytes, Watch};
        use crate::document::{Piece, Request, convert};
        let bytes = MemoryBytes(workbook(2_000));
        let (mut size, mut notes) = (0, Vec::new());
        let watch = Watch::default();
        let (name, max_bytes) = ("a.xlsx", u64::MAX);
        let request = Request { name, bytes: &bytes, limits: None, max_bytes, second_reader_from: None, watch: &watch };
        let mut sink = |piece| {
            match piece {
                Piece::Text(text) => size += text.len(),
                Piece::Note(note) => notes.push(note.message),
                _ => {}
            }
            Ok(())
        };
        convert(&request, &mut sink).unwrap();
        let most = (64 << 20) + 1024 * bytes.0.len();
        assert_eq!((size, notes.len()), (most, 1), "{notes:?}");
        assert!(notes[0].contains("says the same again and again"), "{notes:?}");
        assert!(converted("a.xlsx", &workbook(300), None).notes.is_empty());
    }
}
