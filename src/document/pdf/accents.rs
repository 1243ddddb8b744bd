//! Accents that a page draws over letters as glyphs of their own: the reader takes each for a word behind the run of its
//! letter, or behind the whole line. In the place of both stands the letter that has it.

use std::collections::{BTreeMap, HashMap, HashSet};

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::{compose, is_combining_mark};
use unpdf::model::{Block, InlineContent, Paragraph};

use super::lines::{Line, Lines, Placed, solid, without_mark};
use super::splice::{Cut, Put, spliced};

/// Accents as signs of their own, and as they combine with letters.
const ACCENTS: &[(char, char)] = &[
    ('´', '\u{301}'),
    ('`', '\u{300}'),
    ('¨', '\u{308}'),
    ('ˇ', '\u{30C}'),
    ('˝', '\u{30B}'),
    ('˚', '\u{30A}'),
    ('¸', '\u{327}'),
    ('˛', '\u{328}'),
    ('˘', '\u{306}'),
    ('˙', '\u{307}'),
    ('¯', '\u{304}'),
    ('ˉ', '\u{304}'),
    ('ˆ', '\u{302}'),
    ('^', '\u{302}'),
    ('˜', '\u{303}'),
    ('~', '\u{303}'),
];
/// Those that stand between two letters for nothing else.
const WITHIN_WORDS: &[char] = &['¨', 'ˇ', '˝'];
/// Of the size of its letters, how far the middle of an accent is at most from the end of a run whose last letter has it.
const LETTER: f32 = 0.5;
/// The same for how far a mark without width stands beside its letter, and the gap within which runs are of one text.
const BESIDE: f32 = 0.1;
const GAP: f32 = 0.8;
const OVERLAP: f32 = 0.4;
/// Characters around a letter by which it is found, the most first.
const AROUND: &[usize] = &[24, 10, 4];
/// Accents of a page that are looked at, and bytes behind a letter's line within which its accent was read.
const ACCENTS_MAX: usize = 2_000;
const BEHIND: usize = 64;

/// Whether a page may have accents of their own.
pub fn may_stand_apart(blocks: &[Block]) -> bool {
    // Those of ASCII are signs of code, as a rule, and are looked for where others are, too.
    let is_one = |sign: char| !sign.is_ascii() && is_accent(sign);
    texts(blocks).any(|text| !text.is_ascii() && text.chars().any(is_one))
}

/// Puts accents over their letters, as they stand on the page, and tells whether there were any.
pub fn composed(blocks: &mut [Block], lines: &Lines) -> bool {
    let homes: Vec<Home> = lines.all().iter().flat_map(homes).take(ACCENTS_MAX).collect();
    if homes.is_empty() {
        return false;
    }
    let found: Vec<Bare> = blocks.iter().map(Bare::of).collect();
    let mut changes: BTreeMap<usize, (Vec<Cut>, Vec<Put>)> = BTreeMap::new();
    let (mut used, mut places) = (HashSet::new(), vec![None; homes.len()]);
    for around in AROUND {
        find(&homes, *around, &found, &mut places);
    }
    for (home, place) in homes.iter().zip(places) {
        let Some((block, sign)) = place else { continue };
        let Some(bare) = found.get(block) else { continue };
        let Some(letter) = bare.range(sign) else { continue };
        let Some(accent) = bare.accent(home, sign, &used, block) else { continue };
        used.insert((block, accent));
        let (cuts, puts) = changes.entry(block).or_default();
        let size = home.accent.len_utf8();
        cuts.push(Cut { range: accent..accent + size, unlinked: false });
        let at = letter.end;
        cuts.push(Cut { range: letter, unlinked: false });
        puts.push(Put { at, left: 0.0, text: home.composed.clone(), link: None, spaced: false, closed: false });
    }
    let is_any = !changes.is_empty();
    for (at, (cuts, puts)) in changes {
        if let Some(Block::Paragraph(paragraph)) = blocks.get_mut(at) {
            spliced(paragraph, cuts, puts);
        }
    }
    is_any
}

