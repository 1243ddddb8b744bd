//! Copying: through the terminal (OSC 52, which works over SSH), and through the system's own program where there is
//! one.

use std::io::Write;
use std::process::{Command, Stdio};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::present::counted;

/// Bytes of base64: tmux takes sequences of up to 1 MiB, some terminals less.
const TERMINAL_MOST: usize = 1_000_000;

/// The sequence that asks the terminal to put a text on the clipboard. Base64 has nothing in it that steers.
#[must_use]
pub fn sequence(text: &str) -> String {
    format!("\x1b]52;c;{}\x07", STANDARD.encode(text))
}

/// Programs that take a clipboard's text on their standard input: the variable that says that they can work, if any,
/// the program, its arguments.
const PROGRAMS: &[(Option<&str>, &str, &[&str])] = &[
    #[cfg(target_os = "macos")]
    (None, "pbcopy", &[]),
    #[cfg(windows)]
    (None, "clip.exe", &[]),
    (Some("WAYLAND_DISPLAY"), "wl-copy", &[]),
    (Some("DISPLAY"), "xclip", &["-selection", "clipboard"]),
    (Some("DISPLAY"), "xsel", &["--clipboard", "--input"]),
];

/// Copies with the system's own program; says which one did.
#[must_use]
pub fn native(text: &str) -> Option<&'static str> {
    let can = |variable: &Option<&str>| variable.is_none_or(|name| std::env::var_os(name).is_some());
    PROGRAMS.iter().filter(|(variable, ..)| can(variable)).find_map(|(_, program, arguments)| {
        let mut child = Command::new(program)
            .args(*arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .ok()?;
        let written = child.stdin.take().is_some_and(|mut input| input.write_all(text.as_bytes()).is_ok());
        (child.wait().is_ok_and(|status| status.success()) && written).then_some(*program)
    })
}

/// What is said of a copy.
///
/// # Errors
/// What is said where it is more than can be copied.
pub fn outcome(text: &str, by: Option<&str>) -> Result<String, String> {
    let what = counted(text.chars().count() as u64, "character", "characters");
    match by {
        Some(program) => Ok(format!("copied {what} with {program}")),
        None if STANDARD.encode(text).len() > TERMINAL_MOST => {
            Err(format!("{what} are more than terminals copy; windowpane pack writes them"))
        }
        None => Ok(format!("sent {what} to the terminal's clipboard (OSC 52, unconfirmed)")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_the_sequence_steers_the_terminal() {
        let hostile = "a\x1b]0;title\x07\x1b[2J\u{9b}31m";
        let sequence = sequence(hostile);
        let inside = sequence.strip_prefix("\x1b]52;c;").and_then(|rest| rest.strip_suffix('\x07')).unwrap();
        assert!(inside.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+/=".contains(&byte)));
        assert_eq!(STANDARD.decode(inside).unwrap(), hostile.as_bytes());
    }

    #[test]
    fn a_copy_says_how_it_went() {
        assert_eq!(outcome("abc", Some("pbcopy")).unwrap(), "copied 3 characters with pbcopy");
        assert!(outcome("abc", None).unwrap().contains("OSC 52"));
        assert!(outcome(&"x".repeat(1_000_000), None).is_err());
    }
}
