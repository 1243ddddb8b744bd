//! Facts that a session proposes, and those among them that its agent wrote again after they were lost.

use serde_json::json;
use windowpane::content::Watch;
use windowpane::inquiry::lint::{FilesShown, Finding, Looked, needed_after_cut};
use windowpane::inquiry::{Candidate, FactKind, PROPOSED, candidates};
use windowpane::model::Layer;
use windowpane::tokens::Models;

use super::build::{Log, filler};
use super::runner::{Opened, open};

const TICKET: &str = "HBR-7731-ZX";

/// A ticket that a person or a tool names, a compaction that loses it, and what the agent does after that.
fn session(by_user: bool, after: impl Fn(Log) -> Log) -> Opened {
    let log = match by_user {
        true => Log::new().user(&format!("Please use ticket {TICKET} only.")).says("I will."),
        false => Log::new().user("Go.").shell("c0", "tickets", &format!("{TICKET} harbour")).says("Seen."),
    };
    let log = (1..5).fold(log, |log, turn| {
        log.user("Next.").shell(&format!("c{turn}"), &format!("step {turn}"), &filler(turn, 3)).says("Ok.")
    });
    let log = log.compacts(json!({"trigger": "auto", "preTokens": 150_000}), "The user wants a harbour.");
    open(after(log.user("Go on.")).user("Thanks.").says("Bye.").user("Bye.").bytes())
}

/// The agent deploys with the ticket so many times.
fn deploys(log: Log, times: usize) -> Log {
    (0..times).fold(log, |log, at| {
        log.shell(&format!("d{at}"), &format!("deploy --ticket {TICKET}"), "Done.").user(&format!("Part {at}?"))
    })
}

fn proposed(opened: &Opened) -> Vec<Candidate> {
    let watch = Watch::default();
    candidates(&opened.transcript, &opened.sources, (opened.recorded.thread, &[]), PROPOSED, &watch).facts
}

/// What is said of facts that were written again after they were lost.
fn missed(opened: &Opened) -> Vec<String> {
    needed(opened).into_iter().map(|found| found.evidence).collect()
}

fn needed(opened: &Opened) -> Vec<Finding> {
    let looked = Looked {
        transcript: &opened.transcript,
        sources: &opened.sources,
        attached: &[],
        run: &opened.recorded,
        policy: None,
        plan: None,
        shown: &FilesShown::default(),
        models: Models::built_in(),
        model: None,
    };
    needed_after_cut(&looked, &Watch::default())
}

#[test]
fn who_wrote_a_fact_again_could_tell_it_though_no_window_showed_it() {
    for (by_user, times) in [(false, 1), (false, 3), (true, 1)] {
        let told = missed(&session(by_user, |log| deploys(log, times)));
        assert!(told.is_empty(), "{told:?}");
    }
    // What comes in again by the way is not looked for.
    let opened = session(false, |log| deploys(log.shell("r", "ls", TICKET), 2));
    assert!(missed(&opened).is_empty(), "{:?}", missed(&opened));
}

#[test]
fn what_is_looked_up_or_told_again_after_its_loss_was_needed() {
    let looked_up =
        |log: Log| deploys(log.shell("r", "tickets", &format!("{TICKET} harbour{}", " open".repeat(90))), 2);
    let opened = session(false, looked_up);
    let told = missed(&opened);
    assert!(told.len() == 1 && told[0].contains(TICKET), "{told:?}");
    assert!(told[0].ends_with("looked it up again."), "{told:?}");
    // What was looked up is what it cost.
    let results = opened.recorded.entries.iter().filter(|entry| entry.layer == Layer::ToolResults);
    assert_eq!(needed(&opened)[0].tokens, results.map(|entry| entry.tokens).max(), "{:?}", needed(&opened));
    let told_again = |log: Log| deploys(log.says("Which ticket?").user(&format!("It is {TICKET}.")).says("Ok."), 1);
    let told = missed(&session(true, told_again));
    assert!(told.len() == 1 && told[0].contains(&format!("“{TICKET}”")), "{told:?}");
    assert!(told[0].ends_with("the user told it again."), "{told:?}");
    let told_first = |log: Log| deploys(log.user(&format!("It is {TICKET}.")).says("Ok."), 1);
    assert!(missed(&session(true, told_first)).is_empty());
    // Of what the user had told, a call looks by the words of his sentence.
    let sought = |command: &'static str| {
        move |log: Log| deploys(log.shell("r", command, &format!("conf.toml:3:id = {TICKET}")), 2)
    };
    let told = missed(&session(true, sought("grep -rn ticket conf")));
    assert!(told.len() == 1 && told[0].ends_with("looked it up."), "{told:?}");
    assert!(missed(&session(true, sought("ls conf"))).is_empty());
    assert!(missed(&session(true, |log| log)).is_empty());
}

