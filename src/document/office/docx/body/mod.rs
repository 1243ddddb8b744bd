//! Reads the elements of a Word part as they come, and keeps what is open: paragraphs, runs, fields, tables.

mod begin;

use std::io::BufRead;

use crate::document::input::Failure;
use crate::document::markup::{self, Event};
use crate::document::office::math::Math;
use crate::document::office::package::Relations;
use crate::document::office::symbols::{is_shown, symbol};
use crate::document::out::Out;
use crate::document::script::Script;

use super::embedded::Embedded;
use super::field::{Field, link_of};
use super::layout::Layout;
use super::numbering::Numbering;
use super::part::{Boxed, Ended, Finished, Note, Paragraph, source};
use super::run::{Marks, Piece};
use super::styles::Styles;
use super::write::{Table, Writer};

/// Paragraphs within each other (text boxes).
const PARAGRAPHS_MAX: usize = 20;

/// Reads a part.
pub struct Body<'a> {
    relations: &'a Relations,
    embedded: &'a Embedded,
    writer: Writer<'a>,
    paragraphs: Vec<Paragraph>,
    too_many: usize,
    /// Tables (true) and text boxes that are open.
    around: Vec<bool>,
    skipped: usize,
    fields: Vec<Field>,
    links: Vec<Option<String>>,
    in_run: bool,
    in_text: bool,
    in_code: bool,
    marks: Marks,
    /// Whether the run stands above or below the line.
    script: Option<Script>,
    /// The font of the run. Untrusted.
    font: String,
    math: Option<(Math, usize, bool)>,
    /// Whether the reading of signs is open, and what it says: it stands before them, and is shown behind them.
    reading: (bool, String),
    display: bool,
    alt: String,
    /// Whether no text has come since a page break that the author set; Word's own mark of it follows.
    fresh_page: bool,
    /// Whether the newest page holds something.
    used_page: bool,
    /// Sections that begin on a page of their own, and the number of the newest.
    sections: &'a [bool],
    section: usize,
    /// Whether the properties of a paragraph, of a row are open.
    in_properties: (bool, bool),
    /// A paragraph that the next one goes on with, and the paragraphs around it.
    joined: Option<(Paragraph, usize)>,
    /// The relation of a document that stands here.
    imported: Option<String>,
    ended: Ended,
}

