//! Clients clear and cut by themselves: a result that was sent whole is sent again as a marker, or as a part of itself.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::content::Sources;
use crate::model::{BlockId, BlockKind, Body, CallKey, Contents, Fate, Layer, Made, Record, Shortened};
use crate::transcript::build::Builder;
use crate::transcript::parts::Piece;

use super::Said;
use super::conversation::{Conversation, Writer, tells};

/// Bytes up to which a text may be a marker.
const MARKER: usize = 400;
/// Bytes of a result that have to be said again at least, for it to be cut and not cleared.
const PART: usize = 16;
/// What markers say that are not shorter than what they stand for.
const SAYS: &[&str] = &[
    "cleared",
    "truncated",
    "omitted",
    "removed",
    "elided",
    "pruned",
    "trimmed",
    "compacted",
    "redacted",
    "hidden",
    "no longer",
];

/// The results of a request that are said otherwise than in the window.
struct Paired {
    /// Which piece stands for which block.
    pairs: Vec<(usize, BlockId)>,
    /// Further blocks of the same results, for which nothing stands.
    gone: Vec<BlockId>,
}

/// A window and a request beside each other.
pub(super) struct Compared<'k> {
    /// The window's keys, without blocks of results for which nothing is said.
    pub old: Vec<u64>,
    /// The request's keys, with the lengths of their pieces.
    pub keys: Cow<'k, [(u64, u64)]>,
    /// Whether a result is said otherwise.
    pub shortened: bool,
}

impl Conversation {
    /// Finds the results of a request that the window holds with another text. A call's id has to name one call only:
    /// some clients number the calls of every answer anew.
    fn paired(&self, builder: &Builder, pieces: &[&Piece]) -> Paired {
        let mut calls: HashMap<CallKey, (u32, u32)> = HashMap::new();
        let mut blocks: HashMap<CallKey, Vec<BlockId>> = HashMap::new();
        for id in self.history.window() {
            let Some((block, call)) = builder.transcript.block(*id).and_then(|block| Some((block, block.call?))) else {
                continue;
            };
            match block.layer {
                Layer::ToolResults => blocks.entry(call).or_default().push(*id),
                _ if block.kind == BlockKind::ToolCall => calls.entry(call).or_default().0 += 1,
                _ => {}
            }
        }
        let mut said: Vec<(CallKey, Vec<usize>)> = Vec::new();
        for (at, piece) in pieces.iter().enumerate() {
            match (piece.draft.call, piece.draft.layer) {
                (Some(call), Layer::ToolResults) => match said.last_mut().filter(|(last, _)| *last == call) {
                    Some((_, places)) => places.push(at),
                    None => said.push((call, vec![at])),
                },
                (Some(call), _) if piece.draft.kind == BlockKind::ToolCall => calls.entry(call).or_default().1 += 1,
                _ => {}
            }
        }
        let mut paired = Paired { pairs: Vec::new(), gone: Vec::new() };
        for (call, mut places) in said {
            let once = calls.get(&call).is_none_or(|(held, said)| *held <= 1 && *said <= 1);
            let Some(mut held) = blocks.remove(&call).filter(|_| once) else { continue };
            places.retain(|at| {
                let same = pieces.get(*at).and_then(|piece| held.iter().position(|id| self.key(*id) == piece.key));
                same.map(|same| held.remove(same)).is_none()
            });
            if places.is_empty() || places.len() > held.len() {
                continue;
            }
            paired.gone.extend(held.split_off(places.len()));
            paired.pairs.extend(places.into_iter().zip(held));
        }
        paired
    }

