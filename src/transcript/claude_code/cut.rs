//! How Claude Code cuts what a tool answered, told by the words that it leaves.

use std::borrow::Cow;

use memchr::memmem;

use crate::content::{count_chars, decode_json_string};
use crate::model::{Coding, Cut, CutShape};

/// Where the words of a cut are looked for, from the beginning of a text.
const HEAD: usize = 4 << 10;
/// Characters of the words of a cut at most, which stand in what was sent and in nothing else.
const MARKER: u64 = 64;
/// Bytes of white space that may be missing at the ends of a copy.
const TRIMMED: u64 = 64;

/// How a result was cut, from its text as stored (JSON escapes not undone). `chars` counts what was sent.
pub(super) fn cut(stored: &[u8], chars: impl FnOnce() -> u64) -> Option<Cut> {
    persisted(stored).or_else(|| middle(stored, chars)).or_else(|| limited(stored))
}

/// `<persisted-output>`: the whole went to a file, a preview was sent.
fn persisted(stored: &[u8]) -> Option<Cut> {
    if !stored.starts_with(b"<persisted-output>") {
        return None;
    }
    let head = decode_json_string(stored.get(..HEAD).unwrap_or(stored));
    let size = after(&head, "Output too large (").and_then(|rest| rest.split(')').next()).and_then(bytes);
    let rest = after(&head, "saved to: ").and_then(|rest| rest.lines().next()).map(str::trim).map(Box::from);
    Some(Cut { shape: CutShape::Pointer, original_chars: size, original_tokens: None, rest })
}

/// `... [2937 characters truncated] ...`, also with lines.
fn middle(stored: &[u8], chars: impl FnOnce() -> u64) -> Option<Cut> {
    let end = memmem::find(stored, b" truncated] ...")?;
    let begin = end.checked_sub(40).map_or(0, |at| at);
    let note: Cow<'_, str> = String::from_utf8_lossy(stored.get(begin..end)?);
    let (_, note) = note.rsplit_once("... [")?;
    let (number, unit) = note.split_once(' ')?;
    let number: u64 = number.replace(',', "").parse().ok()?;
    let original_chars = match unit {
        "characters" | "chars" => Some(chars().saturating_add(number)),
        "lines" | "line" => None,
        _ => return None,
    };
    Some(Cut { shape: CutShape::Middle, original_chars, original_tokens: None, rest: None })
}

/// The note of a server's answer that was over the limit (25,000 tokens unless set otherwise).
fn limited(stored: &[u8]) -> Option<Cut> {
    memmem::find(stored, b"[OUTPUT TRUNCATED - exceeded ")?;
    Some(Cut { shape: CutShape::Head, original_chars: None, original_tokens: None, rest: None })
}

/// Whether a copy can be all of what was cut: none that is cut in the same way itself, and none that is shorter than the
/// words of the cut say. Both are as stored; `exact` is whether its size is stated to the byte.
pub(super) fn is_whole(copy: &[u8], told: &Cut, exact: bool) -> bool {
    if cut(copy, || 0).is_some_and(|own| own.shape == told.shape) {
        return false;
    }
    let Some(size) = told.original_chars else { return true };
    let (there, less) = match told.shape {
        CutShape::Pointer => {
            (decode_json_string(copy).len() as u64, if exact { TRIMMED } else { TRIMMED + unit(size) })
        }
        CutShape::Head | CutShape::Tail | CutShape::Middle => (count_chars(copy, Coding::Json), MARKER),
    };
    there.saturating_add(less) >= size
}

/// What a size is rounded to where it is told in words: a tenth of its unit.
fn unit(size: u64) -> u64 {
    let units = [1u64 << 30, 1 << 20, 1 << 10];
    units.into_iter().find(|unit| size >= *unit).map_or(0, |unit| unit.div_ceil(10))
}

fn after<'a>(text: &'a str, mark: &str) -> Option<&'a str> {
    text.split_once(mark).map(|(_, rest)| rest)
}

