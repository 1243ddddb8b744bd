//! Numbers above and below the text of a page: the reader takes each for the page's own and leaves it out, in the middle
//! of a line too. A page on which that takes more away is read again on a higher sheet, where they stand in no margin.

use std::collections::BTreeMap;

use lopdf::{Document, ObjectId};
use unpdf::PdfParser;
use unpdf::model::Page;
use unpdf::parser::TextSpan;

use super::folios::{
    self, APART, Lone, OMITTED_MAX, Own, belongs, digits, gap, goes_on, is_in_line, is_number, is_own,
};
use super::rewrite::{changed, draw_within, page_of, shown};
use super::spread::{Spread, may_be_wrong, spread};
use super::texts::Texts;

/// Of a page's height, what is added above and below: more than the room in which numbers are left out of the higher page.
pub(super) const ADDED: f32 = 0.22;
/// Pages of a document of which one's number tells that it is: fewer make no row of numbers.
pub(super) const PAGES_LEAST: u32 = 3;
/// Of the size of its letters, the gap between a page's number and a running title.
const BESIDE: f32 = 0.8;

/// What is made of a page that lacks numbers.
pub enum Lacks {
    /// Nothing but its own number.
    Nothing,
    /// Numbers of its text; with them it is this.
    Mended(Box<Page>),
    /// Numbers of its text, and it cannot be read with them.
    Numbers,
}

/// A document with what is needed to read its margins, once it is.
#[derive(Default)]
pub struct Margins {
    /// The document as it is read fastest, before it is read.
    slim: Option<Vec<u8>>,
    /// `None` within where it cannot be opened.
    texts: Option<Option<Texts>>,
    higher: Option<Option<PdfParser>>,
    /// The last page's number that was looked at.
    numbered: Option<Own>,
    /// What is left out of pages that were looked at before their turn.
    ahead: BTreeMap<u32, Vec<Lone>>,
    /// The document with letters that stand apart set one by one, and whether pages need it.
    spread: Spread,
    is_spread: bool,
    /// Pages whose own numbers are left out.
    pub left_out: Vec<u32>,
}

impl Margins {
    /// Those of a document, which may stand as it is read fastest.
    pub fn of(slim: Option<Vec<u8>>) -> Margins {
        Margins { slim, ..Margins::default() }
    }

    /// The texts of a document's pages and their places, once they were needed.
    pub fn texts(&mut self, bytes: &[u8]) -> Option<&Texts> {
        let open = || Texts::of(self.slim.take().as_deref().unwrap_or(bytes));
        self.texts.get_or_insert_with(open).as_ref()
    }

    /// A page with the cells of its tables that it draws as one text, where it does.
    pub fn spread(&mut self, page: &Page, bytes: &[u8]) -> Option<Page> {
        if !may_be_wrong(page) {
            return None;
        }
        self.texts(bytes)?;
        let found = self.spread.page(page, bytes, self.texts.as_ref()?.as_ref()?)?;
        // They are from here on.
        if !std::mem::replace(&mut self.is_spread, true) {
            self.higher = None;
        }
        Some(found)
    }

    /// What a page lacks. Where that is its own number, it is kept in mind.
    pub fn lacks(&mut self, page: &Page, bytes: &[u8]) -> Lacks {
        let lacks = self.looked_at(page, bytes);
        let left_out = match &lacks {
            Lacks::Nothing => page.omitted_page_number_chars,
            Lacks::Mended(mended) => mended.omitted_page_number_chars,
            Lacks::Numbers => 0,
        };
        if left_out > 0 {
            self.left_out.push(page.number);
        }
        lacks
    }

