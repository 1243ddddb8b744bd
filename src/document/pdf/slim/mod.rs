//! A PDF as its first reader reads it fastest: each page stands right below the root with what it inherits, since for each
//! text that reader climbs up to the root; contents stand unpacked and without what leaves no trace in their text, and
//! pictures without their bytes. What is read of it is the same.

mod content;
#[cfg(test)]
pub mod tests;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::iter::{IntoParallelIterator, ParallelIterator};
use unpdf::parser::raw::{PdfDict, PdfObject, PdfStream, RawDocument, stream};

use super::mend::{Id, append, written_dictionary};

/// Pages, forms and pictures of a document that is made so, and bytes of contents that stand unpacked.
const PAGES_MAX: usize = 20_000;
const DRAWN_MAX: usize = 20_000;
const UNPACKED_MAX: usize = 64 << 20;
/// Forms that cannot be unpacked, before all that are left stay as they are.
const FAILED_MAX: usize = 16;
/// Nodes between a page and the root of its tree.
const PARENTS_MAX: usize = 64;
/// What a page keeps of its own, and what it inherits.
const OWN: [&[u8]; 4] = [b"Type", b"Contents", b"Resources", b"Annots"];
const INHERITED: [&[u8]; 3] = [b"MediaBox", b"CropBox", b"Rotate"];
const RESOURCES: &[u8] = b"Resources";
const PARENT: &[u8] = b"Parent";

/// What a document's pages draw, unpacked.
pub struct Contents {
    pages: BTreeMap<u32, Id>,
    /// Those of the first pages; `None` within for one that is not whole.
    unpacked: BTreeMap<u32, Option<Vec<u8>>>,
}

impl Contents {
    /// Those of a document.
    pub fn of(document: &RawDocument) -> Contents {
        let (pages, left) = (document.pages(), AtomicUsize::new(UNPACKED_MAX));
        let unpacked = |(number, page): (u32, Id)| {
            let is_room = left.load(Ordering::Relaxed) > 0;
            let unpacked = is_room.then(|| unpacked(document, page))?;
            let size = unpacked.as_ref().map_or(0, Vec::len);
            let room = left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| Some(left.saturating_sub(size)));
            room.is_ok_and(|left| left >= size).then_some((number, unpacked))
        };
        let all: Vec<(u32, Id)> = pages.iter().take(PAGES_MAX).map(|(number, id)| (*number, *id)).collect();
        Contents { unpacked: all.into_par_iter().filter_map(unpacked).collect(), pages }
    }

    /// How many pages there are.
    pub fn pages(&self) -> usize {
        self.pages.len()
    }

    /// Those of pages that are whole.
    pub fn whole(&self) -> impl Iterator<Item = &[u8]> {
        self.unpacked.values().flatten().map(Vec::as_slice)
    }
}

/// What a page draws; `None` where a part of it cannot be unpacked.
fn unpacked(document: &RawDocument, page: Id) -> Option<Vec<u8>> {
    match document.resolve(document.get_dict(page).ok()?.get(&b"Contents"[..])?) {
        PdfObject::Stream(content) => stream::decompress(content).ok(),
        PdfObject::Array(parts) => {
            let mut all = Vec::new();
            for part in parts.iter().filter_map(|part| document.resolve(part).as_stream()) {
                all.extend(stream::decompress(part).ok()?);
                all.push(b' ');
            }
            Some(all)
        }
        _ => None,
    }
}

