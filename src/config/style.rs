//! Looks as data: colours and emphasis, in no terminal library's types.

use std::fmt;
use std::str::FromStr;

/// A colour that a terminal can show.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Colour {
    /// The terminal's own.
    Default,
    /// One of the terminal's palette: 0 to 15 are named and chosen by its user, 16 to 255 are fixed.
    Index(u8),
    /// Red, green, blue.
    Rgb(u8, u8, u8),
}

/// How a piece of the screen looks. What is `None` or false is left as it was.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub struct Style {
    pub fg: Option<Colour>,
    pub bg: Option<Colour>,
    pub emphasis: Emphasis,
}

/// Ways to stand out without colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub struct Emphasis {
    pub bold: bool,
    pub dim: bool,
    pub italic: bool,
    pub underline: bool,
    pub reverse: bool,
    pub strike: bool,
}

impl Emphasis {
    /// Names in themes.
    pub const NAMES: &[&str] = &["bold", "dim", "italic", "underline", "reverse", "strike"];

    /// The flag of that name.
    pub fn flag(&mut self, name: &str) -> Option<&mut bool> {
        match name {
            "bold" => Some(&mut self.bold),
            "dim" => Some(&mut self.dim),
            "italic" => Some(&mut self.italic),
            "underline" => Some(&mut self.underline),
            "reverse" => Some(&mut self.reverse),
            "strike" => Some(&mut self.strike),
            _ => None,
        }
    }

    /// Both together.
    #[must_use]
    pub fn and(self, other: Emphasis) -> Emphasis {
        Emphasis {
            bold: self.bold || other.bold,
            dim: self.dim || other.dim,
            italic: self.italic || other.italic,
            underline: self.underline || other.underline,
            reverse: self.reverse || other.reverse,
            strike: self.strike || other.strike,
        }
    }
}

/// The names of the terminal's sixteen colours, by index.
pub const COLOUR_NAMES: [&str; 16] = [
    "black",
    "red",
    "green",
    "yellow",
    "blue",
    "magenta",
    "cyan",
    "white",
    "bright-black",
    "bright-red",
    "bright-green",
    "bright-yellow",
    "bright-blue",
    "bright-magenta",
    "bright-cyan",
    "bright-white",
];

impl FromStr for Colour {
    type Err = String;

    fn from_str(text: &str) -> Result<Colour, String> {
        if text == "default" {
            return Ok(Colour::Default);
        }
        if let Some(index) = COLOUR_NAMES.iter().position(|name| *name == text) {
            return Ok(Colour::Index(u8::try_from(index).unwrap_or(0)));
        }
        if let Some(digits) = text.strip_prefix('#') {
            let hex = digits.len() == 6 && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
            let value = if hex { u32::from_str_radix(digits, 16).ok() } else { None };
            let [_, red, green, blue] =
                value.ok_or_else(|| format!("{text:?} is not of the form #rrggbb"))?.to_be_bytes();
            return Ok(Colour::Rgb(red, green, blue));
        }
        if let Ok(index) = text.parse::<u8>() {
            return Ok(Colour::Index(index));
        }
        let known = COLOUR_NAMES.iter().copied().chain(["default"]);
        Err(super::fault::unknown("colour", text, known))
    }
}

impl fmt::Display for Colour {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Colour::Default => out.write_str("default"),
            Colour::Index(index) => match COLOUR_NAMES.get(usize::from(index)) {
                Some(name) => out.write_str(name),
                None => write!(out, "{index}"),
            },
            Colour::Rgb(red, green, blue) => write!(out, "#{red:02x}{green:02x}{blue:02x}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_parsed_and_printed() {
        for (written, expected) in [
            ("default", Colour::Default),
            ("bright-red", Colour::Index(9)),
            ("214", Colour::Index(214)),
            ("#0a0B0c", Colour::Rgb(10, 11, 12)),
        ] {
            assert_eq!(written.parse(), Ok(expected));
            assert_eq!(expected.to_string().parse(), Ok(expected));
        }
        for wrong in ["", "#12345", "#12345g", "#+12345", "256", "-1", "gren"] {
            assert!(wrong.parse::<Colour>().is_err(), "{wrong:?}");
        }
        assert_eq!("gren".parse::<Colour>().unwrap_err(), "there is no colour \"gren\"; did you mean \"green\"?");
    }
}
