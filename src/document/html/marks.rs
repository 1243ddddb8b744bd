//! What stands in a line of Markdown: pictures, links, marks; and blocks of code with their languages.

use scraper::node::Element;

use super::flow::{blocks, unbroken};
use crate::document::heading::released;
use crate::document::languages;
use crate::document::names::by_extension;
use crate::document::typed::{backticks, is_heading};

/// Attributes that hold the address of a picture until a script loads it.
const LATER: &[&str] = &["data-src", "data-original", "data-lazy-src", "data-image-src"];

/// The address of a picture; where a script is to load it later, that which it is to load.
pub fn picture_source(element: &Element) -> String {
    let attribute = |name: &str| element.attr(name).map(str::trim).filter(|value| !value.is_empty());
    let source = attribute("src");
    let later = LATER.iter().find_map(|name| attribute(name));
    let first = attribute("srcset").or_else(|| attribute("data-srcset")).and_then(|set| set.split([' ', ',']).next());
    let is_address = |source: &&str| !source.starts_with("data:");
    let found = source.filter(is_address).or(later).or_else(|| first.filter(is_address)).or(source);
    found.unwrap_or_default().to_owned()
}

/// A picture as Markdown; its data, where it is embedded, shortened.
pub fn image(alt: &str, source: &str, title: &str) -> String {
    let title = if title.is_empty() { String::new() } else { format!(" \"{}\"", title.replace('"', "\\\"")) };
    let mut alt = unbroken(alt);
    if !is_paired(&alt) {
        alt = alt.replace('[', "\\[").replace(']', "\\]");
    }
    format!("![{alt}]({}{title})", shorten_data(source))
}

/// Whether each bracket of a text is closed and opened.
fn is_paired(text: &str) -> bool {
    let mut open = 0_usize;
    let closes = |sign| match sign {
        '[' => {
            open += 1;
            true
        }
        ']' => open.checked_sub(1).map(|left| open = left).is_some(),
        _ => true,
    };
    text.chars().all(closes) && open == 0
}

/// A `data:` address without its data.
fn shorten_data(address: &str) -> String {
    match address.split_once(',') {
        Some((kind, _)) if kind.starts_with("data:") => format!("{kind}..."),
        _ => address.replace(' ', "%20"),
    }
}

/// A block of code.
pub fn fenced(text: &str, language: &str) -> String {
    let fence = backticks(text, 3);
    format!("{fence}{language}\n{text}\n{fence}")
}

/// A text with marks around it; of several blocks, around each paragraph.
pub fn marked(text: &str, mark: &str) -> String {
    let mark_one = |(block, plain)| if plain { format!("{mark}{block}{mark}") } else { str::to_owned(block) };
    blocks(text).into_iter().map(mark_one).collect::<Vec<_>>().join("\n\n")
}

/// A link; where it is around blocks, its heading becomes one, else its first paragraph.
pub fn link(text: &str, target: &str, title: &str) -> String {
    let script = target.len() >= 11 && target.get(..11).is_some_and(|start| start.eq_ignore_ascii_case("javascript:"));
    if target.is_empty() || script {
        return text.to_owned();
    }
    if text.is_empty() {
        return String::new();
    }
    if title.is_empty() && released(text) == target {
        return format!("<{target}>");
    }
    let title = if title.is_empty() { String::new() } else { format!(" \"{}\"", title.replace('"', "\\\"")) };
    let linked = |text: &str| format!("[{}]({}{title})", unbroken(text), shorten_data(target));
    let blocks = blocks(text);
    let named = blocks.iter().position(|(block, _)| is_heading(block));
    let Some(named) = named.or_else(|| blocks.iter().position(|(_, plain)| *plain)) else {
        return format!("{text}\n\n{}", linked(target));
    };
    let write = |(at, (block, _)): (usize, (&str, bool))| match block.split_once(' ') {
        _ if at != named => block.to_owned(),
        Some((marks, words)) if is_heading(block) => format!("{marks} {}", linked(words)),
        _ => linked(block),
    };
    blocks.into_iter().enumerate().map(write).collect::<Vec<_>>().join("\n\n")
}

/// Classes that stand beside the name of a language, and names that are of none.
const BESIDE: &[&str] = &["hljs", "sourceCode"];
const NO_LANGUAGE: &[&str] =
    &["default", "none", "text", "plaintext", "numberSource", "numberLines", "highlight", "nohighlight"];

/// The language that an element names: by a class such as `language-rust`, `lang-rust`, `highlight-source-rust`, or one
/// beside that of a program that colours code, or as its brush.
pub fn language(element: &Element) -> String {
    let prefixes = ["language-", "lang-", "highlight-source-", "highlight-"];
    // `code-rust` is Rust, `code-block` a block.
    let is_known = |name: &&str| by_extension(name).is_some() || languages::is_name(name);
    let of_code = |class: &str| class.strip_prefix("code-").filter(is_known).map(str::to_owned);
    let named = |class: &str| {
        prefixes.iter().find_map(|prefix| class.strip_prefix(prefix).map(str::to_owned)).or_else(|| of_code(class))
    };
    let is_one = |name: &String| !name.is_empty() && !NO_LANGUAGE.contains(&name.as_str());
    let coloured = || {
        element.classes().any(|class| BESIDE.contains(&class)).then(|| {
            let mut others = element.classes().filter(|class| !BESIDE.contains(class)).map(str::to_owned);
            others.find(is_one)
        })?
    };
    let brush = || {
        let set = ["class", "data-syntaxhighlighter-params"].iter().filter_map(|name| element.attr(name));
        let (_, after) = set.filter_map(|text| text.split_once("brush:")).next()?;
        after.trim_start().split([';', ' ']).next().map(str::to_owned)
    };
    let of_block = matches!(element.name(), "pre" | "code" | "div" | "table" | "figure");
    let found = element.classes().find_map(named).filter(is_one).or_else(coloured).or_else(brush).filter(|_| of_block);
    found.filter(|name| name.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'`')).unwrap_or_default()
}
