//! Opens what the user names: a file, a packed file, a folder, or standard input.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use thiserror::Error;

use crate::content::{ReadAt, Sources, Watch};
use crate::document::Packing;
use crate::model::{SourceKind, Transcript, Warning};
use crate::transcript::{Input, OpenError, Siblings, detect, read};

use super::adapt::{Adapted, adapt};
use super::spool::spool;
use super::{FileBytes, FolderSiblings, packing_of};

/// A transcript with the sources that its spans point into.
pub struct Opened {
    /// What was understood.
    pub transcript: Transcript,
    /// Where its text is.
    pub sources: Sources,
}

/// Why a transcript could not be opened.
#[derive(Debug, Error)]
pub enum OpenFileError {
    /// The system said no.
    #[error("cannot open {name}: {why}")]
    Read {
        /// The name as the user gave it.
        name: String,
        /// The system's words.
        why: std::io::Error,
    },
    /// The folder holds no session.
    #[error("there is no session in the folder {0}")]
    EmptyFolder(String),
    /// It is not a transcript, or damaged beyond reading.
    #[error("{name}: {why}")]
    Format {
        /// The name as the user gave it.
        name: String,
        /// What was looked for and found.
        why: OpenError,
    },
}

/// Opens a transcript: a path, a folder (its newest session) or `-` (standard input). Packed files are unpacked in
/// passing.
///
/// # Errors
/// Where it cannot be read, or is of no known format.
pub fn open(name: &Path, format: Option<&str>, watch: &Watch) -> Result<Opened, OpenFileError> {
    let shown = name.to_string_lossy().into_owned();
    let failed = |why| OpenFileError::Read { name: shown.clone(), why };
    let (bytes, broken, path): (Arc<dyn ReadAt>, _, _) = if name == Path::new("-") {
        let (bytes, broken) = spool(std::io::stdin().lock(), watch).map_err(failed)?;
        (Arc::new(bytes), broken, None)
    } else {
        let path = match fs::metadata(name).map_err(failed)?.is_dir() {
            true => newest_session(name, format, watch).ok_or_else(|| OpenFileError::EmptyFolder(shown.clone()))?,
            false => name.to_path_buf(),
        };
        let (bytes, broken) = open_file(&path, watch).map_err(failed)?;
        (bytes, broken, Some(path))
    };
    let siblings = path.as_deref().map(FolderSiblings::of);
    let title = path.map_or_else(|| shown.clone(), |path| path.to_string_lossy().into_owned());
    let found = Found { bytes, broken, title };
    read_found(found, &shown, siblings.as_ref().map(|found| found as &dyn Siblings), format, watch)
}

/// Opens a session's file as one of a format, and nothing that lies beside it.
///
/// # Errors
/// As [`open`].
pub(super) fn open_alone(path: &Path, format: &str, watch: &Watch) -> Result<Opened, OpenFileError> {
    let title = path.to_string_lossy().into_owned();
    let (bytes, broken) = open_file(path, watch).map_err(|why| OpenFileError::Read { name: title.clone(), why })?;
    read_found(Found { bytes, broken, title: title.clone() }, &title, None, Some(format), watch)
}

/// A file that was found, unpacked.
struct Found {
    bytes: Arc<dyn ReadAt>,
    /// Why it could not be unpacked to its end.
    broken: Option<String>,
    /// The name of the source that it becomes.
    title: String,
}

fn read_found(
    found: Found,
    shown: &str,
    siblings: Option<&dyn Siblings>,
    format: Option<&str>,
    watch: &Watch,
) -> Result<Opened, OpenFileError> {
    let failed = |why| OpenFileError::Read { name: shown.to_owned(), why };
    if let Some(why) = found.broken.as_ref().filter(|_| found.bytes.is_empty()) {
        return Err(failed(std::io::Error::new(std::io::ErrorKind::InvalidData, format!("it breaks off: {why}"))));
    }
    let Adapted { bytes, notes } = adapt(found.bytes, format, watch).map_err(failed)?;
    let mut sources = Sources::default();
    watch.expect(bytes.len());
    let main = sources.add(found.title, SourceKind::Transcript, bytes);
    let mut transcript = read(Input { sources: &mut sources, main, siblings, watch }, format)
        .map_err(|why| OpenFileError::Format { name: shown.to_owned(), why })?;
    let said = notes.into_iter().map(|message| Warning { source: main, line: 0, message });
    transcript.warnings.splice(0..0, said);
    if let Some(broken) = found.broken {
        transcript.warnings.insert(0, Warning { source: main, line: 0, message: format!("it breaks off: {broken}") });
    }
    Ok(Opened { transcript, sources })
}

