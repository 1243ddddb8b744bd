//! Facts in sessions as they were recorded.

use serde_json::json;
use windowpane::inquiry::Sight;
use windowpane::model::Fate;

use super::build::{Log, codex, filler, message};
use super::runner::{Case, Expected, check_all};

const NOTE: &str = "The staging gateway only accepts idempotency keys that begin with QX-77413.";

fn case(name: &'static str, log: Log, fact: &'static str, expected: Expected) -> Case {
    Case { name, bytes: log.bytes(), policy: &[], fact, expected }
}

fn auto() -> serde_json::Value {
    json!({"trigger": "auto", "preTokens": 167_000, "postTokens": 12_000})
}

/// A question, an answer; then a compaction with this summary and another turn.
fn compacted(metadata: serde_json::Value, summary: &str) -> Log {
    Log::new()
        .user(NOTE)
        .says("I will keep that in mind.")
        .compacts(metadata, summary)
        .user("Go on.")
        .says("Done.")
        .user("Thanks.")
}

#[test]
fn compactions() {
    check_all(&[
        // 1: the note; 2: summary, "Go on."; 3: "Done.", "Thanks."
        case("compacted", compacted(auto(), "The user asked for a fix. Nothing is open."), "QX-77413", Expected {
            came: Some(1), lost: Some(2), rule: Some("recorded.auto_compact"), need: Some((3, false)),
            end: Some((Fate::Summarised, Sight::Gone)),
            says: &["Came in at step 1 in a message of the user.", "compacted away by the agent itself", "167,000 tokens measured", "The summary does not say it.", "Lost from step 2 to the end, step 3."],
            ..Expected::default()
        }),
        case("compacted-by-hand", compacted(json!({"trigger": "manual", "preTokens": 9_000}), "Nothing is open."), "QX-77413", Expected {
            came: Some(1), lost: Some(2), rule: Some("recorded.manual_compact"),
            says: &["because the user asked"], ..Expected::default()
        }),
        case("summary-says-it", compacted(auto(), "- Keys for staging begin with `QX-77413`.\n- Nothing else."), "QX-77413", Expected {
            came: Some(1), kept: true, end: Some((Fate::Summarised, Sight::Summary)),
            says: &["in a summary, word for word"], ..Expected::default()
        }),
        case("summary-speaks-of-it", compacted(auto(), "Intro. The staging gateway accepts only idempotency keys with a special beginning. Outro."), "QX-77413", Expected {
            came: Some(1), lost: Some(2), rule: Some("recorded.auto_compact"),
            end: Some((Fate::Summarised, Sight::Gone)),
            says: &["The summary speaks of it without saying it: “The staging gateway accepts only"], silent: &["says the like"],
            ..Expected::default()
        }),
        case("preserved", compacted(json!({"trigger": "auto", "preservedMessages": {"anchorUuid": "r4", "uuids": ["r1"]}}), "All."), "QX-77413", Expected {
            came: Some(1), kept: true, end: Some((Fate::Verbatim, Sight::Verbatim)), says: &["It is there to the end, step 3: word for word"],
            silent: &["compacted"], ..Expected::default()
        }),
        // The same fact in a file that is put back after the compaction.
        case("put-back", Log::new().user("Read the notes.").calls("c1", "Read", json!({"file_path": "/w/notes.md"})).result("c1", NOTE)
            .says("Read.").compacts(auto(), "Notes were read.")
            .attachment(json!({"type": "file", "filename": "/w/notes.md", "displayPath": "notes.md", "content": {"type": "text", "file": {"content": NOTE}}}))
            .user("Go on."), "QX-77413", Expected {
            came: Some(2), kept: true, end: Some((Fate::Summarised, Sight::Gone)),
            says: &["in the output of Read", "compacted away", "It stands in the file notes.md since step 3"], ..Expected::default()
        }),
        // Compacted before any request showed it: its size is not that of the summary.
        case("compacted-unsent", Log::new().user("Go.").calls("c1", "Read", json!({"file_path": "/w/notes.md"}))
            .result("c1", &format!("{NOTE}\n{}", filler(1, 40))).compacts(auto(), "Nothing is open.").user("Go on.").says("Done."), "QX-77413", Expected {
            came: Some(2), lost: Some(2), rule: Some("recorded.auto_compact"),
            says: &["It was never sent: before the request of step 2 it was compacted away by the agent itself"],
            silent: &["Cut at once", "tokens were kept"], ..Expected::default()
        }),
        // Compacted twice: the first summary says it, the second no longer does.
        case("lost-by-the-second-summary", compacted(auto(), "Keys begin with QX-77413.").says("Hm.").compacts(auto(), "Nothing.").user("And now?"), "QX-77413", Expected {
            came: Some(1), lost: Some(4), rule: Some("recorded.auto_compact"), ..Expected::default()
        }),
    ]);
}

