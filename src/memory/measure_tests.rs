//! What summaries keep of facts, and which of their sentences stand, on sentences that turn their sources round.

use super::measure::*;
use super::near::Backing;

#[test]
fn a_fact_is_kept_literally_in_other_words_or_not() {
    let summary = Summary::of("The server listens on port 8443. Staging was moved to host_7 yesterday.");
    assert_eq!(summary.keeps("the  server listens on PORT 8443"), Kept::Literal);
    // Three of four words: moved, staging, host_7, and not Monday.
    assert_eq!(summary.keeps("We moved staging to host_7 on Monday."), Kept::Paraphrase);
    assert_eq!(summary.keeps("We moved staging to host_8 on Monday."), Kept::Lost);
    assert_eq!(summary.keeps("Lunch is at 12."), Kept::Lost);
}

#[test]
fn a_summary_that_turns_a_fact_round_has_lost_it() {
    let summary = Summary::of(
        "The port is 8080. The vault is sealed on host alpha7, not open. Delete table users_v2. The retry limit was \
         raised from 20 to 10.",
    );
    for fact in [
        "The port is 80.",
        "The vault is not sealed on host alpha7.",
        "Never delete table users_v2.",
        "Retry limit was raised from 10 to 20.",
    ] {
        assert_eq!(summary.keeps(fact), Kept::Lost, "{fact}");
    }
    // The other way: what is denied now was affirmed.
    let summary = Summary::of("Never delete table users_v2, and the port is 80.");
    assert_eq!(summary.keeps("Delete table users_v2."), Kept::Lost);
    assert_eq!(summary.keeps("The port is 80."), Kept::Literal);
}

#[test]
fn a_sentence_that_turns_its_source_round_has_no_support() {
    let source = "The vault is not sealed on host alpha7. Never delete table users_v2. It rose from 10 to 20.";
    let told =
        "The vault is sealed on host alpha7. Delete table users_v2. It rose from 20 to 10. It rose from 10 to 20.";
    let found: Vec<bool> = align(told, &[source]).iter().map(|one| one.support == Support::Stands).collect();
    assert_eq!(found, [false, false, false, true]);
    let both = align("The vault is sealed.", &["The vault is not sealed.", "The vault is sealed."]);
    assert_eq!((both[0].support, both[0].from), (Support::Stands, Some((1, (0, 20)))));
}

#[test]
fn opposites_that_are_said_of_different_things_stand() {
    for (source, sentence) in [
        ("test result: FAILED. 41 passed; 3 failed; 2 ignored", "41 tests passed and 3 failed."),
        ("I enabled the cache and disabled the retry.", "The cache was enabled and the retry disabled."),
        ("Added the logger module and removed the print helper.", "The logger module was added."),
        ("Opened PR 114 and closed PR 109.", "PR 109 was closed and PR 114 opened."),
        ("Tests: 3 failed, 41 passed, 44 total", "3 of 44 tests failed."),
        ("Tests  3 failed | 41 passed (44)", "41 of 44 tests passed."),
    ] {
        assert_ne!(align(sentence, &[source])[0].support, Support::None, "{sentence} from {source}");
    }
    for (source, sentence) in [
        ("I enabled the cache and disabled the retry.", "Disabled the cache and enabled the retry."),
        ("5 of 44 tests failed.", "44 of 5 tests failed."),
    ] {
        assert_ne!(align(sentence, &[source])[0].support, Support::Stands, "{sentence} from {source}");
    }
}

#[test]
fn a_line_that_is_but_a_number_is_no_source_of_what_has_that_number() {
    let asked = "Please wrap commit_event, file_snapshot and tool_call in spans. The other handlers are fine.";
    let counts = "0\n1\n2\n2\n2\n3\n2\n2\n2\n2\n2\n2\nexit 0";
    let told = "commit_event/2, file_snapshot/2, tool_call/2 are all wrapped in spans.";
    let found = &align(told, &[asked, counts])[0];
    assert_eq!(found.from.map(|(source, _)| source), Some(0));
    assert!(found.score > 0.0);
    let found = &align("Exit codes of commit_event/2 differ.", &[counts])[0];
    assert!(found.from.is_none() || found.score > 0.0, "{found:?}");
}

