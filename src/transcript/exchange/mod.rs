//! Requests to a model's API and their responses, whoever's API it is: one body, a pair, or a log of many.
//!
//! A vendor says how its bodies and messages are read ([`Dialect`]); what they have in common is here.

mod again;
mod beside;
mod called;
mod conversation;
mod editing;
mod key;
mod later;
mod made;
mod note;
mod note_elsewhere;
mod note_words;
mod order;
mod plain;
mod read;
mod restated;
mod rewritten;
mod shape;
mod shrunk;
mod sliding;
mod stream;
mod summarised;
mod texts;
mod unwrap;
mod vendor;
mod weave;

pub use editing::Cleared;
pub use plain::{prompts, traced};
pub use read::{HAR, read};
pub use shape::{look, opened, wraps};
pub use unwrap::{answered, string};

use crate::model::{Aside, BlockKind, Layer, Record, Role, Span, Tier, Usage};

use super::figure::Figures;
use super::json::Json;
use super::parts::Piece;
use super::stored::Stored;

/// How one vendor's bodies are read.
pub struct Dialect {
    /// The format's name.
    pub format: &'static str,
    /// The key of a request under which its messages stand.
    pub messages: &'static str,
    /// Keys under which an older request has its one prompt instead, and a tracer its messages.
    pub prompts: &'static [&'static str],
    /// Whether consecutive items of the model are one answer; else each message of it is one.
    pub items: bool,
    /// Whether the provider drops all that stands before a compaction in a request.
    pub compaction_drops: bool,
    /// Whether the provider leaves thinking of earlier turns out, as the model's rule and the request say.
    pub drops_thinking: bool,
    /// System prompt and tools of a request's body.
    pub prefix: fn(&Stored<'_>, &Json<'_>) -> Vec<Said>,
    /// One message.
    pub message: fn(&Stored<'_>, &Json<'_>) -> Said,
    /// A response's body, where it is one.
    pub answer: fn(&Stored<'_>, &Json<'_>) -> Option<Answer>,
    /// The usage that a response reports.
    pub usage: fn(&Json<'_>, &mut Figures) -> Option<Usage>,
    /// Whether a message that says no role calls tools, as only the model does.
    pub calls: fn(&Json<'_>) -> bool,
    /// The messages of a conversation that is kept otherwise than as a list of them.
    pub told: fn(&Stored<'_>, &Json<'_>) -> Option<Vec<Said>>,
}

/// Keys under which programs keep what was used, the most exact first.
const USAGES: &[&str] = &["usageDetails", "usage_details", "usage"];

/// What one role said at once.
pub struct Said {
    /// Who speaks.
    pub role: Role,
    /// Whether the model wrote it.
    pub by_model: bool,
    /// The blocks.
    pub pieces: Vec<Piece>,
    /// Where it stands.
    pub record: Record,
    /// What is not understood, in words.
    pub unknown: Vec<String>,
    /// Whether it begins as a summary of an earlier conversation does.
    pub recaps: bool,
}

/// What a model answered.
#[derive(Default)]
pub struct Answer {
    /// Its messages.
    pub said: Vec<Said>,
    /// What was reported.
    pub usage: Option<Usage>,
    /// What was reported of other models that were asked on the way.
    pub asides: Vec<Aside>,
    /// What the call that wrote a summary on the way used, where that is told apart.
    pub summary: Option<Usage>,
    /// The answer's id.
    pub id: Option<String>,
    /// The model that answered.
    pub model: Option<String>,
    /// Milliseconds since the Unix epoch.
    pub at: Option<i64>,
    /// What the provider says went wrong.
    pub error: Option<String>,
    /// Whether what it says is a window for the next request, in the place of the one that was sent.
    pub compacts: bool,
    /// What the provider cleared before it asked the model.
    pub cleared: Cleared,
    /// The id of the response that its request went on from, where it repeats it.
    pub after: Option<String>,
    /// The request's own prefix, where the response repeats it.
    pub prefix: Vec<Said>,
    /// What is wrong with it, in words.
    pub faults: Vec<String>,
}

impl Answer {
    /// Takes the body's usage in, as a vendor means it; one with a figure that is none is told of and left out.
    pub fn report(&mut self, body: &Json<'_>, read: fn(&Json<'_>, &mut Figures) -> Option<Usage>) {
        let all: Vec<&Json<'_>> = USAGES.iter().filter_map(|key| body.some(key)).collect();
        let says = |held: &&&Json<'_>| {
            let used = held.is_object().then(|| read(held, &mut Figures::default())).flatten();
            used.is_some_and(|usage| usage.context() > 0)
        };
        let Some(held) = all.iter().find(says).or(all.last()) else { return };
        let mut figures = Figures::default();
        if held.is_object() {
            // Anthropic says how it served a request among the figures, OpenAI beside them.
            let tier = [*held, body].into_iter().find_map(|value| Tier::named(&value.str_of("service_tier")));
            self.usage = read(held, &mut figures).map(|usage| Usage { tier, ..usage });
        } else {
            figures.faults.push("usage is no object: what was used is not known".to_owned());
        }
        self.faults.append(&mut figures.faults);
    }
}

