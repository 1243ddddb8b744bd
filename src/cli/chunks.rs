//! `windowpane chunks`: what would be chosen of a document for a task, and why.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;
use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use crate::chunk::{Candidate, Chooser, Index, Selection, Strategy, Tag};
use crate::content::Watch;
use crate::policy::{Choice, Policy};
use crate::present::{Align, Cell, Table, Tone, count as shown, counted, why};

use super::args::{Common, Look};
use super::convert::policy_of;
use super::documents::Reader;
use super::print::Printer;
use super::progress::{told, watched};
use super::{fail, load, schema};

/// Arguments of `chunks`.
#[derive(Debug, Args)]
pub struct ChunksArgs {
    /// The document; - is standard input.
    #[arg(value_name = "FILE", required_unless_present = "schema")]
    file: Option<PathBuf>,
    /// What the passages are wanted for.
    #[arg(long, value_name = "TEXT")]
    task: Option<String>,
    /// A preset or a policy file, for its section chunks.
    #[arg(long, value_name = "NAME|FILE.toml")]
    policy: Option<String>,
    /// One setting of the policy, such as chunks.top=20.
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Print what goes into the window instead of the table: the passages with their tags.
    #[arg(long)]
    text: bool,
    /// Print the JSON Schema of this command's output.
    #[arg(long)]
    schema: bool,
    #[command(flatten)]
    common: Common,
}

/// What `chunks --json` prints.
#[derive(Serialize, JsonSchema)]
struct Chunks<'a> {
    /// `windowpane/chunks/1`
    schema: &'static str,
    path: String,
    /// The format that it was read as; null where nothing here reads it.
    format: Option<String>,
    task: String,
    /// `whole`, `sections` or `windows`.
    strategy: &'static str,
    /// `embed`, `lexical` or `hybrid`; null where nothing is ranked.
    ranking: Option<&'static str>,
    /// `exact` or `hnsw`.
    index: Option<&'static str>,
    /// The embedding model; null where none was needed.
    model: Option<String>,
    /// Characters of the converted document.
    chars: u64,
    /// Its headings.
    headings: u64,
    /// Characters that may be chosen.
    budget_chars: u64,
    /// Characters that the chosen fill, as the budget counts them: a blank line behind each window among them, of which the
    /// last may go beyond it.
    used_chars: u64,
    /// Whether vectors are missing that may change the choice.
    provisional: bool,
    /// The candidates, as they stand in the document.
    #[schemars(with = "Vec<CandidateRow>")]
    candidates: Candidates<'a>,
    /// The numbers of the chosen, in the order in which they stand in the window.
    selected: Vec<u32>,
    /// What goes into the window.
    text: String,
    warnings: Vec<String>,
}

/// A candidate.
#[derive(Serialize, JsonSchema)]
struct CandidateRow {
    /// Its number in the document, from 1.
    number: u32,
    /// Its tag; null for a document that goes in whole.
    tag: Option<String>,
    /// The section that it stands in.
    section: Option<String>,
    page: u64,
    /// Whether the page is an estimate.
    page_estimated: bool,
    /// What a page with a Roman number is called: xii.
    page_label: Option<String>,
    /// Blank lines before it.
    paragraph: u64,
    /// First character of the converted document, and the one past its last.
    chars: [u64; 2],
    /// The same in bytes.
    bytes: [u64; 2],
    /// The order in which it was considered, from 1.
    rank: u32,
    /// What it was ranked by; null for sections.
    score: Option<f64>,
    /// Its likeness to the task by words.
    lexical_score: f64,
    /// Its cosine to the task; null where no vectors were needed.
    cosine: Option<f32>,
    selected: bool,
    /// In one word: whole, priority, room, near, found, unlike, first or fallback where it is taken; budget, rank, after,
    /// overlap or missed where not.
    reason: &'static str,
    /// In a sentence.
    why: String,
}

/// The candidates of a choice; each row is made as it is written: of a large document there are very many.
struct Candidates<'a> {
    name: &'a str,
    chooser: &'a Chooser,
    selection: &'a Selection,
}

impl Serialize for Candidates<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let rows = self.selection.candidates.iter().enumerate();
        to.collect_seq(rows.filter_map(|(at, candidate)| self.row(at, candidate)))
    }
}

