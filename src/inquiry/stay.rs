//! How a fact is seen in some steps, what made it so, and where it can be read back from.

use std::borrow::Cow;
use std::sync::Arc;

use crate::memory::MemoryId;
use crate::model::{EntryId, Event, EventId, Fate, FileId, Omission, Run, Step};

/// How a fact is seen at a step, best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Sight {
    /// Word for word, where it came in.
    Verbatim,
    /// Word for word in the line that stands for its turn.
    Line,
    /// Word for word in a summary.
    Summary,
    /// Word for word in a memory.
    Memory,
    /// It stands in the window, but the request was refused as too long: the model never got it.
    Refused,
    /// A part of it: a cut goes through it.
    Part,
    /// A sentence of a summary says the like.
    Paraphrase,
    /// Something stands for it that nobody but its vendor can read: a sealed summary, or sealed reasoning.
    Hidden,
    /// Not at all; but it was written to a file that the agent is known to read again by itself, which nothing records.
    Anew,
    /// Not at all; but it can be read back.
    Pointer,
    /// Not at all; but a memory that is not packed says it.
    Unpacked,
    /// Not at all; a marker says that something was here.
    Marker,
    /// Not at all.
    Gone,
}

impl Sight {
    /// Whether the model could read it: word for word, or the passage that means it.
    #[must_use]
    pub fn is_visible(self) -> bool {
        self <= Sight::Memory
    }

    /// Name in JSON.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Sight::Verbatim => "verbatim",
            Sight::Line => "line",
            Sight::Summary => "summary",
            Sight::Memory => "memory",
            Sight::Refused => "refused",
            Sight::Part => "part",
            Sight::Paraphrase => "paraphrase",
            Sight::Hidden => "hidden",
            Sight::Anew => "anew",
            Sight::Pointer => "pointer",
            Sight::Unpacked => "unpacked",
            Sight::Marker => "marker",
            Sight::Gone => "gone",
        }
    }
}

/// Where a fact can be read back from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Back {
    /// A virtual file of the run.
    File(FileId),
    /// A file that the agent wrote, or that the window names. Its path is untrusted.
    Path(String),
    /// A file that the agent reads again by its own rule.
    Anew {
        /// The file. Untrusted.
        path: String,
        /// The step since which it says the fact, as far as that is recorded.
        step: u32,
    },
    /// A file that said it, and of which nobody can tell whether it still does: no way back is sure.
    Perhaps {
        /// The file. Untrusted.
        path: String,
        /// The step at which something may have changed it.
        step: u32,
    },
    /// Files that were shown together, one of which says it: nothing tells which.
    Among {
        /// Those of them that the window names and nothing has changed since. Untrusted.
        paths: Vec<String>,
        /// Whether these are all of them.
        all: bool,
    },
    /// No way back any more: a file was one before, and something ended that at the first step of the stay.
    Ended {
        /// The file. Untrusted.
        path: String,
        /// What ended it.
        by: End,
    },
    /// A file that the user attached, of which a limit let in a part or nothing. Its name is untrusted.
    Attached(String),
    /// Its turn is shown in full again as soon as a later one refers to it.
    Referring,
    /// A memory, once that is packed.
    Memory(MemoryId),
}

impl Back {
    /// Whether it is, or may be, a file that the agent has.
    fn is_open_file(&self) -> bool {
        matches!(self, Back::Path(_) | Back::Anew { .. } | Back::Perhaps { .. } | Back::Among { .. })
    }

    /// Whether it was one, and something ended that.
    #[must_use]
    pub fn is_ended(&self) -> bool {
        matches!(self, Back::Ended { .. })
    }
}

/// What ended that a fact could be read back from a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The file was removed, or went elsewhere.
    Removed,
    /// The file was changed, and no longer says it.
    Changed,
    /// Nothing is left of what the file said: it was emptied, or something else was written there.
    Overwritten,
    /// Nothing in the window names the file any more.
    Unnamed,
}

impl End {
    /// Name in JSON.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            End::Removed => "removed",
            End::Changed | End::Overwritten => "changed",
            End::Unnamed => "unnamed",
        }
    }
}

/// Some steps in which the same holds of a fact.
#[derive(Clone, Debug, PartialEq)]
pub struct Stay {
    /// The first step, and the last; to the end where there is none.
    pub from: u32,
    /// See `from`.
    pub to: Option<u32>,
    /// How it is seen.
    pub sight: Sight,
    /// What became of the piece that it stood in.
    pub fate: Fate,
    /// The entry that shows it or stands for it.
    pub entry: Option<EntryId>,
    /// The event that made it so.
    pub event: Option<EventId>,
    /// Which of the event's rules did, where it has several.
    pub left: Option<Box<Omission>>,
    /// Where it can be read back from.
    pub back: Option<Back>,
    /// The sentence of a summary that says the like.
    pub like: Option<Arc<Like>>,
    /// The sentence of a summary that says it word for word. Untrusted.
    pub said: Option<Arc<str>>,
}

/// A sentence of a summary that says the like of a fact, or speaks of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Like {
    /// The sentence. Untrusted.
    pub sentence: String,
    /// How near it is.
    pub score: f32,
    /// Whether that is by meaning, and not the share of words that it has.
    pub by_meaning: bool,
    /// Whether the fact's own words, or a figure of it, are not in it: it speaks of the fact and does not say it.
    pub without: bool,
}

