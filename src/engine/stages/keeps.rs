//! What of a history stays at a compaction: its head and tail, by the roles that may stay, no call without its results.

use rustc_hash::FxHashMap;

use crate::engine::plan::{Item, NONE, index};
use crate::engine::simulate::{Piece, Sim};
use crate::model::{BlockKind, Layer, Role};
use crate::policy::{Amount, Unit};

use super::compact::{How, layer_of};
use super::edge::tokens_of;

/// What a piece takes of the window: its tokens, and what reports show of it beyond the count. Reports that show less make
/// nothing fit that does not fit by the count.
fn weight_of(sim: &Sim, piece: u32) -> u64 {
    let extra = |piece: &Piece| u64::try_from(piece.extra).unwrap_or(0);
    sim.pieces.get(piece as usize).map_or(0, |piece| piece.tokens.saturating_add(extra(piece)))
}

/// Which pieces of a history stay. `room`: tokens of the history that may; `most`: tokens of its end.
pub(super) fn kept(sim: &Sim, history: &[u32], how: &How, (room, most): (u64, u64)) -> Vec<bool> {
    let roles = &sim.summarise.kept_roles;
    let may =
        |at: usize| roles.is_none_or(|roles| layer_of(sim, history[at]).is_some_and(|layer| roles[layer as usize]));
    let total: u64 = history.iter().map(|piece| weight_of(sim, *piece)).sum();
    let scan = |amount: Amount, most: u64, order: &mut dyn Iterator<Item = usize>| {
        let (mut gauge, mut used, mut edge) = (Gauge::new(amount, total), 0, None);
        for at in order.filter(|at| may(*at)) {
            used += weight_of(sim, history[at]);
            if used > most || !gauge.fits(sim, history[at]) {
                break;
            }
            edge = Some(at);
        }
        edge
    };
    let end = history.len();
    let mut head =
        if how.head.is_none() { None } else { scan(how.head, u64::MAX, &mut (0..end)) }.map_or(0, |at| at + 1);
    let mut tail = if how.tail.is_none() { None } else { scan(how.tail, most, &mut (0..end).rev()) }.unwrap_or(end);
    let prompt = |at: usize| sim.item(history[at]).is_some_and(Item::is_prompt) && may(at);
    if sim.policy.summarise.split_at_turns {
        tail = (tail..end).find(|at| prompt(*at)).unwrap_or_else(|| last_split(sim, history, how, prompt));
    }
    let stays =
        |head: usize, tail: usize| -> Vec<bool> { (0..end).map(|at| (at < head || at >= tail) && may(at)).collect() };
    let fits = |kept: &[bool], most: u64| {
        let kept = history.iter().zip(kept).filter(|(_, kept)| **kept);
        kept.map(|(piece, _)| weight_of(sim, *piece)).sum::<u64>() <= most
    };
    let mut kept = stays(head, tail);
    // Of what goes as a whole no pair is split.
    let mut pairs = if kept.contains(&true) { Pairs::of(sim, history) } else { Pairs::default() };
    if pairs.splits(&kept) {
        // The edges give way to a pair that straddles them, where there is room; else the pair goes.
        (head, tail) = pairs.around(head, tail);
        let wider = stays(head, tail);
        if fits(&wider, room.min(most)) {
            kept = wider;
        }
        pairs.give_up(&mut kept);
    }
    let nothing = !how.tail.is_none() && !kept.iter().skip(head).any(|kept| *kept);
    if let Some(newest) = (0..end).rev().find(|at| prompt(*at)).filter(|_| nothing) {
        // Whoever keeps the end does not lose what was asked last.
        kept[newest] = weight_of(sim, history[newest]) <= room.min(most);
    }
    kept
}

/// Where a history is split in which no turn begins late enough, as Gemini CLI does it: amid the results of calls
/// before the newest message of the user, after a closing answer at the very end. A harder attempt keeps nothing then.
fn last_split(sim: &Sim, history: &[u32], how: &How, prompt: impl Fn(usize) -> bool) -> usize {
    let end = history.len();
    let closed = history
        .last()
        .and_then(|piece| sim.item(*piece))
        .is_some_and(|item| item.role == Role::Assistant && item.kind != BlockKind::ToolCall);
    if closed || how.harder { end } else { (0..end).rev().find(|at| prompt(*at)).unwrap_or(end) }
}

