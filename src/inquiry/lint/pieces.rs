//! Patterns that single pieces show: what is too large, repeated, or never used.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::{Finding, Looked, Weight, grouped};
use crate::model::{BlockKind, Entry, EntryId, Fate, Layer, Stage};

/// A piece larger than this should be a reference (source 3: virtual files over 10,000 tokens).
const LARGE: u64 = 10_000;
/// Results smaller than this are not worth a word.
const SMALL: u64 = 500;
/// Characters of all instruction files together (source 5).
const INSTRUCTIONS: u64 = 12_000;
/// Characters of one of them (source 5).
const INSTRUCTION: u64 = 4_000;
/// Findings of one rule.
const MOST: usize = 5;

fn entries<'a>(looked: &'a Looked, layers: &'a [Layer]) -> impl Iterator<Item = (EntryId, &'a Entry)> {
    let all = (0u32..).zip(&looked.run.entries).map(|(id, entry)| (EntryId(id), entry));
    all.filter(|(_, entry)| layers.contains(&entry.layer) && lived(entry))
}

/// Whether an entry was in any window at all.
fn lived(entry: &Entry) -> bool {
    entry.lives.iter().any(|life| life.died != Some(life.born))
}

fn label(entry: &Entry) -> String {
    entry.label.chars().take(60).collect()
}

/// The largest of some findings, the rest told of in a number.
fn largest(mut all: Vec<Finding>, found: &mut Vec<Finding>) {
    all.sort_by_key(|finding| std::cmp::Reverse(finding.tokens));
    let rest = all.len().saturating_sub(MOST);
    all.truncate(MOST);
    if let Some(last) = all.last_mut().filter(|_| rest > 0) {
        last.evidence.push_str(&format!(" And {rest} more like it."));
    }
    found.extend(all);
}

/// Source 5: reading whole files where a search suffices.
pub(super) fn dumps(looked: &Looked, found: &mut Vec<Finding>) {
    let mut all = Vec::new();
    for (id, entry) in entries(looked, &[Layer::ToolResults, Layer::Files]) {
        if entry.fate != Fate::Verbatim || entry.tokens <= LARGE {
            continue;
        }
        let stood = looked.stood(entry);
        let again = entry.tokens * stood.saturating_sub(1);
        all.push(Finding {
            rule: "whole-file-dump",
            weight: Weight::Waste,
            evidence: format!(
                "{} put {} tokens into the window at once, for {stood} steps.",
                label(entry),
                grouped(entry.tokens)
            ),
            step: Some(entry.born()),
            entry: Some(id),
            tokens: Some(entry.tokens * stood),
            dollars: looked.dollars(entry.tokens, again),
            help: "tool_results.virtual_over = 10000, or read a range or search instead",
        });
    }
    largest(all, found);
}

/// Source 5, anti-pattern 3: no tool result truncation.
pub(super) fn no_truncation(looked: &Looked, found: &mut Vec<Finding>) {
    let cut = looked.run.events.iter().any(|event| matches!(event.stage, Stage::Truncate | Stage::Limit));
    let large: Vec<(EntryId, &Entry)> =
        entries(looked, &[Layer::ToolResults]).filter(|(_, entry)| entry.tokens > LARGE).collect();
    let Some((id, first)) = large.first().filter(|_| !cut) else { return };
    // What stands beyond the limit, in each step that it stood.
    let beyond = |entry: &Entry| entry.tokens - LARGE;
    let fresh: u64 = large.iter().map(|(_, entry)| beyond(entry)).sum();
    let stood: u64 = large.iter().map(|(_, entry)| beyond(entry) * looked.stood(entry).max(1)).sum();
    found.push(Finding {
        rule: "no-truncation",
        weight: Weight::Habit,
        evidence: format!("{} results had more than {} tokens, and none was cut.", large.len(), grouped(LARGE)),
        step: Some(first.born()),
        entry: Some(*id),
        tokens: Some(stood),
        dollars: looked.dollars(fresh, stood - fresh),
        help: "tool_results.on = true",
    });
}

