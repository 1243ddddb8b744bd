//! `windowpane memory`: what a harness with a memory would have remembered, packed, preserved and merged.

use std::io::{BufRead, Read};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context;
use clap::{Args, Subcommand};
use schemars::JsonSchema;
use serde::Serialize;

use crate::content::Watch;
use crate::engine::{Given, Recall, Remembered, embed_words, simulate_remembering};
use crate::io::{KeptMemory, MemoryFile, write_whole};
use crate::memory::{self, Change, Memory, MemoryId, Packed, Skip, State, Why};
use crate::model::{ThreadId, Transcript};
use crate::policy::Choice;
use crate::present::{Align, Cell, Table, Tone, count};

use super::args::{Common, Look, Subject};
use super::fail::usage;
use super::header::Place;
use super::load::{Session, step, stream};
use super::measured::{SummaryRow, SummarySizes, measured, people_summaries};
use super::print::{Printer, json_line};
use super::{remember, schema};

/// Arguments of `memory`.
#[derive(Clone, Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub struct MemoryArgs {
    #[command(subcommand)]
    action: Option<MemoryAction>,
    #[command(flatten)]
    subject: Subject,
    /// Pack for this question, instead of the newest message of the user.
    #[arg(long, value_name = "TEXT")]
    query: Option<String>,
    /// Begin with the memories that are kept on disk, and keep those of this session there.
    #[arg(long)]
    keep: bool,
    /// Reconcile once more at the end.
    #[arg(long)]
    reconcile: bool,
}

/// What can be done with memories that are kept on disk.
#[derive(Clone, Debug, Subcommand)]
pub enum MemoryAction {
    /// Write the memories that are kept on disk, one JSON object a line.
    Export {
        /// Where to write; - is standard output.
        #[arg(value_name = "OUT", default_value = "-")]
        out: PathBuf,
        /// Write over a file that is there.
        #[arg(long)]
        force: bool,
    },
    /// Keep the memories of a file of JSON lines, all of them or none.
    Import {
        /// The file; - is standard input.
        #[arg(value_name = "FILE")]
        file: PathBuf,
    },
}

impl MemoryArgs {
    /// These arguments, with options that stood before the command.
    pub fn over(mut self, look: Look, common: Common) -> Self {
        self.subject = self.subject.over(look, common);
        self
    }
}

/// What `memory --json` prints.
#[derive(Serialize, JsonSchema)]
struct Told {
    /// `windowpane/memory/1`
    schema: &'static str,
    path: String,
    /// The policy that the session was replayed under.
    policy: String,
    /// The step that is looked at; all is as it was then.
    step: u32,
    /// What vectors are made with: `words` where there is no embedding model.
    embedding: String,
    /// The memories there are, those that were merged included.
    memories: Vec<MemoryRow>,
    /// Relations between them.
    edges: Vec<EdgeRow>,
    /// Texts that became no memory.
    skipped: Vec<SkipRow>,
    /// What is packed at this step.
    pack: Option<PackRow>,
    /// What was taken out before each compaction.
    preserved: Vec<PreservedRow>,
    /// What each reconciliation did.
    reconciled: Vec<ReconciledRow>,
    /// What each summary keeps of what it stands for.
    summaries: Vec<SummaryRow>,
    /// How large they are.
    summary_tokens: SummarySizes,
}

/// One memory.
#[derive(Serialize, JsonSchema)]
struct MemoryRow {
    id: u32,
    scope: &'static str,
    owner: String,
    source_type: String,
    /// `ingested`, `preserved`, `written` or `merged`.
    how: &'static str,
    /// The step at which it came in; 0 for what was there before.
    born: u32,
    /// Steps since.
    age: u32,
    /// How often it was packed, and at which step last.
    uses: u32,
    used_at: u32,
    promoted: bool,
    /// The memory that stands for it since it was merged.
    merged_into: Option<u32>,
    text: String,
    /// What enriches it.
    around: Option<String>,
    /// Where its text stands.
    provenance: Vec<Place>,
}

