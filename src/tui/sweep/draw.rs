//! Where the parts of the sweep view stand, and their drawing.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::config::{Role, Theme};
use crate::inquiry::{PROPOSED, Point};
use crate::present::helps::{and_unknown, no_model_wrote};
use crate::present::{Picture, REPLAY_SHORT, Tone, count, counted, percent, price, short, shown_value, width};
use crate::tui::layout::{Room, below, bottom, room, top};
use crate::tui::line::{Line, wrapped};
use crate::tui::main_screen::{Title, title_line, upright};
use crate::tui::policy_draft::PolicyDraft;
use crate::tui::tune::Row;

use super::columns::Columns;
use super::{Pane, Sweep};

/// The parts of the view. What does not show has no area.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Parts {
    pub header: Rect,
    /// The panes with their titles, in the order of [`Pane::ALL`].
    pub panes: [Rect; 4],
    pub list: Rect,
    pub picture: Rect,
    /// What the marks of the picture mean.
    pub legend: Rect,
    /// With the names of the columns.
    pub runs: Rect,
    pub facts: Rect,
    /// What the chosen run comes to.
    pub about: Rect,
    pub footer: Rect,
}

/// Columns of what stands at the left of a wide screen.
const SIDE: u16 = 46;
/// Rows of the picture and its title from which on it shows something: in fewer, the runs do.
const CHART: u16 = 6;

/// Rows of the picture from which on one of them says what its marks mean.
const LEGEND: u16 = 8;

/// Lays the view out: a wide screen has all panes, a narrow one the picture and the pane that keys go to.
#[must_use]
pub fn parts(area: Rect, pane: Pane) -> Parts {
    let mut parts = Parts::default();
    if room(area.width, area.height) == Room::None {
        return parts;
    }
    let mut rest = area;
    parts.header = top(&mut rest, if area.height >= 14 { 2 } else { 1 });
    parts.footer = bottom(&mut rest, 1);
    parts.about = bottom(
        &mut rest,
        match area.height {
            ..12 => 0,
            12..18 => 1,
            _ => 2,
        },
    );
    let wide = area.width >= 104 && rest.height >= 16;
    let [settings, picture, runs, facts] = &mut parts.panes;
    if wide {
        let mut side = Rect { width: SIDE.min(rest.width / 3), ..rest };
        rest = Rect { x: side.right() + 1, width: rest.width - side.width - 1, ..rest };
        let half = side.height / 2;
        *facts = bottom(&mut side, half.min(24));
        *settings = side;
        let table = (rest.height * 2 / 5).max(6);
        *runs = bottom(&mut rest, table);
        *picture = rest;
    } else if pane == Pane::Picture && (CHART..18).contains(&rest.height) {
        *picture = rest;
    } else {
        let chart = if rest.height >= 14 { rest.height.div_ceil(2).min(16) } else { 0 };
        *picture = top(&mut rest, chart);
        match pane {
            Pane::Settings => *settings = rest,
            Pane::Picture | Pane::Runs => *runs = rest,
            Pane::Facts => *facts = rest,
        }
    }
    let [settings, picture, runs, facts] = parts.panes;
    (parts.list, parts.picture, parts.runs, parts.facts) = (below(settings), below(picture), below(runs), below(facts));
    if parts.picture.height >= LEGEND {
        parts.legend = bottom(&mut parts.picture, 1);
    }
    parts
}

/// The picture as it is drawn in an area.
#[must_use]
pub fn places(sweep: &Sweep, area: Rect) -> Picture {
    sweep.swept().picture(area.width, area.height)
}

fn role(tone: Tone) -> Role {
    match tone {
        Tone::Plain => Role::Text,
        Tone::Title => Role::HitCurrent,
        Tone::Faint => Role::Dim,
        Tone::Kept => Role::Good,
        Tone::Cut => Role::Over,
        Tone::Warning => Role::Warning,
        Tone::Accent => Role::Accent,
    }
}

/// Draws all but header and footer.
pub fn draw(buffer: &mut Buffer, theme: &Theme, area: Rect, sweep: &Sweep, draft: &PolicyDraft) {
    let parts = parts(area, sweep.pane);
    let [side_settings, side_picture, side_runs, side_facts] = parts.panes;
    settings(buffer, theme, &parts, side_settings, sweep, draft);
    picture(buffer, theme, &parts, side_picture, sweep);
    runs(buffer, theme, &parts, side_runs, sweep);
    facts(buffer, theme, &parts, side_facts, sweep);
    if side_settings.height > 0 && side_facts.height > 0 {
        let side = Rect { height: side_settings.height + side_facts.height, ..side_settings };
        upright(buffer, theme, side.right(), side);
        for y in [side_runs.y] {
            if let Some(cell) = buffer.cell_mut((side.right(), y)) {
                cell.set_symbol("├");
            }
        }
        if let Some(cell) = buffer.cell_mut((side.right(), side_facts.y)).filter(|_| side_facts.y != side_runs.y) {
            cell.set_symbol("┤");
        }
    }
    about(buffer, theme, parts.about, sweep);
}

