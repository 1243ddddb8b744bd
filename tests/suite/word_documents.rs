//! Word documents: text boxes, and what styles say in any language.

use windowpane::document::{Conversion, PlaceKind};

use crate::documents::{item, word};
use crate::packages::{convert, docx, relations};

/// The page on which words stand.
fn page_of(found: &Conversion, words: &str) -> Option<u32> {
    let at = found.markdown.find(words).unwrap() as u64;
    let before = found.anchors.iter().take_while(|anchor| anchor.offset <= at);
    before.filter(|anchor| anchor.place.kind == PlaceKind::Page).last().map(|anchor| anchor.place.number)
}

#[test]
fn pages_begin_in_lists_and_in_code_where_they_begin() {
    let page = "</w:t></w:r><w:r><w:lastRenderedPageBreak/><w:t xml:space='preserve'>";
    let text = |style: &str, text: &str| {
        format!("<w:p><w:pPr><w:pStyle w:val='{style}'/></w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>")
    };
    let body = [
        item(0, "first"),
        item(0, &format!("{page}second")),
        item(0, &format!("third goes{page} on</w:t><w:br/><w:t>and{page} ends")),
        item(0, "fourth"),
        text("Code", "a = 1"),
        text("Code", &format!("{page}b = 2")),
        text("Code", &format!("c ={page} 3")),
        text("", "words"),
        text("Code", &format!("{page}d = 4")),
        text("", "last"),
    ];
    let styles =
        "<w:styles xmlns:w='w'><w:style w:styleId='Code'><w:name w:val='HTML Preformatted'/></w:style></w:styles>";
    let lists = "<w:numbering xmlns:w='w'><w:abstractNum w:abstractNumId='7'><w:lvl w:ilvl='0'>
        <w:numFmt w:val='bullet'/></w:lvl></w:abstractNum><w:num w:numId='1'><w:abstractNumId w:val='7'/></w:num></w:numbering>";
    let related = relations(&[("s", "styles", "styles.xml", false), ("n", "numbering", "numbering.xml", false)]);
    let parts: [(&str, &[u8]); 3] = [
        ("word/_rels/document.xml.rels", related.as_bytes()),
        ("word/styles.xml", styles.as_bytes()),
        ("word/numbering.xml", lists.as_bytes()),
    ];
    let found = convert("a.docx", docx(&body.concat(), &parts), None);
    let expected = "* first\n* second\n* third goes on  \n  and ends\n* fourth\n\n```\na = 1\nb = 2\nc = 3\n```\n\nwords\n\n```\nd = 4\n```\n\nlast\n";
    assert_eq!(found.markdown, expected);
    let words =
        ["first", "* second", "* third", " on", "and", " ends", "fourth", "a = 1", "b = 2", "c =", " 3", "words"];
    let pages = [1, 2, 2, 3, 3, 4, 4, 4, 5, 5, 6, 6].map(Some);
    assert_eq!(words.map(|words| page_of(&found, words)), pages);
    assert_eq!(["d = 4", "last"].map(|words| page_of(&found, words)), [7, 7].map(Some));
    // A break that the author set, too.
    let body = item(0, "first")
        + &item(0, "</w:t><w:br w:type='page'/><w:t>second")
        + &item(0, "x</w:t><w:br w:type='page'/><w:t>third");
    let found = convert("a.docx", docx(&body, &parts), None);
    assert_eq!(found.markdown, "* first\n* second\n* x\n  third\n");
    assert_eq!(["first", "* second", "* x", "  third"].map(|words| page_of(&found, words)), [1, 2, 2, 3].map(Some));
}

