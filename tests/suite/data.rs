//! Real recordings and documents, which are not part of the project: the folder that `WINDOWPANE_DATA` names.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Once};

use windowpane::content::{MemoryBytes, Sources, Watch};
use windowpane::model::{SourceId, SourceKind, Transcript};
use windowpane::transcript::{FORMATS, Format, Input, Siblings, read};

/// The folder, or `None` where the variable is not set (the test then passes). A path from here: the program may be
/// started elsewhere.
pub fn folder() -> Option<PathBuf> {
    static TOLD: Once = Once::new();
    let Some(named) = std::env::var_os("WINDOWPANE_DATA").map(PathBuf::from) else {
        // Not by a macro: what those print is only shown of tests that fail.
        let words = "WINDOWPANE_DATA is not set: tests of real recordings and documents pass without looking at any.";
        TOLD.call_once(|| drop(writeln!(std::io::stderr(), "{words}")));
        return None;
    };
    Some(std::path::absolute(&named).unwrap_or(named))
}

/// The formats that there are recordings of: a HAR file only holds bodies of the others.
pub fn formats() -> impl Iterator<Item = &'static Format> {
    FORMATS.iter().filter(|format| format.name != "har")
}

/// The transcripts of one format, sorted: at least one, or none where there is no data.
pub fn transcripts(format: &str) -> Vec<PathBuf> {
    let Some(folder) = folder() else { return Vec::new() };
    let mut found = Vec::new();
    collect(&folder.join("transcripts").join(format), &mut found);
    found.sort();
    assert!(!found.is_empty(), "there are no transcripts of {format}");
    found
}

fn collect(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder of transcripts").flatten() {
        let path = entry.path();
        if path.is_dir() { collect(&path, found) } else { found.push(path) }
    }
}

/// The bytes of a file of the data.
pub fn bytes(path: &Path) -> Vec<u8> {
    std::fs::read(path).unwrap_or_else(|why| panic!("{}: {why}", path.display()))
}

/// The files beside a transcript.
struct Beside(PathBuf);

impl Siblings for Beside {
    fn list(&self, folder: &str) -> Vec<String> {
        let mut found = Vec::new();
        let under = self.0.join(folder);
        if under.is_dir() {
            collect(&under, &mut found);
        }
        let mut names: Vec<String> = found
            .iter()
            .filter_map(|path| path.strip_prefix(&self.0).ok())
            .map(|path| path.to_string_lossy().replace('\\', "/"))
            .collect();
        names.sort();
        names
    }

    fn open(&self, name: &str) -> Option<Arc<dyn windowpane::content::ReadAt>> {
        Some(Arc::new(MemoryBytes(std::fs::read(self.0.join(name)).ok()?)))
    }
}

/// Reads bytes in memory, with these files beside them; the format is detected.
pub fn open_beside(bytes: Vec<u8>, name: &str, files: Files) -> (Sources, Transcript) {
    let mut sources = Sources::default();
    let main = sources.add_memory(name, SourceKind::Transcript, bytes);
    let input = Input { sources: &mut sources, main, siblings: Some(&files), watch: &Watch::default() };
    let transcript = read(input, None).unwrap_or_else(|why| panic!("{why}"));
    (sources, transcript)
}

/// Files in one folder, in memory.
pub struct Files(pub Vec<(String, Vec<u8>)>);

impl Siblings for Files {
    fn list(&self, folder: &str) -> Vec<String> {
        if folder.is_empty() { self.0.iter().map(|(name, _)| name.clone()).collect() } else { Vec::new() }
    }

    fn open(&self, name: &str) -> Option<Arc<dyn windowpane::content::ReadAt>> {
        let (_, bytes) = self.0.iter().find(|(known, _)| known == name)?;
        Some(Arc::new(MemoryBytes(bytes.clone())))
    }
}

/// Reads a file of the data with what lies beside it; the format is detected.
pub fn open(path: &Path) -> (Sources, Transcript) {
    let mut sources = Sources::default();
    let main = sources.add_memory(path.to_string_lossy(), SourceKind::Transcript, bytes(path));
    let beside = Beside(path.parent().map(Path::to_path_buf).unwrap_or_default());
    let input = Input { sources: &mut sources, main, siblings: Some(&beside), watch: &Watch::default() };
    let transcript = read(input, None).unwrap_or_else(|why| panic!("{}: {why}", path.display()));
    (sources, transcript)
}

/// Reads bytes in memory; the format is detected where none is named.
pub fn open_bytes(bytes: Vec<u8>, format: Option<&str>) -> (Sources, Transcript) {
    let mut sources = Sources::default();
    let main: SourceId = sources.add_memory("test", SourceKind::Transcript, bytes);
    let input = Input { sources: &mut sources, main, siblings: None, watch: &Watch::default() };
    let transcript = read(input, format).unwrap_or_else(|why| panic!("{why}"));
    (sources, transcript)
}
/// The rows of a table of the data, its heading left out.
pub fn table(name: &str) -> Vec<Vec<String>> {
    let Some(folder) = folder() else { return Vec::new() };
    let text = String::from_utf8(bytes(&folder.join("transcripts").join(name))).expect("a table is text");
    text.lines().skip(1).map(|line| line.split('\t').map(str::to_owned).collect()).collect()
}
