//! Drop: what naive systems do. The oldest tool results, then the oldest turns, with nothing in their place (source 3's
//! first version; source 5's first anti-pattern).

use std::borrow::Cow;

use smallvec::{SmallVec, smallvec};

use crate::engine::plan::NONE;
use crate::engine::simulate::Sim;
use crate::model::{EntryId, EntryIds, Stage};

use super::compact::{is_history, lose, weight};

/// Pieces that go together.
type Few = SmallVec<[u32; 8]>;

pub(super) fn run(sim: &mut Sim) {
    let settings = &sim.policy.drop;
    let (results, turns) = (settings.oldest_tool_results, settings.oldest_turns);
    let (at, to) = (settings.at.of(sim.size), settings.to.of(sim.size));
    let (before, id) = (sim.used(), sim.next_event());
    if !(results || turns) || before <= at {
        return;
    }
    let (mut took, mut rule) = (EntryIds::new(), "drop.oldest_tool_results");
    if results {
        // Places that are empty by then are passed: what goes stands together, and little of a long window does.
        let mut from = 0;
        while let Some((place, number)) = sim.standing_from(from).filter(|_| sim.used() > to) {
            from = place + 1;
            let Some(item) = sim.item(number) else { continue };
            let newest = sim.new.contains(&number);
            if item.is_result() && !newest {
                let mut going: Few = smallvec![number];
                let mut next = sim.plan.items.get(item.call as usize).map_or(NONE, |call| call.next);
                while let Some(other) = sim.plan.items.get(next as usize) {
                    going.push(sim.standing_for(next));
                    next = other.next;
                }
                // A call whose result is gone could not be sent: it goes with it.
                going.push(sim.standing_for(item.call));
                take(sim, &going, id, &mut took);
            }
        }
    }
    if turns && sim.used() > to {
        if took.is_empty() {
            rule = "drop.oldest_turns";
        }
        drop_turns(sim, to, id, &mut took);
    }
    if took.is_empty() {
        return;
    }
    let mut event = sim.event(Stage::Drop, rule);
    (event.threshold, event.measured) = (Some(at), Some(before));
    (event.tokens_before, event.tokens_after) = (Some(before), Some(sim.used()));
    event.took = took;
    event.why =
        Cow::Borrowed("The window held {measured tokens}, over {threshold}: the oldest {took pieces were} dropped.");
    sim.events.push(event);
    sim.changed = true;
}

/// Drops whole turns, the oldest first; the newest stays.
fn drop_turns(sim: &mut Sim, to: u64, id: crate::model::EventId, took: &mut EntryIds) {
    let newest =
        sim.slots.iter().rev().find(|slot| slot.piece != NONE && slot.unit != NONE).map_or(NONE, |slot| slot.unit);
    let (mut going, mut from) = (NONE, 0);
    while let Some((place, number)) = sim.standing_from(from) {
        from = place + 1;
        let unit = sim.slots.get(place as usize).map_or(NONE, |slot| slot.unit);
        if unit == NONE || unit == newest || !is_history(sim, number) {
            continue;
        }
        if unit != going {
            if sim.used() <= to {
                return;
            }
            going = unit;
            // All of the turn goes, wherever it stands.
            let stands = |item: &u32| sim.slots.get(*sim.slot_of.get(*item as usize)? as usize).map(|slot| slot.piece);
            let turn: Few = sim.plan.items_of(unit).iter().filter_map(stands).collect();
            take(sim, &turn, id, took);
        }
    }
}

/// Takes away what stands of some pieces that go together; not where that would not make the window smaller: reports
/// may show that it had less than nothing beside what came in with it.
fn take(sim: &mut Sim, pieces: &[u32], id: crate::model::EventId, took: &mut EntryIds) {
    let mut going = Few::new();
    for number in pieces {
        if sim.standing_at(*number) && !going.contains(number) {
            going.push(*number);
        }
    }
    if weight(sim, &going) == 0 {
        return;
    }
    for number in going {
        lose(sim, number);
        sim.hide(number, Some(id));
        took.push(EntryId(number));
    }
}
