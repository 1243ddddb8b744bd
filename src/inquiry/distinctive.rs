//! The distinctive terms of a text: paths, identifiers, numbers and names of errors; and what calls give as arguments.

use std::collections::HashSet;
use std::sync::LazyLock;

use regex::Regex;

use super::addresses::addresses;
use super::candidates::FactKind;
use super::line_of::{found_in, is_place};
use super::no_number::number_of_line;
use super::number::is_list_item;
use crate::engine::set_off_names;

/// Terms of one text that are looked at.
const TERMS: usize = 4_000;

/// The whole values that a call's arguments have, by their names.
pub(super) type Arguments = Vec<(String, String)>;

const ERRORS: &[&str] = &["error", "fail", "panic", "exception", "denied", "not found", "cannot", "refused"];

/// The numbers that a call gives as whole arguments, in JSON or in a script: `"timeout_ms": 3000`.
pub(super) fn given(text: &str) -> Arguments {
    static ARGUMENT: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r#"([A-Za-z_]\w{2,40})\\?["']?\s*[:=]\s*(\d{4,12})\s*[,})\]]"#).ok());
    let Some(argument) = ARGUMENT.as_ref() else { return Vec::new() };
    let owned = |found: regex::Captures| Some((found.get(1)?.as_str().to_owned(), found.get(2)?.as_str().to_owned()));
    argument.captures_iter(text).take(TERMS).filter_map(owned).collect()
}

/// The distinctive terms of a text, each once, with what they are; and whether there are more.
pub(super) fn terms(text: &str) -> (Vec<(FactKind, String)>, bool) {
    let (mut found, mut seen) = (Vec::new(), HashSet::new());
    // In JSON a backslash takes the next letter with it.
    let escaped = text.trim_start().starts_with(['{', '[']);
    let mut lines = text.lines().peekable();
    let mut above = None;
    while let Some(line) = lines.next() {
        // The number of a line is none of what the line says.
        let says = number_of_line(above.replace(line), line, lines.peek().copied()).unwrap_or(0);
        let lower = line.get(..line.len().min(400)).unwrap_or("").to_ascii_lowercase();
        let failed = ERRORS.iter().any(|word| lower.contains(word));
        for number in figures(line).filter(|number| seen.len() <= TERMS && seen.insert(*number)) {
            if found.len() < TERMS {
                found.push((FactKind::Number, number.to_owned()));
            }
        }
        for address in addresses(line).filter(|address| seen.len() <= TERMS && seen.insert(*address)) {
            if found.len() < TERMS {
                found.push((FactKind::Identifier, address.to_owned()));
            }
        }
        // Nor is that which a search put behind the name of a file.
        let (path, says) = found_in(line).map_or((0, says), |(path, end)| (path.len(), end));
        for (from, to) in [(0, path), (says, line.len())] {
            let (mut rest, mut next) = (line.get(from..to).unwrap_or_default(), None);
            while !rest.is_empty() {
                let start = to - rest.len();
                let size = rest.find(|sign| !is_part(sign)).unwrap_or(rest.len());
                let (word, after) = rest.split_at(size);
                let before = std::mem::replace(&mut next, after.chars().next());
                rest = after.get(after.chars().next().map_or(0, char::len_utf8)..).unwrap_or_default();
                if escaped && after.starts_with('\\') {
                    rest = rest.strip_prefix(['n', 't', 'r']).unwrap_or(rest);
                }
                // The names of a call's arguments are the tool's, not the session's.
                if after.starts_with("\":") || after.starts_with("\\\":") {
                    continue;
                }
                // `</button>` ends an element.
                if before == Some('<') && word.starts_with('/') {
                    continue;
                }
                let whole = word;
                let mut word = tidy(word);
                let from = start + whole.len() - whole.trim_start_matches(['.', '-']).len();
                if word.starts_with('/') {
                    match before {
                        // A home folder is a part of the path, and so is what a template puts before it.
                        Some('~') => word = line.get(start - 1..start + word.len()).unwrap_or(word),
                        Some('}' | ')' | ']' | '*' | '%' | '$' | '?') => continue,
                        _ => {}
                    }
                }
                // So is the name of a variable: `$HOME/.config/app`.
                if before == Some('$') && word.contains('/') && word.starts_with(|sign: char| sign.is_ascii_uppercase())
                {
                    word = line.get(start - 1..start + word.len()).unwrap_or(word);
                }
                if before == Some('%') && word.split_once('/').is_some_and(|(first, _)| is_placeholder(first)) {
                    continue;
                }
                let Some(kind) = kind_of(word) else { continue };
                if kind == FactKind::Number && is_place(line, (from, from + word.len())) {
                    continue;
                }
                let quoted = before.is_some_and(|sign| matches!(sign, '"' | '\'' | '`' | '=' | '@'));
                if kind == FactKind::Path && !quoted && is_choice(word) {
                    continue;
                }
                let kind =
                    if failed && kind == FactKind::Identifier && names_error(word) { FactKind::Error } else { kind };
                // What code calls or takes from a library is the same in every session.
                if kind == FactKind::Identifier
                    && (is_called(after) && !is_defined(line, from) || is_library(word) || is_common(word))
                {
                    continue;
                }
                if seen.len() <= TERMS && seen.insert(word) && found.len() < TERMS {
                    found.push((kind, word.to_owned()));
                }
            }
        }
    }
    let mut names = set_off_names(text).map(|(_, name)| name).filter(|name| seen.insert(name));
    let room = TERMS.saturating_sub(found.len());
    found.extend(names.by_ref().map(|name| (FactKind::Identifier, name.to_owned())).take(room));
    let further = names.next().is_some();
    let more = further || found.len() < seen.len();
    (found, more)
}

