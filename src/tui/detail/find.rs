//! Where a text stands in another, whatever the case.

use std::ops::Range;

use memchr::memchr2_iter;

/// Every place of `needle` in `text`, not overlapping. ASCII letters match in either case.
pub fn find<'a>(text: &'a str, needle: &'a str) -> impl Iterator<Item = Range<usize>> + 'a {
    let first = needle.as_bytes().first().copied().unwrap_or(0);
    let size = needle.len();
    let mut free = 0;
    memchr2_iter(first.to_ascii_lowercase(), first.to_ascii_uppercase(), text.as_bytes()).filter_map(move |at| {
        let end = at.checked_add(size)?;
        let same = size > 0 && at >= free && text.as_bytes().get(at..end)?.eq_ignore_ascii_case(needle.as_bytes());
        if !same {
            return None;
        }
        free = end;
        Some(at..end)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_found_in_either_case() {
        let places = |text: &str, needle: &str| find(text, needle).collect::<Vec<_>>();
        assert_eq!(places("Abc abC", "aBc"), [0..3, 4..7]);
        assert_eq!(places("aaaa", "aa"), [0..2, 2..4]);
        assert_eq!(places("größer GRÖßER", "öß").first(), Some(&(2..6)));
        assert!(places("x", "").is_empty());
        assert!(places("", "x").is_empty());
        assert!(places("ab", "abc").is_empty());
    }
}
