//! Replays of real sessions: how far their compactions are from the recorded ones.

use windowpane::content::{Sources, Watch};
use windowpane::engine::{Counting, Distance, Given, Known, Plan, distances, recorded, simulate};
use windowpane::model::{ThreadId, Transcript, Trigger};
use windowpane::policy::preset;
use windowpane::tokens::Counts;

use crate::data;

/// A session's plan, its texts read.
fn plan(path: &std::path::Path) -> (Plan, Option<String>) {
    let (sources, transcript) = data::open(path);
    (plan_of(&transcript, &sources, ThreadId(0)), transcript.session.version)
}

/// The plan of one of its threads.
pub fn plan_of(transcript: &Transcript, sources: &Sources, number: ThreadId) -> Plan {
    let known = Known::nothing();
    let thread = &transcript.threads[number.0 as usize];
    let counter = known.counter(thread);
    let counts = Counts::default();
    let counting = Counting { transcript, sources, counts: &counts, counter, calibrates: known.calibrates(counter) };
    let mut run = recorded(transcript, number, known.facts(transcript, thread));
    let bodies = counting.all_bodies(&run);
    counts.count_blocks(sources, &bodies, counter, &Watch::default(), |_, _| {});
    counting.apply(&mut run);
    let mut plan = Plan::of(&counting, &run, false, known.facts(transcript, thread));
    assert!(plan.read(transcript, sources, &Watch::default()));
    plan
}

fn rows(format: &str, name: &str) -> Vec<(String, Distance)> {
    let mut found = Vec::new();
    for path in data::transcripts(format) {
        let (plan, version) = plan(&path);
        if plan.boundaries.is_empty() {
            continue;
        }
        let (policy, _) = preset(name, version.as_deref()).unwrap();
        let run = simulate(&plan, &policy, &Given::default());
        let file = path.file_name().unwrap().to_string_lossy().into_owned();
        for row in distances(&plan, &run) {
            found.push((file.clone(), row));
        }
    }
    found
}

#[test]
fn claude_code_compacts_where_it_was_recorded_to() {
    let mut seen = 0;
    for (file, row) in rows("claude_code", "claude-code") {
        let first = row.number == 1 && row.trigger == Some(Trigger::Auto) && !file.contains("schema-zoo");
        if first {
            assert!(row.requests.is_some_and(|requests| requests.abs() <= 3), "{file}: {row:?}");
            seen += 1;
        }
    }
    assert!(data::folder().is_none() || seen >= 3, "{seen}");
}

#[test]
fn codex_compacts_within_five_percent_of_where_it_was_recorded_to() {
    let mut seen = 0;
    for (file, row) in rows("codex", "codex") {
        if row.number == 1 && !file.contains("schema-zoo") {
            assert!(row.percent.is_some_and(|percent| percent.abs() <= 5.0), "{file}: {row:?}");
            seen += 1;
        }
    }
    assert!(data::folder().is_none() || seen >= 2, "{seen}");
}
