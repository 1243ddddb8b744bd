//! The outline's pages: an entry leads to a page, or to a name that the document keeps pages under.

use std::collections::{HashMap, HashSet};

use lopdf::{Dictionary, Document, Object, ObjectId};
use unpdf::model::OutlineItem as Bookmark;

use crate::document::out::Out;
use crate::document::piece::OutlineItem;

/// Levels and entries of the outline that are passed on.
const OUTLINE_DEPTH: u32 = 32;
const OUTLINE_MAX: usize = 10_000;
/// Names that are known, and nodes of their tree that are looked into.
const NAMES_MAX: usize = 200_000;
const NODES_MAX: usize = 20_000;
/// Names that lead to names.
const HOPS_MAX: usize = 8;

/// Passes the outline on, without recursion. `document` is opened where an entry's page is not known.
pub(super) fn say_outline<'a>(
    items: Vec<Bookmark>,
    document: impl FnOnce() -> Option<&'a Document>,
    out: &mut Out<'_>,
) {
    let mut waiting: Vec<(u32, Bookmark)> = items.into_iter().rev().map(|item| (1, item)).collect();
    let mut told = Vec::new();
    while let Some((level, mut item)) = waiting.pop() {
        if told.len() == OUTLINE_MAX {
            break;
        }
        if level < OUTLINE_DEPTH {
            waiting.extend(item.children.drain(..).rev().map(|child| (level + 1, child)));
        }
        told.push(OutlineItem { level, title: item.title, page: item.page });
    }
    if told.iter().any(|item| item.page.is_none()) {
        let pages = document().map(pages_of).unwrap_or_default();
        // Both walk it in the same order; where they differ, nothing can be said.
        if pages.len() == told.len() {
            for (item, page) in told.iter_mut().zip(pages) {
                item.page = item.page.or(page);
            }
        }
    }
    for item in told {
        out.outline(item);
    }
}

/// The pages of the outline's entries, in the order in which they stand.
fn pages_of(document: &Document) -> Vec<Option<u32>> {
    let Ok(catalog) = document.catalog() else { return Vec::new() };
    let numbers: HashMap<ObjectId, u32> = document.get_pages().into_iter().map(|(number, id)| (id, number)).collect();
    let targets = Targets { document, numbers, named: named(document, catalog) };
    let first = |node: &Dictionary, key: &[u8]| node.get(key).and_then(Object::as_reference).ok();
    let outlines = catalog.get_deref(b"Outlines", document).and_then(Object::as_dict).ok();
    let mut waiting: Vec<(u32, ObjectId)> =
        outlines.and_then(|node| first(node, b"First")).map(|id| (1, id)).into_iter().collect();
    let (mut seen, mut pages) = (HashSet::new(), Vec::new());
    while let Some((level, id)) = waiting.pop() {
        let Ok(item) = document.get_dictionary(id) else { continue };
        if pages.len() == OUTLINE_MAX || !seen.insert(id) {
            continue;
        }
        pages.push(targets.page(item));
        waiting.extend(first(item, b"Next").map(|next| (level, next)));
        if level < OUTLINE_DEPTH {
            waiting.extend(first(item, b"First").map(|child| (level + 1, child)));
        }
    }
    pages
}

/// What entries lead to.
struct Targets<'a> {
    document: &'a Document,
    numbers: HashMap<ObjectId, u32>,
    named: HashMap<Vec<u8>, &'a Object>,
}

impl Targets<'_> {
    /// The page of an entry: its destination's, or that of the action that goes there.
    fn page(&self, item: &Dictionary) -> Option<u32> {
        let action = || {
            let action = item.get_deref(b"A", self.document).and_then(Object::as_dict).ok()?;
            // Other actions lead to other files and to the web.
            let goes = action.get(b"S").and_then(Object::as_name).is_ok_and(|name| name == b"GoTo");
            action.get(b"D").ok().filter(|_| goes)
        };
        let mut target = item.get(b"Dest").ok().or_else(action)?;
        for _ in 0..HOPS_MAX {
            target = match self.document.dereference(target).ok()?.1 {
                Object::Array(place) => return self.number(place.first()?),
                Object::Dictionary(place) => place.get(b"D").ok()?,
                Object::String(name, _) | Object::Name(name) => self.named.get(name)?,
                _ => return None,
            };
        }
        None
    }

    /// The number of a page, from 1; some programs write that, from 0, in the place of the page.
    fn number(&self, page: &Object) -> Option<u32> {
        match page {
            Object::Reference(id) => self.numbers.get(id).copied(),
            Object::Integer(index) => {
                let number = u32::try_from(*index).ok()?.checked_add(1)?;
                (number as usize <= self.numbers.len()).then_some(number)
            }
            _ => None,
        }
    }
}

