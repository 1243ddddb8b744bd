//! Draws findings.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::{Complaint, FindingsView};
use crate::config::{Action, Context, Keymap, Role, Theme};
use crate::inquiry::lint::Weight;
use crate::present::{counted, dollars, short, width};
use crate::tui::line::{Line, wrapped};
use crate::tui::overlay::{Framed, Region, frame, full, hints};
use crate::tui::style;

/// Columns of a line of the text below at most.
const READABLE: usize = 110;
/// Rows that the text below keeps, where there is room.
const TEXT: u16 = 7;

/// The word for what a finding is, and its colour.
fn word(weight: Weight) -> (&'static str, Role) {
    match weight {
        Weight::Loss => ("loss", Role::Over),
        Weight::Waste => ("waste", Role::Warning),
        Weight::Habit => ("habit", Role::Accent),
    }
}

/// How many there are of each weight: the weight, in words for one and for several.
const WEIGHTS: [(Weight, &str, &str); 3] =
    [(Weight::Loss, "loss", "losses"), (Weight::Waste, "waste", "wastes"), (Weight::Habit, "habit", "habits")];

impl FindingsView {
    /// Draws the findings over the screen.
    pub fn draw(&self, buffer: &mut Buffer, theme: &Theme, keymap: &Keymap) {
        let area = buffer.area;
        let opens = match self.chosen() {
            Some(Complaint { setting: Some(_), .. }) => "tune it",
            Some(_) => "go there",
            None => "",
        };
        let mut keys: Vec<(&[Action], &str)> = vec![(&[Action::Up, Action::Down], "choose")];
        keys.extend((!opens.is_empty()).then_some((&[Action::Open][..], opens)));
        let follows = self.chosen().is_some_and(|chosen| chosen.finding.fact.is_some());
        keys.extend(follows.then_some((&[Action::FollowFact][..], "follow the fact")));
        keys.push((&[Action::Back], "close"));
        let foot = hints(keymap, Context::Findings, &keys, usize::from(area.width.saturating_sub(8)));
        // Nothing of what is beneath shows at the sides.
        buffer.reset();
        buffer.set_style(area, style(theme, Role::Ground));
        let place = full(area);
        frame(buffer, theme, place, &format!("findings · {}", self.track), &foot);
        let mut head = Line::new(buffer, theme, place.inner, 0);
        match self.found.as_deref() {
            None => {
                head.put("looking for what costs tokens or loses facts …", Role::Dim);
                head.put(if self.early { "  then one can be followed" } else { "" }, Role::Warning)
            }
            Some([]) => head.put("Nothing to complain about.", Role::Good),
            Some(found) => {
                self.head(found, &mut head);
                self.list(found, buffer, theme, place);
            }
        }
    }

    /// Where they stand on a screen, and their rows.
    #[must_use]
    pub fn region(&self, area: Rect) -> Region {
        let place = full(area);
        let (list, _) = parts(place.inner, self.rows().len());
        Region::over(place.outer, list, self.scroll, self.rows().len())
    }

    fn head(&self, found: &[Complaint], line: &mut Line<'_>) {
        let mut before = "";
        for (weight, one, many) in WEIGHTS {
            let number = found.iter().filter(|found| found.finding.weight == weight).count();
            if number == 0 {
                continue;
            }
            line.put(before, Role::Dim);
            before = " · ";
            let words = counted(number as u64, one, many);
            if !line.whole(&words, word(weight).1) {
                break;
            }
        }
    }

    fn list(&self, found: &[Complaint], buffer: &mut Buffer, theme: &Theme, place: Framed) {
        let (list, text) = parts(place.inner, found.len());
        let region = Region::over(place.outer, list, self.scroll, found.len());
        let places = found.iter().map(|shown| width(&whence(shown))).max().unwrap_or(0);
        for (row, at) in region.shown() {
            let Some(shown) = found.get(at) else { break };
            let mut line = Line::new(buffer, theme, region.list, row);
            if at == self.scroll.cursor {
                line.under(Role::Selection);
            }
            draw_row(&mut line, shown, places);
        }
        if let Some(chosen) = self.chosen() {
            let overlaps = chosen.finding.overlaps(found.iter().map(|other| &other.finding));
            at_length(chosen, &overlaps, buffer, theme, text);
        }
    }
}

