//! XML: whole as it is written, or cut to depth, children, attributes and strings. Feeds become Markdown.

use std::io::{self, BufRead, Read};

use quick_xml::events::BytesStart;

use crate::document::encoding::TextReader;
use crate::document::feed;
use crate::document::input::{Failure, Input};
use crate::document::limits::{Limits, MORE, shorten};
use crate::document::markup::{self, Event};
use crate::document::out::{CutOf, Out, Stop};
use crate::document::piece::LeftBy;
use crate::document::text;

/// XML as it is, or cut.
///
/// # Errors
/// Where it cannot be read.
pub fn convert(input: &Input<'_>, out: &mut Out<'_>) -> Result<(), Failure> {
    if feed::is_feed(input)? {
        if let Some(limits) = input.limits {
            out.cut_lines(limits, true);
        }
        // One of which nothing is known as a feed's is XML as any other, by its lines.
        return if feed::convert(input, out)? { Ok(()) } else { text::convert(input, out) };
    }
    let checked = check(markup::text(input.reader()?)?, out)?;
    let Some(limits) = input.limits else {
        match checked {
            Checked::Whole => {}
            Checked::CutOff(at) => out.note_at(line_at(input, at)?, "the XML ends too early"),
            Checked::Fault(at, why) => out.note_at(line_at(input, at)?, format!("it is no valid XML: {why}")),
        }
        return text::convert(input, out);
    };
    if let Checked::Fault(at, why) = checked {
        out.note_at(line_at(input, at)?, format!("it is no valid XML ({why}); it is shown by its lines"));
        out.cut_lines(limits, true);
        return text::convert(input, out);
    }
    let mut reader = markup::text(input.reader()?)?;
    let mut writer = Writer {
        limits,
        place: (0, 0),
        open: Vec::new(),
        chars: 0,
        deep: Vec::new(),
        children: Vec::new(),
        strings: Vec::new(),
        attributes: Vec::new(),
    };
    let read = writer.read(&mut reader, out);
    out.text("\n")?;
    out.cut_of("elements", writer.children);
    out.cut_of("attribute lists", writer.attributes);
    out.cut_at("strings", writer.strings);
    out.cut_at("deep structures", writer.deep);
    text::say_encoding(&reader, out);
    read
}

/// A place in a text: the bytes before it that were taken as a whole, and line breaks behind these.
type Spot = (u64, u64);

/// What a text turned out to be, and where that shows. A lone `&` and a second root are no faults.
enum Checked {
    Whole,
    /// It ends too early.
    CutOff(Spot),
    /// The words of its first fault.
    Fault(Spot, String),
}

/// The line of a place, from 1: few texts have a fault, and those are read again for it.
fn line_at(input: &Input<'_>, (bytes, breaks): Spot) -> Result<u64, Failure> {
    let (mut text, mut left, mut line) = (markup::text(input.reader()?)?, bytes, breaks + 1);
    while left > 0 {
        let held = text.fill_buf()?;
        let size = held.len().min(usize::try_from(left).unwrap_or(usize::MAX));
        if size == 0 {
            break;
        }
        line += memchr::memchr_iter(b'\n', held.get(..size).unwrap_or_default()).count() as u64;
        text.consume(size);
        left -= size as u64;
    }
    Ok(line)
}

