//! Patterns that a policy shows by itself, whatever session it is put to.

use super::{Finding, Weight, grouped};
use crate::policy::{FilesMode, Policy, Size};

/// What is said of the price of a policy's own findings.
pub const NO_PRICE: &str = "no cost of its own: what it costs shows in the sessions that it is put to";

/// What a policy does that costs tokens or loses facts in any long session, each with the setting that does.
/// `window`: tokens that shares refer to.
#[must_use]
pub fn of_policy(policy: &Policy, window: u64) -> Vec<(Finding, &'static str)> {
    let mut found = Vec::new();
    let mut tell = |key, rule, weight, evidence: String, help| {
        let finding = Finding { rule, weight, evidence, step: None, entry: None, tokens: None, dollars: None, help };
        found.push((finding, key));
    };
    let summarises = policy.summarise.on;
    if !policy.tool_results.on {
        tell(
            "tool_results.on",
            "no-truncation",
            Weight::Habit,
            "The policy cuts no tool result, however long.".to_owned(),
            "tool_results.on = true",
        );
    }
    if (policy.drop.oldest_turns || policy.drop.oldest_tool_results) && !summarises {
        let what = if policy.drop.oldest_turns { "turns" } else { "tool results" };
        tell(
            if policy.drop.oldest_turns { "drop.oldest_turns" } else { "drop.oldest_tool_results" },
            "fixed-trimming",
            Weight::Loss,
            format!("The policy drops the oldest {what} and summarises nothing: what stood there is gone."),
            "summarise.on = true",
        );
    }
    let cheaper = policy.tool_results.on || policy.microcompact.on || policy.collapse.on;
    if summarises && !cheaper {
        tell(
            "summarise.on",
            "one-pass-summary",
            Weight::Habit,
            "The policy's only means is a summary of everything: nothing is cut, cleared or collapsed before."
                .to_owned(),
            "tool_results.on = true and microcompact.on = true",
        );
    }
    if !policy.cache.boundary {
        tell(
            "cache.boundary",
            "moving-prefix",
            Weight::Waste,
            "The policy has no dynamic boundary: what changes stands before what does not, and no prefix can be reused."
                .to_owned(),
            "cache.boundary = true",
        );
    }
    if policy.instructions.on && !policy.instructions.scoped {
        tell(
            "instructions.scoped",
            "all-instructions",
            Weight::Waste,
            "The policy loads every instruction file, whatever the task touches.".to_owned(),
            "instructions.scoped = true",
        );
    }
    let reserve = policy.reserve.summary;
    if summarises && reserve > 0 && policy.summarise.target > reserve {
        tell(
            "summarise.target",
            "summary-over-reserve",
            Weight::Habit,
            format!(
                "A summary may have {} tokens; {} are kept free for one.",
                grouped(policy.summarise.target),
                grouped(reserve)
            ),
            "reserve.summary, or summarise.target",
        );
    }
    for (key, wrong, evidence, help) in contradictions(policy, window) {
        if wrong {
            tell(key, "contradiction", Weight::Habit, evidence, help);
        }
    }
    // A threshold as large as the window is met only by a request that no longer fits.
    let by_size = match policy.summarise.at {
        Size::Percent(percent) => percent >= 100.0,
        at => at.of(window) >= window,
    };
    if summarises && by_size && policy.summarise.at_events == 0 && !policy.reactive.on {
        tell(
            "summarise.at",
            "too-long",
            Weight::Loss,
            format!("The policy summarises at {}, which a window that still fits never reaches.", policy.summarise.at),
            "a lower summarise.at, or reactive.on = true",
        );
    }
    found
}

/// Pairs of settings of which one takes the other's sense: the one, whether they do, what happens, what helps.
fn contradictions(policy: &Policy, window: u64) -> [(&'static str, bool, String, &'static str); 4] {
    let Policy { drop, tool_results, chunks, memory, files, .. } = policy;
    let over = |one: Size, other: Size| one.of(window) > other.of(window);
    [
        (
            "drop.to",
            (drop.oldest_turns || drop.oldest_tool_results) && over(drop.to, drop.at),
            format!("The policy drops from {} on until {} are left: it never frees anything.", drop.at, drop.to),
            "drop.to below drop.at",
        ),
        (
            "tool_results.virtual_head",
            tool_results.on && over(tool_results.virtual_head, tool_results.virtual_over),
            format!(
                "Of a result over {} tokens the first {} stay: of many that are cut nothing goes.",
                tool_results.virtual_over, tool_results.virtual_head
            ),
            "tool_results.virtual_head below tool_results.virtual_over",
        ),
        (
            "chunks.overlap",
            files.mode == FilesMode::Chunks && chunks.overlap > chunks.settings().shared(),
            format!(
                "Windows of {} characters overlap by {}; nine tenths of a window is the most that it shares with the next.",
                chunks.window, chunks.overlap
            ),
            "chunks.overlap at most nine tenths of chunks.window",
        ),
        (
            "memory.chunk_overlap",
            memory.on && memory.chunk_overlap > memory.chunk_size / 2,
            format!(
                "Memories of {} characters overlap by {}; half of a memory is the most that it shares with the next.",
                memory.chunk_size, memory.chunk_overlap
            ),
            "memory.chunk_overlap at most half of memory.chunk_size",
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::{preset, set};

    fn rules(policy: &Policy) -> Vec<&'static str> {
        of_policy(policy, 200_000).iter().map(|(finding, _)| finding.rule).collect()
    }

    fn named(name: &str) -> Policy {
        preset(name, None).unwrap().0
    }

    #[test]
    fn settings_that_contradict_each_other_are_told() {
        for (base, assignments) in [
            ("drop-oldest", ["drop.to=100%", "drop.at=50%"]),
            ("internal-agent", ["tool_results.virtual_over=500", "tool_results.virtual_head=600"]),
            ("harness-course", ["chunks.window=100", "chunks.overlap=100"]),
            ("memory-harness", ["memory.chunk_size=100", "memory.chunk_overlap=51"]),
        ] {
            let mut policy = named(base);
            assert!(!rules(&policy).contains(&"contradiction"), "{base}");
            assignments.iter().for_each(|assignment| set(&mut policy, assignment).unwrap());
            assert!(rules(&policy).contains(&"contradiction"), "{base}");
        }
    }

    #[test]
    fn each_names_a_setting_that_there_is() {
        for name in ["none", "drop-oldest", "five-layer", "internal-agent", "memory-harness"] {
            let found = of_policy(&named(name), 200_000);
            assert!(found.iter().all(|(_, key)| crate::policy::named(key).is_some()), "{name}: {found:?}");
        }
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
