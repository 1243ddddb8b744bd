//! `windowpane compare`: policies side by side, or a policy beside what was recorded.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;

use crate::content::Watch;
use crate::engine::{Alone, Consequences, Distance, distances};
use crate::inquiry::{Kept, KnownFact, keeps};
use crate::model::{Run, ThreadId, Track, Trigger, last_part};
use crate::policy::{Cache, CacheMode, Choice, Lifetime};
use crate::present::helps::{and_unknown, kept_by_stand_ins, stand_in_mark};
use crate::present::{Align, Cell, Table, Tone, clip, count, counted, price};

use super::args::{Common, Look};
use super::facts::{looked_for, wanted};
use super::fail::{self, say, usage};
use super::header::{self, Header};
use super::load::{Session, Wanted, step};
use super::print::Printer;
use super::schema;

/// Facts that are listed.
const SHOWN: usize = 20;

/// Arguments of `compare`.
#[derive(Clone, Debug, Args)]
pub struct CompareArgs {
    /// The transcripts; with several, a table of how far a policy's compactions are from the recorded ones.
    #[arg(value_name = "TRANSCRIPT", required_unless_present = "schema")]
    transcripts: Vec<PathBuf>,
    /// Set each policy beside what was recorded; without --policy, the policy of the agent that wrote the transcript.
    /// What the user compacted is compacted there too, where the policy compacts at all.
    #[arg(long)]
    recorded: bool,
    /// A fact: literal text, re:PATTERN, or ~a sentence by meaning. Without any, those that the session itself
    /// proposes.
    #[arg(long, value_name = "FACT")]
    fact: Vec<String>,
    /// A TOML file of facts: [[fact]] with text, and step where it is needed.
    #[arg(long = "facts", value_name = "FILE.toml")]
    facts_file: Option<PathBuf>,
    #[command(flatten)]
    look: Look,
    #[command(flatten)]
    common: Common,
    /// Print the JSON Schema of this command's output.
    #[arg(long)]
    schema: bool,
}

/// What `compare --json` prints, one object a line where there are several transcripts.
#[derive(Serialize, JsonSchema)]
struct Compared {
    /// `windowpane/compare/1`
    schema: &'static str,
    transcript: Header,
    thread: u32,
    /// What is set side by side; the recorded run first, where it is among them.
    sides: Vec<Side>,
    /// Every step, with the figures of each side in their order.
    steps: Vec<StepRow>,
    /// Facts, and which sides keep them; those that not all keep come first. Over one transcript only.
    facts: Vec<FactRow>,
    /// Each recorded compaction beside the replayed one, for each policy; with `recorded` only.
    distances: Vec<Distances>,
}

/// A run.
#[derive(Serialize, JsonSchema)]
struct Side {
    /// `recorded`, or the policy's name.
    name: String,
    track: Track,
    /// What the run comes to.
    totals: Consequences,
    /// The prompt cache by which its policy prices it; `null` of what was recorded, which its own reports price.
    cache: Option<String>,
}

/// A fact.
#[derive(Serialize, JsonSchema)]
struct FactRow {
    fact: String,
    /// The step at which it is needed.
    step: u32,
    /// Whether each side, in their order, holds it word for word at that step.
    kept: Vec<bool>,
    /// Whether of each side nobody can tell: what stands for the fact can be read by its vendor alone. It counts as
    /// neither kept nor lost.
    unknown: Vec<bool>,
    /// Whether of each side a summary decides of that which is a stand-in: no model wrote it, though one would have, and the
    /// sentences that matter most stand in. A model's own words may keep what these leave out, and the other way round.
    stood_in: Vec<bool>,
}

impl FactRow {
    /// The sides, each with whether it holds the fact; `None` where nobody can tell.
    fn held(&self) -> impl Iterator<Item = Option<bool>> + '_ {
        self.kept.iter().zip(&self.unknown).map(|(kept, unknown)| (!unknown).then_some(*kept))
    }
}

/// A step of all sides.
#[derive(Serialize, JsonSchema)]
struct StepRow {
    step: u32,
    /// Counted and unlogged.
    used: Vec<u64>,
    /// Of the request's context, read from the prompt cache, as the step's `context_read` of `run` tells; `null` where
    /// nothing was reported.
    cache_read: Vec<Option<u64>>,
    /// Stages that decided something before this request.
    stages: Vec<Vec<&'static str>>,
}

