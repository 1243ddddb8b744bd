//! The same for replays: each stage, each way of cutting.

use serde_json::json;
use windowpane::engine::{Consequences, Given, simulate};
use windowpane::inquiry::Sight;
use windowpane::model::{Fate, Layer, Stage};
use windowpane::present::{Became, Pair, PairCell, pairs, pipeline};

use super::build::{Log, filler};
use super::runner::{Case, Expected, check_all, open, planned, policy, traced};

/// A long result with the fact at a line of 100, then some turns.
fn long(line: usize) -> Log {
    let output = format!("{}code QX-77413 was refused\n{}", filler(1, line - 1), filler(line + 1, 100 - line));
    Log::new().user("Go.").shell("c1", "cat log", &output).says("I see.").user("Next.").says("Yes.").user("And then?")
}

/// A short note early on, then turns with results of about 260 tokens each.
fn turns(note: &str, number: usize) -> Log {
    let mut log = Log::new().user(note).says("I will.");
    for turn in 0..number {
        log = log.user(&format!("Step {turn}.")).shell(
            &format!("c{turn}"),
            &format!("cat part{turn}"),
            &filler(turn * 20, 20),
        );
        log = log.says("Read.");
    }
    log.user("What now?")
}

fn case(name: &'static str, log: Log, policy: &'static [&'static str], fact: &'static str, expected: Expected) -> Case {
    Case { name, bytes: log.bytes(), policy, fact, expected }
}

const FACT: &str = "QX-77413";
const NOTE: &str = "The staging gateway only accepts keys that begin with QX-77413.";

/// Where a fact stands is counted over all parts that were kept, and the pointer behind them.
#[test]
fn positions_in_what_was_cut() {
    let stands = |line: usize, keep: &'static str| {
        let opened = open(long(line).bytes());
        let sets = ["tool_results.on=true", "tool_results.virtual_over=500", "tool_results.virtual_head=200", keep];
        let run = simulate(&opened.plan, &policy(&sets), &Given::default());
        traced(&opened, &run, FACT).2.position.unwrap()
    };
    let (head, both) = (stands(5, "tool_results.keep=head"), stands(5, "tool_results.keep=head_tail"));
    assert!(head.from_start.abs_diff(both.from_start) <= 15, "{head:?} {both:?}");
    // Behind the tail stands the pointer, and three short messages.
    assert!((30..110).contains(&stands(97, "tool_results.keep=head_tail").from_end));
}

/// No request holds the last answer; whether it says the fact is told all the same.
#[test]
fn the_last_answer_says_it_or_not() {
    let used = |answer: &str| {
        let log =
            Log::new().user(NOTE).says("I will.").user("Which keys does the staging gateway accept?").says(answer);
        let opened = open(log.bytes());
        let run = simulate(&opened.plan, &policy(&[]), &Given::default());
        let trace = traced(&opened, &run, FACT).2;
        (trace.in_window, trace.answered, trace.used)
    };
    assert_eq!(used("Those that begin with QX-77413."), (true, true, true));
    assert_eq!(used("I do not know."), (true, true, false));
}

