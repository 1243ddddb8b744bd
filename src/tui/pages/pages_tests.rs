//! The views beside the main screen: by keys, at every size, on the built-in example.

use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::testing::{World, policy, world};
use super::*;
use crate::tui::compaction::Pane;
use crate::tui::message::Message;
use crate::tui::state::NoticeKind;

#[test]
fn the_compaction_view_opens_where_something_happened_and_steps_through_decisions() {
    let mut world = world("");
    world.press("c");
    assert_eq!(world.pages().page, Page::Compaction);
    let at = world.step();
    let run = Arc::clone(world.state.view().unwrap().index.run());
    assert!(run.events_at(at).next().is_some(), "it opens at the nearest compaction");
    assert!(world.shows("Stages") && world.shows("Given") && world.shows("Sent"));
    let decisions: Vec<u32> = run.events.iter().map(|event| event.step).collect();
    world.press("0");
    let mut seen = Vec::new();
    for _ in 0..decisions.len() {
        world.press("]");
        seen.push(world.step());
    }
    assert!(seen.windows(2).all(|pair| pair[0] <= pair[1]));
    assert_eq!(seen.last(), decisions.last());
    world.press("esc");
    assert_eq!((world.pages().page, world.step()), (Page::Main, *decisions.last().unwrap()));
}

#[test]
fn a_long_sentence_takes_the_rows_that_are_free() {
    let mut world = world("");
    world.press("R c");
    world.tell(Message::Resize(80, 24));
    let run = Arc::clone(world.state.view().unwrap().index.run());
    let mut long = 0;
    for (id, event) in run.events.iter().enumerate().filter(|(_, event)| event.stage != crate::model::Stage::Admit) {
        world.state.session_mut().unwrap().view.as_mut().unwrap().go_to(event.step);
        world.state.session_mut().unwrap().pages.compaction.stage = Some(event.stage);
        world.tell(Message::Resize(80, 24));
        let pages = &world.pages().compaction;
        let area = Rect::new(0, 0, 80, 24);
        let parts = crate::tui::compaction::parts(area, pages);
        let acted = run.events_at(event.step).count();
        let sentence = event.sentence();
        let last = sentence.split_whitespace().last().unwrap().to_owned();
        let one = pages.current().is_some_and(|row| row.events.first().is_some_and(|first| first.0 as usize == id));
        // Three stages have room in the pane: with two of them a row is free, with one, two.
        if one && acted <= 2 && sentence.len() > 75 && sentence.len() < 110 {
            let rows = world.screen();
            let last_row = usize::from(parts.why.y);
            let told = rows[last_row - 2..=last_row].join(" ");
            assert!(told.contains(&last), "{sentence}: {told}");
            long += 1;
        }
    }
    assert!(long > 0);
}

#[test]
fn running_on_stops_where_the_chosen_stage_acts() {
    let mut world = world("");
    world.press("R c");
    world.tell(Message::Resize(140, 44));
    let run = Arc::clone(world.state.view().unwrap().index.run());
    assert_eq!(run.track, crate::model::Track::Simulated);
    for stage in [crate::model::Stage::Truncate, crate::model::Stage::Microcompact, crate::model::Stage::Summarise] {
        let fires: Vec<u32> = run.events.iter().filter(|event| event.stage == stage).map(|event| event.step).collect();
        world.press("0");
        world.state.session_mut().unwrap().pages.compaction.stage = Some(stage);
        let mut found = Vec::new();
        if fires.first() == Some(&1) {
            found.push(1);
        }
        while found.len() < fires.len() {
            world.press("n");
            found.push(world.step());
        }
        assert_eq!(found, fires, "{stage:?}");
    }
}

#[test]
fn a_line_of_a_summary_leads_to_the_text_it_came_from() {
    let mut world = world("");
    world.press("t");
    for (key, value) in [("summarise.by", "extractive"), ("summarise.at", "30%"), ("collapse.on", "false")] {
        typed_value(&mut world.state, key, value);
    }
    world.press("t R c } tab tab");
    let page = &world.pages().compaction;
    assert_eq!(page.pane, Pane::After);
    let is_line = |pair: &crate::present::Pair| matches!(pair.right, Some(crate::present::PairCell::Line(..)));
    let line = page.pairs.rows.iter().position(is_line).expect("the summary is divided into lines");
    world.state.session_mut().unwrap().pages.compaction.row.cursor = line;
    world.tell(Message::Resize(120, 36));
    let found = world.pages().compaction.line().cloned().expect("a line");
    crate::tui::update(&mut world.state, Message::Key("enter".parse().expect("a key")));
    assert!(world.shows("Its text is being read …"), "it is said at once, before it is there");
    world.tell(Message::Resize(120, 36));
    let reading = world.pages().compaction.reading.as_ref().expect("the text is read");
    assert_eq!(Some(reading.entry), found.origin.entry(), "an extracted sentence has a source");
    let detail = reading.detail.as_ref().expect("it is there").as_ref().expect("it can be read");
    assert_eq!(detail.hits().0, 1, "the sentence is gone to: {}", found.text);
    world.press("esc");
    assert_eq!((world.pages().compaction.reading.is_none(), world.pages().page), (true, Page::Compaction));
}

