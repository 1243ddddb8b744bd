//! Which sentences a summary without a model is made of: the best that there is room for. A long session is summarised
//! hundreds of times, each time from the sentences of the summary before and a few new ones: the first stay in order.

use std::sync::Arc;

use crate::engine::plan::Sentence;

/// A summary is full when it has no room for so many tokens, or when so many sentences were too long for what is left.
const LEAST: u64 = 8;
const MISSES: u32 = 100;

/// Scores that are told apart when a summary's room is divided; those above the last share it.
const SCORES: usize = 128;

/// A sentence that a summary may be made of.
#[derive(Clone, Copy)]
struct Candidate {
    /// Its score, as far as scores are told apart.
    score: u32,
    /// Its number.
    at: u32,
    tokens: u32,
    /// The first sentence that has the same words.
    words: u32,
}

/// A summary's sentences by rank: the best first, the latest of equals.
#[derive(Default)]
struct Ranked {
    sentences: Vec<Candidate>,
    /// Their numbers in the order of the history, as they were handed out.
    numbers: Arc<[u32]>,
}

/// Chooses sentences for one summary after the other.
pub(in crate::engine) struct Chooser {
    /// Those that were added one by one, in the order of the history.
    candidates: Vec<Candidate>,
    /// Tokens of the candidates by score.
    tokens: [u64; SCORES],
    /// Places of candidates in the order in which they are taken.
    order: Vec<u32>,
    /// The summary that was chosen last, and before how many of the candidates it stands where it is to be summarised
    /// again.
    last: Ranked,
    again: Option<usize>,
    /// Room for the next one, and for its numbers.
    next: Vec<Candidate>,
    chosen: Vec<u32>,
    /// The words, and the sentences, that the summary in the making has: none between two.
    words: Marks,
    taken: Marks,
}

/// Marks by number, as bits: those of a long history lie close together.
#[derive(Default)]
struct Marks(Vec<u64>);

impl Marks {
    fn reserve(&mut self, numbers: usize) {
        self.0.resize(numbers.div_ceil(64), 0);
    }

    /// Sets a mark; false where it is set, or nothing has that number.
    fn set(&mut self, number: u32) -> bool {
        let Some(bits) = self.0.get_mut(number as usize / 64) else { return false };
        let before = *bits;
        *bits |= 1 << (number % 64);
        *bits != before
    }

    fn clear(&mut self, number: u32) {
        if let Some(bits) = self.0.get_mut(number as usize / 64) {
            *bits &= !(1 << (number % 64));
        }
    }

    /// The marks, in order; none is set any more.
    fn drain(&mut self, mut see: impl FnMut(u32)) {
        for (base, bits) in (0u32..).step_by(64).zip(&mut self.0).filter(|(_, bits)| **bits != 0) {
            let mut left = std::mem::take(bits);
            while left != 0 {
                see(base + left.trailing_zeros());
                left &= left - 1;
            }
        }
    }
}

impl Default for Chooser {
    fn default() -> Self {
        Chooser {
            candidates: Vec::new(),
            tokens: [0; SCORES],
            order: Vec::new(),
            last: Ranked::default(),
            again: None,
            next: Vec::new(),
            chosen: Vec::new(),
            words: Marks::default(),
            taken: Marks::default(),
        }
    }
}

/// How much of a summary's room is taken.
struct Filled {
    room: u64,
    tokens: u64,
    too_long: u32,
}

impl Filled {
    fn is_full(&self) -> bool {
        self.too_long >= MISSES || self.tokens + LEAST > self.room
    }
}

impl Chooser {
    /// Begins a summary of a history of so many sentences.
    pub fn begin(&mut self, sentences: usize) {
        self.candidates.clear();
        self.tokens = [0; SCORES];
        self.again = None;
        self.words.reserve(sentences);
        self.taken.reserve(sentences);
    }

    /// Adds a sentence with its number to what may be taken. `twins`: per sentence the first that has the same words,
    /// which are taken once.
    pub fn add(&mut self, at: u32, one: &Sentence, twins: &[u32]) {
        let score = (one.score as usize).min(SCORES - 1);
        self.tokens[score] += u64::from(one.tokens);
        let words = twins.get(at as usize).copied().unwrap_or(at);
        #[allow(clippy::cast_possible_truncation)]
        self.candidates.push(Candidate { score: score as u32, at, tokens: one.tokens, words });
    }

    /// Adds the sentences of an earlier summary, where that was the last one: false where it was not, or is there
    /// already.
    pub fn add_last(&mut self, numbers: &Arc<[u32]>) -> bool {
        let may = self.again.is_none() && Arc::ptr_eq(numbers, &self.last.numbers);
        if may {
            self.again = Some(self.candidates.len());
        }
        may
    }

