//! Packed streams that are damaged: what unpacks of them up to the damage.

use flate2::write::ZlibEncoder;
use flate2::{Compression, Decompress, FlushDecompress, Status};
use memchr::memmem;

use std::io::Write;

use super::{Id, Untold, actual, maps};

/// Bytes before a stream in which its dictionary is looked for.
const HEAD_MAX: usize = 4 << 10;
/// Bytes that one stream is unpacked to, and all of them together, to see whether it is whole.
const UNPACKED_MAX: usize = 64 << 20;
const ALL_UNPACKED_MAX: usize = 2 << 30;
/// Damaged streams of a file that are mended.
const BROKEN_MAX: usize = 10_000;
/// Bytes behind what was packed that are no sign of damage: a checksum, and the end of a line.
const AFTER: usize = 8;
/// What the dictionaries of streams say that hold no text, no list and no form.
const OTHERS: &[&[u8]] = &[
    b"/Image",
    b"/Length1",
    b"/Length2",
    b"/Length3",
    b"Type1C",
    b"CIDFontType0C",
    b"/OpenType",
    b"/Alternate",
    b"/FunctionType",
    b"/ShadingType",
    b"/EmbeddedFile",
    b"/Metadata",
];

/// How much of a stream is left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Left {
    /// What stands before the damage.
    Begin,
    /// All, but something in it is wrong.
    Wrong,
}

/// A damaged stream.
#[derive(Debug)]
pub struct Broken {
    pub id: Id,
    /// Where its packed bytes begin in the file.
    pub from: usize,
    pub left: Left,
    /// Whether it lists where objects are.
    pub is_table: bool,
    /// The object, with what is left of the stream packed anew.
    pub object: Vec<u8>,
}

/// What is found in the streams of a file.
#[derive(Default)]
pub struct Found {
    /// Those that do not unpack to their end.
    pub broken: Vec<Broken>,
    /// Maps of codes to text that a reader misreads, as objects that it reads; where their packed bytes begin in the file.
    pub maps: Vec<(Id, usize, Vec<u8>)>,
    /// Maps that tell no text of some codes.
    pub untold: Vec<Untold>,
}

/// Looks through the streams of a file. Those of an encrypted one are not known.
#[must_use]
pub fn found(bytes: &[u8]) -> Found {
    let (mut found, mut at, mut unpacked) = (Found::default(), 0, 0);
    if memmem::find(bytes, b"/FlateDecode").is_none() || memmem::find(bytes, b"/Encrypt").is_some() {
        return found;
    }
    let (begins, ends) = (memmem::Finder::new("stream"), memmem::Finder::new("endstream"));
    while let Some(next) = bytes.get(at..).and_then(|rest| begins.find(rest)).map(|next| at + next) {
        at = next + b"stream".len();
        let Some(stream) = Stream::at(bytes, next) else { continue };
        let length = stream
            .told
            .and_then(|length| stream.from.checked_add(length))
            .filter(|end| bytes.get(*end..).is_some_and(|rest| rest.trim_ascii_start().starts_with(b"endstream")));
        let rest = bytes.get(stream.from..).unwrap_or_default();
        let end = length.or_else(|| ends.find(rest).map(|end| stream.from + end)).unwrap_or(bytes.len());
        at = end;
        let Some(packed) = bytes.get(stream.from..end).filter(|_| stream.is_judged()) else { continue };
        let mut map = None;
        let whole = is_whole(packed, &mut unpacked, &mut map);
        if unpacked > ALL_UNPACKED_MAX || found.broken.len() == BROKEN_MAX {
            break;
        }
        if !whole && let Some((left, text)) = left_of(packed, &mut unpacked) {
            let object = stream.object(&text, left);
            let is_table = stream.says(b"/XRef");
            found.broken.push(Broken { id: stream.id, from: stream.from, left, is_table, object });
        } else if let Some(map) = map {
            let plain = maps::plain(&map);
            let read = plain.as_ref().unwrap_or(&map);
            if actual::is_untold(read) {
                let map = read.clone();
                found.untold.push(Untold { id: stream.id, from: stream.from, map, head: stream.head.to_vec() });
            }
            if let Some(plain) = plain {
                found.maps.push((stream.id, stream.from, stream.object(&plain, Left::Wrong)));
            }
        }
    }
    found
}

/// The object of a map with another content.
pub(super) fn object(untold: &Untold, map: &str) -> Vec<u8> {
    Stream::of(untold).object(map.as_bytes(), Left::Wrong)
}

/// A stream as it stands in the file.
struct Stream<'a> {
    id: Id,
    /// What stands between the object's number and the stream.
    head: &'a [u8],
    /// Where its bytes begin.
    from: usize,
    /// How many there are, where that is told in place.
    told: Option<usize>,
}

