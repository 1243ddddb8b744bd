//! Parts of a package that are damaged: what is left of them, and what is lost with them.

use std::collections::BTreeMap;
use std::io::{self, BufRead, BufReader, Cursor, Read};

use flate2::Crc;

use crate::content::Inflate;
use crate::document::encoding::{TextReader, looks_wide};
use crate::document::markup::{self, Event};
use crate::document::out::Out;
use crate::document::unclosed::closed;

/// What is the matter with a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Only its beginning can be read.
    Ends,
    /// All of it can be read, and some of it is wrong.
    Wrong,
    /// What is in it ends early, as it was written.
    Unclosed,
}

/// A part as it unpacks, up to where it is damaged; then an error.
pub struct Checked<R> {
    from: BufReader<R>,
    /// How it is packed; stored as it is where it is not.
    packed: Option<Inflate>,
    sum: Crc,
    told: u32,
}

impl<R: Read> Checked<R> {
    /// Of stored bytes that are deflated, or not packed, and that sum up to what is told.
    pub fn new(stored: R, deflated: bool, told: u32) -> Checked<R> {
        let packed = deflated.then(Inflate::default);
        Checked { from: BufReader::with_capacity(32 << 10, stored), packed, sum: Crc::new(), told }
    }
}

impl<R: Read> Read for Checked<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let size = match &mut self.packed {
            Some(packed) => packed.read_from(&mut self.from, buffer)?,
            None => self.from.read(buffer)?,
        };
        self.sum.update(buffer.get(..size).unwrap_or_default());
        if size == 0 && !buffer.is_empty() && self.sum.sum() != self.told {
            return Err(io::Error::from(io::ErrorKind::InvalidData));
        }
        Ok(size)
    }
}

/// Reads all that there is, and finds what is the matter with it.
pub fn read(mut from: impl Read, most: u64) -> (Vec<u8>, Option<Fault>) {
    let mut bytes = Vec::new();
    let done = from.by_ref().take(most).read_to_end(&mut bytes);
    (bytes, done.err().map(|why| fault(&why)))
}

/// What an error of [`Checked`] says: all of a part was there where only its checksum is wrong.
pub fn fault(why: &io::Error) -> Fault {
    // Errors of what unpacks it have words.
    if why.kind() == io::ErrorKind::InvalidData && why.get_ref().is_none() { Fault::Wrong } else { Fault::Ends }
}

/// Whether a part is XML that is read event by event.
pub fn is_xml(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    [".xml", ".rels", ".opf", ".ncx"].iter().any(|end| name.ends_with(end))
}

/// What there is of a damaged part, in a form that can be read.
pub fn mended(name: &str, bytes: Vec<u8>) -> Vec<u8> {
    let wide = looks_wide(&bytes) || bytes.starts_with(b"\xFF\xFE") || bytes.starts_with(b"\xFE\xFF");
    if !is_xml(name) || wide {
        return bytes;
    }
    closed(bytes, |_| Ok(())).unwrap_or_default()
}

/// Whether something in XML is none, so that nobody reads on, or it ends early, or nothing is in it.
pub fn is_broken(bytes: &[u8]) -> bool {
    let text: Box<dyn BufRead + '_> = Box::new(Cursor::new(bytes));
    let Ok(text) = TextReader::new(text) else { return true };
    let mut events = markup::reader(text);
    let (mut buffer, mut open, mut is_bare) = (Vec::new(), markup::OpenElements::default(), true);
    loop {
        buffer.clear();
        let event = events.read_event_into(&mut buffer);
        open.see(&event);
        is_bare &= !matches!(event, Ok(Event::Start(_) | Event::Empty(_)));
        match event {
            Ok(Event::Eof) => return is_bare || open.any(),
            Err(_) => return true,
            Ok(_) => {}
        }
    }
}

