//! Where the user's files lie, and how they are read: config, keys, themes. Nothing is ever created.

use std::fmt;
use std::io::Read;
use std::path::{Path, PathBuf};

use directories::ProjectDirs;

use crate::config::{Fault, Keymap, Origin, SHIPPED, Settings, Theme, nearest};

/// A longer file was not written by hand.
const FILE_MAX: u64 = 1 << 20;
/// Themes of the user that are looked at.
const THEMES_MAX: usize = 200;

/// What the user chose.
#[derive(Clone, Debug)]
pub struct Preferences {
    /// The settings.
    pub settings: Settings,
    /// What keys do.
    pub keymap: Keymap,
    /// The config file, where there is one.
    pub file: Option<PathBuf>,
    /// The keys file, where there is one.
    pub keys_file: Option<PathBuf>,
    /// The folder that themes of the user would lie in.
    pub themes: Option<PathBuf>,
}

/// What the environment says about the terminal's looks.
#[derive(Clone, Debug, Default)]
pub struct Ground {
    /// Whether colours are unwanted (`NO_COLOR`, `--color never`): then no theme has any.
    pub no_color: bool,
    /// Whether the ground is light, where that is known.
    pub light: Option<bool>,
}

/// Why the user's files could not be taken.
#[derive(Debug, thiserror::Error)]
pub enum PreferencesError {
    /// A file could not be read.
    #[error("cannot read {}: {why}", path.display())]
    Read {
        /// Which one.
        path: PathBuf,
        /// The system's words.
        why: std::io::Error,
    },
    /// A file says what cannot be.
    #[error("{}", Located(.path, .faults))]
    Wrong {
        /// Which one.
        path: PathBuf,
        /// Everything that is wrong with it.
        faults: Vec<Fault>,
    },
    /// An argument says what cannot be.
    #[error("{0}")]
    Argument(Fault),
    /// There is no such theme.
    #[error("there is no theme {name:?}; there are {known}")]
    NoTheme {
        /// The name as given.
        name: String,
        /// The names there are.
        known: String,
    },
}

struct Located<'a>(&'a Path, &'a [Fault]);

impl fmt::Display for Located<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, fault) in self.1.iter().enumerate() {
            let gap = if at > 0 { "\n" } else { "" };
            write!(out, "{gap}{}: {fault}", self.0.display())?;
        }
        Ok(())
    }
}

impl Ground {
    /// As the environment says it: `NO_COLOR`, and `COLORFGBG`, whose last number is the ground.
    #[must_use]
    pub fn from_environment() -> Ground {
        let set = |name| std::env::var(name).ok().filter(|value| !value.is_empty());
        let light = set("COLORFGBG").and_then(|value| light_of(&value));
        Ground { no_color: set("NO_COLOR").is_some(), light }
    }
}

fn light_of(colours: &str) -> Option<bool> {
    let ground: u8 = colours.rsplit(';').next()?.parse().ok()?;
    Some(matches!(ground, 7 | 9..=15))
}

/// The folder that the config file, `keys.toml` and `themes` lie in, unless `--config` names another file.
#[must_use]
pub fn config_folder() -> Option<PathBuf> {
    ProjectDirs::from("", "", "windowpane").map(|places| places.config_dir().to_owned())
}

/// Reads what the user chose: defaults, the config file (`named`, or `config.toml` in `folder`), `arguments` over
/// both, then the keys file. The theme is read where it is wanted ([`Preferences::theme`]).
///
/// # Errors
/// A file that is named but cannot be read, and everything that is wrong in any of them.
pub fn preferences(
    named: Option<&Path>,
    folder: Option<&Path>,
    arguments: &[(&str, &str)],
) -> Result<Preferences, PreferencesError> {
    let standard = folder.map(|folder| folder.join("config.toml"));
    let file = named.map(Path::to_owned).or_else(|| standard.filter(|path| path.is_file()));
    let mut settings = Settings::default();
    if let Some(path) = &file {
        settings = settings.with_file(&read(path)?).map_err(|faults| wrong(path, faults))?;
    }
    // What a file names lies beside it; what an argument names lies where the user stands.
    let beside = file.as_deref().and_then(Path::parent);
    let Settings { keys, models, prices, embedding_models, embedding_onnxruntime, .. } = &mut settings;
    for path in [keys, models, prices, embedding_models, embedding_onnxruntime].into_iter().flatten() {
        *path = resolve(beside, path).display().to_string();
    }
    for (key, value) in arguments {
        settings = settings.with_argument(key, value).map_err(PreferencesError::Argument)?;
    }
    let standard = folder.map(|folder| folder.join("keys.toml"));
    let keys_file = settings.keys.as_ref().map(PathBuf::from).or_else(|| standard.filter(|path| path.is_file()));
    let keymap = match &keys_file {
        Some(path) => Keymap::with_file(&read(path)?).map_err(|faults| wrong(path, faults))?,
        None => Keymap::default(),
    };
    let themes = folder.map(|folder| folder.join("themes"));
    Ok(Preferences { settings, keymap, file, keys_file, themes })
}

