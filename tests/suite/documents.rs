//! Office documents, books, notebooks, feeds and archives, and the Markdown that they should become.

use windowpane::document::{Limits, PlaceKind, shown_line};

use crate::packages::{convert, docx, package, relations, root_relations};

const STYLES: &str = "<w:styles xmlns:w='w'>
  <w:style w:styleId='H1'><w:name w:val='heading 1'/></w:style>
  <w:style w:styleId='Mine'><w:name w:val='Mine'/><w:basedOn w:val='H1'/></w:style>
  <w:style w:styleId='Leaf'><w:name w:val='leaf'/><w:pPr><w:pageBreakBefore/></w:pPr></w:style>
  <w:style w:styleId='Part'><w:name w:val='part'/><w:basedOn w:val='Leaf'/></w:style>
  <w:style w:styleId='Still'><w:name w:val='still'/><w:basedOn w:val='Leaf'/><w:pPr>
    <w:pageBreakBefore w:val='0'/></w:pPr></w:style></w:styles>";
const LISTS: &str = "<w:numbering xmlns:w='w'>
  <w:abstractNum w:abstractNumId='7'><w:lvl w:ilvl='0'><w:start w:val='3'/><w:numFmt w:val='decimal'/></w:lvl>
  <w:lvl w:ilvl='1'><w:numFmt w:val='bullet'/></w:lvl></w:abstractNum>
  <w:num w:numId='1'><w:abstractNumId w:val='7'/></w:num></w:numbering>";
const NOTES: &str = "<w:footnotes xmlns:w='w'><w:footnote w:type='separator' w:id='0'><w:p/></w:footnote>
  <w:footnote w:id='2'><w:p><w:r><w:t>See there.</w:t></w:r></w:p></w:footnote></w:footnotes>";

/// An item of the first list.
pub fn item(level: u8, text: &str) -> String {
    let list = format!("<w:numPr><w:ilvl w:val='{level}'/><w:numId w:val='1'/></w:numPr>");
    format!("<w:p><w:pPr>{list}</w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>")
}

/// A Word document with this body, and the styles, lists and notes above.
pub fn word(body: &str) -> Vec<u8> {
    let rows = [
        ("rId1", "styles", "styles.xml", false),
        ("rId2", "numbering", "numbering.xml", false),
        ("rId3", "footnotes", "footnotes.xml", false),
        ("rId4", "hyperlink", "https://example.org/a b", true),
    ];
    let related = relations(&rows);
    let parts: [(&str, &[u8]); 4] = [
        ("word/_rels/document.xml.rels", related.as_bytes()),
        ("word/styles.xml", STYLES.as_bytes()),
        ("word/numbering.xml", LISTS.as_bytes()),
        ("word/footnotes.xml", NOTES.as_bytes()),
    ];
    docx(body, &parts)
}

#[test]
fn word_documents_keep_headings_lists_links_and_notes() {
    let body = format!(
        "<w:p><w:pPr><w:pStyle w:val='Mine'/></w:pPr><w:r><w:rPr><w:b/></w:rPr><w:t>Head</w:t></w:r></w:p>
         <w:p><w:r><w:t xml:space='preserve'>a </w:t></w:r><w:r><w:rPr><w:b/></w:rPr><w:t>bo</w:t></w:r>
         <w:r><w:rPr><w:b/></w:rPr><w:t>ld</w:t></w:r><w:r><w:footnoteReference w:id='2'/></w:r>
         <w:hyperlink r:id='rId4'><w:r><w:t> link</w:t></w:r></w:hyperlink><w:del><w:r><w:t>gone</w:t></w:r></w:del></w:p>
         {}{}{}",
        item(0, "one"),
        item(1, "two"),
        item(0, "three")
    );
    let found = convert("a.docx", word(&body), None);
    assert_eq!(
        found.markdown,
        "# Head\n\na **bold**[^2] [link](https://example.org/a%20b)\n\n3. one\n   * two\n4. three\n\n[^2]: See there.\n"
    );
    assert!(found.notes.is_empty(), "{:?}", found.notes);
}

