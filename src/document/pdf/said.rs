//! What is said of pages that cannot be shown in full.

use unpdf::parser::backend::TextSuppression;

use crate::document::out::Out;

/// Pages that are told by their numbers.
const TOLD_MAX: usize = 20;

/// Texts and signs that are left out, as their fonts do not tell what they stand for.
#[derive(Debug, Default)]
pub struct Untold {
    pages: Vec<u32>,
    count: u64,
}

impl Untold {
    /// Takes a page in.
    pub fn learn(&mut self, page: &unpdf::Page) {
        // Codes that stand for nothing are often part of what others stand for.
        let texts = page.unreadable_fonts.iter().filter(|font| font.reason != TextSuppression::UnmappedCodes);
        let texts: u64 = texts.map(|font| font.runs as u64).sum();
        let count = texts + u64::from(page.undecoded_text_codes);
        if count > 0 {
            self.pages.push(page.number);
            self.count += count;
        }
    }

    pub fn say(&self, out: &mut Out<'_>) {
        let why = "as their fonts do not tell what they stand for";
        pages(&format!("texts or signs that are left out, {why}: {}, on pages", self.count), &self.pages, out);
    }
}

/// Says something of pages, where there are any.
pub fn pages(what: &str, pages: &[u32], out: &mut Out<'_>) {
    if !pages.is_empty() {
        let listed = pages.iter().take(TOLD_MAX).map(u32::to_string).collect::<Vec<_>>().join(", ");
        let more = if pages.len() > TOLD_MAX { " …" } else { "" };
        out.note_on_all(format!("{what}: {listed}{more}"));
    }
}

/// Says which of all pages hold no text.
pub fn empty(empty: &[u32], total: u32, cut: bool, out: &mut Out<'_>) {
    if empty.len() as u64 == u64::from(total) && cut {
        // Whether it is encrypted is told at its end.
        out.note_on_all("of no page any text is left, or it is encrypted");
    } else if empty.len() as u64 == u64::from(total) {
        out.note_on_all("no page holds text; it may be a scan");
    } else {
        pages("pages without text", empty, out);
    }
}

#[cfg(test)]
mod tests {
    use lopdf::{Document, Object, Stream, dictionary};

    use crate::document::testing::{converted, paged};

    #[test]
    fn text_in_a_font_that_tells_no_letters_is_told_to_be_left_out() {
        let mut document = Document::with_version("1.5");
        let words = "BT /F1 10 Tf 72 700 Td (What is told) Tj /F2 10 Tf 0 -20 Td <00240025> Tj ET";
        let content = document.add_object(Stream::new(dictionary! {}, words.as_bytes().to_vec()));
        let font = dictionary! {
            "Type" => "Font", "Subtype" => "Type1", "BaseFont" => "Helvetica", "Encoding" => "WinAnsiEncoding",
        };
        let info = dictionary! {
            "Registry" => Object::string_literal("Adobe"), "Ordering" => Object::string_literal("Identity"),
            "Supplement" => 0,
        };
        let inner = dictionary! {
            "Type" => "Font", "Subtype" => "CIDFontType2", "BaseFont" => "ABCDEF+Own", "CIDSystemInfo" => info,
            "DW" => 500,
        };
        let inner = document.add_object(inner);
        let untold = dictionary! {
            "Type" => "Font", "Subtype" => "Type0", "BaseFont" => "ABCDEF+Own", "Encoding" => "Identity-H",
            "DescendantFonts" => vec![Object::Reference(inner)],
        };
        let (font, untold) = (document.add_object(font), document.add_object(untold));
        let bytes = paged(document, content, dictionary! { "F1" => font, "F2" => untold });
        let found = converted("a.pdf", &bytes, None);
        assert_eq!(found.markdown.trim(), "What is told");
        let said = found
            .notes
            .iter()
            .any(|note| note.message.contains("left out") && note.message.ends_with("1, on pages: 1"));
        assert!(said, "{:?}", found.notes);
    }
}
