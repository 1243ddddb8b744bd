//! After a replay was stopped, or failed: the views say so, and ask for it again when somebody wants it.

use super::testing::world;
use crate::config::Key;
use crate::tui::message::{Effect, Message};
use crate::tui::replayer::For;
use crate::tui::state::State;

/// Presses keys; for whom a replay is asked meanwhile.
fn asks(state: &mut State, keys: &str) -> Vec<For> {
    let mut asked = Vec::new();
    for key in keys.split(' ') {
        let key: Key = key.parse().expect("a key");
        let effects = crate::tui::update(state, Message::Key(key));
        asked.extend(effects.iter().filter_map(|effect| match effect {
            Effect::Replay(of, _) => Some(*of),
            _ => None,
        }));
    }
    asked
}

#[test]
fn what_was_stopped_is_said_and_asked_for_again_when_it_is_wanted() {
    let why = || Err("stopped before it was ready".to_owned());
    for (enter, again) in [("R", "R"), ("t", "t t"), ("v", "v v"), ("m R", "R"), ("t", "t R"), ("R", "t")] {
        let mut world = world("");
        assert!(asks(&mut world.state, enter).contains(&For::Tried), "{enter}");
        for of in [For::Tried, For::Side(0), For::Side(1)] {
            world.tell(Message::Replayed(of, why()));
        }
        assert!(world.shows("no replay: stopped before it was ready"), "{enter}");
        for waits in ["Reading the session", "being replayed"] {
            assert!(!world.shows(waits), "{enter}: {waits}");
        }
        let by_itself = crate::tui::update(&mut world.state, Message::Works);
        assert!(!by_itself.iter().any(|effect| matches!(effect, Effect::Replay(..))), "{enter}: nobody wants it yet");
        assert!(asks(&mut world.state, again).contains(&For::Tried), "{enter}, then {again}");
    }
}

#[test]
fn a_replay_that_comes_after_a_stop_is_not_shown_unasked() {
    let mut world = world("");
    asks(&mut world.state, "R");
    world.tell(Message::Replayed(For::Tried, Err("stopped".to_owned())));
    world.press("t");
    assert!(world.pages().simulated.is_some() && world.pages().draft.failed.is_none());
    world.press("t");
    assert!(!world.shows("simulated:"), "the recorded track stays");
    world.press("R");
    assert!(world.shows("simulated:"));
}
