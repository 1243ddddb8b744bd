//! Tests of workbooks.

use super::*;
use crate::document::cell_text::{date, number};
use calamine::{ExcelDateTime, ExcelDateTimeType};

/// A spreadsheet of one sheet with one row.
fn ods(row: &str) -> Vec<u8> {
    let content = format!(
        "<office:document-content><office:body><office:spreadsheet><table:table table:name=\"S\"><table:table-row>{row}\
        </table:table-row></table:table></office:spreadsheet></office:body></office:document-content>"
    );
    crate::document::testing::zip(&[
        ("mimetype", "application/vnd.oasis.opendocument.spreadsheet"),
        ("content.xml", content.as_str()),
        ("META-INF/manifest.xml", "<manifest></manifest>"),
    ])
}

#[test]
fn a_reader_that_panics_is_told_in_words() {
    let found = guarded(|| Ok([0u8; 2].chunks(2).nth(1).map_or_else(|| panic!("out of bounds"), <[u8]>::len)));
    assert!(matches!(found, Err(Failure::Damaged(why)) if why.contains("cut off")));
    assert!(guarded(|| Ok(())).is_ok());
}

#[test]
fn times_have_no_day_and_keep_their_fractions() {
    let shown = |value: f64, kind| date(&ExcelDateTime::new(value, kind, false));
    assert_eq!(shown(8.5 / 24.0, ExcelDateTimeType::DateTime), "08:30:00");
    assert_eq!(shown(45_000.25, ExcelDateTimeType::DateTime), "2023-03-15 06:00:00");
    assert_eq!(shown(45_000.0 + 1.5 / 86_400.0, ExcelDateTimeType::DateTime), "2023-03-15 00:00:01.5");
    assert_eq!(shown(1.5 + 0.25 / 86_400.0, ExcelDateTimeType::TimeDelta), "36:00:00.25");
}

#[test]
fn a_number_that_is_no_date_is_shown_as_such() {
    let shown = |value: f64, from_1904| date(&ExcelDateTime::new(value, ExcelDateTimeType::DateTime, from_1904));
    assert_eq!((shown(-5.0, false), shown(2_958_466.0, false)), ("-5".into(), "2958466".into()));
    assert_eq!(shown(f64::NAN, false), "NaN");
    assert_eq!(shown(2_958_465.5, false), "9999-12-31 12:00:00");
    assert_eq!((shown(2_957_003.0, true), shown(2_957_004.0, true)), ("9999-12-31 00:00:00".into(), "2957004".into()));
    assert_eq!((shown(0.0, true), shown(0.0, false)), ("00:00:00".into(), "00:00:00".into()));
    assert_eq!((shown(0.5, true), shown(1.0, true)), ("12:00:00".into(), "1904-01-02 00:00:00".into()));
}

#[test]
fn lengths_of_time_have_hours_however_they_are_shown() {
    let sheet = |values: &[&str]| {
        let cell = |value: &&str| format!("<row><c s='1'><v>{value}</v></c><c s='2'><v>{value}</v></c></row>");
        format!("<worksheet><sheetData>{}</sheetData></worksheet>", values.iter().map(cell).collect::<String>())
    };
    let styles = "<styleSheet><numFmts><numFmt numFmtId='164' formatCode='[h]'/><numFmt numFmtId='165' formatCode='[mm]'/>\
        </numFmts><cellXfs><xf numFmtId='0'/><xf numFmtId='164'/><xf numFmtId='165'/></cellXfs></styleSheet>";
    let values = ["1.5", "-0.0625", "-0", "NaN", "inf", "1e300"];
    let (sheet, names) = (sheet(&values), ["xl/worksheets/sheet1.xml".to_owned()]);
    let needed: Vec<(String, String)> =
        needed(&names).into_iter().map(|(name, part)| (name, String::from_utf8(part).unwrap())).collect();
    let mut parts = vec![(names[0].as_str(), sheet.as_str()), ("xl/styles.xml", styles)];
    parts.extend(needed.iter().map(|(name, part)| (name.as_str(), part.as_str())));
    let found = crate::document::testing::converted("a.xlsx", &crate::document::testing::zip(&parts), None);
    let shown = ["36:00:00", "-1:30:00", "0:00:00", "NaN", "inf", "1e300"];
    for shown in shown {
        assert!(found.markdown.contains(&format!("| {shown} | {shown} |")), "{shown}: {found:?}");
    }
    assert_eq!((number(-0.0), number(f64::NEG_INFINITY)), ("0".to_owned(), "-inf".to_owned()));
}

