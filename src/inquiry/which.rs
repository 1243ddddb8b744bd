//! Which settings may have had a hand in what became of a fact, and which figures.

use std::collections::BTreeSet;

use super::dial::Dial;
use super::moved::{Moved, SHORTER, To, sections_of};
use super::whatif::Trials;
use crate::engine::Replay;
use crate::model::{Block, Event, EventId, Layer, Run, Stage, Totals};
use crate::policy::{Choice, Kind, SECTIONS, Setting, Summariser, Value};

/// Settings of a memory by which a kept one comes in.
const PACKS: [&str; 4] = ["on", "min_score", "max_items", "show"];

impl Trials<'_> {
    /// What the fact's own events measured, what was measured of it itself, and how large what it stands in is and was.
    pub(super) fn figures(&self, run: &Run, events: &BTreeSet<EventId>, own: &[u64]) -> Vec<u64> {
        let mut found: BTreeSet<u64> = BTreeSet::new();
        for event in events.iter().filter_map(|id| run.event(*id)) {
            found.extend([event.measured, event.tokens_before, event.tokens_after].into_iter().flatten());
            // What stood after the fact when it went: so much would have had to be kept.
            let took: Vec<_> = event.took.iter().filter_map(|id| run.entry(*id)).collect();
            let mut behind = 0;
            for entry in took.iter().rev() {
                behind += entry.tokens;
                let own =
                    entry.block().is_some_and(|block| self.subject.places.iter().any(|place| place.block == block));
                if own {
                    found.insert(behind);
                }
            }
        }
        for place in self.subject.places.iter().take(50) {
            let item = self.plan.items.iter().find(|item| item.block == place.block);
            if let (Some(item), Some(spot)) = (item, place.spot()) {
                let before = item.tokens.saturating_mul(u64::from(spot.range.1)) / u64::from(spot.length.max(1));
                found.extend([item.tokens, before + 50, (item.tokens - before.min(item.tokens)) + 50]);
            }
        }
        let peak = run.totals.iter().map(Totals::used).max().unwrap_or(0);
        found.insert(peak + 1);
        if found.len() > 24 {
            let each = found.len().div_ceil(24);
            return found.into_iter().step_by(each).chain(own.iter().copied()).chain([peak + 1]).collect();
        }
        found.extend(own);
        found.into_iter().collect()
    }

    /// The settings of the sections that had a hand in it.
    pub(super) fn dials(&self, stages: &BTreeSet<Stage>, run: &Run) -> Vec<Moved> {
        let window = run.step_at(self.step).map_or(0, |step| step.window_tokens);
        let mut sections: BTreeSet<&str> = stages.iter().flat_map(|stage| sections_of(*stage)).copied().collect();
        // The cheaper stages can make a later one unnecessary.
        if stages.iter().any(|stage| stage.summarises() || matches!(stage, Stage::Drop | Stage::Collapse)) {
            sections.extend(["tool_results", "microcompact", "thinking", "collapse", "summarise", "window"]);
        }
        // What the agent cut before it sent it may still be there, whole; and with what else it cut, stages come elsewhere.
        if self.ready.remakes() && (self.was_cut() || self.moves_with_originals(stages)) {
            sections.insert("replay");
        }
        if !self.ready.remakes() {
            for section in ["files", "chunks", "memory", "instructions"] {
                sections.remove(section);
            }
        }
        let by = |setting: &Stage| *setting != Stage::Limit && sections_of(*setting).contains(&"memory");
        let packs = stages.iter().any(by);
        let kept = stages.contains(&Stage::Pack) && self.ready.base().given.kept;
        let in_index = stages.contains(&Stage::Limit) && self.stands_in(&[Layer::Memory]);
        let in_skill = self.stands_in(&[Layer::Skills]);
        let too_long = SHORTER.iter().all(|stage| stages.contains(stage));
        let mut found = Vec::new();
        for (name, _, settings) in SECTIONS {
            if !sections.contains(name) {
                continue;
            }
            let acts = self.may_matter(name);
            let own = |setting: &&Setting| match *name {
                "window" => setting.name() == "size",
                "replay" => setting.name() == "originals",
                "skills" => in_skill,
                // The index file is read whether or not memories are packed.
                "memory" if setting.name() == "index_lines" => in_index,
                // What is kept comes in once there is a memory.
                "memory" if !acts => kept && PACKS.contains(&setting.name()),
                "memory" => acts && packs,
                // What is too long may be made shorter by what is off now.
                "summarise" | "reactive" | "drop" if !acts => too_long && setting.name() == "on",
                _ => acts,
            };
            for setting in settings.iter().filter(own) {
                if *name == "window" {
                    // Where none is given, it is the model's. In a smaller one a share comes to less.
                    found.extend(Dial::of(setting, self.policy, window).into_iter().map(|mut dial| {
                        // Windows may differ from step to step where none is given.
                        dial.exact = self.policy.window.size == window;
                        (dial.now, dial.range.0) = (window, dial.range.0.max(1));
                        Moved { setting, to: To::Dial(dial) }
                    }));
                    continue;
                }
                let whole = self.whole(setting, run, window);
                let moved = Moved::all(setting, self.policy, whole).into_iter().map(|mut moved| {
                    if let To::Dial(dial) = &mut moved.to
                        && let Some(now) = self.measured(setting, run).filter(|_| !dial.exact)
                    {
                        dial.now = now.clamp(dial.range.0, dial.range.1);
                    }
                    moved
                });
                found.extend(moved.filter(|moved| moved.may_matter(self.policy) && !self.asks_nobody(moved)));
                found.extend(self.additions(setting).map(|value| Moved { setting, to: To::Switch(value) }));
            }
        }
        found
    }

    /// Whether a setting would have a model write the summaries where none is there to be asked.
    fn asks_nobody(&self, moved: &Moved) -> bool {
        let model = Value::Text(Summariser::Model.name().to_owned());
        let answers = &self.ready.base().given.answers;
        let by_model = moved.setting.key == "summarise.by" && moved.to == To::Switch(model);
        by_model && answers.writer.is_none() && answers.is_empty()
    }

    /// What a share refers to, as nearly as can be said before a replay: a part of the window, and of a history what was
    /// there when it was last compacted.
    fn whole(&self, setting: &Setting, run: &Run, window: u64) -> u64 {
        match (setting.kind, setting.key) {
            _ if setting.unit == "events" => run.entries.len() as u64,
            (Kind::Amount, _) => {
                let compacted = run.events.iter().rev().find(|event| event.compacts() && event.step <= self.step);
                compacted.and_then(|event| event.tokens_before).unwrap_or(window)
            }
            (_, "summarise.at") => self.policy.summarise.window(window, &self.policy.reserve),
            _ => window,
        }
    }

    /// What a threshold came to when it last decided something before the step in question.
    fn measured(&self, setting: &Setting, run: &Run) -> Option<u64> {
        let decided = |event: &&Event| event.rule == setting.key && event.step <= self.step;
        run.events.iter().rev().filter(decided).find_map(|event| event.threshold)
    }

    /// Whether the fact stands in a file that is attached, in one of instructions, in a skill's or in the memory index.
    pub(super) fn is_attached(&self) -> bool {
        self.stands_in(&[Layer::Files, Layer::Chunks, Layer::Instructions, Layer::Skills, Layer::Memory])
    }

    /// Whether the fact stands in one of some layers. What a log says of skills and memories is its history: of those,
    /// only files that are given beside it count.
    fn stands_in(&self, layers: &[Layer]) -> bool {
        self.given(layers).next().is_some()
    }

    fn given(&self, layers: &[Layer]) -> impl Iterator<Item = &Block> {
        let transcript = self.subject.transcript;
        let beside = |block: &&Block| {
            let source = transcript.sources.get(block.record.source.0 as usize);
            let is_history = matches!(block.layer, Layer::Skills | Layer::Memory);
            !is_history || source.is_some_and(|source| source.kind.is_attached())
        };
        let blocks = self.subject.places.iter().filter_map(|place| transcript.block(place.block));
        blocks.filter(move |block| layers.contains(&block.layer)).filter(beside)
    }

    /// Whether a memory that was kept on disk says it, which a replay may pack: as it is, or with a memory turned on.
    pub(super) fn is_remembered(&self) -> bool {
        let says = |replay: &Replay| {
            let recall = replay.given.recall.as_ref();
            recall.is_some_and(|recall| recall.seed.all().any(|(_, memory, _)| self.subject.is_in(&memory.text)))
        };
        let base = self.ready.base();
        let off = || base.given.kept && !self.policy.memory.on && base.given.recall.is_none() && self.ready.remakes();
        let on = || {
            let mut policy = self.policy.clone();
            policy.memory.on = true;
            self.ready.of(&policy)
        };
        says(base) || (off() && on().is_some_and(|replay| says(&replay)))
    }

    /// Whether the fact stands in what the agent cut off before it sent the rest.
    fn was_cut(&self) -> bool {
        let is_cut = |block| self.subject.transcript.block(block).is_some_and(|block| block.cut.is_some());
        self.subject.places.iter().any(|place| place.whole.is_some() && place.seen.is_none() && is_cut(place.block))
    }

    /// Whether what the agent cut would, as it was before, move the stages that took the fact. Nobody is asked for other
    /// summaries, and nothing paid, for what is only tried.
    fn moves_with_originals(&self, stages: &BTreeSet<Stage>) -> bool {
        let by_size = |stage: &Stage| SHORTER.contains(stage) && *stage != Stage::Truncate;
        let block = |id| self.subject.transcript.block(id);
        let has_more = || {
            let mut blocks = self.plan.items.iter().filter_map(|item| block(item.block));
            blocks.any(|block| block.cut.is_some() && block.original.is_some())
        };
        stages.iter().any(by_size) && !self.ready.base().asks(self.policy) && has_more()
    }

    /// Whether a section does anything under the present policy, or could at once be switched on.
    fn may_matter(&self, section: &str) -> bool {
        let on = format!("{section}.on");
        let switch = SECTIONS.iter().flat_map(|(_, _, settings)| settings.iter()).find(|setting| setting.key == on);
        switch.is_none_or(|setting| (setting.get)(self.policy) == Value::Bool(true))
            || matches!(section, "microcompact" | "tool_results" | "collapse")
    }

    /// Lists with what the fact stands in added: its tool is spared, its layer or role is kept; without the skill that it
    /// stands in, where that is prohibited.
    fn additions(&self, setting: &Setting) -> Option<Value> {
        let Value::List(mut list) = (setting.get)(self.policy) else { return None };
        if !matches!(setting.kind, Kind::List(_)) {
            return None;
        }
        if setting.key == "skills.prohibited" {
            // What is prohibited stays out, whatever the other lists say: only its name there keeps it out.
            let before = list.len();
            list.retain(|name| !self.given(&[Layer::Skills]).any(|block| *block.label == **name));
            return (list.len() < before).then_some(Value::List(list));
        }
        if matches!(setting.key, "skills.required" | "skills.allowed") {
            // Where no skill is named, all are allowed.
            let skill = self.given(&[Layer::Skills]).next().map(|block| block.label.to_string())?;
            if list.contains(&skill) || (list.is_empty() && setting.name() == "allowed") {
                return None;
            }
            list.push(skill);
            return Some(Value::List(list));
        }
        let item = self
            .subject
            .places
            .iter()
            .find_map(|place| self.plan.items.iter().find(|item| item.block == place.block))?;
        let added = match setting.name() {
            "exclude_tools" if item.is_result() => item.label.to_string(),
            "keep_layers" => item.layer.name().to_owned(),
            "keep_roles" if list.is_empty() => match item.layer {
                Layer::User => "user".to_owned(),
                Layer::Assistant => "assistant".to_owned(),
                _ => return None,
            },
            _ => return None,
        };
        if added.is_empty() || list.contains(&added) {
            return None;
        }
        list.push(added);
        Some(Value::List(list))
    }
}
