//! Drawing the documents view, at every size.

use std::ops::Range;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use crate::chunk::{LeftOut, Strategy, Verdict};
use crate::config::{Action, Keymap, Role, Theme};
use crate::content::one_line;
use crate::document::{PART, STOPPED};
use crate::model::{Layer, file_name};
use crate::present::{count, percent, short, width};
use crate::tui::detail::wrap;
use crate::tui::line::{Line, bar};
use crate::tui::main_screen::footer;
use crate::tui::style::over;

use super::page::HEAT;
use super::panes::{Panes, filled, outline_rows, panes};
use super::reason::reason;
use super::{Choice, Documents, Pane, medium};

/// Draws the view; returns where the cursor goes while the task is typed.
pub fn draw(view: &Documents, buffer: &mut Buffer, theme: &Theme, keymap: &Keymap) -> Option<Position> {
    let parts = panes(buffer.area, view.focus);
    let Some(choice) = &view.choice else {
        let name = view.files.get(view.wanted.file).map_or("", |file| file.name.as_str());
        if view.files.is_empty() {
            nothing(buffer, theme);
        } else {
            let mut line = Line::new(buffer, theme, parts.head, 0);
            line.put(if view.stopped { "stopped reading " } else { "reading " }, Role::Dim);
            line.put(name, Role::Title);
            if let Some((done, total)) = view.reading.filter(|_| !view.stopped) {
                line.put(&format!("  {}", percent(done, total)), Role::Gauge);
            }
        }
        foot(view, buffer, theme, keymap, parts.foot);
        return None;
    };
    if let Some(medium) = &choice.medium {
        medium::draw(view, medium, buffer, theme, keymap);
        return None;
    }
    let shown = view.shown(choice);
    let cursor = head(view, choice, &shown, buffer, theme, parts.head);
    titles(view, choice, buffer, theme, &parts);
    let bright = view.bright(choice);
    outline(view, choice, &bright, buffer, theme, parts.outline);
    page(view, choice, &bright, buffer, theme, parts.page);
    ranked(view, choice, &shown, buffer, theme, parts.ranked);
    reason(view, choice, buffer, theme, parts.why);
    foot(view, buffer, theme, keymap, parts.foot);
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

/// The name and how it was chosen from; the budget as it fills; the task. While the task is typed it stands in the only
/// row, where there is one alone.
fn head(
    view: &Documents,
    choice: &Choice,
    shown: &[usize],
    buffer: &mut Buffer,
    theme: &Theme,
    area: Rect,
) -> Option<Position> {
    let alone = area.height == 1 && view.typing.is_some();
    if !alone {
        name_line(view, choice, shown.len(), &mut Line::new(buffer, theme, area, 0));
        budget_line(view, choice, shown, &mut Line::new(buffer, theme, area, 1));
    }
    let row = if alone { 0 } else { 2 };
    let x = task_line(view, choice, &mut Line::new(buffer, theme, area, row))?;
    (row < area.height).then_some(Position { x, y: area.y + row })
}

/// The name of the document, how passages are chosen of it, and by what they are ranked. `shown`: how many are.
fn name_line(view: &Documents, choice: &Choice, shown: usize, line: &mut Line<'_>) {
    let name = view.files.get(view.wanted.file).map_or("", |file| file.name.as_str());
    let (status, role) = status(choice, view.stopped);
    let wide = u16::try_from(width(&status)).unwrap_or(0).min(line.left().saturating_sub(26));
    if wide > 0 {
        let mut right = line.split_right(wide + 2);
        right.skip(2);
        right.put(&status, role);
    }
    line.put(file_name(name), Role::Title);
    let number = view.files.len();
    if number > 1 {
        line.put(&format!("  {} of {number}", view.wanted.file + 1), Role::Dim);
    }
    let size = short(choice.division.chars);
    let passages = choice.selection.candidates.len();
    let passages = format!("{} {}", short(passages as u64), if passages == 1 { "passage" } else { "passages" });
    let strategy = match choice.division.strategy {
        Strategy::Whole => "whole",
        Strategy::Sections => "sections by priority",
        Strategy::Windows if choice.task.trim().is_empty() => "first windows",
        Strategy::Windows => "nearest windows",
    };
    let facts = match &choice.in_window {
        Some(in_window) => format!("  files.mode = {} · {size} characters · {passages}", in_window.mode),
        None => format!("  {strategy} · {size} characters · {shown} of {passages}"),
    };
    line.put(&facts, Role::Dim);
}

/// What is taken of the budget, or of the document in the window.
fn budget_line(view: &Documents, choice: &Choice, shown: &[usize], line: &mut Line<'_>) {
    let (name, used, budget, told) = match &choice.in_window {
        Some(in_window) => {
            let text = |(from, to): &(usize, usize)| choice.document.markdown.get(*from..*to).unwrap_or_default();
            let used = in_window.kept.iter().map(|range| text(range).chars().count() as u64).sum();
            ("sent ", used, choice.division.chars, in_window.told.as_str())
        }
        // What is so short is taken whatever the budget is.
        None if choice.division.strategy == Strategy::Whole => {
            ("whole ", choice.division.chars, choice.settings.threshold, "fewer go in whole")
        }
        None if view.filled.is_none() => ("budget ", choice.selection.used, choice.settings.budget, ""),
        None => {
            let used = choice.selection.fills(&choice.division, shown);
            ("budget ", used, choice.settings.budget, "")
        }
    };
    line.put(name, Role::Dim);
    let unit = if choice.in_window.is_some() { " characters" } else { "" };
    let share = percent(used.min(budget), budget);
    // Of a document that was read in part nobody knows how long it is.
    let words = match choice.in_window.is_some() && choice.document.fact(PART).is_some() {
        true => format!(" {} of more than {}{unit}", count(used), count(budget)),
        false => format!(" {} of {}{unit} · {share}", count(used), count(budget)),
    };
    let words = if told.is_empty() { words } else { format!("{words} · {told}") };
    let columns = line.left().saturating_sub(u16::try_from(width(&words)).unwrap_or(0)).clamp(8, 60);
    let full = bar(used.min(budget), budget, columns, "█");
    let empty = usize::from(columns).saturating_sub(width(&full));
    line.put(&full, Role::Layer(Layer::Chunks));
    line.put(&"·".repeat(empty), Role::Border);
    line.put(&words, Role::Text);
}

/// The task; returns the column of the cursor while it is typed.
fn task_line(view: &Documents, choice: &Choice, line: &mut Line<'_>) -> Option<u16> {
    line.put("task ", Role::Dim);
    line.put("› ", Role::Accent);
    if let Some(input) = &view.typing {
        return Some(input.draw(line, ""));
    }
    match choice.task.trim().is_empty() {
        false => line.put(&choice.task, Role::Text),
        true if choice.division.strategy == Strategy::Windows => {
            line.put("none: passages are taken as they stand", Role::Dim);
        }
        true => line.put("none", Role::Dim),
    }
    None
}

/// What is said of the file, and by what its passages are ranked so far.
fn status(choice: &Choice, stopped: bool) -> (String, Role) {
    let (there, wanted) = choice.progress;
    let (ranked, role) = ranking(choice, stopped);
    // How much of it was read says what the note on its end does, in fewer words.
    let read = choice.document.fact(PART).map(|read| read.strip_suffix(" of its text").unwrap_or(read));
    let mut notes = choice.document.notes.iter().filter(|note| read.is_none() || !note.message.starts_with(STOPPED));
    let note = match (read, notes.next()) {
        (Some(read), Some(note)) => format!("{read} · {note}"),
        (Some(read), None) => read.to_owned(),
        (None, Some(note)) => note.to_string(),
        (None, None) => return (ranked, role),
    };
    let more = notes.count();
    let more = if more > 0 { format!(" (and {} more)", count(more as u64)) } else { String::new() };
    let noted = if choice.document.markdown.is_empty() { Role::Error } else { Role::Estimate };
    // What is said of the file does not hide by what its passages are ranked.
    match (&choice.failed, ranked.is_empty() || wanted == 0 && there == 0) {
        (Some(why), _) => (why.clone(), noted),
        (None, true) => (format!("{note}{more}"), noted),
        (None, false) => (format!("{ranked} · {note}{more}"), noted),
    }
}

/// By what the passages are ranked so far.
fn ranking(choice: &Choice, stopped: bool) -> (String, Role) {
    let (there, wanted) = choice.progress;
    match &choice.failed {
        Some(why) => (format!("by words only: {why}"), Role::Error),
        None if choice.selection.provisional => {
            let by = if there > 0 { "by meaning" } else { "by words" };
            let far = if stopped { "in part · stopped with" } else { "so far ·" };
            (format!("{by} {far} vectors {} of {}", count(there as u64), count(wanted as u64)), Role::Estimate)
        }
        None if choice.task.trim().is_empty() => (String::new(), Role::Dim),
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
        (Pane::Outline, parts.outline, "Outline"),
        (Pane::Page, parts.page, "Document"),
        (Pane::Ranked, parts.ranked, "By rank"),
    ] {
        if part.is_empty() {
            continue;
        }
        let focused = pane == view.focus;
        let name = match &choice.in_window {
            Some(_) if pane == Pane::Ranked && choice.document.fact(PART).is_some() => "Chunks of this part",
            Some(_) if pane == Pane::Ranked => "Chunks would take",
            _ => name,
        };
        let mut line = Line::new(buffer, theme, Rect { x: part.x, width: part.width, ..row }, 0);
        line.styled(&format!(" {name} "), over(theme, if focused { Role::Focus } else { Role::Title }));
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
    Some(format!("p.{}", spot.page))
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
        let part = filled(row.bytes, taken, &choice.document.markdown);
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

/// A visible candidate: its bytes, how near it is, and whether the budget had no room for it.
struct Seen {
    bytes: (usize, usize),
    heat: f32,
    cut: bool,
}

/// The candidates that touch these bytes.
fn seen(choice: &Choice, bytes: &Range<usize>) -> Vec<Seen> {
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
                cut: choice.in_window.is_none() && matches!(verdict, Verdict::Left(LeftOut::Budget { .. })),
            })
        })
        .collect()
}

