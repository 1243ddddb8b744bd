//! Where the parts of the compaction view stand, and what stands around them.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::config::{Role, Theme};
use crate::model::{Entry, EntryId, Event, EventId, Fate, Layer, Stage};
use crate::policy::{Kind, Policy, named};
use crate::present::{
    Acted, Became, PairCell, StageRow, before_tokens, capital, count, counted, entry_name, held_before, plain_name,
    referring, short, switch, width,
};
use crate::tui::inspect::Inspect;
use crate::tui::layout::{Room, below, bottom, room, top};
use crate::tui::line::{Line, stacked};
use crate::tui::main_screen::{Title, stage_role, timeline, title_line, upright};

use super::origins::Origin;
use super::{Compaction, Pane, stages, windows};

/// The parts of the view. What does not show has no area.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Parts {
    pub header: Rect,
    /// With its title.
    pub stages: Rect,
    pub why: Rect,
    /// Without their titles.
    pub before: Rect,
    pub after: Rect,
    /// Both, with their titles.
    pub windows: Rect,
    pub says: Rect,
    pub footer: Rect,
}

/// Lays the view out for a number of stages.
#[must_use]
pub fn parts(area: Rect, compaction: &Compaction) -> Parts {
    let mut parts = Parts::default();
    if room(area.width, area.height) == Room::None {
        return parts;
    }
    let mut rest = area;
    let mut take = |height: u16| top(&mut rest, height);
    parts.header = take(if area.height >= 14 { 2 } else { 1 });
    let (all, acted) = compaction.pipeline.as_ref().map_or((0, 0), |pipeline| {
        let acted = pipeline.stages.iter().filter(|row| row.acted == Acted::Yes).count();
        (pipeline.stages.len(), acted)
    });
    let rows = |number: usize| u16::try_from(number).unwrap_or(u16::MAX).saturating_add(2);
    let wanted = match area.height {
        ..10 => 0,
        10..16 => rows(1),
        16..26 => rows(acted.clamp(1, 4)).max(rows(3)),
        _ => rows(all),
    };
    parts.stages = take(wanted + u16::from(wanted > 0));
    parts.why = take(match area.height {
        ..16 => 0,
        16..22 => 1,
        22..34 => 2,
        _ => 3,
    });
    let mut foot = |height: u16| bottom(&mut rest, height);
    parts.footer = foot(1);
    parts.says = foot(u16::from(area.height >= 12));
    parts.windows = rest;
    let inner = Rect { y: rest.y + rest.height.min(1), height: rest.height.saturating_sub(1), ..rest };
    if area.width < 60 {
        // One side at a time.
        match compaction.pane {
            Pane::After => parts.after = inner,
            Pane::Stages | Pane::Before => parts.before = inner,
        }
        return parts;
    }
    let half = (inner.width - 1) / 2;
    parts.before = Rect { width: half, ..inner };
    parts.after = Rect { x: inner.x + half + 1, width: inner.width - half - 1, ..inner };
    parts
}

/// Draws all but header and footer.
pub fn draw(buffer: &mut Buffer, theme: &Theme, area: Rect, compaction: &Compaction, view: &Inspect) {
    let parts = parts(area, compaction);
    let Some(pipeline) = &compaction.pipeline else {
        let mut line = Line::new(buffer, theme, parts.windows, 1);
        line.skip(2);
        line.put("There is no request to look into.", Role::Dim);
        return;
    };
    if parts.stages.height > 1 {
        let acted = pipeline.stages.iter().filter(|row| row.acted == Acted::Yes && row.stage != Stage::Admit).count();
        let mut facts = vec![(format!("step {}", pipeline.step), Role::Text), (acts(acted), Role::Text)];
        // Nothing was decided where the view was opened: whose step this is.
        if let Some((from, _)) = compaction.leapt.filter(|(_, to)| *to == pipeline.step) {
            facts.insert(1, (format!("the decision nearest to step {from}"), Role::Accent));
        }
        let threshold = timeline::threshold(view, view.step);
        let signs = threshold.map(|at| (format!("┆ compacts at {}", short(at)), Role::Threshold)).into_iter().collect();
        let title = Title { name: "Stages", facts, signs };
        title_line(buffer, theme, parts.stages, compaction.pane == Pane::Stages, &title);
        let rows = below(parts.stages);
        let top = timeline::ceiling(view);
        stages::draw(buffer, theme, rows, compaction, view.index.run(), top, compaction.pane == Pane::Stages);
        why(buffer, theme, &parts, compaction, view);
    }
    match &compaction.reading {
        Some(reading) => {
            title_line(buffer, theme, parts.windows, true, &Title { name: reading.name, ..Title::default() });
            let inner = below(parts.windows);
            let inner = Rect { x: inner.x + 1, width: inner.width.saturating_sub(2), ..inner };
            entry_head(buffer, theme, inner, view, reading.entry);
            let text = below(inner);
            match &reading.detail {
                None => Line::new(buffer, theme, text, 0).put("Its text is being read …", Role::Dim),
                Some(Err(why)) => Line::new(buffer, theme, text, 0).put(why, Role::Error),
                Some(Ok(detail)) => detail.draw(text, buffer, theme),
            }
        }
        None => side_by_side(buffer, theme, &parts, compaction, view),
    }
    says(buffer, theme, parts.says, compaction, view);
}

