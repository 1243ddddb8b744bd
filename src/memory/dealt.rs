//! What a sentence deals out to several: "a, b and c own 1, 2 and 3 respectively" is not the same with others.

use std::collections::BTreeSet;

/// What belongs to what, by the stems of both.
#[derive(Clone, Debug)]
pub(super) struct Dealt {
    /// Either first: "Ops and Finance own a and b" is "a and b are owned by Ops and Finance".
    pairs: BTreeSet<(String, String)>,
    /// The verb, or another word by which that is told.
    verb: String,
}

impl Dealt {
    /// Of a sentence with "respectively", by the stems of its clauses: one thing each, the verb between the two lists,
    /// and nothing else. `None` where it is built otherwise.
    pub fn of(clauses: &[Vec<String>]) -> Option<Dealt> {
        let said = |stem: &&String| !stem.starts_with("respect");
        let clauses = clauses.iter().map(|clause| clause.iter().filter(said).collect::<Vec<_>>());
        let clauses: Vec<_> = clauses.filter(|clause| !clause.is_empty()).collect();
        let half = clauses.len() / 2;
        let (mut things, mut verb) = (Vec::new(), None);
        for (at, clause) in clauses.iter().enumerate() {
            match *clause.as_slice() {
                [one] if at != half => things.push(one),
                [one, own, two] if at == half => {
                    things.extend([one, two]);
                    verb = Some(String::clone(own));
                }
                _ => return None,
            }
        }
        let (owners, owned) = things.split_at(things.len() / 2);
        let pair = |(one, two): (&&String, &&String)| {
            let (first, second) = if one < two { (one, two) } else { (two, one) };
            (String::clone(first), String::clone(second))
        };
        let is_even = owners.len() == owned.len() && owners.len() > 1;
        let pairs: BTreeSet<_> = owners.iter().zip(owned).map(pair).collect();
        verb.filter(|_| is_even).map(|verb| Dealt { pairs, verb })
    }

    /// Whether another deals out the same things otherwise.
    pub fn is_otherwise(&self, other: &Dealt) -> bool {
        let things = |one: &Dealt| -> BTreeSet<String> {
            one.pairs.iter().flat_map(|(one, two)| [one.clone(), two.clone()]).collect()
        };
        self.verb == other.verb && self.pairs != other.pairs && things(self) == things(other)
    }
}
