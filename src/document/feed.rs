//! RSS and Atom feeds: a heading for the feed, and one for each entry. Elements are known by their namespace, whatever
//! prefix stands for it.

use std::io::Read;

use quick_xml::events::BytesStart;
use quick_xml::name::ResolveResult;

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

/// Namespaces of what is used in feeds beside their own elements, and the prefixes that mostly stand for them.
const SPACES: &[(&str, &str)] = &[
    ("http://www.w3.org/2005/Atom", "atom"),
    ("http://purl.org/atom/ns#", "atom"),
    ("http://purl.org/rss/1.0/modules/content/", "content"),
    ("http://purl.org/dc/elements/1.1/", "dc"),
    ("http://purl.org/dc/terms/", "dc"),
];

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

/// What an element is called here: by itself where it is in no namespace or that of the feed itself, and with the usual
/// prefix where it is in another that is known, or has that prefix and nothing says what for. What is in none of these is
/// called as nothing is that is looked for.
fn named(element: &BytesStart<'_>, space: &ResolveResult<'_>, own: Option<&str>) -> String {
    let local = element.local_name().into_inner();
    let known =
        |is: &dyn Fn(&(&str, &str)) -> bool| SPACES.iter().find(|known| is(known)).map_or("", |(_, usual)| *usual);
    let prefix = match space {
        ResolveResult::Unbound => return local.to_owned(),
        ResolveResult::Bound(space) if Some(space.0) == own => return local.to_owned(),
        ResolveResult::Bound(space) => known(&|(name, _)| *name == space.0),
        ResolveResult::Unknown(prefix) => known(&|(_, usual)| usual == prefix),
    };
    format!("{prefix}:{local}")
}

