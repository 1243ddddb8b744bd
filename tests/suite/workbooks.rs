//! Workbooks as programs write them that work nothing out.

use windowpane::document::{Limits, shown_line};

use crate::packages::{convert, package, relations, root_relations};

#[test]
fn formulas_without_a_result_are_told() {
    let book = "<workbook xmlns:r='r'><sheets><sheet name='Sums' sheetId='1' r:id='a'/></sheets></workbook>";
    let sheet = "<worksheet><sheetData>\
        <row r='1'><c r='A1'><v>1</v></c><c r='B1'><f>A1*2</f></c><c r='C1'><f>A1*2</f><v/></c></row>\
        <row r='2'><c r='A2'><v>2</v></c><c r='B2' s='1'/><c r='C2'><f>A2*3</f><v>6</v></c></row>\
        <row r='3'><c r='A3'><f t='shared' ref='A3:A4' si='0'>A1+1</f></c><c r='B3' t='str'><f>T(A1)</f><v></v></c></row>\
        <row r='4'><c r='A4'><f t='shared' si='0'/></c></row></sheetData></worksheet>";
    let bytes = package(&[
        ("_rels/.rels", root_relations("xl/workbook.xml").as_bytes()),
        ("xl/workbook.xml", book.as_bytes()),
        ("xl/_rels/workbook.xml.rels", relations(&[("a", "worksheet", "worksheets/1.xml", false)]).as_bytes()),
        ("xl/worksheets/1.xml", sheet.as_bytes()),
    ]);
    let found = convert("a.xlsx", bytes, None);
    assert_eq!(found.markdown, "## Sums\n| 1 |  |  |\n| --- | --- | --- |\n| 2 |  | 6 |\n");
    let notes: Vec<&str> = found.notes.iter().map(|note| note.message.as_str()).collect();
    assert_eq!(notes, ["4 of its cells are empty here: they hold formulas whose results are not stored"]);
}

#[test]
fn formulas_of_an_ods_without_a_result_are_told() {
    let cell = |of: &str, text: &str| format!("<table:table-cell {of}>{text}</table:table-cell>");
    let rows = [
        cell("office:value-type='float' office:value='1' table:formula='of:=1'", "<text:p>1</text:p>"),
        cell("table:formula='of:=[.A1]*2'", ""),
        cell("table:formula='of:=T([.A1])' office:value-type='string'", "<text:p/>"),
        cell("table:formula='of:=[.A1]*3' office:value-type='float' office:value='3'", ""),
    ];
    let content = format!(
        "<o xmlns:office='o' xmlns:table='t' xmlns:text='x'><table:table table:name='Sums'><table:table-row>{}\
         </table:table-row></table:table></o>",
        rows.concat()
    );
    let bytes = package(&[
        ("mimetype", b"application/vnd.oasis.opendocument.spreadsheet"),
        ("content.xml", content.as_bytes()),
        ("META-INF/manifest.xml", b"<manifest></manifest>"),
    ]);
    let found = convert("a.ods", bytes, None);
    assert_eq!(found.markdown, "## Sums\n| 1 |  |  | 3 |\n| --- | --- | --- | --- |\n");
    let notes: Vec<&str> = found.notes.iter().map(|note| note.message.as_str()).collect();
    assert_eq!(notes, ["1 of its cells is empty here: it holds a formula whose result is not stored"]);
}

