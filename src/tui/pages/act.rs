//! What actions and the mouse do on the pages.

use ratatui::layout::Rect;

use crate::config::Action;
use crate::model::{Event, Stage};
use crate::tui::compare::Side;
use crate::tui::inspect::Inspect;
use crate::tui::main_screen::timeline;
use crate::tui::message::{Effect, Mouse};
use crate::tui::overlay::{Overlay, Prompt};
use crate::tui::state::{Session, State};
use crate::tui::step_moves::nowhere;
use crate::tui::sweep::Pane;
use crate::tui::tune::{Against, Wanted};
use crate::tui::{compaction, compare, memory, overlay, sweep, tune};

use super::tracks::retry;
use super::{CameFrom, Page, choose};

/// Does an action that belongs to the pages; `None` where it belongs to the main screen.
pub fn act(state: &mut State, action: Action) -> Option<Vec<Effect>> {
    let page = state.session()?.pages.page;
    state.view()?;
    let to = match action {
        Action::CompactionView => Some(Page::Compaction),
        Action::TuneView => Some(Page::Tune),
        Action::CompareView => Some(Page::Compare),
        Action::SweepView => Some(Page::Sweep),
        Action::MemoryView => Some(Page::Memory),
        _ => None,
    };
    if let Some(to) = to {
        let to = if to == page { Page::Main } else { to };
        let session = state.session_mut()?;
        (session.pages.came_from, session.pages.from_sweep) = (None, false);
        enter(session, to, true);
        return Some(Vec::new());
    }
    if action == Action::SwitchTrack {
        return Some(switch(state));
    }
    if page == Page::Main {
        return None;
    }
    if asks(state, page, action) {
        return Some(Vec::new());
    }
    if page == Page::Memory
        && matches!(action, Action::OpenSource | Action::Open)
        && let Some(effects) = memory_source(state, action)
    {
        return Some(effects);
    }
    let done = match page {
        Page::Main => true,
        Page::Compaction => {
            let done = on_compaction(state, action);
            let session = state.session_mut()?;
            let step = session.view.as_ref().map(|view| view.step);
            session.pages.compaction.leapt.take_if(|(_, to)| Some(*to) != step);
            done
        }
        Page::Tune => on_tune(state, action),
        Page::Compare => on_compare(state, action),
        Page::Sweep => match on_sweep(state, action) {
            Some(effects) => return Some(effects),
            None => false,
        },
        Page::Memory => on_memory(state, action),
    };
    if !done && action == Action::Back {
        let session = state.session_mut()?;
        let back =
            if std::mem::take(&mut session.pages.from_sweep) && page == Page::Tune { Page::Sweep } else { Page::Main };
        enter(session, back, true);
        return Some(Vec::new());
    }
    // What opens something over the screen, copies or searches is the same everywhere.
    let elsewhere = matches!(
        action,
        Action::Help | Action::Palette | Action::CopyLink | Action::GoToStep | Action::Warnings | Action::Findings
    );
    (done || !elsewhere).then(Vec::new)
}

/// Lays over a page what an action asks there: a preset, the name of a file, words to seek. Says whether it did.
fn asks(state: &mut State, page: Page, action: Action) -> bool {
    let typed = |prompt: Prompt, now: String| Some(Overlay::Prompt(prompt, crate::tui::input::Input::with(&now)));
    match action {
        Action::Preset => choose::pick(state),
        Action::SavePolicy => choose::save(state),
        Action::Search => {
            let Some(pages) = state.session_mut().map(|session| &mut session.pages) else { return false };
            state.overlay = match page {
                Page::Tune => typed(Prompt::Setting, String::new()),
                Page::Sweep => {
                    pages.sweep.pane = Pane::Settings;
                    typed(Prompt::Setting, String::new())
                }
                Page::Memory => typed(Prompt::Memory, pages.memory.filter.clone()),
                Page::Main | Page::Compaction | Page::Compare => return false,
            };
        }
        _ => return false,
    }
    true
}

