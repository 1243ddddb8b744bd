//! The content of an ODS as its reader takes it: in UTF-8, with nothing in rows but cells, with values that are such, without
//! what is said of drawings, and with a number for the name of each sheet. A reader that meets anything else gives up all.

use std::collections::HashSet;
use std::io::{BufRead, BufReader, Read};

use quick_xml::escape::escape;
use quick_xml::events::BytesStart;
use quick_xml::events::attributes::Attribute;
use zip::ZipArchive;

use super::input::Places;
use super::markup::{self, Event};
use super::ods_beside::SAYING;

/// The part in which all sheets stand.
pub const CONTENT: &str = "content.xml";
/// Bytes of it that are read.
const CONTENT_MAX: u64 = 256 << 20;
/// What nobody asks for, and its reader stumbles over.
const NAMES: &str = "table:named-expressions";
/// Blanks that a text may repeat.
const BLANKS_MAX: u64 = 100;

/// The content of an ODS, written anew.
#[derive(Debug, Default)]
pub struct Content {
    /// Its XML.
    pub xml: String,
    /// The names of its sheets, which have numbers from 0 for theirs.
    pub names: Vec<String>,
    /// Cells whose value is none.
    pub wrong: u64,
}

impl Content {
    /// Of an ODS; `None` where it cannot be read to its end.
    pub fn of(places: Places<'_>) -> Option<Content> {
        let mut zip = ZipArchive::new(BufReader::new(places)).ok()?;
        let part = zip.by_name(CONTENT).ok()?;
        Content::read(Box::new(BufReader::new(part.take(CONTENT_MAX))))
    }

    fn read(from: Box<dyn BufRead + '_>) -> Option<Content> {
        let (mut events, mut buffer) = (markup::reader(markup::text(from).ok()?), Vec::new());
        let mut writer = Writer::default();
        loop {
            buffer.clear();
            match events.read_event_into(&mut buffer).ok()? {
                Event::Start(element) => writer.begin(&element),
                Event::Empty(element) => {
                    writer.begin(&element);
                    writer.end(element.name().into_inner());
                }
                Event::End(element) => writer.end(element.name().into_inner()),
                Event::Text(text) => writer.say(&text.xml10_content()),
                Event::CData(text) => writer.say(&text.xml10_content()),
                Event::GeneralRef(reference) => writer.say(&markup::entity(&reference)),
                Event::Eof => return writer.open.is_empty().then_some(writer.made),
                _ => {}
            }
            if writer.made.xml.len() as u64 > CONTENT_MAX {
                return None;
            }
        }
    }
}

/// What an open element is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Within {
    Row,
    Cell,
    Table,
    /// A comment, which is no text of its cell.
    Note,
    Other,
}

impl Within {
    fn of(name: &str) -> Within {
        match name {
            "table:table-row" => Within::Row,
            "table:table-cell" | "table:covered-table-cell" => Within::Cell,
            "table:table" => Within::Table,
            "office:annotation" => Within::Note,
            _ => Within::Other,
        }
    }
}

/// The content while it is written.
#[derive(Default)]
struct Writer {
    made: Content,
    open: Vec<Within>,
    /// Tables within each other that are open.
    tables: usize,
    /// Comments within each other that are open.
    notes: usize,
    /// Elements within each other that are left out.
    left_out: usize,
    /// The value of a cell that is none, as long as the cell has said no other text.
    unsaid: Option<String>,
}

impl Writer {
    fn begin(&mut self, element: &BytesStart<'_>) {
        let name = element.name().into_inner();
        let within = Within::of(name);
        let is_stray = self.open.last() == Some(&Within::Row) && within != Within::Cell;
        if self.left_out > 0 || is_stray || name == NAMES || SAYING.contains(&name) {
            self.left_out += 1;
            return;
        }
        self.notes += usize::from(within == Within::Note);
        self.open.push(within);
        self.made.xml.push('<');
        self.made.xml.push_str(name);
        match within {
            Within::Cell => self.cell(element),
            Within::Table => self.table(element),
            _ => self.attributes(element),
        }
        self.made.xml.push('>');
    }