impl Stay {
    /// One of which no more is known.
    pub(super) fn of(from: u32, to: Option<u32>, sight: Sight, fate: Fate) -> Stay {
        Stay { from, to, sight, fate, entry: None, event: None, left: None, back: None, like: None, said: None }
    }

    /// What a summary says of it, word for word or alike.
    #[must_use]
    pub fn sentence(&self) -> Option<&str> {
        self.like.as_ref().map(|like| like.sentence.as_str()).or(self.said.as_deref())
    }

    /// Whether it is there, but sealed: what the transcript shows of it is for people.
    #[must_use]
    pub fn is_sealed(&self) -> bool {
        (self.sight, self.fate) == (Sight::Hidden, Fate::Verbatim)
    }

    /// Whether the compaction that took it was at an earlier step, and what began with this one is what files tell.
    #[must_use]
    pub fn is_of_file(&self, run: &Run) -> bool {
        let told = self.back.as_ref().is_some_and(|back| back.is_open_file() || back.is_ended());
        let event = self.event.and_then(|id| run.event(id)).filter(|_| told);
        event.is_some_and(|event| event.compacts() && event.step < self.from)
    }

    /// Whether it is seen in a summary, or taken by one, for which something stands in that no model wrote.
    #[must_use]
    pub fn is_of_stand_in(&self, run: &Run) -> bool {
        let made = self.entry.and_then(|id| run.entry(id)).and_then(|entry| entry.made_by);
        made.or(self.event).and_then(|id| run.event(id)).is_some_and(Event::is_unwritten)
    }

    /// Where its request was refused as too long: the tokens of the first one's window, and its size.
    #[must_use]
    pub fn refusal(&self, run: &Run) -> Option<(u64, u64)> {
        let totals = run.totals_at(self.from).filter(|_| self.sight == Sight::Refused)?;
        Some((totals.context(), run.step_at(self.from)?.window_tokens))
    }

    /// The event that made it so, with the rule and the figures that decided of this place.
    #[must_use]
    pub fn decided<'a>(&self, run: &'a Run) -> Option<Cow<'a, Event>> {
        let event = run.event(self.event?)?;
        let event = self.entry.map_or(event, |id| event.own(id));
        if let Some(told) = self.entry.and_then(|id| event.as_sent_cut(run.piece(id))) {
            return Some(Cow::Owned(told));
        }
        let Some(Omission { rule, threshold, measured, .. }) = self.left.as_deref().copied() else {
            return Some(Cow::Borrowed(event));
        };
        Some(Cow::Owned(Event { rule: Cow::Borrowed(rule), threshold, measured, ..event.clone() }))
    }
}

/// Stretches of steps whose requests were refused as too long, each from its first step to its last; one that goes on
/// to the end has no last.
#[must_use]
pub fn refused(steps: &[Step]) -> Vec<(u32, u32)> {
    let mut found: Vec<(u32, u32)> = Vec::new();
    for (step, _) in (1u32..).zip(steps).filter(|(_, step)| step.is_refused()) {
        match found.last_mut() {
            Some((_, last)) if *last + 1 == step => *last = step,
            _ => found.push((step, step)),
        }
    }
    // What comes after the last request is in none.
    let steps = u32::try_from(steps.len()).unwrap_or(u32::MAX);
    found.last_mut().filter(|(_, last)| *last == steps).into_iter().for_each(|(_, last)| *last = u32::MAX);
    found
}

/// Whether a stay goes on as one before it.
pub(super) fn same(one: &Stay, other: &Stay) -> bool {
    one.sight == other.sight
        && one.fate == other.fate
        && one.back == other.back
        && (one.event == other.event || other.event.is_none())
        && (one.entry == other.entry || one.sight == Sight::Gone)
}

/// Joins stays in which nothing changed: what becomes of a summary that says nothing of a fact is no event of it. Only
/// where summaries were read is it known which say something.
pub fn join_gone(stays: &mut Vec<Stay>) {
    stays.dedup_by(|next, before| {
        let same =
            next.back == before.back || (next.back.is_none() && before.back.as_ref().is_some_and(Back::is_ended));
        let said = next.like == before.like;
        let gone = next.sight == Sight::Gone && before.sight == Sight::Gone && same && said;
        if gone {
            before.to = next.to;
        }
        gone
    });
}

/// The same stays with what was seen in such stretches seen by nobody.
#[must_use]
pub fn without_refused(stays: Vec<Stay>, refused: &[(u32, u32)]) -> Vec<Stay> {
    if refused.is_empty() {
        return stays;
    }
    let mut found = Vec::with_capacity(stays.len());
    for stay in stays {
        let end = stay.to.unwrap_or(u32::MAX);
        let (mut from, mut rest) = (stay.from, true);
        let first = refused.partition_point(|(_, last)| *last < from);
        let there = stay.sight.is_visible() || stay.is_sealed();
        for (start, last) in refused.iter().skip(first).take_while(|(start, _)| there && *start <= end) {
            if from < *start {
                found.push(Stay { from, to: Some(start - 1), ..stay.clone() });
            }
            let begins = from.max(*start);
            let to = (*last < end).then_some(*last).or(stay.to);
            let (sight, fate, entry) = (Sight::Refused, stay.fate, stay.entry);
            found.push(Stay {
                from: begins,
                to,
                sight,
                fate,
                entry,
                event: None,
                left: None,
                back: None,
                like: None,
                said: None,
            });
            (from, rest) = (last.saturating_add(1), *last < end);
        }
        if rest {
            found.push(Stay { from, ..stay });
        }
    }
    found
}
