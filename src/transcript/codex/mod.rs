//! Codex rollouts: `~/.codex/sessions/YYYY/MM/DD/rollout-*.jsonl`, versions 0.40 to 0.147, and their older shapes.

mod compaction;
mod habits;
mod inherited;
mod injected;
mod outputs;
mod record;
mod replay;
mod runs;
mod subagents;
mod thinking;
mod turns;
mod usage;

use serde_json::Value;

use crate::content::{Sources, Watch};
use crate::model::{Record, SourceId, ThreadKind, Transcript};

use super::build::Builder;
use super::document::Document;
use super::json::{Json, parse};
use super::lines::{Line, each_line};
use super::{Format, Input, OpenError, Place, Probe, Siblings};

pub use habits::codex_raw;

use habits::HABITS;
pub use subagents::{HEAD, is_subagents, started_by};

use record::{Entry, Event, What, entry, of_value};
use replay::Replay;
use subagents::Began;

/// The row of the table of formats.
pub const FORMAT: Format = Format {
    name: "codex",
    title: "Codex",
    marks: "JSON lines with type and payload: session_meta, response_item, event_msg, turn_context",
    preset: "codex",
    habits: HABITS,
    requests: false,
    detect,
    read,
    lines: true,
    places: &[
        Place {
            variable: "CODEX_HOME",
            home: ".codex",
            folder: "sessions",
            prefix: "rollout-",
            suffixes: &ENDINGS,
            depth: 3,
        },
        Place {
            variable: "CODEX_HOME",
            home: ".codex",
            folder: "archived_sessions",
            prefix: "rollout-",
            suffixes: &ENDINGS,
            depth: 0,
        },
    ],
};

/// How the names of rollouts end; those that have not been touched for long are packed.
const ENDINGS: [&str; 4] = [".jsonl", ".jsonl.zst", ".jsonl.gz", ".json"];

const TYPES: &[&str] = &["session_meta", "response_item", "event_msg", "turn_context", "compacted", "world_state"];

fn detect(probe: &Probe<'_>) -> u8 {
    let text = |value: &Value, key: &str| value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let new = |line: &Value| {
        TYPES.contains(&text(line, "type").as_str()) && line.get("payload").is_some_and(Value::is_object)
    };
    if probe.any(new) {
        return 100;
    }
    // Until the middle of 2025: a first line about the session, then bare items.
    let head = |line: &Value| {
        line.get("type").is_none()
            && ["id", "timestamp"].iter().all(|key| line.get(key).is_some_and(Value::is_string))
            && (line.get("instructions").is_some() || line.get("git").is_some())
    };
    if probe.any(|line| line.get("record_type").is_some()) || probe.objects.first().is_some_and(head) {
        return 96;
    }
    let whole = probe.whole.as_ref().is_some_and(|whole| {
        whole.get("session").is_some_and(|session| session.get("id").is_some())
            && whole.get("items").is_some_and(Value::is_array)
    });
    if whole { 96 } else { 0 }
}

fn read(input: Input<'_>) -> Result<Transcript, OpenError> {
    let Input { sources, main, siblings, watch } = input;
    let mut began = Began::new();
    let own = (main, ThreadKind::Main, "main");
    let mut builder = replayed(Builder::new(FORMAT.name), sources, siblings, own, (&mut began, watch))?;
    if let Some(siblings) = siblings {
        builder = subagents::add(builder, sources, main, siblings, (began, watch))?;
    }
    Ok(builder.finish(sources))
}

