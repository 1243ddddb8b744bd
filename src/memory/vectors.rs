//! The vectors of a store by its memories. Those that are known before they come in are kept once for all replays, and
//! so is how near each of them is to what is asked.

use std::sync::{Arc, PoisonError, RwLock};

use rustc_hash::FxHashMap;
use xxhash_rust::xxh3::Xxh3Default;

use super::Space;
use super::scan::{Maybe, Rows};

/// Cosines that are kept for questions. What is more is worked out anew each time.
const KEPT: usize = 8 << 20;
/// The same of rows that are near each other.
const KEPT_NEAR: usize = 2 << 20;
/// Rows of which the cosines of all with a question are worked out: more are left out by their bytes in less time.
const ALL: usize = 16 << 10;

/// A memory that has no row, or a row that no memory has.
const NONE: u32 = u32::MAX;

/// Rows that are known before a replay takes them in.
#[derive(Debug)]
struct Ahead {
    rows: Rows,
    asked: RwLock<Asked>,
    near: RwLock<Near>,
}

/// What was asked, with the cosines of all rows, by a hash of its vector; and how many cosines there are.
type Asked = (FxHashMap<u64, (Arc<[f32]>, Arc<[f32]>)>, usize);

/// The rows near a row, by it and the bits of the least cosine; and how many there are.
type Near = (FxHashMap<(u32, u32), Arc<[(u32, f32)]>>, usize);

impl Ahead {
    fn new(rows: Rows) -> Self {
        Ahead { rows, asked: RwLock::default(), near: RwLock::default() }
    }

    /// The rows of at least that cosine with one of them, where there is room for them.
    fn near(&self, row: u32, at_least: f32) -> Option<Arc<[(u32, f32)]>> {
        let key = (row, at_least.to_bits());
        {
            let near = self.near.read().unwrap_or_else(PoisonError::into_inner);
            match near.0.get(&key) {
                Some(known) => return Some(Arc::clone(known)),
                None if near.1 >= KEPT_NEAR => return None,
                None => {}
            }
        }
        let (query, space) = (self.rows.get(row)?, self.rows.space());
        let near = self.rows.maybe(query, at_least, self.rows.len()).into_iter();
        let exact = near.filter_map(|one| Some((one.number, space.cosine(query, self.rows.get(one.number)?))));
        let found: Arc<[(u32, f32)]> = exact.filter(|(_, cosine)| *cosine >= at_least).collect();
        let mut near = self.near.write().unwrap_or_else(PoisonError::into_inner);
        near.1 += found.len() + 1;
        near.0.insert(key, Arc::clone(&found));
        Some(found)
    }

    /// The cosine of each row with a question, where there is room for them.
    fn cosines(&self, query: &[f32]) -> Option<Arc<[f32]>> {
        let (number, space) = (self.rows.len(), self.rows.space());
        if number == 0 || number > ALL || query.is_empty() || !space.holds(query) {
            return None;
        }
        let mut hash = Xxh3Default::new();
        query.iter().for_each(|part| hash.update(&part.to_ne_bytes()));
        let key = hash.digest();
        {
            let asked = self.asked.read().unwrap_or_else(PoisonError::into_inner);
            match asked.0.get(&key) {
                Some((known, cosines)) if **known == *query => return Some(Arc::clone(cosines)),
                // Another vector of that hash.
                Some(_) => return None,
                None if asked.1 + number > KEPT => return None,
                None => {}
            }
        }
        let all = (0u32..).map_while(|row| self.rows.get(row));
        let cosines: Arc<[f32]> = all.map(|vector| space.cosine(query, vector)).collect();
        let mut asked = self.asked.write().unwrap_or_else(PoisonError::into_inner);
        if asked.1 + number <= KEPT && !asked.0.contains_key(&key) {
            asked.0.insert(key, (Arc::from(query), Arc::clone(&cosines)));
            asked.1 += number;
        }
        Some(cosines)
    }
}