/// A relation.
#[derive(Serialize, JsonSchema)]
struct EdgeRow {
    from: u32,
    to: u32,
    /// `contradicts`, `bridges` or `supersedes`.
    kind: &'static str,
    score: f32,
}

/// A text that became no memory.
#[derive(Serialize, JsonSchema)]
struct SkipRow {
    /// Its first sentence.
    text: String,
    /// `same_text` or `similar`.
    why: &'static str,
    /// The memory that it is like.
    like: u32,
    score: Option<f32>,
}

/// A pack.
#[derive(Serialize, JsonSchema)]
struct PackRow {
    /// The step at which it was made.
    step: u32,
    query: String,
    budget_tokens: u64,
    estimated_tokens: u64,
    count: usize,
    text: String,
    candidates: Vec<CandidateRow>,
    /// Memories that are not told of and may be as similar as the last that are.
    others: usize,
}

/// A memory that was looked at.
#[derive(Serialize, JsonSchema)]
struct CandidateRow {
    id: u32,
    score: f32,
    taken: bool,
    /// `taken`, `present`, `same_start`, `too_many`, `over_budget` or `below_score`.
    why: &'static str,
    /// The memory that it begins as, or was found through.
    other: Option<u32>,
}

/// What was taken out before a compaction.
#[derive(Serialize, JsonSchema)]
struct PreservedRow {
    step: u32,
    memories: Vec<u32>,
    /// Facts that were known already.
    known: u32,
}

/// What a reconciliation did.
#[derive(Serialize, JsonSchema)]
struct ReconciledRow {
    step: u32,
    looked_at: u32,
    changes: Vec<ChangeRow>,
    edges_removed: u32,
}

/// One decision of a reconciliation.
#[derive(Serialize, JsonSchema)]
struct ChangeRow {
    /// `promoted`, `merged` or `consolidated`.
    change: &'static str,
    id: u32,
    /// The memories that were merged into it.
    of: Vec<u32>,
    uses: Option<u32>,
    score: Option<f32>,
    /// Sentences that only some of them had.
    kept: Option<u32>,
}

/// Shows what would have been remembered.
pub fn memory(args: MemoryArgs) -> anyhow::Result<ExitCode> {
    let Subject { transcript, look, common, schema } = &args.subject;
    match &args.action {
        Some(MemoryAction::Export { out, force }) => return export(out, *force, common),
        Some(MemoryAction::Import { file }) => return import(file, common),
        None => {}
    }
    if *schema {
        return schema::print::<Told>(common);
    }
    let path = transcript.as_deref().unwrap_or(Path::new("-"));
    let session = Session::open(path, look, common)?;
    // Where no policy is named, the one that is about memory is meant.
    let named = Look { policy: vec!["memory-harness".to_owned()], ..look.clone() };
    let chosen = session.chosen(if look.policy.is_empty() { &named } else { look })?;
    let (id, watch) = (ThreadId(look.thread.unwrap_or(0)), Watch::default());
    let replay = session.replay(id, &chosen.policy, &watch)?;
    let step = step(look.step, replay.plan.steps() as usize)?;
    let seed = if args.keep { Some(remember::seed(&remember::owners(&session.transcript))?) } else { None };
    let recall = match (&replay.given.recall, seed) {
        (Some(recall), None) => Arc::clone(recall),
        (_, seed) => session
            .recall(&replay.plan, &chosen.policy, seed, &watch)?
            .ok_or_else(|| usage("this policy has no memory; --set memory.on=true turns it on"))?,
    };
    let given = Given { recall: Some(Arc::clone(&recall)), ..(*replay.given).clone() };
    let (run, mut remembered) = simulate_remembering(&replay.plan, &chosen.policy, &given, step);
    if args.reconcile {
        let report = memory::reconcile(&mut remembered.store, &chosen.policy.memory, &embed_words);
        remembered.reconciled.push((step, report));
    }
    if let Some(query) = &args.query {
        let vector = memory::by_words(query);
        let ask = memory::Pack {
            query: &vector,
            owners: &recall.owners,
            settings: &chosen.policy.memory,
            window: replay.plan.asks.get(step as usize - 1).map_or(0, |ask| ask.window_tokens),
            present: &|_, _| false,
        };
        let packed = memory::pack(&remembered.store, &ask);
        remembered.packs.push((step, Arc::from(query.as_str()), packed));
    }
    let mut printer = Printer::new(common);
    if args.keep {
        let new = MemoryFile::open(&remember::place()?)?.keep(&remember::kept(&session.transcript, &remembered))?;
        printer.remark(&format!("{} new memories are kept on disk", count(new as u64)));
    }
    if recall.cut_off {
        printer.remark("warning: the session has more text than is remembered; its end was left out");
    }
    let mut told = told(&session.transcript, path, &chosen.name, step, &recall, &remembered);
    (told.summaries, told.summary_tokens) = measured(&session, &run)?;
    if common.json {
        printer.json(&told)?;
    } else {
        people(&told, &mut printer)?;
    }
    printer.done()
}

