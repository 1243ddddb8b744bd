//! Assemble: the sums of a step, and what the request costs.

use std::borrow::Cow;

use crate::engine::simulate::Sim;
use crate::engine::totals::fit;
use crate::model::{Calls, Cost, Layer, Outcome, Step, Totals, Usage};
use crate::tokens::{self, Above, ModelInfo, Price};

use super::cache::{billed, changed_from, unread};
use super::reactive;
use super::summarise::line;

/// Closes the step that was made.
pub(in crate::engine) fn end_step(sim: &mut Sim) {
    let Some(ask) = sim.ask() else { return };
    let used = sim.used();
    let reserve = sim.reserve();
    let reserved = reserve.output.saturating_add(reserve.summary).saturating_add(reserve.headroom);
    let beyond = sim.beyond();
    let excess = u64::try_from(beyond.saturating_neg()).unwrap_or(0);
    let is_sent = |context: &u64| context.saturating_add(excess) == used && ask.same && !sim.changed;
    let reported = ask.usage.map(|usage| usage.context()).filter(is_sent);
    let changed = changed_from(sim);
    let mut totals = Totals {
        layers: sim.layers,
        entries: sim.numbers,
        counted: sim.counted,
        reported,
        excess: if reported.is_some() { excess } else { 0 },
        unlogged_estimated: reported.is_none(),
        prefix: sim.sums.before(sim.lowest).min(changed.unwrap_or(u64::MAX)),
        ..Totals::default()
    };
    totals.layers[Layer::Unlogged as usize] = u64::try_from(beyond).unwrap_or(0);
    fit(&mut totals, sim.size, reserved);
    let sent = used - totals.excess;
    let outcome = match ask.outcome {
        _ if sent > sim.size => Outcome::TooLong,
        // The same prompt is refused again, and so is one that is hardly shorter.
        Outcome::TooLong if !sim.changed || sim.refused.is_some_and(|before| used > reactive::aim(before)) => {
            Outcome::TooLong
        }
        Outcome::TooLong => Outcome::Answered,
        outcome => outcome,
    };
    let refused = outcome == Outcome::TooLong;
    let billed = if refused { unread(sim, changed.is_some()) } else { billed(sim, sent, changed.is_some(), ask) };
    // A request that is still to be made has cost nothing.
    let model = sim.given.served.model(sim.step).filter(|_| ask.outcome != Outcome::Pending);
    let priced = model.map(|model| priced(sim, model)).and_then(|model| {
        // The model that writes summaries may be another one; what was asked of others on the way is billed as it was.
        let calls = of_calls(&sim.calls, sim.given.answers.writer.as_ref().unwrap_or(&model))?;
        if refused {
            return Some((calls, calls));
        }
        Some((tokens::cost(&billed, &model)?.and(calls).and(ask.asides), calls))
    });
    let (cost, calls) = match priced {
        Some((cost, calls)) if !sim.calls.is_empty() => (Some(cost), Calls::Price(calls)),
        Some((cost, _)) => (Some(cost), Calls::None),
        None => (None, if sim.calls.is_empty() { Calls::None } else { Calls::Unknown }),
    };
    sim.steps.push(Step {
        request: ask.request,
        record: ask.record,
        model: ask.model.clone(),
        usage: ask.usage,
        window_tokens: sim.size,
        window_source: sim.size_source,
        reserve_tokens: reserved,
        threshold: sim.policy.summarise.on.then(|| line(sim)),
        cost,
        calls,
        unpriced: ask.unpriced && !refused,
        billed: Some(billed),
        at: ask.at,
        outcome,
    });
    sim.totals.push(totals);
    sim.last_used = used;
}

/// The price of the stages' calls, each by its own size: a step may make two, and a large context costs more. `None`
/// where the model has no price.
fn of_calls(calls: &[Usage], model: &ModelInfo) -> Option<Cost> {
    let nothing = tokens::cost(&Usage::default(), model)?;
    calls.iter().try_fold(nothing, |sum, call| Some(sum.and(tokens::cost(call, model)?)))
}

/// The model with the prices that the policy sets.
fn priced<'m>(sim: &Sim, model: &'m ModelInfo) -> Cow<'m, ModelInfo> {
    let cache = &sim.policy.cache;
    let set = |price: f64| (price > 0.0).then_some(price);
    let own = [cache.price_fresh, cache.price_read, cache.price_write, cache.price_output].map(set);
    if own.iter().all(Option::is_none) {
        return Cow::Borrowed(model);
    }
    // What the policy leaves open is the table's, for large contexts too.
    let over = |base: Price| Price {
        input: own[0].unwrap_or(base.input),
        cache_read: own[1].or(base.cache_read),
        cache_write: own[2].or(base.cache_write),
        cache_write_1h: own[2].or(base.cache_write_1h),
        output: own[3].unwrap_or(base.output),
    };
    let none = Price { input: 0.0, cache_read: None, cache_write: None, cache_write_1h: None, output: 0.0 };
    let above = model.above.map(|above| Above { price: over(above.price), ..above });
    Cow::Owned(ModelInfo { price: Some(over(model.price.unwrap_or(none))), above, ..model.clone() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tokens::Models;

    #[test]
    fn each_call_of_a_step_is_priced_by_its_own_size() {
        let model = Models::built_in().find("claude-sonnet-4").expect("a model").info;
        let call = |input| Usage { input, output: Some(1_000), ..Usage::default() };
        let price = |calls: &[Usage]| of_calls(calls, model).map(|cost| cost.total());
        let near = |one: Option<f64>, other: f64| one.is_some_and(|one| (one - other).abs() < 1e-9);
        // 3 and 15 dollars a million; over 200,000 tokens twice as much, and 22.50.
        assert!(near(price(&[call(150_000), call(150_000)]), 2.0 * (0.45 + 0.015)));
        assert!(near(price(&[call(300_000)]), 1.8 + 0.0225));
        assert!(near(price(&[]), 0.0));
        assert!(of_calls(&[], &ModelInfo { price: None, ..model.clone() }).is_none());
    }
}
