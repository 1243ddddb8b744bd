//! From a session to its memories: read once for a policy, and those of earlier sessions where that is wanted.

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use sha2::{Digest, Sha256};

use crate::chunk::{EmbedError, Embedder, Store as _, hex_of, vector_key};
use crate::config::Settings;
use crate::content::Watch;
use crate::engine::{Embedding, Plan, Prepared, Recall, embed_words, preserves};
use crate::io::{MemoryFileError, ModelPlaces, VectorCache, memory_path, session_of};
use crate::memory::{Owners, Space, Store, Vector, ask_rewriting, nameless, read_rewriting};
use crate::model::{Block, Body, Role, SourceId, ThreadId, Transcript};
use crate::policy::{Enrich, Policy};
use crate::present::{count, counted};

use crate::cli::load::Session;
use crate::cli::model_calls::{Question, Unanswered};

/// Passages by what stands around them and their own words.
type Rewritten = HashMap<(String, String), String>;

/// Tokens of a passage that is put in its context.
const REWRITTEN: u64 = 2_000;

/// Whose memories a session's are. A session is one of its user: two users may name theirs alike. An agent that nothing
/// names is that of this session alone.
fn owners(transcript: &Transcript, settings: &Settings) -> Owners {
    let session = session_of(&settings.user, &session_name(transcript, settings));
    let recorded = transcript.session.agent.as_deref().map(without_version).filter(|name| !name.is_empty());
    let agent = settings.agent.clone().or(recorded).unwrap_or_else(|| nameless(&session));
    Owners { session: Arc::from(session), user: Arc::from(settings.user.as_str()), agent: Arc::from(agent) }
}

/// A session's name: the one of the settings, else the transcript's own.
fn session_name(transcript: &Transcript, settings: &Settings) -> String {
    settings.session.clone().unwrap_or_else(|| identity(transcript))
}

/// An agent's name: what stands before its version.
fn without_version(agent: &str) -> String {
    let name = agent.split_whitespace().take_while(|word| !word.starts_with(|sign: char| sign.is_ascii_digit()));
    name.collect::<Vec<_>>().join(" ")
}

/// What of a session a thread is: each keeps memories of its own, and one that has a file of its own is the same there.
pub fn part_of(transcript: &Transcript, id: ThreadId) -> String {
    let first = transcript.threads.get(id.0 as usize).and_then(|thread| thread.requests.first()?.key.clone());
    match (first, id.0) {
        (Some(first), _) => first.to_string(),
        (None, 0) => String::new(),
        (None, number) => format!("thread {number}"),
    }
}

/// What tells a session apart from every other: its recorded id; where none is recorded, how it begins, up to the first
/// answer, which stays the same while it grows, and the file's place, however that was typed: two sessions that begin
/// alike are two.
pub fn identity(transcript: &Transcript) -> String {
    if let Some(id) = &transcript.session.id {
        return id.clone();
    }
    let path = transcript.sources.first().map_or("", |source| source.name.as_str());
    // Standard input has no place, and what cannot be found has the one that was typed.
    let place =
        std::fs::canonicalize(path).map_or_else(|_| path.to_owned(), |path| path.to_string_lossy().into_owned());
    let mut hash = Sha256::new().chain_update(transcript.format).chain_update([0]).chain_update(place);
    let own = |block: &&Block| block.record.source == SourceId(0);
    for block in transcript.blocks.iter().filter(own) {
        let (kind, role) = (format!("{:?}", block.kind), format!("{:?}", block.role));
        hash.update([kind.as_bytes(), &[0], role.as_bytes(), &[0], block.label.as_bytes(), &[0]].concat());
        if let Body::Text { hash: text, .. } = &block.body {
            hash.update(text.to_le_bytes());
        }
        if block.role == Role::Assistant {
            break;
        }
    }
    format!("begins {}", hex_of(&hash.finalize())[..32].to_owned())
}

/// What there is instead of a passage that the model puts in its context.
const INSTEAD: &str = "what stands around a passage is put before it";

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

impl Session {
    /// Whose its memories and files are.
    pub fn owners(&self) -> Owners {
        owners(&self.transcript, &self.preferences.settings)
    }

