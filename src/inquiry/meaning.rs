//! Facts by meaning: passages ranked by the words that they share with a sentence (coverage and BM25); an embedder,
//! where one is handed in, ranks the nearest anew.

use std::collections::{HashMap, HashSet};

use crate::chunk::is_cjk;
use crate::memory::is_wide_end;

/// Passages that are ranked at once.
pub const NEAREST: usize = 200;
/// A passage that scores less does not say it.
pub const LEXICAL_THRESHOLD: f32 = 0.55;
/// Bytes of a passage, about.
const PASSAGE: usize = 320;
/// Bytes at most of a sentence that is looked for.
const SENTENCE: usize = 600;
/// Words that say something, and characters, that it has at least.
const WORDS: usize = 2;
/// See `WORDS`.
const SHORT: usize = 12;
/// Words that are in every text. `memory::words` has a list of its own: where texts are held against each other, "no",
/// "must" and "may" say something; here, passages are found by the words that they share.
const COMMON: &[&str] = &[
    "a", "an", "and", "are", "as", "at", "be", "been", "but", "by", "can", "could", "did", "do", "does", "for", "from",
    "had", "has", "have", "he", "her", "his", "how", "i", "if", "in", "into", "is", "it", "its", "just", "may", "me",
    "more", "must", "my", "no", "not", "of", "on", "or", "our", "out", "please", "she", "should", "so", "some", "than",
    "that", "the", "their", "them", "then", "there", "these", "they", "this", "those", "to", "up", "us", "was", "we",
    "were", "what", "when", "where", "which", "who", "why", "will", "with", "would", "you", "your",
];

/// A sentence as the words that are looked for.
#[derive(Clone, Debug, PartialEq)]
pub struct Meaning {
    /// The sentence.
    pub sentence: String,
    /// Its words, each once, in the form in which they are compared.
    pub words: Vec<String>,
}

impl Meaning {
    /// The words of a sentence; `None` where it has none that say something.
    #[must_use]
    pub fn of(sentence: &str) -> Option<Meaning> {
        let mut found: Vec<String> = Vec::new();
        for word in words(sentence) {
            if !found.contains(&word) && found.len() < 64 {
                found.push(word);
            }
        }
        (!found.is_empty()).then(|| Meaning { sentence: sentence.trim().to_owned(), words: found })
    }

    /// The place of each of its words.
    #[must_use]
    pub fn numbers(&self) -> HashMap<&str, usize> {
        self.words.iter().enumerate().map(|(at, word)| (word.as_str(), at)).collect()
    }
}

/// The words of a text that say something, in the form in which they are compared. Of scripts without blanks between
/// words, each two signs that stand together are one.
pub fn words(text: &str) -> impl Iterator<Item = String> + '_ {
    text.split(|sign: char| !sign.is_alphanumeric() && sign != '_').flat_map(by_script).filter_map(|word| {
        let word = word.trim_matches('_');
        let lower = word.to_lowercase();
        let says = lower.len() >= 2 && COMMON.binary_search(&lower.as_str()).is_err();
        says.then(|| stem(&lower))
    })
}

/// The parts of a run of letters: words, and pairs of signs of scripts without blanks.
fn by_script(run: &str) -> impl Iterator<Item = &str> {
    let (mut rest, mut paired) = (run, false);
    std::iter::from_fn(move || {
        loop {
            let first = rest.chars().next()?;
            if !is_cjk(first) {
                let end = if rest.is_ascii() { rest.len() } else { rest.find(is_cjk).unwrap_or(rest.len()) };
                let (word, after) = rest.split_at(end);
                (rest, paired) = (after, false);
                return Some(word);
            }
            let (from, size) = (rest, first.len_utf8());
            rest = rest.get(size..).unwrap_or_default();
            let next = rest.chars().next().filter(|next| is_cjk(*next));
            let was_paired = std::mem::replace(&mut paired, next.is_some());
            // The last sign of a run stands in the pair before it.
            if next.is_some() || !was_paired {
                return from.get(..size + next.map_or(0, char::len_utf8));
            }
        }
    })
}

