//! What is said of a Markdown text before it begins.

/// Lines that may be said of a document before it begins.
pub const FRONT_LINES: usize = 1_000;

/// Where the text begins behind what is said of it in YAML or TOML, between two lines of three signs: the second would
/// make a heading of it.
#[must_use]
pub fn front_matter(text: &str) -> usize {
    let mark = text.trim_start_matches('\u{FEFF}').lines().next().map_or("", str::trim_end);
    if !matches!(mark, "---" | "+++") {
        return 0;
    }
    let mut at = 0;
    for (number, line) in text.split_inclusive('\n').enumerate().take(FRONT_LINES) {
        at += line.len();
        let line = line.trim_end();
        let is_said = line.is_empty()
            || line.starts_with(['#', ' ', '\t', '-', ']', '}', '['])
            || line.split_once([':', '=']).is_some_and(|(name, _)| !name.trim().contains(". "));
        match number {
            0 => {}
            1 if line.is_empty() => return 0,
            _ if line == mark || (mark == "---" && line == "...") => return at,
            _ if !is_said => return 0,
            _ => {}
        }
    }
    0
}
