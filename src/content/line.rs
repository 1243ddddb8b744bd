//! A text on one line.

/// A text on one line: its words, with one blank between them.
#[must_use]
pub fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_space_is_drawn_together() {
        assert_eq!(one_line("\n one\r\n\ttwo  three\u{a0} "), "one two three");
        assert_eq!(one_line(" \n"), "");
    }
}
