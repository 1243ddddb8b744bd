//! The window pane: what the model was sent at this step, in order.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::config::{Role, Theme};
use crate::model::{Entry, EntryId, Fate, Layer, Stage};
use crate::present::{count, counted, held_before, name_in, short};
use crate::tui::inspect::Inspect;
use crate::tui::line::{Line, bar};
use crate::tui::scene::{Change, Changes, Order, Row};

use super::frame::Title;

/// Which columns a row has room for.
struct Columns {
    /// For the fate: its sign; with what it was before; with a word for it.
    fate: u16,
    tokens: u16,
    bar: u16,
    born: u16,
}

impl Columns {
    fn of(width: u16, steps: u32) -> Columns {
        let born = u16::try_from(steps.max(1).to_string().len()).unwrap_or(4) + 2;
        Columns {
            fate: match width {
                ..60 => 2,
                60..88 => 8,
                _ => 18,
            },
            tokens: if width >= 34 { 7 } else { 6 },
            bar: match width {
                ..52 => 0,
                52..70 => 5,
                70..90 => 8,
                _ => 12,
            },
            born: if width >= 56 { born } else { 0 },
        }
    }
}

/// Draws the rows that show.
pub fn draw(buffer: &mut Buffer, theme: &Theme, inner: Rect, view: &Inspect, focused: bool) {
    let columns = Columns::of(inner.width, view.index.steps());
    for (row, shown) in (0..inner.height).zip(view.shown.rows.iter().skip(view.row.top)) {
        let mut line = Line::new(buffer, theme, inner, row);
        if view.row.top + usize::from(row) == view.row.cursor {
            line.under(if focused { Role::Selection } else { Role::SelectionQuiet });
        }
        match shown {
            Row::Entry(id, change) => entry_row(&mut line, view, *id, *change, &columns),
            Row::Message { first, entries, tokens, came, .. } => {
                message_row(&mut line, view, *first, (*entries, *tokens), *came, &columns);
            }
            Row::Boundary(event) => boundary_row(&mut line, view, *event),
            Row::Same { entries, tokens } => {
                line.put("  ", Role::Dim);
                line.put(&format!("⋯ {} as before", counted((*entries).into(), "entry", "entries")), Role::Dim);
                let mut right = line.split_right(columns.bar + columns.born + columns.tokens);
                right.right(&count(*tokens), columns.tokens, Role::Dim);
            }
        }
    }
    if view.shown.rows.is_empty() && inner.height > 1 {
        let mut line = Line::new(buffer, theme, inner, 1);
        line.skip(2);
        let text = match view.settings.layer {
            Some(layer) => format!("Nothing of {} in the window of this step.", layer.info().title),
            None if view.index.steps() == 0 => "There is no request in it, so it has no window.".to_owned(),
            None => "Nothing is in the window of this step.".to_owned(),
        };
        line.put(&text, Role::Dim);
    }
}

fn entry_row(line: &mut Line<'_>, view: &Inspect, id: EntryId, change: Change, columns: &Columns) {
    let Some(entry) = view.index.run().entry(id) else { return };
    let gone = change == Change::Gone;
    head(line, entry.layer, change);
    figures(line, view, entry, gone, columns);
    if !entry.label.is_empty() && !repeats(entry.layer, &entry.label) {
        // The first words of its text have room beside a tool's long name.
        let name = name_in(&entry.label, usize::from(line.left()) * 2 / 3);
        line.put(&name, if gone { Role::Cut } else { Role::Text });
        line.put("  ", Role::Dim);
    }
    match view.previews.get(&id) {
        Some(words) if words.is_empty() => line.put("(empty)", Role::Dim),
        Some(words) => line.put(words, if gone { Role::Cut } else { Role::Dim }),
        None => {}
    }
}

/// The layer's colour, the sign of what is new or gone, the layer's short name.
fn head(line: &mut Line<'_>, layer: Layer, change: Change) {
    line.put("▎", Role::Layer(layer));
    let (sign, role) = match change {
        Change::Came => ("+", Role::Added),
        Change::Gone => ("−", Role::Removed),
        Change::Stayed => (" ", Role::Dim),
    };
    line.put(sign, role);
    line.field(layer.info().tag, 8, if change == Change::Gone { Role::Dim } else { Role::Layer(layer) });
}

/// Whether a label says no more than the layer does.
pub fn repeats(layer: Layer, label: &str) -> bool {
    let info = layer.info();
    [info.tag, info.name, info.title, "text"].contains(&label)
}

