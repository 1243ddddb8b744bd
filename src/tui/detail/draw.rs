//! Drawing an entry's text: only the rows that are in sight are laid out.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use ratatui::widgets::Widget;
use ratatui_image::sliced::{SignedPosition, SlicedImage};
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

use crate::config::{Role, Theme};
use crate::tui::style;

use super::compose::{Composed, Look};
use super::section::Body;
use super::view::{Detail, Place, Shown};

impl Detail {
    /// Draws the text from the present place on, as it was fitted last.
    pub fn draw(&self, area: Rect, buffer: &mut Buffer, theme: &Theme) {
        let area = area.intersection(buffer.area);
        let mut place = self.top;
        let mut y = 0;
        while y < area.height {
            let composed = self.compose(place);
            let rows = self.rows(&composed);
            for (number, range) in rows.iter().enumerate().skip(place.row) {
                if y >= area.height {
                    break;
                }
                let line = Rect { y: area.y + y, height: 1, ..area };
                let hang = if number > 0 { composed.hang.min(usize::from(area.width / 2)) } else { 0 };
                paint(&composed, range.clone(), hang, self.column, line, buffer, theme);
                y += 1;
            }
            self.picture(place, y, area, buffer);
            match self.next_line(place) {
                Some(next) => place = next,
                None => return,
            }
        }
    }

    /// Draws what has room of a picture below its description, from the first of its rows that is in sight.
    fn picture(&self, place: Place, y: u16, area: Rect, buffer: &mut Buffer) {
        if !self.sections.get(place.section).is_some_and(|section| matches!(section.body, Body::Picture(_))) {
            return;
        }
        let Some(Shown::Ready(_, picture)) = self.pictures.get(&place.section) else { return };
        // The line after the description is the picture's first row.
        let Some(above) = place.line.checked_sub(1).and_then(|above| i16::try_from(above).ok()) else { return };
        if above > 0 && y > 1 {
            return;
        }
        let top = area.y + y.saturating_sub(1);
        let below = Rect { y: top, height: area.bottom().saturating_sub(top), ..area };
        SlicedImage::new(picture, SignedPosition { x: 0, y: -above }).render(below, buffer);
    }
}

/// Draws one row of a line.
fn paint(
    composed: &Composed,
    range: std::ops::Range<usize>,
    hang: usize,
    skip: usize,
    line: Rect,
    buffer: &mut Buffer,
    theme: &Theme,
) {
    let width = usize::from(line.width);
    let (x, _) = buffer.set_stringn(line.x, line.y, &composed.margin, width, style(theme, Role::Quote));
    let mut x = usize::from(x - line.x) + hang;
    let mut hidden = 0;
    let mut at = range.start;
    while at < range.end && x < width {
        let (end, look) = composed.look(at);
        let end = end.min(range.end);
        let piece = composed.text.get(at..end).unwrap_or_default();
        let look = to_style(look, theme);
        let mut piece = piece;
        // What lies to the left of the first column shown is left out.
        if hidden < skip {
            let cut = piece
                .grapheme_indices(true)
                .find(|(_, grapheme)| {
                    let out = hidden < skip;
                    hidden += if out { grapheme.width() } else { 0 };
                    !out
                })
                .map_or(piece.len(), |(byte, _)| byte);
            piece = piece.get(cut..).unwrap_or_default();
        }
        let column = u16::try_from(x).unwrap_or(u16::MAX);
        let (next, _) = buffer.set_stringn(line.x + column, line.y, piece, width - x, look);
        x = usize::from(next - line.x);
        at = end;
    }
}

fn to_style(look: Look, theme: &Theme) -> Style {
    let mut found = style(theme, look.role);
    if look.strong {
        found = found.add_modifier(Modifier::BOLD);
    }
    if look.soft {
        found = found.add_modifier(Modifier::ITALIC);
    }
    match look.over {
        Some(over) => found.patch(style(theme, over)),
        None => found,
    }
}

#[cfg(test)]
#[path = "draw_tests.rs"]
mod tests;
