//! Into a subagent from the call that started it, into the call that wrote a summary, and back.

use crate::config::Context;
use crate::model::{ThreadId, ThreadKind};
use crate::present::Place;

use super::message::Effect;
use super::scene::Row;
use super::state::State;
use super::threads::summariser_of;

/// The thread that the selected call started.
pub fn subagent_of(state: &State) -> Option<ThreadId> {
    let (session, view) = (state.session()?, state.view()?);
    let block = view.here().and_then(|id| view.index.run().entry(id)).and_then(crate::model::Entry::block)?;
    // The result of the call leads there as well.
    let call = session.transcript.block(block)?.call;
    let same = |other: crate::model::BlockId| {
        other == block || (call.is_some() && session.transcript.block(other).and_then(|block| block.call) == call)
    };
    (0u32..)
        .zip(&session.transcript.threads)
        .find(|(_, thread)| matches!(thread.kind, ThreadKind::Subagent(Some(by)) if same(by)))
        .map(|(id, _)| ThreadId(id))
}

/// The thread that what is selected leads to: the subagent of a call, or the call that wrote a compaction's summary.
pub fn leads_to(state: &State) -> Option<ThreadId> {
    let (session, view) = (state.session()?, state.view()?);
    let made_by = |id| view.index.brief(id).and_then(|entry| entry.boundary);
    let event = match (view.focus, view.shown.rows.get(view.row.cursor)) {
        (Context::Events, _) => view.current_event(),
        (_, Some(Row::Boundary(event))) => Some(*event),
        _ => view.here().and_then(made_by),
    };
    event.and_then(|event| summariser_of(&session.transcript, view, event)).or_else(|| subagent_of(state))
}

/// Opens the thread that what is selected leads to.
pub fn open_subagent(state: &mut State) -> Vec<Effect> {
    let found = leads_to(state);
    state.wanted = Place::default();
    match found.and_then(|thread| Some(state.session_mut()?.count(thread))) {
        Some(effect) => vec![effect],
        None => {
            state.complain("what is selected started no subagent, and no call for a summary, that is recorded");
            Vec::new()
        }
    }
}

/// Back from a subagent to its call; what was not counted to the end there is taken up again.
pub fn leave(state: &mut State) -> Vec<Effect> {
    let Some(session) = state.session_mut() else { return Vec::new() };
    let Some(above) = session.trail.pop() else { return Vec::new() };
    let (thread, waits) = (above.thread, above.waits());
    session.view = Some(above);
    session.text = super::state::Text::default();
    if waits && session.asked != thread { vec![session.count(thread)] } else { Vec::new() }
}
