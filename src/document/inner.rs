//! A document within another: by its own reader, and written as a part of that one's Markdown. What has no headings where
//! it stands alone gets none there: code is fenced, and what somebody typed is escaped.

use std::io::{self, BufRead};

use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag};

use super::feed;
use super::format::{Format, Headings, Shape};
use super::front::front_matter;
use super::input::{Failure, Input};
use super::out::{Out, Stop};
use super::piece::Piece;
use super::typed::{backticks, typed, unheaded};

/// Bytes of a line that are looked at before it is written.
const LINE_MAX: usize = 64 << 10;
/// Bytes of a Markdown text of which the end is looked at.
const CLOSED_MAX: usize = 4 << 20;
/// Signs of a fence, at least and at most: a longer row of them in code is rather some data.
const FENCE: (usize, usize) = (3, 1_000);

/// Reads an inner document with the reader of its format.
///
/// # Errors
/// Those of that reader.
pub fn convert(format: &Format, input: &Input<'_>, out: &mut Out<'_>) -> Result<(), Failure> {
    match format.headings {
        Headings::Markdown if format.name == "markdown" => markdown(format, input, out),
        Headings::Markdown => (format.convert)(input, out),
        // Its underlines make headings in Markdown, too.
        Headings::Underlined => escaped(format, input, out, unheaded),
        Headings::None if format.shape == Shape::Rows || is_feed(format, input) => (format.convert)(input, out),
        Headings::None if is_code(format) => fenced(format, input, out),
        Headings::None => escaped(format, input, out, typed),
    }
}

fn is_code(format: &Format) -> bool {
    format.shape == Shape::Levels || matches!(format.name, "code" | "config")
}

/// A feed is made Markdown of.
fn is_feed(format: &Format, input: &Input<'_>) -> bool {
    format.name == "xml" && feed::is_feed(input).unwrap_or(false)
}

/// What is read as it is written, between fences.
fn fenced(format: &Format, input: &Input<'_>, out: &mut Out<'_>) -> Result<(), Failure> {
    let Some(longest) = longest(&mut *input.reader()?)? else { return (format.convert)(input, out) };
    let fence = "`".repeat((longest + 1).clamp(FENCE.0, FENCE.1));
    out.blank_line()?;
    out.text(&format!("{fence}{}\n", language(format, input)))?;
    let done = (format.convert)(input, out);
    if !matches!(done, Err(Failure::Stop(_))) {
        out.end_line()?;
        out.text(&fence)?;
        out.text("\n")?;
    }
    done
}

/// What a fence says of what it holds.
fn language(format: &Format, input: &Input<'_>) -> String {
    let ending = input.extension();
    let named = if format.shape == Shape::Levels { format.name } else { &ending };
    named.chars().filter(|sign| sign.is_ascii_alphanumeric() || "+#-".contains(*sign)).take(30).collect()
}

/// The most backticks in a row, whatever the encoding; `None` where there is no text.
fn longest(from: &mut dyn BufRead) -> io::Result<Option<usize>> {
    let (mut longest, mut row, mut is_blank) = (0, 0, true);
    loop {
        let more = from.fill_buf()?;
        if more.is_empty() {
            return Ok((!is_blank).then_some(longest));
        }
        for byte in more.iter().filter(|byte| **byte != 0) {
            row = if *byte == b'`' { row + 1 } else { 0 };
            longest = longest.max(row);
            is_blank &= byte.is_ascii_whitespace();
        }
        let size = more.len();
        from.consume(size);
    }
}

/// What is read as text, with a backslash where a line would be more than that.
fn escaped(
    format: &Format,
    input: &Input<'_>,
    out: &mut Out<'_>,
    escape: fn(&str, &str) -> String,
) -> Result<(), Failure> {
    let mut written = String::new();
    in_lines(format, input, out, |text, out| {
        let shown = escape(&written, text);
        // What stands before a line tells what it becomes, and no more than the line above it.
        written.push_str(&shown);
        let line = written.trim_end_matches('\n').rfind('\n').map_or(0, |end| end + 1);
        written.drain(..written.ceil_char_boundary(line.max(written.len().saturating_sub(LINE_MAX))));
        out.text(&shown)
    })
}

