//! Draws a trace.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::{Row, TraceResult, TraceView};
use crate::config::{Action, Context, Keymap, Role, Theme};
use crate::inquiry::{Sight, Standing};
use crate::present::beside::{before, unfollowed, unlike};
use crate::present::ribbon::{legend, sign};
use crate::present::{clip, count, percent, width};
use crate::tui::line::{Line, wrapped};
use crate::tui::overlay::{Framed, Region, frame, full, hints};
use crate::tui::style;

/// Columns of sentences at most: longer lines are hard to follow.
pub(super) const PROSE: u16 = 140;
/// Columns of the ribbons at most.
const RIBBON: u16 = 96;
/// Columns of what stands behind them, where there is room.
const PLACE: u16 = 28;
/// Columns of settings that are told with their present values, before all of what they cost.
const SETTING: usize = 46;
/// Columns of what stands before them.
const BEFORE: u16 = 34;

impl TraceView {
    /// Draws the trace over the screen.
    pub fn draw(&self, buffer: &mut Buffer, theme: &Theme, keymap: &Keymap) {
        let area = buffer.area;
        // What is nowhere has no places, no life and no setting that would keep it.
        let is_there = self.told.as_ref().is_some_and(|told| !told.rows.is_empty() || told.standing.came_in());
        let of_it: &[(&[Action], &str)] = &[
            (&[Action::Up, Action::Down], "choose"),
            (&[Action::WhatIf], "what if"),
            (&[Action::PreviousStep, Action::NextStep], "at step"),
        ];
        let mut keys: Vec<(&[Action], &str)> = if is_there { of_it.to_vec() } else { Vec::new() };
        let back = if self.asking { "stop" } else { "close" };
        keys.extend([(&[Action::FollowFact] as &[Action], "another fact"), (&[Action::Back], back)]);
        // What is said beside places and settings leads nowhere.
        let open = self.chosen().map(|_| "go to that step").or(self.answer().map(|_| "tune with it"));
        if let Some(open) = open {
            keys.insert(keys.len().min(1), (&[Action::Open], open));
        }
        let foot = hints(keymap, Context::Trace, &keys, usize::from(area.width.saturating_sub(8)));
        let title = format!("fact {}", clip(&self.fact, usize::from(area.width / 2)));
        // Nothing of what is beneath shows at the sides.
        buffer.reset();
        buffer.set_style(area, style(theme, Role::Ground));
        let place = full(area);
        frame(buffer, theme, place, &title, &foot);
        match &self.told {
            Some(told) => self.told(told, buffer, theme, place.inner),
            None => Line::new(buffer, theme, place.inner, 1).put("looking through everything …", Role::Dim),
        }
    }

    /// Where it stands on a screen, and its rows.
    #[must_use]
    pub fn region(&self, area: Rect) -> Region {
        let Framed { outer, inner } = full(area);
        let (list, rows) = match &self.told {
            Some(told) => (Parts::of(told, inner).list, told.rows.len()),
            None => (Rect::default(), 0),
        };
        Region::over(outer, list, self.scroll, rows)
    }

