//! Settings as dials: a number that can be moved by a notch, whatever the setting's kind, or a switch.

use crate::policy::{Amount, Kind, Policy, Setting, Size, Unit, Value};

/// The largest of a number of things that is tried in any case.
const FEW: u64 = 1_000;

/// A setting whose value is a number, at the present policy.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dial {
    unit: Scale,
    /// The present number.
    pub now: u64,
    /// Whether the present value is that number, and not a share that comes to about so many.
    pub exact: bool,
    /// The smallest and the largest.
    pub range: (u64, u64),
    /// The number that stands for no limit, one more than the largest, where 0 is written for it.
    endless: Option<u64>,
}

/// What a dial's number counts.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Scale {
    Int,
    /// Of something else than tokens: a few, as a rule.
    Few,
    Tokens,
    Chars,
    Amount(Unit),
    /// Hundredths.
    Share,
}

impl Dial {
    /// The dials of a setting under a policy; `whole` is what shares refer to, as far as that is known, and of a number of
    /// pieces how many there are. An amount of nothing has one for tokens and one for turns.
    #[must_use]
    pub fn of(setting: &Setting, policy: &Policy, whole: u64) -> Vec<Dial> {
        let value = (setting.get)(policy);
        let (low, mut high) = (setting.range.0, setting.range.1);
        if setting.unit == "events" {
            // More than there are is no limit either.
            let now = if let Value::Int(now) = value { u64::try_from(now).unwrap_or(0) } else { 0 };
            high = high.min(whole.max(now).max(1));
        }
        let endless = high.checked_add(1).filter(|_| setting.endless_at_zero);
        let dial = |unit, now| Dial {
            unit,
            now: endless.filter(|_| now == 0).unwrap_or(now),
            exact: true,
            range: endless.map_or((low, high), |endless| (low.max(1), endless)),
            endless,
        };
        match (setting.kind, &value) {
            (Kind::Int | Kind::Minutes, Value::Int(number)) => {
                let unit = if setting.unit == "tokens" { Scale::Int } else { Scale::Few };
                vec![dial(unit, u64::try_from(*number).unwrap_or(0))]
            }
            (Kind::Share, Value::Float(share)) => {
                let dial = dial(Scale::Share, hundredths(*share));
                vec![Dial { range: (0, 100), exact: dial.value(dial.now) == value, ..dial }]
            }
            (Kind::Size, _) => match Size::written(&value) {
                Some(Size::Chars(chars)) => vec![dial(Scale::Chars, chars)],
                Some(size @ Size::Tokens(_)) => vec![dial(Scale::Tokens, size.of(whole))],
                Some(size) => vec![Dial { exact: false, ..dial(Scale::Tokens, size.of(whole)) }],
                None => Vec::new(),
            },
            (Kind::Amount, Value::Text(text)) => match Amount::parse(text) {
                Some(amount) if amount.is_none() => {
                    vec![dial(Scale::Amount(Unit::Tokens), 0), dial(Scale::Amount(Unit::Turns), 0)]
                }
                Some(Amount::Count(number, unit)) => vec![dial(Scale::Amount(unit), number)],
                Some(Amount::Percent(percent)) => {
                    let tokens = Size::Percent(percent).of(whole);
                    vec![Dial { exact: false, ..dial(Scale::Amount(Unit::Tokens), tokens) }]
                }
                None => Vec::new(),
            },
            _ => Vec::new(),
        }
    }

    /// The setting's value at a number.
    #[must_use]
    #[allow(clippy::cast_precision_loss)]
    pub fn value(&self, number: u64) -> Value {
        let number = if self.endless == Some(number) { 0 } else { number };
        match self.unit {
            Scale::Int | Scale::Few | Scale::Tokens => Value::Int(i64::try_from(number).unwrap_or(i64::MAX)),
            Scale::Chars => Value::Text(Size::Chars(number).to_string()),
            Scale::Amount(unit) => Value::Text(Amount::Count(number, unit).to_string()),
            Scale::Share => Value::Float(number as f64 / 100.0),
        }
    }

