//! What the words of a text tell: its plain form, sentences, and the words that say something.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};

use rust_stemmers::{Algorithm, Stemmer};
use unicode_normalization::UnicodeNormalization;

use super::lexer::{Word, words};
use super::one_letter_names;
use super::sentences;

/// A text as it is compared: in small letters, blanks as one space (db0: normalised text), signs of other widths as the
/// plain ones. What would be another figure or name stays apart: raised digits, and the capitals of identifiers.
#[must_use]
pub fn plain(text: &str) -> String {
    folded(text, false)
}

/// The same, where names of code keep their capitals: `getUserById` is seen to be one. The lexer makes them small. Names
/// of one letter stay as they are.
pub(super) fn exact(text: &str) -> String {
    folded(text, true)
}

fn folded(text: &str, names: bool) -> String {
    let mut out = String::with_capacity(text.len());
    let (mut rest, mut before) = (text.split_whitespace(), None);
    while let Some(word) = rest.next() {
        if !out.is_empty() {
            out.push(' ');
        }
        if names && one_letter_names::is_name(word, before.replace(word), rest.clone()) {
            out.push_str(word);
        } else if word.is_ascii() {
            small(word, names, &mut out);
        } else {
            small(&numbered(&apart(word).nfkc().collect::<String>()), names, &mut out);
        }
    }
    out
}

/// A word in which what other forms of it would join stays apart: 10⁵ is 10^5, and 1½ is not 11/2.
pub(super) fn apart(word: &str) -> String {
    const RAISED: &str = "\u{2070}\u{b9}\u{b2}\u{b3}\u{2074}\u{2075}\u{2076}\u{2077}\u{2078}\u{2079}";
    let mut out = String::with_capacity(word.len());
    let mut was_raised = false;
    for sign in word.chars() {
        let raised = match sign {
            '\u{207b}' => Some('-'),
            _ => (b'0'..).zip(RAISED.chars()).find(|(_, raised)| *raised == sign).map(|(digit, _)| char::from(digit)),
        };
        if raised.is_some() && !was_raised {
            out.push('^');
        }
        was_raised = raised.is_some();
        let is_digit = matches!(sign, '\u{ff10}'..='\u{ff19}' | '\u{1d7ce}'..='\u{1d7ff}' | '\u{2080}'..='\u{2089}');
        let begins = || std::iter::once(sign).nfkc().next().is_some_and(|first| first.is_ascii_digit());
        match sign {
            _ if raised.is_some() => out.extend(raised),
            '\u{2010}' | '\u{2011}' | '\u{2212}' => out.push('-'),
            '\u{2019}' => out.push('\''),
            _ => {
                if out.ends_with(|last: char| last.is_ascii_digit()) && !sign.is_ascii() && !is_digit && begins() {
                    out.push(' ');
                }
                out.push(sign);
            }
        }
    }
    out
}

/// A text in which the numbers that Chinese and Japanese write in words are figures: 三十 is 30.
fn numbered(text: &str) -> Cow<'_, str> {
    let is_part = |sign: char| matches!(sign, '零' | '〇') || DIGITS.contains(sign) || multiplier(sign).is_some();
    if !text.contains(is_part) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let end = rest.find(|sign| !is_part(sign)).unwrap_or(rest.len()).max(first.len_utf8());
        let (run, after) = rest.split_at(end);
        match number_in_words(run) {
            Some(number) => out.push_str(&number.to_string()),
            None => out.push_str(run),
        }
        rest = after;
    }
    Cow::Owned(out)
}

/// The digits that are written in words, from 1 on; 2 has two.
const DIGITS: &str = "一二三四五六七八九两";

fn multiplier(sign: char) -> Option<u64> {
    Some(match sign {
        '十' => 10,
        '百' => 100,
        '千' => 1_000,
        '万' | '萬' => 10_000,
        _ => return None,
    })
}

