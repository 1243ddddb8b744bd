//! Where a session says once more what a memory says: what stands in the window there need not be packed as well.

use std::collections::HashMap;
use std::sync::Arc;

use crate::engine::plan::Item;
use crate::memory::{self, Memory, Origin, Store};

/// Where else texts are said, by their words.
#[derive(Clone, Debug, Default)]
pub struct SaidAgain(HashMap<Arc<str>, Places>);

/// The places of a text: of the whole, and of each of its sentences, wherever that is said.
#[derive(Clone, Debug, Default)]
struct Places {
    whole: Vec<Origin>,
    sentences: Vec<Vec<Origin>>,
}

/// A sentence without what stands around it: the sign of a list, emphasis, quotes, its stop.
fn bare(text: &str) -> String {
    let is_around = |sign: char| !sign.is_alphanumeric();
    let plain = text.trim_matches(is_around);
    let number = plain.trim_start_matches(|sign: char| sign.is_ascii_digit());
    let item = number.strip_prefix(['.', ')']).filter(|rest| number.len() < plain.len() && rest.starts_with(' '));
    memory::normal(item.unwrap_or(plain).trim_matches(is_around))
}

/// The sentences of a text, also those that go on in the next line.
fn sentences(text: &str) -> Vec<(usize, usize)> {
    let mut all = memory::sentences(text);
    if text.trim_end().contains('\n') {
        // As long as it was, so that places stay.
        all.extend(memory::sentences(&text.replace('\n', " ")));
        all.sort_unstable();
        all.dedup();
    }
    all
}

impl SaidAgain {
    /// Where the texts of a session say what memories of earlier ones say, that are from nowhere in it.
    pub(super) fn of<'a>(seed: &Store, texts: impl Iterator<Item = (u32, &'a Item, &'a str)>) -> SaidAgain {
        let mut found = SaidAgain::default();
        let mut by_sentence: HashMap<String, Vec<(Arc<str>, usize)>> = HashMap::new();
        for (_, memory, _) in seed.live().filter(|(_, memory, _)| memory.origins.is_empty()) {
            let own = memory::sentences(&memory.text);
            for (number, (from, to)) in own.iter().enumerate() {
                let words = bare(memory.text.get(*from..*to).unwrap_or_default());
                by_sentence.entry(words).or_default().push((memory.text.clone(), number));
            }
            found.0.entry(memory.text.clone()).or_default().sentences = vec![Vec::new(); own.len()];
        }
        if by_sentence.is_empty() {
            return found;
        }
        for (_, item, text) in texts {
            for (from, to) in sentences(text) {
                let Some(known) = by_sentence.get(&bare(text.get(from..to).unwrap_or_default())) else { continue };
                let (start, end) = (from as u64, to as u64);
                let origin = Origin { block: item.block, start, end, whole: item.whole, at: None };
                for (memory, number) in known {
                    let places = found.0.get_mut(memory).and_then(|places| places.sentences.get_mut(*number));
                    places.into_iter().for_each(|places| places.push(origin));
                }
            }
        }
        found
    }

    /// Takes in that a text is said once more.
    pub(super) fn add(&mut self, text: Option<&Arc<str>>, origin: Origin) {
        text.into_iter().for_each(|text| self.0.entry(text.clone()).or_default().whole.push(origin));
    }

    /// Whether what a memory says is said at places that stand.
    pub(super) fn stands(&self, memory: &Memory, stands: impl Fn(&Origin) -> bool) -> bool {
        self.0.get(&memory.text).is_some_and(|places| {
            let each = &places.sentences;
            places.whole.iter().any(&stands) || (!each.is_empty() && each.iter().all(|all| all.iter().any(&stands)))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_is_known_in_a_list_in_quotes_and_without_its_stop() {
        let plain = bare("Deploys go through the gate.");
        for text in [
            "- Deploys go through the gate",
            "1. Deploys go through the gate.",
            "**Deploys go through the gate.**",
            "\"Deploys go\nthrough the gate\"",
        ] {
            assert_eq!(bare(text), plain, "{text}");
        }
        assert_ne!(bare("2 deploys go through the gate."), plain);
        let wrapped = "One thing. Deploys go\nthrough the gate. Another.";
        let found = sentences(wrapped).into_iter().filter(|(from, to)| bare(&wrapped[*from..*to]) == plain);
        assert_eq!(found.count(), 1);
    }
}
