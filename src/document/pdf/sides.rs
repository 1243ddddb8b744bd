//! Narrow columns beside the text, of notes, of dates or of key words, in smaller letters and lines of their own: the reader
//! takes their lines for parts of those of the text where they stand beside these. They are put behind the page's text.

use std::collections::HashSet;
use std::rc::Rc;

use unpdf::model::{Block, InlineContent, Paragraph};

use super::hosts::homes;
use super::lines::{Line, Lines, Placed, middle};
use super::scripts::{Found, Search};
use super::splice::{Cut, spliced};

/// Paragraphs of a page that seem to go on in the next one, at least.
const BROKEN_LEAST: usize = 3;
/// Texts of a page that are looked at, and lines of the text and of a column beside it, at least.
const TEXTS_MAX: usize = 20_000;
const MAIN_LEAST: usize = 8;
const SIDE_LEAST: usize = 3;
/// Of the width of all texts, that of a line of the text at least; of the width of that, that of a column beside it at most.
const WIDE: f32 = 0.55;
const NARROW: f32 = 0.42;
/// Of the size of the letters, the gap in a line that ends a part of it, the room beside the text, and how far two texts of
/// one height are off each other.
const GAP: f32 = 1.2;
const ROOM: f32 = 0.6;
const OFF: f32 = 0.12;
/// Of the size of the text's letters, that of those beside it at most.
const SMALLER: f32 = 0.98;
/// Of lines, the share that ends where a column of the text does, and that of lines beside it that begin or end at one place.
const EDGE: f32 = 0.9;
const ALIGNED: f32 = 0.8;
/// Of the size of letters, how far these places are off each other.
const ALIKE: f32 = 0.3;
/// Letters of a line beside the text, on average, and of a text that is not taken for another of the page.
const LETTERS: usize = 5;
const LONG: usize = 12;
/// Of the distance of two lines, that of two of one paragraph at most; of the size of letters, the same beside the text.
const NEXT: f32 = 1.2;
const BELOW: f32 = 1.9;
/// Of the size of the letters, how far a line begins further right that begins a paragraph.
const INDENT: f32 = 0.5;

/// A page's blocks, with what stands beside the text behind it.
pub fn with_sides(blocks: Vec<Block>, lines: impl FnOnce() -> Option<Rc<Lines>>) -> Vec<Block> {
    if !may_be_woven(&blocks) {
        return blocks;
    }
    let Some(lines) = lines() else { return blocks };
    let Some(page) = Page::of(&lines) else { return blocks };
    page.parted(blocks, &lines)
}

/// Whether several paragraphs end within a sentence that goes on behind them.
fn may_be_woven(blocks: &[Block]) -> bool {
    let text = |part: &'_ InlineContent| match part {
        InlineContent::Text(run) => Some(run.text.chars().next().zip(run.text.trim_end().chars().next_back())),
        InlineContent::Link { text, .. } => Some(text.chars().next().zip(text.trim_end().chars().next_back())),
        _ => None,
    };
    // How each begins and ends.
    let signs = |block: &Block| match block {
        Block::Paragraph(paragraph) if !paragraph.is_list_item() => {
            let (first, _) = paragraph.content.iter().find_map(text)??;
            let (_, last) = paragraph.content.iter().rev().find_map(text)??;
            Some((first.is_lowercase(), last.is_alphanumeric() || matches!(last, ',' | '-')))
        }
        _ => None,
    };
    let mut broken = 0;
    let mut open = [false; 2];
    for (goes_on, is_open) in blocks.iter().filter_map(signs) {
        broken += usize::from(goes_on && open.contains(&true));
        open = [open[1], is_open];
    }
    broken >= BROKEN_LEAST
}

/// The column of a page's text, and what stands beside it.
struct Page<'a> {
    all: Vec<&'a Placed>,
    /// Which of them stand beside the text.
    sides: Vec<bool>,
    /// Which are not taken for others.
    sure: Vec<bool>,
    left: f32,
    right: f32,
    size: f32,
    pitch: f32,
}

