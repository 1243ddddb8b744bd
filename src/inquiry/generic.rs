//! Names that say nothing of a session: what any project, system, library or tool has, and folders whose files are named.

use std::collections::HashSet;
use std::sync::LazyLock;

use regex::Regex;

use super::candidates::FactKind;
use super::usual::is_of_a_language;

/// Names that a text takes from modules, each with what its module's name begins with.
pub(super) type Borrowed = Vec<(String, String)>;

/// Names of one text that are looked at.
const MOST: usize = 2_000;
/// Endings of documents whose names in capitals are conventions: `README.md`, `CHANGELOG.txt`.
const DOCUMENTS: &[&str] = &["adoc", "md", "rst", "txt"];
/// Files that projects of a kind have by convention, named without a folder.
const CONVENTIONAL: &[&str] = &[
    "CMakeLists.txt",
    "Cargo.lock",
    "Cargo.toml",
    "Gemfile.lock",
    "Package.swift",
    "__init__.py",
    "__main__.py",
    "app.js",
    "app.py",
    "app.ts",
    "build.gradle",
    "build.rs",
    "build.sbt",
    "build.zig",
    "bun.lock",
    "composer.json",
    "composer.lock",
    "conftest.py",
    "deno.json",
    "docker-compose.yaml",
    "docker-compose.yml",
    "flake.lock",
    "flake.nix",
    "go.mod",
    "go.sum",
    "index.css",
    "index.html",
    "index.js",
    "index.jsx",
    "index.ts",
    "index.tsx",
    "jest.config.js",
    "layout.tsx",
    "lib.rs",
    "main.c",
    "main.cpp",
    "main.go",
    "main.js",
    "main.py",
    "main.rs",
    "main.ts",
    "mix.exs",
    "mix.lock",
    "mod.rs",
    "package-lock.json",
    "package.json",
    "page.tsx",
    "pnpm-lock.yaml",
    "poetry.lock",
    "pom.xml",
    "pyproject.toml",
    "requirements.txt",
    "settings.json",
    "setup.cfg",
    "setup.py",
    "tox.ini",
    "tsconfig.json",
    "uv.lock",
    "vite.config.ts",
    "webpack.config.js",
    "yarn.lock",
];
/// Words with which a name of two begins that tells a state or a turn, and no thing: `in_progress`, `isDraft`, `to_string`.
const LITTLE: &[&str] = &["as", "at", "by", "from", "has", "in", "into", "is", "no", "not", "of", "on", "to", "with"];

/// What a session has of such names beside those that tell it by themselves.
pub(super) struct Generic<'t> {
    /// Names of modules that are not the session's own.
    borrowed: HashSet<&'t str>,
    /// Names of its tools.
    tools: HashSet<&'t str>,
    /// Folders of paths that it names, and its own.
    folders: HashSet<&'t str>,
}

impl<'t> Generic<'t> {
    /// Of the paths that a session names, what its texts take from modules, its tools, and the folder that it ran in.
    pub(super) fn of(
        paths: impl Iterator<Item = &'t str> + Clone,
        taken: impl Iterator<Item = &'t (String, String)>,
        tools: impl Iterator<Item = &'t str>,
        folder: &'t str,
    ) -> Generic<'t> {
        // A module that is a folder or a file of the session's is its own.
        let parts = paths.clone().chain([folder]).flat_map(|path| path.split(['/', '\\']));
        let own: HashSet<&str> = parts.map(|part| part.split('.').next().unwrap_or(part)).collect();
        let above = |path: &'t str| {
            path.match_indices('/').filter(|(at, _)| *at > 0).filter_map(|(at, _)| path.get(..at)).collect::<Vec<_>>()
        };
        let folders = paths.flat_map(above).chain([folder]).collect();
        let is_own = |root: &str| root != "std" && own.contains(root);
        let borrowed = taken.filter(|(root, _)| !is_own(root)).map(|(_, name)| name.as_str()).collect();
        Generic { borrowed, tools: tools.collect(), folders }
    }

    /// Whether a term is none that is worth tracing.
    pub(super) fn has(&self, kind: FactKind, term: &str) -> bool {
        match kind {
            FactKind::Identifier => {
                let is_others = self.borrowed.contains(term) || self.tools.contains(term);
                is_others || is_of_any(term) || is_of_a_language(term)
            }
            FactKind::Path => self.folders.contains(term.trim_end_matches('/')) || is_of_any_system(term),
            _ => false,
        }
    }
}

/// The names that a text takes from modules by Rust's `use`, JavaScript's `import` and Python's `from`, other than from
/// what is beside it.
pub(super) fn borrowed(text: &str) -> Borrowed {
    static TAKES: LazyLock<[Option<Regex>; 3]> = LazyLock::new(|| {
        [
            r"(?:\b|\\n)use (?:::)?(?<root>[a-z_]\w*)::(?<names>[\w:{}, *]+);",
            r#"(?:\b|\\n)import (?:type )?(?<names>[\w{}, *$]+) from \\?["'](?<root>@?[\w.-]+)"#,
            r"(?:\b|\\n)from (?<root>[A-Za-z_]\w*)(?:\.\w+)* import \(?(?<names>[\w, ]+)",
        ]
        .map(|pattern| Regex::new(pattern).ok())
    });
    let all = TAKES.iter().flatten().flat_map(|takes| takes.captures_iter(text));
    let of = |found: regex::Captures<'_>| -> Borrowed {
        let (root, names) = (&found["root"], &found["names"]);
        let is_beside = root.starts_with('.') || matches!(root, "crate" | "self" | "super" | "@");
        let names =
            names.split(|sign: char| !sign.is_ascii_alphanumeric() && sign != '_').filter(|name| name.len() > 3);
        names.filter(|_| !is_beside).map(|name| (root.to_owned(), name.to_owned())).collect()
    };
    all.flat_map(of).take(MOST).collect()
}

