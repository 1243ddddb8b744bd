//! Counts by content: each distinct content is counted once, by as many cores as there are. Only numbers are kept.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError, RwLock};

use crate::content::{ContentError, Sources, Watch};
use crate::model::{Body, Hidden};

use super::definition::rendered;
use super::media::media_tokens;
use super::{Encoding, ImageRule, count, estimate};

/// How a model counts: its encoding, and its rule for pictures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Counter {
    /// What text is counted with.
    pub encoding: Encoding,
    /// What pictures are counted with.
    pub images: ImageRule,
    /// Whether `encoding` is the model's own; else its counts are marked as estimates.
    pub exact: bool,
}

/// A count of tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// Tokens.
    pub tokens: u64,
    /// Whether the model's own tokenizer or a published rule counted them; else it is an estimate.
    pub exact: bool,
}

/// What a count is kept under: equal keys, equal counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Key {
    /// Hash of the stored bytes.
    pub hash: u64,
    /// Characters or stored bytes, lest two contents share a hash.
    pub size: u64,
    /// What counted it: an encoding's number, or a picture rule's with [`MEDIA`] set.
    pub by: u8,
}

/// Looks up a count that was kept from an earlier run.
pub type Kept = dyn Fn(Key) -> Option<Count> + Send + Sync;

/// Set in [`Key::by`] for what is not text.
const MEDIA: u8 = 0x80;
/// Set in it for a picture that is looked at in low detail.
const LOW: u8 = 0x40;
/// Set in it for text of a model whose own encoding counts: there tools' definitions are no JSON.
const OWN: u8 = 0x20;

/// Counts that are known, shared between threads.
#[derive(Default)]
pub struct Counts {
    known: RwLock<HashMap<Key, Count>>,
    /// Counts of earlier runs of the program.
    kept: OnceLock<Box<Kept>>,
    changes: AtomicU64,
}

impl Counts {
    /// The key of a content; `None` for what is known without counting (hidden and empty content).
    #[must_use]
    pub fn key(body: &Body, counter: Counter) -> Option<Key> {
        match body {
            Body::Text { chars: 0, .. } | Body::Hidden(_) => None,
            Body::Text { hash, chars, .. } => {
                let own = if counter.exact { OWN } else { 0 };
                Some(Key { hash: *hash, size: *chars, by: counter.encoding.code() | own })
            }
            Body::Media(media) => {
                let detail = if media.is_low { LOW } else { 0 };
                Some(Key { hash: media.hash, size: media.span.len(), by: counter.images.code() | MEDIA | detail })
            }
        }
    }

    /// The count of a content where it is known already.
    #[must_use]
    pub fn get(&self, body: &Body, counter: Counter) -> Option<Count> {
        let Some(key) = Counts::key(body, counter) else { return Some(uncounted(body)) };
        self.look_up(key).map(|count| Count { exact: count.exact && trusted(key, counter), ..count })
    }

