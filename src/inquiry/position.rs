//! Where in a window a fact stands, in tokens: models use what stands in its middle least.

use super::fact::{Fact, Inside};
use super::find::{Found, Place, size};
use super::stay::Stay;
use super::trace::Trace;
use crate::content::Sources;
use crate::model::{BlockId, Entry, Layer, Made, Run, Transcript};
use crate::tokens::{Encoding, count};

/// Bytes of an entry's text of which the tokens before a fact are counted; of a longer one they are told by its bytes.
const COUNTED: u64 = 4 << 20;

/// Where a fact stands in a window.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Position {
    /// Tokens before it, what is not recorded included.
    pub from_start: u64,
    /// Tokens after it.
    pub from_end: u64,
    /// Its distance from the start as a share of what is used.
    pub share: f64,
    /// Whether it was told by bytes: the text that it stands in is too long to be counted.
    pub estimated: bool,
}

/// Tells where a fact stands in the window of the step at which it is needed, where that holds it. `encoding`: what the
/// run was counted with.
pub fn locate(trace: &mut Trace, fact: &Fact, found: &Found, shown: (&Run, &Transcript, &Sources), encoding: Encoding) {
    let best = trace.best_at(trace.need.step()).filter(|(_, stay)| stay.sight.is_visible());
    trace.position = best.and_then(|(at, stay)| {
        let own = trace.occurrences.get(at).and_then(|one| found.places.get(one.place?));
        position(trace.need.step(), stay, &Sought { fact, found, own }, shown, encoding)
    });
}

/// What is looked for in an entry.
struct Sought<'a> {
    fact: &'a Fact,
    found: &'a Found,
    /// The place in question.
    own: Option<&'a Place>,
}

impl<'a> Sought<'a> {
    /// The place in question where a block has it, else the block's first: a summary has places of its own.
    fn place(&self, block: BlockId) -> Option<&'a Place> {
        let first = || self.found.places.iter().find(|place| place.block == block);
        self.own.filter(|place| place.block == block).or_else(first)
    }
}

#[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss)]
fn position(
    step: u32,
    stay: &Stay,
    sought: &Sought,
    shown: (&Run, &Transcript, &Sources),
    encoding: Encoding,
) -> Option<Position> {
    let run = shown.0;
    let entry = run.entry(stay.entry?)?;
    let totals = run.totals_at(step)?;
    let place = entry.life_at(step)?.place;
    let before: u64 = run
        .entries
        .iter()
        .filter(|other| other.life_at(step).is_some_and(|life| life.place < place))
        .map(|other| other.tokens)
        .sum();
    let (within, estimated) = within(entry, sought, shown, encoding);
    // What is not recorded is the system prompt and the tools, which stand in front; of what is given, not before it.
    let in_front = match entry.layer {
        Layer::System => true,
        Layer::Tools => totals.layers[Layer::System as usize] > 0,
        _ => false,
    };
    let unlogged = if in_front { 0 } else { totals.layers[Layer::Unlogged as usize] };
    let used = totals.used().max(1);
    let from_start = (unlogged + before + (entry.tokens as f64 * within).round() as u64).min(used);
    Some(Position { from_start, from_end: used - from_start, share: from_start as f64 / used as f64, estimated })
}

/// How far into an entry's text a fact stands, as a share of its tokens: parts of blocks, markers and pointers included.
/// And whether that is an estimate.
#[allow(clippy::cast_precision_loss)]
fn within(entry: &Entry, sought: &Sought, shown: (&Run, &Transcript, &Sources), encoding: Encoding) -> (f64, bool) {
    let transcript = shown.1;
    let stored = |id: BlockId| transcript.block(id).map_or(0, |block| size(&block.body));
    // A text may be stored in several times as many bytes as it has: `\u4e2d` is six for three.
    let length_of = |id: BlockId| {
        let spot = sought.place(id).and_then(|place| place.seen.as_ref());
        spot.map_or_else(|| stored(id), |spot| u64::from(spot.length))
    };
    let is_long = entry.content.blocks().map(length_of).sum::<u64>() > COUNTED;
    let (mut text, mut length, mut stands) = (String::new(), 0, None);
    for made in &entry.content {
        stands = stands.or_else(|| Some(length + begins(made, sought, transcript)?));
        length += match made {
            Made::Block(id) if is_long => length_of(*id),
            Made::Part(_, from, to, _) if is_long => to - from,
            made => {
                let before = text.len();
                push(&mut text, made, shown);
                (text.len() - before) as u64
            }
        };
    }
    let Some(stands) = stands else { return (0.0, is_long) };
    let share = |before: u64, behind: u64| before as f64 / (before + behind).max(1) as f64;
    if is_long {
        return (share(stands, length.saturating_sub(stands)), true);
    }
    let (before, behind) = text.split_at(text.floor_char_boundary(usize::try_from(stands).unwrap_or(usize::MAX)));
    (share(count(before, encoding), count(behind, encoding)), false)
}

/// The byte of a piece of an entry at which a fact begins.
fn begins(made: &Made, sought: &Sought, transcript: &Transcript) -> Option<u64> {
    match made {
        Made::Block(id) => Some(u64::from(sought.place(*id)?.seen.as_ref()?.range.0)),
        Made::Part(id, from, to, original) => {
            let place = sought.place(*id)?;
            let spot = if has_original(*id, *original, transcript) { &place.whole } else { &place.seen };
            // It may begin in one part and end in the next.
            let begins = spot.as_ref().map(|spot| u64::from(spot.says.0));
            begins.filter(|begins| (*from..*to).contains(begins)).map(|begins| begins - from)
        }
        Made::Text(words) => sought.fact.places(words, Inside::Nothing).first().map(|at| u64::from(at.0)),
        Made::Written(_) => None,
    }
}

/// Whether a part is of its block's original, where that is asked for.
fn has_original(id: BlockId, original: bool, transcript: &Transcript) -> bool {
    original && transcript.block(id).is_some_and(|block| block.original.is_some())
}

/// Adds the text of a piece.
fn push(text: &mut String, made: &Made, (run, transcript, sources): (&Run, &Transcript, &Sources)) {
    match made {
        Made::Block(id) => {
            let body = transcript.block(*id).map(|block| &block.body);
            text.push_str(&body.and_then(|body| sources.body_text(body).ok()).unwrap_or_default());
        }
        Made::Part(id, from, to, original) => {
            let body = transcript.block(*id).map(|block| block.content(*original));
            let shown = body.and_then(|body| sources.body_text(body).ok()).unwrap_or_default();
            let at = |at: u64| shown.floor_char_boundary(usize::try_from(at).unwrap_or(usize::MAX));
            text.push_str(shown.get(at(*from)..at(*to)).unwrap_or_default());
        }
        Made::Text(words) => text.push_str(words),
        Made::Written(written) => text.push_str(&written.text(run)),
    }
}