fn settings(buffer: &mut Buffer, theme: &Theme, parts: &Parts, area: Rect, sweep: &Sweep, draft: &PolicyDraft) {
    if area.height == 0 {
        return;
    }
    let mut title = Title { name: "Settings", ..Title::default() };
    title.facts.push((format!("{} moved", sweep.vary.len()), Role::Text));
    if !sweep.list.filter.is_empty() {
        title.signs.push((format!("/{}", sweep.list.filter), Role::Hit));
    }
    let focused = sweep.pane == Pane::Settings;
    title_line(buffer, theme, area, focused, &title);
    let rows = sweep.list.rows.iter().enumerate().skip(sweep.list.scroll.top);
    for (y, (at, row)) in (0..parts.list.height).zip(rows) {
        let mut line = Line::new(buffer, theme, parts.list, y);
        if at == sweep.list.scroll.cursor {
            line.under(if focused { Role::Selection } else { Role::SelectionQuiet });
        }
        match row {
            Row::Section(name, about) => {
                line.skip(1);
                line.put(name, Role::Title);
                line.put("  ", Role::Dim);
                line.put(about, Role::Dim);
            }
            Row::Setting(setting) => {
                let name = if line.left() < 60 { 21 } else { 28 };
                match sweep.values_of(setting.key) {
                    Some(vary) => {
                        line.put("● ", Role::Accent);
                        line.field(setting.name(), name, Role::Accent);
                        line.skip(1);
                        let ends = vary.values.first().zip(vary.values.last());
                        let ends = ends.map(|(one, other)| format!("{} … {}", shown_value(one), shown_value(other)));
                        line.put(&format!("{} × ", vary.values.len()), Role::Title);
                        line.put(&ends.unwrap_or_default(), Role::Text);
                    }
                    None => {
                        line.skip(2);
                        line.field(setting.name(), name, Role::Text);
                        line.skip(1);
                        line.put(&shown_value(&(setting.get)(&draft.policy)), Role::Dim);
                    }
                }
            }
        }
    }
    if sweep.list.rows.is_empty() {
        let mut line = Line::new(buffer, theme, parts.list, 0);
        line.skip(2);
        line.put("No setting holds these words.", Role::Dim);
    }
}

