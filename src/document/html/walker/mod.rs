//! Walks a parsed page and writes it as Markdown. Without recursion: a page can be nested as deep as it likes.

mod ends;
mod numbers;

use ego_tree::NodeRef;
use ego_tree::iter::Edge;
use scraper::node::Element;
use scraper::{Html, Node};

use super::elements::{BLOCK, HIDDEN, is};
use super::flow::{Flow, unbroken};
use super::marks::{fenced, image, language, picture_source};
use super::pages::{self, Ids, Mark};
use super::{code, generated, layout};
use crate::document::grid::Grid;
use numbers::Numbers;

/// Elements that are gathered on their own within each other; deeper ones are only passed through.
const FRAMES_MAX: usize = 200;
/// Nodes of an element that are looked through for text.
const LOOKED: usize = 5_000;
/// Levels of lists.
const LISTS_MAX: usize = 50;

/// What is gathered on its own, to be written when its element ends.
enum Kind {
    /// The page.
    Page,
    /// `**`, `*`, `~~`
    Marked(&'static str),
    /// `` ` ``
    Code,
    /// A block of code, and its language.
    Pre(String),
    /// A link's target and title.
    Link(String, String),
    /// A heading of a level.
    Heading(usize),
    /// An item, and what stands before it.
    Item(String),
    Quote,
    Definition,
    Table(Grid),
    Caption,
    /// A cell's columns and rows.
    Cell(usize, usize),
}

/// What is written in place of an element and all that it holds.
enum Whole {
    /// In the line.
    Text(String),
    /// As a block.
    Block(String),
}

struct Frame {
    kind: Kind,
    flow: Flow,
    /// The element that it ends with.
    node: ego_tree::NodeId,
}

struct Walker {
    frames: Vec<Frame>,
    /// For each list that is open: its numbers, or none.
    lists: Vec<Option<Numbers>>,
    /// Blocks of code that are open.
    pre: usize,
    /// The pages and chapters of a book that begin in it, in order.
    pages: Vec<Mark>,
}

/// What a page gives.
pub struct Walked {
    /// Its title.
    pub title: String,
    /// Its Markdown, with a mark where a page or a chapter of the book begins.
    pub markdown: String,
    /// What begins at those marks, in their order.
    pub pages: Vec<Mark>,
}

/// Walks through a page; through `within` alone where there are any. Of a book, `ids` tells which begin pages and
/// chapters.
pub fn walk(html: &Html, within: &[ego_tree::NodeId], ids: Option<&Ids>) -> Walked {
    let root = html.tree.root();
    let page = Frame { kind: Kind::Page, flow: Flow::default(), node: root.id() };
    let mut walker = Walker { frames: vec![page], lists: Vec::new(), pre: 0, pages: Vec::new() };
    let mut title = String::new();
    let mut hidden: Option<ego_tree::NodeId> = None;
    let mut in_title = false;
    let mut inside: Option<ego_tree::NodeId> = None;
    for edge in root.traverse() {
        match edge {
            Edge::Open(node) => match node.value() {
                Node::Text(text) if in_title && title.is_empty() => unbroken(text.trim()).clone_into(&mut title),
                Node::Text(text) if hidden.is_none() && (within.is_empty() || inside.is_some()) => walker.text(text),
                Node::Element(element) => {
                    if inside.is_none() && within.contains(&node.id()) {
                        // The element itself may be an item of a list that is not shown.
                        inside = Some(node.id());
                        walker.with(|flow| flow.breaks(2));
                        continue;
                    }
                    in_title = element.name() == "title" && hidden.is_some();
                    if hidden.is_none() {
                        let shown = within.is_empty() || inside.is_some();
                        let bare = shown && pages::is_bare_mark(node, element);
                        let whole = (shown && !bare).then(|| walker.whole(element, node)).flatten();
                        if let Some(whole) = whole {
                            hidden = Some(node.id());
                            walker.write(&whole, ids.map_or_else(Vec::new, |ids| pages::all_begun(node, ids)));
                        } else if bare || is(element.name(), HIDDEN) {
                            hidden = Some(node.id());
                        } else if shown {
                            walker.begin(element, node);
                        }
                        if let Some(ids) = ids.filter(|_| bare || shown && hidden.is_none()) {
                            pages::begun(node, element, ids).into_iter().for_each(|mark| walker.page(mark));
                        }
                    }
                }
                _ => {}
            },
            Edge::Close(node) => {
                if let Node::Element(element) = node.value() {
                    in_title = false;
                    match hidden {
                        Some(id) if id == node.id() => hidden = None,
                        None if within.is_empty() || inside.is_some() => walker.close(element, node),
                        _ => {}
                    }
                    if inside == Some(node.id()) {
                        inside = None;
                    }
                }
            }
        }
    }
    walker.finish(title)
}

impl Walker {
    fn text(&mut self, text: &str) {
        let pre = self.pre > 0;
        if let Some(top) = self.frames.last_mut() {
            // White space between rows and cells is none of the table's.
            match top.kind {
                Kind::Table(_) if text.trim().is_empty() => {}
                _ if pre => top.flow.raw(text),
                _ => top.flow.words(text),
            }
        }
    }

