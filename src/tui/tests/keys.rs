//! Every action by its key: what was pressed before, the key, and (in `snapshots/`) what is another thing then.

use std::collections::HashSet;

use super::{Stage, session};
use crate::config::{ACTIONS, Action, Context, Match, parse_sequence};
use crate::inquiry::Sight;
use crate::inquiry::lint::{Finding, Weight};
use crate::tui::findings::{Complaint, Evidence};
use crate::tui::inspect::Inspect;
use crate::tui::message::Message;
use crate::tui::overlay::{Overlay, link};
use crate::tui::state::Phase;
use crate::tui::trace::{Goal, Row as TraceRow, TraceResult};

type Row = (Action, &'static str, &'static str);

use Action as A;
/// The session opens at step 10 of 10, in the window pane.
const TABLE: &[Row] = &[
    (A::NextStep, "0", "l"),
    (A::NextStep, "", "right"),
    (A::PreviousStep, "", "h"),
    (A::PreviousStep, "0", "left"),
    (A::NextSteps, "0", "L"),
    (A::PreviousSteps, "", "shift-left"),
    (A::FirstStep, "", "0"),
    (A::LastStep, "0", "$"),
    (A::GoToStep, "", "#"),
    (A::NextEvent, "0", "]"),
    (A::PreviousEvent, "", "["),
    (A::NextCompaction, "0", "}"),
    (A::PreviousCompaction, "", "{"),
    (A::NextTurn, "0", ")"),
    (A::PreviousTurn, "", "("),
    (A::ZoomIn, "size:60x24", "+"),
    (A::ZoomOut, "size:60x24 +", "-"),
    (A::ZoomOut, "", "-"),
    (A::OpenSubagent, "# text:5 enter home j j j j j j j j", "o"),
    (A::LeaveSubagent, "# text:5 enter home j j j j j j j j o", "backspace"),
    (A::Threads, "", "O"),
    (A::NextPane, "", "tab"),
    (A::PreviousPane, "", "shift-tab"),
    (A::PaneTimeline, "", "1"),
    (A::PaneLayers, "", "2"),
    (A::PaneWindow, "1", "3"),
    (A::PaneEntry, "", "4"),
    (A::PaneEvents, "", "5"),
    (A::ZoomPane, "", "z"),
    (A::Down, "home", "j"),
    (A::Up, "", "k"),
    (A::HalfPageDown, "size:70x18 # text:6 enter home", "ctrl-d"),
    (A::HalfPageUp, "size:70x18 # text:6 enter", "ctrl-u"),
    (A::PageDown, "size:70x18 # text:6 enter home", "pgdn"),
    (A::PageUp, "size:70x18 # text:6 enter", "pgup"),
    (A::Top, "", "home"),
    (A::Bottom, "home", "G"),
    (A::Open, "", "enter"),
    (A::Open, "home", "enter"),
    (A::Open, "2", "enter"),
    (A::Open, "{ 5", "enter"),
    (A::Open, "{ 5 enter j", "enter"),
    (A::Open, "# text:3", "enter"),
    (A::Open, ": text:next-compaction 0", "enter"),
    (A::Open, "e j j", "enter"),
    (A::Open, "e enter", "enter"),
    (A::Open, "S", "enter"),
    (A::Open, "S text:project-5", "enter"),
    (A::Back, "1", "esc"),
    (A::Back, "z", "esc"),
    (A::Back, "", "esc"),
    (A::Back, "/ text:login enter", "esc"),
    (A::Back, "?", "esc"),
    (A::Back, "S", "esc"),
    (A::Fold, "# text:2 enter home j", "space"),
    (A::FoldAll, "", "Z"),
    (A::Sort, "", "s"),
    (A::FilterLayer, "", "i"),
    (A::Difference, "", "x"),
    (A::LargestEntry, "", "b"),
    (A::GoToBirth, "# text:4 enter home", ","),
    (A::GoToDeath, "0 home", "."),
    (A::EntryDown, "# text:2 enter", "J"),
    (A::EntryUp, "# text:2 enter J J", "K"),
    (A::ShowOriginal, "", "u"),
    (A::Raw, "", "r"),
    (A::Wrap, "", "w"),
    (A::ScrollRight, "w", ">"),
    (A::ScrollLeft, "w >", "<"),
    (A::Search, "", "/"),
    (A::NextHit, "/ text:login enter", "n"),
    (A::NextHit, "", "n"),
    (A::PreviousHit, "/ text:login enter", "N"),
    (A::FollowFact, "", "f"),
    (A::Open, "f text:step_7", "enter"),
    (A::CompactionView, "", "c"),
    (A::TuneView, "", "t"),
    (A::CompareView, "", "v"),
    (A::SwitchTrack, "", "R"),
    (A::Back, "t", "esc"),
    (A::More, "t", "right"),
    (A::Less, "t", "left"),
    (A::MuchMore, "t", "L"),
    (A::MuchLess, "t", "H"),
    (A::StepOn, "0 t", ">"),
    (A::StepBack, "t", "<"),
    (A::RunOn, "0 c", "n"),
    (A::RunBack, "c", "N"),
    (A::Preset, "t", "p"),
    (A::Undo, "t right", "u"),
    (A::Redo, "t right u", "U"),
    (A::ResetSetting, "t right", "backspace"),
    (A::ResetAll, "t right", "X"),
    (A::OnlyChanged, "t", "i"),
    (A::SavePolicy, "t", "s"),
    (A::CompareFacts, "v", "f"),
    (A::SweepView, "", "V"),
    (A::Back, "V", "esc"),
    (A::NextRun, "V home", "right"),
    (A::PreviousRun, "V end", "h"),
    (A::NextAxis, "V", "x"),
    (A::MoreValues, "V", "+"),
    (A::FewerValues, "V", "-"),
    (A::AddFact, "V", "a"),
    (A::SaveRuns, "V", "s"),
    (A::Fold, "V shift-tab j", "space"),
    (A::Open, "V shift-tab", "enter"),
    (A::Open, "V home", "enter"),
    (A::CopyText, "", "y"),
    (A::CopyLink, "", "Y"),
    (A::Export, "", "e"),
    (A::Help, "", "?"),
    (A::Palette, "", ":"),
    (A::Sessions, "", "S"),
    (A::Findings, "", "!"),
    (A::Warnings, "", "W"),
    (A::Theme, "", "T"),
    (A::Mouse, "", "M"),
    (A::Stop, "", "ctrl-x"),
    (A::Redraw, "", "ctrl-l"),
    (A::Suspend, "", "ctrl-z"),
    (A::Quit, "", "q"),
    (A::Quit, "S", "ctrl-c"),
    (A::Documents, "", "d"),
    (A::NextPassage, "d", "n"),
    (A::PreviousPassage, "d", "N"),
    (A::FillOn, "d", "."),
    (A::FillBack, "d", ","),
    (A::EditTask, "d", "t"),
    (A::MorePassages, "d", "+"),
    (A::FewerPassages, "d", "-"),
    (A::LargerBudget, "d", "]"),
    (A::SmallerBudget, "d", "["),
    (A::NextDocument, "d", "f"),
    (A::MemoryView, "", "m"),
    (A::Open, "m", "enter"),
    (A::NextPane, "m enter", "tab"),
    (A::PreviousPane, "m enter", "shift-tab"),
    (A::Sort, "m enter", "s"),
    (A::Search, "m enter", "/"),
    (A::Back, "m enter / text:login", "esc"),
    (A::WalkGraph, "m enter", "w"),
    (A::WalkOn, "m enter w", "right"),
    (A::WalkBack, "m enter w", "left"),
    (A::OpenSource, "m enter", "o"),
    (A::Back, "m enter o", "esc"),
    (A::Back, "m enter w", "esc"),
    (A::StepBack, "m enter w", "<"),
    (A::WhatIf, "f text:step_7 enter", "w"),
];

