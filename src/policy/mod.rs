//! Policies: every threshold and switch that decides what a window holds, declared once; named presets; validation.
//!
//! A setting is one line in `sections/`. Its row gives the file format, `--set`, sliders, `policy keys` and the docs.
//! "Source 3" in a meaning is the third of the documents that the head of `lib.rs` and the README list.

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

/// Every setting, in order.
pub fn settings() -> impl Iterator<Item = &'static Setting> {
    SECTIONS.iter().flat_map(|(_, _, settings)| settings.iter())
}

impl Policy {
    /// The policy as it is set beside what was recorded: what the user compacted is compacted there too, where it
    /// compacts at all. What the user did is no decision of a policy: without it, the histories part before the policy
    /// is asked.
    #[must_use]
    pub fn beside_recorded(mut self) -> Policy {
        self.replay.manual |= self.summarise.on;
        self
    }
}
