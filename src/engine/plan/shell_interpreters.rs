//! Programs that run a script of their own language: which script that is, and what it changes.

use super::changes::FileChange;
use super::shell_commands::argument_of;
use super::shell_scripts::{of_commands, of_other, of_python};
use super::shell_unknown::{may_be_changed, may_change};

/// Programs that run a script of another language: the letters of options that are given one, and the words.
const OTHERS: &[(&str, &[char], &[&str])] = &[
    ("Rscript", &['e'], &[]),
    ("bun", &['e', 'p'], &["--eval", "--print"]),
    ("deno", &[], &["eval"]),
    ("elixir", &['e'], &["--eval"]),
    ("groovy", &['e'], &[]),
    ("julia", &['e', 'E'], &["--eval", "--print"]),
    ("lua", &['e'], &[]),
    ("luajit", &['e'], &[]),
    ("node", &['e', 'p'], &["--eval", "--print"]),
    ("perl", &['e', 'E'], &[]),
    ("php", &['r'], &["--run"]),
    ("ruby", &['e'], &[]),
    ("ts-node", &['e', 'p'], &["--eval", "--print"]),
    ("tsx", &['e', 'p'], &["--eval", "--print"]),
];

fn is_python(name: &str) -> bool {
    let version = |sign: char| sign.is_ascii_digit() || sign == '.';
    ["python", "pypy"].contains(&name.trim_end_matches(version))
}

/// Programs that run a script of their own language.
pub(super) fn is_interpreter(name: &str) -> bool {
    is_python(name) || OTHERS.iter().any(|(own, ..)| *own == name)
}

/// The script that a program is given at once.
fn code_given<'t>(name: &str, rest: &[&'t str]) -> Option<&'t str> {
    if is_python(name) {
        return argument_of(rest, 'c');
    }
    let (_, letters, words) = OTHERS.iter().find(|(own, ..)| *own == name)?;
    let by_word = || {
        let at = rest.iter().position(|word| words.contains(word))?;
        rest.get(at + 1..)?.iter().copied().find(|word| !word.starts_with('-'))
    };
    let by_sign =
        || rest.iter().find_map(|word| words.iter().find_map(|own| word.strip_prefix(own)?.strip_prefix('=')));
    letters.iter().find_map(|letter| argument_of(rest, *letter)).or_else(by_word).or_else(by_sign)
}

/// The script that a program is told to run, as a path.
pub(super) fn script_named<'t>(name: &str, rest: &[&'t str]) -> Option<&'t str> {
    let is_module = is_python(name) && argument_of(rest, 'm').is_some();
    if !is_interpreter(name) || is_module || code_given(name, rest).is_some() {
        return None;
    }
    // A word that is no path is a command of the program, and a bare hyphen is what it is given to read.
    let first = rest.iter().copied().find(|word| !is_option(word) && *word != "run");
    first.filter(|word| word.contains(['.', '/']))
}

/// Whether a shell is told to run what it is given to read, so that its words are those of that.
pub(super) fn runs_given(rest: &[&str]) -> bool {
    let mut options = rest.iter().take_while(|word| word.starts_with('-'));
    options.any(|word| !word.starts_with("--") && word.contains('s'))
}

fn is_option(word: &str) -> bool {
    word.len() > 1 && word.starts_with('-')
}

/// What a script changes that a program runs, and what it is given that may be changed.
pub(super) fn interpreted(name: &str, rest: &[&str], given: Option<&str>) -> Vec<FileChange> {
    let is_python = is_python(name);
    if let Some(module) = argument_of(rest, 'm').filter(|_| is_python) {
        let words = rest.iter().skip_while(|word| **word != module).skip(1).copied().collect::<Vec<_>>();
        return may_change(module, &words);
    }
    let own = code_given(name, rest);
    let first = rest.iter().position(|word| !is_option(word));
    let reads = first.is_none_or(|at| rest.get(at) == Some(&"-"));
    let script = script_named(name, rest);
    if own.is_none() && script.is_none() && !reads {
        return may_change(name, rest);
    }
    let text = own.or(given.filter(|_| reads || script.is_some()));
    let mut found = text.map_or_else(Vec::new, if is_python { of_python } else { of_other });
    found.extend(text.map(of_commands).unwrap_or_default());
    let script_at = script.and_then(|script| rest.iter().position(|word| *word == script));
    if let Some(at) = script_at.or(first.filter(|_| own.is_none() && reads)) {
        found.extend(may_be_changed(rest.get(at + 1..).unwrap_or_default()));
    }
    found
}
