//! What scripts of `sed` and Perl that edit files in place change of them.

use std::sync::LazyLock;

use regex::{Captures, Regex};

use super::changes::{Certainty, FILES, FileChange};
use super::shell_commands::all_untold;
use super::shell_scripts::of_commands;

/// What a call of `sed` or Perl that edits in place changes of the files behind it.
pub(super) fn edited(name: &str, rest: &[&str]) -> Vec<FileChange> {
    let (mut scripts, mut paths, mut known) = (Vec::new(), Vec::new(), true);
    let mut words = rest.iter().copied().filter(|word| !word.is_empty());
    while let Some(word) = words.next() {
        let short = word.starts_with('-') && !word.starts_with("--");
        if let Some(script) = word.strip_prefix("--expression=") {
            scripts.push(script);
        } else if word == "--expression" || (short && !word.starts_with("-i") && word.ends_with('e')) {
            scripts.extend(words.next());
        } else if matches!(word, "-f" | "--file") || word.starts_with("--file=") {
            known = false;
            if !word.contains('=') {
                words.next();
            }
        } else if !word.starts_with('-') {
            paths.push(word);
        }
    }
    if scripts.is_empty() && known && !paths.is_empty() {
        scripts.push(paths.remove(0));
    }
    let extended = name == "perl" || rest.iter().any(|word| matches!(*word, "--regexp-extended") || has(word, "Er"));
    let mut change = FileChange::default().untold_if(!known);
    scripts.iter().for_each(|script| take_script(script, extended, &mut change));
    paths.into_iter().map(|path| FileChange { path: path.to_owned(), ..change.clone() }).collect()
}

/// Whether a word is flags of one letter with one of these among them.
fn has(word: &str, flags: &str) -> bool {
    let letters = word.strip_prefix('-').filter(|rest| !rest.starts_with(['-', 'M', 'I'])).unwrap_or_default();
    letters.chars().take_while(char::is_ascii_alphanumeric).any(|letter| flags.contains(letter))
}

/// Whether `sed` or Perl edits files in place.
pub(super) fn is_in_place(name: &str, rest: &[&str]) -> bool {
    match name {
        "sed" => rest.iter().any(|word| word.starts_with("--in-place") || has(word, "i")),
        _ => ["i", "pn"].iter().all(|flags| rest.iter().any(|word| has(word, flags))),
    }
}

/// What a script of `awk`, or one of `sed` that edits nothing in place, writes to files by itself.
pub(super) fn written_within(name: &str, rest: &[&str]) -> Vec<FileChange> {
    // Behind a `print`, `>` leads to a file.
    static PRINTED: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(r#"\bprintf?\b(?:"(?:[^"\\]|\\.)*"|[^;}\n>"])*>>?\s*(?:"([^"]*)"\s*(?:[;}\n)]|$))?"#).ok()
    });
    if name == "sed" {
        let lines = rest.iter().flat_map(|script| script.lines());
        return lines.filter_map(written_by_line).map(|path| FileChange::of(path, true)).take(FILES).collect();
    }
    let Some(printed) = PRINTED.as_ref() else { return Vec::new() };
    let path =
        |found: Captures| found.get(1).map_or_else(|| all_untold("."), |path| FileChange::of(path.as_str(), true));
    let printed = rest.iter().flat_map(|script| printed.captures_iter(script).map(path));
    printed.chain(rest.iter().flat_map(|script| of_commands(script))).take(FILES).collect()
}

/// The file that a line of a script of `sed` names behind a `w`, which goes to the line's end.
fn written_by_line(line: &str) -> Option<&str> {
    let mut rest = line.trim_start_matches(between);
    while !rest.is_empty() {
        let command = behind_address(rest);
        let behind = match (command.strip_prefix('w'), parts(command)) {
            (Some(_), _) => command,
            (None, Some((_, _, behind))) => behind,
            // The next command.
            (None, None) => command.get(command.find(';')?..)?,
        };
        let size = behind.find(|sign: char| !sign.is_ascii_alphanumeric()).unwrap_or(behind.len());
        let (flags, after) = behind.split_at(size);
        if flags.ends_with('w') && after.starts_with([' ', '\t']) {
            return Some(after.trim());
        }
        rest = after.trim_start_matches(between);
    }
    None
}

