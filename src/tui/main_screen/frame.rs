//! The lines between panes, joined where they meet, and the panes' titles in them.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::config::{Context, Role, Theme};
use crate::present::{clip, safe, width};
use crate::tui::layout::{Layout, PANES};
use crate::tui::line;
use crate::tui::style;
use crate::tui::style::over;

/// What stands in a pane's upper line.
#[derive(Clone, Debug, Default)]
pub struct Title {
    /// Its name.
    pub name: &'static str,
    /// What it says beside its name, most important first; what has no room is left out whole.
    pub facts: Vec<(String, Role)>,
    /// What stands at the line's right end; the last are left out first.
    pub signs: Vec<(String, Role)>,
}

const NORTH: u8 = 1;
const EAST: u8 = 2;
const SOUTH: u8 = 4;
const WEST: u8 = 8;

/// The line that leaves a cell in these directions.
fn joint(directions: u8) -> &'static str {
    match directions {
        d if d == NORTH | SOUTH || d == NORTH || d == SOUTH => "│",
        d if d == EAST | SOUTH | WEST => "┬",
        d if d == EAST | NORTH | WEST => "┴",
        d if d == NORTH | EAST | SOUTH => "├",
        d if d == NORTH | WEST | SOUTH => "┤",
        d if d == NORTH | EAST | SOUTH | WEST => "┼",
        _ => "─",
    }
}

/// Draws the lines and the titles of all panes that show.
pub fn draw(
    buffer: &mut Buffer,
    theme: &Theme,
    parts: &Layout,
    focus: Context,
    mut title: impl FnMut(Context) -> Title,
) {
    let area = buffer.area;
    let panes = || PANES.iter().map(|pane| (*pane, parts.pane(*pane))).filter(|(_, rect)| rect.height > 1);
    let mut lines = vec![0u8; usize::from(area.width) * usize::from(area.height)];
    for (_, rect) in panes() {
        for x in rect.left()..rect.right() {
            join(&mut lines, area, (x, rect.y), EAST | WEST);
        }
        // The column right of a pane that ends before the screen does parts it from its neighbour.
        if rect.right() < area.width {
            for y in rect.top()..rect.bottom() {
                let down = if y + 1 < rect.bottom() { SOUTH } else { 0 };
                let across = if y == rect.y { EAST | WEST } else { NORTH };
                join(&mut lines, area, (rect.right(), y), down | across);
            }
        }
    }
    close_gaps(&mut lines, area);
    let look = style(theme, Role::Border);
    for y in 0..area.height {
        for x in 0..area.width {
            let at = usize::from(y) * usize::from(area.width) + usize::from(x);
            let directions = lines.get(at).copied().unwrap_or(0);
            if directions != 0
                && let Some(cell) = buffer.cell_mut((area.x + x, area.y + y))
            {
                cell.set_symbol(joint(directions)).set_style(look);
            }
        }
    }
    for (pane, rect) in panes() {
        write(buffer, theme, rect, pane == focus, &title(pane));
    }
}

/// Lets lines leave a cell in more directions.
fn join(lines: &mut [u8], area: Rect, (x, y): (u16, u16), directions: u8) {
    let at = usize::from(y) * usize::from(area.width) + usize::from(x);
    if let Some(cell) = lines.get_mut(at).filter(|_| x < area.width) {
        *cell |= directions;
    }
}

/// Lines that end at another line are joined to it.
fn close_gaps(lines: &mut [u8], area: Rect) {
    let (width, height) = (usize::from(area.width), usize::from(area.height));
    for y in 1..height {
        for x in 0..width {
            let (above, here) = ((y - 1) * width + x, y * width + x);
            let (Some(over), Some(under)) = (lines.get(above).copied(), lines.get(here).copied()) else { continue };
            if over & SOUTH != 0 && under & (EAST | WEST) != 0 {
                lines[here] |= NORTH;
            }
            if under & NORTH != 0 && over & (EAST | WEST) != 0 {
                lines[above] |= SOUTH;
            }
            // A line down that stops one short of a line across.
            if over & NORTH != 0 && over & SOUTH == 0 && over & (EAST | WEST) == 0 && under & (EAST | WEST) != 0 {
                lines[here] |= NORTH;
            }
        }
    }
}

/// Draws a line across the first row of an area, with a title in it.
pub fn title_line(buffer: &mut Buffer, theme: &Theme, area: Rect, focused: bool, title: &Title) {
    let area = area.intersection(buffer.area);
    if area.height == 0 || area.width == 0 {
        return;
    }
    let line = "─".repeat(usize::from(area.width));
    line::text(buffer, (area.x, area.y), &line, area.width, style(theme, Role::Border));
    write(buffer, theme, area, focused, title);
}

/// Draws a line down a column, from the title line of an area to its end.
pub fn upright(buffer: &mut Buffer, theme: &Theme, x: u16, area: Rect) {
    let look = style(theme, Role::Border);
    for y in area.top()..area.bottom() {
        if let Some(cell) = buffer.cell_mut((x, y)) {
            cell.set_symbol(if y == area.y { "┬" } else { "│" }).set_style(look);
        }
    }
}

fn write(buffer: &mut Buffer, theme: &Theme, rect: Rect, focused: bool, title: &Title) {
    if focused {
        buffer.set_style(Rect { height: 1, ..rect }, style(theme, Role::Focus));
    }
    let (mut x, end) = (rect.x + 1, rect.right().saturating_sub(1));
    let name = if focused { Role::Focus } else { Role::Title };
    // What stands in the line of the pane that keys go to has its colour.
    let look = |role: Role| if focused { style(theme, role) } else { over(theme, role) };
    let mut put = |x: &mut u16, text: &str, role: Role| {
        let text = safe(text);
        let room = end.saturating_sub(*x);
        let text = clip(&text, usize::from(room));
        *x = line::text(buffer, (*x, rect.y), &text, room, look(role));
    };
    if !title.name.is_empty() {
        put(&mut x, &format!(" {} ", title.name), name);
    } else if !title.facts.is_empty() {
        put(&mut x, " ", Role::Dim);
    }
    for (index, (fact, role)) in title.facts.iter().enumerate() {
        let dot = if index > 0 { "· " } else { "" };
        if usize::from(x) + width(dot) + width(fact) + 1 > usize::from(end) {
            break;
        }
        put(&mut x, dot, Role::Dim);
        put(&mut x, fact, *role);
        put(&mut x, " ", Role::Dim);
    }
    let mut kept = title.signs.len();
    let size = |kept: usize| title.signs.iter().take(kept).map(|(text, _)| width(text) + 2).sum::<usize>();
    while kept > 0 && usize::from(x) + size(kept) + 1 > usize::from(end) {
        kept -= 1;
    }
    if kept > 0 {
        let mut x = end.saturating_sub(u16::try_from(size(kept)).unwrap_or(end));
        for (text, role) in title.signs.iter().take(kept) {
            put(&mut x, &format!(" {text} "), *role);
        }
    }
}
