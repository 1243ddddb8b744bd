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

/// Whether a place in a text is a part of a hash or of a UUID: digits and letters from a to f.
pub(super) fn is_in_hash(text: &str, (from, to): (u32, u32)) -> bool {
    let (from, to) = (from as usize, to as usize);
    let (Some(ahead), Some(behind)) = (text.as_bytes().get(..from), text.as_bytes().get(to..)) else { return false };
    let run = |joins: fn(&u8) -> bool| {
        let start = from - ahead.iter().rev().take(HASH).take_while(|byte| joins(byte)).count();
        let end = to + behind.iter().take(HASH).take_while(|byte| joins(byte)).count();
        text.as_bytes().get(start..end).unwrap_or_default()
    };
    is_hash(run(u8::is_ascii_alphanumeric)) || is_uuid(run(|byte| byte.is_ascii_alphanumeric() || *byte == b'-'))
}

/// Whether signs are a hash: in letters of one case, so that `28Dec2026` is none.
fn is_hash(signs: &[u8]) -> bool {
    let has = |case: fn(&u8) -> bool| signs.iter().any(case);
    signs.len() >= SHORTEST
        && signs.iter().all(u8::is_ascii_hexdigit)
        && has(u8::is_ascii_lowercase) != has(u8::is_ascii_uppercase)
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
}
