//! From a session to its memories: read once for a policy, and those of earlier sessions where that is wanted.

use std::path::PathBuf;
use std::sync::Arc;

use crate::content::Watch;
use crate::engine::{Embedding, Plan, Recall, Remembered, embed_words, preserves};
use crate::io::{KeptMemory, MemoryFile, MemoryFileError, memory_path};
use crate::memory::{How, Memory, Owners, Space, State, Store, by_words};
use crate::model::Transcript;
use crate::policy::{Choice, Policy, Scope};

use super::load::Session;

/// Whose memories a session's are. The data folder belongs to one user.
pub fn owners(transcript: &Transcript) -> Owners {
    let session = &transcript.session;
    let path = transcript.sources.first().map_or("", |source| source.name.as_str());
    let agent = session.agent.as_deref().and_then(|agent| agent.split(' ').next()).unwrap_or(transcript.format);
    Owners { session: Arc::from(session.id.as_deref().unwrap_or(path)), user: Arc::from("me"), agent: Arc::from(agent) }
}

/// The file of memories.
pub fn place() -> anyhow::Result<PathBuf> {
    Ok(memory_path().ok_or(MemoryFileError::Nowhere)?)
}

/// Memories out of the file that these owners see, those of other sessions left out.
pub fn seed(owners: &Owners) -> anyhow::Result<Store> {
    let mut store = Store::new(Space::words());
    for kept in MemoryFile::open(&place()?)?.all()? {
        let Some((memory, state)) = memory_of(kept).filter(|(memory, _)| owners.see(memory)) else { continue };
        let vector = by_words(&memory.text);
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
        let space = Space::words();
        let embedding = Embedding { space: &space, embed: &embed_words };
        let seed = seed.unwrap_or_else(|| Store::new(space.clone()));
        let texts = (&*self.transcript, &self.sources);
        let read = Recall::read(plan, texts, &policy.memory, owners(&self.transcript), seed, embedding, watch);
        Ok(Some(Arc::new(read.ok_or_else(|| anyhow::anyhow!("stopped before it was ready"))?)))
    }
}