/// A word without its commonest endings, so that `charges`, `charged` and `charge` are one.
fn stem(word: &str) -> String {
    if !word.is_ascii() || word.bytes().any(|byte| byte.is_ascii_digit() || byte == b'_') {
        return word.to_owned();
    }
    let mut stem = word;
    for (ending, least) in [("ing", 6), ("ies", 5), ("ied", 5), ("ed", 5), ("es", 5), ("s", 4), ("e", 4), ("y", 4)] {
        if word.len() >= least
            && let Some(short) = stem.strip_suffix(ending)
            && !(ending == "s" && short.ends_with('s'))
        {
            stem = short;
            break;
        }
    }
    let stem = stem.strip_suffix('e').filter(|short| short.len() >= 3).unwrap_or(stem);
    // A letter that is doubled before an ending: `stopped` and `stop`.
    let doubled = stem.len() > 3 && stem.bytes().rev().take(2).all(|byte| stem.as_bytes().last() == Some(&byte));
    stem.get(..stem.len() - usize::from(doubled)).unwrap_or(stem).to_owned()
}

/// Passages of a text: paragraphs and lines drawn together up to a length, long ones parted at sentences.
#[must_use]
pub fn passages(text: &str) -> Vec<(usize, usize)> {
    let bytes = text.as_bytes();
    let (mut found, mut start) = (Vec::new(), 0);
    let push = |found: &mut Vec<(usize, usize)>, from: usize, to: usize| {
        let Some(words) = text.get(from..to) else { return };
        let from = from + (words.len() - words.trim_start().len());
        let to = from.max(to - (words.len() - words.trim_end().len()));
        if to > from {
            found.push((from, to));
        }
    };
    let ends_here = |at: &usize| match bytes[*at] {
        b'\n' | b'.' | b'!' => true,
        0xE3 | 0xEF => is_wide_end(bytes, *at),
        _ => false,
    };
    for at in (0..bytes.len()).filter(ends_here) {
        let is_wide = !bytes[at].is_ascii();
        let end = at + if is_wide { 3 } else { 1 };
        let size = end - start;
        let ends = match bytes[at] {
            b'\n' => bytes.get(end) == Some(&b'\n') || size >= PASSAGE / 2,
            _ => size >= PASSAGE / 2 && (is_wide || bytes.get(end).is_some_and(u8::is_ascii_whitespace)),
        };
        if size > 4 * PASSAGE {
            start = in_pieces(text, start, end, &mut found);
        }
        if ends {
            push(&mut found, start, end);
            start = end;
        }
    }
    let rest = in_pieces(text, start, text.len(), &mut found);
    push(&mut found, rest, text.len());
    found
}

/// The lines and sentences of a text, each a passage of its own: a summary says something else with each.
#[must_use]
pub fn sentences(text: &str) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut at = 0;
    for sentence in in_sentences(text) {
        let from = at;
        at += sentence.len();
        let own = passages(sentence).into_iter().map(|(start, end)| (from + start, from + end));
        found.extend(own.filter(|(start, end)| text.get(*start..*end).is_some_and(|own| words(own).next().is_some())));
    }
    found
}

/// The sentences of a text, with all that stands between them: they end with their line, at `.`, `!` and `?` before a
/// blank, and at `。`, `！` and `？`.
pub(super) fn in_sentences(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let bytes = rest.as_bytes();
        let end = |(at, byte): (usize, &u8)| match byte {
            b'\n' => Some(at + 1),
            b'.' | b'!' | b'?' if bytes.get(at + 1) == Some(&b' ') => Some(at + 2),
            0xE3 | 0xEF if is_wide_end(bytes, at) => Some(at + 3),
            _ => None,
        };
        let end = bytes.iter().enumerate().find_map(end).unwrap_or(bytes.len());
        let (sentence, after) = rest.split_at(end);
        rest = after;
        (!sentence.is_empty()).then_some(sentence)
    })
}

