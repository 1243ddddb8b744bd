//! Documents converted in a process of their own, where hostile files can bring down nothing else.
//!
//! The worker is this program, called with [`WORKER_ARGUMENT`]. It reads a request, limits itself, and writes pieces as
//! they arise; where the document went well it may then be asked for another. Whoever started it watches: it is ended
//! when it falls silent, takes too long, takes too much memory where the system sets no limit, or is no longer wanted.

mod lines;
mod process;
mod serve;

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{ChildStdin, ExitCode, ExitStatus};
use std::sync::mpsc::RecvTimeoutError;
use std::thread;
use std::time::{Duration, Instant};

use crate::content::{ReadAt, Watch};
use crate::document::{Conversion, Limits, Note, Piece, PlaceKind, Request, Sink, Stop, convert, detect_bytes};

use super::process::{memory_of, work_of};
use lines::{Asked, Told, ask};
use process::{Waiting, Worker};

/// The first argument that makes this program a worker.
pub const WORKER_ARGUMENT: &str = "--document-worker";
/// How often the worker is looked at.
const LOOK: Duration = Duration::from_millis(50);
/// How many times its silence may last on the clock, where it works no more than that meanwhile.
const PATIENCE: u32 = 3;
/// What a worker may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// Bytes of memory.
    pub memory: u64,
    /// Seconds of processor time.
    pub cpu_seconds: u64,
    /// How long it may work without a word.
    pub silence: Duration,
    /// The same for the plainer reader that takes over when the first fails.
    pub second_silence: Duration,
    /// How long it may take in all.
    pub total: Duration,
}

impl Default for Bounds {
    fn default() -> Bounds {
        Bounds {
            memory: 1 << 30,
            cpu_seconds: 120,
            silence: Duration::from_secs(6),
            second_silence: Duration::from_secs(3),
            total: Duration::from_secs(300),
        }
    }
}

/// A document to convert.
#[derive(Clone, Copy)]
pub struct Job<'a> {
    /// The file's name; its ending tells the format. Untrusted.
    pub name: &'a str,
    /// Where it lies, for the worker to open; without it, its bytes are handed over.
    pub path: Option<&'a Path>,
    /// Its bytes.
    pub bytes: &'a dyn ReadAt,
    /// How much is shown; `None` for all.
    pub limits: Option<&'a Limits>,
    /// Bytes of Markdown after which it stops.
    pub max_bytes: u64,
    /// Progress, and the wish to stop.
    pub watch: &'a Watch,
}

/// Converts documents, in a worker where their reader is risky.
#[derive(Clone, Debug)]
pub struct Converter {
    /// The program to start as a worker.
    pub program: PathBuf,
    /// What it may use for one document.
    pub bounds: Bounds,
    /// The one that has read a document and waits for the next.
    waiting: Waiting,
}

/// How the reading of a document ended.
enum End {
    /// Well.
    Done,
    /// It fell silent, took too long or too much.
    Ended(&'static str),
    /// By itself, before it was done.
    Died,
}

impl Converter {
    /// Converts with the usual bounds.
    #[must_use]
    pub fn new(program: PathBuf) -> Converter {
        Converter { program, bounds: Bounds::default(), waiting: Waiting::default() }
    }

    /// Whether a document is read in a process of its own.
    #[must_use]
    pub fn works_apart(&self, job: &Job<'_>) -> bool {
        detect_bytes(job.name, job.bytes).format.is_some_and(|format| format.risk.applies(job.limits.is_some()))
    }

