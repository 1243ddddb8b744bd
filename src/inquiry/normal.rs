//! Text as facts are compared: case, white space, Unicode forms, quotes, number formats, line wraps and escapes evened
//! out, each byte with the place that it came from.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::canonical_combining_class;

use crate::chunk::is_cjk;

/// Text that was evened out.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Normal {
    /// The text.
    pub text: String,
    /// Per byte of it, and for its end, where it came from.
    pub(super) starts: Vec<u32>,
}

impl Normal {
    /// The range of the given text that a range of this one came from.
    #[must_use]
    pub fn origin(&self, from: usize, to: usize) -> (u32, u32) {
        let at = |at: usize| self.starts.get(at).or(self.starts.last()).copied().unwrap_or(0);
        (at(from), at(to))
    }

    /// Text that is even already.
    #[must_use]
    pub fn of(text: &str) -> Normal {
        Normal { text: text.to_owned(), starts: (0..=index(text.len())).collect() }
    }

    fn push(&mut self, sign: char, from: u32) {
        self.text.push(sign);
        self.starts.resize(self.text.len(), from);
    }

    /// A run that stays as it is, but for its case.
    fn same(&mut self, run: &str, from: u32, form: Form) {
        let at = self.text.len();
        self.text.push_str(run);
        if form == Form::Plain
            && let Some(run) = self.text.get_mut(at..)
        {
            run.make_ascii_lowercase();
        }
        self.starts.extend(from..from.saturating_add(index(run.len())));
    }

    /// A percent sign, which stands with its number or after a blank.
    fn percent(&mut self, from: u32) {
        if let [.., digit, b' '] = self.text.as_bytes()
            && digit.is_ascii_digit()
        {
            self.text.pop();
            self.starts.truncate(self.text.len());
        }
        self.push('%', from);
    }

    /// Takes back a blank behind a sign of a script that parts no words by blanks: its line was only broken there.
    fn join(&mut self) {
        let mut last = self.text.chars().rev();
        if last.next() == Some(' ') && last.next().is_some_and(is_wide) {
            self.text.pop();
            self.starts.truncate(self.text.len());
        }
    }

    fn ends_with_blank(&self) -> bool {
        self.text.ends_with([' ', '\n'])
    }

    /// A blank; at a line's end after a hyphen nothing, since a name that was wrapped there goes on.
    fn blank(&mut self, from: u32, wraps: bool, form: Form) {
        let bytes = self.text.as_bytes();
        let hyphen = wraps && bytes.len() >= 2 && bytes[bytes.len() - 1] == b'-';
        if hyphen && bytes[bytes.len() - 2].is_ascii_alphanumeric() || self.ends_with_blank() {
            return;
        }
        self.push(if wraps && form == Form::Cased { '\n' } else { ' ' }, from);
    }
}

/// What is evened out.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// Everything, as literal texts are compared.
    Plain,
    /// All but case, numbers and lines, as patterns are matched: a line's end stays one.
    Cased,
}

/// Evens a text out.
#[must_use]
pub fn normalise(text: &str) -> Normal {
    evened(text, Form::Plain)
}

/// Evens a text out for patterns: Unicode forms, quotes, runs of white space and what shows nothing; not case and
/// numbers. White space with a line's end in it is a line's end.
#[must_use]
pub fn for_patterns(text: &str) -> Normal {
    evened(text, Form::Cased)
}

fn evened(text: &str, form: Form) -> Normal {
    let mut normal = Normal { text: String::with_capacity(text.len()), starts: Vec::with_capacity(text.len() + 1) };
    let bytes = text.as_bytes();
    // Whether nothing but blanks stands between a line's end and here.
    let (mut at, mut wraps) = (0, false);
    while let Some(&byte) = bytes.get(at) {
        let from = index(at);
        let plain = byte.is_ascii() && bytes.get(at + 1).is_none_or(u8::is_ascii);
        if plain {
            let run = run(&bytes[at..]);
            if run > 0 {
                normal.same(&text[at..at + run], from, form);
                at += run;
                wraps = false;
                continue;
            }
            match byte {
                b' ' | b'\t' | b'\n' | b'\r' | 0x0B | 0x0C => {
                    let end = at + bytes[at..].iter().take_while(|byte| byte.is_ascii_whitespace()).count().max(1);
                    let ends = bytes[at..end].contains(&b'\n');
                    normal.blank(from, ends, form);
                    wraps |= ends;
                    at = end;
                    continue;
                }
                0x1B => {
                    at += colour(&bytes[at..]);
                    continue;
                }
                b'%' if form == Form::Plain => normal.percent(from),
                _ => normal.push(byte as char, from),
            }
            at += 1;
            wraps = false;
            continue;
        }
        let end = at + cluster(&text[at..]);
        match text[at..end].chars().next() {
            Some(sign) if sign.is_whitespace() => wraps |= is_line_end(sign),
            first => {
                if form == Form::Plain && wraps && first.is_some_and(is_wide) {
                    normal.join();
                }
                wraps = false;
            }
        }
        for sign in text[at..end].nfkc() {
            even(&mut normal, sign, from, bytes.get(end).copied(), form);
        }
        at = end;
    }
    normal.starts.push(index(text.len()));
    normal
}