/// The vectors of a store, by the numbers of its memories. A copy shares them.
#[derive(Clone, Debug)]
pub(super) struct Vectors {
    ahead: Arc<Ahead>,
    /// The memory of each of the rows ahead that came in, in order.
    came_as: Vec<u32>,
    own: Rows,
    /// The memory of each row of its own.
    own_as: Vec<u32>,
    /// The row of each memory: those of its own are numbered behind the others.
    row_of: Vec<u32>,
}

impl Vectors {
    pub fn new(space: Space) -> Self {
        Vectors {
            ahead: Arc::new(Ahead::new(Rows::new(space.clone()))),
            came_as: Vec::new(),
            own: Rows::new(space),
            own_as: Vec::new(),
            row_of: Vec::new(),
        }
    }

    /// The first so many of these, over rows for all of them: those behind are taken in with [`Vectors::take_next`].
    pub fn ahead(&self, first: usize) -> Vectors {
        let space = self.own.space();
        let rows = if self.ahead.rows.len() == 0 {
            self.own.clone()
        } else {
            let mut rows = Rows::new(space.clone());
            (0u32..).map_while(|memory| self.get(memory)).for_each(|vector| rows.push(vector));
            rows
        };
        let numbers: Vec<u32> = (0u32..).take(first.min(rows.len())).collect();
        Vectors {
            ahead: Arc::new(Ahead::new(rows)),
            came_as: numbers.clone(),
            own: Rows::new(space.clone()),
            own_as: Vec::new(),
            row_of: numbers,
        }
    }

    /// Takes a vector in for the next memory; one of another space counts as zero.
    pub fn push(&mut self, vector: &[f32]) {
        self.own_as.push(number(self.row_of.len()));
        self.row_of.push(number(self.ahead.rows.len() + self.own.len()));
        self.own.push(vector);
    }

    /// Takes the next row ahead in for the next memory. Without one it counts as zero.
    pub fn take_next(&mut self) {
        if self.came_as.len() >= self.ahead.rows.len() {
            return self.push(&[]);
        }
        self.row_of.push(number(self.came_as.len()));
        self.came_as.push(number(self.row_of.len() - 1));
    }

    /// Leaves the next row ahead out.
    pub fn leave_next(&mut self) {
        self.came_as.push(NONE);
    }

    /// The vector of a memory.
    pub fn get(&self, memory: u32) -> Option<&[f32]> {
        let row = *self.row_of.get(memory as usize)?;
        match row.checked_sub(number(self.ahead.rows.len())) {
            Some(own) => self.own.get(own),
            None => self.ahead.rows.get(row),
        }
    }

    /// All vectors that may be of at least that cosine.
    pub fn maybe(&self, query: &[f32], at_least: f32) -> Vec<Maybe> {
        let mut found = Vec::with_capacity(if at_least > 0.0 { 0 } else { self.row_of.len() });
        let memory = |of: &[u32], one: Maybe| {
            let number = of.get(one.number as usize).copied().filter(|memory| *memory != NONE)?;
            Some(Maybe { number, ..one })
        };
        match self.ahead.cosines(query) {
            Some(cosines) => {
                let of = self.came_as.iter().zip(&*cosines).filter(|(of, about)| **of != NONE && **about >= at_least);
                found.extend(of.map(|(of, about)| Maybe { number: *of, about: *about, missed: 0.0 }));
            }
            None => {
                let ahead = self.ahead.rows.maybe(query, at_least, self.came_as.len());
                found.extend(ahead.into_iter().filter_map(|one| memory(&self.came_as, one)));
            }
        }
        let own = self.own.maybe(query, at_least, self.own.len());
        found.extend(own.into_iter().filter_map(|one| memory(&self.own_as, one)));
        found
    }

    /// The cosine of one that may be near.
    fn exact(&self, query: &[f32], one: &Maybe) -> Option<f32> {
        if one.missed == 0.0 {
            return Some(one.about);
        }
        Some(self.own.space().cosine(query, self.get(one.number)?))
    }

