//! What a trace shows at several sizes.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::{Around, Goal, Row, TraceResult, TraceView};
use crate::config::{Action, Keymap, Theme};
use crate::inquiry::{Sight, Standing};
use crate::policy::Value;
use crate::tui::message::Effect;
use crate::tui::overlay::{Overlay, act};
use crate::tui::state::State;

fn view() -> TraceView {
    let goal = |step| Goal { step, entry: None, text: "QX-77413".to_owned(), gone: false };
    TraceView {
        told: Some(TraceResult {
            sentences: vec![
                "Came in at step 2.".to_owned(),
                "Lost from step 30 on; the question came at step 63.".to_owned(),
            ],
            standing: Standing::Lost,
            need: 63,
            steps: 118,
            rows: vec![
                Row::Place {
                    step: Some(2),
                    whence: "the output of Bash".to_owned(),
                    place: "log.jsonl:3 @120".to_owned(),
                    life: vec![(2, Some(29), Sight::Verbatim), (30, None, Sight::Gone)],
                    around: Around::of("before\nthe key is QX-77413, mind it\nafter", 18..26),
                    goal: goal(2),
                },
                Row::Change { step: 30, sight: Sight::Gone, words: "┊ compacted away".to_owned(), goal: goal(30) },
            ],
            more: 0,
            whole: true,
            ..TraceResult::default()
        }),
        ..TraceView::waiting(1, "QX-77413")
    }
}

#[test]
fn a_sentence_shows_its_score_and_how_far_the_search_has_come() {
    let mut view = view();
    let told = view.told.as_mut().unwrap();
    (told.ranked, told.compared, told.whole) = (Some(("meaning", 0.5)), Some((200, 1_234)), false);
    assert!(view.works() && screen(&view, 100, 30).contains("by meaning, from 0.50 on  200 of 1,234 passages …"));
    view.told.as_mut().unwrap().whole = true;
    assert!(!view.works() && !screen(&view, 100, 30).contains("passages …"));
}

#[test]
fn what_is_still_looked_for_has_no_verdict_yet() {
    let mut view = view();
    assert!(!screen(&view, 100, 30).contains("SO FAR"));
    let told = view.told.as_mut().unwrap();
    (told.ranked, told.compared, told.whole) = (Some(("meaning", 0.75)), Some((200, 1_234)), false);
    assert!(screen(&view, 100, 30).contains("SO FAR LOST  at step 63"));
}

#[test]
fn the_text_of_the_selected_place_stands_below_where_there_is_room() {
    let mut view = view();
    for cursor in [0, 1] {
        view.scroll.cursor = cursor;
        let shown = screen(&view, 100, 30);
        assert!(
            shown.contains("its text  log.jsonl:3 @120") && shown.contains("the key is QX-77413, mind it"),
            "{shown}"
        );
    }
    assert!(!screen(&view, 100, 12).contains("its text"));
    view.told.as_mut().unwrap().rows.push(Row::Said("Nothing would have kept it.".to_owned()));
    view.scroll.cursor = 2;
    assert!(!screen(&view, 100, 30).contains("its text"));
}

fn screen(view: &TraceView, columns: u16, rows: u16) -> String {
    let mut buffer = Buffer::empty(Rect::new(0, 0, columns, rows));
    view.draw(&mut buffer, &Theme::default(), &Keymap::default());
    let line = |y| (0..columns).map(|x| buffer[(x, y)].symbol().to_owned()).collect::<String>();
    (0..rows).map(|y| line(y) + "\n").collect()
}

#[test]
fn verdict_ribbon_and_changes_are_there_at_every_size() {
    for (columns, rows) in [(80, 24), (120, 36), (200, 60)] {
        let shown = screen(&view(), columns, rows);
        for words in ["LOST", "Came in at step 2.", "█", "·", "the output of Bash", "30", "compacted away", "▼"] {
            assert!(shown.contains(words), "{columns}×{rows}: {words:?} is missing\n{shown}");
        }
    }
    for (columns, rows) in [(20, 5), (1, 1), (40, 10), (24, 6)] {
        screen(&view(), columns, rows);
        screen(&TraceView::waiting(1, "x"), columns, rows);
    }
}

