//! A policy as TOML, whole, with the meaning and origin of every figure; and the table of all settings.

use std::fmt::Write as _;

use super::value::Value;
use super::{Origins, Policy, SECTIONS, Setting, Variants, origin, settings};

/// A policy as a file that reads back to the same policy, with where its figures are from, its bands of versions and
/// its profiles. With `whole` every setting is written, else what differs from the defaults.
#[must_use]
pub fn show(policy: &Policy, origins: &Origins, variants: &Variants, whole: bool) -> String {
    let defaults = Policy::default();
    let mut text = String::new();
    let mut told = Vec::new();
    for (section, about, settings) in SECTIONS {
        let written: Vec<&Setting> =
            settings.iter().filter(|setting| whole || (setting.get)(policy) != (setting.get)(&defaults)).collect();
        if written.is_empty() {
            continue;
        }
        let gap = if text.is_empty() { "" } else { "\n" };
        // Writing into a string cannot fail.
        let _ = write!(text, "{gap}#{about}\n[{section}]\n");
        for setting in written {
            let line = format!("{} = {}", setting.name(), (setting.get)(policy));
            let from = origins.get(setting.key).map(|origin| format!("{}: {}", origin.evidence.name(), origin.from));
            // A comment alone for what a default is from: read back, it is the default's again.
            let note = match origin(setting, policy, origins) {
                Some(origin) => format!("{}: {}", origin.evidence.name(), origin.from),
                None => setting.meaning.trim().to_owned(),
            };
            let _ = writeln!(text, "{line:<40} # {}", note.replace(['\n', '\r'], " "));
            told.extend(from.map(|from| (setting.key.to_owned(), from)));
        }
    }
    write_origins(&mut text, "\n[origin]", &told);
    text.push_str(&variants.toml());
    text
}

/// Where figures are from, as a table of a policy's file: a comment would not be read back.
pub(super) fn write_origins(text: &mut String, head: &str, origins: &[(String, String)]) {
    if origins.is_empty() {
        return;
    }
    // Writing into a string cannot fail.
    let _ = writeln!(text, "{head}");
    for (key, from) in origins {
        let _ = writeln!(text, "{} = {}", Value::Text(key.clone()), Value::Text(from.clone()));
    }
}

/// Every setting with its default, one a row: key, kind, default, unit, allowed, follows, source, meaning.
pub fn keys() -> impl Iterator<Item = [String; 8]> {
    settings().map(|setting| {
        [
            setting.key.to_owned(),
            setting.kind.name().to_owned(),
            setting.default().to_string(),
            setting.unit.to_owned(),
            setting.allowed(),
            setting.follows.name().to_owned(),
            setting.source.to_owned(),
            setting.meaning.trim().to_owned(),
        ]
    })
}
