//! Clients that clear or cut what they sent before, by themselves: no rewind, and no other conversation.

use serde_json::{Value, json};
use windowpane::engine::Known;
use windowpane::inquiry::Sight;
use windowpane::inquiry::survey::Survey;
use windowpane::model::{Entry, Fate, Layer, Made, RewindCause, Stage};
use windowpane::present::verdict::verdict;
use windowpane::tokens::count;

use super::build::{filler, lines};
use super::runner::{Opened, open, traced};

/// How an API has a user's message, a call and its result.
struct Api {
    key: &'static str,
    user: fn(&str) -> Value,
    call: fn(&str) -> Value,
    result: fn(&str, &str) -> Value,
}

fn user(text: &str) -> Value {
    json!({"role": "user", "content": text})
}

const APIS: &[Api] = &[
    Api {
        key: "messages",
        user,
        call: |id| json!({"role": "assistant", "content": [{"type": "tool_use", "id": format!("toolu_{id}"), "name": "run", "input": {"of": id}}]}),
        result: |id, text| json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": format!("toolu_{id}"), "content": text}]}),
    },
    Api {
        key: "messages",
        user,
        call: |id| {
            json!({"role": "assistant", "content": null, "tool_calls": [{"id": format!("call_{id}"), "type": "function",
                "function": {"name": "run", "arguments": json!({"of": id}).to_string()}}]})
        },
        result: |id, text| json!({"role": "tool", "tool_call_id": format!("call_{id}"), "content": text}),
    },
    Api {
        key: "input",
        user,
        call: |id| json!({"type": "function_call", "call_id": format!("call_{id}"), "name": "run", "arguments": json!({"of": id}).to_string()}),
        result: |id, text| json!({"type": "function_call_output", "call_id": format!("call_{id}"), "output": text}),
    },
];

/// A log of requests that hold these messages.
fn log(api: &Api, requests: &[Vec<Value>]) -> Opened {
    let max = if api.key == "input" { "max_output_tokens" } else { "max_tokens" };
    let body = |messages: &Vec<Value>| json!({"model": "some-model", max: 9, api.key: messages});
    open(lines(&requests.iter().map(body).collect::<Vec<_>>()))
}

fn results(opened: &Opened) -> usize {
    let entries = opened.recorded.entries.iter();
    entries.filter(|entry| entry.layer == Layer::ToolResults && entry.from.is_empty()).count()
}

fn events(opened: &Opened) -> Vec<(u32, Stage, &str, usize, usize)> {
    let events = opened.recorded.events.iter();
    events.map(|event| (event.step, event.stage, &*event.rule, event.took.len(), event.made.len())).collect()
}

#[test]
fn results_that_are_sent_again_as_markers_were_cleared() {
    const MARKER: &str = "[Old tool result content cleared]";
    for api in APIS {
        let go = (api.user)("Find out why the nightly job fails.");
        let texts = [
            format!("code ERR-2222\n{}", filler(0, 30)),
            "short".to_owned(),
            format!("code ERR-3333\n{}", filler(40, 30)),
        ];
        let said = |number: usize, text: &str| {
            let id = number.to_string();
            [(api.call)(&id), (api.result)(&id, text)]
        };
        let whole = |number: usize| said(number, &texts[number]);
        let marked = |number: usize| said(number, MARKER);
        let of = |parts: &[[Value; 2]]| -> Vec<Value> {
            std::iter::once(go.clone()).chain(parts.iter().flatten().cloned()).collect()
        };
        let opened = log(
            api,
            &[
                of(&[]),
                of(&[whole(0)]),
                of(&[whole(0), whole(1)]),
                // Shorter than its marker, the second is cleared all the same.
                of(&[marked(0), marked(1), whole(2)]),
                [of(&[marked(0), marked(1), whole(2)]), vec![(api.user)("And now?")]].concat(),
                // The head is left out, and the rest cleared.
                [marked(1).to_vec(), marked(2).to_vec(), vec![(api.user)("And now?"), (api.user)("Well?")]].concat(),
            ],
        );
        assert_eq!((opened.transcript.threads.len(), results(&opened)), (1, 3), "{}", api.key);
        let known = [
            (4, Stage::Microcompact, "recorded.microcompact", 2, 2),
            (6, Stage::Microcompact, "recorded.microcompact", 1, 1),
            (6, RewindCause::Edited.stage(), "recorded.edit", 3, 0),
        ];
        assert_eq!(events(&opened), known, "{}", api.key);
        let (_, _, trace) = traced(&opened, &opened.recorded, "ERR-2222");
        let stays: Vec<_> = trace.occurrences[0].stays.iter().map(|stay| (stay.from, stay.sight, stay.fate)).collect();
        assert_eq!(
            stays,
            [(2, Sight::Verbatim, Fate::Verbatim), (4, Sight::Marker, Fate::Cleared), (6, Sight::Gone, Fate::Dropped)]
        );
        let shown = opened.recorded.window(5).into_iter().filter_map(|id| opened.recorded.entry(id));
        let text = |made: &Made| match made {
            Made::Block(id) => opened.sources.body_text(&opened.transcript.block(*id)?.body).ok(),
            _ => None,
        };
        let markers = shown.flat_map(|entry| &entry.content).filter(|made| text(made).as_deref() == Some(MARKER));
        assert_eq!(markers.count(), 2);
        assert_eq!(Survey::of(&opened.transcript, &opened.recorded).series["result_tokens"].number(), 3);
    }
}

