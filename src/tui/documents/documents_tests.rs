//! The documents view: what keys do, and that every size draws.

use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui_image::picker::Picker;

use super::act::Outcome;
use super::*;
use crate::chunk::{Chooser, Ranking, Taken, Verdict};
use crate::config::{Action, Keymap, Role, Theme};
use crate::content::Watch;
use crate::model::BlockId;
use crate::tui::detail::{Done, Media, Owner};
use crate::tui::message::Mouse;

pub(super) const AREA: Rect = Rect { x: 0, y: 0, width: 120, height: 36 };

pub(super) fn files() -> Vec<DocumentName> {
    vec![DocumentName { name: "in/paper.md".into(), label: "paper.md".into(), step: 1, block: BlockId(7) }]
}

/// Five windows of 40 characters, of which three name the task; two fit the budget.
pub(super) fn choice(wanted: &Wanted) -> Arc<Choice> {
    let text: String = ["whale song is long and far", "the sea", "whale song", "a ship", "the whale song of the whale"]
        .iter()
        .map(|line| format!("{line:<39}\n"))
        .collect();
    let document = Arc::new(Conversion { format: "text".into(), markdown: text, ..Conversion::default() });
    let settings = Settings {
        threshold: 0,
        window: 40,
        overlap: 0,
        top: 3,
        budget: 100,
        ranking: Ranking::Lexical,
        ..Settings::default()
    };
    let task = wanted.task.as_deref().unwrap_or("whale song");
    let chooser = Chooser::new(document.clone(), &settings, task, &Watch::default());
    Arc::new(Choice {
        wanted: wanted.clone(),
        document,
        division: chooser.division().clone(),
        selection: chooser.selection(),
        heat: vec![1.0, 0.0, 0.9, 0.0, 1.0],
        task: chooser.task().to_owned(),
        settings,
        progress: (0, 0),
        failed: None,
        in_window: None,
        medium: None,
    })
}

pub(super) fn view() -> Documents {
    let mut view = Documents::new(files(), 0, None, Arc::default());
    assert!(matches!(view.settle(AREA).as_slice(), [Effect::Choose(_)]));
    let choice = choice(&view.wanted);
    view.told(choice);
    assert!(view.settle(AREA).is_empty());
    view
}

pub(super) fn text(view: &Documents, area: Rect) -> String {
    let mut buffer = Buffer::empty(area);
    draw(view, &mut buffer, &Theme::shipped("dark").unwrap(), &Keymap::default());
    let row = |y: u16| (0..area.width).map(|x| buffer[(x, y)].symbol()).collect::<String>();
    (0..area.height).map(row).collect::<Vec<_>>().join("\n")
}

#[test]
fn passages_are_stepped_through_by_rank_and_the_budget_fills() {
    let mut view = view();
    let all = view.shown(&view.choice.clone().unwrap());
    assert_eq!(all.len(), 2);
    act(&mut view, Action::FillOn, AREA);
    assert_eq!((view.filled, view.candidate), (Some(1), all[0]));
    assert!(text(&view, AREA).contains("42 of 100"));
    act(&mut view, Action::FillOn, AREA);
    act(&mut view, Action::FillOn, AREA);
    assert_eq!((view.filled, view.candidate), (Some(2), all[1]));
    assert!(text(&view, AREA).contains("84 of 100"));
    view.filled = None;
    assert!(text(&view, AREA).contains("84 of 100"), "all of them fill as much");
    view.filled = Some(2);
    assert_eq!(act(&mut view, Action::Back, AREA), Outcome::Stays);
    assert_eq!(act(&mut view, Action::Back, AREA), Outcome::Closes);
}

#[test]
fn what_is_asked_is_how_passages_are_chosen() {
    let view = view();
    let about = explained(&view).expect("an explanation");
    assert!(
        about.text.contains("windows of 40 characters") && about.text.contains("within 100 characters"),
        "{about:?}"
    );
    assert!(about.title.contains("select") && about.source.contains("source 1"), "{about:?}");
    assert_eq!(explained(&Documents::new(files(), 0, None, Arc::default())), None, "nothing is read yet");
}

