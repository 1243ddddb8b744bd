//! Headings and items that the PDF's reader joined with what stands below them.

use std::rc::Rc;

use unpdf::model::{Block, Paragraph};

use super::items::parted;
use super::lines::{Lines, solid, without_mark};
use super::rows::Row;

/// Characters of an item from which on more than it may be in it.
const ITEM_LEAST: usize = 30;
/// Letters and digits of a heading.
const HEADING_LEAST: usize = 3;
/// Of the size of their letters, how far the lines of one heading are apart at most; and where they begin at one place or
/// are centred on one, and how far off that is at most.
const HEADING_PITCH: f32 = 1.4;
const ALIGNED_PITCH: f32 = 2.0;
const ALIGNED: f32 = 0.5;
/// How much larger the letters of a heading are than those of one below it.
const SMALLER: f32 = 0.9;
/// Of the size of the letters, the distance of lines, and how much more parts paragraphs.
const PITCH: f32 = 1.25;
const MORE: f32 = 1.25;
/// Of the size of the letters, how far left of an item's text a line begins that is none of it, and the room that its
/// first word had in the line above at least.
const OFF: f32 = 0.3;
const ROOM: f32 = 0.3;
const UNEVEN: f32 = 3.0;
/// What a sentence ends with.
pub const ENDS: &[char] = &['.', '!', '?', ';', ')', '"', '”', '»', '。'];
/// Digits of a heading's number, between its points.
const DIGITS_MAX: usize = 2;

/// A page's blocks, with headings and items of a list without what is none of them: headings with a number within, and
/// with `all` whatever may hold more than itself.
pub fn parted_blocks(blocks: Vec<Block>, all: bool, lines: impl FnOnce() -> Option<Rc<Lines>>) -> Vec<Block> {
    let is_last = |at: usize| !blocks.get(at + 1).is_some_and(is_item);
    if !blocks.iter().enumerate().any(|(at, block)| may_hold_more(block, all, is_last(at))) {
        return blocks;
    }
    let Some(lines) = lines() else { return blocks };
    let items: Vec<Vec<Row<'_>>> = blocks.iter().filter_map(|block| rows_of_item(block, &lines)).collect();
    let is_hanging = is_hanging(&items);
    let mut made = Vec::with_capacity(blocks.len());
    for block in blocks {
        match block {
            Block::Paragraph(paragraph) if paragraph.heading_level().is_some() => {
                made.extend(headings(paragraph, &lines));
            }
            Block::Paragraph(paragraph) if paragraph.is_list_item() => made.extend(item(paragraph, &lines, is_hanging)),
            other => made.push(other),
        }
    }
    made
}

fn is_item(block: &Block) -> bool {
    matches!(block, Block::Paragraph(paragraph) if paragraph.is_list_item())
}

fn may_hold_more(block: &Block, all: bool, is_last: bool) -> bool {
    let Block::Paragraph(paragraph) = block else { return false };
    let text = paragraph.plain_text();
    let is_upper = |word: &str| word.starts_with(char::is_uppercase);
    if paragraph.heading_level().is_some() {
        let words: Vec<&str> = text.split_whitespace().collect();
        let numbered = |pair: &[&str]| matches!(pair, [number, word] if is_number(number) && is_upper(word));
        return words.get(1..).unwrap_or_default().windows(2).any(numbered) || all && words.len() > 1;
    }
    let has_more = || text.len() >= ITEM_LEAST && text.split_whitespace().skip(2).any(is_upper);
    all && is_last && paragraph.is_list_item() && has_more()
}

/// The lines of an item.
fn rows_of_item<'l>(block: &Block, lines: &'l Lines) -> Option<Vec<Row<'l>>> {
    let Block::Paragraph(paragraph) = block else { return None };
    paragraph.is_list_item().then(|| lines.rows_of(&solid(&without_mark(paragraph)))).flatten()
}

