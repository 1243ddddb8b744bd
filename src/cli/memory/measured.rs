//! What each summary of a run keeps of what it stands for.

use schemars::JsonSchema;
use serde::Serialize;

use crate::export::entry_text;
use crate::memory::{Kept, Summary, align, facts_of, percentile};
use crate::model::{EntryId, Layer, Run, Stage};
use crate::present::{count, percent};

use crate::cli::load::Session;
use crate::cli::print::Printer;
use crate::present::Tone;

/// A summary, measured. Facts are sentences that hold a figure or an identifier.
#[derive(Serialize, JsonSchema)]
pub struct SummaryRow {
    step: u32,
    /// Tokens of the summary, and of what it stands for.
    tokens: u64,
    of_tokens: u64,
    /// Facts of what it stands for, and how many it keeps in their own words, in others, or not.
    facts: usize,
    literal: usize,
    paraphrase: usize,
    lost: usize,
    /// The first that it loses.
    lost_facts: Vec<String>,
    /// Its own sentences, and those of them that nothing it stands for supports.
    sentences: usize,
    unsupported: usize,
    /// The first of them.
    unsupported_sentences: Vec<String>,
}

/// Sizes of summaries in tokens.
#[derive(Default, Serialize, JsonSchema)]
pub struct SummarySizes {
    p50: Option<u64>,
    p90: Option<u64>,
    p99: Option<u64>,
    largest: Option<u64>,
}

/// Lost facts and sentences that are named.
const NAMED: usize = 20;

/// Measures every summary of a run.
pub fn measured(session: &Session, run: &Run) -> anyhow::Result<(Vec<SummaryRow>, SummarySizes)> {
    let text = |id: EntryId| entry_text(&session.transcript, &session.sources, run, id);
    let mut rows = Vec::new();
    for event in run.events.iter().filter(|event| matches!(event.stage, Stage::Summarise | Stage::Reactive)) {
        let summary = event.made.iter().find(|id| run.entry(**id).is_some_and(|made| made.layer == Layer::Summaries));
        let Some((summary, about)) = summary.and_then(|id| Some((*id, run.entry(*id)?))) else { continue };
        let words = text(summary)?.unwrap_or_default();
        let mut sources = Vec::with_capacity(event.took.len());
        for id in &event.took {
            sources.extend(text(*id)?);
        }
        let kept = Summary::of(&words);
        let (mut seen, mut numbers, mut lost_facts) = (std::collections::HashSet::new(), [0; 3], Vec::new());
        for source in &sources {
            for (from, to) in facts_of(source) {
                let fact = source.get(from..to).unwrap_or_default();
                if !seen.insert(crate::memory::plain(fact)) {
                    continue;
                }
                let fate = kept.keeps(fact);
                numbers[fate as usize] += 1;
                if fate == Kept::Lost && lost_facts.len() < NAMED {
                    lost_facts.push(fact.to_owned());
                }
            }
        }
        let sources: Vec<&str> = sources.iter().map(String::as_str).collect();
        let aligned = align(&words, &sources);
        let unsupported: Vec<&str> =
            aligned.iter().filter(|one| !one.supported).filter_map(|one| words.get(one.range.0..one.range.1)).collect();
        rows.push(SummaryRow {
            step: event.step,
            tokens: about.tokens,
            of_tokens: about.original_tokens,
            facts: seen.len(),
            literal: numbers[Kept::Literal as usize],
            paraphrase: numbers[Kept::Paraphrase as usize],
            lost: numbers[Kept::Lost as usize],
            lost_facts,
            sentences: aligned.len(),
            unsupported: unsupported.len(),
            unsupported_sentences: unsupported.iter().take(NAMED).map(|words| (*words).to_owned()).collect(),
        });
    }
    let sizes: Vec<u64> = rows.iter().map(|row| row.tokens).collect();
    let at = |share| percentile(&sizes, share);
    let sizes = SummarySizes { p50: at(50.0), p90: at(90.0), p99: at(99.0), largest: at(100.0) };
    Ok((rows, sizes))
}

/// Says it for people.
pub fn people_summaries(rows: &[SummaryRow], sizes: &SummarySizes, printer: &mut Printer) -> anyhow::Result<()> {
    for row in rows {
        let words = format!(
            "step {}: a summary of {} tokens for {} keeps {} of {} facts ({} in their own words); {} of its {} sentences \
             have no support",
            row.step,
            count(row.tokens),
            count(row.of_tokens),
            percent((row.literal + row.paraphrase) as u64, row.facts as u64),
            count(row.facts as u64),
            count(row.literal as u64),
            row.unsupported,
            row.sentences,
        );
        printer.line(&[(&words, Tone::Cut)])?;
    }
    if let (Some(half), Some(most), true) = (sizes.p50, sizes.largest, rows.len() > 1) {
        let words = format!("half of the summaries are within {} tokens; the largest has {}", count(half), count(most));
        printer.line(&[(&words, Tone::Faint)])?;
    }
    Ok(())
}
