//! What-if answers, each verified by replay: at the value found the fact is there, one notch back it is not.

use std::sync::Arc;
use windowpane::content::Watch;

use serde_json::json;
use windowpane::engine::{Given, Plan, Replay, simulate};
use windowpane::inquiry::{
    Axis, Fact, Point, Reading, Ready, Subject, Trials, Vary, WhatIf, find, front_by, sweep, with,
};
use windowpane::model::Stage;
use windowpane::policy::{Policy, Value, named};

use super::build::{Log, filler};
use super::runner::{Opened, open, planned, policy};

const FACT: &str = "QX-77413";

pub(super) fn asked(opened: &Opened, policy: &Policy, text: &str) -> WhatIf {
    asked_with(opened, None, policy, text)
}

/// `whole`: the plan of the same session with all that was cut admitted whole.
fn asked_with(opened: &Opened, whole: Option<&Plan>, policy: &Policy, text: &str) -> WhatIf {
    let fact = Fact::parse(text).unwrap();
    let found = find(&fact, &opened.transcript, &opened.sources, None, &Watch::default());
    let subject = Subject::new(&fact, &found, &opened.transcript);
    let (given, watch) = (Given::default(), Watch::default());
    let step = opened.plan.steps();
    let replay = Replay::new(Arc::new(opened.plan.clone()), Arc::new(given.clone()), policy.clone());
    let plan_of = |policy: &Policy| whole.filter(|_| policy.replay.originals).unwrap_or(&opened.plan);
    let remake = |policy: &Policy| -> Result<Replay, String> {
        Ok(Replay::new(Arc::new(plan_of(policy).clone()), Arc::new(given.clone()), policy.clone()))
    };
    let ready = Ready::new(replay, whole.map(|_| &remake as &windowpane::inquiry::Remake));
    let trials = Trials::new(&subject, &ready, policy, step, &watch);
    let answer = trials.search(&|_| {});
    let there = |policy: &Policy| {
        let run = simulate(plan_of(policy), policy, &given);
        Reading::new(&subject, &run).is_visible(step)
    };
    for answer in &answer.answers {
        let put = |policy: &Policy, key, value: &Value| with(policy, named(key).unwrap(), value).unwrap();
        let changed = answer.changes.iter().fold(policy.clone(), |policy, change| put(&policy, change.key, &change.to));
        assert!(there(&changed), "{:?}", answer.changes);
        // Of a pair, each one notch back with the other as it is.
        for change in &answer.changes {
            if let Some(back) = &change.back {
                assert!(!there(&put(&changed, change.key, back)), "{change:?} of {:?}", answer.changes);
            }
        }
    }
    answer
}

fn keys(found: &WhatIf) -> Vec<&'static str> {
    found.answers.iter().filter(|answer| answer.changes.len() == 1).map(|answer| answer.changes[0].key).collect()
}

fn value(found: &WhatIf, key: &str) -> Option<Value> {
    found
        .answers
        .iter()
        .flat_map(|answer| &answer.changes)
        .find(|change| change.key == key)
        .map(|change| change.to.clone())
}

/// A long result with the fact at a line of 100, then turns with results.
fn session(line: usize) -> Opened {
    let output = format!("{}code QX-77413 was refused\n{}", filler(1, line - 1), filler(line + 1, 100 - line));
    let mut log = Log::new().user("Go.").shell("c", "cat log", &output).says("I see.");
    for turn in 0..4 {
        log = log
            .user(&format!("Step {turn}."))
            .shell(&format!("c{turn}"), &format!("cat part{turn}"), &filler(turn * 20, 20))
            .says("Read.");
    }
    open(log.user("What now?").bytes())
}

#[test]
fn a_cut_is_undone_by_the_settings_of_cutting() {
    let opened = session(60);
    let cuts = policy(&["tool_results.on=true", "tool_results.virtual_over=500", "tool_results.virtual_head=200"]);
    let found = asked(&opened, &cuts, FACT);
    assert!(!found.there && !found.never && !found.stopped);
    let keys = keys(&found);
    for key in [
        "tool_results.on",
        "tool_results.virtual_over",
        "tool_results.virtual_head",
        "tool_results.keep",
        "tool_results.exclude_tools",
    ] {
        assert!(keys.contains(&key) || key == "tool_results.keep", "{key} is not among {keys:?}");
    }
    // The result has about 1,200 tokens: it is cut over its own size less one, and left at its own size.
    let item = opened.plan.items.iter().find(|item| item.is_result()).unwrap();
    assert_eq!(value(&found, "tool_results.virtual_over"), Some(Value::Int(i64::try_from(item.tokens).unwrap())));
    assert!(found.answers.windows(2).all(|pair| pair[0].bill.order(&pair[1].bill).is_le()), "the cheapest first");
}

