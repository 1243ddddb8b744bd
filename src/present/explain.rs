//! What a stage, layer, event or setting is, in two sentences, with its source.

use crate::inquiry::Axis;
use crate::model::{Event, Layer, Run, Stage, told_rule};
use crate::policy::{Kind, Origin, Origins, Setting, Value, named};

use super::{count, references};

/// An explanation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct About {
    /// What is explained. May hold untrusted text.
    pub title: String,
    /// Two sentences.
    pub text: String,
    /// Where the rule is from.
    pub source: String,
}

/// A stage.
#[must_use]
pub fn about_stage(stage: Stage) -> About {
    About {
        title: format!("{} {}", stage.mark(), stage.name()),
        text: stage.explain().to_owned(),
        source: stage.source().to_owned(),
    }
}

/// A layer.
#[must_use]
pub fn about_layer(layer: Layer) -> About {
    let info = layer.info();
    About { title: info.title.to_owned(), text: info.explain.to_owned(), source: info.source.to_owned() }
}

/// What a setting may be, for people.
#[must_use]
pub fn allowed(setting: &Setting) -> String {
    let (low, high) = (setting.range.0, setting.range.1);
    match setting.kind {
        Kind::Size => "N tokens, N% of the window, Nc characters, or -N below it".to_owned(),
        Kind::Amount => "N tokens, turns, rounds, messages, events or results; N%; none".to_owned(),
        Kind::Bool => "on or off".to_owned(),
        Kind::Int | Kind::Number => format!("{} to {}", count(low), count(high)),
        Kind::Minutes => format!("{} to {}, or reported", count(low), count(high)),
        Kind::Share | Kind::Choice(_) | Kind::Text | Kind::List(_) => setting.allowed(),
    }
}

/// A value of a setting, for people.
#[must_use]
pub fn shown_value(value: &Value) -> String {
    match value {
        Value::Bool(on) => if *on { "on" } else { "off" }.to_owned(),
        Value::Int(number) => {
            let sign = if *number < 0 { "-" } else { "" };
            format!("{sign}{}", count(number.unsigned_abs()))
        }
        Value::Text(text) if text.is_empty() => "–".to_owned(),
        Value::List(items) if items.is_empty() => "–".to_owned(),
        other => other.plain(),
    }
}

/// The value of a setting as the sliders show it: a share in percent.
#[must_use]
pub fn shown_of(setting: &Setting, value: &Value) -> String {
    match (setting.kind, value) {
        (Kind::Share, Value::Float(share)) => format!("{}%", (share * 10_000.0).round() / 100.0),
        _ => shown_value(value),
    }
}

/// A setting, with where the figure in force is from where its policy says so.
#[must_use]
pub fn about_setting(setting: &Setting, of: Option<&Origin>) -> About {
    let follows = match setting.follows {
        crate::policy::Follows::Instant => "",
        crate::policy::Follows::Recount => " Text is cut or counted anew when it moves.",
        crate::policy::Follows::Reembed => " Vectors are made anew when it moves.",
    };
    About {
        title: setting.key.to_owned(),
        text: format!("{}{follows} Allowed: {}.", setting.meaning.trim(), allowed(setting)),
        source: from(setting, of),
    }
}

/// A setting that was moved, with the figure that the policy of that name has for it, and where that is from.
#[must_use]
pub fn about_moved(setting: &Setting, (policy, value): (&str, &Value), of: &Origin) -> About {
    let figure = format!("{policy}'s figure, {}, is {}: {}", shown_of(setting, value), of.evidence.name(), of.from);
    About { source: format!("{}; {figure}", setting.source), ..about_setting(setting, None) }
}

/// Where a setting is from, and its figure where a policy has one of its own.
fn from(setting: &Setting, of: Option<&Origin>) -> String {
    match of {
        Some(of) => format!("{}; the figure is {}: {}", setting.source, of.evidence.name(), of.from),
        None => setting.source.to_owned(),
    }
}

/// An event: what happened, who refers to what it spared, what its stage does, and the rule that decided. `said`: where
/// the figures in force are from.
#[must_use]
pub fn about_event(run: &Run, event: &Event, said: &Origins) -> About {
    let mut sources: Vec<String> = Vec::new();
    for source in std::iter::once(event).chain(&event.each).map(|one| rule_source(one, said)) {
        if !sources.contains(&source) {
            sources.push(source);
        }
    }
    About {
        title: format!("{} {} at step {}", event.stage.mark(), event.stage.name(), event.step),
        text: format!("{}{} {}", event.sentence(), references(run, event), event.stage.explain()),
        source: sources.join("; "),
    }
}

