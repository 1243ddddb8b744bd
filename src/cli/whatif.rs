//! `windowpane whatif`: which settings would have kept a fact.

use std::process::ExitCode;

use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;

use crate::content::Watch;
use crate::export::BillRow;
use crate::inquiry::{Answer, Bill, Fact, Ready, Subject as Followed, Trials, WhatIf, trace};
use crate::model::{Stage, ThreadId};
use crate::policy::Policy;
use crate::present::helps::{
    by_user, some_left_out, some_refused, some_untried, some_unwritten, unwritten_mark, unwritten_there,
    without_answers,
};
use crate::present::{Align, Cell, Table, Tone, clip, count, counted, price};

use super::args::Subject;
use super::facts::parsed;
use super::fail::{say, stopped};
use super::header::{self, Head, Header};
use super::load::step;
use super::print::Printer;
use super::progress::watched;
use super::schema;

/// Arguments of `whatif`.
#[derive(Clone, Debug, Args)]
pub struct WhatifArgs {
    #[command(flatten)]
    pub subject: Subject,
    /// What should have been there: literal text, re:PATTERN, or ~a sentence by meaning.
    #[arg(value_name = "FACT", required_unless_present = "schema")]
    facts: Vec<String>,
}

/// `whatif --json`.
#[derive(Serialize, JsonSchema)]
struct Output {
    /// `windowpane/whatif/1`
    schema: &'static str,
    /// `policy`: the one whose settings are moved.
    #[serde(flatten)]
    head: Head,
    facts: Vec<FactRow>,
}

/// One fact.
#[derive(Serialize, JsonSchema)]
struct FactRow {
    fact: String,
    /// The step at which it should have been there.
    step: u32,
    /// Whether it is there anyway.
    there: bool,
    /// Whether it never came in by then.
    never: bool,
    /// The step from which on it was gone in the recording, taken by a compaction that the user asked for: replays leave
    /// that out unless `replay.manual` is set. Absent where that is not so.
    #[serde(skip_serializing_if = "Option::is_none")]
    by_user: Option<u32>,
    /// The step from which on it was gone in the recording, where another compaction took it behind that of `by_user`.
    #[serde(skip_serializing_if = "Option::is_none")]
    lost: Option<u32>,
    /// The step at which the user asked for the summary that says it in the recording: replays leave that out unless
    /// `replay.manual` is set. Absent where that is not so.
    #[serde(skip_serializing_if = "Option::is_none")]
    kept_by_user: Option<u32>,
    /// Whether a choice made before the replay took it (passages of a file, a file's limits): those settings are not
    /// tried.
    prepared: bool,
    /// What took it that is none of a policy's decisions, where no setting keeps it: `rewind`, `reasoning` or `session`.
    #[serde(skip_serializing_if = "Option::is_none")]
    taken_by: Option<Stage>,
    /// Whether it was stopped before all settings had been tried.
    stopped: bool,
    /// Replays that the search took.
    replays: u64,
    /// What the present policy costs.
    now: BillRow,
    /// Settings that keep it, those that make requests which are refused as too long (`costs.failed`) last, before them
    /// those that rest on summaries which no model wrote (`costs.stood_in`, `costs.extracted`), else the cheapest first;
    /// none where nothing helps.
    answers: Vec<AnswerRow>,
    /// Other pairs of settings that keep it, and looked to cost more.
    left_out: u64,
    /// Settings of which not every value was tried that may keep it, as that would take too long: one may be nearer.
    untried: u64,
    /// These settings: an answer that moves one setting, and none of these, has the nearest value that keeps it.
    untried_settings: Vec<&'static str>,
}

/// One setting, or two together.
#[derive(Serialize, JsonSchema)]
struct AnswerRow {
    changes: Vec<ChangeRow>,
    costs: BillRow,
}

/// One setting, moved.
#[derive(Serialize, JsonSchema)]
struct ChangeRow {
    key: &'static str,
    from: String,
    to: String,
    /// The value one notch back, at which the fact is lost; null for switches.
    notch_back: Option<String>,
}

/// Searches.
pub fn run(args: WhatifArgs) -> anyhow::Result<ExitCode> {
    let Subject { look, common, schema, .. } = &args.subject;
    if *schema {
        return schema::print::<Output>(common);
    }
    let facts: Vec<Fact> = args.facts.iter().map(|text| parsed(text)).collect::<anyhow::Result<_>>()?;
    let session = args.subject.open()?;
    let id = ThreadId(look.thread.unwrap_or(0));
    let chosen = session.chosen(look)?;
    let watch = Watch::default();
    let remake = |policy: &Policy| session.replay(id, policy, &watch.inner()).map_err(|why| format!("{why:#}"));
    let ready = Ready::new(session.replay(id, &chosen.policy, &watch)?, Some(&remake));
    let run = ready.base().run(&chosen.policy);
    let asked = step(look.step, run.steps.len()).map(|step| look.step.map(|_| step))?;
    let mut found = Vec::new();
    for fact in &facts {
        let places = session.find(fact, &watch);
        let shown = places.in_run(&session.transcript, &session.sources, &run);
        let step = trace(fact, &shown, &session.transcript, &session.sources, &run, asked).need.step();
        let subject = Followed::new(fact, &places, &session.transcript);
        let trials = Trials::new(&subject, &ready, &chosen.policy, step, &watch);
        found.push(watched("trying settings:", "", &watch, || trials.search(&|_| {})));
        if watch.is_cancelled() {
            break;
        }
    }
    if let Some(why) = ready.failed().filter(|_| !watch.is_cancelled()) {
        say(&format!("some settings could not be tried: {why}"));
    }
    let mut printer = Printer::new(common);
    if common.json {
        let facts = facts.iter().zip(&found).map(|(fact, found)| row(fact, found)).collect();
        let head = Head::of(&session, &run, Some(&chosen.name));
        printer.json(&Output { schema: "windowpane/whatif/1", head, facts })?;
    } else {
        for (at, (fact, found)) in facts.iter().zip(&found).enumerate() {
            if at > 0 {
                printer.line(&[])?;
            }
            people(fact, found, &chosen.name, &mut printer)?;
        }
        header::warn(&Header::of(&session, &run), &mut printer);
    }
    let done = printer.done()?;
    Ok(if watch.is_cancelled() { stopped() } else { done })
}

