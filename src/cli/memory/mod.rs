//! `windowpane memory`: what a harness with a memory would have remembered, packed, preserved and merged.

mod kept;
mod measured;
mod people;
mod remember;
mod rows;

use std::io::{BufRead, Read};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context;
use clap::{Args, Subcommand};

use crate::content::Watch;
use crate::engine::{Given, embed_words, simulate_remembering};
use crate::io::{KeptMemory, MemoryFile, write_whole};
use crate::memory;
use crate::model::ThreadId;
use crate::policy::Choice;
use crate::present::count;

pub use self::measured::{SummaryRow, measured, people_summaries};
use self::people::people;
pub use self::remember::Vectors;
use self::rows::{Told, told};
use super::args::{Common, Look, Subject};
use super::fail::usage;
use super::load::{preferences, settings_of, step, stream};
use super::print::{Printer, json_line};
use super::schema;

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
    /// Write a memory by hand: it is kept on disk, where replays begin with it (see --keep, kept_memories).
    Add {
        /// What is to be remembered.
        #[arg(value_name = "TEXT")]
        text: String,
        /// Who sees it.
        #[arg(long, default_value = "user", value_parser = clap::builder::PossibleValuesParser::new(<crate::policy::Scope as Choice>::NAMES))]
        scope: String,
        /// Which session, user or agent that is; without it, the user of the settings.
        #[arg(long, value_name = "NAME", required_if_eq_any([("scope", "session"), ("scope", "agent")]))]
        owner: Option<String>,
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
/// Shows what would have been remembered.
pub fn memory(args: MemoryArgs) -> anyhow::Result<ExitCode> {
    let Subject { look, common, schema, .. } = &args.subject;
    match &args.action {
        Some(MemoryAction::Export { out, force }) => return export(out, *force, common),
        Some(MemoryAction::Import { file }) => return import(file, common),
        Some(MemoryAction::Add { text, scope, owner }) => return add(text, scope, owner.as_deref(), look, common),
        None => {}
    }
    if *schema {
        return schema::print::<Told>(common);
    }
    let session = args.subject.open()?;
    // Where no policy is named, the one that is about memory is meant.
    let named = Look { policy: vec!["memory-harness".to_owned()], ..look.clone() };
    let chosen = session.chosen(if look.policy.is_empty() { &named } else { look })?;
    let (id, watch) = (ThreadId(look.thread.unwrap_or(0)), Watch::default());
    let replay = session.replay(id, &chosen.policy, &watch)?;
    let step = step(look.step, replay.plan.steps() as usize)?;
    let vectors = session.vectors(&chosen.policy)?;
    let seed = if args.keep { Some(session.seed(&vectors, &watch)?) } else { None };
    let recall = match (&replay.given.recall, seed) {
        (Some(recall), None) => Arc::clone(recall),
        (_, seed) => session
            .recall(&replay.plan, &chosen.policy, seed, &watch)?
            .ok_or_else(|| usage("this policy has no memory; --set memory.on=true turns it on"))?,
    };
    let mut given = Given { recall: Some(Arc::clone(&recall)), ..(*replay.given).clone() };
    if args.keep {
        // What was kept is packed, so other windows are summarised.
        given.answers = session.answers(&replay.plan, &given, &chosen.policy, &watch)?;
    }
    let done = simulate_remembering(&replay.plan, &chosen.policy, &given, step, &watch);
    let (run, mut remembered) = done.context("stopped before it was ready")?;
    if args.reconcile {
        let report = memory::reconcile(&mut remembered.store, &chosen.policy.memory, &embed_words);
        remembered.reconciled.push((step, report));
    }
    if let Some(query) = &args.query {
        let vector = vectors.of(&[query], &watch).pop().unwrap_or_else(|| Arc::from([]));
        vectors.check()?;
        let ask = memory::Pack {
            query: &vector,
            owners: &recall.owners,
            settings: &chosen.policy.memory,
            window: replay.plan.asks.get(step as usize - 1).map_or(0, |ask| ask.window_tokens),
            count: &|text| replay.plan.tokens_of(text),
            present: &|_, _| false,
        };
        let packed = memory::pack(&remembered.store, &ask);
        remembered.packs.push((step, Arc::from(query.as_str()), packed));
    }
    let mut printer = Printer::new(common);
    if args.keep {
        if step == replay.plan.steps() {
            // What came after the last request is said too.
            remembered.take_in(&recall, u32::MAX);
        }
        let texts = (&*session.transcript, &session.sources);
        let said = kept::kept(texts, &recall, &remembered);
        let new = MemoryFile::open(&remember::place()?)?.keep(&remember::identity(&session.transcript), &said)?;
        printer.remark(&format!("{} new memories are kept on disk", count(new as u64)));
    }
    if recall.cut_off {
        printer.remark("warning: the session has more text than is remembered; its end was left out");
    }
    let path = args.subject.path();
    let mut told = told(&session.transcript, path, &chosen.name, step, &recall, &remembered, &chosen.policy.memory);
    (told.summaries, told.summary_tokens) = measured(&session, &run)?;
    (told.recorded_summaries, told.recorded_summary_tokens) = measured(&session, &session.recorded(id)?)?;
    if common.json {
        printer.json(&told)?;
    } else {
        people(&told, &mut printer)?;
    }
    printer.done()
}
fn export(out: &Path, force: bool, common: &Common) -> anyhow::Result<ExitCode> {
    let mut printer = Printer::new(common);
    let mut text = String::new();
    let file = MemoryFile::open_to_read(&remember::place()?)?;
    for memory in file.map(|file| file.all()).transpose()?.map(kept::readable).unwrap_or_default() {
        text.push_str(&json_line(&memory)?);
    }
    if out == Path::new("-") {
        printer.bytes(text.as_bytes())?;
    } else {
        write_whole(out, text.as_bytes(), force).with_context(|| format!("cannot write {}", out.display()))?;
    }
    printer.done()
}

/// Keeps a memory that somebody writes by hand (source 2: preserve = manual).
fn add(text: &str, scope: &str, owner: Option<&str>, look: &Look, common: &Common) -> anyhow::Result<ExitCode> {
    /// Bytes of a memory.
    const LONGEST: usize = 64 << 10;
    let text = text.trim();
    if text.is_empty() || text.len() > LONGEST {
        return Err(usage(format!("a memory has 1 to {} bytes", count(LONGEST as u64))));
    }
    let user = preferences(common, &settings_of(look))?.settings.user;
    let memory = KeptMemory {
        scope: scope.to_owned(),
        owner: owner.map_or(user, str::to_owned),
        source_type: "note".to_owned(),
        text: text.to_owned(),
        how: memory::How::Written.name().to_owned(),
        ..KeptMemory::default()
    };
    let new = MemoryFile::open(&remember::place()?)?.add(&[memory])?;
    let mut printer = Printer::new(common);
    printer.remark(if new == 1 { "it is kept on disk" } else { "it was kept already" });
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
    let new = MemoryFile::open(&remember::place()?)?.add(&memories)?;
    let mut printer = Printer::new(common);
    printer.remark(&format!("{} memories, {} of them new", count(memories.len() as u64), count(new as u64)));
    printer.done()
}
