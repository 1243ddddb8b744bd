//! Workbooks whose list of sheets is missing, or leads to nothing: the same file, with a list that is made anew of what is
//! left of it and of the sheets that are there.

use std::collections::{HashMap, HashSet};
use std::io::{Cursor, Read};

use super::input::Failure;
use super::markup::{self, Event};
use super::office::package::resolve;
use super::out::Out;
use super::rewritten::Rewritten;
use super::unlisted::{Needed, Opened};
use super::workbook::{relation, relations, unnamed_sheets};
use crate::model::file_name;
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

/// A workbook with a list of sheets made anew.
pub struct Relisted<'a> {
    /// Its bytes, and what was found of it.
    pub zip: Opened<'a>,
    /// The names of its sheets where its reader knows them by numbers.
    pub names: Option<Vec<String>>,
    /// What is told of them; nothing where only their list was not as it should be.
    pub notes: Vec<String>,
    /// Whether each sheet of the list leads to a part.
    pub is_all: bool,
}

/// A workbook with a list of sheets made anew; `None` where it holds none.
///
/// # Errors
/// Where it cannot be read.
pub fn open<'a>(zip: &Opened<'a>, needed: Needed, out: &mut Out<'_>) -> Result<Option<Relisted<'a>>, Failure> {
    let mut lists = HashMap::new();
    let made = Rewritten::of(zip, |zip, number, listed| {
        if !LISTS.contains(&listed.name.as_str()) {
            return Ok(None);
        }
        let mut bytes = Vec::new();
        if let Ok(part) = zip.by_index(number) {
            // What can be read of it may be enough.
            let _ = part.take(LIST_MAX).read_to_end(&mut bytes);
        }
        out.beat(bytes.len() as u64)?;
        lists.insert(listed.name.clone(), bytes);
        Ok(Some(Vec::new()))
    })?;
    let Some(mut made) = made else { return Ok(None) };
    let names = made.found.names();
    if !names.iter().any(|name| name.starts_with("xl/worksheets/")) {
        return Ok(None);
    }
    let list = |name: &str| lists.get(name).map(Vec::as_slice).unwrap_or_default();
    let Sheets { sheets, mut notes, is_all } = sheets(list(BOOK), list(LINKS), &names);
    let mut told = None;
    if sheets.is_empty() {
        let names = "its sheets are named as their parts are";
        notes.push(match notes.is_empty() {
            true => format!("its list of sheets is missing or empty: {names}"),
            false => names.to_owned(),
        });
    } else {
        let (book, links) = written(&sheets, list(BOOK));
        made.add(BOOK.to_owned(), &book);
        made.add(LINKS.to_owned(), &links);
        told = Some(sheets.into_iter().map(|sheet| sheet.name).collect());
    }
    if !notes.is_empty() {
        // What stands beside the cells is led to from the list as it was.
        let lost = "what leads to its sheets is damaged: comments on them and what is drawn may be missing";
        notes.push(lost.to_owned());
        made.found.damaged.push(BOOK.to_owned());
    }
    Ok(Some(Relisted { zip: made.opened(needed), names: told, notes, is_all }))
}

/// The parts to which links may lead.
struct Parts<'n> {
    /// By their names, in small letters.
    named: HashMap<String, &'n str>,
    /// By the names of their files; `None` where several are called so.
    files: HashMap<String, Option<&'n str>>,
}

