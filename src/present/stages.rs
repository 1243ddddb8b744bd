//! A step as a pipeline: what came in, what each stage took, what was sent. The parts add up to the whole.

use crate::model::{Entry, EntryId, Event, EventId, Layer, Run, Stage, Track};
use crate::policy::Policy;

use super::pairs::{came_behind, uncut_tokens};

/// Tokens by layer, in [`Layer`]'s order; reserve and free hold none.
pub type Sums = [u64; Layer::COUNT];

/// What a stage did at a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Acted {
    /// It changed the window.
    Yes,
    /// It had nothing to do.
    No,
    /// The policy has it switched off.
    Off,
}

/// One stage of a step.
#[derive(Clone, Debug, PartialEq)]
pub struct StageRow {
    /// Which one.
    pub stage: Stage,
    /// Whether it did anything.
    pub acted: Acted,
    /// Its events at this step, in order.
    pub events: Vec<EventId>,
    /// The window that it was given.
    pub given: Sums,
    /// The window that it left.
    pub left: Sums,
    /// Entries that it took and that it made.
    pub entries: (usize, usize),
    /// Entries that came in behind it, at the same step: they are in the window that it left, not in the one it was
    /// given.
    pub behind: usize,
    /// The largest size that it was held against, in tokens of the window, where its rule has one.
    pub threshold: Option<u64>,
}

impl StageRow {
    /// Tokens given and left.
    #[must_use]
    pub fn tokens(&self) -> (u64, u64) {
        (self.given.iter().sum(), self.left.iter().sum())
    }

    /// Its events, in the run that it is of.
    pub fn events_in<'a>(&self, run: &'a Run) -> impl Iterator<Item = &'a Event> {
        self.events.iter().filter_map(move |id| run.event(*id))
    }
}

/// A step's stages, from the window of the step before to the one that was sent.
#[derive(Clone, Debug, PartialEq)]
pub struct Pipeline {
    /// The step.
    pub step: u32,
    /// The stages, in the order in which a step asks them.
    pub stages: Vec<StageRow>,
    /// The window of the step before.
    pub before: Sums,
    /// The window of this step.
    pub after: Sums,
}

/// What a stage is switched on by: the setting's key, and what a policy has it at.
type Switch = (Stage, &'static str, fn(&Policy) -> bool);

/// The switches of the layers of defence: only these are shown where they did nothing.
const SWITCHES: &[Switch] = &[
    (Stage::Truncate, "tool_results.on", |policy| policy.tool_results.on),
    (Stage::Microcompact, "microcompact.on", |policy| policy.microcompact.on),
    (Stage::Microcompact, "thinking.clear", |policy| policy.thinking.clear),
    (Stage::Collapse, "collapse.on", |policy| policy.collapse.on),
    (Stage::Summarise, "summarise.on", |policy| policy.summarise.on),
    (Stage::Reactive, "reactive.on", |policy| policy.reactive.on),
];

fn switches(stage: Stage) -> impl Iterator<Item = &'static Switch> {
    SWITCHES.iter().filter(move |(of, ..)| *of == stage)
}

/// The setting that switches a stage on, the first where several do.
#[must_use]
pub fn switch(stage: Stage) -> Option<&'static str> {
    switches(stage).next().map(|(_, key, _)| *key)
}

/// Whether a policy has a stage switched on: by any of its switches, or because it has none.
fn is_on(stage: Stage, policy: &Policy) -> bool {
    switch(stage).is_none() || switches(stage).any(|(.., on)| on(policy))
}

/// The window that a recorded compaction was given, where the agent's own figure of it is another: it may be of another
/// moment, leave out what came in last, or know nothing of what was cleared meanwhile.
#[must_use]
pub fn held_before(run: &Run, event: &Event) -> Option<u64> {
    let told = event.measured.filter(|told| event.record.is_some() && event.tokens_before == Some(*told))?;
    let pipeline = Some(event.stage).filter(|stage| *stage == Stage::Summarise).and(pipeline(run, event.step, None))?;
    let row = pipeline.stages.iter().find(|row| row.stage == Stage::Summarise && row.events.len() == 1)?;
    let (given, _) = row.tokens();
    (told.abs_diff(given) > given / 50).then_some(given)
}

