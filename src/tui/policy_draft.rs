//! The policy that is tried: a preset, what was changed in it, and the way back.

use std::collections::BTreeMap;

use crate::model::ThreadId;
use crate::policy::{
    Origin, Origins, PRESETS, Policy, SECTIONS, Setting, Value, Variants, named, number_of, preset, settings, show,
};

/// Changes that can be taken back.
const MOST: usize = 1_000;

/// A policy with its name, and where its figures are from.
pub type NamedPolicy = (String, Policy, Origins);

/// The policy that is tried.
#[derive(Clone, Debug, Default)]
pub struct PolicyDraft {
    /// What the policy began as: a preset's name, or a file's.
    pub name: String,
    /// That policy, unchanged.
    pub base: Policy,
    /// Where its figures are from, by key.
    pub origins: BTreeMap<String, Origin>,
    /// The policy as it is now.
    pub policy: Policy,
    /// The agent's version, for presets that differ by it (`PRESET@VERSION`).
    pub agent: Option<String>,
    /// Counts the changes.
    pub version: u64,
    /// The thread and the version of the newest replay that was asked for.
    pub asked: Option<(ThreadId, u64)>,
    /// Why the last replay could not be made.
    pub failed: Option<String>,
    /// Earlier policies, newest last, each with the key that was changed from it.
    undone: Vec<(Change, &'static str)>,
    redone: Vec<Change>,
}

/// What a change replaced.
type Change = (String, Policy, Policy, BTreeMap<String, Origin>);

impl PolicyDraft {
    /// Begins with a policy of a name. Where the name begins with a preset's, changes are seen against that preset.
    #[must_use]
    pub fn new(name: &str, policy: Policy, agent: Option<&str>) -> PolicyDraft {
        let first = name.split(' ').next().unwrap_or_default();
        let (known, base, origins) = match preset(first, agent) {
            Ok((base, origins)) => (first.to_owned(), base, origins),
            Err(_) => (name.to_owned(), policy.clone(), BTreeMap::new()),
        };
        PolicyDraft { name: known, base, origins, policy, agent: agent.map(str::to_owned), ..PolicyDraft::default() }
    }

    /// The same over a policy file of that name: what differs from what it says is a change.
    #[must_use]
    pub fn over(self, (name, base, origins): NamedPolicy) -> PolicyDraft {
        PolicyDraft { name, base, origins, ..self }
    }

    /// Where the figures are from that are as the policy began with them.
    #[must_use]
    pub fn origins_in_force(&self) -> Origins {
        let same =
            |key: &str| named(key).is_some_and(|setting| (setting.get)(&self.policy) == (setting.get)(&self.base));
        self.origins.iter().filter(|(key, _)| same(key)).map(|(key, of)| (key.clone(), of.clone())).collect()
    }

    /// What the policy is called: the preset, and how many settings differ.
    #[must_use]
    pub fn title(&self) -> String {
        match self.changes() {
            0 => self.name.clone(),
            1 => format!("{} with 1 change", self.name),
            many => format!("{} with {many} changes", self.name),
        }
    }

    /// Whether a setting differs from the preset's.
    #[must_use]
    pub fn differs(&self, setting: &Setting) -> bool {
        (setting.get)(&self.policy) != (setting.get)(&self.base)
    }

    /// The window that a setting's shares refer to, of a window so large.
    #[must_use]
    pub fn window_of(&self, setting: &Setting, window: u64) -> u64 {
        match setting.key {
            "summarise.at" => self.policy.summarise.window(window, &self.policy.reserve),
            _ => window,
        }
    }

    /// How many settings differ.
    #[must_use]
    pub fn changes(&self) -> usize {
        settings().filter(|setting| self.differs(setting)).count()
    }

    /// Sets a setting; one that is moved on again and again can be taken back at once.
    ///
    /// # Errors
    /// What is allowed.
    pub fn set(&mut self, setting: &'static Setting, value: &Value) -> Result<(), String> {
        let mut policy = self.policy.clone();
        (setting.set)(&mut policy, value)?;
        if policy == self.policy {
            return Ok(());
        }
        let goes_on = self.undone.last().is_some_and(|(_, key)| *key == setting.key) && self.redone.is_empty();
        if !goes_on {
            self.remember(setting.key);
        }
        self.policy = policy;
        self.version += 1;
        Ok(())
    }

