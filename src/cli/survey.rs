//! `windowpane survey`: distributions over many transcripts.

use std::collections::{BTreeMap, HashSet};
use std::io::BufRead;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::inquiry::survey::{Advice, Survey, advice, unadvised};
use crate::io::head_of;
use crate::model::{SourceKind, ThreadId, ThreadKind, Transcript};
use crate::present::{Align, Cell, Table, Tone, clip, count, counted};
use crate::transcript::{ROLLOUT_HEAD, is_side_log, is_side_rollout, started_by};

use super::args::{Common, Look};
use super::fail::usage;
use super::load::{Session, Wanted};
use super::print::Printer;
use super::schema;
use super::survey_logs::{Log, Sum, last_name};

/// Transcripts that are read at once, between two portions of output.
const PORTION: usize = 64;
/// Folders below each other.
const DEEPEST: usize = 24;
/// Bytes of a line that is merged.
const LINE: usize = 64 << 20;
/// Tools that the table names.
const TOOLS: usize = 12;
/// Endings of files that are left out which are told of by name.
const TOLD: usize = 4;
/// What a transcript's name ends in.
const ENDINGS: &[&str] = &["jsonl", "json", "gz", "zst", "ndjson", "har"];

/// Arguments of `survey`.
#[derive(Clone, Debug, Args)]
pub struct SurveyArgs {
    /// Transcripts, or folders of them; - reads paths from standard input, one a line.
    #[arg(value_name = "PATH", required_unless_present_any = ["schema", "merge"])]
    paths: Vec<PathBuf>,
    /// Take the lines of earlier surveys (from the files, or standard input) instead of transcripts.
    #[arg(long)]
    merge: bool,
    #[command(flatten)]
    look: Look,
    #[command(flatten)]
    common: Common,
    /// Print the JSON Schema of this command's output.
    #[arg(long)]
    schema: bool,
}

/// One line of `survey --json`: a transcript, or with `--merge` all of them.
#[derive(Serialize, Deserialize, JsonSchema)]
struct Line {
    /// `windowpane/survey/1`
    schema: String,
    /// The transcript; null for a merged line.
    path: Option<String>,
    /// The transcript's format.
    format: Option<String>,
    /// Damaged lines and whatever else of it is not counted; standard error tells the first.
    #[serde(default)]
    warnings: usize,
    #[serde(flatten)]
    log: Log,
    #[serde(flatten)]
    survey: Survey,
}

/// What one transcript shows.
struct Surveyed {
    line: Line,
    /// The files that were read with it.
    sides: Vec<PathBuf>,
    /// What of it is not counted, where anything is not.
    damaged: Option<String>,
}

/// Surveys transcripts.
pub fn run(args: SurveyArgs, look: Look, common: Common) -> anyhow::Result<ExitCode> {
    let (look, common) = (args.look.over(look), args.common.over(common));
    if args.schema {
        return schema::print::<Line>(&common);
    }
    let mut printer = Printer::new(&common);
    let mut sum = Sum::default();
    let mut skipped = 0u64;
    if args.merge {
        merge(&args.paths, &mut sum, &mut skipped, &mut printer)?;
    } else {
        let Listed { found: paths, nowhere, by_name } = paths(&args.paths)?;
        for link in nowhere {
            printer.remark(&format!("warning: {}: the link leads nowhere", link.display()));
        }
        if let Some(told) = left_out(&by_name) {
            printer.remark(&told);
        }
        if paths.is_empty() {
            return Err(usage("there is no transcript to survey: name files or folders"));
        }
        // A subagent's log is read with its session, and so not by itself.
        let (logs, sessions): (Vec<PathBuf>, Vec<PathBuf>) = paths.into_iter().partition(|path| is_log(path));
        let mut held: HashSet<PathBuf> = HashSet::new();
        for portion in sessions.chunks(PORTION).chain(logs.chunks(PORTION)) {
            let fresh: Vec<&PathBuf> = portion.iter().filter(|path| !held.contains(*path)).collect();
            let lines: Vec<_> = fresh.par_iter().map(|path| guarded(|| line(path, &look, &common))).collect();
            for (path, line) in fresh.into_iter().zip(lines) {
                match line {
                    Ok(Surveyed { line, sides, damaged }) => {
                        sum.take(line.path.as_deref(), line.format.as_deref(), &line.log, &line.survey);
                        held.extend(sides);
                        if let Some(damaged) = damaged {
                            printer.remark(&damaged);
                        }
                        if common.json {
                            printer.json_alone(&line)?;
                        }
                    }
                    Err(why) => {
                        skipped += 1;
                        // What would have been a transcript is told by other commands: here it stands for each file.
                        let why = format!("{why:#}");
                        let why = why.lines().next().unwrap_or_default();
                        let why = why.split("; looked for").next().unwrap_or_default();
                        printer.remark(&format!("skipped: {}", told_once(&path.to_string_lossy(), why)));
                    }
                }
            }
        }
    }
    let all = sum.done();
    // A table of nothing would say that there was something.
    if all.sessions == 0 {
        return Err(match (args.merge, skipped) {
            (true, 0) => anyhow::anyhow!("there is nothing to merge: no line of a survey came"),
            (true, _) => anyhow::anyhow!(
                "there is nothing to merge: of {} none is one of a survey",
                counted(skipped, "line", "lines")
            ),
            _ => anyhow::anyhow!("there is no transcript that could be read"),
        });
    }
    if args.merge && common.json {
        printer.json(&Line {
            schema: "windowpane/survey/1".to_owned(),
            path: None,
            format: None,
            warnings: 0,
            log: Log::default(),
            survey: all.clone(),
        })?;
    }
    if skipped > 0 {
        printer.remark(&format!("{} skipped", count(skipped)));
    }
    if !common.json {
        people(&all, &mut printer)?;
    }
    printer.done()
}

