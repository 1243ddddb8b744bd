//! What if: the settings that would have kept a fact, each at the value nearest to the present one of those that were
//! tried, found by replay.
//!
//! Effects are not monotone: an earlier compaction may spare what a later one takes. So the figures that the fact's own
//! events measured, here and in the replays that are tried, are tried outward from the present value, and the way back
//! is halved until one notch decides.

use std::collections::BTreeSet;

use rayon::prelude::*;

use super::answer::{Answer, Change, WhatIf};
use super::bill::Bill;
use super::dial::with;
use super::effort::Effort;
use super::life::{Reading, Subject};
use super::moved::{Moved, SHORTER, TRIED, To, halve};
use super::outward::Outward;
use super::ready::Ready;
use super::replayed::Replayed;
use super::stay::Stay;
use super::taken::last_loss;
use crate::content::Watch;
use crate::engine::Plan;
use crate::model::{Event, EventId, Run, Stage, Totals};
use crate::policy::{Policy, Value};

/// Values of one dial in a long session, where a replay takes longer, and those that show whether it does anything.
const FEW: (usize, usize) = (10, 4);
/// So many pieces make a session long.
const LONG: usize = 2_000;
/// So many make it so long that half as many values must do, and a quarter of those for which memories are read anew.
const DEAR: usize = 30_000;
/// So many memories, each looked at for a question, take as long as a piece: measured on a session of 3,600 pieces, whose
/// replays take 0.9 ms without and 16 ms with its memories.
const LOOKED_AT: usize = 1;
/// Places of a fact whose fates are read in each trial.
const PLACES: usize = 8;
/// Figures that are taken from the events of what was hidden.
const MEASURED: usize = 24;
/// Rounds in which stages are looked for that only come after those before them were moved out of the way.
const ROUNDS: usize = 2;

/// What one trial tells.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Tried {
    /// Whether the fact is there.
    pub(super) holds: bool,
    /// What it costs.
    pub(super) bill: Bill,
    /// How it is lost, where it is.
    pub(super) lost: Option<Lost>,
    /// The stages that had a hand in its life.
    pub(super) stages: BTreeSet<Stage>,
    /// What their events measured.
    pub(super) figures: Vec<u64>,
}

/// How a fact is lost: whatever changes that moves it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Lost {
    pub(super) step: u32,
    pub(super) stage: Option<Stage>,
    pub(super) rule: String,
    pub(super) tokens: u64,
}

/// A setting, moved as far as it goes to each side.
pub(super) struct Far {
    pub(super) moved: Moved,
    pub(super) tried: Vec<(Value, Tried)>,
}

/// Everything that replays need.
pub struct Trials<'a> {
    /// The fact.
    pub subject: &'a Subject<'a>,
    /// Replays under every policy that is tried.
    pub ready: &'a Ready<'a>,
    /// What the replays are made from.
    pub plan: &'a Plan,
    /// The present policy.
    pub policy: &'a Policy,
    /// The step at which the fact is to be there.
    pub step: u32,
    /// Tells progress; cancelled, it ends the search.
    pub watch: &'a Watch,
    pub(super) replayed: Replayed,
    pub(super) effort: Effort,
}

impl<'a> Trials<'a> {
    /// A search that has not begun.
    #[must_use]
    pub fn new(
        subject: &'a Subject<'a>,
        ready: &'a Ready<'a>,
        policy: &'a Policy,
        step: u32,
        watch: &'a Watch,
    ) -> Self {
        let (plan, replayed, effort) = (&*ready.base().plan, Replayed::of(policy), Effort::default());
        Trials { subject, ready, plan, policy, step, watch, replayed, effort }
    }

    /// Whether the fact is visible at the step under a policy.
    pub(super) fn holds(&self, policy: &Policy) -> bool {
        self.replay(policy).0
    }

