//! What the first bytes of a file can be.

use file_format::{FileFormat, Kind};

use super::marked::is_markdown;
use super::names::by_extension;
use super::{delimiter, mime, zipped};
use crate::content::ReadAt;

/// Bytes of a file's beginning, by which it is told.
pub const HEAD: usize = 64 << 10;
/// Bytes of a text for each zero byte that it may hold.
const ZEROS_MIN: usize = 500;

/// Whether the first bytes can be text: hardly any zero bytes, unless they look like UTF-16 or UTF-32, and few other
/// controls.
#[must_use]
pub fn is_text(head: &[u8]) -> bool {
    let head = head.get(..head.len().min(8192)).unwrap_or_default();
    if head.starts_with(b"\xFF\xFE") || head.starts_with(b"\xFE\xFF") || super::encoding::looks_wide(head) {
        return true;
    }
    if head.starts_with(b"%PDF-") || is_marked_binary(head) {
        return false;
    }
    // Korean that is shifted in and out is full of those controls.
    if super::encoding::is_korean(head) {
        return true;
    }
    let control = |byte: &&u8| matches!(byte, 1..=6 | 14..=26 | 28..=31 | 127);
    let zeros = memchr::memchr_iter(0, head).count();
    zeros * ZEROS_MIN <= head.len() && head.iter().filter(control).count() * 20 <= head.len()
}

/// Whether the first bytes are those of pictures and sounds that no text begins with: a blank picture, or silence, has no
/// more zero bytes and controls than a text may have.
fn is_marked_binary(head: &[u8]) -> bool {
    let kind = |at: usize| head.get(at..at + 4).unwrap_or_default();
    let riff = kind(0) == b"RIFF" && matches!(kind(8), b"WAVE" | b"WEBP" | b"AVI ");
    let iff = kind(0) == b"FORM" && matches!(kind(8), b"AIFF" | b"AIFC");
    let starts: [&[u8]; 4] = [b"\x89PNG\r\n\x1A\n", b"\xFF\xD8\xFF", b"fLaC\0", b"OggS\0"];
    riff || iff || is_raw_map(head) || starts.iter().any(|start| head.starts_with(start))
}

/// Whether the first bytes are those of a portable map whose pixels are no text: its mark, then how wide and high it is, and
/// bytes that no text has.
fn is_raw_map(head: &[u8]) -> bool {
    let is_text = std::str::from_utf8(head).map_or_else(|error| error.error_len().is_none(), |_| true);
    if is_text && !head.iter().any(|byte| matches!(byte, 0..=8 | 14..=26 | 28..=31)) {
        return false;
    }
    let Some((b"P4" | b"P5" | b"P6", rest)) = head.split_at_checked(2) else { return false };
    let is_space = |byte: &u8| byte.is_ascii_whitespace();
    let mut numbers =
        rest.get(..rest.len().min(64)).unwrap_or_default().split(is_space).filter(|word| !word.is_empty());
    let mut is_number = || numbers.next().is_some_and(|word| word.iter().all(u8::is_ascii_digit));
    rest.first().is_some_and(is_space) && is_number() && is_number()
}

/// Whether the first bytes of a file whose name, or whose beginning, says that it is text are text with zero bytes
/// between, as a log has that was emptied while it was written.
pub fn is_holed_text(head: &[u8]) -> bool {
    let kind = FileFormat::from_bytes(head);
    let unknown = matches!(kind, FileFormat::ArbitraryBinaryData | FileFormat::PlainText);
    let markup = by_extension(kind.extension()).is_some_and(|format| format.media == "text/");
    let text: Vec<u8> = head.iter().copied().filter(|byte| *byte != 0).collect();
    let controls = text.iter().filter(|byte| matches!(byte, 1..=6 | 14..=26 | 28..=31 | 127)).count();
    (unknown || markup) && !text.is_empty() && text.len() < head.len() && controls * 100 <= text.len() && is_text(&text)
}

/// Whether the first bytes are those of what holds documents of many kinds.
pub fn is_container(head: &[u8]) -> bool {
    is_zip(head) || is_compound(head)
}

/// Whether the first bytes are those of a zip.
pub fn is_zip(head: &[u8]) -> bool {
    head.starts_with(b"PK")
}

/// Whether the first bytes are those of a compound file, as Office wrote before 2007 and as it encrypts.
pub fn is_compound(head: &[u8]) -> bool {
    head.starts_with(&[0xD0, 0xCF, 0x11, 0xE0])
}

