//! What programs that write HTML mean by it where the elements alone don't tell: lists of Word, tasks of Notion and
//! Confluence, formulas of `KaTeX`, code beside the numbers of its lines.

use ego_tree::NodeRef;
use scraper::Node;
use scraper::node::Element;

/// Nodes of an element that are looked through.
const LOOKED: usize = 5_000;
/// Elements around another that are looked at.
const AROUND: usize = 5;

/// What stands in place of an element and all that it holds; `None` where it stands for itself.
pub fn instead(node: NodeRef<'_, Node>, element: &Element) -> Option<String> {
    let has_class = |name: &str| element.classes().any(|class| class == name);
    match element.name() {
        "span" if has_class("katex-html") => Some(String::new()),
        "span" if has_class("katex-mathml") => formula(node),
        "span" if is_mark(element) && around(node, "p").is_some_and(|p| level(p).is_some()) => Some(String::new()),
        "td" | "th" if is_numbers(node) => Some(String::new()),
        "div" if has_class("checkbox-on") => Some("[x] ".to_owned()),
        "div" if has_class("checkbox-off") => Some("[ ] ".to_owned()),
        _ => None,
    }
}

/// What an item of a list begins with, beside its mark: whether it is a task of Confluence, and done.
pub fn task(element: &Element) -> &'static str {
    match element.attr("data-inline-task-id") {
        None => "",
        Some(_) if element.classes().any(|class| class == "checked") => "[x] ",
        Some(_) => "[ ] ",
    }
}

/// The mark of a paragraph that Word means as an item of a list.
pub fn item(node: NodeRef<'_, Node>, element: &Element) -> Option<String> {
    let level = level(element)?;
    let is_it = |inner: &NodeRef<'_, Node>| inner.value().as_element().is_some_and(is_mark);
    let written = text(node.descendants().take(LOOKED).find(is_it)?);
    let number: String = written.trim_start().chars().take_while(char::is_ascii_digit).collect();
    let mark = if number.is_empty() { "* ".to_owned() } else { format!("{number}. ") };
    Some("   ".repeat(level.saturating_sub(1)) + &mark)
}

/// Whether a table only puts code beside the numbers of its lines.
pub fn is_code(table: NodeRef<'_, Node>) -> bool {
    let name = |node: &NodeRef<'_, Node>| node.value().as_element().map(|element| element.name().to_owned());
    let is = |node: &NodeRef<'_, Node>, wanted: &[&str]| name(node).is_some_and(|name| wanted.contains(&name.as_str()));
    let parts = table.children().flat_map(|part| {
        let own = Some(part).filter(|part| is(part, &["tr"]));
        let inner = Some(part).filter(|part| is(part, &["tbody", "thead"]));
        own.into_iter().chain(inner.into_iter().flat_map(|part| part.children()))
    });
    let rows: Vec<_> = parts.filter(|row| is(row, &["tr"])).take(2).collect();
    let [row] = rows.as_slice() else { return false };
    let cells: Vec<_> = row.children().filter(|cell| is(cell, &["td", "th"])).take(3).collect();
    let (numbers, code): (Vec<_>, Vec<_>) = cells.into_iter().partition(|cell| is_numbers(*cell));
    !numbers.is_empty() && code.len() == 1
}

/// Whether a cell holds nothing but the numbers of lines of the code in a cell beside it.
fn is_numbers(cell: NodeRef<'_, Node>) -> bool {
    let has_code = |cell: NodeRef<'_, Node>| {
        let is_pre = |node: NodeRef<'_, Node>| node.value().as_element().is_some_and(|element| element.name() == "pre");
        cell.descendants().take(20).any(is_pre)
    };
    let is_number = |text: &str| text.split_whitespace().all(|word| word.bytes().all(|byte| byte.is_ascii_digit()));
    let beside = || cell.next_siblings().take(4).any(has_code);
    has_code(cell) && is_number(&text(cell)) && beside()
}

/// A formula as it was typed.
fn formula(node: NodeRef<'_, Node>) -> Option<String> {
    let is_source = |node: &NodeRef<'_, Node>| {
        let element = node.value().as_element();
        element.is_some_and(|element| element.attr("encoding") == Some("application/x-tex"))
    };
    let source = text(node.descendants().take(LOOKED).find(is_source)?);
    let displayed = |element: &Element| element.classes().any(|class| class == "katex-display");
    let is_apart = node.ancestors().take(AROUND).any(|node| node.value().as_element().is_some_and(displayed));
    let sign = if is_apart { "$$" } else { "$" };
    Some(format!("{sign}{}{sign}", source.split_whitespace().collect::<Vec<_>>().join(" ")))
}

/// The level of a paragraph among lists of Word, from 1.
fn level(element: &Element) -> Option<usize> {
    let style = element.attr("style").filter(|_| element.name() == "p")?;
    let (_, list) = style.split_once("mso-list:")?;
    let (_, level) = list.split(';').next()?.split_once("level")?;
    let digits: String = level.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().ok().filter(|level| (1..=9).contains(level))
}

/// Whether a span is the mark of an item, as Word writes it for programs that know no lists.
fn is_mark(element: &Element) -> bool {
    element.attr("style").is_some_and(|style| style.replace(' ', "").contains("mso-list:Ignore"))
}

/// The nearest element of a name around a node.
fn around<'a>(node: NodeRef<'a, Node>, name: &str) -> Option<&'a Element> {
    let elements = node.ancestors().take(AROUND).filter_map(|node| node.value().as_element());
    elements.into_iter().find(|element| element.name() == name)
}

/// The text of a node, as far as it is looked through.
fn text(node: NodeRef<'_, Node>) -> String {
    node.descendants().take(LOOKED).filter_map(|node| node.value().as_text().map(|text| &**text)).collect()
}