    /// Those of at least that cosine, with it: the nearest so many, and as many more as cannot be told apart from them
    /// by bytes.
    pub fn settle(&self, query: &[f32], mut maybe: Vec<Maybe>, at_least: f32, most: usize) -> Vec<(u32, f32)> {
        if most < maybe.len() {
            let sure = |one: &Maybe| one.about - one.missed;
            maybe.select_nth_unstable_by(most, |one, other| sure(other).total_cmp(&sure(one)));
            let worst = maybe.iter().take(most).map(sure).fold(f32::INFINITY, f32::min);
            maybe.retain(|one| one.about + one.missed >= worst);
        }
        let exact = |one: &Maybe| Some((one.number, self.exact(query, one)?));
        maybe.iter().filter_map(exact).filter(|(_, cosine)| *cosine >= at_least).collect()
    }

    /// Those of which `first` says so and the others, each once it is known; what is further away than the nearest so
    /// many of the first is not looked at, since that takes longer than to find it.
    pub fn parted(&self, mut rest: Vec<Maybe>, most: usize, first: impl Fn(u32) -> bool) -> [Vec<Maybe>; 2] {
        /// How many are looked at to begin with, for each that is wanted.
        const AHEAD: usize = 4;
        let [mut wanted, mut others] = [Vec::new(), Vec::new()];
        let mut next = most.max(1).saturating_mul(AHEAD);
        while !rest.is_empty() {
            let further = if next < rest.len() {
                rest.select_nth_unstable_by(next, |one, other| {
                    other.most().total_cmp(&one.most()).then(other.number.cmp(&one.number))
                });
                rest.split_off(next)
            } else {
                Vec::new()
            };
            for maybe in std::mem::replace(&mut rest, further) {
                if first(maybe.number) { wanted.push(maybe) } else { others.push(maybe) }
            }
            let bound = rest.iter().map(Maybe::most).fold(f32::NEG_INFINITY, f32::max);
            // Of those that are exact, the ones as near that are newer came first.
            let is_nearer = |one: &&Maybe| one.missed == 0.0 || one.about - one.missed > bound;
            if wanted.iter().filter(is_nearer).count() >= most {
                break;
            }
            next = next.saturating_mul(AHEAD);
        }
        [wanted, others]
    }

    /// How many of those are of at least that cosine.
    pub fn number(&self, query: &[f32], maybe: &[Maybe], at_least: f32) -> usize {
        let exact = |one: &Maybe| self.exact(query, one).is_some_and(|cosine| cosine >= at_least);
        maybe.iter().filter(|one| one.surely_reaches(at_least) || exact(one)).count()
    }

    /// The largest cosine below that one.
    pub fn nearest_below(&self, query: &[f32], maybe: &[Maybe], below: f32) -> Option<f32> {
        let far = maybe.iter().filter(|one| !one.may_reach(below));
        let surely = far.map(|one| one.about - one.missed).fold(f32::NEG_INFINITY, f32::max);
        let unsure = maybe.iter().filter(|one| !one.surely_reaches(below) && one.may_reach(surely));
        let exact = unsure.filter_map(|one| self.exact(query, one));
        exact.filter(|cosine| *cosine < below).max_by(f32::total_cmp)
    }

    /// All vectors of at least that cosine, with it.
    pub fn near(&self, query: &[f32], at_least: f32) -> Vec<(u32, f32)> {
        self.settle(query, self.maybe(query, at_least), at_least, usize::MAX)
    }

    /// All vectors of at least that cosine with that of a memory, with it.
    pub fn near_memory(&self, memory: u32, at_least: f32) -> Vec<(u32, f32)> {
        let query = self.get(memory).unwrap_or_default();
        let row = self.row_of.get(memory as usize).filter(|row| **row < number(self.ahead.rows.len()));
        let Some(ahead) = row.and_then(|row| self.ahead.near(*row, at_least)) else {
            return self.near(query, at_least);
        };
        let mut found: Vec<(u32, f32)> = Vec::with_capacity(ahead.len());
        let came = |(row, cosine): &(u32, f32)| Some((*self.came_as.get(*row as usize)?, *cosine));
        found.extend(ahead.iter().filter_map(came).filter(|(memory, _)| *memory != NONE));
        let own = self.own.maybe(query, at_least, self.own.len());
        let own =
            own.into_iter().filter_map(|one| Some(Maybe { number: *self.own_as.get(one.number as usize)?, ..one }));
        found.extend(self.settle(query, own.collect(), at_least, usize::MAX));
        found
    }
}

