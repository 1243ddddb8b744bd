//! Content that came in again while it still stood in the window: the same result, or the same lines of the same file.

use std::cell::OnceCell;
use std::collections::{BTreeMap, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};

use super::named::file_of;
use super::pieces::{label, largest, price, results};
use super::price::Prices;
use super::{Finding, Looked, Weight};
use crate::engine::Plan;
use crate::engine::plan::{Item, file_changes, file_id, paths_shown, reads};
use crate::inquiry::whole::Whole;
use crate::model::{BlockId, Entry, EntryId, Layer, number, thousands};

/// Results smaller than this are not worth a word.
const SMALL: u64 = 500;
/// Lines that follow each other in both readings, for them to be the same lines and not merely alike.
const RUN: usize = 8;
const HELP: &str = "microcompact.superseded = true, or tell the agent what it has read (notice.files = true)";

/// Of what came in again, by its first entry, the tokens that it gave again.
pub(super) type Again = HashMap<EntryId, u64>;

/// The same content read again while it is still in the window.
pub(super) fn read_again(looked: &Looked, found: &mut Vec<Finding>) {
    largest(again(looked).0, found);
}

/// What was read again, and how much of each reading that is: told of here, it is told of by no other rule.
pub(super) fn again(looked: &Looked) -> (Vec<Finding>, Again) {
    let read = results(looked, &[Layer::ToolResults, Layer::Files]);
    let (mut all, prices) = (Vec::new(), looked.prices());
    let mut told = same(looked, &read, prices.as_ref(), &mut all);
    within(looked, &read, &mut told, prices.as_ref(), &mut all);
    (all, told)
}

/// Whether something stood when something else came in.
fn stands(before: &Whole, whole: &Whole) -> bool {
    before.first().1.life_at(whole.first().1.born()).is_some()
}

/// The step at which something went for good.
fn ends(whole: &Whole) -> u32 {
    whole.first().1.lives.last().and_then(|life| life.died).unwrap_or(u32::MAX)
}

/// Results that are an earlier one, byte for byte; returns those that came in again.
fn same(looked: &Looked, read: &[Whole], prices: Option<&Prices>, all: &mut Vec<Finding>) -> Again {
    let mut by_content: HashMap<Vec<u64>, Vec<&Whole>> = HashMap::new();
    for whole in read {
        let block = |entry: &Entry| entry.block().and_then(|block| looked.transcript.block(block));
        let as_it_came = |entry: &&Entry| entry.from.is_empty();
        let parts = whole.parts.iter().map(|(_, entry)| *entry);
        let hashes: Option<Vec<u64>> =
            parts.map(|entry| Some(block(Some(entry).filter(as_it_came)?)?.body.hash())).collect();
        if let Some(hashes) = hashes.filter(|_| whole.tokens() >= SMALL) {
            by_content.entry(hashes).or_default().push(whole);
        }
    }
    let mut told = Again::new();
    let changed = OnceCell::new();
    // Who has changed a file and runs the same command again looks what came of it.
    let looks_anew = |before: &Whole, whole: &Whole| {
        let (since, until) = (before.first().1.born(), whole.first().1.born());
        let is_known = looked.plan.is_some_and(|plan| plan.texts.is_some());
        let changes = || changed.get_or_init(|| changes(looked)).iter().any(|step| since < *step && *step <= until);
        is_known && !is_of_file(looked, whole) && changes()
    };
    for same in by_content.into_values().filter(|same| same.len() > 1) {
        let stood = |at: usize, whole: &Whole| {
            same.iter().take(at).find(|before| stands(before, whole) && !looks_anew(before, whole)).copied()
        };
        let both: Vec<(&Whole, &Whole)> =
            same.iter().enumerate().filter_map(|(at, whole)| Some((stood(at, whole)?, *whole))).collect();
        let again: Vec<&Whole> = both.iter().map(|(_, whole)| *whole).collect();
        let Some((one, last)) = again.first().zip(again.last()) else { continue };
        told.extend(again.iter().map(|whole| (whole.first().0, whole.tokens())));
        let (id, first) = one.first();
        let (tokens, times) = (thousands(one.tokens()), again.len() + 1);
        // Two tools may give the same, one once and the other again.
        let one_tool = both.iter().all(|(before, whole)| [before, whole].iter().all(|by| by.label() == one.label()));
        let of_file = file_of(looked, one).map_or_else(String::new, |file| format!(" of {file}"));
        let given = match one_tool {
            true => format!("{} gave the same {tokens} tokens{of_file} {times} times", label(one)),
            false => format!("The same {tokens} tokens{of_file} came in {times} times, last by {},", label(last)),
        };
        all.push(Finding {
            rule: "read-again",
            weight: Weight::Waste,
            evidence: format!("{given} while they still stood in the window."),
            step: Some(first.born()),
            entry: Some(id),
            tokens: Some(again.iter().map(|whole| whole.tokens() * looked.stood(whole.first().1).max(1)).sum()),
            dollars: prices.map(|prices| again.iter().map(|whole| price(Some(prices), whole, whole.tokens())).sum()),
            help: HELP.into(),
            fact: None,
            counts: again.iter().flat_map(|whole| whole.ids()).collect(),
        });
    }
    told
}

