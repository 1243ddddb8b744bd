//! Which results a later call answers anew: one that asks for the same, or that reads the whole of a file of which an
//! earlier one read a part. A call of a branch that was left by then is none of them.

use std::collections::HashMap;

use super::arguments::Target;
use super::{Gone, Item, Plan, index};

/// A result whose call is made again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Superseded {
    /// The step at which the later result comes in.
    pub step: u32,
    /// The earlier result.
    pub of: u32,
    /// The later one.
    pub by: u32,
}

/// What was read of a file, as calls.
#[derive(Default)]
struct File {
    /// Parts, since it was last read whole.
    parts: Vec<u32>,
    /// Where it was read whole, with the parts that this answered anew.
    covered: Vec<(u32, Vec<u32>)>,
}

/// Results whose call is made again, by step. `targets`: per item, what a call asks for.
pub(super) fn superseded(plan: &Plan, gone: &Gone, targets: &[Target]) -> Vec<Superseded> {
    let (mut found, mut latest) = (Vec::new(), HashMap::<u64, Vec<u32>>::new());
    let mut read: HashMap<u64, File> = HashMap::new();
    for (by, item) in plan.items.iter().enumerate() {
        let (by, call) = (index(by), item.call);
        let Some(target) = targets.get(call as usize).filter(|target| target.same != 0) else { continue };
        // The first part of a result tells that it has come.
        if plan.items.get(call as usize).and_then(|call| plan.items.get(call.next as usize)).map(|next| next.block)
            != Some(item.block)
        {
            continue;
        }
        let mut leave = |before: u32| {
            found.extend(results(plan, before).map(|of| Superseded { step: item.born, of, by }));
        };
        let same = latest.entry(target.same).or_default();
        while same.pop_if(|before| gone.before(*before, by)).is_some() {}
        same.last().copied().into_iter().for_each(&mut leave);
        same.push(call);
        if target.file == 0 {
            continue;
        }
        let file = read.entry(target.file).or_default();
        while let Some((_, parts)) = file.covered.pop_if(|(whole, _)| gone.before(*whole, by)) {
            file.parts.extend(parts);
        }
        if target.whole {
            let parts = std::mem::take(&mut file.parts);
            parts.iter().copied().for_each(leave);
            file.covered.push((call, parts));
        } else {
            file.parts.push(call);
        }
    }
    found.sort_unstable();
    found.dedup_by_key(|one| (one.step, one.of));
    found
}

/// The results of a call.
fn results(plan: &Plan, call: u32) -> impl Iterator<Item = u32> + '_ {
    let next = |at: u32| plan.items.get(at as usize).map(|item: &Item| item.next);
    std::iter::successors(next(call), move |at| next(*at)).filter(|at| (*at as usize) < plan.items.len())
}
