//! What a summary says the like of, and what came in again only where it could be read.

use std::sync::Arc;

use serde_json::json;
use windowpane::engine::{Answers, Given, Wanted, WrittenSummary, simulate, simulate_asking};
use windowpane::inquiry::{Need, Sight};
use windowpane::memory::Supports;
use windowpane::present::verdict::verdict;

use super::build::{Log, filler};
use super::runner::{Opened, open, policy, traced};

/// How a fact that came in first is seen at the end, where a compaction left such a summary.
fn after(said: &str, summary: &str, fact: &str) -> Sight {
    let log = Log::new().user(said).says("Done.");
    let log = log.compacts(json!({"trigger": "auto", "preTokens": 155_000}), summary);
    let opened = open(log.user("Go on.").says("Gone on.").bytes());
    let (_, _, trace) = traced(&opened, &opened.recorded, fact);
    trace.occurrences[0].at(2).unwrap().sight
}

#[test]
fn words_that_only_a_name_is_made_of_do_not_say_it() {
    let said = "The deploy key lives in vault path secret/deploy-42.";
    assert_eq!(after(said, "The deploy key lives in a vault path.", "secret/deploy-42"), Sight::Gone);
    assert_eq!(after(said, "The deploy key is in the vault, at secret/deploy-42.", "secret/deploy-42"), Sight::Summary);
}

/// A rule, and work that fills a small window.
fn long(rule: &str) -> Opened {
    let log = (0..5).fold(Log::new().user(rule).says("Understood."), |log, turn| {
        log.user(&format!("Step {turn}.")).shell(&format!("c{turn}"), "ls", &filler(turn * 20, 20)).says("Read.")
    });
    open(log.user("What now?").says("All is done.").bytes())
}

const SMALL: [&str; 4] = ["window.size=1500", "summarise.on=true", "summarise.at=900", "summarise.target=200"];

#[test]
fn a_summary_that_quotes_each_sentence_of_a_passage_says_it() {
    let opened = long("We use the blue gateway. Never restart postgres-7 on Fridays, whatever it says.");
    let settings: Vec<&str> = SMALL.into_iter().chain(["summarise.by=extractive"]).collect();
    let run = simulate(&opened.plan, &policy(&settings), &Given::default());
    for fact in [
        "the blue gateway. Never restart postgres-7",
        "~the blue gateway",
        "~never restart postgres-7 on Fridays",
        "blue gateway. Never restart postgres-7 on Fridays, whatever it says.",
    ] {
        let (_, _, trace) = traced(&opened, &run, fact);
        let last = trace.occurrences[0].stays.last().unwrap();
        assert!(trace.in_window && last.sight == Sight::Summary, "{fact}: {trace:#?}");
        assert!(trace.position.is_some(), "{fact}");
    }
    let (_, _, trace) = traced(&opened, &run, "the blue gateway. Always restart postgres-7");
    assert!(trace.occurrences.is_empty());
}

#[test]
fn what_a_model_wrote_in_a_replay_says_the_like() {
    let opened = long("The retry limit of the uploader service is 17 per hour.");
    let settings: Vec<&str> = SMALL.into_iter().chain(["summarise.by=model"]).collect();
    let policy = policy(&settings);
    let mut answers = Answers::default();
    let run = loop {
        let given = Given { answers: Arc::new(answers.clone()), ..Given::default() };
        let (run, wanted) = simulate_asking(&opened.plan, &policy, &given);
        let Some(Wanted { task, .. }) = wanted.into_iter().next() else { break run };
        let text = Arc::from("Files were listed. The uploader service may retry 17 times: that is the limit per hour.");
        answers.put(
            task,
            Ok(Arc::new(WrittenSummary {
                text,
                facts: Vec::new(),
                sentences: Supports::default(),
                usage: None,
                unseen: 0,
                window: None,
            })),
        );
    };
    let (_, _, trace) = traced(&opened, &run, "The retry limit of the uploader service is 17 per hour");
    let last = trace.occurrences[0].stays.last().unwrap();
    assert_eq!(last.sight, Sight::Paraphrase, "{trace:#?}");
    assert!(last.like.as_ref().unwrap().sentence.contains("may retry 17 times"));
}

#[test]
fn numbers_in_words_are_figures() {
    let said = "The uploader stopped: it gave up on the 3 attempts.";
    assert_eq!(after(said, "The uploader stops and gives up: three attempts.", "3 attempts"), Sight::Paraphrase);
    let said = "We waited three days for the reviewers.";
    assert_eq!(after(said, "The reviewers: we waited 3 days.", "waited three days"), Sight::Paraphrase);
    // Another number is something else, however it is written.
    for other in ["We waited four days for the reviewers.", "We waited 4 days for the reviewers."] {
        assert_eq!(after("We waited 3 days for the reviewers.", other, "waited 3 days"), Sight::Gone, "{other}");
        assert_eq!(after(said, other, "waited three days"), Sight::Gone, "{other}");
    }
}

