//! From thread to thread: searches, links, the list of them; and rows that are no entry.

use serde_json::json;

use super::Stage;
use crate::model::{BlockId, ThreadId};
use crate::tui::documents::DocumentName;
use crate::tui::message::Message;
use crate::tui::pages::REPLAYING;
use crate::tui::state::{NoticeKind, Phase};
use crate::tui::update;

/// The session, opened where a link leads.
fn at(place: &str) -> Stage {
    let mut stage = Stage::empty(120, 40);
    stage.state.wanted = place.parse().unwrap();
    let effect = stage.state.open("/home/me/fix-login.jsonl");
    stage.carry_out(vec![effect]);
    stage
}

fn thread(stage: &Stage) -> ThreadId {
    stage.state.view().unwrap().thread
}

/// What was last copied.
fn link(stage: &mut Stage) -> String {
    stage.asked.clear();
    stage.press("Y");
    stage.asked.pop().unwrap()
}

/// A file of two conversations.
fn two() -> Stage {
    let talk = |words: &str| json!({"messages": [{"role": "user", "content": words}, {"role": "assistant", "content": "Yes."}]});
    let bytes = format!("{}\n{}\n", talk("Is it red?"), talk("Is it blue?"));
    let mut stage = Stage::of(bytes.into_bytes(), 120, 40);
    let effect = stage.state.open("/home/me/two.jsonl");
    stage.carry_out(vec![effect]);
    stage
}

#[test]
fn another_thread_is_searched_again() {
    let mut stage = at("thread=1");
    stage.press("/ text:two enter");
    let search = |stage: &Stage| stage.state.session().unwrap().search.clone().unwrap();
    let below = search(&stage);
    assert_eq!(below.of, Some(stage.state.view().unwrap().numbering()));
    stage.press("backspace");
    let (above, view) = (search(&stage), stage.state.view().unwrap());
    assert_eq!((thread(&stage), above.of), (ThreadId(0), Some(view.numbering())));
    assert_ne!(above.hits, below.hits);
    assert!(above.hits.iter().all(|hit| view.index.run().entry(hit.entry).is_some()));
    assert_eq!(above.at, None, "one stays where one was");
    let before = stage.state.view().unwrap().selected;
    stage.press("n");
    assert_ne!(stage.state.view().unwrap().selected, before);
    assert!(
        stage.state.session().unwrap().text.detail.as_ref().is_some_and(|text| text.as_ref().unwrap().hits().1 > 0)
    );
}

#[test]
fn a_thread_that_was_linked_to_leads_back_to_its_call() {
    let mut stage = at("thread=1");
    assert_eq!(thread(&stage), ThreadId(1));
    stage.press("backspace");
    let view = stage.state.view().unwrap();
    let entry = view.index.run().entry(view.here().unwrap()).unwrap();
    assert_eq!((thread(&stage), &*entry.label), (ThreadId(0), "Task"));
}

#[test]
fn a_thread_that_is_not_there_is_told_of() {
    let stage = at("thread=9,step=3");
    assert_eq!(thread(&stage), ThreadId(0));
    assert_eq!(stage.state.notice.as_ref().unwrap().text, "there is no thread 9: the last is 1");
}

#[test]
fn every_thread_is_listed_and_opened_from_the_list() {
    let mut stage = at("");
    stage.press("O");
    let rows = stage.rows().join("\n");
    assert!(
        rows.contains("thread 0: main") && rows.contains("thread 1: subagent") && rows.contains("1 step · up to 9.0k"),
        "{rows}"
    );
    stage.press("j enter");
    assert_eq!(thread(&stage), ThreadId(1));
    stage.press("O k enter");
    assert_eq!(thread(&stage), ThreadId(0));
    assert!(stage.state.session().unwrap().trail.is_empty());
}

#[test]
fn conversations_say_which_they_are_and_are_no_subagents() {
    let mut stage = two();
    let first = |stage: &Stage| stage.rows()[0].clone();
    assert!(first(&stage).contains("conversation 1 of 2"), "{}", first(&stage));
    stage.press("O");
    let rows = stage.rows().join("\n");
    assert!(rows.contains("thread 1: conversation 2"), "{rows}");
    stage.press("j enter");
    assert!(first(&stage).contains("conversation 2 of 2") && !first(&stage).contains('›'), "{}", first(&stage));
    assert!(stage.state.session().unwrap().trail.is_empty());
    assert!(link(&mut stage).contains("--at thread=1,"));
}