#[test]
fn what_comes_later_in_the_fill_is_not_said_to_be_in() {
    let mut view = view();
    act(&mut view, Action::FillOn, AREA);
    // The ranking turns: what came in last is followed.
    view.wanted.task = Some("far".into());
    view.told(choice(&view.wanted));
    view.settle(AREA);
    let newest = view.shown(&view.choice.clone().unwrap());
    assert_eq!((newest.as_slice(), view.candidate), ([0].as_slice(), 0));
    // Who looks at another passage stays with it, and is told that it is not in yet.
    view.wanted.task = None;
    view.told(choice(&view.wanted));
    let chosen = view.choice.clone().unwrap();
    let later = chosen.selection.chosen.iter().copied().find(|at| !view.shown(&chosen).contains(at)).unwrap();
    view.follows = Follows::Nothing;
    view.select(later);
    view.settle(AREA);
    assert!(text(&view, AREA).contains("comes later  "));
    act(&mut view, Action::FillOn, AREA);
    assert!(!text(&view, AREA).contains("comes later  "));
}

#[test]
fn another_task_number_or_budget_is_told_at_once() {
    let mut view = view();
    act(&mut view, Action::EditTask, AREA);
    assert_eq!(view.context(), Context::Task);
    view.paste("s");
    let effects = view.settle(AREA);
    let [Effect::Choose(wanted)] = effects.as_slice() else { panic!("nothing is asked for") };
    assert_eq!(wanted.task.as_deref(), Some("whale songs"));
    assert!(view.take_changes().is_empty(), "it is still typed");
    act(&mut view, Action::Open, AREA);
    assert_eq!(view.context(), Context::Documents);
    act(&mut view, Action::FewerPassages, AREA);
    act(&mut view, Action::LargerBudget, AREA);
    let changed = [
        ("chunks.task", Value::Text("whale songs".into())),
        ("chunks.top", Value::Int(9)),
        ("chunks.budget", Value::Int(8_500)),
    ];
    assert_eq!(view.take_changes(), changed);
    // Whoever takes them gives the policy that has them.
    let mut policy = Policy::default();
    policy.chunks.top = 9;
    view.try_policy(Arc::new(policy.clone()));
    let effects = view.settle(AREA);
    let [Effect::Choose(wanted)] = effects.as_slice() else { panic!("nothing is asked for") };
    assert_eq!((&wanted.task, &*wanted.policy), (&None, &policy));
}

#[test]
fn a_task_that_is_typed_is_kept_or_taken_back() {
    let mut view = view();
    act(&mut view, Action::EditTask, AREA);
    let foot = |view: &Documents| text(view, AREA).lines().last().unwrap().trim().to_owned();
    assert_eq!(foot(&view), "Enter keep this task   Esc back to the one before");
    act(&mut view, Action::Help, AREA);
    assert_eq!(view.context(), Context::Task);
    view.paste("s");
    view.settle(AREA);
    act(&mut view, Action::Back, AREA);
    assert_eq!((view.context(), view.take_changes()), (Context::Documents, Vec::new()));
    let effects = view.settle(AREA);
    assert!(
        matches!(effects.as_slice(), [Effect::Choose(wanted)] if wanted.task.is_none()),
        "the old one is asked for"
    );
    assert!(foot(&view).contains("passage") && foot(&view).ends_with("help"));
}

#[test]
fn the_passage_that_one_comes_to_stands_on_top() {
    let mut view = Documents::new(files(), 0, Some(60 * 40), Arc::default());
    view.settle(AREA);
    let wanted = view.wanted.clone();
    let five = choice(&wanted);
    let document = Arc::new(Conversion { markdown: five.document.markdown.repeat(20), ..(*five.document).clone() });
    let chooser = Chooser::new(document.clone(), &five.settings, "whale", &Watch::default());
    let (division, selection) = (chooser.division().clone(), chooser.selection());
    view.told(Arc::new(Choice { document, division, selection, wanted, ..(*five).clone() }));
    view.settle(AREA);
    assert_eq!((view.page.cursor, view.page.top), (60, 58));
}

#[test]
fn one_comes_to_the_passage_that_begins_there_though_one_that_overlaps_it_is_taken() {
    let mut view = Documents::new(files(), 0, Some(120), Arc::default());
    view.settle(AREA);
    let wanted = view.wanted.clone();
    let whole = choice(&wanted);
    let settings = Settings { overlap: 20, top: 1, ..whole.settings.clone() };
    let chooser = Chooser::new(whole.document.clone(), &settings, "the sea", &Watch::default());
    let (division, selection) = (chooser.division().clone(), chooser.selection());
    let begins = (0..selection.candidates.len()).find(|at| selection.piece(&division, *at).unwrap().start == 120);
    assert!(begins.is_some_and(|at| !selection.chosen.contains(&at)));
    view.told(Arc::new(Choice { division, selection, settings, wanted, ..(*whole).clone() }));
    view.settle(AREA);
    assert_eq!(Some(view.candidate), begins);
}

