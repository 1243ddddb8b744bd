//! Items with bare numbers (`1 Open the valve`), which the PDF's reader takes for lines of one paragraph: a number alone
//! does not tell an item from a figure, its place before a column of texts does.

use std::rc::Rc;

use unpdf::model::{Block, InlineContent, ListInfo, Paragraph, TextRun};

use super::lines::{Line, Lines, solid};

/// Items below this are no list.
const LEAST: usize = 2;
/// Of the size of the letters, the room between a number and its text, and how far columns may be off.
const BESIDE: f32 = 0.4;
const OFF: f32 = 0.3;
/// Digits of an item's number.
const DIGITS_MAX: usize = 3;

/// A line that begins an item.
struct Item<'a> {
    number: u32,
    line: &'a Line,
    left: f32,
    /// Its first words, and where they begin.
    text: &'a str,
    text_left: f32,
}

impl Item<'_> {
    /// Whether letters stand beside its number.
    fn has_words(&self) -> bool {
        let beside = self.line.texts.iter().filter(|placed| placed.left >= self.text_left);
        beside.flat_map(|placed| placed.text.chars()).any(char::is_alphabetic)
    }
}

/// A page's blocks, with paragraphs that are items of a list as these: those that begin with one, and with `all` those
/// that may hold some.
pub fn with_items(blocks: Vec<Block>, all: bool, lines: impl FnOnce() -> Option<Rc<Lines>>) -> Vec<Block> {
    if !blocks.iter().any(|block| may_hold_items(block, all)) {
        return blocks;
    }
    let Some(lines) = lines() else { return blocks };
    let divide = |block: Block| match block {
        Block::Paragraph(paragraph) if paragraph.style.heading_level.is_none() => divided(paragraph, &lines),
        other => vec![other],
    };
    blocks.into_iter().flat_map(divide).collect()
}

fn may_hold_items(block: &Block, all: bool) -> bool {
    let Block::Paragraph(paragraph) = block else { return false };
    let plain = paragraph.heading_level().is_none() && !paragraph.is_list_item();
    let text = paragraph.plain_text();
    plain && holds_numbers(&text) && (all || text.split_whitespace().next() == Some("1"))
}

/// Whether a text holds a lone 1, and a lone 2 behind it.
pub fn holds_numbers(text: &str) -> bool {
    let mut words = text.split_whitespace();
    words.any(|word| word == "1") && words.any(|word| word == "2")
}

/// A paragraph as its items and what follows them; as it is where it has none.
fn divided(paragraph: Paragraph, lines: &Lines) -> Vec<Block> {
    let text = paragraph.plain_text();
    if paragraph.is_list_item() || !holds_numbers(&text) {
        return vec![Block::Paragraph(paragraph)];
    }
    let text = solid(&text);
    let Some((mut starts, end)) = lines.all().iter().find_map(|line| items_from(line, &text, lines)) else {
        return vec![Block::Paragraph(paragraph)];
    };
    // What stands before the first item is none.
    let before = usize::from(starts.first().is_some_and(|start| *start > 0));
    let items = before..before + starts.len();
    starts.extend(end);
    let parts = parted(paragraph, &starts);
    let write = |(at, mut part): (usize, Paragraph)| {
        if items.contains(&at)
            && let Some(number) = without_number(&mut part)
        {
            part.style.list_info = Some(ListInfo::numbered(0, number));
        }
        Block::Paragraph(part)
    };
    parts.into_iter().enumerate().map(write).collect()
}