/// The numbers of a line whose digits are grouped, or that have a fraction, of four digits or more: 75,300 and 1234.56. A
/// part of a version, a date, an address or a list is none.
fn figures(line: &str) -> impl Iterator<Item = &str> {
    static FIGURE: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new("[0-9]{1,3}(?: [0-9]{3}){2,}|[0-9]+(?:[.,'\u{2019}\u{a0}\u{2009}\u{202f}][0-9]+)+").ok()
    });
    let all = FIGURE.as_ref().into_iter().flat_map(|figure| figure.find_iter(line));
    all.filter_map(|found| {
        let (before, behind) = (line.get(..found.start())?, line.get(found.end()..)?);
        let joins = |sign: char| sign.is_alphanumeric() || matches!(sign, '_' | '/' | '-' | ':' | '.' | ',' | '\\');
        let mut next = behind.chars();
        let goes_on = match next.next() {
            Some('.' | ',' | ':') => next.next().is_some_and(char::is_alphanumeric),
            sign => sign.is_some_and(joins),
        };
        // Where blanks group digits, more digits behind a blank make it a row of numbers.
        let blanks = found.as_str().contains(' ');
        let in_row = blanks
            && (behind.strip_prefix(' ').is_some_and(|rest| rest.starts_with(|sign: char| sign.is_ascii_digit()))
                || before.strip_suffix(' ').is_some_and(|rest| rest.ends_with(|sign: char| sign.is_ascii_digit())));
        let is_part = in_row || goes_on || before.ends_with(joins);
        let is_listed = found.as_str().contains(',') && is_list_item(before, behind);
        (is_figure(found.as_str()) && !is_part && !is_listed).then_some(found.as_str())
    })
}

