//! PDF: text page by page with headings, lists and tables; the outline; plain text where that fails.
//!
//! `unpdf` reads best and aborts on some hostile files (deep dictionaries, flate bombs): its place is the worker
//! process. What it could not give is read with `lopdf`, and marked.

mod accents;
mod annotations;
mod around;
mod bullets;
mod calls;
mod cut;
mod emphasis;
mod errors;
mod fields;
mod folios;
mod heads;
mod hosts;
mod hyphens;
mod items;
mod ligatures;
mod lines;
mod listed;
mod margins;
mod mend;
mod narrow;
mod numbered;
mod opening;
mod outline;
mod packed;
mod parting;
mod placing;
mod region;
mod remembering;
mod rewrite;
mod roman;
mod rotation;
mod rows;
mod rtl;
mod said;
mod scripts;
mod second;
mod sides;
mod slim;
mod sparse;
mod splice;
mod spread;
mod texts;
mod wrapped;
mod writing;

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::rc::Rc;

use lopdf::Document;
use unpdf::model::{Block, TableCell, TableRow};
use unpdf::{PageStreamOptions, ParseEvent};

use crate::document::input::{Failure, Input};
use crate::document::out::{Out, Stop};
use crate::document::piece::{Place, PlaceKind};

use annotations::Annotations;
use fields::Fields;
use heads::Heads;
use hyphens::Words;
use lines::Lines;
use listed::listed;
use margins::{Lacks, Margins};
use mend::Damage;
use opening::{Opened, mended, opened};
use outline::say_outline;
use packed::Searched;
use placing::Placing;
use roman::Romans;
use rotation::Rotated;
use said::Untold;
use second::{Second, open_plain};

/// Bytes of a PDF that are read.
const BYTES_MAX: u64 = 512 << 20;
/// Words from which on a lone cell is a sentence and no label.
const SENTENCE_WORDS: usize = 4;

/// A PDF as Markdown.
///
/// # Errors
/// Where neither reader can open it.
pub fn convert(input: &Input<'_>, out: &mut Out<'_>) -> Result<(), Failure> {
    let mut bytes = input.whole(BYTES_MAX)?;
    let cut = cut::is_cut(from_header(&bytes));
    if cut {
        let ending = cut::ending(from_header(&bytes), |bytes| open_plain(bytes).ok());
        let rest = match ending.is_some() {
            true => "what is whole of it is shown, in the order in which its pages stand in it",
            false => "what is whole of it is shown",
        };
        bytes.extend(ending.unwrap_or_default());
        // Where the first reader wrote nothing, it could not say it.
        if input.second_reader_from.is_none_or(|from| from <= 1) {
            out.lost("the file is cut off", rest);
        }
    }
    let done = read(from_header(&bytes), input, cut, out);
    match done {
        Err(Failure::Damaged(_)) if cut && out.is_empty() => {
            Err(Failure::Damaged("it is cut off, and no page of it is left".to_owned()))
        }
        other => other,
    }
}

fn read(bytes: &[u8], input: &Input<'_>, cut: bool, out: &mut Out<'_>) -> Result<(), Failure> {
    if let Some(page) = input.second_reader_from {
        // What the first reader came past before its first page, it comes past again.
        let mended = if page > 1 { mended(bytes) } else { None };
        return plain(mended.as_ref().map_or(bytes, |mended| &mended.bytes), page, cut, out);
    }
    let Opened { parser, mended, slim } = opened(bytes);
    if let Some(mended) = mended.as_ref().filter(|_| !cut) {
        mended.notes.iter().for_each(|note| out.note_on_all(note));
    }
    let damage = mended.as_ref().map(|mended| mended.damage.clone()).unwrap_or_default();
    let bytes = mended.as_ref().map_or(bytes, |mended| &mended.bytes);
    let parser = match parser {
        Ok(parser) => parser,
        Err(why @ (unpdf::Error::Encrypted | unpdf::Error::InvalidPassword)) => {
            // Some files with an empty password are refused by the one and opened by the other.
            return plain(bytes, 1, cut, out).map_err(|second| match second {
                Failure::Stop(stop) => Failure::Stop(stop),
                Failure::Encrypted => Failure::Encrypted,
                _ => Failure::Damaged(errors::first(&why)),
            });
        }
        Err(why) => {
            return plain(bytes, 1, cut, out).map_err(|second| match second {
                Failure::Damaged(_) => Failure::Damaged(errors::first(&why)),
                other => other,
            });
        }
    };
    let mut pages = Pages { bytes, damage, margins: Margins::of(slim), ..Pages::default() };
    let done = parser.for_each_page(PageStreamOptions::default(), |event| pages.event(event, out));
    if let Some(stop) = pages.ended {
        return Err(stop.into());
    }
    if pages.total == 0 {
        return plain(bytes, 1, cut, out);
    }
    let elsewhere = pages.fields.elsewhere();
    if !elsewhere.is_empty() {
        out.blank_line()?;
        out.anchor(Place::page_from(pages.total))?;
        out.block(&elsewhere)?;
    }
    said::pages("pages of which a part cannot be read, as what they refer to is lost", &pages.partly, out);
    said::pages("pages of which only the plain text could be read", &pages.plain, out);
    said::pages("pages that lack numbers which stand at their edges", &pages.numbers, out);
    said::pages("page numbers that are left out, on pages", &pages.margins.left_out, out);
    pages.untold.say(out);
    if let Some(said) = pages.annotations.left_out() {
        out.note_on_all(said);
    }
    said::empty(&pages.empty, pages.total, cut, out);
    done.map(|_| ()).map_err(|why| Failure::Damaged(errors::first(&why)))
}

