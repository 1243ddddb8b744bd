//! Reads the elements of a Word part as they come, and keeps what is open: paragraphs, runs, fields, tables.

use std::io::BufRead;

use quick_xml::events::BytesStart;

use crate::document::input::Failure;
use crate::document::markup::{self, Event};
use crate::document::office::math::Math;
use crate::document::office::package::Relations;
use crate::document::office::symbols::{is_shown, symbol};
use crate::document::out::Out;

use super::field::{Field, link_of, linked};
use super::layout::Layout;
use super::numbering::Numbering;
use super::part::{Boxed, Ended, Note, Paragraph, on, sign, source};
use super::run::{Marks, Piece};
use super::styles::Styles;
use super::write::{Table, Writer};

/// Paragraphs within each other (text boxes).
const PARAGRAPHS_MAX: usize = 20;
/// Elements that are not part of the text: what was deleted or moved, and second versions of drawings.
const SKIPPED: &[&str] = &["del", "moveFrom", "Fallback", "sdtPr", "tblPrEx", "pPrChange", "rPrChange"];

/// Reads a part.
pub struct Body<'a> {
    relations: &'a Relations,
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
    /// The font of the run. Untrusted.
    font: String,
    math: Option<(Math, usize, bool)>,
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
    ended: Ended,
}

