//! `windowpane TRANSCRIPT`: inspect it. Where the output is no terminal, print what `show` prints.

use std::path::Path;
use std::process::ExitCode;

use super::args::{Common, Look};
use super::load::Session;
use super::screen;
use super::show::{self, ShowArgs};

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
    show::print(&session, &ShowArgs::of(look.clone(), common.clone()))
}