    fn looked_at(&mut self, page: &Page, bytes: &[u8]) -> Lacks {
        let omitted = page.omitted_page_number_chars;
        // Most pages have but their number there: that of the sheet, or the one that goes on from the page before. The first
        // is looked at.
        let is_alone = self.numbered.is_some() && page.margin_text_chars == omitted && omitted == digits(page.number);
        // A total as long as the number of its page stands on the last one.
        let is_last = || {
            let texts = self.texts.as_ref().and_then(Option::as_ref);
            texts.is_some_and(|texts| texts.pages() <= page.number)
        };
        let goes_on = || self.numbered.as_ref().and_then(|own| own.omits(page.number)) == Some(omitted) && !is_last();
        if omitted == 0 || is_alone || goes_on() {
            return Lacks::Nothing;
        }
        let (mut numbered, mut ahead) = (self.numbered.take(), std::mem::take(&mut self.ahead));
        let place = (page.number, omitted);
        let lacks = self.texts(bytes).is_some_and(|texts| lacks_numbers(texts, place, &mut numbered, &mut ahead));
        (self.numbered, self.ahead) = (numbered, ahead);
        if !lacks {
            return Lacks::Nothing;
        }
        let is_spread = self.is_spread;
        let heighten = |document: &mut Document, page| {
            let _ = is_spread.then(|| spread(document, page));
            heighten(document, page)
        };
        let higher = self.higher.get_or_insert_with(|| changed(bytes, heighten));
        let mended = higher.as_ref().and_then(|higher| page_of(higher, page.number));
        let mended = mended.filter(|mended| mended.omitted_page_number_chars < omitted);
        mended.map_or(Lacks::Numbers, |page| Lacks::Mended(Box::new(page)))
    }
}

/// Gives a page more room above and below, in which nothing is drawn.
fn heighten(document: &mut Document, page: ObjectId) -> Option<()> {
    let [left, bottom, right, top] = shown(document, page)?;
    let (wide, high) = (right - left, top - bottom);
    let clip = format!("{left} {bottom} {wide} {high} re W n");
    draw_within(document, page, &clip, [left, bottom - high * ADDED, right, top + high * ADDED])
}

/// Whether a number that is left out of the page is one of a text's or of a row's, or stands alone, and is not the page's.
/// `numbered` becomes what the page's number is. `omitted` signs are left out.
fn lacks_numbers(
    texts: &Texts,
    (number, omitted): (u32, u32),
    numbered: &mut Option<Own>,
    ahead: &mut BTreeMap<u32, Vec<Lone>>,
) -> bool {
    let pages = texts.pages();
    if pages < PAGES_LEAST {
        return true;
    }
    let Some(page) = folios::shown(texts, number) else { return false };
    let mut own = None;
    let is_of_line = |span: &TextSpan| {
        let mut others = page.others(span);
        if !others.clone().any(|other| belongs(span, other, page.sheet.width() * APART)) {
            return false;
        }
        let is_beside = others.all(|other| !is_in_line(span, other) || stands_beside(span, other))
            && others_on_one_side(span, page.others(span));
        let told = span.text.trim().parse::<u32>().ok().filter(|_| is_beside);
        let before = numbered.as_ref().map(|own| (own.page, own.value));
        let is_own = |told: &u32| own.is_none() && goes_on(before, (number, *told));
        let Some(value) = told.filter(is_own) else { return true };
        own = Some((value, (span.y, span.font_size)));
        false
    };
    if page.omitted.len() > OMITTED_MAX || page.omitted.iter().any(is_of_line) {
        return true;
    }
    ahead.retain(|page, _| *page > number);
    let lone = page.lone();
    let mut next = |page| {
        let look = || folios::shown(texts, page).map(|page| page.numbers()).unwrap_or_default();
        ahead.entry(page).or_insert_with(look).clone()
    };
    // Of several, one is the page's at most.
    let mut is_alone = |lone: &&Lone| own.is_none() && is_own(lone, (number, pages), numbered.as_ref(), &mut next);
    let alone = lone.iter().find(|lone| is_alone(lone));
    if lone.len() > usize::from(alone.is_some()) {
        return true;
    }
    if let Some((value, place)) = own.or_else(|| alone.and_then(|lone| Some((lone.value?, lone.place)))) {
        *numbered = Some(Own { page: number, value, place, around: omitted.saturating_sub(digits(value)) });
    }
    false
}

/// Whether a number stands so far from a text that it is no word of it.
fn stands_beside(number: &TextSpan, other: &TextSpan) -> bool {
    !is_number(other) && gap(number, other) >= number.font_size.max(other.font_size) * BESIDE
}

