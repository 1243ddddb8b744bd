//! Thinking of earlier turns, which Anthropic's API leaves out of the requests to some models.

use serde_json::{Value, json};
use windowpane::content::Watch;
use windowpane::engine::plan::Counted;
use windowpane::engine::{Given, Known, Plan, StepFacts, recorded, simulate};
use windowpane::model::{BlockId, Layer, Op, Request, Rewind, RewindCause, Stage, ThreadId, Transcript};
use windowpane::policy::preset;
use windowpane::tokens::{Count, Encoding};

use crate::data;
use crate::requests::{open, open_lines, story};

fn says(text: &str) -> Value {
    json!({"role": "user", "content": text})
}

fn result(id: &str) -> Value {
    json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": id, "content": "done"}]})
}

fn thinks(of: &str, then: Value) -> Value {
    json!({"role": "assistant", "content": [{"type": "thinking", "thinking": of, "signature": "s"}, then]})
}

fn calls(id: &str) -> Value {
    json!({"type": "tool_use", "id": id, "name": "Bash", "input": {}})
}

fn answers(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

/// Two turns, the first with a loop of tools and hidden thinking, and what is asked then.
fn turns() -> Vec<Value> {
    let mut hidden = thinks("t2", answers("a"));
    hidden["content"].as_array_mut().unwrap().push(json!({"type": "redacted_thinking", "data": "xx"}));
    vec![
        says("one"),
        thinks("t1", calls("c1")),
        result("c1"),
        hidden,
        says("two"),
        thinks("t3", answers("b")),
        says("three"),
    ]
}

/// The same as an agent's session.
fn session(
    turns: &[Value],
    model: impl Fn(usize) -> &'static str,
    context: impl Fn(usize) -> Option<u64>,
) -> Transcript {
    let line = |(at, message): (usize, &Value)| {
        let mut message = message.clone();
        let by_model = message["role"] == "assistant";
        if by_model {
            (message["id"], message["model"]) = (json!(format!("m{at}")), json!(model(at)));
            if let Some(context) = context(at) {
                message["usage"] = json!({"input_tokens": context, "output_tokens": 1});
            }
        }
        let before = at.checked_sub(1).map(|before| format!("u{before}"));
        let kind = if by_model { "assistant" } else { "user" };
        json!({"type": kind, "uuid": format!("u{at}"), "parentUuid": before, "sessionId": "s", "version": "2.0.76",
            "timestamp": format!("2026-01-01T00:{:02}:00.000Z", at), "message": message})
        .to_string()
    };
    let lines: Vec<String> = turns.iter().enumerate().map(line).collect();
    data::open_bytes(lines.join("\n").into_bytes(), None).1
}

/// The thinking in the window of each request.
fn shown(transcript: &Transcript) -> Vec<usize> {
    let thinking = |window: &[BlockId]| {
        window.iter().filter(|id| transcript.block(**id).unwrap().layer == Layer::Thinking).count()
    };
    let (mut window, mut found): (Vec<BlockId>, Vec<usize>) = Default::default();
    for op in &transcript.threads[0].ops {
        match op {
            Op::Add(id) => window.push(*id),
            Op::Request(_) => found.push(thinking(&window)),
            Op::Rewind(rewind) => window.clone_from(&rewind.window),
            _ => {}
        }
    }
    found
}

fn drops(transcript: &Transcript) -> Vec<&Rewind> {
    let drops = transcript.threads[0].ops.iter().filter_map(|op| match op {
        Op::Rewind(rewind) if rewind.cause == RewindCause::ThinkingDropped => Some(&**rewind),
        _ => None,
    });
    drops.collect()
}

#[test]
fn a_new_prompt_leaves_the_thinking_of_earlier_turns_behind_with_models_of_the_old_rule() {
    // A loop of tools goes on with its turn.
    for (model, expected) in [
        ("claude-sonnet-4-5-20250929", [0, 1, 0, 0]),
        ("claude-3-7-sonnet-20250219", [0, 1, 0, 0]),
        ("claude-opus-4-1-20250805", [0, 1, 0, 0]),
        ("claude-haiku-4-5-20251001", [0, 1, 0, 0]),
        ("claude-opus-4-5-20251101", [0, 1, 3, 4]),
        ("claude-sonnet-4-6", [0, 1, 3, 4]),
        ("claude-unheard-of", [0, 1, 3, 4]),
    ] {
        let logged = session(&turns(), |_| model, |_| None);
        assert_eq!((logged.format, shown(&logged)), ("claude_code", expected.to_vec()), "{model}");
        let body = json!({"model": model, "max_tokens": 5, "system": "s", "messages": turns()});
        let (_, one) = open(&body);
        assert_eq!((one.format, shown(&one)), ("anthropic_messages", expected.to_vec()), "{model}");
        // Each request says everything again.
        let asked: Vec<Value> = [1, 3, 5, 7]
            .iter()
            .map(|count| json!({"model": model, "max_tokens": 5, "system": "s", "messages": turns()[..*count]}))
            .collect();
        let (_, log) = open_lines(&asked);
        assert_eq!((log.threads.len(), shown(&log)), (1, expected.to_vec()), "{model}");
    }
    // Anything but results begins a turn; what an agent reminds of beside them it may send inside of them.
    let mut reminded = turns();
    let reminder = json!({"type": "text", "text": "<system-reminder>Mind the list.</system-reminder>"});
    reminded[2]["content"].as_array_mut().unwrap().push(reminder);
    let body = json!({"model": "claude-sonnet-4-5", "max_tokens": 5, "system": "s", "messages": reminded});
    assert_eq!(shown(&open(&body).1), [0, 0, 0, 0]);
    assert_eq!(shown(&session(&reminded, |_| "claude-sonnet-4-5", |_| None)), [0, 1, 0, 0]);
    let known = Known::nothing();
    let logged = session(&turns(), |_| "claude-sonnet-4-5", |_| None);
    let run = recorded(&logged, ThreadId(0), known.facts(&logged, &logged.threads[0]));
    let told: Vec<(u32, Stage, usize)> =
        run.events.iter().map(|event| (event.step, event.stage, event.took.len())).collect();
    // Of the second turn's thinking, and of the end of the first one's, no request ever held any.
    assert_eq!(told, [(3, Stage::Reasoning, 1)]);
}

#[test]
fn another_model_has_its_own_rule() {
    let switched = session(&turns(), |at| if at < 5 { "claude-opus-4-6" } else { "claude-haiku-4-5" }, |_| None);
    assert_eq!(shown(&switched), [0, 1, 0, 0]);
    let back = session(&turns(), |at| if at < 5 { "claude-haiku-4-5" } else { "claude-opus-4-6" }, |_| None);
    assert_eq!(shown(&back), [0, 1, 3, 4], "nothing had been left out before");
    let mut more = turns();
    more.extend([thinks("t4", answers("c")), says("four")]);
    let late = session(&more, |at| if at < 7 { "claude-haiku-4-5" } else { "claude-opus-4-6" }, |_| None);
    assert_eq!(shown(&late), [0, 1, 0, 1, 2], "what was left out does not come back");
}

#[test]
fn what_the_client_asks_for_and_the_provider_reports_goes_before_the_rule() {
    let ask = |model: &str, keep: Value| {
        let edit = json!({"type": "clear_thinking_20251015", "keep": keep});
        json!({"model": model, "max_tokens": 5, "system": "s", "messages": turns(),
            "context_management": {"edits": [edit]}})
    };
    let turns_of = |value: u64| json!({"type": "thinking_turns", "value": value});
    for (model, keep, last) in [
        ("claude-sonnet-4-5", json!("all"), 4),
        ("claude-sonnet-4-5", json!({"type": "all"}), 4),
        ("claude-sonnet-4-5", Value::Null, 1),
        ("claude-opus-4-6", turns_of(1), 1),
        ("claude-opus-4-6", turns_of(2), 4),
        ("claude-opus-4-6", turns_of(0), 0),
    ] {
        let (_, transcript) = open(&ask(model, keep.clone()));
        assert_eq!(shown(&transcript).last(), Some(&last), "{model} {keep}");
    }
    // The provider says that it cleared nothing.
    let pair = json!({"request": ask("claude-opus-4-6", turns_of(1)), "response": {"type": "message", "role": "assistant",
        "stop_reason": "end_turn", "content": [], "usage": {"input_tokens": 1}, "context_management": {"applied_edits": []}}});
    assert_eq!(shown(&open(&pair).1).last(), Some(&4));
}

#[test]
fn reported_figures_decide_where_they_say_that_it_stayed() {
    let long = "It may be the cache, or the order in which both are read. ".repeat(20);
    let turns = [
        says("one"),
        thinks(&long, answers("a")),
        says("two"),
        thinks(&long, answers("b")),
        says("three"),
        thinks(&long, answers("c")),
        says("four"),
        thinks(&long, answers("d")),
    ];
    // 1,160 characters each: about 290 tokens.
    let stays = session(&turns, |_| "claude-sonnet-4-5", |at| Some(1_000 + 295 * (at as u64 / 2)));
    assert_eq!(shown(&stays), [0, 1, 2, 3]);
    let goes = session(&turns, |_| "claude-sonnet-4-5", |at| Some(1_000 + 5 * (at as u64 / 2)));
    assert_eq!(shown(&goes), [0, 0, 0, 0]);
    let silent = session(&turns, |_| "claude-sonnet-4-5", |_| None);
    assert_eq!(shown(&silent), [0, 0, 0, 0]);
}

#[test]
fn a_replay_drops_what_was_dropped() {
    let (sources, transcript) = open(&json!({"model": "claude-sonnet-4-5", "max_tokens": 5, "messages": turns()}));
    assert_eq!(drops(&transcript).len(), 2);
    let told = story(&sources, &transcript, 0);
    assert!(told.iter().any(|op| op.starts_with("ThinkingDropped one|{}|done|")), "{told:?}");
    let counted = Counted { encoding: Encoding::Estimate, factor: 1.0, originals: false };
    let count = |_, _| Count { tokens: 10, exact: true };
    let facts = |_: &Request| StepFacts { window_tokens: 100_000, ..StepFacts::default() };
    let mut plan = Plan::new(&transcript, ThreadId(0), counted, count, facts);
    assert!(plan.read(&transcript, &sources, &Watch::default()));
    let (policy, _) = preset("five-layer", None).unwrap();
    let run = simulate(&plan, &policy, &Given::default());
    let drops: Vec<u32> =
        run.events.iter().filter(|event| event.stage == Stage::Reasoning).map(|event| event.step).collect();
    assert_eq!(drops, [3]);
    let thinking =
        run.window(3).into_iter().filter(|id| run.entry(*id).is_some_and(|entry| entry.layer == Layer::Thinking));
    assert_eq!(thinking.count(), 0);
}

/// A turn with a loop of tools, compacted inside of it or before the next prompt, and two more turns: as an agent's log
/// has them.
fn compacted(at: Option<usize>) -> (windowpane::content::Sources, Transcript) {
    let loops = [
        says("one"),
        thinks("t1", calls("c1")),
        result("c1"),
        thinks("t2", calls("c2")),
        result("c2"),
        thinks("t3", answers("a")),
        says("two"),
        thinks("t4", calls("c4")),
        result("c4"),
        thinks("t5", answers("b")),
        says("three"),
        thinks("t6", answers("c")),
    ];
    let (mut lines, mut before): (Vec<String>, Option<String>) = (Vec::new(), None);
    for (number, message) in loops.iter().enumerate() {
        let mut message = message.clone();
        let by_model = message["role"] == "assistant";
        if by_model {
            (message["id"], message["model"]) = (json!(format!("m{number}")), json!("claude-haiku-4-5"));
        }
        let kind = if by_model { "assistant" } else { "user" };
        let mut put = |uuid: String, mut line: Value| {
            (line["uuid"], line["parentUuid"]) = (json!(uuid), json!(before));
            (line["sessionId"], line["version"]) = (json!("s"), json!("2.1.30"));
            line["timestamp"] = json!(format!("2026-01-01T00:{:02}:00.000Z", lines.len()));
            if line["type"] == "system" {
                (line["logicalParentUuid"], line["parentUuid"]) = (line["parentUuid"].take(), Value::Null);
            }
            lines.push(line.to_string());
            before = Some(uuid);
        };
        if at == Some(number) {
            let about = json!({"trigger": "auto", "preTokens": 1000});
            put(
                "b".to_owned(),
                json!({"type": "system", "subtype": "compact_boundary",
                "content": "Conversation compacted", "compactMetadata": about}),
            );
            put("s".to_owned(), json!({"type": "user", "isCompactSummary": true, "message": says("It went on.")}));
        }
        put(format!("u{number}"), json!({"type": kind, "message": message}));
    }
    let (sources, transcript) = data::open_bytes(lines.join("\n").into_bytes(), None);
    (sources, transcript)
}

/// What a replay under a policy that does nothing holds at each step: layer, tokens.
fn replayed(sources: &windowpane::content::Sources, transcript: &Transcript) -> Vec<Vec<(Layer, u64)>> {
    let counted = Counted { encoding: Encoding::Estimate, factor: 1.0, originals: false };
    let count = |id: BlockId, _| Count { tokens: 10 + transcript.block(id).map_or(0, size), exact: true };
    let facts = |_: &Request| StepFacts { window_tokens: 100_000, ..StepFacts::default() };
    let mut plan = Plan::new(transcript, ThreadId(0), counted, count, facts);
    assert!(plan.read(transcript, sources, &Watch::default()));
    let (policy, _) = preset("none", None).unwrap();
    let run = simulate(&plan, &policy, &Given::default());
    let entry = |id| run.entry(id).map(|entry| (entry.layer, entry.tokens));
    (1..=6).map(|step| run.window(step).into_iter().filter_map(entry).collect()).collect()
}

fn size(block: &windowpane::model::Block) -> u64 {
    if let windowpane::model::Body::Text { chars, .. } = block.body { chars } else { 0 }
}

#[test]
fn a_replay_without_the_compaction_loses_the_thinking_that_it_stood_for() {
    let (sources, whole) = compacted(None);
    let expected = replayed(&sources, &whole);
    let thinking = |window: &Vec<(Layer, u64)>| window.iter().filter(|(layer, _)| *layer == Layer::Thinking).count();
    assert_eq!(expected.iter().map(thinking).collect::<Vec<_>>(), [0, 1, 2, 0, 1, 0]);
    // Inside the first turn, right before a prompt, inside the second turn, and before the last prompt.
    for at in [3, 5, 6, 9, 10] {
        let (sources, transcript) = compacted(Some(at));
        assert!(transcript.threads[0].ops.iter().any(|op| matches!(op, Op::Compact(_))), "{at}");
        assert_eq!(replayed(&sources, &transcript), expected, "{at}");
    }
}

/// Of the recorded sessions only one has thinking and a model of the old rule: there the reported context fell with each
/// prompt by what had been thought, while with Opus 4.5 it grew by it. Its compaction hides one drop.
#[test]
fn real_sessions_lose_it_with_haiku_4_5_alone() {
    for path in data::transcripts("claude_code") {
        let (_, transcript) = data::open(&path);
        let expected = if path.ends_with("fasthooks-main-1manualcompact.jsonl") { 5 } else { 0 };
        assert_eq!(drops(&transcript).len(), expected, "{}", path.display());
    }
}
