//! `token_count` records: what a request used, in the agent's own sums.

use crate::content::hash;
use crate::model::{Coding, Usage};
use crate::transcript::figure::Figures;
use crate::transcript::json::Json;

/// One `token_count` record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Tokens {
    /// The newest request's usage; `None` for the agent's own estimate, which has no input.
    pub usage: Option<Usage>,
    /// The newest request's input and output together, or the estimate.
    pub total: u64,
    /// Tells the sums over the session apart: they stay the same where a record only repeats.
    pub sums: u64,
    /// The window's size, as far as the agent uses it.
    pub window: Option<u64>,
}

/// Reads the record's `info`.
///
/// `None` where there is nothing in it, or a figure of the input that is none; another that is none is left out.
/// `figures` says which.
pub(super) fn tokens(info: &Json<'_>, figures: &mut Figures) -> Option<Tokens> {
    for (name, held) in [("info", Some(info)), ("last_token_usage", info.some("last_token_usage"))] {
        if held.is_some_and(|held| !held.is_object()) {
            figures.faults.push(format!("{name} of a token_count is no object: nothing is known of the request"));
        }
    }
    let last = info.some("last_token_usage")?;
    let sums = info.some("total_token_usage").map_or(0, |sums| hash(sums.raw, Coding::Plain));
    let window = info.figure(&["model_context_window"], figures).filter(|window| *window > 0);
    let usage = usage(last, figures)?;
    let total = figures.together(|figures| last.figure(&["total_tokens"], figures).unwrap_or(0));
    let all = |usage: &Usage| usage.context().saturating_add(usage.output.unwrap_or(0));
    Some(Tokens { usage, total: total.or(usage.as_ref().map(all))?, sums, window })
}

/// Cached tokens are a part of the input here, reasoning a part of the output.
///
/// `None` where a figure of the input is none, `Some(None)` where there was no input.
fn usage(last: &Json<'_>, figures: &mut Figures) -> Option<Option<Usage>> {
    let (output, reasoning) =
        (last.figure(&["output_tokens"], figures), last.figure(&["reasoning_output_tokens"], figures));
    let within = figures.together(|figures| {
        let mut of = |name: &str| last.figure(&[name], figures);
        let input = of("input_tokens").filter(|input| *input > 0);
        let (cache_read, cache_write) = (of("cached_input_tokens"), of("cache_write_input_tokens"));
        Some(Usage::within(input?, cache_read.unwrap_or(0), cache_write.unwrap_or(0)))
    })?;
    Some(within.map(|within| Usage { output, reasoning, ..within }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transcript::json::parse;

    #[test]
    fn cached_tokens_are_a_part_of_the_input() {
        let text = br#"{"last_token_usage": {"input_tokens": 100, "cached_input_tokens": 60, "output_tokens": 9,
            "reasoning_output_tokens": 4, "total_tokens": 109}, "model_context_window": 258400}"#;
        let (value, _) = parse(text);
        let tokens = tokens(&value, &mut Figures::default());
        let usage = tokens.and_then(|tokens| tokens.usage).unwrap_or_default();
        assert_eq!((usage.input, usage.cache_read, usage.context()), (40, 60, 100));
        assert_eq!(tokens.map(|tokens| (tokens.total, tokens.window)), Some((109, Some(258_400))));
    }
}
