//! The stages of a step, one file each. Adding a stage is a row in the table of [`Stage`], a file here and an arm in
//! [`turns`].

mod admit;
mod assemble;
mod beside;
mod cache;
mod chooser;
mod collapse;
mod compact;
mod drop;
mod edge;
mod fallback;
mod input;
mod keeps;
mod last_usage;
mod memory;
mod microcompact;
mod names;
mod notice;
mod reactive;
mod returns;
mod summarise;
mod summary;
mod thinking;
mod truncate;
mod turn_line;

pub(super) use assemble::end_step;
pub(super) use cache::CacheState;
pub(super) use collapse::{CollapseState, restore};
pub(super) use memory::{MemoryState, shows, wants_place};
pub(super) use microcompact::MicrocompactState;
pub(super) use notice::NoticeState;
pub(super) use summarise::{SummariseState, Tally};
pub(super) use thinking::ThinkingState;
pub(super) use truncate::TruncateRules;

use crate::model::Stage;

use super::simulate::Sim;

/// Asks every stage, in their order, for the step that is being made. Each decides once.
pub(super) fn run(sim: &mut Sim) {
    for stage in Stage::ALL {
        for turn in turns(*stage) {
            turn(sim);
        }
    }
}

/// What happens when it is a stage's turn.
fn turns(stage: Stage) -> &'static [fn(&mut Sim)] {
    match stage {
        Stage::Admit => &[admit::run],
        Stage::Pack => &[memory::pack],
        Stage::Truncate => &[truncate::run],
        Stage::Microcompact => &[microcompact::run],
        Stage::Collapse => &[collapse::early],
        Stage::Summarise => &[summarise::run],
        Stage::Reactive => &[reactive::run],
        // Two look again at what is left then.
        Stage::Drop => &[drop::run, collapse::last, memory::look_again],
        Stage::Reconcile => &[memory::reconcile],
        Stage::Notice => &[notice::run],
        // The history goes back before stages are asked, files are prepared before a step, a summary preserves first.
        Stage::Session | Stage::Rewind | Stage::Reasoning => &[],
        Stage::Limit | Stage::Select | Stage::Preserve => &[],
    }
}