/// Goes to a page, at the step that is looked at. `seek`: where nothing happened at the step, the compaction view goes
/// to the nearest at which something did.
pub fn enter(session: &mut Session, page: Page, seek: bool) {
    let step = match session.pages.page {
        Page::Compare => Some(session.pages.compare.step),
        Page::Tune => session.simulated().map(|view| view.step),
        Page::Main | Page::Compaction | Page::Sweep | Page::Memory => session.view.as_ref().map(|view| view.step),
    };
    let Some(step) = step.or_else(|| session.view.as_ref().map(|view| view.step)) else { return };
    // Who did not move there is led back to where they were.
    let leapt = session.pages.compaction.leapt.take().filter(|(_, to)| *to == step);
    let step = leapt.map_or(step, |(from, _)| from);
    for view in session.view.iter_mut().chain(&mut session.pages.other) {
        view.go_to(step);
    }
    session.pages.compare.step = step;
    session.pages.page = page;
    retry(session);
    session.pages.draft.pause();
    if page == Page::Compaction {
        session.pages.compaction.forget();
        if seek {
            leap(session);
        }
    }
}

/// Who was led to a decision of the other track is led to one of the track that is shown now.
pub(super) fn leap_again(session: &mut Session) {
    let leapt = session.pages.compaction.leapt.take().filter(|_| session.pages.page == Page::Compaction);
    if let Some((from, _)) = leapt {
        session.view.iter_mut().chain(&mut session.pages.other).for_each(|view| view.go_to(from));
        leap(session);
    }
}

/// Leads from a step at which nothing was decided to the nearest at which something was, a compaction before all else.
fn leap(session: &mut Session) {
    let Some(view) = session.view.as_mut().filter(|view| !view.index.marks(view.step).acts()) else { return };
    let (step, run) = (view.step, view.index.run());
    let near = |wanted: &dyn Fn(&Event) -> bool| {
        let steps = || run.events.iter().filter(|event| wanted(event)).map(|event| event.step);
        let last = view.index.steps();
        steps().take_while(|at| *at < step).last().or_else(|| steps().find(|at| (step + 1..=last).contains(at)))
    };
    // What the agent had cut before it sent it is no decision of a policy.
    let decides = |event: &Event| event.stage.defends() && event.stage != Stage::Admit || event.stage.is_history();
    // What the provider drops with each prompt comes after all that was decided.
    let drops = |event: &Event| event.stage == Stage::Reasoning;
    let chosen = near(&Event::compacts).or_else(|| near(&|event| decides(event) && !drops(event)));
    if let Some(near) = chosen.or_else(|| near(&drops)) {
        view.go_to(near);
        session.pages.compaction.leapt = Some((step, near));
    }
}

/// Shows the other track.
fn switch(state: &mut State) -> Vec<Effect> {
    let Some(session) = state.session_mut() else { return Vec::new() };
    retry(session);
    let simulated = session.view.as_ref().is_some_and(Inspect::is_simulated);
    if session.swap_tracks() {
        leap_again(session);
        let said = if simulated { "the recorded track: what the agent really did" } else { crate::present::REPLAY };
        state.say(said);
        return Vec::new();
    }
    if simulated {
        // Opened at once on a replay: what was recorded is rebuilt first.
        let thread = session.view.as_ref().map(|view| view.thread);
        return thread.map(|thread| vec![Effect::Windows(thread)]).unwrap_or_default();
    }
    session.pages.wanted = true;
    state.say_replaying();
    Vec::new()
}

fn on_compaction(state: &mut State, action: Action) -> bool {
    let area = state.area();
    let Some(session) = state.session_mut() else { return false };
    let Some(view) = &mut session.view else { return false };
    let page = &mut session.pages.compaction;
    let parts = compaction::parts(area, page);
    let rows = usize::from(parts.before.height.max(parts.after.height));
    let stood = (view.step, page.stage);
    let done = compaction::act(page, view, action, rows) || crate::tui::act::steps(view, action);
    let stays = done && page.reading.is_none() && (view.step, page.stage) == stood;
    if let Some(why) = nowhere(action).filter(|_| stays) {
        state.say(why);
    }
    done
}

