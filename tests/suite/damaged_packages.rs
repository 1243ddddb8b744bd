//! Office documents and books of which a part is damaged: what does not need it is shown, and the part is named.

use windowpane::document::Conversion;

use crate::packages::{convert, docx, package, relations, root_relations, spreadsheet};

/// How much of a part is spoilt.
#[derive(Clone, Copy, Debug)]
enum Spoilt {
    /// From its first byte on.
    All,
    /// From its middle on.
    Half,
    /// Its checksum alone.
    Sum,
}

/// Spoils a part of a package, in its place.
fn spoil(mut zip: Vec<u8>, name: &str, how: Spoilt) -> Vec<u8> {
    let find =
        |from: usize| zip[from..].windows(name.len()).position(|part| part == name.as_bytes()).map(|at| from + at);
    let mut at = find(0).unwrap();
    // Where a name is a part of another's, it stands where its length says so.
    while usize::from(u16::from_le_bytes([zip[at - 4], zip[at - 3]])) != name.len() || zip[at - 30..at - 28] != *b"PK" {
        at = find(at + 1).unwrap();
    }
    let head = at - 30;
    let number = |at: usize| u32::from_le_bytes(zip[at..at + 4].try_into().unwrap()) as usize;
    let size = number(head + 18);
    let data = at + name.len() + usize::from(u16::from_le_bytes([zip[head + 28], zip[head + 29]]));
    match how {
        Spoilt::All => zip[data..data + size].fill(0xFF),
        Spoilt::Half => zip[data + size / 2..data + size].fill(0xFF),
        Spoilt::Sum => {
            let list = zip.windows(4).position(|mark| mark == b"PK\x01\x02").unwrap();
            let mut entry =
                zip[list..].windows(name.len()).position(|part| part == name.as_bytes()).unwrap() + list - 46;
            while !(zip[entry..].starts_with(b"PK\x01\x02")
                && usize::from(u16::from_le_bytes([zip[entry + 28], zip[entry + 29]])) == name.len())
            {
                let next = entry + 47;
                entry = zip[next..].windows(name.len()).position(|part| part == name.as_bytes()).unwrap() + next - 46;
            }
            zip[entry + 16] ^= 0xFF;
        }
    }
    zip
}

fn says(found: &Conversion, words: &str) {
    assert!(found.notes.iter().any(|note| note.message.contains(words)), "{words:?} not in {:?}", found.notes);
}

/// A Word document with a part of every kind beside its text.
fn document() -> Vec<u8> {
    let item = "<w:p><w:pPr><w:numPr><w:ilvl w:val='0'/><w:numId w:val='1'/></w:numPr></w:pPr><w:r><w:t>Item</w:t></w:r></w:p>";
    let heading = "<w:p><w:pPr><w:pStyle w:val='Big'/></w:pPr><w:r><w:t>Heading</w:t></w:r></w:p>";
    let noted = "<w:p><w:r><w:t>Noted</w:t><w:footnoteReference w:id='1'/></w:r></w:p>";
    let words: String =
        (0..200).map(|at| format!("<w:p><w:r><w:t>Words {at} of {}</w:t></w:r></w:p>", at * 7919)).collect();
    let rows = ["styles", "numbering", "footnotes", "comments"].map(|kind| (kind, format!("{kind}.xml")));
    let rows: Vec<_> = rows.iter().map(|(kind, part)| (*kind, *kind, part.as_str(), false)).collect();
    let links = relations(&rows);
    let styles = "<w:styles xmlns:w='w'><w:style w:styleId='Big'><w:name w:val='heading 1'/></w:style></w:styles>";
    let numbering = "<w:numbering xmlns:w='w'><w:abstractNum w:abstractNumId='0'><w:lvl w:ilvl='0'>\
        <w:numFmt w:val='decimal'/></w:lvl></w:abstractNum><w:num w:numId='1'><w:abstractNumId w:val='0'/></w:num></w:numbering>";
    let note = |kind: &str, text: &str| {
        format!(
            "<w:{kind}s xmlns:w='w'><w:{kind} w:id='1'><w:p><w:r><w:t>{text}</w:t></w:r></w:p></w:{kind}></w:{kind}s>"
        )
    };
    let (footnotes, comments) = (note("footnote", "Words below"), note("comment", "Words beside"));
    let core = "<c:coreProperties xmlns:c='c' xmlns:d='d'><d:title>Title</d:title></c:coreProperties>";
    let parts: [(&str, &[u8]); 6] = [
        ("word/_rels/document.xml.rels", links.as_bytes()),
        ("word/styles.xml", styles.as_bytes()),
        ("word/numbering.xml", numbering.as_bytes()),
        ("word/footnotes.xml", footnotes.as_bytes()),
        ("word/comments.xml", comments.as_bytes()),
        ("docProps/core.xml", core.as_bytes()),
    ];
    docx(&format!("{heading}{item}{noted}{words}"), &parts)
}

