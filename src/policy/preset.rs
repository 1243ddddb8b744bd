//! Named policies, compiled in: what each decides, and where each figure is from.

use std::collections::BTreeMap;

use crate::model::Version;

use super::read::{find_preset, put};
use super::value::Value;
use super::variants::{BESIDE, wrong};
use super::{Fault, Policy};

/// A named policy.
pub struct Preset {
    /// Its name.
    pub name: &'static str,
    /// What it is a policy of, in one sentence.
    pub about: &'static str,
    /// Its file.
    pub toml: &'static str,
}

/// The first and the last version of a band; `None` for all before or after.
pub type Band = (Option<String>, Option<String>);

impl Preset {
    /// Names of its profiles (`NAME/PROFILE`), and the version bands whose figures differ (from and to, both included).
    #[must_use]
    pub fn variants(&self) -> (Vec<String>, Vec<Band>) {
        let table: toml::Table = toml::from_str(self.toml).unwrap_or_default();
        let profiles = table.get("profiles").and_then(toml::Value::as_table);
        let bands = table.get("versions").and_then(toml::Value::as_array).map(Vec::as_slice).unwrap_or_default();
        let edge = |band: &toml::Value, name: &str| band.get(name).and_then(toml::Value::as_str).map(str::to_owned);
        let bands = bands.iter().map(|band| (edge(band, "from"), edge(band, "to"))).collect();
        (profiles.map(|found| found.keys().cloned().collect()).unwrap_or_default(), bands)
    }
}

macro_rules! presets {
    ($( $name:literal, $about:literal; )*) => {
        /// Every preset, in the order in which they are listed.
        pub static PRESETS: &[Preset] = &[ $( Preset {
            name: $name,
            about: $about,
            toml: include_str!(concat!("presets/", $name, ".toml")),
        }, )* ];
    };
}

presets! {
    "harness-course", "Source 1: long documents by sections or by the chunks nearest to the task.";
    "harness-course-code", "Source 1's public implementation, which differs from its text in its figures.";
    "memory-harness", "Source 2: memories ingested, packed into a budget, preserved before compaction.";
    "internal-agent", "Source 3: large results and messages become virtual files; compaction at 80 %.";
    "aixtools", "Source 4: files cut to the limits of their format; history summarised over 120,000 tokens.";
    "five-layer", "Source 5: truncate, microcompact, summarise, reactive compact, collapse; cheapest first.";
    "claude-code", "Claude Code, by version.";
    "codex", "Codex: compaction at 90 % of the raw window, the newest user messages kept.";
    "gemini-cli", "Gemini CLI: compresses at half of the window, keeps the last 30 %.";
    "opencode", "OpenCode 1: prunes old tool output, then summarises near the end of the window.";
    "openhands", "OpenHands V1: condenses by number of events.";
    "langchain", "LangChain's summarisation middleware and its clearing of tool uses.";
    "pi", "Pi: compacts 16,384 tokens below the window, keeps the newest 20,000.";
    "anthropic-context-editing", "Anthropic's server-side clearing of tool uses and thinking.";
    "aider", "Aider: a history budget of a sixteenth of the window, summarised from the front.";
    "inspect", "inspect_ai: compaction at 90 % of the window, three tool uses kept.";
    "none", "The history is never cut, as by a harness without a policy; attached files keep to their limits.";
    "drop-oldest", "Source 3's first version: over the window, the oldest tool results are dropped, then the oldest turns.";
}

/// How sure a figure of a preset is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Evidence {
    /// Measured on real transcripts.
    Measured,
    /// Read in public code or documentation.
    Documented,
    /// An estimate.
    Estimated,
}

impl Evidence {
    /// Name in files and tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Evidence::Measured => "measured",
            Evidence::Documented => "documented",
            Evidence::Estimated => "estimated",
        }
    }

    pub(super) fn named(name: &str) -> Option<Evidence> {
        [Evidence::Measured, Evidence::Documented, Evidence::Estimated].into_iter().find(|one| one.name() == name)
    }
}

/// Where a figure of a preset is from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// How sure it is.
    pub evidence: Evidence,
    /// Where it is from, in words.
    pub from: String,
}

/// Where figures of a policy are from, by key.
pub type Origins = BTreeMap<String, Origin>;

/// How deep presets may name each other.
pub(super) const MAX_NESTING: u32 = 8;