#[test]
fn results_that_are_sent_again_in_part_were_cut() {
    for api in APIS {
        let go = (api.user)("Read the log.");
        let whole = format!("begins with ERR-2222\n{}in the middle ERR-5555\n{}ends", filler(0, 30), filler(30, 30));
        let part = format!("begins with ERR-2222\n{}[… cut …]\n{}ends", filler(0, 3), filler(58, 2));
        let of = |text: &str| vec![go.clone(), (api.call)("1"), (api.result)("1", text)];
        let again = [of(&part), vec![(api.user)("And now?")]].concat();
        let opened = log(api, &[vec![go.clone()], of(&whole), again]);
        assert_eq!(events(&opened), [(3, Stage::Truncate, "recorded.truncated", 1, 1)], "{}", api.key);
        let seen = |fact: &str| traced(&opened, &opened.recorded, fact).2.occurrences[0].at(3).unwrap().sight;
        assert_eq!((seen("ERR-2222"), seen("ERR-5555")), (Sight::Verbatim, Sight::Gone));
        let (_, _, trace) = traced(&opened, &opened.recorded, "ERR-5555");
        assert_eq!(trace.loss.map(|loss| loss.step), Some(3));
    }
}

#[test]
fn what_is_left_of_a_cut_result_stands_in_what_is_sent_of_it() {
    for api in APIS {
        let of = |text: &str| vec![(api.user)("Go."), (api.call)("1"), (api.result)("1", text), (api.user)("On.")];
        let whole = format!("begins with ERR-2222\n{}", filler(0, 60));
        let opened = log(api, &[of(&whole), of("begins with ERR-2222\nand more, by ERR-3333")]);
        let seen = |fact: &str| {
            let (_, found, trace) = traced(&opened, &opened.recorded, fact);
            let fate = |entry| opened.recorded.entry(entry).unwrap().fate;
            let stays = trace.occurrences.iter().flat_map(|one| one.stays.iter());
            let stays: Vec<_> = stays.map(|stay| (stay.from, stay.sight, stay.entry.map(fate))).collect();
            (stays, found.places.len(), trace.position.is_some())
        };
        let cut = (3, Sight::Verbatim, Some(Fate::Truncated));
        let both = vec![(2, Sight::Verbatim, Some(Fate::Verbatim)), cut];
        assert_eq!(seen("ERR-2222"), (both, 1, true), "{}", api.key);
        // The client's own words, and what is half of the result and half of these.
        for fact in ["ERR-3333", "ERR-2222 and more"] {
            assert_eq!(seen(fact), (vec![cut], 1, true), "{fact}");
        }
    }
}

