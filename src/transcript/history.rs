//! One thread as it is put together, with its window as it stands now.

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::model::{
    Block, BlockId, Breakpoint, CallKey, Clearing, Compaction, Layer, Op, Outcome, Record, Request, RequestId, Rewind,
    RewindCause, Shortened, Shortening, SourceId, Thread, ThreadKind, Transcript, Trigger,
};

use super::build::Builder;

/// The oldest calls of a window that have results, which a provider clears first.
pub struct Oldest {
    /// The blocks of their results.
    pub results: Vec<BlockId>,
    /// The blocks that make the calls.
    pub calls: Vec<BlockId>,
}

/// The so many oldest calls of a window that have results, but for those that it `spares`. An id that comes again is
/// another call from the block on that makes it.
#[must_use]
pub fn oldest_calls(
    transcript: &Transcript,
    window: &[BlockId],
    calls: u64,
    spares: impl Fn(&Block) -> bool,
) -> Oldest {
    let calls = usize::try_from(calls).unwrap_or(usize::MAX);
    let mut made: HashMap<CallKey, BlockId> = HashMap::new();
    let (mut seen, mut found) = (HashSet::new(), Oldest { results: Vec::new(), calls: Vec::new() });
    for id in window {
        let Some(block) = transcript.block(*id) else { continue };
        match (block.layer, block.call) {
            (Layer::ToolCalls, Some(call)) => {
                made.insert(call, *id);
            }
            (Layer::ToolResults, call) if !spares(block) => {
                let by = call.and_then(|call| made.get(&call).copied());
                if !seen.contains(&(call, by)) {
                    if seen.len() == calls {
                        break;
                    }
                    seen.insert((call, by));
                    found.calls.extend(by);
                }
                found.results.push(*id);
            }
            _ => {}
        }
    }
    found
}

/// Takes the blocks out of a window of which nothing is left, and puts those back that had left it, next to those that
/// came in with them.
pub(super) fn leave(window: &mut Vec<BlockId>, blocks: &[Shortened]) {
    let gone: HashSet<BlockId> =
        blocks.iter().filter(|short| short.content.is_empty()).map(|short| short.block).collect();
    window.retain(|id| !gone.contains(id));
    if blocks.len() == gone.len() {
        return;
    }
    let known: HashSet<BlockId> = window.iter().copied().collect();
    let mut back: Vec<BlockId> = blocks.iter().map(|short| short.block).collect();
    back.retain(|id| !gone.contains(id) && !known.contains(id));
    back.sort_unstable();
    for id in back {
        let place = |id: Option<u32>| window.iter().position(|other| Some(other.0) == id);
        let before = place(id.0.checked_sub(1)).map(|at| at + 1);
        let after = || (1..=8).find_map(|by| place(id.0.checked_add(by)));
        let at = before.or_else(after).unwrap_or(window.len());
        window.insert(at, id);
    }
}

/// What a thread's window holds after these.
#[must_use]
pub fn window_after(ops: &[Op]) -> Vec<BlockId> {
    // What came before the last whole window is no part of it.
    let whole = ops.iter().rposition(|op| matches!(op, Op::Compact(_) | Op::Rewind(_)));
    let mut window = Vec::new();
    for op in ops.get(whole.unwrap_or(0)..).unwrap_or_default() {
        match op {
            Op::Add(block) => window.push(*block),
            Op::Compact(compaction) => window.clone_from(&compaction.window),
            Op::Rewind(rewind) => window.clone_from(&rewind.window),
            Op::Shorten(shortening) => leave(&mut window, &shortening.blocks),
            Op::Request(_) | Op::Clear(_) => {}
        }
    }
    window
}

/// A thread that is being put together.
pub struct History {
    thread: Thread,
    /// What the window holds now, in order.
    window: Vec<BlockId>,
    /// Whether something that the model has not seen came in since the last request.
    unsent: bool,
}

