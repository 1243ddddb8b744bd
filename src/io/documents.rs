//! Converted documents kept from one run of the program to the next, under the cache folder: one file for each.
//!
//! A document is known by the hash of its bytes, its name's ending, what is asked of it, and the program that converts
//! it: what another build made of it is not shown. Files are replaced whole, so that two programs never see half of
//! one; what was not used for longest goes when there is too much.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use sha2::{Digest, Sha256};
use xxhash_rust::xxh3::xxh3_64;

use crate::chunk::hex_of;
use crate::content::{ReadAt, Watch};
use crate::document::{Conversion, Packing, Stop, extension};

use super::large::{Gathering, LargeDocument};
use super::worker::{Converter, Job};

/// First bytes of a file; another number where what follows is written in another way.
const MAGIC: &[u8; 16] = b"windowpane doc 3";
/// Bytes of all files.
const BYTES_MAX: u64 = 256 << 20;
/// A larger one is not kept.
const FILE_MAX: u64 = 32 << 20;
/// A document with more bytes is converted anew each time: to hash it would take as long.
const SOURCE_MAX: u64 = 512 << 20;
const FOLDER: &str = "documents";

/// Documents of earlier runs.
#[derive(Clone, Debug, Default)]
pub struct DocumentCache {
    folder: Option<PathBuf>,
}

impl DocumentCache {
    /// Uses a cache folder; with none, nothing is kept.
    #[must_use]
    pub fn open(folder: Option<&Path>) -> DocumentCache {
        DocumentCache { folder: folder.map(|folder| folder.join(FOLDER)) }
    }

    /// The document, converted: from the cache where it is there, else by its reader, and kept. Where a reader failed
    /// or was ended, nothing is kept.
    ///
    /// # Errors
    /// [`Stop::Cancelled`] where the watch ended it.
    pub fn convert(&self, converter: &Converter, job: &Job<'_>) -> Result<Conversion, Stop> {
        let Some(path) = self.place(converter, job) else { return converter.collect(job) };
        if let Some(kept) = read(&path) {
            return Ok(kept);
        }
        let conversion = converter.collect(job)?;
        self.keep_good(&path, &conversion, job.watch);
        Ok(conversion)
    }

    /// The same, where of its Markdown no more than so many bytes are to be held.
    ///
    /// # Errors
    /// Where it cannot be spooled, or the watch ended it.
    pub fn convert_large(&self, converter: &Converter, job: &Job<'_>, most: usize) -> io::Result<LargeDocument> {
        let path = self.place(converter, job);
        if let Some(kept) = path.as_deref().and_then(read) {
            return Ok(LargeDocument::held(kept));
        }
        let mut gathering = Gathering::holding(most);
        let done =
            converter.convert(job, &mut |piece| if gathering.take(piece) { Ok(()) } else { Err(Stop::Cancelled) });
        let document = gathering.end()?;
        done.map_err(|_| io::Error::new(io::ErrorKind::Interrupted, "stopped"))?;
        if let Some(path) = path.filter(|_| !document.is_spooled()) {
            self.keep_good(&path, &document.about, job.watch);
        }
        Ok(document)
    }

    /// Keeps a document, unless a reader failed or was ended.
    fn keep_good(&self, path: &Path, conversion: &Conversion, watch: &Watch) {
        if !conversion.notes.iter().any(|note| note.of_reader) && !watch.is_cancelled() {
            // A cache that cannot be written makes the next run slower, nothing else.
            let _ = self.keep(path, conversion);
        }
    }

    /// Where a document is kept; `None` where it is not to be.
    fn place(&self, converter: &Converter, job: &Job<'_>) -> Option<PathBuf> {
        let folder = self.folder.as_ref().filter(|_| job.bytes.len() <= SOURCE_MAX)?;
        let mut hash = Sha256::new();
        hash.update(env!("CARGO_PKG_VERSION"));
        hash.update(format!("{:?}", identity(&converter.program)));
        // Of a packed file's name two endings count; lengths keep them apart from each other.
        for name in [job.name, Packing::strip(job.name)] {
            let ending = extension(name);
            hash.update(ending.len().to_le_bytes());
            hash.update(ending);
        }
        hash.update(serde_json::to_vec(&job.limits).ok()?);
        hash.update(job.max_bytes.to_le_bytes());
        hash_bytes(job.bytes, &mut hash, job.watch)?;
        Some(folder.join(hex_of(&hash.finalize())))
    }

