//! Text of any encoding as UTF-8, in order: UTF-8, UTF-16, and what else it looks like.

mod damage;
mod guess;
mod pages;
mod signs;
#[cfg(test)]
mod tests;
mod wide;

use std::io::{self, BufRead, BufReader, Read};

use encoding_rs::{Decoder, EUC_KR, Encoding, ISO_2022_JP, UTF_8, UTF_16BE, UTF_16LE};

use damage::{Line, is_damaged_utf8};
use guess::{Doubt, Legacy, guess};
pub use pages::{PAGES, Page};
use wide::{Turned, Turning, unmarked_utf16};
pub use wide::{is_korean, looks_wide};

/// Bytes that tell the encoding, and that are decoded at a time.
const PIECE: usize = 64 << 10;
/// Bytes that are looked at where it is to be told whether a text is damaged UTF-8, and characters beyond ASCII that are
/// enough to tell it.
const AHEAD: usize = 4 << 20;
const AHEAD_ENOUGH: usize = 64;
/// Bytes before the first that is not ASCII that help to guess what it is.
const BEFORE: usize = 16;
/// Of the characters beyond ASCII, one in so many may be none of the encoding that a text says it is in.
const WRONG_ONE_IN: usize = 20;

/// Reads text of any encoding; gives UTF-8, with a line feed for each break of two characters.
///
/// Without a mark at its beginning a text is UTF-8 for as long as it is valid. At the first bytes that are not, it is
/// the legacy encoding that they look like, unless other characters had been proper UTF-8 already, or nearly all of
/// those that follow are: then the odd bytes are replaced.
pub struct TextReader<'a> {
    from: Box<dyn BufRead + 'a>,
    decoder: Decoder,
    encoding: &'static Encoding,
    /// The page of which it is, where that is none of the Web's encodings.
    page: Option<&'static Page>,
    /// Why its encoding is no more than a guess.
    doubt: Option<Doubt>,
    /// What it is turned from on the way here.
    turned: Option<Turned>,
    /// What the text says that it is in.
    named: Option<Legacy>,
    /// The name of an encoding that it says it is in, and is not.
    misnamed: Option<&'static str>,
    /// Whether the encoding is settled.
    settled: bool,
    /// Whether characters beyond ASCII have been proper UTF-8.
    seen_utf8: bool,
    marked: bool,
    replaced: u64,
    /// Where the first of them is.
    line: Line,
    /// Zero bytes that were left out.
    zeros: u64,
    /// Whether a carriage return is held back with which a piece ended: what follows tells whether it is one of its own.
    held_return: bool,
    raw: Vec<u8>,
    ended: bool,
    /// Why it ended early: told once all that came before has been given.
    broken: Option<io::Error>,
    ready: String,
    at: usize,
}

