//! UTF-8 that is damaged in a few places, and where that is.

/// Of the characters beyond ASCII, one in so many may be damaged. In texts of other encodings at most half of them look
/// like UTF-8 by chance.
const DAMAGED_ONE_IN: usize = 8;
/// Characters beyond ASCII that tell UTF-8.
const VALID_MIN: usize = 4;

/// Whether bytes are UTF-8 but for a few. `begins`: whether the text does so with them, `ended`: whether it ends with
/// them; where it does neither, a character may be cut there.
pub fn is_damaged_utf8(bytes: &[u8], begins: bool, ended: bool) -> bool {
    let (mut valid, mut odd, mut at) = (0, 0, 0);
    for chunk in bytes.utf8_chunks() {
        valid += chunk.valid().bytes().filter(|byte| *byte >= 0xC0).count();
        let from = at + chunk.valid().len();
        at = from + chunk.invalid().len();
        // What was cut out of a longer text begins within a character.
        let is_rest = begins && from < 3 && bytes[..at].iter().all(|byte| matches!(byte, 0x80..=0xBF));
        let is_cut = at == bytes.len() && !ended;
        odd += usize::from(!chunk.invalid().is_empty() && !is_rest && !is_cut);
    }
    valid >= VALID_MIN && odd * DAMAGED_ONE_IN <= valid
}

/// The line of a text up to which nothing was replaced.
#[derive(Default)]
pub struct Line {
    feeds: u64,
    /// Where no line feed has come yet, old breaks may end the lines.
    returns: u64,
    found: bool,
}

impl Line {
    /// Takes in more of the text; where something was replaced in it, up to that.
    pub fn pass(&mut self, text: &str, replaced: bool) {
        if self.found {
            return;
        }
        self.found = replaced;
        let end = if replaced { text.find(char::REPLACEMENT_CHARACTER) } else { None };
        let bytes = text.as_bytes().get(..end.unwrap_or(text.len())).unwrap_or_default();
        self.feeds += memchr::memchr_iter(b'\n', bytes).count() as u64;
        if self.feeds == 0 {
            self.returns += memchr::memchr_iter(b'\r', bytes).count() as u64;
        }
    }

    /// Its number, from 1; 0 where nothing was replaced.
    pub fn number(&self) -> u64 {
        match (self.found, self.feeds) {
            (false, _) => 0,
            (true, 0) => self.returns + 1,
            (true, feeds) => feeds + 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_odd_bytes_leave_a_text_utf8() {
        let words = "größer – schön, für Köln ".repeat(4);
        let with = |before: &[u8], after: &[u8]| [before, words.as_bytes(), after].concat();
        for (bytes, begins, ended) in [
            (with(b"", b""), false, true),
            (with(b"\xE9", b""), false, true),
            (with(b"\xB6\xC3\x9F", b"\xFF\xFF"), true, true),
            (with(b"", b"\xE2\x80"), false, false),
            (b"\xB6\xC3\x9Fe \xC3\xBCber \xC3\xA4 \xC3\xB6".to_vec(), true, true),
        ] {
            assert!(is_damaged_utf8(&bytes, begins, ended), "{bytes:?}");
        }
        for bytes in
            [&b""[..], b"\xFF", b"\xB6\xC3\x9F", &with(b"\xE9\xE8\xE0\xF4", b"")[..40], b"Spa\xDF\x93 \x84Spa\xDF\x93"]
        {
            assert!(!is_damaged_utf8(bytes, true, true), "{bytes:?}");
        }
    }

    #[test]
    fn the_line_of_the_first_damage_is_told() {
        let line = |texts: &[(&str, bool)]| {
            let mut line = Line::default();
            texts.iter().for_each(|(text, replaced)| line.pass(text, *replaced));
            line.number()
        };
        assert_eq!(line(&[("a\nb\n", false)]), 0);
        assert_eq!(line(&[("a\nb\n", false), ("c\n\u{FFFD}\n", true), ("\n\u{FFFD}", true)]), 4);
        assert_eq!(line(&[("a\rb\r\u{FFFD}", true)]), 3);
        assert_eq!(line(&[("a\r\nb\r\n\u{FFFD}", true)]), 3);
    }
}
