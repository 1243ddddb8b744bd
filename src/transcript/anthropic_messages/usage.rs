//! What a response's `usage` reports: input, cache reads and cache writes are disjoint.

use crate::model::Usage;
use crate::transcript::figure::Figures;
use crate::transcript::json::Json;

/// The answer's tokens.
///
/// Where the server ran tools of its own, one request is sampled several times and the figures are sums over all
/// samplings (`iterations`); the context is then that of the first one.
pub(super) fn usage(value: &Json<'_>, figures: &mut Figures) -> Option<Usage> {
    let mut samplings = iterations(value, "message");
    let first = samplings.next().map(|first| first.context());
    let sent = if samplings.next().is_some() { first } else { None };
    let mut of = |path: &[&str]| value.figure(path, figures);
    let read = of_value(&mut of);
    figures.whole(Usage { sent, ..read })
}

/// The tokens of the call that wrote a summary on the way.
pub(super) fn summary(value: &Json<'_>) -> Option<Usage> {
    iterations(value, "compaction").next()
}

fn iterations<'j>(value: &'j Json<'_>, kind: &'static str) -> impl Iterator<Item = Usage> + 'j {
    let all = value.get("iterations").map(Json::items).unwrap_or_default();
    all.iter().filter(move |sampling| sampling.str_of("type") == kind).map(one)
}

/// A sampling's figures; those that are none are left out.
fn one(value: &Json<'_>) -> Usage {
    of_value(&mut |path| value.figure(path, &mut Figures::default()))
}

fn of_value(of: &mut dyn FnMut(&[&str]) -> Option<u64>) -> Usage {
    Usage {
        input: of(&["input_tokens"]).unwrap_or(0),
        cache_read: of(&["cache_read_input_tokens"]).unwrap_or(0),
        cache_write: of(&["cache_creation_input_tokens"]).unwrap_or(0),
        output: of(&["output_tokens"]),
        reasoning: of(&["output_tokens_details", "thinking_tokens"]),
        sent: None,
    }
}
