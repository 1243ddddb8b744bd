//! Why a policy is refused: which key, what it may be, and which name was probably meant.

use thiserror::Error;

/// Why a policy or a setting is refused.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Fault {
    /// The file is not TOML.
    #[error("not TOML: {0}")]
    Syntax(String),
    /// There is no such setting.
    #[error("there is no setting {key:?}{}", near(nearest.as_deref()))]
    UnknownKey {
        /// The key as given.
        key: String,
        /// The nearest that there is.
        nearest: Option<String>,
    },
    /// The value is of the wrong type or out of range.
    #[error("{key} = {value}: {why} (allowed: {allowed})")]
    Value {
        /// The setting's key.
        key: &'static str,
        /// The value as given.
        value: String,
        /// What is the matter with it.
        why: String,
        /// What it may be.
        allowed: String,
    },
    /// One setting leaves another no sense.
    #[error("{key} = {value} is too much for {other} = {against} (allowed: at most {most})")]
    Pair {
        /// The setting's key.
        key: &'static str,
        /// Its value.
        value: u64,
        /// The key of the other.
        other: &'static str,
        /// The other's value.
        against: u64,
        /// The most that it may be beside that.
        most: u64,
    },
    /// There is no such preset.
    #[error("there is no preset {name:?}{}", near(nearest.as_deref()))]
    UnknownPreset {
        /// The name as given.
        name: String,
        /// The nearest that there is.
        nearest: Option<String>,
    },
    /// There is no such profile.
    #[error("there is no profile {name:?}{}{}", of_preset(preset.as_deref()), near(nearest.as_deref()))]
    UnknownProfile {
        /// The preset; `None` where it is that of a file.
        preset: Option<String>,
        /// The name as given.
        name: String,
        /// The nearest that there is.
        nearest: Option<String>,
    },
    /// A version of a preset that it cannot have.
    #[error("{name}@{version}: {}", no_version(name, version, *known))]
    Version {
        /// The preset.
        name: String,
        /// The version as given.
        version: String,
        /// Whether its figures differ by version at all.
        known: bool,
    },
    /// Something that a file says beside its settings is not of the right shape.
    #[error("{place}: {why}")]
    Part {
        /// Which part of the file.
        place: String,
        /// What is the matter with it.
        why: String,
    },
    /// A fault within a band of versions, a profile or the origins.
    #[error("{place}: {fault}")]
    Within {
        /// Which part of the file.
        place: String,
        /// The fault.
        fault: Box<Fault>,
    },
    /// A `--set` without `=`.
    #[error("{0:?} is not KEY=VALUE")]
    NotAnAssignment(String),
    /// A file names itself, or presets name each other.
    #[error("presets are nested too deep at {0:?}")]
    TooDeep(String),
}

fn no_version(name: &str, version: &str, known: bool) -> String {
    match known {
        true => format!("{version:?} is no version, as 2.1.20"),
        false => format!("the figures of {name} are the same in every version"),
    }
}

fn of_preset(name: Option<&str>) -> String {
    name.map_or_else(String::new, |name| format!(" of the preset {name:?}"))
}

fn near(nearest: Option<&str>) -> String {
    nearest.map_or_else(String::new, |name| format!("; did you mean {name:?}?"))
}

/// The name most like a given one, where one is like it at all.
pub(super) fn nearest_of<'a>(given: &str, names: impl Iterator<Item = &'a str>) -> Option<String> {
    let given: String = given.chars().take(80).collect::<String>().to_lowercase();
    let names: Vec<&str> = names.collect();
    // Whoever typed the beginning of a name meant it, however long it goes on.
    let begun = names.iter().filter(|name| given.chars().count() > 2 && name.starts_with(&given));
    if let Some(name) = begun.min_by_key(|name| name.len()) {
        return Some((*name).to_owned());
    }
    // A setting's own name without its section, and that as it may be mistyped.
    let own = names.iter().filter_map(|name| Some((distance(&given, name.rsplit_once('.')?.1), *name)));
    let own = own.min_by_key(|(distance, _)| *distance).filter(|(distance, _)| distance * 4 <= given.len());
    if let Some((_, name)) = own {
        return Some(name.to_owned());
    }
    names
        .into_iter()
        .map(|name| (distance(&given, name), name))
        .min()
        .filter(|(distance, name)| *distance <= name.len().max(given.len()) / 2)
        .map(|(_, name)| name.to_owned())
}

/// Edits from one word to another: letters changed, put in, left out, or swapped with a neighbour.
fn distance(one: &str, other: &str) -> usize {
    let (one, other): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=other.len()).collect();
    for (row, sign) in one.iter().enumerate() {
        let mut now = vec![row + 1; other.len() + 1];
        for (column, against) in other.iter().enumerate() {
            let change = last[column] + usize::from(sign != against);
            let mut least = change.min(last[column + 1] + 1).min(now[column] + 1);
            let swapped = row > 0 && column > 0 && one[row - 1] == *against && other[column - 1] == *sign;
            if swapped {
                least = least.min(before[column - 1] + 1);
            }
            now[column + 1] = least;
        }
        before = std::mem::replace(&mut last, now);
    }
    last[other.len()]
}
