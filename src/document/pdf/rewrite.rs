//! A PDF made of another with a change, and what its pages show: where the first reader goes wrong, it reads them as they
//! are changed.

use std::ops::ControlFlow;

use lopdf::{Dictionary, Document, Object, ObjectId, Stream};
use unpdf::model::Page;
use unpdf::{PageSelection, PageStreamOptions, ParseEvent, PdfParser};

use super::second::open_plain;

/// Bytes of a PDF of which another is made, all of it in memory.
const BYTES_MAX: usize = 64 << 20;
/// Nodes between a page and the root of its tree.
const PARENTS_MAX: usize = 64;

/// One page; `None` where it cannot be read.
pub fn page_of(parser: &PdfParser, number: u32) -> Option<Page> {
    let options = PageStreamOptions { pages: PageSelection::Pages(vec![number]), ..PageStreamOptions::default() };
    let mut found = None;
    let done = parser.for_each_page(options, |event| {
        if let ParseEvent::PageParsed(page) = event {
            found = Some(page);
        }
        ControlFlow::Continue(())
    });
    done.ok()?;
    found
}

/// The document with each page changed. A page that cannot be changed stays as it is.
pub fn changed(bytes: &[u8], change: impl Fn(&mut Document, ObjectId) -> Option<()>) -> Option<PdfParser> {
    rewritten(bytes, |document| {
        for page in document.get_pages().into_values() {
            let _ = change(document, page);
        }
    })
}

/// The document with a change; `None` where it cannot be made.
pub fn rewritten(bytes: &[u8], change: impl FnOnce(&mut Document)) -> Option<PdfParser> {
    let mut document = open_plain(bytes).ok().filter(|_| bytes.len() <= BYTES_MAX)?;
    if document.is_encrypted() || document.was_encrypted() {
        return None;
    }
    change(&mut document);
    let mut made = Vec::with_capacity(bytes.len() + (64 << 10));
    document.save_to(&mut made).ok()?;
    PdfParser::from_bytes(&made).ok()
}

/// Has a page's content drawn as told first, on a page of that left, bottom, right and top.
pub fn draw_within(document: &mut Document, page: ObjectId, first: &str, corners: [f32; 4]) -> Option<()> {
    let begin = Stream::new(Dictionary::new(), format!("q {first}\n").into_bytes());
    let end = Stream::new(Dictionary::new(), b"\nQ\n".to_vec());
    let (begin, end) = (document.add_object(begin), document.add_object(end));
    let contents = [begin].into_iter().chain(document.get_page_contents(page)).chain([end]);
    let contents = contents.map(Object::Reference).collect::<Vec<_>>();
    let inner = document.get_dictionary_mut(page).ok()?;
    inner.set("Contents", contents);
    for name in ["MediaBox", "CropBox"] {
        inner.set(name, corners.map(Object::Real).to_vec());
    }
    Some(())
}

/// The left, bottom, right and top of what is shown of a page.
pub fn shown(document: &Document, page: ObjectId) -> Option<[f32; 4]> {
    let shown = inherited(document, page, b"CropBox").or_else(|| inherited(document, page, b"MediaBox"))?;
    corners(document, &shown)
}

/// A page's value, or that of the nearest node above it that has one.
pub fn inherited(document: &Document, page: ObjectId, key: &[u8]) -> Option<Object> {
    let mut node = document.get_dictionary(page).ok()?;
    for _ in 0..PARENTS_MAX {
        if let Ok(value) = node.get_deref(key, document) {
            return Some(value.clone());
        }
        node = node.get_deref(b"Parent", document).ok()?.as_dict().ok()?;
    }
    None
}

/// A rectangle's left, bottom, right and top.
pub fn corners(document: &Document, rect: &Object) -> Option<[f32; 4]> {
    let (_, rect) = document.dereference(rect).ok()?;
    let number = |value: &Object| document.dereference(value).ok()?.1.as_float().ok();
    let numbers: Vec<f32> = rect.as_array().ok()?.iter().map_while(number).collect();
    let [x, y, z, w] = *numbers.as_slice() else { return None };
    Some([x.min(z), y.min(w), x.max(z), y.max(w)])
}