/// A number of few enough.
fn number(of: usize) -> u32 {
    u32::try_from(of).unwrap_or(NONE)
}

#[cfg(test)]
mod tests {
    use super::super::scan::tests::{dense, of};
    use super::super::{Vector, by_words};
    use super::*;

    type By = fn(&str) -> Vector;

    /// The same memories once as they came, and once over rows ahead, with some that were left out and some between.
    fn both_ways(space: &Space, by: By, texts: &[String]) -> [Vectors; 2] {
        let [mut plain, mut all] = [Vectors::new(space.clone()), Vectors::new(space.clone())];
        texts.iter().for_each(|text| all.push(&by(text)));
        let mut over = all.ahead(7);
        for (at, text) in texts.iter().enumerate() {
            if at < 7 || at % 5 != 3 {
                plain.push(&by(text));
            }
            match at {
                0..7 => {}
                _ if at % 5 == 3 => over.leave_next(),
                _ => over.take_next(),
            }
            if at >= 7 && at % 11 == 4 {
                [&mut plain, &mut over].into_iter().for_each(|vectors| vectors.push(&by(&format!("{text} again"))));
            }
        }
        assert_eq!(over.came_as.len(), texts.len());
        [plain, over]
    }

    /// The nearest so many, those of later numbers first where they are as near.
    fn nearest(vectors: &Vectors, query: &[f32], maybe: Vec<Maybe>, at_least: f32, most: usize) -> Vec<(u32, f32)> {
        let mut found = vectors.settle(query, maybe, at_least, most);
        found.sort_by(|one, other| other.1.total_cmp(&one.1).then(other.0.cmp(&one.0)));
        found.truncate(most);
        found
    }

    #[test]
    fn rows_that_were_known_before_are_found_as_those_that_came() {
        let texts: Vec<String> =
            (0..300).map(|at| format!("note {} about topic {} and file_{}", at % 7, at % 13, at)).collect();
        for (space, by) in [(of(384), dense as By), (Space::words(), by_words)] {
            let [plain, over] = both_ways(&space, by, &texts);
            assert_eq!(plain.row_of.len(), over.row_of.len());
            for memory in 0..number(plain.row_of.len() + 1) {
                assert_eq!(plain.get(memory), over.get(memory));
            }
            for (memory, at_least) in (0..number(plain.row_of.len())).flat_map(|at| [(at, 0.5), (at, 0.9)]) {
                let [mut one, mut other] = [plain.near_memory(memory, at_least), over.near_memory(memory, at_least)];
                [&mut one, &mut other].into_iter().for_each(|all| all.sort_by_key(|(at, _)| *at));
                assert_eq!(one, other, "{memory} {at_least}");
            }
            for asked in ["topic 5 note", "file_17 again", "nothing of it", "", "topic 5 note"] {
                let query = by(asked);
                for at_least in [f32::NEG_INFINITY, 0.2, 0.5, 0.8] {
                    let [one, other] = [&plain, &over].map(|vectors| {
                        let maybe = || vectors.maybe(&query, at_least);
                        let all = vectors.maybe(&query, f32::NEG_INFINITY);
                        let [wanted, _] = vectors.parted(all.clone(), 9, |number| number % 3 == 1);
                        (
                            [9, usize::MAX].map(|most| nearest(vectors, &query, maybe(), at_least, most)),
                            nearest(vectors, &query, wanted, 0.0, 9),
                            vectors.number(&query, &all, at_least),
                            vectors.nearest_below(&query, &all, at_least),
                        )
                    });
                    assert_eq!(one, other, "{asked} {at_least}");
                }
            }
        }
    }

    #[test]
    fn how_near_rows_are_to_a_question_is_worked_out_once() {
        let mut all = Vectors::new(of(384));
        ["one", "two", "three"].into_iter().for_each(|text| all.push(&dense(text)));
        let (over, query) = (all.ahead(1), dense("two"));
        let copy = over.clone();
        let [first, again] = [&over, &copy].map(|vectors| vectors.ahead.cosines(&query).unwrap());
        assert!(Arc::ptr_eq(&first, &again) && first.len() == 3);
        assert_eq!((copy.maybe(&query, 0.5).len(), over.ahead.cosines(&[1.0])), (0, None), "two did not come in");
        assert!(all.ahead.cosines(&query).is_none());
    }