/// The pipeline of a step; `None` where there is no such step. Of the recorded track only what the transcript tells of
/// is there; of the simulated one its policy says which stages were off.
#[must_use]
pub fn pipeline(run: &Run, step: u32, policy: Option<&Policy>) -> Option<Pipeline> {
    let after = sums(run, step)?;
    let before = step.checked_sub(1).and_then(|before| sums(run, before)).unwrap_or_default();
    let mut changes: Vec<(Stage, [i128; Layer::COUNT])> = Vec::new();
    for (id, event) in run.events_at(step) {
        let change = change(run, id, event);
        match changes.iter_mut().find(|(stage, _)| *stage == event.stage) {
            Some((_, sum)) => sum.iter_mut().zip(change).for_each(|(sum, more)| *sum += more),
            None => changes.push((event.stage, change)),
        }
    }
    changes.retain(|(stage, _)| *stage != Stage::Admit);
    // What comes in is what no stage explains: new entries, and what reports show beyond them.
    let mut rest: [i128; Layer::COUNT] =
        std::array::from_fn(|layer| i128::from(after[layer]) - i128::from(before[layer]));
    for (_, change) in &changes {
        rest.iter_mut().zip(change).for_each(|(rest, change)| *rest -= change);
    }
    // What came in behind a compaction was not in the window that it was given.
    let behind = behind(run, step);
    if let Some((_, change)) = changes.iter_mut().find(|(stage, _)| *stage == Stage::Summarise) {
        for entry in behind.iter().filter_map(|id| run.entry(*id)) {
            let tokens = i128::from(entry.tokens);
            change[entry.layer as usize] += tokens;
            rest[entry.layer as usize] -= tokens;
        }
    }
    let unlogged = Layer::Unlogged as usize;
    if run.track == Track::Recorded
        && rest[unlogged] < 0
        && let Some((_, change)) = changes.iter_mut().find(|(stage, _)| *stage == Stage::Summarise)
    {
        // What is not recorded and goes with the history, hidden reasoning above all, goes with its compaction.
        change[unlogged] += std::mem::take(&mut rest[unlogged]);
    }
    changes.push((Stage::Admit, rest));
    let replayed = run.track == Track::Simulated;
    let mut now: [i128; Layer::COUNT] = before.map(i128::from);
    let mut stages = Vec::new();
    for stage in Stage::ALL {
        let change = changes.iter().find(|(own, _)| own == stage).map(|(_, change)| *change);
        let events: Vec<EventId> =
            run.events_at(step).filter(|(_, event)| event.stage == *stage).map(|(id, _)| id).collect();
        let off = policy.is_some_and(|policy| !is_on(*stage, policy));
        let acted = match stage {
            Stage::Admit => change.is_some_and(|change| change.iter().any(|tokens| *tokens != 0)),
            _ => !events.is_empty(),
        };
        let shown =
            acted || (stage.defends() && (replayed || *stage <= Stage::Microcompact || *stage == Stage::Summarise));
        if !shown {
            continue;
        }
        let given = clamp(&now);
        if let Some(change) = change {
            now.iter_mut().zip(change).for_each(|(now, change)| *now += change);
        }
        let acted = match (acted, off) {
            (true, _) => Acted::Yes,
            (false, true) => Acted::Off,
            (false, false) => Acted::No,
        };
        let of = |id: &EventId| run.event(*id);
        let entries = events
            .iter()
            .filter_map(of)
            .fold((0, 0), |(took, made), event| (took + event.took.len(), made + event.made.len()));
        let threshold = events.iter().filter_map(of).filter_map(window_threshold).max();
        let behind = if *stage == Stage::Summarise { behind.len() } else { 0 };
        stages.push(StageRow { stage: *stage, acted, events, given, left: clamp(&now), entries, behind, threshold });
    }
    Some(Pipeline { step, stages, before, after })
}

/// Entries that came in behind the compaction of a step.
fn behind(run: &Run, step: u32) -> Vec<EntryId> {
    if !run.events_at(step).any(|(_, event)| event.stage == Stage::Summarise && event.compacts()) {
        return Vec::new();
    }
    let all = (0u32..).map(EntryId).zip(&run.entries);
    let came = all.filter(|(id, entry)| entry.life_at(step).is_some() && came_behind(run, step, *id, entry));
    came.filter(|(_, entry)| entry.made_by.is_none()).map(|(id, _)| id).collect()
}

