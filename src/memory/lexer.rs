//! The words of a plain text with all that belongs to them: a figure's sign, decimals and exponent, and the signs by
//! which C++ and C# are not C. Whoever compares what texts say reads them here.

use std::borrow::Cow;

use super::figure::is_unit;
use super::words::has_hump;

/// A word, and what stands between it and the next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Word<'a> {
    /// Its letters, in the form in which they are compared.
    pub text: Cow<'a, str>,
    /// What stands after it.
    pub after: &'a str,
    /// Whether it is written as code writes names: with a capital within, or behind two dashes.
    pub is_name: bool,
    /// Whether it is a number that was written in words: see [`super::numeral`].
    pub in_words: bool,
}

/// The text of the word at a place; empty where there is none.
pub(super) fn text_at<'a>(words: &'a [Word], at: usize) -> &'a str {
    words.get(at).map_or("", |word| &*word.text)
}

/// The text of the word that stands so many before a place; empty where there is none.
pub(super) fn text_before<'a>(words: &'a [Word], at: usize, back: usize) -> &'a str {
    at.checked_sub(back).map_or("", |before| text_at(words, before))
}

pub(super) fn is_part(sign: char) -> bool {
    sign.is_alphanumeric() || sign == '_'
}

/// Whether a sign is a word of its own: its script has no blanks between words.
fn is_alone(sign: char) -> bool {
    matches!(sign, '\u{3040}'..='\u{30FF}' | '\u{3400}'..='\u{9FFF}')
}

fn first(text: &str) -> Option<char> {
    text.chars().next()
}

fn is_digit(sign: Option<char>) -> bool {
    sign.is_some_and(|sign| sign.is_ascii_digit())
}

/// The words of a plain text.
pub(super) fn words(plain: &str) -> Vec<Word<'_>> {
    let mut places: Vec<(usize, usize)> = Vec::new();
    let mut at = 0;
    while let Some(sign) = plain.get(at..).and_then(first) {
        match length(plain, at) {
            Some(length) => {
                let split = number_of_unit(&plain[at..at + length]);
                places.extend(split.map(|number| (at, at + number)));
                places.push((at + split.unwrap_or(0), at + length));
                at += length;
            }
            None => at += sign.len_utf8(),
        }
    }
    let ends = places.iter().skip(1).map(|(from, _)| *from).chain([plain.len()]);
    let word = |((from, to), next): (&(usize, usize), usize)| {
        let (text, after) = (plain.get(*from..*to).unwrap_or_default(), plain.get(*to..next).unwrap_or_default());
        // A name that has digits is another with other capitals.
        match has_hump(text) && !is_figure(text) {
            true => Word { text: Cow::Owned(compared(text).to_lowercase()), after, is_name: true, in_words: false },
            false => Word { text: compared(text), after, is_name: text.starts_with("--"), in_words: false },
        }
    };
    places.iter().zip(ends).map(word).collect()
}

/// The length of the word that begins at a place; `None` where none does.
fn length(plain: &str, at: usize) -> Option<usize> {
    let (rest, before) = (&plain[at..], plain[..at].chars().next_back());
    let sign = first(rest)?;
    let next = || rest.get(sign.len_utf8()..).unwrap_or_default();
    match sign {
        _ if is_alone(sign) => Some(sign.len_utf8()),
        _ if is_part(sign) => match word_length(rest) {
            // "non-root" is no root.
            length if rest.starts_with("non-") && length == 3 && begins_word(&rest[4..]) => {
                Some(4 + word_length(&rest[4..]))
            }
            length => Some(length),
        },
        // The option of a program: "--dry-run".
        '-' if rest.starts_with("--")
            && begins_word(&rest[2..])
            && before.is_none_or(|before| before.is_whitespace() || matches!(before, '`' | '"' | '\'' | '(' | '[')) =>
        {
            Some(rest.find(|sign| !is_part(sign) && sign != '-').unwrap_or(rest.len()))
        }
        // A sign belongs to a number unless it stands between two things: "-20", but "10-20" and "file-7".
        '-' | '\u{b1}' | '.' => {
            let joins = before.is_some_and(|before| is_part(before) || matches!(before, '-' | '.' | ')' | ']'));
            (!joins && is_digit(first(next()))).then(|| sign.len_utf8() + word_length(next()))
        }
        '\u{b0}' => {
            let scale = matches!(first(next()), Some('c' | 'f')) && !next().chars().nth(1).is_some_and(is_part);
            Some(sign.len_utf8() + usize::from(scale))
        }
        '%' | '\u{2030}' | '$' | '\u{20ac}' | '\u{a3}' | '\u{a5}' => Some(sign.len_utf8()),
        '\u{2264}' | '\u{2265}' | '\u{2260}' => Some(sign.len_utf8()),
        '<' | '>' if !matches!(before, Some('-' | '=')) => Some(1 + usize::from(next().starts_with('='))),
        '!' if next().starts_with('=') => Some(2),
        _ => None,
    }
}

fn begins_word(text: &str) -> bool {
    first(text).is_some_and(char::is_alphabetic)
}

