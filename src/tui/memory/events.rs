//! What happened to memories, the newest first: what ingest wrote and skipped, preserve took, reconcile changed.

use ratatui::buffer::Buffer;

use crate::config::{Role, Theme};
use crate::inquiry::{Deed, Doer, Happened, Memories};
use crate::model::{Layer, Stage};
use crate::present::memory::{about_deeds, deed_words, doer, happened_words};
use crate::present::{count, first_words, width};
use crate::tui::line::{Line, wrapped};
use crate::tui::main_screen::stage_role;

use super::draw::{Parts, hint, inside};
use super::list::WORDS;
use super::{EventRow, MemoryView};

fn role(by: Doer) -> Role {
    match by {
        Doer::Ingest => Role::Added,
        Doer::Pack => Role::Layer(Layer::Memory),
        Doer::Preserve => stage_role(Stage::Preserve),
        Doer::Reconcile => stage_role(Stage::Reconcile),
    }
}

/// Draws the list.
pub fn draw(buffer: &mut Buffer, theme: &Theme, parts: &Parts, page: &MemoryView, memories: &Memories, step: u32) {
    let mut line = Line::new(buffer, theme, parts.columns, 0);
    line.right("step", 6, Role::Dim);
    line.skip(3);
    line.put("what happened", Role::Dim);
    for (y, (place, row)) in (0..parts.list.height).zip(page.event_rows.iter().enumerate().skip(page.events.top)) {
        let mut line = Line::new(buffer, theme, parts.list, y);
        if place == page.events.cursor {
            line.under(Role::Selection);
        }
        match row {
            EventRow::Head(at) => {
                let Some(happened) = memories.happened.get(*at) else { continue };
                let open = matches!(page.event_rows.get(place + 1), Some(EventRow::Deed(..)));
                head(&mut line, happened, open, step, memories);
            }
            EventRow::Deed(at, deed) => {
                let deed = memories.happened.get(*at).and_then(|it| Some((it.by, it.deeds.get(*deed)?)));
                if let Some((by, deed)) = deed {
                    self::deed(&mut line, by, deed, memories);
                }
            }
        }
    }
    if page.event_rows.is_empty() {
        let mut line = Line::new(buffer, theme, parts.list, 0);
        line.skip(2);
        let nothing = match page.rare && !memories.happened.is_empty() {
            true => "Nothing was preserved or reconciled by this step; s shows what was ingested and packed.",
            false => "Nothing has happened to memories by this step.",
        };
        line.put(nothing, Role::Dim);
    }
    let pieces = ["Space one by one", "what was ingested and packed can be hidden"];
    hint(buffer, theme, parts, &pieces);
}

fn head(line: &mut Line<'_>, happened: &Happened, open: bool, step: u32, memories: &Memories) {
    let (mark, name) = doer(happened.by);
    let here = happened.step == step;
    line.right(&count(u64::from(happened.step)), 6, if here { Role::Accent } else { Role::Dim });
    line.skip(1);
    line.put(if open { "▾" } else { "▸" }, Role::Dim);
    line.skip(1);
    line.put(mark, role(happened.by));
    line.skip(1);
    line.field(name, 10, role(happened.by));
    line.put(&happened_words(happened), Role::Text);
    if let Some(first) = happened.deeds.first().filter(|_| !open) {
        line.skip(2);
        line.put(&first_words(said(first, memories), WORDS), Role::Dim);
    }
}

fn deed(line: &mut Line<'_>, by: Doer, deed: &Deed, memories: &Memories) {
    line.skip(9);
    line.put("▎", role(by));
    let words = deed_words(deed, memories);
    let room = usize::from(line.left()) * 3 / 5;
    let wide = u16::try_from(width(&words).min(room)).unwrap_or(0);
    line.field(&words, wide, if matches!(deed, Deed::Skipped(..)) { Role::Cleared } else { Role::Text });
    line.skip(2);
    line.put(&first_words(said(deed, memories), WORDS), Role::Dim);
}

/// The words that a deed is about.
fn said<'a>(deed: &Deed, memories: &'a Memories) -> &'a str {
    match deed {
        Deed::Skipped(at, _) => memories.recall.report.skipped.get(*at).map_or("", |skipped| skipped.text.as_str()),
        _ => deed.memory().and_then(|id| memories.store.get(id)).map_or("", |memory| &*memory.text),
    }
}

/// Where what is selected is no single memory: what did it, explained.
pub fn draw_about(buffer: &mut Buffer, theme: &Theme, parts: &Parts, page: &MemoryView, memories: &Memories) {
    let area = inside(parts);
    let Some(EventRow::Head(at) | EventRow::Deed(at, _)) = page.event_rows.get(page.events.cursor) else { return };
    let Some(happened) = memories.happened.get(*at) else { return };
    let about = about_deeds(happened);
    let columns = usize::from(area.width).max(1);
    let texts = [
        (about.title, Role::Title),
        (happened_words(happened), Role::Text),
        (about.text, Role::Dim),
        (about.source, Role::Dim),
    ];
    let lines = texts.iter().flat_map(|(text, role)| wrapped(text, columns).map(move |line| (line, *role)));
    for (y, (text, role)) in (0..area.height).zip(lines) {
        Line::new(buffer, theme, area, y).put(text, role);
    }
}
