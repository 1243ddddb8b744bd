//! The stable prefix: how much of a window stands unchanged since the step before, which a prompt cache can reuse.

use crate::model::Run;

/// Sums by place that can be changed and asked in logarithmic time (a Fenwick tree).
struct Sums(Vec<u64>);

impl Sums {
    fn change(&mut self, place: u32, tokens: u64, add: bool) {
        let mut at = place as usize + 1;
        while let Some(sum) = self.0.get_mut(at) {
            *sum = if add { sum.wrapping_add(tokens) } else { sum.wrapping_sub(tokens) };
            at += at & at.wrapping_neg();
        }
    }

    /// The sum over all places before this one.
    fn before(&self, place: usize) -> u64 {
        let mut at = place.min(self.0.len().saturating_sub(1));
        let mut sum = 0u64;
        while at > 0 {
            sum = sum.wrapping_add(self.0[at]);
            at &= at - 1;
        }
        sum
    }
}

/// Per step, the tokens of the entries that stand before the first change since the step before.
pub(super) fn stable_prefixes(run: &Run) -> Vec<u64> {
    let steps = run.steps.len();
    let mut changes: Vec<(u32, bool, u32, u64)> = Vec::new();
    let mut places = 0;
    for entry in &run.entries {
        for life in &entry.lives {
            if life.died == Some(life.born) {
                continue;
            }
            places = places.max(life.place as usize + 1);
            changes.push((life.born, true, life.place, entry.tokens));
            changes.extend(life.died.map(|died| (died, false, life.place, entry.tokens)));
        }
    }
    changes.sort_unstable();
    let mut sums = Sums(vec![0; places + 1]);
    let mut prefixes = Vec::with_capacity(steps);
    let mut rest = changes.as_slice();
    for step in (1u32..).take(steps) {
        let (now, later) = rest.split_at(rest.partition_point(|change| change.0 <= step));
        rest = later;
        let first = now.iter().map(|change| change.2 as usize).min().unwrap_or(places);
        prefixes.push(sums.before(first));
        for (_, add, place, tokens) in now {
            sums.change(*place, *tokens, *add);
        }
    }
    prefixes
}
