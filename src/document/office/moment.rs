//! Numbers that are days and times, told by how a workbook writes them.

use calamine::{ExcelDateTime, ExcelDateTimeType};

use crate::document::cell_text::date;

/// What a number tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    Day,
    Time,
    Both,
    /// A length of time.
    Length,
}

/// What numbers that are written so tell: a day (`yyyy\\-mm\\-dd`, `mmm`), a time, both, or a length of time (`[h]:mm`);
/// `None` for other numbers (`0.0" days"`, `[Red]0`).
pub fn moment(code: &str) -> Option<Moment> {
    let (mut quoted, mut bracketed, mut skip) = (false, false, false);
    // Of several shapes the first is that of what is not negative.
    let mut shown = String::new();
    let mut inner = String::new();
    for sign in code.chars() {
        match sign {
            _ if std::mem::take(&mut skip) => {}
            '"' if !bracketed => quoted = !quoted,
            _ if quoted => {}
            ']' => {
                bracketed = false;
                if matches!(inner.as_str(), "h" | "hh" | "m" | "mm" | "s" | "ss") {
                    return Some(Moment::Length);
                }
            }
            _ if bracketed => inner.extend(sign.to_lowercase()),
            '[' => (bracketed, inner) = (true, String::new()),
            '\\' | '_' | '*' => skip = true,
            ';' => break,
            _ => shown.extend(sign.to_lowercase()),
        }
    }
    if shown.contains("general") {
        return None;
    }
    let shown = shown.replace("am/pm", "h").replace("a/p", "h");
    let is_time = shown.contains(['h', 's']);
    // `m` alone is a month, beside hours or seconds minutes; `mmm` is always the name of a month.
    let is_day = shown.contains(['y', 'd']) || shown.contains("mmm") || (shown.contains('m') && !is_time);
    match (is_day, is_time) {
        (true, true) => Some(Moment::Both),
        (true, false) => Some(Moment::Day),
        (false, true) => Some(Moment::Time),
        (false, false) => None,
    }
}

/// The day or time of a number as workbooks count them, written as in their cells.
pub fn written(number: &str, moment: Moment, from_1904: bool) -> Option<String> {
    let value: f64 = number.parse().ok()?;
    if !(0.0..2_958_466.0).contains(&value) {
        return None;
    }
    let (value, kind) = match moment {
        Moment::Length => (value, ExcelDateTimeType::TimeDelta),
        Moment::Time => (value.fract(), ExcelDateTimeType::DateTime),
        // Days are counted from 1, or from 0 in 1904.
        Moment::Day if value < 1.0 && !from_1904 => return None,
        Moment::Day => {
            let when = ExcelDateTime::new(value, ExcelDateTimeType::DateTime, from_1904);
            let (year, month, day, ..) = when.to_ymd_hms_milli();
            return Some(format!("{year:04}-{month:02}-{day:02}"));
        }
        Moment::Both => (value, ExcelDateTimeType::DateTime),
    };
    Some(date(&ExcelDateTime::new(value, kind, from_1904 && moment == Moment::Both)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_days_are_kept() {
        use Moment::{Both, Day, Length, Time};
        for code in ["General", "0.0\" days\"", "[Red]0", "\\d0", "_d0", "0.00E+00", "#,##0;[Red]d"] {
            assert_eq!(moment(code), None, "{code}");
        }
        let known = [
            ("mmm yy", Day),
            ("d", Day),
            ("mmm", Day),
            ("m", Day),
            ("[$-407]mmm\\ yy;@", Day),
            ("m/d/yy h:mm", Both),
            ("h:mm AM/PM", Time),
            ("mm:ss", Time),
            ("[h]:mm", Length),
        ];
        for (code, of) in known {
            assert_eq!(moment(code), Some(of), "{code}");
        }
        let told = |number: &str, of: Moment| written(number, of, false).unwrap_or_default();
        assert_eq!(
            (told("45000.25", Both), told("45000.25", Day)),
            ("2023-03-15 06:00:00".into(), "2023-03-15".into())
        );
        assert_eq!((told("0.25", Time), told("1.5", Length)), ("06:00:00".into(), "36:00:00".into()));
        assert_eq!((told("0", Day), told("x", Day)), (String::new(), String::new()));
        assert_eq!(written("0", Day, true).as_deref(), Some("1904-01-01"));
    }
}
