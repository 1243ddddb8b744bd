//! Formulas that a page shows by their parts (Presentation `MathML`) as TeX.

use ego_tree::NodeRef;
use scraper::Node;
use scraper::node::Element;

use super::generated::text;
use crate::document::tex::{accent, bracket, function, signs};

/// Elements within each other; of what is nested deeper only the text is kept.
const DEPTH_MAX: usize = 64;
/// Operators whose limits stand below and above them.
const LARGE: &[&str] = &["∑", "∏", "∐", "∫", "∬", "∭", "∮", "⋃", "⋂", "⋁", "⋀", "⨁", "⨂"];

/// The name of an element, without a prefix.
pub fn name(element: &Element) -> &str {
    element.name().rsplit(':').next().unwrap_or_default()
}

/// A formula as TeX; empty where it shows nothing.
pub fn tex(math: NodeRef<'_, Node>) -> String {
    let mut found = row(math, 0);
    found.truncate(found.trim_end().len());
    found
}

/// The elements that an element holds.
fn parts(node: NodeRef<'_, Node>) -> impl Iterator<Item = (NodeRef<'_, Node>, &Element)> {
    let parts = node.children().filter_map(|child| Some((child, child.value().as_element()?)));
    parts.filter(|(_, element)| !matches!(name(element), "annotation" | "annotation-xml"))
}

/// What an element holds, one behind the other.
fn row(node: NodeRef<'_, Node>, depth: usize) -> String {
    if depth >= DEPTH_MAX {
        return signs(&one_line(node));
    }
    let mut found = String::new();
    let mut is_apart = false;
    for child in node.children() {
        let more = match child.value() {
            Node::Text(text) if text.trim().is_empty() => {
                is_apart = true;
                continue;
            }
            Node::Text(text) => signs(text.trim()),
            Node::Element(element) => part(child, element, depth + 1),
            _ => continue,
        };
        // TeX takes no notice of white space, but who reads it does.
        if std::mem::take(&mut is_apart) && !more.is_empty() && !found.is_empty() && !found.ends_with(' ') {
            found.push(' ');
        }
        found.push_str(&more);
    }
    found
}

/// The text of an element on one line.
fn one_line(node: NodeRef<'_, Node>) -> String {
    text(node).split_whitespace().collect::<Vec<_>>().join(" ")
}

fn part(node: NodeRef<'_, Node>, element: &Element, depth: usize) -> String {
    let nth =
        |at: usize| parts(node).nth(at).map(|(child, element)| part(child, element, depth + 1)).unwrap_or_default();
    let all = || row(node, depth);
    let attribute = |name: &str| element.attr(name).map(str::trim);
    match name(element) {
        "annotation" | "annotation-xml" | "none" | "mprescripts" | "maligngroup" | "malignmark" => String::new(),
        "semantics" | "maction" => nth(0),
        "mi" => identifier(&one_line(node), attribute("mathvariant").unwrap_or_default()),
        "mo" => operator(&one_line(node)),
        "mtext" | "ms" => format!("\\text{{{}}}", text(node).split_whitespace().collect::<Vec<_>>().join(" ")),
        "mspace" => "\\;".to_owned(),
        "mfrac" if attribute("bevelled") == Some("true") => format!("{{{}}}/{{{}}}", nth(0), nth(1)),
        "mfrac" if attribute("linethickness").is_some_and(is_zero) => format!("{{{} \\atop {}}}", nth(0), nth(1)),
        "mfrac" => format!("\\frac{{{}}}{{{}}}", nth(0), nth(1)),
        "msqrt" => format!("\\sqrt{{{}}}", all()),
        "mroot" => format!("\\sqrt[{}]{{{}}}", nth(1), nth(0)),
        "msub" => format!("{}_{{{}}}", base(&nth(0)), nth(1)),
        "msup" => format!("{}^{{{}}}", base(&nth(0)), nth(1)),
        "msubsup" => format!("{}_{{{}}}^{{{}}}", base(&nth(0)), nth(1), nth(2)),
        "munder" => around(node, &nth(0), &nth(1), ""),
        "mover" => around(node, &nth(0), "", &nth(1)),
        "munderover" => around(node, &nth(0), &nth(1), &nth(2)),
        "mmultiscripts" => scripts(node, depth),
        "mtable" => format!("\\begin{{matrix}}{}\\end{{matrix}}", joined(node, " \\\\ ", depth)),
        "mtr" => joined(node, " & ", depth),
        "mlabeledtr" => {
            let cells = parts(node).skip(1).map(|(cell, _)| row(cell, depth + 1));
            cells.collect::<Vec<_>>().join(" & ")
        }
        "mfenced" => {
            let given = attribute("separators").unwrap_or(",");
            let mut between = given.chars().filter(|sign| !sign.is_whitespace()).map(|sign| signs(&sign.to_string()));
            let mut inner = String::new();
            let mut newest = String::new();
            for (at, (child, element)) in parts(node).enumerate() {
                if at > 0 {
                    newest = between.next().unwrap_or(newest);
                    inner.push_str(&newest);
                }
                inner.push_str(&part(child, element, depth + 1));
            }
            let (open, close) = (attribute("open").unwrap_or("("), attribute("close").unwrap_or(")"));
            format!("\\left{}{inner}\\right{}", bracket(open), bracket(close))
        }
        "menclose" => match attribute("notation").unwrap_or("longdiv") {
            "radical" => format!("\\sqrt{{{}}}", all()),
            kind if kind.contains("strike") => format!("\\cancel{{{}}}", all()),
            kind if kind.contains("box") => format!("\\boxed{{{}}}", all()),
            "top" => format!("\\overline{{{}}}", all()),
            "bottom" => format!("\\underline{{{}}}", all()),
            _ => all(),
        },
        "mphantom" => format!("\\phantom{{{}}}", all()),
        _ => all(),
    }
}

