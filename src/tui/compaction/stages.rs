//! The stages of a step as a waterfall: how full the window was after each, and what each took.

use std::collections::HashMap;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use crate::config::{Role, Theme};
use crate::model::{EntryId, EntryIds, Event, Fate, Layer, Run, Stage};
use crate::present::{Acted, StageRow, Sums, count, counted, short, uncut_tokens};
use crate::tui::line::Line;
use crate::tui::main_screen::{stack, stage_role};
use crate::tui::style;

use super::Compaction;

/// Draws the rows: the window before, the stages, the window that was sent.
pub fn draw(
    buffer: &mut Buffer,
    theme: &Theme,
    area: Rect,
    compaction: &Compaction,
    run: &Run,
    top: u64,
    focused: bool,
) {
    let Some(pipeline) = &compaction.pipeline else { return };
    let shown = compaction.shown(usize::from(area.height.saturating_sub(2)));
    let total = |sums: &Sums| sums.iter().sum::<u64>();
    let mut bars = Bars { buffer, theme, area, top, note: note_columns(area.width) };
    let before = match pipeline.step {
        0 | 1 => "empty".to_owned(),
        step => format!("step {}", step - 1),
    };
    bars.whole(0, &before, &pipeline.before, total(&pipeline.before), Role::Dim, "the window of the step before");
    for (row, stage) in (1..).zip(&shown) {
        bars.stage(
            row,
            stage,
            run,
            focused && Some(stage.stage) == compaction.stage,
            Some(stage.stage) == compaction.stage,
        );
    }
    let last = u16::try_from(shown.len()).unwrap_or(u16::MAX).saturating_add(1);
    let sent = format!("step {}", pipeline.step);
    bars.whole(last, &sent, &pipeline.after, total(&pipeline.after), Role::Accent, "what the model was sent");
}

/// Rows of the pane that nothing stands in.
pub fn free(area: Rect, compaction: &Compaction) -> u16 {
    let shown = compaction.shown(usize::from(area.height.saturating_sub(2))).len();
    area.height.saturating_sub(u16::try_from(shown).unwrap_or(u16::MAX).saturating_add(2))
}

/// Columns for words behind a bar.
fn note_columns(width: u16) -> u16 {
    match width {
        ..90 => 0,
        90..130 => 36,
        130..170 => 52,
        _ => 72,
    }
}

struct Bars<'a> {
    buffer: &'a mut Buffer,
    theme: &'a Theme,
    area: Rect,
    top: u64,
    note: u16,
}

/// Columns of the name and of the figures before the bar.
const NAME: u16 = 15;
const CHANGE: u16 = 8;
const TOKENS: u16 = 7;

