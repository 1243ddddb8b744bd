//! Whether a text names a file, and as one that is there.

use memchr::memmem;

use super::meaning::in_sentences;

/// Bytes of a text around a name that are looked at.
const AROUND: usize = 400;
/// What was done to a file that is no more.
const DONE: &[&str] = &["deleted", "erased", "removed", "unlinked"];
/// How a sentence goes on that says so of what it named.
const GONE: &[&[&str]] =
    &[&["no", "longer", "exists"], &["does", "not", "exist"], &["doesn't", "exist"], &["is", "gone"], &["was", "gone"]];
/// What may stand between such a word and a name: behind the word, and before it.
const LINKS: &[&str] = &[
    "a",
    "also",
    "an",
    "and",
    "both",
    "empty",
    "entire",
    "file",
    "files",
    "following",
    "its",
    "legacy",
    "obsolete",
    "old",
    "outdated",
    "stale",
    "temporary",
    "the",
    "these",
    "this",
    "unused",
    "whole",
];
const PASSIVE: &[&str] = &["are", "been", "got", "had", "has", "have", "is", "was", "were"];
const BETWEEN: &[&str] = &["already", "also", "and", "both", "file", "files", "later", "now", "since", "then"];
/// What stands for a file that was named before.
const AGAIN: &[&str] = &["both", "it", "them", "they", "these", "this"];
/// By which a sentence says that it is not so, or not yet.
const DENIES: &[&str] = &[
    "before", "can", "could", "didn't", "don't", "hasn't", "haven't", "if", "isn't", "may", "might", "must", "never",
    "not", "should", "unless", "until", "wasn't", "weren't", "will", "would",
];

/// How texts name one file: by its path, and by how that goes on from a folder.
pub(super) struct Naming<'p>(Vec<memmem::Finder<'p>>);