#[test]
fn a_cleared_result_shows_what_it_held() {
    use crate::present::{Became, PairCell};
    let mut world = world("");
    world.press("R c tab tab");
    let cleared = |cell: Option<PairCell>| match cell {
        Some(PairCell::Entry(id, Became::Changed(crate::model::Stage::Microcompact, _))) => Some(id),
        _ => None,
    };
    let rows = &world.pages().compaction.pairs.rows;
    let (at, marker) =
        rows.iter().enumerate().find_map(|(at, pair)| Some((at, cleared(pair.right)?))).expect("a marker");
    let run = Arc::clone(world.state.view().unwrap().index.run());
    let held = run.entry(marker).unwrap().from[0];
    assert_eq!(cleared(rows[at].left), Some(held), "the result stands beside its marker");
    world.state.session_mut().unwrap().pages.compaction.row.cursor = at;
    world.press("enter");
    let reading = world.pages().compaction.reading.as_ref().expect("a text is read");
    assert_eq!(reading.entry, held);
    let detail = reading.detail.as_ref().unwrap().as_ref().unwrap();
    assert!(detail.content().kept_text().len() > 1_000, "it is whole");
    let parts = crate::tui::compaction::parts(world.state.area(), &world.pages().compaction);
    for (row, reads) in [(parts.windows.y + 4, true), (parts.stages.y + 2, false)] {
        world.tell(Message::Mouse(crate::tui::message::Mouse::Click, 3, row));
        assert_eq!(world.pages().compaction.reading.is_some(), reads, "a click beside the text closes it");
    }
}

#[test]
fn settings_are_moved_undone_and_reset_and_the_run_follows() {
    let mut world = world("");
    world.press("t");
    assert_eq!(world.pages().tune.current().map(|setting| setting.key), Some("summarise.at"));
    let first = world.pages().simulated.as_ref().map(|shown| shown.number);
    let before = world.state.session().unwrap().simulated().unwrap().consequences;
    world.press("left left left shift-left shift-left shift-left shift-left");
    assert_eq!(world.pages().draft.changes(), 1);
    assert_ne!(world.pages().simulated.as_ref().map(|shown| shown.number), first);
    let after = world.state.session().unwrap().simulated().unwrap().consequences;
    assert!(after.compactions >= before.compactions && after.peak <= before.peak);
    assert!(world.shows("1 change") && world.shows("preset"));
    world.press("u");
    assert_eq!(world.pages().draft.changes(), 0);
    assert_eq!(world.state.session().unwrap().simulated().unwrap().consequences, before);
    world.press("U r");
    assert_eq!(world.pages().draft.changes(), 0);
    world.press("down space i");
    assert!(world.pages().tune.rows.len() == 2 && world.shows("only changes"));
    world.press("i X p");
    assert!(world.shows("The preset to begin with"));
    // It begins at the preset that there is.
    world.press("enter");
    assert_eq!(world.pages().draft.name, "five-layer");
    world.press("p home enter");
    assert_eq!(world.pages().draft.name, crate::policy::PRESETS[0].name);
}

#[test]
fn a_policy_that_no_preset_is_stays_unless_another_is_chosen() {
    let mut world = world("view=tune");
    for name in ["claude-code@2.1.20", "my.toml"] {
        let draft = crate::tui::policy_draft::PolicyDraft::new(name, policy(), None);
        world.state.session_mut().unwrap().pages.draft = draft;
        world.press("p enter");
        assert_eq!((world.pages().draft.name.as_str(), &world.pages().draft.policy), (name, &policy()));
        world.press("p down enter");
        assert_eq!(world.pages().draft.name, crate::policy::PRESETS[0].name);
    }
}

