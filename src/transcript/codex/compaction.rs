//! The window after a compaction.
//!
//! Where the rollout holds the new history, that is it. Where it does not, the agent puts together what it always does:
//! the initial context, the newest user messages up to 20,000 tokens, the summary (openai/codex, `core/src/compact.rs`).

use std::collections::HashMap;

use crate::content::Sources;
use crate::model::{Block, BlockId, BlockKind, Body, Cut, CutShape, Layer, Record, Role, Span, Transcript};
use crate::transcript::build::{Builder, Draft};
use crate::transcript::openai_responses::Item;
use crate::transcript::parts::Piece;

/// Tokens of user messages that a local compaction keeps.
const KEPT_TOKENS: u64 = 20_000;
/// Bytes that the agent takes for a token.
const BYTES_PER_TOKEN: u64 = 4;

/// What tells equal blocks: content, kind and speaker.
type Key = (u64, BlockKind, Role);

/// The blocks of a thread by their content.
#[derive(Default)]
pub(super) struct Known {
    blocks: HashMap<Key, Vec<BlockId>>,
}

impl Known {
    /// Remembers a block.
    pub fn insert(&mut self, key: u64, kind: BlockKind, role: Role, id: BlockId) {
        self.blocks.entry((key, kind, role)).or_default().push(id);
    }

    /// A block of that content that is not in use: the oldest of those in the window, so that equal ones keep their
    /// order, else the newest of all.
    fn take(&self, piece: &Piece, role: Role, used: &mut Used) -> Option<BlockId> {
        let key = (piece.key, piece.draft.kind, role);
        let ids = self.blocks.get(&key)?;
        let window = &used.window;
        let (first, last) = used.passed.entry(key).or_insert((0, ids.len()));
        while ids.get(*first).is_some_and(|id| window.get(id) != Some(&false)) {
            *first += 1;
        }
        if let Some(inside) = ids.get(*first) {
            return Some(*inside);
        }
        while let Some(id) = last.checked_sub(1).and_then(|at| ids.get(at)) {
            if window.get(id) != Some(&true) {
                return Some(*id);
            }
            *last -= 1;
        }
        None
    }
}

/// What one compaction has in use so far.
struct Used {
    /// The blocks of the window before it, and those in use; whether they are.
    window: HashMap<BlockId, bool>,
    /// Of the blocks of each content, those before the one place and from the other on are passed: they are in use or,
    /// before, not in the window, and stay so.
    passed: HashMap<Key, (usize, usize)>,
}

/// What stays whatever happens: the system prompt and the tools.
fn prefix(transcript: &Transcript, window: &[BlockId]) -> Vec<BlockId> {
    let stays = |id: &BlockId| transcript.block(*id).is_some_and(|block| block.layer.is_prompt());
    window.iter().copied().filter(stays).collect()
}

/// The window out of the history that the rollout holds.
pub(super) fn replaced(
    builder: &mut Builder,
    known: &mut Known,
    old: &[BlockId],
    items: Vec<Item>,
    record: Record,
    at: Option<i64>,
) -> Vec<BlockId> {
    let mut window = prefix(&builder.transcript, old);
    let mut used = Used { window: old.iter().map(|id| (*id, false)).collect(), passed: HashMap::new() };
    for item in items {
        let mut message = None;
        for piece in item.pieces {
            let found = known.take(&piece, item.role, &mut used);
            let id = found.unwrap_or_else(|| {
                let message = *message.get_or_insert_with(|| builder.message(item.role, record, at, None));
                let (key, kind) = (piece.key, piece.draft.kind);
                let id = builder.block(message, piece.draft);
                known.insert(key, kind, item.role, id);
                id
            });
            used.window.insert(id, true);
            window.push(id);
        }
    }
    window
}

