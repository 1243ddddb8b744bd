//! JSONL by lines, on all cores, without ever holding the whole file.

use std::sync::Arc;

use memchr::memchr_iter;
use rayon::prelude::*;

use crate::content::{ContentError, ReadAt, Sources, Watch, mark_length, string_end};
use crate::model::{Record, SourceId};

use super::OpenError;

/// Bytes read at a time; each piece is then parsed in parallel.
const PIECE: usize = 2 << 20;
/// A longer line is handed on empty and marked: no agent writes such a record.
const LINE_MAX: usize = 512 << 20;

/// One line of a source, without its line break.
#[derive(Clone, Copy, Debug)]
pub struct Line<'a> {
    /// Its bytes.
    pub bytes: &'a [u8],
    /// Where it stands.
    pub record: Record,
    /// Whether the source ends in it without a line break: a record that may still be growing.
    pub unfinished: bool,
    /// Whether it was longer than can be read (`bytes` is then empty).
    pub too_long: bool,
}

/// Parses every line that is not blank, in parallel; the results come back in order.
///
/// # Errors
/// Where the source cannot be read, or the watch is cancelled.
pub fn each_line<T: Send>(
    sources: &Sources,
    id: SourceId,
    watch: &Watch,
    parse: impl Fn(Line<'_>) -> T + Sync,
) -> Result<Vec<T>, OpenError> {
    let bytes = Arc::clone(sources.bytes(id)?);
    let mut parsed = Vec::new();
    let mut piece: Vec<u8> = Vec::new();
    let (mut start, mut line, mut held) = (0u64, 1u32, 0usize);
    let mut want = PIECE;
    let failed = |why| {
        let name = sources.info(id).map_or_else(String::new, |info| info.name.clone());
        ContentError::Read { name, why }
    };
    loop {
        if watch.is_cancelled() {
            return Err(OpenError::Cancelled);
        }
        let ended = fill(bytes.as_ref(), start, &mut piece, held, want).map_err(failed)?;
        let cut = if ended { piece.len() } else { memchr::memrchr(b'\n', &piece).map_or(0, |at| at + 1) };
        if cut == 0 && !ended {
            held = piece.len();
            if held < LINE_MAX {
                want = held * 2;
                continue;
            }
            let (length, finished) = skip_line(bytes.as_ref(), start).map_err(failed)?;
            let record = Record { source: id, line, start, end: start + length };
            parsed.push(parse(Line { bytes: &[], record, unfinished: !finished, too_long: true }));
            (start, line, held, want) = (start + length + 1, line + 1, 0, PIECE);
            piece.clear();
            if !finished {
                break;
            }
            continue;
        }
        let lines = split(&piece[..cut], id, start, line, ended);
        line += u32::try_from(memchr_iter(b'\n', &piece[..cut]).count()).unwrap_or(0);
        parsed.par_extend(lines.into_par_iter().map(&parse));
        watch.advance(cut as u64);
        start += cut as u64;
        if ended {
            break;
        }
        held = piece.len() - cut;
        piece.copy_within(cut.., 0);
        want = PIECE.max(held);
    }
    give_back(piece);
    Ok(parsed)
}

/// Frees a large list by making it small first. glibc takes a freed large piece as a sign that such sizes come and go,
/// and from then on keeps twice as much for each thread: a fifth of what a session of 100 MB needs.
pub(crate) fn give_back<T>(mut list: Vec<T>) {
    list.truncate(1);
    list.shrink_to_fit();
}

/// Fills `piece` to `want` bytes after the `held` ones; returns whether the source has ended.
fn fill(bytes: &dyn ReadAt, start: u64, piece: &mut Vec<u8>, held: usize, want: usize) -> std::io::Result<bool> {
    let left = usize::try_from(bytes.len().saturating_sub(start)).unwrap_or(usize::MAX);
    piece.resize(want.min(left).max(held), 0);
    let mut filled = held;
    while filled < piece.len() {
        match read(bytes, start + filled as u64, &mut piece[filled..])? {
            0 => break,
            more => filled += more,
        }
    }
    piece.truncate(filled);
    Ok(start + filled as u64 >= bytes.len())
}

/// Reads what there is at a place, at once or once more where a signal came between.
fn read(bytes: &dyn ReadAt, at: u64, into: &mut [u8]) -> std::io::Result<usize> {
    loop {
        match bytes.read_at(at, into) {
            Err(why) if why.kind() == std::io::ErrorKind::Interrupted => {}
            done => return done,
        }
    }
}

/// Length of a line that is too long to hold, and whether a line break ends it.
fn skip_line(bytes: &dyn ReadAt, start: u64) -> std::io::Result<(u64, bool)> {
    let mut buffer = vec![0; PIECE];
    let mut length = 0;
    loop {
        let size = read(bytes, start + length, &mut buffer)?;
        if let Some(at) = memchr::memchr(b'\n', &buffer[..size]) {
            return Ok((length + at as u64, true));
        }
        if size == 0 {
            return Ok((length, false));
        }
        length += size as u64;
    }
}

fn split(piece: &[u8], source: SourceId, start: u64, first: u32, ended: bool) -> Vec<Line<'_>> {
    let mut lines = Vec::new();
    let mut from = if start == 0 { mark_length(piece) } else { 0 };
    let breaks = memchr_iter(b'\n', piece).map(|at| (at, false));
    for ((at, unfinished), number) in breaks.chain(ended.then_some((piece.len(), true))).zip(first..) {
        let bytes = piece[from..at].trim_ascii_end();
        // Where a system lost its power, a file has zeros in the place of what was not written: a damaged record.
        let zeros = bytes.iter().take_while(|byte| **byte == 0).count();
        let mut begin = start + (from + zeros) as u64;
        if zeros > 0 {
            let record = Record { source, line: number, start: start + from as u64, end: begin };
            let bytes = bytes.get(..zeros).unwrap_or_default();
            lines.push(Line { bytes, record, unfinished: false, too_long: false });
        }
        let mut rest = bytes.get(zeros..).unwrap_or_default();
        while !rest.trim_ascii_start().is_empty() {
            let (bytes, more) = rest.split_at(glued(rest).unwrap_or(rest.len()));
            let record = Record { source, line: number, start: begin, end: begin + bytes.len() as u64 };
            lines.push(Line { bytes, record, unfinished: unfinished && more.is_empty(), too_long: false });
            begin += bytes.len() as u64;
            rest = more;
        }
        from = at + 1;
    }
    lines
}

