//! The sweep view by keys and clicks, on the built-in example.

use super::Page;
use super::pages_tests::world;
use crate::tui::message::Message;

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
    let parts = crate::tui::sweep::parts(world.state.area(), sweep.pane);
    let picture = sweep.swept().picture(parts.picture.width, parts.picture.height);
    let (x, y, _, run) = picture.places[3];
    let values = sweep.points[run].values.clone();
    world.tell(Message::Mouse(crate::tui::message::Mouse::Click, parts.picture.x + x, parts.picture.y + y));
    let now: Vec<_> =
        world.pages().sweep.vary.iter().map(|vary| (vary.setting.get)(&world.pages().draft.policy)).collect();
    assert_eq!((world.pages().page, now), (Page::Tune, values));
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
    assert!(world.state.notice.as_ref().is_some_and(|notice| notice.failed));
    let before = world.pages().sweep.facts.as_ref().map_or(0, Vec::len);
    world.press("a h b r - 7 7 3 1 enter");
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
