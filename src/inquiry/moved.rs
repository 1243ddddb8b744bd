//! What may be moved to keep a fact: the settings that decide what a stage does, and how far each is moved.

use crate::model::Stage;
use crate::policy::{Choice, Enrich, FilesMode, Follows, IngestMode, Policy, Setting, Value};

use super::dial::{Dial, switches};

/// Values of one dial that are tried before its way back is halved.
pub const TRIED: usize = 20;

/// A setting that may be moved.
pub struct Moved {
    /// Which one.
    pub setting: &'static Setting,
    /// Where to.
    pub to: To,
}

/// Where a setting may be moved.
#[derive(PartialEq)]
pub enum To {
    /// To this value.
    Switch(Value),
    /// To any number.
    Dial(Dial),
}

impl PartialEq for Moved {
    fn eq(&self, other: &Moved) -> bool {
        self.setting.key == other.setting.key && self.to == other.to
    }
}

impl Moved {
    /// A setting's switches and dials under a policy; `whole` is what shares refer to.
    pub fn all(setting: &'static Setting, policy: &Policy, whole: u64) -> Vec<Moved> {
        let asks = Value::Text(Enrich::Rewrite.name().to_owned());
        // Nobody is asked, and nothing paid, for a value that is only tried.
        let switches =
            switches(setting, policy).into_iter().filter(|value| setting.name() != "enrich" || *value != asks);
        let dials = Dial::of(setting, policy, whole).into_iter().map(To::Dial);
        switches.map(To::Switch).chain(dials).map(|to| Moved { setting, to }).collect()
    }

    /// Whether it could change anything under a policy.
    pub fn may_matter(&self, policy: &Policy) -> bool {
        let memory = &policy.memory;
        match self.setting.key {
            "memory.bridge_at" | "memory.bridge_words" => memory.latent_bridging,
            "memory.enrich_window" => memory.enrich != Enrich::None,
            "memory.chunk_size" | "memory.chunk_overlap" => memory.ingest != IngestMode::Session,
            key => !self.is_slow() || !key.starts_with("chunks.") || policy.files.mode == FilesMode::Chunks,
        }
    }

    /// Whether it is the window, which shares are parts of.
    pub fn is_window(&self) -> bool {
        self.setting.key == "window.size"
    }

    /// Whether vectors, or what was compared by them, are made anew for each of its values.
    pub fn is_slow(&self) -> bool {
        self.setting.follows == Follows::Reembed
    }

    /// So many numbers at most that are tried before the way back is halved. Where each takes long, those measured by
    /// the fact's own events, which are tokens, are left out.
    pub fn tried(&self, dial: &Dial, figures: &[u64], most: usize) -> Vec<u64> {
        spread(dial.candidates(if self.is_slow() { &[] } else { figures }), most)
    }

    /// Numbers in even steps between the present one and one that keeps the fact, the nearest first.
    pub fn between(&self, dial: &Dial, good: u64, most: usize) -> Vec<u64> {
        let parts = (most as u64 / 2).max(1);
        let step = good.abs_diff(dial.now) / (parts + 1);
        let at = |part: u64| if good > dial.now { dial.now + part * step } else { dial.now - part * step };
        (1..=parts).filter(|_| step > 0).map(at).collect()
    }

    /// How many parts of the progress it makes.
    pub fn parts(&self) -> u64 {
        match &self.to {
            To::Dial(dial) if self.is_slow() => self.tried(dial, &[], TRIED).len().max(1) as u64,
            To::Dial(_) | To::Switch(_) => 1,
        }
    }

    /// Its values as far as they go.
    pub fn far(&self, figures: &[u64]) -> Vec<Value> {
        match &self.to {
            To::Switch(value) => vec![value.clone()],
            To::Dial(dial) => {
                let candidates = dial.candidates(figures);
                let ends = [candidates.iter().min(), candidates.iter().max()];
                ends.into_iter().flatten().map(|number| dial.value(*number)).collect()
            }
        }
    }
}

/// At most so many of a list, its ends among them.
fn spread(mut all: Vec<u64>, most: usize) -> Vec<u64> {
    if all.len() <= most {
        return all;
    }
    let ends = [all.iter().copied().min(), all.iter().copied().max()];
    let each = all.len().div_ceil(most.saturating_sub(2).max(1));
    all = all.into_iter().step_by(each).collect();
    for end in ends.into_iter().flatten() {
        if !all.contains(&end) {
            all.push(end);
        }
    }
    all
}

/// Between a number that keeps the fact and the nearest one on the way back to the present one that does not: two
/// neighbours of which the one does and the other does not. Where `keeps` cannot tell, it ends with what was found so
/// far.
pub fn halve(now: u64, good: u64, failed: &[u64], mut keeps: impl FnMut(u64) -> Option<bool>) -> (u64, u64) {
    let toward = |number: &&u64| (now.min(good)..=now.max(good)).contains(*number) && **number != good;
    let mut bad = failed.iter().filter(toward).min_by_key(|number| number.abs_diff(good)).copied().unwrap_or(now);
    let mut good = good;
    while good.abs_diff(bad) > 1 {
        let middle = good.min(bad) + good.abs_diff(bad) / 2;
        match keeps(middle) {
            Some(true) => good = middle,
            Some(false) => bad = middle,
            None => break,
        }
    }
    (good, bad)
}

/// The stages that make a request shorter, which one that was refused as too long lacks.
pub const SHORTER: [Stage; 6] =
    [Stage::Truncate, Stage::Microcompact, Stage::Collapse, Stage::Summarise, Stage::Reactive, Stage::Drop];

/// The sections of settings that decide what a stage does.
pub fn sections_of(stage: Stage) -> &'static [&'static str] {
    match stage {
        Stage::Truncate => &["tool_results"],
        Stage::Microcompact => &["microcompact", "thinking"],
        Stage::Collapse => &["collapse"],
        Stage::Summarise => &["summarise", "reserve", "memory"],
        Stage::Reactive => &["reactive", "summarise"],
        Stage::Drop => &["drop"],
        Stage::Limit => &["limits", "files", "chunks", "instructions", "skills", "memory"],
        // What is prepared before a replay is prepared anew for each of their values.
        Stage::Select => &["chunks", "files"],
        Stage::Pack | Stage::Preserve | Stage::Reconcile => &["memory"],
        Stage::Admit | Stage::Rewind | Stage::Reasoning | Stage::Session | Stage::Notice => &[],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::named;

    #[test]
    fn what_the_present_policy_does_not_read_is_not_moved() {
        let matters = |key: &str, policy: &Policy| {
            let setting = named(key).unwrap();
            Moved { setting, to: To::Switch((setting.get)(policy)) }.may_matter(policy)
        };
        let mut policy = Policy::default();
        for key in ["memory.bridge_at", "memory.enrich_window", "chunks.window"] {
            assert!(!matters(key, &policy), "{key}");
        }
        (policy.memory.latent_bridging, policy.memory.enrich) = (true, Enrich::Augment);
        policy.files.mode = FilesMode::Chunks;
        for key in ["memory.bridge_at", "memory.enrich_window", "chunks.window", "memory.chunk_size"] {
            assert!(matters(key, &policy), "{key}");
        }
        policy.memory.ingest = IngestMode::Session;
        assert!(!matters("memory.chunk_size", &policy));
    }
}
