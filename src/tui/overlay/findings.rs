//! Asks for findings, takes them, and goes where they lead.

use crate::config::Action;
use crate::tui::act::act as act_beneath;
use crate::tui::findings::{Complaint, FindingsRequest, FindingsView};
use crate::tui::input::Input;
use crate::tui::message::Effect;
use crate::tui::pages::{Page, enter};
use crate::tui::state::State;
use crate::tui::trace;

use super::{Overlay, Prompt};

/// Begins to look for what costs tokens or loses facts in the run that is shown.
pub fn look(state: &mut State) -> Vec<Effect> {
    let Some(session) = state.session_mut() else { return Vec::new() };
    let Some(from) = session.view.as_ref().map(crate::tui::inspect::Inspect::numbered) else { return Vec::new() };
    session.searches += 1;
    let (policy, named) = (session.pages.draft.policy.clone(), session.pages.draft.name.clone());
    let asked = FindingsRequest { number: session.searches, from, policy, named };
    let track = if asked.is_simulated() { session.pages.draft.title() } else { "recorded".to_owned() };
    state.overlay = Some(Overlay::Findings(Box::new(FindingsView::waiting(asked.number, track))));
    vec![Effect::Lint(Box::new(asked))]
}

/// What was found. Nobody may be waiting for it any more.
pub fn linted(state: &mut State, number: u64, found: Result<Vec<Complaint>, String>) {
    let Some(Overlay::Findings(view)) = &mut state.overlay else { return };
    if view.number != number {
        return;
    }
    match found {
        Ok(found) => view.found = Some(found),
        Err(why) => {
            state.overlay = None;
            state.complain(why);
        }
    }
}

/// Goes where the selected finding leads: to a policy's setting, or to the step and the entry that show it.
pub fn go(state: &mut State, view: Box<FindingsView>) -> Vec<Effect> {
    let chosen = view.chosen().map(|found| (found.setting, found.finding.step, found.finding.entry));
    let Some(session) = state.session_mut() else { return Vec::new() };
    match chosen {
        Some((Some(key), ..)) => {
            session.pages.tune.reveal(key);
            if session.pages.page == Page::Tune { Vec::new() } else { act_beneath(state, Action::TuneView) }
        }
        Some((None, Some(step), entry)) => {
            enter(session, Page::Main, true);
            if let Some(inspect) = &mut session.view {
                inspect.go_to(step);
                entry.into_iter().for_each(|entry| inspect.reveal(entry));
            }
            Vec::new()
        }
        Some((None, None, _)) | None => {
            state.overlay = Some(Overlay::Findings(view));
            Vec::new()
        }
    }
}

/// Follows the fact that the selected finding is about; where it is about none, asks for one.
pub fn follow(state: &mut State) -> Vec<Effect> {
    let Some(Overlay::Findings(view)) = &mut state.overlay else { return Vec::new() };
    if view.found.is_none() {
        view.early = true;
        return Vec::new();
    }
    match view.chosen().and_then(|chosen| chosen.finding.fact.clone()) {
        Some((fact, step)) => trace::follow(state, &fact, Some(step)),
        None => {
            state.overlay = Some(Overlay::Prompt(Prompt::Fact, Input::default()));
            Vec::new()
        }
    }
}
