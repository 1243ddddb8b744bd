//! A history made ready for replays: counted, planned and read once, then run under policy after policy.

use std::sync::Arc;

use rayon::prelude::*;

use crate::content::{Watch, encode_json_string};
use crate::model::{BlockId, Body, Request, Run, ThreadId, WindowSource};
use crate::policy::{self, Policy};
use crate::tokens::{self, Count};

use super::plan::Counted;
use super::{Calibrate, Counting, Given, Known, Plan, StepFacts, preserves, recorded, simulate};

/// A history and what comes into it, ready to be run under any policy that [`Replay::fits`].
#[derive(Clone, Debug)]
pub struct Replay {
    /// The full history as numbers.
    pub plan: Arc<Plan>,
    /// What is given beside it.
    pub given: Arc<Given>,
    /// The policy that both were made for.
    of: Policy,
}

impl Replay {
    /// Puts together what was made for a policy.
    #[must_use]
    pub fn new(plan: Arc<Plan>, given: Arc<Given>, of: Policy) -> Self {
        Replay { plan, given, of }
    }

    /// Whether a policy counts the history as this replay does and prepares the same files, instructions and skills.
    /// Where it doesn't, [`Replay::run`] would show what the other policy prepared.
    #[must_use]
    pub fn fits(&self, policy: &Policy) -> bool {
        counts_alike(&self.of, policy) && prepares_alike(&self.of, policy)
    }

    /// Whether another is the same history with the same beside it: a policy that reads no more of its files and texts
    /// than what was prepared of them ([`READ_BEFORE`]) makes the same run of both.
    #[must_use]
    pub fn is_like(&self, other: &Replay) -> bool {
        Arc::ptr_eq(&self.plan, &other.plan)
            && (Arc::ptr_eq(&self.given, &other.given) || self.given.is_like(&other.given))
    }

    /// This one's history and what is beside it, for the policies of another that is like it.
    #[must_use]
    pub fn serving(&self, other: &Replay) -> Replay {
        Replay { plan: Arc::clone(&self.plan), given: Arc::clone(&self.given), of: other.of.clone() }
    }

    /// Whether a model may be asked, and paid, for summaries where a history is replayed otherwise under a policy.
    #[must_use]
    pub fn asks(&self, policy: &Policy) -> bool {
        let answers = &self.given.answers;
        let by_model = may_compact(policy) && policy.summarise.by == policy::Summariser::Model;
        by_model && (answers.writer.is_some() || !answers.is_empty())
    }

    /// The history under a policy. Numbers only: fast enough to be called on every move of a threshold.
    #[must_use]
    pub fn run(&self, policy: &Policy) -> Run {
        simulate(&self.plan, policy, &self.given)
    }
}

/// Whether a plan made for one policy serves the other: the same model, encoding and texts.
#[must_use]
pub fn counts_alike(one: &Policy, other: &Policy) -> bool {
    let reading = |policy: &Policy| policy::Window { size: 0, ..policy.window.clone() };
    reading(one) == reading(other)
        && one.replay.originals == other.replay.originals
        && one.cache.marker == other.cache.marker
}

/// Whether what was prepared for one policy ([`Given::prepared`]) serves the other.
#[must_use]
pub fn prepares_alike(one: &Policy, other: &Policy) -> bool {
    let base = |policy: &Policy| (policy.limits.base_tools, policy.cache.boundary, policy.cache.marker.clone());
    let asks = |policy: &Policy| policy.summarise.by == policy::Summariser::Model;
    (asks(one) || !asks(other))
        && (may_compact(one) || !may_compact(other))
        && one.instructions == other.instructions
        && one.skills == other.skills
        && remembers_alike(one, other)
        && one.files == other.files
        && one.chunks == other.chunks
        && base(one) == base(other)
}

/// Whether a policy may compact a history, so that parts of attached files may be wanted.
#[must_use]
pub fn may_compact(policy: &Policy) -> bool {
    policy.summarise.on || policy.reactive.on || policy.replay.manual
}

/// Whether the memories that were read for one policy serve the other: they are there, and were divided and compared
/// as the other wants it. All else about them is decided while a replay runs.
fn remembers_alike(one: &Policy, other: &Policy) -> bool {
    let wants = |policy: &Policy| policy.memory.on || preserves(policy);
    (wants(one) || !wants(other)) && reads_memories_alike(one, other)
}

