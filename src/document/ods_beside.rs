//! What stands beside the cells of an ODS: texts that are drawn on its sheets, comments, and where links lead.

use std::io::BufRead;

use quick_xml::events::BytesStart;

use super::cell_links::LINKS_MAX;
use super::input::{Failure, Input};
use super::markup::{self, Event};
use super::office::beside::Told;
use super::office::package::Package;
use super::out::Out;
use super::unlisted::Opened;

/// Texts and comments that are kept.
const MOST: usize = 10_000;
/// What says in words what a drawing shows.
pub const SAYING: [&str; 2] = ["svg:title", "svg:desc"];
/// Blanks that a text may repeat.
const BLANKS_MAX: usize = 100;

/// What stands beside the cells of the sheets, in their order; and whether what is said of a drawing stands in the text of a
/// cell.
///
/// # Errors
/// Where the package cannot be read.
pub fn read(zip: Opened<'_>, out: &mut Out<'_>) -> Result<(Vec<Told>, bool), Failure> {
    // What is the matter with the file was told when its cells were opened.
    let mut silent = |_| Ok(());
    let mut package = Package::of(zip, &mut Out::new(u64::MAX, &mut silent))?;
    let Some(text) = package.text("content.xml")? else { return Ok((Vec::new(), false)) };
    let mut book = Book::default();
    book.read(text, out)?;
    Ok((book.sheets, book.is_said_in_text))
}

/// Whether the content is said to be encrypted: as it stands in the file, it is no content then.
#[must_use]
pub fn is_encrypted(input: &Input<'_>) -> bool {
    let mut silent = |_| Ok(());
    let Ok(mut package) = Package::open(input, &mut Out::new(u64::MAX, &mut silent)) else { return false };
    let Ok(Some(list)) = package.small("META-INF/manifest.xml") else { return false };
    let (mut events, mut buffer, mut is_content) = (markup::reader(list), Vec::new(), false);
    loop {
        buffer.clear();
        match events.read_event_into(&mut buffer) {
            Ok(Event::Start(element)) if element.local_name().into_inner() == "file-entry" => {
                // What is encrypted as a whole stands in the list as a package of its own.
                let part = markup::attribute(&element, "full-path");
                is_content = part.is_some_and(|part| matches!(part.as_str(), "content.xml" | "encrypted-package"));
            }
            Ok(Event::Start(element) | Event::Empty(element))
                if is_content && element.local_name().into_inner() == "encryption-data" =>
            {
                return true;
            }
            Ok(Event::Eof) | Err(_) => return false,
            Ok(_) => {}
        }
    }
}

/// A workbook while it is read.
#[derive(Default)]
struct Book {
    sheets: Vec<Told>,
    kept: usize,
    links: usize,
    /// Whether a sheet is open, and how many tables within each other are.
    in_sheet: bool,
    depth: usize,
    /// The row and the column, from 0, and how often they repeat.
    row: (u64, u64),
    column: (u64, u64),
    /// Whether what is drawn in the cell is taken for a part of its text.
    in_text: bool,
    /// Drawings within each other that are open, and paragraphs.
    drawn: usize,
    paragraphs: usize,
    in_comment: bool,
    /// Whether what is read says what a drawing shows, and whether such stood in the text of a cell.
    is_said: bool,
    is_said_in_text: bool,
    words: String,
    comment: String,
}

impl Book {
    fn read(&mut self, text: impl BufRead, out: &mut Out<'_>) -> Result<(), Failure> {
        let (mut events, mut buffer) = (markup::reader(text), Vec::new());
        let mut seen = 0;
        loop {
            buffer.clear();
            let event = events.read_event_into(&mut buffer);
            let at = events.buffer_position();
            out.beat(at.saturating_sub(seen))?;
            seen = at;
            match event {
                Ok(Event::Start(element)) => self.begin(&element),
                Ok(Event::Empty(element)) => {
                    self.begin(&element);
                    self.end(element.name().into_inner());
                }
                Ok(Event::End(element)) => self.end(element.name().into_inner()),
                Ok(Event::Text(text)) => self.say(&text.xml10_content()),
                Ok(Event::CData(text)) => self.say(&text.xml10_content()),
                Ok(Event::GeneralRef(reference)) => self.say(&markup::entity(&reference)),
                Ok(Event::Eof) | Err(_) => return Ok(()),
                Ok(_) => {}
            }
        }
    }

    /// Where words go, if they are of a comment or drawn.
    fn place(&mut self) -> Option<&mut String> {
        match (self.in_comment, self.is_said || self.drawn > 0 && !self.in_text) {
            (true, _) => Some(&mut self.comment),
            (false, true) => Some(&mut self.words),
            (false, false) => None,
        }
    }

    fn say(&mut self, more: &str) {
        if (self.paragraphs > 0 || self.is_said)
            && let Some(place) = self.place()
        {
            place.push_str(more);
        }
    }