#[test]
fn what_a_box_says_is_done_stands_and_what_it_leaves_open_does_not() {
    let of = |told: &str, source: &str| align(told, &[source])[0].support;
    assert_eq!(of("Created the staging database.", "Bash createdb\n[x] Create the staging database"), Support::Stands);
    assert_ne!(of("Created the staging database.", "Bash createdb\nCreate the staging database"), Support::Stands);
    assert_ne!(of("Migrated the billing tables.", "[ ] Migrate the billing tables\npending"), Support::Stands);
    assert_ne!(of("日志保留九十天，备份不得删除。", "日志保留三十天，备份不得删除。"), Support::Stands);
    assert_eq!(of("日志保留30天，备份不得删除。", "日志保留三十天，备份不得删除。"), Support::Stands);
}

#[test]
fn what_a_source_says_of_another_supports_nothing() {
    let sources = ["The port of host_0 is 8000. The port of host_1 is 8001.", "The limit is 5 MB. It needs 3.10."];
    let told = "The port of host_1 is 8000. The port of host_1 is 8001. The limit is 5 GB. It needs 3.1.";
    let found: Vec<bool> = align(told, &sources).iter().map(|one| one.support == Support::Stands).collect();
    assert_eq!(found, [false, true, false, false]);
    // What two sentences say may be said in one.
    assert_eq!(align("The ports of host_0 and host_1 are 8000 and 8001.", &sources)[0].support, Support::Stands);
}

#[test]
fn a_summary_with_other_units_signs_or_names_has_lost_a_fact() {
    for (fact, told, kept) in [
        ("The upload limit of the gateway is 5 MB.", "The upload limit of the gateway is 5 GB.", Kept::Lost),
        ("Dividend of acme_1 grew 10\u{b2} fold.", "Dividend of acme_1 grew 102 fold.", Kept::Lost),
        ("Access code of the vault is Qx7rT.", "Access code of the vault is qX7Rt.", Kept::Lost),
        ("The build of module_x costs 1,500 dollars.", "The build of module_x costs 1500 dollars.", Kept::Paraphrase),
        ("The timeout of the proxy is 30 ms.", "The timeout of the proxy is 30 milliseconds.", Kept::Paraphrase),
    ] {
        assert_eq!(Summary::of(told).keeps(fact), kept, "{fact}");
    }
}

