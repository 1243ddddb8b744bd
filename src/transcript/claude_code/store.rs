//! What all threads of a session share: its blocks, and which call is which.

use std::collections::HashMap;

use crate::model::{BlockId, BlockKind, CallKey, CutShape, Record, RequestId, Role};

use super::super::build::{Builder, Draft};
use super::super::calls::Calls;
use super::record::{Key, Start};

/// Tools that show what stands in files: words that look like a cut are the file's own there, unless what they found is
/// known as a whole and goes on where the words stand.
const SHOWS_FILES: &[&str] = &["Read", "Grep", "Glob", "Edit", "MultiEdit", "Write", "NotebookRead"];

/// What all threads of a session share.
pub(super) struct Store {
    /// The transcript so far.
    pub builder: Builder,
    /// The blocks that make calls.
    pub calls: HashMap<CallKey, BlockId>,
    /// The calls that ids name by now.
    pub named: Calls,
    /// The blocks that answer calls of an id.
    pub results: HashMap<CallKey, Vec<BlockId>>,
    /// Calls that start subagents.
    pub starts: Vec<Start>,
    /// The calls that subagents were started by, as results and progress tell.
    pub callers: HashMap<Key, CallKey>,
}

impl Store {
    /// Nothing yet.
    pub fn new(format: &'static str) -> Self {
        Store {
            builder: Builder::new(format),
            calls: HashMap::new(),
            named: Calls::default(),
            results: HashMap::new(),
            starts: Vec::new(),
            callers: HashMap::new(),
        }
    }

    /// Takes a message in; returns its blocks: the first, and one past the last.
    pub fn message(
        &mut self,
        role: Role,
        record: Record,
        at: Option<i64>,
        request: Option<RequestId>,
        drafts: impl IntoIterator<Item = (Record, Draft)>,
    ) -> (u32, u32) {
        let message = self.builder.message(role, record, at, request);
        let from = index(self.builder.transcript.blocks.len());
        for (record, mut draft) in drafts {
            let called = draft.call;
            let is_call = draft.kind == BlockKind::ToolCall;
            draft.call = called.map(|id| if is_call { self.named.make(id) } else { self.named.answer(id) });
            let made = draft.call.filter(|_| is_call);
            let answered = draft.call.filter(|_| !is_call);
            if let Some(call) = answered
                && draft.cut.is_some()
                && !draft.is_surely_cut
                && self.shows_files(call)
            {
                draft.cut = draft.cut.filter(|cut| cut.shape == CutShape::Pointer);
                draft.original = draft.original.filter(|_| draft.cut.is_some());
            }
            let id = self.builder.block_at(message, record, draft);
            if let Some(call) = made {
                self.calls.insert(call, id);
            }
            if let Some(call) = called.filter(|_| !is_call) {
                self.results.entry(call).or_default().push(id);
            }
        }
        (from, index(self.builder.transcript.blocks.len()))
    }

    fn shows_files(&self, call: CallKey) -> bool {
        let caller = self.calls.get(&call).and_then(|id| self.builder.transcript.block(*id));
        caller.is_some_and(|caller| SHOWS_FILES.contains(&&*caller.label))
    }
}

/// A length as an index of the model.
pub(super) fn index(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}