/// What is another thing than before, in words.
fn difference(before: &[(&str, String)], after: &[(&str, String)]) -> String {
    let found: Vec<String> = after
        .iter()
        .filter_map(|(name, now)| {
            let then = before.iter().find(|(known, _)| known == name).map_or("", |(_, value)| value);
            (then != now).then(|| format!("{name} {then} → {now}"))
        })
        .collect();
    found.join("; ").replace("  ", " ")
}

#[test]
fn keys_do_what_the_table_says() {
    let mut told = String::new();
    for (action, before, key) in TABLE {
        let mut stage = Stage::open(120, 40);
        stage.press(before);
        let pressed = parse_sequence(key).unwrap();
        let found = stage.state.keymap.lookup(stage.state.context(), &pressed);
        assert_eq!(found, Match::Action(*action), "{key} after {before:?}");
        stage.asked.clear();
        stage.state.notice = None;
        let then = stage.facts();
        stage.press(key);
        let changed = difference(&then, &stage.facts());
        let changed = if changed.is_empty() { "nothing" } else { changed.as_str() };
        told.push_str(&format!("{} · {before} · {key} · {changed}\n", action.name()));
    }
    insta::assert_snapshot!("keys", told);
}

#[test]
fn every_action_is_in_the_table() {
    let tested: HashSet<Action> = TABLE.iter().map(|(action, ..)| *action).collect();
    let missing: Vec<&str> =
        ACTIONS.iter().filter(|info| !tested.contains(&info.action)).map(|info| info.name).collect();
    assert!(missing.is_empty(), "no test presses the keys of {}", missing.join(", "));
}