/// The number that is written so; `None` of what is as often a word: a sign alone, 千万 and 万一, and digits without what
/// they are multiplied by.
fn number_in_words(run: &str) -> Option<u64> {
    let begins = run.chars().next().is_some_and(|first| first == '十' || DIGITS.contains(first));
    if !begins || run.chars().nth(1).is_none() || !run.contains(|sign| multiplier(sign).is_some()) {
        return None;
    }
    // What stands before 万, below it, and the digit that is still to be multiplied.
    let (mut above, mut below, mut digit, mut last) = (0u64, 0u64, None, 10_000);
    for sign in run.chars() {
        match multiplier(sign) {
            Some(10_000) if above == 0 => {
                above = (below + digit.take().unwrap_or(0)).checked_mul(10_000)?;
                (below, last) = (0, 10_000);
            }
            Some(by) if by < last => {
                below += digit.take().unwrap_or(1) * by;
                last = by;
            }
            Some(_) => return None,
            None if digit.is_some() => return None,
            None => {
                let at = DIGITS.chars().position(|other| other == sign)?;
                digit = Some(if at == 9 { 2 } else { at as u64 + 1 });
            }
        }
    }
    // 九百五 may be 950, and 三万五 35,000.
    match digit {
        Some(_) if last > 10 && (last < 10_000 || above > 0) => None,
        digit => Some(above + below + digit.unwrap_or(0)),
    }
}

/// A word in small letters. An identifier that has digits, small letters and capitals within keeps them, as it is
/// another with others; so does a number of millions or billions, and a name of code where `names` are wanted.
fn small(word: &str, names: bool, out: &mut String) {
    let mut rest = word;
    while let Some(sign) = rest.chars().next() {
        let is_part = |sign: char| sign.is_alphanumeric() || sign == '_';
        let end = rest.find(|sign| !is_part(sign)).unwrap_or(rest.len()).max(sign.len_utf8());
        let (run, after) = rest.split_at(end);
        let is_mixed = run.bytes().any(|byte| byte.is_ascii_digit())
            && run.contains(char::is_lowercase)
            && run.chars().skip(1).any(char::is_uppercase);
        // "5M" is five million, "5m" five metres.
        let is_many = run
            .strip_suffix(['M', 'B'])
            .is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()));
        if is_mixed || is_many || (names && has_hump(run)) {
            out.push_str(run);
        } else {
            out.extend(run.chars().flat_map(char::to_lowercase));
        }
        rest = after;
    }
}

/// Whether `。`, `！` or `？` stands at a byte: 3 bytes that end a sentence without a blank behind them.
#[must_use]
pub fn is_wide_end(bytes: &[u8], at: usize) -> bool {
    matches!(bytes.get(at..at + 3), Some([0xE3, 0x80, 0x82] | [0xEF, 0xBC, 0x81 | 0x9F]))
}

/// Whether a word has a capital behind a small letter: names of code are written so.
pub(super) fn has_hump(word: &str) -> bool {
    word.as_bytes().windows(2).any(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase())
}

/// Characters of what stands for a text at most, where nothing ends it (db0's default summary).
pub(super) const LONGEST_SUMMARY: usize = 120;
/// Characters of a sentence that stands for a text whole.
const LONGEST_WHOLE: usize = 400;
/// What stands behind a text that was cut off (db0's default summary).
pub(super) const CUT_OFF: &str = "...";

/// The range that stands for a text: its first sentence of 10 characters or more (db0's default summary). A line that no
/// sign ends, and a sentence that nobody would call one, is cut.
#[must_use]
pub fn summary(text: &str) -> (usize, usize) {
    let (from, to) = first_sentence(text);
    let sentence = text.get(from..to).unwrap_or_default();
    let ends = sentence.trim_end_matches(['"', '\'', ')', ']', '*', '_', '`', '\u{201d}', '\u{300d}', '\u{300f}']);
    let is_ended = ends.ends_with(['.', '!', '?', '\u{3002}', '\u{ff01}', '\u{ff1f}']);
    let is_whole = is_ended && sentence.chars().nth(LONGEST_WHOLE).is_none();
    (from, if is_whole { to } else { from + cut_to(sentence, LONGEST_SUMMARY) })
}