/// The places that have names: those of the catalog's dictionary, and those of its tree of names.
fn named<'a>(document: &'a Document, catalog: &'a Dictionary) -> HashMap<Vec<u8>, &'a Object> {
    let dictionary = |node: &'a Dictionary, key: &[u8]| node.get_deref(key, document).and_then(Object::as_dict).ok();
    let mut named: HashMap<Vec<u8>, &Object> = HashMap::new();
    if let Some(places) = dictionary(catalog, b"Dests") {
        named.extend(places.iter().take(NAMES_MAX).map(|(name, place)| (name.clone(), place)));
    }
    let root = dictionary(catalog, b"Names").and_then(|names| dictionary(names, b"Dests"));
    let (mut waiting, mut seen): (Vec<&Dictionary>, _) = (root.into_iter().collect(), HashSet::new());
    let mut nodes = 0;
    while let Some(node) = waiting.pop() {
        nodes += 1;
        if nodes > NODES_MAX || named.len() >= NAMES_MAX {
            break;
        }
        if let Ok(Object::Array(pairs)) = node.get_deref(b"Names", document) {
            for [name, place] in pairs.as_chunks::<2>().0 {
                let name = document.dereference(name).and_then(|(_, name)| name.as_str());
                if let Ok(name) = name {
                    named.insert(name.to_vec(), place);
                }
            }
        }
        if let Ok(Object::Array(kids)) = node.get_deref(b"Kids", document) {
            let new = kids.iter().filter_map(|kid| kid.as_reference().ok()).filter(|kid| seen.insert(*kid));
            waiting.extend(new.filter_map(|kid| document.get_dictionary(kid).ok()));
        }
    }
    named
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::content::{MemoryBytes, Watch};
    use crate::document::{Request, collect};

    /// Three pages, and an outline whose entries lead to them in every way there is.
    fn pdf() -> Vec<u8> {
        let mut document = Document::with_version("1.5");
        let name = |text: &str| Object::Name(text.as_bytes().to_vec());
        let text = |text: &str| Object::string_literal(text);
        let dictionary = |entries: Vec<(&str, Object)>| {
            Object::Dictionary(entries.into_iter().map(|(key, value)| (key.as_bytes().to_vec(), value)).collect())
        };
        let tree = document.new_object_id();
        let sides: Vec<Object> = [0, 0, 612, 792].map(Object::Integer).to_vec();
        let page = |document: &mut Document| {
            let page = vec![("Type", name("Page")), ("Parent", tree.into()), ("MediaBox", sides.clone().into())];
            document.add_object(dictionary(page))
        };
        let pages = [page(&mut document), page(&mut document), page(&mut document)];
        let kids: Vec<Object> = pages.map(Object::Reference).to_vec();
        document
            .objects
            .insert(tree, dictionary(vec![("Type", name("Pages")), ("Kids", kids.into()), ("Count", 3.into())]));
        let place = |page: usize| Object::Array(vec![pages[page].into(), name("Fit")]);
        let first = document.add_object(place(1));
        let leaf = vec![text("in tree"), first.into(), text("in tree, too"), dictionary(vec![("D", place(2))])];
        let leaf = document.add_object(dictionary(vec![("Names", leaf.into())]));
        // A tree that holds itself is walked once.
        let around = document.new_object_id();
        document
            .objects
            .insert(around, dictionary(vec![("Kids", vec![Object::Reference(leaf), around.into()].into())]));
        let ways = [
            ("Dest", text("in tree")),
            ("A", dictionary(vec![("S", name("GoTo")), ("D", text("in tree, too"))])),
            ("Dest", name("in dictionary")),
            ("Dest", place(2)),
            ("Dest", text("nowhere")),
            ("A", dictionary(vec![("S", name("URI"))])),
        ];
        let ids: Vec<ObjectId> = ways.iter().map(|_| document.new_object_id()).collect();
        for (at, (key, way)) in ways.into_iter().enumerate() {
            let mut item = vec![("Title", text(&format!("Entry {at}"))), (key, way)];
            // The second stands below the first.
            let next = match at {
                0 => {
                    item.push(("First", ids[1].into()));
                    ids.get(2)
                }
                1 => None,
                _ => ids.get(at + 1),
            };
            item.extend(next.map(|next| ("Next", (*next).into())));
            document.objects.insert(ids[at], dictionary(item));
        }
        let outlines = document.add_object(dictionary(vec![("First", ids[0].into())]));
        let catalog = dictionary(vec![
            ("Type", name("Catalog")),
            ("Pages", tree.into()),
            ("Outlines", outlines.into()),
            ("Dests", dictionary(vec![("in dictionary", place(0))])),
            ("Names", dictionary(vec![("Dests", around.into())])),
        ]);
        let catalog = document.add_object(catalog);
        document.trailer.set("Root", catalog);
        let mut bytes = Vec::new();
        document.save_to(&mut bytes).unwrap();
        bytes
    }

    #[test]
    fn entries_that_lead_to_names_have_pages() {
        let (bytes, watch) = (MemoryBytes(pdf()), Watch::default());
        let request = Request {
            name: "a.pdf",
            bytes: &bytes,
            limits: None,
            max_bytes: 1 << 20,
            second_reader_from: None,
            watch: &watch,
        };
        let outline = collect(&request).unwrap().outline;
        let told: Vec<_> = outline.iter().map(|item| (item.level, item.title.as_str(), item.page)).collect();
        let pages = [(1, Some(2)), (2, Some(3)), (1, Some(1)), (1, Some(3)), (1, None), (1, None)];
        let titles = ["Entry 0", "Entry 1", "Entry 2", "Entry 3", "Entry 4", "Entry 5"];
        let wanted: Vec<_> = pages.into_iter().zip(titles).map(|((level, page), title)| (level, title, page)).collect();
        assert_eq!(told, wanted);
    }
}
