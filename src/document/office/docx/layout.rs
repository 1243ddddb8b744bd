//! How a Word document is laid out: whether Word marked where its pages begin, and how its sections do.

use std::io::BufRead;

use crate::document::markup::{self, Event};

/// What a first look at the text tells of its pages.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    /// Whether Word marked where pages began when it last laid the document out. Without such marks only the breaks
    /// are known that the author set, and pages overflow without a trace.
    pub rendered: bool,
    /// Of each section in order, whether it begins on a page of its own.
    pub sections: Vec<bool>,
}

impl Layout {
    /// Looks through the main part.
    pub fn read(text: impl BufRead) -> Layout {
        let mut layout = Layout::default();
        let mut events = markup::reader(text);
        let mut buffer = Vec::new();
        // Sections as they were before a tracked change.
        let mut former = 0;
        let mut open = false;
        loop {
            buffer.clear();
            match events.read_event_into(&mut buffer) {
                Ok(Event::Start(element)) => match element.local_name().into_inner() {
                    "sectPrChange" => former += 1,
                    "sectPr" if former == 0 => {
                        layout.sections.push(true);
                        open = true;
                    }
                    "lastRenderedPageBreak" => layout.rendered = true,
                    _ => {}
                },
                Ok(Event::Empty(element)) => match element.local_name().into_inner() {
                    "sectPr" if former == 0 => layout.sections.push(true),
                    "type" if open && former == 0 => {
                        let kind = markup::attribute(&element, "val");
                        if let Some(last) = layout.sections.last_mut() {
                            *last = !matches!(kind.as_deref(), Some("continuous" | "nextColumn"));
                        }
                    }
                    "lastRenderedPageBreak" => layout.rendered = true,
                    _ => {}
                },
                Ok(Event::End(element)) => match element.local_name().into_inner() {
                    "sectPrChange" => former -= 1,
                    "sectPr" if former == 0 => open = false,
                    _ => {}
                },
                Ok(Event::Eof) | Err(_) => return layout,
                Ok(_) => {}
            }
        }
    }
}
