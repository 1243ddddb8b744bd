//! Numbers as people read them.

/// With thousands separated: `3,102`.
#[must_use]
pub fn count(number: u64) -> String {
    crate::model::thousands(number)
}

/// So many of something: `1 step`, `3,102 steps`.
#[must_use]
pub fn counted(number: u64, one: &str, more: &str) -> String {
    format!("{} {}", count(number), if number == 1 { one } else { more })
}

/// So many times: `never`, `once`, `twice`, `3 times`.
#[must_use]
pub fn times(number: u64) -> String {
    match number {
        0 => "never".to_owned(),
        1 => "once".to_owned(),
        2 => "twice".to_owned(),
        more => format!("{} times", count(more)),
    }
}

/// In at most five columns: `950`, `3.1k`, `12.4k`, `412k`, `1.2M`, `16.6M`, `2.0G`.
#[must_use]
pub fn short(number: u64) -> String {
    scaled(number, 1000, &["", "k", "M", "G", "T", "P", "E"], "")
}

/// A size of stored data: `512 B`, `3.1 KiB`, `88 MiB`.
#[must_use]
pub fn bytes(number: u64) -> String {
    scaled(number, 1024, &["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"], " ")
}

fn scaled(number: u64, base: u64, units: &[&str], gap: &str) -> String {
    let mut scale = 1u64;
    let mut last = "";
    for (index, unit) in units.iter().enumerate() {
        last = unit;
        // What would be rounded up to 1,000 belongs to the next unit.
        let full = u128::from(number) * 2 >= u128::from(scale) * (u128::from(base) * 2 - 1);
        if !full || index + 1 == units.len() {
            if index == 0 {
                return format!("{number}{gap}{unit}");
            }
            break;
        }
        scale = scale.saturating_mul(base);
    }
    let tenths = (u128::from(number) * 10 + u128::from(scale) / 2) / u128::from(scale);
    // Hundreds need no tenths.
    if tenths >= 1000 {
        format!("{}{gap}{last}", (u128::from(number) + u128::from(scale) / 2) / u128::from(scale))
    } else {
        format!("{}.{}{gap}{last}", tenths / 10, tenths % 10)
    }
}

/// Digits behind the point of a score at most.
const SCORE_DIGITS: usize = 4;
/// What is no difference between scores: see [`crate::memory::reaches`].
const EQUAL: f32 = 1e-6;

/// The least score that counts: two digits, and more where it has them.
#[must_use]
pub fn least_score(least: f32) -> String {
    let digits = (2..SCORE_DIGITS)
        .find(|digits| read(&format!("{least:.digits$}")).is_some_and(|shown| (shown - least).abs() < EQUAL));
    format!("{least:.*}", digits.unwrap_or(SCORE_DIGITS))
}

/// A score beside the least that counts: two digits, and more where it would otherwise not be seen which is larger.
#[must_use]
pub fn score(score: f32, least: f32) -> String {
    let reaches = crate::memory::reaches(score, least);
    let is_true = |shown: &String| read(shown).is_some_and(|shown| crate::memory::reaches(shown, least) == reaches);
    let shown = (2..=SCORE_DIGITS).map(|digits| format!("{score:.digits$}")).find(is_true);
    // So near that no digits tell them apart: it is shown as the next smaller number.
    shown.unwrap_or_else(|| format!("{:.*}", SCORE_DIGITS, (score - 0.000_05).max(0.0)))
}

fn read(shown: &str) -> Option<f32> {
    shown.parse().ok()
}

/// US dollars: cents from one dollar on, more digits below: `$12.30`, `$0.052`, `$0.0004`, `<$0.0001`.
#[must_use]
pub fn dollars(amount: f64) -> String {
    match amount {
        _ if !amount.is_finite() => "–".to_owned(),
        0.0 => "$0".to_owned(),
        // What is there is not nothing.
        _ if amount > 0.0 && amount < 0.000_05 => "<$0.0001".to_owned(),
        _ if amount.abs() < 0.01 => format!("${amount:.4}"),
        _ if amount.abs() < 1.0 => format!("${amount:.3}"),
        _ if amount.abs() < 1e6 => format!("${amount:.2}"),
        _ => format!("${amount:.3e}"),
    }
}

/// US dollars of which not all are known: `≥$12.30`.
#[must_use]
pub fn price(amount: f64, costs_more: bool) -> String {
    match dollars(amount) {
        told if !costs_more => told,
        told if told.starts_with('<') => "≥$0".to_owned(),
        told => format!("≥{told}"),
    }
}

/// A part of a whole, rounded: `61 %`; what is there but rounds to nothing is `<1 %`, and what lacks
/// something but rounds to all is `>99 %`.
#[must_use]
pub fn percent(part: u64, whole: u64) -> String {
    if whole == 0 {
        return "–".to_owned();
    }
    let rounded = (u128::from(part) * 100 + u128::from(whole) / 2) / u128::from(whole);
    match rounded {
        0 if part > 0 => "<1 %".to_owned(),
        100 if part < whole => ">99 %".to_owned(),
        _ => format!("{rounded} %"),
    }
}

/// The number below which a share of numbers lies (nearest rank); `None` of none.
#[must_use]
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss)]
pub fn percentile(numbers: &[u64], percent: f64) -> Option<u64> {
    let mut sorted = numbers.to_vec();
    sorted.sort_unstable();
    let rank = (percent.clamp(0.0, 100.0) / 100.0 * sorted.len() as f64).ceil() as usize;
    sorted.get(rank.saturating_sub(1)).copied()
}

