//! Drawing the documents view, at every size.

use std::ops::Range;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use crate::chunk::{Left, Strategy, Tag, Verdict};
use crate::config::{Action, Context, Keymap, Role, Theme};
use crate::model::Layer;
use crate::present::{count, percent, short, why, width};
use crate::tui::ink::{Line, bar};
use crate::tui::overlay::hints;

use super::page::HEAT;
use super::panes::{Panes, outline_rows, panes, taken_of};
use super::{Choice, Documents, Pane};

/// Draws the view; returns where the cursor goes while the task is typed.
pub fn draw(view: &Documents, buffer: &mut Buffer, theme: &Theme, keymap: &Keymap) -> Option<Position> {
    let parts = panes(buffer.area, view.focus);
    let Some(choice) = &view.choice else {
        let name = view.files.get(view.wanted.file).map_or("", |file| file.name.as_str());
        if view.files.is_empty() {
            nothing(buffer, theme);
        } else {
            let mut line = Line::new(buffer, theme, parts.head, 0);
            line.put("reading ", Role::Dim);
            line.put(name, Role::Title);
        }
        foot(buffer, theme, keymap, parts.foot, view.files.is_empty());
        return None;
    };
    let shown = view.shown(choice);
    let cursor = head(view, choice, &shown, buffer, theme, parts.head);
    titles(view, choice, buffer, theme, &parts);
    let taken = spans(choice, &shown);
    outline(view, choice, &taken, buffer, theme, parts.outline);
    page(view, choice, &shown, buffer, theme, parts.page);
    ranked(view, choice, &shown, buffer, theme, parts.ranked);
    reason(view, choice, buffer, theme, parts.why);
    foot(buffer, theme, keymap, parts.foot, false);
    cursor
}

/// What stands here as long as no document is attached, and how one is.
fn nothing(buffer: &mut Buffer, theme: &Theme) {
    const LINES: [(&str, &str, Role); 9] = [
        ("Documents", "", Role::Title),
        ("", "", Role::Text),
        ("No document is attached to this session. Attach one as you open it:", "", Role::Text),
        ("", "", Role::Text),
        ("  windowpane SESSION -f report.pdf@12", "  it comes in at step 12", Role::Key),
        ("  windowpane SESSION --url ADDRESS", "     a page, fetched once", Role::Key),
        ("", "", Role::Text),
        ("Then its outline stands here, which passages are chosen for the task,", "", Role::Dim),
        ("and why each of the others was left.", "", Role::Dim),
    ];
    let area = buffer.area;
    let high = area.height.saturating_sub(1);
    let top = if usize::from(high) > LINES.len() + 4 { 2 } else { 0 };
    let left = if area.width >= 80 { 4 } else { 0 };
    let place = Rect::new(area.x + left, area.y + top, area.width - left, high.saturating_sub(top));
    for ((words, after, role), row) in LINES.iter().zip(0..place.height) {
        let mut line = Line::new(buffer, theme, place, row);
        line.put(words, *role);
        line.put(after, Role::Dim);
    }
}

/// The bytes of some candidates, in order.
fn spans(choice: &Choice, candidates: &[usize]) -> Vec<(usize, usize)> {
    let pieces = candidates.iter().filter_map(|at| choice.selection.piece(&choice.division, *at));
    let mut spans: Vec<(usize, usize)> = pieces.map(|piece| (piece.start, piece.end)).collect();
    spans.sort_unstable();
    spans
}

