//! Which records belong to which thread, and which call started which subagent.

use std::collections::{HashMap, HashSet};

use crate::model::{BlockId, CallKey, ThreadKind};

use super::record::{Key, Parent, Parsed, What};
use super::store::{Store, index};
use super::weave::Woven;

/// The lines of one thread.
#[derive(Default)]
pub(super) struct Lines {
    /// Indices of its lines.
    pub lines: Vec<u32>,
    /// The subagent that wrote them.
    pub agent: Option<Key>,
    /// The call that they name as having started them.
    pub caller: Option<CallKey>,
}

/// The main thread's lines, and those of each subagent whose records stand between them.
pub(super) fn split(all: &[Parsed]) -> (Lines, Vec<Lines>) {
    let speaks = |parsed: &Parsed| matches!(parsed.what, What::Said(_) | What::Answered(_));
    // A subagent's own file, opened by itself, holds nothing else.
    let alone = !all.iter().any(|parsed| speaks(parsed) && !parsed.sidechain && parsed.caller.is_none());
    let mut main = Lines::default();
    let mut others: Vec<Lines> = Vec::new();
    let mut by_name: HashMap<Key, usize> = HashMap::new();
    let mut by_record: HashMap<Key, usize> = HashMap::new();
    for (line, parsed) in (0u32..).zip(all) {
        if alone || !(parsed.sidechain || parsed.caller.is_some()) {
            main.lines.push(line);
            continue;
        }
        let name = parsed.caller.map(|call| Key(call.0)).or(parsed.agent);
        let known = match (name, parsed.parent) {
            (Some(name), _) => by_name.get(&name).copied(),
            (None, Parent::Of(parent)) => by_record.get(&parent).copied(),
            // Without any parent it begins a thread, unless the format knows none.
            (None, Parent::None) => None,
            (None, Parent::Unsaid) => others.len().checked_sub(1),
        };
        let at = known.unwrap_or_else(|| {
            others.push(Lines { lines: Vec::new(), agent: parsed.agent, caller: parsed.caller });
            others.len() - 1
        });
        if let Some(name) = name {
            by_name.insert(name, at);
        }
        if let Some(uuid) = parsed.uuid {
            by_record.insert(uuid, at);
        }
        if let Some(thread) = others.get_mut(at) {
            thread.lines.push(line);
        }
    }
    (main, others.into_iter().filter(|thread| thread.lines.iter().any(|line| speaks_at(all, *line))).collect())
}

fn speaks_at(all: &[Parsed], line: u32) -> bool {
    all.get(line as usize).is_some_and(|parsed| matches!(parsed.what, What::Said(_) | What::Answered(_)))
}

/// A subagent's thread, before it is known what started it.
pub(super) struct Sub {
    /// The thread.
    pub woven: Woven,
    /// The subagent.
    pub agent: Option<Key>,
    /// The call that its records name.
    pub caller: Option<CallKey>,
    /// Its name where nothing better is known.
    pub name: String,
}

/// Finds the calls that started subagents: named by the records, told by results and progress, or else by their
/// prompt being the subagent's first message.
pub(super) fn tie(store: &Store, subs: &mut [Sub]) {
    let mut by_prompt: HashMap<Key, Vec<usize>> = HashMap::new();
    let mut by_call: HashMap<CallKey, usize> = HashMap::new();
    for (at, start) in store.starts.iter().enumerate() {
        by_call.insert(start.call, at);
        if let Some(prompt) = start.prompt {
            by_prompt.entry(prompt).or_default().push(at);
        }
    }
    let mut taken: HashSet<CallKey> = HashSet::new();
    let told = |sub: &Sub| sub.caller.or_else(|| store.callers.get(&sub.agent?).copied());
    taken.extend(subs.iter().filter_map(told));
    for sub in subs.iter_mut() {
        let free = |at: &&usize| store.starts.get(**at).is_some_and(|start| !taken.contains(&start.call));
        let alike = || by_prompt.get(&sub.woven.prompt?)?.iter().find(free).copied();
        let call = told(sub).or_else(|| Some(store.starts.get(alike()?)?.call));
        taken.extend(call);
        let title = call.and_then(|call| store.starts.get(*by_call.get(&call)?)?.title.as_deref());
        sub.woven.thread.title = super::weave::title(title, &sub.name);
        let block: Option<BlockId> = call.and_then(|call| store.calls.get(&call).copied());
        sub.woven.thread.kind = ThreadKind::Subagent(block);
    }
}

/// Takes copies out that a resumed session holds of its own records, and counts what carries nothing.
pub(super) fn once(all: &mut [Parsed], store: &mut Store) -> HashSet<Key> {
    let mut seen: HashSet<(Key, u64)> = HashSet::with_capacity(all.len());
    let mut uuids: HashSet<Key> = HashSet::with_capacity(all.len());
    for parsed in all.iter_mut() {
        if let Some(fault) = parsed.fault.take() {
            store.builder.warn(parsed.record.source, parsed.record.line, fault);
        }
        if let Some(uuid) = parsed.uuid {
            let fresh = seen.insert((uuid, parsed.content));
            let carries =
                matches!(parsed.what, What::Said(_) | What::Answered(_) | What::Compacted(_) | What::Cleared(_));
            if !fresh && carries {
                parsed.what = What::Nothing("copy".into());
            }
            uuids.insert(uuid);
        }
        match &parsed.what {
            What::Nothing(kind) => store.builder.skip(kind),
            What::Progress { agent, call } => {
                store.callers.entry(*agent).or_insert(*call);
                store.builder.skip("progress");
            }
            What::Titled { .. } => store.builder.skip("title"),
            What::Leaf(_) => store.builder.skip("last-prompt"),
            What::Streamed { .. } => store.builder.skip("stream_event"),
            _ => {}
        }
    }
    uuids
}

/// The lines of a side file as one thread.
pub(super) fn whole(all: &[Parsed]) -> Lines {
    Lines { lines: (0..index(all.len())).collect(), agent: all.iter().find_map(|parsed| parsed.agent), caller: None }
}
