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
/// What says of a message that was sent what became of it.
const REPORTS: &[&str] = &[
    "message/delivery-status",
    "message/disposition-notification",
    "message/feedback-report",
    "message/global-delivery-status",
    "message/global-disposition-notification",
    "text/rfc822-headers",
];
/// What may say again, beside a text, what that says.
const ALIKE: &[&str] = &["text/enriched", "text/richtext", "text/watch-html", "text/x-amp-html"];
/// How the media types begin of what a page is made of.
const OF_PAGES: &[&str] =
    &["image/", "font/", "application/font", "text/css", "text/javascript", "application/javascript"];
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
        out.fact("attachments", found.attached.len() + found.more);
        out.block("## Attachments")?;
        let names = found.attached.iter().map(|name| format!("* {name}"));
        out.block(&names.collect::<Vec<_>>().join("\n"))?;
        out.shown("attachments", found.attached.len() as u64, (found.attached.len() + found.more) as u64);
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
    /// Attachments beyond those that are named.
    more: usize,
}

impl Found {
    fn read(&mut self, part: &Part<'_>, depth: usize) {
        let media = part.media();
        let is_shown =
            matches!(media.as_str(), "message/rfc822" | "message/global") || REPORTS.contains(&media.as_str());
        if depth > DEPTH_MAX || (depth > 0 && part.is_attached() && !is_shown) {
            return self.attach(part);
        }
        match media.split_once('/').unwrap_or_default() {
            // Each says the same; the last says it best.
            ("multipart", "alternative") => {
                let parts = part.parts();
                let best = parts.iter().rposition(|one| holds_text(one, depth));
                for (at, one) in parts.iter().enumerate() {
                    if Some(at) == best {
                        self.read(one, depth + 1);
                    } else {
                        self.pass_over(one, depth + 1);
                    }
                }
                self.or_body(part, &parts);
            }
            // The others are pictures and styles of the first.
            ("multipart", "related") => {
                let parts = part.parts();
                let root = parts.iter().position(|one| holds_text(one, depth));
                for (at, one) in parts.iter().enumerate() {
                    if Some(at) == root {
                        self.read(one, depth + 1);
                    } else if one.media().starts_with("multipart/") {
                        self.pass_over(one, depth + 1);
                    } else if one.is_attached() || !belongs_to_page(one) {
                        self.attach(one);
                    }
                }
                self.or_body(part, &parts);
            }
            ("multipart", _) => {
                let parts = part.parts();
                parts.iter().for_each(|one| self.read(one, depth + 1));
                self.or_body(part, &parts);
            }
            ("message", "rfc822" | "global") => {
                let bytes = part.bytes();
                let inner = Part::of(&bytes);
                self.texts.push(heads(&inner));
                self.read(&inner, depth + 1);
            }
            _ if is_text(part) || is_shown => self.text(part, &media),
            _ => self.attach(part),
        }
    }

    /// Names what is attached to a part whose text is said better by another.
    fn pass_over(&mut self, part: &Part<'_>, depth: usize) {
        let media = part.media();
        if media.starts_with("multipart/") && depth <= DEPTH_MAX {
            part.parts().iter().for_each(|one| self.pass_over(one, depth + 1));
        } else if !is_text(part) && (part.is_attached() || !ALIKE.contains(&media.as_str())) {
            self.attach(part);
        }
    }

    /// What should have parts and has none is shown as it is.
    fn or_body(&mut self, part: &Part<'_>, parts: &[Part<'_>]) {
        if parts.is_empty() {
            self.text(part, "text/plain");
        }
    }

    fn text(&mut self, part: &Part<'_>, media: &str) {
        let is_page = matches!(media, "text/html" | "application/xhtml+xml");
        let named = part.parameter("content-type", "charset");
        let charset = |head: &[u8]| named.clone().or_else(|| html::charset(head).filter(|_| is_page));
        let read = TextReader::named_by(Box::new(Cursor::new(part.bytes())), charset);
        let Ok((text, _)) = read.and_then(|mut text| text.first(TEXT_MAX)) else { return self.attach(part) };
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
        if self.attached.len() < ATTACHMENTS_MAX {
            let name = part.file_name().map_or_else(|| unnamed(&part.media()), |name| one_line(&name));
            self.attached.push(name);
        } else {
            self.more += 1;
        }
    }
}

