//! What a sentence tells as done and, further on, as made undone: "closed by mistake and reopened" leaves nothing closed.

use super::clauses::is_aside;
use super::lexer::{Word, text_at};
use super::sense::{ends_clause, is_empty, joins, stem};
use super::sides::excludes;
use super::stand::is_verb_of_done;
use super::words::is_silent;

/// Words by which it is made as it was before, whatever was done; and the same of two words.
const REVERSES: &[&str] = &["reinstated", "restored", "reversed", "reverted", "undid", "undone"];
const REVERSES_IN: &[[&str; 2]] =
    &[["backed", "out"], ["brought", "back"], ["put", "back"], ["rolled", "back"], ["taken", "back"], ["took", "back"]];
/// Words behind which what was taken back is named again, or nothing more of it is.
const GOES_ON: &[&str] = &[
    "after", "again", "as", "at", "back", "because", "before", "by", "due", "during", "for", "from", "in", "it", "on",
    "since", "that", "them", "this", "to", "via", "when", "with",
];
/// Words by which it is told that something is not as it was told for long.
const PASSING: &[&str] = &[
    "accidentally",
    "briefly",
    "error",
    "first",
    "initially",
    "mistake",
    "mistakenly",
    "once",
    "originally",
    "previously",
    "temporarily",
];

/// Whether a sentence tells that what it says did not last.
pub(super) fn is_passing(words: &[Word]) -> bool {
    words.iter().any(|word| PASSING.contains(&&*word.text))
}

/// The stems of the verbs of what a sentence tells as done and then as made undone, each with the stem by which that is
/// told.
pub(super) fn taken_back(words: &[Word]) -> Vec<(String, String)> {
    let text = |at: usize| text_at(words, at);
    let done = |at: usize| is_verb_of_done(text(at));
    let mut found = Vec::new();
    for at in 1..words.len() {
        let pair = REVERSES_IN.iter().any(|[one, next]| text(at) == *one && text(at + 1) == *next)
            // "it was put back", "put it back"
            || (matches!(text(at), "put" | "brought" | "took" | "rolled") && text(at + 2) == "back");
        let any = pair || REVERSES.contains(&text(at));
        if !any && done(at).is_none() {
            continue;
        }
        let Some(joint) = joint_before(words, at).filter(|_| has_no_object(words, at + usize::from(pair))) else {
            continue;
        };
        let by = stem(text(at));
        for first in (0..joint).filter(|first| done(*first).is_some()) {
            let verb = text(first);
            let again = (at + 1..words.len()).any(|later| text(later) == verb);
            if !again && (any || reverses(text(at), verb)) {
                found.push((stem(done(first).unwrap_or(verb)), by.clone()));
            }
        }
    }
    found
}

/// Whether a verb makes undone what another tells: its opposite, with "re" before it or not, or the same with "un".
fn reverses(verb: &str, of: &str) -> bool {
    let again = verb.strip_prefix("re").filter(|plain| plain.len() > 3);
    let prefixed = ["un", "dis", "de"].iter().any(|prefix| verb.strip_prefix(prefix) == Some(of));
    prefixed || excludes(verb, of) || again.is_some_and(|plain| excludes(plain, of))
}

/// The end of the clause before the one of a verb, where that speaks on of the same: between the two nothing is named.
fn joint_before(words: &[Word], at: usize) -> Option<usize> {
    let mut from = at;
    while let Some(before) = from.checked_sub(1) {
        let word = words.get(before)?;
        let parts = ends_clause(word.after) || word.after.contains([',', ';', '.']);
        if parts {
            return Some(from);
        }
        if joins(&word.text) || word.text == "then" {
            return Some(before);
        }
        let is_told = is_silent(&word.text) || is_empty(&word.text) || is_aside(&word.text) || word.text == "re";
        // Who does it may be named where it is said of "it".
        let names = at - before == 1 && matches!(text_at(words, at + 1), "it" | "that" | "them" | "this");
        if !is_told && !names {
            return None;
        }
        from = before;
    }
    None
}

/// Whether a verb names nothing new that it is done to.
fn has_no_object(words: &[Word], at: usize) -> bool {
    let ends = words.get(at).is_none_or(|word| ends_clause(word.after) || word.after.contains([',', ';', '.', '!']));
    let next = text_at(words, at + 1);
    let is_when = matches!(text_at(words, at + 2), "following" | "next" | "same");
    ends || next.is_empty() || GOES_ON.contains(&next) || joins(next) || is_when || (is_aside(next) && !is_empty(next))
}

#[cfg(test)]
mod tests {
    use super::super::measure::{Support, align};

    #[test]
    fn what_a_later_clause_takes_back_is_not_done() {
        for (told, source) in [
            ("Issue 12 was closed.", "Issue 12 was closed by mistake and reopened."),
            ("Issue 12 is closed.", "Issue 12 was closed by mistake and reopened."),
            ("The cache was enabled.", "The cache was enabled briefly and then disabled again."),
            ("PR 9 was merged.", "PR 9 was merged and then reverted."),
            ("PR 9 was merged.", "PR 9 was merged by accident and has been backed out."),
            ("PR 9 was merged.", "PR 9 was merged, but Dana reverted it."),
            ("The flag was removed.", "The flag was removed, but it was put back the next day."),
            ("The user was banned.", "The user was banned by mistake and unbanned."),
            ("The file was deleted.", "The file was deleted and restored from the backup."),
            ("The branch is locked.", "The branch was locked for a day and has been unlocked."),
        ] {
            assert_ne!(align(told, &[source])[0].support, Support::Stands, "{told} / {source}");
        }
        for (told, source) in [
            ("Issue 12 was closed by mistake.", "Issue 12 was closed by mistake and reopened."),
            ("Issue 12 was reopened.", "Issue 12 was closed by mistake and reopened."),
            ("PR 9 was merged and later reverted.", "PR 9 was merged and then reverted."),
            ("PR 9 was merged.", "PR 9 was merged, reverted and merged again."),
            ("PR 9 was merged.", "PR 9 was merged and PR 8 reverted."),
            ("We merged PR 9.", "We merged PR 9 and reverted PR 8."),
            ("The old flag was removed.", "The old flag was removed and a new one added."),
        ] {
            assert_eq!(align(told, &[source])[0].support, Support::Stands, "{told} / {source}");
        }
    }
}
