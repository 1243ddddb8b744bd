//! Where, when, by whom and of what a sentence says that something holds: what stands behind "by", "from" and their like.

use super::lexer::{Word, is_figure, text_before};
use super::part::is_even;
use super::sense::{ends_clause, is_empty, stem};

/// Words after which it is said where, when, by whom or of what something holds.
const SLOTS: &[&str] = &["against", "at", "by", "for", "from", "in", "into", "of", "on", "to", "under", "via", "with"];

/// What stands behind a word of [`SLOTS`].
#[derive(Clone, Debug)]
pub(super) struct Slot {
    pub word: &'static str,
    /// Whether it names what something is instead of.
    pub instead: bool,
    /// Whether the same could be said the other way round: "a differs from b".
    pub even: bool,
    /// The stem of the word before it.
    pub before: String,
    /// Its first word.
    pub name: String,
    /// The stems of its words, to the next of [`SLOTS`].
    pub stems: Vec<String>,
}

/// What the words of a sentence name so.
pub(super) fn slots_of(words: &[Word]) -> Vec<Slot> {
    let named = |(at, word): (usize, &Word)| {
        let slot = SLOTS.iter().find(|slot| **slot == word.text)?;
        let mut rest = words.get(at + 1..)?.iter().skip_while(|word| is_empty(&word.text));
        let (name, next) = (rest.next()?, rest.next());
        // A figure is told by itself, also where a word stands before it.
        let by_figure = is_figure(&name.text) || next.is_some_and(|next| is_figure(&next.text));
        if by_figure || SLOTS.contains(&&*name.text) {
            return None;
        }
        let mut stems = vec![stem(&name.text)];
        let mut last = name;
        for word in words.get(at + 1..)?.iter().skip_while(|word| !std::ptr::eq(*word, name)).skip(1) {
            let ends = ends_clause(last.after) || is_empty(&word.text) || SLOTS.contains(&&*word.text);
            if ends || is_figure(&word.text) || matches!(&*word.text, "and" | "or") {
                break;
            }
            stems.push(stem(&word.text));
            last = word;
        }
        let before = text_before(words, at, 1);
        let (instead, even) = (before == "instead", is_even(before));
        let (before, name) = (stem(before), name.text.to_string());
        Some(Slot { word: slot, instead, even, before, name, stems })
    };
    words.iter().enumerate().filter_map(named).collect()
}
