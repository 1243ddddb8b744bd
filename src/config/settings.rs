//! The user's settings: each declared once; file, arguments, help and the sample file come from the table.

use toml::de::DeTable;

use super::fault::unknown;
use super::{Api, Fault, Pictures, Signs, Value};
use crate::engine::Calibrate;
use crate::tokens::Encoding;

/// Where a value comes from. Later ones stand over earlier ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Origin {
    /// The table below.
    Default,
    /// The config file.
    File,
    /// The command line.
    Argument,
}

impl Origin {
    /// Name in JSON and tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Origin::Default => "default",
            Origin::File => "file",
            Origin::Argument => "argument",
        }
    }
}

/// The declaration of one setting.
#[derive(Clone, Copy, Debug)]
pub struct SettingInfo {
    /// Key in the config file.
    pub key: &'static str,
    /// What it does, in one line.
    pub meaning: &'static str,
    /// A value to show where none is set.
    pub example: &'static str,
    /// What kind of value it takes.
    pub kind: fn() -> String,
}

/// One setting as it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettingRow {
    /// Key in the config file.
    pub key: &'static str,
    /// Value as TOML; `None` where nothing is set.
    pub value: Option<String>,
    /// Default as TOML; `None` where nothing is set.
    pub default: Option<String>,
    /// Where the value comes from.
    pub origin: Origin,
    /// What it does, in one line.
    pub meaning: &'static str,
}

