//! JSONL: a value on each line, whole as it is written, or the first values cut and the rest counted.

use std::io::{BufRead, Cursor};

use serde::de::IgnoredAny;

use crate::document::encoding::TextReader;
use crate::document::input::{Failure, Input};
use crate::document::limits::{MORE, shorten};
use crate::document::out::Out;
use crate::document::text;

use super::json::{Ended, value};
use super::pretty::{Pretty, Style};
use super::pull::Pull;

/// Bytes of one line that are read; a longer record is cut short.
const LINE_MAX: usize = 4 << 20;

/// JSONL as it is, or its first values, cut as those of an array.
///
/// # Errors
/// Where it cannot be read.
pub fn convert(input: &Input<'_>, out: &mut Out<'_>) -> Result<(), Failure> {
    let Some(limits) = input.limits else {
        return text::convert(input, out);
    };
    let mut reader = TextReader::new(input.reader()?)?;
    let mut lines = Lines { from: &mut reader, number: 0, kept: Vec::new(), blank: true };
    let (mut shown, mut total) = (0, 0);
    let mut pretty = Pretty::new(limits, Style::Json);
    while lines.next(shown < limits.items && !pretty.is_full())? {
        let line = lines.kept.trim_ascii();
        if lines.blank {
            continue;
        }
        total += 1;
        if shown >= limits.items || pretty.is_full() {
            continue;
        }
        shown += 1;
        if !is_json(line) {
            out.note_at(lines.number, "the line is no JSON; it is shown as it stands");
            let text = String::from_utf8_lossy(line);
            let (start, cut) = shorten(&text, limits.line_chars);
            out.text(start)?;
            out.text(if cut { MORE } else { "" })?;
            out.text("\n")?;
            continue;
        }
        let mut pull = Pull::new(Cursor::new(line));
        if value(&mut pull, &mut pretty, limits, out)? != Ended::Whole {
            out.note_at(lines.number, "the record ends too early; what stands before its end is shown");
            pretty.end_all(out)?;
        }
        out.text("\n")?;
    }
    if shown < total {
        out.text(&format!("... [{} more records]\n", total - shown))?;
    }
    out.shown("records", shown, total);
    pretty.say(out);
    text::say_encoding(&reader, out);
    Ok(())
}

/// Whether a line is a value, or the beginning of one. `NaN` and the like stand in what some programs write as JSON.
fn is_json(line: &[u8]) -> bool {
    let reads = |text: &[u8]| match serde_json::from_slice::<IgnoredAny>(text) {
        Ok(_) => true,
        Err(why) => why.is_eof(),
    };
    let odd = || {
        let text = std::str::from_utf8(line).ok()?;
        Some(text.replace("-Infinity", "0").replace("Infinity", "0").replace("NaN", "0"))
    };
    reads(line) || odd().is_some_and(|text| reads(text.as_bytes()))
}

/// Lines one after the other, kept only where they are wanted.
struct Lines<'a, R> {
    from: &'a mut R,
    /// The newest line, from 1.
    number: u64,
    kept: Vec<u8>,
    blank: bool,
}

impl<R: BufRead> Lines<'_, R> {
    /// Reads the next line; false at the end.
    fn next(&mut self, keep: bool) -> std::io::Result<bool> {
        self.number += 1;
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
            if end.is_some() {
                return Ok(true);
            }
        }
    }
}
