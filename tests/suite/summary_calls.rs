//! Logs of a client that asks for a summary of its conversation and goes on with that.

use serde_json::{Value, json};
use windowpane::model::{Layer, Op, Stage, ThreadKind};

use crate::replayed::{run, stages};
use crate::requests::{open_lines, story};
use crate::story::Story;

const SUMMARY: &str = "1. The request: port the importer to async.\n2. Parts 0 to 4 of the importer were read.";

/// One call of a client that keeps its reminders before what is said.
fn asked(messages: &[Value], answer: &Value, prompt: &str, size: u64) -> Value {
    json!({"request": {"model": "claude-x", "max_tokens": 9, "system": prompt, "messages": messages,
            "metadata": {"user_id": "u"}},
        "response": {"id": format!("m{size}"), "type": "message", "role": "assistant", "model": "claude-x",
            "content": answer["content"], "stop_reason": "end_turn", "usage": {"input_tokens": size, "output_tokens": 9}}})
}

#[test]
fn a_call_for_a_summary_is_no_step_and_what_comes_after_it_is_a_compaction() {
    let text = |text: &str| json!({"type": "text", "text": text});
    let user = |content: &[Value]| json!({"role": "user", "content": content});
    let reminder = text(&format!("<system-reminder>\n{}\n</system-reminder>", "Rules of the project. ".repeat(9)));
    let note =
        text("<system-reminder>\nNote: a.py was read before the last conversation was summarized\n</system-reminder>");
    let recap = format!("This session is being continued from a previous conversation.\nSummary:\n{SUMMARY}\nGo on.");
    let answer = |words: &str| json!({"role": "assistant", "content": [text(words)]});
    for (name, other_prompt, first, begins) in [
        ("reminder before", true, true, vec![reminder.clone(), text(&recap)]),
        ("same prompt", false, true, vec![reminder.clone(), text(&recap)]),
        ("no reminder after", true, true, vec![text(&recap)]),
        ("no reminder at all", true, false, vec![text(&recap)]),
        ("reminders around", false, true, vec![note.clone(), text(&recap), reminder.clone()]),
    ] {
        let begun = [reminder.clone(), text("Port the importer to async.")];
        let (mut lines, mut messages) = (Vec::new(), vec![user(&begun[usize::from(!first)..])]);
        for number in 0..5 {
            let said = answer(&format!("Part {number} of the importer is read now"));
            lines.push(asked(&messages, &said, "agent", 1000 * (number + 1)));
            messages.extend([said, user(&[text(&format!("Go on with part {number}, please"))])]);
        }
        let mut call = messages.clone();
        let last = call.last_mut().unwrap()["content"].as_array_mut().unwrap();
        last.push(text("Your task is to create a detailed summary of the conversation so far."));
        let said = answer(&format!("<analysis>\nI look at it.\n</analysis>\n<summary>\n{SUMMARY}\n</summary>"));
        lines.push(asked(&call, &said, if other_prompt { "Sum it up." } else { "agent" }, 6000));
        messages = vec![user(&begins)];
        for number in 0..3 {
            let said = answer(&format!("After that, {number}"));
            lines.push(asked(&messages, &said, "agent", 800 + number));
            messages.extend([said, user(&[text(&format!("And {number}?"))])]);
        }
        let (sources, transcript) = open_lines(&lines);
        let kinds: Vec<ThreadKind> = transcript.threads.iter().map(|thread| thread.kind).collect();
        assert_eq!(kinds, [ThreadKind::Main, ThreadKind::Summariser], "{name}");
        let counts: Vec<usize> = transcript.threads.iter().map(|thread| thread.requests.len()).collect();
        let told = story(&sources, &transcript, 0);
        assert_eq!(counts, [8, 1], "{name}: {told:?}");
        let changed = |op: &&String| ["compact", "Rewound", "Edited"].iter().any(|kind| op.starts_with(kind));
        let changes: Vec<&String> = told.iter().filter(changed).collect();
        assert!(matches!(&changes[..], [one] if one.starts_with("compact")), "{name}: {changes:?}");
        let compactions = transcript.threads[0].ops.iter().filter_map(|op| match op {
            Op::Compact(compaction) => Some(compaction.summariser.map(|id| id.0)),
            _ => None,
        });
        assert_eq!(compactions.collect::<Vec<_>>(), [Some(1)], "{name}");
        let summaries = transcript.blocks.iter().filter(|block| block.layer == Layer::Summaries);
        let summaries: Vec<String> = summaries.map(|block| sources.body_text(&block.body).unwrap()).collect();
        assert_eq!(summaries, [recap.as_str()], "{name}");
    }
}

