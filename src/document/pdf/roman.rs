//! Roman numbers of pages, as the pages before the first chapter of a book have them: their reader leaves numbers in digits
//! out, and takes these for text or headings.

use std::rc::Rc;

use unpdf::model::Block;

use super::lines::Lines;
use crate::document::page::of_roman;

/// Of a page's height, how high its number stands at most.
const LOW: f32 = 0.15;
/// Pages on which one is looked for in vain, before it is looked for no more.
const VAIN_MAX: u32 = 6;

/// What is known of a document's Roman numbers.
#[derive(Default)]
pub struct Romans {
    /// The last page that had one, and this.
    before: Option<(u32, Roman)>,
    vain: u32,
}

/// A Roman number, and whether it stands in small signs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Roman {
    number: u32,
    is_small: bool,
}

impl Roman {
    /// One that stands alone in a text.
    fn alone(text: &str) -> Option<Roman> {
        let text = text.trim();
        let is_small = text.chars().all(|sign| sign.is_ascii_lowercase());
        let number = of_roman(text).filter(|_| is_small || text.chars().all(|sign| sign.is_ascii_uppercase()))?;
        Some(Roman { number, is_small })
    }

    /// Whether another is as much further as its page is.
    fn leads_to(self, other: Roman, pages: u32) -> bool {
        self.is_small == other.is_small && self.number.checked_add(pages) == Some(other.number)
    }
}

impl Romans {
    /// The blocks of a page that is so high without its Roman number: one that stands alone at the page's end and goes on from
    /// page to page; `lines` reads those of a page.
    pub fn without(
        &mut self,
        mut blocks: Vec<Block>,
        (page, height): (u32, f32),
        lines: &mut dyn FnMut(u32) -> Option<Rc<Lines>>,
    ) -> Vec<Block> {
        let [_, .., Block::Paragraph(last)] = blocks.as_slice() else { return blocks };
        let Some(own) = Roman::alone(&last.plain_text()).filter(|_| self.vain < VAIN_MAX) else { return blocks };
        let is_at_end = lines(page).and_then(|lines| at_end(&lines, height)) == Some(own);
        let goes_on = || self.before.is_some_and(|(before, told)| told.leads_to(own, page.saturating_sub(before)));
        let mut leads_on = || {
            let next = lines(page.saturating_add(1));
            next.and_then(|lines| at_end(&lines, height)).is_some_and(|next| own.leads_to(next, 1))
        };
        if is_at_end && (goes_on() || leads_on()) {
            (self.before, self.vain) = (Some((page, own)), 0);
            blocks.pop();
        } else {
            self.vain += 1;
        }
        blocks
    }
}

/// A Roman number that is all that stands in the last line of a page that is so high.
fn at_end(lines: &Lines, height: f32) -> Option<Roman> {
    let last = lines.all().last().filter(|line| line.y <= height * LOW)?;
    let [text] = last.texts.as_slice() else { return None };
    Roman::alone(&text.text)
}

#[cfg(test)]
mod tests {
    use unpdf::model::Paragraph;

    use super::super::lines::tests::span;
    use super::*;

    /// What is left of pages that end so, each with the height of its last line.
    fn left(pages: &[(&str, f32)]) -> Vec<usize> {
        let mut romans = Romans::default();
        let mut read = |number: u32| {
            let (text, y) = pages.get(usize::try_from(number).unwrap().checked_sub(1)?)?;
            Some(Rc::new(Lines::of(vec![span("Words", 72.0, 700.0), span(text, 300.0, *y)])))
        };
        let mut count = |(at, (text, _)): (usize, &(&str, f32))| {
            let blocks = ["Words", text].map(|text| Block::Paragraph(Paragraph::with_text(text))).to_vec();
            romans.without(blocks, (u32::try_from(at).unwrap() + 1, 800.0), &mut read).len()
        };
        pages.iter().enumerate().map(&mut count).collect()
    }

    #[test]
    fn roman_numbers_that_go_on_from_page_to_page_are_left_out() {
        assert_eq!(left(&[("i", 40.0), ("ii", 40.0), ("iii", 40.0), ("A word", 40.0), ("v", 40.0)]), [1, 1, 1, 2, 1]);
        assert_eq!(left(&[("XIV", 40.0), ("XV", 40.0)]), [1, 1]);
    }

    #[test]
    fn other_roman_numbers_are_text() {
        for pages in [
            [("xiv", 40.0), ("xvi", 40.0)],
            [("I", 40.0), ("ii", 40.0)],
            [("Part i", 40.0), ("Part ii", 40.0)],
            // They stand in the middle of the page.
            [("i", 400.0), ("ii", 400.0)],
            [("mix", 40.0), ("v", 40.0)],
        ] {
            assert_eq!(left(&pages), [2, 2], "{pages:?}");
        }
    }
}
