//! Sentences of sources as they are written, by which it is told what a summary copied from where.

use std::collections::{HashMap, HashSet};

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

/// What two ASCII sentences have in common that are written alike: how many letters and digits, the first and the last.
type Sketch = (usize, u8, u8);

fn sketch(text: &str) -> Sketch {
    let signs = || text.bytes().filter(u8::is_ascii_alphanumeric).map(|byte| byte.to_ascii_lowercase());
    (signs().count(), signs().next().unwrap_or(0), signs().next_back().unwrap_or(0))
}

impl Written {
    /// Reads sources; `trust` tells of a source's number and a sentence of it whether that has support. Of sentences
    /// that are written alike the first with the most support counts.
    /// `wanted`: the texts that will be looked for; others are left out.
    pub fn of<'t>(
        sources: &[Backing<'_>],
        wanted: impl Iterator<Item = &'t str>,
        trust: &dyn Fn(usize, &str) -> Support,
    ) -> Self {
        let wanted: HashSet<Sketch> = wanted.map(|text| sketch(&bare(text))).collect();
        // Other signs may be told in several ways.
        let may_be = |text: &str| !text.is_ascii() || wanted.contains(&sketch(task(text).1));
        type Read = ((usize, usize), Option<u64>, Option<((usize, usize), u64)>);
        let read = |backing: &Backing<'_>| -> Vec<Read> {
            let text = |range: (usize, usize)| backing.text.get(range.0..range.1).unwrap_or_default();
            let known = |range: (usize, usize)| may_be(text(range)).then(|| hash(text(range)));
            let hashes = |(raw, range): ((usize, usize), (usize, usize))| {
                let with_marks = (raw != range).then_some(raw).and_then(|raw| Some((raw, known(raw)?)));
                (range, known(range), with_marks)
            };
            let all = said_as(backing.text).into_iter().map(hashes);
            all.filter(|(_, own, with_marks)| own.is_some() || with_marks.is_some()).collect()
        };
        let read: Vec<_> = sources.par_iter().map(read).collect();
        let mut found: HashMap<u64, Place> = HashMap::new();
        for (source, (sentences, backing)) in read.into_iter().zip(sources).enumerate() {
            for (range, own, with_marks) in sentences {
                let Some(text) = backing.text.get(range.0..range.1) else { continue };
                let trust = trust(source, text);
                let hashes = [own.map(|hash| (hash, range)), with_marks.map(|(raw, hash)| (hash, raw))];
                for (hash, range) in hashes.into_iter().flatten() {
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
