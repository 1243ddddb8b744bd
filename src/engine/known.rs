//! What is known of requests from elsewhere than their records: the table of models, the agent's habits, the user.

use std::collections::HashMap;
use std::sync::Arc;

use crate::model::{Aside, Compaction, Cost, Op, Record, Request, Thread, Transcript, Trigger, Version, WindowSource};
use crate::tokens::{Counter, Encoding, Found, Models, cost};
use crate::transcript::habits;

/// What is known of a request's window from elsewhere than the thread: settings, tables, the transcript as a whole.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StepFacts {
    /// The window's size in tokens.
    pub window_tokens: u64,
    /// Where that size is from.
    pub window_source: WindowSource,
    /// Tokens kept free for the answer.
    pub reserve_tokens: u64,
    /// Tokens at which this agent compacts.
    pub threshold: Option<u64>,
    /// Price of the request, with `asides`.
    pub cost: Option<Cost>,
    /// Price of what other models were asked on the way, of those that have one.
    pub asides: Cost,
    /// Whether some of those models have none.
    pub unpriced: bool,
}

/// The window's size where nobody says one.
const WINDOW: u64 = 200_000;
/// The next size that is sold: Claude's other one, and the guess for a model whose reports exceed what is known of it.
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
        let meant = meant(thread);
        let shown = self.shown(transcript, thread, &meant);
        let outgrown = self.outgrown(transcript, thread);
        move |request| {
            let shown = shown.get(&request.record).copied();
            self.facts_of(transcript, request, &meant, shown, outgrown)
        }
    }

    /// What it cost to ask another model on the way; `None` where that model has no price.
    fn aside(&self, aside: &Aside) -> Option<Cost> {
        cost(&aside.usage, self.models.find(&aside.model)?.info)
    }

    /// The window that each request is shown to have had by what came later: until a report that exceeds what the table
    /// says of its model, a larger one (Claude has two sizes; of other models it is not known which); until a
    /// compaction that an agent of two windows made by itself within the smaller one, that one. What comes after the
    /// last of these goes on as it was.
    fn shown(&self, transcript: &Transcript, thread: &Thread, meant: &Meant) -> HashMap<Record, Shown> {
        let mut shown = HashMap::new();
        // A compaction is made for the request that follows it, in the window that it shows.
        let mut made_for = None;
        let (mut waiting, mut last): (Vec<Record>, Option<Shown>) = (Vec::new(), None);
        for op in &thread.ops {
            let found = match op {
                Op::Request(id) => {
                    let Some(request) = thread.requests.get(id.0 as usize) else { continue };
                    let bound = made_for.take();
                    let used = self.found(request, meant).map_or(WINDOW, |found| used_of(transcript, request, found));
                    let context = request.usage.map_or(0, |usage| usage.context());
                    let larger = (context > used).then(|| match self.name(request, meant) {
                        Some(name) if name.to_lowercase().contains("claude") => {
                            Shown::Larger(LARGE_WINDOW.max(context))
                        }
                        _ => Shown::Beyond(context),
                    });
                    match bound.filter(|_| larger.is_none()) {
                        Some(bound) => _ = shown.insert(request.record, bound),
                        None => waiting.push(request.record),
                    }
                    larger
                }
                Op::Compact(compaction) => {
                    let smaller = early(transcript, compaction).map(Shown::Smaller);
                    made_for = smaller.or(made_for);
                    smaller
                }
                _ => None,
            };
            let Some(found) = found else { continue };
            last = Some(match (last, found) {
                (Some(Shown::Larger(one)), Shown::Larger(other)) => Shown::Larger(one.max(other)),
                (Some(Shown::Beyond(one)), Shown::Beyond(other)) => Shown::Beyond(one.max(other)),
                (_, found) => found,
            });
            shown.extend(waiting.drain(..).zip(std::iter::repeat(last.unwrap_or(found))));
        }
        if let Some(last) = last {
            shown.extend(waiting.into_iter().map(|record| (record, last)));
        }
        shown
    }

    /// Whether a thread did not compact where its agent would have in a window as large as the user wishes: it outgrew
    /// that window, went on from request to request beyond the threshold, or compacted by itself long before it.
    fn outgrown(&self, transcript: &Transcript, thread: &Thread) -> bool {
        let Some(wished) = self.window else { return false };
        let (mut beyond, mut last) = (false, None);
        thread.ops.iter().any(|op| {
            let Op::Request(id) = op else {
                beyond &= !matches!(op, Op::Compact(_) | Op::Rewind(_));
                let Op::Compact(compaction) = op else { return false };
                let by_itself = compaction.trigger == Some(Trigger::Auto);
                let early = |(context, at): (u64, u64)| compaction.tokens_before.unwrap_or(context) < at - at / 10;
                return by_itself && last.is_some_and(early);
            };
            let Some(request) = thread.requests.get(id.0 as usize) else { return false };
            let context = request.usage.map_or(0, |usage| usage.context());
            let at = compacts_at(transcript, request, wished);
            last = at.map(|at| (context, at)).or(last);
            let over = at.is_some_and(|at| context >= at);
            let before = std::mem::replace(&mut beyond, over);
            context > wished || (over && before)
        })
    }

    fn name<'n>(&'n self, request: &'n Request, meant: &'n Meant) -> Option<&'n str> {
        let own = || request.model.as_ref().or_else(|| meant.get(&request.record)).map(|name| &**name);
        self.model.as_deref().or_else(own)
    }

    fn found(&self, request: &Request, meant: &Meant) -> Option<Found<'_>> {
        self.name(request, meant).and_then(|name| self.models.find(name))
    }

    fn facts_of(
        &self,
        transcript: &Transcript,
        request: &Request,
        meant: &Meant,
        shown: Option<Shown>,
        outgrown: bool,
    ) -> StepFacts {
        let found = self.found(request, meant);
        let stated = request.window_tokens.or(transcript.session.window_tokens);
        let table = found.map(|found| used_of(transcript, request, found));
        let (window_tokens, window_source) = match (stated, self.window, shown) {
            (Some(stated), ..) => (stated, WindowSource::Transcript),
            (None, Some(wished), _) => (wished, WindowSource::User),
            (None, None, Some(Shown::Larger(larger))) if table.unwrap_or(WINDOW) < larger => {
                (larger, WindowSource::Transcript)
            }
            // What is known of the model is wrong: its window is not known, and large enough.
            (None, None, Some(Shown::Beyond(context))) if table.unwrap_or(WINDOW) < context => {
                (if context <= WINDOW { WINDOW } else { LARGE_WINDOW.max(context) }, WindowSource::Default)
            }
            (None, None, Some(Shown::Smaller(smaller))) if table.is_some_and(|table| table > smaller) => {
                (smaller, WindowSource::Transcript)
            }
            (None, None, _) => match (table, found) {
                (Some(used), Some(found)) if used < found.window => (used, WindowSource::Agent),
                (Some(table), _) => (table, WindowSource::Table),
                (None, _) => (WINDOW, WindowSource::Default),
            },
        };
        let wished = window_source == WindowSource::User;
        let threshold = compacts_at(transcript, request, window_tokens).filter(|_| !(wished && outgrown));
        let answer = found.and_then(|found| found.info.output).unwrap_or(ANSWER).min(ANSWER);
        let priced = request.asides.iter().map(|aside| self.aside(aside));
        let unpriced = priced.clone().any(|price| price.is_none());
        let asides = priced.flatten().fold(Cost::default(), Cost::and);
        StepFacts {
            window_tokens,
            window_source,
            reserve_tokens: threshold.map_or(answer, |threshold| window_tokens.saturating_sub(threshold)),
            threshold,
            cost: request
                .usage
                .zip(found)
                .and_then(|(usage, found)| cost(&usage, found.info))
                .map(|own| own.and(asides)),
            asides,
            unpriced,
        }
    }
}

