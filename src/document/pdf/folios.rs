//! Numbers that stand alone above or below all other text of a page: its own number, or one of its text, as the last row of
//! a table has it, or a title that is a year. The reader leaves out all of them.

use unpdf::parser::TextSpan;
use unpdf::parser::backend::PageBox;

use super::margins::{gap, is_in_line, is_number};

/// Of a page's height, how far from its ends such a number is left out wherever it stands, and how far from the upper and
/// the lower end where it stands beyond all other text.
pub(super) const MARGIN: f32 = 0.05;
const ABOVE: f32 = 0.10;
const BELOW: f32 = 0.15;
/// Of a page's width, the room between such a number and what else stands in its line.
const APART: f32 = 0.15;
/// Digits of a page's number.
const DIGITS_MAX: usize = 4;
/// Of the size of most letters, how large those of a page's number are at most.
const LARGER_MAX: f32 = 1.15;
/// How far a page's number is from that of the sheet where no other page tells more.
const FIRST_MAX: u32 = 50;

/// A number that is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Lone {
    /// What it says, where it may be a page's number by its looks.
    pub value: Option<u32>,
    /// Whether it stands at the very end of the page.
    pub at_end: bool,
}

/// The numbers of nothing but digits that the reader leaves out of a page.
pub(super) fn lone(spans: &[TextSpan], sheet: PageBox) -> Vec<Lone> {
    let spans: Vec<&TextSpan> = spans.iter().filter(|span| !span.text.trim().is_empty()).collect();
    let is_bare = |span: &TextSpan| span.text.trim().bytes().all(|byte| byte.is_ascii_digit());
    let (high, wide) = (sheet.height(), sheet.width());
    // Sizes by how many letters they have.
    let mut sizes: Vec<(f32, usize)> =
        spans.iter().filter(|span| !is_bare(span)).map(|span| (span.font_size, span.text.len())).collect();
    sizes.sort_by(|one, other| one.0.total_cmp(&other.0));
    let half = sizes.iter().map(|(_, letters)| letters).sum::<usize>() / 2;
    let mut before = 0;
    let body = sizes.iter().find(|(_, letters)| {
        before += letters;
        before > half
    });
    let body = body.map_or(f32::MAX, |(size, _)| *size);
    let mut found = Vec::new();
    for span in spans.iter().filter(|span| is_bare(span)) {
        let others = || spans.iter().filter(|other| !std::ptr::eq(**other, *span));
        let at_end = span.y >= sheet.ury - high * MARGIN || span.y <= sheet.lly + high * MARGIN;
        let is_alone = || {
            others()
                .filter(|other| is_in_line(span, other))
                .all(|other| !is_number(other) && gap(span, other) >= wide * APART)
        };
        let is_beyond =
            |is: &dyn Fn(&TextSpan) -> bool| others().filter(|other| !is_in_line(span, other)).all(|other| is(other));
        let is_low = || span.y <= sheet.lly + high * BELOW && is_beyond(&|other| other.y > span.y);
        let is_high = || span.y >= sheet.ury - high * ABOVE && is_beyond(&|other| other.y < span.y);
        if at_end || (is_alone() && (is_low() || is_high())) {
            let text = span.text.trim();
            let looks_so = text.len() <= DIGITS_MAX && span.font_size <= body * LARGER_MAX;
            found.push(Lone { value: text.parse().ok().filter(|_| looks_so), at_end });
        }
    }
    found
}

/// Whether a number is that of its page, of so many: it is the sheet's, goes on from that of an earlier page, or goes on
/// behind it. `next` are those that are left out of the pages behind.
pub(super) fn is_own(
    lone: Lone,
    (page, pages): (u32, u32),
    before: Option<(u32, u32)>,
    goes_on: impl Fn((u32, u32), (u32, u32)) -> bool,
    next: impl Fn(u32) -> Vec<Lone>,
) -> bool {
    let Some(value) = lone.value else { return false };
    if let Some(before) = before {
        return goes_on(before, (page, value));
    }
    if pages == 1 {
        return lone.at_end || value == 1;
    }
    let follows = |by: u32| next(page + by).iter().any(|lone| lone.value == Some(value + by));
    let is_last = || page == pages && value.abs_diff(page) <= FIRST_MAX;
    value == page || is_last() || (1..=2).any(|by| page + by <= pages && follows(by))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lone(value: u32) -> Lone {
        Lone { value: Some(value), at_end: false }
    }

    fn owns(value: u32, place: (u32, u32), before: Option<(u32, u32)>, next: &[u32]) -> bool {
        let goes_on = |(earlier, told): (u32, u32), (page, value): (u32, u32)| value == told + page - earlier;
        let behind = |page: u32| {
            let at = usize::try_from(page - place.0 - 1).unwrap();
            next.get(at).map(|value| vec![lone(*value)]).unwrap_or_default()
        };
        is_own(lone(value), place, before, goes_on, behind)
    }

    #[test]
    fn a_page_s_number_is_that_of_the_sheet_or_goes_on() {
        for (value, place, before, next) in [
            (3, (3, 9), None, &[][..]),
            (245, (1, 9), None, &[246]),
            (245, (1, 9), None, &[0, 247]),
            (12, (9, 9), None, &[]),
            (246, (2, 9), Some((1, 245)), &[]),
            (1, (1, 1), None, &[]),
        ] {
            assert!(owns(value, place, before, next), "{value} {place:?}");
        }
        for (value, place, before, next) in [
            (4711, (1, 1), None, &[][..]),
            (50, (1, 2), None, &[2]),
            (50, (3, 9), Some((2, 2)), &[]),
            (1914, (1, 9), None, &[1929]),
        ] {
            assert!(!owns(value, place, before, next), "{value} {place:?}");
        }
    }

    #[test]
    fn numbers_beyond_all_other_text_are_left_out_by_the_reader() {
        let span = |text: &str, x: f32, y: f32, size: f32| {
            let mut span = TextSpan::new(text.to_owned(), x, y, size, "F".to_owned());
            span.width = size / 2.0 * f32::from(u8::try_from(text.len()).unwrap());
            span
        };
        let sheet = PageBox { llx: 0.0, lly: 0.0, urx: 612.0, ury: 792.0 };
        let body = span("Words of the page's own text.", 72.0, 500.0, 10.0);
        let of = |spans: &[TextSpan]| super::lone(&[&[body.clone()][..], spans].concat(), sheet);
        let total = [span("Total due", 72.0, 100.0, 10.0), span("4711", 500.0, 100.0, 10.0)];
        assert_eq!(of(&total), [Lone { value: Some(4_711), at_end: false }]);
        assert_eq!(of(&[span("2015", 72.0, 740.0, 18.0)]), [Lone { value: None, at_end: false }]);
        assert_eq!(of(&[span("20240117", 300.0, 30.0, 10.0)]), [Lone { value: None, at_end: true }]);
        assert_eq!(of(&[span("7", 300.0, 30.0, 10.0)]), [Lone { value: Some(7), at_end: true }]);
        assert_eq!(of(&[span("7", 300.0, 300.0, 10.0)]), [], "it stands within the page");
    }
}
