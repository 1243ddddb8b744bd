//! Starts the screen.

use std::io::IsTerminal;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use crate::config::{SHIPPED, Theme};
use crate::content::Watch;
use crate::tui::{Opened, State, pictures, run};

use super::args::{Common, Look};
use super::load::{Session, preferences, settings_of};

/// Whether there is a terminal to draw on.
pub fn wanted(common: &Common) -> bool {
    !common.json && std::io::stdout().is_terminal()
}

/// Shows a session that `open` opens while the screen is up already. The name is what the user called it by.
pub fn screen(
    name: &Path,
    look: &Look,
    common: &Common,
    open: impl FnOnce(&Watch) -> anyhow::Result<Session> + Send + 'static,
) -> anyhow::Result<ExitCode> {
    let chosen = preferences(common, &settings_of(look))?;
    let mut state = State::new(&name.to_string_lossy(), chosen.theme, chosen.keymap);
    state.mouse = chosen.settings.mouse;
    state.wrap = chosen.settings.wrap;
    state.picker = pictures(chosen.settings.pictures);
    state.themes.extend(SHIPPED.iter().filter_map(|(name, _)| Theme::shipped(name)));
    let open = move |watch: &Watch| {
        let session = open(watch).map_err(|why| format!("{why:#}"))?;
        let (transcript, sources) = (Arc::clone(&session.transcript), session.sources.clone());
        let windows = Box::new(move |thread, watch: &Watch, tell: &mut dyn FnMut(crate::model::Run)| {
            // A thread that is not there has no windows: the screen stays as it is.
            let _ = session.follow(thread, watch, tell);
        });
        Ok(Opened { transcript, sources, windows })
    };
    run(state, Box::new(open))?;
    Ok(ExitCode::SUCCESS)
}