#[test]
fn results() {
    let big = filler(1, 20);
    let cut = format!("{}\n\n... [500 characters truncated] ...\n\n{}", "first lines", "last lines");
    let whole = |fact: &str| json!({"stdout": format!("first lines\n{big}{fact}\n{big}last lines"), "stderr": ""});
    check_all(&[
        // 1: "Go."; 2: + call and result; 3: cleared, "What was the code?"
        case("cleared", Log::new().user("Go.").shell("c1", "cat log", &format!("{big}code QX-77413\n")).says("I see.").clears(&["c1"]).user("Next thing."), "QX-77413", Expected {
            came: Some(2), lost: Some(3), rule: Some("recorded.microcompact"), end: Some((Fate::Cleared, Sight::Pointer)), back: Some("from the file /w/log"),
            says: &["Came in at step 2 in the output of Bash, line 21 of 21.", "cleared as a stale result"], ..Expected::default()
        }),
        case("cleared-but-repeated", Log::new().user("Go.").shell("c1", "cat log", &format!("{big}code QX-77413\n")).says("The code is QX-77413.").clears(&["c1"]).user("Next thing."), "QX-77413", Expected {
            came: Some(2), kept: true, end: Some((Fate::Cleared, Sight::Pointer)),
            says: &["cleared as a stale result", "It stands in an answer of the model since step 3."], ..Expected::default()
        }),
        case("another-is-cleared", Log::new().user("Go.").shell("c1", "cat a", &big).shell("c2", "cat log", "code QX-77413").clears(&["c1"]).says("Ok.").user("Next."), "QX-77413", Expected {
            came: Some(3), kept: true, silent: &["cleared"], ..Expected::default()
        }),
        case("cut-in-the-middle", Log::new().user("Go.").calls("c1", "Bash", json!({"command": "cat log"})).result_of("c1", &cut, whole("code QX-77413")).says("I see.").user("What was the code?"), "QX-77413", Expected {
            came: Some(2), lost: Some(2), rule: Some("recorded.truncated"), end: Some((Fate::Truncated, Sight::Gone)),
            says: &["line 22 of 43", "Cut at once"], ..Expected::default()
        }),
        case("beside-the-cut", Log::new().user("Go.").calls("c1", "Bash", json!({"command": "cat log"})).result_of("c1", &cut.replace("first lines", "first QX-77413"), whole("nothing")).says("I see.").user("Next."), "QX-77413", Expected {
            came: Some(2), kept: true, silent: &["Cut at once"], ..Expected::default()
        }),
        // The path is all that is known of the rest: what it holds is not recorded, but the preview says it.
        case("in-the-preview", Log::new().user("Go.").shell("c1", "cat log", "<persisted-output>\nOutput too large (40KB). Full output saved to: /h/b1.txt\n\nPreview (first 2KB):\ncode QX-77413\n</persisted-output>").says("Ok.").user("Next."), "QX-77413", Expected {
            came: Some(2), kept: true, ..Expected::default()
        }),
        case("persisted", Log::new().user("Go.").calls("c1", "Bash", json!({"command": "cat log"}))
            .result_of("c1", "<persisted-output>\nOutput too large (40KB). Full output saved to: /h/b1.txt\n\nPreview (first 2KB):\nfirst lines\n</persisted-output>", whole("code QX-77413")).says("Ok.").user("Next."), "QX-77413", Expected {
            came: Some(2), lost: Some(2), rule: Some("recorded.persisted_output"), end: Some((Fate::Virtual, Sight::Pointer)),
            back: Some("from the file /h/b1.txt"), says: &["Cut at once: only a preview", "Still retrievable from the file /h/b1.txt. Never read."], ..Expected::default()
        }),
        case("persisted-and-read", Log::new().user("Go.").calls("c1", "Bash", json!({"command": "cat log"}))
            .result_of("c1", "<persisted-output>\nOutput too large (40KB). Full output saved to: /h/b1.txt\n\nPreview (first 2KB):\nfirst lines\n</persisted-output>", whole("code QX-77413"))
            .shell("c2", "grep code /h/b1.txt", "code QX-77413").says("Ok.").user("Next."), "QX-77413", Expected {
            came: Some(2), kept: true, says: &["It stands in the output of Bash since step 3."], ..Expected::default()
        }),
        // Each step with what was done at it; what stood in between is told.
        case("persisted-read-and-compacted", Log::new().user("Go.").calls("c1", "Bash", json!({"command": "cat log"}))
            .result_of("c1", "<persisted-output>\nOutput too large (40KB). Full output saved to: /h/b1.txt\n\nPreview (first 2KB):\nfirst lines\n</persisted-output>", whole("code QX-77413"))
            .shell("c2", "grep code /h/b1.txt", "code QX-77413").says("Ok.").user("Next.").says("Yes.").compacts(auto(), "Nothing is open.").user("Go on.").says("The code was QX-77413.").user("Thanks."), "QX-77413", Expected {
            came: Some(2), kept: true,
            says: &["There it was cut off at step 2.", "It stood in the output of Bash from step 3 to 4.", "It stands in an answer of the model since step 6."],
            silent: &["compacted away"], ..Expected::default()
        }),
    ]);
}

