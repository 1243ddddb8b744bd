//! A PDF's list of pages, where some of it is damaged: every page keeps its number, and its content where that is left.

use std::collections::{BTreeSet, HashMap, HashSet};

use memchr::memmem;
use unpdf::parser::raw::tokenizer::parse_object;
use unpdf::parser::raw::{PdfDict, PdfObject, RawDocument, xref};

use super::objects::written_dictionary;
use super::streams::last_number;
use super::{Damage, Id};
use crate::document::pdf::{cut, open_plain};

/// Levels of the list, pages in it, and objects that are looked at for pages that it has lost.
const LEVELS_MAX: u32 = 64;
const PAGES_MAX: usize = 100_000;
const OBJECTS_MAX: u32 = 1_000_000;
/// Pages that stand in for what one damaged entry may have held.
const LOST_MAX: usize = 1_000;
/// Bytes of a damaged object that are looked at.
const ENTRY_MAX: usize = 16 << 10;
/// What a page is made of.
const PAGE_KEYS: &[&str] = &["Contents", "Resources", "MediaBox", "CropBox", "Rotate", "Annots", "Parent"];

/// A list of pages as it is to be.
pub struct Listed {
    /// The objects that make it so.
    pub objects: Vec<(Id, Vec<u8>)>,
    pub pages: Vec<Leaf>,
}

/// A page of the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Leaf {
    pub id: Id,
    pub damage: Option<Damage>,
}

/// The list of pages without its damage; `None` where there is none, or where nothing can be done about it.
pub fn listed(document: &RawDocument, bytes: &[u8]) -> Option<Listed> {
    let root = document.catalog().ok()?.get(&b"Pages"[..])?.as_reference()?;
    let found = document.pages();
    let told = document.declared_page_count();
    if document.scan_page_tree().unresolved_nodes == 0 && told.is_some_and(|told| told as usize <= found.len()) {
        return None;
    }
    let size = document.trailer().get(&b"Size"[..]).and_then(PdfObject::as_i64).unwrap_or_default();
    let free = u32::try_from(size).unwrap_or_default().max(highest(bytes)).checked_add(1)?;
    let known = found.values().copied().collect();
    let mut walk = Walk {
        document,
        bytes,
        root,
        seen: HashSet::new(),
        known,
        orphans: None,
        objects: Vec::new(),
        free,
        places: None,
    };
    walk.seen.insert(root);
    let pages = walk.node(root, 0)?;
    let same = pages.len() == found.len() && pages.iter().zip(found.values()).all(|(leaf, id)| leaf.id == *id);
    if pages.is_empty() || pages.len() > PAGES_MAX || same {
        return None;
    }
    // What pages have in common stays where it is; only their order is told anew.
    let mut top = walk.objects.iter().find(|(id, _)| *id == root).map(|(_, entries)| entries.clone());
    walk.objects.retain(|(id, _)| *id != root);
    let entries = top.get_or_insert_with(|| document.get_dict(root).cloned().unwrap_or_default());
    let kids = pages.iter().map(|leaf| PdfObject::Reference(leaf.id.0, leaf.id.1)).collect();
    entries.insert(b"Type".to_vec(), PdfObject::Name(b"Pages".to_vec()));
    entries.insert(b"Kids".to_vec(), PdfObject::Array(kids));
    entries.insert(b"Count".to_vec(), PdfObject::Integer(i64::try_from(pages.len()).unwrap_or_default()));
    walk.objects.push((root, entries.clone()));
    let objects = walk.objects.iter().map(|(id, entries)| (*id, written_dictionary(entries).into_bytes())).collect();
    Some(Listed { objects, pages })
}

/// The highest number of an object that stands in the file by itself.
fn highest(bytes: &[u8]) -> u32 {
    begins(bytes).map(|(id, _)| id.0).max().unwrap_or_default()
}