/// The document made so; `None` where it stays as it is.
pub fn slimmed(bytes: &[u8], document: &RawDocument, contents: &Contents) -> Option<Vec<u8>> {
    let pages = &contents.pages;
    let root = document.catalog().ok()?.get(&b"Pages"[..])?.as_reference()?;
    let is_plain = !document.is_encrypted() && !document.xref_reconstructed();
    if !is_plain || pages.is_empty() || pages.len() > PAGES_MAX || pages.values().any(|page| *page == root) {
        return None;
    }
    let mut tree = Tree { document, free: free(document)?, moved: HashMap::new(), objects: Vec::new() };
    let mut drawn = Drawn { document, waiting: Vec::new(), seen: HashSet::new() };
    let mut anew = Vec::new();
    for (number, id) in pages {
        let mut page = tree.page(*id)?;
        drawn.resources(page.get(RESOURCES));
        let content = contents.unpacked.get(number).and_then(Option::as_ref);
        if let Some(content) = content {
            let place = page.get(&b"Contents"[..]).and_then(PdfObject::as_reference);
            let is_stream = |place: &Id| document.get_object(*place).is_some_and(|one| one.as_stream().is_some());
            let place = place.filter(is_stream).or_else(|| tree.new_id())?;
            page.insert(b"Contents".to_vec(), PdfObject::Reference(place.0, place.1));
            anew.push((place, content));
        }
        tree.objects.push((*id, written_dictionary(&page).into_bytes()));
    }
    // Pages may share one.
    let mut seen = HashSet::new();
    anew.retain(|(place, _)| seen.insert(*place));
    let written = |(place, content): (Id, &Vec<u8>)| (place, object(PdfDict::new(), &content::slimmed(content, true)));
    let mut objects: Vec<(Id, Vec<u8>)> = anew.into_par_iter().map(written).collect();
    objects.append(&mut tree.objects);
    objects.extend(drawn.all(&seen));
    let mut list = document.get_dict(root).ok()?.clone();
    list.insert(
        b"Kids".to_vec(),
        PdfObject::Array(pages.values().map(|id| PdfObject::Reference(id.0, id.1)).collect()),
    );
    objects.push((root, written_dictionary(&list).into_bytes()));
    let mut made = bytes.to_vec();
    append(&mut made, &objects, document);
    Some(made)
}

/// A number from which on objects may be new.
fn free(document: &RawDocument) -> Option<u32> {
    let size = document.trailer().get(&b"Size"[..]).and_then(PdfObject::as_i64).unwrap_or(1);
    u32::try_from(size.max(1)).ok()
}

/// A stream that is not packed.
fn object(mut dictionary: PdfDict, content: &[u8]) -> Vec<u8> {
    let size = i64::try_from(content.len()).unwrap_or_default();
    dictionary.insert(b"Length".to_vec(), PdfObject::Integer(size));
    [written_dictionary(&dictionary).as_bytes(), b"\nstream\n", content, b"\nendstream"].concat()
}

/// The tree of pages, whose pages are to stand right below its root.
struct Tree<'a> {
    document: &'a RawDocument,
    free: u32,
    /// What nodes give to the pages below them, as objects of their own.
    moved: HashMap<Id, Id>,
    objects: Vec<(Id, Vec<u8>)>,
}

impl Tree<'_> {
    fn new_id(&mut self) -> Option<Id> {
        while self.document.get_object((self.free, 0)).is_some() {
            self.free = self.free.checked_add(1)?;
        }
        self.free = self.free.checked_add(1)?;
        Some((self.free - 1, 0))
    }

    /// A page with what it inherits. It stays below its node where several give it something of one kind.
    fn page(&mut self, id: Id) -> Option<PdfDict> {
        let above = above(self.document, id);
        let own = above.first()?.1;
        let mut page: PdfDict = OWN.iter().filter_map(|key| Some((key.to_vec(), own.get(*key)?.clone()))).collect();
        for key in INHERITED {
            let value = above.iter().find_map(|(_, entries)| entries.get(key));
            page.extend(value.map(|value| (key.to_vec(), value.clone())));
        }
        let mut giving = above.iter().filter(|(_, entries)| entries.contains_key(RESOURCES));
        match (giving.next(), giving.next()) {
            (None, _) => {}
            (Some((node, entries)), None) => {
                let given = entries.get(RESOURCES)?;
                let given = match given {
                    PdfObject::Dict(inner) if *node != id => {
                        let place = match self.moved.get(node) {
                            Some(place) => *place,
                            None => {
                                let place = self.new_id()?;
                                self.objects.push((place, written_dictionary(inner).into_bytes()));
                                self.moved.insert(*node, place);
                                place
                            }
                        };
                        PdfObject::Reference(place.0, place.1)
                    }
                    given => given.clone(),
                };
                page.insert(RESOURCES.to_vec(), given);
            }
            (Some(_), Some(_)) => page.extend(own.get(PARENT).map(|parent| (PARENT.to_vec(), parent.clone()))),
        }
        Some(page)
    }
}

