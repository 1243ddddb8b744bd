//! The lines that a block's text stands in, found by the text: what its reader joined can be parted where they tell that
//! it is not one.

use super::lines::{Area, Line, Lines, Placed};

/// Of the size of the letters, the room between two texts that are no more of one.
const APART: f32 = 1.2;
/// Of the size of the letters, how far the lines of one block are below each other at most, and beside at most.
const BELOW_MAX: f32 = 4.0;
const BESIDE_MAX: f32 = 6.0;
/// Of the size of the letters, how far letters that are raised or lowered are from the others of their line.
const RAISED_MAX: f32 = 0.6;
/// Of the size of the letters, the room that is a blank.
const BLANK: f32 = 0.12;
/// Signs before an item, in one text with it.
const BULLETS: &[char] = &['•', '●', '○', '◦', '▪', '■', '–', '-', '*', '\u{f0b7}'];

/// A line of a block.
pub struct Row<'a> {
    /// Its texts, from left to right.
    pub texts: Vec<&'a Placed>,
    /// How high it stands.
    pub y: f32,
    /// The size of its largest letters.
    pub size: f32,
    /// Where in the block's text without white space it begins.
    pub start: usize,
    /// Whether where its text begins is known: the mark of an item may stand in one with it.
    pub is_bare: bool,
}

impl<'a> Row<'a> {
    /// Where it begins.
    pub fn left(&self) -> f32 {
        self.texts.first().map_or(0.0, |text| text.left)
    }

    /// Where it ends.
    pub fn right(&self) -> f32 {
        self.texts.iter().map(|text| text.right).fold(0.0, f32::max)
    }

    /// How wide its first word is.
    pub fn first_word(&self) -> f32 {
        self.texts.first().map_or(0.0, |text| text.first_word)
    }

    /// Its texts without white space.
    pub fn solid(&self) -> String {
        self.texts.iter().map(|text| text.text.as_str()).collect()
    }

    /// Its texts as groups that stand apart.
    pub fn cells(&self) -> Vec<Vec<&'a Placed>> {
        apart(self.texts.iter().copied(), self.size)
    }
}

/// Texts from left to right as groups that stand apart.
pub fn apart<'a>(texts: impl Iterator<Item = &'a Placed>, size: f32) -> Vec<Vec<&'a Placed>> {
    let mut cells: Vec<Vec<&'a Placed>> = Vec::new();
    for text in texts {
        match cells.last_mut() {
            Some(cell) if cell.last().is_some_and(|last| text.left - last.right < size * APART) => cell.push(text),
            _ => cells.push(vec![text]),
        }
    }
    cells
}

