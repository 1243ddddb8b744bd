//! Documents whose Markdown may be too large to hold: what is too much lies in a nameless temporary file and is read
//! again in parts.

use std::fs::File;
use std::io::{self, BufWriter, Write};

use crate::content::ReadAt;
use crate::document::{Conversion, Piece};

use super::FileBytes;
use super::spool::{of_temporary, temporary};

/// Bytes that are read of it at once.
const PART: usize = 256 << 10;

/// A converted document, its Markdown held or spooled.
#[derive(Default)]
pub struct LargeDocument {
    /// What is known of it; its Markdown too, where that is held.
    pub about: Conversion,
    /// Characters of its Markdown.
    pub chars: u64,
    spooled: Option<FileBytes>,
}

impl LargeDocument {
    /// A document that is held.
    #[must_use]
    pub fn held(about: Conversion) -> LargeDocument {
        LargeDocument { chars: about.markdown.chars().count() as u64, about, spooled: None }
    }

    /// Whether its Markdown is not held.
    #[must_use]
    pub fn is_spooled(&self) -> bool {
        self.spooled.is_some()
    }

    /// Bytes of its Markdown.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.spooled.as_ref().map_or(self.about.markdown.len() as u64, FileBytes::len)
    }

    /// Its Markdown in parts, one after the other, none of which ends within a character.
    pub fn parts(&self) -> impl Iterator<Item = io::Result<String>> + '_ {
        let mut at = 0;
        std::iter::from_fn(move || match &self.spooled {
            _ if at >= self.bytes() => None,
            None => {
                at = self.bytes();
                Some(Ok(self.about.markdown.clone()))
            }
            Some(file) => {
                let part = part_at(file, at);
                at = part.as_ref().map_or(u64::MAX, |part| at + part.len() as u64);
                Some(part)
            }
        })
    }
}

fn part_at(file: &FileBytes, at: u64) -> io::Result<String> {
    let mut bytes = vec![0; PART];
    let mut filled = 0;
    while let Some(room) = bytes.get_mut(filled..).filter(|room| !room.is_empty()) {
        match file.read_at(at + filled as u64, room) {
            Ok(0) => break,
            Ok(size) => filled += size,
            Err(why) if why.kind() == io::ErrorKind::Interrupted => {}
            Err(why) => return Err(why),
        }
    }
    bytes.truncate(filled);
    // It was text when it was written; only its last character may be cut.
    let text = match std::str::from_utf8(&bytes) {
        Ok(text) => text,
        Err(cut) => {
            bytes.get(..cut.valid_up_to()).and_then(|whole| std::str::from_utf8(whole).ok()).unwrap_or_default()
        }
    };
    if text.is_empty() {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "the temporary file has changed"));
    }
    Ok(text.to_owned())
}

/// Gathers the pieces of a document.
pub struct Gathering {
    document: LargeDocument,
    /// Bytes of Markdown that are held.
    most: usize,
    file: Option<BufWriter<File>>,
    failed: Option<io::Error>,
}

impl Gathering {
    /// Gathers; from so many bytes on, the Markdown is spooled.
    #[must_use]
    pub fn holding(most: usize) -> Gathering {
        Gathering { document: LargeDocument::default(), most, file: None, failed: None }
    }

    /// Takes in a piece. Returns whether it could.
    pub fn take(&mut self, piece: Piece) -> bool {
        let Piece::Text(text) = piece else {
            self.document.about.take(piece);
            return true;
        };
        self.document.chars += text.chars().count() as u64;
        if let Err(why) = self.text(&text) {
            self.failed = Some(why);
        }
        self.failed.is_none()
    }

    fn text(&mut self, text: &str) -> io::Result<()> {
        if let Some(file) = &mut self.file {
            return file.write_all(text.as_bytes()).map_err(|why| of_temporary(&why));
        }
        let held = &mut self.document.about.markdown;
        held.push_str(text);
        if held.len() > self.most {
            let mut file = BufWriter::with_capacity(PART, temporary()?);
            file.write_all(std::mem::take(held).as_bytes()).map_err(|why| of_temporary(&why))?;
            self.file = Some(file);
        }
        Ok(())
    }

    /// The document.
    ///
    /// # Errors
    /// Where it could not be spooled.
    pub fn end(self) -> io::Result<LargeDocument> {
        let Gathering { mut document, file, failed, .. } = self;
        if let Some(why) = failed {
            return Err(why);
        }
        if let Some(file) = file {
            document.spooled = Some(FileBytes::of(file.into_inner().map_err(|why| of_temporary(why.error()))?)?);
        }
        Ok(document)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_too_much_is_read_again_as_it_was() {
        let words = "ä€😀 and words, ".repeat(30_000);
        for most in [usize::MAX, 1_000, 0] {
            let mut gathering = Gathering::holding(most);
            assert!(gathering.take(Piece::Fact("title".into(), "x".into())));
            for part in words.split_inclusive(',') {
                assert!(gathering.take(Piece::Text(part.into())));
            }
            let document = gathering.end().unwrap();
            assert_eq!((document.is_spooled(), document.about.fact("title")), (most < 2_000, Some("x")));
            assert_eq!(document.is_spooled(), document.about.markdown.is_empty());
            assert_eq!((document.bytes(), document.chars), (words.len() as u64, words.chars().count() as u64));
            let parts: Vec<String> = document.parts().map(Result::unwrap).collect();
            assert!(parts.concat() == words && (parts.len() > 1) == document.is_spooled());
        }
        assert_eq!(Gathering::holding(0).end().unwrap().parts().count(), 0);
    }
}