/// Calls with their results, as places in a history.
#[derive(Default)]
struct Pairs {
    /// Per place, the number of the call that it belongs to.
    call: Vec<u32>,
    /// Per call, its first and its last place.
    spans: Vec<(usize, usize)>,
}

impl Pairs {
    fn of(sim: &Sim, history: &[u32]) -> Pairs {
        let call_of = |piece: u32| {
            let at = sim.pieces.get(piece as usize)?.item;
            let item = sim.plan.items.get(at as usize)?;
            if item.is_result() { Some(item.call) } else { (item.next != NONE).then_some(at) }
        };
        let (mut spans, mut numbers) = (Vec::<(usize, usize)>::new(), FxHashMap::<u32, u32>::default());
        numbers.reserve(history.len() / 2);
        let mut number = |at: usize, piece: u32| {
            let Some(call) = call_of(piece) else { return NONE };
            let number = *numbers.entry(call).or_insert(index(spans.len()));
            match spans.get_mut(number as usize) {
                Some((_, last)) => *last = at,
                None => spans.push((at, at)),
            }
            number
        };
        let call = history.iter().enumerate().map(|(at, piece)| number(at, *piece)).collect();
        Pairs { call, spans }
    }

    /// Per call, whether some part of it stays and some does not.
    fn split(&self, kept: &[bool]) -> Vec<bool> {
        let mut parts = vec![[false; 2]; self.spans.len()];
        for (call, kept) in self.call.iter().zip(kept) {
            if let Some(parts) = parts.get_mut(*call as usize) {
                parts[usize::from(*kept)] = true;
            }
        }
        parts.into_iter().map(|parts| parts == [true, true]).collect()
    }

    fn splits(&self, kept: &[bool]) -> bool {
        self.split(kept).contains(&true)
    }

    /// The edges, moved until no pair lies on both sides of one.
    fn around(&self, head: usize, tail: usize) -> (usize, usize) {
        let span = |at: usize| self.call.get(at).and_then(|call| self.spans.get(*call as usize));
        let (mut head, mut tail) = (head, tail);
        let mut at = 0;
        while at < head {
            head = head.max(span(at).map_or(0, |(_, last)| last + 1));
            at += 1;
        }
        let mut at = self.call.len();
        while at > tail {
            at -= 1;
            tail = tail.min(span(at).map_or(usize::MAX, |(first, _)| *first));
        }
        (head, tail)
    }

    /// Takes away what is left of pairs that are not kept whole.
    fn give_up(&mut self, kept: &mut [bool]) {
        let split = self.split(kept);
        for (call, kept) in self.call.iter().zip(kept) {
            *kept &= split.get(*call as usize) != Some(&true);
        }
    }
}

/// Counts what an amount still has room for.
struct Gauge {
    amount: Amount,
    tokens: Option<u64>,
    used: u64,
    number: u64,
    last: u32,
}

impl Gauge {
    fn new(amount: Amount, total: u64) -> Self {
        Gauge { amount, tokens: tokens_of(amount, total), used: 0, number: 0, last: NONE }
    }

    fn fits(&mut self, sim: &Sim, piece: u32) -> bool {
        if let Some(most) = self.tokens {
            self.used += weight_of(sim, piece);
            return self.used <= most;
        }
        let Amount::Count(count, unit) = self.amount else { return false };
        let slot = sim.pieces.get(piece as usize).map_or(NONE, |piece| piece.slot());
        let at = sim.item(piece).or_else(|| {
            // A line stands for its whole turn.
            let unit = sim.slots.get(slot as usize)?.unit;
            sim.plan.items.get(*sim.plan.items_of(unit).first()? as usize)
        });
        let mark = match (unit, at) {
            (Unit::Events, _) => {
                self.number += 1;
                return self.number <= count;
            }
            // What the harness adds, a notice, is none of what is said and done; a summary stands for a message.
            (unit, None) => {
                self.number += u64::from(unit == Unit::Messages && layer_of(sim, piece) == Some(Layer::Summaries));
                return self.number <= count;
            }
            (Unit::Results, Some(item)) => {
                self.number += u64::from(item.is_result());
                return self.number <= count;
            }
            (Unit::Messages, Some(item)) => item.message,
            (Unit::Rounds, Some(item)) => item.round,
            (Unit::Turns | Unit::Tokens, Some(item)) => item.turn,
        };
        if mark != self.last {
            self.number += 1;
            self.last = mark;
        }
        self.number <= count
    }
}