/// The length of a word of letters and digits.
fn word_length(text: &str) -> usize {
    let mut end = 0;
    while let Some(sign) = text.get(end..).and_then(first) {
        let rest = &text[end + sign.len_utf8()..];
        let last = text[..end].chars().next_back();
        let goes_on = match sign {
            _ if is_part(sign) => !is_alone(sign),
            '\'' => last.is_some() && first(rest).is_some_and(char::is_alphanumeric),
            '.' => is_digit(last) && is_digit(first(rest)),
            ',' => is_grouped(&text[..end], rest, ','),
            '^' => last.is_some() && is_digit(first(rest.strip_prefix('-').unwrap_or(rest))),
            '-' => last == Some('^'),
            _ => false,
        };
        if !goes_on {
            break;
        }
        end += sign.len_utf8();
    }
    // C++, C#, 18+; not a+b.
    let signs = text[end..].chars().take_while(|sign| matches!(sign, '+' | '#')).count();
    let joins = text[end + signs..].chars().next().is_some_and(is_part);
    if (1..=2).contains(&signs) && !joins { end + signs } else { end }
}

/// Whether a mark between two texts groups the digits of one number.
fn is_grouped(before: &str, after: &str, mark: char) -> bool {
    let mut groups = before.split(mark);
    let digits = |group: &str| group.bytes().all(|byte| byte.is_ascii_digit());
    let begins = groups.next().is_some_and(|group| (1..=3).contains(&group.len()) && digits(group));
    let three = after.bytes().take_while(u8::is_ascii_digit).count() == 3;
    begins && three && groups.all(|group| group.len() == 3 && digits(group))
}

/// A word in the form in which it is compared: digits without marks between them, a name without its genitive.
fn compared(word: &str) -> Cow<'_, str> {
    let unsigned = word.strip_prefix('-').unwrap_or(word);
    for mark in [',', '\'', '_'] {
        if let Some((before, after)) = unsigned.rsplit_once(mark)
            && is_grouped(before, after.split('.').next().unwrap_or_default(), mark)
        {
            return Cow::Owned(word.replace(mark, ""));
        }
    }
    match word {
        "<=" => Cow::Borrowed("\u{2264}"),
        ">=" => Cow::Borrowed("\u{2265}"),
        "!=" => Cow::Borrowed("\u{2260}"),
        _ if word.starts_with("non-") => Cow::Owned(word.replacen('-', "", 1)),
        _ if word.starts_with('.') => Cow::Owned(format!("0{word}")),
        _ => Cow::Borrowed(word.strip_suffix("'s").unwrap_or(word)),
    }
}

/// The length of the number that a word begins with, where the rest of it is a unit: `30ms` is `30 ms`.
fn number_of_unit(word: &str) -> Option<usize> {
    let letters = word.find(|sign: char| sign.is_alphabetic()).filter(|at| *at > 0)?;
    let (number, name) = word.split_at(letters);
    (is_number(number) && (is_unit(name) || is_unit(&name.to_lowercase()))).then_some(letters)
}

/// Whether a word is a number.
pub(super) fn is_number(word: &str) -> bool {
    let digits = word.trim_start_matches(['-', '\u{b1}']);
    is_digit(first(digits)) && digits.bytes().all(|byte| byte.is_ascii_digit() || b".,'^-+".contains(&byte))
}

/// Whether a word is a figure or an identifier: what a text may not lose.
pub(super) fn is_figure(word: &str) -> bool {
    word.bytes().any(|byte| byte.is_ascii_digit()) || (word.contains('_') && word.contains(char::is_alphanumeric))
}

#[cfg(test)]
mod tests {
    use super::super::plain;
    use super::super::words::exact;
    use super::*;

    fn of(text: &str) -> Vec<String> {
        words(&plain(text)).into_iter().map(|word| word.text.into_owned()).collect()
    }

    #[test]
    fn words_have_all_that_belongs_to_them() {
        assert_eq!(of("C++ and C# are not C, a+b"), ["c++", "and", "c#", "are", "not", "c", "a", "b"]);
        assert_eq!(of("at -20, \u{2212}20, 10-20 and file-7"), ["at", "-20", "-20", "10", "20", "and", "file", "7"]);
        assert_eq!(of("3.10 of v2.1.20. 10.0.0.1:80"), ["3.10", "of", "v2.1.20", "10.0.0.1", "80"]);
        assert_eq!(of("1,500 1'500 1_500 -1,500.5 80,90 .5"), ["1500", "1500", "1500", "-1500.5", "80", "90", "0.5"]);
        assert_eq!(of("10\u{2075} 10^5 10\u{207b}\u{b2} x\u{b2}"), ["10^5", "10^5", "10^-2", "x^2"]);
        assert_eq!(of("30ms 5GB host_7's don\u{2019}t"), ["30", "ms", "5", "gb", "host_7", "don't"]);
        assert_eq!(of("a <= 3, b \u{2265} 4, c -> d"), ["a", "\u{2264}", "3", "b", "\u{2265}", "4", "c", "d"]);
        assert_eq!(of("non-root, run --dry-run=a -- b"), ["nonroot", "run", "--dry-run", "a", "b"]);
        let read = exact("getUserById of GitHub's PRs in qX7Rt");
        let names: Vec<_> = words(&read).into_iter().filter(|word| word.is_name).map(|word| word.text).collect();
        assert_eq!(names, ["getuserbyid", "github"]);
        assert_eq!(of("\u{6e2f}\u{53e3} 8443"), ["\u{6e2f}", "\u{53e3}", "8443"]);
    }
}
