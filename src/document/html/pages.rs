//! Where the pages of a printed book begin in its text. While that is written, a mark stands at each place; then the
//! marks are taken out, and their places kept.

use std::collections::HashMap;

use ego_tree::NodeRef;
use scraper::Node;
use scraper::node::Element;

/// What a mark begins and ends with: characters that stand for nothing, and so in no text.
const BEGINS: char = '\u{FDD0}';
const ENDS: char = '\u{FDD1}';
/// Nodes of an element whose text tells a page's number.
const LOOKED: usize = 20;
/// What makes of a line what it is: where nothing else stands before a page, it begins with the line.
const MARKUP: &[char] = &['#', '*', '>', '-', '|', '[', '.', ' ', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9'];

/// What the page is called that begins with an element; `None` where none does. `ids` are those that a list of the
/// book's pages leads to.
pub fn label(node: NodeRef<'_, Node>, element: &Element, ids: &HashMap<String, String>) -> Option<String> {
    let listed = || ids.get(element.attr("id").or_else(|| element.attr("name"))?).cloned();
    let says = |name: &str, value: &str| {
        element.attr(name).is_some_and(|given| given.split_whitespace().any(|word| word == value))
    };
    if !says("epub:type", "pagebreak") && !says("role", "doc-pagebreak") {
        return listed();
    }
    let written = || {
        let texts = node.descendants().take(LOOKED).filter_map(|node| node.value().as_text().map(|text| &**text));
        Some(texts.collect::<String>())
    };
    let attribute = |name: &str| element.attr(name).map(str::to_owned);
    let tries = [listed(), attribute("title"), attribute("aria-label"), written()];
    Some(
        tries
            .into_iter()
            .flatten()
            .map(|text| text.trim().to_owned())
            .find(|text| !text.is_empty())
            .unwrap_or_default(),
    )
}

/// The mark of a page.
pub fn mark(index: usize) -> String {
    format!("{BEGINS}{index}{ENDS}")
}

/// Whether a text holds nothing but white space and marks.
pub fn is_blank(text: &str) -> bool {
    text.trim().is_empty() || (text.contains(BEGINS) && take_out(text).0.trim().is_empty())
}

/// The text without its marks, and where those stood: bytes, and the numbers of their pages.
pub fn take_out(text: &str) -> (String, Vec<(usize, usize)>) {
    let mut plain = String::with_capacity(text.len());
    let mut places = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find(BEGINS) {
        plain.push_str(&rest[..at]);
        rest = &rest[at + BEGINS.len_utf8()..];
        let Some((index, after)) = rest.split_once(ENDS) else { continue };
        let Ok(index) = index.parse() else { continue };
        rest = after;
        let line = plain.rfind('\n').map_or(0, |at| at + 1);
        if plain[line..].is_empty() && (rest.is_empty() || rest.starts_with('\n')) {
            // It was a block of its own.
            let apart = plain.is_empty() || plain.ends_with("\n\n");
            let breaks = rest.len() - rest.trim_start_matches('\n').len();
            rest = rest.get(if apart { breaks } else { breaks.saturating_sub(1) }..).unwrap_or_default();
        } else if plain.ends_with(' ') {
            rest = rest.strip_prefix(' ').unwrap_or(rest);
        }
        let begins_line = plain[line..].trim_start_matches(MARKUP).is_empty();
        places.push((if begins_line { line } else { plain.len() }, index));
    }
    plain.push_str(rest);
    (plain, places)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_leave_no_trace_but_their_places() {
        let (a, b) = (mark(0), mark(1));
        for (text, plain, places) in [
            (format!("one {a} two{b}three"), "one twothree", vec![(4, 0), (7, 1)]),
            (format!("one\n\n{a}\n\ntwo\n\n{b}"), "one\n\ntwo\n\n", vec![(5, 0), (10, 1)]),
            (format!("x\n\n## {a}Two\n\n* {b}item"), "x\n\n## Two\n\n* item", vec![(3, 0), (11, 1)]),
            (format!("{a}{b}\n\nx"), "x", vec![(0, 0), (0, 1)]),
            (format!("one  \n{a}\n\ntwo"), "one  \n\ntwo", vec![(6, 0)]),
            (format!("{BEGINS}x{a}"), "x", vec![(1, 0)]),
        ] {
            assert_eq!(take_out(&text), (plain.to_owned(), places), "{text:?}");
        }
        assert!(is_blank(&format!(" {a}\n")) && !is_blank("0"));
    }
}
