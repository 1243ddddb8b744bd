//! Workbooks whose list of sheets is missing, or leads to nothing: the same file, with a list that is made anew of what is
//! left of it and of the sheets that are there.

use std::collections::{HashMap, HashSet};
use std::io::{Cursor, Read};

use super::damaged_zip::{ENTRIES_MAX, longer, opened};
use super::input::{Failure, Input, Places};
use super::markup::{self, Event};
use super::out::Out;
use super::unlisted::{Found, Listed, Needed, Opened};
use super::workbook::{relation, relations, unnamed_sheets};
use quick_xml::escape::escape;

/// The parts that lead to the sheets.
const BOOK: &str = "xl/workbook.xml";
const LINKS: &str = "xl/_rels/workbook.xml.rels";
const LISTS: &[&str] = &["_rels/.rels", BOOK, LINKS, "xl/workbook.bin", "xl/_rels/workbook.bin.rels"];
/// Bytes of a list that are read.
const LIST_MAX: u64 = 16 << 20;
/// Sheets of a list that are looked at.
const SHEETS_MAX: usize = 10_000;
/// Names that are told of sheets that are lost.
const TOLD: usize = 5;

/// Opens a workbook with a list of sheets made anew, and tells in words what is known of them; `None` where it holds none.
///
/// # Errors
/// Where it cannot be read.
pub fn open<'a>(
    input: &Input<'a>,
    listed: Option<&(Found, Places<'a>)>,
    needed: Needed,
    out: &mut Out<'_>,
) -> Result<Option<(Opened<'a>, Vec<String>)>, Failure> {
    let Some((len, mut zip, mut found)) = opened(input, listed, out)? else { return Ok(None) };
    let mut lists = HashMap::new();
    for index in 0..zip.len().min(ENTRIES_MAX) {
        let Ok(about) = zip.by_index_data(index) else { continue };
        let Some(listed) = Listed::of(&about)? else { continue };
        if !LISTS.contains(&listed.name.as_str()) {
            found.parts.push(listed);
            continue;
        }
        let Ok(part) = zip.by_index(index) else { continue };
        let mut bytes = Vec::new();
        // What can be read of it may be enough.
        let _ = part.take(LIST_MAX).read_to_end(&mut bytes);
        out.beat(bytes.len() as u64)?;
        lists.insert(listed.name, bytes);
    }
    let names = found.names();
    if !names.iter().any(|name| name.starts_with("xl/worksheets/")) {
        return Ok(None);
    }
    let list = |name: &str| lists.get(name).map(Vec::as_slice).unwrap_or_default();
    let (sheets, mut notes) = sheets(list(BOOK), list(LINKS), &names);
    if sheets.is_empty() {
        let names = "its sheets are named as their parts are";
        notes.push(match notes.is_empty() {
            true => format!("its list of sheets is missing or empty: {names}"),
            false => names.to_owned(),
        });
    } else {
        let (book, links) = written(&sheets, list(BOOK));
        found.add(len, BOOK.to_owned(), &book);
        found.add(len, LINKS.to_owned(), &links);
    }
    // What stands beside the cells is led to from the list as it was.
    notes.push("what leads to its sheets is damaged: comments on them and what is drawn may be missing".to_owned());
    found.damaged.push(BOOK.to_owned());
    found.list(len, needed);
    let added = std::mem::take(&mut found.tail);
    let places = longer(zip.into_inner().into_inner(), added);
    Ok(Some((Opened { places, found: Some(found) }, notes)))
}

/// A sheet of the list.
#[derive(Debug, PartialEq, Eq)]
struct Listing {
    name: String,
    state: Option<String>,
    /// What it is, and its part.
    kind: String,
    part: String,
}

