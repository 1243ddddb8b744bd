//! What is laid over a screen: where its actions and keys go, and what is done when it is accepted.

use crate::config::{Action, Context, Key};
use crate::export::Form;
use crate::model::{EntryId, ThreadId};
use crate::present::{Place, View, count, counted, shell_word};

use crate::tui::act::act as act_beneath;
use crate::tui::findings::FindingsView;
use crate::tui::input::Input;
use crate::tui::message::Effect;
use crate::tui::pages;
use crate::tui::proposed::proposed;
use crate::tui::scene::Changes;
use crate::tui::state::State;
use crate::tui::threads;
use crate::tui::trace::{self, TraceView};

use super::findings;
use super::{Choice, Chosen, Dialog, EventCard, Help, Palette};

/// Something laid over the screen; it takes the keys.
pub enum Overlay {
    /// A line that is typed.
    Prompt(Prompt, Input),
    /// The keys that work beneath.
    Help(Help),
    /// Every action that can be done beneath.
    Palette(Palette),
    /// A question, or a list to look through.
    Dialog(Question, Dialog),
    /// An event at length.
    Event(EventCard),
    /// What became of a fact.
    Trace(Box<TraceView>),
    /// What lint finds.
    Findings(Box<FindingsView>),
}

/// What a line is typed for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Prompt {
    /// A search.
    Search,
    /// The number of a step.
    Step,
    /// A fact to follow.
    Fact,
    /// The file that an export is written to.
    Export(Form),
    /// The value of the setting of that key.
    Value(&'static str),
    /// Words that settings are sought by.
    Setting,
    /// Words that memories are sought by.
    Memory,
    /// The file that a policy is saved to.
    Save,
    /// The values that a sweep puts the setting of that key to.
    Values(&'static str),
    /// A fact that a sweep follows.
    SweptFact,
    /// The file that the runs of a sweep are saved to.
    Runs,
}

/// What a question is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Question {
    /// The form of an export.
    Form,
    /// Nothing: it is a list of warnings.
    Warnings,
    /// A preset, or what else a side of a comparison shows.
    Preset,
    /// Whether the file of that name is written over.
    Exists(String),
    /// Which thread is looked at.
    Threads,
}

impl Prompt {
    /// What stands before the line.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Prompt::Search => "/",
            Prompt::Step => "step ",
            Prompt::Fact => "fact ",
            Prompt::Export(_) => "write to ",
            Prompt::Value(key) => key,
            Prompt::Setting => "setting /",
            Prompt::Memory => "memory /",
            Prompt::Save => "save to ",
            Prompt::Values(key) => key,
            Prompt::SweptFact => "fact ",
            Prompt::Runs => "save to (.csv or .json) ",
        }
    }
}

impl Prompt {
    /// What may be typed, as long as nothing is.
    #[must_use]
    pub fn hint(self) -> &'static str {
        match self {
            Prompt::Search => "words, or re:PATTERN",
            Prompt::Fact | Prompt::SweptFact => "words, re:PATTERN, or ~a sentence by meaning",
            Prompt::Setting => "words of its name or meaning",
            Prompt::Memory => "words of a memory",
            Prompt::Step | Prompt::Export(_) | Prompt::Value(_) | Prompt::Save | Prompt::Values(_) | Prompt::Runs => "",
        }
    }
}

impl Overlay {
    /// Where keys go while it is there.
    #[must_use]
    pub fn context(&self) -> Context {
        match self {
            Overlay::Prompt(..) => Context::Prompt,
            Overlay::Help(_) => Context::Help,
            Overlay::Palette(_) => Context::Palette,
            Overlay::Dialog(..) | Overlay::Event(_) => Context::Dialog,
            Overlay::Trace(_) => Context::Trace,
            Overlay::Findings(_) => Context::Findings,
        }
    }

