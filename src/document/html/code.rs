//! Code beside the numbers of its lines, which are none of it: in a table of one row, or of a row for each line.

use ego_tree::NodeRef;
use scraper::Node;
use scraper::node::Element;

use super::generated::text;
use super::marks::language;

/// Rows of a table that are looked at to tell whether they are lines of code.
const ROWS_LOOKED: usize = 20;
/// Elements around a table that may name the language of its code.
const AROUND: usize = 5;
/// Classes of what holds numbers of lines, and of what holds the lines.
const NUMBERS: &[&str] = &[
    "blob-num",
    "diff-line-num",
    "gutter",
    "hljs-ln-numbers",
    "js-line-number",
    "line-num",
    "line-number",
    "line-numbers",
    "line_numbers",
    "lineno",
    "linenodiv",
    "linenos",
    "linenumber",
    "linenumbers",
    "lines-num",
    "lnt",
    "rouge-gutter",
];
const LINES: &[&str] = &[
    "blob-code",
    "code",
    "code-line",
    "codeline",
    "diff-line-code",
    "hljs-ln-code",
    "js-file-line",
    "line",
    "line-code",
    "line-content",
    "line_content",
    "lines",
    "lines-code",
    "rouge-code",
];

/// The rows of a table, without those of tables in it.
pub fn rows(table: NodeRef<'_, Node>) -> impl Iterator<Item = NodeRef<'_, Node>> {
    let parts = table.children().flat_map(|part| {
        let own = Some(part).filter(|part| named(*part, &["tr"]));
        let inner = Some(part).filter(|part| named(*part, &["tbody", "thead", "tfoot"]));
        own.into_iter().chain(inner.into_iter().flat_map(|part| part.children()))
    });
    parts.filter(|row| named(*row, &["tr"]))
}

/// The cells of a row.
pub fn cells(row: NodeRef<'_, Node>) -> impl Iterator<Item = NodeRef<'_, Node>> {
    row.children().filter(|cell| named(*cell, &["td", "th"]))
}

/// Whether a node is an element of one of these names.
pub fn named(node: NodeRef<'_, Node>, names: &[&str]) -> bool {
    node.value().as_element().is_some_and(|element| names.contains(&element.name()))
}

/// Whether a table only puts code beside the numbers of its lines, all in one row.
pub fn is_listing(table: NodeRef<'_, Node>) -> bool {
    let rows: Vec<_> = rows(table).take(2).collect();
    let [row] = rows.as_slice() else { return false };
    let (numbers, code): (Vec<_>, Vec<_>) = cells(*row).take(3).partition(|cell| is_beside_code(*cell));
    !numbers.is_empty() && code.len() == 1
}

/// Whether an element holds nothing but the numbers of lines of the code beside it or around it.
pub fn is_numbers(node: NodeRef<'_, Node>, element: &Element) -> bool {
    match element.name() {
        "td" | "th" => is_beside_code(node),
        _ => {
            let beside = || element.name() == "div" && node.next_siblings().take(4).any(has_code);
            let within = || node.ancestors().take(AROUND).any(|around| named(around, &["pre"]));
            has_class(element, NUMBERS) && is_number(&text(node)) && (within() || beside())
        }
    }
}

/// Whether a cell holds the numbers of the lines of code beside it: its class says so, or they run on, one for each line,
/// in a table that is nothing else. Other figures beside code are what the table tells.
fn is_beside_code(cell: NodeRef<'_, Node>) -> bool {
    if !has_code(cell) {
        return false;
    }
    let Some(code) = cell.next_siblings().take(4).find(|node| has_code(*node)) else { return false };
    let inner = std::iter::once(cell).chain(cell.descendants().take(20));
    let said = inner.filter_map(|node| node.value().as_element()).any(|element| has_class(element, NUMBERS));
    let numbers = all_text(cell);
    if said {
        return is_number(&numbers);
    }
    let table = || cell.ancestors().take(AROUND).find(|around| named(*around, &["table"]));
    let is_row = || table().is_some_and(|table| rows(table).take(2).count() == 1);
    run(&numbers).is_some_and(|count| count > 1 && line_counts(code).contains(&count)) && is_row()
}

/// How many numbers follow each other, each one more than the one before; `None` where anything else stands there.
fn run(text: &str) -> Option<usize> {
    let numbers: Vec<u64> = text.split_whitespace().map(|word| word.parse().ok()).collect::<Option<_>>()?;
    numbers.is_sorted_by(|one, next| one.checked_add(1) == Some(*next)).then_some(numbers.len())
}

/// How many lines a piece of code has: without the empty ones at its end, and with them.
fn line_counts(code: NodeRef<'_, Node>) -> std::ops::RangeInclusive<usize> {
    let text = all_text(code);
    let lines = |text: &str| text.matches('\n').count() + 1;
    lines(text.trim_end())..=lines(&text)
}

fn all_text(node: NodeRef<'_, Node>) -> String {
    let said = |node: NodeRef<'_, Node>| match node.value() {
        Node::Text(text) => Some(text.to_string()),
        Node::Element(element) if element.name() == "br" => Some("\n".to_owned()),
        _ => None,
    };
    node.descendants().filter_map(said).collect()
}

fn has_code(node: NodeRef<'_, Node>) -> bool {
    node.descendants().take(20).any(|node| named(node, &["pre"]))
}

fn is_number(text: &str) -> bool {
    text.split_whitespace().all(|word| word.bytes().all(|byte| byte.is_ascii_digit()))
}

fn has_class(element: &Element, names: &[&str]) -> bool {
    element.classes().any(|class| names.contains(&class))
}

/// The code of a table of which each row is a line, as hosts of code show files and changes; `None` where it is no
/// such table.
pub fn lines(table: NodeRef<'_, Node>) -> Option<String> {
    if !named(table, &["table"]) {
        return None;
    }
    let is_numbered = |row: NodeRef<'_, Node>| line(row).is_some_and(|(numbers, _)| numbers > 0);
    let looked: Vec<_> = rows(table).take(ROWS_LOOKED).collect();
    // What is said between lines of code would be lost with them.
    let whole = rows(table).all(|row| line(row).is_some());
    if !whole || looked.iter().filter(|row| is_numbered(**row)).count() * 2 <= looked.len() {
        return None;
    }
    let mut code = String::new();
    for (at, row) in rows(table).enumerate() {
        if at > 0 {
            code.push('\n');
        }
        if let Some((_, cell)) = line(row) {
            let marker =
                cell.descendants().take(4).find_map(|node| node.value().as_element()?.attr("data-code-marker"));
            code.push_str(marker.unwrap_or_default());
            let texts = cell.descendants().filter_map(|node| node.value().as_text());
            let line: String = texts.map(|text| &**text).collect();
            code.push_str(line.trim_matches('\n').trim_end());
        }
    }
    Some(code)
}

/// How many numbers stand before a line of code, and its cell; `None` where the row is none.
fn line(row: NodeRef<'_, Node>) -> Option<(usize, NodeRef<'_, Node>)> {
    let is_of_numbers = |cell: &NodeRef<'_, Node>| {
        let element = cell.value().as_element();
        let said = element.is_some_and(|one| one.attr("data-line-number").is_some() || has_class(one, NUMBERS));
        said && is_number(&text(*cell))
    };
    let (numbers, rest): (Vec<_>, Vec<_>) = cells(row).take(4).partition(is_of_numbers);
    let [cell] = rest.as_slice() else { return None };
    let is_code = cell.value().as_element().is_some_and(|element| has_class(element, LINES)) || has_code(*cell);
    is_code.then_some((numbers.len(), *cell))
}

/// The language that an element around names.
pub fn language_around(node: NodeRef<'_, Node>) -> String {
    let around = std::iter::once(node).chain(node.ancestors().take(AROUND));
    let mut named = around.filter_map(|node| node.value().as_element()).map(language);
    named.find(|language| !language.is_empty()).unwrap_or_default()
}
