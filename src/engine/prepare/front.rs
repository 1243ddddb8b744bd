//! Front matter: what a Markdown file says of itself between two lines of dashes at its beginning.

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use granit_parser::{Event, Options, Parser};

/// Longer texts between the two lines of dashes are no front matter.
const FRONT_MAX: usize = 64 << 10;
/// Fields under which a rule names the paths that it is for, as agents have them.
const PATHS: &[&str] = &["paths", "globs", "applyTo"];
/// Patterns of one file.
const PATTERNS: usize = 200;
/// Bytes of a pattern.
const PATTERN_MAX: usize = 1_000;

/// The front matter of a text, and the byte at which its body begins; `None` where it has none, or one without an end.
fn parts(text: &str) -> Option<(&str, usize)> {
    let rest = opened(text)?;
    let mut at = 0;
    for line in rest.split_inclusive('\n') {
        if matches!(line.trim_end(), "---" | "...") {
            let front = rest.get(..at).filter(|front| front.len() <= FRONT_MAX)?;
            return Some((front, text.len() - rest.len() + at + line.len()));
        }
        at += line.len();
    }
    None
}

/// What comes after a first line of dashes.
fn opened(text: &str) -> Option<&str> {
    let text = text.trim_start_matches('\u{feff}');
    text.strip_prefix("---").and_then(|rest| rest.trim_start_matches([' ', '\t', '\r']).strip_prefix('\n'))
}

/// Whether a text begins a front matter that has no end, or too late a one: nothing of it is read then.
#[must_use]
pub fn is_unclosed(text: &str) -> bool {
    opened(text).is_some() && parts(text).is_none()
}

/// What the front matter of a text says on its first level: `name`, `description` and other plain values.
#[must_use]
pub fn front_matter(text: &str) -> Vec<(String, String)> {
    let Some((front, _)) = parts(text) else { return Vec::new() };
    let values = values(front).unwrap_or_else(|| plain_lines(front));
    values.into_iter().filter(|(_, _, deep)| !deep).map(|(name, value, _)| (name, value)).collect()
}

/// Where the body of an instruction file begins, and the patterns of the paths that it is for; none where it is for
/// all.
#[must_use]
pub fn rule(text: &str) -> (usize, Vec<String>) {
    let Some((front, body)) = parts(text) else { return (0, Vec::new()) };
    let values = values(front).unwrap_or_else(|| plain_lines(front));
    let always = values.iter().any(|(name, value, _)| name == "alwaysApply" && value == "true");
    let named = values.iter().filter(|(name, ..)| !always && PATHS.contains(&name.as_str()));
    let patterns = named.flat_map(|(_, value, _)| apart(value));
    (body, patterns.take(PATTERNS).collect())
}

