//! A picture or a sound in the documents view: nothing of it is chosen, so what there is to see of it stands beside its
//! facts.

use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::widgets::Widget;
use ratatui_image::sliced::{SignedPosition, SlicedImage};

use crate::config::{Action, Context, Keymap, Role, Theme};
use crate::model::file_name;
use crate::present::width;
use crate::tui::detail::Media;
use crate::tui::line::{Line, bar, wrapped};
use crate::tui::main_screen::footer;

use super::Documents;

/// What is told of a picture or a sound.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Medium {
    /// What it is, in a word: `picture`.
    pub kind: &'static str,
    /// Its facts.
    pub groups: Vec<Group>,
    /// The picture as it can be sent; `None` where there is nothing to see.
    pub picture: Option<Arc<Media>>,
    /// How much of a sound is left, and of how much, in bytes; `None` where nothing is cut off.
    pub left: Option<(u64, u64)>,
}

/// Facts that belong together.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    /// What they are about.
    pub name: &'static str,
    /// Name and value of each, and how the value looks. Untrusted.
    pub facts: Vec<(String, String, Role)>,
}

/// The parts of the view; a part without room is empty.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Parts {
    /// The name.
    head: Rect,
    /// The line beneath.
    rule: Rect,
    /// The picture.
    pub picture: Rect,
    /// Its facts.
    facts: Rect,
    /// Keys.
    foot: Rect,
}

/// Columns from which the facts stand beside the picture.
const BESIDE: u16 = 72;
/// Rows that a picture has at least above its facts.
const PICTURE_ROWS: u16 = 6;
/// Columns from which groups of facts stand side by side, where there is no picture.
const TWO: u16 = 100;
/// Columns of a group of facts at most: longer lines are hard to read.
const GROUP: u16 = 72;

/// Divides a screen.
pub fn parts(medium: &Medium, area: Rect) -> Parts {
    let row = |y: u16, height: u16| Rect { y: area.y + y, height, ..area }.intersection(area);
    let inner = |rect: Rect| Rect { x: rect.x + 1.min(rect.width), width: rect.width.saturating_sub(2), ..rect };
    let foot = u16::from(area.height >= 6);
    let body = row(2, area.height.saturating_sub(2 + foot));
    let (mut picture, mut facts) = (Rect::default(), inner(body));
    if medium.picture.is_some() && body.width >= BESIDE {
        let side = (body.width * 2 / 5).clamp(34, 56);
        let at = body.width - side;
        picture = inner(Rect { width: at, ..body });
        facts = inner(Rect { x: body.x + at, width: side, ..body });
    } else if medium.picture.is_some() {
        let rows = lines(medium, facts.width).len();
        let above = body.height.saturating_sub(u16::try_from(rows + 1).unwrap_or(u16::MAX));
        if above >= PICTURE_ROWS {
            picture = Rect { height: above, ..facts };
            facts = Rect { y: facts.y + above + 1, height: facts.height - above - 1, ..facts };
        }
    }
    Parts { head: inner(row(0, 1)), rule: row(1, 1), picture, facts, foot: inner(row(area.height - foot, foot)) }
}

/// Rows that the facts take, and rows that there are for them.
pub fn rows(medium: &Medium, area: Rect) -> (usize, usize) {
    let place = parts(medium, area).facts;
    let rows = columns(medium, place).into_iter().map(|(_, lines)| lines.len()).max();
    (rows.unwrap_or(0), usize::from(place.height))
}