/// Writes an accent that stands in a word before its letter as one with it.
pub fn within_words(blocks: &mut [Block]) {
    for block in blocks {
        let Block::Paragraph(paragraph) = block else { continue };
        for part in &mut paragraph.content {
            let (InlineContent::Text(unpdf::model::TextRun { text, .. }) | InlineContent::Link { text, .. }) = part
            else {
                continue;
            };
            if let Some(made) = within(text) {
                *text = made;
            }
        }
    }
}

fn within(text: &str) -> Option<String> {
    if text.is_ascii() || !text.contains(may_be_accent) {
        return None;
    }
    let (mut made, mut rest, mut before) = (String::with_capacity(text.len()), text.chars().peekable(), ' ');
    while let Some(sign) = rest.next() {
        let next = rest.peek().copied().unwrap_or(' ');
        // Letters without their dot have no other use in words with accents.
        let is_sure = || is_dotless(next) || (WITHIN_WORDS.contains(&sign) && before.is_alphabetic());
        let one = combining(sign).filter(|_| is_sure()).and_then(|mark| compose(dotted(next), mark));
        before = one.unwrap_or(sign);
        if one.is_some() {
            rest.next();
        }
        made.push(before);
    }
    Some(made)
}

fn combining(accent: char) -> Option<char> {
    ACCENTS.iter().find(|(known, _)| *known == accent).map(|(_, mark)| *mark)
}

fn is_accent(sign: char) -> bool {
    may_be_accent(sign) && combining(sign).is_some() || sign >= '\u{300}' && is_combining_mark(sign)
}

/// Whether a sign stands where those of [`ACCENTS`] do: most do not.
fn may_be_accent(sign: char) -> bool {
    matches!(sign, '\u{2C6}'..='\u{2DD}' | '\u{A8}'..='\u{B8}' | '^' | '`' | '~')
}

fn is_dotless(sign: char) -> bool {
    matches!(sign, 'ı' | 'ȷ')
}

fn dotted(sign: char) -> char {
    match sign {
        'ı' => 'i',
        'ȷ' => 'j',
        other => other,
    }
}

/// The texts of paragraphs.
fn texts(blocks: &[Block]) -> impl Iterator<Item = &str> {
    let paragraphs = blocks.iter().filter_map(|block| match block {
        Block::Paragraph(paragraph) => Some(paragraph),
        _ => None,
    });
    paragraphs.flat_map(|paragraph: &Paragraph| &paragraph.content).filter_map(|part| match part {
        InlineContent::Text(run) => Some(run.text.as_str()),
        InlineContent::Link { text, .. } => Some(text.as_str()),
        _ => None,
    })
}

/// An accent and its letter.
struct Home {
    accent: char,
    /// The letter with it.
    composed: String,
    /// The text that it stands in, without accents, and which of its characters the letter is.
    text: Vec<char>,
    letter: usize,
}

impl Home {
    /// So many characters around the letter, and where it stands in them.
    fn around(&self, size: usize) -> Around<'_> {
        let (from, to) = (self.letter.saturating_sub(size), self.letter.saturating_add(size + 1));
        (self.text.get(from..to.min(self.text.len())).unwrap_or_default(), self.letter - from)
    }
}

/// The letters of the accents that a line has as texts of their own.
fn homes(line: &Line) -> Vec<Home> {
    let is_alone = |placed: &Placed| {
        let mut signs = placed.text.chars();
        matches!((signs.next(), signs.next()), (Some(sign), None) if is_accent(sign))
    };
    if !line.texts.iter().any(is_alone) {
        return Vec::new();
    }
    let (accents, runs): (Vec<&Placed>, Vec<&Placed>) = line.texts.iter().partition(|placed| is_alone(placed));
    accents.into_iter().filter_map(|accent| home(accent, &runs)).collect()
}