#[test]
fn what_says_the_opposite_is_no_paraphrase() {
    let said = "Never restart postgres-7 on Fridays. Use pnpm, not npm.";
    let opposite = "The user asked:\nRestart postgres-7 on Fridays. Use npm, not pnpm.";
    let same = "Postgres-7 must never be restarted on Fridays. They want pnpm, not npm.";
    for fact in ["Never restart postgres-7 on Fridays", "Use pnpm, not npm"] {
        assert_eq!(after(said, opposite, fact), Sight::Gone, "{fact}");
        assert_eq!(after(said, same, fact), Sight::Paraphrase, "{fact}");
    }
    let (none, all) = ("Delete nothing in /srv/keep/ledger.", "Delete everything in /srv/keep/ledger.");
    for (said, other) in [(none, all), (all, none)] {
        assert_eq!(after(said, other, said), Sight::Gone, "{said}");
    }
    for (said, other) in
        [("See src/a.rs for it.", "See src/a.rs.bak for it."), ("Use amber-coast.", "Use amber-coast-old.")]
    {
        let name = said.split(' ').nth(1).unwrap().trim_end_matches('.');
        assert_eq!(after(said, other, name), Sight::Gone, "{name}");
    }
    // The same number is another amount with another unit, currency, sign or half of the day.
    for (said, other, same) in [
        (
            "The uploader waits 30 s for the proxy.",
            "The uploader waits 30 min for the proxy.",
            "The proxy has 30 seconds: the uploader waits.",
        ),
        (
            "The quota of the cellar cache is 512 MB.",
            "The quota of the cellar cache is 512 GB.",
            "For the cellar cache the quota is 512 megabytes.",
        ),
        (
            "The fee of the archive is $1,200 a year.",
            "The fee of the archive is €1,200 a year.",
            "A year of the archive: the fee is 1,200 dollars.",
        ),
        (
            "The freezer alarm goes off at -5 degrees.",
            "The freezer alarm goes off at 5 degrees.",
            "At -5 degrees the alarm of the freezer goes off.",
        ),
        ("The night export begins at 3 pm.", "The night export begins at 3 am.", "Begin of the night export: 3 pm."),
        ("The north wall is 12 metres long.", "The north wall is 12 feet long.", "Long is the north wall: 12 m."),
    ] {
        assert_eq!(after(said, other, said), Sight::Gone, "{other}");
        assert_eq!(after(said, same, said), Sight::Paraphrase, "{same}");
    }
    let rule = "~never restart postgres-7 on Fridays";
    assert_eq!(after(said, opposite, rule), Sight::Gone);
    assert_eq!(after(said, same, rule), Sight::Paraphrase);
}

#[test]
fn a_question_with_the_words_of_a_fact_asks_for_its_value() {
    let log = Log::new().user("The rollback port is 9443. The canary script is broken.").says("Noted.");
    let log = log.compacts(json!({"trigger": "auto", "preTokens": 155_000}), "The user works on a deployment.");
    let log = log.user("Which port does the rollback use?").says("I do not know.");
    let opened = open(log.user("Then tidy the README.").says("Done.").user("Thanks.").bytes());
    let need = |fact: &str| traced(&opened, &opened.recorded, fact).2.need;
    assert!(matches!(need("The rollback port is 9443"), Need::Asked(2, _)), "{:?}", need("The rollback port is 9443"));
    assert!(matches!(need("rollback port is 9443"), Need::Asked(2, _)));
    assert!(matches!(need("9443"), Need::Asked(2, _)));
    assert!(matches!(need("The canary script is broken"), Need::End(4)), "{:?}", need("The canary script is broken"));
}

#[test]
fn a_phrase_is_found_where_a_listing_or_a_diff_wraps_it() {
    let listing = "66\tA bump that fails its type-check is a signal\n67\tthat the package moved its path.";
    let patch = "*** Begin Patch\n+    // but archive entries\n+    // are never written outside\n*** End Patch";
    let log = Log::new().user("Go.").shell("c1", "cat a", listing).calls("c2", "Edit", json!({"patch": patch}));
    let log = log.result("c2", "ok").says("Done.").user("\u{4e0a}\u{6d77}\u{7684}\n\u{751f}\u{4ea7}\u{96c6}\u{7fa4}");
    let opened = open(log.says("Ok.").bytes());
    for (fact, came, words) in [
        ("type-check is a signal that the package", 2, "type-check is a signal\\n67\\tthat the package"),
        ("archive entries are never written", 3, "archive entries\\n+    // are never written"),
        (
            "\u{4e0a}\u{6d77}\u{7684}\u{751f}\u{4ea7}\u{96c6}\u{7fa4}",
            4,
            "\u{4e0a}\u{6d77}\u{7684}\\n\u{751f}\u{4ea7}\u{96c6}\u{7fa4}",
        ),
    ] {
        let (_, found, trace) = traced(&opened, &opened.recorded, fact);
        assert_eq!(trace.occurrences.first().and_then(|one| one.first), Some(came), "{fact}");
        let (source, from, to) = found.places[0].spot().unwrap().stored;
        let stored = opened.sources.read(source, from, to).unwrap();
        assert_eq!(String::from_utf8_lossy(&stored), words, "{fact}");
    }
}

