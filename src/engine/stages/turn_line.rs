//! The line that stands for a collapsed turn. It tells of what is still there of the turn: what another stage took or cut
//! before is no part of it.

use std::sync::Arc;

use crate::engine::plan::{Left, Line};
use crate::engine::simulate::{Content, Sim};
use crate::model::{Fate, Made};

/// Tokens of the line of a turn that is there whole; one of which less is left is no longer, as a rule.
pub(super) fn line_tokens(sim: &Sim, unit: u32) -> u64 {
    whole(sim, unit).map_or(UNREAD, |line| line.tokens)
}

/// Tokens of a line as long as no text has been read.
const UNREAD: u64 = 24;

fn whole<'a>(sim: &Sim<'a>, unit: u32) -> Option<&'a Line> {
    sim.plan.texts.as_ref()?.lines.get(unit as usize)
}

/// The line of a turn as it stands.
pub(super) fn line_of(sim: &Sim, unit: u32) -> Line {
    let plan = sim.plan;
    let Some((texts, whole)) = plan.texts.as_ref().zip(whole(sim, unit)) else {
        return Line { text: Arc::from("[an earlier turn]"), tokens: UNREAD };
    };
    // Of a result the line tells no more than its call does.
    let is_own = |item: &&u32| plan.items.get(**item as usize).is_some_and(|about| !about.is_result());
    let is_whole = |item: &u32| left(sim, *item) == Left::Beginning;
    match plan.items_of(unit).iter().filter(is_own).all(is_whole) {
        true => whole.clone(),
        false => plan.line(texts, unit, |item| left(sim, item)),
    }
}

/// What is left of an item.
fn left(sim: &Sim, item: u32) -> Left {
    let piece = sim.pieces.get(sim.standing_for(item) as usize);
    match piece.map(|piece| (piece.fate, &piece.content)) {
        None => Left::Nothing,
        Some((_, Content::Item)) => Left::Beginning,
        Some((Fate::Cleared, _)) => Left::Part,
        Some((_, Content::Made(made))) => {
            let quote = sim.plan.texts.as_ref().and_then(|texts| texts.quotes.get(item as usize)?.as_ref());
            // The words of a quotation are as they stand there, but for its blanks and the sign that ends it.
            let quoted = quote.map_or(0, |quote| quote.len() as u64);
            match made[..] {
                [Made::Part(_, 0, end, _), ..] if end >= quoted => Left::Beginning,
                _ => Left::Part,
            }
        }
    }
}