/// The first sentence of a text that says something, else all of it.
pub(super) fn first_sentence(text: &str) -> (usize, usize) {
    let first = sentences(text).into_iter().find(|(from, to)| text[*from..*to].chars().count() >= 10);
    first.unwrap_or((0, text.len()))
}

/// The length to which a text is cut so that it has at most so many characters with [`CUT_OFF`] behind it; that of all of
/// it where it has no more. A word or a figure is not cut through where a blank stands before it.
pub(super) fn cut_to(text: &str, most: usize) -> usize {
    if text.chars().nth(most).is_none() {
        return text.len();
    }
    let place = |number: usize| text.char_indices().nth(number).map_or(text.len(), |(at, _)| at);
    let end = place(most.saturating_sub(CUT_OFF.len()));
    let low = place(most / 2);
    // What stands behind the end tells whether a word ends there.
    let blank = text.char_indices().take_while(|(at, _)| *at <= end).filter(|(_, sign)| sign.is_whitespace()).last();
    let cut = blank.map(|(at, _)| at).filter(|at| *at >= low).unwrap_or(end);
    text.get(..cut).map_or(cut, |kept| kept.trim_end().len())
}

/// Bytes of a word at most: what is longer is data.
const LONGEST_WORD: usize = 128;

/// Words that say nothing of what a text is about. Unlike `COMMON` of `inquiry::meaning`, it leaves in what a sentence
/// turns on: "no", "not", "must", "may".
const SILENT: &[&str] = &[
    "a", "about", "after", "all", "also", "an", "and", "any", "are", "as", "at", "be", "been", "but", "by", "can",
    "could", "did", "do", "does", "for", "from", "had", "has", "have", "he", "her", "his", "how", "i", "if", "in",
    "into", "is", "it", "its", "just", "me", "more", "my", "of", "on", "or", "our", "she", "should", "so", "some",
    "than", "that", "the", "their", "them", "then", "there", "these", "they", "this", "to", "up", "us", "was", "we",
    "were", "what", "when", "where", "which", "who", "will", "with", "would", "you", "your",
];

/// Bytes of the longest of them.
const LONGEST_SILENT: usize = 6;

/// Whether a word says nothing of what a text is about.
pub(super) fn is_silent(word: &str) -> bool {
    word.len() <= LONGEST_SILENT && SILENT.binary_search(&word).is_ok()
}

/// The stem by which the forms of a word are told to be of one: "adds" and "added", "expecting" and "expectation". Of
/// languages whose script tells which they are, and of English; other words are their own.
pub(super) fn stem_of(word: &str) -> Cow<'_, str> {
    let algorithm = match word.chars().next() {
        Some('a'..='z') => Algorithm::English,
        Some('\u{400}'..='\u{52f}') => Algorithm::Russian,
        Some('\u{370}'..='\u{3ff}') => Algorithm::Greek,
        Some('\u{600}'..='\u{6ff}') => Algorithm::Arabic,
        _ => return Cow::Borrowed(word),
    };
    let is_word = word.len() <= LONGEST_WORD && word.chars().all(|sign| sign.is_alphabetic() || sign == '\'');
    if !is_word {
        return Cow::Borrowed(word);
    }
    Cow::Owned(STEMS.with_borrow_mut(|stems| {
        if let Some(known) = stems.get(word) {
            return known.to_string();
        }
        let stem = Stemmer::create(algorithm).stem(word);
        // "added" has the stem "ad", "add" has "add": two letters count as one.
        let doubled = matches!(stem.as_bytes(), [.., one, last] if one == last && b"bdfgmnprt".contains(last));
        let stem = if doubled { stem[..stem.len() - 1].to_owned() } else { stem.into_owned() };
        if stems.len() >= STEMS_KNOWN {
            stems.clear();
        }
        stems.insert(Box::from(word), Box::from(&*stem));
        stem
    }))
}

/// Stems that a thread remembers: a session says the same words again and again.
const STEMS_KNOWN: usize = 8_192;

thread_local! {
    static STEMS: RefCell<HashMap<Box<str>, Box<str>>> = RefCell::default();
}

/// Calls for each word that says something.
pub(super) fn each_word(text: &str, each: impl FnMut(&str)) {
    each_of(&words(&plain(text)), each);
}