fn side_by_side(buffer: &mut Buffer, theme: &Theme, parts: &Parts, compaction: &Compaction, view: &Inspect) {
    let pairs = &compaction.pairs;
    for (pane, name, area, (entries, tokens)) in
        [(Pane::Before, "Given", parts.before, pairs.before), (Pane::After, "Sent", parts.after, pairs.after)]
    {
        if area.width == 0 {
            continue;
        }
        let rect = Rect { y: parts.windows.y, height: parts.windows.height, ..area };
        let many = if entries == 1 { "piece" } else { "pieces" };
        let mut facts =
            vec![(format!("{} {many}", count(u64::from(entries))), Role::Text), (short(tokens), Role::Text)];
        // What no record holds stands in the bars and in no row.
        let unlogged = compaction.pipeline.as_ref().map_or(0, |pipeline| match pane {
            Pane::After => pipeline.after[Layer::Unlogged as usize],
            _ => {
                let admitted = pipeline.stages.iter().find(|row| row.stage == Stage::Admit);
                admitted.map_or(pipeline.before, |row| row.left)[Layer::Unlogged as usize]
            }
        });
        facts.extend((unlogged > 0).then(|| (format!("+ {} unlogged", short(unlogged)), Role::Dim)));
        title_line(buffer, theme, rect, compaction.pane == pane, &Title { name, facts, signs: Vec::new() });
    }
    if parts.before.width > 0 && parts.after.width > 0 {
        upright(buffer, theme, parts.before.right(), parts.windows);
    }
    windows::draw(buffer, theme, (parts.before, parts.after), compaction, view);
}

fn acts(number: usize) -> String {
    match number {
        0 => "no stage had anything to do".to_owned(),
        1 => "1 stage acted".to_owned(),
        many => format!("{many} stages acted"),
    }
}

/// Why the chosen stage acted, by which rule; or why it did not.
fn why(buffer: &mut Buffer, theme: &Theme, parts: &Parts, compaction: &Compaction, view: &Inspect) {
    let Some(row) = compaction.current().filter(|_| parts.why.height > 0) else { return };
    // Rows that the stages leave free are the sentence's.
    let free = stages::free(below(parts.stages), compaction);
    let area = Rect { y: parts.why.y - free, height: parts.why.height + free, ..parts.why };
    let area = Rect { x: area.x + 1, width: area.width.saturating_sub(2), ..area };
    let mut texts: Vec<(String, Role)> = Vec::new();
    let role = if row.acted == Acted::Yes { stage_role(row.stage) } else { Role::Dim };
    let event = row.events_in(view.index.run()).next();
    match event.filter(|_| row.acted == Acted::Yes) {
        Some(event) => {
            texts.push((event.sentence().into_owned(), Role::Text));
            let mut rule = if row.stage == Stage::Admit { String::new() } else { event.rule.to_string() };
            if let Some(threshold) = event.threshold {
                // A switch has no figure of its own.
                let is_switch = named(&event.rule).is_some_and(|setting| setting.kind == Kind::Bool);
                rule.push_str(&format!("{} {}", if is_switch { " · over" } else { " =" }, count(threshold)));
            }
            if let Some(told) = crate::present::measured(event).filter(|_| row.stage != Stage::Admit) {
                rule.push_str(&format!(" · measured {told}"));
                if let Some(given) = held_before(view.index.run(), event) {
                    rule.push_str(&format!(" by the agent, {} by the bars", short(given)));
                }
            }
            texts.push((rule, Role::Dim));
        }
        None => texts.push((quiet(row, compaction.policy.as_deref()), Role::Dim)),
    }
    let mut line = Line::new(buffer, theme, area, 0);
    line.put(&format!("{} {}  ", row.stage.mark(), row.stage.name()), role);
    let indent = line.column() - area.x;
    let columns = usize::from(area.width.saturating_sub(indent)).max(1);
    let rest = Rect { x: area.x + indent, width: area.width.saturating_sub(indent), ..area };
    for (y, (text, role)) in (0..).zip(stacked(&texts, columns, rest.height)) {
        Line::new(buffer, theme, rest, y).put(&text, role);
    }
}

