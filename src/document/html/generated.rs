//! What programs that write HTML mean by it where the elements alone don't tell: lists of Word and Google, tasks of
//! Notion and Confluence, formulas, slides in Markdown, code beside the numbers of its lines.

use ego_tree::NodeRef;
use scraper::Node;
use scraper::node::Element;

use crate::content::one_line;

use super::code::is_numbers;
use super::mathml;
use crate::document::script::Script;

/// Nodes of an element that are looked through.
const LOOKED: usize = 5_000;
/// Elements around another that are looked at.
const AROUND: usize = 5;
/// Fonts in which letters are signs.
const SIGN_FONTS: &[&str] = &["Wingdings", "Symbol", "Webdings"];

/// What stands in place of an element and all that it holds; `None` where it stands for itself.
pub fn instead(node: NodeRef<'_, Node>, element: &Element, in_code: bool) -> Option<String> {
    let has_class = |name: &str| element.classes().any(|class| class == name);
    match element.name() {
        "span" if has_class("katex-html") && is_beside(node, |other| classed(other, "katex-mathml")) => {
            Some(String::new())
        }
        "script" if is_tex(element) => Some(dollars(&text(node), is_displayed(element))),
        // What a script has made of that already.
        "span" | "div" if element.classes().any(|class| class.starts_with("MathJax")) && is_beside(node, is_tex) => {
            Some(String::new())
        }
        "span" if has_class("katex-mathml") => formula(node, in_code),
        "span" if is_mark(node) => beside_text(node),
        "span" if fills_up(node) && node.parent().and_then(|p| level(p.value().as_element()?)).is_some() => {
            Some(" ".to_owned())
        }
        name if name == "math" || name.ends_with(":math") => formula(node, in_code),
        // The same formula again, as a picture.
        "img" if element.classes().any(|class| class.starts_with("mwe-math-fallback")) => Some(String::new()),
        "td" | "th" | "div" | "span" if is_numbers(node, element) => Some(String::new()),
        "sup" => scripted(node, Script::Super),
        "sub" => scripted(node, Script::Sub),
        "div" if has_class("checkbox-on") => Some("[x] ".to_owned()),
        "div" if has_class("checkbox-off") => Some("[ ] ".to_owned()),
        _ => None,
    }
}

/// A number above or below the line. Calls of notes are links, and stay as they are.
fn scripted(node: NodeRef<'_, Node>, script: Script) -> Option<String> {
    let linked = |node: NodeRef<'_, Node>| node.value().as_element().is_some_and(|element| element.name() == "a");
    let inner = || node.descendants().skip(1).take(AROUND + 1);
    let is_short = inner().count() <= AROUND && inner().all(|node| node.value().is_text() || node.has_children());
    if !is_short || inner().chain(node.ancestors().take(AROUND)).any(linked) {
        return None;
    }
    let before = node.prev_sibling().and_then(|before| before.value().as_text()?.chars().next_back());
    script.of(&text(node), before)
}

/// What an item of a list begins with, beside its mark: whether it is a task of Confluence, and done.
pub fn task(element: &Element) -> &'static str {
    match element.attr("data-inline-task-id") {
        None => "",
        Some(_) if element.classes().any(|class| class == "checked") => "[x] ",
        Some(_) => "[ ] ",
    }
}

/// Markdown that a page holds as it is, for a script to show: slides.
pub fn markdown(node: NodeRef<'_, Node>, element: &Element) -> Option<String> {
    let around = node.parent().and_then(|parent| parent.value().as_element());
    let is_slide = around.is_some_and(|around| around.attr("data-markdown").is_some());
    if !matches!(element.name(), "textarea" | "script") || !is_slide {
        return None;
    }
    let text = text(node);
    let lines = || text.lines().filter(|line| !line.trim().is_empty());
    let indented = |line: &str| line.len() - line.trim_start_matches([' ', '\t']).len();
    let least = lines().map(indented).min().unwrap_or(0);
    let lines: Vec<&str> = text.lines().map(|line| line.get(least..).unwrap_or_default().trim_end()).collect();
    Some(lines.join("\n").trim_matches('\n').to_owned())
}

