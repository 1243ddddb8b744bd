//! Running heads: what stands at the top of page after page. Their reader joins one with the first line of the text, and
//! takes one in capitals for a heading.

use std::collections::HashMap;
use std::rc::Rc;

use unpdf::model::Block;

use super::items::parted;
use super::lines::{Line, Lines, solid};

/// Characters of a running head, and letters and digits of it at least.
const HEAD_MAX: usize = 120;
const HEAD_LEAST: usize = 3;
/// Of a page's height, how high a running head stands at least.
const HIGH: f32 = 0.88;
/// How much larger its letters are than those of the text at most, and how far its heights on two pages are apart.
const LARGER_MAX: f32 = 1.3;
const SAME_HEIGHT: f32 = 1.0;
const SAME_SIZE: f32 = 0.2;
/// Pages on which one is looked for in vain, before it is looked for no more.
const VAIN_MAX: u32 = 6;

/// What is known of a document's running heads.
#[derive(Default)]
pub struct Heads {
    /// The letters that the page before begins with.
    before: String,
    /// How high the last one that was found stands, and the size of its letters.
    found: Option<(f32, f32)>,
    vain: u32,
}

impl Heads {
    /// The blocks of a page that is so high, with its running head as a paragraph of its own; `lines` reads those of a page.
    pub fn parted(
        &mut self,
        mut blocks: Vec<Block>,
        (page, height): (u32, f32),
        lines: &mut dyn FnMut(u32) -> Option<Rc<Lines>>,
    ) -> Vec<Block> {
        let Some(Block::Paragraph(first)) = blocks.first() else {
            self.before.clear();
            return blocks;
        };
        let text = solid(&first.plain_text());
        let begin = letters(text.char_indices().nth(HEAD_MAX).map_or(text.as_str(), |(at, _)| &text[..at]));
        let before = std::mem::replace(&mut self.before, begin.clone());
        let is_heading = first.heading_level().is_some();
        let shared = begin.chars().zip(before.chars()).take_while(|(one, other)| one == other).count();
        // On sheets that are printed on both sides, every other page has the same.
        let others = match shared {
            // A paragraph that is as the one before it needs nothing.
            HEAD_LEAST.. if begin != before || is_heading => [page.checked_sub(1), page.checked_add(1)],
            _ if is_heading => [page.checked_add(1), page.checked_add(2)],
            _ => return blocks,
        };
        if self.vain >= VAIN_MAX {
            return blocks;
        }
        let head = lines(page).and_then(|own| {
            let head = top(&own).filter(|(line, _)| line.y >= height * HIGH && line.size <= body(&own) * LARGER_MAX)?;
            // A page's number alone is no head.
            (letters(&head.1).chars().count() >= HEAD_LEAST).then_some(())?;
            let place = (head.0.y, head.0.size);
            let is_as_before = is_heading && self.found.is_some_and(|found| is_same(found, place));
            let is_head = is_as_before
                || others
                    .into_iter()
                    .flatten()
                    .any(|other| lines(other).is_some_and(|other| is_repeated(&head, &other)));
            is_head.then_some((head.1, place))
        });
        let is_more =
            |(head, _): &(String, _)| text.starts_with(head.as_str()) && (is_heading || head.len() < text.len());
        let Some((head, place)) = head.filter(is_more) else {
            self.vain += 1;
            return blocks;
        };
        (self.before, self.found, self.vain) = (letters(&head), Some(place), 0);
        let mut parts = parted(first.clone(), &[head.len()]);
        if let Some(head) = parts.first_mut() {
            head.style.heading_level = None;
        }
        parts.retain(|part| !part.is_empty());
        blocks.splice(..1, parts.into_iter().map(Block::Paragraph));
        blocks
    }
}

/// The first line of a page, with its words without white space.
fn top(lines: &Lines) -> Option<(&Line, String)> {
    let line = lines.all().first()?;
    // The page's number is none of them.
    let texts = line.texts.iter().map(|placed| placed.text.as_str());
    let words: String = texts.filter(|text| text.contains(char::is_alphabetic)).collect();
    words.chars().nth(HEAD_MAX).is_none().then_some((line, words))
}

/// Whether another page has the same line at its top, whatever its numbers are.
fn is_repeated((line, words): &(&Line, String), other: &Lines) -> bool {
    let is_it = |(there, words_there): (&Line, String)| {
        is_same((line.y, line.size), (there.y, there.size)) && letters(words) == letters(&words_there)
    };
    letters(words).chars().count() >= HEAD_LEAST && top(other).is_some_and(is_it)
}

/// Whether lines stand at one height in letters of one size.
fn is_same(one: (f32, f32), other: (f32, f32)) -> bool {
    (one.0 - other.0).abs() <= SAME_HEIGHT && (one.1 - other.1).abs() <= SAME_SIZE
}

/// A text without its digits.
fn letters(text: &str) -> String {
    text.chars().filter(|sign| !sign.is_numeric()).collect()
}