/// What parts the commands of `sed`.
fn between(sign: char) -> bool {
    sign.is_whitespace() || matches!(sign, ';' | '{' | '}')
}

/// A command of `sed` without the lines that it is for.
fn behind_address(rest: &str) -> &str {
    static ADDRESS: LazyLock<Option<Regex>> = LazyLock::new(|| {
        let one = r"(?:\d+|\$|/(?:[^/\\]|\\.)*/)";
        Regex::new(&format!(r"^{one}(?:,(?:\+?{one}))?[ \t]*")).ok()
    });
    let address = ADDRESS.as_ref().and_then(|address| address.find(rest)).map_or(0, |found| found.end());
    rest.get(address..).unwrap_or_default()
}

/// Takes in what a script puts and takes; what cannot be told from it is not told.
fn take_script(script: &str, extended: bool, change: &mut FileChange) {
    let mut rest = script.trim_start_matches(between);
    while !rest.is_empty() {
        let command = behind_address(rest);
        // Lines before and behind others change none of those.
        if let Some(text) = command.strip_prefix(['a', 'i']) {
            change.puts.push(text.trim_start_matches(['\\', ' ', '\n']).to_owned());
            if text.contains('\n') && !text.starts_with('\\') {
                change.certainty = Certainty::Untold;
            }
            return;
        }
        let Some((pattern, puts, behind)) = parts(command) else {
            change.certainty = Certainty::Untold;
            return;
        };
        let size = behind.find(|sign: char| !sign.is_ascii_alphanumeric()).unwrap_or(behind.len());
        let (flags, after) = behind.split_at(size);
        let takes = literal(pattern, extended).filter(|_| !flags.contains(['e', 'i', 'I']));
        if takes.is_none() {
            change.certainty = Certainty::Untold;
        }
        change.puts.push(replacement(puts, takes.as_deref().filter(|_| !extended)));
        change.takes.extend(takes);
        rest = after.trim_start_matches(between);
    }
}

/// The pattern of a substitution, what it puts, and what stands behind it.
fn parts(command: &str) -> Option<(&str, &str, &str)> {
    let command = command.strip_prefix('s')?;
    let sign = command.chars().next().filter(|sign| sign.is_ascii_punctuation() && *sign != '\\')?;
    let mut ends = Vec::new();
    let mut escaped = false;
    for (at, own) in command.char_indices().skip(1) {
        if own == sign && !escaped {
            ends.push(at);
        }
        escaped = own == '\\' && !escaped;
        if ends.len() == 2 {
            break;
        }
    }
    let [middle, last] = ends[..] else { return None };
    Some((command.get(1..middle)?, command.get(middle + 1..last)?, command.get(last + 1..)?))
}

/// The only text that a pattern takes; `None` where it may take several.
fn literal(pattern: &str, extended: bool) -> Option<String> {
    const GROUPS: &str = "(){}+?|<>";
    let bare = pattern.strip_prefix('^').unwrap_or(pattern);
    let bare = bare.strip_suffix('$').filter(|bare| !bare.ends_with('\\')).unwrap_or(bare);
    let mut text = String::new();
    let mut signs = bare.chars().peekable();
    while let Some(sign) = signs.next() {
        match sign {
            '\\' => {
                let own = signs.next().filter(|own| own.is_ascii_punctuation())?;
                text.push(Some(own).filter(|own| extended || !GROUPS.contains(*own))?);
            }
            '*' | '[' | '$' | '^' => return None,
            // Between letters and figures people mean a dot, and what else it may take is hardly there.
            '.' if !text.ends_with(char::is_alphanumeric) || !signs.peek()?.is_alphanumeric() => return None,
            sign if extended && GROUPS.contains(sign) => return None,
            sign => text.push(sign),
        }
    }
    Some(text).filter(|text| !text.is_empty())
}

