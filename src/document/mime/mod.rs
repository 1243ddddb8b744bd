//! Messages as they are sent (EML), and pages saved with all their parts in one file (MHTML): what is meant to be
//! read, as Markdown, and the names of what is attached.

mod parts;

use std::io::Cursor;

use crate::content::one_line;

use super::encoding::TextReader;
use super::html;
use super::input::{Failure, Input};
use super::out::Out;
use super::typed::letter;
use parts::Part;

/// Bytes of a message.
const MESSAGE_MAX: u64 = 128 << 20;
/// Bytes of one part's text.
const TEXT_MAX: usize = 32 << 20;
/// Parts within each other.
const DEPTH_MAX: usize = 10;
/// Attachments that are named.
const ATTACHMENTS_MAX: usize = 200;
/// Bytes that tell whether a text is a message.
const HEAD: usize = 4 << 10;
/// Lines of a head that are shown: their names, and those of their facts.
const SHOWN: &[(&str, &str, &str)] = &[
    ("From", "from", "from"),
    ("To", "to", "to"),
    ("Cc", "cc", "cc"),
    ("Subject", "subject", "title"),
    ("Date", "date", "date"),
];

/// Whether the beginning of a text is the head of a message: lines of names and values, and one of them says so.
#[must_use]
pub fn begins(text: &str) -> bool {
    let head = text.get(..text.floor_char_boundary(HEAD)).unwrap_or_default();
    let is_name =
        |name: &str| !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    let is_line =
        |line: &str| line.starts_with([' ', '\t']) || line.split_once(':').is_some_and(|(name, _)| is_name(name));
    let mut says = false;
    for (at, line) in head.lines().take_while(|line| !line.trim().is_empty()).enumerate() {
        if at == 0 && line.starts_with([' ', '\t']) || !is_line(line) {
            return false;
        }
        says |= line.to_ascii_lowercase().starts_with("mime-version:");
    }
    says
}

/// A message, or a page, as Markdown.
///
/// # Errors
/// Where it cannot be read or is too large.
pub fn convert(input: &Input<'_>, out: &mut Out<'_>) -> Result<(), Failure> {
    let bytes = input.whole(MESSAGE_MAX)?;
    let message = Part::of(&bytes);
    let mut found = Found::default();
    found.read(&message, 0);
    out.progress(0, 0)?;
    // A page has parts that belong to it, and nobody whom it was sent to.
    if message.media() == "multipart/related" && message.raw("to").is_empty() {
        let title = message.line("subject");
        out.fact("title", if title.is_empty() { &found.title } else { &title });
        return Ok(out.block(&found.texts.join("\n\n"))?);
    }
    for (_, name, fact) in SHOWN {
        out.fact(fact, message.line(name));
    }
    out.block("# Email Message")?;
    out.block(&heads(&message))?;
    out.block("## Content")?;
    out.block(&found.texts.join("\n\n"))?;
    if !found.attached.is_empty() {
        out.fact("attachments", found.attached.len());
        out.block("## Attachments")?;
        let names = found.attached.iter().map(|name| format!("* {name}"));
        out.block(&names.collect::<Vec<_>>().join("\n"))?;
    }
    Ok(())
}

/// Who wrote to whom, about what and when.
fn heads(message: &Part<'_>) -> String {
    let line = |(title, name, _): &(&str, &str, &str)| {
        let value = one_line(&message.line(name));
        (!value.is_empty()).then(|| format!("**{title}:** {value}"))
    };
    SHOWN.iter().filter_map(line).collect::<Vec<_>>().join("\n")
}

/// What a message holds.
#[derive(Default)]
struct Found {
    texts: Vec<String>,
    /// The title of its page.
    title: String,
    attached: Vec<String>,
}

impl Found {
    fn read(&mut self, part: &Part<'_>, depth: usize) {
        let media = part.media();
        if depth > DEPTH_MAX || (depth > 0 && part.is_attached() && media != "message/rfc822") {
            return self.attach(part);
        }
        match media.split_once('/').unwrap_or_default() {
            // Each says the same; the last says it best.
            ("multipart", "alternative") => {
                let parts = part.parts();
                let best = parts.iter().rposition(|one| one.media().starts_with("multipart/") || is_text(one));
                for (at, one) in parts.iter().enumerate() {
                    if Some(at) == best {
                        self.read(one, depth + 1);
                    } else if one.is_attached() {
                        self.attach(one);
                    }
                }
            }
            // The others are pictures and styles of the first.
            ("multipart", "related") => {
                let parts = part.parts();
                let root = parts.iter().position(|one| is_text(one) || one.media().starts_with("multipart/"));
                for (at, one) in parts.iter().enumerate() {
                    if Some(at) == root {
                        self.read(one, depth + 1);
                    } else if one.is_attached() {
                        self.attach(one);
                    }
                }
            }
            ("multipart", _) => part.parts().iter().for_each(|one| self.read(one, depth + 1)),
            ("message", "rfc822") => {
                let inner = part.inner();
                self.texts.push(heads(&inner));
                self.read(&inner, depth + 1);
            }
            _ if is_text(part) => self.text(part, &media),
            _ => self.attach(part),
        }
    }

    fn text(&mut self, part: &Part<'_>, media: &str) {
        let is_page = media != "text/plain";
        let named = part.parameter("content-type", "charset");
        let charset = |head: &[u8]| named.clone().or_else(|| html::charset(head).filter(|_| is_page));
        let read = TextReader::named_by(Box::new(Cursor::new(part.bytes())), charset);
        let Ok((text, _)) = read.and_then(|mut text| text.first(TEXT_MAX)) else { return };
        if is_page {
            let page = html::page(&text);
            if self.title.is_empty() {
                self.title = page.title;
            }
            self.texts.push(page.markdown);
        } else {
            self.texts.push(letter(text.replace("\r\n", "\n").trim()));
        }
    }

    fn attach(&mut self, part: &Part<'_>) {
        if let Some(name) = part.file_name().filter(|_| self.attached.len() < ATTACHMENTS_MAX) {
            self.attached.push(one_line(&name));
        }
    }
}

fn is_text(part: &Part<'_>) -> bool {
    !part.is_attached() && matches!(part.media().as_str(), "text/plain" | "text/html" | "application/xhtml+xml")
}