/// What the agent had cut before it sent it is told where it comes in, with figures that go on from each other.
#[test]
fn cuts_that_were_recorded_are_told_by_a_replay() {
    let (start, gone) = (filler(1, 60), format!("{}code QX-77413\n{}", filler(200, 60), filler(400, 60)));
    let cut = format!("{start}\n\n... [9000 characters truncated] ...\n\nlast line");
    let whole = json!({"stdout": format!("{start}{gone}last line"), "stderr": ""});
    let log = Log::new().user("Go.").calls("c1", "Bash", json!({"command": "cat log"})).result_of("c1", &cut, whole);
    let opened = open(log.says("I see.").user("What was the code?").bytes());
    const CUTS: &[&str] = &["tool_results.on=true", "tool_results.virtual_over=300", "tool_results.virtual_head=100"];
    for (sets, rules) in [(&[][..], &["recorded.sent"][..]), (CUTS, &["recorded.sent", "tool_results.virtual_over"])] {
        let run = simulate(&opened.plan, &policy(sets), &Given::default());
        let events: Vec<_> = run.events_at(2).map(|(_, event)| event).collect();
        assert_eq!(events.iter().map(|event| &*event.rule).collect::<Vec<_>>(), rules);
        for pair in events.windows(2) {
            assert!(pair[0].tokens_after == pair[1].tokens_before && pair[1].tokens_after < pair[1].tokens_before);
        }
        let [cut] = &events[0].sent_cut[..] else { panic!("{:?}", events[0]) };
        assert!(cut.rule == "recorded.truncated" && cut.measured.is_some_and(|whole| whole > 1_000), "{cut:?}");
        assert!(cut.entries.iter().all(|id| events[0].made.contains(id)));
        assert!(events[0].sentence().ends_with("; the agent had cut 1 of them before sending."));
        assert_eq!(Consequences::of(&run).cuts, 1);
        let figures = pipeline(&run, 2, None).unwrap();
        let unlogged = Layer::Unlogged as usize;
        assert!(figures.stages.iter().all(|row| row.given[unlogged] == row.left[unlogged]), "{figures:?}");
        let decided = |fact: &str| {
            let (_, _, trace) = traced(&opened, &run, fact);
            let event = trace.occurrences[0].at(2).and_then(|stay| stay.decided(&run))?;
            Some((event.stage, event.rule.to_string()))
        };
        // What was not sent the agent had cut, whoever cut again; what was sent the policy cut.
        assert_eq!(decided(FACT), Some((Stage::Truncate, "recorded.truncated".to_owned())));
        let cut_here = (!sets.is_empty()).then(|| (Stage::Truncate, "tool_results.virtual_over".to_owned()));
        assert_eq!(decided("last line"), cut_here);
        // No stage had the whole of what the agent had cut before.
        let pairs = pairs(&run, 2, None, |_| 0);
        let is_cut = |row: &Pair| matches!(row.right, Some(PairCell::Entry(_, Became::Changed(Stage::Truncate, _))));
        assert_eq!(pairs.rows.iter().filter(|row| is_cut(row)).count(), 1);
        // The size on the left is the one that was sent, on the right what is left of it.
        let (given, left) = figures.stages.iter().find(|row| row.stage == Stage::Truncate).unwrap().tokens();
        assert_eq!(pairs.before.1 - pairs.after.1, given - left);
    }
    let run = simulate(&planned(&opened, true), &policy(&[]), &Given::default());
    // What is admitted whole is marked as such, and only that.
    assert!(run.events_at(2).all(|(_, event)| event.rule == "replay.originals"));
    assert!(run.events_at(1).all(|(_, event)| event.rule == "recorded.sent"));
    let marked: Vec<&windowpane::model::Entry> = run.entries.iter().filter(|entry| entry.is_original()).collect();
    assert!(marked.len() == 1 && marked[0].layer == Layer::ToolResults && marked[0].fate == Fate::Verbatim);
}