#[test]
fn parts_of_words_are_places_where_nothing_else_is() {
    let log = Log::new().user("Several prereleases came at 2026-03-04T10:23:45.123Z with 1,200 rows.").says("Ok.");
    let opened = open(log.user("Next.").says("Done.").bytes());
    let (fact, found, trace) = traced(&opened, &opened.recorded, "release");
    assert_eq!(found.inside, Some(("prereleases".to_owned(), 1)));
    let said = verdict(&trace, &fact, &found, &opened.transcript, &opened.recorded).join(" ");
    assert!(trace.in_window && trace.occurrences.len() == 1, "{said}");
    assert!(said.contains("inside of longer words, as in “prereleases”") && !said.contains("word for word"), "{said}");
    let (_, found, trace) = traced(&opened, &opened.recorded, "10:23:45");
    assert!(trace.in_window && found.inside.is_none());
    let (_, found, trace) = traced(&opened, &opened.recorded, "200 rows");
    assert!(!trace.in_window && found.places.is_empty() && found.inside.is_some());
}

#[test]
fn a_sentence_without_blanks_is_found_by_its_signs() {
    let log = Log::new().user("\u{91d1}\u{66dc}\u{65e5}\u{306b}\u{306f} postgres-7 \u{3092}\u{518d}\u{8d77}\u{52d5}\u{3057}\u{306a}\u{3044}\u{3067}\u{304f}\u{3060}\u{3055}\u{3044}\u{3002}").says("Ok.");
    let opened = open(log.user("Next.").says("Done.").bytes());
    let (_, found, _) = traced(
        &opened,
        &opened.recorded,
        "~\u{91d1}\u{66dc}\u{65e5}\u{306b}\u{518d}\u{8d77}\u{52d5}\u{3057}\u{306a}\u{3044}",
    );
    assert_eq!(found.places.len(), 1);
}

#[test]
fn with_other_figures_a_summary_says_something_else() {
    let of = |summary: &str| after("leave out 5, 7, 8", summary, "leave out 5, 7, 8");
    assert_eq!(of("The user said: mend them all, leave out 2738."), Sight::Gone);
    assert_eq!(of("The user said: leave out 5, 7 and 9."), Sight::Gone);
    assert_eq!(of("The user said that 5, 7 and 8 are to be left out: leave them."), Sight::Paraphrase);
}

#[test]
fn what_shares_only_the_topic_of_a_fact_does_not_say_it() {
    let of = |fact: &str, said: &str, summary: &str| {
        let log = Log::new().user(said).says("Done.");
        let log = log.compacts(json!({"trigger": "auto", "preTokens": 155_000}), summary);
        let opened = open(log.user("Go on.").says("Gone on.").bytes());
        let (_, _, trace) = traced(&opened, &opened.recorded, fact);
        trace.occurrences[0].at(2).unwrap().sight
    };
    let said = "Commands that rewrite history: reset_hard drops staged changes of branch main, clean_all files.";
    let topic = "Staged changes and commands that rewrite history were discussed: files were clean.";
    assert_eq!(of("reset_hard", said, topic), Sight::Gone);
    assert_eq!(
        of("payment gateway", "The payment gateway timed out on Tuesday.", "It timed out on Tuesday."),
        Sight::Gone
    );
    // Another unit is the same figure, though not the same words.
    let said = "The timeout of the proxy is 30 seconds.";
    assert_eq!(of("30 seconds", said, "The proxy has a timeout of 30000 ms."), Sight::Paraphrase);
    assert_eq!(of("30 seconds", said, "The proxy has a timeout of 3000 ms."), Sight::Gone);
    assert_eq!(
        of("2 GB", "Each worker gets 2 GB of memory.", "Workers get 2048 MB of memory each."),
        Sight::Paraphrase
    );
}

