//! A memory at length: what became of it, where it came from, what it has to do with others, its text.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::config::{Role, Theme};
use crate::inquiry::Memories;
use crate::memory::{Earlier, Memory, MemoryId, Tie, Why};
use crate::model::{Layer, file_name};
use crate::policy::Choice;
use crate::present::memory::{came_to_be, least_of, left_out, memory_state};
use crate::present::{count, score};
use crate::tui::inspect::Inspect;
use crate::tui::line::{Line, wrapped};
use crate::tui::state::Session;

use super::draw::{Parts, inside};
use super::list::sign;
use super::{MemoryView, Tab};

/// Lines of a text that can be scrolled to.
const LINES: usize = 5_000;

/// Draws the card.
pub fn draw(
    buffer: &mut Buffer,
    theme: &Theme,
    parts: &Parts,
    (page, memories, id): (&MemoryView, &Memories, MemoryId),
    session: &Session,
    view: &Inspect,
) {
    let (area, Some(memory)) = (inside(parts), memories.store.get(id)) else { return };
    let state = memories.store.state(id);
    let mut line = Line::new(buffer, theme, area, 0);
    let (mark, role) = sign(memories, id);
    line.put(mark, role);
    line.put(&format!(" memory {}", id.0), Role::Title);
    line.put("  ", Role::Dim);
    line.put(&memory_state(state), if state.is_live() { Role::Good } else { Role::Cleared });
    let heir = memories.store.heir(id);
    if state.into.is_some_and(|into| into != heir) {
        line.put(&format!(", now {}", heir.0), Role::Cleared);
    }
    line.put(&format!("  {} · {}", memory.scope.name(), memory.source_type), Role::Dim);
    let mut facts: Vec<(String, Role)> = Vec::new();
    let came = match memory.born {
        0 => "there before the session".to_owned(),
        step => {
            let age = memories.step.saturating_sub(step);
            let ago = if age == 0 { String::new() } else { format!(", {} ago", steps(age)) };
            format!("{} at step {step}{ago}", came_to_be(memory.how))
        }
    };
    let last = if state.uses > 0 { format!(", last at step {}", state.used_at) } else { String::new() };
    facts.push((format!("{came} · packed {}{last}", crate::present::times(state.uses.into())), Role::Text));
    if page.tab == Tab::Packed
        && let (Some(one), Some((.., packed))) = (page.candidate(), memories.pack.as_ref())
    {
        let (key, why) = left_out(one, packed, &memories.settings);
        let key = key.map_or_else(String::new, |key| format!(" ({key})"));
        let score = score(one.score, least_of(&memories.settings));
        facts.insert(0, (format!("{score} · {why}{key}"), Role::Accent));
    }
    facts.extend(source((memory, memories), page, session, view).map(|words| (words, Role::Link)));
    facts.extend(ties(memories, id).map(|words| (words, Role::Summarised)));
    let mut y = 1;
    for (text, role) in facts {
        for part in wrapped(&text, usize::from(area.width).max(1)).take(2) {
            Line::new(buffer, theme, area, y).put(part, role);
            y += 1;
        }
    }
    // A gap before the text, where there is room for one.
    y += u16::from(area.height > y + 2);
    let rest = Rect { y: area.y + y.min(area.height), height: area.height.saturating_sub(y), ..area };
    let around = memory.around.as_deref().unwrap_or_default();
    let own = (&*memory.text, Role::Text);
    let texts: &[(&str, Role)] = match around {
        "" => &[own],
        around if memory.rewritten => &[
            ("As a model put it in its context:", Role::Dim),
            (around, Role::Text),
            ("It was said so:", Role::Dim),
            own,
        ],
        around => &[(around, Role::Dim), own],
    };
    text(buffer, theme, rest, page.read, texts);
}

