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
    making: Mutex<Option<(ThreadId, Policy)>>,
    run: OnceLock<Job<Wish>>,
    make: OnceLock<Job<(ThreadId, Policy)>>,
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
        let make = move |(thread, policy): (ThreadId, Policy), watch: &Arc<Watch>| {
            let made = ready(thread, &policy, watch);
            with(&of, |inner| inner.made(thread, &policy, made, watch));
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
        self.stop();
        *lock(&self.inner.ready) = None;
    }

    /// Gives up what is under way.
    pub fn stop(&self) {
        (*lock(&self.inner.latest), *lock(&self.inner.making)) = (None, None);
        if let (Some(run), Some(make)) = (self.inner.run.get(), self.inner.make.get()) {
            run.stop();
            make.stop();
        }
    }
}

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
        let serves = |(thread, policy): &(ThreadId, Policy)| {
            *thread == wish.thread && counts_alike(policy, &wish.policy) && prepares_alike(policy, &wish.policy)
        };
        if !making.as_ref().is_some_and(serves)
            && let Some(make) = self.make.get()
        {
            *making = Some((wish.thread, (*wish.policy).clone()));
            make.ask((wish.thread, *wish.policy));
        }
    }

    fn made(&self, thread: ThreadId, policy: &Policy, made: Option<Result<Replay, String>>, watch: &Watch) {
        {
            let mut making = lock(&self.making);
            // What has been given up meanwhile is not what is being made now.
            if making.as_ref().is_some_and(|(now, for_policy)| *now == thread && for_policy == policy) {
                *making = None;
            }
        }
        match made {
            Some(Ok(replay)) => {
                *lock(&self.ready) = Some((thread, Arc::new(replay)));
                let latest = lock(&self.latest).clone();
                if let (Some(wish), Some(run)) = (latest, self.run.get()) {
                    run.ask(wish);
                }
            }
            Some(Err(why)) if !watch.is_cancelled() => (self.tell)(Err(why)),
            Some(Err(_)) | None => {}
        }
    }
}
