//! The shapes of a slide, as a tree, with where they stand.

use std::io::BufRead;

use quick_xml::events::BytesStart;

use crate::document::grid::Grid;
use crate::document::input::Failure;
use crate::document::markup::{self, Event};
use crate::document::office::math::Math;
use crate::document::out::Out;
use crate::document::script::Script;

/// Groups within each other; deeper ones are only passed through.
const GROUPS_MAX: usize = 32;

/// What a shape shows.
#[derive(Clone, Debug)]
pub enum Shows {
    /// Nothing, or only lines.
    Nothing,
    /// A picture.
    Picture,
    /// A table, as Markdown.
    Table(String),
    /// A chart, by the id of its relation.
    Chart(String),
    /// A diagram, by the id of its data's relation.
    Diagram(String),
    /// Other shapes.
    Group(Vec<Shape>),
}

/// One shape.
#[derive(Clone, Debug)]
pub struct Shape {
    /// Distance from the slide's top and left edges, in its own units, where it is said.
    pub place: Option<(i64, i64)>,
    /// Name, as the author or the program gave it. Untrusted.
    pub name: String,
    /// What it shows, in words, for those who cannot see it. Untrusted.
    pub alt: String,
    /// For placeholders: what for, and which.
    pub placeholder: Option<(String, String)>,
    /// What it shows.
    pub shows: Shows,
    /// Its text.
    pub paragraphs: Vec<Paragraph>,
}

/// What stands before a paragraph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bullet {
    /// Nothing.
    None,
    /// A sign.
    Sign,
    /// A number, and where its list begins.
    Number(u32),
}

/// A paragraph of a shape.
#[derive(Clone, Debug, Default)]
pub struct Paragraph {
    /// Level of indentation.
    pub level: usize,
    /// What stands before it, where that is not for its placeholder to say.
    pub bullet: Option<Bullet>,
    /// Text and the id of the link that it is part of.
    pub runs: Vec<(String, Option<String>)>,
}

/// Reads shapes.
pub struct Shapes {
    open: Vec<Shape>,
    /// For each open shape, the element that it is.
    names: Vec<&'static str>,
    flat: usize,
    skipped: usize,
    link: Option<String>,
    /// Whether the run stands above or below the line.
    script: Option<Script>,
    in_text: bool,
    grid: Option<(Grid, usize)>,
    math: Option<(Math, usize)>,
    done: Vec<Shape>,
}

impl Shapes {
    /// Reads a slide, a layout, a master or notes.
    ///
    /// # Errors
    /// Never but for what `out` says. Damaged XML is told as a note.
    pub fn read(text: impl BufRead, out: &mut Out<'_>) -> Result<Vec<Shape>, Failure> {
        let mut shapes = Shapes {
            open: Vec::new(),
            names: Vec::new(),
            flat: 0,
            skipped: 0,
            link: None,
            script: None,
            in_text: false,
            grid: None,
            math: None,
            done: Vec::new(),
        };
        let mut events = markup::reader(text);
        let (mut buffer, mut open) = (Vec::new(), markup::OpenElements::default());
        loop {
            buffer.clear();
            let event = events.read_event_into(&mut buffer);
            open.see(&event);
            match event {
                Ok(Event::Start(element)) => shapes.begin(&element),
                Ok(Event::Empty(element)) => {
                    shapes.begin(&element);
                    shapes.end(element.local_name().into_inner());
                }
                Ok(Event::End(element)) => shapes.end(element.local_name().into_inner()),
                Ok(Event::Text(text)) => shapes.text(&text.xml10_content()),
                Ok(Event::CData(text)) => shapes.text(&text.xml10_content()),
                Ok(Event::GeneralRef(reference)) => shapes.text(&markup::entity(&reference)),
                Ok(Event::Eof) => {
                    if open.any() {
                        out.lost("its XML ends in the middle", "what stands before is shown");
                    }
                    break;
                }
                Ok(_) => {}
                Err(why) => {
                    out.lost(format!("its XML is damaged: {why}"), "what stands before is shown");
                    break;
                }
            }
        }
        while !shapes.open.is_empty() {
            shapes.close();
        }
        Ok(shapes.done)
    }

