//! Facts by meaning that stand somewhere word for word: a passage of several sentences that says one of them is often
//! not near it.

use std::collections::HashMap;

use super::by_meaning::Read;
use super::fact::Fact;
use super::find::{Found, Place, gather, look};
use super::meaning::Meaning;
use super::paraphrase::own_sentence;
use super::question::{is_question, is_spoken, may_tell, stated};
use super::spot::Spot;
use super::unlike::Judge;
use crate::content::Watch;
use crate::memory::Lack;
use crate::model::{BlockId, Layer, Transcript};

/// Places of one wording that are followed.
pub(super) const SHOWN: usize = 200;
/// How near a place is that has the sentence itself.
const ITSELF: f32 = 1.0;

/// Where a sentence stands word for word.
#[derive(Default)]
pub(super) struct Verbatim {
    fact: Option<Fact>,
    /// The places that say it.
    said: Vec<Place>,
    /// Those that ask it.
    asking: Vec<Place>,
    /// Places beyond those.
    more: u64,
}

impl Verbatim {
    /// Looks a sentence up as a literal text. What denies it, or only supposes it, does not say it.
    pub fn of(meaning: &Meaning, read: Read, judge: &Judge, watch: &Watch) -> Verbatim {
        // Within a longer sentence it has no full stop.
        let itself = meaning.sentence.trim_end_matches(['.', '!', '?', '…', '。', '！', '？']);
        let Some(fact) = Fact::literal(itself).filter(|_| !watch.is_cancelled()) else { return Verbatim::default() };
        let Read { transcript, contents, sources } = read;
        let stands = look(&fact, contents, sources);
        let Found { mut places, mut more, .. } = gather(contents, stands, transcript, sources);
        fn sentence<'a>(fact: &Fact, place: &'a Place) -> Option<&'a str> {
            own_sentence(fact, &place.spot()?.context)
        }
        let asks = |place: &Place| {
            let rest = sentence(&fact, place).and_then(stated);
            transcript.block(place.block).is_some_and(is_spoken) && rest.is_some_and(|rest| !fact.is_in(&rest))
        };
        let denies = |place: &Place| {
            let lack = sentence(&fact, place).and_then(|said| judge.lack(said));
            matches!(lack, Some(Lack::Denied | Lack::Open | Lack::Past))
        };
        places.retain(|place| !denies(place));
        let (asking, mut said): (Vec<Place>, Vec<Place>) = places.into_iter().partition(asks);
        if said.len() > SHOWN {
            // The first and the last.
            more += (said.len() - SHOWN) as u64;
            said.drain(SHOWN / 2..said.len() - SHOWN / 2);
        }
        Verbatim { fact: Some(fact), said, asking, more }
    }

    /// The first block that says it.
    pub fn first(&self) -> Option<BlockId> {
        self.said.first().map(|place| place.block)
    }

    /// Takes its places in among those by meaning. A question that nothing goes before may be how it was said.
    pub fn join(&self, found: &mut Found, transcript: &Transcript) {
        let first = found.places.iter().map(|place| place.block).chain(self.first()).min();
        let wonders = self.fact.as_ref().is_some_and(|fact| is_question(&fact.text));
        let tells = |place: &Place| wonders || place.spot().is_some_and(|spot| may_tell(&spot.context));
        let (late, early): (Vec<&Place>, Vec<&Place>) =
            self.asking.iter().partition(|place| first.is_some_and(|first| first < place.block) || !tells(place));
        for place in late {
            let is_known = found.places.iter().any(|known| known.block == place.block && meets(known, place));
            if !is_known && !found.asked.contains(&place.block) {
                found.asked.push(place.block);
            }
        }
        let places: Vec<Place> = self.said.iter().chain(early.into_iter().take(SHOWN)).cloned().collect();
        let own = places.iter().min_by_key(|place| (sums_up(place, transcript), place.block)).map(|place| place.block);
        if let (Some(own), Some(fact)) = (own, &self.fact) {
            found.unfollowed += self.more;
            found.words.push(fact.text.clone());
            join(found, places, (Some(ITSELF), own), transcript);
        }
    }

    /// Whether other words are the sentence itself.
    pub fn is(&self, words: &Fact) -> bool {
        self.fact.as_ref().is_some_and(|fact| fact.is_in(&words.text) && words.is_in(&fact.text))
    }
}

/// Takes places of the same words in among others, each once. `score`, `own`: of the words, and the block that has them.
pub(super) fn join(
    found: &mut Found,
    places: Vec<Place>,
    (score, own): (Option<f32>, BlockId),
    transcript: &Transcript,
) {
    let mut in_block: HashMap<BlockId, Vec<usize>> = HashMap::new();
    for (at, place) in found.places.iter().enumerate() {
        in_block.entry(place.block).or_default().push(at);
    }
    for (number, place) in places.into_iter().enumerate() {
        let there = in_block.get(&place.block).map(Vec::as_slice).unwrap_or_default();
        let known = there.iter().copied().find(|at| found.places.get(*at).is_some_and(|known| meets(known, &place)));
        let quoted = !sums_up(&place, transcript) || place.block != own;
        match known.and_then(|at| found.places.get_mut(at)) {
            _ if number >= SHOWN => found.unfollowed += u64::from(known.is_none()),
            Some(known) => {
                known.quoted |= quoted && sums_up(known, transcript);
                // Its passage may be near only before the agent cut it.
                known.seen = known.seen.take().or(place.seen);
            }
            None => {
                found.alike.retain(|alike| alike.block != place.block || !meets(alike, &place));
                in_block.entry(place.block).or_default().push(found.places.len());
                found.places.push(Place { score, quoted, ..place });
            }
        }
    }
}

/// Whether two places of a block overlap, in what was sent or in its original.
fn meets(one: &Place, other: &Place) -> bool {
    let overlap = |one: &Option<Spot>, other: &Option<Spot>| {
        let ranges = one.as_ref().zip(other.as_ref()).map(|(one, other)| (one.range, other.range));
        ranges.is_some_and(|(one, other)| one.0 < other.1 && other.0 < one.1)
    };
    overlap(&one.seen, &other.seen) || overlap(&one.whole, &other.whole)
}

/// Whether a place is in a summary.
pub(super) fn sums_up(place: &Place, transcript: &Transcript) -> bool {
    transcript.block(place.block).is_some_and(|block| block.layer == Layer::Summaries)
}
