//! A package: a zip of parts that refer to each other by relationships.

use std::borrow::Cow;
use std::collections::HashMap;
use std::io::{BufReader, Cursor, Read};

use zip::ZipArchive;
use zip::result::ZipError;

use crate::document::encoding::TextReader;
use crate::document::input::{Failure, Input, Places};
use crate::document::markup::{self, Event};
use crate::document::out::Out;
use crate::document::unlisted::{self, Opened};

/// Bytes that one part may unpack to.
const PART_MAX: u64 = 256 << 20;
/// Entries of a zip that are looked at.
const ENTRIES_MAX: usize = 65_536;

/// An open package.
pub struct Package<'a> {
    zip: ZipArchive<BufReader<Places<'a>>>,
    /// The parts' names, in the order of the zip.
    names: Vec<String>,
    /// The part of which only the beginning is there.
    cut: Option<String>,
    /// Whether parts are missing because the file was cut off.
    lacks: bool,
}

/// What a part refers to.
#[derive(Clone, Debug)]
pub struct Relation {
    /// The path of another part, or an address outside.
    pub target: String,
    /// The last word of its kind: `image`, `hyperlink`, `slide` …
    pub kind: String,
    /// Whether the target is outside.
    pub external: bool,
}

/// What a part refers to, by id.
pub type Relations = HashMap<String, Relation>;

