//! The timeline: layers stacked over the steps, marks below, and where the cursor is.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Color, Style};

use crate::config::{Role, Theme};
use crate::model::{ALL_LAYERS, Layer, Totals};
use crate::present::{short, width};
use crate::tui::inspect::Inspect;
use crate::tui::layout::timeline_feet;
use crate::tui::line;
use crate::tui::scene::{Column, Marks};
use crate::tui::signs::{CURSOR, STEP_SIGNS, StepSign, THRESHOLD};
use crate::tui::style;

/// Columns of the scale at the chart's left.
pub const AXIS: u16 = 6;

/// The order in which layers are stacked: what is not recorded is mostly the system prompt, so it is the ground.
pub fn stack() -> impl Iterator<Item = Layer> {
    let content = ALL_LAYERS.iter().map(|info| info.layer).filter(|layer| *layer < Layer::Unlogged);
    std::iter::once(Layer::Unlogged).chain(content)
}

/// The chart's area within the timeline (given without its title).
#[must_use]
pub fn chart(inner: Rect, screen_height: u16) -> Rect {
    let axis = if inner.width > AXIS * 4 { AXIS } else { 0 };
    let feet = timeline_feet(screen_height).min(inner.height);
    Rect { x: inner.x + axis, width: inner.width.saturating_sub(axis + 1), height: inner.height - feet, ..inner }
}

/// The step that is drawn at a column of the screen.
#[must_use]
pub fn step_at(view: &Inspect, chart: Rect, x: u16) -> Option<u32> {
    let column = view.timeline.offset + u64::from(x.checked_sub(chart.x)?);
    let scale = view.timeline.scale(view.index.steps(), chart.width);
    let column = view.timeline.columns.get(usize::try_from(scale.group_of(column)).ok()?)?;
    Some(if (column.first..=column.last).contains(&view.step) { view.step } else { column.peak })
}

/// The tokens at the chart's top: the window's size, or less where all windows are far smaller.
#[must_use]
pub fn ceiling(view: &Inspect) -> u64 {
    let (peak, window) = view.timeline.common.unwrap_or_else(|| (view.index.peak(), view.window_tokens()));
    if window > 0 && peak.saturating_mul(3) >= window {
        return window.max(peak);
    }
    let wanted = (peak + peak / 8).max(8);
    let mut unit = 1u64;
    while unit.saturating_mul(10) <= wanted {
        unit = unit.saturating_mul(10);
    }
    [1, 2, 3, 4, 5, 6, 8, 10]
        .into_iter()
        .map(|times| unit.saturating_mul(times))
        .find(|top| *top >= wanted)
        .unwrap_or(peak)
}

/// The tokens at which the policy compacts at a step, where the chart reaches so high: a policy that goes by something
/// else than tokens has a threshold that no window comes near.
#[must_use]
pub fn threshold(view: &Inspect, step: u32) -> Option<u64> {
    view.index.step(step).and_then(|step| step.threshold).filter(|at| *at <= ceiling(view))
}

/// Draws the chart with its scale, marks and cursor.
pub fn draw(buffer: &mut Buffer, theme: &Theme, inner: Rect, screen_height: u16, view: &Inspect) {
    let chart = chart(inner, screen_height);
    if chart.width == 0 || inner.height == 0 || view.index.steps() == 0 {
        return;
    }
    let (top, threshold) = (ceiling(view), threshold(view, view.step));
    axis(buffer, theme, inner, chart, top, threshold);
    let looks: Vec<Style> = ALL_LAYERS.iter().map(|info| style(theme, Role::Layer(info.layer))).collect();
    let scale = view.timeline.scale(view.index.steps(), chart.width);
    let cursor = scale.group_of(scale.column_of(view.step));
    let mut nth = 0;
    for x in 0..chart.width {
        let group = scale.group_of(view.timeline.offset + u64::from(x));
        let Some(column) = usize::try_from(group).ok().and_then(|at| view.timeline.columns.get(at)) else { break };
        // Marks stand on the first of a step's columns.
        let first = x == 0 || scale.group_of(view.timeline.offset + u64::from(x) - 1) != group;
        nth = if first { 0 } else { nth + 1 };
        let place = Rect { x: chart.x + x, width: 1, ..chart };
        let line = ground(column, threshold, top, chart.height, group == cursor);
        let mut above = false;
        if let Some(totals) = view.index.totals(column.peak) {
            let bar = Bar { totals, top, looks: &looks, ranks: view.index.ranks(), ground: line, first };
            above = bar.draw(buffer, theme, place);
        }
        if chart.bottom() < inner.bottom() {
            let at = (place.x, chart.bottom());
            // Of a step that has one column, the line over the bar says that it compacted: the foot says what else.
            let alone = first && scale.group_of(view.timeline.offset + u64::from(x) + 1) != group;
            let others = signs(column.marks).count() > 1;
            let said = above && alone && others && column.marks.has(Marks::COMPACTION);
            foot(buffer, theme, at, column.marks, if said { 1 } else { nth }, group == cursor);
        }
    }
    if chart.bottom() + 1 < inner.bottom() {
        numbers(buffer, theme, chart, view, scale.column_of(view.step));
    }
}

