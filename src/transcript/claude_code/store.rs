//! What all threads of a session share: messages, blocks, names, calls, warnings.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use crate::model::{
    Block, BlockId, BlockKind, CallKey, CutShape, Message, MessageId, Record, RequestId, Role, SourceId, Warning,
};

use super::record::{Key, Piece, Start};

/// Warnings that are kept; the last one says how many more there were.
const WARNINGS: usize = 1_000;

/// Tools that show what stands in files: words that look like a cut are the file's own there.
const SHOWS_FILES: &[&str] = &["Read", "Grep", "Glob", "Edit", "MultiEdit", "Write", "NotebookRead"];

/// What all threads of a session share.
#[derive(Default)]
pub(crate) struct Store {
    /// Messages so far.
    pub messages: Vec<Message>,
    /// Blocks so far.
    pub blocks: Vec<Block>,
    /// Records that carry nothing, by type.
    pub skipped: BTreeMap<String, u64>,
    /// The blocks that make calls.
    pub calls: HashMap<Key, BlockId>,
    /// The blocks that answer calls.
    pub results: HashMap<Key, Vec<BlockId>>,
    /// Calls that start subagents.
    pub starts: Vec<Start>,
    /// The calls that subagents were started by, as results and progress tell.
    pub callers: HashMap<Key, Key>,
    names: HashMap<Box<str>, Arc<str>>,
    warnings: Vec<Warning>,
    unsaid: u64,
}

impl Store {
    /// Takes a message in; returns its blocks: the first, and one past the last.
    pub fn message(
        &mut self,
        role: Role,
        record: Record,
        at: Option<i64>,
        request: Option<RequestId>,
        pieces: impl IntoIterator<Item = (Record, Piece)>,
    ) -> (u32, u32) {
        let message = MessageId(index(self.messages.len()));
        self.messages.push(Message { role, record, at, request });
        let from = index(self.blocks.len());
        for (record, piece) in pieces {
            self.block(message, record, piece);
        }
        (from, index(self.blocks.len()))
    }

    fn block(&mut self, message: MessageId, record: Record, piece: Piece) {
        let id = BlockId(index(self.blocks.len()));
        let mut label = self.name(&piece.label);
        let mut cut = piece.cut;
        if let Some(call) = piece.call {
            if piece.kind == BlockKind::ToolCall {
                self.calls.insert(call, id);
            } else {
                self.results.entry(call).or_default().push(id);
                let caller = self.calls.get(&call).and_then(|id| self.blocks.get(id.0 as usize));
                if label.is_empty()
                    && let Some(caller) = caller
                {
                    label = Arc::clone(&caller.label);
                }
            }
            let own = SHOWS_FILES.contains(&&*label);
            cut = cut.filter(|cut| cut.shape == CutShape::Pointer || !own);
        }
        let original = piece.original.filter(|_| cut.is_some());
        self.blocks.push(Block {
            kind: piece.kind,
            layer: piece.layer,
            role: piece.role,
            message,
            record,
            body: piece.body,
            label,
            call: piece.call.map(|call| CallKey(call.0)),
            error: piece.error,
            cut,
            original,
        });
    }

    /// A name, shared between equal ones.
    fn name(&mut self, name: &str) -> Arc<str> {
        if let Some(known) = self.names.get(name) {
            return Arc::clone(known);
        }
        let shared: Arc<str> = Arc::from(name);
        self.names.insert(Box::from(name), Arc::clone(&shared));
        shared
    }

    /// Counts a record that carries nothing.
    pub fn skip(&mut self, kind: &str) {
        if let Some(count) = self.skipped.get_mut(kind) {
            *count += 1;
        } else {
            self.skipped.insert(kind.to_owned(), 1);
        }
    }

    /// Notes what is the matter with a line.
    pub fn warn(&mut self, source: SourceId, line: u32, message: String) {
        if self.warnings.len() < WARNINGS {
            self.warnings.push(Warning { source, line, message });
        } else {
            self.unsaid += 1;
        }
    }

    /// All warnings, in order.
    pub fn take_warnings(&mut self) -> Vec<Warning> {
        let mut warnings = std::mem::take(&mut self.warnings);
        if self.unsaid > 0
            && let Some(last) = warnings.last_mut()
        {
            last.line = 0;
            last.message = format!("{} more lines could not be understood.", self.unsaid + 1);
        }
        warnings
    }
}

/// A length as an index of the model.
pub(super) fn index(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}
