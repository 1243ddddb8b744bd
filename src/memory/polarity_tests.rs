//! Tests of whether two sentences about the same say that it holds.

use super::*;

fn agree(one: &str, other: &str) -> Option<bool> {
    Polarity::of(one).agrees(&Polarity::of(other))
}

#[test]
fn what_does_not_hold_may_be_said_in_many_words() {
    let mut wrong = Vec::new();
    for (one, other) in [
        ("the printer lacks toner", "The printer on the second floor is out of toner."),
        ("the printer has no toner", "Toner is missing in the printer upstairs."),
        ("no disk space is left on the build host", "The build host ran out of disk space."),
        ("the readme does not mention the licence", "The licence is missing from the readme."),
        ("the login works without a token", "The login requires no token."),
        ("caching is turned off in production", "The cache must be disabled in production."),
        ("production should not cache", "Caching is disabled in production."),
        ("Alice is forbidden to merge", "Alice is not allowed to merge."),
        ("do not remove the old index", "Keep the old index."),
        ("the tests of the parser fail", "The parser tests do not pass."),
        ("the nightly job does not succeed", "The nightly job fails."),
        ("the endpoint is not public", "The endpoint is private."),
        ("the repo is not private", "The repo is public."),
        ("never skip the linter", "Always run the linter."),
        ("the port is not closed", "The port is open."),
        ("the request was not accepted", "The request was rejected."),
        ("tests are excluded from the bundle", "The bundle does not include the tests."),
        ("the vendor folder is left out of the scan", "The scan does not cover the vendor folder."),
        ("we avoid global state", "Do not use global state."),
        ("do not use grep", "Use ripgrep instead of grep."),
        ("openssl headers are needed for the build", "The build fails without the openssl headers."),
        ("the sandbox has no network access", "Network access is blocked in the sandbox."),
        ("dark mode is switched off for guests", "Guests do not get dark mode."),
        ("the docs are incomplete", "The docs are not complete."),
        ("the password check is unsafe", "The password check is not safe."),
        ("the flag has been removed", "The flag no longer exists."),
        ("the cache is not disabled", "The cache is enabled."),
        ("we do not use Redis for sessions", "We decided against Redis for sessions."),
        ("without the proxy uploads fail", "The upload fails without the proxy."),
        ("the discount goes up by 20 percent", "The discount increases by 20 percent."),
    ] {
        let found = [agree(one, other), agree(other, one)];
        wrong.extend(found.contains(&Some(false)).then(|| format!("{one} = {other}: {found:?}")));
        wrong.extend((!found.contains(&Some(true))).then(|| format!("{one} = {other}: {found:?}")));
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn what_holds_is_the_opposite_of_what_does_not() {
    let mut wrong = Vec::new();
    for (one, other) in [
        ("the printer has enough toner", "The printer on the second floor is out of toner."),
        ("the printer has toner", "The printer lacks toner."),
        ("we use Redis for sessions", "The team decided against using Redis for sessions."),
        ("without the proxy uploads fail", "The upload works without the proxy."),
        ("the discount goes up by 20 percent", "The discount decreases by 20 percent."),
        ("the printer does not lack toner", "The printer lacks toner."),
        ("caching is turned on in production", "The cache must be disabled in production."),
        ("the feature is turned on", "The feature must be disabled."),
        ("Alice can merge", "Alice is not allowed to merge."),
        ("the build works without openssl headers", "The build fails without the openssl headers."),
        ("production caches responses", "Caching of responses is disabled in production."),
        ("keep the old index", "Remove the old index."),
        ("telemetry is active by default", "Telemetry is switched off by default."),
        ("the backup is complete", "The backup is incomplete."),
        ("the licence is mentioned in the readme", "The licence is missing from the readme."),
        ("the sandbox has network access", "Network access is blocked in the sandbox."),
        ("the old API is supported", "Support for the old API was dropped."),
        ("the queue is empty", "The queue is full."),
        ("use grep", "Use ripgrep instead of grep."),
        ("all the parser tests pass", "All tests pass except the parser tests."),
    ] {
        let found = agree(one, other);
        wrong.extend((found != Some(false)).then(|| format!("{one} / {other}: {found:?}")));
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn what_is_denied_of_something_else_tells_nothing() {
    let mut wrong = Vec::new();
    for (one, other) in [
        ("the deploy uses port 8080", "The deploy skips the tests and uses port 8080."),
        ("the cache lives in production", "The cache lives in production without a password."),
        ("the parser accepts comments", "The parser accepts comments but not trailing commas."),
        ("the mail server is in Oslo", "The mail server, which has no backup, is in Oslo."),
        ("use ripgrep", "Use ripgrep instead of grep."),
        ("use 3 workers at most", "Use no more than 3 workers."),
        ("the printer is on the second floor", "The broken printer is on the second floor."),
        ("the config is read at start", "The config is read at start, not at each request."),
        ("the printer lacks toner", "The office lacks a projector."),
        ("the cache is disabled", "The retry is enabled."),
    ] {
        let found = agree(one, other);
        wrong.extend((found == Some(false)).then(|| format!("{one} / {other}")));
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    let long = "the cache is disabled and ".repeat(4_000);
    assert_eq!(agree(&long, &long), None, "what is that long is data");
}

#[test]
fn words_of_a_kind_stand_once() {
    for list in [HOLDING, DENYING] {
        assert!(list.is_sorted(), "{:?}", list.iter().zip(list.iter().skip(1)).find(|(one, next)| one > next));
    }
    let all = HOLDING.iter().chain(DENYING).chain(PAIRS.iter().flatten().copied().flatten());
    let mut seen = BTreeSet::new();
    for word in all {
        assert!(seen.insert(word), "{word}");
    }
}

#[test]
fn what_is_given_to_another_is_the_opposite() {
    for (one, other) in [
        ("staging host: db-2, prod host: db-1", "The staging host is db-1."),
        ("Copy from bucket-b to bucket-a.", "Copy from bucket-a to bucket-b."),
        ("Some uploads are encrypted.", "All uploads are encrypted."),
    ] {
        assert!(Assertion::of(one).is_opposite_of(&Assertion::of(other)), "{one} / {other}");
    }
    for (one, other) in [
        ("Copy from bucket-a to bucket-b.", "Copy from bucket-a to bucket-b."),
        ("All uploads are encrypted.", "All uploads are encrypted."),
    ] {
        assert!(!Assertion::of(one).is_opposite_of(&Assertion::of(other)), "{one} / {other}");
    }
}
