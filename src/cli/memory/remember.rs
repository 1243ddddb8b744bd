//! From a session to its memories: read once for a policy, and those of earlier sessions where that is wanted.

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use crate::chunk::{EmbedError, Embedder, Store as _, vector_key};
use crate::config::Settings;
use crate::content::Watch;
use crate::engine::{Embedding, Plan, Recall, Remembered, embed_words, preserves};
use crate::io::{KeptMemory, MemoryFile, MemoryFileError, ModelPlaces, VectorCache, memory_path};
use crate::memory::{How, Memory, Owners, Space, State, Store, Vector, ask_rewriting, read_rewriting};
use crate::model::Transcript;
use crate::policy::{Choice, Enrich, Policy, Scope};
use crate::present::count;

use crate::cli::asking::{Question, Unanswered};
use crate::cli::load::Session;

/// Passages by what stands around them and their own words.
type Rewritten = HashMap<(String, String), String>;

/// Tokens of a passage that is put in its context.
const REWRITTEN: u64 = 2_000;

/// Whose memories a session's are: the user and the session that the settings name, else the transcript's own session.
fn owners(transcript: &Transcript, settings: &Settings) -> Owners {
    let session = &transcript.session;
    let path = transcript.sources.first().map_or("", |source| source.name.as_str());
    let agent = session.agent.as_deref().and_then(|agent| agent.split(' ').next()).unwrap_or(transcript.format);
    let name = settings.session.as_deref().or(session.id.as_deref()).unwrap_or(path);
    Owners { session: Arc::from(name), user: Arc::from(settings.user.as_str()), agent: Arc::from(agent) }
}

/// The file of memories.
pub fn place() -> anyhow::Result<PathBuf> {
    Ok(memory_path().ok_or(MemoryFileError::Nowhere)?)
}

/// What makes vectors: an embedding model, or words.
pub struct Vectors {
    /// What they are compared in.
    pub space: Space,
    embedder: Option<Arc<dyn Embedder>>,
    /// Those of earlier runs, if the user's settings let them.
    kept: Option<Arc<VectorCache>>,
    failed: Mutex<Option<EmbedError>>,
}

impl Vectors {
    /// The vectors of texts. Where the model fails they are empty, and [`Vectors::check`] says so.
    pub fn of(&self, texts: &[&str], watch: &Watch) -> Vec<Vector> {
        let Some(embedder) = &self.embedder else { return embed_words(texts) };
        let model = embedder.model();
        let keys: Vec<[u8; 32]> = texts.iter().map(|text| vector_key(model, text)).collect();
        let kept = self.kept.as_ref().map(|kept| kept.get(&keys, model.dimensions));
        let kept = kept.unwrap_or_else(|| vec![None; texts.len()]);
        let wanted: Vec<usize> = (0..texts.len()).filter(|at| kept.get(*at).is_none_or(Option::is_none)).collect();
        let missing: Vec<&str> = wanted.iter().filter_map(|at| texts.get(*at).copied()).collect();
        let mut vectors: Vec<Vector> = kept.into_iter().map(|vector| vector.unwrap_or_else(|| Arc::from([]))).collect();
        let mut fresh = Vec::new();
        let embedded = embedder.embed(&missing, watch, &mut |number, vector| {
            let Some((at, key)) = wanted.get(number).and_then(|at| Some((*at, *keys.get(*at)?))) else { return };
            fresh.push((key, vector.clone()));
            if let Some(place) = vectors.get_mut(at) {
                *place = vector;
            }
        });
        if let Some(kept) = self.kept.as_ref().filter(|_| !fresh.is_empty()) {
            kept.put(&fresh);
        }
        if let Err(error) = embedded {
            *self.failed.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
        }
        vectors
    }

    /// Whether all went well.
    pub fn check(&self) -> anyhow::Result<()> {
        match self.failed.lock().unwrap_or_else(PoisonError::into_inner).take() {
            Some(error) => Err(error.into()),
            None => Ok(()),
        }
    }
}

/// Memories out of the file that these owners see, those of other sessions left out.
pub fn seed(owners: &Owners, vectors: &Vectors, watch: &Watch) -> anyhow::Result<Store> {
    let mut store = Store::new(vectors.space.clone());
    let kept = MemoryFile::open(&place()?)?.all()?.into_iter().filter_map(memory_of);
    let kept: Vec<(Memory, State)> = kept.filter(|(memory, _)| owners.see(memory)).collect();
    let texts: Vec<&str> = kept.iter().map(|(memory, _)| &*memory.text).collect();
    let embedded = vectors.of(&texts, watch);
    vectors.check()?;
    for ((memory, state), vector) in kept.into_iter().zip(embedded) {
        let id = store.push(memory, &vector);
        store.set_state(id, state);
    }
    store.settle();
    Ok(store)
}

/// A kept memory as a replay has it; `None` where its scope is none.
fn memory_of(kept: KeptMemory) -> Option<(Memory, State)> {
    let at = Scope::NAMES.iter().position(|name| *name == kept.scope)?;
    let how = How::NAMES.iter().find(|(_, name)| *name == kept.how).map_or(How::Written, |(how, _)| *how);
    let memory = Memory {
        scope: *Scope::ALL.get(at)?,
        owner: Arc::from(kept.owner),
        source_type: Arc::from(kept.source_type),
        text: Arc::from(kept.text),
        around: None,
        origins: Vec::new(),
        born: 0,
        how,
    };
    Some((memory, State { uses: kept.uses, promoted: kept.promoted, ..State::default() }))
}