fn index(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}

/// Bytes that are looked at together.
const LANE: usize = 16;

/// Whether a lane of bytes stays as it is, `next` being those one behind each: letters, digits and signs of ASCII, with
/// single blanks between them. Without branches, so that all are looked at in one go.
fn stays(lane: &[u8; LANE], next: &[u8; LANE]) -> bool {
    let same = |byte: u8| (byte > b' ') & (byte < 0x7F) & (byte != b'%');
    lane.iter().zip(next).fold(true, |all, (byte, next)| all & (same(*byte) | ((*byte == b' ') & same(*next))))
}

/// Bytes that stay each as it is, but for its case: letters, digits and signs of ASCII, with single blanks between them.
fn run(bytes: &[u8]) -> usize {
    let is_same =
        |byte: u8| byte.is_ascii() && byte > b' ' && byte != b'%' || matches!(byte, 1..=8 | 14..=26 | 28..=31);
    let mut end = 0;
    if bytes.first().is_some_and(|first| *first != b' ') {
        let behind = bytes.get(1..).unwrap_or_default();
        for (lane, next) in bytes.as_chunks::<LANE>().0.iter().zip(behind.as_chunks::<LANE>().0) {
            if !stays(lane, next) {
                break;
            }
            end += LANE;
        }
    }
    while let Some(&byte) = bytes.get(end) {
        let is_single = byte == b' ' && end > 0 && bytes.get(end + 1).is_some_and(|next| is_same(*next));
        if !is_same(byte) && !is_single {
            break;
        }
        end += 1;
    }
    // Marks behind the last one may belong to it.
    match bytes.get(end) {
        Some(next) if !next.is_ascii() => end.saturating_sub(1),
        _ => end,
    }
}

/// Bytes of a sign with the marks that belong to it.
fn cluster(text: &str) -> usize {
    let mut signs = text.char_indices();
    signs.next();
    let joins = |sign: char| {
        canonical_combining_class(sign) != 0 || matches!(sign, '\u{1160}'..='\u{11FF}' | '\u{FF9E}' | '\u{FF9F}')
    };
    signs.find(|(_, sign)| !joins(*sign)).map_or(text.len(), |(at, _)| at)
}

/// Bytes of a terminal's control sequence; they show nothing.
fn colour(bytes: &[u8]) -> usize {
    if bytes.get(1) != Some(&b'[') {
        return 1;
    }
    let parameters = bytes.iter().skip(2).take(64).take_while(|byte| (0x20..0x40).contains(*byte)).count();
    match bytes.get(2 + parameters) {
        Some(0x40..=0x7E) => 3 + parameters,
        _ => 1,
    }
}

fn even(normal: &mut Normal, sign: char, from: u32, next: Option<u8>, form: Form) {
    let plain = form == Form::Plain;
    let digit_before = plain && normal.text.as_bytes().last().is_some_and(u8::is_ascii_digit);
    match sign {
        // A narrow blank inside a number groups its digits.
        '\u{A0}' | '\u{2009}' | '\u{202F}' | ' ' if digit_before && next.is_some_and(|byte| byte.is_ascii_digit()) => {
            normal.push(GROUP, from);
        }
        '\u{AD}' | '\u{200B}'..='\u{200F}' | '\u{2060}' | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}' => {}
        '‘' | '’' | '‚' | '‛' => normal.push('\'', from),
        '“' | '”' | '„' | '‟' => normal.push('"', from),
        '‐' | '‑' | '‒' | '–' | '—' | '−' => normal.push('-', from),
        'ς' if plain => normal.push('σ', from),
        // Capitals and small letters of Turkish are those of the same word.
        'İ' if plain => normal.push('i', from),
        '\u{307}' if plain && normal.text.ends_with('i') => {}
        '٫' if digit_before => normal.push('.', from),
        '٬' if digit_before => normal.push(',', from),
        'ß' if plain => {
            normal.push('s', from);
            normal.push('s', from);
        }
        blank if blank.is_whitespace() => normal.blank(from, is_line_end(blank), form),
        other if digit(other).is_some() => digit(other).into_iter().for_each(|digit| normal.push(digit, from)),
        other if plain => other.to_lowercase().for_each(|sign| normal.push(sign, from)),
        other => normal.push(other, from),
    }
}