/// A preset's policy with the origin of what it sets, by key. A name is `NAME`, `NAME/PROFILE` or `NAME@VERSION`.
///
/// `version` chooses among the bands of a preset's versions: a version, or `PRESET@VERSION` for one of the agent whose
/// preset that is, which is none of another preset's.
///
/// # Errors
/// Where there is no such preset, profile or version.
pub fn preset(name: &str, version: Option<&str>) -> Result<(Policy, Origins), Vec<Fault>> {
    noted(|policy, note| load(policy, name, version, MAX_NESTING, note))
}

/// Fills a policy, taking down where each figure is said to be from.
pub(super) fn noted(
    fill: impl FnOnce(&mut Policy, &mut Note) -> Result<(), Vec<Fault>>,
) -> Result<(Policy, Origins), Vec<Fault>> {
    let mut policy = Policy::default();
    let mut origins = Origins::new();
    let mut note = |key: &str, origin: Option<&str>, _: &Value| {
        let origin = origin.and_then(|text| {
            let (evidence, from) = text.split_once(':')?;
            Some(Origin { evidence: Evidence::named(evidence.trim())?, from: from.trim().to_owned() })
        });
        match origin {
            Some(origin) => origins.insert(key.to_owned(), origin),
            None => origins.remove(key),
        };
    };
    fill(&mut policy, &mut note)?;
    Ok((policy, origins))
}

/// The preset that replays what an agent of that format does by itself, else source 3's.
#[must_use]
pub fn preset_for(format_preset: &str) -> &'static str {
    find_preset(format_preset).map_or("internal-agent", |preset| preset.name)
}

/// The number of a version, without the preset of its agent.
#[must_use]
pub fn number_of(version: &str) -> &str {
    version.split_once('@').map_or(version, |(_, number)| number)
}

/// The preset of the agent whose versions the bands of a table are of: that which the table names, where its figures
/// differ by version.
pub(super) fn agent_of(table: &toml::Table) -> Option<&'static str> {
    let name = table.get("preset")?.as_str()?.split(['/', '@']).next()?;
    find_preset(name).ok().filter(|preset| !preset.variants().1.is_empty()).map(|preset| preset.name)
}

/// The number of a version for a preset: none, where it is another agent's.
fn version_for<'v>(preset: &str, version: &'v str) -> Option<&'v str> {
    let foreign = version.split_once('@').is_some_and(|(own, _)| own != preset);
    (!foreign).then(|| number_of(version))
}

pub(super) type Note<'a> = dyn FnMut(&str, Option<&str>, &Value) + 'a;

fn load(policy: &mut Policy, name: &str, version: Option<&str>, depth: u32, note: &mut Note) -> Result<(), Vec<Fault>> {
    let (name, asked) = name.split_once('@').map_or((name, None), |(name, version)| (name, Some(version)));
    let (name, profile) = name.split_once('/').map_or((name, None), |(name, profile)| (name, Some(profile)));
    let preset = find_preset(name).map_err(|fault| vec![fault])?;
    let version = asked.or_else(|| version_for(name, version?));
    if let Some(asked) = asked {
        let known = !preset.variants().1.is_empty();
        let is_version = numbered(asked);
        if !(known && is_version) {
            return Err(vec![Fault::Version {
                name: name.to_owned(),
                version: asked.chars().take(80).collect(),
                known,
            }]);
        }
    }
    let table: toml::Table =
        toml::from_str(preset.toml).map_err(|why| vec![Fault::Syntax(format!("{name}: {why}"))])?;
    apply(policy, &table, version, profile, depth, note).map_err(|mut faults| {
        for fault in &mut faults {
            if let Fault::UnknownProfile { preset: of @ None, .. } = fault {
                *of = Some(preset.name.to_owned());
            }
        }
        faults
    })
}

