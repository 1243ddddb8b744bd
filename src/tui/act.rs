//! What each action does to the state.

use crate::config::{Action, Context};
use crate::model::{Entry, Fate, Layer};
use crate::present::{Place, View};

use super::act_documents::{document, open_documents, stop_choosing};
use super::inspect::Inspect;
use super::layout::PANES;
use super::list::rows_of;
use super::main_screen::HEAD;
use super::message::Effect;
use super::overlay::{self, EventCard, Overlay, link, opens};
use super::pages;
use super::picker::Picker as Sessions;
use super::scene::{Changes, Marks, Order, Row};
use super::state::{Phase, State};
use super::step_moves::{Target, nowhere, target};
use super::subagent::{leave, open_subagent, subagent_of};
use super::threads::go_to_thread;

/// Does an action; returns what is to be done outside.
pub fn act(state: &mut State, action: Action) -> Vec<Effect> {
    match action {
        Action::Quit => return vec![Effect::Quit],
        Action::Suspend => return vec![Effect::Suspend],
        Action::Redraw => return vec![Effect::Redraw],
        Action::Stop => return stop(state),
        Action::Mouse => {
            state.mouse = !state.mouse;
            let text = if state.mouse { "the mouse scrolls and selects here" } else { "the mouse is the terminal's" };
            state.say(text);
            return vec![Effect::Mouse(state.mouse)];
        }
        Action::Theme => {
            let at = state.themes.iter().position(|theme| theme.name == state.theme.name).unwrap_or(0);
            if let Some(next) = state.themes.get((at + 1) % state.themes.len().max(1)) {
                state.theme = next.clone();
                let name = state.theme.name.clone();
                state.say(format!("theme {name}"));
            }
        }
        _ if state.overlay.is_some() => return overlay::act(state, action),
        Action::CopyLink if state.sessions.is_none() => return link(state).map(Effect::Copy).into_iter().collect(),
        _ if state.documents.is_some() && state.sessions.is_none() && beside(action) => return document(state, action),
        _ if state.sessions.is_none() && awaits(state, action) => {}
        Action::Documents => return open_documents(state),
        _ if state.sessions.is_some() && beside(action) => return choose(state, action),
        Action::Sessions => return vec![Effect::Sessions],
        _ => return on_screen(state, action),
    }
    Vec::new()
}

/// While a session is opened, remembers the view that is asked for: it opens with it. Says whether the action is one.
fn awaits(state: &mut State, action: Action) -> bool {
    let is_opening = match &state.phase {
        Phase::Opening { .. } => true,
        Phase::Open(session) => session.view.is_none(),
        Phase::Empty | Phase::Failed(_) => false,
    };
    let view =
        View::ALL.iter().find(|view| view.name() == action.name().trim_end_matches("-view")).filter(|_| is_opening);
    if let Some(view) = view {
        state.wanted = Place { view: Some(*view), ..Place::default() };
        state.say(format!("{} will be shown once the session is there", view.name()));
    }
    view.is_some()
}

/// Does an action of a page, or of the main screen.
fn on_screen(state: &mut State, action: Action) -> Vec<Effect> {
    if let Some(effects) = pages::act(state, action) {
        return effects;
    }
    match action {
        Action::Back => return back(state),
        _ if opens(state, action) => {}
        Action::Findings => return overlay::look(state),
        Action::NextHit | Action::PreviousHit => return hit(state, action == Action::NextHit),
        Action::OpenSubagent => return open_subagent(state),
        Action::LeaveSubagent => {
            if state.session().is_some_and(|session| session.trail.is_empty()) {
                state.say("no call led to this thread: there is none to go back to");
            }
            return leave(state);
        }
        Action::CopyText => {
            let wanted = state.view().and_then(|view| Some(Effect::CopyEntry(view.numbered(), view.here()?)));
            if wanted.is_none() {
                state.complain("no entry is selected");
            }
            return wanted.into_iter().collect();
        }
        Action::EntryDown => read_on(state, 1),
        Action::EntryUp => read_on(state, -1),
        Action::ShowOriginal | Action::Raw | Action::Wrap | Action::ScrollRight | Action::ScrollLeft => {
            return display(state, action);
        }
        _ => {
            let context = state.context();
            if let Some(session) = state.session_mut()
                && let Some(view) = &mut session.view
            {
                let transcript = std::sync::Arc::clone(&session.transcript);
                let from = view.step;
                if steps(view, action) {
                    let stayed = view.step == from;
                    if let Some(why) = nowhere(action).filter(|_| stayed) {
                        state.say(why);
                    }
                    return Vec::new();
                }
                if panes(view, action) || window(view, &transcript, action) {
                    return Vec::new();
                }
                if action == Action::Open {
                    return open(state);
                }
            }
            moves(state, context, action);
        }
    }
    Vec::new()
}

