//! The threads of a session: how one leads to another, the list of them, and going from one to the next.

use std::collections::HashMap;

use crate::model::{BlockId, EventId, Op, Record, ThreadId, ThreadKind, Transcript};
use crate::present::{Place, counted, short};

use super::inspect::Inspect;
use super::message::Effect;
use super::overlay::{Choice, Dialog};
use super::state::{Session, State};

/// What of a thread began another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Began {
    /// A tool call.
    Call(BlockId),
    /// A compaction, which let a model write its summary.
    Compaction(Record),
}

fn numbered(transcript: &Transcript) -> impl Iterator<Item = (ThreadId, &crate::model::Thread)> {
    (0u32..).map(ThreadId).zip(&transcript.threads)
}

/// The thread that another began in, and what began it; `None` for conversations, and where nothing says it.
#[must_use]
pub fn above(transcript: &Transcript, thread: ThreadId) -> Option<(ThreadId, Began)> {
    match transcript.thread(thread)?.kind {
        ThreadKind::Main | ThreadKind::Conversation | ThreadKind::Subagent(None) => None,
        // A summariser was sent what stood in the thread that it summarises: the call is that thread's.
        ThreadKind::Subagent(Some(call)) => {
            let mut others = numbered(transcript)
                .filter(|(id, other)| *id != thread && !matches!(other.kind, ThreadKind::Summariser));
            let (id, _) = others.find(|(_, other)| other.ops.contains(&Op::Add(call)))?;
            Some((id, Began::Call(call)))
        }
        ThreadKind::Summariser => numbered(transcript).find_map(|(id, other)| {
            let of = other.ops.iter().find_map(|op| match op {
                Op::Compact(compaction) if compaction.summariser == Some(thread) => Some(compaction.record),
                _ => None,
            });
            of.map(|record| (id, Began::Compaction(record)))
        }),
    }
}

/// The threads that lead to one, the outermost first, each with what in it began the next; the thread itself is the
/// last.
#[must_use]
pub fn way(transcript: &Transcript, to: ThreadId) -> Vec<(ThreadId, Option<Began>)> {
    let mut found = vec![(to, None)];
    let mut at = to;
    while let Some((over, began)) = above(transcript, at) {
        // A file may say that threads began each other.
        if found.iter().any(|(known, _)| *known == over) {
            break;
        }
        found.push((over, Some(began)));
        at = over;
    }
    found.reverse();
    found
}

/// The call that wrote the summary of a compaction, where it was logged.
#[must_use]
pub fn summariser_of(transcript: &Transcript, view: &Inspect, event: EventId) -> Option<ThreadId> {
    let record = view.index.run().event(event).filter(|event| event.compacts())?.record?;
    let thread = transcript.thread(view.thread)?;
    thread.ops.iter().find_map(|op| match op {
        Op::Compact(compaction) if compaction.record == record => compaction.summariser,
        _ => None,
    })
}

/// The conversations of a file that holds several, and which of them is looked at: its number, from 1, of so many.
#[must_use]
pub fn conversation(session: &Session, view: &Inspect) -> Option<(usize, usize)> {
    let outermost = session.trail.first().map_or(view.thread, |first| first.thread);
    let all = &session.conversations;
    let at = all.binary_search(&outermost).ok()?;
    (all.len() > 1).then_some((at + 1, all.len()))
}

/// The conversations of a file, in order.
#[must_use]
pub fn conversations(transcript: &Transcript) -> Vec<ThreadId> {
    let talks = |kind: ThreadKind| matches!(kind, ThreadKind::Main | ThreadKind::Conversation);
    numbered(transcript).filter(|(_, thread)| talks(thread.kind)).map(|(id, _)| id).collect()
}

/// All threads as a list to choose from, the one that is looked at selected.
#[must_use]
pub fn list(session: &Session, view: &Inspect) -> Dialog {
    // A file may have very many threads.
    let found: HashMap<ThreadId, u64> = session.search.iter().flat_map(|search| &search.elsewhere).copied().collect();
    let talks = &session.conversations;
    let choices = numbered(&session.transcript).map(|(id, thread)| {
        let kind = match thread.kind {
            ThreadKind::Main => "main",
            ThreadKind::Subagent(_) => "subagent",
            ThreadKind::Summariser => "summariser",
            ThreadKind::Conversation => "conversation",
        };
        // The number that the screen's first line has for it, where there are several.
        let talk = talks.binary_search(&id).ok().filter(|_| talks.len() > 1);
        let kind = talk.map_or_else(|| kind.to_owned(), |at| format!("conversation {}", at + 1));
        let steps = thread.requests.len() as u64;
        let peak = thread.requests.iter().filter_map(|request| request.usage).map(|usage| usage.context()).max();
        let mut meaning = counted(steps, "step", "steps");
        if let Some(peak) = peak {
            meaning.push_str(&format!(" · up to {}", short(peak)));
        }
        if let Some(times) = found.get(&id) {
            meaning.push_str(&format!(" · found {}", counted(*times, "time", "times")));
        }
        if !thread.title.is_empty() && thread.title != kind {
            meaning.push_str(&format!(" · {}", thread.title));
        }
        Choice { name: format!("thread {}: {kind}", id.0), meaning }
    });
    Dialog::new("Threads", choices.collect()).at(view.thread.0 as usize)
}

