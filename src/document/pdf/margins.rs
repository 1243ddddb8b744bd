//! Numbers in the margins above and below: the reader takes each for the page's own and leaves it out, in the middle of
//! a line too. A page on which that takes more away is read again on a higher sheet, where they stand in no margin.

use lopdf::{Document, ObjectId};
use unpdf::PdfParser;
use unpdf::model::Page;
use unpdf::parser::backend::{PdfBackend, RawBackend};
use unpdf::parser::{LayoutAnalyzer, TextSpan};

use super::rewrite::{changed, draw_within, page_of, shown};

/// Of a page's height, the margin in which the reader takes a number for the page's.
const MARGIN: f32 = 0.05;
/// Of a page's height, what is added above and below: more than the margin of the higher page.
const ADDED: f32 = 0.06;
/// Of a page's width, how far from a text the page's number stands.
const APART: f32 = 0.15;
/// Digits of a page's number, where nothing else stands in the margins.
const DIGITS_MAX: u32 = 4;
/// Of the size of its letters, the gap between a page's number and a running title.
const BESIDE: f32 = 0.8;
/// How far the number of a first page is from 1, and how many numbers are passed over from one page to the next.
const FIRST_MAX: u32 = 50;
const PASSED_MAX: u32 = 10;
/// Pages whose numbers were found to be their own; from then on only pages on which more is left out are looked at.
const HARMLESS_ENOUGH: u32 = 12;

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
    /// `None` within where it cannot be opened.
    spans: Option<Option<RawBackend>>,
    higher: Option<Option<PdfParser>>,
    /// How many pages lacked nothing but their number, and the most characters that were left out of one.
    harmless: (u32, u32),
    /// A page and the number that stands on it, the last that was seen beside a running title.
    numbered: Option<(u32, u32)>,
}

impl Margins {
    /// What the texts of a document's pages and their places are read from, once it was needed.
    pub fn backend(&mut self, bytes: &[u8]) -> Option<&RawBackend> {
        self.spans.get_or_insert_with(|| RawBackend::load_bytes(bytes).ok()).as_ref()
    }

