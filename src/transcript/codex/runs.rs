//! Which request a record belongs to.
//!
//! A rollout has no record of a request. What the model wrote in one go is one; a `token_count` with new sums says what
//! it used. Versions up to 0.4x write that count before the items it is for, 0.10x between calls and results, later
//! ones after the results.

use std::collections::HashMap;

use crate::model::{Record, RequestId, Usage};

use super::usage::Tokens;

/// A usage that waits for the items it is for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Waiting {
    pub usage: Usage,
    pub record: Record,
    pub at: Option<i64>,
}

/// What a count means.
#[derive(Debug, PartialEq)]
pub(super) enum Meaning {
    /// It repeats the one before.
    Repeated,
    /// The agent's own estimate of its window.
    Estimate(u64),
    /// The usage of this request.
    Of(RequestId),
    /// The usage of a request whose items are still to come.
    Ahead,
}

/// Hashes of texts, each as often as it was met.
#[derive(Default)]
struct Texts(HashMap<u64, usize>);

impl Texts {
    fn add(&mut self, text: u64) {
        *self.0.entry(text).or_default() += 1;
    }

    /// Takes a text out; whether it was there.
    fn take(&mut self, text: u64) -> bool {
        let times = self.0.get_mut(&text).filter(|times| **times > 0);
        times.map(|times| *times -= 1).is_some()
    }
}

/// Where in a run of requests the records stand.
#[derive(Default)]
pub(super) struct Runs {
    /// The request that is being answered.
    pub open: Option<RequestId>,
    /// The newest request, while no usage is known of it.
    bare: Option<RequestId>,
    /// The usage of a request whose items are still to come.
    pub waiting: Option<Waiting>,
    /// Whether the screen was told of an item that is not logged yet, or a new request's settings were.
    pub ahead: bool,
    /// Texts that the model wrote and the screen was not told of yet, and those that it was told of ahead.
    logged: Texts,
    told: Texts,
    sums: Option<u64>,
}

impl Runs {
    /// A request begins, with the usage that waited for it.
    pub fn begin(&mut self, id: RequestId, has_usage: bool) {
        self.open = Some(id);
        self.bare = (!has_usage).then_some(id);
        self.ahead = false;
        self.logged = Texts::default();
    }

    /// An item with these texts is logged.
    pub fn log(&mut self, texts: Vec<u64>) {
        for text in texts {
            if !self.told.take(text) {
                self.logged.add(text);
            }
        }
    }

    /// The screen was told of a text: of an item that is logged already, or else of one that is still to come.
    pub fn mirror(&mut self, text: u64) {
        if !self.logged.take(text) {
            self.told.add(text);
            self.ahead = true;
        }
    }

    /// Something for the next request came in.
    pub fn input(&mut self) {
        self.open = None;
        self.ahead = false;
    }

    /// The turn is over: no usage comes for what was answered before.
    pub fn close(&mut self) {
        self.open = None;
        self.bare = None;
        self.ahead = false;
        self.told = Texts::default();
    }

    /// The request that is being answered and has no usage.
    pub fn unreported(&self) -> Option<RequestId> {
        self.open.filter(|open| self.bare == Some(*open))
    }

    /// What a count means; it is remembered.
    pub fn count(&mut self, tokens: &Tokens) -> Meaning {
        let repeated = self.sums == Some(tokens.sums);
        self.sums = Some(tokens.sums);
        if tokens.usage.is_none() {
            return Meaning::Estimate(tokens.total);
        }
        if repeated {
            return Meaning::Repeated;
        }
        self.open = None;
        match self.bare.filter(|_| !self.ahead) {
            Some(id) => {
                self.bare = None;
                Meaning::Of(id)
            }
            None => Meaning::Ahead,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_paired_off_each_as_often_as_it_was_met() {
        let mut runs = Runs::default();
        runs.log((0..9).chain([7]).collect());
        (0..9).rev().for_each(|text| runs.mirror(text));
        runs.mirror(7);
        assert!(!runs.ahead, "all that the screen was told of is logged");
        runs.mirror(7);
        assert!(runs.ahead);
    }
}