#[test]
fn truncation() {
    let lost = |fate, back| Expected {
        came: Some(2),
        lost: Some(2),
        rule: Some("tool_results.virtual_over"),
        end: Some((fate, if back { Sight::Pointer } else { Sight::Gone })),
        back: back.then_some("from vf_1"),
        says: &["Cut at once: only"],
        ..Expected::default()
    };
    let kept = || Expected { came: Some(2), kept: true, silent: &["Cut at once"], ..Expected::default() };
    const HEAD: &[&str] = &["tool_results.on=true", "tool_results.virtual_over=500", "tool_results.virtual_head=200"];
    const TAIL: &[&str] = &[
        "tool_results.on=true",
        "tool_results.virtual_over=500",
        "tool_results.virtual_head=200",
        "tool_results.keep=tail",
    ];
    const BOTH: &[&str] = &[
        "tool_results.on=true",
        "tool_results.virtual_over=500",
        "tool_results.virtual_head=200",
        "tool_results.keep=head_tail",
    ];
    const MIDDLE: &[&str] = &[
        "tool_results.on=true",
        "tool_results.virtual_over=500",
        "tool_results.virtual_head=200",
        "tool_results.keep=middle_cut",
        "tool_results.virtual_files=false",
    ];
    const CHARS: &[&str] =
        &["tool_results.on=true", "tool_results.virtual_over=2000c", "tool_results.virtual_head=600c"];
    const NOTHING: &[&str] = &["tool_results.on=true", "tool_results.virtual_over=500", "tool_results.virtual_head=0"];
    const TOOL: &[&str] = &["tool_results.on=true", "tool_results.per_tool=Bash=300"];
    const OTHER: &[&str] = &["tool_results.on=true", "tool_results.per_tool=Read=300"];
    const TOTAL: &[&str] = &["tool_results.on=true", "tool_results.message_total=600", "tool_results.virtual_head=200"];
    check_all(&[
        case("head-lost", long(90), HEAD, FACT, lost(Fate::Truncated, true)),
        case("head-kept", long(5), HEAD, FACT, kept()),
        case("tail-lost", long(5), TAIL, FACT, lost(Fate::Truncated, true)),
        case("tail-kept", long(95), TAIL, FACT, kept()),
        case("head-tail-lost", long(50), BOTH, FACT, lost(Fate::Truncated, true)),
        case("head-tail-kept", long(98), BOTH, FACT, kept()),
        case("middle-lost", long(50), MIDDLE, FACT, lost(Fate::Truncated, false)),
        case("middle-kept", long(2), MIDDLE, FACT, kept()),
        case("characters-lost", long(90), CHARS, FACT, lost(Fate::Truncated, true)),
        case("pointer-only", long(5), NOTHING, FACT, lost(Fate::Virtual, true)),
        case(
            "per-tool-lost",
            long(90),
            TOOL,
            FACT,
            Expected { rule: Some("tool_results.per_tool"), ..lost(Fate::Truncated, true) },
        ),
        case("per-tool-kept", long(90), OTHER, FACT, kept()),
        case(
            "message-total-lost",
            long(90),
            TOTAL,
            FACT,
            Expected { rule: Some("tool_results.message_total"), ..lost(Fate::Truncated, true) },
        ),
    ]);
}

#[test]
fn stale_results() {
    const KEEP: &[&str] = &["microcompact.on=true", "microcompact.at=0", "microcompact.keep=1 results"];
    const SPARE: &[&str] = &[
        "microcompact.on=true",
        "microcompact.at=0",
        "microcompact.keep=1 results",
        "microcompact.spare_referenced=true",
    ];
    const SUPERSEDED: &[&str] =
        &["microcompact.on=true", "microcompact.at=0", "microcompact.keep=9 results", "microcompact.superseded=true"];
    const TOOLS: &[&str] = &[
        "microcompact.on=true",
        "microcompact.at=0",
        "microcompact.keep=1 results",
        "microcompact.exclude_tools=Bash",
    ];
    const THINKING: &[&str] = &["thinking.clear=true", "thinking.keep_turns=1"];
    let result = format!("{}code QX-77413\n", filler(1, 20));
    let two = |said: &str| {
        Log::new()
            .user("Go.")
            .shell("c1", "cat one", &result)
            .says(said)
            .user("Next.")
            .shell("c2", "cat two", &filler(1, 20))
            .says("Ok.")
            .user("And?")
    };
    let again = Log::new()
        .user("Go.")
        .shell("c1", "cat one", &result)
        .says("Ok.")
        .user("Next.")
        .shell("c2", "cat one", &filler(1, 20))
        .says("Ok.")
        .user("And?");
    let thoughts = Log::new()
        .user("Go.")
        .thinks("I recall QX-77413 from somewhere.")
        .says("Well.")
        .user("Next.")
        .thinks("Nothing.")
        .says("Ok.")
        .user("And?");
    let cleared = Expected {
        came: Some(2),
        lost: Some(4),
        rule: Some("microcompact.at"),
        end: Some((Fate::Cleared, Sight::Marker)),
        ..Expected::default()
    };
    check_all(&[
        // 1 Go; 2 result; 3 Next; 4 the second result comes in.
        case("stale-lost", two("Ok."), KEEP, FACT, cleared.clone()),
        case(
            "stale-referenced",
            two("The code is QX-77413."),
            SPARE,
            FACT,
            Expected { came: Some(2), kept: true, silent: &["cleared"], ..Expected::default() },
        ),
        case(
            "stale-other-tool",
            two("Fine."),
            TOOLS,
            FACT,
            Expected { came: Some(2), kept: true, ..Expected::default() },
        ),
        case("superseded", again, SUPERSEDED, FACT, cleared),
        case(
            "reasoning-dropped",
            thoughts,
            THINKING,
            FACT,
            Expected {
                came: Some(2),
                lost: Some(4),
                rule: Some("thinking.keep_turns"),
                end: Some((Fate::Dropped, Sight::Gone)),
                says: &["taken out with old reasoning"],
                ..Expected::default()
            },
        ),
    ]);
}