/// Some files have junk before their header; offsets count from the header.
fn from_header(bytes: &[u8]) -> &[u8] {
    let head = bytes.get(..bytes.len().min(64 << 10)).unwrap_or_default();
    memchr::memmem::find(head, b"%PDF-").and_then(|at| bytes.get(at..)).unwrap_or(bytes)
}

/// Takes pages in as they are parsed.
#[derive(Default)]
struct Pages<'a> {
    bytes: &'a [u8],
    /// The second reader, once it was needed; `None` within where it cannot open the document.
    second: Option<Option<Second>>,
    /// The document with its turned pages as they are shown, once it was needed.
    turned: Option<Rotated>,
    margins: Margins,
    /// Pages that lack numbers in their margins.
    numbers: Vec<u32>,
    /// What is filled in, which is no part of any page's text.
    fields: Fields,
    annotations: Annotations,
    /// The words of the pages so far.
    words: Words,
    placing: Placing,
    heads: Heads,
    romans: Romans,
    /// What is wrong with pages.
    damage: BTreeMap<u32, Damage>,
    /// Pages that the second reader read.
    plain: Vec<u32>,
    /// Pages that refer to what is lost.
    partly: Vec<u32>,
    untold: Untold,
    empty: Vec<u32>,
    ended: Option<Stop>,
    total: u32,
}

