//! Code in colours: which role each piece of a line has. Works on a few lines around what is seen.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use syntect::parsing::{ParseState, Scope, ScopeStack, SyntaxReference, SyntaxSet};

use crate::config::Role;
use crate::model::file_name;

use super::Lines;
use super::section::{Gutter, number_end};

/// Lines that are highlighted at a time.
pub const BLOCK: usize = 128;
/// Lines that are read before them, so that the parser knows where it is.
const CONTEXT: usize = 128;
/// A longer line is left plain: grammars take long over it, and it is no code that a person wrote.
const LINE_MAX: usize = 1000;

/// The roles of one line: each reaches to a byte.
pub type Inks = Vec<(u32, Role)>;

/// Lines to highlight.
#[derive(Clone, Debug)]
pub struct Job {
    /// Who asked: the text's number, its section, and the block of lines.
    pub key: (u64, u32, u32),
    /// The text.
    pub lines: Lines,
    /// Language: a file's extension, or a name as it stands at a fence.
    pub language: Arc<str>,
    /// What the lines begin with; numbers are no code.
    pub gutter: Gutter,
}

/// The grammars; the first call loads them (some 20 ms), later ones cost nothing.
fn grammars() -> &'static Grammars {
    static GRAMMARS: OnceLock<Grammars> = OnceLock::new();
    GRAMMARS.get_or_init(|| {
        let scope = |(prefix, role): &(&str, Role)| Some((Scope::new(prefix).ok()?, *role));
        Grammars { set: two_face::syntax::extra_newlines(), roles: ROLES.iter().filter_map(scope).collect() }
    })
}

struct Grammars {
    set: SyntaxSet,
    roles: Vec<(Scope, Role)>,
}

/// Scopes as Sublime's naming guide has them (https://www.sublimetext.com/docs/scope_naming.html), and their roles;
/// the first that fits wins.
const ROLES: &[(&str, Role)] = &[
    ("comment", Role::SyntaxComment),
    ("punctuation.definition.comment", Role::SyntaxComment),
    ("punctuation.definition.string", Role::SyntaxString),
    ("meta.mapping.key", Role::SyntaxName),
    ("meta.structure.dictionary.key", Role::SyntaxName),
    ("entity.name.tag", Role::SyntaxName),
    ("entity.other.attribute-name", Role::SyntaxName),
    ("string", Role::SyntaxString),
    ("constant", Role::SyntaxNumber),
    ("entity.name.function", Role::SyntaxFunction),
    ("support.function", Role::SyntaxFunction),
    ("variable.function", Role::SyntaxFunction),
    ("support.macro", Role::SyntaxFunction),
    ("entity.name", Role::SyntaxType),
    ("entity.other.inherited-class", Role::SyntaxType),
    ("support.type", Role::SyntaxType),
    ("support.class", Role::SyntaxType),
    ("storage.type", Role::SyntaxKeyword),
    ("storage", Role::SyntaxKeyword),
    ("keyword.operator.word", Role::SyntaxKeyword),
    ("keyword.operator", Role::SyntaxPunctuation),
    ("keyword", Role::SyntaxKeyword),
    ("variable.language", Role::SyntaxKeyword),
    ("markup.heading", Role::Heading),
    ("markup.inserted", Role::Added),
    ("markup.deleted", Role::Removed),
    ("punctuation", Role::SyntaxPunctuation),
];

fn grammar<'a>(set: &'a SyntaxSet, language: &str) -> Option<&'a SyntaxReference> {
    let name = language.to_ascii_lowercase();
    let name = match name.as_str() {
        "jsonl" | "ndjson" | "jsonc" => "json",
        "shell" | "console" | "shell-session" => "bash",
        "mjs" | "cjs" => "js",
        "mts" | "cts" => "ts",
        same => same,
    };
    set.find_syntax_by_token(name).filter(|found| found.name != "Plain Text")
}

/// The language of a file by its name, for [`Job::language`]; what follows the last dot, or the whole name.
#[must_use]
pub fn language_of(path: &str) -> Option<Arc<str>> {
    let name = file_name(path);
    let end = name.rsplit('.').next().unwrap_or(name);
    (!end.is_empty() && end.len() <= 32).then(|| Arc::from(end))
}

/// Highlights a block of lines. A language without a grammar, and lines that are too long, stay plain.
#[must_use]
pub fn highlight(job: &Job) -> Vec<Inks> {
    let Grammars { set, roles } = grammars();
    let first = (job.key.2 as usize).saturating_mul(BLOCK);
    let wanted = first..(first + BLOCK).min(job.lines.count());
    let Some(grammar) = grammar(set, &job.language) else { return vec![Inks::new(); wanted.len()] };
    let mut state = ParseState::new(grammar);
    let mut stack = ScopeStack::new();
    let mut found = Vec::with_capacity(wanted.len());
    let mut line = String::new();
    for number in first.saturating_sub(CONTEXT)..wanted.end {
        let text = job.lines.get(number);
        let mut inks = Inks::new();
        if text.len() <= LINE_MAX && !job.lines.continues(number) {
            let number = if job.gutter == Gutter::Numbers { number_end(text).unwrap_or(0) } else { 0 };
            let code = text.get(number..).unwrap_or_default();
            line.clear();
            line.push_str(code);
            line.push('\n');
            inks = parse(&line, code.len(), &mut state, &mut stack, set, roles);
            inks.iter_mut().for_each(|(end, _)| *end = end.saturating_add(u32::try_from(number).unwrap_or(0)));
        }
        if wanted.contains(&number) {
            found.push(inks);
        }
    }
    found
}

