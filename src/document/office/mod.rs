//! Office documents: packages of XML parts (DOCX, PPTX).

pub mod docx;
pub mod math;
pub mod package;
pub mod pptx;
pub mod symbols;

/// Whether Markdown takes a line for a heading.
#[must_use]
pub fn is_heading(line: &str) -> bool {
    let after = line.trim_start_matches('#');
    (1..=6).contains(&(line.len() - after.len())) && (after.is_empty() || after.starts_with([' ', '\t']))
}
