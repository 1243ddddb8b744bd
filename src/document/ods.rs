//! Opens the workbooks of OpenDocument. Where their reader takes them not as they are, it is given the same sheets written anew;
//! of rows and columns that repeat more often than it holds, with less of them.

use std::io::{self, BufReader, Read};

use calamine::{Ods, Reader};
use memchr::memmem;
use zip::ZipArchive;
use zip::result::ZipError;

use super::input::{Failure, Places};
use super::ods_content::{CONTENT, Content};
use super::out::Out;
use super::unlisted::{Found, Needed};
use super::workbook::{Cells, Known, failure, guarded, has_twins, manifest};
use crate::model::thousands;

/// The parts beside the content that its reader asks for.
const BESIDE: [&str; 2] = ["mimetype", "META-INF/manifest.xml"];
/// Bytes of them that are looked through.
const BESIDE_MAX: u64 = 1 << 20;

/// An open workbook.
pub struct Book<'a> {
    /// Its cells.
    pub cells: Ods<BufReader<Places<'a>>>,
    /// What was written anew.
    pub anew: Option<Anew>,
}

/// What is known of a workbook whose sheets were written anew.
pub struct Anew {
    /// The names of its sheets, which are not those by which its reader knows them.
    pub names: Vec<String>,
    /// Cells whose value is none.
    wrong: u64,
    /// How often rows and columns repeat at most.
    most: Option<Most>,
    /// Parts beside the content that are damaged: it is read without them.
    damaged: Vec<&'static str>,
}

impl Anew {
    /// Says what is shown otherwise than it stands in the file.
    pub fn say(&self, out: &mut Out<'_>) {
        for part in &self.damaged {
            out.note_on_all(format!("the part {part} is damaged: all cells are read without it"));
        }
        match self.wrong {
            0 => {}
            1 => {
                out.note_on_all("the value of 1 of its cells is written wrongly: the text of the cell is shown for it")
            }
            more => out.note_on_all(format!(
                "the values of {more} of its cells are written wrongly: the texts of the cells are shown for them"
            )),
        }
        if let Some(most) = self.most {
            out.note_on_all(most.said());
        }
    }
}

/// How often rows and columns may repeat.
#[derive(Clone, Copy, Debug)]
struct Most {
    /// A row.
    rows: u64,
    /// A cell of a row.
    columns: u64,
}

impl Most {
    /// What is tried, one after the other: the second is more than any table shows.
    const TRIED: [Most; 2] = [Most { rows: 10_000, columns: 500 }, Most { rows: 100, columns: 60 }];

    /// What is said of what is shown so.
    fn said(self) -> String {
        format!(
            "it says of rows and columns that they repeat so often that nobody could hold them: of each repetition no more \
             than {} rows and {} columns are shown, and what stands behind them has other numbers than in the file",
            thousands(self.rows),
            thousands(self.columns)
        )
    }
}

impl<'a> Cells<'a> for Book<'a> {
    const NEEDED: Needed = manifest;
    const MAIN: Option<&'static str> = Some(CONTENT);

    fn open(places: Places<'a>) -> Result<Self, Failure> {
        open(places)
    }

    fn known(&mut self) -> Known {
        Known::of(self.cells.sheets_metadata())
    }
}

/// Opens an ODS.
///
/// # Errors
/// Where it cannot be read, in whatever way it is written.
fn open(places: Places<'_>) -> Result<Book<'_>, Failure> {
    let again = places.clone();
    match read(places) {
        Ok(cells) if has_twins(cells.sheets_metadata()) => {
            Ok(anew(again).unwrap_or(None).unwrap_or(Book { cells, anew: None }))
        }
        Ok(cells) => Ok(Book { cells, anew: None }),
        Err(why @ (Failure::Damaged(_) | Failure::TooMany)) => {
            let damaged = BESIDE.into_iter().filter(|part| !is_whole(again.clone(), part)).collect();
            let mut book = anew(again)?.ok_or(why)?;
            if let Some(anew) = &mut book.anew {
                anew.damaged = damaged;
            }
            Ok(book)
        }
        Err(why) => Err(why),
    }
}

/// Whether a part is there as it was packed, or is not there at all.
fn is_whole(places: Places<'_>, part: &str) -> bool {
    let Ok(mut zip) = ZipArchive::new(BufReader::new(places)) else { return true };
    match zip.by_name(part) {
        Ok(part) => io::copy(&mut part.take(BESIDE_MAX), &mut io::sink()).is_ok(),
        Err(why) => matches!(why, ZipError::FileNotFound),
    }
}

/// Opens an ODS with its sheets written anew; `None` where they cannot be.
///
/// # Errors
/// Where there are too many cells all the same.
pub fn anew<'a>(places: Places<'_>) -> Result<Option<Book<'a>>, Failure> {
    let Some(Content { xml, names, wrong }) = Content::of(places) else { return Ok(None) };
    let book = |cells, most| Some(Book { cells, anew: Some(Anew { names, wrong, most, damaged: Vec::new() }) });
    match read(stored(xml.as_bytes())) {
        Ok(cells) => return Ok(book(cells, None)),
        Err(Failure::TooMany) => {}
        Err(_) => return Ok(None),
    }
    for most in Most::TRIED {
        let less = clamped(xml.as_bytes(), b"number-rows-repeated=", most.rows);
        let less = clamped(&less, b"number-columns-repeated=", most.columns);
        if let Ok(cells) = read(stored(&less)) {
            return Ok(book(cells, Some(most)));
        }
    }
    Err(Failure::TooMany)
}

