//! Clients clear and cut by themselves: a result that was sent whole is sent again as a marker, or as a part of itself.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::{HashMap, HashSet, VecDeque};

use crate::content::Sources;
use crate::model::{BlockId, Body, CallKey, Contents, Fate, Layer, Made, Record, Shortened};
use crate::transcript::build::Builder;
use crate::transcript::parts::Piece;

use super::Said;
use super::conversation::{Conversation, Writer, tells};

/// Characters up to which a text may be a marker, whatever it says.
const MARKER: usize = 400;
/// Characters up to which one may be that says so in its first [`MARKER`].
const LONG_MARKER: usize = 1_500;
/// Characters of a result by which its beginning and its end are found within words that stand around them.
const ENDS: usize = 24;
/// Bytes of a result that have to be said again at least, for it to be cut and not cleared.
const PART: usize = 16;
/// What markers say that are not much shorter than what they stand for.
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

/// What a text is of that stands for what a tool gave, where it is nothing but that.
const OF: &[&str] = &["result", "output", "content"];

/// What is said otherwise in a conversation than it was at first.
#[derive(Default)]
pub(super) struct Restated {
    /// Results of which less is said now: their keys are those of what stands for them.
    pub blocks: HashSet<BlockId>,
    /// The keys of texts that have stood for whole results.
    markers: HashSet<u64>,
    /// Further blocks of results that are cleared: nothing stands for them.
    gone: HashMap<CallKey, Vec<BlockId>>,
}

/// The results of a request that are said otherwise than in the window.
struct Paired {
    /// Which piece stands for which block.
    pairs: Vec<(usize, BlockId)>,
    /// Further blocks of the same results, for which nothing stands.
    gone: Vec<BlockId>,
    /// Which pieces are blocks that had left the window with others.
    back: Vec<(usize, BlockId)>,
}

impl Paired {
    /// Of several blocks of a result for which fewer stand, those come first that what is said now is a part of.
    fn prefer_parts(&mut self, writer: &Writer<'_>, pieces: &[&Piece]) {
        let alone = Alike { known: false, often: false };
        let is_part = |at: usize, id: BlockId| {
            let bodies = pieces.get(at).zip(writer.builder.transcript.block(id));
            let left = bodies.and_then(|(piece, block)| left(writer.sources, &block.body, &piece.draft.body, alone));
            matches!(left, Some(Left::Whole | Left::Part(_)))
        };
        let mut by_call: HashMap<Option<CallKey>, Vec<usize>> = HashMap::new();
        for (place, gone) in self.gone.iter().enumerate() {
            by_call.entry(call_of(writer.builder, *gone)).or_default().push(place);
        }
        for (at, id) in &mut self.pairs {
            let Some(others) = by_call.get(&call_of(writer.builder, *id)).filter(|_| !is_part(*at, *id)) else {
                continue;
            };
            let is_other = |place: &&usize| self.gone.get(**place).is_some_and(|other| is_part(*at, *other));
            if let Some(other) = others.iter().find(is_other).and_then(|place| self.gone.get_mut(*place)) {
                std::mem::swap(id, other);
            }
        }
    }
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
    /// Finds the results of a request that the window holds with another text, by the `calls` of its pieces.
    fn paired(&self, builder: &Builder, pieces: &[&Piece], calls: &[Option<CallKey>]) -> Paired {
        let mut blocks: HashMap<CallKey, Vec<BlockId>> = HashMap::new();
        for id in self.history.window() {
            let block = builder.transcript.block(*id).filter(|block| block.layer == Layer::ToolResults);
            if let Some(call) = block.and_then(|block| block.call) {
                blocks.entry(call).or_default().push(*id);
            }
        }
        let mut said: Vec<(CallKey, Vec<usize>)> = Vec::new();
        let results = pieces.iter().zip(calls).enumerate();
        for (at, call) in results
            .filter(|(_, (piece, _))| piece.draft.layer == Layer::ToolResults)
            .filter_map(|(at, (_, call))| Some((at, (*call)?)))
        {
            match said.last_mut().filter(|(last, _)| *last == call) {
                Some((_, places)) => places.push(at),
                None => said.push((call, vec![at])),
            }
        }
        let mut paired = Paired { pairs: Vec::new(), gone: Vec::new(), back: Vec::new() };
        for (call, mut places) in said {
            let Some(mut held) = blocks.remove(&call) else { continue };
            self.match_off(pieces, &mut places, &mut held);
            if places.len() > held.len() {
                let mut gone = self.restated.gone.get(&call).cloned().unwrap_or_default();
                let mut back = self.match_off(pieces, &mut places, &mut gone);
                if places.len() > held.len() {
                    continue;
                }
                paired.back.append(&mut back);
            }
            // Fewer stand for more: what is the most to say something of comes first.
            if !places.is_empty() && places.len() < held.len() {
                let length = |id: &BlockId| builder.transcript.block(*id).map_or(0, |block| length(&block.body));
                let mut by_length = held.clone();
                by_length.sort_by_key(|id| Reverse(length(id)));
                let paired_with: HashSet<BlockId> = by_length.into_iter().take(places.len()).collect();
                held.sort_by_key(|id| !paired_with.contains(id));
            }
            paired.gone.extend(held.split_off(places.len()));
            paired.pairs.extend(places.into_iter().zip(held));
        }
        paired
    }

