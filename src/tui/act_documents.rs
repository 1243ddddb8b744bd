//! What keys do in the documents view, and on the way into it and out of it.

use std::cmp::Reverse;
use std::sync::Arc;

use crate::config::Action;
use crate::model::{BlockId, Entry, EntryId, Layer, Made};
use crate::policy::named;

use super::documents::{self, Documents, Outcome};
use super::message::Effect;
use super::state::{Session, State};

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

/// Says it where the choice that the documents view waits for is stopped with all other work.
pub fn stop_choosing(state: &mut State) {
    if let Some(said) = state.documents.as_mut().and_then(Documents::stop) {
        state.say(said);
    }
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
            let label = documents.files.get(documents.wanted.file).map(|file| file.label.clone());
            let found = state.view().and_then(|view| {
                let entries = &view.index.run().entries;
                let (at, whole) = entry_of(entries, place, label.as_deref())?;
                let entry = entries.get(at)?;
                Some((EntryId(u32::try_from(at).ok()?), entry.born(), entry.life_at(view.step).is_some(), whole))
            });
            match found {
                Some((id, born, is_there, whole)) => {
                    state.documents = None;
                    if let Some(view) = state.view_mut() {
                        if !is_there {
                            view.go_to(born);
                        }
                        view.reveal(id);
                    }
                    if !whole {
                        state.say("only a part of that passage stands in the window: this entry overlaps it");
                    }
                }
                None if state.view().is_none() => state.say("the windows are still being counted"),
                None if state.session().is_some_and(Session::is_replaying) => state.say_replaying(),
                None => state.complain("what is looked at is in no window of this track"),
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

/// The entry that holds a place of a document, of several the one that lies closest about it: passages may overlap. Else
/// the one that goes by the document's name: a picture, or other text than the document's. And whether it holds all of
/// the place.
fn entry_of(entries: &[Entry], place: Option<(BlockId, u64, u64)>, label: Option<&str>) -> Option<(usize, bool)> {
    // Bytes of the place that are held; then how far the further edge lies from the place's.
    let held = |made: &Made| match (made, place) {
        (Made::Part(id, first, last, _), Some((block, from, to))) if *id == block && *first < to && from < *last => {
            let shared = (*last).min(to) - (*first).max(from);
            Some((shared, Reverse(first.abs_diff(from).max(last.abs_diff(to)))))
        }
        (Made::Block(id), Some((block, from, to))) if *id == block => {
            Some((to.saturating_sub(from), Reverse(u64::MAX)))
        }
        _ => None,
    };
    let best = |entry: &Entry| entry.content.iter().filter_map(held).max();
    let holding = entries.iter().enumerate().filter_map(|(at, entry)| Some((best(entry)?, Reverse(at))));
    let is_file = |entry: &Entry| entry.layer == Layer::Files && label.is_some_and(|label| label == &*entry.label);
    match holding.max() {
        Some(((shared, _), Reverse(at))) => {
            Some((at, place.is_none_or(|(_, from, to)| shared >= to.saturating_sub(from))))
        }
        None => Some((entries.iter().position(is_file)?, true)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Fate, Role};

    fn entry(layer: Layer, label: &str, made: Made) -> Entry {
        Entry {
            layer,
            role: Role::User,
            fate: Fate::Verbatim,
            content: made.into(),
            label: label.into(),
            tokens: 1,
            original_tokens: 1,
            estimated: false,
            from: [].into_iter().collect(),
            made_by: None,
            lives: [].into_iter().collect(),
        }
    }

    #[test]
    fn a_document_leads_to_what_of_it_is_in_the_window() {
        let entries = [
            entry(Layer::User, "cat.jpg", Made::Block(BlockId(1))),
            entry(Layer::Chunks, "paper.pdf p.1", Made::Part(BlockId(7), 100, 200, false)),
            entry(Layer::Files, "cat.jpg", Made::Block(BlockId(9))),
        ];
        let at = |place, label| entry_of(&entries, place, Some(label)).map(|(at, _)| at);
        assert_eq!(at(Some((BlockId(7), 150, 160)), "paper.pdf"), Some(1));
        assert_eq!(at(Some((BlockId(7), 200, 260)), "paper.pdf"), None, "a passage that was left");
        // A picture's text is not what goes in; a sound may have none.
        assert_eq!((at(Some((BlockId(8), 0, 40)), "cat.jpg"), at(None, "cat.jpg")), (Some(2), Some(2)));
    }

    #[test]
    fn of_passages_that_overlap_the_one_that_is_looked_at_is_gone_to() {
        let passage = |from, to| entry(Layer::Chunks, "paper.pdf", Made::Part(BlockId(7), from, to, false));
        let entries = [passage(0, 500), passage(400, 900), passage(800, 1300), passage(400, 900), passage(1250, 1260)];
        let found = |from, to| entry_of(&entries, Some((BlockId(7), from, to)), None);
        let at = |from, to| found(from, to).map(|(at, _)| at);
        let whole = |from, to| found(from, to).map(|(_, whole)| whole);
        assert_eq!([whole(400, 900), whole(450, 850), whole(450, 1200)], [Some(true), Some(true), Some(false)]);
        assert_eq!((at(0, 500), at(400, 900), at(800, 1300)), (Some(0), Some(1), Some(2)));
        assert_eq!(at(1250, 1260), Some(4), "within another");
        // Passages of another cut: what holds most of it, and of two that hold all of it the one it is the middle of.
        assert_eq!((at(450, 850), at(450, 1200), at(880, 1000)), (Some(1), Some(1), Some(2)));
        assert_eq!((at(410, 440), at(860, 890), at(1300, 1400)), (Some(0), Some(2), None));
        let widened = [passage(0, 500), passage(100, 600), passage(200, 700)];
        assert_eq!(entry_of(&widened, Some((BlockId(7), 300, 400)), None), Some((1, true)));
    }
}
