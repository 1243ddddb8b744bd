//! Choosing that the user stops is told, and begins anew with what is asked next.

use std::sync::Arc;

use super::documents_tests::{AREA, choice, files, text, view};
use super::{Choice, Documents};
use crate::tui::message::Effect;

#[test]
fn embedding_that_is_stopped_says_so_until_something_else_is_asked() {
    let mut view = view();
    assert_eq!(view.stop(), None, "nothing is under way");
    let mut partial = Choice::clone(&choice(&view.wanted));
    (partial.selection.provisional, partial.progress) = (true, (1_200, 5_000));
    let partial = Arc::new(partial);
    view.told(partial.clone());
    view.settle(AREA);
    assert!(text(&view, AREA).contains("by meaning so far · vectors 1,200 of 5,000"), "{}", text(&view, AREA));
    assert_eq!(view.stop().as_deref(), Some("stopped with 1,200 of 5,000 vectors"));
    assert_eq!(view.stop(), None, "once");
    // What was on its way arrives all the same.
    view.told(partial.clone());
    assert!(view.settle(AREA).is_empty());
    let shown = text(&view, AREA);
    assert!(shown.contains("by meaning in part · stopped with vectors 1,200 of 5,000"), "{shown}");
    view.try_policy(Arc::default());
    assert!(matches!(view.settle(AREA).as_slice(), [Effect::Choose(_)]));
    view.told(partial);
    view.settle(AREA);
    assert!(text(&view, AREA).contains("so far ·"), "{}", text(&view, AREA));
}

#[test]
fn reading_that_is_stopped_says_so() {
    let mut view = Documents::new(files(), 0, None, Arc::default());
    assert_eq!(view.stop(), None, "nothing was asked");
    view.settle(AREA);
    view.reading = Some((45, 100));
    assert!(view.stop().is_some_and(|said| said.starts_with("stopped reading ")));
    let shown = text(&view, AREA);
    assert!(shown.contains("stopped reading ") && !shown.contains("45"), "{shown}");
}
