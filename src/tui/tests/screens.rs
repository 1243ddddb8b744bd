//! Screens as pictures of text and styles: the rows, then what each part of a row is for.

use std::fmt::Write;

use ratatui::buffer::Cell;
use ratatui::style::Color;

use super::Stage;
use crate::config::{ROLES, Role, Theme};
use crate::model::ALL_LAYERS;

/// A theme in which every role has a colour of its own, so that the picture names roles. It has grounds and emphasis
/// where the dark theme has.
pub fn probe() -> Theme {
    let dark = Theme::default();
    let look = |role: Role| {
        let number = role.index();
        let style = dark.style(role);
        let mut parts = Vec::new();
        if style.fg.is_some() || style.bg.is_none() {
            parts.push(format!("fg = \"#{number:02x}0000\""));
        }
        if style.bg.is_some() {
            parts.push(format!("bg = \"#00{number:02x}00\""));
        }
        format!("{{ {} }}", parts.join(", "))
    };
    let mut text = String::from("[roles]\nground = {}\n");
    for (role, name, _) in ROLES.iter().filter(|(role, ..)| *role != Role::Ground) {
        _ = writeln!(text, "{name} = {}", look(*role));
    }
    text.push_str("[layers]\n");
    for info in ALL_LAYERS {
        _ = writeln!(text, "{} = {}", info.name, look(Role::Layer(info.layer)));
    }
    Theme::parse("probe", &text).unwrap()
}

fn role_name(number: u8) -> &'static str {
    let layers = ALL_LAYERS.iter().map(|info| (Role::Layer(info.layer), info.name));
    let roles = ROLES.iter().map(|(role, name, _)| (*role, *name));
    roles.chain(layers).find(|(role, _)| role.index() == usize::from(number)).map_or("?", |(_, name)| name)
}

/// What a cell is for: its role, and what lies under it.
fn meaning(cell: &Cell) -> String {
    let ink = match cell.fg {
        Color::Rgb(number, ..) => role_name(number),
        _ => "",
    };
    match cell.bg {
        // A ground that is a role's ink: two layers in one cell.
        Color::Rgb(number, 0, 0) if number > 0 => format!("{ink}/{}", role_name(number)),
        Color::Rgb(0, number, 0) => format!("{ink} on {}", role_name(number)),
        _ => ink.to_owned(),
    }
}

/// The rows, then the styles of each: `5..8 key`, blanks without a ground belong to what is around them.
pub fn picture(stage: &Stage) -> String {
    let (buffer, cursor) = stage.draw();
    let mut out = stage.rows().iter().map(|row| row.trim_end().to_owned()).collect::<Vec<_>>().join("\n");
    out.push_str("\n\n");
    if let Some(at) = cursor {
        _ = writeln!(out, "cursor at {},{}", at.x, at.y);
    }
    for y in 0..buffer.area.height {
        let mut runs: Vec<(u16, u16, String)> = Vec::new();
        for x in 0..buffer.area.width {
            let cell = &buffer[(x, y)];
            let blank = cell.symbol().trim().is_empty() && cell.bg == Color::Reset;
            if blank {
                continue;
            }
            let meaning = meaning(cell);
            match runs.last_mut() {
                Some((_, end, last)) if *last == meaning => *end = x,
                _ => runs.push((x, x, meaning)),
            }
        }
        let named = runs.iter().filter(|(.., meaning)| !meaning.is_empty());
        let words: Vec<String> = named.map(|(from, to, meaning)| format!("{from}..{} {meaning}", to + 1)).collect();
        if !words.is_empty() {
            _ = writeln!(out, "{y}: {}", words.join(", "));
        }
    }
    out
}

/// What is looked at, as the keys that lead there.
const SCREENS: &[(&str, &str)] = &[
    ("window", ""),
    ("entry", "# text:3 enter home j j j j 4"),
    ("difference", "{ x"),
    ("search", "/ text:step_7 enter"),
    ("help", "?"),
    ("event", "{ 5 enter"),
    ("sessions", "S"),
];

#[test]
fn screens_look_as_they_did() {
    for (width, height) in [(80, 24), (120, 40), (40, 12)] {
        for (name, keys) in SCREENS {
            let mut stage = Stage::open(width, height);
            stage.state.theme = probe();
            stage.makes = true;
            stage.press(keys);
            insta::assert_snapshot!(format!("{name}-{width}x{height}"), picture(&stage));
        }
    }
}

/// Without colours nothing is told by them alone: every layer's bar is made of a sign of its own.
#[test]
fn without_colour_every_cell_keeps_the_terminals() {
    let mut stage = Stage::open(120, 40);
    stage.state.theme = Theme::shipped("no-color").unwrap();
    for keys in
        ["", "x", "{ 5 enter", "esc c", "t", "v", "f", "V", "shift-tab j space", "m", "enter tab", "esc ?", "esc S"]
    {
        stage.press(keys);
        let (buffer, _) = stage.draw();
        let plain = |cell: &Cell| cell.fg == Color::Reset && cell.bg == Color::Reset;
        assert!(buffer.content.iter().all(plain), "after {keys:?}");
        // A part of a cell would tell the height, and not the layer.
        let part = |cell: &Cell| ["▁", "▂", "▃", "▄", "▅", "▆", "▇"].contains(&cell.symbol());
        assert!(!keys.is_empty() || !buffer.content.iter().any(part), "a layer without its letter");
    }
}

/// With `signs = "ascii"` nothing but the transcript's own text is beyond ASCII.
#[test]
fn drawn_signs_are_ascii_where_that_is_wished() {
    let mut stage = Stage::open(120, 40);
    stage.state.ascii = true;
    let mut left = std::collections::BTreeSet::new();
    for keys in [
        "",
        "1 +",
        "2",
        "# text:5 enter x",
        "{ 5 enter",
        "esc c",
        "t",
        "v",
        "f",
        "V",
        "shift-tab j space",
        "m",
        "enter",
        "w",
        "tab",
        "tab",
        "tab",
        "tab",
        "esc ?",
        "esc : text:a",
        "esc e",
        "esc W",
        "esc S",
    ] {
        stage.press(keys);
        let signs = stage.rows().concat();
        left.extend(signs.chars().filter(|sign| !sign.is_ascii()));
    }
    // What the session's own texts hold.
    let own: String = String::from_utf8(super::session::session()).unwrap_or_default() + "日本語👩";
    let drawn: String = left.into_iter().filter(|sign| !own.contains(*sign)).collect();
    assert_eq!(drawn, "", "signs that have no ASCII");
}

#[test]
fn what_is_wrong_with_a_fact_is_said_where_it_is_typed() {
    let mut stage = Stage::open(120, 40);
    for (typed, says) in [
        ("f text:re:( enter", "the pattern cannot be read"),
        ("f text:re:a* enter", "matches the empty text"),
        ("f enter", "the fact is empty"),
    ] {
        stage.press(typed);
        let rows = stage.rows();
        assert!(rows[38].contains(says), "{typed}: {:?}", &rows[36..]);
        assert!(rows[39].contains("fact "), "{typed}: {:?}", &rows[36..]);
        stage.press("esc");
        assert!(!stage.rows().iter().any(|row| row.contains(says)), "{typed}");
    }
}