#[test]
fn word_tables_keep_their_columns_and_equations_their_sense() {
    let cell = |inner: &str| format!("<w:tc>{inner}</w:tc>");
    let text = |text: &str| format!("<w:p><w:r><w:t>{text}</w:t></w:r></w:p>");
    let fraction = "<m:f><m:num><m:r><m:t>1</m:t></m:r></m:num><m:den><m:r><m:t>π</m:t></m:r></m:den></m:f>";
    let body = format!(
        "<w:tbl><w:tr>{}{}{}</w:tr><w:tr><w:tc><w:tcPr><w:gridSpan w:val='2'/></w:tcPr>{}</w:tc>{}</w:tr></w:tbl>
         <w:p><m:oMath>{fraction}</m:oMath></w:p>",
        cell(&text("a|b")),
        cell(&text("c")),
        cell(&text("d")),
        text("wide"),
        cell(&format!("{}{}", text("x"), text("y"))),
    );
    let found = convert("a.docx", word(&body), None);
    let expected = "| a\\|b | c | d |\n| --- | --- | --- |\n| wide |  | x y |\n\n$\\frac{1}{\\pi }$\n";
    assert_eq!(found.markdown, expected);
}

#[test]
fn word_pages_begin_where_word_last_broke_them() {
    let body = "<w:p><w:r><w:t>one</w:t></w:r></w:p>
        <w:p><w:r><w:t>still one</w:t></w:r><w:r><w:lastRenderedPageBreak/><w:t xml:space='preserve'> two</w:t></w:r></w:p>
        <w:p><w:r><w:br w:type='page'/></w:r></w:p><w:p><w:r><w:lastRenderedPageBreak/><w:t>three</w:t></w:r></w:p>";
    let found = convert("a.docx", word(body), None);
    assert_eq!(found.markdown, "one\n\nstill one two\n\nthree\n");
    let page = |word: &str| {
        let at = found.markdown.find(word).unwrap() as u64;
        let before = found.anchors.iter().take_while(|anchor| anchor.offset <= at);
        before.filter(|anchor| anchor.place.kind == PlaceKind::Page).last().map(|anchor| anchor.place.number)
    };
    assert_eq!((page("still"), page(" two"), page("three")), (Some(1), Some(2), Some(3)));
}

#[test]
fn word_pages_are_estimates_where_word_laid_nothing_out() {
    let text = |text: &str| format!("<w:p><w:r><w:t>{text}</w:t></w:r></w:p>");
    let section = |kind: &str, words: &str| {
        format!("<w:p><w:pPr><w:sectPr><w:type w:val='{kind}'/></w:sectPr></w:pPr><w:r><w:t>{words}</w:t></w:r></w:p>")
    };
    let body = format!(
        "{}<w:p><w:r><w:br w:type='page'/></w:r></w:p>{}<w:p><w:pPr><w:pageBreakBefore/></w:pPr>
         <w:r><w:t>three</w:t></w:r></w:p>{}{}{}{}<w:sectPr><w:type w:val='continuous'/></w:sectPr>",
        text(&"one ".repeat(1_100)),
        text("two"),
        section("nextPage", "still three"),
        text("also three"),
        section("continuous", "again three"),
        text("last")
    );
    let found = convert("a.docx", word(&body.replace("nextPage", "continuous")), None);
    let outline = windowpane::chunk::Outline::of(&found);
    let page = |word: &str| {
        let spot = outline.spot(&found.markdown, found.markdown.find(word).unwrap());
        (spot.page.number, spot.page.is_estimated())
    };
    // The first text fills two pages and a half by itself.
    let pages = ["one", "two", "three", "still", "last"].map(page);
    assert_eq!(pages, [1, 4, 5, 5, 5].map(|page| (page, true)));
    assert_eq!(found.fact("pages"), None);
    let body = body
        .replace("<w:t>two", "<w:lastRenderedPageBreak/><w:t>two")
        .replace("continuous'/></w:sectPr></w:pPr><w:r><w:t>again", "nextPage'/></w:sectPr></w:pPr><w:r><w:t>again");
    let found = convert("a.docx", word(&body), None);
    let outline = windowpane::chunk::Outline::of(&found);
    let page = |word: &str| {
        let spot = outline.spot(&found.markdown, found.markdown.find(word).unwrap());
        (spot.page.number, spot.page.is_estimated())
    };
    let pages = ["one", "two", "three", "still", "also", "again", "last"].map(page);
    assert_eq!(pages, [1, 2, 3, 3, 4, 4, 4].map(|page| (page, false)));
    assert_eq!(found.fact("pages"), Some("4"));
}

