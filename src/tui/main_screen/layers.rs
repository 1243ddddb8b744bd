//! The layers pane: the budget of the window, one row for each layer.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::config::{Role, Theme};
use crate::model::{Layer, Totals};
use crate::present::{count, percent, short};
use crate::tui::inspect::Inspect;
use crate::tui::line::{Line, bar};
use crate::tui::scene::Marks;

use super::frame::Title;

/// Draws the rows that show.
pub fn draw(buffer: &mut Buffer, theme: &Theme, inner: Rect, view: &Inspect, focused: bool) {
    let (Some(totals), Some(step)) = (view.index.totals(view.step), view.index.step(view.step)) else { return };
    let before = view.index.totals(view.step.saturating_sub(1));
    let window = step.window_tokens.max(totals.used());
    // What is free has no bar; in a large window it would leave the others none.
    let drawn = view.layers.iter().filter(|layer| **layer != Layer::Free);
    let largest = drawn.map(|layer| tokens(totals, *layer)).max().unwrap_or(0);
    for (row, layer) in (0..inner.height).zip(view.layers.iter().skip(view.layer.top)) {
        let mut line = Line::new(buffer, theme, inner, row);
        if view.layer.top + usize::from(row) == view.layer.cursor {
            line.under(if focused { Role::Selection } else { Role::SelectionQuiet });
        }
        let only = view.settings.layer == Some(*layer);
        let window = step.window_tokens;
        let row = LayerRow { layer: *layer, totals, before, estimates: view.estimates(), window, largest, only };
        row.draw(&mut line, theme);
    }
    let rows = u16::try_from(view.layers.len()).unwrap_or(u16::MAX);
    if inner.height >= rows.saturating_add(BUDGET) && inner.width > 8 {
        let place = Rect { x: inner.x + 1, width: inner.width - 2, y: inner.y + rows + 1, height: 2 };
        budget(buffer, theme, place, totals, (window, step.window_tokens));
    }
}

/// Rows that the budget takes below the layers: a gap, the bar, its words.
pub const BUDGET: u16 = 3;

/// The whole window as one bar, and what that comes to. `whole`: what the bar shows, which is more than the window where
/// that is over its size.
fn budget(buffer: &mut Buffer, theme: &Theme, place: Rect, totals: &Totals, (whole, window): (u64, u64)) {
    let mut line = Line::new(buffer, theme, place, 0);
    stacked(&mut line, theme, totals, whole);
    let mut line = Line::new(buffer, theme, place, 1);
    let of = |tokens: u64| percent(tokens, window);
    if totals.over > 0 {
        line.put(&format!("used {}", of(totals.used())), Role::Over);
        line.whole(&format!(" · {} too many", short(totals.over)), Role::Over);
        return;
    }
    line.put(&format!("used {}", of(totals.used())), Role::Text);
    for (name, layer) in [("reserve", Layer::Reserve), ("free", Layer::Free)] {
        line.whole(&format!(" · {name} {}", of(tokens(totals, layer))), Role::Dim);
    }
}

/// The layers of the step in one row: all side by side as a bar, and the largest with their tokens.
pub fn strip(buffer: &mut Buffer, theme: &Theme, area: Rect, view: &Inspect) {
    let (Some(totals), Some(step)) = (view.index.totals(view.step), view.index.step(view.step)) else { return };
    let wide = area.width / 3;
    let mut bar = Line::new(buffer, theme, Rect { x: area.x + 1, width: wide.saturating_sub(1), ..area }, 0);
    stacked(&mut bar, theme, totals, step.window_tokens.max(totals.used()));
    let rest = Rect { x: area.x + wide, width: area.width - wide, ..area };
    let mut line = Line::new(buffer, theme, rest, 0);
    let mut held: Vec<Layer> = view.layers.iter().copied().filter(|layer| *layer < Layer::Reserve).collect();
    held.sort_by_key(|layer| std::cmp::Reverse(tokens(totals, *layer)));
    for layer in held.into_iter().filter(|layer| tokens(totals, *layer) > 0) {
        let told = format!(" {} {}", layer.info().title, short(tokens(totals, layer)));
        if usize::from(line.left()) < told.chars().count() + 3 {
            break;
        }
        line.put(" ", Role::Dim);
        line.put(theme.fill(layer), Role::Layer(layer));
        line.put(&told, Role::Text);
        line.put(" ", Role::Dim);
    }
}

