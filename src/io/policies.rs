//! Policies by name: a preset, or a file of the user's.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::policy::{Fault, Origins, Policy, Variants, preset, read_noted};

/// A longer file was not written by hand.
const FILE_MAX: u64 = 1 << 20;

/// Why a policy cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum PolicyError {
    /// The file cannot be read.
    #[error("cannot read {name}: {why}")]
    Read {
        /// The file.
        name: String,
        /// The system's words.
        why: std::io::Error,
    },
    /// There is no such preset, or the file says what cannot be.
    #[error("{}", listed(.name, .faults))]
    Wrong {
        /// The file; empty for a preset.
        name: String,
        /// Everything that is wrong with it.
        faults: Vec<Fault>,
    },
}

fn listed(name: &str, faults: &[Fault]) -> String {
    let place = if name.is_empty() { String::new() } else { format!("{name}: ") };
    let lines: Vec<String> = faults.iter().map(|fault| format!("{place}{fault}")).collect();
    lines.join("\n")
}

/// The file that a name means, and the profile of it: `FILE.toml` or `FILE.toml/PROFILE`; `None` for a preset's name.
fn file_of(name: &str) -> Option<(&str, Option<&str>)> {
    let is_file = |name: &str| Path::new(name).extension().is_some_and(|ending| ending.eq_ignore_ascii_case("toml"));
    if is_file(name) {
        return Some((name, None));
    }
    let profile = name.rsplit_once('/').filter(|(file, _)| is_file(file)).map(|(file, profile)| (file, Some(profile)));
    // A pipe has no ending (`--policy <(…)` in a shell), and standard input no name.
    profile.or_else(|| (name == "-" || Path::new(name).is_absolute()).then_some((name, None)))
}

/// A preset (`NAME`, `NAME/PROFILE`, `NAME@VERSION`), or the file of that name where it ends in `.toml` or is a whole
/// path, or a profile of it; `-` is standard input. `version` is that of the agent, for presets whose figures changed between versions. With it comes where its
/// figures are from.
///
/// # Errors
/// A file that cannot be read, and everything that is wrong with the policy.
pub fn policy_named(name: &str, version: Option<&str>) -> Result<(Policy, Origins), PolicyError> {
    let Some((file, profile)) = file_of(name) else {
        let wrong = |faults: Vec<Fault>| PolicyError::Wrong {
            name: String::new(),
            faults: faults.into_iter().map(or_the_file).collect(),
        };
        return preset(name, version).map_err(wrong);
    };
    let text = policy_text(file)?;
    read_noted(&text, version, profile).map_err(|faults| PolicyError::Wrong { name: name.to_owned(), faults })
}

/// Where no preset has a name and a policy file has, that file is what was meant.
fn or_the_file(fault: Fault) -> Fault {
    match fault {
        Fault::UnknownPreset { name, .. } if Path::new(&format!("{name}.toml")).is_file() => {
            Fault::UnknownPreset { nearest: Some(format!("{name}.toml")), name }
        }
        other => other,
    }
}

/// The bands of versions and the profiles of the policy of that name.
///
/// # Errors
/// A file that cannot be read.
pub fn variants_named(name: &str) -> Result<Variants, PolicyError> {
    match file_of(name) {
        None => Ok(Variants::of_preset(name)),
        Some((file, profile)) => Ok(Variants::of(&policy_text(file)?, profile)),
    }
}

/// Where a policy has a setting from: its file and the line that sets it, or a preset. `None` for the line where the
/// file has it from the preset that it names, or from the defaults.
#[must_use]
pub fn set_in(name: &str, key: &str) -> (String, Option<u32>) {
    match file_of(name) {
        None => (format!("preset {name}"), None),
        Some((file, _)) => (file.to_owned(), policy_text(file).ok().and_then(|text| line_of(&text, key))),
    }
}

/// What a policy file starts from, by its text: the preset that it names, and that name; else the defaults.
#[must_use]
pub fn base_in(text: &str, version: Option<&str>) -> (Policy, Option<String>) {
    let table: Option<toml::Table> = toml::from_str(text).ok();
    let named = table.as_ref().and_then(|table| table.get("preset")?.as_str());
    let base = named.and_then(|name| Some((preset(name, version).ok()?.0, Some(name.to_owned()))));
    base.unwrap_or_default()
}

