//! The screen: the only user of ratatui and crossterm.

mod keys;
mod style;

pub use keys::key;
pub use style::style;
