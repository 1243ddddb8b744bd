//! Patterns that single pieces show: what is too large, or never used.

use std::collections::{BTreeSet, HashSet};

use super::again::again;
use super::helps::LESS;
use super::named::{call_of, file_of};
use super::price::Prices;
use super::{Finding, Looked, Weight, clipped};
use crate::engine::plan::reads_range;
use crate::inquiry::whole::{Whole, wholes};
use crate::model::{Entry, EntryId, Fate, Layer, Made, Role, Stage, number, thousands};

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

/// Entries of some layers that were in any window.
pub(super) fn entries<'a>(looked: &'a Looked, layers: &'a [Layer]) -> impl Iterator<Item = (EntryId, &'a Entry)> {
    let all = (0u32..).zip(&looked.run.entries).map(|(id, entry)| (EntryId(id), entry));
    all.filter(|(_, entry)| layers.contains(&entry.layer) && lived(entry))
}

/// Whether an entry was in any window at all.
fn lived(entry: &Entry) -> bool {
    entry.lives.iter().any(|life| life.died != Some(life.born))
}

/// What a result or file is called in a finding, not too long.
pub(super) fn label(whole: &Whole) -> String {
    clipped(whole.label())
}

/// Results, or files, that were in any window, whatever blocks each consists of.
pub(super) fn results<'a>(looked: &'a Looked, layers: &[Layer]) -> Vec<Whole<'a>> {
    wholes(looked.transcript, looked.run, |entry| layers.contains(&entry.layer) && lived(entry))
}

/// What some of a result's tokens cost over the steps in which it stood.
pub(super) fn price(prices: Option<&Prices>, whole: &Whole, tokens: u64) -> f64 {
    let all = u128::from(whole.tokens().max(1));
    let share = |entry: &Entry| u64::try_from(u128::from(entry.tokens) * u128::from(tokens) / all).unwrap_or(u64::MAX);
    prices.map_or(0.0, |prices| whole.parts.iter().map(|(_, entry)| prices.over_life(share(entry), entry)).sum())
}

/// The largest of some findings, the rest told of in a number.
pub(super) fn largest(mut all: Vec<Finding>, found: &mut Vec<Finding>) {
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
    large("whole-file-dump", true, looked, found);
}

/// The same of outputs that show no whole file: a search, a build, a range of one that was asked for.
pub(super) fn large_outputs(looked: &Looked, found: &mut Vec<Finding>) {
    large("large-output", false, looked, found);
}

fn large(rule: &'static str, of_files: bool, looked: &Looked, found: &mut Vec<Finding>) {
    let (mut all, prices) = (Vec::new(), looked.prices());
    for whole in results(looked, &[Layer::ToolResults, Layer::Files]) {
        // A short head may stand before what is large.
        let ((id, entry), tokens) = (whole.largest(), whole.tokens());
        // What was cut may be as large still.
        let whole_or_cut = |part: &Entry| matches!(part.fate, Fate::Verbatim | Fate::Truncated);
        if !whole.parts.iter().all(|(_, part)| whole_or_cut(part)) || tokens <= LARGE {
            continue;
        }
        // Asked of few sessions: most have no result that large.
        let shows = |part: &Entry| part.block().is_some_and(|block| looked.shown.of(looked).contains_key(&block));
        let is_file = entry.layer == Layer::Files || whole.parts.iter().any(|(_, part)| shows(part));
        let is_part = is_file && call_of(looked, &whole).is_some_and(|arguments| reads_range(&arguments));
        if of_files != (is_file && !is_part) {
            continue;
        }
        let stood = looked.stood(entry);
        let file = if is_file { file_of(looked, &whole) } else { None };
        let a_part = if is_part { " of a part" } else { "" };
        let of_file = file.map_or_else(String::new, |file| format!("{a_part} of {file}"));
        all.push(Finding {
            rule,
            weight: Weight::Waste,
            evidence: format!(
                "{} put {} tokens{of_file} into the window at once, for {}.",
                label(&whole),
                thousands(tokens),
                number(stood as usize, "steps")
            ),
            step: Some(entry.born()),
            entry: Some(id),
            tokens: Some(tokens * stood),
            dollars: prices.as_ref().map(|prices| price(Some(prices), &whole, tokens)),
            help: LESS.into(),
            fact: None,
            counts: whole.ids().collect(),
        });
    }
    largest(all, found);
}

