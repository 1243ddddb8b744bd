//! What a policy's file says beside its settings: the bands of versions and the profiles in which some of them differ,
//! and where figures are from. Read whole, so that it can be checked and written out again.

use std::fmt::Write as _;

use super::preset::{Evidence, MAX_NESTING, PRESETS, agent_of, preset};
use super::read::{find_preset, put};
use super::show::write_origins;
use super::value::Value;
use super::{Fault, Policy, nearest};

/// Settings that hold in one case.
#[derive(Clone, Debug, Default)]
struct Part {
    settings: Vec<(String, Value)>,
    /// By key, where a figure is from.
    origin: Vec<(String, String)>,
}

impl Part {
    fn of(table: &toml::Table) -> Part {
        let inner = |name: &str| table.get(name).and_then(toml::Value::as_table).into_iter().flatten();
        let value = |(key, value): (&String, &toml::Value)| Some((key.clone(), Value::from_toml(value)?));
        let words = |(key, value): (&String, &toml::Value)| Some((key.clone(), value.as_str()?.to_owned()));
        Part { settings: inner("set").filter_map(value).collect(), origin: inner("origin").filter_map(words).collect() }
    }

    /// `of`: what it is a part of, as `versions` or `profiles.fast`.
    fn write(&self, text: &mut String, of: &str) {
        // Writing into a string cannot fail.
        let _ = writeln!(text, "[{of}.set]");
        for (key, value) in &self.settings {
            let _ = writeln!(text, "{} = {value}", Value::Text(key.clone()));
        }
        let said: Vec<(String, String)> = self
            .origin
            .iter()
            .filter(|(of, _)| self.settings.iter().any(|(key, _)| key == of))
            .map(|(key, from)| (key.clone(), from.clone()))
            .collect();
        write_origins(text, &format!("[{of}.origin]"), &said);
    }
}

/// Settings that hold for some versions of an agent.
#[derive(Clone, Debug)]
struct Bound {
    /// The preset of the agent; `None` where the versions may be of any.
    agent: Option<String>,
    from: Option<String>,
    to: Option<String>,
    part: Part,
}

impl Bound {
    /// `own`: the agent that the versions are of where the band names none.
    fn of(band: &toml::Table, own: Option<&str>) -> Bound {
        let word = |name: &str| band.get(name).and_then(toml::Value::as_str).map(str::to_owned);
        let agent = word("agent").or_else(|| own.map(str::to_owned));
        Bound { agent, from: word("from"), to: word("to"), part: Part::of(band) }
    }
}

/// The bands of versions of a policy, and its profiles.
#[derive(Clone, Debug, Default)]
pub struct Variants {
    bands: Vec<Bound>,
    profiles: Vec<(String, Part)>,
}

impl Variants {
    /// Those of a policy's file, with the bands of the preset that it names; with a profile, what is left of the bands
    /// by it.
    #[must_use]
    pub fn of(text: &str, profile: Option<&str>) -> Variants {
        let mut table = toml::from_str(text).unwrap_or_default();
        drop_copies(&mut table);
        of_table(&table, profile, MAX_NESTING)
    }

    /// Those of a preset: `NAME`, `NAME/PROFILE` or `NAME@VERSION`.
    #[must_use]
    pub fn of_preset(name: &str) -> Variants {
        named(name, MAX_NESTING)
    }

    /// Takes settings out of every band and profile: something stands over them.
    pub fn without(&mut self, keys: &[&str]) {
        let parts =
            self.bands.iter_mut().map(|band| &mut band.part).chain(self.profiles.iter_mut().map(|(_, part)| part));
        for part in parts {
            part.settings.retain(|(key, _)| !keys.contains(&key.as_str()));
        }
        self.bands.retain(|band| !band.part.settings.is_empty());
    }

    /// As the end of a policy's file.
    #[must_use]
    pub fn toml(&self) -> String {
        let mut text = String::new();
        for Bound { agent, from, to, part } in &self.bands {
            text.push_str("\n[[versions]]\n");
            for (name, word) in [("agent", agent), ("from", from), ("to", to)] {
                let word = word.as_ref().map(|word| format!("{name} = {}\n", Value::Text(word.clone())));
                text.push_str(&word.unwrap_or_default());
            }
            part.write(&mut text, "versions");
        }
        for (name, part) in &self.profiles {
            text.push('\n');
            part.write(&mut text, &format!("profiles.{}", Value::Text(name.clone())));
        }
        text
    }
}

