//! Plain text, Markdown and code: as they are, in UTF-8.

use super::encoding::TextReader;
use super::input::{Failure, Input};
use super::languages;
use super::names::by_name;
use super::out::Out;

/// Passes the text on as it is: an offset in the Markdown is an offset in the original.
///
/// # Errors
/// Where it cannot be read.
pub fn convert(input: &Input<'_>, out: &mut Out<'_>) -> Result<(), Failure> {
    let mut text = TextReader::new(input.reader()?)?;
    let copied = copy(&mut text, out);
    say_encoding(&text, out);
    let is_code = by_name(input.name).is_some_and(|format| format.name == "code");
    if let Some(language) = languages::of_file(input.name).filter(|_| is_code) {
        out.fact("language", language);
    }
    copied
}

fn copy(text: &mut TextReader<'_>, out: &mut Out<'_>) -> Result<(), Failure> {
    let mut old_breaks = None;
    loop {
        let more = text.more()?;
        if more.is_empty() {
            return Ok(());
        }
        // Lines of an old Mac end in what breaks no line today; one sign stands for another, so that offsets stay.
        let without = !more.contains('\n');
        let old_breaks = old_breaks.get_or_insert(without && more.contains('\r'));
        *old_breaks &= without;
        if *old_breaks { out.text(&more.replace('\r', "\n"))? } else { out.text(more)? }
    }
}

/// Says what encoding a text turned out to have, and what of it could not be decoded.
pub fn say_encoding(text: &TextReader<'_>, out: &mut Out<'_>) {
    out.fact("encoding", text.encoding());
    if text.zeros() > 0 {
        out.note(format!("{} zero bytes are left out", text.zeros()));
    }
    if text.replaced() > 0 {
        out.note(format!("some bytes are no {}; they are shown as \u{FFFD}", text.encoding()));
    }
}