    /// Leaves out of the places of pieces, and of blocks, those that say the same; each block stands for one piece. What
    /// stands where is returned.
    fn match_off(
        &self,
        pieces: &[&Piece],
        places: &mut Vec<usize>,
        blocks: &mut Vec<BlockId>,
    ) -> Vec<(usize, BlockId)> {
        let mut by_key: HashMap<u64, VecDeque<BlockId>> = HashMap::new();
        blocks.iter().for_each(|id| by_key.entry(self.key(*id)).or_default().push_back(*id));
        let mut same: Vec<(usize, BlockId)> = Vec::new();
        places.retain(|at| {
            let found = pieces.get(*at).and_then(|piece| by_key.get_mut(&piece.key)?.pop_front());
            same.extend(found.map(|id| (*at, id)));
            found.is_none()
        });
        let found: HashSet<BlockId> = same.iter().map(|(_, id)| *id).collect();
        blocks.retain(|id| !found.contains(id));
        same
    }

    /// The window's keys and a request's by which conversations are told apart, where results may have been cleared or
    /// cut: with the window's own for those.
    pub(super) fn compared<'k>(&self, builder: &Builder, said: &[Said], keys: &'k [(u64, u64)]) -> Compared<'k> {
        let pieces: Vec<&Piece> =
            said.iter().flat_map(|one| &one.pieces).filter(|piece| tells(piece.draft.layer)).collect();
        let calls = self.calls(builder, &pieces, false);
        let Paired { pairs, gone, back } = self.paired(builder, &pieces, &calls);
        let mut compared = Compared {
            old: self.message_keys(builder, &gone),
            keys: Cow::Borrowed(keys),
            shortened: !pairs.is_empty() || !gone.is_empty(),
        };
        for (at, id) in pairs {
            if let Some((key, _)) = compared.keys.to_mut().get_mut(at) {
                *key = self.key(id);
            }
        }
        let back: HashSet<usize> = back.into_iter().map(|(at, _)| at).collect();
        if !back.is_empty() {
            let mut at = 0..;
            compared.keys.to_mut().retain(|_| at.next().is_some_and(|at| !back.contains(&at)));
        }
        compared
    }

    /// Takes in which results of the window are said again as markers, as parts of themselves, or whole after that: they
    /// stay in their places, with that key. What is said then is a text of its own, in the request's record.
    pub(super) fn restate(&mut self, writer: &mut Writer<'_>, said: &[Said], record: Record) {
        let pieces: Vec<(&Said, &Piece)> =
            said.iter().flat_map(|one| one.pieces.iter().map(move |piece| (one, piece))).collect();
        let alone: Vec<&Piece> = pieces.iter().map(|(_, piece)| *piece).collect();
        let calls: Vec<Option<CallKey>> = alone.iter().map(|piece| piece.draft.call).collect();
        let mut paired = self.paired(writer.builder, &alone, &calls);
        paired.prefer_parts(writer, &alone);
        let mut often: HashMap<u64, usize> = HashMap::new();
        alone.iter().for_each(|piece| *often.entry(piece.key).or_default() += 1);
        let sources = writer.sources;
        let held: HashSet<BlockId> = self.history.window().iter().copied().collect();
        let left_out = self.keys.iter().filter(|(id, _)| !paired.pairs.is_empty() && !held.contains(id));
        let earlier: HashSet<(CallKey, u64)> =
            left_out.filter_map(|(id, key)| Some((call_of(writer.builder, *id)?, *key))).collect();
        let judged = |alike: bool, markers: &HashSet<u64>| -> Vec<Option<Left>> {
            let of = |(at, id): &(usize, BlockId)| {
                let (piece, block) = (alone.get(*at)?, writer.builder.transcript.block(*id)?);
                // What it was before another text took its place is no marker of that.
                if block.call.is_some_and(|call| earlier.contains(&(call, piece.key))) {
                    return None;
                }
                let known = markers.contains(&piece.key);
                let often = alike || often.get(&piece.key).is_some_and(|times| *times > 1);
                left(sources, &block.body, &piece.draft.body, Alike { known, often })
            };
            paired.pairs.iter().map(of).collect()
        };
        let mut lefts = judged(false, &self.restated.markers);
        let cleared = paired.pairs.iter().zip(&lefts).filter(|(_, left)| matches!(left, Some(Left::Marker)));
        let markers: Vec<u64> = cleared.filter_map(|((at, _), _)| Some(alone.get(*at)?.key)).collect();
        if !markers.is_empty() {
            // Where others are cleared at once, what says so is no news either, nor what says the same.
            self.restated.markers.extend(markers);
            lefts = judged(true, &self.restated.markers);
        }
        let mut blocks: Vec<Shortened> = Vec::new();
        let mut edited: HashSet<Option<CallKey>> = HashSet::new();
        for ((at, id), left) in paired.pairs.into_iter().zip(lefts) {
            let (Some((one, piece)), Some(left)) = (pieces.get(at), left) else {
                edited.insert(call_of(writer.builder, id));
                continue;
            };
            match left {
                Left::Whole => self.restated.blocks.remove(&id),
                Left::Marker | Left::Part(_) => self.restated.blocks.insert(id),
            };
            let mut add = || {
                let message = writer.builder.message(one.role, one.record, writer.at, None);
                writer.builder.block(message, piece.draft.clone())
            };
            blocks.push(match left {
                Left::Whole => Shortened { block: id, fate: Fate::Verbatim, content: Made::Block(id).into() },
                Left::Marker => Shortened { block: id, fate: Fate::Cleared, content: Made::Block(add()).into() },
                Left::Part(part) => Shortened { block: id, fate: Fate::Truncated, content: part.content(id, add()) },
            });
            self.rename(id, piece.key);
        }
        for block in paired.gone {
            let call = call_of(writer.builder, block);
            if !edited.contains(&call) {
                self.restated.gone.entry(call.unwrap_or(CallKey(0))).or_default().push(block);
                blocks.push(Shortened { block, fate: Fate::Cleared, content: Contents::new() });
            }
        }
        let mut back: HashSet<BlockId> = HashSet::new();
        for (_, block) in paired.back {
            let call = call_of(writer.builder, block);
            if !edited.contains(&call) {
                back.insert(block);
                blocks.push(Shortened { block, fate: Fate::Verbatim, content: Made::Block(block).into() });
            }
        }
        if !back.is_empty() {
            self.restated.gone.values_mut().for_each(|gone| gone.retain(|id| !back.contains(id)));
        }
        self.history.shorten(record, blocks);
    }
}