/// Whether an action belongs to the list of sessions while it is shown.
fn beside(action: Action) -> bool {
    !matches!(action, Action::Help | Action::Palette)
}

/// Does an action in the list of sessions.
fn choose(state: &mut State, action: Action) -> Vec<Effect> {
    let height = Sessions::list_area(state.area()).height;
    let Some(sessions) = &mut state.sessions else { return Vec::new() };
    if action == Action::Open {
        let path = sessions.chosen().map(|(_, item)| item.path.clone());
        return path.map(|path| state.open(&path)).into_iter().collect();
    }
    if !sessions.act(action, height) && !matches!(state.phase, Phase::Empty) {
        state.sessions = None;
    }
    Vec::new()
}

/// Moves from step to step. Says whether the action was one.
pub fn steps(view: &mut Inspect, action: Action) -> bool {
    let entry = || view.index.run().entry(view.here()?);
    let to = match action {
        Action::GoToBirth => entry().map(Entry::born),
        Action::GoToDeath => entry().and_then(Entry::died),
        _ => match target(action, view.step, &[&view.index]) {
            Some(Target::Step(step)) => Some(step),
            Some(Target::Nowhere) => None,
            None => return false,
        },
    };
    if let Some(to) = to {
        view.go_to(to);
    }
    true
}

fn panes(view: &mut Inspect, action: Action) -> bool {
    let at = PANES.iter().position(|pane| *pane == view.focus).unwrap_or(0);
    let to = match action {
        Action::NextPane => PANES.get((at + 1) % PANES.len()).copied(),
        Action::PreviousPane => PANES.get((at + PANES.len() - 1) % PANES.len()).copied(),
        Action::PaneTimeline => Some(Context::Timeline),
        Action::PaneLayers => Some(Context::Layers),
        Action::PaneWindow => Some(Context::Window),
        Action::PaneEntry => Some(Context::Entry),
        Action::PaneEvents => Some(Context::Events),
        Action::ZoomPane => {
            view.zoomed = !view.zoomed;
            return true;
        }
        _ => return false,
    };
    if let Some(to) = to {
        view.focus = to;
    }
    true
}

fn window(view: &mut Inspect, transcript: &crate::model::Transcript, action: Action) -> bool {
    match action {
        Action::Sort => {
            view.settings.order = match view.settings.order {
                Order::Window => Order::Size,
                Order::Size => Order::Age,
                Order::Age => Order::Window,
            };
            view.tail = false;
            if view.settings.order == Order::Size {
                view.by_size = false;
                largest(view);
            }
        }
        Action::FilterLayer => filter(view),
        Action::Difference => {
            view.settings.changes = match view.settings.changes {
                Changes::Signs => Changes::Only,
                Changes::Only => Changes::Signs,
            };
        }
        Action::Fold if view.focus == Context::Window => {
            let message = match view.shown.rows.get(view.row.cursor) {
                Some(Row::Message { message, .. }) => Some(*message),
                _ => view.message_of_selected(transcript),
            };
            if let Some(message) = message {
                view.settings.fold.turn(message);
                view.tail = false;
            }
        }
        Action::FoldAll => {
            view.settings.fold = super::scene::Fold { all: !view.settings.fold.all, ..Default::default() };
        }
        Action::LargestEntry => largest(view),
        _ => return false,
    }
    true
}

/// Shows only the layer under the cursor, or all again.
fn filter(view: &mut Inspect) {
    let layer = match view.focus {
        Context::Layers => view.layers.get(view.layer.cursor).copied(),
        _ => view.here().and_then(|id| view.index.run().entry(id)).map(|entry| entry.layer),
    };
    view.settings.layer = match (view.settings.layer, layer) {
        (Some(shown), Some(layer)) if shown == layer => None,
        (Some(_), _) if view.focus != Context::Layers => None,
        (_, layer) => layer.filter(|layer| *layer < Layer::Unlogged),
    };
}

