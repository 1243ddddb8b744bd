//! What happens to the state when something happens. Pure: what is to be done outside comes back as effects.

use std::sync::Arc;

use crate::config::{Action, Context, Key, Match};
use crate::content::Sources;
use crate::engine::own_version;
use crate::model::{EntryId, ThreadId, Transcript, last_part};
use crate::present::{Place, View};

use super::act::act;
use super::detail::{Done, Owner};
use super::documents::Documents;
use super::inspect::Inspect;
use super::layout::PANES;
use super::main_screen::HEAD;
use super::memory::Tab;
use super::message::{Begin, Effect, Message};
use super::mouse;
use super::overlay::{self, Overlay};
use super::pages;
use super::picker::Picker as Sessions;
use super::policy_draft::PolicyDraft;
use super::scene::{Changes, RunIndex};
use super::state::{Phase, Session, State};
use super::threads;
use super::trace;

/// Takes a message; returns what is to be done outside.
pub fn update(state: &mut State, message: Message) -> Vec<Effect> {
    let mut effects = match message {
        Message::Key(key) => press(state, key),
        Message::Paste(text) => {
            match (&mut state.overlay, &mut state.sessions, &mut state.documents) {
                (Some(overlay), ..) => overlay.paste(&text),
                (None, Some(sessions), _) => sessions.paste(&text),
                (None, None, Some(documents)) => documents.paste(&text),
                (None, None, None) => {}
            }
            overlay::typed(state);
            Vec::new()
        }
        Message::Mouse(what, column, row) => mouse::mouse(state, what, column, row),
        Message::Resize(width, height) => {
            state.size = (width, height);
            Vec::new()
        }
        other => told(state, other),
    };
    effects.extend(settle(state));
    effects
}

/// News from outside.
fn told(state: &mut State, message: Message) -> Vec<Effect> {
    match message {
        Message::Progress(now, all) => {
            if let Phase::Opening { done, total, .. } = &mut state.phase {
                (*done, *total) = (now, all);
            }
        }
        Message::Opened(name, transcript, sources, begin) => return opened(state, &name, transcript, sources, *begin),
        Message::Failed(opened, why) => {
            if matches!(&state.phase, Phase::Opening { name, .. } if *name == opened) {
                state.phase = Phase::Failed(why);
            }
        }
        Message::Windows(thread, index) => return windows(state, thread, index),
        Message::Referred(thread, referred) => {
            let Some(session) = state.session_mut() else { return Vec::new() };
            if let Some(view) = session.trail.iter_mut().chain(&mut session.view).find(|view| view.thread == thread) {
                view.refer(referred);
            }
            return session.count_on().into_iter().collect();
        }
        Message::Counting(done, total) => {
            (state.counting, state.doing) = ((done < total).then_some((done, total)), None);
            if let Some(view) = &mut state.documents {
                view.reading = state.counting;
            }
        }
        Message::Doing(words, now, all) => {
            state.doing = Some(words);
            if let Phase::Opening { done, total, .. } = &mut state.phase {
                (*done, *total) = (now, all);
            }
        }
        Message::Works => state.doing = None,
        Message::Read(of, entry, read) => {
            let Some(read) = pages::reading(state, of, entry, read) else { return Vec::new() };
            if state.view().is_some_and(|view| view.numbering() == of)
                && let Some(session) = state.session_mut()
                && session.text.entry == Some(entry)
            {
                session.text.detail = Some(*read);
                session.show_as_wished();
            }
        }
        Message::Sessions(items, now) => {
            let mut list = Sessions::new(items, now);
            if let Some(session) = state.session() {
                list.select(&session.path);
            }
            state.sessions = Some(list);
        }
        Message::Learned(at, found) => {
            if let Some(sessions) = &mut state.sessions {
                sessions.tell(at, found);
            }
        }
        Message::Replayed(of, told) => return pages::replayed(state, of, told),
        Message::Exists(path) => pages::exists(state, path),
        Message::Chosen(choice) => {
            if let Some(documents) = &mut state.documents {
                documents.told(choice);
            }
        }
        Message::Made(Done::Picture((Owner::Document, number), made)) => {
            if let Some(documents) = &mut state.documents {
                documents.pictured(number, *made);
            }
        }
        Message::Found(number, hits, complete) => found(state, number, hits, complete),
        Message::Traced(number, found) => trace::traced(state, number, *found),
        Message::Helped(number, found, whole) => trace::helped(state, number, found, whole),
        Message::Linted(number, found) => overlay::linted(state, number, found),
        Message::Trying(done, total) => {
            if let Some(Overlay::Trace(view)) = &mut state.overlay {
                view.tried = (done, total);
            }
        }
        Message::Done(Ok(text)) => state.say(text),
        Message::Done(Err(text)) => state.complain(text),
        other => {
            if let Some(session) = state.session_mut() {
                session_told(session, other);
            }
        }
    }
    Vec::new()
}