fn told(
    transcript: &Transcript,
    path: &Path,
    policy: &str,
    step: u32,
    recall: &Recall,
    remembered: &Remembered,
) -> Told {
    let store = &remembered.store;
    let ids = |ids: &[MemoryId]| ids.iter().map(|id| id.0).collect();
    let row = |(id, memory, state): (MemoryId, &Memory, State)| MemoryRow {
        id: id.0,
        scope: memory.scope.name(),
        owner: memory.owner.to_string(),
        source_type: memory.source_type.to_string(),
        how: memory.how.name(),
        born: memory.born,
        age: step.saturating_sub(memory.born),
        uses: state.uses,
        used_at: state.used_at,
        promoted: state.promoted,
        merged_into: state.into.map(|id| id.0),
        text: memory.text.to_string(),
        around: memory.around.as_deref().map(str::to_owned),
        provenance: places(transcript, memory),
    };
    let number = |id: MemoryId| remembered.number(recall.seed.len(), id).unwrap_or(id).0;
    let skip = |(text, why): &(String, Skip)| match why {
        Skip::SameText(like) => SkipRow { text: text.clone(), why: "same_text", like: number(*like), score: None },
        Skip::Similar(like, score) => {
            SkipRow { text: text.clone(), why: "similar", like: number(*like), score: Some(*score) }
        }
    };
    Told {
        schema: "windowpane/memory/1",
        path: path.to_string_lossy().into_owned(),
        policy: policy.to_owned(),
        step,
        embedding: store.space().name.to_string(),
        memories: store.all().map(row).collect(),
        edges: store
            .edges()
            .iter()
            .map(|edge| EdgeRow { from: edge.from.0, to: edge.to.0, kind: edge.kind.name(), score: edge.score })
            .collect(),
        skipped: recall.report.skipped.iter().map(skip).collect(),
        pack: remembered.packs.last().map(|(step, query, packed)| pack_row(*step, query, packed, remembered)),
        preserved: remembered
            .preserved
            .iter()
            .map(|(step, made, known)| PreservedRow { step: *step, memories: ids(made), known: *known })
            .collect(),
        reconciled: remembered
            .reconciled
            .iter()
            .map(|(step, report)| ReconciledRow {
                step: *step,
                looked_at: report.looked_at,
                changes: report.changes.iter().map(change_row).collect(),
                edges_removed: report.edges_removed,
            })
            .collect(),
        summaries: Vec::new(),
        summary_tokens: SummarySizes::default(),
    }
}

fn pack_row(step: u32, query: &str, packed: &Packed, remembered: &Remembered) -> PackRow {
    let candidate = |one: &memory::Candidate| CandidateRow {
        id: one.id.0,
        score: one.score,
        taken: matches!(one.why, Why::Taken(_)),
        why: one.why.name(),
        other: match one.why {
            Why::SameStart(other) => Some(other.0),
            _ => one.through.map(|other| other.0),
        },
    };
    PackRow {
        step,
        query: query.to_owned(),
        budget_tokens: packed.budget,
        estimated_tokens: packed.tokens,
        count: packed.lines.len(),
        text: packed.text(&remembered.store),
        candidates: packed.candidates.iter().map(candidate).collect(),
        others: packed.others,
    }
}

