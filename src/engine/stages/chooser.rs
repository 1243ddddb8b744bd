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
    /// Room for the next one.
    next: Vec<Candidate>,
    /// Per sentence, the summary that took its words last, and the one that took itself last: marks that the next
    /// summary makes void.
    words: Vec<u32>,
    taken: Vec<u32>,
    round: u32,
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
            words: Vec::new(),
            taken: Vec::new(),
            round: 0,
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
        self.words.resize(sentences, 0);
        self.taken.resize(sentences, 0);
        self.round += 1;
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
        let numbers = self.in_order(&last.numbers);
        let sentences = std::mem::replace(&mut self.next, last.sentences);
        self.last = Ranked { sentences, numbers: Arc::clone(&numbers) };
        (numbers, filled.tokens)
    }

    /// Takes what fits, of sentences of the last summary and of the candidates that were put in order, by rank.
    fn fill(&mut self, mut before: &[Candidate], filled: &mut Filled) {
        let Chooser { candidates, order, next, words, taken, round, .. } = self;
        let stands = self.again.unwrap_or(0);
        let mut order = order.iter().filter_map(|at| Some((*at as usize, candidates.get(*at as usize)?))).peekable();
        while !filled.is_full() {
            let new = order.peek().copied();
            let one = match (before, new) {
                // What comes after the summary in the history is later.
                ([old, later @ ..], new)
                    if new.is_none_or(|(at, new)| (old.score, at < stands) > (new.score, false)) =>
                {
                    before = later;
                    Some(*old)
                }
                _ => order.next().map(|(_, new)| *new),
            };
            let Some(one) = one else { break };
            if filled.tokens + u64::from(one.tokens) > filled.room {
                filled.too_long += 1;
                continue;
            }
            let mark = words.get_mut(one.words as usize);
            if mark.is_some_and(|mark| std::mem::replace(mark, *round) != *round) {
                filled.tokens += u64::from(one.tokens);
                if let Some(mark) = taken.get_mut(one.at as usize) {
                    *mark = *round;
                }
                next.push(one);
            }
        }
    }

    /// The numbers of what was taken, in the order of the history. `last`: those of the last summary.
    fn in_order(&self, last: &[u32]) -> Arc<[u32]> {
        let is_taken = |at: &u32| self.taken.get(*at as usize) == Some(&self.round);
        let stands = self.again.unwrap_or(0);
        let (before, after) = self.candidates.split_at(stands.min(self.candidates.len()));
        let last = if self.again.is_some() { last } else { &[] };
        let numbers = |part: &[Candidate], to: &mut Vec<u32>| to.extend(part.iter().map(|one| one.at).filter(is_taken));
        let mut chosen = Vec::with_capacity(self.next.len());
        numbers(before, &mut chosen);
        chosen.extend(last.iter().copied().filter(is_taken));
        numbers(after, &mut chosen);
        if !chosen.is_sorted() {
            chosen.sort_unstable();
        }
        chosen.dedup();
        Arc::from(chosen)
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
