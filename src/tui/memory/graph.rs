//! One memory and its neighbours: the memory at the left, a line to each neighbour at the right.

use std::cmp::Ordering;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::config::{Role, Theme};
use crate::inquiry::Memories;
use crate::memory::{Link, MemoryId, Tie};
use crate::model::Layer;
use crate::policy::Choice;
use crate::present::memory::memory_state;
use crate::present::{counted, first_words};
use crate::tui::layout::top;
use crate::tui::line::{Line, text as ink, wrapped};
use crate::tui::style;

use super::MemoryView;
use super::draw::{Parts, hint, says};
use super::list::{WORDS, sign};

/// A row at the right: a tie's name, a neighbour, its words.
enum Row {
    Tie(Tie),
    Link(usize),
    Words(usize),
    Gap,
}

/// The colour of a tie.
fn role(tie: Tie) -> Role {
    match tie {
        Tie::Contradicts => Role::Warning,
        Tie::Related => Role::Accent,
        Tie::MadeFrom | Tie::Became => Role::Summarised,
    }
}

/// Draws the graph.
pub fn draw(buffer: &mut Buffer, theme: &Theme, parts: &Parts, page: &MemoryView, memories: &Memories) {
    let mut area = parts.list;
    let Some(id) = page.selected else {
        let mut line = Line::new(buffer, theme, area, 0);
        line.skip(2);
        line.put("Nothing is remembered yet at this step.", Role::Dim);
        return;
    };
    if area.height >= 6 {
        trail(buffer, theme, top(&mut area, 1), page, id);
    }
    let links = memories.graph.links(id);
    let stacked = area.width < 50;
    let centre = if stacked {
        let height = 3.min(area.height / 2).max(1);
        top(&mut area, height)
    } else {
        let wide = (area.width * 2 / 5).clamp(18, 40);
        let height = 8.min(area.height);
        let place = Rect { width: wide, height, y: area.y + (area.height - height) / 2, ..area };
        area = Rect { x: area.x + wide, width: area.width - wide, ..area };
        place
    };
    draw_centre(buffer, theme, centre, memories, id);
    if links.is_empty() {
        nothing(buffer, theme, area, memories);
    } else {
        let middle = (!stacked).then_some(centre.y + centre.height / 2);
        neighbours(buffer, theme, area, middle, (page, memories, links));
    }
    if !page.filter.is_empty() && page.rows.is_empty() {
        let none = format!("No memory holds {:?}. Esc shows all again.", page.filter);
        return says(buffer, theme, parts, &[(&none, Role::Dim)]);
    }
    let pieces: &[&str] = match (links.is_empty(), page.trail.is_empty()) {
        (true, false) if memories.graph.is_empty() => &["← back"],
        (true, true) if memories.graph.is_empty() => &[],
        (true, _) => &["n to the next memory that has a relation", "← back"],
        (false, true) => &["→ Enter to the neighbour", "← back", "o to the text", "n to the next related memory"],
        (false, false) => &["→ Enter on", "← back the way you came", "o to the text"],
    };
    hint(buffer, theme, parts, pieces);
}

/// The way that led here.
fn trail(buffer: &mut Buffer, theme: &Theme, area: Rect, page: &MemoryView, id: MemoryId) {
    let mut line = Line::new(buffer, theme, area, 0);
    line.skip(1);
    let shown = page.trail.len().saturating_sub(8);
    if shown > 0 {
        line.put("… › ", Role::Dim);
    }
    for past in page.trail.iter().skip(shown) {
        line.put(&past.0.to_string(), Role::Link);
        line.put(" › ", Role::Dim);
    }
    line.put(&format!("memory {}", id.0), Role::Title);
}

