//! The events pane: what was taken and made at this step, by which rule.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::config::{Role, Theme};
use crate::model::{EntryIds, Event, Outcome, Run, Stage, Track, Trigger};
use crate::present::{held_before, price, short};
use crate::tui::inspect::Inspect;
use crate::tui::line::{Line, wrapped};

use super::frame::Title;

/// Columns of a sentence that are worth more than the name of its rule.
const SENTENCE: usize = 60;

/// Draws the rows that show.
pub fn draw(buffer: &mut Buffer, theme: &Theme, inner: Rect, view: &Inspect, focused: bool) {
    let run = view.index.run();
    let shown = view.events.iter().skip(view.event.top).filter_map(|id| run.event(*id));
    let listed = u16::try_from(view.events.len() - view.event.top.min(view.events.len())).unwrap_or(u16::MAX);
    for (row, event) in (0..inner.height).zip(shown) {
        let mut line = Line::new(buffer, theme, inner, row);
        if focused && view.event.top + usize::from(row) == view.event.cursor {
            line.under(Role::Selection);
        }
        draw_row(&mut line, run, event);
    }
    let rest = Rect { y: inner.y + listed.min(inner.height), height: inner.height.saturating_sub(listed), ..inner };
    if rest.height >= 4
        && let Some(event) = view.current_event().and_then(|id| run.event(id))
    {
        explain(buffer, theme, rest, event);
    }
    if view.events.is_empty() && inner.height > 0 {
        let place = Rect { x: inner.x + 1, width: inner.width.saturating_sub(1), ..inner };
        let words = "Nothing was cut, cleared or summarised at this step.";
        for (row, text) in (0..inner.height).zip(wrapped(words, usize::from(place.width))) {
            Line::new(buffer, theme, place, row).put(text, Role::Dim);
        }
    }
}

fn draw_row(line: &mut Line<'_>, run: &Run, event: &Event) {
    line.skip(1);
    line.field(event.stage.mark(), 2, role(event.stage));
    line.field(event.stage.name(), 13, role(event.stage));
    let figures = figures(run, event);
    let rule = rule(event);
    let room = usize::from(line.left());
    let needed = crate::present::width(&figures) + crate::present::width(&rule) + 4;
    if !figures.is_empty() {
        line.put(&figures, Role::Text);
        line.put("  ", Role::Dim);
    }
    // The rule gives way to the sentence, which tells what it did.
    let sentence = event.sentence();
    if room > needed + crate::present::width(&sentence).clamp(24, SENTENCE) {
        let mut right = line.split_right(u16::try_from(crate::present::width(&rule) + 3).unwrap_or(0));
        right.skip(2);
        right.put(&rule, Role::Dim);
    }
    if run.is_after(event) {
        line.put("after this step  ", Role::Warning);
    }
    if line.left() >= 24 {
        line.put(&sentence, Role::Dim);
    }
}

/// The event under the cursor at more length: why, and by which rule.
fn explain(buffer: &mut Buffer, theme: &Theme, rest: Rect, event: &Event) {
    let place = Rect { x: rest.x + 3, width: rest.width.saturating_sub(4), ..rest };
    let sentence = event.sentence();
    let rule = rule(event);
    let lines = wrapped(&sentence, usize::from(place.width)).map(|line| (line, Role::Text));
    let lines = lines.chain(wrapped(&rule, usize::from(place.width)).map(|line| (line, Role::Dim)));
    for (row, (text, role)) in (1..place.height).zip(lines) {
        Line::new(buffer, theme, place, row).put(text, role);
    }
}

/// What a stage does to the window, as a colour.
#[must_use]
pub fn role(stage: Stage) -> Role {
    match stage {
        Stage::Admit | Stage::Pack => Role::Added,
        Stage::Truncate | Stage::Limit | Stage::Select => Role::Boundary,
        Stage::Microcompact | Stage::Reasoning => Role::Cleared,
        Stage::Summarise | Stage::Reactive | Stage::Collapse => Role::Summarised,
        Stage::Drop => Role::Removed,
        Stage::Rewind => Role::Warning,
        Stage::Session => Role::Accent,
        Stage::Notice | Stage::Preserve | Stage::Reconcile => Role::Dim,
    }
}

/// Whether the tokens before and after an event are our own estimates: sums of what it took and made, or windows of
/// requests that reported nothing.
fn estimated(run: &Run, event: &Event) -> [bool; 2] {
    let any = |ids: &EntryIds| ids.iter().filter_map(|id| run.entry(*id)).any(|entry| entry.estimated);
    let unreported = |step: u32| run.totals_at(step).is_some_and(|totals| totals.reported.is_none());
    match event.stage {
        _ if run.track == Track::Simulated => [false; 2],
        Stage::Truncate => [any(&event.made); 2],
        Stage::Microcompact => [any(&event.took), any(&event.made)],
        _ => {
            let told = event.measured.is_some() && event.measured == event.tokens_before;
            [!told && unreported(event.step.saturating_sub(1)), unreported(event.step)]
        }
    }
}

fn figures(run: &Run, event: &Event) -> String {
    let [before, after] = estimated(run, event).map(|about| if about { "~" } else { "" });
    let held = held_before(run, event);
    let before = if held.is_some() { "~" } else { before };
    let size = match (held.or(event.tokens_before), event.tokens_after) {
        (Some(from), Some(to)) => format!("{before}{} → {after}{}", short(from), short(to)),
        (Some(from), None) => format!("{before}{}", short(from)),
        (None, Some(to)) => format!("→ {after}{}", short(to)),
        (None, None) => event.measured.map_or_else(String::new, short),
    };
    match (event.took.len(), event.made.len()) {
        (0, 0) => size,
        (took, 0) => format!("{size}  −{took}"),
        (0, made) => format!("{size}  +{made}"),
        (took, made) => format!("{size}  −{took} +{made}"),
    }
    .trim()
    .to_owned()
}

/// The rule that decided, with its threshold.
pub fn rule(event: &Event) -> String {
    // What the user asks for happens below any threshold.
    match event.threshold.filter(|_| event.trigger != Some(Trigger::Manual)) {
        Some(threshold) => format!("{} = {}", event.rule, crate::present::count(threshold)),
        None => event.rule.to_string(),
    }
}

/// What the pane's line says: the step's request.
#[must_use]
pub fn title(view: &Inspect) -> Title {
    let mut title = Title { name: "Events", ..Title::default() };
    let Some(step) = view.index.step(view.step) else { return title };
    title.facts.push((format!("step {}", view.step), Role::Text));
    match step.outcome {
        Outcome::Answered => {}
        Outcome::Aborted => title.facts.push(("stopped".to_owned(), Role::Error)),
        Outcome::TooLong => title.facts.push(("refused as too long".to_owned(), Role::Error)),
        Outcome::Pending => title.facts.push(("about to be made".to_owned(), Role::Warning)),
    }
    if let Some(usage) = step.usage {
        let (read, context) = (usage.context_read(), usage.context());
        if read > 0 {
            title.signs.push((format!("cache {}", crate::present::percent(read, context)), Role::Dim));
        }
        if let Some(output) = usage.output {
            title.signs.push((format!("answer {}", short(output)), Role::Dim));
        }
    }
    if let Some(cost) = step.cost {
        title.signs.push((price(cost.total(), step.costs_more()), Role::Dim));
    }
    title
}