/// Whether what stands in a number's line stands all before or all behind it.
fn others_on_one_side<'a>(number: &TextSpan, others: impl Iterator<Item = &'a TextSpan>) -> bool {
    let mut line = others.filter(|other| is_in_line(number, other));
    let first = line.next().map(|other| other.x < number.x);
    line.all(|other| Some(other.x < number.x) == first)
}

#[cfg(test)]
mod tests {
    use super::super::lines::tests::span;
    use super::*;
    use crate::document::testing::{Pdf, converted};

    #[test]
    fn the_number_beside_a_running_title_is_the_page_s_where_it_goes_on() {
        let (number, title) = (span("47", 300.0, 770.0), span("A title", 220.0, 770.0));
        assert!(stands_beside(&number, &title) && others_on_one_side(&number, [&title].into_iter()));
        assert!(!stands_beside(&number, &span("Invoice No.", 242.0, 770.0)));
        assert!(!others_on_one_side(&number, [&title, &span("EUR", 330.0, 770.0)].into_iter()));
    }

    /// One page with these texts.
    fn pdf(lines: &[(&str, i32, i32)]) -> Vec<u8> {
        pages(&[lines.iter().map(|(text, x, y)| (*text, *x, *y, 10)).collect()])
    }

    /// Pages with texts, where they stand and how large they are, in Helvetica and Times, in turn.
    fn pages(texts: &[Vec<(&str, i32, i32, i32)>]) -> Vec<u8> {
        let content = |lines: &Vec<(&str, i32, i32, i32)>| {
            let words = lines
                .iter()
                .enumerate()
                .map(|(at, (text, x, y, size))| format!("BT /F{} {size} Tf {x} {y} Td ({text}) Tj ET\n", at % 2));
            words.collect::<String>()
        };
        Pdf::of(&[("F0", "Helvetica"), ("F1", "Times-Roman")], [612, 792]).written(texts.iter().map(content))
    }