impl<'a> Body<'a> {
    /// Begins.
    pub fn new(styles: &'a Styles, numbering: &'a Numbering, relations: &'a Relations, layout: &'a Layout) -> Body<'a> {
        Body {
            relations,
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
            font: String::new(),
            math: None,
            display: false,
            alt: String::new(),
            fresh_page: false,
            used_page: false,
            sections: &layout.sections,
            section: 0,
            in_properties: (false, false),
            joined: None,
            ended: Ended::default(),
        }
    }

    /// Reads the part to its end.
    ///
    /// # Errors
    /// When there is enough. Damaged XML is told as a note.
    pub fn read(&mut self, text: impl BufRead, out: &mut Out<'_>) -> Result<(), Failure> {
        let mut events = markup::reader(text);
        let mut buffer = Vec::new();
        loop {
            buffer.clear();
            match events.read_event_into(&mut buffer) {
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
                Ok(Event::Eof) => break,
                Ok(_) => {}
                Err(why) => {
                    out.note(format!(
                        "its text is damaged at byte {}: {why}; what stands before is shown",
                        events.error_position()
                    ));
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

    fn begin(&mut self, element: &BytesStart<'_>) {
        let name = element.local_name();
        let name = name.into_inner();
        let value = || markup::attribute(element, "val");
        if self.skipped > 0 {
            self.skipped += 1;
            return;
        }
        if let Some((math, depth, _)) = &mut self.math {
            *depth += 1;
            self.in_text = name == "t";
            math.begin(name, value());
            return;
        }
        match name {
            "pPr" => self.in_properties.0 = true,
            "trPr" => self.in_properties.1 = true,
            "del" | "moveFrom" if self.in_properties != (false, false) => {
                if self.in_properties.1 {
                    self.writer.with_table(Table::delete_row);
                } else if let Some(paragraph) = self.paragraphs.last_mut() {
                    paragraph.joined = true;
                }
            }
            "sectPr" => {
                self.section += 1;
                self.skipped = 1;
                if let Some(paragraph) = self.paragraphs.last_mut() {
                    paragraph.ends_section = true;
                }
            }
            "pageBreakBefore" => {
                if let Some(paragraph) = self.paragraphs.last_mut() {
                    paragraph.page_before = Some(on(element));
                }
            }
            _ if SKIPPED.contains(&name) => self.skipped = 1,
            "p" if self.paragraphs.len() >= PARAGRAPHS_MAX => self.too_many += 1,
            "p" => {
                let depth = self.paragraphs.len();
                let before = self.joined.take_if(|(_, around)| *around == depth);
                let Paragraph { pieces, boxed, .. } = before.map(|(before, _)| before).unwrap_or_default();
                self.paragraphs.push(Paragraph { pieces, boxed, ..Paragraph::default() });
            }
            "pStyle" | "numId" | "ilvl" | "outlineLvl" => {
                if let (Some(paragraph), Some(value)) = (self.paragraphs.last_mut(), value()) {
                    paragraph.property(name, value);
                }
            }
            "r" => {
                self.in_run = true;
                self.font.clear();
                self.marks = Marks { link: self.links.iter().rev().flatten().next().cloned(), ..Marks::default() };
            }
            "t" => self.in_text = true,
            "instrText" => self.in_code = true,
            "oMathPara" => self.display = true,
            "oMath" => {
                let mut math = Math::default();
                math.begin("oMath", None);
                self.math = Some((math, 1, self.display));
            }
            "hyperlink" => {
                let target = markup::prefixed(element, "id").and_then(|id| self.relations.get(&id));
                let target = target.map(|relation| relation.target.clone());
                let place = ["anchor", "docLocation"].iter().find_map(|name| markup::attribute(element, name));
                self.links.push(linked(target, place));
            }
            "fldSimple" => {
                let code = markup::attribute(element, "instr").unwrap_or_default();
                self.links.push(link_of(&code));
            }
            _ if self.fields.last_mut().is_some_and(|field| field.form(name, element)) => {}
            "fldChar" => self.field(markup::attribute(element, "fldCharType").as_deref()),
            "docPr" => {
                let get = |name| markup::attribute(element, name).filter(|text| !text.trim().is_empty());
                self.alt = get("descr").or_else(|| get("title")).unwrap_or_default();
            }
            "blip" => self.image(markup::prefixed(element, "embed").or_else(|| markup::prefixed(element, "link"))),
            "imagedata" => {
                self.alt = markup::attribute(element, "title").unwrap_or_default();
                self.image(markup::prefixed(element, "id"));
            }
            "footnoteReference" | "endnoteReference" => {
                let mark = if name == "endnoteReference" { "e" } else { "" };
                if let Some(id) = markup::attribute(element, "id") {
                    self.raw(format!("[^{mark}{id}]"));
                    self.refer(format!("{mark}{id}"));
                }
            }
            "commentReference" => {
                let id = markup::attribute(element, "id").unwrap_or_default();
                self.refer(format!("c{id}"));
            }
            "footnote" | "endnote" | "comment" => {
                // Separators have a type; real notes have none.
                let real = markup::attribute(element, "type").is_none_or(|kind| kind == "normal");
                self.writer.begin_note(Note::begin(element), real);
            }
            "txbxContent" => self.around.push(false),
            "tbl" => {
                self.around.push(true);
                self.writer.begin_table();
            }
            "tr" => self.writer.with_table(Table::row),
            "tc" => self.writer.with_table(Table::cell),
            "gridSpan" | "gridBefore" => {
                let span = value().and_then(|value| value.parse().ok()).unwrap_or(1);
                self.writer.with_table(|table| if name == "gridSpan" { table.span(span) } else { table.before(span) });
            }
            _ if self.in_run => self.run(name, element),
            _ => {}
        }
    }

    /// What a run holds beside its text.
    fn run(&mut self, name: &str, element: &BytesStart<'_>) {
        let value = || markup::attribute(element, "val");
        let on = || on(element);
        match name {
            "rFonts" => self.font = markup::attribute(element, "ascii").unwrap_or_default(),
            "b" => self.marks.bold = on(),
            "i" => self.marks.italic = on(),
            "strike" | "dstrike" => self.marks.struck = on(),
            "rStyle" => self.writer.styles.mark(&value().unwrap_or_default(), &mut self.marks),
            "tab" => self.add("\t"),
            "noBreakHyphen" => self.add("-"),
            "cr" => self.raw("  \n".to_owned()),
            "br" if markup::attribute(element, "type").as_deref() == Some("page") => self.page_wished(),
            "br" => self.raw("  \n".to_owned()),
            "lastRenderedPageBreak" if !std::mem::take(&mut self.fresh_page) => self.page(false),
            "sym" => self.add(sign(element).encode_utf8(&mut [0; 4])),
            _ => {}
        }
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
            match self.code_around(1) {
                Some(code) => code.push_str(&shown),
                None => self.add(&shown),
            }
        } else if self.in_code
            && let Some(field) = self.fields.last_mut()
        {
            field.code.push_str(text);
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
            (Some(table), Some(host)) => host.boxed.push(Boxed::Table(table)),
            (Some(table), None) => self.writer.table(table, out)?,
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
            "instrText" => self.in_code = false,
            "oMathPara" => self.display = false,
            "hyperlink" | "fldSimple" => {
                self.links.pop();
            }
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
