//! Where the parts of the compare view stand, and their drawing.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::config::{Role, Theme};
use crate::model::{EntryId, Layer};
use crate::present::{DiffRow, Differs, count, name_in, short};
use crate::tui::inspect::Inspect;
use crate::tui::layout::{Room, below, bottom, room, timeline_feet, top};
use crate::tui::line::{Line, wrapped};
use crate::tui::main_screen::{Title, fate_sign, repeats, timeline, title_line, upright};
use crate::tui::tune::draw_table;

use super::Compare;

/// The parts of the view. What does not show has no area.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Parts {
    pub header: Rect,
    /// With their titles.
    pub timelines: [Rect; 2],
    /// Both windows with their titles.
    pub windows: Rect,
    pub left: Rect,
    pub right: Rect,
    /// With its title.
    pub totals: Rect,
    pub footer: Rect,
}

/// Lays the view out.
#[must_use]
pub fn parts(area: Rect) -> Parts {
    let mut parts = Parts::default();
    if room(area.width, area.height) == Room::None {
        return parts;
    }
    let mut rest = area;
    let mut take = |height: u16| top(&mut rest, height);
    parts.header = take(if area.height >= 14 { 2 } else { 1 });
    let chart = match area.height {
        ..12 => 0,
        12..20 => 2,
        20..26 => 4,
        26..34 => 5,
        34..50 => 7,
        _ => 10,
    };
    // The numbers of the steps stand below both.
    let feet = timeline_feet(area.height) - 1;
    parts.timelines = [take(chart), take(if chart > 2 { chart + feet } else { chart })];
    let mut foot = |height: u16| bottom(&mut rest, height);
    parts.footer = foot(1);
    parts.totals = foot(if area.height >= 16 { 4 } else { 0 });
    parts.windows = rest;
    let inner = below(rest);
    let half = inner.width.saturating_sub(1) / 2;
    parts.left = Rect { width: half, ..inner };
    parts.right = Rect { x: inner.x + half + 1, width: inner.width.saturating_sub(half + 1), ..inner };
    parts
}

/// The screen's height as a timeline is told it: without room, it leaves the steps' numbers out.
#[must_use]
pub fn height_for(side: usize, screen_height: u16) -> u16 {
    if side == 0 { screen_height.min(13) } else { screen_height }
}

/// The charts' columns, for working out what they show.
#[must_use]
pub fn chart(area: Rect) -> u16 {
    timeline::chart(below(parts(area).timelines[0]), area.height).width
}

/// Draws all but header and footer. `names`: what the sides are called.
pub fn draw(buffer: &mut Buffer, theme: &Theme, area: Rect, compare: &Compare, names: [&str; 2]) {
    let parts = parts(area);
    for at in [0, 1] {
        let rect = parts.timelines[at];
        if rect.height < 2 {
            continue;
        }
        let mut title = Title { name: "", ..Title::default() };
        title.facts.push((names[at].to_owned(), if compare.focus == at { Role::Accent } else { Role::Title }));
        if let Some(view) = &compare.views[at] {
            if let Some(totals) = view.index.totals(compare.step) {
                let window = view.index.step(compare.step).map_or(0, |step| step.window_tokens);
                title.facts.push((
                    format!("{} of {} at step {}", short(totals.used()), short(window), compare.step),
                    Role::Text,
                ));
            }
            if compare.is_with_users(at) {
                title.facts.push(("with the user's own compactions".to_owned(), Role::Text));
            }
            if view.index.run().provisional {
                title.facts.push(("provisional".to_owned(), Role::Estimate));
            }
            let marks = view
                .timeline
                .columns
                .iter()
                .fold(crate::tui::scene::Marks::default(), |all, column| all.with(column.marks));
            title.signs = timeline::legend(marks, timeline::threshold(view, compare.step), view.asked);
        }
        title_line(buffer, theme, rect, compare.focus == at, &title);
        match &compare.views[at] {
            Some(view) => timeline::draw(buffer, theme, below(rect), height_for(at, area.height), view),
            None => missing(buffer, theme, below(rect), compare.failed[at].as_deref()),
        }
    }
    if compare.facts.shown {
        compare.facts.draw(buffer, theme, parts.windows, names);
    } else {
        windows(buffer, theme, &parts, compare, names);
    }
    if parts.totals.height > 0 {
        let mut title = Title { name: "Totals", ..Title::default() };
        title.facts.extend(compare.facts.summary(names).map(|words| (words, Role::Text)));
        title_line(buffer, theme, parts.totals, false, &title);
        let of = |at: usize| compare.views[at].as_ref().map(|view| &view.consequences);
        draw_table(buffer, theme, below(parts.totals), [(names[0], of(0)), (names[1], of(1))]);
    }
}

/// Says where a side is looked for that its replay is not there yet, or why there is none.
fn missing(buffer: &mut Buffer, theme: &Theme, area: Rect, failed: Option<&str>) {
    let (text, role) = match failed {
        Some(why) => (why, Role::Error),
        None => ("The session is being replayed …", Role::Dim),
    };
    let place = Rect { x: area.x + 2.min(area.width), width: area.width.saturating_sub(2), ..area };
    for (row, text) in (0..place.height).zip(wrapped(text, usize::from(place.width).max(1))) {
        Line::new(buffer, theme, place, row).put(text, role);
    }
}

