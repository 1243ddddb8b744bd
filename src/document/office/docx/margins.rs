//! The headers and footers of a Word document: they stand on every page, and are told of rather than shown.

use crate::content::one_line;
use crate::document::office::package::{Package, Relations};
use crate::document::out::Out;
use crate::document::piece::Piece;

use super::body::Body;
use super::embedded::Embedded;
use super::layout::Layout;
use super::numbering::Numbering;
use super::styles::Styles;

/// Headers and footers that are read, and characters of them that are told.
const READ_MAX: usize = 50;
const TOLD_MAX: usize = 400;

/// Says what the headers and footers hold, each text once; nothing where they hold no words.
pub fn say(
    package: &mut Package<'_>,
    relations: &Relations,
    (styles, numbering): (&Styles, &Numbering),
    out: &mut Out<'_>,
) {
    let is_one = |kind: &str| matches!(kind, "header" | "footer");
    let mut parts: Vec<(bool, usize, &str)> = relations
        .values()
        .filter(|relation| is_one(&relation.kind) && !relation.external)
        .map(|relation| (relation.kind == "footer", relation.target.len(), relation.target.as_str()))
        .collect();
    // `header10` follows `header9`.
    parts.sort_unstable();
    parts.dedup();
    let mut texts: Vec<String> = Vec::new();
    for (.., part) in parts.into_iter().take(READ_MAX) {
        let Ok(Some(text)) = package.small(part) else { continue };
        let (relations, embedded, layout) = (Relations::new(), Embedded::new(), Layout::default());
        let mut shown = String::new();
        let mut sink = |piece| {
            if let Piece::Text(more) = piece {
                shown.push_str(&more);
            }
            Ok(())
        };
        let mut write = Out::new(TOLD_MAX as u64 * 4, &mut sink);
        let _ = Body::new((styles, numbering), (&relations, &embedded), &layout).read(text, &mut write);
        let _ = write.flush();
        let text = one_line(&shown);
        // Numbers of pages say nothing.
        if text.contains(char::is_alphabetic) && !texts.contains(&text) {
            texts.push(text);
        }
    }
    if texts.is_empty() {
        return;
    }
    let mut told = texts.join(" · ");
    if let Some((end, _)) = told.char_indices().nth(TOLD_MAX) {
        told.truncate(end);
        told.push('…');
    }
    let what =
        if out.is_empty() { "it holds no text but its headers and footers, which" } else { "its headers and footers" };
    out.note_on_all(format!("{what} are not shown: {told}"));
}

#[cfg(test)]
mod tests {
    use crate::document::testing::{converted, zip};

    const LINKS: &str = "<Relationships><Relationship Id='a' Type='t/header' Target='header1.xml'/>\
        <Relationship Id='b' Type='t/header' Target='header2.xml'/>\
        <Relationship Id='c' Type='t/footer' Target='footer1.xml'/></Relationships>";

    fn notes(body: &str) -> (String, Vec<String>) {
        let text = |text: &str| format!("<w:p><w:r><w:t>{text}</w:t></w:r></w:p>");
        let header = format!("<w:hdr>{}</w:hdr>", text("Section 1"));
        let body = if body.is_empty() { String::new() } else { text(body) };
        let parts = [
            ("word/document.xml", format!("<w:document><w:body>{body}</w:body></w:document>")),
            ("word/_rels/document.xml.rels", LINKS.to_owned()),
            ("word/header1.xml", header.clone()),
            ("word/header2.xml", header),
            ("word/footer1.xml", format!("<w:ftr>{}{}</w:ftr>", text("Confidential"), text("7"))),
        ];
        let found = converted("a.docx", &zip(&parts.each_ref().map(|(name, part)| (*name, part.as_str()))), None);
        (found.markdown, found.notes.into_iter().map(|note| note.message).collect())
    }

    #[test]
    fn headers_and_footers_are_told_once() {
        let (markdown, said) = notes("Body");
        assert_eq!(markdown, "Body\n");
        assert_eq!(said, ["its headers and footers are not shown: Section 1 · Confidential 7"]);
        let (markdown, said) = notes("");
        assert_eq!(markdown, "");
        let expected = "it holds no text but its headers and footers, which are not shown: Section 1 · Confidential 7";
        assert_eq!(said, [expected]);
    }
}