#[test]
fn what_the_agent_cut_is_kept_by_admitting_originals() {
    let whole = format!("{}code QX-77413 was refused\n{}", filler(1, 60), filler(61, 40));
    let cut = format!("{}\n... [4000 characters truncated] ...\n{}", filler(1, 3), filler(98, 3));
    let log = Log::new().user("Go.").calls("c", "Bash", json!({"command": "cat log"}));
    let log = log.result_of("c", &cut, json!({"stdout": whole, "stderr": ""})).says("I see.").user("What now?");
    let opened = open(log.bytes());
    let originals = planned(&opened, true);
    let found = asked_with(&opened, Some(&originals), &policy(&[]), FACT);
    assert_eq!(keys(&found), ["replay.originals"]);
    // A policy that cuts what is whole again needs two.
    let cuts = policy(&["tool_results.on=true", "tool_results.virtual_over=500", "tool_results.virtual_head=200"]);
    let found = asked_with(&opened, Some(&originals), &cuts, FACT);
    assert!(keys(&found).is_empty() && found.pairs > 0);
    assert!(found.answers.iter().all(|answer| answer.changes.iter().any(|change| change.key == "replay.originals")));
    assert!(found.answers.iter().any(|answer| answer.changes.iter().any(|change| change.key == "tool_results.on")));
}

#[test]
fn a_cleared_result_is_kept_by_the_settings_of_clearing() {
    let opened = session(60);
    let clears = policy(&["microcompact.on=true", "microcompact.at=1500", "microcompact.keep=1 results"]);
    let found = asked(&opened, &clears, FACT);
    let keys = keys(&found);
    for key in ["microcompact.on", "microcompact.at", "microcompact.keep", "microcompact.exclude_tools"] {
        assert!(keys.contains(&key), "{key} is not among {keys:?}");
    }
    // Five results: the oldest stays where five are kept.
    assert_eq!(value(&found, "microcompact.keep"), Some(Value::Text("5 results".to_owned())));
}

/// A policy under which early facts are lost in a summary that keeps only the end.
fn summarising(window: &str) -> Policy {
    policy(&[
        window,
        "summarise.on=true",
        "summarise.at=1800",
        "summarise.target=60",
        "summarise.by=truncate",
        "summarise.fallback_head=0",
    ])
}

#[test]
fn a_summary_is_avoided_or_made_to_keep() {
    let opened = session(60);
    let summarises = summarising("window.size=20000");
    let found = asked(&opened, &summarises, FACT);
    let keys = keys(&found);
    for key in ["summarise.at", "summarise.on"] {
        assert!(keys.contains(&key), "{key} is not among {keys:?}");
    }
}

#[test]
fn what_is_refused_as_too_long_keeps_nothing() {
    let opened = session(60);
    let found = asked(&opened, &summarising("window.size=2200"), FACT);
    // Without a summary the window outgrows its size, so that the model never gets the last request.
    assert!(!found.there && !keys(&found).contains(&"summarise.on"), "{:?}", keys(&found));
    let last = found.answers.iter().rposition(|answer| answer.bill.failed == 0);
    assert!(found.answers.iter().take(last.map_or(0, |last| last + 1)).all(|answer| answer.bill.failed == 0));
    // Where the present policy has it refused, what makes the window shorter, or larger, is what helps.
    let refused = policy(&["window.size=2200"]);
    let found = asked(&opened, &refused, FACT);
    assert!(!found.there && !found.never && found.bill.failed > 0);
    let keys = keys(&found);
    assert!(keys.contains(&"window.size"), "{keys:?}");
    let early = asked(&opened, &refused, "What now?");
    let keys: Vec<&str> = early.answers.iter().flat_map(|answer| &answer.changes).map(|change| change.key).collect();
    for key in ["window.size", "drop.oldest_turns", "microcompact.on"] {
        assert!(keys.contains(&key), "{keys:?}");
    }
}

