//! windowpane: a debugger for context windows.
//!
//! Each folder is a floor: it imports only from the floors before it in `tests/suite/floors.rs`, which checks that.
//!
//! "Source 3", in code and settings, is the third of the documents that windowpane replays (the README has the same
//! numbers):
//!
//! 1. *Large Document Context* (Harness Engineering for AI Agents, Context Engineering & Memory)
//! 2. *Context*, the context component of a harness: `ingest()`, `pack()`, `preserve()`
//! 3. *Building an internal agent: Context window compaction* (Irrational Exuberance)
//! 4. *Context Management - Requirements and Architecture* (aixtools)
//! 5. *Context* (Harness Engineering), with the five-layer defence

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
