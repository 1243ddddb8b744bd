//! JSON: whole as it is written, or checked and cut to depth, items, keys and strings.

use std::io::BufRead;

use crate::document::encoding::TextReader;
use crate::document::input::{Failure, Input};
use crate::document::limits::Limits;
use crate::document::out::Out;
use crate::document::piece::LeftBy;
use crate::document::text;

use super::check::{Checked, check};
use super::jsonl;
use super::pretty::{Pretty, Style};
use super::pull::{Next, Pull};

/// JSON as it is, or cut; several values one after the other as records. What is no JSON is shown by its lines.
///
/// # Errors
/// Where it cannot be read.
pub fn convert(input: &Input<'_>, out: &mut Out<'_>) -> Result<(), Failure> {
    let checked = check(TextReader::new(input.reader()?)?)?;
    let Some(limits) = input.limits else {
        return as_it_is(input, &checked, out);
    };
    if let Some((line, why)) = checked.fault {
        if jsonl::fits(input)? {
            return jsonl::convert(input, out);
        }
        out.note_at(line, format!("it is no valid JSON ({why}); it is shown by its lines"));
        out.cut_lines(limits, true);
        return text::convert(input, out);
    }
    if checked.comments {
        out.note("its comments are left out");
    }
    let mut reader = TextReader::new(input.reader()?)?;
    let mut pull = Pull::new(&mut reader);
    let mut pretty = Pretty::new(limits, Style::Json);
    let most = checked.values.min(limits.items.max(1));
    let mut ends = Vec::new();
    while (ends.len() as u64) < most && (ends.is_empty() || !pretty.is_full()) {
        if value(&mut pull, &mut pretty, limits, out)? == Ended::Early {
            out.lost_at(pull.line(), "the JSON ends too early", "what stands before its end is shown");
            pretty.end_all(out)?;
        }
        out.text("\n")?;
        ends.push(out.written());
    }
    if (ends.len() as u64) < checked.values {
        let by = if pretty.is_full() { LeftBy::Chars } else { LeftBy::Items };
        out.leave(pull.at(), u64::MAX, by);
    }
    say_records(ends, checked.values, out)?;
    pretty.say(out);
    text::say_encoding(&reader, out);
    Ok(())
}

/// All of a text, and what is wrong with it.
fn as_it_is(input: &Input<'_>, checked: &Checked, out: &mut Out<'_>) -> Result<(), Failure> {
    match checked {
        Checked { fault: Some(_), .. } if jsonl::fits(input)? => {}
        Checked { fault: Some((line, why)), .. } => out.note_at(*line, format!("it is no valid JSON: {why}")),
        Checked { cut_off: Some(line), .. } => out.note_at(*line, "the JSON ends too early"),
        Checked { .. } => {}
    }
    text::convert(input, out)
}

/// Says how many records were shown of how many, by where they end.
///
/// # Errors
/// When there is enough.
pub fn say_records(ends: Vec<u64>, total: u64, out: &mut Out<'_>) -> Result<(), Failure> {
    let more = total.saturating_sub(ends.len() as u64);
    if more > 0 {
        out.text(&format!("... [{more} more records]\n"))?;
    }
    if total > 1 {
        out.shown_to("records", ends, total);
    }
    Ok(())
}

/// How a value ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// As it should.
    Whole,
    /// With the text.
    Early,
    /// There was none.
    Nothing,
}

/// Writes one value, cut.
///
/// # Errors
/// Where the bytes cannot be read, or when there is enough.
pub fn value<R: BufRead>(
    pull: &mut Pull<R>,
    pretty: &mut Pretty<'_>,
    limits: &Limits,
    out: &mut Out<'_>,
) -> Result<Ended, Failure> {
    // For each level that is open: whether it is an object.
    let mut open: Vec<bool> = Vec::new();
    loop {
        let next = pull.next()?;
        let (mut from, mut since) = (pull.start_of(next), out.written());
        let wanted = match next {
            Next::Nothing if open.is_empty() => return Ok(Ended::Nothing),
            Next::Nothing => return Ok(Ended::Early),
            Next::End => {
                if open.pop().is_some() {
                    pretty.end(out)?;
                }
                out.keep(from, pull.at(), since);
                if open.is_empty() {
                    return Ok(Ended::Whole);
                }
                continue;
            }
            _ => pretty.wants_item(),
        };
        let next = if open.last() == Some(&true) {
            let key = if next == Next::String {
                pull.string(limits.string_chars)?
            } else {
                Some(pull.literal(limits.string_chars)?)
            };
            let Some((key, _)) = key else {
                return Ok(Ended::Early);
            };
            if wanted {
                pretty.key(&key, out)?;
            }
            out.keep(from, pull.at(), since);
            if !wanted {
                out.leave(from, pull.at(), pretty.left_by());
            }
            let next = pull.next()?;
            (from, since) = (pull.start_of(next), out.written());
            next
        } else {
            next
        };
        match next {
            Next::Nothing => return Ok(Ended::Early),
            Next::End => {
                // A key without a value.
                if wanted {
                    pretty.literal("null", out)?;
                }
                if open.pop().is_some() {
                    pretty.end(out)?;
                }
            }
            Next::Begin { object } if wanted && pretty.wants_level() => {
                pretty.begin(object, out)?;
                open.push(object);
            }
            Next::Begin { .. } if wanted => {
                pretty.too_deep(out)?;
                // What stands there is none of it.
                since = out.written();
                let whole = pull.skip(next)?;
                out.leave(from, pull.at(), LeftBy::Depth);
                if !whole {
                    return Ok(Ended::Early);
                }
            }
            Next::String if wanted => match pull.string(limits.string_chars)? {
                Some((text, cut)) => {
                    pretty.string(&text, cut, out)?;
                    if cut {
                        out.keep(from, from + 1 + text.len() as u64, since);
                        out.leave(from + 1 + text.len() as u64, pull.at(), LeftBy::String);
                        since = out.written();
                    }
                }
                None => return Ok(Ended::Early),
            },
            Next::Literal if wanted => {
                let (text, cut) = pull.literal(limits.string_chars)?;
                if cut {
                    pretty.long_literal(&text, out)?;
                    out.keep(from, from + text.len() as u64, since);
                    out.leave(from + text.len() as u64, pull.at(), LeftBy::String);
                    since = out.written();
                } else {
                    pretty.literal(&text, out)?;
                }
            }
            _ => {
                let whole = pull.skip(next)?;
                out.leave(from, pull.at(), pretty.left_by());
                if !whole {
                    return Ok(Ended::Early);
                }
            }
        }
        out.keep(from, pull.at(), since);
        if open.is_empty() {
            return Ok(Ended::Whole);
        }
    }
}