/// Parts what has no end of a sentence anywhere; returns where the rest begins.
fn in_pieces(text: &str, mut from: usize, to: usize, found: &mut Vec<(usize, usize)>) -> usize {
    while to - from > 4 * PASSAGE {
        let end = text.ceil_char_boundary(from + 2 * PASSAGE);
        found.push((from, end));
        from = end;
    }
    from
}

/// How often each word of a sentence is in a passage, and how many words the passage has.
#[derive(Clone, Debug)]
pub struct Tally {
    /// Times, by the sentence's words.
    pub times: Vec<u16>,
    /// Words of the passage.
    pub length: u32,
}

/// Counts a sentence's words in a passage; `None` where it has none of them.
#[must_use]
pub fn tally(numbers: &HashMap<&str, usize>, passage: &str) -> (u32, Option<Tally>) {
    let mut times = vec![0u16; numbers.len()];
    let (mut length, mut any) = (0, false);
    for word in words(passage) {
        length += 1;
        if let Some(number) = numbers.get(word.as_str()) {
            times[*number] = times[*number].saturating_add(1);
            any = true;
        }
    }
    (length, any.then_some(Tally { times, length }))
}

/// What is known of all passages together.
#[derive(Clone, Debug, Default)]
pub struct Corpus {
    /// How many passages there are.
    pub passages: u64,
    /// Their words in all.
    pub words: u64,
    /// Passages that hold each word of the sentence.
    pub with: Vec<u64>,
}

impl Corpus {
    /// Of no passages yet.
    #[must_use]
    pub fn of(meaning: &Meaning) -> Corpus {
        Corpus { with: vec![0; meaning.words.len()], ..Corpus::default() }
    }

    /// Takes passages in: how many, how many words they have, and the tallies of those that have words of the sentence.
    pub fn take<'a>(&mut self, passages: u64, words: u64, tallies: impl IntoIterator<Item = &'a Tally>) {
        self.passages += passages;
        self.words += words;
        for tally in tallies {
            tally.times.iter().zip(&mut self.with).for_each(|(times, with)| *with += u64::from(*times > 0));
        }
    }

    /// How near a passage is, 0 to 1: the share of the sentence's words that it has, rare ones counting more, and to a
    /// fifth its BM25 score, which prefers short passages.
    #[must_use]
    #[allow(clippy::cast_precision_loss)]
    pub fn score(&self, tally: &Tally) -> f32 {
        const K: f32 = 1.2;
        const B: f32 = 0.75;
        let mean = (self.words as f32 / self.passages.max(1) as f32).max(1.0);
        let long = K * (1.0 - B + B * tally.length as f32 / mean);
        let (mut score, mut covered, mut best) = (0.0, 0.0, 0.0);
        for (times, with) in tally.times.iter().zip(&self.with) {
            let rare = (1.0 + (self.passages as f32 - *with as f32 + 0.5) / (*with as f32 + 0.5)).ln();
            let times = f32::from(*times);
            score += rare * times * (K + 1.0) / (times + long);
            covered += if times > 0.0 { rare } else { 0.0 };
            best += rare;
        }
        if best > 0.0 { 0.8 * covered / best + 0.2 * (score / best).min(1.0) } else { 0.0 }
    }
}

/// How much of what one text says another says too, by words: 0 to 1. Rarer (longer, with digits) words count more.
#[must_use]
#[allow(clippy::cast_precision_loss)]
pub fn shared(of: &[String], with: &HashSet<String>) -> f32 {
    let weight = |word: &String| {
        let digits = word.bytes().any(|byte| byte.is_ascii_digit() || byte == b'_');
        (word.len() as f32).sqrt() * if digits { 1.5 } else { 1.0 }
    };
    let whole: f32 = of.iter().map(weight).sum();
    let both: f32 = of.iter().filter(|word| with.contains(*word)).map(weight).sum();
    if whole > 0.0 { both / whole } else { 0.0 }
}

