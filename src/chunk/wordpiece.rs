//! BERT's own tokenizer over the vocabulary of the bundled model: text cleaned, in small letters and without accents,
//! split at blanks and punctuation, each word into the longest pieces that the vocabulary has.
//!
//! It works as the `tokenizers` crate does that the model is published with, character tables included, so that a
//! vector is the one that other programs get. No text is too strange for it: what it does not know becomes [`UNKNOWN`].

use std::collections::HashMap;
use std::sync::OnceLock;

use serde::Deserialize;
use unicode_categories::UnicodeCategories;
use unicode_normalization::UnicodeNormalization;

use super::embed::{BUNDLED, EmbedError};
use super::lexical::is_bert_cjk;

pub(super) static TOKENIZER: &str = include_str!("../../models/minilm-l6-v2.tokenizer.json");
/// A word that is not made of pieces that the vocabulary has.
const UNKNOWN: u32 = 100;
/// Begins a text.
const BEGIN: u32 = 101;
/// Ends it.
const END: u32 = 102;
/// What the model reads as a token of its own where it stands in a text.
const SPECIAL: [(&str, u32); 5] = [("[PAD]", 0), ("[UNK]", UNKNOWN), ("[CLS]", BEGIN), ("[SEP]", END), ("[MASK]", 103)];
/// Characters of a word; a longer one is unknown.
const WORD_MAX: usize = 100;
/// How a piece is marked that does not begin a word.
const CONTINUES: &str = "##";

/// The vocabulary: which pieces may begin a word, and which go on with one.
pub(super) struct WordPiece {
    begins: HashMap<Box<str>, u32>,
    continues: HashMap<Box<str>, u32>,
    /// Bytes of the longest piece.
    longest: usize,
}

#[derive(Deserialize)]
struct File {
    model: Pieces,
}

#[derive(Deserialize)]
struct Pieces {
    vocab: HashMap<String, u32>,
}

/// The bundled model's vocabulary, read when it is first asked for.
///
/// # Errors
/// Where the compiled-in file cannot be read, which a test rules out.
pub(super) fn vocabulary() -> Result<&'static WordPiece, EmbedError> {
    static LOADED: OnceLock<Result<WordPiece, EmbedError>> = OnceLock::new();
    LOADED.get_or_init(WordPiece::load).as_ref().map_err(Clone::clone)
}

impl WordPiece {
    fn load() -> Result<WordPiece, EmbedError> {
        let file: File = serde_json::from_str(TOKENIZER)
            .map_err(|why| EmbedError::Load { name: BUNDLED.to_owned(), why: why.to_string() })?;
        let mut pieces = WordPiece { begins: HashMap::new(), continues: HashMap::new(), longest: 0 };
        for (piece, number) in file.model.vocab {
            let (bare, map) = match piece.strip_prefix(CONTINUES) {
                Some(bare) => (bare, &mut pieces.continues),
                None => (piece.as_str(), &mut pieces.begins),
            };
            pieces.longest = pieces.longest.max(bare.len());
            map.insert(bare.into(), number);
        }
        Ok(pieces)
    }

    /// The first tokens of a text, at most so many, with those that begin and end it.
    pub(super) fn tokens(&self, text: &str, most: usize) -> Vec<u32> {
        let mut tokens = vec![BEGIN];
        let most = most.saturating_sub(1);
        let mut rest = text;
        while tokens.len() < most && !rest.is_empty() {
            let special = rest.match_indices('[').find_map(|(at, _)| {
                let (name, number) = SPECIAL.iter().find(|(name, _)| rest[at..].starts_with(name))?;
                Some((at, name.len(), *number))
            });
            let (end, length, number) = special.map_or((rest.len(), 0, None), |(at, len, id)| (at, len, Some(id)));
            self.words(&rest[..end], most, &mut tokens);
            tokens.extend(number);
            rest = &rest[end + length..];
        }
        tokens.truncate(most);
        tokens.push(END);
        tokens
    }

    /// Adds the tokens of a text that holds nothing special, as long as there are not enough.
    fn words(&self, text: &str, most: usize, tokens: &mut Vec<u32>) {
        let mut word = String::new();
        let mut chars = 0;
        for sign in cleaned(text) {
            let alone = is_punctuation(sign);
            if alone || sign.is_whitespace() {
                self.word(&word, chars, tokens);
                word.clear();
                chars = 0;
                if alone {
                    self.word(sign.encode_utf8(&mut [0; 4]), 1, tokens);
                }
                if tokens.len() >= most {
                    return;
                }
                continue;
            }
            // What goes on longer is unknown, whatever it is.
            if chars <= WORD_MAX {
                word.push(sign);
                chars += 1;
            }
        }
        self.word(&word, chars, tokens);
    }