/// Whether a name may be any project's: a file by convention, a state, an amount of something.
fn is_of_any(name: &str) -> bool {
    let (stem, ending) = name.rsplit_once('.').unwrap_or((name, ""));
    let is_loud = stem.bytes().all(|byte| byte.is_ascii_uppercase() || matches!(byte, b'_' | b'-'));
    let is_document = DOCUMENTS.contains(&ending) && is_loud;
    is_document || CONVENTIONAL.binary_search(&name).is_ok() || is_state(name) || is_amount(name)
}

/// Whether a name consists of a little word and one more.
fn is_state(name: &str) -> bool {
    let is_word = |word: &str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_lowercase());
    if let Some((first, rest)) = name.split_once('_') {
        return LITTLE.contains(&first) && is_word(rest);
    }
    let Some((first, rest)) =
        name.find(|sign: char| sign.is_ascii_uppercase()).and_then(|at| name.split_at_checked(at))
    else {
        return false;
    };
    LITTLE.contains(&first) && rest.get(1..).is_some_and(is_word)
}

/// Whether a name is digits and what they count: `50-entry`, `0.5rem`.
fn is_amount(name: &str) -> bool {
    let bare = name.trim_start_matches(|sign: char| sign.is_ascii_digit() || sign == '.');
    let dots = name.len() - name.replace('.', "").len();
    // `1.2-rc` is a version.
    let (unit, most) = bare.strip_prefix('-').map_or((bare, 1), |unit| (unit, 0));
    let is_number = bare.len() < name.len() && !name.starts_with('.') && dots <= most;
    is_number && unit.bytes().all(|byte| byte.is_ascii_lowercase())
}

/// Whether a path is one of every system's, or a single name behind a slash: the end of another path, as a rule.
fn is_of_any_system(path: &str) -> bool {
    let programs = ["/bin/", "/sbin/", "/usr/bin/", "/usr/sbin/", "/usr/local/bin/"];
    let is_single = path.strip_prefix('/').is_some_and(|rest| !rest.contains('/'));
    is_single || programs.iter().any(|folder| path.starts_with(folder))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_any_project_say_nothing_of_this_one() {
        assert!(CONVENTIONAL.is_sorted());
        for name in
            ["README.md", "CHANGELOG.md", "Cargo.toml", "in_progress", "not_found", "isDraft", "50-entry", "0.5rem"]
        {
            assert!(is_of_any(name), "{name}");
        }
        for name in [
            "flight_plan.md",
            "globals.css",
            "settle_pending",
            "isAncestorOf",
            "EndedAt",
            "to_be_settled",
            "INC-204",
            "x86_64-linux",
            "25.11-beta",
            "HBR-7731-ZX",
        ] {
            assert!(!is_of_any(name), "{name}");
        }
        assert!(["/full.jsonl", "/usr/bin/env"].iter().all(|path| is_of_any_system(path)));
        assert!(["/srv/app/main.rs", "src/a.rs", "~/.config/app.toml"].iter().all(|path| !is_of_any_system(path)));
    }

    #[test]
    fn what_is_taken_from_a_library_and_what_a_tool_is_called_is_the_sessions_own_nowhere() {
        let text = "use std::path::{Path, PathBuf};\nuse crate::queue::RingBuffer;\n+use harbour::lock::BerthLock;\n\
                    import { useMemo } from 'react'\nimport { useBerths } from './hooks'\n\
                    from subprocess import TimeoutExpired\nfrom harbour.tide import TideTable\n";
        let escaped = text.replace('\n', "\\n");
        for text in [text, escaped.as_str()] {
            let taken = borrowed(text);
            let paths = ["src/harbour/lock.rs", "docs/adr/0015-berths.md"];
            let generic = Generic::of(paths.into_iter(), taken.iter(), ["apply_patch"].into_iter(), "/home/me/port");
            for name in ["PathBuf", "useMemo", "TimeoutExpired", "apply_patch"] {
                assert!(generic.has(FactKind::Identifier, name), "{name}: {taken:?}");
            }
            for name in ["RingBuffer", "BerthLock", "useBerths", "TideTable"] {
                assert!(!generic.has(FactKind::Identifier, name), "{name}: {taken:?}");
            }
            let is_generic = |path: &str| generic.has(FactKind::Path, path);
            assert!(is_generic("docs/adr") && is_generic("src/harbour/") && is_generic("/home/me/port"));
            assert!(!is_generic("docs/adr/0015-berths.md") && !is_generic("docs/plans"));
        }
    }
}