    #[test]
    fn rows_ahead_of_others_ahead_are_all_of_them() {
        let texts: Vec<String> = (0..40).map(|at| format!("word{at}")).collect();
        let [plain, over] = both_ways(&Space::words(), by_words, &texts);
        let again = over.ahead(12);
        for memory in 0..12 {
            assert_eq!(again.get(memory), plain.get(memory));
        }
        assert_eq!((again.get(12), again.ahead.rows.len()), (None, plain.row_of.len()));
        let mut more = again.clone();
        (12..=plain.row_of.len()).for_each(|_| more.take_next());
        let last = number(plain.row_of.len());
        assert_eq!((more.get(last - 1), more.get(last)), (plain.get(last - 1), Some(&[][..])), "none is left");
    }

    #[test]
    fn of_many_that_are_near_the_nearest_alone_are_looked_at() {
        let texts: Vec<String> =
            (0..2_000).map(|at| format!("the port of service_{at} in zone_{} is open", at % 9)).collect();
        for (space, by) in [(of(384), dense as By), (Space::words(), by_words)] {
            let mut vectors = Vectors::new(space.clone());
            texts.iter().for_each(|text| vectors.push(&by(text)));
            let query = by("which port in zone_4");
            let best = |maybe: Vec<Maybe>, most: usize| {
                let mut found = vectors.settle(&query, maybe, 0.0, most);
                found.sort_by(|one, other| other.1.total_cmp(&one.1).then(other.0.cmp(&one.0)));
                found.truncate(most);
                found
            };
            for odd in [2, 3, 500] {
                let looked = std::cell::Cell::new(0usize);
                let first = |number: u32| {
                    looked.set(looked.get() + 1);
                    number % odd == 1
                };
                let all = vectors.maybe(&query, f32::NEG_INFINITY);
                let of_all = best(all.iter().filter(|one| one.number % odd == 1).copied().collect(), 20);
                let [wanted, others] = vectors.parted(all, 20, first);
                assert_eq!(looked.get(), wanted.len() + others.len());
                assert_eq!(best(wanted, 20), of_all);
                assert!(odd == 500 || !space.is_words() || looked.get() < 500, "{} of 2,000", looked.get());
            }
        }
    }

    #[test]
    fn the_search_misses_nothing() {
        let texts: Vec<String> =
            (0..300).map(|at| format!("note {} about topic {} and file_{}", at % 7, at % 13, at)).collect();
        for (space, by) in [(of(384), dense as By), (Space::words(), by_words)] {
            let mut vectors = Vectors::new(space.clone());
            texts.iter().for_each(|text| vectors.push(&by(text)));
            let query = by("topic 5 note");
            let cosine = |text: &String| space.cosine(&query, &by(text));
            for at_least in [0.1, 0.3, 0.5, 0.6, 0.7, 0.9] {
                let mut found = vectors.near(&query, at_least);
                found.sort_by_key(|(at, _)| *at);
                let all = (0u32..).zip(&texts).filter(|(_, text)| cosine(text) >= at_least);
                let all: Vec<u32> = all.map(|(at, _)| at).collect();
                assert_eq!(found.iter().map(|(at, _)| *at).collect::<Vec<_>>(), all);
                // The nearest ten are the same, whatever else comes with them.
                let nearest = |mut found: Vec<(u32, f32)>| {
                    found.sort_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0)));
                    found.truncate(10);
                    found
                };
                assert_eq!(vectors.number(&query, &vectors.maybe(&query, at_least), at_least), found.len());
                let below = texts.iter().map(cosine).filter(|cosine| *cosine < at_least);
                let all = vectors.maybe(&query, f32::NEG_INFINITY);
                assert_eq!(all.len(), texts.len());
                assert_eq!(vectors.nearest_below(&query, &all, at_least), below.max_by(f32::total_cmp));
                let few = vectors.settle(&query, vectors.maybe(&query, at_least), at_least, 10);
                assert_eq!(nearest(few), nearest(found));
            }
        }
    }
}
