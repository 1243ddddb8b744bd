//! When Codex compacts by itself, and how much of a model's window it uses.

use super::super::habits::Habits;

/// The raw window that Codex was seen to use of models with four times as much.
const RAW_WINDOW: u64 = 272_000;

/// What Codex does by itself: it compacts at 90 % of the raw window (its public code).
pub const HABITS: Habits = Habits {
    compacts_at: |_, window| Some(codex_raw(window) / 10 * 9),
    uses: |_, window, _| window.min(RAW_WINDOW),
    smaller_window: None,
    // It records what it loads.
    unrecorded_instructions: &[],
    loads_anew: |_, _| false,
};

/// The raw window of Codex, in tokens. It states its effective one, 95 % of the raw one; its older versions state the raw
/// one.
#[must_use]
pub fn codex_raw(window: u64) -> u64 {
    if window.is_multiple_of(19) { (window / 19).saturating_mul(20) } else { window }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_compacts_where_it_was_seen_to() {
        let at = |window| (HABITS.compacts_at)(None, window);
        assert_eq!([258_400, 353_400, 272_000].map(at), [Some(244_800), Some(334_800), Some(244_800)]);
        assert!(at(u64::MAX).is_some_and(|tokens| tokens > 0));
    }

    #[test]
    fn it_uses_272k_of_larger_windows() {
        assert_eq!([1_050_000, 128_000].map(|window| (HABITS.uses)(None, window, false)), [272_000, 128_000]);
    }
}
