//! One line for a whole turn: who, which tool, its main argument, size of the result, outcome.

use std::fmt::Write as _;
use std::sync::Arc;

use super::arguments::main_argument;
use super::{Item, Plan, Texts};
use crate::model::{BlockKind, number};

/// What stands for a turn that is collapsed.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// Its words. They quote the transcript: untrusted.
    pub text: Arc<str>,
    /// Its tokens.
    pub tokens: u64,
}

/// What is still there of a piece of a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Left {
    /// Nothing.
    Nothing,
    /// A part, or a marker: its words are not to be quoted.
    Part,
    /// Its beginning, which a line quotes.
    Beginning,
}

/// Characters of a quotation.
const QUOTED: usize = 100;
/// Calls that a line names.
const CALLS: usize = 4;

impl Plan {
    /// The line of a unit of which so much is left.
    pub fn line(&self, texts: &Texts, unit: u32, left: impl Fn(u32) -> Left) -> Line {
        let text = words(self, texts, unit, left);
        Line { tokens: self.tokens_of(&text), text: Arc::from(text) }
    }
}

fn words(plan: &Plan, texts: &Texts, unit: u32, left: impl Fn(u32) -> Left) -> String {
    let items = plan.items_of(unit);
    let answer = plan.units.get(unit as usize).is_some_and(|unit| unit.answer);
    let about = |item: u32| plan.items.get(item as usize);
    let quote = |item: u32| texts.quotes.get(item as usize).filter(|_| left(item) == Left::Beginning)?.as_deref();
    // Turns as settings count them: each begins with a message of the user.
    let turn = items.first().and_then(|item| about(*item)).map_or(0, |item| item.turn);
    let mut text = format!("[turn {turn}, {}]", if answer { "assistant" } else { "user" });
    let there = || items.iter().filter_map(|item| Some((*item, about(*item)?)));
    let mut said = there().filter(|(_, about)| about.kind == BlockKind::Text && !about.is_result());
    if let Some(words) = said.find_map(|(item, _)| quote(item)) {
        let _ = write!(text, " {words}");
    }
    let there = || there().filter(|(item, _)| left(*item) != Left::Nothing);
    for name in there().filter(|(_, about)| !about.is_result()).filter_map(|(_, about)| medium(about.kind)) {
        let _ = write!(text, " · {name}");
    }
    let mut more = 0;
    for (number, (item, call)) in there().filter(|(_, about)| about.kind == BlockKind::ToolCall).enumerate() {
        if number >= CALLS {
            more += 1;
            continue;
        }
        let argument = if left(item) == Left::Beginning { quote(item).unwrap_or_default() } else { "…" };
        let (size, failed) = outcome(plan, texts, call);
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

fn outcome(plan: &Plan, texts: &Texts, call: &Item) -> (u64, bool) {
    let (mut at, mut size, mut failed) = (call.next, 0, false);
    while let Some(result) = plan.items.get(at as usize) {
        size += result.tokens;
        failed |= texts.failed.contains(&at);
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
