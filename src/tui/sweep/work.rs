//! The work behind a sweep, beside the screen: facts are proposed and found once, then run after run is told.

use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant};

use crate::content::Watch;
use crate::engine::Replay;
use crate::inquiry::{Fact, Found, Kept, PROPOSED, Point, Ready, Subject, candidates, keeps, needed_at, sweep};
use crate::model::ThreadId;
use crate::policy::Policy;
use crate::tui::compare::KeepsRequest;
use crate::tui::services::{Opened, PASSAGES};

use super::{FactRow, SweepRequest};

/// Runs are told in heaps, so often.
const OFTEN: Duration = Duration::from_millis(40);

/// What the threads tell of a sweep.
pub enum News {
    /// The facts that it is about.
    Facts(Vec<FactRow>),
    /// Some runs.
    Points(Vec<Point>),
    /// All has been told; whether it was stopped before its end.
    Done(bool),
    /// It cannot be made: why.
    Failed(String),
}

/// What is kept from one sweep to the next.
#[derive(Default)]
pub struct FactChecker {
    /// The session that it is about.
    of: Option<Weak<Opened>>,
    /// The replay that was made last, and of which thread.
    replay: Option<(ThreadId, Replay)>,
    /// Facts whose places are known.
    found: Vec<(String, Fact, Found)>,
}

impl FactChecker {
    /// Runs a sweep and tells what it finds.
    pub fn sweep(&mut self, session: &Arc<Opened>, asked: &SweepRequest, watch: &Watch, tell: &(dyn Fn(News) + Sync)) {
        match self.swept(session, asked, watch, tell) {
            Ok(()) => tell(News::Done(watch.is_cancelled())),
            Err(_) if watch.is_cancelled() => tell(News::Done(true)),
            Err(why) => tell(News::Failed(why)),
        }
    }

    fn swept(
        &mut self,
        session: &Arc<Opened>,
        asked: &SweepRequest,
        watch: &Watch,
        tell: &(dyn Fn(News) + Sync),
    ) -> Result<(), String> {
        let SweepRequest { thread, policy, vary, .. } = asked;
        let replay = self.replay(session, *thread, policy, watch)?;
        let run = replay.run(policy);
        let wanted = facts(session, asked.facts.as_deref(), *thread, watch);
        if wanted.is_empty() {
            return Err("the session proposes no facts: add one".to_owned());
        }
        let mut rows = Vec::new();
        for (text, _, proposed) in &wanted {
            if watch.is_cancelled() {
                return Ok(());
            }
            let known = self.find(session, text, watch)?;
            let (_, fact, found) = &self.found[known];
            let given = wanted.iter().find(|(other, ..)| other == text).and_then(|(_, step, _)| *step);
            rows.push(FactRow {
                text: text.clone(),
                needed: needed_at((fact, found, given), &session.transcript, &session.sources, &run),
                proposed: *proposed,
                found: !found.places.is_empty(),
                on: true,
            });
        }
        tell(News::Facts(rows.clone()));
        let subjects: Vec<(Subject, u32)> = rows
            .iter()
            .filter_map(|row| {
                let (_, fact, found) = self.found.iter().find(|(text, ..)| *text == row.text)?;
                Some((Subject::new(fact, found, &session.transcript), row.needed))
            })
            .collect();
        let wanted: Vec<_> = subjects.iter().map(|(subject, step)| (subject, *step)).collect();
        let remake = |policy: &Policy| (session.replays)(*thread, policy, &watch.inner());
        let ready = Ready::new(replay, Some(&remake));
        let heap: Mutex<(Vec<Point>, Instant)> = Mutex::new((Vec::new(), Instant::now()));
        let lock = || heap.lock().unwrap_or_else(PoisonError::into_inner);
        let told = |point: &Point| {
            let mut heap = lock();
            heap.0.push(point.clone());
            if heap.1.elapsed() >= OFTEN {
                heap.1 = Instant::now();
                tell(News::Points(std::mem::take(&mut heap.0)));
            }
        };
        let _ = sweep(&ready, policy, vary, &wanted, watch, &told);
        tell(News::Points(std::mem::take(&mut lock().0)));
        ready.failed().map_or(Ok(()), Err)
    }

    /// Looks which facts two runs keep.
    ///
    /// # Errors
    /// What is the matter with a fact, in a sentence.
    pub fn keeps(&mut self, session: &Arc<Opened>, asked: &KeepsRequest, watch: &Watch) -> Result<Vec<Kept>, String> {
        self.belong_to(session);
        let proposed = || proposed(session, asked.runs[0].thread, watch);
        let mut known = Vec::new();
        for (text, step) in &asked.all(proposed) {
            known.push((self.find(session, text, watch)?, *step));
        }
        let known: Vec<_> = known
            .iter()
            .filter_map(|(at, step)| self.found.get(*at).map(|(_, fact, found)| (fact, found, *step)))
            .collect();
        let runs = [&*asked.runs[0], &*asked.runs[1]];
        Ok(keeps(&known, &session.transcript, &session.sources, &runs))
    }

    /// What is known of another session is forgotten.
    fn belong_to(&mut self, session: &Arc<Opened>) {
        if self.of.as_ref().is_none_or(|of| !std::ptr::eq(of.as_ptr(), Arc::as_ptr(session))) {
            *self = FactChecker { of: Some(Arc::downgrade(session)), ..FactChecker::default() };
        }
    }

    /// The replay of a thread: the last one, where it serves.
    fn replay(
        &mut self,
        session: &Arc<Opened>,
        thread: ThreadId,
        policy: &Policy,
        watch: &Watch,
    ) -> Result<Replay, String> {
        self.belong_to(session);
        if let Some((of, replay)) = &self.replay
            && *of == thread
            && replay.fits(policy)
        {
            return Ok(replay.clone());
        }
        let replay = (session.replays)(thread, policy, watch)?;
        self.replay = Some((thread, replay.clone()));
        Ok(replay)
    }

    /// The number of a fact whose places are known.
    fn find(&mut self, session: &Opened, text: &str, watch: &Watch) -> Result<usize, String> {
        if let Some(at) = self.found.iter().position(|(known, ..)| known == text) {
            return Ok(at);
        }
        let fact = Fact::parse(text).map_err(|why| format!("{text}: {why}"))?;
        let found = (session.finds)(&fact, PASSAGES, watch, &mut |_| {});
        if watch.is_cancelled() {
            return Err("stopped".to_owned());
        }
        self.found.push((text.to_owned(), fact, found));
        Ok(self.found.len() - 1)
    }
}

/// The facts with their steps, and whether the session proposed them.
fn facts(
    session: &Opened,
    asked: Option<&[(String, Option<u32>)]>,
    thread: ThreadId,
    watch: &Watch,
) -> Vec<(String, Option<u32>, bool)> {
    match asked {
        Some(facts) => facts.iter().map(|(text, step)| (text.clone(), *step, false)).collect(),
        None => proposed(session, thread, watch).into_iter().map(|(text, step)| (text, step, true)).collect(),
    }
}

/// The facts that the session proposes, with their steps.
fn proposed(session: &Opened, thread: ThreadId, watch: &Watch) -> Vec<(String, Option<u32>)> {
    let attached: Vec<_> = session.documents.iter().map(|file| (file.block, file.step)).collect();
    let found = candidates(&session.transcript, &session.sources, (thread, &attached), PROPOSED, watch).facts;
    found.into_iter().map(|found| (found.text, Some(found.needed))).collect()
}
