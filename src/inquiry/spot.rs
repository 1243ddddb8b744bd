//! A place in a text: where it stands, what stands around it, and whether parts of the text hold it.

use super::find::index;
use crate::content::places_in;
use crate::model::{BlockId, Body, SourceId, Transcript};

/// Characters of what stands around a fact.
const CONTEXT: usize = 240;

/// A place in a text.
#[derive(Clone, Debug, PartialEq)]
pub struct Spot {
    /// First byte of the decoded text, and one past the last.
    pub range: (u32, u32),
    /// What of it says the fact: all of it, but of a passage that means it the sentence that does, where one is told.
    pub says: (u32, u32),
    /// The blanks in that, which may be lost without a loss.
    pub blanks: Box<[(u32, u32)]>,
    /// Bytes of the whole decoded text.
    pub length: u32,
    /// The source that holds it, and its bytes there, escapes included.
    pub stored: (SourceId, u64, u64),
    /// Its line in the text, from 1, and how many the text has.
    pub line: u32,
    /// See `line`.
    pub lines: u32,
    /// The line that it stands on, or what of it is around it. Untrusted.
    pub context: String,
}

impl Spot {
    /// The line of its source, from 1: that of the block's record, or of its text in a file that the user attached.
    #[must_use]
    pub fn line_of_source(&self, block: BlockId, transcript: &Transcript) -> Option<u32> {
        let source = transcript.sources.get(self.stored.0.0 as usize)?;
        if source.kind.is_attached() {
            return Some(self.line);
        }
        Some(transcript.block(block)?.record).filter(|record| record.source == self.stored.0).map(|record| record.line)
    }

    /// Whether some parts of the text hold what of it says the fact.
    pub(super) fn is_held(&self, parts: &[(u64, u64)]) -> bool {
        is_held(self.says, &self.blanks, parts)
    }
}

/// Whether some parts of a text hold a range of it, but for blanks: a summary may quote its sentences one by one.
pub(super) fn is_held(range: (u32, u32), blanks: &[(u32, u32)], parts: &[(u64, u64)]) -> bool {
    let (from, to) = (u64::from(range.0), u64::from(range.1));
    let blanks = blanks.iter().map(|(from, to)| (u64::from(*from), u64::from(*to)));
    let mut all: Vec<(u64, u64)> = parts.iter().copied().chain(blanks).collect();
    all.sort_unstable();
    let held = all.iter().filter(|part| part.1 > from).try_fold(from, |end, part| {
        let goes_on = end < to && part.0 <= end;
        if goes_on { Ok(end.max(part.1)) } else { Err(end) }
    });
    let (Ok(end) | Err(end)) = held;
    !parts.is_empty() && end >= to
}

/// A place in a content: like a spot, but relative to the spans of whoever has the content.
#[derive(Clone, Debug)]
pub(super) struct Local {
    range: (u32, u32),
    says: (u32, u32),
    blanks: Box<[(u32, u32)]>,
    length: u32,
    /// The span, and bytes in it.
    stored: (usize, u64, u64),
    line: u32,
    lines: u32,
    /// What stands around it, where that was read.
    pub context: String,
}

impl Local {
    /// Tells what of it says the fact.
    pub fn with_says(self, text: &str, says: (u32, u32)) -> Local {
        Local { says, blanks: blanks(text, says), ..self }
    }
}

/// The runs of blanks in a range.
pub(super) fn blanks(text: &str, (from, to): (u32, u32)) -> Box<[(u32, u32)]> {
    let mut found: Vec<(u32, u32)> = Vec::new();
    let within = text.get(from as usize..to as usize).unwrap_or_default();
    for (at, sign) in within.char_indices().filter(|(_, sign)| sign.is_whitespace()) {
        let (start, end) = (from + index(at), from + index(at + sign.len_utf8()));
        match found.last_mut().filter(|last| last.1 == start) {
            Some(last) => last.1 = end,
            None => found.push((start, end)),
        }
    }
    found.into()
}

