//! The question before a request is sent, in a real terminal; and a model that is asked beside the screen.

use std::time::{Duration, Instant};

use crate::cli::runner::Home;
use crate::terminal::Terminal;

use super::replay::{SETTINGS, chat, good};
use super::server::{Act, Server};

/// Starts a command in a terminal, with a model to ask.
fn start(home: &Home, server: &Server, before: &[&str], after: &[&str]) -> Terminal {
    let file = home.path().join("chat.json").to_string_lossy().into_owned();
    let url = format!("summariser_url={}", server.address);
    let model = ["--set", "summariser_model=gpt-4o", "--set", &url];
    Terminal::windowpane(&[before, &[&file], SETTINGS, &model, after].concat(), &[])
}

#[test]
fn a_request_is_sent_after_a_yes_and_not_after_a_no() {
    let home = Home::new();
    chat(&home);
    let server = Server::new(vec![good()]);
    let mut terminal = start(&home, &server, &["run"], &["--call-model"]);
    terminal.wait_for("Send it? yes, no more, all of them, or show it whole");
    assert!(terminal.text().contains("at most $0.0") && server.seen().is_empty());
    terminal.press("?\ny\n");
    // The second request waits for its own answer.
    terminal.wait_for("a summary of 19 pieces for step 21");
    assert_eq!(server.seen().len(), 1);
    terminal.press("n\n");
    terminal.wait_for("25 steps, 2 compactions");
    assert!(terminal.ended().success());
    // The table may have pushed it off the screen.
    assert!(terminal.written().contains("no more are sent: the built-in summariser stands in"));
    assert_eq!(server.seen().len(), 1);
}

const QUESTION: &str = "Send it? yes, no more, all of them, or show it whole [y/n/a/s]";

/// The last line on the screen.
fn last_line(terminal: &Terminal) -> String {
    terminal.text().trim_end().lines().last().unwrap_or_default().trim_end().to_owned()
}

#[test]
fn a_question_and_what_is_typed_stand_until_they_are_answered() {
    let home = Home::new();
    chat(&home);
    let server = Server::new(vec![good()]);
    // Longer than work goes on without a word of how far it is; once, long enough for two.
    for (command, quiet) in [(&["run"][..], 2_300), (&["show"], 1_300), (&["lint"], 1_300)] {
        let mut terminal = start(&home, &server, command, &["--call-model", "--track", "simulated"]);
        terminal.wait_for(QUESTION);
        for (typed, line) in [("", QUESTION.to_owned()), ("maybe", format!("{QUESTION} maybe"))] {
            terminal.press(typed);
            std::thread::sleep(Duration::from_millis(quiet));
            assert_eq!(last_line(&terminal), line, "{}", terminal.written());
        }
        terminal.press("\n");
        // It is asked once more.
        terminal.wait("the question again", |seen| seen.parser.screen().contents().matches(QUESTION).count() > 1);
        terminal.press("n\n");
        assert!(terminal.ended().success());
    }
    assert!(server.seen().is_empty());
}

#[test]
fn what_has_come_of_an_answer_is_told_alone() {
    let home = Home::new();
    chat(&home);
    let Act::Say(answer, _) = good() else { panic!("it streams") };
    let server = Server::new(vec![Act::Say(answer, Duration::from_millis(500))]);
    let mut terminal = start(&home, &server, &["run"], &["--call-model"]);
    terminal.wait_for(QUESTION);
    terminal.press("y\n");
    terminal.wait_for(" characters, ");
    terminal.wait_for("for step 21");
    let written = terminal.written();
    let (_, from) = written.split_once(" characters, ").unwrap();
    let (while_it_came, _) = from.rsplit_once(" characters, ").unwrap();
    assert!(!while_it_came.contains("preparing"), "{written:?}");
    terminal.press("n\n");
    assert!(terminal.ended().success());
}

#[test]
fn while_nothing_comes_the_terminal_shows_how_long_it_has_been() {
    let home = Home::new();
    chat(&home);
    let server = Server::new(vec![Act::Silence(Duration::from_secs(60))]);
    let mut terminal = start(&home, &server, &["run"], &["--call-model"]);
    terminal.wait_for(QUESTION);
    terminal.press("y\n");
    for seconds in 0..3 {
        terminal.wait_for(&format!("asking gpt-4o, request 1 of at most 20: {seconds} s"));
    }
    terminal.press("\x03");
    terminal.ended();
}

#[test]
fn who_does_not_wait_for_a_model_has_the_replay_without_it_and_every_view_goes_on() {
    let Act::Say(answer, _) = good() else { panic!("it streams") };
    for act in [Act::Silence(Duration::from_secs(60)), Act::Say(answer, Duration::from_secs(20))] {
        let home = Home::new();
        chat(&home);
        let server = Server::new(vec![act]);
        let mut terminal = start(&home, &server, &[], &["--call-model=yes", "--step", "last"]);
        // What it costs stands there: nobody is asked beside the screen.
        terminal.wait_for("asking gpt-4o, 1 of 20: 2 s (");
        terminal.wait_for(" tokens, at most $0.");
        terminal.press("\x18");
        terminal.wait_for("stopped asking gpt-4o, 1 of 20: 2 s");
        terminal.wait_for("simulated: memory-harness");
        assert!(!terminal.text().contains("stops it"), "{}", terminal.text());
        for (key, shown) in [
            ("m", "Memories "),
            ("m", "Layers"),
            ("t", "tune  ·  step"),
            ("t", "Layers"),
            ("R", "the recorded track"),
            ("R", "simulated:"),
        ] {
            terminal.press(key);
            terminal.wait_for(shown);
        }
        assert_eq!(server.seen().len(), 1, "nothing more is sent");
        assert!(!terminal.text().contains("being replayed"), "{}", terminal.text());
        terminal.press("q");
        assert!(terminal.ended().success());
    }
}

#[test]
fn beside_the_screen_a_model_is_asked_without_a_word_on_it() {
    let home = Home::new();
    chat(&home);
    let server = Server::new(vec![good()]);
    let mut terminal = start(&home, &server, &[], &["--call-model=yes"]);
    let begun = Instant::now();
    while server.seen().len() < 2 && begun.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(20));
    }
    terminal.wait_for("simulated");
    assert!(!terminal.text().contains("at most"), "{}", terminal.text());
    assert_eq!(server.seen().len(), 2);
    terminal.press("q");
    assert!(terminal.ended().success());
    let mut asks = start(&home, &server, &[], &["--call-model"]);
    asks.wait_for("cannot ask beside the screen");
    asks.ended();
}