/// How far a policy's compactions are from the recorded ones.
#[derive(Serialize, JsonSchema)]
struct Distances {
    policy: String,
    compactions: Vec<Distance>,
}

/// Compares.
pub fn compare(mut args: CompareArgs, look: Look, common: Common) -> anyhow::Result<ExitCode> {
    (args.look, args.common) = (args.look.over(look), args.common.over(common));
    if args.schema {
        return schema::print::<Compared>(&args.common);
    }
    // One policy alone is set beside what was recorded.
    args.recorded |= args.look.policy.len() < 2;
    let mut printer = Printer::new(&args.common);
    if let [path] = args.transcripts.as_slice() {
        let compared = of(path, &args)?;
        if args.common.json {
            printer.json(&compared)?;
        } else {
            people(&compared, &mut printer)?;
            header::warn(&compared.transcript, &mut printer);
        }
        return printer.done();
    }
    if !args.recorded {
        return Err(usage("policies are compared over one transcript; over several, --recorded shows the distances"));
    }
    let (mut all, mut failed) = (Vec::new(), false);
    for path in &args.transcripts {
        match of(path, &args) {
            Ok(compared) if args.common.json => printer.json(&compared)?,
            Ok(compared) => all.push(compared),
            Err(error) => {
                let (path, error) = (path.display().to_string(), format!("{error:#}"));
                say(&if error.starts_with(&path) { error } else { format!("{path}: {error}") });
                failed = true;
            }
        }
    }
    if !args.common.json {
        table_of_distances(&all, &mut printer)?;
    }
    let done = printer.done()?;
    Ok(if failed { fail::unread() } else { done })
}

fn of(path: &Path, args: &CompareArgs) -> anyhow::Result<Compared> {
    let CompareArgs { look, common, recorded, .. } = args;
    let session = Session::open(path, &Look { track: None, ..look.clone() }, common)?;
    let (id, watch) = (ThreadId(look.thread.unwrap_or(0)), Watch::default());
    let (mut runs, mut caches): (Vec<(String, Run)>, Vec<Option<String>>) = Default::default();
    let mut found = Vec::new();
    if *recorded {
        let bare = Look {
            policy: Vec::new(),
            set: Vec::new(),
            file: Vec::new(),
            url: Vec::new(),
            track: None,
            ..look.clone()
        };
        runs.push(("recorded".to_owned(), session.view(&bare, Wanted::All)?.run));
        caches.push(None);
    }
    let names: Vec<Option<&str>> = match look.policy.as_slice() {
        [] => vec![None],
        names => names.iter().map(|name| Some(name.as_str())).collect(),
    };
    for name in names {
        let mut chosen = session.policy(name, look)?;
        let said = look.set.iter().any(|set| set.trim_start().starts_with("replay.manual"));
        if *recorded && !said {
            chosen.policy = chosen.policy.beside_recorded();
        }
        let replay = session.replay(id, &chosen.policy, &watch)?;
        let run = replay.run(&chosen.policy);
        if *recorded {
            let compactions = distances(&replay.plan, &run);
            found.push(Distances { policy: chosen.name.clone(), compactions });
        }
        caches.push(Some(priced_by(&chosen.policy.cache)));
        runs.push((chosen.name, run));
    }
    let Some((_, first)) = runs.first() else { anyhow::bail!("there is nothing to compare") };
    let facts = if args.transcripts.len() == 1 { facts(args, &session, &runs)? } else { Vec::new() };
    Ok(Compared {
        schema: "windowpane/compare/1",
        transcript: Header::of(&session, first),
        thread: id.0,
        steps: steps(&runs),
        facts,
        distances: found,
        sides: runs
            .iter()
            .zip(caches)
            .map(|((name, run), cache)| Side {
                name: name.clone(),
                track: run.track,
                totals: Consequences::of(run),
                cache,
            })
            .collect(),
    })
}

