//! What helps against a finding under the policy at hand: of the settings that may, those under which a replay shows less
//! of it.

use std::collections::HashMap;

use super::{Finding, Looked, RULES};
use crate::content::Watch;
use crate::inquiry::{Bill, Ready};
use crate::model::{Run, thousands};
use crate::policy::{Policy, Value, named, set};

/// Per rule: assignments that help, each with those that it needs; and what helps beside them.
const HELPS: &[(&str, &[&[&str]], &str)] = &[
    ("whole-file-dump", CUTS, LESS),
    ("large-output", CUTS, LESS),
    ("no-truncation", CUTS, LESS),
    (
        "read-again",
        &[&["microcompact.on=true", "microcompact.superseded=true"], &["notice.on=true", "notice.files=true"]],
        "tell the agent what it has read",
    ),
    ("never-referred-to", &[&["microcompact.on=true", "microcompact.spare_referenced=true"]], LESS),
    (
        "all-instructions",
        &[
            &["instructions.on=true", "instructions.max_chars=4000"],
            &["instructions.on=true", "instructions.total_chars=12000"],
        ],
        "shorter files, or files scoped by path",
    ),
    ("too-long", &[&["reactive.on=true"], &["summarise.on=true"]], LESS),
    ("one-pass-summary", &[&["tool_results.on=true", "microcompact.on=true"]], "cut or clear long results before that"),
];

/// See [`HELPS`].
const CUTS: &[&[&str]] = &[
    &["tool_results.on=true", "tool_results.virtual_over=10000"],
    &["tool_results.on=true", "tool_results.virtual_over=10000", "tool_results.virtual_head=1000"],
];
/// What anybody can do who is given too much.
pub(super) const LESS: &str = "ask for less at once: a range, a narrower search, the end of an output";

/// What part of a finding has to be gone for a setting to help: less is chance.
const LEAST: u64 = 10;

/// How much a rule finds in a replay, in tokens over the steps in which they stood, and what that costs in all.
struct Found {
    tokens: u64,
    bill: Bill,
}

/// How much a rule finds in a run that a policy made.
fn found_in(looked: &Looked, rule: &str, run: &Run, policy: &Policy) -> Option<Found> {
    let (_, find) = RULES.iter().find(|(name, _)| *name == rule)?;
    let mut all = Vec::new();
    find(&Looked { run, policy: Some(policy), ..*looked }, &mut all);
    Some(Found { tokens: all.iter().filter_map(|one| one.tokens).sum(), bill: Bill::of(run) })
}

/// What is to be said of a setting's price, where the session costs more with it.
fn dearer(now: &Bill, then: &Bill) -> String {
    match (now.dollars, then.dollars) {
        (Some(now), Some(then)) if then > now * 1.005 => {
            let (then, now) = (format!("{then:.2}"), format!("{now:.2}"));
            // What no cent shows is nothing to mind.
            if then == now { String::new() } else { format!(" (though all of it then costs ${then} for ${now})") }
        }
        (None, _) | (_, None) if then.sent > now.sent + now.sent / 200 => {
            format!(" (though {} tokens are then sent for {})", thousands(then.sent), thousands(now.sent))
        }
        _ => String::new(),
    }
}

/// Puts into findings what helps under a policy: settings that are as they should be, or under which a replay shows no
/// less of what was found, are left out.
pub fn settle(found: &mut [Finding], looked: &Looked, ready: &Ready, policy: &Policy, watch: &Watch) {
    let replay = |policy: &Policy| Some(ready.of(policy)?.run(policy));
    let (mut present, mut known) = (None, HashMap::<&str, String>::new());
    for finding in found {
        let Some((rule, ways, beside)) = HELPS.iter().find(|(rule, ..)| *rule == finding.rule) else { continue };
        let help = known.entry(rule).or_insert_with(|| {
            let (mut all, mut now) = (Vec::<String>::new(), None);
            let mut helped: Vec<&[&str]> = Vec::new();
            for way in *ways {
                // More is not needed than what helps.
                if helped.iter().any(|enough| way.starts_with(enough)) {
                    continue;
                }
                let (changed, told) = changed(policy, way);
                if told.is_empty() || watch.is_cancelled() {
                    continue;
                }
                // One replay as it is serves all rules.
                let Some(run) = present.get_or_insert_with(|| replay(policy)) else { continue };
                let now = now.get_or_insert_with(|| found_in(looked, rule, run, policy));
                let then = replay(&changed).and_then(|run| found_in(looked, rule, &run, &changed));
                let Some((now, then)) = now.as_ref().zip(then) else { continue };
                if then.tokens < now.tokens && then.tokens <= now.tokens - now.tokens / LEAST {
                    helped.push(*way);
                    all.push(format!("{}{}", told.join(" and "), dearer(&now.bill, &then.bill)));
                }
            }
            all.push((*beside).to_owned());
            all.join(", or ")
        });
        finding.help = help.clone().into();
    }
}

/// A policy with some assignments, and those of them that change it; a size is only made smaller.
fn changed(policy: &Policy, way: &[&str]) -> (Policy, Vec<String>) {
    let (mut changed, mut told) = (policy.clone(), Vec::new());
    for assignment in way {
        let Some((key, _)) = assignment.split_once('=') else { continue };
        let Some(setting) = named(key) else { continue };
        let before = (setting.get)(&changed);
        let mut next = changed.clone();
        if set(&mut next, assignment).is_err() {
            continue;
        }
        let after = (setting.get)(&next);
        let smaller = match (&before, &after) {
            (Value::Int(before), Value::Int(after)) => after < before,
            _ => after != before,
        };
        if smaller {
            told.push(assignment.replace('=', " = "));
            changed = next;
        }
    }
    (changed, told)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_on_is_not_proposed_and_what_it_needs_is() {
        let mut policy = Policy::default();
        let told = |policy: &Policy, rule: &str| {
            let (_, ways, _) = HELPS.iter().find(|(name, ..)| *name == rule).unwrap();
            ways.iter().map(|way| changed(policy, way).1.join(" and ")).collect::<Vec<_>>()
        };
        set(&mut policy, "notice.on=true").unwrap();
        set(&mut policy, "microcompact.on=false").unwrap();
        assert_eq!(told(&policy, "read-again"), ["microcompact.on = true and microcompact.superseded = true", ""]);
        set(&mut policy, "microcompact.on=true").unwrap();
        assert_eq!(told(&policy, "read-again")[0], "microcompact.superseded = true");
        for (over, shown) in [(5_000, ""), (20_000, "tool_results.virtual_over = 10000")] {
            set(&mut policy, "tool_results.on=true").unwrap();
            set(&mut policy, &format!("tool_results.virtual_over={over}")).unwrap();
            assert_eq!(told(&policy, "no-truncation")[0], shown);
        }
    }

    #[test]
    fn what_costs_no_cent_more_is_not_called_dearer() {
        let bill = |dollars| Bill { dollars: Some(dollars), ..Bill::default() };
        assert_eq!(dearer(&bill(0.0001), &bill(0.004)), "");
        assert_eq!(dearer(&bill(1.0), &bill(1.5)), " (though all of it then costs $1.50 for $1.00)");
    }

    #[test]
    fn each_names_settings_and_a_rule_that_there_are() {
        for (rule, ways, _) in HELPS {
            assert!(super::super::rules().any(|name| name == *rule), "{rule}");
            for assignment in ways.iter().flat_map(|way| way.iter()) {
                assert!(set(&mut Policy::default(), assignment).is_ok(), "{assignment}");
            }
        }
    }
}