/// News about the open session alone: what was read or worked out for its views.
fn session_told(session: &mut Session, message: Message) {
    match message {
        Message::Words(of, words) => {
            for view in session.inspects_mut().filter(|view| view.numbering() == of) {
                view.previews.extend(words.iter().cloned());
            }
        }
        Message::Made(done) => {
            if let Some(detail) = pages::details(session).find(|detail| detail.asked_for(&done)) {
                detail.take(done);
            }
        }
        Message::FoundElsewhere(number, others) => {
            if let Some(search) = session.search.as_mut().filter(|search| search.number == number) {
                search.elsewhere = others;
            }
        }
        Message::Summary(of, id, lines) => pages::summary_told(session, of, id, lines),
        Message::Remembered(of, step, known) => session.pages.memory.told(of, step, known),
        Message::Arranged(number, rows) => session.pages.memory.arranged(number, rows),
        Message::Measured(of, event, found) => session.pages.memory.measured(of, event, found),
        Message::Kept(number, found) => {
            let facts = &mut session.pages.compare.facts;
            if facts.number == number {
                facts.told = Some(found);
            }
        }
        Message::Swept(number, news) => session.pages.sweep.take(number, news),
        // What is about more than the session has been taken already, see `update` and `told`.
        Message::Key(_)
        | Message::Paste(_)
        | Message::Mouse(..)
        | Message::Resize(..)
        | Message::Progress(..)
        | Message::Opened(..)
        | Message::Failed(..)
        | Message::Windows(..)
        | Message::Referred(..)
        | Message::Counting(..)
        | Message::Doing(..)
        | Message::Works
        | Message::Read(..)
        | Message::Sessions(..)
        | Message::Learned(..)
        | Message::Replayed(..)
        | Message::Exists(_)
        | Message::Chosen(_)
        | Message::Found(..)
        | Message::Traced(..)
        | Message::Linted(..)
        | Message::Helped(..)
        | Message::Trying(..)
        | Message::Done(_) => {}
    }
}

/// Shows the session that was opened, as soon as its windows are there.
fn opened(state: &mut State, opened: &str, transcript: Arc<Transcript>, sources: Sources, begin: Begin) -> Vec<Effect> {
    // What is no longer wanted may still have come.
    let Phase::Opening { name, .. } = &state.phase else { return Vec::new() };
    if name != opened {
        return Vec::new();
    }
    let agent = own_version(&transcript);
    let draft = PolicyDraft::new(&begin.name, begin.policy, agent.as_deref());
    let draft = if let Some(file) = begin.file { draft.over(file) } else { draft };
    let pages = pages::Pages::new(draft, begin.simulated);
    let mut session = Session {
        name: match name.as_str() {
            "-" => "standard input".to_owned(),
            name => last_part(name).to_owned(),
        },
        path: name.clone(),
        conversations: threads::conversations(&transcript),
        transcript,
        sources,
        documents: begin.documents,
        view: None,
        trail: Vec::new(),
        text: super::state::Text::default(),
        display: super::state::EntryDisplay { raw: false, cut: true, wrap: state.wrap },
        search: None,
        searches: 0,
        pages,
        asked: ThreadId(0),
    };
    let count = session.count(ThreadId(0));
    state.before = None;
    state.phase = Phase::Open(Box::new(session));
    vec![count]
}

