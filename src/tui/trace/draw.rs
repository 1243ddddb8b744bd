//! Draws a trace.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::{Row, TraceResult, TraceView};
use crate::config::{Action, Context, Keymap, Role, Theme};
use crate::inquiry::Sight;
use crate::present::ribbon::{legend, sign};
use crate::present::{clip, count, percent, width};
use crate::tui::line::{Line, wrapped};
use crate::tui::overlay::{frame, hints};
use crate::tui::style;

/// Columns of the ribbons at most.
const RIBBON: u16 = 96;
/// Columns of what stands behind them, where there is room.
const PLACE: u16 = 28;
/// Columns of what stands before them.
const BEFORE: u16 = 34;

impl TraceView {
    /// Draws the trace over the screen.
    pub fn draw(&self, buffer: &mut Buffer, theme: &Theme, keymap: &Keymap) {
        let area = buffer.area;
        let keys: &[(&[Action], &str)] = &[
            (&[Action::Up, Action::Down], "choose"),
            (&[Action::Open], "go to that step"),
            (&[Action::WhatIf], "what if"),
            (&[Action::FollowFact], "another fact"),
            (&[Action::Back], "close"),
        ];
        let foot = hints(keymap, Context::Trace, keys, usize::from(area.width.saturating_sub(8)));
        let title = format!("fact {}", clip(&self.fact, usize::from(area.width / 2)));
        // Nothing of what is beneath shows at the sides.
        buffer.reset();
        buffer.set_style(area, style(theme, Role::Ground));
        let inner = frame(buffer, theme, area, (area.width, area.height), &title, &foot);
        match &self.told {
            Some(told) => self.told(told, buffer, theme, inner),
            None => Line::new(buffer, theme, inner, 1).put("looking through everything …", Role::Dim),
        }
    }

    fn told(&self, told: &TraceResult, buffer: &mut Buffer, theme: &Theme, inner: Rect) {
        let (word, tone) = match told.kept {
            Some(true) => ("IN THE WINDOW", Role::Good),
            Some(false) if told.sealed => ("SEALED", Role::Warning),
            Some(false) => ("LOST", Role::Over),
            None => ("NOT HERE", Role::Warning),
        };
        let mut line = Line::new(buffer, theme, inner, 0);
        line.put(word, tone);
        line.put(&format!("  at step {} of {}", told.need, told.steps), Role::Dim);
        if let Some(step) = told.later {
            line.put(&format!("  lost at step {step}"), Role::Over);
        }
        if self.asking {
            let (done, all) = self.tried;
            let far = if all > 0 { format!(" {}", percent(done, all)) } else { String::new() };
            line.put(&format!("   trying settings …{far}"), Role::Notice);
        }
        let mut row = 1;
        let columns = usize::from(inner.width.min(110));
        // The verdict may take half of the room, never the whole.
        'verdict: for sentence in &told.sentences {
            for words in wrapped(sentence, columns) {
                if row > inner.height / 2 {
                    Line::new(buffer, theme, inner, row).put("…", Role::Dim);
                    break 'verdict;
                }
                Line::new(buffer, theme, inner, row).put(words, Role::Text);
                row += 1;
            }
        }
        if let Some((by, threshold)) = told.ranked.filter(|_| row < inner.height) {
            let mut line = Line::new(buffer, theme, inner, row);
            line.put(&format!("by {by}, from {threshold:.2} on"), Role::Dim);
            if let Some((done, all)) = told.compared {
                let words = format!("  {} of {} passages", count(done), count(all));
                line.put(&words, if told.whole { Role::Dim } else { Role::Gauge });
                if !told.whole {
                    line.put(" …", Role::Gauge);
                }
            }
            row += 1;
        }
        row += u16::from(inner.height > 12);
        if told.rows.is_empty() {
            return;
        }
        let ribbon = ribbon_place(inner);
        scale(told, buffer, theme, inner, row, ribbon);
        row += 1;
        let explained = inner.height > 10;
        let height = inner.height.saturating_sub(row + u16::from(explained));
        let mut scroll = self.scroll;
        scroll.settle(told.rows.len(), usize::from(height));
        for (at, shown) in told.rows.iter().enumerate().skip(scroll.top).take(usize::from(height)) {
            let place = row + u16::try_from(at - scroll.top).unwrap_or(u16::MAX);
            let mut line = Line::new(buffer, theme, inner, place);
            if at == scroll.cursor {
                line.under(Role::Selection);
            }
            draw_row(&mut line, shown, told.steps, ribbon);
        }
        if explained {
            let mut line = Line::new(buffer, theme, inner, inner.height - 1);
            for (sight, words) in legend(&told.sights(), told.ranked.is_some()) {
                if width(words) + 2 > usize::from(line.left()) {
                    break;
                }
                line.put(sign(sight).encode_utf8(&mut [0; 4]), role(sight));
                line.put(&format!(" {words}  "), Role::Dim);
            }
            if told.more > 0 {
                line.put(&format!("and {} more", count(told.more)), Role::Dim);
            }
        }
    }
}