    /// Adds the pieces of a word, or that it is unknown.
    fn word(&self, word: &str, chars: usize, tokens: &mut Vec<u32>) {
        let before = tokens.len();
        let mut rest = word;
        while !rest.is_empty() {
            let pieces = if rest.len() == word.len() { &self.begins } else { &self.continues };
            let mut end = rest.floor_char_boundary(self.longest);
            let found = loop {
                if end == 0 || chars > WORD_MAX {
                    break None;
                }
                if let Some(number) = pieces.get(&rest[..end]) {
                    break Some(*number);
                }
                end = rest.floor_char_boundary(end - 1);
            };
            let Some(number) = found else {
                tokens.truncate(before);
                tokens.push(UNKNOWN);
                return;
            };
            tokens.push(number);
            rest = &rest[end..];
        }
    }
}

/// A text without what cannot be seen, spaces around each Chinese character, without accents, in small letters.
fn cleaned(text: &str) -> impl Iterator<Item = char> + '_ {
    let seen = text.chars().filter_map(|sign| match sign {
        '\t' | '\n' | '\r' => Some(' '),
        '\u{fffd}' => None,
        _ if sign.is_other() => None,
        _ if sign.is_whitespace() => Some(' '),
        _ => Some(sign),
    });
    let apart = seen.flat_map(|sign| {
        let blank = stands_alone(sign).then_some(' ');
        blank.into_iter().chain(std::iter::once(sign)).chain(blank)
    });
    apart.nfd().filter(|sign| !sign.is_mark_nonspacing()).flat_map(char::to_lowercase)
}

/// Whether a character gets spaces around it; a part of one block is left out, as published.
fn stands_alone(sign: char) -> bool {
    is_bert_cjk(sign) && !matches!(sign, '\u{2B820}'..='\u{2B91F}')
}

fn is_punctuation(sign: char) -> bool {
    sign.is_ascii_punctuation() || sign.is_punctuation()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn tokens(text: &str) -> Vec<u32> {
        vocabulary().unwrap().tokens(text, 256)
    }

    #[test]
    fn tokens_are_those_of_the_models_own_tokenizer() {
        // As sentence-transformers 6.2 gives them (tokenizers 0.23.3).
        let cases: [(&str, &[u32]); 9] = [
            ("Hello,\u{0} wörld!", &[101, 7592, 1010, 2088, 999, 102]),
            ("kubernetes señorita", &[101, 13970, 5677, 7159, 2229, 12411, 10050, 2696, 102]),
            (
                "보험금 지급",
                &[101, 1460, 30011, 30005, 30008, 30023, 29991, 30017, 30023, 1464, 30019, 29991, 30017, 30024, 102],
            ),
            ("in\u{ad}sur\u{e000}ance", &[101, 5427, 102]),
            ("東京タワー", &[101, 1879, 1755, 1709, 30262, 30265, 102]),
            (
                "ÅNGSTRÖM İstanbul ΣΊΣΥΦΟΣ",
                &[101, 17076, 15687, 9960, 1173, 18199, 29733, 29735, 29736, 29730, 29733, 102],
            ),
            ("x\u{3000}«y»…z", &[101, 1060, 1077, 1061, 1090, 1529, 1062, 102]),
            ("a[MASK]b [cls]", &[101, 1037, 103, 1038, 1031, 18856, 2015, 1033, 102]),
            ("ไทย हिन्दी 🎉", &[101, 100, 1339, 29877, 29863, 29861, 29878, 100, 102]),
        ];
        for (text, expected) in cases {
            assert_eq!(tokens(text), expected, "{text:?}");
        }
    }

    #[test]
    fn a_text_is_cut_at_the_models_length() {
        let long = tokens(&"word ".repeat(1_000));
        assert_eq!((long.len(), long[0], long[255]), (256, BEGIN, END));
        assert_eq!(tokens(&"x".repeat(101)), [BEGIN, UNKNOWN, END]);
        assert_eq!(tokens(&"[MASK]".repeat(1_000)).len(), 256);
        assert_eq!(tokens(""), [BEGIN, END]);
    }

    proptest! {
        #[test]
        fn any_text_has_tokens(text in any::<String>(), most in 0usize..20) {
            let tokens = vocabulary().unwrap().tokens(&text, most);
            prop_assert!(tokens.len() <= most.max(2) && tokens.last() == Some(&END));
        }
    }
}
