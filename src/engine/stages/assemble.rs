//! Assemble: the sums of a step, which prefix a prompt cache can reuse, and what the request costs.

use crate::engine::plan::Item;
use crate::engine::simulate::Sim;
use crate::engine::totals::fit;
use crate::model::{Cost, Layer, Outcome, Step, Totals, Usage};
use crate::policy::{CacheMode, Dynamic};
use crate::tokens::{self, ModelInfo, Price};

use super::summarise::threshold;

/// Closes the step that was made.
pub(in crate::engine) fn end_step(sim: &mut Sim) {
    let Some(ask) = (sim.step as usize).checked_sub(1).and_then(|at| sim.plan.asks.get(at)) else { return };
    let used = sim.used();
    let reserve = sim.reserve();
    let reserved = reserve.output.saturating_add(reserve.summary).saturating_add(reserve.headroom);
    let beyond = sim.beyond();
    let excess = u64::try_from(beyond.saturating_neg()).unwrap_or(0);
    let is_sent = |context: &u64| context.saturating_add(excess) == used && ask.same && !sim.changed;
    let reported = ask.usage.map(|usage| usage.context()).filter(is_sent);
    let moved = moved(sim);
    let mut totals = Totals {
        layers: sim.layers,
        entries: sim.numbers,
        counted: sim.counted,
        reported,
        excess: if reported.is_some() { excess } else { 0 },
        unlogged_estimated: reported.is_none(),
        prefix: sim.sums.before(sim.lowest).min(moved.unwrap_or(u64::MAX)),
        ..Totals::default()
    };
    totals.layers[Layer::Unlogged as usize] = u64::try_from(beyond).unwrap_or(0);
    fit(&mut totals, sim.size, reserved);
    let sent = used - totals.excess;
    let billed = billed(sim, &totals, sent, moved.is_some(), ask.at, ask.usage);
    let cost = sim.given.model.as_ref().map(|model| priced(sim, model)).and_then(|model| {
        let cost = tokens::cost(&billed, &model)?;
        // The model that writes summaries may be another one.
        let call = tokens::cost(&sim.call, sim.given.answers.writer.as_ref().unwrap_or(&model))?;
        Some(Cost {
            input: cost.input + call.input,
            cache_read: cost.cache_read + call.cache_read,
            cache_write: cost.cache_write + call.cache_write,
            output: cost.output + call.output,
        })
    });
    sim.steps.push(Step {
        request: ask.request,
        record: ask.record,
        model: ask.model.clone(),
        usage: ask.usage,
        window_tokens: sim.size,
        window_source: sim.size_source,
        reserve_tokens: reserved,
        threshold: sim.policy.summarise.on.then(|| threshold(sim)),
        cost,
        billed: Some(billed),
        at: ask.at,
        outcome: match ask.outcome {
            _ if used > sim.size => Outcome::TooLong,
            // The same prompt is refused again.
            Outcome::TooLong if !sim.changed => Outcome::TooLong,
            Outcome::TooLong => Outcome::Answered,
            outcome => outcome,
        },
    });
    sim.totals.push(totals);
    sim.last_used = used;
    sim.last_at = ask.at.or(sim.last_at);
}

/// Minutes from which a cache is one that is kept for an hour, at that price.
const HOUR: u64 = 60;

/// The tokens before the dynamic boundary, where what stands behind it changed with this request (source 5).
fn moved(sim: &Sim) -> Option<u64> {
    let (item, before) = sim.plan.dynamic.filter(|_| sim.step > 1)?;
    let changed = match sim.policy.cache.dynamic {
        Dynamic::Session => false,
        Dynamic::Turn => sim.new.iter().any(|piece| sim.item(*piece).is_some_and(Item::is_prompt)),
        Dynamic::Request => true,
    };
    let piece = sim.pieces.get(sim.standing_for(item) as usize).filter(|_| changed)?;
    Some(sim.sums.before(piece.slot) + before.min(piece.tokens))
}

/// What is read from the cache, written to it and sent fresh.
fn billed(sim: &Sim, totals: &Totals, sent: u64, moved: bool, at: Option<i64>, usage: Option<Usage>) -> Usage {
    let cache = &sim.policy.cache;
    let expired = match (sim.last_at, at) {
        (Some(before), Some(now)) if cache.minutes > 0 => {
            now.saturating_sub(before) > i64::try_from(cache.minutes).unwrap_or(i64::MAX / 60_000) * 60_000
        }
        _ => false,
    };
    let may = cache.mode != CacheMode::Off && cache.boundary && sim.step > 1 && !expired;
    let same = if sim.lowest >= sim.first && !moved { sim.last_used } else { prefix(sim, totals, sent) };
    let read = Some(same.min(sim.last_used).min(sent)).filter(|read| may && *read >= cache.min_tokens).unwrap_or(0);
    let rest = sent - read;
    let (input, cache_write) = if cache.mode == CacheMode::Explicit { (0, rest) } else { (rest, 0) };
    let cache_write_1h = if cache.minutes >= HOUR { cache_write } else { 0 };
    Usage {
        input,
        cache_read: read,
        cache_write,
        cache_write_1h,
        output: usage.and_then(|usage| usage.output),
        tier: usage.and_then(|usage| usage.tier),
        ..Usage::default()
    }
}

/// The stable prefix on the scale of the whole: the system prompt and tools that are not recorded stand before all that
/// is, and stay as they are; what else the reports show lies among it.
fn prefix(sim: &Sim, totals: &Totals, sent: u64) -> u64 {
    let fixed = sim.plan.fixed.min(totals.layers[Layer::Unlogged as usize]).min(sent);
    let share = u128::from(sent - fixed) * u128::from(totals.prefix) / u128::from(totals.counted.max(1));
    fixed.saturating_add(u64::try_from(share).unwrap_or(u64::MAX))
}

/// The model with the prices that the policy sets.
fn priced(sim: &Sim, model: &ModelInfo) -> ModelInfo {
    let cache = &sim.policy.cache;
    let set = |price: f64| (price > 0.0).then_some(price);
    let own = [cache.price_fresh, cache.price_read, cache.price_write, cache.price_output].map(set);
    if own.iter().all(Option::is_none) {
        return model.clone();
    }
    let of = |price: Option<Price>| {
        let base = price.unwrap_or(Price {
            input: 0.0,
            cache_read: None,
            cache_write: None,
            cache_write_1h: None,
            output: 0.0,
        });
        Some(Price {
            input: own[0].unwrap_or(base.input),
            cache_read: own[1].or(base.cache_read),
            cache_write: own[2].or(base.cache_write),
            cache_write_1h: own[2].or(base.cache_write_1h),
            output: own[3].unwrap_or(base.output),
        })
    };
    ModelInfo { price: of(model.price), above: None, ..model.clone() }
}
