//! The program as it runs: a real process in a real terminal, whose screen is read back.

#![cfg(unix)]

use std::io::{Read, Write};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};

/// Longer than any of it takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// What a terminal sees: everything that was written to it, and what that looks like.
pub struct Seen {
    pub parser: vt100::Parser,
    bytes: Vec<u8>,
    /// Whether nothing more can come.
    is_all: bool,
}

/// A process in a terminal.
pub struct Terminal {
    master: Box<dyn MasterPty + Send>,
    child: Box<dyn Child + Send + Sync>,
    input: Box<dyn Write + Send>,
    seen: Arc<Mutex<Seen>>,
    _home: tempfile::TempDir,
}

impl Terminal {
    fn start(program: &Path, arguments: &[&str], environment: &[(&str, &str)], input: Option<&str>) -> Terminal {
        let home = tempfile::tempdir().unwrap();
        let pair = native_pty_system().openpty(size(80, 24)).unwrap();
        let mut command = match input {
            None => CommandBuilder::new(program),
            Some(file) => {
                let mut shell = CommandBuilder::new("/bin/sh");
                shell.args(["-c", "cat \"$0\" | \"$@\"", file]);
                shell.arg(program);
                shell
            }
        };
        command.args(arguments);
        command.env_clear();
        command.env("HOME", home.path());
        command.env("TERM", "xterm-256color");
        command.env("PATH", "/usr/bin:/bin");
        command.env("WINDOWPANE_CACHE", "off");
        for (name, value) in environment {
            command.env(name, value);
        }
        let child = pair.slave.spawn_command(command).unwrap();
        drop(pair.slave);
        let seen =
            Arc::new(Mutex::new(Seen { parser: vt100::Parser::new(24, 80, 0), bytes: Vec::new(), is_all: false }));
        let (mut reader, told) = (pair.master.try_clone_reader().unwrap(), Arc::clone(&seen));
        std::thread::spawn(move || {
            let mut buffer = [0; 65536];
            while let Ok(length @ 1..) = reader.read(&mut buffer) {
                let mut seen = told.lock().unwrap();
                seen.parser.process(&buffer[..length]);
                seen.bytes.extend_from_slice(&buffer[..length]);
            }
            told.lock().unwrap().is_all = true;
        });
        let input = pair.master.take_writer().unwrap();
        Terminal { master: pair.master, child, input, seen, _home: home }
    }

    pub fn windowpane(arguments: &[&str], environment: &[(&str, &str)]) -> Terminal {
        Terminal::start(Path::new(env!("CARGO_BIN_EXE_windowpane")), arguments, environment, None)
    }

    pub fn press(&mut self, keys: &str) {
        self.input.write_all(keys.as_bytes()).unwrap();
        self.input.flush().unwrap();
    }

    pub fn resize(&mut self, width: u16, height: u16) {
        // What was drawn for the size before may arrive after it; a wide sign in one column breaks the emulator.
        self.seen.lock().unwrap().parser.screen_mut().set_size(height, width.max(2));
        self.master.resize(size(width, height)).unwrap();
    }

    pub fn text(&self) -> String {
        self.seen.lock().unwrap().parser.screen().contents()
    }

    /// All that was written to the terminal so far.
    pub fn written(&self) -> String {
        String::from_utf8_lossy(&self.seen.lock().unwrap().bytes).into_owned()
    }