/// Reads one file: a fault in that is told of it, and the others are read all the same.
fn guarded<T>(read: impl FnOnce() -> anyhow::Result<T>) -> anyhow::Result<T> {
    let fault = |_| Err(anyhow::anyhow!("a fault inside windowpane: the file could not be read"));
    catch_unwind(AssertUnwindSafe(read)).unwrap_or_else(fault)
}

/// Why a file is skipped, with its name once: most reasons begin with it.
fn told_once(name: &str, why: &str) -> String {
    let rest = |before: &str| why.strip_prefix(before)?.strip_prefix(name)?.strip_prefix(": ");
    match (rest(""), rest("cannot open ")) {
        (Some(why), _) => format!("{name}: {why}"),
        (None, Some(why)) => format!("{name}: cannot open it: {why}"),
        (None, None) => format!("{name}: {why}"),
    }
}

/// Whether a file may be the log of a session's subagent.
fn is_log(path: &Path) -> bool {
    let Some(name) = path.file_name().map(|name| name.to_string_lossy()) else { return false };
    let rollout =
        || name.starts_with("rollout-") && head_of(path, ROLLOUT_HEAD).is_ok_and(|head| is_side_rollout(&head));
    is_side_log(&name) || rollout()
}

/// What one transcript shows, all its conversations together.
fn line(path: &Path, look: &Look, common: &Common) -> anyhow::Result<Surveyed> {
    let session = Session::open(path, look, common)?;
    let mut survey = Survey::default();
    let threads = u32::try_from(session.transcript.threads.len()).unwrap_or(u32::MAX);
    for thread in 0..threads {
        let look = Look { thread: Some(thread), step: None, ..look.clone() };
        // A conversation without a request has no window.
        let Ok(view) = session.view(&look, Wanted::All) else { continue };
        // The window that a summary was made of is the session's own.
        let kind = session.transcript.thread(ThreadId(thread)).map(|thread| &thread.kind);
        if kind == Some(&ThreadKind::Summariser) {
            survey.steps += view.run.steps.len() as u64;
        } else {
            survey.merge(&Survey::of(&session.transcript, &view.run));
        }
    }
    if survey.sessions == 0 {
        anyhow::bail!("there is no request in it");
    }
    survey.sessions = 1;
    let sides = session.transcript.sources.iter().filter(|source| source.kind == SourceKind::Side);
    let sides: Vec<PathBuf> = sides.map(|source| PathBuf::from(&source.name)).collect();
    let (subagent, format) = (is_log(path), session.transcript.format.to_owned());
    let parent = || head_of(path, ROLLOUT_HEAD).ok().and_then(|head| started_by(&head));
    let id = session.transcript.session.id.clone();
    let log = Log {
        // A rollout has an id of its own and names who started it; other logs of subagents have their session's.
        session: if subagent { parent().or(id) } else { id },
        subagent,
        with: sides.iter().map(|side| last_name(&side.to_string_lossy()).to_owned()).collect(),
        ..Log::default()
    };
    let log = log.marked(&session.transcript);
    let line = Line {
        schema: "windowpane/survey/1".to_owned(),
        path: Some(path.to_string_lossy().into_owned()),
        format: Some(format),
        warnings: session.transcript.warnings.len(),
        log,
        survey,
    };
    Ok(Surveyed { line, sides, damaged: damaged(&session.transcript) })
}