    /// Converts a document and hands on its pieces as they arise. It never fails: what is wrong is told as notes.
    ///
    /// # Errors
    /// [`Stop::Cancelled`] where the watch or the sink ended it.
    pub fn convert(&self, job: &Job<'_>, sink: &mut Sink<'_>) -> Result<(), Stop> {
        let total = job.bytes.len();
        job.watch.expect(total);
        let mut told = |piece: Piece| {
            if job.watch.is_cancelled() {
                return Err(Stop::Cancelled);
            }
            if let Piece::Progress(done, of @ 1..) = piece {
                // In whatever unit it counts, it is a share of the document.
                let share = u128::from(total) * u128::from(done.min(of)) / u128::from(of);
                job.watch.reach(u64::try_from(share).unwrap_or(total));
            }
            sink(piece)
        };
        let sink: &mut Sink<'_> = &mut told;
        let format = detect_bytes(job.name, job.bytes).format;
        let Some(format) = format.filter(|format| format.risk.applies(job.limits.is_some())) else {
            let Job { name, bytes, limits, max_bytes, watch, .. } = *job;
            return convert(&Request { name, bytes, limits, max_bytes, second_reader_from: None, watch }, sink);
        };
        // A path that is no Unicode cannot be told; then the bytes are.
        let path = job.path.filter(|path| path.to_str().is_some()).map(Path::to_owned);
        let mut asked = Asked {
            name: job.name.to_owned(),
            limits: job.limits.cloned(),
            max_bytes: job.max_bytes,
            second_reader_from: None,
            memory: self.bounds.memory,
            cpu_seconds: self.bounds.cpu_seconds,
            asked_by: std::process::id(),
            // A reader that is brought down so easily that there is a second has a process of its own.
            again: path.is_some() && !format.second_reader,
            path,
        };
        let mut pages = 0;
        let mut said = false;
        // What was to be told when more would be known.
        let mut unsaid: Vec<Note> = Vec::new();
        let mut counted = |piece: Piece| {
            match &piece {
                Piece::Anchor(anchor) if anchor.place.kind == PlaceKind::Page => pages = pages.max(anchor.place.number),
                Piece::Text(text) if !text.trim().is_empty() => {
                    said = true;
                    unsaid.clear();
                }
                Piece::Note(note) => unsaid.retain(|one| one != note),
                Piece::Unsaid(note) => unsaid.push(note.clone()),
                _ => {}
            }
            sink(piece)
        };
        let why = match self.one(job, &asked, &mut counted)? {
            End::Done => return Ok(()),
            End::Ended(why) => why,
            End::Died => "its reader failed",
        };
        let note = |message: String| Piece::Note(Note { place: None, line: 0, message, of_reader: true });
        if !format.second_reader {
            unsaid.into_iter().try_for_each(|note| sink(Piece::Note(note)))?;
            let kept = if said { "; what it gave before is shown" } else { "" };
            return sink(note(format!("{why}{kept}")));
        }
        // A page whose reading was begun is read again by the second reader.
        let from = pages.max(1);
        sink(note(format!("{why}; from page {from} on, the text is that of a plainer reader")))?;
        asked.second_reader_from = Some(from);
        match self.one(job, &asked, sink)? {
            End::Done => Ok(()),
            End::Ended(why) => sink(note(format!("the plainer reader was ended: {why}"))),
            End::Died => sink(note("the plainer reader failed too".to_owned())),
        }
    }

    /// Converts a document and gathers the pieces.
    ///
    /// # Errors
    /// [`Stop::Cancelled`] where the watch ended it.
    pub fn collect(&self, job: &Job<'_>) -> Result<Conversion, Stop> {
        let mut conversion = Conversion::default();
        self.convert(job, &mut |piece| {
            conversion.take(piece);
            Ok(())
        })?;
        Ok(conversion)
    }

    /// Has a worker read the document, once.
    fn one(&self, job: &Job<'_>, asked: &Asked, sink: &mut Sink<'_>) -> Result<End, Stop> {
        if let Some(worker) = asked.again.then(|| self.waiting.take()).flatten() {
            let mut is_told = false;
            let done = self.asked(worker, asked, job, &mut |piece| {
                is_told = true;
                sink(piece)
            })?;
            // One that waited may have been ended meanwhile by somebody else.
            if is_told || !matches!(done, End::Died) {
                return Ok(done);
            }
        }
        match Worker::start(&self.program) {
            Ok(worker) => self.asked(worker, asked, job, sink),
            Err(_) => Ok(End::Ended("its reader's process could not be started")),
        }
    }