/// Draws texts, so many lines of them scrolled away.
pub(super) fn text(buffer: &mut Buffer, theme: &Theme, area: Rect, read: usize, texts: &[(&str, Role)]) {
    let columns = usize::from(area.width).max(1);
    let lines = texts.iter().flat_map(|(text, role)| {
        let blank = |line: &str| line.trim().is_empty().then_some("");
        let parts = move |line| blank(line).into_iter().chain(wrapped(line, columns));
        text.lines().flat_map(parts).map(move |line| (line, *role))
    });
    let mut shown: Vec<(&str, Role)> = lines.take(LINES.min(read + usize::from(area.height) + 1)).collect();
    // The last page stays in sight.
    let from = read.min(shown.len().saturating_sub(usize::from(area.height)));
    shown.drain(..from);
    let more = shown.len() > usize::from(area.height);
    for (y, (line, role)) in (0..area.height).zip(shown) {
        Line::new(buffer, theme, area, y).put(line, role);
    }
    if more && area.height > 0 {
        let mut line = Line::new(buffer, theme, area, area.height - 1);
        let gap = line.left().saturating_sub(2);
        line.skip(gap);
        line.put(" ↓", Role::Dim);
    }
}

fn steps(number: u32) -> String {
    match number {
        1 => "1 step".to_owned(),
        more => format!("{} steps", count(u64::from(more))),
    }
}

/// Where its text stands: layer, file, line or page, bytes.
fn source(
    (memory, memories): (&Memory, &Memories),
    page: &MemoryView,
    session: &Session,
    view: &Inspect,
) -> Option<String> {
    let Some(origin) = memory.origins.first() else {
        let more = more(memory.earlier.len());
        return memory.earlier.first().map(|place| format!("{}{more} · of an earlier session", stood_in(place)));
    };
    let block = session.transcript.block(origin.block)?;
    let name = session.transcript.sources.get(block.record.source.0 as usize).map_or("", |it| it.name.as_str());
    let name = file_name(name);
    let run = view.index.run();
    let entry = page.whence.and_then(|whence| whence.entry).and_then(|id| run.entry(id));
    let layer: Option<Layer> = entry.map(|entry| entry.layer);
    let whence = layer.map_or_else(String::new, |layer| format!("{}, ", layer.info().tag));
    let gone = match entry {
        // A summary that was made of it holds its words.
        Some(entry) if entry.life_at(view.step).is_none() && is_present(page, memories, view) => {
            " · its words stand in a summary"
        }
        Some(entry) if entry.life_at(view.step).is_none() => " · no longer in the window",
        Some(_) => "",
        None => " · in no window",
    };
    let more = more(memory.origins.len());
    let (from, to) = (count(origin.start), count(origin.end));
    let lines = memories.recall.lines_of.get(&(origin.block, origin.whole));
    // The sign stands for bytes of a file, as elsewhere: those of a record's text are told in words.
    let place = match lines.map(|lines| (lines.line(origin.start), lines.place(origin.start))) {
        Some((_, Some(place))) => format!(" {place} @{from}–{to}"),
        Some((line, None)) => format!(":{line} @{from}–{to}"),
        None => format!(":{}, bytes {from}–{to} of its text", block.record.line),
    };
    Some(format!("{whence}{name}{place}{more}{gone}"))
}

/// Where a memory of an earlier session stood: file and bytes.
pub(super) fn stood_in(place: &Earlier) -> String {
    let bytes = place.bytes.map_or_else(String::new, |[from, to]| format!(" @{}–{}", count(from), count(to)));
    format!("{}{bytes}", file_name(&place.source))
}

/// How many more places there are than the one that is told.
fn more(places: usize) -> String {
    if places > 1 { format!(" and {} more", places - 1) } else { String::new() }
}

/// Whether the memory that is looked at was left out of this step's pack as its words stand in the window.
fn is_present(page: &MemoryView, memories: &Memories, view: &Inspect) -> bool {
    let is_new = memories.pack.as_ref().is_some_and(|(step, ..)| *step == view.step);
    page.tab == Tab::Packed && is_new && page.candidate().is_some_and(|one| one.why == Why::Present)
}

/// The neighbours in a line.
fn ties(memories: &Memories, id: MemoryId) -> Option<String> {
    let links = memories.graph.links(id);
    let of = |tie: Tie| {
        let ids: Vec<String> =
            links.iter().filter(|link| link.tie == tie).take(6).map(|link| link.to.0.to_string()).collect();
        (!ids.is_empty()).then(|| format!("{} {}", tie.name(), ids.join(", ")))
    };
    let said: Vec<String> = Tie::ALL.iter().filter_map(|tie| of(*tie)).collect();
    (!said.is_empty()).then(|| said.join(" · "))
}
