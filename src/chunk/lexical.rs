//! Ranking by words: BM25 over the pieces of one document.

use std::collections::HashMap;

use unicode_categories::UnicodeCategories;
use unicode_normalization::UnicodeNormalization;

use crate::content::Watch;
use crate::document::Conversion;

use super::Division;

/// How soon repeating a word stops counting (the usual value).
const K1: f64 = 1.2;
/// How much a long piece is held back (the usual value).
const B: f64 = 0.75;
/// Characters of a word; of what is longer the rest is left out.
const WORD_MAX: usize = 64;

/// The words of a document's pieces.
#[derive(Clone, Debug, Default)]
pub struct Lexical {
    /// Number of a word.
    numbers: HashMap<Box<str>, u32>,
    /// Per word, the pieces that hold it and how often.
    postings: Vec<Vec<(u32, u32)>>,
    /// Words of each piece, counted as often as they occur.
    lengths: Vec<u32>,
    /// The different words of each piece, by number.
    held: Vec<Box<[u32]>>,
}

impl Lexical {
    /// Reads the words of all pieces. Ends early, with what it has, where that is wished.
    #[must_use]
    pub fn of(document: &Conversion, division: &Division, watch: &Watch) -> Lexical {
        let mut lexical = Lexical::default();
        for piece in 0..division.pieces.len() {
            if watch.is_cancelled() {
                break;
            }
            lexical.add(division.text(document, piece));
        }
        lexical
    }

    /// Adds a piece's text.
    fn add(&mut self, text: &str) {
        let piece = u32::try_from(self.lengths.len()).unwrap_or(u32::MAX);
        let mut length = 0;
        let mut held = Vec::new();
        words(text, |word| {
            length += 1;
            let number = match self.numbers.get(word) {
                Some(number) => *number as usize,
                None => {
                    self.numbers.insert(word.into(), u32::try_from(self.postings.len()).unwrap_or(u32::MAX));
                    self.postings.push(Vec::new());
                    self.postings.len() - 1
                }
            };
            if let Some(list) = self.postings.get_mut(number) {
                match list.last_mut() {
                    Some((last, times)) if *last == piece => *times += 1,
                    _ => {
                        list.push((piece, 1));
                        held.push(u32::try_from(number).unwrap_or(u32::MAX));
                    }
                }
            }
        });
        held.sort_unstable();
        self.lengths.push(length);
        self.held.push(held.into());
    }

    /// How much two pieces are alike: the words that both hold, of those that either holds.
    #[must_use]
    #[allow(clippy::cast_precision_loss)]
    pub fn alike(&self, one: usize, other: usize) -> f64 {
        let (Some(one), Some(other)) = (self.held.get(one), self.held.get(other)) else { return 0.0 };
        let both = one.iter().filter(|word| other.binary_search(word).is_ok()).count();
        let either = one.len() + other.len() - both;
        if either == 0 { 0.0 } else { both as f64 / either as f64 }
    }

    /// The score of every piece for a task, 0 where they share no word.
    #[must_use]
    #[allow(clippy::cast_precision_loss)]
    pub fn scores(&self, task: &str) -> Vec<f64> {
        let mut scores = vec![0.0; self.lengths.len()];
        let number = self.lengths.len() as f64;
        let average = self.lengths.iter().map(|length| f64::from(*length)).sum::<f64>() / number.max(1.0);
        let mut asked: Vec<u32> = Vec::new();
        words(task, |word| asked.extend(self.numbers.get(word)));
        asked.sort_unstable();
        asked.dedup();
        for word in asked {
            let Some(list) = self.postings.get(word as usize) else { continue };
            let holding = list.len() as f64;
            let weight = (1.0 + (number - holding + 0.5) / (holding + 0.5)).ln();
            for (piece, times) in list {
                let (Some(score), Some(length)) = (scores.get_mut(*piece as usize), self.lengths.get(*piece as usize))
                else {
                    continue;
                };
                let times = f64::from(*times);
                let long = 1.0 - B + B * f64::from(*length) / average.max(1.0);
                *score += weight * times * (K1 + 1.0) / (times + K1 * long);
            }
        }
        scores
    }
}

