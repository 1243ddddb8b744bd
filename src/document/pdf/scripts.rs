//! Exponents, indices and calls of notes in the places where they stand: the reader takes such small raised or lowered texts
//! for a line of their own or puts them in the line above or below, and numbers become wrong. The same of what is drawn
//! twice to look bold, which it reads twice.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use unpdf::model::{Block, InlineContent, Paragraph};

use super::hosts::{Homes, LEVEL, ROOM, TWICE, homes};
use super::lines::{Lines, Placed, solid, without_mark};
use super::splice::{Cut, Put, spliced};

/// Characters of a word of a paragraph that may be nothing but scripts.
const WORD_MAX: usize = 4;
/// Of the size of the letters, the room that is a blank, and how far scripts are off one line that were read as such.
const BLANK: f32 = 0.12;
const ROW: f32 = 0.4;
/// The same for how far off another text stands that may be taken for a script, and the text that one was put into; and
/// how long one is that is not taken for another.
const NEAR: f32 = 12.0;
const CLOSE: f32 = 5.0;
const LONG: usize = 4;
/// How many scripts stand behind one text.
const BEHIND_MAX: usize = 8;
/// How much it counts that a text stands further right in its line, and that one does not go on from the one before it.
const BESIDE: f32 = 0.05;
const ELSEWHERE: f32 = 3.0;
/// Texts of a page that are looked at.
const TEXTS_MAX: usize = 20_000;
/// Characters that are doubled in a paragraph which is drawn twice, at least, and at most of those that are looked at.
const TWICE_LEAST: usize = 4;
const TWICE_MOST: usize = 200;
/// Characters of an item's mark that stand in one text with it.
const MARK_MAX: usize = 4;

/// A page's blocks, with scripts where they stand and without what is there twice: with `all` of any page that has some,
/// else of one that has lines of nothing else.
pub fn with_scripts(blocks: Vec<Block>, all: bool, lines: impl FnOnce() -> Option<Rc<Lines>>) -> Vec<Block> {
    let may_be = |block: &Block| {
        let Block::Paragraph(paragraph) = block else { return false };
        all && paragraph.content.iter().any(is_script) || are_scripts(paragraph, all) || is_twice(paragraph)
    };
    if !blocks.iter().any(may_be) {
        return blocks;
    }
    let Some(lines) = lines() else { return blocks };
    mended(blocks, &lines)
}

/// Whether the reader took a text for a script.
fn is_script(content: &InlineContent) -> bool {
    let (InlineContent::Text(unpdf::model::TextRun { style, .. }) | InlineContent::Link { style, .. }) = content else {
        return false;
    };
    style.superscript || style.subscript
}

/// Whether a paragraph is nothing but what may be scripts; for certain only where those are several numbers.
fn are_scripts(paragraph: &Paragraph, all: bool) -> bool {
    let text = paragraph.plain_text();
    let mut words = text.split_whitespace();
    let is_short =
        |word: &str| word.chars().count() <= WORD_MAX && (all || word.contains(|sign: char| sign.is_numeric()));
    let least = if all { 1 } else { 2 };
    !paragraph.is_list_item() && words.clone().count() >= least && words.all(is_short)
}

/// Whether a paragraph begins with the same twice, without a blank between.
fn is_twice(paragraph: &Paragraph) -> bool {
    let text = paragraph.plain_text();
    let text = text.trim().as_bytes();
    let Some(begin) = text.get(..TWICE_LEAST) else { return false };
    (TWICE_LEAST..=TWICE_MOST.min(text.len() / 2))
        .any(|size| text.get(size..size + TWICE_LEAST) == Some(begin) && text.get(..size) == text.get(size..size * 2))
}

/// A text of the page that a block holds: where it begins in the block's text without white space.
pub struct Found {
    /// In bytes.
    pub start: usize,
    /// How long it is.
    pub size: usize,
    /// Which text it is.
    pub text: usize,
}