/// What an attachment is called that has no name, by its kind where that is told.
#[must_use]
pub fn unnamed(kind: &str) -> String {
    let kind = one_line(kind);
    if kind.is_empty() { "without a name".to_owned() } else { format!("without a name: {kind}") }
}

fn is_text(part: &Part<'_>) -> bool {
    !part.is_attached() && matches!(part.media().as_str(), "text/plain" | "text/html" | "application/xhtml+xml")
}

/// Whether a part is one of those that a page is made of, and has a name for the page to call it by.
fn belongs_to_page(part: &Part<'_>) -> bool {
    let media = part.media();
    part.is_named_for_others() && OF_PAGES.iter().any(|kind| media.starts_with(kind))
}

/// Whether a part is a text, or one of its parts is.
fn holds_text(part: &Part<'_>, depth: usize) -> bool {
    let inner = || depth <= DEPTH_MAX && part.parts().iter().any(|one| holds_text(one, depth + 1));
    is_text(part) || part.media().starts_with("multipart/") && inner()
}

#[cfg(test)]
mod tests {
    use crate::document::testing::converted;

    fn message(kind: &str, parts: &[&str]) -> String {
        let head = format!(
            "From: a@b.example\nTo: c@d.example\nMIME-Version: 1.0\nContent-Type: multipart/{kind}; boundary=m\n\n"
        );
        let parts: String = parts.iter().map(|part| format!("--m\n{part}\n")).collect();
        let found = converted("a.eml", format!("{head}{parts}--m--\n").as_bytes(), None);
        found.markdown.split_once("## Content\n\n").unwrap().1.to_owned()
    }

    #[test]
    fn a_bounce_tells_why_and_what_was_sent() {
        let found = message(
            "report; report-type=delivery-status",
            &[
                "Content-Type: text/plain\n\nNot delivered.",
                "Content-Type: message/delivery-status\n\nReporting-MTA: dns; x\n\nDiagnostic-Code: smtp; 550 5.1.1 User unknown",
                "Content-Type: message/rfc822\nContent-Transfer-Encoding: base64\n\nRnJvbTogaUB4ClN1YmplY3Q6IElu\nCgpzZW50Cg==",
            ],
        );
        let expected = "Not delivered.\n\nReporting-MTA: dns; x\n\nDiagnostic-Code: smtp; 550 5.1.1 User unknown\n\n\
            **From:** i@x\n**Subject:** In\n\nsent\n";
        assert_eq!(found, expected);
    }

    #[test]
    fn what_has_no_name_is_listed_by_its_kind() {
        let text = "Content-Type: text/plain\n\nplain";
        let calendar = "Content-Type: text/calendar; method=REQUEST\n\nBEGIN:VCALENDAR";
        let listed = "plain\n\n## Attachments\n\n* without a name: text/calendar\n";
        assert_eq!(message("alternative", &[text, calendar]), listed);
        assert_eq!(message("mixed", &[text, calendar]), listed);
        let page = "Content-Type: text/html\n\n<p>page <img src=cid:p alt=P>";
        let picture = "Content-Type: image/png\nContent-ID: <p>\n\nPNG";
        assert_eq!(message("related", &[page, picture]), "page ![P](cid:p)\n");
        assert!(
            message("related", &[page, "Content-Type: application/pdf\nContent-ID: <q>\n\n%PDF"]).ends_with("/pdf\n")
        );
        let file = "Content-Type: application/pdf; name=a.pdf\nContent-Disposition: attachment\n\n%PDF";
        let inner = format!("Content-Type: multipart/mixed; boundary=i\n\n--i\n{file}\n--i--");
        assert_eq!(message("alternative", &[page, &inner]), "page ![P](cid:p)\n\n## Attachments\n\n* a.pdf\n");
        let bare = b"From: a@b.example\nMIME-Version: 1.0\nContent-Type: multipart/mixed\n\nwords\n";
        assert!(converted("a.eml", bare, None).markdown.ends_with("## Content\n\nwords\n"));
        let many: Vec<&str> = std::iter::repeat_n(calendar, 250).collect();
        assert_eq!(message("mixed", &many).matches("text/calendar").count(), 200);
    }
}