#[test]
fn a_word_style_begins_a_page() {
    let text =
        |properties: &str, text: &str| format!("<w:p><w:pPr>{properties}</w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>");
    let style = |name: &str| format!("<w:pStyle w:val='{name}'/>");
    let body = [
        text(&style("Leaf"), "one"),
        text(&style("Leaf"), "two"),
        text(&style("Part"), "three"),
        text(&style("Still"), "still"),
        text(&format!("{}<w:pageBreakBefore w:val='0'/>", style("Part")), "also"),
        text(&style("Part"), "</w:t><w:lastRenderedPageBreak/><w:t>four"),
    ];
    let found = convert("a.docx", word(&body.concat()), None);
    let outline = windowpane::chunk::Outline::of(&found);
    let page = |word: &str| outline.spot(&found.markdown, found.markdown.find(word).unwrap()).page.number;
    assert_eq!(["one", "two", "three", "still", "also", "four"].map(page), [1, 2, 3, 3, 3, 4]);
    assert_eq!(found.fact("pages"), Some("4"));
}

#[test]
fn rows_of_a_word_table_stand_on_the_pages_on_which_they_were_laid_out() {
    let cell = |text: &str| format!("<w:tc><w:p><w:r>{text}</w:r></w:p></w:tc>");
    let row = |before: &str, name: &str| format!("<w:tr>{}</w:tr>", cell(&format!("{before}<w:t>{name}</w:t>")));
    let page = "<w:lastRenderedPageBreak/>";
    let rows = row("", "head") + &row("", "first") + &row(page, "second") + "<w:tr/>" + &row(page, "third");
    let body =
        format!("<w:p><w:r><w:t>before</w:t></w:r></w:p><w:tbl>{rows}</w:tbl><w:p><w:r><w:t>after</w:t></w:r></w:p>");
    let found = convert("a.docx", word(&body), None);
    assert_eq!(found.markdown, "before\n\n| head |\n| --- |\n| first |\n| second |\n| third |\n\nafter\n");
    let outline = windowpane::chunk::Outline::of(&found);
    let page = |word: &str| outline.spot(&found.markdown, found.markdown.find(word).unwrap()).page.number;
    assert_eq!(["before", "head", "first", "| second", "| third", "after"].map(page), [1, 1, 1, 2, 3, 3]);
}

#[test]
fn word_notes_belong_to_the_page_that_refers_to_them() {
    let body = "<w:p><w:r><w:t>one</w:t><w:footnoteReference w:id='2'/></w:r></w:p>
        <w:p><w:r><w:lastRenderedPageBreak/><w:t>two</w:t><w:footnoteReference w:id='3'/></w:r></w:p>
        <w:p><w:r><w:lastRenderedPageBreak/><w:t>three</w:t></w:r></w:p>";
    let notes = "<w:footnotes xmlns:w='w'><w:footnote w:id='2'><w:p><w:r><w:t>first note</w:t></w:r></w:p></w:footnote>
        <w:footnote w:id='3'><w:p><w:r><w:t>second note</w:t></w:r></w:p></w:footnote></w:footnotes>";
    let main = format!("<w:document xmlns:w='w'><w:body>{body}</w:body></w:document>");
    let (root, parts) = (root_relations("word/document.xml"), relations(&[("f", "footnotes", "notes.xml", false)]));
    let bytes = package(&[
        ("_rels/.rels", root.as_bytes()),
        ("word/document.xml", main.as_bytes()),
        ("word/_rels/document.xml.rels", parts.as_bytes()),
        ("word/notes.xml", notes.as_bytes()),
    ]);
    let found = convert("a.docx", bytes, None);
    let outline = windowpane::chunk::Outline::of(&found);
    let page = |word: &str| outline.spot(&found.markdown, found.markdown.find(word).unwrap()).page.number;
    assert_eq!(["one", "three", "first note", "second note"].map(page), [1, 3, 1, 2]);
}