/// The memory in a box; without room for one, as lines.
fn draw_centre(buffer: &mut Buffer, theme: &Theme, area: Rect, memories: &Memories, id: MemoryId) {
    let Some(memory) = memories.store.get(id) else { return };
    let boxed = area.height >= 4 && area.width >= 12;
    let inner = if boxed {
        frame(buffer, theme, area);
        Rect { x: area.x + 2, y: area.y + 1, width: area.width.saturating_sub(4), height: area.height - 2 }
    } else {
        Rect { x: area.x + 1.min(area.width), width: area.width.saturating_sub(1), ..area }
    };
    let mut line = Line::new(buffer, theme, inner, 0);
    let (mark, colour) = sign(memories, id);
    line.put(mark, colour);
    line.put(&format!(" {} ", id.0), Role::Title);
    let state = memories.store.state(id);
    line.put(&format!("{} · {}", memory_state(state), memory.scope.name()), Role::Dim);
    let words = first_words(&memory.text, 600);
    let lines = wrapped(&words, usize::from(inner.width).max(1));
    for (y, text) in (1..inner.height).zip(lines) {
        Line::new(buffer, theme, inner, y).put(text, Role::Text);
    }
}

fn frame(buffer: &mut Buffer, theme: &Theme, area: Rect) {
    let look = style(theme, Role::Layer(Layer::Memory));
    let wide = usize::from(area.width.saturating_sub(2));
    let mut put = |x: u16, y: u16, text: &str| {
        if area.contains((x, y).into()) {
            ink(buffer, (x, y), text, u16::MAX, look);
        }
    };
    let (right, last) = (area.right().saturating_sub(1), area.bottom().saturating_sub(1));
    put(area.x, area.y, &format!("╭{}╮", "─".repeat(wide)));
    put(area.x, last, &format!("╰{}╯", "─".repeat(wide)));
    for y in area.y + 1..last {
        put(area.x, y, "│");
        put(right, y, "│");
    }
}

fn neighbours(
    buffer: &mut Buffer,
    theme: &Theme,
    area: Rect,
    middle: Option<u16>,
    (page, memories, links): (&MemoryView, &Memories, &[Link]),
) {
    let height = usize::from(area.height);
    let rows = rows_seen(height, page.links.cursor, links);
    let shift = if middle.is_some() { (height - rows.len()) / 2 } else { 0 };
    let y0 = area.y + u16::try_from(shift).unwrap_or(0);
    let last = rows.iter().rposition(|row| matches!(row, Row::Link(_))).unwrap_or(0);
    let trunk = area.x + 2.min(area.width);
    let look = style(theme, Role::Border);
    for (y, (at, row)) in (y0..area.bottom()).zip(rows.iter().enumerate()) {
        let place = Rect { y, height: 1, ..area };
        let mut line = Line::new(buffer, theme, place, 0);
        line.skip(2);
        let ends = (at == 0, at.cmp(&last));
        neighbour(&mut line, row, ends, (page, memories, links));
    }
    let Some(middle) = middle else { return };
    // From the box to the trunk, which reaches as far as the middle of the box.
    let end = y0 + u16::try_from(last).unwrap_or(0);
    let mut put = |x: u16, y: u16, text: &str| {
        if let Some(cell) = buffer.cell_mut((x, y)).filter(|_| x < area.right() && y < area.bottom()) {
            cell.set_symbol(text).set_style(look);
        }
    };
    for y in end + 1..=middle.max(end) {
        put(trunk, y, "│");
    }
    for x in area.x..trunk {
        put(x, middle, "─");
    }
    let joint = match (middle.cmp(&y0), middle.cmp(&end)) {
        (Ordering::Equal, _) => "┬",
        (_, Ordering::Greater) => "╯",
        (_, Ordering::Equal) => "┴",
        _ if matches!(rows.get(usize::from(middle.saturating_sub(y0))), Some(Row::Link(_))) => "┼",
        _ => "┤",
    };
    put(trunk, middle, joint);
}