    /// The flow that is being written.
    fn with(&mut self, write: impl FnOnce(&mut Flow)) {
        if let Some(top) = self.frames.last_mut() {
            write(&mut top.flow);
        }
    }

    fn push(&mut self, kind: Kind, node: ego_tree::NodeId) {
        let kept = matches!(kind, Kind::Table(_) | Kind::Cell(..)) && self.frames.len() < 2 * FRAMES_MAX;
        if self.frames.len() < FRAMES_MAX || kept {
            self.pre += usize::from(matches!(kind, Kind::Pre(_)));
            let flow = match kind {
                Kind::Code => Flow::code(),
                Kind::Heading(_) => Flow::heading(),
                _ => self.frames.last().map_or_else(Flow::default, |top| top.flow.part_of_it()),
            };
            self.frames.push(Frame { kind, flow, node });
        }
    }

    /// Whether text of this mark is open already, or code: marks don't double, and are none in code.
    fn is_marked(&self, mark: &str) -> bool {
        self.frames.iter().any(|frame| match frame.kind {
            Kind::Marked(open) => open == mark,
            Kind::Code => true,
            _ => false,
        })
    }

    /// An element, where it is not what its name says; else as that.
    fn begin(&mut self, element: &Element, node: NodeRef<'_, Node>) {
        if let Some(mark) = generated::item(node, element) {
            self.push(Kind::Item(mark), node.id());
        } else if element.name() != "table" || !(code::is_listing(node) || layout::is_layout(node)) {
            self.open(element, node);
        }
    }

    /// What an element is as a whole, where it means something else than what it holds.
    fn whole(&self, element: &Element, node: NodeRef<'_, Node>) -> Option<Whole> {
        if let Some(text) = generated::instead(node, element, self.in_code()) {
            return Some(Whole::Text(text));
        }
        if let Some(markdown) = generated::markdown(node, element) {
            return Some(Whole::Block(markdown));
        }
        let lines = code::lines(node)?;
        Some(Whole::Block(if self.pre > 0 { lines } else { fenced(&lines, &code::language_around(node)) }))
    }

    /// Writes an element as a whole. Pages and chapters that begin anywhere in it begin before it.
    fn write(&mut self, whole: &Whole, begun: Vec<Mark>) {
        let (text, breaks) = match whole {
            Whole::Text(text) => (text, 0),
            Whole::Block(text) => (text, 2),
        };
        let edge = |flow: &mut Flow| {
            if breaks > 0 {
                flow.breaks(breaks)
            }
        };
        self.with(edge);
        begun.into_iter().for_each(|mark| self.page(mark));
        self.with(|flow| flow.raw(text));
        self.with(edge);
    }

    /// A page or a chapter of the book begins here.
    fn page(&mut self, begun: Mark) {
        let mark = pages::mark(self.pages.len());
        self.pages.push(begun);
        self.with(|flow| flow.raw(&mark));
    }

