//! Tools that are defined in every request and never called.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::LazyLock;

use rayon::prelude::*;
use regex::Regex;

use super::pieces::entries;
use super::{Finding, Looked, Weight, clipped};
use crate::model::{Block, BlockKind, Entry, Layer, number, thousands};

/// What announces tools by name only: their definitions are sent when one of them is asked for.
const DEFERRED: &str = "deferred_tools_delta";
/// Unused definitions of fewer tokens in one window are not worth a word.
const SMALL: u64 = 1_000;

/// Definitions of tools that are sent with every request and never called.
pub(super) fn unused(looked: &Looked, found: &mut Vec<Finding>) {
    let mut defined = Vec::new();
    for (id, entry) in entries(looked, &[Layer::Tools]) {
        let Some(block) = entry.block().and_then(|id| looked.transcript.block(id)) else { continue };
        if block.kind == BlockKind::Definition {
            let text = looked.sources.body_text(&block.body).unwrap_or_default();
            defined.push((id, entry, tool_names(&entry.label, &text)));
        }
    }
    let calls = looked.transcript.blocks.iter().filter(|block| block.kind == BlockKind::ToolCall);
    let called: HashSet<&str> = calls.map(|block| &*block.label).collect();
    let names: HashSet<&str> = defined.iter().flat_map(|(_, _, names)| names).map(String::as_str).collect();
    let mut used = used(&called, &names);
    if used.len() < names.len() {
        used.extend(self::used(&in_code(looked).iter().map(String::as_str).collect(), &names));
    }
    let (mut unused, mut all): (BTreeSet<String>, BTreeSet<String>) = (BTreeSet::new(), BTreeSet::new());
    let (mut stood, mut first, mut shares, mut named) = (0, None, Vec::new(), true);
    let (prices, mut dollars, mut counts) = (looked.prices(), 0.0, BTreeSet::new());
    for (id, entry, names) in &defined {
        let idle: Vec<&String> = names.iter().filter(|name| !used.contains(name.as_str())).collect();
        if !idle.is_empty() {
            // Each tool of a list has its share of the list's tokens.
            let share = entry.tokens * idle.len() as u64 / names.len() as u64;
            shares.push((share, *entry));
            counts.insert(*id);
            stood += share * looked.stood(entry);
            dollars += prices.as_ref().map_or(0.0, |prices| prices.over_life(share, entry));
            first = first.or(Some((*id, *entry)));
            named &= &*entry.label == DEFERRED;
        }
        unused.extend(idle.into_iter().cloned());
        all.extend(names.iter().cloned());
    }
    let tokens = at_once(&shares);
    let Some((id, first)) = first.filter(|_| tokens >= SMALL) else { return };
    let shown: Vec<String> = unused.iter().take(5).map(|name| clipped(name)).collect();
    found.push(Finding {
        rule: "unused-tools",
        weight: Weight::Waste,
        evidence: format!(
            "Of {}, {} never called ({} tokens): {}{}",
            number(all.len(), if named { "tools that were announced by name" } else { "tools that were defined" }),
            number(unused.len(), "were"),
            thousands(tokens),
            shown.join(", "),
            if unused.len() > shown.len() { " …" } else { "." }
        ),
        step: Some(first.born()),
        entry: Some(id),
        tokens: Some(stood),
        dollars: prices.map(|_| dollars),
        help: match named {
            true if unused.iter().any(|name| name.contains("__")) => "turn off the servers that nobody needs",
            true => "turn off the tools that nobody needs",
            false => "define fewer tools, or limits.tool_definitions",
        }
        .into(),
        fact: None,
        counts,
    });
}

/// The most tokens that stood in one window: after a compaction the same list comes in again.
pub(super) fn at_once(shares: &[(u64, &Entry)]) -> u64 {
    let lives = || shares.iter().flat_map(|(share, entry)| entry.lives.iter().map(move |life| (*share, life)));
    let mut turns: BTreeMap<u32, (u64, u64)> = BTreeMap::new();
    for (share, life) in lives() {
        turns.entry(life.born).or_default().0 += share;
        if let Some(died) = life.died {
            turns.entry(died).or_default().1 += share;
        }
    }
    let mut now = 0u64;
    turns
        .into_values()
        .map(|(come, gone)| {
            now = (now + come).saturating_sub(gone);
            now
        })
        .max()
        .unwrap_or(0)
}

