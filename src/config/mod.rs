//! What the user may choose, as data: actions and their keys, themes, settings. No files, no terminal.

mod actions;
mod context;
mod fault;
mod key;
mod keymap;
mod role;
mod settings;
mod style;
mod theme;
mod value;

pub use actions::{ACTIONS, Action, ActionInfo, Group};
pub use context::Context;
pub use fault::{Fault, nearest};
pub use key::{Code, Key, parse_sequence, sequence_label};
pub use keymap::{Keymap, Match};
pub use role::{ROLES, Role};
pub use settings::{Origin, SETTINGS, SettingInfo, SettingRow, Settings};
pub use style::{COLOUR_NAMES, Colour, Emphasis, Style};
pub use theme::{SHIPPED, Theme};
pub use value::{Api, Pictures, Signs, Value};
