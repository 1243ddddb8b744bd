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
    postings: Vec<Postings>,
    /// Words of each piece, counted as often as they occur.
    lengths: Vec<u32>,
    /// The different words of each piece, by number: each as far from the one before as it is.
    held: Vec<Box<[u8]>>,
    /// Whether only words are looked for that were known before: others are counted, and not kept.
    closed: bool,
}

/// The pieces that hold a word, in a few bytes each: a large document has millions of these.
#[derive(Clone, Debug, Default)]
struct Postings {
    /// Per piece, how far it is from the one before, and how often it holds the word.
    packed: Vec<u8>,
    /// The last of them.
    last: u32,
    /// How many there are.
    pieces: u32,
}

impl Postings {
    /// Adds a piece behind all others.
    fn add(&mut self, piece: u32, times: u32) {
        pack(piece - self.last, &mut self.packed);
        pack(times, &mut self.packed);
        (self.last, self.pieces) = (piece, self.pieces + 1);
    }

    /// The pieces, in order, and how often each holds the word.
    fn iter(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        let (mut rest, mut piece) = (self.packed.as_slice(), 0u32);
        std::iter::from_fn(move || {
            piece = piece.wrapping_add(unpack(&mut rest)?);
            Some((piece, unpack(&mut rest)?))
        })
    }
}

/// Writes a number in as few bytes as it needs, seven bits in each.
fn pack(number: u32, to: &mut Vec<u8>) {
    let mut rest = number;
    while rest > 0x7F {
        to.push(rest.to_le_bytes()[0] | 0x80);
        rest >>= 7;
    }
    to.push(rest.to_le_bytes()[0]);
}

/// Reads such a number; `None` where there is no other.
fn unpack(from: &mut &[u8]) -> Option<u32> {
    let mut number = 0;
    for shift in (0..32).step_by(7) {
        let (byte, rest) = from.split_first()?;
        *from = rest;
        number |= u32::from(byte & 0x7F) << shift;
        if byte & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}

/// Numbers that stand in order, each as far from the one before as it is.
fn unpacked(packed: &[u8]) -> impl Iterator<Item = u32> + '_ {
    let (mut rest, mut number) = (packed, 0u32);
    std::iter::from_fn(move || {
        number = number.wrapping_add(unpack(&mut rest)?);
        Some(number)
    })
}

impl Lexical {
    /// Reads the words of all pieces. Ends early, with what it has, where that is wished.
    #[must_use]
    pub fn of(document: &Conversion, division: &Division, watch: &Watch) -> Lexical {
        Lexical::default().reading(document, division, watch)
    }

    /// The same for one task: only its words are kept, so that a document of any words takes little memory. What pieces
    /// have in common is not known then.
    #[must_use]
    pub fn of_task(task: &str, document: &Conversion, division: &Division, watch: &Watch) -> Lexical {
        let mut lexical = Lexical { closed: true, ..Lexical::default() };
        words(task, |word| {
            lexical.number(word);
        });
        lexical.reading(document, division, watch)
    }

    fn reading(mut self, document: &Conversion, division: &Division, watch: &Watch) -> Lexical {
        for piece in 0..division.pieces.len() {
            if watch.is_cancelled() {
                break;
            }
            self.add(division.text(document, piece));
        }
        self
    }

    /// The number of a word, which is new where it is not known.
    fn number(&mut self, word: &str) -> u32 {
        if let Some(number) = self.numbers.get(word) {
            return *number;
        }
        let number = u32::try_from(self.postings.len()).unwrap_or(u32::MAX);
        self.numbers.insert(word.into(), number);
        self.postings.push(Postings::default());
        number
    }

    /// Adds a piece's text.
    fn add(&mut self, text: &str) {
        let piece = u32::try_from(self.lengths.len()).unwrap_or(u32::MAX);
        let mut said: Vec<u32> = Vec::new();
        let mut length = 0u32;
        words(text, |word| {
            length = length.saturating_add(1);
            match self.closed {
                true => said.extend(self.numbers.get(word)),
                false => said.push(self.number(word)),
            }
        });
        said.sort_unstable();
        let (mut held, mut before) = (Vec::new(), 0);
        for same in said.chunk_by(|one, next| one == next) {
            let Some(number) = same.first() else { continue };
            if let Some(postings) = self.postings.get_mut(*number as usize) {
                postings.add(piece, u32::try_from(same.len()).unwrap_or(u32::MAX));
            }
            pack(number - before, &mut held);
            before = *number;
        }
        self.lengths.push(length);
        if !self.closed {
            self.held.push(held.into());
        }
    }

