//! What a response's `usage` reports: input, cache reads and cache writes are disjoint.

use crate::model::Usage;
use crate::transcript::json::Json;

/// The answer's tokens.
///
/// Where the server ran tools of its own, one request is sampled several times and the figures are sums over all
/// samplings (`iterations`); the context is then that of the first one.
pub(super) fn usage(value: &Json<'_>) -> Option<Usage> {
    if !value.is_object() {
        return None;
    }
    let mut samplings = iterations(value, "message");
    let first = samplings.next().map(|first| first.context());
    let sent = if samplings.next().is_some() { first } else { None };
    Some(Usage { sent, ..one(value) })
}

/// The tokens of the call that wrote a summary on the way.
pub(super) fn summary(value: &Json<'_>) -> Option<Usage> {
    iterations(value, "compaction").next()
}

fn iterations<'j>(value: &'j Json<'_>, kind: &'static str) -> impl Iterator<Item = Usage> + 'j {
    let all = value.get("iterations").map(Json::items).unwrap_or_default();
    all.iter().filter(move |sampling| sampling.str_of("type") == kind).map(one)
}

fn one(value: &Json<'_>) -> Usage {
    let count = |key: &str| value.count_of(key).unwrap_or(0);
    Usage {
        input: count("input_tokens"),
        cache_read: count("cache_read_input_tokens"),
        cache_write: count("cache_creation_input_tokens"),
        output: value.count_of("output_tokens"),
        reasoning: value.get("output_tokens_details").and_then(|details| details.count_of("thinking_tokens")),
        sent: None,
    }
}
