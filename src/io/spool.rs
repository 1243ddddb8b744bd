//! Spools: what can be read only once (standard input, compressed files) is written to a nameless temporary file.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;

use crate::content::{GzipReader, ReadAt, Watch, ZstdReader, is_gzip, is_zstd};
use crate::document::{Packing, may_be_read};

use super::FileBytes;

/// Bytes of a stream that are taken in: one may have no end, and a compressed file may claim any size.
const STREAM_MAX: u64 = 8 << 30;
/// Bytes of a device, what is typed for one; one with more has no end.
const DEVICE_MAX: u64 = 64 << 20;

/// Bytes of a stream that is of no kind that anything here reads; the rest of it is not waited for.
const UNREAD_MAX: u64 = 128 << 20;

/// Tells by its first bytes how a stream is packed, of the ways in which sessions are.
#[must_use]
pub fn packing_of(head: &[u8]) -> Packing {
    match head {
        _ if is_gzip(head) => Packing::Gzip,
        _ if is_zstd(head) => Packing::Zstd,
        _ => Packing::None,
    }
}

/// How a stream is packed, and the stream from its beginning.
fn peeked(mut stream: impl Read) -> io::Result<(Packing, impl Read)> {
    let mut head = [0; 4];
    let size = read_full(&mut stream, &mut head)?;
    Ok((packing_of(&head[..size]), io::Cursor::new(head).take(size as u64).chain(stream)))
}

/// A nameless temporary file.
///
/// # Errors
/// Where none can be made; that says where.
pub(super) fn temporary() -> io::Result<File> {
    tempfile::tempfile().map_err(|why| of_temporary(&why))
}

/// An error of a temporary file, told from one of what is read.
pub(super) fn of_temporary(why: &io::Error) -> io::Error {
    let folder = std::env::temp_dir();
    io::Error::new(why.kind(), format!("cannot write a temporary file in {}: {why}", folder.display()))
}

/// A file that the user names, as it stands.
pub struct NamedFile {
    /// Its bytes.
    pub bytes: FileBytes,
    /// Whether it can be read again by that name.
    pub again: bool,
    /// Why it broke off, where it did.
    pub broken: Option<String>,
}

/// A file that the user names: a pipe and a device have no length to read up to, and are spooled like standard input.
///
/// # Errors
/// As [`FileBytes::open`] and [`spool`]; and where a device does not end.
pub fn named_file(path: &Path, watch: &Watch) -> io::Result<NamedFile> {
    let file = File::open(path)?;
    match flow_of(&file)? {
        Flow::Stored => Ok(NamedFile { bytes: FileBytes::of(file)?, again: true, broken: None }),
        Flow::Pipe => read_once(file, watch),
        Flow::Device => {
            let NamedFile { bytes, again, broken } = read_once(file.take(DEVICE_MAX + 1), watch)?;
            if bytes.len() > DEVICE_MAX {
                let why = format!("it is a device that did not end after {} MiB", DEVICE_MAX >> 20);
                return Err(io::Error::new(io::ErrorKind::FileTooLarge, why));
            }
            Ok(NamedFile { bytes, again, broken })
        }
    }
}

/// What can be read only once, as it stands: who reads a document of it unpacks it, and tells where that ends early.
///
/// # Errors
/// As [`spool`].
pub fn read_once(stream: impl Read, watch: &Watch) -> io::Result<NamedFile> {
    let (bytes, broken) = spool_bare(Counted { stream, watch }, UNREAD_MAX, watch)?;
    Ok(NamedFile { bytes, again: false, broken })
}

/// How what a name stands for gives its bytes.
enum Flow {
    /// At any place, as often as asked.
    Stored,
    /// Once, to where its writer ends it.
    Pipe,
    /// Once, and maybe without an end.
    Device,
}

#[cfg(unix)]
fn flow_of(file: &File) -> io::Result<Flow> {
    use std::os::unix::fs::FileTypeExt;
    let kind = file.metadata()?.file_type();
    Ok(match () {
        () if kind.is_fifo() || kind.is_socket() => Flow::Pipe,
        () if kind.is_char_device() || kind.is_block_device() => Flow::Device,
        () => Flow::Stored,
    })
}

