//! YAML: whole as it is written, or cut to depth, items, keys and strings. Aliases are never expanded.

use std::collections::{HashMap, HashSet};

use granit_parser::{Event, Options, Parser, ScalarStyle, Span, Tag};

use crate::document::encoding::TextReader;
use crate::document::input::{Failure, Input};
use crate::document::limits::{Limits, MORE, shorten};
use crate::document::out::Out;
use crate::document::piece::LeftBy;
use crate::document::text;

use super::pretty::{Pretty, Style};

/// A larger YAML file is shown by its lines.
const PARSED_MAX: usize = 32 << 20;
/// What the tags that YAML itself knows begin with; `!!` stands for it.
const CORE: &str = "tag:yaml.org,2002:";

/// YAML as it is, or cut.
///
/// # Errors
/// Where it cannot be read.
pub fn convert(input: &Input<'_>, out: &mut Out<'_>) -> Result<(), Failure> {
    let mut reader = TextReader::new(input.reader()?)?;
    let whole = reader.all(PARSED_MAX);
    let Some(limits) = input.limits else {
        if let Ok(Err((line, why))) = whole.as_deref().map(check) {
            out.note_at(line, format!("it is no valid YAML: {why}"));
        }
        return text::convert(input, out);
    };
    let Ok(whole) = whole else {
        out.note("it is too large to be parsed as YAML; it is shown by its lines");
        out.cut_lines(limits, true);
        return text::convert(input, out);
    };
    if let Err((line, why)) = check(&whole) {
        out.note_at(line, format!("it is no valid YAML ({why}); it is shown by its lines"));
        out.cut_lines(limits, true);
        out.text(&whole)?;
    } else {
        write(&whole, limits, out)?;
    }
    text::say_encoding(&reader, out);
    Ok(())
}

fn parser(text: &str) -> impl Iterator<Item = Result<(Event<'_>, Span), granit_parser::ScanError>> {
    let mut options = Options::default();
    options.emit_anchor_events = true;
    options.emit_unresolved_aliases = true;
    Parser::new_from_str_with_options(text, options)
}

/// The line and words of the first fault.
fn check(text: &str) -> Result<(), (u64, String)> {
    for event in parser(text) {
        event.map_err(|why| (why.marker().line() as u64, why.info()))?;
    }
    Ok(())
}

/// What comes next in a level that is open.
#[derive(Clone, Copy)]
enum Due {
    Item,
    Key,
    /// The value of a key that is written, or of one that is not.
    Value(bool),
}

/// One level that is open.
struct Open {
    /// The limit by which it is not to be written.
    left: Option<LeftBy>,
    due: Due,
}

/// What a value turns out to be: a key or not, to be written or not.
enum Slot {
    Key(bool),
    Value(bool),
}

fn write(text: &str, limits: &Limits, out: &mut Out<'_>) -> Result<(), Failure> {
    let pretty = Pretty::new(limits, Style::Yaml);
    let mut writer = Writer {
        limits,
        pretty,
        open: Vec::new(),
        anchors: HashMap::new(),
        written: HashSet::new(),
        key: None,
        left: None,
    };
    let mut documents = 0;
    let mut events = parser(text).flatten().peekable();
    while let Some((event, span)) = events.next() {
        let since = out.written();
        // An anchor's name comes behind what it stands before.
        while let Some((Event::Anchor(id, name), _)) = events.next_if(|(next, _)| matches!(next, Event::Anchor(..))) {
            writer.anchors.insert(id, name.into_owned());
        }
        match event {
            Event::DocumentStart(..) => {
                documents += 1;
                if documents > 1 {
                    out.text("\n---\n")?;
                    writer.pretty.restart();
                }
            }
            Event::Scalar(value, style, anchor, tag) => {
                let marks = writer.marks(anchor, tag.as_deref());
                writer.scalar(&value, style == ScalarStyle::Plain, (anchor, marks), out)?;
            }
            Event::Alias(id) => writer.alias(id, out)?,
            Event::UnresolvedAlias(name) => writer.word(&format!("*{name}"), out)?,
            Event::SequenceStart(_, anchor, tag) => writer.begin(false, anchor, tag.as_deref(), out)?,
            Event::MappingStart(_, anchor, tag) => writer.begin(true, anchor, tag.as_deref(), out)?,
            Event::SequenceEnd | Event::MappingEnd => writer.end(out)?,
            _ => {}
        }
        if let (Some(from), Some(to)) = (span.start.byte_offset(), span.end.byte_offset()) {
            out.keep(from as u64, to as u64, since);
            if let Some((by, shown)) = writer.left.take() {
                out.leave((from as u64).saturating_add(shown), to as u64, by);
            }
        }
    }
    out.text("\n")?;
    writer.pretty.say(out);
    Ok(())
}

