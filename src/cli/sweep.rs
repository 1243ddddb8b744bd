//! `windowpane sweep`: one or two settings over their values, against the facts that are kept and what that costs.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::content::Watch;
use crate::inquiry::{Fact, Found, Point, Subject as Followed, Vary, candidates, find, sweep, trace, with};
use crate::model::{Run, ThreadId};
use crate::policy::{Value, named, nearest};
use crate::present::{Align, Cell, Table, Tone, count, dollars};

use super::args::{Common, Look, Subject};
use super::facts::parsed;
use super::fail::usage;
use super::load::Session;
use super::print::Printer;
use super::schema;
use super::whatif::BillRow;

/// Runs of one sweep.
const MOST: usize = 20_000;
/// Bytes of a file of facts.
const FILE: u64 = 4 << 20;

/// Arguments of `sweep`.
#[derive(Clone, Debug, Args)]
pub struct SweepArgs {
    #[command(flatten)]
    subject: Subject,
    /// The facts; without any, and without --facts, those that the session itself proposes.
    #[arg(value_name = "FACT")]
    facts: Vec<String>,
    /// A setting and its values: KEY=A,B,C or KEY=FROM..TO:STEP. Once or twice.
    #[arg(long, value_name = "KEY=VALUES", required_unless_present = "schema")]
    vary: Vec<String>,
    /// A TOML file of facts: [[fact]] with text, and step where it is needed.
    #[arg(long = "facts", value_name = "FILE.toml")]
    facts_file: Option<PathBuf>,
    /// Print CSV.
    #[arg(long, conflicts_with = "json")]
    csv: bool,
}

impl SweepArgs {
    /// These arguments, with options that stood before the command.
    pub fn over(mut self, look: Look, common: Common) -> Self {
        self.subject = self.subject.over(look, common);
        self
    }
}

/// A file of facts.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    fact: Vec<FileRow>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileRow {
    text: String,
    step: Option<u32>,
}

/// `sweep --json`.
#[derive(Serialize, JsonSchema)]
struct Output {
    /// `windowpane/sweep/1`
    schema: &'static str,
    policy: String,
    /// The settings that are moved.
    vary: Vec<&'static str>,
    facts: Vec<FactRow>,
    runs: Vec<RunRow>,
}

/// A fact, and the step at which it is needed.
#[derive(Serialize, JsonSchema)]
struct FactRow {
    fact: String,
    step: u32,
}

/// One run.
#[derive(Serialize, JsonSchema)]
struct RunRow {
    /// The values, in the order of `vary`.
    values: Vec<String>,
    /// Facts that were there when they were needed.
    kept: usize,
    /// The places of those that were not, in `facts`.
    lost: Vec<usize>,
    costs: BillRow,
    /// Whether no other run keeps as many for less.
    best: bool,
}

/// Sweeps.
pub fn run(args: SweepArgs) -> anyhow::Result<ExitCode> {
    let Subject { transcript, look, common, schema } = &args.subject;
    if *schema {
        return schema::print::<Output>(common);
    }
    if args.vary.len() > 2 {
        return Err(usage("a sweep moves one setting or two: give --vary once or twice"));
    }
    let vary: Vec<Vary> = args.vary.iter().map(|text| varied(text)).collect::<Result<_, _>>()?;
    let runs: usize = vary.iter().map(|vary| vary.values.len()).product();
    if runs > MOST {
        return Err(usage(format!("that would be {runs} runs; {MOST} are the most")));
    }
    let path = transcript.as_deref().unwrap_or(std::path::Path::new("-"));
    let session = Session::open(path, look, common)?;
    let id = ThreadId(look.thread.unwrap_or(0));
    let chosen = session.chosen(look)?;
    let watch = Watch::default();
    let replay = session.replay(id, &chosen.policy, &watch)?;
    for vary in &vary {
        let moved = vary.values.first().and_then(|value| with(&chosen.policy, vary.setting, value));
        if moved.is_some_and(|policy| !replay.fits(&policy)) {
            let key = vary.setting.key;
            return Err(usage(format!("{key} decides what is prepared before a replay; a sweep cannot move it")));
        }
    }
    let run = replay.run(&chosen.policy);
    let facts = facts(&args, &session, &run)?;
    let found: Vec<Found> =
        facts.iter().map(|(fact, _)| find(fact, &session.transcript, &session.sources, None, &watch)).collect();
    let subjects: Vec<(Followed, u32)> = facts
        .iter()
        .zip(&found)
        .map(|((fact, step), found)| {
            let last = u32::try_from(run.steps.len()).unwrap_or(u32::MAX);
            let need = || trace(fact, found, &session.transcript, &session.sources, &run, None).need.step();
            (Followed::new(fact, found, &session.transcript), step.map_or_else(need, |step| step.clamp(1, last)))
        })
        .collect();
    let wanted: Vec<_> = subjects.iter().map(|(subject, step)| (subject, *step)).collect();
    let points = sweep(&replay.plan, &replay.given, &chosen.policy, &vary, &wanted, &watch);
    if points.is_empty() {
        return Err(usage("none of these values is allowed; policy keys lists what is"));
    }
    let mut printer = Printer::new(common);
    if common.json {
        let fact = |(subject, step): &(&Followed, u32)| FactRow { fact: subject.fact.text.clone(), step: *step };
        printer.json(&Output {
            schema: "windowpane/sweep/1",
            policy: chosen.name,
            vary: vary.iter().map(|vary| vary.setting.key).collect(),
            facts: wanted.iter().map(fact).collect(),
            runs: points.iter().map(row).collect(),
        })?;
    } else if args.csv {
        csv(&vary, &points, &mut printer)?;
    } else {
        people(&vary, &points, wanted.len(), &mut printer)?;
    }
    printer.done()
}

