//! Facts by meaning: the embedding model that compares passages, and the vectors of earlier runs.

use std::sync::{Arc, Mutex, PoisonError};

use crate::chunk::{BUNDLED, Embedder, Store};
use crate::content::Watch;
use crate::inquiry::{ByVectors, Fact, Found, Remembering, find_told};
use crate::io::{ModelPlaces, VectorCache, cache_folder};

use crate::tui::PASSAGES;

use super::load::Session;

/// The model and the vectors, once they are loaded; no model where there is none.
#[derive(Default)]
pub struct Meaning(Mutex<Option<Loaded>>);

#[derive(Clone)]
struct Loaded {
    embedder: Option<Arc<dyn Embedder>>,
    vectors: Option<Arc<VectorCache>>,
}

impl Loaded {
    fn by_vectors(&self, most: usize) -> Option<ByVectors<'_>> {
        let store = self.vectors.as_deref().map(|vectors| vectors as &dyn Store);
        Some(ByVectors { embedder: self.embedder.as_deref()?, store, most })
    }
}

impl Session {
    /// Finds a fact; one by meaning among as many passages as is usual.
    pub fn find(&self, fact: &Fact, watch: &Watch) -> Found {
        self.find_among(fact, PASSAGES, watch, &mut |_| {})
    }

    /// The same among so many passages; what has been found so far is told as it grows.
    pub fn find_among(&self, fact: &Fact, most: usize, watch: &Watch, tell: &mut dyn FnMut(Found)) -> Found {
        let loaded = fact.by_meaning().then(|| self.meaning());
        let vectors = loaded.as_ref().and_then(|loaded| loaded.by_vectors(most));
        find_told(fact, &self.transcript, &self.sources, vectors, watch, tell)
    }

    /// Adds to what was found of a fact by meaning what memories say of it, among as many passages of theirs.
    pub fn liken(&self, memories: &Remembering, fact: &Fact, most: usize, found: &mut Found, watch: &Watch) {
        if fact.by_meaning() {
            let loaded = self.meaning();
            memories.liken(fact, found, loaded.by_vectors(most), watch);
        }
    }

    /// The vectors of earlier runs, if the user's settings let them be kept.
    pub fn kept_vectors(&self) -> Option<Arc<VectorCache>> {
        self.meaning().vectors
    }

    /// The model that is compiled in, and the vectors that are kept if the user's settings let them.
    fn meaning(&self) -> Loaded {
        let mut known = self.meaning.0.lock().unwrap_or_else(PoisonError::into_inner);
        let load = || {
            let settings = &self.preferences.settings;
            let places =
                ModelPlaces::of(settings.embedding_onnxruntime.as_deref(), settings.embedding_models.as_deref());
            let folder = cache_folder().filter(|_| settings.cache);
            Loaded { embedder: places.load(BUNDLED).ok(), vectors: VectorCache::open(folder.as_deref()).map(Arc::new) }
        };
        known.get_or_insert_with(load).clone()
    }
}