/// The name and how it was chosen from; the budget as it fills; the task.
fn head(
    view: &Documents,
    choice: &Choice,
    shown: &[usize],
    buffer: &mut Buffer,
    theme: &Theme,
    area: Rect,
) -> Option<Position> {
    let name = view.files.get(view.wanted.file).map_or("", |file| file.name.as_str());
    let (status, role) = status(choice);
    let mut line = Line::new(buffer, theme, area, 0);
    let wide = u16::try_from(width(&status)).unwrap_or(0);
    if line.left() > wide + 24 {
        let mut right = line.split_right(wide + 2);
        right.skip(2);
        right.put(&status, role);
    }
    line.put(name.rsplit(['/', '\\']).next().unwrap_or(name), Role::Title);
    let number = view.files.len();
    if number > 1 {
        line.put(&format!("  {} of {number}", view.wanted.file + 1), Role::Dim);
    }
    let facts = format!(
        "  {} · {} characters · {} of {} passages",
        match choice.division.strategy {
            Strategy::Whole => "whole",
            Strategy::Sections => "sections by priority",
            Strategy::Windows => "nearest windows",
        },
        short(choice.division.chars),
        shown.len(),
        short(choice.selection.candidates.len() as u64),
    );
    line.put(&facts, Role::Dim);
    let chars = |at: &usize| choice.selection.piece(&choice.division, *at).map_or(0, |piece| piece.chars);
    let used: u64 = if view.filled.is_none() { choice.selection.used } else { shown.iter().map(chars).sum() };
    let budget = choice.settings.budget;
    let mut line = Line::new(buffer, theme, area, 1);
    line.put("budget ", Role::Dim);
    let words = format!(" {} of {} · {}", count(used), count(budget), percent(used.min(budget), budget));
    let columns = line.left().saturating_sub(u16::try_from(width(&words)).unwrap_or(0)).min(60);
    let full = bar(used.min(budget), budget, columns, "█");
    let empty = usize::from(columns).saturating_sub(width(&full));
    line.put(&full, Role::Layer(Layer::Chunks));
    line.put(&"·".repeat(empty), Role::Border);
    line.put(&words, Role::Text);
    let mut line = Line::new(buffer, theme, area, 2);
    line.put("task ", Role::Dim);
    line.put("› ", Role::Accent);
    let start = line.column();
    match &view.typing {
        Some(input) => {
            line.put(input.text(), Role::Text);
            let before = u16::try_from(width(input.before())).unwrap_or(u16::MAX);
            let x = start.saturating_add(before).min(area.right().saturating_sub(1));
            (area.height > 2).then_some(Position { x, y: area.y + 2 })
        }
        None if choice.task.is_empty() => {
            line.put("none: passages are ranked by where they stand", Role::Dim);
            None
        }
        None => {
            line.put(&choice.task, Role::Text);
            None
        }
    }
}

/// By what the passages are ranked so far.
fn status(choice: &Choice) -> (String, Role) {
    let (there, wanted) = choice.progress;
    match &choice.failed {
        Some(why) => (format!("by words only: {why}"), Role::Error),
        None if choice.selection.provisional => {
            (format!("by words · vectors {} of {}", count(there as u64), count(wanted as u64)), Role::Estimate)
        }
        None if wanted > 0 => ("by meaning".to_owned(), Role::Good),
        None if choice.division.strategy == Strategy::Windows => ("by words".to_owned(), Role::Dim),
        None => (String::new(), Role::Dim),
    }
}

/// The line over the panes, with their names.
fn titles(view: &Documents, choice: &Choice, buffer: &mut Buffer, theme: &Theme, parts: &Panes) {
    let area = buffer.area;
    let y = parts.page.y.max(parts.outline.y).max(parts.ranked.y).saturating_sub(1);
    let row = Rect { y, height: 1, ..area };
    let rule = "─".repeat(usize::from(area.width));
    Line::new(buffer, theme, row, 0).put(&rule, Role::Border);
    for (pane, part, name) in [
        (Pane::Outline, parts.outline, "outline"),
        (Pane::Page, parts.page, "document"),
        (Pane::Ranked, parts.ranked, "by rank"),
    ] {
        if part.is_empty() {
            continue;
        }
        let focused = pane == view.focus;
        let mut line = Line::new(buffer, theme, Rect { x: part.x, width: part.width, ..row }, 0);
        line.put(&format!(" {name} "), if focused { Role::Focus } else { Role::Title });
        if pane == Pane::Page
            && let Some(page) = page_of(view, choice)
        {
            line.put(&format!("{page} "), Role::Dim);
        }
    }
    // What parts the panes.
    for part in [parts.outline, parts.page, parts.ranked] {
        let x = part.right();
        if !part.is_empty() && x + 1 < area.right() {
            for y in part.top()..part.bottom() {
                let column = Rect { x, y, width: 1, height: 1 };
                Line::new(buffer, theme, column, 0).put("│", Role::Border);
            }
        }
    }
}

/// The page that the first row stands on.
fn page_of(view: &Documents, choice: &Choice) -> Option<String> {
    let row = view.laid.row(view.page.top)?;
    let spot = choice.division.outline.spot(&choice.document.markdown, row.start);
    Some(format!("p.{}{}", if spot.page_estimated { "~" } else { "" }, spot.page))
}