    fn end(&mut self, name: &str) {
        if self.left_out > 0 {
            self.left_out -= 1;
            return;
        }
        match self.open.pop() {
            Some(Within::Table) => self.tables = self.tables.saturating_sub(1),
            Some(Within::Note) => self.notes = self.notes.saturating_sub(1),
            Some(Within::Cell) => {
                if let Some(value) = self.unsaid.take().filter(|value| !value.trim().is_empty()) {
                    self.made.xml.push_str(&format!("<text:p>{}</text:p>", escape(value.as_str())));
                }
            }
            _ => {}
        }
        self.made.xml.push_str(&format!("</{name}>"));
    }

    fn say(&mut self, text: &str) {
        let is_blank = text.trim().is_empty();
        // What stands between paragraphs would be taken for their text.
        let is_between = match self.open.last() {
            Some(Within::Row) => true,
            Some(Within::Cell | Within::Table) => is_blank,
            _ => false,
        };
        if self.left_out == 0 && !is_between {
            // As an attribute: quotation marks would look like one to whoever looks for them.
            self.made.xml.push_str(&escape(text));
            if !is_blank && self.notes == 0 {
                self.unsaid = None;
            }
        }
    }

    fn attribute(&mut self, name: &str, value: &str) {
        self.made.xml.push_str(&format!(" {name}=\"{}\"", escape(value)));
    }

    /// The attributes of an element, those that its reader stumbles over left out.
    fn attributes(&mut self, element: &BytesStart<'_>) {
        for attribute in each(element) {
            let (name, value) = (attribute.key.into_inner(), markup::value(&attribute));
            match name {
                "table:number-rows-repeated" => self.count(name, &value, u32::MAX.into()),
                "text:c" => self.count(name, &value, BLANKS_MAX),
                "table:display" if !matches!(value.as_str(), "true" | "false") => {}
                _ => self.attribute(name, &value),
            }
        }
    }

    fn table(&mut self, element: &BytesStart<'_>) {
        self.tables += 1;
        let is_sheet = self.tables == 1;
        for attribute in each(element) {
            let (name, value) = (attribute.key.into_inner(), markup::value(&attribute));
            if is_sheet && name == "table:name" {
                let number = self.made.names.len().to_string();
                self.attribute(name, &number);
                self.made.names.push(value);
            } else {
                self.attribute(name, &value);
            }
        }
    }

    /// The attributes of a cell; one whose value is none has its text for it.
    fn cell(&mut self, element: &BytesStart<'_>) {
        let is_wrong = |attribute: &Attribute<'_>| {
            let value = markup::value(attribute);
            let is_wrong = match attribute.key.into_inner() {
                "office:value" => value.trim().parse::<f64>().is_err(),
                "office:boolean-value" => truth(&value).is_none(),
                _ => false,
            };
            is_wrong.then_some(value)
        };
        let wrong = each(element).find_map(|attribute| is_wrong(&attribute));
        for attribute in each(element) {
            let (name, value) = (attribute.key.into_inner(), markup::value(&attribute));
            match name {
                "office:value" | "office:boolean-value" | "office:value-type" | "calcext:value-type"
                    if wrong.is_some() => {}
                "office:value" => self.attribute(name, value.trim().trim_start_matches('+')),
                "office:boolean-value" => self.attribute(name, truth(&value).unwrap_or_default()),
                "table:number-columns-repeated" => self.count(name, &value, u32::MAX.into()),
                _ => self.attribute(name, &value),
            }
        }
        if wrong.is_some() {
            self.attribute("office:value-type", "string");
            self.made.wrong += 1;
        }
        self.unsaid = wrong;
    }

    /// A number as it is told, up to the most that it may be; nothing where it is none.
    fn count(&mut self, name: &str, value: &str, most: u64) {
        let value = value.trim();
        let is_number = !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit());
        if is_number {
            // What is too long for a number is too large.
            let number = value.parse::<u64>().unwrap_or(u64::MAX).min(most);
            self.attribute(name, &number.to_string());
        }
    }
}

