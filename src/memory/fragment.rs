//! Lines of code that state nothing: `.and_then(|age| parse(age).ok())`. What sets a value states it, and so does a
//! comment.

use super::held::speaks;

/// Words with which a line of code begins. Some begin sentences, too: another sign of code has to stand in the line.
const BEGINS: &[&str] = &[
    "abstract",
    "async",
    "await",
    "case",
    "catch",
    "class",
    "const",
    "def",
    "elif",
    "else",
    "enum",
    "export",
    "extends",
    "final",
    "fn",
    "for",
    "from",
    "func",
    "function",
    "if",
    "impl",
    "import",
    "interface",
    "let",
    "match",
    "mod",
    "package",
    "private",
    "protected",
    "pub",
    "public",
    "raise",
    "return",
    "static",
    "struct",
    "switch",
    "throw",
    "trait",
    "try",
    "type",
    "use",
    "var",
    "while",
    "with",
    "yield",
];
/// Of these, those behind which " = " is a sign of code.
const SETS: &[&str] = &["const", "let", "pub", "static", "type", "var"];
/// How a line of code ends that goes on in the next.
const GOES_ON: &[&str] = &["{", "(", "[", "=>", "->", "&&", "||", " =", " +"];
/// How one begins that goes on from the last.
const CONTINUES: &[&str] = &["}", ")", "]", "&& ", "|| ", "?? ", "=> ", "?."];
/// How comments begin.
const COMMENTS: &[&str] = &["//", "/*", "# ", "* ", "<!--", "-- "];

/// Whether a line is a piece of code that sets nothing, or names something and says nothing of it.
pub(super) fn is_fragment(line: &str) -> bool {
    let line = without_place(line).trim();
    let says = || COMMENTS.iter().any(|begin| line.starts_with(begin)) || line.ends_with(['.', '!', '?']);
    // A command is one of several words: "python3 a.py".
    let is_name = || !line.contains(' ') && !speaks(line);
    !sets_value(line) && !says() && (is_name() || is_code(line))
}

/// What stands behind the place that a search writes before a line: `src/a.rs:12:use b;`.
fn without_place(line: &str) -> &str {
    let behind = || {
        let (path, rest) = line.split_once(':')?;
        let (number, rest) = rest.split_once(':')?;
        let is_path = path.contains(['/', '.']) && !path.contains(' ');
        let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
        (is_path && is_number).then_some(rest)
    };
    behind().unwrap_or(line)
}

/// Whether a line sets a name to a value that is written there: `MAX = 5`, `"name": "left-pad",`.
fn sets_value(line: &str) -> bool {
    let ends = |at: usize, sign: char| {
        let (before, after) = (line[..at].chars().next_back(), line[at + 1..].chars().next());
        let joined = |sign: Option<char>| sign.is_some_and(|sign| "=!<>:+-*/|&".contains(sign));
        !joined(before) && !joined(after) && (sign == '=' || after.is_none_or(|sign| sign == ' ' || sign == '"'))
    };
    let at = |sign: char| line.match_indices(sign).map(|(at, _)| at).filter(move |at| ends(*at, sign));
    let Some(at) = at('=').next_back().or_else(|| at(':').next()) else { return false };
    let name = line[..at].trim_end();
    let is_named = name.ends_with(|sign: char| sign.is_alphanumeric() || "_\"'])".contains(sign));
    let value = line[at + 1..].trim().trim_end_matches([',', ';', ' ']);
    let is_quoted = ['"', '\'', '`'].iter().any(|quote| {
        value.len() > 1 && value.starts_with(*quote) && value.ends_with(*quote) && value.matches(*quote).count() == 2
    });
    let has_number = value
        .split(|sign: char| !(sign.is_alphanumeric() || sign == '_'))
        .any(|word| word.starts_with(|sign: char| sign.is_ascii_digit()));
    is_named && (is_quoted || has_number || matches!(value, "true" | "false" | "True" | "False"))
}

/// Whether a line is one of code.
fn is_code(line: &str) -> bool {
    let first = line.split(|sign: char| !sign.is_ascii_alphabetic()).next().unwrap_or_default();
    let begins = BEGINS.contains(&first)
        && (has_sign(line) || line.ends_with(':') || (SETS.contains(&first) && line.contains(" = ")));
    let imports = first == "from" && line.contains(" import ");
    // "repo_path=repo_path,", and a list of names alone.
    let is_one = |item: &str| !item.trim().is_empty() && !item.trim().contains(' ');
    let list = line.strip_suffix(',').or_else(|| Some(line).filter(|line| line.contains(", ") && !speaks(line)));
    let lists = list.is_some_and(|list| list.split(',').all(is_one));
    // "input, err := agent.Parse(name)", "row = rows[name]"
    let assigns = (line.contains(" := ") && calls(line))
        || line.split_once(" = ").is_some_and(|(name, value)| is_one(name) && (calls(value) || value.contains('[')));
    let is_method = line.strip_prefix('.').is_some_and(|rest| rest.starts_with(char::is_alphabetic) && calls(rest));
    GOES_ON.iter().any(|end| line.ends_with(end))
        || CONTINUES.iter().any(|begin| line.starts_with(begin))
        || (line.ends_with([';', ',']) && has_sign(line))
        || begins
        || imports
        || lists
        || assigns
        || is_method
        || is_call(line)
}

