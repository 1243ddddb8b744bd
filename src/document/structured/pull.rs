//! JSON of any size and depth, pulled value by value, in constant memory: what is not wanted is skipped at speed.

use std::io::{self, BufRead, Read};

use crate::content::decode_json_string;

use super::check::{WORD_ENDS, skip_comment};

/// Bytes of a number or word that are kept at least: shorter ones are not worth cutting.
const LITERAL_LEAST: u64 = 256;

/// What comes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// `{` or `[`, taken.
    Begin {
        /// Whether it is `{`.
        object: bool,
    },
    /// `}` or `]`, taken.
    End,
    /// A quote: a string comes.
    String,
    /// A number or word comes.
    Literal,
    /// Nothing more.
    Nothing,
}

/// Pulls JSON out of UTF-8 bytes, passing over comments. It is lenient: it asks for what it needs to find its way, and
/// checks no more; `check` tells beforehand whether it is JSON.
pub struct Pull<R> {
    from: Placed<R>,
    line: u64,
}

/// Counts bytes as they are taken.
struct Placed<R> {
    from: R,
    at: u64,
}

impl<R: BufRead> Read for Placed<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let size = self.from.read(buffer)?;
        self.at += size as u64;
        Ok(size)
    }
}

impl<R: BufRead> BufRead for Placed<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.from.fill_buf()
    }

    fn consume(&mut self, size: usize) {
        self.at += size as u64;
        self.from.consume(size);
    }
}

impl<R: BufRead> Pull<R> {
    /// Begins.
    pub fn new(from: R) -> Pull<R> {
        Pull::starting_at(0, from)
    }

    /// Begins with bytes that stand behind so many others.
    pub fn starting_at(at: u64, from: R) -> Pull<R> {
        Pull { from: Placed { from, at }, line: 1 }
    }

    /// Bytes that have been taken.
    #[must_use]
    pub fn at(&self) -> u64 {
        self.from.at
    }

    /// Where what [`Pull::next`] said begins: a bracket has been taken.
    #[must_use]
    pub fn start_of(&self, next: Next) -> u64 {
        self.at() - u64::from(matches!(next, Next::Begin { .. } | Next::End))
    }

    /// The line being read, from 1.
    #[must_use]
    pub fn line(&self) -> u64 {
        self.line
    }

