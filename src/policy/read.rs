//! TOML and `--set` into a policy: everything unknown or out of range is refused with its key's path.

use super::fault::nearest_of;
use super::preset::{MAX_NESTING, Origins, PRESETS, Preset, apply, noted};
use super::value::Value;
use super::variants::{check, drop_copies};
use super::{Fault, Policy, SECTIONS, Setting, settings};

/// The setting of that key.
#[must_use]
pub fn named(key: &str) -> Option<&'static Setting> {
    let (section, _) = key.split_once('.')?;
    let (_, _, settings) = SECTIONS.iter().find(|(name, ..)| *name == section)?;
    settings.iter().find(|setting| setting.key == key)
}

/// The key most like a given one.
#[must_use]
pub fn nearest(key: &str) -> Option<String> {
    nearest_of(key, settings().map(|setting| setting.key))
}

pub(super) fn put(policy: &mut Policy, key: &str, value: &Value) -> Result<&'static Setting, Fault> {
    let setting = named(key).ok_or_else(|| Fault::UnknownKey { key: key.to_owned(), nearest: nearest(key) })?;
    (setting.set)(policy, value).map_err(|why| Fault::Value {
        key: setting.key,
        value: value.to_string(),
        why,
        allowed: setting.allowed(),
    })?;
    Ok(setting)
}

/// Applies one `KEY=VALUE`.
///
/// # Errors
/// Where it is no assignment, the key is unknown, or the value is not allowed.
pub fn set(policy: &mut Policy, assignment: &str) -> Result<(), Fault> {
    let (key, text) =
        assignment.split_once('=').ok_or_else(|| Fault::NotAnAssignment(assignment.chars().take(200).collect()))?;
    let key = key.trim();
    let setting = named(key).ok_or_else(|| Fault::UnknownKey { key: key.to_owned(), nearest: nearest(key) })?;
    put(policy, key, &Value::from_argument(text, setting.kind)).map(|_| ())
}

/// Refuses settings of which one leaves the other no sense, once all are made.
///
/// # Errors
/// The first such pair.
pub fn paired(policy: &Policy) -> Result<(), Fault> {
    let (chunks, most) = (&policy.chunks, policy.chunks.settings().shared());
    if chunks.overlap <= most {
        return Ok(());
    }
    let (value, against) = (chunks.overlap, chunks.window);
    Err(Fault::Pair { key: "chunks.overlap", value, other: "chunks.window", against, most })
}

/// Reads a policy file: `preset = "NAME"` (else every setting's default), then what differs from it.
///
/// `version` chooses among a preset's version bands, see [`preset`](super::preset). All faults are reported, not the first alone.
///
/// # Errors
/// Every fault found.
pub fn read(text: &str, version: Option<&str>) -> Result<Policy, Vec<Fault>> {
    read_noted(text, version, None).map(|(policy, _)| policy)
}

/// The same in one of the file's profiles, with where each figure is said to be from: by the preset that is named, or
/// by the file itself.
///
/// # Errors
/// Every fault found.
pub fn read_noted(text: &str, version: Option<&str>, profile: Option<&str>) -> Result<(Policy, Origins), Vec<Fault>> {
    let mut table: toml::Table =
        toml::from_str(text).map_err(|why| vec![Fault::Syntax(why.to_string().trim().to_owned())])?;
    drop_copies(&mut table);
    // Bands and profiles that are not asked for are none the less wrong.
    let mut faults = check(&table);
    let read = noted(|policy, note| {
        apply(policy, &table, version, profile, MAX_NESTING, note)?;
        paired(policy).map_err(|fault| vec![fault])
    });
    match read {
        Ok(read) if faults.is_empty() => Ok(read),
        Ok(_) => Err(faults),
        Err(more) => {
            let known: Vec<String> = faults.iter().map(Fault::to_string).collect();
            let new = |fault: &Fault| !known.iter().any(|known| known.ends_with(&fault.to_string()));
            faults.extend(more.into_iter().filter(new));
            Err(faults)
        }
    }
}

/// The preset of a name, without its profile or version (`memory-harness/coding`, `claude-code@2.1.20`).
pub(super) fn find_preset(name: &str) -> Result<&'static Preset, Fault> {
    PRESETS.iter().find(|preset| preset.name == name).ok_or_else(|| Fault::UnknownPreset {
        name: name.chars().take(80).collect(),
        nearest: nearest_of(name, PRESETS.iter().map(|preset| preset.name)),
    })
}