/// Whether a result shows a file, or is one.
fn is_of_file(looked: &Looked, whole: &Whole) -> bool {
    let shown = looked.shown.of(looked);
    let shows = |entry: &Entry| entry.block().is_some_and(|block| shown.contains_key(&block));
    whole.parts.iter().any(|(_, entry)| entry.layer == Layer::Files || shows(entry))
}

/// The steps whose windows are the first with a call that changes a file.
fn changes(looked: &Looked) -> Vec<u32> {
    let calls = looked.run.entries.iter().filter(|entry| entry.layer == Layer::ToolCalls);
    let changes = |entry: &&Entry| {
        let block = entry.block().and_then(|id| looked.transcript.block(id)).filter(|block| !reads(&block.label));
        let text = block.and_then(|block| looked.sources.body_text(&block.body).ok());
        text.is_some_and(|text| !file_changes(&text).is_empty())
    };
    calls.filter(changes).map(Entry::born).collect()
}

/// The results that show files, by tools that read them or by a shell, with what tells these files apart: read from the
/// calls when a rule first asks.
#[derive(Default)]
pub struct FilesShown(OnceCell<HashMap<BlockId, Vec<u64>>>);

impl FilesShown {
    /// Those of the history that is looked at; none where its texts were not read.
    pub(super) fn of(&self, looked: &Looked) -> &HashMap<BlockId, Vec<u64>> {
        self.0.get_or_init(|| {
            let Some((plan, texts)) = looked.plan.and_then(|plan| Some((plan, plan.texts.as_ref()?))) else {
                return HashMap::new();
            };
            let files = |(item, file): (&Item, &u64)| {
                (item.block, if *file == 0 { through_shell(looked, plan, item.call) } else { vec![*file] })
            };
            plan.items.iter().zip(&texts.files).map(files).filter(|(_, files)| !files.is_empty()).collect()
        })
    }
}

/// Readings of a file that give lines of it which an earlier reading gave, a range out of the whole for one. `told`:
/// those that are told of already, and then these.
fn within(looked: &Looked, read: &[Whole], told: &mut Again, prices: Option<&Prices>, all: &mut Vec<Finding>) {
    if looked.plan.is_none_or(|plan| plan.texts.is_none()) {
        return;
    }
    let mut of_block = looked.shown.of(looked).clone();
    of_block.extend(put_back(looked));
    // Which reading shows lines the longest: every text is gone through once, whatever came before it.
    let mut shown: HashMap<(u64, u64), usize> = HashMap::new();
    let mut again: BTreeMap<u64, Vec<(&Whole, u64)>> = BTreeMap::new();
    for (at, whole) in read.iter().enumerate() {
        let Some((files, text)) = text_of_files(looked, whole, &of_block) else { continue };
        let lines: Vec<&str> = text.lines().map(without_number).collect();
        let runs: Vec<u64> = lines.windows(RUN).map(hash).collect();
        let is_new = !told.contains_key(&whole.first().0) && whole.tokens() >= SMALL;
        let known = |run: &u64| {
            let before = |file: &u64| shown.get(&(*file, *run)).and_then(|before| read.get(*before));
            is_new && files.iter().filter_map(before).any(|before| stands(before, whole))
        };
        let (mut bytes, mut covered) = (0, 0);
        for (line, _) in runs.iter().enumerate().filter(|(_, run)| known(run)) {
            let from = covered.max(line);
            bytes += lines.get(from..line + RUN).into_iter().flatten().map(|line| line.len() + 1).sum::<usize>();
            covered = line + RUN;
        }
        // Of two readings with the same lines, the one that stays longer can still be read.
        for (file, run) in files.iter().flat_map(|file| runs.iter().map(|run| (*file, *run))) {
            let held = shown.entry((file, run)).or_insert(at);
            if read.get(*held).is_none_or(|before| ends(before) < ends(whole)) {
                *held = at;
            }
        }
        let size: usize = lines.iter().map(|line| line.len() + 1).sum();
        let tokens = u128::from(whole.tokens()) * bytes as u128 / (size as u128).max(1);
        let tokens = u64::try_from(tokens).unwrap_or(u64::MAX);
        if let Some(file) = files.first().filter(|_| tokens >= SMALL) {
            again.entry(*file).or_default().push((whole, tokens));
            told.insert(whole.first().0, tokens);
        }
    }
    for again in again.into_values() {
        let Some((one, _)) = again.first() else { continue };
        let (id, first) = one.first();
        let tokens: u64 = again.iter().map(|(_, tokens)| tokens).sum();
        let times = match (file_of(looked, one), again.len()) {
            (None, 1) => String::new(),
            (Some(file), 1) => format!(" in a reading of {file}"),
            (file, times) => format!(" in {times} readings of {}", file.as_deref().unwrap_or("one file")),
        };
        all.push(Finding {
            rule: "read-again",
            weight: Weight::Waste,
            evidence: format!(
                "{} gave {} of lines again{times} that an earlier reading of the file still showed.",
                label(one),
                number(tokens, "tokens")
            ),
            step: Some(first.born()),
            entry: Some(id),
            tokens: Some(again.iter().map(|(whole, tokens)| tokens * looked.stood(whole.first().1).max(1)).sum()),
            dollars: prices.map(|prices| again.iter().map(|(whole, tokens)| price(Some(prices), whole, *tokens)).sum()),
            help: HELP.into(),
            fact: None,
            counts: again.iter().flat_map(|(whole, _)| whole.ids()).collect(),
        });
    }
}

