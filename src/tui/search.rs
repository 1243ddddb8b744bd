//! The search over a thread's whole history: what was found, and where one is in it.

use std::collections::HashSet;

use crate::content::{Sources, Watch};
use crate::inquiry::called;
use crate::model::{BlockId, Body, EntryId, Layer, Made, Op, Run, ThreadId, Transcript};

use super::detail::find;
use super::message::Effect;
use super::numbered::{Numbered, Numbering};
use super::state::Session;

/// An entry that holds what is sought.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hit {
    /// The entry.
    pub entry: EntryId,
    /// How often.
    pub times: u32,
}

/// A search and its answers so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Search {
    /// What is sought, literally; ASCII letters in either case.
    pub text: String,
    /// Tells this search's answers from those of searches before it.
    pub number: u64,
    /// The run whose entries are searched: the hits are ids of that run, and of no other.
    pub of: Option<Numbering>,
    /// Whether one stays where one is when the first hit comes in: the search was not asked for, its run is another.
    pub stays: bool,
    /// Entries that hold it, in the order of the history.
    pub hits: Vec<Hit>,
    /// Whether one is on the way to where another thread holds it.
    pub leads: bool,
    /// Whether everything has been searched.
    pub complete: bool,
    /// The hit that one is at.
    pub at: Option<usize>,
    /// How often other threads hold it.
    pub elsewhere: Vec<(ThreadId, u64)>,
}

impl Search {
    /// How often it was found in all.
    #[must_use]
    pub fn times(&self) -> u64 {
        self.hits.iter().map(|hit| u64::from(hit.times)).sum()
    }

    /// The hit after or before an entry; from the ends on, the other end.
    #[must_use]
    pub fn next(&self, from: Option<EntryId>, forward: bool) -> Option<usize> {
        if self.hits.is_empty() {
            return None;
        }
        let last = self.hits.len() - 1;
        let Some(from) = from else { return Some(if forward { 0 } else { last }) };
        let (after, before) =
            (self.hits.partition_point(|hit| hit.entry <= from), self.hits.partition_point(|hit| hit.entry < from));
        Some(match forward {
            true if after > last => 0,
            true => after,
            false => before.checked_sub(1).unwrap_or(last),
        })
    }
}

impl Session {
    /// Begins to search a run. `stays`: without going to the first hit.
    pub fn seek(&mut self, run: Numbered, text: String, stays: bool) -> Effect {
        self.searches += 1;
        let (number, of) = (self.searches, Some(run.of));
        self.search = Some(Search { text: text.clone(), number, of, stays, ..Search::default() });
        Effect::Search(number, run, text)
    }

    /// Searches again where another run is looked at than the one that was searched: another thread, or a newer replay,
    /// has other entries.
    pub fn search_again(&mut self) -> Option<Effect> {
        let run = self.view.as_ref()?.numbered();
        let search = self.search.as_ref().filter(|search| search.of != Some(run.of))?;
        let (text, stays) = (search.text.clone(), !search.leads);
        Some(self.seek(run, text, stays))
    }
}

/// How often other threads (subagents, other conversations) hold a text that is sought in one run, those that hold it
/// at all. What several of them share counts for the first.
#[must_use]
pub fn elsewhere(
    run: &Run,
    transcript: &Transcript,
    sources: &Sources,
    needle: &str,
    watch: &Watch,
) -> Vec<(ThreadId, u64)> {
    use rayon::prelude::*;
    let own = run.entries.iter().flat_map(|entry| &entry.content).filter_map(|made| match made {
        Made::Block(id) | Made::Part(id, ..) => Some(*id),
        Made::Text(_) | Made::Written(_) => None,
    });
    let mut seen: HashSet<BlockId> = own.collect();
    let mut found = Vec::new();
    for (number, thread) in (0u32..).zip(&transcript.threads).filter(|(number, _)| ThreadId(*number) != run.thread) {
        if watch.is_cancelled() {
            break;
        }
        let added = thread.ops.iter().filter_map(|op| match op {
            Op::Add(block) => Some(*block),
            _ => None,
        });
        let blocks: Vec<BlockId> = added.filter(|block| seen.insert(*block)).collect();
        let times = |id: &BlockId| {
            let block = transcript.block(*id);
            let body = block.map(|block| &block.body).filter(|body| matches!(body, Body::Text { .. }));
            let text = body.and_then(|body| sources.body_text(body).ok());
            let name = block.and_then(called).map(str::to_owned);
            name.into_iter().chain(text).map(|text| find(&text, needle).count() as u64).sum::<u64>()
        };
        let times: u64 = blocks.par_iter().map(times).sum();
        if times > 0 {
            found.push((ThreadId(number), times));
        }
    }
    found
}

