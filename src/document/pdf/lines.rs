//! Where the texts of a page stand on it, for what the order of its blocks does not tell.

use std::rc::Rc;

use unpdf::model::{Block, Paragraph, Table};
use unpdf::parser::TextSpan;

use super::texts::Texts;

/// Of the size of their letters, how far apart the baselines of one line are at most.
const SAME_LINE: f32 = 0.4;
/// Characters by which the beginning of a text is told, where it goes on in the next line.
const BEGINNING: usize = 8;

/// A text without its white space, and where it stands.
pub struct Placed {
    /// The text.
    pub text: String,
    /// Where it begins.
    pub left: f32,
    /// Where it ends.
    pub right: f32,
    /// How wide its first word is, about.
    pub first_word: f32,
    /// The size of its letters.
    pub size: f32,
    /// As it is written, with its white space.
    pub written: String,
    /// How high it stands.
    pub y: f32,
    /// Whether it begins with a blank.
    pub begins_blank: bool,
}

/// Texts side by side, from left to right.
pub struct Line {
    /// How high it stands.
    pub y: f32,
    /// The size of its letters.
    pub size: f32,
    /// They.
    pub texts: Vec<Placed>,
}

/// The lines of a page, from its top down.
pub struct Lines(Vec<Line>);

/// A part of a page.
#[derive(Clone, Copy, Debug)]
pub struct Area {
    /// How high its first line stands.
    pub top: f32,
    /// How high its last line stands.
    pub bottom: f32,
    /// Where it begins.
    pub left: f32,
    /// Where it ends.
    pub right: f32,
}

impl Area {
    /// Whether a text of a line stands in it.
    pub fn holds(&self, y: f32, placed: &Placed) -> bool {
        self.bottom <= y && y <= self.top && placed.left < self.right && self.left < placed.right
    }

    /// Whether it stands between two heights.
    pub fn is_between(&self, above: f32, below: f32) -> bool {
        above > self.top && self.bottom > below
    }
}

/// Where a block begins.
#[derive(Clone, Copy)]
struct Spot {
    y: f32,
    left: f32,
    right: f32,
}

impl Lines {
    /// Those of a page; `None` where it cannot be read.
    pub fn of_page(texts: &Texts, page: u32) -> Option<Lines> {
        texts.of_page(page).map(|spans| Lines::of(spans.to_vec()))
    }

    /// Those that texts stand in.
    pub fn of(mut spans: Vec<TextSpan>) -> Lines {
        spans.retain(|span| !span.is_rotated() && !span.text.trim().is_empty());
        spans.sort_by(|one, other| other.y.total_cmp(&one.y));
        let mut lines: Vec<Line> = Vec::new();
        for span in spans {
            let right = span.x + span.ink_width.unwrap_or(span.width);
            let first_word = (right - span.x) * share_of_first(&span.text);
            let written = span.text.trim().to_owned();
            let (text, size) = (solid(&written), span.font_size);
            let begins_blank = span.text.starts_with(char::is_whitespace);
            let placed = Placed { text, left: span.x, right, first_word, size, written, y: span.y, begins_blank };
            match lines.last_mut().filter(|line| line.y - span.y <= span.font_size * SAME_LINE) {
                Some(line) => line.texts.push(placed),
                None => lines.push(Line { y: span.y, size: span.font_size, texts: vec![placed] }),
            }
        }
        for line in &mut lines {
            line.texts.sort_by(|one, other| one.left.total_cmp(&other.left));
        }
        Lines(lines)
    }

    /// All of them.
    pub fn all(&self) -> &[Line] {
        &self.0
    }

    /// Those below a height.
    pub fn below(&self, y: f32) -> impl Iterator<Item = &Line> {
        self.0.iter().filter(move |line| line.y < y)
    }

    /// Where the texts of the page end.
    pub fn right_of_all(&self) -> f32 {
        self.0.iter().flat_map(|line| &line.texts).map(|placed| placed.right).fold(0.0, f32::max)
    }

    /// Where a text may begin, from the top down.
    fn spots(&self, text: &str) -> Vec<Spot> {
        let text = solid(text);
        let begins = |line: &Line, from: usize| {
            let texts = line.texts.get(from..)?;
            let mut rest = text.as_str();
            let mut spot: Option<Spot> = None;
            for placed in texts {
                let Some(after) = rest.strip_prefix(&placed.text) else { break };
                let left = spot.map_or(placed.left, |spot| spot.left);
                (rest, spot) = (after, Some(Spot { y: line.y, left, right: placed.right }));
            }
            let found = text.len() - rest.len();
            spot.filter(|_| rest.is_empty() || found >= BEGINNING)
        };
        self.0.iter().filter_map(|line| (0..line.texts.len()).find_map(|from| begins(line, from))).collect()
    }

    /// How high a row of a table stands, one that stands nowhere else.
    fn row_of(&self, table: &Table) -> Option<f32> {
        let whole: Vec<(f32, String)> =
            self.0.iter().map(|line| (line.y, line.texts.iter().map(|one| one.text.as_str()).collect())).collect();
        table.rows.iter().find_map(|row| {
            let text: String = row.cells.iter().map(|cell| solid(&cell.plain_text())).collect();
            let mut found = whole.iter().filter(|(_, line)| !text.is_empty() && line.contains(&text));
            match (found.next(), found.next()) {
                (Some((y, _)), None) => Some(*y),
                _ => None,
            }
        })
    }

