//! PDFs that were cut off: what leads to their pages stands at the end and is lost, the pages themselves are not.

use std::collections::BTreeSet;

use lopdf::xref::XrefEntry;
use lopdf::{Document, ObjectId};

/// Bytes at the end of a PDF in which its end is marked.
const END: usize = 2 << 10;
/// A number that no object has, for a look at the others; larger ones are taken for damage.
const UNUSED: u32 = 999_990;
/// Pages that are listed anew.
const PAGES_MAX: usize = 100_000;

/// Whether a PDF has neither the end that a PDF has nor, before it, a place of its objects that holds: what one that was
/// cut off looks like. Other damage is none of this.
#[must_use]
pub fn is_cut(bytes: &[u8]) -> bool {
    let tail = bytes.get(bytes.len().saturating_sub(END)..).unwrap_or_default();
    if ["startxref", "%%EOF"].iter().any(|mark| memchr::memmem::find(tail, mark.as_bytes()).is_some()) {
        return false;
    }
    let Some(told) = memchr::memmem::rfind(bytes, b"startxref") else { return true };
    let after = bytes.get(told + b"startxref".len()..).unwrap_or_default().trim_ascii_start();
    let digits = after.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let place = after.get(..digits).and_then(|digits| std::str::from_utf8(digits).ok()?.parse::<usize>().ok());
    let table = place.filter(|at| *at > 0).and_then(|at| bytes.get(at..)).unwrap_or_default().trim_ascii_start();
    let is_table = table.starts_with(b"xref") || table.first().is_some_and(u8::is_ascii_digit);
    // What somebody appended does no harm, where it is no part of the PDF. One that is laid out for the web has its first
    // place near its beginning.
    !is_table || memchr::memmem::find(after, b" obj").is_some()
}

/// What is to be appended to a PDF that was cut off, for its pages to be found: a catalog, a list of all pages, a trailer.
/// `None` where its own list is whole as far as there are pages, or none is left. `open` opens one.
#[must_use]
pub fn ending(bytes: &[u8], open: impl Fn(&[u8]) -> Option<Document>) -> Option<Vec<u8>> {
    let document = match open(bytes).filter(|document| document.catalog().is_ok()) {
        Some(document) => document,
        None => open(&[bytes, &catalog(UNUSED, UNUSED + 1, &[])].concat())?,
    };
    let listed: BTreeSet<ObjectId> = document.get_pages().into_values().collect();
    let is_page = |id: &ObjectId| document.get_dictionary(*id).is_ok_and(|found| found.has_type(b"Page"));
    let mut pages: Vec<ObjectId> = document.objects.keys().copied().filter(is_page).take(PAGES_MAX).collect();
    if pages.iter().all(|page| listed.contains(page)) {
        return None;
    }
    // They stand in the order in which they were written.
    pages.sort_by_cached_key(|page| place(&document, *page));
    let free = document.objects.keys().map(|id| id.0).max()?.checked_add(1)?;
    Some(catalog(free, free.checked_add(1)?, &pages))
}

/// Where an object stands: in the file, then in the object that holds it.
pub(super) fn place(document: &Document, id: ObjectId) -> (u32, u16, ObjectId) {
    let entry = |number: u32| document.reference_table.get(number);
    match entry(id.0) {
        Some(XrefEntry::Normal { offset, .. }) => (*offset, 0, id),
        Some(XrefEntry::Compressed { container, index }) => match entry(*container) {
            Some(XrefEntry::Normal { offset, .. }) => (*offset, *index, id),
            _ => (u32::MAX, *index, id),
        },
        _ => (u32::MAX, 0, id),
    }
}

