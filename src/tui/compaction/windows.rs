//! The window before a step's stages and the window after them, row beside row.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::config::{Role, Theme};
use crate::model::{EntryId, Stage};
use crate::present::{Acted, Became, Pair, PairCell, before_tokens, count, name_in, short, width};
use crate::tui::inspect::Inspect;
use crate::tui::line::Line;
use crate::tui::main_screen::{repeats, stage_role};

use super::{Compaction, Pane};

/// Draws both sides.
pub fn draw(buffer: &mut Buffer, theme: &Theme, (left, right): (Rect, Rect), compaction: &Compaction, view: &Inspect) {
    let origin = compaction.line().and_then(|line| line.origin.entry());
    let summed = is_summed(compaction);
    let rows = compaction.pairs.rows.iter().enumerate().skip(compaction.row.top);
    for (y, (at, pair)) in (0..left.height.max(right.height)).zip(rows) {
        let chosen = at == compaction.row.cursor;
        for (pane, area, cell) in [(Pane::Before, left, pair.left), (Pane::After, right, pair.right)] {
            let mut line = Line::new(buffer, theme, area, y);
            if chosen {
                line.under(if compaction.pane == pane { Role::Selection } else { Role::SelectionQuiet });
            } else if pane == Pane::Before && origin.is_some() && cell.and_then(PairCell::entry) == origin {
                // The text that the line under the cursor came from.
                line.under(Role::Selection);
            }
            // It is said once, at the top of what it is said of.
            let before = at.checked_sub(1).and_then(|before| compaction.pairs.rows.get(before)?.right);
            match cell {
                Some(PairCell::Elsewhere(_)) if y > 0 && cell == before => line.put("▎", Role::Summarised),
                Some(cell) => draw_cell(&mut line, compaction, view, cell, pane),
                None => gap(&mut line, pair, pane, summed),
            }
        }
    }
    for (pane, area) in [(Pane::Before, left), (Pane::After, right)] {
        below(buffer, theme, area, compaction, pane);
    }
    compaction.taken.draw(buffer, theme, empty(right, compaction), view);
}

/// Whether a stage of the step summarised.
fn is_summed(compaction: &Compaction) -> bool {
    let stages = compaction.pipeline.as_ref().map(|pipeline| pipeline.stages.as_slice()).unwrap_or_default();
    stages.iter().any(|row| row.stage.summarises() && row.acted == Acted::Yes)
}

/// The longest stretch of the side after in which nothing stands, beside what is gone.
fn empty(area: Rect, compaction: &Compaction) -> Rect {
    let rows = &compaction.pairs.rows;
    let (top, height, summed) = (compaction.row.top, usize::from(area.height), is_summed(compaction));
    // Of these nothing is said beside them.
    let is_silent = |stage: Stage| stage.summarises() || summed && stage == Stage::Microcompact;
    let is_told = |at: usize| {
        let before = at.checked_sub(1).and_then(|before| rows.get(before)?.right);
        let row = rows.get(at).copied().unwrap_or_default();
        match row.right {
            None => match row.left {
                Some(PairCell::Entry(_, Became::Changed(stage, _))) => !is_silent(stage),
                _ => false,
            },
            Some(PairCell::Elsewhere(_)) => at == top || row.right != before,
            Some(_) => true,
        }
    };
    let last = height.saturating_sub(usize::from(is_below(compaction, Pane::After, height)));
    let free: Vec<usize> = (0..last).filter(|y| !is_told(top + y)).collect();
    let runs = free.chunk_by(|one, other| one + 1 == *other);
    let longest = runs.max_by_key(|run| run.len()).unwrap_or_default();
    let (Some(y), Ok(height)) = (longest.first(), u16::try_from(longest.len())) else { return Rect::default() };
    Rect { y: area.y + u16::try_from(*y).unwrap_or(0), height, ..area }
}

/// Where a side ends in nothing though more of it stands further down, says how much.
fn below(buffer: &mut Buffer, theme: &Theme, area: Rect, compaction: &Compaction, pane: Pane) {
    if !is_below(compaction, pane, usize::from(area.height)) {
        return;
    }
    let number = further_down(compaction, pane, usize::from(area.height));
    let mut line = Line::new(buffer, theme, area, area.height - 1);
    line.skip(1);
    let noun = if number == 1 { "piece stands" } else { "pieces stand" };
    line.put(&format!(" ↓ {} more {noun} further down", count(number)), Role::Dim);
}

/// What a side holds in a row.
fn cell_of(pair: &Pair, pane: Pane) -> Option<PairCell> {
    if pane == Pane::Before { pair.left } else { pair.right }
}

/// How many pieces of a side stand below so many rows.
fn further_down(compaction: &Compaction, pane: Pane, height: usize) -> u64 {
    let rest = compaction.pairs.rows.iter().skip(compaction.row.top + height);
    let entries = rest.filter_map(|pair| cell_of(pair, pane)).map(|cell| match cell {
        PairCell::Same(entries, _) => u64::from(entries),
        PairCell::Entry(..) => 1,
        PairCell::Elsewhere(_) | PairCell::Line(..) => 0,
    });
    entries.sum()
}