#[test]
fn texts_drawn_on_an_ods_sheet_and_its_comments_stand_below_its_cells_and_what_was_deleted_does_not() {
    let text = |text: &str| format!("<table:table-cell office:value-type='string'><text:p>{text}</text:p>");
    let note = |words: &str| format!("<office:annotation><dc:creator>Ann</dc:creator>{words}</office:annotation>");
    let boxed =
        |words: &str| format!("<draw:frame><draw:text-box><text:p>{words}</text:p></draw:text-box></draw:frame>");
    let deleted = "<table:tracked-changes><table:deletion><table:deletions><table:cell-content-deletion>\
        <table:change-track-table-cell office:value-type='string'><text:p>deleted</text:p></table:change-track-table-cell>\
        </table:cell-content-deletion></table:deletions></table:deletion></table:tracked-changes>";
    let rows = [
        format!(
            "<table:table-row table:number-rows-repeated='2'><table:table-cell table:number-columns-repeated='27'/>{}\
             </table:table-cell></table:table-row>",
            text("x")
        ),
        format!(
            "<table:table-row>{}{}</table:table-cell><table:table-cell table:number-columns-repeated='26'/>\
             <table:table-cell>{}{}</table:table-cell></table:table-row>",
            text("y"),
            note("<text:p>One &amp;</text:p><text:p>two<text:s text:c='2'/>three</text:p>"),
            note("<text:p># far</text:p>"),
            boxed("in <text:span>a</text:span> cell")
        ),
    ];
    let content = format!(
        "<o xmlns:office='o' xmlns:table='t' xmlns:text='x' xmlns:draw='d' xmlns:dc='c'>{deleted}\
         <table:table table:name='Plan'><table:shapes>{}<draw:g><draw:rect/><draw:custom-shape><text:p/>\
         <text:p># shape</text:p></draw:custom-shape></draw:g></table:shapes>{}</table:table>\
         <table:table table:name='Drawn'><table:shapes>{}</table:shapes></table:table></o>",
        boxed("A box"),
        rows.concat(),
        boxed("alone")
    );
    let bytes = package(&[
        ("mimetype", b"application/vnd.oasis.opendocument.spreadsheet"),
        ("content.xml", content.as_bytes()),
        ("META-INF/manifest.xml", b"<manifest></manifest>"),
    ]);
    let found = convert("a.ods", bytes, None);
    let (_, below) = found.markdown.split_once("| y |").unwrap();
    let (_, below) = below.split_once('\n').unwrap();
    assert_eq!(
        below,
        "\nA box\n\n\\# shape\n\nin a cell\n\n**Comments**\n\n- A3: One &\n  two  three\n- AB3: \\# far\n\n## Drawn\n\nalone\n",
        "{:?}",
        found.notes
    );
    assert!(!found.markdown.contains("deleted") && !found.markdown.contains("Ann"), "{}", found.markdown);
}

#[test]
fn blank_rows_are_told_by_their_sheet() {
    let book = "<workbook xmlns:r='r'><sheets><sheet name='One' sheetId='1' r:id='a'/>\
        <sheet name='Two' sheetId='2' r:id='b'/></sheets></workbook>";
    let sheet = |rows: &[u32]| {
        let rows: String =
            rows.iter().map(|row| format!("<row r='{row}'><c r='A{row}'><v>{row}</v></c></row>")).collect();
        format!("<worksheet><sheetData>{rows}</sheetData></worksheet>")
    };
    let links =
        relations(&[("a", "worksheet", "worksheets/1.xml", false), ("b", "worksheet", "worksheets/2.xml", false)]);
    let parts = [
        ("_rels/.rels", root_relations("xl/workbook.xml")),
        ("xl/workbook.xml", book.to_owned()),
        ("xl/_rels/workbook.xml.rels", links),
        ("xl/worksheets/1.xml", sheet(&[3, 4, 6, 1_048_576])),
        ("xl/worksheets/2.xml", sheet(&[1, 2])),
    ];
    let parts: Vec<(&str, &[u8])> = parts.iter().map(|(name, text)| (*name, text.as_bytes())).collect();
    for limits in [None, Some(Limits { rows_head: 1, rows_tail: 1, ..Limits::default() })] {
        let found = convert("a.xlsx", package(&parts), limits.as_ref());
        let rows = if limits.is_some() { "One: rows: 2 of 3, " } else { "" };
        // What stands above the first row is left out as columns before the first are.
        assert_eq!(shown_line(&found.shown), format!("{rows}One: 1048570 blank rows left out"));
    }
}

