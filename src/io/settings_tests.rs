//! The user's files, in a folder of their own.

use std::fs;

use super::*;
use crate::config::{Action, Origin};

fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        fs::write(path, text).expect("a file");
    }
    folder
}

#[test]
fn nothing_is_needed_and_nothing_is_created() {
    let empty = folder(&[]);
    let missing = empty.path().join("never");
    let found = preferences(None, Some(&missing), &[]).expect("defaults");
    assert_eq!(
        (found.theme(&Ground::default()).expect("shipped").name.as_str(), found.settings),
        ("dark", Settings::default())
    );
    assert!(!missing.exists() && found.file.is_none());
}

#[test]
fn files_of_the_folder_are_found() {
    let own = folder(&[
        ("config.toml", "theme = 'mine'\nwindow = '1m'\nprices = 'p.toml'"),
        ("keys.toml", "quit = ['Q']"),
        ("themes/mine.toml", "inherits = 'light'"),
    ]);
    let found = preferences(None, Some(own.path()), &[("window", "200k")]).expect("good files");
    let theme = found.theme(&Ground::default()).expect("a good theme");
    assert_eq!((theme.name.as_str(), found.settings.window), ("mine", Some(200_000)));
    assert_eq!(found.settings.origin("window"), Origin::Argument);
    assert_eq!(found.settings.prices, Some(own.path().join("p.toml").display().to_string()));
    assert_eq!(found.keymap.keys(Action::Quit).len(), 1);
    assert!(theme_names(found.themes.as_deref()).contains(&"mine".to_owned()));
}

#[test]
fn auto_follows_the_ground() {
    for (no_color, light, expected) in
        [(false, None, "dark"), (false, Some(true), "light"), (true, Some(true), "no-color"), (true, None, "no-color")]
    {
        let found = theme("auto", None, &Ground { no_color, light }).expect("shipped");
        assert_eq!(found.name, expected);
    }
    let found = theme("dark", None, &Ground { no_color: true, light: None }).expect("shipped");
    assert_eq!(found.name, "no-color", "NO_COLOR stands over a theme that is named");
    assert_eq!(
        (light_of("15;0"), light_of("0;15"), light_of("0;default;7"), light_of("x")),
        (Some(false), Some(true), Some(true), None)
    );
}

#[test]
fn what_is_wrong_is_said_with_file_and_line() {
    let own = folder(&[("config.toml", "\nmouze = true\nwindow = -1"), ("keys.toml", "quti = []")]);
    let why = preferences(None, Some(own.path()), &[]).expect_err("wrong").to_string();
    let lines: Vec<&str> = why.lines().collect();
    assert_eq!(lines.len(), 2);
    assert!(lines[0].ends_with("config.toml: line 2: mouze: there is no setting \"mouze\"; did you mean \"mouse\"?"));
    fs::remove_file(own.path().join("config.toml")).expect("removed");
    let why = preferences(None, Some(own.path()), &[]).expect_err("wrong").to_string();
    assert!(why.ends_with("keys.toml: line 1: quti: there is no action \"quti\"; did you mean \"quit\"?"), "{why}");
    let named = own.path().join("none.toml");
    assert!(preferences(Some(&named), None, &[]).is_err(), "a named file must be there");
    let why = theme("drak", None, &Ground::default()).expect_err("none").to_string();
    assert!(why.contains("did you mean \"dark\"?"), "{why}");
    assert!(theme("../config", Some(&own.path().join("themes")), &Ground::default()).is_err());
}

#[test]
fn a_value_that_names_nothing_is_refused_at_its_place() {
    let own = folder(&[("config.toml", "mouse = true\ntheme = 'nosuch'"), ("themes/mine.toml", "inherits = 'light'")]);
    let found = preferences(None, Some(own.path()), &[]).expect("a theme is looked for where it is wanted");
    let why = found.theme(&Ground::default()).expect_err("none").to_string();
    assert!(why.contains("config.toml: line 2: theme: there is no theme \"nosuch\"; there are dark"), "{why}");
    assert!(why.contains("mine"), "{why}");
    let found = preferences(None, Some(own.path()), &[("theme", "other")]).expect("good");
    let why = found.theme(&Ground::default()).expect_err("none").to_string();
    assert!(why.starts_with("theme: there is no theme \"other\""), "{why}");
    fs::write(own.path().join("config.toml"), "\nencoding = 'o201k_base'").expect("written");
    let why = preferences(None, Some(own.path()), &[]).expect_err("wrong").to_string();
    assert!(
        why.contains("line 2: encoding: there is no encoding \"o201k_base\"; did you mean \"o200k_base\"?"),
        "{why}"
    );
}
