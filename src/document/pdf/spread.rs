//! Letters that a page sets so far apart that they are texts of their own: cells of a table's row that are drawn as one
//! text. The first reader takes them for one word or number; a page with such is read again with each where it stands.

use std::collections::BTreeMap;

use lopdf::content::{Content, Operation};
use lopdf::{Dictionary, Document, Object, ObjectId, Stream, StringFormat};
use unpdf::PdfParser;
use unpdf::model::{Block, Page};

use super::rewrite::{changed, page_of};
use super::texts::Texts;

/// Of the size of its letters, the room between two that are of no word together.
const APART: f32 = 1.5;
/// Bytes of a page's content that is changed.
const CONTENT_MAX: usize = 8 << 20;
/// Of the size of the letters, in thousandths, what nobody sees.
const UNSEEN: f32 = 0.5;

/// A document with these letters set one by one, once it was needed.
#[derive(Default)]
pub struct Spread(Option<Option<PdfParser>>);

impl Spread {
    /// A page with a table, where it has such letters.
    pub fn page(&mut self, page: &Page, bytes: &[u8], texts: &Texts) -> Option<Page> {
        let backend = texts.backend();
        let content = backend.page_content(*backend.pages().get(&page.number)?).ok()?;
        if !sets_apart(&content) {
            return None;
        }
        let spread = self.0.get_or_insert_with(|| changed(bytes, spread)).as_ref()?;
        page_of(spread, page.number).filter(|spread| signs(spread) >= signs(page))
    }
}

/// Whether a page has what such letters make wrong.
pub fn may_be_wrong(page: &Page) -> bool {
    page.elements.iter().any(|block| matches!(block, Block::Table(_)))
}

/// The signs that a page shows.
fn signs(page: &Page) -> usize {
    page.plain_text().chars().filter(|sign| !sign.is_whitespace()).count()
}

/// Whether a page's content may set letters so far apart.
fn sets_apart(content: &[u8]) -> bool {
    let (mut spacing, mut size) = (0.0, 0.0);
    memchr::memchr_iter(b'T', content).any(|at| {
        let (before, after) = (content.get(..at).unwrap_or_default(), content.get(at + 1..).unwrap_or_default());
        let told = match after.first() {
            Some(b'c') => &mut spacing,
            Some(b'f') => &mut size,
            _ => return false,
        };
        let before = before.trim_ascii_end();
        let from = before.iter().rposition(|byte| !matches!(byte, b'0'..=b'9' | b'.' | b'-' | b'+'));
        let number = before.get(from.map_or(0, |from| from + 1)..).and_then(|number| std::str::from_utf8(number).ok());
        *told = number.and_then(|number| number.parse().ok()).unwrap_or(0.0);
        size > 0.0 && spacing >= size * APART
    })
}

/// What a content has set as its letters are drawn.
#[derive(Clone, Default)]
struct Setting {
    /// The room between letters and the size of these.
    spacing: f32,
    size: f32,
    /// Bytes of a letter's code, where that is known.
    code: Option<usize>,
}

/// Sets letters that stand apart one by one. A content without any stays as it is.
pub fn spread(document: &mut Document, page: ObjectId) -> Option<()> {
    let content = document.get_page_content_with_limit(page, CONTENT_MAX).ok().filter(|content| sets_apart(content))?;
    let fonts = document.get_page_fonts(page).ok()?;
    let codes: BTreeMap<Vec<u8>, usize> =
        fonts.into_iter().filter_map(|(name, font)| Some((name, code_of(font)?))).collect();
    let mut operations = Vec::new();
    let (mut now, mut before) = (Setting::default(), Vec::new());
    for operation in Content::decode(&content).ok()?.operations {
        let number = |at: usize| operation.operands.get(at).and_then(|number| number.as_float().ok());
        match operation.operator.as_str() {
            "q" => before.push(now.clone()),
            "Q" => now = before.pop().unwrap_or_default(),
            "Tc" => now.spacing = number(0).unwrap_or_default(),
            "\"" => now.spacing = number(1).unwrap_or_default(),
            "Tf" => {
                let name = operation.operands.first().and_then(|name| name.as_name().ok());
                now.code = name.and_then(|name| codes.get(name)).copied();
                now.size = number(1).unwrap_or_default();
            }
            "Tj" | "TJ" => {
                if let Some((parts, behind)) = parted(&operation, &now) {
                    let spacing = |room: f32| Operation::new("Tc", vec![Object::Real(room)]);
                    let draw = |parts: Vec<Object>| Operation::new("TJ", vec![Object::Array(parts)]);
                    // The room behind its last letter makes no text wider.
                    let behind = draw(vec![Object::Real(behind)]);
                    operations.extend([spacing(0.0), draw(parts), behind, spacing(now.spacing)]);
                    continue;
                }
            }
            _ => {}
        }
        operations.push(operation);
    }
    let made = Stream::new(Dictionary::new(), Content { operations }.encode().ok()?);
    let made = document.add_object(made);
    document.get_dictionary_mut(page).ok()?.set("Contents", made);
    Some(())
}