#[test]
fn dates_that_are_written_as_words_are_shown_like_the_others() {
    let when = |text: &str| Data::DateTimeIso(text.to_owned()).text();
    assert_eq!(when("2024-02-29T13:45:59"), "2024-02-29 13:45:59");
    assert_eq!((when("2024-02-29"), when("08:30:00")), ("2024-02-29".into(), "08:30:00".into()));
    assert_eq!(DataRef::DateTimeIso("2024-02-29T01:00:00".into()).text(), "2024-02-29 01:00:00");
    let length = |text: &str| Data::DurationIso(text.to_owned()).text();
    assert_eq!((length("PT08H30M00S"), length("PT30H05M")), ("08:30:00".into(), "30:05:00".into()));
    assert_eq!((length("-P1DT2H0.250S"), length("P1Y2M")), ("-26:00:00.25".into(), "P1Y2M".into()));
}

#[test]
fn numbers_have_no_digits_that_nobody_wrote() {
    assert_eq!(number(123_456_789_012_345_678.0), "123456789012345680");
    assert_eq!((number(-1e17), number(1e21)), ("-100000000000000000".to_owned(), "1e21".to_owned()));
    assert_eq!(
        (number(1.0), number(-0.25), number(123_456_789_012_345.0)),
        ("1".into(), "-0.25".into(), "123456789012345".into())
    );
    assert_eq!(number(1e-12), "1e-12");
}

/// A binary workbook of one sheet with these records.
fn xls(cells: &[Vec<u8>]) -> Vec<u8> {
    use std::io::Write;
    let (begin, end) = (record(0x0809, &[0, 6, 5, 0, 0, 0, 0, 0]), record(0x0A, &[]));
    let sheet = |at: usize| record(0x85, &[&(at as u32).to_le_bytes()[..], &[0, 0, 1, 0, b'S']].concat());
    let at = begin.len() + sheet(0).len() + end.len();
    let all = [begin.clone(), sheet(at), end.clone(), begin, cells.concat(), end].concat();
    let mut compound = cfb::CompoundFile::create_with_version(cfb::Version::V3, Cursor::new(Vec::new())).unwrap();
    compound.create_stream("/Workbook").unwrap().write_all(&all).unwrap();
    compound.into_inner().into_inner()
}

fn record(kind: u16, body: &[u8]) -> Vec<u8> {
    [&kind.to_le_bytes()[..], &(body.len() as u16).to_le_bytes(), body].concat()
}

#[test]
fn formulas_of_a_binary_workbook_without_a_result_are_told_and_so_are_blank_rows() {
    // `=5`, with this value.
    let formula = |row: u8, column: u8, value: [u8; 8]| {
        let rest = [0, 0, 0, 0, 0, 0, 3, 0, 0x1E, 5, 0];
        record(0x06, &[&[row, 0, column, 0, 0, 0][..], &value, &rest].concat())
    };
    let (none, text) = ([3, 0, 0, 0, 0, 0, 0xFF, 0xFF], [0, 0, 0, 0, 0, 0, 0xFF, 0xFF]);
    let cells = [
        formula(0, 0, 7.5f64.to_le_bytes()),
        formula(0, 1, none),
        formula(4, 0, text),
        record(0x0207, &[3, 0, 0, b'o', b'n', b'e']),
        formula(4, 1, text),
        formula(4, 2, 2f64.to_le_bytes()),
    ];
    let found = crate::document::testing::converted("a.xls", &xls(&cells), None);
    assert_eq!(found.markdown, "## S\n| 7.5 |  |  |\n| --- | --- | --- |\n| one |  | 2 |\n");
    let notes: Vec<&str> = found.notes.iter().map(|note| note.message.as_str()).collect();
    assert_eq!(notes, ["2 of its cells are empty here: they hold formulas whose results are empty or not stored"]);
    assert_eq!(crate::document::shown_line(&found.shown), "3 blank rows left out");
}