#[test]
fn a_passage_of_the_window_is_found_and_leads_back() {
    let mut view = Documents::new(files(), 0, Some(85), Arc::default());
    view.settle(AREA);
    let choice = choice(&view.wanted);
    view.told(choice);
    view.settle(AREA);
    assert_eq!((view.page.cursor, view.candidate), (2, 2));
    assert_eq!(view.looked_at(), Some((BlockId(7), 80, 120)));
    assert_eq!(act(&mut view, Action::Open, AREA), Outcome::GoesToWindow);
}

#[test]
fn reasons_are_shown_and_every_size_draws() {
    let mut view = view();
    act(&mut view, Action::NextPane, AREA);
    act(&mut view, Action::Bottom, AREA);
    let shown = text(&view, AREA);
    assert!(shown.contains("Rank: it shares no word with the task.") && shown.contains("=== Chunk"), "{shown}");
    for (width, height) in [(200, 60), (120, 36), (80, 24), (40, 12), (20, 5), (1, 1)] {
        let area = Rect::new(0, 0, width, height);
        for focus in [Pane::Outline, Pane::Page, Pane::Ranked] {
            view.focus = focus;
            view.settle(area);
            text(&view, area);
        }
    }
    let empty = Documents::new(Vec::new(), 0, None, Arc::default());
    assert!(text(&empty, AREA).contains("No document is attached"));
}

#[test]
fn a_reason_is_shown_whole_at_every_size() {
    let mut view = view();
    let mut choice = Choice::clone(&view.choice.clone().unwrap());
    choice.selection.candidates[0].verdict = Verdict::Taken(Taken::Unlike);
    choice.in_window = Some(InWindow { mode: "limits", kept: vec![(0, 80)], told: String::new() });
    view.told(Arc::new(choice));
    view.follows = Follows::Nothing;
    for (width, height) in [(200, 60), (120, 36), (80, 24), (64, 20), (40, 18)] {
        let area = Rect::new(0, 0, width, height);
        view.settle(area);
        view.select(0);
        let shown = text(&view, area);
        let words: Vec<&str> = shown.split_whitespace().collect();
        let wanted = "would be taken It is not among the best 3, but less like those taken before it than others \
                      (chunks.diversity).";
        let wanted: Vec<&str> = wanted.split_whitespace().collect();
        assert!(words.windows(wanted.len()).any(|part| part == wanted), "{width}×{height}: {shown}");
        assert_eq!(shown.contains("=== Chunk"), width > 40, "{width}×{height}: {shown}");
    }
}

#[test]
fn what_the_limits_let_in_is_bright_and_the_cut_is_marked() {
    let mut view = view();
    let mut choice = Choice::clone(&view.choice.clone().unwrap());
    choice.in_window =
        Some(InWindow { mode: "limits", kept: vec![(0, 80), (160, 200)], told: "lines: 3 of 5".to_owned() });
    view.told(Arc::new(choice));
    let area = Rect::new(0, 0, 140, 36);
    view.settle(area);
    let shown = text(&view, area);
    for words in ["files.mode = limits", "sent ", "120 of 200 characters · 60 %", "lines: 3 of 5", "Chunks would take"]
    {
        assert!(shown.contains(words), "{words} is missing in {shown}");
    }
    let marks: String = shown.lines().filter_map(|line| line.chars().find(|sign| "┏┃┗✂".contains(*sign))).collect();
    assert_eq!(marks, "┏✂┏", "{shown}");
}

/// A view of a picture, or of a sound that is cut.
fn medium_view(picture: bool) -> Documents {
    let mut view = view();
    let mut choice = Choice::clone(&view.choice.clone().unwrap());
    let facts = |rows: &[(&str, &str)]| {
        rows.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned(), Role::Text)).collect()
    };
    let size = if picture { ("pixels", "900 × 600") } else { ("duration", "900.000 s (15:00)") };
    let mut medium = Medium {
        kind: if picture { "picture" } else { "sound" },
        groups: vec![
            Group { name: "original", facts: facts(&[("kind", "JPEG"), size]) },
            Group { name: "in the window", facts: facts(&[("sent", "made smaller"), ("tokens", "70 of 250")]) },
        ],
        ..Medium::default()
    };
    if picture {
        let pixels = image::RgbImage::from_fn(900, 600, |x, y| image::Rgb([(x / 4) as u8, (y / 3) as u8, 20]));
        let image = image::DynamicImage::ImageRgb8(pixels);
        let mut png = std::io::Cursor::new(Vec::new());
        image.write_to(&mut png, image::ImageFormat::Png).unwrap();
        let data = base64::Engine::encode(&base64::prelude::BASE64_STANDARD, png.into_inner()).into_bytes();
        let (mime, bytes) = ("image/png".to_owned(), data.len() as u64);
        medium.picture = Some(Arc::new(Media { mime, pixels: None, tokens: 0, bytes, data: Some(data.into()) }));
    } else {
        medium.left = Some((600, 900));
    }
    choice.medium = Some(Arc::new(medium));
    view.told(Arc::new(choice));
    view
}

