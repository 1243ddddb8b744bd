//! Tools that are defined in every request and never called.

use std::collections::{BTreeSet, HashSet};

use super::pieces::entries;
use super::{Finding, Looked, Weight, grouped};
use crate::model::{BlockKind, Layer};

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
    let names = defined.iter().flat_map(|(_, _, names)| names).map(String::as_str);
    let used = used(&called, &names.collect());
    let (mut unused, mut all): (BTreeSet<String>, BTreeSet<String>) = (BTreeSet::new(), BTreeSet::new());
    let (mut tokens, mut stood, mut first) = (0, 0, None);
    let (prices, mut dollars) = (looked.prices(), 0.0);
    for (id, entry, names) in &defined {
        let idle: Vec<&String> = names.iter().filter(|name| !used.contains(name.as_str())).collect();
        if !idle.is_empty() {
            // Each tool of a list has its share of the list's tokens.
            let share = entry.tokens * idle.len() as u64 / names.len() as u64;
            tokens += share;
            stood += share * looked.stood(entry);
            dollars += prices.as_ref().map_or(0.0, |prices| prices.over_life(share, entry));
            first = first.or(Some((*id, *entry)));
        }
        unused.extend(idle.into_iter().cloned());
        all.extend(names.iter().cloned());
    }
    let Some((id, first)) = first.filter(|_| tokens >= 1_000) else { return };
    let shown: Vec<String> = unused.iter().take(5).map(|name| name.chars().take(60).collect()).collect();
    found.push(Finding {
        rule: "unused-tools",
        weight: Weight::Waste,
        evidence: format!(
            "Of {} tools that were defined, {} were never called ({} tokens): {}{}",
            all.len(),
            unused.len(),
            grouped(tokens),
            shown.join(", "),
            if unused.len() > shown.len() { " …" } else { "." }
        ),
        step: Some(first.born()),
        entry: Some(id),
        tokens: Some(stood),
        dollars: prices.map(|_| dollars),
        help: "define fewer tools, or limits.tool_definitions",
    });
}

/// Which tools the calls are of: those of just that name, else those that have it with another's server or namespace,
/// or without any.
fn used<'a>(called: &HashSet<&str>, defined: &HashSet<&'a str>) -> HashSet<&'a str> {
    let mut used = HashSet::new();
    for call in called {
        match defined.get(*call) {
            Some(name) => used.extend([*name]),
            None => used.extend(defined.iter().filter(|name| is_same(&parts(call), &parts(name)))),
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
        "deferred_tools_delta" => {
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
