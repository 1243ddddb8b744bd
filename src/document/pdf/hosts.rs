//! Small texts that are raised or lowered behind another: which of a page's texts are, and behind which.

use std::collections::HashMap;

use super::lines::{Line, Lines, Placed};

/// Characters of a script.
const SCRIPT_MAX: usize = 12;
/// By the size of the letters that it stands behind, how large those of a script are, and how far it is off their baseline.
const SIZE: std::ops::RangeInclusive<f32> = 0.4..=0.9;
const SHIFT: std::ops::RangeInclusive<f32> = 0.1..=0.6;
/// The same for the room between both: they may overlap as italics do.
pub const ROOM: std::ops::RangeInclusive<f32> = -0.2..=0.3;
/// The same for how far texts of one baseline are off it, and how far apart what is drawn twice stands.
pub const LEVEL: f32 = 0.02;
pub const TWICE: f32 = 0.1;

/// The texts of a page that are scripts, and the text behind which each stands.
pub type Homes = HashMap<usize, usize>;

/// A line, with which of the texts of the page its own begin, and how large the largest are.
struct Begun<'a> {
    line: &'a Line,
    first: usize,
    largest: f32,
}

/// Those of a page.
pub fn homes(lines: &Lines, all: &[&Placed]) -> Homes {
    let mut first = 0;
    let begin = |line| {
        let begun = Begun { line, first, largest: line.texts.iter().map(|text| text.size).fold(0.0, f32::max) };
        first += line.texts.len();
        begun
    };
    let lines: Vec<Begun<'_>> = lines.all().iter().map(begin).take_while(|begun| begun.first < all.len()).collect();
    let mut homes: Homes = HashMap::new();
    for (number, begun) in lines.iter().enumerate() {
        for (at, own) in begun.line.texts.iter().enumerate() {
            if own.text.chars().nth(SCRIPT_MAX).is_some() {
                continue;
            }
            let index = begun.first + at;
            let before = index.checked_sub(1).filter(|_| at > 0);
            let goes_on = before.and_then(|before| {
                let text = all.get(before)?;
                let is_next = (text.size - own.size).abs() <= own.size * TWICE
                    && (text.y - own.y).abs() <= own.size * TWICE
                    && ROOM.contains(&((own.left - text.right) / own.size));
                homes.get(&before).filter(|_| is_next).copied()
            });
            if let Some(host) = goes_on.or_else(|| host(own, number, &lines)) {
                homes.insert(index, host);
            }
        }
    }
    homes
}

/// The text behind which one of a line stands, if it is a script.
fn host(own: &Placed, number: usize, lines: &[Begun<'_>]) -> Option<usize> {
    let furthest = own.size / SIZE.start() * SHIFT.end() + own.size;
    let is_near = |begun: &&Begun<'_>| (begun.line.y - own.y).abs() <= furthest;
    let above = lines.get(..number).unwrap_or_default().iter().rev().take_while(is_near);
    let below = lines.get(number..).unwrap_or_default().iter().take_while(is_near);
    let mut best: Option<(f32, usize)> = None;
    for begun in above.chain(below).filter(|begun| own.size <= begun.largest * SIZE.end()) {
        for (at, placed) in begun.line.texts.iter().enumerate() {
            let (shift, room) = ((own.y - placed.y).abs() / placed.size, (own.left - placed.right) / placed.size);
            let is_host = SIZE.contains(&(own.size / placed.size)) && SHIFT.contains(&shift) && ROOM.contains(&room);
            let far = shift + room.abs();
            if is_host && best.is_none_or(|(least, _)| far < least) {
                best = Some((far, begun.first + at));
            }
        }
    }
    best.map(|(_, host)| host)
}