impl<'p> Naming<'p> {
    pub(super) fn of(path: &'p str, folder: &str) -> Naming<'p> {
        let below = path.strip_prefix(folder.trim_end_matches('/')).and_then(|rest| rest.strip_prefix('/'));
        // A name alone may be any word, unless it has an end of its own.
        let below = below.filter(|below| !folder.is_empty() && below.contains(['/', '.']));
        let whole = Some(path).filter(|path| path.contains(['/', '.']));
        Naming([whole, below].into_iter().flatten().map(memmem::Finder::new).collect())
    }

    /// Whether a text names it other than as one that is no more.
    pub(super) fn is_in(&self, text: &str) -> bool {
        let is_there = |name: &memmem::Finder| {
            let length = name.needle().len();
            let mut all = name.find_iter(text.as_bytes()).filter(|at| stands(text, (*at, at + length)));
            all.any(|at| !is_gone(text, at, at + length))
        };
        self.0.iter().any(is_there)
    }
}

/// Whether the path at a place of a text is no part of another one.
fn stands(text: &str, (from, to): (usize, usize)) -> bool {
    let goes_on = |sign: char| sign.is_alphanumeric() || matches!(sign, '_' | '-' | '/' | '~');
    let before = text.get(..from).unwrap_or_default();
    let before = before.strip_suffix("./").filter(|rest| !rest.ends_with('.')).unwrap_or(before);
    let behind = text.get(to..).unwrap_or_default();
    // A dot ends a sentence, or goes on in a name.
    let dot = behind.strip_prefix('.').is_some_and(|rest| rest.starts_with(char::is_alphanumeric));
    !before.ends_with(|sign| goes_on(sign) || sign == '.') && !behind.starts_with(goes_on) && !dot
}

/// Whether the sentence that names a file from one byte to another says that it is no more, or the next one does.
fn is_gone(text: &str, from: usize, to: usize) -> bool {
    let begin = text.floor_char_boundary(from.saturating_sub(AROUND));
    let end = text.ceil_char_boundary((to + AROUND).min(text.len()));
    let before = text.get(begin..from).unwrap_or_default();
    let before = in_sentences(before).last().filter(|last| !ends_sentence(last)).unwrap_or_default();
    let mut behind = in_sentences(text.get(to..end).unwrap_or_default());
    let after = behind.next().unwrap_or_default();
    let next = behind.next().filter(|_| !after.ends_with('\n')).unwrap_or_default();
    let (before, after, next) = (words(before), words(after), words(next));
    let denies = |words: &[String]| words.iter().any(|word| is(word, DENIES));
    let goes = |gone: &&[&str]| {
        let at = after.iter().take_while(|word| is(word, BETWEEN)).count();
        after.iter().skip(at).take(gone.len()).eq(gone.iter())
    };
    if GONE.iter().any(goes) {
        return true;
    }
    let own = [before.as_slice(), after.as_slice()].concat();
    let is_taken = is_object(&before) || is_subject(&after) || is_taken_up(&after);
    (is_taken && !denies(&own)) || (is_taken_up(&next) && !denies(&next))
}

/// Whether a part of a text ends where a sentence does.
fn ends_sentence(part: &str) -> bool {
    part.ends_with('\n') || [". ", "! ", "? "].iter().any(|end| part.ends_with(end))
}

/// Words without the signs around them.
fn words(text: &str) -> Vec<String> {
    let word = |word: &str| word.trim_matches(|sign: char| !sign.is_alphanumeric()).to_lowercase();
    text.split_whitespace().map(word).filter(|word| !word.is_empty()).collect()
}

fn is(word: &str, all: &[&str]) -> bool {
    all.contains(&word)
}

fn is_path(word: &str) -> bool {
    word.contains(['/', '.'])
}

/// Whether what stands before a name does it to that: `deleted the file`, `removed a.rs and`.
fn is_object(before: &[String]) -> bool {
    let verb = before.iter().rev().find(|word| !(is(word, LINKS) || is_path(word)));
    verb.is_some_and(|verb| is(verb, DONE))
}

/// Whether what stands behind a name says it of that: `was deleted`, `(deleted)`.
fn is_subject(after: &[String]) -> bool {
    let between = after.iter().take_while(|word| is(word, PASSIVE) || is(word, BETWEEN) || is_path(word)).count();
    let is_passive = after.iter().take(between).any(|word| is(word, PASSIVE));
    after.get(between).is_some_and(|verb| is(verb, DONE)) && (is_passive || after.len() == between + 1)
}

/// Whether words say it of what was named before: `I deleted it`, `it has been removed`.
fn is_taken_up(words: &[String]) -> bool {
    // Behind another name it is that.
    let own = words.iter().take_while(|word| !is_path(word)).collect::<Vec<_>>();
    own.iter().enumerate().any(|(at, word)| {
        let behind = own.get(at + 1..).unwrap_or_default();
        let object = is(word, DONE) && behind.first().is_some_and(|next| is(next, AGAIN) && *next != "this");
        let object = object && behind.get(1).is_none_or(|next| *next != "from");
        let between = behind.iter().take_while(|word| is(word, PASSIVE) || is(word, BETWEEN)).count();
        let is_passive = behind.iter().take(between).any(|word| is(word, PASSIVE));
        let verb = behind.get(between).is_some_and(|verb| is(verb, DONE));
        let passive = is(word, AGAIN) && is_passive && verb;
        object || (passive && behind.get(between + 1).is_none_or(|next| *next != "from"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mentions(text: &str, path: &str, folder: &str) -> bool {
        Naming::of(path, folder).is_in(text)
    }

    #[test]
    fn a_file_is_named_by_its_whole_path_or_from_the_folder_on() {
        let path = "/w/src/a.rs";
        for text in ["See /w/src/a.rs.", "`src/a.rs` has it", "src/a.rs:12 says", "(./src/a.rs)", "\"/w/src/a.rs\""] {
            assert!(mentions(text, path, "/w"), "{text}");
        }
        for text in ["a.rs", "lib/src/a.rs", "src/a.rs.bak", "src/a.rsx", "/v/w/src/a.rs", "../src/a.rs", "src/a"] {
            assert!(!mentions(text, path, "/w"), "{text}");
        }
        assert!(mentions("the notes.md there", "/w/notes.md", "/w") && !mentions("make it", "/w/make", "/w"));
        assert!(!mentions("src/a.rs", path, "") && !mentions("", "", ""));
    }

    #[test]
    fn a_file_that_is_said_to_be_no_more_is_not_named_as_one_that_is_there() {
        let path = "/w/docs/a.md";
        for text in [
            "I deleted docs/a.md.",
            "Removed the old file `docs/a.md` and its test.",
            "Deleted files: docs/b.md, docs/a.md",
            "docs/a.md was deleted.",
            "The file docs/a.md has since been removed from the repository.",
            "- docs/a.md (deleted)",
            "docs/a.md and docs/b.md were removed.",
            "The notes were in docs/a.md; I deleted it.",
            "The notes were in docs/a.md. I deleted it then.",
            "See docs/a.md. It was removed.",
            "docs/a.md no longer exists.",
            "docs/a.md doesn't exist.",
            "Read docs/a.md and deleted it",
        ] {
            assert!(!mentions(text, path, "/w"), "{text}");
        }
        for text in [
            "Removed the key from docs/a.md.",
            "In docs/a.md two lines were deleted.",
            "docs/a.md was updated, and docs/b.md was deleted.",
            "Deleted docs/b.md. The key is in docs/a.md.",
            "docs/a.md was not deleted.",
            "docs/a.md must never be removed.",
            "docs/a.md has the key. Removed it from docs/b.md.",
            "Deleted unused imports in docs/a.md",
            "See docs/a.md. It was removed from docs/b.md.",
            "I deleted docs/a.md.\nLater I wrote docs/a.md anew.",
            "I deleted docs/b.md.\ndocs/a.md has the key.\nIt was removed",
        ] {
            assert!(mentions(text, path, "/w"), "{text}");
        }
    }
}
