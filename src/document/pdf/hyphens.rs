//! Words that a line's end parts: put together again, with their hyphen where it belongs to them.

use std::collections::HashSet;

/// Words that are remembered of a document, to tell how it writes others.
const WORDS_MAX: usize = 100_000;
/// Words before which a hyphen stands for what is said once, behind them: `pre- and post-war`.
const CONJUNCTIONS: &[&str] = &["and", "or", "to", "und", "oder", "bis", "et", "ou", "en", "of", "y", "o", "e"];

/// The words that a document has within its lines so far, in lower case; those with a hyphen also as a whole.
#[derive(Default)]
pub struct Words(HashSet<String>);

impl Words {
    /// Remembers a text's words. The parts of a parted word are none.
    pub fn learn(&mut self, text: &str) {
        let mut before = "";
        for run in text.split(|sign: char| !sign.is_alphanumeric() && !is_hyphen(sign)) {
            let goes_on = before.ends_with(is_hyphen);
            if !run.is_empty() {
                before = run;
            }
            if goes_on || run.ends_with(is_hyphen) {
                continue;
            }
            self.add(run);
            if run.contains(is_hyphen) {
                run.split(is_hyphen).for_each(|part| self.add(part));
            }
        }
    }

    fn add(&mut self, word: &str) {
        if !word.is_empty() && self.0.len() < WORDS_MAX {
            self.0.insert(word.to_lowercase().replace(is_hyphen, "-"));
        }
    }

    fn has(&self, word: &str) -> bool {
        self.0.contains(&word.to_lowercase())
    }

    /// A text with its parted words put together.
    pub fn joined(&self, text: &str) -> String {
        let mut joined = String::with_capacity(text.len());
        let mut done = 0;
        for (at, hyphen) in text.match_indices(is_hyphen) {
            let behind = at + hyphen.len();
            let Some(rest) = text[behind..].strip_prefix([' ', '\n']) else { continue };
            let second = &rest[..rest.find(|sign: char| !sign.is_alphabetic()).unwrap_or(rest.len())];
            let start = text[..at].char_indices().rev().take_while(|(_, sign)| sign.is_alphabetic()).last();
            let Some((start, _)) = start.filter(|_| second.starts_with(char::is_lowercase)) else { continue };
            if CONJUNCTIONS.contains(&second) && !self.has(&format!("{}{second}", &text[start..at])) {
                continue;
            }
            let belongs = hyphen != "\u{ad}" && self.belongs(&text[..start], &text[start..at], second);
            joined.push_str(&text[done..if belongs { behind } else { at }]);
            done = behind + 1;
        }
        joined.push_str(&text[done..]);
        joined
    }

    /// Whether the hyphen between two parts is the word's own.
    fn belongs(&self, before: &str, first: &str, second: &str) -> bool {
        let is_name = first.chars().nth(1).is_none() || first.chars().all(char::is_uppercase);
        let goes_before = before.ends_with(|sign: char| sign.is_numeric() || is_hyphen(sign) || "_@./".contains(sign));
        let are_words = || self.has(first) && self.has(second) && !self.has(&format!("{first}{second}"));
        is_name || goes_before || self.has(&format!("{first}-{second}")) || are_words()
    }
}

fn is_hyphen(sign: char) -> bool {
    matches!(sign, '-' | '\u{2010}' | '\u{ad}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joined(text: &str) -> String {
        let mut words = Words::default();
        words.learn(text);
        words.joined(text)
    }

    #[test]
    fn words_that_a_line_s_end_parts_are_put_together() {
        for (text, whole) in [
            ("to com- pile it", "to compile it"),
            ("Über- lagerung, com-\npile", "Überlagerung, compile"),
            ("com\u{ad} pile and com\u{2010} pile", "compile and compile"),
            ("us- ing, us- ing", "using, using"),
        ] {
            assert_eq!(joined(text), whole);
        }
    }

    #[test]
    fn a_hyphen_that_belongs_to_a_word_is_kept() {
        for (text, whole) in [
            ("a well- known and a well-known one", "a well-known and a well-known one"),
            ("ever- changing, for ever it is changing", "ever-changing, for ever it is changing"),
            ("changing ever- changing everchanging ever", "changing everchanging everchanging ever"),
            ("a TCP- based x- ray of 3d- print", "a TCP-based x-ray of 3d-print"),
            ("info@some- place, one-on- one", "info@some-place, one-on-one"),
        ] {
            assert_eq!(joined(text), whole);
        }
    }

    #[test]
    fn what_is_no_parted_word_stays() {
        for text in
            ["pre- and post-war", "3- dimensional", "Smith- Jones", "a - b", "one-\n- two", "x-\n\ny", "-", "a- "]
        {
            assert_eq!(joined(text), text);
        }
    }
}