/// The rule that decided, and where it is from.
fn rule_source(event: &Event, said: &Origins) -> String {
    let rule = match event.threshold {
        Some(threshold) => format!("{} = {}", event.rule, count(threshold)),
        None => event.rule.to_string(),
    };
    match named(&event.rule) {
        Some(setting) => format!("{rule}: {} ({})", setting.meaning.trim(), from(setting, said.get(setting.key))),
        None => {
            let from = told_rule(&event.rule).unwrap_or(event.stage.source());
            let line = event.record.map(|record| format!(", line {} of the transcript", count(u64::from(record.line))));
            format!("{rule}{}: {from}", line.unwrap_or_default())
        }
    }
}

/// A sweep.
#[must_use]
pub fn about_sweep(axis: Axis) -> About {
    About {
        title: format!("facts kept against {}", axis.name()),
        text: format!(
            "Every run replays the session with the settings at other values and counts the facts that are in the window, \
             word for word, at the step at which they are needed; {}: {} A run is on the front (◆) where no other keeps as \
             many facts for less, and none more for as much.",
            axis.name(),
            axis.meaning()
        ),
        source:
            "replays of this session; facts and the steps at which they are needed as the facts command proposes them"
                .to_owned(),
    }
}

/// What no replay can know. Said wherever a simulated track is shown.
pub const REPLAY: &str =
    "A replay: what the agent did is as recorded. With this window it might have acted otherwise; nobody can know.";
/// The same, where there is less room.
pub const REPLAY_SHORT: &str = "A replay: the agent might have acted otherwise.";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{ALL_LAYERS, TOLD_RULES, ThreadId, Track};
    use crate::policy::settings;

    #[test]
    fn settings_are_told_in_words() {
        let of = |key: &str| allowed(named(key).expect("a setting"));
        assert_eq!(of("summarise.at"), "N tokens, N% of the window, Nc characters, or -N below it");
        assert_eq!(
            (of("summarise.input_max"), of("summarise.on")),
            ("1 to 100,000,000".to_owned(), "on or off".to_owned())
        );
        let values =
            [Value::Int(-33_000), Value::Bool(true), Value::Text(String::new()), Value::Text("80%".to_owned())];
        assert_eq!(values.map(|value| shown_value(&value)), ["-33,000", "on", "–", "80%"]);
        let share = |share| shown_of(named("chunks.fallback_head").expect("a setting"), &Value::Float(share));
        assert_eq!([0.0, 0.255, 1.0].map(share), ["0%", "25.5%", "100%"]);
    }

    #[test]
    fn everything_explains_itself_with_its_source() {
        let stages = Stage::ALL.iter().map(|stage| about_stage(*stage));
        let layers = ALL_LAYERS.iter().map(|info| about_layer(info.layer));
        let of_settings = settings().map(|setting| about_setting(setting, None));
        let sentences = |text: &str| {
            let ends = text.match_indices(". ").map(|(at, _)| &text[at + 2..]);
            ends.filter(|rest| rest.starts_with(char::is_uppercase)).count() + 1
        };
        for about in stages.clone().chain(layers.clone()) {
            assert_eq!(sentences(&about.text), 2, "{}: not two sentences: {}", about.title, about.text);
        }
        // An event of each stage, by each rule that it can have: what happened, then the two sentences.
        let run = Run::new(Track::Simulated, ThreadId(0));
        let mut explained = 0;
        let set = |stage: Stage| {
            let keys = settings().map(|setting| setting.key);
            keys.map(move |key| (key, stage))
        };
        let told = TOLD_RULES.iter().map(|(rule, stage, _)| (*rule, *stage));
        for (rule, stage) in told.chain(Stage::ALL.iter().copied().flat_map(set)) {
            let event = Event { why: "It happened.".into(), ..Event::new(1, stage, rule) };
            let about = about_event(&run, &event, &Origins::new());
            assert_eq!(about.text.strip_prefix("It happened. "), Some(stage.explain()));
            let source = about.source.strip_prefix(rule).and_then(|rest| rest.strip_prefix(": "));
            assert!(source.is_some_and(|source| source.len() > 10), "{rule}: {}", about.source);
            explained += 1;
        }
        assert!(explained > Stage::ALL.len());
        for about in stages.chain(layers).chain(of_settings) {
            assert!(about.text.ends_with('.') && about.text.len() > 20, "{}: {}", about.title, about.text);
            assert!(!about.source.is_empty(), "{}", about.title);
        }
    }
}
