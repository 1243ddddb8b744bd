//! The sums of every step, reconciled with what was reported, so that the parts add up to the whole.

use crate::model::{Entry, EntryId, Event, Layer, Life, Run, Stage, Totals};

use super::prefix::stable_prefixes;

/// Works out `run.totals` anew from the entries' tokens, and what the events before and after measure.
///
/// `static_unlogged` replaces the estimate of what is not recorded where nothing was reported.
pub fn sum_up(run: &mut Run, static_unlogged: Option<u64>) {
    let steps = run.steps.len();
    let mut totals = layers_of_steps(run);
    let reported: Vec<Option<u64>> = run.steps.iter().map(|step| step.usage.map(|usage| usage.context())).collect();
    let mut carried = reported
        .iter()
        .zip(&totals)
        .find_map(|(reported, total)| reported.map(|reported| reported.saturating_sub(total.counted)))
        .or(static_unlogged)
        .unwrap_or(0);
    let prefixes = stable_prefixes(run);
    for index in 0..steps {
        let (step, total) = (&run.steps[index], &mut totals[index]);
        let unlogged = match reported[index] {
            Some(reported) => {
                total.excess = total.counted.saturating_sub(reported);
                reported.saturating_sub(total.counted)
            }
            None => carried,
        };
        carried = unlogged;
        total.reported = reported[index];
        total.unlogged_estimated = reported[index].is_none();
        total.prefix = prefixes[index];
        total.layers[Layer::Unlogged as usize] = unlogged;
        fit(total, step.window_tokens, step.reserve_tokens);
    }
    run.totals = totals;
    measure_events(run);
}

/// Brings the sums of a run whose counts are still estimates down to what was reported: nothing shows a window as
/// fuller than it is known to have been. A step without a report is brought down as the one before it was. The entries'
/// own figures stay as they are.
pub fn fit_to_reports(run: &mut Run) {
    let mut share: Option<(u64, u64)> = None;
    for (total, step) in run.totals.iter_mut().zip(run.steps.iter()) {
        if let Some(reported) = total.reported {
            share = (total.counted > reported).then_some((reported, total.counted));
        }
        let Some((reported, counted)) = share else { continue };
        let part = |tokens: u64| {
            let part = u128::from(tokens) * u128::from(reported) / u128::from(counted.max(1));
            u64::try_from(part).unwrap_or(u64::MAX)
        };
        let whole = part(total.counted);
        let content = &mut total.layers[..Layer::Unlogged as usize];
        content.iter_mut().for_each(|tokens| *tokens = part(*tokens));
        // What rounding took goes to the largest, so that the parts add up.
        let sum = content.iter().fold(0, |sum: u64, tokens| sum.saturating_add(*tokens));
        if let Some(largest) = content.iter_mut().max() {
            *largest += whole.saturating_sub(sum);
        }
        (total.counted, total.excess) = (whole, 0);
        fit(total, step.window_tokens, step.reserve_tokens);
    }
    measure_events(run);
}

/// Fits the reserve and what is free into the window.
pub(super) fn fit(total: &mut Totals, window: u64, reserve: u64) {
    let used = total.used();
    // What was counted too much was never sent.
    total.over = total.context().saturating_sub(window);
    let room = window.saturating_sub(used);
    let drawn = reserve.min(room);
    total.layers[Layer::Reserve as usize] = drawn;
    total.layers[Layer::Free as usize] = room - drawn;
}

/// Tokens and entries per layer and step, from the table of lifetimes, by differences.
fn layers_of_steps(run: &Run) -> Vec<Totals> {
    let steps = run.steps.len();
    let mut tokens = vec![[0i64; Layer::COUNT]; steps + 2];
    let mut entries = vec![[0i32; Layer::COUNT]; steps + 2];
    for entry in &run.entries {
        let layer = entry.layer as usize;
        let size = i64::try_from(entry.tokens).unwrap_or(i64::MAX >> 20);
        for life in &entry.lives {
            let born = (life.born as usize).min(steps + 1);
            let died = life.died.map_or(steps + 1, |died| (died as usize).min(steps + 1));
            tokens[born][layer] += size;
            tokens[died][layer] -= size;
            entries[born][layer] += 1;
            entries[died][layer] -= 1;
        }
    }
    let (mut held, mut number) = ([0i64; Layer::COUNT], [0i32; Layer::COUNT]);
    let mut totals = Vec::with_capacity(steps);
    for step in 1..=steps {
        let mut total = Totals::default();
        for layer in 0..Layer::COUNT {
            held[layer] += tokens[step][layer];
            number[layer] += entries[step][layer];
            total.layers[layer] = u64::try_from(held[layer]).unwrap_or(0);
            total.entries[layer] = u32::try_from(number[layer]).unwrap_or(0);
        }
        total.counted = total.layers.iter().fold(0, |sum, layer| sum.saturating_add(*layer));
        totals.push(total);
    }
    totals
}