    fn told(&self, told: &TraceResult, buffer: &mut Buffer, theme: &Theme, inner: Rect) {
        self.head(told, &mut Line::new(buffer, theme, inner, 0));
        let parts = Parts::of(told, inner);
        for (row, words) in (1u16..).zip(&parts.verdict) {
            Line::new(buffer, theme, inner, row).put(words, if *words == "…" { Role::Dim } else { Role::Text });
        }
        if let Some(((by, threshold), row)) = told.ranked.zip(parts.ranked) {
            let mut line = Line::new(buffer, theme, inner, row);
            line.put(&format!("by {by}, from {threshold:.2} on"), Role::Dim);
            if let Some((done, all)) = told.compared {
                let words = format!("  {} of {} passages", count(done), count(all));
                line.put(&words, if told.whole { Role::Dim } else { Role::Gauge });
                if !told.whole {
                    line.put(" …", Role::Gauge);
                }
            }
            for rest in unfollowed(told.unfollowed).into_iter().chain(before(told.earlier)) {
                line.put(&format!("  {rest}"), Role::Dim);
            }
            if let Some(near) = unlike(&told.unlike) {
                line.put(&format!("  {near}"), Role::Dim);
            }
        }
        if told.rows.is_empty() {
            let is_literal = !self.fact.starts_with('~') && !self.fact.starts_with("re:");
            if told.whole && is_literal && !told.standing.came_in() {
                let mut line = Line::new(buffer, theme, inner, parts.scale);
                line.put("With ~ before the words it is looked for by its meaning.", Role::Dim);
            }
            return;
        }
        let columns = Columns::of(&told.rows, usize::from(parts.list.width));
        let ribbon = ribbon_place(inner);
        scale(told, buffer, theme, inner, parts.scale, ribbon);
        let region = Region::over(inner, parts.list, self.scroll, told.rows.len());
        for (row, at) in region.shown() {
            let Some(shown) = told.rows.get(at) else { break };
            let mut line = Line::new(buffer, theme, region.list, row);
            if at == self.scroll.cursor {
                line.under(Role::Selection);
            }
            draw_row(&mut line, shown, told.steps, ribbon, &columns);
        }
        // What the list leaves free shows the text itself.
        let taken = u16::try_from(told.rows.len()).unwrap_or(u16::MAX).min(parts.list.height);
        let free = Rect { y: parts.list.y + taken, height: parts.list.height - taken, ..parts.list };
        if let Some((around, title)) = self.around() {
            around.draw(title, buffer, theme, free);
        } else if let Some(words) = self.at_length(usize::from(parts.list.width)) {
            let lines = wrapped(words, usize::from(free.width.clamp(1, PROSE)));
            for (row, words) in (1..free.height).zip(lines) {
                Line::new(buffer, theme, free, row).put(words, Role::Text);
            }
        }
        if parts.explained {
            let mut line = Line::new(buffer, theme, inner, inner.height - 1);
            match self.lacking(told, usize::from(parts.list.width)) {
                Some(figures) => line.put(&format!("the chosen one: {figures}"), Role::Text),
                None => explain(told, &mut line),
            }
        }
    }

    /// What the selected row says of settings, where it has no room for all of that in so many columns.
    fn at_length(&self, room: usize) -> Option<&str> {
        if let Some((said @ (words, _), price)) = self.priced() {
            return (told_words(said, price, room.saturating_sub(INDENT)) != words).then_some(words);
        }
        self.said().filter(|words| width(words) > room)
    }

    /// What the selected settings cost, as far as their row has no room for that.
    fn lacking(&self, told: &TraceResult, room: usize) -> Option<String> {
        let (said, price) = self.priced()?;
        let columns = Columns::of(&told.rows, room);
        let (shown, _) = fitting(said, price, &columns, room.saturating_sub(INDENT));
        price.get(shown..).filter(|rest| !rest.is_empty()).map(|rest| rest.join(", "))
    }

    /// The settings of the selected row, at length and in short, and what they cost.
    fn priced(&self) -> Option<((&str, &str), &[String])> {
        match self.told.as_ref()?.rows.get(self.scroll.cursor)? {
            Row::Answer { words, short, price, .. } => Some(((words, short), price)),
            Row::Now(price) => Some(((NOW, NOW), price)),
            Row::Place { .. } | Row::Change { .. } | Row::Said(_) | Row::Note(_) => None,
        }
    }

