//! `windowpane sweep`: one or two settings over their values, against the facts that are kept and what that costs.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use crate::content::Watch;
use crate::export::{Sweep, sweep_csv};
use crate::inquiry::{
    Axis, Point, Ready, Subject as Followed, Vary, beaten_by_own, combinations, is_mixed, needed_at, sweep,
};
use crate::model::ThreadId;
use crate::policy::Policy;
use crate::present::helps::{and_unknown, unwritten_mark};
use crate::present::{Align, Cell, Swept, Table, Tone, count, counted, price};

use super::args::Subject;
use super::facts::{looked_for, wanted as asked_for};
use super::fail::{say, stopped, usage};
use super::header::{self, Header};
use super::load::step;
use super::print::Printer;
use super::progress::watched;
use super::schema;

/// Runs of one sweep.
const MOST: usize = 20_000;
/// The setting that is moved where none is named.
const FIRST: &str = "summarise.at";
/// What facts are that are called unknown.
const UNKNOWN: &str = "unknown: what stands for it can be read by its vendor alone; that is neither kept nor lost";
/// Columns and rows of a chart, at most.
const CHART: (u16, usize) = (100, 16);

/// Arguments of `sweep`.
#[derive(Clone, Debug, Args)]
pub struct SweepArgs {
    #[command(flatten)]
    pub subject: Subject,
    /// The facts; without any, and without --facts, those that the session itself proposes.
    #[arg(value_name = "FACT")]
    facts: Vec<String>,
    /// A setting and its values: KEY=A,B,C or KEY=FROM..TO:STEP; KEY alone for values around the present one. Once or
    /// twice; without it, summarise.at.
    #[arg(long, value_name = "KEY=VALUES")]
    vary: Vec<String>,
    /// What the facts are set against: by it the best runs are marked.
    #[arg(long, value_enum, default_value = "sent")]
    against: Against,
    /// A TOML file of facts: [[fact]] with text, and step where it is needed.
    #[arg(long = "facts", value_name = "FILE.toml")]
    facts_file: Option<PathBuf>,
    /// Print CSV.
    #[arg(long, conflicts_with = "json")]
    csv: bool,
}

/// What the facts are set against.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Against {
    Sent,
    Compactions,
    Cost,
    Peak,
}

impl Against {
    fn axis(self) -> Axis {
        match self {
            Against::Sent => Axis::Sent,
            Against::Compactions => Axis::Compactions,
            Against::Cost => Axis::Cost,
            Against::Peak => Axis::Peak,
        }
    }
}

