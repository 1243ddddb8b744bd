//! A choice that gets better: by words at once, then as vectors come, the most promising first. Once all are there it
//! is exactly what choosing with all of them gives.

use std::sync::Arc;

use crate::content::Watch;
use crate::document::Conversion;

use super::embed::{EmbedError, Embedder, vector_key};
use super::{Division, Graph, Index, Lexical, Scores, Selection, Settings, Strategy, choose, dot};

/// Vectors that come in between two looks at the result.
const PORTION: usize = 16;
/// Vectors that are looked up in the store at once, and that are handed to it at once.
const LOOKED_UP: usize = 1_024;
const HANDED: usize = 4_096;

/// Where vectors are kept from one run of the program to the next.
pub trait Store: Send + Sync {
    /// The vectors that are kept under these keys.
    fn get(&self, keys: &[[u8; 32]], dimensions: usize) -> Vec<Option<Arc<[f32]>>>;
    /// Keeps vectors.
    fn put(&self, vectors: &[([u8; 32], Arc<[f32]>)]);
}

/// A document, a task, and what is known of how near each piece is.
pub struct Chooser {
    document: Arc<Conversion>,
    settings: Settings,
    division: Arc<Division>,
    lexical: Arc<Lexical>,
    task: String,
    task_vector: Option<Arc<[f32]>>,
    scores: Scores,
    graph: Option<((u64, u64), Arc<Graph>)>,
    /// Whether nothing is kept for other tasks.
    one_task: bool,
}

impl Chooser {
    /// Divides a document and reads its words.
    #[must_use]
    pub fn new(document: Arc<Conversion>, settings: &Settings, task: &str, watch: &Watch) -> Chooser {
        Chooser::made(document, settings, task, false, watch)
    }

    /// The same where no other task is going to be asked for: words that it does not hold and vectors that were compared
    /// with it are not kept, unless the settings compare passages with each other.
    #[must_use]
    pub fn for_task(document: Arc<Conversion>, settings: &Settings, task: &str, watch: &Watch) -> Chooser {
        Chooser::made(document, settings, task, true, watch)
    }

    fn made(document: Arc<Conversion>, settings: &Settings, task: &str, one_task: bool, watch: &Watch) -> Chooser {
        let division = Arc::new(Division::of(&document, settings));
        let mut chooser = Chooser {
            document,
            settings: settings.clone(),
            division,
            lexical: Arc::default(),
            task: task.to_owned(),
            task_vector: None,
            scores: Scores::default(),
            graph: None,
            one_task,
        };
        chooser.forget_vectors();
        chooser.read_words(watch);
        chooser.ask(task);
        chooser
    }

    /// Reads the words of the pieces.
    fn read_words(&mut self, watch: &Watch) {
        let (document, division) = (&self.document, &self.division);
        self.lexical = Arc::new(match self.keeps() {
            true => Lexical::of(document, division, watch),
            false => Lexical::of_task(&self.task, document, division, watch),
        });
    }

    /// Whether words and vectors are wanted for more than how near each piece is to the task.
    fn keeps(&self) -> bool {
        !self.one_task || self.settings.diversity > 0.0 || self.settings.index == Index::Hnsw
    }

    /// The document.
    #[must_use]
    pub fn document(&self) -> &Arc<Conversion> {
        &self.document
    }

    /// How it is divided.
    #[must_use]
    pub fn division(&self) -> &Arc<Division> {
        &self.division
    }

    /// The settings in force.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The task.
    #[must_use]
    pub fn task(&self) -> &str {
        &self.task
    }

    /// Whether there is no task, so that passages are taken as they stand.
    #[must_use]
    pub fn is_unasked(&self) -> bool {
        self.scores.unasked
    }

    /// What is known of each piece.
    #[must_use]
    pub fn scores(&self) -> &Scores {
        &self.scores
    }