/// The same, of words that have been read.
pub(super) fn each_of(words: &[Word], mut each: impl FnMut(&str)) {
    for word in words {
        let says = word.text.contains(char::is_alphanumeric) && !is_silent(&word.text);
        if says {
            each(word.text.get(..word.text.floor_char_boundary(LONGEST_WORD)).unwrap_or_default());
        }
    }
}

/// The different words of a text that say something.
pub(super) fn word_set(text: &str) -> BTreeSet<String> {
    let mut set = BTreeSet::new();
    each_word(text, |word| {
        set.insert(word.to_owned());
    });
    set
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_a_word_have_one_stem_and_other_words_another() {
        for (one, other) in [
            ("add", "added"),
            ("fix", "fixed"),
            ("move", "moved"),
            ("use", "uses"),
            ("run", "runs"),
            ("deploy", "deployment"),
            ("expecting", "expectation"),
            ("\u{441}\u{435}\u{440}\u{432}\u{435}\u{440}", "\u{441}\u{435}\u{440}\u{432}\u{435}\u{440}\u{430}"),
        ] {
            assert_eq!(stem_of(one), stem_of(other), "{one} {other}");
        }
        for (one, other) in [
            ("authentication", "authorization"),
            ("transaction", "transport"),
            ("verbose", "version"),
            ("parser", "partial"),
        ] {
            assert_ne!(stem_of(one), stem_of(other), "{one} {other}");
        }
    }

    #[test]
    fn silent_words_are_sorted() {
        assert!(SILENT.windows(2).all(|pair| pair[0] < pair[1]));
        assert!(SILENT.iter().all(|word| word.len() <= LONGEST_SILENT));
    }

    #[test]
    fn texts_are_equal_but_for_letters_and_blanks() {
        assert_eq!(plain("  The  Port\n is\t8080 "), "the port is 8080");
        assert_eq!(plain("\u{ff28}ost \u{ff18}\u{ff10} H\u{2082}O MAX_2 Host_7"), "host 80 h2o max_2 host_7");
    }

    #[test]
    fn numbers_in_words_are_figures() {
        assert_eq!(
            plain("日志保留三十天，九十五分，一百二十次，两千行，三万五千"),
            plain("日志保留30天，95分，120次，2000行，35000")
        );
        for text in ["千万不要", "万一", "十分", "一一", "统一", "九百五", "三百零五", "三万五"] {
            assert_eq!(plain(text), text);
        }
    }

    #[test]
    fn other_figures_and_identifiers_are_other_texts() {
        for (one, other) in [
            ("10\u{2075} kg", "105 kg"),
            ("1\u{bd}", "11\u{2044}2"),
            ("5\u{2460}", "51"),
            ("\u{2212}20", "20"),
            ("Qx7rT", "qX7Rt"),
        ] {
            assert_ne!(plain(one), plain(other));
        }
        assert_eq!((plain("10\u{2075}"), plain("\u{2212}20")), ("10^5".to_owned(), "-20".to_owned()));
    }

    #[test]
    fn the_first_sentence_stands_for_a_text() {
        let of = |text: &str| summary(text);
        assert_eq!(of("Hi. The port is 8080. More."), (4, 21));
        assert_eq!(of("short"), (0, 5));
        // Characters, not bytes: the greeting has 7 of them.
        let text = "Привет. Порт шлюза 8080.";
        let (from, to) = of(text);
        assert_eq!(&text[from..to], "Порт шлюза 8080.");
        assert_eq!(of(&"é".repeat(300)), (0, 2 * 117));
        // A sentence stays whole; a line that nothing ends is cut, and no figure with it.
        let long = format!("{} listens on port 54321.", "The staging database of the ledger ".repeat(4));
        assert_eq!(of(&long), (0, long.len()));
        let line = &long[..long.len() - 1];
        let (from, to) = of(line);
        assert!(line[from..to].ends_with("The staging") && to <= 117, "{}", &line[from..to]);
        let figures = format!("{} 1234567890 and more of it", "ab".repeat(55));
        assert_eq!(cut_to(&figures, 120), 110);
    }
}