    /// Takes a key that is no action, where text is typed.
    pub fn key(&mut self, key: Key) {
        match self {
            Overlay::Prompt(prompt, input) => {
                input.key(key);
                if *prompt == Prompt::Step {
                    let digits: String = input.text().chars().filter(char::is_ascii_digit).take(9).collect();
                    if digits != input.text() {
                        *input = Input::with(&digits);
                    }
                }
            }
            Overlay::Help(help) => help.key(key),
            Overlay::Palette(palette) => palette.key(key),
            Overlay::Dialog(..) | Overlay::Event(_) | Overlay::Trace(_) | Overlay::Findings(_) => {}
        }
    }

    /// Takes pasted text.
    pub fn paste(&mut self, text: &str) {
        match self {
            Overlay::Prompt(_, input) => input.insert(text),
            Overlay::Help(help) => help.paste(text),
            Overlay::Palette(palette) => palette.paste(text),
            Overlay::Dialog(..) | Overlay::Event(_) | Overlay::Trace(_) | Overlay::Findings(_) => {}
        }
    }
}

/// What is typed takes effect at once where it can.
pub fn typed(state: &mut State) {
    if let Some(Overlay::Prompt(Prompt::Memory, input)) = &state.overlay {
        let words = input.text().to_owned();
        pages::typed_memory(state, &words);
    }
}

/// Opens what an action lays over the screen. Says whether it was such an action.
pub fn opens(state: &mut State, action: Action) -> bool {
    let overlay = match action {
        Action::Help => Overlay::Help(Help::about(pages::explained(state))),
        Action::Palette => Overlay::Palette(Palette::default()),
        Action::Search => Overlay::Prompt(Prompt::Search, Input::default()),
        Action::GoToStep => Overlay::Prompt(Prompt::Step, Input::default()),
        Action::FollowFact => Overlay::Prompt(Prompt::Fact, Input::default()),
        Action::Export => {
            let Some(step) = state.view().map(|view| view.step).filter(|step| *step > 0) else { return true };
            let choices =
                Form::ALL.iter().map(|form| Choice { name: form.name().into(), meaning: form.about().into() });
            Overlay::Dialog(
                Question::Form,
                Dialog::new(format!("Export the prompt of step {step} as"), choices.collect()),
            )
        }
        Action::Threads => {
            let Some((session, view)) = state.session().zip(state.view()) else { return true };
            Overlay::Dialog(Question::Threads, threads::list(session, view))
        }
        Action::Warnings => match warnings(state) {
            Some(dialog) => Overlay::Dialog(Question::Warnings, dialog),
            None => {
                state.say("everything in this file was understood");
                return true;
            }
        },
        _ => return false,
    };
    state.overlay = Some(overlay);
    true
}

/// What could not be understood, as a list.
fn warnings(state: &State) -> Option<Dialog> {
    const MOST: usize = 1000;
    let transcript = &state.session()?.transcript;
    let all = transcript.warnings.len();
    let choices = transcript.warnings.iter().take(MOST).map(|warning| {
        let line = if warning.line > 0 { format!("line {}", count(u64::from(warning.line))) } else { String::new() };
        // What is attached has a name of its own.
        let source = transcript.sources.get(warning.source.0 as usize);
        let attached = source.filter(|source| source.kind.is_attached());
        let about = attached.map_or(String::new(), |source| format!("{}: ", source.name));
        Choice { name: line, meaning: format!("{about}{}", warning.message) }
    });
    let passed_over = transcript.skipped.iter().map(|(kind, number)| Choice {
        name: format!("{}×", count(*number)),
        meaning: format!("passed over: records of the kind {kind:?}, which say nothing of the window that is known"),
    });
    let choices = choices.chain(passed_over);
    let title = match all {
        0 => "Read whole; passed over".to_owned(),
        all => counted(all as u64, "warning", "warnings"),
    };
    (all > 0 || !transcript.skipped.is_empty()).then(|| Dialog::new(title, choices.collect()).told())
}

