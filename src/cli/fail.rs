//! How a command can end badly, and the exit status of each.

use std::io;
use std::process::ExitCode;

use crate::present::safe_lines;

use super::progress::write_line;

/// Wrong usage.
pub const USAGE: u8 = 2;
/// Unreadable or unrecognised input.
const INPUT: u8 = 3;
/// What a shell says of a program that Ctrl-C ended.
const STOPPED: u8 = 130;

/// What was asked for cannot be.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct Usage(String);

/// An error that ends with the status of wrong usage.
pub fn usage(words: impl Into<String>) -> anyhow::Error {
    Usage(words.into()).into()
}

/// The exit status of input that could not be read, where that was told already.
pub fn unread() -> ExitCode {
    ExitCode::from(INPUT)
}

/// The exit status of work that was stopped, where what it had found is shown: a script must not take it for the whole.
pub fn stopped() -> ExitCode {
    ExitCode::from(STOPPED)
}

/// Says what went wrong on standard error and gives the exit status. A broken pipe is success: the reader has had
/// enough.
pub fn report(error: &anyhow::Error) -> ExitCode {
    if is_broken_pipe(error) {
        return ExitCode::SUCCESS;
    }
    say(&format!("error: {error:#}"));
    ExitCode::from(if is_usage(error) { USAGE } else { INPUT })
}

/// Whether it is one input that is at fault, and others may be sound.
pub fn is_input(error: &anyhow::Error) -> bool {
    !is_broken_pipe(error) && !is_usage(error)
}

fn is_usage(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| cause.is::<Usage>())
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let broken = |cause: &(dyn std::error::Error + 'static)| {
        cause.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
    };
    error.chain().any(broken)
}

/// Prints a line on standard error.
pub fn say(line: &str) {
    write_line(&safe_lines(line));
}
