//! A worker as whoever started it has it: a process, what it is asked through, and what it tells.

use std::collections::VecDeque;
use std::io::{self, BufReader};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, TryRecvError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::WORKER_ARGUMENT;
use super::lines::{Told, told};

/// Pieces that are handed on at once, at most, and times that some may wait to be taken.
const AT_ONCE: usize = 8;
const WAITING: usize = 8;

/// How much address space the allocator takes at once; by itself it takes all that a worker may have.
const RESERVED: (&str, &str) = ("MIMALLOC_ARENA_RESERVE", "64MiB");

/// A process that reads documents. It ends when this is dropped.
#[derive(Debug)]
pub struct Worker {
    /// The process.
    pub child: Child,
    /// What it is asked through.
    pub input: Option<ChildStdin>,
    /// What it tells, and what of that was taken already.
    told: Receiver<Vec<Told>>,
    taken: VecDeque<Told>,
}

impl Worker {
    /// Starts one.
    ///
    /// # Errors
    /// Where the system refuses.
    pub fn start(program: &Path) -> io::Result<Worker> {
        let mut child = Command::new(program)
            .arg(WORKER_ARGUMENT)
            .env(RESERVED.0, RESERVED.1)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let (input, output) = (child.stdin.take(), child.stdout.take());
        let (give, take) = sync_channel(WAITING);
        if let Some(output) = output {
            // It ends with the process, or when nobody takes what it gives.
            thread::spawn(move || {
                let (mut from, mut line) = (BufReader::with_capacity(64 << 10, output), Vec::new());
                while let Some(first) = told(&mut from, &mut line) {
                    // What is there at once is handed on at once.
                    let mut all = vec![first];
                    let mut is_open = true;
                    while is_open && all.len() < AT_ONCE && !from.buffer().is_empty() {
                        match told(&mut from, &mut line) {
                            Some(more) => all.push(more),
                            None => is_open = false,
                        }
                    }
                    if give.send(all).is_err() || !is_open {
                        return;
                    }
                }
            });
        }
        Ok(Worker { child, input, told: take, taken: VecDeque::new() })
    }

    /// What it tells next, if it does so in time.
    ///
    /// # Errors
    /// Where it does not, or tells nothing more.
    pub fn next(&mut self, most: Duration) -> Result<Told, RecvTimeoutError> {
        loop {
            if let Some(told) = self.taken.pop_front() {
                return Ok(told);
            }
            self.taken.extend(self.told.recv_timeout(most)?);
        }
    }

    /// Whether it waits to be asked, and has told nothing that nobody asked for.
    fn is_ready(&self) -> bool {
        self.input.is_some() && self.taken.is_empty() && matches!(self.told.try_recv(), Err(TryRecvError::Empty))
    }

    /// Waits until it has ended by itself, and no longer than `most`.
    pub fn ends_within(&mut self, most: Duration) -> bool {
        let begun = Instant::now();
        while begun.elapsed() < most {
            match self.child.try_wait() {
                Ok(None) => thread::sleep(Duration::from_millis(2)),
                _ => return true,
            }
        }
        false
    }

    /// Ends it, and tells how it had ended.
    pub fn end(&mut self) -> io::Result<ExitStatus> {
        self.input = None;
        let _ = self.child.kill();
        self.child.wait()
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        let _ = self.end();
    }
}

/// A worker that waits for the next document.
#[derive(Clone, Debug, Default)]
pub struct Waiting(Arc<Mutex<Option<Worker>>>);

impl Waiting {
    /// Takes it, where there is one that can be asked.
    pub fn take(&self) -> Option<Worker> {
        let worker = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        worker.filter(Worker::is_ready)
    }

    /// Has it wait; where another does already, that one ends.
    pub fn put(&self, worker: Worker) {
        let before = self.0.lock().unwrap_or_else(PoisonError::into_inner).replace(worker);
        drop(before);
    }
}