#[test]
fn what_was_deleted_of_a_word_document_is_gone() {
    let text = |text: &str| format!("<w:r><w:t xml:space='preserve'>{text}</w:t></w:r>");
    let gone = "<w:pPr><w:rPr><w:del w:id='3'/></w:rPr></w:pPr>";
    let row = |before: &str, cell: &str| format!("<w:tr>{before}<w:tc><w:p>{cell}</w:p></w:tc></w:tr>");
    let body = format!(
        "<w:p>{gone}{}</w:p><w:p>{gone}<w:del>{}</w:del></w:p><w:p>{}</w:p><w:tbl>{}{}{}</w:tbl><w:p>{gone}{}</w:p>",
        text("First half "),
        text("nothing"),
        text("second half."),
        row("", &text("h")),
        row("<w:trPr><w:del w:id='4'/></w:trPr>", &text("deleted")),
        row("<w:trPr><w:ins w:id='5'/></w:trPr>", &text("kept")),
        text("end"),
    );
    let found = convert("a.docx", word(&body), None);
    assert_eq!(found.markdown, "First half second half.\n\n| h |\n| --- |\n| kept |\n\nend\n");
}

#[test]
fn word_form_fields_show_what_was_chosen() {
    let field = |data: &str, kind: &str| {
        format!(
            "<w:r><w:fldChar w:fldCharType='begin'><w:ffData>{data}</w:ffData></w:fldChar></w:r>
             <w:r><w:instrText>{kind}</w:instrText></w:r><w:r><w:fldChar w:fldCharType='end'/></w:r>"
        )
    };
    let body = format!(
        "<w:p>{}<w:r><w:t> yes </w:t></w:r>{}<w:r><w:t> no </w:t></w:r>{}</w:p>",
        field("<w:checkBox><w:default w:val='0'/><w:checked/></w:checkBox>", "FORMCHECKBOX"),
        field("<w:checkBox><w:default w:val='0'/></w:checkBox>", "FORMCHECKBOX"),
        field(
            "<w:ddList><w:result w:val='1'/><w:listEntry w:val='A'/><w:listEntry w:val='B'/></w:ddList>",
            "FORMDROPDOWN"
        ),
    );
    assert_eq!(convert("a.docx", word(&body), None).markdown, "☒ yes ☐ no B\n");
}

#[test]
fn what_a_word_field_asks_of_another_is_no_text() {
    let sign = |kind: &str| format!("<w:r><w:fldChar w:fldCharType='{kind}'/></w:r>");
    let code = |text: &str| format!("<w:r><w:instrText>{text}</w:instrText></w:r>");
    let text = |text: &str| format!("<w:r><w:t>{text}</w:t></w:r>");
    let field =
        |asks: &str, shows: &str| [sign("begin"), code(asks), sign("separate"), text(shows), sign("end")].concat();
    let around = |asks: &str, inner: &str, rest: &str, shows: &str| {
        let asks = [code(asks), inner.to_owned(), code(rest)].concat();
        [sign("begin"), asks, sign("separate"), text(shows), sign("end")].concat()
    };
    let body = format!(
        "<w:p>{}{}{}</w:p>",
        around("IF ", &field("PAGE", "1"), " = 1 &quot;first&quot; &quot;other&quot;", "first"),
        text(" page, "),
        around("HYPERLINK &quot;", &field("DOCPROPERTY Site", "https://example.org"), "/a&quot;", "here"),
    );
    assert_eq!(convert("a.docx", word(&body), None).markdown, "first page, [here](https://example.org/a)\n");
    // What a result shows by a field of its own is its text.
    let shown = [sign("begin"), code("HYPERLINK &quot;https://example.org&quot;"), sign("separate")].concat();
    let body = format!("<w:p>{shown}{}{}</w:p>", field("PAGE", "7"), sign("end"));
    assert_eq!(convert("a.docx", word(&body), None).markdown, "[7](https://example.org)\n");
}

