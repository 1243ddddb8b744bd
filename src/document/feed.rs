//! RSS and Atom feeds: a heading for the feed, and one for each entry.

use std::io::Read;

use super::heading;
use super::html;
use super::input::{Failure, Input};
use super::markup::{self, Event};
use super::out::Out;
use crate::content::one_line;

/// Bytes that tell a feed from other XML.
const HEAD: u64 = 4096;
/// Characters of one entry's field.
const FIELD_MAX: usize = 4 << 20;

/// Elements that hold fields.
const HOLDERS: &[&str] = &["item", "entry", "channel", "feed"];

/// Whether XML is a feed, by its first element.
///
/// # Errors
/// Where it cannot be read.
pub fn is_feed(input: &Input<'_>) -> Result<bool, Failure> {
    let mut head = String::new();
    // A text that is no UTF-8 behind its beginning is no matter here.
    let _ = markup::text(input.reader()?)?.take(HEAD).read_to_string(&mut head);
    let mut events = markup::reader(head.as_bytes());
    let mut buffer = Vec::new();
    loop {
        buffer.clear();
        match events.read_event_into(&mut buffer) {
            Ok(Event::Start(element)) => {
                let name = element.local_name().into_inner().to_owned();
                return Ok(
                    ["rss", "feed", "RDF"].contains(&name.as_str()) && (name != "RDF" || head.contains("purl.org/rss"))
                );
            }
            Ok(Event::Eof) | Err(_) => return Ok(false),
            Ok(_) => {}
        }
    }
}

/// How a field holds what it says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Held {
    /// As HTML that is written as text.
    Html,
    /// As XHTML that is part of the feed.
    Xhtml,
    /// As text alone.
    Text,
}

impl Held {
    /// What Atom says by `type`, where it says so; without it, a field of Atom is text.
    fn of(kind: Option<&str>, atom: bool) -> Held {
        let kind = kind.map(|kind| kind.trim().to_lowercase());
        match kind.as_deref() {
            Some("xhtml") => Held::Xhtml,
            Some(kind) if kind.ends_with("xml") => Held::Xhtml,
            Some("html" | "text/html") => Held::Html,
            Some("" | "text") | None if atom => Held::Text,
            Some(kind) if atom && kind.starts_with("text/") => Held::Text,
            _ => Held::Html,
        }
    }
}

/// The feed itself, or one entry.
#[derive(Default)]
struct Entry {
    title: String,
    summary: String,
    content: String,
    date: String,
    /// Whether the date is that of its last change.
    updated: bool,
    link: String,
}

/// A feed as Markdown.
///
/// # Errors
/// Where it cannot be read.
pub fn convert(input: &Input<'_>, out: &mut Out<'_>) -> Result<(), Failure> {
    let mut events = markup::reader(markup::text(input.reader()?)?);
    let mut buffer = Vec::new();
    let mut feed = Entry::default();
    let mut entry: Option<Entry> = None;
    let mut path: Vec<String> = Vec::new();
    let mut text = String::new();
    // The depth of the field that is read, and how it holds its text.
    let mut inside: Option<(usize, Held)> = None;
    let mut entries = 0u64;
    let mut headed = false;
    loop {
        buffer.clear();
        match events.read_event_into(&mut buffer) {
            Ok(Event::Start(element)) => {
                let name = element.name().into_inner().to_owned();
                if inside.is_some() {
                    add(&tag(&element, false), &mut text);
                    path.push(name);
                    continue;
                }
                let holds = path.last().is_some_and(|parent| HOLDERS.contains(&parent.as_str()));
                if holds && !HOLDERS.contains(&name.as_str()) {
                    let kind = markup::attribute(&element, "type");
                    let atom = path.iter().any(|name| local(name) == "feed");
                    inside = Some((path.len(), Held::of(kind.as_deref(), atom)));
                }
                if name == "item" || name == "entry" {
                    if !std::mem::replace(&mut headed, true) {
                        head(&feed, out)?;
                    }
                    entry = Some(Entry::default());
                }
                link(&element, entry.as_mut().unwrap_or(&mut feed));
                path.push(name);
                text.clear();
            }
            Ok(Event::Empty(element)) if inside.is_some() => add(&tag(&element, true), &mut text),
            Ok(Event::Empty(element)) => link(&element, entry.as_mut().unwrap_or(&mut feed)),
            Ok(Event::Text(more)) => add(&more.xml10_content(), &mut text),
            Ok(Event::CData(more)) if inside.is_some_and(|(_, held)| held != Held::Html) => {
                add(&quick_xml::escape::escape(more.xml10_content()), &mut text);
            }
            Ok(Event::CData(more)) => add(&more.xml10_content(), &mut text),
            Ok(Event::GeneralRef(reference)) => {
                let sign = markup::entity(&reference);
                let escape = inside.is_some_and(|(_, held)| held != Held::Html);
                add(&if escape { quick_xml::escape::escape(sign).into_owned() } else { sign }, &mut text);
            }
            Ok(Event::End(_)) => {
                let name = path.pop().unwrap_or_default();
                if inside.is_some_and(|(depth, _)| path.len() > depth) {
                    add(&format!("</{}>", local(&name)), &mut text);
                    continue;
                }
                inside = None;
                let text = std::mem::take(&mut text);
                let parent = path.last().map_or("", String::as_str);
                if name == "item" || name == "entry" {
                    entries += 1;
                    if let Some(entry) = entry.take() {
                        write(&entry, out)?;
                    }
                } else if HOLDERS.contains(&parent) {
                    field(&name, text, entry.as_mut().unwrap_or(&mut feed));
                }
            }
            Ok(Event::Eof) => break,
            Ok(_) => {}
            Err(why) => {
                out.note(format!("the feed is damaged at byte {}: {why}", events.error_position()));
                break;
            }
        }
    }
    if !headed {
        head(&feed, out)?;
    }
    if out.is_empty() {
        out.note("the feed says nothing that can be shown");
    }
    out.fact("title", feed.title.trim());
    out.fact("entries", entries);
    Ok(())
}

