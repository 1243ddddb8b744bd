//! Text that somebody typed, as Markdown that says the same: no line of it becomes a heading, and none begins code, which
//! would hide the headings behind it.

/// A text as it is typed, to stand behind what is written already: with a backslash before each line that would be a
/// heading, would make one of the line above it, or would begin code.
#[must_use]
pub fn typed(written: &str, text: &str) -> String {
    let blanks = [' ', '\t'];
    let before = written.trim_end_matches(blanks);
    let mut is_start = before.is_empty() || before.ends_with('\n');
    let above = before.strip_suffix('\n').unwrap_or(before).trim_end_matches(blanks);
    let mut is_below = !above.is_empty() && !above.ends_with('\n');
    let mut typed = String::with_capacity(text.len() + 1);
    for line in text.split_inclusive('\n') {
        let words = line.trim();
        let starts = std::mem::replace(&mut is_start, true);
        if starts && (is_markup(words) || is_below && is_underline(words)) {
            let (space, rest) = line.split_at(line.len() - line.trim_start().len());
            typed.extend([space, "\\", rest]);
        } else {
            typed.push_str(line);
        }
        is_below = !words.is_empty() || !starts && is_below;
    }
    typed
}

/// Whether a line is a heading, or the beginning of code.
fn is_markup(line: &str) -> bool {
    let after = line.trim_start_matches('#');
    let is_heading =
        (1..=6).contains(&(line.len() - after.len())) && (after.is_empty() || after.starts_with([' ', '\t']));
    is_heading || line.starts_with("```") || line.starts_with("~~~")
}

/// Whether a line makes a heading of the one above it.
fn is_underline(line: &str) -> bool {
    let is_of = |sign| !line.is_empty() && line.chars().all(|one| one == sign);
    is_of('=') || is_of('-')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_somebody_typed_is_no_heading() {
        assert_eq!(typed("", "# 1 priority\n#tag\nTotal\n===\n* # x"), "\\# 1 priority\n#tag\nTotal\n\\===\n* # x");
        assert_eq!(typed("", "---\n\n==="), "---\n\n===");
        assert_eq!(typed("", "```rust\nx\n~~~"), "\\```rust\nx\n\\~~~");
        assert_eq!(typed("", "Total\n  --\n   ## x\n"), "Total\n  \\--\n   \\## x\n");
    }

    #[test]
    fn what_is_written_already_tells_what_a_line_becomes() {
        for (written, text, shown) in [
            ("Total\n", "===", "\\==="),
            ("\n\n", "===", "==="),
            ("Total\n\n  ", "---", "---"),
            ("Total\n  ", "---", "\\---"),
            ("item ", "# 4", "# 4"),
            ("item ", "# 4\n# 5\n--", "# 4\n\\# 5\n\\--"),
            ("one\ntwo", "\n--", "\n\\--"),
        ] {
            assert_eq!(typed(written, text), shown, "{written:?} {text:?}");
        }
    }
}
