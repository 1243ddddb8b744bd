//! `windowpane trace`: what became of a fact.

use std::collections::BTreeSet;
use std::process::ExitCode;

use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;

use crate::content::Watch;
use crate::inquiry::{Back, Fact, Found, Held, Need, Occurrence, Remembering, Sight, Stay, Trace, remember, trace};
use crate::model::{Fate, Layer, Run, Stage, Track, Transcript};
use crate::policy::Choice;
use crate::present::ribbon::{legend, sign};
use crate::present::verdict::{change, stands, verdict, whence};
use crate::present::{Align, Cell, Table, Tone, clip, count};
use crate::tui::PASSAGES;

use super::args::{Look, StepArg, Subject};
use super::facts::parsed;
use super::header::{self, Header};
use super::load::{Session, Wanted};
use super::print::Printer;
use super::schema;

/// Occurrences that a table shows.
const SHOWN: usize = 20;
/// Occurrences that JSON lists.
const LISTED: usize = 2_000;
/// Windows that are counted beside the last.
const COUNTED: usize = 4;
/// Columns of a place.
const PLACE: usize = 56;
/// Columns of a ribbon.
const RIBBON: usize = 40;

/// Arguments of `trace`.
#[derive(Clone, Debug, Args)]
pub struct TraceArgs {
    #[command(flatten)]
    pub subject: Subject,
    /// What to follow: literal text, re:PATTERN, or ~a sentence by meaning.
    #[arg(value_name = "FACT", required_unless_present = "schema")]
    facts: Vec<String>,
    /// Passages that a fact by meaning is compared with, the nearest by words first.
    #[arg(long, value_name = "N", default_value_t = PASSAGES)]
    passages: usize,
    /// Exit with 1 where a fact is not in the window at the step (the last, where none is named).
    #[arg(long)]
    check: bool,
}

/// `trace --json`.
#[derive(Serialize, JsonSchema)]
struct Output {
    /// `windowpane/trace/1`
    schema: &'static str,
    track: Track,
    /// The step that `in_window` is about.
    step: u32,
    facts: Vec<FactRow>,
}

/// One fact.
#[derive(Serialize, JsonSchema)]
struct FactRow {
    fact: String,
    /// Whether the model could read it at the step: word for word, or for a sentence a passage that means it.
    in_window: bool,
    /// What became of it, in plain words.
    verdict: String,
    /// The step at which it was needed: `given`, `asked` (a later question of the user), or `end`.
    needed: Needed,
    /// The step from which on it was in no window before it was needed.
    lost_at: Option<u32>,
    /// The step from which on it was in no window any more, where that is after it was needed.
    lost_later: Option<u32>,
    /// Whether a later answer repeats it.
    used: bool,
    position: Option<PositionRow>,
    /// What ranked a fact by meaning, and from which score on.
    ranked_by: Option<String>,
    threshold: Option<f32>,
    /// Passages that were compared by vectors, and how many there are.
    compared: Option<[u64; 2]>,
    /// The first longer word or number that holds it, where it nowhere stands by itself: its places are inside of words.
    inside: Option<String>,
    /// Memories that say it, where it is in no window at that step, and why none was packed; those that came nearest
    /// first.
    memories: Vec<MemoryRow>,
    /// Places beyond those that are listed.
    more: u64,
    occurrences: Vec<OccurrenceRow>,
}

/// A memory that says it.
#[derive(Serialize, JsonSchema)]
struct MemoryRow {
    id: u32,
    scope: &'static str,
    /// `ingested`, `preserved`, `written`, `merged`, `unsupported`.
    how: &'static str,
    /// Whether it was kept from before the session.
    kept: bool,
    /// The first step at which it could be packed.
    from: u32,
    /// The step of the pack that was there at the step in question; null where nothing had been asked for.
    pack: Option<u32>,
    /// How relevant it was then.
    score: Option<f32>,
    /// What of it says the like of a fact by meaning, and how near that is.
    sentence: Option<String>,
    likeness: Option<f32>,
    /// `below_score`, `too_many`, `over_budget`, `same_start`, `present`, `gone`, or `taken` (what was packed of it is
    /// another part).
    why: Option<&'static str>,
}

