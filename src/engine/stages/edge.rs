//! Where the newest part of a history begins that a setting spares.

use crate::engine::plan::Item;
use crate::engine::simulate::Sim;
use crate::policy::{Amount, Share, Unit};

/// Whether an item is older than the newest so many turns, rounds or messages. Amounts of tokens are summed by whoever
/// asks.
pub(super) fn is_older(amount: Amount, item: &Item, newest: &Item) -> bool {
    let Amount::Count(count, unit) = amount else { return false };
    let age = match unit {
        Unit::Turns => newest.turn.saturating_sub(item.turn),
        Unit::Rounds => newest.round.saturating_sub(item.round),
        Unit::Messages => newest.message.saturating_sub(item.message),
        Unit::Events | Unit::Results | Unit::Tokens => return false,
    };
    u64::from(age) >= count
}

/// The tokens that an amount spares of a history of so many; `None` where it does not count tokens.
pub(super) fn tokens_of(amount: Amount, history: u64) -> Option<u64> {
    match amount {
        Amount::Count(tokens, Unit::Tokens) => Some(tokens),
        Amount::Percent(percent) => Some(Share(percent / 100.0).of(history)),
        Amount::Count(..) => None,
    }
}

/// How far back a turn lies from the newest, as an amount of what is kept counts it.
pub(super) fn age(sim: &Sim, unit: Unit, turn: u32, newest: u32) -> u64 {
    let plan = sim.plan;
    let first = |turn: u32| plan.items_of(turn).first().and_then(|item| plan.items.get(*item as usize));
    let apart = |of: fn(&Item) -> u32| {
        first(newest).zip(first(turn)).map_or(0, |(newest, old)| u64::from(of(newest).saturating_sub(of(old))))
    };
    match unit {
        Unit::Turns => apart(|item| item.turn),
        Unit::Rounds => apart(|item| item.round),
        Unit::Messages => apart(|item| item.message),
        Unit::Tokens => sim.collapse.tokens_of(turn, newest),
        Unit::Events | Unit::Results => {
            let items = (turn..=newest).flat_map(|turn| plan.items_of(turn));
            items.filter(|item| !sim.has_left(**item)).count() as u64
        }
    }
}