    fn begin(&mut self, element: &BytesStart<'_>) {
        let name = element.local_name();
        let name = name.into_inner();
        if self.skipped > 0 {
            self.skipped += 1;
            return;
        }
        if let Some((math, depth)) = &mut self.math {
            *depth += 1;
            self.in_text = name == "t";
            math.begin(name, markup::attribute(element, "val"));
            return;
        }
        if !self.begin_shape(name, element) && !self.begin_table(name, element) {
            self.begin_text(name, element);
        }
    }

    /// A shape, what it is and where it stands; whether the element was such.
    fn begin_shape(&mut self, name: &str, element: &BytesStart<'_>) -> bool {
        let get = |name: &str| markup::attribute(element, name);
        match name {
            "Fallback" => self.skipped = 1,
            "sp" | "pic" | "graphicFrame" | "cxnSp" => self.push(name),
            "grpSp" if self.names.iter().filter(|name| **name == "grpSp").count() >= GROUPS_MAX => self.flat += 1,
            "grpSp" => self.push(name),
            "cNvPr" => {
                if let Some(shape) = self.open.last_mut()
                    && shape.name.is_empty()
                {
                    shape.name = get("name").unwrap_or_default();
                    shape.alt = get("descr").unwrap_or_default();
                }
            }
            "ph" => {
                let kind = get("type").unwrap_or_else(|| "obj".to_owned());
                let which = get("idx").unwrap_or_default();
                self.shape(|shape| shape.placeholder = Some((kind, which)));
            }
            "off" => {
                let place = number(element, "y").zip(number(element, "x"));
                self.shape(|shape| shape.place = shape.place.or(place));
            }
            "chart" => {
                if let Some(id) = markup::prefixed(element, "id") {
                    self.shape(|shape| shape.shows = Shows::Chart(id));
                }
            }
            "relIds" => {
                if let Some(id) = markup::prefixed(element, "dm") {
                    self.shape(|shape| shape.shows = Shows::Diagram(id));
                }
            }
            _ => return false,
        }
        true
    }

    /// A table, its rows and cells; whether the element was such.
    fn begin_table(&mut self, name: &str, element: &BytesStart<'_>) -> bool {
        match name {
            "tbl" => self.grid = Some((Grid::default(), 0)),
            "tr" => {
                if let Some((grid, _)) = &mut self.grid {
                    grid.row();
                }
            }
            "tc" => {
                let merged = ["hMerge", "vMerge"].iter().any(|name| markup::attribute(element, name).is_some());
                let span = number(element, "gridSpan").and_then(|span| usize::try_from(span).ok()).unwrap_or(1);
                if let Some((_, columns)) = &mut self.grid {
                    // What a span covers follows as cells of its own.
                    *columns = if merged { 0 } else { span.min(1) };
                }
                self.shape(|shape| shape.paragraphs.clear());
            }
            _ => return false,
        }
        true
    }

    /// Paragraphs, their bullets, and what they hold.
    fn begin_text(&mut self, name: &str, element: &BytesStart<'_>) {
        match name {
            "p" => self.shape(|shape| shape.paragraphs.push(Paragraph::default())),
            "pPr" => {
                let level = number(element, "lvl").and_then(|level| usize::try_from(level).ok()).unwrap_or(0).min(8);
                self.paragraph(|paragraph| paragraph.level = level);
            }
            "buNone" => self.paragraph(|paragraph| paragraph.bullet = Some(Bullet::None)),
            "buChar" | "buBlip" => self.paragraph(|paragraph| paragraph.bullet = Some(Bullet::Sign)),
            "buAutoNum" => {
                let start = number(element, "startAt").and_then(|start| u32::try_from(start).ok()).unwrap_or(1);
                self.paragraph(|paragraph| paragraph.bullet = Some(Bullet::Number(start)));
            }
            "r" | "fld" => (self.link, self.script) = (None, None),
            "rPr" => {
                self.script = match number(element, "baseline") {
                    Some(1..) => Some(Script::Super),
                    Some(..=-1) => Some(Script::Sub),
                    _ => None,
                }
            }
            "hlinkClick" => self.link = markup::prefixed(element, "id").filter(|id| !id.is_empty()),
            "t" => self.in_text = true,
            "br" => self.add("\n"),
            "oMath" => {
                let mut math = Math::default();
                math.begin(name, None);
                self.math = Some((math, 1));
            }
            _ => {}
        }
    }