/// When it was needed.
#[derive(Serialize, JsonSchema)]
struct Needed {
    step: u32,
    by: &'static str,
}

/// Where it stands in the window.
#[derive(Serialize, JsonSchema)]
struct PositionRow {
    /// Tokens before it.
    from_start: u64,
    /// Tokens after it.
    from_end: u64,
    /// Its distance from the start as a share of what is used.
    share: f64,
}

/// One place that it stands at.
#[derive(Serialize, JsonSchema)]
struct OccurrenceRow {
    source: String,
    /// Line of the record; in an attached file, of its text.
    line: Option<u32>,
    /// Bytes in the source, escapes included.
    bytes: Option<[u64; 2]>,
    /// `markdown` where `line` and `bytes` are those of the Markdown that an attached file was converted to, and none of
    /// the file's.
    #[serde(skip_serializing_if = "Option::is_none")]
    of: Option<&'static str>,
    layer: Layer,
    label: String,
    /// Line of the text that it stands in, and how many the text has.
    text_line: Option<[u32; 2]>,
    /// The line around it.
    context: Option<String>,
    /// Whether the model wrote it.
    by_model: bool,
    /// How near it is, for facts by meaning.
    score: Option<f32>,
    /// The thread that it came in by, where it is not the one that is traced.
    thread: Option<u32>,
    /// The first step whose window held the piece; null where none did.
    first_step: Option<u32>,
    fates: Vec<FateRow>,
}

/// What held of it for some steps.
#[derive(Serialize, JsonSchema)]
struct FateRow {
    /// The first step.
    from: u32,
    /// The last step; null to the end.
    to: Option<u32>,
    fate: Fate,
    /// How it is seen: verbatim, line, summary, memory, refused (in a request that was too long: the model never got it), part, paraphrase, hidden, pointer, unpacked (a memory says it, and is not packed), marker, gone.
    seen: &'static str,
    entry: Option<u32>,
    stage: Option<Stage>,
    rule: Option<String>,
    /// What was measured against which threshold; of a refused request its tokens, and the window's size.
    threshold: Option<u64>,
    measured: Option<u64>,
    /// A virtual file, a path, `memory N` (once that is packed), or `referring` (its turn comes back once a later one refers to it).
    retrievable: Option<String>,
    /// `literal`, `paraphrase` or `no`; null where nobody can tell.
    survives: Option<&'static str>,
    /// How near the sentence is that says the like.
    score: Option<f32>,
    /// The sentence of a summary, or of a memory that is not packed, that says it, word for word or alike.
    sentence: Option<String>,
}