/// The letter over which an accent stands.
fn home(accent: &Placed, runs: &[&Placed]) -> Option<Home> {
    let sign = accent.text.chars().next()?;
    let size = accent.size;
    let has_width = accent.right - accent.left > size * BESIDE;
    let middle = if has_width { (accent.left + accent.right) / 2.0 } else { accent.left };
    let room = if has_width { 0.0 } else { size * BESIDE };
    // A mark without width stands behind its letter.
    let is_over = |run: &&Placed| match has_width {
        true => run.left <= middle && middle < run.right,
        false => run.left < middle && middle <= run.right + room,
    };
    let at = runs.iter().position(is_over)?;
    let run = runs.get(at)?;
    let (first, last) = (middle - run.left, run.right - middle);
    let is_first = has_width && first <= last;
    let is_near = if is_first { first } else { last } <= size * LETTER;
    let letters = stripped(&run.text);
    let within = if is_first { 0 } else { letters.len().checked_sub(1)? };
    let letter = letters.get(within).copied().filter(|letter| is_near && letter.is_alphabetic())?;
    let composed = match combining(sign) {
        Some(mark) => compose(dotted(letter), mark)?.to_string(),
        None => [letter, sign].into_iter().nfc().collect(),
    };
    // What stands around it in its line.
    let is_next = |one: &Placed, next: &Placed| {
        (-size * OVERLAP..size * GAP).contains(&(next.left - one.right)) && !one.text.is_empty()
    };
    let pairs = |range: std::ops::Range<usize>| runs.get(range).unwrap_or_default();
    let before = pairs(0..at + 1).windows(2).rev().take_while(|pair| matches!(pair, [a, b] if is_next(a, b))).count();
    let behind = pairs(at..runs.len()).windows(2).take_while(|pair| matches!(pair, [a, b] if is_next(a, b))).count();
    let head: Vec<char> = pairs(at - before..at).iter().flat_map(|run| stripped(&run.text)).collect();
    let letter = head.len() + within;
    let tail = pairs(at + 1..at + 1 + behind).iter().flat_map(|run| stripped(&run.text));
    let text = head.into_iter().chain(letters).chain(tail).collect();
    Some(Home { accent: sign, composed, text, letter })
}

/// A text without accents.
fn stripped(text: &str) -> Vec<char> {
    text.chars().filter(|sign| !is_accent(*sign)).collect()
}

/// The text of a block without white space, and without accents.
struct Bare {
    solid: String,
    signs: Vec<char>,
    /// Where each of them stands.
    places: Vec<usize>,
}

impl Bare {
    fn of(block: &Block) -> Bare {
        let solid = match block {
            Block::Paragraph(paragraph) => solid(&without_mark(paragraph)),
            _ => String::new(),
        };
        let bare = solid.char_indices().filter(|(_, sign)| !is_accent(*sign));
        let (places, signs) = bare.unzip();
        Bare { solid, signs, places }
    }

    /// The bytes of one of its signs.
    fn range(&self, sign: usize) -> Option<std::ops::Range<usize>> {
        let from = *self.places.get(sign)?;
        Some(from..from + self.signs.get(sign)?.len_utf8())
    }

    /// Where the accent of a sign was read: before it, or behind it, in its line.
    fn accent(&self, home: &Home, sign: usize, used: &HashSet<(usize, usize)>, block: usize) -> Option<usize> {
        let from = sign.checked_sub(1).and_then(|before| self.range(before)).map_or(0, |before| before.end);
        let line = home.text.get(home.letter..).unwrap_or_default().iter().map(|sign| sign.len_utf8()).sum::<usize>();
        let to = self.places.get(sign)? + line + BEHIND;
        let rest = self.solid.get(from..)?.char_indices().map(|(at, found)| (from + at, found));
        let mut rest = rest.take_while(|(at, _)| *at < to);
        rest.find(|(at, found)| *found == home.accent && !used.contains(&(block, *at))).map(|(at, _)| at)
    }
}

/// Characters, and which of them a letter is.
type Around<'a> = (&'a [char], usize);