fn mended(mut blocks: Vec<Block>, lines: &Lines) -> Vec<Block> {
    let all: Vec<&Placed> = lines.all().iter().flat_map(|line| &line.texts).take(TEXTS_MAX).collect();
    let homes = homes(lines, &all);
    let mut search = Search::of(&all, &homes);
    let found: Vec<Vec<Found>> = blocks.iter().map(|block| search.found(block)).collect();
    let page = Page::of(&blocks, &found, &all, &homes);
    let (mut cuts, mut puts): (HashMap<usize, Vec<Cut>>, HashMap<usize, Vec<Put>>) = Default::default();
    for (block, texts) in found.iter().enumerate() {
        for (at, one) in texts.iter().enumerate() {
            let unlinked = match page.fate(block, texts, at) {
                Fate::Stays => continue,
                Fate::Unlinked => true,
                Fate::Cut => false,
                Fate::Moves(there, put) => {
                    puts.entry(there).or_default().push(put);
                    false
                }
            };
            let range = one.start..one.start + one.size;
            cuts.entry(block).or_default().push(Cut { range, unlinked });
        }
    }
    for (at, block) in blocks.iter_mut().enumerate() {
        let (cuts, puts) = (cuts.remove(&at).unwrap_or_default(), puts.remove(&at).unwrap_or_default());
        if let Block::Paragraph(paragraph) = block
            && !(cuts.is_empty() && puts.is_empty())
        {
            spliced(paragraph, cuts, puts);
        }
    }
    let is_emptied = |at: usize, block: &Block| found.get(at).is_some_and(|found| !found.is_empty()) && is_empty(block);
    let blocks = blocks.into_iter().enumerate().filter(|(at, block)| !is_emptied(*at, block));
    blocks.map(|(_, block)| block).collect()
}

/// What becomes of a text that a block holds.
enum Fate {
    Stays,
    /// It stays, without its link.
    Unlinked,
    /// It is there twice.
    Cut,
    /// It is put into a block.
    Moves(usize, Put),
}

/// What is known of a page and its texts.
struct Page<'a> {
    blocks: &'a [Block],
    all: &'a [&'a Placed],
    homes: &'a Homes,
    /// The block in which each text stands, and where it ends in that.
    places: HashMap<usize, (usize, usize)>,
    /// As [`links`] and [`text_of`].
    links: HashMap<String, usize>,
    texts: Vec<String>,
    /// How long the scripts of a text are.
    sizes: HashMap<usize, usize>,
}

impl<'a> Page<'a> {
    fn of(blocks: &'a [Block], found: &[Vec<Found>], all: &'a [&'a Placed], homes: &'a Homes) -> Page<'a> {
        let mut places = HashMap::new();
        for (block, found) in found.iter().enumerate() {
            places.extend(found.iter().map(|one| (one.text, (block, one.start + one.size))));
        }
        let mut sizes: HashMap<usize, usize> = HashMap::new();
        for (text, host) in homes {
            *sizes.entry(*host).or_default() += all.get(*text).map_or(0, |placed| placed.text.len());
        }
        let texts = blocks.iter().map(text_of).collect();
        Page { blocks, all, homes, places, links: links(blocks), texts, sizes }
    }

    /// What becomes of one of a block's texts.
    fn fate(&self, block: usize, texts: &[Found], at: usize) -> Fate {
        let placed = |at: usize| texts.get(at).and_then(|one| Some((one, *self.all.get(one.text)?)));
        let Some((one, own)) = placed(at) else { return Fate::Stays };
        if at.checked_sub(1).and_then(placed).is_some_and(|(_, before)| is_same(before, own)) {
            return Fate::Cut;
        }
        let Some(host) = self.homes.get(&one.text) else { return Fate::Stays };
        let Some((there, end)) = self.places.get(host).copied() else { return Fate::Stays };
        let part = part_at(self.blocks, block, one.start);
        let link = part.as_ref().and_then(|part| part.link.clone());
        let is_others = link.as_ref().is_some_and(|(url, _)| {
            let is_elsewhere = self.links.get(url.as_str()).is_some_and(|least| *least > own.text.chars().count());
            let hosts = || part_at(self.blocks, there, end.saturating_sub(1)).and_then(|part| part.link);
            is_elsewhere && hosts().is_none_or(|(other, _)| other != *url)
        });
        let is_apart = part.is_some_and(|part| part.is_script) || self.is_apart(block, texts, at);
        if is_apart && self.is_told(texts, at, own, *host) && !self.is_there(own, *host, (there, end)) {
            let link = link.filter(|_| !is_others).map(|(url, _)| url);
            return Fate::Moves(there, put(own, *host, end, self.all, link));
        }
        match link {
            Some((_, text)) if is_others && text == own.text => Fate::Unlinked,
            _ => Fate::Stays,
        }
    }