fn windows(state: &mut State, thread: ThreadId, index: Arc<RunIndex>) -> Vec<Effect> {
    let mut wanted = state.wanted.clone();
    let Some(session) = state.session_mut() else { return Vec::new() };
    if session.pages.wanted {
        // Its number is one of the replay that is still being made.
        session.pages.wanted_entry = wanted.entry.take().map(EntryId).or(session.pages.wanted_entry);
    }
    if pages::other_windows(session, thread, &index) {
        return Vec::new();
    }
    // What is left behind is left on the recorded track.
    if session.view.as_ref().is_some_and(Inspect::is_simulated) && session.pages.other.is_some() {
        session.swap_tracks();
    }
    session.pages.other = None;
    // A subagent opens over what is looked at.
    session.leave_for(thread);
    session.text = super::state::Text::default();
    let mut view = Inspect::new(thread, index);
    let mut missed = None;
    let threads = session.transcript.threads.len();
    if let Some(none) = wanted.thread.filter(|thread| *thread as usize >= threads) {
        // What else it says is of that thread.
        missed = Some(format!("there is no thread {none}: the last is {}", threads.saturating_sub(1)));
        (wanted.step, wanted.entry, wanted.fact) = (None, None, None);
        wanted.thread = Some(thread.0);
    }
    let there = ThreadId(wanted.thread.unwrap_or(0));
    let page = wanted.view.and_then(pages::Page::of);
    session.pages.open_at(&wanted);
    if there != thread && wanted != Place::default() {
        threads::select_began(&mut view, &session.transcript, there);
        session.view = Some(view);
        let next = session.next_to(there);
        return vec![session.count(next)];
    }
    missed = missed.or(go_to_place(&mut view, &wanted));
    session.view = Some(view);
    if let Some(page) = page {
        pages::enter(session, page, wanted.step.is_none());
    }
    missed = missed.or(beyond(&wanted, session.documents.len()));
    state.wanted = Place::default();
    let effects = open_over(state, &wanted);
    if let Some(missed) = missed {
        state.complain(missed);
    }
    effects
}

/// What a link names of a view's parts, where there is no such part. `files`: how many documents there are.
fn beyond(place: &Place, files: usize) -> Option<String> {
    let (what, at, count) = match place.view? {
        View::Memory => ("pane", place.tab, Tab::ALL.len()),
        View::Documents => ("file", place.file, files),
        _ => return None,
    };
    let at = at.filter(|at| *at as usize > count)?;
    Some(match count {
        0 => format!("there is no {what} {at}"),
        count => format!("there is no {what} {at}: the last is {count}"),
    })
}

/// Opens what a link wants over the screen: the documents, a trace.
fn open_over(state: &mut State, place: &Place) -> Vec<Effect> {
    match (place.view, &place.fact) {
        (Some(View::Documents), _) => {
            let Some(session) = state.session() else { return Vec::new() };
            let (files, policy) = (session.documents.clone(), Arc::new(session.pages.draft.policy.clone()));
            let at = place.file.map_or(0, |file| file.saturating_sub(1) as usize).min(files.len().saturating_sub(1));
            state.documents = Some(Documents::new(files, at, None, policy));
        }
        // It is followed through the track that the link is to.
        (Some(View::Trace), Some(fact)) => match state.session_mut().filter(|session| session.pages.wanted) {
            Some(session) => session.pages.wanted_fact = Some((fact.clone(), place.needed)),
            None => return trace::follow(state, fact, place.needed),
        },
        (Some(View::Findings), _) => match state.session_mut().filter(|session| session.pages.wanted) {
            Some(session) => session.pages.wanted_findings = true,
            None => return overlay::look(state),
        },
        (Some(View::Trace), None) => _ = overlay::opens(state, Action::FollowFact),
        _ => {}
    }
    Vec::new()
}

/// Goes where a link points, as far as it can; says what of it is not there.
fn go_to_place(view: &mut Inspect, place: &Place) -> Option<String> {
    let last = view.index.run().steps.len();
    let there = |step: &u32| (1..=last).contains(&(*step as usize));
    let mut missed = place.step.filter(|step| !there(step)).map(|step| match (last, step) {
        (0, _) => format!("there is no step {step}"),
        (_, 0) => "there is no step 0: the first is 1".to_owned(),
        _ => format!("there is no step {step}: the last is {last}"),
    });
    view.go_to(place.step.unwrap_or(view.step));
    // The difference lists what went as well: it is there, though the window no longer holds it.
    let differs = place.view == Some(View::Difference);
    let listed = |id| view.index.changes(view.step).iter().any(|(other, _)| *other == id);
    if let Some(id) = place.entry.map(EntryId) {
        match view.index.run().entry(id).map(|entry| entry.life_at(view.step).is_some()) {
            None => missed = missed.or_else(|| Some(format!("there is no entry {}", id.0))),
            Some(false) if differs && listed(id) => (view.selected, view.tail) = (Some(id), false),
            Some(there) if there || place.step.is_none() => {
                view.reveal(id);
            }
            Some(_) => {
                missed = missed.or_else(|| Some(format!("entry {} is not in the window of step {}", id.0, view.step)));
            }
        }
    }
    let focus = PANES.iter().find(|pane| place.view.is_some() && place.view == pane.view());
    view.focus = focus.copied().unwrap_or(view.focus);
    if place.view == Some(View::Difference) {
        view.settings.changes = Changes::Only;
    }
    missed
}

