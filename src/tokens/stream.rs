//! Counting what is too large to hold: piece by piece, cut only where no token can span the cut.

use std::io::{self, Read};

use super::encoding::CHARS_PER_TOKEN;
use super::{Encoding, count};

/// Bytes that are read before a cut is looked for.
const PIECE: usize = 4 << 20;
/// Text without any place for a cut is cut anyway once it is this long.
const WHOLE_MAX: usize = 256 << 20;

/// What was counted of a stream.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Streamed {
    /// Tokens.
    pub tokens: u64,
    /// Characters.
    pub chars: u64,
    /// Bytes.
    pub bytes: u64,
    /// Line breaks.
    pub lines: u64,
    /// Whether a piece had to be cut where a token may have been, so that `tokens` may be off by one there.
    pub cut: bool,
}

/// Counts a stream. What is no UTF-8 counts as U+FFFD.
///
/// # Errors
/// What the stream reports.
pub fn count_stream(stream: impl Read, encoding: Encoding) -> io::Result<Streamed> {
    count_pieces(stream, encoding, PIECE, WHOLE_MAX)
}

fn count_pieces(mut stream: impl Read, encoding: Encoding, size: usize, max: usize) -> io::Result<Streamed> {
    let mut sum = Streamed::default();
    let mut held: Vec<u8> = Vec::new();
    let mut want = size;
    loop {
        let before = held.len();
        stream.by_ref().take(want as u64).read_to_end(&mut held)?;
        if held.len() < before + want {
            take(&held, encoding, &mut sum);
            break;
        }
        let end = match safe_cut(&held) {
            Some(end) => end,
            None if held.len() < max => {
                want = held.len();
                continue;
            }
            None => {
                sum.cut = true;
                whole_chars(&held)
            }
        };
        take(held.get(..end).unwrap_or_default(), encoding, &mut sum);
        held.drain(..end);
        want = size;
    }
    if !encoding.is_exact() {
        sum.tokens = sum.chars.div_ceil(CHARS_PER_TOKEN);
    }
    Ok(sum)
}

fn take(bytes: &[u8], encoding: Encoding, sum: &mut Streamed) {
    let text = String::from_utf8_lossy(bytes);
    if encoding.is_exact() {
        sum.tokens += count(&text, encoding);
    }
    sum.chars += text.chars().count() as u64;
    sum.bytes += bytes.len() as u64;
    sum.lines += memchr::memchr_iter(b'\n', bytes).count() as u64;
}

/// The last place where every encoding ends a piece: after a line break that stands between a sign that is no white
/// space and a letter or digit. No pattern takes a letter or digit into a piece with a line break before it, and a
/// single line break is a piece of its own, or the end of one, whatever follows.
fn safe_cut(bytes: &[u8]) -> Option<usize> {
    memchr::memrchr_iter(b'\n', bytes).find_map(|at| {
        let before = at.checked_sub(1).and_then(|before| bytes.get(before))?;
        let after = bytes.get(at + 1)?;
        (before.is_ascii_graphic() && after.is_ascii_alphanumeric()).then_some(at + 1)
    })
}

/// The end of the last whole character.
fn whole_chars(bytes: &[u8]) -> usize {
    let tail = bytes.len().saturating_sub(3);
    let start = (tail..bytes.len()).rev().find(|at| bytes.get(*at).is_some_and(|byte| *byte >= 0xC0));
    match start {
        Some(start) if std::str::from_utf8(bytes.get(start..).unwrap_or_default()).is_err() && start > 0 => start,
        _ => bytes.len(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(512))]
        #[test]
        fn pieces_add_up_to_the_whole(
            text in "([a-zA-Z0-9'/;}{ .,é日\u{301}\u{a0}\t\r]{0,6}\n{0,2}){0,40}",
            size in 1usize..40,
        ) {
            for encoding in Encoding::ALL {
                let counted = count_pieces(text.as_bytes(), *encoding, size, usize::MAX).unwrap();
                prop_assert_eq!(counted.tokens, count(&text, *encoding), "{:?}", encoding);
                prop_assert_eq!(counted.chars, text.chars().count() as u64);
                prop_assert_eq!(counted.bytes, text.len() as u64);
                prop_assert!(!counted.cut);
            }
        }
    }

    #[test]
    fn a_text_without_a_place_to_cut_is_cut_at_a_character() {
        let text = "é".repeat(1000);
        let counted = count_pieces(text.as_bytes(), Encoding::O200kBase, 7, 64).unwrap();
        assert!(counted.cut);
        assert_eq!(counted.chars, 1000);
    }

    #[test]
    fn what_is_no_utf8_is_counted_all_the_same() {
        let counted = count_pieces(&b"a\xff\xfe\nb"[..], Encoding::O200kBase, 1, 2).unwrap();
        assert_eq!((counted.bytes, counted.lines), (5, 1));
    }
}