impl<'a> Body<'a> {
    /// Begins.
    pub fn new(
        (styles, numbering): (&'a Styles, &'a Numbering),
        (relations, embedded): (&'a Relations, &'a Embedded),
        layout: &'a Layout,
    ) -> Body<'a> {
        Body {
            relations,
            embedded,
            writer: Writer::new(styles, numbering, layout.rendered),
            paragraphs: Vec::new(),
            too_many: 0,
            around: Vec::new(),
            skipped: 0,
            fields: Vec::new(),
            links: Vec::new(),
            in_run: false,
            in_text: false,
            in_code: false,
            marks: Marks::default(),
            script: None,
            font: String::new(),
            math: None,
            reading: (false, String::new()),
            display: false,
            alt: String::new(),
            fresh_page: false,
            used_page: false,
            sections: &layout.sections,
            section: 0,
            in_properties: (false, false),
            joined: None,
            imported: None,
            ended: Ended::default(),
        }
    }

    /// Reads the part to its end.
    ///
    /// # Errors
    /// When there is enough. Damaged XML is told as a note.
    pub fn read(&mut self, text: impl BufRead, out: &mut Out<'_>) -> Result<(), Failure> {
        let mut events = markup::reader(text);
        let (mut buffer, mut open) = (Vec::new(), markup::OpenElements::default());
        loop {
            buffer.clear();
            let event = events.read_event_into(&mut buffer);
            open.see(&event);
            match event {
                Ok(Event::Start(element)) => {
                    if element.local_name().into_inner() == "tbl" {
                        self.end_joined(out)?;
                    }
                    self.begin(&element);
                }
                Ok(Event::Empty(element)) => {
                    self.begin(&element);
                    self.end(element.local_name().into_inner(), out)?;
                }
                Ok(Event::End(element)) => self.end(element.local_name().into_inner(), out)?,
                Ok(Event::Text(text)) => self.text(&text.xml10_content()),
                Ok(Event::CData(text)) => self.text(&text.xml10_content()),
                Ok(Event::GeneralRef(reference)) => self.text(&markup::entity(&reference)),
                Ok(Event::Eof) => {
                    if open.any() {
                        out.lost("its text ends in the middle", "what stands before is shown");
                    }
                    break;
                }
                Ok(_) => {}
                Err(why) => {
                    let place = events.error_position();
                    out.lost(format!("its text is damaged at byte {place}: {why}"), "what stands before is shown");
                    break;
                }
            }
        }
        // What was open when the text ended early.
        while !self.paragraphs.is_empty() {
            self.end("p", out)?;
        }
        self.end_joined(out)?;
        while self.writer.in_table() {
            self.end_table(out)?;
        }
        self.writer.end_code(out)?;
        Ok(())
    }

    /// What it refers to, and its pages.
    pub fn finish(self) -> Ended {
        Ended { pages: self.writer.page, told: self.writer.told_first, ..self.ended }
    }

    fn text(&mut self, text: &str) {
        if self.skipped > 0 {
            return;
        }
        if let Some((math, ..)) = &mut self.math {
            if self.in_text {
                math.text(text);
            }
        } else if self.in_text {
            if self.code_around(1).is_none() {
                self.fresh_page &= text.trim().is_empty();
                self.used_page |= !text.trim().is_empty();
            }
            if let Some(field) = self.fields.last_mut() {
                field.answered |= field.in_result;
            }
            // A symbol font's signs stand in the private area.
            let sign = |sign: char| if is_shown(&sign) { None } else { symbol(&self.font, u32::from(sign)) };
            let shown: String = text.chars().map(|one| sign(one).unwrap_or(one)).collect();
            let shown = self.script.and_then(|script| script.of(&shown, self.last())).unwrap_or(shown);
            let is_reading = self.reading.0;
            match self.code_around(1) {
                Some(code) => code.push_str(&shown),
                None if is_reading => self.reading.1.push_str(&shown),
                None => self.add(&shown),
            }
        } else if self.in_code
            && let Some(field) = self.fields.last_mut()
        {
            field.code.push_str(text);
        }
    }

    /// The last sign of the text so far.
    fn last(&self) -> Option<char> {
        match self.paragraphs.last()?.pieces.last()? {
            Piece::Text(before, _) => before.chars().next_back(),
            Piece::Raw(_) | Piece::Page(..) => None,
        }
    }

    /// Adds text of the newest run.
    fn add(&mut self, text: &str) {
        let marks = self.marks.clone();
        if let Some(paragraph) = self.paragraphs.last_mut() {
            match paragraph.pieces.last_mut() {
                Some(Piece::Text(before, same)) if *same == marks => before.push_str(text),
                _ => paragraph.pieces.push(Piece::Text(text.to_owned(), marks)),
            }
        }
    }

    fn raw(&mut self, text: String) {
        self.used_page = true;
        if let Some(paragraph) = self.paragraphs.last_mut() {
            paragraph.pieces.push(Piece::Raw(text));
        }
    }

    fn page(&mut self, wished: bool) {
        self.used_page = false;
        let page = self.writer.next_page();
        if let Some(paragraph) = self.paragraphs.last_mut() {
            paragraph.pieces.push(Piece::Page(page, wished));
        }
    }

    /// A page begins because the author wished it.
    fn page_wished(&mut self) {
        self.page(true);
        self.fresh_page = true;
    }

    /// A note is referred to here.
    fn refer(&mut self, id: String) {
        self.ended.notes.entry(id).or_insert(self.writer.page);
    }

    /// Writes a paragraph that none goes on with.
    fn end_joined(&mut self, out: &mut Out<'_>) -> Result<(), Failure> {
        match self.joined.take() {
            Some((paragraph, _)) if !paragraph.pieces.is_empty() || !paragraph.boxed.is_empty() => {
                self.place(paragraph, out)
            }
            _ => Ok(()),
        }
    }

    /// The paragraph whose text box is open; none where a table is open in it.
    fn host(&mut self) -> Option<&mut Paragraph> {
        if self.around.last() == Some(&true) { None } else { self.paragraphs.last_mut() }
    }

    /// Writes a paragraph, or keeps it for the one whose text box it stands in.
    fn place(&mut self, mut paragraph: Paragraph, out: &mut Out<'_>) -> Result<(), Failure> {
        let Some(host) = self.host() else {
            return Ok(self.writer.paragraph(paragraph, out)?);
        };
        // Its text comes later than that of the pages around it.
        paragraph.pieces.retain(|piece| !matches!(piece, Piece::Page(..)));
        host.boxed.push(Boxed::Paragraph(paragraph));
        Ok(())
    }

    /// The innermost table ends.
    fn end_table(&mut self, out: &mut Out<'_>) -> Result<(), Failure> {
        self.around.pop();
        match (self.writer.end_table(), self.host()) {
            (Some(table), Some(host)) => host.boxed.push(Boxed::Block(table)),
            (Some(table), None) => self.writer.finished(table, out)?,
            (None, _) => {}
        }
        Ok(())
    }

    /// The code that the result of a field is a part of: that of the nearest open field, but for the `newest`, whose
    /// own result has not begun.
    fn code_around(&mut self, newest: usize) -> Option<&mut String> {
        let around = self.fields.len().saturating_sub(newest);
        self.fields.iter_mut().take(around).rev().find(|field| !field.in_result).map(|field| &mut field.code)
    }

    fn field(&mut self, kind: Option<&str>) {
        match kind {
            Some("begin") => self.fields.push(Field::default()),
            Some("separate") => {
                if let Some(field) = self.fields.last_mut()
                    && !field.in_result
                {
                    field.in_result = true;
                    self.links.push(link_of(&field.code));
                }
            }
            Some("end") => {
                let Some(field) = self.fields.pop() else { return };
                if field.in_result {
                    self.links.pop();
                }
                let shown = field.shown();
                if let Some(code) = self.code_around(0) {
                    code.push_str(&shown);
                } else if !shown.is_empty() {
                    self.used_page = true;
                    self.add(&shown);
                }
            }
            _ => {}
        }
    }

    /// A picture, by the id of its relation.
    fn image(&mut self, id: Option<String>) {
        if let Some(relation) = id.and_then(|id| self.relations.get(&id)) {
            let alt = std::mem::take(&mut self.alt);
            self.raw(crate::document::html::image(&alt, &source(relation), ""));
        }
    }

    /// A chart or a diagram, by the id of its relation: it follows the paragraph.
    fn drawn(&mut self, id: Option<String>) {
        let Some(text) = id.and_then(|id| self.embedded.get(&id)).filter(|text| !text.is_empty()) else { return };
        if let Some(paragraph) = self.paragraphs.last_mut() {
            self.used_page = true;
            paragraph.boxed.push(Boxed::Block(Finished { text: text.clone(), pages: Vec::new() }));
        }
    }

    /// A document that is to stand here ends, and is written.
    fn import(&mut self, out: &mut Out<'_>) -> Result<(), Failure> {
        self.end_joined(out)?;
        match self.imported.take().and_then(|id| self.embedded.get(&id)) {
            Some(text) => Ok(self.writer.finished(Finished { text: text.clone(), pages: Vec::new() }, out)?),
            None => Ok(()),
        }
    }

    fn end(&mut self, name: &str, out: &mut Out<'_>) -> Result<(), Failure> {
        if self.skipped > 0 {
            self.skipped -= 1;
            return Ok(());
        }
        if let Some((math, depth, display)) = &mut self.math {
            *depth -= 1;
            self.in_text = false;
            math.end();
            if *depth == 0 {
                let (latex, mark) = (std::mem::take(math).finish(), if *display { "$$" } else { "$" });
                self.math = None;
                if !latex.is_empty() {
                    self.raw(format!("{mark}{latex}{mark}"));
                }
            }
            return Ok(());
        }
        match name {
            "p" if self.too_many > 0 => self.too_many -= 1,
            "p" => {
                if let Some(paragraph) = self.paragraphs.pop() {
                    let around = self.paragraphs.len();
                    let ends_section = paragraph.ends_section;
                    if paragraph.joined {
                        self.end_joined(out)?;
                        self.joined = Some((paragraph, around));
                    } else {
                        self.place(paragraph, out)?;
                    }
                    if ends_section && self.sections.get(self.section).copied().unwrap_or(false) {
                        self.page_wished();
                        self.writer.page_follows();
                    }
                }
            }
            "pPr" => {
                self.in_properties.0 = false;
                let styles = self.writer.styles;
                let wishes = |one: &Paragraph| one.page_before.unwrap_or_else(|| styles.page_before(&one.style));
                if self.used_page && self.paragraphs.last().is_some_and(wishes) {
                    self.page_wished();
                }
            }
            "trPr" => self.in_properties.1 = false,
            "txbxContent" => {
                self.end_joined(out)?;
                self.around.pop();
            }
            "r" => self.in_run = false,
            "t" => self.in_text = false,
            "rt" => self.reading.0 = false,
            "ruby" => {
                let (_, reading) = std::mem::take(&mut self.reading);
                if !reading.trim().is_empty() {
                    self.add(&format!("({})", reading.trim()));
                }
            }
            "instrText" => self.in_code = false,
            "oMathPara" => self.display = false,
            "hyperlink" => drop(self.links.pop()),
            "fldSimple" => {
                self.links.pop();
                self.fields.pop();
            }
            "altChunk" => self.import(out)?,
            "footnote" | "endnote" | "comment" => {
                self.end_joined(out)?;
                self.writer.end_note();
            }
            "tc" => {
                self.end_joined(out)?;
                self.writer.with_table(Table::end_cell);
            }
            "tbl" => self.end_table(out)?,
            _ => {}
        }
        Ok(())
    }

    /// The notes that were read.
    pub fn into_notes(self) -> Vec<Note> {
        self.writer.notes
    }
}
