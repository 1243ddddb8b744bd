//! RTF: its paragraphs, headings, lists, tables, links and notes as Markdown, with what is bold, in italics
//! or struck through; pictures and other looks are left out.

mod fonts;
mod paragraphs;
mod tokens;
mod words;

use super::input::{Failure, Input};
use super::out::{Out, Stop};
use fonts::{Fonts, page_of};
use paragraphs::Paragraphs;
use tokens::{Token, Tokens};
use words::Look;

/// Bytes of a document, pictures among them.
const BYTES_MAX: u64 = 256 << 20;
/// Groups within each other that are told apart.
const DEPTH_MAX: usize = 1_000;
/// Characters of what a field is that are read.
const FIELD_MAX: usize = 4 << 10;
/// Groups that hold no text of the document.
const ELSEWHERE: &[&str] = &[
    "colortbl",
    "filetbl",
    "footer",
    "footerf",
    "footerl",
    "footerr",
    "ftncn",
    "ftnsep",
    "ftnsepc",
    "header",
    "headerf",
    "headerl",
    "headerr",
    "objalias",
    "objclass",
    "objdata",
    "objname",
    "objsect",
    "pict",
    "private1",
    "revtbl",
    "rxe",
    "sn",
    "sp",
    "stylesheet",
    "tc",
    "template",
    "txe",
    "xe",
];
/// Those that do although who does not know them may leave them out.
const SHOWN: &[&str] = &["shpinst", "shptxt", "fldrslt"];
/// Signs that have a word.
const SIGNS: &[(&str, char)] = &[
    ("bullet", '•'),
    ("emdash", '—'),
    ("emspace", ' '),
    ("endash", '–'),
    ("enspace", ' '),
    ("ldblquote", '“'),
    ("lquote", '‘'),
    ("qmspace", ' '),
    ("rdblquote", '”'),
    ("rquote", '’'),
    ("tab", '\t'),
    ("zwj", '\u{200D}'),
    ("zwnj", '\u{200C}'),
];

/// Whether first bytes are those of RTF.
pub fn begins(head: &[u8]) -> bool {
    head.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(head).trim_ascii_start().starts_with(b"{\\rtf")
}

/// RTF as Markdown.
///
/// # Errors
/// Where it is none.
pub fn convert(input: &Input<'_>, out: &mut Out<'_>) -> Result<(), Failure> {
    let bytes = input.whole(BYTES_MAX)?;
    let Some(start) = Some(&bytes).filter(|bytes| begins(bytes)).and_then(|bytes| memchr::memchr(b'{', bytes)) else {
        return Err(Failure::Damaged("it does not begin as RTF does".to_owned()));
    };
    let mut tokens = Tokens::of(bytes.get(start..).unwrap_or_default());
    let mut reader = Reader::default();
    let mut left = tokens.left();
    let ended = loop {
        let Some(token) = tokens.next() else { break false };
        if let Token::Word("bin", Some(size)) = token {
            tokens.pass(usize::try_from(size).unwrap_or(0));
        } else if !reader.take(token, out)? {
            break true;
        }
        out.beat((left - tokens.left()) as u64)?;
        left = tokens.left();
    };
    reader.flush();
    reader.text.end(out)?;
    if !ended {
        out.lost_of_all("the file is cut off", "what stands before its end is shown");
    }
    Ok(())
}

/// What text in a group belongs to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Place {
    /// The document.
    #[default]
    Text,
    /// The list of fonts.
    Fonts,
    /// What is said of the document.
    About,
    /// What a field is.
    Field,
    /// Nothing that is shown.
    Elsewhere,
}

/// What holds up to the end of a group.
#[derive(Clone, Copy, Debug)]
struct State {
    place: Place,
    is_hidden: bool,
    /// Bytes behind a character of Unicode that stand for it where that is not known.
    instead: usize,
    font: i32,
    look: Look,
}

impl Default for State {
    fn default() -> State {
        State { place: Place::Text, is_hidden: false, instead: 1, font: 0, look: Look::default() }
    }
}

#[derive(Default)]
struct Reader {
    fonts: Fonts,
    default_font: i32,
    state: State,
    around: Vec<State>,
    /// Groups beyond those that are told apart.
    deeper: usize,
    /// Whether the group that follows may be left out by who does not know it.
    is_optional: bool,
    /// Bytes that are still to be passed over behind a character of Unicode.
    passed: usize,
    /// The first half of a character of two.
    half: Option<u16>,
    /// Bytes in one font that are not decoded yet.
    bytes: Vec<u8>,
    /// What the last field is.
    field: String,
    text: Paragraphs,
}

impl Reader {
    /// Takes in one piece; whether the document goes on.
    fn take(&mut self, token: Token<'_>, out: &mut Out<'_>) -> Result<bool, Stop> {
        match token {
            Token::Open => {
                self.flush();
                (self.is_optional, self.passed) = (false, 0);
                if self.around.len() < DEPTH_MAX {
                    self.around.push(self.state);
                } else {
                    self.deeper += 1;
                }
            }
            Token::Close => {
                self.flush();
                (self.is_optional, self.passed) = (false, 0);
                if self.deeper > 0 {
                    self.deeper -= 1;
                    return Ok(true);
                }
                self.text.close(self.around.len(), out);
                self.state = self.around.pop().unwrap_or_default();
                return Ok(!self.around.is_empty());
            }
            Token::Byte(byte, _) => self.byte(byte),
            Token::Symbol(sign) => match sign {
                b'*' => self.is_optional = true,
                b'\\' | b'{' | b'}' => self.byte(sign),
                b'~' => self.sign('\u{A0}'),
                b'_' => self.sign('-'),
                b'\t' => self.sign('\t'),
                b'\r' | b'\n' => self.word("par", None, out)?,
                _ => {}
            },
            Token::Word(word, number) => self.word(word, number, out)?,
        }
        Ok(true)
    }

