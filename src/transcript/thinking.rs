//! Which thinking of earlier turns Anthropic's API leaves out of a request, by the model that is asked.
//!
//! Clients send it back with each request; no record says that the model was not shown it, but the reported context
//! grows by that much less.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use crate::model::{
    Block, BlockId, Body, Layer, Op, Record, Request, RequestId, Rewind, RewindCause, Role, Thread, Transcript,
};

use super::build::Builder;
use super::history::leave;

/// What of a window's thinking the model is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    /// All of it.
    All,
    /// That of the turn that goes on: what the model thought since the user last wrote.
    Turn,
    /// That of so many turns in which the model spoke, the newest ones.
    Turns(u64),
}

/// A line of Claude's models, and the version from which on thinking of earlier turns stays where the client asks for
/// nothing else. Documented (Context editing, Thinking block clearing); that it is gone with the next prompt is measured
/// on Haiku 4.5, and that it stays on Opus 4.5 and 4.6.
const STAYS_FROM: &[(&str, (u32, u32))] = &[("opus", (4, 5)), ("sonnet", (4, 6)), ("haiku", (4, 6))];

/// What a model is shown where its client asks for nothing else. All of it where the model is not known.
#[must_use]
pub fn by_model(name: &str) -> Keep {
    let name: String = name.chars().take(256).collect::<String>().to_lowercase();
    let words: Vec<&str> = name.split(|sign: char| !sign.is_ascii_alphanumeric()).collect();
    let Some(words) = words.iter().position(|word| *word == "claude").and_then(|at| words.get(at + 1..)) else {
        return Keep::All;
    };
    let line = |word: &&str| STAYS_FROM.iter().find(|(line, _)| line == word);
    let Some((at, (_, from))) = words.iter().enumerate().find_map(|(at, word)| Some((at, line(word)?))) else {
        return Keep::All;
    };
    // `claude-3-7-sonnet-20250219`, `claude-sonnet-4-20250514`, `claude-haiku-4.5`: a date is no version.
    let (before, after) = (words.get(..at).unwrap_or_default(), words.get(at + 1..).unwrap_or_default());
    let version = [after, before].into_iter().find_map(|words| {
        let digits = |word: &&&str| word.len() <= 2 && word.bytes().all(|byte| byte.is_ascii_digit());
        let mut numbers = words.iter().take_while(digits).filter_map(|word| word.parse().ok());
        Some((numbers.next()?, numbers.next().unwrap_or(0)))
    });
    if version.is_some_and(|version: (u32, u32)| version < *from) { Keep::Turn } else { Keep::All }
}

/// A turn, as far as it stands in a window.
#[derive(Default)]
struct Turn {
    thinking: Vec<BlockId>,
    /// Whether the model spoke in it.
    spoke: bool,
}

/// The turns of a window.
#[derive(Default)]
struct Turns {
    all: Vec<Turn>,
    /// What came in since the model last spoke: a prompt, results of tools, anything else.
    since: (bool, bool, bool),
}

impl Turns {
    fn of(transcript: &Transcript, window: &[BlockId]) -> Self {
        let mut turns = Turns::default();
        window.iter().for_each(|id| turns.add(transcript, *id));
        turns
    }

    fn add(&mut self, transcript: &Transcript, id: BlockId) {
        let Some(block) = transcript.block(id) else { return };
        let (prompt, results, other) = &mut self.since;
        match (block.role, block.layer) {
            (Role::Assistant, layer) => {
                self.settle();
                let turn = self.now();
                turn.spoke = true;
                if layer == Layer::Thinking {
                    turn.thinking.push(id);
                }
            }
            (Role::System | Role::Developer, _) => {}
            (_, Layer::User) => *prompt = true,
            (_, Layer::ToolResults) => *results = true,
            (_, layer) => *other |= !layer.is_prompt(),
        }
    }

    fn now(&mut self) -> &mut Turn {
        if self.all.is_empty() {
            self.all.push(Turn::default());
        }
        let last = self.all.len() - 1;
        &mut self.all[last]
    }

    /// Results alone go on with a turn; anything else from the user's side begins one, but for what an agent's record has
    /// as a reminder beside them: it may be sent inside of them.
    fn settle(&mut self) {
        let (prompt, results, other) = std::mem::take(&mut self.since);
        if (prompt || other && !results) && self.all.last().is_some_and(|turn| turn.spoke) {
            self.all.push(Turn::default());
        }
    }

    /// Takes out what a request made now is sent without.
    fn leave_out(&mut self, keep: Keep) -> Vec<BlockId> {
        self.settle();
        let stays = match keep {
            Keep::All => return Vec::new(),
            Keep::Turn => 1,
            Keep::Turns(count) => {
                let count = usize::try_from(count).unwrap_or(usize::MAX);
                let going_on = self.all.last().is_some_and(|turn| !turn.spoke);
                count.saturating_add(usize::from(going_on))
            }
        };
        let earlier = self.all.len().saturating_sub(stays);
        self.all.drain(..earlier).flat_map(|turn| turn.thinking).collect()
    }
}

