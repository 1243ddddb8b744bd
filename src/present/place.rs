//! A place in a session that can be linked to: `--at step=41,view=window,entry=412`.

use std::fmt;
use std::str::FromStr;

use crate::policy::{PRESETS, named};

/// Names of what can be looked at.
pub const VIEWS: &[&str] = &[
    "timeline",
    "layers",
    "window",
    "entry",
    "events",
    "difference",
    "compaction",
    "tune",
    "compare",
    "sweep",
    "memory",
];

/// Names of what a side of a comparison shows beside presets: what was recorded, and the policy that is tried.
pub const SIDES: [&str; 2] = ["recorded", "tried"];

/// A place in a session. What is not given is where the session opens by itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The thread: 0 is the session itself, the others its subagents.
    pub thread: Option<u32>,
    /// The step, from 1.
    pub step: Option<u32>,
    /// One of [`VIEWS`].
    pub view: Option<&'static str>,
    /// An entry's id.
    pub entry: Option<u32>,
    /// What the sides of a comparison show: one of [`SIDES`], or a preset.
    pub left: Option<&'static str>,
    /// See `left`.
    pub right: Option<&'static str>,
    /// Settings that are swept, by key.
    pub vary: Vec<&'static str>,
}

impl FromStr for Place {
    type Err = String;

    fn from_str(text: &str) -> Result<Place, String> {
        let mut place = Place::default();
        for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
            let (key, value) = part.split_once('=').ok_or_else(|| format!("{part:?} is not of the form key=value"))?;
            let number = || value.parse::<u32>().map_err(|_| format!("{key}={value:?} is no number"));
            match key {
                "thread" => place.thread = Some(number()?),
                "step" => place.step = Some(number()?),
                "entry" => place.entry = Some(number()?),
                "left" => place.left = Some(side(value)?),
                "right" => place.right = Some(side(value)?),
                "vary" => {
                    for key in value.split('+') {
                        let setting = named(key).ok_or_else(|| format!("there is no setting {key:?}"))?;
                        place.vary.push(setting.key);
                    }
                }
                "view" => {
                    let known = VIEWS.iter().find(|view| **view == value);
                    let known =
                        known.ok_or_else(|| format!("there is no view {value:?}; there are {}", VIEWS.join(", ")))?;
                    place.view = Some(known);
                }
                _ => {
                    return Err(format!(
                        "there is no {key:?} in a place; there are step, view, entry, thread, left, right, vary"
                    ));
                }
            }
        }
        Ok(place)
    }
}

/// What a side of a comparison shows, by its name.
fn side(name: &str) -> Result<&'static str, String> {
    let known = || SIDES.into_iter().chain(PRESETS.iter().map(|preset| preset.name));
    let all = || known().collect::<Vec<_>>().join(", ");
    known().find(|known| *known == name).ok_or_else(|| format!("there is no side {name:?}; there are {}", all()))
}

impl fmt::Display for Place {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = [
            self.thread.filter(|thread| *thread > 0).map(|thread| format!("thread={thread}")),
            self.step.map(|step| format!("step={step}")),
            self.view.map(|view| format!("view={view}")),
            self.entry.map(|entry| format!("entry={entry}")),
            self.left.map(|side| format!("left={side}")),
            self.right.map(|side| format!("right={side}")),
            (!self.vary.is_empty()).then(|| format!("vary={}", self.vary.join("+"))),
        ];
        out.write_str(&parts.into_iter().flatten().collect::<Vec<_>>().join(","))
    }
}

/// A word that any shell takes as it is; what could steer a terminal is made visible.
#[must_use]
pub fn shell_word(word: &str) -> String {
    let word = super::safe(word);
    let plain = |sign: char| sign.is_ascii_alphanumeric() || "_-./=,+:@%".contains(sign);
    match !word.is_empty() && word.chars().all(plain) {
        true => word.into_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_parsed_and_printed() {
        for text in [
            "step=41,view=window,entry=412",
            "thread=2,step=1",
            "view=difference",
            "",
            "view=compare,left=codex,right=tried",
            "view=sweep,vary=summarise.at+summarise.by",
        ] {
            assert_eq!(text.parse::<Place>().map(|place| place.to_string()).as_deref(), Ok(text));
        }
        for wrong in ["41", "step=x", "step=-1", "view=nowhere", "row=3", "left=nobody", "vary=x", "step=99999999999"] {
            assert!(wrong.parse::<Place>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn words_are_quoted_where_a_shell_would_read_them_otherwise() {
        assert_eq!(shell_word("/a/b-c.jsonl"), "/a/b-c.jsonl");
        assert_eq!(shell_word("my file's.jsonl"), r"'my file'\''s.jsonl'");
        assert_eq!(shell_word(""), "''");
        assert!(!shell_word("a\n\x1b[2J; rm").contains(['\n', '\x1b']));
    }
}
