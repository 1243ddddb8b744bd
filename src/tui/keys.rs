//! From the terminal's key events to keys as data.

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

use crate::config::{Code, Key};

/// The key of a press or a repeat; `None` for releases and for keys that have no name here.
#[must_use]
pub fn key(event: KeyEvent) -> Option<Key> {
    if event.kind == KeyEventKind::Release {
        return None;
    }
    let held = |modifier| event.modifiers.contains(modifier);
    let mut shift = held(KeyModifiers::SHIFT);
    let code = match event.code {
        KeyCode::Char(sign) => Code::Char(sign),
        KeyCode::F(number) => Code::Function(number),
        KeyCode::Enter => Code::Enter,
        KeyCode::Esc => Code::Esc,
        KeyCode::Tab => Code::Tab,
        KeyCode::BackTab => {
            shift = true;
            Code::Tab
        }
        KeyCode::Backspace => Code::Backspace,
        KeyCode::Delete => Code::Delete,
        KeyCode::Insert => Code::Insert,
        KeyCode::Left => Code::Left,
        KeyCode::Right => Code::Right,
        KeyCode::Up => Code::Up,
        KeyCode::Down => Code::Down,
        KeyCode::Home => Code::Home,
        KeyCode::End => Code::End,
        KeyCode::PageUp => Code::PageUp,
        KeyCode::PageDown => Code::PageDown,
        _ => return None,
    };
    Some(Key::new(code, held(KeyModifiers::CONTROL), held(KeyModifiers::ALT), shift))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terminals_keys_become_ours() {
        let (none, shift, control) = (KeyModifiers::NONE, KeyModifiers::SHIFT, KeyModifiers::CONTROL);
        for (code, modifiers, expected) in [
            (KeyCode::Char('g'), none, "g"),
            (KeyCode::Char('G'), shift, "G"),
            (KeyCode::Char('?'), shift, "?"),
            (KeyCode::Char('d'), control, "ctrl-d"),
            (KeyCode::BackTab, none, "shift-tab"),
            (KeyCode::BackTab, shift, "shift-tab"),
            (KeyCode::Left, shift, "shift-left"),
            (KeyCode::Char(' '), none, "space"),
            (KeyCode::F(1), none, "F1"),
        ] {
            assert_eq!(key(KeyEvent::new(code, modifiers)).map(|key| key.to_string()).as_deref(), Some(expected));
        }
        let mut released = KeyEvent::new(KeyCode::Char('g'), none);
        released.kind = KeyEventKind::Release;
        assert_eq!(key(released), None);
        assert_eq!(key(KeyEvent::new(KeyCode::CapsLock, none)), None);
    }
}
