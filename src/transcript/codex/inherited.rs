//! What a session begins with and did not ask itself: the history of another that its own file repeats, or that it goes on
//! from where that stands in another file.

use std::cmp::Ordering;
use std::collections::HashSet;

use crate::content::{Sources, Watch};
use crate::model::{Record, SourceId, SourceKind, beside, file_name};
use crate::transcript::build::Builder;
use crate::transcript::{OpenError, Siblings};

use super::record::{Entry, Meta, What};
use super::subagents::{is_rollout, session_of};

/// Milliseconds in which no model answers: what is logged so soon after a session's first line was copied with it.
const AT_ONCE: i64 = 500;

/// A rollout's lines.
type Entries = Vec<(Record, Entry)>;

/// The first line about a session, and where it stands.
fn meta(entries: &[(Record, Entry)]) -> Option<(usize, &Meta)> {
    entries.iter().enumerate().find_map(|(at, (_, entry))| match &entry.what {
        What::Meta(meta) => Some((at, meta.as_ref())),
        _ => None,
    })
}

/// How many lines at the beginning of a subagent's rollout are of its parent's history, with what is said of both.
pub(super) fn copied(entries: &[(Record, Entry)]) -> usize {
    let Some((first, own)) = meta(entries).filter(|(_, meta)| meta.is_subagents) else { return 0 };
    let behind = || entries.iter().enumerate().skip(first + 1);
    match own.own_from {
        Some(from) => {
            let numbered = behind().any(|(_, (_, entry))| entry.ordinal.is_some());
            let number = |at, entry: &Entry| if numbered { entry.ordinal } else { Some(at as u64) };
            let own = behind().find(|(at, (_, entry))| number(*at, entry).is_some_and(|number| number >= from));
            own.map_or(entries.len(), |(at, _)| at)
        }
        None => by_time(entries, first, own).map_or(0, |last| last + 1),
    }
}

/// The last line of the parent's, where only times tell it: the newest that a model must have been asked for, and that is
/// logged before it could have answered the subagent.
fn by_time(entries: &[(Record, Entry)], first: usize, own: &Meta) -> Option<usize> {
    let others = |entry: &Entry| matches!(&entry.what, What::Meta(meta) if meta.id.is_some() && meta.id != own.id);
    let answers = |entry: &Entry| match &entry.what {
        What::Item(item) => item.by_model,
        What::Tokens(_) => true,
        _ => others(entry),
    };
    let until = entries.get(first)?.1.at?.saturating_add(AT_ONCE);
    let at_once = |entry: &Entry| entry.at.is_some_and(|at| at <= until);
    let copies = own.base.is_some() || entries.iter().any(|(_, entry)| others(entry));
    // Where all of it is of one time, times tell nothing.
    let told = entries.iter().any(|(_, entry)| entry.at.is_some_and(|at| at > until));
    (copies && told).then(|| entries.iter().rposition(|(_, entry)| at_once(entry) && answers(entry)))?
}

/// The lines of a rollout behind those of the rollouts that it goes on from, as far as these are there.
///
/// # Errors
/// Where a source cannot be read, or the watch is cancelled.
pub(super) fn join(
    mut entries: Entries,
    builder: &mut Builder,
    sources: &mut Sources,
    (source, siblings): (SourceId, Option<&dyn Siblings>),
    watch: &Watch,
) -> Result<Entries, OpenError> {
    let Some((at, Meta { base: Some(base), .. })) = meta(&entries) else { return Ok(entries) };
    let mut next = Some((entries.get(at).map(|(record, _)| *record), base.clone()));
    let path = sources.info(source).map_or_else(String::new, |info| info.name.clone());
    let mut seen = HashSet::from([file_name(&path).to_owned()]);
    let mut parts: Vec<Entries> = Vec::new();
    while let Some((Some(record), base)) = next.take() {
        let mut warn = |words: &str| {
            let session: String = base.rollout.chars().take(40).collect();
            builder.warn(record.source, record.line, format!("the session goes on from {session}, {words}"));
        };
        let Some(name) = siblings.and_then(|siblings| file(siblings, &base.rollout, &seen)) else {
            warn("whose rollout is not there: what came before is missing");
            break;
        };
        let Some(bytes) = siblings.and_then(|siblings| siblings.open(&name)) else { break };
        if base.bytes.is_some_and(|end| end > bytes.len()) {
            warn("whose rollout is shorter than it was then");
        }
        let source = sources.add(beside(&path, &name), SourceKind::Side, bytes);
        seen.insert(name);
        let mut part = super::entries(sources, source, watch)?;
        part.retain(|(record, entry)| {
            base.bytes.is_none_or(|end| record.start < end)
                && base.end.zip(entry.ordinal).is_none_or(|(end, ordinal)| ordinal < end)
        });
        if let Some((at, Meta { base: Some(base), .. })) = meta(&part) {
            next = Some((part.get(at).map(|(record, _)| *record), base.clone()));
        }
        // What is said of the session is said in its own file.
        part.retain(|(_, entry)| !matches!(entry.what, What::Meta(_)));
        parts.push(part);
    }
    let own = entries.split_off(at + 1);
    entries.extend(parts.into_iter().rev().flatten());
    entries.extend(own);
    Ok(entries)
}

/// The file of a rollout, in the folder or in those of earlier days.
fn file(siblings: &dyn Siblings, rollout: &str, seen: &HashSet<String>) -> Option<String> {
    let of = |names: Vec<String>| {
        let is = |name: &String| is_rollout(name) && session_of(name) == Some(rollout) && !seen.contains(name);
        names.into_iter().find(is)
    };
    of(siblings.list("")).or_else(|| of(siblings.other_days(Ordering::Less)))
}