#[test]
fn a_word_document_lacks_only_what_its_damaged_part_held() {
    let whole = convert("a.docx", document(), None);
    assert!(whole.notes.is_empty(), "{:?}", whole.notes);
    let marks = ["# Heading", "1. Item", "[^1]: Words below", "* Words beside"];
    for mark in marks {
        assert!(whole.markdown.contains(mark), "{mark:?} not in {}", whole.markdown);
    }
    for (part, lost) in [
        ("word/styles.xml", Some("# Heading")),
        ("word/numbering.xml", Some("1. Item")),
        ("word/footnotes.xml", Some("[^1]: Words below")),
        ("word/comments.xml", Some("* Words beside")),
        ("docProps/core.xml", None),
        // What leads to parts is not needed where they are called as usual.
        ("_rels/.rels", None),
        ("word/_rels/document.xml.rels", None),
    ] {
        let found = convert("a.docx", spoil(document(), part, Spoilt::All), None);
        says(&found, part);
        for mark in marks {
            assert_eq!(found.markdown.contains(mark), lost != Some(mark), "{part}: {mark:?} in {}", found.markdown);
        }
        assert!(found.markdown.contains("Words 199 of"), "{part}: {}", found.markdown);
        // What can be read all the same is shown, and said to be doubtful.
        let found = convert("a.docx", spoil(document(), part, Spoilt::Sum), None);
        says(&found, part);
        assert_eq!(found.markdown, whole.markdown, "{part}");
    }
}

#[test]
fn a_damaged_text_is_shown_up_to_the_damage() {
    let found = convert("a.docx", spoil(document(), "word/document.xml", Spoilt::Half), None);
    assert!(found.markdown.contains("Words 20 of") && !found.markdown.contains("Words 199 of"), "{}", found.markdown);
    says(&found, "the text ends here");
    // The notes stand behind it all the same.
    assert!(found.markdown.contains("[^1]: Words below"), "{}", found.markdown);
}

#[test]
fn a_side_part_that_is_no_proper_xml_is_told() {
    let links = relations(&[("s", "styles", "styles.xml", false)]);
    let styles = "<w:styles xmlns:w='w'><w:style w:styleId='Big'><w:name w:val='x'/></w:style><!-- never";
    let parts: [(&str, &[u8]); 2] =
        [("word/_rels/document.xml.rels", links.as_bytes()), ("word/styles.xml", styles.as_bytes())];
    let found = convert("a.docx", docx("<w:p><w:r><w:t>word</w:t></w:r></w:p>", &parts), None);
    assert!(found.markdown.contains("word"));
    says(&found, "word/styles.xml is no proper XML");
}

/// A presentation whose slides stand in another order than their numbers.
fn presentation() -> Vec<u8> {
    let slide = |at: u32| {
        let texts: String = (0..40)
            .map(|line| {
                format!("<a:p><a:r><a:t>Line {line} of slide {at}: {}</a:t></a:r></a:p>", line * 7919 * at + 104_729)
            })
            .collect();
        format!(
            "<p:sld xmlns:a='a' xmlns:p='p'><p:cSld><p:spTree><p:sp><p:txBody>{texts}</p:txBody></p:sp></p:spTree></p:cSld></p:sld>"
        )
    };
    let ids: String = [3, 1, 2, 4].map(|at| format!("<p:sldId r:id='r{at}'/>")).concat();
    let main = format!("<p:presentation xmlns:p='p' xmlns:r='r'><p:sldIdLst>{ids}</p:sldIdLst></p:presentation>");
    let rows: Vec<(String, String)> = (1..5).map(|at| (format!("r{at}"), format!("slides/slide{at}.xml"))).collect();
    let rows: Vec<_> = rows.iter().map(|(id, to)| (id.as_str(), "slide", to.as_str(), false)).collect();
    let (links, root) = (relations(&rows), root_relations("ppt/presentation.xml"));
    let layout = relations(&[("l", "slideLayout", "../slideLayouts/slideLayout1.xml", false)]);
    let slides = [1, 2, 3, 4].map(|at| (format!("ppt/slides/slide{at}.xml"), slide(at)));
    let mut parts: Vec<(&str, &[u8])> = vec![
        ("_rels/.rels", root.as_bytes()),
        ("ppt/presentation.xml", main.as_bytes()),
        ("ppt/_rels/presentation.xml.rels", links.as_bytes()),
        ("ppt/slides/_rels/slide1.xml.rels", layout.as_bytes()),
        ("ppt/slideLayouts/slideLayout1.xml", b"<p:sldLayout xmlns:p='p'><p:cSld/></p:sldLayout>"),
    ];
    parts.extend(slides.iter().map(|(name, slide)| (name.as_str(), slide.as_bytes())));
    package(&parts)
}