#[test]
fn summaries() {
    const EXTRACT: &[&str] = &[
        "window.size=1500",
        "summarise.on=true",
        "summarise.at=900",
        "summarise.target=200",
        "summarise.by=extractive",
    ];
    const ENDS: &[&str] = &[
        "window.size=1500",
        "summarise.on=true",
        "summarise.at=900",
        "summarise.target=60",
        "summarise.by=truncate",
        "summarise.fallback_head=0",
        "summarise.prior_window_file=true",
    ];
    const TAIL: &[&str] = &[
        "window.size=1500",
        "summarise.on=true",
        "summarise.at=900",
        "summarise.target=40",
        "summarise.by=truncate",
        "summarise.fallback_head=0",
        "summarise.keep_tail=3 turns",
    ];
    const HEAD: &[&str] = &[
        "window.size=1500",
        "summarise.on=true",
        "summarise.at=900",
        "summarise.target=60",
        "summarise.by=truncate",
        "summarise.fallback_head=0",
        "summarise.keep_head=1 messages",
    ];
    const ROLES: &[&str] = &[
        "window.size=1500",
        "summarise.on=true",
        "summarise.at=900",
        "summarise.target=60",
        "summarise.by=truncate",
        "summarise.fallback_head=0",
        "summarise.keep_tail=1000 tokens",
        "summarise.keep_roles=user",
    ];
    let often = "code QX-77413 and so on ".repeat(30);
    let late = turns("Go.", 3)
        .says("Well.")
        .user(NOTE)
        .says("I will.")
        .user("More.")
        .shell("cx", "cat more", &filler(400, 30))
        .says("Ok.")
        .user("Then?");
    check_all(&[
        case(
            "extracted",
            turns(NOTE, 5),
            EXTRACT,
            FACT,
            Expected {
                came: Some(1),
                kept: true,
                end: Some((Fate::Summarised, Sight::Summary)),
                ..Expected::default()
            },
        ),
        // Of more places than are told apart, the one in the middle is quoted.
        case(
            "often-and-quoted",
            turns(&format!("{often}\n\n{NOTE}\n\n{often}"), 5),
            EXTRACT,
            FACT,
            Expected { came: Some(1), kept: true, says: &["The summary says"], ..Expected::default() },
        ),
        case(
            "ends-only",
            turns(NOTE, 5),
            ENDS,
            FACT,
            Expected {
                came: Some(1),
                lost: Some(9),
                rule: Some("summarise.at"),
                end: Some((Fate::Summarised, Sight::Pointer)),
                says: &["compacted away", "Still retrievable from vf_"],
                ..Expected::default()
            },
        ),
        case("in-the-kept-tail", late, TAIL, FACT, Expected { came: Some(9), kept: true, ..Expected::default() }),
        case(
            "in-the-kept-head",
            turns(NOTE, 5),
            HEAD,
            FACT,
            Expected { came: Some(1), kept: true, silent: &["compacted"], ..Expected::default() },
        ),
        case(
            "kept-by-role",
            turns(NOTE, 5),
            ROLES,
            FACT,
            Expected { came: Some(1), kept: true, ..Expected::default() },
        ),
    ]);
}

