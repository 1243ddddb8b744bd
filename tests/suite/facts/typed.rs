//! What is written for people or by them, and not for the model: summaries of reasoning, commands of the client's own
//! shell, what an editor adds, and what was taken back.

use serde_json::json;
use windowpane::content::Watch;
use windowpane::inquiry::{FactKind, Need, Sight, candidates};
use windowpane::model::{Fate, Layer, ThreadId};
use windowpane::present::verdict::verdict;

use super::build::{Log, codex, message};
use super::runner::{Opened, open, traced};

/// The instructions that a session proposes.
fn instructions(opened: &Opened) -> Vec<String> {
    let found = candidates(&opened.transcript, &opened.sources, (ThreadId(0), &[]), 30, &Watch::default());
    found.facts.into_iter().filter(|one| one.kind == FactKind::Instruction).map(|one| one.text).collect()
}

#[test]
fn a_summary_of_sealed_reasoning_is_not_cut() {
    let item = "response_item";
    let reasoning = json!({"type": "reasoning", "summary": [{"type": "summary_text", "text": "**Detailing QX-77413**"}], "encrypted_content": "QUJD"});
    let opened = open(codex(&[
        ("session_meta", json!({"id": "x", "cwd": "/w"})),
        (item, message("user", "Go.")),
        (item, reasoning),
        (item, message("assistant", "I see.")),
        (item, message("user", "On.")),
        (item, message("assistant", "Done.")),
    ]));
    let (fact, found, trace) = traced(&opened, &opened.recorded, "QX-77413");
    let stay = &trace.occurrences[0].stays[0];
    assert_eq!((stay.sight, stay.fate), (Sight::Hidden, Fate::Verbatim));
    assert!(trace.is_sealed() && trace.loss.is_none());
    let said = verdict(&trace, &fact, &found, &opened.transcript, &opened.recorded).join(" ");
    assert!(said.contains("only by its vendor") && !said.contains("Cut") && !said.contains("Lost"), "{said}");
}

#[test]
fn a_command_of_the_clients_shell_is_no_question() {
    let log = Log::new().user("The release tag is rel_4471; publish it only after noon.").says("Understood.");
    let log = log.user("When may we publish the release?").says("After noon.");
    let log = log.user("<bash-input>git tag rel_4471 && git push release</bash-input>");
    let opened = open(log.user("<bash-stdout>done</bash-stdout>").says("Tagged.").user("Thanks.").bytes());
    let (_, _, trace) = traced(&opened, &opened.recorded, "rel_4471");
    assert_eq!(trace.need.step(), 2, "{:?}", trace.need);
    assert!(matches!(trace.need, Need::Asked(..)));
}

#[test]
fn what_an_editor_adds_is_a_notice_and_what_is_typed_behind_it_a_prompt() {
    let parts = json!([
        {"type": "text", "text": "<ide_opened_file>The user opened src/a.rs.</ide_opened_file>"},
        {"type": "text", "text": "Never touch the lock file."}]);
    let log = Log::new().record("user", json!({"message": {"role": "user", "content": parts}}));
    let opened = open(log.says("I will not.").user("Go on.").bytes());
    let layers: Vec<_> = opened.transcript.blocks[..2].iter().map(|block| (block.layer, &*block.label)).collect();
    assert_eq!(layers, [(Layer::Notices, "editor"), (Layer::User, "")]);
    assert_eq!(instructions(&opened), ["Never touch the lock file"]);
}

#[test]
fn what_was_taken_back_is_not_proposed() {
    let log = Log::new().user("Please be brief.").says("I will.").user("Use bucket OLD-9 for uploads.").says("Yes.");
    let opened = open(log.after(2).user("Use bucket NEW-7 for uploads.").says("Yes.").user("And go.").bytes());
    let found = instructions(&opened);
    assert!(found.contains(&"Use bucket NEW-7 for uploads".to_owned()), "{found:?}");
    assert!(!found.iter().any(|text| text.contains("OLD-9")), "{found:?}");
}