/// Why a stage did nothing.
fn quiet(row: &StageRow, policy: Option<&Policy>) -> String {
    match (row.acted, policy.and(switch(row.stage))) {
        (Acted::Off, Some(key)) => format!("Switched off by this policy: {key} = false."),
        (Acted::Off, None) => "Switched off by this policy.".to_owned(),
        _ if row.stage == Stage::Admit => "Takes in what is new since the last request.".to_owned(),
        _ => format!("Nothing to do at this step. {}", row.stage.explain()),
    }
}

fn entry_head(buffer: &mut Buffer, theme: &Theme, area: Rect, view: &Inspect, id: EntryId) {
    let Some(entry) = view.index.run().entry(id) else { return };
    let mut line = Line::new(buffer, theme, area, 0);
    line.put(entry.layer.info().title, Role::Layer(entry.layer));
    let label = if entry.label.is_empty() { String::new() } else { format!(" · {}", plain_name(&entry.label)) };
    line.put(&format!("{label} · {}", counted(entry.tokens, "token", "tokens")), Role::Text);
    line.put(&format!(" · came in at step {}", entry.born()), Role::Dim);
    if let Some(died) = entry.died() {
        line.put(&format!(" · gone at {died}"), Role::Removed);
    }
}

/// One line on what is under the cursor.
fn says(buffer: &mut Buffer, theme: &Theme, area: Rect, compaction: &Compaction, view: &Inspect) {
    let mut line = Line::new(buffer, theme, area, 0);
    line.skip(1);
    if let Some(reading) = &compaction.reading {
        line.put(&reading.title, Role::Accent);
        line.put(" Esc goes back to the windows.", Role::Dim);
        return;
    }
    if compaction.pane == Pane::Stages {
        let Some(row) = compaction.current() else { return };
        // All of it where it has room, else whole sentences.
        let whole = row.stage.explain();
        let first = whole.split_inclusive(". ").next().unwrap_or(whole).trim_end();
        let sourced = format!("{whole} — {}", row.stage.source());
        for text in [sourced.as_str(), whole] {
            if line.whole(text, Role::Dim) {
                return;
            }
        }
        line.put(first, Role::Dim);
        return;
    }
    let text = match compaction.chosen() {
        None => "Nothing stands here on this side.".to_owned(),
        Some(PairCell::Elsewhere(_)) => "What stands for these is further down. Enter goes there.".to_owned(),
        Some(PairCell::Same(..)) => "These stayed as they were. Enter shows them one by one.".to_owned(),
        Some(PairCell::Line(..)) => match compaction.line().map(|line| &line.origin) {
            Some(Origin::Sentence(id)) => {
                format!("A sentence of {}. Enter shows it where it stood.", entry_name(view.index.run(), *id))
            }
            Some(Origin::Shares(id, words)) => format!(
                "A model wrote this. {} shares {} with it. Enter shows that text.",
                capital(&entry_name(view.index.run(), *id)),
                words.iter().take(3).map(|word| &**word).collect::<Vec<_>>().join(", ")
            ),
            Some(Origin::Unknown) => {
                "A model wrote this; no text that it stands for shares a name, path or number.".to_owned()
            }
            Some(Origin::Harness) | None => "The harness wrote this line.".to_owned(),
        },
        Some(PairCell::Entry(id, became)) => became_words(view, id, became, compaction.pane),
    };
    // What can be done is said before the rest is cut off.
    let done = text.rfind(" Enter ").filter(|_| width(&text) > usize::from(line.left()));
    match done.map(|at| text.split_at(at)) {
        Some((said, done)) => line.put(&format!("{} {said}", done.trim_start()), Role::Dim),
        None => line.put(&text, Role::Dim),
    }
}

