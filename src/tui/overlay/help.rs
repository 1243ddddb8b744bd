//! The keys that work in a place, as they are bound now.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use crate::config::{ACTIONS, Action, ActionInfo, Context, Group, Key, Keymap, Role, Theme, sequence_label};
use crate::model::ALL_LAYERS;
use crate::present::{About, RUN_MARKS, width};
use crate::tui::input::Input;
use crate::tui::line::{Line, wrapped};
use crate::tui::list::{PAGE_OVER, Scroll, rows_of};
use crate::tui::signs;

use super::frame::{frame, framed, hints};
use super::matching::Words;
use super::region::Region;

/// Columns of the widest keys that are shown beside their meaning.
const KEYS_MAX: usize = 22;
/// Columns for the names of actions, and for text from which on they are shown.
const NAME: (u16, usize) = (22, 70);
/// Columns that text takes where there is room.
const WIDE: u16 = 108;
/// Columns and rows that it takes where there is room.
const SIZE: (u16, u16) = (WIDE, u16::MAX);
/// Rows above the others: what is typed, and a blank.
const HEAD: u16 = 2;

/// Columns for signs and for names of layers.
const SIGN_WIDE: u16 = 14;
/// What signs are called in the help.
const SIGNS: &str = "Signs, as in the legend of the steps";
/// What marks of runs are called.
const RUNS: &str = "Marks of the runs";
/// What layers are called.
const LAYERS: &str = "Layers of the window";

/// The help over a screen.
#[derive(Clone, Debug, Default)]
pub struct Help {
    filter: Input,
    top: usize,
    about: Option<About>,
}