fn picture(buffer: &mut Buffer, theme: &Theme, parts: &Parts, area: Rect, sweep: &Sweep) {
    if area.height == 0 {
        return;
    }
    let swept = sweep.swept();
    let mut title = Title { name: "Facts kept", ..Title::default() };
    let keys: Vec<&str> = sweep.vary.iter().map(|vary| vary.setting.key).collect();
    match keys.as_slice() {
        [down, across] => title.facts.push((format!("{down} ↓  {across} →"), Role::Text)),
        _ => title.facts.push((format!("against {}, by {}", sweep.axis.name(), keys.join("")), Role::Text)),
    }
    if !sweep.done {
        let (there, all) = (sweep.points.len() as u64, sweep.size() as u64);
        title.facts.push((
            format!("{} of {}, {}", count(there), counted(all, "run", "runs"), percent(there, all)),
            Role::Gauge,
        ));
    } else if sweep.failed.is_none() {
        title.facts.push((counted(sweep.points.len() as u64, "run", "runs"), Role::Dim));
    }
    // The title says by what, where it has no room to say it twice; the legend tells what a mark alone means.
    let best = format!("◆ best by {}", sweep.axis.name());
    let told: usize = title.facts.iter().map(|(text, _)| width(text) + 3).sum::<usize>() + width(title.name);
    let is_short = told + width(&best) + 8 > usize::from(area.width);
    let is_told = parts.legend.height > 0 && !sweep.points.is_empty();
    match is_short {
        true if is_told => {}
        true => title.signs.push(("◆ best".to_owned(), Role::Accent)),
        false => title.signs.push((best, Role::Accent)),
    }
    // The table of the runs says the other, where it is there.
    title.signs.extend(stands_in(sweep).filter(|_| parts.panes[2].height == 0));
    title_line(buffer, theme, area, sweep.pane == Pane::Picture, &title);
    let waits = match (&sweep.failed, sweep.points.is_empty(), &sweep.facts) {
        (Some(why), _, _) => Some((why.as_str(), Role::Warning)),
        (None, true, None) => Some(("Reading the session, and which facts it proposes …", Role::Dim)),
        (None, true, Some(_)) => Some(("Running it under the first values …", Role::Dim)),
        _ => None,
    };
    if let Some((words, role)) = waits.filter(|_| sweep.points.is_empty()) {
        let inner = parts.picture;
        let lines = wrapped(words, usize::from(inner.width.saturating_sub(4)).max(1));
        for (y, words) in (inner.height / 3..inner.height).zip(lines) {
            let mut line = Line::new(buffer, theme, inner, y);
            line.skip(2);
            line.put(words, role);
        }
        return;
    }
    let drawn = swept.picture(parts.picture.width, parts.picture.height);
    for (y, pieces) in (0..parts.picture.height).zip(drawn.lines()) {
        let mut line = Line::new(buffer, theme, parts.picture, y);
        for (text, tone) in pieces {
            if tone == Tone::Plain && text.trim().is_empty() {
                line.skip(u16::try_from(text.len()).unwrap_or(0));
            } else {
                line.put(&text, role(tone));
            }
        }
    }
    let mut line = Line::new(buffer, theme, parts.legend, 0);
    line.skip(1);
    for pair in swept.legend().chunks(2) {
        // A mark is told with its word, or not at all.
        let columns: usize = pair.iter().map(|(text, _)| width(text)).sum();
        if columns > usize::from(line.left()) {
            continue;
        }
        pair.iter().for_each(|(text, tone)| line.put(text, role(*tone)));
    }
    if let Some((why, _)) = waits {
        let mut line = Line::new(buffer, theme, parts.picture, 0);
        line.right(why, parts.picture.width, Role::Warning);
    }
}

/// What the sign says of runs for some of whose summaries something stands in; none where there is no such run.
fn stands_in(sweep: &Sweep) -> Option<(String, Role)> {
    let any = sweep.points.iter().any(|point| point.bill.unwritten() > 0);
    any.then(|| (no_model_wrote(), Role::Dim))
}

fn runs(buffer: &mut Buffer, theme: &Theme, parts: &Parts, area: Rect, sweep: &Sweep) {
    if area.height == 0 {
        return;
    }
    let focused = sweep.pane == Pane::Runs;
    let mut title = Title { name: "Runs", ..Title::default() };
    if let Some(at) = sweep.chosen_at() {
        title.facts.push((format!("{} of {}", count(at as u64 + 1), count(sweep.points.len() as u64)), Role::Dim));
    }
    title.signs.extend(stands_in(sweep));
    title_line(buffer, theme, area, focused, &title);
    let facts = sweep.swept().facts;
    let columns = Columns::of(sweep, facts, parts.runs.width);
    columns.head(&mut Line::new(buffer, theme, parts.runs, 0), sweep);
    for (y, (at, point)) in (1..parts.runs.height).zip(sweep.points.iter().enumerate().skip(sweep.runs.top)) {
        let mut line = Line::new(buffer, theme, parts.runs, y);
        if point.place == sweep.chosen {
            line.under(if focused { Role::Selection } else { Role::SelectionQuiet });
        }
        let (number, best) = sweep.figures(at);
        columns.row(&mut line, point, (number, sweep.unknown(point), facts), best);
    }
}