fn became_words(view: &Inspect, id: EntryId, became: Became, pane: Pane) -> String {
    let Some(entry) = view.index.run().entry(id) else { return String::new() };
    let run = view.index.run();
    let shortens = |id: EventId| run.event(id).is_some_and(Event::shortens);
    match (became, pane) {
        (Became::Kept | Became::Came, _) if spared(view, id).is_some() => spared(view, id).unwrap_or_default(),
        (Became::Kept, _) => "Stayed as it was. Enter shows its text.".to_owned(),
        (Became::Came, _) if was_line(view, id) => {
            "In full again: a later message refers to its turn. Enter shows its text.".to_owned()
        }
        (Became::Came, _) => "Came in at this step. Enter shows its text.".to_owned(),
        (Became::Left, _) => "Left the window at this step.".to_owned(),
        (Became::Changed(stage, event), Pane::After) => match stage {
            Stage::Microcompact if !shortens(event) => "Only this marker is left. Enter shows what it held.".to_owned(),
            Stage::Summarise | Stage::Reactive if entry.layer == Layer::Summaries => {
                format!(
                    "Stands for {}. Its lines are below: Enter on one shows where it came from.",
                    counted(entry.from.len() as u64, "piece", "pieces")
                )
            }
            Stage::Summarise | Stage::Reactive => "Put back after the summary. Enter shows its text.".to_owned(),
            Stage::Collapse => {
                "One line stands for the turn; the original stays and may come back. Enter shows it.".to_owned()
            }
            _ => left_words(entry, before_tokens(run, id, became)),
        },
        (Became::Changed(stage, event), _) => match stage {
            Stage::Summarise | Stage::Reactive => {
                "Summarised: only what the summary says of it is left. Enter shows its text.".to_owned()
            }
            Stage::Microcompact if !shortens(event) => {
                "Cleared: a marker stands for it. Enter shows what it held.".to_owned()
            }
            Stage::Drop => "Dropped: nothing stands for it. Enter shows what it held.".to_owned(),
            Stage::Collapse => "Collapsed: one line stands for its turn. Enter shows its text.".to_owned(),
            Stage::Rewind => "Gone with the branch that was left. Enter shows its text.".to_owned(),
            Stage::Reasoning => "Reasoning of an earlier turn, left out by the provider. Enter shows it.".to_owned(),
            Stage::Session => "Of the session before. Enter shows its text.".to_owned(),
            _ => "Cut: Enter shows what stayed and what did not.".to_owned(),
        },
    }
}

/// How much of a piece is left by a cut of what was given; or by the agent's own cut, where nothing more was given.
fn left_words(entry: &Entry, given: u64) -> String {
    let (left, whole) = (count(entry.tokens), count(entry.original_tokens));
    let before =
        if entry.original_tokens > given { format!(" ({whole} before the agent's own cut)") } else { String::new() };
    match given > entry.tokens {
        true => format!(
            "{left} of {} left{before}. Enter shows where the cut is.",
            counted(given, "token is", "tokens are")
        ),
        false => format!("The agent had cut it: {left} of {whole} tokens. Enter shows where the cut is."),
    }
}

/// Whether a line stood for an entry until this step.
fn was_line(view: &Inspect, id: EntryId) -> bool {
    let made = |event: &Event| event.stage == Stage::Collapse && event.made.contains(&id);
    let entry = view.index.run().entry(id);
    let full = entry.is_some_and(|entry| entry.fate != Fate::Collapsed);
    full && view.index.run().events_at(view.step).any(|(_, event)| made(event))
}

/// Why a result was spared at this step, or shown in full again.
fn spared(view: &Inspect, id: EntryId) -> Option<String> {
    let run = view.index.run();
    let found = run.events_at(view.step).find_map(|(_, event)| {
        event.evidence.iter().any(|one| one.spared && one.entry == id).then(|| referring(run, event))
    })?;
    let one = found.into_iter().find(|one| one.entry == id)?;
    let by = one.by.map_or_else(|| "a later message".to_owned(), |by| entry_name(run, by));
    let what = if was_line(view, id) { "In full again" } else { "Spared" };
    Some(format!("{what}: {by} repeats “{}” of it. Enter shows its text.", one.word))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Contents, Made, Role as Speaker};

    #[test]
    fn what_is_left_is_of_what_was_given() {
        let entry = |tokens: u64, original_tokens: u64| Entry {
            layer: Layer::ToolResults,
            role: Speaker::Tool,
            fate: Fate::Truncated,
            content: Contents::from(Vec::<Made>::new()),
            label: std::sync::Arc::from("x"),
            tokens,
            original_tokens,
            estimated: false,
            from: Default::default(),
            made_by: None,
            lives: Default::default(),
        };
        let begins = |tokens, original, given, begin: &str| {
            let words = left_words(&entry(tokens, original), given);
            assert!(words.starts_with(begin), "{words}");
        };
        begins(1_034, 17_580, 17_580, "1,034 of 17,580 tokens are left. ");
        begins(1_034, 35_542, 17_580, "1,034 of 17,580 tokens are left (35,542 before the agent's own cut). ");
        begins(17_580, 35_542, 17_580, "The agent had cut it: 17,580 of 35,542 tokens. ");
    }
}
