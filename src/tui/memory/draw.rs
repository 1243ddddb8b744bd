//! Where the parts of the memory view stand, and what stands around them.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::config::{Keymap, Role, Theme};
use crate::present::{count, width};
use crate::tui::inspect::Inspect;
use crate::tui::layout::{Room, bottom, room, top};
use crate::tui::line::Line;
use crate::tui::main_screen::{Title, title_line, upright};
use crate::tui::state::Session;
use crate::tui::style;
use crate::tui::style::over;

use super::{Known, MemoryView, Tab, card, events, graph, list, measured, off, packed};

/// The parts of the view. What does not show has no area.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Parts {
    pub header: Rect,
    /// The names of what can be shown.
    pub tabs: Rect,
    /// Figures above the list.
    pub head: Rect,
    /// What the list's columns hold.
    pub columns: Rect,
    pub list: Rect,
    /// What is selected, at length; with its title where it stands below the list.
    pub card: Rect,
    pub says: Rect,
    pub footer: Rect,
    /// All between the tabs and the last lines.
    pub body: Rect,
}

impl Parts {
    /// Whether what is selected stands beside the list, not below it.
    #[must_use]
    pub fn is_beside(&self) -> bool {
        self.card.x > self.body.x
    }
}

/// Lays the view out.
#[must_use]
pub fn parts(area: Rect, tab: Tab) -> Parts {
    let mut parts = Parts::default();
    if room(area.width, area.height) == Room::None {
        return parts;
    }
    let mut rest = area;
    parts.header = top(&mut rest, if area.height >= 14 { 2 } else { 1 });
    parts.tabs = top(&mut rest, 1);
    parts.footer = bottom(&mut rest, 1);
    parts.says = bottom(&mut rest, u16::from(area.height >= 12));
    parts.body = rest;
    let head = match (tab, area.height) {
        (_, ..10) => 0,
        (Tab::Packed | Tab::Summary | Tab::Facts, ..18) => 1,
        (Tab::Packed | Tab::Summary | Tab::Facts, _) => 3,
        _ => 0,
    };
    parts.head = top(&mut rest, head);
    if area.width >= 100 && rest.height >= 6 {
        let wide = rest.width * 9 / 20;
        parts.card = Rect { x: rest.right() - wide, width: wide, ..rest };
        rest.width -= wide + 1;
    } else if rest.height >= 10 {
        let share = if tab == Tab::Graph { 4 } else { 3 };
        let height = (rest.height / share).max(5);
        parts.card = bottom(&mut rest, height);
    }
    let named = tab != Tab::Graph && rest.height >= 6;
    parts.columns = top(&mut rest, u16::from(named));
    parts.list = rest;
    parts
}

/// Draws all but header and footer.
pub fn draw(buffer: &mut Buffer, theme: &Theme, keymap: &Keymap, area: Rect, session: &Session, view: &Inspect) {
    let page = &session.pages.memory;
    let parts = parts(area, page.tab);
    title_line(buffer, theme, parts.tabs, false, &Title::default());
    if page.tab.is_of_summary() {
        measured::draw(buffer, theme, &parts, page, session, view);
        tabs(buffer, theme, parts.tabs, page, view);
        return;
    }
    let Some(memories) = page.memories() else {
        off::draw(buffer, theme, keymap, parts.body, page, session, view);
        tabs(buffer, theme, parts.tabs, page, view);
        return;
    };
    frame(buffer, theme, &parts);
    tabs(buffer, theme, parts.tabs, page, view);
    match page.tab {
        Tab::Graph => graph::draw(buffer, theme, &parts, page, memories),
        Tab::Packed => packed::draw(buffer, theme, &parts, page, memories, view.step),
        Tab::Events => events::draw(buffer, theme, &parts, page, memories, view.step),
        Tab::Memories | Tab::Summary | Tab::Facts => list::draw(buffer, theme, &parts, page, memories),
    }
    if page.tab == Tab::Events && page.deed().is_none() {
        events::draw_about(buffer, theme, &parts, page, memories);
    } else if let Some(id) = page.shown() {
        card::draw(buffer, theme, &parts, (page, memories, id), session, view);
    }
}

/// The line between list and card.
pub(super) fn frame(buffer: &mut Buffer, theme: &Theme, parts: &Parts) {
    if parts.card.height == 0 {
        return;
    }
    if parts.is_beside() {
        let line = Rect { y: parts.card.y.saturating_sub(1), height: parts.card.height + 1, ..parts.card };
        upright(buffer, theme, parts.card.x.saturating_sub(1), line);
        if parts.head.height > 0 {
            let rule = Rect { y: line.y, height: 1, ..parts.body };
            title_line(buffer, theme, rule, false, &Title::default());
            upright(buffer, theme, parts.card.x.saturating_sub(1), line);
        }
    } else {
        title_line(buffer, theme, parts.card, false, &Title::default());
    }
}

/// Where the card's text stands.
pub(super) fn inside(parts: &Parts) -> Rect {
    let card = parts.card;
    let title = u16::from(!parts.is_beside()).min(card.height);
    Rect {
        x: card.x + 1.min(card.width),
        y: card.y + title,
        width: card.width.saturating_sub(2),
        height: card.height - title,
    }
}