#[test]
fn the_head_says_how_a_fact_stands() {
    let mut view = view();
    for (standing, words) in [
        (Standing::OnlyInQuestion, "ONLY IN THE QUESTION  at step 63"),
        (Standing::NotYetHere, "NOT YET HERE  at step 63"),
        (Standing::InWindow, "IN THE WINDOW  at step 63"),
    ] {
        view.told.as_mut().unwrap().standing = standing;
        let shown = screen(&view, 100, 30);
        assert!(shown.contains(words) && !shown.contains("LOST"), "{shown}");
    }
}

#[test]
fn rows_lead_to_their_steps() {
    let mut view = view();
    assert_eq!(view.chosen().map(|goal| goal.step), Some(2));
    assert!(view.act(Action::Down));
    assert_eq!(view.chosen().map(|goal| goal.step), Some(30));
    assert!(view.act(Action::Down) && !view.act(Action::Back));
    assert_eq!(TraceView::waiting(1, "x").chosen(), None);
}

#[test]
fn the_key_that_opens_is_told_where_it_leads_somewhere() {
    let mut view = view();
    assert!(screen(&view, 120, 36).contains("go to that step"));
    view.take_help(vec![Row::Said("Nothing has to change.".to_owned())], true);
    assert!(view.chosen().is_none() && view.answer().is_none());
    let shown = screen(&view, 120, 36);
    assert!(shown.contains("Nothing has to change.") && shown.contains("another fact"), "{shown}");
    assert!(!shown.contains("go to that step") && !shown.contains("tune with it"), "{shown}");
    // From there a place leads on.
    assert!(view.act(Action::Up) && screen(&view, 120, 36).contains("go to that step"));
}

#[test]
fn answers_come_below_and_one_of_them_is_chosen() {
    let mut view = view();
    let answer = || Row::Answer {
        words: "summarise.at = 180000 (now 167000)".to_owned(),
        short: "summarise.at = 180000".to_owned(),
        price: vec!["peak 171k".to_owned()],
        sets: vec![("summarise.at", Value::Int(180_000))],
    };
    view.asking = true;
    assert!(screen(&view, 120, 36).contains("trying settings"));
    view.take_help(vec![Row::Said("What would have kept it".to_owned()), answer()], true);
    assert_eq!(view.answer(), Some(&[("summarise.at", Value::Int(180_000))][..]));
    assert_eq!(view.chosen(), None);
    let shown = screen(&view, 120, 36);
    assert!(shown.contains("What would have kept it") && shown.contains("summarise.at = 180000"), "{shown}");
    assert!(shown.contains("tune with it") && !shown.contains("go to that step"), "{shown}");
    // What a long answer changes and costs is there on every screen.
    let list = format!("summarise.keep_layers = [{}]", ["\"tool_results\""; 12].join(", "));
    let price = "$23.42, 9.2M sent, 3 compactions, peak 171k, 8.8M from cache".to_owned();
    let figures = || price.split(", ").map(str::to_owned).collect();
    let short = "summarise.keep_layers with files".to_owned();
    let long = Row::Answer { words: list, short, price: figures(), sets: vec![("summarise.at", Value::Int(1))] };
    view.take_help(vec![Row::Said("What would have kept it".to_owned()), long], true);
    assert!([110, 150].iter().all(|columns| screen(&view, *columns, 36).contains(&price)));
    let narrow = screen(&view, 70, 24);
    let rest = "the chosen one: 3 compactions, peak 171k, 8.8M from cache";
    assert!(narrow.contains("keep_layers with files  $23.42, 9.2M sent\u{20}"), "{narrow}");
    // What its columns lack stands once, below, and its whole value and the present one between.
    let at = |words: &str| narrow.lines().position(|line| line.contains(words));
    assert!(narrow.matches("peak").count() == 1 && at(rest) == Some(22), "{narrow}");
    assert!(at("summarise.keep_layers = [\"tool_results\"").is_some_and(|row| row < 22), "{narrow}");
    assert!(!screen(&view, 150, 36).contains("the chosen one"));
    view.act(Action::Up);
    assert!(!screen(&view, 70, 24).contains("the chosen one"));
    view.act(Action::Down);
    // Two that begin alike do not read alike, whatever room their figures are left.
    let pair = |value: u32| {
        let both = |at: &str, with: &str| {
            format!("tool_results.virtual_head = {value}{at} and microcompact.keep = \"{value} tokens\"{with}")
        };
        let short = both("", "").replace('"', "");
        Row::Answer { words: both(" (now 2000)", " (now none)"), short, price: figures(), sets: Vec::new() }
    };
    view.take_help(vec![pair(41_000), pair(42_000)], true);
    let narrow = screen(&view, 80, 24);
    assert!([41_000, 42_000].iter().all(|value| narrow.contains(&format!("keep = {value} tokens"))), "{narrow}");
    // One that is not long is shown whole, with as many figures as fit whole.
    let words = "summarise.at = 180000 (now 167000)".to_owned();
    let short = Row::Answer { words: words.clone(), short: words.clone(), price: figures(), sets: Vec::new() };
    view.take_help(vec![Row::Now(figures()), short], true);
    let narrow = screen(&view, 70, 24);
    assert!(narrow.contains(&format!("{words}  $23.42, 9.2M sent")) && !narrow.contains('…'), "{narrow}");
    // Asked again, the old answers make room.
    view.take_help(vec![Row::Said("No setting keeps it.".to_owned())], true);
    assert_eq!(view.told.as_ref().map(|told| told.rows.len()), Some(3));
    assert_eq!(view.answer(), None);
    // While more is looked for, the cursor stays where the user put it.
    (view.asking, view.tried) = (true, (3, 12));
    let more = |many: usize| (0..many).map(|_| answer()).collect::<Vec<_>>();
    view.take_help(more(2), false);
    assert!(screen(&view, 120, 36).contains("trying settings … 25 %"));
    view.act(crate::config::Action::Top);
    view.take_help(more(4), true);
    assert_eq!((view.scroll.cursor, view.asking), (0, false));
}

