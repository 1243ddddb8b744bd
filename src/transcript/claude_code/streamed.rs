//! The sessions of one stream, each with the tools that its first record names.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::model::{BlockId, RewindCause, Role, Thread};

use super::super::scan::Value;
use super::boundary::key;
use super::record::{Key, Parent, Parsed, Saying, Sort, What};
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
    /// The tokens that messages were said to have at their end.
    outputs: HashMap<Key, u64>,
}

/// The lines with those of each session together, the sessions in the order in which they begin: two that ran at the
/// same time may have been captured in one file. Without sessions of a stream, as they are.
pub(super) fn by_session<'a>(all: &[Parsed], lines: &'a [u32]) -> Cow<'a, [u32]> {
    let parsed = |line: &u32| all.get(*line as usize);
    if !lines.iter().any(|line| parsed(line).is_some_and(|parsed| matches!(parsed.what, What::Began(_)))) {
        return Cow::Borrowed(lines);
    }
    let mut ranks: HashMap<Key, usize> = HashMap::new();
    let mut last = 0;
    let mut ranked: Vec<(usize, u32)> = Vec::with_capacity(lines.len());
    for line in lines {
        if let Some(session) = parsed(line).and_then(|parsed| parsed.session) {
            let next = ranks.len();
            last = *ranks.entry(session).or_insert(next);
        }
        ranked.push((last, *line));
    }
    if ranked.is_sorted_by_key(|(rank, _)| *rank) {
        return Cow::Borrowed(lines);
    }
    ranked.sort_by_key(|(rank, _)| *rank);
    ranked.into_iter().map(|(_, line)| line).collect()
}

/// What an event of a message on its way says of it: which it is, or its tokens at the end.
pub(super) fn event(event: Option<Value<'_>>) -> What {
    fn member<'a>(of: Option<Value<'a>>, name: &str) -> Option<Value<'a>> {
        of?.get(name)
    }
    let nothing = What::Nothing(Cow::Borrowed("stream_event"));
    let kind = member(event, "type").and_then(|kind| kind.string());
    match kind.as_deref() {
        Some("message_start") => match key(member(member(event, "message"), "id")) {
            Some(message) => What::Streamed { message: Some(message), output: None },
            None => nothing,
        },
        Some("message_delta") => match member(member(event, "usage"), "output_tokens").and_then(|said| said.number()) {
            Some(output) => What::Streamed { message: None, output: Some(output) },
            None => nothing,
        },
        _ => nothing,
    }
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
        let (mut outputs, mut now) = (HashMap::new(), None);
        for parsed in lines.iter().filter_map(|line| all.get(*line as usize)) {
            match &parsed.what {
                What::Answered(answer) => now = answer.message.or(now),
                What::Streamed { message, output } => {
                    now = message.or(now);
                    if let Some((now, output)) = now.zip(*output) {
                        outputs.insert(now, output);
                    }
                }
                _ => {}
            }
        }
        Streamed { begins, tools: (0, 0), since: 0, outputs }
    }

    /// The tokens that a message was said to have at its end.
    pub fn output(&self, message: Key) -> Option<u64> {
        self.outputs.get(&message).copied()
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
            self.rewind(Vec::new(), RewindCause::NewSession, record);
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