#[test]
fn texts_drawn_on_a_binary_sheet_and_its_comments_stand_below_its_cells() {
    let drawn = |kind: u8, number: u8| record(0x5D, &[0x15, 0, 0x12, 0, kind, 0, number, 0, 0x11, 0x60]);
    let text = |size: u8, parts: &[&[u8]]| {
        let head = record(0x01B6, &[&[0; 10][..], &[size, 0], &[0; 6]].concat());
        let parts: Vec<u8> = parts.iter().flat_map(|part| record(0x3C, part)).collect();
        // What follows tells how it looks.
        [head, parts, record(0x3C, b"looks")].concat()
    };
    let wide: Vec<u8> = [1].into_iter().chain("ße".encode_utf16().flat_map(u16::to_le_bytes)).collect();
    let comment = |row: u8, column: u8, number: u8| record(0x1C, &[row, 0, column, 0, 0, 0, number, 0, 0, 0, 0, 0]);
    let cells = [
        record(0x0203, &[&[0; 6][..], &2f64.to_le_bytes()].concat()),
        drawn(6, 1),
        text(7, &[b"\0A box\r#"]),
        drawn(0x19, 2),
        text(5, &[b"\0Gro", &wide]),
        // A chart within it has texts of its own.
        record(0x0809, &[0, 6, 0x20, 0, 0, 0, 0, 0]),
        drawn(6, 9),
        text(5, &[b"\0Chart"]),
        record(0x0A, &[]),
        drawn(0x19, 3),
        text(200, &[b"\0short"]),
        comment(4, 27, 2),
        comment(0, 0, 3),
        comment(9, 9, 77),
    ];
    let found = crate::document::testing::converted("a.xls", &xls(&cells), None);
    let expected = "## S\n| 2 |\n| --- |\n\nA box\n\\#\n\n**Comments**\n\n- A1: shortooks\n- AB5: Große\n";
    assert_eq!(found.markdown, expected, "{:?}", found.notes);
    // Whatever is cut off or wrong of it, what is left is shown.
    let whole = cells.concat();
    for at in 0..whole.len() {
        let mut bytes = whole.clone();
        bytes[at] ^= 0xFF;
        let _ = xls_beside::read(&xls(&[bytes]));
        let _ = xls_beside::read(&xls(&[whole[..at].to_vec()]));
    }
}