#[test]
fn who_does_what_when_and_where_is_a_part_of_a_fact() {
    for (fact, told) in [
        ("Billing reviews pr_12 and ledger reviews pr_13.", "Ledger reviews pr_12 and billing reviews pr_13."),
        ("Prod uses db_7 and staging uses db_8.", "Staging uses db_7 and prod uses db_8."),
        ("Writes go to port 5000 and reads go to port 3000.", "Reads go to port 5000 and writes go to port 3000."),
        ("The limit is 3 for reads and 5 for writes.", "The limit is 5 for reads and 3 for writes."),
        ("Move the data of job_8 from Paris to Oslo.", "Move the data of job_8 from Oslo to Paris."),
        ("host_1 is up and host_2 is down.", "host_1 is down and host_2 is up."),
        ("The config is in /etc/app/main.conf since 2024.", "The config is in /etc/dev/main.conf since 2024."),
        ("Use branch feature/login for pr_12.", "Use branch feature/logout for pr_12."),
        ("The pilot fee is $5 million for plan_1.", "The pilot fee is $5 billion for plan_1."),
        ("Start at 9 am on host_1.", "Start at 9 pm on host_1."),
        ("Ops was admin of host_1.", "Ops is admin of host_1."),
        ("The password of db_1 might be hunter2.", "The password of db_1 is hunter2."),
        ("Only admins may delete index_7.", "Users may delete index_7."),
        ("At least 3 replicas of svc_9 are required.", "Exactly 3 replicas of svc_9 are required."),
    ] {
        assert_eq!(Summary::of(told).keeps(fact), Kept::Lost, "{fact} / {told}");
        assert_eq!(align(told, &[fact])[0].support, Support::None, "{fact} / {told}");
    }
    for (fact, told) in [
        ("Prod uses db_7 and staging uses db_8.", "Staging uses db_8 and prod uses db_7."),
        ("Reads use port 3000, writes use port 5000.", "Writes use port 5000, reads use port 3000."),
        ("The limit is 3 for reads and 5 for writes.", "The limit is 5 for writes and 3 for reads."),
        ("Only admins may delete index_7.", "Deleting index_7 is allowed for admins only."),
        ("We fixed the bug in /srv/app/src/parser.rs.", "The bug in src/parser.rs was fixed."),
        ("The fee is $5 million for plan_1.", "The fee for plan_1 is 5,000,000 dollars."),
    ] {
        assert_eq!(Summary::of(told).keeps(fact), Kept::Paraphrase, "{fact} / {told}");
        assert_eq!(align(told, &[fact])[0].support, Support::Stands, "{fact} / {told}");
    }
}

#[test]
fn what_stands_on_a_sentence_without_support_has_none() {
    let sources = ["We chose tabs. The port is 9000. Cats purr.", "The port is 8443."];
    let invented = |source: usize, sentence: &str| match source {
        0 if ["The port is 9000.", "Cats purr."].contains(&sentence) => Support::None,
        _ => Support::Stands,
    };
    let found = align_through(
        "The port is 9000. We chose tabs. The port is 8443. Cats purr.",
        &sources.map(Backing::said),
        &invented,
    );
    assert_eq!(found.iter().map(|one| one.support == Support::Stands).collect::<Vec<_>>(), [false, true, true, false]);
    assert_eq!(found[0].from, Some((0, (15, 32))), "it is told what it stands on");
}

#[test]
fn what_is_drawn_from_several_sentences_is_left_open() {
    assert_eq!(
        align("They show it under a shared header.", &["So they show it, grouped under a single header."])[0].support,
        Support::Open
    );
    let talk = Backing::said("I need to update the tests of parser_1. The file lexer_2 has 97 lines of 100.");
    let act = Backing { text: "Edit src/parser_1.rs", acts: true };
    let other = Backing { text: "Edit src/lexer_2.rs", acts: true };
    let of = |told: &str, sources: &[Backing]| align_through(told, sources, &|_, _| Support::Stands)[0].support;
    // Nobody did it, or somebody may have.
    assert_eq!(of("Updated the tests of parser_1.", &[talk]), Support::None);
    assert_eq!(of("Updated the tests of parser_1.", &[talk, other]), Support::None);
    assert_eq!(of("Updated the tests of parser_1.", &[talk, act]), Support::Open);
    assert_eq!(of("Work on parser_1 and lexer_2 went on nicely in the end.", &[talk]), Support::Open);
    assert_eq!(of("Work on parser_1 and lexer_3 went on nicely in the end.", &[talk]), Support::None);
    let told = "# Files of 2026\n- `lexer_2` (step 4):\nWrite/Read helped with lexer_2 while much else went on.";
    let found = align_through(told, &[talk], &|_, _| Support::Stands);
    assert_eq!(found.iter().map(|one| one.support).collect::<Vec<_>>(), [Support::Open]);
}

