//! What was packed: the budget as it fills, and every candidate with its score and the reason.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::config::{Role, Theme};
use crate::inquiry::Memories;
use crate::memory::{Candidate, Packed, Why, told_from};
use crate::model::Layer;
use crate::present::memory::{beside, least_of, left_out};
use crate::present::{count, counted, first_words, least_score, percent, score, width};
use crate::tui::line::{Line, bar};

use super::MemoryView;
use super::draw::{Parts, says};
use super::list::{WORDS, sign};

/// Columns of the reason.
fn reason(width: u16) -> u16 {
    match width {
        ..50 => 12,
        50..90 => 16,
        _ => 22,
    }
}

/// Draws the tab.
pub fn draw(buffer: &mut Buffer, theme: &Theme, parts: &Parts, page: &MemoryView, memories: &Memories, step: u32) {
    let Some((at, asked, packed)) = &memories.pack else {
        let mut line = Line::new(buffer, theme, parts.list, 0);
        line.skip(2);
        let on = memories.settings.on;
        line.put(
            if on {
                "Nothing was packed yet: no question had been asked by this step."
            } else {
                "Facts are preserved, and nothing is packed: memory.on = false. t, then / memory.on turns it on."
            },
            Role::Dim,
        );
        return;
    };
    head(buffer, theme, parts.head, page, (*at, asked, packed), step);
    let wide = parts.list.width >= 60;
    let mut line = Line::new(buffer, theme, parts.columns, 0);
    line.skip(5);
    line.field("score", if wide { 14 } else { 5 }, Role::Dim);
    line.right("id", if wide { 6 } else { 4 }, Role::Dim);
    line.skip(3);
    line.field("why", reason(parts.list.width), Role::Dim);
    line.skip(1);
    line.put("memory", Role::Dim);
    for (y, (at, one)) in (0..parts.list.height).zip(packed.candidates.iter().enumerate().skip(page.packed.top)) {
        let mut line = Line::new(buffer, theme, parts.list, y);
        if at == page.packed.cursor {
            line.under(Role::Selection);
        }
        row(&mut line, one, memories, reason(parts.list.width), wide);
    }
    if packed.candidates.is_empty() {
        let mut line = Line::new(buffer, theme, parts.list, 0);
        line.skip(2);
        let least = least_score(least_of(&memories.settings));
        line.put(&format!("No memory is near the question: memory.min_score = {least}."), Role::Dim);
    }
    foot(buffer, theme, parts, page, (packed, memories));
}

fn row(line: &mut Line<'_>, one: &Candidate, memories: &Memories, reason: u16, wide: bool) {
    let taken = matches!(one.why, Why::Taken(_));
    let role = if taken { Role::Layer(Layer::Memory) } else { Role::Dim };
    line.put("▎", role);
    line.field(
        &match one.why {
            Why::Taken(number) => format!("[{number}]"),
            _ => " ·".to_owned(),
        },
        4,
        role,
    );
    if wide {
        let full = bar(parts_of(one.score), 1_000, 8, "█");
        line.field(&full, 9, role);
    }
    let shown = score(one.score, least_of(&memories.settings));
    // A longer score takes its room from before the number.
    let longer = u16::try_from(width(&shown)).unwrap_or(5).saturating_sub(5);
    line.field(&shown, 5 + longer, if taken { Role::Accent } else { Role::Dim });
    line.right(&one.id.0.to_string(), if wide { 6 } else { 4 } - longer, Role::Dim);
    let (mark, colour) = sign(memories, one.id);
    line.skip(1);
    line.field(mark, 2, colour);
    let why = short(one, memories);
    line.field(&why, reason, why_role(one.why));
    line.skip(1);
    let text = memories.store.get(one.id).map(|memory| first_words(&memory.text, WORDS)).unwrap_or_default();
    line.put(&text, if taken { Role::Text } else { Role::Dim });
}

/// The reason in two words.
fn short(one: &Candidate, memories: &Memories) -> String {
    match (one.why, one.through) {
        (Why::Taken(_), None) => "taken".to_owned(),
        (Why::Taken(_), Some(through)) => format!("by way of {}", through.0),
        (Why::Present, _) => "in the window".to_owned(),
        (Why::Gone, _) => "taken out since".to_owned(),
        (Why::SameStart(other), _) => format!("begins as {}", other.0),
        (Why::TooMany, _) if memories.settings.max_items == 0 => "none may be".to_owned(),
        (Why::TooMany, _) => counted(memories.settings.max_items, "is better", "are better"),
        (Why::Unlooked, _) => "not looked at".to_owned(),
        (Why::OverBudget(needs), _) => format!("needs {}", counted(needs, "token", "tokens")),
        (Why::BelowScore, _) => format!("below {}", least_score(least_of(&memories.settings))),
    }
}

