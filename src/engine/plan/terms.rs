//! Distinctive terms of a text: paths, identifiers and numbers, and who repeats them later.
//!
//! A text is still referred to when an answer of the model later repeats a term that had not occurred before it.

use std::collections::HashMap;
use std::sync::Arc;

use crate::content::hash;
use crate::model::Coding;

/// A term of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Term {
    /// Its hash.
    pub hash: u64,
    /// Its first occurrence: byte and length in the decoded text.
    pub at: u32,
    /// See `at`.
    pub length: u32,
}

/// A later block that repeats a term of an earlier one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    /// The step whose window first holds the later block.
    pub step: u32,
    /// The earlier item.
    pub of: u32,
    /// The later item.
    pub by: u32,
    /// Bytes of the term in the later block's decoded text.
    pub term: (u32, u32),
    /// The term, where the text was read for it. Untrusted.
    pub word: Arc<str>,
}

/// An earlier turn that a later one refers to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TurnReference {
    /// The earlier unit.
    pub of: u32,
    /// The item of it that holds the term.
    pub item: u32,
    /// The item of the later unit that repeats it.
    pub by: u32,
    /// Bytes of the term in the later item's decoded text.
    pub term: (u32, u32),
    /// The term. Untrusted.
    pub word: Arc<str>,
}

/// Terms of a text that are longer say more than one thing.
const LONGEST: usize = 200;
/// Terms looked at in one text.
const MOST: usize = 20_000;

/// The distinctive terms of a text, each once.
pub(super) fn terms(text: &str) -> Vec<Term> {
    let mut found: HashMap<u64, Term> = HashMap::new();
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() && found.len() < MOST {
        if !is_part(bytes[at]) {
            at += 1;
            continue;
        }
        let end = bytes[at..].iter().position(|byte| !is_part(*byte)).map_or(bytes.len(), |length| at + length);
        let word = &bytes[at..end];
        add(&mut found, word, at);
        // The last part of a path stands for it.
        if let Some(slash) = memchr::memrchr(b'/', word) {
            add(&mut found, &word[slash + 1..], at + slash + 1);
        }
        at = end;
    }
    let mut terms: Vec<Term> = found.into_values().collect();
    terms.sort_unstable_by_key(|term| term.at);
    terms
}

fn add(found: &mut HashMap<u64, Term>, word: &[u8], at: usize) {
    let from = word.iter().position(|byte| !matches!(byte, b'.' | b'-' | b'/')).unwrap_or(word.len());
    let to = word.iter().rposition(|byte| !matches!(byte, b'.' | b'-' | b'/')).map_or(from, |last| last + 1);
    let word = &word[from..to.max(from)];
    if !is_distinctive(word) {
        return;
    }
    let (Ok(at), Ok(length)) = (u32::try_from(at + from), u32::try_from(word.len())) else { return };
    let hash = hash(word, Coding::Plain);
    found.entry(hash).or_insert(Term { hash, at, length });
}

fn is_part(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'/' | b'-') || byte >= 0x80
}

/// Whether a word is a path, an identifier or a number, and no word of a language.
fn is_distinctive(word: &[u8]) -> bool {
    if word.len() < 4 || word.len() > LONGEST {
        return false;
    }
    let digits = word.iter().filter(|byte| byte.is_ascii_digit()).count();
    let letters = word.iter().filter(|byte| byte.is_ascii_alphabetic()).count();
    let inner_capital = word.windows(2).any(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase());
    let joined = word.iter().any(|byte| matches!(byte, b'_' | b'/')) || memchr::memchr(b'.', word).is_some();
    (digits >= 4) || (letters >= 3 && (joined || inner_capital)) || (digits >= 1 && letters >= 2 && word.len() >= 5)
}

/// Finds who refers to what, going through the items in order.
#[derive(Default)]
pub(super) struct Referrals {
    first: HashMap<u64, u32>,
    /// Items that are referred to, with the first that does.
    pub references: Vec<Reference>,
    known: std::collections::HashSet<u32>,
    /// By later unit, the earlier ones that it refers to.
    pub units: Vec<(u32, TurnReference)>,
}

impl Referrals {
    /// Takes in an item's terms. `speaks`: whether it is an answer or a call of the model.
    pub fn take(
        &mut self,
        item: u32,
        step: u32,
        unit: u32,
        speaks: bool,
        terms: &[Term],
        unit_of: impl Fn(u32) -> u32,
    ) {
        for term in terms {
            let origin = *self.first.entry(term.hash).or_insert(item);
            let earlier = unit_of(origin);
            if origin == item || !speaks || earlier == unit {
                continue;
            }
            let term = (term.at, term.at.saturating_add(term.length));
            if self.known.insert(origin) {
                self.references.push(Reference { step, of: origin, by: item, term, word: Arc::from("") });
            }
            if self.units.last().is_none_or(|(later, known)| (*later, known.of) != (unit, earlier)) {
                let known = TurnReference { of: earlier, item: origin, by: item, term, word: Arc::from("") };
                self.units.push((unit, known));
            }
        }
    }
}