#[test]
fn what_was_before_a_tracked_change_takes_no_effect() {
    let cell = |properties: &str, text: &str| {
        format!("<w:tc><w:tcPr>{properties}</w:tcPr><w:p><w:r><w:t>{text}</w:t></w:r></w:p></w:tc>")
    };
    let former =
        "<w:gridSpan w:val='1'/><w:tcPrChange w:id='1'><w:tcPr><w:gridSpan w:val='3'/></w:tcPr></w:tcPrChange>";
    let row = "<w:trPr><w:trPrChange w:id='2'><w:trPr><w:gridBefore w:val='2'/></w:trPr></w:trPrChange></w:trPr>";
    let numbered =
        "<w:numPr><w:ilvl w:val='0'/><w:numId w:val='1'/><w:numberingChange w:id='3' w:original='%1:1:0:.'/></w:numPr>";
    let body = format!(
        "<w:tbl><w:tr>{}{}</w:tr><w:tr>{row}{}{}</w:tr></w:tbl>
         <w:p><w:pPr>{numbered}<w:pPrChange w:id='4'><w:pPr><w:pStyle w:val='H1'/></w:pPr></w:pPrChange></w:pPr>
         <w:r><w:rPr><w:rPrChange w:id='5'><w:rPr><w:b/></w:rPr></w:rPrChange></w:rPr><w:t>item</w:t></w:r></w:p>
         <w:p><w:pPr><w:pStyle w:val='Now'/></w:pPr><w:r><w:t>plain</w:t></w:r></w:p>",
        cell(former, "Name"),
        cell("", "Age"),
        cell("", "Ann"),
        cell("", "44")
    );
    assert_eq!(
        convert("a.docx", word(&body), None).markdown,
        "| Name | Age |\n| --- | --- |\n| Ann | 44 |\n\n3. item\n\nplain\n"
    );
    let styles = "<w:styles xmlns:w='w'><w:style w:styleId='Now'><w:name w:val='now'/><w:pPr><w:outlineLvl w:val='1'/>
        <w:pPrChange w:id='6'><w:pPr><w:outlineLvl w:val='4'/></w:pPr></w:pPrChange></w:pPr></w:style></w:styles>";
    let related = relations(&[("s", "styles", "styles.xml", false)]);
    let parts: [(&str, &[u8]); 2] =
        [("word/_rels/document.xml.rels", related.as_bytes()), ("word/styles.xml", styles.as_bytes())];
    let body = "<w:p><w:pPr><w:pStyle w:val='Now'/></w:pPr><w:r><w:t>head</w:t></w:r></w:p>";
    assert_eq!(convert("a.docx", docx(body, &parts), None).markdown, "## head\n");
}

