//! Who is never referred to again: the evidence of [`super::terms`] alone, for a transcript that is only looked at.

use rayon::prelude::*;

use super::references::{Referrals, Voice};
use super::terms::{Term, terms_of};
use super::{Counted, Gone, NONE, Plan, index};
use crate::content::{Sources, Watch};
use crate::engine::StepFacts;
use crate::model::{Body, ThreadId, Transcript};
use crate::tokens::{Count, Encoding};

/// By block, whether a later answer of the model repeats a distinctive term of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Referred(Vec<Fate>);

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Fate {
    /// Not a part of the thread, or nothing was answered after it.
    #[default]
    Unknown,
    Never,
    Again,
}

impl Referred {
    /// Whether a block was referred to later; `None` where no answer came after it.
    #[must_use]
    pub fn again(&self, block: crate::model::BlockId) -> Option<bool> {
        match self.0.get(block.0 as usize)? {
            Fate::Unknown => None,
            fate => Some(*fate == Fate::Again),
        }
    }
}

/// Texts read between two looks at the wish to stop.
const BATCH: usize = 512;

/// Reads every text of a thread once, on all cores; `None` where the watch is cancelled. What cannot be read refers to
/// nothing.
#[must_use]
pub fn referred(transcript: &Transcript, sources: &Sources, thread: ThreadId, watch: &Watch) -> Option<Referred> {
    let counted = Counted { encoding: Encoding::O200kBase, factor: 1.0, originals: false };
    let plan = Plan::new(transcript, thread, counted, |_, _| Count::default(), |_| StepFacts::default());
    let unit_of = |item: u32| plan.items.get(item as usize).map_or(NONE, |item| item.unit);
    let (mut referrals, mut telling) = (Referrals::over(Gone::of(&plan)), Vec::with_capacity(plan.items.len()));
    for (batch, items) in plan.items.chunks(BATCH).enumerate() {
        if watch.is_cancelled() {
            return None;
        }
        let found: Vec<Vec<Term>> = items
            .par_iter()
            .map(|item| {
                let body = transcript.block(item.block).map(|block| &block.body);
                let text = body.filter(|body| matches!(body, Body::Text { .. }));
                text.and_then(|body| sources.body_text(body).ok())
                    .map_or_else(Vec::new, |text| terms_of(item.kind, &text))
            })
            .collect();
        for ((at, item), terms) in (batch * BATCH..).zip(items).zip(found) {
            telling.push(!terms.is_empty());
            referrals.take(index(at), item.born, item.unit, Voice::of(item), &terms, unit_of);
        }
    }
    let last = plan.items.iter().filter(|item| Voice::of(item) == Voice::Model).map(|item| item.unit).max();
    let mut fates = vec![Fate::Unknown; transcript.blocks.len()];
    let mut set = |item: &super::Item, fate| {
        if let Some(place) = fates.get_mut(item.block.0 as usize) {
            *place = fate;
        }
    };
    // A text without names, paths and numbers gives no sign of being used, so nothing is said of it.
    for (item, _) in
        plan.items.iter().zip(telling).filter(|(item, telling)| *telling && last.is_some_and(|last| item.unit < last))
    {
        set(item, Fate::Never);
    }
    let mut again = vec![false; plan.items.len()];
    for reference in &referrals.references {
        if let Some(place) = again.get_mut(reference.of as usize) {
            *place = true;
        }
    }
    // Who speaks later of what was asked for (a path, say) uses what came of it.
    for (item, own) in plan.items.iter().zip(&again) {
        if *own || again.get(item.call as usize).is_some_and(|call| *call) {
            set(item, Fate::Again);
        }
    }
    Some(Referred(fates))
}
