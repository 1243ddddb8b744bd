//! Questions: who asks for a fact does not say it.

use std::collections::HashSet;

use super::unmarked::asks_unmarked;
use crate::model::{Block, BlockKind, Layer, Role};

/// Whether a block is something that a person or the model says to the other.
#[must_use]
pub fn is_spoken(block: &Block) -> bool {
    let spoken = (block.layer == Layer::User && block.role == Role::User) || block.layer == Layer::Assistant;
    spoken && block.kind == BlockKind::Text
}

/// Characters of a line that may go on in the next one.
const WIDE: usize = 50;

/// A text without its questions, in a short one also those without a mark; `None` where it asks nothing.
#[must_use]
pub fn stated(text: &str) -> Option<String> {
    let mut said = String::new();
    let (mut start, mut asks) = (0, false);
    let is_asked = |start: usize, end: usize| {
        let sentence = text.get(start..end).unwrap_or_default();
        text.len() <= OWN && asks_unmarked(sentence) && stands_alone(text, start, end)
    };
    let mut signs = text.char_indices().peekable();
    while let Some((at, sign)) = signs.next() {
        let ends = match sign {
            '\n' | '。' | '！' | '？' => true,
            '.' | '!' | '?' => signs.peek().is_none_or(|(_, next)| !next.is_alphanumeric() && !"/=&-_".contains(*next)),
            _ => false,
        };
        if !ends {
            continue;
        }
        let end = at + sign.len_utf8();
        if matches!(sign, '?' | '？') || is_asked(start, end) {
            asks = true;
        } else {
            said.push_str(text.get(start..end).unwrap_or_default());
        }
        start = end;
    }
    if is_asked(start, text.len()) {
        asks = true;
    } else {
        said.push_str(text.get(start..).unwrap_or_default());
    }
    asks.then_some(said)
}

/// Whether a sentence neither goes on in the next line, nor goes on what the line before it says or announces.
fn stands_alone(text: &str, start: usize, end: usize) -> bool {
    let small = |text: &str| text.trim_start_matches([' ', '\t']).starts_with(|sign: char| sign.is_lowercase());
    let sentence = text.get(start..end).unwrap_or_default();
    let goes_on = sentence.ends_with('\n') && small(text.get(end..).unwrap_or_default());
    let before = text.get(..start).unwrap_or_default();
    let line = before.strip_suffix('\n').map(|before| before.rsplit('\n').next().unwrap_or_default().trim_end());
    let broken = line.is_some_and(|line| {
        line.chars().count() >= WIDE
            && small(sentence)
            && line.ends_with(|sign: char| sign.is_alphanumeric() || sign == ',')
    });
    !goes_on && !broken && !before.trim_end().ends_with([':', '：'])
}

/// Bytes of a message whose questions are a person's own, at most.
const OWN: usize = 2_000;

/// Which of the terms of a short message nothing but its questions names.
pub(super) fn only_in_questions<'t>(text: &str, terms: impl Iterator<Item = &'t str>) -> HashSet<String> {
    let rest = Some(text).filter(|text| text.len() <= OWN).and_then(stated);
    let only = |rest: String| terms.filter(|term| !rest.contains(*term)).map(str::to_owned).collect();
    rest.map_or_else(HashSet::new, only)
}

/// How an answer says that it has not what was asked for.
const UNKNOWN: &[&str] = &[
    "can't find",
    "cannot find",
    "can't recall",
    "cannot recall",
    "couldn't find",
    "could not find",
    "do not have",
    "do not know",
    "do not recall",
    "do not remember",
    "do not see",
    "don't have",
    "don't know",
    "don't recall",
    "don't remember",
    "don't see",
    "no idea",
    "no information",
    "no longer have",
    "no longer know",
    "no longer see",
    "no memory of",
    "no mention of",
    "no record",
    "not aware of",
    "not familiar with",
    "not sure what",
    "unable to find",
    "我不知道",
    "没有记录",
    "weiß nicht",
    "weiß ich nicht",
    "je ne sais pas",
    "no lo sé",
];

