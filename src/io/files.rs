//! Files as bytes that can be read at any offset, from any thread.

use std::fs::File;
use std::io;
use std::path::Path;

use crate::content::ReadAt;

/// An open file, read up to the length that it had when it was opened.
pub struct FileBytes {
    file: File,
    length: u64,
}

impl FileBytes {
    /// Opens a file for reading.
    ///
    /// # Errors
    /// What the system reports; a folder is refused.
    pub fn open(path: &Path) -> io::Result<Self> {
        Self::of(File::open(path)?)
    }

    /// Takes a file that is open already.
    ///
    /// # Errors
    /// Where its length cannot be had, or it is a folder.
    pub fn of(file: File) -> io::Result<Self> {
        let about = file.metadata()?;
        if about.is_dir() {
            return Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a folder"));
        }
        Ok(FileBytes { length: about.len(), file })
    }
}

impl ReadAt for FileBytes {
    fn len(&self) -> u64 {
        self.length
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let room = usize::try_from(self.length.saturating_sub(offset)).unwrap_or(usize::MAX);
        let size = room.min(buffer.len());
        #[cfg(unix)]
        let read = std::os::unix::fs::FileExt::read_at(&self.file, &mut buffer[..size], offset);
        #[cfg(windows)]
        let read = std::os::windows::fs::FileExt::seek_read(&self.file, &mut buffer[..size], offset);
        read
    }
}
