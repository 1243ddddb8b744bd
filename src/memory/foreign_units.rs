//! Units of other languages: "5 Minuten" is "5 minutes", and is not "5 Stunden". Of German, Dutch, French, Spanish,
//! Portuguese, Italian and Russian, where the word is nothing else in English behind a number.

/// Units by their words: see `UNITS` of [`super::figure`].
const UNITS: &[(&str, &[&str])] = &[
    (
        "ms",
        &[
            "millisekunde",
            "millisekunden",
            "milliseconden",
            "milliseconde",
            "millisecondes",
            "milisegundo",
            "milisegundos",
            "millisecondi",
            "миллисекунда",
            "миллисекунды",
            "миллисекунд",
        ],
    ),
    (
        "s",
        &[
            "sekunde",
            "sekunden",
            "seconden",
            "seconde",
            "secondes",
            "segundo",
            "segundos",
            "secondi",
            "секунда",
            "секунду",
            "секунды",
            "секунд",
        ],
    ),
    ("min", &["minuten", "minuut", "minuto", "minutos", "minuti", "минута", "минуту", "минуты", "минут"]),
    ("h", &["stunde", "stunden", "uur", "uren", "heure", "heures", "hora", "horas", "час", "часа", "часов"]),
    (
        "day",
        &[
            "tage", "tagen", "dagen", "jour", "jours", "día", "días", "dia", "dias", "giorno", "giorni", "день", "дня",
            "дней",
        ],
    ),
    (
        "week",
        &[
            "woche",
            "wochen",
            "weken",
            "semaine",
            "semaines",
            "semana",
            "semanas",
            "settimana",
            "settimane",
            "неделя",
            "неделю",
            "недели",
            "недель",
        ],
    ),
    (
        "month",
        &[
            "monat",
            "monate",
            "monaten",
            "maand",
            "maanden",
            "mois",
            "mes",
            "meses",
            "mês",
            "mese",
            "mesi",
            "месяц",
            "месяца",
            "месяцев",
        ],
    ),
    (
        "year",
        &[
            "jahr", "jahre", "jahren", "jaar", "ans", "année", "années", "año", "años", "ano", "anos", "anno", "anni",
            "год", "года", "лет",
        ],
    ),
    ("litre", &["litro", "litros", "litri", "литр", "литра", "литров"]),
    ("gallon", &["gallone", "gallonen", "galón", "galones", "галлон", "галлона", "галлонов"]),
];

/// Words between how often something is and the unit of time.
const PER: &[&str] = &["al", "am", "par", "por", "pro", "в"];

/// The unit that a word names.
pub(super) fn unit(word: &str) -> Option<&'static str> {
    UNITS.iter().find(|(_, names)| names.contains(&word)).map(|(unit, _)| *unit)
}

/// Whether a word stands between how many there are and of what each has so many.
pub(super) fn is_per(word: &str) -> bool {
    word == "per" || PER.contains(&word)
}

/// The unit of time that two words name as a rate: "par jour".
pub(super) fn rate(per: &str, each: &str) -> Option<&'static str> {
    // A "tag" is a day only here.
    let each = || if each == "tag" { Some("day") } else { unit(each) };
    PER.contains(&per).then(each).flatten()
}

#[cfg(test)]
mod tests {
    use super::super::figure::{figures, is_same};

    #[test]
    fn units_and_rates_of_other_languages_are_those_of_english() {
        let of = |text: &str| figures(text).into_iter().next().unwrap();
        for (one, other) in [
            ("2 Stunden", "120 minutes"),
            ("7 Tage", "1 week"),
            ("30 Liter", "30 litres"),
            ("5 минут", "5 min"),
            ("10 segundos", "10 s"),
            ("3 fois par jour", "3 times a day"),
            ("3 Mal am Tag", "3 times daily"),
            ("4 veces al día", "4 times a day"),
        ] {
            assert!(is_same(&of(one), &of(other)), "{one} {other}");
        }
        for (one, other) in [
            ("2 Stunden", "2 Tage"),
            ("30 Liter", "30 Gallonen"),
            ("5 минут", "5 часов"),
            ("3 fois par jour", "3 fois par semaine"),
        ] {
            assert!(!is_same(&of(one), &of(other)), "{one} {other}");
        }
    }
}