/// Whether digits with signs between them are one number: groups of three digits behind one sign, then a fraction.
fn is_figure(text: &str) -> bool {
    let digits: Vec<usize> = text.split(|sign: char| !sign.is_ascii_digit()).map(str::len).collect();
    let signs: Vec<char> = text.chars().filter(|sign| !sign.is_ascii_digit()).collect();
    let (Some(first), Some(last)) = (signs.first(), signs.last()) else { return false };
    let alike = signs.iter().take_while(|sign| *sign == first).count();
    let groups = &digits[1..=alike];
    let is_grouped = digits[0] <= 3 && digits[0] > 0 && groups.iter().all(|size| *size == 3);
    let ends = match signs.len() - alike {
        0 => is_grouped || (alike == 1 && matches!(first, '.' | ',')),
        1 => is_grouped && matches!(last, '.' | ',') && last != first,
        _ => false,
    };
    let all: usize = digits.iter().sum();
    ends && (4..=18).contains(&all)
}

/// A word without the signs around it that are no part of a path or name: `./src/a.rs.` is `src/a.rs`, and `.cargo/bin`
/// and `../a/b` are that.
fn tidy(word: &str) -> &str {
    let word = word.trim_end_matches(['.', '-', '/']).trim_start_matches('-');
    let mut bare = word;
    while let Some(rest) = bare.strip_prefix("./") {
        bare = rest;
    }
    let is_path = bare.starts_with("../") || bare.starts_with('.') && bare.contains('/');
    if is_path && !bare.starts_with("...") { bare } else { bare.trim_start_matches(['.', '-']) }
}

/// Whether a name is one of an error: `E_CONNRESET`, `TS2345`, `ParseError`.
fn names_error(word: &str) -> bool {
    let capitals = word.bytes().filter(u8::is_ascii_uppercase).count();
    let small = word.bytes().filter(u8::is_ascii_lowercase).count();
    (capitals >= 2 && small == 0)
        || names_class(word)
        || (capitals > 0 && word.bytes().filter(u8::is_ascii_digit).count() >= 2)
}

/// Whether a name is one of a class of errors: `ParseError`, `java.io.IOException`, but not `setError`.
fn names_class(word: &str) -> bool {
    let last = word.rsplit('.').next().unwrap_or_default();
    let rest = last.strip_suffix("Error").or_else(|| last.strip_suffix("Exception")).unwrap_or_default();
    rest.starts_with(|sign: char| sign.is_ascii_uppercase()) && rest.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

/// Whether what stands behind a name calls it: a function, or a macro.
fn is_called(after: &str) -> bool {
    after.starts_with('(') || after.strip_prefix('!').is_some_and(|rest| rest.starts_with(['(', '[', '{']))
}

/// Whether what stands before a name defines it.
fn is_defined(line: &str, at: usize) -> bool {
    let before = line.get(..at).and_then(|before| before.strip_suffix(' ')).unwrap_or_default();
    let word = before.rsplit(|sign: char| !sign.is_ascii_alphabetic()).next().unwrap_or_default();
    ["def", "fn", "func", "function", "sub"].contains(&word)
}

/// Whether a name is part of a name, or one within a library's: `_error`, `strings.Contains`.
fn is_library(word: &str) -> bool {
    let digits = word.bytes().any(|byte| byte.is_ascii_digit());
    let last = word.rsplit('.').next().unwrap_or_default();
    !digits
        && (word.starts_with('_')
            || (last.len() < word.len() && last.starts_with(|sign: char| sign.is_ascii_uppercase())))
}

/// Names that are known from everywhere, though they are written as names in code.
const KNOWN: &[&str] = &[
    "BitBucket",
    "DuckDuckGo",
    "GitHub",
    "GitLab",
    "GraphQL",
    "JavaScript",
    "LinkedIn",
    "MongoDB",
    "MySQL",
    "Next.js",
    "Node.js",
    "Nuxt.js",
    "OpenAI",
    "OpenAPI",
    "PostgreSQL",
    "PowerShell",
    "SQLite",
    "Three.js",
    "TypeScript",
    "Vue.js",
    "WebAssembly",
    "WebSocket",
    "YouTube",
    "iOS",
    "macOS",
];
/// Endings of files, of names that are small letters around one dot.
pub(super) const FILES: &[&str] = &[
    "astro", "bash", "bat", "bin", "bzl", "cc", "cfg", "cjs", "class", "conf", "cpp", "cs", "css", "csv", "cts",
    "dart", "db", "dbml", "diff", "doc", "docx", "elm", "env", "erl", "ex", "exs", "fish", "go", "gql", "gradle",
    "graphql", "groovy", "gz", "hbs", "hcl", "heex", "hpp", "hs", "htm", "html", "ini", "ipynb", "java", "jpeg", "jpg",
    "js", "json", "jsonl", "jsx", "kt", "kts", "less", "lock", "log", "lua", "md", "mdx", "mjs", "ml", "mts", "nix",
    "patch", "pdf", "php", "pl", "plist", "png", "proto", "ps", "py", "pyi", "rb", "rs", "rst", "sass", "scala",
    "scss", "sh", "sql", "sqlite", "svelte", "svg", "swift", "tar", "tex", "tf", "tfvars", "toml", "ts", "tsv", "tsx",
    "txt", "vue", "wasm", "xls", "xlsx", "xml", "yaml", "yml", "zig", "zip", "zsh",
];

/// Whether a name is known from everywhere, or one of the fields and addresses that any program has: `user.login`,
/// `example.com`. A name with one dot between small letters is a file's where it ends as a file does.
fn is_common(word: &str) -> bool {
    let small = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_lowercase());
    let is_field = word
        .split_once('.')
        .is_some_and(|(first, last)| small(first) && small(last) && FILES.binary_search(&last).is_err());
    KNOWN.contains(&word) || is_field
}

