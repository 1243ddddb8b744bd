//! `windowpane facts`: candidate facts of a session, for sweeps.

use std::path::Path;
use std::process::ExitCode;

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toml::Spanned;

use crate::content::{Watch, steers_terminal};
use crate::inquiry::{Fact, FactError, FactKind, Found, PROPOSED, Proposed, candidates};
use crate::model::{Run, ThreadId};
use crate::present::{Align, Cell, Table, Tone, clip, count, counted};

use super::args::Subject;
use super::fail::{say, usage};
use super::header::{self, Header};
use super::load::{Session, Wanted};
use super::print::Printer;
use super::schema;

/// Bytes of a file of facts.
const FILE: u64 = 4 << 20;

/// The fact that an argument or a row of a file names.
pub fn parsed(text: &str) -> anyhow::Result<Fact> {
    Fact::parse(text).map_err(|error| usage(wrong(text, &error)))
}

/// What is the matter with a fact, after as much of it as tells which is meant.
fn wrong(text: &str, error: &FactError) -> String {
    format!("{:?}: {error}", clip(text, QUOTED))
}

/// Columns of a fact that are quoted.
const QUOTED: usize = 60;

/// Facts that may be asked for at most.
const MOST: usize = 1_000;

fn most(text: &str) -> Result<usize, String> {
    let number = text.parse().ok().filter(|number| (1..=MOST).contains(number));
    number.ok_or_else(|| format!("expected a number from 1 to {MOST}"))
}

/// Arguments of `facts`.
#[derive(Clone, Debug, Args)]
pub struct FactsArgs {
    #[command(flatten)]
    pub subject: Subject,
    /// How many to propose at most, 1 to 1000.
    #[arg(long, value_name = "N", default_value_t = PROPOSED, value_parser = most)]
    most: usize,
    /// Print a TOML file that sweep takes with --facts.
    #[arg(long)]
    toml: bool,
}

/// `facts --json`.
#[derive(Serialize, JsonSchema)]
struct Output {
    /// `windowpane/facts/1`
    schema: &'static str,
    facts: Vec<Row>,
    /// Whether the session proposes more than were asked for.
    more: bool,
    /// Texts of which only a part was looked at: very long ones, and those with very many terms or sentences.
    cut_texts: u64,
}

/// A candidate.
#[derive(Serialize, JsonSchema)]
struct Row {
    kind: FactKind,
    text: String,
    /// The first step that held it.
    came: u32,
    /// The step at which it is needed: the last request whose answer repeats it, for instructions and decisions the
    /// last.
    step: u32,
    /// Answers that repeat it later.
    repeats: u32,
    source: String,
    line: Option<u32>,
}

/// A file of facts.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    fact: Vec<FileRow>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileRow {
    text: Spanned<String>,
    step: Option<Spanned<toml::Value>>,
}

/// The step that a row of such a file names for a fact.
fn step_of(value: &toml::Value, fact: &str, last: u32) -> Result<u32, String> {
    let fact = clip(fact, QUOTED);
    let step = value.as_integer().ok_or_else(|| format!("the step for {fact:?} is a number from 1 to {last}"))?;
    let number = u32::try_from(step).ok().filter(|step| last == 0 || (1..=last).contains(step));
    number.ok_or_else(|| format!("there is no step {step} for {fact:?}: steps are 1 to {last}"))
}

/// Where some facts stand; those that stand nowhere are told of, since a run that holds none of them has lost none.
pub fn looked_for(facts: &[(Fact, Option<u32>)], session: &Session, watch: &Watch) -> Vec<Found> {
    let found: Vec<Found> = facts.iter().map(|(fact, _)| session.find(fact, watch)).collect();
    for ((fact, _), _) in facts.iter().zip(&found).filter(|(_, found)| found.places.is_empty()) {
        say(&format!("{:?} stands nowhere in the transcript: no policy can keep it", clip(&fact.text, QUOTED)));
    }
    found
}

/// The facts that are asked for, with the steps that are given for them; where none are, those that a session proposes.
/// `asked`: the step at which all are needed for which the file names none.
pub fn wanted(
    facts: &[String],
    file: Option<&Path>,
    session: &Session,
    run: &Run,
    asked: Option<u32>,
) -> anyhow::Result<Vec<(Fact, Option<u32>)>> {
    let mut found = Vec::new();
    for text in facts {
        found.push((parsed(text)?, asked));
    }
    if let Some(path) = file {
        let shown = path.display();
        let size = std::fs::metadata(path).map_err(|why| anyhow::anyhow!("cannot open {shown}: {why}"))?.len();
        if size > FILE {
            return Err(usage(format!("{shown} is too large for a file of facts")));
        }
        let text = std::fs::read_to_string(path).map_err(|why| anyhow::anyhow!("cannot read {shown}: {why}"))?;
        let line = |at: usize| text.get(..at).unwrap_or_default().matches('\n').count() + 1;
        let located = |at: usize, what: &str| usage(format!("{shown}, line {}: {what}", line(at)));
        let file: File = toml::from_str(&text).map_err(|why| match why.span() {
            Some(span) => located(span.start, why.message()),
            None => usage(format!("{shown}: {}", why.message())),
        })?;
        let last = run.last_step();
        for row in file.fact {
            let (at, words) = (row.text.span().start, row.text.into_inner());
            let named = |step: &Spanned<toml::Value>| {
                step_of(step.as_ref(), &words, last).map_err(|why| located(step.span().start, &why))
            };
            let step = row.step.as_ref().map(named).transpose()?;
            let fact = Fact::parse(&words).map_err(|why| located(at, &wrong(&words, &why)))?;
            found.push((fact, step.or(asked)));
        }
    }
    if found.is_empty() && file.is_none() {
        let Proposed { facts, more, .. } = proposed(session, run.thread, PROPOSED);
        if more {
            let followed = match facts.len() {
                1 => "1 is followed".to_owned(),
                all => format!("{all} are followed"),
            };
            say(&format!(
                "of the facts that the session proposes, {followed}: windowpane facts --most N --toml writes more of them for --facts"
            ));
        }
        for candidate in facts {
            found.push((parsed(&candidate.text)?, asked.or(Some(candidate.needed))));
        }
    }
    Ok(found)
}

