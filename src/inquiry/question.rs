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

#[cfg(test)]
mod tests {
    use super::*;

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
