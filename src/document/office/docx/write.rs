//! Writes finished paragraphs and tables: into the document, a cell, a text box, or a note.

use crate::content::one_line;
use crate::document::grid::Grid;
use crate::document::heading;
use crate::document::out::{Out, Stop};
use crate::document::piece::{Place, PlaceKind};

use super::numbering::{Counters, Numbering};
use super::part::{Boxed, Finished, Note, Paragraph};
use super::run::{BREAK, Becomes, join};
use super::styles::Styles;

/// Tables within each other; deeper ones are only passed through.
const TABLES_MAX: usize = 12;

/// A table that is open.
#[derive(Default)]
pub struct Table {
    grid: Grid,
    cell: String,
    span: usize,
    /// Whether the row was deleted.
    deleted: bool,
    /// Pages that begin in it, with the numbers of their rows.
    pages: Vec<(usize, u32)>,
}

impl Table {
    /// A row begins.
    pub fn row(&mut self) {
        self.grid.row();
        self.deleted = false;
    }

    /// The row was deleted: its cells are none.
    pub fn delete_row(&mut self) {
        self.deleted = true;
    }

    /// A cell begins.
    pub fn cell(&mut self) {
        self.cell.clear();
        self.span = 1;
    }

    /// The cell spans so many columns.
    pub fn span(&mut self, columns: usize) {
        self.span = columns;
    }

    /// So many columns are left out before the row's first cell.
    pub fn before(&mut self, columns: usize) {
        for _ in 0..columns.min(100) {
            self.grid.cell(String::new(), 1, 1);
        }
    }

    /// The cell ends.
    pub fn end_cell(&mut self) {
        let text = std::mem::take(&mut self.cell);
        if !self.deleted {
            self.grid.cell(text, self.span, 1);
        }
    }

    fn add(&mut self, text: &str) {
        if !self.cell.is_empty() && !text.is_empty() {
            self.cell.push(' ');
        }
        self.cell.push_str(text);
    }
}

/// White space before an item of a list for each one in which it stands; more where that one's mark is wider.
const INDENT: usize = 3;

/// A block as a part of a line.
fn in_line(block: &str) -> String {
    one_line(block)
}

/// Where finished text goes, and what it follows.
pub struct Writer<'a> {
    /// The document's styles.
    pub styles: &'a Styles,
    /// The document's lists.
    pub numbering: &'a Numbering,
    /// How far its lists were counted.
    pub counters: Counters,
    /// Notes that were read.
    pub notes: Vec<Note>,
    /// The newest page.
    pub page: u32,
    /// Whether the pages were told.
    pub told_first: bool,
    /// Whether the pages are those on which Word laid the text out, and not only what the author's breaks tell.
    rendered: bool,
    note: Option<(Note, bool)>,
    tables: Vec<Table>,
    flat: usize,
    /// Pages that begin before the next block.
    pages: Vec<u32>,
    in_list: bool,
    /// The items in which the newest stands, and it: their levels, and where their words begin.
    items: Vec<(u8, usize)>,
    in_code: bool,
}