/// A length of time in milliseconds, by its two largest units: `350 ms`, `4.2 s`, `3 min 20 s`, `2 h 5 min`, `3 d 4 h`.
#[must_use]
pub fn duration(millis: u64) -> String {
    let seconds = millis / 1000;
    let pair = |big: u64, unit: &str, small: u64, under: &str| match small {
        0 => format!("{big} {unit}"),
        _ => format!("{big} {unit} {small} {under}"),
    };
    match seconds {
        0 => format!("{millis} ms"),
        1..60 => format!("{}.{} s", seconds, millis % 1000 / 100),
        60..3600 => pair(seconds / 60, "min", seconds % 60, "s"),
        3600..86_400 => pair(seconds / 3600, "h", seconds % 3600 / 60, "min"),
        _ => pair(seconds / 86_400, "d", seconds % 86_400 / 3600, "h"),
    }
}

/// How long ago something was, in one short word: `now`, `5m`, `3h`, `2d`, `5w`, `7mo`, `2y`. Both in milliseconds
/// since the Unix epoch; what lies ahead is `now`.
#[must_use]
pub fn age(then: i64, now: i64) -> String {
    let seconds = now.saturating_sub(then).max(0) / 1000;
    match seconds {
        0..60 => "now".to_owned(),
        60..3600 => format!("{}m", seconds / 60),
        3600..86_400 => format!("{}h", seconds / 3600),
        86_400..1_209_600 => format!("{}d", seconds / 86_400),
        1_209_600..5_184_000 => format!("{}w", seconds / 604_800),
        5_184_000..63_072_000 => format!("{}mo", seconds / 2_592_000),
        _ => format!("{}y", seconds / 31_536_000),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands() {
        let cases = [(0, "0"), (999, "999"), (1000, "1,000"), (3102, "3,102"), (1_234_567, "1,234,567")];
        for (number, expected) in cases {
            assert_eq!(count(number), expected);
        }
    }

    #[test]
    fn a_score_is_seen_to_be_below_or_not() {
        for (of, least, shown) in [
            (0.21, 0.4, "0.21"),
            (0.4, 0.4, "0.40"),
            (0.398, 0.4, "0.398"),
            (0.399_6, 0.4, "0.3996"),
            (0.399_99, 0.4, "0.3999"),
            (0.403, 0.4, "0.40"),
            (0.3046, 0.305, "0.30"),
            (0.3049, 0.305, "0.30"),
            (0.3051, 0.305, "0.31"),
            (0.306, 0.3057, "0.31"),
            (0.304, 0.302, "0.304"),
            (0.999_999_5, 1.0, "1.00"),
            (0.999, 1.0, "0.999"),
            (0.0, 0.0, "0.00"),
        ] {
            assert_eq!(score(of, least), shown, "{of} {least}");
        }
        for (least, shown) in [(0.4, "0.40"), (0.75, "0.75"), (0.1125, "0.1125"), (0.305, "0.305"), (1.0, "1.00")] {
            assert_eq!(least_score(least), shown);
        }
    }

    #[test]
    fn percentiles_are_by_nearest_rank() {
        let numbers: Vec<u64> = (1..=10).collect();
        assert_eq!([0.0, 50.0, 90.0, 99.0, 100.0].map(|at| percentile(&numbers, at)), [1, 5, 9, 10, 10].map(Some));
        assert_eq!(percentile(&[], 50.0), None);
    }

    #[test]
    fn five_columns_at_most() {
        let cases = [
            (0, "0"),
            (999, "999"),
            (1000, "1.0k"),
            (3102, "3.1k"),
            (12_400, "12.4k"),
            (99_960, "100k"),
            (412_000, "412k"),
            (999_499, "999k"),
            (999_500, "1.0M"),
            (1_234_567, "1.2M"),
            (35_000_000, "35.0M"),
            (u64::MAX, "18.4E"),
        ];
        for (number, expected) in cases {
            assert_eq!(short(number), expected, "{number}");
        }
        for power in 0..64 {
            assert!(short(1 << power).len() <= 5 && short((1 << power) - 1).len() <= 5);
        }
    }

    #[test]
    fn sizes_money_and_time() {
        assert_eq!(bytes(512), "512 B");
        assert_eq!(bytes(3170), "3.1 KiB");
        assert_eq!(bytes(92_274_688), "88.0 MiB");
        assert_eq!(dollars(12.3), "$12.30");
        assert_eq!(dollars(0.052), "$0.052");
        assert_eq!(dollars(0.0004), "$0.0004");
        assert_eq!(dollars(0.000_049), "<$0.0001");
        assert_eq!(percent(61, 100), "61 %");
        assert_eq!(percent(1, 1000), "<1 %");
        assert_eq!((percent(999, 1000), percent(7, 7)), (">99 %".to_owned(), "100 %".to_owned()));
        assert_eq!(percent(0, 0), "–");
        assert_eq!(duration(350), "350 ms");
        assert_eq!(duration(4250), "4.2 s");
        assert_eq!(duration(200_000), "3 min 20 s");
        assert_eq!(duration(7_500_000), "2 h 5 min");
        assert_eq!(age(0, 59_000), "now");
        assert_eq!(age(0, 3 * 3_600_000), "3h");
        assert_eq!(age(5, 0), "now");
    }
}