/// The parts of an element with something between them.
fn joined(node: NodeRef<'_, Node>, between: &str, depth: usize) -> String {
    parts(node).map(|(child, element)| part(child, element, depth + 1)).collect::<Vec<_>>().join(between)
}

/// A length that is none.
fn is_zero(length: &str) -> bool {
    let number = length.trim_end_matches(|sign: char| sign.is_ascii_alphabetic() || sign == '%');
    number.parse::<f64>().is_ok_and(|number| number == 0.0)
}

fn identifier(letters: &str, variant: &str) -> String {
    if letters.chars().count() > 1
        && let Some(function) = function(letters)
    {
        return function + " ";
    }
    let shape = match variant {
        "bold" | "bold-italic" => "\\mathbf",
        "double-struck" => "\\mathbb",
        "script" | "bold-script" => "\\mathcal",
        "fraktur" | "bold-fraktur" => "\\mathfrak",
        _ => return signs(letters),
    };
    format!("{shape}{{{}}}", signs(letters))
}

fn operator(sign: &str) -> String {
    match function(sign) {
        Some(function) => function + " ",
        None => signs(sign),
    }
}

/// What a sub- or superscript is of, as one.
fn base(tex: &str) -> String {
    let tex = tex.trim_end();
    let is_command = tex.strip_prefix('\\').is_some_and(|name| name.chars().all(|sign| sign.is_ascii_alphabetic()));
    if is_command { tex.to_owned() } else { format!("{{{tex}}}") }
}

/// What stands under and over something: the limits of an operator, an accent, or another part.
fn around(node: NodeRef<'_, Node>, inner: &str, under: &str, over: &str) -> String {
    let sign = |at: usize| parts(node).nth(at).map(|(child, _)| one_line(child)).unwrap_or_default();
    let first = sign(0);
    let mut tex = inner.trim_end().to_owned();
    let is_function = function(&first).is_some();
    if LARGE.contains(&first.as_str()) || is_function {
        if is_function {
            tex.push(' ');
        }
        for (mark, limit) in [('_', under), ('^', over)] {
            if !limit.is_empty() {
                tex.push_str(&format!("{mark}{{{limit}}}"));
            }
        }
        return tex;
    }
    let last = if under.is_empty() { 1 } else { 2 };
    for (limit, at, below) in [(under, 1, true), (over, last, false)] {
        let name = if below { "\\underset" } else { "\\overset" };
        match accent(&sign(at), below) {
            _ if limit.is_empty() => {}
            Some(accent) => tex = format!("{accent}{{{tex}}}"),
            None => tex = format!("{name}{{{limit}}}{{{tex}}}"),
        }
    }
    tex
}

/// Something with pairs of scripts behind it, and others before it.
fn scripts(node: NodeRef<'_, Node>, depth: usize) -> String {
    let (mut before, mut after) = (Vec::new(), Vec::new());
    let mut is_before = false;
    for (child, element) in parts(node).skip(1) {
        match name(element) {
            "mprescripts" => is_before = true,
            _ if is_before => before.push(part(child, element, depth + 1)),
            _ => after.push(part(child, element, depth + 1)),
        }
    }
    let pairs = |scripts: &[String]| {
        let marked = scripts.iter().enumerate().filter(|(_, script)| !script.is_empty());
        marked.map(|(at, script)| format!("{}{{{script}}}", if at % 2 == 0 { '_' } else { '^' })).collect::<String>()
    };
    let inner = parts(node).next().map(|(child, element)| part(child, element, depth + 1)).unwrap_or_default();
    let lead = if before.is_empty() { String::new() } else { format!("{{}}{}", pairs(&before)) };
    format!("{lead}{}{}", base(&inner), pairs(&after))
}
