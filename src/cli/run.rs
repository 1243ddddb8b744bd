//! `windowpane run`: every step and event of a run.

use std::borrow::Cow;
use std::process::ExitCode;

use clap::Args;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::ser::{Serialize, SerializeMap, Serializer};

use crate::engine::Consequences;
use crate::model::{
    ALL_LAYERS, Calls, Cost, EntryId, Event, Evidence, Layer, Outcome, Run, Stage, Step, Totals, Track, Trigger,
};
use crate::present::{
    Align, Cell, Referring, Table, Tone, count, counted, held_before, percent, price, referring, short, without_room,
};

use super::args::Subject;
use super::header::{self, Header};
use super::load::{Session, View, Wanted};
use super::memory::{SummaryRow, measured, people_summaries};
use super::other_threads::other_threads;
use super::print::Printer;
use super::schema;
use super::show::Usage;

/// Arguments of `run`.
#[derive(Clone, Debug, Args)]
pub struct RunArgs {
    #[command(flatten)]
    pub subject: Subject,
    /// Say of each summary which facts it keeps and loses, and which of its sentences nothing supports.
    #[arg(long)]
    summaries: bool,
}

/// One line of `run --json`.
#[derive(serde::Serialize, JsonSchema)]
struct Line {
    /// `windowpane/run/1`
    schema: &'static str,
    #[serde(flatten)]
    row: Row,
}

/// What a line is about.
#[derive(serde::Serialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Row {
    /// One request.
    Step {
        step: u32,
        model: Option<String>,
        outcome: Outcome,
        /// Milliseconds since the Unix epoch.
        at: Option<i64>,
        window_tokens: u64,
        /// Counted and unlogged.
        used: u64,
        counted: u64,
        /// The context as reported.
        reported: Option<u64>,
        /// counted + unlogged − excess = reported.
        excess: u64,
        /// By how much the window exceeds its size, without the excess. Sum of layers = the larger of the window and
        /// counted + unlogged.
        over: u64,
        layers: LayerTokens,
        /// Tokens of the prefix that is the same as in the step before, by our count.
        prefix: u64,
        /// Of the request's own context, read from the cache: what `sweep` and `compare` add up. It is less than
        /// `cache_read` where the request was sampled several times: each later sampling reads the context again.
        context_read: Option<u64>,
        /// Sent fresh, as reported; on the simulated track, as it would be billed. So are the next three: sums over all
        /// samplings of the request.
        input: Option<u64>,
        /// Read from the cache.
        cache_read: Option<u64>,
        /// Written to the cache.
        cache_write: Option<u64>,
        /// As reported on both tracks: the answers are the recorded ones.
        output: Option<u64>,
        /// Price of the step, with the calls that wrote summaries at it as far as their price is known.
        cost_usd: Option<f64>,
        /// Of it, these calls; `null` where nothing says what one of them cost.
        summaries_usd: Option<f64>,
    },
    /// One decision.
    Event {
        /// The first step whose window shows the effect.
        step: u32,
        stage: Stage,
        rule: String,
        threshold: Option<u64>,
        measured: Option<u64>,
        /// Tokens of the window before it; of a text that the agent itself had cut before it sent it, which was in no window
        /// whole, tokens of that text.
        tokens_before: Option<u64>,
        /// The same behind it.
        tokens_after: Option<u64>,
        /// The entries that it took from; of a text that was cut as it came in, what is left of it.
        entries: Vec<u32>,
        /// The entries that it made.
        made: Vec<u32>,
        /// Of these, what the agent itself had cut before it sent it, where a replay takes it in so.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        cut: Vec<u32>,
        why: String,
        /// Later messages that repeat a term of entries: what spared these, or is said of them though they were taken
        /// (the first few).
        evidence: Vec<EvidenceRow>,
        /// Who asked for it, where that is recorded.
        trigger: Option<Trigger>,
        /// What the model call that wrote its summary sends and gets, on the simulated track.
        call: Option<Usage>,
        /// Line of the record that says so.
        line: Option<u32>,
    },
    /// What a summary keeps of what it stands for, with --summaries.
    Summary(Box<SummaryRow>),
    /// The end of the run.
    End {
        /// Recorded or simulated.
        track: Track,
        /// The policy that it was replayed under, on the simulated track.
        policy: Option<String>,
        steps: usize,
        entries: usize,
        events: usize,
        compactions: usize,
        /// The largest window, as reported where it is: as in `sweep`, `whatif` and `compare`.
        peak: u64,
        /// Price of all steps that have one.
        cost_usd: Option<f64>,
        warnings: usize,
    },
}

/// Why an entry is still needed.
#[derive(serde::Serialize, JsonSchema)]
struct EvidenceRow {
    /// The entry that is referred to.
    entry: u32,
    /// Whether it was spared for that; else it was taken all the same.
    spared: bool,
    /// The entry that is the later message.
    by: Option<u32>,
    /// Line of the later message's record.
    line: Option<u32>,
    /// The term that both hold.
    term: String,
    /// Its first byte in the later message's decoded text, and one past its last.
    bytes: (u64, u64),
}