/// Whether a number may be anybody's: a year, a round one, a power of two.
pub(super) fn is_usual_number(text: &str) -> bool {
    let digits: String = text.chars().filter(char::is_ascii_digit).collect();
    let number: u64 = digits.parse().unwrap_or_default();
    let is_year = text.len() == 4 && (1900..2100).contains(&number);
    is_year || digits.trim_matches('0').len() < 3 || number.is_power_of_two()
}

/// Whether what looks like a path is a media type.
fn is_media_type(word: &str) -> bool {
    const KINDS: &[&str] = &["application", "text", "image", "audio", "video", "font", "multipart", "message", "model"];
    // `text/notes.md` is a path, `application/vnd.github` the beginning of `application/vnd.github+json`.
    let is_vendors = |rest: &str| ["vnd.", "prs.", "x-", "x."].iter().any(|tree| rest.starts_with(tree));
    let is_type = |rest: &str| !rest.contains('/') && (!rest.contains('.') || is_vendors(rest));
    word.split_once('/').is_some_and(|(kind, rest)| KINDS.contains(&kind) && is_type(rest))
}

/// Whether what looks like a path may be two words to choose from: `exit/logout`. A path of two folders is quoted, or
/// is also named with a file in it.
fn is_choice(word: &str) -> bool {
    let letters = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_alphabetic());
    word.split_once('/').is_some_and(|(one, other)| letters(one) && letters(other))
}

/// Whether that is what stands behind the `%` of a placeholder: `s`, `-8s`, `.2f`, `ld`.
fn is_placeholder(text: &str) -> bool {
    let bare = text.trim_start_matches(|sign: char| sign.is_ascii_digit() || matches!(sign, '-' | '.'));
    let bare = bare.trim_start_matches(['l', 'h', 'z']);
    bare.len() == 1 && bare.bytes().all(|byte| byte.is_ascii_alphabetic())
}

fn is_part(sign: char) -> bool {
    sign.is_ascii_alphanumeric() || matches!(sign, '_' | '.' | '/' | '-')
}

