//! Summarise, layer 3: over a threshold the history is replaced by a summary, and a compact boundary stands between
//! (source 3: compaction; source 5: auto-compact).

use std::borrow::Cow;
use std::sync::Arc;

use crate::engine::plan::{Item, NONE};
use crate::engine::simulate::Sim;
use crate::model::{BlockKind, CONTENT_LAYERS, Layer, Role, Stage, Trigger};
use crate::policy::{MeasureOf, Policy};

use super::chooser::Chooser;
use super::compact::{
    Compacted, Done, How, compact, covers_nothing, is_history, layer_of, loaded_skills_go, tokens_of_piece,
    would_compact,
};
use super::fallback::Remains;
use super::last_usage::LastUsage;

/// What the settings say, worked out once, and what was summarised so far.
pub(in crate::engine) struct SummariseState {
    /// Per layer, whether no compaction takes it.
    pub kept_layers: [bool; Layer::COUNT],
    /// Per layer, whether its messages may be kept; `None` for all.
    pub kept_roles: Option<[bool; Layer::COUNT]>,
    /// Compactions, newest last, where the history goes back at all.
    pub done: Vec<Done>,
    /// Per piece, the compaction that covered it.
    covered: Vec<u32>,
    /// Recorded compactions whose summary stands, or stood, for a history here.
    pub served: Vec<u32>,
    /// Sentences of the summaries that were made, by piece.
    pub sentences: Vec<(u32, Arc<[u32]>)>,
    /// Chooses sentences for summaries.
    pub chooser: Chooser,
    /// What is left of a history in summaries that nobody wrote.
    pub remains: Vec<(u32, Remains)>,
    /// What is counted of the history beside its tokens.
    pub tally: Tally,
    /// While one is due at each request: what of that has been told.
    told: Told,
}

/// What a client counts of a history beside its tokens.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::engine) struct Tally {
    /// Tool calls of the present task.
    pub calls: u64,
    /// Hidden reasoning before the newest message of the user, and since, as a client estimates it.
    hidden: (u64, u64),
}

impl Tally {
    /// A task begins with a message of the user.
    pub fn calls(&mut self, item: &Item) {
        if item.is_prompt() {
            self.calls = 0;
        }
        self.calls += u64::from(item.kind == BlockKind::ToolCall);
    }

    /// Follows hidden reasoning: it is old as soon as the user speaks again.
    pub fn reasoning(&mut self, item: &Item) {
        let (old, recent) = &mut self.hidden;
        *recent += item.hidden;
        if item.is_prompt() {
            *old += std::mem::take(recent);
        }
    }

    /// Forgets hidden reasoning that left with the newest part of the history.
    pub fn forget(&mut self, tokens: u64) {
        let (old, recent) = &mut self.hidden;
        let newest = tokens.min(*recent);
        *recent -= newest;
        *old = old.saturating_sub(tokens - newest);
    }
}

impl SummariseState {
    pub fn new(policy: &Policy) -> Self {
        let mut kept_layers = [false; Layer::COUNT];
        for layer in policy.summarise.keep_layers.iter().filter_map(|name| Layer::named(name)) {
            kept_layers[layer as usize] = true;
        }
        let kept_roles = (!policy.summarise.keep_roles.is_empty()).then(|| {
            let mut kept = [false; Layer::COUNT];
            for info in CONTENT_LAYERS {
                kept[info.layer as usize] = policy.summarise.keep_roles.iter().any(|role| has_role(info.layer, role));
            }
            kept
        });
        SummariseState {
            kept_layers,
            kept_roles,
            done: Vec::new(),
            covered: Vec::new(),
            served: Vec::new(),
            sentences: Vec::new(),
            chooser: Chooser::default(),
            remains: Vec::new(),
            tally: Tally::default(),
            told: Told::default(),
        }
    }

    /// Remembers what a compaction of a step covered.
    pub fn remember(&mut self, step: u32, took: Vec<(u32, u32)>, made: Vec<u32>) {
        let number = crate::engine::plan::index(self.done.len());
        for (piece, _) in &took {
            let at = *piece as usize;
            if self.covered.len() <= at {
                self.covered.resize(at + 1, NONE);
            }
            self.covered[at] = number;
        }
        self.done.push(Done { step, took, made });
    }

