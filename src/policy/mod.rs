//! Policies: every threshold and switch that decides what a window holds, declared once; named presets; validation.
//!
//! A setting is one line in `sections/`. Its row gives the file format, `--set`, sliders, `policy keys` and the docs.

mod amount;
mod declare;
mod fault;
mod listed;
mod origin;
mod preset;
mod read;
mod sections;
mod show;
mod size;
#[cfg(test)]
mod tests;
mod value;
mod variants;

pub use amount::{Amount, Unit};
pub use declare::{Follows, Setting};
pub use fault::Fault;
pub use listed::{Items, Listed};
pub use origin::origin;
pub use preset::{Evidence, Origin, Origins, PRESETS, Preset, number_of, preset, preset_for};
pub use read::{named, nearest, paired, read, read_noted, set};
pub use sections::*;
pub use show::{keys, show};
pub use size::Size;
pub use value::{Choice, Kind, Share, Value};
pub use variants::Variants;