/// Adds the threads of a rollout: its own, of this kind and title, and those of what it asked on the way. The subagents
/// that it says it began come to those known.
fn replayed(
    mut builder: Builder,
    sources: &mut Sources,
    siblings: Option<&dyn Siblings>,
    own: (SourceId, ThreadKind, &str),
    (began, watch): (&mut Began, &Watch),
) -> Result<Builder, OpenError> {
    let entries = entries(sources, own.0, watch)?;
    let entries = inherited::join(entries, &mut builder, sources, (own.0, siblings), watch)?;
    began.extend(entries.iter().filter_map(|(_, entry)| match &entry.what {
        What::Event(Event::Began(begun)) => Some((begun.session.clone(), begun.call)),
        _ => None,
    }));
    let copied = inherited::copied(&entries);
    let mut replay = Replay::new(builder, sources, own, &entries);
    for (at, (record, entry)) in entries.into_iter().enumerate() {
        replay.take(record, entry, at < copied);
    }
    Ok(replay.finish())
}

/// What the lines of a rollout say.
fn entries(sources: &Sources, source: SourceId, watch: &Watch) -> Result<Vec<(Record, Entry)>, OpenError> {
    let first = sources.read(source, 0, sources.bytes(source)?.len().min(64))?;
    if is_document(&first) {
        return Ok(of_document(&Document::read(sources, source)?));
    }
    each_line(sources, source, watch, |line: Line<'_>| (line.record, entry(line)))
}

/// Whether it is of the oldest shape: one JSON object, `{session, items}`.
fn is_document(first: &[u8]) -> bool {
    let inner = first.trim_ascii_start().strip_prefix(b"{").map(<[u8]>::trim_ascii_start);
    inner.is_some_and(|inner| inner.starts_with(b"\"session\"") || inner.starts_with(b"\"items\""))
}

fn of_document(document: &Document) -> Vec<(Record, Entry)> {
    let (value, fault) = parse(document.text());
    let items = value.get("items").map(Json::items).unwrap_or_default();
    let mut entries: Vec<(Record, Entry)> = value
        .get("session")
        .into_iter()
        .chain(items)
        .filter(|one| one.whole && one.is_object())
        .map(|one| (document.record(one.raw), of_value(&document.stored(one.raw), one)))
        .collect();
    if let (Some(fault), Some((_, last))) = (fault, entries.last_mut()) {
        last.warnings.push(format!("the rest cannot be read: {} at byte {}", fault.what, fault.at));
    }
    if let (true, Some((_, last))) = (document.cut, entries.last_mut()) {
        last.warnings.push("the file is longer than what is read of it".to_owned());
    }
    entries
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Op, SourceKind};
    use crate::transcript::build::WINDOWS;

    #[test]
    fn windows_for_which_there_is_no_room_are_read_as_going_on() {
        let said = |role: &str, kind: &str| {
            let part = format!(r#"{{"type":"{kind}","text":"on"}}"#);
            let said = format!(r#"{{"type":"message","role":"{role}","content":[{part}]}}"#);
            format!(r#"{{"type":"response_item","payload":{said}}}"#)
        };
        let (user, model) = (|| said("user", "input_text"), said("assistant", "output_text"));
        let back = r#"{"type":"event_msg","payload":{"type":"thread_rolled_back","num_turns":1}}"#.to_owned();
        let compacted = r#"{"type":"compacted","payload":{"message":"short"}}"#.to_owned();
        let text = [user(), model, user(), back.clone(), compacted, back].join("\n");
        let read = |named: usize| {
            let mut sources = Sources::default();
            let main = sources.add_memory("t", SourceKind::Transcript, text.clone().into_bytes());
            let mut builder = Builder::new(FORMAT.name);
            builder.name(named);
            let own = (main, ThreadKind::Main, "main");
            replayed(builder, &mut sources, None, own, (&mut Began::new(), &Watch::default())).unwrap().transcript
        };
        let changes = |transcript: &Transcript| {
            transcript.threads[0].ops.iter().filter(|op| matches!(op, Op::Rewind(_) | Op::Compact(_))).count()
        };
        let (all, none) = (read(0), read(WINDOWS));
        assert_eq!((changes(&all), all.warnings.len()), (3, 0));
        assert_eq!((changes(&none), none.warnings.len()), (0, 1), "it is said once");
        assert!(none.warnings[0].message.starts_with("Too many branches"));
    }
}