/// Selects the largest entry of the window, or the next in size after the one that is selected.
fn largest(view: &mut Inspect) {
    let run = std::sync::Arc::clone(view.index.run());
    let tokens = |id| run.entry(id).map_or(0, |entry| entry.tokens);
    let mut all = view.index.window(view.step);
    all.sort_by_key(|id| (std::cmp::Reverse(tokens(*id)), *id));
    let at = view.selected.and_then(|selected| all.iter().position(|id| *id == selected));
    let next = match at {
        Some(at) if at < 20 && view.by_size => at + 1,
        _ => 0,
    };
    if let Some(id) = all.get(next).or(all.first()) {
        view.reveal(*id);
        view.by_size = true;
    }
}

fn open(state: &mut State) -> Vec<Effect> {
    let Some(view) = state.view_mut() else { return Vec::new() };
    match view.focus {
        Context::Layers => filter(view),
        Context::Window => match view.shown.rows.get(view.row.cursor) {
            Some(Row::Message { message, .. }) => {
                let message = *message;
                view.settings.fold.turn(message);
            }
            Some(Row::Boundary(event)) => {
                state.overlay = EventCard::new(view.index.run(), *event).map(Overlay::Event);
            }
            Some(Row::Entry(..)) => {
                if subagent_of(state).is_some() {
                    return open_subagent(state);
                }
                if let Some(view) = state.view_mut() {
                    view.focus = Context::Entry;
                }
            }
            Some(Row::Same { .. }) => view.settings.changes = Changes::Signs,
            None => {}
        },
        Context::Events => {
            let card = view.current_event().and_then(|id| EventCard::new(view.index.run(), id));
            state.overlay = card.map(Overlay::Event);
        }
        _ => view.focus = Context::Window,
    }
    Vec::new()
}

/// Draws the timeline's steps wider, or narrower.
fn zoom(state: &mut State, wider: bool) {
    let chart = state.chart().width;
    let Some(view) = state.view_mut() else { return };
    let steps = view.index.steps();
    let scale = view.timeline.scale(steps, chart);
    let next = if wider { scale.wider() } else { scale.narrower(steps, chart) };
    let fit = super::scene::Scale::fit(steps, chart);
    view.timeline.zoom = (next != fit).then_some(next);
}

fn moves(state: &mut State, context: Context, action: Action) {
    if matches!(action, Action::ZoomIn | Action::ZoomOut) {
        return zoom(state, action == Action::ZoomIn);
    }
    let height = state.layout().inner(context).height;
    let head = if context == Context::Entry { HEAD } else { 0 };
    let Some(by) = rows_of(action, usize::from(height.saturating_sub(head))) else { return };
    if context == Context::Entry {
        read_on(state, by);
        return;
    }
    let Some(view) = state.view_mut() else { return };
    view.by_size = false;
    match context {
        Context::Layers => view.layer.step(by, view.layers.len()),
        Context::Events => view.event.step(by, view.events.len()),
        Context::Window => {
            let mut scroll = view.row;
            scroll.step(by, view.shown.rows.len());
            view.move_to(scroll.cursor);
        }
        // Up and down in the timeline go to the ends or along the compactions.
        Context::Timeline => match action {
            Action::Top => view.go_to(1),
            Action::Bottom => view.go_to(u32::MAX),
            _ => {
                let forward = by > 0;
                if let Some(step) = view.index.next_marked(view.step, forward, |marks| marks != Marks::default()) {
                    view.go_to(step);
                }
            }
        },
        _ => {}
    }
}

/// Scrolls the entry's text.
pub fn read_on(state: &mut State, by: isize) {
    if let Some(detail) = state.session_mut().and_then(|session| session.text.shown()) {
        match by {
            isize::MIN => detail.to_top(),
            isize::MAX => detail.to_bottom(),
            by => detail.scroll(by),
        }
    }
}

/// Changes how entries are shown.
fn display(state: &mut State, action: Action) -> Vec<Effect> {
    let Some(session) = state.session_mut() else { return Vec::new() };
    let by = match action {
        Action::ScrollRight => 8,
        Action::ScrollLeft => -8,
        _ => 0,
    };
    let said = match action {
        Action::ShowOriginal => {
            session.display.cut = !session.display.cut;
            match (nothing_cut(session), session.display.cut) {
                (Some(why), _) => why,
                (None, true) => "what was cut is shown",
                (None, false) => "what was cut is hidden",
            }
        }
        Action::Raw => {
            session.display.raw = !session.display.raw;
            if session.display.raw { "the text as it was sent" } else { "the text rendered" }
        }
        Action::Wrap => {
            session.display.wrap = !session.display.wrap;
            if session.display.wrap { "long lines are wrapped" } else { "long lines run on" }
        }
        _ => {
            if let Some(detail) = session.text.shown() {
                detail.slide(by);
            }
            return Vec::new();
        }
    };
    // Laying a long entry out anew is not for the thread that draws.
    if action == Action::Raw {
        session.text = super::state::Text::default();
    } else {
        session.show_as_wished();
    }
    state.say(said);
    Vec::new()
}

