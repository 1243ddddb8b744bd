//! What a message's `usage` reports.

use crate::model::Usage;

use super::super::figure::Figures;
use super::super::scan::Value;

/// Reported tokens, and those of reasoning. The parts are disjoint here as they are in the file. `None` where a figure
/// is none; `figures` then says which.
///
/// Where the server ran a tool of its own, one request is sampled several times and the figures are sums over all
/// samplings (`iterations`); the context is then that of the first one of the answering model.
pub(super) fn usage(value: Value<'_>, figures: &mut Figures) -> Option<Usage> {
    if !value.is_object() {
        return None;
    }
    let input = number(value, "input_tokens", figures);
    let (cache_read, cache_write) = cached(value, figures);
    let sampled: Vec<Value<'_>> = value.get("iterations").map(|all| all.items()).unwrap_or_default();
    let own = |one: &&Value<'_>| matches!(one.get("type").and_then(|kind| kind.string()).as_deref(), Some("message"));
    let sent = sampled.iter().filter(own).count().gt(&1).then(|| sampled.iter().find(own)).flatten().map(|first| {
        let (read, write) = cached(*first, figures);
        number(*first, "input_tokens", figures).saturating_add(read).saturating_add(write)
    });
    let output = figures.read("usage.output_tokens", value.get("output_tokens").map(|tokens| tokens.raw()));
    let reasoning = value.at(&["output_tokens_details", "thinking_tokens"]);
    let reasoning = figures.read("usage.output_tokens_details.thinking_tokens", reasoning.map(|tokens| tokens.raw()));
    figures.whole(Usage { input, cache_read, cache_write, output, reasoning, sent })
}

fn cached(value: Value<'_>, figures: &mut Figures) -> (u64, u64) {
    let read = number(value, "cache_read_input_tokens", figures);
    (read, number(value, "cache_creation_input_tokens", figures))
}

fn number(value: Value<'_>, name: &str, figures: &mut Figures) -> u64 {
    let Some(held) = value.get(name) else { return 0 };
    match super::super::figure::figure(held.raw()) {
        Some(figure) => figure,
        None => figures.read(&format!("usage.{name}"), Some(held.raw())).unwrap_or(0),
    }
}