#[test]
fn what_is_sent_of_a_cut_result_is_counted() {
    for api in APIS {
        let of = |text: &str| vec![(api.user)("Read the log."), (api.call)("1"), (api.result)("1", text)];
        let (whole, part) = (filler(0, 60), format!("{}[… cut …]\n{}ends", filler(0, 3), filler(58, 2)));
        let opened = log(api, &[of(&whole), [of(&part), vec![(api.user)("And now?")]].concat()]);
        let cut = opened.recorded.entries.iter().find(|entry| !entry.from.is_empty()).unwrap();
        assert_eq!((cut.tokens, cut.original_tokens), (tokens(&opened, &part), tokens(&opened, &whole)), "{}", api.key);
    }
}

/// The tokens of a text as a session of these requests counts it.
fn tokens(opened: &Opened, text: &str) -> u64 {
    count(text, Known::nothing().counter(&opened.transcript.threads[0]).encoding)
}

fn result_entries(opened: &Opened) -> Vec<&Entry> {
    let last = u32::try_from(opened.recorded.steps.len()).unwrap();
    let window = opened.recorded.window(last).into_iter().filter_map(|id| opened.recorded.entry(id));
    window.filter(|entry| entry.layer == Layer::ToolResults).collect()
}

#[test]
fn what_stands_for_one_result_stands_for_no_other() {
    const MARKER: &str = "[old output]";
    for api in APIS {
        let said = |id: &str, text: &str| vec![(api.call)(id), (api.result)(id, text)];
        let of = |parts: &[Vec<Value>]| [&[(api.user)("Go.")], &parts.concat()[..], &[(api.user)("On.")]].concat();
        let long = filler(0, 30);
        // Too short to be halved, the first says the same as the second.
        let opened = log(api, &[of(&[said("1", "ok"), said("2", &long)]), of(&[said("1", MARKER), said("2", MARKER)])]);
        assert_eq!(events(&opened), [(4, Stage::Microcompact, "recorded.microcompact", 2, 2)], "{}", api.key);
        let before: Vec<u64> = result_entries(&opened).iter().map(|entry| entry.original_tokens).collect();
        assert_eq!(before, [tokens(&opened, "ok"), tokens(&opened, &long)]);
        // The first has an id that names two calls.
        let third = || said("1", "and the third");
        let whole = of(&[said("1", &filler(40, 30)), said("2", &long), third()]);
        let opened = log(api, &[whole, of(&[said("1", MARKER), said("2", MARKER), third()])]);
        let last = result_entries(&opened);
        assert_eq!(
            last.iter().map(|entry| entry.fate).collect::<Vec<_>>(),
            [Fate::Cleared, Fate::Cleared, Fate::Verbatim]
        );
        assert_eq!(last[0].original_tokens, tokens(&opened, &filler(40, 30)), "{}", api.key);
        assert_eq!(last[1].original_tokens, tokens(&opened, &long), "{}", api.key);
    }
}

#[test]
fn markers_in_other_words_clear_nothing_anew() {
    for api in APIS {
        let whole = |number: usize| filler(number * 40, 30);
        let marker = |number: usize, age: usize| format!("[Tool result {number} removed {age} turns ago]");
        let of = |first: &str, more: &[String]| {
            let more = more.iter().flat_map(|text| [(api.call)("2"), (api.result)("2", text), (api.user)("On.")]);
            let first = [(api.user)("Go."), (api.call)("1"), (api.result)("1", first), (api.user)("On.")];
            first.into_iter().chain(more).collect::<Vec<Value>>()
        };
        let asked = [of(&whole(1), &[]), of(&marker(1, 1), &[whole(2)]), of(&marker(1, 2), &[marker(2, 1)])];
        let opened = log(api, &asked);
        let known = [
            (3, Stage::Microcompact, "recorded.microcompact", 1, 1),
            (4, Stage::Microcompact, "recorded.microcompact", 1, 1),
            (4, RewindCause::Edited.stage(), "recorded.edit", 0, 1),
        ];
        assert_eq!(events(&opened), known, "{}", api.key);
        let before: Vec<u64> = result_entries(&opened).iter().map(|entry| entry.original_tokens).collect();
        assert_eq!(before, [tokens(&opened, &whole(1)), tokens(&opened, &whole(2))]);
    }
}