fn named(name: &str, depth: u32) -> Variants {
    let (name, version) = name.split_once('@').map_or((name, None), |(name, version)| (name, Some(version)));
    let (name, profile) = name.split_once('/').map_or((name, None), |(name, profile)| (name, Some(profile)));
    let table = find_preset(name).ok().and_then(|preset| toml::from_str(preset.toml).ok());
    let mut found = table.map_or_else(Variants::default, |table| of_table(&table, profile, depth));
    if version.is_some() {
        found.bands.clear();
    }
    // Read from another file, they are of that agent still.
    found.bands.iter_mut().for_each(|band| _ = band.agent.get_or_insert_with(|| name.to_owned()));
    found
}

fn of_table(table: &toml::Table, profile: Option<&str>, depth: u32) -> Variants {
    let nested = table.get("preset").and_then(toml::Value::as_str).filter(|_| depth > 0);
    let mut found = nested.map_or_else(Variants::default, |name| named(name, depth - 1));
    // Whoever names a preset has profiles of their own alone, and settings that stand over its bands.
    found.profiles.clear();
    let sections = table.iter().filter_map(|(section, value)| Some((section, value.as_table()?)));
    let set = sections.filter(|(name, _)| !BESIDE.contains(&name.as_str()));
    let set: Vec<String> =
        set.flat_map(|(section, of)| of.keys().map(move |name| format!("{section}.{name}"))).collect();
    found.without(&set.iter().map(String::as_str).collect::<Vec<_>>());
    let (bands, own) = (table.get("versions").and_then(toml::Value::as_array), agent_of(table));
    let bands = bands.into_iter().flatten().filter_map(toml::Value::as_table);
    found.bands.extend(bands.map(|band| Bound::of(band, own)));
    let profiles = table.get("profiles").and_then(toml::Value::as_table).into_iter().flatten();
    let mut profiles = profiles.filter_map(|(name, of)| Some((name.clone(), Part::of(of.as_table()?))));
    match profile {
        Some(profile) => {
            let (_, part) = profiles.find(|(name, _)| name == profile).unwrap_or_default();
            let set: Vec<&str> = part.settings.iter().map(|(key, _)| key.as_str()).collect();
            found.without(&set);
        }
        None => found.profiles.extend(profiles),
    }
    found
}

/// Takes out of a file's bands what was copied from a preset's, as `policy show` writes them, where the file has another
/// value of its own by now than that preset: what somebody wrote holds for every version.
pub(super) fn drop_copies(table: &mut toml::Table) {
    let bands = |table: &toml::Table| -> Vec<toml::Table> {
        let bands = table.get("versions").and_then(toml::Value::as_array).into_iter().flatten();
        bands.map(|band| band.as_table().cloned().unwrap_or_default()).collect()
    };
    let edges = |band: &toml::Table| ["from", "to"].map(|edge| band.get(edge).cloned());
    let set = |band: &toml::Table| band.get("set").and_then(toml::Value::as_table).cloned().unwrap_or_default();
    let own = bands(table);
    if own.is_empty() || table.contains_key("preset") {
        return;
    }
    let mut stale: Vec<(usize, String)> = Vec::new();
    for one in PRESETS.iter().filter(|one| !one.variants().1.is_empty()) {
        let Ok((policy, of)) = preset(one.name, None).map(|(policy, _)| (policy, one.toml)) else { continue };
        let theirs = bands(&toml::from_str(of).unwrap_or_default());
        for (number, band) in own.iter().enumerate() {
            let same = theirs.iter().filter(|other| edges(other) == edges(band)).map(set);
            let copied = same.flatten().filter(|(key, value)| set(band).get(key) == Some(value));
            stale.extend(copied.filter(|(key, _)| is_changed(table, key, &policy)).map(|(key, _)| (number, key)));
        }
    }
    let bands = table.get_mut("versions").and_then(toml::Value::as_array_mut);
    for (number, band) in bands.into_iter().flatten().enumerate() {
        if let Some(set) = band.get_mut("set").and_then(toml::Value::as_table_mut) {
            set.retain(|key, _| !stale.iter().any(|(at, stale)| *at == number && stale == key));
        }
    }
}

