//! A package: a zip of parts that refer to each other by relationships.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::io::{self, BufRead, BufReader, Cursor, Read};

use zip::result::ZipError;
use zip::{CompressionMethod, ZipArchive};

use crate::document::encoding::TextReader;
use crate::document::html;
use crate::document::input::{Failure, Input, SWOLLEN_MAX, is_swollen};
use crate::document::markup::{self, Event};
use crate::document::out::Out;
use crate::document::unlisted::{self, Archive, Opened};
use crate::document::zip_list::List;

use super::damaged::{self, Checked, Damaged, Fault};

/// Bytes that one part may unpack to.
const PART_MAX: u64 = 96 << 20;
/// Bytes of a part that is read at once, to see whether it is damaged; larger ones are read twice.
const AT_ONCE: u64 = 8 << 20;
/// Bytes of a part that can be read again.
const SMALL_MAX: u64 = 64 << 20;
/// Entries of a zip that are looked at.
const ENTRIES_MAX: usize = 65_536;
/// Names of several files that are told.
const NAMED: usize = 20;

/// An open package.
pub struct Package<'a> {
    zip: Archive<'a>,
    /// The parts' names, in the order of the zip.
    names: Vec<String>,
    /// The part of which only the beginning is there.
    cut: Option<String>,
    /// Whether parts are missing because the file was cut off.
    lacks: bool,
    damaged: Damaged,
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
        Package::of(unlisted::open(input, |_| Vec::new(), out)?, out)
    }

    /// The same of an open zip.
    ///
    /// # Errors
    /// As [`Package::open`].
    pub fn of(zip: Opened<'a>, out: &mut Out<'_>) -> Result<Package<'a>, Failure> {
        let Opened { places, found, list, archive } = zip;
        let zip = archive.map_or_else(|| ZipArchive::new(BufReader::new(places)).map_err(failure), Ok)?;
        if zip.len() > ENTRIES_MAX {
            out.note(format!("its zip holds {} files: the first {ENTRIES_MAX} are looked at", zip.len()));
        }
        if zip.has_duplicate_names() {
            let parts = list.iter().flat_map(List::parts);
            say_same(&parts.map(|part| part.name).collect::<Vec<_>>(), out);
        }
        let names = zip
            .file_names()
            .take(ENTRIES_MAX)
            .map(|name| name.map_or_else(|_| String::new(), Cow::into_owned))
            .collect();
        let lacks = found.as_ref().is_some_and(unlisted::Found::lacks_parts);
        Ok(Package { zip, names, cut: found.and_then(|found| found.cut), lacks, damaged: Damaged::default() })
    }

    /// Whether parts are missing because the file was cut off.
    #[must_use]
    pub fn lacks_parts(&self) -> bool {
        self.lacks
    }

    /// Whether there is such a part.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.index(name).is_some()
    }

    /// Whether a part was found to be damaged.
    #[must_use]
    pub fn is_damaged(&self, name: &str) -> bool {
        self.damaged.has(name)
    }

    /// Whether what a part refers to may be lost.
    #[must_use]
    pub fn lacks_relations(&self, part: &str) -> bool {
        self.is_damaged(&relations_of(part))
    }

    /// Says what may be lost with parts that were found to be damaged since it was last said.
    pub fn say_damaged(&mut self, out: &mut Out<'_>) {
        self.damaged.say(out);
    }

    /// Says it where only the beginning of a part is there, or it is damaged.
    pub fn say_cut(&mut self, name: &str, what: &str, out: &mut Out<'_>) {
        self.damaged.say_of(name, what, out);
        let most = self.index(name).map_or((0, PART_MAX), |index| self.most(index));
        if most.0 > most.1 {
            out.note(format!("only the first {} MB of the {what} are read", most.1 >> 20));
        }
        let plain = |name: &str| name.trim_start_matches('/').to_ascii_lowercase();
        if self.cut.as_ref().is_some_and(|cut| plain(cut) == plain(name)) {
            out.note(format!("the {what} ends here, where the file is cut off"));
        }
    }

    /// The names of all parts, in the order of the zip.
    #[must_use]
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The number of a part, also where case or slashes differ; of several that are alike, that of the very name.
    fn index(&self, name: &str) -> Option<usize> {
        let plain = name.trim_start_matches('/');
        let alike =
            |known: &String| known.trim_start_matches(['/', '\\']).replace('\\', "/").eq_ignore_ascii_case(plain);
        let exact = self.zip.index_for_name(name).or_else(|| self.zip.index_for_name(plain));
        exact.or_else(|| self.names.iter().position(alike))
    }

    /// How many bytes a part is told to unpack to, and how many of them are read as text.
    fn most(&mut self, index: usize) -> (u64, u64) {
        let Ok(about) = self.zip.by_index_data(index) else { return (0, PART_MAX) };
        let is_swollen = is_swollen(about.compressed_size(), about.size());
        (about.size(), if is_swollen { SWOLLEN_MAX } else { PART_MAX })
    }

    /// A part's bytes as they unpack, bounded; `None` where nothing leads to them.
    ///
    /// # Errors
    /// Where it is encrypted or packed in an unknown way.
    fn part(&mut self, index: usize) -> Result<Option<impl Read + '_>, Failure> {
        let about = self.zip.by_index_data(index).map_err(failure)?;
        if about.encrypted() {
            return Err(Failure::Encrypted);
        }
        let (told, deflated) = (about.crc32(), about.compression() == CompressionMethod::Deflated);
        if !deflated && about.compression() != CompressionMethod::Stored {
            return Err(Failure::Damaged(format!("it is packed as {:?}", about.compression())));
        }
        let stored = self.zip.by_index_raw(index).ok();
        Ok(stored.map(|stored| Checked::new(stored, deflated, told).take(PART_MAX)))
    }

    /// A part's bytes, as far as they unpack.
    ///
    /// # Errors
    /// Where it is encrypted or packed in an unknown way. Damage is kept, to be said.
    pub fn bytes(&mut self, name: &str, most: u64) -> Result<Option<Vec<u8>>, Failure> {
        let Some(index) = self.index(name) else {
            return Ok(None);
        };
        let (bytes, fault) = match self.part(index)? {
            Some(part) => damaged::read(part, most),
            None => (Vec::new(), Some(Fault::Ends)),
        };
        if let Some(fault) = fault {
            self.damaged.add(self.names.get(index).map_or(name, String::as_str), fault);
        }
        Ok(Some(bytes))
    }

    /// As [`Package::bytes`], what is damaged in a form that can be read.
    fn readable(&mut self, name: &str, most: u64) -> Result<Option<Vec<u8>>, Failure> {
        let bytes = match self.bytes(name, most) {
            Err(Failure::Damaged(_)) => {
                self.damaged.add(name, Fault::Ends);
                Some(Vec::new())
            }
            other => other?,
        };
        let is_damaged = self.is_damaged(name);
        Ok(bytes.map(|bytes| if is_damaged { damaged::mended(name, bytes) } else { bytes }))
    }

    /// A part as text.
    ///
    /// # Errors
    /// Where it is encrypted.
    pub fn text(&mut self, name: &str) -> Result<Option<TextReader<'_>>, Failure> {
        let Some(index) = self.index(name) else {
            return Ok(None);
        };
        let (size, most) = self.most(index);
        let is_large = size > AT_ONCE;
        let is_sound =
            is_large && self.part(index).is_ok_and(|part| part.is_some_and(|part| is_sound(part.take(most))));
        let bytes: Box<dyn BufRead + '_> = if is_sound {
            match self.part(index)? {
                Some(part) => Box::new(BufReader::with_capacity(32 << 10, part.take(most))),
                None => return Ok(None),
            }
        } else {
            let bytes = self.readable(name, most)?.unwrap_or_default();
            if damaged::is_xml(name) && damaged::is_void(&bytes) {
                self.damaged.add(name, Fault::Ends);
            }
            Box::new(Cursor::new(bytes))
        };
        // A book's pages may say it as pages of the web do.
        Ok(Some(TextReader::named_by(bytes, |head| markup::declared(head).or_else(|| html::charset(head)))?))
    }

    /// A small part as text that can be read again. XML in which something is none is kept for damaged.
    ///
    /// # Errors
    /// Where it is encrypted.
    pub fn small(&mut self, name: &str) -> Result<Option<TextReader<'static>>, Failure> {
        let Some(bytes) = self.readable(name, SMALL_MAX)? else {
            return Ok(None);
        };
        if damaged::is_xml(name) && !self.is_damaged(name) && damaged::is_broken(&bytes) {
            self.damaged.add(name, Fault::Unclosed);
        }
        Ok(Some(markup::text(Box::new(Cursor::new(bytes)))?))
    }

    /// What a part refers to; empty where it refers to nothing.
    ///
    /// # Errors
    /// As [`Package::bytes`].
    pub fn relations(&mut self, part: &str) -> Result<Relations, Failure> {
        let folder = part.rsplit_once('/').map_or("", |(folder, _)| folder);
        let mut found = Relations::new();
        let Some(text) = self.small(&relations_of(part))? else {
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
    /// As [`Package::bytes`].
    pub fn main(&mut self, fallback: &str) -> Result<String, Failure> {
        let relations = self.relations("")?;
        let main = relations.values().find(|relation| relation.kind == "officeDocument" && !relation.external);
        let main = main.map(|relation| relation.target.clone()).filter(|target| self.index(target).is_some());
        if let Some(main) = main {
            return Ok(main);
        }
        // Some programs put a number behind its name.
        let stem = fallback.trim_end_matches(".xml");
        let alike = |name: &&String| name.trim_start_matches('/').starts_with(stem) && name.ends_with(".xml");
        let found = self.names.iter().find(alike).filter(|_| self.index(fallback).is_none());
        Ok(found.cloned().unwrap_or_else(|| fallback.to_owned()))
    }

    /// Title, author and dates, as facts.
    ///
    /// # Errors
    /// As [`Package::bytes`].
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

/// Says that of files of one name only the last is there for whoever asks for it by that.
fn say_same(names: &[String], out: &mut Out<'_>) {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    names.iter().for_each(|name| *counts.entry(name).or_default() += 1);
    let several: Vec<(&str, usize)> = counts.into_iter().filter(|(_, count)| *count > 1).collect();
    for (name, count) in several.iter().take(NAMED) {
        out.note_on_all(format!("its zip holds {count} files called {name:?}: the last of them is read"));
    }
    match several.len().saturating_sub(NAMED) {
        _ if several.is_empty() => out.note_on_all("its zip holds several files of one name: the last of them is read"),
        0 => {}
        more => out.note_on_all(format!("so it is with {more} more names")),
    }
}

/// Whether a part can be read to its end, or as far as any is read.
fn is_sound(mut part: impl Read) -> bool {
    io::copy(&mut part, &mut io::sink()).is_ok()
}

/// The part that tells what a part refers to.
fn relations_of(part: &str) -> String {
    let (folder, file) = part.rsplit_once('/').unwrap_or(("", part));
    let slash = if folder.is_empty() { "" } else { "/" };
    format!("{folder}{slash}_rels/{file}.rels")
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
        ZipError::UnsupportedArchive(words) => {
            Failure::Damaged(format!("its zip is of a kind that is not read: {words}"))
        }
        _ => Failure::Damaged("its zip is damaged".to_owned()),
    }
}
