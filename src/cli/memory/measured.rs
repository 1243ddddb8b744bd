//! What each summary of a run keeps of what it stands for.

use schemars::JsonSchema;
use serde::Serialize;

use crate::export::entry_text;
use crate::memory::{Kept, Summary, align, facts_of, percentile};
use crate::model::{EntryId, Layer, Run, Stage};
use crate::present::{count, percent};

use super::rows::places_of;
use crate::cli::header::Place;
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
    /// Its sentences, and where each is from.
    aligned: Vec<AlignedRow>,
}

/// A sentence of a summary.
#[derive(Serialize, JsonSchema)]
struct AlignedRow {
    text: String,
    /// Share of its words that stand in the sentence that it is most like.
    score: f64,
    /// Whether that is most of them, and all its figures stand in what the summary stands for.
    supported: bool,
    /// The entry that holds the sentence that it is most like.
    entry: Option<u32>,
    /// Where that sentence stands; null where windowpane, a harness or a model wrote it.
    source: Option<Place>,
}

/// Sizes of summaries in tokens.
#[derive(Default, Serialize, JsonSchema)]
pub struct SummarySizes {
    p50: Option<u64>,
    p90: Option<u64>,
    p99: Option<u64>,
    largest: Option<u64>,
}

/// Lost facts and sentences that are named, and those that people are shown.
const NAMED: usize = 20;
const SHOWN: usize = 3;

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
            let Some(entry) = run.entry(*id) else { continue };
            sources.push((*id, session.piece(run, &entry.content)?));
        }
        let kept = Summary::of(&words);
        let (mut seen, mut numbers, mut lost_facts) = (std::collections::HashSet::new(), [0; 3], Vec::new());
        for (_, source) in &sources {
            for (from, to) in facts_of(&source.text) {
                let fact = source.text.get(from..to).unwrap_or_default();
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
        let texts: Vec<&str> = sources.iter().map(|(_, piece)| piece.text.as_str()).collect();
        let aligned = align(&words, &texts);
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
            aligned: aligned
                .iter()
                .map(|one| {
                    let from = one.from.and_then(|(at, range)| Some((sources.get(at)?, range)));
                    let origins = from.map(|((_, piece), range)| piece.origins(range)).unwrap_or_default();
                    AlignedRow {
                        text: words.get(one.range.0..one.range.1).unwrap_or_default().to_owned(),
                        score: one.score,
                        supported: one.supported,
                        entry: from.map(|((id, _), _)| id.0),
                        source: origins
                            .first()
                            .and_then(|origin| places_of(&session.transcript, origin).into_iter().next()),
                    }
                })
                .collect(),
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
        for words in row.unsupported_sentences.iter().take(SHOWN) {
            let words: String = words.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(200).collect();
            printer.line(&[("  without support: ", Tone::Faint), (&words, Tone::Warning)])?;
        }
    }
    if let (Some(half), Some(most), true) = (sizes.p50, sizes.largest, rows.len() > 1) {
        let words = format!("half of the summaries are within {} tokens; the largest has {}", count(half), count(most));
        printer.line(&[(&words, Tone::Faint)])?;
    }
    Ok(())
}
