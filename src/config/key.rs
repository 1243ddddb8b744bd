//! Keys as data: parsed and printed, known to no terminal library.

use std::fmt;
use std::str::FromStr;

/// One press of a key with its modifiers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Key {
    /// Which key. A letter's case holds its shift.
    pub code: Code,
    /// With Control.
    pub ctrl: bool,
    /// With Alt (or Meta).
    pub alt: bool,
    /// With Shift; never set for characters.
    pub shift: bool,
}

/// A key without its modifiers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Code {
    Char(char),
    Function(u8),
    Enter,
    Esc,
    Tab,
    Backspace,
    Delete,
    Insert,
    Left,
    Right,
    Up,
    Down,
    Home,
    End,
    PageUp,
    PageDown,
}

/// Names in the keys file, and short labels for the screen.
const NAMED: &[(&str, &str, Code)] = &[
    ("enter", "Enter", Code::Enter),
    ("esc", "Esc", Code::Esc),
    ("tab", "Tab", Code::Tab),
    ("backspace", "Backspace", Code::Backspace),
    ("delete", "Del", Code::Delete),
    ("insert", "Ins", Code::Insert),
    ("left", "←", Code::Left),
    ("right", "→", Code::Right),
    ("up", "↑", Code::Up),
    ("down", "↓", Code::Down),
    ("home", "Home", Code::Home),
    ("end", "End", Code::End),
    ("pgup", "PgUp", Code::PageUp),
    ("pgdn", "PgDn", Code::PageDown),
    ("space", "Space", Code::Char(' ')),
];

impl Key {
    /// A key without modifiers.
    #[must_use]
    pub fn plain(code: Code) -> Key {
        Key { code, ctrl: false, alt: false, shift: false }
    }

    /// A key as a terminal reports it, brought to its one form: Shift of a letter becomes its case, and with
    /// Control the case is lost, because most terminals lose it.
    #[must_use]
    pub fn new(code: Code, ctrl: bool, alt: bool, shift: bool) -> Key {
        let Code::Char(sign) = code else {
            return Key { code, ctrl, alt, shift };
        };
        let one = |mut many: std::char::ToUppercase| many.next().filter(|_| many.len() == 0).unwrap_or(sign);
        let sign = match (ctrl, shift) {
            (true, _) => sign.to_ascii_lowercase(),
            (false, true) => one(sign.to_uppercase()),
            (false, false) => sign,
        };
        Key { code: Code::Char(sign), ctrl, alt, shift: false }
    }

    /// The character that the key types, where it types one.
    #[must_use]
    pub fn typed(self) -> Option<char> {
        match self.code {
            Code::Char(sign) if !self.ctrl && !self.alt && !sign.is_control() => Some(sign),
            _ => None,
        }
    }

    /// How the screen names it: `←`, `ctrl-d`, `Enter`. With `ascii`, as the keys file names it.
    #[must_use]
    pub fn label(self, ascii: bool) -> String {
        match NAMED.iter().find(|(_, _, code)| *code == self.code) {
            Some((_, label, _)) if !ascii => format!("{}{label}", self.prefix()),
            _ => self.to_string(),
        }
    }

    fn prefix(self) -> String {
        [(self.ctrl, "ctrl-"), (self.alt, "alt-"), (self.shift, "shift-")]
            .into_iter()
            .filter_map(|(held, name)| held.then_some(name))
            .collect()
    }
}

impl fmt::Display for Key {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.prefix())?;
        match (NAMED.iter().find(|(_, _, code)| *code == self.code), self.code) {
            (Some((name, ..)), _) => out.write_str(name),
            (None, Code::Char(sign)) => write!(out, "{sign}"),
            (None, Code::Function(number)) => write!(out, "F{number}"),
            (None, other) => write!(out, "{other:?}"),
        }
    }
}

impl FromStr for Key {
    type Err = String;

