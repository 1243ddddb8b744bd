//! Sentences that say more than what they are from: without its condition or doubt, as done, with another verb or thing.

use super::measure::{Kept, Summary, Support, align};

fn check(pairs: &[(&str, &str)], stands: bool) {
    let is_wrong = |(source, told): &&(&str, &str)| (align(told, &[*source])[0].support == Support::Stands) != stands;
    let wrong: Vec<_> = pairs.iter().filter(is_wrong).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn what_leaves_out_a_condition_has_no_support() {
    check(
        &[
            ("If the tests pass, the release goes out on Friday.", "The release goes out on Friday."),
            ("The release goes out on Friday if the tests pass.", "The release goes out on Friday."),
            ("When the disk is full, the writer stops at once.", "The writer stops at once."),
            ("Unless Frank objects, the schema changes on Monday.", "The schema changes on Monday."),
            ("The old endpoint stays as long as a client uses it.", "The old endpoint stays."),
            ("Once the audit is over, the keys are rotated by Grace.", "The keys are rotated by Grace."),
            ("Wenn die Tests grün sind, geht das Release am Freitag raus.", "Das Release geht am Freitag raus."),
            ("Si les tests passent, la version sort vendredi.", "La version sort vendredi."),
        ],
        false,
    );
    check(
        &[
            ("If the tests pass, the release goes out on Friday.", "The release goes out on Friday if the tests pass."),
            ("When I ran the tests, the parser failed on empty files.", "The parser failed on empty files."),
            ("The job runs once a day on host backup3.", "The job runs once a day on host backup3, as said."),
        ],
        true,
    );
}

#[test]
fn what_is_doubted_or_meant_is_neither_sure_nor_done() {
    check(
        &[
            ("Carol thinks the timeout is too short.", "The timeout is too short."),
            ("Grace believes the cache is stale.", "The cache is stale."),
            ("Heidi suspects that the driver leaks memory.", "The driver leaks memory."),
            ("Mallory may have deleted the backups.", "Mallory deleted the backups."),
            ("It seems the cache is stale.", "The cache is stale."),
            ("The cache is stale.", "It seems the cache is stale."),
            ("Ivan asked whether the proxy supports HTTP/2.", "The proxy supports HTTP/2."),
            ("Judy plans to move the bucket to eu-west-1.", "Judy moved the bucket to eu-west-1."),
            ("The user wants to clean up the failing tests.", "The cleanup of the failing tests is finished."),
            ("The user wants to work through PR feedback.", "The PR feedback work appears complete."),
            ("We should migrate the billing service to Kubernetes.", "The billing service was migrated to Kubernetes."),
        ],
        false,
    );
    check(&[("Carol thinks the timeout is too short.", "Carol believes the timeout is too short.")], true);
}

#[test]
fn what_has_another_verb_or_thing_has_no_support() {
    check(
        &[
            (
                "The backup job runs every night at 02:00 on host backup3.",
                "The backup job of host backup3 failed at 02:00.",
            ),
            ("The nightly import runs on host imp7 at 03:15.", "The nightly import on host imp7 crashed at 03:15."),
            ("The exporter writes CSV files to folder out7.", "The exporter reads CSV files from folder out7."),
            ("The worker waits for a lease on table jobs.", "The worker holds a lease on table jobs."),
            ("The client retries 5 times before it gives up.", "The client retries 5 times and succeeds."),
            ("The token for service ledger is rotated monthly.", "The token for service ledger is revoked monthly."),
            ("The API returns 404 for missing users.", "The API returns 404 for missing orders."),
            ("The report lists invoices from vendor Acme.", "The report lists payments from vendor Acme."),
            ("The mobile app uses SQLite for drafts.", "The mobile app uses SQLite for passwords."),
            ("Tests for module auth pass on Linux.", "Tests for module auth pass on Windows."),
            ("The lint job is green after the fix of Niaj.", "The lint job is red after the fix of Niaj."),
            (
                "The migration needs a lock on table orders.",
                "The migration needs a lock on tables orders and customers.",
            ),
            ("// Create initial commit on master (go-git default)", "Git commit iteration with go-git library"),
            ("Fixed in 3696270 - removed misleading comment.", "Fixed by removing the unreachable line."),
            ("On branch alex/x", "Pushed to `alex/x` branch"),
            ("Stage commit 1 files", "The commit is staged but not committed."),
            (
                "Added the traceparent header to all requests.",
                "Added traceparent, x-spotter-hook-event, x-spotter-hook-script headers",
            ),
            ("I added `:state` to the accept list.", "Added `:source` and `:state` to create accept list"),
        ],
        false,
    );
    check(
        &[
            ("Dana fixed the memory leak in the uploader.", "The memory leak of the uploader was fixed by Dana."),
            ("Add/update handlers for both agents", "Add handlers for both agents"),
            ("Port 5433 is used by the replica.", "The replica uses port 5433."),
            ("The queue of region west has 40 consumers.", "Region west's queue has 40 consumers."),
            ("Olivia reported that the queue drains slowly.", "Olivia reported that the queue drains slowly."),
        ],
        true,
    );
}

#[test]
fn what_stands_in_an_indented_block_of_code_is_kept_literally() {
    let told = "1. **The group is made temporary**:\n   - In the listing:\n   ```go\n   for _, group := range groups {\n       \
                group.isTemporary = true\n       group.title = names[4]\n   }\n   ```\n   - Done.";
    for fact in ["group.isTemporary = true", "    group.isTemporary = true"] {
        assert_eq!(Summary::of(told).keeps(fact), Kept::Literal, "{fact}");
    }
    assert_eq!(Summary::of(told).keeps("group.isTemporary = false"), Kept::Lost);
}