/// How much a body says, for choosing what stands for several.
fn length(body: &Body) -> u64 {
    match body {
        Body::Text { chars, .. } => *chars,
        Body::Media(_) | Body::Hidden(_) => 0,
    }
}

fn call_of(builder: &Builder, id: BlockId) -> Option<CallKey> {
    builder.transcript.block(id)?.call
}

/// What is left of a result.
enum Left {
    /// All of it: it had been cleared or cut.
    Whole,
    /// Its beginning, its end, or both.
    Part(Part),
    /// Nothing.
    Marker,
}

/// The beginning and the end of a text that are left, with words before, between and after them.
#[derive(Debug, PartialEq)]
struct Part {
    /// What is left, in order: at which byte of what is said now, from which byte of the text, and how many.
    kept: Vec<(usize, usize, usize)>,
    /// Bytes of what is said now.
    said: usize,
}

impl Part {
    /// The text's block and that of what is said now, which has the words; its newest block is always the latter.
    fn content(&self, text: BlockId, said: BlockId) -> Contents {
        let of = |block: BlockId, from: usize, to: usize| Made::Part(block, from as u64, to as u64, false);
        let (mut content, mut at, mut words) = (Contents::new(), 0, 0);
        for (place, from, length) in &self.kept {
            words += place - at;
            content.extend((*place > at).then(|| of(said, at, *place)));
            content.push(of(text, *from, from + length));
            at = place + length;
        }
        content.extend((self.said > at || words == 0).then(|| of(said, at, self.said)));
        content
    }
}

