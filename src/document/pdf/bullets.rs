//! Bullets that a file draws as codes which its encoding leaves free: in WinAnsi all of those are bullets (PDF 32000-1,
//! D.2), and the reader takes one of them, 127, for a control character and drops it.

use lopdf::{Dictionary, Object, ObjectId, dictionary};
use memchr::memmem;
use unpdf::PdfParser;

use super::numbered;
use super::packed::Searched;
use super::rewrite::rewritten;
use super::slim::Contents;

/// The code that is written, and how texts begin with it.
const CODE: i64 = 127;
const BEGINNINGS: [&[u8]; 2] = [b"(\x7f", b"(\\177"];
/// Bytes of pages that are looked through for it.
const LOOKED_MAX: usize = 16 << 20;

/// The document with these bullets named, and glyphs that are named by their codes; `None` where it needs nothing of the
/// kind.
pub fn named(bytes: &[u8], contents: &Contents) -> Option<PdfParser> {
    let draws_bullets = memmem::find(bytes, b"WinAnsiEncoding").is_some() && draws_code(contents);
    // To unpack object streams once more would cost every file more than the few fonts in them are worth.
    let names_codes = numbered::names_codes(&Searched::file(bytes));
    if !draws_bullets && !names_codes {
        return None;
    }
    rewritten(bytes, |document| {
        if names_codes {
            numbered::rename(document);
        }
        if !draws_bullets {
            return;
        }
        let fonts: Vec<ObjectId> =
            document.objects.iter().filter(|(_, object)| is_simple(object)).map(|(id, _)| *id).collect();
        for font in fonts {
            if let Ok(font) = document.get_dictionary_mut(font) {
                font.set("Encoding", with_bullet());
            }
        }
    })
}

/// Whether a page draws a text that is this code, or begins with it as a word.
fn draws_code(contents: &Contents) -> bool {
    let mut looked = 0;
    let mut contents = contents.whole().take_while(|content| {
        let is_room = looked < LOOKED_MAX;
        looked += content.len();
        is_room
    });
    let is_word = |content: &[u8], behind: usize| matches!(content.get(behind), Some(b')' | b' '));
    let draws = |content: &[u8]| {
        BEGINNINGS
            .iter()
            .any(|beginning| memmem::find_iter(content, beginning).any(|at| is_word(content, at + beginning.len())))
    };
    contents.any(draws)
}

/// Whether an object is a font in WinAnsi as it is.
fn is_simple(object: &Object) -> bool {
    let Ok(font) = object.as_dict() else { return false };
    let name = |key: &[u8]| font.get(key).and_then(Object::as_name).unwrap_or_default();
    name(b"Type") == b"Font"
        && matches!(name(b"Subtype"), b"Type1" | b"TrueType")
        && name(b"Encoding") == b"WinAnsiEncoding"
}

fn with_bullet() -> Dictionary {
    dictionary! {
        "Type" => "Encoding",
        "BaseEncoding" => "WinAnsiEncoding",
        "Differences" => vec![Object::Integer(CODE), "bullet".into()],
    }
}

#[cfg(test)]
mod tests {
    use unpdf::model::Block;
    use unpdf::parser::raw::RawDocument;

    use super::super::rewrite::page_of;
    use super::*;
    use crate::document::testing::Pdf;

    fn written(lines: [(i64, &str); 3]) -> Vec<u8> {
        let words = lines.map(|(y, text)| format!("BT /F1 10 Tf 72 {y} Td ({text}) Tj ET\n")).concat();
        Pdf::of(&[("F1", "Helvetica")], [612, 792]).encoded("WinAnsiEncoding").written([words])
    }

    #[test]
    fn bullets_that_an_encoding_leaves_free_are_bullets() {
        let bytes = written([(700, "\\177 Alpha point"), (688, "\\177 Beta point"), (676, "\\177 Gamma \\344")]);
        let named = |bytes: &[u8]| named(bytes, &Contents::of(&RawDocument::load(bytes).unwrap()));
        let page = page_of(&named(&bytes).unwrap(), 1).unwrap();
        let is_item = |block: &&Block| matches!(block, Block::Paragraph(paragraph) if paragraph.is_list_item());
        assert_eq!(page.elements.iter().filter(is_item).count(), 3, "{:?}", page.elements);
        assert!(page.plain_text().contains("Gamma ä"), "{}", page.plain_text());
        assert!(named(&written([(700, "Alpha\\177"), (688, "x \\177 y"), (676, "177")])).is_none());
    }
}