fn kind_of(word: &str) -> Option<FactKind> {
    if word.len() < 4 || word.len() > 120 {
        return None;
    }
    let digits = word.bytes().filter(u8::is_ascii_digit).count();
    let letters = word.bytes().filter(u8::is_ascii_alphabetic).count();
    // Every system has these.
    if is_media_type(word) || word.starts_with("//") || word.starts_with("/dev/") || word.starts_with("/proc/") {
        return None;
    }
    if word.contains('/') && letters >= 4 {
        return Some(FactKind::Path);
    }
    if letters == 0 {
        let plain = word.bytes().all(|byte| byte.is_ascii_digit());
        return (plain && (4..=12).contains(&digits)).then_some(FactKind::Number);
    }
    let inner = word.as_bytes().windows(2).any(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase());
    let joined = word.contains('_') || word.contains('.') && !word.ends_with(|sign: char| sign.is_ascii_digit());
    let mixed = digits >= 2 && letters >= 2 && word.contains('-');
    (letters >= 3 && word.len() >= 6 && (joined || inner || names_class(word)) || mixed).then_some(FactKind::Identifier)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_are_told_apart() {
        let text =
            "see src/cli/load.rs and keyPrefix or key_prefix\nerror: E_CONNRESET in 61234 of INC-204\nplain words 123";
        let found = terms(text).0;
        assert!(
            terms(r#"{"file_path": "/srv/a.rs", "new_string": "x_1_y"}"#)
                .0
                .iter()
                .all(|(_, term)| !term.contains("_path"))
        );
        let call = terms(r#"{"command": "git commit -m 'x\nCo-Authored-By: y'\n\tlog.Info_2 > /dev/null"}"#).0;
        assert!(call.iter().all(|(_, term)| !term.starts_with('n') && !term.starts_with('t') && !term.contains("dev")));
        assert!(call.iter().any(|(_, term)| term == "log.Info_2"), "{call:?}");
        let of = |word: &str| found.iter().find(|(_, term)| term == word).map(|(kind, _)| *kind);
        assert_eq!(of("src/cli/load.rs"), Some(FactKind::Path));
        assert_eq!(of("keyPrefix"), Some(FactKind::Identifier));
        assert_eq!(of("E_CONNRESET"), Some(FactKind::Error));
        assert_eq!(of("61234"), Some(FactKind::Number));
        assert_eq!((of("plain"), of("123")), (None, None));
        let classes = terms("OSError: no room; java.io.IOException at setError(x)").0;
        let errors: Vec<&str> =
            classes.iter().filter(|(kind, _)| *kind == FactKind::Error).map(|(_, term)| term.as_str()).collect();
        assert_eq!(errors, ["OSError", "java.io.IOException"]);
        let page = terms(
            "<button class=\"x\">Exit</button></nav-item> the exit/logout and read/write rights of `src/cli`, \"lib/core\"",
        )
        .0;
        let paths: Vec<&str> = page.iter().map(|(_, term)| term.as_str()).collect();
        assert_eq!(paths, ["src/cli", "lib/core"]);
        assert_eq!(terms("修改 `订单服务` 的 timeout").0, [(FactKind::Identifier, "订单服务".to_owned())]);
        let code = terms("error: strings.Contains(x, _error) of type application/json at keyPrefix.go, TS2345").0;
        let kinds: Vec<(FactKind, &str)> = code.iter().map(|(kind, term)| (*kind, term.as_str())).collect();
        assert_eq!(kinds, [(FactKind::Identifier, "keyPrefix.go")], "{kinds:?}");
    }

    #[test]
    fn what_any_session_has_is_no_term() {
        let found = |text: &str| -> Vec<String> { terms(text).0.into_iter().map(|(_, term)| term).collect() };
        assert_eq!(found("Accept: application/vnd.github+json and text/notes.md"), ["text/notes.md"]);
        assert_eq!(found("On GitHub user.login is noreply of anthropic.com"), Vec::<String>::new());
        assert_eq!(found("In globals.css of db.staging.acme"), ["globals.css", "db.staging.acme"]);
        assert!(["1000", "2000", "5000", "2025", "4096", "12,000"].iter().all(|number| is_usual_number(number)));
        assert!(["48213", "75,300", "1234.56", "8443"].iter().all(|number| !is_usual_number(number)));
        assert!(FILES.is_sorted());
    }

    #[test]
    fn numbers_with_groups_and_fractions_are_terms_and_parts_of_others_are_not() {
        let numbers = |text: &str| -> Vec<String> {
            let all = terms(text).0.into_iter();
            all.filter(|(kind, _)| *kind == FactKind::Number).map(|(_, term)| term).collect()
        };
        for (text, found) in [
            ("budget is 75,300 euros", vec!["75,300"]),
            ("It was 1,275,300.50 €, not 1.234,5.", vec!["1,275,300.50", "1.234,5"]),
            ("The total was 1234.56 euros ($1,299.00).", vec!["1234.56", "1,299.00"]),
            ("1'200'000 rows", vec!["1'200'000"]),
            ("10.0.42.1 and 1.2.3 on 28.11.2026 at 12:30.123", vec![]),
            ("[1,200] rgb(255,255,255) a,12,500,b ports 8,080", vec![]),
            ("0.95 or 12,5 in 0.1234s", vec![]),
        ] {
            assert_eq!(numbers(text), found, "{text}");
        }
    }

    #[test]
    fn the_number_of_a_line_is_no_term() {
        let found = |text: &str| -> Vec<String> { terms(text).0.into_iter().map(|(_, term)| term).collect() };
        let listing = "  1160\u{2192}limit 48213\n  1161\u{2192}}\n  1162\u{2192}see src/cli/load.rs";
        assert_eq!(found(listing), ["48213", "src/cli/load.rs"]);
        assert_eq!(found("1160\ta\n1161\tb"), Vec::<String>::new());
        assert_eq!(found("1160 rows\n1161 rows"), ["1160", "1161"]);
    }

    #[test]
    fn that_a_text_has_more_terms_than_are_looked_at_is_known() {
        let text = |number: usize| (0..number).map(|at| format!("job_{}\n", 10_000 + at)).collect::<String>();
        for (number, known, more) in [(TERMS, TERMS, false), (TERMS + 1, TERMS, true), (2 * TERMS, TERMS, true)] {
            let (found, further) = terms(&text(number));
            assert_eq!((found.len(), further), (known, more), "{number}");
        }
    }

    #[test]
    fn a_path_keeps_what_it_begins_with() {
        let paths = |text: &str| -> Vec<String> { terms(text).0.into_iter().map(|(_, term)| term).collect() };
        assert_eq!(
            paths("at ~/.cargo/registry/src/a.rs, ./lib/core.rs."),
            ["~/.cargo/registry/src/a.rs", "lib/core.rs"]
        );
        assert_eq!(paths("of .github/workflows and ../other/place/"), [".github/workflows", "../other/place"]);
        assert_eq!(paths("`${root}/build/out`, f(x)/part/of and users/[id]/route.ts"), Vec::<String>::new());
        assert_eq!(
            paths("cat $HOME/.config/app/main.toml \"$XDG_DATA_HOME/app/a.db\""),
            ["$HOME/.config/app/main.toml", "$XDG_DATA_HOME/app/a.db"]
        );
        assert_eq!(paths("printf(\"%s/build/out %-8.3s/build/a.rs\", at, %ld/part/of)"), Vec::<String>::new());
        assert_eq!(paths("100% of a/part/of and %20src/part/of"), ["a/part/of", "20src/part/of"]);
    }

    #[test]
    fn arguments_are_known_by_their_names() {
        let found = given(r#"{"cmd": "ls", "max_output_tokens": 3000, "x": "const y = {timeoutMs: 180000}"}"#);
        assert_eq!(
            found,
            [("max_output_tokens", "3000"), ("timeoutMs", "180000")].map(|(k, v)| (k.to_owned(), v.to_owned()))
        );
    }
}