#[test]
fn comments_on_cells_stand_below_their_sheet() {
    let book = "<workbook xmlns:r='r'><sheets><sheet name='Plan' sheetId='1' r:id='a'/>\
        <sheet name='Rest' sheetId='2' r:id='b'/></sheets></workbook>";
    let sheet =
        "<worksheet><sheetData><row r='1'><c r='A1'><v>1</v></c><c r='B1'><v>2</v></c></row></sheetData></worksheet>";
    // What is a conversation stands in the old form once more.
    let old = "<comments><authors><author>Ann</author></authors><commentList>\
        <comment ref='B10' authorId='0'><text><r><t>Ann:</t></r><r><t xml:space='preserve'>\n see R&amp;D</t></r></text></comment>\
        <comment ref='A1' authorId='0'><text><t>[Threaded comment] In other words.</t></text></comment>\
        <comment ref='B2' authorId='0'><text><t>\u{8a08}\u{753b}</t><rPh sb='0' eb='2'><t>x</t></rPh></text></comment>\
        </commentList></comments>";
    let new = "<ThreadedComments><threadedComment ref='A1' id='1'><text>Why one?</text></threadedComment>\
        <threadedComment ref='A1' id='2' parentId='1'><text>It was two.</text></threadedComment></ThreadedComments>";
    let of_sheet = relations(&[
        ("r1", "comments", "../comments1.xml", false),
        ("r2", "threadedComment", "../threadedComments/threadedComment1.xml", false),
    ]);
    let sheets =
        relations(&[("a", "worksheet", "worksheets/1.xml", false), ("b", "worksheet", "worksheets/2.xml", false)]);
    let bytes = package(&[
        ("_rels/.rels", root_relations("xl/workbook.xml").as_bytes()),
        ("xl/workbook.xml", book.as_bytes()),
        ("xl/_rels/workbook.xml.rels", sheets.as_bytes()),
        ("xl/worksheets/1.xml", sheet.as_bytes()),
        ("xl/worksheets/2.xml", sheet.as_bytes()),
        ("xl/worksheets/_rels/1.xml.rels", of_sheet.as_bytes()),
        ("xl/comments1.xml", old.as_bytes()),
        ("xl/threadedComments/threadedComment1.xml", new.as_bytes()),
    ]);
    let table = "| 1 | 2 |\n| --- | --- |\n";
    let comments = "- A1: Why one?\n- A1: It was two.\n- B2: \u{8a08}\u{753b}\n- B10: Ann:\n  see R&D\n";
    let found = convert("a.xlsx", bytes, None);
    assert_eq!(found.markdown, format!("## Plan\n{table}\n**Comments**\n\n{comments}\n## Rest\n{table}"));
    assert!(found.notes.is_empty(), "{:?}", found.notes);
}

#[test]
fn sheets_whose_cells_repeat_without_end_are_shown_as_far_as_they_can_be_held() {
    let cell = |repeats: &str, text: &str| {
        format!("<table:table-cell {repeats} office:value-type='string'><text:p>{text}</text:p></table:table-cell>")
    };
    let row = |repeats: &str, cells: &str| format!("<table:table-row {repeats}>{cells}</table:table-row>");
    let endless = row("table:number-rows-repeated=\"1048576\"", &cell("table:number-columns-repeated=\"16384\"", "x"));
    let plain = row("", &format!("{}{}", cell("", "name"), cell("", "size")));
    let content = format!(
        "<o xmlns:office='o' xmlns:table='t' xmlns:text='x'><table:table table:name='Endless'>{plain}{endless}\
         </table:table><table:table table:name='Plain'>{plain}{plain}</table:table></o>"
    );
    let bytes = package(&[
        ("mimetype", b"application/vnd.oasis.opendocument.spreadsheet"),
        ("content.xml", content.as_bytes()),
        ("META-INF/manifest.xml", b"<manifest></manifest>"),
    ]);
    let found = convert("a.ods", bytes, Some(&Limits::default()));
    assert!(found.markdown.starts_with("## Endless\n| name | size |"), "{}", found.markdown);
    assert!(found.markdown.ends_with("## Plain\n| name | size |\n| --- | --- |\n| name | size |\n"));
    let said = |words: &str| found.notes.iter().any(|note| note.message.contains(words));
    assert!(said("no more than 10,000 rows and 500 columns"), "{:?}", found.notes);
}

