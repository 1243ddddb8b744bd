//! Patterns that single pieces show: what is too large, repeated, or never used.

use std::collections::{HashMap, HashSet};

use super::{Finding, Looked, Weight, grouped};
use crate::model::{Entry, EntryId, Fate, Layer, Role, Stage};

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

pub(super) fn entries<'a>(looked: &'a Looked, layers: &'a [Layer]) -> impl Iterator<Item = (EntryId, &'a Entry)> {
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
    let (mut all, prices) = (Vec::new(), looked.prices());
    for (id, entry) in entries(looked, &[Layer::ToolResults, Layer::Files]) {
        if entry.fate != Fate::Verbatim || entry.tokens <= LARGE {
            continue;
        }
        let stood = looked.stood(entry);
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
            dollars: prices.as_ref().map(|prices| prices.over_life(entry.tokens, entry)),
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
    let stood: u64 = large.iter().map(|(_, entry)| beyond(entry) * looked.stood(entry).max(1)).sum();
    found.push(Finding {
        rule: "no-truncation",
        weight: Weight::Habit,
        evidence: format!("{} results had more than {} tokens, and none was cut.", large.len(), grouped(LARGE)),
        step: Some(first.born()),
        entry: Some(*id),
        tokens: Some(stood),
        dollars: looked
            .prices()
            .map(|prices| large.iter().map(|(_, entry)| prices.over_life(beyond(entry), entry)).sum()),
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
    let (mut all, prices) = (Vec::new(), looked.prices());
    for same in by_content.into_values().filter(|same| same.len() > 1) {
        let again: Vec<&(EntryId, &Entry)> = same
            .iter()
            .enumerate()
            .filter(|(at, (_, entry))| same.iter().take(*at).any(|(_, before)| before.life_at(entry.born()).is_some()))
            .map(|(_, one)| one)
            .collect();
        let Some((id, first)) = again.first() else { continue };
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
            dollars: prices
                .as_ref()
                .map(|prices| again.iter().map(|(_, entry)| prices.over_life(entry.tokens, entry)).sum()),
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
    // Nobody could refer to what came in after the last answer.
    let answered = plan.items.iter().rposition(|item| item.role == Role::Assistant).unwrap_or(0);
    let open: HashSet<_> = plan.items.iter().skip(answered + 1).map(|item| item.block).collect();
    let (mut tokens, mut stood, mut number, mut all, mut worst) = (0, 0, 0, 0, None::<(EntryId, &Entry)>);
    let (prices, mut dollars) = (looked.prices(), 0.0);
    for (id, entry) in entries(looked, &[Layer::ToolResults]) {
        let Some(block) = entry.block().filter(|block| !open.contains(block)) else { continue };
        all += entry.tokens;
        if entry.tokens >= SMALL && !referred.contains(&block) {
            tokens += entry.tokens;
            stood += entry.tokens * looked.stood(entry);
            dollars += prices.as_ref().map_or(0.0, |prices| prices.over_life(entry.tokens, entry));
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
        dollars: prices.map(|_| dollars),
        help: "microcompact.on = true with microcompact.spare_referenced = true",
    });
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
        dollars: looked
            .prices()
            .map(|prices| files.iter().map(|(_, entry)| prices.over_life(entry.tokens, entry)).sum()),
        help: "instructions.total_chars, instructions.max_chars, and files scoped by path",
    });
}