fn parse(
    line: &str,
    length: usize,
    state: &mut ParseState,
    stack: &mut ScopeStack,
    set: &SyntaxSet,
    roles: &[(Scope, Role)],
) -> Inks {
    // A grammar's fault costs one line its colours.
    let Ok(operations) = state.parse_line(line, set) else { return Inks::new() };
    let mut inks = Inks::new();
    let mut push = |range: Range<usize>, role: Role| {
        if range.is_empty() {
            return;
        }
        let end = u32::try_from(range.end).unwrap_or(u32::MAX);
        match inks.last_mut() {
            Some((last, same)) if *same == role => *last = end,
            _ => inks.push((end, role)),
        }
    };
    let mut from = 0;
    for (at, operation) in operations {
        let at = at.min(length);
        if at > from {
            push(from..at, role(stack, roles));
            from = at;
        }
        if stack.apply(&operation).is_err() {
            break;
        }
    }
    push(from..length, role(stack, roles));
    inks
}

/// The role of what stands under these scopes: the innermost that has one decides.
fn role(stack: &ScopeStack, roles: &[(Scope, Role)]) -> Role {
    // A key of JSON is a string within a key: the outer one says more.
    let scopes = stack.as_slice();
    let within = |wanted: Role| {
        let names = roles.iter().filter(|(_, role)| *role == wanted);
        names.clone().any(|(prefix, _)| scopes.iter().any(|scope| prefix.is_prefix_of(*scope)))
    };
    let found = scopes
        .iter()
        .rev()
        .find_map(|scope| roles.iter().find(|(prefix, _)| prefix.is_prefix_of(*scope)).map(|(_, role)| *role));
    match found {
        Some(Role::SyntaxString) if within(Role::SyntaxName) => Role::SyntaxName,
        Some(role) => role,
        None => Role::Text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn roles_of(language: &str, text: &str) -> Vec<Vec<(String, Role)>> {
        let lines = Lines::new(text);
        let found = highlight(&Job {
            key: (0, 0, 0),
            lines: lines.clone(),
            language: Arc::from(language),
            gutter: Gutter::None,
        });
        let line = |(number, inks): (usize, Inks)| {
            let mut from = 0;
            let named = |(end, role): (u32, Role)| {
                let piece = lines.get(number)[from..end as usize].to_owned();
                from = end as usize;
                (piece, role)
            };
            inks.into_iter().map(named).filter(|(piece, _)| !piece.trim().is_empty()).collect()
        };
        found.into_iter().enumerate().map(line).collect()
    }

    #[test]
    fn code_gets_its_roles() {
        let rust = roles_of("rs", "// note\nfn main() { let a = \"x\"; }");
        assert_eq!(rust[0], [("// note".to_owned(), Role::SyntaxComment)]);
        for (word, role) in
            [("fn ", Role::SyntaxKeyword), ("main", Role::SyntaxFunction), ("\"x\"", Role::SyntaxString)]
        {
            assert!(
                rust[1].iter().any(|(piece, found)| piece.trim() == word.trim() && *found == role),
                "{word}: {rust:?}"
            );
        }
        let json = roles_of("json", "{\"key\": [1, true, \"text\"]}");
        for (word, role) in [
            ("\"key\"", Role::SyntaxName),
            ("1", Role::SyntaxNumber),
            ("true", Role::SyntaxNumber),
            ("\"text\"", Role::SyntaxString),
        ] {
            assert!(json[0].iter().any(|(piece, found)| piece.trim() == word && *found == role), "{word}: {json:?}");
        }
    }

    #[test]
    fn usual_languages_have_grammars() {
        for language in [
            "rs",
            "py",
            "ts",
            "tsx",
            "js",
            "go",
            "java",
            "c",
            "cpp",
            "sh",
            "bash",
            "toml",
            "yaml",
            "md",
            "html",
            "css",
            "sql",
            "json",
            "diff",
            "dockerfile",
            "Makefile",
            "swift",
            "kt",
            "rb",
            "php",
        ] {
            assert!(grammar(&grammars().set, language).is_some(), "{language}");
        }
        assert_eq!(language_of("/a/b.c/Main.rs").as_deref(), Some("rs"));
        assert_eq!(language_of("Makefile").as_deref(), Some("Makefile"));
        assert_eq!(language_of("dir/"), None);
    }

    #[test]
    fn unknown_languages_and_long_lines_stay_plain() {
        assert_eq!(roles_of("nonsense", "fn main() {}"), [vec![]]);
        let long = format!("let a = {};\nlet b = 1;", "1+".repeat(1000));
        let found = roles_of("rs", &long);
        assert!(found[0].is_empty() && !found[1].is_empty());
    }

    #[test]
    fn later_blocks_are_highlighted_by_themselves() {
        let text = "let a = 1; // x\n".repeat(1000);
        let job = Job { key: (0, 0, 7), lines: Lines::new(text), language: Arc::from("rs"), gutter: Gutter::None };
        let found = highlight(&job);
        assert_eq!(found.len(), 1000 - 7 * BLOCK);
        assert!(found.iter().all(|inks| inks.last().is_some_and(|(_, role)| *role == Role::SyntaxComment)));
    }
}