macro_rules! settings {
    ($( $key:ident: $type:ty = $default:expr, $example:literal, $meaning:literal; )*) => {
        /// The user's settings.
        #[derive(Clone, Debug, PartialEq)]
        pub struct Settings {
            $( #[doc = $meaning] pub $key: $type, )*
            /// Where each value comes from, in the order of [`SETTINGS`].
            origins: [Origin; SETTINGS.len()],
        }

        /// Every setting with its declaration.
        pub const SETTINGS: &[SettingInfo] = &[ $( SettingInfo {
            key: stringify!($key),
            meaning: $meaning,
            example: $example,
            kind: <$type as Value>::kind,
        }, )* ];

        impl Default for Settings {
            fn default() -> Settings {
                Settings { $( $key: $default, )* origins: [Origin::Default; SETTINGS.len()] }
            }
        }

        impl Settings {
            /// Sets a value by its key.
            fn set(&mut self, key: &str, value: &toml::de::DeValue<'_>, origin: Origin) -> Result<(), String> {
                match key {
                    $( stringify!($key) => self.$key = <$type as Value>::read(value)?, )*
                    _ => return Err(unknown("setting", key, SETTINGS.iter().map(|info| info.key))),
                }
                if let Some(at) = SETTINGS.iter().position(|info| info.key == key)
                    && let Some(place) = self.origins.get_mut(at)
                {
                    *place = origin;
                }
                Ok(())
            }

            /// Every setting as it stands, in order.
            #[must_use]
            pub fn rows(&self) -> Vec<SettingRow> {
                let default = Settings::default();
                let values = [$( (self.$key.write(), default.$key.write()), )*];
                let rows = SETTINGS.iter().zip(values).zip(self.origins);
                rows.map(|((info, (value, default)), origin)| {
                    SettingRow { key: info.key, value, default, origin, meaning: info.meaning }
                })
                .collect()
            }
        }
    };
}

settings! {
    theme: String = "auto".to_owned(), "dark", "How the screen looks: dark, light, high-contrast, no-color, the name of a file in the themes folder, or auto.";
    signs: Signs = Signs::Unicode, "ascii", "What lines and signs are made of: unicode or ascii.";
    pictures: Pictures = Pictures::Auto, "off", "How pictures are shown: auto, kitty, sixel, iterm2, blocks or off.";
    mouse: bool = true, "false", "Whether the mouse scrolls and selects; while it does, the terminal itself selects text with Shift held.";
    wrap: bool = true, "false", "Whether long lines of an entry are wrapped.";
    model: Option<String> = None, "claude-sonnet-4-5", "The model to assume, whatever the transcript says.";
    window: Option<u64> = None, "200000", "The window's size in tokens to assume where the transcript states none, whatever the table of models says.";
    encoding: Option<Encoding> = None, "o200k_base", "The encoding to count tokens with, instead of the model's own.";
    calibrate: Calibrate = Calibrate::Auto, "off", "Whether counts are scaled to reported usage where the fit is good: auto (for models without a public tokenizer), on or off.";
    cache: bool = true, "false", "Whether counts are kept on disk, in the platform's cache folder.";
    models: Option<String> = None, "models.toml", "A file of models, windows and encodings that stands over the table shipped with the program.";
    prices: Option<String> = None, "prices.toml", "A file of prices that stands over the table shipped with the program.";
    allow_private_urls: bool = false, "true", "Whether a page that is named may lie at a private address: this machine, or the network around it.";
    embedding_onnxruntime: Option<String> = None, "libonnxruntime.so", "The ONNX Runtime library that runs added embedding models; without it, what ORT_DYLIB_PATH names.";
    embedding_models: Option<String> = None, "models", "The folder of added embedding models; without it, one in the platform's data folder.";
    summariser_model: Option<String> = None, "claude-sonnet-4-5", "The language model that writes summaries, where a policy wants one (summarise.by is model) and --call-model allows it.";
    summariser_url: Option<String> = None, "http://localhost:4000/v1", "Its server's address, as clients of its API are told it: behind it /v1 is put where it has no path, and for Anthropic's API where it does not end in the version; without it, Anthropic's where the model's name begins with claude, else OpenAI's.";
    summariser_api: Api = Api::Auto, "openai", "The API that the server speaks: openai, anthropic, or auto.";
    summariser_key: Option<String> = None, "OPENAI_API_KEY", "The environment variable that holds the server's key; without it, a server that is named gets none, and the others OPENAI_API_KEY or ANTHROPIC_API_KEY.";
    summariser_seconds: u64 = 300, "60", "How long one answer may take.";
    summariser_calls: u64 = 20, "5", "Requests that one run of the program may send to it.";
    user: String = "me".to_owned(), "billing", "The user whose memories and workspace files these are.";
    session: Option<String> = None, "fix-login", "The name of the session in memories and workspaces; without it, the transcript's own.";
    agent: Option<String> = None, "reviewer", "The name of the agent in memories; without it, the one that the transcript names.";
    kept_memories: bool = false, "true", "Whether a replay with a memory begins with the memories that `memory --keep` kept on disk, on the screen too.";
    keys: Option<String> = None, "keys.toml", "The keys file; without one it is keys.toml beside the config file, where there is one.";
}

impl Settings {
    /// These settings with a config file's over them.
    ///
    /// # Errors
    /// Everything that is wrong with it: unknown keys with the nearest name, and wrong values.
    pub fn with_file(mut self, text: &str) -> Result<Settings, Vec<Fault>> {
        let table = DeTable::parse(text).map_err(|error| vec![Fault::syntax(text, &error)])?;
        let mut faults = Vec::new();
        for (key, value) in table.get_ref() {
            let known = SETTINGS.iter().any(|info| info.key == key.get_ref());
            if let Err(why) = self.set(key.get_ref(), value.get_ref(), Origin::File) {
                let span = if known { value.span() } else { key.span() };
                faults.push(Fault::at(text, span, key.get_ref().to_string(), why));
            }
        }
        faults.sort_by_key(|fault| fault.line);
        if faults.is_empty() { Ok(self) } else { Err(faults) }
    }

    /// These settings with one from the command line over them.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn with_argument(mut self, key: &str, value: &str) -> Result<Settings, Fault> {
        let value = toml::de::DeValue::String(value.into());
        match self.set(key, &value, Origin::Argument) {
            Ok(()) => Ok(self),
            Err(message) => Err(Fault { line: 0, path: key.to_owned(), message }),
        }
    }

    /// A complaint about the value that a config file gives to a setting.
    #[must_use]
    pub fn fault(text: &str, key: &str, message: impl Into<String>) -> Fault {
        let table = DeTable::parse(text).ok();
        let place = table.as_ref().and_then(|table| Some(table.get_ref().get(key)?.span()));
        Fault::at(text, place.unwrap_or(0..0), key, message)
    }

    /// Where a setting's value comes from.
    #[must_use]
    pub fn origin(&self, key: &str) -> Origin {
        let at = SETTINGS.iter().position(|info| info.key == key);
        at.and_then(|at| self.origins.get(at)).copied().unwrap_or(Origin::Default)
    }

    /// A config file that says what holds without one.
    #[must_use]
    pub fn sample() -> String {
        let rows = Settings::default().rows();
        let mut out = String::from("# windowpane's settings, with their defaults.\n");
        for (info, row) in SETTINGS.iter().zip(rows) {
            let example = toml::Value::String(info.example.to_owned()).to_string();
            let line = match row.default {
                Some(value) => format!("{} = {value}", row.key),
                None if info.example.bytes().all(|byte| byte.is_ascii_digit()) => {
                    format!("# {} = {}", row.key, info.example)
                }
                None => format!("# {} = {example}", row.key),
            };
            out.push_str(&format!("\n# {}\n{line}\n", info.meaning));
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sample_says_the_defaults() {
        let read = Settings::default().with_file(&Settings::sample()).expect("a good file");
        let values = |settings: &Settings| settings.rows().into_iter().map(|row| row.value).collect::<Vec<_>>();
        assert_eq!(values(&read), values(&Settings::default()));
        let all: String = Settings::sample()
            .lines()
            .map(|line| line.strip_prefix("# ").filter(|rest| rest.contains(" = ")).unwrap_or(line).to_owned() + "\n")
            .collect();
        let read = Settings::default().with_file(&all).expect("the examples are good values too");
        assert!(read.rows().iter().all(|row| row.origin == Origin::File), "every setting is in the sample");
    }

    #[test]
    fn arguments_stand_over_the_file_over_defaults() {
        let file = Settings::default().with_file("theme = 'light'\nwindow = 1_000_000\nmouse = false").expect("good");
        let both = file.with_argument("theme", "no-color").expect("good");
        assert_eq!((both.theme.as_str(), both.window, both.mouse), ("no-color", Some(1_000_000), false));
        let origins = ["theme", "window", "cache"].map(|key| both.origin(key));
        assert_eq!(origins, [Origin::Argument, Origin::File, Origin::Default]);
    }

    #[test]
    fn wrong_settings_are_refused_with_their_place() {
        for (text, expected) in [
            ("them = 'dark'", "line 1: them: there is no setting \"them\"; did you mean \"theme\"?"),
            ("\nmouse = 'perhaps'", "line 2: mouse: expected true or false, found \"perhaps\""),
            ("window = 0", "line 1: window: expected a number above 0, as 200000 or 200k, found \"0\""),
            ("window = [1]", "line 1: window: expected a number above 0, as 200000 or 200k"),
            (
                "pictures = 'kity'",
                "line 1: pictures: there is no choice \"kity\"; did you mean \"kitty\"? (choices: auto, kitty, sixel, iterm2, blocks, off)",
            ),
        ] {
            let faults = Settings::default().with_file(text).expect_err(text);
            assert_eq!(faults.iter().map(Fault::to_string).collect::<Vec<_>>(), [expected]);
        }
        let fault = Settings::default().with_argument("window", "many").expect_err("no number");
        assert_eq!(fault.to_string(), "window: expected a number above 0, as 200000 or 200k, found \"many\"");
    }
}
