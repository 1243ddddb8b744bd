//! Where a text can be cut, and what stays of it.

use std::ops::ControlFlow;

use super::{Plan, Texts};
use crate::tokens::{Encoding, each_token_end};

/// Tokens between two places where a text can be cut.
const STRIDE: u64 = 50;
/// Characters between them, where tokens are only estimated.
const STRIDE_CHARS: usize = 200;

/// A place where a text can be cut.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Mark {
    tokens: u64,
    chars: u64,
    bytes: u64,
}

/// The places where a text can be cut.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cuts {
    marks: Vec<Mark>,
    end: Mark,
}

/// A part of a text: bytes, and the tokens in them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Part {
    /// First byte of the decoded text.
    pub start: u64,
    /// One past the last byte.
    pub end: u64,
    /// Tokens, by the scale of the plan.
    pub tokens: u64,
}

/// How much may stay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// So many tokens.
    Tokens(u64),
    /// So many characters.
    Chars(u64),
}

impl Cuts {
    /// Finds the places in a text of `known` tokens; none in a short one.
    #[must_use]
    pub(super) fn of(text: &str, encoding: Encoding, known: u64) -> Cuts {
        let mut cuts = Cuts::default();
        if known <= STRIDE {
            let chars = text.chars().count() as u64;
            cuts.end = Mark { tokens: known, chars, bytes: text.len() as u64 };
            return cuts;
        }
        let (mut tokens, mut chars, mut from) = (0u64, 0u64, 0usize);
        if encoding.is_exact() {
            each_token_end(text, encoding, |end| {
                tokens += 1;
                let far = tokens >= cuts.marks.last().map_or(0, |mark| mark.tokens) + STRIDE;
                if far && let Some(between) = text.get(from..end) {
                    chars += between.chars().count() as u64;
                    from = end;
                    cuts.marks.push(Mark { tokens, chars, bytes: end as u64 });
                }
                ControlFlow::Continue(())
            });
            chars += text.get(from..).map_or(0, |rest| rest.chars().count() as u64);
        } else {
            for (at, _) in text.char_indices() {
                if chars > 0 && chars.is_multiple_of(STRIDE_CHARS as u64) {
                    cuts.marks.push(Mark { tokens: chars.div_ceil(4), chars, bytes: at as u64 });
                }
                chars += 1;
            }
            tokens = chars.div_ceil(4);
        }
        cuts.end = Mark { tokens, chars, bytes: text.len() as u64 };
        cuts.marks.shrink_to_fit();
        cuts
    }

    /// Bytes of the whole text.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.end.bytes
    }
}

impl Plan {
    /// The longest beginning of an item's text within a limit, and the rest after it.
    #[must_use]
    pub(in crate::engine) fn head(&self, item: u32, limit: Limit) -> Part {
        self.cut(item, limit, false)
    }

    /// The longest end of an item's text within a limit.
    #[must_use]
    pub(in crate::engine) fn tail(&self, item: u32, limit: Limit) -> Part {
        self.cut(item, limit, true)
    }

    /// The longest beginning or end of a range of an item's text within so many tokens. A range begins and ends where
    /// the text does, or where it was cut before.
    #[must_use]
    pub(in crate::engine) fn within(&self, item: u32, (from, to): (u64, u64), most: u64, from_end: bool) -> Part {
        let Some(about) = self.items.get(item as usize) else { return Part::default() };
        let known = self.texts.as_ref().and_then(|texts: &Texts| texts.cuts.get(item as usize));
        let Some(cuts) = known.filter(|cuts| cuts.end.bytes > 0 && (from > 0 || to < cuts.end.bytes)) else {
            return self.cut(item, Limit::Tokens(most), from_end);
        };
        let scale = if cuts.end.tokens == 0 { 1.0 } else { ratio(about.tokens, cuts.end.tokens) };
        let to = to.min(cuts.end.bytes);
        let ends = [Mark::default()].into_iter().chain(cuts.marks.iter().copied()).chain([cuts.end]);
        let inside: Vec<Mark> = ends.filter(|mark| (from..=to).contains(&mark.bytes)).collect();
        let (Some(first), Some(last)) = (inside.first(), inside.last()) else { return Part::default() };
        let part = |start: &Mark, end: &Mark| Part {
            start: start.bytes,
            end: end.bytes,
            tokens: times(end.tokens.saturating_sub(start.tokens), scale),
        };
        let mut parts = inside.iter().map(|mark| if from_end { part(mark, last) } else { part(first, mark) });
        let fits = |part: &Part| part.tokens <= most;
        let found = if from_end { parts.find(fits) } else { parts.rev().find(fits) };
        found.unwrap_or_default()
    }