#[test]
fn parts_that_end_early_take_no_others_with_them() {
    let book = "<workbook xmlns:r='r'><sheets><sheet name='Plan' sheetId='1' r:id='a'/></sheets></workbook>";
    let sheet = "<worksheet><sheetData><row r='1'><c r='A1' s='1'><v>1</v></c><c r='B1' t='s'><v>0</v></c>\
        <c r='C1' t='s'><v>1</v></c></row></sheetData></worksheet>";
    let styles = "<styleSheet><cellXfs count='2'><xf numFmtId='0'/><xf numFmtId='14'/></cellXfs></styleSheet>";
    let texts = "<sst><si><t>kept</t></si><si><t>lost</t></si></sst>";
    let links = relations(&[
        ("a", "worksheet", "worksheets/1.xml", false),
        ("b", "styles", "styles.xml", false),
        ("c", "sharedStrings", "sharedStrings.xml", false),
    ]);
    let half = |text: &str, at: &str| text.split_once(at).unwrap().0.to_owned();
    for (styles, texts, part) in [
        (half(styles, "numFmtId='14'"), texts.to_owned(), "xl/styles.xml"),
        (styles.to_owned(), half(texts, "lost"), "xl/sharedStrings.xml"),
    ] {
        let bytes = package(&[
            ("_rels/.rels", root_relations("xl/workbook.xml").as_bytes()),
            ("xl/workbook.xml", book.as_bytes()),
            ("xl/_rels/workbook.xml.rels", links.as_bytes()),
            ("xl/worksheets/1.xml", sheet.as_bytes()),
            ("xl/styles.xml", styles.as_bytes()),
            ("xl/sharedStrings.xml", texts.as_bytes()),
        ]);
        let found = convert("a.xlsx", bytes, None);
        assert!(found.markdown.contains("kept"), "{part}: {} {:?}", found.markdown, found.notes);
        assert!(found.notes.iter().any(|note| note.message.contains(part)), "{part}: {:?}", found.notes);
    }
    let row = |text: &str| {
        format!(
            "<table:table-row><table:table-cell office:value-type='string'><text:p>{text}</text:p></table:table-cell></table:table-row>"
        )
    };
    let whole = format!(
        "<office:document-content xmlns:office='o' xmlns:table='t' xmlns:text='x'><office:body><office:spreadsheet>\
         <table:table table:name='Plan'>{}{}</table:table></office:spreadsheet></office:body></office:document-content>",
        row("one"),
        row("two")
    );
    for (cut, kept) in [("two", "| one |\n| --- |\n"), ("</table:table>", "| one |\n| --- |\n| two |\n")] {
        let bytes = package(&[
            ("mimetype", b"application/vnd.oasis.opendocument.spreadsheet"),
            ("content.xml", half(&whole, cut).as_bytes()),
            ("META-INF/manifest.xml", b"<manifest></manifest>"),
        ]);
        let found = convert("a.ods", bytes, None);
        assert_eq!(found.markdown, format!("## Plan\n{kept}"), "{:?}", found.notes);
        assert!(found.notes.iter().any(|note| note.message.contains("content.xml")), "{:?}", found.notes);
    }
}

