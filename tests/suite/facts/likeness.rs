//! What a summary says the like of, and what came in again only where it could be read.

use serde_json::json;
use windowpane::engine::{Given, simulate};
use windowpane::inquiry::Sight;
use windowpane::present::verdict::verdict;

use super::build::{Log, filler};
use super::runner::{open, policy, traced};

#[test]
fn with_other_figures_a_summary_says_something_else() {
    let of = |summary: &str| {
        let log = Log::new().user("leave out 5, 7, 8").says("Done.");
        let log = log.compacts(json!({"trigger": "auto", "preTokens": 155_000}), summary);
        let opened = open(log.user("Go on.").says("Gone on.").bytes());
        let (_, _, trace) = traced(&opened, &opened.recorded, "leave out 5, 7, 8");
        trace.occurrences[0].at(2).unwrap().sight
    };
    assert_eq!(of("The user said: mend them all, leave out 2738."), Sight::Gone);
    assert_eq!(of("The user said: leave out 5, 7 and 9."), Sight::Gone);
    assert_eq!(of("The user said that 5, 7 and 8 are to be left out: leave them."), Sight::Paraphrase);
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