fn catalog(number: u32, list: u32, pages: &[ObjectId]) -> Vec<u8> {
    let kids: Vec<String> = pages.iter().map(|(number, generation)| format!("{number} {generation} R")).collect();
    let (kids, count) = (kids.join("\n"), pages.len());
    // A stream that was cut must not swallow what follows.
    let text = format!(
        "\nendstream\nendobj\n{number} 0 obj\n<< /Type /Catalog /Pages {list} 0 R >>\nendobj\n{list} 0 obj\n\
         << /Type /Pages /Count {count} /Kids [{kids}] >>\nendobj\ntrailer\n<< /Root {number} 0 R >>\n"
    );
    text.into_bytes()
}

#[cfg(test)]
mod tests {
    use crate::document::{Conversion, testing};

    fn converted(bytes: &[u8]) -> Conversion {
        testing::converted("a.pdf", bytes, None)
    }

    /// A PDF whose catalog and list of pages stand at its end, and where its pages begin and end in it.
    fn pdf(pages: usize) -> (Vec<u8>, Vec<usize>) {
        let mut bytes = b"%PDF-1.4\n".to_vec();
        let mut places = Vec::new();
        let mut object = |number: usize, body: &str, bytes: &mut Vec<u8>| {
            places.push((number, bytes.len()));
            bytes.extend(format!("{number} 0 obj\n{body}\nendobj\n").bytes());
        };
        object(3, "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>", &mut bytes);
        let mut ends = vec![bytes.len()];
        for page in 0..pages {
            let text = format!("BT /F1 12 Tf 72 700 Td (Words of page {} stand here.) Tj ET", page + 1);
            let content = format!("<</Length {}>>\nstream\n{text}\nendstream", text.len());
            // Numbers tell no order.
            let number = 100 - 2 * page;
            object(number + 1, &content, &mut bytes);
            let head = "<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Resources<</Font<</F1 3 0 R>>>>/Contents";
            object(number, &format!("{head} {} 0 R>>", number + 1), &mut bytes);
            ends.push(bytes.len());
        }
        let kids: Vec<String> = (0..pages).map(|page| format!("{} 0 R", 100 - 2 * page)).collect();
        object(2, &format!("<</Type/Pages/Count {pages}/Kids[{}]>>", kids.join(" ")), &mut bytes);
        object(1, "<</Type/Catalog/Pages 2 0 R>>", &mut bytes);
        let start = bytes.len();
        bytes.extend(b"xref\n0 1\n0000000000 65535 f \n");
        for (number, place) in places {
            bytes.extend(format!("{number} 1\n{place:010} 00000 n \n").bytes());
        }
        bytes.extend(format!("trailer<</Size 102/Root 1 0 R>>\nstartxref\n{start}\n%%EOF\n").bytes());
        (bytes, ends)
    }

    #[test]
    fn the_pages_before_the_cut_are_shown() {
        let (whole, ends) = pdf(5);
        let found = converted(&whole);
        assert_eq!((found.anchors.len(), found.notes.len()), (5, 0), "{found:?}");
        for (pages, end) in ends.iter().enumerate().skip(1) {
            for cut in [*end, end + 40] {
                let found = converted(&whole[..cut]);
                assert_eq!(found.anchors.len(), pages, "{cut}: {found:?}");
                for page in 1..=pages {
                    let at = found.anchors[page - 1].byte as usize;
                    assert!(
                        found.markdown[at..].starts_with(&format!("Words of page {page} stand here.")),
                        "{found:?}"
                    );
                }
                assert!(found.notes[0].message.starts_with("the file is cut off"), "{found:?}");
            }
        }
        let none = converted(&whole[..ends[0]]);
        assert!(none.markdown.is_empty() && none.notes[1].message.contains("no page of it is left"), "{none:?}");
        // What is appended is no damage, and a place that is not told none that was cut off.
        let longer = [whole.as_slice(), &[b' '; 9_000]].concat();
        assert!(converted(&longer).notes.is_empty());
        let start = whole.len() - b"startxref\n0000\n%%EOF\n".len();
        let untold = [&whole[..start], b"%%EOF\n"].concat();
        assert!(converted(&untold).notes.is_empty());
    }
}
