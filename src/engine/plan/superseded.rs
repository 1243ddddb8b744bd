//! Which results a later call answers anew: one that asks for the same, or that reads the whole of a file of which an
//! earlier one read a part.

use std::collections::HashMap;

use super::arguments::Target;
use super::{Item, Plan};

/// Results whose call is made again: step of the later result, item. By step. `targets`: per item, what a call asks for.
pub(super) fn superseded(plan: &Plan, targets: &[Target]) -> Vec<(u32, u32)> {
    let (mut found, mut latest) = (Vec::new(), HashMap::new());
    let mut read: HashMap<u64, Vec<u32>> = HashMap::new();
    for item in &plan.items {
        let call = item.call;
        let Some(target) = targets.get(call as usize).filter(|target| target.same != 0) else { continue };
        // The first part of a result tells that it has come.
        if plan.items.get(call as usize).and_then(|call| plan.items.get(call.next as usize)).map(|next| next.block)
            != Some(item.block)
        {
            continue;
        }
        let mut leave = |before: u32| {
            results(plan, before).for_each(|at| found.push((item.born, at)));
        };
        if let Some(before) = latest.insert(target.same, call) {
            leave(before);
        }
        if target.file == 0 {
            continue;
        }
        let parts = read.entry(target.file).or_default();
        if target.whole {
            parts.drain(..).for_each(leave);
        } else {
            parts.push(call);
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// The results of a call.
fn results(plan: &Plan, call: u32) -> impl Iterator<Item = u32> + '_ {
    let next = |at: u32| plan.items.get(at as usize).map(|item: &Item| item.next);
    std::iter::successors(next(call), move |at| next(*at)).filter(|at| (*at as usize) < plan.items.len())
}
