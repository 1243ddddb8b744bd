//! The lines of a summary, and the text that each came from.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use crate::content::Sources;
use crate::model::{BlockId, EntryId, Fate, Made, Run, Transcript};

/// Where a line of a summary came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// It is a sentence of this entry.
    Sentence(EntryId),
    /// A model wrote it, and nothing says from what. This entry shares these words with it.
    Shares(EntryId, Vec<Arc<str>>),
    /// Windowpane or the harness wrote it.
    Harness,
    /// A model wrote it, and no text shares a distinctive word with it.
    Unknown,
}

impl Origin {
    /// The entry.
    #[must_use]
    pub fn entry(&self) -> Option<EntryId> {
        match self {
            Origin::Sentence(id) | Origin::Shares(id, _) => Some(*id),
            Origin::Harness | Origin::Unknown => None,
        }
    }
}

/// A line of a summary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SummaryLine {
    /// Its text. Untrusted.
    pub text: Arc<str>,
    /// Where it came from.
    pub origin: Origin,
}

/// Lines that are shown of a summary.
const LINES: usize = 2_000;
/// Bytes of the texts behind a summary that are looked through.
const BEHIND: u64 = 16 << 20;
/// Entries that a summary is followed back through.
const DEPTH: usize = 64;

/// The lines of a summary. Reads the sources: not for the thread that draws.
#[must_use]
pub fn summary_lines(run: &Run, transcript: &Transcript, sources: &Sources, id: EntryId) -> Vec<SummaryLine> {
    let Some(entry) = run.entry(id) else { return Vec::new() };
    let behind = behind(run, id);
    let mut words: Option<Words> = None;
    let mut open: Option<(BlockId, bool, String)> = None;
    let mut lines = Vec::new();
    let plain = |text: &str, origin: &mut dyn FnMut(&str) -> Origin, lines: &mut Vec<SummaryLine>| {
        for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
            lines.push(SummaryLine { text: Arc::from(line), origin: origin(line) });
        }
    };
    for made in &entry.content {
        match made {
            Made::Part(block, from, to, original) => {
                if open.as_ref().is_none_or(|(known, whole, _)| (known, whole) != (block, original)) {
                    open = text_of(transcript, sources, *block, *original).map(|text| (*block, *original, text));
                }
                let Some((.., text)) = &open else { continue };
                let at = |byte: u64| text.floor_char_boundary(usize::try_from(byte).unwrap_or(usize::MAX));
                let source =
                    behind.iter().copied().find(|id| run.entry(*id).and_then(|entry| entry.block()) == Some(*block));
                let origin = source.map_or(Origin::Unknown, Origin::Sentence);
                plain(text.get(at(*from)..at(*to)).unwrap_or_default(), &mut |_| origin.clone(), &mut lines);
            }
            Made::Block(block) => {
                let Some(text) = text_of(transcript, sources, *block, false) else { continue };
                let words = words.get_or_insert_with(|| Words::of(run, transcript, sources, &behind));
                plain(&text, &mut |line| words.origin(line), &mut lines);
            }
            Made::Text(text) => plain(text, &mut |_| Origin::Harness, &mut lines),
            Made::Written(written) => plain(&written.text(run), &mut |_| Origin::Harness, &mut lines),
        }
        if lines.len() > LINES {
            lines.truncate(LINES);
            break;
        }
    }
    lines
}

/// The entries that a summary stands for, those behind an earlier summary among them. What a cleared result held was
/// not there when it was written.
fn behind(run: &Run, id: EntryId) -> Vec<EntryId> {
    let (mut found, mut seen) = (Vec::new(), HashSet::from([id]));
    let mut front = vec![id];
    for _ in 0..DEPTH {
        let next: Vec<EntryId> = front
            .iter()
            .filter_map(|id| run.entry(*id))
            .filter(|entry| entry.fate != Fate::Cleared)
            .flat_map(|entry| entry.from.iter().copied())
            .filter(|id| seen.insert(*id))
            .collect();
        if next.is_empty() {
            break;
        }
        found.extend(&next);
        front = next;
    }
    found
}

fn text_of(transcript: &Transcript, sources: &Sources, block: BlockId, original: bool) -> Option<String> {
    let block = transcript.block(block)?;
    let body = block.original.as_deref().filter(|_| original).unwrap_or(&block.body);
    matches!(body, crate::model::Body::Text { .. }).then(|| sources.body_text(body).ok()).flatten()
}

/// Who holds which distinctive word, and what each says.
#[derive(Default)]
struct Words {
    holders: HashMap<Box<str>, Vec<EntryId>>,
    texts: Vec<(EntryId, String)>,
    /// Quotations that are still sought in the texts.
    quotes: usize,
}

/// Quotations of a summary that are sought in the texts behind it, and the characters of the shortest.
const QUOTES: (usize, usize) = (64, 12);