    /// Whether another that says the same may be taken for a script behind its host, which ends in a block.
    fn is_there(&self, own: &Placed, host: usize, (there, end): (usize, usize)) -> bool {
        let behind = self.sizes.get(&host).map_or(end, |size| end + size);
        let around = self.texts.get(there).and_then(|text| text.as_bytes().get(end..behind.min(text.len())));
        around.is_some_and(|around| memchr::memmem::find(around, own.text.as_bytes()).is_some())
    }

    /// Whether a text is certainly a script of its host that was read elsewhere.
    fn is_told(&self, texts: &[Found], at: usize, own: &Placed, host: usize) -> bool {
        let beside = || {
            let before = main(texts.get(..at).unwrap_or_default().iter().rev(), self.all, self.homes);
            before.or_else(|| main(texts.get(at..).unwrap_or_default().iter(), self.all, self.homes))
        };
        is_figure(&own.text)
            && is_sure_host(host, self.all)
            && is_only(own, self.all, self.homes)
            && beside().is_none_or(|beside| (beside.y - own.y).abs() <= own.size * CLOSE)
            && !is_at_home(at, texts, host, self.homes)
    }

    /// Whether a text is no part of the words of its block: of a heading numbers are, unless they stand in a row.
    fn is_apart(&self, block: usize, texts: &[Found], at: usize) -> bool {
        let is_heading =
            |block: &Block| matches!(block, Block::Paragraph(paragraph) if paragraph.heading_level().is_some());
        !self.blocks.get(block).is_some_and(is_heading)
            || texts.iter().all(|one| self.homes.contains_key(&one.text))
            || is_in_row(at, texts, self.all, self.homes)
    }
}

fn is_empty(block: &Block) -> bool {
    matches!(block, Block::Paragraph(_)) && text_of(block).is_empty()
}

/// The text of a paragraph without white space and mark.
fn text_of(block: &Block) -> String {
    match block {
        Block::Paragraph(paragraph) => solid(&without_mark(paragraph)),
        _ => String::new(),
    }
}

/// The first of texts that is no script.
fn main<'a, 'f>(mut texts: impl Iterator<Item = &'f Found>, all: &[&'a Placed], homes: &Homes) -> Option<&'a Placed> {
    texts.find(|one| !homes.contains_key(&one.text)).and_then(|one| all.get(one.text).copied())
}

/// Whether a text is a number, with its sign: where formulas stand close, letters may be of any of them.
fn is_figure(text: &str) -> bool {
    let digits = text.trim_start_matches(['+', '-', '\u{2212}', '\u{2013}']);
    !digits.is_empty() && digits.chars().all(char::is_numeric)
}

/// Whether a text is not taken for another of a page.
fn is_sure_host(host: usize, all: &[&Placed]) -> bool {
    all.get(host).is_some_and(|host| host.text.chars().nth(LONG - 1).is_some())
}

/// Whether nothing near a script that is none says the same.
fn is_only(own: &Placed, all: &[&Placed], homes: &Homes) -> bool {
    let is_near = |other: &Placed| (other.y - own.y).abs() <= own.size * NEAR;
    let mut others = all.iter().enumerate().filter(|(_, other)| other.text == own.text && is_near(other));
    others.all(|(at, _)| homes.contains_key(&at))
}

