//! What the cells of a notebook gave: texts of several kinds, pictures, and errors.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::Value;

use crate::content::one_line;

use super::html;
use super::input::Failure;
use super::out::Out;
use super::typed::backticks;

/// Bytes of HTML of one output that are parsed.
const HTML_MAX: usize = 8 << 20;
/// Kinds of one output that are named.
const KINDS_MAX: usize = 20;

/// What a cell gave. Before version 4 the kinds stood beside each other in it.
#[derive(Deserialize)]
pub struct Output {
    #[serde(default)]
    text: Lines,
    #[serde(default)]
    html: Lines,
    #[serde(default)]
    latex: Lines,
    png: Option<IgnoredAny>,
    jpeg: Option<IgnoredAny>,
    svg: Option<IgnoredAny>,
    #[serde(default)]
    data: Shown,
    #[serde(default)]
    traceback: Lines,
    ename: Option<String>,
    evalue: Option<String>,
}

/// The same in several kinds.
#[derive(Default)]
struct Shown {
    plain: String,
    markdown: String,
    html: String,
    latex: String,
    json: Option<Value>,
    /// The kinds that are only named.
    named: Vec<String>,
}

impl<'de> Deserialize<'de> for Shown {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Shown, D::Error> {
        from.deserialize_map(Kinds)
    }
}

/// Reads what is given in several kinds, without keeping pictures.
struct Kinds;

impl<'de> Visitor<'de> for Kinds {
    type Value = Shown;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("what is shown, by its kinds")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Shown, A::Error> {
        let mut shown = Shown::default();
        while let Some(kind) = map.next_key::<String>()? {
            let text = match kind.as_str() {
                "text/plain" => &mut shown.plain,
                "text/markdown" => &mut shown.markdown,
                "text/html" => &mut shown.html,
                "text/latex" => &mut shown.latex,
                "application/json" => {
                    shown.json = Some(map.next_value()?);
                    continue;
                }
                _ => {
                    map.next_value::<IgnoredAny>()?;
                    if shown.named.len() < KINDS_MAX {
                        shown.named.push(one_line(&kind));
                    }
                    continue;
                }
            };
            *text = map.next_value::<Lines>()?.join("");
        }
        Ok(shown)
    }
}

/// A text, or its lines.
#[derive(Deserialize)]
#[serde(untagged)]
pub enum Lines {
    /// All of it.
    One(String),
    /// A line each.
    Many(Vec<String>),
    /// Anything else.
    Other(IgnoredAny),
}

impl Default for Lines {
    fn default() -> Lines {
        Lines::One(String::new())
    }
}

impl Lines {
    /// All of it, with a text between its lines.
    pub fn join(&self, between: &str) -> String {
        match self {
            Lines::One(text) => text.clone(),
            Lines::Many(lines) => lines.join(between),
            Lines::Other(_) => String::new(),
        }
    }
}

/// Writes what a cell gave: of its kinds the one that says it best.
///
/// # Errors
/// Where there is enough.
pub fn write(output: Output, out: &mut Out<'_>) -> Result<(), Failure> {
    let Output { text, html, latex, png, jpeg, svg, data, traceback, ename, evalue } = output;
    let kinds = [("image/png", png), ("image/jpeg", jpeg), ("image/svg+xml", svg)];
    let named = kinds.into_iter().filter_map(|(kind, found)| found.map(|_| kind.to_owned())).collect();
    let (plain, html, latex) = (text.join(""), html.join(""), latex.join(""));
    write_shown(Shown { plain, html, latex, named, ..Shown::default() }, out)?;
    write_shown(data, out)?;
    let traceback = without_escapes(&traceback.join("\n"));
    if traceback.is_empty() && ename.is_none() {
        return Ok(());
    }
    let why = format!("{}: {}", ename.as_deref().unwrap_or("error"), evalue.as_deref().unwrap_or_default());
    let says_why = traceback.contains(why.trim_end()) || ename.is_none();
    fenced(&if says_why { traceback } else { format!("{traceback}\n{why}").trim_start().to_owned() }, "", out)
}

fn write_shown(mut shown: Shown, out: &mut Out<'_>) -> Result<(), Failure> {
    let is_object = is_object(&shown.plain);
    let mut page = String::new();
    if shown.markdown.trim().is_empty() && is_object && !shown.html.trim().is_empty() {
        if shown.html.len() <= HTML_MAX {
            page = html::page(&shown.html).markdown;
        }
        if page.trim().is_empty() {
            shown.named.push("text/html".to_owned());
        }
    }
    let texts = [&shown.markdown, &page, &shown.latex];
    if let Some(text) = texts.into_iter().find(|text| !text.trim().is_empty()) {
        out.block(text)?;
    } else if let Some(json) = shown.json.as_ref().filter(|_| is_object) {
        fenced(&format!("{json:#}"), "json", out)?;
    } else {
        fenced(&without_escapes(&shown.plain), "", out)?;
    }
    if shown.named.is_empty() {
        return Ok(());
    }
    Ok(out.block(&format!("(not shown: {})", shown.named.join(", ")))?)
}

