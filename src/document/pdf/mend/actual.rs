//! Ligatures of which a font's map tells no text, U+0000: what they are drawn for stands beside them on the page, as
//! `ActualText` (PDF 32000-1, 14.9.4).

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write;

use lopdf::content::Content;
use lopdf::{Object, decode_text_string};
use memchr::memmem;
use unpdf::parser::backend::{PdfBackend, RawBackend};
use unpdf::parser::raw::{PdfObject, RawDocument};

use super::streams::object;
use super::{Id, resources};

/// What a map gives to a code of which it tells no text.
const NOTHING: &str = "<0000>";
/// Bytes of pages that are looked through.
const LOOKED_MAX: usize = 64 << 20;
/// Characters that one glyph stands for, at most.
const TEXT_MAX: usize = 8;

/// A map with codes of which it tells no text.
pub struct Untold {
    pub id: Id,
    /// Where its packed bytes begin in the file.
    pub from: usize,
    pub map: Vec<u8>,
    /// What stands between the object's number and the stream.
    pub head: Vec<u8>,
}

/// Whether a map has such codes.
#[must_use]
pub fn is_untold(map: &[u8]) -> bool {
    std::str::from_utf8(map).is_ok_and(|map| entries(map).next().is_some())
}

/// The maps in which pages tell texts of such codes, with these.
///
/// As objects, with where the packed bytes of the old ones begin in the file.
pub fn told(bytes: &[u8], document: &RawDocument, maps: &[Untold]) -> Vec<(Id, usize, Vec<u8>)> {
    let texts = if maps.is_empty() { HashMap::new() } else { texts(bytes, document, maps) };
    let told = maps.iter().filter_map(|untold| {
        let map = with_texts(std::str::from_utf8(&untold.map).ok()?, texts.get(&untold.id)?);
        Some((untold.id, untold.from, object(untold, &map)))
    });
    told.collect()
}

/// Texts by the digits of their codes.
type Texts = BTreeMap<String, String>;

/// Where entries of such codes stand in a map, and the digits of these.
fn entries(map: &str) -> impl Iterator<Item = (usize, &str)> {
    map.match_indices(NOTHING).filter_map(|(at, _)| {
        // A code that a section maps alone: of a range, and of what codes there are, it is the end.
        let begin = map[..at].rfind("begin")?;
        map[begin..].starts_with("beginbfchar").then_some(())?;
        let mut sides = map[begin..at].rsplit('<');
        let code = sides.next()?.trim_end().strip_suffix('>')?;
        let count = map[begin..at].matches('<').count();
        let is_code =
            count % 2 == 1 && matches!(code.len(), 2 | 4) && code.bytes().all(|digit| digit.is_ascii_hexdigit());
        is_code.then_some((at, code))
    })
}

fn with_texts(map: &str, texts: &Texts) -> String {
    let (mut made, mut done) = (String::with_capacity(map.len()), 0);
    for (at, code) in entries(map) {
        let Some(text) = texts.get(&code.to_ascii_uppercase()) else { continue };
        made.push_str(&map[done..at]);
        made.push('<');
        // A string takes all that is written to it.
        for unit in text.encode_utf16() {
            let _ = write!(made, "{unit:04X}");
        }
        made.push('>');
        done = at + NOTHING.len();
    }
    made.push_str(&map[done..]);
    made
}

/// The texts that pages tell of single codes, by the maps of their fonts. A code of which they tell several has none.
fn texts(bytes: &[u8], document: &RawDocument, maps: &[Untold]) -> HashMap<Id, Texts> {
    let mut found: HashMap<Id, BTreeMap<String, Option<String>>> = HashMap::new();
    let Ok(backend) = RawBackend::load_bytes(bytes) else { return HashMap::new() };
    let mut looked = 0;
    for (_, page) in backend.pages() {
        let content = backend.page_content(page).unwrap_or_default();
        looked += content.len();
        if looked > LOOKED_MAX {
            break;
        }
        if memmem::find(&content, b"/ActualText").is_none() {
            continue;
        }
        let fonts = fonts(document, page, maps);
        for (font, code, text) in spoken(&content) {
            let Some(map) = fonts.get(&font) else { continue };
            let known = found.entry(*map).or_default().entry(code).or_insert_with(|| Some(text.clone()));
            if known.as_ref().is_some_and(|known| *known != text) {
                *known = None;
            }
        }
    }
    let sure = |texts: BTreeMap<String, Option<String>>| {
        texts.into_iter().filter_map(|(code, text)| Some((code, text?))).collect()
    };
    found.into_iter().map(|(map, texts)| (map, sure(texts))).collect()
}