/// The names that code within calls calls: `await tools.exec_command({…})`. By themselves only names that no language
/// has of its own, with an underscore in them.
fn in_code(looked: &Looked) -> HashSet<String> {
    static CALL: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(concat!(
            r#"\b(?:tools|functions)(?:\.|\[\s*\\*["'`])([A-Za-z_$][\w$.\-]*)(?:\\*["'`]\s*\])?\s*\("#,
            r"|\b([A-Za-z]\w*_\w+)\s*\("
        ))
        .ok()
    });
    let Some(call) = CALL.as_ref() else { return HashSet::new() };
    let calls: Vec<_> = looked.transcript.blocks.iter().filter(|block| block.kind == BlockKind::ToolCall).collect();
    let names = |block: &&Block| -> Vec<String> {
        let Ok(text) = looked.sources.body_text(&block.body) else { return Vec::new() };
        let name = |found: regex::Captures| Some(found.get(1).or(found.get(2))?.as_str().to_owned());
        call.captures_iter(&text).filter_map(name).collect()
    };
    calls.par_iter().flat_map_iter(names).collect()
}

/// Which tools the calls are of: those of just that name, else those that have it with another's server or namespace,
/// or without any.
fn used<'a>(called: &HashSet<&str>, defined: &HashSet<&'a str>) -> HashSet<&'a str> {
    let parted: Vec<(&str, Vec<&str>)> = defined.iter().map(|name| (*name, parts(name))).collect();
    let mut used = HashSet::new();
    for call in called {
        let own = parts(call);
        match defined.get(*call) {
            Some(name) => used.extend([*name]),
            None => used.extend(parted.iter().filter(|(_, parts)| is_same(&own, parts)).map(|(name, _)| *name)),
        }
    }
    used
}

/// A name with its server's or namespace's before it, in parts.
fn parts(name: &str) -> Vec<&str> {
    let name = name.strip_prefix("mcp__").unwrap_or(name);
    name.split("__").flat_map(|part| part.split(['.', '/'])).collect()
}

fn is_same(one: &[&str], other: &[&str]) -> bool {
    one.ends_with(other) || other.ends_with(one)
}

/// The names of the tools that a block announces: one definition, a list or a namespace of some, or only their names, a
/// line each. Agents and what servers say of themselves are no tools.
fn tool_names(label: &str, text: &str) -> Vec<String> {
    match label {
        "agent_listing_delta" | "mcp_instructions_delta" => return Vec::new(),
        DEFERRED => {
            let name = |line: &str| line.split([':', ' ']).next().unwrap_or_default().to_owned();
            return text.lines().map(name).filter(|name| !name.is_empty()).collect();
        }
        _ => {}
    }
    let mut names = Vec::new();
    if let Ok(value) = serde_json::from_str::<serde_json::Value>(text) {
        named(&value, &mut names);
    }
    if names.is_empty() && !label.is_empty() {
        names.push(label.to_owned());
    }
    names
}

fn named(value: &serde_json::Value, names: &mut Vec<String>) {
    if let Some(list) = value.as_array() {
        list.iter().for_each(|one| named(one, names));
        return;
    }
    let inner = ["tools", "functions", "functionDeclarations", "function_declarations"];
    if let Some(list) = inner.iter().find_map(|key| value.get(key)?.as_array()) {
        list.iter().for_each(|one| named(one, names));
    } else if let Some(function) = value.get("function") {
        named(function, names);
    } else if let Some(name) = value.get("name").and_then(serde_json::Value::as_str) {
        names.push(name.to_owned());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tool_of_another_server_is_another_tool() {
        let defined =
            HashSet::from(["mcp__github__search", "mcp__jira__search", "Read", "container.exec", "mcp__fs__read"]);
        let of = |call: &str| {
            let mut used: Vec<&str> = used(&HashSet::from([call]), &defined).into_iter().collect();
            used.sort_unstable();
            used
        };
        assert_eq!(of("mcp__github__search"), ["mcp__github__search"]);
        assert_eq!(of("github.search"), ["mcp__github__search"]);
        assert_eq!(of("search"), ["mcp__github__search", "mcp__jira__search"]);
        assert_eq!(of("exec"), ["container.exec"]);
        assert_eq!(of("functions.Read"), ["Read"]);
        assert!(of("mcp__gitlab__search").is_empty() && of("write").is_empty());
    }
}