    /// The number of a value that [`Dial::value`] gave.
    #[must_use]
    pub fn number(&self, value: &Value) -> Option<u64> {
        let number = match (self.unit, value) {
            (Scale::Int | Scale::Few | Scale::Tokens, Value::Int(number)) => u64::try_from(*number).ok(),
            (Scale::Chars, value) => match Size::written(value) {
                Some(Size::Chars(chars)) => Some(chars),
                _ => None,
            },
            (Scale::Amount(_), Value::Text(text)) => match Amount::parse(text) {
                Some(Amount::Count(number, _)) => Some(number),
                _ => None,
            },
            (Scale::Share, Value::Float(share)) => Some(hundredths(*share)),
            _ => None,
        };
        number.map(|number| self.endless.filter(|_| number == 0).unwrap_or(number))
    }

    /// What to try where the present value turns out to come to another number than thought: numbers around it, the
    /// nearest first, of which one may be on its other side.
    #[must_use]
    pub fn around(&self, figures: &[u64]) -> Vec<u64> {
        let steps = [16, 8, 4, 2].map(|part| self.now / part);
        let mut found: Vec<u64> =
            steps.iter().flat_map(|step| [self.now - step, self.now.saturating_add(*step)]).collect();
        let low = self.range.0.min(self.now);
        found.extend(Dial { range: (low, self.range.1), ..*self }.candidates(figures));
        found.extend([self.now.saturating_sub(1), self.now.saturating_add(1), self.now / 4, self.now / 16]);
        found.retain(|number| *number != self.now && *number <= self.range.1);
        found.sort_unstable();
        found.dedup();
        found.sort_by_key(|number| (number.abs_diff(self.now), *number));
        found
    }

