//! The second reader of PDFs, `lopdf`: the text of a page without structure, and whether the page has content at all.

use lopdf::{Document, Error, LoadOptions, Object, ObjectId};

/// Bytes that one stream may unpack to.
const STREAM_MAX: usize = 64 << 20;

/// Opens a PDF with the second reader.
///
/// # Errors
/// Where it cannot be read, or needs a password.
pub fn open_plain(bytes: &[u8]) -> lopdf::Result<Document> {
    let options = LoadOptions { max_decompressed_size: Some(STREAM_MAX), ..LoadOptions::default() };
    Document::load_mem_with_options(bytes, options)
}

/// A document, and its pages in order: the tree that lists them is walked once, and not for each page.
pub struct Second {
    document: Document,
    pages: Vec<ObjectId>,
}

impl Second {
    /// The reader of a document.
    pub fn of(document: Document) -> Second {
        let pages = document.page_iter().collect();
        Second { document, pages }
    }

    /// The document.
    pub fn document(&self) -> &Document {
        &self.document
    }

    /// How many pages it has, and the number of the last.
    pub fn pages(&self) -> u32 {
        u32::try_from(self.pages.len()).unwrap_or(u32::MAX)
    }

    /// The text of a page, counted from 1.
    ///
    /// # Errors
    /// Where there is no such page, or its content or a font of it cannot be read.
    pub fn text(&mut self, page: u32) -> lopdf::Result<String> {
        let id = self.id(page).ok_or(Error::PageNumberNotFound(page))?;
        // Asked for a page by its number, the crate walks the whole tree: it is given one that lists this page alone.
        let all = self.list(vec![Object::Reference(id)].into())?;
        let text = self.document.extract_text_with_limit(&[1], STREAM_MAX);
        self.list(all)?;
        text
    }

    /// Whether a page's content is in no place.
    pub fn lacks_content(&self, page: u32) -> bool {
        let parts = self.id(page).map(|id| self.document.get_page_contents(id)).unwrap_or_default();
        parts.iter().any(|part| !self.document.objects.contains_key(part))
    }

    fn id(&self, page: u32) -> Option<ObjectId> {
        self.pages.get((page as usize).checked_sub(1)?).copied()
    }

    /// Puts others in the place of what the root of the tree of pages lists, and gives that.
    fn list(&mut self, kids: Object) -> lopdf::Result<Object> {
        let root = self.document.catalog()?.get(b"Pages")?.as_reference()?;
        let listed = self.document.get_dictionary_mut(root)?.get_mut(b"Kids")?;
        Ok(std::mem::replace(listed, kids))
    }
}

#[cfg(test)]
mod tests {
    use lopdf::{Dictionary, Stream};

    use super::*;

    fn dictionary(entries: Vec<(&str, Object)>) -> Object {
        Object::Dictionary(entries.into_iter().map(|(key, value)| (key.as_bytes().to_vec(), value)).collect())
    }

    fn name(text: &str) -> Object {
        Object::Name(text.as_bytes().to_vec())
    }

    /// Pages in a tree of two levels, whose font the lower one tells; the content of the third is in no place, and the
    /// list of the root stands apart.
    fn document() -> Document {
        let mut document = Document::with_version("1.5");
        let font = vec![("Type", name("Font")), ("Subtype", name("Type1")), ("BaseFont", name("Helvetica"))];
        let font = document.add_object(dictionary(font));
        let root = document.new_object_id();
        let mut nodes = Vec::new();
        for first in [1, 4] {
            let node = document.new_object_id();
            let mut pages = Vec::new();
            for page in first..first + 3 {
                let content = format!("BT /F1 12 Tf 72 700 Td (Page {page}) Tj ET");
                let content = match page {
                    3 => document.new_object_id(),
                    _ => document.add_object(Stream::new(Dictionary::new(), content.into_bytes())),
                };
                let entry = vec![("Type", name("Page")), ("Parent", node.into()), ("Contents", content.into())];
                pages.push(document.add_object(dictionary(entry)).into());
            }
            let fonts = dictionary(vec![("Font", dictionary(vec![("F1", font.into())]))]);
            let kind = ("Type", name("Pages"));
            let entry = vec![kind, ("Parent", root.into()), ("Kids", Object::Array(pages)), ("Resources", fonts)];
            document.objects.insert(node, dictionary(entry));
            nodes.push(node.into());
        }
        let kids = document.add_object(Object::Array(nodes));
        document.objects.insert(root, dictionary(vec![("Type", name("Pages")), ("Kids", kids.into())]));
        let catalog = document.add_object(dictionary(vec![("Type", name("Catalog")), ("Pages", root.into())]));
        document.trailer.set("Root", catalog);
        document
    }

    #[test]
    fn each_page_is_read_by_itself_and_the_tree_stays_as_it_is() {
        let (whole, mut second) = (document(), Second::of(document()));
        assert_eq!(second.pages(), 6);
        for page in [6, 1, 3, 4, 1, 2, 5] {
            assert_eq!(second.text(page).ok(), whole.extract_text(&[page]).ok(), "{page}");
            assert_eq!(second.text(page).is_ok_and(|text| text.contains(&format!("Page {page}"))), page != 3, "{page}");
            assert_eq!(second.lacks_content(page), page == 3, "{page}");
        }
        assert!(second.text(0).is_err() && second.text(7).is_err() && !second.lacks_content(7));
        assert_eq!(second.document().objects, whole.objects);
    }

    #[test]
    fn a_document_without_a_tree_has_no_pages() {
        let mut second = Second::of(Document::with_version("1.5"));
        assert_eq!((second.pages(), second.text(1).is_err()), (0, true));
    }
}
