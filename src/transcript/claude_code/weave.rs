//! From the records of one thread to what happened in it: blocks, requests, changes of the window.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use crate::model::{
    BlockId, BlockKind, Body, Clearing, Layer, Op, Outcome, Record, Request, RequestId, Rewind, RewindCause, Role,
    SourceId, Thread, ThreadKind, Usage,
};

use super::super::build::Draft;
use super::managed::Managed;
use super::messages::messages;
use super::record::{Answer, Boundary, Cleared, Key, Made, Parent, Parsed, Said, Saying, Sort, Start, What};
use super::replied::replied;
use super::restart::beginnings;
use super::store::{Store, index};
use super::streamed::{Streamed, by_session};
use super::tree::{Named, NodeId, Tree};

/// What the model sees in place of a result that was cleared.
const CLEARED: &str = "[Old tool result content cleared]";
/// Prompts that come within so many milliseconds were sent together.
const TOGETHER: i64 = 1_000;

/// A thread, and what is needed to tie it to the others.
pub(crate) struct Woven {
    /// The thread.
    pub thread: Thread,
    /// Its records.
    pub(super) tree: Tree,
    /// Where its compactions stand among its ops, and when they were.
    pub compactions: Vec<(usize, Option<i64>)>,
    /// Hash of its first message.
    pub prompt: Option<Key>,
    /// When it began.
    pub begun: Option<i64>,
}

/// Weaves the records at `lines` of `all` into a thread. `before` is in its window from the beginning.
pub(crate) fn weave(
    store: &mut Store,
    all: &mut [Parsed],
    lines: &[u32],
    source: SourceId,
    before: &[BlockId],
) -> Woven {
    let lines = &*by_session(all, lines);
    let (answers, firsts) = messages(all, lines);
    let streamed = Streamed::of(all, lines);
    let replied = replied(all, lines);
    let begins = beginnings(all, lines);
    let ops = before.iter().copied().map(Op::Add).collect();
    let thread = Thread {
        kind: ThreadKind::Main,
        title: String::new(),
        source,
        requests: Vec::new(),
        ops,
        breakpoints: BTreeMap::new(),
    };
    let mut weaver = Weaver {
        store,
        all,
        lines,
        answers,
        firsts,
        streamed,
        replied,
        begins,
        now: 0,
        summaries: HashSet::new(),
        thread,
        tree: Tree::default(),
        compactions: Vec::new(),
        models: HashMap::new(),
        asked: None,
        gone: HashSet::new(),
        last: None,
        prompt: None,
    };
    for at in 0..lines.len() {
        weaver.line(at);
    }
    if let Some(record) = weaver.last {
        weaver.request(record, Outcome::Pending);
    }
    let begun = lines.iter().find_map(|line| weaver.all.get(*line as usize)?.at);
    let (thread, tree) = (weaver.thread, weaver.tree);
    Woven { thread, tree, compactions: weaver.compactions, prompt: weaver.prompt, begun }
}

/// A record, as the tree needs it.
#[derive(Clone, Copy)]
pub(super) struct Here {
    /// Its own id.
    pub uuid: Option<Key>,
    /// The record before it.
    pub parent: Parent,
    /// Milliseconds since the Unix epoch.
    pub at: Option<i64>,
    /// Where it stands.
    pub record: Record,
}

impl Here {
    /// As the tree knows it.
    pub fn named(&self) -> Named {
        (self.uuid, self.record.line)
    }
}

pub(super) struct Weaver<'a> {
    pub(super) store: &'a mut Store,
    pub(super) all: &'a mut [Parsed],
    pub(super) lines: &'a [u32],
    /// The lines of each of the model's messages, by the first.
    answers: HashMap<u32, Vec<u32>>,
    /// Where the first line of each of them stands among the lines, ascending.
    firsts: Vec<usize>,
    /// The sessions of a stream.
    pub(super) streamed: Streamed,
    /// The prompts that the model answered.
    replied: HashSet<Key>,
    /// The records that the chains of the window's last ones begin with, where the session names these.
    pub(super) begins: HashSet<Key>,
    /// Where the line that is being read stands among the lines.
    now: usize,
    /// Lines of summaries that a boundary has taken.
    pub(super) summaries: HashSet<u32>,
    pub(super) thread: Thread,
    pub(super) tree: Tree,
    pub(super) compactions: Vec<(usize, Option<i64>)>,
    models: HashMap<Box<str>, Arc<str>>,
    /// The prompt that no request has answered yet.
    pub(super) asked: Option<Here>,
    /// Results that the provider cleared.
    pub(super) gone: HashSet<BlockId>,
    /// The last record since the last request that changed the window.
    pub(super) last: Option<Record>,
    prompt: Option<Key>,
}

