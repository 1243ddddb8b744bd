//! Calls of notes (`text¹`) that their reader took for lines of their own: raised, but in letters as large as the text's.

use std::rc::Rc;

use unpdf::model::{Block, InlineContent, Paragraph};

use super::lines::{Line, Lines, Placed, solid, without_mark};

/// Characters of a call, and blocks of a page that are looked at.
const CALL_MAX: usize = 3;
const BLOCKS_MAX: usize = 50;
/// Of the size of the letters, how far a call is raised at most, and how far it stands from the text that it is in.
const RAISED_MAX: f32 = 0.8;
const BESIDE_MAX: f32 = 0.2;
/// Of the size of the letters, the room that is a blank.
const BLANK: f32 = 0.12;

/// A page's blocks, with calls in the texts that they belong to.
pub fn with_calls(mut blocks: Vec<Block>, lines: impl FnOnce() -> Option<Rc<Lines>>) -> Vec<Block> {
    if !blocks.iter().any(may_be_calls) {
        return blocks;
    }
    let Some(lines) = lines() else { return blocks };
    let found: Vec<usize> =
        blocks.iter().enumerate().filter(|(_, block)| may_be_calls(block)).map(|(at, _)| at).take(BLOCKS_MAX).collect();
    for at in found.into_iter().rev() {
        put(&mut blocks, at, &lines);
    }
    blocks
}

fn text_of(block: &Block) -> Option<String> {
    match block {
        Block::Paragraph(paragraph) => Some(solid(&paragraph.plain_text())),
        _ => None,
    }
}

/// Whether a block is nothing but what may be calls.
fn may_be_calls(block: &Block) -> bool {
    let Block::Paragraph(paragraph) = block else { return false };
    let text = paragraph.plain_text();
    let mut words = text.split_whitespace().peekable();
    !paragraph.is_list_item() && words.peek().is_some() && words.all(is_call)
}

fn is_call(text: &str) -> bool {
    text.chars().count() <= CALL_MAX && text.chars().all(|sign| sign.is_ascii_digit() || "*†‡§¶".contains(sign))
}

/// Puts the calls of a block into the texts of others, and takes it away; not where one of them has no place.
fn put(blocks: &mut Vec<Block>, at: usize, lines: &Lines) {
    let Some(text) = blocks.get(at).and_then(text_of) else { return };
    let whole = |line: &Line| line.texts.iter().map(|placed| placed.text.as_str()).collect::<String>();
    let all = lines.all();
    let found = all.iter().enumerate().filter(|(_, line)| whole(line) == text).find_map(|(index, line)| {
        let below = all.get(index + 1..)?;
        line.texts.iter().map(|call| place(blocks, at, line, call, below)).collect::<Option<Vec<_>>>()
    });
    let Some(mut found) = found else { return };
    // From the last on, so that what stands before stays where it is.
    found.sort_by_key(|place| std::cmp::Reverse((place.block, place.offset)));
    for Place { block, offset, call } in found {
        if let Some(Block::Paragraph(paragraph)) = blocks.get_mut(block) {
            insert(paragraph, offset, &call);
        }
    }
    blocks.remove(at);
}

/// Where a call belongs.
struct Place {
    block: usize,
    /// Behind how many bytes of the block's text that are of no white space.
    offset: usize,
    call: String,
}

fn place(blocks: &[Block], own: usize, line: &Line, call: &Placed, below: &[Line]) -> Option<Place> {
    let near = below.iter().take_while(|below| line.y - below.y <= below.size * RAISED_MAX);
    let (before, behind) = near.into_iter().find_map(|below| {
        let is_beside = |text: &&Placed| (call.left - text.right).abs() <= below.size * BESIDE_MAX;
        let index = below.texts.iter().position(|text| is_beside(&text))?;
        Some((below.texts.get(index)?, below.texts.get(index + 1)))
    })?;
    let key = format!("{}{}", before.text, behind.map_or("", |behind| &behind.text));
    let mut found = blocks.iter().enumerate().filter(|(block, _)| *block != own).filter_map(|(block, one)| {
        let text = text_of(one)?;
        let mut at = text.match_indices(&key).map(|(at, _)| at);
        Some((block, at.next()?, at.next().is_some()))
    });
    let (Some((block, at, false)), None) = (found.next(), found.next()) else { return None };
    let gap = if call.left - before.right > before.size * BLANK { " " } else { "" };
    Some(Place { block, offset: at + before.text.len(), call: format!("{gap}{}", call.written) })
}

/// Writes a text into a paragraph behind so many bytes of its own that are of no white space.
fn insert(paragraph: &mut Paragraph, offset: usize, call: &str) {
    let marker = solid(&paragraph.plain_text()).len() - solid(&without_mark(paragraph)).len();
    let mut left = offset.saturating_sub(marker);
    for part in &mut paragraph.content {
        let text = match part {
            InlineContent::Text(run) => &mut run.text,
            InlineContent::Link { text, .. } => text,
            _ => continue,
        };
        let size = solid(text).len();
        if size < left {
            left -= size;
            continue;
        }
        let mut before = 0;
        let behind = text.char_indices().find_map(|(at, sign)| {
            before += if sign.is_whitespace() { 0 } else { sign.len_utf8() };
            (before >= left).then_some(at + sign.len_utf8())
        });
        if let Some(behind) = behind {
            text.insert_str(behind, call);
        }
        return;
    }
}

#[cfg(test)]
mod tests {
    use super::super::lines::tests::span;
    use super::*;

    fn told(paragraphs: &[&str], texts: &[(&str, f32, f32)]) -> Vec<String> {
        let lines = Lines::of(texts.iter().map(|(text, x, y)| span(text, *x, *y)).collect());
        let blocks = paragraphs.iter().map(|text| Block::Paragraph(Paragraph::with_text(*text))).collect();
        let tell = |block: Block| match block {
            Block::Paragraph(paragraph) => paragraph.plain_text(),
            _ => String::new(),
        };
        with_calls(blocks, || Some(Rc::new(lines))).into_iter().map(tell).collect()
    }

    #[test]
    fn calls_stand_in_the_texts_that_they_are_raised_in() {
        let texts = [
            ("A text with a note", 72.0, 700.0),
            ("1", 162.0, 705.0),
            ("and more of it", 170.0, 700.0),
            ("12", 240.0, 705.0),
            ("It ends here.", 72.0, 688.0),
        ];
        let joined = "A text with a note and more of it It ends here.";
        let right = "A text with a note1 and more of it12 It ends here.";
        assert_eq!(told(&["1 12", joined], &texts), [right]);
        // A number that stands by itself stays, and one whose text is not told.
        let alone = [("7", 300.0, 705.0), ("A text", 72.0, 700.0)];
        assert_eq!(told(&["7", "A text"], &alone), ["7", "A text"]);
        let twice = [("7", 102.0, 705.0), ("A text", 72.0, 700.0), ("A text", 72.0, 600.0)];
        assert_eq!(told(&["7", "A text", "A text"], &twice), ["7", "A text", "A text"]);
    }
}
