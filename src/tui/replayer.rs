//! Replays beside the screen: made ready once, then run under policy after policy; the newest wish wins.

use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};

use crate::content::Watch;
use crate::engine::{Replay, counts_alike, prepares_alike};
use crate::model::ThreadId;
use crate::policy::Policy;

use super::job::Job;
use super::numbered::Numbering;
use super::scene::RunIndex;

/// Who a replay is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum For {
    /// The policy that is tried.
    Tried,
    /// The preset on a side of a comparison, 0 or 1.
    Side(usize),
}

impl For {
    /// Its number among all.
    #[must_use]
    pub fn index(self) -> usize {
        match self {
            For::Tried => 0,
            For::Side(side) => 1 + side.min(1),
        }
    }
}

/// A wish for a replay.
#[derive(Clone)]
pub struct Wish {
    /// The thread.
    pub thread: ThreadId,
    /// Which version of the one who asks it is for.
    pub version: u64,
    /// The policy.
    pub policy: Box<Policy>,
}

/// A replay that was made.
pub struct Replayed {
    /// What its entries' ids belong to.
    pub of: Numbering,
    /// Which version of the one who asked it is for.
    pub version: u64,
    /// The run.
    pub index: Arc<RunIndex>,
}

/// Makes a thread's history ready for a policy; see [`super::services::Replays`].
pub type Ready = Box<dyn Fn(ThreadId, &Policy, &Arc<Watch>) -> Option<Result<Replay, String>> + Send>;

/// Told of replays, or of why there is none.
pub type Tell = Box<dyn Fn(Result<Replayed, String>) + Send + Sync>;

/// Two threads: one that runs replays in milliseconds, one that makes histories ready for them.
pub struct Replayer {
    inner: Arc<Inner>,
}

struct Inner {
    tell: Tell,
    latest: Mutex<Option<Wish>>,
    ready: Mutex<Option<(ThreadId, Arc<Replay>)>>,
    /// What is being made ready.
    making: Mutex<Option<Making>>,
    run: OnceLock<Job<Wish>>,
    make: OnceLock<Job<Making>>,
}

/// A history to be made ready, with a number of its own.
#[derive(Clone)]
struct Making {
    number: u64,
    thread: ThreadId,
    policy: Policy,
}

impl Replayer {
    /// Starts the threads.
    ///
    /// # Errors
    /// Where the system gives none.
    pub fn start(name: &str, ready: Ready, tell: Tell) -> io::Result<Replayer> {
        let inner = Arc::new(Inner {
            tell,
            latest: Mutex::default(),
            ready: Mutex::default(),
            making: Mutex::default(),
            run: OnceLock::new(),
            make: OnceLock::new(),
        });
        let fault = |inner: &Arc<Inner>| {
            let inner = Arc::downgrade(inner);
            move || {
                if let Some(inner) = inner.upgrade() {
                    *lock(&inner.making) = None;
                    (inner.tell)(Err("a fault inside windowpane: this replay could not be made".to_owned()));
                }
            }
        };
        let of = Arc::downgrade(&inner);
        let run = Job::start(name, move |wish, _: &Arc<Watch>| with(&of, |inner| inner.replay(wish)), fault(&inner))?;
        let of = Arc::downgrade(&inner);
        let make = move |asked: Making, watch: &Arc<Watch>| {
            let made = ready(asked.thread, &asked.policy, watch);
            with(&of, |inner| inner.made(&asked, made));
        };
        let make = Job::start(name, make, fault(&inner))?;
        // Nobody else sets them.
        let _ = (inner.run.set(run), inner.make.set(make));
        Ok(Replayer { inner })
    }

    /// Asks for a replay. One that is being run or made ready for another policy is given up where this one needs it.
    pub fn ask(&self, wish: Wish) {
        *lock(&self.inner.latest) = Some(wish.clone());
        if let Some(run) = self.inner.run.get() {
            run.ask(wish);
        }
    }

    /// The history that is ready for a thread and a policy.
    #[must_use]
    pub fn ready(&self, thread: ThreadId, policy: &Policy) -> Option<Arc<Replay>> {
        let ready = lock(&self.inner.ready).clone();
        ready.filter(|(of, replay)| *of == thread && replay.fits(policy)).map(|(_, replay)| replay)
    }

    /// Forgets everything: another session is opened.
    pub fn clear(&self) {
        (*lock(&self.inner.latest), *lock(&self.inner.making)) = (None, None);
        if let (Some(run), Some(make)) = (self.inner.run.get(), self.inner.make.get()) {
            run.stop();
            make.stop();
        }
        *lock(&self.inner.ready) = None;
    }