impl Weaver<'_> {
    pub(super) fn parsed(&self, line: u32) -> Option<&Parsed> {
        self.all.get(line as usize)
    }

    fn line(&mut self, at: usize) {
        let Some(line) = self.lines.get(at).copied() else { return };
        let Some(parsed) = self.all.get_mut(line as usize) else { return };
        self.now = at;
        let here = Here { uuid: parsed.uuid, parent: parsed.parent, at: parsed.at, record: parsed.record };
        self.begin(line);
        let Some(parsed) = self.all.get_mut(line as usize) else { return };
        match std::mem::replace(&mut parsed.what, What::Damaged) {
            What::Said(said) if !self.summaries.contains(&line) => self.said(*said, here),
            What::Answered(answer) => match (answer.made, answer.message) {
                (Some(made), _) => self.made(*answer, made, here),
                (None, Some(_)) => {
                    if let Some(lines) = self.answers.remove(&line) {
                        self.answered(*answer, &lines, here);
                    }
                }
                (None, None) => self.answered(*answer, &[line], here),
            },
            What::Compacted(boundary) => self.compacted(at, *boundary, here),
            What::Cleared(cleared) => {
                self.cleared(&cleared, here.record);
                self.tree.pass(here.uuid, here.parent);
            }
            What::Retracted(records) => {
                self.retract(&records, here.record);
                self.tree.pass(here.uuid, here.parent);
            }
            What::Replaced(results) => {
                self.replace(results, here.record);
                self.tree.pass(here.uuid, here.parent);
            }
            What::Said(_)
            | What::Damaged
            | What::Forked(_)
            | What::Nothing(_)
            | What::Progress { .. }
            | What::Titled { .. }
            | What::Leaf(_)
            | What::Windows(_)
            | What::Streamed { .. }
            | What::Began(_) => self.tree.pass(here.uuid, here.parent),
        }
    }

    pub(super) fn add(&mut self, blocks: (u32, u32)) {
        self.thread.ops.extend((blocks.0..blocks.1).map(|id| Op::Add(BlockId(id))));
    }

    /// A request without an answer that reports anything.
    fn request(&mut self, record: Record, outcome: Outcome) -> RequestId {
        self.push(Request::of(record, None, outcome))
    }

    fn push(&mut self, request: Request) -> RequestId {
        let id = RequestId(index(self.thread.requests.len()));
        self.thread.requests.push(request);
        self.thread.ops.push(Op::Request(id));
        self.asked = None;
        self.last = None;
        id
    }

    fn said(&mut self, said: Said, here: Here) {
        let Here { parent, at: when, record, .. } = here;
        match said.saying {
            Saying::Prompt => {
                self.prompt = self.prompt.or(said.prompt);
                let window = self.branch(parent, true).or_else(|| self.restart(here, &said.drafts));
                let soon = |then: Option<i64>| then.zip(when).is_some_and(|(then, now)| now - then < TOGETHER);
                if let Some(earlier) = self.asked
                    && (window.is_some() || !soon(earlier.at))
                    && !earlier.uuid.is_some_and(|prompt| self.replied.contains(&prompt))
                {
                    self.request(earlier.record, Outcome::Aborted);
                }
                if let Some(window) = window {
                    self.rewind(window, RewindCause::Rewound, record);
                }
                self.asked = Some(here);
            }
            Saying::Summary if !self.tree.is_empty() => {
                // Versions without boundary records: the summary itself stands for the compaction.
                let blocks = self.store.message(Role::User, record, when, None, with(record, said.drafts));
                self.compact(Boundary::default(), blocks, (here.named(), here.named()), here);
                return;
            }
            Saying::Interrupt if self.last.is_some() => {
                self.request(record, Outcome::Aborted);
            }
            _ => {}
        }
        if let (Some(agent), Some(call)) = (said.agent, said.drafts.iter().find_map(|draft| draft.call)) {
            let call = self.store.named.of(call);
            self.store.callers.insert(agent, call);
        }
        let blocks = self.store.message(Role::User, record, when, None, with(record, said.drafts));
        let sort = Sort::of(said.saying);
        // A session that is open twice logs what comes to one terminal between the turns of the other.
        if let Some(anchor) = self.tree.anchor(parent, sort) {
            self.tree.beside(here.named(), anchor, sort, blocks);
            return;
        }
        self.tree.append(here.named(), parent, sort, blocks);
        self.add(blocks);
        self.last = Some(record);
    }

    /// What the next request reports.
    pub(super) fn next_usage(&self) -> Option<Usage> {
        let next = self.firsts.partition_point(|first| *first < self.now);
        match &self.parsed(*self.lines.get(*self.firsts.get(next)?)?)?.what {
            What::Answered(answer) => answer.usage,
            _ => None,
        }
    }

    fn branch(&self, parent: Parent, far: bool) -> Option<Vec<NodeId>> {
        if self.store.builder.has_room() { self.tree.branch(parent, far) } else { None }
    }

    /// Whether more stands behind all that stays in a window than an answer alone, in whose place another may come.
    fn leaves_branch(&self, window: &[NodeId]) -> bool {
        let (now, stays) = (self.tree.window(), self.tree.blocks(window).into_iter().collect::<HashSet<_>>());
        let end = now.iter().rposition(|id| stays.contains(id)).map_or(0, |last| last + 1);
        let block = |id: &BlockId| self.store.builder.transcript.block(*id);
        let left = || now.iter().skip(end).filter_map(block);
        let told = |layer: Layer| matches!(layer, Layer::User | Layer::ToolResults);
        left().any(|block| block.role == Role::Assistant) && left().any(|block| told(block.layer))
    }

    pub(super) fn rewind(&mut self, window: Vec<NodeId>, cause: RewindCause, record: Record) {
        let known = window.len() - self.tree.fresh(&window);
        let (known, fresh) = window.split_at_checked(known).unwrap_or((&window, &[]));
        let (blocks, fresh) = (self.tree.blocks(known), self.tree.blocks(fresh));
        if !self.store.builder.hold(record, blocks.len() + window.len()) {
            return;
        }
        self.tree.set_window(window);
        self.thread.ops.push(Op::Rewind(Box::new(Rewind { record, cause, window: blocks, dropped: Vec::new() })));
        self.thread.ops.extend(fresh.into_iter().map(Op::Add));
    }

    /// All lines of one of the model's messages, at the place of the first.
    fn answered(&mut self, first: Answer, lines: &[u32], here: Here) {
        let Here { parent, at: when, record, .. } = here;
        if let Some(window) = self.branch(parent, false) {
            let cause = if self.leaves_branch(&window) { RewindCause::Rewound } else { RewindCause::Edited };
            self.rewind(window, cause, record);
        }
        let (key, message) = (first.id.as_deref().map(Arc::from), first.message);
        let mut drafts: Vec<(Record, Draft)> = Vec::new();
        let mut uuids = Vec::new();
        let (mut model, mut usage, mut output, mut thinking) = (None, None, None, None);
        let (mut asides, mut managed, mut replaces) = (Vec::new(), Managed::default(), Vec::new());
        let mut starts: Vec<Start> = Vec::new();
        let mut first = Some(first);
        for line in lines {
            let Some(parsed) = self.all.get_mut(*line as usize) else { continue };
            let answer = match std::mem::replace(&mut parsed.what, What::Damaged) {
                What::Answered(answer) => *answer,
                _ => match first.take() {
                    Some(answer) => answer,
                    None => continue,
                },
            };
            uuids.push((parsed.uuid, parsed.record.line));
            drafts.extend(with(parsed.record, answer.drafts));
            model = answer.model.or(model);
            if answer.stopped {
                output = answer.usage.map(|usage| (usage.output, usage.reasoning));
            }
            if answer.usage.is_some() {
                (usage, asides) = (answer.usage, answer.asides);
            }
            thinking = answer.thinking.or(thinking);
            managed = if answer.managed.calls > 0 { answer.managed } else { managed };
            replaces.extend(answer.replaces);
            starts.extend(answer.starts);
        }
        output = output.or_else(|| Some((Some(self.streamed.output(message?)?), None)));
        if let Some(usage) = &mut usage {
            // A message that never stopped reports what had been streamed when the line was written.
            (usage.output, usage.reasoning) = output.unwrap_or((None, usage.reasoning));
        }
        once_each(&mut drafts);
        reveal(&mut drafts, thinking);
        let model = model.map(|model| self.model(&model));
        self.manage(managed, record);
        self.retract(&replaces, record);
        let request = self.push(Request { key, model, usage, asides, ..Request::of(record, when, Outcome::Answered) });
        let blocks = self.store.message(Role::Assistant, record, when, Some(request), drafts);
        let Store { named, starts: all, .. } = &mut *self.store;
        all.extend(starts.into_iter().map(|start| Start { call: named.of(start.call), ..start }));
        self.add(blocks);
        self.tree.append(here.named(), parent, Sort::Turn, blocks);
        for named in uuids {
            let own = self.of_line(blocks, named.1);
            self.tree.also(named, own);
        }
        // Where another model went on within the answer, its text repeats what the first one had begun.
        self.retract(&replaces, record);
    }

    fn model(&mut self, name: &str) -> Arc<str> {
        if let Some(known) = self.models.get(name) {
            return Arc::clone(known);
        }
        let shared: Arc<str> = Arc::from(name);
        self.models.insert(Box::from(name), Arc::clone(&shared));
        shared
    }

    /// A message that the client made in the model's name.
    fn made(&mut self, answer: Answer, made: Made, here: Here) {
        let Here { parent, at: when, record, .. } = here;
        let outcome = match made {
            Made::Filler => None,
            Made::Failed => Some(Outcome::Aborted),
            Made::TooLong => Some(Outcome::TooLong),
        };
        let request = outcome.map(|outcome| self.request(record, outcome));
        let blocks = self.store.message(Role::Assistant, record, when, request, with(record, answer.drafts));
        if request.is_some() {
            self.tree.pass(here.uuid, here.parent);
        } else {
            // It says that nothing was asked of the model.
            self.asked = None;
            self.tree.append(here.named(), parent, Sort::Turn, blocks);
            self.add(blocks);
        }
    }

    fn cleared(&mut self, cleared: &Cleared, record: Record) {
        let mut blocks: Vec<BlockId> = Vec::new();
        for call in &cleared.calls {
            blocks.extend(self.store.results.get(call).into_iter().flatten());
        }
        let attachments = cleared.attachments.iter().filter_map(|key| self.tree.find(*key));
        blocks.extend(self.tree.blocks(&attachments.collect::<Vec<_>>()));
        self.thread.ops.push(Op::Clear(Box::new(Clearing {
            record,
            trigger: cleared.trigger,
            tokens_before: cleared.before,
            tokens_saved: cleared.saved,
            blocks,
            marker: CLEARED,
        })));
    }
}

pub(super) fn with(record: Record, drafts: Box<[Draft]>) -> impl Iterator<Item = (Record, Draft)> {
    drafts.into_iter().map(move |piece| (record, piece))
}

/// Drops calls that stand twice in one message (some versions log a message again after a retry).
fn once_each(drafts: &mut Vec<(Record, Draft)>) {
    let mut seen = HashSet::new();
    drafts.retain(|(_, draft)| match draft.call {
        Some(call) if draft.kind == BlockKind::ToolCall => seen.insert(call),
        _ => true,
    });
}

/// Gives hidden reasoning its tokens, where it is the only reasoning of its message.
fn reveal(drafts: &mut [(Record, Draft)], tokens: Option<u64>) {
    let mut thinking = drafts.iter_mut().filter(|(_, draft)| draft.kind == BlockKind::Thinking);
    if let (Some((_, Draft { body: Body::Hidden(hidden), .. })), None) = (thinking.next(), thinking.next()) {
        hidden.tokens = tokens;
    }
}

/// Names a thread.
pub(super) fn title(text: Option<&str>, otherwise: &str) -> String {
    let text = text.map(str::trim).filter(|text| !text.is_empty());
    Cow::Borrowed(text.unwrap_or(otherwise)).into_owned()
}
