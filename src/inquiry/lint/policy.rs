//! Patterns that a policy shows by itself, whatever session it is put to.

use super::{Finding, Weight};
use crate::policy::{Policy, Size};

/// What a policy does that costs tokens or loses facts in any long session. `window`: tokens that shares refer to.
#[must_use]
pub fn of_policy(policy: &Policy, window: u64) -> Vec<Finding> {
    let mut found = Vec::new();
    let mut tell = |rule, weight, evidence: String, help| {
        found.push(Finding { rule, weight, evidence, step: None, entry: None, tokens: None, dollars: None, help });
    };
    let summarises = policy.summarise.on;
    if !policy.tool_results.on {
        tell(
            "no-truncation",
            Weight::Habit,
            "The policy cuts no tool result, however long.".to_owned(),
            "tool_results.on = true",
        );
    }
    if (policy.drop.oldest_turns || policy.drop.oldest_tool_results) && !summarises {
        let what = if policy.drop.oldest_turns { "turns" } else { "tool results" };
        tell(
            "fixed-trimming",
            Weight::Loss,
            format!("The policy drops the oldest {what} and summarises nothing: what stood there is gone."),
            "summarise.on = true",
        );
    }
    let cheaper = policy.tool_results.on || policy.microcompact.on || policy.collapse.on;
    if summarises && !cheaper {
        tell(
            "one-pass-summary",
            Weight::Habit,
            "The policy's only means is a summary of everything: nothing is cut, cleared or collapsed before."
                .to_owned(),
            "tool_results.on = true and microcompact.on = true",
        );
    }
    if !policy.cache.boundary {
        tell(
            "moving-prefix",
            Weight::Waste,
            "The policy has no dynamic boundary: what changes stands before what does not, and no prefix can be reused."
                .to_owned(),
            "cache.boundary = true",
        );
    }
    if policy.instructions.on && !policy.instructions.scoped {
        tell(
            "all-instructions",
            Weight::Waste,
            "The policy loads every instruction file, whatever the task touches.".to_owned(),
            "instructions.scoped = true",
        );
    }
    let reserve = policy.reserve.summary;
    if summarises && reserve > 0 && policy.summarise.target > reserve {
        tell(
            "summary-over-reserve",
            Weight::Habit,
            format!("A summary may have {} tokens; {reserve} are kept free for one.", policy.summarise.target),
            "reserve.summary, or summarise.target",
        );
    }
    // A threshold as large as the window is met only by a request that no longer fits.
    let by_size = match policy.summarise.at {
        Size::Percent(percent) => percent >= 100.0,
        at => at.of(window) >= window,
    };
    if summarises && by_size && policy.summarise.at_events == 0 && !policy.reactive.on {
        tell(
            "too-long",
            Weight::Loss,
            format!("The policy summarises at {}, which a window that still fits never reaches.", policy.summarise.at),
            "a lower summarise.at, or reactive.on = true",
        );
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::{preset, set};

    fn rules(policy: &Policy) -> Vec<&'static str> {
        of_policy(policy, 200_000).iter().map(|finding| finding.rule).collect()
    }

    fn named(name: &str) -> Policy {
        preset(name, None).unwrap().0
    }

    #[test]
    fn a_policy_alone_shows_what_it_lacks() {
        assert!(rules(&named("five-layer")).is_empty(), "{:?}", rules(&named("five-layer")));
        assert!(rules(&named("drop-oldest")).contains(&"fixed-trimming"));
        assert!(rules(&named("none")).contains(&"no-truncation"));
        let mut policy = named("five-layer");
        for (assignment, rule) in [
            ("cache.boundary=false", "moving-prefix"),
            ("tool_results.on=false", "no-truncation"),
            ("summarise.target=90000", "summary-over-reserve"),
        ] {
            set(&mut policy, assignment).unwrap();
            assert!(rules(&policy).contains(&rule), "{rule}: {:?}", rules(&policy));
        }
        for off in ["microcompact.on=false", "collapse.on=false"] {
            set(&mut policy, off).unwrap();
        }
        assert!(rules(&policy).contains(&"one-pass-summary"));
        set(&mut policy, "summarise.at=100%").unwrap();
        set(&mut policy, "reactive.on=false").unwrap();
        assert!(rules(&policy).contains(&"too-long"));
        // Who counts pieces summarises whatever their size.
        set(&mut policy, "summarise.at_events=80").unwrap();
        assert!(!rules(&policy).contains(&"too-long"));
        assert!(!rules(&named("openhands")).contains(&"too-long"));
    }
}
