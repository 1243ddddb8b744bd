//! Facts that a recorded answer says, or a question asks for, where a replay's window holds them no more.

use windowpane::content::Watch;
use windowpane::engine::{Given, simulate};
use windowpane::inquiry::lint::{FilesShown, Finding, Looked, lint, needed_after_cut};
use windowpane::inquiry::{Need, PROPOSED, Trace, candidates};
use windowpane::model::Run;
use windowpane::present::verdict::verdict;
use windowpane::tokens::Models;

use super::build::{Log, filler};
use super::runner::{Opened, open, policy, traced};

/// A result with a line that says something, turns that push it out, and what is asked and answered after that.
fn session(line: &str, question: &str, after: impl Fn(Log) -> Log) -> Opened {
    let notes = format!("{}{line}\n{}", filler(900, 3), filler(950, 3));
    let mut log = Log::new().user("Go.").says("Yes.").user("Look.").shell("c", "cat notes", &notes).says("Read.");
    for turn in 0..8 {
        log = log.user(&format!("Step {turn}.")).shell(&format!("c{turn}"), "cat part", &filler(turn * 50, 30));
        log = log.says("Read.");
    }
    open(after(log.user(question)).user("Fine.").says("Bye.").user("So long.").bytes())
}

/// The same under a policy that drops what is old.
fn replayed(opened: &Opened) -> Run {
    let sets = [
        "window.size=100000",
        "summarise.on=true",
        "summarise.at=2000",
        "summarise.at_events=0",
        "summarise.at_least=0",
        "summarise.keep_tail=2 turns",
        "summarise.target=60",
        "summarise.by=truncate",
        "summarise.fallback_head=0",
        "microcompact.on=false",
    ];
    simulate(&opened.plan, &policy(&sets), &Given::default())
}

fn told(opened: &Opened, run: &Run, fact: &str) -> (Trace, String) {
    let (fact, found, trace) = traced(opened, run, fact);
    let said = verdict(&trace, &fact, &found, &opened.transcript, run).join(" ");
    (trace, said)
}

fn looked<'a>(opened: &'a Opened, run: &'a Run, shown: &'a FilesShown) -> Looked<'a> {
    Looked {
        transcript: &opened.transcript,
        sources: &opened.sources,
        attached: &[],
        run,
        policy: None,
        plan: Some(&opened.plan),
        shown,
        models: Models::built_in(),
        model: None,
    }
}

fn needed(opened: &Opened) -> Vec<Finding> {
    let (run, shown) = (replayed(opened), FilesShown::default());
    needed_after_cut(&looked(opened, &run, &shown), &Watch::default())
}

const BUDGET: &str = "budget is 75,300 euros";

#[test]
fn what_a_replay_could_not_have_answered_was_lost_where_the_answer_says_it() {
    for answer in ["It is 75300 euros.", "75,300."] {
        let opened = session(BUDGET, "So, what we spoke of at first?", |log| log.says(answer));
        let (trace, said) = told(&opened, &replayed(&opened), "75300");
        let Need::Answered(step) = trace.need else { panic!("{:?}: {said}", trace.need) };
        let lost = trace.loss.unwrap().step;
        assert!(!trace.in_window && lost < step, "{lost} {step}: {said}");
        let steps = step - lost;
        assert!(
            said.contains(&format!("Lost from step {lost} on; the recorded answer to step {step}, {steps} ")),
            "{said}"
        );
        // Whoever had it could say it again.
        let (trace, said) = told(&opened, &opened.recorded, "75300");
        assert!(trace.in_window && matches!(trace.need, Need::End(_)), "{said}");
    }
    // What was read again was there to be said.
    let read = |log: Log| log.shell("again", "cat notes", BUDGET).says("It is 75300 euros.");
    let opened = session(BUDGET, "So, what we spoke of at first?", read);
    let (trace, said) = told(&opened, &replayed(&opened), "75300");
    assert!(trace.in_window && matches!(trace.need, Need::End(_)), "{said}");
}

