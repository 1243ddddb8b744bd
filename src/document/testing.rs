//! For tests of readers: a document converted in this process.

use std::io::{Cursor, Write};

use lopdf::{Dictionary, Document, Object, ObjectId, Stream, dictionary};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use super::convert::{Request, collect};
use super::limits::Limits;
use super::piece::Conversion;
use crate::content::{MemoryBytes, Watch};

/// Bytes of Markdown that are enough for any of them.
const ENOUGH: u64 = 64 << 20;

/// What a file of a name is converted to.
pub fn converted(name: &str, bytes: &[u8], limits: Option<&Limits>) -> Conversion {
    let (bytes, watch) = (MemoryBytes(bytes.to_vec()), Watch::default());
    let request = Request { name, bytes: &bytes, limits, max_bytes: ENOUGH, second_reader_from: None, watch: &watch };
    collect(&request).unwrap()
}

/// A zip of these files. A `^` in a name becomes a `/` only when it is written: so it may stand where none belongs, and names
/// may be the same.
pub fn zip(parts: &[(&str, &str)]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in parts {
        writer.start_file(*name, SimpleFileOptions::default()).unwrap();
        writer.write_all(content.as_bytes()).unwrap();
    }
    let mut bytes = writer.finish().unwrap().into_inner();
    for (name, _) in parts.iter().filter(|(name, _)| name.contains('^')) {
        let places: Vec<usize> = memchr::memmem::find_iter(&bytes, name.as_bytes()).collect();
        for at in places {
            bytes[at..at + name.len()].copy_from_slice(name.replace('^', "/").as_bytes());
        }
    }
    bytes
}

/// What a PDF is made of beside the content of its pages.
pub struct Pdf {
    fonts: Vec<(&'static str, Dictionary)>,
    /// What each page tells beside its content and its fonts.
    pub page: Dictionary,
    /// What their tree tells of all.
    pub tree: Dictionary,
}

impl Pdf {
    /// On sheets of this size, with fonts that need no file, by the names that contents call them.
    pub fn of(fonts: &[(&'static str, &str)], size: [i64; 2]) -> Pdf {
        let font = |name: &str| dictionary! { "Type" => "Font", "Subtype" => "Type1", "BaseFont" => name };
        let [width, height] = size;
        let sides = [0, 0, width, height].map(Object::Integer).to_vec();
        Pdf {
            fonts: fonts.iter().map(|(name, base)| (*name, font(base))).collect(),
            page: Dictionary::new(),
            tree: dictionary! { "MediaBox" => sides },
        }
    }

    /// The same with an encoding of all fonts.
    pub fn encoded(mut self, encoding: &str) -> Pdf {
        self.fonts.iter_mut().for_each(|(_, font)| font.set("Encoding", encoding));
        self
    }

    /// A file of pages with these contents.
    pub fn written(&self, contents: impl IntoIterator<Item = String>) -> Vec<u8> {
        let mut document = Document::with_version("1.5");
        let tree = document.new_object_id();
        let fonts: Dictionary = self
            .fonts
            .iter()
            .map(|(name, font)| (name.as_bytes().to_vec(), document.add_object(font.clone()).into()))
            .collect();
        let resources = document.add_object(dictionary! { "Font" => fonts });
        let mut kids: Vec<Object> = Vec::new();
        for content in contents {
            let content = document.add_object(Stream::new(dictionary! {}, content.into_bytes()));
            let mut page = self.page.clone();
            page.set("Type", "Page");
            page.set("Parent", tree);
            page.set("Contents", content);
            page.set("Resources", resources);
            kids.push(document.add_object(page).into());
        }
        listed(document, tree, kids, self.tree.clone())
    }
}

/// A file of one page with this content, of a document that holds its fonts, by the names that the content calls them.
pub fn paged(mut document: Document, content: ObjectId, fonts: Dictionary) -> Vec<u8> {
    let tree = document.new_object_id();
    let page = document.add_object(dictionary! {
        "Type" => "Page", "Parent" => tree, "Contents" => content, "Resources" => dictionary! { "Font" => fonts },
        "MediaBox" => [0, 0, 612, 792].map(Object::Integer).to_vec(),
    });
    listed(document, tree, vec![page.into()], Dictionary::new())
}

/// A file of a document with these pages in a tree, which tells of all of them.
fn listed(mut document: Document, tree: ObjectId, kids: Vec<Object>, mut told: Dictionary) -> Vec<u8> {
    told.set("Type", "Pages");
    told.set("Count", kids.len() as i64);
    told.set("Kids", kids);
    document.objects.insert(tree, told.into());
    let catalog = document.add_object(dictionary! { "Type" => "Catalog", "Pages" => tree });
    document.trailer.set("Root", catalog);
    let mut bytes = Vec::new();
    document.save_to(&mut bytes).unwrap();
    bytes
}