/// The sheets that a list leads to, with those that are there besides, and what is told of these; none where the list
/// names none.
fn sheets(book: &[u8], links: &[u8], names: &[String]) -> (Vec<Listing>, Vec<String>) {
    let there: HashSet<&str> = names.iter().map(String::as_str).collect();
    let links: HashMap<String, (String, String)> = elements(links, "Relationship", |get| {
        let target = get("Target")?;
        let part = target.strip_prefix('/').map_or_else(|| format!("xl/{target}"), str::to_owned);
        let kind = get("Type")?.rsplit('/').next()?.to_owned();
        let is_sheet = matches!(kind.as_str(), "worksheet" | "chartsheet" | "dialogsheet");
        (is_sheet && there.contains(part.as_str())).then_some((get("Id")?, (kind, part)))
    })
    .into_iter()
    .collect();
    let listed = elements(book, "sheet", |get| {
        let state = get("state").filter(|state| matches!(state.as_str(), "hidden" | "veryHidden"));
        let (kind, part) = get("id").and_then(|id| links.get(&id).cloned()).unwrap_or_default();
        Some(Listing { name: get("name")?, state, kind, part })
    });
    if listed.is_empty() {
        return (Vec::new(), Vec::new());
    }
    let led_to: HashSet<&str> = listed.iter().map(|sheet| sheet.part.as_str()).collect();
    let left: Vec<String> =
        unnamed_sheets(names, ".xml").into_iter().map(|name| format!("xl/worksheets/{name}.xml")).collect();
    let left: Vec<&String> = left.iter().filter(|name| !led_to.contains(name.as_str())).collect();
    let lost = listed.iter().filter(|sheet| sheet.part.is_empty()).count();
    let mut notes = Vec::new();
    let in_order = lost == left.len();
    if in_order && lost > 0 {
        notes.push(
            "what leads from the names of its sheets to their cells is missing or wrong: they are taken in their order"
                .to_owned(),
        );
    }
    let mut unnamed = left.into_iter();
    let (mut sheets, mut without) = (Vec::new(), Vec::new());
    for mut sheet in listed {
        if sheet.part.is_empty() {
            let Some(part) = unnamed.as_slice().first().filter(|_| in_order) else {
                without.push(sheet.name);
                continue;
            };
            (sheet.kind, sheet.part) = ("worksheet".to_owned(), (*part).clone());
            unnamed.next();
        }
        sheets.push(sheet);
    }
    let mut taken: HashSet<String> = sheets.iter().map(|sheet| sheet.name.to_lowercase()).collect();
    for part in unnamed {
        let mut name = part.trim_start_matches("xl/worksheets/").trim_end_matches(".xml").to_owned();
        // The first sheet of a name is the one that is read.
        while !taken.insert(name.to_lowercase()) {
            name.push_str(" (2)");
        }
        notes.push(format!("the list of sheets does not lead to {part}; it is shown as {name}"));
        sheets.push(Listing { name, state: None, kind: "worksheet".to_owned(), part: part.clone() });
    }
    if !without.is_empty() {
        let more = if without.len() > TOLD { " and others" } else { "" };
        let told = without.iter().take(TOLD).map(|name| format!("{name:?}")).collect::<Vec<_>>().join(", ");
        notes.push(format!("nothing leads to the cells of the sheets {told}{more}"));
    }
    (sheets, notes)
}

/// A list of these sheets, and what leads to them.
fn written(sheets: &[Listing], book: &[u8]) -> (Vec<u8>, Vec<u8>) {
    let epoch = elements(book, "workbookPr", |get| get("date1904").filter(|told| told == "1" || told == "true"));
    let epoch = if epoch.is_empty() { "" } else { "<workbookPr date1904=\"1\"/>" };
    let (mut listed, mut links) = (String::new(), String::new());
    for (id, sheet) in sheets.iter().enumerate() {
        let state = sheet.state.as_ref().map_or_else(String::new, |state| format!(" state=\"{state}\""));
        listed += &format!("<sheet name=\"{}\"{state} r:id=\"r{id}\"/>", escape(sheet.name.as_str()));
        links += &relation(id, &sheet.kind, &escape(format!("/{}", sheet.part).as_str()));
    }
    let book = format!("<workbook xmlns:r=\"r\">{epoch}<sheets>{listed}</sheets></workbook>");
    (book.into_bytes(), relations(&links))
}