/// Content and what is not recorded, by layer.
fn sums(run: &Run, step: u32) -> Option<Sums> {
    let mut layers = run.totals_at(step)?.layers;
    layers[Layer::Reserve as usize] = 0;
    layers[Layer::Free as usize] = 0;
    Some(layers)
}

fn clamp(now: &[i128; Layer::COUNT]) -> Sums {
    now.map(|tokens| u64::try_from(tokens.max(0)).unwrap_or(u64::MAX))
}

/// The threshold of an event where it is a size of the window.
fn window_threshold(event: &Event) -> Option<u64> {
    let of_window = match event.stage {
        Stage::Summarise => event.rule != "summarise.at_events",
        Stage::Microcompact => event.rule == "microcompact.at",
        Stage::Collapse => event.rule == "collapse.at",
        Stage::Reactive | Stage::Drop => true,
        _ => false,
    };
    event.threshold.filter(|_| of_window)
}

/// What an event changes in each layer. Where it says how large the window was before and after, what its entries do
/// not explain goes to what is not recorded.
fn change(run: &Run, id: EventId, event: &Event) -> [i128; Layer::COUNT] {
    let mut change = [0i128; Layer::COUNT];
    let held = |id: &EntryId| run.entry(*id).filter(|entry| entry.life_at(event.step).is_none());
    // Where the history goes back it does so before anything comes in: what came in and left at once was never there.
    let was = |entry: &&Entry| {
        !event.stage.is_history() || event.step.checked_sub(1).is_some_and(|before| entry.life_at(before).is_some())
    };
    // What another event of the step took out of the window left with that: a stage may only have read it.
    let left_otherwise = |entry: &&Entry| {
        let ended = entry.lives.iter().filter(|life| life.died == Some(event.step)).find_map(|life| life.ended_by);
        let other = ended.filter(|other| *other != id).and_then(|other| run.event(other));
        other.is_some_and(|other| other.step == event.step)
    };
    for entry in event.took.iter().filter_map(held).filter(was).filter(|entry| !left_otherwise(entry)) {
        change[entry.layer as usize] -= i128::from(entry.tokens);
    }
    // Of what is cut twice, only the event tells how much it was each time.
    let mut twice = None;
    for (made, entry) in event.made.iter().filter_map(|made| Some((made, run.entry(*made)?))) {
        if event.stage.cuts_in_place() && entry.from.is_empty() {
            let again = |(other, also): (EventId, &Event)| {
                other != id && also.stage.cuts_in_place() && also.made.contains(made)
            };
            if run.track == Track::Simulated && run.events_at(event.step).any(again) {
                twice = Some(entry.layer);
                continue;
            }
            change[entry.layer as usize] -= i128::from(uncut_tokens(run, event, *made).saturating_sub(entry.tokens));
        } else if entry.made_by == Some(id) || entry.lives.iter().any(|life| life.born == event.step) {
            change[entry.layer as usize] += i128::from(entry.tokens);
        }
    }
    if run.track == Track::Simulated
        && let (Some(before), Some(after)) = (event.tokens_before, event.tokens_after)
    {
        let sum: i128 = change.iter().sum();
        // Passages say nothing of what was not chosen.
        let chosen = (event.stage == Stage::Select).then_some(Layer::Chunks);
        change[twice.or(chosen).unwrap_or(Layer::Unlogged) as usize] += i128::from(after) - i128::from(before) - sum;
    }
    change
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::{named, set};

    #[test]
    fn every_switch_is_a_setting_that_switches_its_stage_on() {
        for (stage, key, _) in SWITCHES {
            assert!(named(key).is_some(), "{key}");
            let mut policy = Policy::default();
            for (_, own, _) in switches(*stage) {
                set(&mut policy, &format!("{own}=false")).unwrap();
            }
            assert!(!is_on(*stage, &policy), "{key}");
            set(&mut policy, &format!("{key}=true")).unwrap();
            assert!(is_on(*stage, &policy), "{key}");
        }
        assert!(is_on(Stage::Admit, &Policy::default()), "what has no switch is never off");
    }
}
