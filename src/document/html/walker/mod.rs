//! Walks a parsed page and writes it as Markdown. Without recursion: a page can be nested as deep as it likes.

use ego_tree::NodeRef;
use ego_tree::iter::Edge;
use scraper::node::Element;
use scraper::{Html, Node};

use super::flow::{Flow, indent, one_line};
use super::generated;
use super::marks::{fenced, image, link, marked, picture_source};
use super::redirect::resolved;
use crate::document::grid::Grid;

/// Elements that are gathered on their own within each other; deeper ones are only passed through.
const FRAMES_MAX: usize = 200;
/// Levels of lists.
const LISTS_MAX: usize = 50;

/// Elements whose content is not shown. What `object`, `canvas` and the like hold is meant for readers who cannot show
/// them: for us.
const HIDDEN: &[&str] = &["script", "style", "noscript", "template", "head", "iframe"];
/// Elements that stand in paragraphs of their own.
const BLOCKS: &[&str] = &[
    "address",
    "article",
    "aside",
    "body",
    "center",
    "details",
    "dialog",
    "div",
    "dl",
    "fieldset",
    "figcaption",
    "figure",
    "footer",
    "form",
    "header",
    "hgroup",
    "html",
    "main",
    "nav",
    "p",
    "search",
    "section",
    "summary",
    "legend",
    "noframes",
];

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

struct Frame {
    kind: Kind,
    flow: Flow,
    /// The element that it ends with.
    node: ego_tree::NodeId,
}

struct Walker {
    frames: Vec<Frame>,
    /// For each list that is open: the number of its next item, or none.
    lists: Vec<Option<u64>>,
    /// Blocks of code that are open.
    pre: usize,
}