/// A row of the help.
enum Row {
    Group(Group),
    /// Keys with a line of what they do; the first line has the name, those after it neither.
    Action(Option<(String, &'static ActionInfo)>, String),
    /// A heading that is no group of actions.
    Heading(&'static str),
    /// A sign, or a layer, and what it means.
    Sign(&'static str, String, Role),
    /// A line of an explanation.
    About(String, Role),
    Gap,
}

impl Help {
    /// The help, with what is selected explained above the keys.
    #[must_use]
    pub fn about(about: Option<About>) -> Help {
        Help { about, ..Help::default() }
    }

    /// Takes an action; `false` where it closes the help.
    pub fn act(&mut self, action: Action) -> bool {
        if let Some(by) = rows_of(action, PAGE_OVER) {
            self.top = self.top.saturating_add_signed(by);
        }
        match action {
            Action::Back if !self.filter.text().is_empty() => (self.filter, self.top) = (Input::default(), 0),
            Action::Back => return false,
            _ => {}
        }
        true
    }

    /// Takes a key that is no action: it is typed into the filter.
    pub fn key(&mut self, key: Key) {
        if self.filter.key(key) {
            self.top = 0;
        }
    }

    /// Takes pasted text.
    pub fn paste(&mut self, text: &str) {
        self.filter.insert(text);
        self.top = 0;
    }

    /// Keeps what is shown within the rows there are, for a screen so high.
    pub fn settle(&mut self, keymap: &Keymap, of: Context, area: Rect) {
        let rows = self.rows(keymap, of, columns_of(area)).len();
        self.top = self.top.min(rows.saturating_sub(usize::from(inner_height(area))));
    }

    /// Whether something is typed.
    #[must_use]
    pub fn is_typed(&self) -> bool {
        !self.filter.text().is_empty()
    }

    /// Scrolls by rows.
    pub fn scroll(&mut self, by: isize) {
        self.top = self.top.saturating_add_signed(by);
    }

    /// Where it stands on a screen, and its rows: none of them can be selected.
    #[must_use]
    pub fn region(&self, area: Rect, keymap: &Keymap, of: Context) -> Region {
        let rows = self.rows(keymap, of, columns_of(area)).len();
        let scroll = Scroll { cursor: self.top, top: self.top };
        Region::of(framed(area, SIZE), HEAD, scroll, rows)
    }

    fn rows(&self, keymap: &Keymap, of: Context, columns: usize) -> Vec<Row> {
        let words = Words::new(self.filter.text());
        let mut rows = Vec::new();
        if let Some(about) = self.about.as_ref().filter(|_| self.filter.text().is_empty()) {
            rows.push(Row::About(about.title.clone(), Role::Accent));
            let lines = |text: &str| wrapped(text, columns).map(str::to_owned).collect::<Vec<_>>();
            rows.extend(lines(&about.text).into_iter().map(|line| Row::About(line, Role::Text)));
            rows.extend(
                lines(&format!("Source: {}", about.source)).into_iter().map(|line| Row::About(line, Role::Dim)),
            );
            rows.push(Row::Gap);
        }
        Help::keys_of(keymap, of, &words, columns, &mut rows);
        let signs = signs::all().into_iter().filter(|(sign, meaning, _)| words.fit([*sign, meaning.as_str(), SIGNS]));
        let layers = ALL_LAYERS
            .iter()
            .filter(|info| words.fit([info.name, info.tag, info.title, info.explain, LAYERS]))
            .map(|info| (info.title, info.explain.to_owned(), Role::Layer(info.layer)));
        let room = columns.saturating_sub(usize::from(SIGN_WIDE) + 2).max(8);
        let lines = |(sign, meaning, role): (&'static str, String, Role)| -> Vec<Row> {
            let row = |(at, line): (usize, &str)| Row::Sign(if at == 0 { sign } else { "" }, line.to_owned(), role);
            wrapped(&meaning, room).enumerate().map(row).collect()
        };
        let (signs, layers) = (signs.flat_map(&lines), layers.flat_map(&lines));
        let runs = RUN_MARKS.iter().filter(|mark| of == Context::Sweep && words.fit([mark.sign, mark.meaning, RUNS]));
        let runs = runs.map(|mark| (mark.sign, mark.meaning.to_owned(), Role::Accent)).flat_map(&lines);
        for (heading, found) in [(RUNS, runs.collect::<Vec<_>>()), (SIGNS, signs.collect()), (LAYERS, layers.collect())]
        {
            if !found.is_empty() {
                if !rows.is_empty() && !matches!(rows.last(), Some(Row::Gap)) {
                    rows.push(Row::Gap);
                }
                rows.push(Row::Heading(heading));
                rows.extend(found);
            }
        }
        rows
    }

    fn keys_of(keymap: &Keymap, of: Context, words: &Words, columns: usize, rows: &mut Vec<Row>) {
        let name = if columns >= NAME.1 { usize::from(NAME.0) } else { 0 };
        let room = columns.saturating_sub(2 + keys_wide(keymap, of, columns) + name).max(8);
        for group in Group::ALL {
            let from = rows.len();
            for info in ACTIONS.iter().filter(|info| info.group == *group && info.contexts.contains(&of)) {
                let keys = keys_label(keymap, of, info);
                if words.fit([info.name, info.meaning, keys.as_str(), group.title()]) {
                    let mut first = Some((keys, info));
                    rows.extend(wrapped(info.meaning, room).map(|line| Row::Action(first.take(), line.to_owned())));
                }
            }
            if rows.len() > from {
                rows.insert(from, Row::Group(*group));
                if from > 0 && !matches!(rows.get(from - 1), Some(Row::Gap)) {
                    rows.insert(from, Row::Gap);
                }
            }
        }
    }

    /// Draws the help of a place; returns where the cursor goes.
    pub fn draw(&self, buffer: &mut Buffer, theme: &Theme, keymap: &Keymap, of: Context) -> Option<Position> {
        let rows = self.rows(keymap, of, columns_of(buffer.area));
        let foot =
            hints(keymap, Context::Help, &[(&[Action::Up, Action::Down], "scroll"), (&[Action::Back], "close")], 40);
        let title = format!("Keys · {}", of.title());
        let area = buffer.area;
        let place = framed(area, SIZE);
        frame(buffer, theme, place, &title, &format!("type to filter · {foot}"));
        let inner = place.inner;
        let height = usize::from(inner.height.saturating_sub(2));
        let top = self.top.min(rows.len().saturating_sub(height));
        let mut line = Line::new(buffer, theme, inner, 0);
        if rows.len() > height && inner.width >= 44 {
            let shown = format!("{}–{} of {}", top + 1, (top + height).min(rows.len()), rows.len());
            line.split_right(columns(&shown)).put(&shown, Role::Dim);
            line.split_right(2);
        }
        line.put("› ", Role::Accent);
        let cursor = Position { x: self.filter.draw(&mut line, "what are you looking for?"), y: inner.y };
        let keys_wide = u16::try_from(keys_wide(keymap, of, columns_of(area))).unwrap_or(0);
        for (y, row) in (2u16..).zip(rows.iter().skip(top).take(height)) {
            let mut line = Line::new(buffer, theme, inner, y);
            match row {
                Row::Gap => {}
                Row::Group(group) => line.put(group.title(), Role::Title),
                Row::Heading(title) => line.put(title, Role::Title),
                Row::Sign(sign, meaning, role) => {
                    line.skip(2);
                    line.field(sign, SIGN_WIDE, *role);
                    line.put(meaning, Role::Text);
                }
                Row::About(text, role) => line.put(text, *role),
                Row::Action(first, text) => {
                    line.skip(2);
                    if usize::from(inner.width) >= NAME.1 {
                        let mut right = line.split_right(NAME.0);
                        right.right(first.as_ref().map_or("", |(_, info)| info.name), NAME.0, Role::Dim);
                    }
                    match first {
                        Some((keys, _)) if keys.is_empty() => line.field("–", keys_wide, Role::Dim),
                        Some((keys, _)) => line.field(keys, keys_wide, Role::Key),
                        None => line.skip(keys_wide),
                    }
                    line.put(text, Role::Text);
                }
            }
        }
        if rows.is_empty() {
            Line::new(buffer, theme, inner, 2).put("No key does that here.", Role::Dim);
        }
        Some(cursor)
    }
}

fn columns(text: &str) -> u16 {
    u16::try_from(width(text)).unwrap_or(u16::MAX)
}

/// The keys of an action in a place.
fn keys_label(keymap: &Keymap, of: Context, info: &ActionInfo) -> String {
    let keys: Vec<String> = keymap.keys_in(of, info.action).map(|keys| sequence_label(keys, false)).collect();
    keys.join("  ")
}

/// Columns for the keys of a place, with what parts them from their meaning.
fn keys_wide(keymap: &Keymap, of: Context, columns: usize) -> usize {
    let here = ACTIONS.iter().filter(|info| info.contexts.contains(&of));
    let widest = here.map(|info| width(&keys_label(keymap, of, info))).max().unwrap_or(0);
    (widest.min(KEYS_MAX) + 2).min(columns / 2)
}

/// Columns for text in a screen.
fn columns_of(area: Rect) -> usize {
    let framed = area.width >= 24 && area.height >= 6;
    usize::from(if framed { WIDE.min(area.width.saturating_sub(6)) } else { area.width }).max(1)
}

/// Rows for the list in a screen.
fn inner_height(area: Rect) -> u16 {
    let framed = area.width >= 24 && area.height >= 6;
    area.height.saturating_sub(if framed { 6 } else { 2 })
}
