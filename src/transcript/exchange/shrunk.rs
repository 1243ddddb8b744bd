//! Harnesses that compact tell nobody: the next request just holds less, with a summary in the place of what is gone.

use std::collections::HashSet;

use crate::content::{Sources, decode};
use crate::model::{BlockId, BlockKind, Body, Coding, Layer};
use crate::transcript::build::{Builder, Draft};
use crate::transcript::harness::own;
use crate::transcript::parts::Piece;
use crate::transcript::stored::Stored;

use super::conversation::tells;
use super::{Exchange, Said};

/// Bytes of a text in which it says that it sums something up.
const BEGINS: usize = 400;
/// What texts say that stand for an earlier conversation.
const RECAPS: &[&str] = &[
    "summary of the",
    "summary of our",
    "summary of what",
    "summary of previous",
    "summary of earlier",
    "summary so far",
    "conversation summary",
    "context summary",
    "previous summary",
    "<summary",
    "# summary",
    "[summary",
    "summary:",
    "has been summarized",
    "has been summarised",
    "was summarized",
    "conversation so far",
    "earlier conversation",
    "previous conversation",
    "produced a summary",
    "has been compacted",
    "was compacted",
];
/// Words with which somebody asks for one.
const ASKS: &[&str] =
    &["write a summary", "create a summary", "give me a summary", "provide a summary", "make a summary"];

/// What is said in a text behind what a harness put before it, as stored.
pub(super) fn said<'a>(stored: &Stored<'a>, piece: &Piece) -> &'a [u8] {
    let Body::Text { spans, .. } = &piece.draft.body else { return &[] };
    own(spans.first().and_then(|span| stored.part(*span)).unwrap_or_default())
}

/// Whether a text, as stored, begins as one that stands for an earlier conversation.
pub(super) fn recaps(text: &[u8]) -> bool {
    let text = decode(text.get(..BEGINS).unwrap_or(text), Coding::Json).to_lowercase();
    RECAPS.iter().any(|words| text.contains(words)) && !ASKS.iter().any(|words| text.contains(words))
}

/// The messages that stand after the first that a system prompt may be.
fn first_words(said: &[Said]) -> impl Iterator<Item = &Said> {
    said.iter().filter(|said| said.pieces.iter().any(|piece| tells(piece.draft.layer))).take(3)
}

/// A request whose history has shrunk.
pub(super) struct Shrunk {
    /// How many of its pieces are the window that the compaction left; what follows is new.
    pub until: usize,
}

impl Shrunk {
    /// Whether what is said again is the window, shrunk: some of it gone and a text in its place. `reused` are the
    /// known blocks that stand for the pieces, `notes` those pieces that say only that something is gone; `waits` where
    /// the newest request's answer is still to be seen.
    pub(super) fn of(
        builder: &Builder,
        window: &[BlockId],
        reused: &[Option<BlockId>],
        said: &[Said],
        notes: &HashSet<usize>,
        waits: bool,
    ) -> Option<Shrunk> {
        let block = |id: &BlockId| builder.transcript.block(*id).filter(|block| tells(block.layer));
        let kept: HashSet<BlockId> = reused.iter().flatten().copied().collect();
        let lost: Vec<BlockId> =
            window.iter().copied().filter(|id| !kept.contains(id) && block(id).is_some()).collect();
        let pieces = || said.iter().flat_map(|one| one.pieces.iter().map(move |piece| (one, piece)));
        let recaps = |at: usize, one: &Said| one.recaps && !notes.contains(&at);
        let mut until = 0;
        for (at, ((one, piece), known)) in pieces().zip(reused).enumerate() {
            let early = recaps(at, one) && first_words(said).any(|first| std::ptr::eq(first, one));
            if known.is_some() || one.by_model && !waits || early || !tells(piece.draft.layer) {
                until = at + 1;
            }
        }
        let fresh: Vec<&Piece> = pieces()
            .zip(reused)
            .enumerate()
            .take(until)
            .filter(|(at, ((_, piece), known))| known.is_none() && tells(piece.draft.layer) && !notes.contains(at))
            .map(|(_, ((_, piece), _))| piece)
            .collect();
        let before: u64 = lost.iter().filter_map(block).map(|block| block.body.chars_or_bytes()).sum();
        let after: u64 = fresh.iter().map(|piece| piece.draft.body.chars_or_bytes()).sum();
        let texts = fresh.iter().any(|piece| piece.draft.kind == BlockKind::Text);
        let less = fresh.len() < lost.len() && lost.len() >= 2;
        (texts && less && (after < before || pieces().enumerate().any(|(at, (one, _))| recaps(at, one))))
            .then_some(Shrunk { until })
    }
}

/// A text that took the place of others is a summary, but for what a harness put beside it.
pub(super) fn summary(sources: &Sources, draft: Draft) -> Draft {
    let of_harness = || sources.pieces(&draft.body).is_ok_and(|parts| parts.iter().all(|part| own(part).is_empty()));
    match (draft.kind, draft.layer) {
        (BlockKind::Text, Layer::User | Layer::Assistant) if !of_harness() => {
            Draft { kind: BlockKind::Summary, layer: Layer::Summaries, label: "summary".to_owned(), ..draft }
        }
        _ => draft,
    }
}

/// Whether a request with these keys (and their lengths) is the conversation with the `old` ones, shrunk. `telling` is
/// the length from which a text is one conversation's own.
pub(super) fn follows(old: &[u64], keys: &[(u64, u64)], exchange: &Exchange, telling: u64) -> bool {
    let common = old.iter().zip(keys).take_while(|(old, (key, _))| *old == key).count();
    let known: HashSet<u64> = old.iter().copied().collect();
    let inside: Vec<u64> =
        keys.iter().skip(common).filter(|(key, _)| known.contains(key)).map(|(_, length)| *length).collect();
    // An earlier message was changed, and most others are said again.
    if inside.len() >= 3 && inside.len() * 3 >= (keys.len() - common) * 2 {
        return true;
    }
    if keys.len() >= old.len() || old.len() < 3 {
        return false;
    }
    let recap = first_words(&exchange.messages).any(|said| said.recaps);
    recap
        || inside.iter().any(|length| *length >= telling)
        || inside.len() >= 2 && inside.len() * 2 >= keys.len() - common
}