/// The window that the agent puts together itself.
pub(super) fn rebuilt(
    builder: &mut Builder,
    sources: &Sources,
    old: &[BlockId],
    message: Option<Body>,
    record: Record,
    at: Option<i64>,
) -> Vec<BlockId> {
    let transcript = &builder.transcript;
    let mut window = prefix(transcript, old);
    let block = |id: &BlockId| transcript.block(*id);
    let context = |block: &Block| {
        matches!(block.layer, Layer::Instructions | Layer::Skills | Layer::Memory | Layer::Notices)
            && matches!(block.role, Role::User | Role::Developer | Role::System)
    };
    // The initial context: what the harness wrote before the first person did.
    let begins = old.iter().take_while(|id| block(id).is_none_or(|block| block.layer != Layer::User));
    window.extend(begins.filter(|id| block(id).is_some_and(context)));
    let said =
        |id: &BlockId| block(id).is_some_and(|block| block.layer == Layer::User && block.kind == BlockKind::Text);
    let mut kept: Vec<BlockId> = Vec::new();
    let mut left = KEPT_TOKENS;
    let mut cut = None;
    for id in old.iter().rev().filter(|id| said(id)) {
        let bytes = block(id).map_or(0, |block| block.body.stored_bytes());
        let tokens = bytes.div_ceil(BYTES_PER_TOKEN);
        if left == 0 {
            break;
        }
        if tokens > left {
            cut = Some((*id, left));
            break;
        }
        left -= tokens;
        kept.push(*id);
    }
    // What is left of it stands where the message stood.
    if let Some((id, left)) = cut
        && let Some((from, draft)) =
            transcript.block(id).and_then(|block| Some((block.record, shortened(sources, block, left)?)))
    {
        let message = builder.message(Role::User, record, at, None);
        kept.push(builder.block_at(message, from, draft));
    }
    window.extend(kept.into_iter().rev());
    let message_id = builder.message(Role::User, record, at, None);
    if let Some(body) = message {
        let draft = Draft::new(BlockKind::Summary, Layer::Summaries, body).label("summary");
        window.push(builder.block(message_id, draft));
    }
    window
}

/// The beginning and the end of a message that is too long to be kept whole.
fn shortened(sources: &Sources, block: &Block, left: u64) -> Option<Draft> {
    let Body::Text { spans, .. } = &block.body else { return None };
    let span = spans.first()?;
    let half = left.saturating_mul(BYTES_PER_TOKEN) / 2;
    let head = cut_at(sources, *span, half, true)?;
    let tail = cut_at(sources, *span, half, false)?;
    let chars = |span: Span| sources.text(span).map_or(0, |text| text.chars().count() as u64);
    let hash = block.body.hash() ^ left;
    let body = Body::Text { spans: smallvec::smallvec![head, tail], chars: chars(head) + chars(tail) + 1, hash };
    let mut draft = Draft::new(BlockKind::Text, Layer::User, body);
    draft.cut = Some(Box::new(Cut {
        shape: CutShape::Middle,
        original_chars: Some(chars(*span)),
        // Its own content is there to be counted.
        original_tokens: None,
        rest: None,
        copy_ends_early: false,
    }));
    draft.original = Some(Box::new(block.body.clone()));
    Some(draft)
}

/// About so many bytes of a span's beginning or end, without splitting a character or an escape.
fn cut_at(sources: &Sources, span: Span, bytes: u64, head: bool) -> Option<Span> {
    let stored = sources.read(span.source, span.start, span.end).ok()?;
    let bytes = bytes.min(span.len() / 2);
    let wanted = usize::try_from(if head { bytes } else { span.len() - bytes }).ok()?;
    let mut at = 0;
    while at < wanted {
        at += sign_length(stored.get(at..).unwrap_or_default()).max(1);
    }
    let middle = (span.start + at as u64).min(span.end);
    let (start, end) = if head { (span.start, middle) } else { (middle, span.end) };
    Some(Span { start, end, ..span })
}

/// Bytes of the character or escape that a JSON string's inside begins with.
fn sign_length(stored: &[u8]) -> usize {
    match stored {
        // Two escapes make one character beyond the basic plane.
        [b'\\', b'u', b'd' | b'D', b'8' | b'9' | b'a' | b'b' | b'A' | b'B', ..] => 12,
        [b'\\', b'u', ..] => 6,
        [b'\\', ..] => 2,
        [_, rest @ ..] => 1 + rest.iter().take_while(|byte| (**byte as i8) < -0x40).count(),
        [] => 0,
    }
}
