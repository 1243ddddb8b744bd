//! `windowpane show`: the window at one step.

use std::process::ExitCode;

use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;

use crate::export::entry_text;
use crate::model::{ALL_LAYERS, Cost, EntryId, Fate, Layer, Role, Totals, Track, WindowSource};
use crate::present::{Align, Cell, Table, Tone, count, percent, price};

use super::args::{Common, Look, Subject};
use super::header::{self, Head, Place};
use super::load::{Session, View};
use super::other_threads::other_threads;
use super::print::Printer;
use super::schema;

/// Arguments of `show`.
#[derive(Clone, Debug, Args)]
pub struct ShowArgs {
    #[command(flatten)]
    pub subject: Subject,
    /// Print the text of each entry, too.
    #[arg(long)]
    text: bool,
}

impl ShowArgs {
    /// The arguments that show what `inspect` was given.
    pub fn of(look: Look, common: Common) -> Self {
        ShowArgs { subject: Subject { look, common, ..Subject::default() }, text: false }
    }
}

/// What `show --json` prints.
#[derive(Serialize, JsonSchema)]
struct Show {
    /// `windowpane/show/1`
    schema: &'static str,
    #[serde(flatten)]
    head: Head,
    /// The step, from 1.
    step: u32,
    /// The model as recorded, or as you say it was, of this step or the newest before it that names one.
    model: Option<String>,
    /// The window's size.
    window_tokens: u64,
    /// Where that size is from.
    window_source: WindowSource,
    /// Our count of all entries.
    counted_tokens: u64,
    /// Whether the count is an estimate, in whole or in part.
    estimated: bool,
    /// The request's context as its usage reports it.
    reported_tokens: Option<u64>,
    /// Whether `unlogged` is carried from another step.
    unlogged_estimated: bool,
    /// By how much the count exceeds the report: counted + unlogged − excess = reported.
    excess_tokens: u64,
    /// By how much the window exceeds its size, without what was counted too much: layers with free = the larger of the
    /// window and of what was counted with what is unlogged.
    over_tokens: u64,
    /// Whether the request was refused as too long, or would be: the step failed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    refused: bool,
    /// Tokens at which this agent compacts, where that is known.
    threshold_tokens: Option<u64>,
    /// Tokens of the prefix that is the same as in the step before.
    prefix_tokens: u64,
    /// What was reported of the request; on the simulated track, what it would be billed as.
    usage: Option<Usage>,
    /// Price of the request, where the model has one, with the calls that wrote summaries before it.
    cost_usd: Option<f64>,
    /// Whether it cost more than that: how long the answer was is not recorded, or what a model
    /// costs that was asked on the way, or a summary.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    costs_more: bool,
    /// Every layer.
    layers: Vec<LayerRow>,
    /// The window, in order.
    entries: Vec<EntryRow>,
}

/// Reported tokens; `input`, `cache_read` and `cache_write` share none.
#[derive(Serialize, JsonSchema)]
pub(super) struct Usage {
    input: u64,
    cache_read: u64,
    cache_write: u64,
    output: Option<u64>,
}

impl From<crate::model::Usage> for Usage {
    fn from(usage: crate::model::Usage) -> Self {
        let crate::model::Usage { input, cache_read, cache_write, output, .. } = usage;
        Usage { input, cache_read, cache_write, output }
    }
}

/// One layer.
#[derive(Serialize, JsonSchema)]
struct LayerRow {
    layer: Layer,
    tokens: u64,
    entries: u32,
}

/// One entry.
#[derive(Serialize, JsonSchema)]
struct EntryRow {
    id: u32,
    layer: Layer,
    role: Role,
    label: String,
    tokens: u64,
    /// Tokens before it was cut, cleared or summarised.
    original_tokens: u64,
    estimated: bool,
    fate: Fate,
    /// Whether it is of the text as it was before the agent cut it (replay.originals).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    original: bool,
    /// The first step whose window holds it.
    born: u32,
    /// Where it had gone and came back: the first step of this stay.
    #[serde(skip_serializing_if = "Option::is_none")]
    back: Option<u32>,
    /// The first step that no longer holds it.
    died: Option<u32>,
    /// Whether the recorded request marks the place behind it for a cache.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    breakpoint: bool,
    provenance: Vec<Place>,
    /// Its text, where it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
}