#[test]
fn the_search_for_settings_is_stopped_before_the_trace_is_closed() {
    let mut state = State::new(Theme::default(), Keymap::default());
    let mut asking = view();
    asking.asking = true;
    assert!(screen(&asking, 120, 36).contains("Esc stop"), "{}", screen(&asking, 120, 36));
    state.overlay = Some(Overlay::Trace(Box::new(asking)));
    assert!(matches!(act(&mut state, Action::Back)[..], [Effect::StopTrace]));
    let Some(Overlay::Trace(kept)) = &state.overlay else { panic!("the trace stays") };
    assert!(!kept.asking && kept.told.is_some());
    assert!(act(&mut state, Action::Back).is_empty() && state.overlay.is_none());
}

#[test]
fn a_trace_takes_the_whole_screen_and_names_the_last_step_once() {
    let mut view = view();
    let told = view.told.as_mut().unwrap();
    (told.need, told.steps) = (118, 118);
    for (columns, rows) in [(40, 12), (100, 30)] {
        let shown = screen(&view, columns, rows);
        assert!(shown.lines().next_back().is_some_and(|last| last.starts_with('╰')), "{shown}");
        let scale = shown.lines().find(|line| line.contains('▼')).expect("the steps");
        assert!(scale.contains("118 ▼") && scale.matches("118").count() == 1, "{scale}");
    }
}

#[test]
fn the_last_step_is_marked_where_the_ribbons_end() {
    let mut view = view();
    let told = view.told.as_mut().unwrap();
    (told.need, told.steps) = (118, 118);
    if let Some(Row::Place { life, .. }) = told.rows.first_mut() {
        *life = vec![(1, None, Sight::Verbatim)];
    }
    for columns in [80, 120, 200] {
        let shown = screen(&view, columns, 30);
        let column = |sign: char| {
            let is = |line: &&str| line.contains(sign) && !line.contains("word for word");
            let line = shown.lines().find(is).expect("a line");
            line.chars().count() - line.chars().rev().position(|one| one == sign).expect("the sign")
        };
        assert_eq!(column('▼'), column('█'), "{shown}");
    }
}