#[test]
fn a_presentation_keeps_all_slides_whatever_is_damaged_of_it() {
    let whole = convert("a.pptx", presentation(), None);
    assert!(whole.notes.is_empty(), "{:?}", whole.notes);
    for (part, how) in [
        ("ppt/presentation.xml", Spoilt::All),
        ("ppt/presentation.xml", Spoilt::Half),
        ("ppt/_rels/presentation.xml.rels", Spoilt::All),
        ("ppt/slideLayouts/slideLayout1.xml", Spoilt::All),
        ("ppt/slides/_rels/slide1.xml.rels", Spoilt::All),
        ("_rels/.rels", Spoilt::All),
    ] {
        let found = convert("a.pptx", spoil(presentation(), part, how), None);
        says(&found, part);
        for slide in 1..5 {
            assert!(
                found.markdown.contains(&format!("Line 39 of slide {slide}")),
                "{part} {how:?}: {}",
                found.markdown
            );
        }
    }
}

#[test]
fn half_a_slide_is_shown_and_told_at_its_place() {
    let found = convert("a.pptx", spoil(presentation(), "ppt/slides/slide2.xml", Spoilt::Half), None);
    assert!(found.markdown.contains("Line 5 of slide 2") && !found.markdown.contains("Line 39 of slide 2"));
    assert!(found.markdown.contains("Line 39 of slide 4"), "{}", found.markdown);
    let note = found.notes.iter().find(|note| note.message.contains("ppt/slides/slide2.xml is damaged")).unwrap();
    assert_eq!(note.place.as_ref().map(|place| place.number), Some(3), "{note:?}");
}

#[test]
fn notes_are_shown_where_their_slide_is_lost() {
    let main = "<p:presentation xmlns:p='p' xmlns:r='r'><p:sldIdLst><p:sldId r:id='r1'/></p:sldIdLst></p:presentation>";
    let (links, root) =
        (relations(&[("r1", "slide", "slides/slide1.xml", false)]), root_relations("ppt/presentation.xml"));
    let of = relations(&[("r1", "slide", "../slides/slide1.xml", false)]);
    let notes = "<p:notes xmlns:a='a' xmlns:p='p'><p:cSld><p:spTree><p:sp><p:nvSpPr><p:nvPr><p:ph type='body'/></p:nvPr>\
        </p:nvSpPr><p:txBody><a:p><a:r><a:t>Say this</a:t></a:r></a:p></p:txBody></p:sp></p:spTree></p:cSld></p:notes>";
    let bytes = package(&[
        ("_rels/.rels", root.as_bytes()),
        ("ppt/presentation.xml", main.as_bytes()),
        ("ppt/_rels/presentation.xml.rels", links.as_bytes()),
        ("ppt/notesSlides/notesSlide7.xml", notes.as_bytes()),
        ("ppt/notesSlides/_rels/notesSlide7.xml.rels", of.as_bytes()),
    ]);
    let found = convert("a.pptx", bytes, None);
    assert_eq!(found.markdown, "<!-- Slide number: 1 -->\n\n### Notes:\nSay this\n");
    says(&found, "the slide cannot be read");
}

