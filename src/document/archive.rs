//! ZIP archives: each file in them by its own kind, under a heading with its name.

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
const FILES_MAX: usize = 1_000;
/// Bytes that one file may unpack to.
const FILE_MAX: u64 = 64 << 20;
/// Bytes that all files may unpack to.
const ALL_MAX: u64 = 512 << 20;

/// The files of an archive as Markdown.
///
/// # Errors
/// Where it is no archive.
pub fn convert(input: &Input<'_>, out: &mut Out<'_>) -> Result<(), Failure> {
    let mut package = Package::open(input, out)?;
    let names: Vec<String> = package.names().iter().filter(|name| !name.ends_with('/')).cloned().collect();
    out.fact("files", names.len());
    let mut unpacked = 0;
    for (number, name) in (1u32..).zip(names.iter().take(FILES_MAX)) {
        out.blank_line()?;
        out.anchor(Place::named(PlaceKind::File, number, name))?;
        out.block(&heading(2, &format!("File: {}", shown_name(name))))?;
        if unpacked >= ALL_MAX {
            out.note("not unpacked: the files before it were too large");
            continue;
        }
        match package.bytes(name, FILE_MAX + 1) {
            Ok(Some(mut bytes)) if bytes.len() as u64 > FILE_MAX => {
                unpacked += FILE_MAX;
                let size = FILE_MAX >> 20;
                if reads_in_order(name, &bytes) {
                    bytes.pop();
                    one(name, bytes, input, out)?;
                    out.note(format!("it unpacks to more than {size} MB, of which the first are shown"));
                } else {
                    out.note(format!("not converted: it unpacks to more than {size} MB"));
                }
            }
            Ok(Some(bytes)) if bytes.is_empty() && package.is_damaged(name) => {
                out.note("cannot be unpacked: it is damaged");
            }
            Ok(Some(bytes)) => {
                unpacked += bytes.len() as u64;
                one(name, bytes, input, out)?;
                package.say_cut(name, "file", out);
            }
            Ok(None) => {}
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
    if format.name == "zip" && input.depth + 1 >= DEPTH_MAX {
        out.note("an archive within archives; it is not opened");
        return Ok(());
    }
    let name = if detected.packing == Packing::None { name } else { Packing::strip(name) };
    let name = file_name(name);
    let (packing, depth, damage) = (detected.packing, input.depth + 1, &Damage::default());
    let inner = Input { name, bytes: &bytes, packing, depth, damage, ..*input };
    let done = out.quietly(|out| inner::convert(format, &inner, out));
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