    /// Whether it was there when it was needed, and what is still being looked for.
    fn head(&self, told: &TraceResult, line: &mut Line<'_>) {
        let tone = match told.standing {
            Standing::InWindow => Role::Good,
            // What is still compared may say it there.
            _ if !told.whole => Role::Warning,
            Standing::Refused | Standing::Lost => Role::Over,
            _ => Role::Warning,
        };
        if !told.whole {
            line.put("SO FAR ", Role::Gauge);
        }
        line.put(&told.standing.words().to_uppercase(), tone);
        line.put(&format!("  at step {} of {}", told.need, told.steps), Role::Dim);
        if let Some(step) = told.later {
            line.put(&format!("  lost at step {step}"), Role::Over);
        }
        if self.asking {
            let (done, all) = self.tried;
            let far = if all > 0 { format!(" {}", percent(done, all)) } else { String::new() };
            line.put(&format!("   trying settings …{far}"), Role::Notice);
        }
    }
}

/// Where the parts of a trace stand in its box.
struct Parts<'a> {
    /// The verdict in lines, from the second row on. It may take half of the room, never the whole.
    verdict: Vec<&'a str>,
    /// The row that says by what places are ranked.
    ranked: Option<u16>,
    /// The row of the steps over the ribbons.
    scale: u16,
    /// The places and what changed them.
    list: Rect,
    /// Whether the last row explains the signs.
    explained: bool,
}

impl Parts<'_> {
    fn of(told: &TraceResult, inner: Rect) -> Parts<'_> {
        let columns = usize::from(inner.width.min(PROSE));
        let most = usize::from(inner.height / 2);
        let mut verdict: Vec<&str> =
            told.sentences.iter().flat_map(|sentence| wrapped(sentence, columns)).take(most + 1).collect();
        if verdict.len() > most {
            verdict.truncate(most);
            verdict.push("…");
        }
        let mut row = u16::try_from(verdict.len() + 1).unwrap_or(u16::MAX);
        let ranked = told.ranked.is_some().then_some(row).filter(|row| *row < inner.height);
        row += u16::from(ranked.is_some()) + u16::from(inner.height > 12);
        let (scale, explained) = (row, inner.height > 10);
        let head = (row + 1).min(inner.height);
        let height = (inner.height - head).saturating_sub(u16::from(explained));
        Parts { verdict, ranked, scale, list: Rect { y: inner.y + head, height, ..inner }, explained }
    }
}

/// What the signs of the ribbons mean, and how many places are not shown.
fn explain(told: &TraceResult, line: &mut Line<'_>) {
    for (sight, words) in legend(&told.sights(), told.ranked.is_some()) {
        if width(&words) + 2 > usize::from(line.left()) {
            break;
        }
        line.put(sign(sight).encode_utf8(&mut [0; 4]), role(sight));
        line.put(&format!(" {words}  "), Role::Dim);
    }
    if told.more > 0 {
        line.put(&format!("and {} more", count(told.more)), Role::Dim);
    }
}

/// The colour of how a fact is seen. The sign alone says it where there is no colour.
fn role(sight: Sight) -> Role {
    match sight {
        Sight::Verbatim => Role::Good,
        Sight::Summary | Sight::Line | Sight::Memory => Role::Summarised,
        Sight::Part | Sight::Paraphrase | Sight::Hidden | Sight::Anew => Role::Warning,
        Sight::Pointer | Sight::Unpacked | Sight::Marker => Role::Cleared,
        Sight::Refused => Role::Over,
        Sight::Gone => Role::Dim,
    }
}

/// First column and width of the ribbons.
fn ribbon_place(inner: Rect) -> (u16, u16) {
    let before = BEFORE.min(inner.width / 2);
    let rest = inner.width.saturating_sub(before + 1);
    // Where there is room, file and line stand behind.
    (before, if rest > PLACE * 2 { (rest - PLACE).min(RIBBON) } else { rest })
}

/// The step of a column.
fn step_at(column: u16, columns: u16, steps: u32) -> u32 {
    let last = u64::from(steps.saturating_sub(1));
    let step = (u64::from(column) * last).checked_div(u64::from(columns.saturating_sub(1))).unwrap_or(0);
    u32::try_from(step).unwrap_or(0) + 1
}

