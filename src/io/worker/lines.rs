//! What crosses the pipes between the program and a worker: what is asked, and what is told of it.
//!
//! Each is one JSON value on a line; but a text, of which there is most, is its size on a line and then itself.

use std::io::{self, BufRead, Read, Write};
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::document::{Limits, Piece, PlaceKind};

/// Bytes of one line or text that a worker may write.
const TOLD_MAX: u64 = 512 << 20;
/// Bytes of what a worker may be asked.
const ASKED_MAX: u64 = 1 << 20;
/// Bytes of memory taken for a text before any of it is there.
const AHEAD_MAX: u64 = 1 << 20;
/// What a line begins with that tells the size of a text.
const TEXT: u8 = b'=';
/// The lines that tell that a document is done, and whether another may be asked for.
const DONE: &[u8] = b".\n";
const DONE_LAST: &[u8] = b"..\n";

/// What a worker is asked; the document's bytes follow where there is no path.
#[derive(Serialize, Deserialize)]
pub struct Asked {
    /// The file's name.
    pub name: String,
    /// Where it lies.
    pub path: Option<PathBuf>,
    /// How much is shown.
    pub limits: Option<Limits>,
    /// Bytes of Markdown after which it stops.
    pub max_bytes: u64,
    /// The page from which the plainer reader takes over.
    pub second_reader_from: Option<u32>,
    /// Bytes of memory, and seconds of processor time, that it may take.
    pub memory: u64,
    /// As above.
    pub cpu_seconds: u64,
    /// The process that asks, which may end before its worker looks who started it.
    pub asked_by: u32,
    /// Whether it may be asked for another document afterwards.
    pub again: bool,
}

/// What a worker tells.
#[derive(Debug, PartialEq, Eq)]
pub enum Told {
    /// A piece of the document.
    Piece(Piece),
    /// The document is done; whether it may be asked for another.
    Done(bool),
}

/// Writes a request.
///
/// # Errors
/// Where nobody reads it.
pub fn ask(asked: &Asked, to: &mut dyn Write) -> io::Result<()> {
    let mut line = serde_json::to_vec(asked)?;
    line.push(b'\n');
    to.write_all(&line)
}

/// Reads a request; `None` where there is none any more.
///
/// # Errors
/// Where it cannot be read.
pub fn asked(from: &mut dyn BufRead) -> io::Result<Option<Asked>> {
    let mut line = Vec::new();
    from.take(ASKED_MAX).read_until(b'\n', &mut line)?;
    if line.is_empty() { Ok(None) } else { Ok(Some(serde_json::from_slice(&line)?)) }
}

/// Writes a piece, so that it goes out with the next that is more than a word on others.
///
/// # Errors
/// Where nobody reads it.
pub fn tell(piece: &Piece, to: &mut dyn Write) -> io::Result<()> {
    if let Piece::Text(text) = piece {
        writeln!(to, "{}{}", char::from(TEXT), text.len())?;
        to.write_all(text.as_bytes())?;
    } else {
        serde_json::to_writer(&mut *to, piece)?;
        to.write_all(b"\n")?;
    }
    Ok(())
}

/// Whether a piece goes out at once: what comes next may bring its reader down. Which page is read has to be known then;
/// what else is told of a place stands before what it says.
#[must_use]
pub fn is_urgent(piece: &Piece) -> bool {
    match piece {
        Piece::Text(_) | Piece::Note(_) | Piece::Unsaid(_) | Piece::Attachment(_) => true,
        Piece::Anchor(anchor) => anchor.place.kind == PlaceKind::Page,
        _ => false,
    }
}

/// Writes that a document is done, and whether another may be asked for.
///
/// # Errors
/// Where nobody reads it.
pub fn tell_done(again: bool, to: &mut dyn Write) -> io::Result<()> {
    to.write_all(if again { DONE } else { DONE_LAST })?;
    to.flush()
}

/// Reads what is told next; `None` where there is nothing more. What was cut off by a worker's death is nothing.
pub fn told(from: &mut dyn BufRead, line: &mut Vec<u8>) -> Option<Told> {
    line.clear();
    from.take(TOLD_MAX).read_until(b'\n', line).ok()?;
    match line.as_slice() {
        DONE => Some(Told::Done(true)),
        DONE_LAST => Some(Told::Done(false)),
        [TEXT, size @ ..] => {
            let size =
                std::str::from_utf8(size).ok()?.trim_end().parse::<u64>().ok().filter(|size| *size <= TOLD_MAX)?;
            let mut text = Vec::with_capacity(usize::try_from(size.min(AHEAD_MAX)).ok()?);
            from.take(size).read_to_end(&mut text).ok()?;
            let text = String::from_utf8(text).ok().filter(|text| text.len() as u64 == size)?;
            Some(Told::Piece(Piece::Text(text)))
        }
        line => serde_json::from_slice(line).ok().map(Told::Piece),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(mut from: &[u8]) -> Vec<Told> {
        let mut line = Vec::new();
        std::iter::from_fn(|| told(&mut from, &mut line)).collect()
    }

    #[test]
    fn what_is_told_is_heard_and_what_was_cut_off_is_left_out() {
        let pieces = [
            Piece::Fact("b".into(), "c\nd".into()),
            Piece::Text("a \"é\"\n.\n=5\n".into()),
            Piece::Text("no break".into()),
            Piece::Progress(1, 2),
        ];
        let mut lines = Vec::new();
        pieces.iter().for_each(|piece| tell(piece, &mut lines).unwrap());
        tell_done(true, &mut lines).unwrap();
        tell_done(false, &mut lines).unwrap();
        let mut right: Vec<Told> = pieces.into_iter().map(Told::Piece).collect();
        right.extend([Told::Done(true), Told::Done(false)]);
        assert_eq!(all(&lines), right);
        for cut in 0..lines.len() {
            let heard = all(&lines[..cut]);
            assert!(right.starts_with(&heard), "{cut}: {heard:?}");
        }
        for wrong in ["=\n", "=x\n", "=99999999999999\nabc", "=-1\n", "=3\nab", "=2\n\u{FFFD}", ". \n", "{}\n", "\n"] {
            assert_eq!(all(wrong.as_bytes()), [], "{wrong:?}");
        }
    }
}
