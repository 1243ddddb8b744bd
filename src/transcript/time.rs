//! Timestamps as transcripts write them, without a date library on every line.

/// Milliseconds since the Unix epoch of `2026-01-31T12:00:00.123Z`, or with an offset (`+02:00`, `+0200`, `+02`).
pub(super) fn milliseconds(text: &[u8]) -> Option<i64> {
    let number = |from: usize, to: usize| -> Option<i64> {
        let digits = text.get(from..to)?;
        digits.iter().try_fold(0i64, |sum, digit| digit.is_ascii_digit().then(|| sum * 10 + i64::from(digit - b'0')))
    };
    let sign = |at: usize, expected: &[u8]| text.get(at).filter(|byte| expected.contains(byte));
    sign(4, b"-").and(sign(7, b"-")).and(sign(10, b"Tt ")).and(sign(13, b":")).and(sign(16, b":"))?;
    let (year, month, day) = (number(0, 4)?, number(5, 7)?, number(8, 10)?);
    let (hour, minute, second) = (number(11, 13)?, number(14, 16)?, number(17, 19)?);
    if !(1..=12).contains(&month) || !(1..=31).contains(&day) || hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    let rest = text.get(19..)?;
    let fraction = rest.strip_prefix(b".").map_or(0, |after| after.iter().take_while(|b| b.is_ascii_digit()).count());
    let mut thousandths = 0;
    for place in 0..3 {
        let digit = if place < fraction { number(20 + place, 21 + place)? } else { 0 };
        thousandths = thousandths * 10 + digit;
    }
    let zone = 19 + if rest.starts_with(b".") { fraction + 1 } else { 0 };
    let offset = match text.get(zone) {
        None | Some(b'Z' | b'z') => 0,
        Some(way @ (b'+' | b'-')) => {
            let hours = number(zone + 1, zone + 3)?;
            let minutes = match text.get(zone + 3..)? {
                [] => 0,
                [b':', ..] => number(zone + 4, zone + 6)?,
                _ => number(zone + 3, zone + 5)?,
            };
            if hours > 23 || minutes > 59 {
                return None;
            }
            let minutes = hours * 60 + minutes;
            if *way == b'+' { minutes } else { -minutes }
        }
        Some(_) => return None,
    };
    let seconds = days(year, month, day) * 86_400 + hour * 3_600 + (minute - offset) * 60 + second;
    Some(seconds * 1_000 + thousandths)
}

/// Days since 1970-01-01 in the Gregorian calendar, counted in years that begin in March.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

#[cfg(test)]
mod tests {
    use super::milliseconds;

    #[test]
    fn agrees_with_a_date_library() {
        for text in [
            "1970-01-01T00:00:00Z",
            "2026-02-28T23:59:59.999Z",
            "2024-02-29T12:00:00.5Z",
            "2000-03-01T00:00:00.123456Z",
            "2025-12-31T23:30:00+05:30",
            "1999-12-31T00:00:00.01-08:00",
            "2025-12-31T23:30:00+0530",
            "2025-12-31T23:30:00.5-0345",
            "2025-12-31T23:30:00+05",
        ] {
            let expected = text.parse::<jiff::Timestamp>().unwrap().as_millisecond();
            assert_eq!(milliseconds(text.as_bytes()), Some(expected), "{text}");
        }
    }

    #[test]
    fn refuses_what_is_no_timestamp() {
        for text in [
            "",
            "2026",
            "2026-13-01T00:00:00Z",
            "2026-01-01T00:00:00X",
            "[trimmed for fixture]",
            "2026-01-0aT00:00:00Z",
            "2026-01-01T00:00:00+05:60",
            "2026-01-01T00:00:00+05:",
            "2026-01-01T00:00:00+053",
            "2026-01-01T00:00:00+24:00",
        ] {
            assert_eq!(milliseconds(text.as_bytes()), None, "{text}");
        }
    }
}