impl Bars<'_> {
    /// Where the bars stand.
    fn place(&self, row: u16) -> Rect {
        let left = NAME + CHANGE + 1;
        let right = TOKENS + 1 + self.note;
        let width = self.area.width.saturating_sub(left + right);
        Rect { x: self.area.x + left.min(self.area.width), y: self.area.y + row, width, height: 1 }
    }

    fn whole(&mut self, row: u16, name: &str, sums: &Sums, tokens: u64, role: Role, note: &str) {
        if row >= self.area.height {
            return;
        }
        let mut line = Line::new(self.buffer, self.theme, self.area, row);
        line.skip(3);
        line.field(name, NAME - 3, role);
        self.bar(row, sums, tokens, None, None);
        self.tail(row, tokens, role, note, Role::Dim);
    }

    fn stage(&mut self, row: u16, stage: &StageRow, run: &Run, selected: bool, chosen: bool) {
        if row + 1 >= self.area.height {
            return;
        }
        let (given, left) = stage.tokens();
        let mut line = Line::new(self.buffer, self.theme, self.area, row);
        if selected {
            line.under(Role::Selection);
        } else if chosen {
            line.under(Role::SelectionQuiet);
        }
        let role = if stage.acted == Acted::Yes { stage_role(stage.stage) } else { Role::Dim };
        line.skip(1);
        line.field(stage.stage.mark(), 2, role);
        line.field(stage.stage.name(), NAME - 3, role);
        let (change, change_role) = match (stage.acted, left.cmp(&given)) {
            (Acted::Off, _) => ("off".to_owned(), Role::Dim),
            (Acted::No, _) => ("·".to_owned(), Role::Border),
            (Acted::Yes, std::cmp::Ordering::Greater) => (format!("+{}", short(left - given)), Role::Added),
            (Acted::Yes, std::cmp::Ordering::Less) => (format!("−{}", short(given - left)), Role::Removed),
            (Acted::Yes, std::cmp::Ordering::Equal) => ("±0".to_owned(), Role::Dim),
        };
        line.right(&change, CHANGE, change_role);
        if stage.acted != Acted::Yes {
            return;
        }
        self.bar(row, &stage.left, left, Some((stage.stage, given)), stage.threshold);
        self.tail(row, left, Role::Text, &note(stage, run), Role::Dim);
    }

    fn tail(&mut self, row: u16, tokens: u64, role: Role, note: &str, note_role: Role) {
        let place = self.place(row);
        let rest = Rect { x: place.right(), width: self.area.right().saturating_sub(place.right()), ..place };
        let mut line = Line::new(self.buffer, self.theme, rest, 0);
        line.right(&short(tokens), TOKENS, role);
        if self.note > 0 {
            line.skip(2);
            line.put(note, note_role);
        }
    }

    /// The layers side by side, and behind them what a stage took or brought.
    fn bar(&mut self, row: u16, sums: &Sums, tokens: u64, from: Option<(Stage, u64)>, threshold: Option<u64>) {
        let place = self.place(row);
        let columns = u64::from(place.width);
        if columns == 0 {
            return;
        }
        let at = |tokens: u64| {
            let eighths = u128::from(tokens) * u128::from(columns) * 8 / u128::from(self.top.max(1));
            u64::try_from(eighths).unwrap_or(u64::MAX).min(columns * 8)
        };
        let end = at(tokens).max(u64::from(tokens > 0));
        let before = from.map_or(end, |(_, given)| at(given));
        let mut edges: Vec<(u64, Layer)> = Vec::new();
        let mut sum = 0u64;
        for layer in stack() {
            sum = sum.saturating_add(sums[layer as usize]);
            edges.push((at(sum), layer));
        }
        let layer_at = |eighth: u64| edges.iter().find(|(edge, _)| eighth < *edge).map(|(_, layer)| *layer);
        for x in 0..place.width {
            let first = u64::from(x) * 8;
            let Some(cell) = self.buffer.cell_mut((place.x + x, place.y)) else { continue };
            let ground = cell.style();
            let filled = end.saturating_sub(first).min(8);
            if filled > 0 {
                let layer = layer_at(first + filled / 2).or_else(|| layer_at(first)).unwrap_or(Layer::Unlogged);
                let came = filled == 8 && first >= before;
                let mut look = ground.patch(style(self.theme, Role::Layer(layer)));
                let sign = match self.theme.fill(layer) {
                    // What came in stands out from what was there.
                    "█" if came => "▓",
                    "█" => EIGHTHS[usize::try_from(filled).unwrap_or(8)],
                    pattern => pattern,
                };
                if came && sign != "▓" {
                    look = look.add_modifier(ratatui::style::Modifier::BOLD);
                }
                cell.set_symbol(sign).set_style(look);
            } else if first + 4 <= before {
                let role = from.map_or(Role::Dim, |(stage, _)| stage_role(stage));
                cell.set_symbol("░").set_style(ground.patch(foreground(self.theme, role)));
            }
        }
        let tick = threshold.filter(|threshold| *threshold <= self.top).map(|threshold| at(threshold) / 8);
        if let Some(x) = tick.and_then(|x| u16::try_from(x).ok()).filter(|x| *x < place.width)
            && let Some(cell) = self.buffer.cell_mut((place.x + x, place.y))
        {
            cell.set_symbol("┆").set_style(foreground(self.theme, Role::Threshold));
        }
    }
}

const EIGHTHS: [&str; 9] = [" ", "▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"];

fn foreground(theme: &Theme, role: Role) -> Style {
    let look = style(theme, role);
    Style { bg: None, ..look }
}