    /// What a page lacks.
    pub fn lacks(&mut self, page: &Page, bytes: &[u8]) -> Lacks {
        let omitted = page.omitted_page_number_chars;
        let is_alone = page.margin_text_chars <= omitted && omitted <= DIGITS_MAX;
        let (known, most) = self.harmless;
        if omitted == 0 || is_alone || (known >= HARMLESS_ENOUGH && omitted <= most) {
            return Lacks::Nothing;
        }
        let mut numbered = self.numbered;
        let lacks = self.backend(bytes).is_some_and(|backend| lacks_numbers(backend, page.number, &mut numbered));
        self.numbered = numbered;
        if !lacks {
            self.harmless = (known + 1, most.max(omitted));
            return Lacks::Nothing;
        }
        let higher = self.higher.get_or_insert_with(|| changed(bytes, heighten));
        let mended = higher.as_ref().and_then(|higher| page_of(higher, page.number));
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

/// Whether a number in a margin of the page is one of a text's or of a row's, and none that goes on from the page before.
fn lacks_numbers(backend: &RawBackend, number: u32, numbered: &mut Option<(u32, u32)>) -> bool {
    let Some(&page) = backend.pages().get(&number) else { return false };
    let sheet = backend.crop_box(page);
    let spans = LayoutAnalyzer::new(backend).extract_page_spans(number).unwrap_or_default();
    let margin = sheet.height() * MARGIN;
    let is_in_margin = |span: &&TextSpan| span.y >= sheet.ury - margin || span.y <= sheet.lly + margin;
    let margins: Vec<&TextSpan> =
        spans.iter().filter(is_in_margin).filter(|span| !span.text.trim().is_empty()).collect();
    let mut own = None;
    let lacks = margins.iter().filter(|span| is_number(span)).any(|span| {
        let mut others = margins.iter().filter(|other| !std::ptr::eq(*span, **other));
        if !others.clone().any(|other| belongs(span, other, sheet.width() * APART)) {
            return false;
        }
        let is_beside = others.all(|other| !is_in_line(span, other) || stands_beside(span, other))
            && others_on_one_side(span, &margins);
        let told = span.text.trim().parse::<u32>().ok().filter(|_| is_beside && backend.pages().len() > 1);
        own = told.filter(|told| goes_on(*numbered, (number, *told))).or(own);
        told.is_none() || own != told
    });
    *numbered = own.filter(|_| !lacks).map(|own| (number, own)).or(*numbered);
    lacks
}

/// Whether a page may have a number, after what stood on an earlier one.
fn goes_on(before: Option<(u32, u32)>, (page, number): (u32, u32)) -> bool {
    match before {
        Some((earlier, told)) => number > told && number - told <= page.saturating_sub(earlier) + PASSED_MAX,
        None => number.abs_diff(page) <= FIRST_MAX,
    }
}

fn is_in_line(number: &TextSpan, other: &TextSpan) -> bool {
    (number.y - other.y).abs() <= number.font_size.max(other.font_size) / 2.0
}

/// The room between two texts of a line.
fn gap(one: &TextSpan, other: &TextSpan) -> f32 {
    let end = |span: &TextSpan| span.x + span.ink_width.unwrap_or(span.width);
    (other.x - end(one)).max(one.x - end(other))
}

/// Whether a number stands so far from a text that it is no word of it.
fn stands_beside(number: &TextSpan, other: &TextSpan) -> bool {
    !is_number(other) && gap(number, other) >= number.font_size.max(other.font_size) * BESIDE
}

/// Whether what stands in a number's line stands all before or all behind it.
fn others_on_one_side(number: &TextSpan, all: &[&TextSpan]) -> bool {
    let mut line = all.iter().filter(|other| !std::ptr::eq(number, **other) && is_in_line(number, other));
    let first = line.next().map(|other| other.x < number.x);
    line.all(|other| Some(other.x < number.x) == first)
}

/// Whether a number stands in one line with another text, and is no part of it.
fn belongs(number: &TextSpan, other: &TextSpan, apart: f32) -> bool {
    let (size, gap) = (number.font_size.max(other.font_size), gap(number, other));
    // Digits that stand close are one number.
    is_in_line(number, other) && if is_number(other) { gap > size / 2.0 } else { gap < apart }
}

/// Whether a text is nothing but digits and the signs around a page's number.
fn is_number(span: &TextSpan) -> bool {
    let text = span.text.trim();
    let words = text.trim_start_matches("Page ").trim_start_matches("page ").replace("of", "/");
    text.contains(|sign: char| sign.is_ascii_digit())
        && words.chars().all(|sign| sign.is_ascii_digit() || sign.is_whitespace() || "-–—/".contains(sign))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(text: &str, x: f32, y: f32) -> TextSpan {
        let mut span = TextSpan::new(text.to_owned(), x, y, 10.0, "F".to_owned());
        span.width = 5.0 * f32::from(u8::try_from(text.len()).unwrap());
        span
    }

    #[test]
    fn a_number_belongs_to_the_line_in_which_it_stands() {
        let number = span("4711", 100.0, 770.0);
        for (other, is) in [
            (span("Invoice No.", 42.0, 770.0), true),
            (span("of", 124.0, 771.0), true),
            (span("Invoice No.", 42.0, 750.0), false),
            (span("A running title", 400.0, 770.0), false),
            (span("480", 400.0, 770.0), true),
            (span("12", 121.0, 770.0), false),
        ] {
            assert_eq!(belongs(&number, &other, 90.0), is, "{}", other.text);
        }
        for (text, is) in
            [("12", true), ("- 12 -", true), ("Page 3", true), ("3 of 9", true), ("3rd", false), ("-", false)]
        {
            assert_eq!(is_number(&span(text, 0.0, 0.0)), is, "{text}");
        }
    }

    #[test]
    fn the_number_beside_a_running_title_is_the_page_s_where_it_goes_on() {
        for (before, page, goes) in [
            (None, (1, 4), true),
            (None, (3, 490), false),
            (Some((1, 4)), (2, 5), true),
            (Some((1, 4)), (9, 12), true),
            (Some((2, 4)), (3, 10), true),
            (Some((1, 4)), (2, 3), false),
            (Some((1, 4)), (2, 490), false),
        ] {
            assert_eq!(goes_on(before, page), goes, "{before:?} {page:?}");
        }
        let (number, title) = (span("47", 300.0, 770.0), span("A title", 220.0, 770.0));
        assert!(stands_beside(&number, &title) && others_on_one_side(&number, &[&number, &title]));
        assert!(!stands_beside(&number, &span("Invoice No.", 242.0, 770.0)));
        assert!(!others_on_one_side(&number, &[&title, &number, &span("EUR", 330.0, 770.0)]));
    }

    /// One page with these texts in Helvetica and Times, in turn.
    fn pdf(lines: &[(&str, i32, i32)]) -> Vec<u8> {
        use lopdf::{Object, Stream, dictionary};
        let mut document = Document::with_version("1.5");
        let words = lines
            .iter()
            .enumerate()
            .map(|(at, (text, x, y))| format!("BT /F{} 10 Tf {x} {y} Td ({text}) Tj ET\n", at % 2));
        let content = document.add_object(Stream::new(dictionary! {}, words.collect::<String>().into_bytes()));
        let font = |name: &str| dictionary! { "Type" => "Font", "Subtype" => "Type1", "BaseFont" => name };
        let fonts = dictionary! { "F0" => font("Helvetica"), "F1" => font("Times-Roman") };
        let pages = document.new_object_id();
        let page = document.add_object(dictionary! {
            "Type" => "Page", "Parent" => pages, "Contents" => content, "Resources" => dictionary! { "Font" => fonts },
            "MediaBox" => [0, 0, 612, 792].map(Object::Integer).to_vec(),
        });
        let kids = vec![Object::Reference(page)];
        document.objects.insert(pages, dictionary! { "Type" => "Pages", "Kids" => kids, "Count" => 1 }.into());
        let catalog = document.add_object(dictionary! { "Type" => "Catalog", "Pages" => pages });
        document.trailer.set("Root", catalog);
        let mut bytes = Vec::new();
        document.save_to(&mut bytes).unwrap();
        bytes
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
            let pdf = pdf(&[&body[..], lone].concat());
            let page = page_of(&PdfParser::from_bytes(&pdf).unwrap(), 1).unwrap();
            assert!(page.omitted_page_number_chars > 0);
            assert!(matches!(Margins::default().lacks(&page, &pdf), Lacks::Nothing), "{lone:?}");
        }
    }
}