    fn word(&mut self, word: &str, number: Option<i32>, out: &mut Out<'_>) -> Result<(), Stop> {
        let is_on = number != Some(0);
        let positive = number.and_then(|number| u32::try_from(number).ok());
        let is_optional = std::mem::take(&mut self.is_optional);
        if word == "fldinst" && self.state.place == Place::Text {
            self.flush();
            self.field.clear();
            self.state.place = Place::Field;
            return Ok(());
        }
        let is_left_out = is_optional && !SHOWN.contains(&word);
        if is_left_out || ELSEWHERE.contains(&word) {
            self.flush();
            self.state.place = Place::Elsewhere;
            return Ok(());
        }
        match word {
            "u" => self.unicode(number.unwrap_or(0)),
            "uc" => self.state.instead = positive.unwrap_or(1).min(8) as usize,
            "ansicpg" => self.fonts.page(positive.unwrap_or(0)),
            "mac" => self.fonts.page(10_000),
            "pc" => self.fonts.page(437),
            "pca" => self.fonts.page(850),
            "deff" => {
                self.default_font = number.unwrap_or(0);
                self.state.font = self.default_font;
            }
            "fonttbl" => self.state.place = Place::Fonts,
            "info" => self.state.place = Place::About,
            "f" => {
                self.flush();
                self.state.font = number.unwrap_or(0);
            }
            "fcharset" => self.fonts.set(self.state.font, number.and_then(page_of)),
            "cpg" => self.fonts.set(self.state.font, positive),
            "plain" => {
                self.flush();
                (self.state.font, self.state.is_hidden) = (self.default_font, false);
                self.state.look = Look { link: self.state.look.link, ..Look::default() };
            }
            "b" | "i" | "strike" | "striked" => {
                self.flush();
                let look = &mut self.state.look;
                *match word {
                    "b" => &mut look.bold,
                    "i" => &mut look.italic,
                    _ => &mut look.struck,
                } = is_on;
            }
            "fldrslt" => {
                self.flush();
                if let Some(target) = target(&self.field).filter(|_| self.state.place == Place::Text) {
                    self.state.look.link = self.text.link(target);
                }
                self.field.clear();
            }
            "v" | "deleted" => {
                self.flush();
                self.state.is_hidden = is_on;
            }
            _ if matches!(self.state.place, Place::Elsewhere | Place::Fonts) => {}
            "title" | "author" | "subject" | "keywords" if self.state.place == Place::About => {
                self.text.open_fact(word, self.around.len());
            }
            _ => match SIGNS.iter().find(|(known, _)| *known == word) {
                Some((_, sign)) => self.sign(*sign),
                None if self.state.place == Place::Field => {}
                None => {
                    self.flush();
                    self.text.control(word, number, self.around.len(), out)?;
                }
            },
        }
        Ok(())
    }

    fn byte(&mut self, byte: u8) {
        if self.passed > 0 {
            self.passed -= 1;
            return;
        }
        match self.state.place {
            Place::Fonts => self.fonts.name(self.state.font, byte),
            Place::Field if self.field.len() < FIELD_MAX => self.field.push(char::from(byte)),
            _ if self.is_shown() => self.bytes.push(byte),
            _ => {}
        }
    }

    fn is_shown(&self) -> bool {
        let is_text = match self.state.place {
            Place::Text => true,
            Place::About => self.text.is_fact(),
            Place::Fonts | Place::Field | Place::Elsewhere => false,
        };
        is_text && !self.state.is_hidden
    }

    fn sign(&mut self, sign: char) {
        self.flush();
        if self.is_shown() {
            self.text.push(sign.encode_utf8(&mut [0; 4]), self.state.look);
        } else if self.state.place == Place::Field && self.field.len() < FIELD_MAX {
            self.field.push(sign);
        }
    }

    /// A character of Unicode, or half of one, as it is written in 16 bits with a sign.
    fn unicode(&mut self, number: i32) {
        self.passed = self.state.instead;
        let unit = (number & 0xFFFF) as u16;
        let half = self.half.take();
        let sign = match (half, unit) {
            (_, 0xD800..=0xDBFF) if number <= 0xFFFF => {
                self.half = Some(unit);
                return;
            }
            (Some(half), 0xDC00..=0xDFFF) => char::decode_utf16([half, unit]).next().and_then(Result::ok),
            _ if number > 0xFFFF => u32::try_from(number).ok().and_then(char::from_u32),
            _ => char::from_u32(u32::from(unit)),
        };
        let sign = sign.unwrap_or(char::REPLACEMENT_CHARACTER);
        let sign = self.fonts.shown(self.state.font, sign);
        if !sign.is_control() {
            self.sign(sign);
        }
    }

    /// Decodes what stands in one font.
    fn flush(&mut self) {
        if !self.bytes.is_empty() {
            let mut text = String::new();
            self.fonts.decode(self.state.font, &self.bytes, &mut text);
            self.bytes.clear();
            self.text.push(&text, self.state.look);
        }
    }
}

/// Where a field leads, if it is a link to what stands elsewhere: `HYPERLINK "https://…"`.
fn target(field: &str) -> Option<String> {
    let rest = field.trim_start().strip_prefix("HYPERLINK")?.trim_start();
    let target = match rest.strip_prefix('"') {
        Some(quoted) => quoted.split('"').next(),
        None => rest.split_whitespace().next().filter(|word| !word.starts_with('\\')),
    };
    target.map(str::trim).filter(|target| !target.is_empty()).map(str::to_owned)
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