/// All layers side by side in one row, to the scale of the window.
pub fn stacked(line: &mut Line<'_>, theme: &Theme, totals: &Totals, whole: u64) {
    for layer in columns_of(totals, whole, line.left()) {
        line.put(theme.fill(layer), Role::Layer(layer));
    }
}

/// The layer that each of so many columns shows, up to where the window ends: that with the most of it.
fn columns_of(totals: &Totals, whole: u64, columns: u16) -> Vec<Layer> {
    let edge = |tokens: u64| u128::from(tokens) * u128::from(columns);
    let (mut shown, mut sum) = (Vec::new(), 0u64);
    // What the column that is not full yet has most of, and how full it is.
    let (mut most, mut filled) = ((0u128, Layer::Free), 0u128);
    let whole = u128::from(whole.max(1));
    for info in crate::model::ALL_LAYERS {
        let before = edge(sum);
        sum = sum.saturating_add(tokens(totals, info.layer));
        let mut left = edge(sum) - before;
        while left > 0 && shown.len() < usize::from(columns) {
            let part = left.min(whole - filled);
            (left, filled) = (left - part, filled + part);
            most = most.max((part, info.layer));
            if filled == whole {
                shown.push(most.1);
                (most, filled) = ((0, Layer::Free), 0);
            }
        }
    }
    // A column that is half full or more is one.
    if 2 * filled >= whole && shown.len() < usize::from(columns) {
        shown.push(most.1);
    }
    // However little there is, it shows.
    let held = crate::model::ALL_LAYERS.iter().map(|info| info.layer).filter(|layer| *layer < Layer::Reserve);
    let largest = held.max_by_key(|layer| tokens(totals, *layer)).filter(|layer| tokens(totals, *layer) > 0);
    match (shown.first_mut(), largest) {
        (Some(first), Some(largest)) if *first >= Layer::Reserve => *first = largest,
        (None, Some(largest)) if columns > 0 => shown.push(largest),
        _ => {}
    }
    shown
}

/// A row of the pane.
struct LayerRow<'a> {
    layer: Layer,
    totals: &'a Totals,
    /// The sums of the step before.
    before: Option<&'a Totals>,
    /// Whether the sums are still estimates.
    estimates: bool,
    /// Tokens that there is room for in the window.
    window: u64,
    /// Tokens of the largest layer: its bar is the longest.
    largest: u64,
    /// Whether the window is narrowed to this layer.
    only: bool,
}

impl LayerRow<'_> {
    fn draw(&self, line: &mut Line<'_>, theme: &Theme) {
        let LayerRow { layer, totals, before, estimates, window, largest, only } = *self;
        let width = line.left();
        let own = tokens(totals, layer);
        let room = layer >= Layer::Reserve;
        line.put(if only { "▸" } else { " " }, Role::Accent);
        let name = match (own, room) {
            (0, _) | (_, true) => Role::Dim,
            _ => Role::Text,
        };
        line.field(layer.info().title, 13, name);
        let long = width >= 38;
        let estimated = !room && (estimates || (layer == Layer::Unlogged && totals.unlogged_estimated));
        let figure = match (own, long) {
            (0, _) => "–".to_owned(),
            // With the sign of an estimate, seven digits have no room.
            (_, true) if own < 1_000_000 || !estimated => count(own),
            _ => short(own),
        };
        let figure = if estimated && own > 0 { format!("~{figure}") } else { figure };
        let figure_role = match (own, room, estimated) {
            (0, ..) | (_, true, _) => Role::Dim,
            (.., true) => Role::Estimate,
            _ => Role::Text,
        };
        line.right(&figure, if long { 8 } else { 6 }, figure_role);
        if width >= 34 {
            let share = if own > 0 { percent(own, window) } else { String::new() };
            // Over the whole window it would touch the figure before it.
            let share = if share.chars().count() < 5 { share } else { share.replace(' ', "") };
            line.right(&share, 5, Role::Dim);
        }
        line.skip(1);
        let mut columns = None;
        if width >= 36 {
            let mut right = line.split_right(7);
            if let Some(before) = before.filter(|_| !room) {
                let (text, role) = delta(tokens(before, layer), own);
                right.right(&text, 6, role);
                // A change that fills its columns leaves none between it and the bar.
                columns = (crate::present::width(&text) >= 6).then(|| line.left().saturating_sub(1));
            }
        }
        if layer != Layer::Free {
            let bar = bar(own, largest, line.left(), theme.fill(layer));
            let shown: String = bar.chars().take(columns.map_or(usize::MAX, usize::from)).collect();
            line.put(&shown, Role::Layer(layer));
        }
    }
}

