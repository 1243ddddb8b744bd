//! The threads beside the screen: they open, rebuild, read and search, and report to the loop.

use std::io;
use std::path::PathBuf;
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use directories::BaseDirs;

use crate::content::Watch;
use crate::engine::Replay;
use crate::engine::plan::referred;
use crate::export::{Form, pack};
use crate::inquiry::{Fact, Found, Memories, Ready, Subject};
use crate::io::write_whole;
use crate::model::{EntryId, ThreadId};
use crate::policy::Policy;
use crate::present::{bytes, measure};

use super::bench::{self, Bench, For, Replayed};
use super::compaction::summary_lines;
use super::compare::Asked as Keeps;
use super::detail::{Detail, Worker, read};
use super::documents::Wanted;
use super::first_words::first_words;
use super::job::Job;
use super::memory::{Arrange, Known, Measure, Remember, arrange};
use super::message::{Begin, Effect, Message};
use super::numbered::Numbered;
use super::runner::News;
use super::scene::RunIndex;
use super::search::{elsewhere, search};
use super::sessions::Sessions;
use super::sweep::{Asked as Swept, Desk, News as SweepNews};
use super::trace::{Asked, Told, help, look};
use super::under_way::{Task, UnderWay};
use super::world::{Open, Opened, PASSAGES};

/// Time between two looks at what a trace has found so far.
const OFTEN: Duration = Duration::from_millis(250);
/// Passages after which it is told at once.
const FIRST: u64 = 200;

/// A text to be copied by the terminal, and what is said of it.
pub struct Clip {
    /// The text.
    pub text: String,
    /// What is said.
    pub outcome: Result<String, String>,
}

/// What the threads share: the open session, and what they work at.
struct Shared {
    session: Mutex<Option<Arc<Opened>>>,
    under_way: UnderWay,
}