/// Source 5, anti-pattern 3: no tool result truncation.
pub(super) fn no_truncation(looked: &Looked, found: &mut Vec<Finding>) {
    let cut = looked.run.events.iter().any(|event| event.stage == Stage::Limit || event.truncated().next().is_some());
    let mut large = results(looked, &[Layer::ToolResults]);
    large.retain(|whole| whole.tokens() > LARGE);
    let Some((id, first)) = large.first().filter(|_| !cut).map(Whole::first) else { return };
    // What stands beyond the limit, in each step that it stood.
    let beyond = |whole: &Whole| whole.tokens() - LARGE;
    let stood: u64 = large.iter().map(|whole| beyond(whole) * looked.stood(whole.first().1).max(1)).sum();
    let prices = looked.prices();
    found.push(Finding {
        rule: "no-truncation",
        weight: Weight::Habit,
        evidence: format!(
            "{} had more than {} tokens, and {}.",
            if large.len() == 1 { "1 result".to_owned() } else { format!("{} results", large.len()) },
            thousands(LARGE),
            if large.len() == 1 { "was not cut" } else { "none was cut" }
        ),
        step: Some(first.born()),
        entry: Some(id),
        tokens: Some(stood),
        dollars: prices.map(|prices| large.iter().map(|whole| price(Some(&prices), whole, beyond(whole))).sum()),
        help: LESS.into(),
        fact: None,
        counts: large.iter().flat_map(Whole::ids).collect(),
    });
}

/// Results that no later answer takes anything from, and no later message of the user names anything from; what of them
/// only says again what an earlier result says is told of there.
pub(super) fn never_referred_to(looked: &Looked, found: &mut Vec<Finding>) {
    let Some(plan) = looked.plan else { return };
    let Some(texts) = &plan.texts else { return };
    let shown = looked.shown.of(looked);
    let referred: HashSet<_> = (0u32..)
        .zip(&plan.items)
        .filter(|(at, item)| {
            // Who speaks later of what was asked for uses what came of it; so does who edits the file that was read.
            let file = texts.files.get(*at as usize).filter(|file| **file != 0);
            let through_shell = shown.get(&item.block).into_iter().flatten();
            let worked_on = |file: &u64| texts.worked_on.get(file).is_some_and(|later| later > at);
            file.into_iter().chain(through_shell).any(worked_on)
                || texts.named.contains(at)
                || [*at, item.call].iter().any(|item| texts.references_to(*item).next().is_some())
        })
        .map(|(_, item)| item.block)
        .collect();
    // Nobody could refer to what came in after the last answer.
    let answered = plan.items.iter().rposition(|item| item.role == Role::Assistant).unwrap_or(0);
    let open: HashSet<_> = plan.items.iter().skip(answered + 1).map(|item| item.block).collect();
    let (mut tokens, mut stood, mut number, mut all, mut worst) = (0, 0, 0, 0, None::<(u64, Whole)>);
    let mut counts = BTreeSet::new();
    let (prices, mut dollars) = (looked.prices(), 0.0);
    let (_, again) = again(looked);
    for whole in results(looked, &[Layer::ToolResults]) {
        let blocks = || whole.parts.iter().filter_map(|(_, entry)| entry.block());
        if blocks().next().is_none() || blocks().any(|block| open.contains(&block)) {
            continue;
        }
        all += whole.tokens();
        let fresh = whole.tokens() - again.get(&whole.first().0).map_or(0, |again| *again.min(&whole.tokens()));
        if fresh >= SMALL && !blocks().any(|block| referred.contains(&block)) {
            tokens += fresh;
            stood += fresh * looked.stood(whole.first().1);
            dollars += price(prices.as_ref(), &whole, fresh);
            number += 1;
            counts.extend(whole.ids());
            let weight = fresh * looked.stood(whole.first().1);
            if worst.as_ref().is_none_or(|(most, _)| *most < weight) {
                worst = Some((weight, whole));
            }
        }
    }
    let Some((_, worst)) = worst.filter(|_| tokens * 4 >= all && number >= 3) else { return };
    let (id, entry) = worst.first();
    found.push(Finding {
        rule: "never-referred-to",
        weight: Weight::Waste,
        evidence: format!(
            "{number} tool results ({} of {} tokens) were never referred to; the dearest of them is of {}, {} tokens for {}.",
            thousands(tokens),
            thousands(all),
            label(&worst),
            thousands(worst.tokens()),
            crate::model::number(looked.stood(entry) as usize, "steps")
        ),
        step: Some(entry.born()),
        entry: Some(id),
        tokens: Some(stood),
        dollars: prices.map(|_| dollars),
        help: LESS.into(),
        fact: None,
        counts,
    });
}

