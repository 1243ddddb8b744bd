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
    assert_eq!(convert("a.docx", word(&within), None).markdown, "| host box c |\n| --- |\n");
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

#[test]
fn charts_and_diagrams_follow_the_paragraph_that_shows_them() {
    let point = |index: u32, text: &str| format!("<c:pt idx='{index}'><c:v>{text}</c:v></c:pt>");
    let list = |name: &str, texts: [&str; 2]| {
        format!("<c:{name}><c:strCache>{}{}</c:strCache></c:{name}>", point(0, texts[0]), point(1, texts[1]))
    };
    let name = format!("<c:tx><c:strCache>{}</c:strCache></c:tx>", point(0, "Sales"));
    let series = format!("<c:ser>{name}{}{}</c:ser>", list("cat", ["Q1", "Q2"]), list("val", ["3", "4"]));
    let title = "<c:title><c:tx><c:rich><a:p><a:r><a:t>Year</a:t></a:r></a:p></c:rich></c:tx></c:title>";
    let chart = format!("<c:chartSpace><c:chart>{title}<c:plotArea>{series}</c:plotArea></c:chart></c:chartSpace>");
    let diagram = "<dgm:dataModel><a:t>Plan</a:t><a:t>Do</a:t></dgm:dataModel>";
    let drawing = |inner: &str| format!("<w:drawing><a:graphicData>{inner}</a:graphicData></w:drawing>");
    let runs = format!(
        "<mc:AlternateContent><mc:Choice>{}</mc:Choice><mc:Fallback><w:t>old</w:t></mc:Fallback></mc:AlternateContent>{}",
        drawing("<c:chart r:id='c'/>"),
        drawing("<dgm:relIds r:dm='d' r:lo='x'/>")
    );
    let body = format!("<w:p><w:r><w:t>See:</w:t>{runs}</w:r></w:p><w:p><w:r><w:t>next</w:t></w:r></w:p>");
    let related = relations(&[("c", "chart", "charts/c.xml", false), ("d", "diagramData", "diagrams/d.xml", false)]);
    let parts: [(&str, &[u8]); 3] = [
        ("word/_rels/document.xml.rels", related.as_bytes()),
        ("word/charts/c.xml", chart.as_bytes()),
        ("word/diagrams/d.xml", diagram.as_bytes()),
    ];
    let table = "| Category | Sales |\n| --- | --- |\n| Q1 | 3 |\n| Q2 | 4 |";
    let expected = format!("See:\n\n### Chart: Year\n\n{table}\n\n* Plan\n* Do\n\nnext\n");
    assert_eq!(convert("a.docx", docx(&body, &parts), None).markdown, expected);
}

#[test]
fn documents_that_stand_in_another_are_read_where_they_stand() {
    let text = |text: &str| format!("<w:p><w:r><w:t>{text}</w:t></w:r></w:p>");
    let inner = docx(&text("deep"), &[]);
    let chunks = "<w:altChunk r:id='h'/><w:altChunk r:id='d'><w:altChunkPr/></w:altChunk><w:altChunk r:id='r'/>";
    let body = format!("{}{chunks}{}", text("before"), text("after"));
    let chunk = |id: &'static str, name: &'static str| (id, "aFChunk", name, false);
    let related = relations(&[chunk("h", "/word/one.htm"), chunk("d", "two.docx"), chunk("r", "three.bin")]);
    let parts: [(&str, &[u8]); 4] = [
        ("word/_rels/document.xml.rels", related.as_bytes()),
        ("word/one.htm", b"<h2>Part</h2><ul><li>a<li>b</ul>"),
        ("word/two.docx", &inner),
        ("word/three.bin", b"\x01\x02\x00\x03"),
    ];
    let found = convert("a.docx", docx(&body, &parts), None);
    assert_eq!(found.markdown, "before\n\n## Part\n\n* a\n* b\n\ndeep\n\nafter\n");
    let [note] = found.notes.as_slice() else { panic!("{:?}", found.notes) };
    assert!(note.message.contains("three.bin") && note.message.contains("left out"), "{note:?}");
}

#[test]
fn a_simple_field_within_the_code_of_another_is_no_text() {
    let sign = |kind: &str| format!("<w:r><w:fldChar w:fldCharType='{kind}'/></w:r>");
    let code = |code: &str| format!("<w:r><w:instrText>{code}</w:instrText></w:r>");
    let text = |text: &str| format!("<w:r><w:t>{text}</w:t></w:r>");
    let simple = |inner: &str| format!("<w:fldSimple w:instr='MERGEFIELD who'>{inner}</w:fldSimple>");
    let field = [
        sign("begin"),
        code(" IF "),
        simple(&text("one")),
        code(" = 1 "),
        sign("separate"),
        text("shown"),
        sign("end"),
    ];
    let body = format!("<w:p>{}{}</w:p>", field.concat(), simple(&text(" two")));
    assert_eq!(convert("a.docx", docx(&body, &[]), None).markdown, "shown two\n");
}