/// The rows that have room, around the cursor: two for each neighbour, where all have room.
fn rows_seen(height: usize, cursor: usize, links: &[Link]) -> Vec<Row> {
    let ties = Tie::ALL.iter().filter(|tie| links.iter().any(|link| link.tie == **tie)).count();
    let roomy = links.len() * 3 + ties <= height;
    let words = roomy || links.len() * 2 + ties <= height || height >= 12;
    let mut rows = Vec::new();
    // Only about as many as can be seen around the cursor.
    let first = cursor.saturating_sub(height);
    for (at, link) in links.iter().enumerate().skip(first).take(height * 2 + 1) {
        if at == first || links.get(at - 1).is_some_and(|before| before.tie != link.tie) {
            rows.push(Row::Tie(link.tie));
        }
        rows.push(Row::Link(at));
        rows.extend(words.then_some(Row::Words(at)));
        rows.extend((roomy && at + 1 < links.len()).then_some(Row::Gap));
    }
    let at = rows.iter().position(|row| matches!(row, Row::Link(at) if *at == cursor)).unwrap_or(0);
    let from = if rows.len() <= height { 0 } else { (at + 2).saturating_sub(height.saturating_sub(1)) };
    rows.into_iter().skip(from).take(height).collect()
}

/// One row, on the trunk. `ends`: whether it is the first, and where it stands to the last neighbour.
fn neighbour(
    line: &mut Line,
    row: &Row,
    (first, to_last): (bool, Ordering),
    (page, memories, links): (&MemoryView, &Memories, &[Link]),
) {
    let trunk = if to_last == Ordering::Less { "│" } else { " " };
    match row {
        Row::Tie(tie) => {
            line.put(if first { "╭ " } else { "│ " }, Role::Border);
            line.put(tie.name(), role(*tie));
        }
        Row::Link(link) => {
            let Some(link_at) = links.get(*link) else { return };
            let chosen = *link == page.links.cursor;
            line.put(if to_last == Ordering::Equal { "╰" } else { "├" }, Role::Border);
            line.put(if chosen { "━▶ " } else { "── " }, role(link_at.tie));
            if chosen {
                line.under(Role::Selection);
            }
            let (mark, colour) = sign(memories, link_at.to);
            line.put(mark, colour);
            line.put(&format!(" {} ", link_at.to.0), Role::Title);
            line.put(&format!(" {:.2}  ", link_at.score), Role::Accent);
            line.put(&memory_state(memories.store.state(link_at.to)), Role::Dim);
        }
        Row::Words(link) => {
            line.put(trunk, Role::Border);
            line.skip(3);
            let text = links.get(*link).and_then(|link| memories.store.get(link.to));
            line.put(&text.map(|it| first_words(&it.text, WORDS)).unwrap_or_default(), Role::Text);
        }
        Row::Gap => line.put(trunk, Role::Border),
    }
}

/// Why a memory has no neighbour.
fn nothing(buffer: &mut Buffer, theme: &Theme, area: Rect, memories: &Memories) {
    let settings = &memories.settings;
    let bridges = match settings.latent_bridging {
        true => String::new(),
        false => " memory.latent_bridging = true relates chunks that say related things in other words.".to_owned(),
    };
    let merges = match settings.reconcile {
        true => String::new(),
        false => " memory.reconcile = true merges what is nearly the same.".to_owned(),
    };
    let related = match memories.graph.len() {
        0 => "No memory is related to another at this step.".to_owned(),
        number => {
            format!("It is related to no other; {} related.", counted(number as u64, "memory is", "memories are"))
        }
    };
    let text = format!("{related} What contradicts another is related to it.{bridges}{merges}");
    let area = Rect { x: area.x + 2.min(area.width), width: area.width.saturating_sub(3), ..area };
    let columns = usize::from(area.width).max(1);
    let lines: Vec<&str> = wrapped(&text, columns).collect();
    let shift = usize::from(area.height).saturating_sub(lines.len()) / 2;
    for (y, line) in (u16::try_from(shift).unwrap_or(0)..area.height).zip(lines) {
        Line::new(buffer, theme, area, y).put(line, Role::Dim);
    }
}
