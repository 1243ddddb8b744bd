//! OpenAI's Responses API.

mod item;
mod outcome;
mod parts;
mod tools;

pub use item::{Item, item};
pub use parts::Piece;
pub use tools::definitions;