/// The colour of how a fact is seen. The sign alone says it where there is no colour.
fn role(sight: Sight) -> Role {
    match sight {
        Sight::Verbatim => Role::Good,
        Sight::Summary | Sight::Line | Sight::Memory => Role::Summarised,
        Sight::Part | Sight::Paraphrase | Sight::Hidden => Role::Warning,
        Sight::Pointer | Sight::Marker => Role::Cleared,
        Sight::Gone => Role::Dim,
    }
}

/// First column and width of the ribbons.
fn ribbon_place(inner: Rect) -> (u16, u16) {
    let before = BEFORE.min(inner.width / 2);
    let rest = inner.width.saturating_sub(before + 1);
    // Where there is room, file and line stand behind.
    (before, if rest > PLACE * 2 { (rest - PLACE).min(RIBBON) } else { rest })
}

/// The step of a column.
fn step_at(column: u16, columns: u16, steps: u32) -> u32 {
    let last = u64::from(steps.saturating_sub(1));
    let step = (u64::from(column) * last).checked_div(u64::from(columns.saturating_sub(1))).unwrap_or(0);
    u32::try_from(step).unwrap_or(0) + 1
}

/// The column of a step.
fn column_of(step: u32, columns: u16, steps: u32) -> u16 {
    let last = u64::from(steps.saturating_sub(1));
    let at = u64::from(step.saturating_sub(1)) * u64::from(columns.saturating_sub(1));
    u16::try_from(at.checked_div(last).unwrap_or(0)).unwrap_or(0).min(columns.saturating_sub(1))
}

/// The steps over the ribbons: the first, the last, and the one at which the fact was needed.
fn scale(told: &TraceResult, buffer: &mut Buffer, theme: &Theme, inner: Rect, row: u16, (left, columns): (u16, u16)) {
    let columns = shown_columns(columns, told.steps);
    let mut line = Line::new(buffer, theme, inner, row);
    line.field("came in", left, Role::Dim);
    let need = column_of(told.need, columns, told.steps);
    let mark = format!("▼ {}", told.need);
    let last = told.steps.to_string();
    let mut line = Line::new(buffer, theme, Rect { x: inner.x + left, width: columns.max(1), ..inner }, row);
    line.put("1", Role::Dim);
    let room = columns.saturating_sub(u16::try_from(width(&last)).unwrap_or(0));
    if columns > 12 {
        let at = Rect { x: inner.x + left + room, width: columns - room, ..inner };
        Line::new(buffer, theme, at, row).put(&last, Role::Dim);
    }
    let size = u16::try_from(width(&mark)).unwrap_or(0);
    if need > 2 && need + size < room {
        let at = Rect { x: inner.x + left + need, width: size, ..inner };
        Line::new(buffer, theme, at, row).put(&mark, Role::Human);
    } else if room > size + 3 && need >= size {
        // Near the end its number stands before it, and both before the last step.
        let end = need.min(room.saturating_sub(2));
        let at = Rect { x: inner.x + left + end + 1 - size, width: size, ..inner };
        Line::new(buffer, theme, at, row).put(&format!("{} ▼", told.need), Role::Human);
    }
}

/// A short session's ribbons have two columns for a step.
fn shown_columns(columns: u16, steps: u32) -> u16 {
    u16::try_from(steps.saturating_mul(4)).unwrap_or(u16::MAX).clamp(1, columns.max(1))
}

/// Draws a row; of a place, with its life over so many steps in the ribbon's columns.
fn draw_row(line: &mut Line<'_>, shown: &Row, steps: u32, (left, columns): (u16, u16)) {
    match shown {
        Row::Place { step, whence, place, life, .. } => {
            let step = step.map_or_else(|| "–".to_owned(), |step| step.to_string());
            line.right(&step, 5, Role::Accent);
            line.skip(1);
            line.field(whence, left.saturating_sub(7), Role::Name);
            line.skip(1);
            let columns = shown_columns(columns, steps);
            for column in 0..columns {
                let at = step_at(column, columns, steps);
                let found = life.iter().find(|(from, to, _)| *from <= at && to.is_none_or(|to| at <= to));
                match found {
                    Some((_, _, sight)) => {
                        line.put(sign(*sight).encode_utf8(&mut [0; 4]), role(*sight));
                    }
                    None => line.skip(1),
                }
            }
            line.skip(1);
            line.put(place, Role::Dim);
        }
        Row::Said(words) => line.put(words, Role::Title),
        Row::Answer { words, price, .. } => {
            line.skip(2);
            line.put("→ ", Role::Good);
            line.put(words, Role::Text);
            line.put("  ", Role::Dim);
            line.put(price, Role::Dim);
        }
        Row::Change { step, sight, words, .. } => {
            line.skip(2);
            line.right(&step.to_string(), 5, Role::Dim);
            line.skip(1);
            line.put(sign(*sight).encode_utf8(&mut [0; 4]), role(*sight));
            line.put(" ", Role::Dim);
            line.put(words, Role::Text);
        }
    }
}