    /// This session's name in workspaces.
    pub fn name(&self) -> String {
        session_name(&self.transcript, &self.preferences.settings)
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

    /// A store without memories, for vectors of that space.
    pub fn no_memories(&self, space: &Space) -> Store {
        let shared = self.memory_texts.get_or_init(|| Store::new(space.clone()));
        if shared.space() == space { shared.clone() } else { Store::new(space.clone()) }
    }

    /// Whether a replay with a memory begins with memories of earlier sessions.
    pub fn has_kept(&self) -> anyhow::Result<bool> {
        Ok(self.preferences.settings.kept_memories && place()?.exists())
    }

    /// What the session's texts, and the attached files as they are prepared, become as memories under a policy; `None`
    /// where it has none.
    pub fn recall(
        &self,
        (plan, prepared): (&Arc<Plan>, &[Prepared]),
        policy: &Policy,
        seed: Option<Store>,
        watch: &Watch,
    ) -> anyhow::Result<Option<Arc<Recall>>> {
        if !policy.memory.on && !preserves(policy) {
            return Ok(None);
        }
        // What others said or kept may have changed since.
        let is_own = seed.is_none() && policy.memory.enrich != Enrich::Rewrite && !self.has_kept()?;
        if let Some(known) = self.recalls.known(plan, prepared, policy).filter(|_| is_own) {
            return Ok(Some(known));
        }
        let of = (&**plan, prepared);
        let vectors = self.vectors(policy)?;
        let embed = |texts: &[&str]| vectors.of(texts, watch);
        let texts = (&*self.transcript, &self.sources);
        let rewritten = self.rewritten(of, policy, watch)?;
        let rewrite = |around: &str, text: &str| rewritten.get(&(around.to_owned(), text.to_owned())).cloned();
        let before = self.recalls.like(plan, policy).filter(|_| is_own);
        let (space, before) = (&vectors.space, before.as_deref());
        let embedding = Embedding { space, embed: &embed, rewrite: &rewrite, before };
        let seed = match seed {
            Some(seed) => seed,
            None if self.has_kept()? => self.seed(&vectors, watch)?,
            None => self.no_memories(&vectors.space),
        };
        let read = Recall::read(of, texts, &policy.memory, self.owners(), seed, embedding, watch);
        vectors.check()?;
        let read = read.filter(|_| !watch.is_cancelled());
        let read = Arc::new(read.ok_or_else(|| anyhow::anyhow!("stopped before it was ready"))?);
        if is_own {
            self.recalls.keep(plan, prepared, policy, &read);
        }
        Ok(Some(read))
    }

    /// Passages as a model puts them in their context, where the policy wants that and the user agrees.
    fn rewritten(&self, of: (&Plan, &[Prepared]), policy: &Policy, watch: &Watch) -> anyhow::Result<Rewritten> {
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
        let embedding = Embedding { space: &space, embed: &nothing, rewrite: &note, before: None };
        let (texts, seed) = ((&*self.transcript, &self.sources), Store::new(space.clone()));
        let read = Recall::read(of, texts, &policy.memory, self.owners(), seed, embedding, watch);
        read.ok_or_else(|| anyhow::anyhow!("stopped before it was ready"))?;
        let wanted = wanted.into_inner();
        let (mut asks, mut first) = (true, None);
        for (at, (around, text)) in wanted.iter().enumerate() {
            let what = format!("passage {} of {} in its context", at + 1, wanted.len());
            let prompt = ask_rewriting(around, text);
            // A passage is short: nothing limits it.
            let question =
                Question { what: &what, prompt: &prompt, instead: INSTEAD, most: REWRITTEN, input_max: u64::MAX };
            let read = |answer: &str| read_rewriting(answer, text, around);
            let answer = match asks {
                true => self.model_calls.answer(&question, &self.models, watch, read).map(|(answer, _)| answer),
                false => self.model_calls.known(&question, &self.models, read).ok_or(Unanswered::This(String::new())),
            };
            match answer {
                Ok(answer) => _ = done.insert((around.clone(), text.clone()), answer),
                Err(Unanswered::This(why)) => first = first.or(Some(why).filter(|why| !why.is_empty())),
                // Those after it may be kept from earlier runs.
                Err(Unanswered::Nothing(_) | Unanswered::Last(_)) => asks = false,
            }
            anyhow::ensure!(!watch.is_cancelled(), "stopped before it was ready");
        }
        // The same passage may stand at several places.
        let left = wanted.iter().filter(|passage| !done.contains_key(*passage)).count();
        if left > 0 {
            let left = count(left as u64);
            let all = counted(wanted.len() as u64, "passage is", "passages are");
            let first = first.map(|why| format!("; the first: {why}")).unwrap_or_default();
            self.model_calls.say(&format!(
                "note: {left} of {all} not rewritten: what stands around them is put before them{first}"
            ));
        }
        Ok(done)
    }
}