/// The list and the text below it.
fn parts(inner: Rect, rows: usize) -> (Rect, Rect) {
    let head = 2.min(inner.height);
    let room = inner.height - head;
    let kept = TEXT.max(room / 3).min(room / 2);
    let high = u16::try_from(rows).unwrap_or(u16::MAX).min(room - kept);
    let list = Rect { y: inner.y + head, height: high, ..inner };
    let from = (head + high + 1).min(inner.height);
    (list, Rect { y: inner.y + from, height: inner.height - from, ..inner })
}

/// Where it shows: a step, or a setting of the policy.
fn whence(Complaint { finding, setting, .. }: &Complaint) -> String {
    match (finding.step, setting) {
        (Some(step), _) => format!("step {step}"),
        (None, Some(key)) => (*key).to_owned(),
        (None, None) => String::new(),
    }
}

/// Draws a row, with so many columns for where it shows.
fn draw_row(line: &mut Line<'_>, shown: &Complaint, places: usize) {
    let finding = &shown.finding;
    let (weight, role) = word(finding.weight);
    line.put(" ", Role::Dim);
    line.field(weight, 7, role);
    line.field(finding.rule, 22, Role::Title);
    let tokens = finding.tokens.map_or_else(String::new, short);
    line.right(&tokens, 7, Role::Text);
    let cost = finding.dollars.filter(|cost| *cost > 0.0).map_or_else(String::new, dollars);
    line.right(&cost, 9, Role::Text);
    line.put("  ", Role::Dim);
    let columns = u16::try_from(places).unwrap_or(u16::MAX).min(line.left());
    line.field(&whence(shown), columns, Role::Dim);
    // As much as is told below, in one line, where there is room for more than a few words.
    if line.left() > 40 {
        line.put("  ", Role::Dim);
        line.put(&finding.evidence, Role::Dim);
    }
}

/// What was found, and what would help, in whole sentences; below, the text that shows it, where there is room.
fn at_length(
    Complaint { finding, evidence, uncached, .. }: &Complaint,
    overlaps: &[&str],
    buffer: &mut Buffer,
    theme: &Theme,
    area: Rect,
) {
    let columns = usize::from(area.width).min(READABLE);
    let mut row = 0;
    let mut lines = |text: &str, before: &str, role: Role| {
        for (at, words) in wrapped(text, columns.saturating_sub(before.chars().count())).enumerate() {
            if row >= area.height {
                return;
            }
            let mut line = Line::new(buffer, theme, area, row);
            if at == 0 {
                line.put(before, role)
            } else {
                line.skip(u16::try_from(before.chars().count()).unwrap_or(0))
            }
            line.put(words, role);
            row += 1;
        }
    };
    lines(&finding.evidence, "", Role::Text);
    lines(&finding.help, "→ ", Role::Good);
    if let Some(tokens) = finding.tokens.filter(|tokens| *tokens > 0) {
        let how = finding.of_what();
        let priced = if *uncached { " of uncached input, as nothing tells of a cache" } else { "" };
        let cost = finding.dollars.map_or_else(String::new, |cost| format!(", about {}{priced}", dollars(cost)));
        let also = match overlaps {
            [] => String::new(),
            rules => format!("; some of them are counted by {}, too", rules.join(" and ")),
        };
        lines(&format!("{} {how}{cost}{also}", counted(tokens, "token", "tokens")), "", Role::Dim);
    }
    let rest = Rect { y: area.y + row, height: area.height - row, ..area };
    evidence.around.draw(&evidence.title, buffer, theme, rest);
}