/// Opens a transcript that is in memory (the built-in examples), packed or not.
///
/// # Errors
/// Where it is of no known format.
pub fn open_bytes(name: &str, packed: &[u8], watch: &Watch) -> Result<Opened, OpenFileError> {
    let mut bytes = Vec::new();
    let unpacked = match packing_of(packed) {
        Packing::Gzip => flate2::read::GzDecoder::new(packed).read_to_end(&mut bytes),
        _ => std::io::Cursor::new(packed).read_to_end(&mut bytes),
    };
    unpacked.map_err(|why| OpenFileError::Read { name: name.to_owned(), why })?;
    let mut sources = Sources::default();
    let main = sources.add_memory(name, SourceKind::Transcript, bytes);
    let transcript = read(Input { sources: &mut sources, main, siblings: None, watch }, None)
        .map_err(|why| OpenFileError::Format { name: name.to_owned(), why })?;
    Ok(Opened { transcript, sources })
}

/// Opens one file; a packed one goes through a spool.
pub(super) fn open_file(path: &Path, watch: &Watch) -> std::io::Result<(Arc<dyn ReadAt>, Option<String>)> {
    let mut file = fs::File::open(path)?;
    let about = file.metadata()?;
    let mut head = [0; 4];
    // A device may never end; what is typed comes through standard input.
    #[cfg(unix)]
    if std::os::unix::fs::FileTypeExt::is_char_device(&about.file_type()) && !path.ends_with("stdin") {
        return Err(std::io::Error::new(std::io::ErrorKind::InvalidInput, "it is a device, not a file"));
    }
    // A pipe has no length to read up to: it is spooled like standard input.
    if !about.is_file() {
        let (bytes, broken) = spool(file, watch)?;
        return Ok((Arc::new(bytes), broken));
    }
    let size = file.read(&mut head)?;
    if packing_of(&head[..size]) == Packing::None {
        return Ok((Arc::new(FileBytes::of(file)?), None));
    }
    let (bytes, broken) = spool(fs::File::open(path)?, watch)?;
    Ok((Arc::new(bytes), broken))
}

/// Files of a folder that are looked into for a session.
const LOOKED_AT: usize = 500;

/// The session in a folder that was written last, subagents' logs left out: other files may lie there too, and be
/// newer. Where none is known for a session, the file that was written last, whose reader says what is the matter.
fn newest_session(folder: &Path, format: Option<&str>, watch: &Watch) -> Option<PathBuf> {
    let mut found = Vec::new();
    look(folder, 0, &mut found);
    found.sort_unstable_by(|one, other| other.cmp(one));
    let known = found.iter().take(LOOKED_AT).find(|(_, path)| is_session(path, format, watch));
    known.or(found.first()).map(|(_, path)| path.clone())
}

/// Whether a file is a transcript, by its content.
fn is_session(path: &Path, format: Option<&str>, watch: &Watch) -> bool {
    let opened = open_file(path, watch).and_then(|(bytes, _)| adapt(bytes, format, watch));
    let Ok(Adapted { bytes, .. }) = opened else { return false };
    let mut sources = Sources::default();
    let main = sources.add(String::new(), SourceKind::Transcript, bytes);
    detect(&sources, main).is_ok_and(|found| format.is_none_or(|wanted| found.format.name == wanted))
}

fn look(folder: &Path, depth: usize, found: &mut Vec<(std::time::SystemTime, PathBuf)>) {
    const ENDINGS: [&str; 5] = [".jsonl", ".json", ".jsonl.gz", ".jsonl.zst", ".har"];
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let (Ok(kind), name) = (entry.file_type(), entry.file_name().to_string_lossy().into_owned()) else { continue };
        if kind.is_dir() && depth < 6 && name != "subagents" {
            look(&entry.path(), depth + 1, found);
        } else if kind.is_file() && ENDINGS.iter().any(|end| name.ends_with(end)) && !name.starts_with("agent-") {
            let Ok(written) = entry.metadata().and_then(|about| about.modified()) else { continue };
            found.push((written, entry.path()));
        }
    }
}
