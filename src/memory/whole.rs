//! Words and phrases that stand in a text as whole ones.

use crate::chunk::is_cjk;

/// Whether a sign is of a script that has no blanks between words: Chinese, Japanese, Thai, Lao, Burmese, Khmer.
fn is_unparted(sign: char) -> bool {
    is_cjk(sign)
        || matches!(sign, '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}' | '\u{3005}')
}

/// Whether what stands at a place of a plain text is a whole word or phrase there: no letter, no digit and no further
/// digit of a number stands beside it.
pub(super) fn is_whole(text: &str, at: usize, length: usize) -> bool {
    let (before, found, after) = (&text[..at], &text[at..at + length], &text[at + length..]);
    let is_word = |sign: Option<char>| sign.is_some_and(|sign| sign.is_alphanumeric() || sign == '_');
    let is_digit = |sign: Option<char>| sign.is_some_and(|sign| sign.is_ascii_digit());
    let joins = |sign: Option<char>| matches!(sign, Some('.' | ','));
    let (first, last) = (found.chars().next(), found.chars().next_back());
    let (mut left, mut right) = (before.chars().rev(), after.chars());
    let (near_left, near_right) = (left.next(), right.next());
    // Where a script has no blanks between words, no sign tells where one begins.
    let joined = |one: Option<char>, other: Option<char>| {
        is_word(one) && is_word(other) && ![one, other].into_iter().flatten().any(is_unparted)
    };
    let starts = !joined(near_left, first);
    let ends = !joined(last, near_right);
    let next_left = left.next();
    let signed = matches!(near_left, Some('-' | '\u{b1}' | '^')) && (near_left == Some('^') || !is_word(next_left));
    let number_left = is_digit(first) && (signed || (joins(near_left) && is_digit(next_left)));
    let number_right = is_digit(last) && (near_right == Some('^') || (joins(near_right) && is_digit(right.next())));
    starts && ends && !number_left && !number_right
}

/// Whether a plain text holds a phrase as whole words.
pub(super) fn holds_words(text: &str, phrase: &str) -> bool {
    !phrase.is_empty() && text.match_indices(phrase).any(|(at, found)| is_whole(text, at, found.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phrases_are_whole_words_and_whole_numbers() {
        assert!(holds_words("the port is 80.", "port is 80") && holds_words("(port is 80)", "port is 80"));
        for text in ["port is 8080", "port is 80.5", "port is 80_a", "report is 80"] {
            assert!(!holds_words(text, "port is 80"), "{text}");
        }
        for (text, phrase) in [
            ("请记住密钥是甲七。", "记住"),
            ("暗証番号を覚えておいてください。", "覚えておいて"),
            ("จำไว้ว่าพอร์ตคือ5433", "พอร์ต"),
        ] {
            assert!(holds_words(text, phrase), "{text}");
        }
        for (text, phrase) in [("at -20 degrees", "20 degrees"), ("x^20", "20"), ("10^5", "10")] {
            assert!(!holds_words(text, phrase), "{text}");
        }
        assert!(holds_words("host-20", "20"));
        assert!(!holds_words("at 3.10", "10") && !holds_words("x", ""));
    }
}
