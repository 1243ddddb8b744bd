//! `windowpane sessions`: the sessions found on this machine, newest first.

use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};

use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;

use crate::content::Watch;
use crate::io::{SessionFile, find_sessions, own_roots, session_gist};
use crate::model::last_part;
use crate::present::{Align, Cell, Table, Tone, age, bytes, count};
use crate::transcript::{FORMATS, Gist};

use super::args::Common;
use super::print::Printer;
use super::schema;

/// Arguments of `sessions`.
#[derive(Clone, Debug, Default, Args)]
pub struct SessionsArgs {
    /// List only sessions in whose path, project, title or first prompt all of these words stand.
    #[arg(value_name = "WORD")]
    words: Vec<String>,
    /// List at most so many; 0 lists all.
    #[arg(long, value_name = "N", default_value_t = LIMIT)]
    limit: usize,
    /// Print the JSON Schema of this command's output.
    #[arg(long)]
    schema: bool,
    #[command(flatten)]
    common: Common,
}

/// As many as a screen or two hold.
const LIMIT: usize = 50;

impl SessionsArgs {
    /// All arguments at their defaults.
    pub fn newest() -> Self {
        SessionsArgs { limit: LIMIT, ..SessionsArgs::default() }
    }
}

/// What `sessions --json` prints.
#[derive(Serialize, JsonSchema)]
struct Sessions {
    /// `windowpane/sessions/1`
    schema: &'static str,
    /// Sessions found in all, before any was left out.
    found: usize,
    /// The sessions, newest first.
    sessions: Vec<SessionRow>,
}

/// One session.
#[derive(Serialize, JsonSchema)]
struct SessionRow {
    path: String,
    format: &'static str,
    /// The working folder.
    project: Option<String>,
    /// A name that it was given.
    title: Option<String>,
    /// The first thing that a person wrote.
    prompt: Option<String>,
    /// When it was last written, in milliseconds since the Unix epoch.
    modified: i64,
    bytes: u64,
    /// Steps: requests to the model, one that is about to be made among them.
    steps: u64,
    compactions: u64,
}

/// Lists sessions.
pub fn sessions(args: SessionsArgs, outer: Common) -> anyhow::Result<ExitCode> {
    let common = args.common.over(outer);
    if args.schema {
        return schema::print::<Sessions>(&common);
    }
    let mut printer = Printer::new(&common);
    let files = find_sessions(FORMATS, &own_roots());
    let words: Vec<String> = args.words.iter().map(|word| word.to_lowercase()).collect();
    let limit = if args.limit == 0 { usize::MAX } else { args.limit };
    let mut rows = Vec::new();
    for file in &files {
        if rows.len() >= limit {
            break;
        }
        match session_gist(file, &Watch::default()) {
            Ok(gist) => rows.extend(matching(file, gist, &words)),
            Err(error) => printer.remark(&format!("warning: {error}")),
        }
    }
    if common.json {
        printer.json(&Sessions { schema: "windowpane/sessions/1", found: files.len(), sessions: rows })?;
        return printer.done();
    }
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis());
    let now = i64::try_from(now).unwrap_or(i64::MAX);
    let mut table = Table::new(&[
        ("age", Align::Right),
        ("project", Align::Left),
        ("steps", Align::Right),
        ("size", Align::Right),
        ("compacted", Align::Right),
        ("session", Align::Left),
        ("file", Align::Left),
    ]);
    for row in &rows {
        let folder = row.project.as_deref().map(last_part).unwrap_or_default();
        let said = row.title.as_deref().or(row.prompt.as_deref()).unwrap_or_default();
        let compacted = if row.compactions > 0 { count(row.compactions) } else { String::new() };
        table.row([
            Cell::new(&age(row.modified, now), Tone::Faint),
            Cell::new(folder, Tone::Accent),
            count(row.steps).into(),
            bytes(row.bytes).into(),
            Cell::new(&compacted, Tone::Cut),
            said.chars().take(60).collect::<String>().into(),
            Cell::new(&row.path, Tone::Faint),
        ]);
    }
    if rows.is_empty() {
        printer.remark(if files.is_empty() {
            "no sessions of Claude Code or Codex are on this machine; name a file, or open the built-in example: windowpane demo"
        } else {
            "no session matches"
        });
    } else {
        printer.table(&table)?;
    }
    if rows.len() < files.len() && words.is_empty() {
        printer.remark(&format!("{} of {} sessions; --limit 0 lists all", rows.len(), files.len()));
    }
    printer.done()
}

/// The session's row, where all words stand in it.
fn matching(file: &SessionFile, gist: Gist, words: &[String]) -> Option<SessionRow> {
    let path = file.path.to_string_lossy().into_owned();
    let parts = [Some(&path), gist.folder.as_ref(), gist.title.as_ref(), gist.prompt.as_ref()];
    let all: String = parts.into_iter().flatten().map(|part| part.to_lowercase() + "\n").collect();
    words.iter().all(|word| all.contains(word)).then_some(SessionRow {
        path,
        format: file.format,
        project: gist.folder,
        title: gist.title,
        prompt: gist.prompt,
        modified: file.modified,
        bytes: file.bytes,
        steps: gist.steps,
        compactions: gist.compactions,
    })
}
