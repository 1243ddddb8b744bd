//! JSONL: a value on each line, whole as it is written, or the first values cut and the rest counted.

use std::io::{BufRead, Cursor};

use serde::de::IgnoredAny;

use crate::document::encoding::TextReader;
use crate::document::input::{Failure, Input};
use crate::document::limits::{MORE, shorten};
use crate::document::out::Out;
use crate::document::piece::LeftBy;
use crate::document::text;

use super::check::check;
use super::json::{Ended, say_records, value};
use super::pretty::{Pretty, Style};
use super::pull::Pull;

/// Bytes of one line that are read; a longer record is cut short.
const LINE_MAX: usize = 4 << 20;
/// Lines that tell whether a file is JSONL.
const LOOKED_AT: usize = 3;

/// JSONL as it is, or its first values, cut as those of an array.
///
/// # Errors
/// Where it cannot be read.
pub fn convert(input: &Input<'_>, out: &mut Out<'_>) -> Result<(), Failure> {
    let Some(limits) = input.limits else {
        return text::convert(input, out);
    };
    let mut reader = TextReader::new(input.reader()?)?;
    let mut lines = Lines::of(&mut reader);
    let (mut ends, mut taken, mut total) = (Vec::new(), 0, 0);
    let mut pretty = Pretty::new(limits, Style::Json);
    while lines.next(taken < limits.items && !pretty.is_full())? {
        let line = lines.kept.trim_ascii();
        let start = lines.start + (lines.kept.len() - lines.kept.trim_ascii_start().len()) as u64;
        if lines.blank {
            continue;
        }
        total += 1;
        if taken >= limits.items || pretty.is_full() {
            let by = if taken >= limits.items { LeftBy::Items } else { LeftBy::Chars };
            out.leave(lines.start, lines.end, by);
            continue;
        }
        taken += 1;
        if !is_json(line) {
            out.note_at(lines.number, "the line is no JSON; it is shown as it stands");
            let text = String::from_utf8_lossy(line);
            let (shown, cut) = shorten(&text, limits.line_chars);
            let since = out.written();
            out.text(shown)?;
            out.keep(start, start + line.len().min(shown.len()) as u64, since);
            out.text(if cut { MORE } else { "" })?;
            out.text("\n")?;
            ends.push(out.written());
            continue;
        }
        let mut pull = Pull::starting_at(start, Cursor::new(line));
        if value(&mut pull, &mut pretty, limits, out)? != Ended::Whole {
            out.lost_at(lines.number, "the record ends too early", "what stands before its end is shown");
            pretty.end_all(out)?;
        }
        out.text("\n")?;
        ends.push(out.written());
    }
    say_records(ends, total, out)?;
    pretty.say(out);
    text::say_encoding(&reader, out);
    Ok(())
}

/// Whether a line is a value, or the beginning of one.
fn is_json(line: &[u8]) -> bool {
    check(line).is_ok_and(|found| found.values == 1 && found.fault.is_none())
}

/// Whether a file looks like JSONL, whatever is wrong further on: of its first lines most are objects or lists.
///
/// # Errors
/// Where it cannot be read.
pub fn fits(input: &Input<'_>) -> Result<bool, Failure> {
    let mut reader = TextReader::new(input.reader()?)?;
    let mut lines = Lines::of(&mut reader);
    let mut records = 0;
    for _ in 0..LOOKED_AT {
        if !lines.next(true)? {
            break;
        }
        let line = lines.kept.trim_ascii();
        let begins = line.starts_with(b"{") || line.starts_with(b"[");
        records += usize::from(begins && serde_json::from_slice::<IgnoredAny>(line).is_ok());
    }
    Ok(records * 2 > LOOKED_AT)
}

/// Lines one after the other, kept only where they are wanted.
struct Lines<'a, R> {
    from: &'a mut R,
    /// The newest line, from 1.
    number: u64,
    kept: Vec<u8>,
    blank: bool,
    /// Bytes before the newest line, and before the next.
    start: u64,
    end: u64,
}

impl<'a, R> Lines<'a, R> {
    fn of(from: &'a mut R) -> Lines<'a, R> {
        Lines { from, number: 0, kept: Vec::new(), blank: true, start: 0, end: 0 }
    }
}

impl<R: BufRead> Lines<'_, R> {
    /// Reads the next line; false at the end.
    fn next(&mut self, keep: bool) -> std::io::Result<bool> {
        self.number += 1;
        self.start = self.end;
        self.kept.clear();
        self.blank = true;
        let mut any = false;
        loop {
            let held = self.from.fill_buf()?;
            if held.is_empty() {
                return Ok(any);
            }
            any = true;
            let end = memchr::memchr(b'\n', held);
            let line = held.get(..end.unwrap_or(held.len())).unwrap_or_default();
            self.blank = self.blank && line.trim_ascii().is_empty();
            if keep {
                let room = LINE_MAX.saturating_sub(self.kept.len());
                self.kept.extend_from_slice(line.get(..line.len().min(room)).unwrap_or_default());
            }
            let size = line.len() + usize::from(end.is_some());
            self.from.consume(size);
            self.end += size as u64;
            if end.is_some() {
                return Ok(true);
            }
        }
    }
}
