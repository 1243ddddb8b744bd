//! The picker, by keys and at every size.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::*;
use crate::config::{Keymap, Theme};
use crate::transcript::Gist;

fn item(number: usize) -> Item {
    let path = format!("/home/me/.claude/projects/-work-app/{number:04}.jsonl");
    Item { path, agent: "Claude Code", bytes: 1_234_567, modified: 1_000_000_000_000, found: None }
}

fn found(prompt: &str) -> Gist {
    Gist {
        folder: Some("/work/app".to_owned()),
        prompt: Some(prompt.to_owned()),
        steps: 118,
        compactions: 2,
        title: None,
    }
}

fn screen(picker: &Picker, width: u16, height: u16) -> Vec<String> {
    let mut buffer = Buffer::empty(Rect::new(0, 0, width, height));
    draw(picker, &mut buffer, &Theme::default(), &Keymap::default());
    let line = |y| (0..width).map(|x| buffer[(x, y)].symbol()).collect::<String>().trim_end().to_owned();
    (0..height).map(line).collect()
}

fn typed(picker: &mut Picker, text: &str) {
    for sign in text.chars() {
        picker.key(sign.to_string().parse().unwrap_or_else(|_| "space".parse().expect("a key")));
    }
}

#[test]
fn sessions_are_listed_at_once_and_filled_in() {
    let mut picker = Picker::new((0..3).map(item).collect(), 1_000_000_000_000 + 7_200_000);
    assert!(screen(&picker, 100, 12)[3].contains("0000.jsonl"));
    picker.tell(0, Ok(found("fix the login")));
    picker.tell(1, Err("not a transcript".to_owned()));
    let rows = screen(&picker, 100, 12);
    assert!(rows[0].ends_with("reading 2 of 3"), "{rows:?}");
    assert_eq!(rows[3], "   2h  app                     118         ┊2   1.2 MiB  fix the login");
    assert!(rows[4].contains("not a transcript") && rows[10].contains("/0000.jsonl"));
}

#[test]
fn typing_narrows_and_what_comes_in_later_fits_too() {
    let mut picker = Picker::new((0..100).map(item).collect(), 0);
    picker.tell(7, Ok(found("fix the login")));
    typed(&mut picker, "billing");
    assert!(screen(&picker, 100, 12)[3].starts_with(" None of those read so far has"), "the others may");
    picker.act(Action::Back, 10);
    typed(&mut picker, "login fix");
    assert_eq!(picker.chosen().map(|(at, _)| at), Some(7));
    picker.tell(3, Ok(found("Fix: login again")));
    picker.tell(4, Ok(found("something else")));
    assert_eq!((picker.shown.clone(), picker.chosen().map(|(at, _)| at)), (vec![3, 7], Some(7)));
    assert!(picker.act(Action::Back, 10) && picker.shown.len() == 100, "first the filter goes");
    assert!(!picker.act(Action::Back, 10));
}

#[test]
fn thousands_of_rows_cost_what_is_seen() {
    let mut picker = Picker::new((0..50_000).map(item).collect(), 0);
    picker.act(Action::Bottom, 20);
    assert_eq!(picker.chosen().map(|(at, _)| at), Some(49_999));
    assert_eq!(picker.unknown_in_sight(20).collect::<Vec<_>>(), (49_980..50_000).collect::<Vec<_>>());
    picker.act(Action::Top, 20);
    let region = picker.region(Rect::new(0, 0, 80, 26));
    assert_eq!((region.row((5, region.list.y + 5)), region.rows), (Some(5), 50_000));
    typed(&mut picker, "zzz");
    assert!(picker.chosen().is_none() && picker.region(Rect::new(0, 0, 80, 26)).row((5, region.list.y)).is_none());
}

#[test]
fn every_size_is_drawn_and_nothing_leaks() {
    let mut picker = Picker::new((0..30).map(item).collect(), 0);
    picker.tell(0, Ok(found("\u{1b}[2J\u{202e}日本語 👩‍👧 and so on")));
    for width in 0..=60 {
        for height in 0..=20 {
            picker.settle(Picker::list_area(Rect::new(0, 0, width, height)).height);
            assert!(!screen(&picker, width, height).concat().contains(['\u{1b}', '\u{202e}']));
            assert_eq!(screen(&Picker::default(), width, height).len(), usize::from(height));
        }
    }
}

#[test]
fn the_session_that_is_open_is_selected() {
    let item = |path: &str| Item { path: path.to_owned(), ..Item::default() };
    let mut picker = Picker::new(vec![item("/s/a.jsonl"), item("/s/p/b.jsonl"), item("/s/c.jsonl")], 0);
    for (path, place) in [("/s/c.jsonl", 2), ("p/b.jsonl", 1), ("/elsewhere/b.jsonl", 1), ("/s/a.jsonl", 0)] {
        picker.select(path);
        assert_eq!(picker.chosen().map(|(at, _)| at), Some(place), "{path}");
    }
}