/// Sections or pages, with how much of each is taken.
fn outline(
    view: &Documents,
    choice: &Choice,
    taken: &[(usize, usize)],
    buffer: &mut Buffer,
    theme: &Theme,
    area: Rect,
) {
    let rows = outline_rows(choice);
    for (line_number, (at, row)) in (0..area.height).zip(rows.iter().enumerate().skip(view.outline.top)) {
        let mut line = Line::new(buffer, theme, area, line_number);
        if at == view.outline.cursor && view.focus == Pane::Outline {
            line.under(Role::Selection);
        }
        let size = row.bytes.1.saturating_sub(row.bytes.0);
        let part = taken_of(row.bytes, taken);
        let mut right = line.split_right(6);
        right.skip(1);
        let gauge = bar(part as u64, size as u64, 4, "█");
        right.put(&gauge, Role::Layer(Layer::Chunks));
        let rest = 4usize.saturating_sub(width(&gauge));
        right.put(&"·".repeat(rest), Role::Border);
        line.skip((row.depth * 2).min(area.width / 3));
        line.put(&row.title, if part > 0 { Role::Text } else { Role::Dim });
    }
}

/// A visible candidate: its bytes, how near it is, whether it is taken, and what became of it.
struct Seen {
    bytes: (usize, usize),
    heat: f32,
    taken: bool,
    cut: bool,
}

/// The candidates that touch these bytes.
fn seen(choice: &Choice, shown: &[usize], bytes: &Range<usize>) -> Vec<Seen> {
    (0..choice.selection.candidates.len())
        .filter_map(|at| {
            let piece = choice.selection.piece(&choice.division, at)?;
            if piece.start >= bytes.end || piece.end <= bytes.start {
                return None;
            }
            let verdict = choice.selection.candidates.get(at)?.verdict;
            Some(Seen {
                bytes: (piece.start, piece.end),
                heat: choice.heat.get(at).copied().unwrap_or(0.0),
                taken: shown.contains(&at),
                cut: matches!(verdict, Verdict::Left(Left::Budget { .. })),
            })
        })
        .collect()
}

/// The document: the taken bright, the rest dim; at its left how near each part is, and where cuts fall.
fn page(view: &Documents, choice: &Choice, shown: &[usize], buffer: &mut Buffer, theme: &Theme, area: Rect) {
    let text = &choice.document.markdown;
    let rows: Vec<(usize, Range<usize>)> =
        (view.page.top..).take(usize::from(area.height)).map_while(|at| Some((at, view.laid.row(at)?))).collect();
    let (Some((_, first)), Some((_, last))) = (rows.first(), rows.last()) else { return };
    let seen = seen(choice, shown, &(first.start..last.end.max(first.start + 1)));
    for (number, (at, row)) in (0u16..).zip(&rows) {
        let mut line = Line::new(buffer, theme, area, number);
        if *at == view.page.cursor && view.focus == Pane::Page {
            line.under(Role::Selection);
        }
        let touches = |one: &&Seen| one.bytes.0 < row.end.max(row.start + 1) && one.bytes.1 > row.start;
        let heat = seen.iter().filter(touches).map(|one| one.heat).fold(0.0, f32::max);
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        let thousandths = (heat.clamp(0.0, 1.0) * 1_000.0).round() as u64;
        line.field(&bar(thousandths, 1_000, HEAT, "█"), HEAT, Role::Layer(Layer::Chunks));
        let begins = |one: &&Seen| row.start <= one.bytes.0 && one.bytes.0 < row.end.max(row.start + 1);
        let ends = |one: &&Seen| row.start < one.bytes.1 && one.bytes.1 <= row.end;
        let of_taken = || seen.iter().filter(|one| one.taken);
        let (mark, role) = if of_taken().any(|one| begins(&one)) {
            ("┏", Role::Kept)
        } else if of_taken().any(|one| ends(&one)) {
            ("┗", Role::Kept)
        } else if of_taken().any(|one| touches(&one)) {
            ("┃", Role::Kept)
        } else if seen.iter().any(|one| one.cut && begins(&one)) {
            ("✂", Role::Cut)
        } else {
            (" ", Role::Dim)
        };
        line.put(mark, role);
        line.skip(1);
        // A row may be taken in part.
        let mut from = row.start;
        while from < row.end {
            let inside = of_taken().any(|one| one.bytes.0 <= from && from < one.bytes.1);
            let edges = of_taken().flat_map(|one| [one.bytes.0, one.bytes.1]);
            let to = edges.filter(|edge| *edge > from).min().unwrap_or(row.end).min(row.end);
            let part = text.get(from..to).unwrap_or_default().replace('\t', "    ");
            line.put(&part, if inside { Role::Text } else { Role::Dim });
            from = to;
        }
    }
}