#[test]
fn what_is_drawn_on_a_sheet_stands_below_its_cells_and_hidden_sheets_are_marked() {
    let book = "<workbook xmlns:r='r'><sheets><sheet name='Plan' sheetId='1' state='visible' r:id='a'/>\
        <sheet name='Trend' sheetId='2' r:id='b'/><sheet name='Rest' sheetId='3' state='veryHidden' r:id='c'/>\
        </sheets></workbook>";
    let sheet = "<worksheet><sheetData><row r='1'><c r='A1'><v>1</v></c></row></sheetData></worksheet>";
    let point = |text: &str| format!("<c:pt idx='0'><c:v>{text}</c:v></c:pt>");
    let chart = |title: &str| {
        format!(
            "<c:chartSpace><c:chart><c:title><a:p><a:r><a:t>{title}</a:t></a:r></a:p></c:title><c:plotArea><c:ser>\
             <c:cat>{}</c:cat><c:val>{}</c:val></c:ser></c:plotArea></c:chart></c:chartSpace>",
            point("Q1"),
            point("3")
        )
    };
    let frame = "<xdr:graphicFrame><a:graphic><a:graphicData><c:chart r:id='c'/></a:graphicData></a:graphic></xdr:graphicFrame>";
    let boxed = "<xdr:sp><xdr:nvSpPr><xdr:cNvPr id='9' name='TextBox'/></xdr:nvSpPr><xdr:txBody>\
        <a:p><a:r><a:t>Growth of 3 percent</a:t></a:r></a:p></xdr:txBody></xdr:sp>";
    let drawing =
        |inner: &str| format!("<xdr:wsDr xmlns:xdr='x' xmlns:a='a' xmlns:c='c' xmlns:r='r'>{inner}</xdr:wsDr>");
    let anchor = |inner: &str| {
        format!(
            "<xdr:oneCellAnchor><xdr:from><xdr:col>4</xdr:col></xdr:from>{inner}<xdr:clientData/></xdr:oneCellAnchor>"
        )
    };
    let (one, two) = (drawing(&(anchor(frame) + &anchor(boxed))), drawing(&anchor(frame)));
    let sheets = relations(&[
        ("a", "worksheet", "worksheets/1.xml", false),
        ("b", "chartsheet", "chartsheets/1.xml", false),
        ("c", "worksheet", "worksheets/2.xml", false),
    ]);
    let to = |kind: &'static str, target: &'static str| relations(&[("c", kind, target, false)]);
    let bytes = package(&[
        ("_rels/.rels", root_relations("xl/workbook.xml").as_bytes()),
        ("xl/workbook.xml", book.as_bytes()),
        ("xl/_rels/workbook.xml.rels", sheets.as_bytes()),
        ("xl/worksheets/1.xml", sheet.as_bytes()),
        ("xl/worksheets/2.xml", sheet.as_bytes()),
        ("xl/chartsheets/1.xml", b"<chartsheet><drawing r:id='c'/></chartsheet>"),
        ("xl/worksheets/_rels/1.xml.rels", to("drawing", "../drawings/drawing1.xml").as_bytes()),
        ("xl/chartsheets/_rels/1.xml.rels", to("drawing", "../drawings/drawing2.xml").as_bytes()),
        ("xl/drawings/drawing1.xml", one.as_bytes()),
        ("xl/drawings/drawing2.xml", two.as_bytes()),
        ("xl/drawings/_rels/drawing1.xml.rels", to("chart", "../charts/chart1.xml").as_bytes()),
        ("xl/drawings/_rels/drawing2.xml.rels", to("chart", "../charts/chart2.xml").as_bytes()),
        ("xl/charts/chart1.xml", chart("Sales").as_bytes()),
        ("xl/charts/chart2.xml", chart("Years").as_bytes()),
    ]);
    let found = convert("a.xlsx", bytes, None);
    let cells = "| 1 |\n| --- |\n";
    let figures = "| Category |  |\n| --- | --- |\n| Q1 | 3 |\n";
    let expected = format!(
        "## Plan\n{cells}\n### Chart: Sales\n\n{figures}\nGrowth of 3 percent\n\n\
         ## Trend\n\n### Chart: Years\n\n{figures}\n## Rest\n\n*Hidden sheet*\n\n{cells}"
    );
    assert_eq!(found.markdown, expected);
    assert!(found.notes.is_empty(), "{:?}", found.notes);
    assert_eq!(found.fact("sheets"), Some("3"));
}

#[test]
fn hidden_slides_are_marked() {
    let slide = |show: &str, text: &str| {
        format!(
            "<p:sld xmlns:p='p' xmlns:a='a'{show}><p:sp><p:txBody><a:p><a:r><a:t>{text}</a:t></a:r></a:p></p:txBody></p:sp></p:sld>"
        )
    };
    let main = "<p:presentation xmlns:p='p' xmlns:r='r'><p:sldIdLst><p:sldId r:id='a'/><p:sldId r:id='b'/></p:sldIdLst></p:presentation>";
    let slides = relations(&[("a", "slide", "slides/1.xml", false), ("b", "slide", "slides/2.xml", false)]);
    let bytes = package(&[
        ("_rels/.rels", root_relations("ppt/presentation.xml").as_bytes()),
        ("ppt/presentation.xml", main.as_bytes()),
        ("ppt/_rels/presentation.xml.rels", slides.as_bytes()),
        ("ppt/slides/1.xml", slide(" show='1'", "one").as_bytes()),
        ("ppt/slides/2.xml", slide(" show='0'", "two").as_bytes()),
    ]);
    let expected = "<!-- Slide number: 1 -->\n\none\n\n<!-- Slide number: 2 -->\n\n*Hidden slide*\n\ntwo\n";
    assert_eq!(convert("a.pptx", bytes, None).markdown, expected);
}
