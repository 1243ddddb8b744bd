//! What a worker does: it reads requests from standard input, holds itself to their limits, and writes pieces to standard
//! output.
//!
//! One worker may read several documents, one after the other, since to start one takes longer than to read most of them.
//! Readers keep nothing from one document for the next: what is static in them and below are tables. What a document
//! brings down, it brings down alone: then a worker has ended before it is asked again. One that a document has made
//! large, or that has worked for long, takes no further one.

use std::io::{self, BufWriter, Read, Write};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::content::{MemoryBytes, ReadAt, Watch};
use crate::document::{Piece, Request, Stop, convert};
use crate::io::FileBytes;
use crate::io::process::{Used, used_by};

use super::lines::{Asked, asked, is_urgent, tell, tell_done};

/// How often a worker tells that it reads, where its reader says nothing.
const BREATH: Duration = Duration::from_secs(1);
/// How often a worker looks whether whoever started it is still there.
const GLANCE: Duration = Duration::from_millis(200);
/// How many times its size may be read of a document for that to be a sign of life.
const READ_TIMES: u64 = 16;
/// Bytes of memory that a worker may have taken and not given back, and processor time that it may have used, to be asked
/// for another document.
const GROWN_MAX: u64 = 128 << 20;
const WORKED_MAX: Duration = Duration::from_secs(10);
/// Seconds of processor time after which a worker is ended that takes no notice of being told to end.
const EXCUSED: u64 = 5;

/// What the document is at that is read, for who tells of it beside its reader.
#[derive(Default)]
struct Pulse {
    /// Whether one is read.
    busy: AtomicBool,
    /// Bytes that were read of it, and its size.
    read: AtomicU64,
    total: AtomicU64,
    /// How far its reader says it is; what is read tells less, since some read all before they begin.
    own: Mutex<Option<(u64, u64)>>,
    asked_by: AtomicU32,
}

/// Where pieces are written, and when they last went out.
struct Written {
    to: BufWriter<io::Stdout>,
    out: Instant,
}

type Output = Mutex<Written>;