#[test]
fn collapsing_and_dropping() {
    const LINES: &[&str] =
        &["window.size=3000", "collapse.on=true", "collapse.at=300", "collapse.keep=2 rounds", "collapse.min_freed=0"];
    const TURNS: &[&str] = &["window.size=3000", "drop.oldest_turns=true", "drop.at=700", "drop.to=500"];
    const RESULTS: &[&str] = &["window.size=3000", "drop.oldest_tool_results=true", "drop.at=700", "drop.to=500"];
    const REACTIVE: &[&str] = &[
        "window.size=900",
        "reactive.on=true",
        "reactive.keep_tail=300 tokens",
        "summarise.target=80",
        "summarise.by=truncate",
    ];
    const NONE: &[&str] = &["window.size=100000"];
    let result = format!("{}code QX-77413\n", filler(1, 20));
    let early = |log: Log| {
        let mut log = log;
        for turn in 0..4 {
            log = log
                .user(&format!("Step {turn}."))
                .shell(&format!("c{turn}"), &format!("cat part{turn}"), &filler(turn * 20, 20))
                .says("Read.");
        }
        log.user("What now?")
    };
    let in_result = || early(Log::new().user("Go.").shell("c", "cat log", &result).says("I see."));
    check_all(&[
        case(
            "in-the-line",
            early(
                Log::new()
                    .user("Go.")
                    .calls("c", "Bash", json!({"command": "grep QX-77413 log"}))
                    .result("c", &filler(1, 20))
                    .says("I see."),
            ),
            LINES,
            FACT,
            Expected {
                came: Some(2),
                kept: true,
                end: Some((Fate::Collapsed, Sight::Line)),
                says: &["in the line that stands for its turn"],
                ..Expected::default()
            },
        ),
        case(
            "not-in-the-line",
            in_result(),
            LINES,
            FACT,
            Expected {
                came: Some(2),
                lost: Some(4),
                rule: Some("collapse.at"),
                end: Some((Fate::Collapsed, Sight::Pointer)),
                back: Some("as soon as a later turn refers to it"),
                ..Expected::default()
            },
        ),
        case(
            "turns-dropped",
            turns(NOTE, 4),
            TURNS,
            FACT,
            Expected {
                came: Some(1),
                lost: Some(7),
                rule: Some("drop.oldest_turns"),
                end: Some((Fate::Dropped, Sight::Gone)),
                ..Expected::default()
            },
        ),
        case(
            "results-dropped",
            in_result(),
            RESULTS,
            FACT,
            Expected {
                came: Some(2),
                lost: Some(6),
                rule: Some("drop.oldest_tool_results"),
                end: Some((Fate::Dropped, Sight::Gone)),
                ..Expected::default()
            },
        ),
        case(
            "results-dropped-message-kept",
            turns(NOTE, 4),
            RESULTS,
            FACT,
            Expected { came: Some(1), kept: true, ..Expected::default() },
        ),
        case(
            "too-long",
            turns(NOTE, 4),
            REACTIVE,
            FACT,
            Expected {
                came: Some(1),
                lost: Some(9),
                rule: Some("reactive.on"),
                says: &["after the prompt was too long"],
                ..Expected::default()
            },
        ),
        case(
            "nothing-happens",
            in_result(),
            NONE,
            FACT,
            Expected { came: Some(2), kept: true, says: &["It is there to the end"], ..Expected::default() },
        ),
    ]);
}
