//! Messages that only ask for a fact: whoever asks whether a thing is so does not say it.

use std::collections::HashSet;

use rustc_hash::FxHashSet;

use super::fact::Fact;
use super::find::Found;
use super::question::stated;
use crate::content::Sources;
use crate::model::{Block, BlockId, BlockKind, Entry, EntryId, Layer, Role, Run, Transcript};
use crate::transcript::typed;

/// Bytes of a message that are read.
const READ: usize = 20_000;
/// Digits from which on numbers that begin alike are of one series.
const SERIES: usize = 6;
/// Messages that are read.
const MESSAGES: usize = 1_000;

/// Whether a text names a fact in nothing but its questions.
pub(super) fn only_asks(fact: &Fact, text: &str) -> bool {
    fact.is_in(text) && stated(text).is_some_and(|rest| !fact.is_in(&rest))
}

/// Whether a text that does not name a fact names another of its series: it is about 2738948818 and not 2738937075, or
/// about K-41 and not K-17.
pub(super) fn names_another(fact: &Fact, text: &str) -> bool {
    let own = fact.text.trim();
    let digits = own.bytes().filter(u8::is_ascii_digit).count();
    if digits < 2 || own.len() < 4 || own.contains(char::is_whitespace) || fact.is_in(text) {
        return false;
    }
    let shape = |word: &str| -> String {
        word.chars().map(|sign| if sign.is_ascii_digit() { '0' } else { sign.to_ascii_lowercase() }).collect()
    };
    let (own_shape, is_number) = (shape(own), digits == own.len());
    let is_sibling = |word: &str| match is_number {
        true => digits >= SERIES && word.get(..3) == own.get(..3),
        false => true,
    };
    let mut words = text.split(|sign: char| !(sign.is_alphanumeric() || matches!(sign, '_' | '-' | '.' | '/')));
    words.any(|word| {
        let word = word.trim_end_matches('.');
        word.len() == own.len() && shape(word) == own_shape && is_sibling(word)
    })
}

/// With the messages of a person that name a fact in nothing but questions.
pub(super) fn with_asking(fact: &Fact, mut found: Found, transcript: &Transcript, sources: &Sources) -> Found {
    let mut blocks: Vec<BlockId> = found.places.iter().map(|place| place.block).collect();
    blocks.dedup();
    blocks.retain(|id| transcript.block(*id).is_some_and(is_prompt));
    let asks = |id: &BlockId| {
        let text = beginning(transcript, sources, *id);
        text.as_deref().and_then(typed).is_some_and(|text| only_asks(fact, text))
    };
    found.asked = blocks.into_iter().take(MESSAGES).filter(asks).collect();
    found
}

/// The messages that only ask for a fact after something said it. What nothing but questions ever said is told by them.
pub(super) fn asked_again(fact: &Fact, found: &Found) -> FxHashSet<BlockId> {
    let asked: HashSet<BlockId> = found.asked.iter().copied().filter(|_| !fact.by_meaning()).collect();
    let said = found.places.iter().map(|place| place.block).filter(|block| !asked.contains(block)).min();
    asked.into_iter().filter(|block| said.is_some_and(|said| said < *block)).collect()
}

/// The messages of a person in a run: the entry, its block, the first step that holds it.
pub(super) fn prompts<'a>(
    run: &'a Run,
    transcript: &'a Transcript,
) -> impl Iterator<Item = (EntryId, BlockId, u32)> + 'a {
    let spoken = |entry: &&Entry| entry.layer == Layer::User && entry.role == Role::User;
    let entries = (0u32..).zip(&run.entries).filter(move |(_, entry)| spoken(entry));
    entries.filter_map(move |(id, entry)| {
        let block = entry.block().filter(|block| transcript.block(*block).is_some_and(is_text))?;
        Some((EntryId(id), block, entry.born()))
    })
}

fn is_prompt(block: &Block) -> bool {
    block.layer == Layer::User && block.role == Role::User && is_text(block)
}

fn is_text(block: &Block) -> bool {
    block.kind == BlockKind::Text
}

/// The beginning of a block's text.
pub(super) fn beginning(transcript: &Transcript, sources: &Sources, block: BlockId) -> Option<String> {
    let mut text = sources.body_text(&transcript.block(block)?.body).ok()?;
    text.truncate(text.floor_char_boundary(READ));
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_about_another_of_a_series_is_none_about_it() {
        let another = |fact: &str, text: &str| names_another(&Fact::parse(fact).unwrap(), text);
        assert!(another("2738937075", "did we miss this comment? pull/112#discussion_r2738948818 id 2738948818"));
        assert!(another("K-17", "and which part has K-41?"));
        for (fact, text) in [
            ("2738937075", "did we miss comment 2738937075, or 2738948818?"),
            ("2738937075", "which comment was it of 1198877665?"),
            ("8443", "which port has pull 1142?"),
            ("K-17", "which key has part_4?"),
            ("the port is 8443", "the port is 8080"),
        ] {
            assert!(!another(fact, text), "{fact}: {text}");
        }
    }
}
