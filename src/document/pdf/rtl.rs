//! Text that runs from right to left: its reader tells from a line's first letters how the line runs, wrongly where these
//! are of another script; it mirrors brackets that a file has mirrored; it puts short texts at the right behind columns, and
//! a blank that is drawn behind a word before that word's last letter.

use std::collections::HashMap;
use std::rc::Rc;

use unpdf::model::{Block, InlineContent};
use unpdf::parser::bidi::{contains_rtl, reorder_bidi};

use super::lines::{Lines, solid};
use super::rows::{apart, written};
use super::sparse::{left, right};

/// What makes a line run from right to left.
const MARK: char = '\u{200F}';
/// Such lines of a page, and blocks before one of them, that are looked at.
const LINES_MAX: usize = 200;
const BEFORE_MAX: usize = 50;
/// Of the size of its letters, how far from where the others begin such a line does that does not end where they do.
const FAR: f32 = 4.0;
/// Pairs of brackets.
const BRACKETS: &[(char, char)] = &[('(', ')'), ('[', ']'), ('{', '}')];

/// A line that runs from right to left.
struct Told {
    y: f32,
    /// Whether it runs up to the right edge of its page.
    is_at_edge: bool,
    /// As its reader has it, and as it is.
    read: String,
    right: String,
}

/// A page's blocks, with such text as it is read.
pub fn with_rtl(mut blocks: Vec<Block>, lines: impl FnOnce() -> Option<Rc<Lines>>) -> Vec<Block> {
    if !blocks.iter().any(runs_left) {
        return blocks;
    }
    if let Some(lines) = lines() {
        let told = told(&lines);
        put_first(&mut blocks, &lines, told.iter().filter(|told| told.is_at_edge));
        for Told { read, right, .. } in told.iter().filter(|told| told.read != told.right) {
            // The same words in the middle of a line that runs the other way are none of it.
            each_text(&mut blocks, |text| put(text, read, right));
        }
        for Told { right, .. } in &told {
            each_text(&mut blocks, |text| blanked(text, right));
        }
    }
    each_text(&mut blocks, unmirrored);
    blocks
}

/// A text with a line of it as it is, where no letters from left to right stand in the same line.
fn put(text: &str, read: &str, right: &str) -> Option<String> {
    let at = text.find(read)?;
    let (before, behind) = (&text[..at], &text[at + read.len()..]);
    let runs_right = |sign: char| sign.is_alphabetic() && !is_rtl(sign);
    let near = before.trim_end().chars().next_back().into_iter().chain(behind.trim_start().chars().next());
    let is_within = near.into_iter().any(runs_right);
    (!is_within).then(|| format!("{before}{right}{behind}"))
}

/// A text with the blanks of a line of it where there is room for them, where one of its letters stands alone.
fn blanked(text: &str, right: &str) -> Option<String> {
    if !has_lone(text) {
        return None;
    }
    let places: Vec<usize> = text
        .char_indices()
        .filter(|(_, sign)| !sign.is_whitespace())
        .flat_map(|(at, sign)| at..at + sign.len_utf8())
        .collect();
    let (all, line) = (solid(text), solid(right));
    let parted = |from: usize| {
        let (first, last) = (*places.get(from)?, *places.get(from + line.len().checked_sub(1)?)?);
        let is_better = text.get(first..=last).is_some_and(has_lone) && !has_lone(right);
        is_better.then(|| format!("{}{right}{}", &text[..first], &text[last + 1..]))
    };
    all.match_indices(&line).find_map(|(from, _)| parted(from))
}

/// Whether a letter of a text that runs from right to left stands alone.
fn has_lone(text: &str) -> bool {
    text.split_whitespace().any(|word| {
        let mut signs = word.chars();
        signs.next().is_some_and(is_rtl) && signs.next().is_none()
    })
}

/// Whether a block holds text that runs from right to left.
fn runs_left(block: &Block) -> bool {
    match block {
        Block::Paragraph(paragraph) => contains_rtl(&paragraph.plain_text()),
        Block::Table(table) => contains_rtl(&table.plain_text()),
        _ => false,
    }
}

