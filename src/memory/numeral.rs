//! Numbers that are written in words: "six", "twenty-five" and "twice" are figures as 6, 25 and 2 are.

use std::borrow::Cow;

use super::figure::{is_unit, joins};
use super::lexer::{Word, words};
use super::words::{exact, is_silent};

/// Numbers by their words, of languages in which the word is nothing else in English: of German, Dutch, French,
/// Spanish, Portuguese, Italian and Russian.
const NUMBERS: &[(u32, &[&str])] = &[
    (0, &["zero"]),
    (2, &["two", "twice", "zwei", "zweimal", "twee", "deux", "dois", "duas", "два", "две", "дважды"]),
    (3, &["three", "thrice", "drei", "dreimal", "drie", "trois", "tres", "três", "tre", "три", "трижды"]),
    (4, &["four", "vier", "viermal", "quatre", "cuatro", "quatro", "quattro", "четыре"]),
    (5, &["five", "fünf", "fünfmal", "vijf", "cinq", "cinco", "cinque", "пять"]),
    (6, &["six", "sechs", "sechsmal", "zes", "seis", "шесть"]),
    (7, &["seven", "sieben", "zeven", "siete", "sete", "sette", "семь"]),
    (8, &["eight", "acht", "huit", "ocho", "oito", "восемь"]),
    (9, &["nine", "neun", "negen", "nueve", "nove", "девять"]),
    (10, &["ten", "zehn", "tien", "diez", "dez", "dieci", "десять"]),
    (11, &["eleven", "onze"]),
    (12, &["twelve", "zwölf", "twaalf", "douze"]),
    (13, &["thirteen"]),
    (14, &["fourteen"]),
    (15, &["fifteen"]),
    (16, &["sixteen"]),
    (17, &["seventeen"]),
    (18, &["eighteen"]),
    (19, &["nineteen"]),
    (20, &["twenty", "zwanzig", "twintig", "vingt", "veinte", "vinte", "venti", "двадцать"]),
    (30, &["thirty"]),
    (40, &["forty", "fourty"]),
    (50, &["fifty"]),
    (60, &["sixty"]),
    (70, &["seventy"]),
    (80, &["eighty"]),
    (90, &["ninety"]),
];

/// Words of many, of which "a" is one: "a dozen".
const MANY: &[&str] = &["billion", "dozen", "hundred", "million", "thousand"];

/// Words behind which "one" is no number but stands for a thing: "this one".
const POINTS: &[&str] = &[
    "another", "any", "big", "each", "every", "first", "good", "last", "new", "next", "no", "old", "other", "same",
    "that", "the", "this", "which",
];

/// Words before which "one" stands for a thing, or for somebody: "one of", "one cannot".
const ONE_WHO: &[&str] =
    &["another", "being", "cannot", "may", "might", "must", "need", "needs", "shall", "thing", "time", "way", "whose"];

/// The words of a plain text, with numbers as their digits.
pub(super) fn counted(plain: &str) -> Vec<Word<'_>> {
    let mut read = words(plain);
    let mut at = 0;
    while at < read.len() {
        let Some(number) = number_at(&read, at) else {
            at += 1;
            continue;
        };
        // "twenty-five" is one.
        let ones = read.get(at + 1).and_then(|word| number_of(&word.text)).filter(|ones| (1..10).contains(ones));
        let joined = read.get(at).is_some_and(|word| word.after == "-") && number >= 20 && number % 10 == 0;
        let ones = ones.filter(|_| joined);
        let (taken, number) = (1 + usize::from(ones.is_some()), number + ones.unwrap_or(0));
        if let Some([first, rest @ ..]) = read.get_mut(at..at + taken) {
            (first.text, first.in_words) = (Cow::Owned(number.to_string()), true);
            for other in rest {
                (first.after, other.text) = (other.after, Cow::Borrowed(""));
            }
        }
        at += taken;
    }
    read.retain(|word| !word.text.is_empty());
    read
}

