//! Sentences of a text and how much each matters, for a summary without a model.
//!
//! Decisions, errors, paths, identifiers, numbers and what the user asked for weigh most. Each keeps its place.

use crate::content::hash;
use crate::memory::is_wide_end;
use crate::model::{Coding, Layer};

/// A sentence of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sentence {
    /// The item.
    pub item: u32,
    /// Bytes in the item's decoded text.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
    /// Its tokens, by its share of the text.
    pub tokens: u32,
    /// How much it matters; more is more.
    pub score: u32,
    /// Equal hash, equal words; of a tool's lines also where they differ in figures alone, as those of a log do.
    pub hash: u64,
}

/// What is taken for a sentence, by who says it.
struct Bounds {
    /// Bytes at least: shorter ones say nothing by themselves.
    shortest: usize,
    /// Bytes at most.
    longest: usize,
    /// Whether what is longer is divided between words; else its beginning is taken: the rest is data, as a rule.
    divides: bool,
    /// Sentences of one region at most.
    most: usize,
}

/// What the user asks for is taken whole and all of it: "No mocks." is a rule.
const OF_USER: Bounds = Bounds { shortest: 3, longest: 2_000, divides: true, most: usize::MAX };
const SAID: Bounds = Bounds { shortest: 12, longest: 400, divides: true, most: 120 };
const OF_TOOLS: Bounds = Bounds { divides: false, ..SAID };

/// The best are chosen within so many bytes: which part of a text is shown is decided later.
const REGION: u32 = 4 << 10;
/// What the user writes is no longer, as a rule; what is pasted may be, in bytes.
const PASTED: usize = 8 << 10;
/// What the user writes in one short line is no data, whatever its letters.
const WORD: usize = 40;

const DECISIONS: &[&str] = &[
    "decid",
    "must",
    "should",
    "will ",
    "instead",
    "because",
    "never",
    "always",
    "use ",
    "need",
    "chose",
    "agreed",
    "plan",
    "require",
    "important",
    "note",
    "conclu",
    "root cause",
    "fixed",
    "done",
];
/// What a log says of a line that nobody need read.
const LEVELS: &[&str] = &["debug", "trace", "verbose"];
/// Bytes of a line's beginning in which its level stands.
const HEAD: usize = 60;

const ERRORS: &[&str] =
    &["error", "fail", "panic", "exception", "cannot", "not found", "denied", "warning", "bug", "wrong"];

/// The sentences of a text that matter most, in order. `tokens` is the text's count.
pub(super) fn sentences(item: u32, text: &str, layer: Layer, tokens: u64) -> Vec<Sentence> {
    let (weight, bounds) = match layer {
        // What the user asks for comes before anything else; what is pasted is long.
        Layer::User => (if text.len() <= PASTED { 70 } else { 40 }, OF_USER),
        Layer::Assistant => (20, SAID),
        Layer::ToolResults => (4, OF_TOOLS),
        Layer::Thinking => (8, SAID),
        _ => return Vec::new(),
    };
    let mut found = Vec::new();
    let mut lower = String::new();
    for (start, end) in split(text, &bounds) {
        let Some(words) = text.get(start..end) else { continue };
        lower.clear();
        lower.extend(words.chars().map(|sign| sign.to_ascii_lowercase()));
        let word = layer == Layer::User && words.len() <= WORD && words.contains(char::is_alphanumeric);
        if !word && is_data(words) {
            continue;
        }
        let of_tool = layer == Layer::ToolResults;
        let (Ok(from), Ok(to)) = (u32::try_from(start), u32::try_from(end)) else { break };
        let share = u128::from(tokens) * words.len() as u128 / (text.len().max(1) as u128);
        found.push(Sentence {
            item,
            start: from,
            end: to,
            tokens: u32::try_from(share).unwrap_or(u32::MAX).saturating_add(1),
            score: if of_tool && is_chatter(&lower) { 0 } else { score(words, &lower) } + weight,
            hash: hash(if of_tool { shape(&lower) } else { lower.trim().to_owned() }.as_bytes(), Coding::Plain),
        });
    }
    best(found, bounds.most)
}

