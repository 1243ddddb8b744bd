//! Lint: patterns that cost tokens or lose facts, each with its evidence, place, price and what would help. Most are
//! the anti-patterns of source 5.

mod again;
mod counts;
mod helps;
mod history;
mod named;
mod needed;
mod patterns;
mod pieces;
mod policy;
mod prefix;
mod price;
mod prose;
mod tools;

use std::borrow::Cow;
use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Serialize;

use crate::content::Sources;
use crate::engine::Plan;
use crate::model::{BlockId, EntryId, Run, Transcript};
use crate::policy::Policy;
use crate::tokens::{ModelInfo, Models};

pub use again::FilesShown;
pub use helps::settle;
pub use needed::needed_after_cut;
pub use policy::{COSTS_NOTHING, NO_PRICE, Own, of_policy};
pub use price::is_uncached;

/// What is looked at.
pub struct Looked<'a> {
    /// The transcript.
    pub transcript: &'a Transcript,
    /// Its text.
    pub sources: &'a Sources,
    /// The files that are attached: the block that holds each, and the step at which it comes in.
    pub attached: &'a [(BlockId, u32)],
    /// The run.
    pub run: &'a Run,
    /// The policy that made it, where one did.
    pub policy: Option<&'a Policy>,
    /// The history as numbers and texts, where it was read: who refers to what.
    pub plan: Option<&'a Plan>,
    /// Which of its results show files: one table for every rule, and every replay of the same history.
    pub shown: &'a FilesShown,
    /// The table of models, for the prices of each step's own.
    pub models: &'a Models,
    /// The model of steps that name none, or none that is known.
    pub model: Option<&'a ModelInfo>,
}

/// How much a finding matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Weight {
    /// A fact was lost, or a request failed.
    Loss,
    /// Tokens or money.
    Waste,
    /// A habit that will cost sooner or later.
    Habit,
}

/// Of tokens that are told for every step in which they stood.
const ALWAYS: &str = "over all steps";

/// A pattern that was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// The rule's name.
    pub rule: &'static str,
    /// How much it matters.
    pub weight: Weight,
    /// What was found, in one sentence. May quote untrusted text.
    pub evidence: String,
    /// The first step that shows it.
    pub step: Option<u32>,
    /// An entry that shows it.
    pub entry: Option<EntryId>,
    /// Tokens that it cost: in every step in which they stood, or once, see [`Finding::of_what`].
    pub tokens: Option<u64>,
    /// Dollars.
    pub dollars: Option<f64>,
    /// What would help: a setting, or a change.
    pub help: Cow<'static, str>,
    /// The fact that it is about, as it is traced, and the step that needed it.
    pub fact: Option<(String, u32)>,
    /// The entries whose tokens it counts, whole or in part.
    pub counts: BTreeSet<EntryId>,
}

impl Finding {
    /// What its tokens are those of, in words behind their number: what left and what was summarised is told once, all
    /// else for every step in which it stood. What a policy shows by itself has no step: replays weigh it over all.
    #[must_use]
    pub fn of_what(&self) -> &'static str {
        match self.rule {
            _ if self.step.is_none() => ALWAYS,
            "fixed-trimming" => "once, of what was dropped",
            "no-boundary" => "once, of what was left out",
            "one-pass-summary" => "once, of the window that was summarised",
            "needed-after-cut" => "once, of the piece that held it",
            "too-long" => "once, of what was refused",
            _ => ALWAYS,
        }
    }

    /// Whether its tokens are told once, and not for every step in which they stood.
    #[must_use]
    pub fn is_once(&self) -> bool {
        self.of_what() != ALWAYS
    }

    /// The rules of other findings that count some of the same tokens: these are not to be added up.
    #[must_use]
    pub fn overlaps<'f>(&self, all: impl IntoIterator<Item = &'f Finding>) -> Vec<&'static str> {
        // What is read again is taken out of what nobody refers to.
        let is_apart = |other: &Finding| {
            let both = [self.rule, other.rule];
            std::ptr::eq(self, other) || ["read-again", "never-referred-to"].iter().all(|rule| both.contains(rule))
        };
        let shares = |other: &&Finding| !is_apart(other) && !other.counts.is_disjoint(&self.counts);
        let mut rules: Vec<&'static str> = all.into_iter().filter(shares).map(|other| other.rule).collect();
        rules.sort_unstable();
        rules.dedup();
        rules
    }
}

