//! A sentence that goes on with what the one before it began, "It started on April 9": a summary may tell both in one.

use super::lexer::words;
use super::near::{Said, Sentence, Sources};
use super::words::exact;

/// What a sentence begins with that speaks on of the one before it.
const ONWARD: &[&str] = &["it", "that", "these", "they", "this", "those"];

/// The sentence with the one that it goes on with, and with the one that goes on with it, where each of the two has words
/// of what is told that the other lacks: the pair's range in the source, and the pair as one sentence.
pub(super) fn pairs(told: &Said, from: &Sentence, read: &Sources) -> Vec<((usize, usize), String)> {
    let Some(at) = read.sentences.iter().position(|one| std::ptr::eq(one, from)) else { return Vec::new() };
    let before = at.checked_sub(1).and_then(|before| read.sentences.get(before));
    let next = read.sentences.get(at + 1);
    let tells = |one: &Sentence, other: &Sentence| {
        let own = |stem: &String| one.said().stems.contains(stem) && !other.said().stems.contains(stem);
        told.stems.iter().any(own)
    };
    let pair = |one: &Sentence, other: &Sentence| {
        let follows = one.source == other.source && one.range.1 <= other.range.0 && one.trust == other.trust;
        let joined = || format!("{}, {}", one.text.trim_end_matches(ENDS), other.text);
        let belongs = follows && goes_on(other.text) && tells(one, other) && tells(other, one);
        belongs.then(|| ((one.range.0, other.range.1), joined()))
    };
    let with_before = before.and_then(|before| pair(before, from));
    with_before.into_iter().chain(next.and_then(|next| pair(from, next))).collect()
}

/// What ends a sentence.
const ENDS: &[char] = &['.', '!', ' ', '\n'];

fn goes_on(text: &str) -> bool {
    let plain = exact(text);
    words(&plain).first().is_some_and(|first| ONWARD.contains(&&*first.text))
}

#[cfg(test)]
mod tests {
    use crate::memory::{Support, align};

    fn support(summary: &str, source: &str) -> Support {
        align(summary, &[source])[0].support
    }

    #[test]
    fn what_two_sentences_say_of_one_thing_may_be_told_in_one() {
        let said = "We charge some passengers twice. It started on April 9, always after the payment gateway timed out \
                    (INC-204, see logs/payments-0409.log). Find out why and fix it properly.";
        for (told, wanted) in [
            ("INC-204: passengers charged twice after gateway timeouts", Support::Stands),
            ("Some passengers are charged twice since April 9 (INC-204).", Support::Stands),
            ("Passengers have been charged twice since April 9, after the payment gateway timed out.", Support::Stands),
            ("Passengers were charged twice since April 10 (INC-204).", Support::None),
            ("Passengers were charged three times after gateway timeouts (INC-204).", Support::None),
            ("INC-204: passengers are not charged twice after gateway timeouts", Support::None),
            ("INC-205: passengers charged twice after gateway timeouts", Support::None),
        ] {
            assert_eq!(support(told, said), wanted, "{told}");
        }
        // The place is that of both.
        let from = align("Some passengers are charged twice since April 9 (INC-204).", &[said])[0].from.unwrap();
        assert!(said[from.1.0..from.1.1].starts_with("We charge some"));
        assert!(said[from.1.0..from.1.1].ends_with("-0409.log)."));
        // What speaks of something of its own goes on with nothing.
        let apart = "We charge some passengers twice. The export started on April 9.";
        assert_ne!(support("We charge some passengers twice since April 9.", apart), Support::Stands);
    }
}
