//! `windowpane pack`: the packed prompt of a step, and where every byte of it came from.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use clap::builder::PossibleValuesParser;

use crate::export::{Form, Manifest, Pack, manifest, pack as pack_window};
use crate::io::write_whole;
use crate::present::{bytes, count};

use super::args::{Look, Subject};
use super::fail::usage;
use super::load::Session;
use super::print::{Printer, json_line};
use super::schema::{self, Either};

/// Arguments of `pack`.
#[derive(Clone, Debug, Args)]
pub struct PackArgs {
    #[command(flatten)]
    pub subject: Subject,
    /// The form: markdown, text, anthropic or openai (request bodies), or json. Without it, the ending of OUT decides.
    #[arg(long = "as", value_name = "FORM", value_parser = PossibleValuesParser::new(Form::ALL.iter().map(|form| form.name())))]
    form: Option<String>,
    /// Where to write; - is standard output.
    #[arg(short, long, value_name = "OUT", default_value = "-")]
    out: PathBuf,
    /// Where to write the manifest: for every byte of the output, where it came from.
    #[arg(long, value_name = "FILE")]
    manifest: Option<PathBuf>,
    /// A data folder: the virtual files of the step are written into the session's workspace there, and the pointers in
    /// the prompt lead to them (tool_results.workspace).
    #[arg(long, value_name = "DIR")]
    workspace: Option<PathBuf>,
    /// Write over files that are there.
    #[arg(long)]
    force: bool,
}

/// Packs the window of a step.
pub fn pack(args: PackArgs) -> anyhow::Result<ExitCode> {
    let Subject { look, common, schema, .. } = &args.subject;
    if *schema {
        return schema::print::<Either<Pack, Manifest>>(common);
    }
    let form = form(&args)?;
    let to_stdout = |path: &Path| path == Path::new("-");
    if let Some(path) = &args.manifest
        && *path == args.out
    {
        return Err(usage("the manifest and the output cannot be the same file"));
    }
    if !args.force {
        let mut files = [Some(&args.out), args.manifest.as_ref()].into_iter().flatten();
        let there = |path: &&PathBuf| !to_stdout(path) && path.symlink_metadata().is_ok_and(|about| !about.is_dir());
        if let Some(path) = files.find(there) {
            return Err(usage(format!("{} is there already; --force writes over it", path.display())));
        }
    }
    let session = args.subject.open()?;
    if let Some(path) =
        [Some(&args.out), args.manifest.as_ref()].into_iter().flatten().find(|path| is_read(path, &session, look))
    {
        return Err(usage(format!("{} is read to make the prompt: it would be lost", path.display())));
    }
    let view = session.view_step(look)?;
    let packed = pack_window(
        &session.transcript,
        &session.sources,
        &view.run,
        view.step,
        session.preferences.settings.model.as_deref(),
        form,
    )?;
    let mut printer = Printer::new(common);
    if let Some(folder) = &args.workspace {
        let chosen = session.chosen(look)?;
        let policy = (chosen.name.as_str(), &chosen.policy);
        session.save_workspace(folder, (&view.run, view.step), policy, args.force, &mut printer)?;
    }
    let mut manifest_text = None;
    if args.manifest.is_some() {
        let whole = manifest(&packed, &session.transcript, &view.run, view.step, form);
        manifest_text = Some(json_line(&whole)?);
    }
    for (path, text) in [(Some(&args.out), Some(&packed.text)), (args.manifest.as_ref(), manifest_text.as_ref())] {
        let (Some(path), Some(text)) = (path, text) else { continue };
        if !to_stdout(path) {
            write_whole(path, text.as_bytes(), args.force)
                .map_err(|error| anyhow::anyhow!("{}: {error}", path.display()))?;
            printer.remark(&format!("{}: {}, step {}", path.display(), bytes(text.len() as u64), view.step));
        } else if std::io::stdout().is_terminal() {
            printer.text(text)?;
        } else {
            printer.bytes(text.as_bytes())?;
        }
    }
    for note in &packed.notes {
        let times = match note.entries.len() {
            0 | 1 => String::new(),
            times => format!(" ({} times)", count(times as u64)),
        };
        printer.remark(&format!("note: {}{times}", note.note));
    }
    printer.done()
}

/// Whether what would be written over is what the prompt is made from.
fn is_read(path: &Path, session: &Session, look: &Look) -> bool {
    let Ok(target) = path.canonicalize() else { return false };
    let beside = session.attached.files.iter().map(|file| file.name.as_str());
    let given = [&look.system, &look.tools].into_iter().flatten().map(PathBuf::from);
    let policy = look.policy.iter().map(PathBuf::from);
    let mut read = session
        .transcript
        .sources
        .iter()
        .map(|source| source.name.as_str())
        .chain(beside)
        .map(PathBuf::from)
        .chain(given)
        .chain(policy);
    read.any(|path| path.canonicalize().is_ok_and(|path| path == target))
}

/// The form that is asked for, or that the output's name says.
fn form(args: &PackArgs) -> anyhow::Result<Form> {
    if let Some(name) = &args.form {
        let found = Form::ALL.iter().copied().find(|form| form.name() == name);
        return found.ok_or_else(|| usage(format!("there is no form {name:?}")));
    }
    Ok(match args.out.extension().and_then(|ending| ending.to_str()) {
        Some("txt" | "text") => Form::Text,
        Some("json") => Form::Json,
        _ if args.subject.common.json => Form::Json,
        _ => Form::Markdown,
    })
}