#[test]
fn what_is_lost_at_once_may_be_told_again_or_looked_up_at_once() {
    let lost =
        |log: Log| log.compacts(json!({"trigger": "auto", "preTokens": 150_000}), "Nothing is left.").user("Go on.");
    let end = |log: Log| open(deploys(log, 1).user("Thanks.").says("Bye.").bytes());
    let first = Log::new().user(&format!("Please use ticket {TICKET} only.")).says("I will.");
    let told = missed(&end(lost(first).says("Which ticket?").user(&format!("It is {TICKET}.")).says("Ok.")));
    assert!(told.len() == 1 && told[0].ends_with("the user told it again."), "{told:?}");
    let look = |log: Log, call: &str| log.shell(call, "tickets", &format!("{TICKET} harbour"));
    let told = missed(&end(look(lost(look(Log::new().user("Go."), "a").says("Seen.")), "b")));
    assert!(told.len() == 1 && told[0].ends_with("looked it up again."), "{told:?}");
    // What stayed is repeated at once without any need.
    let first = Log::new().user(&format!("Please use ticket {TICKET} only.")).says("I will.").user("Go on.");
    assert!(missed(&end(first.says("Which ticket?").user(&format!("It is {TICKET}.")).says("Ok."))).is_empty());
}

#[test]
fn what_a_question_asks_for_after_its_loss_is_told_though_no_answer_repeats_it() {
    let missed_by = |after: &str| {
        let said = "The vault door answers only to the phrase amber-lantern-40417, always use it.";
        let log = Log::new().user(said).says("Ok.").shell("c", "ls", &filler(0, 9)).says("Ok.");
        let log = log.compacts(json!({"trigger": "auto", "preTokens": 150_000}), "Some files were listed.");
        missed(&open(log.user(after).says("I no longer know it.").user("Pity.").bytes()))
    };
    let told = missed_by("Which phrase opens the vault door?");
    assert!(told.len() == 1 && told[0].contains("amber-lantern-40417"), "{told:?}");
    assert!(told[0].ends_with("the question at step 4 needed it."), "{told:?}");
    let phrase = "amber-lantern-40417";
    let told = missed_by(&format!("What is {phrase}?"));
    assert!(told.len() == 1 && told[0].contains(phrase) && told[0].ends_with("step 4 needed it."), "{told:?}");
    // Whoever answers it had it from elsewhere; whoever says otherwise did not.
    let answered_to = |question: &str, answer: &str| {
        let said = "The vault door answers only to the phrase amber-lantern-40417, always use it.";
        let log = Log::new().user(said).says("Ok.").shell("c", "ls", &filler(0, 9)).says("Ok.");
        let log = log.compacts(json!({"trigger": "auto", "preTokens": 150_000}), "Some files were listed.");
        let log = log.user(question).says(answer).user("Fine.").says("Bye.");
        missed(&open(log.user("Bye.").bytes()))
    };
    let answered = |answer: &str| answered_to("Which phrase opens the vault door?", answer);
    let named = |answer: &str| answered_to("Remember amber-lantern-40417? What was it for?", answer);
    assert_eq!(named("Sorry, I have no record of that.").len(), 1);
    assert!(named("It opens the vault door.").is_empty());
    assert!(answered("It is amber-lantern-40417.").is_empty());
    assert_eq!(answered("It is amber-lantern-70112.").len(), 1);
    for other in ["Which files are there?", "Close the vault door and list what is left.", "Go on."] {
        assert!(missed_by(other).is_empty(), "{other}: {:?}", missed_by(other));
    }
}

#[test]
fn a_sentence_without_a_value_was_needed_where_the_answer_says_that_it_is_not_known() {
    let answered = |answer: &str| {
        let said = "The project is called Halcyon Drift. Always write it in two words.";
        let log = Log::new().user(said).says("Ok.").shell("c", "ls", &filler(0, 9)).says("Ok.");
        let log = log.compacts(json!({"trigger": "auto", "preTokens": 150_000}), "Some files were listed.");
        let log = log.user("What is the project called?").says(answer).user("Fine.").says("Bye.");
        missed(&open(log.user("Bye.").bytes()))
    };
    let told = answered("Sorry, I have no record of that.");
    assert!(told.len() == 1 && told[0].contains("Halcyon Drift"), "{told:?}");
    assert!(told[0].ends_with("the question at step 4 needed it."), "{told:?}");
    assert!(answered("It is called Halcyon Drift.").is_empty());
    assert!(answered("That is the one with the tide tables.").is_empty());
}

#[test]
fn a_fact_is_needed_by_every_answer_that_repeats_it() {
    let opened = session(false, |log| deploys(log, 3));
    let ticket = proposed(&opened).into_iter().find(|one| one.text == TICKET).unwrap();
    assert_eq!(ticket.steps.len(), 3);
    assert!(ticket.steps.is_sorted() && ticket.steps.last() == Some(&ticket.needed), "{ticket:?}");
}