fn axis(buffer: &mut Buffer, theme: &Theme, inner: Rect, chart: Rect, top: u64, threshold: Option<u64>) {
    let room = chart.x - inner.x;
    if room == 0 || chart.height == 0 {
        return;
    }
    let mut label = |row: u16, tokens: u64, role: Role| {
        let text = short(tokens);
        let x = inner.x + room.saturating_sub(u16::try_from(width(&text)).unwrap_or(room) + 1);
        line::text(buffer, (x, chart.y + row), &text, u16::MAX, style(theme, role));
    };
    let at = threshold.map(|threshold| row_of(threshold, top, chart.height));
    // A short chart has both in one row: the line that is drawn there is the threshold's.
    if at != Some(0) {
        label(0, top, Role::Dim);
    }
    if let (Some(row), Some(threshold)) = (at, threshold) {
        label(row, threshold, Role::Threshold);
    }
    let half = row_of(top / 2, top, chart.height);
    if chart.height >= 7 && at.is_none_or(|at| at.abs_diff(half) > 1) {
        label(half, top / 2, Role::Dim);
    }
    if chart.height > 2 && at != Some(chart.height - 1) {
        label(chart.height - 1, 0, Role::Dim);
    }
}

/// The row that a height stands in, from the chart's top.
fn row_of(tokens: u64, top: u64, height: u16) -> u16 {
    let eighths = eighths(tokens, top, height).saturating_sub(1);
    height.saturating_sub(1).saturating_sub(u16::try_from(eighths / 8).unwrap_or(0))
}

/// A height in eighths of a row.
fn eighths(tokens: u64, top: u64, height: u16) -> u64 {
    let most = u128::from(height) * 8;
    let found = (u128::from(tokens) * most + u128::from(top) / 2) / u128::from(top.max(1));
    u64::try_from(found.min(most)).unwrap_or(0)
}

/// What shows where no bar is: by row from the top.
#[derive(Clone, Copy)]
struct Ground {
    threshold: Option<u16>,
    compaction: bool,
    cursor: bool,
    failed: bool,
}

fn ground(column: &Column, threshold: Option<u64>, top: u64, height: u16, cursor: bool) -> Ground {
    Ground {
        threshold: threshold.map(|threshold| row_of(threshold, top, height)),
        compaction: column.marks.has(Marks::COMPACTION),
        cursor,
        failed: column.marks.has(Marks::FAILED),
    }
}

/// One column of the chart.
struct Bar<'a> {
    /// The sums of its step.
    totals: &'a Totals,
    /// Tokens at the chart's upper end.
    top: u64,
    /// How each layer looks, by its number.
    looks: &'a [Style],
    /// How much each layer matters to the run.
    ranks: &'a [u64; Layer::COUNT],
    ground: Ground,
    /// Whether it is the first of its step's columns.
    first: bool,
}