fn change_row(change: &Change) -> ChangeRow {
    let merged = |change, merged: &memory::Merged| ChangeRow {
        change,
        id: merged.into.0,
        of: merged.of.iter().map(|id| id.0).collect(),
        uses: None,
        score: Some(merged.score),
        kept: Some(merged.kept),
    };
    match change {
        Change::Promoted { id, uses } => {
            ChangeRow { change: "promoted", id: id.0, of: Vec::new(), uses: Some(*uses), score: None, kept: None }
        }
        Change::Merged(one) => merged("merged", one),
        Change::Consolidated(one) => merged("consolidated", one),
    }
}

/// Where a memory's text stands.
fn places(transcript: &Transcript, memory: &Memory) -> Vec<Place> {
    let mut found = Vec::new();
    for origin in &memory.origins {
        let Some(block) = transcript.block(origin.block) else { continue };
        let body = block.original.as_deref().filter(|_| origin.whole).unwrap_or(&block.body);
        for span in body.spans() {
            let source = transcript.sources.get(span.source.0 as usize);
            found.push(Place {
                source: source.map_or_else(String::new, |source| source.name.clone()),
                line: (span.source == block.record.source).then_some(block.record.line),
                bytes: [span.start, span.end],
                part: Some([origin.start, origin.end]),
            });
        }
    }
    found
}

/// A text as one line.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn people(told: &Told, printer: &mut Printer) -> anyhow::Result<()> {
    let head = format!("step {} under {}: {} memories", told.step, told.policy, count(told.memories.len() as u64));
    printer.line(&[(&head, Tone::Title)])?;
    if told.embedding == "words" {
        printer.line(&[("Likeness is told by words: no embedding model was asked.", Tone::Faint)])?;
    }
    let mut table = Table::new(&[
        ("id", Align::Right),
        ("scope", Align::Left),
        ("came", Align::Left),
        ("age", Align::Right),
        ("uses", Align::Right),
        ("from", Align::Left),
        ("text", Align::Left),
    ]);
    for row in &told.memories {
        let tone = if row.merged_into.is_some() { Tone::Cut } else { Tone::Plain };
        let how = match row.merged_into {
            Some(into) => format!("{}, now {into}", row.how),
            None if row.promoted => format!("{}, promoted", row.how),
            None => row.how.to_owned(),
        };
        let from =
            row.provenance.first().and_then(|place| place.line).map_or_else(String::new, |line| format!("line {line}"));
        table.row([
            row.id.to_string().into(),
            row.scope.into(),
            how.into(),
            row.age.to_string().into(),
            row.uses.to_string().into(),
            from.into(),
            Cell::new(&one_line(&row.text), tone),
        ]);
    }
    printer.table(&table)?;
    let contradicting: Vec<String> = told
        .edges
        .iter()
        .filter(|edge| edge.kind != "supersedes")
        .map(|edge| format!("{} {} {} ({:.2})", edge.from, edge.kind, edge.to, edge.score))
        .collect();
    if !contradicting.is_empty() {
        printer.line(&[("relations: ", Tone::Title), (&contradicting.join("; "), Tone::Plain)])?;
    }
    if let Some(pack) = &told.pack {
        people_pack(told, pack, printer)?;
    }
    for row in &told.preserved {
        let words = format!(
            "step {}: {} facts were preserved before the compaction, {} were known already",
            row.step,
            row.memories.len(),
            row.known
        );
        printer.line(&[(&words, Tone::Kept)])?;
    }
    for row in &told.reconciled {
        for change in &row.changes {
            let words = match change.uses {
                Some(uses) => format!("step {}: {} was promoted after {uses} uses", row.step, change.id),
                None => format!(
                    "step {}: {:?} became {}, with {} sentences that only some had",
                    row.step,
                    change.of,
                    change.id,
                    change.kept.unwrap_or(0)
                ),
            };
            printer.line(&[(&words, Tone::Accent)])?;
        }
    }
    people_summaries(&told.summaries, &told.summary_tokens, printer)?;
    Ok(())
}