/// Whether a text stands in a row of scripts of several texts: numbers that were read as a line of their own.
fn is_in_row(at: usize, texts: &[Found], all: &[&Placed], homes: &Homes) -> bool {
    let script = |found: Option<&Found>| {
        let text = found?.text;
        Some((homes.get(&text)?, *all.get(text)?))
    };
    let Some((host, own)) = script(texts.get(at)) else { return false };
    let is_next = |other: Option<&Found>| {
        script(other).is_some_and(|(other, placed)| other != host && (placed.y - own.y).abs() <= own.size * ROW)
    };
    let beside = [at.checked_sub(1), at.checked_add(1)];
    beside.into_iter().flatten().any(|at| is_next(texts.get(at)))
}

/// What is to be put behind its host, which ends there.
fn put(own: &Placed, host: usize, at: usize, all: &[&Placed], link: Option<String>) -> Put {
    let (right, y, size) = all.get(host).map_or((0.0, 0.0, 0.0), |host| (host.right, host.y, host.size));
    // What stands behind it in the line of its host.
    let mut behind = all.iter().skip(host + 1).take(BEHIND_MAX);
    let next = behind.find(|next| (next.y - y).abs() <= size * LEVEL);
    let is_close = |room: f32| room < size * BLANK;
    Put {
        at,
        left: own.left,
        text: own.written.clone(),
        link,
        spaced: !is_close(own.left - right),
        closed: next.is_some_and(|next| !next.begins_blank && is_close(next.left - own.right)),
    }
}

/// Whether two texts are one that is drawn twice.
fn is_same(one: &Placed, other: &Placed) -> bool {
    let near = |one: f32, other: f32, size: f32| (one - other).abs() <= size * TWICE;
    one.text == other.text && near(one.left, other.left, one.size) && near(one.y, other.y, one.size)
}

/// Whether a script stands behind its host, or behind another script of it.
fn is_at_home(at: usize, texts: &[Found], host: usize, homes: &Homes) -> bool {
    let mut before = texts.get(..at).unwrap_or_default().iter().rev();
    before.find(|one| homes.get(&one.text) != Some(&host)).is_some_and(|one| one.text == host)
}

/// The URLs of links that stand in a page's paragraphs, with how long the longest text of each is.
fn links(blocks: &[Block]) -> HashMap<String, usize> {
    let mut found: HashMap<String, usize> = HashMap::new();
    for block in blocks {
        let Block::Paragraph(paragraph) = block else { continue };
        for one in &paragraph.content {
            if let InlineContent::Link { text, url, .. } = one {
                let longest = found.entry(url.clone()).or_default();
                *longest = solid(text).chars().count().max(*longest);
            }
        }
    }
    found
}

/// What is told of a part of a paragraph.
struct Part {
    /// Its URL and its text without white space, where it is a link.
    link: Option<(String, String)>,
    is_script: bool,
}

/// The part in which a byte of a block's text without white space stands.
fn part_at(blocks: &[Block], block: usize, at: usize) -> Option<Part> {
    let Some(Block::Paragraph(paragraph)) = blocks.get(block) else { return None };
    let mut before = 0;
    for one in &paragraph.content {
        let (text, url) = match one {
            InlineContent::Text(run) => (&run.text, None),
            InlineContent::Link { text, url, .. } => (text, Some(url)),
            _ => continue,
        };
        let size: usize = text.split_whitespace().map(str::len).sum();
        if at < before + size {
            return Some(Part { link: url.map(|url| (url.clone(), solid(text))), is_script: is_script(one) });
        }
        before += size;
    }
    None
}

/// Finds the texts of a page in its blocks.
pub struct Search<'a> {
    all: &'a [&'a Placed],
    homes: &'a Homes,
    begins: HashMap<char, Vec<usize>>,
    used: HashSet<usize>,
    /// The last text of the block before that is no script.
    last: Option<usize>,
}

