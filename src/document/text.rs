//! Plain text, Markdown and code: as they are, in UTF-8, with a line feed at the end of each line.

use std::io::{self, Read};

use crate::content::{ReadAt, Watch};

use super::convert::detect_bytes;
use super::encoding::TextReader;
use super::html::charset;
use super::input::{Failure, Input, Packing};
use super::languages;
use super::markup;
use super::names::by_name;
use super::out::Out;
use super::signs::{is_pdf, is_text};
use super::unpacking::Damage;

/// Bytes that tell whether a file is text.
const HEAD: u64 = 8 << 10;
/// Bytes that tell how lines end.
const AHEAD: usize = 64 << 10;

/// Passes the text on as it is: an offset in the Markdown is an offset in the original, in characters, where each break
/// counts as one.
///
/// # Errors
/// Where it cannot be read.
pub fn convert(input: &Input<'_>, out: &mut Out<'_>) -> Result<(), Failure> {
    let mut text = markup::text(input.reader()?)?;
    let copied = copy(&mut text, &mut |more| out.text(more).map(|()| true).map_err(Failure::from));
    say_encoding(&text, out);
    let is_code = by_name(input.name).is_some_and(|format| format.name == "code");
    if let Some(language) = languages::of_file(input.name).filter(|_| is_code) {
        out.fact("language", language);
    }
    copied
}

/// The text that a file is by itself, whatever its format makes of it: its bytes decoded, the first `most` of them or
/// some more. `None` where they are no text: packed, or of a format whose files are none.
///
/// # Errors
/// Where it cannot be read.
pub fn own_text(name: &str, bytes: &dyn ReadAt, most: usize, watch: &Watch) -> io::Result<Option<String>> {
    let detected = detect_bytes(name, bytes);
    let (packing, limits, damage) = (Packing::None, None, &Damage::default());
    let input = Input { name, bytes, packing, limits, watch, second_reader_from: None, depth: 0, damage };
    let mut head = Vec::new();
    input.reader()?.take(HEAD).read_to_end(&mut head)?;
    let is = detected.format.is_some_and(|format| format.media == "text/");
    if detected.packing != Packing::None || !(is || (is_text(&head) && !is_pdf(&head))) {
        return Ok(None);
    }
    // A page says itself in what it is written.
    let names_itself = detected.format.is_some_and(|format| format.name == "html");
    let mut text = match names_itself {
        true => TextReader::named_by(input.reader()?, charset)?,
        false => markup::text(input.reader()?)?,
    };
    let mut all = String::new();
    let copied = copy(&mut text, &mut |more| {
        all.push_str(more);
        Ok::<_, io::Error>(all.len() < most)
    });
    copied.map(|()| Some(all))
}

/// Hands on a text piece by piece, until there is no more or it is told that that is enough.
fn copy<E: From<io::Error>>(text: &mut TextReader<'_>, take: &mut dyn FnMut(&str) -> Result<bool, E>) -> Result<(), E> {
    // Lines of an old Mac end in what breaks no line today; one sign stands for another, so that offsets stay.
    let mut old_breaks = None;
    loop {
        if old_breaks.is_none() {
            // A piece alone may be short, and hold no break at all.
            old_breaks = are_old(text.ahead(AHEAD)?);
        }
        let more = text.more()?;
        if more.is_empty() {
            return Ok(());
        }
        old_breaks = old_breaks.map(|old| old && !more.contains('\n'));
        if !(if old_breaks == Some(true) { take(&more.replace('\r', "\n"))? } else { take(more)? }) {
            return Ok(());
        }
    }
}

/// Whether lines end as on an old Mac; `None` where none ends.
fn are_old(text: &[u8]) -> Option<bool> {
    let has = |sign| memchr::memchr(sign, text).is_some();
    if has(b'\n') { Some(false) } else { has(b'\r').then_some(true) }
}

/// Says what encoding a text turned out to have, and what of it could not be decoded.
pub fn say_encoding(text: &TextReader<'_>, out: &mut Out<'_>) {
    out.fact("encoding", text.encoding());
    if let Some(named) = text.misnamed() {
        out.note(format!("it says that it is {named} and is not; it is read as {}", text.encoding()));
    }
    if text.is_doubtful() {
        out.note("its encoding is a guess, in which much is odd: some of what is shown may be other characters");
    }
    if text.zeros() > 0 {
        let are = if text.zeros() == 1 { "zero byte is" } else { "zero bytes are" };
        out.note(format!("{} {are} left out", text.zeros()));
    }
    if text.replaced() > 0 {
        let encoding = text.encoding();
        let first = format!("some bytes, the first of them here, are no {encoding}; they are shown as \u{FFFD}");
        out.note_on_all_at(text.replaced_line(), first);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::content::MemoryBytes;

    #[test]
    fn what_is_text_by_its_bytes_is_its_own_text_whatever_its_format() {
        let own = |name: &str, bytes: &[u8]| {
            own_text(name, &MemoryBytes(bytes.to_vec()), 1 << 20, &Watch::default()).unwrap()
        };
        for name in ["a.txt", "a.csv", "a.tsv", "a.json", "a.eml", "a.rs", "a", "a.bin", "a.docx"] {
            assert_eq!(own(name, "id\tnaïve\n1\t2\n".as_bytes()).as_deref(), Some("id\tnaïve\n1\t2\n"), "{name}");
        }
        assert_eq!(own("a.html", b"<h1>One</h1>").as_deref(), Some("<h1>One</h1>"));
        let page = b"<meta charset=\"windows-1251\"><p>\xCC\xE8\xF0</p>";
        assert_eq!(own("a.html", page).as_deref(), Some("<meta charset=\"windows-1251\"><p>Мир</p>"));
        assert_eq!(own("a.csv", b"\xEF\xBB\xBFid,name\r\n").as_deref(), Some("id,name\n"), "without its mark");
        assert_eq!(own("a.txt", b"Le caf\xE9 est pr\xEAt.\n").as_deref(), Some("Le café est prêt.\n"));
        assert_eq!(own("a.txt", b"o\0n\0e\0\n\0t\0w\0o\0\n\0").as_deref(), Some("one\ntwo\n"));
        assert_eq!(own("a.csv", b"one\rtwo\r").as_deref(), Some("one\ntwo\n"), "lines of an old Mac");
        // An accent before the first break.
        assert_eq!(own("a.txt", b"caf\x8E na\x95ve\rr\x8Esum\x8E\r").as_deref(), Some("café naïve\nrésumé\n"));
        let late = ["x".repeat(100_000).as_bytes(), b" caf\x8E na\x95ve\rr\x8Esum\x8E\r"].concat();
        assert!(
            own_text("a.txt", &MemoryBytes(late), 1 << 20, &Watch::default())
                .unwrap()
                .unwrap()
                .ends_with("naïve\nrésumé\n")
        );
        assert_eq!(own("a.txt", b"1%\r2%\ndone\n").as_deref(), Some("1%\r2%\ndone\n"));
        assert_eq!(own("a.txt", b"").as_deref(), Some(""));
        for (name, bytes) in [
            ("a.pdf", &b"%PDF-1.4\n1 0 obj"[..]),
            ("a.txt", b"%PDF-1.4\n1 0 obj"),
            ("a.docx", b"PK\x03\x04\x14\0\0\0\x08\0"),
            ("a.png", b"\x89PNG\r\n\x1A\n\0\0\0\rIHDR"),
            ("a.csv.gz", b"\x1F\x8B\x08\0\0\0\0\0"),
        ] {
            assert_eq!(own(name, bytes), None, "{name}");
        }
    }
}
