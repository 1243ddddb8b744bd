//! Of proposed facts those that are told: no kind more than its share, and none twice.

use std::collections::HashMap;

use super::candidates::{Candidate, FactKind};

/// Whether of two facts one holds the other. What is referred to again by itself is a fact beside the sentence that names
/// it: nobody repeats that word for word.
fn are_one(one: &Candidate, other: &Candidate) -> bool {
    (one.repeats > 0) == (other.repeats > 0) && (one.text.contains(&other.text) || other.text.contains(&one.text))
}

/// At most so many, no kind more than a third, and no two that are one; and whether there are more.
pub(super) fn thin(found: impl Iterator<Item = Candidate>, most: usize) -> (Vec<Candidate>, bool) {
    let (mut kept, mut more): (Vec<Candidate>, bool) = Default::default();
    let mut of_kind: HashMap<FactKind, usize> = HashMap::new();
    for candidate in found {
        if more && kept.len() >= most {
            break;
        }
        let number = of_kind.entry(candidate.kind).or_default();
        let known = kept.iter().any(|other| are_one(other, &candidate));
        if known || kept.len() >= most || *number * 3 >= most.max(3) {
            more |= !known;
            continue;
        }
        *number += 1;
        kept.push(candidate);
    }
    (kept, more)
}