/// The prompt cache by which a policy prices its requests, in words, with the settings that say so.
fn priced_by(cache: &Cache) -> String {
    let set = match cache.mode {
        CacheMode::Off => return "no prompt cache (cache.mode = off)".to_owned(),
        _ if !cache.boundary => return "no prompt cache (cache.boundary = false)".to_owned(),
        mode => format!("cache.mode = {}, cache.minutes", mode.name()),
    };
    match cache.minutes {
        Lifetime::Reported => format!("a prompt cache kept for as long as the transcript tells ({set} = reported)"),
        Lifetime::Minutes(0) => format!("a prompt cache kept for good ({set} = 0)"),
        Lifetime::Minutes(minutes) => {
            let long = counted(minutes, "minute", "minutes");
            format!("a prompt cache kept for {long} ({set} = {minutes})")
        }
    }
}

/// Which facts each side keeps.
fn facts(args: &CompareArgs, session: &Session, runs: &[(String, Run)]) -> anyhow::Result<Vec<FactRow>> {
    let Some((_, first)) = runs.first() else { return Ok(Vec::new()) };
    let asked = step(args.look.step, first.steps.len()).map(|step| args.look.step.map(|_| step))?;
    let facts = wanted(&args.fact, args.facts_file.as_deref(), session, first, asked)?;
    let watch = Watch::default();
    let found = looked_for(&facts, session, &watch);
    let known: Vec<KnownFact> = facts.iter().zip(&found).map(|((fact, step), found)| (fact, found, *step)).collect();
    let runs: Vec<&Run> = runs.iter().map(|(_, run)| run).collect();
    let rows = keeps(&known, &session.transcript, &session.sources, &runs).into_iter();
    let row = |row: Kept| {
        let Kept { fact, step, kept, unknown, stood_in } = row;
        FactRow { fact, step, kept, unknown, stood_in }
    };
    Ok(rows.map(row).collect())
}

fn steps(runs: &[(String, Run)]) -> Vec<StepRow> {
    let last = runs.iter().map(|(_, run)| run.steps.len()).max().unwrap_or(0);
    let mut rows = Vec::with_capacity(last);
    for (step, at) in (1u32..).zip(0..last) {
        let used = runs.iter().map(|(_, run)| run.totals.get(at).map_or(0, crate::model::Totals::used));
        let read = runs.iter().map(|(_, run)| {
            let parts = run.steps.get(at).and_then(crate::model::Step::context_parts);
            parts.map(|parts| parts.read)
        });
        let stages = runs.iter().map(|(_, run)| {
            let decided = run.events_at(step).map(|(_, event)| event.stage);
            decided.filter(|stage| *stage != crate::model::Stage::Admit).map(crate::model::Stage::name).collect()
        });
        rows.push(StepRow { step, used: used.collect(), cache_read: read.collect(), stages: stages.collect() });
    }
    rows
}

