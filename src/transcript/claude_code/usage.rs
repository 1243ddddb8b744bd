//! What a message's `usage` reports.

use crate::model::Usage;

use super::super::scan::Value;

/// Reported tokens, and those of reasoning. The parts are disjoint here as they are in the file.
///
/// Where the server ran a tool of its own, one request is sampled several times and the figures are sums over all
/// samplings (`iterations`); the context is then that of the first one of the answering model.
pub(super) fn usage(value: Value<'_>) -> Option<Usage> {
    if !value.is_object() {
        return None;
    }
    let input = number(value, "input_tokens");
    let (cache_read, cache_write) = cached(value);
    let sampled: Vec<Value<'_>> = value.get("iterations").map(|all| all.items()).unwrap_or_default();
    let own = |one: &&Value<'_>| matches!(one.get("type").and_then(|kind| kind.string()).as_deref(), Some("message"));
    let sent = sampled.iter().filter(own).count().gt(&1).then(|| sampled.iter().find(own)).flatten().map(|first| {
        let (read, write) = cached(*first);
        number(*first, "input_tokens").saturating_add(read).saturating_add(write)
    });
    Some(Usage {
        input,
        cache_read,
        cache_write,
        output: value.get("output_tokens").and_then(|tokens| tokens.number()),
        reasoning: value.at(&["output_tokens_details", "thinking_tokens"]).and_then(|tokens| tokens.number()),
        sent,
    })
}

fn cached(value: Value<'_>) -> (u64, u64) {
    (number(value, "cache_read_input_tokens"), number(value, "cache_creation_input_tokens"))
}

fn number(value: Value<'_>, name: &str) -> u64 {
    value.get(name).and_then(|number| number.number()).unwrap_or(0)
}
