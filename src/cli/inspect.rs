//! `windowpane TRANSCRIPT`: inspect it. Where the output is no terminal, print what `show` prints.

use std::path::Path;
use std::process::ExitCode;

use clap::CommandFactory;

use crate::config::nearest;
use crate::present::Place;

use super::args::{Cli, Common, Look, StepArg};
use super::fail::usage;
use super::load::Session;
use super::screen;
use super::show::{self, ShowArgs};

/// The options with what `--at` says of thread and step, where they say nothing themselves.
pub fn at_place(look: &Look) -> anyhow::Result<Look> {
    let place: Place = look.at.as_deref().unwrap_or_default().parse().map_err(|why| usage(format!("--at: {why}")))?;
    let (thread, step) = (look.thread.or(place.thread), look.step.or(place.step.map(StepArg::Number)));
    Ok(Look { thread, step, ..look.clone() })
}

/// Says before any screen is shown that a path leads nowhere, and which command was meant where it is like one.
fn leads_somewhere(path: &Path) -> anyhow::Result<()> {
    let Err(why) = std::fs::metadata(path) else { return Ok(()) };
    if path == Path::new("-") {
        return Ok(());
    }
    let (name, program) = (path.to_string_lossy(), Cli::command());
    let near = nearest(&name, program.get_subcommands().map(clap::Command::get_name));
    let tip = near.map_or_else(String::new, |near| format!("; did you mean `windowpane {near}`?"));
    anyhow::bail!("cannot open {name}: {why}{tip}")
}

/// Inspects a transcript, or one of the sessions found on this machine.
pub fn inspect(path: Option<&Path>, look: &Look, common: &Common) -> anyhow::Result<ExitCode> {
    path.map_or(Ok(()), leads_somewhere)?;
    if screen::wanted(common) {
        let (own_look, own_common) = (look.clone(), common.clone());
        return screen::screen(path, "windowpane", look, common, move |name, watch| {
            Session::open_watched(Path::new(name), &own_look, &own_common, watch)
        });
    }
    let Some(path) = path else {
        return super::sessions::sessions(super::sessions::SessionsArgs::newest(), common.clone());
    };
    let session = Session::open(path, look, common)?;
    show::print(&session, &ShowArgs::of(at_place(look)?, common.clone()))
}
