//! Office documents: packages of XML parts (DOCX, PPTX).

pub mod chart;
pub mod docx;
pub mod math;
mod moment;
pub mod package;
pub mod pptx;
pub mod symbols;

use std::io::BufRead;

use crate::document::markup;

/// Whether Markdown takes a line for a heading.
#[must_use]
pub fn is_heading(line: &str) -> bool {
    let after = line.trim_start_matches('#');
    (1..=6).contains(&(line.len() - after.len())) && (after.is_empty() || after.starts_with([' ', '\t']))
}

/// The texts of a diagram's data, as the items of a list.
pub fn diagram(data: impl BufRead) -> String {
    let texts = markup::texts(data).into_iter().filter(|(name, _)| name == "t");
    texts.map(|(_, text)| format!("* {text}")).collect::<Vec<_>>().join("\n")
}
