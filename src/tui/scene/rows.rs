//! The rows of the window pane: entries in order, messages folded, markers between.

use std::collections::HashSet;

use crate::model::{EntryId, EventId, Layer, MessageId, Transcript};

use super::RunIndex;
use super::index::Change;

/// What entries are ordered by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// As the model sees them.
    #[default]
    Window,
    /// Largest first.
    Size,
    /// Newest first.
    Age,
}

/// Which messages show as one row.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fold {
    /// Whether all do.
    pub all: bool,
    /// Those that differ from `all`.
    pub except: HashSet<MessageId>,
}

impl Fold {
    /// Whether nothing is folded.
    fn is_none(&self) -> bool {
        !self.all && self.except.is_empty()
    }

    fn folds(&self, message: MessageId) -> bool {
        self.all != self.except.contains(&message)
    }

    /// Folds what is open, opens what is folded.
    pub fn turn(&mut self, message: MessageId) {
        if !self.except.remove(&message) {
            self.except.insert(message);
        }
    }
}

/// Whether the difference to the step before is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Changes {
    /// The window alone; what is new in it carries a sign.
    #[default]
    Signs,
    /// What came and what went; what stayed is drawn together.
    Only,
}

/// How the window is shown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RowSettings {
    /// What entries are ordered by.
    pub order: Order,
    /// The one layer that is shown.
    pub layer: Option<Layer>,
    /// Whether the difference to the step before is shown.
    pub changes: Changes,
    /// Which messages show as one row.
    pub fold: Fold,
}

/// One row of the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Row {
    /// An entry.
    Entry(EntryId, Change),
    /// A message of several entries, folded.
    Message {
        /// Which.
        message: MessageId,
        /// Its first entry in the window.
        first: EntryId,
        /// Its entries in the window.
        entries: u32,
        /// Their tokens.
        tokens: u64,
        /// Whether any of them is new.
        came: bool,
    },
    /// Here a compaction replaced what stood before.
    Boundary(EventId),
    /// Entries that are the same as at the step before.
    Same {
        /// How many.
        entries: u32,
        /// Their tokens.
        tokens: u64,
    },
}

impl Row {
    /// The entry that the row stands for.
    #[must_use]
    pub fn entry(&self) -> Option<EntryId> {
        match self {
            Row::Entry(id, _) | Row::Message { first: id, .. } => Some(*id),
            Row::Boundary(_) | Row::Same { .. } => None,
        }
    }
}

/// The rows of a step, with what their bars and title need.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shown {
    /// The rows.
    pub rows: Vec<Row>,
    /// Entries among them that are in the window.
    pub entries: u32,
    /// Their tokens.
    pub tokens: u64,
    /// Entries that are new at this step, and their tokens.
    pub came: [u64; 2],
    /// Entries that went with it, and their tokens; none where they are not listed.
    pub gone: [u64; 2],
    /// Whether any of them is an estimate.
    pub estimated: bool,
    /// Tokens of the largest row.
    pub largest: u64,
}

/// The rows of a step.
#[must_use]
pub fn rows(index: &RunIndex, transcript: &Transcript, step: u32, settings: &RowSettings) -> Shown {
    let mut shown = Shown::default();
    let tokens = |id: EntryId| index.brief(id).map_or(0, |entry| entry.tokens);
    let mut entries = index.changes(step);
    entries.retain(|(id, change)| {
        let wanted = settings.layer.is_none_or(|layer| index.brief(*id).is_some_and(|entry| entry.layer == layer));
        wanted && (settings.changes == Changes::Only || *change != Change::Gone)
    });
    for (id, change) in &entries {
        let sum = match change {
            Change::Came => &mut shown.came,
            Change::Gone => &mut shown.gone,
            Change::Stayed => continue,
        };
        *sum = [sum[0] + 1, sum[1] + tokens(*id)];
    }
    for (id, _) in entries.iter().filter(|(_, change)| *change != Change::Gone) {
        shown.entries += 1;
        shown.tokens += tokens(*id);
        shown.estimated |= index.brief(*id).is_some_and(|entry| entry.estimated);
    }
    if settings.order != Order::Window {
        entries.retain(|(_, change)| settings.changes == Changes::Signs || *change != Change::Stayed);
        let born = |id: EntryId| index.brief(id).map_or(0, |entry| entry.born);
        let key = |id: EntryId| if settings.order == Order::Size { tokens(id) } else { u64::from(born(id)) };
        entries.sort_by_key(|(id, _)| std::cmp::Reverse(key(*id)));
        shown.rows = entries.iter().map(|(id, change)| Row::Entry(*id, *change)).collect();
    } else {
        shown.rows = in_order(index, transcript, &entries, settings);
    }
    shown.largest = shown.rows.iter().map(|row| row_tokens(row, tokens)).max().unwrap_or(0);
    shown
}

fn row_tokens(row: &Row, tokens: impl Fn(EntryId) -> u64) -> u64 {
    match row {
        Row::Entry(id, _) => tokens(*id),
        Row::Message { tokens, .. } => *tokens,
        Row::Boundary(_) | Row::Same { .. } => 0,
    }
}

fn in_order(
    index: &RunIndex,
    transcript: &Transcript,
    entries: &[(EntryId, Change)],
    settings: &RowSettings,
) -> Vec<Row> {
    let run = index.run();
    let tokens = |id: EntryId| index.brief(id).map_or(0, |entry| entry.tokens);
    let message =
        |id: EntryId| run.entry(id)?.block().and_then(|block| transcript.block(block)).map(|block| block.message);
    let mut found = Vec::with_capacity(entries.len());
    let mut drawn: Option<EventId> = None;
    let mut at = 0;
    while let Some((id, change)) = entries.get(at).copied() {
        let boundary = index.brief(id).and_then(|entry| entry.boundary).filter(|_| change != Change::Gone);
        if let Some(event) = boundary.filter(|event| drawn != Some(*event)) {
            drawn = Some(event);
            found.push(Row::Boundary(event));
        }
        if settings.changes == Changes::Only && change == Change::Stayed {
            let same = entries.iter().skip(at).take_while(|(_, change)| *change == Change::Stayed).count();
            let run: u64 = entries.iter().skip(at).take(same).map(|(id, _)| tokens(*id)).sum();
            found.push(Row::Same { entries: u32::try_from(same).unwrap_or(u32::MAX), tokens: run });
            at += same.max(1);
            continue;
        }
        let folding = !settings.fold.is_none() && settings.changes == Changes::Signs;
        let folded = Some(id).filter(|_| folding).and_then(message).filter(|message| settings.fold.folds(*message));
        if let Some(folded) = folded {
            let group = entries.iter().skip(at).take_while(|(id, _)| message(*id) == Some(folded)).count();
            if group > 1 {
                let members = || entries.iter().skip(at).take(group);
                found.push(Row::Message {
                    message: folded,
                    first: id,
                    entries: u32::try_from(group).unwrap_or(u32::MAX),
                    tokens: members().map(|(id, _)| tokens(*id)).sum(),
                    came: members().any(|(_, change)| *change == Change::Came),
                });
                at += group;
                continue;
            }
        }
        found.push(Row::Entry(id, change));
        at += 1;
    }
    found
}