#[test]
fn a_row_that_parts_entries_is_none() {
    let mut stage = at("");
    stage.press("home");
    assert!(stage.state.view().unwrap().here().is_none(), "the line of the compaction");
    let rows = stage.rows().join("\n");
    assert!(rows.contains("Enter shows what it took and what it"), "{rows}");
    assert!(!link(&mut stage).contains("entry="));
    stage.asked.clear();
    stage.press("y");
    assert!(stage.asked.is_empty() && stage.state.notice.as_ref().unwrap().kind == NoticeKind::Failed);
}

#[test]
fn a_link_to_what_went_opens_it_in_the_difference() {
    let mut stage = at("step=8");
    stage.press("x home");
    let went = |stage: &Stage| {
        let view = stage.state.view().unwrap();
        view.here().filter(|id| view.index.run().entry(*id).is_some_and(|entry| entry.life_at(8).is_none()))
    };
    while went(&stage).is_none() {
        stage.press("j");
    }
    let gone = went(&stage).unwrap();
    let copied = link(&mut stage);
    let place = copied.split("--at ").nth(1).unwrap().trim_end_matches('"').to_owned();
    let again = at(&place);
    assert_eq!(again.state.notice, None, "{place}");
    let view = again.state.view().unwrap();
    assert_eq!((view.step, view.here()), (8, Some(gone)), "{place}");
}

#[test]
fn the_links_say_what_the_transcript_does_not() {
    let mut stage = at("");
    stage.state.given = " --window 400000".to_owned();
    assert!(link(&mut stage).contains("\"windowpane /home/me/fix-login.jsonl --window 400000 --at "));
    // The example has a name of its own; a session that was chosen from the list beside it has not.
    for (name, program) in [("other", "windowpane"), ("/home/me/fix-login.jsonl", "windowpane demo")] {
        stage.state.built_in = Some(("windowpane demo".to_owned(), name.to_owned()));
        assert!(link(&mut stage).contains(&format!("\"{program} /home/me/")), "{name}");
    }
}

#[test]
fn a_session_that_cannot_be_opened_leads_back_to_the_one_before() {
    let mut stage = at("step=4");
    let _ = stage.state.open("/home/me/damaged.jsonl");
    stage.tell(Message::Failed("/home/me/damaged.jsonl".to_owned(), "it is damaged".to_owned()));
    let rows = stage.rows().join("\n");
    assert!(rows.contains("leads back to fix-login.jsonl") && rows.contains("chooses another session"), "{rows}");
    stage.press("esc");
    assert!(matches!(stage.state.phase, Phase::Open(_)));
    assert_eq!(stage.state.view().unwrap().step, 4);
    assert!(stage.state.session().unwrap().text.detail.is_some(), "its text is read again");
}

#[test]
fn a_step_that_is_not_there_is_not_gone_to_in_silence() {
    let mut stage = at("");
    for (key, said) in [("right", "last step"), ("]", "no event comes after"), ("}", "no compaction comes after")] {
        stage.press(key);
        assert!(stage.state.notice.as_ref().is_some_and(|notice| notice.text.contains(said)), "{key}");
    }
}

#[test]
fn a_file_without_requests_says_so() {
    let bytes = b"{\"type\":\"summary\",\"summary\":\"x\",\"leafUuid\":\"u\"}\n".to_vec();
    let mut stage = Stage::of(bytes, 120, 40);
    let effect = stage.state.open("/home/me/none.jsonl");
    stage.carry_out(vec![effect]);
    let rows = stage.rows().join("\n");
    assert!(rows.contains("There is no request in it, so it has no window.") && !rows.contains("0/0"), "{rows}");
}

#[test]
fn what_is_not_to_be_found_is_said_in_the_last_line() {
    let mut stage = at("");
    let said = |stage: &Stage| stage.state.notice.as_ref().map_or_else(String::new, |notice| notice.text.clone());
    stage.press("backspace");
    assert!(said(&stage).contains("none to go back to"), "{}", said(&stage));
    stage.press("/ text:no_such_words_here enter n");
    assert!(said(&stage).contains("is nowhere in this transcript"), "{}", said(&stage));
    stage.press("/ text:Ask_somebody_else_too enter");
    let times = stage.state.session().unwrap().search.as_ref().unwrap().times();
    for _ in 0..=times {
        stage.press("n");
    }
    let hits = stage.state.session().unwrap().search.as_ref().unwrap().hits.len();
    assert_eq!((hits, said(&stage).contains("not after this place")), (1, true), "{}", said(&stage));
    assert_eq!(at("step=0").state.notice.unwrap().text, "there is no step 0: the first is 1");
    assert_eq!(at("view=memory,tab=99").state.notice.unwrap().text, "there is no pane 99: the last is 6");
    assert_eq!(at("view=documents,file=9").state.notice.unwrap().text, "there is no file 9");
}

