//! What keys and the mouse do in the memory view.

use crate::config::Action;
use crate::memory::Support;
use crate::present::{About, memory as words};
use crate::tui::inspect::Inspect;
use crate::tui::list::{Scroll, rows_of};

use super::{EventRow, MemoryView, Parts, Tab};

/// Does an action of this view. Says whether it was one.
pub fn act(page: &mut MemoryView, view: &mut Inspect, action: Action, height: usize) -> bool {
    match action {
        Action::NextPane | Action::PreviousPane => turn(page, action == Action::NextPane),
        Action::Sort if page.tab == Tab::Memories => {
            page.order = page.order.next();
            page.list = Scroll::default();
        }
        Action::Sort if page.tab == Tab::Events => {
            page.rare = !page.rare;
            page.fold_events();
            page.events = Scroll::default();
        }
        Action::Sort => {}
        Action::WalkGraph => {
            page.select_shown();
            (page.tab, page.links) = (Tab::Graph, Scroll::default());
        }
        Action::WalkOn => walk(page),
        Action::Open if page.tab == Tab::Graph => walk(page),
        Action::WalkBack => _ = walk_back(page),
        Action::Back if page.tab == Tab::Graph && !page.trail.is_empty() => _ = walk_back(page),
        Action::Back if !page.filter.is_empty() => page.filter.clear(),
        Action::Fold => return fold(page),
        Action::Open if matches!(page.event_rows.get(page.events.cursor), Some(EventRow::Head(_))) => {
            return page.tab == Tab::Events && fold(page);
        }
        Action::RunOn | Action::RunBack => run_on(page, action == Action::RunOn),
        Action::NextEvent | Action::PreviousEvent => return next_event(page, view, action == Action::NextEvent),
        Action::EntryDown => page.read = page.read.saturating_add(1),
        Action::EntryUp => page.read = page.read.saturating_sub(1),
        _ => {
            let Some(by) = rows_of(action, height) else { return false };
            step(page, by);
        }
    }
    true
}

fn turn(page: &mut MemoryView, forward: bool) {
    page.select_shown();
    let at = Tab::ALL.iter().position(|tab| *tab == page.tab).unwrap_or(0);
    let to = if forward { at + 1 } else { at + Tab::ALL.len() - 1 } % Tab::ALL.len();
    page.show(Tab::ALL.get(to).copied().unwrap_or_default());
}

impl MemoryView {
    /// Shows another part of the view, at the memory that is looked at.
    pub fn show(&mut self, tab: Tab) {
        (self.tab, self.read) = (tab, 0);
        if tab != Tab::Packed {
            self.follow();
        }
    }

    /// Seeks memories and facts by words; none show all.
    pub fn seek_words(&mut self, words: &str) {
        if self.filter != words {
            self.seeks = self.tab == Tab::Graph && !words.is_empty();
            words.clone_into(&mut self.filter);
        }
    }

    /// Goes to the first memory that was found, where one seeks in the graph and the one there is not found.
    pub(super) fn go_to_found(&mut self) {
        let is_there = self.selected.is_some_and(|id| self.rows.contains(&id));
        if !std::mem::take(&mut self.seeks) || is_there || self.tab != Tab::Graph {
            return;
        }
        if let Some(first) = self.rows.first() {
            (self.selected, self.links, self.read) = (Some(*first), Scroll::default(), 0);
            self.trail.clear();
        }
    }

    /// Takes what is under the cursor as the memory that is looked at.
    pub fn select_shown(&mut self) {
        if self.tab != Tab::Graph
            && let Some(id) = self.shown()
        {
            self.selected = Some(id);
        }
    }

    fn rows_here(&self) -> usize {
        match self.tab {
            Tab::Memories => self.rows.len(),
            Tab::Graph => self.selected.and_then(|id| Some(self.memories()?.graph.links(id).len())).unwrap_or(0),
            Tab::Packed => {
                self.memories().and_then(|it| it.pack.as_ref()).map_or(0, |(.., pack)| pack.candidates.len())
            }
            Tab::Events => self.event_rows.len(),
            Tab::Summary => self.summary().map_or(0, |found| found.sentences.len()),
            Tab::Facts => self.fact_rows.len(),
        }
    }

    fn scroll(&mut self) -> &mut Scroll {
        match self.tab {
            Tab::Memories => &mut self.list,
            Tab::Graph => &mut self.links,
            Tab::Packed => &mut self.packed,
            Tab::Events => &mut self.events,
            Tab::Summary => &mut self.sentences,
            Tab::Facts => &mut self.facts,
        }
    }
}

fn step(page: &mut MemoryView, by: isize) {
    let rows = page.rows_here();
    page.scroll().step(by, rows);
    page.read = 0;
    page.select_shown();
}

/// To the neighbour under the cursor.
fn walk(page: &mut MemoryView) {
    let Some((from, to)) = page.selected.zip(page.shown()).filter(|(from, to)| from != to) else { return };
    page.trail.push(from);
    (page.selected, page.links, page.read) = (Some(to), Scroll::default(), 0);
}

