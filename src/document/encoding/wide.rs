//! Encodings that are turned into others on the way: UTF-32 into UTF-8, Korean that shifts in and out into EUC-KR.

use std::io::{self, BufRead, Read};

use encoding_rs::{Encoding, UTF_16BE, UTF_16LE};

/// Bytes that are taken in at a time.
const PIECE: u64 = 64 << 10;
/// Characters from which on a text may be UTF-32.
const UTF32_MIN: usize = 4;
/// Says, in the beginning of a text, that what is shifted out is Korean.
const KOREAN: &[u8] = b"\x1B$)C";

/// What is turned into another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turned {
    /// UTF-32, the lowest byte of a number first.
    Utf32Little,
    /// UTF-32, the highest first.
    Utf32Big,
    /// ISO-2022-KR.
    Korean,
}

impl Turned {
    /// What the beginning of a text tells. The beginning of a mark of UTF-32 is a mark of UTF-16, too.
    #[must_use]
    pub fn of(head: &[u8]) -> Option<Turned> {
        match head {
            [0xFF, 0xFE, 0, 0, ..] => Some(Turned::Utf32Little),
            [0, 0, 0xFE, 0xFF, ..] => Some(Turned::Utf32Big),
            _ if is_korean(head) => Some(Turned::Korean),
            _ => unmarked_utf32(head),
        }
    }

    /// Its name, as IANA has it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Turned::Utf32Little => "UTF-32LE",
            Turned::Utf32Big => "UTF-32BE",
            Turned::Korean => "ISO-2022-KR",
        }
    }
}

/// UTF-32 without a mark: of every four bytes at least one is zero, always on the same side, and nearly all that they
/// stand for are letters, figures, white space, or signs of ASCII.
#[must_use]
pub fn unmarked_utf32(head: &[u8]) -> Option<Turned> {
    let head = head.get(..head.len().min(4096)).unwrap_or_default();
    let is_text = |number: fn([u8; 4]) -> u32| {
        let (mut all, mut plain) = (0, 0);
        for four in head.chunks_exact(4) {
            let four = <[u8; 4]>::try_from(four).ok()?;
            let sign = char::from_u32(number(four)).filter(|sign| !sign.is_control() || sign.is_whitespace())?;
            all += 1;
            plain += usize::from(sign.is_alphanumeric() || sign.is_whitespace() || sign.is_ascii());
        }
        (all >= UTF32_MIN && plain * 10 >= all * 9).then_some(())
    };
    let little = is_text(u32::from_le_bytes).map(|()| Turned::Utf32Little);
    little.or_else(|| is_text(u32::from_be_bytes).map(|()| Turned::Utf32Big))
}

/// Whether bytes look like UTF-16 or UTF-32 without a mark.
#[must_use]
pub fn looks_wide(head: &[u8]) -> bool {
    unmarked_utf16(head).is_some() || unmarked_utf32(head).is_some()
}

/// UTF-16 without a mark: nearly every other byte of its beginning is zero, always on the same side.
pub fn unmarked_utf16(head: &[u8]) -> Option<&'static Encoding> {
    let head = head.get(..head.len().min(4096)).unwrap_or_default();
    if head.len() < 4 {
        return None;
    }
    // Where the one byte is zero, the other is a letter or white space, not a control.
    let is_text = |pair: &[u8]| match pair {
        [0, 0] => false,
        [0, low] | [low, 0] => *low >= b' ' || matches!(low, b'\t' | b'\n' | b'\r'),
        _ => true,
    };
    if !head.chunks_exact(2).all(is_text) {
        return None;
    }
    let zeros = |from: usize| head.iter().skip(from).step_by(2).filter(|byte| **byte == 0).count();
    let (even, odd) = (zeros(0), zeros(1));
    let many = head.len() / 2 * 4 / 10;
    match (even, odd) {
        (0, odd) if odd > many => Some(UTF_16LE),
        (even, 0) if even > many => Some(UTF_16BE),
        _ => None,
    }
}

/// Whether a text shifts to Korean: it says so before it does, and is ASCII.
#[must_use]
pub fn is_korean(head: &[u8]) -> bool {
    let head = head.get(..head.len().min(8192)).unwrap_or_default();
    head.is_ascii() && memchr::memmem::find(head, KOREAN).is_some()
}

/// A text in another encoding, as it is turned.
pub struct Turning<'a> {
    from: Box<dyn BufRead + 'a>,
    what: Turned,
    /// Whether Korean is shifted out.
    out: bool,
    /// The first bytes of what may be a sign that shifts.
    held: Vec<u8>,
    ready: Vec<u8>,
    at: usize,
}

impl<'a> Turning<'a> {
    /// Turns a text from its beginning.
    pub fn new(from: Box<dyn BufRead + 'a>, what: Turned) -> Turning<'a> {
        Turning { from, what, out: false, held: Vec::new(), ready: Vec::new(), at: 0 }
    }

    fn utf32(&mut self, wide: &[u8]) {
        for four in wide.chunks(4) {
            let number = <[u8; 4]>::try_from(four).map_or(u32::MAX, |four| match self.what {
                Turned::Utf32Big => u32::from_be_bytes(four),
                _ => u32::from_le_bytes(four),
            });
            let sign = char::from_u32(number).unwrap_or(char::REPLACEMENT_CHARACTER);
            self.ready.extend_from_slice(sign.encode_utf8(&mut [0; 4]).as_bytes());
        }
    }

    fn korean(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            if byte == 0x1B || !self.held.is_empty() {
                self.held.push(byte);
                if self.held == KOREAN {
                    self.held.clear();
                } else if !KOREAN.starts_with(&self.held) {
                    self.ready.append(&mut self.held);
                }
                continue;
            }
            match byte {
                0x0E => self.out = true,
                0x0F => self.out = false,
                0x21..=0x7E if self.out => self.ready.push(byte | 0x80),
                _ => self.ready.push(byte),
            }
        }
    }
}

impl Read for Turning<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.at >= self.ready.len() {
            self.ready.clear();
            self.at = 0;
            let mut taken = Vec::new();
            Read::by_ref(&mut self.from).take(PIECE).read_to_end(&mut taken)?;
            match self.what {
                _ if taken.is_empty() && self.held.is_empty() => return Ok(0),
                _ if taken.is_empty() => self.ready.append(&mut self.held),
                Turned::Korean => self.korean(&taken),
                Turned::Utf32Little | Turned::Utf32Big => self.utf32(&taken),
            }
        }
        let rest = self.ready.get(self.at..).unwrap_or_default();
        let size = rest.len().min(buffer.len());
        buffer[..size].copy_from_slice(&rest[..size]);
        self.at += size;
        Ok(size)
    }
}
