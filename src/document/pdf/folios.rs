//! Numbers that the reader takes for a page's own and leaves out. One that goes on from page to page is; any other is one
//! of the text: a total, a title that is a year, the last row of a table.

use unpdf::parser::backend::PageBox;
use unpdf::parser::{LayoutAnalyzer, TextSpan};

use super::lines::middle;
use super::texts::Texts;

/// Of a page's height, how far from its upper and its lower end a number that stands beyond all other text is left out.
const ABOVE: f32 = 0.10;
const BELOW: f32 = 0.15;
/// Of a page's width, how far from a text the page's number stands.
pub(super) const APART: f32 = 0.15;
/// Digits of a page's number, and of one that nothing but its place tells of.
const DIGITS_MAX: usize = 6;
const ALONE_MAX: u32 = 9_999;
/// Numbers of a page that are looked at; more of them are no page's own.
pub(super) const OMITTED_MAX: usize = 64;
/// Of the size of most letters, how large those of a page's number are: where it goes on, and where nothing but its
/// place tells of it.
const GOES_ON_SIZE: f32 = 1.5;
const PLACE_SIZE: f32 = 1.15;
/// In points, how far two numbers of one place are from each other.
const PLACE_OFF: f32 = 1.5;
/// How far the number of a first page is from 1, and how many numbers are passed over from one page to the next.
pub(super) const FIRST_MAX: u32 = 50;
const PASSED_MAX: u32 = 10;
/// Of a sheet's width, how far from its middle or its sides a page's number stands at most.
const CENTRED: f32 = 0.05;
const SIDE: f32 = 0.125;
/// Pages behind the first number of a document, in which the number that goes on from it is looked for.
const AHEAD: u32 = 2;

/// A number that is left out of a page.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Lone {
    /// What it says, where it may be a page's number by its signs.
    pub value: Option<u32>,
    /// Its height on the sheet and the size of its letters, in points.
    pub place: (f32, f32),
    /// Its size by that of most letters of the page.
    larger: f32,
    /// Whether it stands in the middle of the sheet, in one line with a running title or at one of the sheet's sides.
    is_usual: bool,
}

/// What a page shows, and what is left out of it.
pub(super) struct Shown {
    kept: Vec<TextSpan>,
    /// What is left out.
    pub omitted: Vec<TextSpan>,
    pub sheet: PageBox,
}

/// The texts of a page; `None` where it cannot be read.
pub(super) fn shown(texts: &Texts, page: u32) -> Option<Shown> {
    let backend = texts.backend();
    let sheet = backend.crop_box(*backend.pages().get(&page)?);
    let mut kept = texts.of_page(page)?.to_vec();
    // Nothing else is left out but blanks.
    let may_go = |span: &&TextSpan| span.text.contains(|sign: char| sign.is_ascii_digit() || "-–—".contains(sign));
    let mut omitted: Vec<TextSpan> = kept.iter().filter(may_go).cloned().collect();
    LayoutAnalyzer::new(backend).filter_spans_for_page(&mut kept, page);
    // What stays does so in its order.
    let mut stay = kept.iter().filter(may_go).peekable();
    let is_same = |one: &TextSpan, other: &TextSpan| one.x == other.x && one.y == other.y && one.text == other.text;
    omitted.retain(|span| stay.next_if(|next| is_same(next, span)).is_none());
    Some(Shown { kept, omitted, sheet })
}