/// `KEY=A,B,C` or `KEY=FROM..TO:STEP`.
fn varied(text: &str) -> anyhow::Result<Vary> {
    let (key, values) = text.split_once('=').ok_or_else(|| usage(format!("{text:?} is not of the form KEY=VALUES")))?;
    let setting = named(key.trim()).ok_or_else(|| {
        let near = nearest(key).map_or_else(String::new, |near| format!("; did you mean {near}?"));
        usage(format!("there is no setting {key:?}{near}"))
    })?;
    let range = values.split_once("..").and_then(|(from, rest)| {
        let (to, step) = rest.split_once(':').unwrap_or((rest, ""));
        let (from, to): (u64, u64) = (number(from)?, number(to)?);
        let step = if step.is_empty() {
            (to.checked_sub(from)? / 20).max(1)
        } else {
            number(step).filter(|step| *step > 0)?
        };
        Some((from..=to).step_by(usize::try_from(step).ok()?).take(MOST + 1).map(|value| value.to_string()).collect())
    });
    let texts: Vec<String> = range.unwrap_or_else(|| values.split(',').map(|value| value.trim().to_owned()).collect());
    let values = texts.iter().map(|text| Value::from_argument(text, setting.kind)).collect();
    Ok(Vary { setting, values })
}

fn number(text: &str) -> Option<u64> {
    text.trim().replace('_', "").parse().ok()
}

/// The facts, with the steps that are given for them.
fn facts(args: &SweepArgs, session: &Session, run: &Run) -> anyhow::Result<Vec<(Fact, Option<u32>)>> {
    let mut found = Vec::new();
    for text in &args.facts {
        found.push((parsed(text)?, None));
    }
    if let Some(path) = &args.facts_file {
        let shown = path.display();
        let size = std::fs::metadata(path).map_err(|why| anyhow::anyhow!("cannot open {shown}: {why}"))?.len();
        if size > FILE {
            return Err(usage(format!("{shown} is too large for a file of facts")));
        }
        let text = std::fs::read_to_string(path).map_err(|why| anyhow::anyhow!("cannot read {shown}: {why}"))?;
        let file: File = toml::from_str(&text).map_err(|why| usage(format!("{shown}: {}", why.message())))?;
        for row in file.fact {
            found.push((parsed(&row.text)?, row.step));
        }
    }
    if found.is_empty() {
        for candidate in candidates(&session.transcript, &session.sources, run, 30, &Watch::default()) {
            found.push((parsed(&candidate.text)?, Some(candidate.needed)));
        }
    }
    if found.is_empty() {
        return Err(usage("the session proposes no facts: name some"));
    }
    Ok(found)
}

fn row(point: &Point) -> RunRow {
    RunRow {
        values: point.values.iter().map(ToString::to_string).collect(),
        kept: point.facts(),
        lost: point.kept.iter().enumerate().filter(|(_, kept)| !**kept).map(|(at, _)| at).collect(),
        costs: point.bill.into(),
        best: point.best,
    }
}

fn csv(vary: &[Vary], points: &[Point], printer: &mut Printer) -> anyhow::Result<()> {
    let mut text: String = vary.iter().map(|vary| format!("{},", vary.setting.key)).collect();
    text.push_str("kept,lost,peak,compactions,sent,cache_read,cost_usd,failed,best\n");
    for point in points {
        for value in &point.values {
            let shown = value.to_string();
            let shown = shown.trim_matches('"');
            match shown.contains([',', '"', '\n']) {
                true => text.push_str(&format!("\"{}\",", shown.replace('"', "\"\""))),
                false => text.push_str(&format!("{shown},")),
            }
        }
        let bill = point.bill;
        let cost = bill.dollars.map_or_else(String::new, |cost| format!("{cost:.6}"));
        text.push_str(&format!(
            "{},{},{},{},{},{},{cost},{},{}\n",
            point.facts(),
            point.kept.len() - point.facts(),
            bill.peak,
            bill.compactions,
            bill.sent,
            bill.cached,
            bill.failed,
            point.best
        ));
    }
    printer.document(&text)?;
    Ok(())
}

fn people(vary: &[Vary], points: &[Point], facts: usize, printer: &mut Printer) -> anyhow::Result<()> {
    let mut columns: Vec<(&'static str, Align)> = vary.iter().map(|vary| (vary.setting.key, Align::Right)).collect();
    columns.extend([
        ("kept", Align::Right),
        ("", Align::Left),
        ("sent", Align::Right),
        ("peak", Align::Right),
        ("compactions", Align::Right),
        ("cost", Align::Right),
        ("", Align::Left),
    ]);
    let mut table = Table::new(&columns);
    for point in points {
        let mut cells: Vec<Cell> =
            point.values.iter().map(|value| Cell::from(value.to_string().trim_matches('"'))).collect();
        let (kept, all) = (point.facts(), facts.max(1));
        let bar: String = "█".repeat(kept * 20 / all) + &"·".repeat(20 - kept * 20 / all);
        let tone = if kept == facts { Tone::Kept } else { Tone::Plain };
        cells.push(Cell::new(&format!("{kept} of {facts}"), tone));
        cells.push(Cell::new(&bar, tone));
        cells.push(count(point.bill.sent).into());
        cells.push(count(point.bill.peak).into());
        cells.push(count(point.bill.compactions).into());
        cells.push(point.bill.dollars.map_or_else(|| "–".to_owned(), dollars).into());
        cells.push(Cell::new(if point.best { "◆ best for its price" } else { "" }, Tone::Accent));
        table.row(cells);
    }
    printer.table(&table)?;
    let words = format!("{} runs; ◆: no other keeps as many facts for less", count(points.len() as u64));
    printer.line(&[(&words, Tone::Faint)])?;
    Ok(())
}