    /// Ends a series of moves: the next one can be taken back by itself.
    pub fn pause(&mut self) {
        if let Some((_, key)) = self.undone.last_mut() {
            *key = "";
        }
    }

    /// Puts a setting back to the preset's value.
    pub fn reset(&mut self, setting: &'static Setting) {
        let value = (setting.get)(&self.base);
        self.pause();
        // The preset's own value is always allowed.
        let _ = self.set(setting, &value);
        self.pause();
    }

    /// Puts everything back to the preset.
    pub fn reset_all(&mut self) {
        if self.policy != self.base {
            self.remember("");
            self.policy = self.base.clone();
            self.version += 1;
        }
    }

    /// Goes over to another preset.
    pub fn choose(&mut self, name: &str) -> bool {
        let Ok((policy, origins)) = preset(name, self.agent.as_deref()) else { return false };
        self.remember("");
        (self.name, self.base, self.policy) = (name.to_owned(), policy.clone(), policy);
        self.origins = origins;
        self.version += 1;
        true
    }

    /// Takes the last change back; `false` where there is none.
    pub fn undo(&mut self) -> bool {
        let Some((before, _)) = self.undone.pop() else { return false };
        let now = self.exchange(before);
        self.redone.push(now);
        self.pause();
        true
    }

    /// Does again what was taken back last.
    pub fn redo(&mut self) -> bool {
        let Some(after) = self.redone.pop() else { return false };
        let now = self.exchange(after);
        self.undone.push((now, ""));
        true
    }

    /// Changes that can be taken back, and done again.
    #[must_use]
    pub fn depth(&self) -> (usize, usize) {
        (self.undone.len(), self.redone.len())
    }

    /// The policy as a file that reads back to the same: the preset, and what differs from it.
    #[must_use]
    pub fn file(&self) -> String {
        let known = PRESETS.iter().any(|preset| self.name.split(['/', '@']).next() == Some(preset.name));
        if !known {
            return show(&self.policy, &self.origins_in_force(), &Variants::default(), false);
        }
        let name = match (&self.agent, self.name.contains('@')) {
            (Some(agent), false) if self.depends_on_version() => format!("{}@{}", self.name, number_of(agent)),
            _ => self.name.clone(),
        };
        let mut text = format!("preset = {}\n", Value::Text(name));
        for (section, _, settings) in SECTIONS {
            let changed: Vec<&Setting> = settings.iter().filter(|setting| self.differs(setting)).collect();
            if !changed.is_empty() {
                text.push_str(&format!("\n[{section}]\n"));
            }
            for setting in changed {
                let line = format!("{} = {}", setting.name(), (setting.get)(&self.policy));
                text.push_str(&format!("{line:<40} # {}\n", setting.meaning.trim().replace(['\n', '\r'], " ")));
            }
        }
        text
    }

    /// The options of a command line that lead to the same policy.
    #[must_use]
    pub fn options(&self) -> Vec<String> {
        let mut options = vec!["--policy".to_owned(), self.name.clone()];
        for setting in settings().filter(|setting| self.differs(setting)) {
            options.push("--set".to_owned());
            options.push(format!("{}={}", setting.key, (setting.get)(&self.policy)));
        }
        options
    }

    /// Whether the preset is another one without the agent's version.
    fn depends_on_version(&self) -> bool {
        preset(&self.name, None).is_ok_and(|(policy, _)| policy != self.base)
    }

    fn state(&self) -> Change {
        (self.name.clone(), self.base.clone(), self.policy.clone(), self.origins.clone())
    }

    fn remember(&mut self, key: &'static str) {
        let state = self.state();
        self.undone.push((state, key));
        if self.undone.len() > MOST {
            self.undone.remove(0);
        }
        self.redone.clear();
    }

