//! Replays under policies of a few settings.

use windowpane::engine::{Given, Plan, simulate};
use windowpane::model::*;
use windowpane::policy::{Policy, set};

use crate::story::Story;

/// A policy of single settings over one that cuts nothing.
pub fn policy(settings: &[&str]) -> Policy {
    let mut policy = Policy::default();
    for setting in settings {
        set(&mut policy, setting).unwrap_or_else(|fault| panic!("{fault}"));
    }
    policy
}

pub fn run(plan: &Plan, settings: &[&str]) -> Run {
    simulate(plan, &policy(settings), &Given::default())
}

pub fn stages(run: &Run, stage: Stage) -> Vec<&Event> {
    run.events.iter().filter(|event| event.stage == stage).collect()
}

/// So many answers, each with a call whose result begins with these words and has a thousand tokens; the last one says
/// something of its own.
pub fn looking(answers: usize, begins: impl Fn(usize) -> String, last: &str) -> Story {
    let mut story = Story::new(1);
    story.user("Look into it.");
    for number in 0..answers {
        story.ask(None);
        let result = format!("{} {}", begins(number), "r".repeat(4_000));
        let words = if number + 1 == answers { last } else { "Looking." };
        story.answer(words, &[("Bash", &format!("{{\"command\": \"c{number}\"}}"), &result)]);
    }
    story
}