    fn end(&mut self, name: &str) {
        if self.skipped > 0 {
            self.skipped -= 1;
            return;
        }
        if let Some((math, depth)) = &mut self.math {
            *depth -= 1;
            math.end();
            self.in_text = false;
            if *depth == 0 {
                let latex = std::mem::take(math).finish();
                self.math = None;
                self.add(&format!("${latex}$"));
            }
            return;
        }
        match name {
            "t" => self.in_text = false,
            "grpSp" if self.flat > 0 => self.flat -= 1,
            "sp" | "pic" | "graphicFrame" | "cxnSp" | "grpSp" if self.names.last() == Some(&kind(name)) => self.close(),
            "tc" => {
                let text = self.open.last().map(|shape| plain(&shape.paragraphs, " ")).unwrap_or_default();
                if let Some((grid, columns)) = &mut self.grid {
                    grid.cell(if *columns == 0 { String::new() } else { text.replace('\n', " ") }, 1, 1);
                }
                self.shape(|shape| shape.paragraphs.clear());
            }
            "tbl" => {
                if let Some((grid, _)) = self.grid.take() {
                    let table = grid.finish();
                    self.shape(|shape| shape.shows = Shows::Table(table));
                }
            }
            _ => {}
        }
    }

    fn push(&mut self, name: &str) {
        let shows = match name {
            "pic" => Shows::Picture,
            "grpSp" => Shows::Group(Vec::new()),
            _ => Shows::Nothing,
        };
        let (name, alt) = (kind(name), String::new());
        self.names.push(name);
        self.open.push(Shape {
            place: None,
            name: String::new(),
            alt,
            placeholder: None,
            shows,
            paragraphs: Vec::new(),
        });
    }

    fn close(&mut self) {
        self.names.pop();
        let Some(shape) = self.open.pop() else {
            return;
        };
        match self.open.last_mut().map(|around| &mut around.shows) {
            Some(Shows::Group(inner)) => inner.push(shape),
            _ => self.done.push(shape),
        }
    }

    fn shape(&mut self, act: impl FnOnce(&mut Shape)) {
        if let Some(shape) = self.open.last_mut() {
            act(shape);
        }
    }

    fn paragraph(&mut self, act: impl FnOnce(&mut Paragraph)) {
        self.shape(|shape| {
            if let Some(paragraph) = shape.paragraphs.last_mut() {
                act(paragraph);
            }
        });
    }

    fn text(&mut self, text: &str) {
        if self.skipped > 0 || !self.in_text {
            return;
        }
        match &mut self.math {
            Some((math, _)) => math.text(text),
            None => {
                let last = self.open.last().and_then(|shape| shape.paragraphs.last()?.runs.last());
                let behind = last.and_then(|(before, _)| before.chars().next_back());
                let scripted = self.script.and_then(|script| script.of(text, behind));
                self.add(scripted.as_deref().unwrap_or(text));
            }
        }
    }

    fn add(&mut self, text: &str) {
        let link = self.link.clone();
        self.paragraph(|paragraph| match paragraph.runs.last_mut() {
            Some((before, same)) if *same == link => before.push_str(text),
            _ => paragraph.runs.push((text.to_owned(), link)),
        });
    }
}

/// A number that an attribute holds.
fn number(element: &BytesStart<'_>, name: &str) -> Option<i64> {
    markup::attribute(element, name)?.parse().ok()
}

/// The element's name, known for as long as the program runs.
fn kind(name: &str) -> &'static str {
    ["sp", "pic", "graphicFrame", "cxnSp", "grpSp"].into_iter().find(|known| *known == name).unwrap_or("sp")
}

/// Text without links.
pub fn plain(paragraphs: &[Paragraph], between: &str) -> String {
    let texts =
        paragraphs.iter().map(|paragraph| paragraph.runs.iter().map(|(text, _)| text.as_str()).collect::<String>());
    texts.filter(|text| !text.trim().is_empty()).collect::<Vec<_>>().join(between)
}

/// Gives placeholders the places that their layout has for them.
pub fn inherit(shapes: &mut [Shape], layout: &[Shape]) {
    for shape in shapes.iter_mut().filter(|shape| shape.place.is_none()) {
        let Some((kind, which)) = &shape.placeholder else {
            continue;
        };
        let same = |other: &&Shape| match &other.placeholder {
            Some((other, number)) => (number == which && !which.is_empty()) || (kind == other && kind != "obj"),
            None => false,
        };
        shape.place = layout.iter().filter(same).find_map(|found| found.place);
    }
}