/// The page's title and its Markdown; that of `within` alone where there are any.
pub fn walk(html: &Html, within: &[ego_tree::NodeId]) -> (String, String) {
    let root = html.tree.root();
    let page = Frame { kind: Kind::Page, flow: Flow::default(), node: root.id() };
    let mut walker = Walker { frames: vec![page], lists: Vec::new(), pre: 0 };
    let mut title = String::new();
    let mut hidden: Option<ego_tree::NodeId> = None;
    let mut in_title = false;
    let mut inside: Option<ego_tree::NodeId> = None;
    for edge in root.traverse() {
        match edge {
            Edge::Open(node) => match node.value() {
                Node::Text(text) if in_title && title.is_empty() => one_line(text.trim()).clone_into(&mut title),
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
                        if HIDDEN.contains(&element.name()) {
                            hidden = Some(node.id());
                        } else if within.is_empty() || inside.is_some() {
                            match generated::instead(node, element) {
                                Some(text) => {
                                    hidden = Some(node.id());
                                    walker.with(|flow| flow.raw(&text));
                                }
                                None => walker.begin(element, node),
                            }
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
                        None if within.is_empty() || inside.is_some() => walker.close(element, node.id()),
                        _ => {}
                    }
                    if inside == Some(node.id()) {
                        inside = None;
                    }
                }
            }
        }
    }
    (title, walker.finish())
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
            self.frames.push(Frame { kind, flow: Flow::default(), node });
        }
    }

    /// Whether text of this mark is open already: marks don't double.
    fn is_marked(&self, mark: &str) -> bool {
        self.frames.iter().any(|frame| matches!(frame.kind, Kind::Marked(open) if open == mark))
    }

    /// An element, where it is not what its name says; else as that.
    fn begin(&mut self, element: &Element, node: NodeRef<'_, Node>) {
        if let Some(mark) = generated::item(node, element) {
            self.push(Kind::Item(mark), node.id());
        } else if element.name() != "table" || !generated::is_code(node) {
            self.open(element, node.id());
        }
    }

    fn open(&mut self, element: &Element, node: ego_tree::NodeId) {
        let attribute = |name: &str| element.attr(name).unwrap_or_default().trim().to_owned();
        match element.name() {
            "b" | "strong" => self.mark("**", node),
            "i" | "em" | "cite" | "dfn" => self.mark("*", node),
            "s" | "del" | "strike" => self.mark("~~", node),
            "code" | "kbd" | "samp" | "tt" if self.pre == 0 => self.push(Kind::Code, node),
            "pre" if self.pre == 0 => self.push(Kind::Pre(language(element)), node),
            "code" => {
                let named = language(element);
                if let Some(Kind::Pre(language)) = self.frames.last_mut().map(|frame| &mut frame.kind)
                    && language.is_empty()
                {
                    *language = named;
                }
            }
            "a" => self.push(Kind::Link(attribute("href"), attribute("title")), node),
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => {
                let level = element.name().as_bytes().get(1).map_or(1, |digit| usize::from(digit.saturating_sub(b'0')));
                self.push(Kind::Heading(level), node);
            }
            "ul" | "menu" | "dir" => self.open_list(None),
            "ol" => self.open_list(Some(attribute("start").parse().unwrap_or(1))),
            "li" => {
                let mark = match self.lists.last_mut() {
                    Some(Some(number)) => {
                        let mark = format!("{number}. ");
                        *number = number.saturating_add(1);
                        mark
                    }
                    _ => "* ".to_owned(),
                };
                self.push(Kind::Item(mark + generated::task(element)), node);
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
            "td" | "th" if !matches!(self.frames.last().map(|frame| &frame.kind), Some(Kind::Table(_))) => {
                self.with(Flow::space);
            }
            "td" | "th" => {
                let span = |name: &str| attribute(name).parse().unwrap_or(1);
                self.push(Kind::Cell(span("colspan"), span("rowspan")), node);
            }
            "br" => self.line_break(),
            "hr" => self.with(|flow| flow.block("---")),
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
            "option" | "button" | "select" | "textarea" | "label" => self.with(Flow::space),
            "q" => self.with(|flow| flow.raw("\"")),
            name if BLOCKS.contains(&name) => self.block_break(),
            _ => {}
        }
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

    fn open_list(&mut self, first: Option<u64>) {
        let inner = !self.lists.is_empty();
        self.with(|flow| flow.breaks(if inner { 1 } else { 2 }));
        if self.lists.len() < LISTS_MAX {
            self.lists.push(first);
        }
    }

    fn close(&mut self, element: &Element, node: ego_tree::NodeId) {
        if self.frames.len() > 1 && self.frames.last().is_some_and(|frame| frame.node == node) {
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
            "option" | "button" | "select" | "textarea" | "label" => self.with(Flow::space),
            "q" => self.with(|flow| flow.raw("\"")),
            name if BLOCKS.contains(&name) => self.block_break(),
            _ => {}
        }
    }

    /// Ends the newest frame and writes what it gathered.
    fn end_frame(&mut self) {
        let Some(Frame { kind, flow, .. }) = self.frames.pop() else {
            return;
        };
        self.pre -= usize::from(matches!(kind, Kind::Pre(_)));
        let in_cell = self.frames.iter().any(|frame| matches!(frame.kind, Kind::Cell(..)));
        let spaced = (flow.starts_with_space(), flow.ends_in_space());
        let around = flow.around();
        let empty = flow.is_empty();
        match kind {
            Kind::Page => {}
            Kind::Marked(mark) => {
                let text = flow.finish();
                let marked = if empty { text } else { marked(&text, mark) };
                self.write_inline(&marked, spaced, around);
            }
            Kind::Code => {
                let text = flow.finish();
                let inline = self
                    .frames
                    .iter()
                    .any(|frame| !matches!(frame.kind, Kind::Page | Kind::Quote | Kind::Item(_) | Kind::Definition));
                if text.contains('\n') && !inline {
                    let lines: Vec<&str> = text.lines().map(str::trim_end).filter(|line| !line.is_empty()).collect();
                    self.with(|flow| flow.block(&fenced(&lines.join("\n"), "")));
                } else {
                    let text = one_line(&text);
                    let fence = if text.contains('`') { "``" } else { "`" };
                    let code = if empty { text } else { format!("{fence}{text}{fence}") };
                    self.write_inline(&code, spaced, around);
                }
            }
            Kind::Pre(language) => {
                let text = flow.finish_lines();
                if in_cell {
                    self.with(|flow| flow.block(&text));
                } else if !empty {
                    self.with(|flow| flow.block(&fenced(&text, &language)));
                }
            }
            Kind::Link(target, title) => {
                let text = flow.finish();
                // Broken lines are one line of a link.
                let text = if around == (0, 0) && !text.contains("\n\n") { one_line(&text) } else { text };
                let text = link(&text, &resolved(&target), &title);
                self.write_inline(&text, spaced, around);
            }
            Kind::Heading(level) => {
                let text = one_line(&flow.finish());
                if !text.is_empty() {
                    let heading = if in_cell { text } else { format!("{} {text}", "#".repeat(level)) };
                    self.with(|flow| flow.block(&heading));
                }
            }
            Kind::Item(mark) => {
                let text = flow.finish();
                let inner = " ".repeat(mark.trim_end_matches("[x] ").trim_end_matches("[ ] ").len());
                self.with(|flow| {
                    flow.breaks(1);
                    flow.raw(indent(&text, &mark, &inner).trim_end());
                    flow.breaks(1);
                });
            }
            Kind::Quote => {
                let text = flow.finish();
                if !text.is_empty() {
                    self.with(|flow| flow.block(&indent(&text, "> ", "> ")));
                }
            }
            Kind::Definition => {
                let text = flow.finish();
                self.with(|flow| {
                    flow.breaks(1);
                    flow.raw(indent(&text, ":   ", "    ").trim_end());
                    flow.breaks(1);
                });
            }
            Kind::Table(grid) => {
                let stray = flow.finish();
                let table = grid.finish();
                self.with(|flow| {
                    flow.block(&stray);
                    flow.block(&table);
                });
            }
            Kind::Caption => {
                let text = one_line(&flow.finish());
                match self.frames.last_mut().map(|frame| &mut frame.kind) {
                    Some(Kind::Table(grid)) => grid.caption(text),
                    _ => self.with(|flow| flow.block(&text)),
                }
            }
            Kind::Cell(columns, rows) => {
                let text = one_line(&flow.finish());
                match self.frames.last_mut().map(|frame| &mut frame.kind) {
                    Some(Kind::Table(grid)) => grid.cell(text, columns, rows),
                    _ => self.with(|flow| flow.block(&text)),
                }
            }
        }
    }

    /// Writes text in the line, with white space before and after it where it had some; where it begins or ends with
    /// a block, apart from what stands around it.
    fn write_inline(&mut self, text: &str, spaced: (bool, bool), around: (usize, usize)) {
        self.with(|flow| {
            for (count, is_spaced, text) in [(around.0, spaced.0, text), (around.1, spaced.1, "")] {
                if count > 0 {
                    flow.breaks(count);
                } else if is_spaced {
                    flow.space();
                }
                flow.raw(text);
            }
        });
    }

    fn finish(mut self) -> String {
        while self.frames.len() > 1 {
            self.end_frame();
        }
        self.frames.pop().map_or_else(String::new, |frame| frame.flow.finish())
    }
}

/// The language that a class names: `language-rust`, `lang-rust`, `highlight-source-rust`.
fn language(element: &Element) -> String {
    let named = |class: &str| {
        ["language-", "lang-", "highlight-source-"]
            .iter()
            .find_map(|prefix| class.strip_prefix(prefix).map(str::to_owned))
    };
    element.classes().find_map(named).unwrap_or_default()
}
