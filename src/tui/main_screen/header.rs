//! The two lines at the top: what is looked at, and what is the matter with it.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::config::{Action, Role, Theme, sequence_label};
use crate::model::{Track, WindowSource};
use crate::present::{REPLAY, REPLAY_SHORT, clip, percent, short, width};
use crate::tui::inspect::Inspect;
use crate::tui::line::Line;
use crate::tui::pages::{Page, names};
use crate::tui::state::{Session, State};
use crate::tui::threads::conversation;

/// Columns in which a name, cut or not, says something.
const NAME: usize = 4;
/// Columns in which what is the matter with a session says something.
const DIAGNOSIS: usize = 40;

/// Draws as many of the lines as there is room for.
pub fn draw(buffer: &mut Buffer, theme: &Theme, area: Rect, state: &State, session: &Session, view: &Inspect) {
    let mut line = Line::new(buffer, theme, area, 0);
    line.skip(1);
    let figures = figures(state, session, view);
    let size: usize = figures.iter().map(|(text, _)| width(text)).sum::<usize>() + 2;
    // A name that is cut does not run into what follows.
    let apart = u16::from(usize::from(line.left()) > size + NAME);
    let mut right = line.split_right(u16::try_from(size).unwrap_or(u16::MAX).saturating_add(apart));
    right.skip(1 + apart);
    for (text, role) in &figures {
        right.put(text, *role);
    }
    line.put(&session.name, Role::Title);
    for above in session.trail.iter().skip(1).chain(std::iter::once(view)).filter(|_| !session.trail.is_empty()) {
        let title = session.transcript.thread(above.thread).map_or("", |thread| thread.title.as_str());
        line.put(" › ", Role::Dim);
        line.put(if title.is_empty() { "subagent" } else { title }, Role::Accent);
    }
    for (text, role) in facts(session, view) {
        if usize::from(line.left()) < width(&text) + 4 {
            break;
        }
        line.put("  ·  ", Role::Border);
        line.put(&text, role);
    }
    let mut line = Line::new(buffer, theme, area, 1);
    line.skip(1);
    if let Some(doing) = &state.doing {
        let stop = state.keymap.keys(Action::Stop).first().map(|keys| sequence_label(keys, false));
        let stop = stop.map_or_else(String::new, |key| format!(" ({key} stops it)"));
        line.put(&format!("{doing}{stop}  "), Role::Gauge);
    }
    if view.is_simulated() {
        let is_wide = usize::from(line.left()) >= width(REPLAY) + DIAGNOSIS;
        line.put(if is_wide { REPLAY } else { REPLAY_SHORT }, Role::Warning);
        line.put("  ", Role::Dim);
    }
    super::diagnosis::draw(&mut line, view);
}

/// What is said of the session, most important first.
fn facts(session: &Session, view: &Inspect) -> Vec<(String, Role)> {
    let mut facts = Vec::new();
    if let Some((at, all)) = conversation(session, view) {
        facts.push((format!("conversation {at} of {all}"), Role::Accent));
    }
    let Some(step) = view.index.step(view.step) else { return facts };
    // A request that is about to be made goes to the model of the one before.
    let model = view.index.run().model_at(view.step);
    if let Some(model) = model {
        facts.push((model.to_string(), Role::Text));
    }
    let source = match step.window_source {
        WindowSource::Transcript => "recorded",
        WindowSource::User => "yours",
        WindowSource::Policy => "policy",
        WindowSource::Table => "table",
        WindowSource::Agent => "agent",
        WindowSource::Default => "assumed",
    };
    facts.push((format!("{} window ({source})", short(step.window_tokens)), Role::Dim));
    if let Some(agent) = &session.transcript.session.agent {
        facts.push((agent.clone(), Role::Dim));
    }
    facts
}

fn figures(state: &State, session: &Session, view: &Inspect) -> Vec<(String, Role)> {
    let mut figures = Vec::new();
    if let Some((done, total)) = state.counting {
        figures.push((format!("counting {}  ", percent(done, total)), Role::Gauge));
    }
    if let Some(page) = session.pages.page.context() {
        figures.push((page.title().to_owned(), Role::Focus));
        figures.push(("  ·  ".to_owned(), Role::Border));
    }
    if view.index.steps() == 0 {
        figures.push(("no request".to_owned(), Role::Warning));
    } else {
        figures.push(("step ".to_owned(), Role::Dim));
        figures.push((view.step.to_string(), Role::Accent));
        figures.push((format!("/{}", view.index.steps()), Role::Dim));
    }
    if session.pages.page == Page::Compare {
        let [left, right] = names(session);
        figures.push(("  ·  ".to_owned(), Role::Border));
        figures.push((clip(&left, 30).into_owned(), Role::Accent));
        figures.push((" against ".to_owned(), Role::Dim));
        figures.push((clip(&right, 30).into_owned(), Role::Accent));
        return figures;
    }
    match view.index.run().track {
        Track::Recorded => figures.push(("  ·  recorded".to_owned(), Role::Dim)),
        Track::Simulated => {
            figures.push(("  ·  simulated: ".to_owned(), Role::Dim));
            figures.push((clip(&session.pages.draft.title(), 40).into_owned(), Role::Accent));
            if view.index.run().provisional {
                figures.push((" · provisional".to_owned(), Role::Estimate));
            }
        }
    }
    figures
}
