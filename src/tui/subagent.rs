//! Into a subagent from the call that started it, and back.

use crate::model::ThreadKind;

use super::message::Effect;
use super::state::State;

/// The thread that the selected call started.
pub fn subagent_of(state: &State) -> Option<crate::model::ThreadId> {
    let (session, view) = (state.session()?, state.view()?);
    let block = view.selected.and_then(|id| view.index.run().entry(id)).and_then(crate::model::Entry::block)?;
    // The result of the call leads there as well.
    let call = session.transcript.block(block)?.call;
    let same = |other: crate::model::BlockId| {
        other == block || (call.is_some() && session.transcript.block(other).and_then(|block| block.call) == call)
    };
    (0u32..)
        .zip(&session.transcript.threads)
        .find(|(_, thread)| matches!(thread.kind, ThreadKind::Subagent(Some(by)) if same(by)))
        .map(|(id, _)| crate::model::ThreadId(id))
}

/// Opens the subagent that the selected call started.
pub fn open_subagent(state: &mut State) -> Vec<Effect> {
    let found = subagent_of(state);
    match found.and_then(|thread| Some(state.session_mut()?.count(thread))) {
        Some(effect) => vec![effect],
        None => {
            state.complain("the selected entry started no subagent that is recorded");
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