/// What an item stands behind in a list of Google's, which have the lists within each other follow each other:
/// `lst-kix_…-1` is one level deep.
pub fn indentation(item: NodeRef<'_, Node>) -> String {
    let list = item.parent().and_then(|parent| parent.value().as_element());
    let level = |class: &str| class.strip_prefix("lst-kix")?.rsplit_once('-')?.1.parse::<usize>().ok();
    let level = list.and_then(|list| list.classes().find_map(level)).unwrap_or(0);
    "   ".repeat(level.min(8))
}

/// What a paragraph of Word's has for a mark.
enum Mark {
    Bullet,
    Number(String),
    /// A number of its own kind (`4.2`, `(b)`, `REQ-012`), which other texts name it by: Markdown has no list of these.
    Words(String),
}

/// What of a mark of Word's stands in the text: nothing where it marks an item.
fn beside_text(span: NodeRef<'_, Node>) -> Option<String> {
    let listed = around(span, "p").is_some_and(|p| level(p).is_some());
    let heads = || ["h1", "h2", "h3", "h4", "h5", "h6"].iter().any(|name| around(span, name).is_some());
    match mark(span) {
        Mark::Bullet | Mark::Number(_) if listed => Some(String::new()),
        Mark::Words(words) if listed => Some(words + " "),
        _ if heads() => Some(one_line(&text(span)) + " "),
        _ => None,
    }
}

fn mark(span: NodeRef<'_, Node>) -> Mark {
    let words = one_line(&text(span));
    let in_signs = || {
        let near = span.descendants().take(AROUND).chain(span.ancestors().take(2));
        let mut styles = near.filter_map(|node| node.value().as_element()?.attr("style"));
        styles.any(|style| SIGN_FONTS.iter().any(|font| style.contains(font)))
    };
    let mut signs = words.chars();
    match (signs.next(), signs.next()) {
        (None, _) => return Mark::Bullet,
        (Some(sign), None) if !sign.is_alphanumeric() || sign == 'o' || in_signs() => return Mark::Bullet,
        _ => {}
    }
    let number = words.strip_suffix(['.', ')']).filter(|number| number.bytes().all(|byte| byte.is_ascii_digit()));
    match number {
        Some(number) => Mark::Number(number.to_owned()),
        None => Mark::Words(words),
    }
}

/// The mark of a paragraph that Word means as an item of a list; a number that it wrote as text is one by itself.
pub fn item(node: NodeRef<'_, Node>, element: &Element) -> Option<String> {
    let indent = "   ".repeat(level(element)?.saturating_sub(1));
    let Some(span) = node.descendants().take(LOOKED).find(|inner| is_mark(*inner)) else {
        return node.children().any(fills_up).then_some(indent);
    };
    match mark(span) {
        Mark::Bullet => Some(indent + "* "),
        Mark::Number(number) => Some(format!("{indent}{number}. ")),
        Mark::Words(_) => None,
    }
}

/// A formula as it was typed; where nothing tells that, as it is shown: in code its text.
fn formula(node: NodeRef<'_, Node>, in_code: bool) -> Option<String> {
    let is_source = |node: &NodeRef<'_, Node>| {
        node.value().as_element().is_some_and(|element| element.attr("encoding") == Some("application/x-tex"))
    };
    // Where no program wrote TeX there, it is how the formula is spoken.
    let is_tex = |said: &&str| said.contains(['\\', '{', '_', '^']) || !said.contains(' ') && !said.is_empty();
    let said = || node.value().as_element()?.attr("alttext").filter(is_tex).map(str::to_owned);
    let math = || node.descendants().take(AROUND).find(|node| node.value().as_element().is_some_and(is_math));
    let is_block = |one: &Element| {
        one.classes().any(|class| class == "katex-display") || (is_math(one) && one.attr("display") == Some("block"))
    };
    let displayed = || {
        let mut near = std::iter::once(node).chain(node.ancestors().take(AROUND));
        near.any(|node| node.value().as_element().is_some_and(is_block))
    };
    let Some(source) = node.descendants().take(LOOKED).find(is_source).map(text).or_else(said) else {
        let shown = math().map(if in_code { mathml::plain } else { mathml::tex }).filter(|shown| !shown.is_empty())?;
        return Some(if in_code { shown } else { dollars(&shown, displayed()) });
    };
    Some(dollars(&source, displayed()))
}

