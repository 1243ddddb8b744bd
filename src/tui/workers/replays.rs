//! Replays under a policy, and what is worked out of them: memories, what summaries keep, chosen passages.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use crate::content::Watch;
use crate::engine::Replay;
use crate::inquiry::Memories;
use crate::model::Run;
use crate::present::{KnownSummaries, measure_after};
use crate::tui::documents::Wanted;
use crate::tui::memory::{Arrange, Known, Measure, Remember, arrange};
use crate::tui::message::Message;
use crate::tui::replayer::{For, Ready, Replayed, Replayer};
use crate::tui::services::Opened;
use crate::tui::under_way::Task;

use super::shared::Shared;

/// Starts what replays the session for one who asks.
pub(super) fn replayer(shared: &Arc<Shared>, of: For) -> io::Result<Replayer> {
    let (making, telling) = (Arc::clone(shared), Arc::clone(shared));
    let ready: Ready = Box::new(move |thread, policy, watch| {
        let session = making.session()?;
        let _working = making.under_way.begin(Task::Counting, watch);
        Some((session.replays)(thread, policy, watch))
    });
    let told = Box::new(move |made: Result<Replayed, String>| {
        telling.tell(Message::Counting(0, 0));
        telling.tell(Message::Replayed(of, made.map(Box::new)));
    });
    Replayer::start("replay", ready, told)
}

/// Replays up to a step, and tells what is remembered then.
pub(super) fn memories(shared: &Shared, (wish, replay): (Remember, Option<Arc<Replay>>), watch: &Arc<Watch>) {
    // Without a history that is ready for the policy its own replay is still to come, and asks again.
    let Some(replay) = replay else { return };
    let found = Memories::at(&replay, &wish.policy, wish.step, watch);
    if watch.is_cancelled() {
        return;
    }
    let known = found.map_or(Known::Off, |found| Known::There(Arc::new(found)));
    shared.tell(Message::Remembered(wish.of, wish.step, known));
}

/// Seeks and sorts memories.
pub(super) fn memory_list(shared: &Shared, wish: Arrange, watch: &Arc<Watch>) {
    if let Some(rows) = arrange(&wish, watch) {
        shared.tell(Message::Arranged(wish.number, rows));
    }
}

/// What is known of the summaries of a run, for the next one that is looked at.
pub(super) type Measurer = Mutex<Option<(Arc<Run>, KnownSummaries)>>;

/// Holds a summary against what it stands for.
pub(super) fn measured_summary(
    measurer: &Measurer,
    shared: &Shared,
    session: &Arc<Opened>,
    (from, event): Measure,
    watch: &Arc<Watch>,
) {
    let mut held = measurer.lock().unwrap_or_else(PoisonError::into_inner);
    let known = match held.take() {
        Some((run, known)) if Arc::ptr_eq(&run, &from.run) => known,
        _ => KnownSummaries::default(),
    };
    let (_, known) = held.insert((Arc::clone(&from.run), known));
    let found = measure_after(&session.transcript, &session.sources, &from.run, event, known, watch);
    if watch.is_cancelled() {
        return;
    }
    let none = || "this compaction made no summary".to_owned();
    let found = found.map_err(|why| why.to_string()).and_then(|found| found.ok_or_else(none));
    shared.tell(Message::Measured(from.of, event, found.map(Arc::new)));
}

/// Chooses passages of an attached document.
pub(super) fn passages(shared: &Shared, session: &Arc<Opened>, wanted: Wanted, watch: &Arc<Watch>) {
    // Until something is told, the document is read: how far that is can be seen.
    let mut reading = Some(shared.under_way.begin(Task::Counting, watch));
    let mut read = || {
        if reading.take().is_some() {
            shared.tell(Message::Counting(0, 0));
        }
    };
    (session.passages)(&wanted, watch, &mut |choice| {
        read();
        shared.tell(Message::Chosen(Arc::new(choice)));
    });
    read();
}
