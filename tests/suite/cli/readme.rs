//! Every command that the README shows works as it stands there.

use super::runner::{Home, fixture};

#[test]
fn the_commands_of_the_readme_work() {
    let readme = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/README.md")).unwrap();
    let home = Home::new();
    home.file("session.jsonl", std::fs::read(fixture("demo/lost-fact.jsonl.gz")).unwrap());
    home.file(".codex/sessions/2026/rollout-1.jsonl", std::fs::read(fixture("codex.jsonl")).unwrap());
    home.file("notes.txt", "words");
    home.file("page.html", "<h1>Page</h1>");
    let mut commands = 0;
    for line in readme.lines().filter_map(|line| line.strip_prefix("    ")) {
        let line = line.split("  #").next().unwrap_or_default().trim();
        let (input, command) = match line.split_once(" | ") {
            Some((cat, command)) => (cat.strip_prefix("cat "), command),
            None => (None, line),
        };
        let Some(rest) = command.strip_prefix("windowpane").filter(|rest| rest.is_empty() || rest.starts_with(' '))
        else {
            continue;
        };
        let tilde = home.path().to_string_lossy().into_owned() + "/";
        let arguments: Vec<String> = rest.split_whitespace().map(|word| word.replace("~/", &tilde)).collect();
        let input = input.map(|name| std::fs::read(home.path().join(name)).unwrap()).unwrap_or_default();
        let done = home.with_input(&arguments, &input);
        assert_eq!(done.code, 0, "{line}: {}", done.err);
        assert!(!done.out.is_empty() || arguments.iter().any(|word| word == "-o"), "{line} prints nothing");
        commands += 1;
    }
    assert!(commands >= 8, "the README shows only {commands} commands");
}
