//! Cuts at token boundaries.

use std::collections::VecDeque;
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

/// Where the longest end of at most `tokens` tokens begins, in bytes: at the beginning of a token of the text that is
/// also the beginning of a character. The end, counted on its own, has at most `tokens` tokens.
#[must_use]
pub fn cut_tail(text: &str, encoding: Encoding, tokens: u64) -> usize {
    if !encoding.is_exact() {
        let chars = usize::try_from(tokens.saturating_mul(CHARS_PER_TOKEN)).unwrap_or(usize::MAX);
        return match chars.checked_sub(1) {
            Some(last) => text.char_indices().nth_back(last).map_or(0, |(at, _)| at),
            None => text.len(),
        };
    }
    let keep = usize::try_from(tokens).unwrap_or(usize::MAX);
    // The beginnings of the last `tokens` tokens, and the text's end.
    let mut starts = VecDeque::from([0]);
    each_token_end(text, encoding, |end| {
        starts.push_back(end);
        if starts.len() > keep.saturating_add(1) {
            starts.pop_front();
        }
        ControlFlow::Continue(())
    });
    while let Some(start) = starts.pop_front() {
        if text.is_char_boundary(start) && count(&text[start..], encoding) <= tokens {
            return start;
        }
    }
    text.len()
}