/// Traces facts.
pub fn run(args: TraceArgs) -> anyhow::Result<ExitCode> {
    let Subject { look, common, schema, .. } = &args.subject;
    if *schema {
        return schema::print::<Output>(common);
    }
    let facts: Vec<Fact> = args.facts.iter().map(|text| parsed(text)).collect::<anyhow::Result<_>>()?;
    let session = args.subject.open()?;
    let mut view = session.view(look, Wanted::Step)?;
    let step = look.step.map(|_| view.step);
    let mut places: Vec<Found> =
        facts.iter().map(|fact| session.find_among(fact, args.passages, &Watch::default(), &mut |_| {})).collect();
    let remembering = || {
        let (replay, policy) = view.replayed.as_ref()?;
        Remembering::of(replay, policy, &Watch::default())
    };
    // What only means a fact may have been packed: that is known before it is traced.
    let mut memories = facts.iter().any(Fact::by_meaning).then(remembering).flatten();
    if let Some(memories) = &memories {
        for (fact, found) in facts.iter().zip(&mut places) {
            session.liken(memories, fact, args.passages, found, &Watch::default());
        }
    }
    for found in &mut places {
        if !found.crowds.is_empty() {
            *found = found.in_run(&session.transcript, &session.sources, &view.run).into_owned();
        }
    }
    let all = |run: &Run| -> Vec<Trace> {
        let both = facts.iter().zip(&places);
        both.map(|(fact, found)| trace(fact, found, &session.transcript, &session.sources, run, step)).collect()
    };
    let mut traces = all(&view.run);
    if view.run.track == Track::Recorded {
        // Where a fact stood is told in tokens: the windows in question are counted too.
        let needed: BTreeSet<u32> =
            traces.iter().map(|trace| trace.need.step()).filter(|at| *at != view.step).collect();
        for at in needed.into_iter().filter(|at| *at > 0).take(COUNTED) {
            let look = Look { step: Some(StepArg::Number(at)), ..look.clone() };
            view.run = session.view(&look, Wanted::Step)?.run;
            traces = all(&view.run);
        }
    }
    if memories.is_none() && traces.iter().any(|trace| !trace.in_window) {
        memories = remembering();
    }
    if let Some(memories) = &memories {
        for ((fact, found), trace) in facts.iter().zip(&places).zip(&mut traces) {
            remember(trace, fact, found, &session.transcript, memories);
        }
    }
    let run = &view.run;
    let traced: Vec<(Found, Trace)> = places.into_iter().zip(traces).collect();
    let mut printer = Printer::new(common);
    let present = |trace: &Trace| trace.best_at(view.step).is_some_and(|(_, stay)| stay.sight.is_visible());
    if common.json {
        let rows = facts.iter().zip(&traced).map(|(fact, (found, trace))| FactRow {
            in_window: present(trace),
            ..fact_row(fact, found, trace, &session.transcript, run)
        });
        printer.json(&Output {
            schema: "windowpane/trace/1",
            track: run.track,
            step: view.step,
            facts: rows.collect(),
        })?;
    } else {
        for (at, (fact, (found, trace))) in facts.iter().zip(&traced).enumerate() {
            if at > 0 {
                printer.line(&[])?;
            }
            people(fact, found, trace, &session, run, &mut printer)?;
        }
        header::warn(&Header::of(&session, run), &mut printer);
    }
    let lost = traced.iter().any(|(_, trace)| !present(trace));
    let code = printer.done()?;
    Ok(if args.check && lost { ExitCode::from(1) } else { code })
}

fn fact_row(fact: &Fact, found: &Found, trace: &Trace, transcript: &Transcript, run: &Run) -> FactRow {
    let listed = trace.occurrences.iter().take(LISTED);
    FactRow {
        fact: trace.fact.clone(),
        in_window: trace.in_window,
        verdict: verdict(trace, fact, found, transcript, run).join(" "),
        needed: Needed {
            step: trace.need.step(),
            by: match trace.need {
                Need::Given(_) => "given",
                Need::Asked(..) => "asked",
                Need::End(_) => "end",
            },
        },
        lost_at: trace.loss.map(|loss| loss.step),
        lost_later: trace.later.map(|loss| loss.step),
        used: trace.used,
        position: trace.position.map(|place| PositionRow {
            from_start: place.from_start,
            from_end: place.from_end,
            share: place.share,
        }),
        ranked_by: found.ranked.map(|(by, _)| by.to_owned()),
        threshold: found.ranked.map(|(_, threshold)| threshold),
        compared: found.compared.map(|(done, all)| [done, all]),
        inside: found.inside.as_ref().map(|(word, _)| word.clone()),
        memories: trace.held.iter().map(memory_row).collect(),
        more: found.more + trace.occurrences.len().saturating_sub(LISTED) as u64,
        occurrences: listed.map(|one| occurrence_row(one, found, transcript, run)).collect(),
    }
}

fn memory_row(held: &Held) -> MemoryRow {
    let candidate = held.pack.as_ref().map(|pack| pack.candidate);
    MemoryRow {
        id: held.id.0,
        scope: held.scope.name(),
        how: held.how.name(),
        kept: held.kept,
        from: held.from,
        pack: held.pack.as_ref().map(|pack| pack.step),
        score: candidate.map(|one| one.score),
        sentence: held.like.as_ref().map(|like| like.sentence.clone()),
        likeness: held.like.as_ref().map(|like| like.score),
        why: candidate.map(|one| one.why.name()),
    }
}

