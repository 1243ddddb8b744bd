//! What is done with a trace: begun, asked at another step, asked for settings, left for where it leads.

use crate::config::{Action, Context};
use crate::inquiry::Fact;
use crate::policy::{Value, named};
use crate::tui::act::act as act_beneath;
use crate::tui::input::Input;
use crate::tui::message::Effect;
use crate::tui::overlay::{Overlay, Prompt, search};
use crate::tui::pages;
use crate::tui::state::State;
use crate::tui::step_moves::{Target, nowhere, target};

use super::{Row, TraceRequest, TraceResult, TraceView, WhatIfRequest};

/// Begins to trace a fact, and asks for it at a step; else when somebody asked for it, or at the end.
pub fn follow(state: &mut State, text: &str, step: Option<u32>) -> Vec<Effect> {
    let asked = state.view().map(crate::tui::inspect::Inspect::numbered);
    let Some((session, from)) = state.session_mut().zip(asked) else { return Vec::new() };
    if let Err(why) = Fact::parse(text) {
        state.overlay = Some(Overlay::Prompt(Prompt::Fact, Input::with(text)));
        state.complain(why.to_string());
        return Vec::new();
    }
    session.pages.compare.facts.trace(text);
    session.searches += 1;
    let number = session.searches;
    let policy = (from.of.number > 0).then(|| session.pages.draft.policy.clone());
    let step = step.map(|step| step.clamp(1, from.run.last_step().max(1)));
    state.overlay = Some(Overlay::Trace(Box::new(TraceView { step, ..TraceView::waiting(number, text) })));
    vec![Effect::Trace(Box::new(TraceRequest { number, from, policy, fact: text.to_owned(), step }))]
}

/// Asks for the fact that is traced at another step. What is shown stays until the answer is there.
pub fn ask_at(state: &mut State, action: Action) -> Vec<Effect> {
    let Some(index) = state.view().map(|view| &view.index).cloned() else { return Vec::new() };
    let Some(Overlay::Trace(shown)) = &state.overlay else { return Vec::new() };
    let Some(told) = &shown.told else { return Vec::new() };
    let from = shown.step.unwrap_or(told.need);
    let to = match target(action, from, &[&index]) {
        Some(Target::Step(to)) => to.min(told.steps),
        Some(Target::Nowhere) | None => from,
    };
    if to == from {
        nowhere(action).into_iter().for_each(|why| state.say(why));
        return Vec::new();
    }
    let (fact, told, scroll) = (shown.fact.clone(), shown.told.clone(), shown.scroll);
    let mut effects = if shown.asking { vec![Effect::StopTrace] } else { Vec::new() };
    effects.extend(follow(state, &fact, Some(to)));
    if let Some(Overlay::Trace(view)) = &mut state.overlay {
        (view.told, view.scroll) = (told.map(|told| TraceResult { whole: false, ..told }), scroll);
    }
    effects
}

/// Begins to look for the settings that would have kept the fact that is traced.
pub fn what_if(state: &mut State) -> Vec<Effect> {
    let known = state.session().zip(state.view());
    let Some((thread, policy)) = known.map(|(session, view)| (view.thread, session.pages.draft.policy.clone())) else {
        return Vec::new();
    };
    let Some(Overlay::Trace(view)) = &mut state.overlay else { return Vec::new() };
    let Some(step) =
        view.told.as_ref().filter(|told| told.standing.came_in()).map(|told| view.step.unwrap_or(told.need))
    else {
        return Vec::new();
    };
    (view.asking, view.tried) = (true, (0, 0));
    let (number, fact) = (view.number, view.fact.clone());
    vec![Effect::WhatIf(Box::new(WhatIfRequest { number, thread, policy, fact, step }))]
}

/// What was found of settings. Nobody may be waiting for it any more.
pub fn helped(state: &mut State, number: u64, found: Result<Vec<Row>, String>, whole: bool) {
    let Some(Overlay::Trace(view)) = &mut state.overlay else { return };
    if view.number != number {
        return;
    }
    match found {
        Ok(rows) => view.take_help(rows, whole),
        Err(why) => {
            view.asking = false;
            state.complain(why);
        }
    }
}

/// Puts settings into the policy that is tried, and opens the view of it.
pub fn apply(state: &mut State, sets: &[(&'static str, Value)]) -> Vec<Effect> {
    let Some(session) = state.session_mut() else { return Vec::new() };
    session.pages.draft.pause();
    for (key, value) in sets {
        // The value was replayed, so it is allowed.
        if let Some(setting) = named(key) {
            let _ = session.pages.draft.set(setting, value);
        }
    }
    session.pages.draft.pause();
    if let Some((key, _)) = sets.first() {
        session.pages.tune.reveal(key);
    }
    if session.pages.page == pages::Page::Tune { Vec::new() } else { act_beneath(state, Action::TuneView) }
}

/// Goes where the selected row of a trace leads, with the fact marked there.
pub fn go(state: &mut State, view: Box<TraceView>) -> Vec<Effect> {
    if let Some(sets) = view.answer() {
        return apply(state, sets);
    }
    let Some(goal) = view.chosen().cloned() else {
        state.overlay = Some(Overlay::Trace(view));
        return Vec::new();
    };
    // Where there is no room for all panes, that of the text takes it.
    let opens = !goal.gone && state.layout().entry.is_empty();
    if let Some(inspect) = state.view_mut() {
        inspect.go_to(goal.step);
        if let Some(entry) = goal.entry {
            inspect.reveal(entry);
        }
        if opens {
            inspect.focus = Context::Entry;
        }
    }
    search(state, &goal.text, goal.gone)
}

/// What a trace found. Nobody may be waiting for it any more.
pub fn traced(state: &mut State, number: u64, found: Result<TraceResult, String>) {
    let Some(Overlay::Trace(view)) = &mut state.overlay else { return };
    if view.number != number {
        return;
    }
    match found {
        Ok(told) => view.take(told),
        Err(why) => {
            let fact = view.fact.clone();
            state.overlay = Some(Overlay::Prompt(Prompt::Fact, Input::with(&fact)));
            state.complain(why);
        }
    }
}
