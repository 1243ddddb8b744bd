//! One event at length: why it happened, what it took and what it made, before and after.

use std::collections::{HashMap, HashSet};

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::config::{Action, Context, Keymap, Role, Theme};
use crate::model::{ALL_LAYERS, Entry, EntryId, Event, EventId, Layer, Run, Trigger};
use crate::present::{
    Referring, count, entry_name, event_step, held_before, measured, name_in, percent, referring, short, width,
};
use crate::tui::inspect::Inspect;
use crate::tui::line::{Line, bar, wrapped};
use crate::tui::list::Scroll;
use crate::tui::main_screen::{deciding_rule, repeats};
use crate::tui::style;

use super::frame::{Framed, frame, framed, hints};
use super::region::Region;

/// Columns that the card takes where there is room.
const WIDE: u16 = 104;

/// What became of one entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// It was made.
    Made(EntryId),
    /// It was taken, and nothing of its own stands for it.
    Took(EntryId),
    /// It was taken, and the second stands for it alone.
    Became(EntryId, EntryId),
    /// It was spared, for a reason of that number.
    Spared(EntryId, u32),
}

impl Effect {
    /// The entry to go to.
    #[must_use]
    pub fn entry(self) -> EntryId {
        match self {
            Effect::Made(id) | Effect::Took(id) | Effect::Became(_, id) | Effect::Spared(id, _) => id,
        }
    }
}

/// An event over a screen.
#[derive(Clone, Debug)]
pub struct EventCard {
    event: EventId,
    rows: Vec<Effect>,
    /// Why what was spared was.
    reasons: Vec<Referring>,
    scroll: Scroll,
}

impl EventCard {
    /// The card of an event; `None` where the run has no such event.
    #[must_use]
    pub fn new(run: &Run, id: EventId) -> Option<EventCard> {
        let event = run.event(id)?;
        let reasons = referring(run, event);
        Some(EventCard { event: id, rows: effects(run, event), reasons, scroll: Scroll::default() })
    }

    /// The entry that is selected.
    #[must_use]
    pub fn chosen(&self) -> Option<EntryId> {
        self.rows.get(self.scroll.cursor).map(|row| row.entry())
    }

    /// The entries around the selected one, whose first words are wanted.
    pub fn in_sight(&self, height: u16) -> impl Iterator<Item = EntryId> + '_ {
        let around = usize::from(height);
        self.rows.iter().skip(self.scroll.cursor.saturating_sub(around)).take(2 * around).map(|row| row.entry())
    }

    /// Takes an action that moves; `false` where it closes the card.
    pub fn act(&mut self, action: Action) -> bool {
        self.scroll.over(action, self.rows.len())
    }

    /// Draws the card.
    pub fn draw(&self, buffer: &mut Buffer, theme: &Theme, keymap: &Keymap, view: &Inspect) {
        let run = view.index.run();
        let Some(event) = run.event(self.event) else { return };
        let foot = hints(
            keymap,
            Context::Dialog,
            &[(&[Action::Up, Action::Down], "choose"), (&[Action::Open], "go there"), (&[Action::Back], "close")],
            60,
        );
        let title = format!("{} {} · {}", event.stage.mark(), event.stage.name(), event_step(run, event));
        let Parts { place, why, sums, .. } = self.parts(buffer.area, event);
        let inner = place.inner;
        frame(buffer, theme, place, &title, &foot);
        for (row, text) in (0u16..).zip(&why) {
            Line::new(buffer, theme, inner, row).put(text, Role::Text);
        }
        if !why.is_empty() {
            let row = u16::try_from(why.len()).unwrap_or(0);
            Line::new(buffer, theme, inner, row).put(&rule(event), Role::Dim);
        }
        if let Some(sums) = sums {
            before_and_after(buffer, theme, sums, self, view, event);
        }
        let region = self.region(buffer.area, view);
        if self.rows.is_empty() {
            Line::new(buffer, theme, region.list, 0).put("It changed no entry.", Role::Dim);
        }
        for (row, at) in region.shown() {
            let Some(effect) = self.rows.get(at) else { break };
            let mut line = Line::new(buffer, theme, region.list, row);
            if at == self.scroll.cursor {
                line.under(Role::Selection);
            }
            effect_row(&mut line, view, *effect, &self.reasons);
        }
    }

    /// The rows, and which is selected.
    pub fn scroll_mut(&mut self) -> &mut Scroll {
        &mut self.scroll
    }

    /// Where it stands on a screen, and its rows.
    #[must_use]
    pub fn region(&self, area: Rect, view: &Inspect) -> Region {
        let event = view.index.run().event(self.event);
        event.map_or_else(Region::default, |event| {
            let Parts { place, head, .. } = self.parts(area, event);
            Region::of(place, head, self.scroll, self.rows.len())
        })
    }

    /// Lays the card out. Where there is hardly any room, the entries matter most.
    fn parts(&self, area: Rect, event: &Event) -> Parts {
        let columns = usize::from(WIDE.min(area.width.saturating_sub(6)));
        let mut why: Vec<String> = wrapped(&event.sentence(), columns.max(1)).take(4).map(str::to_owned).collect();
        let most = u16::try_from(why.len()).unwrap_or(4) + 6;
        let rows = u16::try_from(self.rows.len()).unwrap_or(u16::MAX).max(1);
        let place = framed(area, (WIDE, most.saturating_add(rows)));
        let inner = place.inner;
        let mut head = 0;
        if inner.height >= most + 3 {
            head += u16::try_from(why.len()).unwrap_or(0) + 2;
        } else {
            why.clear();
        }
        let sums = (inner.height >= head + 6).then_some(Rect { y: inner.y + head, height: 3, ..inner });
        head += if sums.is_some() { 4 } else { 0 };
        Parts { place, why, sums, head }
    }

    /// Tokens of what it took or made, by layer.
    fn sums(&self, run: &Run, made: bool) -> ([u64; Layer::COUNT], usize) {
        let (mut sums, mut number) = ([0u64; Layer::COUNT], 0);
        let ids = self.rows.iter().filter_map(|row| match (row, made) {
            (Effect::Made(id) | Effect::Became(_, id), true) => Some(*id),
            (Effect::Took(id) | Effect::Became(id, _), false) => Some(*id),
            _ => None,
        });
        for entry in ids.filter_map(|id| run.entry(id)) {
            number += 1;
            if let Some(sum) = sums.get_mut(entry.layer as usize) {
                *sum = sum.saturating_add(entry.tokens);
            }
        }
        (sums, number)
    }
}