impl Lines {
    /// The lines of a block with this text, which has no white space; `None` where they are not all found.
    pub fn rows_of(&self, text: &str) -> Option<Vec<Row<'_>>> {
        self.rows_around(text, &[])
    }

    /// The same, where some of the lines may stand above and some below what is in these areas.
    pub fn rows_around(&self, text: &str, areas: &[Area]) -> Option<Vec<Row<'_>>> {
        if text.is_empty() {
            return None;
        }
        let lines = self.all();
        (0..lines.len()).find_map(|at| {
            let count = lines.get(at)?.texts.len();
            (0..count).find_map(|from| self.rows_from(at, from, text, areas))
        })
    }

    fn rows_from(&self, at: usize, from: usize, text: &str, areas: &[Area]) -> Option<Vec<Row<'_>>> {
        let is_free = |line: &Line, from: usize| {
            let placed = line.texts.get(from);
            placed.is_some_and(|placed| areas.iter().all(|area| !area.holds(line.y, placed)))
        };
        let (first, mut reached) = taken(self.all().get(at).filter(|line| is_free(line, from))?, from, text, 0)?;
        let mut rows = vec![first];
        for line in self.all().iter().skip(at + 1) {
            if reached >= text.len() {
                break;
            }
            let last = rows.last()?;
            let most = last.size.max(line.size) * BELOW_MAX;
            let passed = areas.iter().filter(|area| last.y > area.top && area.top > line.y);
            // Around each there is room above and below.
            let room: f32 = passed.map(|area| most + area.top - area.bottom.max(line.y)).sum();
            if last.y - line.y > most + room {
                break;
            }
            // What is centred begins anywhere, and first in its line.
            let is_near = |from: usize| {
                let left = line.texts.get(from).map_or(f32::MAX, |text| text.left);
                from == 0 || (left - last.left()).abs() <= last.size * BESIDE_MAX
            };
            let found = (0..line.texts.len()).filter(|from| is_near(*from) && is_free(line, *from)).find_map(|from| {
                let rest = text.get(reached..)?;
                line.texts.get(from).filter(|placed| rest.starts_with(&placed.text))?;
                taken(line, from, text, reached)
            });
            let Some((row, end)) = found else { continue };
            reached = end;
            match rows.last_mut().filter(|last| last.y - row.y < last.size.max(row.size) * RAISED_MAX) {
                Some(last) => {
                    last.size = last.size.max(row.size);
                    last.texts.extend(row.texts);
                }
                None => rows.push(row),
            }
        }
        (reached >= text.len()).then_some(rows)
    }

    /// Where lines that begin about here end at most.
    pub fn right_of(&self, left: f32) -> f32 {
        let mut right = left;
        for line in self.all() {
            let begins = |text: &&Placed| (text.left - left).abs() <= line.size * BESIDE_MAX;
            let mut texts = line.texts.iter().skip_while(|text| !begins(text));
            let Some(first) = texts.next() else { continue };
            let mut end = first.right;
            for text in texts {
                if text.left - end >= line.size * APART {
                    break;
                }
                end = text.right;
            }
            right = right.max(end);
        }
        right
    }
}

/// Texts beside each other as one, with blanks where there is room for them.
pub fn written(texts: &[&Placed]) -> String {
    let mut line = String::new();
    let mut end = f32::MAX;
    for text in texts {
        if text.left - end > text.size * BLANK {
            line.push(' ');
        }
        line.push_str(&text.written);
        end = text.right;
    }
    line
}

/// What a line holds of a text from a byte on, and where that ends; nothing where the line goes on with something else.
fn taken<'a>(line: &'a Line, from: usize, text: &str, start: usize) -> Option<(Row<'a>, usize)> {
    let mut row = Row { texts: Vec::new(), y: line.y, size: 0.0, start, is_bare: true };
    let mut reached = start;
    for placed in line.texts.get(from..)? {
        let rest = text.get(reached..)?;
        let size = if rest.starts_with(&placed.text) {
            placed.text.len()
        } else if start == 0 && row.texts.is_empty() {
            // The mark of the item is none of its text.
            row.is_bare = false;
            let bare = without_mark(&placed.text);
            if bare.len() == placed.text.len() || bare.is_empty() || !rest.starts_with(bare) {
                break;
            }
            bare.len()
        } else {
            break;
        };
        reached += size;
        row.size = row.size.max(placed.size);
        row.texts.push(placed);
        if reached >= text.len() {
            break;
        }
    }
    let (first, last) = (row.texts.first()?, row.texts.last()?);
    let before = from.checked_sub(1).and_then(|before| line.texts.get(before)).filter(|_| start > 0);
    let behind = line.texts.get(from + row.texts.len());
    let is_apart = |one: &Placed, other: &Placed| other.left - one.right >= row.size * APART;
    let is_whole =
        before.is_none_or(|before| is_apart(before, first)) && behind.is_none_or(|behind| is_apart(last, behind));
    is_whole.then_some((row, reached))
}

/// A text without the bullet or the number of an item.
fn without_mark(text: &str) -> &str {
    if let Some(rest) = text.strip_prefix(BULLETS) {
        return rest;
    }
    let digits = text.trim_start_matches(|sign: char| sign.is_ascii_digit());
    if digits.len() < text.len() { digits.strip_prefix(['.', ')']).unwrap_or(text) } else { text }
}