/// The first warning of a transcript with its place, and how many more there are.
fn damaged(transcript: &Transcript) -> Option<String> {
    let (first, more) = transcript.warnings.split_first()?;
    let name = transcript.sources.get(first.source.0 as usize).map_or("", |source| source.name.as_str());
    let place = if first.line > 0 { format!("{name}:{}", first.line) } else { name.to_owned() };
    let more = if more.is_empty() { String::new() } else { format!("; {} more", count(more.len() as u64)) };
    Some(format!("warning: {place}: {}{more}", first.message))
}

/// What a list of paths and folders holds.
#[derive(Default)]
struct Listed {
    /// Transcripts, by their names or because they were named.
    found: Vec<PathBuf>,
    /// Links to transcripts that lead nowhere.
    nowhere: Vec<PathBuf>,
    /// How many files of folders are none by their endings.
    by_name: BTreeMap<String, u64>,
}

/// The transcripts of a list: folders are gone through, `-` is a list on standard input.
fn paths(given: &[PathBuf]) -> anyhow::Result<Listed> {
    let mut listed = Listed::default();
    for path in given {
        if path == Path::new("-") {
            for line in std::io::stdin().lock().split(b'\n') {
                let mut line = line?;
                if line.ends_with(b"\r") {
                    line.pop();
                }
                if !line.trim_ascii().is_empty() {
                    listed.found.push(named(line));
                }
            }
        } else if path.is_dir() {
            below(path, DEEPEST, &mut listed);
        } else {
            listed.found.push(path.clone());
        }
    }
    Ok(listed)
}

/// How many files of folders were left out, and by which endings, in a line whatever their number; `None` where none was.
fn left_out(by_name: &BTreeMap<String, u64>) -> Option<String> {
    let all: u64 = by_name.values().sum();
    let mut most: Vec<(&String, u64)> = by_name.iter().map(|(ending, number)| (ending, *number)).collect();
    most.sort_by_key(|(_, number)| std::cmp::Reverse(*number));
    let told = most.iter().take(TOLD).map(|(ending, number)| format!("{} {ending}", count(*number)));
    let rest: u64 = most.iter().skip(TOLD).map(|(_, number)| number).sum();
    let told: Vec<String> = told.chain((rest > 0).then(|| format!("{} others", count(rest)))).collect();
    (all > 0).then(|| {
        format!(
            "{} left out, as no transcript ends so: {} (of a folder those are read that end in .{}; name others)",
            counted(all, "file", "files"),
            told.join(", "),
            ENDINGS.join(", .")
        )
    })
}

/// A path by its bytes, which need not be text.
#[cfg(unix)]
fn named(bytes: Vec<u8>) -> PathBuf {
    use std::os::unix::ffi::OsStringExt;
    PathBuf::from(std::ffi::OsString::from_vec(bytes))
}

/// A path by its bytes.
#[cfg(not(unix))]
fn named(bytes: Vec<u8>) -> PathBuf {
    PathBuf::from(String::from_utf8_lossy(&bytes).into_owned())
}

/// Files below a folder that may be transcripts, by name; links are not followed, and those by such a name that lead
/// nowhere are told. What is hidden is a program's own, and not counted among what is left out.
fn below(folder: &Path, deep: usize, listed: &mut Listed) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    let mut entries: Vec<_> = entries.flatten().collect();
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let Ok(kind) = entry.file_type() else { continue };
        let path = entry.path();
        let is_hidden = entry.file_name().to_string_lossy().starts_with('.');
        if kind.is_dir() && deep > 0 {
            let before = is_hidden.then(|| listed.by_name.clone());
            below(&path, deep - 1, listed);
            if let Some(before) = before {
                listed.by_name = before;
            }
        } else if path.extension().and_then(|end| end.to_str()).is_some_and(|end| ENDINGS.contains(&end)) {
            if kind.is_file() {
                listed.found.push(path);
            } else if kind.is_symlink() && !path.exists() {
                listed.nowhere.push(path);
            }
        } else if kind.is_file() && !is_hidden {
            let ending = path.extension().map(|end| format!(".{}", clip(&end.to_string_lossy(), 12)));
            *listed.by_name.entry(ending.unwrap_or_else(|| "without an ending".to_owned())).or_default() += 1;
        }
    }
}