pub fn slide(shapes: &str) -> String {
    format!("<p:sld xmlns:p='p' xmlns:a='a' xmlns:r='r'><p:cSld><p:spTree>{shapes}</p:spTree></p:cSld></p:sld>")
}

pub fn shape(kind: &str, top: u32, paragraphs: &[&str]) -> String {
    let text: String = paragraphs.iter().map(|text| format!("<a:p><a:r><a:t>{text}</a:t></a:r></a:p>")).collect();
    let place = format!("<p:spPr><a:xfrm><a:off x='0' y='{top}'/></a:xfrm></p:spPr>");
    format!(
        "<p:sp><p:nvSpPr><p:cNvPr name='s'/><p:nvPr>{kind}</p:nvPr></p:nvSpPr>{place}<p:txBody>{text}</p:txBody></p:sp>"
    )
}

#[test]
fn slides_are_read_from_top_to_bottom_with_their_notes() {
    let shapes =
        shape("", 900, &["below"]) + &shape("<p:ph type='title'/>", 700, &["The title"]) + &shape("", 500, &["above"]);
    let table = "<p:graphicFrame><a:tbl><a:tr><a:tc><a:p><a:r><a:t>h</a:t></a:r></a:p></a:tc></a:tr>
        <a:tr><a:tc><a:p><a:r><a:t>v</a:t></a:r></a:p></a:tc></a:tr></a:tbl></p:graphicFrame>";
    let one = slide(&shapes);
    let two = slide(&format!(
        "{table}<p:pic><p:nvPicPr><p:cNvPr name='Picture 4' descr='A duck'/></p:nvPicPr>
            <p:blipFill><a:blip r:embed='m'/></p:blipFill></p:pic><p:pic><p:nvPicPr><p:cNvPr name=''/></p:nvPicPr></p:pic>"
    ));
    let notes = slide(&shape("<p:ph type='body'/>", 0, &["Say this."]));
    let main = "<p:presentation xmlns:p='p' xmlns:r='r'><p:sldIdLst><p:sldId r:id='b'/><p:sldId r:id='a'/></p:sldIdLst></p:presentation>";
    let slides = relations(&[("a", "slide", "slides/2.xml", false), ("b", "slide", "slides/1.xml", false)]);
    let noted = relations(&[("n", "notesSlide", "../notes/1.xml", false)]);
    let media = relations(&[("m", "image", "../media/image1.png", false)]);
    let root = root_relations("ppt/presentation.xml");
    let bytes = package(&[
        ("_rels/.rels", root.as_bytes()),
        ("ppt/presentation.xml", main.as_bytes()),
        ("ppt/_rels/presentation.xml.rels", slides.as_bytes()),
        ("ppt/slides/1.xml", one.as_bytes()),
        ("ppt/slides/2.xml", two.as_bytes()),
        ("ppt/slides/_rels/1.xml.rels", noted.as_bytes()),
        ("ppt/slides/_rels/2.xml.rels", media.as_bytes()),
        ("ppt/notes/1.xml", notes.as_bytes()),
    ]);
    let found = convert("a.pptx", bytes, None);
    let expected = "<!-- Slide number: 1 -->\n\n# The title\n\nabove\n\nbelow\n\n### Notes:\nSay this.\n\n\
        <!-- Slide number: 2 -->\n\n| h |\n| --- |\n| v |\n\n![A duck](Picture4.jpg)\n";
    assert_eq!(found.markdown, expected);
    let slides: Vec<u32> = found.anchors.iter().map(|anchor| anchor.place.number).collect();
    assert_eq!(slides, [1, 2]);
}