fn occurrence_row(one: &Occurrence, found: &Found, transcript: &Transcript, run: &Run) -> OccurrenceRow {
    let place = one.place.and_then(|at| found.places.get(at));
    let spot = place.and_then(|place| place.spot());
    let source = spot.and_then(|spot| transcript.sources.get(spot.stored.0.0 as usize));
    OccurrenceRow {
        source: source.map_or_else(String::new, |source| source.name.clone()),
        line: one.block.zip(spot).and_then(|(block, spot)| spot.line_of_source(block, transcript)),
        bytes: spot.map(|spot| [spot.stored.1, spot.stored.2]),
        of: source.and_then(|source| source.kind.bytes_of()),
        layer: one.layer,
        label: one.label.clone(),
        text_line: spot.map(|spot| [spot.line, spot.lines]),
        context: spot.map(|spot| spot.context.clone()),
        by_model: one.by_model,
        score: place.and_then(|place| place.score).or_else(|| in_memory(one)),
        thread: one.elsewhere.map(|id| id.0),
        first_step: one.first,
        fates: one.stays.iter().map(|stay| fate_row(stay, run)).collect(),
    }
}

/// How near what a memory says is that no window held.
fn in_memory(one: &Occurrence) -> Option<f32> {
    let stay = one.stays.first().filter(|stay| one.place.is_none() && stay.sight == Sight::Unpacked)?;
    stay.like.as_ref().map(|like| like.score)
}

fn fate_row(stay: &Stay, run: &Run) -> FateRow {
    let event = stay.decided(run);
    let event = event.as_deref();
    FateRow {
        from: stay.from,
        to: stay.to,
        fate: stay.fate,
        seen: stay.sight.name(),
        entry: stay.entry.map(|id| id.0),
        stage: event.map(|event| event.stage),
        rule: event.map(|event| event.rule.to_string()),
        threshold: event.and_then(|event| event.threshold).or_else(|| Some(stay.refusal(run)?.1)),
        measured: event.and_then(|event| event.measured).or_else(|| Some(stay.refusal(run)?.0)),
        retrievable: stay.back.as_ref().map(|back| match back {
            Back::File(file) => file.to_string(),
            Back::Path(path) => path.clone(),
            Back::Attached(name) => name.clone(),
            Back::Referring => "referring".to_owned(),
            Back::Memory(id) => format!("memory {}", id.0),
        }),
        survives: match stay.sight {
            Sight::Hidden => None,
            Sight::Paraphrase => Some("paraphrase"),
            Sight::Unpacked => Some("no"),
            _ if stay.like.is_some() => Some("paraphrase"),
            sight if sight.is_visible() => Some("literal"),
            _ => Some("no"),
        },
        score: stay.like.as_ref().map(|like| like.score),
        sentence: stay.sentence().map(str::to_owned),
    }
}