/// The maps of a page's fonts that are among these, by the names of the fonts.
fn fonts(document: &RawDocument, page: Id, maps: &[Untold]) -> HashMap<Vec<u8>, Id> {
    let fonts = document.get_dict(page).ok().and_then(|page| match resources(document, page)? {
        PdfObject::Dict(resources) => document.resolve(resources.get(&b"Font"[..])?).as_dict(),
        _ => None,
    });
    let map = |font: &PdfObject| {
        let map = document.resolve(font).as_dict()?.get(&b"ToUnicode"[..])?.as_reference()?;
        maps.iter().any(|untold| untold.id == map).then_some(map)
    };
    fonts.into_iter().flatten().filter_map(|(name, font)| Some((name.clone(), map(font)?))).collect()
}

/// What a page's content draws as one code and tells the text of: the font's name, the code's digits, and the text.
fn spoken(content: &[u8]) -> Vec<(Vec<u8>, String, String)> {
    let Ok(content) = Content::decode(content) else { return Vec::new() };
    let (mut font, mut text, mut shown): (Vec<u8>, Option<String>, Vec<u8>) = Default::default();
    let mut made = Vec::new();
    for operation in content.operations {
        let first = operation.operands.first();
        match operation.operator.as_str() {
            "Tf" => font = first.and_then(|name| name.as_name().ok()).unwrap_or_default().to_vec(),
            "BDC" | "BMC" => {
                let told = operation.operands.get(1).and_then(|told| told.as_dict().ok());
                let told = told.and_then(|told| told.get(b"ActualText").ok());
                text = told.and_then(|told| decode_text_string(told).ok()).filter(|text| is_word(text));
                shown.clear();
            }
            "EMC" => {
                if let Some(text) = text.take().filter(|_| !shown.is_empty() && shown.len() <= 2) {
                    let code = shown.iter().map(|byte| format!("{byte:02X}")).collect();
                    made.push((font.clone(), code, text));
                }
            }
            "Tj" | "TJ" | "'" | "\"" if text.is_some() => {
                let parts = match operation.operands.last() {
                    Some(Object::Array(parts)) => parts.as_slice(),
                    _ => operation.operands.as_slice(),
                };
                parts.iter().filter_map(|part| part.as_str().ok()).for_each(|part| shown.extend(part));
            }
            _ => {}
        }
    }
    made
}

fn is_word(text: &str) -> bool {
    let count = text.chars().count();
    (1..=TEXT_MAX).contains(&count) && text.chars().all(char::is_alphanumeric)
}

#[cfg(test)]
mod tests {
    use lopdf::{Document, Stream, dictionary};

    use crate::document::testing::{converted, paged};

    use super::*;

    #[test]
    fn ligatures_without_text_have_that_which_stands_beside_them() {
        let mut document = Document::with_version("1.5");
        let mut packed = |text: &str| {
            let mut stream = Stream::new(dictionary! {}, [text.as_bytes(), &[b' '; 400]].concat());
            stream.compress().unwrap();
            document.add_object(stream)
        };
        let map = packed(
            "begincmap 1 begincodespacerange <00> <FF> endcodespacerange 3 beginbfchar <01> <0000> <02> <0000>\n\
             <03> <0000> endbfchar 1 beginbfrange <20> <7A> <0020> endbfrange endcmap",
        );
        let content = packed(
            "BT /F1 12 Tf 72 700 Td (Spring) Tj /Span<</ActualText (fi) >> BDC <01> Tj EMC (eld Sta) Tj \
             /Span<</ActualText <FEFF00660066> >> BDC [<02>] TJ EMC (.) Tj 0 -20 Td (Di) Tj <03> (ers Of) Tj <02> Tj ET",
        );
        let font = document.add_object(dictionary! {
            "Type" => "Font", "Subtype" => "Type1", "BaseFont" => "ABCDEF+Own", "ToUnicode" => map,
        });
        let bytes = paged(document, content, dictionary! { "F1" => font });
        let found = converted("a.pdf", &bytes, None);
        assert!(found.markdown.contains("Springfield Staff."), "{}", found.markdown);
        assert!(found.notes.is_empty(), "{:?}", found.notes);
    }

    #[test]
    fn codes_that_a_map_gives_no_text() {
        let of = |map| entries(map).map(|(_, code)| code).collect::<Vec<_>>();
        assert_eq!(of("1 begincodespacerange <0000> <FFFF> endcodespacerange"), [""; 0]);
        assert_eq!(of("2 beginbfchar <0079> <0000>\n<007c><0000> <0000> <0041> endbfchar"), ["0079", "007c"]);
        assert_eq!(of("1 beginbfrange <0000> <0001> <0000> endbfrange <0000>"), [""; 0]);
        let texts = Texts::from([("007C".to_owned(), "fi".to_owned())]);
        assert_eq!(
            with_texts("beginbfchar <007c> <0000> <01> <0000>", &texts),
            "beginbfchar <007c> <00660069> <01> <0000>"
        );
    }

    #[test]
    fn what_is_drawn_as_several_codes_is_no_ligature() {
        let content = b"/F1 9 Tf /Span<</ActualText (ab)>> BDC <0001> Tj <0002> Tj EMC \
                        /Span<</ActualText (a b)>> BDC <01> Tj EMC /Span BMC <01> Tj EMC";
        assert_eq!(spoken(content), []);
    }
}
