//! The values that a setting is put to: as they are typed, or a ladder around the present one.

use thiserror::Error;

use super::dial::with;
use crate::policy::{Amount, Kind, Policy, Setting, Size, Unit, Value, named, nearest};

/// Values of one setting, at most.
const MOST: usize = 20_000;
/// Values of a range whose step is not said, about.
const STEPS: f64 = 20.0;
/// A size that takes this share of a window is a threshold of the window: it is moved in percent.
const LARGE: f64 = 0.2;

/// A range that reaches so far has no steps of one.
const WIDE: u64 = 1_000_000;

/// One setting and the values that it is put to.
#[derive(Clone)]
pub struct Vary {
    /// The setting.
    pub setting: &'static Setting,
    /// Its values, in order.
    pub values: Vec<Value>,
}

/// Why a text names no values.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum VaryError {
    /// There is no such setting.
    #[error("there is no setting {0:?}{1}")]
    Unknown(String, String),
    /// It is neither a number nor a switch.
    #[error("{0} holds text: name its values, {0}=A,B,C")]
    Text(&'static str),
    /// None are named behind the sign that they stand behind.
    #[error(
        "{0}= names no values; {0} alone takes values around the present one, {0}=A,B,C or {0}=FROM..TO those named"
    )]
    None(&'static str),
    /// They are too many.
    #[error("{0}: more than {MOST} values; name a larger step, {0}=FROM..TO:STEP")]
    Many(&'static str),
    /// A step that leads nowhere.
    #[error("{0}: a step of {1} never ends; name one above 0")]
    Step(&'static str, String),
    /// One of them is not allowed.
    #[error("{0}: {1:?} is not allowed; allowed: {2}")]
    Refused(&'static str, String, String),
}

impl Vary {
    /// Reads `KEY=A,B,C`, `KEY=FROM..TO`, `KEY=FROM..TO:STEP` (up or down), or `KEY` alone for a ladder around the
    /// present value.
    ///
    /// # Errors
    /// What is the matter with it.
    pub fn parse(text: &str, policy: &Policy, window: u64) -> Result<Vary, VaryError> {
        let (key, values) = text.split_once('=').map_or((text, None), |(key, values)| (key, Some(values)));
        let setting = named(key.trim()).ok_or_else(|| {
            let near = nearest(key).map_or_else(String::new, |near| format!("; did you mean {near}?"));
            VaryError::Unknown(key.to_owned(), near)
        })?;
        let Some(values) = values.filter(|values| !values.trim().is_empty()) else {
            let around = Vary::around(setting, policy, window).ok_or(VaryError::Text(setting.key))?;
            return if values.is_some() { Err(VaryError::None(setting.key)) } else { Ok(around) };
        };
        if let Some(step) = no_step(values) {
            return Err(VaryError::Step(setting.key, step.to_owned()));
        }
        let texts = range(values).unwrap_or_else(|| values.split(',').map(|value| value.trim().to_owned()).collect());
        if texts.len() > MOST {
            return Err(VaryError::Many(setting.key));
        }
        let values: Vec<Value> = texts.iter().map(|text| Value::from_argument(text, setting.kind)).collect();
        let mut both = texts.iter().zip(&values);
        if let Some((text, _)) = both.find(|(_, value)| with(policy, setting, value).is_none()) {
            return Err(VaryError::Refused(setting.key, text.clone(), setting.allowed()));
        }
        Ok(Vary { setting, values }.allowed(policy))
    }

    /// Values around a setting's present one, itself among them; `None` for text and lists. `window`: what shares refer
    /// to, and what the size of a window comes to that is not set.
    #[must_use]
    pub fn around(setting: &'static Setting, policy: &Policy, window: u64) -> Option<Vary> {
        let now = (setting.get)(policy);
        let values = match (setting.kind, &now) {
            (Kind::Bool, _) => vec![Value::Bool(false), Value::Bool(true)],
            (Kind::Choice(names), _) => names.iter().map(|name| Value::Text((*name).to_owned())).collect(),
            (Kind::Share, Value::Float(share)) => {
                hundredths(*share, 5, 95).map(|at| Value::Float(at / 100.0)).collect()
            }
            (Kind::Number, Value::Float(number)) => {
                let near = [0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 4.0]
                    .map(|factor| factor * if *number > 0.0 { *number } else { 1.0 });
                near.into_iter().map(Value::Float).collect()
            }
            (Kind::Minutes, Value::Text(_)) => {
                let Value::Int(number) = setting.default() else { return None };
                let numbers = ladder(u64::try_from(number).unwrap_or(0), setting.range.0, setting.range.1).map(whole);
                std::iter::once(now.clone()).chain(numbers).collect()
            }
            (Kind::Int, Value::Int(0)) if setting.range.1 >= WIDE => unset(setting, window),
            (Kind::Int | Kind::Minutes, Value::Int(number)) => {
                ladder(u64::try_from(*number).unwrap_or(0), setting.range.0, setting.range.1).map(whole).collect()
            }
            (Kind::Size, value) => sizes(Size::written(value)?, setting, window),
            (Kind::Amount, Value::Text(text)) => amounts(Amount::parse(text)?, setting),
            (Kind::Amount, Value::Int(number)) => {
                amounts(Amount::Count(u64::try_from(*number).unwrap_or(0), Unit::Tokens), setting)
            }
            _ => return None,
        };
        let vary = Vary { setting, values }.allowed(policy);
        (!vary.values.is_empty()).then_some(vary)
    }

    /// Only the values that the setting takes, each once.
    fn allowed(mut self, policy: &Policy) -> Vary {
        let mut seen: Vec<Value> = Vec::new();
        self.values.truncate(MOST);
        let taken = self.values.iter().filter_map(|value| {
            let policy = with(policy, self.setting, value)?;
            let taken = (self.setting.get)(&policy);
            // Beyond a few dozen, values are a range and differ anyway.
            let fresh = seen.len() > 64 || !seen.contains(&taken);
            seen.push(taken.clone());
            fresh.then_some(taken)
        });
        self.values = taken.collect();
        self
    }

    /// With a value between each two, where they are numbers of one kind; the same where there is none.
    #[must_use]
    pub fn finer(&self, policy: &Policy) -> Vary {
        let texts: Vec<String> = self.values.iter().map(Value::plain).collect();
        let mut all: Vec<String> = texts.first().cloned().into_iter().collect();
        for pair in texts.windows(2) {
            if let [one, other] = pair {
                let ends = ending(one).zip(ending(other)).filter(|((_, one), (_, other))| one == other);
                all.extend(
                    ends.and_then(|((low, unit), (high, _))| between(low, high).map(|at| format!("{at}{unit}"))),
                );
                all.push(other.clone());
            }
        }
        self.with(policy, &all)
    }

    /// Without every other value; the first and the last stay.
    #[must_use]
    pub fn coarser(&self, policy: &Policy) -> Vary {
        let texts: Vec<String> = self.values.iter().map(Value::plain).collect();
        let last = texts.len().saturating_sub(1);
        let kept = texts.iter().enumerate().filter(|(at, _)| at % 2 == 0 || (*at == last && last < 3));
        let kept: Vec<String> = kept.map(|(_, text)| text.clone()).collect();
        if kept.len() < 2 { self.clone() } else { self.with(policy, &kept) }
    }

    fn with(&self, policy: &Policy, texts: &[String]) -> Vary {
        let values = texts.iter().map(|text| Value::from_argument(text, self.setting.kind)).collect();
        Vary { setting: self.setting, values }.allowed(policy)
    }

    /// The same as it is typed, without the key: `A, B, C`.
    #[must_use]
    pub fn text(&self) -> String {
        self.values.iter().map(Value::plain).collect::<Vec<_>>().join(", ")
    }
}

fn whole(number: u64) -> Value {
    Value::Int(i64::try_from(number).unwrap_or(i64::MAX))
}

/// Percents in fives, the present share among them.
fn hundredths(share: f64, from: u32, to: u32) -> impl Iterator<Item = f64> {
    let now = (share * 100.0).round();
    let mut all: Vec<f64> = (from / 5..=to / 5).map(|five| f64::from(five * 5)).collect();
    if all.iter().all(|at| (at - now).abs() > 0.01) {
        all.push(now);
        all.sort_by(f64::total_cmp);
    }
    all.into_iter()
}

/// Numbers around another: one by one where it is small, else from an eighth of it to eight times as much, rounded.
fn ladder(now: u64, least: u64, most: u64) -> impl Iterator<Item = u64> {
    let mut all: Vec<u64> = match now {
        0..=16 => (0..=now * 2 + 4).collect(),
        _ => [8, 6, 4, 3, 2]
            .iter()
            .map(|part| rounded(now / part))
            .chain([rounded(now / 4 * 3), now, rounded(now / 2 * 3)])
            .chain([2, 3, 4, 6, 8].map(|times| rounded(now.saturating_mul(times))))
            .collect(),
    };
    all.retain(|number| (least..=most).contains(number));
    all.sort_unstable();
    all.dedup();
    all.into_iter()
}

/// Values of a setting that is not set, and nothing near zero: what would make a difference in a window of that size.
fn unset(setting: &Setting, window: u64) -> Vec<Value> {
    match (setting.key, setting.unit) {
        ("window.size", _) => ladder(window, 1, setting.range.1).map(whole).collect(),
        (_, "tokens") => {
            let parts = [128, 64, 32, 16, 8, 4, 2].into_iter().map(|part| rounded(window / part));
            std::iter::once(0).chain(parts).map(whole).collect()
        }
        _ => [0, 10, 20, 50, 100, 200, 500].into_iter().map(whole).collect(),
    }
}

/// The number in the middle, whole where both are and where it is another one.
fn between(low: f64, high: f64) -> Option<f64> {
    let middle = f64::midpoint(low, high);
    let whole = low.fract() == 0.0 && high.fract() == 0.0;
    let middle = if whole { middle.floor() } else { (middle * 1e4).round() / 1e4 };
    (middle != low && middle != high).then_some(middle)
}

/// To two digits.
fn rounded(number: u64) -> u64 {
    let mut unit = 1u64;
    while number / unit >= 100 {
        unit = unit.saturating_mul(10);
    }
    (number + unit / 2) / unit * unit
}

#[allow(clippy::cast_precision_loss)]
fn sizes(size: Size, setting: &Setting, window: u64) -> Vec<Value> {
    let percents = |now: f64| {
        let all = hundredths(now / 100.0, 20, 95);
        all.map(|percent| Value::Text(Size::Percent(percent).to_string())).collect()
    };
    match size {
        Size::Percent(percent) => percents(percent),
        // What is said as room below the window is a threshold of it, too.
        Size::Below(below) => {
            let now = Value::Int(-i64::try_from(below).unwrap_or(0));
            among(percents((size.of(window) as f64 / window.max(1) as f64 * 20.0).round() * 5.0), now, window)
        }
        // Larger than any window: nothing ever is, as long as nobody moves it.
        Size::Tokens(tokens) if tokens > window.max(1) * 2 => {
            let all = [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000].into_iter().map(whole);
            all.chain([whole(tokens)]).collect()
        }
        Size::Tokens(tokens) if tokens as f64 >= LARGE * window as f64 && setting.range.1 >= window => {
            among(percents((tokens as f64 / window.max(1) as f64 * 20.0).round() * 5.0), whole(tokens), window)
        }
        Size::Tokens(tokens) => ladder(tokens, setting.range.0, setting.range.1).map(whole).collect(),
        Size::Chars(chars) => {
            ladder(chars, 0, u64::MAX).map(|chars| Value::Text(Size::Chars(chars).to_string())).collect()
        }
    }
}

/// Sizes with another one where it belongs.
fn among(mut sizes: Vec<Value>, other: Value, window: u64) -> Vec<Value> {
    sizes.push(other);
    sizes.sort_by_key(|value| Size::written(value).map_or(0, |size| size.of(window)));
    sizes
}

fn amounts(amount: Amount, setting: &Setting) -> Vec<Value> {
    let text = |amount: Amount| Value::Text(amount.to_string());
    match amount {
        Amount::Percent(percent) => {
            hundredths(percent / 100.0, 5, 95).map(|percent| text(Amount::Percent(percent))).collect()
        }
        amount if amount.is_none() => {
            let turns = [1, 2, 3, 4, 6, 8, 12].map(|turns| text(Amount::Count(turns, Unit::Turns)));
            std::iter::once(text(amount)).chain(turns).collect()
        }
        Amount::Count(number, unit) => {
            ladder(number, setting.range.0, setting.range.1).map(|number| text(Amount::Count(number, unit))).collect()
        }
    }
}

/// The texts, up or down, of `FROM..TO` or `FROM..TO:STEP`, with what stands behind the numbers (`%`, `c`, ` turns`).
fn range(text: &str) -> Option<Vec<String>> {
    let (from, rest) = text.split_once("..")?;
    let (to, step) = rest.split_once(':').unwrap_or((rest, ""));
    let ((from, one), (to, other)) = (ending(from)?, ending(to)?);
    let unit = if other.is_empty() { one } else { other };
    let fine = from.fract() != 0.0 || to.fract() != 0.0;
    let far = (to - from).abs();
    let step = match step.trim() {
        "" if fine => far / STEPS,
        "" => (far / STEPS).floor().max(1.0),
        step => ending(step)?.0,
    };
    if !(step > 0.0 && far >= 0.0) {
        return None;
    }
    let mut all = Vec::new();
    let mut at = 0u32;
    loop {
        let gone = f64::from(at) * step;
        if gone > far + step * 1e-9 || all.len() > MOST {
            return Some(all);
        }
        let number = if to < from { from - gone } else { from + gone };
        let shown = (number * 1e4).round() / 1e4;
        all.push(format!("{shown}{unit}"));
        at += 1;
    }
}

/// The step of a range that has a number for it by which nothing moves.
fn no_step(text: &str) -> Option<&str> {
    let (from, rest) = text.split_once("..")?;
    let (to, step) = rest.split_once(':')?;
    let (_, _, (number, _)) = (ending(from)?, ending(to)?, ending(step)?);
    (number <= 0.0).then(|| step.trim())
}

/// A number, and what stands behind it.
fn ending(text: &str) -> Option<(f64, &str)> {
    let text = text.trim();
    let end = text.find(|sign: char| !(sign.is_ascii_digit() || matches!(sign, '.' | '_' | '-'))).unwrap_or(text.len());
    let (digits, unit) = text.split_at(end);
    let number: f64 = digits.replace('_', "").parse().ok()?;
    let (factor, unit) = match unit {
        "k" => (1e3, ""),
        "M" => (1e6, ""),
        unit => (1.0, unit),
    };
    number.is_finite().then_some((number * factor, unit))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::{SECTIONS, preset};

    fn texts(text: &str) -> Vec<String> {
        Vary::parse(text, &Policy::default(), 200_000).unwrap().values.iter().map(Value::plain).collect()
    }

    #[test]
    fn ranges_keep_what_stands_behind_their_numbers() {
        assert_eq!(texts("summarise.at=60%..90%:10"), ["60%", "70%", "80%", "90%"]);
        assert_eq!(texts("summarise.at=60..90%:15%"), ["60%", "75%", "90%"]);
        assert_eq!(texts("summarise.at=90%..60%:10%"), ["90%", "80%", "70%", "60%"]);
        assert_eq!(texts("tool_results.virtual_over=5k..20k:5k"), ["5000", "10000", "15000", "20000"]);
        assert_eq!(texts("tool_results.head_share=0.1..0.3:0.1"), ["0.1", "0.2", "0.3"]);
        assert_eq!(texts("summarise.keep_tail=1..3 turns"), ["1 turn", "2 turns", "3 turns"]);
        assert_eq!(texts("summarise.on=true,false"), ["true", "false"]);
        assert_eq!(texts("summarise.target=0..1000").len(), 21);
    }

    #[test]
    fn ranges_grow_finer_and_coarser() {
        let policy = Policy::default();
        let vary = Vary::parse("summarise.at=60%..90%:10", &policy, 200_000).unwrap();
        let finer = vary.finer(&policy);
        assert_eq!(finer.text(), "60%, 65%, 70%, 75%, 80%, 85%, 90%");
        assert_eq!(finer.coarser(&policy).text(), vary.text());
        let switch = Vary::parse("summarise.on", &policy, 200_000).unwrap();
        assert_eq!((switch.finer(&policy).values.len(), switch.coarser(&policy).values.len()), (2, 2));
        let one = Vary::parse("summarise.target=1..2", &policy, 200_000).unwrap();
        assert_eq!(one.finer(&policy).text(), "1, 2");
    }

    #[test]
    fn what_is_not_set_is_tried_where_it_makes_a_difference() {
        assert!(texts("window.size").contains(&"200000".to_owned()) && !texts("window.size").contains(&"0".to_owned()));
        for key in ["reserve.output", "limits.tool_definitions", "limits.tool_calls", "summarise.at_most"] {
            let values: Vec<u64> = texts(key).iter().map(|text| text.parse().unwrap()).collect();
            assert!(values[0] == 0 && values[1] >= 10 && values.len() > 5, "{key}: {values:?}");
        }
        assert_eq!(texts("limits.tool_definitions=0..3").len(), 4, "what is typed is taken");
    }

    #[test]
    fn what_names_no_values_is_refused() {
        let refused = |text: &str| Vary::parse(text, &Policy::default(), 200_000).err().unwrap().to_string();
        assert!(refused("summarise.att").contains("did you mean summarise.at?"));
        assert!(refused("summarise.target=0..999999999:1").contains("larger step"));
        assert!(refused("summarise.at=soon").contains("allowed"));
        assert!(refused("summarise.at=60%,abc").contains(r#""abc" is not allowed"#));
        assert!(refused("summarise.at=60%..").contains(r#""60%..""#));
        assert!(refused("summarise.target=1..10:0").contains("a step of 0 never ends"));
        assert!(refused("summarise.at=60%..90%:-5%").contains("a step of -5% never ends"));
        assert!(refused("microcompact.marker").contains("holds text"));
        for text in ["summarise.at=", "summarise.at= "] {
            assert!(refused(text).starts_with("summarise.at= names no values; summarise.at alone"), "{text}");
        }
    }

    #[test]
    fn every_setting_that_can_be_moved_has_a_ladder_with_its_present_value() {
        let (policy, _) = preset("five-layer", None).unwrap();
        let (mut moved, mut with_now) = (0, 0);
        for setting in SECTIONS.iter().flat_map(|(_, _, settings)| settings.iter()) {
            let Some(vary) = Vary::around(setting, &policy, 200_000) else {
                assert!(matches!(setting.kind, Kind::Text | Kind::List(_)), "{}", setting.key);
                continue;
            };
            moved += 1;
            with_now += usize::from(vary.values.contains(&(setting.get)(&policy)));
            assert!((1..=40).contains(&vary.values.len()), "{}: {}", setting.key, vary.text());
            let again = Vary::parse(&format!("{}={}", setting.key, vary.text()), &policy, 200_000).unwrap();
            assert_eq!(again.values.len(), vary.values.len(), "{}: {}", setting.key, vary.text());
        }
        assert!(moved > 60 && with_now + 8 > moved, "{with_now} of {moved}");
    }
}
