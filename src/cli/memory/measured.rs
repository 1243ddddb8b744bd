//! What each summary of a run keeps of what it stands for.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use schemars::JsonSchema;
use serde::Serialize;

use crate::content::{Watch, decode_json_string, one_line};
use crate::memory::{Kept, Support};
use crate::model::{EntryId, EventId, Run};
use crate::present::{
    KnownSummaries, Measured, MeasuredFact, Quoted, count, counted, measure_after, nowhere_words, percent, percentile,
    summaries,
};

use super::rows::places_of;
use crate::cli::header::Place;
use crate::cli::load::Session;
use crate::cli::print::Printer;
use crate::cli::progress;
use crate::cli::summary::Piece;
use crate::present::Tone;

/// A summary, measured. Facts are sentences that hold a figure or an identifier, but for lines of code that set nothing.
#[derive(Serialize, JsonSchema)]
pub struct SummaryRow {
    pub step: u32,
    /// Who wrote it, where a replay tells: a model, or which words were taken; null on the recorded track.
    by: Option<&'static str>,
    /// Whether only its vendor can read it: what it keeps is unknown, and null here.
    sealed: bool,
    /// Whether nothing of what it stands for is in the file, as in a session that goes on from another: what it keeps is
    /// unknown, and null here.
    alone: bool,
    /// Tokens of the summary, where they are known, and of what it stands for.
    tokens: Option<u64>,
    of_tokens: u64,
    /// Facts of what it stands for, and how many it keeps in their own words, in others, or not.
    facts: usize,
    literal: Option<usize>,
    paraphrase: Option<usize>,
    lost: Option<usize>,
    /// The first that it loses.
    lost_facts: Vec<String>,
    /// Every fact and what became of it, in the order in which they stood.
    fates: Vec<FateRow>,
    /// Its own sentences but for headings, those of them that a sentence of what it stands for says, and those that
    /// nothing supports: a figure of theirs stands nowhere, what comes nearest says otherwise, or words that tell what
    /// they are about stand nowhere.
    sentences: Option<usize>,
    supported: Option<usize>,
    unsupported: Option<usize>,
    /// The first of them.
    unsupported_sentences: Vec<String>,
    /// Its sentences, and where each is from.
    aligned: Vec<AlignedRow>,
}

/// A fact that a summary stands for.
#[derive(Serialize, JsonSchema)]
struct FateRow {
    text: String,
    /// The entry that holds it.
    entry: u32,
    /// `literal`, `paraphrase` or `lost`; null where nobody can read the summary.
    kept: Option<&'static str>,
}

