//! Overlays, by keys and at every size.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::*;
use crate::config::{Action, Context, Keymap, Theme};

fn text(buffer: &Buffer) -> Vec<String> {
    let line = |y| (0..buffer.area.width).map(|x| buffer[(x, y)].symbol()).collect::<String>().trim_end().to_owned();
    (0..buffer.area.height).map(line).collect()
}

fn screen(width: u16, height: u16, draw: impl FnOnce(&mut Buffer)) -> Vec<String> {
    let mut buffer = Buffer::empty(Rect::new(0, 0, width, height));
    draw(&mut buffer);
    text(&buffer)
}

fn keys(text: &str) -> Vec<crate::config::Key> {
    text.chars().map(|sign| sign.to_string().parse().expect("a key")).collect()
}

#[test]
fn help_shows_the_keys_as_they_are_bound() {
    let keymap = Keymap::with_file("next-step = ['ctrl-y']").expect("a good file");
    let mut help = Help::default();
    for key in keys("next") {
        help.key(key);
    }
    let rows = screen(90, 30, |buffer| _ = help.draw(buffer, &Theme::default(), &keymap, Context::Window));
    let row = rows.iter().find(|row| row.contains("go to the next step ")).expect("a row");
    assert!(row.contains("ctrl-y") && row.contains("next-step") && !row.contains('→'), "{row}");
    assert!(rows.iter().all(|row| !row.contains("leave the program")));
    assert!(help.act(Action::Back), "first the filter goes");
    assert!(!help.act(Action::Back));
}

#[test]
fn help_scrolls_within_its_rows() {
    let keymap = Keymap::default();
    let mut help = Help::default();
    help.act(Action::Bottom);
    help.settle(&keymap, Context::Window, Rect::new(0, 0, 80, 24));
    let rows = screen(80, 24, |buffer| _ = help.draw(buffer, &Theme::default(), &keymap, Context::Window));
    assert!(rows.iter().any(|row| row.contains("free ")), "{rows:?}");
    help.act(Action::Up);
    let up = screen(80, 24, |buffer| _ = help.draw(buffer, &Theme::default(), &keymap, Context::Window));
    assert_ne!(rows, up);
}

#[test]
fn the_help_explains_signs_and_layers() {
    let of = |typed: &str| {
        let mut help = Help::default();
        help.paste(typed);
        screen(100, 40, |buffer| _ = help.draw(buffer, &Theme::default(), &Keymap::default(), Context::Window))
            .join("\n")
    };
    for (typed, expected) in [
        ("legend", "◌"),
        ("sign", "┊"),
        ("estimate", "~"),
        ("unlogged", "What the request held beyond"),
        ("≥", "at least"),
        ("@41", "came in at step 41"),
    ] {
        assert!(of(typed).contains(expected), "{typed}: {}", of(typed));
    }
}

#[test]
fn the_palette_finds_actions_by_name_meaning_and_step() {
    let chosen = |typed: &str| {
        let mut palette = Palette::default();
        keys(typed).into_iter().for_each(|key| palette.key(key));
        palette.chosen(Context::Window)
    };
    assert_eq!(chosen("nc"), Some(Chosen::Action(Action::NextCompaction)));
    assert_eq!(chosen("quit"), Some(Chosen::Action(Action::Quit)));
    assert_eq!(chosen("leavetheprogram"), None);
    assert_eq!(chosen("41"), Some(Chosen::Step(41)));
    let mut palette = Palette::default();
    palette.paste("leave program");
    assert_eq!(palette.chosen(Context::Window), Some(Chosen::Action(Action::Quit)));
    let mut palette = Palette::default();
    assert!(palette.act(Action::Down, Context::Window));
    assert_eq!(palette.chosen(Context::Window), Some(Chosen::Action(Action::PreviousStep)));
    assert!(!palette.act(Action::Back, Context::Window));
    let rows =
        screen(80, 20, |buffer| _ = palette.draw(buffer, &Theme::default(), &Keymap::default(), Context::Window));
    assert!(rows.iter().any(|row| row.contains("next-step") && row.contains('→')), "{rows:?}");
}