impl Shown {
    /// The numbers that are left out and are no part of a line, each whole where its digits are drawn one by one.
    pub fn lone(&self) -> Vec<Lone> {
        let body = self.body();
        let is_lone =
            |span: &&TextSpan| !self.others(span).any(|other| belongs(span, other, self.sheet.width() * APART));
        let mut omitted: Vec<&TextSpan> = self.omitted.iter().take(OMITTED_MAX).filter(is_lone).collect();
        omitted.sort_by(|one, other| other.y.total_cmp(&one.y).then(one.x.total_cmp(&other.x)));
        let runs = omitted.chunk_by(|one, other| is_in_line(one, other) && gap(one, other) <= one.font_size / 2.0);
        let number = |run: &[&TextSpan]| {
            let first = run.first()?;
            let text: String = run.iter().map(|span| span.text.trim()).collect();
            let (left, right) =
                (first.x - self.sheet.llx, run.last().map_or(first.x, |last| end(last)) - self.sheet.llx);
            let wide = self.sheet.width();
            let is_centred = (f32::midpoint(left, right) - wide / 2.0).abs() <= wide * CENTRED;
            let is_set = is_centred || self.others(first).any(|other| !is_number(other) && is_in_line(first, other));
            let is_at_side = left <= wide * SIDE || right >= wide * (1.0 - SIDE);
            Some(Lone {
                value: value(&text),
                place: (first.y, first.font_size),
                larger: first.font_size / body.unwrap_or(first.font_size),
                is_usual: is_set || is_at_side,
            })
        };
        runs.filter_map(number).collect()
    }

    /// The same with the numbers that stay: one stays that stands near a running title.
    pub fn numbers(&self) -> Vec<Lone> {
        // Nothing but what they say tells of them.
        let place = (f32::NAN, f32::NAN);
        let number = |span: &TextSpan| Lone { value: value(&span.text), place, larger: 1.0, is_usual: false };
        let mut found = self.lone();
        found.extend(self.all().filter(|span| is_number(span) && self.is_near_end(span)).map(number));
        found
    }

    /// Whether a text stands where pages have their numbers.
    fn is_near_end(&self, span: &TextSpan) -> bool {
        let high = self.sheet.height();
        span.y >= self.sheet.ury - high * ABOVE || span.y <= self.sheet.lly + high * BELOW
    }

    fn all(&self) -> impl Iterator<Item = &TextSpan> + Clone {
        self.kept.iter().chain(&self.omitted)
    }

    /// What else the page shows.
    pub fn others(&self, span: &TextSpan) -> impl Iterator<Item = &TextSpan> + Clone {
        let is_other = move |other: &&TextSpan| !std::ptr::eq(span, *other) && !other.text.trim().is_empty();
        self.all().filter(is_other)
    }

    /// The size of the letters that stay, the middle of all.
    fn body(&self) -> Option<f32> {
        let texts = self.kept.iter().filter(|span| span.font_size > 0.0);
        middle(texts.map(|span| (span.font_size, span.text.len())))
    }
}

/// What a page's number says: its first digits, whatever stands around them.
fn value(text: &str) -> Option<u32> {
    let digits = text.trim_start_matches(|sign: char| !sign.is_ascii_digit());
    let digits = digits.split(|sign: char| !sign.is_ascii_digit()).next()?;
    digits.parse().ok().filter(|_| digits.len() <= DIGITS_MAX)
}

/// A number that is a page's own, and the page.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Own {
    pub page: u32,
    pub value: u32,
    /// Where it stands, and how large it is.
    pub place: (f32, f32),
    /// Signs that are left out with it.
    pub around: u32,
}

impl Own {
    /// How many signs are left out of a page that has nothing but the number that goes on from this one.
    pub fn omits(&self, page: u32) -> Option<u32> {
        let value = self.value.checked_add_signed(page.checked_signed_diff(self.page)?)?;
        Some(digits(value) + self.around)
    }
}

/// Digits of a number.
pub(super) fn digits(value: u32) -> u32 {
    value.checked_ilog10().unwrap_or(0) + 1
}

/// Whether a page may have a number, after that of an earlier one.
pub(super) fn goes_on(before: Option<(u32, u32)>, (page, number): (u32, u32)) -> bool {
    match before {
        Some((earlier, told)) => number > told && number - told <= page.saturating_sub(earlier) + PASSED_MAX,
        None => number.abs_diff(page) <= FIRST_MAX,
    }
}