    /// Forgets the compactions after a step.
    pub fn forget_after(&mut self, last: u32) {
        while let Some(done) = self.done.pop_if(|done| done.step > last) {
            done.took.iter().for_each(|(piece, _)| self.uncover(*piece));
        }
    }

    /// The compaction that covered a piece.
    pub fn covered_by(&self, piece: u32) -> Option<usize> {
        self.covered.get(piece as usize).filter(|number| **number != NONE).map(|number| *number as usize)
    }

    /// The sentences that a summary consists of; `None` where a piece is none, or consists of none.
    pub fn sentences_of(&self, piece: u32) -> Option<&Arc<[u32]>> {
        let at = self.sentences.binary_search_by_key(&piece, |(of, _)| *of).ok()?;
        self.sentences.get(at).map(|(_, sentences)| sentences).filter(|sentences| !sentences.is_empty())
    }

    /// Forgets that a piece was covered.
    pub fn uncover(&mut self, piece: u32) {
        if let Some(covered) = self.covered.get_mut(piece as usize) {
            *covered = NONE;
        }
    }
}

/// Whether a layer holds messages of a role.
fn has_role(layer: Layer, role: &str) -> bool {
    match role {
        "user" => layer == Layer::User,
        "assistant" => matches!(layer, Layer::Assistant | Layer::Thinking | Layer::ToolCalls),
        "tool" => matches!(layer, Layer::ToolCalls | Layer::ToolResults),
        "system" | "developer" => layer == Layer::System,
        _ => false,
    }
}

/// The tokens from which a summary is made, at the present window.
pub(super) fn threshold(sim: &Sim) -> u64 {
    let settings = &sim.policy.summarise;
    settings.due(sim.summarise_at().0, settings.window(sim.size, sim.reserve()))
}

/// The same as a size of the whole window, with what is not measured beside what is.
pub(super) fn line(sim: &Sim) -> u64 {
    let beside = match sim.summarise_at().1 {
        MeasureOf::History => sim.used().saturating_sub(history(sim)),
        _ => 0,
    };
    threshold(sim).saturating_add(beside)
}

/// Why a summary is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Due {
    /// The user asked for one.
    Manual,
    /// The tokens reached the threshold.
    AtSize,
    /// The history has too many pieces.
    AtEvents,
}

impl Due {
    /// The setting that says so.
    fn rule(self) -> &'static str {
        match self {
            Due::Manual => "replay.manual",
            Due::AtSize => "summarise.at",
            Due::AtEvents => "summarise.at_events",
        }
    }

    /// What was measured, and against what: `name` is what tokens are a measure of.
    fn subject(self, name: &str, at: u64, measured: u64) -> String {
        match self {
            Due::Manual => "The user asked for a compaction at {measured tokens}".to_owned(),
            Due::AtSize if measured == at => format!("{name} {{measured tokens}}, the threshold"),
            Due::AtSize => format!("{name} {{measured tokens}}, over {{threshold}}"),
            Due::AtEvents => "The history had {measured} pieces, over {threshold}".to_owned(),
        }
    }
}

/// Why a summary is due, the threshold, and what was measured.
pub(super) fn is_due(sim: &Sim) -> Option<(Due, u64, u64)> {
    let settings = &sim.policy.summarise;
    if sim.asked.is_some() && sim.policy.replay.manual {
        return Some((Due::Manual, 0, sim.used()));
    }
    if !settings.on || sim.plan.writes_summary || only_asks(sim) {
        return None;
    }
    let (at, (measured, _)) = (threshold(sim), measure(sim));
    if sim.summarise_at().1.is_due(measured, at) {
        return Some((Due::AtSize, at, measured));
    }
    if settings.at_events > 0 {
        let layers = sim.numbers.iter().zip(&sim.summarise.kept_layers).filter(|(_, kept)| !**kept);
        let events: u64 = layers.map(|(number, _)| u64::from(*number)).sum();
        let events = (events + loaded_skills(sim).0).saturating_sub(u64::from(sim.fixed));
        if events > settings.at_events {
            return Some((Due::AtEvents, settings.at_events, events));
        }
    }
    None
}