#[test]
fn a_question_is_answered() {
    let choice = |name: &str| Choice { name: name.to_owned(), meaning: "as it is".to_owned() };
    let mut dialog = Dialog::new("Export as", ["markdown", "text", "anthropic"].map(choice).to_vec());
    assert_eq!(dialog.chosen(), Some(0));
    dialog.act(Action::Bottom);
    assert_eq!(dialog.chosen(), Some(2));
    let rows = screen(60, 12, |buffer| dialog.draw(buffer, &Theme::default(), &Keymap::default()));
    assert!(rows.iter().any(|row| row.contains("anthropic  as it is")), "{rows:?}");
    assert!(!dialog.act(Action::Back));
    assert_eq!(Dialog::default().chosen(), None);
}

#[test]
fn what_has_no_room_beside_an_answer_is_said_below_while_it_is_selected() {
    let meaning =
        |number: usize| format!("meaning {number} begins {} and ends with word{number}", "on and on ".repeat(8));
    let choice = |number| Choice { name: format!("answer {number}"), meaning: meaning(number) };
    let mut dialog = Dialog::new("Which", (0..30).map(choice).collect());
    for chosen in [0, 1, 29] {
        while dialog.chosen() != Some(chosen) {
            dialog.act(Action::Down);
        }
        let rows = screen(80, 24, |buffer| dialog.draw(buffer, &Theme::default(), &Keymap::default()));
        let whole = rows.iter().filter(|row| row.contains("ends with word")).count();
        assert!(whole == 1 && rows.iter().any(|row| row.contains(&format!("word{chosen} "))), "{rows:?}");
        assert!(rows.iter().any(|row| row.contains(&format!("answer {chosen} "))));
    }
    let alone = Dialog::new("Which", vec![choice(7)]);
    let rows = screen(80, 24, |buffer| alone.draw(buffer, &Theme::default(), &Keymap::default()));
    assert!(rows.iter().any(|row| row.contains("ends with word7 ")), "{rows:?}");
    // Where there is hardly any room, the answers have it; where all have room, nothing is said twice.
    let rows = screen(80, 8, |buffer| dialog.draw(buffer, &Theme::default(), &Keymap::default()));
    assert!(rows.iter().all(|row| !row.contains("ends with word")), "{rows:?}");
    let rows = screen(160, 40, |buffer| dialog.draw(buffer, &Theme::default(), &Keymap::default()));
    assert_eq!(rows.iter().filter(|row| row.contains("ends with word29")).count(), 1, "{rows:?}");
}

#[test]
fn names_that_are_cut_say_so() {
    let palette = Palette::default();
    let rows = screen(16, 5, |buffer| {
        _ = palette.draw(buffer, &Theme::default(), &Keymap::default(), Context::Window);
    });
    assert!(rows.iter().any(|row| row.ends_with('…')), "{rows:?}");
}

#[test]
fn every_size_is_drawn() {
    let (theme, keymap) = (Theme::default(), Keymap::default());
    let mut help = Help::default();
    let palette = Palette::default();
    let dialog = Dialog::new("日本語?", vec![Choice { name: "ja".to_owned(), meaning: "👩‍👧".to_owned() }; 30]);
    for width in 0..=60 {
        for height in 0..=20 {
            // The contexts take turns: at every size, each is drawn at one of ten neighbours.
            let of = Context::ALL[usize::from(width + height) % Context::ALL.len()];
            help.act(Action::Down);
            help.settle(&keymap, of, Rect::new(0, 0, width, height));
            screen(width, height, |buffer| _ = help.draw(buffer, &theme, &keymap, of));
            screen(width, height, |buffer| _ = palette.draw(buffer, &theme, &keymap, Context::Window));
            screen(width, height, |buffer| dialog.draw(buffer, &theme, &keymap));
        }
    }
}
