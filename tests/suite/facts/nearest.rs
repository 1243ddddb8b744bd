//! Of the values that keep a fact, what-if tells the nearest: every nearer one is tried here.

use windowpane::content::Watch;
use windowpane::engine::{Given, simulate};
use windowpane::inquiry::{Fact, Reading, Subject, find, with};
use windowpane::policy::{Value, named};

use super::build::{Log, filler};
use super::runner::{Opened, open, policy};
use super::whatif::asked;

const FACT: &str = "QX-77413";

/// Numbers that only the seed decides.
struct Drawn(u64);

impl Drawn {
    fn below(&mut self, most: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % most
    }
}

/// A session of some turns, the fact in one of their messages or results.
fn session(drawn: &mut Drawn) -> Opened {
    let turns = 8 + drawn.below(16);
    let (at, in_result) = (drawn.below(turns - 2), drawn.below(2) == 0);
    let long = "and so on ".repeat(20);
    let mut log = Log::new().user("Go.").says("Yes.");
    for turn in 0..turns {
        let (mut said, mut output) =
            (format!("Step {turn}."), filler(usize::try_from(turn).unwrap() * 50, 2 + drawn.below(38) as usize));
        match (turn == at, in_result) {
            (true, true) => output = format!("{}code {FACT} was refused {long}\n{output}", filler(1, 3)),
            (true, false) => said = format!("The code is {FACT}. {long}"),
            _ => {}
        }
        log = log.user(&said).shell(&format!("c{turn}"), &format!("cat p{turn}"), &output).says("Read.");
    }
    open(log.user("What now?").bytes())
}

/// A setting that is counted, as its number and what stands behind it; nothing for tokens.
fn counted(value: &Value, key: &str) -> Option<(i64, String)> {
    let text = value.plain();
    let (number, unit) = text.split_once(' ').map_or((text.as_str(), ""), |(number, unit)| (number, unit));
    let counts = key == "summarise.at_events" || (!unit.is_empty() && unit != "tokens");
    Some((number.parse().ok().filter(|_| counts)?, unit.to_owned()))
}

#[test]
fn no_count_that_is_nearer_keeps_the_fact() {
    let fact = Fact::parse(FACT).unwrap();
    let (mut told, mut noted, mut seed) = (0, 0, Drawn(7));
    for round in 0..6 {
        let opened = session(&mut seed);
        let (events, kept) = (12 + seed.below(30), seed.below(10));
        let sets = [
            ["summarise.at=100000".to_owned(), format!("summarise.at_events={events}")],
            [format!("summarise.at={}", 800 + seed.below(3000)), "summarise.at_events=0".to_owned()],
        ];
        let mut all = vec!["summarise.on=true", "summarise.target=60", "summarise.by=truncate"];
        all.extend(["window.size=100000", "summarise.fallback_head=0", "summarise.at_least=0", "cache.mode=off"]);
        let tail = format!("summarise.keep_tail={kept} {}", ["events", "turns", "messages"][round % 3]);
        let clears = format!("microcompact.keep={} results", seed.below(6));
        all.extend(sets[round % 2].iter().map(String::as_str));
        all.extend([tail.as_str(), clears.as_str(), "microcompact.at=0"]);
        all.push(if round % 3 == 0 { "microcompact.on=true" } else { "microcompact.on=false" });
        let policy = policy(&all);
        let found = asked(&opened, &policy, FACT);
        let places = find(&fact, &opened.transcript, &opened.sources, None, &Watch::default());
        let subject = Subject::new(&fact, &places, &opened.transcript);
        let pieces = simulate(&opened.plan, &policy, &Given::default()).entries.len() as i64;
        for change in found.answers.iter().filter(|answer| answer.changes.len() == 1).map(|answer| &answer.changes[0]) {
            // Of thousands of tokens not each was tried, and that is told.
            if let (Value::Int(from), Value::Int(to)) = (&change.from, &change.to)
                && from.abs_diff(*to) > 1_000
                && *to > 0
            {
                noted += 1;
                assert!(found.untried.contains(&change.key), "round {round}: {change:?} {:?}", found.untried);
            }
            let Some(((from, _), (to, unit))) = counted(&change.from, change.key).zip(counted(&change.to, change.key))
            else {
                continue;
            };
            told += 1;
            // No limit is more than any that a session reaches.
            let off = if change.key == "summarise.at_events" { pieces + 1 } else { 0 };
            let far = |at: i64| if at == 0 { off } else { at };
            let (from, to) = (far(from), far(to));
            let most = from.max(from + from.abs_diff(to) as i64);
            for at in (0..most).filter(|at| far(*at).abs_diff(from) < to.abs_diff(from)) {
                let value = if unit.is_empty() { Value::Int(at) } else { Value::Text(format!("{at} {unit}")) };
                let Some(moved) = with(&policy, named(change.key).unwrap(), &value) else { continue };
                let run = simulate(&opened.plan, &moved, &Given::default());
                let keeps = Reading::new(&subject, &run).is_visible(opened.plan.steps());
                assert!(!keeps, "round {round}: {} {at} {unit} keeps it, {} is told", change.key, change.to);
            }
        }
    }
    assert!(told > 2 && noted > 0, "{told} {noted}");
}