/// Applies a policy's table: first the preset that it names, then its settings, its version band, its profile.
pub(super) fn apply(
    policy: &mut Policy,
    table: &toml::Table,
    version: Option<&str>,
    profile: Option<&str>,
    depth: u32,
    note: &mut Note,
) -> Result<(), Vec<Fault>> {
    let mut faults = Vec::new();
    match table.get("preset") {
        None => {}
        Some(toml::Value::String(name)) if depth == 0 => return Err(vec![Fault::TooDeep(name.clone())]),
        // What else is wrong with the file is told, too.
        Some(toml::Value::String(name)) => {
            faults.extend(load(policy, name, version, depth - 1, note).err().into_iter().flatten());
        }
        Some(_) => faults.push(wrong("preset", "is no name in quotes, as preset = \"claude-code\"")),
    }
    let origin = table.get("origin").and_then(toml::Value::as_table);
    for (name, value) in table {
        match (name.as_str(), value) {
            (beside, _) if BESIDE.contains(&beside) => {}
            (section, toml::Value::Table(settings)) => {
                for (name, value) in settings {
                    one(policy, &format!("{section}.{name}"), value, origin, note, &mut faults);
                }
            }
            // Who writes a name without a section meant what stands beside them, or a setting.
            (key, _) if !key.contains('.') => faults.push(Fault::UnknownKey {
                key: key.to_owned(),
                nearest: names_a_preset(key)
                    .then(|| "preset".to_owned())
                    .or_else(|| super::fault::nearest_of(key, BESIDE.iter().copied()))
                    .or_else(|| super::nearest(key)),
            }),
            (key, value) => one(policy, key, value, origin, note, &mut faults),
        }
    }
    let bands = table.get("versions").and_then(toml::Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let own = agent_of(table);
    for band in bands.iter().filter_map(toml::Value::as_table) {
        let agent = band.get("agent").and_then(toml::Value::as_str).or(own);
        let version = version.and_then(|version| match agent {
            Some(agent) => version_for(agent, version),
            None => Some(number_of(version)),
        });
        if version.is_some_and(|version| within(band, version)) {
            part(policy, band, "set", note, &mut faults);
        }
    }
    if let Some(profile) = profile {
        let profiles = table.get("profiles").and_then(toml::Value::as_table);
        match profiles.and_then(|profiles| profiles.get(profile)).and_then(toml::Value::as_table) {
            Some(found) => part(policy, found, "set", note, &mut faults),
            None => faults.push(Fault::UnknownProfile {
                preset: None,
                name: profile.chars().take(80).collect(),
                nearest: profiles.and_then(|known| super::fault::nearest_of(profile, known.keys().map(String::as_str))),
            }),
        }
    }
    if faults.is_empty() { Ok(()) } else { Err(faults) }
}

/// Whether a key is what other files call the one that they build on.
fn names_a_preset(key: &str) -> bool {
    ["extends", "inherits", "inherit", "base", "parent", "from", "include", "policy"].contains(&key)
}

/// Applies the settings of a version band or a profile, with origins of their own.
fn part(policy: &mut Policy, table: &toml::Table, name: &str, note: &mut Note, faults: &mut Vec<Fault>) {
    let origin = table.get("origin").and_then(toml::Value::as_table);
    for (key, value) in table.get(name).and_then(toml::Value::as_table).into_iter().flatten() {
        one(policy, key, value, origin, note, faults);
    }
}

fn one(
    policy: &mut Policy,
    key: &str,
    value: &toml::Value,
    origin: Option<&toml::Table>,
    note: &mut Note,
    faults: &mut Vec<Fault>,
) {
    let Some(value) = Value::from_toml(value) else {
        faults.push(match super::named(key) {
            Some(setting) => Fault::Value {
                key: setting.key,
                value: value.to_string(),
                why: "a single value is expected".to_owned(),
                allowed: setting.allowed(),
            },
            None => Fault::UnknownKey { key: key.to_owned(), nearest: super::nearest(key) },
        });
        return;
    };
    match put(policy, key, &value) {
        Ok(_) => note(key, origin.and_then(|origin| origin.get(key)).and_then(toml::Value::as_str), &value),
        Err(fault) => faults.push(fault),
    }
}

/// Whether a version lies in a band (`from` and `to`, both included, either may be left out).
fn within(band: &toml::Table, version: &str) -> bool {
    let version = Version::of(version);
    let edge = |name: &str| band.get(name).and_then(toml::Value::as_str).map(Version::of);
    edge("from").is_none_or(|from| from <= version) && edge("to").is_none_or(|to| version <= to)
}

/// Whether a version begins with a number: `2.1.20-beta`.
fn numbered(version: &str) -> bool {
    version.bytes().next().is_some_and(|first| first.is_ascii_digit())
}