/// The document: what is in the window bright, the rest dim; at its left how near each part is, and where cuts fall.
fn page(view: &Documents, choice: &Choice, bright: &[(usize, usize)], buffer: &mut Buffer, theme: &Theme, area: Rect) {
    let text = &choice.document.markdown;
    if text.is_empty() {
        unread(choice, buffer, theme, area);
    }
    let rows: Vec<(usize, Range<usize>)> =
        (view.page.top..).take(usize::from(area.height)).map_while(|at| Some((at, view.laid.row(at)?))).collect();
    let (Some((_, first)), Some((_, last))) = (rows.first(), rows.last()) else { return };
    let sight = first.start..last.end.max(first.start + 1);
    let seen = seen(choice, &sight);
    let bright: Vec<(usize, usize)> =
        bright.iter().copied().filter(|(from, to)| *from <= sight.end && *to >= sight.start).collect();
    let limited = choice.in_window.is_some();
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
        let starts = |from: usize| row.start <= from && from < row.end.max(row.start + 1);
        // Blanks and the break at the end of a row are its own.
        let reach = view.laid.row(at + 1).map_or(text.len(), |next| next.start);
        let ends = |(_, to): &(usize, usize)| row.start < *to && *to <= reach;
        let inside = |(from, to): &(usize, usize)| *from < reach && *to > row.start;
        let (mark, role) = if bright.iter().any(|(_, to)| limited && *to < text.len() && ends(&(0, *to))) {
            ("✂", Role::Cut)
        } else if bright.iter().any(|(from, _)| starts(*from)) {
            ("┏", Role::Kept)
        } else if bright.iter().any(ends) {
            ("┗", Role::Kept)
        } else if bright.iter().any(inside) {
            ("┃", Role::Kept)
        } else if seen.iter().any(|one| one.cut && starts(one.bytes.0)) {
            ("✂", Role::Cut)
        } else {
            (" ", Role::Dim)
        };
        line.put(mark, role);
        line.skip(1);
        // A row may be taken in part.
        let mut from = row.start;
        while from < row.end {
            let inside = bright.iter().any(|(start, end)| *start <= from && from < *end);
            let edges = bright.iter().flat_map(|(start, end)| [*start, *end]);
            let to = edges.filter(|edge| *edge > from).min().unwrap_or(row.end).min(row.end);
            let part = text.get(from..to).unwrap_or_default().replace('\t', "    ");
            line.put(&part, if inside { Role::Text } else { Role::Dim });
            from = to;
        }
    }
}

