//! Facts that a limit leaves out of the files that they stand in before a replay begins: it does so wherever it is lower,
//! and no replay has to tell that they are lost.

use super::find::Place;
use super::life::Subject;
use super::whatif::Trials;
use crate::engine::Prepared;
use crate::model::{Block, Layer, Made, Stage};
use crate::policy::Policy;

impl Trials<'_> {
    /// The setting whose limit leaves the fact out of all that it stands in under a policy; `None` where it is let in,
    /// something else or several things leave it out, or it stands in anything but attached files.
    pub(super) fn left_out_by(&self, policy: &Policy) -> Option<&'static str> {
        let remembers = self.ready.base().given.kept;
        let stands = !self.subject.places.is_empty() && self.subject.is_plain() && !remembers;
        let places = self.subject.places.iter();
        let files: Vec<(&Place, &Block)> =
            places.filter(|_| stands).map(|place| Some((place, self.file_of(place)?))).collect::<Option<_>>()?;
        if files.is_empty() {
            return None;
        }
        let (_, replay) = self.ready.numbered(policy)?;
        let prepared = &replay.given.prepared;
        if prepared.iter().any(|piece| shows(self.subject, piece)) {
            return None;
        }
        let mut rules = files.iter().map(|(place, file)| limit_of(prepared, place, file));
        let first = rules.next().flatten();
        first.filter(|_| rules.all(|rule| rule == first))
    }

    /// The attached file that a place stands in.
    fn file_of(&self, place: &Place) -> Option<&Block> {
        let transcript = self.subject.transcript;
        let block = transcript.block(place.block).filter(|block| block.layer == Layer::Files)?;
        let source = transcript.sources.get(block.record.source.0 as usize)?;
        source.kind.is_attached().then_some(block)
    }
}

/// Whether a piece shows any place of a fact, or says it by itself.
fn shows(subject: &Subject, piece: &Prepared) -> bool {
    piece.content.iter().any(|made| match made {
        Made::Block(block) => subject.seen_in(*block).next().is_some(),
        Made::Part(block, from, to, original) => {
            let of = subject.places.iter().filter(|place| place.block == *block);
            let ranges = of.filter_map(|place| subject.spot(place, *original)).map(|spot| spot.range);
            ranges.into_iter().any(|(start, end)| u64::from(start) < *to && *from < u64::from(end))
        }
        Made::Text(text) => subject.is_in(text),
        Made::Written(_) => false,
    })
}

/// The limit that left a place out of its file.
fn limit_of(prepared: &[Prepared], place: &Place, file: &Block) -> Option<&'static str> {
    let (start, end) = place.whole.as_ref().or(place.seen.as_ref())?.range;
    let (start, end) = (u64::from(start), u64::from(end));
    let mut own = prepared.iter().filter(|piece| piece.file != 0 && piece.label == file.label);
    // Of two files of one name nobody can tell here which it is.
    let (piece, None) = (own.next()?, own.next()) else { return None };
    let decided = piece.decided.as_ref().filter(|event| event.stage == Stage::Limit)?;
    let left = decided.left.as_ref()?.iter().find(|left| left.bytes.0 <= start && end <= left.bytes.1)?;
    Some(left.rule)
}