impl<'n> Parts<'n> {
    fn of(names: &'n [String]) -> Parts<'n> {
        let mut parts = Parts { named: HashMap::new(), files: HashMap::new() };
        for name in names.iter().filter(|name| name.ends_with(".xml")) {
            let plain = name.to_lowercase();
            let file = parts.files.entry(file_name(&plain).to_owned());
            file.and_modify(|part| *part = None).or_insert(Some(name));
            parts.named.insert(plain, name);
        }
        parts
    }

    /// The part at the end of a link, and whether it leads there: it may lead to where that once stood.
    fn at(&self, target: &str) -> Option<(&'n str, bool)> {
        let path = resolve("xl", target).to_lowercase();
        let once = || self.files.get(file_name(&path)).copied().flatten().map(|part| (part, false));
        self.named.get(&path).map(|part| (*part, true)).or_else(once)
    }
}

/// The sheets of a workbook.
struct Sheets {
    sheets: Vec<Listing>,
    /// What is told of them.
    notes: Vec<String>,
    /// Whether each of the list leads to a part.
    is_all: bool,
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
fn sheets(book: &[u8], links: &[u8], names: &[String]) -> Sheets {
    let parts = Parts::of(names);
    let mut links: Vec<(String, String, &str, bool)> = elements(links, "Relationship", |get| {
        let (part, leads) = parts.at(&get("Target")?)?;
        let kind = get("Type")?.rsplit('/').next()?.to_owned();
        let is_sheet = matches!(kind.as_str(), "worksheet" | "chartsheet" | "dialogsheet");
        is_sheet.then_some((get("Id")?, kind, part, leads))
    });
    // What one link leads to is not what another led to once.
    let taken: HashSet<&str> = links.iter().filter(|link| link.3).map(|link| link.2).collect();
    links.retain(|(.., part, leads)| *leads || !taken.contains(part));
    // Nor what two of them may lead to.
    let mut claims: HashMap<&str, usize> = HashMap::new();
    links.iter().for_each(|(.., part, _)| *claims.entry(part).or_default() += 1);
    links.retain(|(.., part, leads)| *leads || claims.get(part) == Some(&1));
    let has_moved = links.iter().any(|link| !link.3);
    let links: HashMap<String, (String, String)> =
        links.into_iter().map(|(id, kind, part, _)| (id, (kind, part.to_owned()))).collect();
    let listed = elements(book, "sheet", |get| {
        let state = get("state").filter(|state| matches!(state.as_str(), "hidden" | "veryHidden"));
        let (name, id) = (get("name"), get("id"));
        let is_one = name.is_some() || id.is_some();
        let (kind, part) = id.and_then(|id| links.get(&id).cloned()).unwrap_or_default();
        is_one.then(|| Listing { name: name.unwrap_or_default(), state, kind, part })
    });
    if listed.is_empty() {
        return Sheets { sheets: Vec::new(), notes: Vec::new(), is_all: false };
    }
    let led_to: HashSet<&str> = listed.iter().map(|sheet| sheet.part.as_str()).collect();
    let left: Vec<String> =
        unnamed_sheets(names, ".xml").into_iter().map(|name| format!("xl/worksheets/{name}.xml")).collect();
    let left: Vec<&String> = left.iter().filter(|name| !led_to.contains(name.as_str())).collect();
    let lost = listed.iter().filter(|sheet| sheet.part.is_empty()).count();
    let mut notes = Vec::new();
    if has_moved {
        notes.push(
            "what leads from the names of its sheets to their cells is wrong: their parts are found by their own names"
                .to_owned(),
        );
    }
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
        if sheet.name.is_empty() {
            sheet.name = file_name(&sheet.part).trim_end_matches(".xml").to_owned();
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
    let is_all = without.is_empty();
    if !is_all {
        let more = if without.len() > TOLD { " and others" } else { "" };
        let told = without.iter().take(TOLD).map(|name| format!("{name:?}")).collect::<Vec<_>>().join(", ");
        notes.push(format!("nothing leads to the cells of the sheets {told}{more}"));
    }
    Sheets { sheets, notes, is_all }
}

/// A list of these sheets, by their numbers, as several may have one name; and what leads to them.
fn written(sheets: &[Listing], book: &[u8]) -> (Vec<u8>, Vec<u8>) {
    let epoch = elements(book, "workbookPr", |get| get("date1904").filter(|told| told == "1" || told == "true"));
    let epoch = if epoch.is_empty() { "" } else { "<workbookPr date1904=\"1\"/>" };
    let (mut listed, mut links) = (String::new(), String::new());
    for (id, sheet) in sheets.iter().enumerate() {
        let state = sheet.state.as_ref().map_or_else(String::new, |state| format!(" state=\"{state}\""));
        listed += &format!("<sheet name=\"{id}\"{state} r:id=\"r{id}\"/>");
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
        // A sheet without a name keeps its place.
        let nameless = "<workbook xmlns:r='r'><sheets><sheet r:id='x'/><sheet name='C' r:id='y'/></sheets></workbook>";
        let found = book(Some(nameless), None, true);
        assert_eq!(found.markdown, format!("## sheet1\n{one}\n## C\n{two}"), "{:?}", found.notes);
        // A name that another sheet has is given to none.
        let taken = "<workbook xmlns:r='r'><sheets><sheet name='sheet2' r:id='y'/></sheets></workbook>";
        let found = book(Some(taken), Some(&links(&[("y", 1)])), false);
        assert_eq!(found.markdown, format!("## sheet2\n{one}\n## sheet2 (2)\n{two}"), "{:?}", found.notes);
    }

    #[test]
    fn sheets_of_one_name_have_each_their_own_cells_and_parts_are_found() {
        let list =
            "<workbook xmlns:r='r'><sheets><sheet name='S' r:id='x'/><sheet name='S' r:id='y'/></sheets></workbook>";
        let links = |one: &str, two: &str| {
            let link = |id: &str, to: &str| format!("<Relationship Id='{id}' Type='{KIND}/worksheet' Target='{to}'/>");
            format!("<Relationships>{}{}</Relationships>", link("x", one), link("y", two))
        };
        let expected = ["one", "two"].map(|text| format!("## S\n| {text} | 7 |\n| --- | --- |\n")).join("\n");
        for (one, two, is_told) in [
            ("worksheets/sheet1.xml", "worksheets/sheet2.xml", false),
            ("worksheets\\sheet1.xml", "..\\xl\\worksheets\\sheet2.xml", false),
            ("/xl/worksheets/sheet1.xml", "Worksheets/SHEET2.xml", false),
            ("/old/sheets/sheet1.xml", "old\\sheet2.xml", true),
            ("worksheets/sheet1.xml", "old/sheet2.xml", true),
            ("worksheets/sheet1.xml", "worksheets/gone.xml", true),
        ] {
            let found = book(Some(list), Some(&links(one, two)), true);
            assert_eq!(found.markdown, expected, "{one} {two} {:?}", found.notes);
            assert_eq!(!found.notes.is_empty(), is_told, "{one} {two} {:?}", found.notes);
        }
        let found = book(Some(&list.replacen("'S'", "'T'", 1)), Some(&links("old/sheet1.xml", "old/sheet2.xml")), true);
        assert_eq!(found.markdown, expected.replacen('S', "T", 1), "{:?}", found.notes);
    }

    #[test]
    fn a_workbook_is_read_whose_parts_are_utf16() {
        let wide = |text: &str| {
            let units = format!("\u{FEFF}<?xml version='1.0' encoding='UTF-16'?>{text}");
            units.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>()
        };
        let list = "<workbook xmlns:r='r'><sheets><sheet name='\u{C4}' r:id='x'/></sheets></workbook>";
        let link = |kind: &str, to: &str| {
            format!("<Relationships><Relationship Id='x' Type='{KIND}/{kind}' Target='{to}'/></Relationships>")
        };
        let cell = "<c t='inlineStr'><is><t>\u{E4}\u{4E2D}</t></is></c>";
        let parts = [
            ("_rels/.rels", link("officeDocument", "xl/workbook.xml")),
            ("xl/_rels/workbook.xml.rels", link("worksheet", "worksheets/sheet1.xml")),
            ("xl/workbook.xml", list.to_owned()),
            ("xl/worksheets/sheet1.xml", format!("<worksheet><sheetData><row>{cell}</row></sheetData></worksheet>")),
        ];
        // All of them are, or one is.
        for one in [None, Some(0), Some(1), Some(2), Some(3)] {
            let mut writer = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
            for (number, (name, text)) in parts.iter().enumerate() {
                writer.start_file(*name, zip::write::SimpleFileOptions::default()).unwrap();
                let is_wide = one.is_none_or(|one| one == number);
                let bytes = if is_wide { wide(text) } else { text.as_bytes().to_vec() };
                std::io::Write::write_all(&mut writer, &bytes).unwrap();
            }
            let found = converted("a.xlsx", &writer.finish().unwrap().into_inner(), None);
            let expected = "## \u{C4}\n| \u{E4}\u{4E2D} |\n| --- |\n";
            assert_eq!((found.markdown.as_str(), found.notes.len()), (expected, 0), "{one:?} {:?}", found.notes);
        }
    }
}
