//! Digits that are no number of what was said: the number of a line, which tools put before each line that they show, and
//! digits of a hash or of a UUID.

use super::line_of::found_in;
use super::lines::number;

/// Blanks before the number of a line at most.
const BLANKS: usize = 12;
/// Bytes of a line before its number, with the file's name.
const PATH: usize = 200;
/// Bytes of a hash on either side of its digits that are looked at.
const HASH: usize = 128;
/// Signs of a hash at least: git shows seven of them.
const SHORTEST: usize = 7;
/// Where the hyphens of a UUID stand, and its length.
const HYPHENS: [usize; 4] = [8, 13, 18, 23];
const UUID: usize = 36;
/// Words for a code that stands behind them, and signs between them and it at most.
const CODES: &[&str] = &["checksum", "commit", "digest", "hash", "id", "revision", "sha"];
const BETWEEN: usize = 12;

/// Where the number ends that a tool put before a line, by the lines around it: they count on, or it is drawn to the right
/// before an arrow. `None` where the line has none.
pub(super) fn number_of_line(before: Option<&str>, line: &str, next: Option<&str>) -> Option<usize> {
    let of = |line: &str| number(line, true).filter(|(_, end)| line.get(..*end).is_some_and(is_of_listing));
    let (own, end) = of(line)?;
    let is = |line: Option<&str>, wanted: Option<u64>| {
        wanted.is_some_and(|wanted| line.and_then(of).is_some_and(|(number, _)| number == wanted))
    };
    let is_drawn = line.starts_with(' ') && line.get(..end).is_some_and(|before| before.ends_with('\u{2192}'));
    (is_drawn || is(before, own.checked_sub(1)) || is(next, own.checked_add(1))).then_some(end)
}

/// Whether that is what stands before the lines of a file, and not the first cell of a table's row.
fn is_of_listing(before: &str) -> bool {
    before.ends_with(['\u{2192}', '\t'])
}

/// Whether a place in a text is the number of its line.
pub(super) fn numbers_line(text: &str, (from, to): (u32, u32)) -> bool {
    let Some(ahead) = text.get(..from as usize) else { return false };
    if ahead.ends_with([':', '-']) {
        let start = ahead.len() - ahead.bytes().rev().take(PATH).take_while(|byte| *byte != b'\n').count();
        let line = text.get(start..).and_then(|rest| rest.split('\n').next()).unwrap_or_default();
        let found = if start == 0 || ahead.as_bytes().get(start - 1) == Some(&b'\n') { found_in(line) } else { None };
        return found
            .is_some_and(|(path, end)| start + path.len() + 1 == from as usize && start + end == to as usize + 1);
    }
    // Most numbers stand within their lines: of those no line is read.
    let start = ahead.len() - ahead.bytes().rev().take(BLANKS).take_while(|byte| *byte == b' ').count();
    let Some((ahead, rest)) =
        text.split_at_checked(start).filter(|(ahead, _)| ahead.is_empty() || ahead.ends_with('\n'))
    else {
        return false;
    };
    let before = ahead.strip_suffix('\n').and_then(|ahead| ahead.rsplit('\n').next());
    let mut lines = rest.split('\n');
    let (line, next) = (lines.next().unwrap_or_default(), lines.next());
    number_of_line(before, line, next).is_some_and(|end| to as usize <= start + end)
}

/// Whether a place in a text is a part of a hash, of a UUID or of another code in digits and letters from a to f.
pub(super) fn is_in_hash(text: &str, place: (u32, u32)) -> bool {
    code_around(text, place).is_some()
}

/// Where the code stands that a place is a part of, as in [`is_in_hash`].
pub(super) fn code_around(text: &str, place: (u32, u32)) -> Option<(usize, usize)> {
    let (from, to) = (place.0 as usize, place.1 as usize);
    let (ahead, behind) = (text.as_bytes().get(..from)?, text.as_bytes().get(to..)?);
    let joins = |byte: &&u8| byte.is_ascii_alphanumeric();
    let start = from - ahead.iter().rev().take(HASH).take_while(joins).count();
    let end = to + behind.iter().take(HASH).take_while(joins).count();
    let (before, signs) = text.as_bytes().split_at_checked(start)?;
    let signs = signs.get(..end - start)?;
    (is_hash(signs) || is_short_code(before, signs)).then_some((start, end)).or_else(|| uuid_around(text, place))
}

/// Where the UUID stands that a place is a part of.
pub(super) fn uuid_around(text: &str, (from, to): (u32, u32)) -> Option<(usize, usize)> {
    let (bytes, from, to) = (text.as_bytes(), from as usize, to as usize);
    let fits = |byte: &u8| byte.is_ascii_hexdigit() || *byte == b'-';
    if to - from >= UUID || !bytes.get(from..to)?.iter().all(fits) {
        return None;
    }
    let ahead = bytes.get(..from)?.iter().rev().take(UUID).take_while(|byte| fits(byte)).count();
    let joins = |at: Option<usize>| at.and_then(|at| bytes.get(at)).is_some_and(u8::is_ascii_alphanumeric);
    let is_one = |start: &usize| {
        let end = start + UUID;
        to <= end && bytes.get(*start..end).is_some_and(is_uuid) && !joins(start.checked_sub(1)) && !joins(Some(end))
    };
    (from - ahead..=from).find(is_one).map(|start| (start, start + UUID))
}

/// Whether signs are a hash: in letters of one case, so that `28Dec2026` is none.
fn is_hash(signs: &[u8]) -> bool {
    signs.len() >= SHORTEST && is_mixed(signs)
}