#[test]
fn profiles_are_listed_behind_their_preset() {
    let mut world = world("view=tune");
    let place = crate::policy::PRESETS.iter().position(|preset| preset.name == "memory-harness").unwrap();
    let profiles = crate::policy::PRESETS[place].variants().0;
    assert!(!profiles.is_empty());
    for (number, profile) in (1..).zip(&profiles) {
        world.press("p home");
        (0..place + number).for_each(|_| world.press("down"));
        world.press("enter");
        let name = format!("memory-harness/{profile}");
        assert_eq!((world.pages().draft.name.as_str(), world.pages().draft.changes()), (name.as_str(), 0));
        assert_eq!(world.pages().draft.policy, crate::policy::preset(&name, None).unwrap().0);
        // It is selected when the list is opened again.
        world.press("p enter");
        assert_eq!(world.pages().draft.name, name);
    }
}

#[test]
fn a_value_is_typed_and_a_wrong_one_refused() {
    let mut world = world("view=tune");
    assert_eq!(world.pages().page, Page::Tune);
    world.press("enter");
    assert!(world.shows(&format!("summarise.at {}", policy().summarise.at)), "the name, then the value");
    world.press("esc");
    world.press("enter ctrl-u 5 5 % enter");
    assert_eq!(world.pages().draft.policy.summarise.at, crate::policy::Size::Percent(55.0));
    world.press("enter ctrl-u x enter");
    assert_eq!(world.pages().draft.policy.summarise.at, crate::policy::Size::Percent(55.0));
    assert!(
        world
            .state
            .notice
            .as_ref()
            .is_some_and(|notice| notice.kind == NoticeKind::Failed && notice.text.contains("summarise.at"))
    );
    // What was typed stands there still, to be mended.
    world.press("backspace 6 0 % enter");
    assert_eq!(world.pages().draft.policy.summarise.at, crate::policy::Size::Percent(60.0));
    world.press("/ m a r k e r enter");
    assert!(world.pages().tune.rows.len() > 1 && world.pages().tune.rows.len() < 12);
    world.press("esc esc");
    assert_eq!(world.pages().page, Page::Main);
}

#[test]
fn a_policy_is_saved_and_a_file_written_over_only_when_asked() {
    let mut world = world("view=tune");
    world.press("left s enter");
    assert_eq!(world.saved.len(), 1);
    assert!(!world.saved[0].2 && world.saved[0].1.contains("preset = \"five-layer\""));
    assert!(world.shows("is there already"));
    world.press("enter");
    assert_eq!(world.saved.len(), 1, "kept unless the other answer is chosen");
    world.press("s enter down enter");
    assert!(world.saved.len() == 3 && world.saved[2].2);
}

#[test]
fn tracks_are_switched_and_links_lead_back_to_them() {
    let mut world = world("step=3");
    assert!(world.shows("recorded"));
    world.press("R");
    assert!(world.shows("simulated: five-layer") && world.shows("might have acted otherwise") && world.step() == 3);
    world.press("t left t Y");
    let link = world.copied.pop().expect("a link");
    assert!(link.contains(" --policy five-layer --set ") && link.contains("--at step=3,view=window"), "{link}");
    world.press("c Y");
    assert!(world.copied.pop().expect("a link").contains("view=compaction"));
    world.press("v Y");
    assert!(world.copied.pop().expect("a link").contains("view=compare"));
    world.press("esc R Y");
    let link = world.copied.pop().expect("a link");
    assert!(!link.contains("--policy"), "{link}");
    assert_eq!(Page::of(crate::present::View::Compare), Some(Page::Compare));
}

#[test]
fn two_tracks_are_compared_step_by_step() {
    let mut world = world("step=2,view=compare");
    let page = &world.pages().compare;
    assert!(page.views.iter().all(Option::is_some) && page.step == 2);
    assert!(world.shows("Totals") && world.shows("recorded") && world.shows("five-layer"));
    world.press("$");
    let page = &world.pages().compare;
    assert!(page.views.iter().flatten().all(|view| view.step == page.step));
    world.press("p down down enter");
    assert_eq!(world.pages().compare.sides[1], compare_side(1));
    assert!(world.pages().compare.views[1].is_some());
    world.press("tab p enter");
    let page = &world.pages().compare;
    assert_eq!(page.sides[0], crate::tui::compare::Side::Recorded);
    // Two presets, neither the one that is tried; the link leads back to both.
    world.press("p end enter");
    let page = &world.pages().compare;
    let last = crate::policy::PRESETS.len() - 1;
    assert_eq!(page.sides, [compare_side(last), compare_side(1)]);
    assert!(page.views.iter().all(Option::is_some) && page.views.iter().flatten().all(|view| view.is_simulated()));
    let names = [last, 1].map(|at| crate::policy::PRESETS[at].name);
    assert!(names.iter().all(|name| world.shows(name)));
    assert!(world.shows(&format!("{} against {}", names[0], names[1])));
    world.press("Y");
    let link = world.copied.pop().expect("a link");
    assert!(link.ends_with(&format!("view=compare,left={},right={}", names[0], names[1])), "{link}");
    let again = self::world(link.split(" --at ").nth(1).unwrap());
    assert_eq!(again.pages().compare.sides, [compare_side(last), compare_side(1)]);
    assert!(again.pages().compare.views.iter().all(Option::is_some));
    // Which facts each keeps.
    world.press("f");
    let facts = world.pages().compare.facts.rows().to_vec();
    assert!(!facts.is_empty() && world.shows("kept by one side only") && world.shows("facts kept: "));
    assert!(facts.windows(2).all(|pair| pair[0].differs() || !pair[1].differs()));
    world.press("end enter");
    assert_eq!(world.pages().compare.step, facts.last().unwrap().step);
    assert!(!world.pages().compare.facts.shown);
    world.press("esc");
    assert_eq!(world.pages().page, Page::Main);
}