#[test]
fn workbooks_have_a_table_for_each_sheet_within_the_limits() {
    let book = "<workbook xmlns:r='r'><sheets><sheet name='First' sheetId='1' r:id='a'/><sheet name='Second' sheetId='2' r:id='b'/></sheets></workbook>";
    let targets =
        relations(&[("a", "worksheet", "worksheets/1.xml", false), ("b", "worksheet", "worksheets/2.xml", false)]);
    let sheet = |rows: u32| {
        let rows: String = (1..=rows)
            .map(|row| {
                format!("<row r='{row}'><c r='B{row}'><v>{row}.5</v></c><c r='D{row}' t='str'><v>d{row}</v></c></row>")
            })
            .collect();
        format!("<worksheet><sheetData>{rows}</sheetData></worksheet>")
    };
    let (small, large) = (sheet(2), sheet(50));
    let root = root_relations("xl/workbook.xml");
    let bytes = package(&[
        ("_rels/.rels", root.as_bytes()),
        ("xl/workbook.xml", book.as_bytes()),
        ("xl/_rels/workbook.xml.rels", targets.as_bytes()),
        ("xl/worksheets/1.xml", small.as_bytes()),
        ("xl/worksheets/2.xml", large.as_bytes()),
    ]);
    let limits = Limits { rows_head: 1, rows_tail: 2, columns: 2, ..Limits::default() };
    let found = convert("a.xlsx", bytes, Some(&limits));
    let expected = "## First\n| 1.5 |  |\n| --- | --- |\n| 2.5 |  |\n\n## Second\n| 1.5 |  |\n| --- | --- |\n| 2.5 |  |\n\
        | ... [46 rows not shown] | ... |\n| 49.5 |  |\n| 50.5 |  |\n";
    assert_eq!(found.markdown, expected, "{:?}", found.notes);
    let shown = "First: columns: 2 of 3, Second: columns: 2 of 3, Second: rows: 3 of 49";
    assert_eq!(shown_line(&found.shown), shown);
    let sheets: Vec<_> = found.anchors.iter().filter_map(|anchor| anchor.place.name.clone()).collect();
    assert_eq!(sheets, ["First", "Second"]);
}

#[test]
fn books_follow_their_spine() {
    let container = "<container><rootfiles><rootfile full-path='OPS/book.opf'/></rootfiles></container>";
    let book = "<package xmlns:dc='dc'><metadata><dc:title>T &amp; U</dc:title><dc:creator>A</dc:creator><dc:creator>B</dc:creator></metadata>
        <manifest><item id='x' href='x%20y.xhtml'/><item id='z' href='z.xhtml'/><item id='q' href='gone.xhtml'/></manifest>
        <spine><itemref idref='z'/><itemref idref='x'/><itemref idref='q'/></spine></package>";
    let bytes = package(&[
        ("META-INF/container.xml", container.as_bytes()),
        ("OPS/book.opf", book.as_bytes()),
        ("OPS/x y.xhtml", b"<html><body><h2>Later</h2><p>x</p></body></html>"),
        ("OPS/z.xhtml", b"<html><head><title>Sooner</title></head><body><p>z</p></body></html>"),
    ]);
    let found = convert("a.epub", bytes, None);
    assert_eq!(found.markdown, "**Title:** T & U\n**Authors:** A, B\n\nz\n\n## Later\n\nx\n\n");
    let chapters: Vec<_> =
        found.anchors.iter().map(|anchor| (anchor.place.number, anchor.place.name.as_deref())).collect();
    assert_eq!(chapters, [(1, Some("Sooner")), (2, Some("Later")), (3, None)]);
    assert!(found.notes.iter().any(|note| note.message.contains("missing")));
}

