//! Events: one decision of one stage at one step.

use std::borrow::Cow;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{BlockId, EntryId, EntryIds, Record, Usage};

/// Index into [`crate::model::Run::events`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct EventId(pub u32);

macro_rules! stages {
    ($( $variant:ident, $name:literal, $mark:literal, $explain:literal, $source:literal; )*) => {
        /// What can change a window, in the order in which a step asks them.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
        #[serde(rename_all = "snake_case")]
        pub enum Stage { $( #[doc = $explain] $variant, )* }

        impl Stage {
            /// Every stage, in order.
            pub const ALL: &[Stage] = &[ $( Stage::$variant, )* ];

            /// Name in JSON.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $( Stage::$variant => $name, )* }
            }

            /// The sign that stands for it on the screen.
            #[must_use]
            pub fn mark(self) -> &'static str {
                match self { $( Stage::$variant => $mark, )* }
            }

            /// What it does, and what to know of it: two sentences.
            #[must_use]
            pub fn explain(self) -> &'static str {
                match self { $( Stage::$variant => $explain, )* }
            }

            /// Where its rules are from.
            #[must_use]
            pub fn source(self) -> &'static str {
                match self { $( Stage::$variant => $source, )* }
            }
        }
    };
}

stages! {
    Session, "session", "⊢", "Another session begins in the same transcript. Its window holds nothing of the one before.",
        "the transcript: a record that begins a session of another id";
    Rewind, "rewind", "↶", "The user went back to an earlier message, or the client sent another history than before. What stood behind that point is gone from the window, though the file still holds it.",
        "the transcript: messages that no longer lead to the newest";
    Reasoning, "reasoning", "∴", "The reasoning of earlier turns is left out, as the providers of some models do with each new turn. Nothing records it: it shows in the sizes that the requests report.",
        "the rule of the model's provider, and windows that shrink by their reasoning when the user writes again";
    Admit, "admit", "+", "Takes in what is new since the last request: messages, tool results, attachments, instructions. Where a window jumps, look here first for what came in.",
        "the transcript: a replay admits what was sent";
    Pack, "pack", "◇", "Puts memories that fit the query into the window, within a budget. Every request that holds them pays for them.",
        "source 2: pack() fills a budget with the memories that fit the query";
    Limit, "limit", "▭", "Cuts attached files to the limits of their format, then to tokens. It costs nothing, and leaves a text alone of which passages are chosen instead.",
        "source 4: limits per file format, then tokens per file";
    Select, "select", "▤", "Chooses the sections or chunks of a document that fit the task. What is not chosen is nowhere in the window, and a short document goes in whole.",
        "source 1: sections by priority, else the nearest windows";
    Truncate, "truncate", "✂", "Cuts a large result or message and leaves a pointer to the rest. It costs nothing and should come first.",
        "source 5: layer 1, tool result truncation; source 3: virtual files";
    Microcompact, "microcompact", "○", "Clears stale tool results without a model. What is cleared leaves a marker.",
        "source 5: layer 2, microcompact";
    Collapse, "collapse", "≡", "Shows old turns as one line each when the window is read. The originals stay.",
        "source 5: layer 5, context collapse, which it calls an open problem";
    Preserve, "preserve", "◆", "Extracts durable facts before a compaction takes the text away. By rules it costs nothing; a model does it in the call that writes the summary.",
        "source 2: preserve()";
    Summarise, "summarise", "┊", "Replaces the history with a summary, which a model writes as a rule. What the summary leaves out is gone.",
        "source 5: layer 3, auto-compact; source 3: compaction";
    Reactive, "reactive", "!", "One harder compaction, after the model refused the prompt as too long or while the window is still over its size. There is no second: where it does not help, the step is marked as failed.",
        "source 5: layer 4, reactive compact";
    Drop, "drop", "⊖", "Takes the oldest turns or results away, with nothing in their place. It needs no model, but nothing tells the one that reads on what is missing, and the cached prefix is lost.",
        "source 3: its first version; source 5: anti-pattern 1";
    Reconcile, "reconcile", "∪", "Merges near-equal memories and promotes what is used often. It changes the store, and the window with the next memories packed.",
        "source 2: reconciliation";
    Notice, "notice", "i", "Tells the model how much of the window is used, and which files it has read. It comes last in a request and counts itself, so that a prefix before it can be reused.",
        "source 3: a system message with the consumed and available tokens";
}

impl Stage {
    /// Whether it cuts a piece where it stands, rather than putting another in its place.
    #[must_use]
    pub fn cuts_in_place(self) -> bool {
        matches!(self, Stage::Limit | Stage::Select | Stage::Truncate)
    }

    /// Whether it is the history itself that changes, before anything comes in, and no rule of a policy.
    #[must_use]
    pub fn is_history(self) -> bool {
        matches!(self, Stage::Session | Stage::Rewind | Stage::Reasoning)
    }

