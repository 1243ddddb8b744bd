//! Other ways to write one figure: 1.2 s and 1200 ms, 2 GB and 2048 MB, 5 pm and 17:00, March 14, 2026 and 2026-03-14.

use super::lexer::Word;

/// Units that are converted, and how many of the smallest of their row they are. Of bytes, 1,024 make a kilobyte.
const UNITS: &[(&str, &[(&str, u128)])] = &[
    (
        "ns",
        &[
            ("ns", 1),
            ("us", 1_000),
            ("ms", 1_000_000),
            ("s", 1_000_000_000),
            ("min", 60_000_000_000),
            ("h", 3_600_000_000_000),
            ("day", 86_400_000_000_000),
            ("week", 604_800_000_000_000),
        ],
    ),
    (
        "byte",
        &[
            ("byte", 1),
            ("kb", 1 << 10),
            ("mb", 1 << 20),
            ("gb", 1 << 30),
            ("tb", 1 << 40),
            ("pb", 1 << 50),
            ("kib", 1 << 10),
            ("mib", 1 << 20),
            ("gib", 1 << 30),
            ("tib", 1 << 40),
        ],
    ),
    // Whoever counts them by thousands.
    (
        "decimal byte",
        &[("byte", 1), ("kb", 1_000), ("mb", 1_000_000), ("gb", 1_000_000_000), ("tb", 1_000_000_000_000)],
    ),
    ("month", &[("month", 1), ("year", 12)]),
    ("mm", &[("mm", 1), ("cm", 10), ("m", 1_000), ("km", 1_000_000)]),
    ("mg", &[("mg", 1), ("g", 1_000), ("kg", 1_000_000)]),
    ("hz", &[("hz", 1), ("khz", 1_000), ("mhz", 1_000_000), ("ghz", 1_000_000_000)]),
    ("watt", &[("watt", 1), ("kw", 1_000)]),
];

const MONTHS: &[&str] = &["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/// The forms of a figure that is written in several: of an amount of what has several units, and of a time of day.
pub(super) fn forms(figure: &str) -> Vec<String> {
    let (number, unit) = figure.split_once(' ').unwrap_or((figure, ""));
    let row = |(smallest, units): &(&str, &[(&str, u128)])| {
        let (_, factor) = units.iter().find(|(name, _)| *name == unit)?;
        Some(format!("{} {smallest}", converted(number, *factor)?))
    };
    let mut found: Vec<String> = UNITS.iter().filter_map(row).collect();
    found.extend(time_of_day(number, unit));
    found
}

/// A number of a larger unit as one of a smaller; `None` where that is none without a fraction.
fn converted(number: &str, factor: u128) -> Option<u128> {
    let (whole, part) = number.split_once('.').unwrap_or((number, ""));
    let all = format!("{whole}{part}").parse::<u128>().ok()?.checked_mul(factor)?;
    let parts = 10_u128.checked_pow(u32::try_from(part.len()).ok()?)?;
    (all % parts == 0).then(|| all / parts)
}

fn time_of_day(number: &str, unit: &str) -> Option<String> {
    let (hour, minutes) = number.split_once(':').unwrap_or((number, "00"));
    let later = match unit {
        "am" => 0,
        "pm" => 12,
        "" if number.contains(':') => return Some(format!("{number} o'clock")),
        _ => return None,
    };
    let hour = hour.parse::<u32>().ok().filter(|hour| (1..=12).contains(hour))?;
    Some(format!("{}:{minutes} o'clock", hour % 12 + later))
}

/// The day that words name from a place on, as year, month and day, and how many words do.
pub(super) fn date(words: &[Word], at: usize) -> Option<(String, usize)> {
    let word = |nth: usize| words.get(at + nth);
    let digits = |nth: usize, length: &[usize]| {
        let text = &*word(nth)?.text;
        let number = ["st", "nd", "rd", "th"].iter().find_map(|end| text.strip_suffix(end)).unwrap_or(text);
        let is_number = length.contains(&number.len()) && number.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then(|| number.parse::<u32>().ok()).flatten()
    };
    let joined = |nth: usize, by: &[&str]| word(nth).is_some_and(|word| by.contains(&word.after.trim_end()));
    let month = |nth: usize| {
        let text = &*word(nth)?.text;
        let known = MONTHS.iter().position(|name| text.get(..3) == Some(name))?;
        (text.len() == 3 || text.len() > 4 || matches!(text, "june" | "july" | "sept")).then_some(known as u32 + 1)
    };
    let (year, month, day) = if joined(0, &["-", "/"]) && joined(1, &["-", "/"]) {
        (digits(0, &[4])?, digits(1, &[2])?, digits(2, &[2])?)
    } else if let Some(month) = month(0) {
        (digits(2, &[4]).filter(|_| joined(0, &["", "."]) && joined(1, &["", ","]))?, month, digits(1, &[1, 2])?)
    } else {
        (
            digits(2, &[4]).filter(|_| joined(0, &["", "."]) && joined(1, &["", ",", "."]))?,
            month(1)?,
            digits(0, &[1, 2])?,
        )
    };
    let is_day = (1..=12).contains(&month) && (1..=31).contains(&day);
    is_day.then(|| (format!("{year:04}-{month:02}-{day:02}"), 3))
}