/// What stands before a value: its tag and its anchor, by number.
type Marked = (usize, String);

struct Writer<'a> {
    limits: &'a Limits,
    pretty: Pretty<'a>,
    open: Vec<Open>,
    /// Names of anchors, by number.
    anchors: HashMap<usize, String>,
    /// Anchors that stand in what is written.
    written: HashSet<usize>,
    /// A list or mapping that is a key, as far as it has come, and whether it is to be written.
    key: Option<(Flow, bool)>,
    /// The limit that left out what came last, and how many bytes of it are shown.
    left: Option<(LeftBy, u64)>,
}

impl Writer<'_> {
    /// What the value that comes now is; counts it.
    fn slot(&mut self) -> Slot {
        let Some(level) = self.open.last_mut() else {
            return Slot::Value(self.pretty.wants_item());
        };
        if let Some(by) = level.left {
            self.left = Some((by, 0));
            return Slot::Value(false);
        }
        let slot = match level.due {
            Due::Item => Slot::Value(self.pretty.wants_item()),
            Due::Key => {
                let wanted = self.pretty.wants_item();
                level.due = Due::Value(wanted);
                Slot::Key(wanted)
            }
            Due::Value(wanted) => {
                level.due = Due::Key;
                Slot::Value(wanted)
            }
        };
        if matches!(slot, Slot::Key(false) | Slot::Value(false)) {
            self.left = Some((self.pretty.left_by(), 0));
        }
        slot
    }

    /// The tag and the anchor of a value as they stand before it.
    fn marks(&self, anchor: usize, tag: Option<&Tag>) -> String {
        let tag = tag.map(|tag| match tag.handle() {
            "!" => format!("!{}", tag.suffix()),
            CORE => format!("!!{}", tag.suffix()),
            handle => format!("!<{handle}{}>", tag.suffix()),
        });
        let anchor = self.anchors.get(&anchor).map(|name| format!("&{name}"));
        [tag, anchor].into_iter().flatten().collect::<Vec<_>>().join(" ")
    }

    /// The next value that is written has these before it.
    fn mark(&mut self, (anchor, marks): Marked) {
        self.written.insert(anchor);
        self.pretty.mark(marks);
    }

    fn scalar(&mut self, value: &str, plain: bool, marked: Marked, out: &mut Out<'_>) -> Result<(), Failure> {
        if let Some((key, wanted)) = &mut self.key {
            if *wanted {
                self.written.insert(marked.0);
            }
            let bare = plain && !value.contains([',', '[', ']', '{', '}', '\n']);
            let value = if bare { value.to_owned() } else { serde_json::Value::from(value).to_string() };
            key.item(&marked.1, &value);
            return Ok(());
        }
        let (shown, cut) = shorten(value, self.limits.string_chars);
        let plain = plain && !cut && !shown.contains('\n');
        match self.slot() {
            Slot::Key(true) => {
                self.mark(marked);
                if plain { self.pretty.plain_key(shown, out)? } else { self.pretty.key(value, out)? }
            }
            Slot::Value(true) => {
                let bare = shown.is_empty() && marked.1.is_empty();
                self.mark(marked);
                if plain {
                    self.pretty.literal(if bare { "~" } else { shown }, out)?;
                } else {
                    self.pretty.string(shown, cut, out)?;
                }
                self.left = cut.then_some((LeftBy::String, shown.len() as u64));
            }
            Slot::Key(false) | Slot::Value(false) => {}
        }
        Ok(())
    }

    /// A value that stands as it is written.
    fn word(&mut self, word: &str, out: &mut Out<'_>) -> Result<(), Failure> {
        if let Some((key, _)) = &mut self.key {
            key.item("", word);
            return Ok(());
        }
        match self.slot() {
            Slot::Key(true) => self.pretty.plain_key(word, out)?,
            Slot::Value(true) => self.pretty.literal(word, out)?,
            Slot::Key(false) | Slot::Value(false) => {}
        }
        Ok(())
    }

    /// What an anchor stands for, by its name; where that is not shown, it says so, and names nothing.
    fn alias(&mut self, anchor: usize, out: &mut Out<'_>) -> Result<(), Failure> {
        let name = self.anchors.get(&anchor).map_or("", String::as_str);
        if self.written.contains(&anchor) {
            return self.word(&format!("*{name}"), out);
        }
        let hidden = serde_json::Value::from(format!("{MORE} [*{name} is not shown]"));
        self.word(&hidden.to_string(), out)
    }

    fn begin(&mut self, mapping: bool, anchor: usize, tag: Option<&Tag>, out: &mut Out<'_>) -> Result<(), Failure> {
        let marks = self.marks(anchor, tag);
        if let Some((key, _)) = &mut self.key {
            key.begin(mapping, &marks);
            return Ok(());
        }
        let due = if mapping { Due::Key } else { Due::Item };
        let left = match self.slot() {
            Slot::Key(wanted) => {
                let mut key = Flow::default();
                key.begin(mapping, &marks);
                self.key = Some((key, wanted));
                return Ok(());
            }
            Slot::Value(true) if self.pretty.wants_level() => {
                self.mark((anchor, marks));
                self.pretty.begin(mapping, out)?;
                None
            }
            Slot::Value(true) => {
                self.mark((anchor, marks));
                self.pretty.too_deep(out)?;
                Some(LeftBy::Depth)
            }
            Slot::Value(false) => self.left.map(|(by, _)| by),
        };
        self.open.push(Open { left, due });
        Ok(())
    }

    fn end(&mut self, out: &mut Out<'_>) -> Result<(), Failure> {
        if let Some((mut key, wanted)) = self.key.take() {
            if !key.end() {
                self.key = Some((key, wanted));
            } else if wanted {
                // Beyond the limit it is a beginning, which no parser would take for a list.
                let long = shorten(&key.text, self.limits.string_chars).1;
                if long { self.pretty.key(&key.text, out)? } else { self.pretty.plain_key(&key.text, out)? }
            }
            return Ok(());
        }
        if self.open.pop().is_some_and(|level| level.left.is_none()) {
            self.pretty.end(out)?;
        }
        Ok(())
    }
}

/// A list or mapping on one line: `[1, {a: b}]`.
#[derive(Default)]
struct Flow {
    text: String,
    /// For each level that is open: whether it is a mapping, and values met.
    open: Vec<(bool, u64)>,
}

impl Flow {
    fn item(&mut self, marks: &str, value: &str) {
        if let Some((mapping, met)) = self.open.last_mut() {
            self.text.push_str(match (*met, *mapping && *met % 2 == 1) {
                (0, _) => "",
                (_, true) => ": ",
                (_, false) => ", ",
            });
            *met += 1;
        }
        for part in [marks, if marks.is_empty() { "" } else { " " }, value] {
            self.text.push_str(part);
        }
        // A colon would be part of an alias's name.
        self.text.push_str(if value.starts_with('*') { " " } else { "" });
    }

    fn begin(&mut self, mapping: bool, marks: &str) {
        self.item(marks, if mapping { "{" } else { "[" });
        self.open.push((mapping, 0));
    }

    /// Ends the innermost level; whether it was the last.
    fn end(&mut self) -> bool {
        let mapping = self.open.pop().is_some_and(|(mapping, _)| mapping);
        self.text.push(if mapping { '}' } else { ']' });
        self.open.is_empty()
    }
}