impl Session {
    /// Puts what is looked at on the trail of the thread that comes: a conversation begins a trail of its own, what
    /// another thread began stands behind that one.
    pub fn leave_for(&mut self, thread: ThreadId) {
        self.trail.extend(self.view.take());
        match above(&self.transcript, thread) {
            Some((over, _)) => {
                if let Some(at) = self.trail.iter().position(|view| view.thread == over) {
                    self.trail.truncate(at + 1);
                }
            }
            None => {
                let kind = self.transcript.thread(thread).map(|thread| thread.kind);
                if matches!(kind, Some(ThreadKind::Main | ThreadKind::Conversation)) {
                    self.trail.clear();
                }
            }
        }
    }

    /// The next thread on the way to another, after those that are there.
    pub fn next_to(&self, to: ThreadId) -> ThreadId {
        let there = |id: ThreadId| self.trail.iter().chain(&self.view).any(|view| view.thread == id);
        let way = way(&self.transcript, to);
        let known = way.iter().take_while(|(id, _)| there(*id)).count();
        way.get(known).map_or(to, |(id, _)| *id)
    }
}

/// Selects in a thread what began the next one on the way to another.
pub fn select_began(view: &mut Inspect, transcript: &Transcript, to: ThreadId) {
    let began = way(transcript, to).into_iter().find(|(id, _)| *id == view.thread).and_then(|(_, began)| began);
    let run = std::sync::Arc::clone(view.index.run());
    match began {
        Some(Began::Call(call)) => {
            let at = run.entries.iter().position(|entry| entry.block() == Some(call));
            if let Some(id) = at.and_then(|at| u32::try_from(at).ok()) {
                view.reveal(crate::model::EntryId(id));
            }
        }
        Some(Began::Compaction(record)) => {
            if let Some(event) = run.events.iter().find(|event| event.compacts() && event.record == Some(record)) {
                view.go_to(event.step);
            }
        }
        None => {}
    }
}

/// Goes to a thread, by the threads that lead there.
pub fn go_to_thread(state: &mut State, to: ThreadId) -> Vec<Effect> {
    let Some(session) = state.session_mut() else { return Vec::new() };
    if session.view.as_ref().is_some_and(|view| view.thread == to) {
        return Vec::new();
    }
    if session.trail.iter().any(|view| view.thread == to) {
        let mut effects = Vec::new();
        while state.view().is_some_and(|view| view.thread != to) {
            effects = super::subagent::leave(state);
        }
        return effects;
    }
    let transcript = std::sync::Arc::clone(&session.transcript);
    for view in session.trail.iter_mut().chain(&mut session.view) {
        select_began(view, &transcript, to);
    }
    let next = session.next_to(to);
    let effect = session.count(next);
    state.wanted = Place { thread: Some(to.0), ..Place::default() };
    vec![effect]
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::model::{Compaction, Session as About, SourceId, Thread};

    const RECORD: Record = Record { source: SourceId(0), line: 7, start: 0, end: 1 };

    fn thread(kind: ThreadKind, ops: Vec<Op>) -> Thread {
        let (title, requests, breakpoints) = (String::new(), Vec::new(), BTreeMap::new());
        Thread { kind, title, source: SourceId(0), requests, ops, breakpoints }
    }

    #[test]
    fn the_way_to_a_thread_goes_by_calls_and_compactions() {
        let compaction = Compaction {
            record: RECORD,
            trigger: None,
            tokens_before: None,
            tokens_after: None,
            window: Vec::new(),
            summariser: Some(ThreadId(3)),
            inferred: false,
        };
        let transcript = Transcript {
            format: "test",
            sources: Vec::new(),
            session: About::default(),
            messages: Vec::new(),
            blocks: Vec::new(),
            threads: vec![
                thread(ThreadKind::Summariser, vec![Op::Add(BlockId(0))]),
                thread(ThreadKind::Main, vec![Op::Add(BlockId(0))]),
                thread(ThreadKind::Subagent(Some(BlockId(0))), vec![Op::Compact(Box::new(compaction))]),
                thread(ThreadKind::Summariser, vec![Op::Add(BlockId(0))]),
                thread(ThreadKind::Conversation, Vec::new()),
                // Nothing says where it began; and one that would have begun itself.
                thread(ThreadKind::Subagent(None), Vec::new()),
                thread(ThreadKind::Subagent(Some(BlockId(9))), vec![Op::Add(BlockId(9))]),
            ],
            records: 0,
            skipped: BTreeMap::default(),
            warnings: Vec::new(),
        };
        let (call, made) = (Began::Call(BlockId(0)), Began::Compaction(RECORD));
        let expected = vec![(ThreadId(1), Some(call)), (ThreadId(2), Some(made)), (ThreadId(3), None)];
        assert_eq!(way(&transcript, ThreadId(3)), expected);
        for alone in [4, 5, 6, 99] {
            assert_eq!(way(&transcript, ThreadId(alone)), [(ThreadId(alone), None)]);
        }
    }
}
