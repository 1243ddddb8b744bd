//! What the screens look at: a run with an index for quick scrubbing, the timeline's columns, the window's rows.

mod columns;
mod index;
mod rows;

pub use columns::{Column, Scale, columns};
pub use index::{Brief, Change, Marks, RunIndex};
pub use rows::{Changes, Fold, Order, Row, RowSettings, Shown, rows};
