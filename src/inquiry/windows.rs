//! Windows in which a threshold that is a part of the window comes to a figure: where a setting is a share, the window
//! that makes a difference is none that anything measured.

use crate::policy::{Kind, Policy, SECTIONS, Size, Value};

/// The largest window that is looked at, in tokens.
const LARGEST: u64 = 1 << 40;

/// The smallest windows in which a threshold of a policy's stages, as it is a part of them, is no less than each of some
/// figures, and more.
pub(super) fn windows_for(policy: &Policy, figures: &[u64]) -> Vec<u64> {
    let mut found = Vec::new();
    for (_, _, settings) in SECTIONS {
        let is_off = |name: &str, value: Value| name == "on" && value == Value::Bool(false);
        if settings.iter().any(|setting| is_off(setting.name(), (setting.get)(policy))) {
            continue;
        }
        for setting in settings.iter().filter(|setting| matches!(setting.kind, Kind::Size)) {
            let Some(size @ (Size::Percent(_) | Size::Below(_))) = Size::written(&(setting.get)(policy)) else {
                continue;
            };
            let comes_to = |window: u64| match setting.key {
                "summarise.at" => size.of(policy.summarise.window(window, &policy.reserve)),
                _ => size.of(window),
            };
            let wanted = figures.iter().flat_map(|figure| [*figure, figure.saturating_add(1)]);
            found.extend(wanted.filter_map(|figure| smallest(figure, comes_to)));
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// The smallest number that what grows with it takes to a figure.
fn smallest(figure: u64, comes_to: impl Fn(u64) -> u64) -> Option<u64> {
    let (mut low, mut high) = (0, LARGEST);
    if comes_to(high) < figure {
        return None;
    }
    while low < high {
        let middle = low + (high - low) / 2;
        (low, high) = if comes_to(middle) >= figure { (low, middle) } else { (middle + 1, high) };
    }
    Some(low)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::set;

    #[test]
    fn a_share_comes_to_a_figure_in_one_window() {
        let mut policy = Policy::default();
        for assignment in ["summarise.on=true", "summarise.at=50%", "summarise.of=raw", "microcompact.on=false"] {
            set(&mut policy, assignment).unwrap();
        }
        let found = windows_for(&policy, &[1_000]);
        assert!(found.contains(&1_999) && found.contains(&2_001), "{found:?}");
        set(&mut policy, "summarise.at=-300").unwrap();
        assert!(windows_for(&policy, &[1_000]).contains(&1_300));
        set(&mut policy, "summarise.at=700").unwrap();
        assert!(!windows_for(&policy, &[1_000]).contains(&1_300), "no part of a window");
        assert_eq!(smallest(5, |_| 4), None);
    }
}