/// Entries searched between two reports.
const PORTION: usize = 256;

/// Searches every entry of a run, in order; reports what was found a portion at a time. Ends early where the watch is
/// cancelled.
pub fn search(
    run: &Run,
    transcript: &Transcript,
    sources: &Sources,
    needle: &str,
    watch: &Watch,
    mut report: impl FnMut(Vec<Hit>),
) {
    use rayon::prelude::*;
    for (portion, entries) in run.entries.chunks(PORTION).enumerate() {
        if watch.is_cancelled() {
            return;
        }
        let found: Vec<Hit> = entries
            .par_iter()
            .enumerate()
            .filter_map(|(at, entry)| {
                let times: usize = entry
                    .content
                    .iter()
                    .map(|made| match text(made, run, transcript, sources) {
                        Some(text) => find(&text, needle).count(),
                        None => 0,
                    })
                    .sum();
                // A call shows the name of its tool before its arguments.
                let block = entry.block().filter(|_| entry.layer == Layer::ToolCalls);
                let name = block.and_then(|id| called(transcript.block(id)?));
                let times = times + name.map_or(0, |name| find(name, needle).count());
                let entry = EntryId(u32::try_from(portion * PORTION + at).ok()?);
                (times > 0).then(|| Hit { entry, times: u32::try_from(times).unwrap_or(u32::MAX) })
            })
            .collect();
        report(found);
    }
}

fn text(made: &Made, run: &Run, transcript: &Transcript, sources: &Sources) -> Option<String> {
    match made {
        Made::Text(text) => Some(text.to_string()),
        Made::Written(written) => Some(written.text(run)),
        Made::Block(id) => match &transcript.block(*id)?.body {
            body @ Body::Text { .. } => sources.body_text(body).ok(),
            Body::Media(_) | Body::Hidden(_) => None,
        },
        Made::Part(id, from, to, original) => {
            let block = transcript.block(*id)?;
            let body = block.original.as_deref().filter(|_| *original).unwrap_or(&block.body);
            let text = sources.body_text(body).ok()?;
            text.get(usize::try_from(*from).ok()?..usize::try_from(*to).ok()?).map(str::to_owned)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_hit_goes_round() {
        let hits = [2, 5, 9].map(|entry| Hit { entry: EntryId(entry), times: 1 }).to_vec();
        let search = Search { hits, ..Search::default() };
        for (from, forward, expected) in [
            (None, true, 0),
            (None, false, 2),
            (Some(2), true, 1),
            (Some(3), true, 1),
            (Some(3), false, 0),
            (Some(9), true, 0),
            (Some(2), false, 2),
        ] {
            assert_eq!(search.next(from.map(EntryId), forward), Some(expected), "{from:?} {forward}");
        }
        assert_eq!(Search::default().next(None, true), None);
    }

    #[test]
    fn the_name_of_a_called_tool_is_found() {
        use super::super::tests::Stage;
        use crate::model::Layer;
        let mut stage = Stage::open(120, 40);
        stage.press("/ text:Bash enter");
        let session = stage.state.session().unwrap();
        let run = session.view.as_ref().unwrap().index.run();
        let called = |entry: &crate::model::Entry| entry.layer == Layer::ToolCalls && &*entry.label == "Bash";
        let hits: Vec<EntryId> = session.search.as_ref().unwrap().hits.iter().map(|hit| hit.entry).collect();
        let calls = (0u32..).map(EntryId).zip(&run.entries).filter(|(_, entry)| called(entry));
        let calls: Vec<EntryId> = calls.map(|(id, _)| id).collect();
        assert!(!calls.is_empty() && calls.iter().all(|call| hits.contains(call)), "{calls:?} in {hits:?}");
    }
}
