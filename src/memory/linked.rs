//! A sentence that goes on with what the one before it began, "It started on April 9": a summary may tell both in one.

use super::lexer::Word;
use super::measure::Support;
use super::near::{Said, Sentence, Sources};

/// What a sentence begins with that speaks on of the one before it.
const ONWARD: &[&str] = &["it", "that", "these", "they", "this", "those"];

/// Share of its words that two sentences need to say it together.
pub(super) const SAID: f64 = 0.75;

/// Two sentences as one.
pub(super) struct Pair {
    pub text: String,
    /// The source's number, and the range of both.
    pub from: (usize, (usize, usize)),
    /// Whether something is done in them.
    pub acts: bool,
}

/// Pairs that are asked, at most.
const ASKED: usize = 4;

/// The sentences that go on with the one before, each with that, where both together have most words of what is told, and
/// each has some that the other lacks: those with the most first.
#[allow(clippy::cast_precision_loss)]
pub(super) fn pairs(told: &Said, read: &Sources) -> Vec<Pair> {
    let lack = (1.0 - SAID) * told.stems.len() as f64;
    let shared = |at: &usize| {
        let (one, other) = (read.sentences.get(at.checked_sub(1)?)?, read.sentences.get(*at)?);
        let follows = one.source == other.source && one.trust == Support::Stands && other.trust == Support::Stands;
        let (mut by_one, mut by_other, mut lacks) = (false, false, 0);
        for stem in told.stems.iter().filter(|_| follows) {
            match (read.holds(at - 1, stem), read.holds(*at, stem)) {
                (true, false) => by_one = true,
                (false, true) => by_other = true,
                (false, false) => lacks += 1,
                (true, true) => {}
            }
        }
        (by_one && by_other && lacks as f64 <= lack).then_some((lacks, one, other))
    };
    let mut found: Vec<_> = read.onward.iter().filter_map(shared).collect();
    found.sort_by_key(|(lacks, ..)| *lacks);
    let pair = |(_, one, other): (usize, &Sentence, &Sentence)| Pair {
        text: format!("{}, {}", one.text.trim_end_matches(ENDS), other.text),
        from: (one.source, (one.range.0, other.range.1)),
        acts: one.acts,
    };
    found.into_iter().take(ASKED).map(pair).collect()
}

/// What ends a sentence.
const ENDS: &[char] = &['.', '!', ' ', '\n'];

/// Whether a sentence goes on with the one before it.
pub(super) fn goes_on(words: &[Word]) -> bool {
    words.first().is_some_and(|first| ONWARD.contains(&&*first.text))
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
