//! Sentences of sources as they are written, by which it is told what a summary copied from where.

use std::collections::HashMap;

use rayon::prelude::*;
use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::marks::{bare, said_as, task};
use super::measure::Support;
use super::near::Backing;

/// A sentence of a source: the source's number, its range there with all that stands before it, and what supports it.
type Place = (usize, (usize, usize), Support);

/// The sentences of sources, by their hash.
pub(super) struct Written(HashMap<u64, Place>);

/// The hash by which a sentence is known as it is written.
fn hash(text: &str) -> u64 {
    xxh3_64_with_seed(bare(text).as_bytes(), task(text).0 as u64)
}

impl Written {
    /// Reads sources; `trust` tells of a source's number and a sentence of it whether that has support. Of sentences
    /// that are written alike the first with the most support counts.
    pub fn of(sources: &[Backing<'_>], trust: &dyn Fn(usize, &str) -> Support) -> Self {
        let read = |backing: &Backing<'_>| -> Vec<((usize, usize), (usize, usize), u64, Option<u64>)> {
            let text = |range: (usize, usize)| backing.text.get(range.0..range.1).unwrap_or_default();
            let hashes = |(raw, range): ((usize, usize), (usize, usize))| {
                (raw, range, hash(text(range)), (raw != range).then(|| hash(text(raw))))
            };
            said_as(backing.text).into_iter().map(hashes).collect()
        };
        let read: Vec<_> = sources.par_iter().map(read).collect();
        let mut found: HashMap<u64, Place> = HashMap::new();
        for (source, (sentences, backing)) in read.into_iter().zip(sources).enumerate() {
            for (raw, range, own, with_marks) in sentences {
                let Some(text) = backing.text.get(range.0..range.1) else { continue };
                let trust = trust(source, text);
                for (hash, range) in [Some((own, range)), with_marks.map(|hash| (hash, raw))].into_iter().flatten() {
                    let known = found.entry(hash).or_insert((source, range, trust));
                    if known.2 < trust {
                        *known = (source, range, trust);
                    }
                }
            }
        }
        Written(found)
    }

    /// Where a sentence is written as a text is.
    pub fn find(&self, text: &str) -> Option<Place> {
        self.0.get(&hash(text)).copied()
    }
}
