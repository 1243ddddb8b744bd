//! Facts that a session proposes by itself: instructions, decisions, paths, identifiers, numbers and errors that are
//! referred to again later.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use rayon::prelude::*;
use regex::Regex;
use schemars::JsonSchema;
use serde::Serialize;

use super::meaning::words;
use crate::content::{Sources, Watch};
use crate::model::{BlockId, BlockKind, Layer, Role, Run, Transcript};

/// Bytes of one text that are looked at.
const READ: usize = 400_000;
/// Terms of one text that are looked at.
const TERMS: usize = 4_000;
/// Texts that a term may be in: what is everywhere is no fact.
const EVERYWHERE: usize = 40;
/// Steps between a term and its repetition: what is repeated at once needs no memory.
const APART: u32 = 3;
/// Bytes of a message that a person typed and did not paste, at most.
const TYPED: usize = 600;
/// Words that such a message says at least.
const TELLING: usize = 3;
/// Calls that give an argument before it is one that is always given.
const USUAL: usize = 3;

/// What a proposed fact is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FactKind {
    /// What a person asked to be kept to.
    Instruction,
    /// What the model chose.
    Decision,
    /// Something that went wrong.
    Error,
    /// A path.
    Path,
    /// A name in code, a ticket, a key.
    Identifier,
    /// A number of four digits or more.
    Number,
}

/// A proposed fact.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// What it is.
    pub kind: FactKind,
    /// The text to follow. Untrusted.
    pub text: String,
    /// The block that it came in by.
    pub block: BlockId,
    /// The first step that held it.
    pub came: u32,
    /// The last request whose answer repeats it; for instructions and decisions the last step.
    pub needed: u32,
    /// How many answers repeat it.
    pub repeats: u32,
}

/// A block of a run, in the order in which they came in.
struct Piece {
    block: BlockId,
    born: u32,
    layer: Layer,
    by_model: bool,
    kind: BlockKind,
}

/// Texts and what they are.
type Texts = Vec<(FactKind, String)>;

/// A sentence that asks or states something.
struct Sentence {
    kind: FactKind,
    text: String,
    weight: u64,
}

/// The whole values that a call's arguments have, by their names.
type Arguments = Vec<(String, String)>;

/// What is known of a term so far.
struct Known {
    first: usize,
    kind: FactKind,
    texts: usize,
    repeats: u32,
    last: u32,
}

/// Proposes facts of a run, those that are needed longest after they came in first; at most so many.
#[must_use]
pub fn candidates(transcript: &Transcript, sources: &Sources, run: &Run, most: usize, watch: &Watch) -> Vec<Candidate> {
    let pieces = pieces(transcript, run);
    watch.expect(pieces.len() as u64);
    let last = u32::try_from(run.steps.len()).unwrap_or(u32::MAX);
    let told: Vec<(Texts, Vec<Sentence>, Arguments)> = pieces
        .par_iter()
        .map(|piece| {
            watch.advance(1);
            if watch.is_cancelled() {
                return Default::default();
            }
            let body = transcript.block(piece.block).map(|block| &block.body);
            let Some(text) = body.and_then(|body| sources.body_text(body).ok()) else { return Default::default() };
            let mut end = text.len().min(READ);
            while !text.is_char_boundary(end) {
                end -= 1;
            }
            let given = if piece.kind == BlockKind::ToolCall { given(&text[..end]) } else { Vec::new() };
            (terms(&text[..end]), sentences(&text[..end], piece), given)
        })
        .collect();
    // What calls give again and again under one name is how the tool is used, not what the session is about.
    let mut habits: HashMap<&(String, String), usize> = HashMap::new();
    for argument in told.iter().flat_map(|(.., given)| given) {
        *habits.entry(argument).or_default() += 1;
    }
    let mut keys: HashMap<&str, usize> = HashMap::new();
    for ((key, _), times) in &habits {
        *keys.entry(key).or_default() += times;
    }
    let mut known: HashMap<&str, Known> = HashMap::new();
    let mut found: Vec<(Candidate, u64)> = Vec::new();
    for (at, (piece, (terms, _, given))) in pieces.iter().zip(&told).enumerate() {
        let usual = |term: &str| {
            given
                .iter()
                .any(|(key, value)| value == term && keys.get(key.as_str()).is_some_and(|times| *times >= USUAL))
        };
        for (kind, term) in terms.iter().filter(|(_, term)| !usual(term)) {
            let known = known.entry(term).or_insert(Known { first: at, kind: *kind, texts: 0, repeats: 0, last: 0 });
            known.texts += 1;
            let speaks = piece.by_model && piece.kind != BlockKind::Thinking;
            let came = pieces.get(known.first).map_or(0, |first| first.born);
            let apart = piece.born.saturating_sub(1) >= came + APART;
            if speaks && known.first != at && apart {
                known.repeats += 1;
                known.last = piece.born.saturating_sub(1).clamp(1, last);
            }
        }
    }
    for (term, known) in &known {
        let Some(piece) = pieces.get(known.first).filter(|_| known.repeats > 0 && known.texts <= EVERYWHERE) else {
            continue;
        };
        let candidate = Candidate {
            kind: known.kind,
            text: (*term).to_owned(),
            block: piece.block,
            came: piece.born,
            needed: known.last,
            repeats: known.repeats,
        };
        found.push((candidate, 1));
    }
    for (piece, (_, sentences, _)) in pieces.iter().zip(&told) {
        for sentence in sentences.iter().filter(|_| piece.born < last) {
            let candidate = Candidate {
                kind: sentence.kind,
                text: sentence.text.clone(),
                block: piece.block,
                came: piece.born,
                needed: last,
                repeats: 0,
            };
            found.push((candidate, sentence.weight));
        }
    }
    found.retain(|(candidate, _)| candidate.needed > candidate.came);
    found.sort_by(|(one, heavy), (other, heavier)| {
        // What people asked for and what was decided is what a session is about.
        let weight = |one: &Candidate, spoken: u64| {
            u64::from(one.needed - one.came) * spoken * u64::from(one.repeats.clamp(1, 5))
        };
        let weights = weight(other, *heavier).cmp(&weight(one, *heavy));
        weights.then(one.came.cmp(&other.came)).then_with(|| one.text.cmp(&other.text))
    });
    thin(found.into_iter().map(|(candidate, _)| candidate), most)
}

