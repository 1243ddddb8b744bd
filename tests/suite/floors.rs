//! The shape of the code, checked: floors, file sizes, a `//!` on every file.

use std::fs;
use std::path::{Path, PathBuf};

/// From the lowest floor up; a folder imports only from those before it.
const FLOORS: &[&str] = &[
    "model",
    "content",
    "tokens",
    "transcript",
    "document",
    "chunk",
    "policy",
    "memory",
    "engine",
    "inquiry",
    "export",
    "present",
    "config",
    "io",
    "tui",
    "cli",
];

fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|end| end == "rs") {
            found.push(path);
        }
    }
    found.sort();
    found
}

fn root(folder: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)
}

/// The floors that a file's code names, as `crate::x`, also inside `use crate::{x::…, y}`.
fn imports(text: &str) -> Vec<String> {
    let code: String = text.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n");
    let mut found = Vec::new();
    for (at, _) in code.match_indices("crate::") {
        let rest = &code[at + "crate::".len()..];
        let names = match rest.strip_prefix('{') {
            Some(group) => {
                let (mut depth, mut end) = (1, group.len());
                for (index, sign) in group.char_indices() {
                    depth += i32::from(sign == '{') - i32::from(sign == '}');
                    if depth == 0 {
                        end = index;
                        break;
                    }
                }
                group[..end].split(',').map(|part| part.trim().to_owned()).collect()
            }
            None => vec![rest.to_owned()],
        };
        found.extend(
            names.iter().map(|name| name.chars().take_while(|sign| sign.is_alphanumeric() || *sign == '_').collect()),
        );
    }
    found
}

#[test]
fn each_floor_imports_only_from_floors_below() {
    let mut wrong = Vec::new();
    for (height, floor) in FLOORS.iter().enumerate() {
        let folder = root("src").join(floor);
        if !folder.exists() {
            continue;
        }
        for path in sources(&folder) {
            for import in imports(&fs::read_to_string(&path).expect("a source")) {
                if FLOORS.iter().position(|name| *name == import).is_some_and(|other| other > height) {
                    wrong.push(format!("{} imports {import}", path.display()));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_readme_names_every_floor_from_below() {
    let readme = fs::read_to_string(root("README.md")).expect("a README");
    let (_, part) = readme.split_once("\n## Architecture\n").expect("its part on architecture");
    let rows = part.lines().filter(|line| line.starts_with("| `")).filter_map(|line| line.split('|').nth(1));
    let named: Vec<&str> = rows.flat_map(|cell| cell.split(',')).map(|name| name.trim().trim_matches('`')).collect();
    assert_eq!(named, FLOORS);
}

#[test]
fn only_the_screen_knows_the_terminal_and_only_the_edges_know_files() {
    let mut wrong = Vec::new();
    for floor in FLOORS {
        let folder = root("src").join(floor);
        if !folder.exists() {
            continue;
        }
        for path in sources(&folder) {
            let text = fs::read_to_string(&path).expect("a source");
            let names = |word: &str| text.contains(word);
            if *floor != "tui" && (names("ratatui") || names("crossterm")) {
                wrong.push(format!("{} uses the terminal", path.display()));
            }
            let edge = ["io", "cli", "tui"].contains(floor);
            if !edge && (names("std::fs") || names("std::env") || names("SystemTime") || names("Instant::now")) {
                wrong.push(format!("{} touches the world", path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_folder_of_the_source_is_a_floor() {
    for entry in fs::read_dir(root("src")).expect("src").flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        assert!(!entry.path().is_dir() || FLOORS.contains(&name.as_str()), "{name} is not among the floors");
    }
}

#[test]
fn every_file_says_what_it_is_for_and_stays_short() {
    let mut wrong = Vec::new();
    for folder in ["src", "tests", "benches"].into_iter().filter(|folder| root(folder).exists()) {
        for path in sources(&root(folder)) {
            let text = fs::read_to_string(&path).expect("a source");
            if !text.starts_with("//!") {
                wrong.push(format!("{} does not open with //!", path.display()));
            }
            if text.lines().count() > 500 {
                wrong.push(format!("{} has {} lines", path.display(), text.lines().count()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