#[cfg(not(unix))]
fn flow_of(_: &File) -> io::Result<Flow> {
    Ok(Flow::Stored)
}

/// Reads a stream to its end into a temporary file, unpacked. A stream that breaks off keeps what came before; the
/// second value then says what went wrong.
///
/// # Errors
/// Where nothing could be read at all, or the temporary file cannot be written; and where it is long, or has no end, and
/// its beginning is of nothing that is read here.
pub fn spool(stream: impl Read, watch: &Watch) -> io::Result<(FileBytes, Option<String>)> {
    match peeked(Counted { stream, watch })? {
        (Packing::Gzip, whole) => spool_bare(ungzip(whole), UNREAD_MAX, watch),
        (Packing::Zstd, whole) => spool_bare(unzstd(whole), UNREAD_MAX, watch),
        (_, whole) => spool_bare(whole, UNREAD_MAX, watch),
    }
}

/// `unread_max`: the bytes of one that nothing here reads.
fn spool_bare(mut stream: impl Read, unread_max: u64, watch: &Watch) -> io::Result<(FileBytes, Option<String>)> {
    let mut file = temporary()?;
    let mut broken = copy(stream.by_ref().take(unread_max + 1), &mut file, watch)?;
    let bytes = FileBytes::of(file.try_clone()?)?;
    if broken.is_none() && bytes.len() > unread_max {
        if !may_be_read(&bytes) {
            let size = unread_max >> 20;
            let why = format!("it is no text and no document of a known kind, and goes on after {size} MiB");
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, why));
        }
        broken = copy(stream, &mut file, watch)?;
    }
    Ok((FileBytes::of(file)?, broken))
}

/// A stream's bytes in order, unpacked where they are packed. One that breaks off is an error: a part is not all.
///
/// # Errors
/// Where it cannot be read, or unpacked to its end.
pub fn unpacked<'s>(stream: impl Read + 's) -> io::Result<Box<dyn Read + 's>> {
    let (packing, whole) = peeked(stream)?;
    if packing == Packing::None {
        return Ok(Box::new(whole));
    }
    match spool(whole, &Watch::default())? {
        (bytes, None) => Ok(Box::new(InOrder { bytes, at: 0 })),
        (_, Some(why)) => Err(io::Error::new(io::ErrorKind::InvalidData, format!("it breaks off: {why}"))),
    }
}

/// So many bytes of a stream's beginning, unpacked; fewer where it ends or breaks off.
///
/// # Errors
/// Where nothing can be read.
pub(super) fn head(stream: impl Read, bytes: usize) -> io::Result<Vec<u8>> {
    let most = bytes as u64;
    let mut head = Vec::new();
    match peeked(stream)? {
        // What stands before the damage has been read.
        (Packing::Gzip, whole) => drop(ungzip(whole).take(most).read_to_end(&mut head)),
        (Packing::Zstd, whole) => drop(unzstd(whole).take(most).read_to_end(&mut head)),
        (_, whole) => drop(whole.take(most).read_to_end(&mut head)?),
    }
    Ok(head)
}

/// Reads bytes from the first to the last.
struct InOrder {
    bytes: FileBytes,
    at: u64,
}

impl Read for InOrder {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let size = self.bytes.read_at(self.at, buffer)?;
        self.at += size as u64;
        Ok(size)
    }
}

fn unzstd(stream: impl Read) -> ZstdReader<io::BufReader<impl Read>> {
    ZstdReader::new(io::BufReader::new(stream))
}

fn ungzip(stream: impl Read) -> GzipReader<io::BufReader<impl Read>> {
    GzipReader::new(io::BufReader::new(stream))
}

