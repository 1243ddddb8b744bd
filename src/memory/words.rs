//! What the words of a text tell: its plain form, sentences, and the words that say something.

use std::collections::BTreeSet;

use unicode_normalization::UnicodeNormalization;

/// A text as it is compared: in small letters, blanks as one space (db0: normalised text).
#[must_use]
pub fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !out.is_empty() {
            out.push(' ');
        }
        out.extend(word.nfkc().flat_map(char::to_lowercase));
    }
    out
}

/// Whether a text is the number of an item, after what marks items and headings.
fn is_number(text: &[u8]) -> bool {
    // What is long is none.
    let marks = |byte: &u8| byte.is_ascii_whitespace() || b"-*#>(".contains(byte);
    let digits = text.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    (1..=3).contains(&digits) && text.len() <= 40 && text.iter().rev().skip(digits).all(marks)
}

/// Whether a line goes on after a number with something else.
fn goes_on(rest: &[u8]) -> bool {
    let blanks = rest.iter().take_while(|byte| **byte == b' ').count();
    (1..=8).contains(&blanks) && rest.get(blanks).is_some_and(|byte| !byte.is_ascii_whitespace())
}

/// The byte ranges of a text's sentences, blanks around them left out: they end at line breaks, and at `.`, `!`, `?`
/// before a blank. The number of an item of a list is left out.
#[must_use]
pub fn sentences(text: &str) -> Vec<(usize, usize)> {
    let (mut found, mut start) = (Vec::new(), 0);
    let mut add = |from: usize, to: usize| {
        let Some(part) = text.get(from..to) else { return };
        let left = part.len() - part.trim_start().len();
        let words = part.trim();
        if !words.is_empty() {
            found.push((from + left, from + left + words.len()));
        }
    };
    let bytes = text.as_bytes();
    for (at, byte) in bytes.iter().enumerate() {
        let begins = start == 0 || bytes[start - 1] == b'\n';
        if *byte == b'.' && begins && is_number(&bytes[start..at]) && goes_on(&bytes[at + 1..]) {
            start = at + 1;
            continue;
        }
        let ends = match byte {
            b'\n' => true,
            b'.' | b'!' | b'?' => bytes.get(at + 1).is_none_or(u8::is_ascii_whitespace),
            _ => false,
        };
        if ends {
            add(start, at + 1);
            start = at + 1;
        }
    }
    add(start, text.len());
    found
}

/// The range that stands for a text: its first sentence of 10 characters or more, within 120 (db0's default summary).
#[must_use]
pub fn summary(text: &str) -> (usize, usize) {
    const LONGEST: usize = 120;
    let first = sentences(text).into_iter().find(|(from, to)| to - from >= 10);
    let (from, to) = first.unwrap_or((0, text.len()));
    let rest = text.get(from..to).unwrap_or_default();
    match rest.char_indices().nth(LONGEST) {
        Some((length, _)) => (from, from + length),
        None => (from, to),
    }
}

/// Words that say nothing of what a text is about.
const SILENT: &[&str] = &[
    "a", "about", "after", "all", "also", "an", "and", "any", "are", "as", "at", "be", "been", "but", "by", "can",
    "could", "did", "do", "does", "for", "from", "had", "has", "have", "he", "her", "his", "how", "i", "if", "in",
    "into", "is", "it", "its", "just", "me", "more", "my", "of", "on", "or", "our", "she", "should", "so", "some",
    "than", "that", "the", "their", "them", "then", "there", "these", "they", "this", "to", "up", "us", "was", "we",
    "were", "what", "when", "where", "which", "who", "will", "with", "would", "you", "your",
];

/// Calls for each word that says something, in small letters.
pub(super) fn each_word(text: &str, mut each: impl FnMut(&str)) {
    let mut word = String::new();
    let mut end = |word: &mut String| {
        if !word.is_empty() && SILENT.binary_search(&word.as_str()).is_err() {
            each(word);
        }
        word.clear();
    };
    for sign in text.nfkc().flat_map(char::to_lowercase) {
        if sign.is_alphanumeric() || sign == '_' {
            // A script without blanks between words gives one word for each sign.
            let alone = matches!(sign, '\u{3040}'..='\u{30FF}' | '\u{3400}'..='\u{9FFF}');
            if alone {
                end(&mut word);
            }
            if word.len() < 128 {
                word.push(sign);
            }
            if alone {
                end(&mut word);
            }
        } else {
            end(&mut word);
        }
    }
    end(&mut word);
}

/// The different figures of a text.
pub(super) fn figures(text: &str) -> BTreeSet<String> {
    let mut set = BTreeSet::new();
    each_word(text, |word| {
        if is_figure(word) {
            set.insert(word.to_owned());
        }
    });
    set
}

/// The different words of a text that say something.
pub(super) fn word_set(text: &str) -> BTreeSet<String> {
    let mut set = BTreeSet::new();
    each_word(text, |word| {
        set.insert(word.to_owned());
    });
    set
}

/// Whether a word is a figure, an identifier or a name in capitals: what a text may not lose.
pub(super) fn is_figure(word: &str) -> bool {
    word.bytes().any(|byte| byte.is_ascii_digit() || byte == b'_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_an_item_is_no_sentence() {
        let of = |text: &'static str| sentences(text).into_iter().map(|(from, to)| &text[from..to]).collect::<Vec<_>>();
        assert_eq!(of("1. Fix it. Then 2.\n## 3. Go on\n4."), ["Fix it.", "Then 2.", "Go on", "4."]);
        assert_eq!(
            of("It takes 14. It is 20. 41. 8443. Done."),
            ["It takes 14.", "It is 20.", "41.", "8443.", "Done."]
        );
    }

    #[test]
    fn silent_words_are_sorted() {
        assert!(SILENT.windows(2).all(|pair| pair[0] < pair[1]));
    }

    #[test]
    fn texts_are_equal_but_for_letters_and_blanks() {
        assert_eq!(plain("  The  Port\n is\t8080 "), "the port is 8080");
    }

    #[test]
    fn sentences_end_where_people_end_them() {
        let text = "One 1.5 thing. Two!\n\n three? four";
        let words: Vec<&str> = sentences(text).into_iter().map(|(from, to)| &text[from..to]).collect();
        assert_eq!(words, ["One 1.5 thing.", "Two!", "three?", "four"]);
    }

    #[test]
    fn the_first_sentence_stands_for_a_text() {
        let of = |text: &str| summary(text);
        assert_eq!(of("Hi. The port is 8080. More."), (4, 21));
        assert_eq!(of("short"), (0, 5));
        assert_eq!(of(&"é".repeat(300)), (0, 240));
    }
}