    /// The present number and others to try, the nearest first: figures that were measured, and a ladder outward.
    #[must_use]
    pub fn candidates(&self, figures: &[u64]) -> Vec<u64> {
        let tokens = matches!(self.unit, Scale::Int | Scale::Tokens | Scale::Amount(Unit::Tokens));
        let scaled = |figure: &u64| match self.unit {
            Scale::Chars => figure.saturating_mul(4),
            _ => *figure,
        };
        let counts = matches!(self.unit, Scale::Few | Scale::Chars);
        let measured = figures.iter().filter(|_| tokens || counts).map(scaled);
        let mut found: Vec<u64> = measured.flat_map(|figure| [figure.saturating_sub(1), figure, figure + 1]).collect();
        match self.unit {
            Scale::Share => found.extend((0..=20).map(|step| step * 5)),
            _ => {
                let least = if tokens { 500 } else { 1 };
                let base = if self.endless == Some(self.now) { least } else { self.now.max(least) };
                found.extend(self.endless);
                found.extend([2, 4, 16, 256].map(|factor| base.saturating_mul(factor)));
                found.extend([2, 4, 16, 256].map(|factor| base / factor));
                found.extend([0, 1, 2, 3]);
                found.extend(Some(self.range.1).filter(|most| self.unit == Scale::Few && *most <= FEW));
            }
        }
        found.retain(|number| (self.range.0..=self.range.1).contains(number) && *number != self.now);
        found.sort_unstable();
        found.dedup();
        found.sort_by_key(|number| (number.abs_diff(self.now), *number));
        found
    }
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
fn hundredths(share: f64) -> u64 {
    (share.clamp(0.0, 1.0) * 100.0).round() as u64
}

/// What a switch may be put to instead: the other values of a choice, the opposite of yes or no.
#[must_use]
pub fn switches(setting: &Setting, policy: &Policy) -> Vec<Value> {
    match (setting.kind, (setting.get)(policy)) {
        (Kind::Bool, Value::Bool(on)) => vec![Value::Bool(!on)],
        (Kind::Choice(names), Value::Text(now)) => {
            names.iter().filter(|name| **name != now).map(|name| Value::Text((*name).to_owned())).collect()
        }
        _ => Vec::new(),
    }
}

/// A policy with a setting put to a value; `None` where the value is not allowed.
#[must_use]
pub fn with(policy: &Policy, setting: &Setting, value: &Value) -> Option<Policy> {
    let mut changed = policy.clone();
    (setting.set)(&mut changed, value).ok().map(|()| changed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::{named, set};

    #[test]
    fn every_kind_of_number_is_a_dial() {
        let mut policy = Policy::default();
        for assignment in [
            "summarise.at=80%",
            "tool_results.virtual_head=300c",
            "summarise.keep_tail=2 turns",
            "tool_results.head_share=0.25",
        ] {
            set(&mut policy, assignment).unwrap();
        }
        let dials = |key: &str| Dial::of(named(key).unwrap(), &policy, 1_000);
        let check = |key: &str, number: u64, value: &str| {
            let dial = dials(key)[0];
            assert_eq!(dial.now, number, "{key}");
            assert_eq!(dial.value(number + 1).to_string(), value, "{key}");
            assert_eq!(dial.number(&dial.value(number + 1)), Some(number + 1), "{key}");
            assert!(with(&policy, named(key).unwrap(), &dial.value(number + 1)).is_some());
        };
        check("summarise.at", 800, "801");
        check("tool_results.virtual_head", 300, "\"301c\"");
        check("summarise.keep_tail", 2, "\"3 turns\"");
        check("tool_results.head_share", 25, "0.26");
        check("summarise.target", 20_000, "20001");
        let exact = |key: &str| dials(key)[0].exact;
        assert!(!exact("summarise.at") && exact("summarise.target") && exact("tool_results.head_share"));
        let mut odd = policy.clone();
        set(&mut odd, "tool_results.head_share=0.255").unwrap();
        assert!(!Dial::of(named("tool_results.head_share").unwrap(), &odd, 1_000)[0].exact);
        assert_eq!(dials("summarise.keep_head").len(), 2);
        assert!(dials("summarise.on").is_empty());
        assert_eq!(switches(named("summarise.on").unwrap(), &policy), [Value::Bool(true)]);
    }

    #[test]
    fn no_limit_is_more_than_any() {
        let setting = named("tool_results.message_total").unwrap();
        let mut policy = Policy::default();
        set(&mut policy, "tool_results.message_total=0").unwrap();
        let dial = Dial::of(setting, &policy, 200_000)[0];
        assert_eq!((dial.value(dial.now), dial.value(7)), (Value::Int(0), Value::Int(7)));
        let found = dial.candidates(&[10_000]);
        assert!(found.windows(2).all(|pair| pair[0] > pair[1]) && found.contains(&10_001), "{found:?}");
        set(&mut policy, "tool_results.message_total=600").unwrap();
        let limited = Dial::of(setting, &policy, 200_000)[0];
        assert!(limited.candidates(&[]).iter().any(|number| limited.value(*number) == Value::Int(0)));
        let dial = Dial::of(named("summarise.at_events").unwrap(), &Policy::default(), 90)[0];
        assert_eq!((dial.now, dial.range, dial.value(91)), (91, (1, 91), Value::Int(0)), "as many as there are");
        assert!(dial.candidates(&[]).iter().all(|number| *number <= 91));
    }

    #[test]
    fn candidates_go_outward_and_stay_within() {
        let policy = Policy::default();
        let dial = Dial::of(named("tool_results.virtual_over").unwrap(), &policy, 1_000)[0];
        let found = dial.candidates(&[18_220]);
        assert!(found.contains(&18_220) && found.contains(&18_221) && !found.contains(&10_000));
        assert!(found.windows(2).all(|pair| pair[0].abs_diff(10_000) <= pair[1].abs_diff(10_000)));
        let dial = Dial::of(named("chunks.top").unwrap(), &policy, 1_000)[0];
        let found = dial.candidates(&[16]);
        assert!(found.contains(&16), "{found:?}");
        assert!(found.contains(&20) && found.contains(&40), "{found:?}");
    }
}