    /// Searches. What numbers tell is told at once, and again after each setting that needs vectors made anew.
    #[must_use]
    pub fn search(&self, told: &dyn Fn(&WhatIf)) -> WhatIf {
        let run = self.ready.base().run(self.policy);
        let reading = Reading::new(self.subject, &run);
        let lives: Vec<_> = self.subject.places.iter().filter_map(|place| reading.life(place)).collect();
        let remembered = self.is_remembered();
        let waits = remembered || (lives.is_empty() && self.is_attached());
        let holds = reading.shows(self.step);
        let was = self.recorded();
        let was = was.as_ref().map(|run| (run, Reading::new(self.subject, run)));
        let by_user = was.as_ref().and_then(|(run, reading)| self.by_user(run, reading, holds.is_some()));
        let kept = was.as_ref().filter(|_| holds.is_none()).and_then(|(run, reading)| self.kept(run, reading));
        let mut found = WhatIf {
            step: self.step,
            there: holds.is_some(),
            held: holds.and_then(|id| run.entry(id)).map(|entry| (entry.layer, entry.label.clone())),
            // What stands in a file that is attached may only be left out of it, and what a memory says not be packed.
            never: lives.iter().all(|(first, _)| *first > self.step) && !waits,
            absent: self.subject.places.is_empty() && lives.is_empty() && !waits,
            by_user: by_user.map(|(asked, _)| asked),
            lost: by_user.and_then(|(_, lost)| lost),
            kept,
            bill: Bill::of(&run),
            answers: Vec::new(),
            replays: 1,
            stopped: false,
            under_way: false,
            prepared: false,
            taken_by: None,
            pairs: 0,
            left_out: 0,
            untried: Vec::new(),
        };
        if found.there || found.never {
            return found;
        }
        let events: BTreeSet<_> = lives.iter().flat_map(|(_, stays)| stays).filter_map(|stay| stay.event).collect();
        let mut stages: BTreeSet<Stage> =
            events.iter().filter_map(|id| run.event(*id)).map(|event| event.stage).collect();
        if self.is_attached() && (lives.is_empty() || stages.is_empty()) {
            stages.extend([Stage::Limit, Stage::Select]);
        }
        stages.extend(remembered.then_some(Stage::Pack));
        if reading.is_refused(self.step) {
            stages.extend(SHORTER);
        }
        let prepared = |stage: &Stage| matches!(stage, Stage::Limit | Stage::Select | Stage::Pack);
        found.prepared = !self.ready.remakes() && stages.iter().any(prepared);
        let own: Vec<u64> = lives.iter().flat_map(|(_, stays)| stays).filter_map(own_figure).take(MEASURED).collect();
        let mut figures = self.figures(&run, &events, &own);
        let base = self.read(&run);
        self.replayed.know(self.policy, &base);
        let (mut far, mut slow): (Vec<Far>, Vec<Moved>) = (Vec::new(), Vec::new());
        // What the first loss hid only shows once that is gone: the stages behind it are moved, too.
        for _ in 0..=ROUNDS {
            let known: Vec<&Moved> = far.iter().map(|far| &far.moved).collect();
            let fresh = self.dials(&stages, &run).into_iter().filter(|moved| !known.contains(&moved));
            // What needs vectors comes behind what numbers tell.
            let (behind, quick): (Vec<Moved>, Vec<Moved>) = fresh.partition(Moved::is_slow);
            slow = behind;
            if quick.is_empty() || self.watch.is_cancelled() {
                break;
            }
            let tried = self.far(quick, &figures);
            let all = || tried.iter().flat_map(|far| &far.tried);
            let behind = all().filter(|(_, tried)| !tried.stages.is_subset(&stages));
            figures.extend(behind.flat_map(|(_, tried)| &tried.figures).take(MEASURED).copied());
            stages.extend(all().flat_map(|(_, tried)| &tried.stages).copied());
            far.extend(tried);
        }
        figures.sort_unstable();
        figures.dedup();
        let quick = far.len() as u64;
        let tried = self.watch.progress().0;
        self.watch.expect(tried + quick + slow.iter().map(Moved::parts).sum::<u64>());
        let single: Vec<(Option<Answer>, bool)> = far
            .par_iter()
            .map(|far| {
                let answer = if self.watch.is_cancelled() { (None, false) } else { self.alone(far, &base, &figures) };
                self.watch.advance(1);
                answer
            })
            .collect();
        let untried = far.iter().zip(&single).filter(|(_, (_, more))| *more);
        found.untried = untried.map(|(far, _)| far.moved.setting.key).collect();
        found.untried.dedup();
        found.answers.extend(single.into_iter().filter_map(|(answer, _)| answer));
        let mut before = tried + quick;
        // What is embedded is bounded in all, in order; words cost nothing of that, and are read side by side.
        let by_words = |moved: &&Moved| moved.setting.section() == "memory" && self.policy.memory.model.is_empty();
        let (read, embedded): (Vec<&Moved>, Vec<&Moved>) = slow.iter().partition(by_words);
        let alone = embedded.into_iter().map(|moved| vec![moved]);
        for side_by_side in std::iter::once(read).filter(|read| !read.is_empty()).chain(alone) {
            if self.watch.is_cancelled() {
                break;
            }
            found.under_way = true;
            told(&self.sorted(found.clone()));
            let kept: Vec<_> =
                side_by_side.par_iter().map(|moved| self.outward(self.policy, moved, &figures)).collect();
            for (moved, (kept, more)) in side_by_side.iter().zip(kept) {
                found.answers.extend(kept.map(|kept| self.answer(kept)));
                found.untried.extend(more.then_some(moved.setting.key));
                before += moved.parts();
            }
            self.watch.advance(before.saturating_sub(self.watch.progress().0));
        }
        found.under_way = false;
        if found.answers.is_empty() && !self.watch.is_cancelled() {
            (found.answers, found.pairs, found.left_out) = self.pairs(&far, &base, &figures);
        }
        if found.answers.is_empty() {
            found.taken_by = self.taken_by(&run, &reading);
        }
        self.sorted(found)
    }

