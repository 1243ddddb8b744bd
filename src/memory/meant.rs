//! What somebody only speaks of doing: what is suggested, considered, planned or about to be done is not done.

use super::lexer::Word;
use super::sense::stem;

/// Words behind which it stands, as "doing", what somebody thinks of.
const OF_DOING: &[&str] = &[
    "consider",
    "considered",
    "considering",
    "considers",
    "contemplated",
    "debated",
    "debating",
    "discuss",
    "discussed",
    "discussing",
    "envisaged",
    "floated",
    "imagined",
    "mentioned",
    "pondered",
    "propose",
    "proposed",
    "proposes",
    "proposing",
    "recommend",
    "recommended",
    "recommends",
    "suggest",
    "suggested",
    "suggesting",
    "suggests",
    "weighed",
    "weighing",
];
/// Words behind which it stands so with "about", "of" or the like between.
const ABOUT: &[&str] = &[
    "argued",
    "asked",
    "chance",
    "debate",
    "dreamt",
    "idea",
    "ideas",
    "option",
    "plan",
    "plans",
    "possibility",
    "proposal",
    "question",
    "spoke",
    "suggestion",
    "talk",
    "talked",
    "talking",
    "think",
    "thinking",
    "thinks",
    "thought",
    "thoughts",
    "toyed",
];
/// Words behind which it stands, as "to do", what somebody means to do.
const TO_DO: &[&str] = &[
    "about",
    "expect",
    "expected",
    "expects",
    "going",
    "hope",
    "hoped",
    "hopes",
    "hoping",
    "idea",
    "intend",
    "intended",
    "intends",
    "like",
    "meant",
    "need",
    "needed",
    "needs",
    "offered",
    "option",
    "plan",
    "planned",
    "planning",
    "plans",
    "proposal",
    "proposed",
    "proposes",
    "ready",
    "scheduled",
    "suggestion",
    "supposed",
    "want",
    "wanted",
    "wants",
    "wish",
    "wished",
    "yet",
];
/// Words behind which it stands as it is.
const MAY_DO: &[&str] = &["could", "let's", "lets", "might", "shall", "should", "will", "would"];
/// Words that may stand between.
const BETWEEN: &[&str] = &["also", "be", "have", "just", "maybe", "me", "perhaps", "probably", "simply", "then", "us"];
/// Words by which it is told of what a sentence begins with, "Doing it", that it is no more than a thought.
const THOUGHTS: &[&str] = &["considered", "discussed", "idea", "option", "possibility", "proposed", "suggested"];

/// The stems of the verbs of what a sentence only speaks of doing.
pub(super) fn meant(words: &[Word]) -> impl Iterator<Item = String> {
    let mut goes_on = false;
    let found = (0..words.len()).filter(move |at| {
        let is_doing = text(words, *at).is_some_and(|word| word.len() > 4 && word.ends_with("ing"));
        let before = at.checked_sub(1).and_then(|at| words.get(at));
        let is_joined = before.is_some_and(|word| matches!(&*word.text, "and" | "or") || word.after.contains(','));
        // "suggested moving a and renaming b"
        let found = is_doing && (is_thought_of(words, *at) || (goes_on && is_joined));
        goes_on |= found;
        found || (!is_doing && is_to_be_done(words, *at))
    });
    found.filter_map(|at| text(words, at).map(stem))
}

fn text<'a>(words: &'a [Word], at: usize) -> Option<&'a str> {
    words.get(at).map(|word| &*word.text)
}

/// Whether somebody thinks of doing what a word tells.
fn is_thought_of(words: &[Word], at: usize) -> bool {
    let back = |by: usize| at.checked_sub(by).and_then(|at| text(words, at)).unwrap_or_default();
    match back(1) {
        "" => words.iter().any(|word| THOUGHTS.contains(&&*word.text)),
        "about" | "of" | "over" | "with" => ABOUT.contains(&back(2)) || OF_DOING.contains(&back(2)),
        before => OF_DOING.contains(&before),
    }
}

/// Whether a word stands behind one by which it is told that something is to be done.
fn is_to_be_done(words: &[Word], at: usize) -> bool {
    if text(words, at).is_some_and(|word| BETWEEN.contains(&word)) {
        return false;
    }
    let mut before = (0..at).rev().filter_map(|at| text(words, at)).skip_while(|word| BETWEEN.contains(word));
    match before.next() {
        Some("to") => before.find(|word| !BETWEEN.contains(word)).is_some_and(|word| TO_DO.contains(&word)),
        Some(word) => MAY_DO.contains(&word) || word.ends_with("'ll"),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::super::lexer::words;
    use super::super::plain;
    use super::*;
    use crate::memory::{Kept, Summary, Support, align};

    #[test]
    fn what_is_only_spoken_of_is_meant() {
        let of = |text: &str| meant(&words(&plain(text))).collect::<Vec<_>>().join(" ");
        for (text, told) in [
            ("Someone suggested deleting users_old.", "delet"),
            ("We considered moving a and renaming b.", "move renam"),
            ("We thought about removing it.", "remov"),
            ("I was about to delete the branch.", "delet"),
            ("Deleting it was suggested.", "delet"),
            ("The table should also be dropped.", "drop"),
            ("I deleted the branch.", ""),
            ("I went to the host and deleted it.", ""),
        ] {
            assert_eq!(of(text), told, "{text}");
        }
    }

    #[test]
    fn what_is_only_spoken_of_is_not_done() {
        for (said, told) in [
            (
                "Someone suggested deleting the users_old table, but nothing was decided.",
                "The users_old table was deleted.",
            ),
            ("We considered moving to Kubernetes 1.29.", "We moved to Kubernetes 1.29."),
            ("We considered moving to Kubernetes 1.29 but chose to stay on ECS.", "We moved to Kubernetes 1.29."),
            ("We thought about removing the retry in http_client.py.", "The retry in http_client.py was removed."),
            ("I was about to delete branch fix-12 when you wrote.", "Branch fix-12 was deleted."),
            ("The idea of dropping table log_7 was discussed and written down.", "Table log_7 was dropped."),
            ("Ann was going to rename app.toml when the build ended.", "app.toml was renamed."),
        ] {
            assert_eq!(align(told, &[said])[0].support, Support::None, "{told} / {said}");
            assert_eq!(Summary::of(told).keeps(said), Kept::Lost, "{told} / {said}");
        }
        for (said, told) in [
            ("Someone suggested deleting the users_old table.", "It was suggested to delete the users_old table."),
            ("We considered moving to Kubernetes 1.29.", "Moving to Kubernetes 1.29 was considered."),
            (
                "We thought about removing the retry in http_client.py, and removed it.",
                "The retry in http_client.py was removed.",
            ),
            (
                "The old endpoint /v1/orders will be removed on 1 September; clients should move to /v2/orders.",
                "Clients should move from /v1/orders to /v2/orders before the old endpoint is removed on 1 September.",
            ),
            ("As you suggested, I deleted the users_old table.", "The users_old table was deleted."),
        ] {
            assert_eq!(align(told, &[said])[0].support, Support::Stands, "{told} / {said}");
        }
    }
}
