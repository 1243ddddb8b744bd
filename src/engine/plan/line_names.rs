//! Which file a line of an output is of: of lines that begin with its path, and of those below its heading.

use std::sync::LazyLock;

use regex::Regex;

use super::arguments::Arguments;
use super::paths::{from_folder, leads_to};

/// How an output names the files whose lines it shows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Naming {
    /// By a heading above the lines of each, and not before each line.
    pub heads: bool,
    /// The folder that paths are relative to.
    pub folder: String,
    /// The files and folders that were asked for, or patterns of those; any where there are none.
    pub roots: Vec<String>,
}

/// Arguments that say what a search looks for, and in which form it tells that.
const SOUGHT: &[&str] = &["pattern", "regex", "query"];
const FORMS: &[&str] = &["outputmode"];

impl Naming {
    /// The file that an output shows at a byte.
    #[must_use]
    pub fn file_at(&self, text: &str, at: usize) -> Option<String> {
        let before = text.get(..at)?;
        let path = if self.heads { heading(before)? } else { at_line(text, before)? };
        let path = from_folder(&self.folder, path);
        let is_below = |root: &String| leads_to(&from_folder(&self.folder, root), &path, true);
        (self.roots.is_empty() || self.roots.iter().any(is_below)).then_some(path)
    }
}

/// The path in the last heading of a text, as `head` and `tail` write those.
fn heading(before: &str) -> Option<&str> {
    let at = before.rmatch_indices("==> ").map(|(at, _)| at).find(|at| *at == 0 || before[..*at].ends_with('\n'))?;
    let line = before.get(at..)?.lines().next()?;
    line.strip_prefix("==> ")?.strip_suffix(" <==")
}

/// The path with which a line begins, of which a text is the beginning up to some byte behind that: `path:12:text`, with
/// hyphens of a line beside.
fn at_line<'t>(text: &'t str, before: &str) -> Option<&'t str> {
    static PATH: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"^(?:([^:\n]+?):\d+:|([^:\n]+?)-\d+-|([^:\n]+):)").ok());
    let start = before.rfind('\n').map_or(0, |at| at + 1);
    let found = PATH.as_ref()?.captures(text.get(start..)?)?;
    if start + found.get(0)?.end() > before.len() {
        return None;
    }
    let path = (1..=3).find_map(|at| found.get(at))?.as_str();
    (path.contains(['/', '.']) && path.trim() == path).then_some(path)
}

/// How a tool that searches files names those of its lines, where its arguments tell that.
pub(super) fn of_search(tool: &str, text: &str) -> Option<Naming> {
    let arguments = Arguments::of(text).filter(|_| tool.to_ascii_lowercase().contains("grep"))?;
    arguments.text(SOUGHT.iter())?;
    let form = arguments.text(FORMS.iter());
    let roots = arguments.path().into_iter().collect();
    form.is_none_or(|form| form == "content").then(|| Naming { roots, ..Naming::default() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(naming: &Naming, text: &str) -> Option<String> {
        naming.file_at(text, text.find("KEY").unwrap())
    }

    #[test]
    fn a_line_names_its_file_before_its_text() {
        let any = Naming { folder: "/w".to_owned(), ..Naming::default() };
        for (line, path) in [
            ("d/f.md:12:the KEY", Some("/w/d/f.md")),
            ("./d/f.md:the KEY", Some("/w/d/f.md")),
            ("/w/d/f.md:12:5:KEY", Some("/w/d/f.md")),
            ("d/f.md-11-let a: KEY", Some("/w/d/f.md")),
            ("d/a-1-b.md:12:KEY", Some("/w/d/a-1-b.md")),
            ("x\n--\nd/f.md:12:KEY\nd/g.md:13:x", Some("/w/d/f.md")),
            ("12:the KEY", None),
            ("note: the KEY", None),
            ("d/KEY.md:12:x", None),
            ("the KEY", None),
        ] {
            assert_eq!(at(&any, line).as_deref(), path, "{line}");
        }
        let below = |root: &str| Naming { roots: vec![root.to_owned()], ..any.clone() };
        for root in ["d", "./d/", "/w/d", ".", "d/f.md", "d/*.md"] {
            assert_eq!(at(&below(root), "d/f.md:12:KEY").as_deref(), Some("/w/d/f.md"), "{root}");
        }
        for root in ["e", "d/f", "f.md", "*.md"] {
            assert_eq!(at(&below(root), "d/f.md:12:KEY"), None, "{root}");
        }
    }

    #[test]
    fn lines_below_a_heading_are_of_its_file() {
        let heads = Naming { heads: true, roots: vec!["a".to_owned(), "d/f".to_owned()], ..Naming::default() };
        assert_eq!(at(&heads, "==> a <==\nx\n\n==> d/f <==\nthe KEY\n").as_deref(), Some("d/f"));
        assert_eq!(at(&heads, "==> a <==\nx ==> d/f <==\nthe KEY\n\n==> d/f <==\n").as_deref(), Some("a"));
        assert_eq!(at(&heads, "the KEY"), None);
        assert_eq!(at(&heads, "==> x <==\nthe KEY"), None);
    }

    #[test]
    fn a_tool_that_searches_names_files_where_it_shows_lines() {
        let of = |tool: &str, text: &str| of_search(tool, text).map(|naming| naming.roots.join(" "));
        assert_eq!(of("Grep", r#"{"pattern": "a", "path": "src"}"#).as_deref(), Some("src"));
        assert_eq!(of("Grep", r#"{"pattern": "a", "output_mode": "content"}"#).as_deref(), Some(""));
        assert_eq!(of("Grep", r#"{"pattern": "a", "output_mode": "count"}"#), None);
        assert_eq!(of("WebSearch", r#"{"query": "a"}"#), None);
    }
}