/// Whether a side's last row says that more stands further down: it is empty, as the one above it. A lone gap belongs to
/// what stands beside it.
fn is_below(compaction: &Compaction, pane: Pane, height: usize) -> bool {
    let end = compaction.row.top + height;
    let is_empty = |at: usize| {
        let row = compaction.pairs.rows.get(at);
        row.is_some_and(|pair| matches!(cell_of(pair, pane), None | Some(PairCell::Elsewhere(_))))
    };
    height > 2 && is_empty(end - 1) && is_empty(end - 2) && further_down(compaction, pane, height) > 0
}

fn draw_cell(line: &mut Line<'_>, compaction: &Compaction, view: &Inspect, cell: PairCell, pane: Pane) {
    match cell {
        PairCell::Same(entries, tokens) => {
            let text = format!("  ⋯ {} pieces stayed as they were", count(u64::from(entries)));
            let mut right = line.split_right(9);
            right.right(&short(tokens), 8, Role::Dim);
            line.put(&text, Role::Dim);
        }
        PairCell::Entry(id, became) => entry(line, view, id, became, pane),
        PairCell::Elsewhere(_) => {
            line.put("▎", Role::Summarised);
            let told = ["┊ what stands for these is further down (Enter)", "┊ further down (Enter)"];
            let fits = told.iter().find(|words| width(words) <= usize::from(line.left()));
            line.put(fits.unwrap_or(&"┊ ↓"), Role::Summarised);
        }
        PairCell::Line(id, at) => {
            line.put("▎", Role::Summarised);
            let found = compaction.summaries.get(&id).and_then(|lines| lines.get(at as usize));
            if let Some(found) = found {
                let known = matches!(found.origin, super::Origin::Sentence(_) | super::Origin::Shares(..));
                line.put(if known { "↳ " } else { "  " }, Role::Dim);
                line.put(&found.text, Role::Summarised);
            }
        }
    }
}

/// What stands where the other side has something: nothing, and why.
fn gap(line: &mut Line<'_>, pair: &Pair, pane: Pane, summed: bool) {
    let Some(PairCell::Entry(_, became)) = (if pane == Pane::After { pair.left } else { None }) else { return };
    match became {
        // Its marker is in the summary, too.
        Became::Changed(Stage::Microcompact, _) if summed => line.put("▎", Role::Summarised),
        Became::Changed(Stage::Summarise | Stage::Reactive, _) => line.put("▎", Role::Summarised),
        Became::Changed(stage, _)
            if stage.is_history() || matches!(stage, Stage::Drop | Stage::Microcompact | Stage::Limit) =>
        {
            line.skip(2);
            line.put(gone(stage), stage_role(stage));
        }
        Became::Changed(Stage::Collapse, _) => line.put("▎", stage_role(Stage::Collapse)),
        _ => {}
    }
}

fn gone(stage: Stage) -> &'static str {
    match stage {
        Stage::Rewind => "gone with the branch",
        Stage::Reasoning => "dropped by the provider",
        Stage::Session => "of the session before",
        Stage::Microcompact => "taken out",
        Stage::Limit => "not sent",
        _ => "dropped, nothing in its place",
    }
}

fn entry(line: &mut Line<'_>, view: &Inspect, id: EntryId, became: Became, pane: Pane) {
    let Some(entry) = view.index.run().entry(id) else { return };
    let leaves = pane == Pane::Before && matches!(became, Became::Changed(..) | Became::Left);
    let made = pane == Pane::After && matches!(became, Became::Changed(..));
    let (sign, role) = match became {
        Became::Kept => (" ", Role::Dim),
        Became::Came => ("+", Role::Added),
        Became::Changed(stage, _) => (stage.mark(), stage_role(stage)),
        Became::Left => ("×", Role::Removed),
    };
    line.put("▎", Role::Layer(entry.layer));
    line.put(sign, role);
    line.put(" ", role);
    line.field(entry.layer.info().tag, 8, if leaves { role } else { Role::Layer(entry.layer) });
    let tokens = if pane == Pane::Before { before_tokens(view.index.run(), id, became) } else { entry.tokens };
    let narrow = line.left() < 34;
    // A blank parts the figures from what stands beside them.
    let mut right = line.split_right(if narrow { 7 } else { 9 });
    let figure = if narrow { short(tokens) } else { count(tokens) };
    right.right(&figure, if narrow { 6 } else { 8 }, if leaves || made { role } else { Role::Dim });
    let text = match (leaves, made, became) {
        (true, ..) | (_, true, _) => role,
        (.., Became::Came) => Role::Text,
        _ => Role::Dim,
    };
    if !entry.label.is_empty() && !repeats(entry.layer, &entry.label) {
        line.put(&name_in(&entry.label, usize::from(line.left()) * 2 / 3), text);
        line.put(" ", Role::Dim);
    }
    if let Some(words) = view.previews.get(&id) {
        line.put(words, if leaves || made { text } else { Role::Dim });
    }
}
