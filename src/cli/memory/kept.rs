//! Between a replay's memories and those that are kept on disk.

use std::collections::{BTreeSet, HashMap};
use std::path::Path;
use std::sync::Arc;

use crate::content::{Sources, Watch};
use crate::engine::{Recall, Remembered};
use crate::io::{KeptEdge, KeptMemory, MemoryFile, Read};
use crate::memory::{Earlier, Edge, EdgeKind, How, Memory, MemoryId, Origin, Skip, State, Store};
use crate::model::{Coding, Layer, Span, Transcript};
use crate::policy::{Choice, Scope};
use crate::present::counted;

use crate::cli::load::Session;

use super::remember::{Vectors, identity, place};

/// What is read, and a word about what cannot be.
pub fn readable(read: Read, say: &mut dyn FnMut(&str)) -> Vec<KeptMemory> {
    if !read.damaged.is_empty() {
        say(&left_out(&read.damaged));
    }
    read.memories
}

/// What is said of rows that are damaged.
fn left_out(damaged: &[String]) -> String {
    /// Rows that are named.
    const NAMED: usize = 5;
    let rows = counted(damaged.len() as u64, "row of memories.db is", "rows of memories.db are");
    let named = damaged.iter().take(NAMED).map(String::as_str).collect::<Vec<_>>().join(", ");
    let more = if damaged.len() > NAMED { ", \u{2026}" } else { "" };
    format!("warning: {rows} damaged and left out: {named}{more}")
}

/// A file of memories as it was opened, and a word about what was mended by that.
pub fn opened(file: MemoryFile, say: &mut dyn FnMut(&str)) -> MemoryFile {
    let repaired = file.repaired();
    let copy = repaired
        .copy
        .as_deref()
        .and_then(Path::file_name)
        .map_or_else(String::new, |name| format!("; the file as it was is kept as {}", name.display()));
    if let Some(saved) = &repaired.saved {
        let memories = counted(saved.memories as u64, "memory of it can", "memories of it can");
        let goes = if saved.memories == 1 { "goes" } else { "go" };
        let why = &saved.why;
        say(&format!("warning: memories.db is damaged ({why}){copy}; {memories} be read and {goes} on in a new one"));
    }
    if repaired.was_empty {
        say("warning: memories.db had nothing in it: a new one is begun");
    }
    if !repaired.damaged.is_empty() {
        say(&format!("{}{copy}", left_out(&repaired.damaged)));
    }
    if repaired.removed > 0 {
        let rows = counted(repaired.removed as u64, "row of memories.db", "rows of memories.db");
        say(&format!("warning: {rows} referred to a memory which is not there: removed{copy}"));
    }
    if repaired.unsaid > 0 {
        let unsaid = counted(repaired.unsaid as u64, "memory of memories.db", "memories of memories.db");
        let kept = if repaired.unsaid == 1 { "it is" } else { "they are" };
        say(&format!("warning: no row tells who said {unsaid}: {kept} kept as if written by hand{copy}"));
    }
    file
}

impl Session {
    /// Memories out of the file that this session's owners see, as they were before it: what it said itself would tell
    /// it its future.
    pub fn seed(&self, vectors: &Vectors, watch: &Watch) -> anyhow::Result<Store> {
        let owners = self.owners();
        let mut store = self.no_memories(&vectors.space);
        let mut say = |line: &str| self.model_calls.say(line);
        let Some(file) = MemoryFile::open_to_read(&place()?)? else { return Ok(store) };
        let file = opened(file, &mut say);
        let kept = readable(file.before(&identity(&self.transcript))?, &mut say);
        let kept: Vec<(KeptMemory, Memory, State)> = kept
            .into_iter()
            .filter_map(|kept| memory_of(&kept).map(|(memory, state)| (kept, memory, state)))
            .filter(|(_, memory, _)| owners.see(memory))
            .collect();
        let texts: Vec<&str> = kept.iter().map(|(_, memory, _)| &*memory.text).collect();
        let embedded = vectors.of(&texts, watch);
        vectors.check()?;
        let (mut ids, mut edges) = (HashMap::new(), Vec::new());
        for ((kept, memory, state), vector) in kept.into_iter().zip(embedded) {
            let name = kept.id();
            let id = store.push(memory, &vector);
            store.set_state(id, state);
            ids.insert(name, id);
            edges.push((id, kept.edges));
        }
        for (from, edges) in edges {
            for edge in edges {
                let kind = EdgeKind::NAMES.iter().find(|(_, name)| *name == edge.kind);
                if let (Some((kind, _)), Some(to)) = (kind, ids.get(&edge.to)) {
                    store.link(Edge { from, to: *to, kind: *kind, score: edge.score });
                }
            }
        }
        store.settle();
        Ok(store)
    }
}

