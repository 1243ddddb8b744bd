//! The screen: the only user of ratatui and crossterm.
//!
//! [`update`] takes what happened and changes the state; what is to be done outside comes back as effects. [`draw`]
//! reads the state. Neither touches the world.

mod act;
mod act_documents;
mod ascii;
mod char_width;
mod clipboard;
pub mod compaction;
pub mod compare;
pub mod detail;
pub mod documents;
mod draw;
pub mod findings;
mod first_words;
mod input;
mod inspect;
mod job;
mod keys;
mod layout;
mod line;
mod list;
mod main_screen;
pub mod memory;
mod message;
mod mouse;
mod numbered;
pub mod overlay;
mod pages;
pub mod picker;
mod pictures;
mod policy_draft;
mod proposed;
mod replayer;
mod runner;
pub mod scene;
mod search;
mod services;
mod sessions;
mod signals;
mod signs;
mod state;
mod step_moves;
mod style;
mod subagent;
pub mod sweep;
mod terminal;
#[cfg(test)]
mod tests;
mod threads;
pub mod trace;
pub mod tune;
mod under_way;
mod update;
mod workers;

pub use ascii::to_ascii;
pub use char_width::{fix_widths, keep_backgrounds};
pub use draw::draw;
pub use keys::key;
pub use message::{Begin, Effect, Message, Mouse};
pub use pictures::picker as pictures;
pub use policy_draft::NamedPolicy;
pub use runner::run;
pub use services::{Open, Opened, PASSAGES, Windows};
pub use state::{Phase, Session, State};
pub use style::{always_colour, style};
pub use update::update;
