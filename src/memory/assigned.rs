//! What a sentence gives to what, where it speaks of several: "staging: db-1, prod: db-2" gives db-2 to nothing but prod,
//! and "from a to b" is not "from b to a".

use std::collections::BTreeSet;

use super::sense::{is_empty, stem};
use super::words::is_silent;

/// Words of what follows "from" and "to".
const WAY: usize = 3;
/// What stands between a name and what it is given.
const GIVES: &[&str] = &[": ", " = ", "=", " is ", " are ", " \u{2192} "];

/// The stems of what something is said of, or of what is said.
type Stems = BTreeSet<String>;

/// What a sentence gives to what.
#[derive(Clone, Debug, Default)]
pub(super) struct Assigned {
    /// All stems.
    all: Stems,
    /// Names, and what each is given, where there are several.
    pairs: Vec<(Stems, Stems)>,
    /// From where, and to where.
    way: Option<(Stems, Stems)>,
}

impl Assigned {
    /// Of a sentence.
    pub fn of(text: &str) -> Assigned {
        let lower = text.to_lowercase();
        let clauses = lower.split([',', ';', '\n']).flat_map(|clause| clause.split(" and "));
        let pair = |clause: &str| {
            let (at, sign) = GIVES.iter().filter_map(|sign| Some((clause.find(sign)?, sign))).min()?;
            let (name, given) = (stems(&clause[..at]), stems(&clause[at + sign.len()..]));
            (!name.is_empty() && !given.is_empty()).then_some((name, given))
        };
        let pairs: Vec<(Stems, Stems)> = clauses.filter_map(pair).collect();
        let pairs = if pairs.len() > 1 { pairs } else { Vec::new() };
        Assigned { all: stems(&lower), pairs, way: way(&lower) }
    }

    /// Whether it gives what another sentence says to something else, or goes the other way.
    pub fn is_against(&self, other: &Assigned) -> bool {
        self.gives_otherwise(other) || self.goes_back(other)
    }

    /// Of the names that it gives something to, one is more what the other speaks of than that which has its values.
    fn gives_otherwise(&self, other: &Assigned) -> bool {
        let shared = |own: &Stems| own.intersection(&other.all).count();
        let Some(most) = self.pairs.iter().map(|(_, given)| shared(given)).max().filter(|most| *most > 0) else {
            return false;
        };
        let (has, lacks): (Vec<_>, Vec<_>) = self.pairs.iter().partition(|(_, given)| shared(given) == most);
        let named = |pairs: &[&(Stems, Stems)]| pairs.iter().map(|(name, _)| shared(name)).max().unwrap_or(0);
        named(&lacks) > named(&has)
    }

    fn goes_back(&self, other: &Assigned) -> bool {
        let (Some((from, to)), Some((first, last))) = (&self.way, &other.way) else { return false };
        let only = |one: &Stems, but: &Stems| one.difference(but).cloned().collect::<Stems>();
        let (from, to, first, last) = (only(from, to), only(to, from), only(first, last), only(last, first));
        !from.is_disjoint(&last) && !to.is_disjoint(&first) && from.is_disjoint(&first) && to.is_disjoint(&last)
    }
}

fn stems(text: &str) -> Stems {
    let words = text.split(|sign: char| !sign.is_alphanumeric()).filter(|word| !word.is_empty());
    words.filter(|word| word.len() == 1 || !(is_silent(word) || is_empty(word))).map(stem).collect()
}

/// What follows "from", and what follows "to" behind it.
fn way(lower: &str) -> Option<(Stems, Stems)> {
    let clause = lower.split_once("from ").filter(|(before, _)| before.is_empty() || before.ends_with(' '))?.1;
    let (from, to) = clause.split_once(" to ")?;
    let to = to.split([',', ';', '.', '\n']).next().unwrap_or_default();
    let to = to.split_whitespace().take(WAY).collect::<Vec<_>>().join(" ");
    (from.split_whitespace().count() <= WAY).then(|| (stems(from), stems(&to)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_given_to_another_is_told_otherwise() {
        let against = |said: &str, sought: &str| Assigned::of(said).is_against(&Assigned::of(sought));
        for (said, sought) in [
            ("api-alpha: 9 workers, api-beta: 4 workers", "4 workers for api-alpha"),
            ("staging host: db-2, prod host: db-1", "The staging host is db-1"),
            ("Release manager is Emil, QA lead is Dora.", "Dora manages the releases"),
            ("Data is copied from bucket-b to bucket-a.", "data moves from bucket-a to bucket-b"),
        ] {
            assert!(against(said, sought), "{said} / {sought}");
        }
        for (said, sought) in [
            ("api-alpha: 4 workers, api-beta: 9 workers", "4 workers for api-alpha"),
            ("staging host: db-1, prod host: db-2", "The staging host is db-1"),
            ("both hosts: db-1, both ports: 22", "The staging host is db-1"),
            ("Release manager is Dora, QA lead is Emil.", "Dora manages the releases"),
            ("The port is 8443, and the host is db-1.", "The port is 8443"),
            ("Data is copied from bucket-a to bucket-b.", "data moves from bucket-a to bucket-b"),
            ("It went from 3 to 5 workers", "from 3 to 5"),
        ] {
            assert!(!against(said, sought), "{said} / {sought}");
        }
    }
}
