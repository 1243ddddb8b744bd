//! The prompts that the model answered, by the names that records give: where a session is open in two terminals, the
//! answer may come after what was asked in the other.

use std::collections::{HashMap, HashSet};

use super::record::{Key, Parent, Parsed, Saying, What};

/// The prompts at `lines` of `all` that an answer names, be it over notices that came between.
pub(super) fn replied(all: &[Parsed], lines: &[u32]) -> HashSet<Key> {
    let (mut prompts, mut replied) = (HashMap::new(), HashSet::new());
    for parsed in lines.iter().filter_map(|line| all.get(*line as usize)) {
        let before = match parsed.parent {
            Parent::Of(key) => prompts.get(&key).copied(),
            Parent::Unsaid | Parent::None => None,
        };
        let of: Option<Key> = match &parsed.what {
            What::Said(said) if said.saying == Saying::Prompt => parsed.uuid,
            What::Said(said) if said.saying == Saying::Other => before,
            What::Nothing(_) | What::Leaf(_) | What::Retracted(_) | What::Progress { .. } => before,
            What::Answered(answer) if answer.made.is_none() => {
                replied.extend(before);
                None
            }
            _ => None,
        };
        if let Some((own, of)) = parsed.uuid.zip(of) {
            prompts.insert(own, of);
        }
    }
    replied
}