/// What a stage did, in a few words.
fn note(stage: &StageRow, run: &Run) -> String {
    let (took, made) = stage.entries;
    match stage.stage {
        Stage::Admit if made == 0 => "what came in".to_owned(),
        Stage::Admit => admitted(stage, run),
        Stage::Truncate => {
            let (pieces, uncut, left) = cut(run, stage);
            format!("{}{}", many(pieces, "piece cut", "pieces cut"), sizes(uncut, left))
        }
        Stage::Microcompact => cleared(stage, run),
        Stage::Collapse => collapsed(stage, run),
        Stage::Summarise | Stage::Reactive if is_in_vain(stage, run) => "due, but no summary made".to_owned(),
        Stage::Summarise | Stage::Reactive => summarised(stage),
        Stage::Drop => many(took, "piece dropped", "pieces dropped"),
        Stage::Rewind => "the history went back".to_owned(),
        Stage::Reasoning => many(took, "piece of reasoning dropped", "pieces of reasoning dropped"),
        Stage::Session => "a new session begins".to_owned(),
        Stage::Notice => "the model is told how full it is".to_owned(),
        Stage::Limit => limited(stage, run),
        Stage::Select => {
            let files = stage.events_in(run).flat_map(Event::decisions).count();
            format!("{} of {}", many(made, "passage", "passages"), many(files, "file", "files"))
        }
        _ => format!("−{} +{}", count(took as u64), count(made as u64)),
    }
}

fn many(number: usize, one: &str, more: &str) -> String {
    counted(number as u64, one, more)
}

/// Tokens before and after a cut, where it made something smaller.
fn sizes(uncut: u64, left: u64) -> String {
    if uncut > left { format!(": {} → {}", short(uncut), short(left)) } else { String::new() }
}

/// What came in, and how much of it the agent had cut before.
fn admitted(stage: &StageRow, run: &Run) -> String {
    let sent_cut = stage.events_in(run).flat_map(|event| &event.sent_cut);
    let cut = match sent_cut.map(|cut| cut.entries.len()).sum::<usize>() {
        0 => String::new(),
        number => format!(", {} cut before", count(number as u64)),
    };
    format!("{}{cut}", many(stage.entries.1, "piece came in", "pieces came in"))
}

/// What microcompact cleared, cut short, spared and took out.
fn cleared(stage: &StageRow, run: &Run) -> String {
    let (took, _) = stage.entries;
    let is_reasoning = |id: &&EntryId| run.entry(**id).is_some_and(|entry| entry.layer == Layer::Thinking);
    let reasoning = stage.events_in(run).flat_map(|event| &event.took).filter(is_reasoning).count();
    let spared = stage.events_in(run).flat_map(|event| &event.evidence).filter(|one| one.spared).count();
    let mut parts = Vec::new();
    if took > reasoning {
        parts.push(match stage.events_in(run).any(Event::shortens) {
            true => many(took - reasoning, "older result cut short", "older results cut short"),
            false => many(took - reasoning, "stale piece cleared", "stale pieces cleared"),
        });
    }
    if spared > 0 {
        parts.push(format!("{} spared", count(spared as u64)));
    }
    if reasoning > 0 {
        parts.push(many(reasoning, "piece of reasoning taken out", "pieces of reasoning taken out"));
    }
    parts.join(", ")
}

/// What stands as a line now, and which lines gave way to their turns.
fn collapsed(stage: &StageRow, run: &Run) -> String {
    let lines = |ids: &EntryIds| {
        let is_line = |id: &&EntryId| run.entry(**id).is_some_and(|entry| entry.fate == Fate::Collapsed);
        ids.iter().filter(is_line).count()
    };
    let gone: usize = stage.events_in(run).map(|event| lines(&event.took)).sum();
    let new: usize = stage.events_in(run).map(|event| lines(&event.made)).sum();
    let mut parts = Vec::new();
    if new > 0 {
        let pieces = many(stage.entries.0 - gone, "piece", "pieces");
        parts.push(format!("{pieces} as {}", many(new, "line", "lines")));
    }
    if gone > 0 {
        parts.push(format!("{} in full again", many(gone, "turn", "turns")));
    }
    parts.join(", ")
}

/// What went into a summary, what was put back after it, and what came in behind it.
fn summarised(stage: &StageRow) -> String {
    let (took, made) = stage.entries;
    let back = match made {
        0 | 1 => String::new(),
        more => format!(", {} put back", count(more as u64 - 1)),
    };
    let behind = match stage.behind {
        0 => String::new(),
        more => format!(", {} came in behind it", count(more as u64)),
    };
    format!("{} → 1 summary{back}{behind}", many(took, "piece", "pieces"))
}

