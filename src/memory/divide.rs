//! Cutting a text into chunks that overlap, at paragraphs, sentences or words where there are any (source 2: chunkSize,
//! chunkOverlap).

use crate::chunk::is_cjk;

/// The byte ranges of a text's chunks: at most `size` characters each, the next beginning `overlap` characters before
/// the last one's end; one that is not smaller than the chunk is half of it. Together they cover the text; blanks
/// around a chunk are left out, and what of a word it would begin with: the chunk before has that word.
#[must_use]
pub fn divide(text: &str, size: u64, overlap: u64) -> Vec<(usize, usize)> {
    let size = usize::try_from(size).unwrap_or(usize::MAX).max(1);
    let overlap = usize::try_from(overlap).unwrap_or(usize::MAX);
    let overlap = if overlap < size { overlap } else { size / 2 };
    // Where each character begins, and the end.
    let places: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
    let last = places.len() - 1;
    let at = |place: usize| places.get(place).copied().unwrap_or(text.len());
    let (mut found, mut start) = (Vec::new(), 0);
    while start < last {
        let mut end = (start + size).min(last);
        if end < last {
            // Past the overlap, so that the next begins later.
            end = break_before(text, &places, start + overlap.max(size / 2), end);
        }
        let whole = found.last().map_or(at(start), |last: &(usize, usize)| word_from(text, at(start), last.1));
        if let Some((from, to)) = trimmed(text, whole, at(end)) {
            found.push((from, to));
        }
        if end == last {
            break;
        }
        start = (end - overlap.min(end)).max(start + 1);
    }
    found
}

/// Where the first whole word begins, where a chunk begins within one: what is left out of it stands in the chunk before,
/// which ends there or later. Otherwise, and where no word begins that early, the chunk's own beginning.
fn word_from(text: &str, from: usize, known: usize) -> usize {
    let is_word = |sign: char| sign == '_' || sign.is_alphanumeric() && !is_cjk(sign);
    let before = text.get(..from).and_then(|text| text.chars().next_back());
    let shared = text.get(from..known).unwrap_or_default();
    if !before.is_some_and(is_word) || !shared.starts_with(is_word) {
        return from;
    }
    // The chunk before was trimmed: where it ends, a blank follows.
    let blank = shared.find(char::is_whitespace).map(|at| from + at);
    let ends = || Some(known).filter(|at| text.get(*at..).is_some_and(|rest| rest.starts_with(char::is_whitespace)));
    blank.or_else(ends).unwrap_or(from)
}

/// The last good place to end a chunk: after a paragraph, a line, a sentence or a word, within its second half.
fn break_before(text: &str, places: &[usize], low: usize, high: usize) -> usize {
    let bytes = text.as_bytes();
    let before = |place: usize, back: usize| places.get(place)?.checked_sub(back).and_then(|at| bytes.get(at)).copied();
    let tests: [&dyn Fn(usize) -> bool; 4] = [
        &|place| before(place, 1) == Some(b'\n') && before(place, 2) == Some(b'\n'),
        &|place| before(place, 1) == Some(b'\n'),
        &|place| before(place, 1) == Some(b' ') && matches!(before(place, 2), Some(b'.' | b'!' | b'?')),
        &|place| before(place, 1) == Some(b' '),
    ];
    tests.iter().find_map(|test| (low + 1..=high).rev().find(|place| test(*place))).unwrap_or(high)
}

/// A range without the blanks around it; `None` where there is nothing else.
pub(super) fn trimmed(text: &str, from: usize, to: usize) -> Option<(usize, usize)> {
    let part = text.get(from..to)?;
    let start = from + (part.len() - part.trim_start().len());
    let words = part.trim();
    (!words.is_empty()).then(|| (start, start + words.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str, size: u64, overlap: u64) -> Vec<&str> {
        divide(text, size, overlap).into_iter().map(|(from, to)| &text[from..to]).collect()
    }

    #[test]
    fn what_fits_is_one_chunk() {
        assert_eq!(of("  ten chars ", 50, 10), ["ten chars"]);
        assert!(of(" \n ", 50, 10).is_empty());
    }

    #[test]
    fn chunks_overlap_by_so_many_characters() {
        // No blank: cut after 10; each next begins 4 before the last end.
        assert_eq!(of("abcdefghijklmnopqrst", 10, 4), ["abcdefghij", "ghijklmnop", "mnopqrst"]);
        assert_eq!(of("abcdefghijklmnopqrst", 10, 0), ["abcdefghij", "klmnopqrst"]);
        assert_eq!(of("abcdefghijkl", 6, 4), ["abcdef", "cdefgh", "efghij", "ghijkl"]);
        // An overlap as large as a chunk is half of it.
        assert_eq!(of("abcdefghijkl", 6, 6), ["abcdef", "defghi", "ghijkl"]);
        // Ends are at words where that leaves the overlap as it is set.
        assert_eq!(of("aa bb cc dd ee ff", 9, 6), ["aa bb cc", "bb cc dd", "cc dd ee", "dd ee ff"]);
    }

    #[test]
    fn chunks_begin_with_whole_words() {
        // The second begins at place 7, within "beta", the third at 13, within "gamma".
        assert_eq!(of("alpha beta gamma delta", 12, 4), ["alpha beta", "gamma", "delta"]);
        assert_eq!(of("alpha beta gamma delta epsilon", 17, 8), ["alpha beta gamma", "gamma delta", "delta epsilon"]);
        // Signs that are words of their own, and what is longer than the overlap, stay.
        assert_eq!(of("设定端口 设定端口", 6, 2), ["设定端口", "口 设定端口"]);
        assert_eq!(of("aa bbbbbbbbbbbbbb", 8, 3), ["aa bbbbb", "bbbbbbbb", "bbbbbbb"]);
    }

    #[test]
    fn chunks_end_at_paragraphs_then_sentences_then_words() {
        assert_eq!(of("one two\n\nthree four five", 12, 0), ["one two", "three four", "five"]);
        assert_eq!(of("It is so. It was then.", 14, 0), ["It is so.", "It was then."]);
        assert_eq!(of("éé éé éé éé", 6, 0), ["éé éé", "éé éé"]);
    }
}