impl<'a> Stream<'a> {
    /// The stream whose word stands here; `None` where it is part of another word, or of no object.
    fn at(bytes: &'a [u8], at: usize) -> Option<Stream<'a>> {
        let before = bytes.get(at.saturating_sub(HEAD_MAX)..at)?.trim_ascii_end();
        let after = bytes.get(at + b"stream".len()..)?;
        let line =
            if after.starts_with(b"\r\n") { 2 } else { usize::from(matches!(after.first(), Some(b'\r' | b'\n'))) };
        if line == 0 || !before.ends_with(b">>") {
            return None;
        }
        let word = memmem::rfind(before, b"obj")?;
        let (rest, generation) = last_number(before.get(..word)?)?;
        let (_, number) = last_number(rest)?;
        let id = (u32::try_from(number).ok()?, u16::try_from(generation).ok()?);
        let head = before.get(word + b"obj".len()..)?;
        let told = length(head).and_then(|(_, told)| told);
        Some(Stream { id, head, from: at + b"stream".len() + line, told })
    }

    /// One of which only this is known.
    fn of(untold: &'a Untold) -> Stream<'a> {
        Stream { id: untold.id, head: &untold.head, from: untold.from, told: None }
    }

    fn says(&self, what: &[u8]) -> bool {
        memmem::find(self.head, what).is_some()
    }

    /// Whether it is packed in the one way that is judged, and nothing that is drawn and not read.
    fn is_judged(&self) -> bool {
        let Some(at) = memmem::find(self.head, b"/Filter") else { return false };
        let filter = self.head.get(at + b"/Filter".len()..).unwrap_or_default().trim_ascii_start();
        let alone = match filter.strip_prefix(b"[") {
            Some(list) => list.trim_ascii_start().strip_prefix(b"/FlateDecode").map(<[u8]>::trim_ascii_start),
            None => filter.strip_prefix(b"/FlateDecode").map(|_| &b"]"[..]),
        };
        alone.is_some_and(|rest| rest.starts_with(b"]")) && !OTHERS.iter().any(|other| self.says(other))
    }

    /// The object with another content.
    fn object(&self, text: &[u8], left: Left) -> Vec<u8> {
        let is_content = !["/Type", "/Subtype"].iter().any(|key| self.says(key.as_bytes())) || self.says(b"/Form");
        let close = if left == Left::Begin && is_content { closing(text) } else { String::new() };
        let mut packed = ZlibEncoder::new(Vec::new(), Compression::fast());
        // Memory takes all that is written to it.
        let _ = packed.write_all(text).and_then(|()| packed.write_all(close.as_bytes()));
        let packed = packed.finish().unwrap_or_default();
        let told = length(self.head).map_or(0..0, |(told, _)| told);
        let (begin, end) = (self.head.get(..told.start), self.head.get(told.end..));
        let end = end.unwrap_or_default().trim_ascii_end();
        let end = end.strip_suffix(b">>").unwrap_or(end);
        let length = format!("/Length {}>>\nstream\n", packed.len());
        [begin.unwrap_or_default(), end, length.as_bytes(), &packed, b"\nendstream"].concat()
    }
}

/// The number that a text ends with, and what stands before it.
pub(super) fn last_number(text: &[u8]) -> Option<(&[u8], u64)> {
    let text = text.trim_ascii_end();
    let digits = text.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    let (rest, number) = text.split_at_checked(text.len() - digits)?;
    Some((rest, std::str::from_utf8(number).ok()?.parse().ok()?))
}

/// Where a dictionary tells the length of its stream, and the length, where it is no other object's.
fn length(head: &[u8]) -> Option<(std::ops::Range<usize>, Option<usize>)> {
    let key = memmem::find_iter(head, b"/Length").find(|at| {
        head.get(at + b"/Length".len()).is_some_and(|next| next.is_ascii_whitespace() || next.is_ascii_digit())
    })?;
    let mut at = key + b"/Length".len();
    let mut number = || {
        let rest = head.get(at..)?;
        let blank = rest.len() - rest.trim_ascii_start().len();
        let digits = rest.get(blank..)?.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let told = std::str::from_utf8(rest.get(blank..blank + digits)?).ok()?.parse::<usize>().ok()?;
        at += blank + digits;
        Some((told, at))
    };
    let (told, end) = number()?;
    let referred = number().and_then(|(_, end)| {
        let rest = head.get(end..)?;
        let blank = rest.len() - rest.trim_ascii_start().len();
        rest.get(blank..)?.starts_with(b"R").then_some(end + blank + 1)
    });
    Some(referred.map_or((key..end, Some(told)), |end| (key..end, None)))
}

/// Whether a stream unpacks to its end, or is none that was packed. One that begins as a map is put in `map`.
fn is_whole(packed: &[u8], all: &mut usize, map: &mut Option<Vec<u8>>) -> bool {
    if packed.len() <= AFTER {
        return true;
    }
    let mut reader = Decompress::new(true);
    let mut room = [0; 16 << 10];
    loop {
        let (read, made) = (reader.total_in(), reader.total_out());
        let rest = usize::try_from(read).ok().and_then(|read| packed.get(read..)).unwrap_or_default();
        let done = reader.decompress(rest, &mut room, FlushDecompress::None);
        let new = usize::try_from(reader.total_out() - made).unwrap_or(usize::MAX);
        let text = room.get(..new).unwrap_or_default();
        if made == 0 && maps::is_map(text) {
            *map = Some(Vec::new());
        }
        if let Some(map) = map {
            map.extend(text);
        }
        match done {
            Ok(Status::StreamEnd) => return true,
            Ok(_) if (reader.total_in(), reader.total_out()) != (read, made) => {}
            Ok(_) | Err(_) => return false,
        }
        *all = all.saturating_add(new);
        if reader.total_out() > UNPACKED_MAX as u64 || *all > ALL_UNPACKED_MAX {
            return true;
        }
    }
}

/// What is left of a stream that is not whole; `None` where nothing of it is lost, or nothing is left.
fn left_of(packed: &[u8], all: &mut usize) -> Option<(Left, Vec<u8>)> {
    // The first two bytes only say how it was packed. Some programs leave them out, and some the checksum.
    let headed = packed.get(2..).map(unpacked)?;
    let bare = unpacked(packed);
    *all = all.saturating_add(headed.text.len()).saturating_add(bare.text.len());
    if bare.ended && bare.text.len() > headed.text.len() {
        return None;
    }
    let rest = (packed.len() - 2).saturating_sub(headed.read);
    match headed {
        Unpacked { ended: true, .. } if rest < 4 => None,
        Unpacked { ended: true, text, read } if rest <= AFTER => {
            let [high, low] = checksum(&text).map(u16::to_be_bytes);
            // Where one half of it is right, the damage is its own.
            let told = packed.get(2 + read..)?;
            let is_right = told.get(..2) == Some(&high[..]) || told.get(2..4) == Some(&low[..]);
            (!is_right).then_some((Left::Wrong, text))
        }
        Unpacked { text, .. } => Some((Left::Begin, text)),
    }
}

/// The two halves of the checksum (RFC 1950) of a text.
fn checksum(text: &[u8]) -> [u16; 2] {
    const MODULUS: u32 = 65_521;
    let (high, low) = text.iter().fold((0, 1), |(high, low), byte| {
        let low = (low + u32::from(*byte)) % MODULUS;
        ((high + low) % MODULUS, low)
    });
    [high, low].map(|half| u16::try_from(half).unwrap_or_default())
}

struct Unpacked {
    text: Vec<u8>,
    /// Packed bytes that were taken in.
    read: usize,
    ended: bool,
}

/// Unpacks without a checksum, byte for byte: all that stands before the damage comes out.
fn unpacked(packed: &[u8]) -> Unpacked {
    let mut reader = Decompress::new(false);
    let (mut text, mut room) = (Vec::new(), [0; 4 << 10]);
    let (mut read, mut ended) = (0, false);
    'bytes: for byte in packed {
        loop {
            let (before, made) = (reader.total_in(), reader.total_out());
            let rest = if before == read { std::slice::from_ref(byte) } else { &[] };
            let done = reader.decompress(rest, &mut room, FlushDecompress::None);
            let new = usize::try_from(reader.total_out() - made).unwrap_or_default();
            text.extend(room.get(..new).unwrap_or_default());
            ended = matches!(done, Ok(Status::StreamEnd));
            if ended || done.is_err() || text.len() > UNPACKED_MAX {
                read = reader.total_in();
                break 'bytes;
            }
            if new < room.len() {
                break;
            }
        }
        read = reader.total_in();
    }
    Unpacked { text, read: usize::try_from(read).unwrap_or(usize::MAX), ended }
}

/// What ends a content that breaks off within a text, so that the text is shown.
fn closing(content: &[u8]) -> String {
    let (mut open, mut in_array, mut escaped) = (0_usize, false, false);
    for byte in content {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if open > 0 => escaped = true,
            b'(' => open += 1,
            b')' => open = open.saturating_sub(1),
            b'[' | b']' if open == 0 => in_array = *byte == b'[',
            _ => {}
        }
    }
    let shows = match (in_array, open) {
        (true, _) => "]TJ",
        (false, 1..) => " Tj",
        (false, 0) => return String::new(),
    };
    let escape = if escaped { "\\" } else { "" };
    format!("{escape}{}{shows}", ")".repeat(open.min(64)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_unpacked_in_vain_counts() {
        let mut packed = flate2::write::DeflateEncoder::new(Vec::new(), Compression::default());
        packed.write_all(&[b'x'; 50_000]).unwrap();
        let packed = packed.finish().unwrap();
        let mut all = 0;
        assert!(left_of(&packed, &mut all).is_none(), "it is whole, without the two bytes that say how it was packed");
        assert!(all >= 50_000, "{all}");
    }
}
