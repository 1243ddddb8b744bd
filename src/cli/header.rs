//! What every command says of its transcript, and where a piece stands in it.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use crate::model::{Entry, Made, Run, SourceId, Span, ThreadKind, Track, Transcript};
use crate::present::count;

use super::load::Session;
use super::print::Printer;

/// What is said of the transcript.
#[derive(Serialize, JsonSchema)]
pub struct Header {
    /// The file, as it was given or found.
    pub path: String,
    /// Its format.
    pub format: String,
    /// The agent that wrote it, and its version.
    pub agent: Option<String>,
    /// Requests in the conversation that is shown.
    pub steps: usize,
    /// Records read.
    pub records: u64,
    /// Records that carry nothing of the window, by type.
    pub skipped: BTreeMap<String, u64>,
    /// The session itself, its subagents and further conversations.
    pub threads: Vec<ThreadRow>,
    /// What could not be understood.
    pub warnings: Vec<WarningRow>,
}

/// What an object is about: a transcript, and the run of it that is looked at.
#[derive(Serialize, JsonSchema)]
pub struct Head {
    pub transcript: Header,
    /// Recorded or simulated.
    pub track: Track,
    /// The policy that it was replayed under, on the simulated track.
    pub policy: Option<String>,
    /// The conversation: 0 is the session itself.
    pub thread: u32,
}

impl Head {
    /// What is said of a run, and of the policy that made it where one did.
    pub fn of(session: &Session, run: &Run, policy: Option<&str>) -> Head {
        Head {
            transcript: Header::of(session, run),
            track: run.track,
            policy: policy.map(str::to_owned),
            thread: run.thread.0,
        }
    }
}

/// One conversation of the transcript.
#[derive(Serialize, JsonSchema)]
pub struct ThreadRow {
    /// Its number, for `--thread`.
    pub thread: usize,
    /// `main`, `subagent`, `summariser` or `conversation`.
    pub kind: &'static str,
    /// Its name.
    pub title: String,
    /// Its requests.
    pub steps: usize,
}

/// One located complaint.
#[derive(Serialize, JsonSchema)]
pub struct WarningRow {
    /// The file that it is about.
    pub source: String,
    /// Its line; 0 for the whole file.
    pub line: u32,
    /// What is the matter.
    pub message: String,
}

/// A range of bytes of a file.
#[derive(Serialize, JsonSchema)]
pub struct Place {
    /// The file.
    pub source: String,
    /// Line of the record that holds it; of an attached file that a memory is from, the line of its text.
    pub line: Option<u32>,
    /// First byte, and one past the last.
    pub bytes: [u64; 2],
    /// `markdown` or `base64` where the bytes are those of what an attached file was converted to, and none of the
    /// file's; `limited_markdown` where they are those of what the policy's limits left of that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub of: Option<&'static str>,
    /// The bytes of the decoded text that are shown, where not all of it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub part: Option<[u64; 2]>,
    /// The page, slide, sheet, chapter, cell or packed file in which a memory's part of an attached file begins.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
}

impl Header {
    /// What is said of a session whose run is shown.
    pub fn of(session: &Session, run: &Run) -> Header {
        let transcript = &session.transcript;
        let threads = transcript.threads.iter().enumerate().map(|(thread, about)| ThreadRow {
            thread,
            kind: match about.kind {
                ThreadKind::Main => "main",
                ThreadKind::Subagent(_) => "subagent",
                ThreadKind::Summariser => "summariser",
                ThreadKind::Conversation => "conversation",
            },
            title: about.title.clone(),
            steps: about.requests.len(),
        });
        let warnings = transcript.warnings.iter().map(|warning| WarningRow {
            source: name(transcript, warning.source.0),
            line: warning.line,
            message: warning.message.clone(),
        });
        Header {
            path: name(transcript, 0),
            format: transcript.format.to_owned(),
            agent: transcript.session.agent.clone(),
            steps: run.steps.len(),
            records: transcript.records,
            skipped: transcript.skipped.clone(),
            threads: threads.collect(),
            warnings: warnings.collect(),
        }
    }
}