/// The numbers that a text writes in words, as digits.
#[must_use]
pub fn numbers_in_words(text: &str) -> Vec<String> {
    let plain = exact(text);
    counted(&plain).into_iter().filter(|word| word.in_words).map(|word| word.text.into_owned()).collect()
}

/// Whether a word is a number.
#[must_use]
pub fn is_number_in_words(word: &str) -> bool {
    NUMBERS.iter().any(|(_, names)| names.contains(&word))
}

/// The number that a word names. "one" counts behind a ten, and where it is joined to a word.
pub(super) fn number_of(word: &str) -> Option<u32> {
    if word == "one" {
        return Some(1);
    }
    let known = || NUMBERS.iter().find(|(_, names)| names.contains(&word));
    (word.len() > 2).then(known).flatten().map(|(number, _)| *number)
}

/// The number that a word names where it stands.
fn number_at(read: &[Word], at: usize) -> Option<u32> {
    let (word, next) = (read.get(at)?, read.get(at + 1));
    let text = |word: Option<&Word>| word.map(|word| word.text.to_string()).unwrap_or_default();
    let before = at.checked_sub(1).and_then(|at| read.get(at));
    let follows = next.filter(|_| word.after == " ").map(|next| &*next.text);
    match &*word.text {
        "a" => follows.filter(|next| MANY.contains(next)).map(|_| 1),
        // Else it says when.
        "once" => follows.filter(|next| is_rate(next)).map(|_| 1),
        "one" => {
            let is_thing = follows.is_some_and(|next| {
                !is_silent(next) && !ONE_WHO.contains(&next) && next.chars().all(char::is_alphabetic)
            });
            (is_thing && !POINTS.contains(&&*text(before))).then_some(1)
        }
        _ => {
            let number = number_of(&word.text)?;
            // "two-factor" counts nothing, nor does "zero-day", and a path has names.
            let counts = |next: &Word| {
                let ones = || number_of(&next.text).is_some_and(|ones| ones < 10);
                number > 0 && (is_unit(&next.text) || (number >= 20 && ones()))
            };
            let is_joined = next.is_some_and(|next| joins(word.after) && !(word.after == "-" && counts(next)));
            let is_end = before.is_some_and(|before| joins(before.after));
            (!is_joined && !is_end).then_some(number)
        }
    }
}

/// Whether a word begins to tell how often: "once a day".
fn is_rate(word: &str) -> bool {
    matches!(word, "a" | "an" | "each" | "every" | "per" | "daily" | "hourly" | "monthly" | "weekly" | "yearly")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> String {
        counted(&exact(text)).into_iter().map(|word| word.text).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn numbers_in_words_are_their_digits() {
        for (text, wanted) in [
            ("It retries six times.", "it retries 6 times"),
            ("within two seconds", "within 2 seconds"),
            ("Twice a day, once an hour", "2 a day 1 an hour"),
            ("twenty-five files, thirty-one", "25 files 31"),
            ("a hundred, two hundred and a dozen", "1 hundred 2 hundred and 1 dozen"),
            ("just one line of code", "just 1 line of code"),
            ("a two-second wait", "a 2 second wait"),
            ("Der Client versucht es vier Mal", "der client versucht es 4 mal"),
            ("deux fois par jour", "2 fois par jour"),
            ("десять файлов", "10 файлов"),
        ] {
            assert_eq!(of(text), wanted);
        }
    }

    #[test]
    fn what_counts_nothing_stays_a_word() {
        for text in [
            "this one, one of them, no one",
            "once the tests pass",
            "two-factor login in top-ten lists",
            "a zero-day of May",
            "the one problem",
            "one cannot know",
            "a few of a kind",
        ] {
            let read = of(text);
            assert!(!read.contains(|sign: char| sign.is_ascii_digit()), "{read}");
        }
    }
}
