//! Formulas that a page shows by their parts (Presentation `MathML`) as TeX.

use ego_tree::NodeRef;
use ego_tree::iter::Edge;
use scraper::Node;
use scraper::node::Element;

use crate::content::one_line;
use crate::document::tex::{accent, bracket, function, signs, unwritten, words};

/// Edges of elements that are looked through for the sign of an accent.
const LOOKED: usize = 5_000;
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
    let mut found = unwritten(&row(math, 0));
    found.truncate(found.trim_end().len());
    found
}

/// A formula, or an element of one, as the text that it shows.
pub fn plain(math: NodeRef<'_, Node>) -> String {
    gather(math, usize::MAX, false)
}

/// The elements that an element holds.
fn parts(node: NodeRef<'_, Node>) -> impl Iterator<Item = (NodeRef<'_, Node>, &Element)> {
    let parts = node.children().filter_map(|child| Some((child, child.value().as_element()?)));
    parts.filter(|(_, element)| !matches!(name(element), "annotation" | "annotation-xml"))
}

/// What an element holds, one behind the other.
fn row(node: NodeRef<'_, Node>, depth: usize) -> String {
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

/// The text of an element on one line with the words for its pictures, as far as it is looked through; what its
/// elements hold is `apart` where numbers of several may stand in it.
fn gather(node: NodeRef<'_, Node>, looked: usize, apart: bool) -> String {
    let mut found = String::new();
    let mut hidden = None;
    for edge in node.traverse().take(looked) {
        match edge {
            Edge::Open(inner) if hidden.is_none() => match inner.value() {
                Node::Text(text) => found.push_str(text),
                Node::Element(element) => match name(element) {
                    "annotation" | "annotation-xml" => hidden = Some(inner.id()),
                    "img" | "mglyph" => found.extend([" ", element.attr("alt").unwrap_or_default(), " "]),
                    _ if apart => found.push(' '),
                    _ => {}
                },
                _ => {}
            },
            Edge::Close(inner) if hidden == Some(inner.id()) => hidden = None,
            _ => {}
        }
    }
    one_line(&found)
}

/// How many elements have their places in one of a name, where it has places: what else it holds stands behind it.
fn places(name: &str) -> Option<usize> {
    match name {
        "semantics" => Some(1),
        "mfrac" | "mroot" | "msub" | "msup" | "munder" | "mover" => Some(2),
        "msubsup" | "munderover" => Some(3),
        "maction" | "mtable" | "mtr" | "mlabeledtr" | "mfenced" | "mmultiscripts" => Some(usize::MAX),
        _ => None,
    }
}

/// What stands in an element beside the elements that have their places there.
fn rest(node: NodeRef<'_, Node>, places: usize, depth: usize) -> String {
    let mut at = 0;
    let mut found = String::new();
    for child in node.children() {
        match child.value() {
            Node::Text(text) => found.push_str(&signs(text.trim())),
            Node::Element(element) if !matches!(name(element), "annotation" | "annotation-xml") => {
                at += 1;
                if at > places {
                    found.push_str(&part(child, element, depth + 1));
                }
            }
            _ => {}
        }
    }
    found
}

/// Words in a formula.
fn spoken(text: &str) -> String {
    if text.is_empty() { String::new() } else { format!("\\text{{{}}}", words(text)) }
}

/// What a row is called, as a number in brackets.
fn label(text: &str) -> String {
    match text.strip_prefix('(').and_then(|text| text.strip_suffix(')')) {
        _ if text.is_empty() => String::new(),
        Some(number) => format!(" \\tag{{{}}}", words(number)),
        None => format!(" \\tag*{{{}}}", words(text)),
    }
}

/// An element as TeX, with all that it holds.
fn part(node: NodeRef<'_, Node>, element: &Element, depth: usize) -> String {
    if depth >= DEPTH_MAX {
        return signs(&gather(node, usize::MAX, true));
    }
    let found = placed(node, element, depth);
    match places(name(element)) {
        Some(places) => found + &rest(node, places, depth),
        None => found,
    }
}

fn placed(node: NodeRef<'_, Node>, element: &Element, depth: usize) -> String {
    let nth =
        |at: usize| parts(node).nth(at).map(|(child, element)| part(child, element, depth + 1)).unwrap_or_default();
    let all = || row(node, depth);
    let attribute = |name: &str| element.attr(name).map(str::trim);
    match name(element) {
        "annotation" | "annotation-xml" | "none" | "mprescripts" | "maligngroup" | "malignmark" => String::new(),
        "semantics" | "maction" => nth(0),
        "mi" => identifier(&plain(node), attribute("mathvariant").unwrap_or_default()),
        "mo" => operator(&plain(node)),
        "mtext" | "ms" => spoken(&plain(node)),
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
            let cells = parts(node).skip(1).map(|(cell, element)| part(cell, element, depth + 1));
            let number = parts(node).next().map(|(cell, _)| label(&plain(cell))).unwrap_or_default();
            cells.collect::<Vec<_>>().join(" & ") + &number
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
    let sign = |at: usize| parts(node).nth(at).map(|(child, _)| gather(child, LOOKED, false)).unwrap_or_default();
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

#[cfg(test)]
mod tests {
    fn markdown(html: &str) -> String {
        super::super::page(html).markdown
    }

    #[test]
    fn all_that_a_formula_holds_is_written() {
        let label = "<mtable><mlabeledtr><mtd><mtext>(3.1)</mtext></mtd><mtd><mi>E</mi></mtd></mlabeledtr></mtable>";
        for (parts, tex) in [
            (label, "\\begin{matrix}E \\tag{3.1}\\end{matrix}"),
            ("<mtext>50% of {a}</mtext>", "\\text{50\\% of \\{a\\}}"),
            ("<mtext>see <a href=u>x</a><img alt=pic> here</mtext>", "\\text{see x pic here}"),
            ("<mi><mglyph src=g alt=glyph /></mi>", "\\operatorname{glyph} "),
            ("<mfrac>or<mi>a</mi><mi>b</mi><mi>c</mi></mfrac>", "\\frac{a}{b}orc"),
            ("<msup><mi>x</mi><mn>2</mn><mn>99</mn></msup>", "{x}^{2}99"),
            ("<mover><mi>x</mi><mo>¯</mo><mi>y</mi></mover>", "\\bar{x}y"),
            ("<mtable>a<mtr>b<mtd>c</mtd></mtr></mtable>", "\\begin{matrix}cb\\end{matrix}a"),
            ("<semantics>q<mi>x</mi><annotation>no</annotation></semantics>", "xq"),
            ("<mn>3</mn> <mo>&#x2062;</mo> <mn>4</mn><mo>&#x2062;</mo><mi>x</mi>", "3 \\cdot 4x"),
        ] {
            assert_eq!(markdown(&format!("<math>{parts}</math>")), format!("${}$", tex.trim()), "{parts}");
        }
        let deep =
            |count| format!("<math>{}<mn>1</mn>{}</math>", "<mfrac>".repeat(count), "<mn>2</mn></mfrac>".repeat(count));
        assert_eq!(markdown(&deep(100)).matches('2').count(), 100);
        let wide = format!("<math>{}{}</math>", "<mrow>".repeat(70), "<mi>x</mi>".repeat(9_000));
        assert_eq!(markdown(&wide).matches('x').count(), 9_000);
    }

    #[test]
    fn formulas_in_code_are_text() {
        let math = "<math><mi>E</mi><mo>_</mo><semantics><mi>x</mi><annotation>no</annotation></semantics></math>";
        assert_eq!(markdown(&format!("<pre>x {math}</pre>")), "```\nx E_x\n```");
        assert_eq!(markdown(&format!("<code>x {math}</code>")), "`x E_x`");
    }
}