/// Why there is nothing of the document.
fn unread(choice: &Choice, buffer: &mut Buffer, theme: &Theme, area: Rect) {
    let columns = usize::from(area.width).max(8);
    let words = |note: &crate::document::Note| {
        let text = note.to_string();
        wrap(&text, columns, 0).into_iter().map(|row| text.get(row).unwrap_or_default().to_owned()).collect::<Vec<_>>()
    };
    let notes = choice.document.notes.iter().flat_map(words);
    let lines = std::iter::once("It holds no text.".to_owned()).chain(notes);
    for (row, words) in (0..area.height).zip(lines) {
        Line::new(buffer, theme, area, row).put(&words, if row == 0 { Role::Dim } else { Role::Error });
    }
}

/// Columns of a row from which on there is room for why a passage was left.
const RANKED_LEAST: u16 = 14;
/// Columns of a passage's words below which a sign that they begin within a word has no room.
const WORDS_LEAST: u16 = 16;

/// The candidates by rank, with what each was ranked by and what became of it.
fn ranked(view: &Documents, choice: &Choice, shown: &[usize], buffer: &mut Buffer, theme: &Theme, area: Rect) {
    let order = choice.selection.by_rank();
    let digits = u16::try_from(order.len().to_string().len()).unwrap_or(3);
    let page = |spot: &crate::chunk::Spot| format!("p.{} ", spot.page);
    let verdict = |at: usize, verdict: Verdict| if view.comes_later(choice, at) { "later" } else { verdict.name() };
    // What is seen stands in columns: as wide as they have to be.
    let visible: Vec<_> = order
        .iter()
        .skip(view.ranked.top)
        .take(usize::from(area.height))
        .filter_map(|at| {
            Some((at, choice.selection.candidates.get(*at)?, choice.selection.piece(&choice.division, *at)?))
        })
        .collect();
    let scored = visible.iter().any(|(_, candidate, _)| candidate.score.is_some());
    let widest = |sizes: &mut dyn Iterator<Item = usize>| u16::try_from(sizes.max().unwrap_or(0)).unwrap_or(0);
    let pages = widest(&mut visible.iter().map(|(.., piece)| width(&page(&piece.spot))));
    let left = visible.iter().filter(|(at, ..)| !shown.contains(at));
    let fates = 1 + widest(&mut left.map(|(at, candidate, _)| width(verdict(**at, candidate.verdict))));
    for (row, (at, candidate, piece)) in (0..area.height).zip(visible) {
        let mut line = Line::new(buffer, theme, area, row);
        if *at == view.candidate {
            line.under(if view.focus == Pane::Ranked { Role::Selection } else { Role::SelectionQuiet });
        }
        let taken = shown.contains(at);
        let role = if taken { Role::Text } else { Role::Dim };
        line.right(&candidate.rank.to_string(), digits, Role::Dim);
        line.put(if taken { " ✓ " } else { "   " }, Role::Kept);
        if scored {
            line.right(&candidate.score.map_or_else(String::new, |score| format!("{score:.3}")), 6, role);
            line.skip(1);
        }
        // What is taken has its mark; why the others are left is said.
        if line.left() > RANKED_LEAST && !taken {
            let fate = match candidate.verdict {
                Verdict::Left(LeftOut::Budget { .. } | LeftOut::Missed | LeftOut::Overlap(_)) => Role::Cut,
                _ => Role::Dim,
            };
            let mut right = line.split_right(fates);
            right.right(verdict(*at, candidate.verdict), fates, fate);
        }
        line.field(&page(&piece.spot), pages, Role::Dim);
        let name = match choice.division.section(piece).filter(|_| choice.division.strategy == Strategy::Sections) {
            Some(section) => section.to_owned(),
            None => first_words(&choice.document.markdown, (piece.start, piece.end)),
        };
        let whole = name.strip_prefix("… ").filter(|_| line.left() < WORDS_LEAST);
        line.put(whole.unwrap_or(&name), role);
    }
}

