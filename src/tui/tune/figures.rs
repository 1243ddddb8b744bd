//! What a policy comes to: the figures of a run, beside those of another.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::config::{Role, Theme};
use crate::engine::Consequences;
use crate::present::{Figure, figures, width};
use crate::tui::line::Line;

/// The look of a change for the better or the worse.
fn judged(now: &Figure, then: &Figure) -> Option<(bool, Role)> {
    let (more, better) = now.change_from(then)?;
    Some((more, if better { Role::Good } else { Role::Warning }))
}

/// What figures are seen against, and what that is called.
pub type Against<'a> = Option<(&'static str, &'a Consequences)>;

/// Draws the figures side by side: names, values, and from which they changed.
pub fn draw_figures(buffer: &mut Buffer, theme: &Theme, area: Rect, now: &Consequences, then: Against<'_>) {
    let figures = figures(now);
    let before = then.map(|(_, then)| crate::present::figures(then));
    let room = usize::from(area.width) / figures.len().max(1);
    // Where there is little room, the last go first.
    let (shown, room) = if room < 11 { (usize::from(area.width) / 11, 11) } else { (figures.len(), room.min(28)) };
    let room = u16::try_from(room).unwrap_or(11);
    for (at, figure) in (0u16..).zip(figures.iter().take(shown)) {
        let place = Rect { x: area.x + 1 + at * room, width: room.saturating_sub(1), ..area };
        let against = before.as_ref().and_then(|before| before.get(usize::from(at)));
        let change = against.and_then(|against| judged(figure, against));
        let mut line = Line::new(buffer, theme, place, 0);
        line.put(figure.name, Role::Dim);
        let mut line = Line::new(buffer, theme, place, 1);
        let arrow = match change {
            Some((true, _)) => "▲",
            Some((false, _)) => "▼",
            None => "",
        };
        let role = change.map_or(Role::Text, |(_, role)| role);
        line.put(&figure.text, if change.is_some() { role } else { Role::Title });
        line.put(arrow, role);
        if let (Some(against), Some((word, _)), Some(_)) = (against, then, change) {
            let mut line = Line::new(buffer, theme, place, 2);
            let told = format!("{word} {}", against.text);
            let fits = width(&told) <= usize::from(place.width);
            line.put(&if fits { told } else { format!("was {}", against.text) }, Role::Dim);
        }
    }
}

/// Draws two runs' figures as a table: names, both, and the change.
pub fn draw_table(buffer: &mut Buffer, theme: &Theme, area: Rect, sides: [(&str, Option<&Consequences>); 2]) {
    let names = figures(&Consequences::default());
    let head = sides.iter().map(|(name, _)| width(name)).max().unwrap_or(0).clamp(8, 28);
    let head = u16::try_from(head).unwrap_or(8) + 2;
    let all: Vec<Option<Vec<Figure>>> = sides.iter().map(|(_, of)| of.map(figures)).collect();
    // Each as wide as it has to be, with an arrow and a blank, and what is left among all; what has no room all the same
    // is left out from the end.
    let needed = |at: usize| {
        let values = all.iter().flatten().filter_map(|figures| figures.get(at)).map(|one| width(&one.text) + 1);
        let all = values.chain([width(names.get(at).map_or("", |one| one.name))]);
        u16::try_from(all.max().unwrap_or(0)).unwrap_or(u16::MAX).saturating_add(1)
    };
    let needed: Vec<u16> = (0..names.len()).map(needed).collect();
    let all_of_it = needed.iter().fold(0u16, |sum, one| sum.saturating_add(*one));
    let head = if area.width < all_of_it.saturating_add(head + 1) { head.min(12) } else { head };
    let spare = area.width.saturating_sub(all_of_it.saturating_add(head + 1)) / u16::try_from(names.len()).unwrap_or(1);
    let mut x = area.x + 1 + head;
    for (row, (name, _)) in (1u16..).zip(&sides) {
        let mut line = Line::new(buffer, theme, area, row);
        line.skip(1);
        line.field(name, head - 1, if row == 1 { Role::Text } else { Role::Accent });
    }
    for (at, name) in names.iter().enumerate() {
        let room = needed.get(at).map_or(0, |needed| needed + spare.min(20));
        if x + room > area.right() + 1 {
            break;
        }
        let place = Rect { x, width: (room - 1).min(area.right() - x), ..area };
        x += room;
        Line::new(buffer, theme, place, 0).put(name.name, Role::Dim);
        let of = |side: usize| all.get(side).and_then(Option::as_ref).and_then(|figures| figures.get(at));
        if let Some(one) = of(0) {
            Line::new(buffer, theme, place, 1).put(&one.text, Role::Text);
        }
        if let Some(other) = of(1) {
            let change = of(0).and_then(|one| judged(other, one));
            let mut line = Line::new(buffer, theme, place, 2);
            line.put(&other.text, change.map_or(Role::Text, |(_, role)| role));
            if let Some((more, role)) = change {
                line.put(if more { "▲" } else { "▼" }, role);
            }
        }
    }
}