/// The patterns of a list in one line: commas within braces belong to a pattern.
fn apart(list: &str) -> Vec<String> {
    let mut depth = 0u32;
    let pieces = list.trim_matches(['[', ']']).split(|sign| {
        match sign {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        sign == ',' && depth == 0
    });
    let pieces = pieces.map(|piece| piece.trim().trim_matches(['"', '\'']).trim());
    pieces.filter(|piece| !piece.is_empty()).map(str::to_owned).collect()
}

/// Fields with their values, and whether these stand in a list; `None` where it is no YAML.
fn values(front: &str) -> Option<Vec<(String, String, bool)>> {
    let (mut found, mut depth, mut key) = (Vec::new(), 0u32, None::<String>);
    for event in Parser::new_from_str_with_options(front, Options::default()) {
        match event.ok()?.0 {
            Event::MappingStart(..) | Event::SequenceStart(..) => depth += 1,
            Event::MappingEnd | Event::SequenceEnd => {
                depth = depth.saturating_sub(1);
                if depth == 1 {
                    key = None;
                }
            }
            Event::Scalar(value, ..) if depth == 1 => match key.take() {
                None => key = Some(value.into_owned()),
                Some(name) => found.push((name, value.into_owned(), false)),
            },
            Event::Scalar(value, ..) if depth == 2 => {
                found.extend(key.as_ref().map(|name| (name.clone(), value.into_owned(), true)));
            }
            _ => {}
        }
    }
    Some(found)
}

/// Front matter that is no YAML (an unquoted colon in a description is common): `name: value` line by line.
fn plain_lines(front: &str) -> Vec<(String, String, bool)> {
    let fields = front.lines().filter(|line| !line.starts_with([' ', '\t', '#', '-']));
    let fields = fields.filter_map(|line| line.split_once(':'));
    let plain = |text: &str| text.trim().trim_matches(['"', '\'']).to_owned();
    fields.map(|(name, value)| (name.trim().to_owned(), plain(value), false)).collect()
}

/// The paths that patterns mean, from any folder on: `**` for any folders, `*` for any name, `?` for a sign, `[a-z]` for
/// one of some, `{a,b}` for either. One that is no such pattern means what it says, sign by sign.
#[derive(Clone, Debug, Default)]
pub struct Paths(GlobSet);

impl Paths {
    /// The paths that any of these means. A pattern is written by anybody: a long one means nothing.
    #[must_use]
    pub fn of(patterns: &[String]) -> Paths {
        let mut all = GlobSetBuilder::new();
        for pattern in patterns.iter().filter(|pattern| pattern.len() <= PATTERN_MAX) {
            let pattern = pattern.trim_start_matches("./").trim_start_matches('/');
            let glob = |pattern: &str| {
                let pattern = format!("**/{pattern}");
                GlobBuilder::new(&pattern).literal_separator(true).empty_alternates(true).build()
            };
            if let Ok(glob) = glob(pattern).or_else(|_| glob(&globset::escape(pattern))) {
                all.add(glob);
            }
        }
        Paths(all.build().unwrap_or_default())
    }

    /// Whether a path is one of them.
    #[must_use]
    pub fn hold(&self, path: &str) -> bool {
        self.0.is_match(path.trim_start_matches("./"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn means(pattern: &str, path: &str) -> bool {
        Paths::of(&[pattern.to_owned()]).hold(path)
    }

    #[test]
    fn patterns_mean_paths_as_shells_have_them() {
        for (pattern, path, meant) in [
            ("packages/web/**", "packages/web/src/a.ts", true),
            ("packages/web/**", "/home/u/p/packages/web/a.ts", true),
            ("packages/web/**", "packages/webs/a.ts", false),
            ("**/*.test.ts", "src/deep/a.test.ts", true),
            ("**/*.ts", "a.ts", true),
            ("*.{ts,tsx}", "src/a.tsx", true),
            ("src/**/*.ts{,x}", "src/a.ts", true),
            ("src/**/*.ts{,x}", "src/deep/a.tsx", true),
            ("src/**/*.ts{,x}", "src/a.tsy", false),
            ("{,test-}a.py", "b/a.py", true),
            ("src/*.ts", "src/deep/a.ts", false),
            ("src/?.rs", "./src/a.rs", true),
            ("a/**/b.rs", "a/b.rs", true),
            ("é*", "x/één.md", true),
            ("/src/[a-c].rs", "src/b.rs", true),
            ("src/[a-c].rs", "src/d.rs", false),
            ("src/[ab", "x/src/[ab", true),
            ("src/{a,b", "src/{a,b", true),
            ("src/[ab", "src/a", false),
        ] {
            assert_eq!(means(pattern, path), meant, "{pattern} {path}");
        }
        let path = "a".repeat(200).replace("aa", "ab");
        for hostile in ["*a".repeat(40), "{a,".repeat(300), "{a,b}".repeat(200), "[".repeat(900), "**/".repeat(2_000)] {
            let many: Vec<String> = (0..200).map(|number| format!("{hostile}{number}")).collect();
            let paths = Paths::of(&many);
            assert!(!(0..1_000).any(|_| paths.hold(&path)), "{hostile}");
        }
    }

    #[test]
    fn rules_name_their_paths_and_begin_behind_them() {
        for (text, paths, body) in [
            ("---\npaths: [\"a/**\", b]\n---\nrule", &["a/**", "b"][..], "rule"),
            ("---\npaths:\n  - a/**\n---\nrule", &["a/**"], "rule"),
            ("---\nglobs: *.ts,*.{js,mjs}\nalwaysApply: false\n---\nrule", &["*.ts", "*.{js,mjs}"], "rule"),
            ("---\nglobs: *.ts\nalwaysApply: true\n---\nrule", &[], "rule"),
            ("---\ndescription: x\n---\nrule", &[], "rule"),
            ("---\npaths: a\nrule", &[], "---\npaths: a\nrule"),
            ("rule\n---\n", &[], "rule\n---\n"),
        ] {
            let (start, found) = rule(text);
            assert_eq!((&found.iter().map(String::as_str).collect::<Vec<_>>()[..], &text[start..]), (paths, body));
        }
        assert!(is_unclosed("---\nname: a\n") && !is_unclosed("---\nname: a\n---\n") && !is_unclosed("a"));
    }
}
