//! When a sentence says that something holds, and how sure it is of it: "was" is not "is", "might be" is neither, and
//! what only one may do is not what all may.

use super::lexer::{Word, is_number, text_at};

/// Words that leave open whether a thing is so, and further ones by which that can be told.
const DOUBTS: &[&str] = &["apparently", "maybe", "might", "perhaps", "possibly", "presumably", "probably"];
const ALSO_DOUBTS: &[&str] = &[
    "assumes", "could", "guess", "likely", "may", "possible", "seem", "seems", "suspect", "suspects", "think",
    "thinks", "unclear", "unsure",
];

/// Verbs of which "should" only hopes.
const HOPED: &[&str] = &["build", "compile", "help", "now", "pass", "succeed", "work"];

/// Words by which a thing holds of nothing else, and further ones by which that can be told.
const ONLY: &[&str] = &["exclusively", "only", "solely"];
const ALSO_ONLY: &[&str] = &["alone", "but", "except", "just", "nobody", "none", "nothing", "other"];

/// Forms of to be and to have, by when that is.
const PAST: &[&str] = &["had", "was", "were"];
const PRESENT: &[&str] = &["am", "are", "has", "have", "is"];

/// What was done so that something is otherwise now: "was changed to 5" says that it is 5.
pub(super) const CHANGES: &[&str] = &[
    "bumped", "changed", "lowered", "migrated", "moved", "raised", "reduced", "renamed", "replaced", "set", "switched",
    "updated", "upgraded",
];

/// What was done and lasts: "was disabled" says that it is.
pub(super) const LASTS: &[&str] = &[
    "added",
    "archived",
    "assigned",
    "blocked",
    "capped",
    "closed",
    "configured",
    "created",
    "decreased",
    "deleted",
    "deployed",
    "disabled",
    "enabled",
    "excluded",
    "fixed",
    "included",
    "increased",
    "installed",
    "limited",
    "locked",
    "merged",
    "pinned",
    "released",
    "removed",
    "renewed",
    "restricted",
    "revoked",
    "split",
    "stored",
    "uninstalled",
];

/// What is told of the present stands in the past behind these.
const TELLS: &[&str] = &[
    "asked",
    "confirmed",
    "decided",
    "explained",
    "found",
    "learned",
    "mentioned",
    "noted",
    "reported",
    "said",
    "showed",
    "stated",
    "told",
];

/// How a sentence says what it says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Mood {
    doubts: bool,
    may_doubt: bool,
    only: bool,
    may_be_only: bool,
    past: bool,
    present: bool,
    tells: bool,
}

impl Mood {
    /// Of some words.
    pub fn of(words: &[Word]) -> Mood {
        let mut mood = Mood::default();
        for (at, word) in words.iter().enumerate() {
            let text = &*word.text;
            let before = at.checked_sub(1).and_then(|at| words.get(at));
            let next = text_at(words, at + 1);
            let has = |list: &[&str]| list.binary_search(&text).is_ok();
            let hopes = text == "should" && HOPED.contains(&next);
            mood.doubts |= has(DOUBTS) || hopes;
            mood.may_doubt |= has(DOUBTS) || has(ALSO_DOUBTS) || hopes;
            // "read-only", "not only" and "only 2" shut nobody out.
            let idle = before.is_some_and(|before| before.after == "-" || before.text == "not") || is_number(next);
            mood.only |= has(ONLY) && !idle;
            mood.may_be_only |= has(ONLY) || has(ALSO_ONLY);
            mood.tells |= has(TELLS);
            // "has moved" and "had moved" say only that it did.
            let lasts = LASTS.contains(&next) && !words.iter().any(|word| matches!(&*word.text, "again" | "until"));
            let changed = matches!(text, "was" | "were") && (CHANGES.contains(&next) || lasts);
            let helps = changed || (matches!(text, "had" | "has" | "have") && (next == "been" || next.ends_with("ed")));
            mood.past |= has(PAST) && !helps;
            mood.present |= has(PRESENT) && !helps;
        }
        mood
    }

    /// Whether what was said so can be told so: nothing in doubt is certain, nobody's own is everybody's, nothing that
    /// was is.
    pub fn holds_in(&self, other: &Mood) -> bool {
        self.is_no_surer_in(other) && !self.was_only(other) && !other.was_only(self)
    }

    /// The same, but that what is may be told as what was.
    pub fn is_no_surer_in(&self, other: &Mood) -> bool {
        (!self.doubts || other.may_doubt) && (!self.only || other.may_be_only)
    }

    /// Whether it says only of what was what another says of what is.
    pub fn was_only(&self, other: &Mood) -> bool {
        self.past && !self.present && other.present && !other.past && !self.tells
    }
}

impl Signs<7> for Mood {
    fn signs(&mut self) -> [&mut bool; 7] {
        let Mood { doubts, may_doubt, only, may_be_only, past, present, tells } = self;
        [doubts, may_doubt, only, may_be_only, past, present, tells]
    }
}

/// What a sentence has by several signs, each of which it has or not.
pub(super) trait Signs<const N: usize>: Clone + Default {
    /// The signs.
    fn signs(&mut self) -> [&mut bool; N];
}

/// Those of several sentences or parts as one: each sign that any of them has.
pub(super) fn all<T: Signs<N>, const N: usize>(parts: &[T]) -> T {
    let mut all = T::default();
    for mut part in parts.iter().cloned() {
        all.signs().into_iter().zip(part.signs()).for_each(|(one, own)| *one |= *own);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::super::lexer::words;
    use super::super::plain;
    use super::*;

    #[test]
    fn what_was_may_be_or_is_of_few_is_not_what_is() {
        for list in [DOUBTS, ALSO_DOUBTS, ONLY, ALSO_ONLY, PAST, PRESENT, TELLS] {
            assert!(list.is_sorted(), "a search needs them so");
        }
        let holds = |one: &str, other: &str| Mood::of(&words(&plain(one))).holds_in(&Mood::of(&words(&plain(other))));
        for (one, other) in [
            ("The gateway was down.", "The gateway is down."),
            ("The job had the lock.", "The job has the lock."),
            ("The key might be 7.", "The key is 7."),
            ("Only admins may delete it.", "Users may delete it."),
        ] {
            assert!(!holds(one, other), "{one} / {other}");
        }
        for (one, other) in [
            ("The gateway is down.", "The user said that the gateway was down."),
            ("It has moved to host_7.", "It was moved to host_7."),
            ("Perhaps the key is 7.", "The key may be 7."),
            ("Only admins may delete it.", "Nobody but admins may delete it."),
            ("Only 2 of 9 pass.", "2 of 9 pass."),
            ("The disk is read-only.", "The disk is for reading."),
        ] {
            assert!(holds(one, other), "{one} / {other}");
        }
    }
}
