//! The keymap, by table.

use super::*;

fn press(map: &Keymap, context: Context, keys: &str) -> Match {
    map.lookup(context, &parse_sequence(keys).expect(keys))
}

#[test]
fn the_table_has_no_key_twice_in_one_place() {
    let map = Keymap::default();
    for info in ACTIONS {
        assert_eq!(info.keys.len(), map.keys(info.action).len(), "{}: a key that is none", info.name);
        for other in ACTIONS.iter().filter(|other| other.action != info.action) {
            for keys in map.keys(info.action) {
                let clash = map.keys(other.action).iter().find(|held| clashes(other.action, held, info.action, keys));
                assert_eq!(clash, None, "{} and {}", info.name, other.name);
            }
        }
    }
}

#[test]
fn letters_of_later_views_are_free() {
    let map = Keymap::default();
    assert_eq!(press(&map, Context::Window, "a"), Match::None);
}

#[test]
fn keys_mean_what_the_table_says_where_it_says() {
    let map = Keymap::default();
    for (context, keys, expected) in [
        (Context::Window, "right", Match::Action(Action::NextStep)),
        (Context::Window, "l", Match::Action(Action::NextStep)),
        (Context::Entry, "j", Match::Action(Action::Down)),
        (Context::Picker, "j", Match::None),
        (Context::Picker, "down", Match::Action(Action::Down)),
        (Context::Picker, "q", Match::None),
        (Context::Picker, "ctrl-c", Match::Action(Action::Quit)),
        (Context::Picker, "right", Match::None),
        (Context::Palette, "enter", Match::Action(Action::Open)),
        (Context::Prompt, "space", Match::None),
        (Context::Prompt, "esc", Match::Action(Action::Back)),
        (Context::Dialog, "j", Match::Action(Action::Down)),
        (Context::Timeline, "e", Match::Action(Action::Export)),
        (Context::Timeline, "?", Match::Action(Action::Help)),
        (Context::Help, "?", Match::None),
    ] {
        assert_eq!(press(&map, context, keys), expected, "{keys} in {context:?}");
    }
    assert_eq!(map.lookup(Context::Window, &[]), Match::None);
}

#[test]
fn the_users_keys_stand_over_the_table() {
    let map = Keymap::with_file("next-step = [\"x\", \"g g\"]\nquit = []\nsearch = 'ctrl-s'\n").expect("a good file");
    for (keys, expected) in [
        ("x", Match::Action(Action::NextStep)),
        ("g", Match::Prefix),
        ("g g", Match::Action(Action::NextStep)),
        ("g x", Match::None),
        ("right", Match::None),
        ("q", Match::None),
        ("ctrl-s", Match::Action(Action::Search)),
        ("/", Match::None),
    ] {
        assert_eq!(press(&map, Context::Window, keys), expected, "{keys}");
    }
    let left = |action| map.keys_in(Context::Window, action).count();
    assert_eq!(left(Action::Difference), 0, "x was taken from it");
    assert_eq!(left(Action::Top), 1, "Home is left, g begins another");
}

#[test]
fn a_key_that_was_taken_everywhere_is_listed_only_at_what_took_it() {
    let listed =
        |map: &Keymap, action| map.keys_anywhere(action).map(|(keys, _)| super::written(keys)).collect::<Vec<_>>();
    let table = Keymap::default();
    let taken = listed(&table, Action::GoToStep);
    let map = Keymap::with_file(&format!("help = [{}]", toml::Value::String(taken[0].clone()))).expect("a good file");
    assert_eq!(listed(&map, Action::Help), [taken[0].clone()]);
    assert!(!listed(&map, Action::GoToStep).contains(&taken[0]));
    // Where it still works, it is said.
    let map = Keymap::with_file("open-subagent = ['enter']").expect("a good file");
    assert!(listed(&map, Action::Open).contains(&"enter".to_owned()));
    let map = Keymap::with_file("help = ['q']").expect("a good file");
    let places: Vec<_> = map.keys_anywhere(Action::Quit).map(|(keys, places)| (super::written(keys), places)).collect();
    assert_eq!(
        places,
        [("q".to_owned(), vec![Context::Dialog, Context::Trace, Context::Findings]), ("ctrl-c".to_owned(), Vec::new())]
    );
}

#[test]
fn a_key_is_taken_only_where_both_would_work() {
    let map = Keymap::with_file("open-subagent = ['enter']").expect("a good file");
    assert_eq!(press(&map, Context::Window, "enter"), Match::Action(Action::OpenSubagent));
    assert_eq!(press(&map, Context::Picker, "enter"), Match::Action(Action::Open));
}

#[test]
fn wrong_files_are_refused_with_line_and_name() {
    for (text, expected) in [
        ("nxt-step = ['x']", "line 1: nxt-step: there is no action \"nxt-step\"; did you mean \"next-step\"?"),
        ("\nquit = ['entr']", "line 2: quit: there is no key \"entr\"; did you mean \"enter\"?"),
        ("quit = 1", "line 1: quit: expected a list of keys, as [\"ctrl-d\"]"),
        ("quit = ['x']\n\nhelp = ['x']", "line 3: help: x already does quit"),
        ("quit = ['g']\nhelp = ['g g']", "line 2: help: g already does quit"),
    ] {
        let faults = Keymap::with_file(text).expect_err(text);
        assert_eq!(faults.iter().map(Fault::to_string).collect::<Vec<_>>(), [expected]);
    }
    assert!(Keymap::with_file("quit = [").is_err_and(|faults| faults.len() == 1 && faults[0].line == 1));
}

#[test]
fn the_sample_reads_back_as_the_table() {
    let map = Keymap::with_file(&Keymap::sample()).expect("a good file");
    assert_eq!(map.keys, Keymap::default().keys);
}
