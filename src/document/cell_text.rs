//! The texts of cells: numbers, dates and lengths of time as people write them.

use calamine::{Data, DataRef, DataType, ExcelDateTime, ExcelDateTimeType};

/// The text of a cell.
pub trait Text {
    /// It, as people write it.
    fn text(&self) -> String;
}

impl Text for Data {
    fn text(&self) -> String {
        match self {
            Data::DateTime(when) => date(when),
            Data::Float(value) => number(*value),
            Data::Error(error) => error.to_string(),
            Data::Bool(true) => "TRUE".to_owned(),
            Data::Bool(false) => "FALSE".to_owned(),
            Data::DateTimeIso(when) => when.replacen('T', " ", 1),
            Data::DurationIso(length) => duration(length).unwrap_or_else(|| length.clone()),
            other => other.as_string().unwrap_or_default(),
        }
    }
}

impl Text for DataRef<'_> {
    fn text(&self) -> String {
        match self {
            DataRef::SharedString(text) => (*text).to_owned(),
            other => Data::from(other.clone()).text(),
        }
    }
}

/// The number of 9999-12-31, the last day that there is in workbooks, and the same where they count from 1904.
const LAST_DAY: (f64, f64) = (2_958_465.0, 2_957_003.0);

/// A date and time, or a length of time in hours, minutes and seconds. A number that is no date is shown as such.
pub fn date(when: &ExcelDateTime) -> String {
    let days = when.as_f64();
    if when.is_duration() {
        let millis = (days * 86_400_000.0).round();
        // What is no number is no length of time, nor is what is longer than any that workbooks can show.
        if days.is_nan() || days.abs() >= LAST_DAY.0 + 1.0 {
            return number(days);
        }
        let (sign, millis) = (if millis < 0.0 { "-" } else { "" }, millis.abs());
        let (hours, rest) = ((millis / 3_600_000.0).floor(), millis % 3_600_000.0);
        let (minutes, rest) = ((rest / 60_000.0).floor(), rest % 60_000.0);
        let (seconds, rest) = ((rest / 1000.0).floor(), rest % 1000.0);
        return format!("{sign}{hours}:{minutes:02}:{seconds:02}{}", fraction(rest as u16));
    }
    let from_1904 = *when == ExcelDateTime::new(days, ExcelDateTimeType::DateTime, true);
    let last = if from_1904 { LAST_DAY.1 } else { LAST_DAY.0 };
    if !(0.0..last + 1.0).contains(&days) {
        return number(days);
    }
    let (year, month, day, hour, minute, second, milli) = when.to_ymd_hms_milli();
    let time = format!("{hour:02}:{minute:02}:{second:02}{}", fraction(milli));
    // Before its first day there is only a time.
    if days < 1.0 { time } else { format!("{year:04}-{month:02}-{day:02} {time}") }
}

/// A length of time as ISO 8601 writes it (`PT8H30M0S`, as OpenDocument keeps times of day, too), in hours, minutes and
/// seconds; `None` where it is none, or has months, which are no number of hours.
fn duration(iso: &str) -> Option<String> {
    let (sign, rest) = iso.strip_prefix('-').map_or(("", iso), |rest| ("-", rest));
    let (days, time) = rest.strip_prefix('P')?.split_once('T')?;
    let days: u64 = if days.is_empty() { 0 } else { days.strip_suffix('D')?.parse().ok()? };
    let mut parts = ["0"; 3];
    let mut time = time;
    for (part, unit) in parts.iter_mut().zip(['H', 'M', 'S']) {
        if let Some((value, after)) = time.split_once(unit) {
            (*part, time) = (value, after);
        }
    }
    let [hours, minutes, seconds] = parts;
    let (seconds, fraction) = seconds.split_once(['.', ',']).unwrap_or((seconds, ""));
    let number = |text: &str| text.parse::<u64>().ok();
    let hours = days.checked_mul(24)?.checked_add(number(hours)?)?;
    let fraction = fraction.trim_end_matches('0');
    let dot = if fraction.is_empty() { "" } else { "." };
    let (minutes, seconds) = (number(minutes)?, number(seconds)?);
    time.is_empty().then(|| format!("{sign}{hours:02}:{minutes:02}:{seconds:02}{dot}{fraction}"))
}

/// Thousandths of a second behind it, where there are some.
fn fraction(millis: u16) -> String {
    if millis == 0 { String::new() } else { format!(".{millis:03}").trim_end_matches('0').to_owned() }
}

/// Whole numbers below this are written as such: who looks for an id looks for its digits.
const WHOLE_BELOW: f64 = 1e21;

/// A number as people write it, but for those that are far too long.
pub fn number(value: f64) -> String {
    // Zero has no sign.
    let value = if value == 0.0 { 0.0 } else { value };
    let long = value.abs() >= WHOLE_BELOW || (value != 0.0 && value.abs() < 1e-9);
    if long { format!("{value:e}") } else { value.to_string() }
}