#[test]
fn cells_around_a_wrong_one_are_shown_and_it_is_told() {
    use crate::document::testing::{converted, zip};
    let found = |cell: &str| {
        let cells = format!("<row r='1'><c r='A1'><v>1</v></c>{cell}<c r='C1'><v>3</v></c></row>");
        let rest = "<row r='2'><c r='A2' t='s'><v>0</v></c></row>";
        let sheet = format!("<worksheet><sheetData>{cells}{rest}</sheetData></worksheet>");
        let texts = "<sst><si><t>word</t></si></sst>";
        converted("a.xlsx", &zip(&[("xl/worksheets/sheet1.xml", &sheet), ("xl/sharedStrings.xml", texts)]), None)
    };
    for (cell, said) in [
        ("<c r='B1' t='s'><v>9</v></c>", "empty here"),
        ("<c r='?!'><v>2</v></c>", "left out"),
        ("<c r='B'><v>2</v></c>", "left out"),
        ("<c r='B1' t='what'><v>2</v></c>", "left out"),
        ("<c r='B1' t='n'><v>two</v></c>", "left out"),
        ("<c r='B1'><other/></c>", "left out"),
        ("<c r='B1'><f t='shared'>A1</f><v>5</v></c>", "left out"),
    ] {
        let found = found(cell);
        let expected = "## sheet1\n| 1 |  | 3 |\n| --- | --- | --- |\n| word |  |  |\n";
        assert_eq!(found.markdown, expected, "{cell} {:?}", found.notes);
        let notes: Vec<&str> = found.notes.iter().map(|note| note.message.as_str()).collect();
        assert!(notes.iter().any(|note| note.starts_with("1 of its cells") && note.contains(said)), "{cell} {notes:?}");
    }
    // What is no value is a text all the same, wherever it stands.
    for (cell, text) in [
        ("<c r='B1' t='e'><v>#SPILL!</v></c>", "#SPILL!"),
        ("<c t='e'><v>#NOTHING!</v></c>", "#NOTHING!"),
        ("<c r='B1' t='b'><v>-1</v></c>", "-1"),
        ("<c r='B1' t='e'><v>#N/A</v></c>", "#N/A"),
    ] {
        let found = found(cell);
        let expected = format!("## sheet1\n| 1 | {text} | 3 |\n| --- | --- | --- |\n| word |  |  |\n");
        assert_eq!((found.markdown, found.notes.len()), (expected, 2), "{cell} {:?}", found.notes);
    }
}

#[test]
fn sheets_of_one_name_in_a_binary_workbook_have_each_their_own_cells() {
    use std::io::Write;
    let (begin, end) = (record(0x0809, &[0, 6, 5, 0, 0, 0, 0, 0]), record(0x0A, &[]));
    let sheet = |at: usize, name: &[u8]| record(0x85, &[&(at as u32).to_le_bytes()[..], &[0, 0], name].concat());
    for name in [&[1, 0, b'S'][..], &[1, 1, b'S', 0]] {
        let cells = |value: f64| record(0x0203, &[&[0; 6][..], &value.to_le_bytes()].concat());
        let cells = [7.5, 8.5].map(|value| [begin.clone(), cells(value), end.clone()].concat());
        let at = begin.len() + 2 * sheet(0, name).len() + end.len();
        let sheets = [sheet(at, name), sheet(at + cells[0].len(), name)].concat();
        let all = [begin.clone(), sheets, end.clone(), cells.concat()].concat();
        let mut compound = cfb::CompoundFile::create_with_version(cfb::Version::V3, Cursor::new(Vec::new())).unwrap();
        compound.create_stream("/Workbook").unwrap().write_all(&all).unwrap();
        let found = crate::document::testing::converted("a.xls", &compound.into_inner().into_inner(), None);
        let expected = "## S\n| 7.5 |\n| --- |\n\n## S\n| 8.5 |\n| --- |\n";
        assert_eq!((found.markdown.as_str(), found.notes.len()), (expected, 0), "{:?}", found.notes);
    }
}

#[test]
fn documents_in_whose_main_part_nothing_is_are_told() {
    use crate::document::testing::{converted, zip};
    for (name, part) in [("a.docx", "word/document.xml"), ("a.ods", "content.xml"), ("a.xlsx", "xl/workbook.xml")] {
        for content in ["", "<?xml version='1.0'?>"] {
            let found = converted(name, &zip(&[("[Content_Types].xml", "<Types/>"), (part, content)]), None);
            assert!(found.markdown.is_empty() && !found.notes.is_empty(), "{name} {content:?} {found:?}");
        }
    }
}