/// A name without its prefix.
fn local(name: &str) -> &str {
    name.rsplit(':').next().unwrap_or(name)
}

/// A tag within a field, as HTML knows it.
fn tag(element: &quick_xml::events::BytesStart<'_>, empty: bool) -> String {
    let mut tag = format!("<{}", element.local_name().into_inner());
    for name in ["href", "src", "alt", "title", "colspan", "rowspan", "start"] {
        if let Some(value) = markup::attribute(element, name) {
            tag.push_str(&format!(" {name}=\"{}\"", quick_xml::escape::escape(value)));
        }
    }
    tag.push_str(if empty { "/>" } else { ">" });
    tag
}

fn add(more: &str, text: &mut String) {
    if text.len() < FIELD_MAX {
        text.push_str(more);
    }
}

/// Atom says its links by attributes.
fn link(element: &quick_xml::events::BytesStart<'_>, entry: &mut Entry) {
    let other = markup::attribute(element, "rel").is_some_and(|rel| rel != "alternate");
    if element.name().into_inner() == "link"
        && !other
        && let Some(target) = markup::attribute(element, "href")
    {
        entry.link = target;
    }
}

fn field(name: &str, text: String, entry: &mut Entry) {
    match name {
        "title" => entry.title = text,
        "description" | "summary" | "subtitle" => entry.summary = text,
        "content" | "content:encoded" => entry.content = text,
        "pubDate" | "published" | "dc:date" => (entry.date, entry.updated) = (text, false),
        "updated" if entry.date.is_empty() => (entry.date, entry.updated) = (text, true),
        "link" if !text.trim().is_empty() => entry.link = text,
        _ => {}
    }
}

fn head(feed: &Entry, out: &mut Out<'_>) -> Result<(), Failure> {
    titled(1, &feed.title, out)?;
    Ok(out.block(&html::page(&feed.summary).markdown)?)
}

/// A heading, where there is a title.
fn titled(level: usize, title: &str, out: &mut Out<'_>) -> Result<(), Failure> {
    let heading = html::page(&format!("<h{level}>{title}</h{level}>")).markdown;
    if !heading.contains('\n') {
        return Ok(out.block(&heading)?);
    }
    // It has headings of its own.
    let title = html_on_one_line(title);
    if title.is_empty() { Ok(()) } else { Ok(out.block(&heading::marked(level, &title))?) }
}

fn write(entry: &Entry, out: &mut Out<'_>) -> Result<(), Failure> {
    titled(2, &entry.title, out)?;
    let mut about = Vec::new();
    if !entry.date.trim().is_empty() {
        let what = if entry.updated { "Updated" } else { "Published" };
        about.push(format!("{what} on: {}", entry.date.trim()));
    }
    if !entry.link.trim().is_empty() {
        about.push(format!("<{}>", entry.link.trim()));
    }
    out.block(&about.join("  \n"))?;
    out.block(&html::page(&entry.summary).markdown)?;
    Ok(out.block(&html::page(&entry.content).markdown)?)
}

/// What a text in HTML says, on one line.
fn html_on_one_line(text: &str) -> String {
    one_line(&html::page(text).markdown)
}

#[cfg(test)]
mod tests {
    use crate::document::testing::converted;

    #[test]
    fn a_heading_says_what_its_title_does() {
        let feed = "<rss version='2.0'><channel><title>The __init__ method</title><item><title>R&amp;amp;D &amp;lt;x></title>\
            </item><item><title>&lt;h2>One&lt;/h2>&lt;h2>Two&lt;/h2></title></item></channel></rss>";
        let found = converted("a.xml", feed.as_bytes(), None).markdown;
        assert!(found.starts_with("# The \\_\\_init\\_\\_ method\n\n## R&D \\<x\\>\n"), "{found}");
    }
}