    fn open(&mut self, element: &Element, at: NodeRef<'_, Node>) {
        let node = at.id();
        let attribute = |name: &str| element.attr(name).unwrap_or_default().trim().to_owned();
        match element.name() {
            "b" | "strong" => self.mark("**", node),
            "i" | "em" | "cite" | "dfn" => self.mark("*", node),
            "s" | "del" | "strike" => self.mark("~~", node),
            "code" | "kbd" | "samp" | "tt" if self.pre == 0 => self.open_code(at),
            // Without text it is none of code: pictures stand in it as anywhere.
            "pre" if self.pre == 0 && !holds_text(at) => self.block_break(),
            "pre" if self.pre == 0 => self.push(Kind::Pre(code::language_around(at)), node),
            "code" => {
                let named = language(element);
                if let Some(Kind::Pre(language)) = self.frames.last_mut().map(|frame| &mut frame.kind)
                    && language.is_empty()
                {
                    *language = named;
                }
            }
            // In code it would be read as more of it.
            "a" if self.in_code() => {}
            "a" => self.push(link_of(element), node),
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => {
                let level = element.name().as_bytes().get(1).map_or(1, |digit| usize::from(digit.saturating_sub(b'0')));
                self.push(Kind::Heading(level), node);
            }
            "ul" | "menu" | "dir" => self.open_list(None),
            "ol" => self.open_list(Some(Numbers::of(at, element))),
            "li" => {
                let mark = match self.lists.last_mut() {
                    Some(Some(numbers)) => format!("{}. ", numbers.next(element)),
                    _ => "* ".to_owned(),
                };
                self.push(Kind::Item(generated::indentation(at) + &mark + generated::task(element)), node);
            }
            "dt" => self.with(|flow| flow.breaks(2)),
            "dd" => self.push(Kind::Definition, node),
            "blockquote" => self.push(Kind::Quote, node),
            "table" => self.push(Kind::Table(Grid::default()), node),
            "caption" => self.push(Kind::Caption, node),
            "tr" => {
                if let Some(Kind::Table(grid)) = self.frames.last_mut().map(|frame| &mut frame.kind) {
                    grid.row();
                }
            }
            // A table that is none: its cells stand apart.
            "td" | "th" if !self.in_grid() => self.block_break(),
            "td" | "th" => {
                let span = |name: &str| attribute(name).parse().unwrap_or(1);
                self.push(Kind::Cell(span("colspan"), span("rowspan")), node);
            }
            "br" => self.line_break(),
            "hr" => self.with(|flow| flow.block("---")),
            "img" if self.in_code() => self.text(&unbroken(&attribute("alt"))),
            "img" => {
                let image = image(&attribute("alt"), &picture_source(element), &attribute("title"));
                self.with(|flow| flow.raw(&image));
            }
            "input" => {
                let checked = if element.attr("checked").is_some() { "[x] " } else { "[ ] " };
                match attribute("type").as_str() {
                    "checkbox" | "radio" => self.with(|flow| flow.raw(checked)),
                    "submit" | "button" => {
                        let value = attribute("value");
                        self.with(|flow| flow.words(&value));
                    }
                    _ => {}
                }
            }
            "q" => self.with(|flow| flow.raw("\"")),
            name if stands_apart(name) && shows_text(at) => self.with(Flow::part_words),
            name if is(name, BLOCK) => self.block_break(),
            _ => {}
        }
    }

    /// Code in a line. Where all of it is a link, it is code that is linked.
    fn open_code(&mut self, code: NodeRef<'_, Node>) {
        match only_link(code).filter(|_| !self.in_code()) {
            Some((link, element)) => {
                self.push(link_of(element), code.id());
                self.push(Kind::Code, link.id());
            }
            None => self.push(Kind::Code, code.id()),
        }
    }

    /// Whether code is open, of either kind.
    fn in_code(&self) -> bool {
        self.pre > 0 || self.frames.iter().any(|frame| matches!(frame.kind, Kind::Code))
    }

    /// Whether a table is what is gathered.
    fn in_grid(&self) -> bool {
        matches!(self.frames.last().map(|frame| &frame.kind), Some(Kind::Table(_)))
    }

