//! Where the sentences of a text end: a stop behind a word that is cut short, an initial or the number of an item ends
//! none.

use super::abbreviation::{is_cut_short, is_initial};
use super::words::is_wide_end;

/// Words that a number belongs to, and a verb: what follows them within a line numbers no item.
const TAKES_A_NUMBER: &[&str] = &[
    "about", "after", "and", "are", "at", "be", "before", "between", "by", "for", "from", "has", "have", "in", "is",
    "least", "most", "of", "on", "only", "or", "over", "step", "takes", "than", "to", "under", "version", "was",
    "were", "with",
];

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

/// The number of an item within a line, which a stop follows: where its digits begin, and the number. `start`: where the
/// sentence begins; `last`: the number of the item before.
fn item_within(text: &str, (start, stop): (usize, usize), last: Option<u32>) -> Option<(usize, u32)> {
    let before = text.get(start..stop)?;
    let digits = before.bytes().rev().take_while(u8::is_ascii_digit).count();
    let number: u32 = before.get(before.len() - digits..).filter(|_| (1..=3).contains(&digits))?.parse().ok()?;
    let words = before.get(..before.len() - digits)?;
    let opens = words.ends_with(['"', '(', '\u{201c}', '\u{ab}']) || words.trim_end().is_empty();
    let leads = words.trim_end().ends_with([':', '\u{2014}', '\u{2013}']);
    let is_first = number == 1 && (leads || opens) && goes_on(&text.as_bytes()[stop + 1..]);
    // "It takes 2. Then": what a word asks for is no item.
    let asked = || {
        let word = words.trim_end().rsplit(char::is_whitespace).next().unwrap_or_default();
        !words.ends_with(' ') || TAKES_A_NUMBER.contains(&&*word.to_lowercase())
    };
    let is_next = last.and_then(|last| last.checked_add(1)) == Some(number)
        && goes_on(&text.as_bytes()[stop + 1..])
        && (words.trim().is_empty() || !asked());
    (is_first || is_next).then_some((stop - digits, number))
}

/// The word that ends before a place of a sentence, and the one before that.
fn words_before(text: &str) -> (&str, Option<&str>) {
    let mut words = text.rsplit(char::is_whitespace).filter(|word| !word.is_empty());
    (words.next().unwrap_or_default(), words.next())
}

/// Whether the stop at a place, with a blank behind it, belongs to the word before it.
fn belongs(text: &str, start: usize, stop: usize) -> bool {
    // No word that is cut short is longer, nor further away.
    let from = text.ceil_char_boundary(start.max(stop.saturating_sub(80)));
    let (word, before) = words_before(text.get(from..stop).unwrap_or_default());
    if word.is_empty() || word.len() > 16 {
        return false;
    }
    let rest = text.get(stop + 1..).unwrap_or_default();
    let line = rest.get(..rest.find('\n').unwrap_or(rest.len())).unwrap_or_default();
    let next = line.split_whitespace().next();
    is_cut_short(word, next) || is_initial(word, before, next)
}

/// The byte ranges of a text's sentences, blanks around them left out: they end at line breaks, at `.`, `!`, `?`
/// before a blank, and at `。`, `！`, `？` with what closes after them. The number of an item of a list is left out.
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
    // The number of the last item of this line.
    let mut item: Option<u32> = None;
    for (at, byte) in bytes.iter().enumerate() {
        let begins = start == 0 || bytes[start - 1] == b'\n';
        if *byte == b'.' && begins && is_number(&bytes[start..at]) && goes_on(&bytes[at + 1..]) {
            let digits =
                text.get(start..at).unwrap_or_default().trim_start_matches(|sign: char| !sign.is_ascii_digit());
            (start, item) = (at + 1, digits.parse().ok());
            continue;
        }
        let is_blank = || bytes.get(at + 1).is_none_or(u8::is_ascii_whitespace);
        if *byte == b'.' && is_blank() {
            if let Some((from, number)) = item_within(text, (start, at), item) {
                if text.get(start..from).is_some_and(|before| before.contains(char::is_alphanumeric)) {
                    add(start, from);
                }
                (start, item) = (at + 1, Some(number));
                continue;
            }
            if belongs(text, start, at) {
                continue;
            }
        }
        let end = match byte {
            b'\n' => {
                item = None;
                Some(at + 1)
            }
            b'.' | b'!' | b'?' if is_blank() => Some(at + 1),
            0xE3 | 0xEF if is_wide_end(bytes, at) => {
                let closes =
                    |sign: &char| matches!(sign, '\u{300d}' | '\u{300f}' | '\u{ff09}' | '\u{201d}' | '"' | ')');
                let rest = text.get(at + 3..).unwrap_or_default().chars();
                Some(at + 3 + rest.take_while(closes).map(char::len_utf8).sum::<usize>())
            }
            _ => None,
        };
        if let Some(end) = end {
            add(start, end);
            start = end;
        }
    }
    add(start, text.len());
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Vec<&str> {
        sentences(text).into_iter().map(|(from, to)| &text[from..to]).collect()
    }

    #[test]
    fn a_word_that_is_cut_short_ends_no_sentence() {
        for text in [
            "We decided to use e.g. Redis v. 7.2 for it.",
            "We agreed to move to St. Petersburg.",
            "My doctor is Dr. A. B. Smith.",
            "See fig. 3 and no. 5 of J. R. Tolkien.",
            "Wir nehmen z.B. Redis, d.h. ca. 5 davon.",
            "Foo Ltd. makes keys, locks, etc. for us.",
        ] {
            assert_eq!(of(text), [text]);
        }
        assert_eq!(
            of("Use keys, locks, etc. Then go. Is it no. 5? No. Go to plan B. Then stop."),
            ["Use keys, locks, etc.", "Then go.", "Is it no. 5?", "No.", "Go to plan B.", "Then stop."]
        );
    }

    #[test]
    fn items_within_a_line_are_sentences_without_their_numbers() {
        assert_eq!(
            of("\"1. fix lint failing 2. run the tests. 3. ship"),
            ["fix lint failing", "run the tests.", "ship"]
        );
        assert_eq!(
            of("Plan: 1. do it 2. rest\nIt takes 3. Then 4."),
            ["Plan:", "do it", "rest", "It takes 3.", "Then 4."]
        );
        assert_eq!(of("1. It grew to 2. Then it fell."), ["It grew to 2.", "Then it fell."]);
    }

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
    fn chinese_and_japanese_sentences_end_without_a_blank() {
        let text = "超时是30秒。端口不是8080！「改用9090。」好吗？是";
        let words: Vec<&str> = sentences(text).into_iter().map(|(from, to)| &text[from..to]).collect();
        assert_eq!(words, ["超时是30秒。", "端口不是8080！", "「改用9090。」", "好吗？", "是"]);
    }

    #[test]
    fn sentences_end_where_people_end_them() {
        let text = "One 1.5 thing. Two!\n\n three? four";
        let words: Vec<&str> = sentences(text).into_iter().map(|(from, to)| &text[from..to]).collect();
        assert_eq!(words, ["One 1.5 thing.", "Two!", "three?", "four"]);
    }
}
