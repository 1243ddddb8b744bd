//! Questions: who asks for a fact does not say it.

use crate::model::{Block, BlockKind, Layer, Role};

/// Whether a block is something that a person or the model says to the other.
#[must_use]
pub fn is_spoken(block: &Block) -> bool {
    let spoken = (block.layer == Layer::User && block.role == Role::User) || block.layer == Layer::Assistant;
    spoken && block.kind == BlockKind::Text
}

/// A text without its questions; `None` where it asks nothing.
#[must_use]
pub fn stated(text: &str) -> Option<String> {
    let mut said = String::new();
    let (mut start, mut asks) = (0, false);
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
        if matches!(sign, '?' | '？') {
            asks = true;
        } else {
            said.push_str(text.get(start..end).unwrap_or_default());
        }
        start = end;
    }
    said.push_str(text.get(start..).unwrap_or_default());
    asks.then_some(said)
}

/// By which a question asks somebody to do or to mind a thing: "can you make sure that …?"
const REQUESTS: &[&str] =
    &["can you", "could you", "would you", "will you", "please", "make sure", "mind ", "remember"];

/// Whether a question may say what it asks about: it asks somebody to do it, or is in a language of which that is not known.
pub(super) fn may_tell(question: &str) -> bool {
    let lower = question.to_lowercase();
    let letters = || lower.chars().filter(|sign| sign.is_alphabetic());
    let foreign = letters().filter(|sign| !sign.is_ascii()).count() * 8 > letters().count();
    foreign || REQUESTS.iter().any(|request| lower.contains(request))
}

/// Words with which a question begins.
const WONDERS: &[&str] = &[
    "are", "can", "could", "did", "do", "does", "has", "have", "how", "is", "may", "shall", "should", "was", "were",
    "what", "when", "where", "which", "who", "whose", "why", "will", "would",
];

/// Whether a sentence is a question itself.
pub(super) fn is_question(sentence: &str) -> bool {
    let first = sentence.split_whitespace().next().unwrap_or_default().to_lowercase();
    sentence.trim_end().ends_with(['?', '？']) || WONDERS.contains(&first.as_str())
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
            ("Is port 9000 free?", false),
            ("端口是9000吗？", true),
        ] {
            assert_eq!(may_tell(question), tells, "{question}");
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
        ] {
            assert_eq!(stated(text).as_deref(), said, "{text}");
        }
    }
}