    /// The cheapest answers first, each once.
    fn sorted(&self, mut found: WhatIf) -> WhatIf {
        found
            .answers
            .sort_by(|one, other| one.bill.order(&other.bill).then(one.changes.len().cmp(&other.changes.len())));
        found.untried.dedup();
        found.answers.dedup_by(|one, other| {
            one.changes.len() == other.changes.len()
                && one.changes.iter().zip(&other.changes).all(|(one, other)| one.key == other.key && one.to == other.to)
        });
        found.replays = self.replayed.number();
        found.stopped = self.watch.is_cancelled();
        found
    }

    /// What became of the fact in a run.
    pub(super) fn read(&self, run: &Run) -> Tried {
        let reading = Reading::new(self.subject, run);
        let mut tried = Tried { holds: reading.is_visible(self.step), bill: Bill::of(run), ..Tried::default() };
        let mut events: BTreeSet<EventId> = BTreeSet::new();
        let refused = reading.is_refused(self.step);
        for place in self.subject.places.iter().take(PLACES) {
            let Some((first, stays)) = reading.life(place) else { continue };
            // What a stage measured before it came in, and did nothing: done then, it may not be due again in time.
            let before = first.checked_sub(2).and_then(|at| run.totals.get(at as usize));
            tried.figures.extend(before.map(Totals::used));
            events.extend(stays.iter().filter_map(|stay| stay.event));
            tried.figures.extend(stays.iter().filter_map(own_figure));
            let Some(gone) = last_loss(&stays, self.step) else { continue };
            let event = gone.decided(run);
            let event = event.as_deref();
            let lost = Lost {
                step: gone.from,
                // What makes it shorter comes next.
                stage: event.map(|event| event.stage).or(refused.then_some(Stage::Summarise)),
                rule: event.map(|event| event.rule.to_string()).unwrap_or_default(),
                tokens: gone.entry.and_then(|id| run.entry(id)).map_or(0, |entry| entry.tokens),
            };
            if tried.lost.as_ref().is_none_or(|known| known.step < lost.step) {
                tried.lost = Some(lost);
            }
        }
        tried.stages = events.iter().filter_map(|id| run.event(*id)).map(|event| event.stage).collect();
        let measured = |event: &Event| [event.measured, event.tokens_before, event.tokens_after];
        let events = events.iter().filter_map(|id| run.event(*id));
        tried.figures.extend(events.flat_map(measured).flatten());
        if refused {
            tried.stages.extend(SHORTER);
            tried.figures.push(tried.bill.peak + 1);
        }
        tried
    }