/// The objects that stand in the file by themselves, with the place of the word that begins each.
fn begins(bytes: &[u8]) -> impl Iterator<Item = (Id, usize)> + '_ {
    let begun = memmem::find_iter(bytes, b"obj").filter_map(|word| Some((number_before(bytes, word)?, word)));
    begun.filter(|(id, _)| id.0 <= OBJECTS_MAX)
}

/// The number that stands before the word with which an object begins.
fn number_before(bytes: &[u8], word: usize) -> Option<Id> {
    let before = bytes.get(word.saturating_sub(24)..word)?;
    let (before, generation) = last_number(before)?;
    let (before, number) = last_number(before.strip_suffix(b" ")?)?;
    let apart = before.last().is_none_or(u8::is_ascii_whitespace);
    let id = (u32::try_from(number).ok()?, u16::try_from(generation).ok()?);
    Some(id).filter(|_| apart)
}

struct Walk<'a> {
    document: &'a RawDocument,
    bytes: &'a [u8],
    root: Id,
    /// Nodes that were come to.
    seen: HashSet<Id>,
    /// Pages that the list leads to as it is.
    known: BTreeSet<Id>,
    /// Pages that it does not lead to, by the node that they say they are below, once they were needed.
    orphans: Option<HashMap<Id, Vec<Id>>>,
    /// Objects that take the place of damaged ones.
    objects: Vec<(Id, PdfDict)>,
    /// A number that no object has.
    free: u32,
    /// Where objects stand by themselves, else where the file tells them to be, once it was needed.
    places: Option<HashMap<Id, usize>>,
}

/// An entry of a node's list.
enum Slot {
    Pages(Vec<Leaf>),
    /// Nothing can be read there; the number, where no other object has it.
    Lost(Option<Id>),
    /// A page that stood in the list before.
    Again,
}