/// Whether this is a first request that holds nothing but what it asks: there is no history yet that a summary could
/// stand for, however much reports say was sent beside it. So it is in the log of a call that writes a summary itself.
fn only_asks(sim: &Sim) -> bool {
    use Layer::{Instructions, Notices, Skills, System, Tools, Unlogged, User};
    let asks = |layer| matches!(layer, System | Tools | Instructions | Skills | User | Notices | Unlogged);
    let mut new = sim.new.iter().filter_map(|number| sim.pieces.get(*number as usize));
    sim.step == 1 && new.all(|piece| piece.role != Role::Assistant && asks(piece.layer))
}

/// What is compared with the threshold, and what that is a measure of.
fn measure(sim: &Sim) -> (u64, &'static str) {
    const WINDOW: &str = "The window held";
    let measure = sim.summarise_at().1;
    let name = match measure {
        MeasureOf::AfterStages => return (sim.used(), WINDOW),
        MeasureOf::History => return (history(sim), "The history held"),
        MeasureOf::LastUsagePlusNew if sim.step == 1 => return (sim.used(), WINDOW),
        MeasureOf::LastUsagePlusNew => "The last request, its answer and what was new came to",
        MeasureOf::LastUsagePlusNewAndReasoning => {
            "The last request, its answer, what was new and the reasoning of earlier turns came to"
        }
        MeasureOf::LastUsagePlusResultsAndReasoning => {
            "The last request, its answer, the newest results and the reasoning of earlier turns came to"
        }
        MeasureOf::LastUsageAndReasoning => "The last request, its answer and the reasoning of earlier turns came to",
        MeasureOf::LastUsage => "The last request and its answer came to",
    };
    let after = |last: &LastUsage| match measure {
        MeasureOf::LastUsagePlusNew => last.reported_output().unwrap_or(0) + last.sent(),
        MeasureOf::LastUsagePlusNewAndReasoning => last.output() + last.sent(),
        MeasureOf::LastUsagePlusResultsAndReasoning => last.output() + last.results(),
        _ => last.output(),
    };
    let last = LastUsage::of(sim).map(|last| last.context + after(&last));
    let (own, name) = last.map_or((sim.used(), WINDOW), |own| (own, name));
    match (measure, recorded_measure(sim)) {
        (MeasureOf::LastUsagePlusNew, Some(told)) if told > own => (told, "The agent itself measured"),
        (measure, _) if measure.adds_reasoning() => (own + sim.summarise.tally.hidden.0, name),
        _ => (own, name),
    }
}

/// Tokens of what a summary may stand for.
fn history(sim: &Sim) -> u64 {
    let layers = sim.layers.iter().zip(&sim.summarise.kept_layers).filter(|(_, kept)| !**kept);
    (layers.map(|(tokens, _)| *tokens).sum::<u64>() + loaded_skills(sim).1).saturating_sub(sim.fixed_tokens)
}

/// How many loaded skills a summary takes though their layer is kept, and their tokens.
fn loaded_skills(sim: &Sim) -> (u64, u64) {
    if !loaded_skills_go(sim) || sim.numbers[Layer::Skills as usize] == 0 {
        return (0, 0);
    }
    let skills = sim.standing().filter(|piece| layer_of(sim, *piece) == Some(Layer::Skills) && is_history(sim, *piece));
    skills.fold((0, 0), |(number, tokens), piece| (number + 1, tokens + tokens_of_piece(sim, piece)))
}

/// What the agent itself measured before this request, where it compacted here and the replay has been what was
/// recorded until now, or has come to its size again. What was summarised before it was logged stands in no other
/// figure, nor does what a copy leaves out.
fn recorded_measure(sim: &Sim) -> Option<u64> {
    let before = (sim.step as usize).checked_sub(2).and_then(|at| sim.plan.asks.get(at));
    let same = !sim.changed_before && before.is_none_or(|before| before.same);
    let again = || before.and_then(|before| before.usage).is_some_and(|usage| usage.context() == sim.last_used);
    let boundaries = &sim.plan.boundaries;
    let here = &boundaries[boundaries.partition_point(|boundary| boundary.step < sim.step)..];
    let mut own = here.iter().take_while(|boundary| boundary.step == sim.step && (same || again()));
    own.find(|boundary| boundary.trigger == Some(Trigger::Auto))?.tokens_before.filter(|tokens| *tokens > 0)
}

