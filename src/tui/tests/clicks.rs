//! What the mouse does to what stands over a screen.

use super::Stage;
use crate::inquiry::Sight;
use crate::tui::message::{Message, Mouse};
use crate::tui::overlay::{Overlay, Prompt};
use crate::tui::trace::{Goal, Row, TraceResult};

impl Stage {
    fn mouse(&mut self, what: Mouse, at: (u16, u16)) {
        self.tell(Message::Mouse(what, at.0, at.1));
    }

    /// Clicks on the first row of the screen that shows a text.
    fn click_on(&mut self, text: &str) {
        let rows = self.rows();
        let row = rows.iter().position(|row| row.contains(text));
        let row = row.unwrap_or_else(|| panic!("{text} in {}", rows.join("\n")));
        let before = rows[row].split(text).next().unwrap_or_default();
        let at = (crate::present::width(before) as u16, row as u16);
        self.mouse(Mouse::Click, at);
    }

    fn shows(&self, text: &str) -> bool {
        self.rows().iter().any(|row| row.contains(text))
    }
}

/// A place that no box reaches.
const OUTSIDE: (u16, u16) = (0, 39);

#[test]
fn a_click_selects_a_row_and_one_on_the_selected_row_accepts_it() {
    let mut stage = Stage::open(120, 40);
    stage.press("e");
    stage.click_on("openai");
    let Some(Overlay::Dialog(_, dialog)) = &stage.state.overlay else { panic!("a click selects, no more") };
    let chosen = dialog.chosen();
    assert_ne!(chosen, Some(0));
    stage.click_on("openai");
    let form = chosen.and_then(|at| crate::export::Form::ALL.get(at).copied()).unwrap();
    assert!(matches!(&stage.state.overlay, Some(Overlay::Prompt(Prompt::Export(which), _)) if *which == form));
    // The name of a file that is typed is not lost.
    stage.mouse(Mouse::Click, (3, 3));
    assert!(matches!(stage.state.overlay, Some(Overlay::Prompt(..))));
    stage.press("ctrl-u");
    stage.mouse(Mouse::Click, (3, 3));
    assert!(stage.state.overlay.is_none());
}

#[test]
fn a_click_beside_a_list_closes_it_and_the_frame_takes_none() {
    let mut stage = Stage::open(120, 40);
    for keys in ["e", ":", "?", "{ 5 enter"] {
        stage.press(keys);
        assert!(stage.state.overlay.is_some(), "{keys}");
        let region = super::super::overlay::region(&stage.state).unwrap();
        stage.mouse(Mouse::Click, (region.outer.x, region.outer.y));
        stage.mouse(Mouse::Drag, OUTSIDE);
        assert!(stage.state.overlay.is_some(), "{keys}");
        stage.mouse(Mouse::Click, OUTSIDE);
        assert!(stage.state.overlay.is_none(), "{keys}");
    }
    for keys in [": text:next", "? text:next", "/ text:next"] {
        stage.press(keys);
        stage.mouse(Mouse::Click, if keys.starts_with('/') { (3, 3) } else { OUTSIDE });
        assert!(stage.state.overlay.is_some(), "what is typed stays: {keys}");
        stage.press("esc esc");
    }
}

#[test]
fn the_palette_does_what_is_clicked_twice() {
    let mut stage = Stage::open(120, 40);
    stage.press("0 :");
    // Far down, so that the list has scrolled: what is in sight stays there.
    stage.press("end");
    let (last, rows) = (stage.rows(), stage.rows().len());
    stage.mouse(Mouse::WheelUp, (60, rows as u16 / 2));
    assert_ne!(stage.rows(), last, "the wheel scrolls");
    stage.press("home");
    stage.click_on("last-step");
    assert!(stage.state.overlay.is_some());
    stage.click_on("last-step");
    assert_eq!((stage.state.view().unwrap().step, stage.state.overlay.is_none()), (10, true));
    stage.press(": text:7");
    stage.click_on("go to step 7");
    assert_eq!(stage.state.view().unwrap().step, 7);
}

#[test]
fn the_help_scrolls_by_the_wheel() {
    let mut stage = Stage::open(80, 24);
    stage.press("?");
    let inside = |stage: &Stage, row: usize| stage.rows()[row].chars().skip(2).take(76).collect::<String>();
    let before = [inside(&stage, 10), inside(&stage, 13)];
    stage.mouse(Mouse::WheelDown, (40, 12));
    assert_eq!(inside(&stage, 10), before[1], "by three rows");
    stage.mouse(Mouse::WheelUp, (40, 12));
    assert_eq!(inside(&stage, 10), before[0]);
}