#[test]
fn what_came_after_the_last_request_is_shown_at_its_step() {
    let answer = json!({"id": "resp_1", "object": "response", "created_at": 1, "status": "completed", "model": "gpt-5",
        "output": [
            {"id": "m", "type": "message", "role": "assistant", "status": "completed",
             "content": [{"type": "output_text", "text": "It is red."}]},
            {"id": "c", "type": "compaction", "encrypted_content": "gAAAAABx"}],
        "usage": {"input_tokens": 51_000, "output_tokens": 20, "total_tokens": 51_020}});
    let mut stage = Stage::of(answer.to_string().into_bytes(), 120, 40);
    let effect = stage.state.open("/home/me/answer.json");
    stage.carry_out(vec![effect]);
    let view = stage.state.view().unwrap();
    let run = view.index.run();
    assert!(run.events.len() == 1 && run.is_after(&run.events[0]), "{:?}", run.events);
    assert_eq!(view.events.len(), 1);
    let rows = stage.rows().join("\n");
    assert!(rows.contains("after this step") && rows.contains("┊ compaction"), "{rows}");
    assert!(rows.contains("what was sent is not recorded (about 51.0k)"), "{rows}");
    stage.press("5 enter");
    let rows = stage.rows().join("\n");
    assert!(rows.contains("summarise · after the last step"), "{rows}");
}

/// A session with a document attached, opened on its replay where a link leads.
fn with_document(place: &str) -> Stage {
    let mut stage = Stage::empty(120, 40);
    stage.documents = vec![DocumentName { name: "a.md".into(), label: "a.md".into(), step: 1, block: BlockId(0) }];
    stage.begin.2 = true;
    stage.state.wanted = place.parse().unwrap();
    let effect = stage.state.open("/home/me/fix-login.jsonl");
    stage.carry_out(vec![effect]);
    stage
}

#[test]
fn a_link_to_the_documents_view_finds_what_is_attached() {
    let stage = with_document("view=documents,file=1");
    assert_eq!(stage.state.documents.as_ref().unwrap().files.len(), 1);
    assert!(stage.state.notice.is_none());
    let rows = stage.rows().join("\n");
    assert!(rows.contains("a.md") && !rows.contains("No document"), "{rows}");
    assert_eq!(with_document("view=documents,file=2").state.notice.unwrap().text, "there is no file 2: the last is 1");
}

#[test]
fn a_passage_is_not_called_missing_while_the_windows_are_made() {
    let mut stage = with_document("");
    stage.press("d");
    let key = |stage: &mut Stage, key: &str| update(&mut stage.state, Message::Key(key.parse().unwrap()));
    let said = |stage: &Stage| stage.state.notice.as_ref().map(|notice| notice.text.clone()).unwrap_or_default();
    let mut waiting = key(&mut stage, "-");
    waiting.extend(key(&mut stage, "enter"));
    assert_eq!(said(&stage), REPLAYING);
    stage.carry_out(waiting);
    assert_eq!(said(&stage), "", "it is replayed");
    stage.press("enter");
    assert_eq!(said(&stage), "what is looked at is in no window of this track");
    stage.state.session_mut().unwrap().view = None;
    key(&mut stage, "enter");
    assert_eq!(said(&stage), "the windows are still being counted");
}

#[test]
fn what_is_changed_in_the_documents_view_is_tried_in_the_window() {
    let mut stage = with_document("");
    stage.press("d t text:garbage_collector enter - ] d");
    let draft = |stage: &Stage| {
        let draft = &stage.state.session().unwrap().pages.draft;
        (draft.policy.chunks.clone(), draft.policy.chunks == draft.base.chunks)
    };
    let (chunks, _) = draft(&stage);
    assert_eq!((chunks.task.as_str(), chunks.top, chunks.budget), ("garbage collector", 9, 8_500));
    // A task that is taken away again is that of the session.
    stage.press("d t ctrl-u enter + [ d");
    assert!(stage.state.documents.is_none() && draft(&stage).1);
}
