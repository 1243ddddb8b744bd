//! Questions and lines that the pages lay over the screen: presets, values, files; and explanations.

use crate::export::{Sweep, sweep_csv};
use crate::inquiry::{Fact, Vary};
use crate::policy::{Origins, PRESETS, Value, named};
use crate::present::{
    About, Became, DiffRow, PairCell, about_event, about_layer, about_moved, about_setting, about_stage, about_sweep,
    counted, safe,
};
use crate::tui::compaction::Pane;
use crate::tui::compare::Side;
use crate::tui::input::Input;
use crate::tui::message::Effect;
use crate::tui::overlay::{Choice, Dialog};
use crate::tui::overlay::{Overlay, Prompt, Question};
use crate::tui::scene::Row;
use crate::tui::state::{Session, State};

use super::Page;

/// The presets that a policy may begin with, each with its profiles behind it.
fn beginnings() -> Vec<Choice> {
    let all = PRESETS.iter().flat_map(|preset| {
        let of = |profile: String| Choice {
            name: format!("{}/{profile}", preset.name),
            meaning: format!("{} in its profile {profile}.", preset.name),
        };
        let own = Choice { name: preset.name.into(), meaning: preset.about.into() };
        std::iter::once(own).chain(preset.variants().0.into_iter().map(of))
    });
    all.collect()
}

/// The policy that is tried, where it is none of those that are listed: a file's, or a version.
fn own(session: &Session) -> Option<Choice> {
    let draft = &session.pages.draft;
    let is_listed = beginnings().iter().any(|one| one.name == draft.name);
    (!is_listed).then(|| Choice { name: draft.title(), meaning: "The policy as it is now.".into() })
}

/// Asks for a preset: for the policy that is tried, or for the side of a comparison.
pub fn pick(state: &mut State) {
    let Some(session) = state.session() else { return };
    let (title, choices): (String, Vec<Choice>) = match session.pages.page {
        Page::Compare => {
            let draft = &session.pages.draft;
            let choice = |side: Side| match side {
                Side::Recorded => Choice { name: side.name().into(), meaning: "What the agent really did.".into() },
                Side::Tried => Choice { name: draft.title(), meaning: "The policy of the tune view.".into() },
                Side::Preset(name) => {
                    let about = PRESETS.iter().find(|preset| preset.name == name).map_or("", |preset| preset.about);
                    Choice { name: name.into(), meaning: about.into() }
                }
            };
            let side = if session.pages.compare.focus == 0 { "upper" } else { "lower" };
            (format!("What the {side} timeline shows"), Side::offered(draft).map(choice).collect())
        }
        _ => ("The preset to begin with".to_owned(), own(session).into_iter().chain(beginnings()).collect()),
    };
    let now = match session.pages.page {
        Page::Compare => {
            let now = &session.pages.compare.sides[session.pages.compare.focus];
            Side::offered(&session.pages.draft).position(|side| side == *now)
        }
        _ => beginnings().iter().position(|one| one.name == session.pages.draft.name),
    };
    let dialog = Dialog::new(title, choices).at(now.unwrap_or(0));
    state.overlay = Some(Overlay::Dialog(Question::Preset, dialog));
}

/// Takes the chosen preset.
pub fn chosen_preset(state: &mut State, at: Option<usize>) {
    let Some((session, at)) = state.session_mut().zip(at) else { return };
    let before = usize::from(own(session).is_some());
    let pages = &mut session.pages;
    if pages.page == Page::Compare {
        let side = Side::offered(&pages.draft).nth(at);
        side.into_iter().for_each(|side| pages.compare.choose(side));
        return;
    }
    let Some(Choice { name, .. }) = at.checked_sub(before).and_then(|at| beginnings().into_iter().nth(at)) else {
        return;
    };
    let chosen = pages.draft.choose(&name);
    let changes = pages.draft.changes();
    match chosen {
        true if changes == 0 => state.say(format!("the preset {name}; undo brings the last policy back")),
        _ => state.complain(format!("{name} cannot be read")),
    }
}