    /// Whether it acts on what comes in, before a request has held it.
    #[must_use]
    pub fn takes_in(self) -> bool {
        self == Stage::Admit || self.cuts_in_place()
    }

    /// Whether it puts a summary in the place of a history.
    #[must_use]
    pub fn summarises(self) -> bool {
        matches!(self, Stage::Summarise | Stage::Reactive)
    }

    /// Whether it is one of the layers of defence (source 5), or admission, which they answer.
    #[must_use]
    pub fn defends(self) -> bool {
        matches!(self, Stage::Admit | Stage::Truncate | Stage::Microcompact | Stage::Collapse) || self.summarises()
    }
}

/// Who asked for a compaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Trigger {
    /// The agent, by its own rule.
    Auto,
    /// The user.
    Manual,
}

/// A figure and what it measures.
pub type Measure = u64;

/// Why an entry is still needed: a later block repeats a distinctive term of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Evidence {
    /// The entry.
    pub entry: EntryId,
    /// The later block that repeats the term.
    pub by: BlockId,
    /// Bytes of the term in that block's decoded text.
    pub term: (u64, u64),
    /// The term. Untrusted.
    pub word: Arc<str>,
    /// Whether the entry stayed, or came back, because of it; else it was taken all the same.
    pub spared: bool,
}

/// A part of an attached file's text that one rule left out, where an event has several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Omission {
    /// First byte of the text, and one past the last.
    pub bytes: (u64, u64),
    /// The setting that left it out.
    pub rule: &'static str,
    /// Its value, where that is a number.
    pub threshold: Option<Measure>,
    /// What was measured against it.
    pub measured: Option<Measure>,
}

/// What an agent did to pieces before it sent them. No stage of a policy decides that: where a history is replayed, the
/// event that takes the pieces in tells of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SentCut {
    /// What it is called where the recorded track tells of it.
    pub rule: &'static str,
    /// The pieces.
    pub entries: EntryIds,
    /// Tokens of each as it was sent.
    #[serde(skip)]
    pub sent: Vec<u64>,
    /// Tokens of the largest before it was cut, where something says so.
    pub measured: Option<Measure>,
}

/// One decision of one stage at one step.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Event {
    /// The first step whose window shows the effect, from 1.
    pub step: u32,
    /// Which stage.
    pub stage: Stage,
    /// The setting that decided, or what the transcript says decided.
    pub rule: Cow<'static, str>,
    /// The value of the setting, where it is known.
    pub threshold: Option<Measure>,
    /// What was measured against it.
    pub measured: Option<Measure>,
    /// Tokens of the window before.
    pub tokens_before: Option<u64>,
    /// Tokens of the window after.
    pub tokens_after: Option<u64>,
    /// Tokens of the window after, as the agent's own record says: an estimate that it made before it sent anything.
    #[serde(skip)]
    pub claimed_after: Option<u64>,
    /// The entries that it took from.
    pub took: EntryIds,
    /// The entries that it made.
    pub made: EntryIds,
    /// Why, in one sentence. May quote untrusted text, and may hold the placeholders that [`Event::sentence`] fills.
    pub why: Cow<'static, str>,
    /// Later messages that repeat a term of entries: what spared these, or brought them back, or is said of them though
    /// they were taken (the first few).
    pub evidence: Vec<Evidence>,
    /// What the model call of this event sends and gets, where it makes one.
    pub call: Option<Box<Usage>>,
    /// Who asked for it, where that is recorded.
    pub trigger: Option<Trigger>,
    /// The record that says so, on the recorded track.
    pub record: Option<Record>,
    /// What the agent had cut of what comes in here, by how it did.
    pub sent_cut: Vec<SentCut>,
    /// What of a file each rule left out, the nearest to being taken first; where nothing is said, `rule` did.
    #[serde(skip)]
    pub left: Option<Arc<[Omission]>>,
    /// The files of which the list that it made sends no more than a line, by the blocks that hold their texts.
    #[serde(skip)]
    pub listed: Option<Arc<[BlockId]>>,
    /// Where it tells of several decisions at once, what was decided of each file, text or list of tools.
    #[serde(skip)]
    pub each: Vec<Event>,
}

/// Decisions of one event that its sentence tells of one by one.
const TOLD: usize = 12;

impl Event {
    /// What an event says of a summary that a model should have written, and did not.
    pub const STANDS_IN: &str = "the sentences that matter most stand in";

    /// What it says of a summary of the transcript's that did not fit.
    pub const FOR_RECORDED: &str = "sentences of the history stand for it";

    /// What it says where the transcript holds no summary at all.
    pub const NONE_RECORDED: &str = "the agent itself wrote no summary";

    /// What it says of a summary that a model wrote.
    pub const BY_MODEL: &str = "a model wrote it";

