//! What of attached files becomes memories: their text as the policy sends it, whole or the passages that were chosen.

use std::ops::Range;
use std::sync::Arc;

use crate::content::{Sources, Watch};
use crate::model::{BlockId, Body, Coding, Layer, Made, Transcript};

use super::file_text::FileText;
use super::simulate::Prepared;

/// Bytes of attached files that become memories; what comes later stays out.
const MOST: u64 = 4 << 20;
/// What stands for blocks from this number on are pieces that no block holds: their number is that of the piece.
const LOOSE: u32 = 1 << 31;

/// What of an attached file is sent at a step.
pub(super) struct Document {
    /// What tells the file apart: see [`Prepared::file`].
    file: u64,
    /// The step at which it comes in.
    pub born: u32,
    /// Its text, or the passages of it.
    pub passages: Vec<Passage>,
}

/// A text of a document.
pub(super) struct Passage {
    /// Its words. Untrusted.
    pub text: String,
    /// The block that holds it, and whether that is the block's uncut text; see [`loose`].
    pub block: (BlockId, bool),
    /// Where its parts stand: first and last byte of it, the first byte in the block's text.
    pub runs: Vec<(usize, usize, u64)>,
    /// The prepared piece that it stands in.
    pub piece: u32,
}

impl Passage {
    /// A text that stands in one piece in its block.
    fn of(text: String, block: (BlockId, bool), start: u64, piece: u32) -> Passage {
        Passage { runs: vec![(0, text.len(), start)], text, block, piece }
    }
}

/// What of an attached file became no memory, as there was too much of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// The file's name. Untrusted.
    pub name: Arc<str>,
    /// Bytes of its text that became memories: the first.
    pub taken: u64,
    /// Bytes of the text that is sent.
    pub of: u64,
}

/// The prepared piece that something stands for which is no block.
pub(super) fn loose(block: BlockId) -> Option<u32> {
    block.0.checked_sub(LOOSE)
}

/// The documents among prepared pieces of some layers, in order, and what of them is too much. `None` where the watch is
/// cancelled. What cannot be read counts as empty.
pub(super) fn documents(
    prepared: &[Prepared],
    (transcript, sources): (&Transcript, &Sources),
    layers: &[Layer],
    watch: &Watch,
) -> Option<(Vec<Document>, Vec<LeftOut>)> {
    let (mut found, mut left_out): (Vec<Document>, Vec<LeftOut>) = (Vec::new(), Vec::new());
    let mut room = MOST;
    for (number, piece) in (0u32..).zip(prepared) {
        // A list of files is no file.
        if piece.file == 0 || !layers.contains(&piece.layer) {
            continue;
        }
        if watch.is_cancelled() {
            return None;
        }
        if found.last().is_none_or(|last| (last.file, last.born) != (piece.file, piece.step)) {
            found.push(Document { file: piece.file, born: piece.step, passages: Vec::new() });
            let block = piece.content.blocks().find_map(|id| transcript.block(id));
            let name = block.map_or_else(|| piece.label.clone(), |block| block.label.clone());
            left_out.push(LeftOut { name, taken: 0, of: 0 });
        }
        // A passage stands behind its tag.
        let tag = usize::from(piece.layer == Layer::Chunks && piece.content.len() > 1);
        for made in piece.content.iter().skip(tag) {
            let read = |room: u64| passage(made, number, (transcript, sources), room);
            let passages: Vec<(Passage, u64)> = match piece.text.as_deref() {
                Some(FileText { document, block, own: Some(own) }) => {
                    let kept = parts(&document.markdown, own.bytes(), (*block, number), room);
                    let left = room.saturating_sub(kept.0.text.len() as u64);
                    let rest = (!own.rest.is_empty()).then(|| read(u64::MAX)).flatten();
                    let rest =
                        rest.map(|(cut, _)| parts(&cut.text, own.rest.iter().cloned(), (cut.block, number), left));
                    std::iter::once(kept).chain(rest).collect()
                }
                _ => read(room).into_iter().collect(),
            };
            for (passage, of) in passages {
                let taken = passage.runs.iter().map(|(from, to, _)| (to - from) as u64).sum();
                room = room.saturating_sub(taken);
                if let Some(last) = left_out.last_mut() {
                    (last.taken, last.of) = (last.taken + taken, last.of + of);
                }
                if let Some(last) = found.last_mut().filter(|_| taken > 0) {
                    last.passages.push(passage);
                }
            }
        }
    }
    found.retain(|document| !document.passages.is_empty());
    left_out.retain(|one| one.taken < one.of);
    Some((found, left_out))
}

