//! A trace as it is steered: the step at which its fact is asked for.

use super::Stage;
use crate::inquiry::Standing;
use crate::tui::message::Message;
use crate::tui::overlay::{Overlay, link};
use crate::tui::trace::{TraceResult, TraceView};

fn trace(stage: &Stage) -> &TraceView {
    let Some(Overlay::Trace(view)) = &stage.state.overlay else { panic!("no trace") };
    view
}

/// What the newest trace of a stage finds, asked for at a step.
fn answer(stage: &mut Stage, need: u32, standing: Standing) {
    let number = trace(stage).number;
    let told = TraceResult { standing, need, steps: 10, whole: true, ..TraceResult::default() };
    stage.tell(Message::Traced(number, Box::new(Ok(told))));
}

#[test]
fn a_fact_is_asked_for_at_any_step() {
    let mut stage = Stage::open(120, 30);
    stage.press("f text:QX-77413 enter");
    assert_eq!(trace(&stage).step, None, "when somebody asked for it, or at the end");
    answer(&mut stage, 10, Standing::Lost);
    let first = trace(&stage).number;
    stage.press("left");
    assert_eq!((trace(&stage).step, trace(&stage).works()), (Some(9), true));
    assert!(stage.rows().join("\n").contains("LOST  at step 10 of 10"), "what was told stays until there is more");
    stage.press("left");
    assert_eq!(trace(&stage).step, Some(8), "the next does not wait for the answer");
    // An answer for a step that nobody asks for any more is none.
    let late = TraceResult { standing: Standing::InWindow, need: 10, steps: 10, whole: true, ..TraceResult::default() };
    stage.tell(Message::Traced(first, Box::new(Ok(late))));
    assert!(stage.rows().join("\n").contains("LOST  at step 10 of 10"));
    answer(&mut stage, 8, Standing::InWindow);
    assert!(!trace(&stage).works() && stage.rows().join("\n").contains("IN THE WINDOW  at step 8 of 10"));
    assert!(link(&stage.state).is_some_and(|link| link.contains("needed=8")), "a link leads to the same answer");
    stage.press("0");
    assert_eq!(trace(&stage).step, Some(1));
    answer(&mut stage, 1, Standing::Lost);
    stage.press("left");
    assert_eq!((trace(&stage).works(), stage.state.notice.is_some()), (false, true), "there is no step before it");
}