/// The size of most letters of a page.
fn body(lines: &Lines) -> f32 {
    let mut sizes: HashMap<u32, (usize, f32)> = HashMap::new();
    for placed in lines.all().iter().flat_map(|line| &line.texts) {
        sizes.entry(placed.size.to_bits()).or_insert((0, placed.size)).0 += placed.text.len();
    }
    sizes
        .into_values()
        .max_by(|one, other| one.0.cmp(&other.0).then(other.1.total_cmp(&one.1)))
        .map_or(0.0, |(_, size)| size)
}

#[cfg(test)]
mod tests {
    use unpdf::model::Paragraph;

    use super::super::lines::tests::span;
    use super::*;

    /// What pages become that begin with a paragraph, or with a heading, and whose top line stands so high.
    fn told(pages: &[(&str, bool)], tops: &[(&str, f32)]) -> Vec<Vec<String>> {
        let mut heads = Heads::default();
        let mut read = |number: u32| {
            let (text, y) = tops.get(usize::try_from(number).unwrap().checked_sub(1)?)?;
            let spans = vec![span(text, 72.0, *y), span("Words of the text that go on and on.", 72.0, 700.0)];
            Some(Rc::new(Lines::of(spans)))
        };
        let mut tell = |(at, (text, is_heading)): (usize, &(&str, bool))| {
            let first = if *is_heading { Paragraph::heading(*text, 2) } else { Paragraph::with_text(*text) };
            let number = u32::try_from(at).unwrap() + 1;
            let blocks = heads.parted(vec![Block::Paragraph(first)], (number, 800.0), &mut read);
            let tell = |block: &Block| match block {
                Block::Paragraph(paragraph) if paragraph.heading_level().is_some() => {
                    format!("# {}", paragraph.plain_text())
                }
                Block::Paragraph(paragraph) => paragraph.plain_text(),
                _ => String::new(),
            };
            blocks.iter().map(tell).collect()
        };
        pages.iter().enumerate().map(&mut tell).collect()
    }

    #[test]
    fn a_running_head_is_a_paragraph_of_its_own() {
        let tops = [("My Book 1", 770.0), ("My Book 2", 770.0), ("My Book 3", 770.0)];
        let pages = [("My Book 1", false), ("My Book 2 and so on", false), ("My Book 3 It ends.", false)];
        assert_eq!(
            told(&pages, &tops),
            [vec!["My Book 1"], vec!["My Book 2", "and so on"], vec!["My Book 3", "It ends."]]
        );
        let pages = [("MY BOOK", true), ("MY BOOK", true), ("MY BOOK", true)];
        let tops = [("MY BOOK", 770.0); 3];
        assert_eq!(told(&pages, &tops), [["MY BOOK"]; 3]);
        // Another at its place is one as well, and what every other page has.
        let tops = [("MY BOOK", 770.0), ("MY BOOK", 770.0), ("PUMPS", 770.0), ("ROTORS", 740.0)];
        assert_eq!(
            told(&tops.map(|(text, _)| (text, true)), &tops),
            [["MY BOOK"], ["MY BOOK"], ["PUMPS"], ["# ROTORS"]]
        );
        // A chapter begins below its page's number.
        let pages = [("MY BOOK", true), ("MY BOOK", true), ("Chapter Two", true)];
        let tops = [("MY BOOK", 770.0), ("MY BOOK", 770.0), ("3", 770.0)];
        assert_eq!(told(&pages, &tops), [["MY BOOK"], ["MY BOOK"], ["# Chapter Two"]]);
        let tops = [("MY BOOK", 770.0), ("PUMPS", 770.0), ("MY BOOK", 770.0)];
        assert_eq!(told(&tops.map(|(text, _)| (text, true)), &tops), [["MY BOOK"], ["PUMPS"], ["MY BOOK"]]);
    }

    #[test]
    fn a_running_head_is_as_long_in_any_script() {
        let head = "\u{E4}".repeat(100);
        let text = format!("{head} and so on");
        let found = told(&[(&head, false), (&text, false)], &[(&head, 770.0), (&head, 770.0)]);
        assert_eq!(found, [vec![head.as_str()], vec![head.as_str(), "and so on"]]);
    }

    #[test]
    fn headings_and_first_words_of_pages_stay() {
        let pages = [("Results", true), ("Results", true)];
        assert_eq!(told(&pages, &[("Results", 600.0); 2]), [["# Results"]; 2]);
        assert_eq!(told(&pages, &[("Results", 770.0), ("Results", 740.0)]), [["# Results"]; 2]);
        let pages = [("The winter was long.", false), ("The winter was cold.", false)];
        let tops = [("The winter was long.", 770.0), ("The winter was cold.", 770.0)];
        assert_eq!(told(&pages, &tops), [["The winter was long."], ["The winter was cold."]]);
    }
}
