//! Workbooks as programs write them that work nothing out.

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
