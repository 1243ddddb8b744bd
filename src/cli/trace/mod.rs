//! `windowpane trace`: what became of a fact.

mod rows;

use std::collections::BTreeSet;
use std::process::ExitCode;

use clap::Args;

use crate::content::Watch;
use crate::inquiry::{Fact, Found, Remembering, Sight, Standing, Stay, Trace, locate, remember, trace};
use crate::model::{Run, Track, Transcript};
use crate::present::beside::{before, unfollowed, unlike};
use crate::present::ribbon::{legend, sign};
use crate::present::verdict::{change, verdict};
use crate::present::whence::stands;
use crate::present::whence::whence;
use crate::present::{Align, Cell, Table, Tone, clip, count, counted};
use crate::tui::PASSAGES;

use crate::cli::args::{Look, StepArg, Subject};
use crate::cli::facts::parsed;
use crate::cli::header::{self, Head, Header};
use crate::cli::load::{Session, Wanted};
use crate::cli::print::Printer;
use crate::cli::schema;

use rows::{FactRow, LISTED, Output, fact_row, in_memory};

/// Occurrences that a table shows.
const SHOWN: usize = 20;
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
    /// Exit with 1 where a fact is not in the window at the step (the last, where none is named), or only a question
    /// for it is.
    #[arg(long)]
    check: bool,
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
    let encoding = match &view.replayed {
        Some((replay, _)) => replay.plan.encoding,
        None => session.encoding(view.run.thread),
    };
    let stand = |trace: &mut Trace, (fact, found): (&Fact, &Found), run: &Run| {
        locate(trace, fact, found, (run, &session.transcript, &session.sources), encoding);
    };
    let both = || facts.iter().zip(&places);
    let traced = both().map(|(fact, found)| {
        let mut traced = trace(fact, found, &session.transcript, &session.sources, &view.run, step);
        stand(&mut traced, (fact, found), &view.run);
        traced
    });
    let mut traces: Vec<Trace> = traced.collect();
    if view.run.track == Track::Recorded {
        // Where a fact stood is told in tokens: the windows in question are counted too.
        let needed: BTreeSet<u32> =
            traces.iter().map(|trace| trace.need.step()).filter(|at| *at != view.step).collect();
        for at in needed.into_iter().filter(|at| *at > 0).take(COUNTED) {
            let look = Look { step: Some(StepArg::Number(at)), ..look.clone() };
            view.run = session.view(&look, Wanted::Step)?.run;
            for (of, trace) in both().zip(&mut traces).filter(|(_, trace)| trace.need.step() == at) {
                stand(trace, of, &view.run);
            }
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
            only_in_question: trace.is_only_asked(view.step),
            ..fact_row(fact, found, trace, &session.transcript, run)
        });
        let head = Head::of(&session, run, view.policy.as_deref());
        printer.json(&Output { schema: "windowpane/trace/1", head, step: view.step, facts: rows.collect() })?;
    } else {
        for (at, (fact, (found, trace))) in facts.iter().zip(&traced).enumerate() {
            if at > 0 {
                printer.line(&[])?;
            }
            people(fact, found, trace, &session, run, &mut printer)?;
        }
        header::warn(&Header::of(&session, run), &mut printer);
    }
    let lost = traced.iter().any(|(_, trace)| !present(trace) || trace.is_only_asked(view.step));
    let code = printer.done()?;
    Ok(if args.check && lost { ExitCode::from(1) } else { code })
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
    let standing = trace.standing();
    let tone = match standing {
        Standing::InWindow => Tone::Kept,
        Standing::Refused | Standing::Lost => Tone::Cut,
        _ => Tone::Warning,
    };
    let later = trace.later.map_or_else(String::new, |loss| format!(", lost at step {}", loss.step));
    printer.line(&[
        (&clip(&trace.fact, 100), Tone::Title),
        ("  ", Tone::Plain),
        (standing.words(), tone),
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
        let rest = unfollowed(found.unfollowed).into_iter().chain(before(found.earlier));
        let rest: String = rest.map(|rest| format!(" {rest}.")).collect();
        let words = format!("  Found by {by}, from {threshold:.2} on.{compared}{rest}");
        printer.line(&[(&words, Tone::Faint)])?;
        if let Some(near) = unlike(&found.unlike) {
            printer.line(&[(&format!("  {near}."), Tone::Faint)])?;
        }
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
        let more = counted(more, "more place", "more places");
        printer.line(&[(&format!("and {more}{rest}"), Tone::Faint)])?;
    }
    let shown = trace.occurrences.iter().take(SHOWN).flat_map(|one| one.stays.iter());
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
    let steps = run.last_step().max(1);
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
        let changes: Vec<(u32, String)> =
            one.stays.iter().filter_map(|stay| Some((stay.from, change(stay, run, false)?))).collect();
        let thread = one.elsewhere.map(|id| format!("only in thread {}", id.0));
        table.row([
            Cell::new(&first, Tone::Faint),
            Cell::new(&clip(&whence(one), 36), Tone::Plain),
            Cell::new(&clip(&(score + &place), PLACE), Tone::Faint),
            Cell::new(&ribbon(&one.stays, steps), tone),
            Cell::new(&thread.unwrap_or_else(|| folded(&changes)), Tone::Plain),
        ]);
    }
    table
}

/// Changes in order, each behind its step. Those that differ in their figures alone are told once, where they are more
/// than two: with how many there are, and the last one's step.
fn folded(changes: &[(u32, String)]) -> String {
    let bare = |words: &str| words.replace(|sign: char| sign.is_ascii_digit() || matches!(sign, ',' | '.'), "");
    let mut kinds: Vec<(String, Vec<&(u32, String)>)> = Vec::new();
    for change in changes {
        let kind = bare(&change.1);
        match kinds.iter_mut().find(|(known, _)| *known == kind) {
            Some((_, alike)) => alike.push(change),
            None => kinds.push((kind, vec![change])),
        }
    }
    let mut told: Vec<(u32, String)> = Vec::new();
    for (_, alike) in kinds {
        match alike.as_slice() {
            [(step, words), between @ .., (last, _)] if !between.is_empty() => {
                let more = count(between.len() as u64 + 1);
                told.push((*step, format!("{step} {words}, and {more} times more to step {last}")));
            }
            few => told.extend(few.iter().map(|(step, words)| (*step, format!("{step} {words}")))),
        }
    }
    told.sort_by_key(|(step, _)| *step);
    told.into_iter().map(|(_, words)| words).collect::<Vec<_>>().join("; ")
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_that_differ_in_figures_alone_are_told_once() {
        let of = |all: &[(u32, &str)]| {
            folded(&all.iter().map(|(step, words)| (*step, (*words).to_owned())).collect::<Vec<_>>())
        };
        let two = of(&[(3, "cut (1,000 tokens)"), (5, "cut (2,000 tokens)"), (6, "gone")]);
        assert_eq!(two, "3 cut (1,000 tokens); 5 cut (2,000 tokens); 6 gone");
        let cuts = (0..130).map(|at| (at * 2 + 1, "cut (1,000 tokens)"));
        let mut all: Vec<(u32, &str)> = cuts.chain((0..130).map(|at| (at * 2 + 2, "gone"))).collect();
        all.sort_unstable();
        let told = "1 cut (1,000 tokens), and 129 times more to step 259; 2 gone, and 129 times more to step 260";
        assert_eq!(of(&all), told);
        assert_eq!(of(&[]), "");
    }
}