/// The best of each region, in order.
fn best(found: Vec<Sentence>, most: usize) -> Vec<Sentence> {
    if found.len() <= most {
        return found;
    }
    let mut kept = Vec::with_capacity(found.len());
    for region in found.chunk_by(|one, other| one.start / REGION == other.start / REGION) {
        let from = kept.len();
        kept.extend_from_slice(region);
        if let Some(own) = kept.get_mut(from..).filter(|own| own.len() > most) {
            own.sort_unstable_by_key(|sentence| (std::cmp::Reverse(sentence.score), sentence.start));
            kept.truncate(from + most);
            kept[from..].sort_unstable_by_key(|sentence| sentence.start);
        }
    }
    kept
}

/// Sentences end at line breaks, at `.`, `!`, `?` before a blank, and at `。`, `！`, `？`.
fn split(text: &str, bounds: &Bounds) -> Vec<(usize, usize)> {
    let bytes = text.as_bytes();
    let (mut found, mut start) = (Vec::new(), 0);
    for (at, byte) in bytes.iter().enumerate() {
        let end = match byte {
            b'\n' => at,
            b'.' | b'!' | b'?' => {
                // What is quoted or in brackets ends with its closing sign.
                let closing = bytes[at + 1..].iter().take_while(|byte| b"\"')]*`".contains(byte)).count();
                match bytes.get(at + 1 + closing) {
                    None | Some(b' ' | b'\n' | b'\r' | b'\t') => at + 1 + closing,
                    Some(_) => continue,
                }
            }
            0xE3 | 0xEF if is_wide_end(bytes, at) => at + 3,
            _ => continue,
        };
        take(text, (start, end), bounds, &mut found);
        start = end.max(start);
    }
    take(text, (start, bytes.len()), bounds, &mut found);
    found
}

/// Takes a sentence without the blanks around it, what is too long divided between words.
fn take(text: &str, (start, end): (usize, usize), bounds: &Bounds, found: &mut Vec<(usize, usize)>) {
    let Some(whole) = text.get(start..end) else { return };
    let (mut from, to) = (end - whole.trim_start().len(), start + whole.trim_end().len());
    while from < to && to - from > bounds.longest {
        let most = (from..=from + bounds.longest).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(to);
        let part = &text[from..most];
        let blank = part.rfind(char::is_whitespace).filter(|at| *at > 0).map(|at| from + at);
        let cut = match blank {
            Some(blank) => blank,
            // Scripts without blanks are divided anywhere, what else has none is left out.
            None if !part.is_ascii() => most,
            None if !bounds.divides => return,
            None => {
                from = text[most..to].find(char::is_whitespace).map_or(to, |at| most + at);
                continue;
            }
        };
        found.push((from, cut));
        if !bounds.divides {
            return;
        }
        from = to - text[cut..to].trim_start().len();
    }
    if from < to && to - from >= bounds.shortest {
        found.push((from, to));
    }
}

/// Whether words are no sentence: too few of their signs are letters.
fn is_data(words: &str) -> bool {
    let letters = words.bytes().filter(|byte| byte.is_ascii_alphabetic() || *byte >= 0x80).count();
    letters * 3 < words.len()
}

/// Whether a line of a log says of itself that it matters little.
fn is_chatter(lower: &str) -> bool {
    let head = lower.get(..lower.floor_char_boundary(HEAD)).unwrap_or(lower);
    head.split(|sign: char| !sign.is_alphanumeric()).any(|word| LEVELS.contains(&word))
}

/// A line without its figures and times. A name with a number in it is another name.
fn shape(lower: &str) -> String {
    let parts = |sign: char| !sign.is_alphanumeric() && sign != '_';
    let mut shape = String::with_capacity(lower.len());
    for part in lower.trim().split_inclusive(parts) {
        let word = part.trim_end_matches(parts);
        let digits = word.bytes().filter(u8::is_ascii_digit).count();
        shape.push_str(if digits > 0 && word.len() <= digits + 1 { "0" } else { word });
        shape.push_str(part.get(word.len()..).unwrap_or_default());
    }
    shape
}