/// A feed as Markdown; whether it says anything.
///
/// # Errors
/// Where it cannot be read.
pub fn convert(input: &Input<'_>, out: &mut Out<'_>) -> Result<bool, Failure> {
    let mut events = markup::spaced(markup::text(input.reader()?)?);
    let mut buffer = Vec::new();
    let written = out.written();
    // The namespace of the feed's own elements: that of the first, but for a frame around all.
    let (mut own, mut is_begun) = (None, false);
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
        let (space, event) = match events.read_resolved_event_into(&mut buffer) {
            Ok((space, event)) => (space, event),
            Err(why) => {
                out.note(format!("the feed is damaged at byte {}: {why}", events.error_position()));
                break;
            }
        };
        match event {
            Event::Start(element) => {
                if !is_begun && element.local_name().into_inner() != "RDF" {
                    is_begun = true;
                    own = if let ResolveResult::Bound(space) = &space { Some(space.0.to_owned()) } else { None };
                }
                let name = named(&element, &space, own.as_deref());
                if inside.is_some() {
                    add(&tag(&element, false), &mut text);
                    path.push(name);
                    continue;
                }
                let holds = path.last().is_some_and(|parent| HOLDERS.contains(&parent.as_str()));
                if holds && !HOLDERS.contains(&name.as_str()) {
                    let kind = markup::attribute(&element, "type");
                    let atom = path.iter().any(|name| markup::local(name) == "feed");
                    inside = Some((path.len(), Held::of(kind.as_deref(), atom)));
                }
                if name == "item" || name == "entry" {
                    if !std::mem::replace(&mut headed, true) {
                        head(&feed, out)?;
                    }
                    entry = Some(Entry::default());
                }
                link(&name, &element, entry.as_mut().unwrap_or(&mut feed));
                path.push(name);
                text.clear();
            }
            Event::Empty(element) if inside.is_some() => add(&tag(&element, true), &mut text),
            Event::Empty(element) => {
                let name = named(&element, &space, own.as_deref());
                link(&name, &element, entry.as_mut().unwrap_or(&mut feed));
            }
            Event::Text(more) => add(&more.xml10_content(), &mut text),
            Event::CData(more) if inside.is_some_and(|(_, held)| held != Held::Html) => {
                add(&quick_xml::escape::escape(more.xml10_content()), &mut text);
            }
            Event::CData(more) => add(&more.xml10_content(), &mut text),
            Event::GeneralRef(reference) => {
                let sign = markup::entity(&reference);
                let escape = inside.is_some_and(|(_, held)| held != Held::Html);
                add(&if escape { quick_xml::escape::escape(sign).into_owned() } else { sign }, &mut text);
            }
            Event::End(_) => {
                let name = path.pop().unwrap_or_default();
                if inside.is_some_and(|(depth, _)| path.len() > depth) {
                    add(&format!("</{}>", markup::local(&name)), &mut text);
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
            Event::Eof => break,
            _ => {}
        }
    }
    if !headed {
        head(&feed, out)?;
    }
    let is_said = out.written() > written;
    if is_said {
        out.fact("title", feed.title.trim());
        out.fact("entries", entries);
    }
    Ok(is_said)
}

/// A tag within a field, as HTML knows it.
fn tag(element: &BytesStart<'_>, empty: bool) -> String {
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
fn link(name: &str, element: &BytesStart<'_>, entry: &mut Entry) {
    let other = markup::attribute(element, "rel").is_some_and(|rel| rel != "alternate");
    if name == "link"
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
        "updated" | "atom:updated" if entry.date.is_empty() => (entry.date, entry.updated) = (text, true),
        // Beside a feed's own elements.
        "atom:published" if entry.date.is_empty() => entry.date = text,
        "atom:content" if entry.content.is_empty() => entry.content = text,
        "atom:summary" if entry.summary.is_empty() => entry.summary = text,
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
    // What holds no markup needs no parser.
    if !title.contains(['<', '&']) {
        let title = one_line(title);
        return if title.is_empty() { Ok(()) } else { Ok(out.block(&heading::heading(level, &title))?) };
    }
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
    use crate::document::limits::Limits;
    use crate::document::testing::converted;

    #[test]
    fn a_heading_says_what_its_title_does() {
        let feed = "<rss version='2.0'><channel><title>The __init__ method</title><item><title>R&amp;amp;D &amp;lt;x></title>\
            </item><item><title>&lt;h2>One&lt;/h2>&lt;h2>Two&lt;/h2></title></item></channel></rss>";
        let found = converted("a.xml", feed.as_bytes(), None).markdown;
        assert!(found.starts_with("# The \\_\\_init__ method\n\n## R&D \\<x>\n"), "{found}");
    }

    #[test]
    fn elements_are_known_by_their_namespaces() {
        let item = |prefix: &str, own: &str| {
            format!(
                "<{own}item><{own}title>One</{own}title><{own}link>http://a.example/1</{own}link><{own}description>Short</{own}description>\
                 <m:title>Other</m:title><itunes:summary>Other</itunes:summary><{prefix}:encoded>&lt;p>Long &lt;b>text&lt;/b></{prefix}:encoded>\
                 <d:date>2024-01-02</d:date></{own}item>"
            )
        };
        let spaces = |content: &str| {
            format!(
                "xmlns:{content}='http://purl.org/rss/1.0/modules/content/' xmlns:d='http://purl.org/dc/elements/1.1/' \
                 xmlns:m='http://search.yahoo.com/mrss/'"
            )
        };
        let right = "# News\n\n## One\n\nPublished on: 2024-01-02  \n<http://a.example/1>\n\nShort\n\nLong **text**\n";
        for (around, end, own, prefix) in [
            (format!("<rss {}><channel>", spaces("content")), "</channel></rss>", "", "content"),
            (format!("<rss {}><channel>", spaces("ns3")), "</channel></rss>", "", "ns3"),
            // Nothing says what the usual prefix stands for.
            (format!("<rss {}><channel>", spaces("x")), "</channel></rss>", "", "content"),
            (format!("<r:rss xmlns:r='any' {}><r:channel>", spaces("c")), "</r:channel></r:rss>", "r:", "c"),
            (
                format!("<rss xmlns='http://backend.userland.com/rss2' {}><channel>", spaces("c")),
                "</channel></rss>",
                "",
                "c",
            ),
            (
                format!(
                    "<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#' xmlns='http://purl.org/rss/1.0/' {}><channel>",
                    spaces("c")
                ),
                "</channel></rdf:RDF>",
                "",
                "c",
            ),
        ] {
            let feed = format!(
                "{around}<{own}title>News</{own}title><itunes:author>Other</itunes:author>{}{end}",
                item(prefix, own)
            );
            assert_eq!(converted("a.xml", feed.as_bytes(), None).markdown, right, "{feed}");
        }
        let entry = |own: &str| {
            format!(
                "<{own}title>News</{own}title><{own}entry><{own}title>One</{own}title><{own}link href='http://a.example/1'/>\
                 <{own}published>2024-01-02</{own}published><{own}summary>Short</{own}summary><{own}content type='html'>Long \
                 &lt;b>text&lt;/b></{own}content></{own}entry>"
            )
        };
        let atom = "http://www.w3.org/2005/Atom";
        for feed in [
            format!("<feed xmlns='{atom}'>{}</feed>", entry("")),
            format!("<a:feed xmlns:a='{atom}'>{}</a:feed>", entry("a:")),
            format!("<feed>{}</feed>", entry("")),
        ] {
            assert_eq!(converted("a.xml", feed.as_bytes(), None).markdown, right, "{feed}");
        }
    }

    #[test]
    fn what_says_nothing_as_a_feed_is_shown_as_it_is_written() {
        let feed = "<feed><row>12 kg</row></feed>";
        for limits in [None, Some(&Limits::default())] {
            let found = converted("a.xml", feed.as_bytes(), limits);
            assert_eq!(found.markdown.trim_end(), feed);
            assert_eq!((found.fact("entries"), found.notes.len()), (None, 0), "{:?}", found.notes);
        }
    }
}