/// The column of a step.
fn column_of(step: u32, columns: u16, steps: u32) -> u16 {
    let last = u64::from(steps.saturating_sub(1));
    let at = u64::from(step.saturating_sub(1)) * u64::from(columns.saturating_sub(1));
    u16::try_from(at.checked_div(last).unwrap_or(0)).unwrap_or(0).min(columns.saturating_sub(1))
}

/// The steps over the ribbons: the first, the last, and the one at which the fact was needed.
fn scale(told: &TraceResult, buffer: &mut Buffer, theme: &Theme, inner: Rect, row: u16, (left, columns): (u16, u16)) {
    let columns = shown_columns(columns, told.steps);
    let mut line = Line::new(buffer, theme, inner, row);
    line.field("came in", left, Role::Dim);
    let need = column_of(told.need, columns, told.steps);
    let mark = format!("▼ {}", told.need);
    // The last step is marked where the ribbons end.
    let last = told.steps.to_string();
    let mut line = Line::new(buffer, theme, Rect { x: inner.x + left, width: columns.max(1), ..inner }, row);
    line.put("1", Role::Dim);
    let room = columns.saturating_sub(u16::try_from(width(&last)).unwrap_or(0));
    let is_last = told.need == told.steps && room > 3;
    if columns > 12 && !is_last {
        let at = Rect { x: inner.x + left + room, width: columns - room, ..inner };
        Line::new(buffer, theme, at, row).put(&last, Role::Dim);
    }
    let size = u16::try_from(width(&mark)).unwrap_or(0);
    if is_last {
        let at = Rect { x: inner.x + left + room - 2, width: columns + 2 - room, ..inner };
        let mut line = Line::new(buffer, theme, at, row);
        line.put(&last, Role::Dim);
        line.put(" ▼", Role::Human);
    } else if need > 2 && need + size < room {
        let at = Rect { x: inner.x + left + need, width: size, ..inner };
        Line::new(buffer, theme, at, row).put(&mark, Role::Human);
    } else if room > size + 3 && need >= size {
        // Near the end its number stands before it, and both before the last step.
        let end = need.min(room.saturating_sub(2));
        let at = Rect { x: inner.x + left + end + 1 - size, width: size, ..inner };
        Line::new(buffer, theme, at, row).put(&format!("{} ▼", told.need), Role::Human);
    }
}

/// A short session's ribbons have two columns for a step.
fn shown_columns(columns: u16, steps: u32) -> u16 {
    u16::try_from(steps.saturating_mul(4)).unwrap_or(u16::MAX).clamp(1, columns.max(1))
}

/// The columns of settings and what they cost: figures stand below each other, from the same column on.
#[derive(Default)]
struct Columns {
    /// Of the settings.
    words: usize,
    /// Of each figure, counted from the last: the first is not in every row.
    figures: Vec<usize>,
}

/// Columns before settings.
const INDENT: usize = 4;

impl Columns {
    /// What these rows need in so many columns.
    fn of(rows: &[Row], room: usize) -> Columns {
        let room = room.saturating_sub(INDENT);
        let mut columns = Columns::default();
        let priced = rows.iter().filter_map(|row| match row {
            Row::Answer { words, short, price, .. } => Some((told_words((words, short), price, room), price)),
            Row::Now(price) => Some((NOW, price)),
            _ => None,
        });
        let priced: Vec<(&str, &Vec<String>)> = priced.collect();
        for (_, price) in &priced {
            columns.figures.resize(columns.figures.len().max(price.len()), 0);
            for (size, figure) in columns.figures.iter_mut().zip(price.iter().rev()) {
                *size = (*size).max(width(figure));
            }
        }
        // One that is longer than all figures leave room for has a line of its own kind.
        let taken: usize = columns.figures.iter().map(|size| size + 2).sum();
        let most = SETTING.max(room.saturating_sub(taken));
        let sizes = priced.iter().map(|(words, _)| width(words)).filter(|size| *size <= most);
        columns.words = sizes.max().unwrap_or(0);
        columns
    }