impl<'a> Writer<'a> {
    /// Begins.
    pub fn new(styles: &'a Styles, numbering: &'a Numbering, rendered: bool) -> Writer<'a> {
        Writer {
            styles,
            numbering,
            counters: Counters::default(),
            notes: Vec::new(),
            page: 1,
            told_first: false,
            rendered,
            note: None,
            tables: Vec::new(),
            flat: 0,
            pages: Vec::new(),
            in_list: false,
            items: Vec::new(),
            in_code: false,
        }
    }

    /// Counts a page; gives its number.
    pub fn next_page(&mut self) -> u32 {
        self.page = self.page.saturating_add(1);
        self.page
    }

    /// The newest page begins before the next block.
    pub fn page_follows(&mut self) {
        self.pages.push(self.page);
    }

    /// Whether a table is open.
    pub fn in_table(&self) -> bool {
        !self.tables.is_empty()
    }

    /// A note begins; what is not a real one is left out.
    pub fn begin_note(&mut self, note: Note, real: bool) {
        self.note = Some((note, real));
    }

    /// The note ends.
    pub fn end_note(&mut self) {
        if let Some((note, true)) = self.note.take() {
            self.notes.push(note);
        }
    }

    /// A table begins.
    pub fn begin_table(&mut self) {
        if self.tables.len() < TABLES_MAX { self.tables.push(Table::default()) } else { self.flat += 1 }
    }

    /// Does something with the innermost table.
    pub fn with_table(&mut self, act: impl FnOnce(&mut Table)) {
        if self.flat == 0
            && let Some(table) = self.tables.last_mut()
        {
            act(table);
        }
    }

    /// The innermost table ends; nothing where it was only passed through.
    pub fn end_table(&mut self) -> Option<Finished> {
        if self.flat > 0 {
            self.flat -= 1;
            return None;
        }
        let table = self.tables.pop()?;
        let text = if self.in_table() { table.grid.in_line() } else { table.grid.finish() };
        Some(Finished { text, pages: table.pages })
    }

    /// A block that is finished: into the cell or note that is open, or the document.
    ///
    /// # Errors
    /// When there is enough.
    pub fn finished(&mut self, block: Finished, out: &mut Out<'_>) -> Result<(), Stop> {
        match (self.tables.last_mut(), &mut self.note) {
            (Some(around), _) => around.add(&in_line(&block.text)),
            (None, Some((note, _))) => note.text.push_str(&in_line(&block.text)),
            (None, None) => {
                self.end_code(out)?;
                self.of_its_own(&block.text, &block.pages, out)?;
            }
        }
        Ok(())
    }

    /// A block, with the pages that begin before the rows of a table.
    fn of_its_own(&mut self, text: &str, pages: &[(usize, u32)], out: &mut Out<'_>) -> Result<(), Stop> {
        let mut pages = pages.iter().peekable();
        let mut part = String::new();
        out.blank_line()?;
        for (number, line) in text.split_inclusive('\n').enumerate() {
            // Behind the first row, a line divides it from the others.
            let row = number.saturating_sub(1);
            while let Some((_, page)) = pages.next_if(|(first, _)| *first <= row) {
                self.rows(&mut part, out)?;
                self.pages.push(*page);
            }
            part.push_str(line);
        }
        self.rows(&mut part, out)?;
        self.pages.extend(pages.map(|(_, page)| *page));
        if text.is_empty() { Ok(()) } else { out.text("\n") }
    }

    /// Rows of a table, on the newest page.
    fn rows(&mut self, rows: &mut String, out: &mut Out<'_>) -> Result<(), Stop> {
        if rows.is_empty() {
            return Ok(());
        }
        self.in_list = false;
        self.tell_pages(out)?;
        out.text(&std::mem::take(rows))
    }

    /// A paragraph ends; what its text boxes hold follows it.
    ///
    /// # Errors
    /// When there is enough.
    pub fn paragraph(&mut self, mut paragraph: Paragraph, out: &mut Out<'_>) -> Result<(), Stop> {
        let boxed = std::mem::take(&mut paragraph.boxed);
        self.without_boxes(&paragraph, out)?;
        self.in_list &= boxed.is_empty();
        for one in boxed {
            match one {
                Boxed::Paragraph(paragraph) => self.paragraph(paragraph, out)?,
                Boxed::Block(block) => self.finished(block, out)?,
            }
        }
        Ok(())
    }

    fn without_boxes(&mut self, paragraph: &Paragraph, out: &mut Out<'_>) -> Result<(), Stop> {
        let own = paragraph.outline.filter(|level| *level < 9).map(|level| (level + 1).min(6));
        let heading = self.styles.heading(&paragraph.style).or(own);
        let becomes = match heading {
            Some(_) if self.note.is_none() && self.tables.is_empty() => Becomes::Heading,
            None if !self.styles.is_code(&paragraph.style) => Becomes::Text,
            _ => Becomes::Words,
        };
        let (text, pages) = join(&paragraph.pieces, becomes);
        let mark = if heading.is_none() { self.list_mark(paragraph) } else { None };
        if let Some((note, _)) = &mut self.note {
            let space = if note.text.is_empty() { "" } else { " " };
            note.text.push_str(space);
            note.text.push_str(text.trim());
            return Ok(());
        }
        if let Some(table) = self.tables.first_mut() {
            let row = table.grid.newest();
            table.pages.extend(pages.iter().map(|(_, page)| (row, *page)));
        }
        if let Some(table) = self.tables.last_mut() {
            table.add(&format!(
                "{}{}",
                mark.map(|(mark, _)| mark).unwrap_or_default(),
                text.trim().replace(BREAK, " ")
            ));
            return Ok(());
        }
        if !self.styles.is_code(&paragraph.style) {
            self.end_code(out)?;
        }
        match (heading, mark) {
            (Some(level), _) => {
                let line = one_line(&text);
                self.pages.extend(pages.iter().map(|(_, page)| *page));
                if !line.is_empty() {
                    self.block(&heading::marked(usize::from(level), &line), out)?;
                }
            }
            (None, Some(mark)) if !text.trim().is_empty() => self.item(mark, &text, &pages, out)?,
            _ if self.styles.is_code(&paragraph.style) => self.code(&text, &pages, out)?,
            _ => self.plain(&text, &pages, out)?,
        }
        Ok(())
    }

    /// What stands before an item of a list, and its level.
    fn list_mark(&mut self, paragraph: &Paragraph) -> Option<(String, u8)> {
        let (style, styles) = (&paragraph.style, self.styles);
        let own = paragraph.list.clone();
        let by_style = |list: &str| styles.list_level(style, list, self.numbering).filter(|_| own.is_none());
        let list = own.clone().or_else(|| styles.list(style))?;
        let level = paragraph.level.or_else(|| by_style(&list)).unwrap_or(0);
        let mark = self.numbering.mark(&list, level, &mut self.counters)?;
        Some((mark, level.max(styles.list_depth(style))))
    }

    /// A paragraph, with the pages that begin in it.
    fn plain(&mut self, text: &str, pages: &[(usize, u32)], out: &mut Out<'_>) -> Result<(), Stop> {
        let within = self.begin_pages(text, pages);
        if text.trim().is_empty() {
            return Ok(());
        }
        self.in_list = false;
        out.blank_line()?;
        self.tell_pages(out)?;
        let lead = text.len() - text.trim_start().len();
        self.spread(text.trim(), within.iter().map(|(at, page)| (at - lead, *page)), out)
    }

    /// An item of a list of a level behind its mark, with the pages that begin in it. It stands in the newest one of a
    /// lesser level, wherever that list begins: behind something else, white space before it would make it code.
    fn item(
        &mut self,
        (mark, level): (String, u8),
        text: &str,
        pages: &[(usize, u32)],
        out: &mut Out<'_>,
    ) -> Result<(), Stop> {
        let within = self.begin_pages(text, pages);
        let lead = text.len() - text.trim_start().len();
        let words = text.trim();
        let goes_on = std::mem::replace(&mut self.in_list, true);
        if !goes_on {
            out.blank_line()?;
            self.items.clear();
        }
        self.tell_pages(out)?;
        while self.items.pop_if(|(above, _)| *above >= level).is_some() {}
        let indent = self.items.last().map_or(0, |(_, words)| (INDENT * self.items.len()).max(*words));
        let mark = format!("{}{mark}", " ".repeat(indent));
        let inner = mark.trim_end_matches("[x] ").trim_end_matches("[ ] ").len();
        self.items.push((level, inner));
        let item = format!("{mark}{}", words.replace('\n', &format!("\n{}", " ".repeat(inner))));
        // A page that begins with a line does so before the white space of that line.
        let breaks = |at: usize| words.bytes().take(at.saturating_sub(1)).filter(|byte| *byte == b'\n').count();
        let moved = within.iter().map(|(at, page)| (at - lead, *page));
        self.spread(&item, moved.map(|(at, page)| (mark.len() + at + breaks(at) * inner, page)), out)
    }

    /// A line of code, with the pages that begin in it.
    fn code(&mut self, text: &str, pages: &[(usize, u32)], out: &mut Out<'_>) -> Result<(), Stop> {
        let within = self.begin_pages(text, pages);
        if !std::mem::replace(&mut self.in_code, true) {
            self.block("```", out)?;
        }
        self.tell_pages(out)?;
        self.spread(text, within.into_iter(), out)
    }

    /// Takes the pages that begin before the first word of a text; gives the others.
    fn begin_pages(&mut self, text: &str, pages: &[(usize, u32)]) -> Vec<(usize, u32)> {
        let lead = text.len() - text.trim_start().len();
        let (early, within): (Vec<_>, Vec<_>) = pages.iter().copied().partition(|(at, _)| *at <= lead);
        self.pages.extend(early.into_iter().map(|(_, page)| page));
        within
    }

    /// A text with the pages that begin within it; those behind it begin before the next block.
    fn spread(&mut self, text: &str, pages: impl Iterator<Item = (usize, u32)>, out: &mut Out<'_>) -> Result<(), Stop> {
        let mut from = 0;
        for (at, page) in pages {
            if at < text.len() {
                out.text(&text[from..at])?;
                self.tell(page, out)?;
                from = at;
            } else {
                self.pages.push(page);
            }
        }
        out.text(&text[from..])?;
        out.text("\n")
    }

    /// A block of its own.
    fn block(&mut self, text: &str, out: &mut Out<'_>) -> Result<(), Stop> {
        self.in_list = false;
        if text.is_empty() {
            return Ok(());
        }
        out.blank_line()?;
        self.tell_pages(out)?;
        out.block(text)
    }

    /// Ends a block of code.
    ///
    /// # Errors
    /// When there is enough.
    pub fn end_code(&mut self, out: &mut Out<'_>) -> Result<(), Stop> {
        if std::mem::take(&mut self.in_code) { out.text("```\n") } else { Ok(()) }
    }

    fn tell_pages(&mut self, out: &mut Out<'_>) -> Result<(), Stop> {
        for page in std::mem::take(&mut self.pages) {
            self.tell(page, out)?;
        }
        Ok(())
    }

    fn tell(&mut self, page: u32, out: &mut Out<'_>) -> Result<(), Stop> {
        let place = |page| if self.rendered { Place::numbered(PlaceKind::Page, page) } else { Place::page_from(page) };
        if !std::mem::replace(&mut self.told_first, true) {
            out.anchor_at_start(place(1))?;
        }
        out.anchor(place(page))
    }
}

