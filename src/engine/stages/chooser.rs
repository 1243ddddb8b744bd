//! Which sentences a summary without a model is made of: the best that there is room for. A long session is summarised
//! hundreds of times, each time from nearly the same sentences: the tables for it are made once.

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
    taken: bool,
}

/// Chooses sentences for one summary after the other.
pub(in crate::engine) struct Chooser {
    candidates: Vec<Candidate>,
    /// Tokens of the candidates by score.
    tokens: [u64; SCORES],
    /// Places of candidates in the order in which they are taken.
    order: Vec<u32>,
    /// Per sentence, the summary that took its words last: marks that the next summary makes void.
    marks: Vec<u32>,
    round: u32,
}

impl Default for Chooser {
    fn default() -> Self {
        let (candidates, order, marks) = (Vec::new(), Vec::new(), Vec::new());
        Chooser { candidates, tokens: [0; SCORES], order, marks, round: 0 }
    }
}

impl Chooser {
    /// Begins a summary of a history of so many sentences.
    pub fn begin(&mut self, sentences: usize) {
        self.candidates.clear();
        self.tokens = [0; SCORES];
        self.marks.resize(sentences, 0);
        self.round += 1;
    }

    /// Adds a sentence with its number to what may be taken.
    pub fn add(&mut self, at: u32, one: &Sentence) {
        let score = (one.score as usize).min(SCORES - 1);
        self.tokens[score] += u64::from(one.tokens);
        #[allow(clippy::cast_possible_truncation)]
        self.candidates.push(Candidate { score: score as u32, at, tokens: one.tokens, taken: false });
    }

    /// The numbers of the best sentences that fit, in the order of the history, and their tokens. `twins`: per sentence
    /// the first that has the same words, which are taken once.
    pub fn choose(&mut self, twins: &[u32], room: u64) -> (Arc<[u32]>, u64) {
        let (mut tokens, mut number, mut too_long) = (0, 0, 0);
        for best in [true, false] {
            if too_long >= MISSES || tokens + LEAST > room {
                break;
            }
            self.put_in_order(room, best);
            for at in &self.order {
                if too_long >= MISSES || tokens + LEAST > room {
                    break;
                }
                let Some(one) = self.candidates.get_mut(*at as usize) else { continue };
                if tokens + u64::from(one.tokens) > room {
                    too_long += 1;
                    continue;
                }
                let words = twins.get(one.at as usize).copied().unwrap_or(one.at);
                let mark = self.marks.get_mut(words as usize);
                if mark.is_some_and(|mark| std::mem::replace(mark, self.round) != self.round) {
                    tokens += u64::from(one.tokens);
                    one.taken = true;
                    number += 1;
                }
            }
        }
        let mut chosen = Vec::with_capacity(number);
        chosen.extend(self.candidates.iter().filter(|one| one.taken).map(|one| one.at));
        if !chosen.is_sorted() {
            chosen.sort_unstable();
        }
        (Arc::from(chosen), tokens)
    }

    /// Puts candidates in order, the best first and the latest of equals: those of the best scores that fill a room
    /// twice over, or the rest. A history has many times more sentences than a summary, and what the best leave no
    /// room for need not be put in order.
    fn put_in_order(&mut self, room: u64, best: bool) {
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
    }
}
