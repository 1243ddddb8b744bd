//! What is shown, before anything draws it: safe text, numbers and tables for people. No terminal here.

mod diagnosis;
mod number;
mod place;
mod safe;
mod table;
pub mod verdict;
mod words;

pub use diagnosis::{Clause, diagnose, sentence};
pub use number::{age, bytes, count, dollars, duration, percent, short};
pub use place::{Place, VIEWS, shell_word};
pub use safe::{clip, safe, safe_lines, width};
pub use table::{Align, Cell, Column, Table, Tone};
pub use words::first_words;
