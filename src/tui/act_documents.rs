//! What keys do in the documents view, and on the way into it and out of it.

use std::sync::Arc;

use crate::config::Action;
use crate::model::{BlockId, Entry, EntryId, Layer, Made};
use crate::policy::named;

use super::documents::{self, Documents, Outcome};
use super::message::Effect;
use super::state::State;

/// Opens the documents view, at the passage that is selected where it is one.
pub fn open_documents(state: &mut State) -> Vec<Effect> {
    let Some(session) = state.session() else { return Vec::new() };
    let selected = session.view.as_ref().and_then(|view| view.index.run().entry(view.selected?));
    let place = selected.and_then(|entry| {
        entry.content.iter().find_map(|made| match made {
            Made::Part(block, from, ..) => Some((*block, Some(usize::try_from(*from).ok()?))),
            // All of it: the best passage is as good a place as any.
            Made::Block(block) => Some((*block, None)),
            Made::Text(_) | Made::Written(_) => None,
        })
    });
    let file = |block: BlockId| session.documents.iter().position(|file| file.block == block);
    let found = place.and_then(|(block, byte)| Some((file(block)?, byte)));
    // What is cut to limits is text of its own: its entry has the file's name.
    let named = || {
        let entry = selected.filter(|entry| entry.layer == Layer::Files)?;
        session.documents.iter().position(|file| *file.label == *entry.label)
    };
    let (file, goal) = match found {
        Some((file, byte)) => (file, byte),
        None => (named().unwrap_or(0), None),
    };
    let policy = Arc::new(session.pages.draft.policy.clone());
    state.documents = Some(Documents::new(session.documents.clone(), file, goal, policy));
    Vec::new()
}

/// Does an action in the documents view.
pub fn document(state: &mut State, action: Action) -> Vec<Effect> {
    let area = state.area();
    let Some(documents) = &mut state.documents else { return Vec::new() };
    match documents::act(documents, action, area) {
        Outcome::Stays => try_changes(state),
        Outcome::Closes => state.documents = None,
        Outcome::GoesToWindow => {
            let place = documents.looked_at();
            let whole = documents.choice.as_ref().is_some_and(|choice| choice.in_window.is_some());
            let label = documents.files.get(documents.wanted.file).map(|file| file.label.clone());
            let label = label.filter(|_| whole);
            let found = place.zip(state.view()).and_then(|((block, from, to), view)| {
                let holds = |made: &Made| match made {
                    Made::Part(id, first, last, _) => *id == block && *first < to && from < *last,
                    Made::Block(id) => *id == block,
                    Made::Text(_) | Made::Written(_) => false,
                };
                let is_file = |entry: &Entry| {
                    entry.layer == Layer::Files && label.as_deref().is_some_and(|label| label == &*entry.label)
                };
                let entries = || (0u32..).zip(&view.index.run().entries);
                entries()
                    .find(|(_, entry)| entry.content.iter().any(holds))
                    .or_else(|| entries().find(|(_, entry)| is_file(entry)))
                    .map(|(id, entry)| (EntryId(id), entry.born(), entry.life_at(view.step).is_some()))
            });
            match found {
                Some((id, born, is_there)) => {
                    state.documents = None;
                    if let Some(view) = state.view_mut() {
                        if !is_there {
                            view.go_to(born);
                        }
                        view.reveal(id);
                    }
                }
                None => state.complain("this passage is in no window of this track"),
            }
        }
    }
    Vec::new()
}

/// What was changed in the view becomes part of the policy that is tried: its windows are made anew.
fn try_changes(state: &mut State) {
    let changes = state.documents.as_mut().map(Documents::take_changes).unwrap_or_default();
    if changes.is_empty() {
        return;
    }
    let Some(session) = state.session_mut() else { return };
    let draft = &mut session.pages.draft;
    let set = changes.iter().filter_map(|(key, value)| Some((*key, draft.set(named(key)?, value).err()?)));
    let refused: Vec<String> = set.map(|(key, why)| format!("{key}: {why}")).collect();
    let policy = Arc::new(draft.policy.clone());
    if let Some(documents) = &mut state.documents {
        documents.try_policy(policy);
    }
    if let Some(why) = refused.first() {
        state.complain(why.clone());
    }
}
