//! The stages of a step, one file each. Adding a stage is a file here and a row in [`STAGES`].

mod admit;
mod assemble;
mod cache;
mod collapse;
mod compact;
mod drop;
mod edge;
mod fallback;
mod keeps;
mod memory;
mod microcompact;
mod names;
mod notice;
mod reactive;
mod summarise;
mod summary;
mod truncate;

pub(super) use assemble::end_step;
pub(super) use cache::CacheState;
pub(super) use collapse::{CollapseState, restore};
pub(super) use memory::{MemoryState, wants_place};
pub(super) use microcompact::MicrocompactState;
pub(super) use notice::NoticeState;
pub(super) use summarise::SummariseState;
pub(super) use truncate::TruncateRules;

use crate::model::Stage;

use super::simulate::Sim;

/// A stage: decides once, for the step that is being made.
type Row = (Stage, fn(&mut Sim));

/// The stages, in the order in which a step asks them. Cheapest first (source 5).
pub(super) static STAGES: &[Row] = &[
    (Stage::Admit, admit::run),
    (Stage::Pack, memory::pack),
    (Stage::Truncate, truncate::run),
    (Stage::Microcompact, microcompact::run),
    (Stage::Collapse, collapse::early),
    (Stage::Summarise, summarise::run),
    (Stage::Reactive, reactive::run),
    (Stage::Drop, drop::run),
    (Stage::Collapse, collapse::last),
    (Stage::Pack, memory::look_again),
    (Stage::Reconcile, memory::reconcile),
    (Stage::Notice, notice::run),
];