fn facts(buffer: &mut Buffer, theme: &Theme, parts: &Parts, area: Rect, sweep: &Sweep) {
    if area.height == 0 {
        return;
    }
    let focused = sweep.pane == Pane::Facts;
    let mut title = Title { name: "Facts", ..Title::default() };
    let facts = sweep.facts.as_deref().unwrap_or_default();
    let own = facts.iter().filter(|fact| !fact.proposed).count();
    title.facts.push((count(facts.len() as u64), Role::Text));
    match facts.len() - own {
        0 => {}
        PROPOSED if own == 0 => title.facts.push(("proposed by the session, the most".to_owned(), Role::Dim)),
        _ if own == 0 => title.facts.push(("proposed by the session".to_owned(), Role::Dim)),
        proposed => title.facts.push((format!("{} proposed by the session", count(proposed as u64)), Role::Dim)),
    }
    title.signs.push(("needed at".to_owned(), Role::Dim));
    title_line(buffer, theme, area, focused, &title);
    let point = sweep.point();
    for (y, (at, fact)) in (0..parts.facts.height).zip(facts.iter().enumerate().skip(sweep.fact.top)) {
        let mut line = Line::new(buffer, theme, parts.facts, y);
        if at == sweep.fact.cursor && focused {
            line.under(Role::Selection);
        }
        let kept = point.and_then(|point| point.kept.get(at).copied().zip(point.unknown.get(at).copied()));
        let (sign, look) = match (fact.on, fact.found, kept) {
            (false, ..) => ("○", Role::Dim),
            (_, false, _) => ("?", Role::Warning),
            (_, _, Some((true, _))) => ("✓", Role::Good),
            (_, _, Some((false, true))) => ("?", Role::Warning),
            (_, _, Some((false, false))) => ("✗", Role::Over),
            (_, _, None) => ("·", Role::Dim),
        };
        line.skip(1);
        line.put(sign, look);
        line.skip(1);
        let mut right = line.split_right(6);
        let step = if fact.needed > 0 { fact.needed.to_string() } else { "–".to_owned() };
        right.right(&step, 5, Role::Dim);
        let plain = fact.text.replace(['\n', '\t'], " ");
        line.put(&plain, if !fact.on { Role::Dim } else { Role::Text });
    }
}

/// What the chosen run comes to; on both lines where one has no room for all.
fn about(buffer: &mut Buffer, theme: &Theme, area: Rect, sweep: &Sweep) {
    let Some((point, at)) = sweep.point().zip(sweep.chosen_at()) else {
        if let Some(why) = &sweep.failed {
            let mut line = Line::new(buffer, theme, area, 0);
            line.skip(1);
            line.put(why, Role::Warning);
        }
        return;
    };
    let pieces = told(sweep, point, at);
    let room = usize::from(area.width.saturating_sub(1));
    let mut used = 0;
    let fits = |(text, _): &&(String, Role)| {
        used += width(text);
        used <= room
    };
    let first = if area.height > 1 { pieces.iter().take_while(fits).count() } else { pieces.len() };
    for (row, part) in [(0, pieces.get(..first)), (1, pieces.get(first..))] {
        let mut line = Line::new(buffer, theme, area, row);
        line.skip(1);
        for (at, (text, role)) in part.unwrap_or_default().iter().enumerate() {
            line.put(if at == 0 { text.trim_start_matches([' ', '·']) } else { text }, *role);
        }
    }
    if first == pieces.len() {
        let mut line = Line::new(buffer, theme, area, 1);
        line.skip(1);
        if !line.whole(NOT_KNOWN, Role::Dim) {
            line.put(REPLAY_SHORT, Role::Dim);
        }
    }
}

/// What a sweep cannot know.
const NOT_KNOWN: &str =
    "What stands at a step is what a replay would hold: with other windows the agent might have acted otherwise.";

/// A run in pieces: its values, what it keeps, what that costs.
fn told(sweep: &Sweep, point: &Point, at: usize) -> Vec<(String, Role)> {
    let (kept, best) = sweep.figures(at);
    let mut pieces = Vec::new();
    for (vary, value) in sweep.vary.iter().zip(&point.values) {
        pieces.push((vary.setting.key.to_owned(), Role::Dim));
        pieces.push((format!(" {}  ", shown_value(value)), if best { Role::Accent } else { Role::Title }));
    }
    let facts = sweep.swept().facts;
    let unknown = and_unknown(sweep.unknown(point));
    pieces.push((format!("keeps {kept} of {facts}{unknown}"), if kept == facts { Role::Good } else { Role::Text }));
    let bill = point.bill;
    let compactions = if bill.compactions == 1 { "compaction" } else { "compactions" };
    let cost = bill.dollars.map(|cost| format!(", {}", price(cost, bill.costs_more))).unwrap_or_default();
    let figures = format!(
        " · {} sent, peak {}, {} {compactions}{cost}",
        short(bill.sent),
        short(bill.peak),
        count(bill.compactions),
    );
    pieces.push((figures, Role::Text));
    if bill.unwritten() > 0 {
        pieces.push((
            format!(" · {} that no model wrote", counted(bill.unwritten(), "summary", "summaries")),
            Role::Warning,
        ));
    }
    if bill.failed > 0 {
        pieces.push((format!(" · {} too long", counted(bill.failed, "request", "requests")), Role::Over));
    }
    if best {
        pieces.push(("  ◆".to_owned(), Role::Accent));
    }
    pieces
}