#[test]
fn branches() {
    check_all(&[
        // 1 and 2 on the first branch; 3 on the second, after the first answer.
        case(
            "rewound",
            Log::new()
                .user("One.")
                .says("First.")
                .user(NOTE)
                .says("I will.")
                .after(2)
                .user("Two, better.")
                .says("Third.")
                .user("And?"),
            "QX-77413",
            Expected {
                came: Some(2),
                lost: Some(3),
                rule: Some("recorded.rewind"),
                end: Some((Fate::Dropped, Sight::Gone)),
                says: &["left on another branch: the user went back"],
                ..Expected::default()
            },
        ),
        case(
            "rewound-to",
            Log::new().user(NOTE).says("I will.").user("Two.").says("Second.").after(2).user("Two, better."),
            "QX-77413",
            Expected { came: Some(1), kept: true, ..Expected::default() },
        ),
        // Compacted away, and back again since the user went back to before the compaction.
        case(
            "rewound-behind-a-compaction",
            Log::new()
                .user(NOTE)
                .says("I will.")
                .user("Two.")
                .says("Second.")
                .compacts(auto(), "All of it.")
                .user("Three.")
                .says("Third.")
                .after(2)
                .user("Two, better."),
            "QX-77413",
            Expected { came: Some(1), kept: true, ..Expected::default() },
        ),
        // Told again on the branch that was taken, where a summary says it in the end: each with its steps.
        case(
            "rewound-and-in-a-summary-since",
            Log::new()
                .user("One.")
                .says("First.")
                .user(NOTE)
                .says("I will.")
                .after(2)
                .user("Two, with keys of QX-77413.")
                .says("Third.")
                .user("Go on.")
                .says("Fourth.")
                .compacts(auto(), "Keys begin with QX-77413.")
                .user("Go on.")
                .says("Done.")
                .user("Thanks."),
            "QX-77413",
            Expected {
                came: Some(2),
                kept: true,
                end: Some((Fate::Dropped, Sight::Gone)),
                says: &[
                    "the user went back at step 3.",
                    "It stood in a message of the user from step 3 to 4. It stands in a summary since step 5.",
                ],
                ..Expected::default()
            },
        ),
        case(
            "edited",
            Log::new().user("Go.").says("The code is QX-77413.").after(1).says("An answer.").user("Next."),
            "QX-77413",
            Expected {
                came: Some(2),
                lost: Some(2),
                rule: Some("recorded.edit"),
                says: &["left out: the client sent another history"],
                ..Expected::default()
            },
        ),
        case(
            "only-in-a-subagent",
            Log::new()
                .user("Go.")
                .calls("c1", "Task", json!({"description": "look", "prompt": "Look."}))
                .aside(Log::new().user("Look.").shell("d1", "cat log", "code QX-77413").says("Seen."))
                .result("c1", "Seen.")
                .says("Fine.")
                .user("Next."),
            "QX-77413",
            Expected {
                came: None,
                says: &["It never came into this window: it stands only in thread 1, look."],
                ..Expected::default()
            },
        ),
        case(
            "told-by-a-subagent",
            Log::new()
                .user("Go.")
                .calls("c1", "Task", json!({"description": "look", "prompt": "Look."}))
                .aside(Log::new().user("Look.").shell("d1", "cat log", "code QX-77413").says("It is QX-77413."))
                .result("c1", "It is QX-77413.")
                .says("Fine.")
                .user("Next."),
            "QX-77413",
            Expected { came: Some(2), kept: true, says: &["in the output of Task"], ..Expected::default() },
        ),
    ]);
}