/// The same content read again while it is still in the window.
pub(super) fn read_again(looked: &Looked, found: &mut Vec<Finding>) {
    let mut by_content: HashMap<u64, Vec<(EntryId, &Entry)>> = HashMap::new();
    for (id, entry) in entries(looked, &[Layer::ToolResults, Layer::Files]) {
        let block = entry.block().and_then(|block| looked.transcript.block(block));
        if let Some(block) = block.filter(|_| entry.tokens >= SMALL && entry.from.is_empty()) {
            by_content.entry(block.body.hash()).or_default().push((id, entry));
        }
    }
    let mut all = Vec::new();
    for same in by_content.into_values().filter(|same| same.len() > 1) {
        let again: Vec<&(EntryId, &Entry)> = same
            .iter()
            .enumerate()
            .filter(|(at, (_, entry))| same.iter().take(*at).any(|(_, before)| before.life_at(entry.born()).is_some()))
            .map(|(_, one)| one)
            .collect();
        let Some((id, first)) = again.first() else { continue };
        let fresh: u64 = again.iter().map(|(_, entry)| entry.tokens).sum();
        let stood: u64 = again.iter().map(|(_, entry)| entry.tokens * looked.stood(entry).max(1)).sum();
        all.push(Finding {
            rule: "read-again",
            weight: Weight::Waste,
            evidence: format!(
                "{} gave the same {} tokens {} times while they still stood in the window.",
                label(first),
                grouped(first.tokens),
                again.len() + 1
            ),
            step: Some(first.born()),
            entry: Some(*id),
            tokens: Some(stood),
            dollars: looked.dollars(fresh, stood - fresh.min(stood)),
            help: "microcompact.superseded = true, or tell the agent what it has read (notice.files = true)",
        });
    }
    largest(all, found);
}

/// Results that no later answer takes anything from.
pub(super) fn never_referred_to(looked: &Looked, found: &mut Vec<Finding>) {
    let Some(plan) = looked.plan else { return };
    let Some(texts) = &plan.texts else { return };
    let referred: HashSet<_> = (0u32..)
        .zip(&plan.items)
        // Who speaks later of what was asked for uses what came of it.
        .filter(|(at, item)| [*at, item.call].iter().any(|item| texts.first_reference(*item).is_some()))
        .map(|(_, item)| item.block)
        .collect();
    let (mut tokens, mut stood, mut number, mut all, mut worst) = (0, 0, 0, 0, None::<(EntryId, &Entry)>);
    for (id, entry) in entries(looked, &[Layer::ToolResults]) {
        let Some(block) = entry.block() else { continue };
        all += entry.tokens;
        if entry.tokens >= SMALL && !referred.contains(&block) {
            tokens += entry.tokens;
            stood += entry.tokens * looked.stood(entry);
            number += 1;
            if worst.is_none_or(|(_, other)| other.tokens < entry.tokens) {
                worst = Some((id, entry));
            }
        }
    }
    let Some((id, entry)) = worst.filter(|_| tokens * 4 >= all && number >= 3) else { return };
    found.push(Finding {
        rule: "never-referred-to",
        weight: Weight::Waste,
        evidence: format!(
            "{number} tool results ({} of {} tokens) were never referred to; the largest is of {}, {} tokens.",
            grouped(tokens),
            grouped(all),
            label(entry),
            grouped(entry.tokens)
        ),
        step: Some(entry.born()),
        entry: Some(id),
        tokens: Some(stood),
        dollars: looked.dollars(tokens, stood - tokens.min(stood)),
        help: "microcompact.on = true with microcompact.spare_referenced = true",
    });
}