#[test]
fn what_needs_two_settings_gets_two() {
    let opened = session(60);
    // Cut when it comes in, and what is left of it is cleared later: either alone loses it.
    let both = policy(&[
        "tool_results.on=true",
        "tool_results.virtual_over=500",
        "tool_results.virtual_head=200",
        "microcompact.on=true",
        "microcompact.at=0",
        "microcompact.keep=1 results",
    ]);
    let found = asked(&opened, &both, FACT);
    assert!(!found.answers.is_empty());
    assert!(found.answers.iter().all(|answer| answer.changes.len() == 2), "{:?}", keys(&found));
    let sections = |at: usize| found.answers[0].changes[at].key.split('.').next().unwrap();
    assert_ne!(sections(0), sections(1));
}

#[test]
fn of_many_pairs_the_cheapest_is_among_those_that_are_told() {
    let opened = session(20);
    // As far as they go, all settings of the cut keep the whole result; on the way back a longer head is cheaper.
    let both = policy(&[
        "tool_results.on=true",
        "tool_results.virtual_over=500",
        "tool_results.virtual_head=100",
        "microcompact.on=true",
        "microcompact.at=0",
        "microcompact.keep=1 results",
        "cache.mode=off",
    ]);
    let found = asked(&opened, &both, FACT);
    let cheapest = &found.answers[0];
    assert!(cheapest.changes.iter().any(|change| change.key == "tool_results.virtual_head"), "{:?}", cheapest.changes);
    assert!(found.left_out > 0 && found.answers.len() <= 12, "{} and {}", found.left_out, found.answers.len());
}

#[test]
fn a_stage_that_an_earlier_one_hides_is_found() {
    // Far into a line of data, of which summaries quote the beginning.
    let line = format!("{} code {FACT}", "and so on ".repeat(50));
    let mut log = Log::new().user("Go.").shell("c", "cat key", &format!("{line}\n{}", filler(1, 4))).says("Read.");
    for turn in 0..8 {
        let call = format!("c{turn}");
        log = log.user(&format!("Step {turn}.")).shell(&call, &call, &filler(turn * 20, 12)).says("Read.");
    }
    let opened = open(log.user("What was the code?").bytes());
    // The result is cleared long before everything is summarised: only the clearing shows in its life.
    let both = policy(&[
        "summarise.on=true",
        "summarise.at=900",
        "summarise.target=60",
        "summarise.keep_tail=50 tokens",
        "microcompact.on=true",
        "microcompact.at=0",
        "microcompact.keep=2 results",
    ]);
    let found = asked(&opened, &both, FACT);
    let keys: Vec<Vec<&str>> =
        found.answers.iter().map(|answer| answer.changes.iter().map(|change| change.key).collect()).collect();
    let helps =
        |keys: &Vec<&str>| keys.contains(&"summarise.on") && keys.iter().any(|key| key.starts_with("microcompact"));
    assert!(keys.iter().any(helps), "{keys:?}, {} pairs", found.pairs);
}

#[test]
fn nothing_helps_where_the_user_went_back() {
    let log = Log::new()
        .user("One.")
        .says("First.")
        .user("The key is QX-77413.")
        .says("I will.")
        .after(2)
        .user("Two.")
        .says("Third.")
        .user("And?");
    let opened = open(log.bytes());
    let found = asked(&opened, &policy(&["summarise.on=true"]), FACT);
    assert!(!found.there && !found.never && found.answers.is_empty());
    assert!(matches!(found.taken_by, Some((Stage::Rewind, _))), "{:?}", found.taken_by);
    assert!(asked(&session(60), &policy(&[]), FACT).there);
}