/// Whether a sentence says enough to be told from other things, and not too much to be looked for.
pub(super) fn enough(said: &str) -> bool {
    said.len() <= SENTENCE && tells(said)
}

/// Whether a text says enough to be told from other things.
pub(super) fn tells(said: &str) -> bool {
    // A sign of a script without blanks says as much as two letters.
    let signs: usize = said.chars().map(|sign| if is_cjk(sign) { 2 } else { 1 }).sum();
    words(said).count() >= WORDS && signs >= SHORT
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_of_common_words_is_in_order() {
        assert!(COMMON.windows(2).all(|pair| pair[0] < pair[1]));
    }

    #[test]
    fn forms_of_a_word_are_one() {
        let all: Vec<String> = words("charges charged charging charge; the Keys, key: INC-204 pay_id").collect();
        assert_eq!(all, ["charg", "charg", "charg", "charg", "key", "key", "inc", "204", "pay_id"]);
        for forms in ["stop stops stopped stopping", "retry retries retried", "pass passes passed", "fall falling"] {
            let stems: HashSet<String> = words(forms).collect();
            assert_eq!(stems.len(), 1, "{stems:?}");
        }
    }

    #[test]
    fn what_has_no_blanks_is_compared_by_pairs_of_signs() {
        let all = |text: &str| words(text).collect::<Vec<_>>();
        assert_eq!(all("用pnpm安装。端口8443"), ["用", "pnpm", "安装", "端口", "8443"]);
        assert_eq!(all("金曜日に"), ["金曜", "曜日", "日に"]);
        let said: HashSet<String> = words("金曜日には postgres-7 を再起動しないでください").collect();
        assert!(shared(&all("~金曜日に再起動しない"), &said) > 0.8);
        let text = "超时是三十秒。端口不是8080！改用9090。";
        assert_eq!(in_sentences(text).collect::<Vec<_>>(), ["超时是三十秒。", "端口不是8080！", "改用9090。"]);
        let long = "部署完成后请在上海节点上验证端口。".repeat(40);
        assert!(passages(&long).iter().all(|(from, to)| long[*from..*to].ends_with('。') && to - from < PASSAGE));
    }

    #[test]
    fn each_line_and_sentence_of_a_summary_is_a_passage() {
        let text = "# Asked\n- Group by session ID. Then clean up.\n\n---\n- Tests are in é.rs";
        let found: Vec<&str> = sentences(text).into_iter().map(|(from, to)| &text[from..to]).collect();
        assert_eq!(found, ["# Asked", "- Group by session ID.", "Then clean up.", "- Tests are in é.rs"]);
    }

    #[test]
    fn passages_cover_a_text() {
        let text = format!("One line.\n\nA second paragraph. {}\nend", "word ".repeat(2000));
        let found = passages(&text);
        assert!(found.len() > 5 && found.iter().all(|(from, to)| to - from <= 4 * PASSAGE + 4));
        assert_eq!(&text[found[0].0..found[0].1], "One line.");
        assert!(text[..found.last().unwrap().1].ends_with("end"));
        assert!(passages(" \n ").is_empty());
    }

    #[test]
    fn a_passage_that_says_all_scores_above_one_that_says_a_part() {
        let meaning = Meaning::of("the staging gateway only accepts keys with a prefix").unwrap();
        let numbers = meaning.numbers();
        let texts = ["Staging accepts only keys that begin with the gateway prefix", "the gateway timed out", "lunch"];
        let mut corpus = Corpus::of(&meaning);
        let mut tallies = Vec::new();
        for text in texts {
            let (length, found) = tally(&numbers, text);
            corpus.take(1, length.into(), &found);
            tallies.extend(found);
        }
        let scores: Vec<f32> = tallies.iter().map(|tally| corpus.score(tally)).collect();
        assert!(scores.len() == 2 && scores[0] > 0.8 && scores[1] < 0.4, "{scores:?}");
    }
}