    /// How much two pieces are alike: the words that both hold, of those that either holds.
    #[must_use]
    #[allow(clippy::cast_precision_loss)]
    pub fn alike(&self, one: usize, other: usize) -> f64 {
        let (Some(one), Some(other)) = (self.held.get(one), self.held.get(other)) else { return 0.0 };
        let (mut ones, mut others) = (unpacked(one).peekable(), unpacked(other).peekable());
        let (mut both, mut either) = (0usize, 0usize);
        while let (Some(one), Some(other)) = (ones.peek().copied(), others.peek().copied()) {
            ones.next_if(|_| one <= other);
            others.next_if(|_| other <= one);
            both += usize::from(one == other);
            either += 1;
        }
        either += ones.count() + others.count();
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
            let holding = f64::from(list.pieces);
            let weight = (1.0 + (number - holding + 0.5) / (holding + 0.5)).ln();
            for (piece, times) in list.iter() {
                let (Some(score), Some(length)) = (scores.get_mut(piece as usize), self.lengths.get(piece as usize))
                else {
                    continue;
                };
                let times = f64::from(times);
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
    // What stands around a word is no part of it: _so_ is said with force, and __init__ is init.
    let mut end = |word: &mut String, chars: &mut usize| {
        let bare = word.trim_end_matches('_');
        if !bare.is_empty() {
            each(bare);
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
    use crate::chunk::Settings;

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
        words("Ａt\u{AD}ten\u{E000}tion is ALL: 東京 x_1 _e\u{301}_", |word| found.push(word.to_owned()));
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
    fn for_one_task_the_scores_are_the_same_and_no_other_words_are_kept() {
        let document = Conversion { markdown: "red red fox blue fox a dog sleeps".repeat(9), ..Conversion::default() };
        let settings = Settings { threshold: 0, window: 20, overlap: 5, ..Settings::default() };
        let (division, watch) = (Division::of(&document, &settings), Watch::default());
        let whole = Lexical::of(&document, &division, &watch);
        let one = Lexical::of_task("Fox dog wolf", &document, &division, &watch);
        assert_eq!(one.scores("fox wolf dog"), whole.scores("fox wolf dog"));
        assert!(one.scores("dog").iter().any(|score| *score > 0.0));
        assert_eq!((one.numbers.len(), one.held.len()), (3, 0));
    }

    #[test]
    fn pieces_are_alike_by_the_words_they_share() {
        let lexical = of(&["red red fox", "blue fox", ""]);
        assert_eq!((lexical.alike(0, 1), lexical.alike(0, 0), lexical.alike(0, 2)), (1.0 / 3.0, 1.0, 0.0));
    }

    #[test]
    fn words_of_many_pieces_take_few_bytes_and_lose_nothing() {
        let mut packed = Vec::new();
        let numbers = [0, 1, 127, 128, 16_383, 16_384, u32::MAX];
        numbers.iter().for_each(|number| pack(*number, &mut packed));
        let mut rest = packed.as_slice();
        assert_eq!(numbers.map(|_| unpack(&mut rest).unwrap()), numbers);
        assert_eq!(unpack(&mut rest), None);
        // 300 pieces of 20 words, each with one of its own.
        let texts: Vec<String> = (0..300).map(|at| format!("own{at} {}", "a b c d e f g h i j ".repeat(2))).collect();
        let lexical = of(&texts.iter().map(String::as_str).collect::<Vec<_>>());
        let bytes: usize = lexical.postings.iter().map(|postings| postings.packed.len()).sum::<usize>()
            + lexical.held.iter().map(|held| held.len()).sum::<usize>();
        assert!(bytes < 300 * 11 * 4, "{bytes} bytes for {} words of pieces", 300 * 11);
        let common = &lexical.postings[lexical.numbers["a"] as usize];
        assert!(common.iter().eq((0..300).map(|piece| (piece, 2))), "each of them, twice");
        assert!((lexical.alike(7, 8) - 10.0 / 12.0).abs() < 1e-9);
    }

    #[test]
    fn nothing_asked_scores_nothing() {
        assert_eq!(of(&["a b", ""]).scores("  ?"), [0.0, 0.0]);
        assert!(of(&[]).scores("a").is_empty());
    }
}