    fn look_up(&self, key: Key) -> Option<Count> {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner).get(&key).copied();
        known.or_else(|| self.kept.get()?(key))
    }

    /// The count of a content where it is known, else an estimate.
    #[must_use]
    pub fn get_or_estimate(&self, body: &Body, counter: Counter) -> Count {
        self.get(body, counter).unwrap_or_else(|| estimate_body(body, counter))
    }

    /// Counts a content, or remembers its count.
    ///
    /// # Errors
    /// Where its bytes cannot be read.
    pub fn count_body(&self, sources: &Sources, body: &Body, counter: Counter) -> Result<Count, ContentError> {
        let Some(key) = Counts::key(body, counter) else { return Ok(uncounted(body)) };
        if let Some(known) = self.look_up(key) {
            self.note(key, known);
            return Ok(Count { exact: known.exact && trusted(key, counter), ..known });
        }
        let counted = match body {
            Body::Media(media) => media_tokens(sources, media, counter.images)?,
            _ => count_text(&sources.body_text(body)?, counter),
        };
        self.note(key, counted);
        self.changes.fetch_add(1, Ordering::Relaxed);
        Ok(Count { exact: counted.exact && trusted(key, counter), ..counted })
    }

    /// Remembers a count that was asked for.
    fn note(&self, key: Key, count: Count) {
        self.known.write().unwrap_or_else(PoisonError::into_inner).insert(key, count);
    }

    /// Counts many contents on all cores, each distinct one once, beginning with the first ones: put first what is on
    /// the screen, then the largest. `done` hears of each as it is counted, by its place in `bodies`, from any
    /// thread. What cannot be read is left uncounted and told of at the end. `watch` tells progress in stored bytes;
    /// cancelled, it ends the work after the contents that are being counted.
    pub fn count_blocks(
        &self,
        sources: &Sources,
        bodies: &[&Body],
        counter: Counter,
        watch: &Watch,
        done: impl Fn(usize, Count) + Sync,
    ) -> Vec<(usize, ContentError)> {
        let todo = self.distinct(bodies, counter);
        let size = |index: usize| bodies.get(index).map_or(0, |body| stored(body));
        watch.expect(todo.iter().map(|index| size(*index)).sum());
        let next = AtomicUsize::new(0);
        let failed = Mutex::new(Vec::new());
        let work = || {
            while !watch.is_cancelled() {
                let Some(&index) = todo.get(next.fetch_add(1, Ordering::Relaxed)) else { return };
                let Some(body) = bodies.get(index) else { return };
                match self.count_body(sources, body, counter) {
                    Ok(counted) => done(index, counted),
                    Err(why) => failed.lock().unwrap_or_else(PoisonError::into_inner).push((index, why)),
                }
                watch.advance(size(index));
            }
        };
        // Workers take one after the other, so that the order given is kept as far as there are cores.
        rayon::scope(|scope| {
            for _ in 0..rayon::current_num_threads().min(todo.len()) {
                scope.spawn(|_| work());
            }
        });
        let mut failed = failed.into_inner().unwrap_or_else(PoisonError::into_inner);
        failed.sort_by_key(|(index, _)| *index);
        failed
    }

    /// Places of the first of each distinct content that is not known yet.
    fn distinct(&self, bodies: &[&Body], counter: Counter) -> Vec<usize> {
        let mut seen = HashSet::new();
        let mut todo = Vec::new();
        for (index, body) in bodies.iter().enumerate() {
            let Some(key) = Counts::key(body, counter).filter(|key| seen.insert(*key)) else { continue };
            match self.look_up(key) {
                Some(known) => self.note(key, known),
                None => todo.push(index),
            }
        }
        todo
    }

    /// A number that grows whenever a count comes in: equal number, nothing new.
    #[must_use]
    pub fn changes(&self) -> u64 {
        self.changes.load(Ordering::Relaxed)
    }

    /// Where counts of earlier runs are looked up. Only the first call counts.
    pub fn keep(&self, kept: Box<Kept>) {
        if self.kept.set(kept).is_ok() {
            self.changes.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// The counts that were made or used since the program began, in order of their keys: what is worth keeping.
    #[must_use]
    pub fn used(&self) -> Vec<(Key, Count)> {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        let mut list: Vec<(Key, Count)> = known.iter().map(|(key, count)| (*key, *count)).collect();
        list.sort_unstable_by_key(|(key, _)| *key);
        list
    }
}

/// Counts a text as the model is sent it.
fn count_text(text: &str, counter: Counter) -> Count {
    let definition = if counter.exact && counter.encoding.is_exact() { rendered(text) } else { None };
    let exact = counter.encoding.is_exact() && definition.is_none();
    Count { tokens: count(definition.as_deref().unwrap_or(text), counter.encoding), exact }
}

/// The estimate of a content that has not been counted. Nothing is read.
#[must_use]
pub fn estimate_body(body: &Body, counter: Counter) -> Count {
    match body {
        Body::Text { chars, .. } => Count { tokens: estimate(*chars), exact: *chars == 0 },
        Body::Hidden(_) => uncounted(body),
        Body::Media(media) => super::media::estimate_media(media, counter.images),
    }
}

/// What is known without counting.
fn uncounted(body: &Body) -> Count {
    match body {
        Body::Hidden(Hidden { tokens, .. }) => Count { tokens: tokens.unwrap_or(0), exact: tokens.is_some() },
        _ => Count { tokens: 0, exact: true },
    }
}

/// Pictures are counted by the vendor's rule; text is exact only where the encoding is the model's own.
fn trusted(key: Key, counter: Counter) -> bool {
    key.by & MEDIA != 0 || counter.exact
}

fn stored(body: &Body) -> u64 {
    match body {
        Body::Media(_) => 1,
        _ => body.spans().map(|span| span.len()).sum(),
    }
}