/// Whether an answer says that it has not what was asked for.
pub(super) fn is_in_vain(answer: &str) -> bool {
    let lower = answer.to_lowercase().replace('\u{2019}', "'");
    UNKNOWN.iter().any(|words| lower.contains(words))
}

/// By which a question asks somebody to do or to mind a thing: "can you make sure that …?"
const REQUESTS: &[&str] =
    &["can you", "could you", "would you", "will you", "please", "make sure", "mind ", "remember"];

/// Whether a question may say what it asks about: it asks somebody to do it, or is in a language of which that is not known.
pub(super) fn may_tell(question: &str) -> bool {
    let lower = question.to_lowercase();
    let letters = || lower.chars().filter(|sign| sign.is_alphabetic());
    let foreign = letters().filter(|sign| !sign.is_ascii()).count() * 8 > letters().count();
    foreign || (REQUESTS.iter().any(|request| lower.contains(request)) && !asks_to_be_told(&lower))
}

/// Whether a request in small letters asks for no more than an answer: "can you tell me if the port is open?"
fn asks_to_be_told(lower: &str) -> bool {
    const ASKED: &[&str] = &["can", "could", "will", "would"];
    const TELLS: &[&str] = &[
        "check", "confirm", "explain", "find", "know", "look", "recall", "remember", "remind", "say", "see", "tell",
        "verify",
    ];
    let all: Vec<&str> =
        lower.split(|sign: char| !sign.is_alphanumeric() && sign != '\'').filter(|word| !word.is_empty()).collect();
    let asks = all.windows(2).position(|pair| ASKED.contains(&pair[0]) && pair[1] == "you");
    let rest = asks.and_then(|at| all.get(at + 2..)).unwrap_or_default();
    let verb = rest.iter().find(|word| !["please", "also", "just", "quickly"].contains(word));
    let wonders = |word: &&str| matches!(*word, "if" | "whether") || WH_WORDS.contains(word);
    verb.is_some_and(|verb| TELLS.contains(verb)) && rest.iter().take(5).any(wonders)
}

/// Words with which a question begins, and no request.
const OPENERS: &[&str] = &[
    "are", "did", "do", "does", "has", "have", "how", "is", "may", "should", "was", "were", "what", "when", "where",
    "which", "who", "why",
];
/// More of them, which begin a request as well ("will you …"), but for "whose".
const FURTHER_OPENERS: &[&str] = &["can", "could", "shall", "whose", "will", "would"];

/// Words with which a question for one thing begins, and not one that is answered by yes or no.
pub(super) const WH_WORDS: &[&str] = &["how", "what", "when", "where", "which", "who", "whose", "why"];
/// The same in other languages.
pub(super) const WH_WORDS_ABROAD: &[&str] = &[
    "wann", "warum", "was", "welche", "welcher", "welches", "wer", "wessen", "wie", "wo", // German
    "combien", "comment", "où", "quand", "quel", "quelle", "quelles", "quels", "qui", // French
    "cuál", "cuándo", "cuánto", "cuánta", "cómo", "dónde", "qué", "quién", // Spanish
];

/// Whether a text asks for one thing: "How large is the budget?", "Tell me who signed it."
pub(super) fn asks_for_one_thing(text: &str) -> bool {
    let is_marked = text.trim_end().ends_with(['?', '？']);
    let first = bare_words(text).next();
    // `was` begins a question of another kind in English, as `was the budget raised?` shows.
    let german = || text.split_whitespace().nth(1).is_some_and(|next| ["ist", "war", "sind", "kostet"].contains(&next));
    let opens = first.as_deref().is_some_and(|first| asks_which(first) && (first != "was" || german()));
    (opens && (is_marked || asks_unmarked(text))) || is_told_to_tell(text)
}

