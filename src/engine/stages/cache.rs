//! The prompt cache: which prefix of a request it can give back, by the model that answers, and for how long.

use crate::engine::plan::{Ask, Item};
use crate::engine::simulate::Sim;
use crate::model::{Sent, Usage};
use crate::policy::{CacheMode, Dynamic, Lifetime};

/// Minutes from which a cache is one that is kept for an hour, at that price.
const HOUR: u64 = 60;
/// Minutes for which a cache is kept where no report tells of an hour.
const SHORT: u64 = 5;
/// Models whose caches are followed; a session has one, or a few.
const MOST: usize = 16;

/// What the caches of the models hold that have answered so far.
#[derive(Default)]
pub(in crate::engine) struct CacheState {
    /// The one that answered last is the last.
    held: Vec<Held>,
    /// Whether writes are kept for an hour, by the newest report that tells.
    hour: bool,
}

/// What a model's cache holds since its last request.
struct Held {
    model: u32,
    /// Tokens of that request as it was sent, and when it was made.
    used: u64,
    at: Option<i64>,
    /// Minutes for which it is kept; 0: for ever.
    minutes: u64,
    /// How many places there were then, and the first that has changed since.
    places: u32,
    lowest: u32,
    /// Whether what stands behind the dynamic boundary has changed since.
    moved: bool,
}

/// The place in which the dynamic boundary stands (source 5), and the tokens there before it.
fn dynamic(sim: &Sim) -> Option<(u32, u64)> {
    let (item, before) = sim.plan.dynamic?;
    let piece = sim.pieces.get(sim.standing_for(item) as usize)?;
    Some((piece.slot(), before.min(piece.tokens)))
}

/// The tokens before the dynamic boundary, where what stands behind it changed with this request.
pub(super) fn changed_from(sim: &Sim) -> Option<u64> {
    let changed = sim.step > 1
        && sim.plan.dynamic.is_some()
        && match sim.policy.cache.dynamic {
            Dynamic::Session => false,
            Dynamic::Turn => sim.new.iter().any(|piece| sim.item(*piece).is_some_and(Item::is_prompt)),
            Dynamic::Request => true,
        };
    dynamic(sim).filter(|_| changed).map(|(place, within)| sim.sums.before(place) + within)
}

/// What is billed for a request that the model refuses as too long: nothing. The caches hold what they held, of which as
/// much is still the same as before the next request.
pub(super) fn unread(sim: &mut Sim, moved: bool) -> Usage {
    let lowest = sim.lowest;
    sim.cache.change(lowest, moved);
    Usage { output: Some(0), ..Usage::default() }
}

/// What is read from the cache, written to it and sent fresh; the cache holds the request then. `moved`: whether what
/// stands behind the dynamic boundary changed with it.
///
/// Where the server sampled the request several times (a tool of its own ran in between), the figures are sums, as in a
/// report: each later sampling reads the context again, and what the tool brought in is as long as it was.
pub(super) fn billed(sim: &mut Sim, sent: u64, moved: bool, ask: &Ask) -> Usage {
    let model = sim.given.served.number(sim.step);
    let mut state = std::mem::take(&mut sim.cache);
    state.change(sim.lowest, moved);
    if let Some(usage) = ask.usage.filter(|usage| usage.cache_write > 0) {
        state.hour = usage.cache_write_1h > usage.cache_write / 2;
    }
    let minutes = state.minutes(sim);
    let own = state.held.iter().position(|held| held.model == model).map(|at| state.held.remove(at));
    let at = ask.at.or(own.as_ref().and_then(|own| own.at));
    let may = may_read(sim);
    let read = own.map_or(0, |own| own.read(sim, own.lowest, sent, ask.at));
    let (again, more) = ask.usage.map_or((0, 0), |usage| sampled_again(&usage, sent));
    let rest = sent - read + more + if may { 0 } else { again };
    let split = split(sim, sent.saturating_add(more), rest, minutes);
    if state.held.len() >= MOST {
        state.held.remove(0);
    }
    state.held.push(Held::of(sim, model, sent, at, minutes));
    sim.cache = state;
    Usage {
        cache_read: read + if may { again } else { 0 },
        output: ask.usage.and_then(|usage| usage.output),
        tier: ask.usage.and_then(|usage| usage.tier),
        sent: (again + more > 0).then_some(Sent { tokens: sent, cache_read: read }),
        ..split
    }
}

/// Whether anything is read from a cache.
fn may_read(sim: &Sim) -> bool {
    sim.policy.cache.mode != CacheMode::Off && sim.policy.cache.boundary
}

/// Whether what is new is written to the cache at a price of its own, rather than sent fresh.
fn writes(sim: &Sim) -> bool {
    let cache = &sim.policy.cache;
    match cache.mode {
        CacheMode::Off | CacheMode::Automatic => false,
        CacheMode::Explicit => true,
        // A price that the policy sets is charged; of a model that is not in the table nothing says that it is not.
        CacheMode::Provider if cache.price_write > 0.0 => true,
        CacheMode::Provider => {
            let price = sim.given.served.model(sim.step).and_then(|model| model.price);
            price.is_none_or(|price| price.cache_write.is_some())
        }
    }
}

