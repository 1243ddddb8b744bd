//! What the names in the words of a shell stand for, as far as a script tells it: `$f` of a loop, `${f%.rs}`, `{a,b}`.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::changes::FileChange;
use super::paths::UNKNOWN;

/// Values that a name is followed through.
const VALUES: usize = 64;
/// Bytes of a path with the values of its names.
const LONG: usize = 4_096;
/// Names in one path that are followed.
const NAMES: usize = 4;
/// Programs whose words are paths: in others' braces may be their own.
const BRACED: &[&str] =
    &["", "cp", "install", "ln", "mv", "patch", "rm", "rsync", "shred", "sponge", "tee", "truncate", "unlink"];

/// What names stand for.
#[derive(Default)]
pub(super) struct Values(BTreeMap<String, Vec<String>>);

impl Values {
    /// Gives a name the values that it goes through, or has at once.
    pub(super) fn give(&mut self, name: &str, mut all: Vec<String>) {
        if all.len() > VALUES {
            all = vec![UNKNOWN.to_owned()];
        }
        if self.0.len() < VALUES {
            self.0.insert(name.to_owned(), all);
        }
    }

    /// What a word stands for, each of its words by itself.
    pub(super) fn of(&self, word: &str) -> Vec<String> {
        let listed = word.strip_prefix('(').and_then(|word| word.strip_suffix(')')).unwrap_or(word);
        let parts: Vec<&str> = listed.split_whitespace().collect();
        // A name may hold one path with blanks in it, or several.
        let whole = (parts.len() > 1 && listed == word).then_some(word);
        let all = parts.into_iter().chain(whole).flat_map(|word| braces(word, ""));
        let path = |word: &str| FileChange { path: word.to_owned(), ..FileChange::default() };
        all.flat_map(|word| self.put_into(path(&word))).map(|change| change.path).take(VALUES).collect()
    }

    /// A change with what its names stand for: one for each value.
    pub(super) fn put_into(&self, change: FileChange) -> Vec<FileChange> {
        let mut all = vec![change];
        if all.iter().any(|change| change.path.len() > LONG || change.from.iter().any(|path| path.len() > LONG)) {
            return all;
        }
        for _ in 0..NAMES {
            if all.iter().all(|change| reference(change).is_none()) {
                break;
            }
            all = all.into_iter().flat_map(|change| self.put_one(change)).take(VALUES).collect();
        }
        all.iter_mut().for_each(|change| change.path = without_groups(&change.path));
        let bracketed: Vec<FileChange> = all.iter().filter_map(bracketed).collect();
        all.extend(bracketed);
        all
    }

    /// The same for the first name of a change, wherever it stands.
    fn put_one(&self, change: FileChange) -> Vec<FileChange> {
        let Some(name) = reference(&change) else { return vec![change] };
        let known = match name.as_str() {
            "PWD" | "(pwd)" => Some(vec![".".to_owned()]),
            "HOME" => Some(vec!["~".to_owned()]),
            "TMPDIR" | "TMP" | "TEMP" => Some(vec!["/tmp".to_owned()]),
            name => self.0.get(name).cloned(),
        };
        let put = |value: Option<&str>| {
            let into = |text: &String| put(text, &name, value);
            let path = into(&change.path);
            // A name of what comes is that of the path from which it comes.
            let inner = change.name.as_ref().map(|inner| into(inner).rsplit('/').next().unwrap_or_default().to_owned());
            FileChange { path, from: change.from.iter().map(into).collect(), name: inner, ..change.clone() }
        };
        match known {
            Some(known) => known.iter().map(|value| put(Some(value))).collect(),
            None => {
                let unknown = put(None);
                // It may begin at the root.
                let rooted = format!("/{}", unknown.path);
                let rooted = rooted.starts_with("/**/").then(|| FileChange { path: rooted, ..unknown.clone() });
                rooted.into_iter().chain([unknown]).collect()
            }
        }
    }
}

/// The same change of a path in which `[ ]` is any of some signs.
fn bracketed(change: &FileChange) -> Option<FileChange> {
    let (before, rest) = change.path.split_once('[')?;
    let (_, behind) = rest.split_once(']')?;
    Some(FileChange { path: format!("{before}?{behind}"), ..change.clone() })
}

/// A path in which a group of patterns may stand for any signs: `!(keep|this)`.
fn without_groups(path: &str) -> String {
    let (mut done, mut rest) = (String::new(), path);
    while let Some(at) = rest.find('(') {
        let (before, behind) = rest.split_at(at);
        let Some((before, (_, behind))) = before.strip_suffix(['!', '@', '+', '?', '*']).zip(behind.split_once(')'))
        else {
            break;
        };
        done.push_str(before);
        done.push_str(UNKNOWN);
        rest = behind;
    }
    done + rest
}

