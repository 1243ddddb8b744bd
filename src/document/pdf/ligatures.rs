//! Blanks behind ligatures that nobody sees: some programs draw what follows a ligature a blank too far left, and begin it
//! with a blank.

use std::collections::HashMap;

use unpdf::model::{Block, InlineContent};

use super::lines::{Line, Lines, Placed};

/// Of the size of the letters, how far what begins with a blank begins before the end of what it follows.
const OVERLAP: std::ops::RangeInclusive<f32> = 0.18..=0.45;
/// Characters around the blank by which it is found.
const AROUND: usize = 12;

/// Whether a ligature stands before a blank and a small letter.
pub fn may_be_parted(blocks: &[Block]) -> bool {
    let is_parted = |text: &str| {
        memchr::memmem::find_iter(text.as_bytes(), &[0xEF, 0xAC]).any(|at| {
            let mut rest = text.get(at..).unwrap_or_default().chars();
            let before = rest.next();
            let (blank, next) = (rest.next(), rest.next());
            before.is_some_and(is_ligature) && blank == Some(' ') && next.is_some_and(char::is_lowercase)
        })
    };
    let runs = |block: &Block| match block {
        Block::Paragraph(paragraph) => paragraph.content.iter().any(|part| match part {
            InlineContent::Text(run) => is_parted(&run.text),
            _ => false,
        }),
        _ => false,
    };
    blocks.iter().any(runs)
}

fn is_ligature(sign: char) -> bool {
    ('\u{FB00}'..='\u{FB06}').contains(&sign)
}

/// Takes away blanks that have no room on the page, and tells whether there were any.
pub fn joined(blocks: &mut [Block], lines: &Lines) -> bool {
    let mut unseen: HashMap<String, usize> = HashMap::new();
    for line in lines.all() {
        for text in unseen_in(line) {
            *unseen.entry(text).or_default() += 1;
        }
    }
    let mut is_any = false;
    for (text, times) in unseen {
        let mut runs: Vec<&mut String> = blocks.iter_mut().flat_map(texts).collect();
        let read: usize = runs.iter().map(|run| run.matches(text.as_str()).count()).sum();
        // Of what is read more often, some may have a blank.
        if read != times {
            continue;
        }
        let closed = text.replacen(' ', "", 1);
        runs.iter_mut().filter(|run| run.contains(text.as_str())).for_each(|run| **run = run.replace(&text, &closed));
        is_any = true;
    }
    is_any
}

fn texts(block: &mut Block) -> impl Iterator<Item = &mut String> {
    let content = match block {
        Block::Paragraph(paragraph) => paragraph.content.as_mut_slice(),
        _ => &mut [],
    };
    content.iter_mut().filter_map(|part| match part {
        InlineContent::Text(run) => Some(&mut run.text),
        _ => None,
    })
}

/// The words around such blanks of a line.
fn unseen_in(line: &Line) -> impl Iterator<Item = String> {
    line.texts.windows(2).filter_map(|pair| {
        let [before, behind] = pair else { return None };
        is_unseen(before, behind).then_some(())?;
        let word = before.written.split_whitespace().next_back()?;
        let from = word.char_indices().rev().nth(AROUND - 1).map_or(0, |(at, _)| at);
        let next = behind.written.split_whitespace().next()?;
        let to = next.char_indices().nth(AROUND).map_or(next.len(), |(at, _)| at);
        Some(format!("{} {}", word.get(from..)?, next.get(..to)?))
    })
}

/// Whether a blank between two texts has no room: the second is drawn over the first by as much.
fn is_unseen(before: &Placed, behind: &Placed) -> bool {
    let overlap = (before.right - behind.left) / behind.size.max(f32::MIN_POSITIVE);
    behind.begins_blank
        && OVERLAP.contains(&overlap)
        && before.written.ends_with(is_ligature)
        && behind.written.starts_with(char::is_lowercase)
}

#[cfg(test)]
mod tests {
    use unpdf::model::Paragraph;

    use super::super::lines::tests::span;
    use super::*;

    /// What a text becomes where what follows the ligature begins so far right.
    fn told(text: &str, left: f32) -> String {
        let mut blocks = vec![Block::Paragraph(Paragraph::with_text(text))];
        let (mut before, behind) = (span("Verzwei\u{FB02}", 100.0, 700.0), span(" ung: Kein", left, 700.0));
        before.width = 40.0;
        let is_any = may_be_parted(&blocks) && joined(&mut blocks, &Lines::of(vec![before, behind]));
        let [Block::Paragraph(paragraph)] = blocks.as_slice() else { unreachable!() };
        assert_eq!(is_any, paragraph.plain_text() != text);
        paragraph.plain_text()
    }

    #[test]
    fn a_blank_that_nobody_sees_is_none() {
        let text = "zur Verzwei\u{FB02} ung: Kein Mensch";
        assert_eq!(told(text, 137.2), "zur Verzwei\u{FB02}ung: Kein Mensch");
        assert_eq!(told(text, 140.0), text);
        assert_eq!(told(text, 142.0), text);
        // It is not told which of two it is, and of a line's text the page's has to be the same.
        let twice = "Verzwei\u{FB02} ung: Verzwei\u{FB02} ung:";
        assert_eq!(told(twice, 137.2), twice);
        assert_eq!(told("a sti\u{FB00} neck", 137.2), "a sti\u{FB00} neck");
    }
}
