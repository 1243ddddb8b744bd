//! PDFs of which something is damaged: what is left of it is appended to them as an update, so that both readers find
//! it, and every page keeps its number. What is whole is not touched.

mod actual;
mod maps;
mod objects;
mod streams;
#[cfg(test)]
mod tests;
mod tree;

use std::collections::{BTreeMap, HashMap, HashSet};

use unpdf::parser::raw::{PdfDict, PdfObject, RawDocument};

use super::{cut, open_plain};
pub use actual::Untold;
pub use objects::{append, written_dictionary};
use streams::Left;
pub use streams::{Broken, Found, found};

/// An object's number and generation.
pub type Id = (u32, u16);

/// Objects that are looked at for what a page is made of.
const PARTS_MAX: usize = 2_000;
/// Nodes between a page and the root of its tree.
const PARENTS_MAX: usize = 64;

/// What is wrong with a page, the worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Damage {
    /// Nothing is left of it.
    Lost,
    /// Its content breaks off.
    Rest,
    /// What it refers to cannot be found.
    Missing,
    /// Something that it is made of breaks off.
    Part,
    /// Its content has other bytes than were written.
    Wrong,
    /// What it is made of was found, but not as it should be.
    Entry,
}

impl Damage {
    /// What is said of the page.
    #[must_use]
    pub fn message(self) -> &'static str {
        match self {
            Damage::Lost => "the page cannot be read: its entry in the file is damaged",
            Damage::Rest => "the rest of the page cannot be read: its content is damaged",
            Damage::Missing => "a part of the page cannot be read, as what it refers to is lost",
            Damage::Part => "a part of the page cannot be read: it is damaged",
            Damage::Wrong => "some of the page's text may be wrong: its content is damaged",
            Damage::Entry => "the page's entry in the file is damaged; what is left of it is shown",
        }
    }
}

/// A damaged PDF as it can be read.
pub struct Mended {
    pub bytes: Vec<u8>,
    /// What is wrong, by page.
    pub damage: BTreeMap<u32, Damage>,
    /// What is wrong with the whole.
    pub notes: Vec<String>,
}

/// Whether a PDF's objects were all found where it tells them to be, and its pages too.
pub fn is_whole(document: &RawDocument) -> bool {
    let found = document.scan_page_tree();
    let pages = u32::try_from(found.pages.len()).unwrap_or(u32::MAX);
    let is_found = document.skipped_object_count() == 0 && !document.xref_reconstructed();
    let is_listed = document.declared_page_count().is_none_or(|told| told <= pages);
    is_found && is_listed && pages > 0 && found.unresolved_nodes == 0
}

/// What can be done about a PDF's damage; `None` where that is nothing, and nothing is to be said.
pub fn mended(bytes: &[u8], broken: Vec<Broken>) -> Option<Mended> {
    let mut made = bytes.to_vec();
    let mut notes = Vec::new();
    if broken.iter().any(|broken| broken.is_table) {
        objects::forget_places(&mut made);
    }
    let mut document = RawDocument::load(&made).ok();
    if document.as_ref().is_some_and(RawDocument::is_encrypted) {
        return None;
    }
    // An older version of an object is none that counts.
    let counts = |broken: &Broken| {
        let stream = document.as_ref()?.get_object(broken.id)?.as_stream()?;
        Some(bytes.get(broken.from..)?.starts_with(&stream.raw_data))
    };
    let broken: Vec<Broken> = broken.into_iter().filter(|one| !one.is_table && counts(one) == Some(true)).collect();
    let left: HashMap<Id, Left> = broken.iter().map(|broken| (broken.id, broken.left)).collect();
    if let Some(before) = document.as_ref().filter(|_| !broken.is_empty()) {
        let anew: Vec<_> = broken.into_iter().map(|broken| (broken.id, broken.object)).collect();
        objects::append(&mut made, &anew, before);
        document = RawDocument::load(&made).ok();
    }
    let mut lost = BTreeMap::new();
    if let Some(listed) = document.as_ref().and_then(|document| tree::listed(document, &made)) {
        objects::append(&mut made, &listed.objects, document.as_ref()?);
        let numbered = (1..).zip(&listed.pages);
        lost = numbered.filter_map(|(number, leaf)| Some((number, leaf.damage?))).collect();
        document = RawDocument::load(&made).ok();
    } else if document.as_ref().is_none_or(|document| document.page_count() == 0) {
        let mut anew = bytes.to_vec();
        objects::forget_places(&mut anew);
        let ending = cut::ending(&anew, |bytes| open_plain(bytes).ok())?;
        anew.extend(ending);
        document = RawDocument::load(&anew).ok().filter(|document| document.page_count() > 0);
        made = anew;
        notes
            .push("the list of its pages is damaged; they are shown in the order in which they stand in it".to_owned());
    }
    let document = document?;
    if document.xref_reconstructed() {
        // The other reader believes places that are told; without them, it looks for its objects, too.
        let mut untold = made.clone();
        objects::forget_places(&mut untold);
        if RawDocument::load(&untold).is_ok_and(|found| found.pages() == document.pages()) {
            made = untold;
        }
    }
    let (told, found) = (document.declared_page_count().unwrap_or_default(), document.page_count());
    if told > found {
        let (pages, are) = (if told == 1 { "page" } else { "pages" }, if found == 1 { "is" } else { "are" });
        notes.push(format!("it says that it has {told} {pages}, and {found} {are} found"));
    }
    let mut damage = BTreeMap::new();
    for (number, page) in document.pages() {
        let worst = [lost.get(&number).copied(), damage_of(&document, page, &left)].into_iter().flatten().min();
        damage.extend(worst.map(|worst| (number, worst)));
    }
    Some(Mended { bytes: made, damage, notes })
}