/// Tokens of what came in between the request before a step and the compaction of that step.
fn came_since(run: &Run, compaction: &Event) -> u64 {
    let step = compaction.step;
    let newest = compaction.made.iter().max();
    let before = |id: &EntryId| newest.is_none_or(|newest| id < newest);
    let is_new = |entry: &&Entry| {
        let stood = |life: &Life| life.born < step && life.died.is_none_or(|died| died >= step);
        let lives = &entry.lives;
        entry.made_by.is_none() && lives.iter().any(|life| life.born == step) && !lives.iter().any(stood)
    };
    let all = (0u32..).map(EntryId).zip(&run.entries);
    let came = all.filter(|(id, _)| before(id)).map(|(_, entry)| entry).filter(is_new);
    came.map(|entry| entry.tokens).fold(0, u64::saturating_add)
}

/// Tokens that entries have together.
fn sum_of(run: &Run, ids: &[EntryId], size: impl Fn(&Entry) -> u64) -> u64 {
    ids.iter().filter_map(|id| run.entry(*id)).map(size).fold(0, u64::saturating_add)
}

/// Tokens of what came in before the compaction of a step; `None` where it has none.
fn came_before_compaction(run: &Run, step: u32) -> Option<u64> {
    let compaction = run.events_at(step).find(|(_, event)| event.compacts());
    compaction.map(|(_, compaction)| came_since(run, compaction))
}

/// Tokens of the window before and after a clearing, as for a replay: with what came in, and without what was cleared.
/// `came`: what came in before the compaction of its step, where it has one.
fn measured_clearing(run: &Run, event: &Event, came: Option<u64>) -> (Option<u64>, Option<u64>) {
    let used = |step: u32| run.totals_at(step).map(Totals::used);
    let tokens = |ids: &[EntryId]| sum_of(run, ids, |entry| entry.tokens);
    let freed = tokens(&event.took).saturating_sub(tokens(&event.made));
    let Some(came) = came else {
        let after = used(event.step);
        return (after.map(|after| after.saturating_add(freed)), after);
    };
    // No request was sent between the two: the last one that was, with what came in since. What the reports show beyond
    // that came in before the next request, too.
    let last = event.step.saturating_sub(1);
    let unlogged = |step: u32| run.totals_at(step).map_or(0, |totals| totals.layers[Layer::Unlogged as usize]);
    let grown = unlogged(event.step).saturating_sub(unlogged(last));
    let before = used(last).map(|before| before.saturating_add(came).saturating_add(grown));
    (before, before.map(|before| before.saturating_sub(freed)))
}

/// Tokens before and after, for events that no record gives figures for.
fn measure_events(run: &mut Run) {
    // A step may have many clearings: what they share is looked for once.
    let mut known: Option<(u32, Option<u64>)> = None;
    let measured: Vec<_> = run
        .events
        .iter()
        .map(|event| match event.stage {
            Stage::Truncate => {
                let before = sum_of(run, &event.made, |entry| entry.original_tokens);
                let after = sum_of(run, &event.made, |entry| entry.tokens);
                // Where nothing says how long it was, nobody knows what was cut.
                ((before > after).then_some(before), Some(after))
            }
            Stage::Microcompact => {
                let (step, came) = known
                    .filter(|(step, _)| *step == event.step)
                    .unwrap_or_else(|| (event.step, came_before_compaction(run, event.step)));
                known = Some((step, came));
                measured_clearing(run, event, came)
            }
            _ => {
                let used = |step: u32| run.totals_at(step).map(Totals::used);
                (used(event.step.saturating_sub(1)), used(event.step))
            }
        })
        .collect();
    let is_reported = |event: &Event| run.totals_at(event.step).is_some_and(|at| at.reported.is_some());
    let reported: Vec<bool> = run.events.iter().map(is_reported).collect();
    for ((event, (before, after)), reported) in run.events.iter_mut().zip(measured).zip(reported) {
        let recorded = event.stage == Stage::Summarise && event.measured.is_some();
        if !recorded {
            event.tokens_before = before;
        }
        // What the first request after it was sent is the truth; what the agent says is an estimate made before.
        event.tokens_after = match event.claimed_after.filter(|_| recorded && !reported) {
            Some(claimed) => Some(claimed),
            None => after,
        };
        if event.stage == Stage::Truncate {
            event.measured = event.tokens_before;
        }
    }
}