/// At most so many, no kind more than a third, and no two of which one holds the other.
fn thin(found: impl Iterator<Item = Candidate>, most: usize) -> Vec<Candidate> {
    let mut kept: Vec<Candidate> = Vec::new();
    let mut of_kind: HashMap<FactKind, usize> = HashMap::new();
    for candidate in found {
        if kept.len() >= most {
            break;
        }
        let number = of_kind.entry(candidate.kind).or_default();
        let known =
            kept.iter().any(|other| other.text.contains(&candidate.text) || candidate.text.contains(&other.text));
        if known || *number * 3 >= most.max(3) {
            continue;
        }
        *number += 1;
        kept.push(candidate);
    }
    kept
}

fn pieces(transcript: &Transcript, run: &Run) -> Vec<Piece> {
    let mut seen = HashSet::new();
    let mut found: Vec<Piece> = run
        .entries
        .iter()
        .filter_map(|entry| {
            let id = entry.block().filter(|id| seen.insert(*id))?;
            let block = transcript.block(id)?;
            let talk = matches!(
                block.layer,
                Layer::User | Layer::Assistant | Layer::ToolCalls | Layer::ToolResults | Layer::Files
            );
            talk.then(|| Piece {
                block: id,
                born: entry.born(),
                layer: block.layer,
                by_model: block.role == Role::Assistant,
                kind: block.kind,
            })
        })
        .collect();
    found.sort_by_key(|piece| (piece.born, piece.block));
    found
}

const ERRORS: &[&str] = &["error", "fail", "panic", "exception", "denied", "not found", "cannot", "refused"];
const ASKED: &[&str] = &[
    "must ",
    "never ",
    "always ",
    "don't ",
    "do not ",
    "only ",
    "make sure",
    "keep in mind",
    "please use",
    "instead of",
    "please ",
    "should ",
    "ensure ",
    "avoid ",
    "i want",
    "we want",
    "rather than",
];
const CHOSEN: &[&str] =
    &["decided", "i'll use", "we will use", "instead of", "root cause", "the reason is", "i chose", "going with"];

/// The numbers that a call gives as whole arguments, in JSON or in a script: `"timeout_ms": 3000`.
fn given(text: &str) -> Arguments {
    static ARGUMENT: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r#"([A-Za-z_]\w{2,40})\\?["']?\s*[:=]\s*(\d{4,12})\s*[,})\]]"#).ok());
    let Some(argument) = ARGUMENT.as_ref() else { return Vec::new() };
    let owned = |found: regex::Captures| Some((found.get(1)?.as_str().to_owned(), found.get(2)?.as_str().to_owned()));
    argument.captures_iter(text).take(TERMS).filter_map(owned).collect()
}