impl Written {
    /// Writes a piece; what can wait goes out with the next, or soon.
    fn tell(&mut self, piece: &Piece) -> io::Result<()> {
        tell(piece, &mut self.to)?;
        if is_urgent(piece) || self.out.elapsed() >= GLANCE { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out = Instant::now();
        self.to.flush()
    }
}

fn held<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Reads documents as long as any is asked for.
///
/// # Errors
/// Where a document cannot be read, or nobody wants it any more.
pub fn serve() -> io::Result<()> {
    let mut input = io::stdin().lock();
    let output = Mutex::new(Written { to: BufWriter::with_capacity(64 << 10, io::stdout()), out: Instant::now() });
    let pulse = Pulse::default();
    let begun = used_by(std::process::id()).unwrap_or_default();
    let (end, ended) = sync_channel::<()>(0);
    thread::scope(|scope| {
        let (output, pulse) = (&output, &pulse);
        scope.spawn(move || breathe(pulse, output, &ended));
        // The thread beside ends with this one's end of the channel.
        let _end = end;
        let mut used = Used::default();
        while let Some(asked) = asked(&mut input)? {
            pulse.asked_by.store(asked.asked_by, Ordering::Relaxed);
            limit(&asked, used);
            let bytes: Box<dyn ReadAt> = match &asked.path {
                Some(path) => Box::new(FileBytes::open(path)?),
                None => {
                    let mut all = Vec::new();
                    input.read_to_end(&mut all)?;
                    Box::new(MemoryBytes(all))
                }
            };
            work(&asked, bytes.as_ref(), pulse, output)?;
            drop(bytes);
            let now = used_by(std::process::id());
            used = now.unwrap_or_default().since(begun);
            let again = now.is_some() && asked.again && used.memory <= GROWN_MAX && used.work <= WORKED_MAX;
            tell_done(again, &mut held(output).to)?;
            if !again {
                break;
            }
        }
        Ok(())
    })
}

/// Reads one document.
fn work(asked: &Asked, bytes: &dyn ReadAt, pulse: &Pulse, output: &Output) -> io::Result<()> {
    let watch = Watch::default();
    *held(&pulse.own) = None;
    pulse.read.store(0, Ordering::Relaxed);
    pulse.total.store(bytes.len(), Ordering::Relaxed);
    pulse.busy.store(true, Ordering::Relaxed);
    let request = Request {
        name: &asked.name,
        bytes: &Counted { bytes, read: &pulse.read },
        limits: asked.limits.as_ref(),
        max_bytes: asked.max_bytes,
        second_reader_from: asked.second_reader_from,
        watch: &watch,
    };
    let done = convert(&request, &mut |piece| {
        if let Piece::Progress(done, of @ 1..) = piece {
            *held(&pulse.own) = Some((done, of));
        }
        held(output).tell(&piece).map_err(|_| Stop::Cancelled)
    });
    // Who tells of it beside has told, or tells nothing more.
    let _output = held(output);
    pulse.busy.store(false, Ordering::Relaxed);
    done.map_err(|_| io::Error::other("whoever asked is gone"))
}

/// Tells now and then that a document is read, and ends the process where nobody is left who asked.
fn breathe(pulse: &Pulse, output: &Output, ended: &Receiver<()>) {
    let (mut before, mut told) = (0, Instant::now());
    while ended.recv_timeout(GLANCE) == Err(RecvTimeoutError::Timeout) {
        // Nobody is left who would end it, whatever its reader is at.
        if is_orphan(pulse.asked_by.load(Ordering::Relaxed)) {
            std::process::exit(1);
        }
        // Whether anybody listens shows where pieces are written.
        let _ = held(output).flush();
        if told.elapsed() < BREATH {
            continue;
        }
        told = Instant::now();
        let (read, total) = (pulse.read.load(Ordering::Relaxed), pulse.total.load(Ordering::Relaxed));
        if read > before && read < total.saturating_mul(READ_TIMES) {
            let (done, of) = held(&pulse.own).unwrap_or((read.min(total), total));
            let mut output = held(output);
            if pulse.busy.load(Ordering::Relaxed) {
                let _ = output.tell(&Piece::Progress(done, of));
                let _ = output.flush();
            }
        }
        before = read;
    }
}

/// Whether the process that asked has ended; never before any has, or where the system does not tell.
fn is_orphan(asked_by: u32) -> bool {
    #[cfg(unix)]
    return asked_by != 0 && std::os::unix::process::parent_id() != asked_by;
    #[cfg(not(unix))]
    {
        let _ = asked_by;
        false
    }
}

/// Counts what is read of a document.
struct Counted<'a> {
    bytes: &'a dyn ReadAt,
    read: &'a AtomicU64,
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

/// Holds this process to what a document may take beyond what those before it did, as far as the system does that.
fn limit(asked: &Asked, used: Used) {
    #[cfg(unix)]
    {
        use rlimit::Resource;
        // Where a limit cannot be set, whoever started the worker watches.
        let hold = |resource: Resource, soft: u64, hard: u64| {
            let hard = resource.get().map_or(hard, |(_, most)| hard.min(most));
            let _ = resource.set(soft.min(hard), hard);
        };
        let memory = asked.memory.saturating_add(used.memory);
        hold(Resource::AS, memory, asked.memory.saturating_add(GROWN_MAX));
        // The first limit ends it in a way that its status tells; the second one takes no excuse.
        let worked = used.work.as_secs() + u64::from(used.work > Duration::ZERO);
        let last = asked.cpu_seconds.saturating_add(WORKED_MAX.as_secs() + 1 + EXCUSED);
        hold(Resource::CPU, asked.cpu_seconds.saturating_add(worked), last);
        hold(Resource::CORE, 0, 0);
    }
    #[cfg(not(unix))]
    let _ = (asked, used);
}