/// Places of a content, which are in order.
pub(super) fn locals(body: &Body, stored: &[Vec<u8>], text: &str, ranges: &[(u32, u32)]) -> Vec<Local> {
    let bytes = text.as_bytes();
    let breaks = |bytes: &[u8]| index(memchr::memchr_iter(b'\n', bytes).count());
    let lines = breaks(bytes.strip_suffix(b"\n").unwrap_or(bytes)) + 1;
    let wide: Vec<(u64, u64)> = ranges.iter().map(|(from, to)| (u64::from(*from), u64::from(*to))).collect();
    let (mut before, mut line) = (0, 1);
    let places = ranges.iter().zip(places_in(body, stored, &wide)).map(|(range, place)| {
        let from = (range.0 as usize).min(bytes.len());
        if from < before {
            (before, line) = (0, 1);
        }
        line += breaks(&bytes[before..from]);
        before = from;
        Local {
            range: *range,
            says: *range,
            blanks: blanks(text, *range),
            length: index(text.len()),
            stored: place.unwrap_or_default(),
            line,
            lines,
            context: String::new(),
        }
    });
    places.collect()
}

/// A place of a content.
pub(super) fn local(body: &Body, stored: &[Vec<u8>], text: &str, range: (u32, u32)) -> Option<Local> {
    locals(body, stored, text, &[range]).pop()
}

/// The line around a place, cut to a length.
pub(super) fn context(text: &str, from: usize, to: usize) -> String {
    let before = text.get(..from).unwrap_or_default();
    let after = text.get(to..).unwrap_or_default();
    let line = before.rfind('\n').map_or(0, |at| at + 1);
    let ends = to + after.find('\n').unwrap_or(after.len());
    let half = CONTEXT.saturating_sub((to - from).min(CONTEXT)) / 2;
    let mut start = text.floor_char_boundary(line.max(from.saturating_sub(half)));
    let mut end = text.ceil_char_boundary(ends.min(to.max(from + CONTEXT.min(to - from)) + half));
    // Between words.
    if start > line && !text.get(..start).is_some_and(|before| before.ends_with(char::is_whitespace)) {
        let blank = text.get(start..from).and_then(|before| before.find(char::is_whitespace));
        start = blank.map_or(start, |blank| start + blank);
    }
    if end < ends && !text.get(end..).is_some_and(|after| after.starts_with(char::is_whitespace)) {
        let blank = text.get(to..end).and_then(|after| after.rfind(char::is_whitespace));
        end = blank.map_or(end, |blank| to + blank);
    }
    text.get(start..end).unwrap_or_default().trim().chars().take(2 * CONTEXT).collect()
}

/// A place in a content as one of whoever has it.
pub(super) fn spot(local: &Local, body: &Body) -> Option<Spot> {
    let span = body.spans().nth(local.stored.0)?;
    Some(Spot {
        range: local.range,
        says: local.says,
        blanks: local.blanks.clone(),
        length: local.length,
        stored: (span.source, span.start + local.stored.1, span.start + local.stored.2),
        line: local.line,
        lines: local.lines,
        context: local.context.clone(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::SourceId;

    #[test]
    fn parts_hold_a_place_where_only_blanks_are_missing() {
        let text = "One. Two here.\n\n  Three.";
        let range = (0, index(text.len()));
        let stored = (SourceId(0), 0, 0);
        let context = String::new();
        let spot =
            Spot { range, says: range, blanks: blanks(text, range), length: 24, stored, line: 1, lines: 1, context };
        assert!(spot.is_held(&[(0, 4), (5, 14), (18, 24)]));
        assert!(spot.is_held(&[(18, 24), (0, 14)]));
        assert!(!spot.is_held(&[(0, 4), (18, 24)]) && !spot.is_held(&[(0, 14)]) && !spot.is_held(&[]));
        let spot = Spot { says: (5, 14), ..spot };
        assert!(spot.is_held(&[(0, 4), (5, 14)]) && spot.is_held(&[(2, 8), (9, 20)]) && !spot.is_held(&[(0, 8)]));
    }
}