/// The first name that a change holds.
fn reference(change: &FileChange) -> Option<String> {
    let texts = [&change.path].into_iter().chain(&change.from).chain(&change.name);
    texts.filter_map(|text| next_name(text)).map(|found| found.name.to_owned()).next()
}

/// A name in a text: the bytes that it takes, and what is done with its value.
struct Named<'t> {
    from: usize,
    to: usize,
    name: &'t str,
    change: &'t str,
}

/// The first name in a text.
fn next_name(text: &str) -> Option<Named<'_>> {
    text.match_indices('$').find_map(|(from, _)| {
        let rest = text.get(from + 1..)?;
        let is_name = |sign: char| sign.is_ascii_alphanumeric() || sign == '_';
        let named = |begin: usize| {
            let rest = rest.get(begin..).unwrap_or_default();
            let size = rest.find(|sign: char| !is_name(sign)).unwrap_or(rest.len());
            // `$@`, `$1`, `$$`
            if size > 0 { size } else { usize::from(rest.starts_with(['@', '*', '?', '$', '!', '#'])) }
        };
        let (begin, size, end) = match rest.chars().next()? {
            '(' => (0, rest.rfind(')').map_or(rest.len(), |at| at + 1), None),
            '{' => (1, named(1), Some(rest.find('}').unwrap_or(rest.len()))),
            _ => (0, named(0), None),
        };
        let name = rest.get(begin..begin + size).filter(|name| !name.is_empty())?;
        let change = end.and_then(|end| rest.get(begin + size..end)).unwrap_or_default();
        let to = from + 1 + end.map_or(begin + size, |end| (end + 1).min(rest.len()));
        Some(Named { from, to, name, change })
    })
}

/// A text with the value of a name in its places; where nobody knows it, it is anything.
fn put(text: &str, name: &str, value: Option<&str>) -> String {
    let (mut done, mut rest) = (String::new(), text);
    while let Some(found) = next_name(rest) {
        let (before, behind) = (rest.get(..found.from).unwrap_or_default(), rest.get(found.to..).unwrap_or_default());
        done.push_str(before);
        match value {
            _ if found.name != name => done.push_str(rest.get(found.from..found.to).unwrap_or_default()),
            Some(value) => done.push_str(&changed(value, found.change)),
            None => done.push_str(UNKNOWN),
        }
        if done.len() > LONG {
            return UNKNOWN.to_owned();
        }
        rest = behind;
    }
    done + rest
}

/// A value as `${f##*/}` and its like change it.
fn changed<'v>(value: &'v str, change: &str) -> Cow<'v, str> {
    let (folder, name) = value.rsplit_once('/').unwrap_or((".", value));
    match change {
        "" | "[@]" | "[*]" => Cow::Borrowed(value),
        "##*/" => Cow::Borrowed(name),
        "%/*" => Cow::Borrowed(folder),
        // Another value where it has none.
        other if [":-", ":=", ":?", "-", "="].iter().any(|sign| other.starts_with(sign)) => Cow::Borrowed(value),
        _ => Cow::Owned(format!("{folder}/*?*")),
    }
}

/// The script that stands for a word: `$(git ls-files)`.
pub(super) fn script_of(word: &str) -> Option<&str> {
    word.trim().strip_prefix("$(")?.strip_suffix(')').filter(|script| !script.starts_with('('))
}

/// The words that one with braces stands for: `a.{toml,json}`.
pub(super) fn braces<'w>(word: &'w str, program: &str) -> Vec<Cow<'w, str>> {
    let plain = || vec![Cow::Borrowed(word)];
    if !BRACED.contains(&program) || word.contains(char::is_whitespace) || word.starts_with('-') {
        return plain();
    }
    let Some((before, rest)) = at_braces(word) else { return plain() };
    match rest.split_once('}') {
        Some((inner, behind)) if inner.contains(',') && !inner.contains('{') => {
            let behind = closed(behind);
            inner.split(',').take(VALUES).map(|one| Cow::Owned(format!("{before}{one}{behind}"))).collect()
        }
        _ => vec![closed(word)],
    }
}

/// What stands before the first braces of a word that are those of no name, and behind where they open.
fn at_braces(word: &str) -> Option<(&str, &str)> {
    let opens = |at: &usize| !word.get(..*at).is_some_and(|before| before.ends_with('$'));
    let at = word.match_indices('{').map(|(at, _)| at).find(opens)?;
    word.get(..at).zip(word.get(at + 1..))
}

/// A word with anything in the place of its braces: `{1..9}`, or those that stand within or behind others.
fn closed(word: &str) -> Cow<'_, str> {
    let inner = at_braces(word).and_then(|(before, rest)| Some((before, rest.rsplit_once('}')?)));
    match inner.filter(|(_, (inner, _))| inner.contains(',') || inner.contains("..")) {
        Some((before, (_, behind))) => Cow::Owned(format!("{before}{UNKNOWN}{behind}")),
        None => Cow::Borrowed(word),
    }
}