/// The attributes of an element, each of a name once: its reader takes the first.
fn each<'e>(element: &'e BytesStart<'_>) -> impl Iterator<Item = Attribute<'e>> {
    let mut seen = HashSet::new();
    let first = move |attribute: &Attribute<'e>| seen.insert(attribute.key.into_inner());
    element.attributes().with_checks(false).clone().flatten().filter(first)
}

/// A truth value as its reader knows it.
fn truth(value: &str) -> Option<&'static str> {
    match value.trim() {
        "true" | "TRUE" | "1" => Some("true"),
        "false" | "FALSE" | "0" => Some("false"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    fn written(xml: &str) -> Option<Content> {
        Content::read(Box::new(Cursor::new(xml.as_bytes().to_vec())))
    }

    #[test]
    fn what_its_reader_stumbles_over_is_left_out() {
        let same = [
            ("<a><svg:desc>x</svg:desc>b<svg:desc/>c<svg:desc y='1'>z</svg:desc></a>", "<a>bc</a>"),
            (
                "<a><svg:descent>x &amp; &what;<![CDATA[<]]></svg:descent></a>",
                "<a><svg:descent>x &amp; &amp;what;&lt;</svg:descent></a>",
            ),
            (
                "<a> <table:table-row> <!-- w --><b>x</b>\n</table:table-row></a>",
                "<a> <table:table-row></table:table-row></a>",
            ),
            (
                "<table:table-row table:number-rows-repeated='two' x='1'/>",
                "<table:table-row x=\"1\"></table:table-row>",
            ),
            (
                "<table:table-cell table:number-columns-repeated='99999999999999999999999'> <p> y</p> </table:table-cell>",
                "<table:table-cell table:number-columns-repeated=\"4294967295\"><p> y</p></table:table-cell>",
            ),
            ("<a><table:named-expressions> <b/></table:named-expressions></a>", "<a></a>"),
            ("<text:s text:c='700000000'/>", "<text:s text:c=\"100\"></text:s>"),
            ("<p table:display='maybe'/>", "<p></p>"),
        ];
        for (xml, expected) in same {
            assert_eq!(written(xml).unwrap().xml, expected);
        }
        for broken in ["<a><b></b>", "<a", "<a><!-- </a>"] {
            assert!(written(broken).is_none(), "{broken}");
        }
    }

    #[test]
    fn a_cell_whose_value_is_none_has_its_text() {
        let cell = |attributes: &str, text: &str| {
            let found = written(&format!("<table:table-cell {attributes}>{text}</table:table-cell>")).unwrap();
            let xml = found.xml.replace("table:table-cell", "c").replace("office:", "");
            (xml, found.wrong)
        };
        let text = |text: &str| (format!("<c value-type=\"string\"><text:p>{text}</text:p></c>"), 1);
        assert_eq!(cell("office:value='' office:value-type='float'", "<text:p>1,5</text:p>"), text("1,5"));
        assert_eq!(cell("office:value-type='float' office:value='1,5'", ""), text("1,5"));
        assert_eq!(cell("office:boolean-value='yes'", ""), text("yes"));
        let note = "<annotation><text:p>Why</text:p></annotation>";
        let (xml, wrong) = cell("office:value='1,5'", &note.replace("annotation", "office:annotation"));
        assert_eq!((xml, wrong), (format!("<c value-type=\"string\">{note}<text:p>1,5</text:p></c>"), 1));
        assert_eq!(cell("office:value=''", " ").0, "<c value-type=\"string\"></c>");
        assert_eq!(cell("office:value=' +7 '", "").0, "<c value=\"7\"></c>");
        assert_eq!(cell("office:boolean-value='1'", ""), ("<c boolean-value=\"true\"></c>".to_owned(), 0));
    }

    #[test]
    fn sheets_have_numbers_for_names() {
        let found =
            written("<a><table:table table:name='S'/><table:table/><table:table table:name='&lt;S'/></a>").unwrap();
        assert_eq!(found.names, ["S", "<S"]);
        assert!(found.xml.contains("<table:table></table:table><table:table table:name=\"1\">"), "{}", found.xml);
    }
}
