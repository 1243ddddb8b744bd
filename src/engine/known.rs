//! What is known of requests from elsewhere than their records: the table of models, the agent's habits, the user.

use crate::model::{Aside, Cost, Op, Request, Thread, Transcript, Trigger, WindowSource};
use crate::tokens::{Counter, Encoding, Found, Models, agent_window, cost, threshold};

use super::StepFacts;

/// The window's size where nobody says one.
const WINDOW: u64 = 200_000;
/// The next size that is sold, for a session whose reports exceed what the table says of its model.
const LARGE_WINDOW: u64 = 1_000_000;
/// Room for an answer where the agent's own threshold is not known.
const ANSWER: u64 = 32_000;

/// Whether counts are scaled to reported usage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Calibrate {
    /// Where the model has no public tokenizer, and the fit is good.
    #[default]
    Auto,
    /// Wherever the fit is good.
    On,
    /// Never.
    Off,
}

/// What stands beside a transcript: tables and the user's wishes.
#[derive(Clone, Debug)]
pub struct Known<'a> {
    /// The table of models.
    pub models: &'a Models,
    /// The model to assume instead of the recorded one.
    pub model: Option<String>,
    /// The window's size to assume where the transcript states none.
    pub window: Option<u64>,
    /// The encoding to count with instead of the model's own.
    pub encoding: Option<Encoding>,
    /// Whether to scale counts to reported usage.
    pub calibrate: Calibrate,
}

impl Known<'static> {
    /// The table that comes with the program, and no wishes.
    #[must_use]
    pub fn nothing() -> Self {
        Known { models: Models::built_in(), model: None, window: None, encoding: None, calibrate: Calibrate::default() }
    }
}

impl Known<'_> {
    /// How the tokens of a thread are counted: by the model that most of its requests name.
    #[must_use]
    pub fn counter(&self, thread: &Thread) -> Counter {
        let name = self.model.as_deref().or_else(|| main_model(thread)).unwrap_or_default();
        let counter = self.models.counter(name);
        match self.encoding {
            Some(encoding) => Counter { encoding, ..counter },
            None => counter,
        }
    }

    /// Whether the counts of a thread are to be calibrated.
    #[must_use]
    pub fn calibrates(&self, counter: Counter) -> bool {
        match self.calibrate {
            Calibrate::Auto => self.encoding.is_none() && !counter.exact,
            Calibrate::On => true,
            Calibrate::Off => false,
        }
    }

    /// The model that a thread is priced by, where the table has it: the one that is wished for, else the one that most
    /// of its requests name.
    #[must_use]
    pub fn model_of(&self, thread: &Thread) -> Option<Found<'_>> {
        self.models.find(self.model.as_deref().or_else(|| main_model(thread))?)
    }

    /// What is known of each request of a thread.
    pub fn facts<'b>(&'b self, transcript: &'b Transcript, thread: &Thread) -> impl Fn(&Request) -> StepFacts + 'b {
        let largest = thread.requests.iter().filter_map(|request| Some(request.usage?.context())).max().unwrap_or(0);
        let usual = main_model(thread).map(str::to_owned);
        let classic = largest <= WINDOW && compacts_early(transcript, thread);
        move |request| {
            let mut facts = self.facts_of(transcript, request, usual.as_deref(), largest);
            if classic && facts.window_source == WindowSource::Table && facts.window_tokens > WINDOW {
                // An agent that compacted by itself within the smaller window used no larger one.
                (facts.window_tokens, facts.window_source) = (WINDOW, WindowSource::Transcript);
                facts.threshold = compacts_at(transcript, request, WINDOW);
                facts.reserve_tokens = facts.threshold.map_or(ANSWER, |threshold| WINDOW.saturating_sub(threshold));
            }
            facts
        }
    }

    /// What it cost to ask another model on the way; `None` where that model has no price.
    fn aside(&self, aside: &Aside) -> Option<Cost> {
        cost(&aside.usage, self.models.find(&aside.model)?.info)
    }

    fn facts_of(&self, transcript: &Transcript, request: &Request, usual: Option<&str>, largest: u64) -> StepFacts {
        let name = self.model.as_deref().or(request.model.as_deref()).or(usual);
        let found = name.and_then(|name| self.models.find(name));
        let version = transcript.session.version.as_deref();
        let stated = request.window_tokens.or(transcript.session.window_tokens);
        let used = |found: Found<'_>| agent_window(transcript.format, version, found.window, found.stated);
        let (window_tokens, window_source) = match (stated, self.window, found) {
            (Some(stated), ..) => (stated, WindowSource::Transcript),
            (None, Some(wished), _) => (wished, WindowSource::User),
            // A report larger than the window shows that the session had a larger one.
            (None, None, found) if found.map_or(WINDOW, used) < largest => {
                (LARGE_WINDOW.max(largest), WindowSource::Transcript)
            }
            (None, None, Some(found)) => (used(found), WindowSource::Table),
            (None, None, None) => (WINDOW, WindowSource::Default),
        };
        let threshold = compacts_at(transcript, request, window_tokens);
        let answer = found.and_then(|found| found.info.output).unwrap_or(ANSWER).min(ANSWER);
        StepFacts {
            window_tokens,
            window_source,
            reserve_tokens: threshold.map_or(answer, |threshold| window_tokens.saturating_sub(threshold)),
            threshold,
            cost: request
                .usage
                .zip(found)
                .and_then(|(usage, found)| cost(&usage, found.info))
                .map(|own| request.asides.iter().filter_map(|aside| self.aside(aside)).fold(own, Cost::and)),
        }
    }
}

/// Tokens at which the agent compacts by itself before a request: none where its user switched that off.
fn compacts_at(transcript: &Transcript, request: &Request, window: u64) -> Option<u64> {
    let version = transcript.session.version.as_deref();
    let found = threshold(transcript.format, version, window).filter(|_| request.auto_compact != Some(false));
    found.map(|found| found.tokens)
}

/// Whether Claude Code compacted this thread by itself before its context reached the smaller of its two windows.
fn compacts_early(transcript: &Transcript, thread: &Thread) -> bool {
    let early = |op: &Op| match op {
        Op::Compact(compaction) => {
            let tokens = compaction.tokens_before.filter(|tokens| *tokens > 0);
            compaction.trigger == Some(Trigger::Auto) && tokens.is_some_and(|tokens| tokens <= WINDOW)
        }
        _ => false,
    };
    matches!(transcript.format, "claude_code" | "claude_stream_json") && thread.ops.iter().any(early)
}

/// The model that most requests of a thread name; the first of them where several are equal.
fn main_model(thread: &Thread) -> Option<&str> {
    let mut seen: Vec<(&str, usize)> = Vec::new();
    for name in thread.requests.iter().filter_map(|request| request.model.as_deref()) {
        match seen.iter().position(|(known, _)| *known == name) {
            Some(at) => seen[at].1 += 1,
            None if seen.len() < 64 => seen.push((name, 1)),
            None => {}
        }
    }
    let most = seen.iter().map(|(_, number)| *number).max()?;
    seen.into_iter().find(|(_, number)| *number == most).map(|(name, _)| name)
}