/// Puts in where a thread's requests were sent without thinking of earlier turns. `keep` says what a request keeps of it,
/// with the model that it asks; what was left out once does not come back.
pub fn leave_out(builder: &mut Builder, thread: &mut Thread, keep: &dyn Fn(RequestId, &str) -> Keep) {
    let (mut gone, mut window): (HashSet<BlockId>, Vec<BlockId>) = (HashSet::new(), Vec::new());
    let (mut turns, mut model) = (Turns::default(), None);
    // Thinking that compactions left behind, which a history without them still holds.
    let mut behind: BTreeSet<BlockId> = BTreeSet::new();
    let mut ops = Vec::with_capacity(thread.ops.len());
    for mut op in std::mem::take(&mut thread.ops) {
        let transcript = &builder.transcript;
        match &mut op {
            Op::Add(id) => {
                window.push(*id);
                turns.add(transcript, *id);
            }
            Op::Request(id) => {
                let request = thread.requests.get(id.0 as usize);
                model = request.and_then(|request| request.model.clone()).or(model);
                let less = turns.leave_out(model.as_deref().map_or(Keep::All, |model| keep(*id, model)));
                if let Some(record) = request.map(|request| request.record).filter(|_| !less.is_empty()) {
                    let known = (window.len(), behind.len());
                    gone.extend(&less);
                    window.retain(|id| !gone.contains(id));
                    behind.retain(|id| !gone.contains(id));
                    if (window.len(), behind.len()) != known && builder.hold(record, window.len()) {
                        ops.push(dropped(record, window.clone(), less));
                    }
                }
            }
            Op::Compact(compaction) => {
                compaction.window.retain(|id| !gone.contains(id));
                // A turn goes on past a compaction, and earlier ones stay behind it.
                let is_thinking = |id: &&BlockId| transcript.block(**id).is_some_and(|it| it.layer == Layer::Thinking);
                behind.extend(window.iter().filter(is_thinking));
                let held: HashSet<BlockId> = window.iter().copied().collect();
                for id in compaction.window.iter().filter(is_thinking) {
                    if !behind.remove(id) && !held.contains(id) {
                        turns.add(transcript, *id);
                    }
                }
                window.clone_from(&compaction.window);
            }
            Op::Rewind(rewind) => {
                let held = rewind.window.len();
                rewind.window.retain(|id| !gone.contains(id));
                // The client left out what was gone before.
                if rewind.window.len() <= held
                    && rewind.cause == RewindCause::ThinkingDropped
                    && rewind.window == window
                {
                    continue;
                }
                window.clone_from(&rewind.window);
                turns = Turns::of(transcript, &window);
                for id in &window {
                    behind.remove(id);
                }
                let is_summary = |id: &BlockId| transcript.block(*id).is_some_and(|it| it.layer == Layer::Summaries);
                let stays = !behind.is_empty() && window.iter().any(is_summary);
                if stays && builder.hold(rewind.record, behind.len()) {
                    turns.all.insert(0, Turn { thinking: behind.iter().copied().collect(), spoke: true });
                } else {
                    behind.clear();
                }
            }
            Op::Clear(clearing) => clearing.blocks.retain(|id| !gone.contains(id)),
            Op::Shorten(shortening) => {
                shortening.blocks.retain(|short| !gone.contains(&short.block));
                leave(&mut window, &shortening.blocks);
            }
        }
        if !matches!(&op, Op::Clear(clearing) if clearing.blocks.is_empty() && clearing.marker.is_empty()) {
            ops.push(op);
        }
    }
    thread.ops = ops;
}

fn dropped(record: Record, window: Vec<BlockId>, dropped: Vec<BlockId>) -> Op {
    Op::Rewind(Box::new(Rewind { record, cause: RewindCause::ThinkingDropped, window, dropped }))
}

/// Less thinking than so many tokens shows nothing: estimates of what comes in beside it are not that exact.
const TELLING: u64 = 200;
/// Nor does what is less than this share of what comes in beside it.
const BESIDE: u64 = 3;