    /// Asks a worker for a document, and has it wait for the next where it may.
    fn asked(&self, mut worker: Worker, asked: &Asked, job: &Job<'_>, sink: &mut Sink<'_>) -> Result<End, Stop> {
        let silence = if asked.second_reader_from.is_some() { self.bounds.second_silence } else { self.bounds.silence };
        let (done, again) = if asked.path.is_some() {
            // It is told of in less than a pipe holds.
            if worker.input.as_mut().is_none_or(|input| ask(asked, input).is_err()) {
                return Ok(End::Died);
            }
            self.watch(&mut worker, silence, job.watch, sink)?
        } else {
            let input = worker.input.take();
            thread::scope(|scope| {
                scope.spawn(|| {
                    // A worker that ends early reads no further; that is told by its end.
                    let _ = input.map(|input| hand_over(asked, job.bytes, job.watch, input));
                });
                let done = self.watch(&mut worker, silence, job.watch, sink);
                // The thread ends with the process.
                let _ = worker.child.kill();
                done
            })?
        };
        match done {
            End::Done if again && asked.again => {
                self.waiting.put(worker);
                Ok(End::Done)
            }
            End::Died => Ok(worker.end().map_or(End::Died, ended_by)),
            end => Ok(end),
        }
    }

    /// Takes pieces until the document is done, or the worker ends or is ended; and whether it may be asked again.
    fn watch(
        &self,
        worker: &mut Worker,
        silence: Duration,
        watch: &Watch,
        sink: &mut Sink<'_>,
    ) -> Result<(End, bool), Stop> {
        let begun = Instant::now();
        let mut heard = begun;
        let id = worker.child.id();
        // Processor time at which it fell silent: a busy machine is not the worker's fault.
        let mut worked: Option<Duration> = None;
        loop {
            if watch.is_cancelled() {
                return Err(Stop::Cancelled);
            }
            match worker.next(LOOK) {
                Ok(Told::Piece(piece)) => {
                    (heard, worked) = (Instant::now(), None);
                    sink(piece)?;
                }
                Ok(Told::Done(again)) => return Ok((End::Done, again)),
                Err(RecvTimeoutError::Disconnected) => {
                    // Its output is closed; how it ended is its status.
                    let ended = worker.ends_within(Duration::from_secs(1));
                    return Ok((if ended { End::Died } else { End::Ended("its reader did not end") }, false));
                }
                Err(RecvTimeoutError::Timeout) if worked.is_none() => worked = Some(work_of(id)),
                Err(RecvTimeoutError::Timeout) => {}
            }
            let silent = || work_of(id).saturating_sub(worked.unwrap_or_default());
            if heard.elapsed() > silence && (heard.elapsed() > silence * PATIENCE || silent() > silence) {
                return Ok((End::Ended("its reader fell silent and was ended"), false));
            }
            if begun.elapsed() > self.bounds.total {
                return Ok((End::Ended("its reader took too long and was ended"), false));
            }
            // Linux holds the worker to its limit; elsewhere it is looked at.
            if !cfg!(target_os = "linux") && memory_of(id) > self.bounds.memory {
                return Ok((End::Ended("its reader took too much memory and was ended"), false));
            }
        }
    }
}

/// What a process's status says of how it ended.
fn ended_by(status: ExitStatus) -> End {
    #[cfg(unix)]
    {
        /// A process that is refused memory, or that has used up its stack, ends itself so.
        const ABORTED: i32 = 6;
        /// One that has used up its processor time is ended so.
        const OVERWORKED: i32 = 24;
        match std::os::unix::process::ExitStatusExt::signal(&status) {
            Some(ABORTED) => {
                return End::Ended("the document needs more memory, or is nested deeper, than its reader may use");
            }
            Some(OVERWORKED) => return End::Ended("its reader took too much processor time and was ended"),
            _ => {}
        }
    }
    #[cfg(not(unix))]
    let _ = status;
    End::Died
}

/// Writes the request, and the bytes, since the worker cannot open them itself.
fn hand_over(asked: &Asked, bytes: &dyn ReadAt, watch: &Watch, mut to: ChildStdin) -> io::Result<()> {
    ask(asked, &mut to)?;
    let mut buffer = vec![0; 64 << 10];
    let mut at = 0;
    while !watch.is_cancelled() {
        let size = bytes.read_at(at, &mut buffer)?;
        if size == 0 {
            break;
        }
        to.write_all(&buffer[..size])?;
        at += size as u64;
    }
    Ok(())
}

/// Works, if that is what this program was called for.
#[must_use]
pub fn serve_if_asked() -> Option<ExitCode> {
    let first = std::env::args_os().nth(1)?;
    let done = match first.to_str()? {
        WORKER_ARGUMENT => serve::serve(),
        #[cfg(feature = "fastembed")]
        super::embedder::EMBEDDER_ARGUMENT => super::embedder::serve(),
        _ => return None,
    };
    Some(if done.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

#[cfg(test)]
mod tests;