impl Bar<'_> {
    /// Draws it; says whether its topmost row shows what lies behind the bar.
    fn draw(&self, buffer: &mut Buffer, theme: &Theme, place: Rect) -> bool {
        let Bar { totals, top, looks, ranks, ground, first } = *self;
        // Upper edges of the layers, in eighths from the ground.
        let mut edges = [(Layer::Free, 0u64); Layer::COUNT];
        let (mut count, mut sum) = (0, 0u64);
        for layer in stack() {
            let tokens = totals.layers.get(layer as usize).copied().unwrap_or(0);
            if tokens > 0 {
                sum = sum.saturating_add(tokens);
                if let Some(edge) = edges.get_mut(count) {
                    *edge = (layer, eighths(sum, top, place.height).max(1));
                    count += 1;
                }
            }
        }
        let edges = edges.get(..count).unwrap_or_default();
        let open = eighths(sum, top, place.height) <= u64::from(place.height.saturating_sub(1)) * 8;
        for row in 0..place.height {
            let from = u64::from(place.height - 1 - row) * 8;
            let Some(cell) = buffer.cell_mut((place.x, place.y + row)) else { break };
            let [(lower, rise), (upper, rest)] = two_parts(edges, ranks, from);
            let look = |layer: Layer| looks.get(layer as usize).copied().unwrap_or_default();
            match (rise, rest) {
                (0, _) => {
                    let (sign, role) = match ground {
                        Ground { compaction: true, .. } if first => ("┊", Role::Summarised),
                        Ground { failed: true, .. } if first && row == 0 => ("×", Role::Error),
                        Ground { cursor: true, .. } if first => (CURSOR[0], Role::Cursor),
                        Ground { threshold: Some(at), .. } if at == row => (THRESHOLD, Role::Threshold),
                        _ => continue,
                    };
                    cell.set_symbol(sign).set_style(style(theme, role));
                }
                // The cursor is a fine line through the bar.
                (8, _) if ground.cursor && first => {
                    cell.set_symbol(CURSOR[0]).set_style(style(theme, Role::Cursor));
                    if let Some(ground) = look(lower).fg {
                        cell.set_bg(ground);
                    }
                }
                // Without colours, layers are told apart by what they are made of, though heights lose their eighths.
                (rise, rest) if matches!(look(lower).fg, None | Some(Color::Reset)) => {
                    let most = if rise >= rest { lower } else { upper };
                    cell.set_symbol(theme.fill(most)).set_style(look(most));
                }
                (rise, 0) => {
                    cell.set_symbol(RISES.get(rise as usize).copied().unwrap_or("█")).set_style(look(lower));
                }
                (rise, _) => {
                    cell.set_symbol(RISES.get(rise as usize).copied().unwrap_or("█")).set_style(look(lower));
                    if let Some(ground) = look(upper).fg {
                        cell.set_bg(ground);
                    }
                }
            }
        }
        open
    }
}

/// Eighths of a row, from the ground.
const RISES: [&str; 9] = [" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"];

/// Two of the parts of the eight eighths above `from`, the lower one first, each with its eighths: those of the layers
/// that are largest over all steps, so that small ones do not take turns from column to column. A cell has two colours:
/// where the bar ends in it, one is the ground's, and the largest part is drawn to the bar's end.
fn two_parts(edges: &[(Layer, u64)], ranks: &[u64; Layer::COUNT], from: u64) -> [(Layer, u64); 2] {
    let mut parts = [(Layer::Free, 0u64); 2];
    let (mut bottom, to) = (0u64, from + 8);
    let mut filled = 0;
    // The largest part, with its eighths and its rank.
    let mut largest = (Layer::Free, (0u64, 0u64));
    // In the order of the stack, each with its rank and where it ends.
    let mut best: [Option<(Layer, u64, u64)>; 2] = [None; 2];
    for (layer, edge) in edges {
        let share = (*edge).min(to).saturating_sub(bottom.max(from));
        bottom = *edge;
        if share == 0 {
            continue;
        }
        filled += share;
        let rank = ranks.get(*layer as usize).copied().unwrap_or(0);
        let this = Some((*layer, rank, filled));
        if (share, rank) > largest.1 {
            largest = (*layer, (share, rank));
        }
        best = match best {
            [None, _] => [this, None],
            [one, None] => [one, this],
            [Some(one), Some(other)] if rank > one.1.min(other.1) => match one.1 <= other.1 {
                true => [Some(other), this],
                false => [Some(one), this],
            },
            kept => kept,
        };
    }
    match best {
        [Some(_), Some(_)] if filled < 8 => parts[0] = (largest.0, filled),
        [None, _] => {}
        [Some((layer, ..)), None] => parts[0] = (layer, filled),
        [Some((lower, _, end)), Some((upper, ..))] => {
            parts[0] = (lower, end.min(7));
            parts[1] = (upper, 8 - end.min(7));
        }
    }
    parts
}

/// The signs of a column's marks, the gravest first.
fn signs(marks: Marks) -> impl Iterator<Item = (&'static str, Role)> {
    STEP_SIGNS.iter().filter(move |sign| marks.has(sign.mark)).map(|sign| (sign.sign, sign.role))
}