/// Whether a text only says what kind of object stands there, or nothing.
fn is_object(plain: &str) -> bool {
    let plain = plain.trim();
    plain.is_empty() || plain.starts_with('<') && plain.ends_with('>') && !plain.contains('\n')
}

/// A text without the sequences that colour it on a terminal.
fn without_escapes(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\u{1b}') {
        plain.push_str(&rest[..at]);
        let after = &rest[at + 1..];
        rest = match after.chars().next() {
            Some('[') => {
                let last = after[1..].find(|sign: char| !(' '..='?').contains(&sign)).map_or(after.len(), |at| at + 1);
                let size =
                    after[last..].chars().next().filter(|sign| ('@'..='~').contains(sign)).map_or(0, char::len_utf8);
                &after[last + size..]
            }
            Some(']') => {
                let ends = after.find(['\u{7}', '\u{1b}']);
                let rest = ends.map_or("", |end| &after[end..]);
                rest.strip_prefix('\u{7}').or_else(|| rest.strip_prefix("\u{1b}\\")).unwrap_or(rest)
            }
            // Of the others, some signs come before the last.
            _ => {
                let mut signs = after.trim_start_matches(|sign| (' '..='/').contains(&sign)).chars();
                signs.next();
                signs.as_str()
            }
        };
    }
    plain.push_str(rest);
    plain
}

/// A block of code, or of what it printed; nothing where there is none.
///
/// # Errors
/// Where there is enough.
pub fn fenced(text: &str, language: &str, out: &mut Out<'_>) -> Result<(), Failure> {
    let text = text.trim_end();
    if text.trim().is_empty() {
        return Ok(());
    }
    let fence = backticks(text, 3);
    Ok(out.block(&format!("{fence}{language}\n{text}\n{fence}"))?)
}

#[cfg(test)]
mod tests {
    use super::without_escapes;
    use crate::document::testing::converted;

    fn shown(output: &str) -> String {
        let text = format!(r#"{{"cells":[{{"cell_type":"code","outputs":[{output}]}}],"metadata":{{}},"nbformat":4}}"#);
        converted("a.ipynb", text.as_bytes(), None).markdown
    }

    fn of_kinds(kinds: &str) -> String {
        shown(&format!(r#"{{"output_type":"display_data","data":{{{kinds}}}}}"#))
    }

    #[test]
    fn of_several_kinds_the_one_that_says_it_is_shown() {
        let page = r#""text/html":["<h2>Result</h2>","<p>p 0.0311</p>"]"#;
        for (kinds, expected) in [
            (format!(r#"{page},"text/plain":"<IPython.core.display.HTML object>""#), "## Result\n\np 0.0311\n"),
            (format!(r#"{page},"text/plain":"p = 0.0311""#), "```\np = 0.0311\n```\n"),
            (page.to_owned(), "## Result\n\np 0.0311\n"),
            (r#""text/latex":"$\\alpha$","text/plain":"alpha""#.to_owned(), "$\\alpha$\n"),
            (r#""application/json":{"k":[1]}"#.to_owned(), "```json\n{\n  \"k\": [\n    1\n  ]\n}\n```\n"),
            (
                r#""image/png":"AAAA","text/plain":"<Figure>""#.to_owned(),
                "```\n<Figure>\n```\n\n(not shown: image/png)\n",
            ),
            (r#""text/html":"<script>x()</script>""#.to_owned(), "(not shown: text/html)\n"),
        ] {
            assert_eq!(of_kinds(&kinds), expected, "{kinds}");
        }
        let old = r#"{"output_type":"pyout","png":"AAAA","html":["<b>x</b>"]}"#;
        assert_eq!(shown(old), "**x**\n\n(not shown: image/png)\n");
    }

    #[test]
    fn an_error_tells_its_lines_and_why() {
        let failed = |lines: &str| shown(&format!(r#"{{"ename":"KeyError","evalue":"'x'","traceback":[{lines}]}}"#));
        let lines = r#""\u001b[0;31mFile a.py\u001b[0m, line 42","KeyError: 'x'""#;
        assert_eq!(failed(lines), "```\nFile a.py, line 42\nKeyError: 'x'\n```\n");
        assert_eq!(failed(r#""line 42""#), "```\nline 42\nKeyError: 'x'\n```\n");
        assert_eq!(failed(""), "```\nKeyError: 'x'\n```\n");
        let coloured = "a\u{1b}]8;;x\u{1b}\\b\u{1b}(Bc\u{1b}[1;3md\u{1b}[é\u{1b}";
        assert_eq!(without_escapes(coloured), "abcdé");
    }
}