/// Asks where the policy is to be saved.
pub fn save(state: &mut State) {
    let Some(session) = state.session() else { return };
    let stem: String =
        session.pages.draft.name.chars().map(|sign| if sign.is_alphanumeric() { sign } else { '-' }).collect();
    let name = format!("{}-tuned.toml", safe(stem.trim_end_matches("-toml")));
    state.overlay = Some(Overlay::Prompt(Prompt::Save, Input::with(&name)));
}

/// The name of a file for the runs of a sweep.
pub fn runs_name(state: &State) -> String {
    let name = state.session().map_or("", |session| session.name.as_str());
    let stem = name.split('.').next().filter(|stem| !stem.is_empty()).unwrap_or("session");
    format!("{}-sweep.csv", safe(stem))
}

/// What is saved on the page that is shown: the runs of a sweep by the name's ending, else the policy; and what is said
/// of it.
fn saved(session: &Session, path: &str) -> (String, String) {
    let pages = &session.pages;
    if pages.page != Page::Sweep {
        return (pages.draft.file(), format!("; --policy {path} replays under it"));
    }
    let sweep = &pages.sweep;
    let text = if path.to_lowercase().ends_with(".json") {
        let facts = sweep.facts.as_deref().unwrap_or_default();
        let facts: Vec<(&str, u32)> = facts.iter().map(|fact| (fact.text.as_str(), fact.needed)).collect();
        Sweep::new(&pages.draft.title(), &sweep.vary, &facts, &sweep.points, sweep.axis)
            .stopped(!sweep.is_whole())
            .json()
    } else {
        sweep_csv(&sweep.vary, &sweep.points, sweep.axis, !sweep.is_whole())
    };
    (text, format!(", {}", counted(sweep.points.len() as u64, "run", "runs")))
}

/// Takes the values that were typed for a setting of a sweep.
pub fn typed_values(state: &mut State, key: &'static str, text: &str) {
    let Some(session) = state.session_mut() else { return };
    let window = super::act::window(session);
    let pages = &mut session.pages;
    // A line that was emptied asks for values around the present one.
    let named = if text.trim().is_empty() { key.to_owned() } else { format!("{key}={text}") };
    match Vary::parse(&named, &pages.draft.policy, window) {
        Ok(vary) => pages.sweep.put(vary),
        Err(why) => {
            state.overlay = Some(Overlay::Prompt(Prompt::Values(key), Input::with(text)));
            state.complain(why.to_string());
        }
    }
}

/// Takes a fact that was typed for a sweep.
pub fn typed_fact(state: &mut State, text: &str) {
    let Some(session) = state.session_mut() else { return };
    match Fact::parse(text) {
        Ok(fact) => session.pages.sweep.add(&fact.text),
        Err(why) => {
            state.overlay = Some(Overlay::Prompt(Prompt::SweptFact, Input::with(text)));
            state.complain(why.to_string());
        }
    }
}

/// Takes the path to save to.
pub fn typed_path(state: &State, path: &str) -> Vec<Effect> {
    let path = path.trim();
    match state.session().filter(|_| !path.is_empty()) {
        Some(session) => {
            let (text, said) = saved(session, path);
            vec![Effect::Save { path: path.to_owned(), text, force: false, said }]
        }
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
        (Some(session), Some(1)) => {
            let (text, said) = saved(session, &path);
            vec![Effect::Save { path, text, force: true, said }]
        }
        _ => Vec::new(),
    }
}

/// Takes a value that was typed for a setting.
pub fn typed_value(state: &mut State, key: &'static str, text: &str) {
    let Some((session, setting)) = state.session_mut().zip(named(key)) else { return };
    let draft = &mut session.pages.draft;
    draft.pause();
    let set = draft.set(setting, &Value::from_argument(text, setting.kind));
    draft.pause();
    if let Err(why) = set {
        state.overlay = Some(Overlay::Prompt(Prompt::Value(key), Input::with(text)));
        state.complain(format!("{key}: {why}; allowed: {}", setting.allowed()));
    }
}

