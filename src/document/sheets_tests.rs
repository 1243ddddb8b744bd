//! Tests of workbooks.

use super::*;
use calamine::ExcelDateTimeType;

#[test]
fn a_reader_that_panics_is_told_in_words() {
    let found = guarded(|| Ok([0u8; 2].chunks(2).nth(1).map_or_else(|| panic!("out of bounds"), <[u8]>::len)));
    assert!(matches!(found, Err(Failure::Damaged(why)) if why.contains("cut off")));
    assert!(guarded(|| Ok(())).is_ok());
}

#[test]
fn times_have_no_day_and_keep_their_fractions() {
    let shown = |value: f64, kind| date(&ExcelDateTime::new(value, kind, false));
    assert_eq!(shown(8.5 / 24.0, ExcelDateTimeType::DateTime), "08:30:00");
    assert_eq!(shown(45_000.25, ExcelDateTimeType::DateTime), "2023-03-15 06:00:00");
    assert_eq!(shown(45_000.0 + 1.5 / 86_400.0, ExcelDateTimeType::DateTime), "2023-03-15 00:00:01.5");
    assert_eq!(shown(1.5 + 0.25 / 86_400.0, ExcelDateTimeType::TimeDelta), "36:00:00.25");
}

#[test]
fn dates_that_are_written_as_words_are_shown_like_the_others() {
    let when = |text: &str| Data::DateTimeIso(text.to_owned()).text();
    assert_eq!(when("2024-02-29T13:45:59"), "2024-02-29 13:45:59");
    assert_eq!((when("2024-02-29"), when("08:30:00")), ("2024-02-29".into(), "08:30:00".into()));
    assert_eq!(DataRef::DateTimeIso("2024-02-29T01:00:00".into()).text(), "2024-02-29 01:00:00");
    let length = |text: &str| Data::DurationIso(text.to_owned()).text();
    assert_eq!((length("PT08H30M00S"), length("PT30H05M")), ("08:30:00".into(), "30:05:00".into()));
    assert_eq!((length("-P1DT2H0.250S"), length("P1Y2M")), ("-26:00:00.25".into(), "P1Y2M".into()));
}

#[test]
fn numbers_have_no_digits_that_nobody_wrote() {
    assert_eq!(number(123_456_789_012_345_678.0), "123456789012345680");
    assert_eq!((number(-1e17), number(1e21)), ("-100000000000000000".to_owned(), "1e21".to_owned()));
    assert_eq!(
        (number(1.0), number(-0.25), number(123_456_789_012_345.0)),
        ("1".into(), "-0.25".into(), "123456789012345".into())
    );
    assert_eq!(number(1e-12), "1e-12");
}
