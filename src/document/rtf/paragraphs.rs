//! The paragraphs of RTF as Markdown: headings, lists, tables, notes.

use crate::content::one_line;
use crate::document::heading::heading;
use crate::document::office::docx::run::Becomes;
use crate::document::out::{Out, Stop};
use crate::document::table::escape_cell;

use super::words::{Look, Words};

/// Bytes of a paragraph that are held.
const TEXT_MAX: usize = 4 << 20;
/// Cells of a row, and notes, that are shown.
const CELLS_MAX: usize = 1_000;
const NOTES_MAX: usize = 10_000;
/// Links that are shown as such.
const LINKS_MAX: usize = 100_000;
/// Columns by which an item stands further right than that which it is part of, and levels that are told apart.
const INDENT: usize = 4;
const LEVELS_MAX: usize = 8;

/// What a text beside that of the paragraph is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Beside {
    /// A note.
    Note,
    /// What stands before an item of a list.
    Mark,
    /// A fact of this name.
    Fact(&'static str),
}

/// What is written, paragraph by paragraph.
#[derive(Default)]
pub struct Paragraphs {
    text: Words,
    /// Texts around the present one: the groups that end it, what it is, and what stood before it.
    around: Vec<(usize, Beside, Words)>,
    /// The targets of links.
    links: Vec<String>,
    /// What stands before the paragraph, where it is an item of a list, and the level of that.
    mark: Option<String>,
    depth: usize,
    notes: Vec<String>,
    /// Whether the paragraph stands in a cell, and the cells before it in its row.
    is_in_cell: bool,
    cells: Vec<String>,
    /// Whether the last that was written is a row.
    is_in_table: bool,
    /// Its level, where it is a heading.
    level: Option<usize>,
}

impl Paragraphs {
    /// More text.
    pub fn push(&mut self, text: &str, look: Look) {
        self.text.push(text, look);
    }

    /// The number of a link to a target, one more than there are.
    pub fn link(&mut self, target: String) -> Option<usize> {
        let number = self.links.len();
        (number < LINKS_MAX).then(|| self.links.push(target))?;
        Some(number)
    }

    /// Whether the text is that of a fact.
    pub fn is_fact(&self) -> bool {
        matches!(self.around.last(), Some((_, Beside::Fact(_), _)))
    }

    /// A fact begins, in the innermost of so many groups.
    pub fn open_fact(&mut self, name: &str, depth: usize) {
        let known = ["title", "author", "subject", "keywords"].into_iter().find(|known| *known == name);
        if let Some(name) = known {
            self.open(Beside::Fact(name), depth);
        }
    }

    fn open(&mut self, what: Beside, depth: usize) {
        self.around.push((depth, what, std::mem::take(&mut self.text)));
    }

    /// The innermost of so many groups ends.
    pub fn close(&mut self, depth: usize, out: &mut Out<'_>) {
        while let Some((_, what, before)) = self.around.pop_if(|(own, ..)| *own >= depth) {
            let words = std::mem::replace(&mut self.text, before);
            let text = words.plain();
            match what {
                Beside::Fact(name) => out.fact(name, text),
                Beside::Mark if self.text.is_empty() && !text.is_empty() => {
                    // A letter alone is drawn as a circle.
                    let is_counted = text.contains(char::is_alphanumeric) && text != "o";
                    let mark = if is_counted { format!("{text} ") } else { "* ".to_owned() };
                    match self.is_in_cell || !self.around.is_empty() {
                        true => self.text.push(&mark, Look::default()),
                        false => self.mark = Some(mark),
                    }
                }
                Beside::Mark => {}
                Beside::Note if text.is_empty() || self.notes.len() >= NOTES_MAX => {}
                Beside::Note => {
                    self.notes.push(one_line(&words.markdown(Becomes::Words, &self.links)));
                    self.text.push(&format!("[^{}]", self.notes.len()), Look::default());
                }
            }
        }
    }

    /// A control word that is about paragraphs, in the innermost of so many groups.
    ///
    /// # Errors
    /// When there is enough.
    pub fn control(&mut self, word: &str, number: Option<i32>, depth: usize, out: &mut Out<'_>) -> Result<(), Stop> {
        match word {
            "footnote" => self.open(Beside::Note, depth),
            "listtext" | "pntext" => self.open(Beside::Mark, depth),
            "pard" => (self.is_in_cell, self.level, self.depth) = (false, None, 0),
            "ilvl" => self.depth = number.and_then(|level| usize::try_from(level).ok()).unwrap_or(0).min(LEVELS_MAX),
            "intbl" => self.is_in_cell = true,
            "outlinelevel" => {
                let level = number.and_then(|level| usize::try_from(level).ok());
                self.level = level.filter(|level| *level < 9).map(|level| level + 1);
            }
            // Within a cell or a note, lines and paragraphs are parts of one.
            "line" | "par" | "sect" | "page" | "column" if !self.around.is_empty() || self.is_in_cell => {
                self.text.push(" ", Look::default());
            }
            "nestcell" | "nestrow" => self.text.push(" ", Look::default()),
            "line" => self.text.push("\n", Look::default()),
            "par" | "sect" | "page" | "column" => return self.paragraph(out),
            "cell" => {
                let cell = std::mem::take(&mut self.text);
                if self.cells.len() < CELLS_MAX {
                    self.cells.push(cell.markdown(Becomes::Words, &self.links));
                }
            }
            "row" => return self.row(out),
            _ => {}
        }
        if self.text.len() > TEXT_MAX && self.around.is_empty() {
            return self.paragraph(out);
        }
        Ok(())
    }

    fn paragraph(&mut self, out: &mut Out<'_>) -> Result<(), Stop> {
        self.is_in_table = false;
        let (words, mark) = (std::mem::take(&mut self.text), self.mark.take());
        let plain = words.plain();
        match (self.level, mark) {
            _ if plain.is_empty() => Ok(()),
            (Some(level), mark) => {
                out.block(&heading(level, &one_line(&format!("{}{plain}", mark.unwrap_or_default()))))
            }
            (None, None) => out.block(&words.markdown(Becomes::Text, &self.links)),
            (None, Some(mark)) => {
                let indent = " ".repeat(INDENT * self.depth);
                let inner = format!("\n{indent}{}", " ".repeat(mark.chars().count()));
                let item = words.markdown(Becomes::Text, &self.links).replace('\n', &inner);
                out.block(&format!("{indent}{mark}{item}"))
            }
        }
    }

    /// A row; the first of a table is its header.
    fn row(&mut self, out: &mut Out<'_>) -> Result<(), Stop> {
        let cells = std::mem::take(&mut self.cells);
        if cells.is_empty() {
            return Ok(());
        }
        let mut row = String::from("|");
        for cell in &cells {
            row.push(' ');
            escape_cell(cell, &mut row);
            row.push_str(" |");
        }
        row.push('\n');
        if !std::mem::replace(&mut self.is_in_table, true) {
            out.blank_line()?;
            row.push_str(&format!("|{}\n", " --- |".repeat(cells.len())));
        }
        out.text(&row)
    }

    /// What is left at the end, and the notes.
    ///
    /// # Errors
    /// When there is enough.
    pub fn end(&mut self, out: &mut Out<'_>) -> Result<(), Stop> {
        self.close(0, out);
        self.row(out)?;
        self.paragraph(out)?;
        for (number, note) in (1..).zip(std::mem::take(&mut self.notes)) {
            out.block(&format!("[^{number}]: {note}"))?;
        }
        Ok(())
    }
}