#[test]
fn slides_and_chapters_that_hold_nothing_say_so() {
    let main = "<p:presentation xmlns:p='p' xmlns:r='r'><p:sldIdLst><p:sldId r:id='r1'/></p:sldIdLst></p:presentation>";
    let links = relations(&[("r1", "slide", "slides/slide1.xml", false)]);
    let bytes = package(&[
        ("_rels/.rels", root_relations("ppt/presentation.xml").as_bytes()),
        ("ppt/presentation.xml", main.as_bytes()),
        ("ppt/_rels/presentation.xml.rels", links.as_bytes()),
        ("ppt/slides/slide1.xml", b""),
    ]);
    says(&convert("a.pptx", bytes, None), "the slide cannot be read: its part holds nothing");
    let about =
        "<package><manifest><item id='c' href='c.xhtml'/></manifest><spine><itemref idref='c'/></spine></package>";
    let container = "<container><rootfiles><rootfile full-path='b.opf'/></rootfiles></container>";
    let bytes = package(&[
        ("mimetype", b"application/epub+zip"),
        ("META-INF/container.xml", container.as_bytes()),
        ("b.opf", about.as_bytes()),
        ("c.xhtml", b"\n"),
    ]);
    says(&convert("a.epub", bytes, None), "the chapter's file holds nothing");
}

/// A book with a list of its pages.
fn book() -> Vec<u8> {
    let words = |at: u32| (0..60).map(|line| format!("<p>Line {line} of chapter {at}</p>")).collect::<String>();
    let chapters = [1, 2, 3, 4].map(|at| {
        (format!("OEBPS/{at}.xhtml"), format!("<html><body><h1>Chapter {at}</h1>{}</body></html>", words(at)))
    });
    let items: String =
        (1..5).map(|at| format!("<item id='c{at}' href='{at}.xhtml' media-type='application/xhtml+xml'/>")).collect();
    let spine: String = (1..5).map(|at| format!("<itemref idref='c{at}'/>")).collect();
    let about = format!(
        "<package><metadata><title>A book</title></metadata><manifest><item id='ncx' href='toc.ncx' \
         media-type='application/x-dtbncx+xml'/>{items}</manifest><spine>{spine}</spine></package>"
    );
    let container = "<container><rootfiles><rootfile full-path='OEBPS/book.opf'/></rootfiles></container>";
    let list = "<ncx><pageList><pageTarget><navLabel><text>7</text></navLabel><content src='2.xhtml'/></pageTarget></pageList></ncx>";
    let mut parts: Vec<(&str, &[u8])> = vec![
        ("mimetype", b"application/epub+zip"),
        ("META-INF/container.xml", container.as_bytes()),
        ("OEBPS/book.opf", about.as_bytes()),
        ("OEBPS/toc.ncx", list.as_bytes()),
    ];
    parts.extend(chapters.iter().map(|(name, text)| (name.as_str(), text.as_bytes())));
    package(&parts)
}

#[test]
fn a_book_keeps_all_chapters_but_the_damaged_one() {
    let whole = convert("a.epub", book(), None);
    assert!(whole.notes.is_empty(), "{:?}", whole.notes);
    for (part, how, lost) in [
        ("OEBPS/2.xhtml", Spoilt::All, Some(2)),
        ("OEBPS/2.xhtml", Spoilt::Half, Some(2)),
        ("OEBPS/toc.ncx", Spoilt::All, None),
        ("OEBPS/book.opf", Spoilt::All, None),
        ("OEBPS/book.opf", Spoilt::Half, None),
        ("META-INF/container.xml", Spoilt::All, None),
    ] {
        let found = convert("a.epub", spoil(book(), part, how), None);
        says(&found, part);
        for chapter in 1..5 {
            let last = format!("Line 59 of chapter {chapter}");
            assert_eq!(found.markdown.contains(&last), lost != Some(chapter), "{part} {how:?}: {}", found.markdown);
        }
    }
    let found = convert("a.epub", spoil(book(), "OEBPS/2.xhtml", Spoilt::Half), None);
    assert!(found.markdown.contains("Line 5 of chapter 2"), "{}", found.markdown);
    says(&found, "the chapter ends here");
}

#[test]
fn what_stands_before_a_document_or_a_spoilt_beginning_hides_nothing_of_it() {
    for (name, whole, words) in [
        ("a.docx", document(), "Words 199 of"),
        ("a.pptx", presentation(), "Line 39 of slide 4"),
        ("a.epub", book(), "Line 59 of chapter 4"),
    ] {
        let before = [b"\x01\x02 junk \xFF\xFE".repeat(30), whole.clone()].concat();
        let mut headless = whole;
        headless[..8].fill(0);
        for bytes in [before, headless] {
            let found = convert(name, bytes, None);
            assert!(found.markdown.contains(words), "{name}: {found:?}");
            says(&found, "does not begin as a zip does");
        }
    }
    // What only looks like it is still what it is.
    let found = convert("a.docx", b"plain words, and no zip".to_vec(), None);
    assert_eq!(found.markdown.trim(), "plain words, and no zip");
}

