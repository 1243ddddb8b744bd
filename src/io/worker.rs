//! Documents converted in a process of their own, where hostile files can bring down nothing else.
//!
//! The worker is this program, called with [`WORKER_ARGUMENT`]. It reads one request, limits itself, and writes pieces,
//! one JSON value a line, as they arise. Whoever started it watches: it is ended when it falls silent, takes too long,
//! takes too much memory where the system sets no limit, or is no longer wanted.

use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::content::{MemoryBytes, ReadAt, Watch};
use crate::document::{Conversion, Limits, Note, Piece, PlaceKind, Request, Sink, Stop, convert, detect_bytes};

use super::FileBytes;
use super::process::{memory_of, work_of};

/// The first argument that makes this program a worker.
pub const WORKER_ARGUMENT: &str = "--document-worker";
/// How often the worker is looked at.
const LOOK: Duration = Duration::from_millis(50);
/// How many times its silence may last on the clock, where it works no more than that meanwhile.
const PATIENCE: u32 = 3;
/// How often a worker tells that it reads, where its reader says nothing.
const BREATH: Duration = Duration::from_secs(1);
/// How often a worker looks whether whoever started it is still there.
const GLANCE: Duration = Duration::from_millis(200);
/// How many times its size may be read of a document for that to be a sign of life.
const READ_TIMES: u64 = 16;
/// Bytes of one line that a worker may write.
const LINE_MAX: u64 = 512 << 20;
/// Pieces that may wait to be taken.
const WAITING: usize = 64;

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
    /// What it may use.
    pub bounds: Bounds,
}

/// What a worker is asked, in one line of JSON; the document's bytes follow where there is no path.
#[derive(Serialize, Deserialize)]
struct Asked {
    name: String,
    path: Option<PathBuf>,
    limits: Option<Limits>,
    max_bytes: u64,
    second_reader_from: Option<u32>,
    memory: u64,
    cpu_seconds: u64,
    /// The process that asks, which may end before its worker looks who started it.
    asked_by: u32,
}