/// To the memory that one came from. Says whether there is one.
fn walk_back(page: &mut MemoryView) -> bool {
    let Some(to) = page.trail.pop() else { return false };
    let came = page.selected;
    (page.selected, page.links, page.read) = (Some(to), Scroll::default(), 0);
    let links = page.memories().map(|memories| memories.graph.links(to)).unwrap_or_default();
    page.links.cursor = links.iter().position(|link| Some(link.to) == came).unwrap_or(0);
    true
}

/// Shows the deeds of what is under the cursor, or no longer.
fn fold(page: &mut MemoryView) -> bool {
    if page.tab != Tab::Events {
        return false;
    }
    let Some(EventRow::Head(at) | EventRow::Deed(at, _)) = page.event_rows.get(page.events.cursor).copied() else {
        return false;
    };
    let key = page.memories().and_then(|memories| memories.happened.get(at)).map(|it| (it.step, it.by));
    let Some(key) = key else { return false };
    if !page.turned.remove(&key) {
        page.turned.insert(key);
    }
    page.fold_events();
    page.events.cursor = page.event_rows.iter().position(|row| *row == EventRow::Head(at)).unwrap_or(0);
    true
}

/// To the next memory that has a neighbour; among sentences to the next that nothing supports.
fn run_on(page: &mut MemoryView, forward: bool) {
    if page.tab == Tab::Summary {
        let found = page.summary().and_then(|found| {
            let bad = |at: &usize| found.sentences.get(*at).is_some_and(|sentence| sentence.support == Support::None);
            seek(page.sentences.cursor, found.sentences.len(), forward, bad)
        });
        page.sentences.cursor = found.unwrap_or(page.sentences.cursor);
        return;
    }
    let at = match page.tab {
        // The graph may have been walked away from the list's cursor.
        Tab::Graph => page.rows.iter().position(|id| Some(*id) == page.selected).unwrap_or(page.list.cursor),
        _ => page.list.cursor,
    };
    let Some(memories) = page.memories() else { return };
    let related = |at: &usize| page.rows.get(*at).is_some_and(|id| !memories.graph.links(*id).is_empty());
    let Some(found) = seek(at, page.rows.len(), forward, related) else { return };
    if matches!(page.tab, Tab::Memories | Tab::Graph) {
        (page.list.cursor, page.selected) = (found, page.rows.get(found).copied());
        (page.links, page.read) = (Scroll::default(), 0);
        page.trail.clear();
    }
}

fn seek(from: usize, rows: usize, forward: bool, wanted: impl Fn(&usize) -> bool) -> Option<usize> {
    if forward { (from + 1..rows).find(wanted) } else { (0..from).rev().find(wanted) }
}

/// To the next step at which memories were preserved, packed or reconciled. Other tracks have their own events.
fn next_event(page: &MemoryView, view: &mut Inspect, forward: bool) -> bool {
    use crate::model::Stage;
    if page.tab.is_of_summary() {
        return false;
    }
    let of_memory =
        |event: &&crate::model::Event| matches!(event.stage, Stage::Pack | Stage::Preserve | Stage::Reconcile);
    let run = view.index.run();
    let found = match forward {
        true => run.events.iter().filter(of_memory).find(|event| event.step > view.step),
        false => run.events.iter().rev().filter(of_memory).find(|event| event.step < view.step),
    };
    if let Some(step) = found.map(|event| event.step) {
        view.go_to(step);
    }
    true
}

/// Selects what is clicked.
pub fn click(page: &mut MemoryView, parts: &Parts, column: u16, row: u16) {
    let place = (column, row).into();
    if parts.tabs.contains(place) {
        if let Some(tab) = super::draw::tab_at(page, parts.tabs, column) {
            page.select_shown();
            page.show(tab);
        }
    } else if parts.list.contains(place) && page.tab != Tab::Graph {
        let (at, rows) = (usize::from(row - parts.list.y), page.rows_here());
        let scroll = page.scroll();
        scroll.cursor = (scroll.top + at).min(rows.saturating_sub(1));
        page.select_shown();
    }
}

/// Scrolls the list.
pub fn wheel(page: &mut MemoryView, by: isize, height: usize) {
    let rows = page.rows_here();
    page.scroll().wheel(by, rows, height);
    page.select_shown();
}

/// What is under the cursor, explained.
#[must_use]
pub fn explained(page: &MemoryView) -> Option<About> {
    let memories = page.memories();
    match page.tab {
        Tab::Memories => words::about_memory(memories?, page.shown()?),
        Tab::Graph => {
            let (memories, selected) = (memories?, page.selected?);
            match memories.graph.links(selected).get(page.links.cursor) {
                Some(link) => Some(words::about_tie(link.tie)),
                None => words::about_memory(memories, selected),
            }
        }
        Tab::Packed => {
            let memories = memories?;
            let (.., packed) = memories.pack.as_ref()?;
            Some(words::about_candidate(page.candidate()?, packed, &memories.settings))
        }
        Tab::Events => {
            let (EventRow::Head(at) | EventRow::Deed(at, _)) = *page.event_rows.get(page.events.cursor)?;
            memories?.happened.get(at).map(words::about_deeds)
        }
        Tab::Summary => Some(words::about_aligned()),
        Tab::Facts => Some(words::about_facts()),
    }
}