/// Whether a number is that of its page, of so many. `before` is that of an earlier page, `next` those that are left out of
/// a page near by.
pub(super) fn is_own(
    lone: &Lone,
    (page, pages): (u32, u32),
    before: Option<&Own>,
    mut next: impl FnMut(u32) -> Vec<Lone>,
) -> bool {
    let Some(value) = lone.value else { return false };
    let is_page_s = value == page;
    if lone.larger > GOES_ON_SIZE && !is_page_s {
        return false;
    }
    if let Some(before) = before {
        // Parts that are bound together, and pages that are taken out of a book, have their numbers in one place.
        let is_there = is_place(before.place, lone) && before.value != value;
        return is_page_s || goes_on(Some((before.page, before.value)), (page, value)) || is_there;
    }
    let is_there = |other: &Lone| is_place(other.place, lone);
    // What becomes less from page to page, and what stands elsewhere than pages' numbers do, is one of the text.
    let falls = |next: &mut dyn FnMut(u32) -> Vec<Lone>| {
        page > 1 && next(page - 1).iter().any(|other| other.value >= Some(value) && is_there(other))
    };
    if is_page_s {
        // One number of the text before those of pages makes no row that falls.
        let there = |others: Vec<Lone>| others.into_iter().filter(is_there).filter_map(|other| other.value).max();
        let (before, behind) = (there(next(page.saturating_sub(1))), there(next(page + 1)));
        let is_less = behind < Some(value) && behind.is_some();
        let mut goes_down = || there(next(page.saturating_sub(2))) > before || before == Some(value + 1);
        return !(page == 1 && is_less || before > Some(value) && (is_less || page == pages && goes_down()));
    }
    if page == pages && value.abs_diff(page) <= FIRST_MAX {
        return !falls(&mut next);
    }
    (1..=AHEAD).filter(|by| page + by <= pages).any(|by| {
        let others = next(page + by);
        others.iter().any(|other| other.value == Some(value + by))
            || (lone.is_usual
                && others.iter().any(|other| other.value > Some(value) && is_there(other))
                && !falls(&mut next))
    })
}

/// Whether a number stands in a place where another page has its own, and is no larger than the text.
fn is_place((y, size): (f32, f32), lone: &Lone) -> bool {
    let (at, letters) = lone.place;
    lone.larger <= PLACE_SIZE
        && lone.value <= Some(ALONE_MAX)
        && (at - y).abs() <= PLACE_OFF
        && (letters - size).abs() <= size * 0.05
}

pub(super) fn is_in_line(number: &TextSpan, other: &TextSpan) -> bool {
    (number.y - other.y).abs() <= number.font_size.max(other.font_size) / 2.0
}

/// Where a text ends.
fn end(span: &TextSpan) -> f32 {
    span.x + span.ink_width.unwrap_or(span.width)
}

/// The room between two texts of a line.
pub(super) fn gap(one: &TextSpan, other: &TextSpan) -> f32 {
    (other.x - end(one)).max(one.x - end(other))
}

/// Whether a number stands in one line with another text, and is no part of it.
pub(super) fn belongs(number: &TextSpan, other: &TextSpan, apart: f32) -> bool {
    let (size, gap) = (number.font_size.max(other.font_size), gap(number, other));
    // Digits that stand close are one number.
    is_in_line(number, other) && if is_number(other) { gap > size / 2.0 } else { gap < apart }
}

/// Whether a text is nothing but digits and the signs around a page's number.
pub(super) fn is_number(span: &TextSpan) -> bool {
    let text = span.text.trim();
    let words = text.trim_start_matches("Page ").trim_start_matches("page ").replace("of", "/");
    text.contains(|sign: char| sign.is_ascii_digit())
        && words.chars().all(|sign| sign.is_ascii_digit() || sign.is_whitespace() || "-–—/".contains(sign))
}

#[cfg(test)]
mod tests {
    use super::super::lines::tests::span;
    use super::*;

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
    fn a_number_goes_on_where_few_pages_lie_between() {
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
    }

    fn lone(value: u32) -> Lone {
        Lone { value: Some(value), place: (90.0, 10.0), larger: 1.0, is_usual: true }
    }

