//! Patterns that a policy shows by itself, whatever session it is put to.

use super::{Finding, Weight, grouped};
use crate::inquiry::{Bill, Ready};
use crate::policy::{FilesMode, Policy, Size, set};

/// What is said of the price of a policy's own findings that no replay tells.
pub const NO_PRICE: &str = "no cost of its own: what it costs shows in the sessions that it is put to";
/// The same of one that a replay finds to cost nothing.
pub const COSTS_NOTHING: &str = "no cost in this session";

/// What a policy shows by itself.
#[derive(Clone, Debug, PartialEq)]
pub struct Own {
    /// The finding.
    pub finding: Finding,
    /// The setting that shows it.
    pub setting: &'static str,
    /// The assignments that mend it, where they tell its cost: none where they cost what they save, or more.
    pub mends: &'static [&'static str],
}

impl Own {
    /// Works out what it costs a session: what its replay sends less, or reads more from the cache, where it is mended.
    /// Does nothing where that is not to be told.
    pub fn weigh(&mut self, ready: &Ready, policy: &Policy) {
        let mut mended = policy.clone();
        if self.mends.is_empty() || self.mends.iter().any(|mend| set(&mut mended, mend).is_err()) {
            return;
        }
        let bill = |policy: &Policy| Some(Bill::of(&ready.of(policy)?.run(policy)));
        let (Some(now), Some(then)) = (bill(policy), bill(&mended)) else { return };
        let fresh = |bill: &Bill| bill.sent.saturating_sub(bill.cached);
        let (sent, unread) = (now.sent.saturating_sub(then.sent), fresh(&now).saturating_sub(fresh(&then)));
        let saves = now.dollars.zip(then.dollars).map(|(now, then)| now - then);
        let how = self.mends.join(" and ").replace('=', " = ");
        let dearer = saves.filter(|saves| *saves < 0.0).map_or("", |_| ", and costs more");
        let told = match (sent, unread) {
            (0, 0) => format!("A replay of this session with {how} saves no token{dearer}"),
            (0, unread) => format!(
                "a replay of this session with {how} sends {} tokens less without the cache{dearer}",
                grouped(unread)
            ),
            (sent, _) => format!("A replay of this session with {how} sends {} tokens less{dearer}", grouped(sent)),
        };
        self.finding.evidence = format!("{} {told}.", self.finding.evidence);
        self.finding.tokens = Some(if sent > 0 { sent } else { unread });
        self.finding.dollars = saves.map(|saves| saves.max(0.0));
    }
}

/// What a policy does that costs tokens or loses facts in any long session, each with the setting that does.
/// `window`: tokens that shares refer to.
#[must_use]
pub fn of_policy(policy: &Policy, window: u64) -> Vec<Own> {
    let mut found = Vec::new();
    let mut tell = |setting, rule, weight, evidence: String, help| {
        let finding = Finding { rule, weight, evidence, step: None, entry: None, tokens: None, dollars: None, help };
        found.push(Own { finding, setting, mends: mends(rule) });
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

/// The assignments by which a replay tells what a rule's finding costs. What loses facts is no matter of cost.
fn mends(rule: &str) -> &'static [&'static str] {
    match rule {
        "no-truncation" => &["tool_results.on=true"],
        "one-pass-summary" => &["tool_results.on=true", "microcompact.on=true"],
        "moving-prefix" => &["cache.boundary=true"],
        "all-instructions" => &["instructions.scoped=true"],
        _ => &[],
    }
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
    use crate::policy::preset;

    fn rules(policy: &Policy) -> Vec<&'static str> {
        of_policy(policy, 200_000).iter().map(|own| own.finding.rule).collect()
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
            assert!(found.iter().all(|own| crate::policy::named(own.setting).is_some()), "{name}: {found:?}");
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
