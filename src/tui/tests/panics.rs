//! A fault while the screen is drawn, in a real terminal: the test runs itself again there.

use std::io::Read;

use portable_pty::{CommandBuilder, PtySize, native_pty_system};

use crate::config::{Keymap, Theme};
use crate::tui::state::State;
use crate::tui::terminal::Screen;

#[test]
#[ignore = "the test below runs it, in a terminal of its own"]
fn a_fault_on_the_screen() {
    let mut screen = Screen::enter(true).unwrap();
    screen.draw(&State::new(Theme::default(), Keymap::default())).unwrap();
    panic!("a fault, and a test");
}

#[test]
fn a_panic_hands_the_terminal_back_and_is_reported() {
    let size = PtySize { rows: 60, cols: 120, pixel_width: 0, pixel_height: 0 };
    let pair = native_pty_system().openpty(size).unwrap();
    let mut command = CommandBuilder::new(std::env::current_exe().unwrap());
    command.args(["--exact", "tui::tests::panics::a_fault_on_the_screen", "--ignored", "--nocapture"]);
    command.env("TERM", "xterm-256color");
    command.env("RUST_BACKTRACE", "0");
    let mut child = pair.slave.spawn_command(command).unwrap();
    drop(pair.slave);
    let mut reader = pair.master.try_clone_reader().unwrap();
    let mut bytes = Vec::new();
    // The end of such a terminal is an error to its reader.
    let _ = reader.read_to_end(&mut bytes);
    assert!(!child.wait().unwrap().success());
    let taken = bytes.windows(8).any(|part| part == b"\x1b[?1049h");
    assert!(taken, "the screen was taken over: {}", String::from_utf8_lossy(&bytes));
    let mut parser = vt100::Parser::new(60, 120, 0);
    parser.process(&bytes);
    let screen = parser.screen();
    assert!(!screen.alternate_screen() && !screen.hide_cursor() && !screen.bracketed_paste());
    assert_eq!(screen.mouse_protocol_mode(), vt100::MouseProtocolMode::None);
    // Lines begin at the left again only where the terminal is in its ordinary mode.
    let text = screen.contents();
    assert!(text.lines().any(|line| line.starts_with("a fault, and a test")), "{text}");
}