    fn keep(&self, path: &Path, conversion: &Conversion) -> io::Result<()> {
        let Some(folder) = &self.folder else { return Ok(()) };
        // What is too large anyway is not written out in memory.
        if conversion.markdown.len() as u64 > FILE_MAX {
            return Ok(());
        }
        let bytes = written(conversion)?;
        if bytes.len() as u64 > FILE_MAX {
            return Ok(());
        }
        fs::create_dir_all(folder)?;
        let mut file = tempfile::NamedTempFile::new_in(folder)?;
        file.write_all(&bytes)?;
        file.persist(path).map_err(|failed| failed.error)?;
        if is_to_look(path, bytes.len()) { bound(folder, BYTES_MAX) } else { Ok(()) }
    }
}

/// What stands in a file: its mark and a sum of the rest; how long the Markdown is and that as it is, since it is most of it;
/// and all else as JSON.
fn written(conversion: &Conversion) -> io::Result<Vec<u8>> {
    let markdown = conversion.markdown.as_bytes();
    let mut bytes = Vec::with_capacity(MAGIC.len() + 16 + markdown.len() + 1024);
    bytes.extend(MAGIC);
    bytes.extend([0; 8]);
    bytes.extend((markdown.len() as u64).to_le_bytes());
    bytes.extend(markdown);
    serde_json::to_writer(&mut bytes, &conversion.without_markdown())?;
    if let Some((sum, body)) = bytes.get_mut(MAGIC.len()..).and_then(<[u8]>::split_first_chunk_mut::<8>) {
        *sum = xxh3_64(body).to_le_bytes();
    }
    Ok(bytes)
}

/// The document that stands in a file behind its sum.
fn of_body(body: &[u8]) -> Option<Conversion> {
    let (size, rest) = body.split_first_chunk::<8>()?;
    let (markdown, rest) = rest.split_at_checked(usize::try_from(u64::from_le_bytes(*size)).ok()?)?;
    let mut conversion: Conversion = serde_json::from_slice(rest).ok()?;
    std::str::from_utf8(markdown).ok()?.clone_into(&mut conversion.markdown);
    Some(conversion)
}

/// Whether all files are looked at once this one is written: after each large one, and after one in sixteen of the small
/// ones, since there may be thousands.
fn is_to_look(path: &Path, bytes: usize) -> bool {
    bytes > 1 << 20 || path.to_string_lossy().ends_with('0')
}

/// What tells a build of the program from others: its size, and when it was written. `None` where it cannot be asked.
fn identity(program: &Path) -> Option<(u64, SystemTime)> {
    let about = fs::metadata(program).ok()?;
    Some((about.len(), about.modified().ok()?))
}

/// Reads a kept document; `None` where it is not there, damaged or of another version. It counts as used now.
fn read(path: &Path) -> Option<Conversion> {
    let file = File::open(path).ok()?;
    let mut bytes = Vec::new();
    (&file).take(FILE_MAX + 64).read_to_end(&mut bytes).ok()?;
    let (sum, body) = bytes.strip_prefix(MAGIC)?.split_first_chunk::<8>()?;
    if u64::from_le_bytes(*sum) != xxh3_64(body) {
        return None;
    }
    // Where the time cannot be set, the file only goes sooner.
    let _ = File::options().append(true).open(path).and_then(|file| file.set_modified(SystemTime::now()));
    of_body(body)
}

/// Removes the files that were not used for longest until the rest fit.
pub(super) fn bound(folder: &Path, most: u64) -> io::Result<()> {
    let mut files: Vec<(SystemTime, u64, PathBuf)> = fs::read_dir(folder)?
        .flatten()
        .filter_map(|entry| {
            let about = entry.metadata().ok().filter(fs::Metadata::is_file)?;
            Some((about.modified().ok()?, about.len(), entry.path()))
        })
        .collect();
    let mut sum: u64 = files.iter().map(|(_, bytes, _)| bytes).sum();
    if sum <= most {
        return Ok(());
    }
    files.sort();
    for (_, bytes, path) in files {
        if sum <= most * 3 / 4 {
            break;
        }
        // Another program may have removed it.
        let _ = fs::remove_file(path);
        sum -= bytes;
    }
    Ok(())
}