impl<'a> TextReader<'a> {
    /// Looks at the beginning of the bytes.
    ///
    /// # Errors
    /// Where it cannot be read.
    pub fn new(from: Box<dyn BufRead + 'a>) -> io::Result<TextReader<'a>> {
        let mut from = from;
        let turned = Turned::of(from.fill_buf()?);
        if let Some(what) = turned {
            from = Box::new(BufReader::new(Turning::new(from, what)));
        }
        let mut reader = TextReader {
            from,
            page: None,
            doubt: None,
            turned,
            decoder: UTF_8.new_decoder_without_bom_handling(),
            encoding: UTF_8,
            named: None,
            misnamed: None,
            settled: false,
            seen_utf8: false,
            marked: false,
            replaced: 0,
            line: Line::default(),
            zeros: 0,
            held_return: false,
            raw: Vec::new(),
            ended: false,
            broken: None,
            ready: String::new(),
            at: 0,
        };
        reader.fill();
        if turned == Some(Turned::Korean) {
            reader.settle(EUC_KR);
        } else if let Some((encoding, length)) = Encoding::for_bom(&reader.raw) {
            reader.marked = true;
            reader.raw.drain(..length);
            reader.settle(encoding);
        } else if let Some(encoding) = unmarked_utf16(&reader.raw) {
            reader.settle(encoding);
        }
        Ok(reader)
    }

    /// As [`TextReader::new`], where the text may name its own encoding in its beginning: what is no UTF-8 is in that,
    /// unless its bytes are none of it.
    ///
    /// # Errors
    /// Where it cannot be read.
    pub fn named_by(from: Box<dyn BufRead + 'a>, name: impl Fn(&[u8]) -> Option<String>) -> io::Result<TextReader<'a>> {
        let mut reader = TextReader::new(from)?;
        if !reader.settled {
            reader.named = name(&reader.raw).and_then(|label| labelled(&label));
            let is_other = std::str::from_utf8(&reader.raw).is_err_and(|why| why.error_len().is_some());
            if is_other && !reader.is_damaged(true) {
                reader.settle_named();
            }
        }
        Ok(reader)
    }

    /// What the text turned out to be, once read.
    #[must_use]
    pub fn encoding(&self) -> String {
        let name = match (self.turned, self.page) {
            (Some(turned), _) => turned.name(),
            (None, Some(page)) => page.name,
            (None, None) => self.encoding.name(),
        };
        let mark = if self.marked { " with a byte order mark" } else { "" };
        let guessed = match self.doubt {
            Some(Doubt::Few) => ", guessed from a few letters",
            Some(Doubt::Odd) => ", a guess in which much is odd",
            None => "",
        };
        format!("{name}{mark}{guessed}")
    }

    /// Whether the text reads as one of no encoding that is known here, and is shown in the one that it fits best.
    #[must_use]
    pub fn is_doubtful(&self) -> bool {
        self.doubt == Some(Doubt::Odd)
    }

    /// What the text says of itself that it is in, where that is not so.
    #[must_use]
    pub fn misnamed(&self) -> Option<&'static str> {
        self.misnamed
    }

    /// Places where bytes were no characters of the encoding and were replaced.
    #[must_use]
    pub fn replaced(&self) -> u64 {
        self.replaced
    }

    /// The line of the first of these places, from 1; 0 where there is none.
    #[must_use]
    pub fn replaced_line(&self) -> u64 {
        self.line.number()
    }

    /// Zero bytes, which stand for nothing, that were left out.
    #[must_use]
    pub fn zeros(&self) -> u64 {
        self.zeros
    }

    /// More text; empty at the end.
    ///
    /// # Errors
    /// Where the bytes cannot be read.
    pub fn more(&mut self) -> io::Result<&str> {
        self.decode()?;
        let from = std::mem::replace(&mut self.at, self.ready.len());
        Ok(self.ready.get(from..).unwrap_or_default())
    }

    /// All of it, or an error where it is longer than `most` bytes.
    ///
    /// # Errors
    /// Where the bytes cannot be read, or are too many.
    pub fn all(&mut self, most: usize) -> io::Result<String> {
        match self.first(most)? {
            (all, false) => Ok(all),
            _ => Err(io::Error::new(io::ErrorKind::InvalidData, format!("it is larger than {} MB", most >> 20))),
        }
    }

    /// About the first `most` bytes of it, and whether there are more.
    ///
    /// # Errors
    /// Where the bytes cannot be read.
    pub fn first(&mut self, most: usize) -> io::Result<(String, bool)> {
        let mut all = String::new();
        loop {
            let more = self.more()?;
            if more.is_empty() {
                return Ok((all, false));
            }
            all.push_str(more);
            if all.len() > most {
                return Ok((all, true));
            }
        }
    }

    /// The beginning of what is still to be had: at least so many bytes, where there are as many. It stays to be read.
    ///
    /// # Errors
    /// Where the bytes cannot be read.
    pub fn ahead(&mut self, least: usize) -> io::Result<&[u8]> {
        self.decode()?;
        while self.ready.len() - self.at < least {
            self.fill();
            if self.raw.is_empty() {
                break;
            }
            self.decode_piece();
        }
        Ok(self.ready.as_bytes().get(self.at..).unwrap_or_default())
    }

    fn settle(&mut self, encoding: &'static Encoding) {
        self.encoding = encoding;
        self.decoder = encoding.new_decoder_without_bom_handling();
        self.settled = true;
    }

    /// Settles what the text says that it is in, where what is held reads as that.
    fn settle_named(&mut self) {
        match self.named.take() {
            Some(Legacy::Web(encoding)) if reads_as(encoding, &self.raw) => self.settle(encoding),
            Some(Legacy::Web(encoding)) => self.misnamed = Some(encoding.name()),
            Some(Legacy::Page(page)) => self.settle_page(page),
            None => {}
        }
    }

    fn settle_page(&mut self, page: &'static Page) {
        self.page = Some(page);
        self.settled = true;
    }

    /// Reads until a piece is held, or the end, or a fault.
    fn fill(&mut self) {
        self.fill_to(PIECE);
    }

    /// Reads until so many bytes are held, or the end, or a fault.
    fn fill_to(&mut self, least: usize) {
        while self.raw.len() < least && !self.ended {
            let more = match self.from.fill_buf() {
                Ok(more) => more,
                Err(why) if why.kind() == io::ErrorKind::Interrupted => continue,
                Err(why) => {
                    (self.ended, self.broken) = (true, Some(why));
                    return;
                }
            };
            let size = more.len().min(PIECE);
            self.ended = size == 0;
            self.raw.extend_from_slice(&more[..size]);
            self.from.consume(size);
        }
    }

    /// Decodes the next piece into `ready`, unless some of it is still to be had.
    fn decode(&mut self) -> io::Result<()> {
        while self.at >= self.ready.len() {
            self.ready.clear();
            self.at = 0;
            self.fill();
            if self.raw.is_empty() && self.ended {
                if std::mem::take(&mut self.held_return) {
                    self.ready.push('\r');
                    return Ok(());
                }
                if let Some(why) = self.broken.take() {
                    return Err(why);
                }
                self.ready.reserve(16);
                let (_, _, bad) = self.decoder.decode_to_string(&[], &mut self.ready, true);
                self.replaced += u64::from(bad);
                self.line.pass(&self.ready, bad);
                self.decoder = self.encoding.new_decoder_without_bom_handling();
                return Ok(());
            }
            self.decode_piece();
        }
        Ok(())
    }

    /// Adds what is held to `ready`.
    fn decode_piece(&mut self) {
        let (from, replaced) = (self.ready.len(), self.replaced);
        if self.settled {
            self.decode_settled();
        } else {
            self.decode_open();
        }
        let fresh = self.ready.get(from..).unwrap_or_default();
        self.line.pass(fresh, self.replaced > replaced);
        let zeros = memchr::memchr_iter(0, fresh.as_bytes()).count();
        if zeros > 0 {
            self.zeros += zeros as u64;
            let text = without_zeros(fresh);
            self.ready.truncate(from);
            self.ready.push_str(&text);
        }
        self.join_breaks(from);
    }

    /// Makes one break of each carriage return with the line feed behind it, as readers of text do: where lines stand does
    /// not depend on the system on which they were written. One that stands alone stays.
    fn join_breaks(&mut self, from: usize) {
        let fresh = self.ready.get(from..).unwrap_or_default();
        if fresh.is_empty() {
            return;
        }
        let held = std::mem::replace(&mut self.held_return, fresh.ends_with('\r'));
        if !held && memchr::memchr(b'\r', fresh.as_bytes()).is_none() {
            return;
        }
        let before = if held { "\r" } else { "" };
        let kept = if self.held_return { &fresh[..fresh.len() - 1] } else { fresh };
        let text = format!("{before}{kept}").replace("\r\n", "\n");
        self.ready.truncate(from);
        self.ready.push_str(&text);
    }

    fn decode_settled(&mut self) {
        if let Some(page) = self.page {
            page.decode(&self.raw, &mut self.ready);
            self.raw.clear();
            return;
        }
        let room = self.decoder.max_utf8_buffer_length(self.raw.len()).unwrap_or(self.raw.len() * 4);
        self.ready.reserve(room);
        let (_, read, bad) = self.decoder.decode_to_string(&self.raw, &mut self.ready, false);
        self.replaced += u64::from(bad);
        self.raw.drain(..read);
    }

    /// UTF-8 for as long as it is; at what is not, the encoding is settled.
    fn decode_open(&mut self) {
        if let Some(at) = to_japanese(&self.raw).filter(|_| !self.seen_utf8) {
            self.ready.push_str(std::str::from_utf8(&self.raw[..at]).unwrap_or_default());
            self.raw.drain(..at);
            self.settle(ISO_2022_JP);
            return;
        }
        // All of it is, as a rule; this tells so faster than to look for what is not.
        if let Ok(valid) = std::str::from_utf8(&self.raw) {
            self.seen_utf8 |= !valid.is_ascii();
            self.ready.push_str(valid);
            self.raw.clear();
            return;
        }
        let valid = self.raw.utf8_chunks().next();
        let (valid, odd) = valid.map_or(("", 0), |chunk| (chunk.valid(), chunk.invalid().len()));
        self.seen_utf8 |= !valid.is_ascii();
        self.ready.push_str(valid);
        // A character cut off by the end of the piece is no fault, unless the text ends in it.
        let before = valid.get(valid.floor_char_boundary(valid.len().saturating_sub(BEFORE))..).unwrap_or_default();
        let before = before.to_owned();
        let rest = self.raw.len() - valid.len();
        let broken = rest > 0 && (odd < rest || self.ended || rest > 3);
        self.raw.drain(..self.raw.len() - rest);
        if !broken {
            return;
        }
        if self.seen_utf8 || self.is_damaged(before.is_empty()) {
            self.settle(UTF_8);
            return;
        }
        self.settle_named();
        if self.settled {
            return;
        }
        let guess = guess(&before, &self.raw, self.ended);
        self.doubt = guess.doubt;
        match guess.legacy {
            Legacy::Web(encoding) => self.settle(encoding),
            Legacy::Page(page) => self.settle_page(page),
        }
    }

    /// Whether what is held, and as much of what follows as is needed to tell, is UTF-8 but for a few bytes.
    fn is_damaged(&mut self, begins: bool) -> bool {
        let mut least = PIECE;
        loop {
            self.fill_to(least);
            let beyond = self.raw.iter().filter(|byte| !byte.is_ascii()).count();
            if self.ended || beyond >= AHEAD_ENOUGH || least >= AHEAD {
                return is_damaged_utf8(&self.raw, begins, self.ended);
            }
            least *= 4;
        }
    }
}

impl Read for TextReader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let rest = self.fill_buf()?;
        let size = rest.len().min(buffer.len());
        buffer[..size].copy_from_slice(&rest[..size]);
        self.consume(size);
        Ok(size)
    }
}