/// What else is known of what stands for a result.
#[derive(Clone, Copy)]
struct Alike {
    /// It has stood for another result, which it clears.
    known: bool,
    /// Other results are cleared with it, or it stands for several.
    often: bool,
}

/// What is left of a result, by what stands for it now; `None` where that is another text.
fn left(sources: &Sources, whole: &Body, said: &Body, alike: Alike) -> Option<Left> {
    let Body::Text { chars, .. } = said else { return None };
    let chars = usize::try_from(*chars).unwrap_or(usize::MAX);
    let said = sources.body_text(said).ok()?;
    let Body::Text { .. } = whole else { return (chars <= MARKER).then_some(Left::Marker) };
    let whole = sources.body_text(whole).ok()?;
    // Clients strip the blanks around a text.
    if whole.trim() == said.trim() {
        return Some(Left::Whole);
    }
    if let Some(part) = part(&whole, &said) {
        return Some(Left::Part(part));
    }
    let lower = said.chars().take(MARKER).collect::<String>().to_lowercase();
    let says = SAYS.iter().any(|words| lower.contains(words));
    let halves = said.len() * 2 <= whole.len();
    if chars > MARKER {
        return (chars <= LONG_MARKER && says && halves).then_some(Left::Marker);
    }
    // What is longer may be news, whatever it says: but not the same for several calls.
    let may_say = || alike.often || said.len() < whole.len() || is_placeholder(&lower);
    (halves || alike.known || says && may_say()).then_some(Left::Marker)
}

/// Whether a text, in small letters, is nothing but words on what a tool gave, in brackets: no news has figures as little
/// as that.
fn is_placeholder(said: &str) -> bool {
    let inner = said.trim().strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    inner.is_some_and(|inner| {
        let plain = !inner.contains(|sign: char| sign.is_ascii_digit() || "[]\n".contains(sign));
        plain && (OF.iter().any(|of| inner.contains(of)) || SAYS.contains(&inner))
    })
}

/// Bytes that two texts have in common, character by character.
pub(super) fn same(pairs: impl Iterator<Item = (char, char)>) -> usize {
    pairs.take_while(|(one, other)| one == other).map(|(one, _)| one.len_utf8()).sum()
}

