//! Markdown as a model wrote it: headings, lists, tables, code, quotes, emphasis; links as text and target.

use std::sync::Arc;

use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd};

use crate::config::Role;
use crate::present::safe_lines;

use super::content::{Ink, Inked};
use super::section::{Body, Section};
use super::table::Table;

/// Longer texts are shown as they are: nobody reads them rendered.
const MARKDOWN_MAX: usize = 1 << 20;
/// Deeper lists and quotes are not set in further.
const DEPTH_SHOWN: usize = 8;

/// The sections of a text.
#[must_use]
pub fn sections(text: &str) -> Vec<Section> {
    if text.len() > MARKDOWN_MAX {
        return vec![Section::plain(text, Role::Text)];
    }
    let text = safe_lines(text);
    let mut writer = Writer::default();
    for event in
        Parser::new_ext(&text, Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS)
    {
        writer.event(event);
    }
    writer.flush();
    if writer.sections.is_empty() {
        return vec![Section::plain(&text, Role::Text)];
    }
    writer.sections
}

/// A level that text is set in by.
enum Level {
    Quote,
    /// A list, with its next number where it is numbered.
    List(Option<u64>),
    /// An item of one; how far its text is set in.
    Item(usize),
}

#[derive(Default)]
struct Writer {
    sections: Vec<Section>,
    lines: Vec<Inked>,
    inks: Vec<Ink>,
    levels: Vec<Level>,
    /// The mark of an item whose first line is yet to come, and its columns.
    mark: Option<(String, u16)>,
    strong: u32,
    soft: u32,
    struck: u32,
    heading: Option<HeadingLevel>,
    links: Vec<(String, usize)>,
    code: Option<(Option<Arc<str>>, String)>,
    table: Option<Table>,
    /// Whether a blank line is due before the next block.
    gap: bool,
}