impl Shared {
    fn session(&self) -> Option<Arc<Opened>> {
        self.session.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

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
    benches: [Bench; 3],
    summary: Job<(Numbered, EntryId)>,
    remember: Job<(Remember, Option<Arc<Replay>>)>,
    arrange: Job<Arrange>,
    measure: Job<Measure>,
    trace: Job<(u64, Numbered, String)>,
    what_if: Job<Box<Asked>>,
    sweep: Job<Box<Swept>>,
    keeps: Job<Box<Keeps>>,
    write: Job<Writing>,
    choose: Job<Wanted>,
}

/// What leaves the program.
enum Writing {
    CopyEntry(Numbered, EntryId),
    CopyText(String),
    Export(Numbered, u32, Form, String),
    Save { path: String, text: String, force: bool, said: String },
}

impl Workers {
    /// Starts the threads.
    ///
    /// # Errors
    /// Where the system gives no thread.
    pub fn start(open: Open, sender: &Sender<News>) -> io::Result<Workers> {
        let shared = Arc::new(Shared { session: Mutex::default(), under_way: UnderWay::new(sender.clone()) });
        let say = |sender: &Sender<News>| {
            let sender = sender.clone();
            move |message: Message| {
                // Nobody listens any more only when the program ends.
                let _ = sender.send(News::Message(message));
            }
        };
        let fault = |sender: &Sender<News>| {
            let say = say(sender);
            move || say(Message::Done(Err("a fault inside windowpane: this could not be worked out".to_owned())))
        };
        let (inner, tell) = (Arc::clone(&shared), say(sender));
        let opening = move |name: String, watch: &Arc<Watch>| {
            let working = inner.under_way.begin(Task::Opening, watch);
            let opened = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| open(&name, watch)));
            drop(working);
            match opened {
                Ok(Ok(opened)) => {
                    let (transcript, sources) = (Arc::clone(&opened.transcript), opened.sources.clone());
                    let documents = opened.documents.clone();
                    let (named, policy) = opened.policy.clone();
                    let begin = Begin { name: named, policy, simulated: opened.simulated };
                    *inner.session.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(opened));
                    tell(Message::Opened(name, transcript, sources, Box::new(begin)));
                    tell(Message::Documents(documents));
                }
                Ok(Err(why)) => tell(Message::Failed(name, why)),
                Err(_) => {
                    tell(Message::Failed(name, "a fault inside windowpane: the file could not be read".to_owned()));
                }
            }
        };
        let opening = Job::start("open", opening, fault(sender))?;
        let (inner, tell) = (Arc::clone(&shared), say(sender));
        let rebuild = move |thread: ThreadId, watch: &Arc<Watch>| {
            let Some(session) = inner.session() else { return };
            let working = inner.under_way.begin(Task::Counting, watch);
            (session.windows)(thread, watch, &mut |run| {
                tell(Message::Windows(thread, Arc::new(RunIndex::new(run))));
            });
            drop(working);
            tell(Message::Counting(0, 0));
            if watch.is_cancelled() {
                return;
            }
            if let Some(found) = referred(&session.transcript, &session.sources, thread, watch) {
                tell(Message::Referred(thread, Arc::new(found)));
            }
        };
        let windows = Job::start("windows", rebuild, fault(sender))?;
        let (inner, tell) = (Arc::clone(&shared), say(sender));
        let words = move |(from, wanted): (Numbered, Vec<EntryId>), _: &Arc<Watch>| {
            let Some(session) = inner.session() else { return };
            let words = |id| first_words(&from.run, &session.transcript, &session.sources, id);
            tell(Message::Words(from.of, wanted.iter().map(|id| (*id, words(*id))).collect()));
        };
        let words = Job::start("words", words, fault(sender))?;
        let (inner, tell) = (Arc::clone(&shared), say(sender));
        let open = move |(from, wanted, raw): (Numbered, EntryId, bool), _: &Arc<Watch>| {
            let Some(session) = inner.session() else { return };
            let content = read(&from.run, &session.transcript, &session.sources, wanted);
            let laid_out = content.map(|content| Detail::new(Arc::new(content), raw)).map_err(|why| why.to_string());
            tell(Message::Read(from.of, wanted, Box::new(laid_out)));
        };
        let open = Job::start("read", open, fault(sender))?;
        let tell = say(sender);
        let make = Worker::start(move |done| tell(Message::Made(done)))?;
        let (inner, tell) = (Arc::clone(&shared), say(sender));
        let seek = move |(number, from, text): (u64, Numbered, String), watch: &Arc<Watch>| {
            let Some(session) = inner.session() else { return };
            search(&from.run, &session.transcript, &session.sources, &text, watch, |hits| {
                if !hits.is_empty() {
                    tell(Message::Found(number, hits, false));
                }
            });
            tell(Message::Found(number, Vec::new(), !watch.is_cancelled()));
            let others = elsewhere(&from.run, &session.transcript, &session.sources, &text, watch);
            if !others.is_empty() && !watch.is_cancelled() {
                tell(Message::FoundElsewhere(number, others));
            }
        };
        let seek = Job::start("search", seek, fault(sender))?;
        let (inner, tell) = (Arc::clone(&shared), say(sender));
        let follow = move |(number, from, text): (u64, Numbered, String), watch: &Arc<Watch>| {
            let Some(session) = inner.session() else { return };
            let fact = match Fact::parse(&text) {
                Ok(fact) => fact,
                Err(why) => return tell(Message::Traced(number, Box::new(Err(why.to_string())))),
            };
            let of = |found: &Found| look(&fact, found, &session.transcript, &session.sources, &from.run);
            let mut told = Instant::now();
            let found = (session.finds)(&fact, usize::MAX, watch, &mut |found| {
                // What has been found so far is looked at only as often as it can be read.
                let first = found.compared.is_some_and(|(done, _)| done <= FIRST);
                if first || told.elapsed() > OFTEN {
                    told = Instant::now();
                    tell(Message::Traced(number, Box::new(Ok(Told { whole: false, ..of(&found) }))));
                }
            });
            tell(Message::Traced(number, Box::new(Ok(of(&found)))));
        };
        let follow = Job::start("trace", follow, fault(sender))?;
        let (inner, tell) = (Arc::clone(&shared), say(sender));
        let what_if = move |asked: Box<Asked>, watch: &Arc<Watch>| {
            let Some(session) = inner.session() else { return };
            let Asked { number, thread, policy, fact, step } = *asked;
            let remake = |policy: &Policy| (session.replays)(thread, policy, watch);
            let so_far = |rows| tell(Message::Helped(number, Ok(rows), false));
            let parsed = Fact::parse(&fact).map_err(|why| why.to_string());
            // A model may be asked before anything is tried.
            let working = inner.under_way.begin(Task::Silent, watch);
            let found = parsed.and_then(|fact| {
                let found = (session.finds)(&fact, PASSAGES, watch, &mut |_| {});
                let subject = Subject::new(&fact, &found, &session.transcript);
                let ready = Ready::new((session.replays)(thread, &policy, watch)?, Some(&remake));
                let _working = inner.under_way.begin(Task::Trying, watch);
                Ok(help(&subject, &ready, &policy, step, watch, &so_far))
            });
            drop(working);
            tell(Message::Helped(number, found, true));
        };
        let what_if = Job::start("what-if", what_if, fault(sender))?;
        let (inner, tell, desk) = (Arc::clone(&shared), say(sender), Mutex::new(Desk::default()));
        let sweep = move |asked: Box<Swept>, watch: &Arc<Watch>| {
            let Some(session) = inner.session() else { return };
            let _working = inner.under_way.begin(Task::Silent, watch);
            let told = |news: SweepNews| tell(Message::Swept(asked.number, news));
            desk.lock().unwrap_or_else(PoisonError::into_inner).sweep(&session, &asked, watch, &told);
        };
        let sweep = Job::start("sweep", sweep, fault(sender))?;
        let (inner, tell, desk) = (Arc::clone(&shared), say(sender), Mutex::new(Desk::default()));
        let keeps = move |asked: Box<Keeps>, watch: &Arc<Watch>| {
            let Some(session) = inner.session() else { return };
            let found = desk.lock().unwrap_or_else(PoisonError::into_inner).keeps(&session, &asked, watch);
            if !watch.is_cancelled() {
                tell(Message::Kept(asked.number, found));
            }
        };
        let keeps = Job::start("facts kept", keeps, fault(sender))?;
        let (inner, news) = (Arc::clone(&shared), sender.clone());
        let write = move |what: Writing, _: &Arc<Watch>| {
            let told = match write(&inner, what) {
                Ok(Written::Clip(clip)) => News::Clip(clip),
                Ok(Written::File(said)) => News::Message(Message::Done(Ok(said))),
                Ok(Written::Exists(path)) => News::Message(Message::Exists(path)),
                Err(why) => News::Message(Message::Done(Err(why))),
            };
            let _ = news.send(told);
        };
        let write = Job::start("write", write, fault(sender))?;
        let (inner, tell) = (Arc::clone(&shared), say(sender));
        let summary = move |(from, id): (Numbered, EntryId), _: &Arc<Watch>| {
            let Some(session) = inner.session() else { return };
            let lines = summary_lines(&from.run, &session.transcript, &session.sources, id);
            tell(Message::Summary(from.of, id, lines));
        };
        let summary = Job::start("summary", summary, fault(sender))?;
        let tell = say(sender);
        let remember = move |(wish, replay): (Remember, Option<Arc<Replay>>), watch: &Arc<Watch>| {
            // Without a history that is ready for the policy its own replay is still to come, and asks again.
            let Some(replay) = replay else { return };
            let found = Memories::at(&replay, &wish.policy, wish.step, watch);
            if watch.is_cancelled() {
                return;
            }
            let known = found.map_or(Known::Off, |found| Known::There(Arc::new(found)));
            tell(Message::Remembered(wish.of, wish.step, known));
        };
        let remember = Job::start("remember", remember, fault(sender))?;
        let tell = say(sender);
        let arranging = move |wish: Arrange, watch: &Arc<Watch>| {
            if let Some(rows) = arrange(&wish, watch) {
                tell(Message::Arranged(wish.number, rows));
            }
        };
        let arranging = Job::start("arrange", arranging, fault(sender))?;
        let (inner, tell) = (Arc::clone(&shared), say(sender));
        let measuring = move |(from, event): Measure, _: &Arc<Watch>| {
            let Some(session) = inner.session() else { return };
            let found = measure(&session.transcript, &session.sources, &from.run, event);
            let found = found.map_err(|why| why.to_string()).and_then(|found| found.ok_or_else(no_summary));
            tell(Message::Measured(from.of, event, found.map(Arc::new)));
        };
        let measuring = Job::start("measure", measuring, fault(sender))?;
        let bench = |of: For| {
            let (inner, tell) = (Arc::clone(&shared), say(sender));
            let ready: bench::Ready = Box::new(move |thread, policy, watch| {
                let session = inner.session()?;
                let _working = inner.under_way.begin(Task::Counting, watch);
                Some((session.replays)(thread, policy, watch))
            });
            let told = Box::new(move |made: Result<Replayed, String>| {
                tell(Message::Counting(0, 0));
                tell(Message::Replayed(of, made.map(Box::new)));
            });
            Bench::start("replay", ready, told)
        };
        let benches = [bench(For::Tried)?, bench(For::Side(0))?, bench(For::Side(1))?];
        let (inner, tell) = (Arc::clone(&shared), say(sender));
        let choose = move |wanted: Wanted, watch: &Arc<Watch>| {
            let Some(session) = inner.session() else { return };
            (session.passages)(&wanted, watch, &mut |choice| tell(Message::Chosen(Arc::new(choice))));
        };
        let choose = Job::start("choose", choose, fault(sender))?;
        let sessions = Sessions::new(sender.clone());
        Ok(Workers {
            shared,
            open: opening,
            sessions,
            windows,
            words,
            read: open,
            make,
            search: seek,
            benches,
            summary,
            remember,
            arrange: arranging,
            measure: measuring,
            trace: follow,
            what_if,
            sweep,
            keeps,
            write,
            choose,
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
            Effect::Trace(number, from, text) => self.trace.ask((number, from, text)),
            Effect::WhatIf(asked) => self.what_if.ask(asked),
            Effect::Sweep(asked) => self.sweep.ask(asked),
            Effect::CopyEntry(from, id) => self.write.ask(Writing::CopyEntry(from, id)),
            Effect::Copy(text) => self.write.ask(Writing::CopyText(text)),
            Effect::Export(from, step, form, path) => self.write.ask(Writing::Export(from, step, form, path)),
            Effect::Save { path, text, force, said } => {
                self.write.ask(Writing::Save { path, text, force, said });
            }
            Effect::Replay(of, wish) => {
                if let Some(bench) = self.benches.get(of.index()) {
                    bench.ask(wish);
                }
            }
            Effect::Keeps(asked) => self.keeps.ask(asked),
            Effect::Summary(from, id) => self.summary.ask((from, id)),
            Effect::Remember(wish) => {
                let replay = self.benches[0].ready(wish.of.thread, &wish.policy);
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
                self.benches.iter().for_each(Bench::clear);
                self.sessions.stop();
                self.windows.stop();
                self.search.stop();
                self.trace.stop();
                self.what_if.stop();
                self.sweep.stop();
                self.keeps.stop();
                self.remember.stop();
                self.choose.stop();
                self.open.ask(name);
            }
            Effect::Sessions => self.sessions.list(),
            Effect::Learn(first) => self.sessions.prefer(&first),
            Effect::Stop => {
                // First, while it is known what is being done.
                self.shared.under_way.stop();
                self.benches.iter().for_each(Bench::stop);
                self.windows.stop();
                self.search.stop();
                self.trace.stop();
                self.what_if.stop();
                self.sweep.stop();
            }
            Effect::Redraw | Effect::Mouse(_) | Effect::Suspend | Effect::Quit => {}
        }
    }

    /// How far the work under way is; `None` where there is none.
    #[must_use]
    pub fn progress(&self) -> Option<Message> {
        self.shared.under_way.progress()
    }
}

