//! Patterns that a policy shows by itself, whatever session it is put to.

use std::collections::BTreeSet;

use super::counts::{read_more, sent_less};
use super::patterns::{Mend, NEVER_REACHED, PATTERNS, Pattern, told};
use super::{Finding, Weight};
use crate::inquiry::{Bill, Ready};
use crate::model::number;
use crate::policy::{Policy, SECTIONS, Setting, named, set};

/// What is said of the price of a policy's own findings that no replay tells.
pub const NO_PRICE: &str = "no cost of its own: what it costs shows in the sessions that it is put to";
/// The same of one that a replay finds to cost nothing.
pub const COSTS_NOTHING: &str = "no cost in this session";

/// What a policy shows by itself.
#[derive(Clone, Debug, PartialEq)]
pub struct Own {
    /// The finding.
    pub finding: Finding,
    /// The setting that shows it.
    pub setting: &'static str,
    /// The assignments that mend it, where they tell its cost: none where they cost what they save, or more.
    pub mends: &'static [&'static str],
}

impl Own {
    /// Works out what it costs a session: what its replay sends less, or reads more from the cache, where it is mended.
    /// Does nothing where that is not to be told.
    pub fn weigh(&mut self, ready: &Ready, policy: &Policy) {
        let mut mended = policy.clone();
        if self.mends.is_empty() || self.mends.iter().any(|mend| set(&mut mended, mend).is_err()) {
            return;
        }
        let replay = |policy: &Policy| Some(ready.of(policy)?.run(policy));
        let (Some(now), Some(then)) = (replay(policy), replay(&mended)) else { return };
        let how = told(self.mends);
        let saved = Saved::of(&Bill::of(&now), &Bill::of(&then));
        self.finding.evidence =
            format!("{} A replay of this session with {how} {}.", self.finding.evidence, saved.sentence());
        self.finding.tokens = Some(if saved.sent > 0 { saved.sent } else { saved.fresh.max(0) }.unsigned_abs());
        self.finding.counts = match saved.sent {
            1.. => sent_less(&now, &then),
            _ if saved.fresh > 0 => read_more(&now, &then),
            _ => BTreeSet::new(),
        };
        // What costs more so is no cost of the policy's.
        self.finding.dollars = saved.dollars.filter(|saved| *saved >= 0.0);
    }
}

/// What a session costs less with one policy than with another; below zero what it costs more.
struct Saved {
    /// Tokens of all requests.
    sent: i64,
    /// Those of them that no cache had.
    fresh: i64,
    /// Dollars, where they are known.
    dollars: Option<f64>,
}

impl Saved {
    fn of(now: &Bill, then: &Bill) -> Saved {
        let fresh = |bill: &Bill| bill.sent.saturating_sub(bill.cached);
        let less = |now: u64, then: u64| match now.checked_sub(then) {
            Some(less) => i64::try_from(less).unwrap_or(i64::MAX),
            None => -i64::try_from(then - now).unwrap_or(i64::MAX),
        };
        // What is told as nothing is no more.
        let dollars = now.dollars.zip(then.dollars).map(|(now, then)| now - then);
        let dollars = dollars.map(|saved| if saved < 0.0 && saved > -LEAST { 0.0 } else { saved });
        Saved { sent: less(now.sent, then.sent), fresh: less(fresh(now), fresh(then)), dollars }
    }

    /// What a replay does, in words. Where it saves one thing and takes more of another, both are told.
    fn sentence(&self) -> String {
        let of = |tokens: i64| number(tokens.unsigned_abs(), "tokens");
        // Below zero it is more.
        let much = |tokens: i64| match tokens {
            ..0 => format!("{} more", of(tokens)),
            _ => format!("{} less", of(tokens)),
        };
        let but = |sent: i64, fresh: i64| if (sent < 0) == (fresh < 0) { "and" } else { "but" };
        let mut said = match (self.sent, self.fresh) {
            (0, 0) => "saves no token".to_owned(),
            // As many are sent: what no cache had less, it had more.
            (0, fresh) => format!("sends as many tokens, and reads {} from the cache", much(-fresh)),
            (sent, fresh) if (sent > 0 && fresh >= 0) || fresh == 0 => format!("sends {}", much(sent)),
            (sent, fresh) => {
                format!(
                    "sends {} in all, {} {} that are not read from the cache",
                    much(sent),
                    but(sent, fresh),
                    much(fresh)
                )
            }
        };
        match self.dollars {
            Some(saved) if saved < 0.0 => said.push_str(&format!(", and costs {} more", dollars(-saved))),
            Some(saved) if saved > 0.0 && (self.sent < 0 || self.fresh < 0) => {
                said.push_str(&format!(", and costs {} less", dollars(saved)));
            }
            _ => {}
        }
        said
    }
}

