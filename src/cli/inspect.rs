//! `windowpane TRANSCRIPT`: inspect it. Where the output is no terminal, print what `show` prints.

use std::path::Path;
use std::process::ExitCode;

use crate::present::Place;

use super::args::{Common, Look, StepArg};
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

/// Inspects a transcript, or one of the sessions found on this machine.
pub fn inspect(path: Option<&Path>, look: &Look, common: &Common) -> anyhow::Result<ExitCode> {
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
