//! Choosing that the user stops is told, and begins anew with what is asked next; reading that ended early is told as well.

use std::sync::Arc;

use ratatui::layout::Rect;

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

#[test]
fn how_much_was_read_of_a_long_document_stands_there_whole() {
    use crate::document::{Conversion, Note, PART, STOPPED};
    let mut view = view();
    let mut long = Choice::clone(&choice(&view.wanted));
    let message =
        format!("{STOPPED}16 MB of Markdown: a file of its size holds no more, but says the same again and again");
    let note = Note { place: None, line: 0, message, of_reader: false };
    let facts = vec![(PART.to_owned(), "the first 16 MB of its text".to_owned())];
    long.document = Arc::new(Conversion { notes: vec![note], facts, ..(*long.document).clone() });
    (long.selection.provisional, long.progress) = (true, (1_200, 41_943));
    view.told(Arc::new(long));
    for width in [100, 120] {
        let area = Rect { width, ..AREA };
        view.settle(area);
        let shown = text(&view, area);
        assert!(shown.lines().next().unwrap().contains("of 41,943 · the first 16 MB"), "{shown}");
    }
}
