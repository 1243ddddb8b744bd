//! Choosing passages: sections and windows, their nearness to a task, what is taken within a budget, and tags that lead
//! back to the original.

mod divide;
mod embed;
mod graph;
mod labels;
mod lexical;
#[cfg(feature = "bundled-model")]
mod minilm;
mod outline;
mod parts;
mod passing;
mod progress;
mod rank;
mod select;
#[cfg(test)]
mod select_tests;
mod settings;
mod tag;
mod underlined;
mod vector;
#[cfg(feature = "bundled-model")]
mod wordpiece;

pub use divide::{Division, Piece, Strategy};
pub use embed::{BUNDLED, EmbedError, Embedder, ModelId, hex_of, model_hash, vector_key};
pub use graph::Graph;
pub use labels::Labels;
pub use lexical::{Lexical, is_cjk};
#[cfg(feature = "bundled-model")]
pub use minilm::{MiniLm, bundled};
pub use outline::{Outline, PAGE_CHARS, PageStart, Section, Spot};
pub use parts::Parts;
pub use passing::{Begins, Mark, Passing, labels};
pub use progress::{Chooser, Store};
pub use select::{Candidate, LeftOut, Scores, Selection, Taken, Verdict, choose};
pub use settings::{BudgetOrder, Index, Ranking, Settings};
pub use tag::Tag;
pub use vector::{dot, normalised};