impl<'a> Search<'a> {
    /// Of these texts, with which of them are scripts.
    pub fn of(all: &'a [&'a Placed], homes: &'a Homes) -> Search<'a> {
        let mut begins: HashMap<char, Vec<usize>> = HashMap::new();
        for (at, placed) in all.iter().enumerate() {
            if let Some(first) = placed.text.chars().next() {
                begins.entry(first).or_default().push(at);
            }
        }
        Search { all, homes, begins, used: HashSet::new(), last: None }
    }

    /// The texts of a block in its order; none where they are not all found.
    pub fn found(&mut self, block: &Block) -> Vec<Found> {
        let Block::Paragraph(paragraph) = block else { return Vec::new() };
        let whole = text_of(block);
        let (mut found, mut start): (Vec<Found>, usize) = (Vec::new(), 0);
        while let Some(rest) = whole.get(start..).filter(|rest| !rest.is_empty()) {
            let marked =
                || Some(found.is_empty() && paragraph.is_list_item()).filter(|is| *is).and_then(|_| self.marked(rest));
            let Some((text, size)) = self.next(rest, &found).or_else(marked) else {
                for one in &found {
                    self.used.remove(&one.text);
                }
                return Vec::new();
            };
            self.used.insert(text);
            found.push(Found { start, size, text });
            start += size;
        }
        let main = found.iter().rev().find(|one| !self.homes.contains_key(&one.text));
        self.last = main.map(|one| one.text).or(self.last);
        found
    }

    /// The text that what is left of a block begins with, and how long it is.
    fn next(&self, rest: &str, found: &[Found]) -> Option<(usize, usize)> {
        let is_it = |at: &usize| {
            !self.used.contains(at) && self.all.get(*at).is_some_and(|placed| rest.starts_with(&placed.text))
        };
        let size = |at: usize| self.all.get(at).map_or(0, |placed| placed.text.len());
        let last = found.last().map(|last| last.text);
        // Of what stands at one height, the next goes on.
        if let Some(next) = last.map(|last| last + 1).filter(is_it)
            && let (Some(last), Some(placed)) = (last.and_then(|last| self.all.get(last)), self.all.get(next))
            && (last.y - placed.y).abs() <= placed.size * LEVEL
        {
            return Some((next, size(next)));
        }
        let main = found.iter().rev().find(|one| !self.homes.contains_key(&one.text));
        let main = main.map(|one| one.text).or(self.last).and_then(|main| Some((main, self.all.get(main)?)));
        let below = |at: usize| {
            let (Some((index, main)), Some(placed)) = (main, self.all.get(at)) else {
                return if self.homes.contains_key(&at) { ELSEWHERE } else { 0.0 };
            };
            let (below, beside) = (main.y - placed.y, placed.left - main.right);
            match self.homes.get(&at) {
                Some(host) if *host == index => 0.0,
                Some(_) => below.abs() + placed.size * ELSEWHERE,
                // It goes on in the line, or in one below.
                None if below.abs() <= placed.size * LEVEL && beside >= placed.size * ROOM.start() => beside * BESIDE,
                None if below > 0.0 => below + placed.size,
                None => below.abs() * 2.0 + placed.size * ELSEWHERE,
            }
        };
        let begins = self.begins.get(&rest.chars().next()?)?;
        let better = |one: &usize, other: &usize| {
            size(*other).cmp(&size(*one)).then_with(|| below(*one).total_cmp(&below(*other))).then(one.cmp(other))
        };
        begins.iter().copied().filter(is_it).min_by(better).map(|at| (at, size(at)))
    }

    /// The text that an item begins with, where its mark stands in one with it.
    fn marked(&self, rest: &str) -> Option<(usize, usize)> {
        self.all.iter().enumerate().filter(|(at, _)| !self.used.contains(at)).find_map(|(at, placed)| {
            let marks = placed.text.char_indices().skip(1).take(MARK_MAX);
            let bare = marks.map(|(from, _)| placed.text.get(from..).unwrap_or_default());
            bare.into_iter().find(|bare| rest.starts_with(bare)).map(|bare| (at, bare.len()))
        })
    }
}

#[cfg(test)]
#[path = "scripts_tests.rs"]
mod tests;
