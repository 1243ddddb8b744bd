//! Of which files that is made what a command prints: it may be their text as it is, or something else.

use super::changes::{FILES, FileChange};
use super::paths::from_folder;
use super::shell_commands::operands;
use super::shell_interpreters::is_interpreter;
use super::shell_passes::{GREPS, keeps_lines, prints_lines};
use super::shell_shown::BESIDE;
use super::shell_unknown::names_path;

/// Commands whose first word is a script, or a pattern, unless an option gives it.
const SCRIPTED: &[&str] = &["awk", "gawk", "jq", "mawk", "nawk", "perl", "ruby", "sed", "yq"];
/// What ends commands that print together.
const ENDS: &[&str] = &["done", "esac", "fi", "}"];

/// The files of which what a command prints is made.
#[derive(Clone, Default)]
pub(super) struct Source {
    /// Those whose text it is, whatever the order of its lines.
    shows: Vec<String>,
    /// Whether it may be made of others.
    is_made: bool,
}

impl Source {
    /// What it makes of a file to which it is written. What is written behind what is there takes nothing of that.
    pub fn comes_to(&self, mut change: FileChange) -> FileChange {
        let is_untold = change.whole && self.is_made;
        change.from.clone_from(&self.shows);
        change.untold_if(is_untold)
    }

    /// The same where it is no text of theirs any more.
    fn made(&self) -> Source {
        Source { shows: Vec::new(), is_made: self.is_made || !self.shows.is_empty() }
    }
}

/// The files of which that is made what a command prints, which reads `input`, or what another one prints of files.
pub(super) fn source(name: &str, rest: &[&str], input: Option<&str>, piped: Option<Source>) -> Source {
    let given = match input {
        Some(path) => Source { shows: vec![path.to_owned()], is_made: false },
        None => piped.unwrap_or_default(),
    };
    match name {
        "echo" | "printf" => Source { shows: Vec::new(), is_made: rest.iter().any(|word| is_put_in(word)) },
        name if ENDS.contains(&name) => Source { shows: Vec::new(), is_made: true },
        name if BESIDE.contains(&name) => Source::default(),
        "tee" => given,
        name if keeps_lines(name, rest) => shown(rest, prints_lines(name).unwrap_or_default(), &given),
        _ => Source { is_made: given.made().is_made || reads(name, rest), ..Source::default() },
    }
}

/// What a command prints that prints its files as they are; what it is given, where it names none.
fn shown(rest: &[&str], takes: &[&str], given: &Source) -> Source {
    let files: Vec<String> = operands(rest, takes).into_iter().take(FILES).map(str::to_owned).collect();
    match (files.is_empty(), rest.contains(&"-")) {
        (true, _) => given.clone(),
        (false, false) => Source { shows: files, is_made: false },
        (false, true) => Source { shows: [files, given.shows.clone()].concat(), is_made: given.is_made },
    }
}

/// Whether a command names files that it may read.
fn reads(name: &str, rest: &[&str]) -> bool {
    if is_interpreter(name) && !SCRIPTED.contains(&name) {
        return true;
    }
    if SCRIPTED.contains(&name) || GREPS.contains(&name) {
        let takes = ["-e", "-f", "-A", "-B", "-C", "-m", "--arg", "--argjson"];
        let given = rest.iter().any(|word| matches!(*word, "-e" | "-f" | "--file") || word.starts_with("--expression"));
        return operands(rest, &takes).len() > usize::from(!given);
    }
    match prints_lines(name) {
        Some(takes) => !operands(rest, takes).is_empty(),
        None => rest.iter().any(|word| names_path(word)),
    }
}

/// Whether what another command prints, or what a name stands for, is put in a word's place.
fn is_put_in(word: &str) -> bool {
    word.starts_with('$') || word.contains("$(") || word.contains('`')
}

/// Whether two paths are written the same, but for what leads nowhere.
pub(super) fn is_same(one: &str, other: &str) -> bool {
    one == other || from_folder("", one) == from_folder("", other)
}

#[cfg(test)]
mod tests {
    use super::super::shell::written;

    /// What comes to the file `f` by the last command that changes it: the files whose text that is, and whether nobody can
    /// tell more; `None` where it is removed.
    fn comes(script: &str) -> Option<(String, bool)> {
        let last = written(script, "").into_iter().rfind(|change| change.path == "f");
        let change = last.filter(|change| !change.removes)?;
        Some((change.from.join(" "), change.is_untold()))
    }

    #[test]
    fn what_is_written_is_made_of_what_the_command_reads() {
        for (script, from, untold) in [
            ("cat a > f", "a", false),
            ("cat < a > f", "a", false),
            ("cat a | cat - b > f", "b a", false),
            ("cat a | tee f", "a", false),
            ("tee f < a", "a", false),
            ("sort a b > f", "a b", false),
            ("sort -o f a", "a", false),
            ("sort -o f f", "f", false),
            ("sort f -o f", "f", false),
            ("sort --output=f f", "f", false),
            ("dd if=a of=f bs=1M", "a", false),
            ("mv a f", "a", false),
            ("cp a f", "a", false),
            ("sed s/a/b/ a > f", "", true),
            ("sed -e s/a/b/ a > f", "", true),
            ("grep -v x a > f", "", true),
            ("grep -v x < a > f", "", true),
            ("cat a | grep -v x > f", "", true),
            ("jq . a | tee f", "", true),
            ("git show HEAD:d/a > f", "", true),
            ("python3 a.py > f", "", true),
            ("echo \"$(grep -v x f)\" > f", "", true),
            ("echo \"$new\" > f", "", true),
            ("while read -r l; do echo $l; done < a > f", "", true),
            ("sort -u a | uniq -c > f", "a", false),
            ("sort -uo f a", "a", false),
            ("sort -u -k2 f -o f", "", true),
            ("uniq a f", "a", false),
            ("cat a | sort -o f", "", true),
            ("iconv -o f f", "", true),
            ("dd if=a of=f skip=1", "", true),
            // What is read there was emptied before.
            ("grep -v x f > f", "", false),
            ("cat f > f", "", false),
            ("cat f > ./f", "", false),
            ("tee f < f", "", false),
            (": > f", "", false),
            ("> f", "", false),
            ("cp /dev/null f", "", false),
            ("cat /dev/null > f", "", false),
            ("make > f", "", false),
            ("ls src/a > f", "", false),
            ("echo a > f", "", false),
            ("truncate -s 0 f", "", false),
            ("shred f", "", false),
            ("strace -o f ls", "", false),
            ("iconv -o f a", "", false),
            ("sort -u -k2 a -o f", "", false),
            ("uniq -d a f", "", false),
            // What is behind it stays as it was.
            ("grep -v x a >> f", "", false),
        ] {
            assert_eq!(comes(script), Some((from.to_owned(), untold)), "{script}");
        }
        for script in ["rm f", "unlink f", "shred -u f", "mv f g", "git rm f", "find . -name f -exec rm f \\;"] {
            assert_eq!(comes(script), None, "{script}");
        }
    }
}
