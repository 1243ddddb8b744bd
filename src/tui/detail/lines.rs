//! A long text as lines that can be reached at once, however many there are and however long they get.

use std::ops::Range;
use std::sync::Arc;

use memchr::memchr_iter;

use super::content::LINE_MAX;

/// A text and the beginnings of its lines.
#[derive(Clone, Debug)]
pub struct Lines {
    text: Arc<str>,
    starts: Vec<u32>,
}

impl Lines {
    /// Finds the lines of a text that is harmless already; beyond 4 GiB nothing is shown.
    #[must_use]
    pub fn new(text: impl Into<Arc<str>>) -> Lines {
        let text = text.into();
        let mut starts = Vec::new();
        let mut start = 0;
        let ends = memchr_iter(b'\n', text.as_bytes()).chain(std::iter::once(text.len()));
        for end in ends {
            if start == end && end == text.len() && end > 0 {
                break;
            }
            push(&text, start, end, &mut starts);
            start = end + 1;
        }
        Lines { text, starts }
    }

    /// How many there are; at least one.
    #[must_use]
    pub fn count(&self) -> usize {
        self.starts.len()
    }

    /// The text.
    #[must_use]
    pub fn text(&self) -> &Arc<str> {
        &self.text
    }

    /// Where a line stands in the text, without its line break.
    #[must_use]
    pub fn range(&self, line: usize) -> Range<usize> {
        let Some(start) = self.starts.get(line).map(|start| *start as usize) else { return 0..0 };
        let next = self.starts.get(line + 1).map_or(self.text.len(), |next| *next as usize);
        let whole = self.text.get(start..next).unwrap_or_default();
        start..start + whole.strip_suffix('\n').unwrap_or(whole).len()
    }

    /// A line, without its line break.
    #[must_use]
    pub fn get(&self, line: usize) -> &str {
        self.text.get(self.range(line)).unwrap_or_default()
    }

    /// Whether a line goes on with the one before.
    #[must_use]
    pub fn continues(&self, line: usize) -> bool {
        let start = self.starts.get(line).map_or(0, |start| *start as usize);
        start > 0 && self.text.as_bytes().get(start - 1) != Some(&b'\n')
    }

    /// The line that holds a byte of the text.
    #[must_use]
    pub fn at(&self, byte: usize) -> usize {
        self.starts.partition_point(|start| *start as usize <= byte).saturating_sub(1)
    }
}

fn push(text: &str, mut start: usize, end: usize, starts: &mut Vec<u32>) {
    loop {
        let Ok(at) = u32::try_from(start) else { return };
        starts.push(at);
        if end - start <= LINE_MAX {
            return;
        }
        start = text.floor_char_boundary(start + LINE_MAX);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_found_and_long_ones_divided() {
        for (text, expected) in [
            ("", vec![""]),
            ("a", vec!["a"]),
            ("a\n", vec!["a"]),
            ("a\n\nb", vec!["a", "", "b"]),
            ("\n", vec![""]),
            ("\n\n", vec!["", ""]),
        ] {
            let lines = Lines::new(text);
            assert_eq!((0..lines.count()).map(|line| lines.get(line)).collect::<Vec<_>>(), expected, "{text:?}");
        }
        let long = Lines::new(format!("x\n{}\ny", "ä".repeat(5000)));
        assert_eq!(long.count(), 5);
        assert_eq!([1, 2, 3, 4].map(|line| long.continues(line)), [false, true, true, false]);
        assert_eq!((1..4).map(|line| long.get(line)).collect::<String>(), "ä".repeat(5000));
        assert_eq!((long.at(0), long.at(2), long.at(2 + 5000), long.get(99)), (0, 1, 2, ""));
    }
}
