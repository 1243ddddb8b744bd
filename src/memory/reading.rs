//! What texts tell, read once for all copies of a store: every replay of a session asks it of the same texts.

use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use rustc_hash::FxHashMap;
use xxhash_rust::xxh3::xxh3_64;

use super::contrary::{Claim, claims, without_sides};
use super::same::are_written_alike;
use super::sense::Sense;
use super::told::Told;
use super::turn::{Asked, Shown, Sides, first_shown};
use super::{Vector, by_words, normal, sentences};

/// Bytes of texts that are kept read. What is more is read anew by each copy.
const KEPT: usize = 4 << 20;

/// A text with what it tells, each read as it is first asked for.
#[derive(Debug)]
pub(super) struct Reading {
    text: Arc<str>,
    same: OnceLock<u64>,
    told: OnceLock<Told>,
    sense: OnceLock<Sense>,
    claims: OnceLock<Vec<Claim>>,
    sideless: OnceLock<Option<[Vector; 2]>>,
    sides: OnceLock<Option<Sides>>,
    first: OnceLock<Vec<Shown>>,
    asked: OnceLock<Asked>,
    sentences: OnceLock<Vec<(usize, String)>>,
}

impl Reading {
    pub fn of(text: Arc<str>) -> Reading {
        let (same, told, sense, claims) = (OnceLock::new(), OnceLock::new(), OnceLock::new(), OnceLock::new());
        let (sideless, sides, first) = (OnceLock::new(), OnceLock::new(), OnceLock::new());
        let (asked, sentences) = (OnceLock::new(), OnceLock::new());
        Reading { text, same, told, sense, claims, sideless, sides, first, asked, sentences }
    }

    /// Where each of its sentences begins, with what equal ones have in common.
    pub fn sentences(&self) -> &[(usize, String)] {
        let read = |(from, to): (usize, usize)| Some((from, normal(self.text.get(from..to)?)));
        self.sentences.get_or_init(|| sentences(&self.text).into_iter().filter_map(read).collect())
    }

    /// What of it comes after the sentences with which another ends and it begins: chunks overlap.
    pub fn beyond(&self, other: &Reading) -> &str {
        let (said, new) = (other.sentences(), self.sentences());
        let is_same = |count: &usize| {
            let end = said.iter().skip(said.len() - count).map(|(_, words)| words);
            end.eq(new.iter().take(*count).map(|(_, words)| words))
        };
        let overlap = (1..=said.len().min(new.len())).rev().find(is_same).unwrap_or(0);
        new.get(overlap).and_then(|(from, _)| self.text.get(*from..)).unwrap_or_default().trim()
    }

    /// What equal texts have in common, whatever their blanks.
    pub fn same(&self) -> u64 {
        *self.same.get_or_init(|| xxh3_64(normal(&self.text).as_bytes()))
    }

    /// What it tells, sentence by sentence.
    pub fn told(&self) -> &Told {
        self.told.get_or_init(|| Told::of(&self.text))
    }

    /// What it says and denies.
    pub fn sense(&self) -> &Sense {
        self.sense.get_or_init(|| Sense::of(&self.text))
    }

    /// What it claims, sentence by sentence.
    pub fn claims(&self) -> &[Claim] {
        self.claims.get_or_init(|| claims(&self.text))
    }

    /// The vectors of a short text by its words without those that name a state or deny, and by their stems.
    pub fn sideless(&self) -> Option<&[Vector; 2]> {
        self.sideless.get_or_init(|| without_sides(&self.text).map(|texts| texts.map(|text| by_words(&text)))).as_ref()
    }

    /// Whether it says all that another says: its sentences with all their words, figures and signs, one after the
    /// other, and nothing that denies or qualifies them.
    pub fn says_all(&self, other: &Reading) -> bool {
        self.told().holds(other.told())
            && are_written_alike(&self.text, &other.text)
            && self.sense().agrees(other.sense())
    }

    /// Its words, where it is a query.
    pub fn asked(&self) -> &Asked {
        self.asked.get_or_init(|| Asked::of(&self.text))
    }

    /// What stands for it in a pack: its first sentence; of a turn, of either side the sentence that is nearest to the
    /// query.
    pub fn shown_for(&self, asked: &Asked) -> Vec<Shown> {
        match self.sides.get_or_init(|| Sides::of(&self.text)) {
            Some(sides) => sides.shown(&self.text, asked),
            None => self.first.get_or_init(|| first_shown(&self.text)).clone(),
        }
    }
}

/// The readings that copies of a store share.
#[derive(Debug, Default)]
pub(super) struct Readings(RwLock<Kept>);

/// Readings by their texts, and the bytes of these.
type Kept = (FxHashMap<Arc<str>, Arc<Reading>>, usize);

impl Readings {
    /// The reading of a text.
    pub fn of(&self, text: &Arc<str>) -> Arc<Reading> {
        if let Some(known) = self.0.read().unwrap_or_else(PoisonError::into_inner).0.get(text) {
            return Arc::clone(known);
        }
        self.taken_in(text)
    }

    /// The same of a text of which nobody holds a copy to share.
    pub fn of_str(&self, text: &str) -> Arc<Reading> {
        let known = self.0.read().unwrap_or_else(PoisonError::into_inner).0.get(text).map(Arc::clone);
        known.unwrap_or_else(|| self.taken_in(&Arc::from(text)))
    }

    fn taken_in(&self, text: &Arc<str>) -> Arc<Reading> {
        let mut kept = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let (by_text, size) = &mut *kept;
        if let Some(known) = by_text.get(text) {
            return Arc::clone(known);
        }
        let reading = Arc::new(Reading::of(text.clone()));
        if *size + text.len() <= KEPT {
            *size += text.len();
            by_text.insert(text.clone(), Arc::clone(&reading));
        }
        reading
    }
}

#[cfg(test)]
mod tests {
    use super::super::told::says_all;
    use super::*;

    #[test]
    fn a_reading_is_that_of_its_text_and_copies_share_it() {
        let texts = [
            "The port is 8080. We agreed.",
            "the  port is 8080. we agreed. It is open.",
            "The port is not 8080.",
            "user: Which port is it?\nassistant: Let me see. It is 8080 on staging.",
            "I see that:\n- the port is 8080.",
        ];
        let readings = Readings::default();
        let read: Vec<_> = texts.map(|text| readings.of(&Arc::from(text))).into();
        for (text, own) in texts.iter().zip(&read) {
            assert!(Arc::ptr_eq(own, &readings.of(&Arc::from(*text))));
            for asked in ["", "which port on staging?"].map(Asked::of) {
                let alone = Reading::of(Arc::from(*text)).shown_for(&asked);
                assert_eq!((own.shown_for(&asked), own.shown_for(&asked)), (alone.clone(), alone), "{text}");
            }
            for (other, theirs) in texts.iter().zip(&read) {
                assert_eq!(own.says_all(theirs), says_all(text, other), "{text} / {other}");
                assert_eq!(own.same() == theirs.same(), normal(text) == normal(other), "{text} / {other}");
            }
        }
    }

    #[test]
    fn what_is_too_much_is_read_and_not_kept() {
        let readings = Readings::default();
        let long: Arc<str> = Arc::from("word ".repeat(KEPT / 5 + 1));
        assert!(!Arc::ptr_eq(&readings.of(&long), &readings.of(&long)));
        assert_eq!(readings.of(&long).same(), Reading::of(long).same());
    }
}
