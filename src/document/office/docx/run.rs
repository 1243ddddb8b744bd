//! Runs of text with their marks and links, joined into Markdown.

use crate::document::heading::hold;
use crate::document::typed::typed;

/// A break in a line, as Markdown writes it.
pub const BREAK: &str = "  \n";

/// How a run is marked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Marks {
    /// In bold.
    pub bold: bool,
    /// In italics.
    pub italic: bool,
    /// Struck through.
    pub struck: bool,
    /// The target of the link that it is part of.
    pub link: Option<String>,
}

/// What a paragraph consists of.
#[derive(Clone, Debug)]
pub enum Piece {
    /// Marked text.
    Text(String, Marks),
    /// Markdown that stays as it is.
    Raw(String),
    /// A page begins; where the author wished it, text before it and after it is not one word.
    Page(u32, bool),
}

/// What a paragraph becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Becomes {
    /// Text with marks.
    Text,
    /// Code, or a part of a cell or note: words alone.
    Words,
    /// A heading.
    Heading,
}

/// The Markdown of a paragraph, and the pages that begin in it, by byte.
#[must_use]
pub fn join(pieces: &[Piece], becomes: Becomes) -> (String, Vec<(usize, u32)>) {
    let mut text = String::new();
    let mut pages = Vec::new();
    let mut index = 0;
    while let Some(piece) = pieces.get(index) {
        index += 1;
        match piece {
            // In code a line ends with it, and a heading is one line anyway.
            Piece::Raw(raw) if becomes != Becomes::Text && raw == BREAK => text.push('\n'),
            Piece::Raw(raw) => text.push_str(raw),
            Piece::Page(page, wished) => {
                if *wished && text.ends_with(|sign: char| !sign.is_whitespace()) {
                    text.push('\n');
                }
                pages.push((text.len(), *page));
            }
            Piece::Text(first, marks) => {
                let mut run = first.clone();
                // Word splits runs wherever something was edited.
                while let Some(Piece::Text(more, same)) = pieces.get(index)
                    && same == marks
                {
                    run.push_str(more);
                    index += 1;
                }
                mark(&run, marks, becomes, &mut text);
            }
        }
    }
    (text, pages)
}

/// Adds a run with its marks around its words, white space outside.
fn mark(run: &str, marks: &Marks, becomes: Becomes, to: &mut String) {
    let plain = becomes != Becomes::Text;
    let words = run.trim();
    let before = run.len() - run.trim_start().len();
    to.push_str(&run[..before]);
    if words.is_empty() {
        return;
    }
    let bold = marks.bold && !plain;
    let signs: Vec<&str> = [(bold, "**"), (marks.italic && !plain, "*"), (marks.struck && !plain, "~~")]
        .iter()
        .filter_map(|(set, sign)| set.then_some(*sign))
        .collect();
    if marks.link.is_some() {
        to.push('[');
    }
    signs.iter().for_each(|sign| to.push_str(sign));
    match becomes {
        Becomes::Text if signs.is_empty() => to.push_str(&typed(to, words)),
        Becomes::Text => to.push_str(&apart(&typed(to, words))),
        Becomes::Words => to.push_str(words),
        Becomes::Heading => hold(words, to),
    }
    signs.iter().rev().for_each(|sign| to.push_str(sign));
    if let Some(target) = &marks.link {
        to.push_str("](");
        to.push_str(&target.replace(' ', "%20"));
        to.push(')');
    }
    to.push_str(&run[before + words.len()..]);
}

/// A text to stand between marks: signs at its ends that would be taken as a part of them have backslashes.
fn apart(words: &str) -> String {
    let is_mark = |sign: char| matches!(sign, '*' | '~');
    let rest = words.trim_start_matches(is_mark);
    let inner = rest.trim_end_matches(is_mark);
    let (before, behind) = (&words[..words.len() - rest.len()], &rest[inner.len()..]);
    let escaped = |signs: &str| signs.chars().flat_map(|sign| ['\\', sign]).collect::<String>();
    // What stands behind a backslash is escaped already.
    let (done, left) = behind.split_at(usize::from(inner.ends_with('\\')).min(behind.len()));
    format!("{}{inner}{done}{}", escaped(before), escaped(left))
}

#[cfg(test)]
mod tests {
    use pulldown_cmark::{Event, Parser};

    use super::*;

    #[test]
    fn signs_at_the_ends_of_a_marked_text_are_text() {
        let bold = Marks { bold: true, ..Marks::default() };
        for (words, shown) in [
            ("** bold with stars **", "**\\*\\* bold with stars \\*\\***"),
            ("*", "**\\***"),
            ("a * b", "**a * b**"),
            ("x*", "**x\\***"),
        ] {
            let (text, _) = join(&[Piece::Text(words.to_owned(), bold.clone())], Becomes::Text);
            assert_eq!(text, shown);
            let said: String = Parser::new(&text)
                .filter_map(|event| if let Event::Text(text) = event { Some(text.into_string()) } else { None })
                .collect();
            assert_eq!(said, words, "{text}");
        }
        let (plain, _) = join(&[Piece::Text("a *b".to_owned(), Marks::default())], Becomes::Text);
        assert_eq!(plain, "a *b");
    }
}