/// A workbook with texts, a date and numbers.
fn workbook() -> Vec<u8> {
    let rows: String = (1..80)
        .map(|at| {
            let shared = at - 1;
            format!(
                "<row r='{at}'><c r='A{at}'><v>{}</v></c><c r='B{at}' t='s'><v>{shared}</v></c><c r='C{at}' s='1'><v>45000</v></c></row>",
                at * 7919
            )
        })
        .collect();
    let texts: String = (1..80).map(|at| format!("<si><t>Text {at} of {}</t></si>", at * 104_729)).collect();
    let styles = "<styleSheet><cellXfs count='2'><xf numFmtId='0'/><xf numFmtId='14' applyNumberFormat='1'/></cellXfs></styleSheet>";
    let book = "<workbook xmlns:r='r'><sheets><sheet name='Stock' sheetId='1' r:id='a'/></sheets></workbook>";
    let links = relations(&[
        ("a", "worksheet", "worksheets/sheet1.xml", false),
        ("b", "sharedStrings", "sharedStrings.xml", false),
        ("c", "styles", "styles.xml", false),
    ]);
    let root = root_relations("xl/workbook.xml");
    let sheet = format!("<worksheet><sheetData>{rows}</sheetData></worksheet>");
    package(&[
        ("[Content_Types].xml", b"<Types/>"),
        ("_rels/.rels", root.as_bytes()),
        ("xl/workbook.xml", book.as_bytes()),
        ("xl/_rels/workbook.xml.rels", links.as_bytes()),
        ("xl/worksheets/sheet1.xml", sheet.as_bytes()),
        ("xl/sharedStrings.xml", format!("<sst>{texts}</sst>").as_bytes()),
        ("xl/styles.xml", styles.as_bytes()),
    ])
}

#[test]
fn a_workbook_keeps_the_cells_that_need_no_damaged_part() {
    let whole = convert("a.xlsx", workbook(), None);
    assert!(whole.notes.is_empty() && whole.markdown.contains("Text 79 of"), "{whole:?}");
    for (part, how) in [
        ("_rels/.rels", Spoilt::All),
        ("xl/styles.xml", Spoilt::All),
        ("xl/sharedStrings.xml", Spoilt::All),
        ("xl/sharedStrings.xml", Spoilt::Half),
        ("xl/workbook.xml", Spoilt::All),
        ("xl/_rels/workbook.xml.rels", Spoilt::All),
    ] {
        let found = convert("a.xlsx", spoil(workbook(), part, how), None);
        assert!(found.markdown.contains(&(79 * 7919).to_string()), "{part} {how:?}: {found:?}");
        let is_named = found.notes.iter().any(|note| note.message.contains(part));
        // Where the texts lie is told where they are called as usual.
        assert!(is_named || part == "_rels/.rels", "{part} {how:?}: {:?}", found.notes);
        if part == "xl/styles.xml" {
            assert!(found.markdown.contains("Text 79 of"), "{found:?}");
        }
    }
}

#[test]
fn a_spreadsheet_needs_neither_its_kind_nor_its_manifest() {
    let whole = spreadsheet(|at| format!("Row {at} of {}", at * 7919));
    for (part, how, words) in [
        ("mimetype", Spoilt::All, "Row 99 of"),
        ("META-INF/manifest.xml", Spoilt::All, "Row 99 of"),
        ("content.xml", Spoilt::Half, "Row 5 of"),
    ] {
        let found = convert("a.ods", spoil(whole.clone(), part, how), None);
        assert!(found.markdown.contains(words), "{part}: {found:?}");
        says(&found, part);
    }
}