/// Does an action while something is laid over the screen.
pub fn act(state: &mut State, action: Action) -> Vec<Effect> {
    let (beneath, accepts) = (state.beneath(), action == Action::Open);
    if action == Action::CopyLink {
        return link(state).map(Effect::Copy).into_iter().collect();
    }
    let Some(overlay) = &mut state.overlay else { return Vec::new() };
    let stays = match overlay {
        Overlay::Prompt(..) => action != Action::Back,
        Overlay::Help(help) => help.act(action),
        Overlay::Palette(palette) => palette.act(action, beneath),
        Overlay::Dialog(_, dialog) => dialog.act(action),
        Overlay::Event(card) => card.act(action),
        Overlay::Trace(view) if action == Action::FollowFact => {
            state.overlay = Some(Overlay::Prompt(Prompt::Fact, Input::with(&view.fact)));
            return Vec::new();
        }
        Overlay::Trace(_) if action == Action::WhatIf => return trace::what_if(state),
        // What was found until then stays.
        Overlay::Trace(view) if action == Action::Back && view.asking => {
            view.asking = false;
            return vec![Effect::StopTrace];
        }
        Overlay::Trace(_) if trace::STEPS.contains(&action) => return trace::ask_at(state, action),
        Overlay::Trace(view) => view.act(action),
        Overlay::Findings(_) if action == Action::FollowFact => return findings::follow(state),
        Overlay::Findings(view) => view.act(action),
    };
    match (stays, accepts) {
        (false, _) => match state.overlay.take() {
            Some(Overlay::Prompt(Prompt::Memory, _)) => {
                pages::typed_memory(state, "");
                Vec::new()
            }
            Some(Overlay::Trace(view)) if view.works() => vec![Effect::StopTrace],
            Some(Overlay::Findings(view)) if view.found.is_none() => vec![Effect::StopLint],
            _ => Vec::new(),
        },
        (true, true) => accept(state, beneath),
        (true, false) => Vec::new(),
    }
}

/// Takes what is accepted: a line that was typed, an answer, a row.
fn accept(state: &mut State, beneath: Context) -> Vec<Effect> {
    match state.overlay.take() {
        Some(Overlay::Prompt(prompt, input)) => return take_typed(state, prompt, input.text()),
        Some(Overlay::Dialog(question, dialog)) => return answered(state, question, dialog.chosen()),
        Some(Overlay::Trace(view)) => return trace::go(state, view),
        Some(Overlay::Findings(view)) => return findings::go(state, view),
        Some(Overlay::Palette(palette)) => match palette.chosen(beneath) {
            Some(Chosen::Action(action)) => return act_beneath(state, action),
            Some(Chosen::Step(step)) => go_to_step(state, step),
            None => {}
        },
        Some(Overlay::Event(card)) => {
            if let (Some(entry), Some(view)) = (card.chosen(), state.view_mut()) {
                view.reveal(entry);
                view.focus = Context::Window;
            }
        }
        Some(Overlay::Help(_)) | None => {}
    }
    Vec::new()
}

fn go_to_step(state: &mut State, step: u32) {
    if let Some(view) = state.view_mut() {
        view.go_to(step);
    }
}

/// Takes a line that was typed.
fn take_typed(state: &mut State, prompt: Prompt, text: &str) -> Vec<Effect> {
    match prompt {
        Prompt::Search => return search(state, text, false),
        Prompt::Fact => return trace::follow(state, text, None),
        Prompt::Save | Prompt::Runs => return pages::typed_path(state, text),
        Prompt::Export(form) => {
            let wanted = state.view().map(|view| (view.numbered(), view.step));
            let path = text.trim().to_owned();
            let wanted = wanted.filter(|_| !path.is_empty());
            return wanted.map(|(run, step)| Effect::Export(run, step, form, path)).into_iter().collect();
        }
        Prompt::Step => text.parse().into_iter().for_each(|step| go_to_step(state, step)),
        Prompt::Value(key) => pages::typed_value(state, key, text),
        Prompt::Setting => pages::typed_filter(state, text),
        Prompt::Values(key) => pages::typed_values(state, key, text),
        Prompt::SweptFact => pages::typed_fact(state, text),
        Prompt::Memory => pages::typed_memory(state, text),
    }
    Vec::new()
}

