//! Office documents: packages of XML parts (DOCX, PPTX).

pub mod docx;
pub mod math;
pub mod package;
pub mod pptx;
pub mod symbols;