fn windows(buffer: &mut Buffer, theme: &Theme, parts: &Parts, compare: &Compare, names: [&str; 2]) {
    let diff = &compare.diff;
    for (at, area, only) in [(0, parts.left, diff.first), (1, parts.right, diff.second)] {
        if area.width == 0 {
            continue;
        }
        let rect = Rect { y: parts.windows.y, height: parts.windows.height, ..area };
        let mut facts = vec![(names[at].to_owned(), Role::Text)];
        if only > 0 {
            facts.push((format!("{} only here", short(only)), Role::Accent));
        }
        // What no record holds stands in the sum and in no row.
        let totals = compare.views[at].as_ref().and_then(|view| view.index.totals(compare.step));
        let unlogged = totals.map_or(0, |totals| totals.layers[Layer::Unlogged as usize]);
        facts.extend((unlogged > 0).then(|| (format!("+ {} unlogged", short(unlogged)), Role::Dim)));
        let name = if at == 0 { "Window" } else { "" };
        let mut signs = Vec::new();
        if at == 1 {
            signs.extend((diff.state != (0, 0)).then(|| ("≠ changed".to_owned(), Role::Warning)));
            signs.extend((diff.moved != (0, 0)).then(|| ("↕ elsewhere".to_owned(), Role::Accent)));
        }
        title_line(buffer, theme, rect, false, &Title { name, facts, signs });
    }
    upright(buffer, theme, parts.left.right(), parts.windows);
    let rows = diff.rows.iter().enumerate().skip(compare.row.top);
    for (y, (at, row)) in (0..parts.left.height).zip(rows) {
        let chosen = at == compare.row.cursor;
        for (side, area) in [(0, parts.left), (1, parts.right)] {
            let mut line = Line::new(buffer, theme, area, y);
            if chosen {
                line.under(if side == compare.focus { Role::Selection } else { Role::SelectionQuiet });
            }
            match row {
                DiffRow::Alike(number, one, other) => {
                    let text = format!("  ⋯ {} pieces alike", count(u64::from(*number)));
                    let mut right = line.split_right(9);
                    right.right(&short(if side == 0 { *one } else { *other }), 8, Role::Dim);
                    line.put(&text, Role::Dim);
                }
                DiffRow::Entry(one, other, differs) => {
                    let id = if side == 0 { one } else { other };
                    match (id, &compare.views[side]) {
                        (Some(id), Some(view)) => entry(&mut line, view, *id, *differs),
                        _ => line.put("  ─", Role::Border),
                    }
                }
            }
        }
    }
    for (at, area) in [parts.left, parts.right].into_iter().enumerate() {
        if compare.views[at].is_none() {
            missing(buffer, theme, area, compare.failed[at].as_deref());
        }
    }
    if let [Some(_), Some(_)] = &compare.views
        && diff.rows.is_empty()
    {
        let mut line = Line::new(buffer, theme, parts.left, 0);
        line.skip(2);
        line.put("Nothing is in either window.", Role::Dim);
    }
}

fn entry(line: &mut Line<'_>, view: &Inspect, id: EntryId, differs: Differs) {
    let Some(entry) = view.index.run().entry(id) else { return };
    let (sign, role) = match differs {
        Differs::Not => (" ", Role::Dim),
        Differs::State => ("≠", Role::Warning),
        Differs::Place => ("↕", Role::Accent),
        Differs::First | Differs::Second => ("◂", Role::Accent),
    };
    let sign = if differs == Differs::Second { "▸" } else { sign };
    line.put("▎", Role::Layer(entry.layer));
    line.put(sign, role);
    line.put(" ", role);
    line.field(entry.layer.info().tag, 8, Role::Layer(entry.layer));
    let narrow = line.left() < 34;
    // A blank parts the figures from what stands beside them.
    let mut right = line.split_right(if narrow { 9 } else { 11 });
    let mark = fate_sign(entry.fate);
    right.field(mark.map_or("", |(sign, _)| sign), 2, mark.map_or(Role::Dim, |(_, role)| role));
    let figure = if narrow { short(entry.tokens) } else { count(entry.tokens) };
    right.right(&figure, if narrow { 6 } else { 8 }, if differs == Differs::Not { Role::Dim } else { Role::Text });
    let text = if differs == Differs::Not { Role::Dim } else { Role::Text };
    if !entry.label.is_empty() && !repeats(entry.layer, &entry.label) {
        line.put(&name_in(&entry.label, usize::from(line.left()) * 2 / 3), text);
        line.put(" ", Role::Dim);
    }
    if let Some(words) = view.previews.get(&id) {
        line.put(words, if differs == Differs::Not { Role::Dim } else { Role::Text });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_side_that_is_not_there_says_so_where_it_is_looked_for() {
        let theme = Theme::default();
        let area = Rect::new(0, 0, 100, 30);
        let shown = |compare: &Compare| -> Vec<String> {
            let mut buffer = Buffer::empty(area);
            draw(&mut buffer, &theme, area, compare, ["recorded", "codex"]);
            let line = |y| (0..area.width).map(|x| buffer[(x, y)].symbol()).collect::<String>();
            (0..area.height).map(line).collect()
        };
        let mut compare = Compare::default();
        let windows = parts(area).right;
        let row = |compare: &Compare| shown(compare)[usize::from(windows.y)].clone();
        assert_eq!(row(&compare).matches("The session is being replayed …").count(), 2);
        compare.failed[1] = Some("no tokenizer is there".to_owned());
        assert!(row(&compare).contains("no tokenizer is there"));
        compare.choose(super::super::Side::Preset("pi"));
        assert!(!row(&compare).contains("no tokenizer"), "another is asked for");
    }
}
