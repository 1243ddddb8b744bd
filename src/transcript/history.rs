//! One thread as it is put together, with its window as it stands now.

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::model::{
    Block, BlockId, Breakpoint, CallKey, Clearing, Compaction, Layer, Op, Outcome, Record, Request, RequestId, Rewind,
    RewindCause, Shortened, Shortening, SourceId, Thread, ThreadKind, Transcript, Trigger,
};

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
fn leave(window: &mut Vec<BlockId>, blocks: &[Shortened]) {
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
    let mut window = Vec::new();
    for op in ops {
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

    /// The window is replaced by a shorter one.
    pub fn compact(&mut self, compaction: Compaction) {
        self.window.clone_from(&compaction.window);
        self.thread.ops.push(Op::Compact(Box::new(compaction)));
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

    /// The window changes without a compaction; nothing happens where it stays the same.
    pub fn rewind(&mut self, record: Record, cause: RewindCause, window: Vec<BlockId>) {
        if window == self.window {
            return;
        }
        let known: HashSet<BlockId> = self.window.iter().copied().collect();
        self.unsent |= window.iter().any(|block| !known.contains(block));
        self.window.clone_from(&window);
        self.thread.ops.push(Op::Rewind(Box::new(Rewind { record, cause, window })));
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