fn merge(paths: &[PathBuf], sum: &mut Sum, skipped: &mut u64, printer: &mut Printer) -> anyhow::Result<()> {
    let standard = [PathBuf::from("-")];
    for path in if paths.is_empty() { &standard[..] } else { paths } {
        let input: Box<dyn BufRead> = if path == Path::new("-") {
            Box::new(std::io::stdin().lock())
        } else {
            let file =
                std::fs::File::open(path).map_err(|why| anyhow::anyhow!("cannot open {}: {why}", path.display()))?;
            Box::new(std::io::BufReader::new(file))
        };
        for (number, line) in input.split(b'\n').enumerate() {
            let line = line?;
            if line.trim_ascii().is_empty() {
                continue;
            }
            let read: Option<Line> = (line.len() <= LINE).then(|| serde_json::from_slice(&line).ok()).flatten();
            match read.filter(|line| line.schema == "windowpane/survey/1") {
                Some(line) => sum.take(line.path.as_deref(), line.format.as_deref(), &line.log, &line.survey),
                None => {
                    *skipped += 1;
                    printer.remark(&format!("skipped: {}:{}: it is no line of a survey", path.display(), number + 1));
                }
            }
        }
    }
    Ok(())
}

fn people(all: &Survey, printer: &mut Printer) -> anyhow::Result<()> {
    let words = format!(
        "{}, {}, {}",
        counted(all.sessions, "session", "sessions"),
        counted(all.steps, "request", "requests"),
        counted(all.compactions, "compaction", "compactions")
    );
    printer.line(&[(&words, Tone::Title)])?;
    printer.line(&[])?;
    let mut table = Table::new(&[
        ("", Align::Left),
        ("number", Align::Right),
        ("p50", Align::Right),
        ("p90", Align::Right),
        ("p99", Align::Right),
        ("p99.9", Align::Right),
        ("p99.99", Align::Right),
        ("largest", Align::Right),
    ]);
    let mut series: Vec<_> = all.series.iter().collect();
    // Tools by how often they were called, after the figures that are everybody's.
    series.sort_by_key(|(name, spread)| {
        let tool = name.contains('/');
        (tool, if tool { u64::MAX - spread.number() } else { 0 })
    });
    let own = series.iter().filter(|(name, _)| !name.contains('/')).count();
    for (name, spread) in series.into_iter().take(own + TOOLS) {
        let permille = name.ends_with("_permille");
        let title = match name.strip_suffix("_permille") {
            Some(name) => format!("{} share", name.replace('_', " ")),
            // A tool's name is its own.
            None => match name.split_once('/') {
                Some((series, tool)) => format!("{}/{tool}", series.replace('_', " ")),
                None => name.replace('_', " "),
            },
        };
        let figure = |value: u64| if permille { format!("{}.{} %", value / 10, value % 10) } else { count(value) };
        let at = |share: f64| Cell::from(spread.quantile(share).map_or_else(|| "–".to_owned(), figure));
        table.row([
            Cell::new(&title, Tone::Plain),
            Cell::new(&count(spread.number()), Tone::Faint),
            at(0.5),
            at(0.9),
            at(0.99),
            at(0.999),
            at(0.9999),
            figure(spread.max()).into(),
        ]);
    }
    printer.table(&table)?;
    printer.line(&[("p50 to p99.99 of tokens are rounded up, by one part in 32 at most", Tone::Faint)])?;
    let (advised, few): (Vec<Advice>, _) = (advice(all), unadvised(all));
    if !advised.is_empty() || few.is_some() {
        printer.line(&[])?;
    }
    for one in advised {
        let setting = format!("{} = {}", one.key, one.value);
        printer.line(&[(&setting, Tone::Accent), (&format!("  {}", one.why), Tone::Plain)])?;
    }
    if let Some(few) = few {
        printer.line(&[(&few, Tone::Faint)])?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_in_one_file_is_told_of_that_file() {
        let read: Vec<anyhow::Result<u8>> =
            (0..3u8).map(|file| guarded(|| if file == 1 { panic!("fault on purpose") } else { Ok(file) })).collect();
        assert!(matches!(&read[..], [Ok(0), Err(why), Ok(2)] if why.to_string().contains("a fault inside")));
    }

    #[test]
    fn files_that_are_left_out_are_told_in_a_line_whatever_their_number() {
        assert_eq!(left_out(&BTreeMap::new()), None);
        let of = |number: u64| (0..number).map(|at| (format!(".e{at}"), at + 1)).collect::<BTreeMap<_, _>>();
        let told = left_out(&of(6)).unwrap();
        assert!(
            told.starts_with("21 files left out, as no transcript ends so: 6 .e5, 5 .e4, 4 .e3, 3 .e2, 3 others ("),
            "{told}"
        );
        assert!(left_out(&of(1)).unwrap().starts_with("1 file left out, as no transcript ends so: 1 .e0 ("));
    }
}