#[test]
fn lines_of_files_and_tasks_are_kept_as_they_are_said() {
    let file = "     1\u{2192}Welcome to it\n     2\u{2192}Timeout is 30 seconds";
    let facts: Vec<&str> = facts_of(file).into_iter().map(|(from, to)| &file[from..to]).collect();
    assert_eq!(facts, ["Timeout is 30 seconds"]);
    for (fact, told, kept) in [
        ("Timeout is 30 seconds", "- **Timeout** is `30` seconds", Kept::Literal),
        ("[ ] Rotate key_4 on host_2", "- [x] Rotate key_4 on host_2", Kept::Lost),
        ("Should I delete bucket_9?", "Delete bucket_9.", Kept::Lost),
        ("Delete bucket_9.", "Should I delete bucket_9?", Kept::Lost),
        ("Please open port 8443.", "The user asked to open port 8443.", Kept::Paraphrase),
        ("If queue_7 is full, restart host_1.", "queue_7 is full; restart host_1.", Kept::Lost),
        ("The timeout is 30 seconds instead of 10.", "The timeout changed from 10 to 30 seconds.", Kept::Paraphrase),
        ("Numbers (94, 17, 68) with sum 307", "Numbers [94, 17, 68] with sum 307", Kept::Paraphrase),
        ("ABC-123 is blocked by ABC-99.", "ABC-99 blocks ABC-123.", Kept::Paraphrase),
        ("ABC-123 is blocked by ABC-99.", "ABC-123 blocks ABC-99.", Kept::Lost),
        ("It was built at 9fceb02d0ae598e95dc970b74767f19372d61af8.", "Built at 9fceb02.", Kept::Paraphrase),
    ] {
        assert_eq!(Summary::of(told).keeps(fact), kept, "{fact} / {told}");
    }
    let wide = "\u{7aef}\u{53e3}".repeat(90) + "8443\u{3002}";
    assert_eq!(facts_of(&wide).len(), 1, "400 characters, not bytes");
}

#[test]
fn facts_are_sentences_with_figures() {
    let text = "All is well. The port is 8443. The port is 8443! see file_7\nok";
    let words: Vec<&str> = facts_of(text).into_iter().map(|(from, to)| &text[from..to]).collect();
    assert_eq!(words, ["The port is 8443.", "The port is 8443!", "see file_7"]);
    assert!(facts_of("1. 204 }; a 41").is_empty() && facts_of("港口 8443").len() == 1);
}

#[test]
fn a_sentence_leads_to_its_source_and_one_without_is_marked() {
    let sources = ["Nothing here.", "We chose tabs. The port is 8443 on staging."];
    let found = align("On staging the port is 8443. The port is 9000. Cats purr.", &sources);
    assert_eq!(found[0].from, Some((1, (15, 43))));
    assert_eq!((found[0].score, found[0].support), (1.0, Support::Stands));
    // port stands there, 9000 nowhere.
    assert_eq!((found[1].score, found[1].support), (0.5, Support::None));
    assert_eq!((found[2].from, found[2].support), (None, Support::None));
}

#[test]
fn what_was_asked_for_is_not_done_and_a_denial_stands() {
    let asked = Backing::said("Delete the backups in bucket_9 and restart node_4. Run the tests of mod_3.");
    let denied = Backing::said("I have no rights to do that. The tests of mod_3 do **not** pass yet.");
    let act = Backing { text: "rm -r bucket_9; restart node_4", acts: true };
    let of = |told: &str, sources: &[Backing]| align_through(told, sources, &|_, _| Support::Stands)[0].support;
    let told = "Deleted the backups in bucket_9 and restarted node_4.";
    assert_eq!(of(told, &[asked, denied]), Support::None);
    assert_eq!(of(told, &[asked, act]), Support::Open);
    assert_eq!(of("The tests of mod_3 pass.", &[asked, denied]), Support::None);
    assert_eq!(
        of("The user asked to delete the backups in bucket_9 and to restart node_4.", &[asked]),
        Support::Stands
    );
    assert_eq!(Summary::of(told).keeps("Delete the backups in bucket_9 and restart node_4."), Kept::Lost);
}