#[test]
fn what_is_said_of_drawings_on_an_ods_sheet_stands_below_its_cells() {
    use crate::document::testing::converted;
    let drawn = |words: &str| {
        format!(
            "<draw:frame><draw:image/><svg:title>{words} title</svg:title><svg:desc>{words} words</svg:desc></draw:frame>"
        )
    };
    let cell = |words: &str, kind: &str, text: &str| {
        format!("<table:table-cell{kind}>{}<text:p>{text}</text:p></table:table-cell>", drawn(words))
    };
    let text = " office:value-type=\"string\"";
    let row = [
        cell("one", text, "word"),
        cell("two", " office:value-type=\"float\" office:value=\"4\"", "4"),
        format!("<table:table-cell>{}</table:table-cell>", drawn("three")),
    ];
    let found = converted("a.ods", &ods(&row.concat()), None);
    let said = ["one", "two", "three"].map(|words| format!("\n{words} title\n{words} words\n")).concat();
    let expected = format!("## S\n| word | 4 |\n| --- | --- |\n{said}");
    assert_eq!(found.markdown, expected, "{:?}", found.notes);
}

#[test]
fn links_of_cells_have_their_targets_in_every_kind_of_workbook() {
    use crate::document::testing::{converted, zip};
    let sheet = "<worksheet><sheetData><row r='1'><c r='A1' t='inlineStr'><is><t>page</t></is></c>\
        <c r='B1' t='inlineStr'><is><t>https://b.example</t></is></c><c r='C1' t='inlineStr'><is><t>here</t></is></c></row>\
        </sheetData><hyperlinks><hyperlink ref='A1' r:id='r1'/><hyperlink ref='B1' r:id='r2'/>\
        <hyperlink ref='C1' location='S!A1'/></hyperlinks></worksheet>";
    let link = |id: &str, target: &str| {
        format!("<Relationship Id='{id}' Type='x/hyperlink' Target='{target}' TargetMode='External'/>")
    };
    let links = [link("r1", "https://a.example/x?y=1&amp;z=2"), link("r2", "https://b.example/")].concat();
    let links = format!("<Relationships>{links}</Relationships>");
    let names = ["xl/worksheets/sheet1.xml".to_owned()];
    let needed: Vec<(String, String)> =
        needed(&names).into_iter().map(|(name, part)| (name, String::from_utf8(part).unwrap())).collect();
    let mut parts = vec![(names[0].as_str(), sheet), ("xl/worksheets/_rels/sheet1.xml.rels", links.as_str())];
    parts.extend(needed.iter().map(|(name, part)| (name.as_str(), part.as_str())));
    let found = converted("a.xlsx", &zip(&parts), None).markdown;
    assert!(found.contains("| [page](https://a.example/x?y=1&z=2) | https://b.example | here |\n"), "{found}");

    let cell = |text: &str| {
        format!("<table:table-cell office:value-type=\"string\"><text:p>{text}</text:p></table:table-cell>")
    };
    let row = [
        cell("a <text:a xlink:href=\"https://a.example\">page</text:a>"),
        cell("<text:a xlink:href=\"#S\">here</text:a>"),
        cell("<text:a xlink:href=\"b.ods\">b</text:a>, <text:a xlink:href=\"c\">two</text:a>"),
    ];
    let found = converted("a.ods", &ods(&row.concat()), None).markdown;
    assert!(found.contains("| [a page](https://a.example) | here | b, two (b.ods, c) |\n"), "{found}");

    let target: Vec<u8> = "b.xls\0".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let link = [&[0; 8][..], &[0; 16], &[2, 0, 0, 0, 1, 1, 0, 0], &6u32.to_le_bytes(), &target].concat();
    let cells = [
        record(0x0203, &[&[0; 6][..], &2f64.to_le_bytes()].concat()),
        record(0x01B8, &link),
        record(0x0809, &[0, 6, 0x20, 0, 0, 0, 0, 0]),
        record(0x0A, &[]),
    ];
    let found = converted("a.xls", &xls(&cells), None);
    assert_eq!(found.markdown, "## S\n| [2](b.xls) |\n| --- |\n");
    assert_eq!(found.notes[0].message, "a chart of the sheet is not shown");
}
