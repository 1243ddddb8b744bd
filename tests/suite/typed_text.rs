//! What somebody typed into a Word document or a slide stays text: no line of it becomes a heading.

use windowpane::chunk::{Outline, PAGE_CHARS};

use crate::documents::{shape, slide, word};
use crate::packages::{convert, package, relations, root_relations};

/// A presentation of one slide.
fn presentation(shapes: &str) -> Vec<u8> {
    let main = "<p:presentation xmlns:p='p' xmlns:r='r'><p:sldIdLst><p:sldId r:id='a'/></p:sldIdLst></p:presentation>";
    package(&[
        ("_rels/.rels", root_relations("ppt/presentation.xml").as_bytes()),
        ("ppt/presentation.xml", main.as_bytes()),
        ("ppt/_rels/presentation.xml.rels", relations(&[("a", "slide", "slides/1.xml", false)]).as_bytes()),
        ("ppt/slides/1.xml", slide(shapes).as_bytes()),
    ])
}

fn titles(name: &str, bytes: Vec<u8>) -> (String, Vec<String>) {
    let found = convert(name, bytes, None);
    let outline = Outline::paged(&found, PAGE_CHARS);
    (found.markdown, outline.sections.into_iter().map(|section| section.title).collect())
}

#[test]
fn items_of_a_slide_are_no_headings() {
    let items = ["First", "#1 of all", "# of seats: 40", "## Budget", "---", "```", "Total"];
    let (text, titles) = titles(
        "a.pptx",
        presentation(
            &(shape("<p:ph type='title'/>", 1, &["Plan"])
                + &shape("<p:ph type='body'/>", 2, &items)
                + &shape("", 3, &["# box", "Sum", "===", "end"])),
        ),
    );
    assert_eq!(titles, ["Plan"], "{text}");
    let expected = "# Plan\n\n* First\n* #1 of all\n* \\# of seats: 40\n* \\## Budget\n* ---\n* \\```\n* Total\n\n\
        \\# box\nSum\n\\===\nend\n";
    assert!(text.ends_with(expected), "{text}");
}

#[test]
fn lines_of_a_word_document_are_no_headings() {
    let paragraph = |runs: &str| format!("<w:p>{runs}</w:p>");
    let run = |text: &str| format!("<w:r><w:t>{text}</w:t></w:r>");
    let bold = |text: &str| format!("<w:r><w:rPr><w:b/></w:rPr><w:t>{text}</w:t></w:r>");
    let broken = "<w:r><w:t>Sum</w:t><w:br/><w:t>---</w:t><w:br/><w:t># of seats</w:t></w:r>";
    let body = paragraph(&run("# one")) + &paragraph(broken) + &paragraph(&bold("# two")) + &paragraph(&run("a # b"));
    let (text, titles) = titles("a.docx", word(&body));
    assert!(titles.is_empty(), "{text}");
    assert_eq!(text, "\\# one\n\nSum  \n\\---  \n\\# of seats\n\n**# two**\n\na # b\n");
}