/// The facts that a thread of a session and the files attached to it propose, whatever the policy.
fn proposed(session: &Session, thread: ThreadId, most: usize) -> Proposed {
    let attached = session.attached.placed();
    candidates(&session.transcript, &session.sources, (thread, &attached), most, &Watch::default())
}

/// Proposes facts.
pub fn run(args: FactsArgs) -> anyhow::Result<ExitCode> {
    let Subject { look, common, schema, .. } = &args.subject;
    if *schema {
        return schema::print::<Output>(common);
    }
    let session = args.subject.open()?;
    let run = session.view(look, Wanted::Step)?.run;
    let about = &session.transcript;
    let Proposed { facts, more, cut } = proposed(&session, run.thread, args.most);
    let rows: Vec<Row> = facts
        .into_iter()
        .map(|found| {
            let record = about.block(found.block).map(|block| block.record);
            let source = record.and_then(|record| about.sources.get(record.source.0 as usize));
            Row {
                kind: found.kind,
                text: found.text,
                came: found.came,
                step: found.needed,
                repeats: found.repeats,
                source: source.map_or_else(String::new, |source| source.name.clone()),
                line: record.map(|record| record.line),
            }
        })
        .collect();
    let mut printer = Printer::new(common);
    if args.toml {
        printer.bytes(file_of(&rows).as_bytes())?;
    } else if common.json {
        printer.json(&Output { schema: "windowpane/facts/1", facts: rows, more, cut_texts: cut })?;
    } else {
        let mut table = Table::new(&[
            ("came", Align::Right),
            ("needed", Align::Right),
            ("kind", Align::Left),
            ("repeated", Align::Right),
            ("fact", Align::Left),
        ]);
        for row in &rows {
            table.row([
                Cell::new(&row.came.to_string(), Tone::Faint),
                row.step.to_string().into(),
                Cell::new(kind(row.kind), Tone::Accent),
                row.repeats.to_string().into(),
                (&row.text).into(),
            ]);
        }
        printer.table(&table)?;
        if rows.is_empty() {
            printer.line(&[("Nothing is referred to again later.", Tone::Faint)])?;
        }
        if more {
            let of = counted(args.most as u64, "fact", "facts");
            let rest = if args.most < MOST {
                format!("; --most proposes up to {}", count(MOST as u64))
            } else {
                String::new()
            };
            printer.remark(&if rows.len() < args.most {
                format!("There are more of a kind: of each, a third of {of} is proposed{rest}.")
            } else {
                format!("There are more than {of}{rest}.")
            });
        }
        if cut > 0 {
            let texts = counted(cut, "text was", "texts were");
            printer
                .remark(&format!("{texts} not looked at as a whole: too long, or too many terms or sentences in one."));
        }
        header::warn(&Header::of(&session, &run), &mut printer);
    }
    printer.done()
}

/// The file that says these facts. Signs that would steer a terminal are escaped: it may be printed to one.
fn file_of(rows: &[Row]) -> String {
    // A file without a row is one that names none.
    let mut file = if rows.is_empty() { "fact = []\n".to_owned() } else { String::new() };
    for row in rows {
        let gap = if file.is_empty() { "" } else { "\n" };
        file.push_str(&format!("{gap}[[fact]]\ntext = \""));
        for sign in row.text.chars() {
            match (sign, sign as u32) {
                ('"' | '\\', _) => file.extend(['\\', sign]),
                (sign, code @ 0..=0xFFFF) if steers_terminal(sign) => file.push_str(&format!("\\u{code:04X}")),
                (sign, code) if steers_terminal(sign) => file.push_str(&format!("\\U{code:08X}")),
                _ => file.push(sign),
            }
        }
        file.push_str(&format!("\"\nstep = {}\n", row.step));
    }
    file
}

/// A kind's name for people.
fn kind(kind: FactKind) -> &'static str {
    match kind {
        FactKind::Instruction => "instruction",
        FactKind::Decision => "decision",
        FactKind::Error => "error",
        FactKind::Path => "path",
        FactKind::Identifier => "identifier",
        FactKind::Number => "number",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn row(text: &str) -> Row {
        let source = String::new();
        Row { kind: FactKind::Number, text: text.to_owned(), came: 1, step: 7, repeats: 1, source, line: None }
    }

    proptest! {
        #[test]
        fn a_file_of_facts_steers_no_terminal_and_reads_back(texts in prop::collection::vec(any::<String>(), 0..4)) {
            let rows: Vec<Row> = texts.iter().map(|text| row(text)).collect();
            let file = file_of(&rows);
            prop_assert!(!file.chars().any(|sign| sign != '\n' && steers_terminal(sign)));
            if !rows.is_empty() {
                let read: File = toml::from_str(&file).unwrap();
                let read: Vec<String> = read.fact.into_iter().map(|row| row.text.into_inner()).collect();
                prop_assert_eq!(read, texts);
            }
        }
    }

    #[test]
    fn what_turns_or_hides_text_is_escaped() {
        let text = "a\u{202e}b\u{200b}c\u{e0041}d\"e\\f\tg";
        let file = file_of(&[row(text)]);
        assert_eq!(file, "[[fact]]\ntext = \"a\\u202Eb\\u200Bc\\U000E0041d\\\"e\\\\f\\u0009g\"\nstep = 7\n");
    }
}
