//! Counts of real texts, held against tiktoken; and against what was reported.

use rayon::prelude::*;
use tiktoken_rs::CoreBPE;
use windowpane::content::Watch;
use windowpane::engine::{Counting, Known, recorded};
use windowpane::model::{Body, ThreadId};
use windowpane::tokens::{Counts, Encoding, count, fit};

use crate::data;

/// Tokens that come in with a step of more than a few words.
const BRIEF: u64 = 250;

#[test]
fn real_texts_count_as_tiktoken_counts_them() {
    let encodings: [(Encoding, &CoreBPE); 4] = [
        (Encoding::O200kBase, tiktoken_rs::o200k_base_singleton()),
        (Encoding::Cl100kBase, tiktoken_rs::cl100k_base_singleton()),
        (Encoding::P50kBase, tiktoken_rs::p50k_base_singleton()),
        (Encoding::R50kBase, tiktoken_rs::r50k_base_singleton()),
    ];
    for path in ["claude_code", "codex"].iter().flat_map(|format| data::transcripts(format)) {
        let (sources, transcript) = data::open(&path);
        let bodies: Vec<&Body> = transcript.blocks.iter().map(|block| &block.body).collect();
        bodies.par_iter().enumerate().for_each(|(index, body)| {
            let text = sources.body_text(body).expect("text of a block");
            // Each encoding on a part of the blocks: all of them take minutes without optimisation.
            let (encoding, reference) = encodings[index % encodings.len()];
            let expected = reference.encode_ordinary(&text).len() as u64;
            assert_eq!(count(&text, encoding), expected, "{} in {}: {text:?}", encoding.name(), path.display());
        });
    }
}

/// Where the encoding is the model's own, reports grow as counts do, but for a few tokens around each message and for
/// reasoning of unknown size. Claude's tokenizer cuts the same text into about a third more tokens.
#[test]
fn counts_grow_as_reports_do() {
    for (format, least, most) in [("codex", 1.0, 1.3), ("claude_code", 1.1, 1.5)] {
        let mut fitted = 0;
        for path in data::transcripts(format) {
            let (sources, transcript) = data::open(&path);
            let known = Known::nothing();
            let Some(thread) = transcript.threads.first() else { continue };
            let mut run = recorded(&transcript, ThreadId(0), known.facts(&transcript, thread));
            let counts = Counts::default();
            let counter = known.counter(thread);
            let counting =
                Counting { transcript: &transcript, sources: &sources, counts: &counts, counter, calibrates: false };
            counts.count_blocks(&sources, &counting.all_bodies(&run), counter, &Watch::default(), |_, _| {});
            counting.apply(&mut run);
            let pairs: Vec<(u64, u64)> =
                run.totals.iter().filter_map(|total| Some((total.counted, total.reported?))).collect();
            let Some(found) = fit(&pairs) else { continue };
            // Where little is said at a time, what the API puts around each message is much of what comes in: the fit
            // holds that, too, and must be all the closer.
            let came: u64 = pairs.windows(2).map(|pair| pair[1].0.saturating_sub(pair[0].0)).sum();
            let is_brief = came < BRIEF * pairs.len() as u64;
            let (most, error) = if is_brief { (2.0, 0.005) } else { (most, 0.05) };
            assert!(found.error <= error, "{}: {found:?}", path.display());
            fitted += 1;
            assert!((least..=most).contains(&found.factor), "{}: {found:?}", path.display());
        }
        assert!(fitted > 0 || data::folder().is_none(), "no session of {format} could be fitted");
    }
}