#[test]
fn what_is_said_of_another_is_lost_and_left_open() {
    for (fact, told) in [
        ("The authentication of host_1 takes 30 ms.", "The authorization of host_1 takes 30 ms."),
        ("The transaction log of db_7 is 5 GB.", "The transport log of db_7 is 5 GB."),
        ("The frontend listens on port 8080 since the last deploy.", "The backend listens on port 8080."),
        ("Redis runs version 7.2 there.", "Postgres runs version 7.2 there."),
        ("Ops reviews pr_12.", "Finance reviews pr_12."),
        ("The part of retries is in getUserById now.", "The part of retries is in getUserByName now."),
    ] {
        assert_eq!(Summary::of(told).keeps(fact), Kept::Lost, "{fact} / {told}");
        let support = if told.contains("getUser") { Support::None } else { Support::Open };
        assert_eq!(align(told, &[fact])[0].support, support, "{fact} / {told}");
    }
    for (fact, told) in [
        ("Delete index_7 of db_1.", "Remove index_7 of db_1."),
        ("We use Redis 7.2 there.", "The team uses Redis 7.2 there."),
    ] {
        assert_eq!(Summary::of(told).keeps(fact), Kept::Paraphrase, "{fact} / {told}");
    }
}

#[test]
fn what_is_done_to_a_thing_is_part_of_a_sentence() {
    let long = "The script created the table users_v2 in staging, removed the old cache and updated the docs.";
    for (told, support) in [
        (long, Support::Stands),
        (
            "The script deleted the table users_v2 in staging, removed the old cache and updated the docs.",
            Support::None,
        ),
        (
            "The script truncated the table users_v2 in staging, removed the old cache and updated the docs.",
            Support::Open,
        ),
        (
            "The script added the table users_v2 in staging, removed the old cache and updated the docs.",
            Support::Stands,
        ),
    ] {
        assert_eq!(align(told, &[long])[0].support, support, "{told}");
        let kept = if support == Support::Stands { Kept::Paraphrase } else { Kept::Lost };
        assert_eq!(Summary::of(told).keeps(long), if told == long { Kept::Literal } else { kept }, "{told}");
    }
    let fixed = "The user suggested to group checkpoints by session_id instead of one group.";
    let asked = "Instead of grouping all in a single group, we should group checkpoints by session_id.";
    assert_ne!(align(fixed, &[asked])[0].support, Support::None);
    // Where nothing speaks of what is said to be done, or it was only advised, nobody can tell.
    for (told, source) in [
        ("Pushed to branch feature/login", "On branch feature/login"),
        ("The files of pr_7 are already staged.", "The files of pr_7 are already formatted."),
        ("Added the constant HOOK_END to types.go", "Consider adding the constant HOOK_END to types.go"),
    ] {
        assert_ne!(align(told, &[source])[0].support, Support::Stands, "{told}");
    }
    let act = Backing { text: "edit types.go: constant HOOK_END", acts: true };
    let done = align_through("Added the constant HOOK_END to types.go", &[act], &|_, _| Support::Stands);
    assert_eq!(done[0].support, Support::Stands);
    // What is named by a denial is not denied.
    let named = "It returns early for two matches of svc_3, the same error as \"not found\".";
    assert_ne!(
        align("Fixed the matches of svc_3 (same error as \"not found\" returned)", &[named])[0].support,
        Support::None
    );
    let talk = Backing::said("There are comments of pr_7 that I haven't replied to yet.");
    let act = Backing { text: "gh api pr_7/replies comments", acts: true };
    let of = |sources: &[Backing]| {
        align_through("Replied to all comments of pr_7.", sources, &|_, _| Support::Stands)[0].support
    };
    assert_eq!((of(&[talk]), of(&[talk, act])), (Support::None, Support::Open));
}