/// A request, with its response where that is there.
pub struct Exchange {
    /// Where it stands.
    pub record: Record,
    /// Milliseconds since the Unix epoch.
    pub at: Option<i64>,
    /// The model, as the answer names it where it does.
    pub model: Option<String>,
    /// The model, as the request names it.
    pub asked_of: Option<String>,
    /// System prompt and tools.
    pub prefix: Vec<Said>,
    /// The messages.
    pub messages: Vec<Said>,
    /// The response.
    pub answer: Option<Answer>,
    /// The id of the response that this goes on from; its history is not repeated.
    pub after: Option<String>,
    /// The id of a conversation that the provider keeps: only what is new is sent.
    pub kept: Option<String>,
    /// What stands for a history that the provider has and the body has not.
    pub unseen: Option<Said>,
    /// An id that the requests of one conversation share.
    pub shared: Option<String>,
    /// An id that a request and its response share.
    pub call: Option<String>,
    /// Whether there is a request at all, not only a response.
    pub asked: bool,
    /// The mark by which the whole request leaves to the provider what to cache.
    pub automatic: Option<Span>,
    /// What it says of the results that the provider may clear.
    pub editing: editing::Editing,
    /// Settings that carry nothing of the window, to be counted.
    pub settings: Vec<String>,
    /// What is wrong with the request, in words.
    pub faults: Vec<String>,
}

impl Exchange {
    /// One of which nothing is known but where it stands.
    #[must_use]
    pub fn of(record: Record) -> Self {
        Exchange {
            record,
            at: None,
            model: None,
            asked_of: None,
            prefix: Vec::new(),
            messages: Vec::new(),
            answer: None,
            after: None,
            kept: None,
            unseen: None,
            shared: None,
            call: None,
            asked: false,
            automatic: None,
            editing: editing::Editing::default(),
            settings: Vec::new(),
            faults: Vec::new(),
        }
    }

    /// Whether the model had the last word and no more is asked.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.answer.is_none() && self.messages.last().is_none_or(|last| last.by_model)
    }
}

impl Said {
    /// What one role said, out of its blocks; each is given a key by which equal content is found whoever wrote it.
    #[must_use]
    pub fn new(role: Role, by_model: bool, stored: &Stored<'_>, mut pieces: Vec<Piece>, unknown: Vec<String>) -> Self {
        for piece in &mut pieces {
            piece.key = key::key(stored, piece);
        }
        let texts = pieces.iter().filter(|piece| piece.draft.kind == BlockKind::Text);
        // What a harness reminds of may stand before what is said.
        let recaps = texts.map(|piece| shrunk::said(stored, piece)).find(|text| !text.is_empty());
        let recaps = recaps.is_some_and(shrunk::recaps);
        Said { role, by_model, pieces, record: stored.record, unknown, recaps }
    }

    /// The same for the system prompt or tools, which are sent with every request.
    #[must_use]
    pub fn prefix(role: Role, stored: &Stored<'_>, pieces: Vec<Piece>) -> Self {
        Said::new(role, false, stored, pieces, Vec::new())
    }
}

/// Whether a block stands for everything before it.
fn is_compaction(piece: &Piece) -> bool {
    piece.draft.kind == BlockKind::Summary && piece.draft.layer == Layer::Summaries
}
