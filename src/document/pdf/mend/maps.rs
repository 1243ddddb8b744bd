//! Maps of a font's codes to text, `ToUnicode`, in forms that the first reader misreads: with blanks within a string, and
//! ranges whose first text is more than one unit. What stands so is lost: ligatures, above all.

use std::borrow::Cow;
use std::fmt::Write;

use memchr::memmem;

/// Bytes of a map that is rewritten, and codes of it that are written one by one.
const MAP_MAX: usize = 8 << 20;
const CODES_MAX: u32 = 1 << 16;
/// Digits of one unit of UTF-16.
const UNIT: usize = 4;

/// Whether the beginning of a text is that of a map.
#[must_use]
pub fn is_map(begin: &[u8]) -> bool {
    memmem::find(begin, b"begincmap").is_some()
}

/// A map as the first reader reads it; `None` where it does so already.
#[must_use]
pub fn plain(map: &[u8]) -> Option<Vec<u8>> {
    let text = std::str::from_utf8(map).ok().filter(|text| text.len() <= MAP_MAX)?;
    let mut made = String::new();
    let (mut rest, mut codes) = (text, 0);
    let mut is_other = false;
    while let Some((before, section, end)) = section(rest) {
        made.push_str(before);
        let is_range = before.ends_with("beginbfrange");
        is_other |= if is_range { ranges(section, &mut made, &mut codes) } else { without_blanks(section, &mut made) };
        rest = end;
    }
    made.push_str(rest);
    is_other.then(|| made.into_bytes())
}

/// What stands before the entries of the next section, the entries, and what stands from its end on.
fn section(text: &str) -> Option<(&str, &str, &str)> {
    let begin = [("beginbfchar", "endbfchar"), ("beginbfrange", "endbfrange")];
    let first = begin.iter().filter_map(|(word, end)| Some((text.find(word)? + word.len(), end))).min()?;
    let (before, rest) = text.split_at_checked(first.0)?;
    let (section, end) = rest.split_at_checked(rest.find(first.1)?)?;
    Some((before, section, end))
}

/// Writes entries without blanks within strings, and tells whether there were any.
fn without_blanks(section: &str, made: &mut String) -> bool {
    let mut is_other = false;
    for part in section.split_inclusive('>') {
        let (before, digits) = part.rfind('<').map_or((part, ""), |at| part.split_at(at));
        let digits = if digits.ends_with('>') { bare(digits) } else { digits.into() };
        is_other |= matches!(digits, Cow::Owned(_));
        made.push_str(before);
        made.push_str(&digits);
    }
    is_other
}

fn bare(digits: &str) -> Cow<'_, str> {
    if digits.contains(|sign: char| sign.is_ascii_whitespace()) {
        digits.split_ascii_whitespace().collect::<String>().into()
    } else {
        digits.into()
    }
}

/// Writes ranges, those with a first text of several units as lists, and tells whether that is not as they stood.
fn ranges(section: &str, made: &mut String, codes: &mut u32) -> bool {
    let (mut bare, mut is_other) = (String::new(), false);
    is_other |= without_blanks(section, &mut bare);
    let mut rest = bare.as_str();
    while let Some((range, after)) = string(rest).and_then(|(low, after)| {
        let (high, after) = string(after)?;
        Some(((low, high), after))
    }) {
        let listed = after.trim_start().strip_prefix('[').and_then(|list| list.split_once(']'));
        let (low, high) = range;
        if let Some((list, after)) = listed {
            // A string takes all that is written to it.
            let _ = write!(made, "\n<{low}> <{high}> [{list}]");
            rest = after;
            continue;
        }
        let Some((first, after)) = string(after) else { break };
        match list_of(low, high, first).filter(|list| list.count <= CODES_MAX.saturating_sub(*codes)) {
            Some(list) => {
                *codes += list.count;
                is_other = true;
                let _ = write!(made, "\n<{low}> <{high}> [{}]", list.text);
            }
            None => {
                let _ = write!(made, "\n<{low}> <{high}> <{first}>");
            }
        }
        rest = after;
    }
    made.push_str(rest);
    is_other
}