#[test]
fn that_a_model_is_asked_is_said_with_the_key_that_stops_it() {
    let mut stage = Stage::open(80, 24);
    stage.tell(Message::Doing("asking a-model, request 1 of at most 20: 1,204 characters".to_owned(), 0, 0));
    let said = |stage: &Stage| stage.rows()[1].contains("1,204 characters (ctrl-x stops it)");
    assert!(said(&stage), "{}", stage.rows()[1]);
    stage.tell(Message::Counting(0, 0));
    assert!(!said(&stage));
}

#[test]
fn the_reading_of_an_attached_file_shows_its_own_progress_and_is_stopped_alone() {
    let mut stage = Stage::empty(80, 24);
    // Nothing opens it here: it stays on its way.
    let _ = stage.state.open("/home/me/session.jsonl");
    stage.tell(Message::Doing("reading large.json".to_owned(), 120 << 20, 1_000 << 20));
    let rows = stage.rows().join("\n");
    assert!(rows.contains("reading large.json") && rows.contains("12 % of 1000 MiB"), "{rows}");
    assert!(rows.contains("ctrl-x leaves it out"), "{rows}");
    stage.press("ctrl-x");
    assert!(matches!(stage.state.phase, Phase::Opening { .. }), "the session is still opened");
    assert_eq!(stage.asked, ["stop"]);
    stage.tell(Message::Works);
    stage.press("ctrl-x");
    assert!(!matches!(stage.state.phase, Phase::Opening { .. }), "without a file, it is the session that is stopped");
}

#[test]
fn a_view_that_is_asked_for_while_the_session_is_read_opens_with_it() {
    let mut stage = Stage::empty(100, 30);
    let effect = stage.state.open("/home/me/session.jsonl");
    stage.tell(Message::Doing("reading large.pdf".to_owned(), 1, 100));
    stage.press("d");
    let rows = stage.rows().join("\n");
    assert!(rows.contains("documents will be shown once") && rows.contains("reading large.pdf"), "{rows}");
    assert!(stage.state.documents.is_none());
    stage.carry_out(vec![effect]);
    assert!(stage.state.documents.is_some(), "{}", stage.rows().join("\n"));
}

#[test]
fn that_a_file_was_left_out_is_still_said_once_the_session_is_there() {
    let mut stage = Stage::replaying(session::session(), "internal-agent", &[], (80, 24));
    let effect = stage.state.open("/home/me/session.jsonl");
    stage.state.say("stopped reading large.json: it is left out");
    stage.carry_out(vec![effect]);
    assert!(stage.state.view().is_some_and(Inspect::is_simulated), "the replay is shown");
    assert!(stage.rows().join("\n").contains("large.json: it is left out"));
}

#[test]
fn after_a_jump_from_a_trace_the_footer_says_where_its_text_stands() {
    for (text, gone, words) in [
        ("step_7", false, "of 4 entries, 4 times"),
        ("step_7", true, " 4 entries, 4 times"),
        ("QX-77413", true, "is nowhere in this transcript"),
    ] {
        let mut stage = Stage::open(120, 30);
        stage.press(&format!("f text:{} enter", text.replace('_', "-")));
        let Some(Overlay::Trace(view)) = &stage.state.overlay else { panic!("no trace of {text}") };
        let number = view.number;
        let goal = Goal { step: 3, entry: None, text: text.to_owned(), gone };
        let row = TraceRow::Change { step: 3, sight: Sight::Gone, words: "┊ compacted away".to_owned(), goal };
        let told = TraceResult { need: 10, steps: 10, rows: vec![row], whole: true, ..TraceResult::default() };
        stage.tell(Message::Traced(number, Box::new(Ok(told))));
        stage.press("enter");
        let rows = stage.rows();
        let footer = &rows[rows.len() - 2..].join("\n");
        assert!(stage.state.overlay.is_none() && footer.contains(words), "{text}: {}", rows.join("\n"));
        // What is gone there stands elsewhere: nobody is led there.
        assert!(!gone || rows[0].contains("step 3/10"), "at the row's step: {}", rows[0]);
    }
}

