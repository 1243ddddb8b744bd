//! Rules that stand in the system prompt as prose (source 5, anti-pattern 5): no compactor can part them, nothing can
//! tell that one stands elsewhere too.

use super::pieces::entries;
use super::tools::at_once;
use super::{Finding, Looked, Weight};
use crate::model::{BlockKind, Entry, EntryId, Layer, thousands};

/// A rule in prose is longer than so many bytes, and one that begins with its word than so many.
const RULE: usize = 40;
const SHORT: usize = 12;
/// Rules in prose from which on they are worth a word.
const MANY: u64 = 5;
/// Bytes of a system prompt that are read.
const READ: usize = 400_000;

/// Words of a rule.
const RULES: &[&str] = &[
    "must ",
    "must not",
    "never ",
    "always ",
    "do not ",
    "don't ",
    "should ",
    "shouldn't ",
    "shall ",
    "cannot ",
    "may not ",
    "ensure ",
    "make sure",
    "avoid ",
    "prefer ",
    "only use ",
    "are expected to",
    "are not allowed",
    "必须",
    "不要",
    "不得",
    "禁止",
    "务必",
    "请勿",
    "してください",
    "しないで",
    "하지 마",
    "반드시",
];
/// Words with which a rule begins, however short it is.
const BEGINS: &[&str] = &[
    "must ",
    "never ",
    "always ",
    "do not ",
    "don't ",
    "avoid ",
    "prefer ",
    "ensure ",
    "make sure",
    "only use ",
    "you must ",
    "you should ",
    "必须",
    "不要",
    "不得",
    "禁止",
    "务必",
    "请勿",
];
/// Names with a number by which rules are told apart.
const NAMED: &[&str] = &["rule ", "guideline ", "principle ", "instruction ", "policy "];

/// The sentences of a line.
fn sentences(line: &str) -> impl Iterator<Item = &str> {
    line.split_inclusive(". ").flat_map(|part| part.split_inclusive("! ")).flat_map(|part| part.split_inclusive('。'))
}

/// Whether a line is an item of a list, a heading, a tag or a row of a table: not prose.
fn is_listed(line: &str) -> bool {
    let line = line.trim_start();
    let numbered = || {
        let rest = line.trim_start_matches(|sign: char| sign.is_ascii_digit());
        let (number, rest) = line.split_at(line.len() - rest.len());
        (1..=3).contains(&number.len()) && rest.starts_with(['.', ')'])
    };
    line.starts_with(['-', '*', '#', '+', '|', '<', '•', '◦', '▪', '‣', '·', '–', '—']) || numbered()
}

/// Whether a sentence states a rule.
fn is_rule(sentence: &str) -> bool {
    let lower = sentence.trim().to_lowercase();
    let named = || {
        let rest = NAMED.iter().find_map(|name| lower.strip_prefix(name));
        rest.is_some_and(|rest| rest.starts_with(|sign: char| sign.is_ascii_digit()))
    };
    let size = lower.chars().map(|sign| if sign.is_ascii() { 1 } else { 3 }).sum::<usize>();
    let begins = || BEGINS.iter().any(|word| lower.starts_with(word));
    (size > RULE && (RULES.iter().any(|word| lower.contains(word)) || named())) || (size > SHORT && begins())
}

/// How many rules a text states in prose, and how many bytes they take.
fn rules_in(text: &str) -> (u64, u64) {
    let mut fenced = false;
    let prose = text.lines().filter(|line| {
        // What stands between fences is code, or an example.
        let fence = line.trim_start().starts_with("```");
        fenced ^= fence;
        !fence && !fenced && !is_listed(line)
    });
    let rules = prose.flat_map(sentences).filter(|sentence| is_rule(sentence));
    rules.fold((0, 0), |(rules, bytes), rule| (rules + 1, bytes + rule.len() as u64))
}

/// Source 5, anti-pattern 5: rules in the system prompt as free-form prose.
pub(super) fn prose_instructions(looked: &Looked, found: &mut Vec<Finding>) {
    let mut stated: Vec<(u64, u64, EntryId, &Entry)> = Vec::new();
    for (id, entry) in entries(looked, &[Layer::System]) {
        let block = entry.block().and_then(|id| looked.transcript.block(id));
        let Some(block) = block.filter(|block| block.kind != BlockKind::Definition) else { continue };
        let Ok(text) = looked.sources.body_text(&block.body) else { continue };
        let read = text.get(..text.floor_char_boundary(READ)).unwrap_or_default();
        let (rules, bytes) = rules_in(read);
        let all = u128::from(text.len().max(1) as u64);
        let tokens = u64::try_from(u128::from(entry.tokens) * u128::from(bytes) / all).unwrap_or(u64::MAX);
        if rules > 0 {
            stated.push((rules, tokens, id, entry));
        }
    }
    let shares: Vec<(u64, &Entry)> = stated.iter().map(|(rules, _, _, entry)| (*rules, *entry)).collect();
    let rules = at_once(&shares);
    let Some((_, _, id, first)) = stated.iter().max_by_key(|(rules, ..)| *rules).filter(|_| rules >= MANY) else {
        return;
    };
    let filed = entries(looked, &[Layer::Instructions]).next().is_some();
    let prices = looked.prices();
    found.push(Finding {
        rule: "prose-instructions",
        weight: Weight::Habit,
        evidence: format!(
            "The system prompt states {} rules in prose{}.",
            thousands(rules),
            if filed { "" } else { ", and no instruction file is loaded" }
        ),
        step: Some(first.born()),
        entry: Some(*id),
        tokens: Some(stated.iter().map(|(_, tokens, _, entry)| tokens * looked.stood(entry)).sum()),
        dollars: prices.map(|prices| stated.iter().map(|(_, tokens, _, entry)| prices.over_life(*tokens, entry)).sum()),
        help: "move the rules into instruction files, one rule a line".into(),
        fact: None,
        counts: stated.iter().map(|(_, _, id, _)| *id).collect(),
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_in_prose_are_told_from_lists_examples_and_facts() {
        let rule = "You must never delete a file that the user did not name before.";
        assert_eq!(rules_in(&format!("{rule} {rule}\n{rule}")).0, 3);
        assert_eq!(rules_in("Guideline 7: keep to exact arithmetic when a table has more rows.").0, 1);
        assert_eq!(rules_in("删除任何文件之前必须先得到用户的明确同意。不要修改锁文件的内容和权限。").0, 2);
        assert_eq!(rules_in("Always answer in French. Never use tabs. You must be brief. Prefer small diffs.").0, 4);
        for text in [
            format!("- {rule}\n* {rule}\n1. {rule}\n## {rule}\n| {rule} |\n<rule>{rule}</rule>"),
            format!("```\n{rule}\n```"),
            "You are a coding agent that runs in a terminal and reads the files of a project.".to_owned(),
            "Be brief, always.".to_owned(),
        ] {
            assert_eq!(rules_in(&text).0, 0, "{text}");
        }
    }
}
