//! Office documents: packages of XML parts (DOCX, PPTX).

pub mod beside;
pub mod binary;
pub mod chart;
mod comments;
pub mod damaged;
pub mod docx;
pub mod math;
mod moment;
pub mod package;
pub mod pptx;
pub mod symbols;

use std::io::BufRead;

use crate::document::markup;
use crate::document::typed::typed;

/// The texts of a diagram's data, as the items of a list.
pub fn diagram(data: impl BufRead) -> String {
    let texts = markup::texts(data).into_iter().filter(|(name, _)| name == "t");
    texts.map(|(_, text)| format!("* {}", typed("", &text))).collect::<Vec<_>>().join("\n")
}
