//! The sweep view by keys and clicks, on the built-in example.

use super::Page;
use super::testing::{World, world};
use crate::policy::Value;
use crate::tui::message::{Message, Mouse};
use crate::tui::state::NoticeKind;
use crate::tui::sweep::{Pane, parts};

#[test]
fn settings_are_swept_and_a_run_opened() {
    let mut world = world("step=5,view=sweep");
    assert_eq!(world.pages().page, Page::Sweep);
    let sweep = &world.pages().sweep;
    assert!(sweep.done && sweep.points.len() == sweep.size() && sweep.facts.as_ref().is_some_and(|f| !f.is_empty()));
    assert!(sweep.points.windows(2).all(|pair| pair[0].place < pair[1].place));
    assert!(world.shows("Facts kept") && world.shows("against tokens sent") && world.shows("◆"));
    // The run at the front of the table is opened, and the sweep is there again after it.
    let (number, size) = (sweep.number, sweep.size());
    world.press("home enter");
    assert_eq!(world.pages().page, Page::Tune);
    let first = world.pages().sweep.points[0].values[0].clone();
    let setting = crate::policy::named("summarise.at").unwrap();
    assert_eq!((setting.get)(&world.pages().draft.policy), first);
    world.press("esc");
    let sweep = &world.pages().sweep;
    assert_eq!(
        (world.pages().page, sweep.number, sweep.points.len()),
        (Page::Sweep, number, size),
        "nothing is run again"
    );
    // A second setting makes a map, whose cells are clicked.
    world.press("shift-tab j space");
    let sweep = &world.pages().sweep;
    assert!(sweep.vary.len() == 2 && sweep.points.len() == sweep.size() && sweep.number > number);
    let area = parts(world.state.area(), sweep.pane);
    let picture = sweep.swept().picture(area.picture.width, area.picture.height);
    let (x, y, _, run) = picture.places[3];
    let values = sweep.points[run].values.clone();
    world.tell(Message::Mouse(Mouse::Click, area.picture.x + x, area.picture.y + y));
    let now: Vec<_> =
        world.pages().sweep.vary.iter().map(|vary| (vary.setting.get)(&world.pages().draft.policy)).collect();
    assert_eq!((world.pages().page, now), (Page::Tune, values));
}

/// The values that are moved, as the policy has them now.
fn opened(world: &World) -> Vec<Value> {
    let pages = world.pages();
    assert_eq!(pages.page, Page::Tune);
    pages.sweep.vary.iter().map(|vary| (vary.setting.get)(&pages.draft.policy)).collect()
}

#[test]
fn every_row_and_point_opens_its_run() {
    let mut world = world("step=5,view=sweep");
    let values = |world: &World, at: usize| world.pages().sweep.points[at].values.clone();
    let click = |world: &mut World, x: u16, y: u16| world.tell(Message::Mouse(Mouse::Click, x, y));
    // The points of the chart, by the mouse.
    let area = parts(world.state.area(), world.pages().sweep.pane);
    let places = world.pages().sweep.swept().picture(area.picture.width, area.picture.height).places;
    assert!(places.len() > 2);
    for (x, y, ..) in places.iter().copied().step_by(2) {
        // Of two that fall on one place, either is meant.
        let meant: Vec<_> =
            places.iter().filter(|place| (place.0, place.1) == (x, y)).map(|place| values(&world, place.3)).collect();
        click(&mut world, area.picture.x + x, area.picture.y + y);
        assert!(meant.contains(&opened(&world)), "{x} {y}");
        world.press("esc");
        assert_eq!((world.pages().page, world.pages().sweep.pane), (Page::Sweep, Pane::Picture));
    }
    // The rows of the table, whose first names the columns.
    for row in [0, 2] {
        let meant = values(&world, row + world.pages().sweep.runs.top);
        let area = parts(world.state.area(), world.pages().sweep.pane);
        click(&mut world, area.runs.x + 4, area.runs.y + 1 + u16::try_from(row).unwrap());
        assert_eq!(opened(&world), meant, "row {row}");
        world.press("esc");
    }
    click(&mut world, area.runs.x + 4, area.runs.y);
    assert_eq!(world.pages().page, Page::Sweep, "names of columns open nothing");
    // By keys: from the table, and from the chart.
    for (keys, pane, at) in [("home down down enter", Pane::Runs, 2), ("shift-tab home down enter", Pane::Picture, 1)] {
        let meant = values(&world, at);
        world.press(keys);
        assert_eq!((opened(&world), world.pages().sweep.pane), (meant, pane));
        world.press("esc");
    }
}