/// Where items begin in a text without its white space, the first of which stands in this line; and where what follows
/// them does.
fn items_from(line: &Line, text: &str, lines: &Lines) -> Option<(Vec<usize>, Option<usize>)> {
    let (first, start) = items(line).filter(|item| item.number == 1 && begins_line(line, item)).find_map(|item| {
        let at = text.find(&format!("1{}", item.text))?;
        Some((item, at))
    })?;
    let near = |one: f32, other: f32| (one - other).abs() <= line.size * OFF;
    let (mut found, mut starts) = (vec![first], vec![start]);
    for line in lines.below(line.y) {
        let (Some(last), Some(from)) = (found.last(), starts.last()) else { break };
        let next = items(line).find(|item| {
            let aligned = near(item.text_left, last.text_left) && item.left < item.text_left;
            item.number == last.number + 1 && aligned && !item.text.starts_with(char::is_lowercase)
        });
        let Some(next) = next else { continue };
        let Some(at) = text[from + 1..].find(&format!("{}{}", next.number, next.text)) else { break };
        starts.push(from + 1 + at);
        found.push(next);
    }
    let (last, from) = (found.last()?, *starts.last()?);
    // Numbers that leave some out are figures, as those of pages are; and so is what stands before figures alone.
    let below = lines.below(last.line.y).flat_map(items).find(|item| near(item.text_left, last.text_left));
    let leaves_out = below.is_some_and(|next| next.number > last.number + 1);
    let worded = found.iter().filter(|item| item.has_words()).count();
    let is_list = found.len() >= LEAST && !leaves_out && worded * 2 >= found.len();
    is_list.then(|| (starts, lines.end_of(last.line, last.text_left, text, from)))
}

/// Whether nothing stands close before an item's number.
fn begins_line(line: &Line, item: &Item<'_>) -> bool {
    line.texts.iter().all(|placed| placed.left >= item.left || item.left - placed.right >= line.size)
}

/// The numbers with a text beside them that a line holds.
fn items(line: &Line) -> impl Iterator<Item = Item<'_>> {
    line.texts.windows(2).filter_map(|pair| {
        let [number, text] = pair else { return None };
        let is_number = number.text.len() <= DIGITS_MAX && number.text.bytes().all(|sign| sign.is_ascii_digit());
        let is_beside = text.left - number.right >= line.size * BESIDE;
        let value = number.text.parse().ok().filter(|_| is_number && is_beside)?;
        Some(Item { number: value, line, left: number.left, text: &text.text, text_left: text.left })
    })
}

impl Lines {
    /// Where in a text what is no more of its last item begins: a line that begins before the item's text does, though
    /// there was room for its first word in the line above.
    fn end_of(&self, last: &Line, text_left: f32, text: &str, from: usize) -> Option<usize> {
        let right = self.right_of_all();
        let mut above = last;
        for line in self.below(last.y) {
            let first = line.texts.first()?;
            if first.left >= text_left - line.size * OFF {
                above = line;
                continue;
            }
            let word = first.first_word.min(right - first.left);
            let has_room = above.texts.last().is_some_and(|placed| placed.right + word + line.size < right);
            let at = text.get(from + 1..)?.find(&first.text)?;
            return has_room.then_some(from + 1 + at);
        }
        None
    }
}

/// A paragraph's parts, of which the later ones begin at these bytes of its text without white space.
pub fn parted(paragraph: Paragraph, starts: &[usize]) -> Vec<Paragraph> {
    let style = paragraph.style.clone();
    let empty = || Paragraph { content: Vec::new(), style: style.clone() };
    let (mut parts, mut part) = (Vec::new(), empty());
    let mut starts = starts.iter().copied().filter(|start| *start > 0).peekable();
    let mut reached = 0;
    for content in paragraph.content {
        let lone = Paragraph { content: vec![content], ..Paragraph::new() };
        let size = solid(&lone.plain_text()).len();
        for content in lone.content {
            let InlineContent::Text(mut run) = content else {
                if size > 0 && starts.next_if(|start| *start <= reached).is_some() {
                    parts.push(std::mem::replace(&mut part, empty()));
                }
                part.content.push(content);
                continue;
            };
            let mut before = reached;
            while let Some(start) = starts.next_if(|start| *start < reached + size) {
                let (head, rest) = run.text.split_at(place_of(&run.text, start.saturating_sub(before)));
                let head = head.trim_end();
                if !head.is_empty() {
                    part.content.push(InlineContent::Text(TextRun { text: head.to_owned(), ..run.clone() }));
                }
                parts.push(std::mem::replace(&mut part, empty()));
                before = before.max(start);
                run.text = rest.to_owned();
            }
            part.content.push(InlineContent::Text(run));
        }
        reached += size;
    }
    parts.push(part);
    parts
}