fn on_sweep(state: &mut State, action: Action) -> Option<Vec<Effect>> {
    let area = state.area();
    let session = state.session_mut()?;
    let size = window(session);
    let pages = &mut session.pages;
    let parts = sweep::parts(area, pages.sweep.pane);
    let pane = Pane::ALL.iter().position(|pane| *pane == pages.sweep.pane).unwrap_or(0);
    let rows = [parts.list, parts.picture, parts.runs, parts.facts][pane].height;
    let wanted = sweep::act(&mut pages.sweep, &pages.draft, action, size, usize::from(rows))?;
    Some(of_sweep(state, wanted))
}

/// Does what the sweep view asks for.
fn of_sweep(state: &mut State, wanted: sweep::Wanted) -> Vec<Effect> {
    let typed = |prompt: Prompt, text: &str| Some(Overlay::Prompt(prompt, crate::tui::input::Input::with(text)));
    match wanted {
        sweep::Wanted::Nothing => {}
        sweep::Wanted::Values(key, text) => state.overlay = typed(Prompt::Values(key), &text),
        sweep::Wanted::Fact => state.overlay = typed(Prompt::SweptFact, ""),
        sweep::Wanted::Save => state.overlay = typed(Prompt::Runs, &choose::runs_name(state)),
        sweep::Wanted::Said(text, true) => state.complain(text),
        sweep::Wanted::Said(text, false) => state.say(text),
        sweep::Wanted::Open => {
            let Some(session) = state.session_mut() else { return Vec::new() };
            let Some(sets) = session.pages.sweep.sets() else { return Vec::new() };
            let effects = crate::tui::trace::apply(state, &sets);
            if let Some(session) = state.session_mut() {
                session.pages.from_sweep = true;
            }
            return effects;
        }
    }
    Vec::new()
}

fn on_compare(state: &mut State, action: Action) -> bool {
    let area = state.area();
    let Some(session) = state.session_mut() else { return false };
    let page = &mut session.pages.compare;
    let place = |page: &compare::Compare| (page.step, page.row.cursor);
    let (stood, there) = (place(page), page.views.iter().any(Option::is_some));
    let done = compare::act(page, action, usize::from(compare::parts(area).left.height));
    let why = match action {
        Action::RunOn => Some("the windows do not differ below this row"),
        Action::RunBack => Some("the windows do not differ above this row"),
        _ => nowhere(action),
    };
    // Before either side is there, nobody knows where there is nothing.
    if let Some(why) = why.filter(|_| done && there && place(page) == stood) {
        state.say(why);
    }
    done
}

fn on_memory(state: &mut State, action: Action) -> bool {
    let area = state.area();
    let Some(session) = state.session_mut() else { return false };
    let Some(view) = &mut session.view else { return false };
    let page = &mut session.pages.memory;
    let rows = usize::from(memory::parts(area, page.tab).list.height);
    memory::act(page, view, action, rows) || crate::tui::act::steps(view, step_of(action))
}