/// Takes the words that settings are sought by.
pub fn typed_filter(state: &mut State, text: &str) {
    if let Some(session) = state.session_mut() {
        let pages = &mut session.pages;
        let list = if pages.page == Page::Sweep { &mut pages.sweep.list } else { &mut pages.tune };
        list.filter = text.trim().to_owned();
    }
}

/// Takes the words that memories are sought by.
pub fn typed_memory(state: &mut State, text: &str) {
    if let Some(session) = state.session_mut() {
        session.pages.memory.seek_words(text.trim());
    }
}

/// What is under the cursor, explained: a stage, an event, a layer or a setting.
#[must_use]
pub fn explained(state: &State) -> Option<About> {
    use crate::config::Context;
    if state.beneath() == Context::Documents {
        return state.documents.as_ref().and_then(crate::tui::documents::explained);
    }
    let (session, view) = (state.session()?, state.view()?);
    let run = view.index.run();
    let said = session.pages.draft.origins_in_force();
    match state.beneath() {
        Context::Compaction => {
            let page = &session.pages.compaction;
            let of_cell = match page.chosen().filter(|_| page.pane != Pane::Stages) {
                Some(PairCell::Entry(entry, Became::Changed(_, id))) => run.event(id).map(|event| {
                    let by_agent = event.as_sent_cut(entry);
                    about_event(run, by_agent.as_ref().unwrap_or(event.own(entry)), &said)
                }),
                Some(PairCell::Entry(id, _)) => run.entry(id).map(|entry| about_layer(entry.layer)),
                Some(PairCell::Line(..)) => Some(about_layer(crate::model::Layer::Summaries)),
                _ => None,
            };
            let row = page.current()?;
            of_cell
                .or_else(|| {
                    row.events.first().and_then(|id| run.event(*id)).map(|event| about_event(run, event, &said))
                })
                .or_else(|| Some(about_stage(row.stage)))
        }
        Context::Compare => explained_beside(&session.pages.compare),
        Context::Memory | Context::Graph => crate::tui::memory::explained(&session.pages.memory),
        Context::Tune => session.pages.tune.current().map(|setting| {
            let draft = &session.pages.draft;
            match draft.origins.get(setting.key).filter(|_| draft.differs(setting)) {
                Some(of) => about_moved(setting, (&draft.name, &(setting.get)(&draft.base)), of),
                None => about_setting(setting, said.get(setting.key)),
            }
        }),
        Context::Sweep => match session.pages.sweep.pane {
            crate::tui::sweep::Pane::Settings => {
                session.pages.sweep.list.current().map(|setting| about_setting(setting, None))
            }
            _ => Some(about_sweep(session.pages.sweep.axis)),
        },
        Context::Layers => view.layers.get(view.layer.cursor).map(|layer| about_layer(*layer)),
        Context::Events => {
            view.current_event().and_then(|id| run.event(id)).map(|event| about_event(run, event, &said))
        }
        Context::Window | Context::Entry => match view.shown.rows.get(view.row.cursor) {
            Some(Row::Boundary(id)) => run.event(*id).map(|event| about_event(run, event, &said)),
            _ => view.here().and_then(|id| run.entry(id)).map(|entry| about_layer(entry.layer)),
        },
        _ => None,
    }
}

/// The row under the cursor of a comparison: what made its entry, else its layer; of the side in focus first.
fn explained_beside(compare: &crate::tui::compare::Compare) -> Option<About> {
    let DiffRow::Entry(one, other, _) = compare.diff.rows.get(compare.row.cursor)? else { return None };
    let focus = compare.focus.min(1);
    [focus, 1 - focus].into_iter().find_map(|side| {
        let run = compare.views[side].as_ref()?.index.run();
        let entry = run.entry([*one, *other][side]?)?;
        let event = entry.made_by.and_then(|id| run.event(id));
        let id = [*one, *other][side]?;
        Some(event.map_or_else(|| about_layer(entry.layer), |event| about_event(run, event.own(id), &Origins::new())))
    })
}