#[test]
fn the_rows_of_a_trace_and_of_an_event_are_clicked() {
    let mut stage = Stage::open(120, 40);
    stage.press("f text:step-7 enter");
    let Some(Overlay::Trace(view)) = &stage.state.overlay else { panic!("no trace") };
    let number = view.number;
    let row = |step| Row::Change {
        step,
        sight: Sight::Gone,
        words: format!("changed at {step}"),
        goal: Goal { step, ..Goal::default() },
    };
    let rows = (1..=9).map(row).collect();
    let told = TraceResult { need: 10, steps: 10, rows, whole: true, ..TraceResult::default() };
    stage.tell(Message::Traced(number, Box::new(Ok(told))));
    stage.click_on("changed at 4");
    assert!(stage.state.overlay.is_some());
    stage.click_on("changed at 4");
    assert_eq!((stage.state.view().unwrap().step, stage.state.overlay.is_none()), (4, true));
    stage.press("} 5 enter");
    let Some(Overlay::Event(card)) = &stage.state.overlay else { panic!("no event") };
    let first = card.chosen().unwrap();
    let region = super::super::overlay::region(&stage.state).unwrap();
    assert!(region.rows > 1, "{region:?}");
    stage.mouse(Mouse::Click, (region.list.x + 3, region.list.y + 1));
    let Some(Overlay::Event(card)) = &stage.state.overlay else { panic!("no event") };
    assert_ne!(card.chosen().unwrap(), first);
    let chosen = card.chosen();
    stage.mouse(Mouse::Click, (region.list.x + 3, region.list.y + 1));
    assert!(stage.state.overlay.is_none() && stage.state.view().unwrap().selected == chosen);
}

#[test]
fn a_session_is_opened_by_a_second_click() {
    let mut stage = Stage::open(120, 40);
    stage.press("S");
    let region = super::super::overlay::region(&stage.state).unwrap();
    let chosen = |stage: &Stage| stage.state.sessions.as_ref().and_then(|sessions| Some(sessions.chosen()?.0));
    let last = region.rows - 1;
    let at = (10, region.list.y + last as u16);
    let first = chosen(&stage);
    stage.mouse(Mouse::Click, at);
    assert!(chosen(&stage) == Some(last) && (first != Some(last) || region.rows == 1));
    stage.mouse(Mouse::Click, at);
    assert!(stage.state.sessions.is_none());
}

#[test]
fn what_is_typed_is_in_sight_however_long_and_wherever_it_stands() {
    let long = "x".repeat(300);
    for keys in ["/", "f", ":", "?", "S", "t /", "t s"] {
        for (width, height) in [(120, 36), (80, 24), (40, 12), (20, 5)] {
            let mut stage = Stage::open(width, height);
            stage.press(keys);
            stage.tell(Message::Paste(format!("{long}THE_END")));
            assert!(stage.shows("E_END"), "{keys} at {width}×{height}: {}", stage.rows().join("\n"));
        }
    }
}

#[test]
fn a_press_that_closes_a_box_moves_nothing_where_it_is_dragged_on() {
    let mut stage = Stage::open(120, 40);
    let chart = stage.state.layout().inner(crate::config::Context::Timeline);
    let over = (chart.x + chart.width / 8, chart.y + 1);
    let step = stage.state.view().unwrap().step;
    stage.press(":");
    stage.mouse(Mouse::Click, OUTSIDE);
    stage.mouse(Mouse::Drag, over);
    assert_eq!((stage.state.overlay.is_none(), stage.state.view().unwrap().step), (true, step));
    stage.mouse(Mouse::Click, OUTSIDE);
    stage.mouse(Mouse::Drag, over);
    assert_ne!(stage.state.view().unwrap().step, step, "without a box it is dragged");

    stage.press("t");
    let policy = |stage: &Stage| stage.state.session().unwrap().pages.draft.policy.clone();
    let list = crate::tui::tune::parts(stage.state.area()).list;
    let scroll = stage.state.session().unwrap().pages.tune.scroll;
    let row = list.y + (scroll.cursor - scroll.top) as u16;
    let to_the_middle = |stage: &mut Stage| {
        (list.x..list.x + list.width / 2).for_each(|column| stage.mouse(Mouse::Drag, (column, row)));
    };
    stage.mouse(Mouse::Click, (list.x, row));
    let before = policy(&stage);
    stage.press(":");
    stage.mouse(Mouse::Click, OUTSIDE);
    to_the_middle(&mut stage);
    assert!(stage.state.overlay.is_none() && policy(&stage) == before);
    stage.mouse(Mouse::Click, (list.x, row));
    to_the_middle(&mut stage);
    assert!(policy(&stage) != before, "without a box it is dragged");
}
