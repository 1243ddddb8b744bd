//! YAML: whole as it is written, or cut to depth, items, keys and strings. Aliases are never expanded.

use std::collections::HashMap;

use granit_parser::{Event, Options, Parser, ScalarStyle, Span};

use crate::document::encoding::TextReader;
use crate::document::input::{Failure, Input};
use crate::document::limits::{Limits, shorten};
use crate::document::out::Out;
use crate::document::text;

use super::pretty::{Pretty, Style};

/// A larger YAML file is shown by its lines.
const PARSED_MAX: usize = 32 << 20;

/// YAML as it is, or cut.
///
/// # Errors
/// Where it cannot be read.
pub fn convert(input: &Input<'_>, out: &mut Out<'_>) -> Result<(), Failure> {
    let Some(limits) = input.limits else {
        return text::convert(input, out);
    };
    let mut reader = TextReader::new(input.reader()?)?;
    let Ok(whole) = reader.all(PARSED_MAX) else {
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
    wanted: bool,
    due: Due,
}

/// What a value turns out to be: a key or not, to be written or not.
enum Slot {
    Key(bool),
    Value(bool),
}

fn write(text: &str, limits: &Limits, out: &mut Out<'_>) -> Result<(), Failure> {
    let mut pretty = Pretty::new(limits, Style::Yaml);
    let mut open: Vec<Open> = Vec::new();
    let mut anchors: HashMap<usize, String> = HashMap::new();
    let mut documents = 0;
    for (event, _) in parser(text).flatten() {
        match event {
            Event::DocumentStart(..) => {
                documents += 1;
                if documents > 1 {
                    out.text("\n---\n")?;
                    pretty.restart();
                }
            }
            Event::Anchor(id, name) => {
                anchors.insert(id, name.into_owned());
            }
            Event::Scalar(value, style, ..) => {
                scalar(&value, style == ScalarStyle::Plain, limits, &mut open, &mut pretty, out)?;
            }
            Event::Alias(id) => {
                let name = anchors.get(&id).map_or("", String::as_str);
                scalar(&format!("*{name}"), true, limits, &mut open, &mut pretty, out)?;
            }
            Event::UnresolvedAlias(name) => {
                scalar(&format!("*{name}"), true, limits, &mut open, &mut pretty, out)?;
            }
            Event::SequenceStart(..) => begin(false, &mut open, &mut pretty, out)?,
            Event::MappingStart(..) => begin(true, &mut open, &mut pretty, out)?,
            Event::SequenceEnd | Event::MappingEnd if open.pop().is_some_and(|level| level.wanted) => {
                pretty.end(out)?;
            }
            _ => {}
        }
    }
    out.text("\n")?;
    pretty.say(out);
    Ok(())
}

/// What the value that comes now is; counts it.
fn slot(open: &mut [Open], pretty: &mut Pretty<'_>) -> Slot {
    let Some(level) = open.last_mut() else {
        return Slot::Value(pretty.wants_item());
    };
    if !level.wanted {
        return Slot::Value(false);
    }
    match level.due {
        Due::Item => Slot::Value(pretty.wants_item()),
        Due::Key => {
            let wanted = pretty.wants_item();
            level.due = Due::Value(wanted);
            Slot::Key(wanted)
        }
        Due::Value(wanted) => {
            level.due = Due::Key;
            Slot::Value(wanted)
        }
    }
}

fn scalar(
    value: &str,
    plain: bool,
    limits: &Limits,
    open: &mut [Open],
    pretty: &mut Pretty<'_>,
    out: &mut Out<'_>,
) -> Result<(), Failure> {
    match slot(open, pretty) {
        Slot::Key(true) => pretty.key(value, out)?,
        Slot::Value(true) => {
            let (shown, cut) = shorten(value, limits.string_chars);
            if plain && !cut && !shown.contains('\n') {
                pretty.literal(if shown.is_empty() { "~" } else { shown }, out)?;
            } else {
                pretty.string(shown, cut, out)?;
            }
        }
        Slot::Key(false) | Slot::Value(false) => {}
    }
    Ok(())
}

fn begin(mapping: bool, open: &mut Vec<Open>, pretty: &mut Pretty<'_>, out: &mut Out<'_>) -> Result<(), Failure> {
    let due = if mapping { Due::Key } else { Due::Item };
    let wanted = match slot(open, pretty) {
        Slot::Key(true) => {
            pretty.key("?", out)?;
            false
        }
        Slot::Value(true) if pretty.wants_level() => {
            pretty.begin(mapping, out)?;
            true
        }
        Slot::Value(true) => {
            pretty.too_deep(out)?;
            false
        }
        Slot::Key(false) | Slot::Value(false) => false,
    };
    open.push(Open { wanted, due });
    Ok(())
}