/// The distinctive terms of a text, each once, with what they are.
fn terms(text: &str) -> Vec<(FactKind, String)> {
    let (mut found, mut seen) = (Vec::new(), HashSet::new());
    // In JSON a backslash takes the next letter with it.
    let escaped = text.trim_start().starts_with(['{', '[']);
    for line in text.lines() {
        let lower = line.get(..line.len().min(400)).unwrap_or("").to_ascii_lowercase();
        let failed = ERRORS.iter().any(|word| lower.contains(word));
        let mut rest = line;
        while !rest.is_empty() {
            let size = rest.find(|sign| !is_part(sign)).unwrap_or(rest.len());
            let (word, after) = rest.split_at(size);
            rest = after.get(after.chars().next().map_or(0, char::len_utf8)..).unwrap_or_default();
            if escaped && after.starts_with('\\') {
                rest = rest.strip_prefix(['n', 't', 'r']).unwrap_or(rest);
            }
            // The names of a call's arguments are the tool's, not the session's.
            if after.starts_with("\":") || after.starts_with("\\\":") {
                continue;
            }
            let word = word.trim_matches(['.', '-']).trim_end_matches('/');
            let Some(kind) = kind_of(word) else { continue };
            let kind = if failed && kind == FactKind::Identifier && names_error(word) { FactKind::Error } else { kind };
            // What code calls or takes from a library is the same in every session.
            if kind == FactKind::Identifier && (after.starts_with('(') || is_library(word)) {
                continue;
            }
            if found.len() < TERMS && seen.insert(word) {
                found.push((kind, word.to_owned()));
            }
        }
    }
    found
}

/// Whether a name is one of an error: `E_CONNRESET`, `TS2345`, `ParseError`.
fn names_error(word: &str) -> bool {
    let capitals = word.bytes().filter(u8::is_ascii_uppercase).count();
    let small = word.bytes().filter(u8::is_ascii_lowercase).count();
    (capitals >= 2 && small == 0)
        || word.ends_with("Error")
        || word.ends_with("Exception")
        || (capitals > 0 && word.bytes().filter(u8::is_ascii_digit).count() >= 2)
}

/// Whether a name is part of a name, or one within a library's: `_error`, `strings.Contains`.
fn is_library(word: &str) -> bool {
    let digits = word.bytes().any(|byte| byte.is_ascii_digit());
    let last = word.rsplit('.').next().unwrap_or_default();
    !digits
        && (word.starts_with('_')
            || (last.len() < word.len() && last.starts_with(|sign: char| sign.is_ascii_uppercase())))
}

/// Whether what looks like a path is a media type.
fn is_media_type(word: &str) -> bool {
    const KINDS: &[&str] = &["application", "text", "image", "audio", "video", "font", "multipart", "message", "model"];
    word.split_once('/').is_some_and(|(kind, rest)| KINDS.contains(&kind) && !rest.contains('/') && !rest.contains('.'))
}

fn is_part(sign: char) -> bool {
    sign.is_ascii_alphanumeric() || matches!(sign, '_' | '.' | '/' | '-')
}

fn kind_of(word: &str) -> Option<FactKind> {
    if word.len() < 4 || word.len() > 120 {
        return None;
    }
    let digits = word.bytes().filter(u8::is_ascii_digit).count();
    let letters = word.bytes().filter(u8::is_ascii_alphabetic).count();
    // Every system has these.
    if is_media_type(word) || word.starts_with("//") || word.starts_with("/dev/") || word.starts_with("/proc/") {
        return None;
    }
    if word.contains('/') && letters >= 4 {
        return Some(FactKind::Path);
    }
    if letters == 0 {
        let plain = word.bytes().all(|byte| byte.is_ascii_digit());
        return (plain && (4..=12).contains(&digits)).then_some(FactKind::Number);
    }
    let inner = word.as_bytes().windows(2).any(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase());
    let joined = word.contains('_') || word.contains('.') && !word.ends_with(|sign: char| sign.is_ascii_digit());
    let mixed = digits >= 2 && letters >= 2 && word.contains('-');
    (letters >= 3 && word.len() >= 6 && (joined || inner) || mixed).then_some(FactKind::Identifier)
}

/// The sentences of a message that ask for something, or of an answer that say what was chosen; of a short message that a
/// person typed, all that state something. Each with its weight.
fn sentences(text: &str, piece: &Piece) -> Vec<Sentence> {
    let (kind, words) = match piece.layer {
        Layer::User => (FactKind::Instruction, ASKED),
        Layer::Assistant => (FactKind::Decision, CHOSEN),
        _ => return Vec::new(),
    };
    let person = kind == FactKind::Instruction;
    if person && is_wrapped(text) {
        return Vec::new();
    }
    let typed = person && text.len() <= TYPED;
    let mut found = Vec::new();
    let lines = text.lines().filter(|line| !line.trim_start().starts_with('|'));
    for sentence in lines.flat_map(|line| line.split_inclusive(". ")) {
        let sentence = plain(sentence);
        let lower = sentence.to_lowercase();
        let asks = words.iter().any(|word| lower.contains(word));
        let states = || typed && !sentence.ends_with(['?', ':']) && telling(sentence) >= TELLING;
        let least = if typed { 12 } else { 20 };
        if found.len() >= 10 || !(least..=240).contains(&sentence.len()) || !(asks || states()) {
            continue;
        }
        // What is typed is what a person means; what is long was pasted as a rule.
        let weight = match (person, typed, asks) {
            (true, true, true) => 48,
            (true, true, false) => 32,
            _ => 8,
        };
        found.push(Sentence { kind, text: sentence.to_owned(), weight });
    }
    found
}

