//! Sentences of coding sessions with what they stand for: restatements are never marked, and what has another bound, side,
//! subject, time or order never has support.

use super::measure::*;

fn support(source: &str, told: &str) -> Support {
    align(told, &[source]).iter().map(|one| one.support).min().expect("a sentence")
}

#[test]
fn what_is_restated_is_never_marked() {
    let wrong: Vec<_> = RESTATED.iter().filter(|(source, told)| support(source, told) == Support::None).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn what_says_otherwise_never_has_support() {
    let wrong: Vec<_> = OTHERWISE.iter().filter(|(source, told)| support(source, told) == Support::Stands).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// What was said, and a sentence that says the same.
const RESTATED: &[(&str, &str)] = &[
    ("The upload limit is 20 MB.", "Uploads larger than 20 MB are rejected."),
    ("Sessions end when they are idle for 30 minutes.", "Sessions end after 30 minutes of inactivity."),
    ("The user prefers concise replies.", "The user wants short answers."),
    ("The integration suite runs against PostgreSQL.", "The integration suite runs with PostgreSQL."),
    (
        "I renamed parse_config to load_config in src/config.rs.",
        "parse_config in src/config.rs is now called load_config.",
    ),
    ("All 214 tests pass after the fix.", "After the fix, the 214 tests are green."),
    (
        "The migration adds a nullable column archived_at to orders.",
        "orders gets a nullable archived_at column through the migration.",
    ),
    (
        "Please don't touch the vendored code under third_party/.",
        "The vendored code in third_party/ must not be changed.",
    ),
    (
        "CI uses Node 20, so the lockfile must be generated with Node 20.",
        "The lockfile has to be generated with Node 20 because CI uses it.",
    ),
    (
        "The flaky test was test_reconnect; it depended on wall-clock time.",
        "test_reconnect was flaky because it depended on wall-clock time.",
    ),
    (
        "We decided to keep SQLite and not to move to Postgres.",
        "It was decided to stay with SQLite rather than move to Postgres.",
    ),
    ("The worker retries three times before it gives up.", "The worker gives up after three retries."),
    ("Redis is only used for rate limiting.", "Rate limiting is the only use of Redis."),
    ("The API returns 404 when the project does not exist.", "For a missing project the API returns 404."),
    (
        "I removed the unused dependency lodash from package.json.",
        "lodash, an unused dependency, was removed from package.json.",
    ),
    ("The release branch is release/2.4 and it is frozen until Monday.", "release/2.4 is frozen until Monday."),
    (
        "The memory leak came from the event listener in Dashboard.tsx that was never removed.",
        "The event listener in Dashboard.tsx was never removed and leaked memory.",
    ),
    ("Logs are written to /var/log/app and rotated daily.", "Logs in /var/log/app are rotated every day."),
    ("The user asked for a dark theme.", "The user requested a dark theme."),
    ("The default page size is 50.", "Pages hold 50 items by default."),
    ("Use pnpm, not npm.", "The project uses pnpm instead of npm."),
    ("The build takes about 4 minutes on CI.", "On CI the build takes roughly 4 minutes."),
    ("I can't reproduce the crash on Linux.", "The crash could not be reproduced on Linux."),
    ("The config file is optional.", "A config file is not required."),
    ("Passwords must have at least 12 characters.", "Passwords shorter than 12 characters are not allowed."),
    ("Only admins can delete projects.", "Projects can be deleted by admins only."),
    ("The cache expires after one hour.", "Cache entries live for 60 minutes."),
    ("The script fails if DATABASE_URL is unset.", "Without DATABASE_URL the script fails."),
    ("Deploys happen every Tuesday and Thursday.", "Deploys are on Tuesdays and Thursdays."),
    ("{\"port\": 8443, \"host\": \"staging\"}", "{\"port\": 8443, \"host\": \"staging\"}"),
    ("Passwords must have at least 12 characters.", "Passwords with fewer than 12 characters are rejected."),
    ("Names may have at most 40 characters.", "Names longer than 40 characters are rejected."),
    ("Only used for tests.", "Used only for tests."),
];

/// What was said, and a sentence that says something else.
const OTHERWISE: &[(&str, &str)] = &[
    ("The upload limit is 20 MB.", "Uploads larger than 10 MB are rejected."),
    ("The upload limit is 20 MB.", "Uploads smaller than 20 MB are rejected."),
    ("The upload limit is 20 MB.", "Uploads larger than 20 MB are accepted."),
    ("Sessions end when they are idle for 30 minutes.", "Sessions end after 30 minutes of activity."),
    ("Sessions end when they are idle for 30 minutes.", "Sessions end after 30 seconds of inactivity."),
    ("The user prefers concise replies.", "The user wants long answers."),
    ("The user prefers concise replies.", "The assistant wants short answers."),
    ("The integration suite runs against PostgreSQL.", "The integration suite runs without PostgreSQL."),
    ("The integration suite runs against PostgreSQL.", "PostgreSQL runs against the integration suite."),
    ("The team voted against Postgres.", "The team voted with Postgres."),
    ("The team decided against Redis.", "The team decided for Redis."),
    (
        "I renamed parse_config to load_config in src/config.rs.",
        "load_config in src/config.rs is now called parse_config.",
    ),
    ("The worker retries three times before it gives up.", "The worker gives up after two retries."),
    ("The worker retries three times before it gives up.", "The scheduler gives up after three retries."),
    ("Redis is only used for rate limiting.", "Redis is used for caching."),
    ("Please don't touch the vendored code under third_party/.", "The vendored code in third_party/ must be changed."),
    ("The release branch is release/2.4 and it is frozen until Monday.", "release/2.4 is frozen until Friday."),
    ("The release branch is release/2.4 and it is frozen until Monday.", "release/2.4 is frozen since Monday."),
    ("We decided to keep SQLite and not to move to Postgres.", "It was decided to move to Postgres."),
    ("The API returns 404 when the project does not exist.", "The API returns 404 when the project exists."),
    ("Logs are rotated daily.", "Logs are rotated weekly."),
    ("Passwords must have at least 12 characters.", "Passwords must have at most 12 characters."),
    ("Passwords must have at least 12 characters.", "Passwords longer than 12 characters are not allowed."),
    ("Only admins can delete projects.", "Admins can only delete projects."),
    ("Only admins can delete projects.", "Admins cannot delete projects."),
    ("The cache expires after one hour.", "Cache entries live for 60 seconds."),
    ("The script fails if DATABASE_URL is unset.", "The script fails if DATABASE_URL is set."),
    ("I will add the index tomorrow.", "The index was added."),
    ("The reviewer asked the author to split the commit.", "The author asked the reviewer to split the commit."),
    ("Alice reviews the patches of Bob.", "Bob reviews the patches of Alice."),
    ("Timeouts over 60 s are rejected.", "Timeouts under 60 s are rejected."),
    ("The config file is optional.", "A config file is required."),
    ("The default page size is 50.", "The maximum page size is 50."),
    ("I can't reproduce the crash on Linux.", "The crash was reproduced on Linux."),
    ("The service ran on port 80 before the move; now it runs on 8080.", "The service runs on port 80."),
    ("Requests larger than 2 MB are rejected.", "The limit is 20 MB."),
    ("The test compares the output with the golden file.", "The test compares the output without the golden file."),
    ("The suite runs against the staging database.", "The suite runs with the production database."),
    ("{\"port\": 8443, \"host\": \"staging\"}", "{\"port\": 8444, \"host\": \"staging\"}"),
    ("The worker gives up after three retries.", "The scheduler gives up after three retries."),
    ("The worker retries three times before it gives up.", "The scheduler retries three times before it gives up."),
    ("The worker retries three times before it gives up.", "The scheduler retries three times."),
    ("The gateway logs each request and then it drops them.", "The proxy drops each request."),
    ("Passwords must have at least 12 characters.", "Passwords of 12 characters are not allowed."),
    ("Names may have at most 40 characters.", "Names shorter than 40 characters are rejected."),
    ("The connection is active for 5 minutes.", "The connection is idle for 5 minutes."),
    ("The page is inactive for 5 minutes.", "The page is active for 5 minutes."),
];