/// Whether two texts are one that something was put before or behind, or in which something was changed.
pub(super) fn alike(one: &str, other: &str) -> bool {
    let head = same(one.chars().zip(other.chars()));
    let rest = (one.get(head..).unwrap_or_default(), other.get(head..).unwrap_or_default());
    let tail = same(rest.0.chars().rev().zip(rest.1.chars().rev()));
    (head + tail) * 2 >= one.len().min(other.len())
}

/// The beginning and the end of a text that are left, where most of what is said is these. Clients may put words of their
/// own before them, too.
fn part(whole: &str, said: &str) -> Option<Part> {
    let telling = |end: &&str| !end.trim().is_empty();
    let mut head = (0, same(whole.chars().zip(said.chars())));
    let begins = whole.char_indices().nth(ENDS).and_then(|(at, _)| whole.get(..at)).filter(telling);
    if head.1 < PART
        && let Some(at) = begins.and_then(|begins| said.find(begins))
    {
        head = (at, same(whole.chars().zip(said.get(at..)?.chars())));
    }
    let (start, kept) = (head.0 + head.1, head.1);
    let (rest, after) = (whole.get(kept..)?, said.get(start..)?);
    let mut tail = (said.len(), same(rest.chars().rev().zip(after.chars().rev())));
    let ends = rest.char_indices().rev().nth(ENDS - 1).and_then(|(at, _)| rest.get(at..)).filter(telling);
    if tail.1 < PART
        && let Some(at) = ends.and_then(|ends| Some(after.rfind(ends)? + ends.len()))
    {
        tail = (start + at, same(rest.chars().rev().zip(after.get(..at)?.chars().rev())));
    }
    let kept = head.1 + tail.1;
    // A few signs less are no cut: a figure in it may have changed.
    let cut = kept >= PART && kept * 2 >= said.len() && said.len() * 8 <= whole.len() * 7;
    let parts = [(head.0, 0, head.1), (tail.0 - tail.1, whole.len() - tail.1, tail.1)];
    cut.then(|| Part { kept: parts.into_iter().filter(|(.., length)| *length > 0).collect(), said: said.len() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn content(whole: &str, said: &str) -> Option<Vec<Made>> {
        part(whole, said).map(|part| part.content(BlockId(3), BlockId(8)).into_iter().collect())
    }

    #[test]
    fn a_placeholder_says_nothing_but_what_it_stands_for() {
        assert!(is_placeholder("[old tool result content cleared]"));
        assert!(is_placeholder(" [output omitted to save context]\n"));
        assert!(is_placeholder("[cleared]"));
        for news in ["[3 results removed]", "the output was removed", "[lock removed]", "[result]\n[content]"] {
            assert!(!is_placeholder(news), "{news}");
        }
    }

    #[test]
    fn what_is_left_of_a_text_points_into_it() {
        let whole = "first line of the log\nsecond line of the log\nthird line of the log, its end";
        let of = |from, to| Made::Part(BlockId(3), from, to, false);
        let words = |from, to| Made::Part(BlockId(8), from, to, false);
        assert_eq!(content(whole, "first line of the log\n[cut]"), Some(vec![of(0, 22), words(22, 27)]));
        assert_eq!(content(whole, "first line of the log\n"), Some(vec![of(0, 22), words(22, 22)]));
        assert_eq!(content(whole, "… of the log, its end"), Some(vec![words(0, 3), of(55, 75)]));
        let both = content(whole, "first line of the log […] its end");
        assert_eq!(both, Some(vec![of(0, 21), words(21, 27), of(67, 75)]));
        let framed = content(whole, "[3 lines:]\nfirst line of the log\nsecond[…]");
        assert_eq!(framed, Some(vec![words(0, 11), of(0, 28), words(39, 44)]));
        let framed = content(whole, "the log's end was: «third line of the log, its end»");
        assert_eq!(framed, Some(vec![words(0, 21), of(45, 75), words(51, 53)]));
        assert_eq!(content(whole, "[cleared]"), None);
        assert_eq!(content("it took 10 s to run all of the tests", "it took 9 s to run all of the tests"), None);
    }
}
