//! From what is selected to the text that it came from.

use crate::inquiry::{Deed, Memories};
use crate::memory::{MemoryId, Origin};
use crate::model::{BlockId, Entry, EntryId, Layer, Made, Run};
use crate::present::{count, safe};
use crate::tui::inspect::Inspect;

use super::{MemoryView, Tab, Whence};

/// Bytes of a text that are marked where one goes to it.
const MARKED: usize = 80;
/// Texts that a memory was made from which are tried.
const ORIGINS: usize = 16;

/// Where to go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Goal {
    /// The entry; none where no window of the run holds the text.
    pub entry: Option<EntryId>,
    /// The block that holds the text, by which another track's entry is found.
    pub block: Option<BlockId>,
    /// What to mark in it. Untrusted.
    pub text: String,
}

/// The entry that the memory beside the list came from, as long as neither changes.
pub(super) fn whence(page: &MemoryView, view: &Inspect) -> Option<Whence> {
    let id = page.shown()?;
    let wanted = (id, view.numbering(), view.version(), view.step);
    if let Some(known) = page.whence.filter(|known| known.of == wanted) {
        return Some(known);
    }
    let origins = &page.memories()?.store.get(id)?.origins;
    let entry = origins.first().and_then(|origin| entry_at(view.index.run(), origin, view.step));
    Some(Whence { of: wanted, entry })
}

/// The text that the selected memory, candidate, sentence or fact came from.
#[must_use]
pub fn goal(page: &MemoryView, run: &Run, step: u32) -> Option<Goal> {
    match page.tab {
        Tab::Summary => {
            let from = page.sentence()?.from.as_ref()?;
            Some(of_entry(from.entry, &from.text, run))
        }
        Tab::Facts => page.fact().map(|fact| of_entry(fact.entry, &fact.text, run)),
        _ => {
            let memories = page.memories()?;
            if let (Tab::Events, Some(Deed::Skipped(at, _))) = (page.tab, page.deed()) {
                let skipped = memories.recall.report.skipped.get(*at)?;
                let origin = skipped.origin?;
                let entry = entry_at(run, &origin, step);
                return Some(Goal { entry, block: Some(origin.block), text: marked(&skipped.text) });
            }
            of_memory(memories, page.shown()?, run, step)
        }
    }
}

fn of_memory(memories: &Memories, id: MemoryId, run: &Run, step: u32) -> Option<Goal> {
    let memory = memories.store.get(id)?;
    let goals = memory.origins.iter().map(|origin| {
        let start = origin.at.map_or(0, |at| at as usize);
        let text = marked(memory.text.get(start..).unwrap_or_default());
        Goal { entry: entry_at(run, origin, step), block: Some(origin.block), text }
    });
    let goals: Vec<Goal> = goals.take(ORIGINS).collect();
    goals.iter().find(|goal| goal.entry.is_some()).or(goals.first()).cloned()
}

/// Where the memory that is looked at stood, where that is the file of an earlier session.
#[must_use]
pub fn earlier(page: &MemoryView) -> Option<String> {
    let place = page.memories()?.store.get(page.shown()?)?.earlier.first()?;
    let bytes = place.bytes.map_or_else(String::new, |[from, to]| format!(", bytes {}–{}", count(from), count(to)));
    Some(format!("this is of an earlier session: {}{bytes}", safe(&place.source)))
}

fn of_entry(id: EntryId, text: &str, run: &Run) -> Goal {
    let entry = run.entry(id);
    let seen = entry.is_some_and(was_seen);
    Goal { entry: seen.then_some(id), block: entry.and_then(Entry::block), text: marked(text) }
}

/// Whether some window held it: what comes in and is taken at once stands in none.
fn was_seen(entry: &Entry) -> bool {
    entry.lives.iter().any(|life| life.died.is_none_or(|died| died > life.born))
}

/// The entry that holds what something came from: of a file, the passage in which that stands.
fn entry_at(run: &Run, origin: &Origin, step: u32) -> Option<EntryId> {
    let holds = |entry: &Entry| {
        entry.layer != Layer::Chunks
            || entry
                .content
                .iter()
                .any(|made| matches!(made, Made::Part(_, from, to, _) if *from <= origin.start && origin.end <= *to))
    };
    found_in(run, origin.block, step, holds)
}

/// The entry that holds a block: in the window of the step, else wherever there is one.
#[must_use]
pub fn entry_of(run: &Run, block: BlockId, step: u32) -> Option<EntryId> {
    found_in(run, block, step, |_| true)
}

fn found_in(run: &Run, block: BlockId, step: u32, also: impl Fn(&Entry) -> bool) -> Option<EntryId> {
    // Packed memories and summaries hold parts of many blocks, and are the source of none.
    let made = |entry: &Entry| matches!(entry.layer, Layer::Memory | Layer::Summaries);
    let holds = |entry: &Entry| entry.block() == Some(block) && was_seen(entry) && !made(entry) && also(entry);
    let mut first = None;
    for (id, entry) in (0u32..).zip(&run.entries).filter(|(_, entry)| holds(entry)) {
        if entry.life_at(step).is_some() {
            return Some(EntryId(id));
        }
        first = first.or(Some(EntryId(id)));
    }
    first
}

/// The first line of a text, as far as it can be sought where it stands.
fn marked(text: &str) -> String {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    let part = line.split(char::is_control).max_by_key(|part| part.len()).unwrap_or_default();
    part[..part.floor_char_boundary(MARKED.min(part.len()))].trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Contents, Fate, Life, Role, ThreadId, Track};

    /// A passage of a file behind its tag, as it stands in the window.
    fn passage(from: u64, to: u64) -> Entry {
        let content: Contents = vec![Made::Text("=== tag ===".into()), Made::Part(BlockId(3), from, to, false)].into();
        Entry {
            layer: Layer::Chunks,
            role: Role::User,
            fate: Fate::Truncated,
            content,
            label: "notes.md".into(),
            tokens: 10,
            original_tokens: 10,
            estimated: false,
            from: <_>::default(),
            made_by: None,
            lives: [Life { born: 1, died: None, place: 0, ended_by: None }].into_iter().collect(),
        }
    }

    #[test]
    fn of_a_file_the_passage_is_found_in_which_it_stands() {
        let entries = vec![passage(0, 90), passage(500, 700), passage(900, 950)];
        let run = Run { entries, ..Run::new(Track::Simulated, ThreadId(0)) };
        let origin = |start, end| Origin { block: BlockId(3), start, end, whole: false, at: Some(0) };
        assert_eq!(entry_at(&run, &origin(520, 600), 1), Some(EntryId(1)));
        assert_eq!(entry_at(&run, &origin(900, 950), 1), Some(EntryId(2)));
        assert_eq!(entry_at(&run, &origin(80, 120), 1), None);
        assert_eq!(entry_of(&run, BlockId(3), 1), Some(EntryId(0)));
    }
}