/// Whether the later lines of items begin below their texts, and not below their marks; `None` where that is not told.
fn is_hanging(items: &[Vec<Row<'_>>]) -> Option<bool> {
    let below = |rows: &Vec<Row<'_>>| {
        let (first, second) = (rows.first().filter(|row| row.is_bare)?, rows.get(1)?);
        Some(second.left() >= first.left() - second.size * OFF)
    };
    let found: Vec<bool> = items.iter().filter_map(below).collect();
    let hanging = found.iter().filter(|hangs| **hangs).count();
    // One that does not may be the one that holds more.
    match found.len() - hanging {
        0 | 1 if hanging > 0 => Some(true),
        0 | 1 => None,
        others => Some(hanging > others),
    }
}

/// A heading, or those that it is of.
fn headings(paragraph: Paragraph, lines: &Lines) -> Vec<Block> {
    let text = solid(&paragraph.plain_text());
    let Some(rows) = lines.rows_of(&text) else { return vec![Block::Paragraph(paragraph)] };
    let right = lines.right_of_all();
    let pitch = rows.windows(2).filter_map(|pair| Some(pair.first()?.y - pair.get(1)?.y)).fold(f32::MAX, f32::min);
    let begins = |pair: &[Row<'_>]| {
        let [above, row] = pair else { return None };
        let size = above.size.max(row.size);
        let has_room = above.right() + row.first_word() + size < right;
        let below = above.y - row.y;
        // Of several lines the closest tell how far apart those of one heading are.
        let is_apart = match rows.len() {
            2 if is_aligned(above, row) => below > size * ALIGNED_PITCH,
            2 => below > size * HEADING_PITCH,
            _ => below > size * HEADING_PITCH && below > pitch * MORE,
        };
        let is_next =
            has_room && (is_apart || goes_on(&above.solid(), &row.solid())) || (above.size - row.size).abs() >= SMALLER;
        let solid = row.solid();
        let is_title = |text: &str| text.chars().filter(|sign| sign.is_alphanumeric()).count() >= HEADING_LEAST;
        let says = is_title(&solid) && is_title(&above.solid()) && !solid.starts_with(char::is_lowercase);
        // A number over its title is no heading of its own.
        (is_next && says && !is_number(&above.solid())).then_some((row.start, above.size - row.size))
    };
    let found: Vec<(usize, f32)> = rows.windows(2).filter_map(begins).collect();
    if found.is_empty() {
        return vec![Block::Paragraph(paragraph)];
    }
    let starts: Vec<usize> = found.iter().map(|(start, _)| *start).collect();
    let mut level = paragraph.heading_level().unwrap_or(1);
    let steps = std::iter::once(0.0).chain(found.iter().map(|(_, smaller)| *smaller));
    let write = |(mut part, smaller): (Paragraph, f32)| {
        if smaller >= SMALLER {
            level = (level + 1).min(6);
        }
        part.style.heading_level = Some(level);
        Block::Paragraph(part)
    };
    parted(paragraph, &starts).into_iter().zip(steps).map(write).collect()
}

/// Whether a text is the number of a heading and no more.
fn is_number(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|sign| sign.is_ascii_digit() || ".)§".contains(sign))
}

/// Whether lines begin at one place, or are centred on one.
fn is_aligned(above: &Row<'_>, row: &Row<'_>) -> bool {
    let near = |one: f32, other: f32| (one - other).abs() <= above.size.max(row.size) * ALIGNED;
    let middle = |row: &Row<'_>| f32::midpoint(row.left(), row.right());
    near(above.left(), row.left()) || near(middle(above), middle(row))
}

/// Whether a line begins with the number of a heading that comes after the heading above it, both without white space:
/// `2Methods` before `2.1Data`, any title before `1Introduction`.
fn goes_on(above: &str, row: &str) -> bool {
    let (before, number) = (number(above), number(row));
    let Some((last, outer)) = number.split_last() else { return false };
    let is_first = *last <= 1 && (before.is_empty() || before == outer);
    let is_next = outer.len() < before.len()
        && before.starts_with(outer)
        && before.get(outer.len()) == Some(&(last.wrapping_sub(1)));
    is_first || is_next
}