#[test]
fn a_short_question_for_what_a_fact_tells_needs_it() {
    for (line, fact, question) in [
        (BUDGET, "75300", "How large is the budget?"),
        ("Das Budget beträgt 75.300 Euro", "75.300", "Wie hoch ist das Budget?"),
        (
            "The deploy key lives in /etc/keys/deploy_ed25519.",
            "/etc/keys/deploy_ed25519",
            "Tell me where the deploy key is.",
        ),
        (
            "The password rotates every 45 days, says Priya Raman.",
            "Priya Raman",
            "Remind me who told us about password rotation.",
        ),
    ] {
        let opened = session(line, question, |log| log.says("I do not know.").user("Who signed it?").says("Nobody."));
        let (trace, said) = told(&opened, &replayed(&opened), fact);
        assert!(matches!(trace.need, Need::Asked(..)) && trace.loss.is_some(), "{question} {:?}: {said}", trace.need);
    }
    let opened = session(BUDGET, "How large is the team?", |log| log.says("I do not know."));
    assert!(matches!(told(&opened, &replayed(&opened), "75300").0.need, Need::End(_)));
}

#[test]
fn that_only_the_question_names_a_fact_is_told() {
    let opened = session("KX-99412 was closed by Marta", "Was KX-99412 closed?", |log| log.says("I do not know."));
    let (trace, said) = told(&opened, &replayed(&opened), "KX-99412");
    assert!(trace.in_window && trace.is_only_in_question(), "{said}");
    assert!(said.contains("only the question itself named it"), "{said}");
    let (trace, said) = told(&opened, &opened.recorded, "KX-99412");
    assert!(trace.in_window && !trace.is_only_in_question(), "{said}");
}

#[test]
fn a_figure_that_stands_only_as_it_is_read_the_other_way_is_told() {
    let opened = open(Log::new().user("We have 21,000 rows and 12 500 users.").says("Yes.").user("And?").bytes());
    for (fact, shown) in [("21.000", "21,000"), ("12.500", "12 500")] {
        let said = told(&opened, &opened.recorded, fact).1;
        assert!(said.contains(&format!("as “{shown}” (1 place)")), "{said}");
    }
    let said = told(&opened, &opened.recorded, "31.000").1;
    assert!(said.contains("It is nowhere in what was recorded"), "{said}");
}

#[test]
fn numbers_and_paths_that_an_answer_tells_were_needed() {
    for (line, fact, answer) in [
        ("The server listens on port 48213 here", "48213", "It listens on port 48213."),
        (BUDGET, "75,300", "It is 75,300 euros."),
        (BUDGET, "75,300", "It is 75300 euros."),
        ("The total was 1234.56 euros", "1234.56", "It was 1234.56 euros."),
        ("The notes are in plans/harbour_7.md", "plans/harbour_7.md", "They are in plans/harbour_7.md."),
    ] {
        let opened = session(line, "So, what we spoke of at first?", |log| log.says(answer));
        let watch = Watch::default();
        let thread = opened.recorded.thread;
        let proposed = candidates(&opened.transcript, &opened.sources, (thread, &[]), PROPOSED, &watch).facts;
        assert!(proposed.iter().any(|one| one.text == fact && one.repeats == 1), "{fact}: {proposed:?}");
        let found = needed(&opened);
        assert!(found.iter().any(|one| one.evidence.contains(&format!("“{fact}”"))), "{fact}: {found:?}");
    }
    // However often it is written, the first answer is the one that lacks it.
    let often = |times: usize| {
        let again = |log: Log| (0..times).fold(log, |log, _| log.says("It is 75300 euros.").user("Sure?"));
        let found = needed(&session(BUDGET, "So, what we spoke of at first?", |log| again(log).says("Yes.")));
        found.into_iter().map(|one| one.evidence).collect::<Vec<_>>()
    };
    let once = often(1);
    assert!(once.len() == 1 && once[0].ends_with("needed it.") && often(2) == once && often(3) == once, "{once:?}");
    // A call may have a short number of its own.
    let calls = |log: Log| log.shell("again", "nc -z host 48213", "no").says("It is closed.");
    let opened = session("The server listens on port 48213 here", "So, is it up?", calls);
    assert!(needed(&opened).is_empty(), "{:?}", needed(&opened));
}

#[test]
fn what_the_user_names_is_referred_to() {
    let unused = |last: &str| {
        let mut log = Log::new().user("Go.");
        for turn in 0..4 {
            let output = format!("{}job_{turn}{turn}{turn}{turn} ended\n", filler(turn * 60, 60));
            log = log.shell(&format!("c{turn}"), "cat x", &output).says("Fine.");
        }
        let opened = open(log.user(last).says("No.").user("So long.").bytes());
        let shown = FilesShown::default();
        lint(&looked(&opened, &opened.recorded, &shown)).iter().any(|one| one.rule == "never-referred-to")
    };
    assert!(unused("And?"));
    assert!(!unused("Why did job_0000, job_1111, job_2222 and job_3333 end?"));
}