    /// A row's figures, each at the right end of its column.
    fn aligned(&self, price: &[String]) -> Vec<String> {
        let size = |at: usize| self.figures.get(price.len() - 1 - at).copied().unwrap_or(0);
        // A figure that others have before these leaves its column free.
        let free: usize = self.figures.iter().skip(price.len()).map(|size| size + 2).sum();
        let before = |at: usize, figure: &str| size(at).saturating_sub(width(figure)) + if at == 0 { free } else { 0 };
        price.iter().enumerate().map(|(at, figure)| " ".repeat(before(at, figure)) + figure).collect()
    }
}

/// What it costs as it is, in words.
const NOW: &str = "as it is";

/// How settings are told. What tells rows apart is always there: where all does not fit, without their present values.
fn told_words<'a>((words, short): (&'a str, &'a str), price: &[String], room: usize) -> &'a str {
    let fits = || width(words) + 2 + width(&price.join(", ")) <= room;
    if width(words) <= SETTING.min(room) || fits() { words } else { short }
}

/// Puts settings and what they cost; where all does not fit, figures are left out, the last first.
fn put_priced(line: &mut Line<'_>, said: (&str, &str), price: &[String], columns: &Columns) {
    let room = usize::from(line.left());
    line.put(&clip(told_words(said, price, room), room), Role::Text);
    line.put(&fitting(said, price, columns, room).1, Role::Dim);
}

/// How many figures fit behind settings in so many columns, and these as they stand there.
fn fitting(said: (&str, &str), price: &[String], columns: &Columns, room: usize) -> (usize, String) {
    let taken = width(told_words(said, price, room));
    let aligned = (columns.words.saturating_sub(taken) + 2, columns.aligned(price));
    for (gap, price) in [aligned, (2, price.to_vec())] {
        let left = if columns.figures.is_empty() { 0 } else { room.saturating_sub(taken + gap) };
        let mut figures = (1..=price.len()).rev().map(|number| (number, price[..number].join(", ")));
        if let Some((number, figures)) = figures.find(|(_, figures)| width(figures) <= left) {
            return (number, " ".repeat(gap) + &figures);
        }
    }
    (0, String::new())
}

/// Draws a row; of a place, with its life over so many steps in the ribbon's columns.
fn draw_row(line: &mut Line<'_>, shown: &Row, steps: u32, (left, columns): (u16, u16), prices: &Columns) {
    match shown {
        Row::Place { step, whence, place, life, .. } => {
            let step = step.map_or_else(|| "–".to_owned(), |step| step.to_string());
            line.right(&step, 5, Role::Accent);
            line.skip(1);
            line.field(whence, left.saturating_sub(7), Role::Name);
            line.skip(1);
            let columns = shown_columns(columns, steps);
            for column in 0..columns {
                let at = step_at(column, columns, steps);
                let found = life.iter().find(|(from, to, _)| *from <= at && to.is_none_or(|to| at <= to));
                match found {
                    Some((_, _, sight)) => {
                        line.put(sign(*sight).encode_utf8(&mut [0; 4]), role(*sight));
                    }
                    None => line.skip(1),
                }
            }
            line.skip(1);
            line.put(place, Role::Dim);
        }
        Row::Said(words) => line.put(words, Role::Title),
        Row::Note(words) => {
            line.skip(2);
            line.put(words, Role::Dim);
        }
        Row::Answer { words, short, price, .. } => {
            line.skip(2);
            line.put("→ ", Role::Good);
            put_priced(line, (words, short), price, prices);
        }
        Row::Now(price) => {
            line.skip(4);
            put_priced(line, (NOW, NOW), price, prices);
        }
        Row::Change { step, sight, words, .. } => {
            line.skip(2);
            line.right(&step.to_string(), 5, Role::Dim);
            line.skip(1);
            line.put(sign(*sight).encode_utf8(&mut [0; 4]), role(*sight));
            line.put(" ", Role::Dim);
            line.put(words, Role::Text);
        }
    }
}
