//! `token_count` records: what a request used, in the agent's own sums.

use crate::content::hash;
use crate::model::{Coding, Usage};
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
pub(super) fn tokens(info: &Json<'_>) -> Option<Tokens> {
    let last = info.some("last_token_usage")?;
    let sums = info.some("total_token_usage").map_or(0, |sums| hash(sums.raw, Coding::Plain));
    Some(Tokens {
        usage: usage(last),
        total: last.count_of("total_tokens").unwrap_or(0),
        sums,
        window: info.count_of("model_context_window").filter(|window| *window > 0),
    })
}

/// Cached tokens are a part of the input here, reasoning a part of the output.
fn usage(last: &Json<'_>) -> Option<Usage> {
    let input = last.count_of("input_tokens").filter(|input| *input > 0)?;
    let cache_read = last.count_of("cached_input_tokens").unwrap_or(0).min(input);
    let cache_write = last.count_of("cache_write_input_tokens").unwrap_or(0).min(input - cache_read);
    Some(Usage {
        input: input - cache_read - cache_write,
        cache_read,
        cache_write,
        output: last.count_of("output_tokens"),
        reasoning: last.count_of("reasoning_output_tokens"),
        sent: None,
    })
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
        let tokens = tokens(&value);
        let usage = tokens.and_then(|tokens| tokens.usage).unwrap_or_default();
        assert_eq!((usage.input, usage.cache_read, usage.context()), (40, 60, 100));
        assert_eq!(tokens.map(|tokens| (tokens.total, tokens.window)), Some((109, Some(258_400))));
    }
}