#[test]
fn words_of_its_own_may_stand_before_what_is_left_of_a_result() {
    for api in APIS {
        let of = |text: &str| vec![(api.user)("Go."), (api.call)("1"), (api.result)("1", text), (api.user)("On.")];
        let whole = format!("begins with ERR-2222\n{}ends with ERR-3333", filler(0, 60));
        let (head, end) = (&whole[..900], &whole[whole.len() - 900..]);
        for (part, kept, lost) in [
            (format!("[Older output. First 900 characters:]\n{head}"), "ERR-2222", "ERR-3333"),
            (
                format!("<persisted-output>\nSaved to /tmp/a.txt. Preview:\n{head}\n...\n</persisted-output>"),
                "ERR-2222",
                "ERR-3333",
            ),
            (format!("[The last of it]\n{end}\n[the end]"), "ERR-3333", "ERR-2222"),
        ] {
            let opened = log(api, &[of(&whole), of(&part)]);
            assert_eq!(events(&opened), [(3, Stage::Truncate, "recorded.truncated", 1, 1)], "{part}");
            let seen = |fact: &str| traced(&opened, &opened.recorded, fact).2.occurrences[0].at(3).unwrap().sight;
            assert_eq!((seen(kept), seen(lost)), (Sight::Verbatim, Sight::Gone), "{part}");
            assert_eq!(result_entries(&opened)[0].tokens, tokens(&opened, &part));
        }
        let marker = format!(
            "[This result was removed from the context. {}]",
            "It can be read again from the file. ".repeat(12)
        );
        let opened = log(api, &[of(&whole), of(&marker)]);
        assert_eq!(events(&opened), [(3, Stage::Microcompact, "recorded.microcompact", 1, 1)], "{}", api.key);
    }
}

#[test]
fn a_marker_stands_for_every_block_of_a_result() {
    let api = &APIS[0];
    let of = |content: Value| {
        let mut result = (api.result)("1", "");
        result["content"][0]["content"] = content;
        vec![(api.user)("Go."), (api.call)("1"), result, (api.user)("On.")]
    };
    let texts = [format!("code ERR-2222\n{}", filler(0, 30)), format!("code ERR-3333\n{}", filler(40, 20))];
    let blocks = texts.each_ref().map(|text| json!({"type": "text", "text": text}));
    let opened = log(api, &[of(json!(blocks)), of(json!("[Old tool result content cleared]"))]);
    for fact in ["ERR-2222", "ERR-3333"] {
        let (fact, found, trace) = traced(&opened, &opened.recorded, fact);
        let stay = trace.occurrences[0].at(3).unwrap();
        assert_eq!((stay.sight, stay.fate), (Sight::Marker, Fate::Cleared));
        let said = verdict(&trace, &fact, &found, &opened.transcript, &opened.recorded).join(" ");
        assert!(said.contains("cleared as a stale result"), "{said}");
    }
    let marker = result_entries(&opened);
    let whole = texts.iter().map(|text| tokens(&opened, text)).sum::<u64>();
    assert_eq!((marker.len(), marker[0].original_tokens), (1, whole));
}

#[test]
fn another_text_or_another_call_of_the_same_id_is_no_clearing() {
    let api = &APIS[1];
    let go = (api.user)("Go.");
    let of = |text: &str| vec![go.clone(), (api.call)("1"), (api.result)("1", text), (api.user)("On.")];
    let opened = log(api, &[of("the build took 10 s"), of("the build took 90 s")]);
    assert!(events(&opened).iter().all(|(_, stage, ..)| *stage == Stage::Rewind), "{:?}", events(&opened));
    // A client that numbers the calls of every answer anew.
    let both = [of(&filler(0, 20)), vec![(api.call)("1"), (api.result)("1", "ok")]].concat();
    let later = [vec![go.clone()], vec![(api.call)("1"), (api.result)("1", "ok"), (api.user)("On.")]].concat();
    let opened = log(api, &[of(&filler(0, 20)), both, later]);
    let cleared = events(&opened).iter().any(|(_, stage, ..)| *stage == Stage::Microcompact);
    assert!(!cleared, "{:?}", events(&opened));
}

