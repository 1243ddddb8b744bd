//! Forks: subagents that begin with the window of the one that started them. Their own logs name its last record alone.

use std::collections::HashSet;

use crate::model::{BlockId, Op, Record};
use crate::transcript::history::window_after;

use super::record::{Key, Made, Parsed, What};
use super::store::Store;
use super::weave::Woven;

/// The line that says so, and the record of the parent that came last.
fn fork(all: &[Parsed]) -> Option<(Record, Option<Key>)> {
    all.iter().find_map(|parsed| match parsed.what {
        What::Forked(last) => Some((parsed.record, last)),
        _ => None,
    })
}

/// Whether a log is a fork's.
pub(super) fn is_fork(all: &[Parsed]) -> bool {
    fork(all).is_some()
}

/// Says of a fork's log that was opened by itself that it is not all.
pub(super) fn warn_alone(store: &mut Store, all: &[Parsed]) {
    if let Some((record, _)) = fork(all) {
        warn(store, record);
    }
}

fn warn(store: &mut Store, record: Record) {
    let message =
        "This subagent began with the window of another thread, which is not there: what came before is missing.";
    store.builder.warn(record.source, record.line, message);
}

/// What a fork was sent before its own records, by the threads that may be its parent's. What it repeats of the parent's
/// is no request of its own.
pub(super) fn before<'a>(
    store: &mut Store,
    all: &mut [Parsed],
    mut threads: impl Iterator<Item = &'a Woven>,
) -> Vec<BlockId> {
    let Some((record, last)) = fork(all) else { return Vec::new() };
    let of = |woven: &'a Woven| Some((woven, window_of(woven, last?)?));
    let Some((parent, window)) = threads.find_map(of) else {
        warn(store, record);
        return Vec::new();
    };
    let answered: HashSet<&str> = parent.thread.requests.iter().filter_map(|request| request.key.as_deref()).collect();
    for parsed in all.iter_mut() {
        let copied = parsed.uuid.and_then(|uuid| parent.tree.last_of(uuid)).flatten();
        match &mut parsed.what {
            What::Said(_) | What::Answered(_) if copied.is_some_and(|block| window.contains(&block)) => {
                parsed.what = What::Nothing("copy".into());
            }
            // The answer that the fork was asked for in may be its own to repeat.
            What::Answered(answer) if answer.id.as_deref().is_some_and(|id| answered.contains(id)) => {
                answer.made = answer.made.or(Some(Made::Filler));
            }
            _ => {}
        }
    }
    window
}

/// The window that a record came last in, when it came; `None` where the thread does not have it.
fn window_of(woven: &Woven, last: Key) -> Option<Vec<BlockId>> {
    let Some(last) = woven.tree.last_of(last)? else { return Some(Vec::new()) };
    let ops = &woven.thread.ops;
    let came = ops.iter().position(|op| *op == Op::Add(last))?;
    ops.get(..=came).map(window_after)
}