/// Chooses.
pub fn chunks(args: ChunksArgs, look: Look, outer: Common) -> anyhow::Result<ExitCode> {
    let common = args.common.over(outer);
    if args.schema {
        return schema::print::<Chunks<'_>>(&common);
    }
    let (file, watch) = (args.file.unwrap_or_default(), Watch::default());
    let named = args.policy.clone().or(look.policy.first().cloned());
    let look = Look { set: args.set, task: args.task, ..Look::default() }.over(look);
    let preferences = load::preferences(&common, &load::settings_of(&look))?;
    let key = |set: &str| set.split_once('=').map_or(set.to_owned(), |(key, _)| key.to_owned());
    let settings: Vec<&String> = look.set.iter().filter(|set| !load::is_setting(&key(set))).collect();
    let policy = policy_of(named.as_deref(), &settings)?;
    let reader = Reader::new(&preferences)?;
    let document = told("reading:", &watch, || reader.open(&file, policy.chunks.max_bytes(), &watch))?;
    let document = Arc::new(document);
    let unread = document.markdown.is_empty() && !document.notes.is_empty();
    let task = look.task.unwrap_or_else(|| policy.chunks.task.clone());
    let mut chooser = Chooser::for_task(document.clone(), &policy.chunks.settings(), &task, &watch);
    let embedded = chooser.wants_vectors();
    // What was chosen by words stands while vectors come; whoever waits no longer has what was found until then.
    let without = "; --set chunks.ranking=lexical ranks by words alone";
    watched("embedding:", without, &watch, || reader.refine(&mut chooser, &policy, &watch, &mut |_| {}))?;
    let name = file.to_string_lossy().into_owned();
    let selection = chooser.selection();
    let mut printer = Printer::new(&common);
    if common.json {
        printer.json(&report(&name, &chooser, &selection, &policy, embedded))?;
    } else if args.text {
        printer.document(&assembled(&name, &chooser, &selection))?;
    } else {
        let ranked = selection.by_rank();
        printer.rows(&head(), || ranked.iter().filter_map(|at| cells(&chooser, &selection, *at)))?;
        printer.remark(&summary(&chooser, &selection, &policy, embedded));
    }
    if !common.json {
        for note in &document.notes {
            printer.remark(&note.to_string());
        }
    }
    let done = printer.done()?;
    let stopped = watch.is_cancelled() && chooser.wants_vectors();
    Ok(match (stopped, unread) {
        (true, _) => fail::stopped(),
        (false, true) => fail::unread(),
        (false, false) => done,
    })
}

/// The chosen passages with their tags, as they stand in the window.
fn assembled(name: &str, chooser: &Chooser, selection: &Selection) -> String {
    let (document, division) = (chooser.document(), chooser.division());
    let part = |at: &usize| {
        let text = selection.text(document, division, *at);
        match tag(name, chooser, selection, *at) {
            Some(tag) => format!("{tag}\n{text}"),
            None => text.to_owned(),
        }
    };
    selection.chosen.iter().map(part).collect::<Vec<_>>().join("\n\n")
}

/// A candidate's tag; a document that goes in whole has none (source 1 passes it on as it is).
fn tag(name: &str, chooser: &Chooser, selection: &Selection, at: usize) -> Option<String> {
    let division = chooser.division();
    let piece = selection.piece(division, at).filter(|_| division.strategy != Strategy::Whole)?;
    Some(Tag::of(division, piece, name).to_string())
}

impl Candidates<'_> {
    fn row(&self, at: usize, candidate: &Candidate) -> Option<CandidateRow> {
        let Candidates { name, chooser, selection } = *self;
        let (division, settings) = (chooser.division(), chooser.settings());
        let number = |at: usize| selection.piece(division, at).map_or(0, |piece| piece.number);
        let piece = selection.piece(division, at)?;
        Some(CandidateRow {
            number: piece.number,
            tag: tag(name, chooser, selection, at),
            section: division.section(piece).map(str::to_owned),
            page: piece.spot.page.number,
            page_estimated: piece.spot.page.is_estimated(),
            page_label: piece.spot.page.roman(),
            paragraph: piece.spot.paragraph,
            chars: [piece.spot.offset, piece.spot.offset + piece.chars],
            bytes: [piece.start as u64, piece.end as u64],
            rank: candidate.rank,
            score: candidate.score,
            lexical_score: chooser.scores().lexical.get(at).copied().unwrap_or(0.0),
            cosine: chooser.scores().cosines.get(at).copied().flatten(),
            selected: candidate.verdict.is_taken(),
            reason: candidate.verdict.name(),
            why: why(candidate.verdict, settings, selection.provisional, number),
        })
    }
}