/// The candidates by rank, with what each was ranked by and what became of it.
fn ranked(view: &Documents, choice: &Choice, shown: &[usize], buffer: &mut Buffer, theme: &Theme, area: Rect) {
    let order = choice.selection.by_rank();
    let digits = u16::try_from(order.len().to_string().len()).unwrap_or(3);
    for (row, at) in (0..area.height).zip(order.iter().skip(view.ranked.top)) {
        let (Some(candidate), Some(piece)) =
            (choice.selection.candidates.get(*at), choice.selection.piece(&choice.division, *at))
        else {
            continue;
        };
        let mut line = Line::new(buffer, theme, area, row);
        if *at == view.candidate {
            line.under(if view.focus == Pane::Ranked { Role::Selection } else { Role::SelectionQuiet });
        }
        let taken = shown.contains(at);
        let role = if taken { Role::Text } else { Role::Dim };
        line.right(&candidate.rank.to_string(), digits, Role::Dim);
        line.put(if taken { " ✓ " } else { "   " }, Role::Kept);
        if let Some(score) = candidate.score {
            line.right(&format!("{score:.3}"), 6, role);
            line.skip(1);
        }
        let verdict = candidate.verdict.name();
        // What is taken has its mark; why the others are left is said.
        if line.left() > 20 && !taken {
            let fate = match candidate.verdict {
                Verdict::Left(Left::Budget { .. } | Left::Missed | Left::Overlap(_)) => Role::Cut,
                _ => Role::Dim,
            };
            let mut right = line.split_right(9);
            right.right(verdict, 9, fate);
        }
        let page = format!("p.{}{} ", if piece.spot.page_estimated { "~" } else { "" }, piece.spot.page);
        line.put(&page, Role::Dim);
        let name = match choice.division.section(piece).filter(|_| choice.division.strategy == Strategy::Sections) {
            Some(section) => section.to_owned(),
            None => first_words(choice.selection.text(&choice.document, &choice.division, *at)),
        };
        line.put(&name, role);
    }
}

/// The first words of a passage, in one line.
fn first_words(text: &str) -> String {
    let head = text.get(..text.floor_char_boundary(200)).unwrap_or_default();
    head.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The tag of the passage that is looked at, and why it was taken or left.
fn reason(view: &Documents, choice: &Choice, buffer: &mut Buffer, theme: &Theme, area: Rect) {
    let (Some(candidate), Some(piece)) =
        (choice.selection.candidates.get(view.candidate), choice.selection.piece(&choice.division, view.candidate))
    else {
        return;
    };
    let name = view.files.get(view.wanted.file).map_or("", |file| file.name.as_str());
    let tag = Tag::of(&choice.division, piece, name).to_string();
    Line::new(buffer, theme, area, 0).put(&tag, Role::Name);
    let number = |at: usize| choice.selection.piece(&choice.division, at).map_or(0, |piece| piece.number);
    let role = if candidate.verdict.is_taken() { Role::Kept } else { Role::Cut };
    let mut line = Line::new(buffer, theme, area, 1);
    line.put(if candidate.verdict.is_taken() { "taken  " } else { "left  " }, role);
    line.put(&why(candidate.verdict, &choice.settings, number), Role::Text);
}

fn foot(buffer: &mut Buffer, theme: &Theme, keymap: &Keymap, area: Rect, is_empty: bool) {
    let of_passages: &[(&[Action], &str)] = &[
        (&[Action::PreviousPassage, Action::NextPassage], "passage"),
        (&[Action::FillBack, Action::FillOn], "fill"),
        (&[Action::EditTask], "task"),
        (&[Action::FewerPassages, Action::MorePassages], "number"),
        (&[Action::SmallerBudget, Action::LargerBudget], "budget"),
        (&[Action::Open], "in the window"),
    ];
    let of_passages = if is_empty { &[] } else { of_passages };
    let wanted = [of_passages, &[(&[Action::Back], "back"), (&[Action::Help], "help")]].concat();
    let text = hints(keymap, Context::Documents, &wanted, usize::from(area.width));
    Line::new(buffer, theme, area, 0).put(&text, Role::Dim);
}
