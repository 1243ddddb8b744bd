//! How the format of a document is found: by extension first, then by content.

use file_format::{FileFormat, Kind};

use crate::content::ReadAt;

use super::format::{Format, Shape, named};
use super::input::{Packing, Places, extension};
use super::marked::is_markdown;
use super::names::{by_extension, by_name};
use super::signs::{
    HEAD, compound_holds, has_pixels, is_bare_cursor, is_compound, is_holed_text, is_json, is_old_workbook, is_picture,
    is_targa, is_text, is_zip, other_kind, text_kind,
};
use super::zipped;

/// What a compound file is that holds an encrypted package: Office's way to protect what would be a zip.
const ENCRYPTED: &str = "an Office document that is encrypted and needs a password";

/// What a file was found to be.
#[derive(Clone)]
pub struct Detected {
    /// The row; `None` where nothing here reads it.
    pub format: Option<&'static Format>,
    /// How it is packed.
    pub packing: Packing,
    /// What the content is, where the extension says something else.
    pub misnamed: Option<String>,
    /// What it is, by its content, for the message where nothing reads it.
    pub found: String,
    /// Whether what it is packed in holds another packing.
    pub packed_again: bool,
}

impl Detected {
    /// Why nothing of it can be read, where no format is found.
    #[must_use]
    pub fn refusal(&self) -> String {
        let found = &self.found;
        if found == ENCRYPTED {
            format!("it is {found}")
        } else if self.packed_again {
            format!("it is packed once more within ({found}), and only one packing is opened")
        } else {
            format!("nothing here reads this kind of file: {found}")
        }
    }
}

/// Finds the format of a file: by its extension, where its first bytes don't contradict, then by its content. `head`
/// is its beginning, unpacked; `bytes` all of it, where that is at hand.
#[must_use]
pub fn detect(name: &str, packing: Packing, head: &[u8], bytes: Option<&dyn ReadAt>) -> Detected {
    let said = by_name(name);
    let packed_again = packing != Packing::None && Packing::of(head) != Packing::None;
    if bytes.is_some_and(|bytes| compound_holds(bytes, "EncryptedPackage")) {
        return Detected { format: None, packing, misnamed: None, found: ENCRYPTED.to_owned(), packed_again };
    }
    // A zip is known by its end, too, for one that does not begin as it should.
    let is_unknown = !is_text(head) && FileFormat::from_bytes(head) == FileFormat::ArbitraryBinaryData;
    let is_left = |bytes| zipped::is_listed(bytes) || is_unknown && zipped::is_unlisted(bytes);
    // What is whole and holds a zip, as a workbook does its theme, is no zip.
    let is_other = is_zip(head) || is_compound(head);
    let is_spoilt = said.is_some_and(|said| (said.fits)(zipped::HEAD)) && !is_other && bytes.is_some_and(is_left);
    // Many formats are zips, and their first bytes are all the same.
    let zipped = bytes.filter(|_| is_zip(head) || is_spoilt).and_then(zipped::document);
    let agrees = |format: &Format| zipped.as_ref().is_none_or(|zipped| zipped.format == Some(format.name));
    let other_text = said.and_then(|said| other_text(said, head));
    if let Some(format) = said.filter(|_| other_text.is_none())
        && (head.is_empty() || (((format.fits)(head) || is_holed(format, head) || is_spoilt) && agrees(format)))
    {
        let misnamed = other_kind(&extension(name), head);
        let format = named("markdown").filter(|_| format.name == "text" && is_markdown(head)).unwrap_or(format);
        return Detected { format: Some(format), packing, misnamed, found: format.title.to_owned(), packed_again };
    }
    let (mut format, found) = match zipped {
        Some(zipped) => (zipped.format.and_then(named), zipped.title),
        None if other_text.is_some() => (other_text, String::new()),
        None => by_content(head, bytes),
    };
    // What programs save as a workbook is often a table in plain text.
    if format.is_some_and(|format| format.name == "text") && said.is_some_and(|said| said.shape == Shape::Rows) {
        format = named("csv");
    }
    let misnamed = said.and(format).map(|format| format.title.to_owned());
    // Damage to its beginning takes away what a file would be known by: its name tells more, and its reader what is left.
    let damaged = said.filter(|said| is_unknown && said.media != "text/");
    Detected { format: format.or(damaged), packing, misnamed, found, packed_again }
}

/// The format of a text that cannot be what its name says: a page or XML where data are to be, JSON where a table is.
fn other_text(said: &Format, head: &[u8]) -> Option<&'static Format> {
    let is_data = matches!(said.name, "csv" | "json" | "jsonl" | "yaml");
    let kind = text_kind(head.get(..head.len().min(HEAD)).filter(|_| is_data && is_text(head))?);
    let is_other = match kind {
        "html" | "xml" => true,
        "json" => said.name == "csv" && is_json(head),
        "jsonl" => said.name == "csv" && head.split(|byte| *byte == b'\n').next().is_some_and(is_json),
        _ => false,
    };
    named(kind).filter(|_| is_other)
}

/// Whether a file of a format of texts has more zero bytes than a text may have, and is one besides.
fn is_holed(format: &Format, head: &[u8]) -> bool {
    format.media == "text/" && is_holed_text(head)
}

/// The format that the content shows.
fn by_content(head: &[u8], bytes: Option<&dyn ReadAt>) -> (Option<&'static Format>, String) {
    let kind = match bytes {
        Some(bytes) => FileFormat::from_reader(Places::stored(bytes)).unwrap_or_else(|_| FileFormat::from_bytes(head)),
        None => FileFormat::from_bytes(head),
    };
    let known = by_extension(kind.extension()).filter(|format| (format.fits)(head) || is_holed(format, head));
    if let Some(format) = known.filter(|format| format.name != "text") {
        return (Some(format), format.title.to_owned());
    }
    // Of pictures of all kinds it is told what they are.
    let (is_bare, is_targa) = (is_bare_cursor(head), is_targa(head) && has_pixels(head));
    if kind.kind() == Kind::Image && is_picture(head) && (!is_bare || is_targa) {
        let found = if is_targa { "TGA picture" } else { kind.name() };
        return (named("image"), found.to_owned());
    }
    if bytes.is_some_and(|bytes| compound_holds(bytes, "__substg1.0_")) {
        return (named("msg"), "Outlook message".to_owned());
    }
    if bytes.is_some_and(is_old_workbook) {
        return (named("xls"), "Excel 97 workbook".to_owned());
    }
    if is_text(head) {
        let format = named(text_kind(head));
        return (format, "text".to_owned());
    }
    if is_compound(head) {
        return (None, "a compound file, as Office wrote before 2007, without its list of parts".to_owned());
    }
    let is_unknown = is_bare || kind == FileFormat::ArbitraryBinaryData;
    let found = if is_unknown { "binary data" } else { kind.name() };
    (None, found.to_owned())
}
