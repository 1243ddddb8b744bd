//! Lists: which levels are numbered, and from where.

use std::collections::{HashMap, HashSet};

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
    /// Whether what stands there shows nothing, as pandoc has it before the later paragraphs of an item.
    blank: bool,
    /// Where its paragraphs are tasks: whether they are done.
    done: Option<bool>,
}

/// Signs before a task, and whether it is done.
const TASKS: &[(&str, bool)] = &[("☐", false), ("☑", true), ("☒", true)];

/// The lists of a document.
#[derive(Clone, Debug, Default)]
pub struct Numbering {
    shapes: HashMap<String, [Level; LEVELS]>,
    lists: HashMap<String, List>,
    /// The styles of lists, by the shapes that leave theirs to them.
    by_style: HashMap<String, String>,
    /// The shapes that styles of lists stand for.
    of_style: HashMap<String, String>,
    /// The levels that styles of paragraphs stand for, by shape and style.
    levels: HashMap<(String, String), u8>,
}

/// One list: of what shape it is, what its levels are and from where they count, where the shape does not say it.
#[derive(Clone, Debug, Default)]
struct List {
    shape: String,
    levels: [Option<Level>; LEVELS],
    starts: [Option<u64>; LEVELS],
}

/// How far lists have been counted. As in Word, lists of one shape go on from each other, unless they say where they
/// start.
#[derive(Default)]
pub struct Counters {
    /// The next number of each level, by shape.
    next: HashMap<String, [Option<u64>; LEVELS]>,
    /// The lists and levels that have begun.
    begun: HashSet<(String, usize)>,
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
                    if let (Some(list), Some(shape)) = (&list, get("val")) {
                        numbering.lists.insert(list.clone(), List { shape, ..List::default() });
                    }
                }
                "startOverride" => {
                    let found = list.as_ref().and_then(|list| numbering.lists.get_mut(list));
                    if let Some(start) = found.and_then(|list| list.starts.get_mut(level)) {
                        *start = get("val").and_then(|value| value.parse().ok());
                    }
                }
                "numStyleLink" => numbering.by_style.extend(shape.clone().zip(get("val"))),
                "styleLink" => numbering.of_style.extend(get("val").zip(shape.clone())),
                name @ ("lvl" | "lvlOverride") => {
                    level = get("ilvl").and_then(|level| level.parse().ok()).unwrap_or(0);
                    let over = list.as_ref().filter(|_| name == "lvl").and_then(|list| numbering.lists.get_mut(list));
                    if let Some(own) = over.and_then(|list| list.levels.get_mut(level)) {
                        *own = Some(Level { start: 1, ..Level::default() });
                    }
                }
                name => {
                    let own = list.as_ref().and_then(|list| numbering.lists.get_mut(list));
                    let own = own.and_then(|list| list.levels.get_mut(level)).and_then(Option::as_mut);
                    let levels = shape.as_ref().and_then(|shape| numbering.shapes.get_mut(shape));
                    if let Some(found) = own.or_else(|| levels.and_then(|levels| levels.get_mut(level))) {
                        let value = get("val").unwrap_or_default();
                        match name {
                            "pStyle" => {
                                let level = u8::try_from(level).ok();
                                numbering.levels.extend(shape.clone().map(|shape| (shape, value)).zip(level));
                            }
                            "numFmt" => {
                                found.none = value == "none";
                                found.numbered = value != "bullet" && value != "none";
                            }
                            "start" => found.start = value.parse().unwrap_or(1),
                            // A bullet that is a picture has no text.
                            "lvlText" => {
                                found.blank = value.trim().is_empty() && (found.numbered || !value.is_empty());
                                found.done = TASKS.iter().find(|(sign, _)| *sign == value).map(|(_, done)| *done);
                            }
                            _ => {}
                        }
                    }
                }
            }
        }
    }

    /// The shape of a list, which may be that of a style.
    fn shape<'a>(&'a self, list: &'a List) -> &'a String {
        self.by_style.get(&list.shape).and_then(|style| self.of_style.get(style)).unwrap_or(&list.shape)
    }

    /// The level of a list that a style of paragraphs stands for.
    pub fn level_of(&self, list: &str, style: &str) -> Option<u8> {
        let shape = self.shape(self.lists.get(list)?).clone();
        self.levels.get(&(shape, style.to_owned())).copied()
    }

    /// What stands before the next item of a list; none where the list is none.
    pub fn mark(&self, list: &str, level: u8, counters: &mut Counters) -> Option<String> {
        let of = self.lists.get(list)?;
        let shape = self.shape(of);
        let level = usize::from(level).min(LEVELS - 1);
        let own = of.levels.get(level).copied().flatten();
        let found = own.or_else(|| self.shapes.get(shape)?.get(level).copied())?;
        if found.none || found.blank {
            return None;
        }
        let next = counters.next.entry(shape.to_owned()).or_default();
        for deeper in next.iter_mut().skip(level + 1) {
            *deeper = None;
        }
        if !found.numbered {
            let task = found.done.map_or("", |done| if done { "[x] " } else { "[ ] " });
            return Some(format!("* {task}"));
        }
        let slot = next.get_mut(level)?;
        if let Some(start) = of.starts.get(level).copied().flatten()
            && counters.begun.insert((list.to_owned(), level))
        {
            *slot = Some(start);
        }
        let number = slot.unwrap_or(found.start);
        *slot = Some(number.saturating_add(1));
        Some(format!("{number}. "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marks(numbering: &str, items: &[(&str, u8)]) -> Vec<String> {
        let text = format!("<w:numbering>{numbering}</w:numbering>").into_bytes();
        let numbering = Numbering::read(TextReader::new(Box::new(std::io::Cursor::new(text))).ok());
        let mut counters = Counters::default();
        let mark = |(list, level): &(&str, u8)| numbering.mark(list, *level, &mut counters).unwrap_or_default();
        items.iter().map(mark).collect()
    }

    #[test]
    fn lists_of_one_shape_go_on_unless_they_say_where_they_start() {
        let level = |at: u8| format!("<w:lvl w:ilvl='{at}'><w:start w:val='1'/><w:numFmt w:val='decimal'/></w:lvl>");
        let list = |id: u8, over: &str| format!("<w:num w:numId='{id}'><w:abstractNumId w:val='0'/>{over}</w:num>");
        let from = |start: u8| format!("<w:lvlOverride w:ilvl='0'><w:startOverride w:val='{start}'/></w:lvlOverride>");
        let lists = [list(1, ""), list(2, &from(9)), list(3, ""), list(4, &from(1))].concat();
        let text = format!("<w:abstractNum w:abstractNumId='0'>{}{}</w:abstractNum>{lists}", level(0), level(1));
        let items = [("1", 0), ("1", 0), ("2", 0), ("2", 1), ("2", 0), ("3", 0), ("4", 0), ("1", 0)];
        let found = marks(&text, &items);
        assert_eq!(found, ["1. ", "2. ", "9. ", "1. ", "10. ", "11. ", "1. ", "2. "]);
    }

    #[test]
    fn tasks_tell_whether_they_are_done_and_a_blank_is_no_bullet() {
        let shape = |id: usize, sign: &str| {
            format!(
                "<w:abstractNum w:abstractNumId='{id}'><w:lvl w:ilvl='0'><w:numFmt w:val='bullet'/>
                 <w:lvlText w:val='{sign}'/></w:lvl></w:abstractNum>"
            )
        };
        let signs = ["☐", "☒", " ", "•", ""];
        let shapes: String = signs.iter().enumerate().map(|(id, sign)| shape(id, sign)).collect();
        let list = |id: usize| format!("<w:num w:numId='{id}'><w:abstractNumId w:val='{id}'/></w:num>");
        let lists: String = (0..signs.len()).map(list).collect();
        let found = marks(&(shapes + &lists), &[("0", 0), ("1", 0), ("2", 0), ("3", 0), ("4", 0)]);
        assert_eq!(found, ["* [ ] ", "* [x] ", "", "* ", "* "]);
    }

    #[test]
    fn lists_take_their_shape_from_a_style_and_their_own_levels_before_it() {
        let level = |kind: &str| format!("<w:lvl w:ilvl='0'><w:numFmt w:val='{kind}'/></w:lvl>");
        let shape = |id: u8, inner: &str| format!("<w:abstractNum w:abstractNumId='{id}'>{inner}</w:abstractNum>");
        let list =
            |id: u8, of: u8, over: &str| format!("<w:num w:numId='{id}'><w:abstractNumId w:val='{of}'/>{over}</w:num>");
        let shapes = shape(0, "<w:numStyleLink w:val='Steps'/>")
            + &shape(1, &format!("<w:styleLink w:val='Steps'/>{}", level("decimal")))
            + &shape(2, &level("bullet"));
        let over = format!("<w:lvlOverride w:ilvl='0'>{}</w:lvlOverride>", level("upperRoman"));
        let lists = list(1, 0, "") + &list(2, 2, "") + &list(3, 2, &over);
        assert_eq!(marks(&(shapes + &lists), &[("1", 0), ("1", 0), ("2", 0), ("3", 0)]), ["1. ", "2. ", "* ", "1. "]);
    }
}