    #[test]
    fn numbers_of_a_line_at_the_top_or_bottom_stay_and_a_page_number_goes() {
        let body = [("A line of the page's own text.", 72, 500), ("Another line of that text.", 72, 486)];
        for y in [770, 30] {
            let line = [("Invoice No.", 72, y), ("4711", 126, y), ("of", 150, y), ("2024", 162, y)];
            let pdf = pdf(&[&body[..], &line].concat());
            let parser = PdfParser::from_bytes(&pdf).unwrap();
            let page = page_of(&parser, 1).unwrap();
            let Lacks::Mended(mended) = Margins::default().lacks(&page, &pdf) else { panic!("at {y}") };
            assert!(mended.plain_text().contains("Invoice No. 4711 of 2024"), "{}", mended.plain_text());
        }
        for lone in [&[("12", 300, 30)][..], &[("Annual report", 72, 30), ("12", 500, 30)]] {
            let page = |number: &'static str| {
                let texts = [&body[..], lone].concat().into_iter();
                texts.map(|(text, x, y)| (if text == "12" { number } else { text }, x, y, 10)).collect::<Vec<_>>()
            };
            let texts = ["12", "13", "14"].map(page);
            let pdf = pages(&texts);
            let page = page_of(&PdfParser::from_bytes(&pdf).unwrap(), 1).unwrap();
            assert!(page.omitted_page_number_chars > 0);
            assert_eq!(lacking(&texts), [None, None, None], "{lone:?}");
            // Fewer pages tell nothing of numbers.
            for few in [&texts[..1], &texts[..2]] {
                let lacks = lacking(few);
                let is_kept =
                    |(lacks, number): (&Option<String>, &str)| lacks.as_ref().is_some_and(|text| text.contains(number));
                assert!(lacks.iter().zip(["12", "13"]).all(is_kept), "{lacks:?}");
            }
        }
        // Nothing tells that another is the page's.
        for lone in [("512", 300, 25), ("12", 420, 25)] {
            let pdf = pdf(&[&body[..], &[lone]].concat());
            let page = page_of(&PdfParser::from_bytes(&pdf).unwrap(), 1).unwrap();
            assert!(matches!(Margins::default().lacks(&page, &pdf), Lacks::Mended(_)), "{lone:?}");
        }
    }

    /// What each page lacks: `None` for nothing, or its text with it.
    fn lacking(texts: &[Vec<(&str, i32, i32, i32)>]) -> Vec<Option<String>> {
        let pdf = pages(texts);
        let parser = PdfParser::from_bytes(&pdf).unwrap();
        let mut margins = Margins::default();
        let lacks = |number: u32| match margins.lacks(&page_of(&parser, number).unwrap(), &pdf) {
            Lacks::Nothing => None,
            Lacks::Mended(page) => Some(page.plain_text()),
            Lacks::Numbers => panic!("page {number}"),
        };
        (1..=u32::try_from(texts.len()).unwrap()).map(lacks).collect()
    }

    #[test]
    fn numbers_of_pages_that_are_left_out_are_told_once() {
        let page = |number| vec![("A line of the page's own text.", 72, 500, 10), (number, 300, 30, 10)];
        let said = |texts: &[Vec<(&str, i32, i32, i32)>]| {
            let found = converted("a.pdf", &pages(texts), None);
            found.notes.into_iter().map(|note| note.message).collect::<Vec<_>>()
        };
        let texts = ["1", "2", "3"].map(page);
        assert_eq!(said(&texts), ["page numbers that are left out, on pages: 1, 2, 3"]);
        assert_eq!(said(&texts[..2]), Vec::<String>::new());
    }

    #[test]
    fn a_number_that_stands_alone_and_is_not_the_page_s_is_one_of_its_text() {
        let body = [("A line of the page's own text.", 72, 500, 10), ("Another line of that text.", 72, 486, 10)];
        let page = |more: &[(&'static str, i32, i32, i32)]| [&body[..], more].concat();
        let total = [("Total due", 72, 90, 10), ("4711", 480, 90, 10)];
        let lacks = lacking(&[page(&total)]);
        assert!(lacks[0].as_ref().is_some_and(|text| text.contains("4711")), "{lacks:?}");
        // A title that is a year, and one on the next page that is no number of a page.
        let years = [page(&[("1914", 72, 740, 24)]), page(&[("1915", 72, 740, 24)])];
        assert!(
            lacking(&years)
                .iter()
                .zip(["1914", "1915"])
                .all(|(lacks, year)| { lacks.as_ref().is_some_and(|text| text.contains(year)) })
        );
        // The pages' own numbers, further from the end than most, of a book's chapter, and in large letters.
        for (y, size, numbers) in
            [(90, 10, ["245", "246", "247"]), (90, 14, ["1", "2", "3"]), (90, 10, ["9", "31", "57"])]
        {
            let texts = numbers.map(|number| page(&[(number, 300, y, size)]));
            assert_eq!(lacking(&texts), [None, None, None], "{numbers:?}");
        }
        // What becomes less, and what stands elsewhere than the numbers of pages do, is no page's.
        for (x, numbers) in [(72, ["4821", "37", "112"]), (300, ["2019", "7", "5"]), (470, ["3", "512", "2112"])] {
            let texts = numbers.map(|number| page(&[(number, x, 40, 10)]));
            let lacks = lacking(&texts);
            let is_kept =
                |(lacks, number): (&Option<String>, &str)| lacks.as_ref().is_some_and(|text| text.contains(number));
            assert!(lacks.iter().zip(numbers).take(2).all(is_kept), "{lacks:?}");
        }
        // What goes on from it stands near a running title.
        let title = ("A running title", 420, 745, 10);
        let titled = |number| page(&[title, (number, 520, 745, 11)]);
        let near = [page(&[("47698", 72, 745, 11)]), titled("47699"), titled("47700")];
        assert_eq!(lacking(&near)[0], None);
        // Beside the page's own number.
        let number = |number| page(&[(number, 300, 30, 10)]);
        let mixed = [number("12"), page(&[&total[..], &[("13", 300, 30, 10)]].concat()), number("14")];
        let lacks = lacking(&mixed);
        assert!(lacks[0].is_none() && lacks[1].as_ref().is_some_and(|text| text.contains("4711")), "{lacks:?}");
    }
}