fn people(
    fact: &Fact,
    found: &Found,
    trace: &Trace,
    session: &Session,
    run: &Run,
    printer: &mut Printer,
) -> anyhow::Result<()> {
    let transcript = &session.transcript;
    let step = trace.need.step();
    let (word, tone) = match trace.in_window {
        true => ("in the window", Tone::Kept),
        false if trace.is_only_remembered() => ("only in memory", Tone::Warning),
        false if trace.origin().is_none() => ("not here", Tone::Warning),
        false if trace.is_sealed() => ("sealed", Tone::Warning),
        false if trace.is_refused() => ("refused", Tone::Cut),
        false if trace.is_to_come() => ("not yet here", Tone::Warning),
        false => ("lost", Tone::Cut),
    };
    let later = trace.later.map_or_else(String::new, |loss| format!(", lost at step {}", loss.step));
    printer.line(&[
        (&clip(&trace.fact, 100), Tone::Title),
        ("  ", Tone::Plain),
        (word, tone),
        (&format!(" at step {step}"), Tone::Faint),
        (&later, Tone::Cut),
    ])?;
    for sentence in verdict(trace, fact, found, transcript, run) {
        printer.line(&[("  ", Tone::Plain), (&sentence, Tone::Plain)])?;
    }
    if let Some((by, threshold)) = found.ranked {
        let compared = found.compared.map_or_else(String::new, |(done, all)| {
            format!(" {} of {} passages compared, the nearest by words first.", count(done), count(all))
        });
        let words = format!("  Found by {by}, from {threshold:.2} on.{compared}");
        printer.line(&[(&words, Tone::Faint)])?;
    }
    if trace.occurrences.is_empty() {
        return Ok(());
    }
    printer.line(&[])?;
    printer.table(&ribbons(found, trace, transcript, run))?;
    if let Some(more @ 1..) = (trace.occurrences.len() as u64 + found.more).checked_sub(SHOWN as u64) {
        let listed = trace.occurrences.len().min(LISTED) - SHOWN.min(trace.occurrences.len());
        let rest = match listed as u64 {
            0 => String::new(),
            all if all == more => "; --json lists them".to_owned(),
            some => format!("; --json lists {} of them", count(some)),
        };
        printer.line(&[(&format!("and {} more places{rest}", count(more)), Tone::Faint)])?;
    }
    let shown = trace.occurrences.iter().take(SHOWN).flat_map(|one| &one.stays);
    let sights: Vec<Sight> = shown.map(|stay| stay.sight).collect();
    let explained = legend(&sights, fact.by_meaning()).into_iter();
    let legend: Vec<String> = explained.map(|(sight, words)| format!("{} {words}", sign(sight))).collect();
    if !legend.is_empty() {
        printer.line(&[(&legend.join("  "), Tone::Faint)])?;
    }
    Ok(())
}

/// A row for each place: when and where it came in, its life over the steps, and what changed it.
fn ribbons(found: &Found, trace: &Trace, transcript: &Transcript, run: &Run) -> Table {
    let steps = u32::try_from(run.steps.len()).unwrap_or(u32::MAX).max(1);
    let mut table = Table::new(&[
        ("step", Align::Right),
        ("in", Align::Left),
        ("place", Align::Left),
        ("life over the steps", Align::Left),
        ("what changed it", Align::Left),
    ]);
    for one in trace.occurrences.iter().take(SHOWN) {
        let first = one
            .first
            .map_or_else(|| "–".to_owned(), |first| if first > steps { "end".to_owned() } else { first.to_string() });
        let place = one.place.and_then(|at| found.places.get(at));
        let score = place
            .and_then(|place| place.score)
            .or_else(|| in_memory(one))
            .map_or_else(String::new, |score| format!("{score:.2} "));
        let place = place.map(|place| stands(place, transcript)).unwrap_or_default();
        let now = one.at(trace.need.step()).map(|stay| stay.sight);
        let tone = match now {
            Some(sight) if sight.is_visible() => Tone::Kept,
            Some(Sight::Part | Sight::Paraphrase | Sight::Hidden) => Tone::Warning,
            Some(_) => Tone::Cut,
            None => Tone::Faint,
        };
        let changed = |stay: &Stay| Some(format!("{} {}", stay.from, change(stay, run, false)?));
        let changes: Vec<String> = one.stays.iter().filter_map(changed).collect();
        let thread = one.elsewhere.map(|id| format!("only in thread {}", id.0));
        table.row([
            Cell::new(&first, Tone::Faint),
            Cell::new(&clip(&whence(one), 36), Tone::Plain),
            Cell::new(&clip(&(score + &place), PLACE), Tone::Faint),
            Cell::new(&ribbon(&one.stays, steps), tone),
            Cell::new(&thread.unwrap_or_else(|| changes.join("; ")), Tone::Plain),
        ]);
    }
    table
}

/// A life as signs over the steps.
fn ribbon(stays: &[Stay], steps: u32) -> String {
    let columns = RIBBON.min(steps as usize).max(1);
    let sign = |step: u32| {
        let stay = stays.iter().find(|stay| stay.from <= step && stay.to.is_none_or(|to| step <= to));
        stay.map_or(' ', |stay| sign(stay.sight))
    };
    let at = |column: usize| {
        let step = (column as u64 * u64::from(steps.saturating_sub(1))).checked_div(columns as u64 - 1).unwrap_or(0);
        u32::try_from(step).unwrap_or(0) + 1
    };
    (0..columns).map(|column| sign(at(column))).collect()
}
