//! From the records of one thread to what happened in it: blocks, requests, changes of the window.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use crate::model::{
    BlockId, BlockKind, Body, Clearing, Compaction, Op, Outcome, Record, Request, RequestId, Rewind, RewindCause, Role,
    SourceId, Thread, ThreadKind, Usage,
};

use super::super::build::Draft;
use super::managed::Managed;
use super::parse::sums_up;
use super::record::{Answer, Boundary, Cleared, Key, Made, Parent, Parsed, Said, Saying, What};
use super::store::{Store, index};
use super::streamed::Streamed;
use super::tree::{Named, NodeId, Sort, Tree};

/// What the model sees in place of a result that was cleared.
const CLEARED: &str = "[Old tool result content cleared]";
/// Prompts that come within so many milliseconds were sent together.
const TOGETHER: i64 = 1_000;
/// Blocks that all windows after compactions and rewinds may name in sum; no session comes near it.
const WINDOWS: usize = 40_000_000;

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
    let mut answers: HashMap<Key, Vec<u32>> = HashMap::new();
    for line in lines {
        if let Some(Parsed { what: What::Answered(answer), .. }) = all.get(*line as usize)
            && let (Some(message), None) = (answer.message, answer.made)
        {
            answers.entry(message).or_default().push(*line);
        }
    }
    let mut firsts: Vec<u32> = answers.values().filter_map(|lines| lines.first().copied()).collect();
    firsts.sort_unstable();
    let streamed = Streamed::of(all, lines);
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
        named: 0,
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
struct Here {
    uuid: Option<Key>,
    parent: Parent,
    at: Option<i64>,
    record: Record,
}

impl Here {
    fn named(&self) -> Named {
        (self.uuid, self.record.line)
    }
}

pub(super) struct Weaver<'a> {
    pub(super) store: &'a mut Store,
    pub(super) all: &'a mut [Parsed],
    lines: &'a [u32],
    /// The lines of each of the model's messages.
    answers: HashMap<Key, Vec<u32>>,
    /// The first line of each of them, ascending.
    firsts: Vec<u32>,
    /// The sessions of a stream.
    pub(super) streamed: Streamed,
    /// The line that is being read.
    now: u32,
    /// Lines of summaries that a boundary has taken.
    summaries: HashSet<u32>,
    pub(super) thread: Thread,
    pub(super) tree: Tree,
    compactions: Vec<(usize, Option<i64>)>,
    models: HashMap<Box<str>, Arc<str>>,
    /// The prompt that no request has answered yet, and its time.
    asked: Option<(Record, Option<i64>)>,
    /// Results that the provider cleared.
    pub(super) gone: HashSet<BlockId>,
    /// The last record since the last request that changed the window.
    last: Option<Record>,
    prompt: Option<Key>,
    /// Blocks named by windows so far.
    named: usize,
}