/// Dollars that are told as some.
const LEAST: f64 = 0.000_05;

/// Dollars: cents from one dollar on, more digits below.
fn dollars(amount: f64) -> String {
    match amount {
        1.0.. => format!("${amount:.2}"),
        0.01.. => format!("${amount:.3}"),
        _ => format!("${amount:.4}"),
    }
}

/// What a policy does that costs tokens or loses facts in any long session, each with the setting that does. `base`: what
/// it starts from; nobody who changes that has set what is without effect there. `window`: tokens that shares refer to.
#[must_use]
pub fn of_policy(policy: &Policy, base: &Policy, window: u64) -> Vec<Own> {
    let own = |setting, rule, weight, evidence, mend: &Mend| {
        let help = mend.help();
        let finding = Finding {
            rule,
            weight,
            evidence,
            step: None,
            entry: None,
            tokens: None,
            dollars: None,
            help,
            fact: None,
            counts: BTreeSet::new(),
        };
        Own { finding, setting, mends: mend.assignments() }
    };
    let of = |one: &Pattern| {
        let evidence = (one.evidence)(policy, window)?;
        Some(own(one.setting, one.rule, one.weight, evidence, &one.mend))
    };
    let mut found: Vec<Own> = PATTERNS.iter().filter_map(of).collect();
    for (section, _, settings) in SECTIONS {
        let is_idle = |setting: &&Setting| !setting.is_in_force(policy) && is_own(setting, policy, base);
        let mut idle = settings.iter().filter(is_idle);
        if let Some(first) = idle.next() {
            let more = match idle.count() {
                0 => String::new(),
                more => format!(" (and {more} more of {section})"),
            };
            let (key, value) = (first.key, (first.get)(policy).plain());
            let evidence = format!("{key} is {value}{more}, and nothing of {section} is switched on: it does nothing.");
            let mend = Mend::Words(
                "the section's own switch, such as on = true; or a preset to start from: preset = \"NAME\"",
            );
            found.push(own(key, "contradiction", Weight::Habit, evidence, &mend));
        }
    }
    found.extend(overruled(policy, base).map(|(setting, by)| {
        let (key, value) = (setting.key, (setting.get)(policy).plain());
        let of = named(by).map_or_else(String::new, |by| {
            let value = (by.get)(policy);
            let is_base = value == (by.get)(base) && value != by.default();
            format!(" = {}{}", value.plain(), if is_base { " of what this policy starts from" } else { "" })
        });
        let evidence = format!("{key} is {value}, and {by}{of} decides in its place: it does nothing.");
        own(key, "contradiction", Weight::Habit, evidence, &Mend::Words("one of the two at its default"))
    }));
    found.extend(of(&NEVER_REACHED));
    found
}

/// Whether a policy gives a setting a value of its own: neither the default's nor that of what it starts from.
fn is_own(setting: &Setting, policy: &Policy, base: &Policy) -> bool {
    let value = (setting.get)(policy);
    value != setting.default() && value != (setting.get)(base)
}