/// Whether not one element begins in XML, in whatever encoding.
pub fn is_void(bytes: &[u8]) -> bool {
    // Of two bytes for each sign, one is zero.
    let mut signs = bytes.iter().filter(|byte| **byte != 0).peekable();
    while let Some(sign) = signs.next() {
        if *sign == b'<' && signs.peek().is_some_and(|next| !matches!(next, b'?' | b'!' | b'/')) {
            return false;
        }
    }
    true
}

/// The damaged parts that have been met.
#[derive(Default)]
pub struct Damaged(BTreeMap<String, Met>);

/// A damaged part: its name, what is the matter with it, and whether that has been said.
struct Met {
    name: String,
    fault: Fault,
    said: bool,
}

/// How a part is known, however its name is written.
fn key(name: &str) -> String {
    name.trim_start_matches('/').replace('\\', "/").to_ascii_lowercase()
}

impl Damaged {
    /// One more.
    pub fn add(&mut self, name: &str, fault: Fault) {
        let met = || Met { name: name.trim_start_matches('/').to_owned(), fault, said: false };
        self.0.entry(key(name)).or_insert_with(met);
    }

    /// Whether a part is one of them.
    pub fn has(&self, name: &str) -> bool {
        !self.0.is_empty() && self.0.contains_key(&key(name))
    }

    /// Says of a part what it means for what was shown of it: a slide, a chapter.
    pub fn say_of(&mut self, name: &str, what: &str, out: &mut Out<'_>) {
        let Some(Met { name, fault, said }) = self.0.get_mut(&key(name)).filter(|met| !met.said) else { return };
        *said = true;
        match fault {
            Fault::Ends => out.note(format!("the {what} ends here: the rest of {name} is damaged")),
            Fault::Wrong => out.note(format!("some of the {what} may be wrong or missing: {name} is damaged")),
            // Who reads it says it, with its place.
            Fault::Unclosed => {}
        }
    }

    /// Says of all other parts what may be lost with them.
    pub fn say(&mut self, out: &mut Out<'_>) {
        for Met { name, fault, said } in self.0.values_mut().filter(|met| !met.said) {
            *said = true;
            let is = match fault {
                Fault::Ends => "cannot be read to its end",
                Fault::Wrong => "is damaged",
                Fault::Unclosed => "is no proper XML",
            };
            out.note(format!("{name} {is}: {}", lost(name)));
        }
    }
}

/// What may be lost with a part.
fn lost(name: &str) -> &'static str {
    /// By what its name holds, the first that fits.
    const LOST: &[(&str, &str)] = &[
        ("docprops/", "title, author and dates may be missing"),
        (".rels", "links, pictures, notes and other parts that it leads to may be missing"),
        ("styles", "headings, lists and emphasis may be missing"),
        ("numbering", "the signs before the items of lists may be missing"),
        ("footnotes", "notes may be missing or end early"),
        ("endnotes", "notes may be missing or end early"),
        ("comment", "comments may be missing or end early"),
        ("notesslide", "the notes of the slide may be missing or end early"),
        ("slidelayout", "titles may stand as plain text"),
        ("slidemaster", "titles may stand as plain text"),
        ("/chart", "a chart may be missing or end early"),
        ("diagram", "a diagram may be missing or end early"),
        ("presentation.xml", "slides may be missing or out of order"),
        ("container.xml", "the description of the book is sought by its name"),
        ("encryption.xml", "encrypted chapters may not be known for it"),
        (".opf", "chapters may be missing or out of order, and what the book says of itself"),
        (".ncx", "the pages of its print may be missing"),
        ("nav", "the pages of its print may be missing"),
        ("toc", "the pages of its print may be missing"),
    ];
    let name = name.to_lowercase();
    LOST.iter().find(|(part, _)| name.contains(part)).map_or("what it holds may be missing", |(_, lost)| lost)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_one_however_its_name_is_written() {
        let mut damaged = Damaged::default();
        damaged.add("/word\\Styles.xml", Fault::Ends);
        damaged.add("word/styles.xml", Fault::Wrong);
        assert!(damaged.has("WORD/styles.xml") && !damaged.has("styles.xml"));
        assert_eq!(damaged.0.len(), 1, "it is told once");
    }
}
