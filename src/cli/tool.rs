//! `windowpane tool`: a base tool run at a step of a replay.

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;

use crate::content::Watch;
use crate::engine::{BASE_TOOLS, Replay};
use crate::export::{Answer, Call, GivenFile, ToolContext, answer};
use crate::io::{Room, TOPICS, Unloaded, texts_beside};
use crate::model::{BlockId, Run, ThreadId, last_part};
use crate::policy::Policy;
use crate::present::{Align, Cell, Table, Tone, bytes, count, counted, dollars};
use crate::tokens::cost;

use super::args::{Common, Look};
use super::attached::AttachedFile;
use super::fail::usage;
use super::load::{Session, last_step, step};
use super::print::Printer;
use super::schema;

/// Arguments of `tool`.
#[derive(Clone, Debug, Args)]
pub struct ToolArgs {
    /// The transcript: a file, a folder (its newest session), or - for standard input.
    #[arg(value_name = "TRANSCRIPT", required_unless_present = "schema")]
    transcript: Option<std::path::PathBuf>,
    /// The tool: file_read, file_regex, load_file, peek_file, extract_file or load_skill. Without one, the files are
    /// listed that the tools can read at this step.
    name: Option<String>,
    /// Its arguments: bare ones in the tool's order, or NAME=VALUE. file_read ID lines=10-20 or bytes=0-4096;
    /// file_regex ID PATTERN; peek_file ID START STOP; load_skill NAME.
    #[arg(value_name = "ARGS")]
    arguments: Vec<String>,
    /// A data folder: files of the session's workspace there can be read, by their paths in it or on this machine.
    #[arg(long, value_name = "DIR")]
    workspace: Option<std::path::PathBuf>,
    #[command(flatten)]
    look: Look,
    #[command(flatten)]
    common: Common,
    /// Print the JSON Schema of this command's output.
    #[arg(long)]
    schema: bool,
}

/// What `tool --json` prints.
#[derive(Serialize, JsonSchema)]
struct Report {
    /// `windowpane/tool/1`
    schema: &'static str,
    /// The policy that the session was replayed under.
    policy: String,
    step: u32,
    /// What was called; null where the files are listed.
    tool: Option<String>,
    arguments: Vec<String>,
    /// What it gives.
    answer: Option<AnswerRow>,
    /// What it costs.
    cost: Option<CostRow>,
    /// The files that can be read at this step.
    files: Vec<FileRow>,
    /// The skills that can be loaded.
    skills: Vec<String>,
}

/// What a call gives.
#[derive(Serialize, JsonSchema)]
struct AnswerRow {
    /// What the tool returns.
    text: String,
    /// Whether it is a complaint.
    error: bool,
    tokens: u64,
    /// What of it comes into the window: a long answer becomes a virtual file, as the policy says.
    sent: String,
    sent_tokens: u64,
    /// The virtual file that would hold the whole, or the file that was extracted.
    file: Option<String>,
    /// The bytes of the file's text that are shown, where only a range is.
    bytes: Option<[u64; 2]>,
    /// Whether it is a picture, which the text only names.
    picture: bool,
}

/// What a call costs.
#[derive(Serialize, JsonSchema)]
struct CostRow {
    /// Tokens of the window at this step.
    used_before: u64,
    /// With the answer in it.
    used_after: u64,
    window_tokens: u64,
    /// The tokens at which the policy compacts.
    threshold_tokens: Option<u64>,
    /// Whether the answer takes the window over that.
    compacts: bool,
    /// Price of the answer's tokens, sent once, where the model has one.
    cost_usd: Option<f64>,
}

/// A file that can be read.
#[derive(Serialize, JsonSchema)]
struct FileRow {
    id: String,
    name: String,
    /// virtual, attachment, extracted, memory or skill.
    kind: &'static str,
    /// Where it is known without reading it.
    bytes: Option<u64>,
    /// Where it is known without counting it.
    tokens: Option<u64>,
    /// Tokens of it that stand in the window.
    shown: u64,
}