#[test]
fn what_is_not_to_be_found_in_two_tracks_is_said() {
    let mut world = world("step=2,view=compare");
    world.press("$");
    for (key, said) in [
        ("right", "this is the last step"),
        ("]", "no event comes after this step"),
        ("}", "no compaction comes after this step"),
        ("end n", "the windows do not differ below this row"),
        ("home N", "the windows do not differ above this row"),
        ("0", "this is the first step"),
        ("{", "no compaction comes before this step"),
    ] {
        // Going to an end says nothing where it leads there.
        if key == "0" {
            world.press("0");
        }
        world.press(key);
        assert!(world.state.notice.as_ref().is_some_and(|notice| notice.text == said), "{key}");
    }
    // What leads somewhere says nothing of the kind.
    world.press("}");
    assert!(world.state.notice.is_none() && world.pages().compare.step > 1);
}

#[test]
fn a_moved_setting_tells_where_the_figure_of_its_preset_is_from() {
    let mut world = world("");
    world.press("t");
    let source = |world: &World| explained(&world.state).expect("a setting").source;
    let before = source(&world);
    let (_, from) = before.split_once("; the figure is ").expect("the preset says where its figure is from");
    let from = from.to_owned();
    world.press("right");
    let after = source(&world);
    assert!(after.contains("; five-layer's figure, ") && after.ends_with(&format!(" is {from}")), "{after}");
    world.press("left");
    assert_eq!(source(&world), before);
}

#[test]
fn a_policy_that_is_tried_as_it_is_can_be_chosen_once() {
    let mut world = world("step=2,view=compare");
    let named = |world: &World| {
        let offered = crate::tui::compare::Side::offered(&world.pages().draft);
        offered.filter(|side| matches!(side.name(), "tried" | "five-layer")).count()
    };
    assert_eq!(named(&world), 1);
    world.press("p");
    assert!(world.shows("The policy of the tune view."));
    // Changed, it is another than the preset.
    world.press("esc esc t right");
    assert_eq!((world.pages().draft.changes(), named(&world)), (1, 2));
}

#[test]
fn both_timelines_are_on_one_scale_whatever_their_windows() {
    let mut world = world("step=2");
    let size = crate::policy::named("window.size").expect("a setting");
    let draft = &mut world.state.session_mut().expect("a session").pages.draft;
    draft.set(size, &crate::policy::Value::Int(60_000)).expect("a size");
    world.press("v");
    let views = world.pages().compare.views.each_ref().map(|view| view.as_ref().expect("a side"));
    let windows = views.map(Inspect::window_tokens);
    assert!(windows[0] > 60_000 && windows[1] == 60_000, "{windows:?}");
    let tops = views.map(crate::tui::main_screen::timeline::ceiling);
    assert_eq!(tops[0], tops[1]);
}

/// As `compare --recorded` does it.
#[test]
fn beside_the_recording_a_policy_compacts_what_the_user_did() {
    let by_user = |world: &World, side: usize| {
        let view = world.pages().compare.views[side].as_ref().expect("a side");
        view.index.run().events.iter().filter(|event| event.rule == "replay.manual").count()
    };
    const SAID: &str = "with the user's own compactions";
    let mut world = super::testing::world_by_user("step=2,view=compare");
    assert!(by_user(&world, 1) == 1 && world.shows(SAID));
    let simulated = world.pages().simulated.as_ref().expect("a replay").index.run().events.clone();
    assert!(simulated.iter().all(|event| event.rule != "replay.manual"), "of this view alone");
    // A preset beside it does too; beside another preset, neither.
    world.press("p end up enter");
    assert!(matches!(world.pages().compare.sides[1], crate::tui::compare::Side::Preset(_)));
    world.press("tab p down enter");
    assert_eq!(world.pages().compare.sides[0], crate::tui::compare::Side::Tried);
    assert!([0, 1].iter().all(|side| by_user(&world, *side) == 0) && !world.shows(SAID));
    assert!(!self::world("step=2,view=compare").shows(SAID), "the user asked for none");
}