/// Reads XML to its end, or to its first fault.
fn check(reader: TextReader<'_>, out: &mut Out<'_>) -> Result<Checked, Failure> {
    let mut events = markup::reader(Counted { from: reader, taken: 0 });
    let config = events.config_mut();
    (config.allow_unmatched_ends, config.check_end_names) = (false, true);
    let mut buffer = Vec::new();
    let (mut depth, mut met, mut unended) = (0u64, false, false);
    loop {
        out.beat(buffer.len() as u64 + 1)?;
        buffer.clear();
        let (at, open) = (events.get_ref().taken, std::mem::take(&mut unended) || depth > 0);
        let words = match events.read_event_into(&mut buffer) {
            Ok(Event::Start(element)) => {
                depth += 1;
                met = true;
                badly_named(&element)
            }
            Ok(Event::Empty(element)) => {
                met = true;
                badly_named(&element)
            }
            Ok(Event::End(_)) => {
                depth = depth.saturating_sub(1);
                None
            }
            Ok(Event::Text(text)) if depth == 0 && !text.trim_start_matches('\u{FEFF}').trim().is_empty() => {
                let text: &str = &text;
                let blank = text.len() - text.trim_start().len();
                let breaks = text[..blank].matches('\n').count() as u64;
                return Ok(Checked::Fault((at, breaks), "text outside every element".to_owned()));
            }
            Ok(Event::GeneralRef(_) | Event::CData(_)) if depth == 0 => Some("text outside every element".to_owned()),
            Ok(Event::Eof) if met && open => return Ok(Checked::CutOff((at, 0))),
            Ok(Event::Eof) if met => return Ok(Checked::Whole),
            Ok(Event::Eof) => Some("it has no element".to_owned()),
            Ok(_) => None,
            // What has no end ends with the text.
            Err(quick_xml::Error::Syntax(_)) if met => {
                unended = true;
                None
            }
            Err(quick_xml::Error::Io(why)) => return Err(std::io::Error::new(why.kind(), why.to_string()).into()),
            Err(why) => Some(why.to_string()),
        };
        if let Some(words) = words {
            return Ok(Checked::Fault((events.get_ref().taken, 0), words));
        }
    }
}

/// What is wrong with a tag's name or attributes.
fn badly_named(element: &BytesStart<'_>) -> Option<String> {
    let name = element.name().into_inner();
    let begins = |sign: char| sign.is_alphabetic() || matches!(sign, '_' | ':');
    if !name.starts_with(begins) {
        return Some(format!("{name:?} is no name of an element"));
    }
    let mut attributes = element.attributes();
    attributes.with_checks(false).find_map(Result::err).map(|why| why.to_string())
}

/// Counts bytes as they are taken.
struct Counted<R> {
    from: R,
    taken: u64,
}

impl<R: BufRead> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let size = self.from.read(buffer)?;
        self.taken += size as u64;
        Ok(size)
    }
}

impl<R: BufRead> BufRead for Counted<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.from.fill_buf()
    }

    fn consume(&mut self, size: usize) {
        self.taken += size as u64;
        self.from.consume(size);
    }
}

/// An element that is open.
struct Level {
    name: String,
    /// The limit by which it is not to be written.
    left: Option<LeftBy>,
    /// Whether it is of the last level, and its children too deep.
    leaf: bool,
    /// Children met.
    met: u64,
    /// Text met, escaped; it is written when the next tag comes.
    text: String,
    /// The bytes of the document at which it stands.
    at: (u64, u64),
    /// Characters of it that count.
    held: u64,
    text_cut: bool,
    /// Whether anything was written inside on lines of its own.
    lines: bool,
}

struct Writer<'a> {
    limits: &'a Limits,
    /// The bytes of the document that are read.
    place: (u64, u64),
    open: Vec<Level>,
    chars: u64,
    /// The bytes of Markdown at which something was shortened, by what it is.
    deep: Vec<u64>,
    children: Vec<CutOf>,
    strings: Vec<u64>,
    attributes: Vec<CutOf>,
}