    /// The numbers of the best sentences that fit, in the order of the history, and their tokens.
    pub fn choose(&mut self, room: u64) -> (Arc<[u32]>, u64) {
        let last = std::mem::take(&mut self.last);
        let mut before = if self.again.is_some() { last.sentences.as_slice() } else { &[] };
        let mut filled = Filled { room, tokens: 0, too_long: 0 };
        self.next.clear();
        for best in [true, false] {
            if filled.is_full() {
                break;
            }
            let least = self.put_in_order(room, best);
            let own = if best { before.partition_point(|one| one.score as usize >= least) } else { before.len() };
            let (own, later) = before.split_at(own);
            before = later;
            self.fill(own, &mut filled);
        }
        self.next.iter().for_each(|one| self.words.clear(one.words));
        self.chosen.clear();
        self.taken.drain(|number| self.chosen.push(number));
        let numbers: Arc<[u32]> = Arc::from(self.chosen.as_slice());
        let sentences = std::mem::replace(&mut self.next, last.sentences);
        self.last = Ranked { sentences, numbers: Arc::clone(&numbers) };
        (numbers, filled.tokens)
    }

    /// Takes what fits, of sentences of the last summary and of the candidates that were put in order, by rank.
    fn fill(&mut self, mut before: &[Candidate], filled: &mut Filled) {
        let Chooser { candidates, order, next, words, taken, .. } = self;
        let stands = self.again.unwrap_or(0);
        next.reserve(before.len() + order.len());
        let mut take = |one: &Candidate, filled: &mut Filled| {
            if filled.tokens + u64::from(one.tokens) > filled.room {
                filled.too_long += 1;
            } else if words.set(one.words) {
                filled.tokens += u64::from(one.tokens);
                taken.set(one.at);
                next.push(*one);
            }
        };
        for at in order.iter().map(|at| *at as usize) {
            let Some(new) = candidates.get(at) else { continue };
            // What comes after the summary in the history is later.
            let first = |old: &&Candidate| (old.score, at < stands) > (new.score, false);
            let (own, later) = before.split_at(before.iter().take_while(first).count());
            before = later;
            for old in own {
                if filled.is_full() {
                    return;
                }
                take(old, filled);
            }
            if filled.is_full() {
                return;
            }
            take(new, filled);
        }
        for old in before {
            if filled.is_full() {
                return;
            }
            take(old, filled);
        }
    }

    /// Puts candidates in order, the best first and the latest of equals: those of the best scores that fill a room
    /// twice over, or the rest; tells the least of these scores. A history has many times more sentences than a summary,
    /// and what the best leave no room for need not be put in order.
    fn put_in_order(&mut self, room: u64, best: bool) -> usize {
        let mut sum = 0u64;
        let enough = |tokens: &u64| {
            sum = sum.saturating_add(*tokens);
            sum >= room.saturating_mul(2)
        };
        let least = self.tokens.iter().rposition(enough).unwrap_or(0);
        let own = || (0u32..).zip(&self.candidates).filter(|(_, one)| (one.score as usize >= least) == best);
        // By counting: scores are few.
        let mut ends = [0; SCORES];
        own().for_each(|(_, one)| ends[one.score as usize] += 1);
        let mut before = 0;
        for end in ends.iter_mut().rev() {
            before += *end;
            *end = before;
        }
        self.order.clear();
        self.order.resize(before, 0);
        for (at, one) in own() {
            let end = &mut ends[one.score as usize];
            *end -= 1;
            self.order[*end] = at;
        }
        least
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sentence(number: u32) -> Sentence {
        let score = (number * 37 % 11) * (number % 3);
        Sentence { item: 0, start: 0, end: 1, tokens: 5 + number * 13 % 40, score, hash: 0 }
    }

    /// What is chosen from a summary's sentences in order is what is chosen from the same sentences one by one.
    #[test]
    fn a_summary_that_is_summarised_again_gives_what_its_sentences_give() {
        let twins: Vec<u32> = (0..2_000).map(|at| if at % 17 == 3 { at / 2 } else { at }).collect();
        let (mut quick, mut plain) = (Chooser::default(), Chooser::default());
        let (mut last, mut from) = (Arc::<[u32]>::default(), 40);
        for round in 0..40 {
            // A few new ones before the summary now and then, most after it.
            let (head, tail) = (if round % 5 == 4 { 3 } else { 0 }, 45);
            let room = [400, 900, 700][round % 3];
            let choose = |chooser: &mut Chooser, again: bool| {
                chooser.begin(twins.len());
                (from - 40..from - 40 + head).for_each(|at| chooser.add(at, &sentence(at), &twins));
                if !again || !chooser.add_last(&last) {
                    last.iter().for_each(|at| chooser.add(*at, &sentence(*at), &twins));
                }
                (from..from + tail).for_each(|at| chooser.add(at, &sentence(at), &twins));
                chooser.choose(room)
            };
            let (found, expected) = (choose(&mut quick, true), choose(&mut plain, false));
            assert_eq!(found, expected, "round {round}");
            assert!(round == 0 || quick.again.is_some());
            (last, from) = (found.0, from + tail);
        }
    }
}