    fn owns(lone: &Lone, place: (u32, u32), before: Option<(u32, u32)>, next: &[Lone]) -> bool {
        let before = before.map(|(page, value)| Own { page, value, place: (30.0, 10.0), around: 0 });
        let behind = |page: u32| {
            let at = page.checked_sub(place.0 + 1).and_then(|at| usize::try_from(at).ok());
            at.and_then(|at| next.get(at).cloned()).into_iter().collect()
        };
        is_own(lone, place, before.as_ref(), behind)
    }

    #[test]
    fn a_page_s_number_is_that_of_the_sheet_or_goes_on() {
        for (value, place, before, next) in [
            (3, (3, 9), None, &[][..]),
            (245, (1, 9), None, &[246]),
            (245, (1, 9), None, &[9_999, 247]),
            (47_698, (1, 9), None, &[47_699]),
            (12, (9, 9), None, &[]),
            (246, (2, 9), Some((1, 245)), &[]),
            (1, (1, 1), None, &[]),
            (17, (1, 9), None, &[204]),
        ] {
            let next: Vec<Lone> = next.iter().map(|value| lone(*value)).collect();
            assert!(owns(&lone(value), place, before, &next), "{value} {place:?}");
        }
        let elsewhere = |value| Lone { place: (740.0, 10.0), ..lone(value) };
        for (value, place, before, next) in [
            (4711, (1, 1), None, &[][..]),
            (50, (1, 2), None, &[elsewhere(2)]),
            (50, (3, 9), Some((2, 2)), &[]),
            (1040, (1, 9), None, &[lone(1040)]),
        ] {
            assert!(!owns(&lone(value), place, before, next), "{value} {place:?}");
        }
        let title = |value| Lone { larger: 2.4, ..lone(value) };
        assert!(!owns(&title(1914), (1, 9), None, &[title(1915)]), "a title that is a year");
        let large = |value| Lone { larger: 1.3, ..lone(value) };
        assert!(owns(&large(245), (1, 9), None, &[large(246)]) && !owns(&large(245), (1, 9), None, &[large(391)]));
    }

    #[test]
    fn none_of_falling_numbers_is_a_page_s() {
        let is_own_of = |values: &[u32], page: u32| {
            let at = |page: u32| usize::try_from(page).ok()?.checked_sub(1).and_then(|at| values.get(at));
            let pages = u32::try_from(values.len()).unwrap();
            is_own(&lone(*at(page).unwrap()), (page, pages), None, |page| {
                at(page).map(|one| lone(*one)).into_iter().collect()
            })
        };
        for falling in [&[5, 4, 3, 2, 1][..], &[4, 2, 0], &[1, 0], &[3, 2], &[9, 9, 3, 1]] {
            for page in (1..).take(falling.len()) {
                assert!(!is_own_of(falling, page), "{falling:?} {page}");
            }
        }
        // Pages that are counted anew, and those behind a number of the text.
        assert!(
            [(&[1, 2, 3][..], 1), (&[1, 2, 3], 3), (&[812, 2, 3], 2), (&[812, 2], 2)]
                .iter()
                .all(|one| is_own_of(one.0, one.1))
        );
    }

    #[test]
    fn what_is_left_out_of_a_page_is_told_by_the_number_before() {
        let own = |value, around| Own { page: 4, value, place: (30.0, 10.0), around };
        for (own, page, omits) in [
            (own(4, 0), 5, Some(1)),
            (own(95, 0), 9, Some(3)),
            // Between dashes, and of how many.
            (own(4, 2), 12, Some(4)),
            (own(1, 0), 2, None),
        ] {
            assert_eq!(own.omits(page), omits, "{own:?} {page}");
        }
        for (text, says) in [
            ("12", Some(12)),
            ("- 12 -", Some(12)),
            ("Page 3 of 9", Some(3)),
            ("47698", Some(47_698)),
            ("20240117", None),
        ] {
            assert_eq!(value(text), says, "{text}");
        }
    }
}