    /// Settings moved as far as they go, each alone.
    fn far(&self, dials: Vec<Moved>, figures: &[u64]) -> Vec<Far> {
        let each: Vec<(usize, Value)> = dials
            .iter()
            .enumerate()
            .flat_map(|(at, moved)| moved.far(figures).into_iter().map(move |to| (at, to)))
            .collect();
        self.watch.expect(self.watch.progress().0 + each.len() as u64);
        let tried: Vec<(usize, Value, Tried)> = each
            .into_par_iter()
            .filter_map(|(at, value)| {
                self.watch.advance(1);
                if self.watch.is_cancelled() {
                    return None;
                }
                let tried = self.at(dials.get(at)?, &value)?;
                Some((at, value, tried))
            })
            .collect();
        let mut far: Vec<Far> = dials.into_iter().map(|moved| Far { moved, tried: Vec::new() }).collect();
        for (at, value, tried) in tried {
            if let Some(far) = far.get_mut(at) {
                far.tried.push((value, tried));
            }
        }
        far
    }

    /// The value of one setting that keeps the fact, nearest to the present one; and whether figures were left untried.
    fn alone(&self, far: &Far, base: &Tried, figures: &[u64]) -> (Option<Answer>, bool) {
        if let To::Switch(_) = &far.moved.to {
            let keeps = far.tried.first().filter(|(_, tried)| tried.holds);
            let answer = keeps.map(|(value, tried)| {
                let setting = far.moved.setting;
                let from = (setting.get)(self.policy);
                let change = Change { key: setting.key, from, to: value.clone(), back: None };
                Answer { changes: vec![change], bill: tried.bill }
            });
            return (answer, false);
        }
        // What changes nothing of what is prepared at either end does so nowhere.
        if self.is_idle(&far.moved) {
            return (None, false);
        }
        // In a long session, what changes nothing at either end nor between them is tried no further.
        let dull = |tried: &Tried| !tried.holds && tried.bill == base.bill && tried.lost == base.lost;
        if let To::Dial(dial) = &far.moved.to
            && self.is_long()
            && far.tried.iter().all(|(_, tried)| dull(tried))
            && far
                .moved
                .tried(dial, figures, FEW.1)
                .into_iter()
                .all(|number| self.at(&far.moved, &dial.value(number)).is_none_or(|tried| dull(&tried)))
        {
            return (None, false);
        }
        let (found, more) = self.outward(self.policy, &far.moved, figures);
        (found.map(|found| self.answer(found)), more)
    }

    /// A single change as an answer, with what the run costs under it.
    pub(super) fn answer(&self, (change, policy): (Change, Policy)) -> Answer {
        Answer { changes: vec![change], bill: self.replay(&policy).1 }
    }

    /// What one setting at a value makes of the fact.
    fn at(&self, moved: &Moved, value: &Value) -> Option<Tried> {
        self.under(&with(self.policy, moved.setting, value)?)
    }

    /// The same over another policy than the present one.
    pub(super) fn over(&self, policy: &Policy, moved: &Moved, figures: &[u64]) -> Option<(Change, Policy)> {
        self.outward(policy, moved, figures).0
    }