/// Bytes of the codes of a font's letters.
fn code_of(font: &Dictionary) -> Option<usize> {
    let name = |key: &[u8]| font.get(key).and_then(Object::as_name).unwrap_or_default();
    match (name(b"Subtype"), name(b"Encoding")) {
        (b"Type0", b"Identity-H") => Some(2),
        (b"Type0", _) => None,
        _ => Some(1),
    }
}

/// A text that is drawn, with the room between its letters as that between texts, and the room behind it; `None` where it
/// is a word.
fn parted(operation: &Operation, setting: &Setting) -> Option<(Vec<Object>, f32)> {
    let code = setting.code.filter(|_| setting.size > 0.0 && setting.spacing >= setting.size * APART)?;
    let room = setting.spacing / setting.size * 1000.0;
    let parts = match operation.operands.first()? {
        Object::Array(parts) => parts.as_slice(),
        text => std::slice::from_ref(text),
    };
    let (mut made, mut text, mut back) = (Vec::new(), Vec::new(), 0.0_f32);
    let told = |codes: Vec<u8>| Object::String(codes, StringFormat::Hexadecimal);
    for part in parts {
        let Object::String(codes, _) = part else {
            back += part.as_float().ok()?;
            continue;
        };
        for letter in codes.chunks(code) {
            if back.abs() >= UNSEEN {
                made.extend([told(std::mem::take(&mut text)), Object::Real(back)]);
                back = 0.0;
            }
            text.extend_from_slice(letter);
            back -= room;
        }
    }
    made.push(told(text));
    Some((made, back))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::testing::{Pdf, converted};

    #[test]
    fn letters_that_stand_in_columns_of_their_own_are_cells() {
        let across = [720, 700, 680, 660, 640, 620].map(|y| format!("72 {y} m 472 {y} l S\n")).concat();
        let down = [72, 172, 272, 372, 472].map(|x| format!("{x} 620 m {x} 720 l S\n")).concat();
        let text = |x: u32, y: u32, spacing: &str, text: &str| format!("BT {spacing} Tc {x} {y} Td {text} ET\n");
        let rows = [
            ("(Action)", "0", "[(One) -8100 (Two) -8000 (Three)]", 705),
            ("(Show)", "93.33", "(XX)", 685),
            ("(Change)", "94.44", "[(XX) 9444 (X)]", 665),
            ("(Count)", "94.44", "[(011) 9444 (2)]", 645),
            ("(Follow)", "94.44", "(12)", 625),
        ];
        let words = rows.map(|(name, spacing, cells, y)| {
            let draws = if cells.starts_with('[') { "TJ" } else { "Tj" };
            text(80, y, "0", &format!("{name} Tj")) + &text(180, y, spacing, &format!("{cells} {draws}"))
        });
        // One that begins where the room behind another ends.
        let last = text(380, 625, "0", "(7) Tj");
        let content = format!("{across}{down}/F1 10 Tf\n{}{last}", words.concat());
        let bytes = Pdf::of(&[("F1", "Helvetica")], [612, 792]).written([content]);
        let found = converted("a.pdf", &bytes, None).markdown;
        for row in ["| Show | X | X |", "| Change | X | XX |", "| Count | 0 | 1 | 12 |", "| Follow | 1 | 2 | 7 |"] {
            assert!(found.contains(row), "{row} in {found}");
        }
    }

    #[test]
    fn only_letters_that_stand_far_apart_are_looked_at() {
        for (content, is) in [
            (&b"/F1 10 Tf 2 Tc (Title) Tj"[..], false),
            (b"/F1 10 Tf 16 Tc (XX) Tj", true),
            (b"4.2 Tc 5.76 0 0 5.76 43 404 Tm /TT2 1 Tf (00) Tj", true),
            (b"/F1 1 Tf\n4.9997 Tc\n0 Tw", true),
            (b"-3 Tc /F1 1 Tf Tc Tf T", false),
            (b"16 Tc (XX) Tj", false),
        ] {
            assert_eq!(sets_apart(content), is, "{}", String::from_utf8_lossy(content));
        }
    }
}