/// The settings that are changed and without effect, since another one decides; with that one.
fn overruled<'p>(
    policy: &'p Policy,
    base: &'p Policy,
) -> impl Iterator<Item = (&'static Setting, &'static str)> + use<'p> {
    let settings = SECTIONS.iter().flat_map(|(_, _, settings)| settings.iter());
    let changed = move |setting: &&Setting| setting.is_in_force(policy) && is_own(setting, policy, base);
    settings.filter(changed).filter_map(|setting| Some((setting, setting.overruled_by(policy)?)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::preset;

    fn rules(policy: &Policy) -> Vec<&'static str> {
        of_policy(policy, &Policy::default(), 200_000).iter().map(|own| own.finding.rule).collect()
    }

    fn named(name: &str) -> Policy {
        preset(name, None).unwrap().0
    }

    #[test]
    fn figures_of_what_is_off_are_told() {
        let mut policy = Policy::default();
        set(&mut policy, "summarise.at=50%").unwrap();
        set(&mut policy, "summarise.target=9000").unwrap();
        let told = of_policy(&policy, &Policy::default(), 200_000);
        let own = told.iter().find(|own| own.finding.rule == "contradiction").unwrap();
        assert_eq!(own.setting, "summarise.at");
        assert!(own.finding.evidence.starts_with("summarise.at is 50% (and 1 more of summarise)"), "{own:?}");
        set(&mut policy, "summarise.on=true").unwrap();
        assert!(!rules(&policy).contains(&"contradiction"));
    }

    #[test]
    fn a_setting_that_another_decides_for_is_told() {
        let mut policy = preset("memory-harness/knowledge-base", None).unwrap().0;
        assert!(!rules(&policy).contains(&"contradiction"));
        set(&mut policy, "memory.budget_tokens=4000").unwrap();
        let told = of_policy(&policy, &Policy::default(), 200_000);
        let own = told.iter().find(|own| own.setting == "memory.budget_ratio").unwrap();
        let evidence =
            "memory.budget_ratio is 0.2, and memory.budget_tokens = 4000 decides in its place: it does nothing.";
        assert_eq!(own.finding.evidence, evidence);
    }

    #[test]
    fn nobody_is_blamed_for_what_a_policy_starts_from() {
        let (start, default) = (named("claude-code"), Policy::default());
        let mut policy = start.clone();
        set(&mut policy, "summarise.on=false").unwrap();
        set(&mut policy, "reactive.on=false").unwrap();
        assert!(rules(&policy).contains(&"contradiction"));
        let told = |policy: &Policy, base: &Policy| -> Vec<String> {
            let all = of_policy(policy, base, 200_000).into_iter();
            all.filter(|own| own.finding.rule == "contradiction").map(|own| own.finding.evidence).collect()
        };
        assert_eq!(told(&policy, &start), [""; 0]);
        set(&mut policy, "summarise.at=50%").unwrap();
        let [one] = told(&policy, &start).try_into().unwrap();
        assert!(one.starts_with("summarise.at is 50%, and nothing of summarise is switched on"), "{one}");
        // Whichever of two was set decides who is told of it.
        let start = named("memory-harness/knowledge-base");
        let mut policy = start.clone();
        set(&mut policy, "memory.budget_tokens=3000").unwrap();
        assert_eq!((told(&policy, &start).len(), told(&policy, &default).len()), (0, 1));
        let start = policy.clone();
        set(&mut policy, "memory.budget_ratio=0.1").unwrap();
        let [one] = told(&policy, &start).try_into().unwrap();
        assert!(one.contains("memory.budget_tokens = 3000 of what this policy starts from decides"), "{one}");
    }

    #[test]
    fn settings_that_contradict_each_other_are_told() {
        for (base, assignments) in [
            ("claude-code", ["summarise.at=50000", "summarise.keep_tail=60000 tokens"]),
            ("claude-code", ["reserve.output=150000", "reserve.headroom=50000"]),
            ("drop-oldest", ["drop.to=100%", "drop.at=50%"]),
            ("internal-agent", ["tool_results.virtual_over=500", "tool_results.virtual_head=600"]),
            ("harness-course", ["chunks.window=100", "chunks.overlap=100"]),
            ("memory-harness", ["memory.chunk_size=100", "memory.chunk_overlap=51"]),
        ] {
            let mut policy = named(base);
            assert!(!rules(&policy).contains(&"contradiction"), "{base}");
            assignments.iter().for_each(|assignment| set(&mut policy, assignment).unwrap());
            assert!(rules(&policy).contains(&"contradiction"), "{base}");
        }
    }

    #[test]
    fn what_a_replay_saves_and_takes_is_told_with_both_figures() {
        let bill = |sent, cached, dollars| Bill { sent, cached, dollars: Some(dollars), ..Bill::default() };
        let now = bill(55_536_833, 50_000_000, 20.0);
        for (then, told) in [
            (
                bill(59_179_727, 53_737_723, 17.66),
                "sends 3,642,894 tokens more in all, but 94,829 tokens less that are not read from the cache, and costs $2.34 less",
            ),
            (bill(55_536_833, 50_000_000, 20.0), "saves no token"),
            (bill(55_536_833, 50_000_000, 20.25), "saves no token, and costs $0.250 more"),
            (bill(55_536_833, 50_000_000, 20.00002), "saves no token"),
            (bill(55_536_833, 50_094_829, 19.0), "sends as many tokens, and reads 94,829 tokens more from the cache"),
            (
                bill(55_536_833, 49_999_000, 20.5),
                "sends as many tokens, and reads 1,000 tokens less from the cache, and costs $0.500 more",
            ),
            (bill(55_536_000, 49_999_500, 19.0), "sends 833 tokens less"),
            (bill(55_537_833, 50_001_000, 21.0), "sends 1,000 tokens more, and costs $1.00 more"),
            (
                bill(55_535_833, 49_998_000, 21.0),
                "sends 1,000 tokens less in all, but 1,000 tokens more that are not read from the cache, and costs $1.00 more",
            ),
        ] {
            assert_eq!(Saved::of(&now, &then).sentence(), told);
        }
    }

    #[test]
    fn each_names_a_setting_that_there_is() {
        for name in ["none", "drop-oldest", "five-layer", "internal-agent", "memory-harness"] {
            let found = of_policy(&named(name), &Policy::default(), 200_000);
            assert!(found.iter().all(|own| crate::policy::named(own.setting).is_some()), "{name}: {found:?}");
        }
    }

    #[test]
    fn each_mend_is_a_setting_that_takes_its_pattern_away() {
        let mut policy = Policy::default();
        for assignment in ["summarise.on=true", "cache.boundary=false", "instructions.on=true"] {
            set(&mut policy, assignment).unwrap();
        }
        set(&mut policy, "instructions.scoped=false").unwrap();
        let found = of_policy(&policy, &Policy::default(), 200_000);
        let mended: Vec<&Own> = found.iter().filter(|own| !own.mends.is_empty()).collect();
        let of = ["no-truncation", "one-pass-summary", "moving-prefix", "all-instructions"];
        assert_eq!(mended.iter().map(|own| own.finding.rule).collect::<Vec<_>>(), of);
        for own in mended {
            let mut policy = policy.clone();
            own.mends.iter().for_each(|mend| set(&mut policy, mend).unwrap());
            assert!(!rules(&policy).contains(&own.finding.rule), "{own:?}");
            assert_eq!(own.finding.help, told(own.mends));
        }
    }

    #[test]
    fn a_policy_alone_shows_what_it_lacks() {
        assert!(rules(&named("five-layer")).is_empty(), "{:?}", rules(&named("five-layer")));
        assert!(rules(&named("drop-oldest")).contains(&"fixed-trimming"));
        assert!(rules(&named("none")).contains(&"no-truncation"));
        let mut policy = named("five-layer");
        for (assignment, rule) in [
            ("cache.boundary=false", "moving-prefix"),
            ("tool_results.on=false", "no-truncation"),
            ("summarise.target=90000", "summary-over-reserve"),
        ] {
            set(&mut policy, assignment).unwrap();
            assert!(rules(&policy).contains(&rule), "{rule}: {:?}", rules(&policy));
        }
        for off in ["microcompact.on=false", "collapse.on=false"] {
            set(&mut policy, off).unwrap();
        }
        assert!(rules(&policy).contains(&"one-pass-summary"));
        set(&mut policy, "summarise.at=100%").unwrap();
        set(&mut policy, "reactive.on=false").unwrap();
        assert!(rules(&policy).contains(&"too-long"));
        // Who counts pieces summarises whatever their size.
        set(&mut policy, "summarise.at_events=80").unwrap();
        assert!(!rules(&policy).contains(&"too-long"));
        assert!(!rules(&named("openhands")).contains(&"too-long"));
    }
}