/// A replay's live memories as they are kept.
pub fn kept(transcript: &Transcript, remembered: &Remembered) -> Vec<KeptMemory> {
    let row = |memory: &Memory, state: State| {
        let block = memory.origins.first().and_then(|origin| transcript.block(origin.block));
        let span = block.and_then(|block| block.body.spans().next());
        let source = span.and_then(|span| transcript.sources.get(span.source.0 as usize));
        KeptMemory {
            scope: memory.scope.name().to_owned(),
            owner: memory.owner.to_string(),
            source_type: memory.source_type.to_string(),
            text: memory.text.to_string(),
            how: memory.how.name().to_owned(),
            uses: state.uses,
            promoted: state.promoted,
            source: source.map_or_else(String::new, |source| source.name.clone()),
            bytes: span.map(|span| [span.start, span.end]),
        }
    };
    remembered.store.live().map(|(_, memory, state)| row(memory, state)).collect()
}

impl Session {
    /// Whose its memories and files are.
    pub fn owners(&self) -> Owners {
        owners(&self.transcript, &self.preferences.settings)
    }

    /// What makes vectors under a policy.
    pub fn vectors(&self, policy: &Policy) -> anyhow::Result<Vectors> {
        let (name, settings) = (&policy.memory.model, &self.preferences.settings);
        if name.is_empty() {
            return Ok(Vectors { space: Space::words(), embedder: None, kept: None, failed: Mutex::default() });
        }
        let (library, models) = (settings.embedding_onnxruntime.as_deref(), settings.embedding_models.as_deref());
        let embedder = ModelPlaces::of(library, models).load(name)?;
        let model = embedder.model();
        let space = Space { name: Arc::from(model.name.as_str()), length: model.dimensions };
        Ok(Vectors { space, embedder: Some(embedder), kept: self.kept_vectors(), failed: Mutex::default() })
    }

    /// What the session's texts become as memories under a policy; `None` where it has none.
    pub fn recall(
        &self,
        plan: &Plan,
        policy: &Policy,
        seed: Option<Store>,
        watch: &Watch,
    ) -> anyhow::Result<Option<Arc<Recall>>> {
        if !policy.memory.on && !preserves(policy) {
            return Ok(None);
        }
        let vectors = self.vectors(policy)?;
        let embed = |texts: &[&str]| vectors.of(texts, watch);
        let texts = (&*self.transcript, &self.sources);
        let rewritten = self.rewritten(plan, policy, watch)?;
        let rewrite = |around: &str, text: &str| rewritten.get(&(around.to_owned(), text.to_owned())).cloned();
        let embedding = Embedding { space: &vectors.space, embed: &embed, rewrite: &rewrite };
        let seed = match seed {
            Some(seed) => seed,
            None if self.preferences.settings.kept_memories && place()?.exists() => {
                self::seed(&self.owners(), &vectors, watch)?
            }
            None => Store::new(vectors.space.clone()),
        };
        let read = Recall::read(plan, texts, &policy.memory, self.owners(), seed, embedding, watch);
        vectors.check()?;
        let read = read.filter(|_| !watch.is_cancelled());
        Ok(Some(Arc::new(read.ok_or_else(|| anyhow::anyhow!("stopped before it was ready"))?)))
    }

    /// Passages as a model puts them in their context, where the policy wants that and the user agrees.
    fn rewritten(&self, plan: &Plan, policy: &Policy, watch: &Watch) -> anyhow::Result<Rewritten> {
        let mut done = Rewritten::new();
        if policy.memory.enrich != Enrich::Rewrite {
            return Ok(done);
        }
        // A first pass without vectors tells what there is to rewrite.
        let wanted = RefCell::new(Vec::new());
        let note = |around: &str, text: &str| {
            wanted.borrow_mut().push((around.to_owned(), text.to_owned()));
            None
        };
        let space = Space::words();
        let nothing = |texts: &[&str]| vec![Vector::from([]); texts.len()];
        let embedding = Embedding { space: &space, embed: &nothing, rewrite: &note };
        let (texts, seed) = ((&*self.transcript, &self.sources), Store::new(space.clone()));
        let read = Recall::read(plan, texts, &policy.memory, self.owners(), seed, embedding, watch);
        read.ok_or_else(|| anyhow::anyhow!("stopped before it was ready"))?;
        let wanted = wanted.into_inner();
        for (at, (around, text)) in wanted.iter().enumerate() {
            let what = format!("passage {} of {} in its context", at + 1, wanted.len());
            let prompt = ask_rewriting(around, text);
            let question = Question { what: &what, prompt: &prompt, most: REWRITTEN };
            let answer =
                self.asking.answer(&question, &self.models, watch, |answer| read_rewriting(answer, text, around));
            match answer {
                Ok((answer, _)) => _ = done.insert((around.clone(), text.clone()), answer),
                Err(Unanswered::This(_)) => {}
                Err(Unanswered::Nothing(_)) => break,
            }
            anyhow::ensure!(!watch.is_cancelled(), "stopped before it was ready");
        }
        // The same passage may stand at several places.
        let left = wanted.iter().filter(|passage| !done.contains_key(*passage)).count();
        if left > 0 {
            let (left, all) = (count(left as u64), count(wanted.len() as u64));
            self.asking.say(&format!(
                "note: {left} of {all} passages are not rewritten: what stands around them is put before them"
            ));
        }
        Ok(done)
    }
}
