//! For tests of readers: a document converted in this process.

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
