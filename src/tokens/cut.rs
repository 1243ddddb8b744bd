//! Cuts at token boundaries.

use std::ops::ControlFlow;

use super::encoding::{CHARS_PER_TOKEN, each_token_end};
use super::{Encoding, count};

/// Where the longest beginning of at most `tokens` tokens ends, in bytes: at the end of a token of the text that is
/// also the end of a character. The beginning, counted on its own, has at most `tokens` tokens.
#[must_use]
pub fn cut_head(text: &str, encoding: Encoding, tokens: u64) -> usize {
    if !encoding.is_exact() {
        let chars = usize::try_from(tokens.saturating_mul(CHARS_PER_TOKEN)).unwrap_or(usize::MAX);
        return text.char_indices().nth(chars).map_or(text.len(), |(at, _)| at);
    }
    let mut ends = vec![0];
    let mut seen = 0;
    let mut whole = true;
    each_token_end(text, encoding, |end| {
        seen += 1;
        if seen > tokens {
            whole = false;
            return ControlFlow::Break(());
        }
        if text.is_char_boundary(end) {
            ends.push(end);
        }
        ControlFlow::Continue(())
    });
    if whole {
        return text.len();
    }
    // Cut off from what followed, the last piece may split in another way and cost a token more.
    while let Some(end) = ends.pop() {
        if count(&text[..end], encoding) <= tokens {
            return end;
        }
    }
    0
}
