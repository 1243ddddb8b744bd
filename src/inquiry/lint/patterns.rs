//! The patterns that settings show by themselves, one row each: the setting, what is found, and what helps.

use std::borrow::Cow;

use super::Weight;
use crate::model::thousands;
use crate::policy::{Amount, FilesMode, Policy, Size, Unit};

/// What helps against a pattern.
pub(super) enum Mend {
    /// Assignments, by which a replay tells what it costs.
    Set(&'static [&'static str]),
    /// What is no matter of cost, in words: facts are lost, or there is more than one way.
    Words(&'static str),
}

impl Mend {
    /// The assignments by which a replay tells what a pattern costs.
    pub fn assignments(&self) -> &'static [&'static str] {
        match self {
            Mend::Set(assignments) => assignments,
            Mend::Words(_) => &[],
        }
    }

    /// The same in words.
    pub fn help(&self) -> Cow<'static, str> {
        match self {
            Mend::Set(assignments) => told(assignments).into(),
            Mend::Words(words) => (*words).into(),
        }
    }
}

/// Assignments in words: `a.on = true and b.on = true`.
pub(super) fn told(assignments: &[&str]) -> String {
    assignments.join(" and ").replace('=', " = ")
}

/// A pattern that settings show.
pub(super) struct Pattern {
    /// The setting that shows it.
    pub setting: &'static str,
    /// Its rule.
    pub rule: &'static str,
    /// How much it matters.
    pub weight: Weight,
    /// What is found, where it is: of a policy, and the tokens of a window.
    pub evidence: fn(&Policy, u64) -> Option<String>,
    /// What helps.
    pub mend: Mend,
}

/// The patterns that settings show; the last are pairs of which one takes the other's sense.
pub(super) static PATTERNS: &[Pattern] = &[
    Pattern {
        setting: "tool_results.on",
        rule: "no-truncation",
        weight: Weight::Habit,
        evidence: |policy, _| {
            (!policy.tool_results.on).then(|| "The policy cuts no tool result, however long.".to_owned())
        },
        mend: Mend::Set(&["tool_results.on=true"]),
    },
    Pattern {
        setting: "drop.oldest_turns",
        rule: "fixed-trimming",
        weight: Weight::Loss,
        evidence: |policy, _| trimmed(policy, policy.drop.oldest_turns, "turns"),
        mend: Mend::Words("summarise.on = true"),
    },
    Pattern {
        setting: "drop.oldest_tool_results",
        rule: "fixed-trimming",
        weight: Weight::Loss,
        evidence: |policy, _| {
            trimmed(policy, policy.drop.oldest_tool_results && !policy.drop.oldest_turns, "tool results")
        },
        mend: Mend::Words("summarise.on = true"),
    },
    Pattern {
        setting: "summarise.on",
        rule: "one-pass-summary",
        weight: Weight::Habit,
        evidence: |policy, _| {
            let cheaper = policy.tool_results.on || policy.microcompact.on || policy.collapse.on;
            (policy.summarise.on && !cheaper).then(|| {
                "The policy's only means is a summary of everything: nothing is cut, cleared or collapsed before."
                    .to_owned()
            })
        },
        mend: Mend::Set(&["tool_results.on=true", "microcompact.on=true"]),
    },
    Pattern {
        setting: "cache.boundary",
        rule: "moving-prefix",
        weight: Weight::Waste,
        evidence: |policy, _| {
            (!policy.cache.boundary).then(|| {
                "The policy has no dynamic boundary: what changes stands before what does not, and no prefix can be \
                 reused."
                    .to_owned()
            })
        },
        mend: Mend::Set(&["cache.boundary=true"]),
    },
    Pattern {
        setting: "instructions.scoped",
        rule: "all-instructions",
        weight: Weight::Waste,
        evidence: |policy, _| {
            (policy.instructions.on && !policy.instructions.scoped)
                .then(|| "The policy loads every instruction file, whatever the task touches.".to_owned())
        },
        mend: Mend::Set(&["instructions.scoped=true"]),
    },
    Pattern {
        setting: "summarise.target",
        rule: "summary-over-reserve",
        weight: Weight::Habit,
        evidence: |policy, _| {
            let (target, reserve) = (policy.summarise.target, policy.reserve.summary);
            (policy.summarise.on && reserve > 0 && target > reserve).then(|| {
                format!(
                    "A summary may have {} tokens; {} are kept free for one.",
                    thousands(target),
                    thousands(reserve)
                )
            })
        },
        mend: Mend::Words("reserve.summary, or summarise.target"),
    },
    Pattern {
        setting: "summarise.keep_tail",
        rule: "contradiction",
        weight: Weight::Habit,
        evidence: keeps_what_is_due,
        mend: Mend::Words("summarise.keep_tail well below summarise.at"),
    },
    Pattern {
        setting: "reserve.output",
        rule: "contradiction",
        weight: Weight::Habit,
        evidence: |policy, window| {
            let reserve = &policy.reserve;
            let reserved = reserve.output.saturating_add(reserve.summary).saturating_add(reserve.headroom);
            (reserved > 0 && reserved >= window).then(|| {
                format!(
                    "Of a window of {} tokens {} are kept free: nothing is left for a prompt.",
                    thousands(window),
                    thousands(reserved)
                )
            })
        },
        mend: Mend::Words("reserve.output, reserve.summary and reserve.headroom below the window together"),
    },
    Pattern {
        setting: "drop.to",
        rule: "contradiction",
        weight: Weight::Habit,
        evidence: |policy, window| {
            let drop = &policy.drop;
            let never = (drop.oldest_turns || drop.oldest_tool_results) && drop.to.of(window) > drop.at.of(window);
            never.then(|| {
                format!("The policy drops from {} on until {} are left: it never frees anything.", drop.at, drop.to)
            })
        },
        mend: Mend::Words("drop.to below drop.at"),
    },
    Pattern {
        setting: "tool_results.virtual_head",
        rule: "contradiction",
        weight: Weight::Habit,
        evidence: |policy, window| {
            let (over, head) = (policy.tool_results.virtual_over, policy.tool_results.virtual_head);
            (policy.tool_results.on && head.of(window) > over.of(window)).then(|| {
                format!("Of a result over {over} tokens the first {head} stay: of many that are cut nothing goes.")
            })
        },
        mend: Mend::Words("tool_results.virtual_head below tool_results.virtual_over"),
    },
    Pattern {
        setting: "chunks.overlap",
        rule: "contradiction",
        weight: Weight::Habit,
        evidence: |policy, _| {
            let chunks = &policy.chunks;
            (policy.files.mode == FilesMode::Chunks && chunks.overlap > chunks.settings().shared()).then(|| {
                format!(
                    "Windows of {} characters overlap by {}; nine tenths of a window is the most that it shares with \
                     the next.",
                    chunks.window, chunks.overlap
                )
            })
        },
        mend: Mend::Words("chunks.overlap at most nine tenths of chunks.window"),
    },
    Pattern {
        setting: "memory.chunk_overlap",
        rule: "contradiction",
        weight: Weight::Habit,
        evidence: |policy, _| {
            let memory = &policy.memory;
            (memory.on && memory.chunk_overlap > memory.chunk_size / 2).then(|| {
                format!(
                    "Memories of {} characters overlap by {}; half of a memory is the most that it shares with the \
                     next.",
                    memory.chunk_size, memory.chunk_overlap
                )
            })
        },
        mend: Mend::Words("memory.chunk_overlap at most half of memory.chunk_size"),
    },
];

