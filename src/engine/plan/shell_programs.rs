//! What short programs print of the files that they read, where that stands in those word for word: `awk`, `jq`, `sed`.

use std::sync::LazyLock;

use regex::Regex;

use super::shell_commands::operands;

/// The files of which such a program prints lines or values as they are; none where it reads what it is given, `None` where
/// it may print something else.
pub(super) fn printed_as_it_is<'t>(name: &str, rest: &[&'t str]) -> Option<Vec<&'t str>> {
    let takes: &[&str] = match name {
        "awk" | "gawk" | "mawk" | "nawk" => &["-F", "-v"],
        "jq" => &["--indent"],
        "sed" => &[],
        _ => return None,
    };
    let mut files = operands(rest, takes);
    let program = (!files.is_empty()).then(|| files.remove(0))?;
    let flags = || rest.iter().copied().filter(|word| word.starts_with('-'));
    let is_plain = match name {
        "jq" => flags().all(is_flag_of_jq) && is_path_of_jq(program),
        "sed" => flags().all(|flag| matches!(flag, "-n" | "-E" | "-r" | "-u")) && prints_lines(program),
        _ => flags().all(|flag| flag.starts_with("-F") || flag == "-v") && is_plain_awk(program),
    };
    // `awk` takes `a=b` for a value.
    (is_plain && !files.iter().any(|file| file.contains('='))).then_some(files)
}

/// Whether a script of `sed` only prints lines by their numbers.
fn prints_lines(script: &str) -> bool {
    let lines =
        |part: &str| part.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b',' | b'$' | b'+' | b' '));
    let prints = |part: &str| part.trim().strip_suffix('p').is_some_and(lines);
    script.split(';').filter(|part| !part.trim().is_empty()).all(prints)
}

fn is_flag_of_jq(flag: &str) -> bool {
    let letters = |flag: &str| flag.chars().all(|letter| "rcSMeajs".contains(letter));
    let long =
        ["--raw-output", "--compact-output", "--sort-keys", "--monochrome-output", "--tab", "--indent", "--slurp"];
    long.contains(&flag) || flag.strip_prefix('-').is_some_and(letters)
}

/// Whether a program of `jq` makes nothing, but picks values: `.items[] | select(.id == 3) | .name`.
fn is_path_of_jq(program: &str) -> bool {
    static PATHS: LazyLock<Option<Regex>> = LazyLock::new(|| {
        let step = r#"(?:\.\w+|\."[^"]*"|\.?\[(?:-?\d*(?::-?\d*)?|"[^"]*")\])\??"#;
        let one = format!(r"(?:(?:{step})+|\.|select\([^()]*\))");
        Regex::new(&format!(r"^\s*{one}(?:\s*[|,]\s*{one})*\s*$")).ok()
    });
    PATHS.as_ref().is_some_and(|paths| paths.is_match(program))
}

/// Whether a program of `awk` prints lines, or one field of each: what it puts between several stands in no file.
fn is_plain_awk(program: &str) -> bool {
    static PARTS: LazyLock<Option<[Regex; 2]>> = LazyLock::new(|| {
        let item = r#"(?:\$\w+|F?NR|"[^"\w]*")"#;
        let action = format!(r"^\{{\s*print(?:\s+{item}(?:[\s,]*{item})*)?\s*;?\s*(?:exit\s*;?\s*)?\}}\s*$");
        let condition = r#"^(?:/(?:[^/\\]|\\.)*/|"[^"]*"|\$?\w+|[!=<>]=|[-<>~!,&|+%\s])*$"#;
        Some([Regex::new(condition).ok()?, Regex::new(&action).ok()?])
    });
    let Some([condition, action]) = PARTS.as_ref() else { return false };
    let (when, does) = program.split_at(program.find('{').unwrap_or(program.len()));
    let does_nothing_else = does.is_empty() || (action.is_match(does) && does.matches('$').count() <= 1);
    let is_of_lines = !["BEGIN", "END", "getline"].iter().any(|word| when.contains(word));
    !program.trim().is_empty() && condition.is_match(when) && is_of_lines && does_nothing_else
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_picks_what_stands_there_shows_its_files() {
        for (words, files) in [
            (&["awk", "/key/", "f"][..], Some("f")),
            (&["awk", "NR>=5 && NR<=9", "f"], Some("f")),
            (&["awk", "/a/,/b/ {print}", "f"], Some("f")),
            (&["awk", "-F:", "-v", "n=1", "$1 == \"a\" {print $2}", "f"], Some("f")),
            (&["awk", "{print NR\": \"$0}", "f", "g"], Some("f g")),
            (&["awk", "NR==5{print; exit}"], Some("")),
            (&["awk", "{print $1, $3}", "f"], None),
            (&["awk", "{s += $1} END {print s}", "f"], None),
            (&["awk", "BEGIN {print}", "f"], None),
            (&["awk", "{print \"the key\"}", "f"], None),
            (&["awk", "{gsub(/a/, \"b\"); print}", "f"], None),
            (&["awk", "$1 = 5", "f"], None),
            (&["awk", "{print > \"g\"}", "f"], None),
            (&["awk", "-f", "p.awk", "f"], None),
            (&["awk", "/x/", "n=1", "f"], None),
            (&["jq", ".", "f"], Some("f")),
            (&["jq", "-r", ".a[0].\"b c\", .d[]?", "f"], Some("f")),
            (&["jq", "-rc", ".items[] | select(.id == 3) | .name", "f"], Some("f")),
            (&["jq", ".a"], Some("")),
            (&["jq", ".a | length", "f"], None),
            (&["jq", ".a + .b", "f"], None),
            (&["jq", "\"the key\"", "f"], None),
            (&["jq", "-n", ".a", "f"], None),
            (&["jq", "--arg", "a", "b", ".", "f"], None),
            (&["sed", "-n", "1,5p;9p", "f"], Some("f")),
            (&["sed", "s/a/b/", "f"], None),
            (&["cut", "-f1", "f"], None),
            (&["awk"], None),
        ] {
            let found = printed_as_it_is(words[0], &words[1..]).map(|files| files.join(" "));
            assert_eq!(found.as_deref(), files, "{words:?}");
        }
    }
}