/// How much a sentence matters by its words.
fn score(words: &str, lower: &str) -> u32 {
    let mut score = 0;
    score += 12 * u32::from(ERRORS.iter().any(|word| lower.contains(word)));
    score += 10 * u32::from(DECISIONS.iter().any(|word| lower.contains(word)));
    let (mut terms, mut digits) = (0, 0);
    for word in words.split_ascii_whitespace() {
        let inner = word.trim_matches(|sign: char| !sign.is_alphanumeric());
        let digit = inner.bytes().any(|byte| byte.is_ascii_digit());
        let named = digit && inner.len() >= 4 && inner.bytes().any(|byte| byte.is_ascii_alphabetic());
        terms += u32::from(named || inner.contains(['/', '_']) || inner.contains("::") || inner.contains('.'));
        digits += u32::from(digit);
    }
    score + 5 * terms.min(3) + 3 * digits.min(3)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(layer: Layer, text: &str) -> Vec<&str> {
        let found = sentences(0, text, layer, 1_000);
        found.iter().map(|one| &text[one.start as usize..one.end as usize]).collect()
    }

    #[test]
    fn all_that_the_user_asks_for_is_a_sentence() {
        let long = format!("Never touch the file {}LONGRULE-55, whatever happens", "of the old parser and ".repeat(25));
        let chinese = "所有的提交都必须先通过测试。不要修改生产数据库！可以吗？编号 ZHRULE-77";
        let text = format!("Use pnpm. No mocks.\r\n{long}.\n{chinese}\nWhy (really?) so\nQX-77413");
        let rule = format!("{long}.");
        let found = said(Layer::User, &text);
        let wanted =
            ["Use pnpm.", "No mocks.", &rule, "所有的提交都必须先通过测试。", "不要修改生产数据库！", "可以吗？"];
        assert_eq!(found[..6], wanted);
        assert_eq!(found[6..], ["编号 ZHRULE-77", "Why (really?)", "QX-77413"]);
    }

    #[test]
    fn what_is_too_long_is_divided_between_words_and_data_left_out() {
        let text = format!("{} {} {}", "word ".repeat(150), "0a".repeat(5_000), "汉字".repeat(300));
        let found = said(Layer::Assistant, &text);
        assert!(found.iter().all(|part| part.len() <= 400 && !part.contains("0a0a")), "{found:?}");
        let words: usize = found.iter().map(|part| part.matches("word").count()).sum();
        let signs: usize = found.iter().map(|part| part.matches('汉').count()).sum();
        assert_eq!((words, signs), (150, 300));
        // Of a tool's line the beginning, without the word that it ends in; of one without words nothing.
        let line = format!("ERROR {} at src/main.rs", "word ".repeat(150));
        let found = said(Layer::ToolResults, &line);
        assert_eq!(found.len(), 1);
        assert!(found[0].starts_with("ERROR word") && found[0].ends_with("word") && found[0].len() > 390, "{found:?}");
        assert!(said(Layer::ToolResults, &"0a".repeat(5_000)).is_empty());
    }

    #[test]
    fn what_the_user_asks_for_outranks_a_log_whose_lines_count_once() {
        let log = "2026-04-09T02:43:01.315Z DEBUG timetable: Oslo sailing=22-b berths=41 in src/timetable.rs\n\
                   2026-04-09T02:44:07.001Z DEBUG timetable: Oslo sailing=9-b berths=7 in src/timetable.rs\n\
                   2026-04-09T02:44:08.220Z ERROR gateway: charge 812 failed in src/gateway.rs, must stop\n\
                   2026-04-09T02:45:09.118Z ERROR gateway: charge 99 failed in src/gateway.rs, must stop\n\
                   2026-04-09T02:45:09.118Z ERROR gateway: refund 99 failed in src/gateway.rs, must stop\n";
        let lines = sentences(0, log, Layer::ToolResults, 200);
        let user = sentences(0, "Don't touch the refunds module, APAC is on it.", Layer::User, 10);
        assert!(lines.iter().all(|line| line.score < user[0].score));
        assert_eq!(lines[0].hash, lines[1].hash);
        assert_eq!(lines[2].hash, lines[3].hash);
        assert_ne!(lines[3].hash, lines[4].hash);
        assert!(lines[0].score < lines[2].score);
        let pasted = sentences(0, &log.repeat(40), Layer::User, 8_000);
        assert!(pasted.iter().all(|line| line.score >= 40) && pasted[1].score < 40 + 70);
    }

    #[test]
    fn every_part_of_a_long_text_keeps_its_best_sentences() {
        let mut text = "The parser reads one small line here.\n".repeat(20);
        text.push_str("The ticket of it all is plain.\n");
        text.push_str(&"We must fix error 500 in src/main.rs because it fails.\n".repeat(4_000));
        let found = said(Layer::Assistant, &text);
        assert!(found.contains(&"The ticket of it all is plain."));
        assert!(found.len() <= (text.len() / REGION as usize + 1) * SAID.most);
    }
}