fn people_pack(told: &Told, pack: &PackRow, printer: &mut Printer) -> anyhow::Result<()> {
    let head = format!(
        "packed at step {}: {} memories, about {} of {} tokens, for \u{201C}{}\u{201D}",
        pack.step,
        pack.count,
        count(pack.estimated_tokens),
        count(pack.budget_tokens),
        one_line(&pack.query).chars().take(80).collect::<String>()
    );
    printer.line(&[(&head, Tone::Title)])?;
    let mut table =
        Table::new(&[("score", Align::Right), ("id", Align::Right), ("why", Align::Left), ("text", Align::Left)]);
    const SHOWN: usize = 20;
    for row in pack.candidates.iter().take(SHOWN) {
        let why = match (row.why, row.other) {
            ("taken", None) => "taken".to_owned(),
            ("taken", Some(other)) => format!("taken, by its bridge to {other}"),
            ("present", _) => "it stands in the window".to_owned(),
            ("same_start", Some(other)) => format!("it begins as {other} does"),
            ("too_many", _) => "enough were better".to_owned(),
            ("over_budget", _) => "no room was left".to_owned(),
            _ => "not similar enough".to_owned(),
        };
        let text = told.memories.iter().find(|memory| memory.id == row.id).map_or("", |memory| &memory.text);
        let tone = if row.taken { Tone::Kept } else { Tone::Faint };
        table.row([
            format!("{:.2}", row.score).into(),
            row.id.to_string().into(),
            Cell::new(&why, tone),
            one_line(text).into(),
        ]);
    }
    printer.table(&table)?;
    let more = pack.others + pack.candidates.len().saturating_sub(SHOWN);
    if more > 0 {
        printer.line(&[(&format!("and about {} others", count(more as u64)), Tone::Faint)])?;
    }
    Ok(())
}

fn export(out: &Path, force: bool, common: &Common) -> anyhow::Result<ExitCode> {
    let mut printer = Printer::new(common);
    let mut text = String::new();
    for memory in MemoryFile::open(&remember::place()?)?.all()? {
        text.push_str(&json_line(&memory)?);
    }
    if out == Path::new("-") {
        printer.bytes(text.as_bytes())?;
    } else {
        write_whole(out, text.as_bytes(), force).with_context(|| format!("cannot write {}", out.display()))?;
    }
    printer.done()
}

fn import(file: &Path, common: &Common) -> anyhow::Result<ExitCode> {
    /// Bytes of a line.
    const LONGEST: u64 = 16 << 20;
    let name = file.display();
    let mut reader = std::io::BufReader::new(stream(file).with_context(|| format!("cannot read {name}"))?);
    let (mut memories, mut line, mut number) = (Vec::new(), Vec::new(), 0u64);
    loop {
        line.clear();
        number += 1;
        let read = reader.by_ref().take(LONGEST).read_until(b'\n', &mut line)?;
        if read == 0 {
            break;
        }
        if line.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        let memory: KeptMemory = serde_json::from_slice(&line)
            .map_err(|why| anyhow::anyhow!("{name}:{number}: it is no memory: {why}; nothing was imported"))?;
        let scopes = <crate::policy::Scope as Choice>::NAMES;
        anyhow::ensure!(
            scopes.contains(&memory.scope.as_str()),
            "{name}:{number}: there is no scope {:?}; there are {}; nothing was imported",
            memory.scope,
            scopes.join(", ")
        );
        memories.push(memory);
    }
    let new = MemoryFile::open(&remember::place()?)?.keep(&memories)?;
    let mut printer = Printer::new(common);
    printer.remark(&format!("{} memories, {} of them new", count(memories.len() as u64), count(new as u64)));
    printer.done()
}