impl<'a> Page<'a> {
    /// `None` where nothing stands beside its text, or that is none of one column.
    fn of(lines: &'a Lines) -> Option<Page<'a>> {
        let all: Vec<&Placed> = lines.all().iter().flat_map(|line| &line.texts).collect();
        if all.len() > TEXTS_MAX {
            return None;
        }
        let size = middle(all.iter().map(|placed| (placed.size, placed.text.chars().count())))?;
        let (from, to) =
            all.iter().fold((f32::MAX, f32::MIN), |(from, to), text| (from.min(text.left), to.max(text.right)));
        let is_main = |part: &&[Placed]| extent(part).is_some_and(|(left, right)| right - left >= (to - from) * WIDE);
        let parts: Vec<(f32, &[Placed])> =
            lines.all().iter().flat_map(|line| parts(line).filter(is_main).map(|part| (line.y, part))).collect();
        let own = |(_, part): &&(f32, &[Placed])| part.iter().any(|text| (text.size - size).abs() <= size * OFF);
        let main: Vec<(f32, (f32, f32))> =
            parts.iter().filter(own).filter_map(|(y, part)| Some((*y, extent(part)?))).collect();
        if main.len() < MAIN_LEAST {
            return None;
        }
        let left = edge(main.iter().map(|(_, (left, _))| -left).collect()).map(|left| -left)?;
        let right = edge(main.iter().map(|(_, (_, right))| *right).collect())?;
        let (top, bottom) = (main.first()?.0 + size, main.last()?.0 - size);
        let pitch = middle(main.windows(2).filter_map(|pair| Some((pair.first()?.0 - pair.get(1)?.0, 1))))?;
        let is_beside = |text: &&Placed| {
            let room = size * ROOM;
            let is_free = text.right <= left - room || text.left >= right + room;
            is_free && text.size <= size * SMALLER && (bottom..=top).contains(&text.y)
        };
        let homes = homes(lines, &all);
        let sides: Vec<bool> =
            all.iter().enumerate().map(|(at, text)| is_beside(text) && !homes.contains_key(&at)).collect();
        // What the text says, too, may be found in that.
        let elsewhere: HashSet<&str> =
            all.iter().zip(&sides).filter(|(_, is)| !**is).map(|(text, _)| text.text.as_str()).collect();
        let is_sure = |text: &&Placed| text.text.chars().nth(LONG).is_some() || !elsewhere.contains(text.text.as_str());
        let sure = all.iter().map(is_sure).collect();
        let page = Page { all, sides, sure, left, right, size, pitch };
        page.is_certain(&main).then_some(page)
    }

    /// Whether what stands beside the text has lines of its own: what belongs to lines of the text stands in them.
    fn is_certain(&self, main: &[(f32, (f32, f32))]) -> bool {
        let is_left = |text: &Placed| text.right <= self.left;
        [true, false].into_iter().any(|of_left| {
            let side = self.beside().filter(|text| is_left(text) == of_left);
            let mut lines: Vec<(f32, f32, f32)> = Vec::new();
            let mut letters = 0;
            for text in side {
                letters += text.text.chars().filter(|sign| sign.is_alphabetic()).count();
                match lines.last_mut().filter(|(y, ..)| y - text.y <= text.size * OFF) {
                    Some((_, left, right)) => (*left, *right) = (left.min(text.left), right.max(text.right)),
                    None => lines.push((text.y, text.left, text.right)),
                }
            }
            let is_of_line = |y: f32| main.iter().any(|(line, _)| (line - y).abs() <= self.size * OFF);
            let shared = lines.iter().filter(|(y, ..)| is_of_line(*y)).count();
            let from = lines.iter().map(|(_, left, _)| *left).fold(f32::MAX, f32::min);
            let to = lines.iter().map(|(.., right)| *right).fold(f32::MIN, f32::max);
            let is_narrow = to - from <= (self.right - self.left) * NARROW;
            let is_aligned = self.is_aligned(lines.iter().map(|(_, left, _)| *left).collect())
                || self.is_aligned(lines.iter().map(|(.., right)| *right).collect());
            let is_words = letters >= lines.len() * LETTERS;
            lines.len() >= SIDE_LEAST && shared * 2 <= lines.len() && is_narrow && is_aligned && is_words
        })
    }

    /// Whether most places are one.
    #[allow(clippy::cast_precision_loss)]
    fn is_aligned(&self, places: Vec<f32>) -> bool {
        let count = places.len() as f32;
        let most = middle(places.iter().map(|place| (*place, 1)));
        let alike = |place: f32| places.iter().filter(|other| (place - **other).abs() <= self.size * ALIKE).count();
        most.is_some_and(|most| alike(most) as f32 >= count * ALIGNED)
    }

    /// What stands beside the text, from the top down.
    fn beside(&self) -> impl Iterator<Item = &'a Placed> {
        self.all.iter().zip(&self.sides).filter(|(_, is)| **is).map(|(text, _)| *text)
    }