/// Markdown as somebody wrote it: what is said before it is fenced, and what it leaves open is closed.
fn markdown(format: &Format, input: &Input<'_>, out: &mut Out<'_>) -> Result<(), Failure> {
    let (mut is_begun, mut shown) = (false, String::new());
    let done = in_lines(format, input, out, |text, out| {
        let front = if is_begun { 0 } else { front_matter(text) };
        is_begun = true;
        let (front, text) = text.split_at(front);
        if !front.is_empty() {
            let (language, lines) = (if front.contains("+++") { "toml" } else { "yaml" }, front.lines().count());
            let said: Vec<&str> = front.lines().skip(1).take(lines.saturating_sub(2)).collect();
            let fence = backticks(front, FENCE.0);
            out.text(&format!("{fence}{language}\n{}\n{fence}\n", said.join("\n")))?;
        }
        if shown.len() + text.len() <= CLOSED_MAX {
            shown.push_str(text);
        }
        out.text(text)
    });
    if !matches!(done, Err(Failure::Stop(_)))
        && let Some(closes) = closes(&shown)
    {
        out.end_line()?;
        out.text(&closes)?;
        out.text("\n")?;
    }
    done
}

/// The line that ends the block of code or of HTML with which a text ends, where nothing else does.
fn closes(text: &str) -> Option<String> {
    let behind = "\n\n# x\n";
    let is_open = |text: &str| {
        let whole = format!("{text}{behind}");
        let is_behind = |(event, at): (Event<'_>, std::ops::Range<usize>)| {
            matches!(event, Event::Start(Tag::Heading { .. })) && at.start >= text.len()
        };
        !Parser::new(&whole).into_offset_iter().any(is_behind)
    };
    let begins = |line: &str| line.starts_with(['`', '~', '<']);
    if !text.lines().any(|line| begins(line.trim_start_matches(' '))) || !is_open(text) {
        return None;
    }
    let is_block = |tag: &Tag<'_>| matches!(tag, Tag::CodeBlock(CodeBlockKind::Fenced(_)) | Tag::HtmlBlock);
    let blocks = Parser::new(text).into_offset_iter().filter_map(|(event, at)| match event {
        Event::Start(tag) if is_block(&tag) => Some(at.start),
        _ => None,
    });
    let block = text.get(blocks.last()?..)?.trim_start();
    let sign = block.chars().next()?;
    let fence: String = block.chars().take_while(|one| *one == sign).take(FENCE.1).collect();
    let ends = ["-->", "?>", "]]>", "</script>", "</style>", "</pre>", "</textarea>", ">"].map(str::to_owned);
    let mut ends = std::iter::once(fence).filter(|_| sign != '<').chain(ends);
    ends.find(|end| !is_open(&format!("{text}\n{end}\n")))
}

/// Reads with the reader of a format and hands on what it writes by whole lines, where these are not too long.
fn in_lines(
    format: &Format,
    input: &Input<'_>,
    out: &mut Out<'_>,
    mut write: impl FnMut(&str, &mut Out<'_>) -> Result<(), Stop>,
) -> Result<(), Failure> {
    let mut held = String::new();
    let mut sink = |piece| match piece {
        Piece::Text(more) => {
            held.push_str(&more);
            let whole = match memchr::memrchr(b'\n', held.as_bytes()) {
                Some(end) => end + 1,
                None if held.len() > LINE_MAX => held.len(),
                None => return Ok(()),
            };
            let rest = held.split_off(whole);
            write(&std::mem::replace(&mut held, rest), out)
        }
        Piece::Note(note) => {
            out.note_at(note.line, note.message);
            Ok(())
        }
        Piece::Progress(done, total) => out.progress(done, total),
        Piece::Shown(_) | Piece::Attachment(_) => out.pass(piece),
        // These are of the document itself, and this is a part of one.
        Piece::Anchor(_) | Piece::Outline(_) | Piece::Fact(..) | Piece::Kept(_) | Piece::Left(_) => Ok(()),
        Piece::Unsaid(_) => Ok(()),
    };
    let mut inner = Out::new(u64::MAX, &mut sink);
    let done = (format.convert)(input, &mut inner);
    if matches!(done, Err(Failure::Stop(_))) {
        return done;
    }
    inner.finish()?;
    write(&held, out)?;
    done
}
