//! Choosing passages: sections, windows, and where each stands in the document.

mod outline;

pub use outline::{Outline, Section, Spot};
