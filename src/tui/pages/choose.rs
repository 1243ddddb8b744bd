//! Questions and lines that the pages lay over the screen: presets, values, files; and explanations.

use crate::policy::{PRESETS, Value, named};
use crate::present::{About, Became, PairCell, about_event, about_layer, about_setting, about_stage, safe};
use crate::tui::compaction::Pane;
use crate::tui::compare::Side;
use crate::tui::input::Input;
use crate::tui::message::Effect;
use crate::tui::over::{Overlay, Prompt, Question};
use crate::tui::overlay::{Choice, Dialog};
use crate::tui::state::State;

use super::Page;

/// Asks for a preset: for the policy that is tried, or for the side of a comparison.
pub fn pick(state: &mut State) {
    let Some(session) = state.session() else { return };
    let presets = PRESETS.iter().map(|preset| Choice { name: preset.name.into(), meaning: preset.about.into() });
    let (title, choices): (String, Vec<Choice>) = match session.pages.page {
        Page::Compare => {
            let first = [
                Choice { name: "recorded".into(), meaning: "What the agent really did.".into() },
                Choice { name: session.pages.lab.title(), meaning: "The policy of the tune view.".into() },
            ];
            let side = if session.pages.compare.focus == 0 { "upper" } else { "lower" };
            (format!("What the {side} timeline shows"), first.into_iter().chain(presets).collect())
        }
        _ => ("The preset to begin with".to_owned(), presets.collect()),
    };
    state.overlay = Some(Overlay::Dialog(Question::Preset, Dialog::new(title, choices)));
}

/// Takes the chosen preset.
pub fn chosen_preset(state: &mut State, at: Option<usize>) {
    let Some((session, at)) = state.session_mut().zip(at) else { return };
    let pages = &mut session.pages;
    if pages.page == Page::Compare {
        if let Some(side) = Side::all().nth(at) {
            pages.compare.choose(side);
        }
        return;
    }
    let Some(preset) = PRESETS.get(at) else { return };
    let chosen = pages.lab.choose(preset.name);
    let (changes, name) = (pages.lab.changes(), preset.name);
    match chosen {
        true if changes == 0 => state.say(format!("the preset {name}; undo brings the last policy back")),
        _ => state.complain(format!("{name} cannot be read")),
    }
}

/// Asks where the policy is to be saved.
pub fn save(state: &mut State) {
    let Some(session) = state.session() else { return };
    let stem: String =
        session.pages.lab.name.chars().map(|sign| if sign.is_alphanumeric() { sign } else { '-' }).collect();
    let name = format!("{}-tuned.toml", safe(stem.trim_end_matches("-toml")));
    state.overlay = Some(Overlay::Prompt(Prompt::Save, Input::with(&name)));
}

/// Takes the path to save to.
pub fn typed_path(state: &State, path: &str) -> Vec<Effect> {
    let path = path.trim();
    match state.session().filter(|_| !path.is_empty()) {
        Some(session) => vec![Effect::Save { path: path.to_owned(), text: session.pages.lab.file(), force: false }],
        None => Vec::new(),
    }
}

/// Asks whether a file is to be written over.
pub fn exists(state: &mut State, path: String) {
    let choices = vec![
        Choice { name: "keep it".into(), meaning: "Nothing is saved.".into() },
        Choice { name: "write over it".into(), meaning: "What it holds is gone.".into() },
    ];
    let title = format!("{} is there already", safe(&path));
    state.overlay = Some(Overlay::Dialog(Question::Exists(path), Dialog::new(title, choices)));
}

/// Takes the answer to whether a file is to be written over.
pub fn chosen_saved(state: &State, path: String, at: Option<usize>) -> Vec<Effect> {
    match (state.session(), at) {
        (Some(session), Some(1)) => vec![Effect::Save { path, text: session.pages.lab.file(), force: true }],
        _ => Vec::new(),
    }
}

/// Takes a value that was typed for a setting.
pub fn typed_value(state: &mut State, key: &str, text: &str) {
    let Some((session, setting)) = state.session_mut().zip(named(key)) else { return };
    let lab = &mut session.pages.lab;
    lab.pause();
    let set = lab.set(setting, &Value::from_argument(text, setting.kind));
    lab.pause();
    if let Err(why) = set {
        state.complain(format!("{key}: {why}; allowed: {}", setting.allowed()));
    }
}

/// Takes the words that settings are sought by.
pub fn typed_filter(state: &mut State, text: &str) {
    if let Some(session) = state.session_mut() {
        session.pages.tune.filter = text.trim().to_owned();
    }
}

/// What is under the cursor, explained: a stage, an event, a layer or a setting.
#[must_use]
pub fn explained(state: &State) -> Option<About> {
    use crate::config::Context;
    let (session, view) = (state.session()?, state.view()?);
    let run = view.index.run();
    match state.beneath() {
        Context::Compaction => {
            let page = &session.pages.compaction;
            let of_cell = match page.chosen().filter(|_| page.pane != Pane::Stages) {
                Some(PairCell::Entry(_, Became::Changed(_, id))) => run.events.get(id.0 as usize).map(about_event),
                Some(PairCell::Entry(id, _)) => run.entry(id).map(|entry| about_layer(entry.layer)),
                Some(PairCell::Line(..)) => Some(about_layer(crate::model::Layer::Summaries)),
                _ => None,
            };
            let row = page.current()?;
            of_cell
                .or_else(|| row.events.first().and_then(|id| run.events.get(id.0 as usize)).map(about_event))
                .or_else(|| Some(about_stage(row.stage)))
        }
        Context::Tune => session.pages.tune.current().map(about_setting),
        Context::Layers => view.layers.get(view.layer.cursor).map(|layer| about_layer(*layer)),
        Context::Events => view.current_event().and_then(|id| run.events.get(id.0 as usize)).map(about_event),
        Context::Window | Context::Entry => {
            view.selected.and_then(|id| run.entry(id)).map(|entry| about_layer(entry.layer))
        }
        _ => None,
    }
}