/// A threshold as large as the window is met only by a request that no longer fits.
pub(super) static NEVER_REACHED: Pattern = Pattern {
    setting: "summarise.at",
    rule: "too-long",
    weight: Weight::Loss,
    evidence: |policy, window| {
        let own = &policy.summarise;
        let by_size = match own.at {
            Size::Percent(percent) => percent >= 100.0,
            at => at.of(window) >= window,
        };
        (own.on && by_size && own.at_events == 0 && !policy.reactive.on)
            .then(|| format!("The policy summarises at {}, which a window that still fits never reaches.", own.at))
    },
    mend: Mend::Words("a lower summarise.at, or reactive.on = true"),
};

/// That the oldest of something goes, where nothing is summarised.
fn trimmed(policy: &Policy, goes: bool, what: &str) -> Option<String> {
    (goes && !policy.summarise.on)
        .then(|| format!("The policy drops the oldest {what} and summarises nothing: what stood there is gone."))
}

/// That the end that stays is as long as what a summary is made from.
fn keeps_what_is_due(policy: &Policy, window: u64) -> Option<String> {
    let Policy { summarise, reserve, .. } = policy;
    let due = summarise.due(summarise.at, summarise.window(window, reserve));
    let kept = match summarise.keep_tail {
        Amount::Count(tokens, Unit::Tokens) => tokens,
        // A share is one of the history as it is then.
        Amount::Percent(percent) => Size::Percent(percent).of(due),
        Amount::Count(..) => 0,
    };
    (summarise.on && kept > 0 && kept >= due).then(|| {
        format!(
            "A summary is made from {} tokens on, and {} of the end stay: what is left to summarise is little or \
             nothing, again at each request.",
            thousands(due),
            thousands(kept)
        )
    })
}