/// Why there is nothing to show of what was cut from the entry that is read; `None` where there is.
fn nothing_cut(session: &super::state::Session) -> Option<&'static str> {
    let entry = session.view.as_ref().and_then(|view| view.index.run().entry(view.here()?))?;
    let Some(Ok(detail)) = &session.text.detail else { return None };
    match (detail.holds_cut(), entry.fate) {
        (true, _) => None,
        (false, Fate::Verbatim) => Some("nothing was cut from this entry"),
        (false, _) => Some("what was cut from this entry is not in the transcript"),
    }
}

/// One level back: a search, a pane that fills it, what the window is narrowed to, another pane, a
/// subagent. At the root it does nothing.
fn back(state: &mut State) -> Vec<Effect> {
    match state.phase {
        Phase::Opening { .. } => return stop(state),
        Phase::Failed(_) => return state.back_to_session().unwrap_or_else(|| vec![Effect::Sessions]),
        Phase::Empty | Phase::Open(_) => {}
    }
    if pages::return_to_memory(state) {
        return vec![Effect::StopSearch];
    }
    let searching = state.session().and_then(|session| session.search.as_ref()).map(|search| search.complete);
    if let Some(complete) = searching {
        if let Some(session) = state.session_mut() {
            session.search = None;
            session.show_as_wished();
        }
        return if complete { Vec::new() } else { vec![Effect::StopSearch] };
    }
    let Some(view) = state.view_mut() else { return Vec::new() };
    if view.zoomed {
        view.zoomed = false;
    } else if view.settings.changes == Changes::Only {
        view.settings.changes = Changes::Signs;
    } else if view.settings.layer.take().is_some() {
    } else if view.focus != Context::Window {
        view.focus = Context::Window;
    } else {
        return leave(state);
    }
    Vec::new()
}

/// Stops the work under way. Where that is the reading of the session, there is nothing to look at: the list of sessions
/// comes back. An attached file is left out, and the session opens without it.
fn stop(state: &mut State) -> Vec<Effect> {
    let attaches = state.doing.is_some();
    stop_choosing(state);
    let Phase::Opening { name, .. } = &state.phase else { return vec![Effect::Stop] };
    if attaches {
        return vec![Effect::Stop];
    }
    let said = format!("stopped reading {name}");
    state.phase = Phase::Empty;
    let mut effects = vec![Effect::Stop];
    effects.extend(state.back_to_session().unwrap_or_default());
    state.say(said);
    effects.push(Effect::Sessions);
    effects
}

fn hit(state: &mut State, forward: bool) -> Vec<Effect> {
    let Some(session) = state.session_mut() else { return Vec::new() };
    let (Some(search), Some(view)) = (&mut session.search, &mut session.view) else {
        state.complain("nothing has been searched for yet");
        return Vec::new();
    };
    // Where only other threads hold it, it is gone to there.
    if let ([], true, Some((thread, _))) = (search.hits.as_slice(), search.complete, search.elsewhere.first()) {
        let thread = *thread;
        search.leads = true;
        return go_to_thread(state, thread);
    }
    // Within the entry first, then on to the next.
    let here = search.at.and_then(|at| search.hits.get(at)).is_some_and(|hit| view.selected == Some(hit.entry));
    if here && session.text.shown().is_some_and(|detail| detail.next_hit(forward)) {
        return Vec::new();
    }
    // What was cut off is in no window, but may be shown here.
    if search.hits.is_empty() && session.text.shown().is_some_and(|detail| detail.next_hit(forward)) {
        return Vec::new();
    }
    let next = search.next(view.selected, forward);
    let found = next.and_then(|at| Some((at, search.hits.get(at)?.entry)));
    let said = match found {
        Some((_, entry)) if here && view.selected == Some(entry) => {
            let way = if forward { "after" } else { "before" };
            Some(format!("{:?} is in no other entry, and not {way} this place", search.text))
        }
        None if search.complete && session.text.found() > 0 => {
            Some(format!("{:?} is not further on, and in no window: it was left out of what was sent", search.text))
        }
        None if search.complete => Some(format!("{:?} is nowhere in this transcript", search.text)),
        _ => None,
    };
    if let Some((at, entry)) = found {
        search.at = Some(at);
        view.reveal(entry);
    }
    if let Some(said) = said {
        state.say(said);
    }
    Vec::new()
}