impl History {
    /// A thread in which nothing has happened.
    #[must_use]
    pub fn new(kind: ThreadKind, title: impl Into<String>, source: SourceId) -> Self {
        let thread = Thread {
            kind,
            title: title.into(),
            source,
            requests: Vec::new(),
            ops: Vec::new(),
            breakpoints: BTreeMap::new(),
        };
        History { thread, window: Vec::new(), unsent: false }
    }

    /// A block for the next request enters at the end.
    pub fn add(&mut self, block: BlockId) {
        self.answer(block);
        self.unsent = true;
    }

    /// A block that the model wrote enters at the end.
    pub fn answer(&mut self, block: BlockId) {
        self.thread.ops.push(Op::Add(block));
        self.window.push(block);
    }

    /// The thread begins with this window instead of what has come in so far. Nothing was asked yet.
    pub fn begin_with(&mut self, window: Vec<BlockId>) {
        debug_assert!(self.thread.requests.is_empty(), "requests hold what came in before them");
        self.thread.ops = window.iter().copied().map(Op::Add).collect();
        self.window = window;
    }

    /// A request is made with what is in the window.
    pub fn request(&mut self, request: Request) -> RequestId {
        let id = RequestId(u32::try_from(self.thread.requests.len()).unwrap_or(u32::MAX));
        self.thread.requests.push(request);
        self.thread.ops.push(Op::Request(id));
        self.unsent = false;
        id
    }

    /// A request made earlier.
    pub fn request_mut(&mut self, id: RequestId) -> Option<&mut Request> {
        self.thread.requests.get_mut(id.0 as usize)
    }

    /// The newest request marks these places for a cache.
    pub fn mark(&mut self, breakpoints: Vec<Breakpoint>) {
        let newest = self.thread.requests.len().checked_sub(1);
        if let Some(id) = newest.and_then(|newest| u32::try_from(newest).ok()).filter(|_| !breakpoints.is_empty()) {
            self.thread.breakpoints.insert(RequestId(id), breakpoints);
        }
    }

    /// The window is replaced by a shorter one; it stays, and the answer is `false`, where the file has more windows
    /// than can be held.
    pub fn compact(&mut self, builder: &mut Builder, compaction: Compaction) -> bool {
        if !builder.hold(compaction.record, compaction.window.len()) {
            return false;
        }
        self.window.clone_from(&compaction.window);
        self.thread.ops.push(Op::Compact(Box::new(compaction)));
        true
    }

    /// The newest compaction.
    pub fn compaction_mut(&mut self) -> Option<&mut Compaction> {
        self.thread.ops.iter_mut().rev().find_map(|op| match op {
            Op::Compact(compaction) => Some(compaction.as_mut()),
            _ => None,
        })
    }

    /// The windows that the compactions left, newest first.
    pub fn compacted(&self) -> impl Iterator<Item = &[BlockId]> {
        self.thread.ops.iter().rev().filter_map(|op| match op {
            Op::Compact(compaction) => Some(compaction.window.as_slice()),
            _ => None,
        })
    }

    /// The window changes without a compaction; nothing happens where it stays the same. The old one stays, and a
    /// warning says so, where the file has more windows than can be held.
    pub fn rewind(&mut self, builder: &mut Builder, record: Record, cause: RewindCause, window: Vec<BlockId>) {
        if window == self.window || !builder.hold(record, window.len()) {
            return;
        }
        let known: HashSet<BlockId> = self.window.iter().copied().collect();
        self.unsent |= window.iter().any(|block| !known.contains(block));
        self.window.clone_from(&window);
        self.thread.ops.push(Op::Rewind(Box::new(Rewind { record, cause, window, dropped: Vec::new() })));
    }

    /// Blocks stay as markers only; nothing happens where there are none.
    pub fn clear(&mut self, record: Record, blocks: Vec<BlockId>, marker: &'static str) {
        if !blocks.is_empty() {
            self.thread.ops.push(Op::Clear(Box::new(Clearing {
                record,
                trigger: Some(Trigger::Auto),
                tokens_before: None,
                tokens_saved: None,
                blocks,
                marker,
            })));
        }
    }