impl Pages<'_> {
    fn event(&mut self, event: ParseEvent, out: &mut Out<'_>) -> ControlFlow<()> {
        let done = match event {
            ParseEvent::DocumentStart { metadata, page_count, outline, form_fields } => {
                let searched = Searched::of(self.bytes);
                self.fields = Fields::of(&form_fields, &searched, || self.document());
                self.annotations = Annotations::of(&searched, form_fields.is_empty(), || self.document());
                self.total = page_count;
                out.fact("pages", page_count);
                for (name, value) in [
                    ("title", metadata.title),
                    ("author", metadata.author),
                    ("subject", metadata.subject),
                    ("keywords", metadata.keywords),
                    ("producer", metadata.producer),
                ] {
                    out.fact(name, value.unwrap_or_default());
                }
                if metadata.encrypted {
                    out.fact("encrypted", "with an empty password");
                }
                say_outline(outline.map(|outline| outline.items).unwrap_or_default(), || self.document(), out);
                Ok(())
            }
            ParseEvent::PageParsed(page) => self.page(&page, out),
            ParseEvent::PageFailed { page, error } => self.failed(page, &error, out),
            ParseEvent::Progress { done, total } => out.progress(u64::from(done), u64::from(total)),
            ParseEvent::DocumentEnd { .. } => Ok(()),
        };
        match done {
            Ok(()) => ControlFlow::Continue(()),
            Err(stop) => {
                self.ended = Some(stop);
                ControlFlow::Break(())
            }
        }
    }

    /// What a page holds beside its content.
    fn beside(&self, page: u32, out: &mut Out<'_>) -> Result<(), Stop> {
        out.block(&self.annotations.on(page))?;
        out.block(&self.fields.on(page))
    }

    /// A page that the first reader cannot read.
    fn failed(&mut self, page: u32, error: &unpdf::Error, out: &mut Out<'_>) -> Result<(), Stop> {
        begin_page(page, out)?;
        let text = self.plain_text(page);
        if text.is_empty() {
            out.note(format!("the page cannot be read: {}", errors::first(error)));
        } else {
            self.plain.push(page);
            out.block(&spelled_out(text))?;
        }
        self.beside(page, out)
    }

    fn page(&mut self, page: &unpdf::Page, out: &mut Out<'_>) -> Result<(), Stop> {
        begin_page(page.number, out)?;
        self.untold.learn(page);
        let lossy = (page.undecodable_content_streams > 0).then_some(Damage::Part);
        let damage = self.damage.get(&page.number).copied().or(lossy);
        match damage {
            Some(Damage::Missing) => self.partly.push(page.number),
            Some(damage) => out.note(damage.message()),
            None => {}
        }
        let upright = self.upright(page);
        let is_turned = upright.is_some();
        let better = upright.or_else(|| {
            let spread = self.margins.spread(page, self.bytes);
            self.with_numbers(spread.as_ref().unwrap_or(page)).or(spread)
        });
        let page = better.as_ref().unwrap_or(page);
        if is_turned && page.omitted_page_number_chars > 0 {
            self.margins.left_out.push(page.number);
        }
        let mut blocks = page.elements.clone();
        if !is_turned {
            let (total, mut placing, mut found) = (self.total, std::mem::take(&mut self.placing), None);
            blocks = placing.placed(blocks, total, &mut || self.lines(page.number, &mut found));
            self.placing = placing;
            let (mut heads, mut romans) = (std::mem::take(&mut self.heads), std::mem::take(&mut self.romans));
            let mut lines = |number| match number {
                number if number == page.number => self.lines(number, &mut found),
                number => self.lines(number, &mut None),
            };
            let place = (page.number, page.height);
            blocks = heads.parted(blocks, place, &mut lines);
            blocks = romans.without(blocks, place, &mut lines);
            (self.heads, self.romans) = (heads, romans);
        }
        let blocks: Vec<Block> = blocks.into_iter().flat_map(around_table).flat_map(listed).collect();
        let written = writing::written(blocks);
        for (is_code, text) in &written {
            if !is_code {
                self.words.learn(text);
            }
        }
        let joined = written.into_iter().map(|(is_code, text)| if is_code { text } else { self.words.joined(&text) });
        let mut text: String = joined.collect();
        if text.trim().is_empty() {
            text = self.plain_text(page.number);
            match damage {
                _ if !text.is_empty() => self.plain.push(page.number),
                None if self.second().is_some_and(|second| second.lacks_content(page.number)) => {
                    self.partly.push(page.number)
                }
                None | Some(Damage::Entry | Damage::Wrong) => self.empty.push(page.number),
                // More was said already.
                Some(_) => {}
            }
        }
        out.block(&spelled_out(text))?;
        self.beside(page.number, out)
    }

    /// A page that is shown turned, as it is shown, where more of its text runs from left to right then.
    fn upright(&mut self, page: &unpdf::Page) -> Option<unpdf::Page> {
        if page.rotation.is_multiple_of(360) || page.rotated_text_runs == 0 {
            return None;
        }
        let turned = self.turned.get_or_insert_with(|| Rotated::of(self.bytes));
        turned.page(page.number).filter(|upright| upright.rotated_text_runs < page.rotated_text_runs)
    }

    /// A page with the numbers of its text that stand in its margins, where it lacks them.
    fn with_numbers(&mut self, page: &unpdf::Page) -> Option<unpdf::Page> {
        match self.margins.lacks(page, self.bytes) {
            Lacks::Nothing => None,
            Lacks::Mended(mended) => Some(*mended),
            Lacks::Numbers => {
                self.numbers.push(page.number);
                None
            }
        }
    }

    /// Where the texts of a page stand, once it was needed.
    fn lines(&mut self, page: u32, found: &mut Option<Option<Rc<Lines>>>) -> Option<Rc<Lines>> {
        let find = || Lines::of_page(self.margins.texts(self.bytes)?, page).map(Rc::new);
        found.get_or_insert_with(find).clone()
    }

    /// The second reader, opened when it is first needed.
    fn second(&mut self) -> Option<&mut Second> {
        let bytes = self.bytes;
        self.second.get_or_insert_with(|| open_plain(bytes).ok().map(Second::of)).as_mut()
    }

    /// The document as the second reader has it.
    fn document(&mut self) -> Option<&Document> {
        self.second().map(|second| second.document())
    }

    /// What the second reader finds on a page on which the first found nothing: text that is turned, for one.
    fn plain_text(&mut self, page: u32) -> String {
        let found = self.second().and_then(|second| second.text(page).ok());
        found.filter(|text| !text.trim().is_empty()).unwrap_or_default()
    }
}