/// Runs a base tool.
pub fn tool(mut args: ToolArgs, look: Look, common: Common) -> anyhow::Result<ExitCode> {
    (args.look, args.common) = (args.look.over(look), args.common.over(common));
    let ToolArgs { transcript, name, mut arguments, workspace, look, common, schema } = args;
    if schema {
        return schema::print::<Report>(&common);
    }
    let read = |arguments: &[String]| {
        let call = name.as_deref().map(|name| Call::read(name, arguments)).transpose();
        call.map_err(|error| usage(error.to_string()))
    };
    let mut call = read(&arguments)?;
    let session = Session::open(transcript.as_deref().unwrap_or(Path::new("-")), &look, &common)?;
    let id = ThreadId(look.thread.unwrap_or(0));
    let chosen = session.chosen(&look)?;
    let mut files = given_files(&session, id, &chosen.policy)?;
    if let Some(folder) = &workspace {
        files.extend(session.workspace_files(folder, &mut arguments)?);
        call = read(&arguments)?;
    }
    let mut printer = Printer::new(&common);
    let memory = memory_files(&session, &look, &mut printer);
    let beside = beside_skills(&session, &mut printer);
    let replay = session.replay_to(id, (&chosen.policy, last_step(&look)), &Watch::default())?;
    let run = replay.run(&chosen.policy);
    let step = step(look.step, run.steps.len())?;
    let context = ToolContext {
        transcript: &session.transcript,
        sources: &session.sources,
        run: &run,
        step,
        policy: &chosen.policy,
        files: &files,
        memory: &memory,
        skills: &session.loaded.skills,
        beside: &beside,
        counted: (replay.plan.encoding, replay.plan.factor),
    };
    let given = call.as_ref().map(|call| answer(&context, call)).transpose()?;
    let costs = given.as_ref().map(|given| cost_row(&replay, &run, step, given.sent_tokens));
    let failed = given.as_ref().is_some_and(|given| given.error);
    let report = Report {
        schema: "windowpane/tool/1",
        policy: chosen.name,
        step,
        tool: name,
        arguments,
        answer: given.map(row),
        cost: costs,
        files: context
            .list()
            .into_iter()
            .map(|file| FileRow {
                id: file.id,
                name: file.name,
                kind: file.kind.name(),
                bytes: file.bytes,
                tokens: file.tokens,
                shown: file.shown,
            })
            .collect(),
        skills: crate::engine::offered(context.skills, &context.policy.skills)
            .iter()
            .map(|skill| skill.name.to_string())
            .collect(),
    };
    if common.json {
        printer.json(&report)?;
    } else {
        people(&report, &mut printer)?;
    }
    let done = printer.done()?;
    Ok(if failed { ExitCode::FAILURE } else { done })
}

/// What an answer of so many tokens costs at a step: in the window, and in money.
fn cost_row(replay: &Replay, run: &Run, step: u32, tokens: u64) -> CostRow {
    let at = step as usize - 1;
    let (used, about) = (run.totals.get(at).map_or(0, |totals| totals.used()), run.steps.get(at));
    let threshold = about.and_then(|about| about.threshold);
    let after = used + tokens;
    CostRow {
        used_before: used,
        used_after: after,
        window_tokens: about.map_or(0, |about| about.window_tokens),
        threshold_tokens: threshold,
        compacts: threshold.is_some_and(|threshold| after > threshold),
        cost_usd: about
            .zip(replay.given.served.model(step))
            .and_then(|(about, model)| cost(&about.of_more(tokens), model).map(|cost| cost.total())),
    }
}

/// The attached files with their ids, as the list of files names them.
fn given_files(session: &Session, id: ThreadId, policy: &Policy) -> anyhow::Result<Vec<GivenFile>> {
    let rule = session.known()?.under(policy).counter(session.thread(id)?).images;
    let given = |file: &AttachedFile| {
        let document = session.attached.all(file, &Watch::default())?;
        let own = session.attached.own_text(file, &Watch::default())?.map(Arc::from);
        Ok(GivenFile {
            id: file.id.clone(),
            name: last_part(&file.name).to_owned(),
            bytes: file.size,
            step: file.step,
            own,
            picture: session.attached.picture_tokens(file, &policy.files, rule, &Watch::default())?,
            text: Arc::from(document.markdown.as_str()),
            blocks: file.blocks(),
        })
    };
    session.attached.files.iter().map(given).collect()
}

