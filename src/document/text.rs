//! Plain text, Markdown and code: as they are, in UTF-8.

use super::encoding::TextReader;
use super::input::{Failure, Input};
use super::out::Out;

/// Passes the text on as it is: an offset in the Markdown is an offset in the original.
///
/// # Errors
/// Where it cannot be read.
pub fn convert(input: &Input<'_>, out: &mut Out<'_>) -> Result<(), Failure> {
    let mut text = TextReader::new(input.reader()?)?;
    let copied = copy(&mut text, out);
    say_encoding(&text, out);
    if let Some(language) = super::languages::of(&input.extension()) {
        out.fact("language", language);
    }
    copied
}

fn copy(text: &mut TextReader<'_>, out: &mut Out<'_>) -> Result<(), Failure> {
    loop {
        let more = text.more()?;
        if more.is_empty() {
            return Ok(());
        }
        out.text(more)?;
    }
}

/// Says what encoding a text turned out to have, and what of it could not be decoded.
pub fn say_encoding(text: &TextReader<'_>, out: &mut Out<'_>) {
    out.fact("encoding", text.encoding());
    if text.replaced() > 0 {
        out.note(format!("some bytes are no {}; they are shown as \u{FFFD}", text.encoding()));
    }
}
