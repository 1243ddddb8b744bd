//! The box that an overlay stands in.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Modifier;
use unicode_width::UnicodeWidthStr;

use crate::config::{Action, Context, Keymap, Role, Theme, sequence_label};
use crate::present::width;
use crate::tui::line::Line;
use crate::tui::style;

/// Where a box stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Framed {
    /// With its frame, where it has one.
    pub outer: Rect,
    /// What is inside.
    pub inner: Rect,
}

/// Where a box that would hold so much stands in an area. At small sizes it is the whole area, without a frame.
#[must_use]
pub fn framed(area: Rect, (columns, rows): (u16, u16)) -> Framed {
    if area.width < 24 || area.height < 6 {
        return Framed { outer: area, inner: area };
    }
    let wide = columns.saturating_add(4).min(area.width - 2);
    let high = rows.saturating_add(2).min(area.height - 2);
    // A little above the middle, where the eye is.
    let (x, y) = (area.x + (area.width - wide) / 2, area.y + (area.height - high) / 3);
    let outer = Rect { x, y, width: wide, height: high };
    Framed { outer, inner: Rect { x: x + 2, y: y + 1, width: wide - 4, height: high - 2 } }
}

/// The box that takes a whole screen.
#[must_use]
pub fn full(area: Rect) -> Framed {
    if area.width < 24 || area.height < 6 {
        return Framed { outer: area, inner: area };
    }
    let inner = Rect { x: area.x + 2, y: area.y + 1, width: area.width - 4, height: area.height - 2 };
    Framed { outer: area, inner }
}

/// Clears a box and frames it.
pub fn frame(buffer: &mut Buffer, theme: &Theme, place: Framed, title: &str, foot: &str) {
    let outer = place.outer.intersection(buffer.area);
    let ground = style(theme, Role::Ground);
    for y in outer.y..outer.bottom() {
        // A wide character that the box cuts in two would push the box aside.
        if let Some(cell) = outer.x.checked_sub(1).and_then(|x| buffer.cell_mut((x, y)))
            && cell.symbol().width() > 1
        {
            cell.set_symbol(" ");
        }
        for x in outer.x..outer.right() {
            if let Some(cell) = buffer.cell_mut((x, y)) {
                cell.reset();
                cell.set_style(ground);
            }
        }
    }
    if place.inner == place.outer || outer != place.outer {
        return;
    }
    let border = style(theme, Role::Focus).remove_modifier(Modifier::BOLD);
    let (right, bottom) = (outer.right() - 1, outer.bottom() - 1);
    for x in outer.x + 1..right {
        buffer.set_string(x, outer.y, "─", border);
        buffer.set_string(x, bottom, "─", border);
    }
    for y in outer.y..=bottom {
        let (left, end) = match y {
            y if y == outer.y => ("╭", "╮"),
            y if y == bottom => ("╰", "╯"),
            _ => ("│", "│"),
        };
        buffer.set_string(outer.x, y, left, border);
        buffer.set_string(right, y, end, border);
    }
    label(buffer, theme, outer, 0, title, Role::Focus);
    label(buffer, theme, outer, outer.height - 1, foot, Role::Dim);
}

/// Words on the frame.
fn label(buffer: &mut Buffer, theme: &Theme, outer: Rect, row: u16, text: &str, role: Role) {
    if text.is_empty() {
        return;
    }
    let place = Rect { x: outer.x + 2, width: outer.width.saturating_sub(4), ..outer };
    let mut line = Line::new(buffer, theme, place, row);
    line.put(" ", role);
    let room = line.left().saturating_sub(1);
    line.put(&crate::present::clip(text, usize::from(room)), role);
    line.put(" ", role);
}

/// Hints for a place, as many as fit: `↑↓ move · Enter open · Esc close`. The last, which is the way out, stays.
#[must_use]
pub fn hints(keymap: &Keymap, context: Context, wanted: &[(&[Action], &str)], columns: usize) -> String {
    const GAP: &str = " · ";
    let hint = |(actions, word): &(&[Action], &str)| {
        let keys = actions.iter().filter_map(|action| keymap.keys_in(context, *action).next());
        let keys: String = keys.map(|keys| sequence_label(keys, false)).collect();
        (!keys.is_empty()).then(|| format!("{keys} {word}"))
    };
    let mut told: Vec<String> = wanted.iter().filter_map(hint).collect();
    let long = |told: &[String]| told.iter().map(|hint| width(hint) + width(GAP)).sum::<usize>();
    while told.len() > 1 && long(&told) > columns + width(GAP) {
        told.remove(told.len() - 2);
    }
    told.retain(|hint| width(hint) <= columns);
    told.join(GAP)
}