    /// Which of a block's texts stand beside the text: those that surely do, and those next to them.
    fn beside_in(&self, found: &[Found]) -> Vec<bool> {
        let of = |which: &[bool], one: &Found| which.get(one.text).copied().unwrap_or(false);
        let mut are: Vec<bool> = found.iter().map(|one| of(&self.sides, one) && of(&self.sure, one)).collect();
        let mut spread = |order: &mut dyn Iterator<Item = usize>| {
            let mut last = false;
            for at in order {
                let Some((is, one)) = are.get_mut(at).zip(found.get(at)) else { continue };
                *is = *is || last && of(&self.sides, one);
                last = *is;
            }
        };
        spread(&mut (0..found.len()));
        spread(&mut (0..found.len()).rev());
        are
    }

    fn parted(&self, blocks: Vec<Block>, lines: &Lines) -> Vec<Block> {
        let homes = homes(lines, &self.all);
        let mut search = Search::of(&self.all, &homes);
        let found: Vec<Vec<Found>> = blocks.iter().map(|block| search.found(block)).collect();
        let are: Vec<Vec<bool>> = found.iter().map(|found| self.beside_in(found)).collect();
        let is_apart = |at: usize| are.get(at).is_some_and(|are| !are.is_empty() && are.iter().all(|is| *is));
        let is_woven = |at: usize| !is_apart(at) && are.get(at).is_some_and(|are| are.contains(&true));
        let ends: Vec<Option<Ends<'a>>> = found.iter().zip(&are).map(|(found, are)| self.ends(found, are)).collect();
        // Whether the text goes on behind a block that stands beside it.
        let parts_text = |at: usize| {
            let before = ends.get(..at).unwrap_or_default().iter().rev().flatten().next();
            let behind = ends.get(at..).unwrap_or_default().iter().flatten().next();
            is_apart(at) && before.zip(behind).is_some_and(|(before, behind)| self.goes_on(before.1, behind.0))
        };
        if !(0..blocks.len()).any(|at| is_woven(at) || parts_text(at)) {
            return blocks;
        }
        let (mut made, mut sides): (Vec<(Block, Option<Ends<'a>>)>, Vec<usize>) = Default::default();
        for (at, mut block) in blocks.into_iter().enumerate() {
            let own = found.get(at).into_iter().flatten().zip(are.get(at).into_iter().flatten());
            let own: Vec<&Found> = own.filter(|(_, is)| **is).map(|(one, _)| one).collect();
            sides.extend(own.iter().map(|one| one.text));
            if is_apart(at) {
                continue;
            }
            if let Block::Paragraph(paragraph) = &mut block
                && !own.is_empty()
            {
                let cut = |one: &&Found| Cut { range: one.start..one.start + one.size, unlinked: false };
                spliced(paragraph, own.iter().map(cut).collect(), Vec::new());
            }
            let ends = ends.get(at).copied().flatten();
            match (made.last_mut(), ends, &mut block) {
                (Some((Block::Paragraph(before), Some(last))), Some(next), Block::Paragraph(paragraph))
                    if is_plain(before) && is_plain(paragraph) && self.goes_on(last.1, next.0) =>
                {
                    if !before.plain_text().ends_with(char::is_whitespace) {
                        before.content.push(InlineContent::Text(unpdf::model::TextRun::new(" ")));
                    }
                    before.content.append(&mut paragraph.content);
                    *last = (last.0, next.1);
                }
                _ => made.push((block, ends)),
            }
        }
        sides.sort_unstable();
        let beside = self.paragraphs(&sides);
        made.into_iter().map(|(block, _)| block).chain(beside).collect()
    }

    /// Where the text of a block begins and ends.
    fn ends(&self, found: &[Found], are: &[bool]) -> Option<Ends<'a>> {
        let texts =
            found.iter().zip(are).filter(|(_, is)| !**is).filter_map(|(one, _)| self.all.get(one.text).copied());
        let mut texts = texts.filter(|text| (text.size - self.size).abs() <= self.size * OFF);
        let first = texts.next()?;
        Some((first, texts.next_back().unwrap_or(first)))
    }

    /// Whether what begins so goes on from what ends so, in the next line.
    fn goes_on(&self, last: &Placed, next: &Placed) -> bool {
        let below = last.y - next.y;
        let is_next = below > 0.0 && below <= self.pitch * NEXT;
        let same_line = below.abs() <= self.size * OFF && next.left >= last.right - self.size;
        is_next && next.left <= self.left + self.size * INDENT || same_line
    }

    /// The paragraphs of what stands beside the text, each side for itself.
    fn paragraphs(&self, sides: &[usize]) -> Vec<Block> {
        let texts: Vec<&Placed> = sides.iter().filter_map(|text| self.all.get(*text).copied()).collect();
        let (left, right): (Vec<&Placed>, Vec<&Placed>) = texts.into_iter().partition(|text| text.right <= self.left);
        let mut made: Vec<String> = Vec::new();
        for side in [left, right] {
            let mut last: Option<&Placed> = None;
            for text in side {
                match (last, made.last_mut()) {
                    (Some(before), Some(paragraph)) if before.y - text.y <= before.size.max(text.size) * BELOW => {
                        paragraph.push(' ');
                        paragraph.push_str(&text.written);
                    }
                    _ => made.push(text.written.clone()),
                }
                last = Some(text);
            }
        }
        made.into_iter().map(|text| Block::Paragraph(Paragraph::with_text(text))).collect()
    }
}

/// The first and the last text of a block.
type Ends<'a> = (&'a Placed, &'a Placed);

/// Where most of places end.
#[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss)]
fn edge(mut places: Vec<f32>) -> Option<f32> {
    places.sort_by(f32::total_cmp);
    places.get((places.len() as f32 * EDGE) as usize).or(places.last()).copied()
}

fn is_plain(paragraph: &Paragraph) -> bool {
    paragraph.heading_level().is_none() && !paragraph.is_list_item()
}

/// Where texts of a line begin and end.
fn extent(texts: &[Placed]) -> Option<(f32, f32)> {
    let right = texts.iter().map(|text| text.right).fold(f32::MIN, f32::max);
    texts.first().map(|first| (first.left, right))
}

/// The parts of a line that wide gaps part.
fn parts(line: &Line) -> impl Iterator<Item = &[Placed]> {
    line.texts.chunk_by(|one, next| next.left - one.right <= one.size.max(next.size) * GAP)
}

#[cfg(test)]
mod tests {
    use super::super::lines::tests::span;
    use super::*;