fn is_math(element: &Element) -> bool {
    mathml::name(element) == "math"
}

/// A formula between its marks.
fn dollars(source: &str, displayed: bool) -> String {
    let sign = if displayed { "$$" } else { "$" };
    format!("{sign}{}{sign}", one_line(source))
}

/// Whether a script is a formula as it was typed, and whether that stands by itself.
fn is_tex(element: &Element) -> bool {
    element.name() == "script" && element.attr("type").is_some_and(|kind| kind.starts_with("math/tex"))
}

fn is_displayed(element: &Element) -> bool {
    element.attr("type").is_some_and(|kind| kind.contains("mode=display"))
}

fn classed(element: &Element, name: &str) -> bool {
    element.classes().any(|class| class == name)
}

/// Whether an element beside this one is so.
fn is_beside(node: NodeRef<'_, Node>, is: impl Fn(&Element) -> bool) -> bool {
    let beside = node.prev_siblings().take(AROUND).chain(node.next_siblings().take(AROUND));
    beside.filter_map(|other| other.value().as_element()).any(is)
}

/// The level of a paragraph among lists of Word, from 1. Where Word was to leave out what only it knows, the paragraph's
/// class and how far it is indented tell.
fn level(element: &Element) -> Option<usize> {
    let style = element.attr("style").filter(|_| element.name() == "p")?;
    let listed = || {
        let (_, list) = style.split_once("mso-list:")?;
        let (_, level) = list.split(';').next()?.split_once("level")?;
        let digits: String = level.chars().take_while(char::is_ascii_digit).collect();
        digits.parse().ok().filter(|level| (1..=9).contains(level))
    };
    let filtered = || {
        element.classes().find(|class| class.starts_with("MsoListParagraph"))?;
        let margin = style.split(';').find_map(|one| one.trim().strip_prefix("margin-left:"));
        let half_inches = margin.and_then(|margin| {
            let (number, unit) = margin.trim().split_at(margin.trim().find(|sign: char| sign.is_alphabetic())?);
            let points = match unit {
                "in" => 72.0,
                "cm" => 28.35,
                _ => 1.0,
            };
            Some(number.trim().parse::<f64>().ok()? * points / 36.0)
        });
        Some(half_inches.map_or(1, |count| (1..=9).rev().find(|level| f64::from(*level) <= count + 0.5).unwrap_or(1)))
    };
    listed().or_else(|| filtered().and_then(|level: i32| usize::try_from(level).ok()))
}

/// Whether a span is the mark of an item, as Word writes it for programs that know no lists: said to be ignored, or
/// with blanks behind it in the font that fills up to the text.
fn is_mark(node: NodeRef<'_, Node>) -> bool {
    let is_ignored = |element: &Element| {
        element.attr("style").is_some_and(|style| style.replace(' ', "").contains("mso-list:Ignore"))
    };
    let span = node.value().as_element().filter(|element| element.name() == "span");
    span.is_some_and(|element| is_ignored(element) || node.children().any(fills_up))
}

/// Whether a span holds the blanks between a mark and its text.
fn fills_up(node: NodeRef<'_, Node>) -> bool {
    let span = node.value().as_element().filter(|element| element.name() == "span");
    span.and_then(|element| element.attr("style")).is_some_and(|style| style.trim_start().starts_with("font:7.0pt"))
}

/// The nearest element of a name around a node.
fn around<'a>(node: NodeRef<'a, Node>, name: &str) -> Option<&'a Element> {
    let elements = node.ancestors().take(AROUND).filter_map(|node| node.value().as_element());
    elements.into_iter().find(|element| element.name() == name)
}

/// The text of a node, as far as it is looked through.
pub fn text(node: NodeRef<'_, Node>) -> String {
    node.descendants().take(LOOKED).filter_map(|node| node.value().as_text().map(|text| &**text)).collect()
}