    /// The change of one setting that keeps the fact, and what it makes of a policy; and whether figures were left
    /// untried.
    fn outward(&self, policy: &Policy, moved: &Moved, figures: &[u64]) -> (Option<(Change, Policy)>, bool) {
        let setting = moved.setting;
        let from = (setting.get)(policy);
        let change = |to: Value, back| Change { key: setting.key, from: from.clone(), to, back };
        let dial = match &moved.to {
            To::Switch(value) => {
                let Some(changed) = with(policy, setting, value) else { return (None, false) };
                if moved.is_slow() && !self.affords(&changed) {
                    return (None, true);
                }
                let keeps = self.holds(&changed);
                return (keeps.then(|| (change(value.clone(), None), changed)), false);
            }
            To::Dial(dial) => dial,
        };
        let at = |number: u64| with(policy, setting, &dial.value(number));
        let keeps = |number: u64| at(number).is_some_and(|policy| self.holds(&policy));
        let most = match self.is_long() {
            true if moved.is_slow() => self.least(self.least(FEW.0)),
            true => self.least(FEW.0),
            false => TRIED,
        };
        // What a share comes to differs from step to step: at that one figure, another value may be lost or not.
        let (found, more) = if !dial.exact && keeps(dial.now) {
            let loses = |number: &u64| at(*number).is_some_and(|policy| !self.holds(&policy));
            let around = dial.around(if moved.is_slow() { &[] } else { figures });
            let mut around = around.into_iter().take(most).take_while(|_| !self.watch.is_cancelled());
            let edge = around.find(loses).map(|bad| halve(bad, dial.now, &[bad], |number| Some(keeps(number))));
            (Some(edge.map_or((dial.now, None), |(good, bad)| (good, Some(bad)))), false)
        } else {
            let nearest = Outward::new(self, policy, moved, dial, figures).nearest(most);
            (nearest.found.map(|(good, bad)| (good, Some(bad))), nearest.more)
        };
        let found = found.filter(|_| !self.watch.is_cancelled());
        let changed = |(good, bad): (u64, Option<u64>)| {
            Some((change(dial.value(good), bad.map(|bad| dial.value(bad))), at(good)?))
        };
        (found.and_then(changed), more)
    }

    /// Whether a replay takes long.
    pub(super) fn is_long(&self) -> bool {
        self.pieces() > LONG
    }

    /// How many values are tried at least, where so many are in a long session.
    pub(super) fn least(&self, many: usize) -> usize {
        least(self.pieces(), many)
    }

    /// How much a replay goes through, counted in pieces. It bounds what is tried: the same session, the same answers.
    pub(super) fn pieces(&self) -> usize {
        let recall = self.ready.base().given.recall.as_ref().filter(|_| self.policy.memory.on);
        let looked_at = recall.map_or((0, 0), |recall| (recall.seed.len() + recall.coming.len(), recall.queries.len()));
        pieces(self.plan.items.len(), looked_at)
    }
}

/// How many of so many values are tried where a replay goes through so many pieces.
fn least(pieces: usize, many: usize) -> usize {
    if pieces > DEAR { many.div_ceil(2) } else { many }
}

/// What a replay over so many pieces goes through that has so many memories looked at for so many questions; one at
/// least.
fn pieces(own: usize, (memories, questions): (usize, usize)) -> usize {
    own.saturating_add(memories.saturating_mul(questions) / LOOKED_AT).max(1)
}

/// What was measured of the fact's own part of a file, where its event left out several.
fn own_figure(stay: &Stay) -> Option<u64> {
    stay.left.as_ref().and_then(|left| left.measured)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_of_few_pieces_is_long_where_each_question_has_many_memories_looked_at() {
        assert_eq!((pieces(0, (0, 0)), pieces(1_500, (0, 80)), pieces(1_500, (100, 8))), (1, 1_500, 2_300));
        assert_eq!([DEAR, DEAR + 1].map(|pieces| least(pieces, 10)), [10, 5]);
        assert!(pieces(1_500, (1_100, 80)) > LONG && pieces(usize::MAX / 2, (usize::MAX, 2)) > LONG);
    }
}