#[test]
fn numbers_in_words_units_and_what_numbers_name_are_held_against_the_text() {
    let text = "The team dropped Windows 7. The tool needs Python 3 on the host. Phase 2 of the plan covers the importer. \
                The tank holds 30 litres of water. The worker restarts twice a day. The service must answer within two \
                seconds. The client retries 4 times. The sensor reports every 5 minutes. The disk has 10 errors.";
    for told in [
        "The team dropped Windows 10.",
        "The tool needs Python 2 on the host.",
        "Phase 3 of the plan covers the importer.",
        "The tank holds 30 gallons of water.",
        "The worker restarts twice a week.",
        "The worker restarts three times a day.",
        "The service must answer within two minutes.",
        "The client retries six times.",
        "The sensor reports every five hours.",
        "The command python3 was not found.",
    ] {
        let found = align(told, &[text, "The command python was not found.", "python3 works"]);
        assert_ne!(found[0].support, Support::Stands, "{told}");
    }
    for told in [
        "The worker restarts 2 times a day.",
        "The service must answer within 2 seconds.",
        "The client retries four times.",
        "The sensor reports every 300 seconds.",
        "The tank holds thirty litres of water.",
    ] {
        assert_eq!(align(told, &[text])[0].support, Support::Stands, "{told}");
    }
    assert_eq!(facts_of("It must answer within two seconds. It is the one thing of that kind.").len(), 1);
}

#[test]
fn a_share_is_told_in_either_order() {
    for (fact, told) in [
        ("5 hosts of cluster_a, 3 down", "3 of 5 hosts of cluster_a are down"),
        ("Of 12 tests in mod_3, 11 pass.", "11 of 12 tests in mod_3 pass."),
        ("12 tests in mod_3, 11 passed", "11/12 tests in mod_3 passed"),
    ] {
        assert_eq!(Summary::of(told).keeps(fact), Kept::Paraphrase, "{fact} / {told}");
        assert_eq!(align(told, &[fact])[0].support, Support::Stands, "{fact} / {told}");
        assert_eq!(align(fact, &[told])[0].support, Support::Stands, "{told} / {fact}");
    }
    for (fact, told) in [
        ("5 hosts of cluster_a, 3 down", "2 of 5 hosts of cluster_a are down"),
        ("5 hosts of cluster_a, 3 down", "5 of 3 hosts of cluster_a are down"),
    ] {
        assert_eq!(align(told, &[fact])[0].support, Support::None, "{fact} / {told}");
    }
}

#[test]
fn names_of_several_words_are_one() {
    for (fact, told) in [
        ("The flag new-checkout-flow is on for all users.", "The flag old-checkout-flow is on for all users."),
        ("We depend on the package left-pad for that.", "We depend on the package right-pad for that."),
    ] {
        assert_eq!(Summary::of(told).keeps(fact), Kept::Lost, "{fact} / {told}");
        assert_eq!(align(told, &[fact])[0].support, Support::None, "{fact} / {told}");
        assert_eq!(facts_of(fact).len(), 1, "{fact}");
    }
    assert_eq!(facts_of("The p99 is 1.2s.").len(), 1);
    assert!(facts_of("It is a well-known, up-to-date thing. p99").is_empty());
}

#[test]
fn what_is_copied_word_for_word_stands() {
    let file = "   707\tfn retry() {\n   708\t    // the retry bug of net is here because limit 703\n   709\t}";
    let told = "708\t    // the retry bug of net is here because limit 703";
    let found = align(told, &[file]);
    assert_eq!((found[0].support, found[0].score), (Support::Stands, 1.0));
    let (source, (from, to)) = found[0].from.unwrap();
    assert_eq!((source, &file[from..to]), (0, told));
    // Not where what it is copied from has no support itself.
    let told = "The port is 80.";
    let found = align_through(told, &[Backing::said(told)], &|_, _| Support::None);
    assert_eq!(found[0].support, Support::None);
}

