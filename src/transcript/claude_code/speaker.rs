//! Who speaks in a user's message: a person, a skill, or the harness. Told by how the text begins.

use crate::model::Layer;
use crate::transcript::harness::{Behind, HARNESS, ORIGINS, PERSON, PROMPT_SOURCES, begins};
use crate::transcript::scan::Value;

/// How the body of a skill begins.
const SKILL: &str = "Base directory for this skill:";

/// Who wrote a text in a person's name, as the record says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Author {
    /// A person: whatever it begins with, they wrote it, but for what stands in tags before their words.
    Person,
    /// The harness.
    Harness,
    /// It does not say: its beginning tells.
    Unsaid,
}

/// The author that a record names by where a prompt is from and how it came in.
pub(super) fn author(origin: Option<Value<'_>>, source: Option<Value<'_>>) -> Author {
    let kind = origin.and_then(|origin| origin.get("kind")?.string());
    let source = source.and_then(|source| source.string());
    let came = |names: &[&str]| source.as_deref().is_some_and(|source| names.contains(&source));
    let (persons, harness) = PROMPT_SOURCES;
    if stranger(origin).is_some() || came(harness) {
        Author::Harness
    } else if kind.as_deref() == Some(PERSON) || came(persons) {
        Author::Person
    } else {
        Author::Unsaid
    }
}

/// The layer and label of a text in a user's message.
pub(super) fn speaker(stored: &[u8], author: Author) -> (Layer, &'static str) {
    let known = begins(stored).filter(|(_, behind)| author != Author::Person || *behind == Behind::Person);
    match known {
        _ if author != Author::Person && stored.starts_with(SKILL.as_bytes()) => (Layer::Skills, "skill"),
        Some((label, _)) => (Layer::Notices, label),
        None if author == Author::Harness => (Layer::Notices, "notice"),
        None if is_command(stored) => (Layer::User, "command"),
        None => (Layer::User, ""),
    }
}

/// What to call a message whose record says that it is from elsewhere than a person.
pub(super) fn stranger(origin: Option<Value<'_>>) -> Option<&'static str> {
    let kind = origin?.get("kind")?.string()?;
    ORIGINS.iter().find(|(name, _)| *name == kind).map(|(_, label)| *label)
}

/// Whether a text is a command of the client's own, be it behind what the harness put before it.
pub(super) fn is_command(stored: &[u8]) -> bool {
    let (_, words) = divided(stored, false);
    crate::transcript::harness::is_command(words)
}

/// Whether a text notes that the user stopped a request on its way. When a tool was refused, none was.
pub(super) fn is_interrupt(stored: &[u8]) -> bool {
    begins(stored).is_some() && stored.starts_with(b"[Request interrupted by user]")
}

/// Whether a text is a person's, be it behind what the harness put before it.
pub(super) fn is_prompt(stored: &[u8], author: Author) -> bool {
    let (_, words) = divided(stored, author == Author::Harness);
    speaker(words, author).0 == Layer::User
}

/// A text as stored, divided into what the harness put before a person's words, each piece from tag to tag, and these.
/// Undivided, it is all in the second.
pub(super) fn divided(stored: &[u8], meta: bool) -> (Vec<&[u8]>, &[u8]) {
    let (mut before, mut rest) = (Vec::new(), stored);
    while let Some(length) = wrapped(rest).filter(|_| !meta) {
        let (piece, after) = rest.split_at(length);
        before.push(piece);
        rest = after;
    }
    if rest.is_empty() { (Vec::new(), stored) } else { (before, rest) }
}

/// Bytes of what the harness wrote in tags before a person's words at a text's beginning, with the blanks after it.
fn wrapped(stored: &[u8]) -> Option<usize> {
    let mut before = HARNESS.iter().filter(|(.., behind)| *behind == Behind::Person);
    let (open, ..) = before.find(|(begin, ..)| stored.starts_with(begin.as_bytes()))?;
    let close = open.replacen('<', "</", 1);
    let mut end = memchr::memmem::find(stored, close.as_bytes())? + close.len();
    while let Some(blank) = [&b" "[..], br"\n", br"\r", br"\t"]
        .iter()
        .find(|blank| stored.get(end..).is_some_and(|rest| rest.starts_with(blank)))
    {
        end += blank.len();
    }
    Some(end)
}
