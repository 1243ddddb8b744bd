//! How far an answer of a model is, told while it is waited for.

use std::cell::{Cell, RefCell};
use std::time::{Duration, Instant};

use crate::content::Watch;
use crate::present::clip;

use super::progress;

/// Columns of a line of progress, and how long one stands at least.
const COLUMNS: usize = 79;
const REDRAWN: Duration = Duration::from_millis(100);

/// How far an answer is that is waited for, as the watch and the terminal are told: time goes by also where nothing
/// comes.
pub struct Waiting<'a> {
    pub model: String,
    /// How large the request is, and what it costs; nothing where that was said.
    pub size: String,
    pub most: u64,
    pub watch: &'a Watch,
    /// Whether the terminal is told as well.
    pub shows: bool,
    pub begun: Instant,
    /// The request's number.
    pub number: Cell<u64>,
    /// What has come, in words.
    pub far: RefCell<String>,
    /// What stands on the terminal, and since when.
    pub shown: RefCell<Option<(String, Instant)>>,
}

impl Waiting<'_> {
    /// Says how far it is from now on.
    pub fn at(&self, far: &str) {
        far.clone_into(&mut self.far.borrow_mut());
        self.tick();
    }

    /// Says how far it is now.
    pub fn tick(&self) {
        let (number, far, seconds) = (self.number.get(), self.far.borrow(), self.begun.elapsed().as_secs());
        let (model, size, most) = (&self.model, &self.size, self.most);
        let line = match size.is_empty() {
            true => format!("asking {model}, request {number} of at most {most}: {far}{seconds} s"),
            // A screen has room for little, and nothing else says the price there.
            false => format!("asking {model}, {number} of {most}: {seconds} s ({size})"),
        };
        self.watch.say(&line);
        let mut shown = self.shown.borrow_mut();
        let stands = |(now, since): &(String, Instant)| *now == line || since.elapsed() < REDRAWN;
        if self.shows && !shown.as_ref().is_some_and(stands) {
            progress::show(&clip(&line, COLUMNS));
            *shown = Some((line, Instant::now()));
        }
    }

    /// Takes it off the terminal.
    pub fn clear(&self) {
        if self.shown.borrow_mut().take().is_some() {
            progress::clear();
        }
    }
}