/// What the policy of a name starts from: that which a file does, see [`base_in`], and a preset from itself.
#[must_use]
pub fn base_of(name: &str, version: Option<&str>) -> (Policy, Option<String>) {
    match file_of(name) {
        None => preset(name, version).map(|(policy, _)| (policy, Some(name.to_owned()))).unwrap_or_default(),
        Some((file, _)) => policy_text(file).map(|text| base_in(&text, version)).unwrap_or_default(),
    }
}

/// The line, from 1, of a policy file that sets a key outside of its bands and profiles.
#[must_use]
pub fn line_of(text: &str, key: &str) -> Option<u32> {
    let (section, name) = key.split_once('.')?;
    let mut table = String::new();
    for (line, words) in (1u32..).zip(text.lines().map(str::trim)) {
        if let Some(header) = words.strip_prefix('[') {
            table = header.split(']').next().unwrap_or_default().trim().to_owned();
            continue;
        }
        let Some((left, _)) = words.split_once('=').filter(|_| !words.starts_with('#')) else { continue };
        let left: String = left.chars().filter(|sign| !matches!(sign, ' ' | '\t' | '"' | '\'')).collect();
        if (table == section && left == name) || (table.is_empty() && left == key) {
            return Some(line);
        }
    }
    None
}

/// The text of a policy file; `-` is standard input.
///
/// # Errors
/// Where it cannot be read, is no text, or is longer than any file written by hand.
pub fn policy_text(name: &str) -> Result<String, PolicyError> {
    let refused = |why| PolicyError::Read { name: name.to_owned(), why };
    let once = name == "-" || std::fs::metadata(name).is_ok_and(|about| !about.is_file());
    if once && let Some(text) = streams().get(name) {
        return Ok(text.clone());
    }
    let mut text = String::new();
    let mut take = |from: &mut dyn Read| from.take(FILE_MAX + 1).read_to_string(&mut text);
    let taken = match name {
        "-" => take(&mut std::io::stdin().lock()),
        _ => std::fs::File::open(name).and_then(|mut file| take(&mut file)),
    };
    taken.map_err(refused)?;
    if text.len() as u64 > FILE_MAX {
        return Err(refused(std::io::Error::other("it is longer than any policy")));
    }
    if once {
        streams().insert(name.to_owned(), text.clone());
    }
    Ok(text)
}

/// What pipes held: they are read once, and a policy is asked for again with each version of an agent.
fn streams() -> MutexGuard<'static, BTreeMap<String, String>> {
    static STREAMS: Mutex<BTreeMap<String, String>> = Mutex::new(BTreeMap::new());
    STREAMS.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_named_without_its_ending_is_what_was_meant() {
        let folder = tempfile::tempdir().expect("a folder");
        let own = folder.path().join("none-such");
        std::fs::write(own.with_extension("toml"), "").expect("a file");
        let of = |name: &str| or_the_file(Fault::UnknownPreset { name: name.to_owned(), nearest: None }).to_string();
        assert!(of(&own.to_string_lossy()).ends_with("none-such.toml\"?"));
        assert_eq!(of("none-such"), "there is no preset \"none-such\"");
    }

    #[test]
    fn a_policy_starts_from_the_preset_that_it_names() {
        let (none, named) = base_in("[summarise]\non = true\n", None);
        assert_eq!((none, named), (Policy::default(), None));
        let (base, named) = base_in("preset = \"claude-code\"\n[summarise]\non = false\n", None);
        assert!(base.summarise.on && named.as_deref() == Some("claude-code"));
        assert_eq!(base_of("claude-code", None), (base, named));
        assert_eq!(base_in("preset = \"none-such\"", None).1, None);
    }

    #[test]
    fn the_line_that_sets_a_key_is_that_of_the_file_itself() {
        let text = "preset = \"five-layer\"\ncache.boundary = false\n\n[tool_results]\n# on = true\non = false\n\n\
                    [profile.long.summarise]\nat = \"90%\"\n";
        let line = |key: &str| line_of(text, key);
        assert_eq!((line("cache.boundary"), line("tool_results.on")), (Some(2), Some(6)));
        assert_eq!((line("summarise.at"), line("tool_results.keep"), line("on")), (None, None, None));
    }
}