/// The parts of the card.
struct Parts {
    place: Framed,
    /// Why it happened, in lines; none where there is no room.
    why: Vec<String>,
    /// What was taken and made, in sums.
    sums: Option<Rect>,
    /// Rows above the entries.
    head: u16,
}

/// What an event made first, then what it took, what stands for one entry alone beside it; then what it spared.
fn effects(run: &Run, event: &Event) -> Vec<Effect> {
    let taken: HashSet<EntryId> = event.took.iter().copied().collect();
    let from = |id: &EntryId| match run.entry(*id).map(|entry| entry.from.as_slice()) {
        Some([one]) if taken.contains(one) => Some(*one),
        _ => None,
    };
    let pairs: HashMap<EntryId, EntryId> = event.made.iter().filter_map(|made| Some((from(made)?, *made))).collect();
    let paired: HashSet<EntryId> = pairs.values().copied().collect();
    let alone = event.made.iter().filter(|id| !paired.contains(id)).map(|id| Effect::Made(*id));
    let took = event.took.iter().map(|id| match pairs.get(id) {
        Some(made) => Effect::Became(*id, *made),
        None => Effect::Took(*id),
    });
    let spared = (0u32..).zip(&event.evidence).filter(|(_, one)| one.spared);
    let spared = spared.map(|(number, one)| Effect::Spared(one.entry, number));
    alone.chain(took).chain(spared).collect()
}

fn rule(event: &Event) -> String {
    let mut text = deciding_rule(event);
    if let Some(measured) = measured(event) {
        // There is little room in a title, and most figures are tokens.
        text.push_str(&format!(" · measured {}", measured.trim_end_matches(" tokens")));
    }
    match event.trigger {
        Some(Trigger::Auto) => text.push_str(" · by itself"),
        Some(Trigger::Manual) => text.push_str(" · by the user"),
        None => {}
    }
    if let Some(record) = event.record.filter(|record| record.line > 0) {
        text.push_str(&format!(" · line {}", count(u64::from(record.line))));
    }
    text
}

