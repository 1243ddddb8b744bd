//! `windowpane memory`: what a harness with a memory would have remembered, packed, preserved and merged.

mod disk;
mod kept;
mod measured;
mod recalls;
mod remember;
mod rows;
mod text;
mod whose;

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context;
use clap::{Args, Subcommand};

use crate::content::Watch;
use crate::engine::{Given, Plan, Recall, Remembered, simulate_remembering, stands_at};
use crate::io::{KeptLayer as Layer, KeptMemory, MemoryFile};
use crate::memory::{self, Packed};
use crate::model::{Run, ThreadId, Transcript};
use crate::policy::{self, Choice, Preserve, Scope};
use crate::present::counted;
use crate::present::memory::cut_short;

pub use self::measured::{SummaryRow, measured, people_summaries};
pub use self::recalls::Recalls;
pub use self::remember::Vectors;
use self::rows::{Told, told};
use super::args::{Common, Look, Subject};
use super::fail::usage;
use super::load::{last_step, step};
use super::print::Printer;
use super::schema;

/// Arguments of `memory`.
#[derive(Clone, Debug, Args)]
#[command(subcommand_negates_reqs = true)]
pub struct MemoryArgs {
    #[command(subcommand)]
    action: Option<MemoryAction>,
    #[command(flatten)]
    pub subject: Subject,
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

/// What holds for all that is done with memories on disk.
#[derive(Clone, Debug, Args)]
pub struct OnDisk {
    /// One of your settings.
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    #[command(flatten)]
    common: Common,
}

/// What can be done with memories that are kept on disk.
#[derive(Clone, Debug, Subcommand)]
pub enum MemoryAction {
    /// Write the memories that are kept on disk, one JSON object a line; those of a user, agent or session that --set
    /// names.
    Export {
        /// Where to write; - is standard output.
        #[arg(value_name = "OUT", default_value = "-")]
        out: PathBuf,
        /// Write over a file that is there.
        #[arg(long)]
        force: bool,
        #[command(flatten)]
        given: OnDisk,
    },
    /// Write a memory by hand: it is kept on disk, where replays begin with it (see --keep, kept_memories).
    Add {
        /// What is to be remembered.
        #[arg(value_name = "TEXT")]
        text: String,
        /// Who sees it; the user where neither this nor memory.scope is set.
        #[arg(long, value_parser = clap::builder::PossibleValuesParser::new(<crate::policy::Scope as Choice>::NAMES))]
        scope: Option<String>,
        /// Which session, user or agent that is; a session is one of the settings' user. Without it, the one that the
        /// settings name.
        #[arg(long, value_name = "NAME")]
        owner: Option<String>,
        #[command(flatten)]
        given: OnDisk,
    },
    /// Keep the memories of a file of JSON lines, all of them or none; those of a user, agent or session that --set
    /// names.
    Import {
        /// The file; - is standard input.
        #[arg(value_name = "FILE")]
        file: PathBuf,
        #[command(flatten)]
        given: OnDisk,
    },
}

/// Shows what would have been remembered.
pub fn memory(args: MemoryArgs) -> anyhow::Result<ExitCode> {
    let Subject { look, common, schema, .. } = &args.subject;
    if let Some(action) = args.action {
        return disk::run(action, args.subject);
    }
    if *schema {
        return schema::print::<Told>(common);
    }
    let session = args.subject.open()?;
    // Where no policy is named, the one that is about memory is meant.
    let named = Look { policy: vec!["memory-harness".to_owned()], ..look.clone() };
    let chosen = session.chosen(if look.policy.is_empty() { &named } else { look })?;
    let (id, watch) = (ThreadId(look.thread.unwrap_or(0)), Watch::default());
    let replay = session.replay_to(id, (&chosen.policy, last_step(look)), &watch)?;
    let step = step(look.step, replay.plan.steps() as usize)?;
    let vectors = session.vectors(&chosen.policy)?;
    let seed = if args.keep { Some(session.seed(&vectors, &watch)?) } else { None };
    let recall = match (&replay.given.recall, seed) {
        (Some(recall), None) => Arc::clone(recall),
        (_, seed) => session
            .recall((&replay.plan, &replay.given.prepared), &chosen.policy, seed, &watch)?
            .ok_or_else(|| usage("this policy has no memory; --set memory.on=true turns it on"))?,
    };
    let mut given = Given { recall: Some(Arc::clone(&recall)), ..(*replay.given).clone() };
    if args.keep {
        // What was kept is packed, so other windows are summarised.
        given.answers = session.answers(&replay.plan, &given, (&chosen.policy, step), &watch)?;
    }
    let done = simulate_remembering(&replay.plan, &chosen.policy, &given, step, &watch);
    let (run, mut remembered) = done.context("stopped before it was ready")?;
    if args.reconcile {
        let embed = |texts: &[&str]| vectors.of(texts, &watch);
        let report = memory::reconcile(&mut remembered.store, &chosen.policy.memory, &embed);
        vectors.check()?;
        remembered.reconciled.push((step, report));
    }
    if let Some(query) = &args.query {
        let vector = vectors.of(&[query], &watch).pop().unwrap_or_else(|| Arc::from([]));
        vectors.check()?;
        let packed =
            packed_for((query, &vector), (&replay.plan, &run, step), (&recall, &remembered), &chosen.policy.memory);
        remembered.packs.push((step, Arc::from(query.as_str()), packed));
    }
    let mut printer = Printer::new(common);
    if args.keep {
        let to_end = step == replay.plan.steps();
        // What came after the last request is said too.
        let last = if to_end { u32::MAX } else { step };
        remembered.take_in(&recall, last);
        let said = kept::kept((&session.transcript, &session.sources), &recall, &remembered, last);
        let agent = chosen.policy.memory.scope == Scope::Agent;
        keep((&session.transcript, id), (&recall.owners, agent), to_end, &said, &mut printer)?;
    }
    for sentence in cut_short(&recall) {
        printer.remark(&format!("warning: {sentence}"));
    }
    let path = args.subject.path();
    // What came after the last request is told too.
    let last = if step == replay.plan.steps() { u32::MAX } else { step };
    let settings = &chosen.policy.memory;
    let mut told = told(&session.transcript, path, &chosen.name, (step, last), &recall, &remembered, settings);
    told.only_preserved = (!settings.on).then_some(match settings.preserve {
        Preserve::None => "summarise.remember",
        Preserve::Rules | Preserve::Manual | Preserve::Llm => "memory.preserve",
    });
    (told.summaries, told.summary_tokens) = measured(&session, &run, last)?;
    (told.recorded_summaries, told.recorded_summary_tokens) = measured(&session, &session.recorded(id)?, last)?;
    if common.json {
        printer.json(&told)?;
    } else {
        text::print(&told, &mut printer)?;
    }
    printer.done()
}

/// What would be packed for a question at a step.
fn packed_for(
    (asked, query): (&str, &[f32]),
    (plan, run, step): (&Plan, &Run, u32),
    (recall, remembered): (&Recall, &Remembered),
    settings: &policy::Memory,
) -> Packed {
    let stands = stands_at(run, step, recall);
    let ask = memory::Pack {
        query,
        asked,
        owners: &recall.owners,
        settings,
        window: plan.asks.get(step as usize - 1).map_or(0, |ask| ask.window_tokens),
        count: &|text| plan.tokens_of(text),
        present: &|_, memory| settings.skip_present && stands(memory),
    };
    memory::pack(&remembered.store, &ask)
}

/// Keeps on disk what a thread said, `to_end` or up to a step, for its owners; `agent`: it is the agent's, not the
/// user's.
fn keep(
    (transcript, id): (&Transcript, ThreadId),
    (owners, agent): (&memory::Owners, bool),
    to_end: bool,
    said: &[KeptMemory],
    printer: &mut Printer,
) -> anyhow::Result<()> {
    let (own, part) = (remember::identity(transcript), remember::part_of(transcript, id));
    // What one user keeps replaces nothing that another did.
    let at_work = &*owners.agent;
    let layer = Layer { session: &own, part: &part, user: &owners.user, agent: agent.then_some(at_work), at_work };
    let file = MemoryFile::open(&remember::place()?)?;
    let done = kept::opened(file, &mut |line| printer.remark(line)).keep(layer, to_end, said)?;
    let new = counted(done.new as u64, "new memory is", "new memories are");
    printer.remark(&format!("{new} kept on disk"));
    if done.gone > 0 {
        let gone =
            counted(done.gone as u64, "memory that was kept of it before was", "that were kept of it before were");
        printer
            .remark(&format!("note: {gone} deleted: it no longer says {}", if done.gone == 1 { "it" } else { "them" }));
    }
    Ok(())
}
