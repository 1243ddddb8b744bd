//! Memories of which one denies what the other says, in another form of its verb: each contradicts the other.

use super::tests::memory;
use super::*;
use crate::policy::{Memory as Settings, Scope};

/// The relations of memories that are written one after the other, under the settings that nobody changed.
fn edges(texts: [&str; 2]) -> Vec<EdgeKind> {
    let (settings, mut store) = (Settings::default(), Store::new(Space::words()));
    for text in texts {
        write(&mut store, &settings, memory(text, Scope::Session), &by_words(text));
    }
    store.edges().iter().map(|edge| edge.kind).collect()
}

const VERBS: &[[&str; 2]] = &[
    ["The login requires a token.", "The login does not require a token."],
    ["The login requires a token.", "The login doesn't require a token."],
    ["The login requires a token.", "The login never requires a token."],
    ["The login requires a token.", "The login no longer requires a token."],
    ["The staging database requires a password.", "The staging database does not require a password."],
    ["The worker retries stale jobs.", "The worker does not retry stale jobs."],
    ["The parser accepts trailing commas.", "The parser doesn't accept trailing commas."],
    ["The gateway caches the answers of the ledger.", "The gateway no longer caches the answers of the ledger."],
    ["Guests can push to the main branch.", "Guests cannot push to the main branch."],
];

#[test]
fn a_denied_verb_contradicts_the_verb_in_any_form() {
    for [one, other] in VERBS {
        assert_eq!(edges([one, other]), [EdgeKind::Contradicts], "{one} / {other}");
        assert_eq!(edges([other, one]), [EdgeKind::Contradicts], "{other} / {one}");
    }
}

#[test]
fn what_denies_something_else_contradicts_nothing() {
    for [one, other] in [
        ["The login requires a token.", "The logout does not require a password."],
        ["The login requires a token.", "The login requires a token of the ledger."],
        ["The login does not require a token.", "The login never requires a token."],
        ["Server 1 runs the nightly backup.", "Server 2 does not run the nightly backup."],
        ["The parser accepts commas.", "The parser does not accept tabs in the header of a table."],
    ] {
        assert_eq!(edges([one, other]), [], "{one} / {other}");
        assert_eq!(edges([other, one]), [], "{other} / {one}");
    }
}