fn people(compared: &Compared, printer: &mut Printer) -> anyhow::Result<()> {
    printer.line(&[(&compared.transcript.path, Tone::Title)])?;
    let mut table = Table::new(&[
        ("run", Align::Left),
        ("compactions", Align::Right),
        ("peak", Align::Right),
        ("sent", Align::Right),
        ("cache reads", Align::Right),
        ("cost", Align::Right),
        ("of it summaries", Align::Right),
        ("still visible", Align::Right),
        ("too long", Align::Right),
        ("facts kept", Align::Right),
    ])
    .sparing(&["of it summaries", "still visible", "cache reads", "peak", "too long"]);
    let stands_in = |at: usize| compared.facts.iter().any(|fact| fact.stood_in.get(at) == Some(&true));
    for (at, side) in compared.sides.iter().enumerate() {
        let number =
            |held: Option<bool>| compared.facts.iter().filter(|fact| fact.held().nth(at) == Some(held)).count();
        let unknown = and_unknown(number(None));
        let facts = match compared.facts.len() {
            0 => "–".to_owned(),
            all => format!("{} of {all}{unknown}{}", number(Some(true)), stand_in_mark(stands_in(at))),
        };
        let totals = &side.totals;
        table.row([
            Cell::new(&side.name, Tone::Accent),
            count(totals.compactions.into()).into(),
            count(totals.peak).into(),
            count(totals.sent).into(),
            totals.cache_read.map_or_else(|| "–".to_owned(), count).into(),
            totals.cost_usd.map_or_else(|| "–".to_owned(), |cost| price(cost, totals.costs_more)).into(),
            totals.summaries_usd.map_or_else(|| "not recorded".to_owned(), |cost| price(cost, false)).into(),
            format!("{:.1} %", totals.visible_share * 100.0).into(),
            count(totals.failed.into()).into(),
            facts.into(),
        ]);
    }
    printer.table(&table)?;
    if (0..compared.sides.len()).any(stands_in) {
        printer.line(&[(&kept_by_stand_ins(), Tone::Warning)])?;
    }
    let mut told: Vec<(&str, Vec<&str>)> = Vec::new();
    for side in &compared.sides {
        let Some(cache) = &side.cache else { continue };
        match told.iter_mut().find(|(known, _)| known == cache) {
            Some((_, names)) => names.push(&side.name),
            None => told.push((cache, vec![&side.name])),
        }
    }
    for (cache, names) in told {
        printer.line(&[(&format!("priced by {cache}: {}", names.join(", ")), Tone::Faint)])?;
    }
    let rows = || compared.distances.iter().flat_map(|found| &found.compactions);
    if rows().any(|row| row.trigger == Some(Trigger::Manual) && row.replayed_step.is_some()) {
        let said = "beside what was recorded, a policy compacts what the user did, too (replay.manual)";
        printer.line(&[(said, Tone::Faint)])?;
    }
    if rows().next().is_some() {
        printer.line(&[])?;
        table_of_distances(std::slice::from_ref(compared), printer)?;
    }
    table_of_facts(compared, printer)
}

/// The facts that some sides keep and others don't; where these are few, the others too.
fn table_of_facts(compared: &Compared, printer: &mut Printer) -> anyhow::Result<()> {
    let differs = |fact: &&FactRow| fact.held().any(|held| Some(held) != fact.held().next());
    let apart: Vec<&FactRow> = compared.facts.iter().filter(differs).collect();
    if compared.facts.is_empty() {
        return Ok(());
    }
    printer.line(&[])?;
    let same = compared.facts.iter().filter(|fact| !differs(fact));
    for fact in apart.iter().copied().chain(same.take(SHOWN.saturating_sub(apart.len()))).take(SHOWN) {
        let names = |wanted: Option<bool>| {
            let sides = compared.sides.iter().zip(fact.held());
            let of: Vec<&str> = sides.filter(|(_, held)| *held == wanted).map(|(side, _)| side.name.as_str()).collect();
            of.join(", ")
        };
        let or_none = |names: String| if names.is_empty() { "–".to_owned() } else { names };
        let unknown = names(None);
        printer.line(&[
            (&format!("step {:>4}  ", fact.step), Tone::Faint),
            ("✓ ", Tone::Kept),
            (&or_none(names(Some(true))), Tone::Plain),
            ("  ✗ ", Tone::Cut),
            (&or_none(names(Some(false))), Tone::Plain),
            (if unknown.is_empty() { "" } else { "  ? " }, Tone::Warning),
            (&unknown, Tone::Plain),
            ("  ", Tone::Plain),
            (&clip(&fact.fact, 90), Tone::Title),
        ])?;
    }
    let by_all = |wanted| compared.facts.iter().filter(|fact| fact.held().all(|held| held == wanted)).count();
    let (all, none, unknown) = (by_all(Some(true)), by_all(Some(false)), by_all(None));
    let unknown = if unknown > 0 { format!(", {unknown} unknown of all") } else { String::new() };
    let more = compared.facts.len().saturating_sub(SHOWN);
    let more = if more > 0 { format!("and {more} more; ") } else { String::new() };
    let all = counted(all as u64, "fact is", "facts are");
    let words = format!("{more}{all} kept by all, {none} by none{unknown} (at the step at which they are needed)");
    printer.line(&[(&words, Tone::Faint)])?;
    Ok(())
}