/// What limits cut, and what they did not send: definitions of tools, of which no window holds any, or calls.
fn limited(stage: &StageRow, run: &Run) -> String {
    let (took, _) = stage.entries;
    let (pieces, uncut, left) = cut(run, stage);
    let stands = |id: &&EntryId| run.entry(**id).is_some_and(|entry| entry.layer != Layer::Tools);
    let calls = stage.events_in(run).flat_map(|event| &event.took).filter(stands).count();
    let mut parts = Vec::new();
    if pieces > 0 {
        parts.push(format!("{}{}", many(pieces, "text cut", "texts cut"), sizes(uncut, left)));
    }
    if took > calls {
        parts.push(many(took - calls, "definition not sent", "definitions not sent"));
    }
    if calls > 0 {
        parts.push("over its tool calls".to_owned());
    }
    parts.join(", ")
}

/// How many pieces a stage cut, their tokens before and what is left of them all together. What several events cut is
/// one piece: as it was before the first, and as the last left it.
fn cut(run: &Run, stage: &StageRow) -> (usize, u64, u64) {
    let mut pieces: HashMap<EntryId, (u64, u64)> = HashMap::new();
    for event in stage.events_in(run) {
        for (id, entry) in event.made.iter().filter_map(|id| Some((*id, run.entry(*id)?))) {
            pieces.entry(run.piece(id)).or_insert_with(|| (uncut_tokens(run, event, id), 0)).1 = entry.tokens;
        }
    }
    let sum = |tokens: fn(&(u64, u64)) -> u64| pieces.values().map(tokens).sum();
    (pieces.len(), sum(|(uncut, _)| *uncut), sum(|(_, left)| *left))
}

/// Whether all that a stage tells of is a summary that was due and not made.
fn is_in_vain(stage: &StageRow, run: &Run) -> bool {
    stage.events_in(run).all(Event::is_in_vain)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{EntryIds, EventId, Role as Speaker, ThreadId, Track};

    #[test]
    fn the_sum_of_what_was_cut_is_of_all_pieces_and_of_each_once() {
        // By their numbers: tokens before and after, and the entry that each was cut from.
        let entry = |(original_tokens, tokens, from): &(u64, u64, Option<u32>)| crate::model::Entry {
            layer: Layer::ToolResults,
            role: Speaker::Tool,
            fate: Fate::Truncated,
            content: <_>::default(),
            label: "Bash".into(),
            tokens: *tokens,
            original_tokens: *original_tokens,
            estimated: false,
            from: from.iter().map(|id| EntryId(*id)).collect(),
            made_by: None,
            lives: <_>::default(),
        };
        let event = |made: &[u32]| {
            let made: EntryIds = made.iter().map(|id| EntryId(*id)).collect();
            Event { made, ..Event::new(3, Stage::Truncate, "tool_results.virtual_over") }
        };
        let note = |entries: &[(u64, u64, Option<u32>)], events: &[&[u32]]| {
            let run = Run {
                entries: entries.iter().map(entry).collect(),
                events: events.iter().map(|made| event(made)).collect(),
                ..Run::new(Track::Simulated, ThreadId(0))
            };
            let row = StageRow {
                stage: Stage::Truncate,
                acted: Acted::Yes,
                events: (0u32..).take(events.len()).map(EventId).collect(),
                given: <_>::default(),
                left: <_>::default(),
                entries: (0, 0),
                behind: 0,
                threshold: None,
            };
            super::note(&row, &run)
        };
        assert_eq!(note(&[(17_600, 1_000, None)], &[&[0]]), "1 piece cut: 17.6k → 1.0k");
        let two = [(17_600, 1_000, None), (12_400, 1_500, None)];
        assert_eq!(note(&two, &[&[0], &[1]]), "2 pieces cut: 30.0k → 2.5k");
        assert_eq!(note(&two, &[&[0, 1]]), "2 pieces cut: 30.0k → 2.5k");
        let again = [(17_600, 10_000, None), (10_000, 1_000, Some(0))];
        assert_eq!(note(&again, &[&[0], &[1]]), "1 piece cut: 17.6k → 1.0k");
        assert_eq!(note(&[(700, 700, None)], &[&[0]]), "1 piece cut", "nothing says how long it was");
    }
}