#[test]
fn ways_of_writing() {
    let wrote = json!({"file_path": "/w/c.toml", "content": "# say \"hi\"\nlimit = \"1,000,000 rows\"\n"});
    let log = || {
        Log::new().user("Go.").calls("c1", "Write", wrote.clone()).result("c1", "written").says("Done.").user("Next.")
    };
    check_all(&[
        case(
            "escaped-in-a-call",
            log(),
            r#"say "hi""#,
            Expected {
                came: Some(2),
                kept: true,
                says: &[
                    "The model wrote it first, in its answer to step 1, in a call of Write",
                    "; the window holds it from step 2 on.",
                ],
                ..Expected::default()
            },
        ),
        case("grouped-number", log(), "1000000 ROWS", Expected { came: Some(2), kept: true, ..Expected::default() }),
        case(
            "a-longer-number",
            log(),
            "1,000",
            Expected {
                says: &["only inside of longer numbers and codes, as in “1,000,000” (one place)"],
                ..Expected::default()
            },
        ),
        case(
            "wrapped",
            Log::new().user("Keys on   the\n  staging gateway begin with „QX-\n77413“.").says("Ok.").user("Next."),
            "Staging Gateway begin with \"QX-77413\"",
            Expected { came: Some(1), kept: true, ..Expected::default() },
        ),
        case(
            "queued-only",
            Log::new()
                .user("Go.")
                .record("queue-operation", json!({"operation": "enqueue", "content": "The code is QX-77413."}))
                .after(1)
                .says("Ok.")
                .user("Next."),
            "QX-77413",
            Expected { says: &["It stands in line 2 of", "in nothing that was ever sent"], ..Expected::default() },
        ),
        case(
            "queued-otherwise",
            Log::new()
                .user("Go.")
                .record(
                    "queue-operation",
                    json!({"operation": "enqueue", "content": "It took 167174 tokens\nfor ONE run."}),
                )
                .after(1)
                .says("Ok.")
                .user("Next."),
            "167,174 tokens for one run",
            Expected { says: &["It stands in line 2 of", "in nothing that was ever sent"], ..Expected::default() },
        ),
        case(
            "queued-by-pattern",
            Log::new()
                .user("Go.")
                .record("queue-operation", json!({"operation": "enqueue", "content": "The code is QX-77413."}))
                .after(1)
                .says("Ok.")
                .user("Next."),
            r"re:QX-\d{5}",
            Expected { says: &["It stands in line 2 of", "in nothing that was ever sent"], ..Expected::default() },
        ),
        case(
            "nowhere",
            log(),
            "QX-77413",
            Expected { came: None, says: &["nowhere in what was recorded"], ..Expected::default() },
        ),
        case(
            "by-pattern",
            Log::new().user(NOTE).says("Ok.").user("Next."),
            r"re:QX-\d{5}",
            Expected { came: Some(1), kept: true, ..Expected::default() },
        ),
        case(
            "by-meaning",
            compacted(auto(), "Nothing is open."),
            "~which idempotency keys the staging gateway accepts",
            Expected { came: Some(1), lost: Some(2), rule: Some("recorded.auto_compact"), ..Expected::default() },
        ),
        case(
            "by-meaning-nowhere",
            compacted(auto(), "Nothing is open."),
            "~the colour of the admiral's hat",
            Expected { came: None, says: &["No passage says it"], ..Expected::default() },
        ),
        case(
            "said-at-the-end",
            Log::new().user("Go.").says("It is QX-77413."),
            "QX-77413",
            Expected {
                came: Some(2),
                kept: false,
                says: &["The model wrote it first, in its answer to step 1, after the last request."],
                ..Expected::default()
            },
        ),
    ]);
}