#[test]
fn notebooks_show_code_and_what_it_printed() {
    let text = r##"{"cells":[{"cell_type":"markdown","source":["# T\n","x"]},
        {"cell_type":"code","source":"1+1","outputs":[{"data":{"text/plain":["2"],"image/png":"AAAA"}}]}],
        "metadata":{"language_info":{"name":"python"}},"nbformat":4}"##;
    let found = convert("a.ipynb", text.as_bytes().to_vec(), None);
    assert_eq!(found.markdown, "# T\nx\n\n```python\n1+1\n```\n\n```\n2\n```\n\n(not shown: image/png)\n");
}

#[test]
fn feeds_have_a_heading_for_each_entry() {
    let text = "<rss><channel><title>F</title><description>About &lt;b&gt;it&lt;/b&gt;</description>
        <item><title>One</title><pubDate>May</pubDate><description><![CDATA[<p>a</p><p>b</p>]]></description></item></channel></rss>";
    let found = convert("a.xml", text.as_bytes().to_vec(), None);
    assert_eq!(found.markdown, "# F\n\nAbout **it**\n\n## One\n\nPublished on: May\n\na\n\nb\n");
}

#[test]
fn what_a_feed_says_is_text_stays_text() {
    let text = "<feed xmlns='a'><title type='html'>A &lt;i&gt;F&lt;/i&gt;</title><entry><title>x &lt; y</title>
        <updated>May</updated><summary>use &lt;id&gt; <![CDATA[& <b>]]></summary>
        <content type='xhtml'><div><b>c</b></div></content></entry></feed>";
    let found = convert("a.atom", text.as_bytes().to_vec(), None);
    assert_eq!(found.markdown, "# A *F*\n\n## x < y\n\nUpdated on: May\n\nuse <id> & <b>\n\n**c**\n");
}

#[test]
fn archives_hold_documents_of_every_kind() {
    let inner = docx("<w:p><w:r><w:t>word</w:t></w:r></w:p>", &[]);
    let bytes = package(&[("a.csv", b"x,y\n1,2\n"), ("b/c.docx", &inner), ("d.bin", &[0, 1, 2, 3])]);
    let found = convert("all.zip", bytes, None);
    let expected =
        "## File: a.csv\n| x | y |\n| --- | --- |\n| 1 | 2 |\n\n## File: b/c.docx\n\nword\n\n## File: d.bin\n";
    assert_eq!(found.markdown, expected);
    assert!(found.notes.iter().any(|note| note.place.as_ref().is_some_and(|place| place.number == 3)));
}

#[test]
fn packed_files_are_opened_in_passing() {
    use std::io::Write;
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    gzip.write_all(b"a,b\n1,2\n").unwrap();
    let mut bzip = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
    bzip.write_all(b"a,b\n1,2\n").unwrap();
    let table = "| a | b |\n| --- | --- |\n| 1 | 2 |\n";
    assert_eq!(convert("t.csv.gz", gzip.finish().unwrap(), None).markdown, table);
    assert_eq!(convert("t.csv.bz2", bzip.finish().unwrap(), None).markdown, table);
}

#[test]
fn a_wrong_extension_is_said_and_seen_through() {
    let bytes = docx("<w:p><w:r><w:t>word</w:t></w:r></w:p>", &[("[Content_Types].xml", b"<Types/>")]);
    let found = convert("table.csv", bytes, None);
    assert_eq!((found.format.as_str(), found.markdown.as_str()), ("docx", "word\n"));
    assert!(found.notes.iter().any(|note| note.message.contains("whatever its name says")), "{:?}", found.notes);
    let found = convert("page.pdf", b"<!DOCTYPE html><p>x".to_vec(), None);
    assert_eq!((found.format.as_str(), found.markdown.as_str()), ("html", "x\n"));
}