fn read(places: Places<'_>) -> Result<Ods<BufReader<Places<'_>>>, Failure> {
    guarded(|| Ods::new(BufReader::new(places)).map_err(failure))
}

/// An ODS that holds nothing else.
fn stored(content: &[u8]) -> Places<'static> {
    let mut found = Found::all();
    found.add(0, CONTENT.to_owned(), content);
    found.list(Places::unpacked(Vec::new()), manifest)
}

/// XML in which an attribute's number is no larger than that.
fn clamped(xml: &[u8], attribute: &[u8], most: u64) -> Vec<u8> {
    let (mut made, mut done) = (Vec::with_capacity(xml.len()), 0);
    for at in memmem::find_iter(xml, attribute) {
        // Behind the quotation mark.
        let from = at + attribute.len() + 1;
        let digits = xml.get(from..).unwrap_or_default().iter().take_while(|byte| byte.is_ascii_digit()).count();
        let number = xml.get(from..from + digits).and_then(|digits| std::str::from_utf8(digits).ok());
        // What is too long for a number is too large.
        let is_over = number.is_some_and(|number| number.parse::<u64>().map_or(digits > 0, |number| number > most));
        if is_over && from >= done {
            made.extend_from_slice(&xml[done..from]);
            made.extend_from_slice(most.to_string().as_bytes());
            done = from + digits;
        }
    }
    made.extend_from_slice(xml.get(done..).unwrap_or_default());
    made
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Conversion;
    use crate::document::testing::{converted, zip};

    #[test]
    fn numbers_over_the_most_are_cut_to_it() {
        let cut = |xml: &str| String::from_utf8(clamped(xml.as_bytes(), b"repeated=", 50)).unwrap();
        assert_eq!(cut("<r repeated=\"51\"/><r repeated='50'/>"), "<r repeated=\"50\"/><r repeated='50'/>");
        assert_eq!(cut("<r repeated=\"99999999999999999999999\">x"), "<r repeated=\"50\">x");
        for same in ["<r repeated=\"\"/>", "<r repeated=", "<r repeated=\"x1\"/>", "", "<r repeated=\"-9\"/>"] {
            assert_eq!(cut(same), same);
        }
    }

    /// An ODS of these tables.
    fn ods(tables: &str) -> Conversion {
        let content = format!(
            "<office:document-content><office:body><office:spreadsheet>{tables}</office:spreadsheet></office:body>\
             </office:document-content>"
        );
        let parts = [
            ("mimetype", "application/vnd.oasis.opendocument.spreadsheet"),
            ("content.xml", content.as_str()),
            ("META-INF/manifest.xml", "<manifest></manifest>"),
        ];
        converted("a.ods", &zip(&parts), None)
    }

    fn cell(attributes: &str, text: &str) -> String {
        format!("<table:table-cell {attributes}><text:p>{text}</text:p></table:table-cell>")
    }

    #[test]
    fn a_wrong_value_is_shown_as_its_text_and_ends_no_sheet() {
        let value = |value: &str| format!("office:value-type='float' office:value='{value}'");
        for (wrong, text) in
            [(value(""), "none"), (value("1,5"), "1,5"), ("office:boolean-value='yes'".to_owned(), "yes")]
        {
            let rows = [cell(&value("2"), "2"), cell(&wrong, text), cell("office:value-type='string'", "a")];
            // A number is needed before its reader gives up at one that is none.
            let last = cell(&value("x"), "7");
            let tables = format!(
                "<table:table table:name='S'>\n<table:table-row>{}</table:table-row>\
                 <table:table-row>{last}</table:table-row></table:table>",
                rows.concat()
            );
            let found = ods(&tables);
            let expected = format!("## S\n| 2 | {text} | a |\n| --- | --- | --- |\n| 7 |  |  |\n");
            assert_eq!(found.markdown, expected, "{wrong} {:?}", found.notes);
            let notes: Vec<&str> = found.notes.iter().map(|note| note.message.as_str()).collect();
            let said = "the values of 2 of its cells are written wrongly: the texts of the cells are shown for them";
            assert_eq!(notes, [said]);
        }
    }

    #[test]
    fn sheets_of_one_name_have_each_their_own_cells() {
        let table = |text: &str, comment: &str| {
            let cell = format!(
                "<table:table-cell office:value-type='string'>{comment}<text:p>{text}</text:p></table:table-cell>"
            );
            format!("<table:table table:name='S'><table:table-row>{cell}</table:table-row></table:table>")
        };
        let comment = "<office:annotation><text:p>Why</text:p></office:annotation>";
        let found = ods(&[table("one", ""), table("two", comment), table("three", "")].concat());
        let sheet = |text: &str| format!("## S\n| {text} |\n| --- |\n");
        let expected = format!("{}\n{}\n**Comments**\n\n- A1: Why\n\n{}", sheet("one"), sheet("two"), sheet("three"));
        assert_eq!((found.markdown, found.notes.len()), (expected, 0), "{:?}", found.notes);
    }

    #[test]
    fn rows_in_which_blanks_stand_between_cells_are_read() {
        let row = format!(
            "<table:table-row>\n  {}\n  <!-- b -->\n</table:table-row>",
            cell("office:value-type='string'", "a")
        );
        let found = ods(&format!("<table:table table:name='S'>\n{row}\n</table:table>"));
        assert_eq!((found.markdown.as_str(), found.notes.len()), ("## S\n| a |\n| --- |\n", 0), "{:?}", found.notes);
    }
}