#[test]
fn questions() {
    let ask = "Which prefix must the keys have that the staging gateway accepts?";
    check_all(&[
        // 1: note; 2: after the compaction; 3: the question.
        case(
            "asked-after-the-loss",
            Log::new()
                .user(NOTE)
                .says("I will.")
                .compacts(auto(), "Nothing is open.")
                .user("Go on.")
                .says("Done.")
                .user(ask)
                .says("I do not know."),
            "QX-77413",
            Expected {
                came: Some(1),
                lost: Some(2),
                rule: Some("recorded.auto_compact"),
                need: Some((3, true)),
                says: &["Lost from step 2 on; the question came at step 3, 1 step later."],
                ..Expected::default()
            },
        ),
        case(
            "asked-and-used",
            Log::new().user(NOTE).says("I will.").user(ask).says("QX-77413."),
            "QX-77413",
            Expected {
                came: Some(1),
                kept: true,
                need: Some((2, true)),
                says: &["It was in the window when the question came, at step 2"],
                silent: &["Yet no"],
                ..Expected::default()
            },
        ),
        case(
            "asked-and-unused",
            Log::new().user(NOTE).says("I will.").user(ask).says("I do not know.").user("Pity."),
            "QX-77413",
            Expected {
                came: Some(1),
                kept: true,
                need: Some((2, true)),
                says: &["Yet no later answer repeats it."],
                ..Expected::default()
            },
        ),
        // Named in a question, it is asked for; a task that shares two common words with it does not.
        case(
            "asked-by-name",
            Log::new()
                .user(NOTE)
                .says("I will.")
                .compacts(auto(), "Nothing is open.")
                .user("Where is QX-77413 used?")
                .says("Nowhere.")
                .user("Write a page about the staging gateway.")
                .says("Done."),
            "QX-77413",
            Expected { came: Some(1), kept: true, need: Some((2, true)), ..Expected::default() },
        ),
        case(
            "told-again",
            Log::new()
                .user(NOTE)
                .says("I will.")
                .compacts(auto(), "Nothing is open.")
                .user(ask)
                .says("I do not know.")
                .user("QX-77413, and write it down.")
                .says("Done."),
            "QX-77413",
            Expected {
                came: Some(1),
                lost: Some(2),
                rule: Some("recorded.auto_compact"),
                need: Some((2, true)),
                says: &["It came in again at step 3."],
                ..Expected::default()
            },
        ),
    ]);
}

#[test]
fn rollouts() {
    let call = |id: &str| json!({"type": "function_call", "name": "shell", "arguments": "{\"cmd\":\"cat log\"}", "call_id": id});
    let gives = |id: &str, text: &str| json!({"type": "function_call_output", "call_id": id, "output": text});
    let item = "response_item";
    let compacted = |history: serde_json::Value| ("compacted", json!({"message": "", "replacement_history": history}));
    let start = [
        (item, message("user", NOTE)),
        (item, call("a")),
        (item, gives("a", "The build number is 88-1207.")),
        (item, message("assistant", "I will.")),
    ];
    let with =
        |more: Vec<(&'static str, serde_json::Value)>| codex(&start.iter().cloned().chain(more).collect::<Vec<_>>());
    let kept = json!([message("user", NOTE), message("user", "A summary: all is well.")]);
    let sealed = json!([{"type": "compaction", "encrypted_content": "QUJD"}]);
    let after = || (item, message("user", "Next."));
    let codex_case = |name, bytes, fact, expected| Case { name, bytes, policy: &[], fact, expected };
    check_all(&[
        codex_case(
            "rollout-keeps-messages",
            with(vec![compacted(kept.clone()), after()]),
            "QX-77413",
            Expected { came: Some(1), kept: true, silent: &["compacted"], ..Expected::default() },
        ),
        codex_case(
            "rollout-loses-results",
            with(vec![compacted(kept), after()]),
            "88-1207",
            Expected { came: Some(2), lost: Some(3), rule: Some("recorded.compact"), ..Expected::default() },
        ),
        codex_case(
            "rollout-sealed",
            with(vec![compacted(sealed), after()]),
            "88-1207",
            Expected {
                came: Some(2),
                lost: Some(3),
                rule: Some("recorded.compact"),
                end: Some((Fate::Summarised, Sight::Hidden)),
                says: &["cannot be read by anybody but its vendor"],
                silent: &["does not say"],
                ..Expected::default()
            },
        ),
        codex_case(
            "rollout-taken-back",
            with(vec![("event_msg", json!({"type": "thread_rolled_back", "num_turns": 1})), after()]),
            "QX-77413",
            Expected { came: Some(1), lost: Some(3), rule: Some("recorded.rewind"), ..Expected::default() },
        ),
    ]);
}