/// The digit of ASCII for one of another script: Arabic, Persian, Hindi, Bengali, Thai.
fn digit(sign: char) -> Option<char> {
    let zero = ['\u{660}', '\u{6F0}', '\u{966}', '\u{9E6}', '\u{E50}'].into_iter().rfind(|zero| *zero <= sign)?;
    char::from_digit(u32::from(sign) - u32::from(zero), 10)
}

fn is_line_end(sign: char) -> bool {
    matches!(sign, '\n' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// Signs of scripts without blanks between words, and the marks between their sentences.
fn is_wide(sign: char) -> bool {
    is_cjk(sign) || matches!(sign, '\u{3001}'..='\u{3011}' | '\u{ff01}'..='\u{ff1f}')
}

/// Stands for a narrow blank between digits until they are joined.
pub(super) const GROUP: char = '_';

/// Undoes one layer of backslash escapes, as JSON and most languages write them; per byte where it came from. `None`
/// where there are none.
#[must_use]
pub fn unescape(text: &str) -> Option<(String, Vec<u32>)> {
    memchr::memchr(b'\\', text.as_bytes())?;
    let (mut out, mut starts) = (String::with_capacity(text.len()), Vec::with_capacity(text.len() + 1));
    let bytes = text.as_bytes();
    let (mut at, mut changed) = (0, false);
    while at < text.len() {
        if bytes[at] != b'\\' {
            let end = at + memchr::memchr(b'\\', &bytes[at..]).unwrap_or(text.len() - at);
            out.push_str(&text[at..end]);
            starts.extend((at..end).map(index));
            at = end;
            continue;
        }
        let (sign, size) = match bytes.get(at + 1) {
            Some(b'n') => ('\n', 2),
            Some(b't') => ('\t', 2),
            Some(b'r') => ('\r', 2),
            Some(byte @ (b'"' | b'\'' | b'\\' | b'/')) => (*byte as char, 2),
            Some(b'u') => code(text, at).unwrap_or(('\\', 1)),
            _ => ('\\', 1),
        };
        changed |= size > 1;
        out.push(sign);
        starts.resize(out.len(), index(at));
        at += size;
    }
    starts.push(index(text.len()));
    changed.then_some((out, starts))
}

/// The sign that a `\u` escape stands for, and the escape's length.
fn code(text: &str, at: usize) -> Option<(char, usize)> {
    let four = |at: usize| {
        let digits = text.get(at..at + 4).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()))?;
        u32::from_str_radix(digits, 16).ok()
    };
    let high = four(at + 2)?;
    if (0xD800..0xDC00).contains(&high) {
        let low = text.get(at + 6..at + 8).filter(|mark| *mark == "\\u").and_then(|_| four(at + 8))?;
        let joined = 0x1_0000 + ((high - 0xD800) << 10) + low.checked_sub(0xDC00).filter(|low| *low < 0x400)?;
        return Some((char::from_u32(joined)?, 12));
    }
    Some((char::from_u32(high)?, 6))
}

/// What [`unescape`] gave, evened out; its origins are those of the text that was unescaped.
#[must_use]
pub fn through(normal: Normal, starts: &[u32]) -> Normal {
    let back = |at: u32| starts.get(at as usize).or(starts.last()).copied().unwrap_or(at);
    Normal { starts: normal.starts.into_iter().map(back).collect(), text: normal.text }
}

#[cfg(test)]
mod tests {
    use super::super::number::joined;
    use super::*;
    use proptest::prelude::*;

    fn even(text: &str) -> String {
        let normal = normalise(text);
        joined(&normal).unwrap_or(normal).text
    }