    /// Whether something stands in for a summary that a model should have written.
    #[must_use]
    pub fn stands_in(&self) -> bool {
        self.stage.summarises() && self.why.contains(Event::STANDS_IN)
    }

    /// Whether sentences of the history stand for it in place of the transcript's own summary, which does not fit there.
    #[must_use]
    pub fn is_extracted(&self) -> bool {
        self.stage.summarises() && self.why.contains(Event::FOR_RECORDED)
    }

    /// Whether no model wrote its summary, though one would have: something stands in.
    #[must_use]
    pub fn is_unwritten(&self) -> bool {
        self.stands_in() || self.is_extracted()
    }

    /// Whether it put a summary in the place of a history; an attempt in vain did not.
    #[must_use]
    pub fn compacts(&self) -> bool {
        self.stage.summarises() && !self.is_in_vain()
    }

    /// Whether a policy's summary was due and none was made: the window stayed as it was.
    #[must_use]
    pub fn is_in_vain(&self) -> bool {
        self.stage.summarises() && self.made.is_empty() && !self.rule.starts_with("recorded.")
    }

    /// An event without figures.
    #[must_use]
    pub fn new(step: u32, stage: Stage, rule: impl Into<Cow<'static, str>>) -> Self {
        Event {
            step,
            stage,
            rule: rule.into(),
            threshold: None,
            measured: None,
            tokens_before: None,
            tokens_after: None,
            claimed_after: None,
            took: EntryIds::new(),
            made: EntryIds::new(),
            why: Cow::Borrowed(""),
            evidence: Vec::new(),
            call: None,
            trigger: None,
            record: None,
            sent_cut: Vec::new(),
            // None, and no empty list: a list is counted by everybody who shares it, from every thread.
            left: None,
            listed: None,
            each: Vec::new(),
        }
    }

    /// Takes in another decision of its stage: a stage leaves one event at a step.
    pub fn join(&mut self, other: Event) {
        if self.each.is_empty() {
            self.each.push(self.clone());
        }
        self.took.extend(other.took.iter().copied());
        self.made.extend(other.made.iter().copied());
        self.each.push(other);
    }

    /// The decisions that it tells of: itself, or several.
    #[must_use]
    pub fn decisions(&self) -> &[Event] {
        if self.each.is_empty() { std::slice::from_ref(self) } else { &self.each }
    }

    /// The same, to be changed.
    pub fn decisions_mut(&mut self) -> &mut [Event] {
        if self.each.is_empty() { std::slice::from_mut(self) } else { &mut self.each }
    }

    /// What was decided of a piece.
    #[must_use]
    pub fn own(&self, id: EntryId) -> &Event {
        let of_it = |one: &&Event| one.made.contains(&id) || one.took.contains(&id);
        self.each.iter().find(of_it).unwrap_or(self)
    }

    /// Takes over what its several decisions say: the rule and the figures of the one that cut most, the tokens before
    /// the first and after the last, and a sentence of each, begun with what `name` calls it where it does not say that.
    pub fn tell_each(&mut self, name: impl Fn(&Event) -> String) {
        let cut = |one: &Event| one.tokens_before.unwrap_or(0).saturating_sub(one.tokens_after.unwrap_or(0));
        let Some(most) = self.each.iter().rev().max_by_key(|one| cut(one)) else { return };
        (self.rule, self.threshold, self.measured) = (most.rule.clone(), most.threshold, most.measured);
        self.tokens_before = self.each.first().and_then(|one| one.tokens_before);
        self.tokens_after = self.each.last().and_then(|one| one.tokens_after);
        let tell = |one: &Event| {
            let (name, sentence) = (name(one), one.sentence());
            if name.is_empty() || sentence.contains(&name) {
                sentence.into_owned()
            } else {
                format!("{name}: {sentence}")
            }
        };
        let mut told: Vec<String> = self.each.iter().take(TOLD).map(tell).collect();
        let more = self.each.len().saturating_sub(TOLD);
        told.extend((more > 0).then(|| format!("So it went with {more} more.")));
        // What was filled in is no placeholder.
        self.why = Cow::Owned(told.join(" ").replace('{', "(").replace('}', ")"));
    }

    /// Whether it cut results short, rather than leaving a marker of each.
    #[must_use]
    pub fn shortens(&self) -> bool {
        self.rule == "microcompact.boundary_total"
    }

    /// What the agent did to a piece before it sent it, where this event tells of that.
    #[must_use]
    pub fn sent_cut_of(&self, id: EntryId) -> Option<&SentCut> {
        self.sent_cut.iter().find(|cut| cut.entries.contains(&id))
    }