/// Goes from the memory view to the text that the selection came from. Where there are no memories, opening turns
/// them on. `None` where the action means something else here.
fn memory_source(state: &mut State, action: Action) -> Option<Vec<Effect>> {
    let session = state.session_mut()?;
    let (page, view) = (&session.pages.memory, session.view.as_ref()?);
    let opens = action == Action::Open;
    if page.memories().is_none() && !page.tab.is_of_summary() {
        return Some(if opens { turn_on(state) } else { Vec::new() });
    }
    if opens && (page.tab == memory::Tab::Graph || (page.tab == memory::Tab::Events && page.deed().is_none())) {
        return None;
    }
    let (step, goal) = (view.step, memory::goal(page, view.index.run(), view.step));
    let simulated = view.is_simulated();
    // What was summarised as soon as it came in stands in no window of the replay: the recorded track has it.
    let recorded = || {
        let run = session.recorded().filter(|_| simulated)?.index.run();
        memory::entry_of(run, goal.as_ref()?.block?, step)
    };
    let here = goal.as_ref().and_then(|goal| goal.entry);
    let (Some(entry), Some(goal)) = (here.or_else(recorded), goal) else {
        let why = memory::earlier(page).unwrap_or_else(|| "nothing here leads to a text of this session".to_owned());
        state.say(why);
        return Some(Vec::new());
    };
    let other_track = here.is_none() && session.swap_tracks();
    session.pages.page = Page::Main;
    session.pages.came_from = Some(CameFrom { step, other_track });
    let effects = overlay::go_to_entry(state, entry, &goal.text);
    state.say(match other_track {
        true => "no window of the replay held this: here it is as recorded; Esc goes back to the memories",
        false => "Esc goes back to the memories",
    });
    Some(effects)
}

/// Shows a replay with a memory.
fn turn_on(state: &mut State) -> Vec<Effect> {
    let Some(session) = state.session_mut() else { return Vec::new() };
    let draft = &mut session.pages.draft;
    if let Some(setting) = crate::policy::named("memory.on").filter(|_| !draft.policy.memory.on) {
        draft.pause();
        // True is a value of a switch.
        let _ = draft.set(setting, &crate::policy::Value::Bool(true));
        draft.pause();
    }
    let simulated = session.view.as_ref().is_some_and(Inspect::is_simulated);
    if simulated { Vec::new() } else { switch(state) }
}

/// From the main screen back to the memory view that led there; `false` where none did.
pub fn return_to_memory(state: &mut State) -> bool {
    let Some(session) = state.session_mut() else { return false };
    let came = session.pages.came_from.take().filter(|_| session.pages.page == Page::Main);
    let Some(CameFrom { step, other_track }) = came else { return false };
    if other_track && session.view.as_ref().is_some_and(|view| !view.is_simulated()) {
        session.swap_tracks();
    }
    session.search = None;
    if let Some(view) = &mut session.view {
        view.go_to(step);
        view.focus = crate::config::Context::Window;
    }
    enter(session, Page::Memory, true);
    true
}

/// The window that shares of it refer to.
pub fn window(session: &Session) -> u64 {
    let view = session.simulated().or(session.view.as_ref());
    view.and_then(|view| view.index.step(view.step)).map_or(super::WINDOW, |step| step.window_tokens)
}

/// The action that goes to a step, where the keys for that have another meaning.
fn step_of(action: Action) -> Action {
    match action {
        Action::StepOn => Action::NextStep,
        Action::StepBack => Action::PreviousStep,
        other => other,
    }
}

fn on_tune(state: &mut State, action: Action) -> bool {
    let area = state.area();
    let Some(session) = state.session_mut() else { return false };
    let size = window(session);
    let pages = &mut session.pages;
    let rows = usize::from(tune::parts(area).list.height);
    match tune::act(&mut pages.tune, &mut pages.draft, action, size, rows) {
        Some(wanted) => {
            of_tune(state, wanted);
            true
        }
        None => session.simulated_mut().is_some_and(|view| crate::tui::act::steps(view, step_of(action))),
    }
}

