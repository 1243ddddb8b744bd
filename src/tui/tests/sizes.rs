//! Every screen at every size: it is drawn, nothing steers the terminal, and the cursor stays on it.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::Stage;
use crate::tui::draw;
use crate::tui::message::{Message, Mouse};

/// What is looked at, as the keys that lead there.
const STATES: &[&str] = &[
    "",
    "1",
    "2",
    "# text:2 enter 4",
    "{ 5",
    "# text:2 enter z",
    "x s",
    "# text:5 enter i Z",
    "/ text:step_7 enter",
    "/ text:日本語_👩‍👧_and_what_is_longer_than_a_line_of_a_narrow_screen",
    "?",
    ": text:日本",
    "e",
    "e enter",
    "W",
    "{ 5 enter",
    "c",
    "t right",
    "v",
    "v f",
    "V",
    "V shift-tab j space tab tab",
    "V shift-tab shift-tab",
    "m",
    "m enter",
    "m enter w",
    "m enter / text:login",
    "m enter tab tab",
    "m enter tab tab tab space",
    "m tab tab tab tab",
    "{ m shift-tab",
    "S",
];

fn steers(sign: char) -> bool {
    sign.is_control()
        || matches!(sign, '\u{200b}' | '\u{200e}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

fn check(stage: &Stage, what: &str) {
    let (buffer, cursor) = stage.draw();
    let (width, height) = stage.state.size;
    assert!(!buffer.content.iter().any(|cell| cell.symbol().chars().any(steers)), "{what} at {width}×{height}");
    let inside = cursor.is_none_or(|at| at.x < width && at.y < height);
    assert!(inside, "{what} at {width}×{height}: the cursor at {cursor:?}");
}

#[test]
fn every_screen_is_drawn_at_every_size() {
    // On two threads, as a build for tests draws slowly.
    std::thread::scope(|scope| {
        for part in 0..2 {
            scope.spawn(move || {
                for (number, keys) in STATES.iter().enumerate() {
                    let mut stage = Stage::open(120, 40);
                    stage.press(keys);
                    // Below 20×5 there is a card, whatever is looked at: one screen stands for all.
                    let least = if number == 0 { (0, 0) } else { (19, 4) };
                    for width in least.0..=60u16 {
                        for height in least.1..=20u16 {
                            if (width + height) % 2 == part {
                                stage.resize(width, height);
                                check(&stage, keys);
                            }
                        }
                    }
                }
            });
        }
    });
}

/// A terminal is resized at any time; the state hears of it after it has drawn.
#[test]
fn every_screen_is_drawn_on_a_terminal_of_another_size_than_it_was_told() {
    const SIZES: &[(u16, u16)] =
        &[(0, 0), (3, 1), (20, 5), (39, 9), (45, 14), (66, 19), (100, 20), (119, 36), (160, 45), (240, 70)];
    std::thread::scope(|scope| {
        for part in 0..2 {
            scope.spawn(move || {
                for keys in STATES.iter().skip(part).step_by(2) {
                    let mut stage = Stage::open(120, 40);
                    stage.press(keys);
                    for told in SIZES {
                        stage.resize(told.0, told.1);
                        for real in SIZES {
                            let mut buffer = Buffer::empty(Rect::new(0, 0, real.0, real.1));
                            let cursor = draw(&stage.state, &mut buffer);
                            let inside = cursor.is_none_or(|at| buffer.area.contains(at));
                            assert!(inside, "{keys}: told {told:?}, {real:?} in truth: the cursor at {cursor:?}");
                        }
                    }
                }
            });
        }
    });
}

#[test]
fn opening_failing_and_nothing_are_drawn_at_every_size() {
    let mut stage = Stage::empty(80, 24);
    for phase in 0..4 {
        match phase {
            0 => {}
            1 => _ = stage.state.open("a \u{1b}[2J name.jsonl"),
            2 => stage.tell(Message::Progress(1 << 30, 3 << 30)),
            _ => stage.tell(Message::Failed(
                "a \u{1b}[2J name.jsonl".to_owned(),
                "it is \u{1b}]0;x\u{7} no transcript 日本語 ".repeat(20),
            )),
        }
        for width in 0..=60 {
            for height in 0..=20 {
                stage.resize(width, height);
                check(&stage, "without a session");
            }
        }
    }
}

#[test]
fn the_mouse_may_do_anything_anywhere() {
    let mut stage = Stage::open(80, 24);
    for (width, height) in [(0, 0), (10, 3), (30, 9), (80, 24), (120, 40), (200, 60)] {
        for keys in ["esc", "x", "S", "esc", "?", "esc", "{ 5 enter", "esc"] {
            stage.press(keys);
            stage.resize(width, height);
            for what in
                [Mouse::WheelDown, Mouse::Click, Mouse::Drag, Mouse::WheelUp, Mouse::WheelLeft, Mouse::WheelRight]
            {
                for (x, y) in [(0, 0), (width / 2, height / 2), (width, height), (3, 12), (u16::MAX, u16::MAX)] {
                    stage.tell(Message::Mouse(what, x, y));
                }
            }
            check(&stage, keys);
        }
    }
}