/// Prints the window at a step.
pub fn show(args: ShowArgs) -> anyhow::Result<ExitCode> {
    let Subject { common, schema, .. } = &args.subject;
    if *schema {
        return schema::print::<Show>(common);
    }
    let session = args.subject.open()?;
    print(&session, &args)
}

/// Prints the window at a step of a session that is open.
pub fn print(session: &Session, args: &ShowArgs) -> anyhow::Result<ExitCode> {
    let Subject { look, common, .. } = &args.subject;
    let view = session.view_step(look)?;
    let mut printer = Printer::new(common);
    let shown = gather(session, &view, args.text)?;
    if common.json {
        printer.json(&shown)?;
    } else {
        people(&shown, &mut printer)?;
        other_threads(session, &view.run, &mut printer)?;
        header::warn(&shown.head.transcript, &mut printer);
    }
    printer.done()
}

fn gather(session: &Session, view: &View, text: bool) -> anyhow::Result<Show> {
    let View { run, step, .. } = view;
    let at = *step as usize - 1;
    let (Some(about), Some(totals)) = (run.steps.get(at), run.totals.get(at)) else {
        anyhow::bail!("there is no step {step}");
    };
    let mut entries = Vec::new();
    for id in run.window(*step) {
        entries.extend(entry_row(session, view, id, text)?);
    }
    Ok(Show {
        schema: "windowpane/show/1",
        head: Head::of(session, run, view.policy.as_deref()),
        step: *step,
        model: run.model_at(*step).map(str::to_owned),
        window_tokens: about.window_tokens,
        window_source: about.window_source,
        counted_tokens: totals.counted,
        estimated: entries.iter().any(|entry| entry.estimated),
        reported_tokens: totals.reported,
        unlogged_estimated: totals.unlogged_estimated,
        excess_tokens: totals.excess,
        over_tokens: totals.over,
        refused: about.is_refused(),
        threshold_tokens: about.threshold,
        prefix_tokens: totals.prefix,
        usage: about.billed.or(about.usage).map(Usage::from),
        cost_usd: about.cost.as_ref().map(Cost::total),
        costs_more: about.costs_more(),
        layers: layers(totals),
        entries,
    })
}

fn layers(totals: &Totals) -> Vec<LayerRow> {
    let rows = ALL_LAYERS.iter().zip(totals.layers).zip(totals.entries);
    rows.map(|((info, tokens), entries)| LayerRow { layer: info.layer, tokens, entries }).collect()
}

fn entry_row(session: &Session, view: &View, id: EntryId, text: bool) -> anyhow::Result<Option<EntryRow>> {
    let run = &view.run;
    let Some(entry) = run.entry(id) else { return Ok(None) };
    let Some((came, died)) = entry.stay_at(view.step) else { return Ok(None) };
    Ok(Some(EntryRow {
        id: id.0,
        layer: entry.layer,
        role: entry.role,
        label: entry.label.to_string(),
        tokens: entry.tokens,
        original_tokens: entry.original_tokens,
        estimated: entry.estimated,
        fate: entry.fate,
        original: entry.is_original(),
        born: entry.born(),
        back: (came > entry.born()).then_some(came),
        died,
        breakpoint: entry.block().is_some_and(|block| {
            run.breakpoints(&session.transcript, view.step).iter().any(|mark| mark.block == Some(block))
        }),
        provenance: header::provenance(&session.transcript, run, entry),
        text: text.then(|| entry_text(&session.transcript, &session.sources, run, id)).transpose()?.flatten(),
    }))
}

/// Prints the window for people: what it is of, its layers, its entries, and their texts where these are asked for.
fn people(shown: &Show, printer: &mut Printer) -> anyhow::Result<()> {
    people_head(shown, printer)?;
    printer.line(&[])?;
    printer.table(&layers_table(shown))?;
    printer.line(&[])?;
    printer.table(&entries_table(shown))?;
    for row in shown.entries.iter().filter(|row| row.text.is_some()) {
        printer.line(&[])?;
        let label = if row.label.is_empty() { String::new() } else { format!(" · {}", row.label) };
        printer.line(&[(&format!("entry {} · {}{label}", row.id, row.layer.info().title), Tone::Title)])?;
        printer.document(row.text.as_deref().unwrap_or_default())?;
        printer.line(&[])?;
    }
    Ok(())
}