/// What tells the files apart that the command of a call shows, where it is a shell's.
fn through_shell(looked: &Looked, plan: &Plan, call: u32) -> Vec<u64> {
    let block = plan.items.get(call as usize).and_then(|call| looked.transcript.block(call.block));
    let Some(arguments) = block.and_then(|block| looked.sources.body_text(&block.body).ok()) else { return Vec::new() };
    let session = &looked.transcript.session;
    let (folder, here) = (session.folder.as_deref(), block.and_then(|block| session.folder_at(block.record)));
    // As the plan tells the paths apart that reading tools are given.
    paths_shown(&arguments, here).iter().map(|path| file_id(path, folder.unwrap_or_default())).collect()
}

/// Files that a recorded compaction put back, which are no part of the plan's history.
fn put_back<'l>(looked: &'l Looked) -> impl Iterator<Item = (BlockId, Vec<u64>)> + 'l {
    let folder = looked.transcript.session.folder.as_deref().unwrap_or_default();
    let back = looked.run.put_back.iter().filter_map(|id| looked.run.entry(*id));
    let files = back.filter(|entry| entry.layer == Layer::Files);
    files.filter_map(move |entry| Some((entry.block()?, vec![file_id(&entry.label, folder)])))
}

/// The files that a result is of, and what it gives of them as it came.
fn text_of_files<'a>(
    looked: &Looked,
    whole: &Whole,
    of_block: &'a HashMap<BlockId, Vec<u64>>,
) -> Option<(&'a [u64], String)> {
    let [(_, entry)] = whole.parts.as_slice() else { return None };
    let block = entry.block().filter(|_| entry.from.is_empty())?;
    let files = of_block.get(&block)?;
    Some((files, looked.sources.body_text(&looked.transcript.block(block)?.body).ok()?))
}

/// A line without the number that a tool put before it: `  12→text`, `12: text`.
fn without_number(line: &str) -> &str {
    let rest = line.trim_start();
    let text = rest.trim_start_matches(|sign: char| sign.is_ascii_digit());
    let numbered = text.len() < rest.len() && rest.len() - text.len() <= 7;
    match text.strip_prefix(['→', '\t', ':', '|']).filter(|_| numbered) {
        Some(text) => text.trim_end(),
        None => line.trim_end(),
    }
}

fn hash(lines: &[&str]) -> u64 {
    let mut hasher = DefaultHasher::new();
    lines.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_before_a_line_is_no_part_of_it() {
        for line in ["let a = 1;", "   12→let a = 1;", "12\tlet a = 1;", "12:let a = 1;", "  12|let a = 1;"] {
            assert_eq!(without_number(line), "let a = 1;");
        }
        assert_eq!((without_number("  indented"), without_number("2026-01-02")), ("  indented", "2026-01-02"));
    }
}