    /// Gives up what has not begun, and says so. What has begun is told by its watch to end, or to leave out what can be
    /// left out: it says itself what came of it.
    pub fn stop(&self) {
        if let Some(waited) = self.inner.make.get().and_then(Job::take_back) {
            self.inner.made(&waited, Some(Err(STOPPED.to_owned())));
        }
    }
}

/// What is said of a replay that was stopped before it began.
const STOPPED: &str = "stopped before it was ready";

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn with(of: &Weak<Inner>, work: impl FnOnce(&Inner)) {
    if let Some(inner) = of.upgrade() {
        work(&inner);
    }
}

/// Numbers replays, whoever asks for them.
static NEXT: AtomicU64 = AtomicU64::new(1);

impl Inner {
    fn replay(&self, wish: Wish) {
        let ready = lock(&self.ready).clone().filter(|(thread, _)| *thread == wish.thread);
        let fits = ready.as_ref().is_some_and(|(_, replay)| replay.fits(&wish.policy));
        if let Some((_, replay)) = ready {
            let mut run = replay.run(&wish.policy);
            // Made of what another policy had counted and prepared: it stands until its own is ready.
            run.provisional |= !fits;
            let of = Numbering { thread: wish.thread, number: NEXT.fetch_add(1, Ordering::Relaxed) };
            let index = Arc::new(RunIndex::new(Arc::new(run)));
            (self.tell)(Ok(Replayed { of, version: wish.version, index }));
        }
        if fits {
            return;
        }
        let mut making = lock(&self.making);
        let serves = |Making { thread, policy, .. }: &Making| {
            *thread == wish.thread && counts_alike(policy, &wish.policy) && prepares_alike(policy, &wish.policy)
        };
        if !making.as_ref().is_some_and(serves)
            && let Some(make) = self.make.get()
        {
            let number = NEXT.fetch_add(1, Ordering::Relaxed);
            let asked = Making { number, thread: wish.thread, policy: *wish.policy };
            *making = Some(asked.clone());
            make.ask(asked);
        }
    }

    fn made(&self, asked: &Making, made: Option<Result<Replay, String>>) {
        // What has been given up for another is not what is being made now.
        let is_wanted = lock(&self.making).take_if(|now| now.number == asked.number).is_some();
        match made {
            Some(Ok(replay)) => {
                *lock(&self.ready) = Some((asked.thread, Arc::new(replay)));
                let latest = lock(&self.latest).clone();
                if let (Some(wish), Some(run)) = (latest, self.run.get()) {
                    run.ask(wish);
                }
            }
            // Also where the user stopped it: nothing else comes for the wish.
            Some(Err(why)) if is_wanted => (self.tell)(Err(why)),
            Some(Err(_)) | None => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Sender, channel};
    use std::time::Duration;

    use super::*;
    use crate::policy::preset;

    const SOON: Duration = Duration::from_secs(20);

    /// A replayer that reads until it is told to end, and its watches as they begin.
    fn endless(begun: Sender<Arc<Watch>>) -> (Replayer, std::sync::mpsc::Receiver<String>) {
        let (sender, told) = channel();
        let ready: Ready = Box::new(move |_, _, watch| {
            begun.send(Arc::clone(watch)).ok();
            while !watch.is_cancelled() {
                std::thread::sleep(Duration::from_millis(1));
            }
            Some(Err("stopped".to_owned()))
        });
        let tell = Box::new(move |made: Result<Replayed, String>| drop(made.map_err(|why| sender.send(why))));
        (Replayer::start("test", ready, tell).unwrap(), told)
    }

    fn wish(name: &str) -> Wish {
        let policy = Box::new(preset(name, None).unwrap().0);
        Wish { thread: ThreadId(0), version: 1, policy }
    }

    #[test]
    fn what_is_stopped_is_told_and_asked_for_again() {
        let (begun, watches) = channel();
        let (replayer, told) = endless(begun);
        for _ in 0..3 {
            replayer.ask(wish("five-layer"));
            let watch = watches.recv_timeout(SOON).unwrap();
            watch.leave();
            replayer.stop();
            assert_eq!(told.recv_timeout(SOON).as_deref(), Ok("stopped"), "nothing else comes for it");
        }
    }

    #[test]
    fn what_is_given_up_for_another_says_nothing() {
        let (begun, watches) = channel();
        let (replayer, told) = endless(begun);
        for name in ["five-layer", "memory-harness", "five-layer"] {
            replayer.ask(wish(name));
            let last = watches.recv_timeout(SOON).unwrap();
            assert!(told.try_recv().is_err() && !last.is_cancelled(), "{name}");
        }
        replayer.clear();
        assert!(told.recv_timeout(Duration::from_millis(300)).is_err(), "of another session");
    }
}