/// The models of which the reported figures say that thinking of earlier turns stayed, whatever their rule: clients may
/// ask for that, and agents' records do not show it.
#[must_use]
pub fn shown<'t>(transcript: &Transcript, threads: impl Iterator<Item = &'t Thread>) -> HashSet<Arc<str>> {
    // By model: the tokens of what its rule leaves out, and how much less was reported than with all of it.
    let mut found: HashMap<Arc<str>, (u64, i64)> = HashMap::new();
    for thread in threads {
        let grown = growth(transcript, thread);
        let known = |grown: &&Grown| !grown.is_unknown && grown.after > grown.before;
        let loops = || grown.iter().filter(|grown| grown.gone == 0).filter(known);
        let (tokens, chars) = (
            loops().fold(0, |sum: u64, grown| sum.saturating_add(grown.after - grown.before)),
            loops().fold(0, |sum: u64, grown| sum.saturating_add(grown.came)),
        );
        // What a token has of characters in this thread; four where nothing tells it.
        let (tokens, chars) = if chars == 0 { (1, 4) } else { (tokens.clamp(chars / 5, chars / 2), chars) };
        let counted = |held: u64| u64::try_from(u128::from(held) * u128::from(tokens) / u128::from(chars)).unwrap_or(0);
        for grown in grown.iter().filter(|grown| grown.gone > 0 && !grown.is_unknown) {
            let (came, gone) = (counted(grown.came), counted(grown.gone));
            if came > gone.saturating_mul(BESIDE) {
                continue;
            }
            let with = grown.before.saturating_add(came);
            let missing = i64::try_from(with).unwrap_or(i64::MAX).saturating_sub_unsigned(grown.after);
            let sum = found.entry(Arc::clone(&grown.model)).or_default();
            *sum = (sum.0.saturating_add(gone), sum.1.saturating_add(missing));
        }
    }
    let stays = |(gone, missing): &(u64, i64)| {
        *gone >= TELLING && missing.saturating_mul(2) < i64::try_from(*gone).unwrap_or(i64::MAX)
    };
    found.into_iter().filter(|(_, sums)| stays(sums)).map(|(model, _)| model).collect()
}

/// From one request to the next.
struct Grown {
    model: Arc<str>,
    before: u64,
    after: u64,
    /// Characters that came in, the answer's among them.
    came: u64,
    /// Characters of thinking of earlier turns that the model's rule leaves out.
    gone: u64,
    /// Whether anything came or goes of which the size is not known.
    is_unknown: bool,
}

fn growth(transcript: &Transcript, thread: &Thread) -> Vec<Grown> {
    let mut found = Vec::new();
    let mut turns = Turns::default();
    let (mut before, mut came, mut is_unknown) = (None, 0u64, false);
    for op in &thread.ops {
        match op {
            Op::Add(id) => {
                turns.add(transcript, *id);
                let size = transcript.block(*id).map(size);
                came = came.saturating_add(size.flatten().unwrap_or(0));
                is_unknown |= size.is_none_or(|size| size.is_none());
            }
            Op::Request(id) => {
                let Some((model, after)) = thread.requests.get(id.0 as usize).and_then(asked) else { continue };
                let sizes: Vec<Option<u64>> =
                    turns.leave_out(by_model(&model)).iter().map(|id| transcript.block(*id).and_then(size)).collect();
                is_unknown |= sizes.iter().any(Option::is_none);
                let gone = sizes.iter().flatten().fold(0, |sum: u64, size| sum.saturating_add(*size));
                if let Some(before) = before {
                    found.push(Grown { model, before, after, came, gone, is_unknown });
                }
                (before, came, is_unknown) = (Some(after), 0, false);
            }
            Op::Compact(compaction) => (turns, before) = (Turns::of(transcript, &compaction.window), None),
            Op::Rewind(rewind) => (turns, before) = (Turns::of(transcript, &rewind.window), None),
            Op::Clear(_) | Op::Shorten(_) => before = None,
        }
    }
    found
}

fn asked(request: &Request) -> Option<(Arc<str>, u64)> {
    Some((request.model.clone()?, request.usage?.context())).filter(|(_, context)| *context > 0)
}

/// Characters, as far as they are known.
fn size(block: &Block) -> Option<u64> {
    match &block.body {
        Body::Text { chars, .. } => Some(*chars),
        Body::Hidden(hidden) => hidden.tokens.map(|tokens| tokens.saturating_mul(4)),
        Body::Media(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_line_of_claude_has_its_rule() {
        for old in [
            "claude-3-7-sonnet-20250219",
            "claude-3-opus-20240229",
            "claude-sonnet-4-20250514",
            "claude-sonnet-4-5",
            "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
            "anthropic/claude-opus-4.1",
            "claude-opus-4@20250514",
            "claude-sonnet-4-5-20250929[1m]",
            "claude-haiku-4-5-20251001",
        ] {
            assert_eq!(by_model(old), Keep::Turn, "{old}");
        }
        for new in [
            "claude-opus-4-5-20251101",
            "claude-opus-4.6[1m]",
            "claude-opus-5",
            "claude-sonnet-4-6",
            "claude-sonnet-5",
            "claude-haiku-5-5",
            "claude-fable-5",
            "claude-mythos-preview",
            "claude-sonnet",
            "claude-test",
            "gpt-5",
            "sonnet-4-5",
            "<synthetic>",
            "",
        ] {
            assert_eq!(by_model(new), Keep::All, "{new}");
        }
    }
}