/// Whether a harness wrote a message, or wrapped what was typed for something else than the model: `<bash-input>`.
fn is_wrapped(text: &str) -> bool {
    let text = text.trim();
    let tag = text.strip_prefix('<').is_some_and(|rest| rest.starts_with(|sign: char| sign.is_ascii_alphabetic()));
    tag || (text.starts_with('[') && text.ends_with(']'))
}

/// A sentence without the marks of Markdown around it; of one with marks inside, its longest part.
fn plain(sentence: &str) -> &str {
    let part = sentence.split("**").max_by_key(|part| part.len()).unwrap_or_default().trim();
    let part = part.trim_start_matches(['-', '*', '+', '#', '>', '•', ' ']).trim_end_matches(['*', ' ']);
    let part = part.strip_suffix('.').unwrap_or(part);
    part.strip_prefix('`').and_then(|inner| inner.strip_suffix('`')).unwrap_or(part).trim()
}

/// Words and figures that say something.
fn telling(sentence: &str) -> usize {
    let figures = sentence.split(|sign: char| !sign.is_alphanumeric());
    words(sentence).count() + figures.filter(|word| word.len() == 1 && word.as_bytes()[0].is_ascii_digit()).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_are_told_apart() {
        let text =
            "see src/cli/load.rs and keyPrefix or key_prefix\nerror: E_CONNRESET in 61234 of INC-204\nplain words 123";
        let found = terms(text);
        assert!(
            terms(r#"{"file_path": "/srv/a.rs", "new_string": "x_1_y"}"#)
                .iter()
                .all(|(_, term)| !term.contains("_path"))
        );
        let call = terms(r#"{"command": "git commit -m 'x\nCo-Authored-By: y'\n\tlog.Info_2 > /dev/null"}"#);
        assert!(call.iter().all(|(_, term)| !term.starts_with('n') && !term.starts_with('t') && !term.contains("dev")));
        assert!(call.iter().any(|(_, term)| term == "log.Info_2"), "{call:?}");
        let of = |word: &str| found.iter().find(|(_, term)| term == word).map(|(kind, _)| *kind);
        assert_eq!(of("src/cli/load.rs"), Some(FactKind::Path));
        assert_eq!(of("keyPrefix"), Some(FactKind::Identifier));
        assert_eq!(of("E_CONNRESET"), Some(FactKind::Error));
        assert_eq!(of("61234"), Some(FactKind::Number));
        assert_eq!((of("plain"), of("123")), (None, None));
        let code = terms("error: strings.Contains(x, _error) of type application/json at keyPrefix.go, TS2345");
        let kinds: Vec<(FactKind, &str)> = code.iter().map(|(kind, term)| (*kind, term.as_str())).collect();
        assert_eq!(kinds, [(FactKind::Identifier, "keyPrefix.go")], "{kinds:?}");
    }

    #[test]
    fn what_a_person_typed_is_proposed_and_what_a_harness_wrapped_is_not() {
        let piece = Piece { block: BlockId(0), born: 1, layer: Layer::User, by_model: false, kind: BlockKind::Text };
        let told = |text: &str| -> Vec<(String, u64)> {
            sentences(text, &piece).into_iter().map(|found| (found.text, found.weight)).collect()
        };
        assert_eq!(
            told("leave out 2, 4 and 9, mend the rest"),
            [("leave out 2, 4 and 9, mend the rest".to_owned(), 32)]
        );
        assert_eq!(told("Never touch the lock file."), [("Never touch the lock file".to_owned(), 48)]);
        let pasted = format!(
            "| row | must never be taken |\n- **Note:** you should mend the parser of dates\n{}",
            "x ".repeat(400)
        );
        assert_eq!(told(&pasted), [("you should mend the parser of dates".to_owned(), 8)]);
        for nothing in
            ["yes", "go on", "<bash-input>git commit -m 'never again'</bash-input>", "what should we do next?"]
        {
            assert!(told(nothing).iter().all(|(text, _)| text.ends_with('?')), "{nothing}");
        }
    }

    #[test]
    fn arguments_are_known_by_their_names() {
        let found = given(r#"{"cmd": "ls", "max_output_tokens": 3000, "x": "const y = {timeoutMs: 180000}"}"#);
        assert_eq!(
            found,
            [("max_output_tokens", "3000"), ("timeoutMs", "180000")].map(|(k, v)| (k.to_owned(), v.to_owned()))
        );
    }
}