#[cfg(test)]
mod tests {
    use crate::document::heading::said;
    use crate::document::testing::{converted, zip};

    #[test]
    fn a_heading_says_what_its_text_does() {
        let titles = [
            ("The __init__ method", "The __init__ method"),
            ("`code` tick", "`code` tick"),
            ("back\\slash \\* x", "back\\slash \\* x"),
            ("&amp;amp; entity", "&amp; entity"),
            ("vector&lt;int&gt; well", "vector<int> well"),
            ("Item #", "Item #"),
            ("R&amp;D in snake_case", "R&D in snake_case"),
        ];
        // Word splits its runs.
        let run = |text: &str| format!("<w:r><w:t xml:space='preserve'>{text}</w:t></w:r>");
        let bold = |text: &str| format!("<w:r><w:rPr><w:b/></w:rPr><w:t xml:space='preserve'>{text}</w:t></w:r>");
        let heading = |(text, _): &(&str, &str)| {
            let (first, rest) = text.split_at(text.find(' ').unwrap());
            format!("<w:p><w:pPr><w:pStyle w:val='Heading1'/></w:pPr>{}{}</w:p>", run(first), bold(rest))
        };
        let cell = format!("<w:tbl><w:tr><w:tc>{}</w:tc></w:tr></w:tbl>", heading(&titles[0]));
        let body = titles.iter().map(heading).collect::<String>() + &cell;
        let document = format!("<w:document><w:body>{body}</w:body></w:document>");
        let found = converted("a.docx", &zip(&[("word/document.xml", &document)]), None).markdown;
        let lines: Vec<&str> = found.lines().filter(|line| line.starts_with('#')).collect();
        assert_eq!(lines.len(), titles.len(), "{found}");
        for (line, (_, shown)) in lines.iter().zip(titles) {
            assert_eq!(said(line), shown, "{line}");
        }
        assert_eq!(lines.last(), Some(&"# R&D in snake_case"));
        assert!(found.contains("| The __init__ method |") && !found.contains('\u{FDD2}'), "{found}");
    }
}
