//! The views beside the main screen, by mouse.

use super::testing::{World, world};
use crate::policy::Size;
use crate::tui::compaction::Pane;
use crate::tui::message::{Message, Mouse};

fn mouse(world: &mut World, what: Mouse, column: u16, row: u16) {
    world.tell(Message::Mouse(what, column, row));
}

fn click(world: &mut World, column: u16, row: u16) {
    mouse(world, Mouse::Click, column, row);
}

#[test]
fn clicks_go_to_what_they_hit() {
    let mut world = world("");
    world.press("R c");
    let parts = crate::tui::compaction::parts(world.state.area(), &world.pages().compaction);
    let stages: Vec<_> = world.pages().compaction.shown(99).iter().map(|row| row.stage).collect();
    for (at, stage) in (0u16..).zip(stages) {
        click(&mut world, 4, parts.stages.y + 2 + at);
        assert_eq!(world.pages().compaction.stage, Some(stage));
    }
    let parts = crate::tui::compaction::parts(world.state.area(), &world.pages().compaction);
    click(&mut world, parts.after.x + 3, parts.after.y + 1);
    let page = &world.pages().compaction;
    assert_eq!((page.pane, page.row.cursor), (Pane::After, page.row.top + 1));
    world.press("v");
    let parts = crate::tui::compare::parts(world.state.area());
    click(&mut world, parts.timelines[1].x + 10, parts.timelines[1].y + 1);
    let first = world.pages().compare.step;
    click(&mut world, parts.timelines[0].x + 60, parts.timelines[0].y + 1);
    assert!(world.pages().compare.step > first);
}

/// Where the value of a setting begins on the screen, by its key, and the row of its name.
fn place(world: &World, key: &str) -> (u16, u16) {
    let parts = crate::tui::tune::parts(world.state.area());
    let tune = &world.pages().tune;
    let is = |row: &crate::tui::tune::Row| matches!(row, crate::tui::tune::Row::Setting(setting) if setting.key == key);
    let at = tune.rows.iter().position(is).expect("a setting") - tune.scroll.top;
    (parts.list.x + 2 + 23, parts.list.y + u16::try_from(at).unwrap())
}

#[test]
fn a_slider_follows_the_mouse_and_one_undo_takes_it_back() {
    let mut world = world("view=tune");
    let (x, y) = place(&world, "summarise.at");
    let before = world.pages().draft.policy.summarise.at;
    click(&mut world, x, y);
    assert_eq!(world.pages().draft.policy.summarise.at, Size::Percent(0.0));
    // A mouse that leaves the row still moves what it took hold of.
    for column in x..x + 12 {
        mouse(&mut world, Mouse::Drag, column, y + 1);
    }
    let Size::Percent(after) = world.pages().draft.policy.summarise.at else { panic!("a share stays a share") };
    assert!(after > 20.0 && after < 100.0 && world.pages().draft.changes() == 1);
    world.press("u");
    assert_eq!(world.pages().draft.policy.summarise.at, before);
    // The name is no slider.
    click(&mut world, x - 4, y);
    assert_eq!(world.pages().draft.changes(), 0);
}

#[test]
fn switches_and_names_are_clicked() {
    let mut world = world("view=tune");
    let (x, y) = place(&world, "summarise.on");
    click(&mut world, x, y);
    assert!(!world.pages().draft.policy.summarise.on);
    mouse(&mut world, Mouse::Drag, x + 1, y);
    assert!(!world.pages().draft.policy.summarise.on, "a hand that trembles switches nothing back");
    let (x, y) = place(&world, "summarise.of");
    click(&mut world, x + "raw".len() as u16 + 3, y);
    let of = crate::policy::named("summarise.of").unwrap();
    assert_eq!((of.get)(&world.pages().draft.policy).plain(), "effective");
}

#[test]
fn the_timeline_over_the_settings_is_clicked_and_dragged_through() {
    let mut world = world("view=tune");
    let chart = crate::tui::tune::chart(world.state.area());
    let step = |world: &World| world.state.session().and_then(|session| Some(session.simulated()?.step));
    click(&mut world, chart.x, chart.y + 1);
    let first = step(&world).unwrap();
    click(&mut world, chart.x + 60, chart.y + 1);
    let later = step(&world).unwrap();
    assert!(later > first, "{later} {first}");
    let parts = crate::tui::tune::parts(world.state.area());
    // What was taken hold of is dragged, wherever the mouse goes: no slider follows.
    for row in parts.list.top()..parts.list.bottom() {
        mouse(&mut world, Mouse::Drag, chart.x + 30, row);
    }
    assert!((first..later).contains(&step(&world).unwrap()));
    assert_eq!(world.pages().draft.changes(), 0);
    let now = step(&world).unwrap();
    mouse(&mut world, Mouse::WheelDown, chart.x + 30, chart.y);
    assert_eq!(step(&world), Some(now + 1));
}
