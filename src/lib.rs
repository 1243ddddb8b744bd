//! windowpane: a debugger for context windows.
//!
//! Each folder is a floor: it imports only from the floors before it in `tests/suite/floors.rs`, which checks that.

pub mod chunk;
pub mod cli;
pub mod config;
pub mod content;
pub mod document;
pub mod engine;
pub mod export;
pub mod inquiry;
pub mod io;
pub mod memory;
pub mod model;
pub mod policy;
pub mod present;
pub mod tokens;
pub mod transcript;
pub mod tui;