/// A kept memory as a replay has it; `None` where its scope is none.
fn memory_of(kept: &KeptMemory) -> Option<(Memory, State)> {
    let at = Scope::NAMES.iter().position(|name| *name == kept.scope)?;
    let how = How::NAMES.iter().find(|(_, name)| *name == kept.how).map_or(How::Written, |(how, _)| *how);
    // What was written by hand stands in no file.
    let earlier = Earlier { source: Arc::from(kept.source.as_str()), bytes: kept.bytes };
    let memory = Memory {
        scope: *Scope::ALL.get(at)?,
        owner: Arc::from(kept.owner.as_str()),
        source_type: Arc::from(kept.source_type.as_str()),
        text: Arc::from(kept.text.as_str()),
        around: kept.around.as_deref().map(Arc::from),
        rewritten: kept.rewritten,
        origins: Vec::new(),
        earlier: Some(earlier).filter(|earlier| !earlier.source.is_empty()).into_iter().collect(),
        born: 0,
        how,
    };
    Some((memory, State { uses: kept.uses, promoted: kept.promoted, ..State::default() }))
}

/// What a replay said, used, merged and related up to a step, as it is kept.
pub fn kept(
    (transcript, sources): (&Transcript, &Sources),
    recall: &Recall,
    remembered: &Remembered,
    step: u32,
) -> Vec<KeptMemory> {
    let (store, seed) = (&remembered.store, &recall.seed);
    // What was known and is said once more is this session's too: it stays when the other no longer says it.
    let again = recall.report.skipped.iter().filter(|skipped| skipped.born <= step).map(|skipped| {
        let (Skip::SameText(like) | Skip::Similar(like, _)) = skipped.why;
        like
    });
    let said: BTreeSet<MemoryId> = again.chain(remembered.said_again.iter().copied()).collect();
    let known = |id: MemoryId| (id.0 as usize) < seed.len();
    let before: BTreeSet<_> = seed.edges().iter().map(|edge| (edge.from, edge.to, edge.kind)).collect();
    let edges: Vec<&Edge> =
        store.edges().iter().filter(|edge| !before.contains(&(edge.from, edge.to, edge.kind))).collect();
    let names: HashMap<MemoryId, String> = store.all().map(|(id, memory, _)| (id, row(memory).id())).collect();
    let mut related: HashMap<MemoryId, Vec<KeptEdge>> = HashMap::new();
    let mut named: BTreeSet<MemoryId> = store.all().filter_map(|(.., state)| state.into).collect();
    for edge in edges {
        let Some(to) = names.get(&edge.to) else { continue };
        let (to, kind) = (to.clone(), edge.kind.name().to_owned());
        related.entry(edge.from).or_default().push(KeptEdge { to, kind, score: edge.score });
        named.extend([edge.from, edge.to]);
    }
    let kept = |(id, memory, state): (MemoryId, &Memory, State)| {
        let was = if known(id) { seed.state(id) } else { State::default() };
        let span = memory.origins.first().and_then(|origin| stored(transcript, sources, origin));
        let source = span.and_then(|span| transcript.sources.get(span.source.0 as usize));
        // What was made of memories of earlier sessions alone is from there still.
        let earlier = memory.earlier.first().filter(|_| memory.origins.is_empty() && !known(id));
        let file = source.map(|source| source.name.clone()).or(earlier.map(|earlier| earlier.source.to_string()));
        let kept = KeptMemory {
            uses: state.uses.saturating_sub(was.uses),
            promoted: state.promoted && !was.promoted,
            source: file.unwrap_or_default(),
            bytes: span.map(|span| [span.start, span.end]).or(earlier.and_then(|earlier| earlier.bytes)),
            edges: related.get(&id).cloned().unwrap_or_default(),
            known: known(id) && !said.contains(&id),
            heir: state.into.and_then(|heir| names.get(&heir).cloned()),
            ..row(memory)
        };
        let says = !kept.known || kept.uses > 0 || kept.promoted || kept.heir.is_some() || named.contains(&id);
        says.then_some(kept)
    };
    store.all().filter_map(kept).collect()
}

fn row(memory: &Memory) -> KeptMemory {
    KeptMemory {
        scope: memory.scope.name().to_owned(),
        owner: memory.owner.to_string(),
        source_type: memory.source_type.to_string(),
        text: memory.text.to_string(),
        around: memory.around.as_deref().map(str::to_owned),
        rewritten: memory.rewritten,
        how: memory.how.name().to_owned(),
        ..KeptMemory::default()
    }
}

/// Where a memory's own bytes stand in its file.
fn stored(transcript: &Transcript, sources: &Sources, origin: &Origin) -> Option<Span> {
    let block = transcript.block(origin.block)?;
    let body = block.original.as_deref().filter(|_| origin.whole).unwrap_or(&block.body);
    let mut spans = body.spans();
    if let (Some(span), None, Layer::Files) = (spans.next(), spans.next(), block.layer)
        && span.coding == Coding::Plain
        && sources.info(span.source).is_some_and(|source| source.kind.is_attached())
    {
        // A file's converted text is as it reads: not looked through once more for each memory.
        return Some(Span { start: span.start + origin.start, end: span.start + origin.end, ..span });
    }
    // What cannot be read is not pointed at.
    sources.stored(body, origin.start, origin.end).ok().flatten()
}
