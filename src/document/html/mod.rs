//! HTML: parsed as browsers do, walked without recursion, written as Markdown.

mod code;
mod composed;
mod depth;
mod elements;
mod ending;
mod flow;
mod generated;
mod layout;
mod marks;
mod mathml;
mod pages;
mod redirect;
#[cfg(test)]
mod tests;
mod walker;
mod xhtml;

pub use marks::image;
pub use pages::{Ids, Mark};
pub use redirect::percent_decoded;

use ego_tree::NodeId;
use scraper::{ElementRef, Html, Selector};

use crate::content::one_line;

use super::encoding::TextReader;
use super::heading;
use super::input::{Failure, Input};
use super::out::Out;
use super::text;
use composed::Composed;
use walker::Walked;

/// Bytes of HTML that are parsed; the tree takes some ten times as much memory.
const PARSED_MAX: usize = 48 << 20;
/// Tags that are parsed: where they stand close, each costs more than the text between them.
const TAGS_MAX: usize = 1_500_000;
/// Elements within each other; beyond, the parser's time grows with the square.
const DEPTH_MAX: usize = 4_000;
/// Of a page that is nested deeper, the levels whose tags are kept: as many as browsers keep.
const DEPTH_KEPT: usize = 512;

/// A page as Markdown.
pub struct Page {
    /// Its title, from its head.
    pub title: String,
    /// Its body.
    pub markdown: String,
    /// Where pages of a printed book and chapters begin in it, by byte.
    pub pages: Vec<(usize, Mark)>,
    /// Whether of what is nested too deep only the text could be kept.
    pub flat: bool,
    /// Whether some of the documents that it holds for its frames are too many, or too large.
    pub cut: bool,
    /// Bytes of the Markdown of what stands around that which the page is about, and is left out.
    pub around: usize,
}

/// HTML as Markdown.
///
/// # Errors
/// Where it cannot be read.
pub fn convert(input: &Input<'_>, out: &mut Out<'_>) -> Result<(), Failure> {
    let mut reader = TextReader::named_by(input.reader()?, charset)?;
    let (mut text, mut cut) = reader.first(PARSED_MAX)?;
    if let Some(end) = end_of_tags(&text, TAGS_MAX) {
        text.truncate(end);
        cut = true;
    }
    let size = text.len() >> 20;
    let ends_open = !cut && ending::is_open(&text);
    // Parsing is one long breath.
    out.progress(0, 0)?;
    let page = if matches!(input.extension().as_str(), "xhtml" | "xht") { xhtml_page(&text) } else { page(&text) };
    drop(text);
    out.progress(0, 0)?;
    out.fact("title", page.title.trim());
    if cut {
        out.note(format!("it is too large to be parsed as a whole; its first {size} MB are shown"));
    }
    if ends_open {
        out.note("the page ends before what it opened is closed; it may be cut off");
    }
    if page.flat {
        out.note(format!("its elements are nested more than {DEPTH_MAX} deep; beyond {DEPTH_KEPT} only text is kept"));
    }
    if page.cut {
        out.note("the documents in its frames are too many or too large; some are left out");
    }
    if page.around > 0 {
        let size = page.around.div_ceil(1 << 10);
        out.note(format!("what stands around the page's content, as navigation does, is left out: {size} kB"));
    }
    out.block(&page.markdown)?;
    text::say_encoding(&reader, out);
    Ok(())
}

/// The Markdown of a page that is HTML, or says that it is XHTML.
#[must_use]
pub fn page(html: &str) -> Page {
    if xhtml::is_declared(html) { xhtml_page(html) } else { html_page(html, None) }
}

/// The Markdown of a page that is XHTML, whatever it says of itself.
#[must_use]
pub fn xhtml_page(page: &str) -> Page {
    html_page(&xhtml::as_html(page), None)
}

/// The Markdown of a part of a book, and where its pages and chapters begin: at the elements that say so, and at those
/// with `ids`.
#[must_use]
pub fn book_page(page: &str, ids: &Ids) -> Page {
    html_page(&xhtml::as_html(page), Some(ids))
}