/// What a tab is called, with how much there is of it.
fn label(page: &MemoryView, tab: Tab) -> String {
    let memories = page.memories();
    let number = match tab {
        Tab::Memories => memories.map(|memories| match (page.rows.len(), memories.store.len()) {
            (shown, all) if shown == all || page.filter.is_empty() => count(all as u64),
            (shown, all) => format!("{} of {}", count(shown as u64), count(all as u64)),
        }),
        Tab::Graph => memories.map(|memories| count(memories.store.edges().len() as u64)),
        Tab::Packed => memories.and_then(|memories| memories.pack.as_ref()).map(|(.., packed)| {
            let all = packed.candidates.len() + packed.others + packed.below;
            format!("{} of {}", packed.lines.len(), count(all as u64))
        }),
        Tab::Events => memories.map(|memories| count(memories.happened.len() as u64)),
        Tab::Summary => page.summary().map(|found| count(found.sentences.len() as u64)),
        Tab::Facts => page.summary().map(|found| count(found.facts.len() as u64)),
    };
    number.map_or_else(|| tab.name().to_owned(), |number| format!("{} {number}", tab.name()))
}

/// Where each tab's name stands; where not all have room, only the one that is shown, between arrows.
fn places(page: &MemoryView, area: Rect) -> Vec<(Tab, u16, String)> {
    let all: Vec<(Tab, String)> = Tab::ALL.iter().map(|tab| (*tab, format!(" {} ", label(page, *tab)))).collect();
    let size = |labels: &[(Tab, String)]| labels.iter().map(|(_, text)| width(text) + 1).sum::<usize>();
    let short: Vec<(Tab, String)> = all
        .iter()
        .map(|(tab, text)| (*tab, if *tab == page.tab { text.clone() } else { format!(" {} ", tab.name()) }))
        .collect();
    let room = usize::from(area.width.saturating_sub(1));
    let chosen = match (size(&all) <= room, size(&short) <= room) {
        (true, _) => all,
        (false, true) => short,
        _ => vec![(page.tab, format!(" ‹ {} › ", label(page, page.tab)))],
    };
    let mut x = area.x + 1;
    let mut found = Vec::new();
    for (tab, text) in chosen {
        let wide = u16::try_from(width(&text)).unwrap_or(u16::MAX);
        found.push((tab, x, text));
        x = x.saturating_add(wide + 1);
    }
    found
}

/// The tab whose name stands in a column.
#[must_use]
pub fn tab_at(page: &MemoryView, area: Rect, column: u16) -> Option<Tab> {
    let places = places(page, area);
    let there = |(_, x, text): &&(Tab, u16, String)| {
        (*x..x.saturating_add(u16::try_from(width(text)).unwrap_or(0))).contains(&column)
    };
    places.iter().find(there).map(|(tab, ..)| *tab)
}

fn tabs(buffer: &mut Buffer, theme: &Theme, area: Rect, page: &MemoryView, view: &Inspect) {
    let places = places(page, area);
    let mut end = area.x;
    for (tab, x, text) in &places {
        let role = if *tab == page.tab { Role::Focus } else { Role::Dim };
        let room = area.right().saturating_sub(*x);
        if *tab == page.tab {
            let wide = u16::try_from(width(text)).unwrap_or(u16::MAX).min(room);
            buffer.set_style(Rect { x: *x, y: area.y, width: wide, height: area.height.min(1) }, style(theme, role));
        }
        let mut line = Line::new(buffer, theme, Rect { x: *x, width: room, ..area }, 0);
        line.styled(text, over(theme, role));
        end = line.column();
    }
    let mut notes = Vec::new();
    if !page.filter.is_empty() && matches!(page.tab, Tab::Memories | Tab::Graph | Tab::Facts) {
        notes.push(format!("/{}", page.filter));
    }
    if page.tab == Tab::Events && page.rare {
        notes.push("only what was preserved and reconciled".to_owned());
    }
    if page.tab == Tab::Memories && page.memories().is_some() {
        notes.push(page.order.name().to_owned());
    }
    if page.memories().is_some_and(|memories| memories.step != view.step) || matches!(page.known, Known::NotYet) {
        let waits = view.is_simulated() && !page.tab.is_of_summary();
        notes.extend(waits.then(|| "being replayed …".to_owned()));
    }
    let note = format!(" {} ", notes.join(" · "));
    let wide = u16::try_from(width(&note)).unwrap_or(u16::MAX);
    if !notes.is_empty() && end.saturating_add(wide + 2) <= area.right() {
        let place = Rect { x: area.right() - wide - 1, width: wide, ..area };
        Line::new(buffer, theme, place, 0).put(&note, Role::Dim);
    }
}

/// What keys do, at the foot of the view: as much of it as there is room for, and no half of it.
pub(super) fn hint(buffer: &mut Buffer, theme: &Theme, parts: &Parts, pieces: &[&str]) {
    let room = usize::from(parts.says.width).saturating_sub(1);
    let mut text = String::new();
    for piece in pieces {
        let gap = if text.is_empty() { "" } else { "  " };
        if !text.is_empty() && width(&text) + gap.len() + width(piece) > room {
            break;
        }
        text.push_str(gap);
        text.push_str(piece);
    }
    says(buffer, theme, parts, &[(&text, Role::Dim)]);
}

/// One line at the foot of the view.
pub(super) fn says(buffer: &mut Buffer, theme: &Theme, parts: &Parts, texts: &[(&str, Role)]) {
    let mut line = Line::new(buffer, theme, parts.says, 0);
    line.skip(1);
    for (text, role) in texts {
        line.put(text, *role);
    }
}
