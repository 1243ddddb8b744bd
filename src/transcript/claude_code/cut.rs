//! How Claude Code cuts what a tool answered, told by the words that it leaves.

use std::borrow::Cow;

use memchr::memmem;

use crate::content::decode_json_string;
use crate::model::{Cut, CutShape};

/// Where the words of a cut are looked for, from the beginning of a text.
const HEAD: usize = 4 << 10;
/// Bytes of white space that may be missing at the ends of a copy.
const TRIMMED: u64 = 64;

/// In which of the ways that it has Claude Code cut a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// The whole went to a file.
    Persisted,
    /// A note says how much is gone.
    Noted,
    /// A note says which limit a server's answer was over.
    Limited,
}

/// How a result was cut, from its text as stored (JSON escapes not undone). `chars` counts what was sent.
pub(super) fn cut(stored: &[u8], chars: impl FnOnce() -> u64) -> Option<Cut> {
    told(stored, chars).map(|(_, cut)| cut)
}

fn told(stored: &[u8], chars: impl FnOnce() -> u64) -> Option<(Way, Cut)> {
    if let Some(cut) = persisted(stored) {
        return Some((Way::Persisted, cut));
    }
    match note(stored) {
        Some(note) => Some((Way::Noted, note.cut(chars))),
        None => limited(stored).map(|cut| (Way::Limited, cut)),
    }
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
struct Note {
    /// Where it begins in the text as stored.
    at: usize,
    /// Whether nothing stands behind it: the beginning of the text was kept.
    is_last: bool,
    /// The characters that are gone, where it counts those.
    chars: Option<u64>,
}

impl Note {
    fn cut(&self, shown: impl FnOnce() -> u64) -> Cut {
        Cut {
            shape: if self.is_last { CutShape::Head } else { CutShape::Middle },
            original_chars: self.chars.map(|gone| shown().saturating_add(gone)),
            original_tokens: None,
            rest: None,
            copy_ends_early: false,
        }
    }
}

/// The end of a note, and a line break as stored.
const NOTE_END: &[u8] = b" truncated] ...";
const BREAK: &[u8] = br"\n";

/// The note that tells of a cut: the one that a text ends in, on a line of its own, else its first.
fn note(stored: &[u8]) -> Option<Note> {
    let last = without_breaks(stored).strip_suffix(NOTE_END).and_then(|before| note_before(stored, before.len()));
    let last = last.filter(|(at, _)| stored.get(..*at).is_some_and(|before| before.ends_with(BREAK)));
    if let Some((at, chars)) = last {
        return Some(Note { at, is_last: true, chars });
    }
    let (at, chars) = note_before(stored, memmem::find(stored, NOTE_END)?)?;
    Some(Note { at, is_last: false, chars })
}

/// Where the note begins whose end stands at a place, and how many characters it says are gone.
fn note_before(stored: &[u8], end: usize) -> Option<(usize, Option<u64>)> {
    let begin = end.saturating_sub(40);
    let words = stored.get(begin..end)?;
    let at = memmem::rfind(words, b"... [")?;
    let words: Cow<'_, str> = String::from_utf8_lossy(words.get(at + 5..)?);
    let (number, unit) = words.split_once(' ')?;
    let number: u64 = number.replace(',', "").parse().ok()?;
    match unit {
        "characters" | "chars" => Some((begin + at, Some(number))),
        "lines" | "line" => Some((begin + at, None)),
        _ => None,
    }
}

/// A text as stored without the line breaks that it ends in.
fn without_breaks(mut stored: &[u8]) -> &[u8] {
    while let Some(before) = stored.strip_suffix(BREAK) {
        stored = before;
    }
    stored
}

/// How what the agent shows of a file was cut, by the note that it ends in: words inside are the file's own.
pub(super) fn ended(stored: &[u8], chars: impl FnOnce() -> u64) -> Option<Cut> {
    note(stored).filter(|note| note.is_last).map(|note| note.cut(chars))
}

/// Whether a copy shows that what was sent is a part of it: it begins with the same text and goes on where the note of
/// the cut stands. Then the note is the agent's, whatever words the text quotes.
pub(super) fn goes_on(copy: &[u8], sent: &[u8]) -> bool {
    let Some(head) = note(sent).and_then(|note| sent.get(..note.at)).map(without_breaks) else { return false };
    let Some(mut rest) = copy.strip_prefix(head).filter(|_| !head.is_empty()) else { return false };
    while let Some(behind) = rest.strip_prefix(BREAK) {
        rest = behind;
    }
    !rest.is_empty() && !rest.starts_with(b"... [")
}

/// The note of a server's answer that was over the limit (25,000 tokens unless set otherwise).
fn limited(stored: &[u8]) -> Option<Cut> {
    memmem::find(stored, b"[OUTPUT TRUNCATED - exceeded ")?;
    Some(Cut { shape: CutShape::Head, original_chars: None, original_tokens: None, rest: None, copy_ends_early: false })
}

/// Whether a copy, as stored, holds more than what was sent: one that is cut in the same way does not, however long it
/// is. One of what went to a file may end early, and still holds more than the preview.
pub(super) fn holds_more(copy: &[u8], sent: &[u8]) -> bool {
    let way = |stored| told(stored, || 0).map(|(way, _)| way);
    way(copy).is_none_or(|own| Some(own) != way(sent)) || goes_on(copy, sent)
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
    fn a_note_at_the_end_keeps_the_beginning() {
        let shape = |stored: &str| cut(stored.as_bytes(), || 100).map(|cut| (cut.shape, cut.original_chars));
        assert_eq!(shape(r"head\n\n... [6 lines truncated] ..."), Some((CutShape::Head, None)));
        assert_eq!(shape(r"head\n\n... [1,000 characters truncated] ...\n"), Some((CutShape::Head, Some(1_100))));
        assert_eq!(shape(r"a\n... [6 lines truncated] ...\nb"), Some((CutShape::Middle, None)));
        let of_file = |stored: &str| ended(stored.as_bytes(), || 100).is_some();
        assert!(of_file(r"1\thead\n\n... [6 lines truncated] ..."));
        assert!(!of_file(r"1\t... [6 lines truncated] ...\n2\tb") && !of_file(r"1\t... [6 lines truncated] ..."));
    }

    #[test]
    fn a_copy_that_goes_on_where_the_note_stands_was_cut() {
        let sent = br"head\n\n... [6 lines truncated] ...";
        assert!(goes_on(br"head and more", sent) && goes_on(br"head\nmore ... [6 lines truncated] ...", sent));
        for copy in [&br"head"[..], br"other and more", br"head\n... [6 lines truncated] ...\nmore", br"head\n\n"] {
            assert!(!goes_on(copy, sent), "{}", String::from_utf8_lossy(copy));
        }
        let inside = br"head ... [6 lines truncated] ... tail";
        assert!(goes_on(br"head and all that stood before the tail", inside) && !goes_on(inside, inside));
        let quoted = br"1: ... [2 lines truncated] ...\n2: head\n\n... [6 lines truncated] ...";
        assert!(holds_more(br"1: ... [2 lines truncated] ...\n2: head and more", quoted), "its own words");
    }

    #[test]
    fn a_copy_holds_more_where_it_is_not_cut_in_the_same_way() {
        let sent = r"head\n\n... [500 characters truncated] ...\n\ntail";
        let more = |copy: &str| holds_more(copy.as_bytes(), sent.as_bytes());
        assert!(more(&"x".repeat(508)));
        assert!(!more(&format!("Error: {sent}")) && !more(&format!("{sent}{}", "x".repeat(600))), "cut itself");
        let lines = br"head\n... [12 lines truncated] ...\ntail";
        assert!(holds_more(b"all of it", lines) && !holds_more(br"Error: a\n... [12 lines truncated] ...", lines));
        let sent = br"<persisted-output>\nOutput too large (33.8KB). Full output saved to: /p/b1.txt\n\nx";
        let (saved, copy) = (cut(sent, || 0).unwrap(), "x".repeat(34_560));
        assert!(holds_more(&copy.as_bytes()[..30_000], sent), "its beginning");
        assert!(!ends_early(copy.as_bytes(), &saved, false) && ends_early(&copy.as_bytes()[..30_000], &saved, false));
        let stated = Cut { original_chars: Some(34_594), ..saved };
        assert!(!ends_early(copy.as_bytes(), &stated, true) && ends_early(&copy.as_bytes()[..34_500], &stated, true));
        assert!(!ends_early(b"short", &cut(lines, || 0).unwrap(), false), "no file");
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