/// Whether a compound file names a stream whose name begins so, as far as its directory lies at its beginning or end.
pub fn compound_holds(bytes: &dyn ReadAt, name: &str) -> bool {
    const PART: u64 = 64 << 10;
    let part = |at: u64| {
        let mut part = vec![0; 64 << 10];
        let size = bytes.read_at(at, &mut part).unwrap_or(0);
        part.truncate(size);
        part
    };
    let mut start = [0; 4];
    if !bytes.read_at(0, &mut start).is_ok_and(|size| size == start.len()) || !is_compound(&start) {
        return false;
    }
    let (head, tail) = (part(0), part(bytes.len().saturating_sub(PART)));
    let name: Vec<u8> = name.encode_utf16().flat_map(u16::to_le_bytes).collect();
    [head, tail].iter().any(|part| memchr::memmem::find(part, &name).is_some())
}

/// Whether a compound file lists a workbook among its streams, whatever the case of its name.
pub fn is_old_workbook(bytes: &dyn ReadAt) -> bool {
    const ENTRY: usize = 128;
    const NAME: usize = 64;
    let head = zipped::read(bytes, 0, 512).unwrap_or_default();
    let (Some(shift), Some(first)) = (zipped::short(&head, 30), zipped::number(&head, 48)) else { return false };
    if !is_compound(&head) || !matches!(shift, 9 | 12) {
        return false;
    }
    // As far as the list lies together.
    let list = zipped::read(bytes, (u64::from(first) + 1) << shift, HEAD).unwrap_or_default();
    list.chunks_exact(ENTRY).any(|entry| {
        let size = zipped::short(entry, NAME).unwrap_or(0).saturating_sub(2).min(NAME);
        let units = entry[..size].as_chunks::<2>().0.iter().map(|unit| u16::from_le_bytes(*unit));
        let name = String::from_utf16_lossy(&units.collect::<Vec<u16>>());
        ["Workbook", "Book"].iter().any(|known| name.eq_ignore_ascii_case(known))
    })
}

/// Whether a text is JSON, as far as its beginning tells.
pub fn is_json(head: &[u8]) -> bool {
    let text = head.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(head);
    match serde_json::from_slice::<serde::de::IgnoredAny>(text) {
        Ok(_) => true,
        Err(why) => why.is_eof() && head.len() >= HEAD,
    }
}

/// Whether the first bytes hold a PDF's header, also behind some junk.
pub fn is_pdf(head: &[u8]) -> bool {
    memchr::memmem::find(head, b"%PDF-").is_some()
}

/// Whether the first bytes are neither text nor a document of another kind.
pub fn is_binary(head: &[u8]) -> bool {
    !is_text(head) && !is_zip(head) && !is_compound(head) && !is_pdf(head)
}

/// Whether the first bytes can be a picture's: they are not known as those of a sound.
pub fn is_picture(head: &[u8]) -> bool {
    is_binary(head) && !matches!(FileFormat::from_bytes(head).kind(), Kind::Audio | Kind::Video)
}

/// Whether the first bytes are those of a cursor of Windows that holds none: a Targa picture may begin so, and so may much
/// else.
pub fn is_bare_cursor(head: &[u8]) -> bool {
    FileFormat::from_bytes(head) == FileFormat::WindowsCursor && head.get(4..6).is_some_and(|count| count == [0, 0])
}

/// Whether the first bytes are those of a Targa picture of true colours: it begins as such a cursor does, has no list of colours,
/// and tells of its pixels what there is.
pub fn is_targa(head: &[u8]) -> bool {
    let Some(header) = head.get(3..18).filter(|_| is_bare_cursor(head)) else { return false };
    let (colours, [width, width_high, height, height_high, depth, told]) = (&header[..5], header[9..].as_chunks().0[0]);
    let is_alpha = match depth {
        15 | 16 => told & 15 <= 1,
        24 => told & 15 == 0,
        32 => matches!(told & 15, 0 | 8),
        _ => false,
    };
    colours == [0; 5] && width | width_high != 0 && height | height_high != 0 && is_alpha && told & 0xD0 == 0
}

/// Whether a Targa picture has all of its pixels, as far as they lie in the first bytes; those that are packed may be few.
pub fn has_pixels(head: &[u8]) -> bool {
    let number = |at: usize| head.get(at..at + 2).map_or(0, |two| usize::from(two[0]) | usize::from(two[1]) << 8);
    let size = number(12) * number(14) * head.get(16).map_or(0, |depth| usize::from(depth.div_ceil(8)));
    head.len() >= HEAD.min(18 + size)
}