/// Tokens by layer, in the order of layers.
struct LayerTokens([u64; Layer::COUNT]);

impl Serialize for LayerTokens {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(Layer::COUNT))?;
        for (info, tokens) in ALL_LAYERS.iter().zip(self.0) {
            map.serialize_entry(info.name, &tokens)?;
        }
        map.end()
    }
}

impl JsonSchema for LayerTokens {
    fn schema_name() -> Cow<'static, str> {
        "LayerTokens".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let names: Vec<&str> = ALL_LAYERS.iter().map(|info| info.name).collect();
        let tokens = json_schema!({ "type": "integer", "minimum": 0 });
        let properties: serde_json::Map<String, serde_json::Value> =
            names.iter().map(|name| ((*name).to_owned(), tokens.clone().to_value())).collect();
        json_schema!({
            "type": "object", "properties": properties, "required": names, "additionalProperties": false
        })
    }
}

/// Prints a run.
pub fn run(args: RunArgs) -> anyhow::Result<ExitCode> {
    let Subject { look, common, schema, .. } = &args.subject;
    if *schema {
        return schema::print::<Line>(common);
    }
    let session = args.subject.open()?;
    let view = session.view(look, Wanted::All)?;
    let mut printer = Printer::new(common);
    let (mut rows, sizes) = if args.summaries { measured(&session, &view.run, u32::MAX)? } else { Default::default() };
    let only = look.step.map(|_| view.step);
    rows.retain(|row| is_asked(only, row.step));
    if common.json {
        lines(&session, &view, only, rows, &mut printer)?;
    } else {
        people(&view, only, &mut printer)?;
        people_summaries("a summary", &rows, &sizes, &mut printer)?;
        other_threads(&session, &view.run, &mut printer)?;
        header::warn(&Header::of(&session, &view.run), &mut printer);
    }
    printer.done()
}

/// Whether a step is one of those to tell of: the one that was named, or any.
fn is_asked(only: Option<u32>, step: u32) -> bool {
    only.is_none_or(|only| only == step)
}

fn lines(
    session: &Session,
    view: &View,
    only: Option<u32>,
    rows: Vec<SummaryRow>,
    printer: &mut Printer,
) -> anyhow::Result<()> {
    let run = &view.run;
    let mut row = |row| printer.json(&Line { schema: "windowpane/run/1", row });
    let mut events = run.events.iter().filter(|event| is_asked(only, event.step)).peekable();
    let mut rows = rows.into_iter().peekable();
    let steps = (1u32..).zip(run.steps.iter()).zip(&run.totals);
    for ((number, step), totals) in steps.filter(|((number, _), _)| is_asked(only, *number)) {
        let usage = step.billed.or(step.usage);
        row(Row::Step {
            step: number,
            model: step.model.as_deref().map(str::to_owned),
            outcome: step.outcome,
            at: step.at,
            window_tokens: step.window_tokens,
            used: totals.used(),
            counted: totals.counted,
            reported: totals.reported,
            excess: totals.excess,
            over: totals.over,
            layers: LayerTokens(totals.layers),
            prefix: totals.prefix,
            context_read: step.context_parts().map(|parts| parts.read),
            input: usage.map(|usage| usage.input),
            cache_read: usage.map(|usage| usage.cache_read),
            cache_write: usage.map(|usage| usage.cache_write),
            output: usage.and_then(|usage| usage.output),
            cost_usd: step.cost.as_ref().map(Cost::total),
            summaries_usd: step.calls.dollars().filter(|_| step.cost.is_some()),
        })?;
        while let Some(event) = events.next_if(|event| event.step <= number) {
            row(event_row(session, run, event))?;
        }
        while let Some(summary) = rows.next_if(|row| row.step <= number) {
            row(Row::Summary(Box::new(summary)))?;
        }
    }
    for event in events {
        row(event_row(session, run, event))?;
    }
    row(Row::End {
        track: run.track,
        policy: view.policy.clone(),
        steps: run.steps.len(),
        entries: run.entries.len(),
        events: run.events.len(),
        compactions: compactions(run),
        peak: Consequences::spent(run).peak,
        cost_usd: cost(run),
        warnings: session.transcript.warnings.len(),
    })
}

fn event_row(session: &Session, run: &Run, event: &Event) -> Row {
    let ids = |ids: &[EntryId]| ids.iter().map(|id| id.0).collect();
    let evidence = |(one, found): (&Evidence, Referring)| EvidenceRow {
        entry: one.entry.0,
        spared: one.spared,
        by: found.by.map(|id| id.0),
        line: session.transcript.block(one.by).map(|block| block.record.line),
        term: found.word.to_string(),
        bytes: one.term,
    };
    // What is cut as it comes in is what is left of it.
    let is_cut = event.stage == Stage::Truncate && event.took.is_empty();
    Row::Event {
        step: event.step,
        stage: event.stage,
        rule: event.rule.to_string(),
        threshold: event.threshold,
        measured: event.measured,
        tokens_before: event.tokens_before,
        tokens_after: event.tokens_after,
        entries: ids(if is_cut { &event.made } else { &event.took }),
        made: ids(&event.made),
        cut: event.sent_cut.iter().flat_map(|cut| ids(&cut.entries)).collect(),
        why: event.sentence().into_owned(),
        evidence: event.evidence.iter().zip(referring(run, event)).map(evidence).collect(),
        trigger: event.trigger,
        call: event.call.as_deref().copied().map(Usage::from),
        line: event.record.map(|record| record.line),
    }
}