    fn from_str(text: &str) -> Result<Key, String> {
        let (mut ctrl, mut alt, mut shift) = (false, false, false);
        let mut rest = text;
        loop {
            let lower = rest.to_ascii_lowercase();
            let held = [("ctrl-", 0), ("c-", 0), ("alt-", 1), ("a-", 1), ("shift-", 2), ("s-", 2)]
                .into_iter()
                .find(|(prefix, _)| lower.starts_with(prefix) && lower.len() > prefix.len());
            let Some((prefix, which)) = held else { break };
            match which {
                0 => ctrl = true,
                1 => alt = true,
                _ => shift = true,
            }
            rest = rest.get(prefix.len()..).unwrap_or_default();
        }
        let mut signs = rest.chars();
        let code = match (signs.next(), signs.next()) {
            (None, _) => return Err("a key is missing".to_owned()),
            (Some(sign), None) if sign.is_control() => return Err(format!("{sign:?} is no key")),
            (Some(sign), None) => Code::Char(sign),
            _ => named(rest).ok_or_else(|| super::fault::unknown("key", text, NAMED.iter().map(|(name, ..)| *name)))?,
        };
        Ok(Key::new(code, ctrl, alt, shift))
    }
}

fn named(name: &str) -> Option<Code> {
    let lower = name.to_ascii_lowercase();
    let other = match lower.as_str() {
        "escape" => "esc",
        "return" => "enter",
        "pageup" => "pgup",
        "pagedown" => "pgdn",
        "del" => "delete",
        "ins" => "insert",
        "minus" => return Some(Code::Char('-')),
        same => same,
    };
    if let Some((_, _, code)) = NAMED.iter().find(|(name, ..)| *name == other) {
        return Some(*code);
    }
    let number: u8 = other.strip_prefix('f')?.parse().ok()?;
    (1..=24).contains(&number).then_some(Code::Function(number))
}

/// Keys pressed one after the other, as the keys file writes them: separated by spaces.
///
/// # Errors
/// A sentence that says what is no key.
pub fn parse_sequence(text: &str) -> Result<Vec<Key>, String> {
    let keys: Vec<Key> = text.split_whitespace().map(str::parse).collect::<Result<_, _>>()?;
    match keys.len() {
        0 => Err("a key is missing".to_owned()),
        1..=4 => Ok(keys),
        _ => Err("at most 4 keys in a row".to_owned()),
    }
}

/// How the screen names a sequence.
#[must_use]
pub fn sequence_label(keys: &[Key], ascii: bool) -> String {
    keys.iter().map(|key| key.label(ascii)).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_parsed_and_printed() {
        for (written, printed, label) in [
            ("q", "q", "q"),
            ("G", "G", "G"),
            ("shift-g", "G", "G"),
            ("ctrl-D", "ctrl-d", "ctrl-d"),
            ("C-d", "ctrl-d", "ctrl-d"),
            ("alt-ctrl-x", "ctrl-alt-x", "ctrl-alt-x"),
            ("shift-tab", "shift-tab", "shift-Tab"),
            ("f1", "F1", "F1"),
            ("left", "left", "←"),
            ("shift-left", "shift-left", "shift-←"),
            ("space", "space", "Space"),
            ("-", "-", "-"),
            ("ctrl--", "ctrl--", "ctrl--"),
            ("minus", "-", "-"),
            ("?", "?", "?"),
            ("ä", "ä", "ä"),
            ("Escape", "esc", "Esc"),
            ("pagedown", "pgdn", "PgDn"),
        ] {
            let key: Key = written.parse().unwrap_or_else(|why| panic!("{written}: {why}"));
            assert_eq!((key.to_string().as_str(), key.label(false).as_str()), (printed, label), "{written}");
            assert_eq!(printed.parse::<Key>(), Ok(key), "{written} printed and parsed again");
        }
    }

    #[test]
    fn what_is_no_key_is_refused() {
        for wrong in ["", "entr", "F0", "F25", "ctrl-entr", "\u{1b}", "xy"] {
            assert!(wrong.parse::<Key>().is_err(), "{wrong:?}");
        }
        assert_eq!("entr".parse::<Key>().unwrap_err(), "there is no key \"entr\"; did you mean \"enter\"?");
        assert!(parse_sequence("g g g g g").is_err());
        assert!(parse_sequence("  ").is_err());
        assert_eq!(parse_sequence("g g").map(|keys| keys.len()), Ok(2));
    }

    #[test]
    fn only_plain_characters_are_typed() {
        assert_eq!("x".parse::<Key>().map(Key::typed), Ok(Some('x')));
        assert_eq!("ctrl-x".parse::<Key>().map(Key::typed), Ok(None));
        assert_eq!("enter".parse::<Key>().map(Key::typed), Ok(None));
    }
}