/// Takes the answer to a question, by its place.
fn answered(state: &mut State, question: Question, at: Option<usize>) -> Vec<Effect> {
    match question {
        Question::Exists(path) => return pages::chosen_saved(state, path, at),
        Question::Threads => {
            let to = at.and_then(|at| u32::try_from(at).ok()).map(ThreadId);
            return to.map_or_else(Vec::new, |to| threads::go_to_thread(state, to));
        }
        Question::Preset => pages::chosen_preset(state, at),
        Question::Form => {
            let form = at.and_then(|at| Form::ALL.get(at)).copied();
            if let (Some(form), Some((session, view))) = (form, state.session().zip(state.view())) {
                let named = (session.path != "-").then_some(session.name.as_str());
                let name = proposed(named, view.step, form);
                state.overlay = Some(Overlay::Prompt(Prompt::Export(form), Input::with(&name)));
            }
        }
        Question::Warnings => {}
    }
    Vec::new()
}

/// Goes to an entry on the main screen, with a text marked in it.
pub fn go_to_entry(state: &mut State, entry: EntryId, text: &str) -> Vec<Effect> {
    if let Some(inspect) = state.view_mut() {
        inspect.reveal(entry);
        inspect.focus = Context::Entry;
    }
    search(state, text, false)
}

/// Seeks a text, and goes to where it stands unless one `stays`.
pub fn search(state: &mut State, text: &str, stays: bool) -> Vec<Effect> {
    let Some(session) = state.session_mut() else { return Vec::new() };
    session.search = None;
    let Some(run) = session.view.as_ref().map(crate::tui::inspect::Inspect::numbered).filter(|_| !text.is_empty())
    else {
        session.show_as_wished();
        return vec![Effect::StopSearch];
    };
    let effect = session.seek(run, text.to_owned(), stays);
    session.show_as_wished();
    vec![effect]
}

/// The command that opens this very place.
#[must_use]
pub fn link(state: &State) -> Option<String> {
    let (session, view) = (state.session()?, state.view()?);
    let fact = match &state.overlay {
        Some(Overlay::Trace(trace)) => Some((trace.fact.clone(), trace.step)),
        _ => None,
    };
    let (fact, needed) = fact.map_or((None, None), |(fact, step)| (Some(fact), step));
    let lints = matches!(state.overlay, Some(Overlay::Findings(_)));
    let file = state.documents.as_ref().map(|documents| u32::try_from(documents.wanted.file + 1).unwrap_or(u32::MAX));
    let shown = match (view.settings.changes, session.pages.context().unwrap_or(view.focus)) {
        _ if fact.is_some() => Some(View::Trace),
        _ if lints => Some(View::Findings),
        _ if file.is_some() => Some(View::Documents),
        (Changes::Only, Context::Window) => Some(View::Difference),
        (_, focus) => focus.view(),
    };
    let held = |id: &EntryId| view.index.run().entry(*id).is_some_and(|entry| entry.life_at(view.step).is_some());
    let entry = match session.pages.page {
        pages::Page::Main => view.here(),
        // There it is not seen, and may be of another step.
        _ => view.selected.filter(held),
    };
    let place = Place {
        thread: Some(view.thread.0),
        step: Some(view.step),
        view: shown,
        entry: entry.map(|id| id.0),
        file,
        fact,
        needed,
        ..pages::place(session)
    };
    let track = pages::track_options(session);
    // What comes in beside a transcript makes a replay of it: it is named only where one is shown.
    let beside = if track.is_empty() && file.is_none() { "" } else { &state.beside };
    let given = &state.given;
    let built_in = state.built_in.as_ref().filter(|(_, name)| *name == session.path);
    let program = built_in.map_or(&state.program, |(program, _)| program);
    Some(format!("{program} {}{given}{beside}{track} --at {place}", shell_word(&session.path)))
}