fn compactions(run: &Run) -> usize {
    run.events.iter().filter(|event| event.compacts()).count()
}

fn cost(run: &Run) -> Option<f64> {
    let costs = run.steps.iter().filter_map(|step| step.cost.as_ref());
    costs.map(Cost::total).fold(None, |sum, cost| Some(sum.unwrap_or(0.0) + cost))
}

fn people(view: &View, only: Option<u32>, printer: &mut Printer) -> anyhow::Result<()> {
    let run = &view.run;
    let mut table = Table::new(&[
        ("step", Align::Right),
        ("used", Align::Right),
        ("of window", Align::Right),
        ("reported", Align::Right),
        ("cache read", Align::Right),
        ("cost", Align::Right),
        ("events", Align::Left),
    ]);
    let mut events = run.events.iter().filter(|event| is_asked(only, event.step)).peekable();
    let steps = (1u32..).zip(run.steps.iter()).zip(&run.totals);
    for ((number, step), totals) in steps.filter(|((number, _), _)| is_asked(only, *number)) {
        let mut said = Vec::new();
        while let Some(event) = events.next_if(|event| event.step <= number) {
            said.push(in_short(run, event));
        }
        if step.is_refused() {
            said.push("refused as too long".to_owned());
        }
        let or_none = |tokens: Option<u64>| tokens.map_or_else(|| "–".to_owned(), count);
        table.row([
            Cell::new(&number.to_string(), Tone::Faint),
            count(totals.used()).into(),
            percent(totals.used(), step.window_tokens).into(),
            or_none(totals.reported).into(),
            or_none(step.context_parts().map(|parts| parts.read)).into(),
            step.cost.as_ref().map_or_else(|| "–".to_owned(), |cost| price(cost.total(), step.costs_more())).into(),
            Cell::new(&said.join("; "), Tone::Cut),
        ]);
    }
    printer.table(&table)?;
    let after: Vec<String> = events.map(|event| in_short(run, event)).collect();
    if !after.is_empty() {
        printer.line(&[(&format!("after the last step: {}", after.join("; ")), Tone::Cut)])?;
    }
    let peak = Consequences::spent(run).peak;
    let counted_peak = run.totals.iter().map(Totals::used).max().unwrap_or(0);
    if let Some(policy) = &view.policy {
        printer.line(&[(&format!("replayed under {policy}"), Tone::Title)])?;
    }
    let number = |of: usize, one: &str, more: &str| counted(of as u64, one, more);
    let (steps, compactions) = (run.steps.len(), compactions(run));
    let mut sum = format!(
        "{}, {}, peak {}",
        number(steps, "step", "steps"),
        number(compactions, "compaction", "compactions"),
        count(peak)
    );
    if peak != counted_peak {
        sum.push_str(&format!(" as reported ({} by our count)", count(counted_peak)));
    }
    let refused = run.steps.iter().filter(|step| step.is_refused()).count();
    if refused > 0 {
        sum.push_str(&format!(", {} refused as too long", number(refused, "request", "requests")));
    }
    if let Some((words, _)) = without_room(run) {
        sum.push_str(&format!(", {words}"));
    }
    if let Some(cost) = cost(run) {
        let priced = || run.steps.iter().filter(|step| step.costs_more());
        sum.push_str(&format!(", {} in all", price(cost, priced().next().is_some())));
        let why = [
            priced().any(Step::ends_unknown).then_some("the lengths of answers are not recorded"),
            priced().any(|step| step.unpriced).then_some("a model that was asked on the way has no known price"),
            priced().any(|step| step.calls == Calls::Unknown).then_some("what summaries cost is not recorded"),
        ];
        let why: Vec<&str> = why.into_iter().flatten().collect();
        if !why.is_empty() {
            sum.push_str(&format!(" ({})", why.join("; ")));
        }
    }
    printer.line(&[(&sum, Tone::Title)])?;
    Ok(())
}

fn in_short(run: &Run, event: &Event) -> String {
    let mark = event.stage.mark();
    let held = held_before(run, event);
    let figures = match (held.or(event.tokens_before), event.tokens_after) {
        (Some(before), Some(after)) => format!(" {} → {}", short(before), short(after)),
        (Some(before), None) => format!(" {}", short(before)),
        _ => String::new(),
    };
    // What the agent measured is of another moment than the windows on the line.
    let told = event.measured.filter(|_| held.is_some());
    let told = told.map_or_else(String::new, |told| format!(", {} by the agent's measure", short(told)));
    format!("{mark} {}{figures}{told}", event.stage.name())
}