/// A line of facts: the name of a group, a name and a part of its value, or the bar of what is left.
enum Told {
    Blank,
    Group(&'static str),
    Fact(String, String, Role),
    Bar(u64, u64),
}

/// The lines of all facts, one group below the other.
fn lines(medium: &Medium, columns: u16) -> Vec<Told> {
    let names = medium.groups.iter().flat_map(|group| &group.facts).map(|(name, ..)| width(name)).max();
    let room = usize::from(columns).saturating_sub(names.unwrap_or(0) + 4).max(8);
    let mut lines = Vec::new();
    for group in &medium.groups {
        if !lines.is_empty() {
            lines.push(Told::Blank);
        }
        lines.push(Told::Group(group.name));
        for (name, value, role) in &group.facts {
            let mut name = format!("  {name:<wide$}  ", wide = names.unwrap_or(0));
            for part in wrapped(value, room) {
                lines.push(Told::Fact(name.clone(), part.to_owned(), *role));
                name = " ".repeat(width(&name));
            }
        }
    }
    if let Some((left, all)) = medium.left {
        lines.push(Told::Bar(left, all));
    }
    lines
}

/// The facts in the columns that a place has room for: each group in one of its own where there is no picture.
fn columns(medium: &Medium, place: Rect) -> Vec<(Rect, Vec<Told>)> {
    if medium.picture.is_some() || place.width < TWO || medium.groups.len() < 2 {
        let place = Rect { width: place.width.min(GROUP), ..place };
        let mut lines = lines(medium, place.width);
        if lines.len() > usize::from(place.height) {
            lines.retain(|line| !matches!(line, Told::Blank));
        }
        return vec![(place, lines)];
    }
    let wide = place.width / 2;
    let (first, rest) = medium.groups.split_at(1);
    let part = |groups: &[Group], left| Medium { groups: groups.to_vec(), left, ..Medium::default() };
    let column = |at: u16, medium: Medium| {
        let place = Rect { x: place.x + at * wide, width: wide.min(GROUP), ..place };
        (place, lines(&medium, place.width))
    };
    vec![column(0, part(first, None)), column(1, part(rest, medium.left))]
}

/// Draws the view.
pub fn draw(view: &Documents, medium: &Medium, buffer: &mut Buffer, theme: &Theme, keymap: &Keymap) {
    let parts = parts(medium, buffer.area);
    let name = view.files.get(view.wanted.file).map_or("", |file| file.name.as_str());
    let mut line = Line::new(buffer, theme, parts.head, 0);
    line.put(file_name(name), Role::Title);
    if view.files.len() > 1 {
        line.put(&format!("  {} of {}", view.wanted.file + 1, view.files.len()), Role::Dim);
    }
    line.put(&format!("  a {}", medium.kind), Role::Dim);
    let rule = "─".repeat(usize::from(parts.rule.width));
    Line::new(buffer, theme, parts.rule, 0).put(&rule, Role::Border);
    if !parts.picture.is_empty() {
        picture(view, buffer, theme, parts.picture);
        let x = parts.picture.right();
        if parts.facts.x > x {
            for y in parts.picture.top()..parts.picture.bottom() {
                Line::new(buffer, theme, Rect { x, y, width: 1, height: 1 }, 0).put("│", Role::Border);
            }
        }
    }
    for (place, lines) in columns(medium, parts.facts) {
        for (row, told) in (0..place.height).zip(lines.into_iter().skip(view.page.top)) {
            fact(&told, Line::new(buffer, theme, place, row));
        }
    }
    foot(view, buffer, theme, keymap, parts.foot);
}

fn fact(told: &Told, mut line: Line<'_>) {
    match told {
        Told::Blank => {}
        Told::Group(name) => line.put(name, Role::Title),
        Told::Fact(name, value, role) => {
            line.put(name, Role::Dim);
            line.put(value, *role);
        }
        Told::Bar(left, all) => {
            line.skip(2);
            let columns = line.left().saturating_sub(1);
            let full = bar((*left).min(*all), *all, columns, "█");
            line.put(&full, Role::Gauge);
            line.put(&"·".repeat(usize::from(columns).saturating_sub(width(&full))), Role::Border);
        }
    }
}

/// The picture in the middle of its place; why it is not there where it cannot be shown.
fn picture(view: &Documents, buffer: &mut Buffer, theme: &Theme, area: Rect) {
    match &view.preview.shown {
        Some(Ok(picture)) => {
            let size = picture.size();
            let middle = |room: u16, taken: u16| room.saturating_sub(taken) / 2;
            let place = Rect {
                x: area.x + middle(area.width, size.width),
                y: area.y + middle(area.height, size.height),
                width: size.width.min(area.width),
                height: size.height.min(area.height),
            };
            SlicedImage::new(picture, SignedPosition { x: 0, y: 0 }).render(place, buffer);
        }
        Some(Err(why)) => {
            let words = format!("It cannot be shown: {why}");
            for (row, words) in (0..area.height).zip(wrapped(&words, usize::from(area.width.max(1)))) {
                Line::new(buffer, theme, area, row).put(words, Role::Warning);
            }
        }
        None => {}
    }
}

fn foot(view: &Documents, buffer: &mut Buffer, theme: &Theme, keymap: &Keymap, area: Rect) {
    let next: &[(&[Action], &str)] = &[(&[Action::NextDocument], "next document")];
    let next = if view.files.len() > 1 { next } else { &[] };
    let keys: &[(&[Action], &str)] =
        &[(&[Action::Open], "in the window"), (&[Action::Back], "back"), (&[Action::Help], "help")];
    let mut line = Line::new(buffer, theme, area, 0);
    line.skip(1);
    footer::keys(&mut line, keymap, Context::Documents, &[next, keys].concat());
}