/// Where a second object begins right behind the first: two writers at once, or a line break that was lost.
fn glued(line: &[u8]) -> Option<usize> {
    if line.first() != Some(&b'{') {
        return None;
    }
    // Texts hold such pairs of braces too: only where the first object has ended is it two.
    memchr::memmem::find(line, b"}{")?;
    let (mut depth, mut at) = (0usize, 0usize);
    while let Some(byte) = line.get(at) {
        match byte {
            b'"' => at = string_end(line, at + 1).checked_sub(1)?,
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        at += 1;
        if depth == 0 {
            return (line.get(at) == Some(&b'{')).then_some(at);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::SourceKind;

    #[test]
    fn lines_keep_their_numbers_and_ranges() {
        let mut sources = Sources::default();
        let id = sources.add_memory("t", SourceKind::Transcript, b"one\r\n\n  \ntwo\nhalf".to_vec());
        let lines = each_line(&sources, id, &Watch::default(), |line| {
            (String::from_utf8_lossy(line.bytes).into_owned(), line.record.line, line.record.start, line.unfinished)
        });
        let expected =
            vec![("one".to_owned(), 1, 0, false), ("two".to_owned(), 4, 9, false), ("half".to_owned(), 5, 13, true)];
        assert_eq!(lines.ok(), Some(expected));
    }

    #[test]
    fn a_byte_order_mark_is_no_part_of_the_first_line() {
        let mut sources = Sources::default();
        let text = "\u{FEFF}{\"a\":1}\n\u{FEFF}b".as_bytes().to_vec();
        let id = sources.add_memory("t", SourceKind::Transcript, text);
        let lines = each_line(&sources, id, &Watch::default(), |line| {
            (String::from_utf8_lossy(line.bytes).into_owned(), line.record.start, line.record.end)
        });
        let expected = vec![("{\"a\":1}".to_owned(), 3, 10), ("\u{FEFF}b".to_owned(), 11, 15)];
        assert_eq!(lines.ok(), Some(expected));
    }

    #[test]
    fn records_on_one_line_and_behind_zeros_are_records_of_their_own() {
        let mut sources = Sources::default();
        let text = b"{\"a\":\"}{\"}{\"b\":[{}]}{\"c\":1\n\0\0\0{\"d\":\"}{\"}\n{}}{}\n".to_vec();
        let id = sources.add_memory("t", SourceKind::Transcript, text);
        let lines = each_line(&sources, id, &Watch::default(), |line| {
            (String::from_utf8_lossy(line.bytes).into_owned(), line.record.line, line.record.start)
        });
        let expected = [
            (r#"{"a":"}{"}"#, 1, 0),
            (r#"{"b":[{}]}"#, 1, 10),
            (r#"{"c":1"#, 1, 20),
            ("\0\0\0", 2, 27),
            (r#"{"d":"}{"}"#, 2, 30),
            ("{}}{}", 3, 41),
        ];
        assert_eq!(lines.ok(), Some(expected.map(|(text, line, start)| (text.to_owned(), line, start)).to_vec()));
    }

    /// Cannot be read from a byte on, and is interrupted before each reading.
    struct Broken(std::sync::atomic::AtomicBool);

    impl ReadAt for Broken {
        fn len(&self) -> u64 {
            1 << 30
        }

        fn read_at(&self, at: u64, into: &mut [u8]) -> std::io::Result<usize> {
            if !self.0.fetch_not(std::sync::atomic::Ordering::Relaxed) {
                return Err(std::io::ErrorKind::Interrupted.into());
            }
            if at >= 10 {
                return Err(std::io::ErrorKind::PermissionDenied.into());
            }
            into[..4].copy_from_slice(b"aaa\n");
            Ok(if at < 4 { 3 } else { 4 })
        }
    }

    #[test]
    fn a_line_that_is_too_long_and_cannot_be_read_is_no_end_of_the_file() {
        let broken = || Broken(std::sync::atomic::AtomicBool::new(false));
        assert_eq!(skip_line(&broken(), 0).ok(), Some((9, true)), "an interruption ends nothing");
        assert_eq!(skip_line(&broken(), 10).map_err(|why| why.kind()), Err(std::io::ErrorKind::PermissionDenied));
    }
}