#[test]
fn a_sweep_has_a_front() {
    let opened = session(60);
    let facts: Vec<Fact> =
        [FACT, "row 3 of the listing", "What now?"].iter().map(|text| Fact::parse(text).unwrap()).collect();
    let found: Vec<_> =
        facts.iter().map(|fact| find(fact, &opened.transcript, &opened.sources, None, &Watch::default())).collect();
    let subjects: Vec<Subject> =
        facts.iter().zip(&found).map(|(fact, found)| Subject::new(fact, found, &opened.transcript)).collect();
    let wanted: Vec<_> = subjects.iter().map(|subject| (subject, opened.plan.steps())).collect();
    let vary = [Vary {
        setting: named("tool_results.virtual_head").unwrap(),
        values: (0..14).map(|step| Value::Int(step * 100)).collect(),
    }];
    let base = policy(&["tool_results.on=true", "tool_results.virtual_over=500", "cache.mode=off"]);
    let replay = Replay::new(Arc::new(opened.plan.clone()), Arc::new(Given::default()), base.clone());
    let told = std::sync::atomic::AtomicUsize::new(0);
    let tell = |_: &_| {
        told.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    };
    let points = sweep(&Ready::new(replay, None), &base, &vary, &wanted, &Watch::default(), &tell);
    assert_eq!(told.into_inner(), 14);
    assert_eq!(points.len(), 14);
    assert!(points.windows(2).all(|pair| pair[0].facts() <= pair[1].facts() && pair[0].bill.sent <= pair[1].bill.sent));
    assert_eq!((points[0].facts(), points[13].facts()), (2, 3));
    // The front: the cheapest of those that keep as many.
    let kept: Vec<usize> = points.iter().map(Point::facts).collect();
    let best = front_by(Axis::Cost, &points, &kept);
    let best: Vec<usize> = best.iter().enumerate().filter(|(_, best)| **best).map(|(at, _)| at).collect();
    let first_with_all = points.iter().position(|point| point.facts() == 3).unwrap();
    assert!(best.contains(&0) && best.contains(&first_with_all) && best.len() == 2, "{best:?}");
}

