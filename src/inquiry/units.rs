//! Numbers with their units in one form: 30 seconds, 30 sec and 30-second become 30s, 2 gigabytes and 2 GB become 2gb.
//! No number is converted: one minute is often no more than a moment where sixty seconds are a limit.

use super::normal::Normal;

/// Units, each by its shortest name first.
const UNITS: &[&[&str]] = &[
    &["ns", "nanosecond", "nanoseconds"],
    &["μs", "us", "usec", "usecs", "microsecond", "microseconds"],
    &["ms", "msec", "msecs", "millisecond", "milliseconds"],
    &["s", "sec", "secs", "second", "seconds"],
    &["min", "mins", "minute", "minutes"],
    &["h", "hr", "hrs", "hour", "hours"],
    &["d", "day", "days"],
    &["week", "weeks", "wk", "wks"],
    &["byte", "bytes"],
    &["kb", "kilobyte", "kilobytes"],
    &["mb", "megabyte", "megabytes"],
    &["gb", "gigabyte", "gigabytes"],
    &["tb", "terabyte", "terabytes"],
    &["kib", "kibibyte", "kibibytes"],
    &["mib", "mebibyte", "mebibytes"],
    &["gib", "gibibyte", "gibibytes"],
    &["tib", "tebibyte", "tebibytes"],
    &["hz", "hertz"],
    &["khz", "kilohertz"],
    &["mhz", "megahertz"],
    &["ghz", "gigahertz"],
    &["px", "pixel", "pixels"],
    &["%", "percent", "pct"],
];

/// Bytes of a number that are looked at.
const LONGEST: usize = 40;

/// A unit behind a number.
pub(super) struct Unit {
    /// Where the number ends.
    from: usize,
    /// Where the unit does.
    to: usize,
    /// Its names.
    pub names: &'static [&'static str],
}

/// The units behind the numbers of evened-out text, in order.
fn units(text: &str) -> impl Iterator<Item = Unit> + '_ {
    let bytes = text.as_bytes();
    let digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    (1..bytes.len()).filter(move |at| digit(at - 1) && !digit(*at)).filter_map(move |from| {
        let before = bytes.get(from.saturating_sub(LONGEST)..from)?;
        let number = before.iter().rposition(|byte| !byte.is_ascii_digit() && !matches!(byte, b'.' | b','));
        // Digits of a name are no number.
        if number.is_some_and(|at| before[at].is_ascii_alphanumeric() || before[at] == b'_') {
            return None;
        }
        let joint = bytes[from];
        let start = from + usize::from(matches!(joint, b' ' | b'-'));
        let rest = text.get(start..)?;
        let letters = rest.find(|sign: char| !sign.is_alphanumeric() && sign != '_').unwrap_or(rest.len());
        let name = if rest.starts_with('%') { "%" } else { &rest[..letters] };
        let names = UNITS.iter().find(|names| names.contains(&name))?;
        // A hyphen stands before a word: 30-second, not 3-d.
        (joint != b'-' || name.len() >= 3).then_some(Unit { from, to: start + name.len(), names })
    })
}

/// Evened-out text with its units by their shortest names, right behind their numbers. `None` where there are none.
#[must_use]
pub(super) fn shortened(normal: &Normal) -> Option<Normal> {
    let mut units = units(&normal.text).peekable();
    units.peek()?;
    let mut out =
        Normal { text: String::with_capacity(normal.text.len()), starts: Vec::with_capacity(normal.starts.len()) };
    let mut kept = 0;
    for unit in units {
        out.text.push_str(normal.text.get(kept..unit.from).unwrap_or_default());
        out.starts.extend_from_slice(normal.starts.get(kept..unit.from).unwrap_or_default());
        out.text.push_str(unit.names[0]);
        out.starts.resize(out.text.len(), normal.starts.get(unit.from).copied().unwrap_or(0));
        kept = unit.to;
    }
    out.text.push_str(normal.text.get(kept..).unwrap_or_default());
    out.starts.extend_from_slice(normal.starts.get(kept..).unwrap_or_default());
    Some(out)
}

/// Evened-out text without its units, and the names of the first.
pub(super) fn without(text: &str) -> Option<(String, &'static [&'static str])> {
    let mut units = units(text).peekable();
    let names = units.peek()?.names;
    let (mut out, mut kept) = (String::new(), 0);
    for unit in units {
        out.push_str(text.get(kept..unit.from).unwrap_or_default());
        out.push(' ');
        kept = unit.to;
    }
    out.push_str(text.get(kept..).unwrap_or_default());
    Some((out, names))
}

#[cfg(test)]
mod tests {
    use super::super::normal::normalise;
    use super::*;

    fn short(text: &str) -> String {
        let normal = normalise(text);
        let found = shortened(&normal).unwrap_or(normal);
        assert_eq!(found.starts.len(), found.text.len() + 1);
        found.text
    }

    #[test]
    fn a_unit_has_one_name() {
        for text in ["after 30 seconds.", "after 30s.", "after 30 sec.", "after 30-second."] {
            assert_eq!(short(text), "after 30s.");
        }
        for (text, even) in [("2 GB, 2.5 gigabytes", "2gb, 2.5gb"), ("50 percent", "50%"), ("5 µs", "5μs")] {
            assert_eq!(short(text), even);
        }
        for text in ["3-d print", "v30 s", "build_30 s", "30 sheep", "5 m", "30 s_max", "s 30", "30"] {
            assert_eq!(short(text), text);
        }
    }

    #[test]
    fn ranges_lead_back_over_a_unit() {
        let text = "The limit is 30 seconds long";
        let found = shortened(&normalise(text)).unwrap();
        let at = found.text.find("30s").unwrap();
        let (from, to) = found.origin(at, at + 3);
        assert_eq!(&text[from as usize..to as usize], "30 seconds");
    }
}