/// The number of a heading that a text without white space begins with: `2.1Methods`.
fn number(text: &str) -> Vec<u32> {
    let number = &text[..text.len() - text.trim_start_matches(|sign: char| sign.is_ascii_digit() || sign == '.').len()];
    let is_part = |part: &str| (1..=DIGITS_MAX).contains(&part.len());
    let parts = || number.trim_end_matches('.').split('.');
    let is_number = parts().all(is_part) && text[number.len()..].starts_with(char::is_uppercase);
    if is_number { parts().filter_map(|part| part.parse().ok()).collect() } else { Vec::new() }
}

/// An item, and the paragraph behind it that its reader took for more of it.
fn item(mut paragraph: Paragraph, lines: &Lines, is_hanging: Option<bool>) -> Vec<Block> {
    let text = solid(&without_mark(&paragraph));
    let end = lines.rows_of(&text).and_then(|rows| end_of(&rows, lines, is_hanging));
    let Some(end) = end else { return vec![Block::Paragraph(paragraph)] };
    let info = paragraph.style.list_info.take();
    let mut parts = parted(paragraph, &[end]);
    if let Some(first) = parts.first_mut() {
        first.style.list_info = info;
    }
    parts.into_iter().map(Block::Paragraph).collect()
}

/// Where in an item's text what is no more of it begins: a line that begins before the item's text does or stands
/// further below, though there was room for its first word in the line above.
fn end_of(rows: &[Row<'_>], lines: &Lines, is_hanging: Option<bool>) -> Option<usize> {
    let first = rows.first()?;
    let text_left = Some(first.left()).filter(|_| first.is_bare && is_hanging != Some(false));
    let right = lines.right_of(rows.get(1).map_or(first.left(), Row::left));
    let mut pitch = first.size * PITCH;
    rows.windows(2).find_map(|pair| {
        let [above, row] = pair else { return None };
        let below = above.y - row.y;
        let ends = above.start == 0 || above.solid().ends_with(ENDS);
        let is_before = text_left.is_some_and(|left| row.left() < left - row.size * OFF);
        let is_below = below > pitch * MORE;
        pitch = pitch.min(below.max(row.size));
        // Lines of an uneven edge leave room, too.
        let room = if is_hanging == Some(true) { ROOM } else { UNEVEN };
        let has_room = above.right() + row.first_word() + row.size * room < right;
        let begins = !row.solid().starts_with(char::is_lowercase);
        (begins && ends && has_room && (is_before || is_below)).then_some(row.start)
    })
}

#[cfg(test)]
mod tests {
    use super::super::lines::tests::span;
    use super::*;
    use unpdf::model::ListInfo;

    fn told(block: Paragraph, texts: &[(&str, f32, f32, f32)]) -> Vec<String> {
        let spans = texts.iter().map(|(text, x, y, size)| {
            let mut span = span(text, *x, *y);
            span.font_size = *size;
            span
        });
        let lines = Lines::of(spans.collect());
        let tell = |block: Block| match block {
            Block::Paragraph(paragraph) => {
                let level = paragraph.heading_level().map_or(String::new(), |level| format!("{level} "));
                level + &paragraph.plain_text()
            }
            _ => String::new(),
        };
        parted_blocks(vec![Block::Paragraph(block)], true, || Some(Rc::new(lines))).into_iter().map(tell).collect()
    }

    #[test]
    fn a_paragraph_below_the_last_item_is_none_of_it() {
        let item = |text: &str| {
            let mut item = Paragraph::with_text(text);
            item.style.list_info = Some(ListInfo::bullet(0));
            item
        };
        let next = "This paragraph follows the list and is long enough to end at the right.";
        let list = [("•", 72.0, 700.0, 10.0), ("Third item", 90.0, 700.0, 10.0), (next, 72.0, 688.0, 10.0)];
        let whole = format!("Third item {next}");
        assert_eq!(told(item(&whole), &list), ["• Third item", next]);
        // As is a line that stands further below, where the mark is in one text with the item.
        let list = [("• Third item", 72.0, 700.0, 10.0), (next, 72.0, 680.0, 10.0)];
        assert_eq!(told(item(&whole), &list), ["• Third item", next]);
        // What goes on in the next line is more of it.
        let list = [("•", 72.0, 700.0, 10.0), (next, 90.0, 700.0, 10.0), ("It goes on.", 72.0, 688.0, 10.0)];
        assert_eq!(told(item(&format!("{next} It goes on.")), &list).len(), 1);
        let list =
            [("•", 72.0, 700.0, 10.0), ("One: Two", 90.0, 700.0, 10.0), ("Three lines of it", 90.0, 688.0, 10.0)];
        assert_eq!(told(item("One: Two Three lines of it"), &list).len(), 1);
    }

    #[test]
    fn a_heading_goes_on_from_the_one_above() {
        for (above, row) in [
            ("Title", "1Introduction"),
            ("Title", "3.1Data"),
            ("2Methods", "2.1Data"),
            ("2.3A", "2.4B"),
            ("2.3A", "3B"),
        ] {
            assert!(goes_on(above, row), "{above}, {row}");
        }
        for (above, row) in
            [("Title", "2Winters"), ("2A", "4B"), ("2A", "3.2B"), ("2.1A", "2.1B"), ("A", "B"), ("1A", "1998B")]
        {
            assert!(!goes_on(above, row), "{above}, {row}");
        }
    }

    #[test]
    fn headings_that_stand_apart_are_several() {
        let heading = |text: &str| Paragraph::heading(text, 1);
        let body = ("A line of the text that ends where the lines of this page do at the most.", 72.0, 600.0, 10.0);
        let apart = [("Report on things", 234.0, 696.0, 18.0), ("1 Introduction", 78.0, 668.0, 18.0), body];
        assert_eq!(
            told(heading("Report on things 1 Introduction"), &apart),
            ["1 Report on things", "1 1 Introduction"]
        );
        let smaller = [("Methods", 72.0, 700.0, 18.0), ("Data and tools", 72.0, 678.0, 16.0), body];
        assert_eq!(told(heading("Methods Data and tools"), &smaller), ["1 Methods", "2 Data and tools"]);
        let numbered = [("2 Methods", 72.0, 700.0, 14.0), ("2.1 Data", 72.0, 683.0, 14.0), body];
        assert_eq!(told(heading("2 Methods 2.1 Data"), &numbered), ["1 2 Methods", "1 2.1 Data"]);
        let wrapped = [("A heading that is long and", 72.0, 700.0, 18.0), ("goes on", 72.0, 678.0, 18.0), body];
        assert_eq!(told(heading("A heading that is long and goes on"), &wrapped).len(), 1);
        // Lines that begin at one place or are centred on one are of one title, whatever numbers it holds.
        for lefts in [(72.0, 72.0), (117.0, 162.0)] {
            let loose = [("Winter in the harbours of", lefts.0, 700.0, 18.0), ("Northern", lefts.1, 672.0, 18.0), body];
            assert_eq!(told(heading("Winter in the harbours of Northern"), &loose).len(), 1, "{lefts:?}");
        }
        let three = [
            ("Winter in the harbours of", 117.0, 700.0, 18.0),
            ("Northern", 162.0, 678.0, 18.0),
            ("Preface", 165.0, 650.0, 18.0),
            body,
        ];
        let parts = ["1 Winter in the harbours of Northern", "1 Preface"];
        assert_eq!(told(heading("Winter in the harbours of Northern Preface"), &three), parts);
        let years = [("All of the Methods", 72.0, 700.0, 18.0), ("2 Winters Later", 72.0, 678.0, 18.0), body];
        assert_eq!(told(heading("All of the Methods 2 Winters Later"), &years).len(), 1);
        let number = [("2", 72.0, 700.0, 18.0), ("Methods and Data", 72.0, 670.0, 18.0), body];
        assert_eq!(told(heading("2 Methods and Data"), &number).len(), 1);
    }
}
