//! Lines of Claude Code's sessions.

use std::sync::LazyLock;

use memchr::memmem::Finder;

use super::{Sign, first_words, shortened};
use crate::content::hash;
use crate::model::Coding;
use crate::transcript::json::{Json, parse};

/// Results of tools are most of a session and tell nothing here. Inside a string its quotes would be escaped.
static RESULT: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(b"\"tool_result\""));

/// What a line of a Claude Code session tells.
#[must_use]
pub fn claude_code(line: &[u8]) -> Vec<Sign> {
    if RESULT.find(line).is_some() {
        return Vec::new();
    }
    let (record, _) = parse(line);
    if record.get("isSidechain").is_some_and(Json::is_true) {
        return Vec::new();
    }
    let told = |key: &str| record.get(key).and_then(Json::str).map(|text| shortened(&text));
    let titled = |key: &str| told(key).map(Sign::Title).into_iter().collect();
    match &*record.str_of("type") {
        "assistant" => {
            let Some(message) = record.get("message") else { return Vec::new() };
            let id = message.get("id").and_then(Json::text).filter(|_| message.str_of("model") != "<synthetic>");
            id.map(|id| Sign::Step(hash(id, Coding::Json))).into_iter().collect()
        }
        "system" if record.str_of("subtype") == "compact_boundary" => vec![Sign::Compaction],
        "user" => prompt(&record).into_iter().chain(told("cwd").map(Sign::Folder)).collect(),
        "ai-title" => titled("aiTitle"),
        "custom-title" => titled("customTitle"),
        _ => Vec::new(),
    }
}

fn prompt(record: &Json<'_>) -> Option<Sign> {
    let marked = ["isMeta", "isCompactSummary"].iter().any(|mark| record.get(mark).is_some_and(Json::is_true));
    let content = record.get("message")?.get("content").filter(|_| !marked)?;
    let words = first_words(content).or_else(|| command(&content.str()?));
    words.map(Sign::Prompt)
}

/// A command as the person typed it, out of the tags that it is recorded in. What only clears or compacts is no prompt.
fn command(text: &str) -> Option<Box<str>> {
    let between = |tag: &str| {
        let (_, rest) = text.split_once(&format!("<{tag}>"))?;
        Some(rest.split_once(&format!("</{tag}>"))?.0.trim())
    };
    let name = between("command-name").filter(|name| !["/clear", "/compact", "/exit"].contains(name))?;
    Some(shortened(&format!("{name} {}", between("command-args").unwrap_or_default())))
}
