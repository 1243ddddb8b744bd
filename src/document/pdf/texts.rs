//! The texts of pages and where they stand, read once however often they are asked for.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use unpdf::parser::backend::{PdfBackend, RawBackend};
use unpdf::parser::{LayoutAnalyzer, TextSpan};

use super::remembering::Remembering;

/// Pages whose texts are kept: one is asked for with those around it.
const KEPT: usize = 6;

/// The texts of a page; `None` where it cannot be read.
type Spans = Option<Rc<[TextSpan]>>;

/// A document whose pages' texts are read.
pub struct Texts {
    backend: Remembering,
    /// Those of the pages that were read last.
    read: RefCell<BTreeMap<u32, Spans>>,
}

impl Texts {
    /// Those of a document; `None` where it cannot be opened.
    pub fn of(bytes: &[u8]) -> Option<Texts> {
        let backend = Remembering::of(RawBackend::load_bytes(bytes).ok()?);
        Some(Texts { backend, read: RefCell::default() })
    }

    /// What they are read from.
    pub fn backend(&self) -> &dyn PdfBackend {
        &self.backend
    }

    /// How many pages there are.
    pub fn pages(&self) -> u32 {
        self.backend.page_count()
    }

    /// Those of a page, in the order in which it draws them.
    pub fn of_page(&self, page: u32) -> Spans {
        if let Some(known) = self.read.borrow().get(&page) {
            return known.clone();
        }
        let found = LayoutAnalyzer::new(&self.backend).extract_page_spans(page);
        let found: Spans = found.ok().map(Rc::from);
        let mut read = self.read.borrow_mut();
        if read.len() >= KEPT {
            // The furthest one is asked for last.
            let furthest = read.keys().copied().max_by_key(|known| known.abs_diff(page));
            furthest.and_then(|known| read.remove(&known));
        }
        read.insert(page, found.clone());
        found
    }
}

#[cfg(test)]
mod tests {
    use super::super::slim::tests::drawn;
    use super::*;

    #[test]
    fn texts_are_those_that_are_read_anew_and_are_read_once() {
        let content = "3 Tc BT /F1 9 Tf 72 600 Td (Word)Tj 0 -20 Td (Word)Tj /F2 9 Tf 0 -20 Td [(Word)-20(Wo)-900(x)]TJ \
                       ET /X Do";
        let bytes = drawn(content, "BT /F2 9 Tf 72 300 Td (Word)Tj /F1 9 Tf 90 0 Td (Word)Tj ET");
        let backend = RawBackend::load_bytes(&bytes).unwrap();
        let anew = LayoutAnalyzer::new(&backend).extract_page_spans(1).unwrap();
        let texts = Texts::of(&bytes).unwrap();
        let (first, second) = (texts.of_page(1).unwrap(), texts.of_page(1).unwrap());
        assert!(anew.len() > 4 && Rc::ptr_eq(&first, &second));
        assert_eq!(format!("{first:?}"), format!("{anew:?}"));
        assert!(texts.of_page(2).is_none() && texts.pages() == 1);
    }
}
