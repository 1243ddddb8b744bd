//! Traces one fact through one session and compares.

use windowpane::content::{Sources, Watch};
use windowpane::engine::{Calibrate, Counting, Given, Known, Plan, recorded, simulate};
use windowpane::inquiry::{Fact, Found, Need, Sight, Trace, find, locate, trace};
use windowpane::model::{Fate, Run, ThreadId, Transcript};
use windowpane::policy::{Policy, set};
use windowpane::present::verdict::verdict;
use windowpane::tokens::Counts;

use crate::data;

/// What is expected of a fact.
#[derive(Clone, Debug, Default)]
pub struct Expected {
    /// The step at which it came in; `None` where it never did.
    pub came: Option<u32>,
    /// Whether it was in the window when it was needed.
    pub kept: bool,
    /// The step at which it was needed, and whether a question tells.
    pub need: Option<(u32, bool)>,
    /// From which step on it was lost.
    pub lost: Option<u32>,
    /// The rule that did it.
    pub rule: Option<&'static str>,
    /// Fate and sight at the end of the place that came in first.
    pub end: Option<(Fate, Sight)>,
    /// How the first place can be read back at the end.
    pub back: Option<&'static str>,
    /// What the verdict says, among others.
    pub says: &'static [&'static str],
    /// What it must not say.
    pub silent: &'static [&'static str],
}

/// One planted fact.
pub struct Case {
    /// The fixture's name.
    pub name: &'static str,
    /// The session.
    pub bytes: Vec<u8>,
    /// Settings over a policy without any; none for the recorded track.
    pub policy: &'static [&'static str],
    pub fact: &'static str,
    pub expected: Expected,
}

/// A session with its plan.
pub struct Opened {
    pub sources: Sources,
    pub transcript: Transcript,
    pub recorded: Run,
    pub plan: Plan,
}

pub fn open(bytes: Vec<u8>) -> Opened {
    let (sources, transcript) = data::open_bytes(bytes, None);
    plan(sources, transcript)
}

/// The plan of a session's main thread, everything counted and read.
pub fn plan(sources: Sources, transcript: Transcript) -> Opened {
    let (recorded, plan) = made(&sources, &transcript, false);
    Opened { recorded, plan, sources, transcript }
}

/// The plan of a session, with what was cut as it is sent or whole.
pub fn planned(opened: &Opened, originals: bool) -> Plan {
    made(&opened.sources, &opened.transcript, originals).1
}

fn made(sources: &Sources, transcript: &Transcript, originals: bool) -> (Run, Plan) {
    let known = Known { calibrate: Calibrate::Off, ..Known::nothing() };
    let thread = &transcript.threads[0];
    let counts = Counts::default();
    let counter = known.counter(thread);
    let counting = Counting { transcript, sources, counts: &counts, counter, calibrates: false };
    let mut run = recorded(transcript, ThreadId(0), known.facts(transcript, thread));
    counts.count_blocks(sources, &counting.all_bodies(&run), counter, &Watch::default(), |_, _| {});
    counting.apply(&mut run);
    let mut plan = Plan::of(&counting, &run, originals, known.facts(transcript, thread));
    assert!(plan.read(transcript, sources, &Watch::default()));
    (run, plan)
}

pub fn policy(sets: &[&str]) -> Policy {
    let mut policy = Policy::default();
    for setting in sets {
        set(&mut policy, setting).unwrap_or_else(|fault| panic!("{setting}: {fault:?}"));
    }
    policy
}

pub fn traced(opened: &Opened, run: &Run, fact: &str) -> (Fact, Found, Trace) {
    let fact = Fact::parse(fact).unwrap();
    let found = find(&fact, &opened.transcript, &opened.sources, None, &Watch::default());
    let found = found.in_run(&opened.transcript, &opened.sources, run).into_owned();
    let mut trace = trace(&fact, &found, &opened.transcript, &opened.sources, run, None);
    locate(&mut trace, &fact, &found, (run, &opened.transcript, &opened.sources), opened.plan.encoding);
    (fact, found, trace)
}

