//! What the dictionaries of a PDF say, as bytes that can be searched: those of the file, and its packed object streams.

use flate2::{Decompress, FlushDecompress, Status};
use memchr::memmem;

/// Bytes that the object streams of a file are unpacked to.
const UNPACKED_MAX: usize = 64 << 20;
/// Bytes behind the kind of a stream within which it begins.
const HEAD_MAX: usize = 2 << 10;

/// A file, and what its object streams unpack to; those of an encrypted file are not known.
pub struct Searched<'a> {
    bytes: &'a [u8],
    packed: Vec<u8>,
}

impl<'a> Searched<'a> {
    pub fn of(bytes: &'a [u8]) -> Searched<'a> {
        let mut packed = Vec::new();
        if memmem::find(bytes, b"/Encrypt").is_none() {
            for at in memmem::find_iter(bytes, b"/ObjStm") {
                unpack(bytes.get(at..).unwrap_or_default(), &mut packed);
            }
        }
        Searched { bytes, packed }
    }

    /// A file alone: what its object streams hold is not looked for.
    pub fn file(bytes: &'a [u8]) -> Searched<'a> {
        Searched { bytes, packed: Vec::new() }
    }

    /// Whether a word stands in it.
    pub fn says(&self, word: &[u8]) -> bool {
        self.any(|text| memmem::find(text, word).is_some())
    }

    /// Whether that holds for one of its texts.
    pub fn any(&self, holds: impl Fn(&[u8]) -> bool) -> bool {
        holds(&self.packed) || holds(self.bytes)
    }
}

/// Unpacks the stream whose dictionary ends here, behind what was unpacked before it.
fn unpack(rest: &[u8], made: &mut Vec<u8>) {
    let head = rest.get(..HEAD_MAX).unwrap_or(rest);
    let Some(begin) = memmem::find(head, b"stream").map(|at| at + b"stream".len()) else { return };
    let rest = rest.get(begin..).unwrap_or_default();
    let rest = rest.strip_prefix(b"\r").unwrap_or(rest);
    let rest = rest.strip_prefix(b"\n").unwrap_or(rest);
    let mut reader = Decompress::new(true);
    let mut room = [0; 16 << 10];
    // Nothing of one is joined with what stands before it.
    made.push(b'\n');
    while made.len() < UNPACKED_MAX {
        let (read, before) = (reader.total_in(), reader.total_out());
        let left = usize::try_from(read).ok().and_then(|read| rest.get(read..)).unwrap_or_default();
        let done = reader.decompress(left, &mut room, FlushDecompress::None);
        let new = usize::try_from(reader.total_out() - before).unwrap_or_default();
        made.extend(room.get(..new).unwrap_or_default());
        if !matches!(done, Ok(Status::Ok)) || (new == 0 && reader.total_in() == read) {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use lopdf::{Document, Object, dictionary};

    use super::*;

    #[test]
    fn what_stands_in_object_streams_is_found() {
        let mut document = Document::with_version("1.5");
        document.add_object(dictionary! { "Subtype" => "FreeText", "Contents" => Object::string_literal("x") });
        let catalog = document.add_object(dictionary! { "Type" => "Catalog" });
        document.trailer.set("Root", catalog);
        let mut bytes = Vec::new();
        document.save_modern(&mut bytes).unwrap();
        assert!(memmem::find(&bytes, b"/FreeText").is_none());
        assert!(Searched::of(&bytes).says(b"/FreeText") && !Searched::of(&bytes).says(b"/Widget"));
        for end in 0..bytes.len() {
            Searched::of(&bytes[..end]);
        }
    }
}