impl BufRead for TextReader<'_> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.decode()?;
        Ok(self.ready.as_bytes().get(self.at..).unwrap_or_default())
    }

    fn consume(&mut self, size: usize) {
        self.at = (self.at + size).min(self.ready.len());
    }
}

/// The encoding that a label means. A text that can say in ASCII that it is UTF-16 is not.
fn labelled(label: &str) -> Option<Legacy> {
    let number =
        |name: &str| name.to_ascii_lowercase().trim_start_matches(|sign: char| !sign.is_ascii_digit()).to_owned();
    let web = Encoding::for_label_no_replacement(label.as_bytes());
    match web {
        Some(wide) if wide == UTF_16LE || wide == UTF_16BE => None,
        Some(encoding) => Some(Legacy::Web(encoding)),
        None if label.to_ascii_lowercase().starts_with(['c', 'i']) => {
            PAGES.iter().find(|page| number(page.name) == number(label)).map(Legacy::Page)
        }
        None => None,
    }
}

/// Whether bytes are text of an encoding, but for a few.
fn reads_as(encoding: &'static Encoding, bytes: &[u8]) -> bool {
    let (text, bad) = encoding.decode_without_bom_handling(bytes);
    // The end of a piece may cut a character.
    let cut = usize::from(bytes.len() >= PIECE);
    let wrong = || text.matches(char::REPLACEMENT_CHARACTER).count().saturating_sub(cut);
    !bad || wrong() * WRONG_ONE_IN <= text.chars().filter(|sign| !sign.is_ascii()).count()
}

/// Where text turns to ISO-2022-JP, behind nothing but ASCII.
fn to_japanese(bytes: &[u8]) -> Option<usize> {
    let shifts =
        |at: &usize| [&b"\x1B$B"[..], b"\x1B$@", b"\x1B(J"].iter().any(|known| bytes[*at..].starts_with(known));
    memchr::memchr_iter(0x1B, bytes).find(shifts).filter(|_| bytes.is_ascii())
}

/// A text without its zero bytes: what they stood between stays apart.
fn without_zeros(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for part in text.split('\0').filter(|part| !part.is_empty()) {
        let parted = plain.chars().next_back().zip(part.chars().next());
        if parted.is_some_and(|(before, after)| !before.is_whitespace() && !after.is_whitespace()) {
            plain.push(' ');
        }
        plain.push_str(part);
    }
    plain
}
