//! A clock in the system prompt: how many requests it costs the cached prefix, and what that comes to, worked out from
//! the sizes of the windows.

use serde_json::{Value, json};
use windowpane::inquiry::lint::Finding;

use super::build::{filler, lines};
use super::lint::looked;
use super::runner::{Opened, open};

/// Tokens that a cache takes at least.
const LEAST: u64 = 1_024;

/// A log of requests whose system prompt begins with a clock where it `moves`, each with a turn of so many lines more.
/// `sent` are the messages that the client sends of all that there are.
fn session(requests: usize, first: usize, turn: usize, moves: bool, sent: fn(&[Value]) -> Vec<Value>) -> Opened {
    let mut all: Vec<Value> = Vec::new();
    let mut log = Vec::new();
    for number in 0..requests {
        let (from, lines) = if number == 0 { (0, first) } else { (first + number * turn, turn) };
        all.push(json!({"role": "user", "content": format!("question {number}: {}", filler(from, lines))}));
        // Another first byte each time.
        let hour = char::from(b'A' + u8::try_from(if moves { number % 26 } else { 0 }).unwrap());
        let system = format!("{hour} is the hour. You are an assistant who answers in one line.");
        log.push(json!({
            "request": {"model": "claude-sonnet-4-5-20250929", "max_tokens": 9, "system": system, "messages": sent(&all)},
            "response": {"id": format!("m{number}"), "type": "message", "role": "assistant",
                "model": "claude-sonnet-4-5-20250929", "stop_reason": "end_turn",
                "content": [{"type": "text", "text": format!("answer {number}")}]},
        }));
        all.push(json!({"role": "assistant", "content": [{"type": "text", "text": format!("answer {number}")}]}));
    }
    open(lines(&log))
}

fn moving(opened: &Opened) -> Option<Finding> {
    looked(opened, &opened.recorded).into_iter().find(|finding| finding.rule == "moving-prefix")
}

/// What each request could have read, by the windows: all of the request before it, where a cache takes that.
fn could(opened: &Opened) -> Vec<u64> {
    let before = opened.recorded.totals.iter().take(opened.recorded.totals.len() - 1);
    before.map(|totals| totals.counted).filter(|tokens| *tokens >= LEAST).collect()
}

fn dollars(tokens: u64) -> f64 {
    // Sonnet: $3.00 fresh, $0.30 read, for a million.
    f64::from(u32::try_from(tokens).unwrap()) * (3.0 - 0.3) / 1e6
}

#[test]
fn a_clock_costs_every_request_all_that_went_before() {
    for requests in [5, 6, 12, 40] {
        for (first, turn) in [(0, 20), (60, 1), (90, 1), (200, 4), (1_000, 60), (7_000, 20)] {
            let name = format!("{requests} requests, {first} and {turn} lines");
            let opened = session(requests, first, turn, true, <[Value]>::to_vec);
            assert_eq!(opened.recorded.totals.len(), requests, "{name}");
            let could = could(&opened);
            let Some(found) = moving(&opened) else {
                assert!(could.is_empty(), "{name}: {could:?}");
                continue;
            };
            let tokens: u64 = could.iter().sum();
            let start = if could.len() == 1 { "In 1 step ".to_owned() } else { format!("In {} steps ", could.len()) };
            assert!(found.evidence.starts_with(&start) && found.evidence.contains("at byte 0"), "{name}: {found:?}");
            let free = requests - 1 - could.len();
            assert_eq!(
                found.evidence.contains(&format!("In {free} more that costs nothing")),
                free > 0,
                "{name}: {found:?}"
            );
            assert_eq!((found.tokens, found.step), (Some(tokens), u32::try_from(free + 2).ok()), "{name}");
            assert!((found.dollars.unwrap() - dollars(tokens)).abs() < 1e-9, "{name}: {found:?}");
        }
    }
}

#[test]
fn a_clock_costs_nothing_where_no_cache_takes_what_was_sent() {
    let opened = session(12, 0, 2, true, <[Value]>::to_vec);
    assert!(opened.recorded.totals.iter().all(|totals| totals.counted < LEAST), "{:?}", opened.recorded.totals);
    assert_eq!(moving(&opened), None);
}

#[test]
fn a_prompt_that_stays_moves_no_prefix() {
    for (first, turn) in [(0, 20), (90, 1), (1_000, 60)] {
        assert_eq!(moving(&session(12, first, turn, false, <[Value]>::to_vec)), None, "{first} and {turn} lines");
    }
}

#[test]
fn what_a_client_takes_away_is_not_lost_by_the_clock() {
    // The newest five messages: of the request before, all but the system prompt would have changed anyway.
    let newest = |all: &[Value]| all[all.len().saturating_sub(5)..].to_vec();
    let opened = session(12, 90, 90, true, newest);
    let found = moving(&opened).unwrap();
    let whole: u64 = could(&opened).iter().sum();
    assert!(found.tokens < Some(whole / 2), "{found:?} of {whole}");
    assert_eq!(moving(&session(12, 90, 90, false, newest)), None);
}