/// Makes the picture that the view asks for.
fn shown_in(view: &mut Documents, area: Rect) -> bool {
    let effects = view.settle(area);
    assert!(effects.is_empty());
    let Some(Effect::Make(job)) = view.preview(area, Some(&Picker::halfblocks())) else { return false };
    assert!(view.preview(area, Some(&Picker::halfblocks())).is_none(), "it is asked for once");
    let Done::Picture((Owner::Document, number), made) = job.run() else { panic!("no picture") };
    view.pictured(number + 1, Err("another".to_owned()));
    assert!(!text(view, area).contains("another"));
    view.pictured(number, *made);
    true
}

#[test]
fn a_picture_is_shown_beside_its_facts_and_has_no_passages() {
    let mut view = medium_view(true);
    for (width, height) in [(80, 24), (120, 36), (200, 60), (60, 30), (40, 12), (20, 5), (1, 1)] {
        let area = Rect::new(0, 0, width, height);
        let asked = shown_in(&mut view, area);
        assert_eq!(asked, width >= 60, "{width}×{height}");
        let shown = text(&view, area);
        if width < 40 {
            continue;
        }
        assert_eq!(shown.contains('▀') || shown.contains('▄') || shown.contains('█'), asked, "{shown}");
        for words in ["paper.md", "a picture", "900 × 600", "in the window", "70 of 250"] {
            assert!(shown.contains(words), "{words} is missing in {shown}");
        }
        for words in ["p.~1", "By rank", "passage", "task", "budget", "✂", "Outline"] {
            assert!(!shown.contains(words), "{words}: {shown}");
        }
    }
    // Keys of passages do nothing.
    for action in [Action::FillOn, Action::EditTask, Action::MorePassages, Action::LargerBudget, Action::NextPane] {
        assert_eq!(act(&mut view, action, AREA), Outcome::Stays);
    }
    assert!((view.take_changes().is_empty(), view.filled, view.focus) == (true, None, Pane::Page));
    assert!(view.typing.is_none());
    assert_eq!(act(&mut view, Action::Open, AREA), Outcome::GoesToWindow);
    assert_eq!(act(&mut view, Action::Back, AREA), Outcome::Closes);
    // Where the terminal shows no pictures, there are the facts.
    assert!(view.preview(Rect::new(0, 0, 90, 30), None).is_none());
    assert!(text(&view, AREA).contains("900 × 600"));
}

#[test]
fn of_a_sound_the_part_that_is_left_is_seen() {
    let mut view = medium_view(false);
    for (width, height) in [(80, 24), (120, 36), (200, 60), (40, 14)] {
        let area = Rect::new(0, 0, width, height);
        assert!(!shown_in(&mut view, area));
        let shown = text(&view, area);
        let bar = shown.lines().find(|line| line.contains('█')).unwrap();
        let (full, rest) = (bar.matches('█').count(), bar.matches('·').count());
        assert!(full.abs_diff(rest * 2) <= 3, "{full} and {rest}: {shown}");
        assert!(shown.contains("900.000 s (15:00)") && !shown.contains("passage"), "{shown}");
    }
    // On a small screen one scrolls.
    let area = Rect::new(0, 0, 40, 8);
    view.settle(area);
    assert!(!text(&view, area).contains('█'));
    act(&mut view, Action::Bottom, area);
    view.settle(area);
    assert!(text(&view, area).contains('█'), "{}", text(&view, area));
}

#[test]
fn the_policy_that_is_tried_decides() {
    let mut tried = Policy::default();
    tried.chunks.top = 4;
    let mut view = Documents::new(files(), 0, None, Arc::new(tried.clone()));
    let effects = view.settle(AREA);
    let [Effect::Choose(wanted)] = effects.as_slice() else { panic!("nothing is asked for") };
    assert_eq!(*wanted.policy, tried);
}