impl Preferences {
    /// The look.
    ///
    /// # Errors
    /// Where there is none of the name that is set, or it is wrong.
    pub fn theme(&self, ground: &Ground) -> Result<Theme, PreferencesError> {
        theme(&self.settings.theme, self.themes.as_deref(), ground).map_err(|error| match error {
            PreferencesError::NoTheme { .. } => self.wrong("theme", error.to_string()),
            other => other,
        })
    }

    /// What is the matter with a setting's value, at the place in the config file where it is set.
    #[must_use]
    pub fn wrong(&self, key: &str, message: impl Into<String>) -> PreferencesError {
        let from_file = self.file.as_ref().filter(|_| self.settings.origin(key) == Origin::File);
        match from_file.and_then(|path| Some((path, read(path).ok()?))) {
            Some((path, text)) => wrong(path, vec![Settings::fault(&text, key, message)]),
            None => PreferencesError::Argument(Fault { line: 0, path: key.to_owned(), message: message.into() }),
        }
    }
}

/// The theme of that name: a file of the user's before a shipped one; `auto` chooses by the ground. Where colours are
/// unwanted it is the one without, whatever the name.
///
/// # Errors
/// Where there is none, or it is wrong.
pub fn theme(name: &str, themes: Option<&Path>, ground: &Ground) -> Result<Theme, PreferencesError> {
    let name = match name {
        _ if ground.no_color => "no-color",
        "auto" if ground.light == Some(true) => "light",
        "auto" => "dark",
        other => other,
    };
    let plain = !name.contains(['/', '\\', '\0']) && name != "..";
    let own = themes.map(|folder| folder.join(format!("{name}.toml"))).filter(|path| plain && path.is_file());
    if let Some(path) = own {
        return Theme::parse(name, &read(&path)?).map_err(|faults| wrong(&path, faults));
    }
    Theme::shipped(name).ok_or_else(|| {
        let names = theme_names(themes);
        let near = nearest(name, names.iter().map(String::as_str)).map(|near| format!("; did you mean {near:?}?"));
        PreferencesError::NoTheme { name: name.to_owned(), known: names.join(", ") + &near.unwrap_or_default() }
    })
}

/// The themes there are: the shipped ones, then the user's own.
#[must_use]
pub fn theme_names(themes: Option<&Path>) -> Vec<String> {
    let mut own: Vec<String> = themes
        .and_then(|folder| std::fs::read_dir(folder).ok())
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| Some(entry.file_name().to_str()?.strip_suffix(".toml")?.to_owned()))
        .filter(|name| !SHIPPED.iter().any(|(shipped, _)| shipped == name))
        .take(THEMES_MAX)
        .collect();
    own.sort();
    SHIPPED.iter().map(|(name, _)| (*name).to_owned()).chain(own).collect()
}

fn resolve(beside: Option<&Path>, path: &str) -> PathBuf {
    if let Some(rest) = path.strip_prefix("~/")
        && let Some(places) = directories::BaseDirs::new()
    {
        return places.home_dir().join(rest);
    }
    beside.map_or_else(|| PathBuf::from(path), |folder| folder.join(path))
}

fn wrong(path: &Path, faults: Vec<Fault>) -> PreferencesError {
    PreferencesError::Wrong { path: path.to_owned(), faults }
}

fn read(path: &Path) -> Result<String, PreferencesError> {
    let failed = |why| PreferencesError::Read { path: path.to_owned(), why };
    let file = std::fs::File::open(path).map_err(failed)?;
    let mut text = String::new();
    file.take(FILE_MAX + 1).read_to_string(&mut text).map_err(failed)?;
    if text.len() as u64 > FILE_MAX {
        return Err(failed(std::io::Error::other("it is larger than 1 MiB")));
    }
    Ok(text)
}

#[cfg(test)]
#[path = "settings_tests.rs"]
mod tests;
