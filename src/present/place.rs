//! A place in a session that can be linked to: `--at step=41,view=window,entry=412`.

use std::fmt::{self, Write as _};
use std::str::FromStr;

use crate::policy::{PRESETS, named};

macro_rules! views {
    ($( #[doc = $meaning:literal] $variant:ident = $name:literal, )*) => {
        /// What can be looked at, and linked to.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum View { $( #[doc = $meaning] $variant, )* }

        impl View {
            /// All of them.
            pub const ALL: &[View] = &[$( View::$variant, )*];

            /// Name in links and on the screen.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $( View::$variant => $name, )* }
            }
        }
    };
}

views! {
    /// The steps of the session.
    Timeline = "timeline",
    /// The budget by layers.
    Layers = "layers",
    /// The entries of a step.
    Window = "window",
    /// One entry's text.
    Entry = "entry",
    /// What happened at a step.
    Events = "events",
    /// What came and went since the step before.
    Difference = "difference",
    /// What each stage did at a step.
    Compaction = "compaction",
    /// The settings of a policy.
    Tune = "tune",
    /// Two tracks side by side.
    Compare = "compare",
    /// Settings moved over their values, against the facts that are kept.
    Sweep = "sweep",
    /// What a replay remembers, packs and loses.
    Memory = "memory",
    /// An attached document, and what is chosen of it.
    Documents = "documents",
    /// What became of a fact.
    Trace = "trace",
    /// What lint finds.
    Findings = "findings",
}

/// Names of what a side of a comparison shows beside presets: what was recorded, and the policy that is tried.
pub const SIDES: [&str; 2] = ["recorded", "tried"];

/// A place in a session. What is not given is where the session opens by itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The thread: 0 is the session itself, the others its subagents.
    pub thread: Option<u32>,
    /// The step, from 1.
    pub step: Option<u32>,
    /// What is looked at.
    pub view: Option<View>,
    /// An entry's id.
    pub entry: Option<u32>,
    /// What the sides of a comparison show: one of [`SIDES`], or a preset.
    pub left: Option<&'static str>,
    /// See `left`.
    pub right: Option<&'static str>,
    /// Settings that are swept, by key.
    pub vary: Vec<&'static str>,
    /// The pane of the memory view, from 1.
    pub tab: Option<u32>,
    /// The attached document, from 1.
    pub file: Option<u32>,
    /// The fact that is traced. May be untrusted.
    pub fact: Option<String>,
    /// The step at which it is asked for.
    pub needed: Option<u32>,
}

impl FromStr for Place {
    type Err = String;

    fn from_str(text: &str) -> Result<Place, String> {
        let mut place = Place::default();
        for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
            let (key, value) = part.split_once('=').ok_or_else(|| format!("{part:?} is not of the form key=value"))?;
            let number = || value.parse::<u32>().map_err(|_| format!("{key}={value:?} is no number"));
            // Panes and files are counted from 1.
            let counted = || match number() {
                Ok(0) => Err(format!("there is no {key} 0: the first is 1")),
                found => found,
            };
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
                    let known = View::ALL.iter().find(|view| view.name() == value);
                    let names = || View::ALL.iter().map(|view| view.name()).collect::<Vec<_>>().join(", ");
                    let known = known.ok_or_else(|| format!("there is no view {value:?}; there are {}", names()))?;
                    place.view = Some(*known);
                }
                "tab" => place.tab = Some(counted()?),
                "file" => place.file = Some(counted()?),
                "fact" => place.fact = Some(plain(value).ok_or_else(|| format!("{key}={value:?} is no text"))?),
                "needed" => place.needed = Some(counted()?),
                _ => {
                    return Err(format!(
                        "there is no {key:?} in a place; there are step, view, entry, thread, left, right, vary, tab, file, fact, needed"
                    ));
                }
            }
        }
        Ok(place)
    }
}

/// A text as it stands in a link: what separates, quotes or steers is written as in addresses.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte.is_ascii_alphanumeric() || b"-_.~:/@".contains(&byte) {
            true => out.push(char::from(byte)),
            false => _ = write!(out, "%{byte:02X}"),
        }
    }
    out
}

/// The text that was written so; `None` where it is none.
fn plain(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, more)) = rest.split_first() {
        rest = more;
        if *first != b'%' {
            bytes.push(*first);
            continue;
        }
        let digits = std::str::from_utf8(more.get(..2)?).ok().filter(|two| !two.contains('+'))?;
        bytes.push(u8::from_str_radix(digits, 16).ok()?);
        rest = more.get(2..)?;
    }
    String::from_utf8(bytes).ok()
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
            self.view.map(|view| format!("view={}", view.name())),
            self.entry.map(|entry| format!("entry={entry}")),
            self.left.map(|side| format!("left={side}")),
            self.right.map(|side| format!("right={side}")),
            (!self.vary.is_empty()).then(|| format!("vary={}", self.vary.join("+"))),
            self.tab.map(|tab| format!("tab={tab}")),
            self.file.map(|file| format!("file={file}")),
            self.fact.as_ref().map(|fact| format!("fact={}", escaped(fact))),
            self.needed.map(|step| format!("needed={step}")),
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
            "step=7,view=trace,fact=~a%20b%2C%20100%25%0A%C3%A9",
            "view=trace,fact=key,needed=3",
            "view=documents,file=2",
            "view=memory,tab=3",
        ] {
            assert_eq!(text.parse::<Place>().map(|place| place.to_string()).as_deref(), Ok(text));
        }
        for wrong in [
            "41",
            "step=x",
            "step=-1",
            "view=nowhere",
            "row=3",
            "left=nobody",
            "vary=x",
            "step=99999999999",
            "view=memory,tab=0",
            "view=documents,file=0",
            "fact=%",
            "fact=%zz",
            "fact=%FF",
        ] {
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