    /// Asks for another task: by words at once; what vectors there are stay, and their cosines are forgotten.
    pub fn ask(&mut self, task: &str) {
        let is_other = self.task != task;
        task.clone_into(&mut self.task);
        if is_other && !self.keeps() {
            self.read_words(&Watch::default());
        }
        self.scores.unasked = task.trim().is_empty();
        self.task_vector = None;
        self.scores.lexical = self.lexical.scores(task);
        self.scores.cosines.fill(None);
        self.scores.found = None;
    }

    /// Takes other settings. Only what they change is worked out again.
    pub fn change(&mut self, settings: &Settings, watch: &Watch) {
        let divides = |settings: &Settings| Settings {
            budget: 0,
            top: 0,
            budget_order: super::BudgetOrder::Rank,
            ranking: super::Ranking::Embed,
            diversity: 0.0,
            index: Index::Exact,
            hnsw_m: 0,
            hnsw_ef: 0,
            fallback_head: 0.0,
            ..settings.clone()
        };
        let again = divides(&self.settings) != divides(settings);
        let kept = self.keeps();
        self.settings = settings.clone();
        let mut other = self.keeps() && !kept;
        if again {
            let division = Division::of(&self.document, settings);
            other |= division.pieces != self.division.pieces;
            self.division = Arc::new(division);
        }
        if other {
            self.read_words(watch);
            self.forget_vectors();
            self.scores.lexical = self.lexical.scores(&self.task);
        }
        self.search(watch);
    }

    /// Whether vectors are wanted that are not there yet.
    #[must_use]
    pub fn wants_vectors(&self) -> bool {
        self.embeds() && self.scores.cosines.iter().any(Option::is_none)
    }

    /// Vectors there are, and vectors wanted.
    #[must_use]
    pub fn progress(&self) -> (usize, usize) {
        (self.scores.cosines.iter().flatten().count(), if self.embeds() { self.scores.cosines.len() } else { 0 })
    }

    fn embeds(&self) -> bool {
        !self.scores.unasked && self.settings.ranking.embeds() && self.division.strategy == Strategy::Windows
    }

    /// What is chosen by what is known now.
    #[must_use]
    pub fn selection(&self) -> Selection {
        let alike = |one, other| self.lexical.alike(one, other);
        choose(&self.document, &self.division, &self.scores, &self.settings, &alike)
    }

    /// Brings in the vectors that are missing, kept ones first, then the most promising pieces, and calls `tell` now
    /// and then with the better state. Does nothing where none are wanted.
    ///
    /// # Errors
    /// Where the model fails; what was there stays.
    pub fn refine(
        &mut self,
        embedder: &dyn Embedder,
        store: Option<&dyn Store>,
        watch: &Watch,
        tell: &mut dyn FnMut(&Chooser),
    ) -> Result<(), EmbedError> {
        if !self.wants_vectors() {
            return Ok(());
        }
        let (document, division) = (self.document.clone(), self.division.clone());
        self.embed_task(embedder, store, watch)?;
        if watch.is_cancelled() {
            return Ok(());
        }
        for at in 0..division.pieces.len() {
            self.compare(at);
        }
        let missing: Vec<usize> = (0..division.pieces.len()).filter(|at| !self.is_compared(*at)).collect();
        let mut wanted: Vec<(usize, [u8; 32])> = Vec::new();
        for some in missing.chunks(LOOKED_UP) {
            let keys: Vec<[u8; 32]> =
                some.iter().map(|at| vector_key(embedder.model(), division.text(&document, *at))).collect();
            let kept = store.map_or_else(Vec::new, |store| store.get(&keys, embedder.model().dimensions));
            let kept = kept.into_iter().chain(std::iter::repeat(None));
            for ((at, key), vector) in some.iter().zip(keys).zip(kept) {
                match vector {
                    Some(vector) => self.take(*at, vector),
                    None => wanted.push((*at, key)),
                }
            }
        }
        let promise = |at: usize| self.scores.lexical.get(at).copied().unwrap_or(0.0);
        wanted.sort_by(|one, other| promise(other.0).total_cmp(&promise(one.0)));
        let texts: Vec<&str> = wanted.iter().map(|(at, _)| division.text(&document, *at)).collect();
        if !texts.is_empty() {
            tell(self);
        }
        let (mut fresh, mut come) = (Vec::new(), 0usize);
        watch.expect(texts.len() as u64);
        let done = embedder.embed(&texts, watch, &mut |number, vector| {
            watch.advance(1);
            let Some((at, key)) = wanted.get(number) else { return };
            self.take(*at, vector.clone());
            fresh.push((*key, vector));
            come += 1;
            if come.is_multiple_of(PORTION) {
                tell(self);
            }
            // What was worked for is not lost where the program is ended.
            if let Some(store) = store.filter(|_| fresh.len() >= HANDED) {
                store.put(&fresh);
                fresh.clear();
            }
        });
        if let Some(store) = store {
            store.put(&fresh);
        }
        self.search(watch);
        done
    }

