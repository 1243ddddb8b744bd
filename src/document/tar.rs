//! Archives as Unix writes them (tar), packed or not: their files in the order in which they stand. Links are not followed,
//! and nothing is ever written.

use std::cell::Cell;
use std::io::{self, BufRead, Read};

use tar::{Archive, Entry, EntryType, Header};

use super::archive::{FILE_MAX, FILES_MAX, begin, member};
use super::input::{Failure, Input};
use super::out::Out;

/// Bytes of what stands before a file.
const BLOCK: usize = 512;
/// Parts of a file with holes between them.
const PARTS_MAX: u64 = 100_000;
/// Digits of a number in the list of these.
const DIGITS_MAX: u64 = 20;

/// Kinds of entries that are no files: the contents of a folder, a label of the whole, long names of old, and what old
/// programs tell of the file that follows.
const TELLING: &[u8] = b"DVNXA";

/// What is not shown of an archive.
#[derive(Default)]
struct LeftOut {
    links: u64,
    devices: u64,
    /// What tells of files or of the archive in the manner of one program.
    told: u64,
}

/// The files of an archive as Markdown.
///
/// # Errors
/// Where it is none.
pub fn convert(input: &Input<'_>, out: &mut Out<'_>) -> Result<(), Failure> {
    let is_ended = Cell::new(false);
    let mut archive = Archive::new(Ending { from: input.reader()?, is_ended: &is_ended });
    let (mut number, mut unpacked, mut left_out) = (0u32, 0, LeftOut::default());
    let mut is_sound = true;
    for entry in archive.entries()? {
        let mut entry = match entry {
            Ok(entry) => entry,
            Err(_) if input.watch.is_cancelled() => return Err(Failure::Stop(super::out::Stop::Cancelled)),
            Err(why) if number == 0 => return Err(Failure::Damaged(format!("it is damaged: {why}"))),
            Err(why) => {
                out.note_on_all(format!(
                    "the archive is damaged or cut off, and files behind this place are lost: {why}"
                ));
                is_sound = false;
                break;
            }
        };
        out.beat(BLOCK as u64)?;
        let name = name(&mut entry);
        match entry.header().entry_type() {
            EntryType::Regular | EntryType::Continuous | EntryType::GNUSparse if !name.ends_with('/') => {}
            EntryType::Link | EntryType::Symlink => {
                left_out.links += 1;
                continue;
            }
            EntryType::Char | EntryType::Block | EntryType::Fifo => {
                left_out.devices += 1;
                continue;
            }
            // Folders, and what is told of all that follows.
            EntryType::Regular | EntryType::Continuous | EntryType::GNUSparse => continue,
            EntryType::Directory | EntryType::XGlobalHeader | EntryType::XHeader => continue,
            EntryType::GNULongName | EntryType::GNULongLink => continue,
            kind if TELLING.contains(&kind.as_byte()) => {
                left_out.told += 1;
                continue;
            }
            // What nobody knows is a file, as POSIX has it.
            _ => {}
        }
        if number as usize >= FILES_MAX {
            out.note_on_all(format!("only the first {FILES_MAX} files are converted"));
            break;
        }
        number += 1;
        if begin(number, &name, unpacked, out)? {
            unpacked += file(&name, &mut entry, input, out)?;
        }
    }
    out.fact("files", number);
    left_out.say(out);
    if number == 0 {
        out.note_on_all("the archive holds no files");
    }
    if is_sound && is_ended.get() {
        out.note_on_all("the archive is cut off: nothing marks its end, and files may be missing");
    }
    Ok(())
}

/// Tells when there is nothing more to read.
struct Ending<'a, R> {
    from: R,
    is_ended: &'a Cell<bool>,
}

impl<R: Read> Read for Ending<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let size = self.from.read(buffer)?;
        self.is_ended.set(self.is_ended.get() || size == 0 && !buffer.is_empty());
        Ok(size)
    }
}

/// One file; how many of its bytes count.
fn file<R: Read>(name: &str, entry: &mut Entry<'_, R>, input: &Input<'_>, out: &mut Out<'_>) -> Result<u64, Failure> {
    let holes = holes(entry);
    let mut bytes = Vec::new();
    let (read, size) = match holes {
        None => (entry.take(FILE_MAX + 1).read_to_end(&mut bytes).map(|_| ()), entry.size()),
        Some(Holes { size: Some(size), is_listed: true }) => (spread(entry, size, &mut bytes), size),
        Some(_) => {
            out.note("not converted: it is stored without its zeros, in a way that is not read here");
            return Ok(0);
        }
    };
    if input.watch.is_cancelled() {
        return Err(Failure::Stop(super::out::Stop::Cancelled));
    }
    let is_cut = (bytes.len() as u64) < size.min(FILE_MAX + 1);
    let counted = member(name, bytes, input, out)?;
    match read {
        Err(why) => out.note(format!("it cannot be read to its end: {why}")),
        Ok(()) if is_cut => out.note("the file ends here, where the archive is cut off"),
        Ok(()) => {}
    }
    Ok(counted)
}