impl Weaver<'_> {
    pub(super) fn parsed(&self, line: u32) -> Option<&Parsed> {
        self.all.get(line as usize)
    }

    fn line(&mut self, at: usize) {
        let Some(line) = self.lines.get(at).copied() else { return };
        let Some(parsed) = self.all.get_mut(line as usize) else { return };
        self.now = line;
        let here = Here { uuid: parsed.uuid, parent: parsed.parent, at: parsed.at, record: parsed.record };
        self.begin(line);
        let Some(parsed) = self.all.get_mut(line as usize) else { return };
        match std::mem::replace(&mut parsed.what, What::Damaged) {
            What::Said(said) if !self.summaries.contains(&line) => self.said(*said, here),
            What::Answered(answer) => match (answer.made, answer.message) {
                (Some(made), _) => self.made(*answer, made, here),
                (None, Some(message)) => {
                    if let Some(lines) = self.answers.remove(&message) {
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
            What::Said(_)
            | What::Damaged
            | What::Nothing(_)
            | What::Progress { .. }
            | What::Titled { .. }
            | What::Windows(_)
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
                let window = self.branch(parent, true).or_else(|| self.restart(parent, &said.drafts));
                let soon = |then: Option<i64>| then.zip(when).is_some_and(|(then, now)| now - then < TOGETHER);
                if let Some((earlier, then)) = self.asked
                    && (window.is_some() || !soon(then))
                {
                    self.request(earlier, Outcome::Aborted);
                }
                if let Some(window) = window {
                    self.rewind(window, RewindCause::Rewound, record);
                }
                self.asked = Some((record, when));
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
            self.store.callers.insert(agent, call);
        }
        let blocks = self.store.message(Role::User, record, when, None, with(record, said.drafts));
        self.tree.append(here.named(), parent, Sort::of(said.saying), blocks);
        self.add(blocks);
        self.last = Some(record);
    }

    /// What the next request reports.
    pub(super) fn next_usage(&self) -> Option<Usage> {
        let next = self.firsts.partition_point(|first| *first < self.now);
        match &self.parsed(*self.firsts.get(next)?)?.what {
            What::Answered(answer) => answer.usage,
            _ => None,
        }
    }

    fn branch(&self, parent: Parent, far: bool) -> Option<Vec<NodeId>> {
        if self.named > WINDOWS { None } else { self.tree.branch(parent, far) }
    }

    pub(super) fn rewind(&mut self, window: Vec<NodeId>, cause: RewindCause, record: Record) {
        let blocks = self.tree.blocks(&window);
        self.named = self.named.saturating_add(blocks.len() + window.len());
        if self.named > WINDOWS {
            let message = "Too many branches: this one and all later ones are read as going on.".to_owned();
            self.store.builder.warn(record.source, record.line, message);
            return;
        }
        self.tree.take(window);
        self.thread.ops.push(Op::Rewind(Box::new(Rewind { record, cause, window: blocks })));
    }

    /// All lines of one of the model's messages, at the place of the first.
    fn answered(&mut self, first: Answer, lines: &[u32], here: Here) {
        let Here { parent, at: when, record, .. } = here;
        if let Some(window) = self.branch(parent, false) {
            self.rewind(window, RewindCause::Edited, record);
        }
        let key = first.id.as_deref().map(Arc::from);
        let mut drafts: Vec<(Record, Draft)> = Vec::new();
        let mut uuids = Vec::new();
        let (mut model, mut usage, mut output, mut thinking) = (None, None, None, None);
        let (mut asides, mut managed) = (Vec::new(), Managed::default());
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
            self.store.starts.extend(answer.starts);
        }
        if let Some(usage) = &mut usage {
            // A message that never stopped reports what had been streamed when the line was written.
            (usage.output, usage.reasoning) = output.unwrap_or((None, usage.reasoning));
        }
        once_each(&mut drafts);
        reveal(&mut drafts, thinking);
        let model = model.map(|model| self.model(&model));
        self.manage(managed, record);
        let request = self.push(Request { key, model, usage, asides, ..Request::of(record, when, Outcome::Answered) });
        let blocks = self.store.message(Role::Assistant, record, when, Some(request), drafts);
        self.add(blocks);
        let mut uuids = uuids.into_iter();
        self.tree.append(uuids.next().unwrap_or(here.named()), parent, Sort::Turn, blocks);
        uuids.for_each(|named| self.tree.also(named));
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

    fn compacted(&mut self, at: usize, boundary: Boundary, here: Here) {
        let mut summary = None;
        // A stream marks its summary only as written by no person; nothing a person said comes before it.
        let mut marked = None;
        let mut waits = true;
        for line in self.lines.get(at + 1..).unwrap_or_default() {
            match self.parsed(*line).map(|parsed| &parsed.what) {
                Some(What::Said(said)) if said.saying == Saying::Summary => summary = Some(*line),
                Some(What::Said(said)) => {
                    if said.synthetic && said.saying == Saying::Other && waits {
                        marked = Some(*line);
                    }
                    waits &= marked.is_none() && said.saying == Saying::Other;
                    continue;
                }
                Some(What::Answered(_) | What::Compacted(_)) | None => {}
                _ => continue,
            }
            break;
        }
        let summary = summary.or(marked);
        let mut blocks = (0, 0);
        let mut named = (None, 0);
        if let Some(line) = summary
            && let Some(parsed) = self.all.get_mut(line as usize)
        {
            self.summaries.insert(line);
            let (record, when) = (parsed.record, parsed.at);
            named = (parsed.uuid, record.line);
            if let What::Said(mut said) = std::mem::replace(&mut parsed.what, What::Damaged) {
                sums_up(&mut said.drafts);
                blocks = self.store.message(Role::User, record, when, None, with(record, said.drafts));
            }
        }
        self.compact(boundary, blocks, (here.named(), named), here);
    }

    /// The window becomes the summary and what is kept. `names` are the boundary's and the summary's ids.
    fn compact(&mut self, boundary: Boundary, summary: (u32, u32), names: (Named, Named), here: Here) {
        let kept = self.kept(&boundary);
        self.tree.clear();
        self.keep_tools();
        let kept_first = boundary.anchor.is_some() && boundary.anchor == names.0.0;
        if !kept_first {
            self.tree.append(names.1, Parent::Unsaid, Sort::Turn, summary);
        }
        for (named, sort, blocks) in kept {
            self.tree.append(named, Parent::Unsaid, sort, blocks);
        }
        if kept_first {
            self.tree.append(names.1, Parent::Unsaid, Sort::Turn, summary);
        }
        // What comes after either of the two records comes after all that the compaction left.
        self.tree.also(names.0);
        self.tree.also(names.1);
        let window = self.tree.window();
        self.named = self.named.saturating_add(window.len());
        self.compactions.push((self.thread.ops.len(), here.at));
        self.thread.ops.push(Op::Compact(Box::new(Compaction {
            record: here.record,
            trigger: boundary.trigger,
            tokens_before: boundary.before,
            tokens_after: boundary.after,
            window,
            summariser: None,
            inferred: false,
        })));
        self.asked = None;
        self.last = Some(here.record);
    }

    /// The records that a compaction keeps, as far as they are there, each with its own blocks.
    fn kept(&self, boundary: &Boundary) -> Vec<(Named, Sort, (u32, u32))> {
        let mut seen = HashSet::new();
        let once = boundary.kept.iter().filter(|key| seen.insert(**key));
        let named = once.filter_map(|key| Some(((Some(*key), 0), self.tree.own(*key)?)));
        let mut kept: Vec<(Named, (NodeId, Option<u32>))> =
            named.map(|(name, (node, line))| ((name.0, line), (node, Some(line)))).collect();
        if kept.is_empty()
            && self.named <= WINDOWS
            && let Some((head, tail)) = boundary.segment
            && let (Some(head), Some(tail)) = (self.tree.find(head), self.tree.find(tail))
        {
            kept = self.tree.between(head, tail).into_iter().map(|id| ((None, 0), (id, None))).collect();
        }
        kept.into_iter()
            .filter_map(|(name, (node, line))| {
                let (sort, blocks) = self.tree.copy(node)?;
                Some((name, sort, line.map_or(blocks, |line| self.of_line(blocks, line))))
            })
            .collect()
    }

    /// Those of a message's blocks that stand in one line.
    fn of_line(&self, blocks: (u32, u32), line: u32) -> (u32, u32) {
        let stands =
            |id: &u32| self.store.builder.transcript.block(BlockId(*id)).is_some_and(|block| block.record.line == line);
        let Some(first) = (blocks.0..blocks.1).find(stands) else { return (blocks.0, blocks.0) };
        let count = (first..blocks.1).take_while(stands).count();
        (first, first + index(count))
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