fn html_page(html: &str, ids: Option<&Ids>) -> Page {
    if let Some((start, end)) = internal_subset(html) {
        return html_page(&[&html[..start], &html[end..]].concat(), ids);
    }
    if let Some(flat) = depth::flattened(html, DEPTH_MAX, DEPTH_KEPT) {
        return Page { flat: true, ..parsed(&flat, ids) };
    }
    parsed(html, ids)
}

fn parsed(html: &str, ids: Option<&Ids>) -> Page {
    let Composed { tree, left } = composed::parsed(html);
    let roots = if names_content(html) { roots(&tree) } else { Vec::new() };
    let Walked { title, mut markdown, pages: labels } = walker::walk(&tree, &roots, ids);
    let mut places = Vec::new();
    if !labels.is_empty() {
        let marked = std::mem::replace(&mut markdown, walker::walk(&tree, &roots, None).markdown);
        places = pages::places(&marked, &markdown);
    }
    // What a wiki's page is about stands beside its content.
    let all = if roots.is_empty() { 0 } else { walker::walk(&tree, &[], None).markdown.len() };
    let heading = if roots.is_empty() { None } else { select(&tree, HEADING).next() };
    let heading = heading.map(|found| found.text().collect::<String>()).unwrap_or_default();
    let heading = one_line(&heading);
    let before = if heading.is_empty() { String::new() } else { format!("{}\n\n", heading::heading(1, &heading)) };
    let label = |(at, index): (usize, usize)| Some((before.len() + at, labels.get(index)?.clone()));
    let pages = places.into_iter().filter_map(label).collect();
    let markdown = before + &markdown;
    let around = all.saturating_sub(markdown.len());
    Page { title, markdown, pages, flat: left.flat, cut: left.inner, around }
}

/// What pages of kinds that say of themselves what they are hold beside navigation: those of `MediaWiki`, and a
/// search's results.
const CONTENT: &[&str] = &["#mw-content-text", "#b_results > .b_algo"];
/// The names that these look for.
const NAMES: &[&str] = &["mw-content-text", "b_results"];
/// The heading of such a page.
const HEADING: &str = ".mw-page-title-main, #firstHeading";

fn select<'a>(tree: &'a Html, selector: &str) -> impl Iterator<Item = ElementRef<'a>> {
    let selector = Selector::parse(selector).ok();
    let found = selector.map(|selector| tree.select(&selector).collect::<Vec<_>>());
    found.unwrap_or_default().into_iter()
}

/// Whether a page may be of such a kind: to look through all its elements takes as long as a tenth of the rest.
fn names_content(html: &str) -> bool {
    NAMES.iter().any(|name| memchr::memmem::find(html.as_bytes(), name.as_bytes()).is_some())
}

/// The elements that hold what a page is about; none where that is all of it.
fn roots(tree: &Html) -> Vec<NodeId> {
    let found = CONTENT.iter().map(|selector| select(tree, selector).map(|found| found.id()).collect::<Vec<_>>());
    found.into_iter().find(|found| !found.is_empty()).unwrap_or_default()
}

/// Where the tag stands that is one too many.
fn end_of_tags(html: &str, most: usize) -> Option<usize> {
    memchr::memchr_iter(b'<', html.as_bytes()).nth(most)
}

/// Where the declarations within an XHTML page's document type stand, which are no HTML: `[ … ]`.
fn internal_subset(html: &str) -> Option<(usize, usize)> {
    let head = html.get(..html.floor_char_boundary(64 << 10))?;
    let start = head.find("<!DOCTYPE").or_else(|| head.find("<!doctype"))?;
    let open = start + head[start..].find(['[', '>'])?;
    let end = open + head[open..].find(']')? + 1;
    let closed = head[end..].trim_start().starts_with('>');
    (head[open..].starts_with('[') && closed).then_some((open, end))
}

/// The encoding that a page names in its head: `charset=…`.
pub fn charset(head: &[u8]) -> Option<String> {
    let head = String::from_utf8_lossy(head.get(..head.len().min(2048))?).to_lowercase();
    let (_, rest) = head.split_once("charset=").or_else(|| head.split_once("<?xml")?.1.split_once("encoding="))?;
    let name: String = rest
        .trim_start_matches(['"', '\'', ' '])
        .chars()
        .take_while(|sign| sign.is_alphanumeric() || "-_:".contains(*sign))
        .collect();
    (!name.is_empty()).then_some(name)
}
