//! What is written when an element ends whose content was gathered on its own.

use crate::document::grid::Grid;
use crate::document::heading;
use crate::document::html::flow::{Flow, indent, unbroken};
use crate::document::html::marks::{fenced, link, marked};
use crate::document::html::pages;
use crate::document::html::redirect::resolved;
use crate::document::typed::backticks;

use super::{Frame, Kind, Walker};

/// White space and line breaks around what was gathered.
struct Around {
    spaced: (bool, bool),
    breaks: (usize, usize),
}

impl Walker {
    /// Ends the newest frame and writes what it gathered.
    pub(super) fn end_frame(&mut self) {
        let Some(Frame { kind, flow, .. }) = self.frames.pop() else {
            return;
        };
        match kind {
            Kind::Page => {}
            Kind::Marked(mark) => {
                let (around, empty) = (Around::of(&flow), flow.is_empty());
                let text = flow.finish();
                self.write_inline(&if empty { text } else { marked(&text, mark) }, &around);
            }
            Kind::Code => self.end_code(flow),
            Kind::Pre(language) => self.end_pre(flow, &language),
            Kind::Link(target, title) => {
                let around = Around::of(&flow);
                let text = flow.finish();
                // Broken lines are one line of a link.
                let text = if around.breaks == (0, 0) && !text.contains("\n\n") { unbroken(&text) } else { text };
                let (marks, text) = pages::marks_first(text);
                self.write_inline(&(marks + &link(&text, &resolved(&target), &title)), &around);
            }
            Kind::Heading(level) => self.end_heading(flow, level),
            Kind::Item(mark) => {
                let inner = " ".repeat(mark.trim_end_matches("[x] ").trim_end_matches("[ ] ").len());
                self.write_item(flow, &mark, &inner);
            }
            Kind::Quote => {
                let text = flow.finish();
                if !text.is_empty() {
                    self.with(|flow| flow.block(&indent(&text, "> ", "> ")));
                }
            }
            Kind::Definition => self.write_item(flow, ":   ", "    "),
            Kind::Table(grid) => {
                let table = if self.in_cell() { grid.in_line() } else { grid.finish() };
                let stray = flow.finish();
                self.with(|flow| {
                    flow.block(&stray);
                    flow.block(&table);
                });
            }
            Kind::Caption => self.end_part(flow, Grid::caption),
            Kind::Cell(columns, rows) => self.end_part(flow, |grid, text| grid.cell(text, columns, rows)),
        }
    }

    fn in_cell(&self) -> bool {
        self.frames.iter().any(|frame| matches!(frame.kind, Kind::Cell(..)))
    }

    /// Code in a line; of several lines, where a block may stand, a block.
    fn end_code(&mut self, flow: Flow) {
        let (around, empty) = (Around::of(&flow), flow.is_empty());
        let text = flow.finish();
        let holds_blocks = |kind: &Kind| matches!(kind, Kind::Page | Kind::Quote | Kind::Item(_) | Kind::Definition);
        if text.contains('\n') && self.frames.iter().all(|frame| holds_blocks(&frame.kind)) {
            let lines: Vec<&str> = text.lines().map(str::trim_end).filter(|line| !line.is_empty()).collect();
            self.with(|flow| flow.block(&fenced(&lines.join("\n"), "")));
        } else {
            let text = unbroken(&text);
            self.write_inline(&if empty { text } else { in_backticks(&text) }, &around);
        }
    }

    fn end_pre(&mut self, flow: Flow, language: &str) {
        self.pre -= 1;
        let empty = flow.is_empty();
        let text = flow.finish_lines();
        if self.in_cell() {
            self.with(|flow| flow.block(&text));
        } else if empty {
            self.with(|flow| flow.raw(text.trim()));
        } else {
            self.with(|flow| flow.block(&fenced(&text, language)));
        }
    }

    fn end_heading(&mut self, flow: Flow, level: usize) {
        let text = unbroken(&flow.finish());
        if !text.is_empty() {
            let heading =
                if self.in_cell() { heading::released(&text).into_owned() } else { heading::marked(level, &text) };
            self.with(|flow| flow.block(&heading));
        }
    }

    /// Writes lines of which the first has a mark before it.
    fn write_item(&mut self, flow: Flow, mark: &str, inner: &str) {
        let text = flow.finish();
        self.with(|flow| {
            flow.breaks(1);
            flow.raw(indent(&text, mark, inner).trim_end());
            flow.breaks(1);
        });
    }

    /// Gives a table its part.
    fn end_part(&mut self, flow: Flow, give: impl FnOnce(&mut Grid, String)) {
        let text = unbroken(&flow.finish());
        match self.frames.last_mut().map(|frame| &mut frame.kind) {
            Some(Kind::Table(grid)) => give(grid, text),
            _ => self.with(|flow| flow.block(&text)),
        }
    }

    /// Writes text in the line, with white space before and after it where it had some; where it begins or ends with
    /// a block, apart from what stands around it.
    fn write_inline(&mut self, text: &str, around: &Around) {
        let Around { spaced, breaks } = around;
        self.with(|flow| {
            for (count, is_spaced, text) in [(breaks.0, spaced.0, text), (breaks.1, spaced.1, "")] {
                if count > 0 {
                    flow.breaks(count);
                } else if is_spaced {
                    flow.space();
                }
                flow.raw(text);
            }
        });
    }
}

impl Around {
    fn of(flow: &Flow) -> Around {
        Around { spaced: (flow.starts_with_space(), flow.ends_in_space()), breaks: flow.around() }
    }
}

/// Code in a line, between more backticks than follow each other in it, and apart from one at either end.
fn in_backticks(text: &str) -> String {
    let fence = backticks(text, 1);
    let apart = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    format!("{fence}{apart}{text}{apart}{fence}")
}

#[cfg(test)]
mod tests {
    use crate::document::heading::said;
    use crate::document::html::page;

    fn markdown(html: &str) -> String {
        page(html).markdown
    }

    #[test]
    fn a_heading_says_what_its_text_does() {
        for (text, shown) in [
            ("The __init__ method", "The __init__ method"),
            ("`code` tick", "`code` tick"),
            ("back\\slash \\* x", "back\\slash \\* x"),
            ("&amp;amp; entity", "&amp; entity"),
            ("Using vector&lt;int> well", "Using vector<int> well"),
            ("&lt;b>bold&lt;/b> tag", "<b>bold</b> tag"),
            ("#1 of *<b>all*</b> ``` x", "#1 of *all* ``` x"),
            ("~~x~~ y", "~~x~~ y"),
        ] {
            let found = markdown(&format!("<h2>{text}</h2>"));
            assert!(found.starts_with("## ") && said(&found) == shown, "{found}");
        }
        let marked = markdown("<h1>The <code>__init__</code> of <a href=x>&lt;T></a> and <i>__all__</i></h1>");
        assert_eq!(marked, "# The `__init__` of [\\<T>](x) and *_\\_all__*");
    }

    #[test]
    fn a_heading_whose_signs_are_no_marks_stays_as_it_is() {
        for text in ["R&D in snake_case", "a * b", "[1] x (y)", "<b>*args</b>", "<a href=x>a_b</a> #2"] {
            assert!(!markdown(&format!("<h2>{text}</h2>")).contains('\\'), "{text}");
        }
        // Text that is none is as before, and nothing is left of what was held.
        let found = markdown("<p>__c__</p><h2>a <a href=b_c>b_c</a></h2>");
        assert!(found.starts_with("__c__") && !found.contains('\u{FDD2}'), "{found}");
    }
}