    /// The window's keys and a request's by which conversations are told apart, where results may have been cleared or
    /// cut: with the window's own for those.
    pub(super) fn compared<'k>(&self, builder: &Builder, said: &[Said], keys: &'k [(u64, u64)]) -> Compared<'k> {
        let pieces: Vec<&Piece> =
            said.iter().flat_map(|one| &one.pieces).filter(|piece| tells(piece.draft.layer)).collect();
        let Paired { pairs, gone } = self.paired(builder, &pieces);
        let mut compared = Compared {
            old: self.message_keys(builder, &gone),
            keys: Cow::Borrowed(keys),
            shortened: !pairs.is_empty(),
        };
        for (at, id) in pairs {
            if let Some((key, _)) = compared.keys.to_mut().get_mut(at) {
                *key = self.key(id);
            }
        }
        compared
    }

    /// Takes in which results of the window are said again as markers, or as parts of themselves: they stay in their
    /// places, with that key.
    pub(super) fn restate(&mut self, writer: &Writer<'_>, said: &[Said], record: Record) {
        let pieces: Vec<&Piece> = said.iter().flat_map(|one| &one.pieces).collect();
        let paired = self.paired(writer.builder, &pieces);
        let mut found: Vec<(Shortened, u64)> = Vec::new();
        for (at, id) in paired.pairs {
            let piece = pieces.get(at);
            let block = writer.builder.transcript.block(id);
            let Some((piece, block)) = piece.zip(block) else { continue };
            if let Some(shortened) = shortened(writer.sources, id, &block.body, &piece.draft.body) {
                found.push((shortened, piece.key));
            }
        }
        let calls: Vec<Option<CallKey>> = found.iter().map(|(short, _)| call_of(writer.builder, short.block)).collect();
        let mut blocks = Vec::new();
        for (shortened, key) in found {
            self.rename(shortened.block, key);
            blocks.push(shortened);
        }
        let gone = paired.gone.into_iter().filter(|id| calls.contains(&call_of(writer.builder, *id)));
        blocks.extend(gone.map(|block| Shortened { block, fate: Fate::Cleared, content: Contents::new() }));
        self.history.shorten(record, blocks);
    }
}

fn call_of(builder: &Builder, id: BlockId) -> Option<CallKey> {
    builder.transcript.block(id)?.call
}

/// What is left of a result, by what stands for it now; `None` where that is another text.
fn shortened(sources: &Sources, block: BlockId, whole: &Body, said: &Body) -> Option<Shortened> {
    let Body::Text { .. } = said else { return None };
    let said = sources.body_text(said).ok()?;
    let whole = match whole {
        Body::Text { .. } => Some(sources.body_text(whole).ok()?),
        Body::Media(_) | Body::Hidden(_) => None,
    };
    if let Some(content) = whole.as_deref().and_then(|whole| part(block, whole, &said)) {
        return Some(Shortened { block, fate: Fate::Truncated, content });
    }
    let short = whole.is_none_or(|whole| said.len() * 2 <= whole.len());
    let lower = said.get(..said.len().min(MARKER)).unwrap_or_default().to_lowercase();
    let marks = said.len() <= MARKER && (short || SAYS.iter().any(|words| lower.contains(words)));
    let content = std::iter::once(Made::Text(Cow::Owned(said))).collect();
    marks.then_some(Shortened { block, fate: Fate::Cleared, content })
}

/// The beginning and the end of a text that are left, with the words between them, where most of it is these.
fn part(block: BlockId, whole: &str, said: &str) -> Option<Contents> {
    let same = |pairs: &mut dyn Iterator<Item = (char, char)>| -> usize {
        pairs.take_while(|(one, other)| one == other).map(|(one, _)| one.len_utf8()).sum()
    };
    let head = same(&mut whole.chars().zip(said.chars()));
    let (rest, between) = (whole.get(head..)?, said.get(head..)?);
    let tail = same(&mut rest.chars().rev().zip(between.chars().rev()));
    let kept = head + tail;
    // A few signs less are no cut: a figure in it may have changed.
    if kept < PART || kept * 2 < said.len() || said.len() * 8 > whole.len() * 7 {
        return None;
    }
    let of = |from: usize, to: usize| Made::Part(block, from as u64, to as u64, false);
    let words = between.get(..between.len() - tail)?.to_owned();
    let mut content = Contents::new();
    content.extend((head > 0).then(|| of(0, head)));
    content.extend((!words.is_empty()).then_some(Made::Text(Cow::Owned(words))));
    content.extend((tail > 0).then(|| of(whole.len() - tail, whole.len())));
    Some(content)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn left(whole: &str, said: &str) -> Option<Vec<Made>> {
        part(BlockId(3), whole, said).map(|content| content.into_iter().collect())
    }

    #[test]
    fn what_is_left_of_a_text_points_into_it() {
        let whole = "first line of the log\nsecond line of the log\nthird line of the log, its end";
        let of = |from, to| Made::Part(BlockId(3), from, to, false);
        let words = |words: &str| Made::Text(Cow::Owned(words.to_owned()));
        assert_eq!(left(whole, "first line of the log\n[cut]"), Some(vec![of(0, 22), words("[cut]")]));
        assert_eq!(left(whole, "… of the log, its end"), Some(vec![words("…"), of(55, 75)]));
        let both = left(whole, "first line of the log […] its end");
        assert_eq!(both, Some(vec![of(0, 21), words(" […]"), of(67, 75)]));
        assert_eq!(left(whole, "[cleared]"), None);
        assert_eq!(left("it took 10 s to run all of the tests", "it took 9 s to run all of the tests"), None);
    }
}
