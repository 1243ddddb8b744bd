//! The entry pane: what the selected entry is, where it came from, and its text.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::config::{Role, Theme};
use crate::model::{Entry, Fate};
use crate::present::{clip, count, counted, name_in, width};
use crate::tui::inspect::Inspect;
use crate::tui::line::{Line, wrapped};
use crate::tui::scene::Row;
use crate::tui::state::Text;

use super::frame::Title;
use super::window::fate_sign;

/// Rows above the text.
pub const HEAD: u16 = 3;

/// Draws the pane.
pub fn draw(buffer: &mut Buffer, theme: &Theme, inner: Rect, view: &Inspect, text: &Text) {
    let Some(entry) = view.here().and_then(|id| view.index.run().entry(id)) else {
        let place = Rect { x: inner.x + 1, width: inner.width.saturating_sub(2), ..inner };
        let top = 1.min(inner.height.saturating_sub(1));
        let texts = instead(view);
        let lines = texts
            .iter()
            .flat_map(|(text, role)| wrapped(text, usize::from(place.width).max(1)).map(move |line| (line, *role)));
        for (row, (text, role)) in (top..place.height).zip(lines) {
            Line::new(buffer, theme, place, row).put(text, role);
        }
        return;
    };
    let inner = Rect { x: inner.x + 1, width: inner.width.saturating_sub(2), ..inner };
    let mut line = Line::new(buffer, theme, inner, 0);
    facts(&mut line, entry, view);
    match &text.detail {
        None => {}
        Some(Err(why)) => Line::new(buffer, theme, inner, 1).put(why, Role::Error),
        Some(Ok(detail)) => {
            let mut line = Line::new(buffer, theme, inner, 1);
            for tag in &detail.content().provenance {
                line.put(&fitted(tag, usize::from(line.left())), Role::Dim);
                line.skip(1);
            }
            let rest = Rect { y: inner.y + HEAD.min(inner.height), height: inner.height.saturating_sub(HEAD), ..inner };
            detail.draw(rest, buffer, theme);
        }
    }
}

/// What is said where no entry is looked at: what the row under the cursor stands for.
fn instead(view: &Inspect) -> Vec<(String, Role)> {
    let row = view.shown.rows.get(view.row.cursor);
    let run = view.index.run();
    match row {
        Some(Row::Boundary(event)) => match run.event(*event) {
            Some(event) => vec![
                (format!("{} {} at step {}", event.stage.mark(), event.stage.name(), event.step), Role::Summarised),
                (event.sentence().into_owned(), Role::Text),
                ("Enter shows what it took and what it made.".to_owned(), Role::Dim),
            ],
            None => Vec::new(),
        },
        Some(Row::Same { entries, tokens }) => vec![
            (
                format!(
                    "{} as before, {}.",
                    counted((*entries).into(), "entry", "entries"),
                    counted(*tokens, "token", "tokens")
                ),
                Role::Text,
            ),
            ("Enter shows the whole window.".to_owned(), Role::Dim),
        ],
        None => Vec::new(),
        _ => vec![("Select an entry of the window to read it here.".to_owned(), Role::Dim)],
    }
}

/// A tag in so many columns. The file's name gives way first: the line and the bytes are what one looks for.
fn fitted(tag: &str, columns: usize) -> String {
    let over = width(tag).saturating_sub(columns);
    let Some((name, place)) = tag.strip_prefix("[source:").and_then(|rest| rest.split_once(" | ")) else {
        return tag.to_owned();
    };
    let kept = width(name).saturating_sub(over + 1);
    match over {
        0 => tag.to_owned(),
        _ if kept < 4 => format!("[{place}"),
        _ => format!("[source:{} | {place}", clip(name, kept + 1)),
    }
}

fn facts(line: &mut Line<'_>, entry: &Entry, view: &Inspect) {
    line.put(entry.layer.info().title, Role::Layer(entry.layer));
    let role = match entry.role {
        crate::model::Role::System => "system",
        crate::model::Role::Developer => "developer",
        crate::model::Role::User => "user",
        crate::model::Role::Assistant => "assistant",
        crate::model::Role::Tool => "tool",
    };
    let size = match entry.fate {
        Fate::Verbatim => count(entry.tokens),
        _ if entry.original_tokens > entry.tokens => {
            format!("{} of {}", count(entry.tokens), count(entry.original_tokens))
        }
        _ => count(entry.tokens),
    };
    let name = name_in(&entry.label, usize::from(line.left()).saturating_sub(4).min(40));
    let mut fact = |text: &str, role: Role| {
        if usize::from(line.left()) > crate::present::width(text) + 3 {
            line.put(" · ", Role::Dim);
            line.put(text, role);
        }
    };
    if !entry.label.is_empty() {
        fact(&clip(&name, 40), Role::Text);
    }
    fact(
        &format!("{}{size} {}", if entry.estimated { "~" } else { "" }, if size == "1" { "token" } else { "tokens" }),
        Role::Text,
    );
    if let Some((sign, role)) = fate_sign(entry.fate) {
        fact(&format!("{sign} {}", entry.fate.name()), role);
    }
    fact(&format!("from step {}", entry.born()), Role::Dim);
    match entry.died() {
        Some(died) => fact(&format!("gone at {died}"), Role::Removed),
        None if view.step < view.index.steps() => fact("to the end", Role::Dim),
        None => {}
    }
    fact(role, Role::Dim);
}

/// What the pane's line says.
#[must_use]
pub fn title(text: &Text, height: u16) -> Title {
    let mut title = Title { name: "Entry", ..Title::default() };
    let Some(Ok(detail)) = &text.detail else { return title };
    let (above, all) = detail.position();
    if above > 0 || all > usize::from(height.saturating_sub(HEAD)) {
        title.signs.push((format!("line {} of {}", count(above as u64 + 1), count(all as u64)), Role::Dim));
    }
    if let (at, all @ 1..) = detail.hits() {
        title.signs.push((format!("found {at} of {}", count(all as u64)), Role::Hit));
    }
    if detail.raw() {
        title.signs.push(("raw".to_owned(), Role::Accent));
    }
    title
}