    /// Waits until something is so; else says what the screen shows.
    pub fn wait(&self, what: &str, so: impl Fn(&Seen) -> bool) {
        let start = Instant::now();
        while !so(&self.seen.lock().unwrap()) {
            assert!(start.elapsed() < PATIENCE, "not {what}; the screen shows\n{}", self.text());
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    pub fn wait_for(&self, text: &str) {
        self.wait(text, |seen| seen.parser.screen().contents().contains(text));
    }

    /// Waits until the screen's lines, without the blanks behind them, are so.
    pub fn wait_for_lines(&self, what: &str, so: impl Fn(&[&str]) -> bool) {
        self.wait(what, |seen| {
            let text = seen.parser.screen().contents();
            let mut lines: Vec<&str> = text.lines().map(str::trim_end).collect();
            while lines.last().is_some_and(|last| last.is_empty()) {
                lines.pop();
            }
            so(&lines)
        });
    }

    /// Waits for the end; the terminal must be as it was.
    pub fn ended(&mut self) -> portable_pty::ExitStatus {
        let start = Instant::now();
        let status = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            assert!(start.elapsed() < PATIENCE, "it runs on and shows\n{}", self.text());
            std::thread::sleep(Duration::from_millis(10));
        };
        self.wait("the terminal handed back", |seen| {
            let screen = seen.parser.screen();
            !screen.alternate_screen()
                && !screen.hide_cursor()
                && !screen.bracketed_paste()
                && screen.mouse_protocol_mode() == vt100::MouseProtocolMode::None
        });
        status
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.child.kill();
    }
}

fn size(cols: u16, rows: u16) -> PtySize {
    PtySize { rows, cols, pixel_width: 0, pixel_height: 0 }
}

fn fixture() -> String {
    crate::cli::fixture("claude-code.jsonl")
}

#[test]
fn it_starts_takes_keys_shrinks_grows_and_leaves() {
    let mut terminal = Terminal::windowpane(&[&fixture()], &[]);
    terminal.wait_for("Window");
    terminal.wait("the screen taken over", |seen| {
        let screen = seen.parser.screen();
        screen.alternate_screen() && screen.hide_cursor() && screen.bracketed_paste()
    });
    terminal.press("0");
    terminal.wait_for("step 1/");
    // Drawn anew, and handed to the shell and back.
    for (key, step) in [("\x0c", "step 2/"), ("\x1a", "step 3/")] {
        terminal.press(key);
        terminal.press("l");
        terminal.wait_for(step);
    }
    terminal.press("?");
    terminal.wait_for("Keys · window");
    terminal.press("\x1b");
    terminal.wait("help closed", |seen| !seen.parser.screen().contents().contains("Keys · window"));
    for (width, height) in [(1, 1), (30, 8), (19, 4), (200, 60), (1, 60), (200, 1)] {
        terminal.resize(width, height);
    }
    terminal.resize(100, 30);
    terminal.wait_for("step 3/");
    terminal.wait_for("Layers");
    terminal.press("q");
    assert!(terminal.ended().success());
}

#[test]
fn what_cannot_be_opened_ends_with_the_status_of_unreadable_input() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("notes.bin");
    std::fs::write(&path, [0u8, 159, 146, 150]).unwrap();
    let mut terminal = Terminal::windowpane(&[path.to_str().unwrap()], &[]);
    terminal.wait_for("This cannot be opened");
    terminal.press("q");
    assert_eq!(terminal.ended().exit_code(), 3);
    terminal.wait_for("error: ");
    // A path that leads nowhere needs no screen.
    let mut terminal = Terminal::windowpane(&["sesions"], &[]);
    assert_eq!(terminal.ended().exit_code(), 3);
    terminal.wait_for("did you mean `windowpane sessions`?");
}

#[test]
fn a_signal_hands_the_terminal_back_first() {
    let mut terminal = Terminal::windowpane(&["demo"], &[]);
    terminal.wait_for("Window");
    let id = terminal.child.process_id().unwrap();
    std::process::Command::new("kill").args(["-TERM", &id.to_string()]).status().unwrap();
    let status = terminal.ended();
    assert!(!status.success() && status.signal().is_some_and(|name| name.contains("Terminated")), "{status:?}");
}

#[test]
fn choosing_that_is_stopped_shows_what_was_found_and_does_not_end_as_if_it_were_all() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("prose.txt");
    // More than any machine embeds while the key is on its way.
    let text: String =
        (0..200_000).map(|number| format!("The {number}. boat lay in harbour {}. ", number * 7)).collect();
    std::fs::write(&path, text).unwrap();
    let arguments = ["chunks", path.to_str().unwrap(), "--task", "Which boat left?", "--text"];
    let mut terminal = Terminal::windowpane(&arguments, &[]);
    terminal.wait_for("Ctrl-C shows what is found");
    terminal.press("\u{3}");
    let status = terminal.ended();
    // What it wrote last may still be on its way.
    terminal.wait("all read", |seen| seen.is_all);
    assert_eq!((status.exit_code(), status.signal()), (130, None), "{}", terminal.text());
    assert!(terminal.written().contains("=== Chunk "), "{}", terminal.text());
}

#[test]
fn a_sweep_that_is_stopped_writes_the_runs_that_were_done_and_says_how_many() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("chat.json");
    let said = |at: usize| format!("Turn {at} about boat {}: {}", at * 7, "the tide was low. ".repeat(12));
    let role = |at: usize| if at.is_multiple_of(2) { "user" } else { "assistant" };
    let messages: Vec<serde_json::Value> =
        (0..2_000).map(|at| serde_json::json!({"role": role(at), "content": said(at)})).collect();
    std::fs::write(&path, serde_json::json!({"model": "gpt-4o", "messages": messages}).to_string()).unwrap();
    // More runs than any machine makes while the key is on its way.
    let arguments = ["sweep", path.to_str().unwrap(), "boat 77", "--vary", "summarise.at=5000..119990:10"];
    for (form, head) in [("--csv", "summarise.at,kept,"), ("--json", "\"stopped\":true"), ("-q", "Facts kept of 1")] {
        let mut terminal = Terminal::windowpane(&[&arguments[..], &[form]].concat(), &[]);
        terminal.wait_for("Ctrl-C shows what is found");
        terminal.press("\u{3}");
        let status = terminal.ended();
        terminal.wait("all read", |seen| seen.is_all);
        let written = terminal.written();
        assert_eq!((status.exit_code(), status.signal()), (130, None), "{form}: {}", terminal.text());
        assert!(written.contains(head), "{form}: {}", terminal.text());
        let (_, behind) = written.split_once("stopped after ").expect("how many");
        let (done, of) = behind.split_once(" of ").unwrap();
        let done: usize = done.replace(',', "").parse().unwrap();
        assert!((1..11_500).contains(&done) && of.starts_with("11,500 runs"), "{form}: {done}");
        if form == "-q" {
            let below = format!(
                "stopped after {} of 11,500 runs: the others are missing",
                windowpane::present::count(done as u64)
            );
            assert!(written.contains(&below), "{}", terminal.text());
        }
        if form == "--csv" {
            let lines = written.lines().filter(|line| line.ends_with(",11500,true")).count();
            assert_eq!((lines, written.contains(",best,asked_runs,stopped")), (done, true), "{}", terminal.text());
            assert_eq!(
                written.lines().filter(|line| line.ends_with(",true") || line.ends_with(",false")).count(),
                done
            );
        }
    }
}