/// What of a request of so many tokens is not read from the cache: written to it, or sent fresh. A request below the
/// least is not cached, though the client asks for it.
fn split(sim: &Sim, sent: u64, rest: u64, minutes: u64) -> Usage {
    if writes(sim) && sent >= sim.policy.cache.min_tokens {
        let cache_write_1h = if minutes >= HOUR { rest } else { 0 };
        return Usage { cache_write: rest, cache_write_1h, ..Usage::default() };
    }
    Usage { input: rest, ..Usage::default() }
}

/// What the later samplings of a request were sent beside the first: of the context again, scaled to the replayed one of
/// `sent` tokens, and of what came in between.
fn sampled_again(usage: &Usage, sent: u64) -> (u64, u64) {
    let Some(first) = usage.sent.filter(|first| first.tokens > 0) else { return (0, 0) };
    let read = usage.cache_read.saturating_sub(first.cache_read);
    let all = usage.input.saturating_add(usage.cache_read).saturating_add(usage.cache_write);
    let more = all.saturating_sub(first.tokens).saturating_sub(read);
    let scaled = u128::from(read) * u128::from(sent) / u128::from(first.tokens);
    (u64::try_from(scaled).unwrap_or(u64::MAX), more)
}

impl CacheState {
    /// For how many minutes what is written now is kept.
    fn minutes(&self, sim: &Sim) -> u64 {
        match sim.policy.cache.minutes {
            Lifetime::Minutes(minutes) => minutes,
            Lifetime::Reported if self.hour => HOUR,
            Lifetime::Reported => SHORT,
        }
    }

    /// What was changed in the window from a place on is no longer what the caches hold, nor is what `moved` with the
    /// dynamic boundary.
    fn change(&mut self, lowest: u32, moved: bool) {
        for held in &mut self.held {
            held.lowest = held.lowest.min(lowest);
            held.moved |= moved;
        }
    }
}

impl Held {
    /// What a request of so many tokens leaves, as the window stands.
    fn of(sim: &Sim, model: u32, used: u64, at: Option<i64>, minutes: u64) -> Held {
        let places = crate::engine::plan::index(sim.slots.len());
        Held { model, used, at, minutes, places, lowest: places, moved: false }
    }

    /// Whether it is forgotten by a time.
    fn is_gone(&self, now: Option<i64>) -> bool {
        let long = i64::try_from(self.minutes).unwrap_or(i64::MAX / 60_000).saturating_mul(60_000);
        self.minutes > 0 && self.at.zip(now).is_some_and(|(before, now)| now.saturating_sub(before) > long)
    }

    /// Tokens that a request of so many reads from it at a time, of whose places the first that has changed is `lowest`.
    fn read(&self, sim: &Sim, lowest: u32, sent: u64, at: Option<i64>) -> u64 {
        if !may_read(sim) || self.is_gone(at) {
            return 0;
        }
        let read = self.same(sim, lowest, sent).min(sent);
        if read >= sim.policy.cache.min_tokens { read } else { 0 }
    }

    /// Its tokens that a request of so many begins with, of whose places the first that has changed is `lowest`.
    fn same(&self, sim: &Sim, lowest: u32, sent: u64) -> u64 {
        if lowest >= self.places && !self.moved {
            return self.used;
        }
        let (place, within) = dynamic(sim).filter(|_| self.moved).unwrap_or((lowest, 0));
        let until = before(sim, place, sent).saturating_add(within);
        if place < lowest { until.min(self.used) } else { before(sim, lowest, sent).min(self.used) }
    }
}

/// What a call is billed as, but for its answer, that sends the window as it stands now with one more message: it reads
/// what the cache holds of it, and writes the rest; the cache holds that window then. It is made just before the request
/// of its step, or when the user asked for a compaction.
pub(super) fn of_window(sim: &mut Sim) -> Usage {
    let (sent, model) = (sim.used(), sim.given.served.number(sim.step));
    let asked = sim.asked.filter(|_| sim.policy.replay.manual).and_then(|at| sim.plan.boundaries.get(at as usize)?.at);
    let now = asked.or_else(|| sim.ask()?.at);
    let minutes = sim.cache.minutes(sim);
    let held = sim.cache.held.iter().find(|held| held.model == model);
    let read = held.map_or(0, |held| held.read(sim, held.lowest.min(sim.lowest), sent, now));
    let holds = Held::of(sim, model, sent, now, minutes);
    if let Some(held) = sim.cache.held.iter_mut().find(|held| held.model == model) {
        *held = Held { at: now.or(held.at), ..holds };
    }
    Usage { cache_read: read, ..split(sim, sent, sent - read, minutes) }
}

/// Tokens of a request of so many that stand before a place: all but what stands from there on, with what the reports
/// show of that beyond the count.
fn before(sim: &Sim, place: u32, sent: u64) -> u64 {
    // Reports that show less than our count of what stands behind it make nothing of that a part of the prefix.
    let counted = sim.counted.saturating_sub(sim.sums.before(place));
    let before = sent.saturating_sub(sim.behind(place).max(counted));
    // Where nothing that is known stands before it, no more does than what stays through a compaction.
    if sim.sums.before(place) == 0 { before.min(sim.unrecorded_prompt()) } else { before }
}