impl Looked<'_> {
    /// The model that a step, from 1, is priced by: the one that its policy names, else its own.
    fn model_at(&self, step: u32) -> Option<&ModelInfo> {
        let wished = self.policy.is_some_and(|policy| !policy.window.model.is_empty());
        let own = self.run.model_at(step).filter(|_| !wished);
        let own = own.and_then(|name| self.models.find(name)).map(|found| found.info);
        own.filter(|model| model.price.is_some()).or(self.model)
    }

    /// Steps in which an entry stood.
    fn stood(&self, entry: &crate::model::Entry) -> u64 {
        counts::stood(self.run, entry)
    }
}

/// A name within 60 characters: of a path its end, which tells more.
fn clipped(name: &str) -> String {
    const MOST: usize = 60;
    let length = name.chars().count();
    match length <= MOST {
        true => name.to_owned(),
        false if name.contains('/') => format!("…{}", name.chars().skip(length + 1 - MOST).collect::<String>()),
        false => format!("{}…", name.chars().take(MOST - 1).collect::<String>()),
    }
}

type Rule = (&'static str, fn(&Looked, &mut Vec<Finding>));

/// Every rule, by name.
const RULES: &[Rule] = &[
    ("whole-file-dump", pieces::dumps),
    ("large-output", pieces::large_outputs),
    ("no-truncation", pieces::no_truncation),
    ("read-again", again::read_again),
    ("never-referred-to", pieces::never_referred_to),
    ("unused-tools", tools::unused),
    ("prose-instructions", prose::prose_instructions),
    ("all-instructions", pieces::all_instructions),
    ("fixed-trimming", history::fixed_trimming),
    ("one-pass-summary", history::one_pass),
    ("no-boundary", history::no_boundary),
    ("summary-over-reserve", history::large_summaries),
    ("too-long", history::too_long),
    ("moving-prefix", prefix::moving),
];

/// The names of all rules.
pub fn rules() -> impl Iterator<Item = &'static str> {
    RULES.iter().map(|(name, _)| *name).chain(["needed-after-cut"])
}

/// Looks for every pattern; the weightiest and dearest come first.
#[must_use]
pub fn lint(looked: &Looked) -> Vec<Finding> {
    let mut found = Vec::new();
    for (_, rule) in RULES {
        rule(looked, &mut found);
    }
    sort(&mut found, |finding| finding);
    found
}

/// Orders findings: losses first, then by price and tokens.
pub fn sort<T>(found: &mut [T], finding: impl Fn(&T) -> &Finding) {
    found.sort_by(|one, other| {
        let (one, other) = (finding(one), finding(other));
        let price = |finding: &Finding| finding.dollars.unwrap_or(0.0);
        one.weight
            .cmp(&other.weight)
            .then(price(other).total_cmp(&price(one)))
            .then(other.tokens.cmp(&one.tokens))
            .then(one.rule.cmp(other.rule))
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_two_findings_count_is_told_of_both() {
        let of = |rule, counts: &[u32]| Finding {
            rule,
            weight: Weight::Waste,
            evidence: String::new(),
            step: Some(1),
            entry: None,
            tokens: Some(1),
            dollars: None,
            help: "".into(),
            fact: None,
            counts: counts.iter().copied().map(EntryId).collect(),
        };
        let all = [of("a", &[1, 2]), of("a", &[2]), of("c", &[2, 3]), of("b", &[3, 1]), of("d", &[])];
        let told: Vec<Vec<&str>> = all.iter().map(|one| one.overlaps(&all)).collect();
        assert_eq!(told, [vec!["a", "b", "c"], vec!["a", "c"], vec!["a", "b"], vec!["a", "c"], vec![]]);
        let apart = [of("read-again", &[1]), of("never-referred-to", &[1])];
        assert!(apart.iter().all(|one| one.overlaps(&apart).is_empty()));
    }

    #[test]
    fn a_long_name_says_that_it_goes_on() {
        let path = format!("/home/me/{}/tests/test_decision_verify.py", "a".repeat(40));
        let shown = clipped(&path);
        assert!(shown.starts_with('…') && shown.ends_with("/tests/test_decision_verify.py"), "{shown}");
        assert_eq!((shown.chars().count(), clipped("Bash")), (60, "Bash".to_owned()));
        assert!(clipped(&"b".repeat(80)).ends_with("b…"));
    }
}