fn report<'a>(
    name: &'a str,
    chooser: &'a Chooser,
    selection: &'a Selection,
    policy: &Policy,
    embedded: bool,
) -> Chunks<'a> {
    let (document, division, settings) = (chooser.document(), chooser.division(), chooser.settings());
    let windows = division.strategy == Strategy::Windows;
    let number = |at: usize| selection.piece(division, at).map_or(0, |piece| piece.number);
    Chunks {
        schema: "windowpane/chunks/1",
        path: name.to_owned(),
        format: Some(document.format.clone()).filter(|format| !format.is_empty()),
        task: chooser.task().to_owned(),
        strategy: division.strategy.name(),
        ranking: (windows && !chooser.is_unasked()).then(|| settings.ranking.name()),
        index: embedded.then(|| settings.index.name()),
        model: embedded.then(|| policy.chunks.model.clone()),
        chars: division.chars,
        headings: division.outline.sections.len() as u64,
        budget_chars: settings.budget,
        used_chars: selection.used,
        provisional: selection.provisional,
        candidates: Candidates { name, chooser, selection },
        selected: selection.chosen.iter().map(|at| number(*at)).collect(),
        text: assembled(name, chooser, selection),
        warnings: document.notes.iter().map(ToString::to_string).collect(),
    }
}

fn head() -> Table {
    Table::new(&[
        ("rank", Align::Right),
        ("", Align::Left),
        ("score", Align::Right),
        ("page", Align::Right),
        ("@", Align::Right),
        ("characters", Align::Right),
        ("passage", Align::Left),
        ("why", Align::Left),
    ])
}

/// A candidate's row.
fn cells(chooser: &Chooser, selection: &Selection, at: usize) -> Option<[Cell; 8]> {
    let (division, settings) = (chooser.division(), chooser.settings());
    let number = |at: usize| selection.piece(division, at).map_or(0, |piece| piece.number);
    let (candidate, piece) = (selection.candidates.get(at)?, selection.piece(division, at)?);
    let taken = candidate.verdict.is_taken();
    let tone = if taken { Tone::Kept } else { Tone::Faint };
    Some([
        Cell::new(&candidate.rank.to_string(), tone),
        Cell::new(if taken { "✓" } else { " " }, tone),
        Cell::new(&candidate.score.map_or_else(|| "–".to_owned(), |score| format!("{score:.4}")), tone),
        Cell::new(&piece.spot.page.to_string(), tone),
        Cell::new(&shown(piece.spot.offset), tone),
        Cell::new(&shown(piece.chars), tone),
        Cell::new(&Tag::of(division, piece, "").title, tone),
        Cell::new(&why(candidate.verdict, settings, selection.provisional, number), tone),
    ])
}

fn summary(chooser: &Chooser, selection: &Selection, policy: &Policy, embedded: bool) -> String {
    let (division, settings) = (chooser.division(), chooser.settings());
    if division.pieces.is_empty() {
        return "nothing can be chosen: the document has no text".to_owned();
    }
    let by = match division.strategy {
        // What is so short is taken whatever the budget is.
        Strategy::Whole => {
            let (size, most) = (shown(selection.used), shown(settings.threshold));
            return format!("whole: {size} characters, and what has fewer than {most} is not divided");
        }
        Strategy::Sections => "by sections".to_owned(),
        Strategy::Windows if chooser.is_unasked() => "as they stand: no task is given".to_owned(),
        Strategy::Windows if !embedded => "by words".to_owned(),
        Strategy::Windows => format!("{} with {}", settings.ranking.name(), policy.chunks.model),
    };
    let missed = match (settings.index, selection.missed.len()) {
        (Index::Hnsw, missed) if missed > 0 => format!("; the approximate index missed {missed}"),
        _ => String::new(),
    };
    let stopped = match chooser.progress() {
        (there, wanted) if there < wanted => {
            format!(
                "; stopped with {} of {} vectors: the rest by words alone",
                shown(there as u64),
                shown(wanted as u64)
            )
        }
        _ => String::new(),
    };
    format!(
        "{} of {}, {} of {} characters, {by}{missed}{stopped}",
        selection.chosen.len(),
        counted(selection.candidates.len() as u64, "passage", "passages"),
        shown(selection.used),
        shown(settings.budget),
    )
}
