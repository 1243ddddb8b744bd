//! What the signs of the screen mean: one declaration for the timeline, its legend and the help.

use crate::config::Role;
use crate::model::{Fate, Stage};

use super::main_screen::{fate_sign, stage_role};
use super::scene::Marks;

/// A sign of the timeline.
pub struct StepSign {
    /// What it stands for.
    pub mark: Marks,
    /// The sign.
    pub sign: &'static str,
    /// What it means, in the legend.
    pub word: &'static str,
    /// Its colour.
    pub role: Role,
    /// What it means, in the help.
    pub meaning: &'static str,
}

/// The signs below the steps of the timeline, the gravest first.
pub const STEP_SIGNS: &[StepSign] = &[
    step(Marks::COMPACTION, "┊", "compaction", Role::Summarised, "a compaction: a summary stands for the history"),
    step(Marks::SESSION, "⊢", "new session", Role::Accent, "another session begins, with a window of its own"),
    step(Marks::REWIND, "↶", "rewind", Role::Warning, "a rewind: the history went back, or another one was sent"),
    step(Marks::FAILED, "×", "failed", Role::Error, "the request failed: stopped, or refused as too long"),
    step(Marks::CLEARING, "○", "cleared", Role::Cleared, "stale results were cleared"),
    step(Marks::USER, "▲", "you", Role::Human, "a person wrote; in a subagent: what it was asked for"),
    step(
        Marks::DROP,
        "⊖",
        "dropped",
        Role::Removed,
        "old turns or results were taken away, with nothing in their place",
    ),
    step(Marks::CHANGE, "✂", "cut", Role::Boundary, "something was cut, collapsed or else changed"),
    step(Marks::REASONING, "∴", "reasoning dropped", Role::Cleared, "the reasoning of earlier turns was left out"),
    step(Marks::PENDING, "◌", "not sent yet", Role::Dim, "the request is about to be made"),
];

const fn step(mark: Marks, sign: &'static str, word: &'static str, role: Role, meaning: &'static str) -> StepSign {
    StepSign { mark, sign, word, role, meaning }
}

/// The line at which the agent, or the policy, compacts.
pub const THRESHOLD: &str = "╌";
/// The step that is looked at, through its bar and below it.
pub const CURSOR: [&str; 2] = ["│", "▔"];

/// Signs that stand nowhere but beside figures and in rows.
const OTHERS: &[(&str, &str, Role)] = &[
    ("+", "in the window: came in at this step", Role::Added),
    ("−", "in the difference: went at this step", Role::Removed),
    ("@41", "came in at step 41: the first window that holds it", Role::Dim),
    ("~", "an estimate: not counted yet, or not reported for this step", Role::Estimate),
    ("≥", "at least: not every length or price is known", Role::Dim),
    ("▸", "folded; of a layer: the only one that is shown", Role::Accent),
    ("…", "the text goes on", Role::Dim),
    ("≠", "of two tracks: both hold it, in another state; of a memory: contradicted", Role::Warning),
    ("↕", "of two tracks: both hold it, in another place", Role::Accent),
];

/// Every sign with its meaning, each sign once.
#[must_use]
pub fn all() -> Vec<(&'static str, String, Role)> {
    let mut found: Vec<(&'static str, String, Role)> =
        STEP_SIGNS.iter().map(|sign| (sign.sign, sign.meaning.to_owned(), sign.role)).collect();
    found.push((THRESHOLD, "the size at which the agent compacts by itself".to_owned(), Role::Threshold));
    found.push((CURSOR[1], "the step that is looked at".to_owned(), Role::Cursor));
    let fates = [
        Fate::Truncated,
        Fate::Virtual,
        Fate::Cleared,
        Fate::Summarised,
        Fate::Collapsed,
        Fate::Remembered,
        Fate::Deduplicated,
        Fate::Dropped,
    ];
    let fates = fates.into_iter().filter_map(|fate| {
        let (sign, role) = fate_sign(fate)?;
        Some((sign, format!("of an entry: {}", fate.name()), role))
    });
    let stages =
        Stage::ALL.iter().map(|stage| (stage.mark(), format!("of an event: {}", stage.name()), stage_role(*stage)));
    let others = OTHERS.iter().map(|(sign, meaning, role)| (*sign, (*meaning).to_owned(), *role));
    for (sign, meaning, role) in others.chain(fates).chain(stages) {
        match found.iter_mut().find(|(known, ..)| *known == sign) {
            // A sign of a step is the same thing where it stands beside an entry or an event.
            Some((_, told, _)) if !told.contains(&meaning) => told.push_str(&format!("; {meaning}")),
            Some(_) => {}
            None => found.push((sign, meaning, role)),
        }
    }
    found
}