/// A whole PDF with maps of codes to text in the place of those that its reader misreads, or that tell no text.
pub fn mapped(
    bytes: &[u8],
    document: &RawDocument,
    mut maps: Vec<(Id, usize, Vec<u8>)>,
    untold: &[Untold],
) -> Option<Mended> {
    if maps.is_empty() && untold.is_empty() {
        return None;
    }
    let told = actual::told(bytes, document, untold);
    maps.retain(|(id, ..)| told.iter().all(|(other, ..)| other != id));
    maps.extend(told);
    if maps.is_empty() {
        return None;
    }
    // An older version of an object is none that counts.
    let counts = |id: Id, from: usize| {
        let stream = document.get_object(id).and_then(PdfObject::as_stream);
        stream.is_some_and(|stream| bytes.get(from..).is_some_and(|rest| rest.starts_with(&stream.raw_data)))
    };
    let maps = maps.into_iter().filter(|(id, from, _)| counts(*id, *from));
    let maps: Vec<(Id, Vec<u8>)> = maps.map(|(id, _, object)| (id, object)).collect();
    let mut made = bytes.to_vec();
    objects::append(&mut made, &maps, document);
    Some(Mended { bytes: made, damage: BTreeMap::new(), notes: Vec::new() })
}

/// What is wrong with what a page is made of.
fn damage_of(document: &RawDocument, page: Id, left: &HashMap<Id, Left>) -> Option<Damage> {
    let page = document.get_dict(page).ok()?;
    let mut worst: Vec<Damage> = Vec::new();
    let whole = |part: Id| document.get_object(part).is_some();
    let contents = page.get(&b"Contents"[..]);
    let listed = contents.map(|contents| document.resolve(contents)).and_then(PdfObject::as_array);
    let contents: Vec<Id> =
        contents.into_iter().chain(listed.unwrap_or_default()).filter_map(PdfObject::as_reference).collect();
    for part in contents {
        match left.get(&part) {
            Some(Left::Begin) => worst.push(Damage::Rest),
            Some(Left::Wrong) => worst.push(Damage::Wrong),
            None if !whole(part) => worst.push(Damage::Missing),
            None => {}
        }
    }
    let resources = match resources(document, page) {
        Some(PdfObject::Dict(resources)) => resources,
        Some(PdfObject::Reference(..)) => {
            worst.push(Damage::Missing);
            return worst.into_iter().min();
        }
        _ => return worst.into_iter().min(),
    };
    // Without its fonts, a text may be there and not be told.
    let fonts = resources.get(&b"Font"[..]);
    if parts(document, fonts).any(|part| !whole(part)) {
        worst.push(Damage::Missing);
    }
    if !left.is_empty() {
        worst.extend(parts(document, resources.values()).filter_map(|part| left.get(&part)).map(|left| match left {
            Left::Begin => Damage::Part,
            Left::Wrong => Damage::Wrong,
        }));
    }
    worst.into_iter().min()
}

/// A page's resources, or those of the nearest node above it that has some.
fn resources<'a>(document: &'a RawDocument, page: &'a PdfDict) -> Option<&'a PdfObject> {
    let mut node = page;
    for _ in 0..PARENTS_MAX {
        if let Some(found) = node.get(&b"Resources"[..]) {
            return Some(document.resolve(found));
        }
        node = document.get_dict(node.get(&b"Parent"[..])?.as_reference()?).ok()?;
    }
    None
}

/// The objects that others lead to.
fn parts<'a>(document: &'a RawDocument, from: impl IntoIterator<Item = &'a PdfObject>) -> impl Iterator<Item = Id> {
    let (mut waiting, mut seen): (Vec<&PdfObject>, HashSet<Id>) = (from.into_iter().collect(), HashSet::new());
    while let Some(object) = waiting.pop() {
        match object {
            PdfObject::Reference(number, generation) => {
                let id = (*number, *generation);
                if seen.len() < PARTS_MAX && seen.insert(id) {
                    waiting.extend(document.get_object(id));
                }
            }
            PdfObject::Array(items) => waiting.extend(items),
            PdfObject::Dict(entries) => waiting.extend(inner(entries)),
            PdfObject::Stream(stream) => waiting.extend(inner(&stream.dict)),
            _ => {}
        }
    }
    seen.into_iter()
}

/// What entries hold, without what leads back to the page.
fn inner(entries: &PdfDict) -> impl Iterator<Item = &PdfObject> {
    entries
        .iter()
        .filter(|(key, _)| !matches!(key.as_slice(), b"Parent" | b"P" | b"StructParent"))
        .map(|(_, value)| value)
}