/// A page and the nodes above it.
fn above(document: &RawDocument, page: Id) -> Vec<(Id, &PdfDict)> {
    let (mut node, mut found) = (Some(page), Vec::new());
    while let Some(id) = node.filter(|id| found.len() < PARENTS_MAX && found.iter().all(|(other, _)| other != id)) {
        let Ok(entries) = document.get_dict(id) else { break };
        found.push((id, entries));
        node = entries.get(PARENT).and_then(PdfObject::as_reference);
    }
    found
}

/// What contents draw that stands elsewhere.
struct Drawn<'a> {
    document: &'a RawDocument,
    waiting: Vec<(Id, &'a PdfStream)>,
    seen: HashSet<Id>,
}

impl<'a> Drawn<'a> {
    /// Notes what resources hold of it.
    fn resources(&mut self, resources: Option<&PdfObject>) {
        let document = self.document;
        let entries = |object: &'a PdfObject| match object {
            PdfObject::Dict(entries) | PdfObject::Stream(PdfStream { dict: entries, .. }) => Some(entries),
            _ => None,
        };
        // A reference leads to what stands in the document; what stands in place is a copy.
        let Some(resources) = resources else { return };
        let names: Vec<Id> = match resources {
            PdfObject::Dict(resources) => ids(document, resources),
            reference => {
                let found = reference.as_reference().and_then(|id| document.get_object(id));
                found
                    .map(|found| document.resolve(found))
                    .and_then(entries)
                    .map_or_else(Vec::new, |all| ids(document, all))
            }
        };
        for id in names {
            if self.seen.len() < DRAWN_MAX
                && self.seen.insert(id)
                && let Some(PdfObject::Stream(found)) = document.get_object(id)
            {
                self.waiting.push((id, found));
            }
        }
    }

    /// All of it but what stands in these places.
    fn all(mut self, but: &HashSet<Id>) -> Vec<(Id, Vec<u8>)> {
        let (mut made, mut left, mut failed) = (Vec::new(), UNPACKED_MAX, 0);
        while let Some((id, drawn)) = self.waiting.pop() {
            if drawn.dict.get(&b"Subtype"[..]).and_then(PdfObject::as_name) != Some(b"Form") {
                let kind = drawn.dict.get_key_value(&b"Subtype"[..]).map(|(key, kind)| (key.clone(), kind.clone()));
                made.push((id, object(kind.into_iter().collect(), b"")));
                continue;
            }
            self.resources(drawn.dict.get(RESOURCES));
            let Ok(content) = stream::decompress(drawn) else {
                failed += 1;
                if failed == FAILED_MAX {
                    break;
                }
                continue;
            };
            // No other one is unpacked to see that it is too large as well.
            let Some(rest) = left.checked_sub(content.len()) else { break };
            left = rest;
            let mut entries = drawn.dict.clone();
            entries.retain(|key, _| !matches!(key.as_slice(), b"Filter" | b"DecodeParms" | b"Length"));
            made.push((id, object(entries, &content::slimmed(&content, false))));
        }
        made.retain(|(id, _)| !but.contains(id));
        made
    }
}

/// What the names of resources lead to that can be drawn.
fn ids(document: &RawDocument, resources: &PdfDict) -> Vec<Id> {
    let named = resources.get(&b"XObject"[..]).map(|named| document.resolve(named));
    let named = match named {
        Some(PdfObject::Dict(named) | PdfObject::Stream(PdfStream { dict: named, .. })) => named,
        _ => return Vec::new(),
    };
    named.values().filter_map(PdfObject::as_reference).collect()
}
