//! Following facts: where one went, which settings would have kept it, and which of many each run keeps.

use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant};

use crate::content::Watch;
use crate::engine::Replay;
use crate::inquiry::{Fact, Found, Ready, Remembering, Subject};
use crate::policy::Policy;
use crate::tui::compare::KeepsRequest;
use crate::tui::findings::FindingsRequest;
use crate::tui::message::Message;
use crate::tui::services::{Opened, PASSAGES};
use crate::tui::sweep::{FactChecker, News as SweepNews, SweepRequest};
use crate::tui::trace::{TraceRequest, TraceResult, WhatIfRequest, help, look};
use crate::tui::under_way::Task;

use super::shared::Shared;

/// Time between two looks at what a trace has found so far.
const OFTEN: Duration = Duration::from_millis(250);
/// Passages after which it is told at once.
const FIRST: u64 = 200;

/// What was found last, so that a fact is not sought again for another step.
#[derive(Default)]
pub(super) struct Finder(Mutex<Option<LastFound>>);

/// The session that was looked through, the fact, and its places.
type LastFound = (Weak<Opened>, String, Arc<Found>);

impl Finder {
    /// What was found of a fact in a session, where that was the last.
    fn known(&self, session: &Arc<Opened>, fact: &str) -> Option<Arc<Found>> {
        let last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (of, known, found) = last.as_ref()?;
        (of.as_ptr() == Arc::as_ptr(session) && known == fact).then(|| Arc::clone(found))
    }

    fn keep(&self, session: &Arc<Opened>, fact: String, found: &Arc<Found>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) =
            Some((Arc::downgrade(session), fact, Arc::clone(found)));
    }
}

/// Traces a fact through the windows of a run.
pub(super) fn trace(
    finder: &Finder,
    shared: &Shared,
    session: &Arc<Opened>,
    (asked, replay): (Box<TraceRequest>, Option<Arc<Replay>>),
    watch: &Arc<Watch>,
) {
    let TraceRequest { number, from, policy, fact: text, step } = *asked;
    let fact = match Fact::parse(&text) {
        Ok(fact) => fact,
        Err(why) => return shared.tell(Message::Traced(number, Box::new(Err(why.to_string())))),
    };
    let encoding = replay.as_ref().map_or_else(|| (session.encodings)(from.run.thread), |replay| replay.plan.encoding);
    let remembering = policy.zip(replay);
    let remembering = remembering.and_then(|(policy, replay)| Remembering::of(&replay, &policy, watch));
    let (transcript, sources) = (&session.transcript, &session.sources);
    let of = |found: &Found| look(&fact, found, transcript, sources, (&from.run, step), remembering.as_ref(), encoding);
    let mut told = Instant::now();
    let mut found = finder.known(session, &text).unwrap_or_else(|| {
        let found = (session.finds)(&fact, usize::MAX, watch, &mut |found| {
            // What has been found so far is looked at only as often as it can be read.
            let first = found.compared.is_some_and(|(done, _)| done <= FIRST);
            if first || told.elapsed() > OFTEN {
                told = Instant::now();
                shared.tell(Message::Traced(number, Box::new(Ok(TraceResult { whole: false, ..of(&found) }))));
            }
        });
        Arc::new(found)
    });
    if !watch.is_cancelled() {
        finder.keep(session, text, &found);
    }
    if let Some(memories) = &remembering {
        (session.likens)(memories, &fact, Arc::make_mut(&mut found), watch);
    }
    shared.tell(Message::Traced(number, Box::new(Ok(of(&found)))));
}

/// Looks for the settings that would have kept a fact: for the places that its trace has found, where that is whole.
pub(super) fn what_if(
    finder: &Finder,
    shared: &Shared,
    session: &Arc<Opened>,
    asked: Box<WhatIfRequest>,
    watch: &Arc<Watch>,
) {
    let WhatIfRequest { number, thread, policy, fact: text, step } = *asked;
    let remake = |policy: &Policy| (session.replays)(thread, policy, &watch.inner());
    let so_far = |rows| shared.tell(Message::Helped(number, Ok(rows), false));
    let parsed = Fact::parse(&text).map_err(|why| why.to_string());
    // A model may be asked before anything is tried.
    let working = shared.under_way.begin(Task::Silent, watch);
    let found = parsed.and_then(|fact| {
        let found = finder
            .known(session, &text)
            .unwrap_or_else(|| Arc::new((session.finds)(&fact, PASSAGES, watch, &mut |_| {})));
        let subject = Subject::new(&fact, &found, &session.transcript);
        let ready = Ready::new((session.replays)(thread, &policy, watch)?, Some(&remake));
        let _working = shared.under_way.begin(Task::Trying, watch);
        Ok(help(&subject, &ready, &policy, step, watch, &so_far))
    });
    drop(working);
    shared.tell(Message::Helped(number, found, true));
}

/// Looks for what costs tokens or loses facts in a run.
pub(super) fn lint(shared: &Shared, session: &Arc<Opened>, asked: Box<FindingsRequest>, watch: &Arc<Watch>) {
    let _working = shared.under_way.begin(Task::Silent, watch);
    let found = (session.lints)(&asked, watch);
    // Where it was stopped the list closes: half of the findings would say that there are no others.
    let stopped = || Err("stopped looking for what costs tokens or loses facts".to_owned());
    let told = if watch.is_cancelled() { stopped() } else { found };
    shared.tell(Message::Linted(asked.number, told));
}

/// Puts settings to their values, and tells which facts stay.
pub(super) fn sweep(
    checker: &Mutex<FactChecker>,
    shared: &Shared,
    session: &Arc<Opened>,
    asked: Box<SweepRequest>,
    watch: &Arc<Watch>,
) {
    let _working = shared.under_way.begin(Task::Silent, watch);
    let told = |news: SweepNews| shared.tell(Message::Swept(asked.number, news));
    checker.lock().unwrap_or_else(PoisonError::into_inner).sweep(session, &asked, watch, &told);
}

/// Looks which facts two runs keep.
pub(super) fn keeps(
    checker: &Mutex<FactChecker>,
    shared: &Shared,
    session: &Arc<Opened>,
    asked: Box<KeepsRequest>,
    watch: &Arc<Watch>,
) {
    let found = checker.lock().unwrap_or_else(PoisonError::into_inner).keeps(session, &asked, watch);
    if !watch.is_cancelled() {
        shared.tell(Message::Kept(asked.number, found));
    }
}