    fn exchange(&mut self, other: Change) -> Change {
        let now = self.state();
        (self.name, self.base, self.policy, self.origins) = other;
        self.version += 1;
        now
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::{named, read, read_noted, set};

    fn draft() -> PolicyDraft {
        let (policy, _) = preset("five-layer", None).unwrap();
        PolicyDraft::new("five-layer", policy, None)
    }

    #[test]
    fn another_agents_version_is_none_of_a_preset() {
        let (newest, _) = preset("claude-code", None).unwrap();
        let mut draft = PolicyDraft::new("claude-code", newest.clone(), Some("codex@0.98.0"));
        assert_eq!((draft.changes(), &draft.base), (0, &newest));
        assert!(draft.choose("five-layer") && draft.choose("claude-code") && draft.policy == newest);
        let mut own = PolicyDraft::new("none", Policy::default(), Some("claude-code@2.1.20"));
        assert!(own.choose("claude-code") && own.policy != newest);
        assert!(own.file().starts_with("preset = \"claude-code@2.1.20\"\n"), "{}", own.file());
    }

    #[test]
    fn what_is_set_over_a_file_is_a_change_of_it() {
        let (base, origins) = read_noted("preset = \"five-layer\"\n[summarise]\nat = \"70%\"\n", None, None).unwrap();
        let mut policy = base.clone();
        set(&mut policy, "summarise.target=9000").unwrap();
        let begun = ("my file.toml".to_owned(), base.clone(), origins);
        let mut draft = PolicyDraft::new("my file.toml summarise.target=9000", policy, None).over(begun);
        assert_eq!(draft.options(), ["--policy", "my file.toml", "--set", "summarise.target=9000"]);
        assert_eq!(draft.title(), "my file.toml with 1 change");
        assert!(draft.origins.contains_key("collapse.on"), "its preset says where that is from");
        assert_eq!(read(&draft.file(), None).as_ref(), Ok(&draft.policy), "{}", draft.file());
        draft.reset_all();
        assert_eq!(draft.policy, base);
    }

    #[test]
    fn a_series_of_moves_is_taken_back_at_once() {
        let (mut draft, at, target) = (draft(), named("summarise.at").unwrap(), named("summarise.target").unwrap());
        for percent in [70, 71, 72] {
            draft.set(at, &Value::Text(format!("{percent}%"))).unwrap();
        }
        draft.set(target, &Value::Int(9_000)).unwrap();
        assert_eq!((draft.changes(), draft.title().as_str()), (2, "five-layer with 2 changes"));
        assert!(draft.undo() && draft.differs(at) && !draft.differs(target));
        assert!(draft.undo() && draft.policy == draft.base && !draft.undo());
        assert!(draft.redo() && draft.redo() && !draft.redo() && draft.changes() == 2);
        draft.reset(at);
        assert_eq!(draft.changes(), 1);
        draft.reset_all();
        assert_eq!(draft.policy, draft.base);
        assert!(draft.undo() && draft.changes() == 1 && draft.undo() && draft.changes() == 2);
        assert!(draft.set(target, &Value::Text("much".to_owned())).is_err() && draft.changes() == 2);
    }

    #[test]
    fn a_saved_policy_reads_back_to_the_same() {
        for (preset, agent) in [("five-layer", None), ("claude-code", Some("2.1.15")), ("claude-code@2.1.40", None)] {
            let (policy, _) = super::preset(preset, agent).unwrap();
            let mut draft = PolicyDraft::new(preset, policy, agent);
            draft.set(named("summarise.at").unwrap(), &Value::Text("61%".to_owned())).unwrap();
            draft.set(named("microcompact.marker").unwrap(), &Value::Text("a \"quoted\"\nmarker".to_owned())).unwrap();
            assert_eq!(read(&draft.file(), None).as_ref(), Ok(&draft.policy), "{}", draft.file());
        }
        let draft = PolicyDraft::new("mine.toml", Policy::default(), None);
        assert_eq!(read(&draft.file(), None), Ok(draft.policy));
    }

    #[test]
    fn presets_are_changed_to_and_back() {
        let mut draft = draft();
        assert!(!draft.choose("nothing-such") && draft.choose("none") && draft.name == "none" && draft.changes() == 0);
        assert!(draft.undo() && draft.name == "five-layer");
        assert_eq!(draft.options(), ["--policy", "five-layer"]);
    }
}