    #[test]
    fn forms_of_the_same_words_become_equal() {
        for (one, other) in [
            ("Payment\n\t  Gateway", "payment gateway"),
            ("１２３４ ﬁle", "1234 file"),
            ("Gro\u{308}ße", "GRÖSSE"),
            ("1,000,000 rows", "1000000 rows"),
            ("1'000", "1_000"),
            ("1\u{202F}000", "1000"),
            ("“half-up” – it’s", "\"half-up\" - it's"),
            ("key-\n    77413", "key-77413"),
            ("zero\u{200B}width soft\u{AD}hyphen", "zerowidth softhyphen"),
            ("\u{26a0}\u{fe0f} do not deploy", "\u{26a0} do not deploy"),
            ("\u{4e0a}\u{6d77}\u{7684}\n  \u{751f}\u{4ea7}", "\u{4e0a}\u{6d77}\u{7684}\u{751f}\u{4ea7}"),
            ("\u{4e0a}\u{6d77}\n\u{3000}\u{751f}", "\u{4e0a}\u{6d77}\u{751f}"),
            ("\u{1b}[1;31merror\u{1b}[0m: x", "error: x"),
            ("\u{661}\u{662}\u{663} \u{6f4}\u{967}", "123 41"),
            ("\u{663}\u{66b}\u{665}", "3.5"),
            ("\u{130}stanbul, i\u{307}stanbul", "istanbul, Istanbul"),
            ("a weight of .5, (.25)", "a weight of 0.5, (0.25)"),
        ] {
            assert_eq!(even(one), even(other), "{one:?}");
        }
        for text in ["1,000,00", "12345,678", "a - b", "1, 000", "\u{4e0a} \u{6d77} a", "v.5 x..5 .5.2 a .7z 1/.5"] {
            assert_eq!(even(text), text);
        }
    }

    #[test]
    fn ranges_lead_back() {
        let text = "The  limit is\n 1,000 Größe.";
        let normal = normalise(text);
        let plain = joined(&normal).unwrap();
        let at = plain.text.find("is 1000").unwrap();
        let (from, to) = plain.origin(at, at + 7);
        assert_eq!(&text[from as usize..to as usize], "is\n 1,000");
        let at = plain.text.find("grösse").unwrap();
        let (from, to) = plain.origin(at, at + "grösse".len());
        assert_eq!(&text[from as usize..to as usize], "Größe");
    }

    #[test]
    fn for_patterns_case_numbers_and_lines_stay() {
        for (text, even) in [
            ("The  KEY\tis\n  QN-12", "The KEY is\nQN-12"),
            ("Jose\u{301} ﬁle Größe", "José file Größe"),
            ("1,000 and 50 %", "1,000 and 50 %"),
            ("QN-\n   77 “x”", "QN-77 \"x\""),
        ] {
            assert_eq!(for_patterns(text).text, even);
        }
    }

    #[test]
    fn escapes_are_undone_layer_by_layer() {
        let (once, starts) = unescape(r#"{\"a\": \"x\\ny \u00e4\"}"#).unwrap();
        assert_eq!(once, r#"{"a": "x\ny ä"}"#);
        assert_eq!(starts.len(), once.len() + 1);
        assert_eq!(unescape(&once).unwrap().0, "{\"a\": \"x\ny ä\"}");
        assert!(unescape("no escapes").is_none());
        assert!(unescape(r"a \d").is_none());
    }

    proptest! {
        #[test]
        fn what_stands_together_is_read_as_its_signs_one_by_one(text in "(?:[ -$&-~]|\u{e9}|[a-z]\u{301}){0,60}") {
            let (mut told, mut starts): (String, Vec<u32>) = (String::new(), Vec::new());
            let signs: Vec<(usize, char)> = text.char_indices().collect();
            let mut signs = signs.chunk_by(|_, (_, next)| *next == '\u{301}');
            while let Some([(at, first), marks @ ..]) = signs.next() {
                if *first == ' ' && told.ends_with(' ') {
                    continue;
                }
                let whole: String = std::iter::once(first).chain(marks.iter().map(|(_, mark)| mark)).collect();
                told.extend(whole.nfkc().flat_map(char::to_lowercase));
                starts.resize(told.len(), index(*at));
            }
            starts.push(index(text.len()));
            let normal = normalise(&text);
            prop_assert_eq!(normal.text, told);
            prop_assert_eq!(normal.starts, starts);
        }

        #[test]
        fn every_byte_has_an_origin_in_order(text in any::<String>()) {
            let normal = normalise(&text);
            prop_assert_eq!(normal.starts.len(), normal.text.len() + 1);
            prop_assert!(normal.starts.windows(2).all(|pair| pair[0] <= pair[1]));
            if let Some((once, starts)) = unescape(&text) {
                prop_assert_eq!(starts.len(), once.len() + 1);
            }
            if let Some(plain) = joined(&normal) {
                prop_assert_eq!(plain.starts.len(), plain.text.len() + 1);
            }
        }
    }
}