impl Walk<'_> {
    /// The pages of a node; `None` where it is none, or cannot be read.
    fn node(&mut self, id: Id, level: u32) -> Option<Vec<Leaf>> {
        if level > LEVELS_MAX {
            return None;
        }
        let document = self.document;
        let (entries, damage) = match document.get_dict(id) {
            Ok(entries) => (entries.clone(), None),
            Err(_) => (self.salvaged(id)?, Some(Damage::Entry)),
        };
        let kind = entries.get(&b"Type"[..]).and_then(PdfObject::as_name);
        if kind == Some(b"Page") && damage.is_none() {
            return Some(vec![Leaf { id, damage }]);
        }
        if kind == Some(b"Pages") || entries.contains_key(&b"Kids"[..]) {
            let pages = self.kids(id, &entries, level);
            if damage.is_some() {
                self.objects.push((id, entries));
            }
            return Some(pages);
        }
        let has = |key: &[u8]| entries.contains_key(key);
        if !(has(b"Contents") || has(b"MediaBox")) || has(b"Subtype") {
            return None;
        }
        let mut entries = entries;
        entries.insert(b"Type".to_vec(), PdfObject::Name(b"Page".to_vec()));
        self.objects.push((id, entries));
        Some(vec![Leaf { id, damage }])
    }

    fn kids(&mut self, id: Id, entries: &PdfDict, level: u32) -> Vec<Leaf> {
        let document = self.document;
        let kids = entries.get(&b"Kids"[..]).map(|kids| document.resolve(kids)).and_then(PdfObject::as_array);
        let told = entries.get(&b"Count"[..]).map(|count| document.resolve(count)).and_then(PdfObject::as_i64);
        let mut slots: Vec<Slot> = Vec::new();
        for kid in kids.unwrap_or_default().iter().take(PAGES_MAX) {
            let slot = match kid.as_reference() {
                Some(kid) if !self.seen.insert(kid) => {
                    if self.known.contains(&kid) {
                        Slot::Again
                    } else {
                        Slot::Pages(Vec::new())
                    }
                }
                Some(kid) => match self.node(kid, level + 1) {
                    Some(pages) => Slot::Pages(pages),
                    // Pages may tell what they were below.
                    None => match self.orphans(kid) {
                        pages if pages.is_empty() => Slot::Lost(Some(kid).filter(|kid| self.is_free(*kid))),
                        pages => Slot::Pages(pages),
                    },
                },
                None => Slot::Lost(None),
            };
            slots.push(slot);
        }
        let count = |slots: &[Slot]| -> usize {
            let count = |slot: &Slot| if let Slot::Pages(pages) = slot { pages.len() } else { 0 };
            slots.iter().map(count).sum()
        };
        let told = told.and_then(|told| usize::try_from(told).ok()).unwrap_or_default();
        let mut missing = told.saturating_sub(count(&slots));
        let lost = slots.iter().filter(|slot| matches!(slot, Slot::Lost(_))).count();
        if missing > lost {
            slots.iter_mut().filter(|slot| matches!(slot, Slot::Again)).for_each(|slot| *slot = Slot::Lost(None));
        }
        let orphans = if missing > 0 { self.orphans(id) } else { Vec::new() };
        let mut orphans = orphans.into_iter().take(missing);
        // Which of the lost entries a page was is told by their order alone.
        for slot in slots.iter_mut().filter(|slot| matches!(slot, Slot::Lost(_))) {
            let Some(page) = orphans.next() else { break };
            *slot = Slot::Pages(vec![page]);
        }
        slots.extend(orphans.map(|page| Slot::Pages(vec![page])));
        missing = told.saturating_sub(count(&slots));
        let mut lost = slots.iter().filter(|slot| matches!(slot, Slot::Lost(_))).count();
        let mut pages = Vec::new();
        for slot in slots {
            match slot {
                Slot::Pages(found) => pages.extend(found),
                Slot::Again => {}
                // By the number of its pages, the list has no more.
                Slot::Lost(_) if told > 0 && missing == 0 => {}
                Slot::Lost(id) => {
                    pages.push(self.stand_in(id));
                    lost -= 1;
                    missing = missing.saturating_sub(1);
                    // One entry may have held many.
                    let more = if lost == 0 && missing <= LOST_MAX { missing } else { 0 };
                    pages.extend((0..more).map(|_| self.stand_in(None)));
                }
            }
        }
        pages
    }

    /// A page without anything on it.
    fn stand_in(&mut self, id: Option<Id>) -> Leaf {
        let id = id.unwrap_or_else(|| {
            while self.document.get_object((self.free, 0)).is_some() {
                self.free = self.free.saturating_add(1);
            }
            let id = (self.free, 0);
            self.free = self.free.saturating_add(1);
            id
        });
        let page = PdfObject::Name(b"Page".to_vec());
        let parent = PdfObject::Reference(self.root.0, self.root.1);
        self.objects.push((id, [(b"Type".to_vec(), page), (b"Parent".to_vec(), parent)].into()));
        Leaf { id, damage: Some(Damage::Lost) }
    }

    /// The pages below a node that the list does not lead to, in the order in which they stand in the file.
    fn orphans(&mut self, parent: Id) -> Vec<Leaf> {
        let (document, bytes, known) = (self.document, self.bytes, &self.known);
        let orphans = self.orphans.get_or_insert_with(|| {
            let mut found: HashMap<Id, Vec<Id>> = HashMap::new();
            for id in (1..self.free.min(OBJECTS_MAX)).map(|number| (number, 0)).filter(|id| !known.contains(id)) {
                let Some(entries) = document.get_object(id).and_then(PdfObject::as_dict) else { continue };
                let is_page = entries.get(&b"Type"[..]).and_then(PdfObject::as_name) == Some(b"Page");
                let parent = entries.get(&b"Parent"[..]).and_then(PdfObject::as_reference);
                if let Some(parent) = parent.filter(|_| is_page) {
                    found.entry(parent).or_default().push(id);
                }
            }
            if found.values().any(|pages| pages.len() > 1)
                && let Ok(plain) = open_plain(bytes)
            {
                found.values_mut().for_each(|pages| pages.sort_by_cached_key(|page| cut::place(&plain, *page)));
            }
            found
        });
        let pages = orphans.remove(&parent).unwrap_or_default();
        pages.into_iter().filter(|id| self.seen.insert(*id)).map(|id| Leaf { id, damage: None }).collect()
    }

    /// Whether a number has no object that anything could be made of.
    fn is_free(&self, id: Id) -> bool {
        use PdfObject::{Array, Dict, Reference, Stream};
        !matches!(self.document.get_object(id), Some(Array(_) | Dict(_) | Reference(..) | Stream(_)))
    }

    /// What can be told of an object that cannot be read.
    fn salvaged(&mut self, id: Id) -> Option<PdfDict> {
        if !self.is_free(id) {
            return None;
        }
        let text = self.text(id)?;
        let mut entries = PdfDict::new();
        for key in PAGE_KEYS {
            if let Some(value) = value_of(text, key) {
                entries.insert(key.as_bytes().to_vec(), value);
            }
        }
        if let Some(at) = memmem::find(text, b"/Kids") {
            let kids = references(text.get(at..)?);
            entries.insert(b"Type".to_vec(), PdfObject::Name(b"Pages".to_vec()));
            entries.insert(b"Kids".to_vec(), PdfObject::Array(kids));
            if let Some(count) = value_of(text, "Count") {
                entries.insert(b"Count".to_vec(), count);
            }
            entries.remove(&b"Contents"[..]);
        }
        Some(entries).filter(|entries| !entries.is_empty())
    }

    /// The text of an object, where it stands in the file by itself.
    fn text(&mut self, id: Id) -> Option<&[u8]> {
        let bytes = self.bytes;
        let places = self.places.get_or_insert_with(|| {
            let entries = xref::parse_xref_chain(bytes).map(|(table, _)| table.entries).unwrap_or_default();
            let place = |(id, entry)| match entry {
                xref::XrefEntry::Uncompressed(at) => Some((id, at)),
                xref::XrefEntry::Compressed(..) => None,
            };
            let told = entries.into_iter().filter_map(place);
            // The last of a number counts.
            told.chain(begins(bytes).map(|(id, at)| (id, at + b"obj".len()))).collect()
        });
        let at = places.get(&id).copied()?;
        let text = bytes.get(at..bytes.len().min(at.saturating_add(ENTRY_MAX)))?;
        let ends = [&b"endobj"[..], b"stream"].map(|word| memmem::find(text, word).unwrap_or(text.len()));
        let text = text.get(..ends.into_iter().min()?)?;
        // Where nothing is left of it, what stands there is another object.
        let other = memmem::find_iter(text, b"obj").filter_map(|word| number_before(text, word));
        if other.into_iter().any(|other| other != id && self.document.get_object(other).is_some()) {
            return None;
        }
        Some(text)
    }
}

/// The value behind a key, where both are whole.
fn value_of(text: &[u8], key: &str) -> Option<PdfObject> {
    let name = format!("/{key}");
    let mut ends = memmem::find_iter(text, name.as_bytes()).map(|at| at + name.len());
    let end = ends.find(|end| text.get(*end).is_some_and(|next| !next.is_ascii_alphanumeric()))?;
    let (value, _) = parse_object(text, end).ok()?;
    Some(value).filter(|value| !matches!(value, PdfObject::Stream(_)))
}

/// The references of a list of which some entries may be damaged.
fn references(text: &[u8]) -> Vec<PdfObject> {
    let text = text.split(|byte| *byte == b']').next().unwrap_or_default();
    let words: Vec<&[u8]> = text.split(|byte| !byte.is_ascii_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let number = |word: &[u8]| std::str::from_utf8(word).ok()?.parse::<u32>().ok();
    let reference = |words: &[&[u8]]| match words {
        [number_word, generation, b"R"] => {
            let generation = u16::try_from(number(generation)?).ok()?;
            Some(PdfObject::Reference(number(number_word)?, generation))
        }
        _ => None,
    };
    words.windows(3).filter_map(reference).take(PAGES_MAX).collect()
}
