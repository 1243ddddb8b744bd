//! One line for a whole turn: who, which tool, its main argument, size of the result, outcome.

use std::fmt::Write as _;
use std::sync::Arc;

use super::{Item, Plan};
use crate::model::{BlockKind, Transcript};

/// What stands for a turn that is collapsed.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// Its words. They quote the transcript: untrusted.
    pub text: Arc<str>,
    /// Its tokens.
    pub tokens: u64,
}

/// Characters of a quotation.
const QUOTED: usize = 100;
/// Calls that a line names.
const CALLS: usize = 4;
/// Arguments that say what a call is about, the most telling first.
const ARGUMENTS: &[&str] = &[
    "file_path",
    "notebook_path",
    "filename",
    "command",
    "cmd",
    "pattern",
    "query",
    "path",
    "url",
    "name",
    "description",
    "prompt",
    "input",
];
/// Arguments that name a file or folder.
const PATHS: &[&str] = &["file_path", "path", "notebook_path", "filename"];
/// Arguments longer than this are not parsed.
const PARSED: usize = 256 << 10;

/// The line of a unit. `said` gives the beginning of an item's text, for calls its main argument.
pub(super) fn line(plan: &Plan, transcript: &Transcript, unit: u32, said: impl Fn(u32) -> Option<Arc<str>>) -> String {
    let items = plan.items_of(unit);
    let answer = plan.units.get(unit as usize).is_some_and(|unit| unit.answer);
    let about = |item: u32| plan.items.get(item as usize);
    // Turns as settings count them: each begins with a message of the user.
    let turn = items.first().and_then(|item| about(*item)).map_or(0, |item| item.turn);
    let mut text = format!("[turn {turn}, {}]", if answer { "assistant" } else { "user" });
    let words = items
        .iter()
        .find(|item| about(**item).is_some_and(|about| about.kind == BlockKind::Text && !about.is_result()));
    if let Some(words) = words.and_then(|item| said(*item)) {
        let _ = write!(text, " {words}");
    }
    let calls = items.iter().filter(|item| about(**item).is_some_and(|about| about.kind == BlockKind::ToolCall));
    let mut more = 0;
    for (number, item) in calls.enumerate() {
        let Some(call) = about(*item) else { continue };
        if number >= CALLS {
            more += 1;
            continue;
        }
        let argument = said(*item).unwrap_or_default();
        let (size, failed) = outcome(plan, transcript, call);
        let outcome = if failed { "error" } else { "ok" };
        let _ = write!(text, " · {}({argument}) → {size} tokens, {outcome}", clip(&call.label, 40));
    }
    if more > 0 {
        let _ = write!(text, " · {more} more calls");
    }
    text
}

fn outcome(plan: &Plan, transcript: &Transcript, call: &Item) -> (u64, bool) {
    let (mut at, mut size, mut failed) = (call.next, 0, false);
    while let Some(result) = plan.items.get(at as usize) {
        size += result.tokens;
        failed |= transcript.block(result.block).is_some_and(|block| block.error);
        at = result.next;
    }
    (size, failed)
}

/// What is quoted of an item: the beginning of a text, the main argument of a call.
pub(super) fn quote(kind: BlockKind, text: &str) -> Arc<str> {
    if kind != BlockKind::ToolCall {
        return clip(text, QUOTED);
    }
    main_argument(text).unwrap_or_else(|| clip(text, QUOTED))
}

/// The argument that says what a call is about.
fn main_argument(text: &str) -> Option<Arc<str>> {
    if text.len() > PARSED {
        return None;
    }
    let value: serde_json::Value = serde_json::from_str(text).ok()?;
    let fields = value.as_object()?;
    let named = ARGUMENTS.iter().find_map(|name| fields.get(*name)?.as_str());
    let first = || fields.values().find_map(serde_json::Value::as_str);
    named.or_else(first).map(|argument| clip(argument, QUOTED))
}

/// The path among a call's arguments.
pub(in crate::engine) fn touched_path(text: &str) -> Option<String> {
    if text.len() > PARSED {
        return None;
    }
    let value: serde_json::Value = serde_json::from_str(text).ok()?;
    let fields = value.as_object()?;
    PATHS.iter().find_map(|name| fields.get(*name)?.as_str()).map(str::to_owned)
}

/// The path that a call reads, where it reads a file.
pub(super) fn path_read(tool: &str, text: &str) -> Option<String> {
    let tool = tool.to_ascii_lowercase();
    let reads = ["read", "view", "open", "cat"].iter().any(|word| tool.contains(word));
    if reads { touched_path(text) } else { None }
}

/// The beginning of a text as one line.
fn clip(text: &str, most: usize) -> Arc<str> {
    let mut words = String::new();
    for sign in text.chars() {
        let sign = if sign.is_control() || sign.is_whitespace() { ' ' } else { sign };
        if sign == ' ' && words.ends_with(' ') {
            continue;
        }
        words.push(sign);
        if words.chars().count() >= most {
            words.push('…');
            break;
        }
    }
    Arc::from(words.trim())
}
