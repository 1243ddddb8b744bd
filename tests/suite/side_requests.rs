//! Logs in which requests were asked beside a session, and histories that the provider keeps: what each request was
//! sent.

use serde_json::{Value, json};
use windowpane::engine::{Known, recorded};
use windowpane::model::{ThreadId, ThreadKind, Transcript};

use crate::data;

/// The texts of every window of a log, by thread.
fn windows(lines: &[Value]) -> Vec<Vec<Vec<String>>> {
    let text: Vec<String> = lines.iter().map(Value::to_string).collect();
    let (sources, transcript) = data::open_bytes(text.join("\n").into_bytes(), None);
    let kinds: Vec<ThreadKind> = transcript.threads.iter().map(|thread| thread.kind).collect();
    assert!(kinds.iter().enumerate().all(|(at, kind)| (at == 0) == (*kind == ThreadKind::Main)), "{kinds:?}");
    (0..transcript.threads.len()).map(|thread| of_thread(&sources, &transcript, thread)).collect()
}

fn of_thread(sources: &windowpane::content::Sources, transcript: &Transcript, thread: usize) -> Vec<Vec<String>> {
    let id = ThreadId(u32::try_from(thread).unwrap());
    let run = recorded(transcript, id, Known::nothing().facts(transcript, &transcript.threads[thread]));
    let text = |id| {
        let block = run.entry(id).and_then(windowpane::model::Entry::block).unwrap();
        sources.body_text(&transcript.block(block).unwrap().body).unwrap()
    };
    (1..=u32::try_from(run.steps.len()).unwrap()).map(|step| run.window(step).into_iter().map(text).collect()).collect()
}

/// One exchange of a chat; `None` as answer where only requests are logged.
fn chat(model: &str, system: &str, said: &[&str], answer: Option<&str>) -> Value {
    let mut messages = vec![json!({"role": "system", "content": system})];
    messages.extend(
        said.iter()
            .enumerate()
            .map(|(at, text)| json!({"role": if at % 2 == 0 { "user" } else { "assistant" }, "content": text})),
    );
    let request = json!({"model": model, "messages": messages, "stream_options": {}});
    match answer {
        Some(text) => json!({"request": request, "response": {"id": text, "object": "chat.completion",
            "model": format!("{model}-2026"), "choices": [{"message": {"role": "assistant", "content": text}}]}}),
        None => request,
    }
}

const ASK: &str = "Please fix the login bug and run the whole test suite afterwards";

#[test]
fn a_call_for_a_title_is_no_part_of_the_session() {
    let main = |said: &[&str], answer: &str| chat("big", "agent", said, Some(answer));
    let title = |said: &[&str]| chat("small", "write a title", said, Some("Fix login"));
    let window = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
    let (first, second) = (main(&[ASK], "Looking."), main(&[ASK, "Looking.", "go on"], "Done."));
    let expected = vec![
        vec![window(&["agent", ASK]), window(&["agent", ASK, "Looking.", "go on"])],
        vec![window(&["write a title", ASK])],
    ];
    // Before, between and after the session's own; and with the whole of it.
    for log in [
        [title(&[ASK]), first.clone(), second.clone()],
        [first.clone(), title(&[ASK]), second.clone()],
        [first.clone(), second.clone(), title(&[ASK])],
    ] {
        assert_eq!(windows(&log), expected, "{log:?}");
    }
    let requests = |log: &[Value]| log.iter().map(|line| line["request"].clone()).collect::<Vec<_>>();
    for log in [[title(&[ASK]), first.clone(), second.clone()], [first.clone(), title(&[ASK]), second.clone()]] {
        assert_eq!(windows(&requests(&log)), expected, "{log:?}");
    }
    let whole = title(&[ASK, "Looking.", "a title, please"]);
    let found = windows(&[first, whole, second]);
    assert_eq!(found[0], expected[0]);
    assert_eq!(found[1].last(), Some(&window(&["write a title", ASK, "Looking.", "a title, please"])));
}

/// A call of other words than the session's, such as one that tries the key, before it.
#[test]
fn a_single_call_without_tools_is_not_the_session_that_comes_after_it() {
    let with_tools = |mut line: Value| {
        line["request"]["tools"] = json!([{"type": "function", "function": {"name": "run", "parameters": {}}}]);
        line
    };
    let before = chat("small", "write a title", &["<session>Fix the login</session>"], Some("Fix login"));
    let session = [
        with_tools(chat("big", "agent", &[ASK], Some("Looking."))),
        with_tools(chat("big", "agent", &[ASK, "Looking.", "go on"], Some("Done."))),
    ];
    let found = windows(&[std::slice::from_ref(&before), &session[..]].concat());
    assert_eq!(found.iter().map(Vec::len).collect::<Vec<_>>(), [2, 1]);
    // Neither has tools, or what follows is no session: the first stays the first.
    let plain = [chat("big", "agent", &[ASK], Some("a")), chat("big", "agent", &[ASK, "a", "b"], Some("c"))];
    assert_eq!(windows(&[std::slice::from_ref(&before), &plain[..]].concat())[0].len(), 1);
    assert_eq!(windows(&[&[before], &session[..1]].concat())[0][0][0], "write a title");
}

