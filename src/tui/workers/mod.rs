//! The threads beside the screen: they open, rebuild, read and search, and report to the loop. What each of them does
//! stands in the modules below.

mod facts;
mod replays;
mod session;
mod shared;
mod write;

use std::io;
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex};

use crate::engine::Replay;
use crate::model::{EntryId, ThreadId};

use super::compare::KeepsRequest;
use super::detail::Worker;
use super::documents::Wanted;
use super::findings::FindingsRequest;
use super::job::Job;
use super::memory::{Arrange, Measure, Remember};
use super::message::{Effect, Message};
use super::numbered::Numbered;
use super::replayer::{For, Replayer};
use super::runner::News;
use super::services::Open;
use super::sessions::Sessions;
use super::sweep::{FactChecker, SweepRequest};
use super::trace::{TraceRequest, WhatIfRequest};

use shared::Shared;
use write::Writing;

pub use write::Clip;

/// The threads.
pub struct Workers {
    shared: Arc<Shared>,
    open: Job<String>,
    sessions: Sessions,
    windows: Job<ThreadId>,
    words: Job<(Numbered, Vec<EntryId>)>,
    read: Job<(Numbered, EntryId, bool)>,
    make: Worker,
    search: Job<(u64, Numbered, String)>,
    /// By the number of who they are for.
    replayers: [Replayer; 3],
    summary: Job<(Numbered, EntryId)>,
    remember: Job<(Remember, Option<Arc<Replay>>)>,
    arrange: Job<Arrange>,
    measure: Job<Measure>,
    trace: Job<(Box<TraceRequest>, Option<Arc<Replay>>)>,
    what_if: Job<Box<WhatIfRequest>>,
    lint: Job<Box<FindingsRequest>>,
    sweep: Job<Box<SweepRequest>>,
    keeps: Job<Box<KeepsRequest>>,
    write: Job<Writing>,
    choose: Job<Wanted>,
}

impl Workers {
    /// Starts the threads.
    ///
    /// # Errors
    /// Where the system gives no thread.
    pub fn start(open: Open, sender: &Sender<News>) -> io::Result<Workers> {
        let shared = Arc::new(Shared::new(sender.clone()));
        let made = Arc::clone(&shared);
        let (swept, kept) = (Mutex::new(FactChecker::default()), Mutex::new(FactChecker::default()));
        let finder = Arc::new(facts::Finder::default());
        let traced = Arc::clone(&finder);
        let measurer = replays::Measurer::default();
        let replayer = |of| replays::replayer(&shared, of);
        Ok(Workers {
            open: shared.start("open", move |shared, name, watch| session::open(shared, &open, name, watch))?,
            sessions: Sessions::new(sender.clone()),
            windows: shared.with_session("windows", session::windows)?,
            words: shared.with_session("words", session::words)?,
            read: shared.with_session("read", session::entry)?,
            make: Worker::start(move |done| made.tell(Message::Made(done)))?,
            search: shared.with_session("search", session::find)?,
            replayers: [replayer(For::Tried)?, replayer(For::Side(0))?, replayer(For::Side(1))?],
            summary: shared.with_session("summary", session::summary)?,
            remember: shared.start("remember", replays::memories)?,
            arrange: shared.start("arrange", replays::memory_list)?,
            measure: shared.with_session("measure", move |shared, session, asked, watch| {
                replays::measured_summary(&measurer, shared, session, asked, watch);
            })?,
            trace: shared.with_session("trace", move |shared, session, asked, watch| {
                facts::trace(&finder, shared, session, asked, watch);
            })?,
            what_if: shared.with_session("what-if", move |shared, session, asked, watch| {
                facts::what_if(&traced, shared, session, asked, watch);
            })?,
            lint: shared.with_session("lint", facts::lint)?,
            sweep: shared.with_session("sweep", move |shared, session, asked, watch| {
                facts::sweep(&swept, shared, session, asked, watch);
            })?,
            keeps: shared.with_session("facts kept", move |shared, session, asked, watch| {
                facts::keeps(&kept, shared, session, asked, watch);
            })?,
            write: shared.start("write", write::write)?,
            choose: shared.with_session("choose", replays::passages)?,
            shared,
        })
    }

    /// Hands an effect to the thread that does it.
    pub fn ask(&mut self, effect: Effect) {
        match effect {
            Effect::Windows(thread) => self.windows.ask(thread),
            Effect::Words(from, wanted) => self.words.ask((from, wanted)),
            Effect::Read(from, id, raw) => self.read.ask((from, id, raw)),
            Effect::Make(job) => self.make.ask(job),
            Effect::Search(number, from, text) => self.search.ask((number, from, text)),
            Effect::Trace(asked) => {
                let thread = asked.from.of.thread;
                let replay = asked.policy.as_ref().and_then(|policy| self.replayers[0].ready(thread, policy));
                self.trace.ask((asked, replay));
            }
            Effect::WhatIf(asked) => self.what_if.ask(asked),
            Effect::Lint(asked) => self.lint.ask(asked),
            Effect::StopLint => self.lint.stop(),
            Effect::Sweep(asked) => self.sweep.ask(asked),
            Effect::CopyEntry(from, id) => self.write.ask(Writing::CopyEntry(from, id)),
            Effect::Copy(text) => self.write.ask(Writing::CopyText(text)),
            Effect::Export(from, step, form, path) => self.write.ask(Writing::Export(from, step, form, path)),
            Effect::Save { path, text, force, said } => {
                self.write.ask(Writing::Save { path, text, force, said });
            }
            Effect::Replay(of, wish) => {
                if let Some(replayer) = self.replayers.get(of.index()) {
                    replayer.ask(wish);
                }
            }
            Effect::Keeps(asked) => self.keeps.ask(asked),
            Effect::Summary(from, id) => self.summary.ask((from, id)),
            Effect::Remember(wish) => {
                let replay = self.replayers[0].ready(wish.of.thread, &wish.policy);
                self.remember.ask((wish, replay));
            }
            Effect::Arrange(wish) => self.arrange.ask(wish),
            Effect::Measure(wish) => self.measure.ask(wish),
            Effect::Choose(wanted) => self.choose.ask(wanted),
            Effect::StopSearch => self.search.stop(),
            Effect::StopTrace => {
                self.trace.stop();
                self.what_if.stop();
            }
            Effect::Open(name) => {
                self.stop();
                self.replayers.iter().for_each(Replayer::clear);
                self.sessions.stop();
                self.open.ask(name);
            }
            Effect::Sessions => self.sessions.list(),
            Effect::Learn(first) => self.sessions.prefer(&first),
            Effect::Stop => {
                // First, while it is known what is being done.
                self.shared.under_way.stop();
                self.replayers.iter().for_each(Replayer::stop);
                self.stop();
            }
            Effect::Redraw | Effect::Mouse(_) | Effect::Suspend | Effect::Quit => {}
        }
    }

    /// Gives up what was asked for and is not there yet, but for replays.
    fn stop(&self) {
        self.windows.stop();
        self.search.stop();
        self.trace.stop();
        self.what_if.stop();
        self.lint.stop();
        self.sweep.stop();
        self.keeps.stop();
        self.remember.stop();
        self.choose.stop();
    }

    /// How far the work under way is; `None` where there is none.
    #[must_use]
    pub fn progress(&self) -> Option<Message> {
        self.shared.under_way.progress()
    }
}