    /// Gets the vector of the task.
    fn embed_task(
        &mut self,
        embedder: &dyn Embedder,
        store: Option<&dyn Store>,
        watch: &Watch,
    ) -> Result<(), EmbedError> {
        if self.task_vector.is_some() {
            return Ok(());
        }
        let key = vector_key(embedder.model(), &self.task);
        let kept = store.and_then(|store| store.get(&[key], embedder.model().dimensions).pop().flatten());
        if kept.is_some() {
            self.task_vector = kept;
            return Ok(());
        }
        embedder.embed(&[self.task.as_str()], watch, &mut |_, vector| self.task_vector = Some(vector))?;
        if let (Some(store), Some(vector)) = (store, &self.task_vector) {
            store.put(&[(key, vector.clone())]);
        }
        Ok(())
    }

    fn is_compared(&self, at: usize) -> bool {
        self.scores.cosines.get(at).is_some_and(Option::is_some)
    }

    /// Takes in a piece's vector: its cosine is set, and it is kept where it may be wanted again.
    fn take(&mut self, at: usize, vector: Arc<[f32]>) {
        let cosine = self.task_vector.as_ref().map(|task| dot(&vector, task));
        if let Some(place) = self.scores.cosines.get_mut(at) {
            *place = cosine;
        }
        if self.keeps()
            && let Some(place) = self.scores.vectors.get_mut(at)
        {
            *place = Some(vector);
        }
    }

    /// Sets a piece's cosine, where its vector is there.
    fn compare(&mut self, at: usize) {
        let Some(task) = &self.task_vector else { return };
        let Some(vector) = self.scores.vectors.get(at).and_then(Option::as_ref) else { return };
        let cosine = dot(vector, task);
        if let Some(place) = self.scores.cosines.get_mut(at) {
            *place = Some(cosine);
        }
    }

    /// Searches the graph, where that is wished and all vectors are there.
    fn search(&mut self, watch: &Watch) {
        self.scores.found = None;
        if self.settings.index != Index::Hnsw || !self.embeds() || self.wants_vectors() {
            return;
        }
        let shape = (self.settings.hnsw_m, self.settings.hnsw_ef);
        if self.graph.as_ref().is_none_or(|(built, _)| *built != shape) {
            let vectors: Vec<Arc<[f32]>> = self.scores.vectors.iter().flatten().cloned().collect();
            self.graph = Graph::build(&vectors, shape.0, shape.1, watch).map(|graph| (shape, Arc::new(graph)));
        }
        if let (Some((_, graph)), Some(task)) = (&self.graph, &self.task_vector) {
            self.scores.found = Some(graph.nearest(task, self.settings.top));
        }
    }

    fn forget_vectors(&mut self) {
        let number = self.division.pieces.len();
        self.scores.vectors = vec![None; if self.keeps() { number } else { 0 }];
        self.scores.cosines = vec![None; number];
        self.scores.found = None;
        self.graph = None;
    }
}