fn why_role(why: Why) -> Role {
    match why {
        Why::Taken(_) => Role::Good,
        Why::Present => Role::Kept,
        Why::SameStart(_) | Why::TooMany | Why::Unlooked | Why::Gone => Role::Warning,
        Why::OverBudget(_) => Role::Over,
        Why::BelowScore => Role::Dim,
    }
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
fn parts_of(score: f32) -> u64 {
    (score.clamp(0.0, 1.0) * 1_000.0).round() as u64
}

fn head(
    buffer: &mut Buffer,
    theme: &Theme,
    area: Rect,
    page: &MemoryView,
    (at, asked, packed): (u32, &str, &Packed),
    step: u32,
) {
    let asked = first_words(asked, 200);
    if area.height >= 3 {
        let mut line = Line::new(buffer, theme, area, 0);
        line.skip(1);
        let still = if at < step { format!(", still there at {step}") } else { String::new() };
        line.put(&format!("packed at step {at}{still}, for "), Role::Dim);
        line.put(&format!("“{asked}”"), Role::Quote);
    }
    let row = if area.height >= 3 { 1 } else { 0 };
    if area.height > 0 {
        budget(buffer, theme, Rect { y: area.y + row, height: 1, ..area }, page, packed);
    }
}

/// The budget as a bar: a part for each memory, full up to the one under the cursor.
fn budget(buffer: &mut Buffer, theme: &Theme, area: Rect, page: &MemoryView, packed: &Packed) {
    let mut line = Line::new(buffer, theme, area, 0);
    line.skip(1);
    let note = format!(
        " {} of {} tokens · {}",
        count(packed.tokens),
        count(packed.budget),
        percent(packed.tokens, packed.budget)
    );
    let wide = u16::try_from(crate::present::width(&note)).unwrap_or(u16::MAX).saturating_add(1);
    let mut right = line.split_right(wide);
    right.put(&note, Role::Text);
    let columns = line.left().min(100);
    let upto = match packed.candidates.get(page.packed.cursor).map(|one| one.why) {
        Some(Why::Taken(number)) => number as usize,
        _ => page.sizes.len(),
    };
    let (mut sum, mut drawn) = (0u64, 0u16);
    let at = |tokens: u64| {
        let place = u128::from(tokens) * u128::from(columns) / u128::from(packed.budget.max(1));
        u16::try_from(place).unwrap_or(u16::MAX).min(columns)
    };
    for (number, size) in (1usize..).zip(&page.sizes) {
        sum += size;
        // What is there at all shows.
        let end = at(sum).max((drawn + 1).min(columns));
        let sign = match (number <= upto, number % 2) {
            (true, 1) => "█",
            (true, _) => "▓",
            (false, _) => "░",
        };
        let role = if number == upto && upto < page.sizes.len() { Role::Accent } else { Role::Layer(Layer::Memory) };
        line.put(&sign.repeat(usize::from(end.saturating_sub(drawn))), role);
        drawn = end;
    }
    line.put(&"·".repeat(usize::from(columns.saturating_sub(drawn))), Role::Border);
}

fn foot(buffer: &mut Buffer, theme: &Theme, parts: &Parts, page: &MemoryView, of: (&Packed, &Memories)) {
    let (packed, memories) = of;
    let further = beside(packed.others, (packed.below, packed.best_below), told_from(&memories.settings));
    let further = further.map_or_else(String::new, |further| format!("  {further}"));
    match page.candidate() {
        Some(one) => {
            let (key, why) = left_out(one, packed, &memories.settings);
            let key = key.map_or_else(String::new, |key| format!("  {key}"));
            let lead = format!("{}: ", one.id.0);
            let mut texts = vec![(lead.as_str(), Role::Dim), (why.as_str(), Role::Text)];
            // Half of what is said beside the reason says nothing.
            let mut left = usize::from(parts.says.width).saturating_sub(1 + width(&lead) + width(&why));
            for (text, role) in [(key.as_str(), Role::Accent), (further.as_str(), Role::Dim)] {
                if width(text) <= left {
                    left -= width(text);
                    texts.push((text, role));
                }
            }
            says(buffer, theme, parts, &texts);
        }
        None => says(buffer, theme, parts, &[(further.as_str(), Role::Dim)]),
    }
}
