//! Word documents: text boxes, and what styles say in any language.

use crate::documents::{item, word};
use crate::packages::{convert, docx, relations};

#[test]
fn text_boxes_follow_their_paragraph_with_headings_lists_and_tables() {
    let text = |text: &str| format!("<w:p><w:r><w:t>{text}</w:t></w:r></w:p>");
    let table = |inner: &str| format!("<w:tbl><w:tr><w:tc>{inner}</w:tc></w:tr></w:tbl>");
    let boxed = |inner: &str| format!("<w:r><w:drawing><w:txbxContent>{inner}</w:txbxContent></w:drawing></w:r>");
    let head = "<w:p><w:pPr><w:pStyle w:val='H1'/></w:pPr><w:r><w:t>Report</w:t></w:r></w:p>";
    let host = |inner: &str| format!("<w:p>{}<w:r><w:t>host</w:t></w:r></w:p>", boxed(inner));
    let inner = format!("{head}{}{}{}{}", item(0, "one"), item(0, "two"), table(&text("c")), host(&text("deep")));
    let body = host(&inner) + &text("last");
    let expected = "host\n\n# Report\n\n3. one\n4. two\n\n| c |\n| --- |\n\nhost\n\ndeep\n\nlast\n";
    assert_eq!(convert("a.docx", word(&body), None).markdown, expected);
    let within = table(&host(&(text("box") + &table(&text("c")))));
    assert_eq!(convert("a.docx", word(&within), None).markdown, "| host box \\| c \\| \\| --- \\| |\n| --- |\n");
}

#[test]
fn word_styles_are_known_by_their_names_in_any_language() {
    let styles = "<w:styles xmlns:w='w'><w:style w:styleId='Fett'><w:name w:val='Strong'/></w:style>
        <w:style w:styleId='Mine'><w:name w:val='Mine'/><w:rPr><w:i/></w:rPr></w:style>
        <w:style w:styleId='Base'><w:name w:val='Heading'/></w:style>
        <w:style w:styleId='Index'><w:name w:val='Index'/><w:basedOn w:val='Base'/></w:style></w:styles>";
    let run = |style: &str, more: &str| {
        format!("<w:r><w:rPr><w:rStyle w:val='{style}'/>{more}</w:rPr><w:t xml:space='preserve'>{style} </w:t></w:r>")
    };
    let paragraph =
        |style: &str| format!("<w:p><w:pPr><w:pStyle w:val='{style}'/></w:pPr><w:r><w:t>{style}</w:t></w:r></w:p>");
    let runs = [run("Fett", ""), run("Mine", ""), run("Fett", "<w:b w:val='0'/>"), run("Emphasis", "")].concat();
    let link = "<w:hyperlink r:id='l' w:anchor='there'><w:r><w:t>link</w:t></w:r></w:hyperlink>";
    let body = format!("{}{}<w:p>{runs}{link}</w:p>", paragraph("Base"), paragraph("Index"));
    let related = relations(&[("s", "styles", "styles.xml", false), ("l", "hyperlink", "https://a.b/c", true)]);
    let parts: [(&str, &[u8]); 2] =
        [("word/_rels/document.xml.rels", related.as_bytes()), ("word/styles.xml", styles.as_bytes())];
    let expected = "# Base\n\nIndex\n\n**Fett** *Mine* Fett *Emphasis* [link](https://a.b/c#there)\n";
    assert_eq!(convert("a.docx", docx(&body, &parts), None).markdown, expected);
}