impl Writer {
    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) => match &mut self.code {
                Some((_, code)) => code.push_str(&text),
                None => self.push(&text, None),
            },
            Event::Code(text) => self.push(&text, Some(Role::Code)),
            Event::Html(text) | Event::InlineHtml(text) => {
                for (at, line) in text.split('\n').enumerate() {
                    if at > 0 {
                        self.line();
                    }
                    self.push(line, Some(Role::Dim));
                }
            }
            Event::InlineMath(text) | Event::DisplayMath(text) => self.push(&text, Some(Role::Code)),
            Event::FootnoteReference(name) => self.push(&format!("[^{name}]"), Some(Role::Link)),
            Event::SoftBreak | Event::HardBreak if self.table.is_some() => self.push(" ", None),
            Event::SoftBreak | Event::HardBreak => self.break_line(),
            Event::Rule => {
                self.open_block();
                self.push(&"─".repeat(24), Some(Role::Border));
                self.close_block();
            }
            Event::TaskListMarker(done) => self.push(if done { "[x] " } else { "[ ] " }, Some(Role::Accent)),
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Paragraph | Tag::HtmlBlock => self.open_block(),
            Tag::Heading { level, .. } => {
                self.open_block();
                self.heading = Some(level);
                self.push(&"#".repeat(level as usize), Some(Role::Dim));
                self.push(" ", None);
            }
            Tag::BlockQuote(_) => {
                self.open_block();
                self.levels.push(Level::Quote);
            }
            Tag::CodeBlock(kind) => {
                self.open_block();
                let language = match &kind {
                    CodeBlockKind::Fenced(info) => {
                        info.split([' ', ',', '{']).next().filter(|name| !name.is_empty()).map(Arc::from)
                    }
                    CodeBlockKind::Indented => None,
                };
                self.code = Some((language, String::new()));
            }
            Tag::List(first) => {
                // A list within an item follows its text without a gap.
                if self.levels.is_empty() {
                    self.open_block();
                } else {
                    self.line();
                }
                self.gap = false;
                self.levels.push(Level::List(first));
            }
            Tag::Item => {
                self.line();
                self.gap = false;
                let mark = match self.levels.last_mut() {
                    Some(Level::List(Some(number))) => {
                        let mark = format!("{number}. ");
                        *number = number.saturating_add(1);
                        mark
                    }
                    _ => "• ".to_owned(),
                };
                let columns = mark.chars().count();
                self.mark = Some((mark, u16::try_from(columns).unwrap_or(4)));
                self.levels.push(Level::Item(columns));
            }
            Tag::Table(alignments) => {
                self.open_block();
                self.table = Some(Table::new(alignments));
            }
            Tag::Emphasis => self.soft += 1,
            Tag::Strong => self.strong += 1,
            Tag::Strikethrough => self.struck += 1,
            Tag::Link { dest_url, .. } => self.links.push((dest_url.into_string(), self.inks.len())),
            Tag::Image { dest_url, .. } => {
                self.push("image: ", Some(Role::Dim));
                self.links.push((dest_url.into_string(), self.inks.len()));
            }
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Paragraph | TagEnd::HtmlBlock => self.close_block(),
            TagEnd::Heading(_) => {
                self.close_block();
                self.heading = None;
            }
            TagEnd::BlockQuote(_) => {
                self.levels.pop();
                self.gap = true;
            }
            TagEnd::CodeBlock => {
                if let Some((language, code)) = self.code.take() {
                    self.code_block(&code, language);
                }
            }
            TagEnd::List(_) => {
                self.line();
                self.levels.pop();
                self.gap = self.levels.is_empty();
            }
            TagEnd::Item => {
                self.line();
                self.mark = None;
                self.levels.pop();
                self.gap = false;
            }
            TagEnd::TableCell => {
                let inks = std::mem::take(&mut self.inks);
                if let Some(table) = &mut self.table {
                    table.cell(inks);
                }
            }
            TagEnd::TableHead | TagEnd::TableRow => {
                if let Some(table) = &mut self.table {
                    table.end_row();
                }
            }
            TagEnd::Table => {
                if let Some(table) = self.table.take() {
                    self.flush();
                    let indent = self.indent();
                    self.sections.push(Section { indent, ..Section::new(Body::Table(table)) });
                    self.gap = true;
                }
            }
            TagEnd::Emphasis => self.soft = self.soft.saturating_sub(1),
            TagEnd::Strong => self.strong = self.strong.saturating_sub(1),
            TagEnd::Strikethrough => self.struck = self.struck.saturating_sub(1),
            TagEnd::Link | TagEnd::Image => {
                if let Some((target, from)) = self.links.pop() {
                    let text: String = self.inks.iter().skip(from).map(|ink| ink.text.as_str()).collect();
                    if text != target && !target.is_empty() {
                        self.push(" (", Some(Role::Dim));
                        self.push(&target, Some(Role::Link));
                        self.push(")", Some(Role::Dim));
                    }
                }
            }
            _ => {}
        }
    }

    /// Adds text in the look of the moment, or in a role of its own.
    fn push(&mut self, text: &str, role: Option<Role>) {
        if text.is_empty() {
            return;
        }
        let quoted = self.levels.iter().any(|level| matches!(level, Level::Quote));
        let role = role.unwrap_or(match (self.heading, quoted) {
            _ if self.struck > 0 => Role::Cut,
            (Some(_), _) => Role::Heading,
            (None, true) => Role::Quote,
            (None, false) => Role::Text,
        });
        let mut ink = Ink::new(text, role);
        ink.strong = self.strong > 0;
        ink.soft = self.soft > 0;
        self.inks.push(ink);
    }

    /// What stands before lines at this depth.
    fn margin(&self) -> String {
        let mut margin = String::new();
        for level in self.levels.iter().take(DEPTH_SHOWN) {
            match level {
                Level::Quote => margin.push_str("▎ "),
                Level::Item(columns) => margin.extend(std::iter::repeat_n(' ', *columns)),
                Level::List(_) => {}
            }
        }
        margin
    }

    fn indent(&self) -> u16 {
        u16::try_from(self.margin().chars().count()).unwrap_or(0)
    }

    /// Ends the line that is being written, where there is one.
    fn line(&mut self) {
        if !self.inks.is_empty() {
            self.break_line();
        }
    }

    fn break_line(&mut self) {
        if self.table.is_some() {
            return;
        }
        let mut inks = std::mem::take(&mut self.inks);
        let mut margin = self.margin();
        let mut hang = 0;
        if let Some((mark, columns)) = self.mark.take() {
            // The mark stands where the item's own margin would.
            let shorter = margin.chars().count().saturating_sub(usize::from(columns));
            margin = margin.chars().take(shorter).collect();
            inks.insert(0, Ink::new(&mark, Role::Accent));
            hang = columns;
        }
        self.lines.push(Inked { inks, margin, hang });
    }

    fn open_block(&mut self) {
        self.line();
        if self.gap && self.mark.is_none() && !(self.lines.is_empty() && self.sections.is_empty()) {
            self.lines.push(Inked { margin: self.margin(), ..Inked::default() });
        }
        self.gap = false;
    }

    fn close_block(&mut self) {
        self.line();
        self.gap = true;
    }

    fn code_block(&mut self, code: &str, language: Option<Arc<str>>) {
        if self.mark.is_some() {
            self.break_line();
        }
        self.flush();
        let indent = self.indent() + 2;
        let mut section = Section::code(code, language);
        if let Body::Lines { role, language: None, .. } = &mut section.body {
            *role = Role::Code;
        }
        self.sections.push(Section { indent, ..section });
        self.gap = true;
    }

    fn flush(&mut self) {
        self.line();
        if !self.lines.is_empty() {
            self.sections.push(Section::inked(std::mem::take(&mut self.lines)));
        }
    }
}

#[cfg(test)]
#[path = "markdown_tests.rs"]
mod tests;