/// Changes the texts of blocks and of the cells of tables.
fn each_text(blocks: &mut [Block], change: impl Fn(&str) -> Option<String>) {
    let change = |part: &mut InlineContent| {
        if let InlineContent::Text(run) = part
            && let Some(changed) = change(&run.text)
        {
            run.text = changed;
        }
    };
    for block in blocks {
        match block {
            Block::Paragraph(paragraph) => paragraph.content.iter_mut().for_each(change),
            Block::Table(table) => {
                let cells = table.rows.iter_mut().flat_map(|row| &mut row.cells);
                cells.flat_map(|cell| &mut cell.content).flat_map(|one| &mut one.content).for_each(change);
            }
            _ => {}
        }
    }
}

/// The lines that run from right to left: most of their letters do. Those run up to the edge that end where all of the page
/// do, or begin far from where these begin and end where others do that run so; others are as their reader has them.
fn told(lines: &Lines) -> Vec<Told> {
    let mut found: Vec<(f32, f32, f32, f32, String)> = Vec::new();
    let mut begin = f32::MAX;
    for line in lines.all() {
        for texts in apart(line.texts.iter(), line.size) {
            begin = begin.min(left(&texts));
            let seen = written(&texts);
            if found.len() < LINES_MAX && runs_mostly(&seen) {
                found.push((line.y, left(&texts), right(&texts), line.size, seen));
            }
        }
    }
    let edge = lines.right_of_all();
    let own = found.iter().map(|(_, _, right, _, _)| *right).fold(f32::MIN, f32::max);
    let tell = |(y, left, right, size, seen): (f32, f32, f32, f32, String)| {
        let is_at_edge = right >= edge - size || left > begin + size * FAR && right >= own - size;
        let read = reorder_bidi(&seen);
        let right = if is_at_edge { reorder_bidi(&format!("{MARK}{seen}")).replace(MARK, "") } else { read.clone() };
        Told { y, is_at_edge, read, right }
    };
    found.into_iter().map(tell).collect()
}

/// Whether more letters of a text run from right to left than do not.
fn runs_mostly(text: &str) -> bool {
    let letters = text.chars().filter(|sign| sign.is_alphabetic());
    let (all, so) = letters.fold((0, 0), |(all, so), sign| (all + 1, so + usize::from(is_rtl(sign))));
    so * 2 > all
}

fn is_rtl(sign: char) -> bool {
    contains_rtl(sign.encode_utf8(&mut [0; 4]))
}

/// Puts paragraphs of one such line before all that stands below them.
fn put_first<'t>(blocks: &mut [Block], lines: &Lines, told: impl Iterator<Item = &'t Told>) {
    let heights: HashMap<String, f32> = told.map(|told| (solid(&told.read), told.y)).collect();
    for at in 1..blocks.len() {
        let Some(Block::Paragraph(paragraph)) = blocks.get(at) else { continue };
        let text = solid(&paragraph.plain_text());
        let Some(&y) = heights.get(&text) else { continue };
        let is_below = |block: &Block| {
            let Block::Paragraph(paragraph) = block else { return false };
            let text = paragraph.plain_text();
            let rows = || lines.rows_of(&solid(&text));
            !contains_rtl(&text) && rows().is_some_and(|rows| rows.first().is_some_and(|row| row.y < y))
        };
        let count = blocks
            .get(..at)
            .unwrap_or_default()
            .iter()
            .rev()
            .take(BEFORE_MAX)
            .take_while(|block| is_below(block))
            .count();
        if let Some(part) = blocks.get_mut(at - count..=at) {
            part.rotate_right(1);
        }
    }
}

/// A text with its brackets the other way round where they make pairs then, and do not as they are.
fn unmirrored(text: &str) -> Option<String> {
    if !text.contains(is_bracket) || !contains_rtl(text) || are_pairs(text) {
        return None;
    }
    // Before the first letter it runs as that does.
    let mut runs_left = text.chars().find(|sign| sign.is_alphabetic()).is_some_and(is_rtl);
    let mut turned = String::with_capacity(text.len());
    for sign in text.chars() {
        if sign.is_alphabetic() {
            runs_left = is_rtl(sign);
        }
        turned.push(if is_bracket(sign) && runs_left { mirrored(sign) } else { sign });
    }
    are_pairs(&turned).then_some(turned)
}

fn is_bracket(sign: char) -> bool {
    mirrored(sign) != sign
}

fn mirrored(sign: char) -> char {
    let other = |(open, close): &(char, char)| match sign {
        sign if sign == *open => Some(*close),
        sign if sign == *close => Some(*open),
        _ => None,
    };
    BRACKETS.iter().find_map(other).unwrap_or(sign)
}

