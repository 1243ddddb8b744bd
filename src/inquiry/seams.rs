//! Where taking marks out of a text may make a place of a fact: a place that goes on over a mark, or touches one. The rest
//! of the text says the same with its marks and without, and is not read again.

use super::find::index;

/// Letters and digits beside a mark that are held against a fact.
const BESIDE: usize = 4;
/// Characters around a mark beyond the length of what is looked for.
const MARGIN: usize = 64;

/// Where something begins and ends in a text.
pub(super) type Range = (usize, usize);

/// The letters and digits of what is looked for, by which a mark in it is known.
#[derive(Clone, Debug)]
pub(super) struct Seams {
    /// Of each form, in small letters.
    forms: Vec<Vec<u8>>,
    /// Bytes of the longest form.
    length: usize,
}

impl Seams {
    /// Of forms in evened-out text; `None` where a place may have other letters than its form, so that any mark may
    /// matter: numbers are written in many ways, and so are signs that are not ASCII.
    pub fn of<'a>(forms: impl Iterator<Item = &'a String>) -> Option<Seams> {
        let mut seams = Seams { forms: Vec::new(), length: 0 };
        for form in forms {
            if !form.is_ascii() || form.bytes().any(|byte| byte.is_ascii_digit()) {
                return None;
            }
            let letters: Vec<u8> = form.bytes().filter(u8::is_ascii_alphabetic).collect();
            if letters.is_empty() {
                return None;
            }
            seams.length = seams.length.max(form.len());
            seams.forms.push(letters);
        }
        (!seams.forms.is_empty()).then_some(seams)
    }

    /// The parts of a text around those marks that may matter, without all marks in them; per byte where it came from.
    /// `gone`: the marks, in order.
    pub fn around(&self, text: &str, gone: &[Range]) -> Vec<(String, Vec<u32>)> {
        // What shows nothing has letters in it.
        if memchr::memchr(0x1B, text.as_bytes()).is_some() {
            return vec![without(text, gone, (0, text.len()))];
        }
        let mut parts: Vec<Range> = Vec::new();
        for at in 0..gone.len() {
            if parts.last().is_some_and(|(_, end)| gone[at].1 < *end) || !self.may_matter(text, gone, at) {
                continue;
            }
            let from = self.reach(text, gone, at, true);
            let to = self.reach(text, gone, at, false);
            match parts.last_mut() {
                Some(last) if from <= last.1 => last.1 = to,
                _ => parts.push((from, to)),
            }
        }
        parts.into_iter().map(|part| without(text, gone, part)).collect()
    }

    /// Whether the letters beside a mark are those of a form beside some place in it.
    fn may_matter(&self, text: &str, gone: &[Range], at: usize) -> bool {
        let (Some(before), Some(behind)) = (beside(text, gone, at, true), beside(text, gone, at, false)) else {
            return true;
        };
        let fits = |form: &Vec<u8>| {
            (0..=form.len()).any(|place| {
                let (left, right) = form.split_at(place);
                let ends = left.iter().rev().zip(&before).all(|(own, other)| own == other)
                    && before.len() >= left.len().min(BESIDE);
                ends && right.iter().zip(&behind).all(|(own, other)| own == other)
                    && behind.len() >= right.len().min(BESIDE)
            })
        };
        self.forms.iter().any(fits)
    }

    /// How far a place may go that a mark is in, to the next blank behind that.
    fn reach(&self, text: &str, gone: &[Range], at: usize, back: bool) -> usize {
        let mut left = self.length + self.length / 8 + MARGIN;
        let mut end = if back { 0 } else { text.len() };
        for (place, sign) in signs(text, gone, at, back) {
            let blank = sign.is_ascii_whitespace();
            if left == 0 && blank {
                end = place;
                break;
            }
            left = left.saturating_sub(usize::from(!blank && shows(sign)));
        }
        end
    }
}

/// Whether a sign is one of evened-out text, too.
fn shows(sign: char) -> bool {
    !sign.is_whitespace()
        && !matches!(sign, '\u{AD}' | '\u{200B}'..='\u{200F}' | '\u{2060}' | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}')
}

/// The first letters and digits before a mark or behind it, the nearest first, in small letters; `None` where other signs
/// than those of ASCII stand among them.
fn beside(text: &str, gone: &[Range], at: usize, back: bool) -> Option<Vec<u8>> {
    let mut found = Vec::with_capacity(BESIDE);
    for (_, sign) in signs(text, gone, at, back) {
        let byte = u8::try_from(sign).ok().filter(u8::is_ascii)?;
        if byte.is_ascii_alphanumeric() {
            found.push(byte.to_ascii_lowercase());
            if found.len() == BESIDE {
                break;
            }
        }
    }
    Some(found)
}

/// The signs before a mark, backwards, or behind it, those of other marks left out; each with its place.
fn signs<'t>(text: &'t str, gone: &'t [Range], at: usize, back: bool) -> impl Iterator<Item = (usize, char)> + 't {
    let mut mark = at;
    // Between this mark and the next one.
    let mut run = between(text, gone, mark, back);
    std::iter::from_fn(move || {
        loop {
            let (from, part) = run?;
            let mut signs = part.chars();
            if let Some(sign) = if back { signs.next_back() } else { signs.next() } {
                let from = if back { from } else { from + sign.len_utf8() };
                run = Some((from, signs.as_str()));
                let place = if back { from + signs.as_str().len() } else { from - sign.len_utf8() };
                return Some((place, sign));
            }
            mark = if back { mark.checked_sub(1)? } else { mark + 1 };
            run = between(text, gone, mark, back);
        }
    })
}

/// What stands between a mark and the one before it or behind it, and where that begins.
fn between<'t>(text: &'t str, gone: &[Range], at: usize, back: bool) -> Option<(usize, &'t str)> {
    let mark = gone.get(at)?;
    let (from, to) = if back {
        (at.checked_sub(1).and_then(|before| gone.get(before)).map_or(0, |before| before.1), mark.0)
    } else {
        (mark.1, gone.get(at + 1).map_or(text.len(), |next| next.0))
    };
    Some((from, text.get(from..to).unwrap_or_default()))
}

/// A part of a text without some ranges of it; per byte where it came from.
pub(super) fn without(text: &str, gone: &[Range], (begin, end): Range) -> (String, Vec<u32>) {
    let (mut out, mut starts) = (String::with_capacity(end - begin), Vec::with_capacity(end - begin + 1));
    let mut kept = begin;
    let first = gone.partition_point(|mark| mark.0 < begin);
    let within = gone.iter().skip(first).copied().take_while(|mark| mark.0 < end);
    for (from, to) in within.chain([(end, end)]) {
        out.push_str(text.get(kept..from).unwrap_or_default());
        starts.extend((kept..from).map(index));
        kept = to;
    }
    starts.push(index(end));
    (out, starts)
}
