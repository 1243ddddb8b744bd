//! Who speaks in a user's message: a person, a skill, or the harness. Told by how the text begins.

use crate::model::Layer;
use crate::transcript::harness::{Behind, COMMANDS, HARNESS, ORIGINS};
use crate::transcript::scan::Value;

/// How the body of a skill begins.
const SKILL: &str = "Base directory for this skill:";

/// The layer and label of a text in a user's message, `meta` being what the record says of itself.
pub(super) fn speaker(stored: &[u8], meta: bool) -> (Layer, &'static str) {
    if stored.starts_with(SKILL.as_bytes()) {
        return (Layer::Skills, "skill");
    }
    match HARNESS.iter().find(|(begin, ..)| stored.starts_with(begin.as_bytes())) {
        Some((_, label, _)) => (Layer::Notices, label),
        None if meta => (Layer::Notices, "notice"),
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
    COMMANDS.iter().any(|begin| words.starts_with(begin.as_bytes()))
}

/// Whether a text notes that the user stopped a request on its way. When a tool was refused, none was.
pub(super) fn is_interrupt(stored: &[u8]) -> bool {
    stored.starts_with(b"[Request interrupted by user]")
}

/// Whether a text that is not marked as the harness's is a person's, be it behind what the harness put before it.
pub(super) fn is_prompt(stored: &[u8]) -> bool {
    let (_, words) = divided(stored, false);
    speaker(words, false).0 == Layer::User
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