/// Tokens at which the agent compacts by itself before a request: none where its user switched that off.
fn compacts_at(transcript: &Transcript, request: &Request, window: u64) -> Option<u64> {
    let found = (habits(transcript).compacts_at)(version_of(transcript, request).as_ref(), window);
    found.filter(|_| request.auto_compact != Some(false))
}

/// How much of a model's window the agent used then.
fn used_of(transcript: &Transcript, request: &Request, found: Found<'_>) -> u64 {
    (habits(transcript).uses)(version_of(transcript, request).as_ref(), found.window, found.stated)
}

/// The agent's version at a request.
fn version_of(transcript: &Transcript, request: &Request) -> Option<Version> {
    transcript.session.version_at(request.record).map(Version::of)
}

/// What a thread shows of a window that no record states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shown {
    /// It was the smaller one of the two that its agent uses.
    Smaller(u64),
    /// It was the larger one of Claude's two, or has become larger than that.
    Larger(u64),
    /// So many tokens were sent to another model, more than its window is known to hold.
    Beyond(u64),
}

/// The smaller of the two windows that an agent uses, where it compacted by itself before its context reached that.
fn early(transcript: &Transcript, compaction: &Compaction) -> Option<u64> {
    let tokens = compaction.tokens_before.filter(|tokens| *tokens > 0 && compaction.trigger == Some(Trigger::Auto))?;
    habits(transcript).smaller_window.filter(|smaller| tokens <= *smaller)
}