/// Recorded compactions beside replayed ones, and how many of the first by the agent are near the first by the policy.
fn table_of_distances(all: &[Compared], printer: &mut Printer) -> anyhow::Result<()> {
    let mut table = Table::new(&[
        ("transcript", Align::Left),
        ("policy", Align::Left),
        ("no.", Align::Right),
        ("asked by", Align::Left),
        ("recorded", Align::Right),
        ("replayed", Align::Right),
        ("requests", Align::Right),
        ("context", Align::Right),
        ("replayed", Align::Right),
        ("apart", Align::Right),
        ("threshold", Align::Right),
        ("", Align::Left),
    ]);
    let or_none = |number: Option<u64>| number.map_or_else(|| "–".to_owned(), count);
    let mut judged = Judged::default();
    for compared in all {
        let name = last_part(&compared.transcript.path);
        for found in &compared.distances {
            judged.take(&found.compactions);
            for row in &found.compactions {
                table.row([
                    name.into(),
                    Cell::new(&found.policy, Tone::Accent),
                    row.number.to_string().into(),
                    match row.trigger {
                        Some(Trigger::Auto) => "agent",
                        Some(Trigger::Manual) => "user",
                        None => "",
                    }
                    .into(),
                    or_none(row.recorded_step.map(u64::from)).into(),
                    or_none(row.replayed_step.map(u64::from)).into(),
                    row.requests.map_or_else(|| "–".to_owned(), |apart| format!("{apart:+}")).into(),
                    or_none(row.recorded_context).into(),
                    or_none(row.replayed_context).into(),
                    row.percent.map_or_else(|| "–".to_owned(), |apart| format!("{apart:+.1} %")).into(),
                    or_none(row.threshold).into(),
                    Cell::new(row.alone.map_or("", Alone::words), Tone::Faint),
                ]);
            }
        }
    }
    printer.table(&table)?;
    let sum = judged.sentence();
    printer.line(&[(&sum, Tone::Title)])?;
    Ok(())
}

/// How the first compactions by the agent fare.
#[derive(Default)]
struct Judged {
    all: u64,
    only_recorded: u64,
    only_replayed: u64,
    within_requests: u64,
    within_percent: u64,
    without: u64,
}

impl Judged {
    fn take(&mut self, rows: &[Distance]) {
        self.without += u64::from(rows.is_empty());
        let Some(first) = rows.iter().find(|row| row.first) else { return };
        self.all += 1;
        self.only_recorded += u64::from(first.alone == Some(Alone::NotReplayed));
        self.only_replayed += u64::from(first.alone == Some(Alone::NotRecorded));
        self.within_requests += u64::from(first.requests.is_some_and(|apart| apart.abs() <= 3));
        self.within_percent += u64::from(first.percent.is_some_and(|apart| apart.abs() <= 5.0));
    }

    fn sentence(&self) -> String {
        let Judged { all, within_requests, within_percent, without, .. } = self;
        let alone = [(self.only_recorded, "only recorded"), (self.only_replayed, "only replayed")];
        let alone: Vec<String> =
            alone.iter().filter(|(number, _)| *number > 0).map(|(number, how)| format!("{number} {how}")).collect();
        let alone = if alone.is_empty() { String::new() } else { format!(" ({})", alone.join(", ")) };
        format!(
            "First compactions by the agent: {all}{alone}; {within_requests} replayed within 3 requests, {within_percent} \
             within 5 % of its context; {without} replays and recordings without any"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::{preset, set};

    #[test]
    fn the_cache_that_a_policy_is_priced_by_is_told() {
        let mut policy = preset("none", None).unwrap().0;
        let mut told = |assignment: &str| {
            set(&mut policy, assignment).unwrap();
            priced_by(&policy.cache)
        };
        for (assignment, words) in [
            ("cache.minutes=5", "a prompt cache kept for 5 minutes (cache.mode = provider, cache.minutes = 5)"),
            ("cache.minutes=0", "a prompt cache kept for good (cache.mode = provider, cache.minutes = 0)"),
            (
                "cache.minutes=reported",
                "a prompt cache kept for as long as the transcript tells (cache.mode = provider, cache.minutes = reported)",
            ),
            ("cache.boundary=false", "no prompt cache (cache.boundary = false)"),
            ("cache.mode=off", "no prompt cache (cache.mode = off)"),
        ] {
            assert_eq!(told(assignment), words);
        }
    }
}