/// A table, and the paragraphs before and after it that its reader took for rows: a sentence with nothing beside it.
fn around_table(block: Block) -> Vec<Block> {
    let Block::Table(mut table) = block else { return vec![block] };
    let is_sentence = |row: &TableRow| match row.cells.as_slice() {
        [first, rest @ .., last] => {
            let blank = |cell: &TableCell| cell.plain_text().trim().is_empty();
            let words = first.plain_text().split_whitespace().count();
            words >= SENTENCE_WORDS && blank(last) && rest.iter().all(blank)
        }
        _ => false,
    };
    let before = table.rows.iter().take_while(|row| is_sentence(row)).count();
    if before == table.rows.len() {
        return vec![Block::Table(table)];
    }
    let after = table.rows.iter().rev().take_while(|row| is_sentence(row)).count();
    let headed = table.rows.first().is_some_and(|row| row.is_header);
    let paragraphs = |rows: Vec<TableRow>| {
        let cells = rows.into_iter().filter_map(|row| row.cells.into_iter().next());
        cells.flat_map(|cell| cell.content).map(Block::Paragraph).collect::<Vec<_>>()
    };
    let last = paragraphs(table.rows.split_off(table.rows.len() - after));
    let rest = table.rows.split_off(before);
    let mut blocks = paragraphs(std::mem::replace(&mut table.rows, rest));
    if let Some(first) = table.rows.first_mut() {
        first.is_header |= headed;
    }
    blocks.push(Block::Table(table));
    blocks.extend(last);
    blocks
}

/// Letters that fonts draw as one, one by one: nobody searches for `ﬁ`.
const LIGATURES: &[(char, &str)] =
    &[('ﬀ', "ff"), ('ﬁ', "fi"), ('ﬂ', "fl"), ('ﬃ', "ffi"), ('ﬄ', "ffl"), ('ﬅ', "st"), ('ﬆ', "st")];

fn spelled_out(text: String) -> String {
    // All of them begin with the same two bytes.
    if memchr::memmem::find(text.as_bytes(), &[0xEF, 0xAC]).is_none() {
        return text;
    }
    let mut spelled = String::with_capacity(text.len() + 16);
    for sign in text.chars() {
        match LIGATURES.iter().find(|(known, _)| *known == sign) {
            Some((_, letters)) => spelled.push_str(letters),
            None => spelled.push(sign),
        }
    }
    spelled
}

fn begin_page(number: u32, out: &mut Out<'_>) -> Result<(), Stop> {
    out.blank_line()?;
    out.anchor(Place::numbered(PlaceKind::Page, number))
}

/// The text of the pages from `first`, as the second reader finds it: without structure.
fn plain(bytes: &[u8], first: u32, cut: bool, out: &mut Out<'_>) -> Result<(), Failure> {
    let document = open_plain(bytes).map_err(|why| match why {
        lopdf::Error::Decryption(_) | lopdf::Error::InvalidPassword => Failure::Encrypted,
        why => Failure::Damaged(errors::second(&why)),
    })?;
    let mut second = Second::of(document);
    let pages: Vec<u32> = (first..=second.pages()).collect();
    if pages.is_empty() {
        // Some encrypted files open as if they were not, without a page.
        let encrypted = second.document().is_encrypted() || second.document().was_encrypted();
        return Err(if encrypted { Failure::Encrypted } else { Failure::Damaged("it has no pages".to_owned()) });
    }
    if first == 1 {
        out.fact("pages", pages.len());
    }
    out.fact("reader", "plain text without structure (low confidence)");
    let mut empty = Vec::new();
    for page in &pages {
        begin_page(*page, out)?;
        match second.text(*page) {
            Ok(text) if text.trim().is_empty() => empty.push(*page),
            Ok(text) => out.block(&spelled_out(text))?,
            Err(why) => out.note(format!("the page cannot be read: {}", errors::second(&why))),
        }
        out.progress(u64::from(*page), pages.len() as u64)?;
    }
    said::empty(&empty, u32::try_from(pages.len()).unwrap_or(u32::MAX), cut, out);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use unpdf::model::Table;

    #[test]
    fn sentences_around_a_table_are_no_rows_of_it() {
        let row = |cells: [&str; 2]| TableRow::from_strings(cells);
        let sentence = ["The stock at the end of the year.", ""];
        let rows = [sentence, ["Item", "Price"], ["Shipping", ""], ["Fee", "3"], sentence];
        let table = |rows: &[[&str; 2]]| {
            let mut table = Table::new();
            table.rows = rows.iter().map(|cells| row(*cells)).collect();
            Block::Table(table)
        };
        let kinds = |blocks: Vec<Block>| -> Vec<String> {
            let kind = |block: &Block| match block {
                Block::Table(table) => format!("{} rows", table.rows.len()),
                Block::Paragraph(paragraph) => paragraph.plain_text(),
                _ => String::new(),
            };
            blocks.iter().map(kind).collect()
        };
        assert_eq!(kinds(around_table(table(&rows))), [sentence[0], "3 rows", sentence[0]]);
        assert_eq!(kinds(around_table(table(&rows[1..4]))), ["3 rows"]);
        assert_eq!(kinds(around_table(table(&rows[..1]))), ["1 rows"]);
    }
}