/// Whether a file sets a key otherwise than a policy has it.
fn is_changed(table: &toml::Table, key: &str, policy: &Policy) -> bool {
    let written = key.split_once('.').and_then(|(section, name)| table.get(section)?.get(name));
    let mut read = Policy::default();
    let setting = written.and_then(Value::from_toml).and_then(|value| put(&mut read, key, &value).ok());
    setting.is_some_and(|setting| (setting.get)(&read) != (setting.get)(policy))
}

/// What a policy's file holds beside sections of settings.
pub(super) const BESIDE: &[&str] = &["preset", "origin", "versions", "profiles", "name", "about"];

/// Everything that is wrong with bands, profiles and origins, whether this version or profile is asked for or not.
pub(super) fn check(table: &toml::Table) -> Vec<Fault> {
    let mut faults = Vec::new();
    if let Some(origin) = table.get("origin") {
        origins("[origin]", origin, &mut faults);
    }
    match table.get("versions") {
        None => {}
        Some(toml::Value::Array(bands)) => {
            for (number, band) in (1..).zip(bands) {
                part(&format!("[[versions]] {number}"), band, &["agent", "from", "to"], &mut faults);
            }
        }
        Some(_) => faults.push(wrong("versions", "is no list of tables: [[versions]]")),
    }
    match table.get("profiles") {
        None => {}
        Some(toml::Value::Table(profiles)) => {
            for (name, profile) in profiles {
                part(&format!("[profiles.{name}]"), profile, &[], &mut faults);
            }
        }
        Some(_) => faults.push(wrong("profiles", "is no table: [profiles.NAME.set]")),
    }
    faults
}

pub(super) fn wrong(place: &str, why: impl Into<String>) -> Fault {
    Fault::Part { place: place.chars().take(120).collect(), why: why.into() }
}

fn part(place: &str, value: &toml::Value, edges: &[&str], faults: &mut Vec<Fault>) {
    let Some(table) = value.as_table() else { return faults.push(wrong(place, "is no table")) };
    for (name, value) in table {
        match (name.as_str(), value) {
            ("set", toml::Value::Table(settings)) => {
                let mut policy = Policy::default();
                for (key, value) in settings {
                    let fault = match Value::from_toml(value) {
                        Some(value) => put(&mut policy, key, &value).err(),
                        None if super::named(key).is_some() => Some(wrong(key, "a single value is expected")),
                        None => Some(Fault::UnknownKey { key: key.clone(), nearest: nearest(key) }),
                    };
                    faults.extend(fault.map(|fault| Fault::Within { place: place.to_owned(), fault: Box::new(fault) }));
                }
            }
            ("origin", origin) => origins(place, origin, faults),
            ("agent", toml::Value::String(agent)) if edges.contains(&"agent") => {
                let fault = find_preset(agent).err().map(Box::new);
                faults.extend(fault.map(|fault| Fault::Within { place: place.to_owned(), fault }));
            }
            (edge, toml::Value::String(version)) if edges.contains(&edge) => {
                let numbers =
                    version.split('.').all(|part| part.bytes().next().is_some_and(|one| one.is_ascii_digit()));
                if !numbers {
                    faults.push(wrong(place, format!("{edge} = {version:?} is no version, as 2.1.20")));
                }
            }
            (name, _) => {
                let known = [edges, &["set", "origin"]].concat().join(", ");
                faults.push(wrong(place, format!("{name:?} is none of {known}, or not what is expected there")));
            }
        }
    }
}

fn origins(place: &str, value: &toml::Value, faults: &mut Vec<Fault>) {
    let Some(table) = value.as_table() else {
        return faults.push(wrong(place, "is no table of KEY = \"EVIDENCE: WORDS\""));
    };
    for (key, value) in table {
        if super::named(key).is_none() {
            let fault = Box::new(Fault::UnknownKey { key: key.clone(), nearest: nearest(key) });
            faults.push(Fault::Within { place: place.to_owned(), fault });
        }
        let evidence =
            value.as_str().and_then(|text| text.split_once(':')).and_then(|(word, _)| Evidence::named(word.trim()));
        if evidence.is_none() {
            faults.push(wrong(place, format!("{key}: it says \"measured: …\", \"documented: …\" or \"estimated: …\"")));
        }
    }
}