/// The models of requests that name none: a failed one, one that is still to be made.
type Meant = HashMap<Record, Arc<str>>;

/// The model that each request was for which names none: that of the newest one before it, else of the first behind it.
fn meant(thread: &Thread) -> Meant {
    let first = thread.requests.iter().find_map(|request| request.model.as_ref());
    let (mut last, mut meant) = (first, Meant::new());
    for request in &thread.requests {
        last = request.model.as_ref().or(last);
        if let (None, Some(model)) = (&request.model, last) {
            meant.insert(request.record, Arc::clone(model));
        }
    }
    meant
}

/// The model that most requests of a thread name; the first of them where several are equal.
pub(super) fn main_model(thread: &Thread) -> Option<&str> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Outcome, RequestId, Session, SourceId, ThreadKind, Usage};

    #[test]
    fn windows_are_those_known_at_each_step() {
        let record = |line| Record { source: SourceId(0), line, start: u64::from(line), end: u64::from(line) + 1 };
        let request = |line, context| Request {
            model: Some("claude-sonnet-4-5".into()),
            usage: Some(Usage { input: context, ..Usage::default() }),
            ..Request::of(record(line), None, Outcome::Answered)
        };
        let compact = Op::Compact(Box::new(Compaction {
            record: record(9),
            trigger: Some(Trigger::Auto),
            tokens_before: Some(167_000),
            tokens_after: None,
            window: Vec::new(),
            summariser: None,
            inferred: false,
        }));
        let ask = |id| Op::Request(RequestId(id));
        let contexts = [100_000, 166_000, 50_000, 250_000, 260_000];
        let thread = Thread {
            kind: ThreadKind::Main,
            title: String::new(),
            source: SourceId(0),
            breakpoints: std::collections::BTreeMap::default(),
            requests: (1..).zip(contexts).map(|(line, context)| request(line, context)).collect(),
            ops: vec![ask(0), ask(1), compact, ask(2), ask(3), ask(4)],
        };
        let transcript = Transcript {
            format: "claude_code",
            sources: Vec::new(),
            session: Session { version: Some("2.1.39".to_owned()), ..Session::default() },
            messages: Vec::new(),
            blocks: Vec::new(),
            threads: Vec::new(),
            records: 0,
            skipped: std::collections::BTreeMap::default(),
            warnings: Vec::new(),
        };
        let known = Known::nothing();
        let facts = known.facts(&transcript, &thread);
        let windows: Vec<u64> = thread.requests.iter().map(|request| facts(request).window_tokens).collect();
        // It compacted at 167,000 of 200,000 for the third request; what came after that went beyond them.
        assert_eq!(windows, [200_000, 200_000, 200_000, 1_000_000, 1_000_000]);
        // Of another model's window it is known only that what is known of it is wrong.
        let other = |name: &str, context| {
            let asked = Request { model: Some(name.into()), ..request(1, context) };
            let thread = Thread { requests: vec![asked], ops: vec![ask(0)], ..thread.clone() };
            let facts = known.facts(&transcript, &thread)(&thread.requests[0]);
            (facts.window_tokens, facts.window_source)
        };
        assert_eq!(other("gpt-4", 100_000), (200_000, WindowSource::Default));
        assert_eq!(other("gpt-4", 300_000), (1_000_000, WindowSource::Default));
        assert_eq!(other("gpt-4", 8_000), (8_192, WindowSource::Table));
        assert_eq!(other("claude-opus-4-1", 300_000), (1_000_000, WindowSource::Transcript));
        // The table says a million; Claude Code 2.1.39 used a fifth of it.
        assert_eq!(other("claude-opus-4-6", 8_000), (200_000, WindowSource::Agent));
        // What another model was asked on the way is known apart, for replays.
        let aside = Aside { model: "claude-opus-4-5".into(), usage: Usage { input: 200_000, ..Usage::default() } };
        let asked = Request { asides: vec![aside], ..request(1, 0) };
        let found = known.facts(&transcript, &thread)(&asked);
        assert_eq!((found.asides.total(), found.cost.map(|cost| cost.total())), (1.0, Some(1.0)));
        // One that nobody knows the price of makes what is known a lower bound.
        let unknown = Aside { model: "an-advisor".into(), ..asked.asides[0].clone() };
        let unknown = Request { asides: vec![unknown, asked.asides[0].clone()], ..request(1, 0) };
        let facts_of = |asked: &Request| known.facts(&transcript, &thread)(asked);
        assert_eq!([&asked, &unknown].map(|one| facts_of(one).unpriced), [false, true]);
        assert_eq!(facts_of(&unknown).cost, found.cost);
        // One that names no model is for that of the one before it, however many another model answered.
        let silent = Request { model: None, ..request(4, 0) };
        let named = |line, name: &str| Request { model: Some(name.into()), ..request(line, 9_000) };
        let opus = "claude-opus-4-1";
        let requests = vec![named(1, "gpt-4"), named(2, "gpt-4"), named(3, opus), silent];
        let switched = Thread { requests, ops: (0..4).map(ask).collect(), ..thread.clone() };
        let facts_of = known.facts(&transcript, &switched);
        assert_eq!(facts_of(&switched.requests[3]).window_tokens, facts_of(&switched.requests[2]).window_tokens);
        let thresholds: Vec<Option<u64>> = thread.requests.iter().map(|request| facts(request).threshold).collect();
        assert_eq!(thresholds[2..4], [Some(167_000), Some(967_000)]);
        // In a window that the user wishes the agent would have compacted elsewhere, where it did not.
        let short = Thread { ops: thread.ops[..4].to_vec(), ..thread.clone() };
        let wished = |window, thread: &Thread| {
            let known = Known { window: Some(window), ..Known::nothing() };
            let facts = known.facts(&transcript, thread)(&thread.requests[0]);
            (facts.window_tokens, facts.threshold, facts.reserve_tokens)
        };
        assert_eq!(wished(200_000, &short), (200_000, Some(167_000), 33_000));
        assert_eq!(wished(190_000, &short), (190_000, Some(157_000), 33_000), "once beyond it, and then it compacted");
        assert_eq!(wished(120_000, &short), (120_000, None, 32_000), "its window was larger");
        assert_eq!(wished(500_000, &short).1, None, "it compacted by itself, long before that");
        let on =
            Thread { requests: vec![request(1, 160_000), request(2, 170_000)], ops: vec![ask(0), ask(1)], ..short };
        assert_eq!(wished(190_000, &on), (190_000, None, 32_000), "it went on beyond it");
    }
}
