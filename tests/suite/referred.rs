//! What later messages refer to and what later calls ask for again.

use windowpane::model::*;

use crate::replayed::{looking, run, stages};
use crate::story::Story;

#[test]
fn a_turn_that_the_user_refers_to_is_shown_in_full_again() {
    let mut story = looking(5, |number| format!("gadget_{number}_name"), "Looking.");
    story.user("What was it about gadget_0_name again?");
    story.ask(None);
    let plan = story.plan(10_000);
    let run = run(&plan, &["collapse.on=true", "collapse.at=30%", "collapse.min_freed=0", "collapse.keep=2 rounds"]);
    let first = run.entries.iter().find(|entry| entry.layer == Layer::ToolResults).unwrap();
    assert!(first.life_at(5).is_none() && first.life_at(6).is_some(), "{:?}", first.lives);
    // A user's words spare no result: only what the model repeats was used by it.
    let texts = plan.texts.as_ref().unwrap();
    assert!(texts.references.is_empty(), "{:?}", texts.references);
}

#[test]
fn a_result_is_superseded_by_a_call_that_asks_for_the_same() {
    let cleared = |one: &str, other: &str| {
        let mut story = Story::new(1);
        story.user("Look into it.");
        for arguments in [one, other] {
            story.ask(None);
            story.answer("Looking.", &[("Read", arguments, &"r".repeat(4_000))]);
        }
        story.ask(None);
        let settings = ["microcompact.at=0", "microcompact.min_freed=0", "microcompact.keep=100 results"];
        let on = ["microcompact.on=true", "microcompact.superseded=true"];
        let run = run(&story.plan(10_000), &[settings.as_slice(), &on].concat());
        let told = stages(&run, Stage::Microcompact);
        assert!(
            told.iter().all(|event| event.sentence().contains("; a later call answered 1 of them anew")),
            "{told:?}"
        );
        told.len()
    };
    let whole = r#"{"file_path": "a.rs"}"#;
    let part = r#"{"file_path": "a.rs", "limit": 20}"#;
    assert_eq!(cleared(whole, whole), 1);
    assert_eq!(cleared(part, r#"{"limit": 20, "file_path": "a.rs", "description": "Look again"}"#), 1);
    assert_eq!(cleared(part, whole), 1, "the whole holds its part");
    assert_eq!(cleared(whole, part), 0);
    assert_eq!(cleared(whole, r#"{"file_path": "b.rs"}"#), 0);
}

#[test]
fn a_module_in_code_and_its_file_are_the_same() {
    for (told, said, word) in [
        ("app/services/billing.py: 3 failed", "I mend app.services.billing.charge.", "services.billing"),
        ("3 failed in app.services.billing", "I open app/services/billing.py.", "services/billing.py"),
    ] {
        let mut story = Story::new(1);
        story.user("Look into it.");
        story.ask(None);
        story.answer("Looking.", &[("Bash", "{\"command\": \"c\"}", told)]);
        story.ask(None);
        story.answer(said, &[]);
        story.ask(None);
        let plan = story.plan(10_000);
        let references = &plan.texts.as_ref().unwrap().references;
        assert_eq!(references.iter().map(|one| &*one.word).collect::<Vec<_>>(), [word], "{said}");
        assert!(plan.items[references[0].of as usize].is_result());
    }
}
