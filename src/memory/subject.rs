//! Whom or what a sentence names before its verb: "Paris hosts the meeting" is said of Paris, though every sentence
//! begins with a capital.

use super::irregular::verb_of;
use super::nowhere::is_of_any_work;
use super::sense::{is_empty, stem};
use super::words::is_silent;

/// Words of a name at most.
const WORDS: usize = 3;
/// Forms of verbs behind a name that do not end like one.
const VERBS: &[&str] = &["had", "has", "is", "was", "will"];
/// Endings of what is no name but a deed or a state.
const ABSTRACT: &[&str] = &["ance", "ence", "ing", "ism", "ity", "ment", "ness", "ship", "sion", "tion"];
/// Words that stand for somebody or something, or point at it.
const POINTS: &[&str] = &[
    "another",
    "anybody",
    "anyone",
    "anything",
    "each",
    "either",
    "every",
    "everybody",
    "everyone",
    "everything",
    "neither",
    "never",
    "no",
    "nobody",
    "none",
    "nothing",
    "one",
    "people",
    "please",
    "somebody",
    "someone",
    "something",
    "those",
    "whoever",
];

/// A name before a verb.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Subject<'a> {
    /// As it is written.
    pub name: &'a str,
    /// The stem of the verb.
    pub verb: String,
    /// Whether it is written with a capital.
    pub is_great: bool,
}

/// The name that a sentence begins with, without an article or a word for any work, where a verb of one follows.
pub(super) fn subject_of(sentence: &str) -> Option<Subject<'_>> {
    let sentence = sentence.trim_start_matches(|sign: char| !sign.is_alphanumeric());
    let (mut end, mut names, mut words) = (0, Vec::new(), sentence.split_whitespace());
    let verb = loop {
        let word = words.next()?;
        let small = word.trim_end_matches(|sign: char| !sign.is_alphanumeric()).to_lowercase();
        if !names.is_empty() && is_verb(&small, &names) && says_of(words.clone().next()) {
            break small;
        }
        // What a comma or a colon parts from its verb leads it in.
        if names.len() >= WORDS || !word.chars().all(|sign| sign.is_alphanumeric() || sign == '-') {
            return None;
        }
        names.push(small);
        let from = word.as_ptr() as usize - sentence.as_ptr() as usize;
        end = from + word.len();
    };
    let name = sentence.get(..end)?;
    let is_great = name.split_whitespace().all(|word| word.starts_with(char::is_uppercase));
    let first = names.first()?;
    let is_word = is_silent(first) || is_empty(first) || POINTS.contains(&&**first);
    let is_word = is_word || (names.len() == 1 && is_of_any_work(first));
    let is_abstract =
        names.len() == 1 && ABSTRACT.iter().any(|end| first.len() > end.len() + 2 && first.ends_with(end));
    let stands = !is_word && !is_abstract && (is_great || names.len() == 1);
    stands.then(|| Subject { name, verb: stem(&verb), is_great })
}

/// Whether a word is the verb of one that some words name. What is told as done may be told of many.
fn is_verb(word: &str, names: &[String]) -> bool {
    let is_many = names.last().is_some_and(|last| last.ends_with('s'));
    let ends = |end: &str| word.len() > 3 && word.ends_with(end);
    let is_of_one = ends("s") && !["ss", "us", "is"].iter().any(|end| word.ends_with(end));
    word.chars().all(char::is_alphabetic)
        && !is_silent_verb(word)
        && (VERBS.contains(&word) || verb_of(word).is_some() || is_of_one || (ends("ed") && !is_many))
}

/// Whether a word says what a verb is done to: "Ship services on Friday" has none, nor has "Merge requests need".
fn says_of(next: Option<&str>) -> bool {
    const LEADS: &[&str] =
        &["after", "and", "at", "before", "by", "every", "for", "from", "in", "on", "or", "to", "with"];
    const OF_MANY: &[&str] = &[
        "are", "can", "come", "do", "expire", "fail", "get", "go", "have", "may", "must", "need", "pass", "require",
        "run", "should", "stay", "take", "use", "were", "will",
    ];
    next.is_some_and(|next| !LEADS.contains(&next) && !OF_MANY.contains(&next))
}

/// Words that end like a verb of one and are none.
fn is_silent_verb(word: &str) -> bool {
    matches!(word, "always" | "as" | "perhaps" | "sometimes" | "this" | "thus")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_stands_before_the_verb_of_one() {
        let of = |text| subject_of(text).map(|subject| subject.name);
        for (text, name) in [
            ("Paris hosts the meeting", "Paris"),
            ("paris hosts the meeting", "paris"),
            ("New York hosts it.", "New York"),
            ("Alice approved it.", "Alice"),
            ("- Kafka is the broker.", "Kafka"),
        ] {
            assert_eq!(of(text), Some(name), "{text}");
        }
        for text in [
            "The city hosts the meeting",
            "Customers approved it.",
            "Restart the server",
            "Deployment happens today",
            "Everyone signs it",
            "Yesterday, Paris won.",
            "new machines is wrong",
            "",
        ] {
            assert_eq!(of(text), None, "{text}");
        }
    }
}