    /// The first of the headings right before a table which stand below it, over the text that follows it.
    fn headings_below(&self, blocks: &[Block], table: usize) -> Option<usize> {
        let Some(Block::Table(rows)) = blocks.get(table) else { return None };
        let y = self.row_of(rows)?;
        let after = blocks.get(table + 1..)?.iter().find_map(|block| match block {
            Block::Paragraph(paragraph) => Some(self.spots(&without_mark(paragraph))),
            _ => None,
        })?;
        let is_below = |block: &Block| {
            let spots = heading(block).map(|text| self.spots(&text)).unwrap_or_default();
            let [spot] = spots.as_slice() else { return false };
            let next = after.iter().find(|next| next.y < spot.y);
            spot.y < y && next.is_some_and(|next| spot.left < next.right && next.left < spot.right)
        };
        let count = blocks.get(..table)?.iter().rev().take_while(|block| is_below(block)).count();
        (count > 0).then_some(table - count)
    }
}

/// Puts each table before the headings that stand below it: the reader puts it before the first text that it stands over,
/// and a short heading may stand beside.
pub fn order_tables(blocks: &mut [Block], lines: impl FnOnce() -> Option<Rc<Lines>>) {
    let is_table = |block: &Block| matches!(block, Block::Table(_));
    let is_late = |pair: &[Block]| matches!(pair, [before, table] if is_table(table) && heading(before).is_some());
    if !blocks.windows(2).any(is_late) {
        return;
    }
    let Some(lines) = lines() else { return };
    for at in 1..blocks.len() {
        if let Some(first) = lines.headings_below(blocks, at)
            && let Some(part) = blocks.get_mut(first..=at)
        {
            part.rotate_right(1);
        }
    }
}

/// The text of a paragraph, without the mark of an item.
pub fn without_mark(paragraph: &Paragraph) -> String {
    let mut plain = paragraph.clone();
    plain.style.list_info = None;
    plain.plain_text()
}

/// The text of a heading.
fn heading(block: &Block) -> Option<String> {
    match block {
        Block::Paragraph(paragraph) => paragraph.heading_level().map(|_| paragraph.plain_text()),
        _ => None,
    }
}

/// Of a text's characters, the share of its first word.
#[allow(clippy::cast_precision_loss)]
fn share_of_first(text: &str) -> f32 {
    let first = text.split_whitespace().next().unwrap_or_default();
    first.chars().count() as f32 / text.trim().chars().count().max(1) as f32
}

/// A text without its white space.
pub fn solid(text: &str) -> String {
    text.chars().filter(|sign| !sign.is_whitespace()).collect()
}

/// The middle of sizes, each of which counts for so many.
pub fn middle(sizes: impl Iterator<Item = (f32, usize)>) -> Option<f32> {
    let mut sizes: Vec<(f32, usize)> = sizes.collect();
    sizes.sort_by(|one, other| one.0.total_cmp(&other.0));
    let half = sizes.iter().map(|(_, count)| count).sum::<usize>() / 2;
    let mut before = 0;
    let middle = sizes.iter().find(|(_, count)| {
        before += count;
        before > half
    });
    middle.map(|(size, _)| *size)
}

#[cfg(test)]
pub mod tests {
    use unpdf::model::TableRow;

    use super::*;

    /// A text at a place, in letters that are half as wide as high.
    pub fn span(text: &str, x: f32, y: f32) -> TextSpan {
        let mut span = TextSpan::new(text.to_owned(), x, y, 10.0, "F".to_owned());
        span.width = 5.0 * f32::from(u8::try_from(text.len()).unwrap());
        span
    }

    /// What a heading, a table of two rows and a text become, where they stand at these places.
    fn ordered(heading: (f32, f32), table: (f32, f32), text: (f32, f32)) -> Vec<&'static str> {
        let spans = vec![
            span("2. Staff", heading.0, heading.1),
            span("Item", table.0, table.1),
            span("Amount", table.0 + 60.0, table.1),
            span("a", table.0, table.1 - 15.0),
            span("1", table.0 + 60.0, table.1 - 15.0),
            span("Text of the second chapter,", text.0, text.1),
            span("which is long.", text.0, text.1 - 12.0),
        ];
        let mut rows = Table::new();
        rows.rows = [["Item", "Amount"], ["a", "1"]].map(TableRow::from_strings).to_vec();
        let mut blocks = vec![
            Block::Paragraph(Paragraph::heading("2. Staff", 1)),
            Block::Table(rows),
            Block::Paragraph(Paragraph::with_text("Text of the second chapter, which is long.")),
        ];
        order_tables(&mut blocks, || Some(Rc::new(Lines::of(spans))));
        let kind = |block: &Block| match block {
            Block::Table(_) => "table",
            block if heading_text(block) => "heading",
            _ => "text",
        };
        blocks.iter().map(kind).collect()
    }

    fn heading_text(block: &Block) -> bool {
        super::heading(block).is_some()
    }

    #[test]
    fn a_table_stands_before_the_heading_below_it() {
        assert_eq!(ordered((72.0, 600.0), (200.0, 700.0), (72.0, 580.0)), ["table", "heading", "text"]);
        // As it is where the table is the heading's.
        assert_eq!(ordered((72.0, 720.0), (200.0, 700.0), (72.0, 580.0)), ["heading", "table", "text"]);
        // In the column beside.
        assert_eq!(ordered((72.0, 600.0), (320.0, 700.0), (320.0, 580.0)), ["heading", "table", "text"]);
    }
}