/// Parts of a text one after the other, at most so many bytes, and how many there are in all.
fn parts(
    whole: &str,
    parts: impl Iterator<Item = Range<usize>>,
    (block, piece): ((BlockId, bool), u32),
    room: u64,
) -> (Passage, u64) {
    let (mut text, mut runs, mut of, mut last) = (String::new(), Vec::new(), 0, 0);
    for range in parts {
        let part = whole.get(range.clone()).unwrap_or_default();
        of += part.len() as u64;
        let left = usize::try_from(room.saturating_sub(text.len() as u64)).unwrap_or(usize::MAX);
        let part = part.get(..part.floor_char_boundary(left.min(part.len()))).unwrap_or_default();
        if part.is_empty() {
            continue;
        }
        // What is left out between two parts leaves a blank, that their words stay two.
        if !text.is_empty() && range.start > last && !text.ends_with(char::is_whitespace) {
            let breaks = whole.get(last..range.start).is_some_and(|between| between.contains('\n'));
            text.push(if breaks { '\n' } else { ' ' });
        }
        let from = text.len();
        text.push_str(part);
        runs.push((from, text.len(), range.start as u64));
        last = range.end;
    }
    (Passage { text, block, runs, piece }, of)
}

/// A text of at most so many bytes, and how many it has in all; no more of it is read.
fn passage(
    made: &Made,
    piece: u32,
    (transcript, sources): (&Transcript, &Sources),
    room: u64,
) -> Option<(Passage, u64)> {
    let most = usize::try_from(room).unwrap_or(usize::MAX);
    let cut = |text: &str| text.get(..text.floor_char_boundary(most.min(text.len()))).unwrap_or_default().to_owned();
    let (id, from, to, whole) = match made {
        Made::Block(id) => (*id, 0, u64::MAX, false),
        Made::Part(id, from, to, whole) => (*id, *from, *to, *whole),
        Made::Text(text) => {
            let block = (BlockId(LOOSE.saturating_add(piece)), false);
            return Some((Passage::of(cut(text), block, 0, piece), text.len() as u64));
        }
        Made::Written(_) => return None,
    };
    let body = transcript.block(id)?.content(whole);
    if !matches!(body, Body::Text { .. }) {
        return None;
    }
    let mut spans = body.spans();
    let (text, of) = match (spans.next(), spans.next()) {
        (Some(span), None) if span.coding == Coding::Plain => {
            let of = to.min(span.len()).saturating_sub(from);
            let first = span.start.saturating_add(from).min(span.end);
            let bytes = sources.read(span.source, first, first.saturating_add(of.min(room))).ok()?;
            // Where it ends in the midst of a sign, the sign is left out.
            let valid = bytes.utf8_chunks().next().map_or(0, |chunk| chunk.valid().len());
            (String::from_utf8_lossy(bytes.get(..valid)?).into_owned(), of)
        }
        _ => {
            let text = sources.body_text(body).ok()?;
            let place = |at: u64| text.floor_char_boundary(usize::try_from(at).unwrap_or(usize::MAX).min(text.len()));
            let part = text.get(place(from)..place(to)).unwrap_or_default();
            (cut(part), part.len() as u64)
        }
    };
    Some((Passage::of(text, (id, whole), from, piece), of))
}
