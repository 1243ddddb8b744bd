//! Where a proposed fact stands first, whatever stands around it: within a path or a name, too, as a trace finds it.

use rayon::prelude::*;
use regex::{RegexSet, RegexSetBuilder, escape};

use super::candidates::Candidate;
use crate::model::BlockId;

/// Bytes of the automaton that finds all facts at once.
const AUTOMATON: usize = 16 << 20;

/// Moves facts to the first of some texts that holds them. `pieces`: blocks and the steps at which they come in, in their
/// order; `text_of`: what a block says. Facts that are patterns stay where they are.
pub(super) fn first_places(
    facts: &mut [Candidate],
    pieces: &[(BlockId, u32)],
    text_of: impl Fn(BlockId) -> Option<String> + Sync,
) {
    // What stands nowhere stands for a pattern: the numbers of the others stay as they are.
    let literal =
        |fact: &Candidate| if fact.text.starts_with("re:") { "[^\\s\\S]".to_owned() } else { escape(&fact.text) };
    let build = |facts: &[Candidate]| {
        RegexSetBuilder::new(facts.iter().map(literal)).case_insensitive(true).size_limit(AUTOMATON).build()
    };
    let Ok(set): Result<RegexSet, _> = build(facts) else { return };
    let last = facts.iter().map(|fact| fact.came).max().unwrap_or(0);
    let before = || pieces.par_iter().filter(|(_, born)| *born < last);
    let held = |(block, born): &(BlockId, u32)| {
        let text = text_of(*block)?;
        let found: Vec<usize> = set.matches(&text).into_iter().collect();
        Some((*block, *born, found)).filter(|(.., found)| !found.is_empty())
    };
    let held: Vec<(BlockId, u32, Vec<usize>)> = before().filter_map(held).collect();
    for (block, born, found) in held {
        for at in found {
            if let Some(fact) = facts.get_mut(at).filter(|fact| born < fact.came) {
                (fact.block, fact.came) = (block, born);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::candidates::FactKind;
    use super::*;

    #[test]
    fn a_fact_that_stands_in_a_path_came_in_there() {
        let fact = |text: &str, block, came| Candidate {
            kind: FactKind::Identifier,
            text: text.to_owned(),
            block: BlockId(block),
            came,
            needed: 9,
            steps: vec![9],
            repeats: 1,
        };
        let texts = ["the task", "see src/Explain.go", "explain.go and job-77", "job-77 again"];
        let pieces: Vec<(BlockId, u32)> = (0..).map(BlockId).zip([1, 2, 5, 7]).collect();
        let text_of = |block: BlockId| texts.get(block.0 as usize).map(|text| (*text).to_owned());
        let mut facts = vec![fact("explain.go", 2, 5), fact("job-77", 2, 5), fact("re:task", 3, 7), fact("job(", 3, 7)];
        first_places(&mut facts, &pieces, text_of);
        let places: Vec<(u32, u32)> = facts.iter().map(|fact| (fact.block.0, fact.came)).collect();
        assert_eq!(places, [(1, 2), (2, 5), (3, 7), (3, 7)]);
    }
}
