//! Blocks: the smallest pieces of content with one origin, as the transcript holds them.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;
use smallvec::SmallVec;

use super::{Layer, Record, RequestId, Span};

/// Index into [`crate::model::Transcript::blocks`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct BlockId(pub u32);

/// Index into [`crate::model::Transcript::messages`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct MessageId(pub u32);

/// A hash of a tool call's id: what pairs a result with its call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct CallKey(pub u64);

/// Who speaks, as APIs name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs)]
pub enum Role {
    System,
    Developer,
    User,
    Assistant,
    Tool,
}

/// What a block is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BlockKind {
    /// Text of any role.
    Text,
    /// Reasoning, in clear or hidden.
    Thinking,
    /// A call of a tool: its name and arguments.
    ToolCall,
    /// What a tool answered, or a part of it (text and images are blocks of their own).
    ToolResult,
    /// A picture.
    Image,
    /// An embedded document.
    Document,
    /// Recorded sound.
    Audio,
    /// What a compaction wrote in place of history.
    Summary,
    /// The definition of one tool, or of several.
    Definition,
}

/// A message: the blocks that one role sent at once.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Message {
    /// Who speaks.
    pub role: Role,
    /// The first record that holds it.
    pub record: Record,
    /// Milliseconds since the Unix epoch, where the transcript says.
    pub at: Option<i64>,
    /// The request that it answers, for what a model wrote.
    pub request: Option<RequestId>,
}

/// The smallest piece of content with one origin.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Block {
    /// What it is.
    pub kind: BlockKind,
    /// The layer of the window that it belongs to.
    pub layer: Layer,
    /// Who speaks.
    pub role: Role,
    /// The message that it is a part of.
    pub message: MessageId,
    /// The record that holds it.
    pub record: Record,
    /// Its content, as the model was sent it.
    pub body: Body,
    /// Name to show: a tool, a kind of attachment, a file. Untrusted; shared between equal names.
    pub label: Arc<str>,
    /// The call that it makes or answers.
    pub call: Option<CallKey>,
    /// Whether a tool reported failure.
    pub error: bool,
    /// How the agent had cut it before it was sent, where the transcript tells.
    pub cut: Option<Box<Cut>>,
    /// The content before it was cut, where the transcript still holds it. Never seen by the model.
    pub original: Option<Box<Body>>,
}

impl Block {
    /// Its content: as it was before it was cut, where that is asked for and there, else as the model was sent it.
    #[must_use]
    pub fn content(&self, original: bool) -> &Body {
        self.original.as_deref().filter(|_| original).unwrap_or(&self.body)
    }
}

/// Where a text stands: in one place as a rule.
pub type Spans = SmallVec<[Span; 1]>;

/// The content of a block.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Body {
    /// Text: the spans' texts joined by line breaks.
    Text {
        /// Where it stands.
        spans: Spans,
        /// Characters once decoded (exact for what was scanned, else the bytes).
        chars: u64,
        /// Hash of the stored bytes: equal hash, equal text.
        hash: u64,
    },
    /// A picture, document or sound in base64 or behind a URL.
    Media(Box<Media>),
    /// Content that the transcript does not show (encrypted or redacted reasoning).
    Hidden(Hidden),
}

/// Content that is not text.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Media {
    /// Media type as the transcript says it. Untrusted.
    pub mime: Box<str>,
    /// The data (`Coding::Base64`) or the URL (`Coding::Json`).
    pub span: Span,
    /// Hash of the stored bytes.
    pub hash: u64,
    /// Width and height in pixels, where the head of the data tells.
    pub pixels: Option<(u32, u32)>,
    /// Whether the request asked that the picture be looked at in low detail, which costs less.
    pub is_low: bool,
}

/// Content that the transcript does not show.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Hidden {
    /// Its tokens, where the usage tells.
    pub tokens: Option<u64>,
    /// The opaque bytes that stand for it.
    pub span: Option<Span>,
}

/// How a text was cut before it was sent.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Cut {
    /// Which part was kept.
    pub shape: CutShape,
    /// Characters before the cut, where it is said.
    pub original_chars: Option<u64>,
    /// Tokens before the cut, where it is said.
    pub original_tokens: Option<u64>,
    /// Where the rest can be read, as the marker says (a path). Untrusted.
    pub rest: Option<Box<str>>,
    /// Whether the copy of the whole that is kept beside it ends early as well.
    pub copy_ends_early: bool,
}

/// Which part of a text was kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CutShape {
    /// Its beginning.
    Head,
    /// Its end.
    Tail,
    /// Beginning and end.
    Middle,
    /// A preview, and a pointer to the whole.
    Pointer,
}

impl Cut {
    /// Tokens before the cut by the size that is said, where that is in characters: as many characters a token as what
    /// is left of a text has, of `tokens` and `chars`; four where the whole went elsewhere.
    #[must_use]
    pub fn estimated_tokens(&self, tokens: u64, chars: u64) -> Option<u64> {
        let size = self.original_chars?;
        if self.shape == CutShape::Pointer || chars == 0 {
            return Some(size.div_ceil(4));
        }
        let all = u128::from(size) * u128::from(tokens) / u128::from(chars);
        Some(u64::try_from(all).unwrap_or(u64::MAX))
    }

    /// Tokens before the cut, of which a copy of so many is held: as many, or what is said where the copy ends early.
    #[must_use]
    pub fn tokens_by_copy(&self, held: u64) -> u64 {
        let said = self.estimated_tokens(0, 0).filter(|_| self.copy_ends_early);
        held.max(said.unwrap_or(0))
    }
}

impl Body {
    /// Hash that tells equal contents apart from unequal ones.
    #[must_use]
    pub fn hash(&self) -> u64 {
        match self {
            Body::Text { hash, .. } => *hash,
            Body::Media(media) => media.hash,
            Body::Hidden(hidden) => hidden.span.map_or(0, |span| span.start ^ span.end.rotate_left(32)),
        }
    }

    /// Where the content stands.
    pub fn spans(&self) -> impl Iterator<Item = Span> + '_ {
        let (many, one) = match self {
            Body::Text { spans, .. } => (spans.as_slice(), None),
            Body::Media(media) => (&[][..], Some(media.span)),
            Body::Hidden(hidden) => (&[][..], hidden.span),
        };
        many.iter().copied().chain(one)
    }

    /// The bytes that it stands in.
    #[must_use]
    pub fn stored_bytes(&self) -> u64 {
        self.spans().map(|span| span.len()).sum()
    }

    /// The characters of a text, the bytes of anything else.
    #[must_use]
    pub fn chars_or_bytes(&self) -> u64 {
        match self {
            Body::Text { chars, .. } => *chars,
            Body::Media(_) | Body::Hidden(_) => self.stored_bytes(),
        }
    }

    /// Whether it is text with nothing in it.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        matches!(self, Body::Text { chars: 0, .. })
    }
}
