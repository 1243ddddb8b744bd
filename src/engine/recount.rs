//! Counts into a run: exact where they are there, estimates until then, scaled where a calibration says so.

use crate::model::{BlockId, Body, Calibration, Entry, EntryId, Fate, Layer, Made, Run, Track, Transcript};
use crate::tokens::{Count, scaled};

/// Sets the tokens of every entry. `count` counts a block (`true`: its original, uncut text), `text` counts text that
/// no block holds. Call [`super::sum_up`] after.
pub fn recount(
    run: &mut Run,
    transcript: &Transcript,
    count: impl Fn(BlockId, bool) -> Count,
    text: impl Fn(&str) -> Count,
) {
    for index in 0..run.entries.len() {
        let (tokens, estimated) = measure(run, &run.entries[index], &count, &text);
        let original = original(run, transcript, index, tokens, &count);
        let entry = &mut run.entries[index];
        (entry.tokens, entry.estimated, entry.original_tokens) = (tokens, estimated, original);
    }
}

fn measure(
    run: &Run,
    entry: &Entry,
    count: impl Fn(BlockId, bool) -> Count,
    text: impl Fn(&str) -> Count,
) -> (u64, bool) {
    // What a client sent again in part is a text of its own, the newest in it.
    let again = (run.track, entry.fate) == (Track::Recorded, Fate::Truncated) && !entry.from.is_empty();
    if let Some(said) = entry.content.blocks().max().filter(|_| again) {
        let counted = count(said, false);
        return (counted.tokens, !counted.exact);
    }
    entry.content.iter().fold((0, false), |(tokens, estimated), made| {
        let counted = match made {
            Made::Block(id) => count(*id, false),
            Made::Text(words) => text(words),
            Made::Written(figures) => text(&figures.text(run)),
            Made::Part(_, from, to, _) => Count { tokens: to.saturating_sub(*from).div_ceil(4), exact: false },
        };
        (tokens + counted.tokens, estimated || !counted.exact)
    })
}

/// Tokens before a cut, a clearing or a summary. Entries come before what is made from them, so theirs are known.
fn original(
    run: &Run,
    transcript: &Transcript,
    index: usize,
    tokens: u64,
    count: impl Fn(BlockId, bool) -> Count,
) -> u64 {
    let entry = &run.entries[index];
    if !entry.from.is_empty() {
        return entry.from.iter().filter_map(|EntryId(id)| run.entries.get(*id as usize)).map(|from| from.tokens).sum();
    }
    let Some((id, block)) = entry.block().and_then(|id| Some((id, transcript.block(id)?))) else { return tokens };
    let Some(cut) = &block.cut else { return tokens };
    let chars = if let Body::Text { chars, .. } = &block.body { *chars } else { 0 };
    let known = match (&block.original, cut.original_tokens) {
        (_, Some(stated)) => stated,
        (Some(_), None) => cut.tokens_by_copy(count(id, true).tokens),
        (None, None) => cut.estimated_tokens(tokens, chars).unwrap_or(tokens),
    };
    known.max(tokens)
}

/// Scales the counts by a calibration: every text by its factor. What was counted from pixels or stated stays.
pub fn scale(run: &mut Run, transcript: &Transcript, calibration: Calibration) {
    for entry in &mut run.entries {
        let is_text = entry
            .block()
            .and_then(|id| transcript.block(id))
            .is_none_or(|block| matches!(block.body, Body::Text { .. }));
        if is_text && entry.layer != Layer::Unlogged {
            entry.tokens = scaled(entry.tokens, calibration.factor);
            entry.original_tokens = scaled(entry.original_tokens, calibration.factor).max(entry.tokens);
        }
        entry.estimated = true;
    }
    run.calibration = Some(calibration);
}
