//! Rules that a file called in when it was read: they are loaded anew when it is read again after a compaction.

use rustc_hash::FxHashMap;

use super::{Item, Plan, index};
use crate::model::Layer;

/// Rules that one file calls in at most.
const RULES: usize = 16;

/// Instructions that came in behind what was read of a file, by the steps at which the file is read again. `files`: per
/// item, what tells the file apart that it is the content of; 0 where it is none.
pub(super) fn called_again(plan: &Plan, files: &[u64]) -> Vec<(u32, u32)> {
    let (mut called, mut found) = (FxHashMap::<u64, Vec<u32>>::default(), Vec::new());
    // What was read for the request that is being made.
    let (mut step, mut read) = (0, Vec::new());
    for ((number, item), file) in plan.items.iter().enumerate().zip(files) {
        if item.born != step {
            step = item.born;
            read.clear();
        }
        if item.is_result() && *file != 0 {
            found.extend(called.get(file).into_iter().flatten().map(|rule| (step, *rule)));
            if called.get(file).is_none_or(|rules| rules.len() < RULES) {
                read.push(*file);
            }
        } else if is_rule(item) {
            // A file that calls in no more is not looked at again.
            read.retain(|file| {
                let rules = called.entry(*file).or_default();
                rules.push(index(number));
                rules.len() < RULES
            });
        }
    }
    found
}

fn is_rule(item: &Item) -> bool {
    item.layer == Layer::Instructions && !item.is_result()
}