/// `33.8KB` in bytes.
fn bytes(size: &str) -> Option<u64> {
    let size = size.trim();
    let digits = size.trim_end_matches(|sign: char| sign.is_ascii_alphabetic() || sign == ' ');
    let factor = match size.get(digits.len()..)?.trim().to_ascii_uppercase().as_str() {
        "" | "B" | "BYTES" => 1.0,
        "K" | "KB" | "KIB" => 1024.0,
        "M" | "MB" | "MIB" => 1024.0 * 1024.0,
        "G" | "GB" | "GIB" => 1024.0 * 1024.0 * 1024.0,
        "CHARS" | "CHARACTERS" => 1.0,
        _ => return None,
    };
    let number: f64 = digits.replace(',', "").parse().ok()?;
    (number.is_finite() && number >= 0.0).then_some((number * factor) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_persisted_output_points_to_the_whole() {
        let stored = br"<persisted-output>\nOutput too large (2.5KB). Full output saved to: /p/s/tool-results/b1.txt\n\nPreview (first 2KB):\nx\n</persisted-output>";
        let cut = cut(stored, || 100).unwrap();
        assert_eq!(cut.shape, CutShape::Pointer);
        assert_eq!((cut.original_chars, cut.rest.as_deref()), (Some(2560), Some("/p/s/tool-results/b1.txt")));
    }

    #[test]
    fn a_middle_that_is_gone_is_counted() {
        let cut_of = |stored: &str| cut(stored.as_bytes(), || 1_000);
        let gone = cut_of(r"head\n\n... [2937 characters truncated] ...\n\ntail").unwrap();
        assert_eq!((gone.shape, gone.original_chars), (CutShape::Middle, Some(3_937)));
        let lines = cut_of(r"head\n... [12 lines truncated] ...\ntail").unwrap();
        assert_eq!((lines.shape, lines.original_chars), (CutShape::Middle, None));
        assert_eq!(cut_of("nothing was truncated] ... here"), None);
        assert_eq!(
            cut_of("x [OUTPUT TRUNCATED - exceeded 25000 token limit]").map(|cut| cut.shape),
            Some(CutShape::Head)
        );
    }

    #[test]
    fn a_copy_is_the_whole_where_it_is_no_cut_and_not_shorter_than_the_cut_says() {
        let told = |sent: &str| cut(sent.as_bytes(), || sent.chars().count() as u64).unwrap();
        let sent = r"head\n\n... [500 characters truncated] ...\n\ntail";
        let whole = |copy: &str| is_whole(copy.as_bytes(), &told(sent), false);
        assert!(whole(&"x".repeat(508)) && whole(&"é".repeat(520)));
        assert!(!whole(&"x".repeat(300)), "half of it");
        assert!(!whole(&format!("Error: {sent}")) && !whole(&format!("{sent}{}", "x".repeat(600))), "cut itself");
        let lines = told(r"head\n... [12 lines truncated] ...\ntail");
        assert!(
            is_whole(b"all of it", &lines, false)
                && !is_whole(br"Error: a\n... [12 lines truncated] ...", &lines, false)
        );
        let saved = told(r"<persisted-output>\nOutput too large (33.8KB). Full output saved to: /p/b1.txt\n\nx");
        let copy = "x".repeat(34_560);
        assert!(is_whole(copy.as_bytes(), &saved, false) && !is_whole(&copy.as_bytes()[..30_000], &saved, false));
        let stated = Cut { original_chars: Some(34_594), ..saved };
        assert!(is_whole(copy.as_bytes(), &stated, true) && !is_whole(&copy.as_bytes()[..34_500], &stated, true));
    }

    #[test]
    fn sizes_are_read_in_their_units() {
        for (text, expected) in
            [("512 bytes", Some(512)), ("1.5MB", Some(1_572_864)), ("33.8KB", Some(34_611)), ("many", None)]
        {
            assert_eq!(bytes(text), expected, "{text}");
        }
    }
}