/// Sweeps.
pub fn run(args: SweepArgs) -> anyhow::Result<ExitCode> {
    let Subject { look, common, schema, .. } = &args.subject;
    if *schema {
        return schema::print::<Sweep>(common);
    }
    if args.vary.len() > 2 {
        return Err(usage("a sweep moves one setting or two: give --vary once or twice"));
    }
    let session = args.subject.open()?;
    let id = ThreadId(look.thread.unwrap_or(0));
    let chosen = session.chosen(look)?;
    let watch = Watch::default();
    let base = session.replay(id, &chosen.policy, &watch)?;
    let remake = |policy: &Policy| session.replay(id, policy, &watch.inner()).map_err(|why| format!("{why:#}"));
    let ready = Ready::new(base, Some(&remake));
    let replay = ready.base();
    let run = replay.run(&chosen.policy);
    let asked = step(look.step, run.steps.len()).map(|last| look.step.map(|_| last))?;
    let window = run.steps.last().map_or(200_000, |step| step.window_tokens);
    let first = [FIRST.to_owned()];
    let named = if args.vary.is_empty() { first.as_slice() } else { args.vary.as_slice() };
    let vary: Vec<Vary> = named
        .iter()
        .map(|text| Vary::parse(text, &chosen.policy, window).map_err(|why| usage(format!("--vary {why}"))))
        .collect::<Result<_, _>>()?;
    if let [one, other] = vary.as_slice()
        && one.setting.key == other.setting.key
    {
        return Err(usage(format!("--vary {} is given twice: name all its values at once", one.setting.key)));
    }
    let runs = combinations(&vary);
    if runs > MOST {
        return Err(usage(format!("that would be {runs} runs; {MOST} are the most")));
    }
    let facts = asked_for(&args.facts, args.facts_file.as_deref(), &session, &run, asked)?;
    if facts.is_empty() {
        return Err(usage(match &args.facts_file {
            Some(file) => format!("{} names no facts: [[fact]] with text names one", file.display()),
            None => "the session proposes no facts: name some".to_owned(),
        }));
    }
    let found = looked_for(&facts, &session, &watch);
    let subjects: Vec<(Followed, u32)> = facts
        .iter()
        .zip(&found)
        .map(|((fact, step), found)| {
            let needed = needed_at((fact, found, *step), &session.transcript, &session.sources, &run);
            (Followed::new(fact, found, &session.transcript), needed)
        })
        .collect();
    let wanted: Vec<_> = subjects.iter().map(|(subject, step)| (subject, *step)).collect();
    let points = watched("running:", "", &watch, || sweep(&ready, &chosen.policy, &vary, &wanted, &watch, &|_| {}));
    let is_stopped = watch.is_cancelled();
    let told = is_stopped.then(|| {
        let (done, all) = (count(points.len() as u64), counted(runs as u64, "run", "runs"));
        format!("stopped after {done} of {all}")
    });
    if let Some(told) = &told {
        say(told);
        if points.is_empty() {
            return Ok(stopped());
        }
    }
    if let Some(why) = ready.failed().filter(|_| !is_stopped) {
        if points.is_empty() {
            return Err(anyhow::anyhow!(why));
        }
        say(&format!("some runs are left out: {why}"));
    }
    if points.is_empty() {
        return Err(usage("none of these values is allowed together; policy keys lists what is"));
    }
    let mut printer = Printer::new(common);
    let against = args.against.axis();
    if common.json {
        let facts: Vec<(&str, u32)> =
            wanted.iter().map(|(subject, step)| (subject.fact.text.as_str(), *step)).collect();
        printer.json(&Sweep::new(&chosen.name, &vary, &facts, &points, against).stopped(is_stopped))?;
    } else if args.csv {
        printer.document(&sweep_csv(&vary, &points, against, is_stopped))?;
    } else {
        let kept: Vec<usize> = points.iter().map(Point::facts).collect();
        let swept =
            Swept { vary: &vary, points: &points, kept: &kept, facts: wanted.len(), axis: against, chosen: None };
        picture(&swept, &mut printer)?;
        people(&swept, &mut printer)?;
        if let Some(told) = told {
            let words = format!("{told}: the others are missing here, and may keep more for less");
            printer.line(&[(&words, Tone::Warning)])?;
        }
    }
    // What is missing of a transcript is missing in every run, and neither form of the runs has a place for it.
    header::warn(&Header::of(&session, &run), &mut printer);
    let done = printer.done()?;
    Ok(if is_stopped { stopped() } else { done })
}

/// The runs at a glance, over their table.
fn picture(swept: &Swept, printer: &mut Printer) -> anyhow::Result<()> {
    let Swept { vary, facts, axis, .. } = *swept;
    let keys: Vec<&str> = vary.iter().map(|vary| vary.setting.key).collect();
    let (title, rows) = match vary {
        [down, _] => (format!("Facts kept, by {}", keys.join(" (down) and ") + " (across)"), down.values.len() + 1),
        _ => (format!("Facts kept of {}, against {}", count(facts as u64), axis.name()), CHART.1),
    };
    printer.line(&[(&title, Tone::Title)])?;
    let columns = u16::try_from(printer.columns()).unwrap_or(u16::MAX).min(CHART.0);
    for line in swept.picture(columns, u16::try_from(rows).unwrap_or(u16::MAX)).lines() {
        let pieces: Vec<(&str, Tone)> = line.iter().map(|(text, tone)| (text.as_str(), *tone)).collect();
        printer.line(&pieces)?;
    }
    let legend = swept.legend();
    let pieces: Vec<(&str, Tone)> = legend.iter().map(|(text, tone)| (text.as_str(), *tone)).collect();
    printer.line(&pieces)?;
    printer.line(&[])?;
    Ok(())
}

