//! Other ways to write one figure: 1.2 s and 1200 ms, 5 pm and 17:00, March 14, 2026 and 2026-03-14.

use super::figure::times;
use super::lexer::Word;

/// Units of time and how many nanoseconds they are: a factor and zeros behind it.
const TIMES: &[(&str, u64, usize)] =
    &[("ns", 1, 0), ("us", 1, 3), ("ms", 1, 6), ("s", 1, 9), ("min", 60, 9), ("h", 3_600, 9)];

const MONTHS: &[&str] = &["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/// The one form of a figure that is written in several: of a span of time and of a time of day.
pub(super) fn one_form(figure: &str) -> Option<String> {
    let (number, unit) = figure.split_once(' ').unwrap_or((figure, ""));
    if let Some((_, factor, zeros)) = TIMES.iter().find(|(name, ..)| *name == unit) {
        let (whole, part) = number.split_once('.').unwrap_or((number, ""));
        // As many zeros less as the number has decimals.
        let zeros = zeros.checked_sub(part.len())?;
        let number = format!("{whole}{part}").parse::<u64>().ok()?.checked_mul(*factor)?;
        return Some(format!("{} ns", times(&number.to_string(), zeros)?));
    }
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
