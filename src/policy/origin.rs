//! Where every figure in force is from: what a policy says of its own, and of the others what their defaults are from.

use super::value::Value;
use super::{Evidence, Origin, Origins, Policy, Setting};

/// Where the figure of a setting is from: as the policy says, else as its default is. `None` where its section is
/// switched off, or where the policy has a figure of its own and says nothing of it.
#[must_use]
pub fn origin(setting: &Setting, policy: &Policy, said: &Origins) -> Option<Origin> {
    if let Some(said) = said.get(setting.key) {
        return Some(said.clone());
    }
    let value = (setting.get)(policy);
    (setting.is_in_force(policy) && value == setting.default()).then(|| of_default(setting, &value))
}

/// A setting, the one that takes the decision from it, and when that does.
type Overruled = (&'static str, &'static str, fn(&Policy) -> bool);

/// Settings that another one of their section takes the decision from.
static OVERRULED: &[Overruled] =
    &[("memory.budget_ratio", "memory.budget_tokens", |policy| policy.memory.budget_tokens > 0)];

impl Setting {
    /// The setting that decides in its place under a policy.
    #[must_use]
    pub fn overruled_by(&self, policy: &Policy) -> Option<&'static str> {
        let (_, by, _) = OVERRULED.iter().find(|(key, _, when)| *key == self.key && when(policy))?;
        Some(by)
    }

    /// Whether its figure decides anything under a policy: its section is on.
    #[must_use]
    pub fn is_in_force(&self, policy: &Policy) -> bool {
        // The index is loaded whether memories are packed or not.
        policy.is_on(self.section()) || self.key == "memory.index_lines"
    }

    /// How sure its source makes its default.
    fn evidence(&self) -> Option<Evidence> {
        let is = |words: &[&str]| words.iter().any(|word| self.source.contains(word));
        // What is said of the figure goes before whom the rule is from.
        if is(&["windowpane: ", "beyond ", " is silent", "estimated ", " is handed "]) {
            return Some(Evidence::Estimated);
        }
        if is(&["measured", "transcripts", "Claude Code: "]) {
            return Some(Evidence::Measured);
        }
        let read = ["source ", "sources ", "public code", "documentation", "documented", "Anthropic's ", "'s default"];
        is(&read).then_some(Evidence::Documented)
    }
}

/// Where a default is from. One that leaves something out is no figure of any source, which tells of what there is.
fn of_default(setting: &Setting, value: &Value) -> Origin {
    let left_out = match value {
        Value::Bool(on) => !on,
        Value::Int(number) => *number == 0,
        Value::Float(number) => *number == 0.0,
        Value::Text(text) => matches!(text.as_str(), "" | "0" | "none"),
        Value::List(items) => items.is_empty(),
    };
    let (evidence, how) = match setting.evidence() {
        Some(evidence) if !left_out => (evidence, "by default"),
        None if !left_out => (Evidence::Estimated, "by default"),
        _ => (Evidence::Estimated, "left out by default"),
    };
    Origin { evidence, from: format!("{how}; {}", setting.source) }
}

#[cfg(test)]
mod tests {
    use crate::policy::{PRESETS, Policy, SECTIONS, named, preset, set, settings};

    use super::*;

    fn told(name: &str, key: &str) -> Option<(&'static str, String)> {
        let (policy, said) = preset(name, None).expect("a preset");
        let found = origin(named(key).expect("a setting"), &policy, &said)?;
        Some((found.evidence.name(), found.from))
    }

    #[test]
    fn every_figure_in_force_of_every_preset_is_marked() {
        for one in PRESETS {
            let profiles = one.variants().0.into_iter().map(|profile| format!("{}/{profile}", one.name));
            for name in profiles.chain([one.name.to_owned()]) {
                let (policy, said) = preset(&name, None).expect("a preset");
                let settings = settings();
                let mut unmarked = settings
                    .filter(|setting| policy.is_on(setting.section()) && origin(setting, &policy, &said).is_none());
                assert_eq!(unmarked.next().map(|setting| setting.key), None, "{name}");
            }
        }
    }

    #[test]
    fn what_decides_in_the_place_of_a_setting_is_named() {
        let setting = named("memory.budget_ratio").expect("a setting");
        let (mut policy, _) = preset("memory-harness", None).expect("a preset");
        assert_eq!(setting.overruled_by(&policy), None);
        set(&mut policy, "memory.budget_tokens=4000").expect("a setting");
        assert_eq!(setting.overruled_by(&policy), Some("memory.budget_tokens"));
        for (key, by, _) in OVERRULED {
            assert!(named(key).is_some() && named(by).is_some(), "{key} {by}");
        }
    }

    #[test]
    fn every_source_says_how_sure_a_default_is() {
        for setting in settings() {
            assert!(setting.evidence().is_some(), "{}: {}", setting.key, setting.source);
        }
    }

    #[test]
    fn a_default_in_force_is_marked_as_its_own_source_makes_it() {
        let is = |name: &str, key: &str| told(name, key).map(|(evidence, _)| evidence);
        assert_eq!(is("five-layer", "collapse.min_freed"), Some("estimated"));
        assert_eq!(is("five-layer", "reactive.drop_share"), Some("estimated"));
        assert_eq!(is("claude-code", "summarise.input_max"), Some("documented"));
        assert_eq!(is("claude-code", "cache.min_tokens"), Some("documented"));
        assert_eq!(is("claude-code", "summarise.reinject_files"), Some("measured"), "what a preset says comes first");
        let (evidence, from) = told("claude-code", "summarise.input_max").expect("a mark");
        assert_eq!((evidence, from.as_str()), ("documented", "by default; source 4: SUMMARIZER_INPUT_MAX_TOKENS"));
        // What is left out is not documented by a source that tells of it.
        assert_eq!(is("claude-code", "summarise.prior_window_file"), Some("estimated"));
        assert_eq!(is("claude-code", "collapse.at"), None, "a stage that is off");
        let mut policy = Policy::default();
        set(&mut policy, "reserve.output=5000").expect("a setting");
        assert_eq!(origin(named("reserve.output").expect("one"), &policy, &Origins::new()), None, "one's own");
    }

    #[test]
    fn every_section_says_when_it_is_on() {
        let mut all = Policy::default();
        for one in ["files.mode=chunks", "thinking.clear=true", "drop.oldest_turns=true"] {
            set(&mut all, one).expect("a setting");
        }
        for (section, ..) in SECTIONS {
            if let Some(switch) = named(&format!("{section}.on")) {
                (switch.set)(&mut all, &Value::Bool(true)).expect("a switch");
            }
        }
        assert_eq!(SECTIONS.iter().find(|(section, ..)| !all.is_on(section)).map(|(section, ..)| section), None);
        for one in ["reactive.on=true", "replay.manual=true"] {
            let mut policy = Policy::default();
            set(&mut policy, one).expect("a setting");
            assert!(policy.is_on("summarise"), "{one} writes summaries");
        }
        assert!(!Policy::default().is_on("summarise") && !all.is_on("nothing"));
    }
}