/// Adds all bytes; `None` where they cannot be read, or it was stopped.
fn hash_bytes(bytes: &dyn ReadAt, hash: &mut Sha256, watch: &Watch) -> Option<()> {
    let mut buffer = vec![0; 1 << 20];
    let mut at = 0;
    while at < bytes.len() {
        if watch.is_cancelled() {
            return None;
        }
        match bytes.read_at(at, &mut buffer) {
            Ok(0) => return None,
            Ok(read) => {
                hash.update(buffer.get(..read)?);
                at += read as u64;
            }
            Err(why) if why.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return None,
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::content::MemoryBytes;

    fn convert(cache: &DocumentCache, name: &str, text: &str) -> Conversion {
        let (bytes, watch) = (MemoryBytes(text.as_bytes().to_vec()), Watch::default());
        let job = Job { name, path: None, bytes: &bytes, limits: None, max_bytes: 1 << 20, watch: &watch };
        cache.convert(&Converter::new("no such program".into()), &job).unwrap()
    }

    fn kept(folder: &Path) -> Vec<PathBuf> {
        fs::read_dir(folder.join(FOLDER)).unwrap().flatten().map(|entry| entry.path()).collect()
    }

    #[test]
    fn a_second_opening_comes_from_the_cache() {
        let folder = tempfile::tempdir().unwrap();
        let cache = DocumentCache::open(Some(folder.path()));
        let first = convert(&cache, "a.md", "# One\n");
        let files = kept(folder.path());
        assert_eq!(files.len(), 1);
        // What stands in the file is what comes back: it is not read anew.
        let other = Conversion { markdown: "# Kept\n".into(), ..first.clone() };
        cache.keep(&files[0], &other).unwrap();
        assert_eq!(convert(&cache, "a.md", "# One\n"), other);
        // It is the content that counts, and of the name its ending.
        assert_eq!(convert(&cache, "folder/b.MD", "# One\n"), other);
        assert_eq!(convert(&cache, "a.txt", "# One\n").markdown, first.markdown);
        fs::write(&files[0], "damaged").unwrap();
        assert_eq!(convert(&cache, "a.md", "# One\n"), first);
    }

    #[test]
    fn what_another_build_made_is_made_anew() {
        let folder = tempfile::tempdir().unwrap();
        let cache = DocumentCache::open(Some(folder.path()));
        let program = folder.path().join("program");
        let (bytes, watch) = (MemoryBytes(b"# One\n".to_vec()), Watch::default());
        let job = Job { name: "a.md", path: None, bytes: &bytes, limits: None, max_bytes: 1 << 20, watch: &watch };
        for (build, files) in [("one", 1), ("one", 1), ("another", 2)] {
            if fs::read_to_string(&program).ok().as_deref() != Some(build) {
                fs::write(&program, build).unwrap();
            }
            cache.convert(&Converter::new(program.clone()), &job).unwrap();
            assert_eq!(kept(folder.path()).len(), files, "{build}");
        }
    }

    #[test]
    fn of_many_small_files_one_in_sixteen_has_the_folder_looked_at() {
        let is_to = |number: u32, bytes| is_to_look(Path::new(&hex_of(&Sha256::digest(number.to_le_bytes()))), bytes);
        let looked = (0..1_600).filter(|number| is_to(*number, 5_000)).count();
        assert!((60..140).contains(&looked), "{looked}");
        assert!((0..20).all(|number| is_to(number, 2 << 20)));
    }

    #[test]
    fn the_folder_is_bounded_by_what_was_used_last() {
        let folder = tempfile::tempdir().unwrap();
        for (number, name) in (1..=4u64).zip(["a", "b", "c", "d"]) {
            let path = folder.path().join(name);
            fs::write(&path, [0; 100]).unwrap();
            let at = SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(number * 1_000);
            File::options().append(true).open(&path).unwrap().set_modified(at).unwrap();
        }
        bound(folder.path(), 400).unwrap();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 4);
        bound(folder.path(), 300).unwrap();
        let mut left: Vec<_> = fs::read_dir(folder.path()).unwrap().flatten().map(|entry| entry.file_name()).collect();
        left.sort();
        assert_eq!(left, ["c", "d"]);
    }
}