#[test]
fn no_limit_comes_back_to_the_largest_limit_that_keeps_it() {
    // Where nothing limits the results of a message, they fill the window and the fact is summarised away.
    let (mut messages, mut results) = (Vec::new(), Vec::new());
    messages.push(serde_json::json!({"role": "user", "content": "The code is QX-77413. Read on."}));
    for part in 0..4 {
        messages.push(serde_json::json!({"role": "assistant", "content": [{"type": "tool_use", "id": format!("c{part}"), "name": "Read", "input": {}}]}));
        results.push(part);
        messages.push(serde_json::json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": format!("c{part}"), "content": filler(part * 100, 60)}]}));
    }
    messages.push(serde_json::json!({"role": "assistant", "content": "Read."}));
    messages.push(serde_json::json!({"role": "user", "content": "What now?"}));
    let opened = open(serde_json::json!({"model": "m", "messages": messages}).to_string().into_bytes());
    let summarises = policy(&[
        "window.size=3000",
        "summarise.on=true",
        "summarise.at=2200",
        "summarise.target=40",
        "summarise.by=truncate",
        "summarise.fallback_head=0",
        "summarise.keep_tail=none",
        "tool_results.on=true",
        "tool_results.virtual_head=50",
        "tool_results.message_total=0",
    ]);
    let found = asked(&opened, &summarises, FACT);
    assert!(!found.there, "{found:?}");
    let change = found
        .answers
        .iter()
        .flat_map(|answer| &answer.changes)
        .find(|change| change.key == "tool_results.message_total");
    let change = change.unwrap_or_else(|| panic!("{:?}", keys(&found)));
    let number = |value: &Value| value.to_string().parse::<u64>().unwrap();
    assert_eq!(change.back.as_ref().map(number), Some(number(&change.to) + 1), "{change:?}");
    assert!(number(&change.to) > 100, "{change:?}");
}

#[test]
fn of_two_stretches_that_keep_it_the_nearer_is_told() {
    let opened = session(60);
    let summarises = summarising("window.size=20000");
    let fact = Fact::parse(FACT).unwrap();
    let places = find(&fact, &opened.transcript, &opened.sources, None, &Watch::default());
    let subject = Subject::new(&fact, &places, &opened.transcript);
    let found = asked(&opened, &summarises, FACT);
    // No even step of a fine scale between the present value and the answer keeps it.
    for change in found.answers.iter().filter(|answer| answer.changes.len() == 1).map(|answer| &answer.changes[0]) {
        let (Value::Int(from), Value::Int(to)) = (&change.from, &change.to) else { continue };
        let far = to - from;
        for part in 1..9 {
            let at = from + far * part / 9;
            if at == *from || at == *to {
                continue;
            }
            let moved = with(&summarises, named(change.key).unwrap(), &Value::Int(at));
            let keeps = moved.is_some_and(|policy| {
                Reading::new(&subject, &simulate(&opened.plan, &policy, &Given::default()))
                    .is_visible(opened.plan.steps())
            });
            assert!(!keeps, "{}: {at} keeps it, {to} is told", change.key);
        }
    }
}

#[test]
fn what_a_share_comes_to_is_known_by_replay_alone() {
    // The fact in a message and in a result, each then behind much that makes every threshold due.
    let mut log = Log::new().user(&format!("The code is {FACT}. Go on.")).says("I will.");
    for turn in 0..24 {
        let call = format!("c{turn}");
        let output =
            format!("{}{}", if turn == 1 { "the rare row KM-20553 here\n" } else { "" }, filler(turn * 40, 40));
        log = log.user(&format!("Step {turn}.")).shell(&call, &format!("cat part{turn}"), &output).says("Read.");
    }
    let opened = open(log.user("What now?").bytes());
    let shares = |preset: &str, more: &[&str]| {
        let (mut policy, _) = windowpane::policy::preset(preset, None).unwrap();
        for assignment in
            ["summarise.by=truncate", "summarise.fallback_head=0", "summarise.at_least=0"].iter().chain(more)
        {
            windowpane::policy::set(&mut policy, assignment).unwrap();
        }
        policy
    };
    let mut numbers = 0;
    for (preset, more) in [
        ("codex", &["window.size=6000"][..]),
        ("codex", &["window.size=9000", "summarise.keep_tail=30%"]),
        ("five-layer", &["window.size=30000"]),
        ("five-layer", &["window.size=9000", "reserve.summary=500", "reserve.output=500"]),
        ("gemini-cli", &["window.size=9000"]),
        ("gemini-cli", &["window.size=12000", "summarise.keep_tail=15%", "summarise.target=300"]),
        ("internal-agent", &["window.size=9000", "summarise.target=300"]),
        ("inspect", &["window.size=9000", "microcompact.at=40%"]),
        ("langchain", &["window.size=9000", "summarise.at=85%"]),
        ("memory-harness", &["window.size=9000", "summarise.target=300"]),
        ("aider", &["window.size=40000"]),
        ("drop-oldest", &["window.size=6000"]),
        ("opencode", &["window.size=40000", "reserve.output=0"]),
        ("pi", &["window.size=24000"]),
        ("claude-code", &["window.size=41000"]),
    ] {
        let policy = shares(preset, more);
        for fact in [FACT, "KM-20553"] {
            // Each answer is verified there, one notch back too.
            let found = asked(&opened, &policy, fact);
            let of_shares = found.answers.iter().flat_map(|answer| &answer.changes);
            numbers +=
                of_shares.filter(|change| change.from.to_string().contains('%') && change.back.is_some()).count();
        }
    }
    assert!(numbers > 4, "{numbers} answers move a share");
}

#[test]
fn a_compaction_of_the_users_is_told_where_that_alone_took_it() {
    let said = |log: Log| log.user(&format!("The code is {FACT}.")).says("Yes.");
    let compacts = |log: Log, trigger: &str, summary: &str| {
        log.compacts(json!({"trigger": trigger, "preTokens": 9_000}), summary).user("Go on.").says("Done.")
    };
    let of = |log: Log, sets: &[&str]| asked(&open(log.user("Thanks.").bytes()), &policy(sets), FACT);
    let first = || said(Log::new());
    for (log, by_user) in [
        (compacts(first(), "manual", "Nothing is open."), Some(2)),
        (compacts(first(), "manual", &format!("The code is {FACT}.")), None),
        (compacts(first(), "auto", "Nothing is open."), None),
        (compacts(compacts(first(), "auto", "Nothing."), "manual", "Nothing."), None),
        // Told again after the first was taken: the user's took the last of it.
        (compacts(said(compacts(first(), "auto", "Nothing.")), "manual", "Nothing."), Some(4)),
        (said(compacts(first(), "manual", "Nothing is open.")), None),
    ] {
        assert_eq!(of(log, &[]).by_user, by_user);
    }
    assert_eq!(of(compacts(first(), "manual", "Nothing is open."), &["replay.manual=true"]).by_user, None);
    // Another one took it, which comes later or not at all where the user's is left out.
    let kept = |log| compacts(log, "manual", &format!("The code is {FACT}."));
    let behind = said(compacts(Log::new().user("Begin.").says("Begun."), "manual", "Nothing."));
    for log in [kept(first()), behind] {
        let found = of(compacts(log, "auto", "Nothing is open."), &[]);
        assert!(found.there && found.by_user.is_some_and(|asked| Some(asked) < found.lost), "{found:?}");
    }
}

#[test]
fn what_replays_on_the_way_measured_leads_to_values_between_those_that_lose_it() {
    // The fact in a turn's message or in its result; values that keep it lie between values that do not.
    let session = |lines: &[usize], (at, in_result): (usize, bool), end: &str| {
        let long = "and so on ".repeat(20);
        let mut log = Log::new().user("Go.").says("Yes.");
        for (turn, lines) in lines.iter().enumerate() {
            let (mut said, mut output) = (format!("Step {turn}."), filler(turn * 50, *lines));
            match (turn == at, in_result) {
                (true, true) => output = format!("{}code {FACT} was refused {long}\n{output}", filler(1, 3)),
                (true, false) => said = format!("The code is {FACT}. {long}"),
                _ => {}
            }
            log = log.user(&said).shell(&format!("c{turn}"), &format!("cat p{turn}"), &output).says("Read.");
        }
        open(if end.is_empty() { log } else { log.user(end) }.bytes())
    };
    let of = |sets: &[&str]| {
        let summarises = ["summarise.on=true", "summarise.target=60", "summarise.by=truncate", "cache.mode=off"];
        let more = ["window.size=100000", "summarise.fallback_head=0", "summarise.at_least=0"];
        policy(&[&summarises[..], &more[..], sets].concat())
    };
    let collapses = ["summarise.at=744", "summarise.keep_tail=504 tokens", "collapse.on=true", "collapse.at=1080"];
    let clears = ["microcompact.on=true", "microcompact.at=1322", "microcompact.min_freed=104", "summarise.at=1148"];
    let fact = Fact::parse(FACT).unwrap();
    for (key, opened, policy) in [
        (
            "summarise.at",
            session(&[19, 14, 27, 10, 11, 26, 39, 36], (5, true), ""),
            of(&[&collapses[..], &["collapse.keep=2 turns"]].concat()),
        ),
        (
            "microcompact.keep",
            session(&[2, 21, 25, 37, 18, 25, 27, 36, 28, 26, 27], (1, false), ""),
            of(&[&clears[..], &["microcompact.keep=348 tokens", "summarise.keep_tail=591 tokens"]].concat()),
        ),
        (
            "summarise.at",
            session(&[14, 20, 11, 12, 20, 27, 2, 33, 39, 10, 23, 9, 36, 25, 28, 20], (10, false), "Step 16."),
            of(&["summarise.at=3186", "summarise.keep_tail=234 tokens"]),
        ),
    ] {
        let found = asked(&opened, &policy, FACT);
        let number = |value: &Value| value.plain().split(' ').next().unwrap().parse::<i64>().unwrap();
        let answer = found.answers.iter().find(|answer| answer.changes.len() == 1 && answer.changes[0].key == key);
        let change = &answer.unwrap_or_else(|| panic!("{key} is not among {:?}", keys(&found))).changes[0];
        let (from, far) = (number(&change.from), number(&change.to).abs_diff(number(&change.from)));
        let places = find(&fact, &opened.transcript, &opened.sources, None, &Watch::default());
        let subject = Subject::new(&fact, &places, &opened.transcript);
        let unit = change.from.plain().replace(char::is_numeric, "");
        for at in (0..5000).step_by(25).filter(|at: &i64| at.abs_diff(from) < far) {
            let value = if unit.is_empty() { Value::Int(at) } else { Value::Text(format!("{at}{unit}")) };
            let moved = with(&policy, named(key).unwrap(), &value).unwrap();
            let run = simulate(&opened.plan, &moved, &Given::default());
            let keeps = Reading::new(&subject, &run).is_visible(opened.plan.steps());
            assert!(!keeps, "{key}: {at} keeps it, {} is told", change.to);
        }
    }
}