/// Whether two policies read the same texts into the same memories.
#[must_use]
pub fn reads_memories_alike(one: &Policy, other: &Policy) -> bool {
    let mut read = policy::Memory::SETTINGS.iter().filter(|setting| setting.follows != policy::Follows::Instant);
    read.all(|setting| (setting.get)(one) == (setting.get)(other))
}

/// The sections that only what is prepared before a replay depends on: nothing that is decided while it runs reads them.
pub const READ_BEFORE: [&str; 4] = ["files", "chunks", "instructions", "skills"];

impl Plan {
    /// Counts a thread, works out its full history and reads its texts, as a policy wants them. `None` where the watch
    /// was cancelled or there is no such thread. The longest part is counting what has not been counted before.
    #[must_use]
    pub fn made(counting: &Counting, known: &Known, thread: ThreadId, policy: &Policy, watch: &Watch) -> Option<Plan> {
        let about = counting.transcript.thread(thread)?;
        let facts = || known.facts(counting.transcript, about);
        let mut run = recorded(counting.transcript, thread, facts());
        let bodies = counting.all_bodies(&run);
        counting.counts.count_blocks(counting.sources, &bodies, counting.counter, watch, |_, _| {});
        if watch.is_cancelled() {
            return None;
        }
        counting.apply(&mut run);
        let mut plan = match policy.window.count {
            policy::Count::Text => Plan::of(counting, &run, policy.replay.originals, facts()),
            policy::Count::Json => as_json(counting, &run, policy.replay.originals, facts()),
        };
        if !policy.window.model.is_empty()
            && known.window.is_none()
            && let Some(found) = known.model_of(about)
        {
            // Another model than the recorded one: its window, whatever the recorded one's was.
            for ask in &mut plan.asks {
                (ask.window_tokens, ask.window_source) = (found.window, WindowSource::Table);
            }
        }
        plan.find_boundary(counting.transcript, counting.sources, &policy.cache.marker);
        plan.read(counting.transcript, counting.sources, watch).then_some(plan)
    }
}

/// The same history, its texts counted as the JSON that is sent (source 4: messages are serialized to JSON).
fn as_json(counting: &Counting, run: &Run, originals: bool, facts: impl Fn(&Request) -> StepFacts) -> Plan {
    let counter = counting.counter;
    let blocks = &counting.transcript.blocks;
    let count = |body: &Body| match (body, counting.sources.body_text(body)) {
        (Body::Text { .. }, Ok(text)) => {
            let mut sent = String::with_capacity(text.len() + 32);
            sent.push_str("{\"role\":\"user\",\"content\":\"");
            encode_json_string(&text, &mut sent);
            sent.push_str("\"}");
            Count { tokens: tokens::count(&sent, counter.encoding), exact: counter.exact }
        }
        _ => counting.counts.get_or_estimate(body, counter),
    };
    let counts: Vec<[Count; 2]> = blocks
        .par_iter()
        .map(|block| [count(&block.body), block.original.as_deref().map_or_else(Count::default, count)])
        .collect();
    let of = |id: BlockId, original: bool| {
        counts.get(id.0 as usize).map_or_else(Count::default, |both| both[usize::from(original)])
    };
    let factor = run.calibration.map_or(1.0, |fit| fit.factor);
    let counted = Counted { encoding: counter.encoding, factor, originals };
    Plan::new(counting.transcript, run.thread, counted, of, facts)
}

impl Known<'_> {
    /// What is known where a policy is replayed: what the user wishes stands over what the policy says of model and
    /// encoding. The window's size is the simulation's own concern.
    #[must_use]
    pub fn under(&self, policy: &Policy) -> Self {
        let named = &policy.window.model;
        let encoding = tokens::Encoding::named(policy::Choice::name(policy.window.encoding));
        Known {
            model: self.model.clone().or_else(|| (!named.is_empty()).then(|| named.clone())),
            encoding: self.encoding.or(encoding),
            calibrate: match self.calibrate {
                Calibrate::Auto if !policy.window.calibrate => Calibrate::Off,
                wished => wished,
            },
            ..self.clone()
        }
    }
}