    /// The next byte that is no white space, comma, colon or comment; not taken.
    fn peek(&mut self) -> io::Result<Option<u8>> {
        loop {
            let held = self.from.fill_buf()?;
            if held.is_empty() {
                return Ok(None);
            }
            let blank = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | b',' | b':');
            let skipped = held.iter().position(|byte| !blank(byte)).unwrap_or(held.len());
            self.line += memchr::memchr_iter(b'\n', &held[..skipped]).count() as u64;
            let found = held.get(skipped).copied();
            self.from.consume(skipped);
            match found {
                Some(b'/') => self.line += skip_comment(&mut self.from)?.unwrap_or(0),
                Some(_) => return Ok(found),
                None => {}
            }
        }
    }

    /// What comes next. Brackets are taken, values are not.
    ///
    /// # Errors
    /// Where the bytes cannot be read.
    pub fn next(&mut self) -> io::Result<Next> {
        let Some(byte) = self.peek()? else {
            return Ok(Next::Nothing);
        };
        let next = match byte {
            b'{' => Next::Begin { object: true },
            b'[' => Next::Begin { object: false },
            b'}' | b']' => Next::End,
            b'"' => return Ok(Next::String),
            _ => return Ok(Next::Literal),
        };
        self.from.consume(1);
        Ok(next)
    }

    /// Takes a string: its beginning of at most `chars` characters, and whether it went on. None where it does not end.
    ///
    /// # Errors
    /// Where the bytes cannot be read.
    pub fn string(&mut self, chars: u64) -> io::Result<Option<(String, bool)>> {
        // No character takes more than two escapes of six bytes.
        let most = usize::try_from(chars.saturating_add(1).saturating_mul(12)).unwrap_or(usize::MAX).min(64 << 20);
        let mut kept = Vec::new();
        if !self.take_string(&mut kept, most)? {
            return Ok(None);
        }
        let text = decode_json_string(&kept);
        let (shown, cut) = crate::document::limits::shorten(&text, chars);
        Ok(Some((shown.to_owned(), cut)))
    }

    /// Takes a string, keeping the first `most` bytes between its quotes; false where it does not end.
    fn take_string(&mut self, kept: &mut Vec<u8>, most: usize) -> io::Result<bool> {
        self.from.consume(1);
        let mut escaped = false;
        loop {
            let held = self.from.fill_buf()?;
            if held.is_empty() {
                return Ok(false);
            }
            let mut at = 0;
            let mut ended = false;
            while at < held.len() {
                if std::mem::take(&mut escaped) {
                    at += 1;
                    continue;
                }
                let Some(found) = memchr::memchr2(b'"', b'\\', &held[at..]) else {
                    at = held.len();
                    break;
                };
                at += found + 1;
                if held[at - 1] == b'"' {
                    ended = true;
                    break;
                }
                escaped = true;
            }
            let inside = at - usize::from(ended);
            let room = most.saturating_sub(kept.len());
            kept.extend_from_slice(&held[..inside.min(room)]);
            self.line += memchr::memchr_iter(b'\n', &held[..inside]).count() as u64;
            self.from.consume(at);
            if ended {
                return Ok(true);
            }
        }
    }

    /// Takes a number or word: so many bytes of a long one, and whether that left some out.
    ///
    /// # Errors
    /// Where the bytes cannot be read.
    pub fn literal(&mut self, most: u64) -> io::Result<(String, bool)> {
        let most = usize::try_from(most.max(LITERAL_LEAST)).unwrap_or(usize::MAX);
        let (mut kept, mut all) = (Vec::new(), 0usize);
        loop {
            let held = self.from.fill_buf()?;
            let ends = |byte: &u8| WORD_ENDS.contains(byte);
            let length = held.iter().position(ends).unwrap_or(held.len());
            let ended = length < held.len() || held.is_empty();
            kept.extend_from_slice(&held[..length.min(most.saturating_sub(kept.len()))]);
            self.from.consume(length);
            all += length;
            if ended {
                return Ok((String::from_utf8_lossy(&kept).into_owned(), all > kept.len()));
            }
        }
    }

    /// Takes a whole value without keeping it, after [`Pull::next`] said `next`; false where the text ends in it.
    ///
    /// # Errors
    /// Where the bytes cannot be read.
    pub fn skip(&mut self, next: Next) -> io::Result<bool> {
        match next {
            Next::String => self.take_string(&mut Vec::new(), 0),
            Next::Literal => self.literal(0).map(|_| true),
            Next::Begin { .. } => self.skip_level(),
            Next::End | Next::Nothing => Ok(true),
        }
    }

    /// Takes everything to the end of the innermost array or object.
    fn skip_level(&mut self) -> io::Result<bool> {
        let mut depth = 1u64;
        loop {
            let held = self.from.fill_buf()?;
            if held.is_empty() {
                return Ok(false);
            }
            let mut at = 0;
            // The quote of a string, or the slash of a comment, that comes next.
            let mut aside = None;
            for &byte in held {
                match byte {
                    b'{' | b'[' => depth += 1,
                    b'}' | b']' => depth -= 1,
                    b'"' | b'/' => aside = Some(byte),
                    b'\n' => self.line += 1,
                    _ => {}
                }
                if aside.is_some() || depth == 0 {
                    break;
                }
                at += 1;
            }
            if let Some(aside) = aside {
                self.from.consume(at);
                if aside == b'/' {
                    self.line += skip_comment(&mut self.from)?.unwrap_or(0);
                } else if !self.take_string(&mut Vec::new(), 0)? {
                    return Ok(false);
                }
                continue;
            }
            self.from.consume(at + usize::from(depth == 0));
            if depth == 0 {
                return Ok(true);
            }
        }
    }
}
