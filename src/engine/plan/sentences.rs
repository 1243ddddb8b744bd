//! Sentences of a text and how much each matters, for a summary without a model.
//!
//! Decisions, errors, paths, identifiers, numbers and what the user asked for weigh most. Each keeps its place.

use crate::content::hash;
use crate::model::{Coding, Layer};

/// A sentence of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sentence {
    /// The item.
    pub item: u32,
    /// Bytes in the item's decoded text.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
    /// Its tokens, by its share of the text.
    pub tokens: u32,
    /// How much it matters; more is more.
    pub score: u32,
    /// Equal hash, equal words.
    pub hash: u64,
}

/// A sentence is at most so many bytes; what is longer is left out as data.
const LONGEST: usize = 400;
/// Shorter ones say nothing by themselves.
const SHORTEST: usize = 12;
/// The best of one text.
const MOST: usize = 120;

const DECISIONS: &[&str] = &[
    "decid",
    "must",
    "should",
    "will ",
    "instead",
    "because",
    "never",
    "always",
    "use ",
    "need",
    "chose",
    "agreed",
    "plan",
    "require",
    "important",
    "note",
    "conclu",
    "root cause",
    "fixed",
    "done",
];
const ERRORS: &[&str] =
    &["error", "fail", "panic", "exception", "cannot", "not found", "denied", "warning", "bug", "wrong"];

/// The sentences of a text that matter most, in order. `tokens` is the text's count.
pub(super) fn sentences(item: u32, text: &str, layer: Layer, tokens: u64) -> Vec<Sentence> {
    let weight = match layer {
        Layer::User => 40,
        Layer::Assistant => 20,
        Layer::ToolResults => 4,
        Layer::Thinking => 8,
        _ => return Vec::new(),
    };
    let mut found = Vec::new();
    let mut lower = String::new();
    for (start, end) in split(text) {
        let Some(words) = text.get(start..end) else { continue };
        lower.clear();
        lower.extend(words.chars().map(|sign| sign.to_ascii_lowercase()));
        let Some(score) = score(words, &lower) else { continue };
        let (Ok(from), Ok(to)) = (u32::try_from(start), u32::try_from(end)) else { break };
        let share = u128::from(tokens) * words.len() as u128 / (text.len().max(1) as u128);
        found.push(Sentence {
            item,
            start: from,
            end: to,
            tokens: u32::try_from(share).unwrap_or(u32::MAX).saturating_add(1),
            score: score + weight,
            hash: hash(lower.trim().as_bytes(), Coding::Plain),
        });
    }
    if found.len() > MOST {
        found.sort_unstable_by_key(|sentence| (std::cmp::Reverse(sentence.score), sentence.start));
        found.truncate(MOST);
        found.sort_unstable_by_key(|sentence| sentence.start);
    }
    found
}

/// Sentences end at line breaks, and at `.`, `!`, `?` before a blank.
fn split(text: &str) -> Vec<(usize, usize)> {
    let bytes = text.as_bytes();
    let (mut found, mut start) = (Vec::new(), 0);
    for at in memchr::memchr3_iter(b'\n', b'.', b'!', bytes).chain(std::iter::once(bytes.len())) {
        let ends = match bytes.get(at) {
            Some(b'\n') | None => at,
            Some(_) if matches!(bytes.get(at + 1), Some(b' ' | b'\n') | None) => at + 1,
            Some(_) => continue,
        };
        let from = start + bytes[start..ends].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        if (SHORTEST..=LONGEST).contains(&(ends.saturating_sub(from))) {
            found.push((from, ends));
        }
        start = ends.max(start);
    }
    found
}

/// How much a sentence matters by its words; `None` for what is no sentence.
fn score(words: &str, lower: &str) -> Option<u32> {
    let letters =
        words.bytes().filter(u8::is_ascii_alphabetic).count() + words.bytes().filter(|byte| *byte >= 0x80).count();
    if letters * 3 < words.len() {
        return None;
    }
    let mut score = 0;
    score += 12 * u32::from(ERRORS.iter().any(|word| lower.contains(word)));
    score += 10 * u32::from(DECISIONS.iter().any(|word| lower.contains(word)));
    let (mut terms, mut digits) = (0, 0);
    for word in words.split_ascii_whitespace() {
        let inner = word.trim_matches(|sign: char| !sign.is_alphanumeric());
        terms += u32::from(inner.contains(['/', '_']) || inner.contains("::") || inner.contains('.'));
        digits += u32::from(inner.bytes().any(|byte| byte.is_ascii_digit()));
    }
    Some(score + 5 * terms.min(3) + 3 * digits.min(3))
}
