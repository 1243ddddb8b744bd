//! What agents do by themselves without recording it: when they compact, and how much of a model's window they use.

use crate::model::{Transcript, Version};

use super::format::row;

/// What is known of an agent beside its records. An agent's version is `None` where it is not known: the newest rule
/// holds.
pub struct Habits {
    /// Tokens of context at which it compacts before a request, of a window so large as it uses; `None` where its rule is
    /// not known.
    pub compacts_at: fn(Option<&Version>, window: u64) -> Option<u64>,
    /// How much of a model's window (tokens) it uses where no record says; `stated`: whether the model's name asks for
    /// all of it.
    pub uses: fn(Option<&Version>, window: u64, stated: bool) -> u64,
    /// The smaller window, in tokens, of an agent that uses one of two: a compaction that it makes by itself within that
    /// shows it.
    pub smaller_window: Option<u64>,
    /// The instruction files that it loads when it starts without recording them, by the ends of their paths; one that
    /// ends in `/` is a folder of them.
    pub unrecorded_instructions: &'static [&'static str],
    /// Whether it loads a file anew after a compaction without recording it, by the file's path and the working folder:
    /// instructions and memory.
    pub loads_anew: fn(path: &str, folder: &str) -> bool,
}

impl Habits {
    /// Those of programs that are no agents: they use all of the window, and compact nowhere.
    pub const NONE: Habits = Habits {
        compacts_at: |_, _| None,
        uses: |_, window, _| window,
        smaller_window: None,
        unrecorded_instructions: &[],
        loads_anew: |_, _| false,
    };

    /// Whether it loads an instruction file when it starts, and records nothing of it.
    #[must_use]
    pub fn loads_unrecorded(&self, path: &str) -> bool {
        is_named(path, self.unrecorded_instructions)
    }
}

/// Whether a path is of one of these names: it ends with the name, or leads through the folder that one ending in `/` is.
#[must_use]
pub fn is_named(path: &str, names: &[impl AsRef<str>]) -> bool {
    let path = format!("/{}", path.replace('\\', "/"));
    names.iter().map(AsRef::as_ref).any(|name| match name.strip_suffix('/') {
        Some(folder) => path.contains(&format!("/{folder}/")),
        None => path.strip_suffix(name).is_some_and(|before| before.ends_with('/')),
    })
}

/// The habits of the agent that wrote a transcript.
#[must_use]
pub fn habits(transcript: &Transcript) -> &'static Habits {
    row(transcript.format).map_or(&Habits::NONE, |format| &format.habits)
}