fn figures(line: &mut Line<'_>, view: &Inspect, entry: &Entry, gone: bool, columns: &Columns) {
    let room = columns.tokens + columns.bar + columns.born + columns.fate;
    let mut right = line.split_right(room);
    // What is gone carries the sign of what took it.
    let sign = match gone {
        true => ended_by(view, entry).map(|stage| (stage.mark(), super::events::role(stage))),
        false => fate_sign(entry.fate),
    };
    let cut = entry.original_tokens > entry.tokens && sign.is_some() && !gone;
    let mut text = sign.map_or("", |(sign, _)| sign).to_owned();
    if columns.fate >= 18 && sign.is_some() {
        let word = if gone { ended_by(view, entry).map_or("", Stage::name) } else { entry.fate.name() };
        text.push_str(&format!(" {word}"));
    }
    if columns.fate >= 8 && cut {
        text.push_str(&format!(" {}", short(entry.original_tokens)));
    }
    right.right(&text, columns.fate, sign.map_or(Role::Dim, |(_, role)| role));
    let tokens = if columns.tokens >= 7 { count(entry.tokens) } else { short(entry.tokens) };
    right.right(&tokens, columns.tokens, if gone { Role::Dim } else { Role::Text });
    if columns.bar > 0 {
        right.skip(1);
        let bar = bar(entry.tokens, view.shown.largest, columns.bar - 1, "█");
        let fill = if gone { Role::Border } else { Role::Layer(entry.layer) };
        right.field(&bar, columns.bar - 1, fill);
    }
    if columns.born > 0 {
        right.right(&format!("@{}", entry.born()), columns.born, Role::Dim);
    }
}

/// The stage that took an entry away.
fn ended_by(view: &Inspect, entry: &Entry) -> Option<Stage> {
    let life = entry.lives.iter().rev().find(|life| life.died.is_some_and(|died| died <= view.step))?;
    view.index.run().event(life.ended_by?).map(|event| event.stage)
}

/// The sign of what became of a piece, where it is not whole.
#[must_use]
pub fn fate_sign(fate: Fate) -> Option<(&'static str, Role)> {
    match fate {
        Fate::Verbatim => None,
        Fate::Truncated => Some(("✂", Role::Boundary)),
        Fate::Virtual => Some(("⇢", Role::Boundary)),
        Fate::Cleared => Some(("○", Role::Cleared)),
        Fate::Summarised => Some(("┊", Role::Summarised)),
        Fate::Collapsed => Some(("≡", Role::Summarised)),
        Fate::Remembered => Some(("◆", Role::Kept)),
        Fate::Deduplicated => Some(("=", Role::Dim)),
        Fate::Dropped => Some(("⊖", Role::Removed)),
    }
}

fn message_row(
    line: &mut Line<'_>,
    view: &Inspect,
    first: EntryId,
    (entries, tokens): (u32, u64),
    came: bool,
    columns: &Columns,
) {
    let Some(entry) = view.index.run().entry(first) else { return };
    head(line, entry.layer, if came { Change::Came } else { Change::Stayed });
    let mut right = line.split_right(columns.tokens + columns.bar + columns.born);
    right.right(&if columns.tokens >= 7 { count(tokens) } else { short(tokens) }, columns.tokens, Role::Text);
    if columns.bar > 0 {
        right.skip(1);
        right.field(&bar(tokens, view.shown.largest, columns.bar - 1, "█"), columns.bar - 1, Role::Layer(entry.layer));
    }
    if columns.born > 0 {
        right.right(&format!("@{}", entry.born()), columns.born, Role::Dim);
    }
    line.put(&format!("▸ {}  ", counted(entries.into(), "block", "blocks")), Role::Text);
    if let Some(words) = view.previews.get(&first) {
        line.put(words, Role::Dim);
    }
}

fn boundary_row(line: &mut Line<'_>, view: &Inspect, event: crate::model::EventId) {
    let Some(event) = view.index.run().event(event) else { return };
    let by = match event.trigger {
        Some(crate::model::Trigger::Auto) => " · auto",
        Some(crate::model::Trigger::Manual) => " · by you",
        None => "",
    };
    let what = if event.stage == Stage::Reactive { "compacted after a refusal" } else { "compacted" };
    let mut text = format!("┊ {what} @{}{by}", event.step);
    if let Some(before) = held_before(view.index.run(), event).or(event.tokens_before) {
        text.push_str(&format!(" · {}", short(before)));
        if let Some(after) = view.index.totals(event.step).map(crate::model::Totals::used) {
            text.push_str(&format!(" → {}", short(after)));
        }
    }
    text.push(' ');
    line.put(&text, Role::Summarised);
    let rest = "┈".repeat(usize::from(line.left()));
    line.put(&rest, Role::Border);
}

/// What the pane's line says.
#[must_use]
pub fn title(view: &Inspect) -> Title {
    let mut title = Title { name: "Window", ..Title::default() };
    let about = if view.shown.estimated { "~" } else { "" };
    if view.settings.changes == Changes::Only {
        // What it lists is what came and what went: not the window.
        title.facts.push(("difference".to_owned(), Role::Accent));
        let ([came, more], [gone, less]) = (view.shown.came, view.shown.gone);
        title.facts.push((format!("+{} {about}{}", count(came), short(more)), Role::Added));
        title.facts.push((format!("−{} {about}{}", count(gone), short(less)), Role::Removed));
    } else {
        title.facts.push((counted(view.shown.entries.into(), "entry", "entries"), Role::Text));
        title.facts.push((format!("{about}{}", short(view.shown.tokens)), Role::Text));
    }
    if let Some(layer) = view.settings.layer {
        title.signs.push((format!("only {}", layer.info().title), Role::Layer(layer)));
    }
    match view.settings.order {
        Order::Window => {}
        Order::Size => title.signs.push(("largest first".to_owned(), Role::Accent)),
        Order::Age => title.signs.push(("newest first".to_owned(), Role::Accent)),
    }
    title
}