fn tokens(totals: &Totals, layer: Layer) -> u64 {
    totals.layers.get(layer as usize).copied().unwrap_or(0)
}

/// The change against the step before.
#[must_use]
pub fn delta(before: u64, now: u64) -> (String, Role) {
    match now.cmp(&before) {
        std::cmp::Ordering::Equal => (String::new(), Role::Dim),
        std::cmp::Ordering::Greater => (format!("+{}", short(now - before)), Role::Added),
        std::cmp::Ordering::Less => (format!("−{}", short(before - now)), Role::Removed),
    }
}

/// What the pane's line says: what is used of what there is.
#[must_use]
pub fn title(view: &Inspect) -> Title {
    let mut title = Title { name: "Layers", ..Title::default() };
    let (Some(totals), Some(step)) = (view.index.totals(view.step), view.index.step(view.step)) else { return title };
    let used = totals.used();
    let role = if totals.over > 0 { Role::Over } else { Role::Text };
    let about = if view.estimates() && totals.reported.is_none() { "~" } else { "" };
    title.facts.push((format!("{about}{} of {}", short(used), short(step.window_tokens)), role));
    title.facts.push((percent(used, step.window_tokens), role));
    if let Some(before) = view.index.totals(view.step.saturating_sub(1)) {
        let (text, role) = delta(before.used(), used);
        if !text.is_empty() && !view.index.marks(view.step).has(Marks::COMPACTION) {
            title.signs.push((text, role));
        }
    }
    title
}

#[cfg(test)]
mod tests {
    use ratatui::buffer::Buffer;

    use super::*;

    #[test]
    fn a_column_of_the_strip_is_of_the_layer_with_the_most_of_it() {
        let mut totals = Totals::default();
        let sizes = [(Layer::Files, 700), (Layer::ToolResults, 600), (Layer::Assistant, 30), (Layer::Free, 1_670)];
        sizes.iter().for_each(|(layer, tokens)| totals.layers[*layer as usize] = *tokens);
        let mut used = columns_of(&totals, 3_000, 3);
        used.retain(|layer| *layer < Layer::Reserve);
        assert_eq!(used.len(), 1, "a column of 1,000");
        assert!([Layer::Files, Layer::ToolResults].contains(&used[0]), "{used:?}");
        // Of little the largest shows.
        assert_eq!(columns_of(&totals, 300_000, 3)[0], Layer::Files);
        totals.layers[Layer::Free as usize] = 300_000 - 1_330;
        assert_eq!(columns_of(&totals, 300_000, 3)[0], Layer::Files);
        assert_eq!(columns_of(&Totals::default(), 1_000, 3), []);
    }

    #[test]
    fn a_change_stands_apart_from_the_bar() {
        let theme = Theme::default();
        let mut totals = Totals::default();
        totals.layers[Layer::ToolResults as usize] = 140_000;
        for (before, change) in [(28_600u64, "+111k"), (127_600, "+12.4k")] {
            let mut then = Totals::default();
            then.layers[Layer::ToolResults as usize] = before;
            for width in 36..60 {
                let area = Rect::new(0, 0, width, 1);
                let mut buffer = Buffer::empty(area);
                let mut line = Line::new(&mut buffer, &theme, area, 0);
                let row = LayerRow {
                    layer: Layer::ToolResults,
                    totals: &totals,
                    before: Some(&then),
                    estimates: false,
                    window: 200_000,
                    largest: 140_000,
                    only: false,
                };
                row.draw(&mut line, &theme);
                let shown: String = (0..width).map(|x| buffer[(x, 0)].symbol()).collect();
                assert!(shown.contains(&format!(" {change}")), "{width}: {shown}");
            }
        }
    }
}