    fn cut(&self, item: u32, limit: Limit, from_end: bool) -> Part {
        let Some(about) = self.items.get(item as usize) else { return Part::default() };
        let known = self.texts.as_ref().and_then(|texts: &Texts| texts.cuts.get(item as usize));
        // Without the text, cuts are where they would be if its tokens were of equal length.
        let guess;
        let cuts = match known {
            Some(cuts) if cuts.end.bytes > 0 => cuts,
            _ => {
                let end = Mark { tokens: about.tokens, chars: about.chars, bytes: about.chars };
                let marks = evenly(end, limit, from_end);
                guess = Cuts { marks, end };
                &guess
            }
        };
        let scale = if cuts.end.tokens == 0 { 1.0 } else { ratio(about.tokens, cuts.end.tokens) };
        let within = |mark: &Mark| match limit {
            Limit::Tokens(most) => times(mark.tokens, scale) <= most,
            Limit::Chars(most) => mark.chars <= most,
        };
        let whole = Part { start: 0, end: cuts.end.bytes, tokens: about.tokens };
        if within(&cuts.end) {
            return whole;
        }
        if from_end {
            let rest = |mark: &Mark| Mark {
                tokens: cuts.end.tokens.saturating_sub(mark.tokens),
                chars: cuts.end.chars.saturating_sub(mark.chars),
                bytes: mark.bytes,
            };
            let first = cuts.marks.partition_point(|mark| !within(&rest(mark)));
            let mark = cuts.marks.get(first).map_or(Mark { bytes: cuts.end.bytes, ..Mark::default() }, rest);
            Part { start: mark.bytes, end: cuts.end.bytes, tokens: times(mark.tokens, scale) }
        } else {
            let fit = cuts.marks.partition_point(within);
            let mark = fit.checked_sub(1).and_then(|at| cuts.marks.get(at)).copied().unwrap_or_default();
            Part { start: 0, end: mark.bytes, tokens: times(mark.tokens, scale) }
        }
    }
}

/// The one place that a limit needs, in a text that has not been read.
fn evenly(end: Mark, limit: Limit, from_end: bool) -> Vec<Mark> {
    let share = match limit {
        Limit::Tokens(most) => ratio(most, end.tokens),
        Limit::Chars(most) => ratio(most, end.chars),
    }
    .clamp(0.0, 1.0);
    let share = if from_end { 1.0 - share } else { share };
    let round = |number: u64| if from_end { times_up(number, share) } else { times_down(number, share) };
    vec![Mark { tokens: round(end.tokens), chars: round(end.chars), bytes: round(end.bytes) }]
}

#[allow(clippy::cast_precision_loss)]
fn ratio(part: u64, whole: u64) -> f64 {
    if whole == 0 { 1.0 } else { part as f64 / whole as f64 }
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss)]
fn times(number: u64, factor: f64) -> u64 {
    if factor == 1.0 { number } else { (number as f64 * factor).round() as u64 }
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss)]
fn times_down(number: u64, factor: f64) -> u64 {
    (number as f64 * factor).floor() as u64
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss)]
fn times_up(number: u64, factor: f64) -> u64 {
    (number as f64 * factor).ceil() as u64
}
