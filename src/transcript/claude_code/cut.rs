//! How Claude Code cuts what a tool answered, told by the words that it leaves.

use std::borrow::Cow;

use memchr::memmem;

use crate::content::decode_json_string;
use crate::model::{Cut, CutShape};

/// Where the words of a cut are looked for, from the beginning of a text.
const HEAD: usize = 4 << 10;
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
    Some(Cut { shape: CutShape::Pointer, original_chars: size, original_tokens: None, rest, copy_ends_early: false })
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
    Some(Cut { shape: CutShape::Middle, original_chars, original_tokens: None, rest: None, copy_ends_early: false })
}

/// The note of a server's answer that was over the limit (25,000 tokens unless set otherwise).
fn limited(stored: &[u8]) -> Option<Cut> {
    memmem::find(stored, b"[OUTPUT TRUNCATED - exceeded ")?;
    Some(Cut { shape: CutShape::Head, original_chars: None, original_tokens: None, rest: None, copy_ends_early: false })
}

/// Whether a copy, as stored, holds more than what was sent: one that is cut in the same way does not, however long it
/// is. One of what went to a file may end early, and still holds more than the preview.
pub(super) fn holds_more(copy: &[u8], told: &Cut) -> bool {
    cut(copy, || 0).is_none_or(|own| own.shape != told.shape)
}

/// Whether a copy of what went to a file ends before that does. `exact` is whether its size is stated to the byte.
pub(super) fn ends_early(copy: &[u8], told: &Cut, exact: bool) -> bool {
    let Some(size) = told.original_chars.filter(|_| told.shape == CutShape::Pointer) else { return false };
    let less = if exact { TRIMMED } else { TRIMMED + unit(size) };
    (decode_json_string(copy).len() as u64).saturating_add(less) < size
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
    fn a_copy_holds_more_where_it_is_not_cut_in_the_same_way() {
        let told = |sent: &str| cut(sent.as_bytes(), || sent.chars().count() as u64).unwrap();
        let sent = r"head\n\n... [500 characters truncated] ...\n\ntail";
        let more = |copy: &str| holds_more(copy.as_bytes(), &told(sent));
        assert!(more(&"x".repeat(508)));
        assert!(!more(&format!("Error: {sent}")) && !more(&format!("{sent}{}", "x".repeat(600))), "cut itself");
        let lines = told(r"head\n... [12 lines truncated] ...\ntail");
        assert!(holds_more(b"all of it", &lines) && !holds_more(br"Error: a\n... [12 lines truncated] ...", &lines));
        let saved = told(r"<persisted-output>\nOutput too large (33.8KB). Full output saved to: /p/b1.txt\n\nx");
        let copy = "x".repeat(34_560);
        assert!(holds_more(&copy.as_bytes()[..30_000], &saved), "its beginning");
        assert!(!ends_early(copy.as_bytes(), &saved, false) && ends_early(&copy.as_bytes()[..30_000], &saved, false));
        let stated = Cut { original_chars: Some(34_594), ..saved };
        assert!(!ends_early(copy.as_bytes(), &stated, true) && ends_early(&copy.as_bytes()[..34_500], &stated, true));
        assert!(!ends_early(b"short", &lines, false), "no file");
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
