//! Drawing the picker, at every size.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use crate::config::{Action, Context, Keymap, Role, Theme};
use crate::model::file_name;
use crate::present::{age, bytes, clip_start, count, counted, safe, short, width};
use crate::tui::line::Line;
use crate::tui::main_screen::footer;

use super::{Item, Picker};

/// Draws the picker; returns where the cursor goes.
pub fn draw(picker: &Picker, buffer: &mut Buffer, theme: &Theme, keymap: &Keymap) -> Option<Position> {
    let area = buffer.area;
    let inner = Rect { x: area.x + 1.min(area.width), width: area.width.saturating_sub(2), ..area };
    if inner.is_empty() {
        return None;
    }
    let cursor = head(picker, buffer, theme, inner);
    let list = Picker::list_area(area);
    if picker.items.is_empty() {
        let mut line = Line::new(buffer, theme, list, 1.min(list.height.saturating_sub(1)));
        line.put("No sessions of Claude Code or Codex were found.", Role::Dim);
        let mut line = Line::new(buffer, theme, list, 2.min(list.height.saturating_sub(1)));
        line.put("windowpane FILE opens one, windowpane demo a built-in example.", Role::Dim);
    } else if picker.shown.is_empty() {
        // A session is found by its first words only once they are read.
        let still = picker.known < picker.items.len();
        let words = if still { "None of those read so far has" } else { "No session has" };
        Line::new(buffer, theme, list, 0).put(&format!("{words} all of these words."), Role::Dim);
    }
    for (row, at) in picker.region(area).shown() {
        if let Some(item) = picker.shown.get(at).and_then(|item| picker.items.get(*item)) {
            let mut line = Line::new(buffer, theme, list, row);
            if at == picker.scroll.cursor {
                line.under(Role::Selection);
            }
            one(&mut line, item, picker.now);
        }
    }
    foot(picker, buffer, theme, keymap, inner);
    cursor
}

/// The name, the filter, and how far the reading is.
fn head(picker: &Picker, buffer: &mut Buffer, theme: &Theme, inner: Rect) -> Option<Position> {
    let all = picker.items.len();
    let mut line = Line::new(buffer, theme, inner, 0);
    let status = match (picker.known < all, picker.words.is_empty()) {
        (true, _) => format!("reading {} of {}", count(picker.known as u64), count(all as u64)),
        (false, true) => counted(all as u64, "session", "sessions"),
        (false, false) => format!("{} of {}", count(picker.shown.len() as u64), count(all as u64)),
    };
    let wide = u16::try_from(width(&status)).unwrap_or(0);
    if line.left() > wide + 20 {
        line.split_right(wide).put(&status, if picker.known < all { Role::Estimate } else { Role::Dim });
    }
    if inner.width >= 40 {
        line.put("windowpane", Role::Title);
        line.put("  ", Role::Dim);
    }
    line.put("› ", Role::Accent);
    let column = picker.filter.draw(&mut line, "type to find a session");
    if let Some(row) = Picker::columns_row(inner) {
        let mut line = Line::new(buffer, theme, inner, row);
        columns(&mut line, ["age", "project", "steps", "compacted", "size", "about"], |_| Role::Dim);
    }
    Some(Position { x: column, y: inner.y })
}

/// Writes the cells of a row where there is room for their columns.
fn columns(line: &mut Line<'_>, cells: [&str; 6], role: impl Fn(usize) -> Role) {
    let wide = line.left();
    let [age, project, steps, cuts, size, about] = cells;
    line.right(age, 4, role(0));
    line.skip(2);
    line.field(project, (wide / 5).clamp(6, 26), role(1));
    if wide >= 60 {
        line.right(steps, 8, role(2));
        line.right(cuts, 11, role(3));
    }
    if wide >= 76 {
        line.right(size, 10, role(4));
    }
    line.skip(2);
    line.put(about, role(5));
}

fn one(line: &mut Line<'_>, item: &Item, now: i64) {
    let (steps, cuts, about, role) = match &item.found {
        None => ("·".to_owned(), String::new(), name(item).to_owned(), Role::Dim),
        Some(Err(why)) => ("–".to_owned(), String::new(), why.clone(), Role::Error),
        Some(Ok(found)) => {
            let cuts = if found.compactions == 0 { String::new() } else { format!("┊{}", short(found.compactions)) };
            match item.about() {
                Some(about) => (short(found.steps), cuts, about.to_owned(), Role::Text),
                None => (short(found.steps), cuts, name(item).to_owned(), Role::Dim),
            }
        }
    };
    let cells = [&age(item.modified, now), item.project(), &steps, &cuts, &bytes(item.bytes), &about];
    columns(line, cells, |column| match column {
        1 => Role::Name,
        3 => Role::Summarised,
        5 => role,
        _ => Role::Dim,
    });
}

/// The file's name, without its folder.
fn name(item: &Item) -> &str {
    file_name(&item.path)
}

/// The selected session's file, and the keys.
fn foot(picker: &Picker, buffer: &mut Buffer, theme: &Theme, keymap: &Keymap, inner: Rect) {
    if inner.height < 6 {
        return;
    }
    if let Some((_, item)) = picker.chosen() {
        let mut line = Line::new(buffer, theme, inner, inner.height - 2);
        line.put(item.agent, Role::Text);
        line.put("  ", Role::Dim);
        // Its name at the end tells it from others.
        let room = usize::from(line.left());
        line.put(&clip_start(&safe(&item.path), room), Role::Dim);
    }
    let wanted: &[(&[Action], &str)] = &[
        (&[Action::Up, Action::Down], "choose"),
        (&[Action::Open], "open"),
        (&[Action::Back], if picker.filter.text().is_empty() { "back" } else { "clear" }),
        (&[Action::Quit], "quit"),
        (&[Action::Help], "help"),
    ];
    footer::keys(&mut Line::new(buffer, theme, inner, inner.height - 1), keymap, Context::Picker, wanted);
}

impl Picker {
    fn columns_row(inner: Rect) -> Option<u16> {
        (inner.height >= 10).then_some(2)
    }

    /// Where the rows of the list stand on a screen.
    #[must_use]
    pub fn list_area(area: Rect) -> Rect {
        let (top, bottom) = match area.height {
            ..2 => (area.height, 0),
            2..6 => (1, 0),
            6..10 => (1, 2),
            _ => (3, 3),
        };
        Rect {
            x: area.x + 1.min(area.width),
            y: area.y + top,
            width: area.width.saturating_sub(2),
            height: area.height.saturating_sub(top + bottom),
        }
    }
}