impl Words {
    fn of(run: &Run, transcript: &Transcript, sources: &Sources, behind: &[EntryId]) -> Words {
        let (mut words, mut room) = (Words { quotes: QUOTES.0, ..Words::default() }, BEHIND);
        // The newest first: where there is more than is looked through, it is the oldest that is not.
        for id in behind.iter().rev() {
            let block = run.entry(*id).and_then(|entry| entry.block());
            let Some(text) = block.and_then(|block| text_of(transcript, sources, block, false)) else { continue };
            room = match room.checked_sub(text.len() as u64) {
                Some(room) => room,
                None => break,
            };
            let mut seen = HashSet::new();
            for word in distinctive(&text) {
                if seen.insert(word) {
                    words.holders.entry(Box::from(word)).or_default().push(*id);
                }
            }
            words.texts.push((*id, text));
        }
        words
    }

    /// The text that a line quotes, else the one that shares most with it: a word that few texts hold counts for more.
    fn origin(&mut self, line: &str) -> Origin {
        for quote in quotes(line) {
            let Some(left) = self.quotes.checked_sub(1) else { break };
            self.quotes = left;
            // Whoever said it did so before anybody quoted it.
            if let Some((id, _)) = self.texts.iter().rev().find(|(_, text)| text.contains(quote)) {
                return Origin::Shares(*id, vec![Arc::from(quote)]);
            }
        }
        let mut scores: HashMap<EntryId, (u64, Vec<Arc<str>>)> = HashMap::new();
        let mut seen = HashSet::new();
        for word in distinctive(line).filter(|word| seen.insert(*word)) {
            let Some(holders) = self.holders.get(word) else { continue };
            for holder in holders {
                let (score, shared) = scores.entry(*holder).or_default();
                *score += 1_000 / holders.len() as u64 + 1;
                shared.push(Arc::from(word));
            }
        }
        let best = scores.into_iter().max_by_key(|(id, (score, _))| (*score, std::cmp::Reverse(*id)));
        best.map_or(Origin::Unknown, |(id, (_, shared))| Origin::Shares(id, shared))
    }
}

/// What stands in quotation marks on a line, as far as it is long enough to be said by no chance.
fn quotes(line: &str) -> impl Iterator<Item = &str> {
    let parts = line.split(['"', '\u{201c}', '\u{201d}']);
    let quoted = parts.enumerate().filter(|(at, _)| at % 2 == 1).map(|(_, quote)| quote);
    quoted.map(|quote| quote.trim_end_matches(['\u{2026}', '.'])).filter(|quote| quote.chars().count() >= QUOTES.1)
}

/// Paths, identifiers and numbers of a text: what two texts share by no chance.
fn distinctive(text: &str) -> impl Iterator<Item = &str> {
    text.split(|sign: char| !(sign.is_alphanumeric() || matches!(sign, '_' | '/' | '.' | '-')))
        .map(|word| word.trim_matches(|sign: char| matches!(sign, '.' | '-' | '/')))
        .filter(|word| (4..=120).contains(&word.len()) && is_distinctive(word))
}

fn is_distinctive(word: &str) -> bool {
    let digits = word.bytes().filter(u8::is_ascii_digit).count();
    let letters = word.chars().filter(|sign| sign.is_alphabetic()).count();
    let joined = word.contains(['_', '/', '.']) || word.matches('-').count() > 1;
    let capital = word.as_bytes().windows(2).any(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase());
    digits >= 3 || (letters >= 3 && (joined || capital || digits >= 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distinctive_words_are_paths_names_and_numbers() {
        let found: Vec<&str> =
            distinctive("The login in src/auth.rs fails: parse_token returned HTTP 4012, see fixLogin (v2).").collect();
        assert_eq!(found, ["src/auth.rs", "parse_token", "4012", "fixLogin"]);
    }

    #[test]
    fn a_line_leads_to_the_text_that_shares_its_rarest_words() {
        let word = |word: &str, ids: &[u32]| (Box::from(word), ids.iter().map(|id| EntryId(*id)).collect());
        let holders = HashMap::from([word("src/auth.rs", &[1, 2, 3]), word("4012", &[2])]);
        let texts = vec![(EntryId(9), "Well. let's do the mediums first.".to_owned())];
        let mut words = Words { holders, texts, quotes: 2 };
        let shared = vec![Arc::from("src/auth.rs"), Arc::from("4012")];
        assert_eq!(words.origin("In src/auth.rs the port is 4012."), Origin::Shares(EntryId(2), shared));
        let said = vec![Arc::from("let's do the mediums first")];
        assert_eq!(words.origin("**User said**: \"let's do the mediums first\""), Origin::Shares(EntryId(9), said));
        assert_eq!(words.origin("nothing of it"), Origin::Unknown);
    }
}
