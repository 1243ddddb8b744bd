//! The window before a step's stages and the window after them, row beside row.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::config::{Role, Theme};
use crate::model::{EntryId, Stage};
use crate::present::{Became, Pair, PairCell, before_tokens, count, name_in, short, width};
use crate::tui::inspect::Inspect;
use crate::tui::line::Line;
use crate::tui::main_screen::{repeats, stage_role};

use super::{Compaction, Pane};

/// Draws both sides.
pub fn draw(buffer: &mut Buffer, theme: &Theme, (left, right): (Rect, Rect), compaction: &Compaction, view: &Inspect) {
    let origin = compaction.line().and_then(|line| line.origin.entry());
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
                None => gap(&mut line, pair, pane),
            }
        }
    }
    for (pane, area) in [(Pane::Before, left), (Pane::After, right)] {
        below(buffer, theme, area, compaction, pane);
    }
}

/// Where a side ends in nothing though more of it stands further down, says how much.
fn below(buffer: &mut Buffer, theme: &Theme, area: Rect, compaction: &Compaction, pane: Pane) {
    let cells = || compaction.pairs.rows.iter().map(|pair| if pane == Pane::Before { pair.left } else { pair.right });
    let end = compaction.row.top + usize::from(area.height);
    let is_empty =
        |row: Option<Option<PairCell>>| row.is_some_and(|cell| matches!(cell, None | Some(PairCell::Elsewhere(_))));
    let rest = || cells().skip(end).flatten();
    let entries = rest().map(|cell| match cell {
        PairCell::Same(entries, _) => u64::from(entries),
        PairCell::Entry(..) => 1,
        PairCell::Elsewhere(_) | PairCell::Line(..) => 0,
    });
    let number: u64 = entries.sum();
    let Some(last) = end.checked_sub(1).filter(|_| area.height > 2 && number > 0) else { return };
    // The row above has to be empty too: a lone gap belongs to what stands beside it.
    if !is_empty(cells().nth(last)) || !is_empty(cells().nth(last - 1)) {
        return;
    }
    let mut line = Line::new(buffer, theme, area, area.height - 1);
    line.skip(1);
    let noun = if number == 1 { "piece stands" } else { "pieces stand" };
    line.put(&format!(" ↓ {} more {noun} further down", count(number)), Role::Dim);
}

fn draw_cell(line: &mut Line<'_>, compaction: &Compaction, view: &Inspect, cell: PairCell, pane: Pane) {
    match cell {
        PairCell::Same(entries, tokens) => {
            let text = format!("  ⋯ {} pieces stayed as they were", count(u64::from(entries)));
            let mut right = line.split_right(8);
            right.right(&short(tokens), 7, Role::Dim);
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
fn gap(line: &mut Line<'_>, pair: &Pair, pane: Pane) {
    let Some(PairCell::Entry(_, became)) = (if pane == Pane::After { pair.left } else { None }) else { return };
    match became {
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
    let mut right = line.split_right(if narrow { 6 } else { 8 });
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