#[test]
fn values_and_facts_of_a_sweep_are_typed_and_its_runs_saved() {
    let mut world = world("view=sweep");
    world.press("shift-tab enter ctrl-u 5 0 % . . 8 0 % : 1 0 enter");
    assert_eq!(world.pages().sweep.vary[0].text(), "50%, 60%, 70%, 80%");
    assert_eq!(world.pages().sweep.points.len(), 4);
    world.press("+");
    assert_eq!(world.pages().sweep.points.len(), 7);
    world.press("enter ctrl-u s o o n enter");
    assert!(world.state.notice.as_ref().is_some_and(|notice| notice.kind == NoticeKind::Failed));
    world.press("esc");
    let before = world.pages().sweep.facts.as_ref().map_or(0, Vec::len);
    world.press("a z e b r a enter");
    let facts = world.pages().sweep.facts.as_ref().unwrap();
    assert!(facts.len() == before + 1 && !facts[before].proposed && facts[0].proposed);
    assert!(world.pages().sweep.points.iter().all(|point| point.kept.len() == before + 1));
    let kept = world.pages().sweep.figures(0).0;
    world.press("shift-tab tab tab tab home space");
    let sweep = &world.pages().sweep;
    let lost = usize::from(sweep.points[0].kept[0]);
    assert_eq!(sweep.figures(0).0, kept - lost, "a fact that is switched off does not count");
    world.press("s enter");
    assert!(world.saved[0].1.starts_with("summarise.at,kept,lost,") && world.saved[0].1.lines().count() == 8);
    assert!(!world.saved[0].2 && world.shows("is there already"));
    world.press("esc s ctrl-u o u t . j s o n enter");
    let json: serde_json::Value = serde_json::from_str(&world.saved[1].1).unwrap();
    assert_eq!(json["runs"].as_array().map(Vec::len), Some(7));
    world.press("esc Y");
    assert!(world.copied.pop().expect("a link").contains("view=sweep,vary=summarise.at"));
}

#[test]
fn marks_are_told_and_no_size_loses_the_cost() {
    let mut world = world("step=5,view=sweep");
    for (columns, rows) in [(80, 24), (120, 36), (200, 60)] {
        world.tell(Message::Resize(columns, rows));
        assert!(
            world.shows("◆ best") && world.shows("○ some summaries no model wrote"),
            "{columns}×{rows}\n{:#?}",
            world.screen()
        );
        // The title names the mark only where it also says by what.
        let told = world.screen().join("\n").replace("◆ best by ", "").matches("◆ best").count();
        assert_eq!(told, 1, "{columns}×{rows}\n{:#?}", world.screen());
    }
    world.press("shift-tab");
    assert!(world.shows("type its values"), "{:#?}", world.screen());
    world.press("j");
    assert!(world.shows("move it"), "{:#?}", world.screen());
    world.press("space tab tab");
    assert_eq!(world.pages().sweep.vary.len(), 2);
    for (columns, rows) in [(80, 24), (120, 36), (200, 60)] {
        world.tell(Message::Resize(columns, rows));
        assert!(world.shows("all facts to none"), "{columns}×{rows}\n{:#?}", world.screen());
        let (screen, heads) = (world.screen(), ["kept", "sent", "peak", "compactions", "cost"]);
        assert!(
            screen.iter().any(|line| heads.iter().all(|head| line.contains(head))),
            "{columns}×{rows}\n{screen:#?}"
        );
    }
    world.press("?");
    assert!(world.shows("Keys · "), "{:#?}", world.screen());
    world.tell(Message::Resize(120, 120));
    assert!(
        world.shows("Marks of the runs") && world.shows("none of the best where other runs"),
        "{:#?}",
        world.screen()
    );
}

#[test]
fn narrow_screens_tell_whole_sentences() {
    let mut world = world("step=5,view=sweep");
    world.tell(Message::Resize(44, 24));
    assert!(world.shows("keeps") && world.shows("sent, peak"), "figures that have no room stand on the next line");
    world.press("esc c");
    world.tell(Message::Resize(80, 24));
    assert!(world.shows("which a model writes as a rule.") && !world.shows("What the …"));
}

#[test]
fn facts_that_are_added_or_traced_are_among_those_that_are_compared() {
    let texts = |world: &World| -> Vec<String> {
        world.pages().compare.facts.rows().iter().map(|row| row.fact.clone()).collect()
    };
    let mut world = world("");
    world.press("v f");
    let proposed = texts(&world);
    assert!(!proposed.is_empty());
    world.press("esc esc V a z e b r a enter esc v f");
    assert!(texts(&world).contains(&"zebra".to_owned()) && texts(&world).len() == proposed.len() + 1);
    world.press("esc esc f h a r b o u r enter esc v f");
    assert!(texts(&world).contains(&"harbour".to_owned()) && texts(&world).len() == proposed.len() + 2);
    // What is known is not looked for again, and a fact that is followed already is there once.
    let number = world.pages().compare.facts.number;
    world.press("esc esc v f down up");
    assert_eq!(world.pages().compare.facts.number, number);
    world.press("esc esc f z e b r a enter esc v");
    assert_eq!(texts(&world).len(), proposed.len() + 2);
}
