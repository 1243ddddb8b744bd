//! What the errors of both readers mean for who reads the document.

use lopdf::{DecompressError, ParseError};

const NONE: &str = "its content is no PDF";
const LISTS: &str = "what says where its parts stand is damaged or lost";
const PACKED: &str = "what is packed in it is damaged";
const LOST: &str = "a part that is needed is lost";
const LOOPS: &str = "its parts refer to each other without end";
const ENDS: &str = "a part of it ends too early";
const UNREAD: &str = "its bytes cannot be read";
const DAMAGED: &str = "it is damaged";

/// What words of the first reader tell of, where its error does not.
const WORDS: &[(&str, &str)] = &[
    ("xref", LISTS),
    ("trailer", LISTS),
    ("catalog", LISTS),
    ("ObjStm", LISTS),
    ("end of", ENDS),
    ("ends", ENDS),
    ("truncated", ENDS),
    ("decompression", PACKED),
    ("Decode", PACKED),
    ("LZW", PACKED),
    ("filter", "it is packed in a way that is not known here"),
    ("not found", LOST),
];

/// An error of the first reader.
pub fn first(why: &unpdf::Error) -> String {
    use unpdf::Error;
    let said = match why {
        Error::UnknownFormat => NONE,
        Error::UnsupportedVersion(_) => "its version of PDF is not known here",
        Error::Encrypted | Error::InvalidPassword => "it is encrypted and needs a password",
        Error::Io(_) => UNREAD,
        Error::MissingObject(_) | Error::ResourceNotFound(_) => LOST,
        Error::FontDecode(_) | Error::Encoding(_) => "a font of it is damaged",
        other => {
            let words = other.to_string();
            let said = WORDS.iter().find(|(mark, _)| words.contains(mark)).map_or(DAMAGED, |(_, said)| said);
            return near(said, place(&words));
        }
    };
    said.to_owned()
}

/// An error of the second reader.
pub fn second(why: &lopdf::Error) -> String {
    use lopdf::Error;
    let said = match why {
        Error::Xref(_) | Error::MissingXrefEntry | Error::ObjectIdMismatch => LISTS,
        Error::Parse(ParseError::InvalidXref | ParseError::InvalidTrailer) => LISTS,
        Error::Parse(ParseError::InvalidFileHeader) => NONE,
        Error::Parse(ParseError::EndOfInput) => ENDS,
        Error::Decompress(DecompressError::MemoryLimitExceeded { limit }) => {
            return format!("a part of it unpacks to more than {} MB", limit >> 20);
        }
        Error::Decompress(_) | Error::InvalidStream(_) | Error::InvalidObjectStream(_) => PACKED,
        Error::IndirectObject { offset } | Error::InvalidOffset(offset) => return near(DAMAGED, Some(*offset as u64)),
        Error::ObjectNotFound(_) | Error::DictKey(_) | Error::PageNumberNotFound(_) => LOST,
        Error::ReferenceCycle(_) | Error::ReferenceLimit | Error::RecursionLimit => LOOPS,
        Error::UnsupportedSecurityHandler(_) => "it is encrypted in a way that is not known here",
        Error::CharacterEncoding | Error::TextStringDecode | Error::ToUnicodeCMap(_) => "a font of it is damaged",
        Error::IO(_) => UNREAD,
        _ => DAMAGED,
    };
    said.to_owned()
}

/// The byte that words name.
fn place(words: &str) -> Option<u64> {
    let (_, behind) = words.split_once("offset ").or_else(|| words.split_once("position "))?;
    behind.split(|sign: char| !sign.is_ascii_digit()).next()?.parse().ok()
}

fn near(said: &str, place: Option<u64>) -> String {
    place.map_or_else(|| said.to_owned(), |at| format!("{said}, near byte {at}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_told_in_plain_words_with_their_place() {
        let parse = |words: &str| first(&unpdf::Error::PdfParse(words.to_owned()));
        for (words, said) in [
            ("startxref not found", LISTS),
            ("Invalid token at offset 12", "it is damaged, near byte 12"),
            ("expected 'xref' at offset 7, found 'x'", &format!("{LISTS}, near byte 7")),
            ("decompression failed: corrupt deflate stream", PACKED),
            ("Unexpected end of data", ENDS),
            ("something new", DAMAGED),
        ] {
            assert_eq!(parse(words), *said, "{words}");
        }
        assert_eq!(first(&unpdf::Error::UnknownFormat), NONE);
        assert_eq!(second(&lopdf::Error::IndirectObject { offset: 9 }), "it is damaged, near byte 9");
        assert_eq!(second(&lopdf::Error::PageNumberNotFound(3)), LOST);
        let limit = DecompressError::MemoryLimitExceeded { limit: 64 << 20 };
        assert_eq!(second(&lopdf::Error::Decompress(limit)), "a part of it unpacks to more than 64 MB");
    }
}