fn name(transcript: &Transcript, source: u32) -> String {
    transcript.sources.get(source as usize).map_or_else(String::new, |source| source.name.clone())
}

/// What a source's bytes are of, where that is not the file itself.
pub fn bytes_of(transcript: &Transcript, source: SourceId) -> Option<&'static str> {
    transcript.sources.get(source.0 as usize)?.kind.bytes_of()
}

/// Where an entry's content stands; for a marker, where what it stands for does.
pub fn provenance(transcript: &Transcript, run: &Run, entry: &Entry) -> Vec<Place> {
    let own: Vec<Place> = places(transcript, entry);
    if !own.is_empty() {
        return own;
    }
    entry.from.iter().filter_map(|id| run.entry(*id)).flat_map(|from| places(transcript, from)).collect()
}

fn places(transcript: &Transcript, entry: &Entry) -> Vec<Place> {
    let mut found = Vec::new();
    for made in &entry.content {
        let (id, part, original) = match made {
            Made::Block(id) => (*id, None, false),
            // To the end, wherever that is: no part of it.
            Made::Part(id, 0, u64::MAX, original) => (*id, None, *original),
            Made::Part(id, from, to, original) => (*id, Some([*from, *to]), *original),
            Made::Text(_) | Made::Written(_) => continue,
        };
        let Some(block) = transcript.block(id) else { continue };
        let body = block.original.as_deref().filter(|_| original).unwrap_or(&block.body);
        let place = |span: Span| Place {
            source: name(transcript, span.source.0),
            line: (span.source == block.record.source).then_some(block.record.line),
            bytes: [span.start, span.end],
            of: bytes_of(transcript, span.source),
            part,
            place: None,
        };
        found.extend(body.spans().map(place));
    }
    found
}

/// Tells on standard error how many records could not be understood, and where the first ones stand.
pub fn warn(header: &Header, printer: &mut Printer) {
    told(&header.warnings).iter().for_each(|line| printer.remark(line));
}

/// The first warnings in words, and how many more there are. Those that differ in the line alone are one.
fn told(warnings: &[WarningRow]) -> Vec<String> {
    const SHOWN: usize = 5;
    let mut shown: Vec<(&WarningRow, u64)> = Vec::new();
    let mut left = 0;
    for warning in warnings {
        let alike = |known: &WarningRow| known.source == warning.source && known.message == warning.message;
        if let Some((_, more)) = shown.iter_mut().find(|(known, _)| alike(known)) {
            *more += 1;
        } else if shown.len() < SHOWN {
            shown.push((warning, 0));
        } else {
            left += 1;
        }
    }
    let mut lines: Vec<String> = shown
        .iter()
        .map(|(WarningRow { source, line, message }, more)| {
            let line = if *line == 0 { String::new() } else { format!(":{line}") };
            let more = if *more == 0 { String::new() } else { format!(" (and {} more of these)", count(*more)) };
            format!("warning: {source}{line}: {message}{more}")
        })
        .collect();
    if left > 0 {
        lines.push(format!("warning: {} more; show --json lists them all", count(left)));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn warnings_that_differ_in_the_line_alone_are_one() {
        let row = |source: &str, line: u32, message: &str| WarningRow {
            source: source.to_owned(),
            line,
            message: message.to_owned(),
        };
        let mut rows: Vec<WarningRow> = (1..=1_200).map(|line| row("a", line, "no role")).collect();
        rows.insert(1, row("b", 0, "no role"));
        assert_eq!(told(&rows), ["warning: a:1: no role (and 1,199 more of these)", "warning: b: no role"]);
        rows.extend((0..5).map(|at| row("a", at, &at.to_string())));
        assert_eq!(told(&rows).last().unwrap(), "warning: 2 more; show --json lists them all");
        assert_eq!(told(&rows).len(), 6);
    }
}