/// Whether a line has a sign that stands in code alone.
fn has_sign(line: &str) -> bool {
    ["::", "=>", "->", "{", "&&", "||", " = "].iter().any(|sign| line.contains(sign)) || calls(line) || is_generic(line)
}

/// Whether a name is called: a bracket stands right behind it. "File(s)" calls nothing.
fn calls(line: &str) -> bool {
    line.match_indices('(').any(|(at, _)| {
        line[..at].ends_with(|sign: char| sign.is_alphanumeric() || sign == '_' || sign == '!')
            && !line[at..].starts_with("(s)")
    })
}

/// Whether a type has one in it: `Option<Timestamp>`.
fn is_generic(line: &str) -> bool {
    line.match_indices('<').any(|(at, _)| line[..at].ends_with(char::is_alphanumeric) && line[at..].contains('>'))
}

/// Whether a line calls something and does nothing else: `parse(&created, Some(age))`.
fn is_call(line: &str) -> bool {
    let Some((name, _)) = line.split_once('(') else { return false };
    let is_name = |sign: char| sign.is_alphanumeric() || "_.:!".contains(sign);
    line.ends_with(')') && !name.is_empty() && name.chars().all(is_name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_of_code_that_set_nothing_state_nothing() {
        for line in [
            "before_date,",
            "tv.ba().short",
            "/Users/ada/worktrees/3760/mise",
            "effective_age_for_tool(",
            "prefixed_latest_query(&prefix, &prefix_version),",
            "minimum_release_age: Option<&str>,",
            "if minimum_release_age.is_some() {",
            "fn backend_matches(backends: &HashSet<String>, ba: &BackendArg) -> bool {",
            "|| backends.contains(&ba.full_without_opts())",
            "let eligible_at = age",
            ".and_then(|age| parse_duration(age).ok())",
            "src/cli/upgrade.rs:7:use crate::duration::parse_duration;",
            "let warning_key = format!(\"{}@{}\", tv.ba().short, tv.request.version());",
            "import { readFile } from 'node:fs/promises'",
            "const handleSubmit = async () => {",
            "} else if (this.isReady2) {",
            "return self.get_user_by_id(user_id)",
            "def get_user_by_id(self, user_id):",
            "expect(getUser2).toHaveBeenCalledWith(userId)",
            "repo_path=repo_path,",
            "id, title, rationale, scope, staleness_status,",
            "rejected_alternatives, created_at, updated_at",
            "conn = get_db(repo_path)",
            "successor = row[\"superseded_by_id\"]",
            "from entirecontext.cli import create_app",
            "input, err := ag.ParseHookInput(agent.HookStop2, os.Stdin)",
        ] {
            assert!(is_fragment(line), "{line}");
        }
    }

    #[test]
    fn values_comments_commands_and_sentences_state_something() {
        for line in [
            "MAX_RETRIES = 5",
            "pub const MAX_RETRIES: u32 = 5;",
            "const PORT = 8080;",
            "timeout: Duration::from_secs(30),",
            "\"name\": \"left-pad\",",
            "\"version\": \"1.2.3\"",
            "port: 8080",
            "retries=4",
            "src/a.rs:12:const LIMIT: usize = 20;",
            "/// Fragments for the minimum_release_age warning: when it came",
            "# the limit of host_1 (in MB)",
            "git switch claude/admiring-wiles-fd474d",
            "python3 /workspace/number_generator.py",
            "DROP TABLE users_old;",
            "Use redis_2 for sessions",
            "use redis_2 for the sessions of host(s) 1 and 2",
            "if host_1 fails (see the runbook), restart it",
            "Let us use port 8080 for it",
            "see file_7",
            "FAILED tests/test_a.py::test_b - assert 4 == 5",
            "Error: ENOENT: no such file or directory, open '/srv/a.json'",
            "test result: ok. 41 passed; 3 failed",
            "The flag --dry-run is off,",
            "return codes of job_7 are 0 and 3",
            "| port | 8080 |",
            "[ ] Rotate key_4 on host_2",
            "设定端口 8443",
        ] {
            assert!(!is_fragment(line), "{line}");
        }
    }
}
