//! What is laid over a screen: help, palette, questions, events. Each is state, keys in, and a drawing.

mod act;
mod dialog;
mod event;
mod findings;
mod frame;
mod help;
mod matching;
mod palette;
mod region;

pub use act::{Overlay, Prompt, Question, act, go_to_entry, link, opens, search, typed};
pub use dialog::{Choice, Dialog};
pub use event::EventCard;
pub use findings::{linted, look};
pub use frame::{Framed, frame, full, hints};
pub use help::Help;
pub use matching::{Words, fuzzy};
pub use palette::{Chosen, Palette};
pub use region::{Region, mouse, region, settle};

#[cfg(test)]
mod overlay_tests;