/// Takes what the mouse did in the tune view: the timeline is gone through, the list selected in, set and scrolled.
fn on_tune_mouse(session: &mut Session, area: Rect, what: Mouse, (column, row): (u16, u16)) -> Wanted {
    let (size, parts) = (window(session), tune::parts(area));
    let pages = &mut session.pages;
    let over_timeline = parts.timeline.contains((column, row).into());
    let wheel: i32 = match what {
        Mouse::Click | Mouse::Drag => {
            let (at, dragged) = ((column, row), what == Mouse::Drag);
            let wanted = tune::click(&mut pages.tune, &mut pages.draft, &parts, size, at, dragged);
            let held = pages.tune.held;
            if let Some(view) = session.simulated_mut().filter(|_| held == tune::Held::Timeline)
                && let Some(step) = timeline::step_at(view, tune::chart(area), column)
            {
                view.go_to(step);
            }
            return wanted;
        }
        Mouse::WheelDown => 1,
        Mouse::WheelUp => -1,
        Mouse::WheelLeft | Mouse::WheelRight => return Wanted::Nothing,
    };
    if over_timeline && let Some(view) = session.simulated_mut() {
        view.go_to(view.step.saturating_add_signed(wheel).max(1));
    } else {
        session.pages.tune.step(3 * wheel as isize);
    }
    Wanted::Nothing
}

fn of_tune(state: &mut State, wanted: Wanted) {
    match wanted {
        Wanted::Nothing => {}
        Wanted::Said(text, true) => state.complain(text),
        Wanted::Said(text, false) => state.say(text),
        Wanted::Typed(key, text) => {
            let typed = crate::tui::input::Input::with(&text);
            state.overlay = Some(Overlay::Prompt(Prompt::Value(key), typed));
        }
    }
}

/// Takes what the mouse did on a page; `None` on the main screen.
pub fn mouse(state: &mut State, what: Mouse, column: u16, row: u16) -> Option<Vec<Effect>> {
    let area = state.area();
    let session = state.session_mut()?;
    let by = match what {
        Mouse::WheelDown => 3,
        Mouse::WheelUp => -3,
        _ => 0,
    };
    match session.pages.page {
        Page::Main => return None,
        Page::Compaction => {
            let page = &mut session.pages.compaction;
            let parts = compaction::parts(area, page);
            match what {
                Mouse::Click => compaction::click(page, &parts, column, row),
                _ => compaction::wheel(page, by, usize::from(parts.before.height.max(parts.after.height))),
            }
        }
        Page::Tune => {
            let wanted = on_tune_mouse(session, area, what, (column, row));
            of_tune(state, wanted);
        }
        Page::Compare => {
            let (page, parts) = (&mut session.pages.compare, compare::parts(area));
            match what {
                Mouse::Click | Mouse::Drag => compare::click(page, &parts, column, row, area.height),
                _ => page.row.wheel(by, page.diff.rows.len(), usize::from(parts.left.height)),
            }
        }
        Page::Sweep => {
            let size = window(session);
            let pages = &mut session.pages;
            let parts = sweep::parts(area, pages.sweep.pane);
            if what == Mouse::Click {
                let wanted = sweep::click(&mut pages.sweep, &pages.draft, size, &parts, column, row);
                return Some(of_sweep(state, wanted));
            }
            let action = if by > 0 { Action::Down } else { Action::Up };
            if by != 0 {
                sweep::act(&mut pages.sweep, &pages.draft, action, size, 1);
            }
        }
        Page::Memory => {
            let page = &mut session.pages.memory;
            let parts = memory::parts(area, page.tab);
            match what {
                Mouse::Click => memory::click(page, &parts, column, row),
                _ => memory::wheel(page, by, usize::from(parts.list.height)),
            }
        }
    }
    Some(Vec::new())
}

/// What the figures of the policy that is tried are seen against: its preset, else the recorded track.
#[must_use]
pub fn against(session: &Session) -> Against<'_> {
    let (known, base) = (&session.pages.references, &session.pages.draft.base);
    let preset = known.iter().find(|(of, _)| of == base).map(|(_, found)| ("preset", found));
    preset.or_else(|| session.recorded().map(|view| ("recorded", &view.consequences)))
}

/// What the sides of a comparison are called.
#[must_use]
pub fn names(session: &Session) -> [String; 2] {
    session.pages.compare.sides.clone().map(|side| match side {
        Side::Recorded => "recorded".to_owned(),
        Side::Tried => session.pages.draft.title(),
        Side::Preset(name) => name.to_owned(),
    })
}