/// What the signs mean, for those that occur. `asked`: another agent wrote what a person writes elsewhere.
#[must_use]
pub fn legend(marks: Marks, threshold: Option<u64>, asked: bool) -> Vec<(String, Role)> {
    let word = |sign: &StepSign| if asked && sign.mark == Marks::USER { "its task" } else { sign.word };
    let mut signs: Vec<&StepSign> = STEP_SIGNS.iter().filter(|sign| marks.has(sign.mark)).collect();
    // Where there is no room for all, what structures the session stays.
    signs.sort_by_key(|sign| match sign.mark {
        Marks::COMPACTION => 0,
        Marks::USER => 1,
        _ => 2,
    });
    let mut found: Vec<(String, Role)> =
        signs.into_iter().map(|sign| (format!("{} {}", sign.sign, word(sign)), sign.role)).collect();
    // Its figure stands nowhere else where the chart is low, so others go first where there is no room.
    if let Some(threshold) = threshold {
        let at = usize::from(marks.has(Marks::COMPACTION));
        found.insert(at.min(found.len()), (format!("{THRESHOLD} compacts at {}", short(threshold)), Role::Threshold));
    }
    found
}

/// The signs of a step stand side by side below its columns: `nth` says which has its place here.
fn foot(buffer: &mut Buffer, theme: &Theme, at: (u16, u16), marks: Marks, nth: usize, cursor: bool) {
    let Some(cell) = buffer.cell_mut(at) else { return };
    if let Some((sign, role)) = signs(marks).nth(nth) {
        cell.set_symbol(sign).set_style(style(theme, role));
    } else if cursor {
        cell.set_symbol(CURSOR[1]).set_style(style(theme, Role::Cursor));
    }
}

/// The number of the step that is shown, below it, between those of the first and the last.
fn numbers(buffer: &mut Buffer, theme: &Theme, chart: Rect, view: &Inspect, column: u64) {
    let y = chart.bottom() + 1;
    let (first, last) = ("1".to_owned(), view.index.steps().to_string());
    let text = format!(" {} ", view.step);
    let size = u16::try_from(width(&text)).unwrap_or(0);
    let at = u16::try_from(column.saturating_sub(view.timeline.offset)).unwrap_or(0);
    let x = (chart.x + at).saturating_sub(size / 2).clamp(chart.x, chart.right().saturating_sub(size).max(chart.x));
    let drawn = u16::try_from(view.timeline.columns.len()).unwrap_or(u16::MAX);
    let scale = view.timeline.scale(view.index.steps(), chart.width);
    let ends = scale.total(view.index.steps()).saturating_sub(view.timeline.offset);
    let end = chart.x + u16::try_from(ends).unwrap_or(u16::MAX).min(chart.width);
    let last_x = end.saturating_sub(u16::try_from(last.len()).unwrap_or(0)).max(chart.x);
    if drawn > 0 && view.step > 1 && x > chart.x + 2 && view.timeline.offset == 0 {
        line::text(buffer, (chart.x, y), &first, u16::MAX, style(theme, Role::Dim));
    }
    if view.step < view.index.steps() && x + size < last_x && ends <= u64::from(chart.width) {
        line::text(buffer, (last_x, y), &last, u16::MAX, style(theme, Role::Dim));
    }
    let look = style(theme, Role::Cursor).add_modifier(ratatui::style::Modifier::REVERSED);
    line::text(buffer, (x, y), &text, chart.right().saturating_sub(x), look);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_that_ends_in_a_cell_has_the_colour_of_what_it_holds_most_of() {
        let mut ranks = [0; Layer::COUNT];
        (ranks[Layer::ToolResults as usize], ranks[Layer::Unlogged as usize]) = (900, 100);
        let edges = [(Layer::ToolResults, 2), (Layer::Unlogged, 6)];
        assert_eq!(two_parts(&edges, &ranks, 0)[0], (Layer::Unlogged, 6));
        // Of equal parts the colour is that of the other columns.
        let edges = [(Layer::ToolResults, 3), (Layer::Unlogged, 6)];
        assert_eq!(two_parts(&edges, &ranks, 0)[0], (Layer::ToolResults, 6));
    }

    #[test]
    fn what_was_cleared_shows_beside_a_compaction_of_the_same_step() {
        let marks = Marks::COMPACTION.with(Marks::CLEARING);
        let mut buffer = Buffer::empty(Rect::new(0, 0, 3, 1));
        for nth in 0..3u16 {
            foot(&mut buffer, &Theme::default(), (nth, 0), marks, usize::from(nth), false);
        }
        let signs: Vec<&str> = buffer.content.iter().map(|cell| cell.symbol()).collect();
        assert_eq!(signs, ["┊", "○", " "]);
    }
}