    /// Less is said of blocks than before; nothing happens where there are none.
    pub fn shorten(&mut self, record: Record, blocks: Vec<Shortened>) {
        if !blocks.is_empty() {
            leave(&mut self.window, &blocks);
            self.thread.ops.push(Op::Shorten(Box::new(Shortening { record, blocks })));
        }
    }

    /// What the window holds now.
    #[must_use]
    pub fn window(&self) -> &[BlockId] {
        &self.window
    }

    /// How much has happened: a moment to go back to.
    #[must_use]
    pub fn moment(&self) -> usize {
        self.thread.ops.len()
    }

    /// What the window held at a moment.
    #[must_use]
    pub fn window_at(&self, moment: usize) -> Vec<BlockId> {
        if moment >= self.moment() {
            return self.window.clone();
        }
        window_after(self.thread.ops.get(..moment).unwrap_or_default())
    }

    /// What became of the newest request.
    #[must_use]
    pub fn outcome(&self) -> Option<Outcome> {
        self.thread.requests.last().map(|request| request.outcome)
    }

    /// Whether something that the model has not seen came in since the last request.
    #[must_use]
    pub fn unsent(&self) -> bool {
        self.unsent
    }

    /// What the newest request that reports it was sent.
    #[must_use]
    pub fn context(&self) -> Option<u64> {
        self.thread.requests.iter().rev().find_map(|request| request.usage).map(|usage| usage.context())
    }

    /// How many requests there are.
    #[must_use]
    pub fn requests(&self) -> usize {
        self.thread.requests.len()
    }

    /// Whether nothing ever happened.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.thread.ops.is_empty()
    }

    /// The thread.
    #[must_use]
    pub fn finish(self) -> Thread {
        self.thread
    }
}

#[cfg(test)]
mod tests {
    use super::super::build::WINDOWS;
    use super::*;

    const RECORD: Record = Record { source: SourceId(0), line: 7, start: 0, end: 0 };

    fn begun() -> History {
        let mut history = History::new(ThreadKind::Main, "main", SourceId(0));
        (0..3).for_each(|id| history.add(BlockId(id)));
        history
    }

    fn compaction(window: Vec<BlockId>) -> Compaction {
        let (trigger, tokens_before, tokens_after, summariser) = (None, None, None, None);
        Compaction { record: RECORD, trigger, tokens_before, tokens_after, window, summariser, inferred: false }
    }

    #[test]
    fn windows_are_held_as_long_as_there_is_room_for_them() {
        let (mut builder, mut history) = (Builder::new("test"), begun());
        history.rewind(&mut builder, RECORD, RewindCause::Rewound, vec![BlockId(0)]);
        assert_eq!(history.window(), [BlockId(0)]);
        builder.name(WINDOWS);
        history.rewind(&mut builder, RECORD, RewindCause::Rewound, Vec::new());
        assert!(!history.compact(&mut builder, compaction(vec![BlockId(2)])));
        assert_eq!((history.window(), history.moment()), (&[BlockId(0)][..], 4));
        let warnings = &builder.transcript.warnings;
        assert_eq!(warnings.iter().map(|warning| warning.line).collect::<Vec<_>>(), [7], "said once");
    }

    #[test]
    fn a_moment_is_told_from_the_last_whole_window_on() {
        let (mut builder, mut history) = (Builder::new("test"), begun());
        history.compact(&mut builder, compaction(vec![BlockId(2)]));
        history.add(BlockId(3));
        history.rewind(&mut builder, RECORD, RewindCause::Rewound, vec![BlockId(0)]);
        let held = [0, 2, 4, 5, 6].map(|moment| history.window_at(moment).iter().map(|id| id.0).collect::<Vec<_>>());
        assert_eq!(held, [vec![], vec![0, 1], vec![2], vec![2, 3], vec![0]]);
    }
}