#[test]
fn what_settings_cost_stands_in_columns() {
    let mut view = view();
    let figures = |cost: &str, sent: &str| [cost, sent, "2 compactions"].map(str::to_owned).to_vec();
    let answer = |words: &str, price| Row::Answer {
        words: words.to_owned(),
        short: words.to_owned(),
        price,
        sets: vec![("summarise.at", Value::Int(1))],
    };
    let mut refused = figures("$3.12", "5.0M sent");
    refused.insert(0, "2 too long".to_owned());
    view.take_help(
        vec![
            Row::Said("What would have kept it".to_owned()),
            Row::Note("not every value was tried".to_owned()),
            Row::Now(figures("$9.00", "900k sent")),
            answer("summarise.at = 180000 (now 167000)", figures("$23.42", "19.2M sent")),
            answer("summarise.on = false", refused),
        ],
        true,
    );
    let shown = screen(&view, 120, 36);
    assert!(shown.contains("not every value was tried"));
    let ends: Vec<usize> = (shown.lines().filter(|line| line.contains(" sent, ")))
        .map(|line| line.chars().collect::<String>().split(" sent, ").next().unwrap().chars().count())
        .collect();
    assert!(ends.len() == 3 && ends.windows(2).all(|pair| pair[0] == pair[1]), "{shown}");
}

#[test]
fn what_is_nowhere_leads_to_what_it_means() {
    let nowhere = |fact: &str| TraceView {
        told: Some(TraceResult {
            standing: Standing::NotHere,
            steps: 9,
            need: 9,
            whole: true,
            ..TraceResult::default()
        }),
        ..TraceView::waiting(1, fact)
    };
    let shown = screen(&nowhere("QX-77413"), 100, 30);
    assert!(shown.contains("With ~ before the words") && shown.contains("another fact"), "{shown}");
    assert!(!shown.contains("choose") && !shown.contains("what if") && !shown.contains("at step ·"), "{shown}");
    assert!(!screen(&nowhere("~the key"), 100, 30).contains("With ~"));
}

#[test]
fn what_is_said_of_settings_takes_the_room_that_there_is() {
    let mut view = view();
    let answer = |words: &str| Row::Answer {
        words: words.to_owned(),
        short: words.to_owned(),
        price: ["$3.23", "4.9M sent", "2 compactions", "peak 167k", "4.5M from cache"].map(str::to_owned).to_vec(),
        sets: vec![("summarise.at", Value::Int(1))],
    };
    let note = "no model wrote all summaries under 12 of these 17 settings: the sentences that matter most stand in (○); \
                these come behind";
    let rows = vec![
        Row::Said("What would have kept it".to_owned()),
        Row::Note(note.to_owned()),
        answer("summarise.by = \"extractive\" (now \"recorded\")"),
        answer("summarise.keep_layers = [\"system\", \"tools\", \"memory\", \"user\"] (now [\"system\"])"),
    ];
    view.flow(200);
    view.take_help(rows, true);
    let chosen = view.answer().map(<[_]>::to_vec);
    assert!(chosen.is_some());
    let wide = screen(&view, 200, 60);
    assert!(wide.contains(note), "{wide}");
    let at: Vec<usize> =
        wide.lines().filter_map(|line| line.find(" $3.23").map(|at| line[..at].chars().count())).collect();
    assert!(at.len() == 2 && at[0] == at[1], "{wide}");
    // On a smaller screen it is in lines; what was chosen stays so.
    view.flow(80);
    let narrow = screen(&view, 80, 24);
    assert!(!narrow.contains(note) && narrow.contains("these come behind"), "{narrow}");
    assert_eq!(view.answer().map(<[_]>::to_vec), chosen);
    view.flow(200);
    assert!(screen(&view, 200, 60).contains(note));
    assert_eq!(view.answer().map(<[_]>::to_vec), chosen);
}
