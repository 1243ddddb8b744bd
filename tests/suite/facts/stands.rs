//! Where a fact stands in its window, in tokens, and which question of several needs it.

use serde_json::{Value, json};
use windowpane::content::Sources;
use windowpane::inquiry::{Need, locate};
use windowpane::present::verdict::verdict;
use windowpane::tokens::{Encoding, Models, count};

use crate::cli::runner::Home;

use super::build::{Log, filler};
use super::runner::{open, traced};

#[test]
fn what_stands_before_a_fact_is_counted_and_not_told_by_its_bytes() {
    // Letters and digits at random have a token for every two or three of them, and prose one for five or six.
    let dense: String = (1..400u64).map(|at| format!("{:016x} ", at.wrapping_mul(0x9e37_79b9_7f4a_7c15))).collect();
    let behind = filler(0, 300);
    let opened = open(
        Log::new()
            .user("Go.")
            .shell("c", "dump", &format!("{dense}QX-77413\n{behind}"))
            .says("Read.")
            .user("Thanks.")
            .bytes(),
    );
    let (_, _, trace) = traced(&opened, &opened.recorded, "QX-77413");
    let encoding = Models::built_in().counter("claude-sonnet-4-5").encoding;
    let stands = trace.position.unwrap();
    let (before, rest) = (count(&dense, encoding), count(&behind, encoding));
    assert!(stands.from_start.abs_diff(before) <= 30, "{stands:?} {before}");
    assert!(stands.from_end.abs_diff(rest) <= 40, "{stands:?} {rest}");
}

#[test]
fn the_last_question_that_asks_for_a_value_needs_it_though_one_before_names_it() {
    let needs = |last: &str| {
        let log = Log::new().user("The staging key is SK-4411.").says("Noted.");
        let log = log.user("SK-4411 does not work on node 3, why?").says("Node 3 is down.");
        let opened = open(log.user(last).says("I do not have it.").user("Thanks, bye.").bytes());
        traced(&opened, &opened.recorded, "SK-4411").2.need
    };
    assert!(matches!(needs("What is the staging key?"), Need::Asked(3, _)));
    assert!(matches!(needs("Is the node up again?"), Need::Asked(2, _)));
    assert!(matches!(needs("Tidy up, please."), Need::Asked(2, _)));
    let log =
        Log::new().user("The staging key is SK-4411.").says("Noted.").user("SK-4411 fails, why?").says("It is old.");
    let log = log.compacts(json!({"trigger": "auto", "preTokens": 150_000}), "A key was old.");
    let opened = open(log.user("What is the staging key?").says("I do not have it.").bytes());
    let trace = traced(&opened, &opened.recorded, "SK-4411").2;
    assert!(matches!(trace.need, Need::Asked(3, _)) && !trace.in_window, "{:?}", trace.need);
}

#[test]
fn the_number_of_a_line_and_digits_of_a_hash_keep_no_number() {
    let listing: String = (100..180).map(|line| format!("{line:>6}\u{2192}    let value = {};\n", line % 7)).collect();
    let session = |behind: &str| {
        let log = Log::new().user("The retry limit is 142.").says("Noted.");
        let log = log.compacts(json!({"trigger": "auto", "preTokens": 150_000}), "Limits were told.");
        let log = log.shell("c", "show", behind).says("Seen.");
        open(log.user("What is the retry limit?").says("I do not have it.").user("Thanks, bye.").bytes())
    };
    for behind in [listing.as_str(), "commit d142fab91", "limit_142_of 1421"] {
        let opened = session(behind);
        let trace = traced(&opened, &opened.recorded, "142").2;
        let is_name = behind.starts_with("limit");
        assert_eq!((trace.in_window, trace.loss.is_some()), (is_name, !is_name), "{behind}: {trace:?}");
    }
    // Where nothing else says it, that it stands before a line is told.
    let opened = session(&listing);
    let (fact, found, trace) = traced(&opened, &opened.recorded, "171");
    assert!(trace.in_window);
    let said = verdict(&trace, &fact, &found, &opened.transcript, &opened.recorded).join(" ");
    assert!(
        said.contains("the numbers that tools put before lines") && said.contains("as the number of a line"),
        "{said}"
    );
}

#[test]
fn an_encoding_that_is_given_counts_what_stands_before_a_fact() {
    let before = "\u{92d}\u{93e}\u{930}\u{924} \u{92e}\u{947}\u{902} ".repeat(300);
    let said = format!("{before}QX-77413{}", " and so on".repeat(300));
    let home = Home::new();
    let session = json!([{"role": "user", "content": said}, {"role": "assistant", "content": "Yes."}]);
    home.file("s.json", session.to_string());
    for encoding in [Encoding::O200kBase, Encoding::Cl100kBase] {
        let told = home.run(&["trace", "s.json", "QX-77413", "--json", "--encoding", encoding.name()]).good();
        let told: Value = serde_json::from_str(&told).unwrap();
        let from_start = told["facts"][0]["position"]["from_start"].as_u64().unwrap();
        let wanted = count(&before, encoding);
        assert!(from_start.abs_diff(wanted) < 20, "{}: {from_start}, not {wanted}", encoding.name());
    }
}

#[test]
fn the_place_in_a_very_long_piece_is_told_without_reading_it() {
    let long = filler(1, 90_000);
    let middle = long.len() / 2;
    let said = format!("{}QX-77413{}", &long[..middle], &long[middle..]);
    let opened = open(Log::new().user("Go.").shell("c", "cat log", &said).says("Read.").user("What now?").bytes());
    let (fact, found, mut trace) = traced(&opened, &opened.recorded, "QX-77413");
    let encoding = opened.plan.encoding;
    let near = |share: f64| (0.45..0.55).contains(&share);
    assert!(near(trace.position.unwrap().share), "{:?}", trace.position);
    locate(&mut trace, &fact, &found, (&opened.recorded, &opened.transcript, &Sources::default()), encoding);
    assert!(near(trace.position.unwrap().share), "{:?}", trace.position);
}