/// Finds letters that have no place yet by so many characters around them, where as many are read as are on the page.
fn find(homes: &[Home], around: usize, blocks: &[Bare], places: &mut [Option<(usize, usize)>]) {
    let mut alike: HashMap<Around<'_>, Vec<usize>> = HashMap::new();
    for (at, home) in homes.iter().enumerate() {
        alike.entry(home.around(around)).or_default().push(at);
    }
    let mut begins: HashMap<char, Vec<Around<'_>>> = HashMap::new();
    for (text, letter) in alike.keys() {
        if let Some(first) = text.first() {
            begins.entry(*first).or_default().push((text, *letter));
        }
    }
    let mut read: HashMap<Around<'_>, Vec<(usize, usize)>> = HashMap::new();
    for (block, bare) in blocks.iter().enumerate() {
        for (at, sign) in bare.signs.iter().enumerate() {
            for (text, letter) in begins.get(sign).into_iter().flatten() {
                if bare.signs.get(at..).is_some_and(|rest| rest.starts_with(text)) {
                    read.entry((text, *letter)).or_default().push((block, at + letter));
                }
            }
        }
    }
    for (key, homes) in alike {
        let Some(read) = read.get(&key).filter(|read| read.len() == homes.len()) else { continue };
        for (home, place) in homes.into_iter().zip(read) {
            if let Some(known) = places.get_mut(home).filter(|known| known.is_none()) {
                *known = Some(*place);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::lines::tests::span;
    use super::*;

    /// What a paragraph becomes on a page where these texts stand so far right and so high.
    fn told(read: &str, spans: &[(&str, f32, f32)]) -> String {
        let mut blocks = vec![Block::Paragraph(Paragraph::with_text(read))];
        let spans = spans.iter().map(|(text, x, y)| {
            let mut span = span(text, *x, *y);
            let is_mark = text.chars().all(is_combining_mark);
            span.width = if is_mark { 0.0 } else { 5.0 * f32::from(u8::try_from(text.chars().count()).unwrap()) };
            span
        });
        composed(&mut blocks, &Lines::of(spans.collect()));
        blocks
            .iter()
            .map(|block| if let Block::Paragraph(one) = block { one.plain_text() } else { String::new() })
            .collect()
    }

    #[test]
    fn accents_stand_over_their_letters() {
        let line = [("Federico Lebr", 100.0, 700.0), ("´", 165.2, 700.1), ("on, and Sumit", 165.0, 700.0)];
        assert_eq!(told("Federico Lebron, and Sumit´ Sanghai", &line), "Federico Lebrón, and Sumit Sanghai");
        // Two in a line; and over a letter without a dot, before which it was read.
        let line = [
            ("Am", 100.0, 700.0),
            ("´", 110.1, 700.0),
            ("elie H", 110.0, 700.0),
            ("´", 140.1, 700.0),
            ("eliou, Cl", 140.0, 700.0),
        ];
        assert_eq!(told("Amelie Heliou, Cl´ ´ and more", &line), "Amélie Héliou, Cl and more");
        let line = [("Noem", 100.0, 700.0), ("´", 119.5, 700.0), ("ı Mercado", 120.0, 700.0)];
        assert_eq!(told("Noem´ı Mercado", &line), "Noemí Mercado");
        // Behind its letter, and the last one of a run.
        let line = [("garc", 100.0, 700.0), ("¸", 115.0, 700.0), ("on", 120.0, 700.0)];
        assert_eq!(told("garc¸on", &line), "garçon");
        let line = [("สว", 100.0, 700.0), ("\u{e31}", 109.0, 699.4), ("สด", 110.0, 700.0)];
        assert_eq!(told("สวสด\u{e31}", &line), "สว\u{e31}สด");
    }

    #[test]
    fn accents_that_stand_over_no_letter_of_the_text_stay() {
        let line = [("a", 100.0, 700.0), ("´", 120.0, 700.0), ("b", 140.0, 700.0)];
        assert_eq!(told("a ´ b", &line), "a ´ b");
        // No such letter is known, and one that stands twice in the text.
        let line = [("x", 100.0, 700.0), ("¨", 105.1, 700.0), ("7 mm", 105.0, 700.0)];
        assert_eq!(told("x¨7 mm", &line), "x¨7 mm");
        let line = [("on", 100.0, 700.0), ("´", 100.1, 700.0)];
        assert_eq!(told("on´ or on", &line), "on´ or on");
        assert_eq!(told("it is `code`", &[("it is `code`", 100.0, 700.0)]), "it is `code`");
    }

    #[test]
    fn accents_within_words_are_of_the_next_letter() {
        for (text, right) in [("T˝okés", "Tőkés"), ("na¨ıve", "naïve"), ("Garc´ıa", "García"), ("Ciˇzek", "Cižek")]
        {
            assert_eq!(within(text).as_deref(), Some(right));
        }
        for same in ["it´s", "d´une", "a ˜ b", "f˜i", "20 ˚C", "¨a"] {
            assert_eq!(within(same).unwrap(), same);
        }
        assert_eq!(within("plain"), None);
    }
}
