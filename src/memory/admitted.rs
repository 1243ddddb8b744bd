//! How much is let in: what is refused above 20 MB is let in up to 20 MB, and neither from 20 MB on nor below it alone.

use super::denied::denies_at;
use super::figure::{figures_among, is_same};
use super::lexer::{Word, text_at};

/// Stems of words that refuse, and that let in.
const REFUSES: &[&str] = &["block", "declin", "denied", "deny", "disallow", "forbid", "prohibit", "refus", "reject"];
const ADMITS: &[&str] = &["accept", "allow", "permit"];
/// Words of more and of less, with "than" behind them or as they are.
const MORE: &[&str] = &["bigger", "greater", "higher", "larger", "longer", "more"];
const LESS: &[&str] = &["fewer", "less", "lower", "shorter", "smaller"];
const ABOVE: &[&str] = &["above", "beyond", "exceed", "exceeding", "exceeds", "over"];
const BELOW: &[&str] = &["below", "under"];
/// Words that say by themselves what the least and the most is.
const FLOORS: &[&str] = &["least", "min", "minimum"];
const CEILINGS: &[&str] = &["limit", "max", "maximum", "most"];
/// Words that may stand between these and the figure.
const BETWEEN: &[&str] = &["a", "an", "be", "is", "of", "the", "to"];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    AtLeast,
    AtMost,
    /// The figure itself is refused.
    Refused,
}

/// The figures up to which, or from which on, something is let in.
#[derive(Clone, Debug, Default)]
pub(super) struct Admitted {
    limits: Vec<(Kind, String)>,
    /// Whether it says so by what it denies: "shorter ones are not allowed".
    denies: bool,
}

impl Admitted {
    /// Takes a sentence in.
    pub fn read(&mut self, words: &[Word]) {
        let says = |of: &[&str]| words.iter().any(|word| of.iter().any(|start| word.text.starts_with(start)));
        let (refuses, admits) = (says(REFUSES), says(ADMITS));
        let is_bounded = |word: &Word| FLOORS.contains(&&*word.text) || CEILINGS.contains(&&*word.text);
        if !refuses && !admits && !words.iter().any(is_bounded) {
            return;
        }
        let texts: Vec<&str> = words.iter().map(|word| &*word.text).collect();
        let is_refusal = |at: usize| REFUSES.iter().any(|start| texts[at].starts_with(start));
        let denied = (0..texts.len()).any(|at| !is_refusal(at) && denies_at(&texts, at));
        // What it does with what is meant; both at once tell nothing.
        let refused = (refuses != admits).then_some(refuses != denied);
        for figure in figures_among(words).into_iter().filter(|figure| figure.is_number) {
            let from = figure.place.0;
            let before = |back: usize| from.checked_sub(back).map_or("", |at| text_at(words, at));
            let mut near = (1..=3).map(before).skip_while(|word| BETWEEN.contains(word));
            let next = near.next().unwrap_or_default();
            let more = (next == "than" && MORE.contains(&before(2))) || ABOVE.contains(&next);
            let less = (next == "than" && LESS.contains(&before(2))) || BELOW.contains(&next);
            let kind = match (more, less, refused) {
                _ if FLOORS.contains(&next) && !denied => Kind::AtLeast,
                _ if CEILINGS.contains(&next) && !denied => Kind::AtMost,
                (true, _, Some(true)) | (_, true, Some(false)) => Kind::AtMost,
                (true, _, Some(false)) | (_, true, Some(true)) => Kind::AtLeast,
                (false, false, Some(true)) => Kind::Refused,
                _ => continue,
            };
            self.denies |= denied;
            self.limits.push((kind, figure.text));
        }
    }

    /// Whether another lets in from a figure on what this lets in up to it, or refuses it.
    pub fn is_against(&self, other: &Admitted) -> bool {
        let has = |of: &Admitted, figure: &str, kind: &dyn Fn(Kind) -> bool| {
            of.limits.iter().any(|(one, text)| is_same(figure, text) && kind(*one))
        };
        self.limits.iter().any(|(own, figure)| {
            has(other, figure, &|kind| kind != *own)
                && !has(other, figure, &|kind| kind == *own)
                && !has(self, figure, &|kind| kind != *own)
        })
    }

    /// Whether it says by denying it what another says without: the same and only limit.
    pub fn is_as_in(&self, other: &Admitted) -> bool {
        self.denies != other.denies
            && matches!((&*self.limits, &*other.limits), ([(own, one)], [(kind, two)]) if own == kind && is_same(one, two))
    }
}

#[cfg(test)]
mod tests {
    use super::super::measure::{Support, align};

    #[test]
    fn what_is_let_in_up_to_a_figure_is_not_let_in_from_it_on() {
        for (told, source) in [
            ("Names shorter than 40 characters are rejected.", "Names may have at most 40 characters."),
            ("Names longer than 40 characters are allowed.", "Names may have at most 40 characters."),
            ("Passwords of 12 characters are not allowed.", "Passwords must have at least 12 characters."),
            ("Passwords longer than 12 characters are not allowed.", "Passwords must have at least 12 characters."),
            ("Uploads smaller than 20 MB are rejected.", "The upload limit is 20 MB."),
            ("Uploads larger than 20 MB are accepted.", "The upload limit is 20 MB."),
            ("Batches over 500 rows are accepted.", "Batches over 500 rows are refused."),
        ] {
            assert_ne!(align(told, &[source])[0].support, Support::Stands, "{told} / {source}");
        }
        for (told, source) in [
            ("Names longer than 40 characters are rejected.", "Names may have at most 40 characters."),
            ("Passwords with fewer than 12 characters are rejected.", "Passwords must have at least 12 characters."),
            ("Batches over 500 rows are not accepted.", "Batches over 500 rows are refused."),
        ] {
            assert_ne!(align(told, &[source])[0].support, Support::None, "{told} / {source}");
        }
    }
}