fn people_head(shown: &Show, printer: &mut Printer) -> anyhow::Result<()> {
    let track = match (shown.head.track, &shown.head.policy) {
        (Track::Recorded, _) => "recorded".to_owned(),
        (Track::Simulated, None) => "simulated".to_owned(),
        (Track::Simulated, Some(policy)) => format!("simulated under {policy}"),
    };
    let of = format!("step {} of {}", shown.step, shown.head.transcript.steps);
    let model = shown.model.as_deref().unwrap_or("unknown model");
    let dot = (" · ", Tone::Faint);
    printer.line(&[
        (&shown.head.transcript.path, Tone::Title),
        dot,
        (model, Tone::Plain),
        dot,
        (&of, Tone::Plain),
        dot,
        (&track, Tone::Plain),
    ])?;
    printer.line(&[(&sum(shown), Tone::Plain)])?;
    Ok(())
}

fn layers_table(shown: &Show) -> Table {
    let mut table = Table::new(&[
        ("layer", Align::Left),
        ("tokens", Align::Right),
        ("share", Align::Right),
        ("entries", Align::Right),
    ]);
    for row in shown.layers.iter().filter(|row| row.tokens > 0 || row.entries > 0) {
        let entries = if row.entries > 0 { count(row.entries.into()) } else { String::new() };
        let tone = if matches!(row.layer, Layer::Reserve | Layer::Free) { Tone::Faint } else { Tone::Plain };
        table.row([
            Cell::new(row.layer.info().title, tone),
            Cell::new(&count(row.tokens), tone),
            Cell::new(&percent(row.tokens, shown.window_tokens), tone),
            Cell::new(&entries, tone),
        ]);
    }
    table
}

fn entries_table(shown: &Show) -> Table {
    let mut table = Table::new(&[
        ("entry", Align::Right),
        ("layer", Align::Left),
        ("label", Align::Left),
        ("tokens", Align::Right),
        ("of", Align::Right),
        ("born", Align::Right),
        ("fate", Align::Left),
        ("line", Align::Right),
    ]);
    for row in &shown.entries {
        let cut = row.fate != Fate::Verbatim;
        let line = row.provenance.first().and_then(|place| place.line).map(|line| line.to_string());
        table.row([
            Cell::new(&row.id.to_string(), Tone::Faint),
            Cell::new(row.layer.info().title, Tone::Accent),
            row.label.chars().take(200).collect::<String>().into(),
            count(row.tokens).into(),
            Cell::new(&if cut { count(row.original_tokens) } else { String::new() }, Tone::Faint),
            Cell::new(&row.born.to_string(), Tone::Faint),
            Cell::new(&told(row), if cut { Tone::Cut } else { Tone::Accent }),
            Cell::new(&line.unwrap_or_default(), Tone::Faint),
        ]);
    }
    table
}

/// What became of an entry, and what is particular about it.
fn told(row: &EntryRow) -> String {
    let fate = (row.fate != Fate::Verbatim).then(|| row.fate.name());
    let marks = [fate, row.original.then_some("original"), row.breakpoint.then_some("breakpoint")];
    marks.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// How the parts add up, in one line.
fn sum(shown: &Show) -> String {
    let unlogged: u64 = shown.layers.iter().filter(|row| row.layer == Layer::Unlogged).map(|row| row.tokens).sum();
    let sign = if shown.estimated { "~" } else { "" };
    let mut line = format!("{sign}{} counted", count(shown.counted_tokens));
    if unlogged > 0 {
        let about = if shown.unlogged_estimated { "about " } else { "" };
        line.push_str(&format!(" + {about}{} not recorded", count(unlogged)));
    }
    if shown.excess_tokens > 0 {
        line.push_str(&format!(" − {} counted too much", count(shown.excess_tokens)));
    }
    match shown.reported_tokens {
        Some(reported) => line.push_str(&format!(" = {} reported", count(reported))),
        None => line.push_str("; nothing was reported"),
    }
    line.push_str(&format!(", of a window of {}", count(shown.window_tokens)));
    line.push_str(match shown.window_source {
        WindowSource::Transcript => " (the transcript says)",
        WindowSource::User => " (you say)",
        WindowSource::Policy => " (the policy says)",
        WindowSource::Table => "",
        WindowSource::Agent => " (as much as the agent used then)",
        WindowSource::Default => " (assumed)",
    });
    if shown.over_tokens > 0 {
        line.push_str(&format!(", {} over", count(shown.over_tokens)));
    }
    if shown.refused {
        line.push_str(", refused as too long");
    }
    if let Some(cost) = shown.cost_usd {
        line.push_str(&format!("; {}", price(cost, shown.costs_more)));
    }
    line
}
