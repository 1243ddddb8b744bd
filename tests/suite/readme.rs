//! The README says what the tables say.

use std::path::Path;

#[cfg(unix)]
use crate::terminal::Terminal;
use windowpane::config::{ACTIONS, Group, ROLES, SETTINGS, SHIPPED, Settings};
use windowpane::model::Stage;

fn readme() -> String {
    std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/README.md")).expect("the README")
}

/// What stands between two marks.
fn between<'a>(text: &'a str, name: &str) -> &'a str {
    let (_, rest) = text.split_once(&format!("<!-- {name} -->\n")).expect("the first mark");
    rest.split_once(&format!("<!-- end of {name} -->")).expect("the last mark").0
}

/// A key as code in a table of Markdown.
fn code(key: &str) -> String {
    let plain = key.replace('|', "\\|");
    if plain.contains('`') { format!("`` {plain} ``") } else { format!("`{plain}`") }
}

fn keys() -> String {
    let mut out = String::new();
    for group in Group::ALL {
        out.push_str(&format!("\n**{}**\n\n| key | does | name |\n|---|---|---|\n", group.title()));
        for info in ACTIONS.iter().filter(|info| info.group == *group) {
            let keys: Vec<String> = info.keys.iter().map(|key| code(key)).collect();
            out.push_str(&format!("| {} | {} | `{}` |\n", keys.join(" "), info.meaning, info.name));
        }
    }
    out.push('\n');
    out
}

fn settings() -> String {
    let rows = Settings::default().rows();
    let mut out = String::from("\n| setting | default | meaning |\n|---|---|---|\n");
    for (info, row) in SETTINGS.iter().zip(rows) {
        let default = row.default.map_or_else(|| "–".to_owned(), |value| code(&value));
        out.push_str(&format!("| `{}` | {default} | {} |\n", info.key, info.meaning));
    }
    out.push('\n');
    out
}

fn roles() -> String {
    let names: Vec<String> = ROLES.iter().map(|(_, name, _)| format!("`{name}`")).collect();
    format!("\n{}\n\n", names.join(", "))
}

#[test]
fn every_stage_that_events_name_is_told_of() {
    // Where its lines break says nothing.
    let text: Vec<String> = readme().split("\n\n").map(|part| part.replace('\n', " ")).collect();
    let is_it = |part: &&String| part.contains("An event names the stage that decided:");
    let sentence = text.iter().find(is_it).expect("the sentence");
    let missing = Stage::ALL.iter().filter(|stage| !sentence.contains(&format!("`{}`", stage.name())));
    assert_eq!(missing.collect::<Vec<_>>(), Vec::<&Stage>::new());
}

#[test]
fn keys_settings_and_roles_are_those_of_the_tables() {
    let text = readme();
    for (name, expected) in [("keys", keys()), ("settings", settings()), ("roles", roles())] {
        assert_eq!(between(&text, name), expected, "the README's {name}; what is expected:\n{expected}");
    }
    assert!(SHIPPED.iter().all(|(name, _)| text.contains(&format!("`{name}`"))));
}

#[test]
fn every_mechanism_names_settings_that_there_are_and_a_test_that_there_is() {
    let text = readme();
    let mut tests = String::new();
    for folder in ["src", "tests"] {
        read_all(&Path::new(env!("CARGO_MANIFEST_DIR")).join(folder), &mut tests);
    }
    let rows: Vec<&str> = between(&text, "mechanisms").lines().filter(|line| line.starts_with("| ")).skip(1).collect();
    assert!(rows.len() >= 30);
    for source in 1..=5 {
        assert!(rows.iter().any(|row| row.contains(&format!(" | {source} | "))), "no row is of source {source}");
    }
    for row in &rows {
        let cells: Vec<&str> = row.split(" | ").collect();
        let test = cells.last().unwrap().trim_matches([' ', '|', '`']);
        assert!(tests.contains(&format!("#[test] fn {test}()")), "there is no test {test}");
        for key in cells[2].split('`').filter(|key| key.contains('.')) {
            let section = key.trim_end_matches(".*");
            let known = windowpane::policy::named(key).is_some()
                || windowpane::policy::SECTIONS.iter().any(|(name, ..)| key.ends_with(".*") && *name == section);
            assert!(known, "there is no setting {key}");
        }
    }
    let settings = windowpane::policy::SECTIONS.iter().flat_map(|(_, _, settings)| settings.iter());
    let of_them = settings.filter(|setting| ["source 1", "source 2"].iter().any(|one| setting.source.starts_with(one)));
    for setting in of_them {
        let named = format!("`{}`", setting.key);
        assert!(rows.iter().any(|row| row.contains(&named)), "no row names {named}");
    }
}

/// All that stands in a folder's source files, with no more than a blank between a mark and what it is of.
fn read_all(folder: &Path, into: &mut String) {
    for entry in std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()) {
        if entry.is_dir() {
            read_all(&entry, into);
        } else if entry.extension().is_some_and(|extension| extension == "rs") {
            let text = std::fs::read_to_string(&entry).expect("a source file");
            text.lines().for_each(|line| {
                into.push_str(line.trim());
                into.push(if line.trim().starts_with("#[") { ' ' } else { '\n' });
            });
        }
    }
}

/// What stands beside each picture as text was taken with it; where this fails, both have to be made anew.
#[cfg(unix)]
#[test]
fn the_pictures_show_what_the_program_shows() {
    let up = "k".repeat(13);
    for (picture, height, arguments, keys) in [
        ("main", 36, &["demo", "--at", "step=64,view=window"][..], &[("1 //! checkout", up.as_str())][..]),
        ("trace", 30, &["demo"], &[("recorded", "f"), (" fact", "hbr-7731-\r")]),
    ] {
        let text = std::fs::read_to_string(format!("{}/fixtures/readme/{picture}.txt", env!("CARGO_MANIFEST_DIR")));
        let text = text.expect("the text of the picture");
        let expected: Vec<&str> = text.lines().collect();
        let mut terminal = Terminal::windowpane(arguments, &[("COLORTERM", "truecolor")]);
        terminal.resize(120, height);
        for (shown, keys) in keys {
            terminal.wait_for(shown);
            terminal.press(keys);
        }
        terminal.wait_for_lines(&format!("what fixtures/readme/{picture}.png shows"), |lines| lines == expected);
        terminal.press("\u{1b}q");
    }
}