/// How a worker ended.
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
        Converter { program, bounds: Bounds::default() }
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
        if !self.works_apart(job) {
            let Job { name, bytes, limits, max_bytes, watch, .. } = *job;
            return convert(&Request { name, bytes, limits, max_bytes, second_reader_from: None, watch }, sink);
        }
        let mut pages = 0;
        let mut said = false;
        let mut counted = |piece: Piece| {
            match &piece {
                Piece::Anchor(anchor) if anchor.place.kind == PlaceKind::Page => pages = pages.max(anchor.place.number),
                Piece::Text(text) => said |= !text.trim().is_empty(),
                _ => {}
            }
            sink(piece)
        };
        let why = match self.one(job, None, &mut counted)? {
            End::Done => return Ok(()),
            End::Ended(why) => why,
            End::Died => "its reader failed",
        };
        let note = |message: String| Piece::Note(Note { place: None, line: 0, message, of_reader: true });
        if detect_bytes(job.name, job.bytes).format.is_none_or(|format| !format.second_reader) {
            let kept = if said { "; what it gave before is shown" } else { "" };
            return sink(note(format!("{why}{kept}")));
        }
        // A page whose reading was begun is read again by the second reader.
        let from = pages.max(1);
        sink(note(format!("{why}; from page {from} on, the text is that of a plainer reader")))?;
        match self.one(job, Some(from), sink)? {
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

    /// Runs one worker to its end.
    fn one(&self, job: &Job<'_>, second_reader_from: Option<u32>, sink: &mut Sink<'_>) -> Result<End, Stop> {
        let asked = Asked {
            name: job.name.to_owned(),
            // A path that is no Unicode cannot be told; then the bytes are.
            path: job.path.filter(|path| path.to_str().is_some()).map(Path::to_owned),
            limits: job.limits.cloned(),
            max_bytes: job.max_bytes,
            second_reader_from,
            memory: self.bounds.memory,
            cpu_seconds: self.bounds.cpu_seconds,
            asked_by: std::process::id(),
        };
        let silence = if second_reader_from.is_some() { self.bounds.second_silence } else { self.bounds.silence };
        let started = Command::new(&self.program)
            .arg(WORKER_ARGUMENT)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn();
        let Ok(mut child) = started else {
            return Ok(End::Ended("its reader's process could not be started"));
        };
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Ok(End::Died);
        };
        let done = thread::scope(|scope| {
            scope.spawn(|| {
                // A worker that ends early reads no further; that is told by its end.
                let _ = hand_over(&asked, job.bytes, job.watch, input);
            });
            let (give, take) = sync_channel(WAITING);
            scope.spawn(move || read_pieces(output, |piece| give.send(piece).is_ok()));
            let done = self.watch(&mut child, &take, silence, job.watch, sink);
            // Both threads end with the process.
            let _ = child.kill();
            drop(take);
            done
        });
        let status = child.wait();
        match done? {
            End::Died => Ok(status.map_or(End::Died, ended_by)),
            end => Ok(end),
        }
    }

    /// Takes pieces until the worker ends or is ended.
    fn watch(
        &self,
        child: &mut Child,
        take: &Receiver<Piece>,
        silence: Duration,
        watch: &Watch,
        sink: &mut Sink<'_>,
    ) -> Result<End, Stop> {
        let begun = Instant::now();
        let mut heard = begun;
        // Processor time at which it fell silent: a busy machine is not the worker's fault.
        let mut worked: Option<Duration> = None;
        loop {
            if watch.is_cancelled() {
                return Err(Stop::Cancelled);
            }
            match take.recv_timeout(LOOK) {
                Ok(piece) => {
                    (heard, worked) = (Instant::now(), None);
                    sink(piece)?;
                }
                Err(RecvTimeoutError::Disconnected) => {
                    // Its output is closed; how it ended is its status.
                    let ended = wait_for(child, Duration::from_secs(1));
                    return Ok(if ended { End::Died } else { End::Ended("its reader did not end") });
                }
                Err(RecvTimeoutError::Timeout) if worked.is_none() => worked = Some(work_of(child.id())),
                Err(RecvTimeoutError::Timeout) => {}
            }
            let silent = || work_of(child.id()).saturating_sub(worked.unwrap_or_default());
            if heard.elapsed() > silence && (heard.elapsed() > silence * PATIENCE || silent() > silence) {
                return Ok(End::Ended("its reader fell silent and was ended"));
            }
            if begun.elapsed() > self.bounds.total {
                return Ok(End::Ended("its reader took too long and was ended"));
            }
            // Linux holds the worker to its limit; elsewhere it is looked at.
            if !cfg!(target_os = "linux") && memory_of(child.id()) > self.bounds.memory {
                return Ok(End::Ended("its reader took too much memory and was ended"));
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
    if status.success() { End::Done } else { End::Died }
}

fn wait_for(child: &mut Child, most: Duration) -> bool {
    let begun = Instant::now();
    while begun.elapsed() < most {
        match child.try_wait() {
            Ok(None) => thread::sleep(Duration::from_millis(2)),
            _ => return true,
        }
    }
    false
}

/// Writes the request, and the bytes where the worker cannot open them itself.
fn hand_over(asked: &Asked, bytes: &dyn ReadAt, watch: &Watch, to: impl Write) -> io::Result<()> {
    let mut to = BufWriter::with_capacity(64 << 10, to);
    serde_json::to_writer(&mut to, asked)?;
    to.write_all(b"\n")?;
    if asked.path.is_none() {
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
    }
    to.flush()
}

fn read_pieces(from: impl Read, mut give: impl FnMut(Piece) -> bool) {
    let mut from = BufReader::with_capacity(64 << 10, from);
    let mut line = Vec::new();
    loop {
        line.clear();
        match from.by_ref().take(LINE_MAX).read_until(b'\n', &mut line) {
            Ok(1..) => {}
            _ => return,
        }
        // A line that was cut off by the worker's death is no piece.
        let Ok(piece) = serde_json::from_slice(&line) else {
            return;
        };
        if !give(piece) {
            return;
        }
    }
}

/// Works, if that is what this program was called for.
#[must_use]
pub fn serve_if_asked() -> Option<ExitCode> {
    let first = std::env::args_os().nth(1)?;
    let done = match first.to_str()? {
        WORKER_ARGUMENT => serve(),
        #[cfg(feature = "fastembed")]
        super::embedder::EMBEDDER_ARGUMENT => super::embedder::serve(),
        _ => return None,
    };
    Some(if done.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Reads the request from standard input and writes pieces to standard output.
fn serve() -> io::Result<()> {
    let mut input = io::stdin().lock();
    let mut line = Vec::new();
    input.by_ref().take(1 << 20).read_until(b'\n', &mut line)?;
    let asked: Asked = serde_json::from_slice(&line)?;
    limit(&asked);
    let bytes: Box<dyn ReadAt> = match &asked.path {
        Some(path) => Box::new(FileBytes::open(path)?),
        None => {
            let mut all = Vec::new();
            input.read_to_end(&mut all)?;
            Box::new(MemoryBytes(all))
        }
    };
    let output = Mutex::new(BufWriter::with_capacity(64 << 10, io::stdout()));
    let write = |piece: &Piece| {
        let mut output = output.lock().unwrap_or_else(PoisonError::into_inner);
        serde_json::to_writer(&mut *output, piece).map_err(io::Error::from)?;
        output.write_all(b"\n")?;
        output.flush()
    };
    let watch = Watch::default();
    let bytes = Counted { bytes: bytes.as_ref(), read: AtomicU64::new(0) };
    let request = Request {
        name: &asked.name,
        bytes: &bytes,
        limits: asked.limits.as_ref(),
        max_bytes: asked.max_bytes,
        second_reader_from: asked.second_reader_from,
        watch: &watch,
    };
    // How far its reader says it is; what is read tells less, since some read all before they begin.
    let own: Mutex<Option<(u64, u64)>> = Mutex::default();
    let own_of = || own.lock().unwrap_or_else(PoisonError::into_inner);
    let (end, ended) = sync_channel::<()>(0);
    let done = thread::scope(|scope| {
        let (bytes, write, own_of, asked_by) = (&bytes, &write, &own_of, asked.asked_by);
        scope.spawn(move || {
            let (mut before, mut told) = (0, Instant::now());
            while ended.recv_timeout(GLANCE) == Err(RecvTimeoutError::Timeout) {
                // Nobody is left who would end it, whatever its reader is at.
                if is_orphan(asked_by) {
                    std::process::exit(1);
                }
                if told.elapsed() < BREATH {
                    continue;
                }
                told = Instant::now();
                let (read, total) = (bytes.read.load(Ordering::Relaxed), bytes.len());
                if read > before && read < total.saturating_mul(READ_TIMES) {
                    // Whether anybody listens shows where pieces are written.
                    let (done, of) = own_of().unwrap_or((read.min(total), total));
                    let _ = write(&Piece::Progress(done, of));
                }
                before = read;
            }
        });
        let done = convert(&request, &mut |piece| {
            if let Piece::Progress(done, of @ 1..) = piece {
                *own_of() = Some((done, of));
            }
            write(&piece).map_err(|_| Stop::Cancelled)
        });
        drop(end);
        done
    });
    done.map_err(|_| io::Error::other("whoever asked is gone"))
}

/// Whether the process that asked has ended; never where the system does not tell.
fn is_orphan(asked_by: u32) -> bool {
    #[cfg(unix)]
    return std::os::unix::process::parent_id() != asked_by;
    #[cfg(not(unix))]
    {
        let _ = asked_by;
        false
    }
}

/// Counts what is read of a document.
struct Counted<'a> {
    bytes: &'a dyn ReadAt,
    read: AtomicU64,
}

impl ReadAt for Counted<'_> {
    fn len(&self) -> u64 {
        self.bytes.len()
    }

    fn read_at(&self, at: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let size = self.bytes.read_at(at, buffer)?;
        self.read.fetch_add(size as u64, Ordering::Relaxed);
        Ok(size)
    }
}

/// Holds this process to its limits, as far as the system does that.
fn limit(asked: &Asked) {
    #[cfg(unix)]
    {
        use rlimit::Resource;
        // Where a limit cannot be set, whoever started the worker watches.
        let _ = Resource::AS.set(asked.memory, asked.memory);
        // The first limit ends it in a way that its status tells; the second one takes no excuse.
        let _ = Resource::CPU.set(asked.cpu_seconds, asked.cpu_seconds.saturating_add(5));
        let _ = Resource::CORE.set(0, 0);
    }
    #[cfg(not(unix))]
    let _ = asked;
}

#[cfg(test)]
#[path = "worker_tests.rs"]
mod tests;