#[test]
fn a_wrong_extension_among_zips_is_seen_through() {
    let body = "<w:p><w:r><w:t>word</w:t></w:r></w:p>";
    let word = || docx(body, &[("[Content_Types].xml", b"<Types/>")]);
    let book = |kind: &str| {
        let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
        let stored = zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
        zip.start_file("mimetype", stored).unwrap();
        std::io::Write::write_all(&mut zip, kind.as_bytes()).unwrap();
        zip.start_file("a.xhtml", stored).unwrap();
        std::io::Write::write_all(&mut zip, b"<html><body><p>leaf</p></body></html>").unwrap();
        zip.finish().unwrap().into_inner()
    };
    for name in ["a.pptx", "a.xlsx", "a.ods", "a.epub", "a.zip"] {
        let found = convert(name, word(), None);
        assert_eq!((found.format.as_str(), found.markdown.as_str()), ("docx", "word\n"), "{name}");
        assert!(found.notes.iter().any(|note| note.message.contains("whatever its name says")), "{:?}", found.notes);
    }
    assert_eq!(convert("a.docx", book("application/epub+zip"), None).markdown, "leaf\n");
    let unread = convert("a.docx", book("application/vnd.oasis.opendocument.text"), None);
    assert_eq!(unread.notes[0].message, "nothing here reads this kind of file: OpenDocument text");
    // What says nothing of itself is what its name says.
    assert_eq!(convert("a.docx", docx(body, &[]), None).markdown, "word\n");
    assert_eq!(convert("a.xls", b"a\tb\n1\t2\n".to_vec(), None).markdown, "| a | b |\n| --- | --- |\n| 1 | 2 |\n");
}

#[test]
fn an_entry_s_markup_is_read_as_it_stands() {
    let feed = r#"<feed xmlns="http://www.w3.org/2005/Atom"><title>F</title><entry><title type="xhtml"><div>One</div></title>
        <author><name>nobody</name></author><link href="https://a.example/"/>
        <content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>a &lt; b, <b>bold</b> and <a href="c">d</a><br/>e</p></div></content>
        </entry></feed>"#;
    let found = convert("a.atom", feed.into(), None);
    assert_eq!(found.markdown, "# F\n\n## One\n\n<https://a.example/>\n\na < b, **bold** and [d](c)  \ne\n");
}

/// A PDF of pages whose text is turned against the page or not.
fn pdf(turns: &[u32]) -> Vec<u8> {
    let count = turns.len();
    let kids: Vec<String> = (0..count).map(|page| format!("{} 0 R", 4 + 2 * page)).collect();
    let mut objects = vec![
        "<</Type/Catalog/Pages 2 0 R>>".to_owned(),
        format!("<</Type/Pages/Count {count}/Kids[{}]>>", kids.join(" ")),
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>".to_owned(),
    ];
    for (page, turn) in turns.iter().enumerate() {
        let text = format!("BT /F1 12 Tf 72 700 Td (Words of page {} stand here.) Tj ET", page + 1);
        objects.push(format!(
            "<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Rotate {turn}/Resources<</Font<</F1 3 0 R>>>>/Contents {} 0 R>>",
            5 + 2 * page
        ));
        objects.push(format!("<</Length {}>>\nstream\n{text}\nendstream", text.len()));
    }
    let (mut bytes, mut places) = (b"%PDF-1.4\n".to_vec(), Vec::new());
    for (number, object) in (1..).zip(&objects) {
        places.push(bytes.len());
        bytes.extend(format!("{number} 0 obj\n{object}\nendobj\n").bytes());
    }
    let start = bytes.len();
    bytes.extend(format!("xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1).bytes());
    for place in places {
        bytes.extend(format!("{place:010} 00000 n \n").bytes());
    }
    bytes.extend(format!("trailer<</Size {}/Root 1 0 R>>\nstartxref\n{start}\n%%EOF\n", objects.len() + 1).bytes());
    bytes
}

#[test]
fn turned_pages_lose_no_text() {
    let found = convert("a.pdf", pdf(&[0, 90, 180, 270]), None);
    for page in 1..=4 {
        assert!(found.markdown.contains(&format!("Words of page {page} stand here.")), "{found:?}");
    }
    assert_eq!(found.anchors.len(), 4);
    assert!(!found.notes.iter().any(|note| note.message.contains("without text")), "{:?}", found.notes);
}
