//! The sessions of one stream, each with the tools that its first record names.

use std::collections::HashMap;

use crate::model::{BlockId, RewindCause, Role, Thread};

use super::record::{Parent, Parsed, Saying, What};
use super::tree::Sort;
use super::weave::{Weaver, with};

/// The sessions of a stream.
#[derive(Default)]
pub(super) struct Streamed {
    /// Where each begins, what hooks say before its first record taken in: that record's line, and whether the session
    /// is another one than before.
    begins: HashMap<u32, (u32, bool)>,
    /// The tools' blocks, which are sent with every request.
    tools: (u32, u32),
    /// Requests before the session that the window is of.
    since: usize,
}

impl Streamed {
    /// Finds the sessions in the lines of a thread.
    pub(super) fn of(all: &[Parsed], lines: &[u32]) -> Streamed {
        let parsed = |at: usize| lines.get(at).and_then(|line| all.get(*line as usize));
        let mut begins = HashMap::new();
        for (at, line) in lines.iter().enumerate() {
            let Some(Parsed { what: What::Began(_), session, .. }) = parsed(at) else { continue };
            let ahead = |before: &Parsed| match &before.what {
                What::Damaged | What::Nothing(_) => before.session.is_none() || before.session == *session,
                What::Said(said) => said.saying == Saying::Other && !said.synthetic && before.session == *session,
                _ => false,
            };
            let count = (0..at).rev().take_while(|before| parsed(*before).is_some_and(ahead)).count();
            let start = at - count;
            let before = lines.get(..start).unwrap_or_default().iter().rev();
            let before = before.filter_map(|line| all.get(*line as usize)?.session).next();
            if let Some(start) = lines.get(start) {
                begins.entry(*start).or_insert((*line, before.is_some() && before != *session));
            }
        }
        Streamed { begins, tools: (0, 0), since: 0 }
    }
}

impl Weaver<'_> {
    /// Begins a session of a stream where one begins at this line: its window is its own, unless what it reports says
    /// that it goes on.
    pub(super) fn begin(&mut self, line: u32) {
        let Some((first, another)) = self.streamed.begins.remove(&line) else { return };
        let Some(parsed) = self.all.get_mut(first as usize) else { return };
        let record = parsed.record;
        let What::Began(began) = std::mem::replace(&mut parsed.what, What::Damaged) else { return };
        if another && !self.goes_on() && !self.tree.is_empty() {
            self.rewind(Vec::new(), RewindCause::Edited, record);
            self.streamed.tools = (0, 0);
            self.streamed.since = self.thread.requests.len();
        }
        let known = (self.streamed.tools.0..self.streamed.tools.1).map(BlockId);
        let known: Vec<u64> =
            known.filter_map(|id| Some(self.store.builder.transcript.block(id)?.body.hash())).collect();
        let said: Vec<u64> = began.drafts.iter().map(|draft| draft.body.hash()).collect();
        if said.is_empty() || said == known {
            return;
        }
        if !known.is_empty() {
            let others = self.tree.without(self.streamed.tools);
            self.rewind(others, RewindCause::Edited, record);
        }
        let blocks = self.store.message(Role::System, record, None, None, with(record, began.drafts));
        self.tree.append((None, 0), Parent::Unsaid, Sort::Other, blocks);
        self.add(blocks);
        self.streamed.tools = blocks;
    }

    /// Whether what comes next holds the window that there is: it had grown far beyond what a session begins with, and
    /// what comes is no smaller.
    fn goes_on(&self) -> bool {
        let requests = self.thread.requests.get(self.streamed.since..).unwrap_or_default();
        let mut reported = requests.iter().filter_map(|request| request.usage).map(|usage| usage.context());
        let Some(first) = reported.next() else { return false };
        let last = reported.next_back().unwrap_or(first);
        last >= first.saturating_mul(2) && self.next_usage().is_some_and(|next| next.context() >= last)
    }

    /// Keeps the tools in a window that a compaction begins.
    pub(super) fn keep_tools(&mut self) {
        let tools = self.streamed.tools;
        if tools.0 < tools.1 {
            self.tree.append((None, 0), Parent::Unsaid, Sort::Other, tools);
        }
    }
}

/// The windows of models, as the last record that sums them up says.
pub(super) fn windows(all: &[Parsed]) -> Vec<(Box<str>, u64)> {
    let said = all.iter().filter_map(|parsed| match &parsed.what {
        What::Windows(windows) => Some(windows.as_slice()),
        _ => None,
    });
    said.flatten().cloned().collect()
}

/// Gives the requests of a thread their models' windows.
pub(super) fn give_windows(thread: &mut Thread, windows: &[(Box<str>, u64)]) {
    // A name may say in brackets which of the model's windows is used.
    let bare = |name: &str| name.split('[').next().unwrap_or(name).to_owned();
    for request in &mut thread.requests {
        let Some(model) = request.model.as_deref().map(bare) else { continue };
        let found = windows.iter().rev().find(|(name, _)| bare(name) == model);
        request.window_tokens = found.map(|(_, window)| *window).or(request.window_tokens);
    }
}