impl Writer<'_> {
    fn read(&mut self, reader: &mut TextReader<'_>, out: &mut Out<'_>) -> Result<(), Failure> {
        let mut events = markup::reader(reader);
        let mut buffer = Vec::new();
        loop {
            out.beat(buffer.len() as u64 + 1)?;
            buffer.clear();
            let from = events.buffer_position();
            let event = events.read_event_into(&mut buffer);
            self.place = (from, events.buffer_position());
            match event {
                Ok(Event::Start(element)) => self.begin(&element, false, out)?,
                Ok(Event::Empty(element)) => self.begin(&element, true, out)?,
                Ok(Event::End(_)) => self.end(out)?,
                Ok(Event::Text(text)) => self.text(&text.xml10_content()),
                Ok(Event::CData(text)) => self.text(&text.xml10_content()),
                Ok(Event::GeneralRef(reference)) => self.reference(&markup::entity(&reference)),
                Ok(Event::Eof) => break,
                Ok(Event::Decl(_) | Event::PI(_) | Event::DocType(_) | Event::Comment(_)) => {}
                Err(why) => {
                    let place = events.error_position();
                    out.lost(format!("it is no well-formed XML at byte {place}: {why}"), "what stands before is shown");
                    break;
                }
            }
        }
        if !self.open.is_empty() {
            out.lost("the XML ends too early", "what stands before its end is shown");
        }
        while !self.open.is_empty() {
            self.end(out)?;
        }
        Ok(())
    }

    /// The element whose text goes on here; none where that has been cut, or is not to be written.
    fn in_text(&mut self) -> Option<&mut Level> {
        let place = self.place;
        let level = self.open.last_mut().filter(|level| level.left.is_none())?;
        if level.text.is_empty() {
            level.at = place;
        }
        level.at.1 = place.1;
        (!level.text_cut).then_some(level)
    }

    fn text(&mut self, text: &str) {
        let most = self.limits.string_chars;
        let Some(level) = self.in_text() else { return };
        let text = if level.text.is_empty() { text.trim_start() } else { text };
        let (shown, cut) = shorten(text, most.saturating_sub(level.held));
        level.text.push_str(&quick_xml::escape::minimal_escape(shown));
        level.held += shown.chars().count() as u64;
        // White space at the end is no text.
        level.text_cut = cut && !text[shown.len()..].trim().is_empty();
    }

    /// What an entity stands for; one that the document declares itself stays a reference.
    fn reference(&mut self, text: &str) {
        if text.chars().count() < 2 {
            return self.text(text);
        }
        let most = self.limits.string_chars;
        let Some(level) = self.in_text() else { return };
        level.held += text.chars().count() as u64;
        level.text_cut = level.held > most;
        if !level.text_cut {
            level.text.push_str(text);
        }
    }

    fn begin(&mut self, element: &BytesStart<'_>, empty: bool, out: &mut Out<'_>) -> Result<(), Stop> {
        let depth = self.open.len() as u64;
        let full = self.chars > self.limits.total_chars;
        let mut left = full.then_some(LeftBy::Chars);
        if let Some(level) = self.open.last_mut() {
            level.met += 1;
            left = level.left.or(left).or((level.met > self.limits.items).then_some(LeftBy::Items));
        }
        // An element of the last level shows its text; its children are too deep.
        if left.is_none() {
            self.flush_text(true, out)?;
            if self.is_leaf() {
                left = Some(LeftBy::Depth);
                self.too_deep(out)?;
            } else {
                self.line(out)?;
                let mut tag = format!("<{}", element.name().into_inner());
                self.add_attributes(element, out.written(), &mut tag);
                tag.push_str(if empty { "/>" } else { ">" });
                let since = out.written();
                self.put(&tag, out)?;
                out.keep(self.place.0, self.place.1, since);
            }
            if let Some(level) = self.open.last_mut() {
                level.lines = true;
            }
        }
        if let Some(by) = left {
            out.leave(self.place.0, self.place.1, by);
        }
        if !empty {
            let name = element.name().into_inner().to_owned();
            let leaf = depth >= self.limits.depth;
            self.open.push(Level {
                name,
                left,
                leaf,
                met: 0,
                text: String::new(),
                at: self.place,
                held: 0,
                text_cut: false,
                lines: false,
            });
        }
        Ok(())
    }

    fn is_leaf(&self) -> bool {
        self.open.last().is_some_and(|level| level.leaf)
    }

    /// One marker for all that an element holds beyond the depth.
    fn too_deep(&mut self, out: &mut Out<'_>) -> Result<(), Stop> {
        if self.open.last().is_some_and(|level| level.met == 1) {
            self.deep.push(out.written());
            self.line(out)?;
            self.put(&format!("<!-- {MORE} [max depth reached] -->"), out)?;
        }
        Ok(())
    }

    fn end(&mut self, out: &mut Out<'_>) -> Result<(), Stop> {
        let Some(level) = self.open.last() else {
            return Ok(());
        };
        let (left, leaf, name) = (level.left, level.leaf, level.name.clone());
        if let Some(by) = left {
            out.leave(self.place.0, self.place.1, by);
            self.open.pop();
            return Ok(());
        }
        let level_met = level.met;
        let more = if leaf { 0 } else { level_met.saturating_sub(self.limits.items) };
        self.flush_text(level.lines, out)?;
        if more > 0 {
            self.children.push(CutOf { at: out.written(), shown: self.limits.items, total: level_met });
            self.line(out)?;
            self.put(&format!("<!-- {MORE} [{more} more items] -->"), out)?;
        }
        let lines = self.open.pop().is_some_and(|level| level.lines);
        if lines {
            self.line(out)?;
        }
        let since = out.written();
        self.put(&format!("</{name}>"), out)?;
        out.keep(self.place.0, self.place.1, since);
        Ok(())
    }

    /// Writes the text that is held, on a line of its own or not.
    fn flush_text(&mut self, own_line: bool, out: &mut Out<'_>) -> Result<(), Stop> {
        let Some(level) = self.open.last_mut() else {
            return Ok(());
        };
        let text = std::mem::take(&mut level.text);
        let at = level.at;
        level.held = 0;
        let cut = std::mem::take(&mut level.text_cut);
        let text = text.trim_end();
        if text.is_empty() {
            return Ok(());
        }
        level.lines |= own_line;
        self.strings.extend(cut.then(|| out.written()));
        let mut escaped = text.to_owned();
        if cut {
            escaped.push_str(MORE);
        }
        if own_line {
            self.line(out)?;
        }
        let since = out.written();
        self.put(&escaped, out)?;
        let shown = if cut { at.0 + text.len() as u64 } else { at.1 };
        out.keep(at.0, at.1.min(shown), since);
        out.leave(shown, at.1, LeftBy::String);
        Ok(())
    }

    fn add_attributes(&mut self, element: &BytesStart<'_>, at: u64, tag: &mut String) {
        let mut total = 0;
        for attribute in element.attributes().with_checks(false).flatten() {
            total += 1;
            if total > self.limits.keys {
                continue;
            }
            tag.push_str(&format!(" {}=\"", attribute.key.into_inner()));
            let mut room = self.limits.string_chars;
            for (text, is_reference) in markup::parts(attribute.value.as_ref()) {
                let (shown, cut) = shorten(&text, room);
                room -= shown.chars().count() as u64;
                if !is_reference {
                    tag.push_str(&quick_xml::escape::escape(shown));
                } else if !cut {
                    tag.push_str(&text);
                }
                if cut {
                    self.strings.push(at);
                    tag.push_str(MORE);
                    break;
                }
            }
            tag.push('"');
        }
        if total > self.limits.keys {
            self.attributes.push(CutOf { at, shown: self.limits.keys, total });
            tag.push_str(&format!(" {MORE}=\"[{} more keys]\"", total - self.limits.keys));
        }
    }

    /// Begins a line, unless it is the first.
    fn line(&mut self, out: &mut Out<'_>) -> Result<(), Stop> {
        if self.chars == 0 {
            return Ok(());
        }
        self.put(&format!("\n{}", "  ".repeat(self.open.len())), out)
    }

    fn put(&mut self, text: &str, out: &mut Out<'_>) -> Result<(), Stop> {
        self.chars += text.len() as u64;
        out.text(text)
    }
}