/// What is told by the elements of a name, as far as the XML can be read.
fn elements<T>(xml: &[u8], name: &str, told: impl Fn(&dyn Fn(&str) -> Option<String>) -> Option<T>) -> Vec<T> {
    let Ok(text) = markup::text(Box::new(Cursor::new(xml))) else { return Vec::new() };
    let (mut events, mut buffer, mut found) = (markup::reader(text), Vec::new(), Vec::new());
    while found.len() < SHEETS_MAX {
        buffer.clear();
        match events.read_event_into(&mut buffer) {
            Ok(Event::Start(element) | Event::Empty(element)) => {
                if element.local_name().into_inner() == name {
                    found.extend(told(&|name| markup::attribute(&element, name)));
                }
            }
            Ok(Event::Eof) | Err(_) => break,
            Ok(_) => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use crate::document::Conversion;
    use crate::document::testing::{converted, zip};

    const KIND: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";

    /// A workbook of these parts and two sheets.
    fn book(list: Option<&str>, links: Option<&str>, has_root: bool) -> Conversion {
        let sheet = |text: &str| {
            let cell = |text: &str| format!("<c t='inlineStr'><is><t>{text}</t></is></c>");
            format!("<worksheet><sheetData><row>{}<c><v>7</v></c></row></sheetData></worksheet>", cell(text))
        };
        let (one, two) = (sheet("one"), sheet("two"));
        let root = format!(
            "<Relationships><Relationship Id='a' Type='{KIND}/officeDocument' Target='xl/workbook.xml'/></Relationships>"
        );
        let mut parts = vec![("xl/worksheets/sheet1.xml", one.as_str()), ("xl/worksheets/sheet2.xml", two.as_str())];
        parts.extend(list.map(|list| ("xl/workbook.xml", list)));
        parts.extend(links.map(|links| ("xl/_rels/workbook.xml.rels", links)));
        parts.extend(has_root.then_some(("_rels/.rels", root.as_str())));
        converted("a.xlsx", &zip(&parts), None)
    }

    #[test]
    fn sheets_are_shown_whatever_is_wrong_with_their_list() {
        let list = "<workbook xmlns:r='r'><sheets><sheet name='A &amp; B' state='hidden' r:id='x'/>\
            <sheet name='C' r:id='y'/></sheets></workbook>";
        let link = |id: &str, number: u8| {
            format!("<Relationship Id='{id}' Type='{KIND}/worksheet' Target='worksheets/sheet{number}.xml'/>")
        };
        let links = |all: &[(&str, u8)]| {
            let all: String = all.iter().map(|(id, number)| link(id, *number)).collect();
            format!("<Relationships>{all}</Relationships>")
        };
        let whole = links(&[("x", 2), ("y", 1)]);
        let table = |text: &str| format!("| {text} | 7 |\n| --- | --- |\n");
        let (one, two) = (table("one"), table("two"));
        let known = format!("## A & B\n\n*Hidden sheet*\n\n{two}\n## C\n{one}");
        let found = book(Some(list), Some(&whole), true);
        assert_eq!((found.markdown.as_str(), found.notes.len()), (known.as_str(), 0), "{:?}", found.notes);
        // The links are whole, or one of them is.
        let found = book(Some(list), Some(&whole), false);
        assert_eq!(found.markdown, known, "{:?}", found.notes);
        for wrong in [("z", 1), ("y", 9)] {
            let found = book(Some(list), Some(&links(&[("x", 2), wrong])), true);
            let said = found.notes.iter().any(|note| note.message.contains("in their order"));
            // A link to what is not there loses that sheet alone.
            let is_kept = found.markdown.starts_with(&format!("## A & B\n\n*Hidden sheet*\n\n{two}\n"));
            assert!(is_kept && (said || wrong.1 == 9), "{wrong:?} {found:?}");
        }
        let found = book(Some(list), None, true);
        assert_eq!(found.markdown, format!("## A & B\n\n*Hidden sheet*\n\n{one}\n## C\n{two}"), "{:?}", found.notes);
        assert!(!found.notes.is_empty());
        // There is no list, or it names none, or too few.
        for list in [None, Some(""), Some("<workbook/>"), Some("<workbook><sheets/></workbook>"), Some("words")] {
            for links in [None, Some(whole.as_str())] {
                let found = book(list, links, true);
                assert_eq!(found.markdown, format!("## sheet1\n{one}\n## sheet2\n{two}"), "{list:?} {:?}", found.notes);
                assert!(!found.notes.is_empty(), "{list:?}");
            }
        }
        let few = "<workbook xmlns:r='r'><sheets><sheet name='C' r:id='y'/><sheet name='D' r:id='w'/>\
            <sheet name='E' r:id='v'/></sheets></workbook>";
        let found = book(Some(few), Some(&whole), true);
        assert_eq!(found.markdown, format!("## C\n{one}\n## sheet2\n{two}"));
        let said = found.notes.iter().any(|note| note.message.contains("\"D\", \"E\""));
        assert!(said, "{:?}", found.notes);
        // A name that another sheet has is given to none.
        let taken = "<workbook xmlns:r='r'><sheets><sheet name='sheet2' r:id='y'/></sheets></workbook>";
        let found = book(Some(taken), Some(&links(&[("y", 1)])), false);
        assert_eq!(found.markdown, format!("## sheet2\n{one}\n## sheet2 (2)\n{two}"), "{:?}", found.notes);
    }
}
