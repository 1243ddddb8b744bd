//! Long work on the command line: its progress on a terminal, and Ctrl-C, which ends some of it with what has been
//! found.

use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::content::Watch;
use crate::present::{bytes, percent, safe};

/// How often progress is looked at.
const TICK: Duration = Duration::from_millis(100);
/// Work that takes no longer says nothing.
const SILENCE: Duration = Duration::from_secs(1);
/// Where no terminal shows progress, it is told after so long, and each time that the work has taken twice as long.
const TOLD_AFTER: Duration = Duration::from_secs(10);

/// The line that progress stands on.
struct Line {
    /// Whether it stands there now.
    shown: bool,
    /// How many others need the terminal at the moment.
    held: usize,
    /// Lines that wait until the screen is gone, while there is one.
    waiting: Option<Vec<String>>,
}

/// Lines that wait for the screen to go, at most: the first ones.
const WAITING: usize = 100;

impl Line {
    /// Keeps a line back, once; false where no screen is shown.
    fn keep(&mut self, text: &str) -> bool {
        let Some(waiting) = &mut self.waiting else { return false };
        if waiting.len() < WAITING && !waiting.iter().any(|line| line == text) {
            waiting.push(text.to_owned());
        }
        true
    }
}

/// There is one terminal, whoever writes to it.
static LINE: Mutex<Line> = Mutex::new(Line { shown: false, held: 0, waiting: None });

/// The line, with nothing on it.
fn cleared() -> MutexGuard<'static, Line> {
    let mut line = LINE.lock().unwrap_or_else(PoisonError::into_inner);
    if std::mem::take(&mut line.shown) {
        let _ = write!(io::stderr().lock(), "\r\x1b[K");
    }
    line
}

/// Shows a text on the line of progress, whoever holds the terminal, until something else is written.
pub fn show(text: &str) {
    let mut line = LINE.lock().unwrap_or_else(PoisonError::into_inner);
    // Nothing is lost where nobody reads it.
    let _ = write!(io::stderr().lock(), "\r{text}\x1b[K");
    line.shown = true;
}

/// Takes what is shown off the line of progress.
pub fn clear() {
    drop(cleared());
}

/// Writes a line of its own to standard error: progress goes out of its way and comes back below. Where nobody listens,
/// nothing is lost.
pub fn write_line(text: &str) {
    let mut line = cleared();
    if !line.keep(text) {
        let _ = writeln!(io::stderr().lock(), "{text}");
    }
}

/// Shows a screen: what is written to the same terminal meanwhile waits until it is gone.
pub fn behind_screen<T>(screen: impl FnOnce() -> T) -> T {
    struct Shown;
    impl Drop for Shown {
        fn drop(&mut self) {
            let waiting = cleared().waiting.take();
            waiting.into_iter().flatten().for_each(|text| write_line(&text));
        }
    }
    cleared().waiting = io::stderr().is_terminal().then(Vec::new);
    let _shown = Shown;
    screen()
}

/// Does something that needs the terminal for itself, as a question that waits for its answer: no progress is shown
/// meanwhile.
pub fn alone<T>(work: impl FnOnce() -> T) -> T {
    struct Held;
    impl Drop for Held {
        fn drop(&mut self) {
            cleared().held -= 1;
        }
    }
    cleared().held += 1;
    let _held = Held;
    work()
}

/// Does work that a watch can end. Pressed once, Ctrl-C cancels the watch; pressed twice, it ends the program. `without`
/// says how the user does without it.
pub fn watched<T>(what: &str, without: &str, watch: &Watch, work: impl FnOnce() -> T) -> T {
    let interrupted = Arc::new(AtomicBool::new(false));
    let signals = hear(&interrupted);
    let answer = beside(what, without, watch, Some(&interrupted), work);
    for id in signals {
        forget(id);
    }
    answer.unwrap_or_else(|fault| std::panic::resume_unwind(fault))
}

/// Does work of which half is worth nothing: its progress is shown, and Ctrl-C ends the program as ever.
pub fn told<T>(what: &str, watch: &Watch, work: impl FnOnce() -> T) -> T {
    beside(what, "", watch, None, work).unwrap_or_else(|fault| std::panic::resume_unwind(fault))
}

/// Does work while its progress is shown.
fn beside<T>(
    what: &str,
    without: &str,
    watch: &Watch,
    interrupted: Option<&AtomicBool>,
    work: impl FnOnce() -> T,
) -> thread::Result<T> {
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        let teller = scope.spawn(|| tell(what, without, watch, interrupted, &done));
        let answer = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work));
        done.store(true, Ordering::Relaxed);
        teller.thread().unpark();
        answer
    })
}