/// Whether the first bytes can be a sound's: they are not known as those of a picture.
pub fn is_sound(head: &[u8]) -> bool {
    // Loud samples look like text.
    let is_wav = head.starts_with(b"RIFF") && head.get(8..12).is_some_and(|kind| kind == b"WAVE");
    is_wav || (is_binary(head) && FileFormat::from_bytes(head).kind() != Kind::Image)
}

/// Endings of one kind of file, of the pictures and sounds that have several.
const ALIKE: &[&str] = &[
    "jpg jpeg jfif",
    "png apng",
    "tif tiff",
    "ppm pgm pbm pnm pam",
    "heic heif heics avif",
    "ogg oga opus spx",
    "m4a m4b mp4",
    "aiff aif aifc",
];

/// The kind of picture or sound that the first bytes are of, where a name's ending says another.
pub fn other_kind(ending: &str, head: &[u8]) -> Option<String> {
    let row =
        |ending: &str| by_extension(ending).map(|format| format.name).filter(|name| ["image", "audio"].contains(name));
    row(ending)?;
    let kind = FileFormat::from_bytes(head);
    let alike = |group: &&str| [ending, kind.extension()].iter().all(|one| group.split(' ').any(|known| known == *one));
    // Tags of this kind stand before sounds of several.
    let tagged = head.starts_with(b"ID3");
    let other = row(ending)? == row(kind.extension())? && ending != kind.extension() && !ALIKE.iter().any(alike);
    (other && !tagged).then(|| kind.short_name().unwrap_or_else(|| kind.name()).to_owned())
}

/// What kind of text its beginning looks like.
#[must_use]
pub fn text_kind(head: &[u8]) -> &'static str {
    let text = String::from_utf8_lossy(head.get(..head.len().min(4096)).unwrap_or_default());
    let text = text.trim_start_matches('\u{FEFF}').trim_start();
    let start: String = text.chars().take(200).collect::<String>().to_lowercase();
    let first_line = text.lines().next().unwrap_or_default();
    let is_value = |line: &str| serde_json::from_str::<serde::de::IgnoredAny>(line).is_ok();
    if start.starts_with("<!doctype html") || start.starts_with("<html") {
        return "html";
    }
    if start.starts_with("<?xml") {
        return "xml";
    }
    if start.starts_with("#!") {
        return "code";
    }
    if mime::begins(text) {
        return "mime";
    }
    if start.starts_with('{') && text.lines().take(3).filter(|line| is_value(line)).count() > 1 {
        return "jsonl";
    }
    if start.starts_with('{') && (text.len() < 3 || text[1..].trim_start().starts_with(['"', '}']))
        || (start.starts_with('[') && text[1..].trim_start().starts_with(['{', '[', '"', ']']))
    {
        return "json";
    }
    if first_line.starts_with("%YAML") || first_line.trim_end() == "---" && text.contains(": ") {
        return if is_front_matter(head) { "markdown" } else { "yaml" };
    }
    if delimiter::is_table(head, head.len() < HEAD) {
        return "csv";
    }
    if is_markdown(head) { "markdown" } else { "text" }
}

/// Whether a text that begins as YAML does holds something else behind its first part: lines that are none of it.
fn is_front_matter(head: &[u8]) -> bool {
    let text = String::from_utf8_lossy(head);
    let mut lines = text.lines().skip_while(|line| line.trim_end() != "---").skip(1);
    // The last line may be cut off.
    let last = if head.len() < HEAD { usize::MAX } else { text.lines().count().saturating_sub(1) };
    if !lines.by_ref().any(|line| line.trim_end() == "---") {
        return false;
    }
    let is_yaml = |line: &str| {
        let is_key = line.contains(": ") || line.ends_with(':');
        let is_other =
            ["- ", "--- ", "# ", "? ", "%", "[", "{", "]", "}", "\"", "'"].iter().any(|sign| line.starts_with(sign));
        line.starts_with([' ', '\t']) || is_key || is_other || ["", "-", "---", "...", "#"].contains(&line)
    };
    lines.take(last).map(str::trim_end).any(|line| !is_yaml(line))
}

#[cfg(test)]
#[path = "signs_tests.rs"]
mod tests;