    fn mark(&mut self, mark: &'static str, node: ego_tree::NodeId) {
        if self.pre == 0 && !self.is_marked(mark) {
            self.push(Kind::Marked(mark), node);
        }
    }

    fn line_break(&mut self) {
        let pre = self.pre > 0;
        self.with(|flow| if pre { flow.raw("\n") } else { flow.line_break() });
    }

    /// The edge of a block; in code, where blocks are lines, that of a line.
    fn block_break(&mut self) {
        let count = if self.pre > 0 { 1 } else { 2 };
        self.with(|flow| flow.breaks(count));
    }

    fn open_list(&mut self, first: Option<Numbers>) {
        let inner = !self.lists.is_empty();
        self.with(|flow| flow.breaks(if inner { 1 } else { 2 }));
        if self.lists.len() < LISTS_MAX {
            self.lists.push(first);
        }
    }

    fn close(&mut self, element: &Element, at: NodeRef<'_, Node>) {
        if self.frames.len() > 1 && self.frames.last().is_some_and(|frame| frame.node == at.id()) {
            self.end_frame();
            return;
        }
        match element.name() {
            "ul" | "menu" | "dir" | "ol" => {
                self.lists.pop();
                let inner = !self.lists.is_empty();
                self.with(|flow| flow.breaks(if inner { 1 } else { 2 }));
            }
            "dt" => self.with(|flow| flow.breaks(1)),
            "pre" if self.pre == 0 => self.block_break(),
            "td" | "th" if !self.in_grid() => self.block_break(),
            "q" => self.with(|flow| flow.raw("\"")),
            name if stands_apart(name) && shows_text(at) => self.with(Flow::part_words),
            name if is(name, BLOCK) => self.block_break(),
            _ => {}
        }
    }

    fn finish(mut self, title: String) -> Walked {
        while self.frames.len() > 1 {
            self.end_frame();
        }
        let markdown = self.frames.pop().map_or_else(String::new, |frame| frame.flow.finish());
        Walked { title, markdown, pages: self.pages }
    }
}

/// Whether an element's words are none with those beside it, though it stands in the line: a control, what stands in for
/// a medium, a text of a drawing.
fn stands_apart(name: &str) -> bool {
    let controls = ["option", "button", "select", "textarea", "label"];
    let media = ["video", "audio", "object", "canvas", "svg", "text", "title", "desc"];
    controls.contains(&name) || media.contains(&name)
}

/// What is gathered for a link.
fn link_of(element: &Element) -> Kind {
    let attribute = |name: &str| element.attr(name).unwrap_or_default().trim().to_owned();
    Kind::Link(attribute("href"), attribute("title"))
}

/// The link that is all that an element shows.
fn only_link<'a>(node: NodeRef<'a, Node>) -> Option<(NodeRef<'a, Node>, &'a Element)> {
    let mut shown = node.children().filter(|child| match child.value() {
        Node::Text(text) => !text.trim().is_empty(),
        Node::Element(element) => !pages::is_bare_mark(*child, element),
        _ => false,
    });
    let (only, None) = (shown.next()?, shown.next()) else { return None };
    only.value().as_element().filter(|element| element.name() == "a").map(|element| (only, element))
}

/// Whether any text in an element is shown, or it holds more than is looked through.
fn shows_text(node: NodeRef<'_, Node>) -> bool {
    let hides = |parent: NodeRef<'_, Node>| parent.value().as_element().is_some_and(|one| is(one.name(), HIDDEN));
    let shows = |inner: NodeRef<'_, Node>| {
        let text = inner.value().as_text().is_some_and(|text| !text.trim().is_empty());
        text && !inner.parent().is_some_and(hides)
    };
    node.descendants().take(LOOKED).any(shows) || node.descendants().nth(LOOKED).is_some()
}

/// Whether there is any text in an element.
fn holds_text(node: NodeRef<'_, Node>) -> bool {
    node.descendants().take(LOOKED).any(|inner| inner.value().as_text().is_some_and(|text| !text.trim().is_empty()))
}