/// The index of the agent's memory, and what lies beside it; what of that is not loaded is told.
fn memory_files(session: &Session, look: &Look, printer: &mut Printer) -> Vec<GivenFile> {
    let Some((path, index)) = look.memory_index.as_deref().zip(session.loaded.memory_index.as_ref()) else {
        return Vec::new();
    };
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut files = vec![plain_file(name, path, index.text.clone(), vec![index.block])];
    for (id, path, text) in texts_beside(path, Some(TOPICS), &mut Room::default()) {
        match text {
            Ok(text) => files.push(plain_file(id, &path, text.into(), Vec::new())),
            Err(why) => printer.remark(&format!("warning: {} is not loaded: {why}", path.display())),
        }
    }
    files
}

/// What lies beside the skills; what of that is not loaded is told, but for what is no text: skills come with pictures.
fn beside_skills(session: &Session, printer: &mut Printer) -> Vec<GivenFile> {
    let (mut files, mut room) = (Vec::new(), Room::default());
    for skill in &session.loaded.skills {
        let source = skill.block.and_then(|block| session.transcript.block(block)).map(|block| block.record.source);
        let Some(own) = source.and_then(|id| session.transcript.sources.get(id.0 as usize)) else { continue };
        for (inner, path, text) in texts_beside(Path::new(&own.name), None, &mut room) {
            match text {
                Ok(text) => {
                    files.push(plain_file(format!("{}/{inner}", skill.name), &path, text.into(), Vec::new()));
                }
                Err(Unloaded::NoText) => {}
                Err(why) => printer.remark(&format!("warning: {} is not loaded: {why}", path.display())),
            }
        }
    }
    files
}

/// A file that is the text that it holds.
fn plain_file(id: String, path: &Path, text: Arc<str>, blocks: Vec<BlockId>) -> GivenFile {
    GivenFile {
        id,
        name: path.to_string_lossy().into_owned(),
        bytes: text.len() as u64,
        step: 1,
        own: Some(text.clone()),
        picture: None,
        text,
        blocks,
    }
}

fn row(given: Answer) -> AnswerRow {
    let Answer { text, error, tokens, sent, sent_tokens, file, bytes, picture } = given;
    AnswerRow { text, error, tokens, sent, sent_tokens, file, bytes: bytes.map(|(from, to)| [from, to]), picture }
}

fn people(report: &Report, printer: &mut Printer) -> anyhow::Result<()> {
    let (Some(answer), Some(cost)) = (&report.answer, &report.cost) else {
        return list(report, printer);
    };
    printer.document(&answer.sent)?;
    printer.line(&[])?;
    let mut line = counted(answer.tokens, "token", "tokens");
    if answer.sent_tokens != answer.tokens {
        line.push_str(&format!(", {} of them in the window", count(answer.sent_tokens)));
    }
    if let Some(file) = answer.file.as_ref().filter(|_| answer.sent_tokens != answer.tokens) {
        line.push_str(&format!(", the whole as {file}"));
    }
    line.push_str(&format!(
        " · window {} → {} of {}",
        count(cost.used_before),
        count(cost.used_after),
        count(cost.window_tokens)
    ));
    if let (true, Some(threshold)) = (cost.compacts, cost.threshold_tokens) {
        line.push_str(&format!(", over {}: it would compact", count(threshold)));
    }
    if let Some(price) = cost.cost_usd {
        line.push_str(&format!(" · {}", dollars(price)));
    }
    printer.line(&[(&line, Tone::Title)])?;
    Ok(())
}

fn list(report: &Report, printer: &mut Printer) -> anyhow::Result<()> {
    let mut table = Table::new(&[
        ("id", Align::Left),
        ("kind", Align::Left),
        ("size", Align::Right),
        ("tokens", Align::Right),
        ("in the window", Align::Right),
        ("name", Align::Left),
    ]);
    for file in &report.files {
        table.row([
            Cell::new(&file.id, Tone::Accent),
            file.kind.into(),
            file.bytes.map_or_else(|| "–".to_owned(), bytes).into(),
            file.tokens.map_or_else(|| "–".to_owned(), count).into(),
            count(file.shown).into(),
            file.name.chars().take(200).collect::<String>().into(),
        ]);
    }
    printer.table(&table)?;
    if report.files.is_empty() {
        printer.line(&[("No files at this step.", Tone::Faint)])?;
    }
    if !report.skills.is_empty() {
        printer.line(&[(&format!("skills: {}", report.skills.join(", ")), Tone::Plain)])?;
    }
    let names: Vec<&str> = BASE_TOOLS.iter().map(|tool| tool.name).collect();
    printer.line(&[(&format!("tools: {}", names.join(", ")), Tone::Faint)])?;
    Ok(())
}
