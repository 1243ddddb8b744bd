//! What a summary says word for word is quoted with its sentence.

use windowpane::inquiry::Sight;
use windowpane::present::verdict::{change, verdict};

use super::build::{Log, filler};
use super::runner::{open, traced};
use serde_json::json;

#[test]
fn a_survival_in_a_summary_comes_with_its_sentence() {
    let log = Log::new().user("My github user is khaong-71. Look at the port.").says("I will.");
    let summary = "The work goes on. Their github user is khaong-71, and the port is open. Nothing else is left.";
    let log = log.compacts(json!({"trigger": "auto", "preTokens": 150_000}), summary);
    let opened = open(log.user("What now?").says("Done.").bytes());
    let run = &opened.recorded;
    let (fact, found, trace) = traced(&opened, run, "khaong-71");
    let last = u32::try_from(run.steps.len()).unwrap();
    let said: Vec<&str> = trace
        .occurrences
        .iter()
        .filter_map(|one| one.at(last))
        .filter(|stay| stay.sight == Sight::Summary)
        .filter_map(|stay| stay.sentence())
        .collect();
    assert!(!said.is_empty() && said.iter().all(|said| said.contains("Their github user is khaong-71")), "{said:?}");
    let told = verdict(&trace, &fact, &found, &opened.transcript, run).join(" ");
    assert!(told.contains("The summary says: “Their github user is khaong-71, and the port is open.”"), "{told}");
    assert!(!told.contains(".”."), "{told}");
    let stay =
        trace.occurrences.iter().flat_map(|one| one.stays.iter()).find(|stay| stay.sight == Sight::Summary).unwrap();
    assert!(change(stay, run, true).unwrap().contains("khaong-71") && stay.like.is_none());
    assert!(!change(stay, run, false).unwrap().contains("khaong-71"));
}

#[test]
fn an_item_of_a_list_within_a_line_is_quoted_by_itself() {
    let log = Log::new().user("1. lint fails\n2. merge branch khaong-72\n3. new notes").says("I will.");
    let summary = "The user asked: \"1. lint fails 2. merge branch khaong-72 3. new notes\" and all of it is done now.";
    let log = log.compacts(json!({"trigger": "auto", "preTokens": 150_000}), summary);
    let opened = open(log.user("What now?").says("Done.").bytes());
    let (fact, found, trace) = traced(&opened, &opened.recorded, "khaong-72");
    let told = verdict(&trace, &fact, &found, &opened.transcript, &opened.recorded).join(" ");
    assert!(told.contains("The summary says: “merge branch khaong-72”."), "{told}");
}

#[test]
fn what_a_cut_goes_through_is_there_in_part() {
    let whole = format!("{}codes alpha 11, bravo 22, charlie 33 and delta 44\n{}", filler(1, 60), filler(61, 60));
    let (head, tail) = (whole.find("lie 33").unwrap() + 3, whole.find("lta 44").unwrap());
    let sent = |head: &str, tail: &str| format!("{head}\n... [4000 characters truncated] ...\n{tail}");
    for (cut, seen) in [
        (sent(&whole[..head], &filler(118, 3)), Sight::Part),
        (sent(&filler(1, 3), &whole[tail..]), Sight::Part),
        (sent(&filler(1, 3), &filler(118, 3)), Sight::Gone),
    ] {
        let log = Log::new().user("Go.").calls("c1", "Bash", json!({"command": "cat log"}));
        let log = log.result_of("c1", &cut, json!({"stdout": whole, "stderr": ""})).says("I see.").user("Next.");
        let opened = open(log.bytes());
        let (_, _, trace) = traced(&opened, &opened.recorded, "alpha 11, bravo 22, charlie 33 and delta 44");
        assert!(!trace.in_window);
        assert_eq!(trace.occurrences[0].stays[0].sight, seen, "{cut:.80}");
    }
}