impl<'a> Package<'a> {
    /// Opens the zip; where it was cut off, what is left of it.
    ///
    /// # Errors
    /// Where it is none, or encrypted.
    pub fn open(input: &Input<'a>, out: &mut Out<'_>) -> Result<Package<'a>, Failure> {
        let Opened { places, found } = unlisted::open(input, |_| Vec::new(), out)?;
        let zip = ZipArchive::new(BufReader::new(places)).map_err(failure)?;
        if zip.len() > ENTRIES_MAX {
            return Err(Failure::Damaged(format!("its zip holds {} files", zip.len())));
        }
        let names = zip.file_names().map(|name| name.map_or_else(|_| String::new(), Cow::into_owned)).collect();
        let lacks = found.as_ref().is_some_and(unlisted::Found::lacks_parts);
        Ok(Package { zip, names, cut: found.and_then(|found| found.cut), lacks })
    }

    /// Whether parts are missing because the file was cut off.
    #[must_use]
    pub fn lacks_parts(&self) -> bool {
        self.lacks
    }

    /// Says it where only the beginning of a part is there.
    pub fn say_cut(&self, name: &str, what: &str, out: &mut Out<'_>) {
        if self.cut.as_ref().is_some_and(|cut| cut.eq_ignore_ascii_case(name.trim_start_matches('/'))) {
            out.note(format!("the {what} ends here, where the file is cut off"));
        }
    }

    /// The names of all parts, in the order of the zip.
    #[must_use]
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The number of a part, also where case or slashes differ.
    fn index(&self, name: &str) -> Option<usize> {
        let name = name.trim_start_matches('/');
        let same = |known: &String| known.replace('\\', "/").eq_ignore_ascii_case(name);
        self.zip.index_for_name(name).or_else(|| self.names.iter().position(same))
    }

    /// A part's bytes as they unpack, bounded; `None` where there is no such part.
    ///
    /// # Errors
    /// Where it is encrypted or packed in an unknown way.
    pub fn part(&mut self, name: &str) -> Result<Option<impl Read + '_>, Failure> {
        match self.index(name) {
            Some(index) => Ok(Some(self.zip.by_index(index).map_err(failure)?.take(PART_MAX))),
            None => Ok(None),
        }
    }

    /// A part as text.
    ///
    /// # Errors
    /// As [`Package::part`].
    pub fn text(&mut self, name: &str) -> Result<Option<TextReader<'_>>, Failure> {
        match self.part(name)? {
            Some(part) => Ok(Some(TextReader::new(Box::new(BufReader::with_capacity(32 << 10, part)))?)),
            None => Ok(None),
        }
    }

    /// A part's bytes, as far as they unpack.
    ///
    /// # Errors
    /// As [`Package::part`].
    pub fn bytes(&mut self, name: &str, most: u64) -> Result<Option<Vec<u8>>, Failure> {
        let Some(part) = self.part(name)? else {
            return Ok(None);
        };
        let mut bytes = Vec::new();
        // What unpacked before the damage is still good.
        let _ = part.take(most).read_to_end(&mut bytes);
        Ok(Some(bytes))
    }

    /// A small part as text that can be read again.
    ///
    /// # Errors
    /// As [`Package::part`].
    pub fn small(&mut self, name: &str) -> Result<Option<TextReader<'static>>, Failure> {
        match self.bytes(name, 64 << 20)? {
            Some(bytes) => Ok(Some(TextReader::new(Box::new(Cursor::new(bytes)))?)),
            None => Ok(None),
        }
    }

    /// What a part refers to; empty where it refers to nothing.
    ///
    /// # Errors
    /// As [`Package::part`].
    pub fn relations(&mut self, part: &str) -> Result<Relations, Failure> {
        let (folder, file) = part.rsplit_once('/').unwrap_or(("", part));
        let slash = if folder.is_empty() { "" } else { "/" };
        let mut found = Relations::new();
        let Some(text) = self.small(&format!("{folder}{slash}_rels/{file}.rels"))? else {
            return Ok(found);
        };
        let mut events = markup::reader(text);
        let mut buffer = Vec::new();
        loop {
            buffer.clear();
            match events.read_event_into(&mut buffer) {
                Ok(Event::Start(element) | Event::Empty(element)) => {
                    let get = |name| markup::attribute(&element, name);
                    let (Some(id), Some(target)) = (get("Id"), get("Target")) else {
                        continue;
                    };
                    let external = get("TargetMode").is_some_and(|mode| mode == "External");
                    let kind = get("Type").unwrap_or_default();
                    let kind = kind.rsplit('/').next().unwrap_or_default().to_owned();
                    let target = if external { target } else { resolve(folder, &target) };
                    found.insert(id, Relation { target, kind, external });
                }
                Ok(Event::Eof) | Err(_) => return Ok(found),
                Ok(_) => {}
            }
        }
    }

    /// The part that the package is about.
    ///
    /// # Errors
    /// As [`Package::part`].
    pub fn main(&mut self, fallback: &str) -> Result<String, Failure> {
        let relations = self.relations("")?;
        let main = relations.values().find(|relation| relation.kind == "officeDocument" && !relation.external);
        let main = main.map(|relation| relation.target.clone()).filter(|target| self.index(target).is_some());
        Ok(main.unwrap_or_else(|| fallback.to_owned()))
    }

    /// Title, author and dates, as facts.
    ///
    /// # Errors
    /// As [`Package::part`].
    pub fn facts(&mut self, out: &mut Out<'_>) -> Result<(), Failure> {
        let known = [
            ("title", "title"),
            ("creator", "author"),
            ("subject", "subject"),
            ("keywords", "keywords"),
            ("created", "created"),
            ("modified", "modified"),
        ];
        let Some(text) = self.small("docProps/core.xml")? else {
            return Ok(());
        };
        for (name, value) in markup::texts(text) {
            if let Some((_, fact)) = known.iter().find(|(element, _)| *element == name) {
                out.fact(fact, value);
            }
        }
        Ok(())
    }
}

/// A path relative to a folder, within the package.
#[must_use]
pub fn resolve(folder: &str, target: &str) -> String {
    let target = target.replace('\\', "/");
    let mut parts: Vec<&str> = if target.starts_with('/') { Vec::new() } else { folder.split('/').collect() };
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            _ => parts.push(part),
        }
    }
    parts.retain(|part| !part.is_empty());
    parts.join("/")
}

fn failure(why: ZipError) -> Failure {
    match why {
        ZipError::Io(why) => Failure::Read(why),
        ZipError::UnsupportedArchive(words) if words.contains("assword") => Failure::Encrypted,
        why => Failure::Damaged(format!("its zip is damaged: {why}")),
    }
}
