//! Facts that stand in more places than are told apart.

use windowpane::engine::{Given, simulate};
use windowpane::inquiry::Sight;

use super::build::{Log, filler};
use super::runner::{open, policy, traced};

const FACT: &str = "QX-77413";
const NOTE: &str = "The staging gateway only accepts keys that begin with QX-77413.";

#[test]
fn what_a_summary_says_is_quoted_for_however_many_places() {
    let mut log = Log::new();
    for note in 0..90 {
        log = log.user(&format!("code {FACT} {}", format!("and so on {note} ").repeat(12))).says("Yes.");
    }
    log = log.user(NOTE).says("I will.");
    for turn in 0..16 {
        let call = format!("c{turn}");
        log = log.user(&format!("Step {turn}.")).shell(&call, "cat part", &filler(turn * 20, 20)).says("Read.");
    }
    let opened = open(log.user("Then?").bytes());
    let sets = [
        "window.size=9000",
        "summarise.on=true",
        "summarise.at=4200",
        "summarise.target=300",
        "summarise.by=extractive",
    ];
    let run = simulate(&opened.plan, &policy(&sets), &Given::default());
    let trace = traced(&opened, &run, FACT).2;
    let late = trace.occurrences.iter().skip(64).flat_map(|one| one.stays.iter());
    let quoting: Vec<_> = late.filter(|stay| stay.sight == Sight::Summary).collect();
    assert!(!quoting.is_empty() && trace.occurrences.len() > 90, "{:?}", trace.occurrences.last());
    assert!(quoting.iter().all(|stay| stay.said.as_deref().is_some_and(|said| said.contains(FACT))), "{quoting:?}");
}

#[test]
fn whether_a_window_holds_a_fact_is_exact_however_often_it_stands() {
    // More places in all than are told apart: two of each text, and what the summary quotes is neither.
    let mut log = Log::new();
    let often = format!("code {FACT} and so on ").repeat(24);
    for turn in 0..850 {
        log = log.user(&format!("{often} part {turn}")).says("Yes.");
    }
    let few = format!("code {FACT} and so on ").repeat(5);
    log = log.user(&format!("{few}\n\n{NOTE}\n\n{few}")).says("I will.");
    for turn in 0..5 {
        log = log
            .user(&format!("Step {turn}."))
            .shell(&format!("c{turn}"), "cat part", &filler(turn * 20, 20))
            .says("Read.");
    }
    let opened = open(log.user("What now?").bytes());
    let sets = [
        "window.size=300000",
        "summarise.on=true",
        "summarise.at=185000",
        "summarise.target=300",
        "summarise.by=extractive",
    ];
    let run = simulate(&opened.plan, &policy(&sets), &Given::default());
    let (_, found, trace) = traced(&opened, &run, FACT);
    assert!(found.more > 10_000, "{}", found.more);
    let step = opened.plan.steps();
    let shown: String = run
        .window(step)
        .iter()
        .filter_map(|id| run.entry(*id))
        .map(|entry| {
            let mut text = String::new();
            entry.content.each(|made| {
                if let windowpane::model::Made::Part(block, from, to, _) = made {
                    let body = &opened.transcript.block(*block).unwrap().body;
                    let whole = opened.sources.body_text(body).unwrap();
                    text.push_str(whole.get(*from as usize..(*to as usize).min(whole.len())).unwrap());
                }
            });
            text
        })
        .collect();
    assert!(trace.in_window == shown.contains(FACT) && shown.contains(FACT), "{shown}");
}

#[test]
fn places_are_counted_in_every_block_that_has_their_text() {
    let text = format!("row {FACT} of the list\n").repeat(30);
    let mut log = Log::new().user("Go.");
    for turn in 0..5 {
        log = log.shell(&format!("c{turn}"), "cat list", &text).says("Read.");
    }
    let opened = open(log.user("Then?").bytes());
    let (_, found, _) = traced(&opened, &opened.recorded, FACT);
    assert_eq!(found.places.len() as u64 + found.more, 5 * 30);
    assert!(found.more > 0);
}

#[test]
fn near_passages_that_nobody_follows_are_told_of() {
    let unfollowed = |number: u32| {
        let mut log = Log::new();
        for region in 0..number {
            log = log.user(&format!("The staging gateway of region {region} needs the signing key.")).says("Yes.");
        }
        let opened = open(log.user("Then?").bytes());
        let (_, found, _) = traced(&opened, &opened.recorded, "~the staging gateway needs the signing key");
        (found.places.len(), found.unfollowed)
    };
    assert_eq!(unfollowed(150), (150, 0));
    assert_eq!(unfollowed(230), (200, 30));
}