    /// What the agent did to a piece before it sent it, as an event of its own: without the figures of what came in
    /// beside it.
    #[must_use]
    pub fn as_sent_cut(&self, id: EntryId) -> Option<Event> {
        let SentCut { rule, measured, .. } = self.sent_cut_of(id)?;
        let why = Cow::Borrowed("The agent had cut it before it sent it.");
        Some(Event { measured: *measured, why, ..Event::new(self.step, Stage::Truncate, *rule) })
    }

    /// Tokens of a piece that the agent had cut, as it was sent, where this event tells of that.
    #[must_use]
    pub fn sent_size_of(&self, id: EntryId) -> Option<u64> {
        let cut = self.sent_cut_of(id)?;
        cut.entries.iter().position(|entry| *entry == id).and_then(|at| cut.sent.get(at)).copied()
    }

    /// Whether it tells of a cut of a piece where it stands: by its stage, or by the agent before it sent the piece.
    #[must_use]
    pub fn cuts(&self, id: EntryId) -> bool {
        (self.stage.cuts_in_place() && self.made.contains(&id)) || self.sent_cut_of(id).is_some()
    }

    /// The long results and messages that it tells of a cut of.
    pub fn truncated(&self) -> impl Iterator<Item = EntryId> {
        let own = if self.stage == Stage::Truncate { self.made.as_slice() } else { &[] };
        own.iter().chain(self.sent_cut.iter().flat_map(|cut| &cut.entries)).copied()
    }

    /// Why, in one sentence, with the event's own figures in place of `{threshold}`, `{measured}`, `{before}`,
    /// `{after}`, `{freed}`, `{took}`, `{made}` and `{spared}`; of `{took pieces}` the word is as the figure wants it. A stage
    /// that decides thousands of times writes no text meanwhile.
    #[must_use]
    pub fn sentence(&self) -> Cow<'_, str> {
        if !self.why.contains('{') {
            return Cow::Borrowed(&self.why);
        }
        let figure = |value: Option<u64>| value.map_or_else(|| "?".to_owned(), thousands);
        let mut text = String::with_capacity(self.why.len() + 16);
        let mut rest = &*self.why;
        while let Some((before, after)) = rest.split_once('{') {
            text.push_str(before);
            let filled = after.split_once('}').and_then(|(name, after)| {
                let (name, noun) = name.split_once(' ').unwrap_or((name, ""));
                let length = |list: usize| Some(list as u64);
                let value = match name {
                    "threshold" => self.threshold,
                    "measured" => self.measured,
                    "before" => self.tokens_before,
                    "after" => self.tokens_after,
                    "freed" => self.tokens_before.zip(self.tokens_after).and_then(|(from, to)| from.checked_sub(to)),
                    "took" => length(self.took.len()),
                    "made" => length(self.made.len()),
                    "spared" => length(self.evidence.iter().filter(|found| found.spared).count()),
                    _ => return None,
                };
                let told = match (noun, value) {
                    ("", _) | (_, None) => format!("{}{}{noun}", figure(value), if noun.is_empty() { "" } else { " " }),
                    (noun, Some(value)) => number(usize::try_from(value).unwrap_or(usize::MAX), noun),
                };
                Some((told, after))
            });
            match filled {
                Some((value, after)) => {
                    text.push_str(&value);
                    rest = after;
                }
                None => {
                    text.push('{');
                    rest = after;
                }
            }
        }
        text.push_str(rest);
        Cow::Owned(text)
    }
}

/// A number with its thousands separated: `3,102`.
#[must_use]
pub fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A number with its noun, or a verb, as the number wants it: "3 pieces", "1 piece", "1 was". One that is no `u64` is as
/// large as that can be.
#[must_use]
pub fn number(number: impl TryInto<u64>, words: &str) -> String {
    let one = words.split(' ').map(|word| match word {
        "are" => "is",
        "were" => "was",
        word => word.strip_suffix('s').unwrap_or(word),
    });
    match number.try_into().unwrap_or(u64::MAX) {
        1 => format!("1 {}", one.collect::<Vec<_>>().join(" ")),
        number => format!("{} {words}", thousands(number)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_figure_has_its_words_as_it_wants_them() {
        let mut event = Event::new(3, Stage::Microcompact, "microcompact.at");
        event.took = [EntryId(1)].into_iter().collect();
        event.why = Cow::Borrowed("{took stale pieces were} cleared, {made lines} made, {before tokens} before");
        assert_eq!(event.sentence(), "1 stale piece was cleared, 0 lines made, ? tokens before");
    }

    #[test]
    fn a_sentence_is_filled_with_the_events_figures_and_nothing_else() {
        let mut event = Event::new(3, Stage::Truncate, "tool_results.virtual_over");
        event.measured = Some(18_220);
        event.why = Cow::Borrowed("{measured} tokens, over {threshold}; {unknown} and { stay");
        assert_eq!(event.sentence(), "18,220 tokens, over ?; {unknown} and { stay");
    }
}