/// How the settings have the history compacted.
fn how(sim: &Sim) -> How {
    let settings = &sim.policy.summarise;
    How {
        head: settings.keep_head,
        tail: settings.keep_tail,
        target: settings.target,
        unseen: 0.0,
        limit: line(sim).min(sim.size),
        harder: false,
    }
}

/// Whether a summary is due that covers something, as the window stands.
pub(super) fn is_sure(sim: &Sim) -> bool {
    is_due(sim).is_some() && would_compact(sim, &how(sim))
}

pub(super) fn run(sim: &mut Sim) {
    for at in 0..sim.new.len() {
        if let Some(item) = sim.item(sim.new[at]) {
            sim.summarise.tally.reasoning(item);
        }
    }
    let told = std::mem::take(&mut sim.summarise.told);
    let Some((due, at, measured)) = is_due(sim) else { return };
    let (before, how, (_, name)) = (sim.used(), how(sim), measure(sim));
    let Some(Compacted { took, made, call, mut note, .. }) = compact(sim, &how) else {
        // It is due at each request from now on: that is told once.
        sim.summarise.told = Told { in_vain: told.in_vain || due != Due::Manual, ..told };
        if !told.in_vain {
            in_vain(sim, &how, (due, at, measured));
        }
        return;
    };
    sim.summarise.tally.hidden = (0, 0);
    if due == Due::AtSize && is_over_still(sim) {
        if !told.over {
            note.push_str("; what is left is over it still, so that one is due at the next request again");
        }
        sim.summarise.told = Told { over: true, ..told };
    }
    let mut event = sim.event(Stage::Summarise, due.rule());
    (event.threshold, event.measured) = (Some(at).filter(|_| due != Due::Manual), Some(measured));
    (event.tokens_before, event.tokens_after) = (Some(before), Some(sim.used()));
    (event.took, event.made, event.call) = (took, made, call.map(Box::new));
    let of = if due == Due::AtEvents { "{took} of them" } else { "{took pieces}" };
    event.why = with_note(&note, format!("{}: a summary stands for {of}.", due.subject(name, at, measured)));
    sim.events.push(event);
    sim.changed = true;
}

/// What has been said of a stretch in which a summary is due at each request.
#[derive(Clone, Copy, Debug, Default)]
struct Told {
    /// That what a compaction left was over the threshold still.
    over: bool,
    /// That none was made.
    in_vain: bool,
}

/// Whether what a compaction left is over the threshold still: one is due at the next request, whatever comes in.
fn is_over_still(sim: &Sim) -> bool {
    let measure = sim.summarise_at().1;
    let left = if measure == MeasureOf::History { history(sim) } else { sim.used() };
    measure.is_due(left, threshold(sim))
}

/// Says that a summary is due and none is made.
fn in_vain(sim: &mut Sim, how: &How, (due, at, measured): (Due, u64, u64)) {
    let (before, (_, name)) = (sim.used(), measure(sim));
    let mut event = sim.event(Stage::Summarise, due.rule());
    (event.threshold, event.measured) = (Some(at).filter(|_| due != Due::Manual), Some(measured));
    (event.tokens_before, event.tokens_after) = (Some(before), Some(before));
    let subject = due.subject(name, at, measured);
    let why = match covers_nothing(sim, how) {
        true => "there is nothing that one may stand for",
        false => "it would make the window no smaller",
    };
    let lasts = if due == Due::Manual { "" } else { "; it is told once, however many requests that lasts" };
    event.why = format!("{subject}, but no summary was made: {why}{lasts}.").into();
    sim.events.push(event);
}

/// A sentence, and what is to be said beside it: clauses, each behind a semicolon.
pub(super) fn with_note(note: &str, sentence: impl Into<Cow<'static, str>>) -> Cow<'static, str> {
    let sentence = sentence.into();
    if note.is_empty() {
        return sentence;
    }
    Cow::Owned(format!("{}{note}.", sentence.trim_end_matches('.')))
}