/// Whether a text asks without a question mark: "Remind me where the key is."
pub(super) fn is_told_to_tell(text: &str) -> bool {
    let all: Vec<String> = bare_words(text).take(6).collect();
    let all: Vec<&str> = all.iter().map(String::as_str).skip_while(|word| *word == "please").collect();
    let ["tell" | "remind" | "show", "me", rest @ ..] = all.as_slice() else { return false };
    rest.iter().take(2).any(|word| WH_WORDS.contains(word))
}

/// Whether a word asks for one thing, in any language that is known here.
fn asks_which(word: &str) -> bool {
    WH_WORDS.contains(&word) || WH_WORDS_ABROAD.contains(&word)
}

/// The words of a text without those that only ask.
pub(super) fn without_asking(text: &str) -> String {
    let asks = ["about", "remind", "said", "show", "tell", "told"];
    let told = bare_words(text).filter(|word| !asks.contains(&&**word) && !asks_which(word));
    told.collect::<Vec<String>>().join(" ")
}

/// The words of a text, in small letters and without signs.
fn bare_words(text: &str) -> impl Iterator<Item = String> + '_ {
    let bare = |word: &str| word.trim_matches(|sign: char| !sign.is_alphanumeric()).to_lowercase();
    text.split_whitespace().map(bare).filter(|word| !word.is_empty())
}

/// Whether a sentence is a question itself.
pub(super) fn is_question(sentence: &str) -> bool {
    let first = sentence.split_whitespace().next().unwrap_or_default().to_lowercase();
    let opens = || [OPENERS, FURTHER_OPENERS].iter().any(|list| list.contains(&first.as_str()));
    sentence.trim_end().ends_with(['?', '？']) || opens()
}

/// Whether a sentence begins as a question does, and not as a request may.
pub(super) fn opens_as_question(sentence: &str) -> bool {
    // Not at blanks as above: "what's" begins one, too.
    let first = sentence.split(|sign: char| !sign.is_alphanumeric()).next().unwrap_or_default().to_lowercase();
    first == "had" || OPENERS.contains(&first.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_asks_for_a_thing_to_be_done_says_it_and_who_wonders_does_not() {
        for (question, tells) in [
            ("Can you make sure that port 9000 is used?", true),
            ("Could you use port 9000, please?", true),
            ("Should we use port 9000?", false),
            ("Can you tell me if port 9000 is used?", false),
            ("Could you please check whether port 9000 is used?", false),
            ("Can you remember that port 9000 is used?", true),
            ("Is port 9000 free?", false),
            ("端口是9000吗？", true),
        ] {
            assert_eq!(may_tell(question), tells, "{question}");
        }
        for (text, asks) in [
            ("How large is the budget?", true),
            ("Was kostet das Budget?", true),
            ("Was the budget raised?", false),
            ("Is it ready?", false),
            ("How it works is told below.", false),
            ("Please tell me who signed it.", true),
            ("Tell me again where the key is.", true),
            ("Tell me a joke.", false),
        ] {
            assert_eq!(asks_for_one_thing(text), asks, "{text}");
        }
        assert!(is_question("where is the key kept") && !is_question("the key is in the vault"));
    }

    #[test]
    fn questions_are_taken_out_and_what_is_said_beside_them_stays() {
        for (text, said) in [
            ("May I restart it on a Friday?", Some("")),
            ("It is late. May I restart it? I would rather not.", Some("It is late. I would rather not.")),
            ("Rule: never on Fridays\nunderstood?", Some("Rule: never on Fridays\n")),
            ("再起動してもいいですか？はい。", Some("はい。")),
            ("Fetch http://host/a?b=1 and v1.2 now.", None),
            ("Never on Fridays!", None),
            ("It is late. Tell me the name of the host", Some("It is late.")),
            ("What was the code\n\nThanks.", Some("\nThanks.")),
            ("Tell me what the code\nis for the vault", None),
            ("Write into the title:\nWhat is the code", None),
        ] {
            assert_eq!(stated(text).as_deref(), said, "{text}");
        }
    }
}