/// Shows how far the work is, until it is done.
fn tell(what: &str, without: &str, watch: &Watch, interrupted: Option<&AtomicBool>, done: &AtomicBool) {
    let began = Instant::now();
    let mut told_at = TOLD_AFTER;
    let terminal = io::stderr().is_terminal();
    while !done.load(Ordering::Relaxed) {
        thread::park_timeout(TICK);
        if interrupted.is_some_and(|set| set.load(Ordering::Relaxed)) {
            watch.cancel();
        }
        let (so_far, all) = watch.progress();
        let doing = watch.said().map(|said| safe(&said).into_owned());
        let far = far(so_far, all, doing.is_some());
        let taken = began.elapsed();
        if so_far.max(all) == 0 || taken < if terminal { SILENCE } else { told_at } {
            continue;
        }
        let what = doing.as_deref().unwrap_or(what);
        let hint = if interrupted.is_some() { " (Ctrl-C shows what is found)" } else { "" };
        if !terminal {
            told_at = taken * 2;
            write_line(&format!("{what}{far}{}{hint}{without}", left(taken, so_far, all)));
        } else {
            let mut line = LINE.lock().unwrap_or_else(PoisonError::into_inner);
            if line.held == 0 {
                // Nothing is lost where nobody reads it.
                let _ = write!(io::stderr().lock(), "\r{what}{far}{hint}\x1b[K");
                line.shown = true;
            }
        }
    }
    clear();
}

/// How far the work is. What is done beside it, once all was read, tells its own progress.
fn far(so_far: u64, all: u64, is_told: bool) -> String {
    match all {
        // Of what comes through a pipe nobody knows how much there will be.
        0 => format!(" {}", bytes(so_far)),
        _ if so_far >= all && is_told => String::new(),
        _ if so_far >= all => " 100 %, still at work".to_owned(),
        _ => format!(" {}", percent(so_far, all)),
    }
}

/// How long the rest takes if it goes on as before.
fn left(taken: Duration, so_far: u64, all: u64) -> String {
    if so_far == 0 || so_far >= all {
        return String::new();
    }
    let seconds = (taken.as_secs_f64() * (all - so_far) as f64 / so_far as f64).ceil() as u64;
    let more = if seconds < 90 { format!("{seconds} s") } else { format!("{} min", seconds.div_ceil(60)) };
    format!(" after {} s, about {more} more", taken.as_secs())
}

#[cfg(unix)]
fn hear(interrupted: &Arc<AtomicBool>) -> Vec<signal_hook::SigId> {
    use signal_hook::consts::SIGINT;
    use signal_hook::flag::{register, register_conditional_default};
    // The order matters: the second time the flag is set already.
    let twice = register_conditional_default(SIGINT, Arc::clone(interrupted));
    let once = register(SIGINT, Arc::clone(interrupted));
    [twice, once].into_iter().filter_map(Result::ok).collect()
}

#[cfg(unix)]
fn forget(id: signal_hook::SigId) {
    signal_hook::low_level::unregister(id);
}

#[cfg(not(unix))]
fn hear(_: &Arc<AtomicBool>) -> Vec<()> {
    Vec::new()
}

#[cfg(not(unix))]
fn forget((): ()) {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_is_estimated_from_what_was_done() {
        let ten = Duration::from_secs(10);
        assert_eq!(left(ten, 25, 100), " after 10 s, about 30 s more");
        assert_eq!(left(ten, 1, 100), " after 10 s, about 17 min more");
        assert_eq!((left(ten, 0, 100), left(ten, 7, 0)), (String::new(), String::new()));
    }

    #[test]
    fn no_percentage_of_the_reading_stands_behind_what_a_model_is_asked() {
        assert_eq!((far(100, 100, true), far(100, 100, false)), (String::new(), " 100 %, still at work".to_owned()));
        assert_eq!((far(25, 100, true), far(25, 100, false)), (" 25 %".to_owned(), " 25 %".to_owned()));
    }

    #[test]
    fn lines_wait_while_a_screen_is_shown_each_once_and_not_without_end() {
        let mut line = Line { shown: false, held: 0, waiting: None };
        assert!(!line.keep("now"));
        line.waiting = Some(Vec::new());
        assert!((0..1_000).all(|number| line.keep(&(number / 2).to_string())));
        let waiting = line.waiting.unwrap();
        assert_eq!((waiting.len(), waiting[0].as_str(), waiting[1].as_str()), (WAITING, "0", "1"));
    }
}
