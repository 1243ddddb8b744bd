//! For tests of readers: a document converted in this process.

use std::io::{Cursor, Write};

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
