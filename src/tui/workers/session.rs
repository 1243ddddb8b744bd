//! Opening a session, rebuilding its windows, and reading and searching their entries.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use crate::content::Watch;
use crate::engine::plan::referred;
use crate::model::{EntryId, ThreadId};
use crate::tui::compaction::summary_lines;
use crate::tui::detail::{Detail, read};
use crate::tui::first_words::first_words;
use crate::tui::message::{Begin, Message};
use crate::tui::numbered::Numbered;
use crate::tui::scene::RunIndex;
use crate::tui::search::{elsewhere, search};
use crate::tui::services::{Open, Opened};
use crate::tui::under_way::Task;

use super::shared::Shared;

/// Opens a session by its name.
pub(super) fn open(shared: &Shared, open: &Open, name: String, watch: &Arc<Watch>) {
    let working = shared.under_way.begin(Task::Opening, watch);
    let opened = catch_unwind(AssertUnwindSafe(|| open(&name, watch)));
    drop(working);
    match opened {
        Ok(Ok(opened)) => {
            let (transcript, sources) = (Arc::clone(&opened.transcript), opened.sources.clone());
            let documents = opened.documents.clone();
            let (named, policy) = opened.policy.clone();
            let (file, simulated) = (opened.file.clone(), opened.simulated);
            let begin = Begin { name: named, policy, file, simulated, documents };
            shared.set_session(opened);
            shared.tell(Message::Opened(name, transcript, sources, Box::new(begin)));
        }
        Ok(Err(why)) => shared.tell(Message::Failed(name, why)),
        Err(_) => {
            shared.tell(Message::Failed(name, "a fault inside windowpane: the file could not be read".to_owned()));
        }
    }
}

/// Rebuilds a thread's windows, and finds what in them is referred to again.
pub(super) fn windows(shared: &Shared, session: &Arc<Opened>, thread: ThreadId, watch: &Arc<Watch>) {
    let working = shared.under_way.begin(Task::Counting, watch);
    (session.windows)(thread, watch, &mut |run| {
        shared.tell(Message::Windows(thread, Arc::new(RunIndex::new(run))));
    });
    drop(working);
    shared.tell(Message::Counting(0, 0));
    if watch.is_cancelled() {
        return;
    }
    if let Some(found) = referred(&session.transcript, &session.sources, thread, watch) {
        shared.tell(Message::Referred(thread, Arc::new(found)));
    }
}

/// Reads the first words of entries.
pub(super) fn words(shared: &Shared, session: &Arc<Opened>, (from, wanted): (Numbered, Vec<EntryId>), _: &Arc<Watch>) {
    let words = |id| first_words(&from.run, &session.transcript, &session.sources, id);
    shared.tell(Message::Words(from.of, wanted.iter().map(|id| (*id, words(*id))).collect()));
}

/// Reads the text of an entry, raw or rendered.
pub(super) fn entry(
    shared: &Shared,
    session: &Arc<Opened>,
    (from, wanted, raw): (Numbered, EntryId, bool),
    _: &Arc<Watch>,
) {
    let content = read(&from.run, &session.transcript, &session.sources, wanted);
    let laid_out = content.map(|content| Detail::new(Arc::new(content), raw)).map_err(|why| why.to_string());
    shared.tell(Message::Read(from.of, wanted, Box::new(laid_out)));
}

/// Searches the entries of a run, then the other threads.
pub(super) fn find(
    shared: &Shared,
    session: &Arc<Opened>,
    (number, from, text): (u64, Numbered, String),
    watch: &Arc<Watch>,
) {
    search(&from.run, &session.transcript, &session.sources, &text, watch, |hits| {
        if !hits.is_empty() {
            shared.tell(Message::Found(number, hits, false));
        }
    });
    shared.tell(Message::Found(number, Vec::new(), !watch.is_cancelled()));
    let others = elsewhere(&from.run, &session.transcript, &session.sources, &text, watch);
    if !others.is_empty() && !watch.is_cancelled() {
        shared.tell(Message::FoundElsewhere(number, others));
    }
}

/// Reads the lines of a summary, with where each is from.
pub(super) fn summary(shared: &Shared, session: &Arc<Opened>, (from, id): (Numbered, EntryId), _: &Arc<Watch>) {
    let lines = summary_lines(&from.run, &session.transcript, &session.sources, id);
    shared.tell(Message::Summary(from.of, id, lines));
}
