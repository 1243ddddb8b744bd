//! Office documents: packages of XML parts (DOCX, PPTX).

pub mod chart;
pub mod damaged;
pub mod docx;
pub mod math;
mod moment;
pub mod package;
pub mod pptx;
pub mod symbols;

use std::io::BufRead;

use crate::document::markup;

/// Whether Markdown takes a line for a heading, or for the beginning of code, which hides the headings behind it.
#[must_use]
pub fn is_markup(line: &str) -> bool {
    let after = line.trim_start_matches('#');
    let is_heading =
        (1..=6).contains(&(line.len() - after.len())) && (after.is_empty() || after.starts_with([' ', '\t']));
    is_heading || line.starts_with("```") || line.starts_with("~~~")
}

/// The texts of a diagram's data, as the items of a list.
pub fn diagram(data: impl BufRead) -> String {
    let texts = markup::texts(data).into_iter().filter(|(name, _)| name == "t");
    texts.map(|(_, text)| format!("* {text}")).collect::<Vec<_>>().join("\n")
}