/// The first words of a passage, in one line. A word that begins before it is left out.
fn first_words(text: &str, (start, end): (usize, usize)) -> String {
    let (before, passage) = (text.get(..start).unwrap_or_default(), text.get(start..end).unwrap_or_default());
    let head = passage.get(..passage.floor_char_boundary(200)).unwrap_or_default();
    let is_word = |sign: Option<char>| sign.is_some_and(char::is_alphanumeric);
    let in_word = is_word(before.chars().next_back()) && is_word(head.chars().next());
    let whole = head.split_once(char::is_whitespace).filter(|_| in_word).map(|(_, whole)| whole);
    let words = one_line(whole.unwrap_or(head));
    if whole.is_some() { format!("… {words}") } else { words }
}

/// What keys do: those that work while the task is typed, or the view's.
fn foot(view: &Documents, buffer: &mut Buffer, theme: &Theme, keymap: &Keymap, area: Rect) {
    let of_passages: &[(&[Action], &str)] = &[
        (&[Action::PreviousPassage, Action::NextPassage], "passage"),
        (&[Action::FillBack, Action::FillOn], "fill"),
        (&[Action::NextPane], "pane"),
        (&[Action::Open], "in the window"),
        (&[Action::EditTask], "task"),
        (&[Action::SmallerBudget, Action::LargerBudget], "budget"),
        (&[Action::FewerPassages, Action::MorePassages], "number"),
    ];
    let of_passages = if view.files.is_empty() { &[] } else { of_passages };
    let wanted: Vec<(&[Action], &str)> = match view.typing {
        Some(_) => vec![(&[Action::Open], "keep this task"), (&[Action::Back], "back to the one before")],
        None => [of_passages, &[(&[Action::Back], "back"), (&[Action::Help], "help")]].concat(),
    };
    let mut line = Line::new(buffer, theme, area, 0);
    line.skip(1);
    footer::keys(&mut line, keymap, view.context(), &wanted);
}