#[test]
fn a_reading_stands_behind_its_word() {
    let run = |text: &str| format!("<w:r><w:t>{text}</w:t></w:r>");
    let ruby = |reading: &str, word: &str| {
        let (reading, word) = (run(reading), run(word));
        format!("<w:r><w:ruby><w:rubyPr/><w:rt>{reading}</w:rt><w:rubyBase>{word}</w:rubyBase></w:ruby></w:r>")
    };
    let body = format!("<w:p>{}{}{}{}</w:p>", run("首都は"), ruby("とうきょう", "東京"), ruby("", "都"), run("です。"));
    assert_eq!(convert("a.docx", docx(&body, &[]), None).markdown, "首都は東京(とうきょう)都です。\n");
}

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
fn what_is_based_on_a_title_heads_nothing_and_code_has_no_marks_of_broken_lines() {
    let styles = "<w:styles xmlns:w='w'><w:style w:styleId='Title'><w:name w:val='Title'/></w:style>
        <w:style w:styleId='Author'><w:name w:val='Author'/><w:basedOn w:val='Title'/></w:style>
        <w:style w:styleId='H2'><w:name w:val='heading 2'/></w:style>
        <w:style w:styleId='Own'><w:name w:val='Own'/><w:basedOn w:val='H2'/></w:style>
        <w:style w:styleId='Code'><w:name w:val='Source Code'/></w:style></w:styles>";
    let text = |style: &str, text: &str| {
        format!("<w:p><w:pPr><w:pStyle w:val='{style}'/></w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>")
    };
    let code = text("Code", "a = 1</w:t><w:br/><w:t xml:space='preserve'>  b = 2");
    let body = [
        text("Title", "Report"),
        text("Author", "Jane"),
        text("Own", "Part"),
        code,
        text("", "x</w:t><w:ptab/><w:t>y"),
    ];
    let related = relations(&[("s", "styles", "styles.xml", false)]);
    let parts: [(&str, &[u8]); 2] =
        [("word/_rels/document.xml.rels", related.as_bytes()), ("word/styles.xml", styles.as_bytes())];
    let expected = "# Report\n\nJane\n\n## Part\n\n```\na = 1\n  b = 2\n```\n\nx\ty\n";
    assert_eq!(convert("a.docx", docx(&body.concat(), &parts), None).markdown, expected);
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

#[test]
fn items_are_nested_as_their_styles_are() {
    let style = |id: &str, name: &str, list: &str| {
        format!("<w:style w:styleId='{id}'><w:name w:val='{name}'/><w:pPr><w:numPr>{list}</w:numPr></w:pPr></w:style>")
    };
    let list = |id: u8| format!("<w:numId w:val='{id}'/>");
    let styles = [
        style("B", "List Bullet", &list(1)),
        style("B2", "List Bullet 2", &list(2)),
        style("B3", "List Bullet 3", &list(2)),
        style("N2", "List Number 2", &list(3)),
        "<w:style w:styleId='Own'><w:name w:val='Own'/><w:basedOn w:val='B3'/></w:style>".to_owned(),
        // What levels these are of is told by their list.
        style("O1", "Outer", &list(4)),
        style("O2", "Inner", &list(4)),
    ];
    let shape = |id: u8, levels: &str| format!("<w:abstractNum w:abstractNumId='{id}'>{levels}</w:abstractNum>");
    let level = |at: u8, kind: &str, of: &str| {
        format!("<w:lvl w:ilvl='{at}'><w:start w:val='1'/><w:numFmt w:val='{kind}'/>{of}</w:lvl>")
    };
    let linked = |at: u8, style: &str| level(at, "decimal", &format!("<w:pStyle w:val='{style}'/>"));
    let shapes = [
        shape(1, &level(0, "bullet", "")),
        shape(2, &level(0, "bullet", "")),
        shape(3, &level(0, "decimal", "")),
        shape(4, &(linked(0, "O1") + &linked(1, "O2"))),
    ];
    let lists: String =
        (1..=4).map(|id| format!("<w:num w:numId='{id}'><w:abstractNumId w:val='{id}'/></w:num>")).collect();
    let read = |items: &[(&str, &str)]| {
        let item = |(style, text): &(&str, &str)| {
            format!("<w:p><w:pPr><w:pStyle w:val='{style}'/></w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>")
        };
        let body: String = items.iter().map(item).collect();
        let links = relations(&[("a", "styles", "styles.xml", false), ("b", "numbering", "numbering.xml", false)]);
        let parts = [
            ("word/_rels/document.xml.rels", links),
            ("word/styles.xml", format!("<w:styles>{}</w:styles>", styles.concat())),
            ("word/numbering.xml", format!("<w:numbering>{}{lists}</w:numbering>", shapes.concat())),
        ];
        let parts: Vec<(&str, &[u8])> = parts.iter().map(|(name, text)| (*name, text.as_bytes())).collect();
        convert("a.docx", docx(&body, &parts), None).markdown
    };
    let nested = read(&[("B", "a"), ("B2", "b"), ("Own", "c"), ("N2", "d"), ("N2", "e"), ("B", "f"), ("B3", "g")]);
    assert_eq!(nested, "* a\n   * b\n      * c\n   1. d\n   2. e\n* f\n   * g\n");
    assert_eq!(read(&[("O1", "a"), ("O2", "b"), ("O2", "c"), ("O1", "d")]), "1. a\n   1. b\n   2. c\n2. d\n");
    // Without any above them they stand where these would.
    assert_eq!(
        read(&[("B2", "a"), ("B2", "b"), ("X", "words"), ("B3", "c"), ("B", "d"), ("B2", "e")]),
        "* a\n* b\n\nwords\n\n* c\n* d\n   * e\n"
    );
    // Below a wide mark they stand farther in.
    let mut long: Vec<(&str, &str)> = vec![("O1", "x"); 10];
    long.push(("O2", "in"));
    assert!(read(&long).ends_with("10. x\n    1. in\n"));
}