fn people(swept: &Swept, printer: &mut Printer) -> anyhow::Result<()> {
    let Swept { vary, points, kept, facts, axis, .. } = *swept;
    let mut columns: Vec<(&'static str, Align)> = vary.iter().map(|vary| (vary.setting.key, Align::Right)).collect();
    columns.extend([
        ("kept", Align::Right),
        ("", Align::Left),
        ("sent", Align::Right),
        ("peak", Align::Right),
        ("compactions", Align::Right),
        ("cost", Align::Right),
    ]);
    let refused = points.iter().filter(|point| point.bill.failed > 0).count();
    columns.extend((refused > 0).then_some(("too long", Align::Right)));
    columns.push(("", Align::Left));
    let mut table = Table::new(&columns);
    for (point, best) in points.iter().zip(swept.front()) {
        let mut cells: Vec<Cell> = point.values.iter().map(|value| Cell::from(value.plain())).collect();
        let (held, all) = (point.facts(), facts.max(1));
        let bar: String = "█".repeat(held * 20 / all) + &"·".repeat(20 - held * 20 / all);
        let tone = if held == facts { Tone::Kept } else { Tone::Plain };
        cells.push(Cell::new(&format!("{held} of {facts}{}", and_unknown(point.unknowns())), tone));
        cells.push(Cell::new(&bar, tone));
        cells.push(count(point.bill.sent).into());
        cells.push(count(point.bill.peak).into());
        cells.push(format!("{}{}", count(point.bill.compactions), unwritten_mark(&point.bill)).into());
        cells.push(point.bill.dollars.map_or_else(|| "–".to_owned(), |cost| price(cost, point.bill.costs_more)).into());
        let tone = if point.bill.failed > 0 { Tone::Cut } else { Tone::Plain };
        cells.extend((refused > 0).then(|| Cell::new(&count(point.bill.failed), tone)));
        cells.push(if best { Cell::new("◆ best", Tone::Accent) } else { Cell::default() });
        table.row(cells);
    }
    printer.table(&table)?;
    let words = format!(
        "{}; ◆: no other keeps as many facts for less ({})",
        counted(points.len() as u64, "run", "runs"),
        axis.name()
    );
    printer.line(&[(&words, Tone::Faint)])?;
    if refused > 0 {
        let apart = if refused < points.len() { "; they are not held against the others" } else { "" };
        let (some, all) = (count(refused as u64), counted(points.len() as u64, "run", "runs"));
        let words = format!("in {some} of {all} the model refused requests as too long, and never got them{apart}");
        printer.line(&[(&words, Tone::Warning)])?;
    }
    if points.iter().any(|point| point.unknowns() > 0) {
        printer.line(&[(UNKNOWN, Tone::Faint)])?;
    }
    let unwritten = points.iter().filter(|point| point.bill.unwritten() > 0).count();
    if unwritten > 0 {
        let apart = if is_mixed(points, kept) {
            "; they are not held against the others"
        } else if beaten_by_own(points, kept).contains(&true) {
            "; they are not marked where a run without any keeps as many facts and costs no more"
        } else {
            ""
        };
        let (some, all) = (count(unwritten as u64), counted(points.len() as u64, "run", "runs"));
        let words = format!(
            "in {some} of {all} no model wrote some of the summaries that it should have (○): the sentences that \
             matter most stand in{apart}"
        );
        printer.line(&[(&words, Tone::Warning)])?;
    }
    Ok(())
}
