//! Bytes that can be read again at any offset.

use std::io;

/// A source of bytes: a file, a spool, or memory.
pub trait ReadAt: Send + Sync {
    /// Length in bytes. A file that grows is read up to the length it had when it was opened.
    fn len(&self) -> u64;

    /// Whether there is nothing to read.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Reads into `buffer` from `offset`; returns the bytes read, 0 at the end.
    ///
    /// # Errors
    /// What the system reports.
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize>;
}

/// Length of the byte order mark that a UTF-8 text begins with: 3 bytes or none.
#[must_use]
pub fn mark_length(text: &[u8]) -> usize {
    const MARK: &[u8] = b"\xEF\xBB\xBF";
    if text.starts_with(MARK) { MARK.len() } else { 0 }
}

/// Bytes that are in memory anyway.
pub struct MemoryBytes(pub Vec<u8>);

impl ReadAt for MemoryBytes {
    fn len(&self) -> u64 {
        self.0.len() as u64
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        read_memory(&self.0, offset, buffer)
    }
}

/// Reads bytes that are in memory, as [`ReadAt::read_at`].
///
/// # Errors
/// None.
pub fn read_memory(bytes: &[u8], offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
    let rest = usize::try_from(offset).ok().and_then(|at| bytes.get(at..)).unwrap_or_default();
    let size = rest.len().min(buffer.len());
    buffer[..size].copy_from_slice(&rest[..size]);
    Ok(size)
}