#[test]
fn the_best_passage_is_looked_at_until_the_user_moves() {
    let mut view = view();
    let known = view.choice.clone().unwrap();
    let best = view.shown(&known)[0];
    assert_eq!(view.candidate, best);
    // Vectors come, and another is best.
    let mut better = Choice::clone(&known);
    let other = *known.selection.chosen.iter().find(|at| **at != best).unwrap();
    let ranks = (better.selection.candidates[best].rank, better.selection.candidates[other].rank);
    (better.selection.candidates[other].rank, better.selection.candidates[best].rank) = ranks;
    view.told(Arc::new(better));
    view.settle(AREA);
    assert_eq!(view.candidate, other);
    act(&mut view, Action::Down, AREA);
    let here = view.candidate;
    view.told(known);
    view.settle(AREA);
    assert_eq!(view.candidate, here);
}

#[test]
fn a_document_that_could_not_be_read_says_why() {
    let mut view = Documents::new(files(), 0, None, Arc::default());
    view.settle(AREA);
    let note = crate::document::Note {
        place: None,
        line: 3,
        message: "it is encrypted and needs a password".into(),
        of_reader: false,
    };
    let document = Arc::new(Conversion { notes: vec![note], ..Conversion::default() });
    let chooser = Chooser::new(document.clone(), &Settings::default(), "", &Watch::default());
    let known = choice(&view.wanted);
    let choice = Choice {
        document,
        division: chooser.division().clone(),
        selection: chooser.selection(),
        heat: Vec::new(),
        ..Choice::clone(&known)
    };
    view.told(Arc::new(choice));
    view.settle(AREA);
    let shown = text(&view, AREA);
    assert!(shown.matches("line 3: it is encrypted").count() == 2 && !shown.contains("goes in whole"), "{shown}");
}

#[test]
fn a_click_goes_to_what_it_hits() {
    let mut view = view();
    let parts = panes::panes(AREA, view.focus);
    let best = view.choice.as_ref().unwrap().selection.by_rank();
    mouse(&mut view, Mouse::Click, (parts.ranked.x + 2, parts.ranked.y + 1), AREA);
    assert_eq!((view.focus, view.candidate), (Pane::Ranked, best[1]));
    view.settle(AREA);
    mouse(&mut view, Mouse::Click, (parts.page.x + 9, parts.page.y + 3), AREA);
    assert_eq!((view.focus, view.page.cursor, view.candidate), (Pane::Page, 3, 3));
    mouse(&mut view, Mouse::Click, (parts.outline.x + 2, parts.outline.y), AREA);
    assert_eq!((view.focus, view.outline.cursor, view.page.cursor), (Pane::Outline, 0, 0));
    let at = view.candidate;
    mouse(&mut view, Mouse::Click, (parts.ranked.x + 2, parts.ranked.bottom() - 1), AREA);
    assert_eq!((view.focus, view.candidate), (Pane::Ranked, at), "below the last row there is nothing to hit");
}

#[test]
fn the_task_is_in_sight_while_it_is_typed_however_long_it_was() {
    let mut view = view();
    view.wanted.task = Some("what the old task asked for ".repeat(9));
    act(&mut view, Action::EditTask, AREA);
    view.paste("and THE END");
    for (width, height) in [(120, 36), (80, 24), (40, 12), (40, 10), (20, 5)] {
        let area = Rect::new(0, 0, width, height);
        let mut buffer = Buffer::empty(area);
        let cursor = draw(&view, &mut buffer, &Theme::shipped("dark").unwrap(), &Keymap::default());
        let cursor = cursor.expect("a cursor");
        let row: String = (0..width).map(|x| buffer[(x, cursor.y)].symbol()).collect();
        assert!(row.contains("THE END") && row.contains('…'), "{width}×{height}: {row}");
        assert_eq!(buffer[(cursor.x - 1, cursor.y)].symbol(), "D", "{width}×{height}");
    }
}

#[test]
fn a_document_that_is_read_shows_how_far_that_is() {
    let mut view = Documents::new(files(), 0, None, Arc::default());
    view.settle(AREA);
    assert!(text(&view, AREA).contains("reading ") && !text(&view, AREA).contains('%'));
    view.reading = Some((45, 100));
    assert!(text(&view, AREA).contains("45 %") || text(&view, AREA).contains("45%"));
    let choice = choice(&view.wanted);
    view.told(choice);
    view.settle(AREA);
    assert!(!text(&view, AREA).contains("reading "));
}

#[test]
fn a_narrow_screen_names_the_keys_that_lead_on() {
    let view = view();
    let shown = text(&view, Rect { width: 80, height: 24, ..AREA });
    let foot = shown.lines().last().unwrap();
    assert!(["Tab pane", "Enter in the window", "help"].iter().all(|keys| foot.contains(keys)), "{foot}");
}