/// What becomes of a fact in a session that is recorded, and what is said of it.
pub fn told(log: &super::build::Log, fact: &str) -> (Trace, String) {
    let opened = open(log.bytes());
    let (fact, found, trace) = traced(&opened, &opened.recorded, fact);
    let said = verdict(&trace, &fact, &found, &opened.transcript, &opened.recorded).join(" ");
    (trace, said)
}

/// Checks the fixture against what the generator writes, and the trace against what is expected; returns what differs.
pub fn check(case: &Case) -> Vec<String> {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("fixtures/facts/{}.jsonl", case.name));
    if std::env::var_os("WINDOWPANE_WRITE_FIXTURES").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, &case.bytes).unwrap();
    }
    let bytes = std::fs::read(&path).unwrap_or_else(|why| panic!("{}: {why}", path.display()));
    assert_eq!(bytes, case.bytes, "{} is not what its generator writes", case.name);
    let opened = open(bytes);
    let simulated;
    let run = if case.policy.is_empty() {
        &opened.recorded
    } else {
        simulated = simulate(&opened.plan, &policy(case.policy), &Given::default());
        &simulated
    };
    let (fact, found, trace) = traced(&opened, run, case.fact);
    let said = verdict(&trace, &fact, &found, &opened.transcript, run).join(" ");
    let mut wrong = Vec::new();
    let expected = &case.expected;
    let mut same = |what: &str, found: String, expected: String| {
        if found != expected {
            wrong.push(format!("{}: {what} is {found}, not {expected}", case.name));
        }
    };
    let origin = trace.origin();
    same("came in", format!("{:?}", origin.and_then(|one| one.first)), format!("{:?}", expected.came));
    same("kept", trace.in_window.to_string(), expected.kept.to_string());
    if let Some(need) = expected.need {
        let found = (trace.need.step(), matches!(trace.need, Need::Asked(..)));
        same("needed", format!("{found:?}"), format!("{need:?}"));
    }
    same("lost", format!("{:?}", trace.loss.map(|loss| loss.step)), format!("{:?}", expected.lost));
    let event = trace.loss.and_then(|loss| {
        let stay = trace.occurrences.get(loss.occurrence)?.stays.get(loss.stay)?;
        run.event(stay.event?)
    });
    same("rule", format!("{:?}", event.map(|event| &*event.rule)), format!("{:?}", expected.rule));
    let end = origin.and_then(|one| one.stays.last());
    if let Some(wanted) = expected.end {
        same("end", format!("{:?}", end.map(|stay| (stay.fate, stay.sight))), format!("{:?}", Some(wanted)));
    }
    if let Some(wanted) = expected.back {
        let found = end.and_then(|stay| stay.back.as_ref()).map(windowpane::present::verdict::back);
        same("read back", format!("{found:?}"), format!("{:?}", Some(wanted)));
    }
    for words in expected.says {
        if !said.contains(words) {
            wrong.push(format!("{}: the verdict does not say {words:?}: {said}", case.name));
        }
    }
    for words in expected.silent {
        if said.contains(words) {
            wrong.push(format!("{}: the verdict says {words:?}: {said}", case.name));
        }
    }
    steps_are_covered(case.name, &trace, run, &mut wrong);
    if !wrong.is_empty() {
        wrong.push(format!("    {said}"));
        for one in &trace.occurrences {
            wrong.push(format!("    {:?} first {:?} {:#?}", one.layer, one.first, one.stays));
        }
    }
    wrong
}

/// The fates of each occurrence cover every step from its first, once.
fn steps_are_covered(name: &str, trace: &Trace, run: &Run, wrong: &mut Vec<String>) {
    let last = u32::try_from(run.steps.len()).unwrap();
    for one in &trace.occurrences {
        let Some(first) = one.first.filter(|first| *first <= last) else {
            if !one.stays.is_empty() {
                wrong.push(format!("{name}: stays without a step"));
            }
            continue;
        };
        let mut next = first;
        for stay in one.stays.iter() {
            if stay.from != next {
                wrong.push(format!("{name}: a stay begins at {}, not {next}", stay.from));
            }
            next = stay.to.map_or(last + 1, |to| to + 1);
        }
        if next != last + 1 {
            wrong.push(format!("{name}: the fates end at {next}"));
        }
    }
}

pub fn check_all(cases: &[Case]) {
    let wrong: Vec<String> = cases.iter().flat_map(check).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
