//! Pairs of what was said and what a summary makes of it: of sentences of several clauses, names of one letter, names of
//! files, and what is still open.

use super::measure::*;

fn support(source: &str, told: &str) -> Support {
    align(told, &[source]).iter().map(|one| one.support).min().expect("a sentence")
}

fn wrong<'a>(pairs: &[(&'a str, &'a str)], is: fn(Support) -> bool) -> Vec<(&'a str, &'a str)> {
    pairs.iter().copied().filter(|(source, told)| !is(support(source, told))).collect()
}

#[test]
fn what_mixes_clauses_or_turns_names_round_has_no_support() {
    let wrong = wrong(UNSUPPORTED, |support| support == Support::None);
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn what_is_said_nowhere_is_not_supported() {
    let wrong = wrong(NOT_SAID, |support| support != Support::Stands);
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn what_a_clause_says_stands() {
    let wrong = wrong(STANDS, |support| support == Support::Stands);
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn what_is_told_in_other_words_is_not_marked() {
    let wrong = wrong(TRUE, |support| support != Support::None);
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// What was said, and a sentence that it does not support.
const UNSUPPORTED: &[(&str, &str)] = &[
    ("Redis holds the sessions and Postgres holds the orders.", "Redis holds the orders."),
    ("The api was deployed on Monday, and the web was deployed on Tuesday.", "The web was deployed on Monday."),
    ("Ann tested the login while Ben tested the signup.", "Ann tested the signup."),
    ("Windows builds are slow, but Linux builds are not.", "Linux builds are slow."),
    ("Team A owns billing. Team B owns search.", "Team A owns search."),
    ("The rollout of the patch is in progress.", "The rollout of the patch was abandoned."),
    (
        "The first job runs every day, the second job runs every week, and the third job runs every hour.",
        "The third job runs every week.",
    ),
    (
        "The first job runs every day, the second job runs every week, and the third job runs every hour.",
        "The second job runs every hour.",
    ),
    (
        "The first job runs daily. The second job runs weekly. The third job runs every hour.",
        "The third job runs weekly.",
    ),
    ("Not all users have a token, but admins do.", "All users have a token."),
    ("Not all users have a token, but admins do.", "Admins have no token."),
    ("Most endpoints need a key, but the health check does not.", "The health check needs a key."),
    ("The parser is not finished, but the lexer is.", "The parser is finished."),
    ("Guests cannot delete files, but owners can.", "Guests can delete files."),
    ("The staging server was restarted, but the production server was not.", "The production server was restarted."),
    ("Convert A to B.", "Convert B to A."),
    ("Convert A into B.", "Convert B into A."),
    ("Service A calls service B.", "Service B calls service A."),
    ("Node A is the leader. Node B is the follower.", "Node B is the leader."),
    ("Node A is the leader. Node B is the follower.", "Node A is the follower."),
    ("A is 1. B is 2.", "A is 2."),
    ("A is 1. B is 2.", "B is 1."),
    ("Job X failed. Job Y passed.", "Job Y failed."),
    ("Copy X from P to Q.", "Copy X from Q to P."),
    ("A depends on B.", "B depends on A."),
    ("User A owns the repo. User B reviews it.", "User B owns the repo."),
    ("Ops owns the parser and Finance owns the lexer.", "Ops owns the lexer."),
    ("Ops owns the parser and Finance owns the lexer.", "Finance owns the parser."),
    ("The cache is enabled in staging and the log is disabled in production.", "The cache is disabled in production."),
    ("The cache is enabled in staging and the log is disabled in production.", "The log is enabled in staging."),
    ("The parser was fixed by Ops and reviewed by Finance.", "The parser was reviewed by Ops."),
    (
        "The gateway stores sessions in Redis while the worker stores jobs in Postgres.",
        "The gateway stores jobs in Postgres.",
    ),
    (
        "The gateway stores sessions in Redis while the worker stores jobs in Postgres.",
        "The worker stores sessions in Redis.",
    ),
    ("Alice reviews the frontend, and Bob deploys the backend.", "Alice deploys the backend."),
    ("The migration of the billing tables is still open.", "The migration of the billing tables was given up."),
    ("The migration of the billing tables is still open.", "The migration of the billing tables was postponed."),
    ("The upgrade of the driver is in progress.", "The user gave up the upgrade of the driver."),
    ("The review of the parser is pending.", "The review of the parser was cancelled."),
];

/// What was said, and a sentence that says more.
const NOT_SAID: &[(&str, &str)] = &[
    ("The rollout of the patch was tested.", "The rollout of the patch was delayed."),
    ("I updated Cargo.toml.", "The lock file was updated."),
    ("We talked about the migration of the billing tables.", "The migration of the billing tables was postponed."),
    ("The user gave up on the upgrade of the driver. Ops works on it.", "The upgrade of the driver was postponed."),
    ("The review of the parser is not done yet.", "The review of the parser was dropped."),
];

/// What was said, and a sentence that says a part of it.
const STANDS: &[(&str, &str)] = &[
    ("Ann tested the login while Ben tested the signup.", "Ben tested the signup."),
    ("The api was deployed on Monday, and the web was deployed on Tuesday.", "The web was deployed on Tuesday."),
    ("I fixed the parser, then ran the tests and pushed the branch.", "I pushed the branch."),
    ("I fixed the parser, then ran the tests and pushed the branch.", "Pushed the branch."),
    (
        "The user asked for a retry and the agent added a backoff to the client.",
        "The agent added a backoff to the client.",
    ),
    ("The user wants dark mode and large fonts in the editor.", "The user wants large fonts in the editor."),
    ("Added a test for the lexer and a note for the parser.", "Added a note for the parser."),
    (
        "We split the module into two crates and moved the tests to the new crate.",
        "We moved the tests to the new crate.",
    ),
    ("Windows builds are slow, but Linux builds are not.", "Linux builds are not slow."),
    ("The old key does not work, and the new key does.", "The new key works."),
    ("Team A owns billing. Team B owns search.", "Team B owns search."),
    ("The queue depends on the scheduler.", "The queue depends on the scheduler."),
    (
        "The first job runs daily. The second job runs weekly. The third job runs every hour.",
        "The third job runs every hour.",
    ),
    (
        "The first job runs daily, the second job weekly and the third job runs every hour.",
        "The third job runs every hour.",
    ),
    (
        "The first job runs every day, the second job runs every week, and the third job runs every hour.",
        "The third job runs every hour.",
    ),
    (
        "The first job runs every day, the second job runs every week, and the third job runs every hour.",
        "The first job runs every day.",
    ),
    (
        "The first job runs daily. The second job runs weekly. The third job runs every hour.",
        "The first job runs daily, the second job runs weekly and the third job runs every hour.",
    ),
    (
        "The first job runs daily. The second job runs weekly. The third job runs every hour.",
        "The first job runs daily and the third job runs every hour.",
    ),
    ("The second worker is down and the third worker is up.", "The third worker is up."),
    ("Not all users have a token, but admins do.", "Admins have a token."),
    ("Most endpoints need a key, but the health check does not.", "The health check does not need a key."),
    ("The parser is not finished, but the lexer is.", "The lexer is finished."),
    ("Guests cannot delete files, but owners can.", "Owners can delete files."),
    (
        "The staging server was restarted, but the production server was not.",
        "The production server was not restarted.",
    ),
    ("I updated Cargo.lock.", "The lock file was updated."),
    ("The change is in Cargo.lock.", "The change is in the lock file."),
    ("Convert A into B.", "A is to be converted into B."),
    ("Node A is the leader. Node B is the follower.", "Node B is the follower."),
    ("A is 1. B is 2.", "B is 2."),
    ("Job X failed. Job Y passed.", "Job X failed and job Y passed."),
    ("A depends on B.", "A depends on B, as said."),
    ("Ops owns the parser and Finance owns the lexer.", "Finance owns the lexer."),
    ("The cache is enabled in staging and the log is disabled in production.", "The log is disabled in production."),
    ("The parser was fixed by Ops and reviewed by Finance.", "The parser was reviewed by Finance."),
    ("Ops wrote the parser and later fixed the lexer.", "Ops fixed the lexer."),
    ("Ops wrote the parser and fixed the lexer.", "Ops fixed the lexer."),
    (
        "The gateway stores sessions in Redis while the worker stores jobs in Postgres.",
        "The worker stores jobs in Postgres.",
    ),
    ("Alice reviews the frontend, and Bob deploys the backend.", "Bob deploys the backend."),
    ("The upgrade of the driver was postponed.", "The upgrade of the driver was deferred."),
    ("We gave up on the upgrade of the driver.", "The upgrade of the driver was abandoned."),
    ("The first and second job run daily, the third job runs every hour.", "The third job runs every hour."),
    ("Two jobs run daily and the third job runs every hour.", "The third job runs every hour."),
    (
        "The first job runs daily. The third job runs every hour.",
        "The first job runs daily, the third job runs every hour.",
    ),
    ("The first job runs hourly and the third job runs every hour.", "The third job runs every hour."),
    ("Job one runs daily; the third job runs hourly.", "The third job runs every hour."),
    (
        "The first job runs once a day, the second job once a week and the third job every hour.",
        "The third job runs every hour.",
    ),
];

/// What was said, and a sentence that follows from it in other words.
const TRUE: &[(&str, &str)] = &[
    ("Plan B was chosen by the user.", "The user chose plan B."),
    ("The rollout of the patch was called off.", "The rollout of the patch was cancelled."),
    ("The user said the rollout is on hold.", "The rollout was put on hold."),
    ("The agent added a backoff to the client.", "The backoff was added to the client."),
    ("I updated Cargo.lock.", "Updated the lock file."),
    ("Edited config.toml and README.md.", "The config file was edited."),
    ("Edited config.toml and README.md.", "The readme was edited."),
    ("Committed package-lock.json with the fix.", "The package lock file was committed with the fix."),
    ("The upgrade of the driver is still open. We gave up on it.", "The upgrade of the driver was given up."),
];