    /// What a page becomes whose text stands in lines 12 apart, with smaller ones beside it so far right and so far apart.
    fn told(left: f32, pitch: f32, beside: &[&str], read: &[&str]) -> Vec<String> {
        let words = "words of a long line of the text that ends with no";
        let line = |number: u8| format!("{} {words} {number}", ["and", "the"][usize::from(number % 2)]);
        let at = |number: u8| span(&line(number), 150.0, 700.0 - 12.0 * f32::from(number));
        let mut spans: Vec<_> = (0..10).map(at).collect();
        for (number, text) in (0u8..).zip(beside) {
            let mut one = span(text, left, 695.0 - pitch * f32::from(number));
            (one.font_size, one.width) = (8.0, one.width * 0.8);
            spans.push(one);
        }
        let mut blocks: Vec<Block> = Vec::new();
        for part in read {
            let text = part.split(' ').map(|word| word.parse::<u8>().map_or_else(|_| word.replace('_', " "), line));
            blocks.push(Block::Paragraph(Paragraph::with_text(text.collect::<Vec<_>>().join(" "))));
        }
        let made = with_sides(blocks, || Some(Rc::new(Lines::of(spans))));
        let tell = |block: &Block| match block {
            Block::Paragraph(paragraph) => {
                (0u8..10).fold(paragraph.plain_text(), |text, number| text.replace(&line(number), &number.to_string()))
            }
            _ => String::new(),
        };
        made.iter().map(tell).collect()
    }

    const NOTES: [&str; 4] = ["Received in May", "Accepted in June", "Published in July", "Corrected in 8"];
    const READ: [&str; 6] =
        ["0", "Received_in_May 1", "2 Accepted_in_June", "Published_in_July", "3 4", "5 Corrected_in_8 6 7 8 9"];

    #[test]
    fn notes_beside_the_text_stand_behind_it() {
        let notes = NOTES.join(" ");
        let expected = ["0 1 2 3 4 5 6 7 8 9", notes.as_str()];
        assert_eq!(told(60.0, 13.0, &NOTES, &READ), expected);
        assert_eq!(told(450.0, 13.0, &NOTES, &READ), expected);
        // Far apart, they are paragraphs of their own.
        assert_eq!(told(60.0, 17.0, &NOTES, &READ)[1..], NOTES);
    }

    #[test]
    fn what_belongs_to_lines_of_the_text_stays() {
        let same = READ.map(|part| part.replace('_', " "));
        // Over the text, figures, and too few.
        assert_eq!(told(160.0, 13.0, &NOTES, &READ), same);
        let numbers = ["1.5", "2.5", "3.5", "4.5"];
        let read = ["0", "1.5 1", "2 2.5", "3.5", "3 4", "5 4.5 6 7 8 9"];
        assert_eq!(told(60.0, 13.0, &numbers, &read), read);
        let read = ["0", "Received_in_May 1", "2 Accepted_in_June", "3 4", "5 6 7 8 9"];
        assert_eq!(told(60.0, 13.0, &NOTES[..2], &read), read.map(|part| part.replace('_', " ")));
    }
}