#[test]
fn after_a_jump_from_a_trace_its_text_is_seen_at_every_size() {
    for (columns, rows) in [(40, 12), (60, 20), (80, 24), (120, 36), (200, 60)] {
        let mut stage = Stage::open(columns, rows);
        stage.press("f text:step-7 enter");
        let Some(Overlay::Trace(view)) = &stage.state.overlay else { panic!("no trace") };
        let number = view.number;
        let goal = Goal { step: 8, entry: None, text: "step_7".to_owned(), gone: false };
        let row = TraceRow::Change { step: 8, sight: Sight::Verbatim, words: "came in".to_owned(), goal };
        let told = TraceResult { need: 10, steps: 10, rows: vec![row], whole: true, ..TraceResult::default() };
        stage.tell(Message::Traced(number, Box::new(Ok(told))));
        stage.press("enter");
        let entry = stage.state.layout().inner(Context::Entry);
        let shown: Vec<String> = (entry.y..entry.bottom()).map(|y| stage.rows()[usize::from(y)].clone()).collect();
        assert!(shown.iter().any(|row| row.contains("step_7")), "{columns}×{rows}\n{}", stage.rows().join("\n"));
    }
}

fn complaint(step: Option<u32>, setting: Option<&'static str>) -> Complaint {
    Complaint {
        finding: Finding {
            rule: "read-again",
            weight: Weight::Waste,
            evidence: "Read gave 4,485 tokens of lines again.".to_owned(),
            step,
            entry: None,
            tokens: Some(900),
            dollars: None,
            help: "tool_results.on = true".into(),
            fact: step.map(|step| ("cache key".to_owned(), step)),
            counts: std::collections::BTreeSet::new(),
        },
        setting,
        uncached: false,
        evidence: Evidence::default(),
    }
}

#[test]
fn a_finding_about_a_fact_leads_to_its_trace_at_the_step_that_needed_it() {
    for (step, follows) in [(Some(3), true), (None, false)] {
        let mut stage = Stage::replaying(session::session(), "internal-agent", &[], (120, 40));
        stage.press("!");
        let Some(Overlay::Findings(view)) = &stage.state.overlay else { panic!("no findings") };
        let number = view.number;
        stage.tell(Message::Linted(number, Ok(vec![complaint(step, Some("cache.boundary"))])));
        assert_eq!(stage.rows().iter().any(|row| row.contains("follow the fact")), follows);
        stage.press("f");
        match &stage.state.overlay {
            Some(Overlay::Trace(view)) => assert_eq!((view.fact.as_str(), view.step), ("cache key", step)),
            Some(Overlay::Prompt(..)) => assert!(!follows, "one is asked for where it is about none"),
            _ => panic!("nothing is followed"),
        }
    }
}

#[test]
fn nothing_is_followed_before_findings_are_there() {
    let mut stage = Stage::replaying(session::session(), "internal-agent", &[], (80, 24));
    stage.press("! f");
    let waits = |stage: &Stage| matches!(&stage.state.overlay, Some(Overlay::Findings(view)) if view.found.is_none());
    assert!(waits(&stage) && !stage.asked.iter().any(|asked| asked.contains("stop")), "{:?}", stage.asked);
    let shown = stage.rows().join("\n");
    assert!(shown.contains("looking for") && shown.contains("then one can be followed"), "{shown}");
}

#[test]
fn a_finding_leads_to_its_step_or_to_the_setting_that_shows_it() {
    for (step, setting, place) in [(Some(3), None, "step=3"), (None, Some("cache.boundary"), "view=tune")] {
        let mut stage = Stage::replaying(session::session(), "internal-agent", &[], (120, 40));
        stage.press("c !");
        let Some(Overlay::Findings(view)) = &stage.state.overlay else { panic!("no findings") };
        let number = view.number;
        assert!(stage.asked.iter().any(|asked| *asked == format!("lint {number} true")), "{:?}", stage.asked);
        assert!(link(&stage.state).is_some_and(|link| link.contains("view=findings")));
        stage.tell(Message::Linted(number + 1, Ok(Vec::new())));
        assert!(stage.rows().iter().any(|row| row.contains("looking for")), "another's answer is none");
        stage.tell(Message::Linted(number, Ok(vec![complaint(step, setting)])));
        assert!(stage.rows().iter().any(|row| row.contains("read-again")));
        stage.press("enter");
        assert!(stage.state.overlay.is_none());
        let link = link(&stage.state).unwrap();
        assert!(link.contains(place), "{link}");
        assert!(setting.is_none_or(|key| stage.rows().join("\n").contains(key)), "the cursor is on it");
    }
}
