//! One line for a whole turn: who, which tool, its main argument, size of the result, outcome.

use std::fmt::Write as _;
use std::sync::Arc;

use super::arguments::main_argument;
use super::{Item, Plan};
use crate::model::{BlockKind, Transcript, number};

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
    let media = items.iter().filter_map(|item| about(*item)).filter(|about| !about.is_result());
    for name in media.filter_map(|about| medium(about.kind)) {
        let _ = write!(text, " · {name}");
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
        let _ = write!(text, " · {}", number(more, "more calls"));
    }
    text
}

/// What holds no words of its own.
fn medium(kind: BlockKind) -> Option<&'static str> {
    match kind {
        BlockKind::Image => Some("image"),
        BlockKind::Document => Some("document"),
        BlockKind::Audio => Some("audio"),
        _ => None,
    }
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
    main_argument(text).map_or_else(|| clip(text, QUOTED), |argument| clip(&argument, QUOTED))
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