#[test]
fn a_name_in_an_instruction_is_proposed_where_it_is_referred_to_again() {
    let texts = |times: usize| -> Vec<(FactKind, String)> {
        proposed(&session(true, |log| deploys(log, times))).into_iter().map(|one| (one.kind, one.text)).collect()
    };
    let instruction = (FactKind::Instruction, format!("Please use ticket {TICKET} only"));
    let name = (FactKind::Identifier, TICKET.to_owned());
    let (never, often) = (texts(0), texts(3));
    assert!(never.contains(&instruction) && !never.contains(&name), "{never:?}");
    assert!(often.contains(&instruction) && often.contains(&name), "{often:?}");
}

#[test]
fn codes_of_errors_and_choices_that_matter_later_are_proposed() {
    let log = Log::new().user("Go.").shell("c0", "build", "error[E0597]: `x` does not live long enough\nRTX3090");
    let log = log.says("We settled on a queue of ten for it. **Decision:** logs are kept for thirty days.");
    let log = (1..5).fold(log, |log, turn| {
        log.user("Next.").shell(&format!("c{turn}"), &format!("step {turn}"), &filler(turn, 3)).says("Ok.")
    });
    let opened = open(log.user("And?").says("E0597 came of the RTX3090.").user("Thanks.").says("Bye.").bytes());
    let of = |kind| -> Vec<String> {
        proposed(&opened).into_iter().filter(|one| one.kind == kind).map(|one| one.text).collect()
    };
    assert_eq!(of(FactKind::Error), ["E0597"]);
    let chosen = of(FactKind::Decision);
    assert_eq!(chosen, ["We settled on a queue of ten for it", "logs are kept for thirty days"]);
}

#[test]
fn a_question_about_another_of_a_series_asks_for_none_that_was_lost() {
    let missed_by = |after: &str| {
        let said = "Comment 2738937075 of the review is closed, always say so.";
        let log = Log::new().user(said).says("Ok.").shell("c", "ls", &filler(0, 9)).says("Ok.");
        let log = log.compacts(json!({"trigger": "auto", "preTokens": 150_000}), "Some files were listed.");
        missed(&open(log.user(after).says("I no longer know it.").user("Pity.").bytes()))
    };
    assert_eq!(missed_by("Which comment of the review is closed?").len(), 1);
    assert_eq!(missed_by("Did we miss comment 2738948818 of the review?").len(), 0);
}

/// A session in which a tool shows something, so many steps pass, and then the user says this and the model that.
fn shown_then(first: &str, shown: &str, said: &str, answer: &str) -> Vec<String> {
    let log = Log::new().user(first).shell("c0", "cat x", shown).says("Fine.");
    let log = (0..5).fold(log, |log, part| log.user(&format!("go on with part {part}")).says("Working."));
    let opened = open(log.user(said).says(answer).user("Thanks.").says("Bye.").bytes());
    proposed(&opened).into_iter().map(|one| one.text).collect()
}

#[test]
fn what_the_user_asks_for_again_is_proposed_though_no_answer_repeats_it() {
    let of = |said: &str, answer: &str| {
        shown_then("Do it.", "the customer id is CUST-90817", said, answer).contains(&"CUST-90817".to_owned())
    };
    assert!(of("What about CUST-90817?", "I do not know.") && of("What about CUST-90817?", "CUST-90817 is used."));
    assert!(!of("Note CUST-90817.", "Noted.") && !of("What about it?", "I do not know."));
}

#[test]
fn terms_of_every_kind_that_an_answer_repeats_are_proposed_and_what_only_goes_on_is_not() {
    for (first, shown, answer, fact) in [
        ("Do it.", "server at 10.20.30.40 is up", "Connecting to 10.20.30.40 now", "10.20.30.40"),
        ("Do it.", "build 7f3a9c2e done", "The build is 7f3a9c2e", "7f3a9c2e"),
        ("Do it.", "def make_store_backend(): pass", "Calling make_store_backend", "make_store_backend"),
        ("My name is Alice", "nothing", "ok Alice", "My name is Alice"),
        ("Do it.", "error: connection refused by it", "The connection refused came again", "connection refused"),
        ("Do it.", "ERROR 1045 (28000): Access denied for user root", "Access denied for root", "Access denied"),
        (
            "Do it.",
            "see https://wiki.acme.io/runbook/42",
            "As https://wiki.acme.io/runbook/42 says",
            "https://wiki.acme.io/runbook/42",
        ),
        ("Do it.", "released 2025-11-03", "It was released 2025-11-03", "2025-11-03"),
        ("Do it.", "mail bob@acme.io", "I write to bob@acme.io", "bob@acme.io"),
    ] {
        let all = shown_then(first, shown, "Use it", answer);
        assert!(all.contains(&fact.to_owned()), "{fact}: {all:?}");
        assert!(all.iter().all(|one| !one.starts_with("go on")), "{all:?}");
    }
}