/// What was taken and what stands for it, to one scale, and the window around it.
fn before_and_after(buffer: &mut Buffer, theme: &Theme, place: Rect, card: &EventCard, view: &Inspect, event: &Event) {
    let run = view.index.run();
    let (took, taken) = card.sums(run, false);
    let (made, makes) = card.sums(run, true);
    let whole = took.iter().sum::<u64>().max(made.iter().sum()).max(1);
    for (row, name, sums, entries) in [(0, "before", took, taken), (1, "after", made, makes)] {
        let mut line = Line::new(buffer, theme, place, row);
        line.field(name, 8, Role::Dim);
        let tokens = sums.iter().sum::<u64>();
        let what = if entries == 1 { "entry  " } else { "entries" };
        let of = if tokens == 1 { "token " } else { "tokens" };
        let text = format!("{:>9} {of}  {:>5} {what}", count(tokens), count(entries as u64));
        let mut right = line.split_right(u16::try_from(width(&text) + 1).unwrap_or(0));
        right.right(&text, u16::MAX, Role::Text);
        layered(&mut line, theme, &sums, whole);
    }
    let used = |step: u32| view.index.totals(step).map(crate::model::Totals::used);
    // What other stages did at the same step is none of its doing.
    let own = held_before(run, event).or(event.tokens_before).zip(event.tokens_after);
    let steps = own.is_none().then_some(event.step);
    if let Some((before, after)) = own.or_else(|| used(event.step.saturating_sub(1)).zip(used(event.step))) {
        let at = |step: Option<u32>| step.map_or_else(String::new, |step| format!(" at step {step}"));
        let mut line = Line::new(buffer, theme, place, 2);
        line.field("window", 8, Role::Dim);
        line.put(&format!("{}{}", short(before), at(steps.map(|step| step - 1))), Role::Text);
        line.put(&format!("  →  {}{}", short(after), at(steps)), Role::Text);
        if after < before {
            line.put(&format!("  −{}", percent(before - after, before)), Role::Removed);
        }
    }
}

/// Layers side by side in one row, to a scale.
fn layered(line: &mut Line<'_>, theme: &Theme, sums: &[u64; Layer::COUNT], whole: u64) {
    let columns = line.left().saturating_sub(1);
    let (mut sum, mut drawn) = (0u64, 0usize);
    for info in ALL_LAYERS.iter().filter(|info| info.layer < Layer::Reserve) {
        sum = sum.saturating_add(sums.get(info.layer as usize).copied().unwrap_or(0));
        let end = width(&bar(sum, whole, columns, theme.fill(info.layer)));
        let fill = theme.fill(info.layer).repeat(end.saturating_sub(drawn));
        line.styled(&fill, style(theme, Role::Layer(info.layer)));
        drawn = drawn.max(end);
    }
}

fn effect_row(line: &mut Line<'_>, view: &Inspect, effect: Effect, reasons: &[Referring]) {
    let entry = |id| view.index.run().entry(id);
    let Some(shown) = entry(effect.entry()) else { return };
    line.put("▎", Role::Layer(shown.layer));
    let (sign, role) = match effect {
        Effect::Made(_) => ("+ ", Role::Added),
        Effect::Took(_) => ("− ", Role::Removed),
        Effect::Became(..) => ("→ ", Role::Boundary),
        Effect::Spared(..) => ("= ", Role::Kept),
    };
    line.put(sign, role);
    let tokens = |entry: &Entry| count(entry.tokens);
    let figure = match effect {
        Effect::Became(from, to) => {
            format!("{} → {}", entry(from).map(tokens).unwrap_or_default(), entry(to).map(tokens).unwrap_or_default())
        }
        _ => tokens(shown),
    };
    let mut right = line.split_right(20.min(line.left() / 2));
    right.right(&figure, u16::MAX, Role::Text);
    line.field(shown.layer.info().tag, 8, Role::Layer(shown.layer));
    let before = match effect {
        Effect::Became(from, _) => entry(from).unwrap_or(shown),
        _ => shown,
    };
    if !before.label.is_empty() && !repeats(before.layer, &before.label) {
        line.put(&name_in(&before.label, usize::from(line.left()) * 2 / 3), Role::Text);
        line.put("  ", Role::Dim);
    }
    if let Effect::Spared(_, number) = effect
        && let Some(reason) = reasons.get(number as usize)
    {
        line.put(&format!("spared: “{}” in ", reason.word), Role::Text);
        let by = reason.by.map_or_else(|| "a later message".to_owned(), |by| entry_name(view.index.run(), by));
        line.put(&by, Role::Text);
        return;
    }
    if let Some(words) = view.previews.get(&effect.entry()) {
        line.put(words, Role::Dim);
    }
}
