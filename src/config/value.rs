//! Kinds of values that settings have: read from TOML, parsed from arguments, written as TOML.

use toml::de::DeValue;

use super::fault::unknown;
use crate::engine::Calibrate;
use crate::tokens::Encoding;

/// A kind of value.
pub trait Value: Sized + Clone + PartialEq {
    /// What is expected, for messages and help.
    fn kind() -> String;

    /// From a config file.
    ///
    /// # Errors
    /// A sentence that says what is wrong.
    fn read(value: &DeValue<'_>) -> Result<Self, String> {
        match value {
            DeValue::String(text) => Self::parse(text),
            DeValue::Integer(number) => Self::parse(number.as_str()),
            DeValue::Boolean(flag) => Self::parse(if *flag { "true" } else { "false" }),
            _ => Err(format!("expected {}", Self::kind())),
        }
    }

    /// From an argument.
    ///
    /// # Errors
    /// A sentence that says what is wrong.
    fn parse(text: &str) -> Result<Self, String>;

    /// As TOML; `None` where nothing is set.
    fn write(&self) -> Option<String>;
}

impl Value for bool {
    fn kind() -> String {
        "true or false".to_owned()
    }

    fn parse(text: &str) -> Result<bool, String> {
        match text {
            "true" | "on" | "yes" => Ok(true),
            "false" | "off" | "no" => Ok(false),
            _ => Err(format!("expected {}, found {text:?}", Self::kind())),
        }
    }

    fn write(&self) -> Option<String> {
        Some(self.to_string())
    }
}

impl Value for String {
    fn kind() -> String {
        "a text".to_owned()
    }

    fn parse(text: &str) -> Result<String, String> {
        if text.chars().any(char::is_control) {
            Err(format!("{text:?} has a control character"))
        } else {
            Ok(text.to_owned())
        }
    }

    fn write(&self) -> Option<String> {
        Some(toml::Value::String(self.clone()).to_string())
    }
}

impl Value for u64 {
    fn kind() -> String {
        "a number above 0, as 200000 or 200k".to_owned()
    }

    fn parse(text: &str) -> Result<u64, String> {
        let (digits, scale) = match text.strip_suffix(['k', 'K']) {
            Some(digits) => (digits, 1000),
            None => match text.strip_suffix(['m', 'M']) {
                Some(digits) => (digits, 1_000_000),
                None => (text, 1),
            },
        };
        let number = digits.replace(['_', ','], "").parse::<u64>().ok().and_then(|number| number.checked_mul(scale));
        number.filter(|number| *number > 0).ok_or_else(|| format!("expected {}, found {text:?}", Self::kind()))
    }

    fn write(&self) -> Option<String> {
        Some(self.to_string())
    }
}

impl<T: Value> Value for Option<T> {
    fn kind() -> String {
        T::kind()
    }

    fn parse(text: &str) -> Result<Option<T>, String> {
        if text.is_empty() { Ok(None) } else { T::parse(text).map(Some) }
    }

    fn write(&self) -> Option<String> {
        self.as_ref().and_then(T::write)
    }
}

impl Value for Calibrate {
    fn kind() -> String {
        "auto, on, off".to_owned()
    }

    fn parse(text: &str) -> Result<Calibrate, String> {
        match text {
            "auto" => Ok(Calibrate::Auto),
            "on" | "true" => Ok(Calibrate::On),
            "off" | "false" => Ok(Calibrate::Off),
            _ => Err(unknown("choice", text, ["auto", "on", "off"])),
        }
    }

    fn write(&self) -> Option<String> {
        let word = match self {
            Calibrate::Auto => "auto",
            Calibrate::On => "on",
            Calibrate::Off => "off",
        };
        Some(format!("{word:?}"))
    }
}

impl Value for Encoding {
    fn kind() -> String {
        Encoding::ALL.iter().map(|encoding| encoding.name()).collect::<Vec<_>>().join(", ")
    }

    fn parse(text: &str) -> Result<Encoding, String> {
        let names = Encoding::ALL.iter().map(|encoding| encoding.name());
        Encoding::named(text)
            .ok_or_else(|| format!("{} (encodings: {})", unknown("encoding", text, names), Self::kind()))
    }

    fn write(&self) -> Option<String> {
        Some(format!("{:?}", self.name()))
    }
}

macro_rules! choices {
    ($( $(#[doc = $explain:literal])* $name:ident { $( $variant:ident, $word:literal, $meaning:literal; )* } )*) => { $(
        $(#[doc = $explain])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $name { $( #[doc = $meaning] $variant, )* }

        impl Value for $name {
            fn kind() -> String {
                [$( $word ),*].join(", ")
            }

            fn parse(text: &str) -> Result<$name, String> {
                match text {
                    $( $word => Ok($name::$variant), )*
                    _ => Err(format!("{} (choices: {})", unknown("choice", text, [$( $word ),*]), Self::kind())),
                }
            }

            fn write(&self) -> Option<String> {
                match self { $( $name::$variant => Some(format!("{:?}", $word)), )* }
            }
        }
    )* };
}

choices! {
    /// Which API a model's server speaks.
    Api {
        Auto, "auto", "By its address, else by the model's name.";
        Openai, "openai", "OpenAI's chat completions, as most servers do.";
        Anthropic, "anthropic", "Anthropic's messages.";
    }
    /// How pictures are shown.
    Pictures {
        Auto, "auto", "By what the terminal says that it can.";
        Kitty, "kitty", "By Kitty's protocol.";
        Sixel, "sixel", "As sixels.";
        Iterm2, "iterm2", "By iTerm2's protocol.";
        Blocks, "blocks", "As coloured half blocks.";
        Off, "off", "Described, not shown.";
    }
    /// What lines and signs are made of.
    Signs {
        Unicode, "unicode", "Box drawing and symbols.";
        Ascii, "ascii", "Plain ASCII only.";
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_parsed() {
        assert_eq!(u64::parse("200k"), Ok(200_000));
        assert_eq!(u64::parse("1_000_000"), Ok(1_000_000));
        assert!(["0", "-1", "k", "1.5k", "99999999999999999999"].iter().all(|wrong| u64::parse(wrong).is_err()));
        assert_eq!(<Option<u64>>::parse(""), Ok(None));
        assert_eq!(Pictures::parse("sixel"), Ok(Pictures::Sixel));
        assert_eq!(
            Signs::parse("asci"),
            Err("there is no choice \"asci\"; did you mean \"ascii\"? (choices: unicode, ascii)".to_owned())
        );
        assert!(String::parse("a\u{1b}b").is_err());
    }
}