#[test]
fn a_summary_without_the_own_words_of_a_fact_speaks_of_it_without_saying_it() {
    let key = "The deploy key for the staging cluster is KX-4471-Z.";
    let store = "We picked Postgres as the database for the ledger service.";
    let word = "The password of the relay is swordfish today.";
    let noted = "The deploy key for the staging cluster was noted.";
    for (said, fact, summary) in [
        (key, "KX-4471-Z", noted),
        (key, "the deploy key for the staging cluster is KX-4471-Z", noted),
        (store, "Postgres", "We picked SQLite as the database for the ledger service."),
        (word, "swordfish", "The password of the relay is trout today."),
    ] {
        assert_eq!(after(said, summary, fact), Sight::Gone, "{fact}");
    }
    let same = "The ledger service will use Postgres as its database.";
    assert_eq!(after(store, same, "We picked Postgres as the database for the ledger service"), Sight::Paraphrase);
}

#[test]
fn a_summary_that_asks_or_says_it_of_the_other_of_two_does_not_say_it() {
    for (said, summary, seen) in [
        ("The guard of the depot works by night.", "The guard of the depot works by day.", Sight::Gone),
        ("The guard of the depot works by night.", "By night the depot has its guard at work.", Sight::Paraphrase),
        ("Rows of the report are sorted ascending.", "Rows of the report are sorted descending.", Sight::Gone),
        ("The gate of the harbour opens at 6.", "Does the gate of the harbour open at 6?", Sight::Gone),
    ] {
        assert_eq!(after(said, summary, said.trim_end_matches('.')), seen, "{summary}");
    }
}

#[test]
fn what_a_summary_said_is_told_where_another_one_took_it() {
    let compacted = |log: Log, said: &str| log.compacts(json!({"trigger": "auto", "preTokens": 155_000}), said);
    let log = Log::new().user("The retry limit of the uploader service is 17 per hour.").says("Noted.");
    let log = compacted(log, "The uploader service may retry 17 times: that is the limit per hour.");
    let log = log.user("Go on.").says("Gone on.").user("More.").says("Done.");
    let opened = open(compacted(log, "Files were listed.").user("Thanks.").says("Good.").bytes());
    let (fact, found, trace) = traced(&opened, &opened.recorded, "retry limit of the uploader service is 17 per hour");
    let said = verdict(&trace, &fact, &found, &opened.transcript, &opened.recorded).join(" ");
    assert!(said.contains("the summary said the like: “The uploader service may retry 17 times"), "{said}");
    assert!(said.contains("Up to step 3") && said.contains("at step 4 it was compacted away"), "{said}");
    assert!(said.contains("The summary does not say it"), "{said}");
}

#[test]
fn what_comes_in_cut_away_does_not_come_in_again() {
    let output = |line: usize| format!("{}code QX-77413 was refused\n{}", filler(1, line), filler(line + 1, 200));
    let log = Log::new().user("Go.").shell("c1", "cat a", &output(120)).says("I see.").user("Again.");
    let opened = open(log.shell("c2", "cat b", &output(130)).says("Read.").user("Next.").bytes());
    let cuts = policy(&["tool_results.on=true", "tool_results.virtual_over=500", "tool_results.virtual_head=100"]);
    let run = simulate(&opened.plan, &cuts, &Given::default());
    let (fact, found, trace) = traced(&opened, &run, "QX-77413");
    let said = verdict(&trace, &fact, &found, &opened.transcript, &run).join(" ");
    assert!(!trace.in_window && trace.again.is_none() && !said.contains("came in again"), "{said}");
}

/// A fact of the first message, in a session that is compacted twice.
fn twice(first: &str, second: &str) -> Vec<(u32, Option<u32>, Sight)> {
    let fact = "the staging database password rotates every Tuesday morning before the release train leaves";
    let compaction = || json!({"trigger": "auto", "preTokens": 155_000});
    let log = Log::new().user(&format!("Please note: {fact}.")).says("Noted.");
    let log = log.compacts(compaction(), first).user("Go on.").says("Gone on.");
    let log = log.compacts(compaction(), second).user("And now?").says("Done.");
    let opened = open(log.bytes());
    let (_, _, trace) = traced(&opened, &opened.recorded, fact);
    trace.occurrences[0].stays.iter().map(|stay| (stay.from, stay.to, stay.sight)).collect()
}

#[test]
fn of_summaries_that_do_not_say_it_the_first_alone_is_an_event_and_a_later_one_that_does_is_found() {
    let nothing = "The build is green. Nothing else is open.";
    assert_eq!(twice(nothing, nothing), [(1, Some(1), Sight::Verbatim), (2, None, Sight::Gone)]);
    let alike = "The staging database password rotates every Tuesday morning, before the train of the release goes.";
    let found = twice(nothing, alike);
    let expected = [(1, Some(1), Sight::Verbatim), (2, Some(2), Sight::Gone), (3, None, Sight::Paraphrase)];
    assert_eq!(found, expected);
}
