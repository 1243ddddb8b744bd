//! Names of one letter, as "convert A into B" has them: a capital tells them from words, and an article from a name.

/// Verbs behind which "A" at the beginning is no article.
pub(super) const SAYS: &[&str] = &["and", "are", "has", "is", "or", "was", "were", "will"];
/// Words in which another such name is looked for, where a sentence begins with "A".
const BEHIND: usize = 8;

/// The letter that a word between blanks is alone, beside signs.
fn alone(word: &str) -> Option<u8> {
    let bare = word.trim_matches(|sign: char| !sign.is_ascii_alphanumeric());
    let bare = bare.strip_suffix("'s").unwrap_or(bare);
    match bare.as_bytes() {
        [letter] if letter.is_ascii_uppercase() && *letter != b'I' && word.len() < 8 => Some(*letter),
        _ => None,
    }
}

/// Whether a word of a text is a name of one letter: a capital that no beginning asks for, and that neither numbers an
/// item nor is the unit of a number. `before` and `behind` are the words around it.
pub(super) fn is_name<'a>(word: &str, before: Option<&str>, behind: impl Iterator<Item = &'a str> + Clone) -> bool {
    let Some(letter) = alone(word) else { return false };
    let ends = |word: &str| word.ends_with(['.', '!', '?', ':']) || !word.contains(char::is_alphanumeric);
    match before {
        Some(before) if !ends(before) => !before.ends_with(|sign: char| sign.is_ascii_digit()),
        _ if word.ends_with(['.', ')', ':']) => false,
        _ if letter != b'A' => true,
        _ => {
            let Some(next) = behind.clone().next() else { return false };
            let verb = next.ends_with('s') && !next.ends_with("ss");
            let mut ended = false;
            let mut sentence = behind.take(BEHIND).take_while(|word| !std::mem::replace(&mut ended, ends(word)));
            let another = |word: &str| alone(word).is_some_and(|letter| letter != b'A');
            SAYS.contains(&next) || another(next) || (verb && sentence.any(another))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::words::exact;

    #[test]
    fn a_capital_that_stands_alone_is_a_name_and_an_article_is_none() {
        for (text, told) in [
            ("Convert A into B.", "convert A into B."),
            ("A calls B.", "A calls B."),
            ("A is 1 and B is 2.", "A is 1 and B is 2."),
            ("Node A's port and (C).", "node A's port and (C)."),
            ("A server listens, and I see a plan B.", "a server listens, and i see a plan B."),
            ("It weighs 5 M at 20 C.", "it weighs 5 m at 20 c."),
            ("B) Do it. A. Then that.", "b) do it. a. then that."),
            ("A class of its own. B is up.", "a class of its own. B is up."),
        ] {
            assert_eq!(exact(text), told);
        }
    }
}