#[test]
fn a_number_of_something_else_keeps_no_fact() {
    for (fact, told) in [
        ("Use 4 blanks for TOML files.", "The user made four changes to TOML files; blanks were discussed."),
        ("Use 4 blanks for TOML files.", "The user made 4 changes to TOML files; blanks were discussed."),
        ("The parser needs 3 threads.", "The parser needs 3 files and the threads."),
        ("// - session-end (1)", "One session end hook was written."),
    ] {
        assert_eq!(Summary::of(told).keeps(fact), Kept::Lost, "{told}");
    }
    for (fact, told) in [
        ("Use 4 blanks for TOML files.", "For TOML files four blanks are to be used."),
        ("The parser needs 3 threads.", "Three threads are needed by the parser."),
        ("The two items are:", "The user asked for the 2 remaining v1.4.0 ROADMAP items."),
        ("3 failing tests are left in the parser.", "Three tests of the parser are still left failing."),
    ] {
        assert_eq!(Summary::of(told).keeps(fact), Kept::Paraphrase, "{told}");
    }
}

#[test]
fn where_nothing_is_that_it_could_be_from_nothing_is_known() {
    assert_eq!(
        align("The port is 80. We chose tabs.", &[]).iter().map(|one| one.support).collect::<Vec<_>>(),
        [Support::Open; 2]
    );
}

#[test]
fn a_long_line_is_read_in_parts() {
    let row =
        |at: usize| format!("{{\"number\":{at},\"state\":\"open\",\"left\":true,\"up\":\"on first line of {at}\"}},");
    let line = format!("[{}]", (0..6_000).map(row).collect::<String>());
    let found = align("The state of number 17 is open. More than 5 are on. It failed before 90000 did.", &[&line]);
    assert_eq!((found.len(), found[2].support), (3, Support::None));
    let (source, (from, to)) = found[0].from.unwrap();
    assert!(source == 0 && to - from <= 1_000, "not of the whole line: {from} to {to}");
}

#[test]
fn two_sentences_keep_what_one_said() {
    for (fact, told, kept) in [
        ("The port is 8443 and the owner is Dana Whitfield.", "The port is 8443. The owner is Dana Whitfield.", true),
        (
            "The migration took 42 seconds and touched 1,380 rows in table invoices.",
            "The migration took 42 seconds. It touched 1,380 rows in table invoices.",
            true,
        ),
        ("We fixed issue #231 and closed ticket OPS-77.", "Issue #231 was fixed. Ticket OPS-77 was closed.", true),
        ("The port is 8443 and the owner is Dana Whitfield.", "The port is 8443. The owner is unknown.", false),
        ("Deploy 6.3 when Vera agrees and the audit passes.", "Deploy 6.3. Vera agrees and the audit passes.", false),
        ("Ops wrote a.rs and broke b.rs.", "Ops wrote a.rs. Kim broke b.rs.", false),
        ("The port is 8443 and the host is host_7.", "The port is 8444. The host is host_7.", false),
    ] {
        let found = Summary::of(told).keeps(fact);
        assert_eq!(found != Kept::Lost, kept, "{fact} / {told}: {found:?}");
    }
}

#[test]
fn what_was_done_and_lasts_is_so() {
    for (source, told, stands) in [
        (
            "The flag fast_path was disabled in config/prod.toml.",
            "The flag fast_path is disabled in config/prod.toml.",
            true,
        ),
        (
            "The queue was limited to 500 messages in broker.yaml.",
            "The queue is limited to 500 messages in broker.yaml.",
            true,
        ),
        (
            "The upload limit was raised to 25 MB for the gateway.",
            "The upload limit is raised to 25 MB for the gateway.",
            true,
        ),
        (
            "The flag fast_path was disabled in config/prod.toml.",
            "The flag fast_path is enabled in config/prod.toml.",
            false,
        ),
        ("The flag fast_path was off in config/prod.toml.", "The flag fast_path is off in config/prod.toml.", false),
    ] {
        let found = align(told, &[source])[0].support;
        assert_eq!(found == Support::Stands, stands, "{source} / {told}: {found:?}");
    }
}
