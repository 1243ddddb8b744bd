//! Signals that end the program: the loop hears of them, hands the terminal back, and then does what they ask for.

use std::io;
use std::sync::mpsc::Sender;

use super::runner::News;

/// Tells the loop when the system asks the program to end.
///
/// # Errors
/// What the system reports.
#[cfg(unix)]
pub fn listen(sender: Sender<News>) -> io::Result<()> {
    use std::io::Read;
    use std::os::unix::net::UnixStream;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

    let (mut woken, waker) = UnixStream::pair()?;
    let last = Arc::new(AtomicUsize::new(0));
    for signal in [SIGTERM, SIGHUP, SIGINT] {
        // First the number, then the byte that wakes the reader.
        signal_hook::flag::register_usize(signal, Arc::clone(&last), usize::try_from(signal).unwrap_or(0))?;
        signal_hook::low_level::pipe::register(signal, waker.try_clone()?)?;
    }
    std::thread::Builder::new().name("signals".to_owned()).spawn(move || {
        while woken.read_exact(&mut [0]).is_ok() {
            let signal = i32::try_from(last.load(Ordering::SeqCst)).unwrap_or(SIGTERM);
            if sender.send(News::Signal(signal)).is_err() {
                return;
            }
        }
    })?;
    Ok(())
}

/// There are no such signals here.
///
/// # Errors
/// None.
#[cfg(not(unix))]
pub fn listen(_: Sender<News>) -> io::Result<()> {
    Ok(())
}

/// Ends the program as the signal would have ended it.
///
/// # Errors
/// What the system reports.
#[cfg(unix)]
pub fn end_by(signal: i32) -> io::Result<()> {
    signal_hook::low_level::emulate_default_handler(signal)
}

/// There are no such signals here.
///
/// # Errors
/// None.
#[cfg(not(unix))]
pub fn end_by(_: i32) -> io::Result<()> {
    Ok(())
}