/// What a substitution puts, in which `&` stands for what it takes.
fn replacement(puts: &str, takes: Option<&str>) -> String {
    let mut text = String::new();
    let mut signs = puts.chars();
    while let Some(sign) = signs.next() {
        match (sign, takes) {
            ('\\', _) => match signs.next() {
                Some('n') => text.push('\n'),
                Some(own) if own.is_ascii_punctuation() => text.push(own),
                own => text.extend(['\\'].into_iter().chain(own)),
            },
            ('&', Some(takes)) => text.push_str(takes),
            _ => text.push(sign),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_script_writes_by_itself_is_told() {
        let of = |name: &str, script: &str| {
            written_within(name, &[script]).into_iter().map(|one| one.path).collect::<Vec<_>>().join(" ")
        };
        for (name, script, paths) in [
            ("awk", "{ print $1 > \"d/f\" }", "d/f"),
            ("awk", "/x/ { printf \"%s > y\", $2 >> \"d/f\"; next }", "d/f"),
            ("awk", "{ print > $1 \".txt\" }", "."),
            ("awk", "$3 > 5 { print $1, \"a > b\" }", ""),
            ("sed", "/x/w d/f", "d/f"),
            ("sed", "s/a/b/gw d/f", "d/f"),
            ("sed", "s/w a/b/", ""),
        ] {
            assert_eq!(of(name, script), paths, "{script}");
        }
    }

    #[test]
    fn what_an_edit_in_place_takes_is_told_where_it_can_be() {
        let of = |words: &[&str]| {
            let found = edited(words[0], &words[1..]);
            let told = found
                .into_iter()
                .map(|one| (one.path.clone(), one.takes.join("|"), one.puts.join("|"), one.is_untold()));
            told.collect::<Vec<_>>()
        };
        let one = |takes: &str, puts: &str, untold| vec![("f".to_owned(), takes.to_owned(), puts.to_owned(), untold)];
        for words in [
            &["sed", "-i", "s/44557/3/", "f"][..],
            &["sed", "-i", "-e", "s/44557/3/", "f"],
            &["sed", "--in-place", "s/44557/3/g", "f"],
            &["sed", "-i.bak", "s/44557/3/", "f"],
            &["sed", "-i", "", "s|44557|3|", "f"],
            &["sed", "-Ei", "--expression=5,9s/44557/3/", "f"],
            &["perl", "-pi", "-e", "s/44557/3/", "f"],
            &["perl", "-i.bak", "-pe", "s#44557#3#", "f"],
        ] {
            assert!(is_in_place(words[0], &words[1..]), "{words:?}");
            assert_eq!(of(words), one("44557", "3", false), "{words:?}");
        }
        assert_eq!(of(&["sed", "-i", "s/a/b/;s/1\\.2/<&>/", "f"]), one("a|1.2", "b|<1.2>", false));
        assert_eq!(of(&["sed", "-i", "-e", "s/a/b/", "-e", "s/c//", "f"]), one("a|c", "b|", false));
        assert_eq!(of(&["sed", "-i", "5i\\ port = 1", "f"]), one("", "port = 1", false));
        for script in
            ["1d", "/VAL/d", "s/VAL = [0-9]*/VAL = 3/", "s/val/x/I", "s/.*/x/", "y/a/b/", "s/a\\|b/x/", "s/a/b"]
        {
            assert!(
                of(&["sed", "-i", script, "f"]).iter().all(|(path, .., untold)| path == "f" && *untold),
                "{script}"
            );
        }
        assert!(of(&["sed", "-i", "-f", "x.sed", "f"]).iter().all(|(path, .., untold)| path == "f" && *untold));
        assert!(of(&["sed", "-i", "-E", "s/a+/b/", "f"])[0].3 && !of(&["sed", "-i", "s/a+/b/", "f"])[0].3);
        assert!(!is_in_place("sed", &["-n", "s/a/b/p", "f"]) && !is_in_place("perl", &["-MList::Util", "-ne", "x"]));
    }
}