/// Where in a text the byte stands that has so many before it that are of no white space.
fn place_of(text: &str, solid: usize) -> usize {
    let mut before = 0;
    let found = text.char_indices().find(|(_, sign)| {
        let is_it = !sign.is_whitespace() && before >= solid;
        before += if sign.is_whitespace() { 0 } else { sign.len_utf8() };
        is_it
    });
    found.map_or(text.len(), |(at, _)| at)
}

/// Takes the number away that an item begins with.
fn without_number(item: &mut Paragraph) -> Option<u32> {
    let Some(InlineContent::Text(run)) = item.content.first_mut() else { return None };
    let text = run.text.trim_start();
    let digits = text.len() - text.trim_start_matches(|sign: char| sign.is_ascii_digit()).len();
    let number = text.get(..digits)?.parse().ok()?;
    run.text = text.get(digits..)?.trim_start().to_owned();
    if run.text.is_empty() {
        item.content.remove(0);
        if let Some(InlineContent::Text(next)) = item.content.first_mut() {
            next.text = next.text.trim_start().to_owned();
        }
    }
    Some(number)
}

#[cfg(test)]
mod tests {
    use super::super::lines::tests::span;
    use super::*;

    fn told(texts: &[(&str, f32, f32)]) -> Vec<String> {
        let spans = texts.iter().map(|(text, x, y)| span(text, *x, *y)).collect();
        let whole: Vec<&str> = texts.iter().map(|(text, ..)| *text).collect();
        let block = Block::Paragraph(Paragraph::with_text(whole.join(" ")));
        let tell = |block: Block| match block {
            Block::Paragraph(paragraph) => paragraph.plain_text(),
            _ => String::new(),
        };
        with_items(vec![block], true, || Some(Rc::new(Lines::of(spans)))).into_iter().map(tell).collect()
    }

    #[test]
    fn numbers_before_a_column_of_texts_are_items() {
        let list = [
            ("1", 72.0, 700.0),
            ("Open the valve", 90.0, 700.0),
            ("2", 72.0, 688.0),
            ("Close all 2 doors and", 90.0, 688.0),
            ("the windows", 90.0, 676.0),
            ("3", 72.0, 664.0),
            ("Call", 90.0, 664.0),
        ];
        let items = ["1. Open the valve", "2. Close all 2 doors and the windows", "3. Call"];
        assert_eq!(told(&list), items);
        let after = [&list[..], &[("After that, all went well and nobody complained", 72.0, 640.0)]].concat();
        assert_eq!(told(&after), [&items[..], &["After that, all went well and nobody complained"]].concat());
        let years = [
            ("1", 72.0, 700.0),
            ("2021", 90.0, 700.0),
            ("estimate", 140.0, 700.0),
            ("2", 72.0, 688.0),
            ("2020", 90.0, 688.0),
            ("estimate", 140.0, 688.0),
        ];
        assert_eq!(told(&years), ["1. 2021 estimate", "2. 2020 estimate"]);
        let before = [&[("Do this:", 72.0, 712.0)][..], &list[..]].concat();
        assert_eq!(told(&before), [&["Do this:"], &items[..]].concat());
    }

    #[test]
    fn figures_and_the_numbers_of_lines_are_none() {
        for texts in [
            [("1 apple and", 72.0, 700.0), ("2 pears cost", 72.0, 688.0), ("3 coins.", 72.0, 676.0)].as_slice(),
            &[("1", 60.0, 700.0), ("The reader of", 90.0, 700.0), ("2", 60.0, 688.0), ("this text has", 90.0, 688.0)],
            &[("1", 72.0, 700.0), ("Open the valve 2", 90.0, 700.0)],
            &[("1", 72.0, 700.0), ("100 200", 90.0, 700.0), ("2", 72.0, 688.0), ("101 201", 90.0, 688.0)],
            &[
                ("1", 72.0, 700.0),
                ("About it", 90.0, 700.0),
                ("2", 72.0, 688.0),
                ("Chapter One", 90.0, 688.0),
                ("15", 72.0, 676.0),
                ("Chapter Two", 90.0, 676.0),
            ],
        ] {
            assert_eq!(told(texts).len(), 1, "{texts:?}");
        }
    }
}
