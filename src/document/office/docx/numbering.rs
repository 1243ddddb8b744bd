//! Lists: which levels are numbered, and from where.

use std::collections::HashMap;

use crate::document::encoding::TextReader;
use crate::document::markup::{self, Event};

/// Levels of a list.
const LEVELS: usize = 9;

/// What a level of a list says.
#[derive(Clone, Copy, Debug, Default)]
struct Level {
    numbered: bool,
    start: u64,
    /// Whether nothing stands before its paragraphs.
    none: bool,
}

/// The lists of a document.
#[derive(Clone, Debug, Default)]
pub struct Numbering {
    shapes: HashMap<String, [Level; LEVELS]>,
    lists: HashMap<String, String>,
}

/// How far each list has been counted.
#[derive(Default)]
pub struct Counters {
    next: HashMap<String, [Option<u64>; LEVELS]>,
}

impl Numbering {
    /// Reads the numbering part.
    pub fn read(text: Option<TextReader<'_>>) -> Numbering {
        let mut numbering = Numbering::default();
        let Some(text) = text else {
            return numbering;
        };
        let mut events = markup::reader(text);
        let mut buffer = Vec::new();
        let (mut shape, mut list, mut level) = (None, None, 0usize);
        loop {
            buffer.clear();
            let element = match events.read_event_into(&mut buffer) {
                Ok(Event::Start(element) | Event::Empty(element)) => element,
                Ok(Event::Eof) | Err(_) => return numbering,
                Ok(_) => continue,
            };
            let get = |name| markup::attribute(&element, name);
            match element.local_name().into_inner() {
                "abstractNum" => {
                    let id = get("abstractNumId").unwrap_or_default();
                    numbering.shapes.insert(id.clone(), [Level { start: 1, ..Level::default() }; LEVELS]);
                    (shape, list) = (Some(id), None);
                }
                "num" => (shape, list) = (None, get("numId")),
                "abstractNumId" => {
                    if let (Some(list), Some(shape)) = (list.take(), get("val")) {
                        numbering.lists.insert(list, shape);
                    }
                }
                "lvl" => level = get("ilvl").and_then(|level| level.parse().ok()).unwrap_or(0),
                name => {
                    let levels = shape.as_ref().and_then(|shape| numbering.shapes.get_mut(shape));
                    if let Some(found) = levels.and_then(|levels| levels.get_mut(level)) {
                        let value = get("val").unwrap_or_default();
                        match name {
                            "numFmt" => {
                                found.none = value == "none";
                                found.numbered = value != "bullet" && value != "none";
                            }
                            "start" => found.start = value.parse().unwrap_or(1),
                            _ => {}
                        }
                    }
                }
            }
        }
    }

    /// What stands before the next item of a list, with its indentation; none where the list is none.
    pub fn mark(&self, list: &str, level: u8, counters: &mut Counters) -> Option<String> {
        let levels = self.shapes.get(self.lists.get(list)?)?;
        let level = usize::from(level).min(LEVELS - 1);
        let found = levels.get(level)?;
        if found.none {
            return None;
        }
        let indent = "   ".repeat(level);
        let next = counters.next.entry(list.to_owned()).or_default();
        for deeper in next.iter_mut().skip(level + 1) {
            *deeper = None;
        }
        if !found.numbered {
            return Some(format!("{indent}* "));
        }
        let slot = next.get_mut(level)?;
        let number = slot.unwrap_or(found.start);
        *slot = Some(number.saturating_add(1));
        Some(format!("{indent}{number}. "))
    }
}