/// Source 5, anti-pattern 6: all instruction files loaded unconditionally.
pub(super) fn all_instructions(looked: &Looked, found: &mut Vec<Finding>) {
    let chars = |entry: &Entry| {
        let block = entry.block().and_then(|id| looked.transcript.block(id));
        let all = match block.map(|block| &block.body) {
            Some(crate::model::Body::Text { chars, .. }) => *chars,
            _ => 0,
        };
        // Of one that is cut, what is left of it.
        let part = |made: &Made| match made {
            Made::Part(_, from, to, _) => to.saturating_sub(*from),
            Made::Block(_) => all,
            Made::Text(_) | Made::Written(_) => 0,
        };
        entry.content.iter().map(part).sum::<u64>().min(all)
    };
    // What the harness itself tells the model is no file.
    let filed = |(_, entry): &(EntryId, &Entry)| entry.role != Role::Developer;
    let files: Vec<(EntryId, &Entry)> = entries(looked, &[Layer::Instructions]).filter(filed).collect();
    let sum: u64 = files.iter().map(|(_, entry)| chars(entry)).sum();
    let large = files.iter().filter(|(_, entry)| chars(entry) > INSTRUCTION).count();
    let Some((id, first)) = files.first().filter(|_| sum > INSTRUCTIONS) else { return };
    // What stands beyond the budget, each file with its share of that.
    let beyond = |entry: &Entry| entry.tokens * (sum - INSTRUCTIONS) / sum;
    let stood: u64 = files.iter().map(|(_, entry)| beyond(entry) * looked.stood(entry)).sum();
    found.push(Finding {
        rule: "all-instructions",
        weight: Weight::Waste,
        evidence: format!(
            "{} instruction file{} of {} characters {} loaded, more than the usual budget of {} in all{}.",
            files.len(),
            if files.len() == 1 { "" } else { "s" },
            thousands(sum),
            if files.len() == 1 { "is" } else { "are" },
            thousands(INSTRUCTIONS),
            match large {
                0 => String::new(),
                1 => format!("; one has more than the {} of a file", thousands(INSTRUCTION)),
                _ => format!("; {large} have more than the {} of a file", thousands(INSTRUCTION)),
            },
        ),
        step: Some(first.born()),
        entry: Some(*id),
        tokens: Some(stood),
        dollars: looked
            .prices()
            .map(|prices| files.iter().map(|(_, entry)| prices.over_life(beyond(entry), entry)).sum()),
        help: "shorter files, or files scoped by path".into(),
        fact: None,
        counts: files.iter().map(|(id, _)| *id).collect(),
    });
}