/// Calls for each word: letters and digits, in small letters, equal however they are written; signs of scripts without
/// spaces one by one.
fn words(text: &str, mut each: impl FnMut(&str)) {
    let mut word = String::new();
    let mut chars = 0;
    let mut end = |word: &mut String, chars: &mut usize| {
        if !word.is_empty() {
            each(word);
        }
        word.clear();
        *chars = 0;
    };
    for sign in text.nfkc().flat_map(char::to_lowercase) {
        // A soft hyphen, or what a PDF's own font makes of nothing, stands inside a word.
        if sign.is_other_format() || sign.is_other_private_use() {
            continue;
        }
        if is_cjk(sign) {
            end(&mut word, &mut chars);
            word.push(sign);
            end(&mut word, &mut chars);
        } else if sign.is_alphanumeric() || (sign == '_' && !word.is_empty()) {
            if chars < WORD_MAX {
                word.push(sign);
            }
            chars += 1;
        } else {
            end(&mut word, &mut chars);
        }
    }
    end(&mut word, &mut chars);
}

/// Whether a character is of a script that is written without spaces between words (BERT's ranges, and kana).
#[must_use]
pub fn is_cjk(sign: char) -> bool {
    matches!(sign, '\u{3040}'..='\u{30FF}') || is_bert_cjk(sign)
}

/// Whether BERT's own tokenizer puts spaces around a character.
#[must_use]
pub(super) fn is_bert_cjk(sign: char) -> bool {
    matches!(sign,
        '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}' | '\u{20000}'..='\u{2A6DF}'
        | '\u{2A700}'..='\u{2CEAF}' | '\u{2F800}'..='\u{2FA1F}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(texts: &[&str]) -> Lexical {
        let mut lexical = Lexical::default();
        for text in texts {
            lexical.add(text);
        }
        lexical
    }

    #[test]
    fn words_are_equal_however_they_are_written() {
        let mut found = Vec::new();
        words("Ａt\u{AD}ten\u{E000}tion is ALL: 東京 x_1 e\u{301}", |word| found.push(word.to_owned()));
        assert_eq!(found, ["attention", "is", "all", "東", "京", "x_1", "é"]);
    }

    #[test]
    fn scores_are_those_of_the_formula() {
        let lexical = of(&["red red fox", "blue fox", "a dog sleeps here"]);
        let scores = lexical.scores("red fox red");
        // n = 3, average length 3. red: in 1 piece, twice: ln(1 + 2.5 / 1.5) · 2 · 2.2 / (2 + 1.2).
        // fox: in 2 pieces: ln(1 + 1.5 / 2.5) · 2.2 / (1 + 1.2 · (0.25 + 0.75 · length / 3)).
        let red = (1.0_f64 + 2.5 / 1.5).ln() * 4.4 / 3.2;
        let fox = |length: f64| (1.0_f64 + 1.5 / 2.5).ln() * 2.2 / (1.0 + 1.2 * (0.25 + 0.25 * length));
        assert!((scores[0] - (red + fox(3.0))).abs() < 1e-9);
        assert!((scores[1] - fox(2.0)).abs() < 1e-9);
        assert_eq!(scores[2], 0.0);
    }

    #[test]
    fn pieces_are_alike_by_the_words_they_share() {
        let lexical = of(&["red red fox", "blue fox", ""]);
        assert_eq!((lexical.alike(0, 1), lexical.alike(0, 0), lexical.alike(0, 2)), (1.0 / 3.0, 1.0, 0.0));
    }

    #[test]
    fn nothing_asked_scores_nothing() {
        assert_eq!(of(&["a b", ""]).scores("  ?"), [0.0, 0.0]);
        assert!(of(&[]).scores("a").is_empty());
    }
}
