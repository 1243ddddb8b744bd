//! Numbers that say where in a file something stands: behind the file's name as tools that search files print them, in the
//! head of a hunk of a diff, in a range for `sed`, behind the word for a line.

use super::distinctive::FILES;
use super::lines::file;

/// Words that a line's number stands behind.
const LINE: &[&str] = &["line", "lines", "lineno", "line_number", "linenumber"];
/// What may stand between such a word and the number.
const BETWEEN: &[char] = &[' ', ':', '=', '"', '\'', '\\', '-', '+', '#', '~', '(', '['];

/// The file's name before the number of a line, as tools that search files print both, and where the number ends with the
/// sign behind it. `None` where the name is none of a file: `db.example.com:5432: refused`.
pub(super) fn found_in(line: &str) -> Option<(&str, usize)> {
    let path = Some(file(line)).filter(|path| names_file(path))?;
    let rest = line.get(path.len() + 1..)?;
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    Some((path, path.len() + digits + 2))
}

/// Whether a text ends with the name of a file.
fn names_file(text: &str) -> bool {
    let name = text.rsplit(|sign: char| !(sign.is_alphanumeric() || matches!(sign, '.' | '_' | '-'))).next();
    let ending = name.and_then(|name| name.rsplit_once('.')).filter(|(name, _)| !name.is_empty());
    let known = |ending: &str| matches!(ending, "c" | "h") || FILES.binary_search(&ending).is_ok();
    !text.contains("://") && ending.is_some_and(|(_, ending)| known(&ending.to_ascii_lowercase()))
}

/// Whether digits of a line, from one place to another, say where in a file something stands.
pub(super) fn is_place(line: &str, (from, to): (usize, usize)) -> bool {
    let (Some(before), Some(behind)) = (line.get(..from), line.get(to..)) else { return false };
    if before.strip_suffix(':').is_some_and(|before| names_file(column(before))) {
        return true;
    }
    // The head of a hunk.
    if line.trim_start().starts_with("@@ -") && before.ends_with(['-', '+', ',']) {
        return true;
    }
    // `sed -n '120,180p'`: its end is one word with the letter.
    let end = behind.strip_prefix(',').map(|rest| rest.trim_start_matches(|sign: char| sign.is_ascii_digit()));
    let is_range = |rest: &str| {
        rest.starts_with('p')
            && !rest.get(1..).is_some_and(|rest| rest.starts_with(|sign: char| sign.is_alphanumeric()))
    };
    if end.is_some_and(is_range) {
        return true;
    }
    // "lines 120-180": the second stands behind the first.
    let before = before.trim_end_matches(|sign: char| BETWEEN.contains(&sign));
    let first = before.trim_end_matches(|sign: char| sign.is_ascii_digit());
    let before =
        if first.len() < before.len() { first.trim_end_matches(|sign: char| BETWEEN.contains(&sign)) } else { before };
    let word = before.rsplit(|sign: char| !(sign.is_ascii_alphabetic() || sign == '_')).next().unwrap_or_default();
    let lower = word.to_ascii_lowercase();
    LINE.contains(&lower.as_str())
        || ["_line", "_lines"].iter().any(|end| lower.ends_with(end))
        || ["Line", "Lines"].iter().any(|end| word.ends_with(end))
}

/// A text without the number of a line at its end, behind which that of a column stands.
fn column(text: &str) -> &str {
    let bare = text.trim_end_matches(|sign: char| sign.is_ascii_digit());
    if bare.len() < text.len() { bare.strip_suffix(':').unwrap_or(text) } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(line: &str, digits: &str) -> bool {
        let from = line.find(digits).unwrap();
        is_place(line, (from, from + digits.len()))
    }

    #[test]
    fn what_says_where_in_a_file_something_stands_is_no_number_of_a_session() {
        for (line, digits) in [
            ("cmd/explain.go:1119 by @someone", "1119"),
            ("src/a.rs:1280:12: error", "1280"),
            ("src/a.rs:12:1280: error", "1280"),
            ("@@ -1021,3 +1040,3 @@", "1021"),
            ("@@ -1021,3 +1040,3 @@", "1040"),
            ("sed -n '2670,2770p' src/a.rs", "2670"),
            ("see lines 1200-1280 of it", "1280"),
            ("see line 1200", "1200"),
            (r#"{\"line\":1243,"#, "1243"),
            (r#""startLine": 1243"#, "1243"),
        ] {
            assert!(place(line, digits), "{line}");
        }
        for (line, digits) in [
            ("db.example.com:5432: refused", "5432"),
            ("the deadline: 1400", "1400"),
            ("port 8443 of lines", "8443"),
            ("http://host.py:8443/", "8443"),
            ("a gateway at 5432", "5432"),
        ] {
            assert!(!place(line, digits), "{line}");
        }
        assert_eq!(found_in("src/a.rs:1280: let x"), Some(("src/a.rs", 14)));
        assert_eq!(found_in("src/a.rs-1280-let x"), Some(("src/a.rs", 14)));
        assert_eq!(found_in("db.example.com:5432: refused"), None);
    }
}