fn row(fact: &Fact, found: &WhatIf) -> FactRow {
    let answer = |answer: &Answer| AnswerRow {
        changes: answer
            .changes
            .iter()
            .map(|change| ChangeRow {
                key: change.key,
                from: change.from.to_string(),
                to: change.to.to_string(),
                notch_back: change.back.as_ref().map(ToString::to_string),
            })
            .collect(),
        costs: answer.bill.into(),
    };
    FactRow {
        fact: fact.text.clone(),
        step: found.step,
        there: found.there,
        never: found.never,
        by_user: found.by_user,
        lost: found.lost,
        kept_by_user: found.kept.map(|(asked, _)| asked),
        prepared: found.prepared,
        taken_by: found.taken_by.as_ref().map(|(stage, _)| *stage),
        stopped: found.stopped,
        replays: found.replays,
        now: found.bill.into(),
        answers: found.answers.iter().map(answer).collect(),
        left_out: found.left_out,
        untried: found.untried.len() as u64,
        untried_settings: found.untried.clone(),
    }
}

fn people(fact: &Fact, found: &WhatIf, policy: &str, printer: &mut Printer) -> anyhow::Result<()> {
    let title = clip(&fact.text, 100);
    printer.line(&[(&title, Tone::Title), (&format!("  at step {}, under {policy}", found.step), Tone::Faint)])?;
    if let Some(said) = without_answers(found) {
        printer.line(&[(&said, Tone::Plain)])?;
        for said in [by_user(found), unwritten_there(found)].iter().flatten() {
            printer.line(&[(said, Tone::Warning)])?;
        }
        if let Some(said) = some_untried(found) {
            printer.line(&[(&said, Tone::Faint)])?;
        }
        return Ok(());
    }
    printer.table(&answers_table(found))?;
    if let Some(said) = by_user(found) {
        printer.line(&[(&said, Tone::Warning)])?;
    }
    if let Some(said) = some_unwritten(found) {
        printer.line(&[(&said, Tone::Warning)])?;
    }
    if let Some(said) = some_refused(found) {
        printer.line(&[(&said, Tone::Warning)])?;
    }
    if let Some(said) = some_left_out(found) {
        printer.line(&[(&said, Tone::Faint)])?;
    }
    if let Some(said) = some_untried(found) {
        printer.line(&[(&said, Tone::Faint)])?;
    }
    let stopped = if found.stopped { ", stopped before all settings were tried" } else { "" };
    printer.line(&[(&format!("{}{stopped}", counted(found.replays, "replay", "replays")), Tone::Faint)])?;
    Ok(())
}

/// The policy as it is, and each answer with what it costs.
fn answers_table(found: &WhatIf) -> Table {
    let is_refused = |bill: &Bill| bill.failed > 0;
    let refused = is_refused(&found.bill) || found.refused() > 0;
    let mut columns = vec![
        ("setting", Align::Left),
        ("now", Align::Right),
        ("keeps it", Align::Right),
        ("loses it", Align::Right),
        ("peak", Align::Right),
        ("compactions", Align::Right),
        ("sent", Align::Right),
        ("from cache", Align::Right),
        ("cost", Align::Right),
    ];
    columns.extend(refused.then_some(("too long", Align::Right)));
    let spare = ["from cache", "peak", "compactions", "loses it", "now"];
    let mut table = Table::new(&columns).sparing(&spare);
    let bill = |bill: Bill, cells: &mut Vec<Cell>| {
        cells.push(count(bill.peak).into());
        cells.push(format!("{}{}", count(bill.compactions), unwritten_mark(&bill)).into());
        cells.push(count(bill.sent).into());
        cells.push(count(bill.cached).into());
        cells.push(bill.dollars.map_or_else(|| "–".to_owned(), |cost| price(cost, bill.costs_more)).into());
        let tone = if is_refused(&bill) { Tone::Cut } else { Tone::Plain };
        cells.extend(refused.then(|| Cell::new(&count(bill.failed), tone)));
    };
    let mut now = vec![Cell::new("as it is", Tone::Faint), Cell::default(), Cell::default(), Cell::default()];
    bill(found.bill, &mut now);
    table.row(now);
    for answer in &found.answers {
        for (at, change) in answer.changes.iter().enumerate() {
            let key = if at == 0 { change.key.to_owned() } else { format!("  and {}", change.key) };
            let back = change.back.as_ref().map_or_else(|| "–".to_owned(), ToString::to_string);
            let mut cells = vec![
                Cell::new(&key, Tone::Accent),
                Cell::new(&change.from.to_string(), Tone::Faint),
                Cell::new(&change.to.to_string(), Tone::Kept),
                Cell::new(&back, Tone::Cut),
            ];
            if at == 0 {
                bill(answer.bill, &mut cells);
            }
            table.row(cells);
        }
    }
    table
}