/// Definitions of tools that are sent with every request and never called.
pub(super) fn unused_tools(looked: &Looked, found: &mut Vec<Finding>) {
    let called: HashSet<&str> = looked
        .transcript
        .blocks
        .iter()
        .filter(|block| block.kind == BlockKind::ToolCall)
        .map(|block| last_part(&block.label))
        .collect();
    let (mut unused, mut all): (BTreeSet<String>, BTreeSet<String>) = (BTreeSet::new(), BTreeSet::new());
    let (mut tokens, mut stood, mut first) = (0, 0, None);
    for (id, entry) in entries(looked, &[Layer::Tools]) {
        let Some(block) = entry.block().and_then(|id| looked.transcript.block(id)) else { continue };
        if block.kind != BlockKind::Definition {
            continue;
        }
        let text = looked.sources.body_text(&block.body).unwrap_or_default();
        let names = tool_names(&entry.label, &text);
        let idle: Vec<&String> = names.iter().filter(|name| !called.contains(last_part(name))).collect();
        if !idle.is_empty() {
            // Each tool of a list has its share of the list's tokens.
            let share = entry.tokens * idle.len() as u64 / names.len() as u64;
            tokens += share;
            stood += share * looked.stood(entry);
            first = first.or(Some((id, entry)));
        }
        unused.extend(idle.into_iter().cloned());
        all.extend(names);
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
        dollars: looked.dollars(tokens, stood - tokens.min(stood)),
        help: "define fewer tools, or limits.tool_definitions",
    });
}

/// A tool's own name, without its server's or namespace's.
fn last_part(name: &str) -> &str {
    let name = name.rsplit("__").next().unwrap_or(name);
    name.rsplit(['.', '/']).next().unwrap_or(name)
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

/// Source 5, anti-pattern 5: rules in the system prompt as free-form prose.
pub(super) fn prose_instructions(looked: &Looked, found: &mut Vec<Finding>) {
    let filed = entries(looked, &[Layer::Instructions]).next().is_some();
    for (id, entry) in entries(looked, &[Layer::System]).filter(|_| !filed) {
        let Some(block) = entry.block().and_then(|id| looked.transcript.block(id)) else { continue };
        let Ok(text) = looked.sources.body_text(&block.body) else { continue };
        let rule = |line: &&str| {
            let lower = line.to_lowercase();
            line.len() > 60
                && ["must ", "never ", "always ", "do not ", "don't "].iter().any(|word| lower.contains(word))
        };
        let rules = text.lines().filter(|line| !line.trim_start().starts_with(['-', '*', '#'])).filter(rule).count();
        if rules >= 5 {
            found.push(Finding {
                rule: "prose-instructions",
                weight: Weight::Habit,
                evidence: format!(
                    "The system prompt states {rules} rules in prose, and no instruction file is loaded."
                ),
                step: Some(entry.born()),
                entry: Some(id),
                tokens: None,
                dollars: None,
                help: "move the rules into instruction files, one rule a line",
            });
            return;
        }
    }
}

/// Source 5, anti-pattern 6: all instruction files loaded unconditionally.
pub(super) fn all_instructions(looked: &Looked, found: &mut Vec<Finding>) {
    let chars = |entry: &Entry| {
        let block = entry.block().and_then(|id| looked.transcript.block(id));
        match block.map(|block| &block.body) {
            Some(crate::model::Body::Text { chars, .. }) => *chars,
            _ => 0,
        }
    };
    let files: Vec<(EntryId, &Entry)> = entries(looked, &[Layer::Instructions]).collect();
    let sum: u64 = files.iter().map(|(_, entry)| chars(entry)).sum();
    let large = files.iter().filter(|(_, entry)| chars(entry) > INSTRUCTION).count();
    let Some((id, first)) = files.first().filter(|_| sum > INSTRUCTIONS) else { return };
    let tokens: u64 = files.iter().map(|(_, entry)| entry.tokens).sum();
    let stood: u64 = files.iter().map(|(_, entry)| entry.tokens * looked.stood(entry)).sum();
    found.push(Finding {
        rule: "all-instructions",
        weight: Weight::Waste,
        evidence: format!(
            "{} instruction files of {sum} characters are loaded; {INSTRUCTIONS} in all and {INSTRUCTION} each are the usual budget, which {large} of them exceed.",
            files.len()
        ),
        step: Some(first.born()),
        entry: Some(*id),
        tokens: Some(stood),
        dollars: looked.dollars(tokens, stood - tokens.min(stood)),
        help: "instructions.total_chars, instructions.max_chars, and files scoped by path",
    });
}
