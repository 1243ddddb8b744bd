//! Whether a claim turns another round, or says it of something else: by opposites, by what stands on either side of a
//! word that relates two things, and by who gives and who gets.

use std::collections::BTreeSet;

use super::Claim;
use crate::memory::compare::either_way;
use crate::memory::contrary::PREFIXES;
use crate::memory::sides::{Side, opposed};
use crate::memory::slot::Slot;

/// Those of the words of slots that tell who gives and who gets: what they name cannot change places.
const WAYS: &[&[&str]] = &[&["by"], &["for"], &["from"], &["of"], &["to", "into"]];

/// How words begin that hold of two both ways, with "with" between these: "compared a with b".
const BOTH_WAYS: &[&str] = &[
    "align", "combin", "compar", "connect", "integrat", "join", "link", "match", "merg", "mix", "pair", "shar", "sync",
];

/// How stems begin of what is done with a thing where it is done against it.
const RUN: &[&str] = &["build", "built", "check", "compil", "execut", "lint", "ran", "run", "test", "valid", "verif"];

impl Claim {
    /// Whether it says the opposite of what another says where both are known to say that the same holds, or that it does
    /// not: by the order in which it tells things, or by other opposites.
    pub(in crate::memory) fn is_against_beside(&self, other: &Claim) -> bool {
        !self.relates(other, false, false)
    }

    /// Whether a word of it stands there as its opposite; one that says that a thing holds or not, where `polar`.
    pub(super) fn is_turned(&self, other: &Claim, polar: bool) -> bool {
        let by_side = |own: &Side| {
            let mut theirs = other.sides.iter().filter(|side| side.row == own.row).peekable();
            let mut mine = self.sides.iter().filter(|side| side.row == own.row);
            theirs.peek().is_some()
                && theirs.all(|side| side.side != own.side && !own.flips(side) && mine.all(|own| own.side != side.side))
        };
        let by_start = |one: &Claim, other: &Claim| {
            let turned = |word: &String| {
                let plain =
                    PREFIXES.iter().filter_map(|(start, _)| word.strip_prefix(start)).find(|rest| rest.len() > 3);
                plain.is_some_and(|plain| other.words.contains(plain) && !one.words.contains(plain))
            };
            one.words.iter().any(|word| turned(word) && !other.words.contains(word))
        };
        // Where both sides of a row are told, each of its own thing.
        let against = |own: &Side| {
            other.sides.iter().any(|side| own.is_against(side)) && !other.sides.iter().any(|side| own.is_with(side))
        };
        // "3 of 12 are down" where 9 are up.
        let counts = |side: &&Side| (polar || !side.is_polar()) && !self.counts.rest_by(&other.counts, side.row);
        self.sides.iter().filter(counts).any(by_side)
            || self.sides.iter().filter(counts).any(against)
            || (polar && either_way(self, other, by_start))
            || (!self.is_flipped(other)
                && !self.exchange.has_times_of(&other.exchange)
                && self.pairs(other).any(|(own, side)| own.side == side.side && own.flips(side)))
    }

    /// Whether it relates the same things by the opposite word: "a before b" is "b after a".
    pub(super) fn is_flipped(&self, other: &Claim) -> bool {
        self.pairs(other).any(|(own, side)| own.side != side.side && own.flips(side))
    }

    /// Whether what stands before "with" there stands behind it here, and the other way round: "replaced a with b".
    fn exchanges_with(&self, other: &Claim) -> bool {
        let with = |claim: &'_ Claim| -> Vec<Slot> {
            claim.slots.iter().filter(|slot| slot.word == "with" && !slot.even).cloned().collect()
        };
        let is_even = || self.stems.iter().any(|stem| BOTH_WAYS.iter().any(|start| stem.starts_with(start)));
        let (mine, theirs) = (with(self), with(other));
        let is_turned =
            |own: &Slot| theirs.iter().any(|one| own.stems.contains(&one.before) && one.stems.contains(&own.before));
        mine.iter().any(is_turned) && !is_even()
    }

    /// Whether the same is told as being for a thing, or with it, and as being against it: "voted for the change". What
    /// is run against a thing is run with it.
    fn is_for_what_is_against(&self, other: &Claim) -> bool {
        let of = |claim: &'_ Claim, word: &str| -> Vec<(String, String)> {
            let slots = claim.slots.iter().filter(|slot| slot.word == word);
            slots.map(|slot| (slot.before.clone(), slot.name.clone())).collect()
        };
        let against = of(other, "against");
        let is_other = |word: &str, one: &(String, String)| {
            let is_run = RUN.iter().any(|start| one.0.starts_with(start));
            against.contains(one) && !(word == "with" && is_run)
        };
        of(self, "against").is_empty()
            && ["for", "with"]
                .iter()
                .any(|word| of(other, word).is_empty() && of(self, word).iter().any(|one| is_other(word, one)))
    }

    /// Stems that it has in the place of an opposite: "the page is public" where that is private.
    pub(in crate::memory) fn opposed_in(&self, other: &Claim) -> usize {
        opposed(&self.sides, &other.sides).filter(|stem| !other.stems.contains(*stem)).count()
    }

    /// Words of one row in both.
    fn pairs<'a>(&'a self, other: &'a Claim) -> impl Iterator<Item = (&'a Side, &'a Side)> {
        self.sides
            .iter()
            .flat_map(|own| other.sides.iter().filter(|side| side.row == own.row).map(move |side| (own, side)))
    }

    /// Whether it says of something else what the other says. Only what has no word in common with what stands there is
    /// surely something else: the first word may be one of several that describe it, or a verb.
    pub(super) fn is_elsewhere(&self, other: &Claim, surely: bool) -> bool {
        let only = |claim: &Claim, stems: &BTreeSet<String>| -> BTreeSet<&'static str> {
            let is_there = |named: &[String]| {
                let mut named = named.iter().take(if surely { 1 } else { usize::MAX });
                named.any(|stem| stems.contains(stem))
            };
            // What is done instead of another thing may be told by that or not.
            let tells = |slot: &&Slot| (surely || !slot.instead) && !is_there(&slot.stems);
            claim.slots.iter().filter(tells).map(|slot| slot.word).collect()
        };
        // "from A to B" turned round names the same things, in the same form: "to add" and "adding" is no such thing.
        let turned = WAYS.iter().any(|way| {
            let named = |claim: &Claim| -> BTreeSet<String> {
                claim
                    .slots
                    .iter()
                    .filter(|slot| way.contains(&slot.word) && !slot.even)
                    .map(|slot| slot.name.clone())
                    .collect()
            };
            let (mine, theirs) = (named(self), named(other));
            mine.is_disjoint(&theirs)
                && mine.iter().any(|name| other.words.contains(name))
                && theirs.iter().any(|name| self.words.contains(name))
        });
        turned
            || self.exchanges_with(other)
            || either_way(self, other, Claim::is_for_what_is_against)
            || !only(self, &other.stems).is_disjoint(&only(other, &self.stems))
    }
}