#[test]
fn what_is_cut_off_and_damaged_keeps_what_is_left_of_both() {
    let cut = |zip: Vec<u8>, before: usize| {
        let list = zip.windows(4).position(|mark| mark == b"PK\x01\x02").unwrap();
        zip[..list - before].to_vec()
    };
    for (part, how) in [
        ("_rels/.rels", Spoilt::All),
        ("xl/sharedStrings.xml", Spoilt::All),
        ("xl/sharedStrings.xml", Spoilt::Half),
        ("xl/workbook.xml", Spoilt::All),
        ("xl/_rels/workbook.xml.rels", Spoilt::All),
    ] {
        for before in [0, 20] {
            let found = convert("a.xlsx", cut(spoil(workbook(), part, how), before), None);
            assert!(found.markdown.contains(&(79 * 7919).to_string()), "{part} {how:?} {before}: {found:?}");
            says(&found, &format!("the part {part} is damaged"));
            says(&found, "the file is cut off");
        }
    }
    let found = convert("a.xlsx", cut(spoil(workbook(), "xl/styles.xml", Spoilt::All), 0), None);
    assert!(found.markdown.contains("Text 79 of"), "{found:?}");
    let whole = spreadsheet(|at| format!("Row {at} of {}", at * 7919));
    for (part, how, words) in
        [("META-INF/manifest.xml", Spoilt::All, "Row 99 of"), ("content.xml", Spoilt::Half, "Row 5 of")]
    {
        let found = convert("a.ods", cut(spoil(whole.clone(), part, how), 0), None);
        assert!(found.markdown.contains(words), "{part}: {found:?}");
        says(&found, part);
        says(&found, "the file is cut off");
    }
}

#[test]
fn a_package_without_its_front_and_its_list_is_read_by_the_parts_between() {
    let whole = document();
    let list = whole.windows(4).position(|mark| mark == b"PK\x01\x02").unwrap();
    let mut left = whole[..list].to_vec();
    left[..64].fill(0);
    let found = convert("a.docx", left, None);
    assert!(found.markdown.contains("Words 199 of"), "{found:?}");
    says(&found, "bytes of the file are missing or damaged");
}

#[test]
fn a_file_of_which_nothing_is_left_is_told_by_its_name() {
    let mut binary: Vec<u8> = (0..4096u32).map(|at| if at % 3 == 0 { 0 } else { (at * 31 % 29) as u8 }).collect();
    binary[..512].fill(0);
    for (name, title) in [
        ("a.docx", "Word document"),
        ("a.pptx", "PowerPoint presentation"),
        ("a.xlsx", "Excel workbook"),
        ("a.xls", "Excel 97 workbook"),
        ("a.ods", "OpenDocument spreadsheet"),
        ("a.epub", "EPUB book"),
        ("a.msg", "Outlook message"),
        ("a.pdf", "PDF"),
        ("a.zip", "ZIP archive"),
    ] {
        let found = convert(name, binary.clone(), None);
        assert!(found.markdown.is_empty(), "{name}: {found:?}");
        says(&found, &format!("it cannot be read as {title}: "));
    }
    says(&convert("a.txt", binary, None), "nothing here reads this kind of file: binary data");
}

#[test]
fn text_that_ends_in_the_middle_is_told() {
    let paragraph = |text: &str| format!("<w:p><w:r><w:t>{text}</w:t></w:r></w:p>");
    let whole =
        format!("<w:document xmlns:w='w'><w:body>{}{}</w:body></w:document>", paragraph("one"), paragraph("two"));
    for (cut, shown) in [("two", "one\n"), ("</w:body>", "one\n\ntwo\n")] {
        let text = whole.split_once(cut).unwrap().0;
        let bytes = package(&[
            ("_rels/.rels", root_relations("word/document.xml").as_bytes()),
            ("word/document.xml", text.as_bytes()),
        ]);
        let found = convert("a.docx", bytes, None);
        assert_eq!(found.markdown, shown);
        says(&found, "its text ends in the middle");
    }
    let shape = |text: &str| format!("<p:sp><p:txBody><a:p><a:r><a:t>{text}</a:t></a:r></a:p></p:txBody></p:sp>");
    let slide = format!("<p:sld><p:cSld><p:spTree>{}", shape("kept"));
    let bytes = package(&[
        ("_rels/.rels", root_relations("ppt/presentation.xml").as_bytes()),
        (
            "ppt/presentation.xml",
            b"<p:presentation xmlns:r='r'><p:sldIdLst><p:sldId id='1' r:id='a'/></p:sldIdLst></p:presentation>",
        ),
        ("ppt/_rels/presentation.xml.rels", relations(&[("a", "slide", "slides/slide1.xml", false)]).as_bytes()),
        ("ppt/slides/slide1.xml", slide.as_bytes()),
    ]);
    let found = convert("a.pptx", bytes, None);
    assert!(found.markdown.contains("kept"), "{}", found.markdown);
    says(&found, "its XML ends in the middle");
}