/// Whether each bracket of a text has its other.
fn are_pairs(text: &str) -> bool {
    let mut open = Vec::new();
    for sign in text.chars().filter(|sign| is_bracket(*sign)) {
        if BRACKETS.iter().any(|(begin, _)| *begin == sign) {
            open.push(sign);
        } else if open.pop() != Some(mirrored(sign)) {
            return false;
        }
    }
    open.is_empty()
}

#[cfg(test)]
mod tests {
    use unpdf::model::Paragraph;

    use super::super::lines::tests::span;
    use super::*;

    #[test]
    fn brackets_that_are_mirrored_twice_are_pairs() {
        for (read, right) in [
            ("שורה )בסוגריים( של", Some("שורה (בסוגריים) של")),
            ("]א )ב([ f(x)", Some("[א (ב)] f(x)")),
            ("]א )ב( ג", None),
            ("]א )ב([ ג", Some("[א (ב)] ג")),
            (")אב(", Some("(אב)")),
            ("f(x) וגם )אב( כאן", Some("f(x) וגם (אב) כאן")),
            ("שורה (בסוגריים) של", None),
            ("א) שורה", None),
            (")a(", None),
        ] {
            assert_eq!(unmirrored(read).as_deref(), right, "{read}");
        }
    }

    fn told(paragraphs: &[&str], texts: &[(&str, f32, f32)]) -> Vec<String> {
        let wide = |(text, x, y): &(&str, f32, f32)| {
            let mut span = span("", *x, *y);
            span.width = 5.0 * f32::from(u8::try_from(text.chars().count()).unwrap());
            span.text = (*text).to_owned();
            span
        };
        let lines = Lines::of(texts.iter().map(wide).collect());
        let blocks = paragraphs.iter().map(|text| Block::Paragraph(Paragraph::with_text(*text))).collect();
        let tell = |block: Block| match block {
            Block::Paragraph(paragraph) => paragraph.plain_text(),
            _ => String::new(),
        };
        with_rtl(blocks, || Some(Rc::new(lines))).into_iter().map(tell).collect()
    }

    #[test]
    fn a_line_at_the_right_runs_from_there_whatever_it_ends_with() {
        let wide = ("A line of the page that ends where all of them end.", 72.0, 600.0);
        let seen = ("abc 45 םלוע םולש", 247.0, 700.0);
        assert_eq!(told(&["abc 45 שלום עולם", wide.0], &[seen, wide]), ["שלום עולם abc 45", wide.0]);
        let number = ("7", 400.0, 760.0);
        assert_eq!(told(&["abc 45 שלום עולם"], &[number, seen, wide]), ["שלום עולם abc 45"]);
        // One that begins at the left runs from there.
        let seen = ("abc 45 םלוע םולש", 72.0, 700.0);
        assert_eq!(told(&["abc 45 שלום עולם", wide.0], &[seen, wide]), ["abc 45 שלום עולם", wide.0]);
    }

    #[test]
    fn a_blank_behind_a_word_does_not_part_its_last_letter() {
        // What stands in the words of a line, where there is room between these.
        let line = |y: f32| [("םלוע", 250.0, y), ("םולש", 273.0, y)];
        assert_eq!(told(&["שלו ם עול ם"], &line(700.0)), ["שלום עולם"]);
        let two = [line(700.0), line(680.0)].concat();
        assert_eq!(told(&["abc שלו ם עול ם שלום עול ם"], &two), ["abc שלום עולם שלום עולם"]);
        for same in ["שלום עולם", "שלו ם", "abc"] {
            assert_eq!(told(&[same], &line(700.0)), [same]);
        }
        // A letter that stands alone on the page does so.
        assert_eq!(told(&["ו שלום"], &[("םולש", 250.0, 700.0), ("ו", 273.0, 700.0)]), ["ו שלום"]);
    }

    #[test]
    fn a_line_at_the_right_stands_before_the_columns_below_it() {
        let texts = [
            ("The first column", 72.0, 600.0),
            ("The second one", 250.0, 600.0),
            ("םלוע םולש", 275.0, 700.0),
            ("What is above", 72.0, 730.0),
        ];
        let read = [texts[3].0, texts[0].0, "שלום עולם", texts[1].0];
        assert_eq!(told(&read, &texts), [texts[3].0, "שלום עולם", texts[0].0, texts[1].0]);
    }
}