/// Whether signs are digits and letters from a to f, those in one case.
fn is_mixed(signs: &[u8]) -> bool {
    let has = |case: fn(&u8) -> bool| signs.iter().any(case);
    signs.iter().all(u8::is_ascii_hexdigit) && has(u8::is_ascii_lowercase) != has(u8::is_ascii_uppercase)
}

/// Whether signs are a code, although they are fewer than a hash has: with digits on both sides of letters, as no number
/// with a unit or a prefix has them; or behind a word for a code. `before`: what stands before them.
fn is_short_code(before: &[u8], signs: &[u8]) -> bool {
    if signs.len() + 1 != SHORTEST || !is_mixed(signs) {
        return false;
    }
    let is_digit = |sign: Option<&u8>| sign.is_some_and(u8::is_ascii_digit);
    let has_letters_within = is_digit(signs.first()) && is_digit(signs.last());
    let letters = || signs.iter().filter(|sign| sign.is_ascii_alphabetic());
    // 12e100 is a number; an exponent of more digits is none.
    let exponent = || signs.iter().rev().take_while(|sign| sign.is_ascii_digit()).count();
    let is_power = || letters().count() == 1 && letters().all(|sign| matches!(sign, b'e' | b'E')) && exponent() <= 3;
    (has_letters_within && !is_power()) || is_called_code(before)
}

/// Whether what stands before signs says that they are a code: `id: `, `"sha":"`, `#`.
fn is_called_code(before: &[u8]) -> bool {
    let marks = |byte: &&u8| matches!(byte, b' ' | b':' | b'=' | b'"' | b'\'' | b'`' | b'\\');
    let rest = before.get(..before.len() - before.iter().rev().take(BETWEEN).take_while(marks).count());
    let rest = rest.unwrap_or_default();
    let word = rest.iter().rev().take(BETWEEN).take_while(|byte| byte.is_ascii_alphabetic()).count();
    let word = rest.get(rest.len() - word..).unwrap_or_default();
    before.ends_with(b"#") || CODES.iter().any(|name| name.as_bytes().eq_ignore_ascii_case(word))
}

fn is_uuid(signs: &[u8]) -> bool {
    let fits = |(at, byte): (usize, &u8)| if HYPHENS.contains(&at) { *byte == b'-' } else { byte.is_ascii_hexdigit() };
    signs.len() == UUID && signs.iter().enumerate().all(fits)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(text: &str, digits: &str) -> Vec<(u32, u32)> {
        let at = |number: usize| u32::try_from(number).unwrap();
        text.match_indices(digits).map(|(from, _)| (at(from), at(from + digits.len()))).collect()
    }

    #[test]
    fn what_a_tool_puts_before_a_line_is_its_number() {
        for (text, numbers) in [
            ("   141\u{2192}let a;\n   142\u{2192}let b;\n   143\u{2192}let c;", true),
            ("   142\u{2192}let b;", true),
            ("141\tlet a;\n142\tlet b;", true),
            ("142\tlet b;\n143\tlet c;\n", true),
            ("142\u{2192}150", false),
            ("142\tlet b;", false),
            ("141 | Ann\n142 | Ben", false),
            ("141:a\n142:b", false),
            ("   141\u{2192}limit = 142;\n   150\u{2192}x", false),
            ("142 rows\n143 rows", false),
        ] {
            assert!(places(text, "142").into_iter().all(|place| numbers_line(text, place) == numbers), "{text:?}");
        }
    }

    #[test]
    fn digits_of_a_hash_are_no_number() {
        for text in ["d2320fab91", "2320abf", "ab92320", "F2320AB", "5f3c2c1e-2320-4000-8000-0000000000ab"] {
            assert!(is_in_hash(text, places(text, "2320")[0]), "{text}");
        }
        for text in ["2320", "12320", "v2320", "28Dec2320", "2320px", "a2320f", "job-2320-abc", "0x2320abcd"] {
            assert!(!is_in_hash(text, places(text, "2320")[0]), "{text}");
        }
    }

    #[test]
    fn digits_of_a_short_code_are_no_number() {
        for text in ["Chunk ID: 4c2320", "4c2320", "2320b1", "9E2320", "\"id\": \"ab2320\"", "sha=2320fe", "#2320ff"] {
            assert!(is_in_hash(text, places(text, "2320")[0]), "{text}");
        }
        for text in
            ["a bid of 2320", "2320ms", "v2320", "$2320", "2320x", "2320MB", "h2320", "ab2320", "2320fe", "23201a"]
        {
            assert!(!is_in_hash(text, places(text, "2320")[0]), "{text}");
        }
        for (text, digits) in
            [("12e100", "12"), ("123e45", "45"), ("1920x1080", "1080"), ("3d10", "10"), ("5m30s1", "30")]
        {
            assert!(!is_in_hash(text, places(text, digits)[0]), "{text}");
        }
    }

    #[test]
    fn a_group_of_a_uuid_is_a_part_of_it() {
        let uuid = "00893aaf-19fa-41d2-8238-13269b9b3ca0";
        for (text, part) in
            [(uuid.to_owned(), "8238"), (format!("log-{uuid}.jsonl"), "41d2"), (format!("f-{uuid}"), "-8238")]
        {
            let (from, to) = uuid_around(&text, places(&text, part)[0]).unwrap();
            assert_eq!(&text[from..to], uuid, "{text}");
        }
        for text in [format!("{uuid}0"), format!("a{uuid}"), uuid.replace("19fa", "19f"), uuid.replace("41d2", "41x2")]
        {
            assert_eq!(uuid_around(&text, places(&text, "8238")[0]), None, "{text}");
        }
        assert_eq!(uuid_around(uuid, places(uuid, uuid)[0]), None, "it is no part of itself");
    }
}
