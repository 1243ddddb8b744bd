//! Files that say a fact, or did, and from which step to which: what of the time behind a compaction they are a way back.

use super::stay::{Back, End, Sight, Stay};
use crate::model::EntryId;

/// A file that says the fact, or did.
pub(super) struct Held {
    pub path: String,
    /// What tells it apart.
    pub key: u64,
    /// Whether the agent reads it again by itself.
    pub anew: bool,
    /// The file from which it has that first; its own number where that is itself.
    pub kin: usize,
    /// Whether it is packed: it has the text, and nobody can read it there.
    pub packed: bool,
    /// The calls that brought the text there or read it there, which name it as long as the window holds them.
    pub named_by: Vec<EntryId>,
    /// What ended that it says it, other than a change of a part, each with the step from which on.
    pub ends: Vec<(u32, End)>,
    /// What is known of it, each with the step from which on.
    pub told: Vec<(u32, Says)>,
    /// What was known when something began that can be undone, of which kind that is, while nothing else changed it.
    pub before: Option<(&'static str, Says)>,
}

/// What is known of a file that said the fact.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Says {
    /// It says it.
    Yes,
    /// It or another that was shown with it says it.
    Among,
    /// Something may have changed that.
    Perhaps,
    No,
}

impl Held {
    /// Whether it says it, by what is known last.
    pub fn says(&self) -> bool {
        self.last() == Says::Yes
    }

    /// What is known last.
    pub fn last(&self) -> Says {
        self.told.last().map_or(Says::No, |(_, says)| *says)
    }

    /// Takes in what is known from a step on. What was in doubt stays so until something is sure.
    pub fn tell(&mut self, born: u32, says: Says) {
        match (says, self.last()) {
            // What was open before is no way back then.
            (Says::Perhaps, Says::Among) => self.told.push((born, Says::No)),
            (Says::Perhaps, Says::Perhaps | Says::No) | (Says::Among, Says::Yes) => {}
            _ => self.told.push((born, says)),
        }
    }

    /// The steps from and to which the same holds that is asked for.
    pub fn spans(&self, asked: Says) -> Vec<(u32, u32)> {
        let ends = self.told.iter().skip(1).map(|(born, _)| Some(*born)).chain([None]);
        let mut spans: Vec<(u32, u32)> = Vec::new();
        for ((from, _), end) in self.told.iter().zip(ends).filter(|((_, says), _)| *says == asked) {
            let to = end.map_or(u32::MAX, |end| end.saturating_sub(1));
            match spans.last_mut() {
                // The last change of a step is the one that holds.
                _ if end == Some(*from) => {}
                Some(last) if last.1.saturating_add(1) == *from && asked == Says::Yes => last.1 = to,
                _ => spans.push((*from, to)),
            }
        }
        spans
    }
}

/// Tells of stays whose way back was a file, and which follow such a one without any, what ended that.
pub(super) fn tell_ends(stays: &mut [Stay], held: &[Held]) {
    for at in 1..stays.len() {
        let Some((before, [now, ..])) = stays.split_at_mut_checked(at) else { continue };
        let Some(before) = before.last().filter(|before| before.event == now.event && now.back.is_none()) else {
            continue;
        };
        let (
            Some(Back::Path(path) | Back::Anew { path, .. } | Back::Perhaps { path, .. }),
            Sight::Gone | Sight::Marker,
        ) = (&before.back, now.sight)
        else {
            continue;
        };
        let file = held.iter().find(|held| held.path == *path);
        let ended = |file: &&Held| file.told.contains(&(now.from, Says::No));
        let by = match file.filter(ended) {
            Some(file) => {
                let last = file.ends.iter().rfind(|(step, _)| *step == now.from);
                last.map_or(End::Changed, |(_, end)| *end)
            }
            None => End::Unnamed,
        };
        now.back = Some(Back::Ended { path: path.clone(), by });
    }
}

/// A stay in parts: while one of the spans of a file holds and the window names it, `made` tells how the fact is seen and
/// where it can be read back from; it is given the step with which that span began, and what is said of it.
pub(super) fn parted<T>(
    stay: Stay,
    spans: &[((u32, u32), T)],
    named: &[(u32, u32)],
    made: impl Fn(&Stay, u32, &T) -> (Sight, Back),
) -> Vec<Stay> {
    let end = stay.to.unwrap_or(u32::MAX);
    let mut found = Vec::new();
    let mut from = stay.from;
    for ((since, until), told) in spans {
        for (start, last) in named {
            let (start, last) = ((*since).max(*start).max(from), (*until).min(*last).min(end));
            if last < start {
                continue;
            }
            if from < start {
                found.push(Stay { from, to: Some(start - 1), ..stay.clone() });
            }
            let to = (last < end).then_some(last).or(stay.to);
            let (sight, back) = made(&stay, *since, told);
            found.push(Stay { from: start, to, sight, back: Some(back), ..stay.clone() });
            if last >= end {
                return found;
            }
            from = last.saturating_add(1);
        }
    }
    found.push(Stay { from, ..stay });
    found
}