#[test]
fn an_answer_that_takes_the_historys_place_is_a_summary_whatever_it_says_of_itself() {
    let said = |role: &str, text: &str| json!({"role": role, "content": [{"type": "text", "text": text}]});
    let notes = "They spoke of sails and of the harbour; the code of the anchor was given. The sails are to be dried.";
    // The question, what stands for the history then, what is kept of it, and whether it was a call for a summary.
    let whole = format!("Earlier in this talk:\n{notes}\nGo on from there.");
    let quoting = format!("You wrote: {notes} {}", "Tell me what of that is wrong, in every detail. ".repeat(4));
    for (name, ask, after, kept, calls) in [
        ("said by name", "Summarize the talk for a handover.", notes, 0, true),
        (
            "in other words",
            "Note all that matters of our conversation, so that another one can take over.",
            &whole,
            0,
            true,
        ),
        ("in another language", "Fasse das bisherige Gespräch zusammen.", &whole, 0, true),
        ("with its beginning kept", "Condense what was said so far.", &whole, 2, true),
        ("nothing is gone", "Summarize the talk for a handover.", notes, 4, false),
        ("only quoted", "Summarize the talk for a handover.", &quoting, 0, false),
        ("another question", "Write a poem on sails.", notes, 0, false),
    ] {
        let (mut lines, mut messages) = (Vec::new(), Vec::new());
        let answers = ["Kept.", "Sails are made of canvas, and dried in the wind."];
        for (at, (ask, answer)) in
            ["The anchor code is ANC-501, keep it.", "Tell me of sails."].iter().zip(answers).enumerate()
        {
            messages.push(said("user", ask));
            lines.push(asked(&messages, &said("assistant", answer), "agent", 100 + at as u64));
            messages.push(said("assistant", answer));
        }
        let call = [&messages[..], &[said("user", ask)]].concat();
        lines.push(asked(&call, &said("assistant", notes), "agent", 200));
        messages.truncate(kept);
        for (at, text) in [after, "What was the code?"].iter().enumerate() {
            messages.push(said("user", text));
            lines.push(asked(&messages, &said("assistant", "I see."), "agent", 90 + at as u64));
            messages.push(said("assistant", "I see."));
        }
        let (sources, transcript) = open_lines(&lines);
        let kinds: Vec<ThreadKind> = transcript.threads.iter().map(|thread| thread.kind).collect();
        let told = story(&sources, &transcript, 0);
        assert_eq!(kinds.contains(&ThreadKind::Summariser), calls, "{name}: {told:?}");
        if !calls {
            continue;
        }
        assert_eq!(transcript.threads[0].requests.len(), 4, "{name}: {told:?}");
        let compactions = transcript.threads[0].ops.iter().filter_map(|op| match op {
            Op::Compact(compaction) => Some(compaction.summariser.map(|id| id.0)),
            _ => None,
        });
        assert_eq!(compactions.collect::<Vec<_>>(), [Some(1)], "{name}: {told:?}");
        let summaries = transcript.blocks.iter().filter(|block| block.layer == Layer::Summaries);
        let summaries: Vec<String> = summaries.map(|block| sources.body_text(&block.body).unwrap()).collect();
        assert_eq!(summaries, [after], "{name}");
    }
}

#[test]
fn a_summary_that_the_user_asks_for_is_a_step() {
    let (mut lines, mut messages) = (Vec::new(), Vec::new());
    for (at, ask) in ["Read the importer", "Give me a summary of that", "Now mend the importer"].iter().enumerate() {
        messages.push(json!({"role": "user", "content": ask}));
        let said = json!({"role": "assistant", "content": [{"type": "text", "text": if at == 1 { SUMMARY } else { "Done." }}]});
        lines.push(asked(&messages, &said, "agent", 1000 + at as u64));
        messages.push(said);
    }
    let (_, transcript) = open_lines(&lines);
    assert_eq!((transcript.threads.len(), transcript.threads[0].requests.len()), (1, 3));
}

#[test]
fn the_call_that_writes_a_summary_is_compacted_by_none() {
    let mut story = Story::new(1);
    story.user("Look at them all.");
    for number in 0..6 {
        story.answer("One.", &[("Read", &format!("{{\"path\": \"a{number}\"}}"), &"r".repeat(4_000))]);
    }
    story.user("Write a summary of all that.");
    story.ask(None);
    let sets = ["summarise.on=true", "summarise.at=3000", "summarise.by=extractive", "summarise.target=200"];
    let compactions = |story: &Story| stages(&run(&story.plan(10_000), &sets), Stage::Summarise).len();
    assert_eq!(compactions(&story), 1);
    story.thread().kind = ThreadKind::Summariser;
    assert_eq!(compactions(&story), 0, "it is the compaction itself");
}