/// A file's name.
fn name<R: Read>(entry: &mut Entry<'_, R>) -> String {
    let told = value(entry, "GNU.sparse.name");
    told.unwrap_or_else(|| String::from_utf8_lossy(&entry.path_bytes()).into_owned())
}

/// What is told of a file beside its head.
fn value<R: Read>(entry: &mut Entry<'_, R>, key: &str) -> Option<String> {
    let mut told = entry.pax_extensions().ok()??;
    told.find_map(|one| one.ok().filter(|one| one.key() == Ok(key))?.value().ok().map(str::to_owned))
}

/// How a file is stored that has holes, told beside its head.
struct Holes {
    /// Its bytes with them.
    size: Option<u64>,
    /// Whether the list of its parts stands before these.
    is_listed: bool,
}

fn holes<R: Read>(entry: &mut Entry<'_, R>) -> Option<Holes> {
    let number = |text: String| text.parse().ok();
    let is_old = value(entry, "GNU.sparse.size").is_some();
    let is_listed = value(entry, "GNU.sparse.major").is_some_and(|major| major == "1");
    let size = value(entry, "GNU.sparse.realsize").and_then(number);
    (is_old || is_listed || size.is_some()).then_some(Holes { size, is_listed })
}

/// Reads a file whose parts are listed before them, with zeros where there are holes, as far as it is held.
fn spread<R: Read>(entry: &mut Entry<'_, R>, size: u64, bytes: &mut Vec<u8>) -> io::Result<()> {
    let wrong = || io::Error::new(io::ErrorKind::InvalidData, "the list of its parts is damaged");
    let mut from = io::BufReader::with_capacity(BLOCK, entry);
    let mut listed = 0u64;
    let mut number = |from: &mut dyn BufRead| {
        let mut line = String::new();
        listed += from.take(DIGITS_MAX + 1).read_line(&mut line)? as u64;
        line.strip_suffix('\n').and_then(|digits| digits.parse::<u64>().ok()).ok_or_else(wrong)
    };
    let parts = number(&mut from)?;
    if parts > PARTS_MAX {
        return Err(wrong());
    }
    let parts: Vec<(u64, u64)> =
        (0..parts).map(|_| Ok((number(&mut from)?, number(&mut from)?))).collect::<io::Result<_>>()?;
    // The list is filled up to a whole block.
    io::copy(&mut (&mut from).take(listed.next_multiple_of(BLOCK as u64) - listed), &mut io::sink())?;
    let most = size.min(FILE_MAX + 1);
    let fill = |bytes: &mut Vec<u8>, to: u64| bytes.resize(usize::try_from(to.min(most)).unwrap_or(0), 0);
    for (at, length) in parts {
        if at < bytes.len() as u64 {
            return Err(wrong());
        }
        fill(bytes, at);
        let length = length.min(most.saturating_sub(bytes.len() as u64));
        if ((&mut from).take(length).read_to_end(bytes)? as u64) < length {
            return Ok(());
        }
        if bytes.len() as u64 >= most {
            return Ok(());
        }
    }
    fill(bytes, size);
    Ok(())
}

impl LeftOut {
    fn say(&self, out: &mut Out<'_>) {
        match self.links {
            0 => {}
            1 => out.note_on_all("1 link in the archive is not followed"),
            links => out.note_on_all(format!("{links} links in the archive are not followed")),
        }
        match self.devices {
            0 => {}
            1 => out.note_on_all("1 device or pipe in the archive is left out"),
            devices => out.note_on_all(format!("{devices} devices and pipes in the archive are left out")),
        }
        match self.told {
            0 => {}
            1 => out.note_on_all("1 entry of the archive that is no file is left out"),
            told => out.note_on_all(format!("{told} entries of the archive that are no files are left out")),
        }
    }
}

/// Whether the first bytes are those of an archive: what stands before its first file bears out its own checksum, or
/// nothing stands in it.
pub fn begins(head: &[u8]) -> bool {
    let Some(block) = head.get(..BLOCK) else { return false };
    let mut header = Header::new_old();
    header.as_mut_bytes().copy_from_slice(block);
    let told = |byte: usize| (148..156).contains(&byte);
    let sum: u32 = block.iter().enumerate().map(|(at, byte)| if told(at) { 32 } else { u32::from(*byte) }).sum();
    let is_empty = block.iter().all(|byte| *byte == 0);
    is_empty || header.cksum().is_ok_and(|told| told == sum)
}

#[cfg(test)]
#[path = "tar_tests.rs"]
mod tests;