fn compare_side(preset: usize) -> crate::tui::compare::Side {
    crate::tui::compare::Side::Preset(crate::policy::PRESETS[preset].name)
}

#[test]
fn what_is_out_of_sight_what_a_preset_has_and_what_may_be_typed_are_said() {
    let mut world = world("");
    world.press("c");
    assert!(world.shows("more pieces stand further down"), "{:#?}", world.screen());
    world.press("c t");
    assert!(!world.shows("five-layer has "));
    world.press("right");
    assert!(world.shows("five-layer has "), "{:?}", world.screen());
    world.press("t f");
    assert!(world.shows("re:PATTERN"));
    world.press("x");
    assert!(!world.shows("re:PATTERN"));
}

#[test]
fn what_is_selected_explains_itself() {
    let mut world = world("");
    for keys in ["2 ?", "esc c ?", "esc v n ?"] {
        world.press(keys);
        assert!(world.shows("Source: "), "{keys}");
    }
    world.press("esc t ?");
    assert!(world.shows("summarise.at") && world.shows("Source: source 3"));
}

#[test]
fn every_size_is_drawn_on_every_page() {
    for keys in ["c", "R c tab", "t", "v", "v f", "V", "V shift-tab j space tab", "V tab", "c tab enter", "t ?", "V ?"]
    {
        let mut world = world("");
        world.press(keys);
        // Every width and every height below 60 × 20, in a pattern that meets them all.
        let small = (0..20u16).flat_map(|height| (height % 6..60).step_by(6).map(move |width| (width, height)));
        for (width, height) in small.chain([(60, 20), (66, 9), (80, 24), (100, 12), (120, 36), (200, 60)]) {
            world.tell(Message::Resize(width, height));
            world.screen();
        }
        world.tell(Message::Resize(0, 0));
        world.press("down up pgdn");
    }
}

/// The screen as text, and below it the looks of its cells by letter.
fn styled(world: &World) -> String {
    let (width, height) = world.state.size;
    let mut buffer = Buffer::empty(Rect::new(0, 0, width, height));
    crate::tui::draw(&world.state, &mut buffer);
    let mut looks: Vec<String> = Vec::new();
    let mut grid = String::new();
    for y in 0..height {
        let mut row = String::new();
        for x in 0..width {
            let cell = &buffer[(x, y)];
            let look = format!("{:?} on {:?} {:?}", cell.fg, cell.bg, cell.modifier);
            let at = looks.iter().position(|known| *known == look).unwrap_or_else(|| {
                looks.push(look);
                looks.len() - 1
            });
            row.push(char::from_u32(u32::try_from(at).unwrap_or(0) + 0x61).unwrap_or('?'));
        }
        grid.push_str(row.trim_end_matches('a'));
        grid.push('\n');
    }
    let legend: Vec<String> = looks
        .iter()
        .zip(0x61u32..)
        .map(|(look, letter)| format!("{} {look}", char::from_u32(letter).unwrap_or('?')))
        .collect();
    format!("{}\n\n{grid}\n{}\n", world.screen().join("\n"), legend.join("\n"))
}

#[test]
fn the_views_look_as_reviewed() {
    for (name, keys) in [
        ("compaction", "R c"),
        ("tune", "t left left shift-left"),
        ("compare", "v"),
        ("facts", "v f"),
        ("sweep", "V home"),
        ("map", "V shift-tab j j space tab"),
    ] {
        let mut world = world("");
        world.tell(Message::Resize(100, 30));
        world.press(keys);
        insta::with_settings!({ snapshot_path => "snapshots", prepend_module_to_snapshot => false }, {
            insta::assert_snapshot!(format!("view_{name}"), styled(&world));
        });
    }
}

#[test]
fn documents_open_over_the_settings_and_close_onto_them() {
    let mut world = world("");
    world.press("t d");
    assert!(world.state.documents.is_some() && world.shows("No document is attached"));
    world.press("d");
    assert!(world.state.documents.is_none() && world.pages().page == Page::Tune);
}
