//! Work beside the screen: one request runs, one waits, the newest wins.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use crate::content::Watch;

/// What the one who asks and the one who works share.
struct Shared<R> {
    slot: Mutex<Slot<R>>,
    filled: Condvar,
}

struct Slot<R> {
    waiting: Option<R>,
    running: Arc<Watch>,
    closed: bool,
}

/// A thread that does one kind of work. Ends when it is dropped.
pub struct Job<R> {
    shared: Arc<Shared<R>>,
}

impl<R: Send + 'static> Job<R> {
    /// Starts the thread. `work` should end early when its watch is cancelled; where it panics, `fault` is told.
    pub fn start(
        name: &str,
        work: impl Fn(R, &Arc<Watch>) + Send + 'static,
        fault: impl Fn() + Send + 'static,
    ) -> std::io::Result<Job<R>> {
        let slot = Slot { waiting: None, running: Arc::default(), closed: false };
        let shared = Arc::new(Shared { slot: Mutex::new(slot), filled: Condvar::new() });
        let inner = Arc::clone(&shared);
        thread::Builder::new().name(name.to_owned()).spawn(move || {
            while let Some((request, watch)) = inner.next() {
                let done = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| work(request, &watch)));
                if done.is_err() {
                    fault();
                }
            }
        })?;
        Ok(Job { shared })
    }

    /// Asks for work. What waits is forgotten; what runs is asked to end.
    pub fn ask(&self, request: R) {
        let mut slot = self.shared.lock();
        slot.running.cancel();
        slot.waiting = Some(request);
        self.shared.filled.notify_one();
    }
}

impl<R> Job<R> {
    /// Takes back what waits: it has not begun.
    pub fn take_back(&self) -> Option<R> {
        self.shared.lock().waiting.take()
    }

    /// Forgets what waits and asks what runs to end.
    pub fn stop(&self) {
        let mut slot = self.shared.lock();
        slot.waiting = None;
        slot.running.cancel();
    }
}

impl<R> Drop for Job<R> {
    fn drop(&mut self) {
        let mut slot = self.shared.lock();
        slot.closed = true;
        slot.running.cancel();
        self.shared.filled.notify_one();
    }
}

impl<R> Shared<R> {
    fn lock(&self) -> MutexGuard<'_, Slot<R>> {
        self.slot.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for the next request; `None` when there will be none.
    fn next(&self) -> Option<(R, Arc<Watch>)> {
        let mut slot = self.lock();
        loop {
            if slot.closed {
                return None;
            }
            if let Some(request) = slot.waiting.take() {
                slot.running = Arc::default();
                return Some((request, Arc::clone(&slot.running)));
            }
            slot = self.filled.wait(slot).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;
    use std::time::Duration;

    use super::*;

    const SOON: Duration = Duration::from_secs(20);

    #[test]
    fn the_newest_request_wins() {
        let (begun, told) = channel();
        let job = Job::start(
            "test",
            move |number: u32, watch: &Arc<Watch>| {
                begun.send(number).ok();
                while number == 1 && !watch.is_cancelled() {
                    thread::yield_now();
                }
            },
            || {},
        )
        .unwrap();
        job.ask(1);
        assert_eq!(told.recv_timeout(SOON), Ok(1));
        for number in 2..=50 {
            job.ask(number);
        }
        let mut last = 0;
        while last != 50 {
            last = told.recv_timeout(SOON).unwrap();
        }
    }

    #[test]
    fn a_panic_is_told_and_the_next_request_still_served() {
        let (sender, told) = channel();
        let other = sender.clone();
        let job = Job::start(
            "test",
            move |number: u32, _: &Arc<Watch>| {
                assert!(number != 13, "an unlucky number, and a test");
                sender.send(number).ok();
            },
            move || {
                other.send(0).ok();
            },
        )
        .unwrap();
        job.ask(13);
        assert_eq!(told.recv_timeout(SOON), Ok(0));
        job.ask(7);
        assert_eq!(told.recv_timeout(SOON), Ok(7));
    }
}
