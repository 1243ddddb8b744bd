//! What a list of sessions shows of each, line by line, without reading the session as a whole.

mod claude_code;
mod codex;
#[cfg(test)]
mod tests;

pub use claude_code::claude_code;
pub use codex::codex;

use super::json::Json;

/// Something that a line tells about its session. All texts are untrusted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sign {
    /// A request was answered; equal numbers are one request.
    Step(u64),
    /// The window was compacted.
    Compaction,
    /// What a person wrote, shortened.
    Prompt(Box<str>),
    /// The working folder.
    Folder(Box<str>),
    /// A name that the session was given.
    Title(Box<str>),
}

/// Tells what a line says.
pub type Glance = fn(&[u8]) -> Vec<Sign>;

/// Characters kept of a prompt or title.
const TEXT_MAX: usize = 300;

/// How texts begin that a harness writes in a person's name.
const INJECTED: &[&str] = &[
    "# AGENTS.md instructions",
    "Another language model started",
    "Caveat: ",
    "[Request interrupted",
    "This session is being continued from a previous conversation",
];

/// Headings after which the person's own words stand, below what an editor added.
const OWN_WORDS: &[&str] = &["## My request for Codex:", "## My request for Claude:"];

/// The person's own words of a text, on one line and shortened; `None` where a harness wrote it.
fn own_words(text: &str) -> Option<Box<str>> {
    let text = OWN_WORDS.iter().find_map(|heading| Some(text.split_once(heading)?.1)).unwrap_or(text).trim_start();
    let injected = INJECTED.iter().any(|start| text.starts_with(start)) || is_injected_tag(text);
    (!injected).then(|| shortened(text)).filter(|words| !words.is_empty())
}

/// Tags that harnesses wrap what they write in. A person's prompt may begin with a tag too (`<task>`).
const TAGS: &[&str] = &[
    "bash-",
    "command-",
    "environment_context",
    "ide_",
    "local-command-",
    "permissions",
    "recommended_plugins",
    "skill",
    "system-reminder",
    "task-notification",
    "turn_aborted",
    "user-memory-input",
    "user_instructions",
];

fn is_injected_tag(text: &str) -> bool {
    text.strip_prefix('<').is_some_and(|rest| TAGS.iter().any(|tag| rest.starts_with(tag)))
}

/// One line of at most [`TEXT_MAX`] characters.
fn shortened(text: &str) -> Box<str> {
    let mut line = String::new();
    for word in text.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.extend(word.chars().take(TEXT_MAX));
        if line.chars().count() >= TEXT_MAX {
            break;
        }
    }
    line.chars().take(TEXT_MAX).collect()
}

/// The first own words among a message's texts: a string, or parts with a `text`.
fn first_words(content: &Json<'_>) -> Option<Box<str>> {
    if let Some(text) = content.str() {
        return own_words(&text);
    }
    content.items().iter().find_map(|part| own_words(&part.get("text")?.str()?))
}