fn no_summary() -> String {
    "this compaction made no summary".to_owned()
}

enum Written {
    Clip(Clip),
    File(String),
    Exists(String),
}

/// Copies or exports.
fn write(shared: &Shared, what: Writing) -> Result<Written, String> {
    let session = || shared.session().ok_or_else(|| "the session is not open yet".to_owned());
    let text = match what {
        Writing::CopyText(text) => text,
        Writing::CopyEntry(from, id) => {
            let session = session()?;
            read(&from.run, &session.transcript, &session.sources, id).map_err(|why| why.to_string())?.kept_text()
        }
        Writing::Save { path, text, force, said } => {
            return match write_whole(&at_home(&path), text.as_bytes(), force) {
                Ok(()) => Ok(Written::File(format!("saved {path}{said}"))),
                Err(why) if why.kind() == io::ErrorKind::AlreadyExists => Ok(Written::Exists(path)),
                Err(why) => Err(format!("{path}: {why}")),
            };
        }
        Writing::Export(from, step, form, path) => {
            let session = session()?;
            let packed = pack(&session.transcript, &session.sources, &from.run, step, None, form);
            let packed = packed.map_err(|why| why.to_string())?;
            let target = at_home(&path);
            write_whole(&target, packed.text.as_bytes(), false).map_err(|why| format!("{path}: {why}"))?;
            let notes = match packed.notes.as_slice() {
                [] => String::new(),
                [one] => format!("; {}", one.note),
                [one, more @ ..] => format!("; {} ({} more: windowpane pack tells them)", one.note, more.len()),
            };
            return Ok(Written::File(format!("wrote {path}, {}{notes}", bytes(packed.text.len() as u64))));
        }
    };
    let outcome = super::clipboard::outcome(&text, super::clipboard::native(&text));
    Ok(Written::Clip(Clip { text, outcome }))
}

/// A path as a shell would read its beginning.
fn at_home(path: &str) -> PathBuf {
    let home = path.strip_prefix("~/").and_then(|rest| Some(BaseDirs::new()?.home_dir().join(rest)));
    home.unwrap_or_else(|| PathBuf::from(path))
}
