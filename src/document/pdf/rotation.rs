//! Pages that are shown turned (`/Rotate`), with their content turned as it is shown: its lines run from left to right
//! then, as the reader of text takes them.

use lopdf::{Document, Object, ObjectId};
use unpdf::PdfParser;
use unpdf::model::Page;

use super::margins::{ADDED, PAGES_LEAST};
use super::rewrite::{corners, draw_within, inherited, page_of, rewritten, shown};

/// A PDF with its turned pages as they are shown.
pub struct Rotated {
    parser: Option<PdfParser>,
}

impl Rotated {
    /// Makes it. Where that cannot be done, it holds no page.
    pub fn of(bytes: &[u8]) -> Rotated {
        let parser = rewritten(bytes, |document| {
            let pages = document.get_pages();
            // With room above and below, no number is taken for the page's own and left out.
            let added = if pages.len() as u64 >= u64::from(PAGES_LEAST) { 0.0 } else { ADDED };
            for page in pages.into_values() {
                let _ = turn(document, page, added);
            }
        });
        Rotated { parser }
    }

    /// A page of it; `None` where it cannot be read.
    pub fn page(&self, number: u32) -> Option<Page> {
        page_of(self.parser.as_ref()?, number)
    }
}

/// Turns one page's content, and says that it is not to be turned any more. Of its height, so much is added above and
/// below.
fn turn(document: &mut Document, page: ObjectId, added: f32) -> Option<()> {
    let angle = inherited(document, page, b"Rotate")?.as_i64().ok()?.rem_euclid(360);
    let [left, bottom, right, top] = shown(document, page)?;
    // Where a point goes: x' = a x + c y + e, y' = b x + d y + f.
    let matrix = match angle {
        90 => [0.0, -1.0, 1.0, 0.0, -bottom, right],
        180 => [-1.0, 0.0, 0.0, -1.0, right, top],
        270 => [0.0, 1.0, -1.0, 0.0, top, -left],
        _ => return None,
    };
    let [a, b, c, d, e, f] = matrix;
    let (wide, high) = (right - left, top - bottom);
    let (wide, high) = if angle == 180 { (wide, high) } else { (high, wide) };
    let first = format!("0 0 {wide} {high} re W n {a} {b} {c} {d} {e} {f} cm");
    draw_within(document, page, &first, [0.0, -high * added, wide, high * (1.0 + added)])?;
    document.get_dictionary_mut(page).ok()?.set("Rotate", 0);
    // Links belong to the text that they lie on.
    let place = |[x, y]: [f32; 2]| [a * x + c * y + e, b * x + d * y + f];
    let rects: Vec<Option<[f32; 4]>> = {
        let known = document.get_page_annotations(page).unwrap_or_default();
        known.iter().map(|one| one.get(b"Rect").ok().and_then(|rect| corners(document, rect))).collect()
    };
    for (one, rect) in document.get_page_annotations_mut(page).ok()?.into_iter().zip(rects) {
        let Some([left, bottom, right, top]) = rect else { continue };
        let ([x, y], [z, w]) = (place([left, bottom]), place([right, top]));
        one.set("Rect", [x.min(z), y.min(w), x.max(z), y.max(w)].map(Object::Real).to_vec());
        one.remove(b"QuadPoints");
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use crate::document::testing::{Pdf, converted};

    /// A page of four lines and its number that read upright once it is turned as it says; what turns it stands in the
    /// tree above it.
    fn pdf(angle: i64) -> Vec<u8> {
        let (sine, cosine) = [(0, 1), (1, 0), (0, -1), (-1, 0)][usize::try_from(angle / 90).unwrap()];
        // Where a line of the page as it is shown, 792 wide and 612 high or the other way round, lies on it.
        let line = |(words, x, y): (String, i32, i32)| {
            let (x, y) = match angle {
                90 => (612 - y, x),
                180 => (612 - x, 792 - y),
                270 => (y, 792 - x),
                _ => (x, y),
            };
            format!("BT /F1 12 Tf {cosine} {sine} {} {cosine} {x} {y} Tm ({words}) Tj ET\n", -sine)
        };
        let body = (1..=4).map(|number| {
            (format!("Line {number} of a page that was turned for a wide table."), 72, 540 - 40 * number)
        });
        let mut pdf = Pdf::of(&[("F1", "Helvetica")], [612, 792]);
        pdf.tree.set("Rotate", angle);
        pdf.written([body.chain([("1".to_owned(), 300, 20)]).map(line).collect()])
    }

    #[test]
    fn a_turned_page_reads_from_its_first_line() {
        for angle in [0, 90, 180, 270] {
            let text = converted("a.pdf", &pdf(angle), None).markdown;
            let places: Vec<_> = (1..=4).map(|number| text.find(&format!("Line {number} of a page that"))).collect();
            assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{angle}: {text}");
            assert!(text.lines().any(|line| line == "1"), "{angle}: {text}");
        }
    }
}