fn found(state: &mut State, number: u64, hits: Vec<super::search::Hit>, complete: bool) {
    let Some(session) = state.session_mut() else { return };
    let Some(search) = session.search.as_mut().filter(|search| search.number == number) else { return };
    search.hits.extend(hits);
    search.complete = complete;
    let Some(view) = &mut session.view else { return };
    // The first find is gone to at once; the rest come in behind it.
    if search.at.is_none() && !search.hits.is_empty() && !search.stays {
        let near = view.selected.and_then(|selected| search.hits.iter().position(|hit| hit.entry >= selected));
        if near.is_some() || complete {
            let at = near.unwrap_or(0);
            search.at = Some(at);
            if let Some(hit) = search.hits.get(at) {
                view.reveal(hit.entry);
            }
        }
    }
}

fn press(state: &mut State, key: Key) -> Vec<Effect> {
    state.notice = None;
    let context = state.context();
    state.pressed.push(key);
    match state.keymap.lookup(context, &state.pressed) {
        Match::Prefix => Vec::new(),
        Match::Action(action) => {
            state.pressed.clear();
            act(state, action)
        }
        Match::None => {
            // A sequence that leads nowhere is forgotten; its last key may begin another.
            let again = state.pressed.len() > 1;
            state.pressed.clear();
            if again {
                return press(state, key);
            }
            typed(state, key)
        }
    }
}

fn typed(state: &mut State, key: Key) -> Vec<Effect> {
    match (&mut state.overlay, &mut state.sessions, &mut state.documents) {
        (Some(overlay), ..) => overlay.key(key),
        (None, Some(sessions), _) => sessions.key(key),
        (None, None, Some(documents)) => documents.key(key),
        (None, None, None) => {}
    }
    overlay::typed(state);
    Vec::new()
}

/// Brings what depends on other parts of the state up to date, and asks for what is looked at and not yet there.
pub fn settle(state: &mut State) -> Vec<Effect> {
    let (area, beneath) = (state.area(), state.beneath());
    if let Some(Overlay::Help(help)) = &mut state.overlay {
        help.settle(&state.keymap, beneath, area);
    }
    overlay::settle(state);
    if let Some(sessions) = &mut state.sessions {
        let height = Sessions::list_area(area).height;
        sessions.settle(height);
        let first: Vec<usize> = sessions.unknown_in_sight(height).collect();
        return if first.is_empty() { Vec::new() } else { vec![Effect::Learn(first)] };
    }
    if let Some(documents) = &mut state.documents {
        let mut effects = documents.settle(area);
        effects.extend(documents.preview(area, state.pictures.as_ref()));
        // The window follows the task while it is tried.
        effects.extend(pages::settle(state));
        return effects;
    }
    let mut effects = pages::settle(state);
    // On the way to a thread, those that lead there are passed by.
    if state.wanted.thread.is_none() {
        effects.extend(state.session_mut().and_then(Session::search_again));
    }
    if state.session().is_some_and(|session| session.pages.page != pages::Page::Main) {
        return effects;
    }
    let chart = state.chart().width;
    // The events' number decides about the room for the rest, so the layout is asked twice.
    for _ in 0..2 {
        let parts = state.layout();
        let Some(session) = state.session_mut() else { return effects };
        let Some(view) = &mut session.view else { return effects };
        view.settle(&session.transcript, chart, |pane| usize::from(parts.inner(pane).height));
    }
    let told: Vec<EntryId> = match &state.overlay {
        Some(Overlay::Event(card)) => card.in_sight(area.height).collect(),
        _ => Vec::new(),
    };
    let (parts, picker) = (state.layout(), state.pictures.clone());
    let Some(session) = state.session_mut() else { return effects };
    let Some(view) = &mut session.view else { return effects };
    let height = usize::from(parts.inner(Context::Window).height);
    let missing: Vec<_> = view
        .shown
        .rows
        .iter()
        .skip(view.row.top)
        .take(height)
        .filter_map(super::scene::Row::entry)
        .chain(told)
        .filter(|id| !view.previews.contains_key(id))
        .collect();
    if !missing.is_empty() {
        effects.push(Effect::Words(view.numbered(), missing));
    }
    let pane = parts.inner(Context::Entry);
    if pane.height > HEAD && pane.width > 2 {
        let text = &mut session.text;
        if text.entry != view.here() {
            *text = super::state::Text { entry: view.here(), ..Default::default() };
            effects.extend(view.here().map(|id| Effect::Read(view.numbered(), id, session.display.raw)));
        }
        if let Some(Ok(detail)) = &mut text.detail {
            detail.fit(pane.width - 2, pane.height - HEAD);
            effects.extend(detail.wants(picker.as_ref()).map(Effect::Make));
        }
    }
    effects
}
