//! What a reader is given: bytes, unpacked in passing, read in order or at any place.

use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::sync::Arc;

use thiserror::Error;

use crate::content::{MemoryBytes, ReadAt, Watch, is_gzip, is_zstd, read_memory};
use crate::model::file_name;

use super::limits::Limits;
use super::out::Stop;
use super::unpacking::{Damage, Salvage, unpack};

/// Bytes that a packed file may unpack to in memory, for formats that are read at any place.
const UNPACKED_MAX: u64 = 512 << 20;
/// Bytes that are read of a part of a document that unpacks to more than it may.
pub const SWOLLEN_MAX: u64 = 16 << 20;
/// Bytes of a packed file that are believed whatever it was packed from; beyond, `RATIO_MAX` holds.
const BELIEVED: u64 = 64 << 20;
/// How many times its packed size a file may reach. Text packs some 10 times, a table of zeros 1,000 times.
const RATIO_MAX: u64 = 200;

/// Why a document could not be read, or not to its end.
#[derive(Debug, Error)]
pub enum Failure {
    /// There is enough.
    #[error("stopped")]
    Stop(Stop),
    /// It is not what it should be.
    #[error("{0}")]
    Damaged(String),
    /// It has more than its reader holds.
    #[error("it says that it has more cells than are read here")]
    TooMany,
    /// It needs a password.
    #[error("it is encrypted and needs a password")]
    Encrypted,
    /// Its bytes could not be read.
    #[error("{}", unread(.0))]
    Read(#[from] io::Error),
}

impl From<Stop> for Failure {
    fn from(stop: Stop) -> Failure {
        Failure::Stop(stop)
    }
}

/// What it means that bytes could not be read.
fn unread(why: &io::Error) -> String {
    match why.kind() {
        io::ErrorKind::UnexpectedEof => "it ends too early".to_owned(),
        _ => format!("it cannot be read: {why}"),
    }
}

/// How a file is packed, beside its format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Packing {
    /// As it is.
    None,
    /// `.gz`
    Gzip,
    /// `.bz2`
    Bzip2,
    /// `.xz`
    Xz,
    /// `.zst`
    Zstd,
}

/// Whether first bytes are those of a packing.
type Begins = fn(&[u8]) -> bool;

/// Packings by the ending of names, and by their first bytes.
const PACKINGS: &[(Packing, &str, Begins)] = &[
    (Packing::Gzip, ".gz", is_gzip),
    (Packing::Bzip2, ".bz2", |head| head.starts_with(b"BZh")),
    (Packing::Xz, ".xz", |head| head.starts_with(&[0xFD, b'7', b'z', b'X', b'Z', 0])),
    (Packing::Zstd, ".zst", is_zstd),
];

impl Packing {
    /// The packing that the first bytes show.
    #[must_use]
    pub fn of(head: &[u8]) -> Packing {
        PACKINGS.iter().find(|(_, _, begins)| begins(head)).map_or(Packing::None, |row| row.0)
    }

    /// A name without the ending of its packing.
    #[must_use]
    pub fn strip(name: &str) -> &str {
        let ends = |end: &str| {
            let at = name.len().checked_sub(end.len())?;
            name.get(at..)?.eq_ignore_ascii_case(end).then(|| &name[..at])
        };
        PACKINGS.iter().find_map(|(_, end, _)| ends(end)).unwrap_or(name)
    }
}

/// How many bytes something may unpack to.
fn believed(stored: u64) -> u64 {
    BELIEVED.max(stored.saturating_mul(RATIO_MAX))
}

/// Whether something is told to unpack to more than it may.
#[must_use]
pub fn is_swollen(stored: u64, size: u64) -> bool {
    size > believed(stored)
}

/// What a reader is given.
#[derive(Clone, Copy)]
pub struct Input<'a> {
    /// The file's name, without its folder and without the ending of a packing. Untrusted.
    pub name: &'a str,
    /// Its bytes as stored.
    pub bytes: &'a dyn ReadAt,
    /// How they are packed.
    pub packing: Packing,
    /// How much is shown; `None` for all.
    pub limits: Option<&'a Limits>,
    /// The wish to end it.
    pub watch: &'a Watch,
    /// The page from which a second, plainer reader takes over, where the first has failed.
    pub second_reader_from: Option<u32>,
    /// Archives around this file.
    pub depth: u32,
    /// What is the matter with its packing, once that was met.
    pub damage: &'a Damage,
}

impl<'a> Input<'a> {
    /// The name's ending, in lower case, without its dot.
    #[must_use]
    pub fn extension(&self) -> String {
        extension(self.name)
    }

    /// The bytes in order, unpacked, up to where their packing is damaged.
    ///
    /// # Errors
    /// Where they cannot be read.
    pub fn reader(&self) -> io::Result<Box<dyn BufRead + 'a>> {
        let stored = BufReader::with_capacity(64 << 10, InOrder { bytes: self.bytes, at: 0, watch: self.watch });
        if self.packing == Packing::None {
            return Ok(Box::new(stored));
        }
        let most = believed(self.bytes.len());
        let from = Bounded { from: unpack(stored, self.packing), left: most };
        Ok(Box::new(BufReader::with_capacity(64 << 10, Salvage { from, damage: self.damage, watch: self.watch })))
    }

    /// The bytes at any place, unpacked.
    ///
    /// # Errors
    /// Where they cannot be unpacked, or are too many for memory.
    pub fn seekable(&self) -> io::Result<Places<'a>> {
        match self.packing {
            Packing::None => Ok(Places::stored(self.bytes)),
            _ => Ok(Places::unpacked(self.whole(UNPACKED_MAX)?)),
        }
    }

    /// How many bytes there are, unpacked.
    ///
    /// # Errors
    /// As [`Input::seekable`].
    pub fn size(&self) -> io::Result<u64> {
        Ok(self.seekable()?.len())
    }

    /// All bytes, unpacked.
    ///
    /// # Errors
    /// Where they cannot be unpacked, or are more than `most`.
    pub fn whole(&self, most: u64) -> io::Result<Vec<u8>> {
        let mut all = Vec::new();
        self.reader()?.take(most.saturating_add(1)).read_to_end(&mut all)?;
        if all.len() as u64 > most {
            return Err(damaged(&format!("it is larger than {} MB", most >> 20)));
        }
        Ok(all)
    }
}