    fn begin(&mut self, element: &BytesStart<'_>) {
        let get = |name| markup::attribute(element, name);
        let times = |name| get(name).and_then(|times| times.parse::<u64>().ok()).unwrap_or(1);
        let name = element.name().into_inner();
        if is_drawn(name) {
            self.drawn += 1;
            return;
        }
        if SAYING.contains(&name) && self.drawn > 0 {
            self.is_said = true;
            self.is_said_in_text |= self.in_text;
            if !self.words.is_empty() {
                self.words.push('\n');
            }
            return;
        }
        match markup::local(name) {
            "table" => {
                self.depth += 1;
                if self.depth == 1 {
                    // What has no name is no sheet.
                    (self.in_sheet, self.row) = (get("name").is_some(), (0, 1));
                    self.sheets.extend(self.in_sheet.then(Told::default));
                }
            }
            "table-row" if self.depth == 1 => {
                (self.row.1, self.column) = (times("number-rows-repeated"), (0, 1));
            }
            "table-cell" | "covered-table-cell" if self.depth == 1 => {
                self.column.1 = times("number-columns-repeated");
                self.in_text = get("value-type").is_some_and(|kind| kind == "string") && get("string-value").is_none();
            }
            "annotation" => self.in_comment = true,
            "a" if self.depth == 1 && self.paragraphs > 0 && !self.in_comment && (self.drawn == 0 || self.in_text) => {
                self.link(get("href").unwrap_or_default());
            }
            "p" | "h" => {
                self.paragraphs += 1;
                if let Some(place) = self.place().filter(|place| !place.is_empty()) {
                    place.push('\n');
                }
            }
            "s" => {
                let blanks = usize::try_from(times("c")).unwrap_or(BLANKS_MAX).min(BLANKS_MAX);
                self.say(&" ".repeat(blanks));
            }
            "tab" => self.say("\t"),
            "line-break" => self.say("\n"),
            _ => {}
        }
    }

    fn end(&mut self, name: &str) {
        if SAYING.contains(&name) {
            self.is_said = false;
            return;
        }
        if is_drawn(name) {
            self.drawn = self.drawn.saturating_sub(1);
            if self.drawn == 0 {
                let words = std::mem::take(&mut self.words);
                self.keep(&words, |told, words| told.texts.push(words));
            }
            return;
        }
        match markup::local(name) {
            "table" => {
                self.depth = self.depth.saturating_sub(1);
                if self.depth == 0 {
                    self.in_sheet = false;
                }
            }
            "table-row" if self.depth == 1 => self.row.0 = self.row.0.saturating_add(self.row.1),
            "table-cell" | "covered-table-cell" if self.depth == 1 => {
                self.column.0 = self.column.0.saturating_add(self.column.1);
                self.in_text = false;
            }
            "annotation" => {
                self.in_comment = false;
                let words = std::mem::take(&mut self.comment);
                let cell = cell(self.row.0, self.column.0);
                self.keep(&words, |told, words| told.comments.push((cell, words)));
            }
            "p" | "h" => self.paragraphs = self.paragraphs.saturating_sub(1),
            _ => {}
        }
    }

    /// A link of the cell; one that leads to a place in the workbook is none that is told.
    fn link(&mut self, target: String) {
        let place = u32::try_from(self.row.0).ok().zip(u32::try_from(self.column.0).ok());
        if let Some((place, sheet)) = place.zip(self.sheets.last_mut().filter(|_| self.in_sheet))
            && self.links < LINKS_MAX
            && !target.starts_with('#')
        {
            self.links += 1;
            sheet.links.add(place, target);
        }
    }

    fn keep(&mut self, words: &str, to: impl FnOnce(&mut Told, String)) {
        let words = words.trim();
        if !self.in_sheet || words.is_empty() || self.kept >= MOST {
            return;
        }
        if let Some(sheet) = self.sheets.last_mut() {
            self.kept += 1;
            to(sheet, words.to_owned());
        }
    }
}

/// Whether an element is drawn.
fn is_drawn(name: &str) -> bool {
    name.starts_with("draw:") || name.starts_with("dr3d:")
}

/// What a cell is called, by its row and column from 0.
#[must_use]
pub fn cell(row: u64, column: u64) -> String {
    let (mut letters, mut left) = (Vec::new(), Some(column));
    while let Some(column) = left {
        letters.push(char::from(b'A' + u8::try_from(column % 26).unwrap_or(0)));
        left = (column / 26).checked_sub(1);
    }
    let letters: String = letters.into_iter().rev().collect();
    format!("{letters}{}", row.saturating_add(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_called_as_programs_call_them() {
        let names = [(0, 0), (9, 25), (0, 26), (2, 701), (0, 702)].map(|(row, column)| cell(row, column));
        assert_eq!(names, ["A1", "Z10", "AA1", "ZZ3", "AAA1"]);
    }
}