#[test]
fn no_color_means_none_even_with_a_theme() {
    let coloured = |arguments: &[&str], environment: &[(&str, &str)]| {
        let mut terminal = Terminal::windowpane(arguments, environment);
        terminal.wait_for("Window");
        terminal.press("0");
        terminal.wait_for("step 1/");
        let found = {
            let seen = terminal.seen.lock().unwrap();
            let screen = seen.parser.screen();
            let cells = (0..24).flat_map(|row| (0..80).map(move |column| (row, column)));
            cells
                .filter_map(|(row, column)| screen.cell(row, column))
                .any(|cell| cell.fgcolor() != vt100::Color::Default || cell.bgcolor() != vt100::Color::Default)
        };
        terminal.press("q");
        terminal.ended();
        found
    };
    assert!(coloured(&["demo", "--set", "theme=dark"], &[]));
    assert!(!coloured(&["demo", "--set", "theme=dark"], &[("NO_COLOR", "1")]));
    assert!(coloured(&["demo", "--color", "always"], &[("NO_COLOR", "1")]));
    assert!(!coloured(&["demo", "--color", "never"], &[]));
}

#[test]
fn standard_input_is_read_and_keys_come_from_the_terminal() {
    let program = Path::new(env!("CARGO_BIN_EXE_windowpane"));
    let mut terminal = Terminal::start(program, &["-"], &[], Some(&fixture()));
    terminal.wait_for("Window");
    terminal.press("0");
    terminal.wait_for("step 1/");
    terminal.press("q");
    assert!(terminal.ended().success());
}

#[test]
fn a_hostile_transcript_steers_nothing() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("hostile.jsonl");
    let bad = "\u{1b}]0;owned\u{7}\u{1b}[2J\u{1b}[31m\u{9b}5m\u{1b}]52;c;b3duZWQ=\u{7}\u{202e}turned";
    let line = |kind: &str, uuid: &str, parent: Option<&str>, message: serde_json::Value| {
        serde_json::json!({"type": kind, "uuid": uuid, "parentUuid": parent, "sessionId": "S", "cwd": bad,
            "version": "2.1.20", "isSidechain": false, "timestamp": "2026-01-01T00:00:00.000Z", "message": message})
    };
    let usage = serde_json::json!({"input_tokens": 9, "output_tokens": 1});
    let answer = serde_json::json!({"id": "m", "role": "assistant", "model": bad, "usage": usage,
        "content": [{"type": "text", "text": bad}, {"type": "tool_use", "id": "c", "name": bad, "input": {bad: bad}}]});
    let result =
        serde_json::json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c", "content": bad}]});
    let records = [
        line("user", "u1", None, serde_json::json!({"role": "user", "content": bad})),
        line("assistant", "a1", Some("u1"), answer),
        line("user", "r1", Some("a1"), result),
    ];
    let text: Vec<String> = records.iter().map(ToString::to_string).collect();
    std::fs::write(&path, text.join("\n") + "\n" + bad).unwrap();
    let mut terminal = Terminal::windowpane(&[&path.to_string_lossy()], &[]);
    terminal.wait_for("Window");
    for (keys, shown) in [("4", "Entry"), ("3W", "warning"), ("\x1b", "Window"), ("S", "found"), ("\x1b", "Window")] {
        terminal.press(keys);
        terminal.wait_for(shown);
    }
    terminal.press("q");
    terminal.ended();
    let seen = terminal.seen.lock().unwrap();
    let written = String::from_utf8_lossy(&seen.bytes);
    for steering in ["owned\u{7}", "\u{1b}]0;", "\u{1b}]52", "\u{9b}", "\u{202e}", "\u{1b}[31m"] {
        assert!(!written.contains(steering), "{steering:?} reached the terminal");
    }
    assert!(written.contains("turned"), "the text itself is shown");
}