/// A name's ending, in lower case, without its dot.
#[must_use]
pub fn extension(name: &str) -> String {
    let file = file_name(name);
    file.rsplit_once('.').map_or_else(String::new, |(_, end)| end.to_lowercase())
}

fn damaged(why: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, why.to_owned())
}

/// Reads in order, and ends when asked to.
struct InOrder<'a> {
    bytes: &'a dyn ReadAt,
    at: u64,
    watch: &'a Watch,
}

impl Read for InOrder<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.watch.is_cancelled() {
            return Err(io::Error::other("stopped"));
        }
        let size = self.bytes.read_at(self.at, buffer)?;
        self.at += size as u64;
        Ok(size)
    }
}

/// Ends with an error after so many bytes.
struct Bounded<R> {
    from: R,
    left: u64,
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let size = self.from.read(buffer)?;
        self.left = self.left.saturating_sub(size as u64);
        if self.left == 0 {
            return Err(damaged("it unpacks to far more than any real file of its size"));
        }
        Ok(size)
    }
}

/// Bytes at any place: those of a file, and what was put behind them. Whoever reads a copy shares them.
#[derive(Clone)]
pub struct Places<'a> {
    bytes: Bytes<'a>,
    behind: Arc<Vec<u8>>,
    at: u64,
}

/// The bytes of a file.
#[derive(Clone)]
enum Bytes<'a> {
    /// As stored.
    Stored(&'a dyn ReadAt),
    /// Unpacked.
    Unpacked(Arc<MemoryBytes>),
}

impl<'a> Places<'a> {
    /// Reads what is stored, from the beginning.
    #[must_use]
    pub fn stored(bytes: &'a dyn ReadAt) -> Places<'a> {
        Places { bytes: Bytes::Stored(bytes), behind: Arc::default(), at: 0 }
    }

    /// The same from a place on.
    #[must_use]
    pub fn stored_from(bytes: &'a dyn ReadAt, at: u64) -> Places<'a> {
        Places { at, ..Places::stored(bytes) }
    }

    /// Reads what is in memory, from the beginning.
    #[must_use]
    pub fn unpacked(bytes: Vec<u8>) -> Places<'a> {
        Places { bytes: Bytes::Unpacked(Arc::new(MemoryBytes(bytes))), behind: Arc::default(), at: 0 }
    }

    /// The same bytes, and more behind them.
    #[must_use]
    pub fn followed_by(mut self, mut more: Vec<u8>) -> Places<'a> {
        Arc::make_mut(&mut self.behind).append(&mut more);
        self
    }

    fn file(&self) -> &dyn ReadAt {
        match &self.bytes {
            Bytes::Stored(bytes) => *bytes,
            Bytes::Unpacked(bytes) => bytes.as_ref(),
        }
    }
}

impl ReadAt for Places<'_> {
    fn len(&self) -> u64 {
        self.file().len() + self.behind.len() as u64
    }

    fn read_at(&self, at: u64, buffer: &mut [u8]) -> io::Result<usize> {
        match at.checked_sub(self.file().len()) {
            Some(behind) => read_memory(&self.behind, behind, buffer),
            None => self.file().read_at(at, buffer),
        }
    }
}

impl Read for Places<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let size = self.read_at(self.at, buffer)?;
        self.at += size as u64;
        Ok(size)
    }
}

impl Seek for Places<'_> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let at = match to {
            SeekFrom::Start(at) => Some(at),
            SeekFrom::End(by) => self.len().checked_add_signed(by),
            SeekFrom::Current(by) => self.at.checked_add_signed(by),
        };
        self.at = at.ok_or_else(|| damaged("a place before its beginning"))?;
        Ok(self.at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_unpacks_to_far_more_than_real_files_do_is_known() {
        let found = [(1 << 20, 1 << 30), (1 << 20, 200 << 20), (1 << 10, 64 << 20), (1 << 10, (64 << 20) + 1)];
        assert_eq!(found.map(|(stored, size)| is_swollen(stored, size)), [true, false, false, true]);
    }

    #[test]
    fn packings_are_known_by_first_bytes_and_endings() {
        let begins: [(&[u8], Packing); 6] = [
            (b"\x1F\x8B\x08", Packing::Gzip),
            (b"BZh9", Packing::Bzip2),
            (b"\xFD7zXZ\0", Packing::Xz),
            (b"\x28\xB5\x2F\xFD\x04", Packing::Zstd),
            // What packs in parallel puts the sizes before the first frame.
            (b"\x50\x2A\x4D\x18\x04", Packing::Zstd),
            (b"P*", Packing::None),
        ];
        for (head, packing) in begins {
            assert_eq!(Packing::of(head), packing, "{head:?}");
        }
        assert_eq!((Packing::strip("a.csv.ZST"), Packing::strip("a.csv")), ("a.csv", "a.csv"));
    }
}
