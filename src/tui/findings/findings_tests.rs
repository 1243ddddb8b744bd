//! What the findings show at several sizes, and where they lead.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::{Complaint, Evidence, FindingsView};
use crate::config::{Action, Keymap, Theme};
use crate::inquiry::lint::{Finding, Weight};

fn complaint(rule: &'static str, weight: Weight, step: Option<u32>, setting: Option<&'static str>) -> Complaint {
    let evidence = format!("{rule} says {}and it ends here.", "a good deal of what was read and never used ".repeat(3));
    let help = "Set tool_results.on, so that a pointer stands for what is long.";
    let tokens = step.map(|step| u64::from(step) * 1_000);
    Complaint {
        finding: Finding {
            rule,
            weight,
            evidence,
            step,
            entry: None,
            tokens,
            dollars: None,
            help: help.into(),
            fact: None,
            counts: std::collections::BTreeSet::new(),
        },
        setting,
        uncached: false,
        evidence: Evidence::default(),
    }
}

fn view() -> FindingsView {
    let found = vec![
        complaint("needed-after-cut", Weight::Loss, Some(41), None),
        complaint("read-again", Weight::Waste, Some(12), None),
        complaint("moving-prefix", Weight::Habit, None, Some("cache.boundary")),
    ];
    FindingsView { found: Some(found), ..FindingsView::waiting(1, "five-layer".to_owned()) }
}

fn screen(view: &FindingsView, columns: u16, rows: u16) -> String {
    let mut buffer = Buffer::empty(Rect::new(0, 0, columns, rows));
    view.draw(&mut buffer, &Theme::default(), &Keymap::default());
    let line = |y| (0..columns).map(|x| buffer[(x, y)].symbol().to_owned()).collect::<String>();
    (0..rows).map(|y| line(y) + "\n").collect()
}

#[test]
fn each_stands_in_a_row_and_the_selected_one_at_length() {
    let mut view = view();
    for (columns, rows) in [(80, 24), (120, 36), (200, 60)] {
        let shown = screen(&view, columns, rows);
        for word in ["findings · five-layer", "1 loss", "needed-after-cut", "step 41", "41.0k", "cache.boundary"] {
            assert!(shown.contains(word), "{columns}×{rows}: {word}\n{shown}");
        }
        assert!(shown.contains("and it ends here.") && shown.contains("→ Set tool_results.on"), "{shown}");
        assert!(shown.contains("41,000 tokens once"), "{shown}");
    }
    assert!(view.act(Action::Bottom) && !view.act(Action::Back));
    assert_eq!(view.chosen().and_then(|found| found.setting), Some("cache.boundary"));
    assert!(screen(&view, 120, 36).contains("tune it"));
}

#[test]
fn a_long_list_keeps_room_for_the_text_and_no_size_is_too_small() {
    let mut view = view();
    let many = view.found.as_mut().unwrap();
    many.extend((0..90).map(|step| complaint("read-again", Weight::Waste, Some(step), None)));
    assert!(screen(&view, 80, 24).contains("→ Set tool_results.on"));
    view.act(Action::Bottom);
    assert!(screen(&view, 80, 24).contains("step 89"));
    for size in [(1, 1), (20, 5), (24, 6), (30, 8)] {
        screen(&view, size.0, size.1);
    }
    let none = FindingsView { found: Some(Vec::new()), ..FindingsView::default() };
    assert!(screen(&none, 80, 24).contains("Nothing to complain about."));
    assert!(screen(&FindingsView::default(), 80, 24).contains("looking for"));
}

#[test]
fn the_text_that_shows_it_stands_below_where_there_is_room() {
    let mut view = view();
    let found = view.found.as_mut().unwrap();
    let text = "first line\nthe key is QX-77413 here";
    let around = crate::tui::trace::Around::of(text, text.len() - 13..text.len() - 5);
    found[0].evidence = Evidence { title: "the output of Read a.md, from step 2".to_owned(), around };
    for (columns, rows) in [(120, 36), (200, 60)] {
        let shown = screen(&view, columns, rows);
        assert!(shown.contains("its text  the output of Read a.md, from step 2"), "{shown}");
        assert!(shown.contains("first line") && shown.contains("the key is QX-77413 here"), "{shown}");
    }
    view.act(Action::Bottom);
    assert!(!screen(&view, 120, 36).contains("QX-77413"), "it is that of the selected one");
}