#[test]
fn what_stands_for_a_result_has_a_place_of_its_own() {
    for api in APIS {
        let of = |text: &str| vec![(api.user)("Go."), (api.call)("1"), (api.result)("1", text), (api.user)("On.")];
        let opened = log(api, &[of(&filler(0, 40)), of("[Moved to /tmp/ws/QX-991.txt (2,930 characters).]")]);
        assert_eq!(events(&opened), [(3, Stage::Microcompact, "recorded.microcompact", 1, 1)], "{}", api.key);
        let (_, found, trace) = traced(&opened, &opened.recorded, "QX-991");
        let seen: Vec<_> = trace.occurrences.iter().map(|one| (one.first, one.at(3).unwrap().sight)).collect();
        assert_eq!((seen, found.places.len()), (vec![(Some(3), Sight::Verbatim)], 1));
        assert!(opened.transcript.block(found.places[0].block).is_some_and(|block| block.record.line == 2));
    }
}

#[test]
fn news_of_a_call_are_no_clearing_whatever_they_say() {
    for api in APIS {
        let of = |text: &str| vec![(api.user)("Go."), (api.call)("1"), (api.result)("1", text), (api.user)("On.")];
        let opened =
            log(api, &[of("It runs in the background"), of("exit 0: 3 stale lock files removed, QX-77413 freed")]);
        assert!(events(&opened).iter().all(|(_, stage, ..)| *stage == Stage::Rewind), "{:?}", events(&opened));
        let (_, _, trace) = traced(&opened, &opened.recorded, "QX-77413");
        assert!(trace.in_window && trace.occurrences[0].block.is_some(), "{}", api.key);
    }
}

#[test]
fn results_that_are_whole_again_later_split_no_conversation() {
    for (api, answer) in [
        (
            &APIS[0],
            (|text: &str| json!({"type": "message", "role": "assistant", "content": [{"type": "text", "text": text}]}))
                as fn(&str) -> Value,
        ),
        (&APIS[1], |text: &str| json!({"choices": [{"message": {"role": "assistant", "content": text}}]})),
    ] {
        let whole = format!("code ERR-2222\n{}", filler(0, 30));
        for short in ["[Old tool result content cleared]", &whole[..400]] {
            let said = |text: &str| json!({"role": "assistant", "content": text});
            let of = |text: &str| vec![(api.user)("Go."), (api.call)("1"), (api.result)("1", text)];
            let after = |text: &str, more: &[Value]| [of(text), more.to_vec()].concat();
            let first = [said("The first answer."), (api.user)("And the second?")];
            let more = [&first[..], &[said("The second answer."), (api.user)("And the third?")]].concat();
            let asked = [
                (of(&whole), "The first answer."),
                (after(short, &first), "The second answer."),
                (after(&whole, &more), "The third answer."),
            ];
            let body = |(messages, text): &(Vec<Value>, &str)| json!({"request": {"model": "some-model", "max_tokens": 9, "messages": messages}, "response": answer(text)});
            let opened = open(lines(&asked.iter().map(body).collect::<Vec<_>>()));
            assert_eq!((opened.transcript.threads.len(), results(&opened)), (1, 1), "{short}");
            let rules: Vec<_> = events(&opened).into_iter().map(|(step, _, rule, ..)| (step, rule)).collect();
            let cut = if short.starts_with('[') { "recorded.microcompact" } else { "recorded.truncated" };
            assert_eq!(rules, [(3, cut), (4, "recorded.edit")]);
            let (_, _, trace) = traced(&opened, &opened.recorded, "ERR-2222");
            assert!(trace.in_window, "{short}");
        }
    }
}