/// A sentence of a summary.
#[derive(Serialize, JsonSchema)]
struct AlignedRow {
    text: String,
    /// Share of its words that stand in the sentence that it is most like.
    score: f64,
    /// Whether that is most of them, its figures stand together there, and it denies, orders and relates nothing
    /// otherwise; false where nothing supports it; null where no sentence says it and none says otherwise.
    supported: Option<bool>,
    /// Its words that stand nowhere in what was summarised, where it has no support for that.
    nowhere: Vec<String>,
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

/// Measures every summary of a run that is made up to a step.
pub fn measured(session: &Session, run: &Run, last: u32) -> anyhow::Result<(Vec<SummaryRow>, SummarySizes)> {
    let (mut rows, mut known) = (Vec::new(), KnownSummaries::default());
    let is_made = |event: EventId| run.event(event).is_some_and(|event| event.step <= last);
    let made: Vec<EventId> = summaries(run).map(|(event, _)| event).filter(|event| is_made(*event)).collect();
    let watch = Watch::default();
    watch.expect(made.len() as u64);
    progress::told("measuring summaries", &watch, || -> anyhow::Result<()> {
        for event in made {
            if let Some(found) = measure_after(&session.transcript, &session.sources, run, event, &mut known, &watch)? {
                rows.push(row(session, run, &found)?);
            }
            watch.advance(1);
        }
        Ok(())
    })?;
    let sizes: Vec<u64> = rows.iter().filter_map(|row| row.tokens).collect();
    let at = |share| percentile(&sizes, share);
    let sizes = SummarySizes { p50: at(50.0), p90: at(90.0), p99: at(99.0), largest: at(100.0) };
    Ok((rows, sizes))
}

/// Pieces that were read, by their entry: many sentences are from one.
type Pieces = HashMap<EntryId, Piece>;

/// Where a sentence of an entry stands in the files.
fn source(session: &Session, run: &Run, pieces: &mut Pieces, quoted: &Quoted) -> anyhow::Result<Option<Place>> {
    let piece = match pieces.entry(quoted.entry) {
        Entry::Occupied(known) => known.into_mut(),
        Entry::Vacant(place) => {
            let Some(entry) = run.entry(quoted.entry) else { return Ok(None) };
            place.insert(session.piece(run, &entry.content)?)
        }
    };
    // Where something without text stands before it, the bytes are others.
    let stored = piece.text.get(quoted.range.0..quoted.range.1).unwrap_or_default();
    let told = decode_json_string(stored.as_bytes());
    let same = stored == &*quoted.text || (!told.is_empty() && quoted.text.ends_with(&*told));
    let origins = if same { piece.origins(quoted.range) } else { Vec::new() };
    Ok(origins.first().and_then(|origin| places_of(&session.transcript, origin).into_iter().next()))
}

fn row(session: &Session, run: &Run, found: &Measured) -> anyhow::Result<SummaryRow> {
    let lost = found.facts.iter().filter(|fact| fact.kept == Kept::Lost && found.is_known()).take(NAMED);
    let fate = |fact: &MeasuredFact| FateRow {
        text: fact.text.to_string(),
        entry: fact.entry.0,
        kept: found.is_known().then(|| fact.kept.name()),
    };
    let (mut aligned, mut pieces) = (Vec::with_capacity(found.sentences.len()), Pieces::new());
    for one in &found.sentences {
        aligned.push(AlignedRow {
            text: one.text.to_string(),
            score: one.score,
            supported: match one.support {
                Support::Stands => Some(true),
                Support::Open => None,
                Support::None => Some(false),
            },
            nowhere: one.nowhere.clone(),
            entry: one.from.as_ref().map(|from| from.entry.0),
            source: one.from.as_ref().map(|from| source(session, run, &mut pieces, from)).transpose()?.flatten(),
        });
    }
    let supports = found.supports();
    let known = |number: usize| found.is_known().then_some(number);
    Ok(SummaryRow {
        step: found.step,
        by: found.by,
        sealed: found.sealed,
        alone: found.alone && !found.sealed,
        tokens: Some(found.tokens).filter(|tokens| !found.sealed || *tokens > 0),
        of_tokens: found.of_tokens,
        facts: found.facts.len(),
        literal: known(found.numbers[Kept::Literal as usize]),
        paraphrase: known(found.numbers[Kept::Paraphrase as usize]),
        lost: known(found.numbers[Kept::Lost as usize]),
        lost_facts: lost.map(|fact| fact.text.to_string()).collect(),
        fates: found.facts.iter().map(fate).collect(),
        sentences: (!found.sealed).then_some(found.sentences.len()),
        supported: known(supports.stands),
        unsupported: known(supports.none),
        unsupported_sentences: found.unsupported().take(NAMED).map(|one| one.text.to_string()).collect(),
        aligned,
    })
}

/// How many sentences of a summary are supported, how many are not, and of how many nobody can tell, in a clause.
fn without_support((supported, unsupported): (usize, usize), sentences: usize) -> String {
    let open = sentences.saturating_sub(supported + unsupported);
    match (unsupported, open, sentences) {
        (_, _, 0) => "no sentence of it claims anything".to_owned(),
        (0, 0, 1) => "its one sentence has support".to_owned(),
        (0, _, 1) => "whether its one sentence has support is open".to_owned(),
        (_, _, 1) => "its one sentence has no support".to_owned(),
        (0, 0, _) => format!("all of its {} sentences have support", count(sentences as u64)),
        (none, open, _) => {
            let all = count(sentences as u64);
            let has = if supported == 1 { "has" } else { "have" };
            let some = format!("{} of its {all} sentences {has} support", count(supported as u64));
            let none = format!("{} {} none", count(none as u64), if none == 1 { "has" } else { "have" });
            let open = (open > 0).then(|| format!(", of {} it is open", count(open as u64)));
            format!("{some}, {none}{}", open.unwrap_or_default())
        }
    }
}

/// Says it for people.
pub fn people_summaries(
    kind: &str,
    rows: &[SummaryRow],
    sizes: &SummarySizes,
    printer: &mut Printer,
) -> anyhow::Result<()> {
    for row in rows {
        let tokens = row.tokens.map_or_else(|| "unknown size".to_owned(), |tokens| counted(tokens, "token", "tokens"));
        let words = match (row.literal, row.paraphrase, row.unsupported, row.sentences) {
            (Some(literal), Some(paraphrase), Some(unsupported), Some(sentences)) => format!(
                "step {}: {kind} of {tokens} for {} keeps {} of {} ({} in their own words); {}",
                row.step,
                count(row.of_tokens),
                percent((literal + paraphrase) as u64, row.facts as u64),
                counted(row.facts as u64, "fact", "facts"),
                count(literal as u64),
                without_support((row.supported.unwrap_or_default(), unsupported), sentences),
            ),
            _ if row.alone => format!(
                "step {}: {kind} of {tokens} for {}: what it stands for is not in the file, so that nobody can say what \
                 it keeps",
                row.step,
                count(row.of_tokens),
            ),
            _ => format!(
                "step {}: {kind} of {tokens} for {} is encrypted: what it keeps of {}, nobody but its vendor can \
                 read",
                row.step,
                count(row.of_tokens),
                counted(row.facts as u64, "fact", "facts"),
            ),
        };
        let by = row.by.map(|by| format!(" · {by}")).unwrap_or_default();
        printer.line(&[(&words, Tone::Cut), (&by, Tone::Faint)])?;
        let unsupported = row.aligned.iter().filter(|one| row.unsupported.is_some() && one.supported == Some(false));
        for one in unsupported.take(SHOWN) {
            let words: String = one_line(&one.text).chars().take(200).collect();
            let why = nowhere_words(&one.nowhere).map(|why| format!(" ({why})")).unwrap_or_default();
            printer.line(&[("  without support: ", Tone::Faint), (&words, Tone::Warning), (&why, Tone::Faint)])?;
        }
    }
    let sized = rows.iter().filter(|row| row.tokens.is_some()).count();
    if let (Some(half), Some(most), true) = (sizes.p50, sizes.largest, sized > 1) {
        let words = format!(
            "half of the {} are within {} tokens; the largest has {}",
            kind.trim_start_matches("a ").replace("summary", "summaries"),
            count(half),
            count(most)
        );
        printer.line(&[(&words, Tone::Faint)])?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clause_says_how_many_sentences_have_no_support() {
        assert_eq!(without_support((1, 0), 1), "its one sentence has support");
        assert_eq!(without_support((0, 0), 1), "whether its one sentence has support is open");
        assert_eq!(without_support((0, 1), 1), "its one sentence has no support");
        assert_eq!(without_support((3, 0), 3), "all of its 3 sentences have support");
        assert_eq!(without_support((2, 1), 3), "2 of its 3 sentences have support, 1 has none");
        assert_eq!(without_support((1, 0), 3), "1 of its 3 sentences has support, 0 have none, of 2 it is open");
    }
}
