//! Where a text can be cut, and what stays of it.

use std::ops::ControlFlow;

use super::{Plan, Texts};
use crate::tokens::{Encoding, each_token_end, scaled};

/// Tokens between two places that are known by themselves; those between are found from the one before.
const STRIDE: u64 = 50;
/// Characters that are taken for a token where tokens are only estimated.
const ESTIMATED: u64 = 4;

/// A place where a text can be cut.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Mark {
    tokens: u64,
    chars: u64,
    bytes: u64,
}

/// The places where a text can be cut: the ends of its tokens that are ends of characters too. A short text is whole or
/// not there at all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cuts {
    marks: Vec<Mark>,
    /// Per token, bytes from the place before to its end; 0 where a text cannot be cut there.
    bytes: Vec<u8>,
    /// The same in characters; empty where each is a byte.
    chars: Vec<u8>,
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
    pub fn of(text: &str, encoding: Encoding, known: u64) -> Cuts {
        let mut cuts = Cuts::default();
        if known <= STRIDE {
            let chars = text.chars().count() as u64;
            cuts.end = Mark { tokens: known, chars, bytes: text.len() as u64 };
            return cuts;
        }
        let plain = text.is_ascii();
        let mut from = Mark::default();
        let mut token = |end: usize| {
            cuts.end.tokens += 1;
            let begin = usize::try_from(from.bytes).unwrap_or(usize::MAX);
            let chars = text.get(begin..end).map(|token| if plain { token.len() } else { token.chars().count() });
            let place = chars.map(|chars| Mark {
                tokens: cuts.end.tokens,
                chars: from.chars + chars as u64,
                bytes: end as u64,
            });
            let length = place.and_then(|place| u8::try_from(place.bytes - from.bytes).ok());
            cuts.bytes.push(length.unwrap_or(0));
            if !plain {
                cuts.chars.push(length.and(chars).and_then(|chars| u8::try_from(chars).ok()).unwrap_or(0));
            }
            let Some(place) = place else { return };
            from = place;
            if length.is_none() || place.tokens >= cuts.marks.last().map_or(0, |mark| mark.tokens) + STRIDE {
                cuts.marks.push(place);
            }
        };
        if encoding.is_exact() {
            each_token_end(text, encoding, |end| {
                token(end);
                ControlFlow::Continue(())
            });
        } else {
            let ends = text.char_indices().map(|(at, sign)| at + sign.len_utf8());
            let mut number = 0u64;
            for end in ends {
                number += 1;
                if number.is_multiple_of(ESTIMATED) || end == text.len() {
                    token(end);
                }
            }
        }
        let rest = text.get(usize::try_from(from.bytes).unwrap_or(usize::MAX)..).unwrap_or_default();
        cuts.end.chars = from.chars + rest.chars().count() as u64;
        cuts.end.bytes = text.len() as u64;
        cuts.marks.shrink_to_fit();
        cuts.bytes.shrink_to_fit();
        cuts.chars.shrink_to_fit();
        cuts
    }

    /// The last place for which something holds that holds up to some place and for none after it; the beginning, where
    /// it holds for none.
    fn last(&self, holds: impl Fn(&Mark) -> bool) -> Mark {
        let known = self.marks.partition_point(&holds);
        let before = known.checked_sub(1).and_then(|at| self.marks.get(at)).copied().unwrap_or_default();
        self.between(known).take_while(holds).last().unwrap_or(before)
    }

    /// The first place for which something holds that holds for all after it; the end, where it holds for none.
    fn first(&self, holds: impl Fn(&Mark) -> bool) -> Mark {
        if holds(&Mark::default()) {
            return Mark::default();
        }
        let known = self.marks.partition_point(|mark| !holds(mark));
        self.between(known).find(holds).or_else(|| self.marks.get(known).copied()).unwrap_or(self.end)
    }

    /// The places from one that is known by itself to the next of these, by its number.
    fn between(&self, number: usize) -> impl Iterator<Item = Mark> {
        let mut place = number.checked_sub(1).and_then(|at| self.marks.get(at)).copied().unwrap_or_default();
        let until = self.marks.get(number).unwrap_or(&self.end).tokens;
        (place.tokens..until).filter_map(move |token| {
            let at = usize::try_from(token).ok()?;
            let bytes = self.bytes.get(at).copied().filter(|bytes| *bytes > 0)?;
            place.tokens = token + 1;
            place.bytes += u64::from(bytes);
            place.chars += u64::from(self.chars.get(at).copied().unwrap_or(bytes));
            Some(place)
        })
    }

    /// The longest beginning or end of a range of the text within so many tokens; `tokens` are those of the whole text, by
    /// the scale that is counted in. A range begins and ends where the text does, or where it was cut before.
    #[must_use]
    pub fn within(&self, tokens: u64, (from, to): (u64, u64), most: u64, from_end: bool) -> Part {
        let scale = if self.end.tokens == 0 { 1.0 } else { ratio(tokens, self.end.tokens) };
        let first = self.first(|mark| mark.bytes >= from);
        let last = if to < self.end.bytes { self.last(|mark| mark.bytes <= to) } else { self.end };
        if first.bytes > last.bytes {
            return Part::default();
        }
        let tokens = |start: &Mark, end: &Mark| scaled(end.tokens.saturating_sub(start.tokens), scale);
        let (start, end) = match from_end {
            true => (self.first(|mark| mark.bytes >= first.bytes && tokens(mark, &last) <= most), last),
            false => (first, self.last(|mark| mark.bytes <= last.bytes && tokens(&first, mark) <= most)),
        };
        Part { start: start.bytes, end: end.bytes, tokens: tokens(&start, &end) }
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

    /// The longest beginning or end of a range of an item's text within so many tokens, see [`Cuts::within`].
    #[must_use]
    pub(in crate::engine) fn within(&self, item: u32, (from, to): (u64, u64), most: u64, from_end: bool) -> Part {
        let Some(about) = self.items.get(item as usize) else { return Part::default() };
        let known = self.texts.as_ref().and_then(|texts: &Texts| texts.cuts.get(item as usize));
        let Some(cuts) = known.filter(|cuts| cuts.end.bytes > 0 && (from > 0 || to < cuts.end.bytes)) else {
            return self.cut(item, Limit::Tokens(most), from_end);
        };
        cuts.within(about.tokens, (from, to), most, from_end)
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
                guess = Cuts { marks, end, ..Cuts::default() };
                &guess
            }
        };
        let scale = if cuts.end.tokens == 0 { 1.0 } else { ratio(about.tokens, cuts.end.tokens) };
        let within = |mark: &Mark| match limit {
            Limit::Tokens(most) => scaled(mark.tokens, scale) <= most,
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
            let start = cuts.first(|mark| within(&rest(mark)));
            Part { start: start.bytes, end: cuts.end.bytes, tokens: scaled(rest(&start).tokens, scale) }
        } else {
            let end = cuts.last(within);
            Part { start: 0, end: end.bytes, tokens: scaled(end.tokens, scale) }
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
fn times_down(number: u64, factor: f64) -> u64 {
    (number as f64 * factor).floor() as u64
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss)]
fn times_up(number: u64, factor: f64) -> u64 {
    (number as f64 * factor).ceil() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every place, by the ends of tokens that are ends of characters.
    fn places(text: &str, encoding: Encoding) -> Vec<Mark> {
        let (mut tokens, mut found) = (0, Vec::new());
        let mut token = |end: usize| {
            tokens += 1;
            if text.is_char_boundary(end) {
                found.push(Mark { tokens, chars: text[..end].chars().count() as u64, bytes: end as u64 });
            }
        };
        if encoding.is_exact() {
            each_token_end(text, encoding, |end| {
                token(end);
                ControlFlow::Continue(())
            });
        } else {
            let ends: Vec<usize> = text.char_indices().map(|(at, sign)| at + sign.len_utf8()).collect();
            ends.chunks(4).for_each(|ends| token(ends[ends.len() - 1]));
        }
        found
    }

    #[test]
    fn a_text_is_cut_at_any_of_its_tokens() {
        let texts = [
            "fn main() { println!(\"{}\", 4096); }\n".repeat(20),
            "Größe 漢字とかな 👩‍👩‍👧 naïve — ".repeat(30),
            format!("a{}b", " ".repeat(30_000)),
        ];
        for (text, encoding) in texts
            .iter()
            .flat_map(|text| [Encoding::O200kBase, Encoding::Cl100kBase, Encoding::Estimate].map(|of| (text, of)))
        {
            let known = crate::tokens::count(text, encoding);
            let (cuts, places) = (Cuts::of(text, encoding, known), places(text, encoding));
            assert_eq!((cuts.end.tokens, Some(&cuts.end)), (known, places.last()), "{encoding:?}");
            for most in 0..=known {
                let head = places.iter().rev().find(|place| place.tokens <= most).copied().unwrap_or_default();
                assert_eq!(cuts.last(|mark| mark.tokens <= most), head, "{most} of {known}");
                let tail = |mark: &Mark| known - mark.tokens <= most;
                let found = cuts.first(tail);
                let expected =
                    if most == known { Mark::default() } else { *places.iter().find(|mark| tail(mark)).unwrap() };
                assert_eq!(found, expected, "{most} of {known} from the end");
            }
        }
    }
}