#[test]
fn a_session_that_is_asked_of_another_model_or_with_another_prompt_stays_one() {
    let log = [
        chat("big", "agent at one", &[ASK], Some("a")),
        chat("small", "agent at one", &[ASK, "a", "b"], Some("c")),
        chat("big", "agent at two", &[ASK, "a", "b", "c", "d"], Some("e")),
        chat("big", "agent at two", &[ASK, "a", "b", "c", "other"], Some("f")),
    ];
    let found = windows(&log);
    assert_eq!((found.len(), found[0].len()), (1, 4), "{found:?}");
    assert_eq!(found[0][3], ["agent at two", ASK, "a", "b", "c", "other"]);
}

#[test]
fn conversations_that_begin_alike_stay_apart() {
    let log = [
        chat("m", "s", &["hi"], Some("Hello!")),
        chat("m", "s", &["hi"], Some("Hey!")),
        chat("m", "s", &["hi", "Hello!", "x"], Some("X")),
        chat("m", "s", &["hi", "Hey!", "y"], Some("Y")),
        chat("m", "s", &["hi", "Hello!", "x", "X", "xx"], Some("XX")),
    ];
    let found = windows(&log);
    let last: Vec<(usize, &str)> =
        found.iter().map(|thread| (thread.len(), thread.last().unwrap().last().unwrap().as_str())).collect();
    assert_eq!(last, [(3, "xx"), (2, "y")]);
    // One that is asked again, and gone on from, is the same conversation.
    let log = [
        chat("m", "s", &["hi"], Some("one")),
        chat("m", "s", &["hi"], Some("two")),
        chat("m", "s", &["hi", "two", "more"], Some("three")),
    ];
    assert_eq!(windows(&log).len(), 1);
}

/// One exchange that goes on from an answer or a conversation that the provider keeps.
fn kept(id: &str, instructions: Option<&str>, tools: &[&str], after: Value, input: Value) -> Value {
    let tools: Vec<Value> = tools.iter().map(|name| json!({"type": "function", "name": name})).collect();
    let mut request = json!({"model": "gpt-x", "instructions": instructions, "tools": tools, "input": input});
    match after.get("id") {
        Some(_) => request["conversation"] = after,
        None => request["previous_response_id"] = after,
    }
    json!({"request": request, "response": {"id": id, "object": "response", "status": "completed", "output": [
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": format!("said {id}")}]}]}})
}

fn tool(name: &str) -> String {
    json!({"type": "function", "name": name}).to_string()
}

#[test]
fn system_prompt_and_tools_are_those_of_the_request_and_the_history_that_of_the_answer_it_names() {
    let log = [
        kept("r1", Some("brief"), &["get"], Value::Null, json!("one")),
        kept(
            "r2",
            Some("brief"),
            &["get"],
            json!("r1"),
            json!([{"role": "developer", "content": "stays"}, {"role": "user", "content": "two"}]),
        ),
        kept("r3", Some("pirate"), &[], json!("r2"), json!("three")),
        kept("r4", None, &["get"], json!("r3"), json!("four")),
        kept("r5", Some("brief"), &["get"], json!("r1"), json!("five")),
    ];
    let found = windows(&log);
    let expected: [Vec<String>; 5] = [
        ["brief", &tool("get"), "one"].map(str::to_owned).to_vec(),
        ["brief", &tool("get"), "one", "said r1", "stays", "two"].map(str::to_owned).to_vec(),
        ["pirate", "one", "said r1", "stays", "two", "said r2", "three"].map(str::to_owned).to_vec(),
        [&tool("get"), "one", "said r1", "stays", "two", "said r2", "three", "said r3", "four"]
            .map(str::to_owned)
            .to_vec(),
        ["brief", &tool("get"), "one", "said r1", "five"].map(str::to_owned).to_vec(),
    ];
    assert_eq!(found, [expected.to_vec()]);
}

#[test]
fn a_conversation_that_the_provider_keeps_has_one_system_prompt() {
    let at = json!({"id": "conv"});
    let log = ["one", "two", "three"].map(|text| kept(text, Some("brief"), &[], at.clone(), json!(text)));
    let found = windows(&log);
    assert_eq!(found[0][2], ["brief", "", "one", "said one", "two", "said two", "three"]);
}

#[test]
fn branches_of_a_kept_history_that_both_go_on_are_conversations_of_their_own() {
    let log = [
        kept("r1", Some("s"), &[], Value::Null, json!("one")),
        kept("a2", Some("s"), &[], json!("r1"), json!("left")),
        kept("b2", Some("s"), &[], json!("r1"), json!("right")),
        kept("a3", Some("s"), &[], json!("a2"), json!("more left")),
        kept("b3", Some("s"), &[], json!("b2"), json!("more right")),
    ];
    let found = windows(&log);
    assert_eq!(found.iter().map(Vec::len).collect::<Vec<_>>(), [3, 2]);
    assert_eq!(found[0][2], ["s", "one", "said r1", "left", "said a2", "more left"]);
    assert_eq!(found[1][1], ["s", "one", "said r1", "right", "said b2", "more right"]);
    // A title that is asked of the same answer.
    let log = [
        kept("r1", Some("s"), &[], Value::Null, json!("one")),
        kept("t", Some("write a title"), &[], json!("r1"), json!("title?")),
        kept("r2", Some("s"), &[], json!("r1"), json!("two")),
    ];
    let found = windows(&log);
    assert_eq!(found[0], [vec!["s", "one"], vec!["s", "one", "said r1", "two"]]);
    assert_eq!(found[1], [vec!["write a title", "one", "said r1", "title?"]]);
}