struct List {
    text: String,
    count: u32,
}

/// The texts of a range of codes that begins with several units, of which the last counts on.
fn list_of(low: &str, high: &str, first: &str) -> Option<List> {
    let (begin, last) = first.split_at_checked(first.len().checked_sub(UNIT)?)?;
    if begin.is_empty() || !begin.len().is_multiple_of(UNIT) {
        return None;
    }
    let (low, high) = (u32::from_str_radix(low, 16).ok()?, u32::from_str_radix(high, 16).ok()?);
    let count = high.checked_sub(low)?.checked_add(1).filter(|count| *count <= CODES_MAX)?;
    let last = u16::from_str_radix(last, 16).ok()?;
    let mut text = String::new();
    for unit in (last..=u16::MAX).take(count as usize) {
        let _ = write!(text, "<{begin}{unit:04X}>");
    }
    Some(List { text, count })
}

/// The next string of digits, and what stands behind it.
fn string(text: &str) -> Option<(&str, &str)> {
    text.trim_start().strip_prefix('<')?.split_once('>')
}

#[cfg(test)]
mod tests {
    use lopdf::{Document, Stream, dictionary};

    use crate::document::testing::{converted, paged};

    use super::*;

    fn plain_of(map: &str) -> Option<String> {
        plain(map.as_bytes()).map(|made| String::from_utf8(made).unwrap())
    }

    #[test]
    fn maps_are_rewritten_where_they_are_misread() {
        let map = "begincmap 1 beginbfchar <01> <0066 0069> <02> <0041> endbfchar end";
        let right = "begincmap 1 beginbfchar <01> <00660069> <02> <0041> endbfchar end";
        assert_eq!(plain_of(map).as_deref(), Some(right));
        assert_eq!(plain_of(right), None);
        let map = "1 beginbfrange <01> <02> <D83DDD27> <03><04><0041> <05> <06> [<0041> <0066 0069>] endbfrange end";
        let right = "1 beginbfrange\n<01> <02> [<D83DDD27><D83DDD28>]\n<03> <04> <0041>\n<05> <06> [<0041> <00660069>] \
                     endbfrange end";
        assert_eq!(plain_of(map).as_deref(), Some(right));
        assert_eq!(plain_of(right), None);
        for odd in
            ["beginbfrange <1 endbfrange", "beginbfrange <> <> <> endbfrange", "beginbfchar", "beginbfrange <0> ["]
        {
            assert_eq!(plain_of(odd), None, "{odd}");
        }
        let long = "beginbfrange <00000000> <FFFFFFFF> <00410041> endbfrange";
        assert_eq!(plain_of(long), None);
    }

    #[test]
    fn ligatures_of_maps_that_are_misread_are_shown() {
        let mut document = Document::with_version("1.5");
        let mut packed = |text: &str| {
            let mut stream = Stream::new(dictionary! {}, text.as_bytes().to_vec());
            // Short texts stay as they are otherwise.
            stream.set_plain_content([text.as_bytes(), &[b' '; 400]].concat());
            stream.compress().unwrap();
            document.add_object(stream)
        };
        let map = packed(
            "begincmap 1 begincodespacerange <00> <FF> endcodespacerange 1 beginbfchar <01> <0066 0069> endbfchar \
             1 beginbfrange <61> <7A> <0061> <02> <03> <00660066> endbfrange endcmap",
        );
        let content = packed("BT /F1 12 Tf 72 700 Td (ful\\001lment o\\002ce) Tj ET");
        let font = document.add_object(dictionary! {
            "Type" => "Font", "Subtype" => "Type1", "BaseFont" => "ABCDEF+Own", "ToUnicode" => map,
        });
        let bytes = paged(document, content, dictionary! { "F1" => font });
        let found = converted("a.pdf", &bytes, None);
        assert!(found.markdown.contains("fulfilment") && found.markdown.contains("offce"), "{}", found.markdown);
        assert!(found.notes.is_empty(), "{:?}", found.notes);
    }
}
