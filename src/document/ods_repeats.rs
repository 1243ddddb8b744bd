//! ODS files that say of rows and columns that they repeat so often that a sheet has more cells than its reader takes:
//! the same file, repeating less.

use std::io::{BufReader, Cursor, Read};

use calamine::{Ods, Reader};
use memchr::memmem;
use zip::ZipArchive;

use super::input::{Failure, Input, Places};
use super::ods_beside::SAYING;
use super::out::Out;
use super::unlisted::Found;
use super::workbook::{failure, guarded, manifest};
use super::zip_heads::headed;
use crate::model::thousands;

/// The part in which all sheets stand.
const CONTENT: &str = "content.xml";
/// Bytes of it that are read.
const CONTENT_MAX: u64 = 256 << 20;

/// How often rows and columns may repeat.
#[derive(Clone, Copy, Debug)]
struct Most {
    /// A row.
    rows: u64,
    /// A cell of a row.
    columns: u64,
}

impl Most {
    /// What is tried, one after the other: the second is more than any table shows.
    const TRIED: [Most; 2] = [Most { rows: 10_000, columns: 500 }, Most { rows: 100, columns: 60 }];

    /// What is said of what is shown so.
    fn said(self) -> String {
        format!(
            "it says of rows and columns that they repeat so often that nobody could hold them: of each repetition no more \
             than {} rows and {} columns are shown, and what stands behind them has other numbers than in the file",
            thousands(self.rows),
            thousands(self.columns)
        )
    }
}

/// Opens an ODS of which rows and columns repeat too often to be held, and tells what is shown of them.
///
/// # Errors
/// Where it cannot be read all the same, or nobody wishes it any more.
pub fn open<'a>(input: &Input<'a>, out: &mut Out<'_>) -> Result<Ods<BufReader<Places<'a>>>, Failure> {
    let Some(content) = content(input, out)? else { return Err(Failure::TooMany) };
    for most in Most::TRIED {
        let places = repeating_less(&content, most);
        if let Ok(book) = guarded(|| Ods::new(BufReader::new(places)).map_err(failure)) {
            out.note_on_all(most.said());
            return Ok(book);
        }
    }
    Err(Failure::TooMany)
}

/// Opens an ODS without what is said of its drawings, which its reader would take for the text of their cells; `None` where
/// it cannot be read so.
///
/// # Errors
/// Where nobody wishes it any more.
pub fn without_said<'a>(input: &Input<'a>, out: &mut Out<'_>) -> Result<Option<Ods<BufReader<Places<'a>>>>, Failure> {
    let Some(mut content) = content(input, out)? else { return Ok(None) };
    for name in SAYING {
        content = without(&content, name);
    }
    let places = stored(&content);
    Ok(guarded(|| Ods::new(BufReader::new(places)).map_err(failure)).ok())
}

/// XML without the elements of a name; they hold no others.
fn without(xml: &[u8], name: &str) -> Vec<u8> {
    let (begin, end) = (format!("<{name}"), format!("</{name}>"));
    let (mut made, mut rest) = (Vec::with_capacity(xml.len()), xml);
    while let Some(at) = memmem::find(rest, begin.as_bytes()) {
        let (before, found) = rest.split_at(at);
        made.extend_from_slice(before);
        let named =
            found.get(begin.len()).is_some_and(|next| matches!(next, b'>' | b'/') || next.is_ascii_whitespace());
        let tag = named.then(|| memmem::find(found, b">")).flatten();
        let behind = tag.and_then(|tag| match found.get(..tag).is_some_and(|tag| tag.ends_with(b"/")) {
            true => Some(tag + 1),
            false => memmem::find(found, end.as_bytes()).map(|at| at + end.len()),
        });
        let Some(behind) = behind else {
            let (begun, after) = found.split_at(begin.len());
            made.extend_from_slice(begun);
            rest = after;
            // What does not end would be sought behind every other.
            if named {
                break;
            }
            continue;
        };
        rest = found.get(behind..).unwrap_or_default();
    }
    made.extend_from_slice(rest);
    made
}

/// The content of an ODS; `None` where it cannot be read.
fn content(input: &Input<'_>, out: &mut Out<'_>) -> Result<Option<Vec<u8>>, Failure> {
    let places = headed(input.seekable()?, input, out)?.0;
    let Ok(mut zip) = ZipArchive::new(BufReader::new(places)) else { return Ok(None) };
    let Ok(part) = zip.by_name(CONTENT) else { return Ok(None) };
    let mut content = Vec::new();
    if part.take(CONTENT_MAX).read_to_end(&mut content).is_err() {
        return Ok(None);
    }
    out.beat(content.len() as u64)?;
    Ok(Some(content))
}

/// An ODS of that content, whose rows and columns repeat no more than that.
fn repeating_less(content: &[u8], most: Most) -> Places<'static> {
    let content = clamped(content, b"number-rows-repeated=", most.rows);
    let content = clamped(&content, b"number-columns-repeated=", most.columns);
    stored(&content)
}

/// An ODS that holds nothing else.
fn stored(content: &[u8]) -> Places<'static> {
    let mut found = Found::all();
    found.add(0, CONTENT.to_owned(), content);
    found.list(0, manifest);
    Places::Memory(Cursor::new(found.tail))
}

/// XML in which an attribute's number is no larger than that.
fn clamped(xml: &[u8], attribute: &[u8], most: u64) -> Vec<u8> {
    let (mut made, mut done) = (Vec::with_capacity(xml.len()), 0);
    for at in memmem::find_iter(xml, attribute) {
        // Behind the quotation mark.
        let from = at + attribute.len() + 1;
        let digits = xml.get(from..).unwrap_or_default().iter().take_while(|byte| byte.is_ascii_digit()).count();
        let number = xml.get(from..from + digits).and_then(|digits| std::str::from_utf8(digits).ok());
        // What is too long for a number is too large.
        let is_over = number.is_some_and(|number| number.parse::<u64>().map_or(digits > 0, |number| number > most));
        if is_over && from >= done {
            made.extend_from_slice(&xml[done..from]);
            made.extend_from_slice(most.to_string().as_bytes());
            done = from + digits;
        }
    }
    made.extend_from_slice(xml.get(done..).unwrap_or_default());
    made
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_that_say_what_is_drawn_are_left_out() {
        let left = |xml: &str| String::from_utf8(without(xml.as_bytes(), "svg:desc")).unwrap();
        assert_eq!(left("<a><svg:desc>x</svg:desc>b<svg:desc/>c<svg:desc y='1'>z</svg:desc></a>"), "<a>bc</a>");
        for same in ["<svg:descent>x</svg:descent>", "<svg:desc>x", "<svg:desc", "</svg:desc>", ""] {
            assert_eq!(left(same), same);
        }
    }

    #[test]
    fn numbers_over_the_most_are_cut_to_it() {
        let cut = |xml: &str| String::from_utf8(clamped(xml.as_bytes(), b"repeated=", 50)).unwrap();
        assert_eq!(cut("<r repeated=\"51\"/><r repeated='50'/>"), "<r repeated=\"50\"/><r repeated='50'/>");
        assert_eq!(cut("<r repeated=\"99999999999999999999999\">x"), "<r repeated=\"50\">x");
        for same in ["<r repeated=\"\"/>", "<r repeated=", "<r repeated=\"x1\"/>", "", "<r repeated=\"-9\"/>"] {
            assert_eq!(cut(same), same);
        }
    }
}
