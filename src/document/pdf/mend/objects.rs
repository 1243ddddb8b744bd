//! What is appended to a PDF: objects that take the place of damaged ones, written as an update of the file.

use std::fmt::Write;

use unpdf::parser::raw::{PdfDict, PdfObject, RawDocument, xref};

use super::Id;

/// Values within one another that are written; what is deeper is left out.
const DEPTH_MAX: u32 = 64;

/// A value as it is written in a PDF; a stream as its dictionary.
#[must_use]
pub fn written(object: &PdfObject) -> String {
    let mut text = String::new();
    // A string takes all that is written to it.
    let _ = write_value(object, DEPTH_MAX, &mut text);
    text
}

/// A dictionary as it is written in a PDF.
#[must_use]
pub fn written_dictionary(dictionary: &PdfDict) -> String {
    written(&PdfObject::Dict(dictionary.clone()))
}

fn write_value(object: &PdfObject, depth: u32, text: &mut String) -> std::fmt::Result {
    if depth == 0 {
        return text.write_str("null");
    }
    match object {
        PdfObject::Null => text.write_str("null"),
        PdfObject::Bool(value) => write!(text, "{value}"),
        PdfObject::Integer(value) => write!(text, "{value}"),
        // As it is, and with a point.
        PdfObject::Real(value) if value.fract() == 0.0 => write!(text, "{value:.1}"),
        PdfObject::Real(value) => write!(text, "{value}"),
        PdfObject::Reference(number, generation) => write!(text, "{number} {generation} R"),
        PdfObject::Name(name) => write_name(name, text),
        PdfObject::Str(bytes) => {
            text.push('<');
            bytes.iter().try_for_each(|byte| write!(text, "{byte:02X}"))?;
            text.write_char('>')
        }
        PdfObject::Array(items) => {
            text.push('[');
            for item in items {
                write_value(item, depth - 1, text)?;
                text.push(' ');
            }
            text.write_char(']')
        }
        PdfObject::Dict(entries) | PdfObject::Stream(unpdf::parser::raw::PdfStream { dict: entries, .. }) => {
            text.push_str("<<");
            for (key, value) in entries {
                write_name(key, text)?;
                text.push(' ');
                write_value(value, depth - 1, text)?;
                text.push('\n');
            }
            text.write_str(">>")
        }
    }
}

fn write_name(name: &[u8], text: &mut String) -> std::fmt::Result {
    text.push('/');
    name.iter().try_for_each(|byte| match byte {
        b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' | b'-' | b'_' | b'.' | b'+' => text.write_char(char::from(*byte)),
        _ => write!(text, "#{byte:02X}"),
    })
}

/// Appends objects to a PDF. `document` is what it holds without them.
pub fn append(bytes: &mut Vec<u8>, objects: &[(Id, Vec<u8>)], document: &RawDocument) {
    let before = xref::find_startxref(bytes).ok().filter(|_| !document.xref_reconstructed());
    let mut table = String::from("xref\n");
    for ((number, generation), object) in objects {
        // What stands before it may break off within a line.
        bytes.push(b'\n');
        let _ = writeln!(table, "{number} 1\n{:010} {generation:05} n ", bytes.len());
        bytes.extend(format!("{number} {generation} obj\n").bytes());
        bytes.extend(object);
        bytes.extend(b"\nendobj\n");
    }
    // Where the places of the objects are not told or wrong, they are looked for, and the last of a number counts.
    let Some(before) = before else { return };
    let told = |key: &[u8]| document.trailer().get(key).map(written);
    let size = document.trailer().get(&b"Size"[..]).and_then(PdfObject::as_i64).unwrap_or_default();
    let size = objects.iter().map(|((number, _), _)| i64::from(*number) + 1).fold(size, i64::max);
    let start = bytes.len();
    let _ = write!(table, "trailer\n<</Size {size} /Prev {before}");
    for key in ["Root", "Info", "ID"] {
        let _ = told(key.as_bytes()).map_or(Ok(()), |value| write!(table, " /{key} {value}"));
    }
    let _ = write!(table, ">>\nstartxref\n{start}\n%%EOF\n");
    bytes.extend(table.bytes());
}

/// Takes back where a PDF tells the places of its objects: they are looked for then.
pub fn forget_places(bytes: &mut [u8]) {
    let told: Vec<usize> = memchr::memmem::find_iter(bytes, b"startxref").collect();
    for at in told {
        if let Some(word) = bytes.get_mut(at..at + b"startxref".len()) {
            word.fill(b' ');
        }
    }
}