#[test]
fn a_placeholder_that_is_longer_than_a_short_result_is_a_clearing() {
    for api in APIS {
        let of = |text: &str| vec![(api.user)("Go."), (api.call)("1"), (api.result)("1", text), (api.user)("On.")];
        let opened = log(api, &[of("ok"), of("[Old tool result content cleared]")]);
        assert_eq!(events(&opened), [(3, Stage::Microcompact, "recorded.microcompact", 1, 1)], "{}", api.key);
    }
}

#[test]
fn what_says_that_it_was_cleared_beside_others_was() {
    for api in APIS {
        let of = |first: &str, second: &str| {
            let calls = [(api.call)("1"), (api.result)("1", first), (api.call)("2"), (api.result)("2", second)];
            [vec![(api.user)("Go.")], calls.to_vec(), vec![(api.user)("On.")]].concat()
        };
        let cleared = of("(what call 1 gave was removed)", "(what call 2 gave was removed)");
        let opened = log(api, &[of(&filler(0, 30), "ok"), cleared]);
        assert_eq!(events(&opened), [(4, Stage::Microcompact, "recorded.microcompact", 2, 2)], "{}", api.key);
    }
}

/// A result of several blocks, and what a client made of it.
#[test]
fn results_of_several_blocks_are_cleared_to_fewer() {
    const MARKER: &str = "[Old tool result content cleared]";
    let api = &APIS[0];
    let text = |text: &str| json!({"type": "text", "text": text});
    let picture =
        json!({"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}});
    let of = |parts: &[Value]| {
        let mut result = (api.result)("1", "");
        result["content"][0]["content"] = json!(parts);
        vec![(api.user)("Go."), (api.call)("1"), result, (api.user)("On.")]
    };
    let long = filler(0, 30);
    for (before, after, took, made) in [
        (vec![text("ok"), text(&long)], vec![text(MARKER)], 2, 1),
        (vec![text(&long), picture.clone()], vec![text(&long)], 1, 0),
        (vec![picture.clone(), text(&long)], vec![text(MARKER)], 2, 1),
        (vec![text(&long), picture.clone(), text("done")], vec![text(MARKER), text("done")], 2, 1),
    ] {
        let later = [of(&after), vec![(api.user)("And now?")]].concat();
        let opened = log(api, &[of(&before), of(&after), later]);
        let known = [(3, Stage::Microcompact, "recorded.microcompact", took, made)];
        assert_eq!((events(&opened), opened.transcript.threads.len()), (known.to_vec(), 1), "{after:?}");
    }
}

#[test]
fn what_was_cleared_and_is_whole_again_is_told_so() {
    const MARKER: &str = "[Old tool result content cleared]";
    for api in APIS {
        let whole = format!("code ERR-2222\n{}", filler(0, 30));
        let of = |text: &str, more: usize| {
            let more = (0..more).map(|at| (api.user)(&format!("More {at}.")));
            [(api.user)("Go."), (api.call)("1"), (api.result)("1", text)]
                .into_iter()
                .chain(more)
                .collect::<Vec<Value>>()
        };
        let opened = log(
            api,
            &[vec![(api.user)("Go.")], of(&whole, 0), of(MARKER, 1), of(MARKER, 2), of(&whole, 3), of(&whole, 4)],
        );
        let (fact, found, trace) = traced(&opened, &opened.recorded, "ERR-2222");
        let fates: Vec<_> = trace.occurrences[0].stays.iter().map(|stay| (stay.from, stay.fate)).collect();
        assert_eq!(fates, [(2, Fate::Verbatim), (3, Fate::Cleared), (5, Fate::Verbatim)], "{}", api.key);
        let said = verdict(&trace, &fact, &found, &opened.transcript, &opened.recorded).join(" ");
        assert!(said.contains("From step 3 to 4 it was not there, cleared as a stale result"), "{said}");
        assert!(said.contains("since step 5 it stands there again") && !said.contains("another history"), "{said}");
        // Asked for while it is cleared, it comes back where it stood.
        let trace =
            windowpane::inquiry::trace(&fact, &found, &opened.transcript, &opened.sources, &opened.recorded, Some(4));
        assert_eq!((trace.loss.map(|loss| loss.step), trace.again), (Some(3), Some(5)));
    }
}