/// Copies into a temporary file until the end, the limit, damage or cancellation.
pub(super) fn copy(mut from: impl Read, to: &mut impl Write, watch: &Watch) -> io::Result<Option<String>> {
    let mut buffer = vec![0; 256 << 10];
    let mut written = 0u64;
    while !watch.is_cancelled() {
        match from.read(&mut buffer) {
            Ok(0) => return Ok(None),
            Ok(size) => {
                to.write_all(&buffer[..size]).map_err(|why| of_temporary(&why))?;
                written += size as u64;
                if written > STREAM_MAX {
                    return Ok(Some(format!("it goes on after {} GiB; the rest is left out", STREAM_MAX >> 30)));
                }
            }
            Err(why) if why.kind() == io::ErrorKind::Interrupted => {}
            Err(why) => return Ok(Some(why.to_string())),
        }
    }
    Ok(Some("stopped".to_owned()))
}

fn read_full(stream: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match stream.read(&mut buffer[filled..]) {
            Ok(0) => break,
            Ok(size) => filled += size,
            Err(why) if why.kind() == io::ErrorKind::Interrupted => {}
            Err(why) => return Err(why),
        }
    }
    Ok(filled)
}

/// Tells a watch how much of a stream has been read.
struct Counted<'a, R> {
    stream: R,
    watch: &'a Watch,
}

impl<R: Read> Read for Counted<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let size = self.stream.read(buffer)?;
        self.watch.advance(size as u64);
        Ok(size)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn a_pipe_with_a_name_is_read_as_standard_input_is() {
        let folder = tempfile::tempdir().unwrap();
        let (pipe, plain) = (folder.path().join("pipe.csv"), folder.path().join("plain.csv"));
        let text = "a,b\n1,2\n".repeat(20_000);
        std::fs::write(&plain, &text).unwrap();
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let (to, written) = (pipe.clone(), text.clone());
        let writer = std::thread::spawn(move || std::fs::write(to, written));
        for (path, again) in [(&pipe, false), (&plain, true)] {
            let NamedFile { bytes, again: is_there, broken } = named_file(path, &Watch::default()).unwrap();
            assert_eq!(broken, None);
            let mut read = vec![0; text.len() + 1];
            assert_eq!((bytes.len(), is_there), (text.len() as u64, again), "{path:?}");
            let size = bytes.read_at(0, &mut read).unwrap();
            assert_eq!(&read[..size], text.as_bytes());
        }
        writer.join().unwrap().unwrap();
        assert!(named_file(folder.path(), &Watch::default()).is_err());
    }

    #[test]
    fn a_long_stream_is_read_on_where_something_may_read_it() {
        const MOST: u64 = 1 << 20;
        let watch = Watch::default();
        for (start, rest) in
            [("words\n", b'x'), ("PK\x03\x04", 0), ("%PDF-1.7\n", 0), ("\0\0\0words\n", 0), ("BZh9", 0)]
        {
            let long = start.as_bytes().chain(io::repeat(rest).take(MOST));
            let (bytes, broken) = spool_bare(long, MOST, &watch).unwrap();
            assert_eq!((bytes.len(), broken), (MOST + start.len() as u64, None), "{start:?}");
        }
        // What ends soon is told by its readers.
        assert_eq!(spool_bare(io::repeat(0).take(MOST), MOST, &watch).unwrap().0.len(), MOST);
        let why = spool(io::repeat(0), &watch).err().unwrap();
        assert!(why.to_string().contains("no text"), "{why}");
    }

    #[test]
    fn a_full_disk_is_told_with_the_folder() {
        struct Full;
        impl Write for Full {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                Err(io::ErrorKind::StorageFull.into())
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let why = copy(io::repeat(b'y'), &mut Full, &Watch::default()).unwrap_err();
        let folder = std::env::temp_dir().display().to_string();
        assert_eq!(why.kind(), io::ErrorKind::StorageFull);
        assert!(why.to_string().contains(&folder), "{why}");
    }

    #[cfg(unix)]
    #[test]
    fn a_device_is_read_to_its_end_and_refused_where_it_has_none() {
        let none = named_file(Path::new("/dev/null"), &Watch::default()).unwrap();
        assert_eq!((none.bytes.len(), none.again, none.broken), (0, false, None));
        let why = named_file(Path::new("/dev/zero"), &Watch::default()).err().unwrap();
        assert!(why.to_string().contains("a device that did not end"), "{why}");
    }
}
